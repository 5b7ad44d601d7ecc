// A function of C's library whose header is not included counts as the role's own; the message says which header it is.
//! mode: compile
#include <chorex.h>

choreography(missing, (Alice, Bob),
    def run(Alice.const char *s) {
        Alice.(strlen(s)) ~> Bob.unsigned long n; //! error: 'Alice_strlen' is missing
        Bob.(printf("%lu\n", n)); //! error: 'Bob_printf' is missing
        Bob.(printf("%lu\n", n));
    }
)

#include "missing.Alice.chor.h"
#include "missing.Bob.chor.h"

int main(void) { return missing_run(NULL, "abc"); }
