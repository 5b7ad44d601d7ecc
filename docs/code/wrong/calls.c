#include <chorex.h>

choreography(calls, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Bob.m = send(Bob.(1));
        Alice.back = send(Alice.n);
        relay[Alice, Alice](Alice.n);
        relay[Alice, Bob](Alice.n);
        if (Alice.(n > back)) {
            return Bob.m;
        }
    }

    def send(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.y;
    }

    def relay[From, To](From.int x) {
        From.x ~> To._;
    }
)
