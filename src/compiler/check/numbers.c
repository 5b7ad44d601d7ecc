// numbers.c: see numbers.h.
//
// Union-find over pairs of a site and the role that gets the message, or of a site and nobody for the statement as a whole. For
// each choice and each role that does not know its outcome, the role's parts in the branches are walked side by side: they
// have the same statements in the same order (part.h), calls followed. Both ends of a message that the role sends or
// receives are named by the same pair, so it does not matter which end does not know.

#include "compiler/check/numbers.h"

#include "base/check.h"
#include "compiler/check/knowledge.h"
#include "compiler/check/part.h"

typedef struct Class Class;
struct Class {
    Class *up; // NULL: it stands for its class
    uint32_t number;
};

struct Numbers {
    Arena *arena;
    size_t role_count;
    const Program *program;
    const Knowledge *knowledge;
    PairMap *by_site; // Class *, by site and role; made on demand
    PairMap walked;   // pairs of instances, by the one, and by the role: a PairMap *
};

#define NOBODY ROLE_NONE

// ---- classes ----

static Class *class_of(Numbers *numbers, uint32_t site, RoleId role)
{
    PairMap *map = &numbers->by_site[site];
    if (map->arena == NULL)
        pairmap_init(map, numbers->arena);
    void **place = pairmap_at(map, numbers, role);
    if (*place == NULL) {
        Class *class = ARENA_NEW(numbers->arena, Class);
        class->number = site;
        *place = class;
    }
    Class *class = *place;
    while (class->up != NULL)
        class = class->up;
    return class;
}

// The smaller number stands for both. Chains stay short: they are as long as choices are nested.
static void unite(Numbers *numbers, uint32_t one, uint32_t other, RoleId role)
{
    Class *a = class_of(numbers, one, role), *b = class_of(numbers, other, role);
    if (a == b)
        return;
    if (a->number < b->number)
        b->up = a;
    else
        a->up = b;
}

static uint32_t number_at(const Numbers *numbers, uint32_t site, RoleId role)
{
    PairMap *map = &numbers->by_site[site];
    if (map->arena == NULL)
        return site;
    const Class *class = pairmap_get(map, numbers, role);
    while (class != NULL && class->up != NULL)
        class = class->up;
    return class != NULL ? class->number : site;
}

uint32_t number_of_message(const Numbers *numbers, uint32_t site, RoleId to)
{
    return number_at(numbers, site, to);
}

uint32_t number_of_statement(const Numbers *numbers, uint32_t site)
{
    return number_at(numbers, site, NOBODY);
}

// ---- walking side by side ----

static void pair_lists(Numbers *numbers, const NodeList *one, const NodeList *other, RoleId role);

static void pair_instances(Numbers *numbers, const Instance *one, const Instance *other, RoleId role)
{
    void **seconds = pairmap_at(&numbers->walked, one, role);
    if (*seconds == NULL) {
        *seconds = ARENA_NEW(numbers->arena, PairMap);
        pairmap_init(*seconds, numbers->arena);
    }
    void **is_walked = pairmap_at(*seconds, other, role);
    if (one == other || *is_walked != NULL)
        return;
    *is_walked = numbers;
    pair_lists(numbers, &one->body, &other->body, role);
}

static void pair_delivery(Numbers *numbers, const Node *one, const Node *other, RoleId role)
{
    if (one->from != role) {
        unite(numbers, one->site, other->site, role);
        return;
    }
    for (ROLESET_EACH(to, &one->to.at))
        if (to != role)
            unite(numbers, one->site, other->site, to);
}

static void pair_outcomes(Numbers *numbers, const Node *one, const Node *other, RoleId role)
{
    const RoleSet *told = &numbers->knowledge->told[one->site];
    if (roleset_has(told, role))
        unite(numbers, one->site, other->site, role);
    if (one->condition == NULL || teller_of(numbers->program, &one->deciders) != role)
        return;
    for (ROLESET_EACH(to, told))
        if (merge_find(&numbers->knowledge->merges[one->site], to) == NULL)
            unite(numbers, one->site, other->site, to);
}

static void pair_nodes(Numbers *numbers, const Node *one, const Node *other, RoleId role)
{
    CHECK(one->kind == other->kind && one->branches.count == other->branches.count);
    unite(numbers, one->site, other->site, NOBODY);
    if (one->kind == NODE_DELIVERY)
        pair_delivery(numbers, one, other, role);
    if (one->kind == NODE_CHOICE || one->kind == NODE_LOOP)
        pair_outcomes(numbers, one, other, role);
    if (one->callee != NULL && roleset_has(&numbers->knowledge->part[one->callee->id], role))
        pair_instances(numbers, one->callee, other->callee, role);
    for (size_t i = 0; i < one->branches.count; i++)
        pair_lists(numbers, &one->branches.items[i].body, &other->branches.items[i].body, role);
    pair_lists(numbers, &one->body, &other->body, role);
    pair_lists(numbers, &one->step, &other->step, role);
    if (one->has_rescue)
        pair_lists(numbers, &one->rescue, &other->rescue, role);
}

static void pair_lists(Numbers *numbers, const NodeList *one, const NodeList *other, RoleId role)
{
    PartNodes ones = {0}, others = {0};
    part_nodes(numbers->arena, numbers->knowledge, one, role, &ones);
    part_nodes(numbers->arena, numbers->knowledge, other, role, &others);
    CHECK(ones.count == others.count);
    for (size_t i = 0; i < ones.count; i++)
        pair_nodes(numbers, ones.items[i], others.items[i], role);
}

static void number_list(Numbers *numbers, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        for (ROLESET_EACH(role, &numbers->knowledge->unaware[node->site]))
            for (size_t j = 1; j < node->branches.count; j++)
                pair_lists(numbers, &node->branches.items[0].body, &node->branches.items[j].body, role);
        for (size_t j = 0; j < node->branches.count; j++)
            number_list(numbers, &node->branches.items[j].body);
        number_list(numbers, &node->body);
        number_list(numbers, &node->step);
        number_list(numbers, &node->rescue);
        if (!numbers->knowledge->completes[node->site])
            return;
    }
}

Numbers *numbers_new(Arena *arena, const Program *program, const Knowledge *knowledge)
{
    Numbers *numbers = ARENA_NEW(arena, Numbers);
    *numbers = (Numbers){.arena = arena, .role_count = program->id_count, .program = program, .knowledge = knowledge};
    numbers->by_site = ARENA_ARRAY(arena, PairMap, program->site_count);
    pairmap_init(&numbers->walked, arena);
    for (size_t i = 0; i < program->instances.count; i++)
        number_list(numbers, &program->instances.items[i]->body);
    return numbers;
}
