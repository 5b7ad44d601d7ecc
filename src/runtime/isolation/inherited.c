// inherited.c: see inherited.h.
//
// Linux keeps most of these for each thread, and /proc/thread-self/status shows them together; where there is
// no /proc, they are asked for one by one, as far as there are calls for that.

#define _GNU_SOURCE
#include "runtime/isolation/inherited.h"

#include "runtime/platform/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

#define HASH_BEGIN UINT64_C(14695981039346656037)

// FNV-1a, eight bytes at a time while there are so many.
static void hash_add(uint64_t *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (; size >= sizeof(uint64_t); bytes += sizeof(uint64_t), size -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        *hash = (*hash ^ word) * UINT64_C(1099511628211);
        *hash ^= *hash >> 32;
    }
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ bytes[i]) * UINT64_C(1099511628211);
}

static void hash_add_number(uint64_t *hash, uint64_t number)
{
    hash_add(hash, &number, sizeof number);
}

// Which file that is. Anything that can't be looked at is the same nothing.
static void hash_add_file(uint64_t *hash, int result, const struct stat *about)
{
    hash_add_number(hash, result == 0 ? (uint64_t)about->st_dev : 0);
    hash_add_number(hash, result == 0 ? (uint64_t)about->st_ino : 0);
}

// ---- privileges ----

static bool line_is_privilege(const char *line)
{
    static const char *const names[] = {"Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// A line of /proc/thread-self/status, which is read in pieces: to which number its bytes belong is known from its beginning.
typedef struct {
    uint64_t *privileges, *surroundings, *here; // here: NULL: to none
    char begin[16];
    size_t begin_size;
    bool is_known;
} StatusLine;

static void status_line_begins(StatusLine *line)
{
    line->begin_size = 0;
    line->is_known = false;
    line->here = NULL;
}

static void status_add(StatusLine *line, char byte)
{
    if (!line->is_known) {
        line->begin[line->begin_size++] = byte;
        line->is_known = byte == ':' || line->begin_size == sizeof line->begin - 1;
        if (line->is_known) {
            line->begin[line->begin_size] = '\0';
            if (line_is_privilege(line->begin))
                line->here = line->privileges;
            else if (strncmp(line->begin, "Umask:", 6) == 0)
                line->here = line->surroundings;
            if (line->here != NULL)
                hash_add(line->here, line->begin, line->begin_size);
        }
    } else if (line->here != NULL) {
        hash_add(line->here, &byte, 1);
    }
    if (byte == '\n')
        status_line_begins(line);
}

enum { LOST_TRIES = 8 }; // if the program closes descriptors that it has not opened while they are used

typedef enum { STATUS_READ, STATUS_NONE, STATUS_UNKNOWN, STATUS_LOST } StatusResult;

// NONE: there is no /proc. UNKNOWN: it could not be read now, errno says why. LOST: the program has closed the file
// meanwhile, and what was read may be of another one. Without memory of its own: a list of 65,536 groups is the longest
// that there can be.
static StatusResult status_read(Inherited *inherited)
{
    StatusLine line = {.privileges = &inherited->privileges, .surroundings = &inherited->surroundings};
    int number = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    if (number < 0)
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? STATUS_UNKNOWN : STATUS_NONE;
    Descriptor file = descriptor_note(number);
    char piece[1024];
    ssize_t size;
    while ((size = descriptor_read(&file, piece, sizeof piece)) > 0)
        for (ssize_t i = 0; i < size; i++)
            status_add(&line, piece[i]);
    int error = errno;
    bool is_ours = descriptor_is_ours(&file);
    descriptor_close(&file);
    errno = is_ours ? error : EBADF;
    if (!is_ours)
        return STATUS_LOST;
    return size == 0 ? STATUS_READ : STATUS_UNKNOWN;
}

static StatusResult hash_add_status(Inherited *inherited)
{
    Inherited before = *inherited;
    StatusResult result = STATUS_LOST;
    for (int i = 0; i < LOST_TRIES && result == STATUS_LOST; i++) {
        *inherited = before;
        result = status_read(inherited);
    }
    return result == STATUS_LOST ? STATUS_UNKNOWN : result;
}

// False: no memory.
static bool hash_add_groups(uint64_t *hash)
{
    int count = getgroups(0, NULL);
    gid_t *groups = count > 0 ? malloc((size_t)count * sizeof *groups) : NULL;
    hash_add_number(hash, (uint64_t)count);
    if (count > 0 && groups == NULL)
        return false;
    if (groups != NULL && (count = getgroups(count, groups)) > 0)
        hash_add(hash, groups, (size_t)count * sizeof *groups);
    free(groups);
    return true;
}

// Without /proc. False: no memory.
static bool hash_add_asked(uint64_t *hash)
{
    uid_t users[3] = {0};
    gid_t groups[3] = {0};
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct capabilities[2];
    memset(capabilities, 0, sizeof capabilities);
    getresuid(&users[0], &users[1], &users[2]);
    getresgid(&groups[0], &groups[1], &groups[2]);
    syscall(SYS_capget, &head, capabilities);
    hash_add(hash, users, sizeof users);
    hash_add(hash, groups, sizeof groups);
    bool has_groups = hash_add_groups(hash);
    hash_add(hash, capabilities, sizeof capabilities);
    for (int i = 0; i <= 63; i++)
        hash_add_number(hash, (uint64_t)prctl(PR_CAPBSET_READ, i) << 32 |
                                  (uint32_t)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0));
    hash_add_number(hash, (uint64_t)prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    hash_add_number(hash, (uint64_t)prctl(PR_GET_SECCOMP));
    return has_groups;
}

static void hash_add_namespaces(uint64_t *hash)
{
    static const char *const names[] = {
        "user", "mnt", "net", "ipc", "uts", "pid_for_children", "cgroup", "time_for_children"};
    // The name of what it points to has the number of the namespace in it.
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64], target[64];
        snprintf(name, sizeof name, "/proc/thread-self/ns/%s", names[i]);
        ssize_t size = readlink(name, target, sizeof target);
        hash_add(hash, target, size > 0 ? (size_t)size : 0);
    }
}

static bool privileges_add(Inherited *inherited)
{
    struct stat root;
    StatusResult status = hash_add_status(inherited);
    if (status == STATUS_UNKNOWN || (status == STATUS_NONE && !hash_add_asked(&inherited->privileges)))
        return false;
    hash_add_number(&inherited->privileges, (uint64_t)prctl(PR_GET_SECUREBITS));
    hash_add_file(&inherited->privileges, stat("/", &root), &root);
    hash_add_namespaces(&inherited->privileges);
    return true;
}

// ---- surroundings ----

static void surroundings_add(uint64_t *hash)
{
    struct stat about;
    struct rlimit limit;
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
            hash_add(hash, &limit, sizeof limit);
    hash_add_file(hash, stat(".", &about), &about);
    for (int i = 0; i < 3; i++)
        hash_add_file(hash, fstat(i, &about), &about);
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        hash_add(hash, *variable, strlen(*variable) + 1);
}

bool inherited_now(Inherited *inherited)
{
    *inherited = (Inherited){HASH_BEGIN, HASH_BEGIN};
    if (!privileges_add(inherited))
        return false;
    surroundings_add(&inherited->surroundings);
    return true;
}

bool inherited_privileges(uint64_t *privileges)
{
    Inherited inherited = {HASH_BEGIN, HASH_BEGIN};
    if (!privileges_add(&inherited))
        return false;
    *privileges = inherited.privileges;
    return true;
}
