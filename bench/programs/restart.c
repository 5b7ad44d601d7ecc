// restart.c: a role in a process of its own is killed with SIGKILL, again and again. The time from just before the kill
// to the first step of its rescue, in the new process.

#include "bench/laps.h"

#include <chorex.h>
#include <signal.h>
#include <unistd.h>

choreography(restart, (Killer, Victim),
    void Killer.finish(int victim);
    void Killer.note(uint64_t came_back_ns);
    Laps Killer.end(void);

    def run({Killer, Victim}.long kills) -> Killer.Laps {
        while ({Killer, Victim}.(kills > 0)) {
            checkpoint {
                Victim.((int)getpid()) ~> Killer.int victim;
                Killer.finish(victim);
                Victim.(pause()) ~> Killer._;
            } rescue {
                Victim.(laps_now_ns()) ~> Killer.uint64_t came_back_ns;
                Killer.note(came_back_ns);
            }
            {Killer, Victim}.kills = kills - 1;
        }
        Killer.Laps times = end();
        return Killer.times;
    }
)

static uint64_t times_ns[LAPS_MAX];
static size_t count;
static uint64_t killed_ns;

#include "restart.Killer.chor.h"
#include "restart.Victim.chor.h"

static void Killer_finish(int victim)
{
    killed_ns = laps_now_ns();
    kill(victim, SIGKILL);
}

static void Killer_note(uint64_t came_back_ns)
{
    times_ns[count++] = came_back_ns - killed_ns;
}

static Laps Killer_end(void)
{
    return laps_of(times_ns, count);
}

int main(int argc, char **argv)
{
    long kills = argc > 1 ? atol(argv[1]) : 1000;
    struct restart_cast cast = {.Victim = {.isolation = CHX_PROCESS}};
    struct restart_run_result result;
    if (kills < 1 || kills > LAPS_MAX)
        return 2;
    Measure measure = measure_begin();
    if (restart_run(&result, &cast, kills) != CHX_OK || count != (size_t)kills)
        return 1;
    measure_end(&measure);
    laps_print(&result.Killer, 1, measure.wall_s);
    return 0;
}
