// Whatever the caller has blocked, a role that crashes is rescued; and when the call returns, the same signals are blocked
// as before, also if a role has changed that and then crashed.
//! no-sanitizer
//! no-central: it is over when it has been started
//! no-process: the crashes are those of threads
// expect: run: 40 rescues, mask kept
// expect: start and wait: 40 rescues, mask kept
// expect: not rescued: SIGSEGV (segmentation fault), mask kept
// expect: cancelled: mask kept
// expect: in a role's function: 40 rescues, mask kept
// expect: signals of the program: 0 on other threads
#define _GNU_SOURCE
#include <chorex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

choreography(masks, (Alice, Bob),
    int Alice.crash(int round);
    int Bob.nested(int depth);

    def run(Alice.int rounds) -> Bob.int {
        Alice.int round = 0;
        Bob.int rescues = 0;
        while (Alice.(round < rounds)) {
            checkpoint {
                Alice.crash(round) ~> Bob._;
            } rescue {
                Bob.rescues++;
            }
            Alice.round++;
        }
        return Bob.rescues;
    }
    def unrescued() {
        Alice.crash(0) ~> Bob._;
    }
    def outer(Bob.int depth) -> Bob.int {
        return Bob.nested(depth);
    }
)

#include "masks.Alice.chor.h"
#include "masks.Bob.chor.h"

static volatile int zero, one = 1, is_nested;
static pthread_t main_thread;
static volatile sig_atomic_t elsewhere;

static void note(int signal)
{
    (void)signal;
    if (!pthread_equal(pthread_self(), main_thread))
        elsewhere++;
}

int Alice_crash(int round)
{
    sigset_t alarm, mask;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    if (round % 4 == 1)
        kill(getpid(), SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &mask);
    // The last crash has left this behind.
    if (pthread_equal(pthread_self(), main_thread) && !is_nested && sigismember(&mask, SIGALRM) == 1)
        exit(3);
    switch (round % 4) {
    case 0:
        return *(volatile int *)(intptr_t)zero;
    case 1:
        return one / zero;
    case 2:
        abort();
    default:
        return raise(SIGBUS);
    }
}

static int is_kept(const sigset_t *before)
{
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < SIGRTMAX; i++)
        if (sigismember(before, i) != sigismember(&after, i))
            return 0;
    return 1;
}

int Bob_nested(int depth)
{
    sigset_t before, all;
    struct masks_outer_result outer;
    struct masks_run_result result = {0};
    is_nested = 1;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &all);
    chx_status status = depth > 0 ? masks_outer(&outer, NULL, depth - 1) : masks_run(&result, NULL, 40);
    int good = status == CHX_OK && is_kept(&all);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !good ? -1 : depth > 0 ? outer.Bob : result.Bob;
}

int main(void)
{
    struct sigaction action;
    sigset_t mask, before;
    struct masks_run_result result;
    struct masks_outer_result outer;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigaction(SIGALRM, &action, NULL);
    main_thread = pthread_self();
    sigfillset(&mask);
    sigdelset(&mask, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &before);

    if (masks_run(&result, NULL, 40) != CHX_OK)
        return 1;
    printf("run: %d rescues, mask %s\n", result.Bob, is_kept(&before) ? "kept" : "lost");
    if (masks_run_wait(masks_run_start(NULL, NULL, 40), &result) != CHX_OK)
        return 1;
    printf("start and wait: %d rescues, mask %s\n", result.Bob, is_kept(&before) ? "kept" : "lost");
    if (masks_unrescued(NULL) != CHX_FAILED)
        return 1;
    printf("not rescued: %s, mask %s\n", chx_last_report()->why, is_kept(&before) ? "kept" : "lost");
    chx_session *session = masks_run_start(NULL, NULL, 1000000);
    chx_session_cancel(session);
    if (masks_run_wait(session, &result) != CHX_CANCELLED)
        return 1;
    printf("cancelled: mask %s\n", is_kept(&before) ? "kept" : "lost");
    if (masks_outer(&outer, NULL, 2) != CHX_OK)
        return 1;
    printf("in a role's function: %d rescues, mask %s\n", outer.Bob, is_kept(&before) ? "kept" : "lost");
    printf("signals of the program: %d on other threads\n", (int)elsewhere);
    return 0;
}
