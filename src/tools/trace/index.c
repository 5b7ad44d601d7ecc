// index.c: see index.h. Open addressing; at most half of the slots are used.

#include "tools/trace/index.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 256 };

typedef struct {
    uint64_t hash;
    uint32_t item;
    bool is_used;
} Slot;

struct Index {
    Slot *slots;
    size_t count, capacity;
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fputs("chorex: error: there is not enough memory for this trace\n", stderr);
        exit(1);
    }
    return memory;
}

Index *index_new(void)
{
    Index *index = allocate(1, sizeof *index);
    index->capacity = SLOTS_FIRST;
    index->slots = allocate(SLOTS_FIRST, sizeof(Slot));
    return index;
}

void index_free(Index *index)
{
    free(index->slots);
    free(index);
}

static void put(Index *index, uint64_t hash, uint32_t item)
{
    size_t at = (size_t)hash & (index->capacity - 1);
    while (index->slots[at].is_used)
        at = (at + 1) & (index->capacity - 1);
    index->slots[at] = (Slot){hash, item, true};
}

void index_add(Index *index, uint64_t hash, uint32_t item)
{
    if (++index->count > index->capacity / 2) {
        Slot *old = index->slots;
        size_t count = index->capacity;
        index->capacity *= 2;
        index->slots = allocate(index->capacity, sizeof(Slot));
        for (size_t i = 0; i < count; i++)
            if (old[i].is_used)
                put(index, old[i].hash, old[i].item);
        free(old);
    }
    put(index, hash, item);
}

IndexCursor index_find(const Index *index, uint64_t hash)
{
    return (IndexCursor){index, hash, (size_t)hash & (index->capacity - 1), 0};
}

bool index_next(IndexCursor *cursor)
{
    const Index *index = cursor->index;
    for (;; cursor->at = (cursor->at + 1) & (index->capacity - 1)) {
        const Slot *slot = &index->slots[cursor->at];
        if (!slot->is_used)
            return false;
        if (slot->hash == cursor->hash)
            break;
    }
    cursor->item = index->slots[cursor->at].item;
    cursor->at = (cursor->at + 1) & (index->capacity - 1);
    return true;
}

static uint64_t mix(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 29) * 0xd6e8feb86659fd93u ^ hash >> 32;
}

uint64_t hash_bytes(const char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
    return mix(hash);
}

uint64_t hash_numbers(uint64_t one, uint64_t other)
{
    return mix(mix(one + 0x9e3779b97f4a7c15u) ^ other);
}
