// nested.c: a call as an argument, `g(f(Alice.x))`: the inner one is a call of its own before the outer one, whose result goes to
// a variable that has no other use. The variable is called like the function: so the function's name is the text of its value.

#include "compiler/check/body.h"

#include <string.h>

static Span name_of(const TreeCall *call)
{
    const char *dot = strrchr(call->function.text, '.');
    size_t length = strlen(dot != NULL ? dot + 1 : call->function.text);
    Span span = call->function.span;
    span.start = span.end - (uint32_t)length;
    return span;
}

// False: it can't be one value, which is reported.
static bool check_result(Body *body, const TreeCall *call, const Instance *callee)
{
    Diags *diags = body->resolver->diags;
    const char *name = call->function.text;
    if (callee->results.count == 1 && !callee->results.items[0].is_tuple)
        return true;
    if (callee->results.count == 0)
        diag_error(diags, call->span, "'%s' has no result that could be an argument", name);
    else if (callee->results.count > 1)
        diag_error(diags, call->span, "'%s' has %zu results: bind the one that is meant to a variable first", name,
                   callee->results.count);
    else
        diag_error(diags, call->span, "the result of '%s' is a tuple: take it apart first, '{a, b}'", name);
    diag_note(diags, callee->def->name.span, "it is defined here");
    return false;
}

static Pattern *bind_result(Body *body, const RoleSet *at, Span name)
{
    Resolver *resolver = body->resolver;
    Pattern *pattern = ARENA_NEW(resolver->arena, Pattern);
    *pattern = (Pattern){.kind = PATTERN_BIND, .span = name, .declares = true, .id = resolver->out->pattern_count++};
    const char *text = span_copy(resolver->arena, resolver->out->sources, name);
    for (ROLESET_EACH(role, at)) {
        // All members of a family have the same one.
        Variable *variable = variable_of_role(&pattern->variables, resolver->out->program->role_of[role]);
        if (variable == NULL) {
            variable = new_variable(resolver, body->instance, role, text, name);
            variable->round = body->round;
            scope_bind(&resolver->scope, variable);
        } else if (variable->owner != role) {
            variable->owner = variable->role;
        }
        vector_push(resolver->arena, &pattern->variables, variable);
    }
    return pattern;
}

static void forget(void *context, Variable *variable)
{
    Resolved *out = context;
    out->visible.items[variable->id].to = variable->span.end;
}

bool resolve_nested(Body *body, const TreeArg *arg, NodeList *before, Value *value)
{
    Resolver *resolver = body->resolver;
    const TreeCall *call = arg->call;
    Node *node = new_node(body, NODE_CALL, call->span);
    if (!resolve_call(body, call, node, before) || !check_result(body, call, node->callee))
        return false;
    LocatedPattern result = {.at = as_given(body, node, &node->callee->results.items[0].at)};
    Span name = name_of(call);
    scope_enter(&resolver->scope);
    result.pattern = bind_result(body, &result.at, name);
    *value = (Value){.at = result.at, .span = arg->span};
    vector_push(resolver->arena, &value->exprs, resolve_c(body, &result.at, name, CFORM_BARE));
    scope_leave(&resolver->scope, forget, resolver->out);
    vector_push(resolver->arena, &node->results, result);
    vector_push(resolver->arena, before, node);
    return true;
}
