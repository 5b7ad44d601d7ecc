// Who must know is found through calls: Carol acts only in a function that one branch calls.
// expect: 8 0
#include <chorex.h>
#include <stdio.h>

choreography(through, (Alice, Bob, Carol),
    def run(Alice.bool deep) -> Carol.int {
        Carol.int c = 0;
        if (Alice.deep) {
            Carol.c = first();
        }
        return Carol.c;
    }
    def first() -> Carol.int {
        return second(Bob.(4));
    }
    def second(Bob.int b) -> Carol.int {
        Bob.b ~> Carol.c;
        return Carol.(c * 2);
    }
)

#include "through.Alice.chor.h"
#include "through.Bob.chor.h"
#include "through.Carol.chor.h"

int main(void)
{
    struct through_run_result a, b;
    if (through_run(&a, NULL, true) != CHX_OK || through_run(&b, NULL, false) != CHX_OK)
        return 1;
    printf("%d %d\n", a.Carol, b.Carol);
    return 0;
}
