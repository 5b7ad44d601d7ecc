// Checkpoints in branches of choices that are decided, told or seen by what arrives; choices in bodies and rescues.
// expect: 0: left 1
// expect: 1: left rescued 2
// expect: 2: right 3
// expect: 3: neither 0
// expect: empty body and empty rescue: 6
#include <chorex.h>
#include <stdio.h>

choreography(choices, (Alice, Bob, Carol),
    void Carol.may_fail(int mode);
    def run(Alice.int mode) -> Bob.{const char *, int} {
        Bob.const char *where = "neither";
        Bob.int n = 0;
        if (Alice.(mode < 2)) {
            Alice.mode ~> Carol.mode;
            checkpoint {
                Carol.may_fail(mode);
                Bob.where = "left";
                Carol.(1) ~> Bob.n;
            } rescue {
                if (Carol.(mode == 1)) {
                    Carol.(2) ~> Bob.n;
                }
                Bob.where = "left rescued";
            }
        } else if (Alice.(mode == 2)) {
            checkpoint {
                checkpoint {
                    Bob.where = "right";
                } rescue {
                    Bob.where = "wrong";
                }
                Alice.(3) ~> Bob.n;
            } rescue {
                Bob.n = 4;
            }
        }
        return Bob.{where, n};
    }
    def empty() -> Bob.int {
        Bob.int n = 5;
        checkpoint {
        } rescue {
            Bob.n = 0;
        }
        checkpoint {
            Carol.may_fail(1);
            Bob.n = 0;
        } rescue {
        }
        checkpoint {
            Carol.may_fail(1);
        } rescue {
            Bob.n += 1;
        }
        return Bob.n;
    }
)

#include "choices.Alice.chor.h"
#include "choices.Bob.chor.h"
#include "choices.Carol.chor.h"

void Carol_may_fail(int mode)
{
    if (mode == 1)
        chx_fail("mode 1");
}

int main(void)
{
    for (int mode = 0; mode < 4; mode++) {
        struct choices_run_result r;
        if (choices_run(&r, NULL, mode) != CHX_OK)
            return 1;
        printf("%d: %s %d\n", mode, r.Bob.v0, r.Bob.v1);
        choices_run_result_drop(&r);
    }
    struct choices_empty_result r;
    if (choices_empty(&r, NULL) != CHX_OK)
        return 1;
    printf("empty body and empty rescue: %d\n", r.Bob);
    return 0;
}
