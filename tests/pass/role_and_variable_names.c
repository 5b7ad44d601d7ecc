// A variable may bear a role's name, a definition's, the choreography's, or that of a function of its role.
#include <chorex.h>

choreography(names, (Alice, Bob),
    int Alice.f(int n);
    def run(Alice.int names) -> Bob.int {
        Alice.f(names) ~> Bob.Alice;
        Bob.int run = Alice + 1;
        Bob.int helper = run * 2;
        Bob.h = helper(Alice.names, Bob.helper);
        return Bob.h;
    }
    def helper(Alice.int Bob, Bob.int Bob) -> Bob.int {
        Alice.Bob ~> Bob.x;
        return Bob.(Bob + x);
    }
)
