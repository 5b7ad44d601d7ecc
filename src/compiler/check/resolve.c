// Tree to program: roles, definitions, specialisation. One job per instance; a body that calls an instance not met
// before adds a job.

#include "compiler/check/body.h"

#include <stdio.h>
#include <string.h>

enum { INSTANCES_MAX = 20000 };

const CType POISON = {.kind = CTYPE_INVALID,
                      .spelling = "?",
                      .canonical = "?",
                      .before = "int ",
                      .after = "",
                      .before_const = "const int "};

bool is_poisoned(const Variable *variable)
{
    return variable->type != NULL && variable->type->kind == CTYPE_INVALID;
}

bool is_string(const CType *type)
{
    return type != NULL && (type->kind == CTYPE_CSTRING || type->kind == CTYPE_STR || type->kind == CTYPE_BYTES);
}

RoleSet new_set(const Resolver *resolver, const Env *env)
{
    size_t count = env->is_abstract ? resolver->role_capacity : resolver->role_count;
    return roleset_new(resolver->arena,
                       resolver->id_capacity > resolver->role_capacity ? resolver->id_capacity : count);
}

const char *who(const Resolver *resolver, const Env *env, RoleId role)
{
    for (size_t i = 0; env != NULL && i < env->def->role_params.count; i++)
        if (env->role_args[i] == role)
            return env->def->role_params.items[i].text;
    return resolver->out->program->role_names[role];
}

const char *who_all(const Resolver *resolver, const Env *env, const RoleSet *roles)
{
    const char *text = "";
    const Program *program = resolver->out->program;
    size_t left = party_count(program, roles), index = 0;
    for (ROLESET_EACH(role, roles)) {
        if (program->role_of[role] != role && roleset_has(roles, program->role_of[role]))
            continue;
        const char *between = index == 0 ? "" : left == 1 ? " and " : ", ";
        text = arena_printf(resolver->arena, "%s%s%s", text, between, who(resolver, env, role));
        index++;
        left--;
    }
    return text;
}

RoleId find_role(Resolver *resolver, const Env *env, const Name *name)
{
    for (const Focus *focus = env != NULL ? env->focus : NULL; focus != NULL; focus = focus->outer)
        if (focus->name != NULL && strcmp(focus->name, name->text) == 0)
            return focus->node->view;
    // A role parameter may have the name of a role.
    for (size_t i = env != NULL ? env->def->role_params.count : 0; i > 0; i--)
        if (strcmp(env->def->role_params.items[i - 1].text, name->text) == 0)
            return env->role_args[i - 1];
    uintptr_t found = (uintptr_t)map_get(&resolver->role_by_name, name->text);
    if (found != 0 && (env == NULL || env->def->module == NULL))
        return (RoleId)(found - 1);
    explain_no_role(resolver, name);
    return ROLE_NONE;
}

// Within one statement, the same member is meant by the same text.
const Focus *focus_of_select(const Resolver *resolver, const Env *env, const Select *select, const char *name)
{
    const Sources *sources = resolver->out->sources;
    const char *text = span_copy(resolver->arena, sources, select->span);
    for (const Focus *focus = env->focus; focus != NULL; focus = focus->outer)
        if (focus->name == NULL && focus->stmt == env->stmt && strcmp(focus->family, name) == 0 &&
            strcmp(span_copy(resolver->arena, sources, focus->select->span), text) == 0)
            return focus;
    return NULL;
}

// The view that stands for Worker[e]. ROLE_NONE: reported.
RoleId find_selected(Resolver *resolver, const Env *env, const Select *select, const char *name)
{
    const Focus *found = focus_of_select(resolver, env, select, name);
    if (found != NULL)
        return found->node->view;
    diag_error(resolver->diags, select->span,
               "one member of '%s' can't be chosen by an index here: use 'for (w : %s)', or all of them, '%s[*]'", name,
               name, name);
    return ROLE_NONE;
}

