// A case may end in anything that always leaves it: if and else, a switch, a loop without an end, a checkpoint.
// expect: 1: 10 11 11
// expect: 2: 20 21 22
// expect: 3: 30 30 33
// expect: 4: 4 4 4
// expect: 5: 50 51 51
// expect: 6: 3 3 3
// expect: 7: 3 3 3
// expect: 8: 80 81 82
// expect: 9: -1 -1 -1
#include <chorex.h>
#include <stdio.h>

choreography(ways, (Alice, Bob),
    def run(Alice.int n, Alice.int k) -> Bob.int {
        Bob.int x = 0;
        switch (Alice.n) {
        case 1:
            if (Alice.(k == 0)) {
                Bob.x = 10;
                break;
            } else {
                Bob.x = 11;
                break;
            }
        case 2:
            if (Alice.(k == 0)) {
                return Bob.(20);
            } else if (Alice.(k == 1)) {
                Bob.x = 21;
                {
                    break;
                }
            } else {
                return Bob.(22);
            }
        case 3:
            switch (Alice.k) {
            case 0:
            case 1:
                return Bob.(30);
            default:
                if (Alice.(k == 2)) {
                    Bob.x = 33;
                    return Bob.x;
                } else {
                    return Bob.(34);
                }
            }
        case 4:
            for (;;) {
                Alice.k++;
                if (Alice.(k == 4)) {
                    Alice.k ~> Bob.x;
                    return Bob.x;
                }
            }
        case 5:
            checkpoint {
                if (Alice.(k == 0)) {
                    Alice.(50) ~> Bob.x;
                    break;
                } else {
                    Alice.(chx_fail("on purpose"));
                    return Bob.(59);
                }
            } rescue {
                Bob.x = 51;
                break;
            }
        case 6:
            checkpoint for (;;) {
                Alice.k++;
                if (Alice.(k >= 3)) {
                    return Bob.(3);
                }
            }
        case 7:
            while (Alice.(k < 3)) {
                switch (Alice.k) {
                case 0:
                    Alice.k = 2;
                    continue;
                default:
                    if (Alice.(k == 1)) {
                        Alice.k = 3;
                        continue;
                    } else {
                        Alice.k++;
                        break;
                    }
                }
            }
            Alice.k ~> Bob.x;
            break;
        case 8: {
            Alice.(80 + k) ~> Bob.x;
            return Bob.x;
            break;
        }
        default:
            if (Alice.(k >= 0)) {
                Bob.x = -1;
                break;
            } else {
                for (;;) {
                    Alice.n++;
                }
            }
        }
        return Bob.x;
    }

    // No result is missing: no way leads to the end.
    def all(Alice.int n) -> Alice.int {
        switch (Alice.n) {
        case 1:
            if (Alice.(n > 0)) {
                return Alice.(1);
            } else {
                return Alice.(2);
            }
        default:
            switch (Alice.n) {
            default:
                return Alice.n;
            }
        }
    }
)

#include "ways.Alice.chor.h"
#include "ways.Bob.chor.h"

int main(void)
{
    for (int n = 1; n <= 9; n++) {
        printf("%d:", n);
        for (int k = 0; k < 3; k++) {
            struct ways_run_result r;
            if (ways_run(&r, NULL, n, k) != CHX_OK)
                return 1;
            printf(" %d", r.Bob);
        }
        printf("\n");
    }
    return 0;
}
