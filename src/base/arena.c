#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 * 1024, ALIGNMENT = 16 };

typedef struct Chunk Chunk;
struct Chunk {
    Chunk *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char memory[];
};

struct Arena {
    Chunk *chunks; // the first one is the one in use
};

static void *get_memory(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        fputs("chorcc: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

Arena *arena_new(void)
{
    return get_memory(sizeof(Arena));
}

void arena_free(Arena *arena)
{
    if (arena == NULL)
        return;
    for (Chunk *chunk = arena->chunks; chunk != NULL;) {
        Chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(arena);
}

void *arena_alloc(Arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    Chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->size - chunk->used < size) {
        size_t chunk_size = size > CHUNK_SIZE ? size : CHUNK_SIZE;
        Chunk *fresh = get_memory(sizeof(Chunk) + chunk_size);
        fresh->size = chunk_size;
        if (chunk != NULL && size > CHUNK_SIZE) {
            // A large block gets a chunk of its own behind the one in use.
            fresh->next = chunk->next;
            chunk->next = fresh;
            fresh->used = size;
            return fresh->memory;
        }
        fresh->next = chunk;
        arena->chunks = chunk = fresh;
    }
    void *memory = chunk->memory + chunk->used;
    chunk->used += size;
    return memory;
}

char *arena_copy(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(Arena *arena, const char *text)
{
    return arena_copy(arena, text, strlen(text));
}

char *arena_vprintf(Arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}
