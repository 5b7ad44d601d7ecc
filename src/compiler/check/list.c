// list.c: a list of single roles that is given for a family, `collect[{Left, Right}, Queue]`.
//
// In the definition `for (w : W)` is written out, once for each role of the list; W[*] is the set of them, or each of them on its own
// where members of a family would act on their own; W_count and w are numbers. Nobody behind the resolver knows of lists.

#include "compiler/check/body.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- lists ----

RoleId get_list(Resolver *resolver, const RoleId *roles, size_t count, Span span)
{
    Program *program = resolver->out->program;
    const char *name = "";
    for (size_t i = 0; i < program->lists.count; i++)
        if (program->lists.items[i]->count == count &&
            memcmp(program->lists.items[i]->roles, roles, count * sizeof *roles) == 0)
            return (RoleId)(program->list_first + i);
    if (program->lists.count == LISTS_MAX) {
        diag_error(resolver->diags, span, "more than %d different lists of roles", LISTS_MAX);
        return ROLE_NONE;
    }
    RoleList *list = ARENA_NEW(resolver->arena, RoleList);
    *list = (RoleList){ARENA_ARRAY(resolver->arena, RoleId, count), count};
    for (size_t i = 0; i < count; i++) {
        list->roles[i] = roles[i];
        const char *role = program->role_names[roles[i]] != NULL ? program->role_names[roles[i]] : "W";
        name = arena_printf(resolver->arena, "%s%s%s", name, i == 0 ? "" : "_", role);
    }
    RoleId id = (RoleId)(program->list_first + program->lists.count);
    vector_push(resolver->arena, &program->lists, list);
    program->role_names[id] = name;
    return id;
}

RoleId find_list(Body *body, const RoleRef *ref)
{
    Resolver *resolver = body->resolver;
    const Program *program = resolver->out->program;
    RoleId *roles = ARENA_ARRAY(resolver->arena, RoleId, ref->names.count + 1);
    for (size_t i = 0; i < ref->names.count; i++) {
        const Name *name = &ref->names.items[i];
        RoleId role = find_role(resolver, body->env, name);
        bool is_selected = i < ref->selects.count && ref->selects.items[i].kind != SELECT_NONE;
        if (role == ROLE_NONE)
            return ROLE_NONE;
        if (is_selected || program->is_family[role] || program->role_of[role] != role) {
            diag_error(resolver->diags, name->span,
                       "a list of roles that is given for a family has single roles in it: families, and members of "
                       "them, can't be there yet");
            return ROLE_NONE;
        }
        for (size_t k = 0; k < i; k++)
            if (roles[k] == role) {
                diag_error(resolver->diags, name->span, "'%s' is twice in this list of roles", name->text);
                return ROLE_NONE;
            }
        roles[i] = role;
    }
    return get_list(resolver, roles, ref->names.count, ref->span);
}

bool roles_meet(const Program *program, RoleId one, RoleId other)
{
    const RoleList *list = list_of(program, one);
    if (list == NULL)
        return list_of(program, other) != NULL ? roles_meet(program, other, one) : one == other;
    for (size_t i = 0; i < list->count; i++)
        if (roles_meet(program, other, list->roles[i]))
            return true;
    return false;
}

const RoleList *list_in_ref(const Resolver *resolver, const Env *env, const RoleRef *ref)
{
    bool is_all = !ref->is_set && ref->names.count == 1 && ref->selects.count == 1;
    if (!is_all || ref->selects.items[0].kind != SELECT_ALL)
        return NULL;
    for (size_t i = env->def->role_params.count; i-- > 0;)
        if (strcmp(env->def->role_params.items[i].text, ref->names.items[0].text) == 0)
            return list_of(resolver->out->program, env->role_args[i]);
    return NULL;
}

// ---- numbers ----

Variable *new_fixed(Body *body, RoleId role, const char *name, size_t value)
{
    Instance *instance = body->instance;
    size_t before = instance->variables.count;
    Variable *variable = new_variable(body->resolver, instance, role, name, instance->def->name.span);
    instance->variables.count = before; // it is in no frame
    variable->is_count = variable->is_read = variable->is_fixed = true;
    variable->fixed = value;
    variable->family = ROLE_NONE;
    vector_push(body->resolver->arena, &instance->counts, variable);
    return variable;
}

// An index that is known here: numbers, the roles of `for`, W_count, and what is computed of them.
typedef struct {
    const Resolver *resolver;
    const Env *env;
    const char *at;
    bool is_wrong;
} Index;

static size_t read_sum(Index *index);

static void skip_spaces(Index *index)
{
    while (isspace((unsigned char)*index->at))
        index->at++;
}

static bool take(Index *index, char c)
{
    skip_spaces(index);
    if (*index->at != c)
        return false;
    index->at++;
    return true;
}

