#include <chorex.h>
#include <stdio.h>

choreography(letter, (Alice, Bob, Carol),
    def run(Alice.int message) {
        if (Alice.decrypt(message)) notify(Bob) {
            Bob.congratulate();
            Carol.flee();
        } else {
            Bob.console();
        }
    }
)
