// gather.h: puts messages together again that arrive in pieces.
//
// The sender announces the size of a message with each piece, but beyond 80 KiB memory grows only with what has arrived. All messages under
// way at one time have a common limit. Pieces have the one size that they must have, so nobody can make us work for crumbs.

#ifndef NET_LINK_GATHER_H
#define NET_LINK_GATHER_H

#include "net/link/memory.h"
#include "net/wire/wire.h"

enum { GATHER_MAX = 64 }; // messages at one time

typedef struct {
    uint32_t stream, total, have;
    uint32_t capacity;
    WireKind kind;
    uint8_t *body;
} Gathered;

typedef struct {
    Gathered messages[GATHER_MAX];
    unsigned count;
    uint64_t total; // of all under way
} Gather;

typedef enum {
    GATHER_MORE, // taken; there is more to come
    GATHER_WHOLE, // this piece completes *message, which the caller takes away with gather_remove, or not: then the piece
                  // has not been taken
    GATHER_WRONG,     // the sender breaks the rules
    GATHER_NO_MEMORY, // not taken
} GatherResult;

GatherResult gather_piece(Gather *gather, const LinkMemory *memory, const WireChunk *chunk, uint32_t message_max,
                          Gathered **message);
void gather_remove(Gather *gather, const LinkMemory *memory, Gathered *message);
void gather_fini(Gather *gather, const LinkMemory *memory);

#endif
