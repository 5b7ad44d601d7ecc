// knowledge.c: who is involved in what, by fixpoint over each instance's control flow. Who of them must know is same.c's affair.
//
// For every role and every point of an instance there is a next node that involves the role (or the end). Where the
// ways out of a choice have different next nodes for a role, the role must be told, and is involved in the choice from
// then on. Control flow is structured, so the graph is never built: a walk from the end of a list to its start carries
// the next nodes of all roles, and each `break`, `continue` and `return` replaces them by those of its target. Walks
// are repeated until nobody is added; only a loop's head can make a further walk necessary.
//
// Besides, whoever acts inside a choice, loop or checkpoint is involved in it, so that the local program is structured
// like the choreography. A role that is not involved in an endless loop is not held up by it: it goes on behind the
// enclosing statement.

#include "compiler/check/knowledge.h"

#include "base/check.h"
#include "compiler/check/durable.h"
#include "compiler/check/part.h"
#include "compiler/check/same.h"

typedef struct {
    Arena *arena;
    const Program *program;
    Knowledge *knowledge;
    const Instance *instance;
    VECTOR(const Node *) * callees; // by instance id: the calls
    bool *has_break, *has_continue; // by site of a LOOP
    bool *jumps_inside;             // by instance id: a jump stands inside a choice, loop or checkpoint
    size_t depth;                   // of choices, loops and checkpoints
    const Node *arm;                // the innermost around, or NULL
} Scan;

// ---- what completes, and the roles that act in an instance by themselves ----

static bool scan_list(Scan *scan, const NodeList *list);

// Computing an argument can have an effect, so it is an action, even where the callee does nothing with it.
static bool arg_acts(const Value *arg)
{
    for (size_t i = 0; i < arg->exprs.count; i++)
        if (!arg->exprs.items[i]->is_variable && !arg->exprs.items[i]->is_constant)
            return true;
    return false;
}

static void add_results(RoleSet *set, const Instance *instance)
{
    for (size_t i = 0; i < instance->results.count; i++)
        roleset_add_all(set, &instance->results.items[i].at);
}

// The roles involved in the node itself, without what is inside it and without the part of its callee.
static void add_own_roles(RoleSet *set, const Instance *instance, const Node *node)
{
    switch (node->kind) {
    case NODE_STEP:
    case NODE_AGREE:
        roleset_add_all(set, &node->at);
        break;
    case NODE_DELIVERY:
        roleset_add(set, node->from);
        roleset_add_all(set, &node->to.at);
        break;
    case NODE_CALL:
    case NODE_RETURN:
        for (size_t i = 0; i < node->args.count; i++)
            if (arg_acts(&node->args.items[i]))
                roleset_add_all(set, &node->args.items[i].at);
        if (node->kind == NODE_RETURN)
            add_results(set, instance);
        break;
    case NODE_CHOICE:
    case NODE_LOOP:
        if (node->condition != NULL)
            roleset_add_all(set, &node->deciders);
        break;
    case NODE_EACH:
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_CHECKPOINT:
    case NODE_BLOCK:
    case NODE_PAR:
    case NODE_ARM:
        break;
    }
}

// Is the view a role parameter of the instance?
static bool is_param_view(const Instance *instance, RoleId view)
{
    for (size_t i = 0; i < instance->members.count; i++)
        if (instance->members.items[i]->view == view)
            return true;
    return false;
}

// Whatever a member does, its family has a part in: the others look who it is.
static void add_families(const Program *program, const Instance *instance, RoleSet *set)
{
    for (ROLESET_EACH(role, set))
        if (!is_param_view(instance, role))
            roleset_add(set, program->role_of[role]);
}

static bool scan_loop(Scan *scan, const Node *node)
{
    bool body_completes = scan_list(scan, &node->body);
    scan_list(scan, &node->step);
    if (scan->has_break[node->site])
        return true;
    if (node->condition == NULL)
        return false;
    return node->loop != LOOP_DO || body_completes || scan->has_continue[node->site];
}

