// Each rescue calls the function again, which enters a block of its own.
#include <chorex.h>
#include <stdio.h>

choreography(rescue_that_recurses, (Alice, Bob),
    int Alice.try(int left);

    def search(Alice.int left, Bob.int depth) -> Alice.int, Bob.int {
        Alice.int found = 0;
        checkpoint {
            Bob.depth ~> Alice.at;
            Alice.found = try(left) + at;
            Alice.found ~> Bob.depth;
        } rescue {
            Alice.found, Bob.depth = search(Alice.(left - 1), Bob.(depth + 1));
        }
        return Alice.(found + left), Bob.(depth + 1);
    }
    def run(Alice.int left) -> Alice.int, Bob.int {
        return search(Alice.left, Bob.(0));
    }
)

#include "rescue_that_recurses.Alice.chor.h"
#include "rescue_that_recurses.Bob.chor.h"

int Alice_try(int left)
{
    if (left > 0)
        chx_fail("%d too many", left);
    return 1000;
}

int main(void)
{
    struct rescue_that_recurses_run_result result;
    if (rescue_that_recurses_run(&result, NULL, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Alice, result.Bob);
    return 0;
}
