// each.c: members of families: `for (w : Worker)`, Worker[e], and what their names mean in local C.
//
// Both become an EACH: in its body a view of the family is the member, and a variable of every role that may have to do with it
// says which one that is. A statement that names Worker[e] stands in an EACH of its own.

#include "compiler/check/body.h"

#include <stdio.h>
#include <string.h>

// ---- views ----

// The same statement always has the same view of a family, in however many instances it stands.
RoleId get_view(Resolver *resolver, const void *key, RoleId family, const char *name)
{
    Program *program = resolver->out->program;
    char text[64];
    snprintf(text, sizeof text, "%p %u", key, family);
    uintptr_t found = (uintptr_t)map_get(&resolver->view_by_key, text);
    if (found != 0)
        return (RoleId)(found - 1);
    RoleId view = (RoleId)(resolver->role_capacity + resolver->view_by_key.count);
    map_put(&resolver->view_by_key, arena_printf(resolver->arena, "%s", text), (void *)(uintptr_t)(view + 1));
    program->role_of[view] = family;
    program->role_names[view] = name;
    return view;
}

// For each of these roles the variable that says which member the view is.
static void add_positions(Body *body, Node *node, const RoleSet *at, const char *name, Span span)
{
    Resolver *resolver = body->resolver;
    for (RoleId role = 0; role < resolver->role_count; role++) {
        bool has_part = at == NULL || roleset_has(at, role);
        for (const Focus *focus = body->env->focus; at != NULL && focus != NULL; focus = focus->outer)
            has_part |= focus->node->family == role && roleset_has(at, focus->node->view);
        if (!has_part)
            continue;
        Variable *variable = new_variable(resolver, body->instance, role, name, span);
        variable->is_index = variable->is_read = true;
        variable->family = node->family;
        variable->each = node;
        vector_push(resolver->arena, &node->positions, variable);
    }
}

void enter_members(Body *body)
{
    Instance *instance = body->instance;
    for (size_t i = 0; i < instance->members.count; i++) {
        Node *node = instance->members.items[i];
        Focus *focus = ARENA_NEW(body->resolver->arena, Focus);
        node->around = body->env->focus != NULL ? body->env->focus->node : NULL;
        *focus = (Focus){body->resolver->out->program->role_names[node->view],
                         NULL,
                         NULL,
                         NULL,
                         node,
                         body->resolver->scope.depth,
                         body->env->focus};
        body->env->focus = focus;
    }
}

// ---- names in local C ----

static Focus *find_focus(const Body *body, RoleId role, const char *name)
{
    uint32_t depth = 0;
    bool is_bound = scope_find(body, role, name, &depth) != NULL;
    for (Focus *focus = body->env->focus; focus != NULL; focus = focus->outer)
        if (focus->name != NULL && strcmp(focus->name, name) == 0 && (!is_bound || depth <= focus->depth))
            return focus;
    return NULL;
}

static bool is_prefix(const char *prefix, const char *name, size_t length)
{
    return strlen(prefix) == length && strncmp(prefix, name, length) == 0;
}

// The family whose size `name` is: Worker_count. ROLE_NONE: it is no such name.
static RoleId counted_family(const Body *body, const char *name)
{
    static const char suffix[] = "_count";
    const Program *program = body->resolver->out->program;
    size_t length = strlen(name), end = strlen(suffix);
    if (length <= end || strcmp(name + length - end, suffix) != 0)
        return ROLE_NONE;
    const TreeDef *def = body->env->def;
    for (size_t i = def->role_params.count; i-- > 0;)
        if (def->param_is_family.items[i] && is_prefix(def->role_params.items[i].text, name, length - end))
            return body->env->role_args[i];
    for (RoleId role = 0; role < program->role_count; role++)
        if (program->is_family[role] && is_prefix(program->role_names[role], name, length - end))
            return role;
    return ROLE_NONE;
}