// A `for` over a family that has no members goes on at once.
static bool scan_each(Scan *scan, const Node *node)
{
    bool completes = scan_list(scan, &node->body);
    return completes || node->index == NULL;
}

static bool scan_inside(Scan *scan, const Node *node)
{
    bool completes = false;
    switch (node->kind) {
    case NODE_EACH:
        return scan_each(scan, node);
    case NODE_CHOICE:
        for (size_t i = 0; i < node->branches.count; i++)
            completes |= scan_list(scan, &node->branches.items[i].body);
        return completes;
    case NODE_LOOP:
        return scan_loop(scan, node);
    case NODE_CHECKPOINT:
        completes = scan_list(scan, &node->body);
        if (node->has_rescue)
            completes |= scan_list(scan, &node->rescue);
        return completes;
    default:
        CHECK(false);
    }
}

static bool scan_node(Scan *scan, const Node *node)
{
    uint32_t id = scan->instance->id;
    add_own_roles(&scan->knowledge->part[id], scan->instance, node);
    add_families(scan->program, scan->instance, &scan->knowledge->part[id]);
    switch (node->kind) {
    case NODE_STEP:
    case NODE_AGREE:
    case NODE_DELIVERY:
        return true;
    case NODE_CALL:
        vector_push(scan->arena, &scan->callees[id], node);
        return true;
    case NODE_RETURN:
        if (node->callee != NULL)
            vector_push(scan->arena, &scan->callees[id], node);
        scan->jumps_inside[id] |= scan->depth > 0;
        return false;
    case NODE_BREAK:
    case NODE_CONTINUE:
        (node->kind == NODE_BREAK ? scan->has_break : scan->has_continue)[node->loop_node->site] = true;
        scan->jumps_inside[id] = true;
        return false;
    case NODE_BLOCK:
    case NODE_PAR:
        return scan_list(scan, &node->body);
    case NODE_ARM: // who has no part in it goes on whether it ends or not
        scan_list(scan, &node->body);
        return true;
    case NODE_CHOICE:
    case NODE_LOOP:
    case NODE_EACH:
    case NODE_CHECKPOINT:
        break;
    }
    scan->depth++;
    bool completes = scan_inside(scan, node);
    scan->depth--;
    return completes;
}

static bool scan_list(Scan *scan, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        bool completes = scan_node(scan, node);
        scan->knowledge->completes[node->site] = completes;
        if (!completes)
            return false;
    }
    return true;
}

// A call of an instance.
typedef struct {
    uint32_t id; // of the caller
    const Node *call;
} Caller;

// Who has a part in the callee, as the caller knows them; the callee's own views are its own affair. `caller`: the set is what
// it has a part in itself; NULL: it is who acts in the call. True if somebody was new.
static bool add_part(const Scan *scan, const Instance *caller, const Node *call, RoleSet *set)
{
    const Program *program = scan->program;
    bool is_new = false;
    for (ROLESET_EACH(role, &scan->knowledge->part[call->callee->id])) {
        RoleId given = given_role(call, role);
        if (given == role && program->role_of[role] != role)
            continue;
        is_new |= roleset_add(set, given);
        if (caller != NULL && !is_param_view(caller, given))
            is_new |= roleset_add(set, program->role_of[given]);
    }
    return is_new;
}

// Adds the callees' roles to their callers', until nothing changes.
static void close_parts(Scan *scan)
{
    size_t count = scan->program->instances.count;
    VECTOR(Caller) *callers = arena_alloc(scan->arena, count * sizeof *callers);
    VECTOR(uint32_t) queue = {0};
    bool *is_queued = ARENA_ARRAY(scan->arena, bool, count);
    for (uint32_t id = 0; id < count; id++) {
        for (size_t i = 0; i < scan->callees[id].count; i++)
            vector_push(scan->arena, &callers[scan->callees[id].items[i]->callee->id],
                        ((Caller){id, scan->callees[id].items[i]}));
        vector_push(scan->arena, &queue, id);
        is_queued[id] = true;
    }
    while (queue.count > 0) {
        uint32_t callee = queue.items[--queue.count];
        is_queued[callee] = false;
        for (size_t i = 0; i < callers[callee].count; i++) {
            uint32_t caller = callers[callee].items[i].id;
            const Node *call = callers[callee].items[i].call;
            if (add_part(scan, scan->program->instances.items[caller], call, &scan->knowledge->part[caller]) &&
                !is_queued[caller]) {
                vector_push(scan->arena, &queue, caller);
                is_queued[caller] = true;
            }
        }
    }
}

