// Arrays of fixed size are copied whole: nested ones, in structs, as typed targets, as parameters.
// expect: 21 6 10
#include <chorex.h>
#include <stdio.h>

typedef int grid[2][3];
struct board { grid cells; char name[4]; };

static int total(int g[2][3])
{
    int sum = 0;
    for (int i = 0; i < 6; i++)
        sum += g[i / 3][i % 3];
    return sum;
}

choreography(arrays, (Alice, Bob),
    struct board Alice.make(void);
    def run(Alice.int seed[4]) -> Bob.{int, int, int} {
        Alice.grid g = {{1, 2, 3}, {4, 5, 6}};
        Alice.g ~> Bob.g;
        Bob.int sum = total(g);
        Alice.g[1][2] = 100;
        Alice.make() ~> Bob.b;
        Alice.seed ~> Bob.int s[4];
        return Bob.{sum, b.cells[1][1], s[0] + s[1] + s[2] + s[3]};
    }
)

#include "arrays.Alice.chor.h"
#include "arrays.Bob.chor.h"

struct board Alice_make(void) { return (struct board){{{0}, {5, 6, 7}}, "brd"}; }

int main(void)
{
    struct arrays_run_result r;
    int seed[4] = {1, 2, 3, 4};
    if (arrays_run(&r, NULL, seed) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2);
    return 0;
}
