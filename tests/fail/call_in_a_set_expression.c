// An expression at a set calls only C functions that are declared const or pure, also in a macro; macros without calls are
// fine.
#include <chorex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 5
#define DRAW() rand()

static int plain(int x) { return x + 1; }
static int (*const pointer)(int) __attribute__((unused)) = plain;
__attribute__((const)) static int square(int x) { return x * x; }

choreography(setcall, (Alice, Bob, Carol),
    int Alice.own(int x);
    int Bob.own(int x);
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.x;
        if ({Alice, Bob}.(x > LIMIT)) {
            Alice.(1) ~> Bob._;
        }
        {Alice, Bob}.y = rand(); //! error: makes no calls, except of functions that are declared const or pure: 'rand' is not
        {Alice, Bob}.z = DRAW() + x; //! error: 'rand' is not
        {Alice, Bob}.f(x); //! error: 'f' would be a function that each of the roles provides
        {Alice, Bob}.square(x) ~> Carol._; //! error: 'square' would be a function that each of the roles provides
        if ({Alice, Bob}.(square(plain(x)) > 1)) { //! error: 'plain' is not
            Alice.(y + z) ~> Bob._;
        }
        while ({Alice, Bob}.(plain(x) < 3)) { //! error: 'plain' is not
            {Alice, Bob}.x += plain(1); //! error: 'plain' is not
        }
        switch ({Alice, Bob}.(plain(x))) { //! error: 'plain' is not
        case 1:
            Bob.use(1);
            break;
        }
        {Alice, Bob}.int _1 = own(x); //! error: makes no calls, except of C functions that are declared const or pure before the choreography
        {Alice, Bob}.int _2 = nobodys(x); //! error: makes no calls, except of C functions
        {Alice, Bob}.int _3 = pointer(x); //! error: makes no calls, except of C functions
        {Alice, Bob}.int _4 = ({ int inner(int) __attribute__((const)); inner(x); }); //! error: makes no calls, except of C functions
        {Alice, Bob}.bool _5 = pthread_self() != 0; //! error: makes no calls, except of C functions
        {Alice, Bob}.int _6 = __builtin_constant_p(x); //! error: makes no calls, except of C functions
        {Alice, Bob}.int _7 = square(rand()); //! error: 'rand' is not
        Carol.compute() ~> {Alice, Bob}.(plain(x)); //! error: 'plain' is not
        g({Alice, Bob}.(plain(x))); //! error: 'plain' is not
        Bob.use(y + z);
    }
    int Carol.compute(void);
    def g({Alice, Bob}.int b) {
        if ({Alice, Bob}.(b > 0)) {
            Alice.use(b);
        }
    }
)
