// Role parameters: one function for several pairs of roles, also recursive with the roles exchanged.
// expect: 5 6 120
#include <chorex.h>
#include <stdio.h>

choreography(params, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int, Carol.int, Alice.int {
        Bob.b = relay[Alice, Bob](Alice.n);
        Carol.c = relay[Bob, Carol](Bob.(b + 1));
        Alice.f = down[Alice, Carol](Alice.n);
        return Bob.b, Carol.c, Alice.f;
    }
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }
    def down[Here, There](Here.int n) -> Here.int {
        if (Here.(n == 0)) {
            return Here.(1);
        }
        There.m = relay[Here, There](Here.(n - 1));
        There.r = down[There, Here](There.m);
        There.r ~> Here.back;
        return Here.(back * n);
    }
)

#include "params.Alice.chor.h"
#include "params.Bob.chor.h"
#include "params.Carol.chor.h"

int main(void)
{
    struct params_run_result r;
    if (params_run(&r, NULL, 5) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Bob, r.Carol, r.Alice);
    return 0;
}
