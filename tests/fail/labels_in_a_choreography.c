// There are no labels to jump to.
#include <chorex.h>

choreography(labels, (Alice, Bob),
    def run(Alice.int n) -> Alice.int {
    again: //! error: a choreography has no labels
        Alice.n ~> Bob.m;
        if (Alice.(n > 0)) {
            Alice.n--;
            goto again; //! error: no 'goto'
        }
    out: while (Alice.(n > 0)) { //! error: a choreography has no labels
            Alice.n--;
        }
        Bob.use(m);
        switch (Alice.n) {
        case 1:
        inner: //! error: a choreography has no labels
            break;
        default:
            break;
        }
        return Alice.n;
    end: //! error: a choreography has no labels
    }
)
