// Checkpoints in recursive functions: each level has its own; a rescue may recurse; a failure deep inside unwinds all.
// expect: levels: 0 1 0 1 0
// expect: rescue recurses: 10
// expect: deep: 1000, deepest 0
// expect: outermost: 7
#include <chorex.h>
#include <stdio.h>

choreography(recursive, (Alice, Bob),
    void Alice.odd_fails(int n);
    void Alice.fails(int n);
    def levels(Alice.int n, Bob.chx_str log) -> Bob.chx_str {
        if (Alice.(n == 0)) {
            return Bob.(chx_strf("%s 0", chx_cstr(log)));
        }
        Bob.int r = -1;
        checkpoint {
            Alice.odd_fails(n);
            Bob.r = 0;
        } rescue {
            Bob.r = 1;
        }
        return levels(Alice.(n - 1), Bob.(chx_strf("%s %d", chx_cstr(log), r)));
    }
    def climb(Alice.int n) -> Bob.int {
        Bob.int r = 0;
        checkpoint {
            Alice.fails(n);
            Alice.n ~> Bob.r;
        } rescue {
            Bob.r = climb(Alice.(n + 1));
        }
        return Bob.r;
    }
    def deep(Alice.int n, Bob.int depth) -> Bob.{int, int} {
        checkpoint {
            Bob.depth += 1;
            if (Alice.(n > 0)) {
                return deep(Alice.(n - 1), Bob.depth);
            }
        } rescue {
            Bob.depth = 0;
        }
        return Bob.{depth, 0};
    }
    def bottom(Alice.int n) -> Bob.int {
        Bob.int below = 0;
        if (Alice.(n > 0)) {
            Bob.below = bottom(Alice.(n - 1));
        } else {
            Alice.fails(0);
        }
        return Bob.(below + 1);
    }
    def outermost() -> Bob.int {
        Bob.int r = 6;
        checkpoint {
            Bob.r = bottom(Alice.(50));
        } rescue {
            Bob.r += 1;
        }
        return Bob.r;
    }
)

#include "recursive.Alice.chor.h"
#include "recursive.Bob.chor.h"

void Alice_odd_fails(int n)
{
    if (n % 2 != 0)
        chx_fail("odd");
}

void Alice_fails(int n)
{
    if (n < 10)
        chx_fail("%d is too small", n);
}

int main(void)
{
    struct recursive_levels_result levels;
    if (recursive_levels(&levels, NULL, 4, (chx_str){0}) != CHX_OK)
        return 1;
    printf("levels:%s\n", chx_cstr(levels.Bob));
    recursive_levels_result_drop(&levels);
    struct recursive_climb_result climb;
    if (recursive_climb(&climb, NULL, 0) != CHX_OK)
        return 1;
    printf("rescue recurses: %d\n", climb.Bob);
    struct recursive_deep_result deep;
    if (recursive_deep(&deep, NULL, 999, 0) != CHX_OK)
        return 1;
    printf("deep: %d, deepest %d\n", deep.Bob.v0, deep.Bob.v1);
    struct recursive_outermost_result outermost;
    if (recursive_outermost(&outermost, NULL) != CHX_OK)
        return 1;
    printf("outermost: %d\n", outermost.Bob);
    return 0;
}
