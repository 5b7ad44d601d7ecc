// response.h: @file arguments: words read from a file, as gcc does it.

#ifndef DRIVER_RESPONSE_H
#define DRIVER_RESPONSE_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    const char *text;
    size_t argument; // the command line argument that it comes from
    bool is_own;     // an option of chorcc's, not for cc; set by the reader of the words
} ResponseWord;

// The arguments with each @file replaced by the words in it. One that does not exist stays as it is; *error says what is
// wrong with others that can't be read, and is else NULL.
ResponseWord *response_expand(Arena *arena, const char *const *words, size_t count, size_t *expanded_count,
                              const char **error);

#endif