// ---- who acts in each node, before anybody is told because of what comes later ----

static void act_node(Scan *scan, const Node *node);

static void act_list(Scan *scan, const NodeList *list, RoleSet *outer)
{
    const Knowledge *knowledge = scan->knowledge;
    for (size_t i = 0; i < list->count; i++) {
        act_node(scan, list->items[i]);
        roleset_add_all(outer, &knowledge->acting[list->items[i]->site]);
        if (!knowledge->completes[list->items[i]->site])
            break;
    }
}

static void act_node(Scan *scan, const Node *node)
{
    RoleSet *acting = &scan->knowledge->acting[node->site];
    *acting = roleset_new(scan->arena, scan->program->id_count);
    add_own_roles(acting, scan->instance, node);
    if (node->callee != NULL)
        add_part(scan, NULL, node, acting);
    for (size_t i = 0; i < node->branches.count; i++)
        act_list(scan, &node->branches.items[i].body, acting);
    const Node *outer_arm = scan->arm;
    scan->arm = node->kind == NODE_ARM ? node : scan->arm;
    act_list(scan, &node->body, acting);
    scan->arm = outer_arm;
    act_list(scan, &node->step, acting);
    if (node->has_rescue)
        act_list(scan, &node->rescue, acting);
    // All of them, so that every channel is empty at both ends of the block.
    for (RoleId role = 0; node->is_durable && role < scan->program->role_count; role++)
        roleset_add(acting, role);
    // Who has a result must not reach the end of the function without one.
    if (node->kind == NODE_LOOP && node->condition == NULL && !scan->knowledge->completes[node->site] &&
        scan->arm == NULL)
        add_results(acting, scan->instance);
    // Around an EACH, its member is one of the family.
    if (node->kind == NODE_EACH && roleset_has(acting, node->view)) {
        roleset_remove(acting, node->view);
        roleset_add(acting, node->family);
    }
    add_views(scan->program, node, acting);
}

// ---- the walk ----

// The next node that involves a role. PLACE_EXIT, or a site with a detail, or the end of a checkpoint with the way out.
typedef uint64_t Place;

#define PLACE_EXIT ((Place)0)

enum { WAY_NORMAL, WAY_RETURN, WAY_LOOP };

static Place place_node(const Node *node)
{
    return (Place)node->site << 1;
}

// The first entry into a `do` goes to its body, not to its condition.
static Place place_entry(const Node *node)
{
    bool is_do = node->kind == NODE_LOOP && node->loop == LOOP_DO && node->condition != NULL;
    return place_node(node) | (is_do ? 1 : 0);
}

// The way on which a jump leaves a checkpoint that it crosses. `continue` ends a round as reaching its end does.
static uint64_t jump_way(const Node *jump, const Node *checkpoint)
{
    if (jump->kind == NODE_RETURN)
        return WAY_RETURN;
    bool ends_round =
        checkpoint->is_round && jump->kind == NODE_CONTINUE && jump->loop_node->body.items[0] == checkpoint;
    if (ends_round)
        return WAY_NORMAL;
    return WAY_LOOP + ((uint64_t)jump->loop_node->site << 1 | (jump->kind == NODE_CONTINUE ? 1 : 0));
}

// Those who leave a checkpoint on different ways must know it, even where they do the same afterwards.
static Place place_leave(const Node *checkpoint, uint64_t way)
{
    return (Place)checkpoint->site << 34 | way << 1 | 1;
}

// An enclosing statement.
typedef struct Level Level;
struct Level {
    Level *outer;
    const Node *node;
    const Place *after; // LOOP: where `break` leads
    const Place *again; // LOOP: where `continue` leads
};

