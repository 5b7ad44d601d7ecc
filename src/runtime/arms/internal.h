// internal.h: arms, for the files of this folder.

#ifndef RUNTIME_ARMS_INTERNAL_H
#define RUNTIME_ARMS_INTERNAL_H

#include "runtime/arms/arms.h"

enum { ARM_USUAL_PARTICIPANTS = 16 };

// What all participants know an arm by.
typedef struct {
    Session *session; // that the `par` stands in
    Block *block;     // the innermost there; NULL: none. Whoever is in it keeps it
    uint32_t round;   // its ordinal
    uint32_t attempt;
    uint32_t static_name, ordinal;
    const Member *member; // the blocks around it, of whoever comes first; no part of the name, and used only then
} ArmName;

struct Arm {
    Arm *next; // in the table
    bool is_listed;
    ArmName name;
    uint64_t number; // in traces: different from those of all other arms of the session, not 0
    uint64_t around; // that of the arm that the `par` stands in, which may be gone before this one; 0: there is none
    Session *session;
    Channel *channels; // some are not used: they have no operations
    size_t channel_count;
    Channel **ins;
    struct ArmRing *rings; // of channels to and from isolated roles; NULL: there are none
    unsigned *numbers;     // of the roles that take part, ascending
    unsigned count, joined;
    bool has_inner;  // some have been known by this one
    bool has_failed; // for another reason than an actor: set before it is stopped
    Fault *fault;    // NULL: there was no memory for it
    ArmPart parts[];
};

// Who takes part, by implementations.
typedef struct {
    const chx_role **roles;
    unsigned count;
} ArmShape;

// Of a session that has had arms.
typedef struct ArmTable {
    pthread_mutex_t lock; // of the table, and of `joined` of each arm
    Arm **chains;         // of those at which somebody has not arrived yet
    size_t chain_count, count;
    Arms *arms;    // of its roles
    uint64_t made; // so many arms there have been
    unsigned left; // so many roles, the first ones, have left the session
} ArmTable;

// Without memory the step ends.
ArmTable *arm_table(Session *root);
// The role's part of the arm, whoever comes first. It counts twice in the arm's `live`: for the role, and for its part. NULL: no memory.
ArmPart *arm_join(Session *root, const ArmName *name, const chx_checkpoint *block);
// The caller, who has a part in the arm, gives it up: whoever has not come to it yet never will, and nothing waits for that.
void arm_unlist(Arm *arm);

#endif
