// Names that would collide in C are errors.
#include <chorex.h>

choreography(collide, (Alice, Bob, Bob_get),
    int Bob.get_price(void);
    int Bob_get.price(void);
    def run(Alice.int n) {
        Alice.n ~> Bob._;
        Bob.get_price() ~> Alice._;
        Bob_get.price() ~> Alice._; //! error: 'Bob_get_price'
    }
    def run_start() { //! error: 'collide_run_start'
        Alice.(1) ~> Bob._;
    }
    def Alice() { //! error: 'collide_Alice'
        Alice.(1) ~> Bob._;
    }
)
