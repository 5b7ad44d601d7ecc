// One prototype for each function of a role; other roles have their own.
#include <chorex.h>

choreography(protos, (Alice, Bob),
    int Alice.one(int x);
    int Alice.one(int y); //! error: 'one' is declared twice
    long Alice.one(int x); //! error: 'one'
    int Bob.one(const char *s);
    def run(Alice.int n) {
        Alice.one(n) ~> Bob.m;
        Bob.one(m > 0 ? "some" : "none");
    }
)
