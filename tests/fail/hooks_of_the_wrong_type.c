// The hooks init and fini take nothing and give nothing.
#include <chorex.h>

choreography(badhooks, (Alice, Bob),
    int Alice.init(void); //! error: 'init'
    void Bob.fini(int n); //! error: 'fini'
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
