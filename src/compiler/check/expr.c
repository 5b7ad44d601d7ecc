// Expressions and targets: which names in local C are whose variables, and what a target binds.

#include "compiler/check/body.h"
#include "compiler/syntax/lex.h"

#include <string.h>

// ---- variables ----

static Variable *fault_variable(Body *body, FaultScope *fault, RoleId role)
{
    VariableList *variables = &fault->checkpoint->fault_variables;
    role = body->resolver->out->program->role_of[role];
    for (size_t i = 0; i < variables->count; i++)
        if (variables->items[i]->role == role)
            return variables->items[i];
    Variable *variable = new_variable(body->resolver, body->instance, role, fault->name, fault->checkpoint->head);
    variable->is_fault = true;
    variable->is_read = true;
    vector_push(body->resolver->arena, variables, variable);
    return variable;
}

Variable *scope_find(const Body *body, RoleId role, const char *name, uint32_t *depth)
{
    const Program *program = body->resolver->out->program;
    Variable *variable = scope_lookup(&body->resolver->scope, program->role_of[role], name, depth);
    bool is_visible = variable != NULL && (variable->owner == variable->role || variable->owner == role);
    return is_visible ? variable : NULL;
}

// The rescue whose fault `name` means here, or NULL. A variable that is bound in the rescue hides it.
static FaultScope *find_fault(const Body *body, RoleId role, const char *name)
{
    uint32_t depth = 0;
    bool is_bound = scope_find(body, role, name, &depth) != NULL;
    for (FaultScope *fault = body->fault; fault != NULL; fault = fault->outer)
        if (strcmp(fault->name, name) == 0 && (!is_bound || depth <= fault->depth))
            return fault;
    return NULL;
}

// A rescue's fault belongs to every role there; it becomes a role's variable when the role first uses it. So do the indices
// of members and the sizes of families.
Variable *lookup_variable(Body *body, RoleId role, const char *name)
{
    FaultScope *fault = find_fault(body, role, name);
    if (fault != NULL)
        return fault_variable(body, fault, role);
    Variable *member = lookup_member(body, role, name);
    return member != NULL ? member : scope_find(body, role, name, NULL);
}

// Another role that has a variable of this name here, or NULL.
static RoleId owner_of(Body *body, const char *name)
{
    for (RoleId role = 0; role < body->resolver->scope.role_count; role++)
        if (scope_lookup(&body->resolver->scope, role, name, NULL) != NULL)
            return role;
    return ROLE_NONE;
}

// ---- local C ----

static Span span_of(Span local, const Token *token)
{
    return (Span){local.file, token->start, token->end};
}

static bool is_name(const Token *token)
{
    return token->kind == TOKEN_IDENTIFIER && !token_is_keyword(token);
}

// The texts between the commas of tokens (open, close), both exclusive.
static void split_arguments(Arena *arena, const TokenList *tokens, Span local, size_t open, CTextList *parts)
{
    size_t close = tokens_close(tokens, open), first = open + 1;
    int depth = 0;
    for (size_t i = open + 1; i <= close && i < tokens->count; i++) {
        bool at_end = i == close;
        if (!at_end)
            depth += token_depth(&tokens->items[i]);
        if (!at_end && !(depth == 0 && tokens_have(tokens, i, ",")))
            continue;
        if (i > first) {
            CText part = {span_join(span_of(local, &tokens->items[first]), span_of(local, &tokens->items[i - 1]))};
            vector_push(arena, parts, part);
        }
        first = i + 1;
    }
}

static Mention *find_mention(LocalC *local, const char *name)
{
    for (size_t i = 0; i < local->mentions.count; i++)
        if (strcmp(local->mentions.items[i].name, name) == 0)
            return &local->mentions.items[i];
    return NULL;
}

