#include "base/roleset.h"

#include "base/check.h"

#include <string.h>

RoleSet roleset_new(Arena *arena, size_t role_count)
{
    uint32_t word_count = (uint32_t)((role_count + 63) / 64);
    return (RoleSet){ARENA_ARRAY(arena, uint64_t, word_count), word_count};
}

RoleSet roleset_copy(Arena *arena, const RoleSet *set)
{
    RoleSet copy = {ARENA_ARRAY(arena, uint64_t, set->word_count), set->word_count};
    if (set->word_count > 0)
        memcpy(copy.words, set->words, sizeof(uint64_t) * set->word_count);
    return copy;
}

RoleSet roleset_one(Arena *arena, size_t role_count, RoleId role)
{
    RoleSet set = roleset_new(arena, role_count);
    roleset_add(&set, role);
    return set;
}

bool roleset_has(const RoleSet *set, RoleId role)
{
    return role / 64 < set->word_count && (set->words[role / 64] >> (role % 64) & 1) != 0;
}

bool roleset_add(RoleSet *set, RoleId role)
{
    bool fresh = !roleset_has(set, role);
    set->words[role / 64] |= (uint64_t)1 << (role % 64);
    return fresh;
}

bool roleset_add_all(RoleSet *set, const RoleSet *other)
{
    bool fresh = false;
    for (uint32_t i = 0; i < other->word_count; i++) {
        CHECK(i < set->word_count || other->words[i] == 0);
        if (i >= set->word_count)
            break;
        fresh |= (other->words[i] & ~set->words[i]) != 0;
        set->words[i] |= other->words[i];
    }
    return fresh;
}

void roleset_remove(RoleSet *set, RoleId role)
{
    set->words[role / 64] &= ~((uint64_t)1 << (role % 64));
}

bool roleset_equal(const RoleSet *one, const RoleSet *other)
{
    return roleset_covers(one, other) && roleset_covers(other, one);
}

bool roleset_covers(const RoleSet *set, const RoleSet *part)
{
    for (uint32_t i = 0; i < part->word_count; i++)
        if ((part->words[i] & ~(i < set->word_count ? set->words[i] : 0)) != 0)
            return false;
    return true;
}

bool roleset_meets(const RoleSet *one, const RoleSet *other)
{
    for (uint32_t i = 0; i < one->word_count && i < other->word_count; i++)
        if ((one->words[i] & other->words[i]) != 0)
            return true;
    return false;
}

bool roleset_empty(const RoleSet *set)
{
    for (uint32_t i = 0; i < set->word_count; i++)
        if (set->words[i] != 0)
            return false;
    return true;
}

size_t roleset_count(const RoleSet *set)
{
    size_t count = 0;
    for (uint32_t i = 0; i < set->word_count; i++)
        count += (size_t)__builtin_popcountll(set->words[i]);
    return count;
}

RoleId roleset_next(const RoleSet *set, RoleId from)
{
    for (uint32_t word = from / 64; word < set->word_count; word++) {
        uint64_t bits = set->words[word];
        if (word == from / 64)
            bits &= ~(uint64_t)0 << (from % 64);
        if (bits != 0)
            return word * 64 + (RoleId)__builtin_ctzll(bits);
    }
    return ROLE_NONE;
}
