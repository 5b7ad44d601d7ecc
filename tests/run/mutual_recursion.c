// Functions may call one another recursively.
// expect: odd even
#include <chorex.h>
#include <stdio.h>

choreography(parity, (Alice, Bob),
    def even(Alice.int n) -> Bob.bool {
        if (Alice.(n == 0)) {
            return Bob.(true);
        }
        return odd(Alice.(n - 1));
    }
    def odd(Alice.int n) -> Bob.bool {
        if (Alice.(n == 0)) {
            return Bob.(false);
        }
        return even(Alice.(n - 1));
    }
)

#include "parity.Alice.chor.h"
#include "parity.Bob.chor.h"

int main(void)
{
    struct parity_even_result a, b;
    if (parity_even(&a, NULL, 7) != CHX_OK || parity_even(&b, NULL, 8) != CHX_OK)
        return 1;
    printf("%s %s\n", a.Bob ? "even" : "odd", b.Bob ? "even" : "odd");
    return 0;
}
