// same.c: roles that do the same in all branches of a choice need not know which one is taken.
//
// Whoever acts in a choice is involved in it (knowledge.c). Of these, a role whose parts in all branches are equal
// (part.h) can do what stands in the first branch without knowing the outcome; it is `unaware`. The others are told, or find
// out by what arrives (merge.h).
//
// Choices are looked at from the inside out, since who is told of an inner choice is a piece of several roles' parts of the
// outer one. What a function does is compared by its class, and classes are found by refinement: at first all functions are
// in one class; all choices are decided and all called functions written down with these classes; functions of one class
// that turned out different are separated; and so on until no class falls apart. Then functions of one class do the same,
// recursion included, and everything was decided knowing that.
//
// There is one thing to be weighed. A role that does not know the outcome can't let others know by what it sends. If it is
// unaware, those who would find out by what it sends first must be told instead. It stays unaware if that concerns one role
// at most; and whoever finds out for nothing does so, and is not unaware. If nevertheless a choice would cost more messages
// than if everybody knew (because a role that is unaware of an inner choice begins with something else there), nobody is
// unaware in it. If two functions that are taken for the same make an arrival ambiguous somewhere else, everything is decided
// once more with caution: calls of different functions are different then, and who lets others know is never unaware.

#include "compiler/check/same.h"

#include "base/check.h"
#include "compiler/check/part.h"

#include <inttypes.h>

// Classes that have not settled after so many rounds are not waited for.
#define ROUNDS_MAX 32
// So often choices are found that would cost more; then nobody is unaware anywhere.
#define TRIES_MAX 16

typedef struct {
    Arena *arena; // for what stays
    Arena *scratch;
    const Program *program;
    Knowledge *knowledge;
    Merger *merger;
    Parts parts;
    bool everybody_knows, is_cautious;
    bool *is_plain;     // by site of a CHOICE: in it, nobody is unaware
    size_t plain_depth; // of such choices, where the walk is; for everything, if nobody is unaware at all
    // By role, for one choice at a time.
    size_t *informs; // how many would have to be told because this role does not know
    RoleId *peers;   // whose message would tell it
} Same;

// ---- one choice ----

static uint64_t shape_add(uint64_t shape, uint64_t value)
{
    return (shape ^ value) * 1099511628211u;
}

// A number for the kinds of statements in the role's part, which is quicker to find than the part.
static uint64_t shape_of(Same *same, const NodeList *list, RoleId role)
{
    PartNodes nodes = {0};
    uint64_t shape = 14695981039346656037u;
    part_nodes(&same->parts, list, role, &nodes);
    for (size_t i = 0; i < nodes.count; i++) {
        const Node *node = nodes.items[i];
        bool sends = node->kind == NODE_DELIVERY && same->program->role_of[node->from] == role;
        shape = shape_add(shape_add(shape, (uint64_t)node->kind + 1), sends);
    }
    return shape;
}

static bool branches_same(Same *same, const Node *node, RoleId role)
{
    const NodeList *first = &node->branches.items[0].body;
    uint64_t shape = shape_of(same, first, role);
    for (size_t i = 1; i < node->branches.count; i++)
        if (shape_of(same, &node->branches.items[i].body, role) != shape)
            return false;
    for (size_t i = 1; i < node->branches.count; i++)
        if (!parts_same(part_of_list(&same->parts, first, role),
                        part_of_list(&same->parts, &node->branches.items[i].body, role)))
            return false;
    return true;
}

// Takes out of `unaware` who should know after all. Returns whether there was somebody.
static bool keep_who_informs(Same *same, const RoleSet *involved, RoleSet *unaware)
{
    bool changed = false;
    for (ROLESET_EACH(role, involved))
        same->informs[role] = 0;
    for (ROLESET_EACH(role, involved))
        if (!roleset_has(unaware, role) && same->peers[role] != ROLE_NONE && roleset_has(involved, same->peers[role]))
            same->informs[same->peers[role]]++;
    for (ROLESET_EACH(role, involved)) {
        bool finds_out = same->peers[role] != ROLE_NONE && !roleset_has(unaware, same->peers[role]);
        if (roleset_has(unaware, role) && (finds_out || same->informs[role] > (same->is_cautious ? 0 : 1))) {
            roleset_remove(unaware, role);
            changed = true;
        }
    }
    return changed;
}