// One name of a role reference. ROLE_NONE: reported.
static RoleId find_member(Resolver *resolver, const Env *env, const RoleRef *ref, size_t index)
{
    const Name *name = &ref->names.items[index];
    RoleId role = find_role(resolver, env, name);
    const Select *select = index < ref->selects.count ? &ref->selects.items[index] : NULL;
    SelectKind kind = select != NULL ? select->kind : SELECT_NONE;
    if (role == ROLE_NONE)
        return ROLE_NONE;
    const RoleList *list = list_of(resolver->out->program, role);
    bool is_family = list != NULL || (role < resolver->role_count && resolver->out->program->is_family[role]);
    if (is_family && kind == SELECT_NONE) {
        diag_error(resolver->diags, name->span,
                   "'%s' is a family of roles: say which of them, '%s[*]' for all, or 'w' in 'for (w : %s)'",
                   name->text, name->text, name->text);
        return ROLE_NONE;
    }
    if (!is_family && kind != SELECT_NONE) {
        diag_error(resolver->diags, select->span, "'%s' is one role, not a family: leave the brackets out", name->text);
        return ROLE_NONE;
    }
    if (list != NULL && kind == SELECT_ONE)
        return find_in_list(resolver, env, list, select);
    return kind == SELECT_ONE ? find_selected(resolver, env, select, name->text) : role;
}

bool find_roles(Resolver *resolver, const Env *env, const RoleRef *ref, RoleSet *set)
{
    *set = new_set(resolver, env);
    bool fine = true, is_twice = false;
    for (size_t i = 0; i < ref->names.count; i++) {
        RoleId role = find_member(resolver, env, ref, i);
        const RoleList *list = role != ROLE_NONE ? list_of(resolver->out->program, role) : NULL;
        if (list != NULL && env->only_of == list)
            role = env->only;
        for (size_t k = 0; list != NULL && env->only_of != list && k + 1 < list->count; k++)
            roleset_add(set, list->roles[k]);
        if (list != NULL && env->only_of != list)
            role = list->roles[list->count - 1];
        if (role == ROLE_NONE) {
            fine = false;
        } else if (!roleset_add(set, role) && !is_twice) {
            is_twice = true;
            diag_error(resolver->diags, ref->names.items[i].span, "'%s' is twice in this role set",
                       ref->names.items[i].text);
            fine = false;
        }
    }
    // All members are all that are singled out around here, too.
    for (const Focus *focus = env != NULL ? env->focus : NULL; focus != NULL; focus = focus->outer)
        if (roleset_has(set, focus->node->family))
            roleset_add(set, focus->node->view);
    return fine && !roleset_empty(set);
}

Variable *new_variable(Resolver *resolver, Instance *instance, RoleId role, const char *name, Span span)
{
    Variable *variable = ARENA_NEW(resolver->arena, Variable);
    *variable = (Variable){.id = (uint32_t)resolver->out->visible.count,
                           .name = name,
                           .c_name = name,
                           .role = resolver->out->program->role_of[role],
                           .owner = role,
                           .instance = instance,
                           .span = span};
    vector_push(resolver->arena, &instance->variables, variable);
    vector_push(resolver->arena, &resolver->out->visible, ((Visibility){variable, span.end, UINT32_MAX, {0}}));
    return variable;
}

Node *new_node(Body *body, NodeKind kind, Span span)
{
    Node *node = ARENA_NEW(body->resolver->arena, Node);
    node->kind = kind;
    node->span = span;
    node->head = span;
    // The roles of a list are no members.
    for (const Focus *focus = body->env->focus; focus != NULL && node->around == NULL; focus = focus->outer)
        node->around = focus->node->kind == NODE_EACH ? focus->node : NULL;
    node->site = body->env->is_abstract ? 0 : body->resolver->out->program->site_count++;
    return node;
}

RoleFunction *resolved_function(Resolved *resolved, RoleId role, const char *name)
{
    char key[512];
    snprintf(key, sizeof key, "%u %s", resolved->program->role_of[role], name);
    return map_get(&resolved->function_by_name, key);
}

