// internal.h: what the files of central/ share.

#ifndef CENTRAL_INTERNAL_H
#define CENTRAL_INTERNAL_H

#include "compiler/check/numbers.h"
#include "compiler/emit/control.h"
#include "compiler/emit/internal.h"

typedef struct {
    Arena *arena;
    const Program *program;
    const Numbers *numbers;
    Emit emit;
    LocalProgram **roles; // their functions; nothing is projected
} CentralEmit;

// The C function of an instance, or of the body or rescue of a checkpoint in it. The latter return a number that says how
// they were left, so that the function that has called them goes on in the right place.
typedef struct SequentialFunction SequentialFunction;
struct SequentialFunction {
    CentralEmit *central;
    const Instance *instance;
    RoleContext ctx;
    bool *uses_role;             // by role: its variables are used
    bool starts_again;           // a call of itself in tail position
    uint32_t *loops;             // of the instance
    LoopLabels *loop;            // the innermost one in this function
    SequentialFunction *outer;   // NULL: this is the instance's own
    Out *functions;              // where a finished one goes
    VECTOR(uint32_t) ways;       // out of this function
    VECTOR(uint32_t) block_ways; // out of the latest checkpoint in it
};

// ---- party.c: who does something ----

// A role, a member of a family, or all members one after the other: what it does stands between `before` and `after`.
typedef struct {
    RoleId role;
    const char *member; // its index in C; NULL: there are no families
    const char *before, *after;
} CentralParty;
typedef VECTOR(CentralParty) CentralParties;

// One role or member; of a family the first member.
CentralParty central_party(const CentralEmit *central, RoleId id);
// A role, or all members of a family.
CentralParty central_all(const CentralEmit *central, RoleId role);
// Everybody in the set, each once, also where two views are one member.
CentralParties central_parties(const CentralEmit *central, const RoleSet *set);
// The same for a set of the callee's, as the caller knows them.
CentralParties central_given(const CentralEmit *central, const Node *call, const RoleSet *set);
// Which member the view is.
const char *central_index(const CentralEmit *central, RoleId view);

// ---- frame.c: where values are ----

// The variables and results of an instance: structs and a chx_function.
void sequential_frame(CentralEmit *central, const Instance *instance, Out *out);
// Does its frame have variables of members? Then NAME_chx_room makes room for them.
bool central_has_members(const CentralEmit *central, const Instance *instance);
// The name of the pointer to a role's variables.
const char *central_me(const CentralEmit *central, RoleId role);
// The variables of a role, or of a member, in a frame; and its result.
const char *central_place(const CentralEmit *central, const char *frame, RoleId role, const char *member);
const char *central_result(const CentralEmit *central, const char *frame, const CentralParty *party);

// ---- statement.c: statements without others inside ----

// From here on, names mean this party's.
RoleContext *select_party(SequentialFunction *seq, const CentralParty *party);
RoleContext *select_one(SequentialFunction *seq, RoleId id); // a role or a member
// Remembers whether the selected role's variables were used: the function then needs a pointer to them.
void note_use(SequentialFunction *seq);
void begin_statement(SequentialFunction *seq, const Node *node);

void sequential_step(SequentialFunction *seq, const Node *node);
void sequential_delivery(SequentialFunction *seq, const Node *node);
void sequential_agree(SequentialFunction *seq, const Node *node);
// The elements of arrays that belong to an arm are variables in it: there, and back.
void sequential_elements(SequentialFunction *seq, const Node *node, bool is_end);

// ---- call.c ----

void sequential_call(SequentialFunction *seq, const Node *node);
// `return` of a call of the same function takes no C stack.
void sequential_call_again(SequentialFunction *seq, const Node *node);
void sequential_returned(SequentialFunction *seq, const Node *node, const Result *result, const Value *value);

// ---- sequential.c ----

// The C function that does what all roles do in it.
void sequential_function(CentralEmit *central, const Instance *instance, Out *out);

#endif
