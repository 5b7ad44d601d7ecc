// agree.c: classes of variables that hold the same value, carried forward through an instance.
//
// A state gives each variable a class number. Only variables that are bound together with others somewhere can ever
// agree; the rest are left out of it. The state at a loop's start is kept between walks over the body of the instance
// and only ever gets finer; walks are repeated until no loop's start changes, then one more walk reports.

#include "compiler/check/agree.h"

#define NOT_SHARED UINT32_MAX

typedef struct {
    uint32_t *classes; // by index of the variable
    bool is_dead;      // no way leads here
} State;

typedef struct {
    State start, after, again; // of the loop's body; behind the loop; where `continue` leads
} LoopState;

// A variable of a family's members counts several times: for any two members, and for each view, in this order. Whatever is
// known of any two members is known of all.
enum { SLOTS_ANY = 2 };

typedef struct {
    uint32_t *items;
    size_t count;
} Slots;

typedef struct {
    Arena *arena;
    const Program *program;
    const AgreeClient *client;
    VECTOR(RoleId) views;             // of the instance
    VECTOR(const Variable *) members; // those of families
    uint32_t base;                    // the lowest variable id in the instance
    uint32_t *indexes; // by variable id - base: its first slot; NOT_SHARED: never bound together with another
    uint32_t *group;   // by index: those that were ever bound together are in one group (a forest)
    VECTOR(VECTOR(uint32_t)) groups; // by index of a group's root
    size_t count;
    uint32_t class_count; // class numbers are never used twice
    State state;
    VECTOR(uint32_t *) spare;
    uint32_t loop_low, loop_high; // the lowest and the highest site of a loop
    LoopState **loops;            // by site - loop_low
    struct {
        uint64_t pair;
        uint32_t class, stamp;
    } * pairs; // hash table for joins
    size_t pair_capacity;
    uint32_t stamp;
    bool changed, is_reporting, has_families;
} Agree;

// ---- which variables can agree ----

static void each_bind(Agree *agree, const Pattern *pattern, const RoleSet *at,
                      void (*visit)(Agree *, const VariableList *, const RoleSet *))
{
    if (pattern == NULL)
        return;
    if (pattern->kind == PATTERN_BIND)
        visit(agree, &pattern->variables, at);
    for (size_t i = 0; i < pattern->parts.count; i++)
        each_bind(agree, pattern->parts.items[i], at, visit);
}

static uint32_t group_root(Agree *agree, uint32_t index)
{
    while (agree->group[index] != index)
        index = agree->group[index] = agree->group[agree->group[index]];
    return index;
}

static bool is_members(const Agree *agree, const Variable *variable)
{
    return agree->has_families && agree->program->is_family[variable->role];
}

static size_t slot_count(const Agree *agree, const Variable *variable)
{
    return is_members(agree, variable) ? SLOTS_ANY + agree->views.count : 1;
}

static uint32_t view_slot(const Agree *agree, RoleId view)
{
    uint32_t slot = 0;
    while (agree->views.items[slot] != view)
        slot++;
    return SLOTS_ANY + slot;
}

// The slots of the variables, each at its role of `at`; NULL: at all members.
static Slots slots_of(Agree *agree, const VariableList *list, const RoleSet *at)
{
    size_t capacity = 0;
    for (size_t i = 0; i < list->count; i++)
        capacity += slot_count(agree, list->items[i]);
    Slots slots = {ARENA_ARRAY(agree->arena, uint32_t, capacity), 0};
    RoleId role = at != NULL ? roleset_next(at, 0) : ROLE_NONE;
    for (size_t i = 0; i < list->count; i++) {
        const Variable *variable = list->items[i];
        uint32_t first = agree->indexes[variable->id - agree->base];
        bool is_view = role != ROLE_NONE && role != variable->role;
        if (first == NOT_SHARED || !is_members(agree, variable))
            slots.items[slots.count++] = first;
        else if (is_view)
            slots.items[slots.count++] = first + view_slot(agree, role);
        else
            for (size_t k = 0; k < slot_count(agree, variable); k++)
                slots.items[slots.count++] = first + (uint32_t)k;
        role = role != ROLE_NONE ? roleset_next(at, role + 1) : ROLE_NONE;
    }
    return slots;
}

