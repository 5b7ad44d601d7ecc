// What stands in a 'typeof' is the role's own, as in all its C; in a signature it is C's.
#include <chorex.h>

choreography(types, (Alice, Bob),
    def f(Alice.int n, Alice.__typeof__(n) m) { //! error: the type of a parameter can't depend on a variable: C knows no 'n'
        Alice.use(n + m);
    }
    def run(Alice.int n, Bob.int m) {
        Alice.__typeof__(m) a = 1;                      //! error: 'm' is Bob's, not Alice's
        Alice.__typeof__(nn) b = 1;                     //! error: Alice has no variable 'nn' here
        Alice.__typeof__(later) c = 1;                  //! error: Alice has no variable 'later' here
        Alice.int later = 1;
        Alice.__typeof__(d) d = 1;                      //! error: Alice has no variable 'd' here
        Alice.(n + later);
    }
)
