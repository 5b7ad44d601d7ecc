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

static bool log_is_wanted(const chx_runtime *runtime, chx_log_level level)
{
    return level >= runtime->log_level && runtime->log_level != CHX_LOG_OFF;
}

static void log_write_list(chx_runtime *runtime, chx_log_level level, const char *place, const char *format,
                           va_list arguments)
{
    char text[1024];
    int size = snprintf(text, sizeof text, "%s", place);
    size_t used = (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;
    vsnprintf(text + used, sizeof text - used, format, arguments);
    if (runtime->options.log != NULL)
        runtime->options.log(runtime->options.log_context, level, text);
    else
        write_line("chorex: ", level_names[level], ": ", text);
}

void log_write(chx_runtime *runtime, chx_log_level level, const char *format, ...)
{
    if (!log_is_wanted(runtime, level))
        return;
    va_list arguments;
    va_start(arguments, format);
    log_write_list(runtime, level, "", format, arguments);
    va_end(arguments);
}

void log_write_at(chx_runtime *runtime, chx_log_level level, const char *file, int line, const char *format, ...)
{
    if (!log_is_wanted(runtime, level))
        return;
    char place[512];
    if (line != 0)
        snprintf(place, sizeof place, "%s:%d: ", file, line);
    else
        snprintf(place, sizeof place, "%s: ", file);
    va_list arguments;
    va_start(arguments, format);
    log_write_list(runtime, level, place, format, arguments);
    va_end(arguments);
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
