// Rules that need types: what can be sent, compared, decided on; what is never used.

#include "compiler/check/typing.h"

#include <string.h>

// Frames come from an allocator that gives what malloc gives.
enum { ALIGNMENT_MAX = 16, VARIABLE_MIB_MAX = 512 };

static const char *role_name(const Typing *typing, RoleId role)
{
    return typing->resolved->program->role_names[role];
}

static bool is_valid(const CType *type)
{
    return type != NULL && type->kind != CTYPE_INVALID;
}

static bool is_number(const CType *type)
{
    return type->kind == CTYPE_BOOL || type->kind == CTYPE_INTEGER || type->kind == CTYPE_ENUM ||
           type->kind == CTYPE_FLOAT || type->kind == CTYPE_COMPLEX;
}

static bool is_pointer(const CType *type)
{
    return type->kind == CTYPE_POINTER || type->kind == CTYPE_CSTRING;
}

static bool is_c_string(const CType *type)
{
    return type->kind == CTYPE_CSTRING || type->is_char_array ||
           (type->kind == CTYPE_POINTER && type->element != NULL && strcmp(type->element->canonical, "char") == 0);
}

// The field that makes it impossible to assign to such a struct, or NULL.
static const char *const_member(const CType *type)
{
    if (type->kind == CTYPE_ARRAY && type->element != NULL)
        return const_member(type->element);
    for (size_t i = 0; type->kind == CTYPE_STRUCT && i < type->fields.count; i++) {
        const CField *field = &type->fields.items[i];
        const CType *value = field->type;
        while (value->kind == CTYPE_ARRAY && value->element != NULL)
            value = value->element;
        if (field->name != NULL && value->is_const)
            return field->name;
        const char *inner = const_member(value);
        if (inner != NULL)
            return inner;
    }
    return NULL;
}

// ---- deliveries ----

static void check_sendable(Typing *typing, const CType *type, Span span)
{
    if (!is_valid(type))
        return;
    const char *constant = const_member(type);
    if (type->kind == CTYPE_VOID) {
        diag_error(typing->diags, span, "this has no value to send");
    } else if (type->is_sendable && !type->is_named) {
        diag_error(typing->diags, span, "the type of this value has no name: give it a tag or a typedef");
    } else if (type->is_sendable && constant != NULL) {
        diag_error(typing->diags, span, "a value of type '%s' can't be sent", type->spelling);
        diag_note(typing->diags, SPAN_NONE, "its field '%s' is const: nothing can be put there", constant);
    } else if (!type->is_sendable) {
        diag_error(typing->diags, span, "a value of type '%s' can't be sent", type->spelling);
        if (is_c_string(type))
            diag_note(typing->diags, SPAN_NONE,
                      "a C string travels as 'const char *': give the receiver's variable that type");
        else if (type->why_not != NULL)
            diag_note(typing->diags, SPAN_NONE, "%s: send the data itself, or make the type one with a CHX_CODEC",
                      type->why_not);
    }
}

static void check_match(Typing *typing, const Pattern *match, const CType *value)
{
    const CType *wanted = match->expr->type;
    if (!is_valid(value) || !is_valid(wanted))
        return;
    bool is_null = wanted->kind == CTYPE_POINTER && match->expr->is_constant && wanted->element != NULL &&
                   wanted->element->kind == CTYPE_VOID;
    bool comparable = (is_number(value) && is_number(wanted)) ||
                      (value->kind == CTYPE_CSTRING && (is_c_string(wanted) || is_null)) ||
                      (value->kind == CTYPE_STR && wanted->kind == CTYPE_STR) ||
                      (value->kind == CTYPE_BYTES && wanted->kind == CTYPE_BYTES);
    if (!comparable)
        diag_error(typing->diags, match->span, "a value of type '%s' can't be compared with '%s'", value->spelling,
                   wanted->spelling);
}

