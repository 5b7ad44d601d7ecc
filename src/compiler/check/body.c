// Statements of one instance: tree to nodes.
//
// Each function says whether control can go on behind the statement. This is the only rule for it, for results that are
// missing, cases that fall through and statements that are never reached. `return`, `break` and `continue` leave; so do
// an `if` with an `else` and a checkpoint, if all their parts do; a `switch` with a `default` none of whose cases ends in
// `break`; a loop without a condition that no `break` leaves. A call always goes on, and so does a loop with a condition.

#include "compiler/check/body.h"

#include <string.h>

static bool resolve_block(Body *body, const TreeBlock *block, NodeList *nodes);

// Where a scope ends its variables are out of sight: kept for explanations.
typedef struct {
    Resolved *out;
    uint32_t end;
} ScopeEnd;

static void left_scope(void *context, Variable *variable)
{
    const ScopeEnd *scope_end = context;
    scope_end->out->visible.items[variable->id].to = scope_end->end;
}

static void enter(Body *body)
{
    scope_enter(&body->resolver->scope);
}

static void leave(Body *body, uint32_t end)
{
    ScopeEnd scope_end = {body->resolver->out, end};
    scope_leave(&body->resolver->scope, left_scope, &scope_end);
}

static void add(Body *body, NodeList *nodes, Node *node)
{
    vector_push(body->resolver->arena, nodes, node);
}

// ---- deliveries ----

static bool check_shapes(Body *body, const Value *value, const Pattern *pattern)
{
    Diags *diags = body->resolver->diags;
    if (value->is_tuple && pattern->kind == PATTERN_DROP)
        return true;
    if (value->is_tuple != (pattern->kind == PATTERN_TUPLE)) {
        if (value->is_tuple)
            diag_error(diags, pattern->span, "a tuple of %zu values goes to a tuple: '{a, b}'", value->exprs.count);
        else
            diag_error(diags, pattern->span,
                       "this takes %zu values, but one is sent: send a tuple, or take a struct "
                       "apart with '{.field, ...}'",
                       pattern->parts.count);
        return false;
    }
    if (value->is_tuple && value->exprs.count != pattern->parts.count) {
        diag_error(diags, pattern->span, "%zu values are sent, but %zu are taken here", value->exprs.count,
                   pattern->parts.count);
        return false;
    }
    return true;
}

static bool is_of_list(const Body *body, RoleId role)
{
    const Env *env = body->env;
    for (size_t i = 0; i < env->def->role_params.count; i++)
        if (env->role_args[i] != role && roles_meet(body->resolver->out->program, env->role_args[i], role))
            return true;
    return false;
}

// Two names may mean the same role of a list, as they may mean the same member of a family: then a delivery is an assignment.
static bool is_own_delivery(const Body *body, const Node *node)
{
    return roleset_count(&node->to.at) == 1 && roleset_has(&node->to.at, node->from) && !node->sent.is_tuple &&
           is_of_list(body, node->from);
}

static void check_self_send(Body *body, const Stmt *stmt, const Node *node)
{
    if (roleset_count(&node->to.at) != 1 || !roleset_has(&node->to.at, node->from))
        return;
    if (is_own_delivery(body, node))
        return;
    const char *written = who(body->resolver, body->env, node->from);
    const char *role = body->resolver->out->program->role_names[node->from];
    diag_error(body->resolver->diags, stmt->span, "%s sends to itself", written);
    if (strcmp(written, role) != 0)
        diag_note(body->resolver->diags, SPAN_NONE, "'%s' is called with %s for %s", body->instance->def->name.text,
                  role, written);
    else
        diag_note(body->resolver->diags, SPAN_NONE, "what stays with %s is assigned: '%s.y = x;'", role, role);
}

