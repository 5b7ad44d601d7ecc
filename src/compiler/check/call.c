// Calls of choreographic functions: who is called, with which roles, functions and values.

#include "compiler/check/body.h"

#include <string.h>

// Which role stands for the argument in the callee.
static RoleId role_in_callee(Body *body, const TreeDef *def, size_t index, RoleId given)
{
    RoleId role = body->resolver->out->program->role_of[given];
    if (role == given)
        return given;
    const Name *param = &def->role_params.items[index];
    return get_view(body->resolver, param, role, param->text);
}

// The role that stands for a role parameter in the callee: for a member of a family a view of the callee's own, so that all
// callers share what is made of the definition. ROLE_NONE: reported.
static RoleId find_role_arg(Body *body, const RoleRef *ref, const TreeDef *def, size_t index, RoleId *given)
{
    Resolver *resolver = body->resolver;
    const Program *program = resolver->out->program;
    const char *param = def->role_params.items[index].text;
    SelectKind kind = ref->selects.count > 0 ? ref->selects.items[0].kind : SELECT_NONE;
    if (kind == SELECT_PART && !ref->is_set) {
        diag_error(resolver->diags, ref->span, "a part of a family can't be a role argument yet");
        return ROLE_NONE;
    }
    if (ref->is_set)
        *given = find_list(body, ref);
    else
        *given = kind == SELECT_ONE ? ROLE_NONE : find_role(resolver, body->env, &ref->names.items[0]);
    if (kind == SELECT_ONE) {
        RoleSet one;
        if (!find_roles(resolver, body->env, ref, &one))
            return ROLE_NONE;
        *given = find_selected(resolver, body->env, &ref->selects.items[0], ref->names.items[0].text);
    }
    if (*given == ROLE_NONE)
        return ROLE_NONE;
    bool is_family = program->is_family[*given], wants_family = def->param_is_family.items[index];
    if (is_family != wants_family) {
        diag_error(resolver->diags, ref->span,
                   wants_family ? "'%s' takes a family for '%s', not a single role"
                                : "'%s' takes one role for '%s', not a family: for example 'w' in 'for (w : ...)'",
                   def->name.text, param);
        diag_note(resolver->diags, def->role_params.items[index].span, "the parameter is declared here");
        return ROLE_NONE;
    }
    return role_in_callee(body, def, index, *given);
}

// The first `implied` of them are the roles of the choreography that both definitions are taken from. Its roles must be distinct, and
// so must be the parameters that the definition itself has.
static bool find_role_args(Body *body, const RoleRefList *role_args, size_t implied, FunctionValue *value)
{
    Resolver *resolver = body->resolver;
    size_t count = value->def->role_params.count, roles = module_roles(value->def);
    value->role_args = ARENA_ARRAY(resolver->arena, RoleId, count + 1);
    value->given = ARENA_ARRAY(resolver->arena, RoleId, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (i < implied) {
            value->given[i] = body->env->role_args[i];
            value->role_args[i] = role_in_callee(body, value->def, i, value->given[i]);
            continue;
        }
        const RoleRef *ref = &role_args->items[i - implied];
        value->role_args[i] = find_role_arg(body, ref, value->def, i, &value->given[i]);
        if (value->role_args[i] == ROLE_NONE)
            return false;
        for (size_t k = i < roles ? 0 : roles; k < i; k++)
            if (roles_meet(resolver->out->program, value->given[k], value->given[i])) {
                diag_error(resolver->diags, ref->span, "role arguments must be distinct: '%s' is there twice",
                           ref->names.items[0].text);
                return false;
            }
    }
    return true;
}

static void report_role_count(Body *body, const Name *name, const TreeDef *def, size_t wanted, size_t count)
{
    Diags *diags = body->resolver->diags;
    diag_error(diags, name->span, "'%s' takes %zu role argument%s, not %zu", name->text, wanted, wanted == 1 ? "" : "s",
               count);
    if (def->module == NULL || wanted < def->role_params.count) {
        diag_note(diags, def->name.span, "it is defined here");
        return;
    }
    const char *list = "";
    for (size_t i = 0; i < def->role_params.count; i++)
        list = arena_printf(body->resolver->arena, "%s%s%s", list, i == 0 ? "" : ", ", def->role_params.items[i].text);
    diag_note(diags, def->name.span, "who plays its roles is said in brackets: '%s[%s](...)'", name->text, list);
}

