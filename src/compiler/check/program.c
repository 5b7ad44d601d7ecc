// Questions about a checked program: which variable of a role is meant, and what an instance gives a role. And --dump=types.

#include "compiler/check/check.h"

#include "base/check.h"
#include "compiler/check/typing.h"

#include <string.h>

Variable *variable_of_role(const VariableList *list, RoleId role)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->role == role)
            return list->items[i];
    return NULL;
}

// All members of a family that are in a set have the same variable.
Variable *piece_variable(const Expr *expr, const Piece *piece, RoleId role)
{
    (void)expr;
    Variable *variable = variable_of_role(&piece->variables, role);
    CHECK(variable != NULL);
    return variable;
}

Variable *pattern_variable(const RoleSet *at, const Pattern *bind, RoleId role)
{
    (void)at;
    Variable *variable = variable_of_role(&bind->variables, role);
    CHECK(variable != NULL);
    return variable;
}

const RoleList *list_of(const Program *program, RoleId id)
{
    bool is_list = id >= program->list_first && id - program->list_first < program->lists.count;
    return is_list ? program->lists.items[id - program->list_first] : NULL;
}

bool program_has_families(const Program *program)
{
    for (RoleId role = 0; role < program->role_count; role++)
        if (program->is_family[role])
            return true;
    return false;
}

RoleSet without_views(Arena *arena, const Program *program, const RoleSet *set)
{
    RoleSet plain = roleset_copy(arena, set);
    for (ROLESET_EACH(id, set))
        if (program->role_of[id] != id && roleset_has(set, program->role_of[id]))
            roleset_remove(&plain, id);
    return plain;
}

bool set_has_role(const Program *program, const RoleSet *set, RoleId role)
{
    bool has = roleset_has(set, role);
    if (has || !program->is_family[role])
        return has;
    for (ROLESET_EACH(id, set))
        if (program->role_of[id] == role)
            return true;
    return false;
}

RoleId only_family(const Program *program, const RoleSet *set)
{
    RoleId first = roleset_next(set, 0);
    return first != ROLE_NONE && program->is_family[first] && party_count(program, set) == 1 ? first : ROLE_NONE;
}

size_t party_count(const Program *program, const RoleSet *set)
{
    size_t count = 0;
    for (ROLESET_EACH(role, set))
        count += program->role_of[role] == role || !roleset_has(set, program->role_of[role]);
    return count;
}

RoleId teller_of(const Program *program, const RoleSet *deciders)
{
    for (ROLESET_EACH(role, deciders))
        if (program->role_of[role] == role && !program->is_family[role])
            return role;
    for (ROLESET_EACH(role, deciders))
        if (program->role_of[role] != role && !roleset_has(deciders, program->role_of[role]))
            return role;
    return roleset_next(deciders, 0);
}

RoleId given_role(const Node *call, RoleId role)
{
    for (size_t i = 0; call->given != NULL && i < call->callee->def->role_params.count; i++)
        if (call->callee->role_args[i] == role)
            return call->given[i];
    return role;
}

Variable *view_index(const Node *node, RoleId view, RoleId role)
{
    while (node != NULL && (node->kind != NODE_EACH || node->view != view))
        node = node->around;
    return node != NULL ? variable_of_role(&node->positions, role) : NULL;
}

// Is it known at the node which member the view is? Of a role it always is.
static bool is_known_at(const Program *program, const Node *node, RoleId id)
{
    if (program->role_of[id] == id)
        return true;
    for (const Node *each = node->around; each != NULL; each = each->around)
        if (each->view == id)
            return true;
    return false;
}

RoleId member_in_charge(const Program *program, const Node *node)
{
    const Node *inner = node->body.count > 0 ? node->body.items[0] : NULL;
    while (inner != NULL && inner->kind == NODE_EACH && inner->index != NULL)
        inner = inner->body.count > 0 ? inner->body.items[0] : NULL;
    if (inner != NULL && inner->kind == NODE_DELIVERY && inner->from != node->view)
        return is_known_at(program, node, inner->from) ? inner->from : node->family;
    if (inner != NULL && inner->kind == NODE_DELIVERY)
        for (ROLESET_EACH(id, &inner->to.at))
            if (id != node->view && is_known_at(program, node, id))
                return id;
    for (ROLESET_EACH(id, &node->index->at))
        if (inner != NULL && inner->kind == NODE_STEP && roleset_has(&inner->at, id) && program->role_of[id] == id &&
            !program->is_family[id])
            return id;
    return node->family;
}