RoleFunction *resolved_function_use(Resolved *resolved, RoleId role, const char *name, Span use)
{
    RoleFunction *function = resolved_function(resolved, role, name);
    role = resolved->program->role_of[role];
    if (function == NULL) {
        function = ARENA_NEW(resolved->arena, RoleFunction);
        *function = (RoleFunction){
            .id = (uint32_t)resolved->functions.count, .role = role, .name = name, .first_use = SPAN_NONE};
        map_put(&resolved->function_by_name, arena_printf(resolved->arena, "%u %s", role, name), function);
        vector_push(resolved->arena, &resolved->functions, function);
    }
    if (function->first_use.file == FILE_NONE && use.file != FILE_NONE)
        function->first_use = use;
    return function;
}

// ---- instances ----

// For C, where there are no dots in names.
static const char *plain_name(Resolver *resolver, const TreeDef *def)
{
    if (def->module == NULL)
        return def->name.text;
    char *text = arena_strdup(resolver->arena, def->name.text);
    for (char *dot = strchr(text, '.'); dot != NULL; dot = strchr(dot, '.'))
        *dot = '_';
    return text;
}

static const char *function_value_text(Resolver *resolver, const FunctionValue *value, const char *separator)
{
    const char *text = value->def != NULL ? plain_name(resolver, value->def) : value->signature->name.text;
    for (size_t i = 0; value->def != NULL && value->role_args != NULL && i < value->def->role_params.count; i++)
        text = arena_printf(resolver->arena, "%s%s%s", text, separator,
                            resolver->out->program->role_names[value->role_args[i]]);
    return text;
}

static const char *instance_text(Resolver *resolver, const Env *env, const char *separator)
{
    const char *text = plain_name(resolver, env->def);
    for (size_t i = 0; i < env->def->role_params.count; i++)
        text = arena_printf(resolver->arena, "%s%s%s", text, separator,
                            resolver->out->program->role_names[env->role_args[i]]);
    for (size_t i = 0; i < env->function_args.count; i++)
        text = arena_printf(resolver->arena, "%s%s%s", text, separator,
                            function_value_text(resolver, &env->function_args.items[i], separator));
    return text;
}

// Roles by their numbers: parameters of different definitions may have one name.
static const char *roles_key(Resolver *resolver, const TreeDef *def, const RoleId *role_args)
{
    // Without any: they are given where the function is called.
    const char *text = role_args == NULL && def->role_params.count > 0 ? " []" : "";
    for (size_t i = 0; role_args != NULL && i < def->role_params.count; i++)
        text = arena_printf(resolver->arena, "%s %u", text, role_args[i]);
    return text;
}

// What tells instances of definitions apart.
static const char *instance_key(Resolver *resolver, const Env *env)
{
    Arena *arena = resolver->arena;
    const char *text = arena_printf(arena, "%s%s", env->def->name.text, roles_key(resolver, env->def, env->role_args));
    for (size_t i = 0; i < env->function_args.count; i++) {
        const FunctionValue *value = &env->function_args.items[i];
        if (value->def != NULL)
            text = arena_printf(arena, "%s, %s%s", text, value->def->name.text,
                                roles_key(resolver, value->def, value->role_args));
        else
            text = arena_printf(arena, "%s, @%u:%u%s", text, value->signature->span.file, value->signature->span.start,
                                roles_key(resolver, value->owner, value->role_args));
    }
    return env->is_abstract ? arena_printf(arena, "%s ?", text) : text;
}

static void add_param(Resolver *resolver, Instance *instance, const Env *env, const TreeParam *tree)
{
    Arena *arena = resolver->arena;
    // In a signature, names may be left out.
    Name name = tree->name.text != NULL ? tree->name : (Name){"_", tree->span};
    Param param = {.declared = &tree->type, .name = name.text, .span = tree->span};
    bool fine = find_roles(resolver, env, &tree->at, &param.at);
    instance->is_doubtful |= !fine;
    check_sizes(resolver, env, &tree->type);
    for (ROLESET_EACH(role, &param.at)) {
        Variable *variable = new_variable(resolver, instance, role, name.text, name.span);
        variable->declared = &tree->type;
        variable->is_param = true;
        if (!fine)
            variable->type = &POISON;
        vector_push(arena, &param.variables, variable);
    }
    vector_push(arena, &instance->params, param);
}

