// B, and often C, does the same in all branches and is not told which one it is in: with blocks, loops, calls and choices inside.
#include <chorex.h>
#include <stdio.h>

choreography(same_in_branches, (A, B, C),
    def left(B.int y) -> A.int {
        A.int v = 0;
        checkpoint retry 1 {
            B.(y * 3) ~> A.v;
        } rescue {
            B.(y * 5) ~> A.v;
        }
        return A.v;
    }
    def right(B.int y) -> A.int {
        A.int v = 0;
        A.int w = 0;
        checkpoint retry 1 {
            B.(y * 3) ~> A.v;
            A.w = v;
        } rescue {
            B.(y * 5) ~> A.v;
            A.w = v + 1;
        }
        return A.(v + w);
    }
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        for (A.int i = 0; A.(i < 3); A.i++) {
            if (A.(x % 2)) {
                checkpoint {
                    B.(y + 1) ~> A.x;
                    A.(x + i) ~> B.y;
                } rescue {
                    B.(y + 100) ~> A.x;
                    A.(x + 200) ~> B.y;
                }
                C.z += 1;
            } else {
                checkpoint {
                    B.(y + 1) ~> A.other;
                    A.x = other * 2;
                    A.(x - i) ~> B.y;
                } rescue {
                    B.(y + 100) ~> A.x;
                    A.(x + 300) ~> B.y;
                }
                C.z += 2;
            }
        }
        checkpoint {
            if (A.(x % 3)) {
                if (B.(y % 2)) {
                    C.(z + 1) ~> B.y;
                } else {
                    B.y ~> C.z;
                }
                A.x = left(B.y);
            } else {
                A.x = right(B.y);
                if (C.(z % 2)) {
                    B.y ~> C.z;
                }
            }
        } rescue {
            if (C.(z % 2)) {
                A.(x + 7) ~> B.y;
                B.y ~> C.z;
            } else {
                A.(x + 7) ~> B.y;
                B.y ~> C.z;
                C.z = z * 2;
            }
        }
        if (A.(x % 2)) {
            A.x = left(B.y);
        } else {
            A.x = right(B.y);
        }
        return A.x, B.y, C.z;
    }
)

#include "same_in_branches.A.chor.h"
#include "same_in_branches.B.chor.h"
#include "same_in_branches.C.chor.h"

int main(void)
{
    struct same_in_branches_run_result result;
    if (same_in_branches_run(&result, NULL, 4, 3, 1) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
