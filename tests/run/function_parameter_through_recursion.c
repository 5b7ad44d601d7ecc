// A function parameter is passed on by a recursive function.
// expect: 32 10
#include <chorex.h>
#include <stdio.h>

choreography(repeat, (Alice, Bob),
    def run() -> Alice.int, Bob.int {
        Alice.x = times(twice, Alice.(5), Alice.(1));
        Alice.y = times(plus_two, Alice.(5), Alice.(0));
        Alice.y ~> Bob.z;
        return Alice.x, Bob.z;
    }
    def times(step(Alice.int) -> Alice.int, Alice.int n, Alice.int x) -> Alice.int {
        if (Alice.(n == 0)) {
            return Alice.x;
        }
        Alice.next = step(Alice.x);
        return times(step, Alice.(n - 1), Alice.next);
    }
    def twice(Alice.int x) -> Alice.int {
        Alice.x ~> Bob.y;
        Bob.(y * 2) ~> Alice.z;
        return Alice.z;
    }
    def plus_two(Alice.int x) -> Alice.int {
        return Alice.(x + 2);
    }
)

#include "repeat.Alice.chor.h"
#include "repeat.Bob.chor.h"

int main(void)
{
    struct repeat_run_result r;
    if (repeat_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Alice, r.Bob);
    return 0;
}
