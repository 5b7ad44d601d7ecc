// store.h: texts by key, sorted, in ordinary memory. Knows nothing of choreographies.

#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    struct store_entry {
        char *key, *value;
    } * entries; // in the order of their keys
    size_t count;
} Store;

void store_clear(Store *store);
bool store_put(Store *store, const char *key, const char *value); // false: no memory, and nothing has changed
const char *store_get(const Store *store, const char *key);       // NULL: there is none
void store_delete(Store *store, const char *key);

// All entries as one block of bytes, and back. The caller frees the block; NULL, false: no memory, or not such a block.
char *store_save(const Store *store, size_t *size);
bool store_load(Store *store, const char *data, size_t size);

#endif
