// A block that is never closed.
#include <chorex.h>

choreography(unclosed, (Alice, Bob), //! error: choreography
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }

int main(void)
{
    return 0;
}
