// numbers.h: a list of numbers that can be sent: it owns its memory, so it has a codec.

#ifndef NUMBERS_H
#define NUMBERS_H

#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    size_t count, room;
    int64_t *items;
} numbers;

// No memory: this program has no use for going on.
static inline void *numbers_memory(void *old, size_t count)
{
    void *memory = count > SIZE_MAX / sizeof(int64_t) ? NULL : realloc(old, count * sizeof(int64_t));
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        exit(1);
    }
    return memory;
}

static inline void numbers_add(numbers *list, int64_t number)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 16 : 2 * list->room;
        list->items = numbers_memory(list->items, list->room);
    }
    list->items[list->count++] = number;
}

static inline void numbers_add_all(numbers *list, numbers more)
{
    for (size_t i = 0; i < more.count; i++)
        numbers_add(list, more.items[i]);
}

// A list of its own: items from..to-1.
static inline numbers numbers_part(numbers list, size_t from, size_t to)
{
    numbers part = {0};
    for (size_t i = from; i < to; i++)
        numbers_add(&part, list.items[i]);
    return part;
}

static inline void numbers_encode(chx_writer *writer, const void *value)
{
    const numbers *list = value;
    chx_write_u64(writer, list->count);
    for (size_t i = 0; i < list->count; i++)
        chx_write_u64(writer, (uint64_t)list->items[i]);
}

static inline bool numbers_decode(chx_reader *reader, void *value)
{
    numbers list = {0};
    uint64_t count, number;
    if (!chx_read_u64(reader, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!chx_read_u64(reader, &number)) {
            free(list.items);
            return false;
        }
        numbers_add(&list, (int64_t)number);
    }
    *(numbers *)value = list;
    return true;
}

static inline void numbers_drop(void *value)
{
    free(((numbers *)value)->items);
}

CHX_CODEC(numbers, numbers_encode, numbers_decode, numbers_drop);

#endif
