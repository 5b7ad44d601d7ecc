// The C unit that types a program.

#include "compiler/check/typing.h"

#include <stdio.h>
#include <string.h>

bool function_is_known(const Typing *typing, const RoleFunction *function)
{
    // One that was found to be called in this round comes after those that were there when it began.
    bool is_inferred = function->id < typing->inferred_capacity && typing->inferred[function->id] != NULL;
    return function->proto != NULL || is_inferred;
}

// ---- types as written ----

const char *type_text_key(Arena *arena, const TypeText *type)
{
    return arena_printf(arena, "%u:%u", type->before.file, type->before.start);
}

const char *type_text_name(Typing *typing, const TypeText *type, RoleId over)
{
    const char *key = arena_printf(typing->arena, "%s %u", type_text_key(typing->arena, type), over);
    const char *name = map_get(&typing->type_index, key);
    if (name == NULL) {
        name = arena_printf(typing->arena, "chx_ty%zu", typing->type_texts.count);
        vector_push(typing->arena, &typing->type_texts, ((WrittenType){type, over}));
        map_put(&typing->type_index, key, (void *)(uintptr_t)name);
    }
    return name;
}

static RoleId over_in(const Typing *typing, const Instance *instance, const TypeText *type)
{
    return family_of_type(typing->resolved, instance->def, instance->role_args, type);
}

const char *instance_type_name(Typing *typing, const Instance *instance, const TypeText *type)
{
    return type_text_name(typing, type, over_in(typing, instance, type));
}

// Of an array over a family; over a list of roles it is an ordinary one.
static void write_size(Typing *typing, RoleId over)
{
    const RoleList *list = list_of(typing->resolved->program, over);
    if (list != NULL)
        ctext(typing->unit, "%zu", list->count);
    else
        ctext(typing->unit, "%u", SEQUENCE_ELEMENTS + over);
}

// `names`: the variables in a `typeof`, or NULL.
static void write_declaration(Typing *typing, WrittenType written, const TypeNameList *names, const char *name)
{
    const TypeText *type = written.text;
    uint32_t at = type->before.start;
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        const TypeName *used = &names->items[i];
        ccopy(typing->unit, (Span){type->before.file, at, used->span.start});
        ccopy_as(typing->unit, used->span, arena_printf(typing->arena, "chx_v%u", used->variable->id));
        at = used->span.end;
    }
    ccopy(typing->unit, (Span){type->before.file, at, type->before.end});
    ctext(typing->unit, " %s", name);
    for (size_t i = 0; i < type->sizes.count; i++) {
        ctext(typing->unit, "[");
        if (i == 0 && written.over != ROLE_NONE)
            write_size(typing, written.over);
        else if (is_family_size(typing->resolved, &type->sizes.items[i])) // at the wrong place, which is reported
            ctext(typing->unit, "1");
        else
            ccopy(typing->unit, type->sizes.items[i].span);
        ctext(typing->unit, "]");
    }
    ctext(typing->unit, ";\n");
}

static const char *want(Typing *typing, const char *type)
{
    if (!map_has(&typing->want_seen, type)) {
        map_put(&typing->want_seen, type, (void *)(uintptr_t)type);
        vector_push(typing->arena, &typing->wants, type);
    }
    return type;
}

static bool is_unfit(Typing *typing, const TypeText *type)
{
    return map_has(&typing->unfit, type_text_key(typing->arena, type));
}

// NULL: nothing can have this type.
static const char *want_text(Typing *typing, const Instance *instance, const TypeText *type)
{
    if (is_unfit(typing, type))
        return NULL;
    return want(typing, arena_printf(typing->arena, "__typeof__(%s)", instance_type_name(typing, instance, type)));
}

static const char *want_variable(Typing *typing, const Variable *variable)
{
    return want(typing, arena_printf(typing->arena, "__typeof__(chx_v%u)", variable->id));
}

static bool is_array(const Typing *typing, const char *type)
{
    return type != NULL && map_has(&typing->array_types, type);
}

// ---- local C ----

