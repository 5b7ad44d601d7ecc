// Choices in choices, decided by different roles.
#include <chorex.h>

choreography(nested, (Alice, Bob, Carol),
    def run(Alice.int n, Bob.int m) -> Carol.int {
        Carol.int c = 0;
        if (Alice.(n > 0)) {
            if (Bob.(m > 0)) {
                Carol.c = 1;
            } else {
                Bob.m ~> Carol.c;
            }
        } else {
            Alice.n ~> Carol.c;
        }
        return Carol.c;
    }
)
