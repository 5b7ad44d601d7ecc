// memory.h: where the memory of a link or of a window comes from. Tests let it fail.

#ifndef NET_MEMORY_H
#define NET_MEMORY_H

#include <stddef.h>

typedef struct {
    void *(*allocate)(void *context, size_t size); // NULL: no memory
    void (*release)(void *context, void *memory);
    void *context;
} NetMemory;

static inline void *memory_allocate(const NetMemory *memory, size_t size)
{
    return memory->allocate(memory->context, size);
}

static inline void memory_release(const NetMemory *memory, void *block)
{
    if (block != NULL)
        memory->release(memory->context, block);
}

#endif