// Who sends: the first role of an agreeing set, since that is there in any case; else the first member. ROLE_NONE: reported.
static RoleId find_sender(Body *body, const Value *sent)
{
    const Program *program = body->resolver->out->program;
    RoleId view = ROLE_NONE, family = ROLE_NONE;
    for (ROLESET_EACH(role, &sent->at)) {
        if (program->is_family[role])
            family = role;
        else if (program->role_of[role] == role)
            return role;
        else if (view == ROLE_NONE && !roleset_has(&sent->at, program->role_of[role]))
            view = role;
    }
    if (view != ROLE_NONE || family == ROLE_NONE)
        return view;
    const char *name = who(body->resolver, body->env, family);
    diag_error(body->resolver->diags, sent->span, "one role sends in a delivery, not all members of '%s'", name);
    diag_note(body->resolver->diags, SPAN_NONE, "one after the other is 'for (w : %s) { w.x ~> ...; }'", name);
    return ROLE_NONE;
}

static void resolve_delivery(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_DELIVERY, stmt->span);
    bool sent = resolve_value(body, stmt->expr, &node->sent);
    bool to = find_roles(body->resolver, body->env, &stmt->target.at, &node->to.at);
    bool poison = !sent;
    if (!to)
        return;
    if (sent) {
        node->from = find_sender(body, &node->sent);
        if (node->from == ROLE_NONE) {
            resolve_target(body, &node->to.at, stmt->target.target, true);
            return;
        }
        check_self_send(body, stmt, node);
        poison =
            roleset_count(&node->to.at) == 1 && roleset_has(&node->to.at, node->from) && !is_own_delivery(body, node);
        for (size_t i = 0; i < node->sent.exprs.count; i++)
            poison |= local_c(node->sent.exprs.items[i])->is_poisoned;
        // The first of an agreeing set sends for all of them.
        if (roleset_count(&node->sent.at) > 1) {
            RoleSet first = new_set(body->resolver, body->env);
            roleset_add(&first, node->from);
            Value narrowed = {.span = node->sent.span, .is_tuple = node->sent.is_tuple, .at = first};
            for (size_t i = 0; i < node->sent.exprs.count; i++)
                vector_push(
                    body->resolver->arena, &narrowed.exprs,
                    resolve_c(body, &first, node->sent.exprs.items[i]->span, local_c(node->sent.exprs.items[i])->form));
            node->sent = narrowed;
        }
    }
    node->to.pattern = resolve_target(body, &node->to.at, stmt->target.target, poison);
    if (!poison && is_own_delivery(body, node)) {
        node->kind = NODE_STEP;
        node->at = node->to.at;
        node->target = node->to.pattern;
        node->op = "=";
        node->value = node->sent.exprs.items[0];
    }
    if (!poison && check_shapes(body, &node->sent, node->to.pattern))
        add(body, nodes, node);
    else if (sent && poison)
        return;
}

// ---- local steps ----

static bool is_over_family(const Body *body, const TypeText *type)
{
    const Resolved *out = body->resolver->out;
    RoleId family = family_of_type(out, body->env->def, body->env->role_args, type);
    return family != ROLE_NONE && list_of(out->program, family) == NULL;
}

static void resolve_assign(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_STEP, stmt->span);
    if (!find_roles(body->resolver, body->env, &stmt->target.at, &node->at))
        return;
    const Target *target = stmt->target.target;
    bool has_value = stmt->op != NULL && strcmp(stmt->op, "++") != 0 && strcmp(stmt->op, "--") != 0;
    bool is_plain = stmt->op == NULL || strcmp(stmt->op, "=") == 0;
    node->op = stmt->op;
    node->divides = stmt->op != NULL && (strcmp(stmt->op, "/=") == 0 || strcmp(stmt->op, "%=") == 0);
    if (has_value)
        node->value = resolve_c(body, &node->at, stmt->value.span, CFORM_BARE);
    bool poison = node->value != NULL && local_c(node->value)->is_poisoned;
    if (target->kind == TARGET_TUPLE || target->kind == TARGET_MATCH || target->kind == TARGET_DROP) {
        diag_error(body->resolver->diags, target->span, "this can't be assigned to");
        return;
    }
    if (!is_plain && target->kind == TARGET_NAME)
        for (ROLESET_EACH(role, &node->at))
            if (lookup_variable(body, role, target->name.text) == NULL) {
                explain_missing(body->resolver->out, body->instance, role, who(body->resolver, body->env, role),
                                target->name.text, target->name.span, ROLE_NONE);
                return;
            }
    if (target->kind == TARGET_DECLARE && node->value != NULL && node->value->is_braces &&
        is_over_family(body, &target->type)) {
        diag_error(body->resolver->diags, node->value->span,
                   "an array over a family has as many elements as there are members: it begins with zeros, without a "
                   "list of values");
        poison = true;
    }
    node->target = resolve_target(body, &node->at, target, poison);
    if (!poison && node->target->kind != PATTERN_DROP)
        add(body, nodes, node);
}

