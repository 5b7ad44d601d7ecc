// pool.h: memory of links. Large blocks come and go with each large message, and the system would give and take their pages each time; so
// some that are free are kept, until nothing moves.

#ifndef NET_NODE_POOL_H
#define NET_NODE_POOL_H

#include <stddef.h>

enum { POOL_STEP = 16 << 10, POOL_CLASSES = 17, POOL_MAX = 2 << 20 };

typedef struct PoolBlock PoolBlock;

typedef struct {
    PoolBlock *free[POOL_CLASSES]; // by size, in steps
    size_t bytes;                  // in them
} Pool;

// NULL: no memory.
void *pool_allocate(Pool *pool, size_t size);
void pool_release(Pool *pool, void *memory);
// Gives everything back that is not used.
void pool_trim(Pool *pool);

#endif
