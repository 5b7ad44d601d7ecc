// fairness.c: how long a new session of two roles takes while others do nothing but exchange messages, for ever.
//
// fairness LOOPS CORES [SESSIONS]: so many such others; on so many processors, all that there are by default.

#include "bench/laps.h"

#include <chorex.h>

enum { LOOPS_MAX = 1000 };

choreography(endless, (Ann, Ben),
    def run(Ann.int x) {
        for (;;) {
            Ann.x ~> Ben.x;
            Ben.(x + 1) ~> Ann.x;
        }
    }
)

choreography(brief, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        Bob.y ~> Alice.x;
        Alice.x ~> Bob.y;
        return Bob.(y + 1);
    }
)

#include "brief.Alice.chor.h"
#include "brief.Bob.chor.h"
#include "endless.Ann.chor.h"
#include "endless.Ben.chor.h"

int main(int argc, char **argv)
{
    static uint64_t times_ns[LAPS_MAX];
    chx_session *loops[LOOPS_MAX];
    int loop_count = argc > 1 ? atoi(argv[1]) : 2, cores = argc > 2 ? atoi(argv[2]) : 0;
    int count = argc > 3 ? atoi(argv[3]) : 200;
    if (loop_count > LOOPS_MAX || count < 1 || count > LAPS_MAX)
        return 2;
    if (cores == 1)
        laps_stay_on(0);
    for (int i = 0; i < loop_count; i++)
        if ((loops[i] = endless_run_start(NULL, NULL, i)) == NULL)
            return 1;
    Measure measure = measure_begin();
    for (int i = 0; i < count; i++) {
        struct brief_run_result result;
        uint64_t start_ns = laps_now_ns();
        chx_session *session = brief_run_start(NULL, NULL, i);
        if (session == NULL || brief_run_wait(session, &result) != CHX_OK || result.Bob != i + 1)
            return 1;
        times_ns[i] = laps_now_ns() - start_ns;
    }
    measure_end(&measure);
    for (int i = 0; i < loop_count; i++)
        chx_session_cancel(loops[i]);
    for (int i = 0; i < loop_count; i++)
        if (endless_run_wait(loops[i]) != CHX_CANCELLED)
            return 1;
    Laps laps = laps_of(times_ns, (size_t)count);
    laps_print(&laps, 1, measure.wall_s);
    return 0;
}
