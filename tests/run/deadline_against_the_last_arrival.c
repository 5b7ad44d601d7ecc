// A deadline falls due just when the last role arrives at the end: all leave the same way, every time.
// expect: 1500 rounds, all leave the same way
//! no-central
#include <chorex.h>
#include <stdio.h>
#include <time.h>

choreography(race, (A, B, C),
    int A.wait(int round);
    int B.wait(int round);

    def run(A.int rounds) -> A.int, B.unsigned, C.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        A.int same = 0;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint within 200us {
                A.wait(n) ~> C._;
                B.wait(n) ~> C._;
                A.a = a * 31 + 1;
                B.b = b * 31 + 1;
                C.c = c * 31 + 1;
            } rescue {
                A.a = a * 31 + 2;
                B.b = b * 31 + 2;
                C.c = c * 31 + 2;
            }
            B.b ~> A.of_b;
            C.c ~> A.of_c;
            A.same += a == of_b && a == of_c;
            {A, B, C}.n = n - 1;
        }
        return A.same, B.b, C.c;
    }
)

#include "race.A.chor.h"
#include "race.B.chor.h"
#include "race.C.chor.h"

static int wait_around(int round, long spread_ns)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += 150000 + round * 7919L % spread_ns;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec - end.tv_nsec < 0);
    return round;
}

int A_wait(int round)
{
    return wait_around(round, 60000);
}

int B_wait(int round)
{
    return wait_around(round, 45000);
}

int main(void)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 3});
    struct race_run_result result;
    chx_session *session = race_run_start(runtime, NULL, 1500);
    if (session == NULL || race_run_wait(session, &result) != CHX_OK)
        return 1;
    chx_runtime_free(runtime);
    printf("%d rounds, %s\n", result.A, result.B == result.C ? "all leave the same way" : "no agreement");
    return 0;
}