static void add_params(Resolver *resolver, Instance *instance, const Env *env)
{
    for (size_t i = 0; i < env->def->params.count; i++) {
        const TreeParam *tree = &env->def->params.items[i];
        const RoleList *list = tree->is_function ? NULL : list_in_ref(resolver, env, &tree->at);
        for (size_t k = 0; k < (list != NULL ? list->count : !tree->is_function); k++) {
            Env one = *env;
            one.only_of = list;
            one.only = list != NULL ? list->roles[k] : ROLE_NONE;
            add_param(resolver, instance, &one, tree);
        }
    }
}

static void add_result(Resolver *resolver, Instance *instance, const Env *env, size_t index, RoleSet *seen)
{
    const TreeResult *tree = &env->def->results.items[index];
    Result result = {.is_tuple = tree->is_tuple, .written = index, .span = tree->span};
    instance->is_doubtful |= !find_roles(resolver, env, &tree->at, &result.at);
    for (ROLESET_EACH(role, &result.at))
        if (!roleset_add(seen, role))
            diag_error(resolver->diags, tree->span, "'%s' has two results at %s: make them one tuple, '%s.{..., ...}'",
                       env->def->name.text, who(resolver, env, role), who(resolver, env, role));
    for (size_t k = 0; k < tree->types.count; k++) {
        check_sizes(resolver, env, &tree->types.items[k]);
        vector_push(resolver->arena, &result.types, NULL);
    }
    vector_push(resolver->arena, &instance->results, result);
}

static void add_results(Resolver *resolver, Instance *instance, const Env *env)
{
    RoleSet seen = new_set(resolver, env);
    for (size_t i = 0; i < env->def->results.count; i++) {
        const RoleList *list = list_in_ref(resolver, env, &env->def->results.items[i].at);
        for (size_t k = 0; k < (list != NULL ? list->count : 1); k++) {
            Env one = *env;
            one.only_of = list;
            one.only = list != NULL ? list->roles[k] : ROLE_NONE;
            add_result(resolver, instance, &one, i, &seen);
        }
    }
}

// Which members role parameters are, everybody gets to know with the call.
static void add_members(Resolver *resolver, Instance *instance)
{
    Program *program = resolver->out->program;
    for (size_t i = 0; i < instance->def->role_params.count; i++) {
        RoleId view = instance->role_args[i], family = program->role_of[view];
        const Name *name = &instance->def->role_params.items[i];
        if (family == view)
            continue;
        Node *node = ARENA_NEW(resolver->arena, Node);
        *node = (Node){.kind = NODE_EACH, .span = name->span, .head = name->span, .view = view, .family = family};
        node->is_param = true;
        for (RoleId role = 0; role < resolver->role_count; role++) {
            Variable *variable = new_variable(resolver, instance, role, name->text, name->span);
            variable->is_index = variable->is_read = true;
            variable->family = family;
            variable->each = node;
            vector_push(resolver->arena, &node->positions, variable);
        }
        vector_push(resolver->arena, &instance->members, node);
    }
}

// A member has one result at most.
static void check_member_results(Resolver *resolver, const Instance *instance)
{
    const Program *program = resolver->out->program;
    for (size_t i = 0; i < instance->results.count; i++)
        for (size_t k = 0; k < i; k++)
            for (ROLESET_EACH(one, &instance->results.items[i].at))
                for (ROLESET_EACH(other, &instance->results.items[k].at))
                    if (program->role_of[one] == program->role_of[other] && program->is_family[program->role_of[one]]) {
                        diag_error(resolver->diags, instance->results.items[i].span,
                                   "'%s' has results at two members of '%s', which may be the same one: this is not "
                                   "supported",
                                   instance->def->name.text, program->role_names[program->role_of[one]]);
                        return;
                    }
}

