// while, do and for as in C, with break and continue, nested.
// expect: while 10, do 1, for 12, nested 9
#include <chorex.h>
#include <stdio.h>

choreography(loops, (Alice, Bob),
    def run(Alice.int n) -> Bob.{int, int, int, int} {
        Bob.int a = 0;
        while (Alice.(n > 0)) {
            Alice.n ~> Bob.k;
            Bob.a += k;
            Alice.n = n - 1;
        }
        Bob.int b = 0;
        do {
            Bob.b++;
        } while (Alice.(n > 0));
        Bob.int c = 0;
        for (Alice.int i = 0; Alice.(i < 100); Alice.i += 2) {
            if (Alice.(i == 4)) { continue; }
            if (Alice.(i > 8)) { break; }
            Alice.i ~> Bob.k;
            Bob.c += k - 1;
        }
        Bob.int d = 0;
        for (Alice.int i = 0; Alice.(i < 5); Alice.i++) {
            for (Alice.int j = 0; Alice.(j < 5); Alice.j++) {
                if (Alice.(j == 3)) { break; }
                if (Alice.(i == j)) { continue; }
                Bob.d++;
            }
            if (Alice.(i == 3)) { break; }
        }
        return Bob.{a, b, c, d};
    }
)

#include "loops.Alice.chor.h"
#include "loops.Bob.chor.h"

int main(void)
{
    struct loops_run_result r;
    if (loops_run(&r, NULL, 4) != CHX_OK)
        return 1;
    printf("while %d, do %d, for %d, nested %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3);
    return 0;
}
