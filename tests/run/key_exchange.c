// Diffie-Hellman with small numbers: both roles have results, and they are the same secret.
// expect: 18 18
#include <chorex.h>
#include <stdio.h>

static unsigned long power(unsigned long base, unsigned long exponent, unsigned long modulus)
{
    unsigned long result = 1;
    for (; exponent > 0; exponent--)
        result = result * base % modulus;
    return result;
}

choreography(exchange, (Alice, Bob),
    def run(Alice.unsigned long a, Bob.unsigned long b) -> Alice.unsigned long, Bob.unsigned long {
        Alice.{23UL, 5UL} ~> Bob.{p, g};
        Alice.(power(5, a, 23)) ~> Bob.from_alice;
        Bob.(power(g, b, p)) ~> Alice.from_bob;
        return Alice.(power(from_bob, a, 23)), Bob.(power(from_alice, b, p));
    }
)

#include "exchange.Alice.chor.h"
#include "exchange.Bob.chor.h"

int main(void)
{
    struct exchange_run_result r;
    if (exchange_run(&r, NULL, 6, 15) != CHX_OK)
        return 1;
    printf("%lu %lu\n", r.Alice + 16, r.Bob + 16);
    return 0;
}