static void resolve_local(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_STEP, stmt->span);
    Value value;
    if (!resolve_value(body, stmt->expr, &value))
        return;
    if (value.is_tuple) {
        diag_error(body->resolver->diags, stmt->span, "a tuple alone does nothing");
        return;
    }
    node->at = value.at;
    node->value = value.exprs.items[0];
    add(body, nodes, node);
}

// ---- calls and their results ----

static const Result *result_at(const Body *body, const Node *node, const RoleSet *at)
{
    const Instance *callee = node->callee;
    for (size_t i = 0; i < callee->results.count; i++) {
        RoleSet given = as_given(body, node, &callee->results.items[i].at);
        if (roleset_covers(&given, at))
            return &callee->results.items[i];
    }
    return NULL;
}

static void bind_result_at(Body *body, const LocatedTarget *tree, Node *node, RoleSet at, bool fine)
{
    Resolver *resolver = body->resolver;
    LocatedPattern located = {.at = at};
    RoleSet plain = without_views(resolver->arena, resolver->out->program, &located.at);
    const Result *result = fine ? result_at(body, node, &plain) : NULL;
    if (fine && result == NULL) {
        diag_error(resolver->diags, tree->span, "'%s' has no result at %s", node->callee->def->name.text,
                   who_all(resolver, body->env, &located.at));
        diag_note(resolver->diags, node->callee->def->name.span, "it is defined here");
    }
    for (size_t i = 0; result != NULL && i < node->results.count; i++)
        if (roleset_meets(&node->results.items[i].at, &located.at)) {
            diag_error(resolver->diags, tree->span, "the result at %s is taken twice",
                       who_all(resolver, body->env, &located.at));
            result = NULL;
        }
    located.pattern = resolve_target(body, &located.at, tree->target, result == NULL);
    if (result == NULL)
        return;
    bool takes_tuple = located.pattern->kind == PATTERN_TUPLE;
    if (located.pattern->kind != PATTERN_DROP && takes_tuple != result->is_tuple) {
        diag_error(resolver->diags, tree->span,
                   result->is_tuple ? "this result is a tuple of %zu values: take it apart "
                                      "with '{a, b}'"
                                    : "this result is %zu value, not a tuple",
                   result->types.count);
        return;
    }
    if (takes_tuple && located.pattern->parts.count != result->types.count) {
        diag_error(resolver->diags, tree->span, "this result has %zu values, but %zu are taken here",
                   result->types.count, located.pattern->parts.count);
        return;
    }
    vector_push(resolver->arena, &node->results, located);
}

// Does each of these roles have a result of its own, as those of a list have?
static bool has_results_each(Body *body, const Node *node, const RoleSet *at)
{
    if (result_at(body, node, at) != NULL)
        return false;
    for (ROLESET_EACH(role, at)) {
        RoleSet one = new_set(body->resolver, body->env);
        roleset_add(&one, role);
        if (result_at(body, node, &one) == NULL)
            return false;
    }
    return true;
}

static void bind_result(Body *body, const LocatedTarget *tree, Node *node, bool fine)
{
    RoleSet at;
    if (!find_roles(body->resolver, body->env, &tree->at, &at))
        return;
    if (!fine || body->resolver->out->program->lists.count == 0 || !has_results_each(body, node, &at)) {
        bind_result_at(body, tree, node, at, fine);
        return;
    }
    for (ROLESET_EACH(role, &at)) {
        RoleSet one = new_set(body->resolver, body->env);
        roleset_add(&one, role);
        bind_result_at(body, tree, node, one, fine);
    }
}

