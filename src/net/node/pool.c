// pool.c: see pool.h.

#include "net/node/pool.h"

#include <stdalign.h>
#include <stdlib.h>

struct PoolBlock {
    alignas(max_align_t) PoolBlock *next;
    size_t class; // 0: too small or too large to be kept
};

void *pool_allocate(Pool *pool, size_t size)
{
    size_t whole = size + sizeof(PoolBlock), class = 0;
    if (whole >= POOL_STEP && whole <= (size_t)POOL_STEP * (POOL_CLASSES - 1)) {
        class = (whole + POOL_STEP - 1) / POOL_STEP;
        whole = class * POOL_STEP;
    }
    PoolBlock *block = pool->free[class];
    if (block != NULL) {
        pool->free[class] = block->next;
        pool->bytes -= whole;
        return block + 1;
    }
    block = malloc(whole);
    if (block == NULL)
        return NULL;
    block->class = class;
    return block + 1;
}

void pool_release(Pool *pool, void *memory)
{
    PoolBlock *block = (PoolBlock *)memory - 1;
    size_t size = block->class * POOL_STEP;
    if (block->class == 0 || pool->bytes + size > POOL_MAX) {
        free(block);
        return;
    }
    block->next = pool->free[block->class];
    pool->free[block->class] = block;
    pool->bytes += size;
}

void pool_trim(Pool *pool)
{
    for (size_t class = 0; class < POOL_CLASSES; class ++)
        for (PoolBlock *block = pool->free[class], *next; block != NULL; block = next) {
            next = block->next;
            free(block);
        }
    *pool = (Pool){0};
}
