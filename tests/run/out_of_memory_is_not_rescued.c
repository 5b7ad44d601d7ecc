// Out of memory is nothing that another attempt or a rescue could make good: the session fails, and nobody is restarted.
//! no-central
//! no-process: a process has its own memory
// expect: enough: rescued 7
// expect: not enough: a role failed: Alice: out of memory, 0 restarts
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(scarce, (Alice, Bob),
    void Alice.fail(int size);
    def run(Alice.int size) -> Bob.int {
        Bob.int r = 0;
        checkpoint retry 3 {
            Bob.(1) ~> Alice._;
            Alice.fail(size);
        } rescue {
            Alice.(7) ~> Bob.r;
        }
        return Bob.r;
    }
)

#include "scarce.Alice.chor.h"
#include "scarce.Bob.chor.h"

enum { LIMIT = 1 << 24 };

void Alice_fail(int size)
{
    chx_alloc((size_t)size);
    chx_fail("otherwise");
}

static void *allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size != 0)
        return size < LIMIT ? realloc(old, size) : NULL;
    free(old);
    return NULL;
}

int main(void)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.allocate = allocate});
    struct scarce_run_result r;
    if (scarce_run_wait(scarce_run_start(runtime, NULL, 10), &r) != CHX_OK)
        return 1;
    printf("enough: rescued %d\n", r.Bob);
    chx_status status = scarce_run_wait(scarce_run_start(runtime, NULL, LIMIT), &r);
    const chx_report *report = chx_last_report();
    printf("not enough: %s: %s: %s, %u restarts\n", chx_status_text(status), report->role, report->why,
           report->restarts);
    chx_runtime_free(runtime);
    return 0;
}