static void resolve_call_stmt(Body *body, const Stmt *stmt, NodeList *nodes)
{
    if (is_agree_call(body, stmt->call)) {
        resolve_agree(body, stmt, nodes);
        return;
    }
    Node *node = new_node(body, NODE_CALL, stmt->span);
    bool fine = resolve_call(body, stmt->call, node, nodes);
    for (size_t i = 0; i < stmt->targets.count; i++)
        bind_result(body, &stmt->targets.items[i], node, fine);
    if (fine)
        add(body, nodes, node);
}

// ---- choices ----

// The condition, and the roles that decide. False: reported.
static bool resolve_condition(Body *body, const Stmt *stmt, Node *node)
{
    Value value;
    if (stmt->has_notify) {
        node->has_notify = true;
        node->notify_end = stmt->notify_end;
        RoleRef ref = {.names = stmt->notify, .span = stmt->span};
        node->notify = new_set(body->resolver, body->env);
        if (stmt->notify.count > 0)
            find_roles(body->resolver, body->env, &ref, &node->notify);
    }
    if (!resolve_value(body, stmt->expr, &value))
        return false;
    node->head = stmt->expr->span;
    if (value.is_tuple) {
        diag_error(body->resolver->diags, value.span, "a tuple can't be a condition");
        return false;
    }
    node->deciders = value.at;
    node->condition = value.exprs.items[0];
    node->condition->must_agree = true;
    return true;
}

static bool resolve_if(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_CHOICE, stmt->span);
    bool fine = resolve_condition(body, stmt, node);
    Branch then = {.span = stmt->body.span},
           otherwise = {.span = stmt->otherwise.span, .is_implied = !stmt->has_otherwise};
    if (!stmt->has_otherwise)
        otherwise.span = stmt->span;
    bool then_goes_on = resolve_block(body, &stmt->body, &then.body);
    bool else_goes_on = !stmt->has_otherwise || resolve_block(body, &stmt->otherwise, &otherwise.body);
    vector_push(body->resolver->arena, &node->branches, then);
    vector_push(body->resolver->arena, &node->branches, otherwise);
    if (fine)
        add(body, nodes, node);
    return then_goes_on || else_goes_on;
}

// The branch of one case. Does anything go on behind the switch from here?
static bool resolve_case(Body *body, const TreeCase *tree, const Node *node, bool fine, Branch *branch)
{
    Diags *diags = body->resolver->diags;
    bool outer_ends = body->case_ends;
    body->case_ends = false;
    for (size_t k = 0; fine && k < tree->labels.count; k++)
        vector_push(body->resolver->arena, &branch->labels,
                    resolve_c(body, &node->deciders, tree->labels.items[k].span, CFORM_BARE));
    bool falls_out = resolve_block(body, &tree->body, &branch->body);
    if (falls_out) {
        Span end = {tree->body.span.file, tree->body.span.end, tree->body.span.end};
        diag_error(diags, tree->span, "this case must end in 'break', 'return' or 'continue'");
        diag_note(diags, end, "it falls out of the case here");
    }
    bool goes_on = body->case_ends || falls_out;
    body->case_ends = outer_ends;
    return goes_on;
}

static bool resolve_switch(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_CHOICE, stmt->span);
    node->is_switch = true;
    bool fine = resolve_condition(body, stmt, node);
    bool has_default = false, goes_on = false;
    for (size_t i = 0; i < stmt->cases.count; i++) {
        const TreeCase *tree = &stmt->cases.items[i];
        Branch branch = {.is_default = tree->has_default, .span = tree->span};
        if (tree->has_default && has_default)
            diag_error(body->resolver->diags, tree->span, "this switch has two 'default' labels");
        has_default |= tree->has_default;
        goes_on |= resolve_case(body, tree, node, fine, &branch);
        vector_push(body->resolver->arena, &node->branches, branch);
    }
    if (!has_default) {
        Branch implied = {.is_default = true, .is_implied = true, .span = stmt->span};
        vector_push(body->resolver->arena, &node->branches, implied);
        goes_on = true;
    }
    if (fine)
        add(body, nodes, node);
    return goes_on;
}

