// 'notify' that names everybody concerned is fine, and names too many cost nothing.
#include <chorex.h>

choreography(covers, (Alice, Bob, Carol),
    def run(Alice.int n) {
        if (Alice.(n > 0)) notify(Bob) {
            Alice.n ~> Bob._;
        }
        while (Alice.(n > 0)) notify(Bob, Carol) {
            Alice.n--;
            Bob.(1) ~> Alice._;
        }
        switch (Alice.n) notify(Alice, Bob) {
        case 1: Bob.(1) ~> Alice._; break;
        }
        Carol.(1) ~> Bob._;
    }
)
