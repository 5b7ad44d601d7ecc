// same.h: who must know the outcome of a choice, of those who are involved in it.

#ifndef CHECK_SAME_H
#define CHECK_SAME_H

#include "compiler/check/knowledge.h"

// Fills in who is told of each choice and loop, who need not know, and who finds out by what arrives. `acting` must be there.
void same_find(Arena *arena, const Program *program, Knowledge *knowledge);

#endif