void add_views(const Program *program, const Node *node, RoleSet *set)
{
    for (const Node *each = node->around; each != NULL; each = each->around)
        if (roleset_has(set, each->family))
            roleset_add(set, each->view);
    (void)program;
}

const char *instance_role_name(const Program *program, const Instance *instance, RoleId role)
{
    for (size_t i = 0; i < instance->def->role_params.count; i++)
        if (instance->role_args[i] == role)
            return instance->def->role_params.items[i].text;
    return program->role_names[role];
}

const char *role_in_code(const Program *program, const Instance *instance, RoleId role)
{
    const char *name = instance_role_name(program, instance, role);
    return program->is_family[role] ? arena_printf(program->arena, "%s[*]", name) : name;
}

const char *set_in_code(const Program *program, const Instance *instance, const RoleSet *set)
{
    const char *text = "";
    RoleSet parties = without_views(program->arena, program, set);
    for (ROLESET_EACH(role, &parties))
        text = arena_printf(program->arena, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                            role_in_code(program, instance, role));
    return text;
}

const Result *instance_result(const Instance *instance, RoleId role)
{
    for (size_t i = 0; i < instance->results.count; i++)
        if (roleset_has(&instance->results.items[i].at, role))
            return &instance->results.items[i];
    // A role parameter that is a member of the family.
    for (size_t k = 0; k < instance->members.count; k++)
        for (size_t i = 0; instance->members.items[k]->family == role && i < instance->results.count; i++)
            if (roleset_has(&instance->results.items[i].at, instance->members.items[k]->view))
                return &instance->results.items[i];
    return NULL;
}

const Result *returned_result(const Node *call, const RoleSet *at)
{
    for (size_t i = 0; i < call->callee->results.count; i++)
        for (ROLESET_EACH(role, &call->callee->results.items[i].at))
            if (roleset_has(at, given_role(call, role)))
                return &call->callee->results.items[i];
    return NULL;
}

const Result *call_result(const Node *call, size_t index)
{
    return returned_result(call, &call->results.items[index].at);
}

Program *check_tree(Arena *arena, const Sources *sources, Diags *diags, const Source *source, const Tree *tree,
                    const CFlags *flags)
{
    Resolved *resolved = resolve_tree(arena, sources, diags, tree);
    if (resolved->has_two_types || !type_program(resolved, source, flags))
        return NULL;
    return diags_errors(diags) == 0 ? resolved->program : NULL;
}

// ---- --dump=types ----

static void dump_instance(const Program *program, const Instance *instance, FILE *out)
{
    fprintf(out, "function %s\n", instance->name);
    for (size_t i = 0; i < instance->variables.count; i++) {
        const Variable *variable = instance->variables.items[i];
        const CType *type = variable->is_fault ? NULL : variable->type;
        fprintf(out, "  %s %s.%s: %s\n", variable->is_param ? "parameter" : "variable",
                program->role_names[variable->role], variable->c_name, type != NULL ? type->spelling : "chx_fault");
    }
    for (size_t i = 0; i < instance->results.count; i++)
        for (size_t k = 0; k < instance->results.items[i].types.count; k++)
            for (ROLESET_EACH(role, &instance->results.items[i].at))
                fprintf(out, "  result %s: %s\n", program->role_names[role],
                        instance->results.items[i].types.items[k]->spelling);
}

void dump_types(const Program *program, FILE *out)
{
    fprintf(out, "choreography %s\n", program->name);
    for (size_t i = 0; i < program->functions.count; i++) {
        const RoleFunction *function = program->functions.items[i];
        const char *name = arena_printf(program->arena, "%s.%s", program->role_names[function->role], function->name);
        fprintf(out, "%s provides %s%s\n", program->role_names[function->role],
                prototype_text(program->arena, function->type, name), function->proto == NULL ? " (inferred)" : "");
    }
    for (size_t i = 0; i < program->instances.count; i++)
        dump_instance(program, program->instances.items[i], out);
}