// Role arguments for a parameter that has only a signature: they stand behind those of the definition that has the parameter.
static bool give_signature_roles(Body *body, const TreeParam *param, const RoleRefList *role_args, FunctionValue *value)
{
    Arena *arena = body->resolver->arena;
    TreeDef own = {.name = param->name, .role_params = param->role_params, .span = param->span};
    own.param_is_family.items = param->param_is_family.items;
    own.param_is_family.count = param->param_is_family.count;
    FunctionValue roles = {.def = &own};
    if (!find_role_args(body, role_args, 0, &roles))
        return false;
    const TreeDef *owner = value->owner;
    TreeDef *both = ARENA_NEW(arena, TreeDef);
    *both = (TreeDef){.name = param->name, .span = param->span, .module = owner->module};
    RoleId *all = ARENA_ARRAY(arena, RoleId, owner->role_params.count + param->role_params.count + 1);
    for (size_t i = 0; i < owner->role_params.count + param->role_params.count; i++) {
        bool is_own = i >= owner->role_params.count;
        size_t at = is_own ? i - owner->role_params.count : i;
        all[i] = is_own ? roles.role_args[at] : value->role_args[at];
        vector_push(arena, &both->role_params, (is_own ? &own : owner)->role_params.items[at]);
        vector_push(arena, &both->param_is_family, (is_own ? &own : owner)->param_is_family.items[at]);
    }
    value->owner = both;
    value->role_args = all;
    return true;
}

// The roles that a function parameter is called with, if it has role parameters. False: reported.
static bool give_roles(Body *body, const TreeParam *param, const Name *name, const RoleRefList *role_args,
                       FunctionValue *value)
{
    size_t wanted = param->role_params.count;
    if (role_args->count != wanted) {
        diag_error(body->resolver->diags, name->span,
                   wanted == 0 ? "'%s' is a function parameter: it takes no role arguments"
                               : "'%s' takes %zu role argument%s, not %zu",
                   name->text, wanted, wanted == 1 ? "" : "s", role_args->count);
        diag_note(body->resolver->diags, param->span, "the parameter is declared here");
        return false;
    }
    if (wanted == 0)
        return true;
    if (value->def == NULL)
        return give_signature_roles(body, param, role_args, value);
    return find_role_args(body, role_args, value->def->role_params.count - wanted, value);
}

// The name of a function in this instance: a function parameter's argument, or a definition (role arguments given).
// False: reported.
static bool find_function(Body *body, const Name *name, const RoleRefList *role_args, FunctionValue *value)
{
    Resolver *resolver = body->resolver;
    const TreeDef *def = body->env->def;
    size_t index = 0;
    for (size_t i = 0; i < def->params.count; i++) {
        if (!def->params.items[i].is_function)
            continue;
        if (strcmp(def->params.items[i].name.text, name->text) == 0) {
            *value = body->env->function_args.items[index];
            return give_roles(body, &def->params.items[i], name, role_args, value);
        }
        index++;
    }
    value->def = find_def(resolver, def, name->text);
    value->signature = NULL;
    if (value->def == NULL) {
        if (strcmp(name->text, "agree") == 0)
            diag_error(resolver->diags, name->span,
                       "what roles agree on goes to a variable of theirs first: '{A, B}.k = agree(A.k, B.k);'");
        else
            explain_no_function(resolver, name);
        return false;
    }
    size_t implied = value->def->module == def->module ? module_roles(def) : 0;
    size_t wanted = value->def->role_params.count - implied;
    if (role_args->count != wanted) {
        report_role_count(body, name, value->def, wanted, role_args->count);
        return false;
    }
    return find_role_args(body, role_args, implied, value);
}

static bool same_roles(Resolver *resolver, const Env *one_env, const RoleRef *one, const Env *other_env,
                       const RoleRef *other)
{
    RoleSet first, second;
    return find_roles(resolver, one_env, one, &first) && find_roles(resolver, other_env, other, &second) &&
           roleset_equal(&first, &second);
}

typedef struct {
    Span span;
    const Env *callee; // with the function parameter
    const TreeParam *param;
    const Env *env; // of the function that is given for it
} Fitting;

