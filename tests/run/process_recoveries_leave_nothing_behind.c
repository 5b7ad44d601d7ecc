// A process that is called back again and again, out of nested blocks and with attempts left, keeps nothing of that.
// expect: 400 rescues, nothing is left
//! no-sanitizer
//! no-sim
#include <chorex.h>
#include <malloc.h>
#include <stdio.h>

enum { ROUNDS = 400, WARM = 40 };

choreography(called, (Alice, Bob),
    void Bob.fail(int attempt);
    def run() -> Alice.{int, long} {
        Alice.int rescues = 0;
        Alice.long before = 0;
        for ({Alice, Bob}.int i = 0; {Alice, Bob}.(i < ROUNDS); {Alice, Bob}.i++) {
            if ({Alice, Bob}.(i == WARM)) {
                Alice.before = (long)mallinfo2().uordblks;
            }
            checkpoint retry 2 {
                checkpoint {
                    Alice.i ~> Bob.got;
                    Bob.fail(got);
                } rescue (inner) {
                    Alice.i ~> Bob.got;
                    Bob.fail(got + inner.kind);
                }
            } rescue (outer) {
                Alice.rescues += outer.kind == CHX_FAULT_FAIL;
            }
        }
        return Alice.{rescues, (long)mallinfo2().uordblks - before};
    }
)

#include "called.Alice.chor.h"
#include "called.Bob.chor.h"

void Bob_fail(int attempt) { chx_fail("a reason that is long enough to be seen if it is kept, number %d", attempt); }

int main(void)
{
    struct called_cast cast = {.Alice = {.isolation = CHX_PROCESS}};
    struct called_run_result r;
    if (called_run(&r, &cast) != CHX_OK)
        return 1;
    printf("%d rescues, ", r.Alice.v0);
    if (r.Alice.v1 < 16384)
        printf("nothing is left\n");
    else
        printf("%ld bytes are left\n", r.Alice.v1);
    return 0;
}
