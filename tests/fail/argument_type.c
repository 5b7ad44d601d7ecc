// An argument that C can't convert to the parameter's type.
#include <chorex.h>

struct box { int w; };

choreography(argtype, (Alice, Bob),
    def run(Alice.int a, Alice.struct box b) -> Bob.int {
        helper(Alice.b); //! error: struct box
        needs_box(Alice.a); //! error: struct box
        return Bob.(0);
    }
    def helper(Alice.int v) {
        Alice.v ~> Bob._;
    }
    def needs_box(Alice.struct box b) {
        Alice.b ~> Bob._;
    }
)
