// expect: 3 readings, 1 in vain
// expect: mean 16
#include <chorex.h>
#include <stdio.h>

//[choreography]
choreography(station, (Sensor, Filter, Store),
    int Sensor.read(int number);
    void Store.keep(int value);
    void Store.note_gap(void);
    int Store.mean(void);

    def run(Sensor.int count) -> Store.int {
        for (Sensor.int i = 0; Sensor.(i < count); Sensor.i++) {
            checkpoint {
                Sensor.read(i) ~> Filter.raw;
                Filter.(raw / 10) ~> Store.value;
                Store.keep(value);
            } rescue {
                Store.note_gap();
            }
        }
        return Store.mean();
    }
)
//[/choreography]

#include "station.Filter.chor.h"
#include "station.Sensor.chor.h"
#include "station.Store.chor.h"

static struct {
    int count, sum, gaps;
} kept;

//[functions]
int Sensor_read(int number)
{
    if (number == 1)
        chx_fail("the sensor does not answer");
    return 100 * number;
}

void Store_keep(int value) // one role's own code: no lock
{
    kept.count++;
    kept.sum += value;
}

void Store_note_gap(void)
{
    kept.gaps++;
}
//[/functions]

int Store_mean(void)
{
    printf("%d readings, %d in vain\n", kept.count, kept.gaps);
    fflush(stdout);
    return kept.sum / kept.count;
}

int main(void)
{
    struct station_run_result result;
    if (station_run(&result, NULL, 4) != CHX_OK)
        return 1;
    printf("mean %d\n", result.Store);
    return 0;
}
