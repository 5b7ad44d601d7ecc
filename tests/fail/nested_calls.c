// A call that is an argument has one value, at the role that wants it.
#include <chorex.h>

choreography(nested, (Alice, Bob),
    def nothing(Alice.int x) {
        Alice.x ~> Bob._;
    }
    def two(Alice.int x) -> Alice.int, Bob.int {
        Alice.x ~> Bob.y;
        return Alice.x, Bob.y;
    }
    def pair(Alice.int x) -> Alice.{int, int} {
        return Alice.{x, x};
    }
    def one(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.y;
    }
    def take(Alice.int x) -> Alice.int {
        return Alice.x;
    }
    def run(Alice.int x) {
        take(nothing(Alice.x)); //! error: 'nothing' has no result that could be an argument
        take(two(Alice.x)); //! error: 'two' has 2 results: bind the one that is meant to a variable first
        take(pair(Alice.x)); //! error: the result of 'pair' is a tuple: take it apart first, '{a, b}'
        take(one(Alice.x)); //! error: 'take' wants Alice's int here, this is Bob's
        take(take(Bob.(3))); //! error: 'take' wants Alice's int here, this is Bob's
    }
)