// A const variable has the value that it was declared with.
static void check_const(Typing *typing, const Pattern *pattern)
{
    for (size_t i = 0; i < pattern->variables.count; i++) {
        const Variable *variable = pattern->variables.items[i];
        bool is_born = variable->span.file == pattern->span.file && variable->span.start >= pattern->span.start &&
                       variable->span.end <= pattern->span.end;
        if (is_born || variable->declared == NULL || !is_valid(variable->type) || !variable->type->is_const)
            continue;
        diag_error(typing->diags, pattern->span, "%s's '%s' is const: it keeps its first value",
                   instance_role_name(typing->resolved->program, variable->instance, variable->role), variable->name);
        diag_note(typing->diags, variable->span, "it is declared here");
        return;
    }
}

// All roles of a set get one value of one type.
static void check_bind(Typing *typing, const Pattern *pattern)
{
    const Variable *first = pattern->variables.items[0];
    check_const(typing, pattern);
    for (size_t i = 1; i < pattern->variables.count; i++) {
        const Variable *other = pattern->variables.items[i];
        if (is_valid(first->type) && is_valid(other->type) &&
            strcmp(first->type->canonical, other->type->canonical) != 0)
            diag_error(typing->diags, pattern->span, "%s's '%s' is '%s', but %s's is '%s': one value can't be both",
                       role_name(typing, first->role), first->name, first->type->spelling,
                       role_name(typing, other->role), other->type->spelling);
    }
}

// An array takes only an array of its own type; whatever else C can convert it does convert, or says that it can't.
static bool array_takes(const CType *type, const CType *value)
{
    return !is_valid(type) || !is_valid(value) || !ctype_is_array(type) ||
           strcmp(type->canonical, value->canonical) == 0;
}

static void check_array(Typing *typing, const Pattern *pattern, const CType *value)
{
    const CType *type = pattern->type;
    if (array_takes(type, value))
        return;
    const char *name = pattern->kind == PATTERN_BIND
                           ? pattern->variables.items[0]->name
                           : span_copy(typing->arena, typing->resolved->sources, pattern->expr->span);
    diag_error(typing->diags, pattern->span, "'%s' is '%s': a value of type '%s' can't be put there", name,
               type->spelling, value->spelling);
}

static void check_pattern(Typing *typing, const Pattern *pattern, const CType *value)
{
    if (pattern->kind == PATTERN_MATCH)
        check_match(typing, pattern, value);
    if (pattern->kind == PATTERN_BIND)
        check_bind(typing, pattern);
    if (pattern->kind == PATTERN_BIND || pattern->kind == PATTERN_PLACE)
        check_array(typing, pattern, value);
    for (size_t i = 0; pattern->kind == PATTERN_STRUCT && i < pattern->parts.count; i++) {
        const Pattern *part = pattern->parts.items[i];
        check_pattern(typing, part, cunit_type_of(typing->unit, arena_printf(typing->arena, "chx_q%u", part->id)));
    }
}

// What arrives has the type of its target; literals and braces were converted by C already.
static const CType *value_type(const Expr *expr)
{
    return expr->is_literal || expr->is_braces ? NULL : expr->type;
}

static void check_delivery(Typing *typing, const Node *node)
{
    for (size_t i = 0; i < node->sent.exprs.count; i++) {
        const Expr *expr = node->sent.exprs.items[i];
        const Pattern *pattern = node->to.pattern;
        if (node->sent.is_tuple)
            pattern = pattern->kind == PATTERN_TUPLE ? pattern->parts.items[i] : NULL;
        const CType *type = pattern != NULL && is_valid(pattern->type) ? pattern->type : expr->type;
        if (is_valid(expr->type))
            check_sendable(typing, type, expr->span);
        if (pattern != NULL)
            check_pattern(typing, pattern, pattern->kind == PATTERN_MATCH ? expr->type : value_type(expr));
    }
}

// ---- agreement ----

// What is compared is the encoded form.
static void check_agree(Typing *typing, const Node *node)
{
    const CType *type = node->target->type;
    size_t errors = diags_errors(typing->diags);
    check_bind(typing, node->target);
    if (diags_errors(typing->diags) != errors || !is_valid(type) || type->is_sendable)
        return;
    diag_error(typing->diags, node->target->span, "values of type '%s' can't be compared by 'agree'", type->spelling);
    if (type->why_not != NULL)
        diag_note(typing->diags, SPAN_NONE, "%s: agree on the data itself, or make the type one with a CHX_CODEC",
                  type->why_not);
}

