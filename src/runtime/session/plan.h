// plan.h: what all sessions of one definition with one choice of implementations have in common: who plays which role,
// who sends to whom, where things lie in a session's memory. Made once, kept by the runtime.

#ifndef RUNTIME_SESSION_PLAN_H
#define RUNTIME_SESSION_PLAN_H

#include "runtime/session/runtime.h"

typedef struct {
    const chx_role *asked; // by the cast; NULL: the one linked in
    const chx_role *role;
    const chx_entry *entry;
    const chx_result_slot *result; // NULL: none
    size_t out_first;              // number of its first outgoing channel
    size_t in_first;               // in the table of incoming channels
    size_t in_wired;               // while these are wired: behind the one that was wired last
    size_t count_first;            // in the table of counters
} PlanRole;

typedef struct {
    unsigned from, to;
    size_t in; // place in the table of incoming channels
} PlanChannel;

enum {
    PLAN_FETCHED_ROLES = 4, // a session of more roles is not fetched beforehand
    PLAN_FETCHED_MAX = 128,
};

struct Plan {
    Plan *next;
    const chx_choreography *choreography;
    const chx_definition *definition;
    size_t definition_index;
    const chx_registration *registered; // last, when it was made
    unsigned role_count;
    size_t channel_count;
    size_t sparse_count; // of these, between members of families, if there are many; else 0
    size_t in_count;
    size_t count_count;      // of all roles' counters
    size_t checkpoint_count; // of all roles
    // Offsets in a session's memory.
    size_t actors, channels, ins, pools, counts, stacks, results;
    size_t checkpoints; // room for the first blocks of the session, then of each role; 0: there are no checkpoints
    size_t size;
    // The cache lines of that, by their offsets, that most turns touch: session_fetch.
    uint32_t fetched[PLAN_FETCHED_MAX];
    unsigned fetched_count;
    PlanChannel *channel_table;
    PlanRole roles[];
};

// Finds or makes the plan. On failure the thread's report says why. The runtime owns it.
chx_status plan_get(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                    const chx_actor *cast, const Plan **plan);
void plan_free_all(chx_runtime *runtime);

// Where everything lies in a session's memory, once it is known what there is.
void plan_lay_out(Plan *plan);

// The implementation that plays a role: the cast's, or the one linked in. On failure the thread's report says why.
chx_status plan_cast(const chx_choreography *choreography, const chx_actor *cast, unsigned role,
                     const chx_role **found);

#endif
