// A role waits where the others are in an endless loop or recursion that it has no part in, and where it is in an
// endless loop of its own: a rescue calls it away.
// expect: a loop of others: 1
// expect: a recursion of others: 2
// expect: a recursion of others with a value: 3
// expect: a loop of its own: 4
// expect: a loop with continue: 5
// expect: a deadline: 6
//! no-central
#include <chorex.h>
#include <stdio.h>

choreography(endless, (Alice, Bob, Carol),
    void Alice.count(int n);
    void Carol.work(void);

    def loop(Alice.int n) -> Carol.int {
        checkpoint {
            for (;;) {
                Alice.(n + 1) ~> Bob.m;
                Bob.m ~> Alice.n;
                Alice.count(n);
            }
        } rescue {
            return Carol.(1);
        }
    }
    def recursion(Alice.int n) -> Carol.int {
        checkpoint {
            return there(Alice.n);
        } rescue {
            return Carol.(2);
        }
    }
    def there(Alice.int n) -> Carol.int {
        Alice.(n + 1) ~> Bob.m;
        return back(Bob.m);
    }
    def back(Bob.int m) -> Carol.int {
        Bob.m ~> Alice.n;
        Alice.count(n);
        return there(Alice.n);
    }
    def with_value(Alice.int n) -> Carol.int {
        checkpoint {
            return on(Alice.n, Carol.(7));
        } rescue {
            return Carol.(3);
        }
    }
    def on(Alice.int n, Carol.int k) -> Carol.int {
        Alice.(n + 1) ~> Bob.m;
        Bob.m ~> Alice.n;
        Alice.count(n);
        return on(Alice.n, Carol.k);
    }
    def own(Alice.int n) -> Carol.int {
        Carol.int k = 0;
        checkpoint {
            Alice.count(n);
            for (;;) {
                Carol.work();
                Carol.k++;
            }
        } rescue {
            return Carol.(k + 4);
        }
    }
    def skipping(Alice.int n) -> Carol.int {
        Carol.int k = 0;
        checkpoint {
            Alice.count(n);
            while (Carol.(k >= 0)) {
                if (Carol.(k < 5)) {
                    Carol.k++;
                    continue;
                }
                Carol.k = 0;
                if (Carol.(k == 1)) {
                    Carol.k ~> Alice.n;
                }
            }
        } rescue {
            return Carol.(k + 5);
        }
        return Carol.(0);
    }
    def late() -> Carol.int {
        checkpoint within 10ms {
            do {
                Carol.work();
            } while (Carol.(true));
        } rescue {
            return Carol.(6);
        }
        return Carol.(0);
    }
)

#include "endless.Alice.chor.h"
#include "endless.Bob.chor.h"
#include "endless.Carol.chor.h"

static void Alice_count(int n)
{
    enum { ENOUGH = 100 };
    if (n >= ENOUGH)
        chx_fail("enough");
}

static void Carol_work(void) {}

int main(void)
{
    struct endless_loop_result loop;
    struct endless_recursion_result recursion;
    struct endless_with_value_result with_value;
    struct endless_own_result own;
    struct endless_skipping_result skipping;
    struct endless_late_result late;
    if (endless_loop(&loop, NULL, 0) != CHX_OK || endless_recursion(&recursion, NULL, 0) != CHX_OK ||
        endless_with_value(&with_value, NULL, 0) != CHX_OK || endless_own(&own, NULL, 100) != CHX_OK ||
        endless_skipping(&skipping, NULL, 100) != CHX_OK || endless_late(&late, NULL) != CHX_OK)
        return 1;
    printf("a loop of others: %d\n", loop.Carol);
    printf("a recursion of others: %d\n", recursion.Carol);
    printf("a recursion of others with a value: %d\n", with_value.Carol);
    printf("a loop of its own: %d\n", own.Carol);
    printf("a loop with continue: %d\n", skipping.Carol);
    printf("a deadline: %d\n", late.Carol);
    return 0;
}
