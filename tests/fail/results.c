// Results: at the wrong role, missing, too many, of the wrong type.
#include <chorex.h>

struct box { int w; };

choreography(results, (Alice, Bob),
    def wrong_role(Alice.int a, Bob.int b) -> Bob.int {
        if (Bob.(b > 0)) {
            return Alice.a; //! error: 'wrong_role' has no result at Alice
        }
        return Bob.b;
    }
    def missing(Alice.int a, Bob.int b) -> Alice.int, Bob.int {
        if (Bob.(b > 0)) {
            return Alice.a; //! error: Bob
        }
        return Alice.a, Bob.b;
    }
    def none(Alice.int a) {
        return Alice.a; //! error: 'none' has no result at Alice
    }
    def bare(Alice.int a) -> Alice.int {
        if (Alice.(a > 0)) {
            return; //! error: Alice
        }
        return Alice.a;
    }
    def typed(Alice.struct box b) -> Alice.int {
        return Alice.b; //! error: struct box
    }
    def tupled(Alice.int a) -> Alice.{int, int} {
        return Alice.{a, a, a}; //! error: 2
    }
)