// An expression at a set mentions what only some of its roles have.
static void explain_not_shared(Body *body, const LocalC *local, const Token *token, RoleId missing, RoleId owner)
{
    const Resolver *resolver = body->resolver;
    const Program *program = resolver->out->program;
    const char *name = token->text;
    diag_error(resolver->diags, span_of(local->expr.span, token), "'%s' is %s's, not %s's", name,
               who(resolver, body->env, owner), who(resolver, body->env, missing));
    const char *set = set_in_code(program, body->instance, &local->expr.at);
    if (program->is_family[owner])
        diag_note(resolver->diags, SPAN_NONE,
                  "a delivery of one member to all of them makes it one that they agree on: '%s[0].%s ~> {%s}.%s;'",
                  who(resolver, body->env, owner), name, set, name);
    else
        diag_note(resolver->diags, SPAN_NONE,
                  "a delivery to all of them makes it one that they agree on: '%s.%s ~> {%s}.%s;'",
                  who(resolver, body->env, owner), name, set, name);
}

// All members of a family in a set must mean the same variable. False: they don't, which is reported.
static bool fits_members(Body *body, LocalC *local, const Mention *fresh, const Variable *variable, const Token *token)
{
    const Variable *other = variable_of_role(&fresh->variables, variable->role);
    if (other == NULL || other == variable)
        return true;
    diag_error(body->resolver->diags, span_of(local->expr.span, token),
               "'%s' is not the same variable for all members of '%s' here", token->text,
               who(body->resolver, body->env, variable->role));
    local->is_poisoned = true;
    return false;
}

// The name stands in the expression: if it is a variable of its roles, that is a mention.
static void mention(Body *body, LocalC *local, const Token *token)
{
    Arena *arena = body->resolver->arena;
    Mention *found = find_mention(local, token->text);
    if (found == NULL) {
        Mention fresh = {.name = token->text, .agree = true};
        RoleId missing = ROLE_NONE;
        for (ROLESET_EACH(role, &local->expr.at)) {
            Variable *variable = lookup_variable(body, role, token->text);
            if (variable == NULL) {
                missing = role;
                continue;
            }
            local->is_poisoned |= is_poisoned(variable);
            if (!fits_members(body, local, &fresh, variable, token))
                return;
            vector_push(arena, &fresh.variables, variable);
        }
        if (fresh.variables.count == 0)
            return;
        if (missing != ROLE_NONE) {
            explain_not_shared(body, local, token, missing, fresh.variables.items[0]->role);
            local->is_poisoned = true;
            return;
        }
        vector_push(arena, &local->mentions, fresh);
        found = &local->mentions.items[local->mentions.count - 1];
    }
    vector_push(arena, &found->places, span_of(local->expr.span, token));
}

static bool has_prototype(Body *body, const LocalC *local, const char *name)
{
    RoleId role = roleset_next(&local->expr.at, 0);
    RoleFunction *function = function_of(body->resolver->out, body->instance, role, name);
    return function != NULL && function->proto != NULL;
}

static void note_call(Body *body, LocalC *local, const TokenList *tokens, size_t index, bool is_dotted)
{
    const Token *token = &tokens->items[index];
    Arena *arena = body->resolver->arena;
    Span span = span_of(local->expr.span, token);
    CalledName called = {.name = token->text, .span = span, .is_dotted = is_dotted};
    size_t close = tokens_close(tokens, index + 1);
    called.is_whole = index == 0 && close + 1 == tokens->count;
    if (called.is_whole)
        split_arguments(arena, tokens, local->expr.span, index + 1, &called.args);
    RoleId role = roleset_next(&local->expr.at, 0);
    // A definition that nobody uses asks nothing of a role.
    if (body->env->is_abstract)
        called.function = function_of(body->resolver->out, body->instance, role, token->text);
    else if (is_dotted || has_prototype(body, local, token->text))
        called.function = function_used(body->resolver->out, body->instance, role, token->text, span);
    vector_push(arena, &local->called, called);
    local->expr.has_call = true;
}

