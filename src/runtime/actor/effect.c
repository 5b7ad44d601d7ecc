// effect.c: see effect.h.

#include "runtime/actor/effect.h"

#include "runtime/value/codec.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

// ---- hashes ----

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x *= 0xa0761d6478bd642fu;
    return x ^ (x >> 32);
}

// Two halves, each of which is a bijection of the word: what differs in one word only has different halves.
static EffectPath path_add(EffectPath path, uint64_t word)
{
    uint64_t high = mix(path.high ^ word);
    uint64_t low = mix(path.low + (word ^ 0x9e3779b97f4a7c15u) + (high << 32 | high >> 32));
    return (EffectPath){high, low};
}

// ---- counting ----

void chx_count_first(chx_self *self, uint32_t counter)
{
    Actor *actor = (Actor *)self;
    EffectCounts *effects = &actor->effects;
    chx_count *count = &self->counts[counter - 1];
    if (effects->uncount_count == effects->uncount_capacity) {
        void *grown =
            runtime_grow(actor->session->runtime, effects->uncounts, &effects->uncount_capacity, sizeof(Uncount));
        if (grown == NULL)
            guard_no_memory();
        effects->uncounts = grown;
    }
    effects->uncounts[effects->uncount_count++] = (Uncount){self->level, counter, *count};
    *count = (chx_count){self->level, 0};
}

void effect_left(Actor *actor, uint32_t level)
{
    EffectCounts *effects = &actor->effects;
    while (effects->uncount_count > 0 && effects->uncounts[effects->uncount_count - 1].level > level) {
        const Uncount *uncount = &effects->uncounts[--effects->uncount_count];
        actor->self.counts[uncount->counter - 1] = uncount->was;
    }
    if (effects->paths_known > level)
        effects->paths_known = level;
}

void effect_fini(Actor *actor)
{
    runtime_release(actor->session->runtime, actor->effects.uncounts);
    actor->effects = (EffectCounts){0};
}

// ---- for another process ----

static void pair_save(chx_writer *writer, uint32_t key, uint32_t count)
{
    chx_write_u64(writer, key | (uint64_t)count << 32);
}

static void ordinals_save(const Actor *actor, chx_writer *writer)
{
    const Savepoint *savepoint = savepoint_top(actor);
    const Savepoint *parent = actor->member.count > 1 ? savepoint_at(actor, actor->member.count - 2) : NULL;
    const Ordinals *ordinals = parent != NULL ? &parent->inner : &actor->savepoints.outermost;
    const Ordinal *others = actor->savepoints.ordinals + ordinals->base;
    uint32_t other_count = savepoint->inner.base - ordinals->base;
    codec_write_u32(writer, other_count + 1);
    pair_save(writer, ordinals->first.site, ordinals->first.count);
    for (uint32_t i = 0; i < other_count; i++)
        pair_save(writer, others[i].site, others[i].count);
}

void effect_save(const Actor *actor, chx_writer *writer)
{
    if (actor->member.count == 0) {
        effect_save_outside(actor, writer);
        return;
    }
    uint32_t level = actor->self.level - 1, counted = 0;
    const chx_count *counts = actor->self.counts;
    ordinals_save(actor, writer);
    for (size_t i = 0; i < actor->role->counter_count; i++)
        counted += counts[i].level == level && counts[i].count != 0;
    codec_write_u32(writer, counted);
    for (size_t i = 0; i < actor->role->counter_count; i++)
        if (counts[i].level == level && counts[i].count != 0)
            pair_save(writer, (uint32_t)i + 1, counts[i].count);
}

// How often the role has been at the counter's site in no block. What it was before the first block that counts it, too.
static uint32_t count_outside(const Actor *actor, uint32_t counter)
{
    const EffectCounts *effects = &actor->effects;
    chx_count count = actor->self.counts[counter - 1];
    for (size_t i = 0; count.level > 0 && i < effects->uncount_count; i++)
        if (effects->uncounts[i].counter == counter)
            count = effects->uncounts[i].was;
    return count.level == 0 ? count.count : 0;
}

