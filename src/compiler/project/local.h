// local.h: a role's program: what is left of a choreography for one role.
//
// A LocalFunction is what the role does of one Instance. Its operations are structured like the choreography; statements
// that don't concern the role are not there. What a message carries and a checkpoint is called is a number of its own
// (check/numbers.h): the site, if nobody is in two branches at once.

#ifndef PROJECT_LOCAL_H
#define PROJECT_LOCAL_H

#include "compiler/check/program.h"

#include <stdio.h>

typedef struct LocalFunction LocalFunction;
typedef struct LocalOp LocalOp;
typedef VECTOR(LocalOp *) LocalOpList;

typedef enum {
    LOCAL_STEP,    // target op value, as NODE_STEP
    LOCAL_SEND,    // compute `sent`, send it to each role of `to`; `own` binds it here too (may be NULL)
    LOCAL_RECEIVE, // from `peer` into `target`
    LOCAL_CALL,    // of `callee`
    LOCAL_CHOICE,
    LOCAL_LOOP,
    LOCAL_EACH, // `body` for each member of a family, or for one
    LOCAL_BREAK,
    LOCAL_CONTINUE,
    LOCAL_RETURN,
    LOCAL_CHECKPOINT,
    LOCAL_PAR, // `body`, in which arms are begun; over when all of them are
    LOCAL_ARM, // `body` is done beside what follows, by an actor of its own
} LocalKind;

// Which member a role parameter is.
struct LocalIndex {
    Variable *param;       // of the callee, this role's
    const Variable *given; // the same here
};

// How the role learns which way a choice or loop goes.
typedef enum {
    DECIDE_SELF,    // computes `condition`, then tells `to` (may be empty)
    DECIDE_TOLD,    // receives the outcome from `peer`
    DECIDE_ARRIVAL, // CHOICE only: each branch begins with a receive from `peer`; the number of what arrives decides
    DECIDE_FOREVER, // LOOP only: no condition
} Decide;

typedef struct {
    ExprList labels; // switch, DECIDE_SELF
    bool is_default;
    bool is_implied;
    uint32_t outcome;          // the number told: its index in the choice. A loop tells 1 (go on) or 0
    VECTOR(uint32_t) arrivals; // DECIDE_ARRIVAL: numbers of messages that mean this branch
    LocalOpList body;
    Span span;
} LocalBranch;

struct LocalOp {
    LocalKind kind;
    uint32_t site;
    Span span;        // the statement's line is what #line and reports name
    const Node *node; // where it comes from: for messages and dumps, and to know which round this is
    uint32_t number;  // of the statement, for all roles: CHECKPOINT: its name
    uint32_t arrives; // RECEIVE, DECIDE_TOLD: the number of the message

    // A member of a family does it only if it is one of `who`: of these views; or, if the family is in it, none of the views at
    // this place that are not.
    bool is_guarded;
    RoleSet who;

    // STEP, RECEIVE: target. STEP: op, value. (Patterns and expressions as in program.h; look up this role's variable.)
    RoleSet at; // the roles of the pattern or expression, for piece_variable and pattern_variable
    Pattern *target;
    const char *op;
    bool divides; // STEP: op is `/=` or `%=`: it fails on zero
    Expr *value;

    Value sent;     // SEND
    Pattern *own;   // SEND: the sender keeps it too
    RoleSet own_at; // SEND: the roles of `own`
    RoleSet own_if; // SEND: views of the sender's own family: if it is one of them, it is the one who keeps it
    RoleSet to;     // SEND: receivers. DECIDE_SELF: who is told by this role
    // SEND, DECIDE_SELF: the numbers of the messages, for each of `to` in role order
    VECTOR(uint32_t) leaves;
    // SEND, RECEIVE: the types that travel: one, or a tuple's
    VECTOR(const CType *) types;
    bool is_tuple;

    // SEND, RECEIVE: what travels is a digest of this role's variable in the BIND, and who receives one fails if it is not
    // that of its own. NULL: values travel.
    Pattern *compared;

    RoleId peer; // RECEIVE, DECIDE_TOLD, DECIDE_ARRIVAL; or a view. Who is `peer` itself receives nothing
    // DECIDE_SELF of a family's member: only these decide, the others are told by `peer`. Empty: all do
    RoleSet decides;

    RoleId view, family; // EACH
    Variable *position;  // EACH: this role's variable for the index
    Expr *index;         // EACH: one member; NULL: all of them
    bool is_own;         // EACH: a member has to do with itself only
    RoleId in_charge;    // EACH: who of this role fails if there is no such member; ROLE_NONE: nobody
    RoleId teller;       // DECIDE_SELF: of those who decide, this one tells

    LocalFunction *callee; // CALL
    bool is_tail;          // CALL: nothing is left to do here afterwards: the frame is not needed
    struct LocalArg {
        Variable *param; // of the callee, this role's
        Expr *value;     // computed here
        RoleId only;     // by this member only; ROLE_NONE: by all who call
    } * args;
    size_t arg_count;
    bool has_partial;                  // CALL: there is such an argument
    VECTOR(struct LocalIndex) indices; // CALL: which members the callee's role parameters are
    RoleId result_only;                // CALL: the result is this member's; ROLE_NONE: of all who call
    Pattern *result; // CALL: where this role's result goes; NULL: dropped, or the callee has none here
    RoleSet result_at;
    bool returns_result; // CALL as in `return f(...)`: this role's result, converted to ours, is our result

    Decide decide; // CHOICE, LOOP
    Expr *condition;
    bool is_switch;
    VECTOR(LocalBranch) branches; // CHOICE
    LoopKind loop;
    LocalOpList body;       // LOOP, CHECKPOINT, PAR, ARM
    LocalOpList step;       // LOOP_FOR
    const LocalOp *loop_op; // BREAK, CONTINUE

    Value returned; // RETURN: this role's value; no exprs: it has no result

    bool is_round;                          // CHECKPOINT: all that its loop repeats. LOOP: repeats such a one
    bool has_rescue, has_within, has_retry; // CHECKPOINT
    bool is_durable;                        // CHECKPOINT
    uint64_t within_ns;
    uint32_t retry;
    RoleSet participants;        // CHECKPOINT, ARM
    VECTOR(ArmElement) elements; // ARM: this role's
    VariableList uses, owns;     // ARM: this role's, from around the PAR: what it is given, and what it gives back
    LocalOpList rescue;
    Variable *fault; // this role's, or NULL
};

struct LocalFunction {
    uint32_t id; // index in program->functions
    const Instance *instance;
    const char *name;       // the instance's
    VariableList variables; // this role's, params included: the members of its frame
    VariableList params;    // in the order of the instance's parameters
    const Result *result;   // NULL: none for this role
    LocalOpList body;
};

typedef struct {
    const Program *program;
    RoleId role;
    const char *name;                  // the role's
    VECTOR(LocalFunction *) functions; // those in which the role has a part, and every entry
    RoleFunctionList provides;         // the C functions the role must provide, hooks included
    RoleSet sends_to, receives_from;   // over all functions
} LocalProgram;

void dump_local(const LocalProgram *local, FILE *out);                                         // --dump=local
void dump_local_function(const LocalProgram *local, const LocalFunction *function, FILE *out); // what it says of one

#endif
