// More roles' functions block than there may be threads: a warning says so, once, and everything comes to its end when they
// return.
//! no-process: every role has a thread of its own there
//! no-central: one thread does everything
//! no-sim: its functions wait for one another, and only one thread goes on
// expect: one warning: 512 threads are inside of roles' functions
// expect: 700 sessions ended
#include <chorex.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

choreography(block, (Alice, Bob),
    void Alice.wait(void);
    def run() -> Bob.int {
        Alice.wait();
        Alice.(1) ~> Bob.n;
        return Bob.n;
    }
)

#include "block.Alice.chor.h"
#include "block.Bob.chor.h"

enum { SESSIONS = 700 };

static sem_t warned, released;
static atomic_int warnings;
static char text[200];

void Alice_wait(void) { sem_wait(&released); }

static void note(void *context, chx_log_level level, const char *line)
{
    (void)context;
    if (level == CHX_LOG_WARN && atomic_fetch_add(&warnings, 1) == 0) {
        snprintf(text, sizeof text, "%.42s", line);
        sem_post(&warned);
    }
}

int main(void)
{
    static chx_session *sessions[SESSIONS];
    int ended = 0;
    sem_init(&warned, 0, 0);
    sem_init(&released, 0, 0);
    chx_runtime_options options = {.workers = 2, .signals = true, .log = note};
    chx_runtime *runtime = chx_runtime_new(&options);
    for (int i = 0; i < SESSIONS; i++)
        sessions[i] = block_run_start(runtime, NULL);
    sem_wait(&warned);
    for (int i = 0; i < SESSIONS; i++)
        sem_post(&released);
    for (int i = 0; i < SESSIONS; i++) {
        struct block_run_result result;
        ended += block_run_wait(sessions[i], &result) == CHX_OK && result.Bob == 1;
    }
    chx_runtime_free(runtime);
    if (atomic_load(&warnings) == 1)
        printf("one warning: %s\n", text);
    printf("%d sessions ended\n", ended);
    return 0;
}
