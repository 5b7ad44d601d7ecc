// knowledge.h: who must know the outcome of each choice, and who takes part in each checkpoint.
//
// Who is involved is found by fixpoint over a control-flow graph (knowledge.c); who of them does the same whatever the
// outcome is, and need not know it, by comparing what they do in the branches (same.c). Always succeeds. `notify` is checked
// against it.

#ifndef CHECK_KNOWLEDGE_H
#define CHECK_KNOWLEDGE_H

#include "compiler/check/merge.h"
#include "compiler/check/numbers.h"
#include "compiler/check/program.h"

struct Knowledge {
    RoleSet *told;     // by site of a CHOICE or LOOP: who must know, and does not decide
    RoleSet *unaware;  // by site of a CHOICE: who acts in it, but does the same in all branches: it does the first
    RoleSet *same;     // by site of a CHOICE: all who do so. Some of them are told, so that others find out from them
    MergeList *merges; // by site of a CHOICE: those of `told` who get no message, since what arrives next tells them
    RoleSet *participants; // by site of a CHECKPOINT
    RoleSet *part;         // by instance id: the roles that do something in it
    RoleSet *acting;       // by site: roles involved in the node or in anything inside it (told, participants included)
    bool *completes;       // by site: the statement after it can be reached; if not, the rest of its list is dead
    const Numbers *numbers;
};

Knowledge *knowledge_new(Arena *arena, Diags *diags, const Program *program);

#endif
