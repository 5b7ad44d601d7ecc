// The Sensor crashes while it is read. A new one takes its place, and everybody goes on in the rescue.
//! no-sanitizer
#include <chorex.h>
#include <stdio.h>

choreography(heating, (Sensor, Thermostat),
    int Sensor.read_degrees(int round);

    def run(Sensor.int rounds) -> Thermostat.int {
        Sensor.int round = 1;
        Sensor.int last = 0;
        Thermostat.int restarts = 0;
        checkpoint while (Sensor.(round <= rounds)) {
            Sensor.degrees = read_degrees(round);          // crashes in round 3
            Sensor.{round, degrees} ~> Thermostat.{number, value};
            Thermostat.show(number, value);
            Sensor.last = degrees;
            Sensor.round++;
        } rescue (fault) {
            Sensor.{round, last} ~> Thermostat.{number, value};
            Thermostat.show_last(number, value, fault.role, fault.why);
            Thermostat.restarts++;
            Sensor.round++;
        }
        return Thermostat.restarts;
    }
)

#include "heating.Sensor.chor.h"
#include "heating.Thermostat.chor.h"

int Sensor_read_degrees(int round)
{
    if (round == 3)
        *(volatile int *)0 = 1; // a real segmentation fault
    return 19 + round;
}

void Thermostat_show(int number, int value)
{
    printf("round %d: %d degrees\n", number, value);
}

void Thermostat_show_last(int number, int value, const char *role, const char *why)
{
    printf("round %d: %d degrees, the last known value: %s failed with %s\n", number, value, role, why);
}

int main(void)
{
    struct heating_run_result result;
    if (heating_run(&result, NULL, 4) != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("%s failed in line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    printf("4 rounds, %d restart\n", result.Thermostat);
    return 0;
}