Instance *get_instance(Resolver *resolver, const TreeDef *def, RoleId *role_args, FunctionValueList function_args,
                       bool is_abstract, Span use)
{
    Env env = {def, role_args, function_args, is_abstract, NULL, NULL, NULL, ROLE_NONE};
    const char *key = instance_key(resolver, &env);
    Instance *instance = map_get(&resolver->instance_by_key, key);
    if (instance != NULL)
        return instance;
    if (resolver->jobs.count >= INSTANCES_MAX) {
        if (!resolver->too_many)
            diag_error(resolver->diags, use, "more than %d instances of functions with role or function parameters",
                       INSTANCES_MAX);
        resolver->too_many = true;
        return NULL;
    }
    instance = ARENA_NEW(resolver->arena, Instance);
    instance->def = def;
    instance->role_args = role_args;
    instance->is_entry = function_args.count == 0 && def->role_params.count == 0;
    const char *name = instance_text(resolver, &env, "_");
    for (int number = 2; map_has(&resolver->name_taken, name); number++)
        name = arena_printf(resolver->arena, "%s_%d", instance_text(resolver, &env, "_"), number);
    map_put(&resolver->name_taken, name, instance);
    instance->name = name;
    map_put(&resolver->instance_by_key, key, instance);
    Program *program = resolver->out->program;
    if (is_abstract) {
        vector_push(resolver->arena, &resolver->out->abstract, instance);
    } else {
        instance->id = (uint32_t)program->instances.count;
        vector_push(resolver->arena, &program->instances, instance);
    }
    add_members(resolver, instance);
    add_params(resolver, instance, &env);
    add_results(resolver, instance, &env);
    check_member_results(resolver, instance);
    vector_push(resolver->arena, &resolver->jobs, ((InstanceJob){instance, env}));
    return instance;
}

Instance *new_signature(Resolver *resolver, const FunctionValue *value)
{
    const TreeParam *signature = value->signature;
    TreeDef *def = ARENA_NEW(resolver->arena, TreeDef);
    *def = (TreeDef){.name = signature->name,
                     .params = *signature->params,
                     .results = signature->results,
                     .role_params = value->owner->role_params,
                     .param_is_family = value->owner->param_is_family,
                     .span = signature->span,
                     .body.span = signature->span};
    Instance *instance = ARENA_NEW(resolver->arena, Instance);
    *instance = (Instance){.def = def, .role_args = value->role_args, .name = signature->name.text};
    Env env = {def, value->role_args, {0}, true, NULL, NULL, NULL, ROLE_NONE};
    add_params(resolver, instance, &env);
    add_results(resolver, instance, &env);
    return instance;
}

// ---- the choreography's own names ----

// Names of the library in C.
static bool is_reserved(const char *name)
{
    return strcmp(name, "chx") == 0 || strncmp(name, "chx_", 4) == 0;
}

