// check.h: CHECK(condition) stops the program on a mistake of our own.
//
// Never on input, network or memory: those are diagnostics or statuses.

#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static inline void check_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: internal error: %s\n", file, line, condition);
    // The runtime's handler takes SIGABRT for the failure of a role, which could be rescued.
    signal(SIGABRT, SIG_DFL);
    abort();
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            check_failed(__FILE__, __LINE__, #condition);                                                              \
    } while (0)

#endif
