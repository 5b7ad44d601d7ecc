// cut.h: what of a session is in the store, as a state machine: events in, effects out.
//
// A cut is the state of all roles at one moment at which every channel is empty: the base, at the beginning of the session or at
// the end of the last outermost durable block, and on top of it an entry for each durable block that the session is in. The
// recovery machine decides what happens to blocks; this one follows it, and says what has to be committed and whether what
// roles are about to do may be done already. One rule is behind all of it: nobody acts on what the store does not have.
//
//     all roles have entered a durable block      its entry is committed, then they begin the body          (rule C3)
//     all have arrived at its end                 its entry is taken away, and for an outermost block the
//                                                 base changes; then they go on behind it                   (C4)
//     ... at the end of a round of a loop         the entry is that of the next round, then they begin that (C4)
//     the block goes to another attempt           the entry says so, then they begin it                     (C6)
//     the session is over                         the outcome is committed, then the caller learns it       (C5)
//     all was lost                                cut_resume: the innermost entry goes to its next attempt  (C8)
//
// There is at most one commit on its way. What happens meanwhile goes into the next, so that a commit may tell several changes at
// once. It is conditional on term and version (C1): whoever finds another one has lost the session to somebody else.
//
// No threads, no clock, no input or output, nothing of the runtime: whoever feeds it events makes sure that there is one at a time.
// simulate.c runs it with a store that loses what was not synced.

#ifndef RUNTIME_DURABLE_CUT_H
#define RUNTIME_DURABLE_CUT_H

#include "runtime/durable/broken.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A durable block that the session is in.
typedef struct {
    uint32_t name; // chx_checkpoint's
    uint32_t ordinal, attempt;
    uint32_t retries;
    bool has_rescue, is_round;
    bool has_begun; // its roles have been let in, into this round and attempt: the caller's
} CutEntry;

typedef struct Cut Cut;
// Called during an event.
typedef struct {
    void (*commit)(Cut *cut);  // there is something to commit: cut_take, now or later, once
    void (*settled)(Cut *cut); // the store has everything: what the roles wait for may be there
    void (*over)(Cut *cut);    // the store has the outcome
    void (*lost)(Cut *cut);    // the session is somebody else's: nothing may be done any more
} CutEffects;

typedef enum {
    CUT_RUNS,
    CUT_ENDS, // the outcome is known
    CUT_OVER, // and in the store
    CUT_LOST, // to somebody else
} CutState;

enum { CUT_NO_LEVEL = -1 };

struct Cut {
    const CutEffects *effects;
    unsigned role_count;
    CutState state;
    uint64_t term, version; // as the store has them, if nothing is on its way
    CutEntry *entries;      // outermost first
    size_t depth, capacity;
    unsigned there; // so many roles are in the durable block that is being entered

    // What the store does not have.
    bool is_new;        // anything
    bool is_dirty;      // something
    size_t head_from;   // entries from this one on
    int pieces_level;   // what all roles hold at this level, as they have given it last; CUT_NO_LEVEL: it has that
    size_t kept_levels; // so many entries it has, or will have
    bool is_asked;      // effects->commit was called, and cut_take was not
    bool is_on_its_way; // a commit is
};

// What to commit. Levels are counted as in a store: 0 is the base.
typedef struct {
    uint64_t term, version;
    bool is_first; // the session is made
    bool is_over;  // with the outcome
    bool drops;    // levels from drop_from on are taken away first
    uint32_t drop_from;
    int pieces_level;   // what all roles hold at this level is put; CUT_NO_LEVEL: nothing is
    uint32_t head_from; // the heads of the levels from this one on are put, up to
    uint32_t levels;    // this one
} CutChange;

void cut_init(Cut *cut, const CutEffects *effects, unsigned role_count);
void cut_fini(Cut *cut);
// Room for one more entry. False: no memory.
bool cut_reserve(Cut *cut);

// A new session begins, with what the roles have given.
void cut_begin(Cut *cut, uint64_t term);

typedef enum {
    CUT_AS_IT_WAS,    // the session goes on from its base, and nothing need be committed
    CUT_NEXT_ATTEMPT, // it goes on in another attempt of the innermost block that has one left, when that is committed
    CUT_NONE_LEFT,    // no block has: the session has failed
} CutResumed;
// The session is taken over from the store, which has `depth` entries, put into cut->entries by the caller, which has reserved
// them one by one.
CutResumed cut_resume(Cut *cut, uint64_t term, uint64_t version, size_t depth);
// What was decided then is committed.
void cut_go_on(Cut *cut);

// A role has entered a durable block at this depth, and has given what it holds; the attempt is the block's current one. False:
// that can't be: the others are entering another one.
bool cut_enter(Cut *cut, size_t depth, const CutEntry *entry);
// The block at this depth goes to another attempt.
void cut_decide(Cut *cut, size_t depth, uint32_t attempt);
// All roles are at the end of the block at this depth, the innermost. If it is the outermost, they have given what they hold
// behind it.
void cut_leave(Cut *cut, size_t depth);
// All roles are at the end of a round of the block at this depth, the innermost, and have given what they begin the next one with.
void cut_renew(Cut *cut, size_t depth);
// The session has ended, in whatever way.
void cut_end(Cut *cut);

// What is to be committed next. False: nothing. It is on its way until one of the next two.
bool cut_take(Cut *cut, CutChange *change);
void cut_committed(Cut *cut);
void cut_stale(Cut *cut);
// The store can't be written, and nobody waits for that any longer: nothing more is committed.
void cut_give_up(Cut *cut);

// It is not known whether a commit has happened (C10): what the store has now says so.
typedef enum { CUT_DONE, CUT_NOT_DONE, CUT_TAKEN } CutDoubt;
CutDoubt cut_doubt(const CutChange *change, bool is_there, uint64_t term, uint64_t version, bool is_own_writer);

// Has the store everything?
static inline bool cut_is_settled(const Cut *cut)
{
    return cut->state == CUT_RUNS && !cut->is_dirty && !cut->is_on_its_way;
}
// May a role begin this attempt of the block at this depth?
bool cut_lets_in(const Cut *cut, size_t depth, uint32_t ordinal, uint32_t attempt);
// May a role go on behind a block that all have left, or begin the next round, at whose end it is?
bool cut_lets_go(const Cut *cut);

#endif
