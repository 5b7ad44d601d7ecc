// A choreography stands at file scope.
#include <chorex.h>

int main(void)
{
    choreography(inside, (Alice, Bob), //! error: a choreography stands outside of functions
        def run(Alice.int n) {
            Alice.n ~> Bob._;
        }
    )
    return 0;
}
