// durable.h: a session that is kept in a store, as the rest of the runtime knows it.
//
// A session that runs with a store has one of these. It feeds the machine that says what is to be committed (cut.h) with what the
// recovery machine decides, keeps what the roles have given until it is committed, and lets them go on when it is. All of that is
// serialised by the session's block lock.

#ifndef RUNTIME_DURABLE_DURABLE_H
#define RUNTIME_DURABLE_DURABLE_H

#include "runtime/durable/cut.h"
#include "runtime/durable/store.h"
#include "runtime/recovery/machine.h"
#include "runtime/session/session.h"

typedef struct {
    chx_buffer piece; // what the role holds, as given last
    size_t given;     // of so many durable blocks that it is in it has given that
    bool is_entering; // it is in a block, and has not been let in
    uint64_t seen;    // durable->changes when it began to wait
} DurableRole;

typedef struct Durable Durable;
struct Durable {
    StoreItem item;
    Cut cut;
    Session *session;
    chx_store *store;
    StoreName *claim;
    chx_store_key key;
    char *name;
    bool is_unnamed;           // nobody will ask for the outcome
    bool has_begun;            // its roles run
    const chx_store_cut *from; // while it is being made: what it goes on from; NULL: it is new
    CutResumed resumed;
    chx_status refused;       // while it is being made: why it can't be, with the report
    _Atomic uint64_t changes; // rises when roles at an edge may go on
    bool is_over, is_lost;    // as the machine has said it, and is yet to be acted on

    // Of the commit that is on its way.
    chx_store_piece *pieces;
    unsigned char (*heads)[1024];
    chx_buffer *sent; // by role, then what the outcome is
    unsigned role_count;
    DurableRole roles[];
};

static inline DurableRole *durable_role(const Actor *actor)
{
    return &((Durable *)actor->session->durable)->roles[actor->index];
}

// ---- making: open.c ----

// A session of a definition with durable blocks, under a name (NULL: one that nobody knows), as NAME_DEF_open. On failure the
// thread's report says why.
chx_status durable_open(chx_runtime *runtime, const chx_choreography *choreography, size_t definition, const char *name,
                        const chx_actor *cast, const void *arguments, Session **session);

// The session has been allocated.
void durable_attach(Session *session);
// While the session is made, in a guard: gives a role what it goes on with.
void durable_load(Session *session, Actor *actor);
// What the store has of the role in the block at this level.
const void *durable_piece(const Actor *actor, size_t level, size_t *size);
// The same for a new session, whose roles have their arguments: keeps these.
void durable_take_arguments(Session *session);

// ---- while it runs: durable.c ----

// With the blocks locked. A role has given what it holds (roles[].piece), and is in the block at this depth. False: that can't be.
// Without memory the step ends.
bool durable_enter(Actor *actor, const Block *block);
bool durable_lets_in(const Actor *actor, const Position *position);
// All are at the end of a block, or (`renews`) of a round.
void durable_leave(Session *session, uint32_t depth, bool renews);
// The block went to another attempt.
void durable_decide(Session *session, const Block *block);
// The block's time does not run: its roles wait for the store.
bool durable_stops_time(const Session *session, const Block *block);
// The role goes back to this depth.
void durable_go_back(Actor *actor, size_t depth);
// The role waits for the next change, with the lock that it has looked under.
void durable_wait(Actor *actor);
static inline bool durable_has_changed(const Actor *actor)
{
    const Durable *durable = actor->session->durable;
    return atomic_load(&durable->changes) != durable->roles[actor->index].seen;
}

// No role of the session runs any more: its outcome is committed, then it ends (session_end).
void durable_end(Session *session);
// The session has ended: its name is free for others.
void durable_ended(Session *session);
void durable_free(Durable *durable);

// ---- pieces of a store that are not snapshots: piece.c ----

// The head of a level.
typedef struct {
    uint32_t block, ordinal, attempt;
    chx_fault fault; // kind CHX_FAULT_NONE: in its first attempt
} DurableHead;
enum { DURABLE_HEAD_BYTES = 1024 };
size_t head_write(const DurableHead *head, unsigned char bytes[DURABLE_HEAD_BYTES]);
// The strings of the fault lie in `text`. False: it is none.
bool head_read(const void *data, size_t size, DurableHead *head, char text[DURABLE_HEAD_BYTES]);

// How the session ended.
void outcome_write(chx_buffer *buffer, chx_status status, const chx_report *report);
bool outcome_read(const void *data, size_t size, chx_status *status, chx_report *report, char text[DURABLE_HEAD_BYTES]);

#endif