typedef struct {
    Arena *arena;
    const Program *program;
    const Instance *instance;
    const Knowledge *knowledge;
    size_t count; // of roles that have a part in the instance
    RoleId *roles;
    uint32_t *index; // by role: in `roles`
    Place *next;     // by index: at the point where the walk is
    VECTOR(Place *) spare;
    Level *level;
    bool changed;
} Walk;

static void walk_list(Walk *walk, const NodeList *list);

static Place *places_copy(Walk *walk, const Place *places)
{
    Place *copy =
        walk->spare.count > 0 ? walk->spare.items[--walk->spare.count] : ARENA_ARRAY(walk->arena, Place, walk->count);
    memcpy(copy, places, walk->count * sizeof *copy);
    return copy;
}

static void places_drop(Walk *walk, Place *places)
{
    vector_push(walk->arena, &walk->spare, places);
}

static void places_load(Walk *walk, const Place *places)
{
    memcpy(walk->next, places, walk->count * sizeof *places);
}

static void places_set(Walk *walk, const RoleSet *roles, Place place)
{
    for (ROLESET_EACH(role, roles))
        walk->next[walk->index[role]] = place;
}

static void level_push(Walk *walk, Level *level, const Node *node)
{
    *level = (Level){.outer = walk->level, .node = node};
    walk->level = level;
}

static RoleSet *walk_acting(const Walk *walk, const Node *node)
{
    return &walk->knowledge->acting[node->site];
}

// Involves, in the statement of the current level and those around it, whoever goes on differently from two places.
// Who is involved in a statement is involved in those around it.
static void walk_compare(Walk *walk, const Place *one, const Place *other)
{
    for (size_t i = 0; i < walk->count; i++) {
        if (one[i] == other[i])
            continue;
        RoleId role = walk->roles[i];
        for (Level *level = walk->level; level != NULL; level = level->outer) {
            if (level->node->kind == NODE_EACH && level->node->view == role)
                role = level->node->family;
            if (!roleset_add(walk_acting(walk, level->node), role))
                break;
            add_views(walk->program, level->node, walk_acting(walk, level->node));
            walk->changed = true;
        }
    }
}

static void walk_jump(Walk *walk, const Node *jump)
{
    const Level *target = walk->level;
    while (target != NULL && (jump->kind == NODE_RETURN || target->node != jump->loop_node))
        target = target->outer;
    if (jump->kind == NODE_RETURN)
        memset(walk->next, 0, walk->count * sizeof *walk->next);
    else
        places_load(walk, jump->kind == NODE_BREAK ? target->after : target->again);

    // The participants of an inner checkpoint are among those of an outer one: a role meets the innermost of its own.
    VECTOR(const Node *) crossed = {0};
    for (const Level *level = walk->level; level != target; level = level->outer)
        if (level->node->kind == NODE_CHECKPOINT)
            vector_push(walk->arena, &crossed, level->node);
    for (size_t i = crossed.count; i-- > 0;)
        places_set(walk, walk_acting(walk, crossed.items[i]),
                   place_leave(crossed.items[i], jump_way(jump, crossed.items[i])));
    places_set(walk, walk_acting(walk, jump), place_node(jump));
}

static void walk_choice(Walk *walk, const Node *node)
{
    Place *after = places_copy(walk, walk->next);
    Place *first = NULL;
    for (size_t i = 0; i < node->branches.count; i++) {
        places_load(walk, after);
        walk_list(walk, &node->branches.items[i].body);
        if (first == NULL)
            first = places_copy(walk, walk->next);
        else
            walk_compare(walk, first, walk->next);
    }
    if (first != NULL) {
        places_load(walk, first);
        places_drop(walk, first);
    }
    places_drop(walk, after);
}

static void walk_loop(Walk *walk, const Node *node)
{
    Place *after = places_copy(walk, walk->next);
    places_set(walk, walk_acting(walk, node), place_node(node));
    walk_list(walk, &node->step);
    Place *again = places_copy(walk, walk->next);
    walk->level->after = after;
    walk->level->again = again;
    walk_list(walk, &node->body);
    walk_compare(walk, walk->next, after);
    places_load(walk, after);
    places_drop(walk, again);
    places_drop(walk, after);
}

