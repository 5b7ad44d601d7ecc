// durable.c: see durable.h.

#include "compiler/check/durable.h"

#include "compiler/check/typing.h"

#include <string.h>

// ---- which functions have durable blocks ----

static void mark_node(void *context, Node *node)
{
    Instance *instance = context;
    instance->has_durable |= node->is_durable || (node->callee != NULL && node->callee->has_durable);
}

void durable_mark(Program *program)
{
    // Functions may call each other in a circle.
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < program->instances.count; i++) {
            Instance *instance = program->instances.items[i];
            bool before = instance->has_durable;
            each_node(&instance->body, mark_node, instance);
            has_changed |= instance->has_durable != before;
        }
    }
}

// ---- where they can't be ----

typedef struct {
    Diags *diags;
    const Program *program;
    const Instance *instance;
    const RoleSet *part;
    const Node *around; // a checkpoint that is not durable; NULL: none is around
} DurableCheck;

// One role is enough to say what is wrong.
static void check_roles(const DurableCheck *check, const Node *node)
{
    for (RoleId role = 0; role < check->program->role_count; role++) {
        if (roleset_has(&check->part[check->instance->id], role))
            continue;
        diag_error(check->diags, node->head, "%s does not take part in '%s', but all roles enter a durable block",
                   check->program->role_names[role], check->instance->def->name.text);
        diag_note(
            check->diags, check->instance->def->name.span,
            "a session goes on from what all its roles held at the same moment: let %s do something in '%s', or put "
            "the block where all take part",
            check->program->role_names[role], check->instance->def->name.text);
        return;
    }
}

static void check_list(DurableCheck *check, const NodeList *list);

static void check_around(const DurableCheck *check, const Node *node)
{
    if (check->around == NULL)
        return;
    if (node->callee == NULL)
        diag_error(check->diags, node->head, "a durable block can't be inside of a checkpoint that is not durable");
    else
        diag_error(check->diags, node->span,
                   "'%s' has a durable block in it, and is called inside of a checkpoint that is not durable",
                   node->callee->def->name.text);
    diag_note(check->diags, check->around->head,
              "what this one goes back to is lost with the program: make it durable, too, or take the other one out");
}

static void check_one(DurableCheck *check, const Node *node)
{
    if (node->is_durable)
        check_roles(check, node);
    if (node->is_durable || (node->callee != NULL && node->callee->has_durable))
        check_around(check, node);
    const Node *around = check->around;
    if (node->kind == NODE_CHECKPOINT && !node->is_durable)
        check->around = node;
    for (size_t i = 0; i < node->branches.count; i++)
        check_list(check, &node->branches.items[i].body);
    check_list(check, &node->body);
    check_list(check, &node->step);
    check_list(check, &node->rescue);
    check->around = around;
}

static void check_list(DurableCheck *check, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++)
        check_one(check, list->items[i]);
}

// NAME_DEF_open is made for these.
static void check_names(Diags *diags, const Program *program, const Instance *instance)
{
    const char *name = arena_printf(program->arena, "%s_open", instance->name);
    for (size_t i = 0; i < program->instances.count; i++)
        if (program->instances.items[i]->is_entry && strcmp(program->instances.items[i]->name, name) == 0)
            diag_error(diags, program->instances.items[i]->def->name.span,
                       "'%s' and '%s' collide in C: both make '%s_%s'", name, instance->name, program->name, name);
    for (size_t i = 0; i < program->role_count; i++)
        if (strcmp(program->role_names[i], name) == 0)
            diag_error(diags, instance->def->name.span, "'%s' and '%s' collide in C: both make '%s_%s'", name,
                       instance->name, program->name, name);
}

void durable_check(Diags *diags, const Program *program, const RoleSet *part)
{
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        DurableCheck check = {diags, program, instance, part, NULL};
        if (!instance->has_durable)
            continue;
        check_list(&check, &instance->body);
        if (instance->is_entry)
            check_names(diags, program, instance);
    }
}

// ---- what lies between them ----

typedef struct {
    Arena *arena;
    Diags *diags;
    bool *seen; // by instance
} GapSearch;

static void gaps_list(GapSearch *search, const NodeList *list);

static bool exprs_call(const ExprList *exprs)
{
    for (size_t i = 0; i < exprs->count; i++)
        if (exprs->items[i]->has_call)
            return true;
    return false;
}

static bool values_call(const Value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (exprs_call(&values[i].exprs))
            return true;
    return false;
}

// Only what calls functions can be noticed outside of the session.
static bool node_calls(const Node *node)
{
    return (node->value != NULL && node->value->has_call) || exprs_call(&node->sent.exprs) ||
           (node->condition != NULL && node->condition->has_call) || values_call(node->args.items, node->args.count) ||
           values_call(node->values.items, node->values.count);
}

static void gaps_instance(GapSearch *search, const Instance *instance)
{
    if (search->seen[instance->id])
        return;
    search->seen[instance->id] = true;
    gaps_list(search, &instance->body);
}

static void gaps_node(GapSearch *search, const Node *node)
{
    if (node->is_durable)
        return;
    if (node_calls(node))
        diag_warning(search->diags, node->condition != NULL ? node->head : node->span,
                     "this is in no durable block: it may be done again after a loss [-Wdurable-gap]");
    if (node->callee != NULL)
        gaps_instance(search, node->callee);
    for (size_t i = 0; i < node->branches.count; i++)
        gaps_list(search, &node->branches.items[i].body);
    gaps_list(search, &node->body);
    gaps_list(search, &node->step);
    gaps_list(search, &node->rescue);
}

static void gaps_list(GapSearch *search, const NodeList *list)
{
    for (size_t i = 0; i < list->count; i++)
        gaps_node(search, list->items[i]);
}

void durable_warn_gaps(Arena *arena, Diags *diags, const Program *program)
{
    GapSearch search = {arena, diags, ARENA_ARRAY(arena, bool, program->instances.count + 1)};
    for (size_t i = 0; i < program->instances.count; i++)
        if (program->instances.items[i]->is_entry && program->instances.items[i]->has_durable)
            gaps_instance(&search, program->instances.items[i]);
}
