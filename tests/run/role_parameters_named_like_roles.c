// A role parameter may have the name of a role, which it hides.
// expect: 3 4
#include <chorex.h>
#include <stdio.h>

choreography(hidden, (Alice, Bob),
    def send[Bob, Alice](Bob.int n) -> Alice.int {
        Bob.n ~> Alice.n;
        return more[Alice](Alice.n);
    }

    def more[Bob](Bob.int n) -> Bob.int {
        return Bob.(n + 1);
    }

    def run() -> Alice.int, Bob.int {
        Bob.int b = send[Alice, Bob](Alice.(3));
        Alice.int a = send[Bob, Alice](Bob.(2));
        return Alice.a, Bob.b;
    }
)

#include "hidden.Alice.chor.h"
#include "hidden.Bob.chor.h"

int main(void)
{
    struct hidden_run_result r;
    if (hidden_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Alice, r.Bob);
    return 0;
}
