// def, rescue, retry, within, notify are words only where they are expected.
// expect: 1 2 3 4 5
#include <chorex.h>
#include <stdio.h>

choreography(words, (Alice, Bob),
    int Alice.retry(int within);
    int Alice.notify(int def);
    def rescue(Alice.int within) -> Bob.{int, int, int, int, int} {
        Alice.retry(within) ~> Bob.retry;
        Alice.int told = notify(within);
        Alice.told ~> Bob.def;
        Bob.int rescue = 3;
        Bob.int within = 0;
        if (Alice.(told == 2)) notify(Bob) {
            Bob.within = 4;
        }
        Alice.(5) ~> Bob.checkpoint;
        return Bob.{retry, def, rescue, within, checkpoint};
    }
)

#include "words.Alice.chor.h"
#include "words.Bob.chor.h"

int Alice_retry(int within) { return within; }
int Alice_notify(int def) { return def + 1; }

int main(void)
{
    struct words_rescue_result r;
    if (words_rescue(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("%d %d %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3, r.Bob.v4);
    return 0;
}
