// A role may bear the name of a C type, and a variable that of a role.
// expect: 2026 4
#include <chorex.h>
#include <stdio.h>

typedef struct { int year; } Date;

choreography(named, (Date, Alice),
    def run(Alice.Date d) -> Date.int, Alice.int {
        Alice.d ~> Date.when;
        Date.int Alice = when.year;
        Date.(Alice - 2022) ~> Alice.Alice;
        return Date.Alice, Alice.Alice;
    }
)

#include "named.Date.chor.h"
#include "named.Alice.chor.h"

int main(void)
{
    struct named_run_result r;
    Date d = {2026};
    if (named_run(&r, NULL, d) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Date, r.Alice);
    return 0;
}
