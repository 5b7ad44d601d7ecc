// A variable may have the name of a role, also where its fields are used: a struct, a pointer, a parameter, a pattern's
// field, a rescue's fault, and a variable that C itself declares inside of an expression.
// expect: 3 4 5 6 7 8 9 10
#include <chorex.h>
#include <stdio.h>

struct point {
    int x, y;
};
struct holder {
    struct point Bob;
};

choreography(names, (Alice, Bob),
    def run(Alice.struct point Bob, Bob.struct point Bob) -> Bob.{int, int, int, int, int, int, int, int} {
        Alice.Bob.x ~> Bob.a;
        Alice.(Bob.x + 1) ~> Bob.b;
        Bob.c = Bob.x;
        Bob.Bob.y = 6;
        Bob.d = Bob.y;
        Alice.struct holder h = {.Bob = {7, 8}};
        Alice.{.Bob} = h;
        Alice.Bob.x ~> Bob.e;
        Alice.(Bob.y) ~> Bob.f;
        Alice.(__extension__({ struct point Bob = {9, 0}; Bob.x + Bob.y; })) ~> Bob.g;
        Alice.int zero = 0;
        Alice.(__extension__({ struct point Alice = {1, zero}; Alice.x + Alice.y + zero; })) ~> Bob.one;
        Bob.g += one - 1;
        Alice.struct point Alice = {10, 0};
        checkpoint {
            Bob.(chx_fail("no"));
        } rescue (Bob) {
            Bob.int i = Bob.line > 0;
            Alice.Alice.y = Bob.line * 0;
            Alice.(Alice.x + Alice.y) ~> Bob.int j;
            Bob.g += i + j - 11;
        }
        Alice.{Alice.x, 1} ~> Bob.{k, _};
        return Bob.{a, b, c, d, e, f, g, k};
    }
)

#include "names.Alice.chor.h"
#include "names.Bob.chor.h"

int main(void)
{
    struct names_run_result r;
    if (names_run(&r, NULL, (struct point){3, 0}, (struct point){5, 0}) != CHX_OK) {
        puts(chx_last_report()->why);
        return 1;
    }
    printf("%d %d %d %d %d %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3, r.Bob.v4, r.Bob.v5, r.Bob.v6, r.Bob.v7);
    return 0;
}
