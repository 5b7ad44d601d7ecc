// Numbers, a choice that a third role is told of, a loop, a function of a role: no checkpoint.
#include "inject.h"

choreography(plain, (Alice, Bob, Carol),
    int Bob.twice(int n);
    def run(Alice.int rounds) -> Alice.long, Carol.int {
        Alice.long sum = 0;
        Carol.int count = 0;
        while (Alice.(rounds > 0)) {
            Alice.rounds ~> Bob.n;
            if (Bob.(n % 2 == 0)) {
                Bob.twice(n) ~> Carol.m;
                Carol.count += 1;
                Carol.m ~> Alice.back;
                Alice.sum += back;
            } else {
                Bob.n ~> Alice.back;
                Alice.sum += back;
            }
            Alice.rounds--;
        }
        return Alice.sum, Carol.count;
    }
)

#include "plain.Alice.chor.h"
#include "plain.Bob.chor.h"
#include "plain.Carol.chor.h"

int Bob_twice(int n)
{
    return 2 * n;
}

static chx_status session(void)
{
    struct plain_cast cast;
    struct plain_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = plain_run(&r, &cast, 10);
    if (status == CHX_OK)
        must(r.Alice == 85 && r.Carol == 5);
    return status;
}

int main(void)
{
    return inject_main(session);
}