// Does a statement expression declare a variable of this name? A type stands before it then, perhaps with stars.
static bool is_declared_inside(const TokenList *tokens, const char *name)
{
    static const char *const OTHERS[] = {"case",     "else",          "goto", "return", "sizeof",
                                         "_Alignof", "__extension__", "true", "false"};
    for (size_t i = 1; i < tokens->count; i++) {
        size_t type = i - 1;
        while (type > 0 && tokens_have(tokens, type, "*"))
            type--;
        const Token *before = &tokens->items[type];
        bool is_type = token_is_keyword(before) || (is_name(before) && type == i - 1);
        for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
            is_type &= strcmp(before->text, OTHERS[k]) != 0;
        if (is_type && is_name(&tokens->items[i]) && strcmp(tokens->items[i].text, name) == 0)
            return true;
    }
    return false;
}

// A function of the role that is not called here: its address is taken, or a macro calls it.
static bool note_function(Body *body, LocalC *local, const TokenList *tokens, const Token *token)
{
    RoleId role = roleset_next(&local->expr.at, 0);
    if (!has_prototype(body, local, token->text) || lookup_variable(body, role, token->text) != NULL ||
        is_declared_inside(tokens, token->text))
        return false;
    CalledName called = {.name = token->text, .span = span_of(local->expr.span, token)};
    called.function = body->env->is_abstract
                          ? function_of(body->resolver->out, body->instance, role, token->text)
                          : function_used(body->resolver->out, body->instance, role, token->text, called.span);
    vector_push(body->resolver->arena, &local->called, called);
    local->expr.has_call = true;
    return true;
}

static bool is_literal(const TokenList *tokens)
{
    size_t first = 0, last = tokens->count;
    while (first < last && tokens_have(tokens, first, "(") && tokens_close(tokens, first) == last - 1) {
        first++;
        last--;
    }
    for (size_t i = first; i < last; i++)
        if (tokens->items[i].kind != TOKEN_STRING)
            return false;
    return first < last;
}

// A statement expression whose parentheses are those behind the role's dot; or a comma that would separate two arguments,
// even of a macro: only parentheses hide it there, not braces.
static bool needs_parentheses(const TokenList *tokens)
{
    if (tokens_have(tokens, 0, "{"))
        return true;
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens_have(tokens, i, ","))
            return true;
        if (tokens_have(tokens, i, "("))
            i = tokens_close(tokens, i);
    }
    return false;
}

static bool is_arithmetic(LocalC *local, const TokenList *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const Token *token = &tokens->items[i];
        bool is_operator =
            token->kind == TOKEN_PUNCTUATOR && strspn(token->text, "+-*<>=!&|^~?:()") == strlen(token->text);
        bool is_variable = is_name(token) && find_mention(local, token->text) != NULL;
        if (token->kind != TOKEN_NUMBER && !is_operator && !is_variable)
            return false;
    }
    return true;
}

// Neither the name of a member nor a tag.
static bool is_plain_name(const TokenList *tokens, size_t index)
{
    if (!is_name(&tokens->items[index]))
        return false;
    static const char *const BEFORE[] = {".", "->", "struct", "union", "enum"};
    for (size_t i = 0; index > 0 && i < sizeof BEFORE / sizeof *BEFORE; i++)
        if (tokens_have(tokens, index - 1, BEFORE[i]))
            return false;
    return true;
}

// A name that the unit has in which types are found (unit.c): it would be understood there, and nowhere else.
static bool is_unit_name(const char *name)
{
    static const char *const KINDS[] = {"a", "c", "f", "fn", "l", "none", "q", "t", "ty", "v", "x", "y"};
    if (strncmp(name, "chx_", 4) != 0)
        return false;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        size_t length = strlen(KINDS[i]);
        if (strncmp(name + 4, KINDS[i], length) == 0 &&
            name[4 + length + strspn(name + 4 + length, "0123456789_")] == '\0')
            return true;
    }
    return false;
}

// Which names could be macros that hide a comma or a brace. The commonest macros have none.
static void note_open_names(Body *body, LocalC *local, const TokenList *tokens)
{
    static const char *const COMMON[] = {"NULL", "EOF"};
    for (size_t i = local->form == CFORM_DOTTED; i < tokens->count; i++) {
        const Token *token = &tokens->items[i];
        bool is_common = !is_name(token);
        for (size_t k = 0; k < sizeof COMMON / sizeof *COMMON; k++)
            is_common |= strcmp(token->text, COMMON[k]) == 0;
        if (!is_common)
            vector_push(body->resolver->arena, &local->open_names, token->text);
        if (tokens_have(tokens, i, "("))
            i = tokens_close(tokens, i);
    }
}

