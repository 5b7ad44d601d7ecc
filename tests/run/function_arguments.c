// Function arguments: a definition, an instance of one with role parameters, another parameter; several results.
// expect: 11 21 5 4
#include <chorex.h>
#include <stdio.h>

choreography(higher, (Alice, Bob),
    def run(Alice.int n) -> Bob.int, Alice.int {
        Bob.x = apply(add_one, Alice.n);
        Bob.y = apply(relay[Alice, Bob], Alice.n);
        Alice.p, Bob.q = split(pair, Alice.(9));
        return Bob.(x + y + q - 4), Alice.(p * 10);
    }
    def halves(Alice.int n) -> Alice.int, Bob.int {
        return split(pair, Alice.n);
    }
    def apply(f(Alice.int) -> Bob.int, Alice.int n) -> Bob.int {
        return again(f, Alice.n);
    }
    def again(g(Alice.int) -> Bob.int, Alice.int n) -> Bob.int {
        Bob.r = g(Alice.n);
        return Bob.r;
    }
    def add_one(Alice.int n) -> Bob.int {
        Alice.(n + 1) ~> Bob.m;
        return Bob.m;
    }
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }
    def split(f(Alice.int) -> (Alice.int, Bob.int), Alice.int n) -> Alice.int, Bob.int {
        Alice.a, Bob.b = f(Alice.n);
        return Alice.a, Bob.b;
    }
    def pair(Alice.int n) -> Alice.int, Bob.int {
        Alice.(n / 2) ~> Bob.half;
        return Alice.(n - n / 2), Bob.half;
    }
)

#include "higher.Alice.chor.h"
#include "higher.Bob.chor.h"

int main(void)
{
    struct higher_add_one_result one;
    struct higher_run_result r;
    struct higher_halves_result h;
    if (higher_add_one(&one, NULL, 10) != CHX_OK || higher_run(&r, NULL, 10) != CHX_OK ||
        higher_halves(&h, NULL, 9) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", one.Bob, r.Bob, h.Alice, h.Bob);
    return r.Alice == 50 ? 0 : 1;
}
