// life.h: one role of a session, at the node where it lives.
//
// Orders of the home, frames of other roles and what the role does come in; reports to the home, frames to other roles and
// wakings go out. It is a pure machine: no threads, no clock, no input or output. Whoever uses it sees to one call at a time; an
// effect must not call it again. What it does for which order is section 4 of docs/hosts-protocol.md; the channels are those of
// window.h.
//
// The object outlives lives: when the home gives up one and begins the next on the same node, RESTORE comes to the same object.
// It takes effect at once, for channels and blocks: nothing that the old life says from then on counts (LIFE_ASKED). The role
// itself begins when it is ready for that, at the latest when its current function returns.
//
// How a role uses it. Before each turn, and when it was woken with LIFE_WAKE_ORDER, it asks life_asks:
//
//   LIFE_ASKS_BEGIN  life_restore says from where; it builds its frames (without the lock); life_begun
//   LIFE_ASKS_BACK   life_back says to which block; it takes its variables back (without the lock); life_went_back; then it
//                    waits until life_may_act
//   LIFE_ASKS_STOP   life_stop says why; it unwinds; life_stopped
//
// Each call of the role that returns LIFE_ASKED has done nothing: an order came first.

#ifndef NET_SESSION_LIFE_H
#define NET_SESSION_LIFE_H

#include "net/session/blocks.h"
#include "net/session/window.h"

typedef enum {
    LIFE_NONE,    // no life: RESTORE has not come yet, or the last life has failed
    LIFE_BEGINS,  // RESTORE has come, the role has not begun
    LIFE_RUNS,    //
    LIFE_ARRIVED, // it stands at the end of its innermost block
    LIFE_HELD,    // it went back, and waits for START
    LIFE_ENDING,  // END is said
    LIFE_OVER,    // the last word was heard: END is acknowledged, STOP or FENCED
} LifeState;

typedef enum { LIFE_ASKS_NOTHING, LIFE_ASKS_BEGIN, LIFE_ASKS_BACK, LIFE_ASKS_STOP } LifeAsks;

typedef enum {
    LIFE_GOOD,      //
    LIFE_ASKED,     // an order has come that the role does not know of yet; nothing was done: look at life_asks
    LIFE_FULL,      // there is no room in the window; nothing was done, LIFE_WAKE_ROOM comes
    LIFE_TOO_LARGE, // a value, or what is to be saved, that no node would take; nothing was done
    LIFE_NO_MEMORY, // nothing was done; a frame has to come again
    LIFE_VIOLATION, // who keeps to the protocol does not say that (L7)
} LifeVerdict;

typedef enum {
    LIFE_WAKE_MESSAGE, // life_first may say something else now, for this peer
    LIFE_WAKE_ROOM,    // so may life_room, for this peer
    LIFE_WAKE_GO,      // so may life_may_act
    LIFE_WAKE_ORDER,   // so may life_asks
    LIFE_WAKE_OVER,    // the life, or the whole session, is over
} LifeWake;

// The largest windows that are taken if nothing else is said.
enum { LIFE_WINDOW_MESSAGES = 65535, LIFE_WINDOW_BYTES = 64 << 20 };

typedef struct {
    // A report to the home, behind everything that this life has said before: in the same lane as DATA to roles at the home, or,
    // at the home itself, in the same queue (N7).
    // False: no memory; it is not said.
    bool (*report)(void *context, WireKind kind, const void *frame);
    // DATA to a node. False: there is no room in the link now; life_release when there is.
    bool (*give)(void *context, uint32_t node, const WireData *data);
    // TAKEN to a node. False: life_say_taken later.
    bool (*taken)(void *context, uint32_t node, const WireTaken *taken);
    // The number of the node of this name, where the role is; 0: no memory.
    uint32_t (*node)(void *context, unsigned role, WireSpan name, WireSpan address);
    // life_say_taken within 20 ms, please.
    void (*soon)(void *context);
    // `peer` is 0 if it does not matter.
    void (*wake)(void *context, LifeWake what, unsigned peer);
} LifeEffects;

