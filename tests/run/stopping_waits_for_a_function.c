// A session that is cancelled while a role is in a function that does not return: the log says after a second for whom it waits.
// expect: Waiter is waited for, in line 19
// expect: cancelled
//! no-process
//! no-central
//! no-sim
#include <chorex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_inside, may_return;

choreography(keeping, (Waiter, Other),
    def run() {
        Other.(1) ~> Waiter._;
        Waiter.wait();
        Waiter.(2) ~> Other._;
    }
)

#include "keeping.Other.chor.h"
#include "keeping.Waiter.chor.h"

static void say(bool *what)
{
    pthread_mutex_lock(&lock);
    *what = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until(const bool *what)
{
    pthread_mutex_lock(&lock);
    while (!*what)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void Waiter_wait(void)
{
    say(&is_inside);
    wait_until(&may_return);
}

static void hear(void *context, chx_log_level level, const char *message)
{
    (void)context;
    (void)level;
    const char *line = strchr(message, ':');
    if (line == NULL || strstr(message, "waits for Waiter") == NULL)
        return;
    printf("Waiter is waited for, in line %.*s\n", (int)strspn(line + 1, "0123456789"), line + 1);
    say(&may_return);
}

int main(void)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.log = hear});
    chx_session *session = keeping_run_start(runtime, NULL);
    wait_until(&is_inside);
    chx_session_cancel(session);
    puts(keeping_run_wait(session) == CHX_CANCELLED ? "cancelled" : "not cancelled");
    chx_runtime_free(runtime);
    return 0;
}
