// effect.h: effects of the test programs of this folder: lines of a file (EFFECTS), each with the identifier of its step. The
// program can be told to be killed at an effect:
//
//     EFFECTS_KILL=5:before     the whole process group, when four lines are there,
//     EFFECTS_KILL=5:after      or five

#ifndef DURABLE_EFFECT_H
#define DURABLE_EFFECT_H

#include <chorex.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static inline int effect_lines(int file)
{
    char bytes[4096];
    int lines = 0;
    lseek(file, 0, SEEK_SET);
    for (ssize_t size; (size = read(file, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < size; i++)
            lines += bytes[i] == '\n';
    return lines;
}

static inline void effect(const char *format, ...)
{
    const char *path = getenv("EFFECTS"), *wanted = getenv("EFFECTS_KILL");
    if (path == NULL)
        return;
    char line[256], what[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    chx_effect id = chx_effect_id();
    int length = snprintf(line, sizeof line, "%s %s %016llx%016llx\n", chx_role_name(), what, (unsigned long long)id.high,
                          (unsigned long long)id.low);
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    flock(file, LOCK_EX);
    bool is_it = wanted != NULL && atoi(wanted) == effect_lines(file) + 1;
    if (is_it && strstr(wanted, ":before") != NULL)
        kill(0, SIGKILL);
    if (write(file, line, (size_t)length) != length)
        abort();
    if (is_it)
        kill(0, SIGKILL);
    close(file);
}

#endif
