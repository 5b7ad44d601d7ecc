// Where a prototype can't be inferred, the error says which one to add.
#include <chorex.h>

choreography(toadd, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Alice.make(n) ~> Bob.x; //! error: Alice.make(int
        Alice.y = other("text"); //! error: Alice.other(const char *
        Alice.third() ~> Bob._; //! error: Alice.third(void)
        return Bob.(1 + compute(n)); //! error: 'n' is Alice's, not Bob's
    }
)
