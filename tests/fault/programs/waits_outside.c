// Roles wait for a time in the body and in the rescue of blocks, and are called back from there.
// matrix results: not compared, since a sequential program can't wait
#include <chorex.h>
#include <stdbool.h>
#include <stdio.h>

choreography(waits_outside, (Alice, Bob, Carol),
    int Alice.rest(int n);
    int Bob.rest(int n);
    def run(Alice.int x, Bob.int y) -> Alice.int, Bob.int, Carol.int {
        Carol.int z = 0;
        for (Alice.int i = 0; Alice.(i < 2); Alice.i++) {
            checkpoint {
                Carol.z ~> Bob.z;
                Alice.rest(x) ~> Bob.a;
                Bob.rest(a + z) ~> Carol.z;
                Carol.z ~> Alice.x;
            } rescue {
                Bob.rest(y) ~> Alice.x;
                Alice.rest(x) ~> Carol.z;
            }
        }
        return Alice.x, Bob.y, Carol.z;
    }
)

#include "waits_outside.Alice.chor.h"
#include "waits_outside.Bob.chor.h"
#include "waits_outside.Carol.chor.h"

int Alice_rest(int n)
{
    static bool rests;
    rests = !rests;
    if (rests)
        chx_again_after(2000000);
    return n + 1;
}

int Bob_rest(int n)
{
    static bool rests;
    rests = !rests;
    if (rests)
        chx_again_after(3000000);
    return n + 1;
}

int main(void)
{
    struct waits_outside_run_result result;
    if (waits_outside_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.Alice, result.Bob, result.Carol);
    return 0;
}
