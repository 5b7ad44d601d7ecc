// spread.c: see spread.h.
//
// Nothing made here is ever freed: reports and traces name roles by strings that lie here. It is little, and made once for each
// number of members.

#include "runtime/session/spread.h"

#include "runtime/actor/actor.h"
#include "runtime/arms/arms.h"
#include "runtime/session/registry.h"
#include "runtime/session/report.h"
#include "runtime/session/session.h"
#include "runtime/value/sequence.h"
#include "base/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Spread Spread;

// A block as one member plays it, with these members among its participants.
typedef struct SpreadBlock SpreadBlock;
struct SpreadBlock {
    SpreadBlock *next;
    const chx_checkpoint *model;
    uint64_t which;
    chx_checkpoint block;
};

enum { BLOCK_BUCKETS = 64 };

// One implementation of one member.
typedef struct Spreading Spreading;
struct Spreading {
    Spreading *next;
    chx_role role;
    struct chx_spread spread;
    pthread_mutex_t lock; // of the blocks
    SpreadBlock *blocks[BLOCK_BUCKETS];
};

struct Spread {
    Spread *next;
    const chx_choreography *model;
    chx_choreography choreography;
    struct chx_spread spread;
    size_t *counts;
    unsigned *firsts;
    Spreading **roles; // by number
};

static struct {
    pthread_mutex_t lock;
    Spread *first;
} spreads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t align16(size_t size)
{
    return (size + 15) / 16 * 16;
}

// ---- the cast ----

static const chx_family *cast_family(const chx_choreography *model, const void *cast, size_t role)
{
    return (const chx_family *)(const void *)((const char *)cast + model->places[role].offset);
}

static const chx_actor *cast_actor(const chx_choreography *model, const void *cast, size_t role, size_t member)
{
    const char *place = (const char *)cast + model->places[role].offset;
    if (!model->places[role].is_family)
        return (const chx_actor *)(const void *)place;
    const chx_family *family = (const chx_family *)(const void *)place;
    return family->member != NULL ? &family->member[member] : &family->each;
}

// ---- the choreography ----

// "Worker[3]"
static char *member_name(const char *name, size_t member)
{
    size_t size = strlen(name) + 24;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s[%zu]", name, member);
    return text;
}

static bool spread_names(Spread *spread)
{
    const chx_choreography *model = spread->model;
    const char **names = calloc(spread->choreography.role_count + 1, sizeof *names);
    spread->choreography.roles = names;
    for (size_t role = 0; names != NULL && role < model->role_count; role++)
        for (size_t i = 0; i < spread->counts[role]; i++) {
            const char **name = &names[spread->firsts[role] + i];
            *name = model->places[role].is_family ? member_name(model->roles[role], i) : model->roles[role];
            if (*name == NULL)
                return false;
        }
    return names != NULL;
}

// Members' results lie behind all others, one after the other.
static bool spread_definition(const Spread *spread, const chx_definition *from, chx_definition *to)
{
    size_t count = 0, place = 0;
    *to = *from;
    to->results = NULL;
    for (size_t i = 0; i < from->result_count; i++)
        count += spread->counts[from->results[i].role];
    chx_result_slot *slots = calloc(count + 1, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < from->result_count; i++) {
        const chx_result_slot *slot = &from->results[i];
        bool is_family = spread->model->places[slot->role].is_family;
        for (size_t k = 0; k < spread->counts[slot->role]; k++) {
            slots[place] = *slot;
            slots[place].role = spread->firsts[slot->role] + (unsigned)k;
            if (is_family) {
                to->result_size = align16(to->result_size);
                slots[place].offset = to->result_size;
                to->result_size += slot->type->size;
            }
            place++;
        }
    }
    to->results = slots;
    to->result_count = count;
    return true;
}

static bool spread_definitions(Spread *spread)
{
    const chx_choreography *model = spread->model;
    chx_definition *definitions = calloc(model->definition_count + 1, sizeof *definitions);
    spread->choreography.definitions = definitions;
    for (size_t i = 0; definitions != NULL && i < model->definition_count; i++)
        if (!spread_definition(spread, &model->definitions[i], &definitions[i]))
            return false;
    return definitions != NULL;
}

// One that could not be made as a whole.
static void spread_free(Spread *spread)
{
    const chx_choreography *model = spread->model;
    for (size_t i = 0; spread->choreography.roles != NULL && i < model->role_count; i++)
        for (size_t k = 0; model->places[i].is_family && k < spread->counts[i]; k++)
            free((void *)(uintptr_t)spread->choreography.roles[spread->firsts[i] + k]);
    for (size_t i = 0; spread->choreography.definitions != NULL && i < model->definition_count; i++)
        free((void *)(uintptr_t)spread->choreography.definitions[i].results);
    free((void *)(uintptr_t)spread->choreography.roles);
    free((void *)(uintptr_t)spread->choreography.definitions);
    free(spread->roles);
    free(spread->counts);
    free(spread->firsts);
    free(spread);
}