// ---- steps ----

static void check_step(Typing *typing, const Node *node)
{
    if (node->target == NULL)
        return;
    if (node->value != NULL && node->op != NULL && strcmp(node->op, "=") == 0) {
        if (node->is_for_agree)
            check_array(typing, node->target, value_type(node->value));
        else
            check_pattern(typing, node->target, value_type(node->value));
        const CType *type = node->target->type;
        if (node->value->is_braces && node->target->kind == PATTERN_BIND && node->target->declares &&
            node->target->variables.items[0]->declared == NULL)
            diag_error(typing->diags, node->value->span, "a brace initialiser needs a type: '%s.TYPE %s = {...};'",
                       role_in_code(typing->resolved->program, node->target->variables.items[0]->instance,
                                    roleset_next(&node->at, 0)),
                       node->target->variables.items[0]->name);
        else if (is_valid(type) && type->kind == CTYPE_VOID)
            diag_error(typing->diags, node->value->span, "this has no value");
        else if (is_valid(type) && node->target->kind == PATTERN_PLACE && !type->is_named)
            diag_error(typing->diags, node->target->span,
                       "the type of this value has no name: give it a tag or a typedef");
        return;
    }
    const CType *type = node->target->type;
    if (node->op != NULL && node->target->kind == PATTERN_BIND)
        check_const(typing, node->target);
    if (node->op != NULL && is_string(type))
        diag_error(typing->diags, node->span, "a string can't be changed with '%s': assign a new value", node->op);
}

// ---- choices ----

static void check_condition(Typing *typing, const Node *node)
{
    const CType *type = node->condition != NULL ? node->condition->type : NULL;
    if (!is_valid(type))
        return;
    bool is_integer = type->kind == CTYPE_INTEGER || type->kind == CTYPE_ENUM || type->kind == CTYPE_BOOL;
    if (node->is_switch && !is_integer)
        diag_error(typing->diags, node->condition->span, "a switch is over an integer or enum, not '%s'",
                   type->spelling);
    else if (!node->is_switch && !is_number(type) && !is_pointer(type) && !ctype_is_array(type))
        diag_error(typing->diags, node->condition->span, "a value of type '%s' can't be a condition", type->spelling);
}

// ---- arguments and results ----

// Is it called under the name of a function parameter that it does not fit, which is reported?
static bool is_misfit(const Typing *typing, const Node *call, const Instance *caller)
{
    bool has_function_params = false;
    for (size_t i = 0; i < caller->def->params.count; i++)
        has_function_params |= caller->def->params.items[i].is_function;
    return has_function_params && map_has(&typing->misfits, call->callee->def->name.text);
}

static void check_args(Typing *typing, const Node *node)
{
    for (size_t i = 0; i < node->args.count; i++) {
        const Param *param = &node->callee->params.items[i];
        const Expr *arg = node->args.items[i].exprs.items[0];
        if (array_takes(param->type, value_type(arg)))
            continue;
        diag_error(typing->diags, arg->span, "the parameter '%s' is '%s': a value of type '%s' can't be put there",
                   param->name, param->type->spelling, arg->type->spelling);
        diag_note(typing->diags, param->span, "it is declared here");
    }
}

static void check_returned(Typing *typing, const CType *type, const CType *value, Span span, Span declared)
{
    if (array_takes(type, value))
        return;
    diag_error(typing->diags, span, "the result is '%s': a value of type '%s' can't be returned", type->spelling,
               value->spelling);
    diag_note(typing->diags, declared, "it is declared here");
}