static void walk_each(Walk *walk, const Node *node)
{
    if (node->index != NULL) {
        // Around it, there is no such view.
        Place *view = roleset_has(&walk->knowledge->part[walk->instance->id], node->view)
                          ? &walk->next[walk->index[node->view]]
                          : NULL;
        Place outside = view != NULL ? *view : PLACE_EXIT;
        walk_list(walk, &node->body);
        if (view != NULL)
            *view = outside;
        return;
    }
    Place *after = places_copy(walk, walk->next);
    places_set(walk, walk_acting(walk, node), place_node(node));
    Place *again = places_copy(walk, walk->next);
    walk->level->after = after;
    walk->level->again = again;
    walk_list(walk, &node->body);
    // Whether there is another member, everybody knows.
    places_load(walk, after);
    places_drop(walk, again);
    places_drop(walk, after);
}

static void walk_checkpoint(Walk *walk, const Node *node)
{
    places_set(walk, walk_acting(walk, node), place_leave(node, WAY_NORMAL));
    Place *after = places_copy(walk, walk->next);
    walk_list(walk, &node->body);
    Place *body = places_copy(walk, walk->next);
    if (node->has_rescue) {
        places_load(walk, after);
        walk_list(walk, &node->rescue);
        walk_compare(walk, body, walk->next);
    }
    places_load(walk, body);
    places_drop(walk, body);
    places_drop(walk, after);
}

// Its end is no place where roles meet, but none of them goes on there with what follows.
static void walk_arm(Walk *walk, const Node *node)
{
    Place *after = places_copy(walk, walk->next);
    places_set(walk, walk_acting(walk, node), place_leave(node, WAY_NORMAL));
    walk_list(walk, &node->body);
    places_load(walk, after);
    places_drop(walk, after);
}

static void walk_node(Walk *walk, const Node *node)
{
    Level level;
    switch (node->kind) {
    case NODE_STEP:
    case NODE_AGREE:
    case NODE_DELIVERY:
    case NODE_CALL:
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_RETURN:
        walk_jump(walk, node);
        return;
    case NODE_BLOCK:
    case NODE_PAR:
        level_push(walk, &level, node);
        walk_list(walk, &node->body);
        walk->level = level.outer;
        return;
    case NODE_ARM:
        level_push(walk, &level, node);
        walk_arm(walk, node);
        walk->level = level.outer;
        break;
    case NODE_CHOICE:
    case NODE_LOOP:
    case NODE_EACH:
    case NODE_CHECKPOINT:
        level_push(walk, &level, node);
        if (node->kind == NODE_CHOICE)
            walk_choice(walk, node);
        else if (node->kind == NODE_EACH)
            walk_each(walk, node);
        else if (node->kind == NODE_LOOP)
            walk_loop(walk, node);
        else
            walk_checkpoint(walk, node);
        walk->level = level.outer;
        break;
    }
    places_set(walk, walk_acting(walk, node), place_entry(node));
}

static size_t live_count(const Knowledge *knowledge, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!knowledge->completes[list->items[i]->site])
            return i + 1;
    return list->count;
}

static void walk_list(Walk *walk, const NodeList *list)
{
    for (size_t i = live_count(walk->knowledge, list); i-- > 0;)
        walk_node(walk, list->items[i]);
}

static void walk_instance(Arena *arena, const Program *program, const Knowledge *knowledge, const Instance *instance)
{
    const RoleSet *part = &knowledge->part[instance->id];
    Walk walk = {.arena = arena, .program = program, .instance = instance, .knowledge = knowledge};
    walk.count = roleset_count(part);
    walk.roles = ARENA_ARRAY(arena, RoleId, walk.count);
    walk.index = ARENA_ARRAY(arena, uint32_t, program->id_count);
    walk.next = ARENA_ARRAY(arena, Place, walk.count);
    uint32_t count = 0;
    for (ROLESET_EACH(role, part)) {
        walk.index[role] = count;
        walk.roles[count++] = role;
    }
    do {
        walk.changed = false;
        memset(walk.next, 0, walk.count * sizeof *walk.next);
        walk_list(&walk, &instance->body);
    } while (walk.changed);
}

