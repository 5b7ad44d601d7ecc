// A pointer that was taken before a variable is agreed on, and is kept, would change it afterwards.
#include <chorex.h>

static int *global;
struct view { const int *of; int n; };

choreography(kept, (Alice, Bob),
    def run(Alice.int n, Alice.int own) {
        Alice.int *p = &n; //! error: no pointer to it can be kept
        Alice.q = &n; //! error: no pointer to it can be kept
        Alice.(p = &n); //! error: no pointer to it can be kept
        Alice.(global = &n); //! error: no pointer to it can be kept
        Alice.struct view v = {&n, 1}; //! error: no pointer to it can be kept
        Alice.v.of = &n; //! error: no pointer to it can be kept
        Alice.int *r = &own;
        lend(Alice.(&n)); //! error: no pointer to it can be kept
        Alice.n ~> {Alice, Bob}.n;
        Alice.const int *c = &n; //! error: no pointer to it can be kept
        Alice.use(p, q, v, r, c, n);
        Bob.use(n);
    }
    def lend(Alice.int *p) {
        Alice.use2(p);
    }
)
