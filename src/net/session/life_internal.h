// life_internal.h: what the parts of life.h share: orders (life_orders.c), RESTORE (life_restore.c), blocks (life_blocks.c) and
// channels (life_channels.c).

#ifndef NET_SESSION_LIFE_INTERNAL_H
#define NET_SESSION_LIFE_INTERNAL_H

#include "base/check.h"
#include "net/session/life.h"

// What was sent to a life of this role whose RESTORE has not come.
typedef struct LifeComing LifeComing;
struct LifeComing {
    LifeComing *next; // of a later life
    WindowIn in;
};
enum { LIFE_COMING_MAX = 4 }; // lives that are waited for, for each peer

struct LifePeer {
    WindowOut out;
    WindowIn in;   // in.life: that of the peer, in.node: where it is; 0: it was not told
    uint32_t node; // to which its messages go
    bool has_ended;
    LifeComing *coming;
};

struct LifeBlock {
    WireId id;
    const chx_block *block;
    uint32_t ordinal, attempt;
    WindowPlace *marks; // of the channels to the participants, at the entry
};

// A recovery of a block that the role has not entered yet.
struct LifeMark {
    LifeMark *next;
    WireId id;
    uint32_t depth; // so many blocks that the role is in are around it: it is over when the innermost of these is
    uint32_t attempt, epoch;
    LifeKeptFault *fault; // NULL: none was told
};
enum { LIFE_MARKS_MAX = 4096 };

struct LifeKeptFault {
    WireFault fault;
    uint8_t bytes[];
};

struct LifeKeptRestore {
    WireRestore frame;
    uint8_t bytes[];
};

// ---- life.c ----

// May this life say and hear something?
static inline bool life_is_active(const Life *life)
{
    return life->state != LIFE_NONE && life->state != LIFE_OVER;
}

static inline void life_wake(Life *life, LifeWake what, unsigned peer)
{
    life->options.effects->wake(life->options.context, what, peer);
}

static inline bool life_report(Life *life, WireKind kind, const void *frame)
{
    return life->options.effects->report(life->options.context, kind, frame);
}

// A copy of a fault; NULL: no memory.
LifeKeptFault *life_copy_fault(const Life *life, WireFault fault);
// A copy of the first fault of a list. True and NULL: the list is empty. False: no memory.
bool life_keep_fault(const Life *life, WireList list, LifeKeptFault **kept);
void life_drop_fault(Life *life, LifeKeptFault **kept);
static inline const WireFault *kept_fault(const LifeKeptFault *kept)
{
    return kept != NULL ? &kept->fault : NULL;
}
void life_drop_restore(Life *life, LifeKeptRestore **kept);
// Nothing is left of the life's channels and blocks.
void life_clear(Life *life);
// The last word: the life is over.
void life_finish(Life *life, bool is_fenced, chx_status status, LifeKeptFault *fault);

// ---- life_restore.c ----

LifeVerdict life_on_restore(Life *life, const WireRestore *restore);

// ---- life_blocks.c ----

static inline LifeBlock *life_innermost(const Life *life)
{
    return life->depth > 0 ? &life->blocks[life->depth - 1] : NULL;
}
// Depth of the block, from 1 on; 0: the role is not in it.
uint32_t life_find_block(const Life *life, const WireId *id);
void life_cut_blocks(Life *life, uint32_t depth);
// The block at this depth is over, or in another attempt: so is everything inside.
void life_drop_marks(Life *life, uint32_t depth);
// Keeps what was told of a block that the role is not in.
LifeVerdict life_remember(Life *life, LifeMark **marks, uint32_t *count, const LifeMark *told, const WireFault *fault);
void life_free_marks(Life *life, LifeMark *marks);
// Channels with the participants of the block go to the start of it, in this epoch (N5).
void life_reset(Life *life, const LifeBlock *block, uint32_t epoch);
LifeVerdict life_on_go(Life *life, const WireGo *go);
// So many of its blocks are known to the home when it begins an attempt: the role is let into a durable one by EACK (C3, C6).
static inline uint32_t life_known_at_start(const Life *life)
{
    const LifeBlock *block = life_innermost(life);
    return life->depth - (life->is_durable && block != NULL && block->block->is_durable ? 1 : 0);
}

// ---- life_channels.c ----

bool life_make_peers(const LifeOptions *options, WindowLimits limits, uint32_t self_life, LifePeer **peers);
void life_free_peers(const LifeOptions *options, LifePeer *peers);
// A peer's life was told. The number of its node is known.
void life_meet(Life *life, unsigned peer, uint32_t peer_life, uint32_t node, bool has_ended);
// What had come for a life that begins now; and what had come for lives before it is dropped.
void life_take_coming(Life *life, LifePeer *to, LifePeer *from, uint32_t self_life);

#endif
