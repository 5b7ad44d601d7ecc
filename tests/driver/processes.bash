# What the tests of roles in processes share: a program, and a look at what runs. Included after common.bash.

# worker: writes worker.c, whose sessions have two isolated roles; what it does is its first argument.
worker()
{
    cat >worker.c <<'END'
#define _GNU_SOURCE
#include <chorex.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(worker, (A, B),
    int A.note(int n);
    int B.note(int n);
    def run(A.int rounds) -> A.int, B.int {
        A.int sum = 0;
        B.int process = getpid();
        A.rounds ~> {A, B}.n;
        while ({A, B}.(n != 0)) {
            checkpoint retry 1000000 {
                A.note(n) ~> B.x;
                B.note(x) ~> A.y;
                A.sum += y == n;
            }
            {A, B}.n = n - 1;
        }
        return A.sum, B.(process == getpid());
    }
)

#include "worker.A.chor.h"
#include "worker.B.chor.h"

static int unused; // a place for more

int A_note(int n)
{
    if (getenv("SAY_HERE") != NULL) {
        printf("%s", "A: a line that is as long as a number of eight bytes\n");
        fprintf(stderr, "A\n");
        fflush(stdout);
    }
    return n;
}

int B_note(int n)
{
    if (getenv("SAY") != NULL)
        printf("B: %d\n", n);
    if (getenv("DIE") != NULL && getpid() % 4 != 0)
        _exit(0);
    return n;
}

