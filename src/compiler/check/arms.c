// arms.c: see arms.h.

#include "compiler/check/arms.h"

#include "compiler/check/typing.h"

#include <string.h>

// A place where an arm uses a variable from around the `par`.
typedef struct {
    Variable *variable;
    const RoleSet *at; // who does it there
    Span span;
    bool assigns;
    Mention *mention; // NULL: it is bound
} Use;
typedef VECTOR(Use) UseList;

typedef struct {
    Arena *arena;
    Diags *diags;
    const Resolved *resolved;
    const Program *program;
    const Instance *instance;
    const Node *arm; // whose uses are collected
    UseList *uses;
} ArmCheck;

// ---- what an arm uses ----

static bool is_inside(Span span, Span around)
{
    return span.file == around.file && span.start >= around.start && span.end <= around.end;
}

static void add_uses(ArmCheck *check, const VariableList *variables, const RoleSet *at, Span span, bool assigns,
                     Mention *mention)
{
    for (size_t i = 0; i < variables->count; i++) {
        Variable *variable = variables->items[i];
        bool is_inner = is_inside(variable->span, check->arm->span);
        // Those that nobody can change are everybody's.
        if (is_inner || variable->is_count)
            continue;
        vector_push(check->arena, check->uses, ((Use){variable, at, span, assigns, mention}));
    }
}

// `assigned`: the first name in it is what the place belongs to.
static void add_expr(ArmCheck *check, const Expr *expr, bool assigned)
{
    if (expr == NULL)
        return;
    LocalC *local = local_c(expr);
    for (size_t i = 0; i < local->mentions.count; i++) {
        Mention *mention = &local->mentions.items[i];
        add_uses(check, &mention->variables, &expr->at, mention->places.items[0], assigned && i == 0, mention);
    }
}

static void add_value(ArmCheck *check, const Value *value)
{
    for (size_t i = 0; i < value->exprs.count; i++)
        add_expr(check, value->exprs.items[i], false);
}

static void add_pattern(ArmCheck *check, const RoleSet *at, const Pattern *pattern)
{
    if (pattern == NULL)
        return;
    if (pattern->kind == PATTERN_BIND)
        add_uses(check, &pattern->variables, at, pattern->span, true, NULL);
    if (pattern->kind == PATTERN_PLACE || pattern->kind == PATTERN_MATCH)
        add_expr(check, pattern->expr, pattern->kind == PATTERN_PLACE);
    for (size_t i = 0; i < pattern->parts.count; i++)
        add_pattern(check, at, pattern->parts.items[i]);
}

static void add_node(void *context, Node *node)
{
    ArmCheck *check = context;
    add_expr(check, node->index, false);
    add_expr(check, node->value, false);
    add_expr(check, node->condition, false);
    add_value(check, &node->sent);
    add_pattern(check, &node->at, node->target);
    add_pattern(check, &node->to.at, node->to.pattern);
    for (size_t i = 0; i < node->args.count; i++)
        add_value(check, &node->args.items[i]);
    for (size_t i = 0; i < node->values.count; i++)
        add_value(check, &node->values.items[i]);
    for (size_t i = 0; i < node->results.count; i++)
        add_pattern(check, &node->results.items[i].at, node->results.items[i].pattern);
}

static void arm_uses(ArmCheck *check, const Node *arm, UseList *uses)
{
    check->arm = arm;
    check->uses = uses;
    each_node(&arm->body, add_node, check);
}

// ---- whose they are ----

static const Use *find_use(const UseList *uses, const Variable *variable)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->items[i].variable == variable)
            return &uses->items[i];
    return NULL;
}

static bool list_has(const VariableList *list, const Variable *variable)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == variable)
            return true;
    return false;
}

static const char *owner_name(const ArmCheck *check, const Variable *variable)
{
    return instance_role_name(check->program, check->instance, variable->role);
}

static bool is_constant(const Variable *variable)
{
    return variable->is_index || variable->is_fault;
}

// The arm does not share the variable, or does (`other` is where); then it can only read it.
static void settle(ArmCheck *check, Node *arm, const UseList *uses, const Use *use, bool is_shared)
{
    Variable *variable = use->variable;
    if (!list_has(&arm->uses, variable))
        vector_push(check->arena, &arm->uses, variable);
    if (!is_shared && !is_constant(variable) && !list_has(&arm->owns, variable))
        vector_push(check->arena, &arm->owns, variable);
    for (size_t i = 0; is_shared && i < uses->count; i++)
        if (uses->items[i].variable == variable && uses->items[i].mention != NULL)
            uses->items[i].mention->is_of_arms = true;
}

