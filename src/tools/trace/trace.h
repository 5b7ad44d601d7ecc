// trace.h: the command `chorex trace`.

#ifndef TOOLS_TRACE_TRACE_H
#define TOOLS_TRACE_TRACE_H

#include <stddef.h>

// `words` are what follows "trace". Returns the exit status.
int trace_command(const char *const *words, size_t count);

#endif
