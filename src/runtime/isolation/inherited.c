// inherited.c: see inherited.h.
//
// Linux keeps most of these for each thread, and /proc/thread-self/status shows them with one system call; where there is
// no /proc, they are asked for one by one, as far as there are calls for that.

#define _GNU_SOURCE
#include "runtime/isolation/inherited.h"

#include "runtime/core/descriptor.h"

#include <fcntl.h>
#include <linux/capability.h>
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

enum { LOST_TRIES = 8 }; // if the program closes descriptors that it has not opened while they are used

// NULL: there is no /proc, or no memory. To be freed. A list of 65,536 groups is the longest that there can be.
// `is_lost`: the program has closed the file meanwhile, and this may be another one's text.
static char *status_read(bool *is_lost)
{
    size_t size = 0, capacity = 4096;
    int number = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    Descriptor file = descriptor_note(number);
    char *text = number >= 0 ? malloc(capacity) : NULL;
    ssize_t part = 0;
    while (text != NULL && (part = descriptor_read(&file, text + size, capacity - 1 - size)) > 0) {
        size += (size_t)part;
        if (size < capacity - 1)
            continue;
        capacity *= 2;
        char *grown = realloc(text, capacity);
        if (grown == NULL)
            free(text);
        text = grown;
    }
    *is_lost = number >= 0 && !descriptor_is_ours(&file);
    descriptor_close(&file);
    if (text == NULL || part < 0 || size == 0) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

static void hash_add_status(uint64_t *privileges, uint64_t *surroundings, const char *status)
{
    for (const char *line = status, *next; *line != '\0'; line = next) {
        const char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : line + strlen(line);
        if (line_is_privilege(line))
            hash_add(privileges, line, (size_t)(next - line));
        else if (strncmp(line, "Umask:", 6) == 0)
            hash_add(surroundings, line, (size_t)(next - line));
    }
}

static void hash_add_groups(uint64_t *hash)
{
    int count = getgroups(0, NULL);
    gid_t *groups = count > 0 ? malloc((size_t)count * sizeof *groups) : NULL;
    hash_add_number(hash, (uint64_t)count);
    if (groups != NULL && (count = getgroups(count, groups)) > 0)
        hash_add(hash, groups, (size_t)count * sizeof *groups);
    free(groups);
}

// Without /proc.
static void hash_add_asked(uint64_t *hash)
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
    hash_add_groups(hash);
    hash_add(hash, capabilities, sizeof capabilities);
    for (int i = 0; i <= 63; i++)
        hash_add_number(hash, (uint64_t)prctl(PR_CAPBSET_READ, i) << 32 |
                                  (uint32_t)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0));
    hash_add_number(hash, (uint64_t)prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    hash_add_number(hash, (uint64_t)prctl(PR_GET_SECCOMP));
}

// False: the program has closed the folder meanwhile.
static bool hash_add_namespaces(uint64_t *hash)
{
    static const char *const names[] = {
        "user", "mnt", "net", "ipc", "uts", "pid_for_children", "cgroup", "time_for_children"};
    int number = open("/proc/thread-self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (number < 0)
        return true;
    Descriptor folder = descriptor_note(number);
    // The name of what it points to has the number of the namespace in it.
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char target[64];
        ssize_t size = readlinkat(number, names[i], target, sizeof target);
        hash_add(hash, target, size > 0 ? (size_t)size : 0);
    }
    bool is_ours = descriptor_is_ours(&folder);
    descriptor_close(&folder);
    return is_ours;
}

static void privileges_add(Inherited *inherited)
{
    struct stat root;
    bool is_lost = false;
    char *status = status_read(&is_lost);
    for (int i = 0; is_lost && i < LOST_TRIES; i++) {
        free(status);
        status = status_read(&is_lost);
    }
    if (status != NULL)
        hash_add_status(&inherited->privileges, &inherited->surroundings, status);
    else
        hash_add_asked(&inherited->privileges);
    free(status);
    hash_add_number(&inherited->privileges, (uint64_t)prctl(PR_GET_SECUREBITS));
    hash_add_file(&inherited->privileges, stat("/", &root), &root);
    uint64_t before = inherited->privileges;
    for (int i = 0; !hash_add_namespaces(&inherited->privileges) && i < LOST_TRIES; i++)
        inherited->privileges = before;
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

Inherited inherited_now(void)
{
    Inherited inherited = {HASH_BEGIN, HASH_BEGIN};
    privileges_add(&inherited);
    surroundings_add(&inherited.surroundings);
    return inherited;
}

uint64_t inherited_privileges(void)
{
    Inherited inherited = {HASH_BEGIN, HASH_BEGIN};
    privileges_add(&inherited);
    return inherited.privileges;
}
