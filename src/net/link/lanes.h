// lanes.h: messages that wait to be sent in pieces, because they are larger than a frame, and what has to stay behind them.
//
// Everything sent in one lane arrives in order. Lanes take turns, one piece each, and a piece enters the kept frames only
// shortly before it is written; so a large message delays what is sent in other lanes by a few pieces at most (L6). A lane
// exists only while something waits in it: what is small and has nothing before it in its lane goes straight to the kept
// frames.

#ifndef NET_LINK_LANES_H
#define NET_LINK_LANES_H

#include "net/link/kept.h"

enum { LANES_MAX = 64 }; // in which something waits, hence also messages that are under way in pieces

typedef struct LaneMessage LaneMessage;
struct LaneMessage {
    LaneMessage *next;
    WireKind kind;
    uint32_t stream; // of its pieces
    uint32_t at;     // so much has been sent
    uint32_t size;
    uint8_t body[];
};

typedef struct {
    uint64_t lane;
    LaneMessage *first, *last;
} Lane;

typedef struct {
    Lane lanes[LANES_MAX];
    unsigned count, turn;
    uint32_t streams; // given out
    size_t bytes;     // bodies of all that wait
} Lanes;

void lanes_fini(Lanes *lanes, const LinkMemory *memory);
// The lane, NULL: nothing waits in it.
Lane *lanes_find(Lanes *lanes, uint64_t lane);
// Appends a message with room for its body; the caller writes it. NULL: no memory. There is room for another lane.
LaneMessage *lanes_append(Lanes *lanes, const LinkMemory *memory, uint64_t lane, WireKind kind, size_t size);
// Puts a whole message in pieces behind the kept frames, if nothing waits in any lane. False: no memory, nothing has changed.
bool lanes_pass(Lanes *lanes, const LinkMemory *memory, Kept *kept, WireKind kind, const void *frame, size_t size);
// So many bytes of frames, at most, become of a message of this size in pieces.
static inline size_t lanes_pieces_size(size_t size)
{
    size_t whole = size / WIRE_PIECE_MAX, rest = size % WIRE_PIECE_MAX;
    return whole * WIRE_FRAME_MAX + (rest > 0 ? rest + WIRE_FRAME_MAX - WIRE_PIECE_MAX : 0);
}
// Moves one frame, whole or a piece, from the lane whose turn it is to the kept frames. False: no memory, try later.
bool lanes_advance(Lanes *lanes, const LinkMemory *memory, Kept *kept);

#endif
