// `return` out of a body, out of a rescue and out of nested ones: all participants return, and the block is over.
// expect: 0: 11 body
// expect: 1: 22 rescue
// expect: 2: 33 outer rescue
// expect: 3: 44 after
// expect: tuple 0: 5 6
// expect: tuple 1: 7 8
// expect: call 0: 30
// expect: call 1: 31
#include <chorex.h>
#include <stdio.h>

choreography(leave, (Alice, Bob, Carol),
    void Alice.step(int here, int mode);
    def run(Alice.int mode) -> Alice.int, Bob.chx_str {
        Alice.mode ~> {Bob, Carol}.mode;
        Alice.int n = 0;
        checkpoint {
            Alice.n = 10;
            checkpoint {
                Alice.n += 1;
                Alice.step(0, mode);
                Alice.n ~> Bob.n;
                if ({Bob, Carol}.(mode == 0)) {
                    return Alice.n, Bob.(chx_strf("body%s", n == 11 ? "" : "?"));
                }
            } rescue {
                Alice.n += 12;
                Alice.step(2, mode);
                return Alice.n, Bob.(chx_strf("rescue"));
            }
            Alice.step(3, mode);
        } rescue {
            if ({Bob, Carol}.(mode == 2)) {
                return Alice.(33), Bob.(chx_strf("outer rescue"));
            }
        }
        Alice.(44) ~> Carol.n;
        Carol.n ~> Alice.n;
        return Alice.n, Bob.(chx_strf("after"));
    }
    def pair(Alice.int mode) -> Bob.{int, long} {
        checkpoint {
            Alice.step(1, mode);
            return Bob.{5, 6};
        } rescue {
            return Bob.{7, 8};
        }
    }
    def give(Alice.int mode, Bob.int n) -> Bob.int {
        Alice.step(1, mode);
        return Bob.n;
    }
    def call(Alice.int mode) -> Bob.long {
        Bob.int n = 30;
        checkpoint {
            return give(Alice.mode, Bob.n);
        } rescue {
            return give(Alice.(0), Bob.(n + 1));
        }
    }
)

#include "leave.Alice.chor.h"
#include "leave.Bob.chor.h"
#include "leave.Carol.chor.h"

void Alice_step(int here, int mode)
{
    if (here == 0 && (mode == 1 || mode == 2))
        chx_fail("in the body");
    if ((here == 1 && mode == 1) || (here == 2 && mode == 2) || (here == 3 && mode == 3))
        chx_fail("here");
}

int main(void)
{
    for (int mode = 0; mode < 4; mode++) {
        struct leave_run_result r;
        if (leave_run(&r, NULL, mode) != CHX_OK)
            return 1;
        printf("%d: %d %s\n", mode, r.Alice, chx_cstr(r.Bob));
        leave_run_result_drop(&r);
    }
    for (int mode = 0; mode < 2; mode++) {
        struct leave_pair_result r;
        if (leave_pair(&r, NULL, mode) != CHX_OK)
            return 1;
        printf("tuple %d: %d %ld\n", mode, r.Bob.v0, r.Bob.v1);
    }
    for (int mode = 0; mode < 2; mode++) {
        struct leave_call_result r;
        if (leave_call(&r, NULL, mode) != CHX_OK)
            return 1;
        printf("call %d: %ld\n", mode, r.Bob);
    }
    return 0;
}
