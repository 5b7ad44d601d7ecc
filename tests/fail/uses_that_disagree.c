// All uses of a function without a prototype must agree.
#include <chorex.h>

choreography(disagree, (Alice, Bob),
    def run(Alice.int n, Alice.const char *s) {
        Alice.show(n);
        Alice.show(s); //! error: 'show'
        Alice.int x = pick(n);
        if (Alice.pick(n)) { //! error: 'pick'
            Alice.x ~> Bob._;
        }
        Alice.count(n);
        Alice.count(n, n); //! error: 'count'
    }
)
