// What is matched must be comparable with what is sent, also with a literal.
#include <chorex.h>

choreography(other, (Alice, Bob),
    def run(Alice.const char *s, Bob.int *p) {
        Alice.("x") ~> Bob.(3); //! error: a value of type 'const char *' can't be compared with 'int'
        Alice.("x") ~> Bob.(chx_strf("x")); //! error: a value of type 'const char *' can't be compared with 'chx_str'
        Alice.s ~> Bob.(p); //! error: a value of type 'const char *' can't be compared with 'int *'
        Alice.s ~> Bob.(NULL);
        Alice.(1) ~> Bob.("x"); //! error: a value of type 'int' can't be compared with 'const char *'
    }
)
