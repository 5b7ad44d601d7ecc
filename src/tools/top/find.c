// find.c: from the number of a process to its socket.

#define _GNU_SOURCE
#include "tools/top/answer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENVIRONMENT_MAX = 4 << 20 };

static bool say(char *why, const char *format, const char *what, const char *more)
{
    snprintf(why, ANSWER_WHY, format, what, more);
    return false;
}

// What the process was started with, as in /proc/PID/environ. NULL: errno says why.
static char *environment_read(const char *pid, size_t *size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = file >= 0 ? malloc(ENVIRONMENT_MAX + 1) : NULL;
    ssize_t count = 0;
    *size = 0;
    while (text != NULL && *size < ENVIRONMENT_MAX && (count = read(file, text + *size, ENVIRONMENT_MAX - *size)) > 0)
        *size += (size_t)count;
    int error = errno;
    if (file >= 0)
        close(file);
    if (text != NULL && count < 0) {
        free(text);
        text = NULL;
    }
    if (text != NULL)
        text[*size] = '\0';
    errno = error;
    return text;
}

static const char *environment_get(const char *text, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; at < text + size; at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static bool find_in(const char *pid, const char *text, size_t size, char *path, size_t path_size, char *why)
{
    const char *asked = environment_get(text, size, "CHOREX_TOP"),
               *run = environment_get(text, size, "XDG_RUNTIME_DIR");
    char folder[64];
    struct stat found;
    int length;
    snprintf(folder, sizeof folder, "/proc/%s", pid);
    if (stat(folder, &found) != 0)
        return say(why, "there is no process %s%s", pid, "");
    if (asked == NULL || asked[0] == '\0' || strcmp(asked, "0") == 0)
        return say(why, "process %s was not started with CHOREX_TOP=1 in its environment%s", pid, "");
    if (strcmp(asked, "1") != 0 && asked[0] == '/')
        length = snprintf(path, path_size, "%s", asked);
    else if (strcmp(asked, "1") != 0)
        length = snprintf(path, path_size, "/proc/%s/cwd/%s", pid, asked);
    else if (run != NULL && run[0] == '/')
        length = snprintf(path, path_size, "%s/chorex-top-%s", run, pid);
    else
        length = snprintf(path, path_size, "/tmp/chorex-%ld/top-%s", (long)found.st_uid, pid);
    if ((size_t)length >= path_size)
        return say(why, "the path of the socket of process %s is too long%s", pid, "");
    if (access(path, F_OK) != 0)
        return say(why,
                   "process %s has no socket at %s: it has not begun a session yet, or its log says why there is none",
                   pid, path);
    return true;
}

bool answer_find(const char *target, char *path, size_t size, char why[ANSWER_WHY])
{
    size_t length = strspn(target, "0123456789"), environment_size;
    if (target[0] == '\0' || target[length] != '\0' || length > 10) {
        if ((size_t)snprintf(path, size, "%s", target) >= size)
            return say(why, "the path is too long: %s%s", target, "");
        return true;
    }
    char *text = environment_read(target, &environment_size);
    if (text == NULL && (errno == ENOENT || errno == ESRCH))
        return say(why, "there is no process %s%s", target, "");
    if (text == NULL)
        return say(why, "process %s can't be looked at: %s; only its own user may ask it", target, strerror(errno));
    bool is_found = find_in(target, text, environment_size, path, size, why);
    free(text);
    return is_found;
}