// Who need not know, of those who do the same. `told` are all who are involved and don't decide.
static void decide_unaware(Same *same, const Node *node, RoleSet *told)
{
    RoleSet unaware = roleset_new(same->arena, same->program->id_count);
    for (ROLESET_EACH(id, told)) {
        RoleId role = same->program->role_of[id];
        bool is_known = id != role && roleset_has(&unaware, role);
        // Members of one family don't know all together, or are told. A member that decides may be the same as another one.
        if (is_known || (!set_has_role(same->program, &node->deciders, role) && branches_same(same, node, role)))
            roleset_add(&unaware, id);
    }
    same->knowledge->same[node->site] = roleset_copy(same->arena, &unaware);
    if (roleset_empty(&unaware) || same->plain_depth > 0)
        return;
    MergeList *merges = &same->knowledge->merges[node->site];
    for (ROLESET_EACH(role, told)) {
        const Merge *merge = merge_find(merges, role);
        same->peers[role] = merge != NULL ? merge->peer : ROLE_NONE;
    }
    while (keep_who_informs(same, told, &unaware))
        continue;
    for (ROLESET_EACH(role, &unaware))
        roleset_remove(told, role);
    MergeList kept = {0};
    for (size_t i = 0; i < merges->count; i++)
        if (roleset_has(told, merges->items[i].role) && !roleset_has(&unaware, merges->items[i].peer))
            vector_push(same->arena, &kept, merges->items[i]);
    *merges = kept;
    same->knowledge->unaware[node->site] = unaware;
}

// Two views may be the same member. Of those who decide together with a role outside of the family none is told, or all.
static void tell_members(Same *same, const Node *node, RoleSet *told)
{
    const Program *program = same->program;
    RoleId teller = node->condition != NULL ? teller_of(program, &node->deciders) : ROLE_NONE;
    for (ROLESET_EACH(decider, &node->deciders)) {
        RoleId family = program->role_of[decider];
        if (!program->is_family[family] || decider == teller || roleset_has(&node->deciders, family))
            continue;
        for (ROLESET_EACH(role, told))
            if (program->role_of[role] == family) {
                roleset_add(told, decider);
                break;
            }
    }
}

static void decide_node(Same *same, const Node *node)
{
    Knowledge *knowledge = same->knowledge;
    RoleSet *told = &knowledge->told[node->site];
    *told = roleset_copy(same->arena, &knowledge->acting[node->site]);
    for (ROLESET_EACH(role, &node->deciders))
        roleset_remove(told, role);
    tell_members(same, node, told);
    knowledge->unaware[node->site] = knowledge->same[node->site] = (RoleSet){0};
    if (node->kind != NODE_CHOICE || roleset_empty(told))
        return;
    merge_choice(same->merger, node);
    if (!same->everybody_knows && !node->is_round_condition)
        decide_unaware(same, node, told);
}

// Inner choices first.
static void decide_list(Same *same, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        same->plain_depth += same->is_plain[node->site];
        for (size_t j = 0; j < node->branches.count; j++)
            decide_list(same, &node->branches.items[j].body);
        decide_list(same, &node->body);
        decide_list(same, &node->step);
        decide_list(same, &node->rescue);
        if (node->kind == NODE_CHOICE || (node->kind == NODE_LOOP && node->condition != NULL))
            decide_node(same, node);
        same->plain_depth -= same->is_plain[node->site];
        if (!same->knowledge->completes[node->site])
            return;
    }
}

static void decide_all(Same *same)
{
    parts_forget(&same->parts);
    for (size_t i = 0; i < same->program->instances.count; i++) {
        same->parts.instance = same->program->instances.items[i];
        decide_list(same, &same->program->instances.items[i]->body);
    }
}

// ---- functions that do the same ----

// Returns the number of classes. Functions whose parts are written down here may call others, which are then added.
static size_t refine_classes(Same *same)
{
    Parts *parts = &same->parts;
    VECTOR(uint32_t) classes = {0};
    for (size_t i = 0; i < parts->all_called.count; i++)
        vector_push(same->scratch, &classes, part_of_instance(parts, parts->all_called.items[i]));
    Map seen;
    map_init(&seen, same->scratch);
    for (size_t i = 0; i < classes.count; i++) {
        parts->all_called.items[i]->class = classes.items[i];
        map_put(&seen, arena_printf(same->scratch, "%" PRIu32, classes.items[i]), same);
    }
    return seen.count;
}

