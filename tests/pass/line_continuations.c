// Line continuations are respected, in the block's head and in comments and strings as well.
#include <chorex.h>

choreo\
graphy(continued, (Alice, Bob),
    def run(Alice.int n) -> Bob.const char * {
        /\
* a comment that goes on: Alice.nonsense ~> nobody; \
*/
        Alice.n ~\
> Bob.m;
        Bob.const char *s = "one \
two";
        return Bob.(m > 0 ? s : "no\
ne");
    }
)
