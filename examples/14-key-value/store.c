// store.c: see store.h.

#define _POSIX_C_SOURCE 200809L
#include "store.h"

#include <stdlib.h>
#include <string.h>

void store_clear(Store *store)
{
    for (size_t i = 0; i < store->count; i++) {
        free(store->entries[i].key);
        free(store->entries[i].value);
    }
    free(store->entries);
    *store = (Store){0};
}

// Where the key is, or where it belongs.
static size_t place_of(const Store *store, const char *key, bool *found)
{
    size_t low = 0, high = store->count;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(store->entries[middle].key, key);
        *found = order == 0;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

bool store_put(Store *store, const char *key, const char *value)
{
    bool found;
    size_t place = place_of(store, key, &found);
    struct store_entry entry = {found ? NULL : strdup(key), strdup(value)};
    struct store_entry *entries = store->entries;
    if (!found)
        entries = realloc(entries, (store->count + 1) * sizeof *entries);
    if (entries != NULL)
        store->entries = entries;
    if (entries == NULL || entry.value == NULL || (!found && entry.key == NULL)) {
        free(entry.key);
        free(entry.value);
        return false;
    }
    if (found) {
        free(entries[place].value);
        entries[place].value = entry.value;
        return true;
    }
    memmove(&entries[place + 1], &entries[place], (store->count - place) * sizeof *entries);
    entries[place] = entry;
    store->count++;
    return true;
}

const char *store_get(const Store *store, const char *key)
{
    bool found;
    size_t place = place_of(store, key, &found);
    return found ? store->entries[place].value : NULL;
}

void store_delete(Store *store, const char *key)
{
    bool found;
    size_t place = place_of(store, key, &found);
    if (!found)
        return;
    free(store->entries[place].key);
    free(store->entries[place].value);
    store->count--;
    memmove(&store->entries[place], &store->entries[place + 1], (store->count - place) * sizeof *store->entries);
}

// The block is key, value, key, value, ..., each with the NUL at its end.
char *store_save(const Store *store, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < store->count; i++)
        *size += strlen(store->entries[i].key) + strlen(store->entries[i].value) + 2;
    char *data = malloc(*size + 1), *end = data;
    for (size_t i = 0; data != NULL && i < store->count; i++) {
        end = stpcpy(end, store->entries[i].key) + 1;
        end = stpcpy(end, store->entries[i].value) + 1;
    }
    return data;
}

bool store_load(Store *store, const char *data, size_t size)
{
    store_clear(store);
    const char *end = data + size;
    while (data < end) {
        const char *value = memchr(data, '\0', (size_t)(end - data));
        const char *last = value != NULL ? memchr(value + 1, '\0', (size_t)(end - value - 1)) : NULL;
        if (last == NULL || !store_put(store, data, value + 1))
            return false;
        data = last + 1;
    }
    return true;
}
