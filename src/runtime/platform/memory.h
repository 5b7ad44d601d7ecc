// memory.h: memory from a runtime's allocator, for code that need not know what else a runtime consists of.

#ifndef RUNTIME_PLATFORM_MEMORY_H
#define RUNTIME_PLATFORM_MEMORY_H

#include <chorex.h>

#include <stddef.h>

// Implemented in session/runtime.c. NULL: none left.
void *runtime_allocate(chx_runtime *runtime, size_t size);
void runtime_release(chx_runtime *runtime, void *memory); // NULL is fine
// An array that is full, with more room: its items are moved, *capacity rises. NULL: there is no memory, nothing has changed.
void *runtime_grow(chx_runtime *runtime, void *items, size_t *capacity, size_t item_bytes);

#endif
