// A counter in a recursive function: 1 + 2 + ... + 10.
// expect: 55
#include <chorex.h>
#include <stdio.h>

choreography(counter, (Counter, Adder),
    def run() -> Adder.int {
        return count(Counter.(1), Adder.(0));
    }
    def count(Counter.int n, Adder.int sum) -> Adder.int {
        if (Counter.(n > 10)) {
            return Adder.sum;
        }
        Counter.n ~> Adder.k;
        return count(Counter.(n + 1), Adder.(sum + k));
    }
)

#include "counter.Counter.chor.h"
#include "counter.Adder.chor.h"

int main(void)
{
    struct counter_run_result r;
    if (counter_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d\n", r.Adder);
    return 0;
}
