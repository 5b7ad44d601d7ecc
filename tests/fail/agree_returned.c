// What `agree` finds goes to a variable before it is returned.
#include <chorex.h>

choreography(returned, (Alice, Bob),
    def run(Alice.int x, Bob.int y) -> {Alice, Bob}.int {
        return agree(Alice.x, Bob.y); //! error: what roles agree on goes to a variable of theirs first
    }
)
