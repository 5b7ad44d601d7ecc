// processes.c: an int there and back between two processes, or between a process and a role of this one (`one`). Ping
// takes the time of every hundred rounds. With `apart` each stays on a processor of its own.

#include "bench/laps.h"

#include <chorex.h>
#include <string.h>

enum { ROUNDS_PER_LAP = 100 };

choreography(processes, (Ping, Pong),
    void Ping.begin(bool apart);
    void Pong.begin(bool apart);
    void Ping.lap(void);
    Laps Ping.end(void);

    def run({Ping, Pong}.long laps, {Ping, Pong}.bool apart) -> Ping.{int, Laps} {
        Ping.int value = 0;
        Pong.begin(apart);
        Ping.begin(apart);
        while ({Ping, Pong}.(laps > 0)) {
            {Ping, Pong}.int round = ROUNDS_PER_LAP;
            while ({Ping, Pong}.(round > 0)) {
                Ping.value ~> Pong.int got;
                Pong.(got + 1) ~> Ping.value;
                {Ping, Pong}.round = round - 1;
            }
            Ping.lap();
            {Ping, Pong}.laps = laps - 1;
        }
        Ping.Laps times = end();
        return Ping.{value, times};
    }
)

static uint64_t times_ns[LAPS_MAX];
static size_t count;
static uint64_t last_ns;

#include "processes.Ping.chor.h"
#include "processes.Pong.chor.h"

static void Pong_begin(bool apart)
{
    if (apart)
        laps_stay_on(1);
}

static void Ping_begin(bool apart)
{
    if (apart)
        laps_stay_on(0);
    last_ns = laps_now_ns();
}

static void Ping_lap(void)
{
    uint64_t now_ns = laps_now_ns();
    times_ns[count++] = now_ns - last_ns;
    last_ns = now_ns;
}

static Laps Ping_end(void)
{
    return laps_of(times_ns, count);
}

int main(int argc, char **argv)
{
    long laps = argc > 1 ? atol(argv[1]) : 10000;
    bool is_one = argc > 2 && strcmp(argv[2], "one") == 0, is_apart = argc > 3 && strcmp(argv[3], "apart") == 0;
    struct processes_cast cast = {.Ping = {.isolation = CHX_PROCESS},
                                  .Pong = {.isolation = is_one ? CHX_THREAD : CHX_PROCESS}};
    struct processes_run_result result;
    if (laps < 1 || laps > LAPS_MAX)
        return 2;
    Measure measure = measure_begin();
    if (processes_run(&result, &cast, laps, is_apart) != CHX_OK || result.Ping.v0 != (int)laps * ROUNDS_PER_LAP)
        return 1;
    measure_end(&measure);
    laps_print(&result.Ping.v1, ROUNDS_PER_LAP, measure.wall_s);
    return 0;
}
