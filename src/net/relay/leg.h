// leg.h: one leg of a relayed stream, as one of its two sides has it (N12).
//
// Two nodes that can't dial each other exchange bytes through a third one, the relay. Such a stream has two legs: from the node that opens
// it to the relay, and from there to the other node. On each of them RELAY_OPEN, RELAY_BYTES, RELAY_TAKEN and RELAY_CLOSE travel, as numbered
// frames of the link between the two nodes; so a leg survives broken connections, and ends with its link.
//
// What one end has sent and the other end has not read is at most RELAY_WINDOW bytes, wherever it is. So a relay needs no more memory than
// that for each direction of a stream, and an end that does not read slows down nobody but the other end.
//
// It is a pure machine. Frames that came go in (leg_open to leg_close); frames that are to be sent come out, one after the other (leg_next),
// whenever the link has room.

#ifndef NET_RELAY_LEG_H
#define NET_RELAY_LEG_H

#include "net/wire/wire.h"

enum {
    RELAY_WINDOW = 128 << 10, // bytes that were sent and not read
    RELAY_PIECE = 15 << 10,   // bytes in one frame, which is not cut into pieces
    RELAY_WHY_SIZE = 128,
};
// In frames of the side that has not opened the stream, its number has this bit.
#define RELAY_OTHERS UINT32_C(0x80000000)

// Bytes that wait.
typedef struct {
    uint8_t *bytes;
    size_t start, end, capacity;
} LegQueue;

static inline size_t leg_queue_size(const LegQueue *queue)
{
    return queue->end - queue->start;
}
// False: no memory.
bool leg_queue_add(LegQueue *queue, const void *bytes, size_t size);
void leg_queue_drop(LegQueue *queue, size_t size);
void leg_queue_fini(LegQueue *queue);

typedef struct {
    uint32_t number; // without RELAY_OTHERS
    bool is_own;     // this side has opened it
    bool ends_there; // for RELAY_OPEN: it ends at the other side; else it is to be carried on
    bool owes_open, owes_taken, owes_close;
    bool has_ended; // RELAY_CLOSE has come, or the link is gone: nothing is sent any more
    char node[WIRE_NAME_MAX + 1];
    char why[RELAY_WHY_SIZE];
    // To the other side.
    LegQueue out;
    uint64_t put;     // bytes that were to be sent, those that wait in `out` included
    uint64_t allowed; // of these, so many are known to be read at the end of the stream
    // From the other side.
    uint64_t received, taken,
        told; // bytes: that came; read at this end of the stream; of which the other side was told
} Leg;

// A leg that this side opens. `node`: as in RELAY_OPEN.
void leg_open(Leg *leg, uint32_t number, bool ends_there, const char *node);
// A leg that the other side has opened.
void leg_opened(Leg *leg, const WireRelayOpen *open);
void leg_fini(Leg *leg);

// So many bytes may be given to leg_put now.
static inline size_t leg_room(const Leg *leg)
{
    return leg->put - leg->allowed < RELAY_WINDOW ? (size_t)(RELAY_WINDOW - (leg->put - leg->allowed)) : 0;
}
// So many are on their way to the end of the stream, as far as this side knows.
static inline uint64_t leg_under_way(const Leg *leg)
{
    return leg->put - leg_queue_size(&leg->out) - leg->allowed;
}
// False: no memory; nothing was done.
bool leg_put(Leg *leg, const void *bytes, size_t size);
// So many bytes of this leg, in all, have been read at this end of the stream. They are told now, or, if `is_lazy`, when it is worth a frame.
void leg_tell(Leg *leg, uint64_t taken, bool is_lazy);
// Nothing more is sent behind what waits. The first reason counts.
void leg_end(Leg *leg, const char *why);

// What the other side says. False: it breaks the protocol.
bool leg_take_bytes(Leg *leg, WireSpan bytes);
bool leg_take_taken(Leg *leg, uint64_t count);
void leg_take_close(Leg *leg, WireSpan why);

// The next frame; false: there is none now. Without `may_bytes`: no RELAY_BYTES, and so no RELAY_CLOSE behind them.
bool leg_next(const Leg *leg, bool may_bytes, WireFrame *frame);
// It was sent.
void leg_sent(Leg *leg, const WireFrame *frame);
// All is said: RELAY_CLOSE was sent, or has come.
static inline bool leg_is_over(const Leg *leg)
{
    return leg->has_ended;
}

#endif
