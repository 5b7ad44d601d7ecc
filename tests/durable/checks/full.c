// A store that stays full: a session that is not in it yet is refused after a while, one that is cancelled ends, all others wait until there
// is space.
#include <chorex.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

choreography(full, (Ann, Bob),
    void Ann.begun(void);
    int Ann.wait(int gate);
    def run(Ann.int gate) -> Bob.int {
        Bob.result = 0;
        checkpoint durable {
            Ann.begun();
            Ann.wait(gate) ~> Bob.result;
        }
        return Bob.result;
    }
)

#include "full.Ann.chor.h"
#include "full.Bob.chor.h"

static int begun[2];

void Ann_begun(void)
{
    if (write(begun[1], "x", 1) != 1)
        chx_fail("no pipe");
}

int Ann_wait(int gate)
{
    char byte;
    struct pollfd ready[] = {{.fd = gate, .events = POLLIN}, {.fd = chx_recall_fd(), .events = POLLIN}};
    poll(ready, 2, -1);
    return ready[0].revents != 0 && read(gate, &byte, 1) == 1;
}

static void say(const char *what, chx_status status)
{
    printf("%s: %s%s%s\n", what, chx_status_text(status), status != CHX_OK ? ", " : "",
           status != CHX_OK ? chx_last_report()->why : "");
}

int main(void)
{
    char path[4096], byte;
    int gates[2][2];
    struct full_run_result result;
    snprintf(path, sizeof path, "%s.full", getenv("STORE_FILE"));
    setenv("FILE_STORE_FULL", path, 1);
    setenv("CHOREX_LOG", "off", 1);
    if (pipe(begun) != 0 || pipe(gates[0]) != 0 || pipe(gates[1]) != 0)
        return 1;
    chx_session *waits = full_run_open(NULL, "waits", NULL, gates[0][0]);
    chx_session *cancelled = full_run_open(NULL, "cancelled", NULL, gates[1][0]);
    if (read(begun[0], &byte, 1) != 1 || read(begun[0], &byte, 1) != 1)
        return 1;
    close(open(path, O_CREAT | O_WRONLY, 0600));
    // It has its result, which can't be kept.
    if (write(gates[0][1], "x", 1) != 1)
        return 1;
    chx_session_cancel(cancelled);
    say("cancelled", full_run_wait(cancelled, &result));
    say("new", full_run_wait(full_run_open(NULL, "new", NULL, gates[1][0]), &result));
    printf("waits: %s\n", chx_session_is_over(waits) ? "no" : "yes");
    unlink(path);
    say("waits", full_run_wait(waits, &result));
    printf("result %d\n", result.Bob);
    // The store knew nothing of the end: both can be opened.
    if (write(gates[1][1], "xx", 2) != 2)
        return 1;
    say("new", full_run_wait(full_run_open(NULL, "new", NULL, gates[1][0]), &result));
    // It was lost in its block, which has no attempt left.
    say("cancelled", full_run_wait(full_run_open(NULL, "cancelled", NULL, gates[1][0]), &result));
    return 0;
}