Expr *resolve_c(Body *body, const RoleSet *at, Span c, CForm form)
{
    Resolved *out = body->resolver->out;
    LocalC *local = ARENA_NEW(out->arena, LocalC);
    local->id = (uint32_t)out->locals.count;
    local->instance = body->instance;
    local->form = form;
    local->expr.at = roleset_copy(out->arena, at);
    local->expr.span = c;
    vector_push(out->arena, &out->locals, local);

    TokenList tokens = {0};
    lex_span(out->arena, out->sources, c, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        const Token *token = &tokens.items[i];
        if (!is_plain_name(&tokens, i))
            continue;
        if (is_unit_name(token->text)) {
            diag_error(body->resolver->diags, span_of(c, token), "the library has no '%s'", token->text);
            local->is_poisoned = true;
            continue;
        }
        // It may be a variable that a statement expression declares.
        uintptr_t role = (uintptr_t)map_get(&body->resolver->role_by_name, token->text);
        if (role != 0)
            out->program->role_name_taken[role - 1] = true;
        bool is_called = tokens_have(&tokens, i + 1, "(");
        bool dotted = form == CFORM_DOTTED && i == 0;
        if (!is_called && note_function(body, local, &tokens, token))
            continue;
        if (is_called)
            note_call(body, local, &tokens, i, dotted);
        // A variable may hold a function pointer; the role's own functions come first.
        if (!is_called || (!dotted && !has_prototype(body, local, token->text)))
            mention(body, local, token);
    }
    local->expr.is_braces = form == CFORM_BARE && tokens_have(&tokens, 0, "{");
    local->expr.is_literal = is_literal(&tokens);
    local->expr.needs_parentheses = !local->expr.is_braces && needs_parentheses(&tokens);
    note_open_names(body, local, &tokens);
    local->expr.is_arithmetic = local->called.count == 0 && is_arithmetic(local, &tokens);
    local->expr.is_variable = tokens.count == 1 && local->mentions.count == 1;
    local->expr.is_constant = local->mentions.count == 0 && local->called.count == 0;
    return &local->expr;
}

// ---- located expressions ----

static bool resolve_name(Body *body, const TreeExpr *tree, Value *value)
{
    bool fine = true;
    for (ROLESET_EACH(role, &value->at)) {
        if (lookup_variable(body, role, tree->name.text) != NULL)
            continue;
        explain_missing(body->resolver->out, body->instance, role, who(body->resolver, body->env, role),
                        tree->name.text, tree->name.span, owner_of(body, tree->name.text));
        fine = false;
        break;
    }
    if (fine)
        vector_push(body->resolver->arena, &value->exprs, resolve_c(body, &value->at, tree->name.span, CFORM_BARE));
    return fine;
}

static void check_set_call(Body *body, const TreeExpr *tree, const Value *value)
{
    if (party_count(body->resolver->out->program, &value->at) < 2)
        return;
    const char *name = tree->name.text;
    local_c(value->exprs.items[0])->is_poisoned = true;
    diag_error(
        body->resolver->diags, tree->span,
        "'%s' would be a function that each of the roles provides: an expression at a role set makes no calls of such",
        name);
    diag_note(body->resolver->diags, SPAN_NONE,
              "let one role call it and send the result to the set; a C function is called as '{...}.(%s(...))'", name);
}

bool resolve_value(Body *body, const TreeExpr *tree, Value *value)
{
    Arena *arena = body->resolver->arena;
    *value = (Value){.span = tree->span, .is_tuple = tree->kind == TREE_TUPLE};
    if (!find_roles(body->resolver, body->env, &tree->at, &value->at))
        return false;
    switch (tree->kind) {
    case TREE_NAME:
        return resolve_name(body, tree, value);
    case TREE_CALL:
        vector_push(arena, &value->exprs, resolve_c(body, &value->at, tree->c.span, CFORM_DOTTED));
        check_set_call(body, tree, value);
        return true;
    case TREE_C:
        vector_push(arena, &value->exprs, resolve_c(body, &value->at, tree->c.span, CFORM_PARENTHESISED));
        return true;
    case TREE_TUPLE:
        for (size_t i = 0; i < tree->parts.count; i++)
            vector_push(arena, &value->exprs, resolve_c(body, &value->at, tree->parts.items[i].span, CFORM_BARE));
        return true;
    }
    return false;
}