static void add_roles(Resolver *resolver, const Tree *tree)
{
    if (is_reserved(tree->name.text))
        diag_error(resolver->diags, tree->name.span, "'%s' is a name of the library: a choreography can't have it",
                   tree->name.text);
    Program *program = resolver->out->program;
    resolver->role_count = program->role_count = tree->roles.count;
    resolver->role_capacity = tree->roles.count;
    for (size_t i = 0; i < tree->defs.count; i++)
        resolver->role_capacity += tree->defs.items[i]->role_params.count;
    size_t families = 0, selections = tree->selections + resolver->role_capacity - resolver->role_count;
    for (size_t i = 0; i < tree->is_family.count; i++)
        families += tree->is_family.items[i];
    for (size_t i = 0; i < resolver->out->imported.count; i++)
        selections += resolver->out->imported.items[i]->role_params.count;
    for (size_t i = 0; i < program->modules.count; i++)
        selections += program->modules.items[i]->tree->selections;
    resolver->id_capacity = resolver->role_capacity + families * selections;
    program->id_count = families > 0 ? resolver->id_capacity : resolver->role_count;
    program->list_first = (RoleId)resolver->id_capacity;
    program->role_names = ARENA_ARRAY(resolver->arena, const char *, resolver->id_capacity + LISTS_MAX + 1);
    program->role_name_taken = ARENA_ARRAY(resolver->arena, bool, resolver->id_capacity + 1);
    bool *is_family = ARENA_ARRAY(resolver->arena, bool, resolver->id_capacity + LISTS_MAX + 1);
    program->is_family = is_family;
    program->role_of = ARENA_ARRAY(resolver->arena, RoleId, resolver->id_capacity + LISTS_MAX + 1);
    for (size_t i = 0; i < resolver->id_capacity + LISTS_MAX; i++) {
        program->role_of[i] = (RoleId)i;
        is_family[i] = i >= resolver->id_capacity;
    }
    for (size_t i = 0; i < tree->is_family.count; i++)
        is_family[i] = tree->is_family.items[i];
    for (size_t i = 0; i < tree->roles.count; i++) {
        const Name *name = &tree->roles.items[i];
        program->role_names[i] = name->text;
        if (is_reserved(name->text))
            diag_error(resolver->diags, name->span, "'%s' is a name of the library: a role can't have it", name->text);
        if (map_has(&resolver->role_by_name, name->text))
            diag_error(resolver->diags, name->span, "role '%s' is there twice", name->text);
        else
            map_put(&resolver->role_by_name, name->text, (void *)(uintptr_t)(i + 1));
    }
    size_t pseudo = resolver->role_count;
    for (size_t i = 0; i < tree->defs.count; i++)
        for (size_t k = 0; k < tree->defs.items[i]->role_params.count; k++)
            program->role_names[pseudo++] = tree->defs.items[i]->role_params.items[k].text;
}

static void check_def_names(Resolver *resolver, const TreeDef *def)
{
    for (size_t i = 0; i < def->role_params.count; i++) {
        const Name *name = &def->role_params.items[i];
        for (size_t k = 0; k < i; k++)
            if (strcmp(def->role_params.items[k].text, name->text) == 0)
                diag_error(resolver->diags, name->span, "role parameter '%s' is there twice", name->text);
    }
    for (size_t i = 0; i < def->params.count; i++)
        for (size_t k = 0; k < i && def->params.items[i].is_function; k++)
            if (def->params.items[k].is_function &&
                strcmp(def->params.items[k].name.text, def->params.items[i].name.text) == 0)
                diag_error(resolver->diags, def->params.items[i].name.span, "parameter '%s' is there twice",
                           def->params.items[i].name.text);
}

// A role's part of a definition is NAME_ROLE_DEF in C: no role and no definition may be called ROLE_DEF.
static void check_part_names(Resolver *resolver, const Tree *tree, const Name *name)
{
    for (const char *gap = strchr(name->text, '_'); gap != NULL; gap = strchr(gap + 1, '_')) {
        const char *role = arena_copy(resolver->arena, name->text, (size_t)(gap - name->text));
        if (map_has(&resolver->role_by_name, role) && map_has(&resolver->def_by_name, gap + 1)) {
            diag_error(resolver->diags, name->span, "'%s' collides in C with %s's part of '%s': both make '%s_%s'",
                       name->text, role, gap + 1, tree->name.text, name->text);
            return;
        }
    }
}

// The role in "Buyer", "Buyer_start", ...: what NAME_DEF_as_ is followed by.
static bool ends_with_role(Resolver *resolver, const char *text, bool with_suffix)
{
    static const char *const SUFFIXES[] = {"", "_start", "_wait", "_drop"};
    size_t length = strlen(text);
    for (size_t i = 0; i < (with_suffix ? sizeof SUFFIXES / sizeof *SUFFIXES : 1); i++) {
        size_t suffix = strlen(SUFFIXES[i]);
        if (length > suffix && strcmp(text + length - suffix, SUFFIXES[i]) == 0 &&
            map_has(&resolver->role_by_name, arena_copy(resolver->arena, text, length - suffix)))
            return true;
    }
    return false;
}