static void share_variables(Agree *agree, const VariableList *list, const RoleSet *at)
{
    for (size_t i = 0; i < list->count; i++) {
        Variable *variable = list->items[i];
        uint32_t *index = &agree->indexes[variable->id - agree->base];
        if (list->count < 2 && !is_members(agree, variable))
            continue;
        variable->is_agreed = true;
        if (*index != NOT_SHARED)
            continue;
        *index = (uint32_t)agree->count;
        if (is_members(agree, variable))
            vector_push(agree->arena, &agree->members, variable);
        for (size_t k = 0; k < slot_count(agree, variable); k++, agree->count++)
            agree->group[agree->count] = *index;
    }
    Slots slots = slots_of(agree, list, at);
    for (size_t i = 1; i < slots.count; i++)
        agree->group[group_root(agree, slots.items[i])] = group_root(agree, slots.items[0]);
}

static void share_list(Agree *agree, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        each_bind(agree, node->target, &node->at, share_variables);
        each_bind(agree, node->to.pattern, &node->to.at, share_variables);
        for (size_t j = 0; j < node->results.count; j++)
            each_bind(agree, node->results.items[j].pattern, &node->results.items[j].at, share_variables);
        for (size_t j = 0; j < node->branches.count; j++)
            share_list(agree, &node->branches.items[j].body);
        share_variables(agree, &node->fault_variables, NULL);
        share_list(agree, &node->body);
        share_list(agree, &node->step);
        share_list(agree, &node->rescue);
        if (node->kind == NODE_LOOP || node->kind == NODE_EACH) {
            agree->loop_low = node->site < agree->loop_low ? node->site : agree->loop_low;
            agree->loop_high = node->site > agree->loop_high ? node->site : agree->loop_high;
        }
    }
}

static void collect_views(Agree *agree, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        if (node->kind == NODE_EACH)
            vector_push(agree->arena, &agree->views, node->view);
        for (size_t j = 0; j < node->branches.count; j++)
            collect_views(agree, &node->branches.items[j].body);
        collect_views(agree, &node->body);
        collect_views(agree, &node->rescue);
    }
}