static Variable *count_variable(Body *body, RoleId role, RoleId family, const char *name)
{
    Instance *instance = body->instance;
    for (size_t i = 0; i < instance->counts.count; i++)
        if (instance->counts.items[i]->role == role && instance->counts.items[i]->family == family &&
            strcmp(instance->counts.items[i]->name, name) == 0)
            return instance->counts.items[i];
    const RoleList *list = list_of(body->resolver->out->program, family);
    if (list != NULL) {
        Variable *fixed = new_fixed(body, role, name, list->count);
        fixed->family = family;
        return fixed;
    }
    size_t before = instance->variables.count;
    Variable *variable = new_variable(body->resolver, instance, role, name, instance->def->name.span);
    instance->variables.count = before; // it is in no frame
    variable->is_count = variable->is_read = true;
    variable->family = family;
    vector_push(body->resolver->arena, &instance->counts, variable);
    return variable;
}

Variable *lookup_member(Body *body, RoleId role, const char *name)
{
    const Program *program = body->resolver->out->program;
    const Focus *focus = find_focus(body, role, name);
    if (focus != NULL)
        return variable_of_role(&focus->node->positions, program->role_of[role]);
    RoleId family = counted_family(body, name);
    if (family == ROLE_NONE || scope_find(body, role, name, NULL) != NULL)
        return NULL;
    return count_variable(body, program->role_of[role], family, name);
}

bool is_member_name(Body *body, RoleId role, const char *name)
{
    return find_focus(body, role, name) != NULL ||
           (counted_family(body, name) != ROLE_NONE && scope_find(body, role, name, NULL) == NULL);
}

// ---- arrays ----

RoleId family_of_size(const Resolved *resolved, const TreeDef *def, const RoleId *role_args, const CText *size)
{
    const Program *program = resolved->program;
    const char *name = span_copy(resolved->arena, resolved->sources, size->span);
    for (size_t i = def->role_params.count; i-- > 0;)
        if (strcmp(def->role_params.items[i].text, name) == 0)
            return def->param_is_family.items[i] ? role_args[i] : ROLE_NONE;
    for (RoleId role = 0; def->module == NULL && role < program->role_count; role++)
        if (program->is_family[role] && strcmp(program->role_names[role], name) == 0)
            return role;
    return ROLE_NONE;
}

RoleId family_of_type(const Resolved *resolved, const TreeDef *def, const RoleId *role_args, const TypeText *type)
{
    return type->sizes.count > 0 ? family_of_size(resolved, def, role_args, &type->sizes.items[0]) : ROLE_NONE;
}

static bool is_family_in(const Resolved *resolved, const TreeDef *def, const CText *size)
{
    RoleId *anybody = ARENA_ARRAY(resolved->arena, RoleId, def->role_params.count + 1);
    return family_of_size(resolved, def, anybody, size) != ROLE_NONE;
}

static bool is_text_of(const Tree *tree, const CText *text)
{
    return text->span.file == tree->span.file && text->span.start >= tree->span.start &&
           text->span.end <= tree->span.end;
}

bool is_family_size(const Resolved *resolved, const CText *size)
{
    const Tree *tree = resolved->tree;
    for (size_t i = 0; is_text_of(tree, size) && i < tree->defs.count; i++)
        if (is_family_in(resolved, tree->defs.items[i], size))
            return true;
    for (size_t i = 0; i < resolved->imported.count; i++)
        if (is_text_of(resolved->imported.items[i]->module->tree, size) &&
            is_family_in(resolved, resolved->imported.items[i], size))
            return true;
    return false;
}

void check_sizes(Resolver *resolver, const Env *env, const TypeText *type)
{
    for (size_t i = 1; i < type->sizes.count; i++)
        if (family_of_size(resolver->out, env->def, env->role_args, &type->sizes.items[i]) != ROLE_NONE)
            diag_error(resolver->diags, type->sizes.items[i].span,
                       "the family comes first in the sizes of an array: 'x[%s][...]'",
                       span_copy(resolver->arena, resolver->out->sources, type->sizes.items[i].span));
}

