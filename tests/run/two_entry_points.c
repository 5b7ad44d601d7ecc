// Every definition with located parameters can be started from C, recursive calls of one another included.
// expect: 12 7
#include <chorex.h>
#include <stdio.h>

choreography(entries, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Bob.y = add(Alice.x, Bob.(2));
        return Bob.y;
    }
    def add(Alice.int x, Bob.int y) -> Bob.int {
        Alice.x ~> Bob.z;
        return Bob.(y + z);
    }
)

#include "entries.Alice.chor.h"
#include "entries.Bob.chor.h"

int main(void)
{
    struct entries_run_result first;
    struct entries_add_result second;
    if (entries_run(&first, NULL, 10) != CHX_OK || entries_add(&second, NULL, 3, 4) != CHX_OK)
        return 1;
    printf("%d %d\n", first.Bob, second.Bob);
    return 0;
}