typedef struct {
    uint16_t role, role_count;
    uint32_t home;           // number of the home's node
    uint32_t message_max;    // bytes of the largest frame that travels; 0: WIRE_MESSAGE_DEFAULT
    WindowLimits limits_max; // a RESTORE with larger windows is refused; 0: LIFE_WINDOW_...
    const chx_block *blocks; // of the choreography, sorted by name
    size_t block_count;
    const NetMemory *memory;
    const LifeEffects *effects;
    void *context;
} LifeOptions;

// Where the role has to go back to.
typedef struct {
    uint64_t number;  // of the order
    uint32_t depth;   // 1: the outermost block that the role is in
    uint32_t name;    // of the block
    uint32_t ordinal; // may be one more than the role knows: the next round has begun before it has noticed
    uint32_t attempt, epoch;
    const WireFault *fault; // valid until the next order; NULL: none is known
} LifeBack;

typedef struct {
    bool is_fenced; // another life plays the role: CHX_FAULT_LOST
    chx_status status;
    const WireFault *fault; // NULL: none. Valid as long as the Life is over
    uint32_t restarts;      // of the whole session
} LifeStop;

// What the role begins a block, or the next round, with.
typedef struct {
    uint64_t steps;
    WireSpan snapshot;
} LifeSnapshot;

typedef struct {
    uint32_t attempt; // to begin in: 0, or that of a recovery that the role was told of before
    uint32_t epoch;
    const WireFault *fault; // of that recovery, NULL: none. Valid until the next call
} LifeEntered;

typedef struct LifePeer LifePeer;
typedef struct LifeBlock LifeBlock;
typedef struct LifeMark LifeMark;
typedef struct LifeKeptRestore LifeKeptRestore;
typedef struct LifeKeptFault LifeKeptFault;

typedef struct {
    LifeOptions options;
    uint64_t session; // 0: no RESTORE has come yet
    uint32_t life;    // the latest that was told to begin here; 0: none
    uint64_t term;    // of the home that has told it
    bool is_durable;  // the session is kept in a store
    bool has_base;    // which has what the role began with, or went on with behind a durable block
    LifeState state;
    WindowLimits limits;
    LifePeer *peers;   // by role; that of the role itself is not used
    LifeBlock *blocks; // that it is in, outermost first
    uint32_t depth, capacity;
    uint32_t known; // so many of them, the outermost, are known to the home
    uint32_t held;  // the epoch whose START is awaited
    bool renews;    // it has arrived at the end of a round, and another one follows
    bool is_asked_to_stop;
    bool has_outcome;
    LifeBack back; // number 0: nothing is asked
    LifeKeptFault *back_fault;
    LifeMark *marks; // recoveries of blocks that it is not in yet, the latest first
    uint32_t mark_count;
    LifeKeptFault *entered_fault;
    LifeKeptRestore *restore; // the latest, until the role has begun
    LifeKeptRestore *reading; // what the role is reading
    LifeStop stop;
    LifeKeptFault *stop_fault;
    uint64_t orders;
} Life;

// False: no memory.
bool life_init(Life *life, const LifeOptions *options);
void life_fini(Life *life);

// ---- from the home and from peers: whoever calls has found the Life by session and role, and checked who may say that ----

// RESTORE EACK RECOVER START GO LIFE STOP FENCED.
LifeVerdict life_order(Life *life, const WireFrame *frame);
LifeVerdict life_data(Life *life, uint32_t node, const WireData *data);
LifeVerdict life_taken(Life *life, const WireTaken *taken);
// A link has room.
void life_release(Life *life);
// The link to this node is lost, with what was on its way, or the node is another incarnation: what was given to it counts as not
// given, and TAKEN is said again. Called before anything is heard from that node again.
void life_link_lost(Life *life, uint32_t node);
// Says every TAKEN that is owed.
void life_say_taken(Life *life);

// ---- the role ----

