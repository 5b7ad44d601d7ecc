// A union without codec can't be sent, nor can a function; nothing at all can't either.
#include <chorex.h>

union either { int i; float f; };
static int helper(int n) { return n; }

choreography(unions, (Alice, Bob),
    void Alice.nothing(void);
    def run(Alice.union either e) {
        Alice.e ~> Bob._; //! error: 'union either' can't be sent
        Alice.(helper) ~> Bob._; //! error: can't be sent
        Alice.nothing() ~> Bob._; //! error: no value
        Alice.(helper(1)) ~> Bob._;
    }
)