static void agree_init(Agree *agree, const Instance *instance)
{
    uint32_t low = UINT32_MAX, high = 0;
    collect_views(agree, &instance->members);
    collect_views(agree, &instance->body);
    for (size_t i = 0; i < instance->variables.count; i++) {
        uint32_t id = instance->variables.items[i]->id;
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    for (size_t i = 0; i < instance->counts.count; i++) {
        uint32_t id = instance->counts.items[i]->id;
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    size_t span = low <= high ? (size_t)(high - low) + 1 : 0;
    agree->base = low;
    agree->indexes = ARENA_ARRAY(agree->arena, uint32_t, span);
    agree->group =
        ARENA_ARRAY(agree->arena, uint32_t, agree->has_families ? span * (SLOTS_ANY + agree->views.count) : span);
    for (size_t i = 0; i < span; i++)
        agree->indexes[i] = NOT_SHARED;

    for (size_t i = 0; i < instance->params.count; i++)
        share_variables(agree, &instance->params.items[i].variables, &instance->params.items[i].at);
    agree->loop_low = UINT32_MAX;
    share_list(agree, &instance->body);
    if (agree->loop_low <= agree->loop_high)
        agree->loops = ARENA_ARRAY(agree->arena, LoopState *, (size_t)(agree->loop_high - agree->loop_low) + 1);

    for (uint32_t i = 0; i < agree->count; i++)
        vector_push(agree->arena, &agree->groups, (__typeof__(*agree->groups.items)){0});
    for (uint32_t i = 0; i < agree->count; i++)
        vector_push(agree->arena, &agree->groups.items[group_root(agree, i)], i);

    agree->pair_capacity = 16;
    while (agree->pair_capacity < 2 * agree->count)
        agree->pair_capacity *= 2;
    agree->pairs = arena_alloc(agree->arena, agree->pair_capacity * sizeof *agree->pairs);
}

// ---- states ----

static State state_copy(Agree *agree, const State *state)
{
    State copy = {.is_dead = state->is_dead};
    copy.classes = agree->spare.count > 0 ? agree->spare.items[--agree->spare.count]
                                          : ARENA_ARRAY(agree->arena, uint32_t, agree->count);
    memcpy(copy.classes, state->classes, agree->count * sizeof *copy.classes);
    return copy;
}

static void state_drop(Agree *agree, State *state)
{
    if (state->classes != NULL)
        vector_push(agree->arena, &agree->spare, state->classes);
    state->classes = NULL;
}

static void state_replace(Agree *agree, State *state, State by)
{
    state_drop(agree, state);
    *state = by;
}

static uint32_t pair_class(Agree *agree, uint32_t one, uint32_t other)
{
    uint64_t pair = (uint64_t)one << 32 | other;
    size_t slot = (size_t)(pair * 0x9e3779b97f4a7c15u >> 32) & (agree->pair_capacity - 1);
    while (agree->pairs[slot].stamp == agree->stamp && agree->pairs[slot].pair != pair)
        slot = (slot + 1) & (agree->pair_capacity - 1);
    if (agree->pairs[slot].stamp != agree->stamp) {
        agree->pairs[slot].pair = pair;
        agree->pairs[slot].stamp = agree->stamp;
        agree->pairs[slot].class = agree->class_count++;
    }
    return agree->pairs[slot].class;
}

// `state` becomes what holds on both ways. True if it says less than before.
static bool state_join(Agree *agree, State *state, const State *other)
{
    if (other->classes == NULL || other->is_dead)
        return false;
    if (state->classes == NULL || state->is_dead) {
        state_replace(agree, state, state_copy(agree, other));
        return true;
    }
    // A class was split if there are more pairs than classes; counting both needs two rounds of the table.
    agree->stamp++;
    uint32_t first = agree->class_count;
    for (size_t i = 0; i < agree->count; i++)
        pair_class(agree, state->classes[i], state->classes[i]);
    uint32_t class_count = agree->class_count - first;
    agree->class_count = first;
    agree->stamp++;
    for (size_t i = 0; i < agree->count; i++)
        state->classes[i] = pair_class(agree, state->classes[i], other->classes[i]);
    return agree->class_count - first != class_count;
}

static bool slots_agree(const Agree *agree, const Slots *slots)
{
    for (size_t i = 1; i < slots->count; i++)
        if (slots->items[i] == NOT_SHARED || slots->items[0] == NOT_SHARED ||
            agree->state.classes[slots->items[i]] != agree->state.classes[slots->items[0]])
            return false;
    return true;
}

// Everybody knows which member is meant, and how many there are.
static bool is_known(const VariableList *list)
{
    return list->items[0]->is_index || list->items[0]->is_count;
}

static bool variables_agree(Agree *agree, const VariableList *list, const RoleSet *at)
{
    if (is_known(list))
        return true;
    Slots slots = slots_of(agree, list, at);
    return slots_agree(agree, &slots);
}

// Does it agree with a variable outside the list, or is the list itself of several that do?
static bool variables_shared(Agree *agree, const VariableList *list, const RoleSet *at)
{
    Slots slots = slots_of(agree, list, at);
    for (size_t i = 0; i < slots.count; i++) {
        uint32_t index = slots.items[i];
        if (index == NOT_SHARED)
            continue;
        uint32_t root = group_root(agree, index);
        for (size_t j = 0; j < agree->groups.items[root].count; j++) {
            uint32_t other = agree->groups.items[root].items[j];
            if (other != index && agree->state.classes[other] == agree->state.classes[index])
                return true;
        }
    }
    return false;
}

// One member's variable changes: what was known of any two members, and of other views, is so no longer.
static void scatter_members(Agree *agree, const VariableList *list, const RoleSet *at)
{
    for (size_t i = 0; at != NULL && i < list->count; i++) {
        uint32_t first = agree->indexes[list->items[i]->id - agree->base];
        if (first == NOT_SHARED || !is_members(agree, list->items[i]) || roleset_has(at, list->items[i]->role))
            continue;
        for (size_t k = 0; k < slot_count(agree, list->items[i]); k++)
            agree->state.classes[first + k] = agree->class_count++;
    }
}

static void put_into_class(Agree *agree, const VariableList *list, const RoleSet *at, bool together)
{
    scatter_members(agree, list, at);
    uint32_t class = agree->class_count++;
    Slots slots = slots_of(agree, list, at);
    for (size_t i = 0; i < slots.count; i++)
        if (slots.items[i] != NOT_SHARED)
            agree->state.classes[slots.items[i]] = together ? class : agree->class_count++;
}

static void bind_variables(Agree *agree, const VariableList *list, const RoleSet *at)
{
    put_into_class(agree, list, at, true);
}

static void bind_apart(Agree *agree, const VariableList *list, const RoleSet *at)
{
    put_into_class(agree, list, at, false);
}

// The value is each member's own if only members of one family have to do with it.
static void bind_given(Agree *agree, const VariableList *list, const RoleSet *at)
{
    put_into_class(agree, list, at, party_count(agree->program, at) > 1);
}

// At the beginning of an EACH: a member has what all have.
static void enter_view(Agree *agree, RoleId view)
{
    for (size_t i = 0; i < agree->members.count; i++) {
        uint32_t *classes = agree->state.classes, first = agree->indexes[agree->members.items[i]->id - agree->base];
        bool is_same = classes[first] == classes[first + 1];
        classes[first + view_slot(agree, view)] = is_same ? classes[first] : agree->class_count++;
    }
}

// ---- transfer ----

static void walk_list(Agree *agree, const NodeList *list);

// In dead code nothing is wrong. Members of one family may have values of their own, unless something depends on them.
static void mention(Agree *agree, const Expr *expr)
{
    if (!agree->is_reporting || expr == NULL)
        return;
    const VariableList *lists = NULL;
    const Span *spans = NULL;
    bool must_agree = expr->must_agree || party_count(agree->program, &expr->at) > 1;
    size_t count = agree->client->mentions(agree->client->context, expr, &lists, &spans);
    for (size_t i = 0; i < count; i++) {
        bool dead = agree->state.is_dead;
        agree->client->mentioned(agree->client->context, expr, i,
                                 dead || !must_agree || variables_agree(agree, &lists[i], &expr->at),
                                 !dead && variables_shared(agree, &lists[i], &expr->at));
    }
}

static void mention_value(Agree *agree, const Value *value)
{
    for (size_t i = 0; i < value->exprs.count; i++)
        mention(agree, value->exprs.items[i]);
}

static void mention_pattern(Agree *agree, const Pattern *pattern)
{
    if (pattern == NULL)
        return;
    mention(agree, pattern->expr);
    for (size_t i = 0; i < pattern->parts.count; i++)
        mention_pattern(agree, pattern->parts.items[i]);
}

// Do all who compute the value come to the same? Roles of a set always do; members of one family if it is made of what they
// agree on.
static bool value_agrees(Agree *agree, const Expr *value, const RoleSet *at)
{
    if (value == NULL || party_count(agree->program, at) > 1 || value->must_agree)
        return true;
    if (!value->is_arithmetic && !value->is_variable && !value->is_literal)
        return false;
    const VariableList *lists = NULL;
    const Span *spans = NULL;
    size_t count = agree->client->mentions(agree->client->context, value, &lists, &spans);
    for (size_t i = 0; i < count; i++)
        if (!variables_agree(agree, &lists[i], &value->at))
            return false;
    return true;
}

// A part of a variable changes at each role of the list: they agree afterwards if they did before.
static void change_variables(Agree *agree, const VariableList *list, const RoleSet *at, bool together)
{
    put_into_class(agree, list, at, together && variables_agree(agree, list, at));
}

// The variable that a place is part of is the one that its text begins with.
static void change_places(Agree *agree, const Pattern *pattern, bool together)
{
    if (pattern->kind == PATTERN_PLACE) {
        const VariableList *lists = NULL;
        const Span *spans = NULL;
        size_t count = agree->client->mentions(agree->client->context, pattern->expr, &lists, &spans);
        size_t first = 0;
        for (size_t i = 1; i < count && spans != NULL; i++)
            if (spans[i].start < spans[first].start)
                first = i;
        if (count > 0)
            change_variables(agree, &lists[first], &pattern->expr->at, together);
    }
    for (size_t i = 0; i < pattern->parts.count; i++)
        change_places(agree, pattern->parts.items[i], together);
}

static void assign(Agree *agree, const Pattern *pattern, const RoleSet *at, bool together)
{
    mention_pattern(agree, pattern);
    change_places(agree, pattern, together);
    each_bind(agree, pattern, at, together ? bind_variables : bind_apart);
}

static void walk_step(Agree *agree, const Node *node)
{
    mention(agree, node->value);
    if (node->target == NULL)
        return;
    bool changes = node->op != NULL && strcmp(node->op, "=") != 0;
    bool together = value_agrees(agree, node->value, &node->at);
    if (!changes || node->target->kind != PATTERN_BIND) {
        assign(agree, node->target, &node->at, together);
        return;
    }
    const VariableList *list = &node->target->variables;
    if (agree->is_reporting && agree->client->target_mentioned != NULL) {
        bool dead = agree->state.is_dead || party_count(agree->program, &node->at) < 2;
        agree->client->target_mentioned(agree->client->context, node, dead || variables_agree(agree, list, &node->at),
                                        !dead && variables_shared(agree, list, &node->at));
    }
    change_variables(agree, list, &node->at, together);
}

static void walk_choice(Agree *agree, const Node *node)
{
    mention(agree, node->condition);
    State entry = state_copy(agree, &agree->state);
    State after = {0};
    for (size_t i = 0; i < node->branches.count; i++) {
        state_replace(agree, &agree->state, state_copy(agree, &entry));
        walk_list(agree, &node->branches.items[i].body);
        state_join(agree, &after, &agree->state);
    }
    if (after.classes != NULL)
        state_replace(agree, &agree->state, after);
    else
        agree->state.is_dead = true;
    state_drop(agree, &entry);
}

static LoopState *loop_state(Agree *agree, const Node *node)
{
    LoopState **loop = &agree->loops[node->site - agree->loop_low];
    if (*loop == NULL)
        *loop = ARENA_NEW(agree->arena, LoopState);
    return *loop;
}

static void walk_loop(Agree *agree, const Node *node)
{
    LoopState *loop = loop_state(agree, node);
    bool is_do = node->loop == LOOP_DO;
    bool was_dead = agree->state.is_dead;
    state_join(agree, &loop->start, &agree->state);
    if (loop->start.classes != NULL)
        state_replace(agree, &agree->state, state_copy(agree, &loop->start));
    agree->state.is_dead = was_dead;
    state_drop(agree, &loop->after);
    state_drop(agree, &loop->again);

    if (node->condition != NULL && !is_do) {
        mention(agree, node->condition);
        state_join(agree, &loop->after, &agree->state);
    }
    walk_list(agree, &node->body);
    state_join(agree, &loop->again, &agree->state);
    if (loop->again.classes != NULL)
        state_replace(agree, &agree->state, state_copy(agree, &loop->again));
    walk_list(agree, &node->step);
    if (node->condition != NULL && is_do) {
        mention(agree, node->condition);
        state_join(agree, &loop->after, &agree->state);
    }
    agree->changed |= state_join(agree, &loop->start, &agree->state);

    if (loop->after.classes != NULL)
        state_replace(agree, &agree->state, state_copy(agree, &loop->after));
    else
        agree->state.is_dead = true;
}

// A `for` over a family that may have no members; or one statement with a member.
static void walk_each(Agree *agree, const Node *node)
{
    mention(agree, node->index);
    if (node->index != NULL) {
        enter_view(agree, node->view);
        walk_list(agree, &node->body);
        return;
    }
    LoopState *loop = loop_state(agree, node);
    state_join(agree, &loop->start, &agree->state);
    bool was_dead = agree->state.is_dead;
    if (loop->start.classes != NULL)
        state_replace(agree, &agree->state, state_copy(agree, &loop->start));
    agree->state.is_dead = was_dead;
    state_drop(agree, &loop->after);
    state_drop(agree, &loop->again);
    state_join(agree, &loop->after, &agree->state);
    enter_view(agree, node->view);
    walk_list(agree, &node->body);
    state_join(agree, &loop->again, &agree->state);
    if (loop->again.classes != NULL)
        state_replace(agree, &agree->state, state_copy(agree, &loop->again));
    agree->changed |= state_join(agree, &loop->start, &agree->state);
    if (loop->after.classes != NULL)
        state_replace(agree, &agree->state, state_copy(agree, &loop->after));
    else
        agree->state.is_dead = true;
}

static void walk_checkpoint(Agree *agree, const Node *node)
{
    State entry = state_copy(agree, &agree->state);
    walk_list(agree, &node->body);
    if (node->has_rescue) {
        State body = agree->state;
        agree->state = state_copy(agree, &entry);
        bind_variables(agree, &node->fault_variables, NULL);
        walk_list(agree, &node->rescue);
        state_join(agree, &agree->state, &body);
        state_drop(agree, &body);
    }
    state_drop(agree, &entry);
}

static void walk_node(Agree *agree, const Node *node)
{
    switch (node->kind) {
    case NODE_STEP:
        walk_step(agree, node);
        break;
    case NODE_AGREE:
        bind_variables(agree, &node->target->variables, &node->at);
        break;
    case NODE_DELIVERY:
        mention_value(agree, &node->sent);
        assign(agree, node->to.pattern, &node->to.at, true);
        break;
    case NODE_CALL:
    case NODE_RETURN:
        for (size_t i = 0; i < node->args.count; i++)
            mention_value(agree, &node->args.items[i]);
        for (size_t i = 0; i < node->values.count; i++)
            mention_value(agree, &node->values.items[i]);
        for (size_t i = 0; i < node->results.count; i++)
            assign(agree, node->results.items[i].pattern, &node->results.items[i].at,
                   party_count(agree->program, &node->results.items[i].at) > 1);
        agree->state.is_dead |= node->kind == NODE_RETURN;
        break;
    case NODE_CHOICE:
        walk_choice(agree, node);
        break;
    case NODE_LOOP:
        walk_loop(agree, node);
        break;
    case NODE_EACH:
        walk_each(agree, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE: {
        LoopState *loop = loop_state(agree, node->loop_node);
        state_join(agree, node->kind == NODE_BREAK ? &loop->after : &loop->again, &agree->state);
        agree->state.is_dead = true;
        break;
    }
    case NODE_CHECKPOINT:
        walk_checkpoint(agree, node);
        break;
    case NODE_BLOCK:
    case NODE_PAR:
    case NODE_ARM: // what one arm changes no other one uses
        walk_list(agree, &node->body);
        break;
    }
}

static void walk_list(Agree *agree, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++)
        walk_node(agree, list->items[i]);
}

static void walk_instance(Agree *agree, const Instance *instance)
{
    for (size_t i = 0; i < agree->count; i++)
        agree->state.classes[i] = agree->class_count++;
    agree->state.is_dead = false;
    for (size_t i = 0; i < instance->params.count; i++)
        bind_given(agree, &instance->params.items[i].variables, &instance->params.items[i].at);
    for (size_t i = 0; i < instance->members.count; i++)
        enter_view(agree, instance->members.items[i]->view);
    walk_list(agree, &instance->body);
}

void agree_instance(Arena *arena, const Program *program, const Instance *instance, const AgreeClient *client)
{
    Agree agree = {.arena = arena, .program = program, .client = client};
    for (size_t i = 0; i < program->role_count; i++)
        agree.has_families |= program->is_family[i];
    agree_init(&agree, instance);
    agree.state.classes = ARENA_ARRAY(arena, uint32_t, agree.count);
    if (agree.loops != NULL && agree.count > 0) {
        do {
            agree.changed = false;
            walk_instance(&agree, instance);
        } while (agree.changed);
    }
    agree.is_reporting = true;
    walk_instance(&agree, instance);
}
