// Sessions can run on a runtime of the caller's, with its number of workers; chx_status_text names statuses.
//! no-central
// expect: 3 on its own
// expect: named
#include <chorex.h>
#include <stdio.h>

choreography(guest, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.y;
    }
)

#include "guest.Alice.chor.h"
#include "guest.Bob.chor.h"

int main(void)
{
    chx_runtime_options options = {.workers = 1};
    chx_runtime *runtime = chx_runtime_new(&options);
    if (runtime == NULL)
        return 1;
    struct guest_run_result r;
    if (guest_run_wait(guest_run_start(runtime, NULL, 3), &r) != CHX_OK)
        return 1;
    printf("%d on its own\n", r.Bob);
    chx_runtime_free(runtime);
    for (chx_status status = CHX_OK; status <= CHX_REFUSED; status++) {
        if (chx_status_text(status)[0] == '\0' ||
            chx_status_text(status) == chx_status_text((chx_status)(CHX_REFUSED + 1)))
            return 1;
    }
    printf("named\n");
    return 0;
}
