#include <chorex.h>
#include <stdio.h>

choreography(heating, (Sensor, Thermostat),
    int Sensor.read_degrees(int round);

    def run(Sensor.int rounds) -> Thermostat.int {
        Thermostat.int missed = 0;
        Sensor.int last = 0;
        for (Sensor.int round = 1; Sensor.(round <= rounds); Sensor.round++) {
            //[checkpoint]
            checkpoint {
                Sensor.degrees = read_degrees(round);
                Sensor.{round, degrees} ~> Thermostat.{number, value};
                Thermostat.show(number, value);
                Sensor.last = degrees;
            } rescue (fault) {
                Sensor.{round, last} ~> Thermostat.{number, value};
                Thermostat.show_last(number, value, fault.role, fault.why);
                Thermostat.missed++;
            }
            //[/checkpoint]
        }
        return Thermostat.missed;
    }
)

#include "heating.Sensor.chor.h"
#include "heating.Thermostat.chor.h"

//[driver]
static int base = 19;

int Sensor_read_degrees(int round)
{
    int *volatile driver = round == 3 ? NULL : &base;
    return *driver + round; // in round 3 a segmentation fault
}
//[/driver]

void Thermostat_show(int number, int value)
{
    printf("round %d: %d degrees\n", number, value);
}

void Thermostat_show_last(int number, int value, const char *role, const char *why)
{
    printf("round %d: %d degrees before %s failed: %s\n", number, value, role, why);
}

int main(void)
{
    struct heating_run_result result;
    if (heating_run(&result, NULL, 4) != CHX_OK) {
        printf("%s failed in line %d: %s\n", chx_last_report()->role, chx_last_report()->line, chx_last_report()->why);
        return 1;
    }
    printf("%d missed\n", result.Thermostat);
    return 0;
}

//! no-sanitizer
