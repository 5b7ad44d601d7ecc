// Questions about a checked program: which variable of a role is meant, and what an instance gives a role. And --dump=types.

#include "compiler/check/check.h"

#include "base/check.h"
#include "compiler/check/typing.h"

#include <string.h>

static size_t position_in(const RoleSet *set, RoleId role)
{
    size_t position = 0;
    for (ROLESET_EACH(member, set)) {
        if (member == role)
            return position;
        position++;
    }
    CHECK(!"the role is in the set");
    return 0;
}

Variable *piece_variable(const Expr *expr, const Piece *piece, RoleId role)
{
    return piece->variables.items[position_in(&expr->at, role)];
}

Variable *pattern_variable(const RoleSet *at, const Pattern *bind, RoleId role)
{
    return bind->variables.items[position_in(at, role)];
}

const char *instance_role_name(const Program *program, const Instance *instance, RoleId role)
{
    for (size_t i = 0; i < instance->def->role_params.count; i++)
        if (instance->role_args[i] == role)
            return instance->def->role_params.items[i].text;
    return program->role_names[role];
}

const Result *instance_result(const Instance *instance, RoleId role)
{
    for (size_t i = 0; i < instance->results.count; i++)
        if (roleset_has(&instance->results.items[i].at, role))
            return &instance->results.items[i];
    return NULL;
}

Program *check_tree(Arena *arena, const Sources *sources, Diags *diags, const Source *source, const Tree *tree,
                    const CFlags *flags)
{
    Resolved *resolved = resolve_tree(arena, sources, diags, tree);
    if (!type_program(resolved, source, flags))
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