LifeAsks life_asks(const Life *life);
// May the role act: does it run, and is nothing asked of it? After life_arrive: GO has come, the block is left or the next round
// has begun. After life_went_back: START has come.
static inline bool life_may_act(const Life *life)
{
    return life->state == LIFE_RUNS && life_asks(life) == LIFE_ASKS_NOTHING;
}
// LIFE_ASKS_BEGIN: what to begin with. It stays valid until life_begun, also if a newer one comes meanwhile.
const WireRestore *life_restore(Life *life);
// The role has built its frames. LIFE_ASKED: something newer has come.
LifeVerdict life_begun(Life *life);
// LIFE_ASKS_BACK. The role copies what it needs under the same lock, the fault as well: a newer order replaces it.
const LifeBack *life_back(const Life *life);
// It has taken its variables back, as order `number` said: channels are set back and READY is said. LIFE_ASKED: something newer
// has come, and nothing was done.
LifeVerdict life_went_back(Life *life, uint64_t number);
// LIFE_ASKS_STOP; and the outcome of the session, if it is known (life->has_outcome).
const LifeStop *life_stop(const Life *life);
// The role has unwound.
void life_stopped(Life *life);
// After FENCED: the node will ask the home for another life (JOIN).
void life_rejoin(Life *life);

// The role enters a block, directly inside of its innermost one, for the `ordinal`-th time there.
LifeVerdict life_enter(Life *life, uint32_t name, uint32_t ordinal, const LifeSnapshot *snapshot, LifeEntered *entered);
// It stands at the end of its innermost block. `next`: it is a round and another one follows; NULL: the block ends. It goes on
// when life_may_act.
LifeVerdict life_arrive(Life *life, const LifeSnapshot *next);
// In a durable session. The role has entered a durable block, or goes on in another attempt of it: may it begin? LIFE_WAKE_GO comes.
bool life_is_let_in(const Life *life);
// It stands at the end of the outermost durable block, or at the beginning of the session (it is in no block), and this is what it goes
// on with behind that. It goes on when life_may_act.
LifeVerdict life_arrive_outside(Life *life, const LifeSnapshot *base);
// Must it give that, at the end of its innermost block; or, if it is in none, at the beginning?
bool life_gives_base(const Life *life);

// What may be sent before there is no room any more, and how large a value may be.
typedef struct {
    WindowRoom window;
    size_t value_max;
} LifeRoom;
LifeRoom life_room(const Life *life, unsigned peer);
LifeVerdict life_send(Life *life, unsigned peer, uint32_t site, WireSpan value);
// The same in two steps, for several messages: it is numbered and kept; and given to the link.
LifeVerdict life_queue(Life *life, unsigned peer, uint32_t site, WireSpan value);
// Those that lie one behind the other (window_out_send_all), none of them larger than life_room has said.
LifeVerdict life_queue_all(Life *life, unsigned peer, const uint8_t *messages, size_t size);
void life_release_to(Life *life, unsigned peer);
// The next message; false: it is not there, or an order has come. Its value is valid until the next call of any function here:
// it is decoded or copied under the same lock.
bool life_first(Life *life, unsigned peer, Message *message);
// The next messages, which the role copies; how many (window_in_lend).
uint32_t life_lend(Life *life, unsigned peer, WindowTake take, void *context);
// The role has consumed so many of those that it has copied. If another life of it has begun since, none of them was for that.
void life_consume(Life *life, unsigned peer, uint32_t count);
// The same in two steps, with something in between that the role has sent: it says so on its way.
void life_consume_quietly(Life *life, unsigned peer, uint32_t count);
void life_owe_taken(Life *life, unsigned peer);

// The number of the node where the peer is; 0: it was not told.
uint32_t life_node(const Life *life, unsigned peer);
// Tells the home that the peer's node is not reached, if this role has sent it something that was not consumed, as far as it knows (N12).
// `told`: the life of the peer of which that was said already; 0: none. Of which life it is said now; 0: of none.
uint32_t life_unreached(Life *life, unsigned peer, uint32_t told);
// It is reached again.
void life_reached(Life *life, unsigned peer, uint32_t told);

// Nothing more comes from this life. LIFE_NO_MEMORY: it has to be said again.
LifeVerdict life_fail(Life *life, const WireFault *fault);
LifeVerdict life_end(Life *life, WireSpan result);
// The link with the home is up again, after it may have been down for long: asks whether this life is still heard, and FENCED or STOP
// comes as the answer if it is not. Without memory nothing is asked.
void life_ask(Life *life);
// Asks the home to end the session; STOP comes as the answer.
LifeVerdict life_cancel(Life *life, WireSpan why);

#endif
