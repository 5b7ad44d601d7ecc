// Pointers that are live over a checkpoint: their own bytes are restored, what they point to is not. And values that are live over a durable
// block and have no form that another program could read: unions, for example.

#include "compiler/check/typing.h"

#include <string.h>

typedef struct {
    Typing *typing;
    const Instance *instance;
    VariableList pointers; // and what else the store could not keep; not yet warned about
} PointerCheck;

static bool acts_in(const NodeList *nodes, RoleId role);

static bool acts(const Node *node, RoleId role)
{
    for (size_t i = 0; i < node->branches.count; i++)
        if (acts_in(&node->branches.items[i].body, role))
            return true;
    return ((node->kind == NODE_STEP || node->kind == NODE_AGREE) && roleset_has(&node->at, role)) ||
           (node->kind == NODE_DELIVERY && (node->from == role || roleset_has(&node->to.at, role))) ||
           ((node->kind == NODE_CHOICE || node->kind == NODE_LOOP) && roleset_has(&node->deciders, role)) ||
           node->callee != NULL || acts_in(&node->body, role) || acts_in(&node->step, role) ||
           acts_in(&node->rescue, role);
}

static bool acts_in(const NodeList *nodes, RoleId role)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (acts(nodes->items[i], role))
            return true;
    return false;
}

static bool is_used_after(const PointerCheck *check, const Variable *variable, uint32_t offset)
{
    for (size_t i = 0; i < check->typing->resolved->locals.count; i++) {
        const LocalC *local = check->typing->resolved->locals.items[i];
        if (local->instance != check->instance || local->expr.span.end < offset)
            continue;
        for (size_t k = 0; k < local->mentions.count; k++)
            for (size_t n = 0; n < local->mentions.items[k].variables.count; n++)
                if (local->mentions.items[k].variables.items[n] == variable)
                    return true;
    }
    return false;
}

static void report_unkept(PointerCheck *check, const Node *node, const Variable *variable)
{
    Diags *diags = check->typing->diags;
    const char *over = node->is_durable ? "a durable block" : "a call with a durable block in it";
    const char *owners = variable_owners(check->typing, variable);
    Span at = node->is_durable ? node->head : node->span;
    if (variable->type->holds_pointer) {
        diag_error(diags, variable->span,
                   node->is_durable ? "%s's '%s' is a pointer that is live over a durable block"
                                    : "%s's '%s' is a pointer that is live over a call with a durable block in it",
                   owners, variable->name);
        diag_note(diags, at,
                  "the store keeps values, not what pointers point to, which is lost with the program: keep the value "
                  "itself, give its type a CHX_CODEC, or get the pointer anew behind the block");
        return;
    }
    diag_error(diags, variable->span, "%s's '%s' is live over %s, and the store can't keep it: %s", owners,
               variable->name, over, variable->type->why_not);
    diag_note(diags, at, "give its type a CHX_CODEC, or make the value anew behind the block");
}

// Over a durable block, and over a call of a function that has one in it: the store has the pointer, and not what it points to.
static void check_durable(void *context, Node *node)
{
    PointerCheck *check = context;
    bool is_durable = node->is_durable || (node->callee != NULL && node->callee->has_durable);
    for (size_t i = 0; is_durable && i < check->pointers.count; i++) {
        Variable *variable = check->pointers.items[i];
        const Visibility *visible = &check->typing->resolved->visible.items[variable->id];
        if (visible->from > node->span.start || visible->to < node->span.end ||
            !is_used_after(check, variable, node->is_durable ? node->span.start : node->span.end))
            continue;
        report_unkept(check, node, variable);
        variable->is_fragile = true;
        check->pointers.items[i--] = check->pointers.items[--check->pointers.count];
    }
}

static void check_checkpoint(void *context, Node *node)
{
    PointerCheck *check = context;
    for (size_t i = 0; node->kind == NODE_CHECKPOINT && i < check->pointers.count; i++) {
        Variable *variable = check->pointers.items[i];
        const Visibility *visible = &check->typing->resolved->visible.items[variable->id];
        if (visible->from > node->span.start || visible->to < node->span.end ||
            (!acts_in(&node->body, variable->role) && !acts_in(&node->rescue, variable->role)) ||
            !is_used_after(check, variable, node->span.start))
            continue;
        diag_warning(check->typing->diags, variable->span, "%s's '%s' is a pointer that is live over a checkpoint",
                     variable_owners(check->typing, variable), variable->name);
        diag_note(check->typing->diags, node->head,
                  "a rescue here restores the pointer, not what it points to, and a new "
                  "process does not have that memory: keep the value itself, or get the pointer anew in the rescue");
        variable->is_fragile = true;
        check->pointers.items[i--] = check->pointers.items[--check->pointers.count];
    }
}

void typing_pointers(Typing *typing, const Instance *instance)
{
    PointerCheck check = {.typing = typing, .instance = instance};
    for (size_t i = 0; i < instance->variables.count; i++) {
        Variable *variable = instance->variables.items[i];
        if (variable->type != NULL && !variable->is_fault &&
            (variable->type->why_not != NULL || variable->type->holds_pointer))
            vector_push(typing->arena, &check.pointers, variable);
    }
    each_node(&instance->body, check_durable, &check);
    for (size_t i = 0; i < check.pointers.count;) {
        if (check.pointers.items[i]->type->holds_pointer)
            i++;
        else
            check.pointers.items[i] = check.pointers.items[--check.pointers.count];
    }
    each_node(&instance->body, check_checkpoint, &check);
}