// For roles on several hosts there are NAME_DEF_as_ROLE, NAME_DEF_serve_ROLE and so on.
static void check_host_names(Resolver *resolver, const Tree *tree, const Name *name)
{
    for (const char *gap = strchr(name->text, '_'); gap != NULL; gap = strchr(gap + 1, '_')) {
        bool is_as = strncmp(gap, "_as_", 4) == 0, is_serve = strncmp(gap, "_serve_", 7) == 0;
        const char *def = arena_copy(resolver->arena, name->text, (size_t)(gap - name->text));
        if ((is_as || is_serve) && map_has(&resolver->def_by_name, def) &&
            ends_with_role(resolver, gap + (is_as ? 4 : 7), is_as)) {
            diag_error(resolver->diags, name->span, "'%s' and '%s' collide in C: both make '%s_%s'", name->text, def,
                       tree->name.text, name->text);
            return;
        }
    }
}

static void add_defs(Resolver *resolver, const Tree *tree)
{
    static const char *const SUFFIXES[] = {"_start", "_wait", "_result_drop"};
    for (size_t i = 0; i < tree->defs.count; i++) {
        const TreeDef *def = tree->defs.items[i];
        const TreeDef *other = map_get(&resolver->def_by_name, def->name.text);
        if (other != NULL) {
            diag_error(resolver->diags, def->name.span, "function '%s' is defined twice", def->name.text);
            diag_note(resolver->diags, other->name.span, "it is defined here");
            continue;
        }
        map_put(&resolver->def_by_name, def->name.text, (void *)(uintptr_t)def);
        if (map_has(&resolver->role_by_name, def->name.text))
            diag_error(resolver->diags, def->name.span, "'%s' is a role and a function: both would be '%s_%s' in C",
                       def->name.text, tree->name.text, def->name.text);
        check_def_names(resolver, def);
    }
    for (size_t i = 0; i < tree->defs.count; i++)
        for (size_t k = 0; k < sizeof SUFFIXES / sizeof *SUFFIXES; k++) {
            const TreeDef *def = tree->defs.items[i];
            const char *name = arena_printf(resolver->arena, "%s%s", def->name.text, SUFFIXES[k]);
            const TreeDef *other = map_get(&resolver->def_by_name, name);
            if (other == NULL && !map_has(&resolver->role_by_name, name))
                continue;
            diag_error(resolver->diags, other != NULL ? other->name.span : def->name.span,
                       "'%s' and '%s' collide in C: both make '%s_%s'", name, def->name.text, tree->name.text, name);
        }
    for (size_t i = 0; i < tree->defs.count; i++)
        check_part_names(resolver, tree, &tree->defs.items[i]->name);
    for (size_t i = 0; i < tree->roles.count; i++)
        check_part_names(resolver, tree, &tree->roles.items[i]);
    for (size_t i = 0; i < tree->defs.count; i++)
        check_host_names(resolver, tree, &tree->defs.items[i]->name);
    for (size_t i = 0; i < tree->roles.count; i++)
        check_host_names(resolver, tree, &tree->roles.items[i]);
}

static void add_protos(Resolver *resolver, const Tree *tree)
{
    for (size_t i = 0; i < tree->protos.count; i++) {
        const TreeProto *proto = tree->protos.items[i];
        RoleId role = find_role(resolver, NULL, &proto->role);
        if (role == ROLE_NONE)
            continue;
        RoleFunction *function = resolved_function(resolver->out, role, proto->name.text);
        if (function != NULL) {
            diag_error(resolver->diags, proto->name.span, "%s's '%s' is declared twice", proto->role.text,
                       proto->name.text);
            diag_note(resolver->diags, function->proto->span, "it is declared here");
            continue;
        }
        function = resolved_function_use(resolver->out, role, proto->name.text, SPAN_NONE);
        function->proto = proto;
        function->is_hook = strcmp(proto->name.text, "init") == 0 || strcmp(proto->name.text, "fini") == 0;
    }
}

