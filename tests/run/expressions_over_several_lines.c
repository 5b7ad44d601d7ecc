// Located expressions and statements may span lines and carry comments.
// expect: 42
#include <chorex.h>
#include <stdio.h>

choreography(lines, (Alice, Bob),
    def run(Alice.int x,
            Bob.int y)
        -> Bob.int
    {
        Alice.(x     // the first part
               + 1   /* and
                        the second */
               + 2)
            ~>
            Bob
            .z;
        return Bob.(
            z
            + y
        );
    }
)

#include "lines.Alice.chor.h"
#include "lines.Bob.chor.h"

int main(void)
{
    struct lines_run_result r;
    if (lines_run(&r, NULL, 30, 9) != CHX_OK)
        return 1;
    printf("%d\n", r.Bob);
    return 0;
}
