// pingpong.c: an int there and back. The number of rounds is agreed, so nothing else travels.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

choreography(pingpong, (Ping, Pong),
    def run({Ping, Pong}.long rounds) -> Ping.int {
        Ping.int value = 0;
        while ({Ping, Pong}.(rounds > 0)) {
            Ping.value ~> Pong.int got;
            Pong.(got + 1) ~> Ping.value;
            {Ping, Pong}.rounds = rounds - 1;
        }
        return Ping.value;
    }
)

#include "pingpong.Ping.chor.h"
#include "pingpong.Pong.chor.h"

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000000;
    struct pingpong_run_result result;
    Measure measure = measure_begin();
    if (pingpong_run(&result, NULL, rounds) != CHX_OK || result.Ping != (int)rounds)
        return 1;
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
