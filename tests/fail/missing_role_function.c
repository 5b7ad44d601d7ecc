// A role's function that the file does not provide is reported at its use.
//! mode: compile
#include <chorex.h>

choreography(missing, (Alice, Bob),
    int Bob.check(int n);
    def run(Alice.int n) -> Bob.int {
        Alice.make(n); //! error: 'Alice_make'
        Alice.n ~> Bob.m;
        return Bob.(check(m));
    }
)

#include "missing.Alice.chor.h"
#include "missing.Bob.chor.h"

int Bob_check(int n) { return n; }

int main(void)
{
    return missing_run(NULL, NULL, 1);
}
