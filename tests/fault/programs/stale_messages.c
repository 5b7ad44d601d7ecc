// Messages that nobody read before the failure never reach a later round, which waits at the same deliveries.
#include <chorex.h>
#include <stdio.h>

choreography(stale_messages, (Producer, Checker),
    int Checker.picky(int round);

    def run(Producer.int rounds) -> Checker.long, Producer.int {
        Producer.int i = 0;
        Checker.long sum = 0;
        Checker.int round = 0;
        while (Producer.(i < rounds)) {
            checkpoint {
                Producer.(1000000 + i) ~> Checker.a;
                Producer.(2000000 + i) ~> Checker.b;
                Checker.picky(round);
                Producer.i ~> Checker.c;
                Checker.sum = sum + c + (a - 1000000) + (b - 2000000);
            } rescue {
                Producer.i ~> Checker.again;
                Checker.sum = sum + again * 100;
            }
            Checker.round = round + 1;
            Producer.i = i + 1;
        }
        return Checker.sum, Producer.i;
    }
)

#include "stale_messages.Producer.chor.h"
#include "stale_messages.Checker.chor.h"

int Checker_picky(int round)
{
    if (round % 4 == 3)
        chx_fail("round %d does not please me", round);
    return round;
}

int main(void)
{
    struct stale_messages_run_result result;
    if (stale_messages_run(&result, NULL, 5) != CHX_OK)
        return puts("failed") < 0;
    printf("%ld %d\n", result.Checker, result.Producer);
    return 0;
}
