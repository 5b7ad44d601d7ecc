// Two programs that open the same session: the second one is told who runs it, and takes it over when the first one is dead.
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(owner, (Ann, Bob),
    void Ann.stay(void);
    def run() -> Bob.int {
        Bob.kind = -1;
        checkpoint durable {
            Ann.stay();
            Ann.(1) ~> Bob.kind;
        } rescue (fault) {
            Bob.kind = fault.kind;
        }
        return Bob.kind;
    }
)

#include "owner.Ann.chor.h"
#include "owner.Bob.chor.h"

static int ready[2];

void Ann_stay(void)
{
    if (write(ready[1], "x", 1) == 1)
        pause();
}

int main(void)
{
    char byte, text[64];
    struct owner_run_result result;
    if (pipe(ready) != 0)
        return 1;
    pid_t first = fork();
    if (first == 0)
        return owner_run_wait(owner_run_open(NULL, "shared", NULL), &result);
    if (read(ready[0], &byte, 1) != 1)
        return 1;
    chx_session *session = owner_run_open(NULL, "shared", NULL);
    snprintf(text, sizeof text, "process %ld", (long)first);
    const char *why = chx_last_report()->why, *named = strstr(why, text);
    printf("second: %s\n", session != NULL || named == NULL ? why : "the first one's number is named");
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    chx_status status = owner_run_wait(owner_run_open(NULL, "shared", NULL), &result);
    printf("then: %s, %s\n", chx_status_text(status), result.Bob == CHX_FAULT_LOST ? "lost" : "not lost");
    return 0;
}