static int run(chx_runtime *runtime, int rounds)
{
    struct worker_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    struct worker_run_result result;
    if (getenv("SAY_HERE") != NULL)
        cast.A.isolation = CHX_THREAD;
    chx_session *session = worker_run_start(runtime, &cast, rounds);
    if (session == NULL || worker_run_wait(session, &result) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    return result.A == rounds && (result.B == 1 || getenv("DIE") != NULL) ? 0 : 2;
}

static int descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static volatile sig_atomic_t ended, interrupted;
static void on_child(int signal)
{
    (void)signal;
    ended++;
}
static void on_interrupt(int signal)
{
    (void)signal;
    interrupted++;
}

// Whatever children there are, they are the program's own.
static void *wait_for_all(void *argument)
{
    int *foreign = argument;
    for (int i = 0; i < 200; i++) {
        pid_t own = fork(), got;
        if (own == 0)
            _exit(7);
        int status;
        while ((got = wait(&status)) < 0 && errno == EINTR)
            ;
        if (got != own || WEXITSTATUS(status) != 7)
            ++*foreign;
        if (wait(NULL) >= 0)
            ++*foreign;
    }
    return NULL;
}

static void *compute(void *argument)
{
    volatile long *sum = argument;
    for (long i = 0; i < 200000000 && *sum >= 0; i++)
        ++*sum;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "once";
    int status = 0;
    (void)unused;
    setvbuf(stdout, NULL, _IOFBF, 4096);
    if (strcmp(what, "once") == 0) {
        status = run(NULL, 3);
        if (status == 0)
            puts("fine");
    } else if (strcmp(what, "endless") == 0) {
        status = run(NULL, -1);
    } else if (strcmp(what, "rounds") == 0) {
        status = run(NULL, atoi(argv[2]));
        if (status == 0)
            puts("fine");
    } else if (strcmp(what, "many") == 0) {
        chx_runtime *runtime = chx_runtime_new(NULL);
        status = run(runtime, 1);
        int before = descriptors();
        for (int i = 0; i < 1000 && status == 0; i++)
            status = run(runtime, 1);
        if (descriptors() != before)
            status = printf("%d descriptors, then %d\n", before, descriptors());
        puts("waiting");
        fflush(stdout);
        getchar();
        chx_runtime_free(runtime);
        puts("freed");
        fflush(stdout);
        getchar();
    } else if (strcmp(what, "reaper") == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        for (int i = 0; i < 5 && status == 0; i++) {
            chx_runtime *runtime = chx_runtime_new(NULL);
            status = run(runtime, 1);
            chx_runtime_free(runtime);
            if (wait(NULL) >= 0 || errno != ECHILD)
                status = printf("a child was left\n");
        }
    } else if (strcmp(what, "ignored") == 0) {
        signal(SIGCHLD, SIG_IGN);
        for (int i = 0; i < 20 && status == 0; i++)
            status = run(NULL, 3);
    } else if (strcmp(what, "handled") == 0) {
        signal(SIGCHLD, on_child);
        for (int i = 0; i < 20 && status == 0; i++)
            status = run(NULL, 3);
        if (ended != 0)
            status = printf("%d signals\n", (int)ended);
    } else if (strcmp(what, "waits") == 0) {
        int foreign = 0;
        pthread_t thread;
        pthread_create(&thread, NULL, wait_for_all, &foreign);
        for (int i = 0; i < 50 && status == 0; i++) {
            chx_runtime *runtime = chx_runtime_new(NULL);
            status = run(runtime, 3);
            chx_runtime_free(runtime);
        }
        pthread_join(thread, NULL);
        if (foreign != 0)
            status = printf("%d children that are not the program's\n", foreign);
    } else if (strcmp(what, "threads") == 0) {
        pthread_t threads[4];
        long sums[4] = {0};
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, compute, &sums[i]);
        for (int i = 0; i < 20 && status == 0; i++)
            status = run(NULL, 3);
        for (int i = 0; i < 4; i++)
            sums[i] = -1000000000;
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else if (strcmp(what, "interrupted") == 0) {
        signal(SIGINT, on_interrupt);
        struct worker_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
        chx_session *session = worker_run_start(NULL, &cast, -1);
        while (interrupted == 0)
            usleep(1000);
        if (chx_session_report(session) == NULL)
            puts("goes on");
        chx_session_cancel(session);
        status = worker_run_wait(session, NULL) != CHX_CANCELLED;
    } else if (strcmp(what, "limited") == 0) {
        // Root is not limited.
        struct rlimit limit = {(rlim_t)atoi(argv[2]), (rlim_t)atoi(argv[2])};
        struct worker_run_result result;
        if (worker_run(&result, NULL, 1) != CHX_OK || (geteuid() == 0 && (setgid(65533) != 0 || setuid(65533) != 0)))
            return 9;
        setrlimit(RLIMIT_NPROC, &limit);
        status = run(NULL, 3);
    } else if (strcmp(what, "replaced") == 0) {
        puts("ready");
        fflush(stdout);
        getchar();
        status = run(NULL, 3);
        if (status == 0)
            puts("fine");
    }
    return status;
}
END
    "$CHORCC" -O1 -g -Wall -Wextra worker.c -o worker
}

# running: the processes whose program lies in this folder, with their states.
running()
{
    local each
    for each in $(find /proc -maxdepth 2 -path '/proc/[0-9]*/exe' -lname "$PWD/*" 2>/dev/null); do
        each=${each%/exe}
        echo "${each#/proc/}"
    done
}

# Whatever a failed test has started.
trap 'kill -9 $(running) 2>/dev/null || true' EXIT

# named NAME: those of them that are called this; isolated roles are called as their implementation is.
named()
{
    local each name
    for each in $(running); do
        name=$(cat "/proc/$each/comm" 2>/dev/null) || continue
        [ "$name" != "$1" ] || echo "$each"
    done
}

# soon TEXT COMMAND...: the command succeeds within 30 seconds
soon()
{
    local text=$1 i
    shift
    for ((i = 0; i < 1500; i++)); do
        ! "$@" || return 0
        sleep 0.02
    done
    for i in $(running); do
        echo "$i $(cat "/proc/$i/comm") $(grep State "/proc/$i/status")" >&2
    done
    fail "$text"
}

nothing_runs()
{
    [ -z "$(running)" ]
}

roles_run()
{
    [ -n "$(named worker_A)" ] && [ -n "$(named worker_B)" ]
}
