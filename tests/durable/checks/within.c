// The time of an attempt begins with the attempt: not while a function of the one before still runs, and not again when a block
// inside of it is over.
#include <chorex.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

choreography(within, (Ann, Bob),
    int Ann.work(void);
    int Ann.rest(void);
    def retried() -> Bob.int {
        Bob.got = 0;
        checkpoint durable within 300ms retry 1 {
            Ann.work() ~> Bob.got;
        } rescue (fault) {
            Bob.got = -1000 - fault.kind;
        }
        return Bob.got;
    }
    def rescued() -> Bob.int {
        Bob.got = 0;
        checkpoint durable within 2s {
            checkpoint durable within 300ms {
                Ann.work() ~> Bob.got;
            } rescue {
                Ann.work() ~> Bob.got;
            }
        } rescue (fault) {
            Bob.got = -1000 - fault.kind;
        }
        return Bob.got;
    }
    def inside() -> Bob.int {
        Bob.got = 0;
        checkpoint durable within 500ms {
            checkpoint durable {
                Ann.rest() ~> Bob.got;
            }
            checkpoint durable {
                Ann.rest() ~> Bob.got;
            }
        } rescue (fault) {
            Bob.got = -1000 - fault.kind;
        }
        return Bob.got;
    }
)

#include "within.Ann.chor.h"
#include "within.Bob.chor.h"

// The number of calls is the size of a file, since the role may be in a process, which is another one in the next attempt.
static int calls_file(int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.calls", getenv("STORE_FILE"));
    return open(path, O_WRONLY | O_CREAT | O_APPEND | flags, 0600);
}

static void take_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

// Takes three times as long as it may, at first.
int Ann_work(void)
{
    int file = calls_file(0);
    if (write(file, "x", 1) != 1)
        return -1;
    int call = (int)lseek(file, 0, SEEK_END);
    close(file);
    if (call == 1)
        take_ms(900);
    return call;
}

int Ann_rest(void)
{
    take_ms(300);
    return 1;
}

static void run(const char *isolation)
{
    struct within_retried_result retried;
    struct within_rescued_result rescued;
    struct within_inside_result inside;
    setenv("CHOREX_ISOLATION", isolation, 1);
    chx_status status = within_retried(&retried, NULL);
    printf("%s: %s, %d\n", isolation, chx_status_text(status), status == CHX_OK ? retried.Bob : 0);
    close(calls_file(O_TRUNC));
    status = within_rescued(&rescued, NULL);
    printf("%s: %s, %d\n", isolation, chx_status_text(status), status == CHX_OK ? rescued.Bob : 0);
    status = within_inside(&inside, NULL);
    printf("%s: %s, %s\n", isolation, chx_status_text(status),
           status == CHX_OK && inside.Bob == -1000 - CHX_FAULT_DEADLINE ? "too late" : "in time");
}

int main(void)
{
    static const char *const isolations[] = {"thread", "process"};
    setenv("CHOREX_LOG", "error", 1);
    for (int i = 0; i < 2; i++) {
        close(calls_file(O_TRUNC));
        fflush(stdout);
        if (fork() == 0) {
            run(isolations[i]);
            fflush(stdout);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
