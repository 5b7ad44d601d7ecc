// `chx` is no name of the library, only `chx_...` is: variables of the program and of roles may be called so.
// expect: 5 7
// expect: 7 8
#include <chorex.h>
#include <stdio.h>

static int chx = 7;

choreography(prefix, (Alice, Bob),
    def run(Alice.int n) {
        Alice.int chx = n;
        Alice.(chx + 1) ~> Bob.x;
        Bob.(printf("%d %d\n", x, chx));
        Bob.(chx + 0) ~> Alice.y;
        if (Bob.(chx == 7)) {
            Alice.(printf("%d %d\n", y, chx + 4));
        }
    }
)

#include "prefix.Alice.chor.h"
#include "prefix.Bob.chor.h"

int main(void)
{
    return prefix_run(NULL, 4);
}
