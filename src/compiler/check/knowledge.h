// knowledge.h: who must know the outcome of each choice, and who takes part in each checkpoint.
//
// T by fixpoint over a control-flow graph, as docs/decisions tell; always succeeds. `notify` is checked against it.

#ifndef CHECK_KNOWLEDGE_H
#define CHECK_KNOWLEDGE_H

#include "compiler/check/program.h"

typedef struct {
    RoleSet *told;         // by site of a CHOICE or LOOP: who gets a message (never a decider)
    RoleSet *participants; // by site of a CHECKPOINT
    RoleSet *part;         // by instance id: the roles that do something in it
    RoleSet *acting;       // by site: roles involved in the node or in anything inside it (told, participants included)
    bool *completes;       // by site: the statement after it can be reached; if not, the rest of its list is dead
} Knowledge;

Knowledge *knowledge_new(Arena *arena, Diags *diags, const Program *program);

#endif
