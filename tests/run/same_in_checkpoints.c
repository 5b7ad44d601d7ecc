// Blocks in branches that are the same for some participants, and choices in blocks: all of them meet in the same blocks, and a
// failure takes all of them to the rescue of the branch that was taken.
#include <chorex.h>
#include <stdio.h>

choreography(blocks, (Alice, Bob, Carol),
    int Bob.frail(int n);
    int Carol.frail(int n);
    def run(Alice.int n) -> Alice.int, Bob.int, Carol.int {
        Alice.int x = 0;
        Bob.int k = 1;
        Carol.int z = 2;
        for (Alice.int i = 0; Alice.(i < 6); Alice.i++) {
            if (Alice.((n + i) % 2)) {
                checkpoint retry 1 {
                    Bob.frail(k) ~> Alice.x;
                    Alice.(x + i) ~> {Bob, Carol}.y;
                    Bob.k = y;
                    Carol.z = frail(z + y);
                } rescue (fault) {
                    Alice.x += fault.role[0];
                    Bob.(k + 1) ~> Alice.more;
                    Alice.(more + 100) ~> Bob.k;
                    Carol.z = z % 7;
                }
            } else {
                checkpoint retry 1 {
                    Bob.frail(k) ~> Alice.other;
                    Alice.x = other * 2;
                    Alice.(x - i) ~> {Bob, Carol}.w;
                    Bob.k = w;
                    Carol.z = frail(z + w);
                } rescue (fault) {
                    Alice.x -= fault.role[0];
                    Bob.(k + 1) ~> Alice.more;
                    Alice.(more + 200) ~> Bob.k;
                    Carol.z = z % 7;
                }
            }
            checkpoint {
                if (Carol.(z % 2)) {
                    Bob.frail(k + 1) ~> Carol.b;
                    Carol.z += b;
                } else {
                    Bob.frail(k + 1) ~> Carol.b;
                    Carol.z -= b;
                }
            } rescue {
                Bob.k++;
            }
        }
        return Alice.x, Bob.k, Carol.z;
    }
)

#include "blocks.Alice.chor.h"
#include "blocks.Bob.chor.h"
#include "blocks.Carol.chor.h"

static int frail(int n)
{
    if (n % 5 == 3)
        chx_fail("%d is too much", n);
    return n % 1000;
}

int Bob_frail(int n)
{
    return frail(n);
}

int Carol_frail(int n)
{
    return frail(n + 1);
}

int main(void)
{
    for (int n = 0; n < 8; n++) {
        struct blocks_run_result result;
        if (blocks_run(&result, NULL, n) != CHX_OK)
            return 1;
        printf("%d: %d %d %d\n", n, result.Alice, result.Bob, result.Carol);
    }
    return 0;
}
