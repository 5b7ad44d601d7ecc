// The dotted form means a function of the role's; where C has one of that name, the compiler says so.
#include <chorex.h>
#include <stdlib.h>
#include <string.h>

static int helper(int n) { return n; }
#define TWICE(x) ((x) * 2)

choreography(chas, (Alice, Bob),
    int Alice.labs(int n);
    def run(Alice.int n) {
        Alice.strlen("text") ~> Bob.int length;
        Alice.abs(n) ~> Bob.int m;
        Alice.helper(n) ~> Bob.int k;
        Alice.labs(n) ~> Bob.int l;
        Bob.(helper(1) + TWICE(2)) ~> Alice._;
        Bob.use(length, m, k, l);
    }
)
//! warning@12: C has a 'strlen'
//! warning@13: C has a 'abs'
//! warning@14: C has a 'helper'
