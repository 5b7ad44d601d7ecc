// The prototype of a function that all members have names the family.
#include <chorex.h>

choreography(prototype, (Boss, B[]),
    int B[*].f(int x); //! error: a prototype names the family, whose members all have the function: 'B.f(...)'
    int B[0].g(int x); //! error: a prototype names the family, whose members all have the function: 'B.g(...)'
    int B.h(int x);
    def run(Boss.int x) {
        Boss.x ~> B[*].x;
        B[*].h(x);
    }
)
