// `durable` stands once, before the block.
#include <chorex.h>

choreography(twice, (Alice, Bob),
    def run(Alice.int n) {
        checkpoint durable durable { //! error: a checkpoint has one 'durable'
            Alice.n ~> Bob._;
        }
        checkpoint durabel { //! error: durable
            Alice.n ~> Bob._;
        }
    }
)
