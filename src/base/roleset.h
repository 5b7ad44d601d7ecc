// roleset.h: sets of small numbers, here always roles.
//
// A set has a fixed number of bits, given when it is made; a role past it is not in it.

#ifndef BASE_ROLESET_H
#define BASE_ROLESET_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t RoleId;

#define ROLE_NONE ((RoleId)-1)

typedef struct {
    uint64_t *words;
    uint32_t word_count;
} RoleSet;

RoleSet roleset_new(Arena *arena, size_t role_count);
RoleSet roleset_copy(Arena *arena, const RoleSet *set);
RoleSet roleset_one(Arena *arena, size_t role_count, RoleId role);
bool roleset_has(const RoleSet *set, RoleId role);
bool roleset_add(RoleSet *set, RoleId role);              // true if it was not there
bool roleset_add_all(RoleSet *set, const RoleSet *other); // true if something was new
void roleset_remove(RoleSet *set, RoleId role);
bool roleset_equal(const RoleSet *one, const RoleSet *other);
bool roleset_covers(const RoleSet *set, const RoleSet *part); // part is a subset of set
bool roleset_meets(const RoleSet *one, const RoleSet *other); // they share a role
bool roleset_empty(const RoleSet *set);
size_t roleset_count(const RoleSet *set);
RoleId roleset_next(const RoleSet *set, RoleId from); // first member >= from, or ROLE_NONE

// for (ROLESET_EACH(role, &set)) ...
#define ROLESET_EACH(role, set)                                                                                        \
    RoleId role = roleset_next((set), 0);                                                                              \
    role != ROLE_NONE;                                                                                                 \
    role = roleset_next((set), role + 1)

#endif