// A variable that only copies another one has that one's type. Named by the first of such a chain, types stay flat:
// a long chain of __typeof__ costs clang quadratic time.
static uint32_t root_of(const Typing *typing, const Variable *variable)
{
    uint32_t root = typing->root[variable->id];
    return root != 0 ? root - 1 : variable->id;
}

// The variables under their own names, as this role may see them. `target`: the name being assigned is not const.
static void write_mentions(Typing *typing, const LocalC *local, const char *target)
{
    for (size_t i = 0; i < local->mentions.count; i++) {
        const Mention *mention = &local->mentions.items[i];
        const Variable *variable = mention->variables.items[0];
        bool is_target = target != NULL && strcmp(target, mention->name) == 0;
        bool is_const = !is_target && (mention->shared || mention->is_of_arms || variable->is_fault ||
                                       variable->is_index || variable->is_count);
        ctext(typing->unit, "%s__typeof__(chx_v%u) %s; ", is_const ? "const " : "", root_of(typing, variable),
              mention->name);
    }
}

// The text with the role's own functions under their names in the unit.
static void write_copy(Typing *typing, const LocalC *local, Span span)
{
    uint32_t at = span.start;
    for (size_t i = 0; i < local->called.count; i++) {
        const CalledName *called = &local->called.items[i];
        if (called->function == NULL || called->span.start < at || called->span.end > span.end ||
            !function_is_known(typing, called->function))
            continue;
        if (called->span.start > at)
            ccopy(typing->unit, (Span){span.file, at, called->span.start});
        ccopy_as(typing->unit, called->span, arena_printf(typing->arena, "chx_f%u", called->function->id));
        at = called->span.end;
    }
    if (at < span.end)
        ccopy(typing->unit, (Span){span.file, at, span.end});
}

// The whole expression, so that it can be asked about.
static void write_whole(Typing *typing, const LocalC *local, bool is_bare)
{
    cexpr_begin(typing->unit, local->id);
    ctext(typing->unit, is_bare ? "" : "(");
    write_copy(typing, local, local->expr.span);
    ctext(typing->unit, is_bare ? "" : ")");
    cexpr_end(typing->unit);
}

bool calls_unknown(const Typing *typing, const LocalC *local)
{
    for (size_t i = 0; i < local->called.count; i++) {
        const CalledName *called = &local->called.items[i];
        if (called->is_whole && called->function != NULL && !function_is_known(typing, called->function))
            return true;
    }
    return false;
}

static void write_unknown_call(Typing *typing, LocalC *local, const char *type)
{
    const CalledName *called = &local->called.items[0];
    ctext(typing->unit, "{ ");
    write_mentions(typing, local, NULL);
    for (size_t i = 0; i < called->args.count; i++) {
        ctext(typing->unit, "__auto_type chx_a%u_%zu = (", local->id, i);
        write_copy(typing, local, called->args.items[i].span);
        ctext(typing->unit, "); ");
    }
    ctext(typing->unit, "}\n");
    if (type == NULL)
        vector_push(typing->arena, &typing->untypable, local);
    else if (strcmp(type, "void") != 0)
        ctext(typing->unit, "%s chx_x%u;\n", type, local->id);
}

static void write_untyped(Typing *typing, const LocalC *local)
{
    const CType *fact = typing->expr_fact[local->id];
    const Expr *expr = &local->expr;
    if (expr->is_variable) {
        ctext(typing->unit, "__typeof__(chx_v%u) chx_x%u;\n",
              root_of(typing, local->mentions.items[0].variables.items[0]), local->id);
        return;
    }
    if (expr->is_literal) {
        ctext(typing->unit, "const char *chx_x%u = (", local->id);
        ccopy(typing->unit, expr->span);
        ctext(typing->unit, ");\n");
        return;
    }
    if (fact != NULL)
        ctext(typing->unit, "%s chx_x%u%s; __auto_type chx_y%u = ({ ", fact->before, local->id, fact->after, local->id);
    else
        ctext(typing->unit, "__auto_type chx_x%u = ({ ", local->id);
    write_mentions(typing, local, NULL);
    write_whole(typing, local, false);
    ctext(typing->unit, "; });\n");
}