// ---- for (w : Worker) ----

bool resolve_each(Body *body, const Stmt *stmt, const TreeBlock *block, NodeList *nodes,
                  bool (*rest)(Body *, const TreeBlock *, NodeList *))
{
    Resolver *resolver = body->resolver;
    RoleId family = find_role(resolver, body->env, &stmt->family);
    if (family == ROLE_NONE)
        return true;
    if (list_of(resolver->out->program, family) != NULL)
        return resolve_for_list(body, stmt, block, nodes, list_of(resolver->out->program, family), rest);
    Node *node = new_node(body, NODE_EACH, stmt->span), *outer_loop = body->loop;
    node->head = span_join(stmt->member.span, stmt->family.span);
    node->family = family;
    node->view = get_view(resolver, stmt, family, stmt->member.text);
    add_positions(body, node, NULL, stmt->member.text, stmt->member.span);
    Focus focus = {stmt->member.text, NULL, NULL, NULL, node, resolver->scope.depth, body->env->focus};
    body->env->focus = &focus;
    body->loop = node;
    rest(body, block, &node->body);
    body->loop = outer_loop;
    body->env->focus = focus.outer;
    vector_push(resolver->arena, nodes, node);
    // There may be no members: then it goes on at once.
    return true;
}

// ---- Worker[e] ----

typedef struct {
    const RoleRef *ref;
    size_t index; // of the name
} Selected;
typedef VECTOR(Selected) SelectedList;
typedef VECTOR(const RoleRef *) RefList;

static void add_ref(Body *body, const RoleRef *ref, RefList *refs)
{
    vector_push(body->resolver->arena, refs, ref);
}

static void add_expr(Body *body, const TreeExpr *expr, RefList *refs)
{
    if (expr != NULL)
        add_ref(body, &expr->at, refs);
}

static void add_call(Body *body, const TreeCall *call, RefList *refs)
{
    for (size_t i = 0; call != NULL && i < call->args.count; i++) {
        add_expr(body, call->args.items[i].expr, refs);
        add_call(body, call->args.items[i].call, refs);
    }
    for (size_t i = 0; call != NULL && i < call->role_args.count; i++)
        add_ref(body, &call->role_args.items[i], refs);
}

// The roles that the statement names itself. A loop asks its condition again and again: there no member is chosen.
static void collect_refs(Body *body, const Stmt *stmt, RefList *refs)
{
    bool is_loop = stmt->kind == STMT_WHILE || stmt->kind == STMT_DO || stmt->kind == STMT_FOR;
    if (is_loop || stmt->kind == STMT_CHECKPOINT || stmt->kind == STMT_PAR)
        return;
    add_expr(body, stmt->expr, refs);
    if (stmt->target.target != NULL)
        add_ref(body, &stmt->target.at, refs);
    for (size_t i = 0; i < stmt->targets.count; i++)
        add_ref(body, &stmt->targets.items[i].at, refs);
    for (size_t i = 0; i < stmt->values.count; i++)
        add_expr(body, stmt->values.items[i], refs);
    add_call(body, stmt->call, refs);
}

