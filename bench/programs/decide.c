// decide.c: ping-pong where one side decides about each round: two values and one outcome travel.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

choreography(decide, (Ping, Pong),
    def run(Ping.long rounds) -> Ping.int {
        Ping.int value = 0;
        while (Ping.(rounds > 0)) {
            Ping.value ~> Pong.int got;
            Pong.(got + 1) ~> Ping.value;
            Ping.rounds -= 1;
        }
        return Ping.value;
    }
)

#include "decide.Ping.chor.h"
#include "decide.Pong.chor.h"

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000000;
    struct decide_run_result result;
    Measure measure = measure_begin();
    if (decide_run(&result, NULL, rounds) != CHX_OK || result.Ping != (int)rounds)
        return 1;
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
