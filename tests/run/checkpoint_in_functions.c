// Checkpoints in functions with role and function parameters, in several implementations of a role, on agreed values.
// expect: 1 2 1
// expect: careful 10, daring 21
// expect: agreed: 4 4
#include <chorex.h>
#include <stdio.h>

choreography(shapes, (Alice, Bob, Carol),
    int Alice.risky(int n);
    def safely[From, To](work(From.int) -> To.int, From.int n) -> To.int {
        To.int r = 0;
        checkpoint {
            To.r = work(From.n);
        } rescue {
            From.(1) ~> To.r;
        }
        return To.r;
    }
    def ask_Bob(Alice.int n) -> Bob.int {
        Alice.risky(n) ~> Bob.r;
        return Bob.r;
    }
    def ask_Carol(Alice.int n) -> Carol.int {
        Alice.risky(n) ~> Carol.r;
        return Carol.r;
    }
    def run() -> Bob.{int, int}, Carol.int {
        Bob.a = safely[Alice, Bob](ask_Bob, Alice.(0));
        Bob.b = safely[Alice, Bob](ask_Bob, Alice.(2));
        Carol.c = safely[Alice, Carol](ask_Carol, Alice.(0));
        return Bob.{a, b}, Carol.c;
    }
    def played() -> Bob.int {
        Bob.int r = 0;
        checkpoint {
            Alice.risky(7) ~> Bob.r;
        } rescue {
            Alice.(21) ~> Bob.r;
        }
        return Bob.r;
    }
    def agreed() -> Bob.int, Carol.int {
        Alice.(3) ~> {Bob, Carol}.n;
        checkpoint {
            Alice.(9) ~> {Bob, Carol}.n;
            Alice.n = risky(0);
            Alice.n ~> Bob._;
        } rescue {
            if ({Bob, Carol}.(n == 3)) {
                {Bob, Carol}.n += 1;
            }
        }
        return Bob.n, Carol.n;
    }
)

#include "shapes.Alice.chor.h"
#include "shapes.Bob.chor.h"
#include "shapes.Carol.chor.h"
#define CHX_ROLE_AS careful
#include "shapes.Alice.chor.h"

int Alice_risky(int n)
{
    if (n == 0 || n == 7)
        chx_fail("%d is risky", n);
    return n;
}

static int careful_risky(int n) { return n + 3; }

int main(void)
{
    struct shapes_run_result r;
    if (shapes_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Bob.v0, r.Bob.v1, r.Carol);
    struct shapes_cast cast = {.Alice = {.role = &careful}};
    struct shapes_played_result careful_one, daring_one;
    if (shapes_played(&careful_one, &cast) != CHX_OK || shapes_played(&daring_one, NULL) != CHX_OK)
        return 1;
    printf("careful %d, daring %d\n", careful_one.Bob, daring_one.Bob);
    struct shapes_agreed_result agreed;
    if (shapes_agreed(&agreed, NULL) != CHX_OK)
        return 1;
    printf("agreed: %d %d\n", agreed.Bob, agreed.Carol);
    return 0;
}
