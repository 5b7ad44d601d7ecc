// map.h: things by number, in chains of a table that grows. What is found is a part of whatever it belongs to, so that only growing
// needs memory, and without it the chains get longer.

#ifndef NET_NODE_MAP_H
#define NET_NODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct MapItem MapItem;
struct MapItem {
    MapItem *next;
    uint64_t key;
    bool is_in; // a map
};

typedef struct {
    MapItem **buckets; // NULL: it has never had an item
    size_t capacity;   // a power of two
    size_t count;
    MapItem *single; // the only chain without memory for a table
} Map;

static inline MapItem **map_chain(Map *map, uint64_t key)
{
    uint64_t mixed = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return map->capacity > 0 ? &map->buckets[mixed >> 32 & (map->capacity - 1)] : &map->single;
}

static inline void map_put(Map *map, MapItem *item)
{
    MapItem **chain = map_chain(map, item->key);
    item->next = *chain;
    *chain = item;
}

static inline void map_grow(Map *map)
{
    size_t old = map->capacity, capacity = old > 0 ? old * 2 : 64;
    MapItem **buckets = calloc(capacity, sizeof(MapItem *)), **before = old > 0 ? map->buckets : &map->single;
    if (buckets == NULL)
        return;
    MapItem *first = map->single;
    MapItem **freed = map->buckets;
    map->buckets = buckets;
    map->capacity = capacity;
    map->single = NULL;
    for (size_t i = 0; i < (old > 0 ? old : 1); i++)
        for (MapItem *item = old > 0 ? before[i] : first, *next; item != NULL; item = next) {
            next = item->next;
            map_put(map, item);
        }
    free(freed);
}

static inline void map_add(Map *map, MapItem *item, uint64_t key)
{
    if (map->count >= map->capacity)
        map_grow(map);
    item->key = key;
    item->is_in = true;
    map_put(map, item);
    map->count++;
}

static inline void map_remove(Map *map, MapItem *item)
{
    if (!item->is_in)
        return;
    MapItem **link = map_chain(map, item->key);
    while (*link != item)
        link = &(*link)->next;
    *link = item->next;
    item->is_in = false;
    map->count--;
}

// The first with this key; those after it are found with map_next. NULL: none.
static inline MapItem *map_next(MapItem *item, uint64_t key)
{
    while (item != NULL && item->key != key)
        item = item->next;
    return item;
}
static inline MapItem *map_first(Map *map, uint64_t key)
{
    return map_next(*map_chain(map, key), key);
}

static inline void map_fini(Map *map)
{
    free(map->buckets);
    *map = (Map){0};
}

#define MAP_OWNER(item, type, member) ((type *)(void *)((char *)(item)-offsetof(type, member)))

#endif
