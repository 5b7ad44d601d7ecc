// A variable that is never read is warned about, which also catches mistyped names.
#include <chorex.h>

choreography(unread, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Alice.n ~> Bob.total;
        Alice.(n + 1) ~> Bob.totl; //! warning: 'totl'
        Alice.int unused = 4; //! warning: 'unused'
        Alice.{n, n} ~> Bob.{a, b}; //! warning: 'b'
        return Bob.(total + a);
    }
)
