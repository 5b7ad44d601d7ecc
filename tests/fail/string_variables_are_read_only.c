// String variables are read-only to local C: a new value is assigned instead.
#include <chorex.h>
#include <string.h>

choreography(readonly, (Alice, Bob),
    def run(Alice.const char *s) {
        Alice.s[0] = 'x'; //! error:
        Alice.(strcpy(s, "new")); //! error: const
        Alice.s = "new";
        Alice.s ~> Bob._;
    }
)
