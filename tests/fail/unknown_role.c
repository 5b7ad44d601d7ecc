// A role that the choreography does not have.
#include <chorex.h>

choreography(unknown, (Alice, Bob),
    int Eve.listen(int n); //! error: no role 'Eve'
    def run(Alice.int x) -> Bob.int {
        Dave.x ~> Bob.q; //! error: no role 'Dave'
        Alice.x ~> Carol.y; //! error: no role 'Carol'
        Alice.x ~> {Bob, Frank}.z; //! error: no role 'Frank'
        if (Alice.(x > 0)) notify(Grace) { //! error: no role 'Grace'
            Alice.x = 1;
        }
        Bob.b = relay[Alice, Heidi](Alice.x); //! error: no role 'Heidi'
        return Bob.b;
    }
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }
    def other(Ivan.int x) { //! error: no role 'Ivan'
        Alice.(1) ~> Bob._;
    }
)
