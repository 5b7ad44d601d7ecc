// path.c: names of files, and reading and writing them whole.

#define _GNU_SOURCE

#include "compiler/driver/path.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *path_join(Arena *arena, const char *directory, const char *name)
{
    if (name[0] == '/' || strcmp(directory, ".") == 0)
        return name;
    size_t length = strlen(directory);
    bool has_slash = length > 0 && directory[length - 1] == '/';
    return arena_printf(arena, "%s%s%s", directory, has_slash ? "" : "/", name);
}

const char *path_directory(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    return slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

const char *path_real(Arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    if (real == NULL)
        return path;
    const char *copy = arena_strdup(arena, real);
    free(real);
    return copy;
}

static bool is_plain(const char *path)
{
    // Tools would take a path that begins with '-' for an option.
    if (path[0] == '/' || path[0] == '\0' || path[0] == '-')
        return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/') == NULL ? NULL : strchr(part, '/') + 1) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && strncmp(part, "..", 2) == 0))
            return false;
    }
    return true;
}

// From directory `from` to `to`, both absolute and without detours.
static const char *relative(Arena *arena, const char *from, const char *to)
{
    size_t common = 0; // length of the common directories
    for (size_t i = 0;; i++) {
        bool from_ends = from[i] == '\0' || from[i] == '/', to_ends = to[i] == '\0' || to[i] == '/';
        if (from_ends && to_ends)
            common = i;
        if (from[i] == '\0' || to[i] == '\0' || from[i] != to[i])
            break;
    }
    Text path;
    text_init(&path, arena);
    for (const char *at = from + common; *at != '\0'; at++)
        if (*at == '/' && at[1] != '\0')
            text_puts(&path, "../");
    text_puts(&path, to + common + (to[common] == '/'));
    return path.chars;
}

const char *path_plain(Arena *arena, const char *path)
{
    if (is_plain(path))
        return path;
    // The file itself may be a link whose name matters; only its directory is resolved.
    char *directory = realpath(path_directory(arena, path), NULL);
    char *current = realpath(".", NULL);
    const char *plain = path;
    if (directory != NULL && current != NULL) {
        const char *whole = path_join(arena, directory, path_base(path));
        plain = relative(arena, strcmp(current, "/") == 0 ? "" : current, whole);
        if (plain[0] == '-')
            plain = arena_printf(arena, "./%s", plain);
    }
    free(directory);
    free(current);
    return plain;
}

// ---- reading ----

// A companion, or a file of arguments, is never larger.
enum { READ_SIZE_MAX = 256 * 1024 * 1024 };

static const char *what_it_is(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "is a directory";
    case S_IFIFO:
        return "is a named pipe";
    case S_IFSOCK:
        return "is a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "is a device";
    default:
        return "is not a regular file";
    }
}

static bool read_rest(int fd, Text *text, const char **problem)
{
    char buffer[16384];
    while (text->length <= READ_SIZE_MAX) {
        ssize_t count = read(fd, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            *problem = strerror(errno);
            return false;
        }
        if (count == 0)
            return true;
        text_add(text, buffer, (size_t)count);
    }
    *problem = "is too large";
    return false;
}

PathKind path_look(Arena *arena, const char *path, char **text, size_t *size, const char **problem)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        bool is_link = errno == ENOENT && lstat(path, &status) == 0;
        if (!is_link && (errno == ENOENT || errno == ENOTDIR))
            return PATH_ABSENT;
        *problem = is_link ? "is a symbolic link that leads nowhere"
                           : arena_printf(arena, "can't be looked at: %s", strerror(errno));
        return PATH_OTHER;
    }
    if (!S_ISREG(status.st_mode)) {
        *problem = what_it_is(status.st_mode);
        return PATH_OTHER;
    }
    // It may be another one by now: O_NONBLOCK, so that opening a pipe does not wait for its writer.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        *problem = arena_printf(arena, "can't be read: %s", strerror(errno));
        return errno == ENOENT ? PATH_ABSENT : PATH_OTHER;
    }
    Text content;
    text_init(&content, arena);
    bool good = false;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        *problem = what_it_is(status.st_mode);
    else if (status.st_size > READ_SIZE_MAX)
        *problem = "is too large";
    else
        good = read_rest(fd, &content, problem);
    close(fd);
    *text = content.chars;
    *size = content.length;
    return good ? PATH_FILE : PATH_OTHER;
}

char *path_read(Arena *arena, const char *path, size_t *size)
{
    char *text;
    const char *problem;
    return path_look(arena, path, &text, size, &problem) == PATH_FILE ? text : NULL;
}

// ---- writing ----

// 0, or what went wrong.
static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t count = write(fd, text, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        text += count;
        size -= (size_t)count;
    }
    return 0;
}

// A new file in the directory, which other processes that write to it don't use. Its name does not depend on that of the
// file that it is for, which may be as long as names can be.
static int open_temporary(Arena *arena, const char *directory, const char **temporary)
{
    enum { ATTEMPTS_MAX = 1000 };
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        *temporary = path_join(arena, directory, arena_printf(arena, ".chorcc-%ld-%d.tmp", (long)getpid(), attempt));
        int fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

// 0, or what went wrong; then nothing is left.
static int write_new(Arena *arena, const char *path, const char *text, size_t size)
{
    const char *temporary;
    int fd = open_temporary(arena, path_directory(arena, path), &temporary);
    if (fd < 0)
        return errno;
    int error = write_all(fd, text, size);
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(temporary, path) != 0)
        error = errno;
    if (error != 0)
        unlink(temporary);
    return error;
}

const char *path_replace(Arena *arena, const char *path, const char *text, size_t size)
{
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    if (is_there && !S_ISREG(status.st_mode))
        return what_it_is(status.st_mode);
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
        if (!is_there)
            return "is a symbolic link that leads nowhere";
        path = path_real(arena, path);
    }
    // Whoever wants to end us in between must wait until the temporary file is gone: it takes no time. A file that
    // grows too large is an error of write, not our end.
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGXFSZ, SIGXCPU, SIGALRM, SIGPIPE};
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaddset(&blocked, signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    int error = write_new(arena, path, text, size);
    if (error == EFBIG) {
        // The signal that came with it would still end us.
        sigset_t too_large;
        sigemptyset(&too_large);
        sigaddset(&too_large, SIGXFSZ);
        sigtimedwait(&too_large, NULL, &(struct timespec){0, 0});
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? NULL : strerror(error);
}

const char *path_write(Arena *arena, const char *path, const char *text, size_t size)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return path_replace(arena, path, text, size);
    if (S_ISDIR(status.st_mode))
        return "is a directory";
    // /dev/stdout and the like can't be replaced.
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int error = fd < 0 ? errno : write_all(fd, text, size);
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    return error == 0 ? NULL : strerror(error);
}
