// log.h: messages about what the runtime does, at the level that CHOREX_LOG names.

#ifndef RUNTIME_SESSION_LOG_H
#define RUNTIME_SESSION_LOG_H

#include <chorex.h>

// From CHOREX_LOG; warnings and errors if it says nothing, or nothing that is known (*unknown; else NULL).
chx_log_level log_level_from_env(const char **unknown);
void log_write(chx_runtime *runtime, chx_log_level level, const char *format, ...) CHX_PRINTF(3, 4);
// The same behind "file:line: ", or without a line (0) behind "file: ".
void log_write_at(chx_runtime *runtime, chx_log_level level, const char *file, int line, const char *format, ...)
    CHX_PRINTF(5, 6);
// A mistake of the API's caller: says so and aborts.
CHX_NORETURN void log_misuse(const char *format, ...) CHX_PRINTF(1, 2);

#endif