static void check_return(Typing *typing, const Node *node, const Instance *instance)
{
    for (size_t i = 0; i < instance->results.count; i++) {
        const Result *needed = &instance->results.items[i];
        const Result *have = node->callee != NULL ? returned_result(node, &needed->at) : NULL;
        for (size_t k = 0; have != NULL && k < needed->types.count && k < have->types.count; k++)
            check_returned(typing, needed->types.items[k], have->types.items[k], node->span, needed->span);
        const Value *value = node->callee == NULL && i < node->values.count ? &node->values.items[i] : NULL;
        for (size_t k = 0; value != NULL && k < needed->types.count && k < value->exprs.count; k++)
            check_returned(typing, needed->types.items[k], value_type(value->exprs.items[k]),
                           value->exprs.items[k]->span, needed->span);
    }
}

// ---- statements ----

typedef struct {
    Typing *typing;
    const Instance *instance;
} NodeCheck;

static void check_node(void *context, Node *node)
{
    const NodeCheck *check = context;
    Typing *typing = check->typing;
    if (node->callee != NULL && is_misfit(typing, node, check->instance))
        return;
    if (node->callee != NULL)
        check_args(typing, node);
    if (node->kind == NODE_RETURN)
        check_return(typing, node, check->instance);
    if (node->kind == NODE_DELIVERY)
        check_delivery(typing, node);
    else if (node->kind == NODE_STEP)
        check_step(typing, node);
    else if (node->kind == NODE_AGREE)
        check_agree(typing, node);
    else if (node->kind == NODE_CHOICE || node->kind == NODE_LOOP)
        check_condition(typing, node);
    for (size_t i = 0; node->kind == NODE_CALL && i < node->results.count; i++) {
        const Pattern *pattern = node->results.items[i].pattern;
        const Result *result = call_result(node, i);
        for (size_t k = 0; k < result->types.count; k++)
            check_pattern(typing, pattern->kind == PATTERN_TUPLE ? pattern->parts.items[k] : pattern,
                          result->types.items[k]);
    }
}

// ---- expressions ----

static void check_dotted_c_names(Typing *typing)
{
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const LocalC *local = typing->resolved->locals.items[i];
        const CalledName *called = local->called.count > 0 ? &local->called.items[0] : NULL;
        if (!typing->typed[i] || called == NULL || !called->is_dotted || called->function->proto != NULL)
            continue;
        CNameKind kind = cunit_name_kind(typing->unit, called->name);
        // Without a type there is an error already, which says the same.
        if ((kind != CNAME_FUNCTION && kind != CNAME_MACRO) || called->function->type == NULL)
            continue;
        const char *role = instance_role_name(typing->resolved->program, local->instance, called->function->role);
        diag_warning(typing->diags, called->span, "'%s.%s' is a function that %s provides, although C has a '%s' too",
                     role, called->name, role, called->name);
        diag_fix(
            typing->diags, (Span){local->expr.span.file, local->expr.span.start, local->expr.span.end},
            arena_printf(typing->arena, "(%s)", span_copy(typing->arena, typing->resolved->sources, local->expr.span)),
            "to call C's, write '%s.(%s(...))'; else give %s's a prototype",
            role_in_code(typing->resolved->program, local->instance, roleset_next(&local->expr.at, 0)), called->name,
            role);
    }
}

// ---- variables ----

static void check_variable(Typing *typing, Variable *variable)
{
    const CType *type = variable->type;
    const char *role = instance_role_name(typing->resolved->program, variable->instance, variable->role);
    if (cunit_name_kind(typing->unit, variable->name) == CNAME_MACRO)
        diag_error(typing->diags, variable->span, "'%s' is a macro in C: a variable can't have its name",
                   variable->name);
    // A type that was taken over has been reported where it comes from, if anything is wrong.
    if (!is_valid(type) || (variable->declared == NULL && diags_errors(typing->diags) > 0))
        return;
    if (type->kind == CTYPE_OTHER || type->kind == CTYPE_FUNCTION)
        diag_error(typing->diags, variable->span, "%s's '%s' can't have the type '%s'", role, variable->name,
                   type->spelling);
    else if (!type->is_named)
        diag_error(typing->diags, variable->span, "the type of %s's '%s' has no name: give it a tag or a typedef", role,
                   variable->name);
    else if (type->has_flexible)
        diag_error(typing->diags, variable->span, "%s's '%s' has a flexible array member: its size is not known", role,
                   variable->name);
    else if (const_member(type) != NULL)
        diag_error(typing->diags, variable->span,
                   "%s's '%s' has the const field '%s': a role's variable must be assignable", role, variable->name,
                   const_member(type));
    else if (type->align > ALIGNMENT_MAX)
        diag_error(typing->diags, variable->span, "%s's '%s' must be aligned to %llu bytes: the limit is %d", role,
                   variable->name, (unsigned long long)type->align, ALIGNMENT_MAX);
    else if (type->size > (uint64_t)VARIABLE_MIB_MAX << 20)
        diag_error(typing->diags, variable->span, "%s's '%s' is %llu MiB large: the limit is %d", role, variable->name,
                   (unsigned long long)(type->size >> 20), VARIABLE_MIB_MAX);
}

