// What was sent in an abandoned attempt is never received later, although the loop comes back to the same delivery with
// the next value.
// expect: 1000 rounds, sum 499500, 250 rescues
#include <chorex.h>
#include <stdio.h>

choreography(stale, (Producer, Checker),
    int Checker.picky(int round);

    def run(Producer.int rounds) -> Checker.{long, int} {
        Producer.int i = 0;
        Checker.long sum = 0;
        Checker.int rescues = 0;
        Checker.int round = 0;
        while (Producer.(i < rounds)) {
            checkpoint {
                Producer.(1000000 + i) ~> Checker._;
                Producer.(2000000 + i) ~> Checker._;
                Checker.picky(round); // fails in every fourth round
                Producer.i ~> Checker.c;
                Checker.sum = sum + c;
            } rescue {
                Producer.i ~> Checker.again;
                Checker.sum = sum + again;
                Checker.rescues = rescues + 1;
            }
            Checker.round = round + 1;
            Producer.i = i + 1;
        }
        return Checker.{sum, rescues};
    }
)

#include "stale.Producer.chor.h"
#include "stale.Checker.chor.h"

int Checker_picky(int round)
{
    if (round % 4 == 3)
        chx_fail("round %d does not please me", round);
    return round;
}

int main(void)
{
    struct stale_run_result result;
    if (stale_run(&result, NULL, 1000) != CHX_OK)
        return 1;
    printf("1000 rounds, sum %ld, %d rescues\n", result.Checker.v0, result.Checker.v1);
    return 0;
}