// Returns whether the classes have settled.
static bool decide_with_classes(Same *same)
{
    size_t classes = 0, functions = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        decide_all(same);
        size_t now = refine_classes(same);
        if (now == classes && same->parts.all_called.count == functions)
            return true;
        classes = now;
        functions = same->parts.all_called.count;
    }
    return false;
}

// ---- is it better? ----

static size_t messages_at(const Knowledge *knowledge, uint32_t site)
{
    return roleset_count(&knowledge->told[site]) - knowledge->merges[site].count;
}

static bool arrivals_differ(const Knowledge *knowledge, const Node *node, const Merge *merge)
{
    for (size_t i = 0; i < node->branches.count; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < merge->arrivals[i].count; k++)
                for (size_t m = 0; m < merge->arrivals[j].count; m++)
                    if (number_of_message(knowledge->numbers, merge->arrivals[i].items[k], merge->role) ==
                        number_of_message(knowledge->numbers, merge->arrivals[j].items[m], merge->role))
                        return false;
    return true;
}

static bool list_is_clear(const Knowledge *knowledge, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        const MergeList *merges = &knowledge->merges[node->site];
        for (size_t j = 0; j < merges->count; j++)
            if (!arrivals_differ(knowledge, node, &merges->items[j]))
                return false;
        for (size_t j = 0; j < node->branches.count; j++)
            if (!list_is_clear(knowledge, &node->branches.items[j].body))
                return false;
        if (!list_is_clear(knowledge, &node->body) || !list_is_clear(knowledge, &node->step) ||
            !list_is_clear(knowledge, &node->rescue))
            return false;
    }
    return true;
}

// `before`: by site, how many were sent a message if everybody knew. Returns whether a choice costs more, which is plain then.
static bool find_plain(Same *same, const size_t *before)
{
    bool found = false;
    for (uint32_t site = 1; site < same->program->site_count; site++) {
        if (messages_at(same->knowledge, site) > before[site]) {
            same->is_plain[site] = true;
            found = true;
        }
    }
    return found;
}

static bool is_clear(const Same *same)
{
    const Program *program = same->program;
    for (size_t i = 0; i < program->instances.count; i++)
        if (!list_is_clear(same->knowledge, &program->instances.items[i]->body))
            return false;
    return true;
}

static void decide(Same *same, const size_t *before)
{
    for (int i = 0; i < TRIES_MAX; i++) {
        if (!decide_with_classes(same)) {
            same->is_cautious = same->parts.is_cautious = true;
            continue;
        }
        if (find_plain(same, before))
            continue;
        same->knowledge->numbers = numbers_new(same->arena, same->program, same->knowledge);
        if (is_clear(same))
            return;
        CHECK(!same->is_cautious);
        same->is_cautious = same->parts.is_cautious = true;
    }
    same->plain_depth = 1;
    decide_all(same);
    same->knowledge->numbers = numbers_new(same->arena, same->program, same->knowledge);
}

void same_find(Arena *arena, const Program *program, Knowledge *knowledge)
{
    Same same = {.arena = arena, .scratch = arena_new(), .program = program, .knowledge = knowledge};
    same.merger = merger_new(arena, program, knowledge, knowledge->merges);
    same.informs = ARENA_ARRAY(same.scratch, size_t, program->id_count);
    same.peers = ARENA_ARRAY(same.scratch, RoleId, program->id_count);
    same.is_plain = ARENA_ARRAY(same.scratch, bool, program->site_count);
    size_t *before = ARENA_ARRAY(same.scratch, size_t, program->site_count);
    parts_init(&same.parts, same.scratch, program, knowledge);
    same.everybody_knows = true;
    decide_all(&same);
    for (uint32_t site = 1; site < program->site_count; site++)
        before[site] = messages_at(knowledge, site);
    same.everybody_knows = false;
    decide(&same, before);
    arena_free(same.scratch);
}
