// A role's function of the wrong type is reported at its prototype or first use.
//! mode: compile
#include <chorex.h>

choreography(wrongtype, (Alice, Bob),
    int Bob.check(int n);
    def run(Alice.int n) -> Bob.int {
        Alice.make(n);
        Alice.n ~> Bob.m;
        return Bob.(check(m)); //! error: 'Bob_check' has the wrong type
    }
)

#include "wrongtype.Alice.chor.h"
#include "wrongtype.Bob.chor.h"

void Alice_make(int n) { (void)n; }
long Bob_check(const char *s) { return *s; }

int main(void)
{
    return wrongtype_run(NULL, NULL, 1);
}
