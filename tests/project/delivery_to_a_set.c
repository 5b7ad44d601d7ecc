// A delivery to a set is one send to each; a sender in the set keeps the value too.
#include <chorex.h>

choreography(sets, (Alice, Bob, Carol),
    def run(Alice.int x) -> {Alice, Bob, Carol}.int {
        Alice.x ~> {Bob, Carol}.y;
        Alice.(x + 1) ~> {Alice, Bob, Carol}.z;
        Bob.y ~> Alice._;
        Carol.y ~> Alice._;
        return {Alice, Bob, Carol}.z;
    }
)
