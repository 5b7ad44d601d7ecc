// sandbox.c: see sandbox.h. A sandbox that can't be made is refused before the session starts, as far as that can be known
// then.

#define _GNU_SOURCE
#include "runtime/isolation/sandbox.h"

#include "runtime/session/report.h"
#include "runtime/value/codec.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const chx_sandbox chx_sandbox_strict = {.no_new_privs = true, .filter = CHX_FILTER_STRICT};

enum {
    NAMESPACES_ALL =
        CHX_NAMESPACE_USER | CHX_NAMESPACE_MOUNT | CHX_NAMESPACE_NET | CHX_NAMESPACE_IPC | CHX_NAMESPACE_UTS
};

const char *refuse(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, REPORT_WHY_SIZE, format, arguments);
    va_end(arguments);
    return why;
}

static bool has_capability(unsigned number)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    memset(data, 0, sizeof data);
    return syscall(SYS_capget, &head, data) == 0 && (data[number / 32].effective >> number % 32 & 1) != 0;
}

static const char *user_refusal(const chx_sandbox *sandbox, char *why)
{
    if (!sandbox->set_user)
        return sandbox->user != 0 || sandbox->group != 0 ? refuse(why, "user and group need set_user") : NULL;
    if (sandbox->user == UINT32_MAX || sandbox->group == UINT32_MAX)
        return refuse(why, "user and group can't be %u, which means none", UINT32_MAX);
    if (!has_capability(CAP_SETUID) || !has_capability(CAP_SETGID))
        return refuse(why, "set_user: the program may not change to user %u: it is not root (CAP_SETUID, CAP_SETGID)",
                      (unsigned)sandbox->user);
    return NULL;
}

static const char *limits_refusal(const chx_sandbox *sandbox, char *why)
{
    if (sandbox->limit_count > SANDBOX_LIMITS_MAX || (sandbox->limit_count > 0 && sandbox->limits == NULL))
        return refuse(why, "limit_count is %zu, and limits %s", sandbox->limit_count,
                      sandbox->limits == NULL ? "is NULL" : "has at most 64");
    for (size_t i = 0; i < sandbox->limit_count; i++) {
        const chx_limit *limit = &sandbox->limits[i];
        if (limit->resource < 0 || limit->resource >= RLIM_NLIMITS)
            return refuse(why, "limits[%zu]: there is no resource %d", i, limit->resource);
        if (limit->soft > limit->hard)
            return refuse(why, "limits[%zu]: the soft limit is above the hard one", i);
    }
    return NULL;
}

static const char *places_refusal(const chx_sandbox *sandbox, char *why)
{
    bool has_users = (sandbox->namespaces & CHX_NAMESPACE_USER) != 0;
    struct stat about;
    if ((sandbox->namespaces & ~(unsigned)NAMESPACES_ALL) != 0)
        return refuse(why, "namespaces has bits that mean nothing");
    if (sandbox->namespaces != 0 && !has_users && !has_capability(CAP_SYS_ADMIN))
        return refuse(why, "namespaces: the program may not make them without CHX_NAMESPACE_USER: it is not root "
                           "(CAP_SYS_ADMIN)");
    if (sandbox->root == NULL)
        return NULL;
    if (strlen(sandbox->root) > SANDBOX_ROOT_MAX)
        return refuse(why, "root: the name is too long");
    if (stat(sandbox->root, &about) != 0)
        return refuse(why, "root: %.200s: %s", sandbox->root, strerrordesc_np(errno));
    if (!S_ISDIR(about.st_mode))
        return refuse(why, "root: %.200s is not a directory", sandbox->root);
    if (!has_users && !has_capability(CAP_SYS_CHROOT))
        return refuse(why, "root: the program may not change it without CHX_NAMESPACE_USER: it is not root "
                           "(CAP_SYS_CHROOT)");
    return NULL;
}

static const char *filter_refusal(const chx_sandbox *sandbox, char *why)
{
    bool is_custom = sandbox->filter == CHX_FILTER_CUSTOM;
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    if (sandbox->filter != CHX_FILTER_NONE && sandbox->filter != CHX_FILTER_STRICT && !is_custom)
        return refuse(why, "filter is none that exists");
    if (!is_custom && (sandbox->program != NULL || sandbox->program_length != 0))
        return refuse(why, "program needs filter = CHX_FILTER_CUSTOM");
    if (is_custom &&
        (sandbox->program == NULL || sandbox->program_length == 0 || sandbox->program_length > SANDBOX_PROGRAM_MAX))
        return refuse(why, "filter = CHX_FILTER_CUSTOM needs a program of 1 to %d instructions", SANDBOX_PROGRAM_MAX);
    if (sandbox->filter == CHX_FILTER_STRICT && !filter_is_known)
        return refuse(why, "filter: the strict one is for x86-64 and AArch64 only");
    if (sandbox->filter != CHX_FILTER_NONE && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
        return refuse(why, "filter: this system can't filter system calls (seccomp)");
    return NULL;
}

const char *sandbox_refusal(const chx_sandbox *sandbox, char *why)
{
    char text[REPORT_WHY_SIZE];
    const char *refusal = user_refusal(sandbox, text);
    if (refusal == NULL)
        refusal = limits_refusal(sandbox, text);
    if (refusal == NULL)
        refusal = places_refusal(sandbox, text);
    if (refusal == NULL)
        refusal = filter_refusal(sandbox, text);
    return refusal != NULL ? refuse(why, "its sandbox: %.490s", refusal) : NULL;
}

void sandbox_write(chx_writer *writer, const chx_sandbox *sandbox)
{
    chx_sandbox image = *sandbox;
    // The process is not told where things lie in the program's memory.
    image.limits = NULL;
    image.program = NULL;
    image.root = NULL;
    chx_write(writer, &image, sizeof image);
    chx_write(writer, sandbox->limits, sandbox->limit_count * sizeof *sandbox->limits);
    chx_write(writer, sandbox->program, sandbox->program_length * sizeof *sandbox->program);
    if (sandbox->root != NULL)
        chx_write(writer, sandbox->root, strlen(sandbox->root) + 1);
}

bool sandbox_read(chx_sandbox *sandbox, const unsigned char *data, size_t size)
{
    chx_reader reader = {.at = data, .end = data + size};
    if (!chx_read(&reader, sandbox, sizeof *sandbox))
        return false;
    sandbox->limits = chx_read_view(&reader, sandbox->limit_count * sizeof *sandbox->limits);
    sandbox->program = chx_read_view(&reader, sandbox->program_length * sizeof *sandbox->program);
    sandbox->root = reader.at < reader.end ? (const char *)reader.at : NULL;
    return sandbox->limits != NULL && sandbox->program != NULL;
}
