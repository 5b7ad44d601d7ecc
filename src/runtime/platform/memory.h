// memory.h: memory from a runtime's allocator, for code that need not know what else a runtime consists of.

#ifndef RUNTIME_PLATFORM_MEMORY_H
#define RUNTIME_PLATFORM_MEMORY_H

#include <chorex.h>

#include <stddef.h>

// Implemented in session/runtime.c. NULL: none left.
void *runtime_allocate(chx_runtime *runtime, size_t size);
void runtime_release(chx_runtime *runtime, void *memory);

#endif
