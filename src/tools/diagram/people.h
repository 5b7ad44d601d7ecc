// people.h: which lifeline a name stands for, and who takes part in what.

#ifndef TOOLS_DIAGRAM_PEOPLE_H
#define TOOLS_DIAGRAM_PEOPLE_H

#include "tools/diagram/scene.h"

// The members of `for (w : Worker)` around a statement, innermost first.
typedef struct Member Member;
struct Member {
    const char *name, *family;
    const Member *outer;
};

// Adds the name of each role that takes part, in what it calls too, in the order in which they are met. Names of members become their
// families'.
void people_of_block(Arena *arena, const Tree *tree, const TreeBlock *block, const Member *member, NameList *people);
void people_of_stmt(Arena *arena, const Tree *tree, const Stmt *stmt, const Member *member, NameList *people);
void people_of_call(Arena *arena, const Tree *tree, const TreeCall *call, const Member *member, NameList *people);
void people_of_ref(Arena *arena, const RoleRef *at, const Member *member, NameList *people);

// The definition of that name; NULL: a function parameter's.
const TreeDef *people_find_def(const Tree *tree, const char *name);

#endif
