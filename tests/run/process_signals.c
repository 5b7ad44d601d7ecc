// A role in a process of its own has the signals as the program has them: none blocked, also if the program blocks some when
// it starts the first one; only those of a terminal are the program's alone.
// expect: blocked 0, changed 0
//! no-central
//! no-sim
#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <signal.h>
#include <stdio.h>

static const int looked_at[] = {SIGTERM, SIGTSTP, SIGCHLD, SIGUSR1, SIGPIPE, SIGALRM};
enum { COUNT = sizeof looked_at / sizeof *looked_at };
typedef struct {
    bool is_default[COUNT];
} handlers;

choreography(signals, (Alice, Bob),
    int Alice.blocked(void);
    int Alice.changed(handlers program);
    def run(Alice.handlers program) -> Alice.{int, int} {
        Bob.(1) ~> Alice._;
        return Alice.{blocked(), changed(program)};
    }
)

#include "signals.Alice.chor.h"
#include "signals.Bob.chor.h"

static handlers handlers_now(void)
{
    handlers now = {{0}};
    for (int i = 0; i < COUNT; i++) {
        struct sigaction action;
        sigaction(looked_at[i], NULL, &action);
        now.is_default[i] = action.sa_handler == SIG_DFL;
    }
    return now;
}

int Alice_blocked(void)
{
    sigset_t set;
    int count = 0;
    sigprocmask(SIG_BLOCK, NULL, &set);
    for (int i = 0; i < COUNT; i++)
        count += sigismember(&set, looked_at[i]);
    return count;
}

int Alice_changed(handlers program)
{
    handlers now = handlers_now();
    int count = 0;
    for (int i = 0; i < COUNT; i++)
        count += now.is_default[i] != program.is_default[i];
    return count;
}

int main(void)
{
    struct signals_cast cast = {.Alice = {.isolation = CHX_PROCESS}};
    struct signals_run_result r;
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, NULL);
    if (signals_run(&r, &cast, handlers_now()) != CHX_OK)
        return 1;
    printf("blocked %d, changed %d\n", r.Alice.v0, r.Alice.v1);
    return 0;
}
