// `agree` is a word of the language only with located values; C functions, a role's functions, variables and definitions may
// have that name.
#include <chorex.h>

__attribute__((const)) static int agree(int x, int y)
{
    return x + y;
}

choreography(plain_c, (Alice, Bob),
    int Bob.agree(int x);
    def run(Alice.int n) -> Alice.int {
        Alice.int m = agree(n, 1);
        Alice.m ~> {Alice, Bob}.k;
        {Alice, Bob}.k = agree(k, 2);
        Bob.agree(k) ~> Alice.m;
        Bob.int agree = 3;
        Bob.agree ~> Alice._;
        {Alice, Bob}.k = agree(Alice.m, Bob.(k + agree));
        return Alice.(k + m);
    }
)

choreography(definition, (Alice, Bob),
    def agree(Alice.int x, Bob.int y) -> {Alice, Bob}.int {
        Bob.y ~> Alice._;
        Alice.x ~> {Alice, Bob}.z;
        return {Alice, Bob}.z;
    }
    def run(Alice.int n) -> Alice.int {
        {Alice, Bob}.int k = agree(Alice.n, Bob.(2));
        return Alice.k;
    }
)

choreography(parameter, (Alice, Bob),
    def other(Alice.int x, Bob.int y) -> Bob.int {
        Alice.x ~> Bob.z;
        return Bob.(z + y);
    }
    def both(agree(Alice.int, Bob.int) -> Bob.int) -> Bob.int {
        Bob.int r = agree(Alice.(1), Bob.(2));
        return Bob.r;
    }
    def run() -> Bob.int {
        return both(other);
    }
)
