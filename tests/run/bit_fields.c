// A struct with bit-fields and an anonymous member is sendable.
// expect: 3 -2 1 99
#include <chorex.h>
#include <stdio.h>

struct packed {
    unsigned small : 3;
    int sign : 4;
    bool flag : 1;
    struct {
        int inner;
    };
};

choreography(bits, (Alice, Bob),
    def run() -> Bob.struct packed {
        Alice.struct packed p = {3, -2, true, {99}};
        Alice.p ~> Bob.q;
        return Bob.q;
    }
)

#include "bits.Alice.chor.h"
#include "bits.Bob.chor.h"

int main(void)
{
    struct bits_run_result r;
    if (bits_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%u %d %d %d\n", r.Bob.small, r.Bob.sign, r.Bob.flag, r.Bob.inner);
    return 0;
}