// Is there something in the expression that has no type, for a reason that is reported? Then it is left out of the unit,
// so that no error follows from it.
static bool is_hopeless(const Typing *typing, const LocalC *local)
{
    if (local->is_poisoned)
        return true;
    for (size_t i = 0; i < local->mentions.count; i++)
        if (typing->poisoned[local->mentions.items[i].variables.items[0]->id] ||
            is_poisoned(local->mentions.items[i].variables.items[0]))
            return true;
    return false;
}

// The expression as `chx_xID`, converted to the C type `type` if that is given. False: it has no type in this round.
static bool write_expr(Typing *typing, const Expr *expr, const char *type)
{
    LocalC *local = local_c(expr);
    local->wanted = type;
    if (is_hopeless(typing, local))
        return false;
    if (expr->is_braces && type == NULL) {
        diag_error(typing->diags, expr->span, "a value in braces needs a type: declare its target with one");
        return false;
    }
    typing->typed[local->id] = true;
    if (calls_unknown(typing, local)) {
        write_unknown_call(typing, local, type);
        return type != NULL;
    }
    bool is_whole_array = is_array(typing, type) && !expr->is_braces && !expr->is_literal;
    if (type == NULL || is_whole_array) {
        write_untyped(typing, local);
        return true;
    }
    ctext(typing->unit, "{ ");
    write_mentions(typing, local, NULL);
    ctext(typing->unit, "%s chx_x%u = ", type, local->id);
    write_whole(typing, local, expr->is_braces || expr->is_literal);
    ctext(typing->unit, "; }\n");
    return true;
}

// ---- patterns ----

static bool binds_here(const Pattern *pattern, const Variable *variable)
{
    return variable->span.start >= pattern->span.start && variable->span.end <= pattern->span.end &&
           variable->span.file == pattern->span.file && !variable->is_fault && !variable->is_index;
}

// A C variable for each variable that comes into being here: of its declared type, or of `type`.
static void write_bindings(Typing *typing, const Pattern *pattern, const char *type)
{
    for (size_t i = 0; i < pattern->variables.count; i++) {
        const Variable *variable = pattern->variables.items[i];
        // All members of a family have the same one.
        bool is_there = false;
        for (size_t k = 0; k < i; k++)
            is_there |= pattern->variables.items[k] == variable;
        if (!binds_here(pattern, variable) || is_poisoned(variable) || is_there)
            continue;
        if (variable->declared != NULL)
            write_declaration(
                typing, (WrittenType){variable->declared, over_in(typing, variable->instance, variable->declared)},
                &typing->resolved->visible.items[variable->id].type_names,
                arena_printf(typing->arena, "chx_v%u", variable->id));
        else if (type != NULL && typing->plain[variable->id])
            ctext(typing->unit, "__auto_type chx_v%u = *(%s *)0;\n", variable->id, type);
        else if (type != NULL)
            ctext(typing->unit, "%s chx_v%u;\n", type, variable->id);
    }
}

// The type that the pattern's variable has already, or NULL if it takes the value's.
static const char *bound_type(Typing *typing, const Pattern *pattern)
{
    const Variable *variable = pattern->variables.items[0];
    if (binds_here(pattern, variable) && variable->declared == NULL)
        return NULL;
    if (typing->poisoned[variable->id] || is_poisoned(variable))
        return NULL;
    return want_variable(typing, variable);
}

static const char *write_place_type(Typing *typing, const Pattern *place)
{
    const LocalC *local = local_c(place->expr);
    const CType *fact = typing->expr_fact[local->id];
    if (fact != NULL)
        ctext(typing->unit, "%s chx_t%u%s; __auto_type chx_y%u = ({ ", fact->before, local->id, fact->after, local->id);
    else
        ctext(typing->unit, "__auto_type chx_t%u = ({ ", local->id);
    write_mentions(typing, local, local->mentions.count > 0 ? local->mentions.items[0].name : NULL);
    write_whole(typing, local, false);
    ctext(typing->unit, "; });\n");
    typing->typed[local->id] = true;
    return want(typing, arena_printf(typing->arena, "__typeof__(chx_t%u)", local->id));
}

