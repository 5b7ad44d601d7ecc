// confine.c: a role's process gives up what its sandbox takes from it. See sandbox.h.
//
// Each step needs what a later one takes away, so the order matters: namespaces and root need capabilities, which end
// with the change of the user, except where a namespace of users is made, which gives new ones to the process that makes it.
// There the user is changed first.

#define _GNU_SOURCE
#include "runtime/isolation/sandbox.h"

#include "runtime/session/report.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *failed(const char *what)
{
    static char why[REPORT_WHY_SIZE];
    snprintf(why, sizeof why, "its sandbox can't be made: %s: %s", what, strerrordesc_np(errno));
    return why;
}

// ---- the steps ----

static const char *change_user(const chx_sandbox *sandbox)
{
    pid_t parent = getppid();
    if (!sandbox->set_user)
        return NULL;
    if (setgroups(0, NULL) != 0 || setresgid(sandbox->group, sandbox->group, sandbox->group) != 0)
        return failed("group");
    if (setresuid(sandbox->user, sandbox->user, sandbox->user) != 0)
        return failed("user");
    // The kernel has forgotten with the change of the user that this process is to end with the zygote.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    return NULL;
}

static bool write_text(const char *name, const char *text)
{
    int file = open(name, O_WRONLY | O_CLOEXEC);
    bool is_written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return is_written;
}

// The process has the same user and group in the new namespace.
static const char *map_identities(uid_t user, gid_t group)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", (unsigned)user, (unsigned)user);
    snprintf(groups, sizeof groups, "%u %u 1\n", (unsigned)group, (unsigned)group);
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/gid_map", groups) ||
        !write_text("/proc/self/uid_map", users))
        return failed("namespaces: identities in the namespace of users");
    return NULL;
}

static const char *make_namespaces(const chx_sandbox *sandbox)
{
    static const struct {
        unsigned bit;
        int flag;
    } known[] = {{CHX_NAMESPACE_USER, CLONE_NEWUSER},
                 {CHX_NAMESPACE_MOUNT, CLONE_NEWNS},
                 {CHX_NAMESPACE_NET, CLONE_NEWNET},
                 {CHX_NAMESPACE_IPC, CLONE_NEWIPC},
                 {CHX_NAMESPACE_UTS, CLONE_NEWUTS}};
    int flags = 0;
    uid_t user = geteuid();
    gid_t group = getegid();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((sandbox->namespaces & known[i].bit) != 0)
            flags |= known[i].flag;
    if (flags == 0)
        return NULL;
    // After a change of the user the process's own files below /proc would belong to root otherwise.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (unshare(flags) != 0)
        return failed("namespaces");
    const char *why = (flags & CLONE_NEWUSER) != 0 ? map_identities(user, group) : NULL;
    if (why == NULL && (flags & CLONE_NEWNS) != 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        why = failed("namespaces: mounts of its own");
    return why;
}

static const char *change_root(const chx_sandbox *sandbox)
{
    if (sandbox->root == NULL)
        return NULL;
    return chroot(sandbox->root) == 0 && chdir("/") == 0 ? NULL : failed("root");
}

static const char *set_limits(const chx_sandbox *sandbox)
{
    for (size_t i = 0; i < sandbox->limit_count; i++) {
        const chx_limit *limit = &sandbox->limits[i];
        struct rlimit wanted = {(rlim_t)limit->soft, (rlim_t)limit->hard};
        if (setrlimit((__rlimit_resource_t)limit->resource, &wanted) != 0) {
            char what[64];
            snprintf(what, sizeof what, "limits[%zu] (resource %d)", i, limit->resource);
            return failed(what);
        }
    }
    return NULL;
}

// Making a namespace of users has given the process all capabilities there.
static const char *drop_capabilities(const chx_sandbox *sandbox)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    if ((sandbox->namespaces & CHX_NAMESPACE_USER) == 0)
        return NULL;
    return syscall(SYS_capset, &head, none) == 0 ? NULL : failed("capabilities");
}

static const char *give_up_more(const chx_sandbox *sandbox)
{
    // No other process of the same user can look into it, and it leaves no core.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return failed("dumpable");
    bool is_wanted = sandbox->no_new_privs || sandbox->filter != CHX_FILTER_NONE;
    return !is_wanted || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? NULL : failed("no_new_privs");
}

const char *confine(const chx_sandbox *sandbox)
{
    typedef const char *Step(const chx_sandbox *sandbox);
    enum { STEPS = 6 };
    static Step *const with_users[STEPS] = {change_user, make_namespaces,   change_root,
                                            set_limits,  drop_capabilities, give_up_more};
    static Step *const without_users[STEPS] = {make_namespaces, change_root,       set_limits,
                                               change_user,     drop_capabilities, give_up_more};
    Step *const *steps = (sandbox->namespaces & CHX_NAMESPACE_USER) != 0 ? with_users : without_users;
    const char *why = NULL;
    for (unsigned i = 0; why == NULL && i < STEPS; i++)
        why = steps[i](sandbox);
    return why;
}

const char *confine_calls(const chx_sandbox *sandbox)
{
    static struct sock_filter strict[SANDBOX_PROGRAM_MAX];
    struct sock_fprog program = {(unsigned short)sandbox->program_length, (struct sock_filter *)sandbox->program};
    if (sandbox->filter == CHX_FILTER_NONE)
        return NULL;
    if (sandbox->filter == CHX_FILTER_STRICT)
        program = (struct sock_fprog){(unsigned short)filter_strict(strict), strict};
    // What the library itself needs is there by now: it starts no more threads, and opens nothing.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? NULL : failed("filter");
}
