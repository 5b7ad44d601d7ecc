// inside.h: what the files of central/ share.

#ifndef CENTRAL_INSIDE_H
#define CENTRAL_INSIDE_H

#include "compiler/emit/inside.h"

typedef struct {
    Arena *arena;
    const Program *program;
    Emit emit;
    LocalProgram **roles; // their functions; nothing is projected
} Central;

// The variables and results of an instance: structs and a chx_function.
void central_frame(Central *central, const Instance *instance, Out *out);
// The C function that plays it.
void central_play(Central *central, const Instance *instance, Out *out);

#endif
