// index.h: finds numbered things by a hash: the caller keeps the things and compares them.
//
// An index lives as long as the program, which makes a handful of them.

#ifndef TOOLS_TRACE_INDEX_H
#define TOOLS_TRACE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Index Index;

typedef struct {
    const Index *index;
    uint64_t hash;
    size_t at;
    uint32_t item; // the one that index_next has found
} IndexCursor;

Index *index_new(void);
void index_free(Index *index);
void index_add(Index *index, uint64_t hash, uint32_t item);
// All items that were added with the hash:
//     for (IndexCursor cursor = index_find(index, hash); index_next(&cursor);) use(cursor.item);
IndexCursor index_find(const Index *index, uint64_t hash);
bool index_next(IndexCursor *cursor);

uint64_t hash_bytes(const char *data, size_t size);
uint64_t hash_numbers(uint64_t one, uint64_t other);

#endif
