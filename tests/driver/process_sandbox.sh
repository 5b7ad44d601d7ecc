# What a sandbox takes from a role's process, also from one that is restarted; sandboxes that can't be are refused, by
# the name of the role and the member; and a role never runs without what could not be done.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
cat >box.c <<'WHOLE'
#define _GNU_SOURCE
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

choreography(box, (Guest, Host),
    chx_str Guest.about(int parent, unsigned long net);
    void Guest.die(bool dies);
    bool Host.dies(void);
    def run(Guest.int parent, Guest.unsigned long net) -> Guest.chx_str {
        Host.bool dies = dies();
        checkpoint {
            Host.dies ~> Guest.dies;
            Guest.die(dies);
        } rescue {
        }
        return Guest.about(parent, net);
    }
)

#include "box.Guest.chor.h"
#include "box.Host.chor.h"

bool Host_dies(void) { return true; }
void Guest_die(bool dies)
{
    if (dies)
        raise(SIGKILL);
}

static const char *status_line(const char *name)
{
    static char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    size_t size = strlen(name);
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, name, size) == 0) {
            fclose(status);
            line[strcspn(line, "\n")] = '\0';
            return line + size + strspn(line + size, ":\t");
        }
    if (status != NULL)
        fclose(status);
    return "?";
}

static unsigned long net_number(void)
{
    struct stat about;
    return stat("/proc/self/ns/net", &about) == 0 ? (unsigned long)about.st_ino : 0;
}

chx_str Guest_about(int parent, unsigned long net)
{
    char name[64], byte;
    struct rlimit files;
    struct stat root;
    struct iovec here = {&byte, 1}, there = {(void *)status_line, 1};
    snprintf(name, sizeof name, "/proc/%d/mem", parent);
    int memory = open(name, O_RDONLY), error = errno;
    getrlimit(RLIMIT_NOFILE, &files);
    stat("/", &root);
    int looks_in = process_vm_readv(parent, &here, 1, &there, 1, 0) == 1;
    return chx_strf("uid %d gid %d groups %d caps %s nnp %d dumpable %d files %d only root %d own net %d parent's memory %s %d",
                    (int)getuid(), (int)getgid(), getgroups(0, NULL), status_line("CapEff"),
                    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_DUMPABLE), (int)files.rlim_cur,
                    access("/only-here", F_OK) == 0, net_number() != net,
                    memory >= 0 ? "open" : error == ENOENT ? "not there" : "closed", looks_in);
}

static int run(const chx_sandbox *sandbox, chx_isolation isolation)
{
    struct box_cast cast = {.Guest = {.isolation = isolation, .sandbox = sandbox}};
    struct box_run_result r;
    chx_status status = box_run(&r, &cast, getpid(), net_number());
    if (status != CHX_OK) {
        printf("%s: %s: %s\n", chx_status_text(status), chx_last_report()->role, chx_last_report()->why);
        return 0;
    }
    printf("%s\n", chx_cstr(r.Guest));
    box_run_result_drop(&r);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    static const struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    static const struct sock_filter bad[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 9999)};
    static const chx_limit limits[] = {{RLIMIT_NOFILE, 40, 50}, {RLIMIT_CORE, 0, 0}};
    static const chx_limit high[] = {{RLIMIT_NOFILE, (uint64_t)1 << 40, (uint64_t)1 << 40}}, odd[] = {{99, 1, 1}};
    static const chx_limit turned[] = {{RLIMIT_NOFILE, 50, 40}};
    chx_sandbox box = {0};
    chx_isolation isolation = CHX_PROCESS;
    if (argc > 2 && strcmp(argv[2], "user") == 0 && (setgroups(0, NULL) != 0 || setgid(65533) != 0 || setuid(65533) != 0))
        return 9;
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (strcmp(what, "thread") == 0)
        isolation = CHX_THREAD;
    else if (strcmp(what, "user") == 0)
        box = (chx_sandbox){.set_user = true, .user = 65532, .group = 65531};
    else if (strcmp(what, "no-flag") == 0)
        box.user = 5;
    else if (strcmp(what, "no-user") == 0)
        box = (chx_sandbox){.set_user = true, .user = UINT32_MAX};
    else if (strcmp(what, "limits") == 0)
        box = (chx_sandbox){.limits = limits, .limit_count = 2, .no_new_privs = true};
    else if (strcmp(what, "high") == 0)
        box = (chx_sandbox){.limits = high, .limit_count = 1};
    else if (strcmp(what, "odd") == 0)
        box = (chx_sandbox){.limits = odd, .limit_count = 1};
    else if (strcmp(what, "turned") == 0)
        box = (chx_sandbox){.limits = turned, .limit_count = 1};
    else if (strcmp(what, "missing") == 0)
        box.limit_count = 1;
    else if (strcmp(what, "root") == 0)
        box = (chx_sandbox){.root = "below", .set_user = true, .user = 65532, .group = 65531};
    else if (strcmp(what, "root-user") == 0)
        box = (chx_sandbox){.root = "below", .namespaces = CHX_NAMESPACE_USER | CHX_NAMESPACE_MOUNT};
    else if (strcmp(what, "no-root") == 0)
        box.root = "nowhere";
    else if (strcmp(what, "only-root") == 0)
        box.root = "below";
    else if (strcmp(what, "spaces") == 0)
        box = (chx_sandbox){.namespaces = CHX_NAMESPACE_NET | CHX_NAMESPACE_IPC | CHX_NAMESPACE_UTS | CHX_NAMESPACE_MOUNT};
    else if (strcmp(what, "user-spaces") == 0)
        box = (chx_sandbox){.namespaces = CHX_NAMESPACE_USER | CHX_NAMESPACE_NET};
    else if (strcmp(what, "both") == 0)
        box = (chx_sandbox){.namespaces = CHX_NAMESPACE_USER | CHX_NAMESPACE_NET, .set_user = true, .user = 65532, .group = 65531};
    else if (strcmp(what, "no-space") == 0)
        box.namespaces = 64;
    else if (strcmp(what, "custom") == 0)
        box = (chx_sandbox){.filter = CHX_FILTER_CUSTOM, .program = all, .program_length = 1};
    else if (strcmp(what, "bad") == 0)
        box = (chx_sandbox){.filter = CHX_FILTER_CUSTOM, .program = bad, .program_length = 1};
    else if (strcmp(what, "empty") == 0)
        box.filter = CHX_FILTER_CUSTOM;
    else if (strcmp(what, "no-filter") == 0)
        box.filter = (chx_filter)9;
    else if (strcmp(what, "strict") == 0)
        box = chx_sandbox_strict;
    else if (strcmp(what, "none") == 0)
        return run(NULL, CHX_PROCESS);
    return run(&box, isolation);
}
WHOLE
"$CHORCC" -O1 -g -Wall -Wextra box.c -o box
mkdir below
touch below/only-here
chmod 755 . box below

