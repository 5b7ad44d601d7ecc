// 'notify' on loops and switch, with the continuation and calls followed.
#include <chorex.h>

choreography(leaves, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        while (Alice.(n > 0)) notify(Carol) { //! error: 'notify' leaves Bob out
            Alice.n ~> Bob._;
            Alice.n--;
        }
        switch (Alice.n) notify(Bob) { //! error: 'notify' leaves Carol out
        case 1: helper(); break;
        default: Bob.other(); break;
        }
        if (Alice.(n == 3)) notify(Bob) { //! error: 'notify' leaves Carol out
            return Carol.(1);
        }
        Bob.last();
        return Carol.(2);
    }
    def helper() {
        Carol.(2) ~> Bob._;
    }
)