static void must_fit(Resolver *resolver, const Fitting *fitting, const TypeText *expected, const TypeText *actual)
{
    const Env *callee = fitting->callee, *env = fitting->env;
    TypeFit fit = {fitting->span,
                   env->def->name.text,
                   fitting->param->name.text,
                   expected,
                   actual,
                   family_of_type(resolver->out, callee->def, callee->role_args, expected),
                   family_of_type(resolver->out, env->def, env->role_args, actual)};
    vector_push(resolver->arena, &resolver->out->fits, fit);
}

static const char *count_text(Arena *arena, size_t count, const char *what)
{
    return arena_printf(arena, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

// Why the function does not fit the parameter's signature; NULL: as far as roles go, it does. Types come later.
static const char *find_misfit(Resolver *resolver, const Fitting *fitting)
{
    Arena *arena = resolver->arena;
    const Env *callee = fitting->callee, *env = fitting->env;
    const TreeDef *def = env->def;
    const TreeParam *param = fitting->param;
    const TreeParamList *expected = param->params, *actual = &def->params;
    if (expected->count != actual->count)
        return arena_printf(arena, "it takes %s, not %zu", count_text(arena, actual->count, "argument"),
                            expected->count);
    if (param->results.count != def->results.count)
        return arena_printf(arena, "it has %s, not %zu", count_text(arena, def->results.count, "result"),
                            param->results.count);
    for (size_t i = 0; i < expected->count; i++) {
        const TreeParam *want = &expected->items[i], *have = &actual->items[i];
        if (want->is_function != have->is_function)
            return arena_printf(arena, "its argument %zu is %s function", i + 1, have->is_function ? "a" : "no");
        if (want->is_function)
            continue;
        if (!same_roles(resolver, callee, &want->at, env, &have->at))
            return arena_printf(arena, "its argument %zu is another role's", i + 1);
        must_fit(resolver, fitting, &want->type, &have->type);
    }
    for (size_t i = 0; i < param->results.count; i++) {
        const TreeResult *want = &param->results.items[i], *have = &def->results.items[i];
        if (!same_roles(resolver, callee, &want->at, env, &have->at))
            return arena_printf(arena, "its result %zu is another role's", i + 1);
        if (want->types.count != have->types.count)
            return arena_printf(arena, "its result %zu has %s, not %zu", i + 1,
                                count_text(arena, have->types.count, "value"), want->types.count);
        for (size_t k = 0; k < want->types.count; k++)
            must_fit(resolver, fitting, &want->types.items[k], &have->types.items[k]);
    }
    return NULL;
}

// False: a role in the signature is wrong, which is reported.
static bool signature_roles_exist(Resolver *resolver, const Env *env, const TreeParamList *params,
                                  const TreeResultList *results)
{
    bool fine = true;
    RoleSet ignored;
    for (size_t i = 0; i < params->count; i++)
        fine &= params->items[i].is_function || find_roles(resolver, env, &params->items[i].at, &ignored);
    for (size_t i = 0; i < results->count; i++)
        fine &= find_roles(resolver, env, &results->items[i].at, &ignored);
    return fine;
}

// False: it does not fit, which is reported.
static bool check_signature(Body *body, const FunctionValue *value, const Env *callee, const TreeParam *param,
                            Span span)
{
    Resolver *resolver = body->resolver;
    Env env = {value->def, value->role_args, {0}, callee->is_abstract, NULL, NULL, NULL, ROLE_NONE};
    if (value->def == NULL)
        return true; // itself only a signature; checked where a real function is passed
    if (!signature_roles_exist(resolver, &env, &value->def->params, &value->def->results) ||
        !signature_roles_exist(resolver, callee, param->params, &param->results))
        return false;
    const char *misfit = find_misfit(resolver, &(Fitting){span, callee, param, &env});
    if (misfit == NULL)
        return true;
    diag_error(resolver->diags, span, "'%s' does not fit the parameter '%s': %s", value->def->name.text,
               param->name.text, misfit);
    diag_note(resolver->diags, param->span, "the parameter is declared here");
    diag_note(resolver->diags, value->def->name.span, "the function is defined here");
    return false;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static bool check_count(Body *body, const TreeCall *call, const char *name, size_t wanted, Span defined)
{
    if (call->args.count == wanted)
        return true;
    diag_error(body->resolver->diags, call->span, "'%s' takes %zu argument%s, not %zu", name, wanted, plural(wanted),
               call->args.count);
    diag_note(body->resolver->diags, defined, "it is defined here");
    return false;
}

// Why a function does not fit a parameter with role parameters; NULL: it does. Roles and types are checked where it is called.
static const char *find_open_misfit(Body *body, const TreeDef *def, const Env *callee, const TreeParam *param)
{
    Arena *arena = body->resolver->arena;
    size_t implied = def->module != NULL && def->module == callee->def->module ? module_roles(def) : 0;
    size_t roles = def->role_params.count - implied;
    if (roles != param->role_params.count)
        return arena_printf(arena, "it takes %s, not %zu", count_text(arena, roles, "role argument"),
                            param->role_params.count);
    for (size_t i = 0; i < roles; i++)
        if (def->param_is_family.items[implied + i] != param->param_is_family.items[i])
            return arena_printf(arena, "its role parameter %zu is %s family", i + 1,
                                def->param_is_family.items[implied + i] ? "a" : "no");
    if (def->params.count != param->params->count)
        return arena_printf(arena, "it takes %s, not %zu", count_text(arena, def->params.count, "argument"),
                            param->params->count);
    if (def->results.count != param->results.count)
        return arena_printf(arena, "it has %s, not %zu", count_text(arena, def->results.count, "result"),
                            param->results.count);
    return NULL;
}

// A function whose roles are given where it is called. False: reported.
static bool find_open_function(Body *body, const TreeArg *arg, const Env *callee, const TreeParam *param,
                               FunctionValue *value)
{
    Resolver *resolver = body->resolver;
    const TreeDef *caller = body->env->def;
    const char *name = arg->function.text;
    size_t index = 0;
    if (arg->role_args.count > 0) {
        diag_error(resolver->diags, arg->span, "'%s' is given its roles where it is called: write '%s' only",
                   param->name.text, name);
        return false;
    }
    for (size_t i = 0; i < caller->params.count; i++) {
        const TreeParam *own = &caller->params.items[i];
        if (own->is_function && strcmp(own->name.text, name) == 0 &&
            own->role_params.count == param->role_params.count) {
            *value = body->env->function_args.items[index];
            return true;
        }
        index += own->is_function;
    }
    *value = (FunctionValue){.def = find_def(resolver, caller, name)};
    if (value->def == NULL) {
        explain_no_function(resolver, &arg->function);
        return false;
    }
    const char *misfit = find_open_misfit(body, value->def, callee, param);
    if (misfit == NULL)
        return true;
    diag_error(resolver->diags, arg->span, "'%s' does not fit the parameter '%s': %s", name, param->name.text, misfit);
    diag_note(resolver->diags, param->span, "the parameter is declared here");
    diag_note(resolver->diags, value->def->name.span, "the function is defined here");
    return false;
}

static bool function_argument(Body *body, const TreeArg *arg, const Env *callee, const TreeParam *param,
                              FunctionValueList *function_args)
{
    if (arg->expr != NULL || arg->call != NULL) {
        diag_error(body->resolver->diags, arg->span, "'%s' wants a choreographic function here", param->name.text);
        diag_note(body->resolver->diags, param->span, "the parameter is declared here");
        return false;
    }
    FunctionValue value = {0};
    if (param->role_params.count > 0) {
        if (!find_open_function(body, arg, callee, param, &value))
            return false;
        vector_push(body->resolver->arena, function_args, value);
        return true;
    }
    if (!find_function(body, &arg->function, &arg->role_args, &value) ||
        !check_signature(body, &value, callee, param, arg->span))
        return false;
    vector_push(body->resolver->arena, function_args, value);
    return true;
}

// Roles of the callee as the caller knows them.
RoleSet as_given(const Body *body, const Node *node, const RoleSet *at)
{
    Resolver *resolver = body->resolver;
    RoleSet given = new_set(resolver, body->env);
    for (ROLESET_EACH(role, at))
        roleset_add(&given, given_role(node, role));
    return given;
}

// One located argument for one located parameter.
static bool located_argument(Body *body, const TreeArg *arg, const Param *param, const char *name, Node *node,
                             NodeList *before)
{
    Resolver *resolver = body->resolver;
    Value value;
    char *type =
        param->declared != NULL ? span_copy(resolver->arena, resolver->out->sources, param->declared->before) : "";
    bool is_located = arg->expr != NULL || arg->call != NULL;
    if (!is_located && node->callee->is_doubtful)
        return false;
    if (!is_located) {
        diag_error(resolver->diags, arg->span, "'%s' wants %s's %s here, '%s' is not located", name,
                   who_all(resolver, body->env, &param->at), type, arg->function.text);
        return false;
    }
    if (!(arg->call != NULL ? resolve_nested(body, arg, before, &value) : resolve_value(body, arg->expr, &value)))
        return false;
    if (node->callee->is_doubtful)
        return false;
    RoleSet at = as_given(body, node, &param->at);
    if (!roleset_covers(&value.at, &at)) {
        diag_error(resolver->diags, arg->span, "'%s' wants %s's %s here, this is %s's", name,
                   who_all(resolver, body->env, &at), type, who_all(resolver, body->env, &value.at));
        diag_note(resolver->diags, param->span, "the parameter is declared here");
        return false;
    }
    if (value.is_tuple) {
        diag_error(resolver->diags, arg->span, "an argument is one value, not a tuple");
        return false;
    }
    // Only the parameter's roles compute it.
    if (!roleset_equal(&value.at, &at)) {
        const LocalC *whole = local_c(value.exprs.items[0]);
        value.exprs.items[0] = resolve_c(body, &at, whole->expr.span, whole->form);
        value.at = at;
    }
    vector_push(resolver->arena, &node->args, value);
    return true;
}

// A parameter that stands for nobody: of a definition that is not used.
static bool is_abstract_role(const Body *body, RoleId role)
{
    const Resolver *resolver = body->resolver;
    const RoleList *list = list_of(resolver->out->program, role);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (is_abstract_role(body, list->roles[i]))
            return true;
    return list == NULL && role >= resolver->role_count && role < resolver->role_capacity;
}

// W[*] of a list of roles is a parameter for each of them: each computes its argument on its own.
static bool located_arguments(Body *body, const TreeArg *arg, const TreeParam *tree, const Env *callee, Node *node,
                              size_t *located, NodeList *before, const char *name)
{
    const RoleList *list = list_in_ref(body->resolver, callee, &tree->at);
    bool fine = true;
    if (list != NULL && list->count > 1 && arg->call != NULL) {
        diag_error(body->resolver->diags, arg->span,
                   "'%s' wants a value of each role of a list here: bind the result of the call to a variable first",
                   name);
        *located += list->count;
        return false;
    }
    for (size_t i = 0; i < (list != NULL ? list->count : 1) && fine; i++)
        fine = located_argument(body, arg, &node->callee->params.items[(*located)++], name, node, before);
    return fine;
}

bool resolve_call(Body *body, const TreeCall *call, Node *node, NodeList *before)
{
    FunctionValue function = {0};
    if (!find_function(body, &call->function, &call->role_args, &function))
        return false;
    const char *name = call->function.text;
    const TreeParamList *params = function.def != NULL ? &function.def->params : function.signature->params;
    Span defined = function.def != NULL ? function.def->name.span : function.signature->span;
    if (!check_count(body, call, name, params->count, defined))
        return false;

    Env callee = {function.def != NULL ? function.def : function.owner,
                  function.role_args,
                  {0},
                  body->env->is_abstract,
                  NULL,
                  NULL,
                  NULL,
                  ROLE_NONE};
    bool fine = true;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i].is_function)
            fine &= function_argument(body, &call->args.items[i], &callee, &params->items[i], &callee.function_args);
    if (!fine)
        return false;

    if (function.def == NULL) {
        node->callee = new_signature(body->resolver, &function);
    } else {
        bool is_abstract = false;
        for (size_t i = 0; i < function.def->role_params.count; i++)
            is_abstract |= is_abstract_role(body, function.role_args[i]);
        for (size_t i = 0; i < callee.function_args.count; i++)
            is_abstract |= callee.function_args.items[i].def == NULL;
        // What only an unused definition calls is not part of the program either.
        is_abstract |=
            body->env->is_abstract && (callee.function_args.count > 0 || function.def->role_params.count > 0);
        node->callee = get_instance(body->resolver, function.def, function.role_args, callee.function_args, is_abstract,
                                    call->span);
        node->given = function.given;
    }
    if (node->callee == NULL)
        return false;
    size_t located = 0;
    for (size_t i = 0; i < params->count; i++)
        if (!params->items[i].is_function)
            fine &=
                located_arguments(body, &call->args.items[i], &params->items[i], &callee, node, &located, before, name);
    return fine && !node->callee->is_doubtful;
}