# says TEXT ARGUMENTS...: what the program says; * stands for anything
says()
{
    local text=$1
    shift
    CHOREX_LOG=error ./box "$@" >out
    case "$(cat out)" in
    $text) ;;
    *) fail "box $*: $(cat out)" ;;
    esac
}

says "*Guest: Guest has a sandbox in the cast, but no process of its own*CHX_PROCESS" thread
says "*Guest: Guest: its sandbox: user and group need set_user" no-flag
says "*its sandbox: user and group can't be 4294967295*" no-user
says "*its sandbox: limits\[0\]: there is no resource 99" odd
says "*its sandbox: limits\[0\]: the soft limit is above the hard one" turned
says "*its sandbox: limit_count is 1, and limits is NULL" missing
says "*its sandbox: root: nowhere: No such file or directory" no-root
says "*its sandbox: namespaces has bits that mean nothing" no-space
says "*its sandbox: filter = CHX_FILTER_CUSTOM needs a program of 1 to 4096 instructions" empty
says "*its sandbox: filter is none that exists" no-filter

# What can only be seen in the process ends the session.
says "*Guest: its sandbox can't be made: limits\[0\] (resource 7): *" high
says "*Guest: its sandbox can't be made: filter: Invalid argument" bad

says "*nnp 1 dumpable 0 files 40 *" limits
says "*nnp 0 dumpable 0 *" ""
says "*nnp 0 dumpable 1 *" none
says "*nnp 1 dumpable 0 *" custom
# It looks at its own status, which the strict filter does not allow. That is outside of the block.
says "*Guest: SIGSYS: its sandbox's filter stopped it at a system call" strict

soon "processes are left" nothing_runs
[ "$(id -u)" = 0 ] || exit 0
says "uid 65532 gid 65531 groups 0 caps 0000000000000000 * parent's memory closed 0" user
says "uid 65532 gid 65531 groups 0 * only root 1 * parent's memory not there 0" root
says "*uid 0 * own net 1 *" spaces
says "*uid 0 * own net 0 *" limits
says "*its sandbox: set_user: the program may not change to user 65532*" user user
says "*its sandbox: root: the program may not change it without CHX_NAMESPACE_USER*" only-root user
says "*its sandbox: namespaces: the program may not make them without CHX_NAMESPACE_USER*" spaces user
# Systems may forbid these to ordinary users.
if unshare -U true 2>/dev/null; then
    says "uid 65533 gid 65533 * caps 0000000000000000 * own net 1 *" user-spaces user
    says "uid 65533 gid 65533 * only root 1 *" root-user user
    says "uid 65532 gid 65531 * caps 0000000000000000 * own net 1 *" both
fi
soon "processes are left" nothing_runs
