// A failure in the rescue of a round runs the rescue again; the cast bounds how often.
// expect: 4 rounds, 3 of them rescued: 12
// expect: Bob failed: still no (and more restarts than the cast allows)
//! no-central
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(again, (Alice, Bob),
    void Bob.may_fail(int attempts);
    def run(Alice.int rounds) -> Alice.int, Bob.int {
        Alice.int i = 0;
        Bob.int rescues = 0;
        checkpoint while (Alice.(i < rounds)) {
            Alice.i++;
            Alice.i ~> Bob.n;
            Bob.may_fail(n);
        } rescue (fault) {
            Alice.i++;
            Alice.i ~> Bob.n;
            Bob.try_again(n, fault.why);
            Bob.rescues++;
        }
        return Alice.i, Bob.rescues;
    }
)

#include "again.Alice.chor.h"
#include "again.Bob.chor.h"

// The first round is fine, the others fail.
void Bob_may_fail(int n)
{
    if (n > 1)
        chx_fail("no");
}

// The fault is that of the latest attempt.
void Bob_try_again(int n, const char *why)
{
    if (strcmp(why, "no") == 0 || n > 4)
        chx_fail("%s", n > 4 ? "still no" : "no again");
}

int main(void)
{
    struct again_run_result result;
    struct again_cast cast = {.Bob.restarts_max = 8};
    if (again_run(&result, NULL, 4) != CHX_OK)
        return 1;
    printf("%d rounds, %d of them rescued: %d\n", result.Alice, result.Bob, result.Alice * result.Bob);
    if (again_run(&result, &cast, 1000) == CHX_OK)
        return 1;
    printf("%s failed: %s\n", chx_last_report()->role, chx_last_report()->why);
    return 0;
}