// ---- loops ----

static bool has_break(const NodeList *nodes, const Node *loop);

static bool node_breaks(const Node *node, const Node *loop)
{
    if (node->kind == NODE_BREAK)
        return node->loop_node == loop;
    for (size_t i = 0; i < node->branches.count; i++)
        if (has_break(&node->branches.items[i].body, loop))
            return true;
    return has_break(&node->body, loop) || has_break(&node->rescue, loop);
}

static bool has_break(const NodeList *nodes, const Node *loop)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (node_breaks(nodes->items[i], loop))
            return true;
    return false;
}

static bool resolve_stmt(Body *body, const Stmt *stmt, NodeList *nodes);

static bool resolve_loop(Body *body, const Stmt *stmt, NodeList *nodes)
{
    enter(body);
    if (stmt->kind == STMT_FOR && stmt->init != NULL)
        resolve_stmt(body, stmt->init, nodes);
    Node *node = new_node(body, NODE_LOOP, stmt->span);
    node->loop = stmt->kind == STMT_DO ? LOOP_DO : stmt->kind == STMT_FOR ? LOOP_FOR : LOOP_WHILE;
    Node *outer = body->loop;
    body->loop = node;
    node->deciders = new_set(body->resolver, body->env);
    bool fine = true;
    // The condition of do-while is read behind the body, but sees only what was there before it.
    if (stmt->expr != NULL && stmt->kind != STMT_DO)
        fine = resolve_condition(body, stmt, node);
    resolve_block(body, &stmt->body, &node->body);
    if (stmt->expr != NULL && stmt->kind == STMT_DO)
        fine = resolve_condition(body, stmt, node);
    if (stmt->step != NULL)
        resolve_stmt(body, stmt->step, &node->step);
    body->loop = outer;
    leave(body, stmt->span.end);
    if (fine)
        add(body, nodes, node);
    return stmt->expr != NULL || has_break(&node->body, node);
}

static bool resolve_for_each(Body *body, const Stmt *stmt, NodeList *nodes)
{
    enter(body);
    bool goes_on = resolve_each(body, stmt, &stmt->body, nodes, resolve_block);
    leave(body, stmt->span.end);
    return goes_on;
}

static bool resolve_par_stmt(Body *body, const Stmt *stmt, NodeList *nodes)
{
    enter(body);
    bool goes_on = resolve_par(body, stmt, nodes, resolve_block);
    leave(body, stmt->span.end);
    return goes_on;
}

static void resolve_jump(Body *body, const Stmt *stmt, NodeList *nodes)
{
    if (stmt->ends_case) { // nothing to do: a case is over at its end
        body->case_ends = true;
        return;
    }
    Node *node = new_node(body, stmt->kind == STMT_BREAK ? NODE_BREAK : NODE_CONTINUE, stmt->span);
    node->loop_node = body->loop;
    if (body->loop != NULL && body->loop->kind == NODE_BLOCK && body->env->is_abstract)
        return;
    if (body->loop != NULL && body->loop->kind == NODE_BLOCK)
        diag_error(body->resolver->diags, stmt->span, "'%s' in a 'for' over a list of roles is not supported yet",
                   stmt->kind == STMT_BREAK ? "break" : "continue");
    else if (body->loop == NULL)
        diag_error(body->resolver->diags, stmt->span, "'%s' outside of a loop",
                   stmt->kind == STMT_BREAK ? "break" : "continue");
    else
        add(body, nodes, node);
}

// ---- return ----

static void check_return_call(Body *body, const Stmt *stmt, Node *node)
{
    const Instance *instance = body->instance, *callee = node->callee;
    for (size_t i = 0; i < instance->results.count; i++) {
        const Result *want = &instance->results.items[i];
        const Result *have = result_at(body, node, &want->at);
        if (have != NULL && have->is_tuple == want->is_tuple && have->types.count == want->types.count)
            continue;
        diag_error(body->resolver->diags, stmt->span,
                   have == NULL ? "'%s' has no result at %s, but '%s' needs one"
                                : "'%s' has another kind of result at %s than '%s'",
                   callee->def->name.text, who_all(body->resolver, body->env, &want->at), instance->def->name.text);
        diag_note(body->resolver->diags, want->span, "'%s' declares it here", instance->def->name.text);
        return;
    }
}

