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
    Parts parts;
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
static void unite(Numbers *numbers, uint32_t one, RoleId to_one, uint32_t other, RoleId to_other)
{
    Class *a = class_of(numbers, one, to_one), *b = class_of(numbers, other, to_other);
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

// The role, or its members.
static RoleSet members_in(Numbers *numbers, const RoleSet *set, RoleId role)
{
    RoleSet members = roleset_new(numbers->arena, numbers->role_count);
    for (ROLESET_EACH(id, set))
        if (numbers->program->role_of[id] == role)
            roleset_add(&members, id);
    return members;
}

// Who is sent the outcome.
static RoleSet messages_of(Numbers *numbers, const Node *choice)
{
    RoleSet sent = roleset_new(numbers->arena, numbers->role_count);
    for (ROLESET_EACH(to, &numbers->knowledge->told[choice->site]))
        if (merge_find(&numbers->knowledge->merges[choice->site], to) == NULL)
            roleset_add(&sent, to);
    return sent;
}

// A message to each of them. Sets that correspond have members of families in the same order, but other views of them. `role`: only
// what it gets, or its members; NOBODY: all messages. Views of a family without the family are received as one.
static void pair_receivers(Numbers *numbers, const Node *one, const RoleSet *to_one, const Node *other,
                           const RoleSet *to_other, RoleId role)
{
    const RoleId *role_of = numbers->program->role_of;
    RoleId there = roleset_next(to_other, 0), before = ROLE_NONE;
    CHECK(roleset_count(to_one) == roleset_count(to_other));
    for (ROLESET_EACH(here, to_one)) {
        if (role == NOBODY || role_of[here] == role) {
            unite(numbers, one->site, here, other->site, there);
            if (before != ROLE_NONE && role_of[before] == role_of[here])
                unite(numbers, one->site, before, one->site, here);
            before = here;
        }
        there = roleset_next(to_other, there + 1);
    }
}

static RoleSet receivers(Numbers *numbers, const Node *delivery)
{
    RoleSet to = roleset_copy(numbers->arena, &delivery->to.at);
    roleset_remove(&to, delivery->from);
    return to;
}

static void pair_delivery(Numbers *numbers, const Node *one, const Node *other, RoleId role)
{
    RoleSet to_one = receivers(numbers, one), to_other = receivers(numbers, other);
    bool is_sender = numbers->program->role_of[one->from] == role;
    if (is_sender) {
        pair_receivers(numbers, one, &to_one, other, &to_other, NOBODY);
        return;
    }
    // The other receivers may not be the same in both.
    RoleSet own_one = members_in(numbers, &to_one, role), own_other = members_in(numbers, &to_other, role);
    pair_receivers(numbers, one, &own_one, other, &own_other, role);
}

static void pair_outcomes(Numbers *numbers, const Node *one, const Node *other, RoleId role)
{
    const Knowledge *knowledge = numbers->knowledge;
    const RoleSet *told_one = &knowledge->told[one->site], *told_other = &knowledge->told[other->site];
    RoleSet own_one = members_in(numbers, told_one, role), own_other = members_in(numbers, told_other, role);
    pair_receivers(numbers, one, &own_one, other, &own_other, role);
    if (one->condition == NULL || numbers->program->role_of[teller_of(numbers->program, &one->deciders)] != role)
        return;
    RoleSet sent_one = messages_of(numbers, one), sent_other = messages_of(numbers, other);
    pair_receivers(numbers, one, &sent_one, other, &sent_other, NOBODY);
}

static void pair_nodes(Numbers *numbers, const Node *one, const Node *other, RoleId role)
{
    CHECK(one->kind == other->kind && one->branches.count == other->branches.count);
    unite(numbers, one->site, NOBODY, other->site, NOBODY);
    if (one->kind == NODE_DELIVERY)
        pair_delivery(numbers, one, other, role);
    if (one->kind == NODE_CHOICE || one->kind == NODE_LOOP)
        pair_outcomes(numbers, one, other, role);
    if (one->callee != NULL && set_has_role(numbers->program, &numbers->knowledge->part[one->callee->id], role))
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
    part_nodes(&numbers->parts, one, role, &ones);
    part_nodes(&numbers->parts, other, role, &others);
    CHECK(ones.count == others.count);
    for (size_t i = 0; i < ones.count; i++)
        pair_nodes(numbers, ones.items[i], others.items[i], role);
}

static void number_list(Numbers *numbers, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        const RoleSet *unaware = &numbers->knowledge->unaware[node->site];
        for (RoleId role = 0; !roleset_empty(unaware) && role < numbers->program->role_count; role++)
            for (size_t j = 1; set_has_role(numbers->program, unaware, role) && j < node->branches.count; j++)
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
    parts_init(&numbers->parts, arena, program, knowledge);
    for (size_t i = 0; i < program->instances.count; i++)
        number_list(numbers, &program->instances.items[i]->body);
    return numbers;
}
