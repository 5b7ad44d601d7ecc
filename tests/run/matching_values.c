// A value to match: Bob must receive exactly this, with numbers, enums, strings, variables and calls.
// expect: matched 5
#include <chorex.h>
#include <stdio.h>

enum word { HELLO, BYE };

choreography(matching, (Alice, Bob),
    int Bob.expected(void);
    def run(Alice.int x, Bob.int y) -> Bob.int {
        Alice.(42) ~> Bob.(42);
        Alice.(HELLO) ~> Bob.(HELLO);
        Alice.("text") ~> Bob.("text");
        Alice.x ~> Bob.(y);
        Alice.(x + 1) ~> Bob.(expected());
        Alice.{x, BYE, 2.5} ~> Bob.{int kept, (BYE), (2.5)};
        Alice.(chx_strf("%d", x)) ~> Bob.(chx_strf("%d", y));
        return Bob.kept;
    }
)

#include "matching.Alice.chor.h"
#include "matching.Bob.chor.h"

int Bob_expected(void) { return 6; }

int main(void)
{
    struct matching_run_result r;
    if (matching_run(&r, NULL, 5, 5) != CHX_OK)
        return 1;
    printf("matched %d\n", r.Bob);
    return 0;
}
