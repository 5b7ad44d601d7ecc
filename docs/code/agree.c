#include <chorex.h>
#include <stdio.h>

static unsigned power(unsigned base, unsigned exponent)
{
    unsigned result = 1;
    for (; exponent > 0; exponent--)
        result = result * base % 23;
    return result;
}

choreography(agreed_key, (Alice, Bob),
    def run(Alice.unsigned a, Bob.unsigned b) -> Alice.unsigned, Bob.unsigned {
        //[agree]
        Alice.(power(5, a)) ~> Bob.theirs;
        Bob.(power(5, b)) ~> Alice.theirs;
        {Alice, Bob}.key = agree(Alice.(power(theirs, a)), Bob.(power(theirs, b)));
        if ({Alice, Bob}.(key % 2 == 0)) {         // no message between them
            Alice.(key + 1) ~> Bob._;
        }
        //[/agree]
        return Alice.key, Bob.key;
    }
)

#include "agreed_key.Alice.chor.h"
#include "agreed_key.Bob.chor.h"

int main(void)
{
    struct agreed_key_run_result result;
    if (agreed_key_run(&result, NULL, 6, 15) != CHX_OK)
        return 1;
    printf("%u %u\n", result.Alice, result.Bob);
    return 0;
}