// Everybody whom the statement names, and the whole family of each member.
static RoleSet concerned_roles(Body *body, const Stmt *stmt, const RefList *refs)
{
    Resolver *resolver = body->resolver;
    RoleSet at = new_set(resolver, body->env);
    // What follows may concern anybody.
    bool is_open = stmt->kind == STMT_IF || stmt->kind == STMT_SWITCH || stmt->call != NULL;
    for (RoleId role = 0; is_open && role < resolver->role_count; role++)
        roleset_add(&at, role);
    for (size_t i = 0; i < refs->count; i++)
        for (size_t k = 0; k < refs->items[i]->names.count; k++) {
            const char *name = refs->items[i]->names.items[k].text;
            for (const Focus *focus = body->env->focus; focus != NULL; focus = focus->outer)
                if (focus->name != NULL && strcmp(focus->name, name) == 0)
                    roleset_add(&at, focus->node->family);
            uintptr_t role = (uintptr_t)map_get(&resolver->role_by_name, name);
            const TreeDef *def = body->env->def;
            for (size_t n = 0; n < def->role_params.count; n++)
                if (strcmp(def->role_params.items[n].text, name) == 0)
                    role = (uintptr_t)body->env->role_args[n] + 1;
            if (role != 0)
                roleset_add(&at, resolver->out->program->role_of[role - 1]);
        }
    for (const Focus *focus = body->env->focus; focus != NULL; focus = focus->outer)
        if (roleset_has(&at, focus->node->family))
            roleset_add(&at, focus->node->view);
    return at;
}

static Node *new_choice_of_member(Body *body, const Stmt *stmt, const Selected *selected, const RoleSet *at)
{
    Resolver *resolver = body->resolver;
    const Select *select = &selected->ref->selects.items[selected->index];
    const Name *name = &selected->ref->names.items[selected->index];
    RoleId family = find_role(resolver, body->env, name);
    if (family == ROLE_NONE || family >= resolver->role_count || !resolver->out->program->is_family[family])
        return NULL;
    Node *node = new_node(body, NODE_EACH, stmt->span);
    const char *shown = arena_printf(resolver->arena, "%s%s", name->text,
                                     span_copy(resolver->arena, resolver->out->sources, select->span));
    node->head = select->span;
    node->family = family;
    node->view = get_view(resolver, select, family, shown);
    node->index = resolve_c(body, at, select->index.span, CFORM_BARE);
    node->index->must_agree = true;
    add_positions(body, node, at, arena_printf(resolver->arena, "chx_member_%u", node->view), select->span);
    return node;
}

bool resolve_selected(Body *body, const Stmt *stmt, NodeList *nodes,
                      bool (*resolve)(Body *body, const Stmt *stmt, NodeList *nodes))
{
    RefList refs = {0};
    SelectedList selected = {0};
    if (body->resolver->id_capacity == body->resolver->role_capacity)
        return resolve(body, stmt, nodes);
    collect_refs(body, stmt, &refs);
    for (size_t i = 0; i < refs.count; i++)
        for (size_t k = 0; k < refs.items[i]->selects.count; k++)
            if (refs.items[i]->selects.items[k].kind == SELECT_ONE)
                vector_push(body->resolver->arena, &selected, ((Selected){refs.items[i], k}));
    if (selected.count == 0)
        return resolve(body, stmt, nodes);
    Focus *outer = body->env->focus;
    const Stmt *outer_stmt = body->env->stmt;
    body->env->stmt = stmt;
    RoleSet at = concerned_roles(body, stmt, &refs);
    for (size_t i = 0; i < selected.count; i++) {
        const Select *select = &selected.items[i].ref->selects.items[selected.items[i].index];
        const char *name = selected.items[i].ref->names.items[selected.items[i].index].text;
        if (focus_of_select(body->resolver, body->env, select, name) != NULL)
            continue;
        Node *node = new_choice_of_member(body, stmt, &selected.items[i], &at);
        if (node == NULL)
            continue;
        vector_push(body->resolver->arena, nodes, node);
        Focus *focus = ARENA_NEW(body->resolver->arena, Focus);
        *focus = (Focus){NULL, select, name, stmt, node, body->resolver->scope.depth, body->env->focus};
        body->env->focus = focus;
        add_views(body->resolver->out->program, node, &at);
        roleset_add(&at, node->view);
        nodes = &node->body;
    }
    bool goes_on = resolve(body, stmt, nodes);
    body->env->focus = outer;
    body->env->stmt = outer_stmt;
    return goes_on;
}