static const char *plural_values(size_t count)
{
    return count == 1 ? "value" : "values";
}

// One value, for the result at the same roles. False: reported.
static bool resolve_returned(Body *body, const TreeExpr *tree, Node *node, bool *given)
{
    Resolver *resolver = body->resolver;
    Instance *instance = body->instance;
    const char *name = instance->def->name.text;
    Value value;
    if (!resolve_value(body, tree, &value))
        return false;
    RoleSet at = without_views(resolver->arena, resolver->out->program, &value.at);
    size_t slot = 0;
    while (slot < instance->results.count && !roleset_equal(&instance->results.items[slot].at, &at))
        slot++;
    if (slot == instance->results.count) {
        diag_error(resolver->diags, value.span, "'%s' has no result at %s", name,
                   who_all(resolver, body->env, &value.at));
        diag_note(resolver->diags, instance->def->name.span, "it is defined here");
        return false;
    }
    const Result *result = &instance->results.items[slot];
    size_t wanted = result->types.count;
    bool fine = false;
    if (given[slot])
        diag_error(resolver->diags, value.span, "the result at %s is given twice",
                   who_all(resolver, body->env, &value.at));
    else if (value.is_tuple != result->is_tuple || value.exprs.count != wanted)
        diag_error(resolver->diags, value.span, "'%s' returns %s%zu %s at %s, not %zu", name,
                   result->is_tuple ? "a tuple of " : "", wanted, plural_values(wanted),
                   who_all(resolver, body->env, &value.at), value.exprs.count);
    else
        fine = true;
    given[slot] = true;
    node->values.items[slot] = value;
    return fine;
}

static void resolve_return_values(Body *body, const Stmt *stmt, Node *node)
{
    Resolver *resolver = body->resolver;
    Instance *instance = body->instance;
    bool *given = ARENA_ARRAY(resolver->arena, bool, instance->results.count + 1);
    bool fine = true;
    for (size_t k = 0; k < instance->results.count; k++)
        vector_push(resolver->arena, &node->values, (Value){0});
    for (size_t i = 0; i < stmt->values.count; i++) {
        const RoleList *list = list_in_ref(resolver, body->env, &stmt->values.items[i]->at);
        for (size_t k = 0; k < (list != NULL ? list->count : 1); k++) {
            body->env->only_of = list;
            body->env->only = list != NULL ? list->roles[k] : ROLE_NONE;
            fine &= resolve_returned(body, stmt->values.items[i], node, given);
        }
        body->env->only_of = NULL;
    }
    for (size_t i = 0; fine && i < instance->results.count; i++)
        if (!given[i]) {
            diag_error(resolver->diags, stmt->span, "'%s' must return a result at %s here", instance->def->name.text,
                       who_all(resolver, body->env, &instance->results.items[i].at));
            diag_note(resolver->diags, instance->results.items[i].span, "it is declared here");
            break;
        }
}

static void resolve_return(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_RETURN, stmt->span);
    if (body->in_arm) {
        diag_error(body->resolver->diags, stmt->span, "'return' can't leave an arm of 'par'");
        return;
    }
    if (stmt->call != NULL) {
        if (!resolve_call(body, stmt->call, node, nodes) || body->instance->is_doubtful)
            return;
        check_return_call(body, stmt, node);
    } else if (body->instance->is_doubtful) {
        Value ignored;
        for (size_t i = 0; i < stmt->values.count; i++)
            resolve_value(body, stmt->values.items[i], &ignored);
        return;
    } else {
        resolve_return_values(body, stmt, node);
    }
    add(body, nodes, node);
}

// ---- checkpoint ----