// ---- participants, and `notify` ----

typedef struct {
    Arena *arena;
    Diags *diags;
    const Program *program;
    Knowledge *knowledge;
    const Instance *instance;
    const Node *round;   // the innermost checkpoint around that is a round of a loop
    NodeList after_loop; // what stands behind the innermost loop
} Tell;

static const char *tell_name(const Tell *tell, RoleId role)
{
    return instance_role_name(tell->program, tell->instance, role);
}

// The first thing that the role does in the list; NULL: nothing. For a choice that it is told, what it does in it.
static const Node *first_action(const Knowledge *knowledge, const NodeList *list, RoleId role)
{
    size_t count = live_count(knowledge, list);
    for (size_t i = 0; i < count; i++) {
        const Node *node = list->items[i];
        if (!roleset_has(&knowledge->acting[node->site], role))
            continue;
        const Node *inner = NULL;
        if (!roleset_has(&node->deciders, role)) {
            for (size_t j = 0; j < node->branches.count && inner == NULL; j++)
                inner = first_action(knowledge, &node->branches.items[j].body, role);
            if (inner == NULL)
                inner = first_action(knowledge, &node->body, role);
            if (inner == NULL)
                inner = first_action(knowledge, &node->rescue, role);
        }
        return inner != NULL ? inner : node;
    }
    return NULL;
}

static Span action_span(const Node *node)
{
    return node->kind == NODE_CHOICE || node->kind == NODE_LOOP || node->kind == NODE_EACH ||
                   node->kind == NODE_CHECKPOINT
               ? node->head
               : node->span;
}

// `where`: "in this branch". `nowhere` is what to point to if the role does nothing there.
static void note_way(Tell *tell, const NodeList *list, RoleId role, const char *where, Span nowhere)
{
    const char *name = tell_name(tell, role);
    const Node *action = first_action(tell->knowledge, list, role);
    size_t count = live_count(tell->knowledge, list);
    const Node *last = count > 0 ? list->items[count - 1] : NULL;
    if (action != NULL)
        diag_note(tell->diags, action_span(action), "%s %s first does this", where, name);
    else if (last != NULL && last->kind == NODE_RETURN)
        diag_note(tell->diags, last->span, "%s %s returns here", where, name);
    else if (last != NULL && last->kind == NODE_BREAK)
        diag_note(tell->diags, last->span, "%s %s leaves the loop here", where, name);
    else if (last != NULL && last->kind == NODE_CONTINUE)
        diag_note(tell->diags, last->span, "%s %s goes to the next round of the loop here", where, name);
    else
        diag_note(tell->diags, nowhere, "%s %s does nothing", where, name);
}

// The same for a role whose part begins alike in both branches: `node` is where it differs.
static void note_later(Tell *tell, const Node *node, RoleId role, const char *where, Span nowhere)
{
    const char *name = tell_name(tell, role);
    if (node == NULL)
        diag_note(tell->diags, nowhere, "%s %s does nothing more", where, name);
    else if (node->kind == NODE_RETURN)
        diag_note(tell->diags, node->span, "%s %s returns here", where, name);
    else
        diag_note(tell->diags, action_span(node), "%s %s goes on with this", where, name);
}

