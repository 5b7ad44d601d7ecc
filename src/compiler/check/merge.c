// Choices of which a role need not be told: what arrives next tells it which branch was taken.

#include "compiler/check/merge.h"

#include "compiler/check/knowledge.h"

// A branch is not recognised by more sites than this: long chains of choices would make long lists at every level.
#define ARRIVALS_MAX 64

// What a role receives first in a branch: from whom, and under which sites. peer ROLE_NONE: it begins otherwise.
typedef struct {
    RoleId peer;
    SiteList sites;
} First;

struct Merger {
    Arena *arena;
    size_t role_count;
    const Program *program;
    const Knowledge *knowledge;
    MergeList *by_site;
    // By role, for one choice at a time.
    First *firsts;
    Merge *found;
};

const Merge *merge_find(const MergeList *list, RoleId role)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const Merge *merge = &list->items[middle];
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
        const Merge *inner = merge_find(&merger->by_site[node->site], role);
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
        first.peer = teller_of(merger->program, &node->deciders);
        break;
    }
    case NODE_LOOP:
        // A `do` begins with its body, which comes again: keep its outcome a message of its own.
        if (!is_told || node->loop == LOOP_DO)
            return first;
        first.peer = teller_of(merger->program, &node->deciders);
        break;
    case NODE_STEP:
    case NODE_EACH:
    case NODE_AGREE: // everybody sends first
    case NODE_CALL:
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_RETURN:
    case NODE_CHECKPOINT: // what was decided before a block is received before entering it
    case NODE_BLOCK:
    case NODE_PAR:
    case NODE_ARM:
        return first;
    }
    vector_push(merger->arena, &first.sites, node->site);
    return first;
}

static void find_firsts(Merger *merger, const NodeList *list, RoleSet *missing);

// Those who don't know the outcome of the choice do what stands in its first branch.
static void find_firsts_unaware(Merger *merger, const Node *choice, const RoleSet *unaware, RoleSet *missing)
{
    RoleSet left = roleset_copy(merger->arena, unaware);
    find_firsts(merger, &choice->branches.items[0].body, &left);
    for (ROLESET_EACH(role, unaware))
        if (!roleset_has(&left, role))
            roleset_remove(missing, role);
}

static void find_firsts_at(Merger *merger, const Node *node, RoleSet *missing)
{
    const RoleSet *unaware = &merger->knowledge->unaware[node->site];
    RoleSet inside = {0};
    if (!roleset_empty(unaware))
        inside = roleset_new(merger->arena, merger->role_count);
    for (ROLESET_EACH(role, &merger->knowledge->acting[node->site])) {
        if (!roleset_has(missing, role))
            continue;
        if (roleset_has(unaware, role)) {
            roleset_add(&inside, role);
            continue;
        }
        roleset_remove(missing, role);
        merger->firsts[role] = first_receive(merger, node, role);
    }
    if (!roleset_empty(&inside))
        find_firsts_unaware(merger, node, &inside, missing);
}

// For each role of `missing`, finds the first node of the list in which it acts, and takes the role out. Stops at a
// jump: whoever is still missing begins with the jump, or does nothing.
static void find_firsts(Merger *merger, const NodeList *list, RoleSet *missing)
{
    for (size_t i = 0; i < list->count && !roleset_empty(missing); i++) {
        const Node *node = list->items[i];
        if (node->kind == NODE_BLOCK)
            find_firsts(merger, &node->body, missing);
        else if (roleset_meets(&merger->knowledge->acting[node->site], missing))
            find_firsts_at(merger, node, missing);
        if (!merger->knowledge->completes[node->site])
            return;
    }
}

static bool is_plain(const Merger *merger, RoleId role)
{
    return merger->program->role_of[role] == role && !merger->program->is_family[role];
}

void merge_choice(Merger *merger, const Node *node)
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
    merger->by_site[node->site] = (MergeList){0};
    // Members of a family may be several at once: they are told.
    for (ROLESET_EACH(role, &candidates))
        if (is_plain(merger, role) && is_plain(merger, merger->found[role].peer))
            vector_push(merger->arena, &merger->by_site[node->site], merger->found[role]);
}

Merger *merger_new(Arena *arena, const Program *program, const Knowledge *knowledge, MergeList *by_site)
{
    Merger *merger = ARENA_NEW(arena, Merger);
    *merger = (Merger){.arena = arena,
                       .program = program,
                       .role_count = program->id_count,
                       .knowledge = knowledge,
                       .by_site = by_site};
    merger->firsts = ARENA_ARRAY(arena, First, program->id_count);
    merger->found = ARENA_ARRAY(arena, Merge, program->id_count);
    return merger;
}
