// chunk.h: pieces of one level that were put together, as databases keep them: one row, where each role would have its own.
//
// What the roles do at a durable edge they do together, so as a rule a change puts the same roles of a level again and again, and a chunk replaces its
// predecessor. Where it does not, because it has other roles, both are kept, and the later one counts for a role that is in both. Large pieces are chunks of
// their own.

#ifndef STORE_CHUNK_H
#define STORE_CHUNK_H

#include "chorex/store.h"

typedef struct {
    uint32_t level;
    uint32_t sum;    // check sum of everything, and of what it belongs to
    uint64_t roles;  // which they are: the same for the same set
    size_t at, size; // where it lies in the list's bytes
} Chunk;

// May be used again and again.
typedef struct {
    Chunk *items;
    size_t count, capacity;
    unsigned char *bytes;
    size_t size, byte_capacity;
} ChunkList;

void chunks_free(ChunkList *list);
// The chunks of a change, after which the session has this version. False: no memory.
bool chunks_make(ChunkList *list, const chx_store_change *change, uint64_t version);

// A chunk as it was read.
typedef struct {
    uint32_t level, sum;
    uint64_t roles, version;
    const unsigned char *data;
    size_t size;
} ChunkRow;

// A number for a chunk as it is: the sum over all chunks of a session says whether one is missing.
uint64_t chunk_mark(uint32_t level, uint64_t roles, uint64_t version);
// Puts its pieces into the cut of a session, in the place of those that are there: chunks are read in the order of their versions. 0, -EBADMSG or
// -ENOMEM.
int chunk_read(const ChunkRow *row, chx_store_cut *cut, char why[CHX_STORE_WHY]);

#endif
