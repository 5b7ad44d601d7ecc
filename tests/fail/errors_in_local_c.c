// Errors inside local C stand on the choreography's line, in the user's terms.
#include <chorex.h>
#include <string.h>

struct box { int width; };

choreography(localc, (Alice, Bob),
    def run(Alice.int n, Alice.struct box b, Alice.const char *s) {
        Alice.a = b.height; //! error: 'height'
        Alice.(n = "text" * 2); //! error:
        Alice.c = n +; //! error: expression
        Alice.d = strlen(n, s); //! error: too many arguments
        Alice.(s[0] = 'x'); //! error: 's' is a string
        Alice.e = (n > 0
                   && undeclared_thing); //! error: Alice has no variable 'undeclared_thing' here
        Alice.n ~> Bob._;
    }
)
