// map.h: names to pointers. Keys are not copied; they must outlive the map.

#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    Arena *arena;
    struct MapEntry *entries;
    size_t count, capacity;
} Map;

void map_init(Map *map, Arena *arena);
void *map_get(const Map *map, const char *key); // NULL if missing
bool map_has(const Map *map, const char *key);
void map_put(Map *map, const char *key, void *value); // replaces

#endif
