// central.h: a choreography as one sequential C program: for debugging, and the oracle for the projection.

#ifndef CENTRAL_CENTRAL_H
#define CENTRAL_CENTRAL_H

#include "compiler/check/numbers.h"
#include "compiler/emit/emit.h"
#include "compiler/syntax/find.h"

// Writes the user's file with the companions' #include lines replaced by sequential code. The result needs chorex.h and
// libchorex (strings, chx_fail) and nothing of the projection. Checkpoints have the numbers that they have for the roles.
void central_write(Arena *arena, const Program *program, LocalProgram *const *locals, const Numbers *numbers,
                   const Source *source, const Found *found, FILE *out);
// Has the file such a line?
bool central_has_place(Arena *arena, const Program *program, const Found *found);

#endif
