// A store that does not answer for longer than the block may take: its roles wait, and the block's time does not run meanwhile. A child
// that is forked later has a store of its own.
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(slow, (Ann, Bob),
    int Ann.number(void);
    def run() -> Bob.int {
        Bob.sum = 0;
        Ann.left = 3;
        checkpoint durable within 200ms while (Ann.(left > 0)) {
            Ann.left = left - 1;
            Ann.number() ~> Bob.got;
            Bob.sum += got;
        } rescue (fault) {
            Bob.sum = -1000 - fault.kind;
            Ann.left = 0;
        }
        return Bob.sum;
    }
)

#include "slow.Ann.chor.h"
#include "slow.Bob.chor.h"

int Ann_number(void) { return 7; }

static void run(const char *name)
{
    struct slow_run_result result;
    chx_status status = slow_run_wait(slow_run_open(NULL, name, NULL), &result);
    printf("%s: %s, %d\n", name, chx_status_text(status), result.Bob);
    fflush(stdout);
}

int main(void)
{
    static const char *const at[] = {"2:again", "3:full", "4:again"};
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        if (fork() == 0) {
            setenv("FILE_STORE_AT", at[i], 1);
            setenv("CHOREX_LOG", "error", 1);
            run(at[i]);
            _exit(0);
        }
        wait(NULL);
    }
    run("parent");
    if (fork() == 0) {
        run("child");
        _exit(0);
    }
    wait(NULL);
    return 0;
}
