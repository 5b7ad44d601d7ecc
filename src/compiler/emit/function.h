// function.h: a resumable function under construction: what the files share that emit its operations.

#ifndef EMIT_FUNCTION_H
#define EMIT_FUNCTION_H

#include "compiler/emit/control.h"
#include "compiler/emit/internal.h"

// A checkpoint around the current place.
typedef struct BlockScope BlockScope;
struct BlockScope {
    const char *name;         // of its chx_checkpoint
    const char *object;       // C that points to it, as the runtime knows it
    const LoopLabels *loop;   // the innermost loop around it; of a round: around its own loop
    const LoopLabels *rounds; // the loop whose rounds it is; NULL: it is a single block
    bool is_durable;
    BlockScope *outer;
};

typedef struct {
    RoleEmit *role;
    Arena *arena;
    const LocalFunction *function;
    RoleContext ctx; // prints the body
    Out *tables;
    uint32_t labels;        // chx_at_1 .. chx_at_labels
    VECTOR(uint32_t) lines; // of those that are known so far, in this order
    uint32_t line;          // of the operation that is being printed
    bool uses_outcome;
    bool recurses;      // calls itself, and goes on after it
    bool begins_again;  // at `chx_begin`, with a frame of its own
    bool goes_on_again; // at `chx_again`, with another of its frames
    uint32_t chains;    // of else-ifs that are written one behind the other: over_1 .. over_chains
    unsigned else_ifs;  // in one another around the current place
    uint32_t loops;
    LoopLabels *loop;      // the innermost
    BlockScope *block;     // the innermost
    const RoleSet *within; // a member of a family is one of these at the current place; NULL: any
} FunctionEmit;

// ---- function.c ----

void function_ops(FunctionEmit *f, const LocalOpList *ops);
uint32_t function_line(const FunctionEmit *f, Span span);    // of the choreography; 0: it has no place
void function_statement(FunctionEmit *f, const LocalOp *op); // a new line, which counts as the operation's
uint32_t function_label(FunctionEmit *f);                    // a place to go on at; a statement must follow
const char *function_wait(FunctionEmit *f, uint32_t label);
// The operation begins here. If it calls C functions, these can end the step and have it begun again (chx_again_when): then
// this is where. Returns the label, or 0: there is none.
uint32_t function_restart(FunctionEmit *f, const LocalOp *op);
// The same where the operation begins with a label of its own.
void function_restarts_at(FunctionEmit *f, const LocalOp *op, uint32_t label);
// Nothing is left to do for the role here, and others never come to an end.
void function_wait_for_ever(FunctionEmit *f, const LocalOp *op);
bool function_ends(const LocalOpList *ops); // what stands behind is not reached

// ---- step.c ----

// "chx_step_begin(chx_this, 7)": a step of the operation begins. Quiet: it can neither fail nor be noticed.
const char *step_begin(FunctionEmit *f, const LocalOp *op, bool is_quiet);
// The number of the counter that says how often the role has been here; 0: it needs none.
uint32_t step_counter(FunctionEmit *f, const LocalOp *op);
bool op_binds_in_steps(const LocalOp *op); // is binding what the operation has got one or more further steps?
bool op_calls(const LocalOp *op);          // does the operation call any C function?
bool op_args_call(const LocalOp *op);      // does computing the arguments of the call in it call C functions?
void step_put(FunctionEmit *f, const LocalOp *op);

// ---- member.c ----

// Which member the view is, at this operation: "Queue->w".
const char *member_index(FunctionEmit *f, const LocalOp *op, RoleId view);
// C that is true if a member of a family does the operation; NULL: all do, or the role is no family.
const char *member_guard(FunctionEmit *f, const LocalOp *op);
// The same for some of them.
const char *member_is_one_of(FunctionEmit *f, const LocalOp *op, const RoleSet *who);
// Around a statement about one receiver, or about each of several, and the channel in it.
typedef struct {
    const char *before, *channel, *after;
    bool is_several;
} Receiver;
Receiver member_receiver(FunctionEmit *f, const LocalOp *op, RoleId to);
const char *member_sender(FunctionEmit *f, const LocalOp *op, RoleId from); // the channel
void each_put(FunctionEmit *f, const LocalOp *op);

// ---- message.c ----

// The same as message_tell with the outcome in a C variable.
void message_tell_variable(FunctionEmit *f, const LocalOp *op);

// The operation begins: waits until every channel to `op->to` has room. Asking again does no harm, so all of them are asked at
// once.
void message_room(FunctionEmit *f, const LocalOp *op);
void message_tell(FunctionEmit *f, const LocalOp *op, uint32_t outcome); // to every role of `op->to`
void message_send(FunctionEmit *f, const LocalOp *op);
void message_receive(FunctionEmit *f, const LocalOp *op);

// ---- call.c ----

void call_put(FunctionEmit *f, const LocalOp *op);
void call_return(FunctionEmit *f, const LocalOp *op);
void call_end(FunctionEmit *f); // ends the frame and goes on with the caller's
// Does the function call itself, other than in tail position? One of its frames may then have been called by another.
bool call_recurses(const LocalOpList *ops, const LocalFunction *function);

// ---- choice.c ----

void choice_put(FunctionEmit *f, const LocalOp *op);
void choice_told(FunctionEmit *f, const LocalOp *op);        // waits for the outcome, into `chx_outcome`
const char *choice_step(FunctionEmit *f, const LocalOp *op); // begins the step of a condition
bool choice_is_mixed(const LocalOp *op);                     // some members decide, others are told
void choice_mixed(FunctionEmit *f, const LocalOp *op);       // then: the outcome into `chx_outcome`

// ---- loop.c ----

void loop_put(FunctionEmit *f, const LocalOp *op);
void loop_jump(FunctionEmit *f, const LocalOp *op);

// ---- arm.c ----

void par_put(FunctionEmit *f, const LocalOp *op);
void arm_put(FunctionEmit *f, const LocalOp *op);

// ---- block.c ----

// Of a block or an arm: without views of families that take part with all their members.
RoleSet block_participants(const FunctionEmit *f, const LocalOp *op);
size_t block_position(RoleId role, const RoleSet *participants);
// C that points to the table of this name, or to what the runtime makes of it for the members that take part.
const char *block_object(FunctionEmit *f, const LocalOp *op, const char *name);

// The whole checkpoint.
void block_put(FunctionEmit *f, const LocalOp *op);
// A loop whose rounds are blocks.
void block_put_rounds(FunctionEmit *f, const LocalOp *op);
// Is the place in the block, and in no loop inside of it?
bool block_is_around(const FunctionEmit *f);
// Meets the others at the end of every block around `op`, a `return`; or of those that a `break` or `continue` leaves. The
// `continue` of a loop whose rounds are blocks does not leave the round: that is done at the end of the round.
void block_leave_all(FunctionEmit *f, const LocalOp *op);
void block_leave_loop(FunctionEmit *f, const LocalOp *op);

#endif
