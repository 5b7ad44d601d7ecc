// Strings have an address of their own at every role, so that comparing them like pointers would come out differently.
#include <chorex.h>
#include <stddef.h>

#define SAME(a, b) ((a) == (b))

choreography(strings, (Alice, Bob),
    def run(Alice.const char *s, Alice.chx_str n) {
        Alice.s ~> {Alice, Bob}.t;
        Alice.n ~> {Alice, Bob}.m;
        {Alice, Bob}.const char *u = t;
        if ({Alice, Bob}.(t == "stop")) { //! error: can't compare strings like this
            Alice.stop();
        }
        {Alice, Bob}.bool _1 = t == u; //! error: can't compare strings like this
        {Alice, Bob}.bool _2 = t != u; //! error: can't compare strings like this
        {Alice, Bob}.bool _3 = t < u; //! error: can't compare strings like this
        {Alice, Bob}.bool _4 = SAME(t, u); //! error: can't compare strings like this
        {Alice, Bob}.long _5 = t - u; //! error: can't compare strings like this
        {Alice, Bob}.long _6 = t - (char *)0; //! error: can't compare strings like this
        {Alice, Bob}.bool _7 = m.text == NULL || t == u; //! error: can't compare strings like this
        {Alice, Bob}.bool _8 = m == m; //! error: invalid operands to binary expression ('const chx_str' and 'const chx_str')
    }
)
