// Every way through a case ends in break, return or continue, or never ends.
#include <chorex.h>

choreography(falls, (Alice, Bob),
    def run(Alice.int n) {
        switch (Alice.n) {
        case 1: //! error: this case must end in 'break', 'return' or 'continue'
            Alice.n ~> Bob._;
        case 2:
            Alice.(2) ~> Bob._;
            break;
        default: //! error: this case must end in
            Alice.(3) ~> Bob._;
        }
    }

    def on_one_way(Alice.int n) {
        switch (Alice.n) {
        case 1: //! error: this case must end in
            if (Alice.(n > 0)) {
                break;
            }
        case 2: //! error: this case must end in
            if (Alice.(n > 0)) {
                break;
            } else if (Alice.(n > -1)) {
                return;
            } else {
                Alice.n ~> Bob._;
            }
        case 3: //! error: this case must end in
            switch (Alice.n) {
            case 3:
                break;
            default:
                return;
            }
        case 4: //! error: this case must end in
            switch (Alice.n) {
            case 3:
                return;
            }
        case 5: //! error: this case must end in
            for (;;) {
                if (Alice.(n > 0)) {
                    break;
                }
                Alice.n++;
            }
        case 6: //! error: this case must end in
            checkpoint {
                Alice.n ~> Bob._;
                break;
            } rescue {
                Bob.lost();
            }
        case 7: //! error: this case must end in
            checkpoint for (;;) {
                Alice.n ~> Bob._;
                break;
            }
        case 8: //! error: this case must end in
            while (Alice.(n > 0)) {
                return;
            }
        case 9: //! error: this case must end in
            forever(Alice.n);
        case 10: //! error: this case must end in
        }
    }

    def forever(Alice.int n) {
        for (;;) {
            Alice.n ~> Bob._;
        }
    }

    // A switch that is left by a break goes on behind it.
    def results(Alice.int n) -> Alice.int {
        switch (Alice.n) {
        case 1:
            if (Alice.(n > 0)) {
                break;
            } else {
                return Alice.n;
            }
        default:
            return Alice.n;
        }
    } //! error: 'results' can end here without its result at Alice
)
