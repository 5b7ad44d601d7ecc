// internal.h: what the files of central/ share.

#ifndef CENTRAL_INTERNAL_H
#define CENTRAL_INTERNAL_H

#include "compiler/check/numbers.h"
#include "compiler/emit/control.h"
#include "compiler/emit/internal.h"

typedef struct {
    Arena *arena;
    const Program *program;
    const Numbers *numbers;
    Emit emit;
    LocalProgram **roles; // their functions; nothing is projected
} CentralEmit;

// The variables and results of an instance: structs and a chx_function.
void sequential_frame(CentralEmit *central, const Instance *instance, Out *out);
// The C function that does what all roles do in it.
void sequential_function(CentralEmit *central, const Instance *instance, Out *out);

#endif
