// confine.c: a role's process gives up what its sandbox takes from it. See sandbox.h.
//
// Each step needs what a later one takes away, so the order matters: namespaces and root need capabilities, which end
// with the change of the user, except where a namespace of users is made, which gives new ones to whoever makes it.
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

bool confinement_read(Confinement *confinement, const unsigned char *data, size_t size)
{
    SandboxImage *image = &confinement->image;
    if (size < sizeof *image)
        return false;
    memcpy(image, data, sizeof *image);
    size_t limits = image->limit_count * sizeof(chx_limit),
           program = image->program_length * sizeof(struct sock_filter);
    if (image->limit_count > SANDBOX_LIMITS_MAX || image->program_length > SANDBOX_PROGRAM_MAX ||
        size != sizeof *image + limits + program + image->root_size)
        return false;
    confinement->limits = data + sizeof *image;
    confinement->program = confinement->limits + limits;
    confinement->root = image->root_size > 0 ? (const char *)confinement->program + program : NULL;
    return true;
}

static const char *failed(const char *what, int error)
{
    static char why[REPORT_WHY_SIZE];
    snprintf(why, sizeof why, "its sandbox can't be made: %s: %s", what, strerrordesc_np(error));
    return why;
}

// ---- the steps ----

static const char *change_user(const SandboxImage *image)
{
    pid_t parent = getppid();
    if (image->sets_user == 0)
        return NULL;
    if (setgroups(0, NULL) != 0 || setresgid(image->group, image->group, image->group) != 0)
        return failed("group", errno);
    if (setresuid(image->user, image->user, image->user) != 0)
        return failed("user", errno);
    // The kernel has forgotten this with the change: it ends with the zygote.
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

// It stays who it is in the new namespace.
static const char *map_identities(uid_t user, gid_t group)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", (unsigned)user, (unsigned)user);
    snprintf(groups, sizeof groups, "%u %u 1\n", (unsigned)group, (unsigned)group);
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/gid_map", groups) ||
        !write_text("/proc/self/uid_map", users))
        return failed("namespaces: identities in the namespace of users", errno);
    return NULL;
}

static const char *make_namespaces(const SandboxImage *image)
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
        if ((image->namespaces & known[i].bit) != 0)
            flags |= known[i].flag;
    if (flags == 0)
        return NULL;
    // After a change of the user its own files below /proc are root's otherwise.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (unshare(flags) != 0)
        return failed("namespaces", errno);
    const char *why = (flags & CLONE_NEWUSER) != 0 ? map_identities(user, group) : NULL;
    if (why == NULL && (flags & CLONE_NEWNS) != 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        why = failed("namespaces: mounts of its own", errno);
    return why;
}

static const char *change_root(const Confinement *confinement)
{
    if (confinement->root == NULL)
        return NULL;
    return chroot(confinement->root) == 0 && chdir("/") == 0 ? NULL : failed("root", errno);
}

static const char *set_limits(const Confinement *confinement)
{
    for (uint32_t i = 0; i < confinement->image.limit_count; i++) {
        chx_limit limit;
        memcpy(&limit, confinement->limits + i * sizeof limit, sizeof limit);
        struct rlimit wanted = {(rlim_t)limit.soft, (rlim_t)limit.hard};
        if (setrlimit((__rlimit_resource_t)limit.resource, &wanted) != 0) {
            char what[64];
            snprintf(what, sizeof what, "limits[%u] (resource %d)", (unsigned)i, limit.resource);
            return failed(what, errno);
        }
    }
    return NULL;
}

// A namespace of users has given it all of them there.
static const char *drop_capabilities(const SandboxImage *image)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    if ((image->namespaces & CHX_NAMESPACE_USER) == 0)
        return NULL;
    return syscall(SYS_capset, &head, none) == 0 ? NULL : failed("capabilities", errno);
}

const char *confine(const Confinement *confinement)
{
    const SandboxImage *image = &confinement->image;
    bool user_first = (image->namespaces & CHX_NAMESPACE_USER) != 0;
    const char *why = user_first ? change_user(image) : NULL;
    if (why == NULL)
        why = make_namespaces(image);
    if (why == NULL)
        why = change_root(confinement);
    if (why == NULL)
        why = set_limits(confinement);
    if (why == NULL && !user_first)
        why = change_user(image);
    if (why == NULL)
        why = drop_capabilities(image);
    // Nobody else of the same user looks into it, and it leaves no core.
    if (why == NULL && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        why = failed("dumpable", errno);
    if (why == NULL && image->no_new_privs != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        why = failed("no_new_privs", errno);
    return why;
}

const char *confine_calls(const Confinement *confinement)
{
    static struct sock_filter program[SANDBOX_PROGRAM_MAX];
    const SandboxImage *image = &confinement->image;
    struct sock_fprog whole = {.filter = program};
    if (image->filter == CHX_FILTER_NONE)
        return NULL;
    if (image->filter == CHX_FILTER_STRICT) {
        whole.len = (unsigned short)filter_strict(program);
    } else {
        memcpy(program, confinement->program, image->program_length * sizeof *program);
        whole.len = (unsigned short)image->program_length;
    }
    // The library's own needs are met: it starts no more threads, and opens nothing.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0 ? NULL : failed("filter", errno);
}
