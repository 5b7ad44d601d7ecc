// A parameter, a result and a size: an unknown or incomplete type is one error, where it stands.
#include <chorex.h>

choreography(types, (Alice, Bob),
    int Alice.f(unknown_t); //! error: unknown type 'unknown_t'
    def one(Alice.struct nowhere s) { //! error: a parameter can't have the type 'struct nowhere'
        Alice.s ~> Bob._;
    }
    def two(Alice.void v, Alice.int n) { //! error: a parameter can't have the type 'void'
        Alice.v ~> Bob._;
        Alice.int x[n]; //! error: the size of an array must be a constant: 'n' is none
        Alice.x ~> Bob._;
        Alice.unknown y = n; //! error: unknown type 'unknown'
        Alice.y ~> Bob._;
    }
    def three() -> Bob.struct nowhere { //! error: a result can't have the type 'struct nowhere'
        return Bob.(1);
    }
    def four(Alice.int n) {
        Alice.x = (void)n; //! error: this has no value
        Alice.g(n);
        Alice.g(n) ~> Bob._; //! error: Alice's 'g' is used here for its value, but elsewhere as 'void Alice.g(int)'
        Alice.int a[3] = h(); //! error: a C function can't return an array
        Alice.(a[0] + x) ~> Bob._;
    }
)
