// memory.h: a store in memory, for simulations: a disk that keeps what was committed while those who use it are lost, with a clock
// that the test sets, and commits that fail on request.

#ifndef STORE_MEMORY_MEMORY_H
#define STORE_MEMORY_MEMORY_H

#include "chorex/store.h"

typedef struct MemoryDisk MemoryDisk;

typedef enum {
    MEMORY_REFUSED,     // -EAGAIN: nothing has happened
    MEMORY_FULL,        // -ENOSPC: the same
    MEMORY_DOUBT_LOST,  // -EINPROGRESS, and nothing has happened
    MEMORY_DOUBT_DONE,  // -EINPROGRESS, and it has
    MEMORY_LOST_BEFORE, // `lost` is called, and nothing has happened
    MEMORY_LOST_AFTER,  // it has happened, then `lost` is called
} MemoryFailure;

MemoryDisk *memory_disk_new(void); // NULL: no memory
void memory_disk_free(MemoryDisk *disk);

// What memory_store_ops.open takes as the place. Any number of users may have it open, from one thread at a time.
const char *memory_disk_place(const MemoryDisk *disk);

void memory_disk_set_clock(MemoryDisk *disk, uint64_t now_ms);
// The n-th commit from now on (1: the next) fails. `lost` stands for the end of whoever commits: it may use longjmp. If it returns, what
// has lost its process gets -EINPROGRESS.
void memory_disk_fail(MemoryDisk *disk, uint64_t n, MemoryFailure failure, void (*lost)(void *context), void *context);
uint64_t memory_disk_commits(const MemoryDisk *disk); // so far, those that failed among them

extern const chx_store_ops memory_store_ops;

#endif
