// flags.h: how a file is compiled: by compile_commands.json, else by what the client has said.

#ifndef LSP_FLAGS_H
#define LSP_FLAGS_H

#include "base/vector.h"

#include <stdbool.h>

typedef VECTOR(const char *) FlagList;

typedef struct {
    FlagList args;        // options for the C compiler, with absolute paths
    const char *emit_dir; // NULL: companions lie beside the file
    bool warns_durable_gap;
    bool nowarn;
    const char *database; // compile_commands.json that says so, or NULL
} FileFlags;

// `defaults` are those of the client.
void flags_find(Arena *arena, const char *path, const FlagList *defaults, FileFlags *flags);
// The C files that the database for this file speaks of.
void flags_files(Arena *arena, const char *path, FlagList *files);

#endif
