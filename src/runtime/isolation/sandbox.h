// sandbox.h: the restrictions that the cast gives to a role's process (chx_sandbox): checked and written down in the
// program, put into force in the process.

#ifndef RUNTIME_ISOLATION_SANDBOX_H
#define RUNTIME_ISOLATION_SANDBOX_H

#include <chorex.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SANDBOX_PROGRAM_MAX = 4096, SANDBOX_LIMITS_MAX = 64, SANDBOX_ROOT_MAX = 4095 };

// ---- sandbox.c: in the program ----

// Writes why something can't be done into `why`, which has room for REPORT_WHY_SIZE bytes, and returns that.
const char *refuse(char *why, const char *format, ...) CHX_PRINTF(2, 3);
// Can a process be restricted so? NULL: it can; else why not, in terms of the member of chx_sandbox: a text in `why`, as
// above.
const char *sandbox_refusal(const chx_sandbox *sandbox, char *why);

// Appends what the process is told: the struct, then what it points to: limits, the filter's program, the root's name.
// Without memory the buffer has failed.
void sandbox_write(chx_writer *writer, const chx_sandbox *sandbox);
// In the process: takes what sandbox_write has written, which is aligned like a chx_sandbox and stays. False: it is cut off.
bool sandbox_read(chx_sandbox *sandbox, const unsigned char *data, size_t size);

// ---- confine.c: in the process ----

// Everything but the filter. Returns NULL, or what could not be done.
const char *confine(const chx_sandbox *sandbox);
// The filter, for good. Returns NULL, or what could not be done.
const char *confine_calls(const chx_sandbox *sandbox);

// ---- filter.c ----

struct sock_filter;
// Is there a strict filter for this machine?
extern const bool filter_is_known;
// The strict filter for this process, and its length. There is room for SANDBOX_PROGRAM_MAX instructions.
size_t filter_strict(struct sock_filter *program);

#endif
