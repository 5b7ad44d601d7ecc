// Each role sends what it only gets later: the first use of an unbound variable is the error.
#include <chorex.h>

choreography(deadlock, (A, B, C),
    def run() {
        A.val ~> B.val; //! error: A has no variable 'val' here
        B.val ~> C.val;
        C.val ~> A.val;
    }
)
