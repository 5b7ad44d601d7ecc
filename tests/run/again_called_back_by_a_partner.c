// A role that waits for the outside and is called back does not begin its step again, also if the one that has failed sends it
// something at once and waits for the answer: the worker then goes on with the role that was called back.
// expect: 100 times called back, and no step was begun again
//! no-central
//! no-process
#include <chorex.h>
#include <stdio.h>

static _Atomic int waits;       // B is at it
static _Atomic int begun_again; // steps of B's that others had called it back from

choreography(partner, (A, B),
    void A.fail_when_b_waits(void);
    void B.wait(int round);
    def run(A.int rounds) -> B.int {
        A.int i = 0;
        B.int count = 0;
        checkpoint while (A.(i < rounds)) {
            A.i ~> B.round;
            B.wait(round);
            A.fail_when_b_waits();
        } rescue {
            A.i++;
            A.i ~> B.count;
            B.count ~> A._;
        }
        return B.count;
    }
)

#include "partner.A.chor.h"
#include "partner.B.chor.h"

void A_fail_when_b_waits(void)
{
    if (waits == 0)
        chx_again_after(1000);
    waits = 0;
    chx_fail("on purpose");
}

void B_wait(int round)
{
    static int last = -1;
    if (round == last)
        begun_again++;
    last = round;
    waits = 1;
    chx_again_after(3600000000000);
}

int main(void)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 1});
    struct partner_run_result result;
    if (partner_run_wait(partner_run_start(runtime, NULL, 100), &result) != CHX_OK)
        return 1;
    chx_runtime_free(runtime);
    printf("%d times called back, and ", result.B);
    if (begun_again == 0)
        puts("no step was begun again");
    else
        printf("%d steps were begun again\n", begun_again);
    return 0;
}