// `while (e) { ... }` is, in each round, `if (e) { ... } else { break; }`.
static bool resolve_round_condition(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *node = new_node(body, NODE_CHOICE, stmt->span);
    node->is_round_condition = true;
    bool fine = resolve_condition(body, stmt, node);
    Branch round = {.span = stmt->body.span}, end = {.span = node->head, .is_implied = true};
    bool goes_on = resolve_block(body, &stmt->body, &round.body);
    Node *leave = new_node(body, NODE_BREAK, node->head);
    leave->loop_node = body->loop;
    add(body, &end.body, leave);
    vector_push(body->resolver->arena, &node->branches, round);
    vector_push(body->resolver->arena, &node->branches, end);
    if (fine)
        add(body, nodes, node);
    return goes_on;
}

// Its body, and its rescue if there is one. Is the end of one of them reached?
static bool resolve_checkpoint_parts(Body *body, const Stmt *stmt, Node *node)
{
    bool goes_on = stmt->rounds == ROUNDS_WHILE ? resolve_round_condition(body, stmt, &node->body)
                                                : resolve_block(body, &stmt->body, &node->body);
    if (stmt->has_otherwise) {
        FaultScope fault = {stmt->fault.text, node, body->resolver->scope.depth, body->fault};
        if (stmt->fault.text != NULL)
            body->fault = &fault;
        goes_on |= resolve_block(body, &stmt->otherwise, &node->rescue);
        body->fault = fault.outer;
    }
    return goes_on;
}

static Node *new_checkpoint(Body *body, const Stmt *stmt)
{
    Node *node = new_node(body, NODE_CHECKPOINT, stmt->span);
    node->head = (Span){stmt->span.file, stmt->span.start, stmt->span.start + (uint32_t)strlen("checkpoint")};
    node->has_rescue = stmt->has_otherwise;
    node->is_durable = stmt->is_durable;
    if (stmt->is_durable && body->in_arm)
        diag_error(body->resolver->diags, node->head, "a durable block in an arm of 'par' is not supported yet");
    if (stmt->is_durable && program_has_families(body->resolver->out->program))
        diag_error(body->resolver->diags, node->head,
                   "a durable block in a choreography with families of roles is not supported yet");
    node->has_within = stmt->has_within;
    node->within_ns = stmt->within_ns;
    node->has_retry = stmt->has_retry;
    node->retry = stmt->retry;
    return node;
}

// `checkpoint for (;;) { ... }` is a loop without a condition around a checkpoint, each of whose instances is a round.
static bool resolve_rounds(Body *body, const Stmt *stmt, NodeList *nodes)
{
    Node *loop = new_node(body, NODE_LOOP, stmt->span), *outer = body->loop;
    loop->loop = LOOP_FOR;
    loop->deciders = new_set(body->resolver, body->env);
    Node *round = new_checkpoint(body, stmt);
    round->is_round = true;
    round->outer_round = body->round;
    loop->head = round->head;
    body->loop = loop;
    body->round = round;
    resolve_checkpoint_parts(body, stmt, round);
    body->loop = outer;
    body->round = round->outer_round;
    add(body, &loop->body, round);
    add(body, nodes, loop);
    return stmt->rounds == ROUNDS_WHILE || has_break(&loop->body, loop);
}

static bool resolve_checkpoint(Body *body, const Stmt *stmt, NodeList *nodes)
{
    if (stmt->rounds != ROUNDS_NONE)
        return resolve_rounds(body, stmt, nodes);
    Node *node = new_checkpoint(body, stmt);
    bool goes_on = resolve_checkpoint_parts(body, stmt, node);
    add(body, nodes, node);
    return goes_on;
}

// ---- blocks ----