// ---- targets ----

// All participants agree on the fault: nobody changes it.
static bool is_fault_target(Body *body, const RoleSet *at, const Target *target)
{
    for (ROLESET_EACH(role, at))
        if (find_fault(body, role, target->name.text) != NULL) {
            diag_error(body->resolver->diags, target->name.span,
                       "'%s' is why the block was rescued: it can't be assigned to", target->name.text);
            return true;
        }
    RoleId first = roleset_next(at, 0);
    if (!is_member_name(body, first, target->name.text))
        return false;
    diag_error(body->resolver->diags, target->name.span,
               "'%s' says which member of a family is meant, or how many there are: it can't be assigned to",
               target->name.text);
    return true;
}

// The variables that stand in a `typeof` of the variable's declared type. Those further out are names of types.
static void resolve_type_names(Body *body, Variable *variable)
{
    Resolved *out = body->resolver->out;
    TokenList tokens = {0};
    lex_span(out->arena, out->sources, variable->declared->before, &tokens);
    size_t depth = 0;
    for (size_t i = 0; i < tokens.count; i++) {
        depth += tokens_have(&tokens, i, "(");
        depth -= tokens_have(&tokens, i, ")") && depth > 0;
        Variable *used =
            depth > 0 && is_plain_name(&tokens, i) ? lookup_variable(body, variable->role, tokens.items[i].text) : NULL;
        if (used == NULL)
            continue;
        used->is_read = true;
        if (is_poisoned(used))
            variable->type = &POISON;
        TypeName name = {span_of(variable->declared->before, &tokens.items[i]), used};
        vector_push(out->arena, &out->visible.items[variable->id].type_names, name);
    }
}

static bool is_chosen(const Body *body, RoleId view)
{
    for (const Focus *focus = body->env->focus; focus != NULL; focus = focus->outer)
        if (focus->node->view == view)
            return focus->select != NULL;
    return false;
}

static Variable *bind_new(Body *body, RoleId role, const Target *target, bool poison)
{
    Variable *variable = new_variable(body->resolver, body->instance, role, target->name.text, target->name.span);
    variable->round = body->round;
    // What a member gets that is chosen by an index comes into being for all of them.
    if (is_chosen(body, role))
        variable->owner = variable->role;
    if (target->kind == TARGET_DECLARE)
        variable->declared = &target->type;
    if (variable->declared != NULL) {
        check_sizes(body->resolver, body->env, variable->declared);
        resolve_type_names(body, variable);
    }
    if (poison)
        variable->type = &POISON;
    scope_bind(&body->resolver->scope, variable);
    return variable;
}

// Some of the roles have bound the name in the same block: one error for all of them.
static void check_bound_twice(Body *body, const RoleSet *at, const Target *target)
{
    Resolver *resolver = body->resolver;
    RoleSet twice = new_set(resolver, body->env);
    const Variable *earlier = NULL;
    for (ROLESET_EACH(role, at)) {
        uint32_t depth = 0;
        const Variable *variable = scope_find(body, role, target->name.text, &depth);
        if (variable == NULL || depth != resolver->scope.depth)
            continue;
        roleset_add(&twice, role);
        earlier = earlier != NULL ? earlier : variable;
    }
    if (earlier == NULL)
        return;
    diag_error(resolver->diags, target->name.span,
               roleset_count(&twice) == 1 ? "%s already has '%s' in this block" : "%s already have '%s' in this block",
               who_all(resolver, body->env, &twice), target->name.text);
    diag_note(resolver->diags, earlier->span, "it is bound here");
}

