// Several kinds of mistakes in one function, each with its own error.
#include <chorex.h>
#include <stdio.h>

choreography(misc, (Alice, Bob, Carol),
    int Alice.one(int x);
    def run(Alice.int a, Bob.FILE *log) -> Bob.int {
        Alice.one(bad_variable_name) ~> Bob.x; //! error: Alice has no variable 'bad_variable_name' here
        Bob.(a + 1) ~> Alice.z; //! error: 'a' is Alice's, not Bob's
        Alice.a ~> Alice.b; //! error: Alice sends to itself
        Bob.log ~> Alice.f; //! error: a value of type 'FILE *' can't be sent
        Alice.one("text", 2) ~> Bob.w; //! error: too many arguments
        helper(Bob.(1)); //! error: 'helper' wants Alice's int here, this is Bob's
        Dave.x ~> Bob.q; //! error: no role 'Dave'
        missing(Alice.a); //! error: no function 'missing'
        return Alice.a; //! error: 'run' has no result at Alice
    }
    def helper(Alice.int v) { Alice.v ~> Carol.w; }
)
