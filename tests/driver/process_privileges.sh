# A role's process has what the program has when the session starts, whatever it was when the first one was: identity,
# privileges, limits, directories, environment. A session that was started with other privileges restarts nobody.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
cat >drop.c <<'WHOLE'
#define _GNU_SOURCE
#include <chorex.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

choreography(drop, (A, B),
    chx_str A.about(void);
    void A.die(int times);
    void B.change(int how);
    def tell() -> A.chx_str {
        return A.about();
    }
    // The program changes while the session runs, then A dies.
    def during(B.int how) -> A.chx_str {
        checkpoint retry 1 {
            B.change(how);
            B.how ~> A.how;
            A.die(how);
        }
        return A.about();
    }
)

#include "drop.A.chor.h"
#include "drop.B.chor.h"

chx_str A_about(void)
{
    struct rlimit files, core;
    char folder[4096] = "", line[256];
    const char *said = getenv("SAID");
    mode_t mask = umask(0);
    umask(mask);
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_CORE, &core);
    if (getcwd(folder, sizeof folder) == NULL)
        strcpy(folder, "?");
    const char *name = strrchr(folder, '/');
    char effective[64] = "?";
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        sscanf(line, "CapEff: %63s", effective);
    if (status != NULL)
        fclose(status);
    return chx_strf("uid %d gid %d groups %d caps %s umask %o files %d core %d folder %s said %s no_new_privs %d",
                    (int)geteuid(), (int)getegid(), getgroups(0, NULL), strcmp(effective, "0000000000000000") == 0 ? "none" : "some",
                    (unsigned)mask, (int)files.rlim_cur, (int)core.rlim_cur, name + 1, said != NULL ? said : "nothing",
                    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

void A_die(int times)
{
    static char name[64];
    snprintf(name, sizeof name, "died-%d", times);
    int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (file >= 0)
        raise(SIGKILL);
}

enum { KEEP, GIVE_UP, MOVE };

static void give_up(void)
{
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65533) != 0 || setuid(65533) != 0))
        _exit(9);
}

// B is a thread of the program.
void B_change(int how)
{
    if (how == GIVE_UP)
        give_up();
    if (how == MOVE)
        umask(027);
}

static int tell(void)
{
    struct drop_cast cast = {.A = {.isolation = CHX_PROCESS}};
    struct drop_tell_result r;
    if (drop_tell(&r, &cast) != CHX_OK) {
        printf("refused: %s\n", chx_last_report()->why);
        return 1;
    }
    printf("%s\n", chx_cstr(r.A));
    drop_tell_result_drop(&r);
    return 0;
}

static int during(int how)
{
    struct drop_cast cast = {.A = {.isolation = CHX_PROCESS}};
    struct drop_during_result r;
    if (drop_during(&r, &cast, how) != CHX_OK) {
        printf("failed: %s\n", chx_last_report()->why);
        return 1;
    }
    puts("went on");
    drop_during_result_drop(&r);
    return 0;
}

static void *in_thread(void *argument)
{
    (void)argument;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    tell();
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "surroundings") == 0) {
        umask(022);
        tell();
        umask(077);
        struct rlimit few = {50, 60}, none = {0, 0};
        setrlimit(RLIMIT_NOFILE, &few);
        setrlimit(RLIMIT_CORE, &none);
        mkdir("elsewhere", 0755);
        if (chdir("elsewhere") != 0)
            return 9;
        setenv("SAID", "something", 1);
        return tell();
    }
    if (strcmp(what, "thread") == 0) {
        pthread_t thread;
        tell();
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
        return tell();
    }
    if (strcmp(what, "privileges") == 0) {
        tell();
        give_up();
        return tell();
    }
    if (strcmp(what, "root") == 0) {
        tell();
        if (chroot("elsewhere") != 0 || chdir("/") != 0)
            return 9;
        give_up();
        return tell();
    }
    return during(atoi(what));
}
WHOLE
"$CHORCC" -O1 -g -Wall -Wextra drop.c -o drop

./drop surroundings >out || fail "$(cat out)"
[ "$(sed -n 's/.* umask \(.*\) core .*/\1/p' out | tail -1)" = "77 files 50" ] || fail "$(cat out)"
[ "$(sed -n 's/.* core \(.*\) no_new.*/\1/p' out | tail -1)" = "0 folder elsewhere said something" ] || fail "$(cat out)"

# The privileges of the thread that starts the session, not those of another one.
./drop thread >out || fail "$(cat out)"
[ "$(sed 's/.*no_new_privs //' out | tr '\n' ' ')" = "0 1 0 " ] || fail "$(cat out)"

# What is not a privilege does not keep a role from being restarted.
./drop 0 >out || fail "$(cat out)"
./drop 2 >out || fail "$(cat out)"

soon "processes are left" nothing_runs
[ "$(id -u)" = 0 ] || exit 0
chmod 777 . && chmod 755 drop
./drop privileges >out || fail "$(cat out)"
grep -q "^uid 0 " out || fail "$(cat out)"
tail -1 out | grep -q "^uid 65533 gid 65533 groups 0 caps none " || fail "$(cat out)"
chmod 755 elsewhere
! ./drop root >out || fail "$(cat out)"
tail -1 out | grep -q "^refused: processes can't be started: .*/proc/self/exe" || fail "$(cat out)"
! ./drop 1 >out || fail "$(cat out)"
grep -q "^failed: it can't be restarted: the program's privileges have changed since the session began" out ||
    fail "$(cat out)"
soon "processes are left" nothing_runs