// Can it be assigned to? An array can't as a whole, but must be possible to fill.
static void write_place_check(Typing *typing, const Pattern *place)
{
    const LocalC *local = local_c(place->expr);
    const char *first = "";
    for (const CType *type = typing->expr_fact[local->id]; type != NULL && ctype_is_array(type); type = type->element)
        first = arena_printf(typing->arena, "%s[0]", first);
    ctext(typing->unit, "{ ");
    write_mentions(typing, local, local->mentions.count > 0 ? local->mentions.items[0].name : NULL);
    write_whole(typing, local, false);
    ctext(typing->unit, "%s = *(__typeof__(chx_t%u%s) *)0; }\n", first, local->id, first);
}

// C does not give the type of a bit-field itself; as a value, it has the type that it was declared with.
static void write_field(Typing *typing, const Pattern *part, const char *whole)
{
    bool is_bitfield = map_has(&typing->bitfields, arena_printf(typing->arena, "%u", part->id));
    ctext(typing->unit, "__typeof__(%s%s.", is_bitfield ? "(void)0, " : "", whole);
    ccopy_as(typing->unit, part->span, part->field);
    ctext(typing->unit, ") chx_q%u;\n", part->id);
}

// Marks the variables that the pattern would bind: they have no type in this round.
static void poison(Typing *typing, const Pattern *pattern)
{
    for (size_t i = 0; i < pattern->variables.count; i++)
        if (binds_here(pattern, pattern->variables.items[i]) && pattern->variables.items[i]->declared == NULL)
            typing->poisoned[pattern->variables.items[i]->id] = true;
    for (size_t i = 0; i < pattern->parts.count; i++)
        poison(typing, pattern->parts.items[i]);
}

// `from` is a C expression of the value's type.
static void write_taken(Typing *typing, const Pattern *pattern, const char *from)
{
    switch (pattern->kind) {
    case PATTERN_BIND: {
        const char *type = bound_type(typing, pattern);
        write_bindings(typing, pattern, arena_printf(typing->arena, "__typeof__(%s)", from));
        if (type != NULL && !is_array(typing, type)) {
            ctext(typing->unit, "{ %s chx_c = ", type);
            ccopy_as(typing->unit, pattern->span, from);
            ctext(typing->unit, "; }\n");
        }
        break;
    }
    case PATTERN_PLACE: {
        if (is_hopeless(typing, local_c(pattern->expr)))
            return;
        const char *type = write_place_type(typing, pattern);
        if (!is_array(typing, type)) {
            ctext(typing->unit, "{ %s chx_c = ", type);
            ccopy_as(typing->unit, pattern->span, from);
            ctext(typing->unit, "; }\n");
        }
        write_place_check(typing, pattern);
        break;
    }
    case PATTERN_MATCH:
        write_expr(typing, pattern->expr, NULL);
        break;
    case PATTERN_STRUCT:
        for (size_t i = 0; i < pattern->parts.count; i++) {
            write_field(typing, pattern->parts.items[i], from);
            write_taken(typing, pattern->parts.items[i],
                        arena_printf(typing->arena, "chx_q%u", pattern->parts.items[i]->id));
        }
        break;
    case PATTERN_DROP:
    case PATTERN_TUPLE:
        break;
    }
}

static void write_copies(Typing *typing, const Pattern *pattern, uint32_t root)
{
    write_bindings(typing, pattern, arena_printf(typing->arena, "__typeof__(chx_v%u)", root));
    for (size_t i = 0; i < pattern->variables.count; i++)
        if (binds_here(pattern, pattern->variables.items[i]) && !typing->plain[pattern->variables.items[i]->id])
            typing->root[pattern->variables.items[i]->id] = root + 1;
}

