// check.h: CHECK(condition) stops the program on a mistake of our own.
//
// Never on input, network or memory: those are diagnostics or statuses.

#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: internal error: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
