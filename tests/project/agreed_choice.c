// A choice at a set: its members decide for themselves, the first of them tells outsiders.
#include <chorex.h>

choreography(agreed, (Alice, Bob, Carol),
    def run(Bob.int n) -> Carol.int {
        Bob.n ~> {Alice, Bob}.left;
        Carol.int c = 0;
        while ({Alice, Bob}.(left > 0)) {
            Bob.left ~> Alice._;
            {Alice, Bob}.left = left - 1;
        }
        if ({Alice, Bob}.(left == 0)) {
            Carol.c++;
        }
        return Carol.c;
    }
)
