// What the log says of a role that fails has its line; a session that is stopped has none, and is no role.
// expect: log_of_failures.c:16: Alice failed: as planned
// expect: log_of_failures.c: the session is stopped: cancelled
//! no-central
//! no-sim
#define _GNU_SOURCE
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(logged, (Alice, Bob),
    void Alice.fail(void);
    def failing() {
        Bob.(1) ~> Alice._;
        Alice.fail();
    }
    def endless() {
        for (;;) {
            Alice.(1) ~> Bob._;
            Bob.(1) ~> Alice._;
        }
    }
)

#include "logged.Alice.chor.h"
#include "logged.Bob.chor.h"

void Alice_fail(void)
{
    chx_fail("as planned");
}

static void print(void *context, chx_log_level level, const char *text)
{
    (void)context;
    const char *file = strstr(text, "log_of_failures.c");
    if (level == CHX_LOG_INFO && file != NULL)
        puts(file);
}

int main(void)
{
    setenv("CHOREX_LOG", "info", 1);
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 2, .log = print});
    if (logged_failing_wait(logged_failing_start(runtime, NULL)) != CHX_FAILED)
        return 1;
    chx_session *session = logged_endless_start(runtime, NULL);
    chx_session_cancel(session);
    if (logged_endless_wait(session) != CHX_CANCELLED)
        return 2;
    chx_runtime_free(runtime);
    return 0;
}
