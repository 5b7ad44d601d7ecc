// use.c: definitions of other choreographies, `use ot;`.
//
// A definition that is taken over becomes one with role parameters: first the roles of its own choreography, in their order, then
// those that it has itself. Its body is the same tree. Inside of it, names of functions mean what they mean there: TreeDef.module.

#include "base/similar.h"
#include "compiler/check/body.h"

#include <string.h>

// Each use of a choreography by another one on the way counts: nobody has so many.
enum { MODULES_MAX = 1000 };

// ---- definitions ----

static void take_over(Resolver *resolver, const TreeModule *module, const TreeDef *def)
{
    Arena *arena = resolver->arena;
    TreeDef *copy = ARENA_NEW(arena, TreeDef);
    *copy = *def;
    copy->module = module;
    copy->name.text = arena_printf(arena, "%s.%s", module->path, def->name.text);
    copy->role_params = (NameList){0};
    copy->param_is_family.items = NULL;
    copy->param_is_family.count = copy->param_is_family.capacity = 0;
    for (size_t i = 0; i < module->tree->roles.count; i++) {
        vector_push(arena, &copy->role_params, module->tree->roles.items[i]);
        vector_push(arena, &copy->param_is_family, module->tree->is_family.items[i]);
    }
    for (size_t i = 0; i < def->role_params.count; i++) {
        vector_push(arena, &copy->role_params, def->role_params.items[i]);
        vector_push(arena, &copy->param_is_family, def->param_is_family.items[i]);
    }
    map_put(&resolver->def_by_name, copy->name.text, copy);
    vector_push(arena, &resolver->out->imported, copy);
}

static void refuse_hooks(Resolver *resolver, const Name *use, const Tree *tree)
{
    for (size_t i = 0; i < tree->protos.count; i++) {
        const TreeProto *proto = tree->protos.items[i];
        if (strcmp(proto->name.text, "init") != 0 && strcmp(proto->name.text, "fini") != 0)
            continue;
        diag_error(resolver->diags, use->span, "'%s' can't be used: its %s has the hook '%s'", use->text,
                   proto->role.text, proto->name.text);
        diag_note(resolver->diags, proto->span, "declare it for the roles of '%s' instead",
                  resolver->out->tree->name.text);
        return;
    }
}

static void add_modules(Resolver *resolver, const Tree *tree, const TreeModule *outer)
{
    Program *program = resolver->out->program;
    for (size_t i = 0; i < tree->uses.count; i++) {
        const TreeUse *use = &tree->uses.items[i];
        if (use->tree == NULL)
            continue;
        if (program->modules.count == MODULES_MAX) {
            diag_error(resolver->diags, resolver->out->tree->name.span,
                       "more than %d choreographies are used here, counting each way to them", MODULES_MAX);
            return;
        }
        if (outer == NULL)
            refuse_hooks(resolver, &use->name, use->tree);
        TreeModule *module = ARENA_NEW(resolver->arena, TreeModule);
        const char *path =
            outer == NULL ? use->name.text : arena_printf(resolver->arena, "%s.%s", outer->path, use->name.text);
        *module = (TreeModule){path, use->tree, outer};
        vector_push(resolver->arena, &program->modules, module);
        for (size_t k = 0; k < use->tree->defs.count; k++)
            take_over(resolver, module, use->tree->defs.items[k]);
        add_modules(resolver, use->tree, module);
    }
}

void add_uses(Resolver *resolver, const Tree *tree)
{
    add_modules(resolver, tree, NULL);
}

const TreeDef *find_def(const Resolver *resolver, const TreeDef *from, const char *name)
{
    if (from->module != NULL)
        name = arena_printf(resolver->arena, "%s.%s", from->module->path, name);
    return map_get(&resolver->def_by_name, name);
}

size_t module_roles(const TreeDef *def)
{
    return def->module != NULL ? def->module->tree->roles.count : 0;
}

void explain_no_used(const Resolver *resolver, const Name *name)
{
    const char *dot = strchr(name->text, '.'), *function = dot + 1;
    const char *other = arena_copy(resolver->arena, name->text, (size_t)(dot - name->text));
    const TreeModule *module = NULL;
    for (size_t i = 0; i < resolver->out->program->modules.count; i++)
        if (strcmp(resolver->out->program->modules.items[i]->path, other) == 0)
            module = resolver->out->program->modules.items[i];
    if (module == NULL)
        return; // there is no such choreography, which is reported
    diag_error(resolver->diags, name->span, "'%s' has no function '%s'", other, function);
    VECTOR(const char *) names = {0};
    for (size_t i = 0; i < module->tree->defs.count; i++)
        vector_push(resolver->arena, &names, module->tree->defs.items[i]->name.text);
    const char *close = closest_name(function, names.items, names.count);
    if (close != NULL)
        diag_fix(resolver->diags, name->span, arena_printf(resolver->arena, "%s.%s", other, close),
                 "did you mean '%s.%s'?", other, close);
}

