// list.h: a type with a codec of its own, for the programs of tests/inject.

#ifndef LIST_H
#define LIST_H

#include "inject.h"

typedef struct {
    size_t count;
    int *items;
} list;

static inline void list_encode(chx_writer *writer, const void *value)
{
    const list *l = (const list *)value;
    chx_write_u64(writer, l->count);
    chx_write(writer, l->items, l->count * sizeof *l->items);
}

static inline bool list_decode(chx_reader *reader, void *value)
{
    list *l = (list *)value;
    uint64_t count;
    if (!chx_read_u64(reader, &count) || count > 100000)
        return false;
    l->count = count;
    l->items = (int *)malloc(count * sizeof *l->items + 1);
    if (l->items == NULL)
        chx_fail("out of memory for a list");
    if (!chx_read(reader, l->items, count * sizeof *l->items)) {
        free(l->items);
        return false;
    }
    return true;
}

static inline void list_drop(void *value)
{
    free(((list *)value)->items);
}

CHX_CODEC(list, list_encode, list_decode, list_drop);

static inline list list_make(int count)
{
    list l = {(size_t)count, (int *)malloc((size_t)count * sizeof(int) + 1)};
    if (l.items == NULL)
        chx_fail("out of memory for a list");
    for (int i = 0; i < count; i++)
        l.items[i] = i + 1;
    return l;
}

static inline int list_sum(list l)
{
    int sum = 0;
    for (size_t i = 0; i < l.count; i++)
        sum += l.items[i];
    return sum;
}

#endif
