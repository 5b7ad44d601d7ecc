// Choices of which a role need not be told: what arrives next tells it which branch was taken.

#include "compiler/project/merge.h"

// A branch is not recognised by more sites than this: long chains of choices would make long lists at every level.
#define ARRIVALS_MAX 64

// What a role receives first in a branch: from whom, and under which sites. peer ROLE_NONE: it begins otherwise.
typedef struct {
    RoleId peer;
    SiteList sites;
} First;

typedef struct {
    Arena *arena;
    const Program *program;
    const Knowledge *knowledge;
    Merges *merges;
    // By role, for one choice at a time.
    First *firsts;
    Merge *found;
} Merger;

const Merge *merge_at(const Merges *merges, uint32_t site, RoleId role)
{
    size_t low = 0, high = merges->by_site[site].count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const Merge *merge = &merges->by_site[site].items[middle];
        if (merge->role == role)
            return merge;
        if (merge->role < role)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void add_sites(Merger *merger, SiteList *sites, const SiteList *more)
{
    for (size_t i = 0; i < more->count; i++)
        vector_push(merger->arena, sites, more->items[i]);
}

// `node` is the first in which the role acts; not a BLOCK.
static First first_receive(Merger *merger, const Node *node, RoleId role)
{
    First first = {.peer = ROLE_NONE};
    bool is_told = roleset_has(&merger->knowledge->told[node->site], role);
    switch (node->kind) {
    case NODE_DELIVERY:
        if (node->from == role)
            return first;
        first.peer = node->from;
        break;
    case NODE_CHOICE: {
        if (!is_told)
            return first;
        const Merge *inner = merge_at(merger->merges, node->site, role);
        if (inner != NULL) {
            size_t count = 0;
            for (size_t i = 0; i < node->branches.count; i++)
                count += inner->arrivals[i].count;
            if (count > ARRIVALS_MAX)
                return first;
            first.peer = inner->peer;
            for (size_t i = 0; i < node->branches.count; i++)
                add_sites(merger, &first.sites, &inner->arrivals[i]);
            return first;
        }
        first.peer = roleset_next(&node->deciders, 0);
        break;
    }
    case NODE_LOOP:
        // A `do` begins with its body, which comes again: keep its outcome a message of its own.
        if (!is_told || node->loop == LOOP_DO)
            return first;
        first.peer = roleset_next(&node->deciders, 0);
        break;
    case NODE_STEP:
    case NODE_AGREE: // everybody sends first
    case NODE_CALL:
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_RETURN:
    case NODE_CHECKPOINT: // what was decided before a block is received before entering it
    case NODE_BLOCK:
        return first;
    }
    vector_push(merger->arena, &first.sites, node->site);
    return first;
}

// For each role of `missing`, finds the first node of the list in which it acts, and takes the role out. Stops at a
// jump: whoever is still missing begins with the jump, or does nothing.
static void find_firsts(Merger *merger, const NodeList *list, RoleSet *missing)
{
    for (size_t i = 0; i < list->count && !roleset_empty(missing); i++) {
        const Node *node = list->items[i];
        const RoleSet *acting = &merger->knowledge->acting[node->site];
        if (node->kind == NODE_BLOCK) {
            find_firsts(merger, &node->body, missing);
        } else if (roleset_meets(acting, missing)) {
            for (ROLESET_EACH(role, acting)) {
                if (!roleset_has(missing, role))
                    continue;
                roleset_remove(missing, role);
                merger->firsts[role] = first_receive(merger, node, role);
            }
        }
        if (!merger->knowledge->completes[node->site])
            return;
    }
}

static void merge_choice(Merger *merger, const Node *node)
{
    const RoleSet *told = &merger->knowledge->told[node->site];
    size_t branch_count = node->branches.count;
    RoleSet candidates = roleset_copy(merger->arena, told);
    for (size_t i = 0; i < branch_count && !roleset_empty(&candidates); i++) {
        RoleSet missing = roleset_copy(merger->arena, &candidates);
        find_firsts(merger, &node->branches.items[i].body, &missing);
        for (ROLESET_EACH(role, &candidates)) {
            const First *first = &merger->firsts[role];
            Merge *found = &merger->found[role];
            bool begins = !roleset_has(&missing, role) && first->peer != ROLE_NONE;
            if (!begins || (i > 0 && first->peer != found->peer)) {
                roleset_remove(&candidates, role);
                continue;
            }
            if (i == 0)
                *found = (Merge){role, first->peer, ARENA_ARRAY(merger->arena, SiteList, branch_count)};
            found->arrivals[i] = first->sites;
        }
    }
    for (ROLESET_EACH(role, &candidates))
        vector_push(merger->arena, &merger->merges->by_site[node->site], merger->found[role]);
}

// Inner choices first: an outer one can be told by what tells an inner one.
static void merge_list(Merger *merger, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        for (size_t j = 0; j < node->branches.count; j++)
            merge_list(merger, &node->branches.items[j].body);
        merge_list(merger, &node->body);
        merge_list(merger, &node->step);
        merge_list(merger, &node->rescue);
        if (node->kind == NODE_CHOICE && !roleset_empty(&merger->knowledge->told[node->site]))
            merge_choice(merger, node);
        if (!merger->knowledge->completes[node->site])
            return;
    }
}

Merges *merges_new(Arena *arena, const Program *program, const Knowledge *knowledge)
{
    Merges *merges = ARENA_NEW(arena, Merges);
    merges->by_site = arena_alloc(arena, program->site_count * sizeof *merges->by_site);
    Merger merger = {.arena = arena, .program = program, .knowledge = knowledge, .merges = merges};
    merger.firsts = ARENA_ARRAY(arena, First, program->role_count);
    merger.found = ARENA_ARRAY(arena, Merge, program->role_count);
    for (size_t i = 0; i < program->instances.count; i++)
        merge_list(&merger, &program->instances.items[i]->body);
    return merges;
}
