// pages.h: memory for frames, savepoints and records of blocks, once a session has used up what it began with.
//
// Sessions that recurse need it and give it back again and again: each worker keeps some for the next one.

#ifndef RUNTIME_SCHED_PAGES_H
#define RUNTIME_SCHED_PAGES_H

#include <chorex.h>
#include <stddef.h>

enum {
    PAGE_BYTES = 4096,
#ifdef __SANITIZE_ADDRESS__
    PAGES_KEPT = 0, // so that it sees who uses one that was given back
#else
    PAGES_KEPT = 256,
#endif
};

typedef struct Page Page;
typedef struct {
    Page *first;
    size_t count;
} Pages;

// PAGE_BYTES, not initialised. NULL: no memory.
void *page_take(chx_runtime *runtime);
void page_give(chx_runtime *runtime, void *memory);
void pages_free(chx_runtime *runtime, Pages *pages);

// Frames and savepoints, which come and go last in, first out, lie in chunks that never move. One empty chunk above the current
// one is kept: a role at the edge of a chunk must not allocate each time.
typedef struct Chunk Chunk;
struct Chunk {
    Chunk *previous, *next;
    size_t capacity;
    size_t used; // while the next one is the current one
    _Alignas(16) unsigned char data[];
};

// The chunk above this one (NULL: the first of all), empty, with room for `bytes`. NULL: no memory.
Chunk *chunk_above(chx_runtime *runtime, Chunk *chunk, size_t bytes);
// Gives back all above this one.
void chunk_free_above(chx_runtime *runtime, Chunk *chunk);

#endif