// Of many branches shows the first, and one that differs from it for the role.
static void note_branches(Tell *tell, const Node *node, RoleId role)
{
    const Branch *first = &node->branches.items[0];
    const Branch *other = &node->branches.items[node->branches.count - 1];
    Difference difference = {0};
    Parts parts;
    parts_init(&parts, tell->arena, tell->program, tell->knowledge);
    parts.instance = tell->instance;
    parts.is_cautious = true;
    for (size_t i = 1; i < node->branches.count && difference.one == NULL && difference.other == NULL; i++) {
        difference =
            parts_difference(&parts, &first->body, &node->branches.items[i].body, tell->program->role_of[role]);
        if (difference.one != NULL || difference.other != NULL)
            other = &node->branches.items[i];
    }
    const char *elsewhere = node->branches.count > 2 ? "in another branch" : "in the other branch";
    if (difference.index > 0) {
        note_later(tell, difference.one, role, "in this branch", first->span);
        note_later(tell, difference.other, role, other->is_implied ? "otherwise" : elsewhere,
                   other->is_implied ? node->head : other->span);
        return;
    }
    note_way(tell, &first->body, role, "in this branch", first->span);
    if (other->is_implied)
        diag_note(tell->diags, node->head, "otherwise %s does nothing here", tell_name(tell, role));
    else
        note_way(tell, &other->body, role, elsewhere, other->span);
}

// What stands in the list behind this place.
static NodeList list_after(const NodeList *list, size_t index)
{
    return (NodeList){list->items + index + 1, list->count - index - 1, 0};
}

// The node is a loop, or the condition of a checkpointed one. `after` is what stands behind it.
static void note_loop(Tell *tell, const Node *node, const NodeList *after, RoleId role)
{
    const Knowledge *knowledge = tell->knowledge;
    const NodeList *round = node->is_round_condition ? &node->branches.items[0].body : &node->body;
    const Node *rescue = NULL;
    if (node->is_round_condition && first_action(knowledge, round, role) == NULL)
        rescue = first_action(knowledge, &tell->round->rescue, role);
    if (rescue != NULL)
        diag_note(tell->diags, action_span(rescue),
                  "in the loop's rescue %s first does this, so that %s takes part in each round", tell_name(tell, role),
                  tell_name(tell, role));
    else
        note_way(tell, round, role, "in the loop's body", node->head);
    if (first_action(knowledge, after, role) != NULL)
        note_way(tell, after, role, "after the loop", node->head);
}

static void fix_notify(Tell *tell, const Node *node, const char *name)
{
    const char *comma = roleset_empty(&node->notify) ? "" : ", ";
    diag_fix(tell->diags, node->notify_end, arena_printf(tell->program->arena, "%s%s", comma, name),
             "add '%s' to 'notify'", name);
}

// `rest` is the list that the node stands in, and `index` its place there.
static void check_notify(Tell *tell, const Node *node, const NodeList *rest, size_t index)
{
    const RoleSet *told = &tell->knowledge->told[node->site];
    Span span =
        node->span.file == node->head.file ? (Span){node->span.file, node->span.start, node->head.end} : node->head;
    for (ROLESET_EACH(role, told)) {
        bool is_same = roleset_has(&tell->knowledge->same[node->site], role);
        bool is_sent = merge_find(&tell->knowledge->merges[node->site], role) == NULL;
        if (roleset_has(&node->notify, role) || (is_same && !is_sent))
            continue;
        const char *name = tell_name(tell, role);
        if (is_same) {
            diag_error(tell->diags, span, "%s is told the outcome, but 'notify' leaves %s out", name, name);
            fix_notify(tell, node, name);
            diag_note(tell->diags, span, "%s does the same in all branches, but others find out by what %s sends them",
                      name, name);
            continue;
        }
        if (node->kind == NODE_CHOICE && !node->is_round_condition) {
            diag_error(tell->diags, span, "%s's part differs between the branches, but 'notify' leaves %s out", name,
                       name);
            fix_notify(tell, node, name);
            note_branches(tell, node, role);
            continue;
        }
        diag_error(tell->diags, span,
                   "%s's part differs between the loop's body and what follows the loop, but 'notify' leaves %s out",
                   name, name);
        fix_notify(tell, node, name);
        NodeList after = node->is_round_condition ? tell->after_loop : list_after(rest, index);
        note_loop(tell, node, &after, role);
    }
}

