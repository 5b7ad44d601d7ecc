// function.h: a resumable function under construction: what function.c and block.c share.

#ifndef EMIT_FUNCTION_H
#define EMIT_FUNCTION_H

#include "compiler/emit/internal.h"

typedef struct LoopLabels LoopLabels;
struct LoopLabels {
    uint32_t number;
    unsigned switches;   // C switches between the loop and the current place: `break` would leave those
    bool plain_continue; // C's `continue` does the right thing
    bool has_break, has_continue;
    LoopLabels *outer;
};

// A checkpoint around the current place.
typedef struct BlockScope BlockScope;
struct BlockScope {
    const char *name;       // of its chx_checkpoint
    const LoopLabels *loop; // the innermost loop around it
    BlockScope *outer;
};

typedef struct {
    RoleEmit *role;
    Arena *arena;
    const LocalFunction *function;
    RoleContext ctx; // prints the body
    Out *tables;
    uint32_t labels; // chx_at_1 .. chx_at_labels
    bool uses_outcome;
    bool recurses;      // calls itself, and goes on after it
    bool begins_again;  // at `chx_begin`, with a frame of its own
    bool goes_on_again; // at `chx_again`, with another of its frames
    uint32_t chains;    // of else-ifs that are written one behind the other: over_1 .. over_chains
    unsigned else_ifs;  // in one another around the current place
    uint32_t loops;
    LoopLabels *loop;  // the innermost
    BlockScope *block; // the innermost
} FunctionEmit;

// ---- function.c ----

void function_ops(FunctionEmit *f, const LocalOpList *ops);
void function_statement(FunctionEmit *f, const LocalOp *op); // a new line, which counts as the operation's
void function_close(FunctionEmit *f, const char *text);      // a line without meaning for a debugger: a closing brace
uint32_t function_label(FunctionEmit *f);                    // a place to go on at; a statement must follow
const char *function_wait(FunctionEmit *f, uint32_t label);
bool function_ends(const LocalOpList *ops); // what stands behind is not reached

// ---- block.c ----

// The whole checkpoint.
void block_put(FunctionEmit *f, const LocalOp *op);
// Meets the others at the end of every block around `op`, a `return`; or of those that a `break` or `continue` leaves.
void block_leave_all(FunctionEmit *f, const LocalOp *op);
void block_leave_loop(FunctionEmit *f, const LocalOp *op);

#endif
