// check.h: tree to program: roles, names, calls, types, agreement, results.

#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "compiler/check/program.h"

// NULL if there were errors (they are in diags). `source` is the file that holds the block.
Program *check_tree(Arena *arena, const Sources *sources, Diags *diags, const Source *source, const Tree *tree,
                    const CFlags *flags);

void dump_types(const Program *program, FILE *out); // --dump=types

#endif