// Who has it, for "...'s": "Bob", or for a variable at a set "Bob's and Carol". Its variables are one to the user.
const char *variable_owners(const Typing *typing, const Variable *variable)
{
    const Instance *instance = variable->instance;
    const char *text = NULL;
    for (size_t i = 0; i < instance->variables.count; i++) {
        const Variable *other = instance->variables.items[i];
        if (other->span.file != variable->span.file || other->span.start != variable->span.start)
            continue;
        const char *role = instance_role_name(typing->resolved->program, instance, other->role);
        text = text == NULL ? role : arena_printf(typing->arena, "%s's and %s", text, role);
    }
    return text;
}

static void warn_unused(Typing *typing, const Instance *instance)
{
    const VariableList *all = &instance->variables;
    for (size_t i = 0, behind = 0; i < all->count; i = behind) {
        const Variable *variable = all->items[i];
        // The variables of a set follow one another; one reader is enough, and so is one warning.
        bool is_read = false;
        for (behind = i; behind < all->count && all->items[behind]->span.start == variable->span.start; behind++)
            is_read |= all->items[behind]->is_read;
        if (!is_read && !variable->is_param && !variable->is_fault && variable->name[0] != '_')
            diag_warning(typing->diags, variable->span, "%s's '%s' is never read", variable_owners(typing, variable),
                         variable->name);
    }
}

// Members of one frame must differ: shadowing variables get a number.
static void name_variables(Typing *typing, Instance *instance)
{
    Map taken;
    map_init(&taken, typing->arena);
    for (size_t i = 0; i < instance->variables.count; i++) {
        Variable *variable = instance->variables.items[i];
        const char *name = variable->name;
        const char *key = arena_printf(typing->arena, "%u %s", variable->role, name);
        bool is_reserved = strcmp(name, "frame") == 0 || strcmp(name, "chx_result") == 0;
        for (int number = 2; is_reserved || map_has(&taken, key); number++) {
            is_reserved = false;
            name = arena_printf(typing->arena, "%s_%d", variable->name, number);
            key = arena_printf(typing->arena, "%u %s", variable->role, name);
        }
        map_put(&taken, key, variable);
        variable->c_name = name;
    }
}

// ---- functions ----

static void check_hook(Typing *typing, const RoleFunction *function)
{
    if (function->type != NULL && (function->type->result->kind != CTYPE_VOID || function->type->params.count > 0))
        diag_error(typing->diags, function->proto->span, "the hook '%s' is 'void %s.%s(void)'", function->name,
                   role_name(typing, function->role), function->name);
}

// With a role of the choreography's own name, its functions look like what the choreography itself makes.
static bool is_made_by_choreography(const Program *program, const RoleFunction *function)
{
    static const char *const SUFFIXES[] = {"", "_start", "_wait", "_result_drop"};
    if (strcmp(program->role_names[function->role], program->name) != 0)
        return false;
    for (size_t i = 0; i < program->role_count; i++)
        if (strcmp(program->role_names[i], function->name) == 0)
            return true;
    for (size_t i = 0; i < program->instances.count; i++) {
        const char *name = program->instances.items[i]->name;
        size_t length = strlen(name);
        for (size_t k = 0; k < sizeof SUFFIXES / sizeof *SUFFIXES; k++)
            if (strncmp(function->name, name, length) == 0 && strcmp(function->name + length, SUFFIXES[k]) == 0)
                return true;
    }
    return false;
}