// The first of those who decide tells the others. A family may have no members: it can't be alone in that.
static void check_teller(Tell *tell, const Node *node)
{
    RoleId teller = teller_of(tell->program, &node->deciders);
    const RoleSet *told = &tell->knowledge->told[node->site];
    if (!tell->program->is_family[teller] || roleset_empty(told))
        return;
    const char *name = tell_name(tell, teller), *other = tell_name(tell, roleset_next(told, 0));
    diag_error(tell->diags, node->head, "%s must be told the outcome, but nobody decides if '%s' has no members", other,
               name);
    diag_note(tell->diags, SPAN_NONE, "let a role decide together with them: '{%s, %s[*]}.(...)'", other, name);
}

static void tell_list(Tell *tell, const NodeList *list)
{
    Knowledge *knowledge = tell->knowledge;
    size_t count = live_count(knowledge, list);
    for (size_t i = 0; i < count; i++) {
        const Node *node = list->items[i];
        if (node->has_notify)
            check_notify(tell, node, list, i);
        if (node->condition != NULL)
            check_teller(tell, node);
        if (node->kind == NODE_CHECKPOINT || node->kind == NODE_ARM)
            knowledge->participants[node->site] = roleset_copy(tell->arena, &knowledge->acting[node->site]);
        const Tell outer = *tell;
        if (node->kind == NODE_CHECKPOINT && node->is_round)
            tell->round = node;
        if (node->kind == NODE_LOOP || node->kind == NODE_EACH)
            tell->after_loop = list_after(list, i);
        for (size_t j = 0; j < node->branches.count; j++)
            tell_list(tell, &node->branches.items[j].body);
        tell_list(tell, &node->body);
        tell_list(tell, &node->step);
        if (node->has_rescue)
            tell_list(tell, &node->rescue);
        *tell = outer;
    }
}

Knowledge *knowledge_new(Arena *arena, Diags *diags, const Program *program)
{
    size_t instance_count = program->instances.count;
    Knowledge *knowledge = ARENA_NEW(arena, Knowledge);
    knowledge->told = ARENA_ARRAY(arena, RoleSet, program->site_count);
    knowledge->unaware = ARENA_ARRAY(arena, RoleSet, program->site_count);
    knowledge->same = ARENA_ARRAY(arena, RoleSet, program->site_count);
    knowledge->merges = ARENA_ARRAY(arena, MergeList, program->site_count);
    knowledge->participants = ARENA_ARRAY(arena, RoleSet, program->site_count);
    knowledge->acting = ARENA_ARRAY(arena, RoleSet, program->site_count);
    knowledge->completes = ARENA_ARRAY(arena, bool, program->site_count);
    knowledge->part = ARENA_ARRAY(arena, RoleSet, instance_count);

    Scan scan = {.arena = arena, .program = program, .knowledge = knowledge};
    scan.callees = arena_alloc(arena, instance_count * sizeof *scan.callees);
    scan.has_break = ARENA_ARRAY(arena, bool, program->site_count);
    scan.has_continue = ARENA_ARRAY(arena, bool, program->site_count);
    scan.jumps_inside = ARENA_ARRAY(arena, bool, instance_count);
    for (size_t i = 0; i < instance_count; i++) {
        scan.instance = program->instances.items[i];
        CHECK(scan.instance->id == i);
        knowledge->part[i] = roleset_new(arena, program->id_count);
        add_results(&knowledge->part[i], scan.instance);
        scan_list(&scan, &scan.instance->body);
    }
    close_parts(&scan);
    durable_check(diags, program, knowledge->part);

    Tell tell = {.arena = arena, .diags = diags, .program = program, .knowledge = knowledge};
    RoleSet ignored = roleset_new(arena, program->id_count);
    for (size_t i = 0; i < instance_count; i++) {
        scan.instance = program->instances.items[i];
        act_list(&scan, &scan.instance->body, &ignored);
        // Without a jump every way out of a statement leads behind it: there is nothing to find.
        if (scan.jumps_inside[i])
            walk_instance(arena, program, knowledge, scan.instance);
    }
    same_find(arena, program, knowledge);
    for (size_t i = 0; i < instance_count; i++) {
        tell.instance = program->instances.items[i];
        tell_list(&tell, &tell.instance->body);
    }
    return knowledge;
}
