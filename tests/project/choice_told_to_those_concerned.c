// Only the roles whose part differs are told: Bob here, not Carol.
#include <chorex.h>

choreography(told, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        Carol.int c = 1;
        if (Alice.(n > 0)) {
            Bob.first();
        } else {
            Bob.second();
        }
        Bob.(2) ~> Carol.d;
        return Carol.(c + d);
    }
)