void effect_save_outside(const Actor *actor, chx_writer *writer)
{
    const Ordinals *ordinals = &actor->savepoints.outermost;
    size_t others = actor->member.count > 0 ? savepoint_at(actor, 0)->inner.base : actor->savepoints.ordinal_count;
    uint32_t counted = 0;
    bool is_some = ordinals->first.site != 0;
    codec_write_u32(writer, is_some ? (uint32_t)others + 1 : 0);
    if (is_some)
        pair_save(writer, ordinals->first.site, ordinals->first.count);
    for (size_t i = 0; is_some && i < others; i++)
        pair_save(writer, actor->savepoints.ordinals[i].site, actor->savepoints.ordinals[i].count);
    for (uint32_t i = 1; i <= actor->role->counter_count; i++)
        counted += count_outside(actor, i) != 0;
    codec_write_u32(writer, counted);
    for (uint32_t i = 1; i <= actor->role->counter_count; i++)
        if (count_outside(actor, i) != 0)
            pair_save(writer, i, count_outside(actor, i));
}

static bool pair_load(chx_reader *reader, uint32_t *key, uint32_t *count)
{
    return codec_read_u32(reader, key) && codec_read_u32(reader, count) && *key != 0;
}

bool effect_load(Actor *actor, chx_reader *reader)
{
    uint32_t left, key, number;
    if (!codec_read_u32(reader, &left))
        return false;
    for (; left > 0; left--) {
        if (!pair_load(reader, &key, &number))
            return false;
        *savepoint_ordinal(actor, savepoint_top(actor), key) = number;
    }
    if (!codec_read_u32(reader, &left))
        return false;
    for (; left > 0; left--) {
        if (!pair_load(reader, &key, &number) || key > actor->role->counter_count)
            return false;
        chx_count *count = &actor->self.counts[key - 1];
        if (count->level != actor->self.level)
            chx_count_first(&actor->self, key);
        count->count = number;
    }
    return true;
}

// ---- identifiers ----

// Of the innermost block. Blocks may be nested deep, so what was found is kept.
static EffectPath savepoint_path(Actor *actor)
{
    static const EffectPath outermost = {0x243f6a8885a308d3u, 0x13198a2e03707344u};
    size_t known = actor->effects.paths_known;
    EffectPath path = known > 0 ? savepoint_at(actor, known - 1)->path : outermost;
    for (; known < actor->member.count; known++) {
        Savepoint *savepoint = savepoint_at(actor, known);
        bool is_rescue = savepoint->position.attempt > savepoint->position.checkpoint->retries;
        path = path_add(path, (uint64_t)savepoint->position.checkpoint->site << 32 | savepoint->position.ordinal);
        path = savepoint->path = path_add(path, is_rescue ? 2 : 1);
    }
    actor->effects.paths_known = known;
    return path;
}

chx_effect chx_effect_id(void)
{
    Actor *actor = current()->actor;
    if (actor == NULL)
        return (chx_effect){0, 0};
    uint32_t site = actor->hook != 0 ? actor->hook : actor->self.site, count = 1;
    EffectPath path = savepoint_path(actor);
    const chx_site *found = actor->hook == 0 ? role_site(actor->role, site) : NULL;
    if (actor->is_central)
        count = central_count(actor);
    else if (found != NULL && found->counter != 0)
        count = actor->self.counts[found->counter - 1].count;
    EffectPath id = {actor->session->token[0], actor->session->token[1]};
    id = path_add(path_add(id, path.high), path.low);
    return path_add(path_add(id, (uint64_t)site << 32 | actor->index), count);
}

chx_effect chx_effect_for(const void *key, size_t size)
{
    if (current()->actor == NULL)
        return (chx_effect){0, 0};
    EffectPath id = path_add(chx_effect_id(), size);
    // The same on every machine.
    for (size_t i = 0; i < size; i += 8)
        id = path_add(id, load_number((const unsigned char *)key + i, size - i < 8 ? (unsigned)(size - i) : 8));
    return id;
}
