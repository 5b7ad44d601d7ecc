# What a role in a process of its own starts ends with it, however that ends and whatever its children have done to get away.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
cp "$(command -v sleep)" sleeper
cat >family.c <<'END_OF_FAMILY'
#define _GNU_SOURCE
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(family, (A, B),
    void A.start(void);
    void B.finish(void);
    def run(B.bool waits) {
        A.start();
        A.(1) ~> B._;
        if (B.waits) {
            B.finish();
        }
    }
)
#include "family.A.chor.h"
#include "family.B.chor.h"

static void sleeper(void)
{
    execl("./sleeper", "sleeper", "1000", (char *)NULL);
    _exit(9);
}

void A_start(void)
{
    // Its child, one of its own session whose parent is gone, a whole chain of processes, one of a shell's.
    if (fork() == 0)
        sleeper();
    if (fork() == 0) {
        if (setsid() > 0 && fork() == 0)
            sleeper();
        _exit(0);
    }
    if (fork() == 0) {
        for (int i = 0; i < 5 && fork() == 0; i++)
            setpgid(0, 0);
        sleeper();
    }
    if (system("./sleeper 1000 & ./sleeper 1000 </dev/null >/dev/null 2>&1 &") != 0)
        abort();
    // It can still wait for a child of its own.
    int status;
    pid_t own = fork();
    if (own == 0)
        _exit(7);
    if (waitpid(own, &status, 0) != own || WEXITSTATUS(status) != 7)
        abort();
}

// A is stopped in its next step, which never comes: it waits here.
void B_finish(void)
{
    printf("started\n");
    fflush(stdout);
    pause();
}

int main(int argc, char **argv)
{
    struct family_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    chx_status status = family_run(&cast, argc > 1);
    if (status != CHX_OK)
        fprintf(stderr, "%s\n", chx_last_report()->why);
    if (argc > 2) {
        printf("over\n");
        fflush(stdout);
        getchar();
    }
    (void)argv;
    return status == CHX_OK ? 0 : 1;
}
END_OF_FAMILY
"$CHORCC" -O1 -Wall -Wextra family.c -o family

no_sleepers() { [ -z "$(named sleeper)" ]; }
sleepers() { [ "$(named sleeper | wc -l)" -ge "$1" ]; }

# In good order.
./family
soon "children of a role outlive the program" nothing_runs

# The role has ended, the program has not.
coproc PROGRAM { exec ./family waits; }
read -r line <&"${PROGRAM[0]}"
[ "$line" = started ] || fail "$line"
soon "children outlive their role" no_sleepers
# Others go on: nothing but what the role has left behind was ended.
[ -n "$(named family_B)" ] || fail "the other role was killed, too"
pid=$PROGRAM_PID
kill -9 $(named family_B)
wait "$pid" 2>/dev/null && fail "a killed role is no failure"
soon "processes are left" nothing_runs

# The role is killed while it has children; so is the program, and both at once.
sed -i 's/^void A_start(void)$/static void start_all(void)/; s/^void B_finish(void)$/void A_start(void)\n{\n    start_all();\n    printf("started\\n");\n    fflush(stdout);\n    pause();\n}\n&/' family.c
"$CHORCC" -O1 -Wall -Wextra family.c -o family
for victim in family_A family "family_A family" "family_B"; do
    coproc PROGRAM { exec ./family waits; }
    pid=$PROGRAM_PID
    read -r line <&"${PROGRAM[0]}"
    [ "$line" = started ] || fail "$line"
    soon "the children do not start" sleepers 9
    victims=
    for each in $victim; do
        victims="$victims $(named "$each")"
    done
    kill -9 $victims
    wait "$pid" 2>/dev/null && fail "$victim: killed, and all is well"
    soon "$victim: children of a role outlive it" nothing_runs
done
