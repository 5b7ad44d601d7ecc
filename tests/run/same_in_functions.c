// Functions that are the same for some roles, called in different branches: given as arguments, recursive, and recursive through
// one another. The others do what their own function says.
#include <chorex.h>
#include <stdio.h>

choreography(alike, (Alice, Bob, Carol),
    def plain(Bob.int k) -> Alice.int {
        Bob.(k + 1) ~> Alice.v;
        return Alice.v;
    }
    def doubled(Bob.int k) -> Alice.int {
        Bob.(k + 1) ~> Alice.w;
        return Alice.(w * 2);
    }
    def down(Alice.int n, Bob.int k) -> Alice.int, Bob.int {
        Bob.k ~> Alice.v;
        if (Alice.(n > 0)) {
            Alice.r, Bob.s = down(Alice.(n - 1), Bob.(k + 1));
            return Alice.(r + v), Bob.(s + 1);
        }
        return Alice.v, Bob.k;
    }
    def down_slowly(Alice.int n, Bob.int k) -> Alice.int, Bob.int {
        Alice.int v = n;
        Bob.k ~> Alice.u;
        if (Alice.(n > 0)) {
            Alice.r, Bob.t = down_slowly(Alice.(n - 1), Bob.(k + 1));
            return Alice.(r + u * 2 + v), Bob.(t + 1);
        }
        return Alice.u, Bob.k;
    }
    def ping(Alice.int n, Bob.int k) -> Bob.int {
        Alice.n ~> Bob.m;
        if (Alice.(n > 0)) {
            return pong(Alice.(n - 1), Bob.(k * 3 + m));
        }
        return Bob.k;
    }
    def pong(Alice.int n, Bob.int k) -> Bob.int {
        Carol.beat();
        Alice.n ~> Bob.m;
        if (Alice.(n > 0)) {
            return ping(Alice.(n - 2), Bob.(k * 3 + m));
        }
        return Bob.k;
    }
    def choose(Alice.int n, Bob.int k, one(Bob.int) -> Alice.int, other(Bob.int) -> Alice.int) -> Alice.int {
        if (Alice.(n % 2)) {
            return one(Bob.k);
        } else {
            return other(Bob.k);
        }
    }
    def run(Alice.int n, Bob.int k) -> Alice.int, Bob.int {
        Alice.x = choose(Alice.n, Bob.k, plain, doubled);
        if (Alice.(n % 3)) {
            Alice.y, Bob.k = down(Alice.n, Bob.k);
            Alice.x += y;
        } else {
            Alice.y, Bob.k = down_slowly(Alice.n, Bob.k);
            Alice.x += y * 2;
        }
        if (Alice.(n % 4)) {
            Bob.k = ping(Alice.n, Bob.k);
        } else {
            Bob.k = pong(Alice.n, Bob.k);
            Alice.x = -x;
        }
        return Alice.x, Bob.k;
    }
)

#include "alike.Alice.chor.h"
#include "alike.Bob.chor.h"
#include "alike.Carol.chor.h"

void Carol_beat(void)
{
}

int main(void)
{
    for (int n = 0; n < 9; n++) {
        struct alike_run_result result;
        if (alike_run(&result, NULL, n, 5) != CHX_OK)
            return 1;
        printf("%d: %d %d\n", n, result.Alice, result.Bob);
    }
    return 0;
}
