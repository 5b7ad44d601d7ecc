// Role arguments: as many as parameters, only where there are parameters, always there.
#include <chorex.h>

choreography(roleargs, (Alice, Bob, Carol),
    def run(Alice.int n) {
        relay[Alice](Alice.n); //! error: 'relay'
        relay[Alice, Bob, Carol](Alice.n); //! error: 'relay'
        relay(Alice.n); //! error: 'relay'
        plain[Alice, Bob](Alice.n); //! error: 'plain'
        relay[Alice, Bob](Alice.n);
        apply(relay, Alice.n); //! error: 'relay'
        apply(relay[Bob, Alice], Alice.n); //! error: 'relay'
    }
    def relay[From, To](From.int n) {
        From.n ~> To._;
    }
    def plain(Alice.int n) {
        Alice.n ~> Carol._;
    }
    def apply(f(Alice.int), Alice.int n) {
        f(Alice.n);
    }
)
