// A loop is told to the roles in it, again and again; one that acts only afterwards is not.
#include <chorex.h>

choreography(looped, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        Bob.int sum = 0;
        while (Alice.(n > 0)) {
            Alice.n ~> Bob.m;
            Bob.sum += m;
            Alice.n--;
        }
        Bob.sum ~> Carol.s;
        return Carol.s;
    }
)
