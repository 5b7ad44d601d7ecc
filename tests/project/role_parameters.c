// One instance for each choice of role arguments.
#include <chorex.h>

choreography(instances, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        Bob.b = relay[Alice, Bob](Alice.n);
        Carol.c = relay[Bob, Carol](Bob.b);
        return Carol.c;
    }
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }
)
