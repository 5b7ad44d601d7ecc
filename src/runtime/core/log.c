// log.c: to the caller's log function, else to standard error.

#define _GNU_SOURCE
#include "runtime/core/log.h"

#include "runtime/core/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"debug", "info", "warn", "error", "off"};

chx_log_level log_level_wanted(const char **unknown)
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
        fprintf(stderr, "chorex: %s: %s\n", level_names[level], text);
}

void log_misuse(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "chorex: %s\n", text);
    abort();
}