// An expression and where its value goes.
static void write_pair(Typing *typing, const Expr *expr, const Pattern *pattern)
{
    const char *value = arena_printf(typing->arena, "chx_x%u", local_c(expr)->id);
    const char *type = NULL;
    if (pattern->kind == PATTERN_BIND) {
        type = bound_type(typing, pattern);
        if (type != NULL)
            write_bindings(typing, pattern, type);
        bool has_type = write_expr(typing, expr, type);
        if (type == NULL && !has_type)
            poison(typing, pattern);
        else if (type == NULL && expr->is_variable)
            write_copies(typing, pattern, root_of(typing, local_c(expr)->mentions.items[0].variables.items[0]));
        else if (type == NULL)
            write_bindings(typing, pattern, arena_printf(typing->arena, "__typeof__(%s)", value));
        return;
    }
    if (pattern->kind == PATTERN_PLACE) {
        if (is_hopeless(typing, local_c(pattern->expr)))
            return;
        type = write_place_type(typing, pattern);
        write_expr(typing, expr, type);
        write_place_check(typing, pattern);
        return;
    }
    if (write_expr(typing, expr, NULL))
        write_taken(typing, pattern, value);
    else
        poison(typing, pattern);
}

// ---- statements ----

// Both sides are the same role's C: the names that the left side has not declared are added.
static void write_mentions_besides(Typing *typing, const LocalC *local, const LocalC *declared)
{
    LocalC rest = *local;
    memset(&rest.mentions, 0, sizeof rest.mentions);
    for (size_t i = 0; i < local->mentions.count; i++) {
        bool is_declared = false;
        for (size_t k = 0; k < declared->mentions.count; k++)
            is_declared |= strcmp(declared->mentions.items[k].name, local->mentions.items[i].name) == 0;
        if (!is_declared)
            vector_push(typing->arena, &rest.mentions, local->mentions.items[i]);
    }
    write_mentions(typing, &rest, NULL);
}

// x += e; a[i]++;
static void write_operation(Typing *typing, const Node *node)
{
    const LocalC *value = node->value != NULL ? local_c(node->value) : NULL;
    const LocalC *place = node->target->kind == PATTERN_PLACE ? local_c(node->target->expr) : NULL;
    if ((value != NULL && is_hopeless(typing, value)) || (place != NULL && is_hopeless(typing, place)) ||
        (place == NULL && typing->poisoned[node->target->variables.items[0]->id]))
        return;
    if (place != NULL)
        write_place_type(typing, node->target);
    ctext(typing->unit, "{ ");
    if (place != NULL) {
        write_mentions(typing, place, place->mentions.count > 0 ? place->mentions.items[0].name : NULL);
        if (value != NULL)
            write_mentions_besides(typing, value, place);
        write_whole(typing, place, false);
    } else {
        if (value != NULL)
            write_mentions(typing, value, NULL);
        ctext(typing->unit, "__typeof__(chx_v%u) chx_l; ", node->target->variables.items[0]->id);
        ccopy_as(typing->unit, node->target->span, "chx_l");
    }
    ctext(typing->unit, " %s ", node->op);
    if (value != NULL) {
        write_whole(typing, value, false);
        typing->typed[value->id] = true;
    }
    ctext(typing->unit, "; }\n");
}

static void write_step(Typing *typing, const Node *node)
{
    if (node->target == NULL) {
        LocalC *local = local_c(node->value);
        if (is_hopeless(typing, local))
            return;
        typing->typed[local->id] = true;
        local->wanted = "void";
        if (calls_unknown(typing, local)) {
            write_unknown_call(typing, local, "void");
            return;
        }
        ctext(typing->unit, "{ ");
        write_mentions(typing, local, NULL);
        write_whole(typing, local, false);
        ctext(typing->unit, "; }\n");
    } else if (node->op == NULL) {
        write_bindings(typing, node->target, NULL);
    } else if (strcmp(node->op, "=") == 0) {
        write_pair(typing, node->value, node->target);
    } else {
        write_operation(typing, node);
    }
}

static void write_args(Typing *typing, const Node *node)
{
    for (size_t i = 0; i < node->args.count; i++) {
        const Param *param = &node->callee->params.items[i];
        write_expr(typing, node->args.items[i].exprs.items[0], want_text(typing, node->callee, param->declared));
    }
}

