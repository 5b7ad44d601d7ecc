// chunk.c: see chunk.h. A chunk is, little-endian: the number of pieces (4 bytes), role (4) and size (8) of each, their bytes.

#include "store/chunk.h"

#include "runtime/value/crc32c.h"
#include "store/cut.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 64 << 10, COUNT_SIZE = 4, ENTRY_SIZE = 12 };

void chunks_free(ChunkList *list)
{
    free(list->items);
    free(list->bytes);
    *list = (ChunkList){0};
}

static void put_number(unsigned char *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_number(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t sum_of(const chx_store_key *key, const ChunkRow *row)
{
    unsigned char bytes[40];
    put_number(bytes, crc32c(key->choreography, strlen(key->choreography)), 4);
    put_number(bytes + 4, crc32c(key->space, strlen(key->space)), 4);
    put_number(bytes + 8, crc32c(key->name, strlen(key->name)), 4);
    put_number(bytes + 12, row->level, 4);
    put_number(bytes + 16, row->roles, 8);
    put_number(bytes + 24, row->version, 8);
    put_number(bytes + 32, row->size, 4);
    put_number(bytes + 36, crc32c(row->data, row->size), 4);
    return crc32c(bytes, sizeof bytes);
}

// ---- making ----

static bool make_room(ChunkList *list, size_t size)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 4;
        Chunk *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    if (list->byte_capacity - list->size < size) {
        size_t capacity = list->size + size > 2 * list->byte_capacity ? list->size + size : 2 * list->byte_capacity;
        unsigned char *bytes = realloc(list->bytes, capacity);
        if (bytes == NULL)
            return false;
        list->bytes = bytes;
        list->byte_capacity = capacity;
    }
    return true;
}

static uint64_t mix(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

// Does not depend on the order.
static uint64_t add_role(uint64_t roles, uint32_t role)
{
    return roles + mix((uint64_t)role + 1);
}

uint64_t chunk_mark(uint32_t level, uint64_t roles, uint64_t version)
{
    return mix(mix(roles + level) + version + 1);
}

static bool add_chunk(ChunkList *list, const chx_store_change *change, const chx_store_piece *pieces, size_t count,
                      uint64_t version)
{
    size_t size = COUNT_SIZE + count * ENTRY_SIZE;
    for (size_t i = 0; i < count; i++)
        size += pieces[i].size;
    if (!make_room(list, size))
        return false;
    unsigned char *at = list->bytes + list->size;
    Chunk *chunk = &list->items[list->count++];
    *chunk = (Chunk){.level = pieces[0].level, .at = list->size, .size = size};
    put_number(at, count, COUNT_SIZE);
    at += COUNT_SIZE;
    for (size_t i = 0; i < count; i++, at += ENTRY_SIZE) {
        put_number(at, pieces[i].role, 4);
        put_number(at + 4, pieces[i].size, 8);
        chunk->roles = add_role(chunk->roles, pieces[i].role);
    }
    for (size_t i = 0; i < count; at += pieces[i].size, i++)
        if (pieces[i].size > 0)
            memcpy(at, pieces[i].data, pieces[i].size);
    ChunkRow row = {.level = chunk->level,
                    .roles = chunk->roles,
                    .version = version,
                    .data = list->bytes + chunk->at,
                    .size = size};
    chunk->sum = sum_of(&change->key, &row);
    list->size += size;
    return true;
}

bool chunks_make(ChunkList *list, const chx_store_change *change, uint64_t version)
{
    const chx_store_piece *pieces = change->pieces;
    list->count = list->size = 0;
    for (size_t at = 0, count; at < change->piece_count; at += count) {
        for (count = 1; at + count < change->piece_count; count++)
            if (pieces[at].size > LARGE || pieces[at + count].size > LARGE ||
                pieces[at + count].level != pieces[at].level)
                break;
        if (!add_chunk(list, change, pieces + at, count, version))
            return false;
    }
    return true;
}

// ---- reading ----

int chunk_read(const ChunkRow *row, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    static const char damaged[] = "the check sum of a piece is wrong";
    if (row->size < COUNT_SIZE || sum_of(&cut->key, row) != row->sum)
        return store_damaged(&cut->key, damaged, why);
    size_t count = (size_t)get_number(row->data, COUNT_SIZE), left = row->size - COUNT_SIZE;
    if (count > left / ENTRY_SIZE)
        return store_damaged(&cut->key, damaged, why);
    const unsigned char *entry = row->data + COUNT_SIZE, *data = entry + count * ENTRY_SIZE;
    left -= count * ENTRY_SIZE;
    for (size_t i = 0; i < count; i++, entry += ENTRY_SIZE) {
        uint64_t size = get_number(entry + 4, 8);
        if (size > left)
            return store_damaged(&cut->key, damaged, why);
        if (!cut_put(cut, row->level, (uint32_t)get_number(entry, 4), data, (size_t)size))
            return store_fail(why, ENOMEM, "there is no memory for a session");
        data += size;
        left -= (size_t)size;
    }
    return 0;
}
