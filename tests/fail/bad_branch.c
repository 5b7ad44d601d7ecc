// 'notify' is a check: it must name everybody who needs to know.
#include <chorex.h>

choreography(bad_branch, (Alice, Bob, Carol),
    bool Alice.decrypt(const char *msg);
    def run(Alice.const char *msg) {
        if (Alice.decrypt(msg)) notify(Bob) { //! error: Carol's part differs between the branches, but 'notify' leaves Carol out
            Bob.notify_success();
            Carol.foiled();
        } else {
            Bob.notify_failure();
            Carol.success();
        }
    }
)
