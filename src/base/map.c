#include "base/map.h"

#include <stdint.h>
#include <string.h>

struct MapEntry {
    const char *key; // NULL: empty
    void *value;
};

static uint64_t hash(const char *key)
{
    uint64_t value = 14695981039346656037u;
    for (const unsigned char *at = (const unsigned char *)key; *at != 0; at++)
        value = (value ^ *at) * 1099511628211u;
    return value;
}

// The entry of `key`, or the empty one where it belongs. Open addressing, never full.
static struct MapEntry *find(struct MapEntry *entries, size_t capacity, const char *key)
{
    size_t index = hash(key) & (capacity - 1);
    while (entries[index].key != NULL && strcmp(entries[index].key, key) != 0)
        index = (index + 1) & (capacity - 1);
    return &entries[index];
}

void map_init(Map *map, Arena *arena)
{
    *map = (Map){.arena = arena};
}

void *map_get(const Map *map, const char *key)
{
    return map->capacity == 0 ? NULL : find(map->entries, map->capacity, key)->value;
}

bool map_has(const Map *map, const char *key)
{
    return map->capacity != 0 && find(map->entries, map->capacity, key)->key != NULL;
}

void map_put(Map *map, const char *key, void *value)
{
    if (map->count * 2 >= map->capacity) {
        size_t capacity = map->capacity == 0 ? 16 : map->capacity * 2;
        struct MapEntry *entries = ARENA_ARRAY(map->arena, struct MapEntry, capacity);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->entries[i].key != NULL)
                *find(entries, capacity, map->entries[i].key) = map->entries[i];
        map->entries = entries;
        map->capacity = capacity;
    }
    struct MapEntry *entry = find(map->entries, map->capacity, key);
    if (entry->key == NULL)
        map->count++;
    *entry = (struct MapEntry){key, value};
}