static void resolve_bind(Body *body, const RoleSet *at, const Target *target, bool poison, Pattern *pattern)
{
    pattern->declares = true;
    if (target->kind == TARGET_DECLARE)
        check_bound_twice(body, at, target);
    for (ROLESET_EACH(role, at)) {
        Variable *variable = NULL;
        if (target->kind != TARGET_DECLARE)
            variable = scope_find(body, role, target->name.text, NULL);
        // All members of a family have the same one.
        Variable *bound = variable_of_role(&pattern->variables, body->resolver->out->program->role_of[role]);
        if (bound != NULL) {
            bound->owner = bound->owner != role ? bound->role : role;
            vector_push(body->resolver->arena, &pattern->variables, bound);
            continue;
        }
        if (variable != NULL)
            pattern->declares = false;
        else
            variable = bind_new(body, role, target, poison);
        variable->is_doubtful |= poison;
        vector_push(body->resolver->arena, &pattern->variables, variable);
    }
}

static void resolve_place(Body *body, const RoleSet *at, const Target *target, Pattern *pattern)
{
    for (ROLESET_EACH(role, at))
        if (lookup_variable(body, role, target->name.text) == NULL) {
            explain_missing(body->resolver->out, body->instance, role, who(body->resolver, body->env, role),
                            target->name.text, target->name.span, owner_of(body, target->name.text));
            pattern->kind = PATTERN_DROP;
            return;
        }
    pattern->expr = resolve_c(body, at, target->c.span, CFORM_BARE);
}

// A second declaration is reported as such.
static bool binds_again(const Target *target, const Target *before)
{
    return target->kind == TARGET_NAME && (before->kind == TARGET_NAME || before->kind == TARGET_DECLARE) &&
           strcmp(target->name.text, before->name.text) == 0;
}

// Each part goes to one place, and each variable gets one value.
static void check_parts(Body *body, const Target *target)
{
    Diags *diags = body->resolver->diags;
    for (size_t i = 0; i < target->parts.count; i++) {
        const Target *part = target->parts.items[i];
        for (size_t k = 0; k < i; k++) {
            const Target *before = target->parts.items[k];
            if (target->kind == TARGET_STRUCT && strcmp(part->field.text, before->field.text) == 0)
                diag_error(diags, part->field.span, "the field '%s' is taken twice here", part->field.text);
            else if (binds_again(part, before))
                diag_error(diags, part->name.span, "'%s' gets two values here", part->name.text);
            else
                continue;
            return;
        }
    }
}

Pattern *resolve_target(Body *body, const RoleSet *at, const Target *target, bool poison)
{
    static const PatternKind KINDS[] = {
        [TARGET_NAME] = PATTERN_BIND,     [TARGET_DECLARE] = PATTERN_BIND, [TARGET_DROP] = PATTERN_DROP,
        [TARGET_MATCH] = PATTERN_MATCH,   [TARGET_PLACE] = PATTERN_PLACE,  [TARGET_TUPLE] = PATTERN_TUPLE,
        [TARGET_STRUCT] = PATTERN_STRUCT,
    };
    Pattern *pattern = ARENA_NEW(body->resolver->arena, Pattern);
    pattern->kind = KINDS[target->kind];
    pattern->span = target->span;
    pattern->id = body->resolver->out->pattern_count++;
    if ((target->kind == TARGET_NAME || target->kind == TARGET_PLACE) && is_fault_target(body, at, target))
        pattern->kind = PATTERN_DROP;
    else if (pattern->kind == PATTERN_BIND)
        resolve_bind(body, at, target, poison, pattern);
    else if (pattern->kind == PATTERN_PLACE)
        resolve_place(body, at, target, pattern);
    else if (pattern->kind == PATTERN_MATCH)
        pattern->expr = resolve_c(body, at, target->c.span, CFORM_PARENTHESISED);
    check_parts(body, target);
    for (size_t i = 0; i < target->parts.count; i++) {
        Pattern *part = resolve_target(body, at, target->parts.items[i], poison);
        part->field = target->parts.items[i]->field.text;
        vector_push(body->resolver->arena, &pattern->parts, part);
    }
    return pattern;
}