// ---- functions that roles provide ----

// "ot_pick": `pick` of a role of `ot`, for whoever plays it here.
static const char *used_name(Arena *arena, const TreeModule *module, const char *name)
{
    char *text = arena_printf(arena, "%s.%s", module->path, name);
    for (char *dot = strchr(text, '.'); dot != NULL; dot = strchr(dot, '.'))
        *dot = '_';
    return text;
}

// Without one, some or all of the choreographies on the way, outer ones first: for "deal_ot_pick" these are "ot_pick",
// "deal_pick" and "pick".
size_t function_other_names(Arena *arena, const RoleFunction *function, const char ***names)
{
    enum { DEEPEST = 6 };
    const char *parts[DEEPEST];
    size_t depth = 0, count = 0;
    for (const TreeModule *module = function->module; module != NULL && depth < DEEPEST; module = module->outer)
        parts[depth++] = module->tree->name.text;
    *names = ARENA_ARRAY(arena, const char *, (size_t)1 << depth);
    // The first part is the innermost one.
    for (size_t left = ((size_t)1 << depth) - 1; left-- > 0;) {
        const char *name = function->own_name;
        for (size_t i = 0; i < depth; i++)
            if (left >> (depth - 1 - i) & 1)
                name = arena_printf(arena, "%s_%s", parts[i], name);
        (*names)[count++] = name;
    }
    return count;
}

// Is the role, or a member of it, given for the parameter?
static bool plays(const Program *program, RoleId given, RoleId role)
{
    const RoleList *list = list_of(program, given);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (list->roles[i] == role)
            return true;
    return list == NULL && program->role_of[given] == program->role_of[role];
}

// The prototype of the used choreography for whatever of its roles this role plays in the instance; NULL: none.
static const TreeProto *used_proto(const Resolved *resolved, const Instance *instance, RoleId role, const char *name)
{
    const Tree *tree = instance->def->module->tree;
    for (size_t i = 0; i < tree->protos.count; i++) {
        const TreeProto *proto = tree->protos.items[i];
        for (size_t k = 0; strcmp(proto->name.text, name) == 0 && k < tree->roles.count; k++)
            if (strcmp(tree->roles.items[k].text, proto->role.text) == 0 &&
                plays(resolved->program, instance->role_args[k], role))
                return proto;
    }
    return NULL;
}

// Without spaces and comments.
static const char *proto_text(const Resolved *resolved, const TreeProto *proto)
{
    const char *text =
        arena_printf(resolved->arena, "%s(%s)", span_copy(resolved->arena, resolved->sources, proto->type.before),
                     span_copy(resolved->arena, resolved->sources, proto->params.span));
    char *plain = arena_strdup(resolved->arena, text), *to = plain;
    for (const char *c = text; *c != '\0'; c++)
        if (strchr(" \t\r\n", *c) == NULL)
            *to++ = *c;
    *to = '\0';
    return plain;
}

static void check_protos(Resolved *resolved, const RoleFunction *function, const TreeProto *proto)
{
    if (resolved->has_two_types || strcmp(proto_text(resolved, function->proto), proto_text(resolved, proto)) == 0)
        return;
    resolved->has_two_types = true;
    const char *role = resolved->program->role_names[function->role];
    diag_error(resolved->diags, proto->span, "'%s_%s' would have two types: give both prototypes the same text", role,
               function->name);
    diag_note(resolved->diags, function->proto->span, "this is the other one");
}

RoleFunction *function_of(Resolved *resolved, const Instance *instance, RoleId role, const char *name)
{
    const TreeModule *module = instance->def->module;
    if (module == NULL)
        return resolved_function(resolved, role, name);
    const char *used = used_name(resolved->arena, module, name);
    RoleFunction *function = resolved_function(resolved, role, used);
    bool is_role = resolved->program->role_of[role] < resolved->program->role_count;
    const TreeProto *proto = is_role ? used_proto(resolved, instance, role, name) : NULL;
    if (proto == NULL)
        return function;
    if (function == NULL) {
        function = resolved_function_use(resolved, role, used, SPAN_NONE);
        function->module = module;
        function->own_name = name;
    }
    if (function->proto == NULL || function->proto == proto)
        function->proto = proto;
    else
        check_protos(resolved, function, proto);
    return function;
}

RoleFunction *function_used(Resolved *resolved, const Instance *instance, RoleId role, const char *name, Span use)
{
    const TreeModule *module = instance->def->module;
    if (module == NULL)
        return resolved_function_use(resolved, role, name, use);
    bool is_new = function_of(resolved, instance, role, name) == NULL;
    RoleFunction *function = resolved_function_use(resolved, role, used_name(resolved->arena, module, name), use);
    if (is_new) {
        function->module = module;
        function->own_name = name;
    }
    return function;
}
