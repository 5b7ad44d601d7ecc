// One role alone is a choreography.
// expect: 6
#include <chorex.h>
#include <stdio.h>

choreography(alone, (Hermit),
    int Hermit.think(int n);
    def run(Hermit.int n) -> Hermit.int {
        Hermit.int sum = 0;
        while (Hermit.(n > 0)) {
            Hermit.sum += think(n);
            Hermit.n--;
        }
        return Hermit.sum;
    }
)

#include "alone.Hermit.chor.h"

int Hermit_think(int n) { return n; }

int main(void)
{
    struct alone_run_result r;
    if (alone_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d\n", r.Hermit);
    return 0;
}