static void check_functions(Typing *typing)
{
    Program *program = typing->resolved->program;
    Map c_names;
    map_init(&c_names, typing->arena);
    for (size_t i = 0; i < typing->resolved->functions.count; i++) {
        RoleFunction *function = typing->resolved->functions.items[i];
        // Without a type: used only where nothing is ever reached, or an error is reported.
        if (function->role >= program->role_count || function->type == NULL)
            continue;
        bool is_used = function->first_use.file != FILE_NONE;
        if (function->is_hook)
            check_hook(typing, function);
        else if (!is_used && function->module != NULL)
            continue;
        else if (!is_used) {
            diag_warning(typing->diags, function->proto->name.span, "%s's '%s' is never used",
                         role_name(typing, function->role), function->name);
            continue;
        }
        if (function->proto == NULL && strncmp(function->name, "chx_", 4) == 0)
            diag_error(typing->diags, function->first_use, "the library has no '%s'", function->name);
        const char *c_name = arena_printf(typing->arena, "%s_%s", role_name(typing, function->role), function->name);
        if (map_has(&c_names, c_name))
            diag_error(typing->diags, is_used ? function->first_use : function->proto->span,
                       "two role functions would both be '%s' in C", c_name);
        else if (is_made_by_choreography(program, function))
            diag_error(typing->diags, is_used ? function->first_use : function->proto->span,
                       "the choreography makes a '%s' of its own in C: the role's function can't have this name",
                       c_name);
        map_put(&c_names, c_name, function);
        vector_push(typing->arena, &program->functions, function);
    }
}

static void check_fits(Typing *typing)
{
    for (size_t i = 0; i < typing->resolved->fits.count; i++) {
        const TypeFit *fit = &typing->resolved->fits.items[i];
        const CType *expected = cunit_type_of(typing->unit, type_text_name(typing, fit->expected, fit->expected_over));
        const CType *actual = cunit_type_of(typing->unit, type_text_name(typing, fit->actual, fit->actual_over));
        if (!is_valid(expected) || !is_valid(actual) || strcmp(expected->canonical, actual->canonical) == 0)
            continue;
        map_put(&typing->misfits, fit->argument, typing);
        diag_error(typing->diags, fit->span, "'%s' does not fit the parameter '%s': '%s' where '%s' is expected",
                   fit->argument, fit->parameter, actual->spelling, expected->spelling);
        diag_note(typing->diags, fit->expected->span, "the parameter is declared here");
        diag_note(typing->diags, fit->actual->span, "the function is defined here");
    }
}

static void check_role_names(Typing *typing)
{
    Program *program = typing->resolved->program;
    for (size_t i = 0; i < program->role_count; i++) {
        CNameKind kind = cunit_name_kind(typing->unit, program->role_names[i]);
        program->role_name_taken[i] |= kind != CNAME_NONE;
        if (kind == CNAME_MACRO)
            diag_error(typing->diags, typing->resolved->tree->roles.items[i].span,
                       "'%s' is a macro in C: a role can't have its name", program->role_names[i]);
    }
}

void typing_rules(Typing *typing)
{
    const Program *program = typing->resolved->program;
    check_role_names(typing);
    typing_sets(typing);
    typing_guards(typing);
    typing_owners(typing);
    check_fits(typing);
    for (size_t i = 0; i < program->instances.count; i++) {
        Instance *instance = program->instances.items[i];
        each_node(&instance->body, check_node, &(NodeCheck){typing, instance});
        for (size_t k = 0; k < instance->variables.count; k++)
            check_variable(typing, instance->variables.items[k]);
        name_variables(typing, instance);
    }
    check_dotted_c_names(typing);
    check_functions(typing);
    // While something is wrong, what looks unused may only be not understood.
    for (size_t i = 0; diags_errors(typing->diags) == 0 && i < program->instances.count; i++) {
        warn_unused(typing, program->instances.items[i]);
        typing_pointers(typing, program->instances.items[i]);
    }
}
