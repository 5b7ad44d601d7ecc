# What the tests share that see how often a program's main runs. Included after common.bash and processes.bash.
#
# A mistake here may start processes without end. So each program runs in a PID namespace of its own, which ends with it.

# contained COMMAND...: runs it there, for at most 60 seconds.
if unshare --pid --fork --mount-proc --kill-child true 2>/dev/null; then
    contained() { timeout -s KILL 60 unshare --pid --fork --mount-proc --kill-child "$@"; }
elif unshare --user --map-root-user --pid --fork --mount-proc --kill-child true 2>/dev/null; then
    contained() { timeout -s KILL 60 unshare --user --map-root-user --pid --fork --mount-proc --kill-child "$@"; }
else
    echo "skipped: no PID namespace can be made here"
    exit 0
fi

# Other users must get to the programs.
chmod 755 .
printf '%s\n' '#!/bin/sh' 'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' >nobody
chmod 755 nobody
may_be_nobody() { [ "$(id -u)" = 0 ] && ./nobody test -x "$PWD/nobody" 2>/dev/null; }

# work: writes work.c: `work` runs a session with two isolated roles and prints what came of it, a negative
# number if both were in one process; main.c, which calls it; and
# builds nothing.
work()
{
    cat >work.c <<'END_OF_WORK'
#define _GNU_SOURCE
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

choreography(work, (A, B),
    int B.process(void);
    def run(A.int n) -> A.int {
        A.(n + 1) ~> B.m;
        B.process() ~> A.process;
        B.(m * 2) ~> A.k;
        return A.(process != getppid() && process != getpid() ? k : -k);
    }
)
#include "work.A.chor.h"
#include "work.B.chor.h"

int B_process(void) { return getpid(); }

int work(void)
{
    struct work_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    struct work_run_result result;
    if (getenv("THREADS") != NULL)
        cast = (struct work_cast){0};
    chx_status status = work_run(&result, &cast, 20);
    if (status == CHX_OK)
        printf("result %d\n", result.A);
    else
        printf("status %d: %s\n", (int)status, chx_last_report()->why);
    fflush(stdout);
    return status == CHX_OK ? 0 : 1;
}
END_OF_WORK
    cat >main.c <<'END_OF_MAIN'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifndef CONSTRUCTOR
#define CONSTRUCTOR
#endif

int work(void);

// One byte more in a file: main runs.
static void count(void)
{
    int file = open(COUNT, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, "x", 1) != 1)
        _exit(99);
    close(file);
}

CONSTRUCTOR

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    count();
    if (strcmp(how, "secure") == 0)
        return getauxval(AT_SECURE) != 0 ? 0 : 1;
    if (strcmp(how, "drop") == 0 && setresuid(65534, 65534, 65534) != 0)
        return 98;
    if (strcmp(how, "effective") == 0 && seteuid(65534) != 0)
        return 98;
    if (strcmp(how, "pause") == 0) {
        puts("ready");
        fflush(stdout);
        getchar();
    }
    if (strcmp(how, "unset") == 0)
        unsetenv(argv[2]);
    return work();
}
END_OF_MAIN
    : >count
    chmod 666 count
}

# program NAME ARGUMENTS...: main.c with these
program()
{
    local name=$1
    shift
    "$CHORCC" -DCOUNT="\"$PWD/count\"" "$@" -o "$name"
}

# once TEXT COMMAND...: main runs exactly once, and what is printed begins with this text.
once()
{
    local text=$1
    shift
    : >count
    contained "$@" >out 2>err </dev/null || true
    [ "$(cat count)" = x ] || { cat out err >&2; fail "$*: main has run $(wc -c <count) times"; }
    case $(cat out) in
    "$text"*) ;;
    *) cat err >&2; fail "$*: prints '$(cat out)', not '$text'" ;;
    esac
}

# What a refusal looks like: CHX_INVALID, and what to do.
refused="status 4: roles can't have processes of their own here (use CHX_THREAD): "
