// An expression at a role set reads no variable of the program: the roles might see different values of it.
#include <chorex.h>
#include <stdio.h>

static int counter;
static const int limit = 3;
static const char *const names[] = {"one", "two"};
static const char *changing[] = {"one", "two"};
static struct { int n; } state;
enum { CONSTANT = 4 };
#define NEXT(x) ((x) + state.n)

choreography(globals, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.m;
        {Alice, Bob}.int a = counter; //! error: 'counter' may change
        {Alice, Bob}.int b = limit + CONSTANT + m;
        {Alice, Bob}.const char *c = names[0];
        {Alice, Bob}.const char *d = changing[0]; //! error: 'changing' may change
        {Alice, Bob}.size_t e = sizeof counter + sizeof(state) + sizeof changing / sizeof changing[0];
        {Alice, Bob}.int f = ({ int local = 3; local + b; });
        if ({Alice, Bob}.(NEXT(m) > 3)) { //! error: 'state' may change
            Alice.use(a, b, c, d, e, f);
        }
        {Alice, Bob}.(m++); //! error: 'm' is agreed on: an expression can't change it
        Alice.g = counter;
        Alice.use2(g, state.n, stdin);
    }
)
