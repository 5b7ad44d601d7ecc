// inherited.c: see inherited.h.
//
// Linux keeps most of these for each thread, and /proc/thread-self/status shows them together. Where there is no /proc, no
// role's process can be started, whatever is found out here.

#define _GNU_SOURCE
#include "runtime/isolation/inherited.h"

#include "runtime/platform/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

// Adds which file it is. Files that can't be looked at count as the same.
static void hash_add_file(uint64_t *hash, int result, const struct stat *about)
{
    hash_add_number(hash, result == 0 ? (uint64_t)about->st_dev : 0);
    hash_add_number(hash, result == 0 ? (uint64_t)about->st_ino : 0);
}

// ---- privileges ----

// The file is read in pieces, without memory of its own: a line with 65,536 groups is the longest that there can be.
typedef struct {
    char begin[16];
    size_t size;
    uint64_t hash; // of the whole line
} StatusLine;

static bool line_begins_with(const StatusLine *line, const char *name)
{
    return line->size >= strlen(name) && memcmp(line->begin, name, strlen(name)) == 0;
}

static void line_add(const StatusLine *line, Inherited *inherited)
{
    static const char *const names[] = {"Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (line_begins_with(line, names[i]))
            hash_add_number(&inherited->privileges, line->hash);
    if (line_begins_with(line, "Umask:"))
        hash_add_number(&inherited->surroundings, line->hash);
}

enum { LOST_TRIES = 8 }; // if the program closes descriptors that it has not opened while they are used

// False: it can't be read now, errno says why. EBADF: the program has closed the file meanwhile, and what was read may be
// of another one.
static bool status_read(Inherited *inherited)
{
    int number = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    if (number < 0)
        return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
    Descriptor file = descriptor_note(number);
    StatusLine line = {.hash = HASH_BEGIN};
    char piece[1024];
    ssize_t size;
    while ((size = descriptor_read(&file, piece, sizeof piece)) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            if (line.size < sizeof line.begin)
                line.begin[line.size++] = piece[i];
            hash_add(&line.hash, &piece[i], 1);
            if (piece[i] == '\n') {
                line_add(&line, inherited);
                line = (StatusLine){.hash = HASH_BEGIN};
            }
        }
    }
    int error = errno;
    bool is_ours = descriptor_is_ours(&file);
    descriptor_close(&file);
    errno = is_ours ? error : EBADF;
    return is_ours && size == 0;
}

static void hash_add_namespaces(uint64_t *hash)
{
    static const char *const names[] = {
        "user", "mnt", "net", "ipc", "uts", "pid_for_children", "cgroup", "time_for_children"};
    // The text that each of these links leads to has the number of the namespace in it.
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64], target[64];
        snprintf(name, sizeof name, "/proc/thread-self/ns/%s", names[i]);
        ssize_t size = readlink(name, target, sizeof target);
        hash_add(hash, target, size > 0 ? (size_t)size : 0);
    }
}

// False: they can't be found out now, errno says why.
static bool privileges_add(Inherited *inherited)
{
    struct stat root;
    const Inherited before = *inherited;
    for (int tries = 0; !status_read(inherited); *inherited = before)
        if (errno != EBADF || ++tries == LOST_TRIES)
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
