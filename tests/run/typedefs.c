// Typedef names are kept: opaque ones from headers, of structs without a tag, of arrays.
// expect: 12 7 1 abc
#include <chorex.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef struct { uint16_t port; } address;
typedef char name[4];
typedef size_t count;

choreography(typed, (Alice, Bob),
    def run(Alice.address a, Alice.time_t t, Alice.name n) -> Bob.{address, time_t, count, char} {
        Alice.a ~> Bob.a;
        Alice.t ~> Bob.time_t t;
        Alice.count c = sizeof(address) / sizeof(uint16_t);
        Alice.{c, n} ~> Bob.{c, n};
        return Bob.{a, t, c, n[0]};
    }
)

#include "typed.Alice.chor.h"
#include "typed.Bob.chor.h"

int main(void)
{
    struct typed_run_result r;
    address a = {12};
    name n = "abc";
    if (typed_run(&r, NULL, a, 7, n) != CHX_OK)
        return 1;
    printf("%d %ld %zu %cbc\n", r.Bob.v0.port, (long)r.Bob.v1, r.Bob.v2, r.Bob.v3);
    return 0;
}