static const TreeResult *tree_result(const Node *node, const RoleSet *at)
{
    const Result *result = returned_result(node, at);
    return result != NULL ? &node->callee->def->results.items[result->written] : NULL;
}

static void write_call(Typing *typing, const Node *node)
{
    write_args(typing, node);
    for (size_t i = 0; i < node->results.count; i++) {
        const LocatedPattern *located = &node->results.items[i];
        const TreeResult *result = tree_result(node, &located->at);
        bool is_tuple = located->pattern->kind == PATTERN_TUPLE;
        for (size_t k = 0; k < result->types.count; k++) {
            const Pattern *pattern = is_tuple ? located->pattern->parts.items[k] : located->pattern;
            if (is_unfit(typing, &result->types.items[k]))
                poison(typing, pattern);
            else
                write_taken(typing, pattern, instance_type_name(typing, node->callee, &result->types.items[k]));
        }
    }
}

static void write_return(Typing *typing, const Node *node, const Instance *instance)
{
    if (node->callee != NULL) {
        write_args(typing, node);
        for (size_t i = 0; i < instance->results.count; i++) {
            const TreeResult *have = tree_result(node, &instance->results.items[i].at);
            const TreeResult *needed = &instance->def->results.items[instance->results.items[i].written];
            for (size_t k = 0; have != NULL && k < needed->types.count && k < have->types.count; k++) {
                const char *type = want_text(typing, instance, &needed->types.items[k]);
                if (type == NULL || is_array(typing, type) || is_unfit(typing, &have->types.items[k]))
                    continue;
                ctext(typing->unit, "{ %s chx_c = ", type);
                ccopy_as(typing->unit, node->span, instance_type_name(typing, node->callee, &have->types.items[k]));
                ctext(typing->unit, "; }\n");
            }
        }
        return;
    }
    for (size_t i = 0; i < node->values.count; i++)
        for (size_t k = 0; k < node->values.items[i].exprs.count; k++) {
            const TreeResult *result = &instance->def->results.items[instance->results.items[i].written];
            if (k < result->types.count)
                write_expr(typing, node->values.items[i].exprs.items[k],
                           want_text(typing, instance, &result->types.items[k]));
        }
}

static void write_nodes(Typing *typing, const NodeList *nodes, const Instance *instance);

static void write_labels(Typing *typing, const Node *node)
{
    ctext(typing->unit, "switch (*(__typeof__(chx_x%u) *)0) {\n", local_c(node->condition)->id);
    // A variable is no constant, but it is known: declared once for all the labels.
    LocalC all = {0};
    for (size_t i = 0; i < node->branches.count; i++)
        for (size_t k = 0; k < node->branches.items[i].labels.count; k++) {
            const LocalC *label = local_c(node->branches.items[i].labels.items[k]);
            write_mentions_besides(typing, label, &all);
            for (size_t n = 0; n < label->mentions.count; n++)
                vector_push(typing->arena, &all.mentions, label->mentions.items[n]);
        }
    ctext(typing->unit, "default: ;\n");
    for (size_t i = 0; i < node->branches.count; i++)
        for (size_t k = 0; k < node->branches.items[i].labels.count; k++) {
            const Expr *label = node->branches.items[i].labels.items[k];
            ctext(typing->unit, "case ");
            write_whole(typing, local_c(label), false);
            ctext(typing->unit, ": ;\n");
            typing->typed[local_c(label)->id] = true;
        }
    ctext(typing->unit, "}\n");
}

static void write_choice(Typing *typing, const Node *node, const Instance *instance)
{
    LocalC *condition = local_c(node->condition);
    const char *type = !node->is_switch && calls_unknown(typing, condition) ? "_Bool" : NULL;
    if (write_expr(typing, node->condition, type) && node->is_switch)
        write_labels(typing, node);
    for (size_t i = 0; i < node->branches.count; i++)
        write_nodes(typing, &node->branches.items[i].body, instance);
}