static void spread_number(Spread *spread, const size_t *counts)
{
    const chx_choreography *model = spread->model;
    size_t total = 0;
    for (size_t i = 0; i < model->role_count; i++) {
        spread->counts[i] = counts[i];
        spread->firsts[i] = (unsigned)total;
        total += counts[i];
    }
    spread->choreography = *model;
    spread->choreography.role_count = total;
    spread->choreography.places = NULL;
    spread->choreography.roles = NULL;
    spread->choreography.definitions = NULL;
    spread->spread = (struct chx_spread){.choreography = model, .counts = spread->counts, .firsts = spread->firsts};
    spread->choreography.spread = &spread->spread;
    spread->roles = calloc(total + 1, sizeof *spread->roles);
}

static Spread *spread_new(const chx_choreography *model, const size_t *counts)
{
    Spread *spread = calloc(1, sizeof *spread);
    if (spread == NULL)
        return NULL;
    spread->model = model;
    spread->counts = calloc(model->role_count + 1, sizeof *spread->counts);
    spread->firsts = calloc(model->role_count + 1, sizeof *spread->firsts);
    if (spread->counts != NULL && spread->firsts != NULL)
        spread_number(spread, counts);
    if (spread->roles != NULL && spread_names(spread) && spread_definitions(spread))
        return spread;
    spread_free(spread);
    return NULL;
}

static bool spread_fits(const Spread *spread, const chx_choreography *model, const size_t *counts)
{
    return spread->model == model && memcmp(spread->counts, counts, model->role_count * sizeof *counts) == 0;
}

// Under the lock. NULL: no memory.
static Spread *spread_get(const chx_choreography *model, const size_t *counts)
{
    for (Spread *spread = spreads.first; spread != NULL; spread = spread->next)
        if (spread_fits(spread, model, counts))
            return spread;
    Spread *spread = spread_new(model, counts);
    if (spread != NULL) {
        spread->next = spreads.first;
        spreads.first = spread;
    }
    return spread;
}

// ---- peers ----

// The numbers of all peers, and for each of the model's the place of its first one. A member is no peer of itself.
static bool spread_peers(const Spread *spread, unsigned number, const unsigned *peers, size_t count,
                         const unsigned **all, size_t *all_count, const unsigned **firsts)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += spread->counts[peers[i]];
    unsigned *numbers = calloc(total + 1, sizeof *numbers), *first = calloc(count + 1, sizeof *first);
    *all = numbers;
    *firsts = first;
    *all_count = 0;
    if (numbers == NULL || first == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        first[i] = (unsigned)*all_count;
        for (size_t k = 0; k < spread->counts[peers[i]]; k++)
            if (spread->firsts[peers[i]] + k != number)
                numbers[(*all_count)++] = spread->firsts[peers[i]] + (unsigned)k;
    }
    return true;
}

// ---- blocks ----

static int compare_numbers(const void *one, const void *other)
{
    unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
    return a < b ? -1 : a > b;
}

// The members that `which` names, as block_which has put them together, one after the other.
static unsigned take_member(const struct chx_spread *spread, unsigned family, uint64_t *which)
{
    size_t member = *which % (spread->counts[family] + 1);
    *which /= spread->counts[family] + 1;
    return spread->firsts[family] + (unsigned)member - 1;
}

