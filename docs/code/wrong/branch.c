#include <chorex.h>

choreography(branch, (Alice, Bob, Carol),
    def run(Alice.int msg) {
        if (Alice.decrypt(msg)) notify(Bob) {
            Bob.good();
            Carol.foiled();
        } else {
            Bob.bad();
            Carol.success();
        }
    }
)