// One arm assigns, another one uses.
static void report_both(const ArmCheck *check, const Use *assigns, const Use *other)
{
    diag_error(check->diags, assigns->span, "%s's '%s' is assigned in this arm of 'par' and %s in another one",
               owner_name(check, assigns->variable), assigns->variable->name, other->assigns ? "assigned" : "used");
    diag_note(check->diags, other->span, "%s here", other->assigns ? "it is assigned, too," : "it is used");
    diag_note(
        check->diags, SPAN_NONE,
        "which of them comes first is not known: declare it in the arm, or let a function of %s keep what arms share",
        owner_name(check, assigns->variable));
}

// Arms that are written one beside the other.
static void check_arms(ArmCheck *check, const NodeList *arms)
{
    UseList *uses = ARENA_ARRAY(check->arena, UseList, arms->count);
    for (size_t i = 0; i < arms->count; i++)
        arm_uses(check, arms->items[i], &uses[i]);
    VariableList reported = {0};
    for (size_t i = 0; i < arms->count; i++) {
        for (size_t k = 0; k < uses[i].count; k++) {
            const Use *use = &uses[i].items[k], *other = NULL;
            for (size_t j = 0; j < arms->count && other == NULL; j++)
                other = j != i ? find_use(&uses[j], use->variable) : NULL;
            settle(check, arms->items[i], &uses[i], use, other != NULL);
            if (other == NULL || !use->assigns || list_has(&reported, use->variable))
                continue;
            vector_push(check->arena, &reported, use->variable);
            report_both(check, use, other);
        }
    }
}

// Does only the member that the arm is about do it?
static bool is_by_member(const ArmCheck *check, const Node *each, const Use *use)
{
    bool is_member = use->variable->role == each->family && roleset_has(use->at, each->view);
    for (ROLESET_EACH(id, use->at))
        if (check->program->role_of[id] == each->family && id != each->view)
            is_member = false;
    return is_member;
}

// Is it declared as an array over the family?
static bool is_over(const ArmCheck *check, const Variable *variable, RoleId family)
{
    const Instance *instance = check->instance;
    return variable->declared != NULL &&
           family_of_type(check->resolved, instance->def, instance->role_args, variable->declared) == family;
}

static void report_each(const ArmCheck *check, const Node *each, const Use *use)
{
    const char *role = owner_name(check, use->variable), *name = use->variable->name;
    if (is_over(check, use->variable, each->family)) {
        diag_error(check->diags, use->span, "of %s's array '%s' only element '%s[%s]' belongs to this arm of 'par'",
                   role, name, name, each->positions.items[0]->name);
        diag_note(check->diags, SPAN_NONE, "in such an arm all uses of the array must be written so");
        return;
    }
    diag_error(check->diags, use->span, "%s's '%s' is assigned in each arm of this 'par'", role, name);
    diag_note(check->diags, use->variable->span, "it is declared outside of it, here");
    diag_note(check->diags, SPAN_NONE, "declare it in the arm, or let a function of %s keep what arms share", role);
}

// Does `[w]` stand behind this place?
static bool is_element_at(const ArmCheck *check, const Node *each, Span place)
{
    const char *name = each->positions.items[0]->name, *blank = " \t\r\n";
    const char *text =
        span_copy(check->arena, check->resolved->sources, (Span){place.file, place.end, check->arm->span.end});
    text += strspn(text, blank);
    if (*text++ != '[')
        return false;
    text += strspn(text, blank);
    if (strncmp(text, name, strlen(name)) != 0)
        return false;
    text += strlen(name);
    return text[strspn(text, blank)] == ']';
}

// Is element x[w] all that the arm uses of the array?
static bool is_element(const ArmCheck *check, const Node *each, const UseList *uses, const Variable *variable)
{
    for (size_t i = 0; i < uses->count; i++) {
        const Mention *mention = uses->items[i].mention;
        if (uses->items[i].variable != variable)
            continue;
        for (size_t k = 0; mention != NULL && k < mention->places.count; k++)
            if (!is_element_at(check, each, mention->places.items[k]))
                return false;
        if (mention == NULL)
            return false;
    }
    return is_over(check, variable, each->family);
}

static void add_element(const ArmCheck *check, const Node *each, Node *arm, Variable *array)
{
    for (size_t i = 0; i < arm->elements.count; i++)
        if (arm->elements.items[i].array == array)
            return;
    vector_push(check->arena, &arm->elements,
                ((ArmElement){array, NULL, variable_of_role(&each->positions, array->role)}));
}

// One arm for each member.
static void check_members(ArmCheck *check, const Node *each)
{
    Node *arm = each->body.items[0];
    UseList uses = {0};
    arm_uses(check, arm, &uses);
    VariableList reported = {0};
    for (size_t i = 0; i < uses.count; i++) {
        const Use *use = &uses.items[i];
        bool is_own = true;
        for (size_t k = 0; k < uses.count; k++)
            is_own &= uses.items[k].variable != use->variable || is_by_member(check, each, &uses.items[k]);
        if (!is_own && is_element(check, each, &uses, use->variable)) {
            add_element(check, each, arm, use->variable);
            continue;
        }
        settle(check, arm, &uses, use, !is_own);
        if (is_own || !use->assigns || list_has(&reported, use->variable))
            continue;
        vector_push(check->arena, &reported, use->variable);
        report_each(check, each, use);
    }
}

