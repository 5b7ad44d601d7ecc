// Local C is macro-expanded: constants, function-like macros on the role's variables, macros that call.
// expect: 40 20 6 ab
#include <chorex.h>
#include <stdio.h>
#include <string.h>

#define LIMIT 40
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define LENGTH(text) ((int)strlen(text))
#define JOIN "a" "b"

choreography(macros, (Alice, Bob),
    def run(Alice.int x, Alice.int y) -> Bob.{int, int, int, const char *} {
        Alice.(LIMIT) ~> Bob.limit;
        Alice.(MAX(x, y)) ~> Bob.max;
        Alice.(LENGTH("three") + 1) ~> Bob.six;
        Alice.(JOIN) ~> Bob.text;
        return Bob.{limit, max, six, text};
    }
)

#include "macros.Alice.chor.h"
#include "macros.Bob.chor.h"

int main(void)
{
    struct macros_run_result r;
    if (macros_run(&r, NULL, 10, 20) != CHX_OK)
        return 1;
    printf("%d %d %d %s\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3);
    macros_run_result_drop(&r);
    return 0;
}
