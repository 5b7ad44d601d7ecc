// agree.h: which roles' variables are known to hold the same value, at each point.
//
// A forward analysis over an instance's body: variables are in classes, two in one class agree. Assigning at a set puts
// the variables into a new class; branches join by intersection, loops go to a fixpoint, a rescue starts as at entry.
// It needs names and roles only, not types, so that typing can make agreed variables const.

#ifndef CHECK_AGREE_H
#define CHECK_AGREE_H

#include "compiler/check/program.h"

// Local C is not cut into pieces yet: the caller tells which variables an expression mentions.
typedef struct {
    // The variables of each role of expr->at (in role order) that bear a name mentioned in the expression: one
    // VariableList per name.
    size_t (*mentions)(void *context, const Expr *expr, const VariableList **lists, const Span **spans);
    // Called once for each mention, after the fixpoint: do the variables agree here (always true for one role), and
    // does this role's variable agree with any other role's?
    void (*mentioned)(void *context, const Expr *expr, size_t mention, bool agree, bool shared);
    // The same for the variables that a STEP changes by an operator (`{A, B}.n += 1`, `{A, B}.n++`). May be NULL.
    void (*target_mentioned)(void *context, const Node *node, bool agree, bool shared);
    void *context;
} AgreeClient;

void agree_instance(Arena *arena, const Program *program, const Instance *instance, const AgreeClient *client);

#endif
