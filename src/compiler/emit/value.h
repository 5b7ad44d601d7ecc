// value.h: values in emitted C: local C, assignments, patterns, and who owns what.
//
// An expression borrows: strings in its value belong to a variable, to the step or to the program. A variable, a
// message and a result own: they get copies. Values of types with codecs are the exception: a call gives them away.

#ifndef EMIT_VALUE_H
#define EMIT_VALUE_H

#include "compiler/check/program.h"
#include "compiler/emit/out.h"
#include "compiler/emit/types.h"

// A member of the frame that owns what a step holds while something can fail: a C variable would be forgotten then, the
// frame is dropped or put back. It is zero between steps.
typedef struct {
    const char *name;
    const char *declaration; // without semicolon
    const char *descriptor;
    bool is_taken; // in the current step
} Held;
typedef VECTOR(Held) HeldList;

// Where C is printed, and which role's variables and functions are meant by names in it.
typedef struct {
    Arena *arena;
    const Program *program;
    TypeTable *types;
    Out out;
    RoleId role;
    const char *variables; // what stands before a variable's name: "Buyer->"
    const char *functions; // and before a function's: "Buyer_"
    bool is_central;       // a sequential program: one function plays all roles
    const char *member;    // is_central: which member of the role's family, in C; NULL: the program has no families
    bool uses_variables;   // something was printed that starts with `variables`
    uint32_t counter;      // of the current operation's site, from 1 on; 0: it has none
    HeldList *held;        // of the function; NULL: there are none in a sequential program, which is for debugging
} RoleContext;

typedef enum {
    STORE_COPY,
    STORE_MOVE,
    STORE_MOVE_HELD, // the same out of a member of the frame
} StoreMode;

typedef struct {
    const char *name;
    const Shape *shape;
    const Value *value;
    const char **held; // by part: what owns it; NULL: the variable itself
} Gathered;

uint32_t context_line(const RoleContext *ctx, Span span); // of the choreography; 0: it has no place
// Is it a variable that owns a C string?
bool value_is_cstring_variable(const RoleContext *ctx, const Expr *expr);
// Can the expression, evaluated, neither call nor fail? Arithmetic on variables, without division.
bool value_is_quiet(const RoleContext *ctx, const Expr *expr);
// "chx_step_begin(chx_this, 7)": a step of the current operation begins.
const char *context_step_begin(const RoleContext *ctx, uint32_t site, Span span);

// What follows prints statements or parts of them on the current line. A place or source is a C lvalue.

void value_expr(RoleContext *ctx, const Expr *expr);
char *value_text(RoleContext *ctx, const Expr *expr); // the same as text without line breaks
// place = expr. The place owns its old value.
void value_assign(RoleContext *ctx, const char *place, const CType *type, const Expr *expr);
void value_zero(RoleContext *ctx, const char *place, const CType *type);
// For its effect.
void value_effect(RoleContext *ctx, const Expr *expr);
// A C variable `name` that borrows the value.
void value_temporary(RoleContext *ctx, const char *name, const CType *type, const Expr *expr);
// After the use of such a variable: drops what the role's code gave away in it.
void value_release(RoleContext *ctx, const char *name, const CType *type, const Expr *expr);
// The same for the value of a message, in parts.
Gathered value_gather(RoleContext *ctx, const char *name, const Shape *shape, const Value *value);
void value_release_all(RoleContext *ctx, const Gathered *gathered);
// A member of the frame for the rest of this step; value_hold_none begins the next one.
const char *value_hold(RoleContext *ctx, const Shape *shape);
void value_hold_none(RoleContext *ctx);
// Holds the value, if the role's code gives it away. NULL: it does not.
const char *value_hold_given(RoleContext *ctx, const CType *type, const Expr *expr);
// Does value_store compute something, a value to be matched or an index? Then a failure can come in between.
bool pattern_may_fail(const Pattern *pattern);
// A step: target op value.
void value_step(RoleContext *ctx, uint32_t site, const RoleSet *at, const Pattern *target, const char *op,
                const Expr *value);
// Takes the value in `source` apart: matches first, then binds. MOVE: what it owns goes to the variables, the rest is
// dropped. COPY: the source keeps it.
void value_store(RoleContext *ctx, uint32_t site, const Pattern *pattern, const RoleSet *at, const char *source,
                 const Shape *shape, StoreMode mode);
// The variable or place that a BIND or PLACE means, and its type.
const char *value_place(RoleContext *ctx, const Pattern *pattern, const RoleSet *at, const CType **type);
// "Alice and Bob do not agree on 'k'", as a C string literal.
const char *value_disagreement(const RoleContext *ctx, const RoleSet *at, const Pattern *bind);
// Does computing it make strings that belong to the step?
bool value_makes(const Value *value);

#endif