static size_t block_participants(const struct chx_spread *spread, const chx_checkpoint *model, uint64_t which,
                                 unsigned *numbers)
{
    size_t count = 0, kept = 0;
    for (uint32_t i = 0; i < model->participant_count; i++) {
        unsigned role = model->participants[i] & ~CHX_ONE_MEMBER;
        if ((model->participants[i] & CHX_ONE_MEMBER) != 0) {
            numbers[count++] = take_member(spread, role, &which);
            continue;
        }
        for (size_t k = 0; k < spread->counts[role]; k++)
            numbers[count++] = spread->firsts[role] + (unsigned)k;
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++) // two views may be one member
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

static SpreadBlock *block_new(const Spreading *role, const chx_checkpoint *model, uint64_t which)
{
    const struct chx_spread *spread = &role->spread;
    size_t capacity = 1;
    for (uint32_t i = 0; i < model->participant_count; i++)
        capacity += spread->counts[model->participants[i] & ~CHX_ONE_MEMBER];
    unsigned *numbers = calloc(capacity, sizeof *numbers);
    SpreadBlock *made = calloc(1, sizeof *made);
    if (numbers == NULL || made == NULL) {
        free(numbers);
        free(made);
        return NULL;
    }
    made->model = model;
    made->which = which;
    made->block = *model;
    made->block.participants = numbers;
    made->block.participant_count = (uint32_t)block_participants(spread, model, which, numbers);
    made->block.position = 0;
    while (numbers[made->block.position] != role->role.index)
        made->block.position++;
    uint32_t limit = spread->choreography->site_limit;
    made->block.site += (uint32_t)which * limit;
    made->block.name += (uint32_t)which * limit;
    return made;
}

static const chx_checkpoint *block_get(Spreading *role, const chx_checkpoint *model, uint64_t which)
{
    SpreadBlock **bucket = &role->blocks[(model->site + which) % BLOCK_BUCKETS];
    pthread_mutex_lock(&role->lock);
    SpreadBlock *found = *bucket;
    while (found != NULL && (found->model != model || found->which != which))
        found = found->next;
    if (found == NULL) {
        found = block_new(role, model, which);
        if (found != NULL) {
            found->next = *bucket;
            *bucket = found;
        }
    }
    pthread_mutex_unlock(&role->lock);
    return found != NULL ? &found->block : NULL;
}

static Spreading *spreading_of(const chx_role *role)
{
    return (Spreading *)(uintptr_t)((const char *)role - offsetof(Spreading, role));
}

// Have all participants the numbers that the compiler knows, since they come before all families? Then emitted code names the block
// as it is, without chx_block_of.
static bool block_is_plain(const struct chx_spread *spread, const chx_checkpoint *model)
{
    unsigned first = 0;
    while (!spread->choreography->places[first].is_family)
        first++;
    for (uint32_t i = 0; i < model->participant_count; i++)
        if ((model->participants[i] & ~CHX_ONE_MEMBER) >= first)
            return false;
    return true;
}

static const chx_checkpoint *block_at(const chx_role *role, uint32_t site)
{
    const chx_role *model = role->spread->model;
    uint32_t limit = role->spread->choreography->site_limit;
    for (size_t i = 0; i < model->checkpoint_count; i++) {
        const chx_checkpoint *block = model->checkpoints[i];
        if (block->site == site % limit)
            return block_is_plain(role->spread, block) ? block : block_get(spreading_of(role), block, site / limit);
    }
    return NULL;
}

// One number for the members among the participants; 0: there are none.
static uint64_t block_which(chx_self *self, const chx_checkpoint *model, const size_t *members)
{
    const struct chx_spread *spread = ((Actor *)self)->role->spread;
    uint64_t which = 0, factor = 1;
    for (uint32_t i = 0; i < model->participant_count; i++) {
        if ((model->participants[i] & CHX_ONE_MEMBER) == 0)
            continue;
        unsigned family = model->participants[i] & ~CHX_ONE_MEMBER;
        if (*members >= spread->counts[family])
            chx_no_member(self, model->site, family, *members);
        which += factor * (*members++ + 1);
        factor *= spread->counts[family] + 1;
    }
    return which;
}

const chx_checkpoint *chx_block_of(chx_self *self, const chx_checkpoint *model, const size_t *members)
{
    Actor *actor = (Actor *)self;
    uint64_t which = block_which(self, model, members);
    // Sites are below those of hooks.
    if (which >= CHX_SITE_INIT / actor->role->spread->choreography->site_limit - 1)
        guard_raise(CHX_FAULT_SYSTEM, 0, model->site, "the families have too many members for blocks of some of them");
    const chx_checkpoint *block = block_get(spreading_of(actor->role), model, which);
    if (block == NULL)
        guard_no_memory();
    return block;
}

// ---- roles ----

static Spreading *spreading_new(const Spread *spread, const chx_role *model, unsigned number)
{
    Spreading *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    unsigned member = number - spread->firsts[model->index];
    made->role = *model;
    made->role.role = spread->choreography.roles[number];
    made->role.index = number;
    made->spread = (struct chx_spread){.choreography = spread->model,
                                       .model = model,
                                       .role = model->index,
                                       .member = member,
                                       .counts = spread->counts,
                                       .firsts = spread->firsts};
    made->role.spread = &made->spread;
    made->spread.block_at = block_at;
    made->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    bool has_peers = spread_peers(spread, number, model->sends_to, model->sends_to_count, &made->role.sends_to,
                                  &made->role.sends_to_count, &made->spread.out_firsts) &&
                     spread_peers(spread, number, model->receives_from, model->receives_from_count,
                                  &made->role.receives_from, &made->role.receives_from_count, &made->spread.in_firsts);
    return has_peers ? made : NULL;
}

// Under the lock. NULL: no memory.
static const chx_role *spreading_get(Spread *spread, const chx_role *model, unsigned number)
{
    for (Spreading *each = spread->roles[number]; each != NULL; each = each->next)
        if (each->spread.model == model)
            return &each->role;
    Spreading *made = spreading_new(spread, model, number);
    if (made == NULL)
        return NULL;
    made->next = spread->roles[number];
    spread->roles[number] = made;
    return &made->role;
}

const chx_role *spread_role(const chx_role *model, const size_t *counts, unsigned number)
{
    pthread_mutex_lock(&spreads.lock);
    Spread *spread = spread_get(model->whole, counts);
    const chx_role *role = spread != NULL ? spreading_get(spread, model, number) : NULL;
    pthread_mutex_unlock(&spreads.lock);
    return role;
}

// ---- all together ----

static chx_status no_memory(const chx_choreography *model)
{
    return report_refuse(CHX_NO_MEMORY, NULL, model->file, "out of memory");
}

static chx_status spread_counts(const chx_choreography *model, const void *cast, size_t *counts)
{
    enum { MEMBERS_MAX = 1 << 20 };
    for (size_t i = 0; i < model->role_count; i++) {
        counts[i] = 1;
        if (!model->places[i].is_family)
            continue;
        if (cast == NULL)
            return report_refuse(CHX_INVALID, model->roles[i], model->file,
                                 "nothing says how many members the family %s has: give the session a cast with "
                                 ".%s.count set",
                                 model->roles[i], model->roles[i]);
        counts[i] = cast_family(model, cast, i)->count;
        if (counts[i] > MEMBERS_MAX)
            return report_refuse(CHX_INVALID, model->roles[i], model->file,
                                 "the cast gives the family %s %zu members: %d are possible", model->roles[i],
                                 counts[i], MEMBERS_MAX);
    }
    return CHX_OK;
}

// The implementation of one member, spread out.
static chx_status spread_actor(Spread *spread, const void *cast, size_t role, size_t member, chx_actor *actor)
{
    const chx_choreography *model = spread->model;
    const chx_role *found = NULL;
    *actor = cast != NULL ? *cast_actor(model, cast, role, member) : (chx_actor){0};
    if (actor->role == NULL) {
        chx_status status = registry_find(model, (unsigned)role, &found);
        if (status != CHX_OK)
            return status;
    } else {
        found = actor->role;
    }
    if (actor->at != NULL)
        return report_refuse(CHX_INVALID, model->roles[role], model->file,
                             "%s is to run at %s: a choreography with families of roles can't be on several hosts yet",
                             model->roles[role], actor->at);
    if (strcmp(found->choreography, model->name) != 0 || strcmp(found->role, model->roles[role]) != 0)
        return report_refuse(CHX_INVALID, model->roles[role], model->file,
                             "the cast gives %s to %s, which plays %s of %s", model->roles[role], found->name,
                             found->role, found->choreography);
    if (found->version != CHX_GENERATED_VERSION || found->digest != model->digest || found->index != role)
        return report_refuse(CHX_INVALID, model->roles[role], model->file,
                             "%s was compiled from another version of the choreography: rebuild", found->name);
    actor->role = spreading_get(spread, found, spread->firsts[role] + (unsigned)member);
    return actor->role != NULL ? CHX_OK : no_memory(model);
}

static chx_status spread_actors(Spread *spread, const void *cast, chx_actor *flat)
{
    const chx_choreography *model = spread->model;
    chx_status status = CHX_OK;
    for (size_t role = 0; role < model->role_count; role++)
        for (size_t i = 0; i < spread->counts[role] && status == CHX_OK; i++)
            status = spread_actor(spread, cast, role, i, &flat[spread->firsts[role] + i]);
    return status;
}

chx_status spread_cast(const chx_choreography *model, const void *cast, const chx_choreography **made, chx_actor **flat)
{
    size_t *counts = calloc(model->role_count + 1, sizeof *counts);
    *flat = NULL;
    if (counts == NULL)
        return no_memory(model);
    chx_status status = spread_counts(model, cast, counts);
    pthread_mutex_lock(&spreads.lock);
    Spread *spread = status == CHX_OK ? spread_get(model, counts) : NULL;
    if (status == CHX_OK && spread != NULL)
        *flat = calloc(spread->choreography.role_count + 1, sizeof **flat);
    if (status == CHX_OK)
        status = *flat != NULL ? spread_actors(spread, cast, *flat) : no_memory(model);
    pthread_mutex_unlock(&spreads.lock);
    free(counts);
    if (status == CHX_OK) {
        *made = &spread->choreography;
    } else {
        free(*flat);
        *flat = NULL;
    }
    return status;
}

bool spread_is_member(const chx_choreography *choreography, const chx_role *role)
{
    return choreography->spread->choreography->places[role->spread->role].is_family;
}

// ---- results ----

// An array over a family is a chx_results in the result, too; `offset` is where its item is.
static void note_count(void *results, size_t offset)
{
    size_t at = offset - offsetof(chx_results, item);
    chx_results *elements = (chx_results *)(void *)((char *)results + at);
    elements->count = sequence_count(elements->item);
}

void spread_results(const chx_choreography *choreography, const chx_definition *definition, const void *results,
                    void *to)
{
    const struct chx_spread *spread = choreography->spread;
    const chx_choreography *model = spread->choreography;
    const chx_definition *from = &model->definitions[definition - choreography->definitions];
    const chx_result_slot *slot = definition->results;
    memcpy(to, results, from->result_size);
    for (size_t i = 0; i < from->result_count; slot += spread->counts[from->results[i].role], i++) {
        if (!model->places[from->results[i].role].is_family) {
            if (from->results[i].type->kind == CHX_KIND_SEQUENCE)
                note_count(to, from->results[i].offset);
            continue;
        }
        chx_results *members = (chx_results *)(void *)((char *)to + from->results[i].offset);
        size_t size = from->results[i].type->size;
        members->count = spread->counts[from->results[i].role];
        members->item = calloc(members->count + 1, size);
        CHECK(members->item != NULL);
        for (size_t k = 0; k < members->count; k++)
            memcpy((char *)members->item + k * size, (const char *)results + slot[k].offset, size);
    }
}

void chx_results_drop(const chx_type *type, void *results)
{
    chx_results *members = results;
    for (size_t i = 0; i < members->count && members->item != NULL; i++)
        chx_value_drop(type, (char *)members->item + i * type->size);
    free(members->item);
    *members = (chx_results){0, NULL};
}

// ---- what projected code asks ----

size_t chx_members(const chx_self *self, unsigned family)
{
    return ((const Actor *)self)->role->spread->counts[family];
}

void chx_no_member(chx_self *self, uint32_t site, unsigned family, size_t member)
{
    const struct chx_spread *spread = ((Actor *)self)->role->spread;
    // An index below zero is known as one of more than half of what a size_t can be.
    bool is_negative = member > SIZE_MAX / 2;
    guard_raise(CHX_FAULT_FAIL, 0, site, "there is no %s[%s%zu]: the family has %zu member%s",
                spread->choreography->roles[family], is_negative ? "-" : "", is_negative ? 0 - member : member,
                spread->counts[family], spread->counts[family] == 1 ? "" : "s");
}

// The place of a member among those of its family that are peers: a member is none of its own.
static inline unsigned peer_place(chx_self *self, const struct chx_spread *spread, unsigned family, size_t member)
{
    bool is_own = family == spread->role;
    if (CHX_UNLIKELY(member >= spread->counts[family] || (is_own && member == spread->member)))
        chx_no_member(self, self->site, family, member);
    return (unsigned)member - (is_own && member > spread->member);
}

unsigned chx_to_member(chx_self *self, unsigned place, size_t member)
{
    Actor *actor = (Actor *)self;
    const struct chx_spread *spread = actor->role->spread;
    unsigned family = spread->model->sends_to[place], peer = peer_place(self, spread, family, member);
    if (CHX_UNLIKELY(actor->session->arm != NULL))
        return arms_channel(actor, spread->firsts[family] + (unsigned)member, true);
    unsigned out = spread->out_firsts[place] + peer;
    if (CHX_UNLIKELY(actor->session->is_ready != NULL))
        session_channel(actor->session, &actor->out[out]);
    return out;
}

unsigned chx_from_member(chx_self *self, unsigned place, size_t member)
{
    Actor *actor = (Actor *)self;
    const struct chx_spread *spread = actor->role->spread;
    unsigned family = spread->model->receives_from[place], peer = peer_place(self, spread, family, member);
    if (CHX_UNLIKELY(actor->session->arm != NULL))
        return arms_channel(actor, spread->firsts[family] + (unsigned)member, false);
    unsigned in = spread->in_firsts[place] + peer;
    if (CHX_UNLIKELY(actor->session->is_ready != NULL))
        session_channel(actor->session, actor->in[in]);
    return in;
}
