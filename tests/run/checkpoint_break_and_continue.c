// `break` and `continue` out of body and rescue, in loops of every kind, out of nested blocks and through a switch.
// expect: while: 0 1 r2 3 r4 5 end 6
// expect: for: 0 1 r2 3 r4 5 end 6
// expect: do: 0 1 r2 3 r4 5 end 6
// expect: told: 1111
// expect: switch: a.0 c.1 b.2 d.3 end 3
#include <chorex.h>
#include <stdio.h>

choreography(jumps, (Alice, Bob),
    void Alice.may_fail(int i);
    def with_while() -> Bob.chx_str, Alice.int {
        Bob.chx_str log = {0};
        Alice.int i = 0;
        while (Alice.(i < 100)) {
            Alice.i ~> Bob.i;
            checkpoint {
                Alice.may_fail(i);
                if (Bob.(i == 6)) {
                    Bob.log = chx_strf("%send", chx_cstr(log));
                    break;
                }
                Bob.log = chx_strf("%s%d ", chx_cstr(log), i);
                Alice.i += 1;
                continue;
            } rescue {
                Bob.log = chx_strf("%sr%d ", chx_cstr(log), i);
                Alice.i += 1;
                continue;
            }
        }
        return Bob.log, Alice.i;
    }
    def with_for() -> Bob.chx_str, Alice.int {
        Bob.chx_str log = {0};
        Alice.int last = 0;
        for (Alice.int i = 0; Alice.(i < 100); Alice.i++) {
            Alice.i ~> Bob.i;
            Alice.last = i;
            checkpoint {
                checkpoint {
                    Alice.may_fail(i);
                } rescue {
                    Bob.log = chx_strf("%sr%d ", chx_cstr(log), i);
                    continue;
                }
                if (Bob.(i == 6)) {
                    break;
                }
            } rescue {
                Bob.log = chx_strf("never");
            }
            Bob.log = chx_strf("%s%d ", chx_cstr(log), i);
        }
        Bob.log = chx_strf("%send", chx_cstr(log));
        return Bob.log, Alice.last;
    }
    def with_do() -> Bob.chx_str, Alice.int {
        Bob.chx_str log = {0};
        Alice.int i = 0;
        do {
            Alice.i ~> Bob.i;
            checkpoint {
                Alice.i += 1;
                Alice.may_fail(i - 1);
                if (Bob.(i != 6)) {
                    Bob.log = chx_strf("%s%d ", chx_cstr(log), i);
                    continue;
                }
            } rescue {
                Bob.log = chx_strf("%sr%d ", chx_cstr(log), i);
                Alice.i += 1;
                continue;
            }
            Bob.log = chx_strf("%send", chx_cstr(log));
        } while (Alice.(i < 7));
        return Bob.log, Alice.(i - 1);
    }
    def told() -> Bob.int {
        Bob.int n = 1;
        for (;;) {
            checkpoint {
                Alice.may_fail(2);
                Bob.n = 5;
            } rescue {
                if (Bob.(n > 1000)) {
                    break;
                }
                Bob.n = n * 10 + 1;
            }
        }
        return Bob.n;
    }
    def by_switch() -> Bob.chx_str, Alice.int {
        Bob.chx_str log = {0};
        Alice.int i = 0;
        for (; ; Alice.i++) {
            Alice.i ~> Bob.i;
            switch (Alice.i) {
            case 0:
                checkpoint {
                    Bob.log = chx_strf("%sa.%d ", chx_cstr(log), i);
                    continue;
                }
                break;
            case 2:
                checkpoint {
                    Alice.may_fail(2);
                } rescue {
                    Bob.log = chx_strf("%sb.%d ", chx_cstr(log), i);
                }
                break;
            case 3:
                checkpoint {
                    Alice.may_fail(4);
                } rescue {
                    Bob.log = chx_strf("%sd.%d end", chx_cstr(log), i);
                    return Bob.log, Alice.i;
                }
                break;
            default:
                Bob.log = chx_strf("%sc.%d ", chx_cstr(log), i);
                break;
            }
        }
    }
)

#include "jumps.Alice.chor.h"
#include "jumps.Bob.chor.h"

void Alice_may_fail(int i)
{
    if (i == 2 || i == 4)
        chx_fail("number %d", i);
}

#define SHOW(name, def)                                                                                                \
    do {                                                                                                               \
        struct jumps_##def##_result r;                                                                                 \
        if (jumps_##def(&r, NULL) != CHX_OK)                                                                           \
            return 1;                                                                                                  \
        printf("%s: %s %d\n", name, chx_cstr(r.Bob), r.Alice);                                                         \
        jumps_##def##_result_drop(&r);                                                                                 \
    } while (0)

int main(void)
{
    SHOW("while", with_while);
    SHOW("for", with_for);
    SHOW("do", with_do);
    struct jumps_told_result told;
    if (jumps_told(&told, NULL) != CHX_OK)
        return 1;
    printf("told: %d\n", told.Bob);
    SHOW("switch", by_switch);
    return 0;
}
