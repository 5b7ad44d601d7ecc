// NAME_DEF_start copies its arguments before it returns; many sessions run at once; out may be NULL.
// expect: 100 sessions, sum 4950, same text
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(parallel, (Alice, Bob),
    def run(Alice.int n, Alice.const char *text, Alice.int a[2]) -> Bob.{int, const char *} {
        Alice.{n + a[0] + a[1], text} ~> Bob.{n, text};
        return Bob.{n, text};
    }
)

#include "parallel.Alice.chor.h"
#include "parallel.Bob.chor.h"

enum { COUNT = 100 };

int main(void)
{
    chx_session *sessions[COUNT];
    char text[] = "same text";
    for (int i = 0; i < COUNT; i++) {
        int a[2] = {i, -i};
        strcpy(text, "same text");
        sessions[i] = parallel_run_start(NULL, NULL, i, text, a);
        memset(text, '?', 9);
        a[0] = a[1] = 1000;
    }
    int sum = 0;
    for (int i = 0; i < COUNT - 1; i++) {
        struct parallel_run_result r;
        if (parallel_run_wait(sessions[i], &r) != CHX_OK)
            return 1;
        sum += r.Bob.v0;
        strcpy(text, r.Bob.v1);
        parallel_run_result_drop(&r);
    }
    if (parallel_run_wait(sessions[COUNT - 1], NULL) != CHX_OK)
        return 1;
    printf("%d sessions, sum %d, %s\n", COUNT, sum + COUNT - 1, text);
    return 0;
}
