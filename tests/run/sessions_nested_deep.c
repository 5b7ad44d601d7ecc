// Sessions that are started inside of one another's role functions, deeper than there are threads in the pool: they come to
// their end, or the start that finds no more room on the stack is refused with a reason.
//! no-process: the depth is that of one program's threads
//! no-sanitizer: their frames are larger
//! seeds: 1
// expect: run: 600 deep
// expect: start and wait: 600 deep
// expect: by turns: 600 deep
// expect: without end: refused, the thread's stack is almost used up, and all above end in order
// expect: without end: refused, the thread's stack is almost used up, and all above end in order
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(deep, (Alice, Bob),
    int Alice.deeper(int depth, int way);
    def run(Alice.int depth, Alice.int way) -> Bob.int {
        Alice.int below = deeper(depth, way);
        Alice.below ~> Bob.n;
        return Bob.(n + 1);
    }
)

#include "deep.Alice.chor.h"
#include "deep.Bob.chor.h"

enum { RUN, START, BY_TURNS };

static int refused;

int Alice_deeper(int depth, int way)
{
    struct deep_run_result result;
    chx_status status;
    if (depth == 0)
        return 0;
    if (way == RUN || (way == BY_TURNS && depth % 2 == 0))
        status = deep_run(&result, NULL, depth - 1, way);
    else
        status = deep_run_wait(deep_run_start(NULL, NULL, depth - 1, way), &result);
    if (status != CHX_OK && strstr(chx_last_report()->why, "the thread's stack is almost used up") != NULL)
        refused++;
    else if (status != CHX_OK)
        printf("%d levels above the end: %s: %s\n", depth, chx_status_text(status), chx_last_report()->why);
    return status == CHX_OK ? result.Bob : 0;
}

static int run(const char *what, int way)
{
    struct deep_run_result result;
    if (deep_run(&result, NULL, 600, way) != CHX_OK)
        return 1;
    printf("%s: %d deep\n", what, result.Bob - 1);
    return 0;
}

int main(void)
{
    struct deep_run_result result;
    if (run("run", RUN) != 0 || run("start and wait", START) != 0 || run("by turns", BY_TURNS) != 0 || refused != 0)
        return 1;
    for (int way = RUN; way <= START; way++) {
        refused = 0;
        if (deep_run(&result, NULL, 1000000000, way) != CHX_OK)
            return 2;
        if (refused == 1)
            printf("without end: refused, the thread's stack is almost used up, and all above end in order\n");
    }
    return 0;
}
