// vector.h: growing arrays in an arena.
//
//     VECTOR(int) numbers = {0};
//     vector_push(arena, &numbers, 7);
//     for (size_t i = 0; i < numbers.count; i++) use(numbers.items[i]);

#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include "base/arena.h"

#include <string.h>

#define VECTOR(Type)                                                                                                   \
    struct {                                                                                                           \
        Type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

#define vector_push(arena, vector, item)                                                                               \
    do {                                                                                                               \
        if ((vector)->count == (vector)->capacity)                                                                     \
            (vector)->items =                                                                                          \
                vector_grow((arena), (vector)->items, sizeof *(vector)->items, (vector)->count, &(vector)->capacity);  \
        (vector)->items[(vector)->count++] = (item);                                                                   \
    } while (0)

static inline void *vector_grow(Arena *arena, void *items, size_t item_size, size_t count, size_t *capacity)
{
    *capacity = *capacity == 0 ? 8 : *capacity * 2;
    void *grown = arena_alloc(arena, item_size * *capacity);
    if (count > 0)
        memcpy(grown, items, item_size * count);
    return grown;
}

#endif
