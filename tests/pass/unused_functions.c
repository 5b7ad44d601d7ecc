// Functions that nothing uses are warned about: prototypes, definitions that can't be started.
#include <chorex.h>

choreography(unused, (Alice, Bob),
    int Alice.never(int n); //! warning: 'never'
    int Alice.used(int n);
    void Bob.init(void);
    def run(Alice.int n) {
        Alice.used(n) ~> Bob._;
    }
    def startable(Alice.int n) {
        Alice.n ~> Bob._;
    }
    def relay[From, To](From.int n) { //! warning: 'relay'
        From.n ~> To._;
    }
    def apply(f(Alice.int), Alice.int n) { //! warning: 'apply'
        f(Alice.n);
    }
)
