// describe.c: see describe.h.

#define _GNU_SOURCE
#include "runtime/isolation/describe.h"

#include "chorex.h"
#include "runtime/isolation/startup.h"
#include "runtime/session/registry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_SIZE = 4096 };

// In libchorex-net: there only if that is linked.
void chx_net_attach(void) __attribute__((weak));

// What the program has written to its own streams is not flushed: this process is not the program.
static void write_line(const char *format, ...) CHX_PRINTF(1, 2);
static void write_line(const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (size < 0 || size > (int)sizeof line - 2)
        size = sizeof line - 2;
    line[size++] = '\n';
    for (int done = 0; done < size;) {
        ssize_t count = write(STDOUT_FILENO, line + done, (size_t)(size - done));
        if (count < 0 && errno != EINTR)
            _exit(1);
        done += count > 0 ? (int)count : 0;
    }
}

void describe_if_asked(void)
{
    const char *asked = secure_getenv("CHOREX_DESCRIBE");
    if (asked == NULL || strcmp(asked, "1") != 0 || strcmp(startup_object(), STARTUP_PROGRAM) != 0)
        return;
    write_line("chorex-describe-1 %s", CHX_VERSION);
    write_line("net %s", chx_net_attach != NULL ? "yes" : "no");
    for (const chx_registration *r = registry_latest(); r != NULL; r = r->next)
        write_line("role %s %s %u %s %016" PRIx64 " %s", r->role->choreography, r->role->role, r->role->index,
                   r->role->name, r->role->protocol_digest, r->role->file);
    write_line("end");
    _exit(0);
}
