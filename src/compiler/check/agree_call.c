// agree_call.c: `{A, B}.k = agree(A.x, B.y);`: roles that have computed one value each by themselves find out that it is
// the same one.
//
// It becomes a step of each role, `A.k = x` and `B.k = y`, and an AGREE node, in which they compare what they have.

#include "compiler/check/body.h"

#include <string.h>

bool is_agree_call(const Body *body, const TreeCall *call)
{
    if (strcmp(call->function.text, "agree") != 0 || map_has(&body->resolver->def_by_name, "agree"))
        return false;
    const TreeDef *def = body->env->def;
    for (size_t i = 0; i < def->params.count; i++)
        if (def->params.items[i].is_function && strcmp(def->params.items[i].name.text, "agree") == 0)
            return false;
    return true;
}

// "{A, B}.k = agree(A.k, B.k);" for the roles of the set.
static const char *example_of(const Body *body, const RoleSet *at, const char *name)
{
    Arena *arena = body->resolver->arena;
    const char *set = "", *values = "";
    for (ROLESET_EACH(role, at)) {
        const char *role_name = role_in_code(body->resolver->out->program, body->instance, role),
                   *comma = set[0] == '\0' ? "" : ", ";
        set = arena_printf(arena, "%s%s%s", set, comma, role_name);
        values = arena_printf(arena, "%s%s%s.%s", values, comma, role_name, name);
    }
    return arena_printf(arena, "{%s}.%s = agree(%s);", set, name, values);
}

// Each role would have to send to all members but itself, and to compare with all of them. False: reported.
static bool check_no_members(Body *body, Span span, const RoleSet *at)
{
    const Program *program = body->resolver->out->program;
    for (ROLESET_EACH(role, at)) {
        if (role < body->resolver->role_capacity && !program->is_family[role])
            continue;
        diag_error(body->resolver->diags, span, "'agree' among members of families is not supported yet");
        diag_note(body->resolver->diags, span,
                  "let one role deliver its value to the others, who insist on it: 'Alice.k ~> Worker[*].(k);'");
        return false;
    }
    return true;
}

// The set of roles, and what they agree on. False: reported.
static bool find_target(Body *body, const Stmt *stmt, RoleSet *at)
{
    Diags *diags = body->resolver->diags;
    if (stmt->targets.count != 1) {
        diag_error(diags, stmt->span,
                   "what roles agree on goes to one variable of a role set: '{A, B}.k = agree(A.k, B.k);'");
        return false;
    }
    const LocatedTarget *target = &stmt->targets.items[0];
    if (!find_roles(body->resolver, body->env, &target->at, at) || !check_no_members(body, target->span, at))
        return false;
    if (roleset_count(at) < 2) {
        diag_error(diags, target->span, "nobody is there for %s to agree with: '{%s, ...}.k = agree(...);'",
                   who_all(body->resolver, body->env, at), who_all(body->resolver, body->env, at));
        return false;
    }
    if (target->target->kind != TARGET_NAME && target->target->kind != TARGET_DECLARE) {
        diag_error(diags, target->target->span, "what roles agree on goes to a whole variable: '%s'",
                   example_of(body, at, "k"));
        return false;
    }
    return true;
}

// One argument: the value of one role of the set. False: reported.
static bool find_value(Body *body, const TreeArg *arg, const RoleSet *at, Value *values)
{
    const Resolver *resolver = body->resolver;
    Value value;
    if (arg->expr == NULL) {
        diag_error(resolver->diags, arg->span, "'agree' wants a value of one role here, '%s' is not located",
                   arg->function.text);
        return false;
    }
    if (!resolve_value(body, arg->expr, &value))
        return false;
    RoleId role = roleset_next(&value.at, 0);
    const char *name = who_all(resolver, body->env, &value.at);
    if (roleset_count(&value.at) > 1)
        diag_error(resolver->diags, arg->span, "'agree' wants a value of each role by itself, this is one of %s", name);
    else if (value.is_tuple)
        diag_error(resolver->diags, arg->span, "roles agree on one value, not on a tuple");
    else if (!roleset_has(at, role))
        diag_error(resolver->diags, arg->span, "%s is not among the roles that are to agree: %s", name,
                   who_all(resolver, body->env, at));
    else if (values[role].exprs.count > 0)
        diag_error(resolver->diags, arg->span, "the value of %s is given twice", name);
    else {
        values[role] = value;
        return true;
    }
    return false;
}

// By role, the value of each role of the set. False: reported.
static bool find_values(Body *body, const TreeCall *call, const RoleSet *at, const char *name, Value *values)
{
    const Resolver *resolver = body->resolver;
    bool fine = true;
    if (call->role_args.count > 0) {
        diag_error(resolver->diags, call->span, "'agree' takes no role arguments");
        fine = false;
    }
    for (size_t i = 0; i < call->args.count; i++)
        fine &= find_value(body, &call->args.items[i], at, values);
    for (ROLESET_EACH(role, at)) {
        if (!fine || values[role].exprs.count > 0)
            continue;
        diag_error(resolver->diags, call->span, "the value of %s is missing: '%s'", who(resolver, body->env, role),
                   example_of(body, at, name));
        fine = false;
    }
    return fine;
}

// `A.k = x`, unless it is `A.k = k`.
static void add_step(Body *body, const Stmt *stmt, const RoleSet *at, Expr *value, Pattern *target, NodeList *nodes)
{
    const LocalC *local = local_c(value);
    bool is_itself = value->is_variable && local->mentions.items[0].variables.items[0] == target->variables.items[0];
    if (is_itself)
        return;
    Node *node = new_node(body, NODE_STEP, stmt->span);
    node->at = *at;
    node->op = "=";
    node->value = value;
    node->is_for_agree = true;
    node->target = target;
    vector_push(body->resolver->arena, nodes, node);
}

// Nothing is said about variables that would have been bound.
static void bind_nothing(Body *body, const Stmt *stmt)
{
    for (size_t i = 0; i < stmt->targets.count; i++) {
        RoleSet at;
        if (find_roles(body->resolver, body->env, &stmt->targets.items[i].at, &at))
            resolve_target(body, &at, stmt->targets.items[i].target, true);
    }
}

void resolve_agree(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Resolver *resolver = body->resolver;
    Arena *arena = resolver->arena;
    RoleSet at;
    if (!find_target(body, stmt, &at)) {
        bind_nothing(body, stmt);
        return;
    }
    const Target *tree = stmt->targets.items[0].target;
    Value *values = arena_alloc(arena, resolver->role_capacity * sizeof *values);
    bool fine = find_values(body, stmt->call, &at, tree->name.text, values);
    for (ROLESET_EACH(role, &at))
        fine = fine && !local_c(values[role].exprs.items[0])->is_poisoned;

    Pattern *whole = ARENA_NEW(arena, Pattern);
    for (ROLESET_EACH(role, &at)) {
        RoleSet alone = new_set(resolver, body->env);
        roleset_add(&alone, role);
        Pattern *target = resolve_target(body, &alone, tree, !fine);
        if (target->kind != PATTERN_BIND) // the fault of a rescue, which is reported
            return;
        if (fine)
            add_step(body, stmt, &alone, values[role].exprs.items[0], target, nodes);
        vector_push(arena, &whole->variables, target->variables.items[0]);
        target->variables.items[0]->is_read = true;
    }
    whole->kind = PATTERN_BIND;
    whole->span = tree->span;
    whole->id = resolver->out->pattern_count++;
    Node *node = new_node(body, NODE_AGREE, stmt->span);
    node->at = at;
    node->target = whole;
    if (fine)
        vector_push(arena, nodes, node);
}