static void write_loop(Typing *typing, const Node *node, const Instance *instance)
{
    bool is_unknown = node->condition != NULL && calls_unknown(typing, local_c(node->condition));
    if (node->condition != NULL && node->loop != LOOP_DO)
        write_expr(typing, node->condition, is_unknown ? "_Bool" : NULL);
    write_nodes(typing, &node->body, instance);
    if (node->condition != NULL && node->loop == LOOP_DO)
        write_expr(typing, node->condition, is_unknown ? "_Bool" : NULL);
    write_nodes(typing, &node->step, instance);
}

// Indices of members and sizes of families.
static void write_sizes(Typing *typing, const VariableList *variables)
{
    for (size_t i = 0; i < variables->count; i++)
        ctext(typing->unit, "__SIZE_TYPE__ chx_v%u;\n", variables->items[i]->id);
}

static void write_node(Typing *typing, const Node *node, const Instance *instance)
{
    switch (node->kind) {
    case NODE_STEP:
        write_step(typing, node);
        break;
    case NODE_DELIVERY:
        for (size_t i = 0; i < node->sent.exprs.count; i++) {
            const Pattern *pattern = node->to.pattern;
            Pattern drop = {.kind = PATTERN_DROP};
            if (node->sent.is_tuple)
                pattern = pattern->kind == PATTERN_TUPLE ? pattern->parts.items[i] : &drop;
            write_pair(typing, node->sent.exprs.items[i], pattern);
        }
        break;
    case NODE_CALL:
        write_call(typing, node);
        break;
    case NODE_RETURN:
        write_return(typing, node, instance);
        break;
    case NODE_CHOICE:
        write_choice(typing, node, instance);
        break;
    case NODE_LOOP:
        write_loop(typing, node, instance);
        break;
    case NODE_EACH:
        write_sizes(typing, &node->positions);
        if (node->index != NULL)
            write_expr(typing, node->index, "__SIZE_TYPE__");
        write_nodes(typing, &node->body, instance);
        break;
    case NODE_CHECKPOINT:
        write_nodes(typing, &node->body, instance);
        for (size_t i = 0; i < node->fault_variables.count; i++)
            ctext(typing->unit, "chx_fault chx_v%u;\n", node->fault_variables.items[i]->id);
        write_nodes(typing, &node->rescue, instance);
        break;
    case NODE_BLOCK:
    case NODE_PAR:
    case NODE_ARM:
        write_nodes(typing, &node->body, instance);
        break;
    case NODE_AGREE: // the steps before it give the variables their types
    case NODE_BREAK:
    case NODE_CONTINUE:
        break;
    }
}

static void write_nodes(Typing *typing, const NodeList *nodes, const Instance *instance)
{
    for (size_t i = 0; i < nodes->count; i++)
        write_node(typing, nodes->items[i], instance);
}

// ---- the unit ----

static void write_functions(Typing *typing)
{
    const RoleFunctionList *functions = &typing->resolved->functions;
    for (size_t i = 0; i < functions->count; i++) {
        const RoleFunction *function = functions->items[i];
        const CFunction *inferred = typing->inferred[i];
        if (function->proto != NULL) {
            ccopy(typing->unit, function->proto->type.before);
            ctext(typing->unit, " chx_f%zu(", i);
            if (function->proto->params.span.end > function->proto->params.span.start)
                ccopy(typing->unit, function->proto->params.span);
            else
                ctext(typing->unit, "void");
            ctext(typing->unit, ");\n");
        } else if (inferred != NULL) {
            ctext(typing->unit, "%schx_f%zu(", inferred->result->before, i);
            for (size_t k = 0; k < inferred->params.count; k++)
                ctext(typing->unit, "%s%s%s", k == 0 ? "" : ", ", inferred->params.items[k]->before,
                      inferred->params.items[k]->after);
            ctext(typing->unit, "%s)%s;\n", inferred->params.count == 0 ? "void" : "", inferred->result->after);
        }
    }
}

