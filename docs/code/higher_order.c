#include <chorex.h>
#include <stdio.h>

choreography(higher, (Alice, Bob, Carol),
    //[definitions]
    def relay[From, To](From.int x) -> To.int {               // role parameters
        From.x ~> To.y;
        return To.y;
    }

    def through(Alice.int x, Alice.int times,
                there(Alice.int) -> Bob.int,                  // function parameters
                back(Bob.int) -> Alice.int) -> Alice.int {
        if (Alice.(times == 0)) {
            return Alice.x;
        }
        Bob.int at_bob = there(Alice.x);
        Alice.x = back(Bob.(at_bob + 1));
        return through(Alice.x, Alice.(times - 1), there, back);
    }

    def by_carol(Bob.int x) -> Alice.int {
        Carol.int at_carol = relay[Bob, Carol](Bob.x);
        return relay[Carol, Alice](Carol.(at_carol + 10));
    }

    def run(Alice.int n) -> Alice.{int, int}, {Bob, Carol}.bool {    // a tuple; one result of two roles
        Alice.int direct = through(Alice.n, Alice.(3), relay[Alice, Bob], relay[Bob, Alice]);
        Alice.int by_way = through(Alice.n, Alice.(3), relay[Alice, Bob], by_carol);
        Alice.(by_way > direct) ~> {Bob, Carol}.bool longer;
        return Alice.{direct, by_way}, {Bob, Carol}.longer;
    }
    //[/definitions]
)

#include "higher.Alice.chor.h"
#include "higher.Bob.chor.h"
#include "higher.Carol.chor.h"

int main(void)
{
    struct higher_run_result result;
    if (higher_run(&result, NULL, 1) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", result.Alice.v0, result.Alice.v1, result.Bob, result.Carol);
    return 0;
}
