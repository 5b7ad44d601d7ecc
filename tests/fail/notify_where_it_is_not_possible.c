// 'notify' stands on if, while and switch only.
#include <chorex.h>

choreography(nonotify, (Alice, Bob),
    def run(Alice.int n) {
        for (Alice.int i = 0; Alice.(i < n); Alice.i++) notify(Bob) { //! error: notify
            Alice.i ~> Bob._;
        }
    }
    def other(Alice.int n) {
        do {
            Alice.n ~> Bob._;
            Alice.n--;
        } while (Alice.(n > 0)) notify(Bob); //! error: notify
    }
)
