#define _GNU_SOURCE

#include "compiler/driver/path.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    if (path[0] == '/' || path[0] == '\0')
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
    }
    free(directory);
    free(current);
    return plain;
}

char *path_read(Arena *arena, const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        fclose(file);
        return NULL;
    }
    Text text;
    text_init(&text, arena);
    char buffer[16384];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add(&text, buffer, count);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return NULL;
    *size = text.length;
    return text.chars;
}

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

// A new file beside `path`, which other processes that write the same one don't use.
static int open_temporary(Arena *arena, const char *path, const char **temporary)
{
    enum { ATTEMPTS_MAX = 100 };
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const char *name = arena_printf(arena, ".%s.%ld-%d.tmp", path_base(path), (long)getpid(), attempt);
        *temporary = path_join(arena, path_directory(arena, path), name);
        int fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

const char *path_write(Arena *arena, const char *path, const char *text, size_t size)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return "is a directory";
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        // /dev/stdout and the like can't be replaced.
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        int error = fd < 0 ? errno : write_all(fd, text, size);
        if (fd >= 0 && close(fd) != 0 && error == 0)
            error = errno;
        return error == 0 ? NULL : strerror(error);
    }
    const char *temporary;
    int fd = open_temporary(arena, path, &temporary);
    if (fd < 0)
        return strerror(errno);
    int error = write_all(fd, text, size);
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(temporary, path) != 0)
        error = errno;
    if (error == 0)
        return NULL;
    unlink(temporary);
    return strerror(error);
}