static size_t read_name(Index *index)
{
    const char *start = index->at;
    const TreeDef *def = index->env->def;
    while (isalnum((unsigned char)*index->at) || *index->at == '_')
        index->at++;
    size_t length = (size_t)(index->at - start);
    for (const Focus *focus = index->env->focus; focus != NULL; focus = focus->outer)
        if (focus->name != NULL && focus->node->kind == NODE_BLOCK && strlen(focus->name) == length &&
            strncmp(focus->name, start, length) == 0)
            return focus->node->positions.items[0]->fixed;
    for (size_t i = 0; i < def->role_params.count; i++) {
        const char *name = arena_printf(index->resolver->arena, "%s_count", def->role_params.items[i].text);
        const RoleList *list = list_of(index->resolver->out->program, index->env->role_args[i]);
        if (list != NULL && strlen(name) == length && strncmp(name, start, length) == 0)
            return list->count;
    }
    index->is_wrong = true;
    return 0;
}

static size_t read_factor(Index *index)
{
    char *end;
    if (take(index, '(')) {
        size_t value = read_sum(index);
        index->is_wrong |= !take(index, ')');
        return value;
    }
    if (!isdigit((unsigned char)*index->at))
        return read_name(index);
    size_t value = strtoul(index->at, &end, 0);
    index->at = end;
    return value;
}

static size_t read_product(Index *index)
{
    size_t value = read_factor(index);
    for (;;) {
        bool is_times = take(index, '*'), is_rest = !is_times && take(index, '%');
        if (!is_times && !is_rest && !take(index, '/'))
            return value;
        size_t other = read_factor(index);
        index->is_wrong |= !is_times && other == 0;
        if (is_times)
            value *= other;
        else if (other != 0)
            value = is_rest ? value % other : value / other;
    }
}

static size_t read_sum(Index *index)
{
    size_t value = read_product(index);
    for (;;) {
        if (take(index, '+'))
            value += read_product(index);
        else if (take(index, '-'))
            value -= read_product(index);
        else
            return value;
    }
}

RoleId find_in_list(Resolver *resolver, const Env *env, const RoleList *list, const Select *select)
{
    // A stand-in for any family.
    if (env->is_abstract)
        return list->roles[0];
    Index index = {resolver, env, span_copy(resolver->arena, resolver->out->sources, select->index.span), false};
    size_t value = read_sum(&index);
    skip_spaces(&index);
    if (index.is_wrong || *index.at != '\0') {
        diag_error(
            resolver->diags, select->span,
            "of a list of roles, one can be chosen only by an index that the compiler knows: numbers, the role of "
            "a 'for', and how many there are");
        return ROLE_NONE;
    }
    if (value >= list->count) {
        diag_error(resolver->diags, select->span, "there is no role with this index: the list has %zu", list->count);
        return ROLE_NONE;
    }
    return list->roles[value];
}

// ---- statements ----

bool resolve_for_list(Body *body, const Stmt *stmt, const TreeBlock *block, NodeList *nodes, const RoleList *list,
                      bool (*rest)(Body *, const TreeBlock *, NodeList *))
{
    Resolver *resolver = body->resolver;
    Node *outer_loop = body->loop;
    bool goes_on = true;
    if (stmt->kind == STMT_PAR && !body->env->is_abstract) {
        diag_error(resolver->diags, stmt->span, "'par' over a list of roles is not supported yet");
        return true;
    }
    for (size_t i = 0; i < list->count && goes_on; i++) {
        Node *node = new_node(body, NODE_BLOCK, stmt->span);
        node->view = node->family = list->roles[i];
        for (RoleId role = 0; role < resolver->role_count; role++)
            vector_push(resolver->arena, &node->positions, new_fixed(body, role, stmt->member.text, i));
        Focus focus = {stmt->member.text, NULL, NULL, NULL, node, resolver->scope.depth, body->env->focus};
        body->env->focus = &focus;
        body->loop = node;
        goes_on = rest(body, block, &node->body);
        body->loop = outer_loop;
        body->env->focus = focus.outer;
        vector_push(resolver->arena, nodes, node);
    }
    return goes_on;
}

void resolve_for_all(Body *body, const Stmt *stmt, const RoleRef *ref, NodeList *nodes,
                     void (*resolve)(Body *, const Stmt *, NodeList *))
{
    Env *env = body->env;
    const RoleList *list = list_in_ref(body->resolver, env, ref), *outer = env->only_of;
    for (size_t i = 0; i < (list != NULL ? list->count : 1); i++) {
        env->only_of = list != NULL ? list : outer;
        env->only = list != NULL ? list->roles[i] : env->only;
        resolve(body, stmt, nodes);
    }
    env->only_of = outer;
}
