// project.h: choreography to one local program per role.

#ifndef PROJECT_PROJECT_H
#define PROJECT_PROJECT_H

#include "compiler/check/knowledge.h"
#include "compiler/project/local.h"

// One per role, in role order.
LocalProgram **project_all(Arena *arena, const Program *program, const Knowledge *knowledge);
// --dump=model: tables for tests/model/recovery.pml. What they can't express is an error in `diags`; nothing is printed.
void dump_model(LocalProgram **locals, const Program *program, Diags *diags, FILE *out);

#endif
