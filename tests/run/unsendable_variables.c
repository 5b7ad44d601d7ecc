// A type that can't be sent can be a role's variable: a pointer, a FILE *, a union.
// expect: 12 written, 5
//! no-process: a pointer is an argument
#include <chorex.h>
#include <stdio.h>

union either { int i; float f; };

choreography(local, (Alice, Bob),
    def run(Alice.FILE *file, Alice.int *counter) -> Bob.{int, int} {
        Alice.int written = fprintf(file, "a dozen char");
        Alice.union either e = {.i = 4};
        Alice.(*counter = e.i + 1);
        Alice.int *same = counter;
        Alice.{written, *same} ~> Bob.{w, c};
        return Bob.{w, c};
    }
)

#include "local.Alice.chor.h"
#include "local.Bob.chor.h"

int main(void)
{
    int counter = 0;
    FILE *file = tmpfile();
    struct local_run_result r;
    if (file == NULL || local_run(&r, NULL, file, &counter) != CHX_OK)
        return 1;
    fclose(file);
    printf("%d written, %d\n", r.Bob.v0, r.Bob.v1);
    return counter == 5 ? 0 : 1;
}
