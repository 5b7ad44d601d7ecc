// A mistyped name of the library is not a function that a role provides.
#include <chorex.h>

choreography(library, (Alice, Bob),
    def run(Alice.int n) {
        Alice.(chx_strff("%d", n)); //! error: the library has no 'chx_strff'
        Alice.(chx_str_length(n) + 1) ~> Bob._; //! error: the library has no 'chx_str_length'
        Alice.int x = chx_maximum; //! error: the library has no 'chx_maximum'
        Alice.(n + x + chx_v0); //! error: the library has no 'chx_v0'
    }
)
