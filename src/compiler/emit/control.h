// control.h: control flow in emitted C: conditions, ifs, switches, loops and the jumps out of them.
//
// Projected and sequential programs write these alike. What stands inside of them and where a role waits is the
// business of those who use this (choice.c and loop.c here, compiler/central there).

#ifndef EMIT_CONTROL_H
#define EMIT_CONTROL_H

#include "compiler/emit/value.h"

typedef enum {
    LOOP_HEAD_FOREVER, // for (;;)
    LOOP_HEAD_WHILE,
    LOOP_HEAD_DO,
} LoopHead;

// A C loop around the current place.
typedef struct LoopLabels LoopLabels;
struct LoopLabels {
    uint32_t number; // of its labels: unique in the C function
    LoopHead head;
    unsigned switches;   // C switches between the loop and the current place: `break` would leave those
    bool plain_continue; // C's `continue` does the right thing
    bool has_break, has_continue;
    LoopLabels *outer;
};

// A line without meaning for a debugger, one level further out: a closing brace.
void control_close(Out *out, const char *text);

// The condition with the call that begins its step. If it is a truth value (else that of a switch), what it makes is
// released before the choice takes its way.
void control_condition(RoleContext *ctx, const char *step, const Expr *condition, bool is_bool);

// "if (step, condition) {"; the branches end with control_close. "} else {" begins another one.
void control_if(RoleContext *ctx, const char *step, const Expr *condition);
void control_else(Out *out);

// A switch and its cases. `loop` is the innermost loop around it, or NULL. Between "switch (...) {" and the end stand
// cases: labels, control_case_begin, statements, control_case_end.
void control_switch_begin(LoopLabels *loop);
void control_switch_end(Out *out, LoopLabels *loop);
void control_labels(RoleContext *ctx, const ExprList *labels, bool is_default);
void control_case_begin(Out *out, bool releases); // releases: what the condition of the switch has made
void control_case_end(Out *out, bool is_left);    // is_left: its last statement is a jump already

// A loop. `step` and `condition` are used at the beginning of a `while` and at the end of a `do`. Between the body and
// what is done after each turn stands control_loop_turn.
void control_loop_begin(RoleContext *ctx, const LoopLabels *loop, const char *step, const Expr *condition);
void control_loop_turn(Out *out, const LoopLabels *loop);
void control_loop_end(RoleContext *ctx, const LoopLabels *loop, const char *step, const Expr *condition);
// A `break` or `continue` of the loop. `in_switch`: a C switch is in between.
void control_jump(Out *out, LoopLabels *loop, bool is_break, bool in_switch);

#endif
