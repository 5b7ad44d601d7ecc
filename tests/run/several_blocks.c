// Two choreographies in one file, with different roles and with roles of the same name.
// expect: 5 6
#include <chorex.h>
#include <stdio.h>

choreography(first, (Alice, Bob),
    int Alice.make(void);
    def run() -> Bob.int {
        Alice.make() ~> Bob.x;
        return Bob.x;
    }
)

#include "first.Alice.chor.h"
#include "first.Bob.chor.h"

int Alice_make(void) { return 5; }

choreography(second, (Bob, Alice),
    int Alice.make(void);
    def run() -> Bob.int {
        Alice.make() ~> Bob.x;
        return Bob.x;
    }
)

#define CHX_ROLE_AS second_alice
#include "second.Alice.chor.h"
#include "second.Bob.chor.h"

int second_alice_make(void) { return 6; }

int main(void)
{
    struct first_run_result a;
    struct second_run_result b;
    struct second_cast cast = {.Alice = {.role = &second_alice}};
    if (first_run(&a, NULL) != CHX_OK || second_run(&b, &cast) != CHX_OK)
        return 1;
    printf("%d %d\n", a.Bob, b.Bob);
    return 0;
}
