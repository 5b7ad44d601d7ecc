// duet.c: two roles that are killed, or kill themselves, in every state, and a third one that decides and is left alone.
//
// Each process plays one role (CHOREX_ROLES). KILL_AT=ROLE.STATE makes it kill itself there, once: a mark is left in the folder.
// SLEEP_AT=ROLE.STATE makes it sleep there for two seconds, without hearing anybody.

#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

choreography(duet, (Judge, Left, Right),
    void Left.at(const char *state);
    void Right.at(const char *state);

    def run() -> Judge.int, Left.int, Right.int {
        Judge.int seen = 0;
        Left.int heard = 0;
        Left.at("begin");
        Right.at("begin");
        Left.(1) ~> Right.got;
        checkpoint {
            Left.at("enter");
            Right.at("enter");
            checkpoint retry 3 {
                Left.at("inside");
                Left.(2) ~> Right.got;
                Right.at("inside");
                Right.(got + 1) ~> Left.heard;
                Left.heard ~> Judge.seen;
                Left.at("end");
                Right.at("end");
            } rescue {
                Left.at("rescue");
                Left.(20) ~> Right.got;
                Right.at("rescue");
                Right.(got + 10) ~> Judge.seen;
            }
            Left.at("between");
        } rescue {
            Left.at("outer");
            Left.(200) ~> Right.got;
            Right.at("outer");
            Right.(got + 100) ~> Judge.seen;
        }
        Left.at("after");
        Right.at("after");
        return Judge.seen, Left.heard, Right.got;
    }
)
#include "duet.Judge.chor.h"
#include "duet.Left.chor.h"
#include "duet.Right.chor.h"

// Is it in the list, as in "Left.enter,Right.enter"?
static bool is_named(const char *list, const char *here)
{
    const char *found = list != NULL ? strstr(list, here) : NULL;
    return found != NULL && (found[strlen(here)] == '\0' || found[strlen(here)] == ',');
}

static int session_number;

static void at(const char *role, const char *state)
{
    static atomic_int sleepers;
    static const struct timespec while_ns = {2, 0};
    char here[100], mark[120];
    // In the n-th session of this process it is also STATEn.
    snprintf(here, sizeof here, "%s.%s%d", role, state, session_number);
    if (!is_named(getenv("KILL_AT"), here))
        snprintf(here, sizeof here, "%s.%s", role, state);
    snprintf(mark, sizeof mark, "mark.%s", here);
    if (is_named(getenv("KILL_AT"), here) && open(mark, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
        kill(getpid(), SIGKILL);
    if (is_named(getenv("SLEEP_AT"), here)) {
        printf("%s\n", atomic_fetch_add(&sleepers, 1) > 0 ? "two at once" : "sleeps");
        nanosleep(&while_ns, NULL);
        atomic_fetch_sub(&sleepers, 1);
    }
}

void Left_at(const char *state)
{
    at("Left", state);
}

void Right_at(const char *state)
{
    at("Right", state);
}

static int run_one(void)
{
    struct duet_run_result result;
    chx_status status = duet_run(&result, NULL);
    at(getenv("CHOREX_ROLES"), "ended");
    if (status != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("failed: %s: %s: %s\n", chx_status_text(status), report->role, report->why);
        return 3;
    }
    printf("good: %d %d %d\n", result.Judge, result.Left, result.Right);
    return 0;
}

// LOOP: so many sessions, whatever becomes of them.
int main(void)
{
    int count = getenv("LOOP") != NULL ? atoi(getenv("LOOP")) : 1, code = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    at(getenv("CHOREX_ROLES"), "start");
    for (int i = 1; i <= count; i++) {
        session_number = i;
        at(getenv("CHOREX_ROLES"), "session");
        code = run_one();
    }
    return code;
}