// ---- definitions that nothing starts or calls ----

static bool is_startable(const TreeDef *def)
{
    if (def->role_params.count > 0)
        return false;
    for (size_t i = 0; i < def->params.count; i++)
        if (def->params.items[i].is_function)
            return false;
    return true;
}

static bool is_used(const Resolver *resolver, const TreeDef *def)
{
    for (size_t i = 0; i < resolver->jobs.count; i++)
        if (resolver->jobs.items[i].env.def == def)
            return true;
    return false;
}

// Checks roles and names of an unused definition with stand-ins for its parameters.
static void add_abstract(Resolver *resolver, const TreeDef *def, size_t first_pseudo)
{
    RoleId *role_args = ARENA_ARRAY(resolver->arena, RoleId, def->role_params.count + 1);
    for (size_t i = 0; i < def->role_params.count; i++)
        role_args[i] = (RoleId)(first_pseudo + i);
    // For a family stands a list with one role.
    for (size_t i = 0; i < def->role_params.count; i++)
        if (def->param_is_family.items[i])
            role_args[i] = get_list(resolver, &role_args[i], 1, def->role_params.items[i].span);
    for (size_t i = 0; i < def->role_params.count; i++)
        if (role_args[i] == ROLE_NONE)
            return;
    FunctionValueList function_args = {0};
    for (size_t i = 0; i < def->params.count; i++)
        if (def->params.items[i].is_function) {
            FunctionValue value = {.role_args = role_args, .signature = &def->params.items[i], .owner = def};
            vector_push(resolver->arena, &function_args, value);
        }
    get_instance(resolver, def, role_args, function_args, true, def->name.span);
}

static void run_jobs(Resolver *resolver, size_t *done)
{
    for (; *done < resolver->jobs.count; ++*done) {
        InstanceJob job = resolver->jobs.items[*done];
        Body body = {.resolver = resolver, .instance = job.instance, .env = &job.env};
        resolve_body(&body);
    }
}

Resolved *resolve_tree(Arena *arena, const Sources *sources, Diags *diags, const Tree *tree)
{
    Resolved *out = ARENA_NEW(arena, Resolved);
    *out = (Resolved){.arena = arena, .sources = sources, .diags = diags, .tree = tree};
    out->program = ARENA_NEW(arena, Program);
    *out->program =
        (Program){.arena = arena, .sources = sources, .tree = tree, .name = tree->name.text, .site_count = 1};
    map_init(&out->function_by_name, arena);

    Resolver resolver = {.out = out, .arena = arena, .diags = diags};
    map_init(&resolver.role_by_name, arena);
    map_init(&resolver.view_by_key, arena);
    map_init(&resolver.def_by_name, arena);
    map_init(&resolver.instance_by_key, arena);
    map_init(&resolver.name_taken, arena);
    add_uses(&resolver, tree);
    add_roles(&resolver, tree);
    scope_init(&resolver.scope, arena, resolver.role_capacity);
    add_defs(&resolver, tree);
    add_protos(&resolver, tree);

    for (size_t i = 0; i < tree->defs.count; i++)
        if (is_startable(tree->defs.items[i]))
            get_instance(&resolver, tree->defs.items[i], NULL, (FunctionValueList){0}, false,
                         tree->defs.items[i]->name.span);
    size_t done = 0;
    run_jobs(&resolver, &done);

    size_t pseudo = resolver.role_count;
    for (size_t i = 0; i < tree->defs.count; i++) {
        const TreeDef *def = tree->defs.items[i];
        bool is_wanted = tree->made_of == NULL && !def->is_started;
        if (!is_startable(def) && is_wanted && !is_used(&resolver, def)) {
            // While something is wrong, what looks unused may only be not understood.
            if (diags_errors(diags) == 0)
                diag_warning(diags, def->name.span, "function '%s' is never used", def->name.text);
            add_abstract(&resolver, def, pseudo);
        }
        pseudo += def->role_params.count;
    }
    run_jobs(&resolver, &done);
    return out;
}
