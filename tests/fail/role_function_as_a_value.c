// A role's function is a value only if the choreography declares it.
#include <chorex.h>

typedef int (*step)(int);
static inline int apply(step f, int n) { return f(n); }

choreography(values, (Alice, Bob),
    int Alice.declared(int n);
    def run(Alice.int n) {
        Alice.int a = inferred(n);
        Alice.int b = apply(inferred, n);    //! error: Alice has no variable 'inferred' here
        Alice.int c = apply(&declared, n);
        Alice.int d = apply(unknown, n);     //! error: Alice has no variable 'unknown' here
        Alice.declared ~> Bob._;             //! error: Alice has no variable 'declared' here
        Alice.(declared) ~> Bob._;           //! error: can't be sent
        Alice.(a + b + c + d);
    }
)