// Types of parameters, results and signatures must be there before any function uses them.
static void collect_type_texts(Typing *typing)
{
    const Program *program = typing->resolved->program;
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        for (size_t k = 0; k < instance->params.count; k++)
            instance_type_name(typing, instance, instance->params.items[k].declared);
        for (size_t k = 0; k < instance->def->results.count; k++)
            for (size_t n = 0; n < instance->def->results.items[k].types.count; n++)
                instance_type_name(typing, instance, &instance->def->results.items[k].types.items[n]);
    }
    for (size_t i = 0; i < typing->resolved->fits.count; i++) {
        const TypeFit *fit = &typing->resolved->fits.items[i];
        type_text_name(typing, fit->expected, fit->expected_over);
        type_text_name(typing, fit->actual, fit->actual_over);
    }
}

static void ask_name(Typing *typing, Map *asked, const char *name)
{
    if (map_has(asked, name))
        return;
    map_put(asked, name, (void *)(uintptr_t)name);
    cunit_ask_name(typing->unit, name);
}

static void ask_names(Typing *typing)
{
    const Resolved *resolved = typing->resolved;
    Map asked;
    map_init(&asked, typing->arena);
    for (size_t i = 0; i < resolved->program->role_count; i++)
        ask_name(typing, &asked, resolved->program->role_names[i]);
    for (size_t i = 0; i < resolved->visible.count; i++)
        ask_name(typing, &asked, resolved->visible.items[i].variable->name);
    for (size_t i = 0; i < resolved->locals.count; i++) {
        const LocalC *local = resolved->locals.items[i];
        for (size_t k = 0; k < local->called.count; k++)
            ask_name(typing, &asked, local->called.items[k].name);
        for (size_t k = 0; k < local->open_names.count; k++)
            ask_name(typing, &asked, local->open_names.items[k]);
    }
}

static void name_families(Typing *typing)
{
    const Program *program = typing->resolved->program;
    const char **names = ARENA_ARRAY(typing->arena, const char *, program->role_count + 1);
    for (size_t i = 0; i < program->role_count; i++)
        names[i] = program->is_family[i] ? program->role_names[i] : NULL;
    cunit_name_families(typing->unit, names, program->role_count);
}

void typing_write(Typing *typing)
{
    Resolved *resolved = typing->resolved;
    typing->unit =
        cunit_new(typing->arena, resolved->sources, typing->source, resolved->tree->span.start, typing->flags);
    name_families(typing);
    typing->typed = ARENA_ARRAY(typing->arena, bool, resolved->locals.count + 1);
    typing->root = ARENA_ARRAY(typing->arena, uint32_t, resolved->visible.count + 1);
    typing->poisoned = ARENA_ARRAY(typing->arena, bool, resolved->visible.count + 1);
    typing->type_texts.count = typing->wants.count = typing->untypable.count = 0;
    map_init(&typing->type_index, typing->arena);
    map_init(&typing->want_seen, typing->arena);
    ask_names(typing);
    collect_type_texts(typing);
    for (size_t i = 0; i < typing->type_texts.count; i++) {
        ctext(typing->unit, "extern ");
        write_declaration(typing, typing->type_texts.items[i], NULL, arena_printf(typing->arena, "chx_ty%zu", i));
    }
    write_functions(typing);
    ctext(typing->unit, "struct chx_none { int chx_i; };\n");
    for (size_t i = 0; i < resolved->program->instances.count; i++) {
        const Instance *instance = resolved->program->instances.items[i];
        ctext(typing->unit, "struct chx_none chx_fn%u(void)\n{\n", instance->id);
        for (size_t k = 0; k < instance->params.count; k++)
            for (size_t n = 0; n < instance->params.items[k].variables.count; n++) {
                const Variable *variable = instance->params.items[k].variables.items[n];
                if (!is_poisoned(variable))
                    ctext(typing->unit, "__typeof__(%s) chx_v%u;\n",
                          instance_type_name(typing, instance, variable->declared), variable->id);
            }
        write_sizes(typing, &instance->counts);
        for (size_t k = 0; k < instance->members.count; k++)
            write_sizes(typing, &instance->members.items[k]->positions);
        write_nodes(typing, &instance->body, instance);
        ctext(typing->unit, "}\n");
    }
}
