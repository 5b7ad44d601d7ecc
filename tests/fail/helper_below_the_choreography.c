// What local C calls is declared above the choreography.
#include <chorex.h>

static int above(int n);

choreography(helpers, (Alice, Bob),
    def run(Alice.int n) {
        Alice.(helper(n) + above(n)) ~> Bob.m; //! error: Alice's C calls 'helper', which is declared only below the choreography
        Bob.(declared(m) + 1) ~> Alice.k; //! error: Bob's C calls 'declared', which is declared only below
        Alice.(mentioned(k) + 1) ~> Bob._; //! error: the type of Alice's 'mentioned' can't be inferred here
    }
)

static int above(int n)
{
    return n;
}

static int helper(int n)
{
    return above(mentioned(n));
}

int declared(int n);