static void check_node(void *context, Node *node)
{
    ArmCheck *check = context;
    if (node->kind != NODE_PAR || node->body.count == 0)
        return;
    if (node->body.items[0]->kind == NODE_EACH)
        check_members(check, node->body.items[0]);
    else
        check_arms(check, &node->body);
}

void arms_check(Resolved *resolved)
{
    Program *program = resolved->program;
    for (size_t i = 0; i < program->instances.count; i++) {
        ArmCheck check = {.arena = resolved->arena,
                          .diags = resolved->diags,
                          .resolved = resolved,
                          .program = program,
                          .instance = program->instances.items[i]};
        each_node(&check.instance->body, check_node, &check);
    }
}

// ---- elements ----

typedef struct {
    Arena *arena;
    const Node *arm;
} ElementSearch;

static const ArmElement *find_element(const Node *arm, const Variable *array)
{
    for (size_t i = 0; i < arm->elements.count; i++)
        if (arm->elements.items[i].array == array)
            return &arm->elements.items[i];
    return NULL;
}

// `x`, `[`, `w`, `]...` become the variable and what is behind the bracket.
static void expr_replace(const ElementSearch *search, const Expr *read_only)
{
    Expr *expr = (Expr *)(uintptr_t)read_only;
    size_t kept = 0;
    for (size_t i = 0; expr != NULL && i < expr->pieces.count; i++) {
        Piece piece = expr->pieces.items[i];
        const ArmElement *found =
            piece.kind == PIECE_VARIABLE ? find_element(search->arm, piece.variables.items[0]) : NULL;
        if (found != NULL && i + 3 < expr->pieces.count) {
            piece.variables = (VariableList){0};
            for (size_t k = 0; k < expr->pieces.items[i].variables.count; k++)
                vector_push(search->arena, &piece.variables,
                            find_element(search->arm, expr->pieces.items[i].variables.items[k])->element);
            Piece *behind = &expr->pieces.items[i + 3];
            behind->text = strchr(behind->text, ']') + 1;
            behind->line = strchr(behind->line, ']') + 1;
            i += behind->text[0] == '\0' ? 3 : 2;
        }
        expr->pieces.items[kept++] = piece;
    }
    if (expr == NULL || kept == expr->pieces.count)
        return;
    expr->pieces.count = kept;
    expr->is_variable = kept == 1 && expr->pieces.items[0].kind == PIECE_VARIABLE;
}

static void value_replace(const ElementSearch *search, const Value *value)
{
    for (size_t i = 0; i < value->exprs.count; i++)
        expr_replace(search, value->exprs.items[i]);
}

static void pattern_replace(const ElementSearch *search, const Pattern *pattern)
{
    if (pattern == NULL)
        return;
    expr_replace(search, pattern->expr);
    for (size_t i = 0; i < pattern->parts.count; i++)
        pattern_replace(search, pattern->parts.items[i]);
}

static void node_replace(void *context, Node *node)
{
    const ElementSearch *search = context;
    expr_replace(search, node->index);
    expr_replace(search, node->value);
    expr_replace(search, node->condition);
    value_replace(search, &node->sent);
    pattern_replace(search, node->target);
    pattern_replace(search, node->to.pattern);
    for (size_t i = 0; i < node->args.count; i++)
        value_replace(search, &node->args.items[i]);
    for (size_t i = 0; i < node->values.count; i++)
        value_replace(search, &node->values.items[i]);
    for (size_t i = 0; i < node->results.count; i++)
        pattern_replace(search, node->results.items[i].pattern);
}

static void make_elements(void *context, Node *node)
{
    Resolved *resolved = context;
    for (size_t i = 0; i < node->elements.count; i++) {
        ArmElement *element = &node->elements.items[i];
        Variable *variable = ARENA_NEW(resolved->arena, Variable);
        *variable = *element->array;
        variable->id = (uint32_t)resolved->visible.count;
        variable->c_name = arena_printf(resolved->arena, "chx_element_%u", variable->id);
        variable->type = element->array->type->element;
        variable->is_param = false;
        element->element = variable;
        vector_push(resolved->arena, &variable->instance->variables, variable);
        vector_push(resolved->arena, &resolved->visible,
                    ((Visibility){variable, node->span.start, node->span.end, {0}}));
    }
    if (node->elements.count > 0)
        each_node(&node->body, node_replace, &(ElementSearch){resolved->arena, node});
}

void arms_elements(Resolved *resolved)
{
    for (size_t i = 0; i < resolved->program->instances.count; i++)
        each_node(&resolved->program->instances.items[i]->body, make_elements, resolved);
}
