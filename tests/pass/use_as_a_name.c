// 'use' is a word only where a choreography is used: a type, a role's function, a variable and a definition may have that name.
#include <chorex.h>

typedef int use;

choreography(named, (Alice, Bob),
    use Alice.use(use use);
    def run(Alice.use use) -> Bob.use {
        Alice.use(use) ~> Bob.use use;
        return use(Bob.use);
    }
    def use(Bob.use x) -> Bob.use {
        return Bob.(x + (use)1);
    }
)
