// log.c: to the caller's log function, else to standard error.
//
// Without the C library's streams: a role that was left in the middle of printing may hold their locks.

#define _GNU_SOURCE
#include "runtime/session/log.h"

#include "runtime/session/runtime.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {"debug", "info", "warn", "error", "off"};

chx_log_level log_level_from_env(const char **unknown)
{
    const char *wanted = secure_getenv("CHOREX_LOG");
    *unknown = NULL;
    for (int level = CHX_LOG_DEBUG; wanted != NULL && level <= CHX_LOG_OFF; level++)
        if (strcmp(wanted, level_names[level]) == 0)
            return (chx_log_level)level;
    if (wanted != NULL && wanted[0] != '\0')
        *unknown = wanted;
    return CHX_LOG_WARN;
}

static void write_line(const char *begin, const char *middle, const char *end, const char *text)
{
    char line[1200];
    int size = snprintf(line, sizeof line, "%s%s%s%s\n", begin, middle, end, text);
    int cancel_state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    ssize_t written = write(STDERR_FILENO, line, size > 0 ? (size_t)size : 0);
    (void)written;
    pthread_setcancelstate(cancel_state, NULL);
}

void log_write(chx_runtime *runtime, chx_log_level level, const char *format, ...)
{
    if (level < runtime->log_level || runtime->log_level == CHX_LOG_OFF)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (runtime->options.log != NULL)
        runtime->options.log(runtime->options.log_context, level, text);
    else
        write_line("chorex: ", level_names[level], ": ", text);
}

void log_misuse(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line("chorex: ", "", "", text);
    // The handler of fatal signals might take it for the failure of a role.
    signal(SIGABRT, SIG_DFL);
    abort();
}

const char *log_place(char place[LOG_PLACE_BYTES], const char *file, int line)
{
    if (line != 0)
        snprintf(place, LOG_PLACE_BYTES, "%s:%d: ", file, line);
    else
        snprintf(place, LOG_PLACE_BYTES, "%s: ", file);
    return place;
}
