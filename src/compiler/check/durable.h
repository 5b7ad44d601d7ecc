// durable.h: what holds for durable blocks beyond what holds for every checkpoint.
//
// All roles take part in a durable block, so that every channel is empty at both of its ends, and what the store keeps is what the
// roles hold and nothing else. A block that is not durable lives in the program's memory: it can't be around one that is to
// survive the program.

#ifndef CHECK_DURABLE_H
#define CHECK_DURABLE_H

#include "compiler/check/program.h"
#include "compiler/diag/diag.h"

// Sets has_durable of all instances.
void durable_mark(Program *program);
// Reports durable blocks that can't be. `part`: by instance, the roles that take part in it.
void durable_check(Diags *diags, const Program *program, const RoleSet *part);
// -Wdurable-gap: warns about what is done again after a loss, because it is in no durable block.
void durable_warn_gaps(Arena *arena, Diags *diags, const Program *program);

#endif