static bool resolve_plain(Body *body, const Stmt *stmt, NodeList *nodes)
{
    switch (stmt->kind) {
    case STMT_DELIVERY:
        resolve_delivery(body, stmt, nodes);
        return true;
    case STMT_ASSIGN:
        resolve_for_all(body, stmt, &stmt->target.at, nodes, resolve_assign);
        return true;
    case STMT_LOCAL:
        resolve_for_all(body, stmt, &stmt->expr->at, nodes, resolve_local);
        return true;
    case STMT_CALL:
        resolve_call_stmt(body, stmt, nodes);
        return true;
    case STMT_IF:
        return resolve_if(body, stmt, nodes);
    case STMT_SWITCH:
        return resolve_switch(body, stmt, nodes);
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        return resolve_loop(body, stmt, nodes);
    case STMT_EACH:
        return resolve_for_each(body, stmt, nodes);
    case STMT_PAR:
        return resolve_par_stmt(body, stmt, nodes);
    case STMT_BREAK:
    case STMT_CONTINUE:
        resolve_jump(body, stmt, nodes);
        return false;
    case STMT_RETURN:
        resolve_return(body, stmt, nodes);
        return false;
    case STMT_CHECKPOINT:
        return resolve_checkpoint(body, stmt, nodes);
    case STMT_BLOCK: {
        Node *node = new_node(body, NODE_BLOCK, stmt->span);
        bool goes_on = resolve_block(body, &stmt->body, &node->body);
        add(body, nodes, node);
        return goes_on;
    }
    }
    return true;
}

static bool resolve_stmt(Body *body, const Stmt *stmt, NodeList *nodes)
{
    return resolve_selected(body, stmt, nodes, resolve_plain);
}

// Takes out the variables from `first` on: what would use them is not part of the program. A fault may also be used
// where it counts.
static void forget_variables(Instance *instance, size_t first)
{
    size_t count = first;
    for (size_t i = first; i < instance->variables.count; i++)
        if (instance->variables.items[i]->is_fault)
            instance->variables.items[count++] = instance->variables.items[i];
    instance->variables.count = count;
}

static bool resolve_statements(Body *body, const TreeBlock *block, NodeList *nodes)
{
    bool goes_on = true, warned = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        // `return ...; break;` is an old habit, and harmless.
        bool is_habit = stmt->kind == STMT_BREAK && stmt->ends_case;
        if (!goes_on && !warned && !is_habit) {
            diag_warning(body->resolver->diags, stmt->span, "this is never reached");
            warned = true;
        }
        // What is never reached is checked, but is not part of the program.
        NodeList unreached = {0};
        size_t variables = body->instance->variables.count;
        bool case_ends = body->case_ends;
        bool after = resolve_stmt(body, stmt, goes_on ? nodes : &unreached);
        if (!goes_on) {
            forget_variables(body->instance, variables);
            body->case_ends = case_ends;
        }
        goes_on = goes_on && after;
    }
    return goes_on;
}

static bool resolve_block(Body *body, const TreeBlock *block, NodeList *nodes)
{
    enter(body);
    bool goes_on = resolve_statements(body, block, nodes);
    leave(body, block->span.end);
    return goes_on;
}

static void bind_param(Body *body, const Param *param)
{
    Resolver *resolver = body->resolver;
    RoleSet twice = new_set(resolver, body->env);
    for (size_t i = 0; i < param->variables.count; i++) {
        Variable *variable = param->variables.items[i];
        if (scope_lookup(&resolver->scope, variable->role, variable->name, NULL) != NULL)
            roleset_add(&twice, variable->role);
        scope_bind(&resolver->scope, variable);
    }
    // One error for all roles.
    if (!roleset_empty(&twice))
        diag_error(resolver->diags, param->span,
                   roleset_count(&twice) == 1 ? "%s already has a parameter '%s'" : "%s already have a parameter '%s'",
                   who_all(resolver, body->env, &twice), param->variables.items[0]->name);
}

void resolve_body(Body *body)
{
    Instance *instance = body->instance;
    enter(body);
    enter_members(body);
    for (size_t i = 0; i < instance->params.count; i++)
        bind_param(body, &instance->params.items[i]);
    const TreeBlock *block = &instance->def->body;
    instance->falls_off = resolve_statements(body, block, &instance->body);
    leave(body, block->span.end);
    if (instance->falls_off && instance->results.count > 0 &&
        instance->def->body.span.end > instance->def->name.span.end && !body->env->is_abstract &&
        !instance->is_doubtful) {
        Span brace = {block->span.file, block->span.end - 1, block->span.end};
        diag_error(body->resolver->diags, brace, "'%s' can end here without its result at %s", instance->def->name.text,
                   who_all(body->resolver, body->env, &instance->results.items[0].at));
        diag_note(body->resolver->diags, instance->results.items[0].span, "it is declared here");
    }
}
