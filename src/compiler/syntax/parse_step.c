// parse_step.c: deliveries, assignments, local steps and calls.

#include "compiler/syntax/parser.h"

Stmt *stmt_new(Parser *parser, StmtKind kind)
{
    Stmt *stmt = ARENA_NEW(parser->arena, Stmt);
    stmt->kind = kind;
    return stmt;
}

Stmt *stmt_end(Parser *parser, Stmt *stmt, size_t first)
{
    stmt->span = range_span(parser, first, parser->at);
    return stmt;
}

static bool at_end(const Parser *parser)
{
    return next_is(parser, ";") || parser->at >= parser->limit;
}

// ---- deliveries ----

static bool is_receiver(const Parser *parser, size_t index)
{
    if (index_is(parser, index, "{"))
        index++;
    const Token *token = peek_at(parser, index);
    return token->kind == TOKEN_IDENTIFIER && is_role(parser, token->text);
}

// How many tokens here look like an arrow and are none: `->`, `=>`, `>`, `~`, ... in front of a role.
static size_t wrong_arrow(const Parser *parser)
{
    size_t at = parser->at;
    bool is_two =
        (next_is(parser, "=") || next_is(parser, "--") || next_is(parser, "-")) && index_is(parser, at + 1, ">");
    if (is_two)
        return is_receiver(parser, at + 2) ? 2 : 0;
    bool is_one = next_is(parser, "->") || next_is(parser, ">") || next_is(parser, ">>") || next_is(parser, "~");
    return is_one && is_receiver(parser, at + 1) ? 1 : 0;
}

static bool accept_arrow(Parser *parser)
{
    if (accept(parser, "~>"))
        return true;
    size_t count = wrong_arrow(parser);
    if (count == 0)
        return false;
    Span span = range_span(parser, parser->at, parser->at + count);
    if (parse_error(parser, span, "a delivery is written '~>', not '%s'", span_copy_of(parser, span)))
        diag_fix(parser->diags, span, "~>", "write '~>'");
    parser->at += count;
    return true;
}

// `Bob.x <~ Alice.y`, `Bob.x <- Alice.y`
static bool report_backward(Parser *parser, const TreeExpr *expr)
{
    size_t at = parser->at;
    bool is_backward = next_is(parser, "<") && (index_is(parser, at + 1, "~") || index_is(parser, at + 1, "-")) &&
                       is_receiver(parser, at + 2) &&
                       strcmp(peek_at(parser, at + 2)->text, expr->at.names.items[0].text) != 0;
    if (!is_backward)
        return false;
    size_t end = at + 2;
    while (end < parser->limit && !index_is(parser, end, ";"))
        end = behind_group(parser, end);
    parse_error(parser, range_span(parser, at, at + 2), "a delivery goes from left to right: '%s ~> %s;'",
                span_copy_of(parser, range_span(parser, at + 2, end)), span_copy_of(parser, expr->span));
    return true;
}

// A delivery whose right side is not `Role.target`.
static void report_receiver(Parser *parser, const TreeExpr *sent)
{
    size_t end = parser->at;
    while (end < parser->limit && !index_is(parser, end, ";"))
        end = behind_group(parser, end);
    if (end == parser->at) {
        parse_error_here(parser, "the receiver is missing after '~>'");
        return;
    }
    const Token *token = peek(parser);
    if (token->kind != TOKEN_IDENTIFIER || !is_role(parser, token->text)) {
        report_unlocated(parser, "what receives a value", parser->at, end);
        return;
    }
    const char *variable = sent->kind == TREE_NAME ? sent->name.text : "x";
    Span place = {parser->file, token->end, token->end};
    if (parse_error_here(parser, "the variable of %s that takes the value is missing: '%s.%s'", token->text,
                         token->text, variable))
        diag_fix(parser->diags, place, arena_printf(parser->arena, ".%s", variable), "write '%s.%s'", token->text,
                 variable);
}

// delivery = expr "~>" located-target
static Stmt *parse_delivery(Parser *parser, size_t first, TreeExpr *expr)
{
    Stmt *stmt = stmt_new(parser, STMT_DELIVERY);
    stmt->expr = expr;
    if (!is_located(parser)) {
        report_receiver(parser, expr);
        return NULL;
    }
    LocatedTarget *target = &stmt->target;
    if (!parse_role_ref(parser, &target->at))
        return NULL;
    size_t target_first = parser->at;
    target->target = parse_target(parser, &target->at);
    if (target->target == NULL)
        return NULL;
    if (next_is(parser, "~>") || wrong_arrow(parser) > 0) {
        parse_error_here(parser, "a value goes one way in one statement: end this delivery with ';' and start another");
        return NULL;
    }
    if (next_is(parser, ",")) {
        parse_error_here(parser, "a delivery to several roles names them as a set: '{%s, ...}.x'",
                         role_text(parser, &target->at));
        return NULL;
    }
    if (target->target->kind != TARGET_DECLARE && is_operator(parser, parser->at)) {
        suggest_parentheses(parser, &target->at, target_first);
        return NULL;
    }
    target->span = span_join(target->at.span, target->target->span);
    return stmt_end(parser, stmt, first);
}

// ---- assignments ----

static bool is_assignment_operator(const Token *token)
{
    static const char *const operators[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
    for (size_t i = 0; token->kind == TOKEN_PUNCTUATOR && i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(token->text, operators[i]) == 0)
            return true;
    }
    return false;
}

static bool ends_operand(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index);
    switch (token->kind) {
    case TOKEN_IDENTIFIER:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_CHAR:
        return true;
    default:
        return token_is(token, ")") || token_is(token, "]") || token_is(token, "}") || token_is(token, "++") ||
               token_is(token, "--");
    }
}

// Bare C goes to the semicolon, or to where another statement shows that the semicolon is missing.
static size_t value_end(const Parser *parser)
{
    size_t i = parser->at;
    while (i < parser->limit && !index_is(parser, i, ";")) {
        if (i > parser->at && starts_statement(parser, i) && ends_operand(parser, i - 1))
            break;
        i = behind_group(parser, i);
    }
    return i;
}

// `agree(Alice.k, Bob.k)`: a call of a function of C has no located arguments.
static bool is_agree(const Parser *parser)
{
    if (!next_is(parser, "agree"))
        return false;
    Parser argument = *parser;
    size_t open = index_is(parser, parser->at + 1, "[") ? behind_group(parser, parser->at + 1) : parser->at + 1;
    size_t close = peek_at(parser, open)->match;
    for (argument.at = open + 1; argument.at < close; argument.at = behind_group(parser, argument.at)) {
        bool starts = argument.at == open + 1 || index_is(parser, argument.at - 1, ",");
        if (starts && is_located(&argument) && (is_role_set(&argument) || is_role(parser, peek(&argument)->text)))
            return true;
    }
    return close == open + 1;
}

// `relax[Alice, Bob](Alice.k)`: only a choreographic function has roles in brackets, also one that there is not.
static bool has_role_arguments(const Parser *parser)
{
    size_t open = parser->at + 1;
    const char *first = index_is(parser, open, "[") ? peek_at(parser, open + 1)->text : NULL;
    bool is_argument = first != NULL && (index_is(parser, open + 2, ",") || index_is(parser, open + 2, "]"));
    return is_argument && is_role(parser, first) && map_get(&parser->variables, first) != parser->def;
}

static bool is_choreographic_call(const Parser *parser)
{
    return is_function_call(parser) || (is_call(parser) && (is_agree(parser) || has_role_arguments(parser)));
}

static void report_unbound(Parser *parser, Span span, const char *function)
{
    parse_error(parser, span, "the result of '%s' must be bound on its own", function);
}

// A choreographic call in the middle of bare C, known by its located arguments.
static bool check_no_calls(Parser *parser, size_t first, size_t behind)
{
    Parser ahead = *parser;
    for (ahead.at = first; ahead.at < behind; ahead.at++) {
        if (!is_choreographic_call(&ahead))
            continue;
        Parser argument = ahead;
        argument.at = index_is(&ahead, ahead.at + 1, "(") ? ahead.at + 2 : behind_group(&ahead, ahead.at + 1) + 1;
        if (is_located(&argument) && (is_role_set(&argument) || is_role(parser, peek(&argument)->text))) {
            report_unbound(parser, token_span(parser, ahead.at), peek(&ahead)->text);
            return false;
        }
    }
    return true;
}

// `Bob.x = Alice.y;`: a delivery, written as an assignment.
static bool report_other_role(Parser *parser, const Stmt *stmt, size_t first, size_t behind)
{
    const RoleRef *at = &stmt->target.at;
    const Token *role = peek_at(parser, first);
    bool is_value =
        role->kind == TOKEN_IDENTIFIER && is_role(parser, role->text) && index_is(parser, first + 1, ".") &&
        (behind == first + 3 || behind_group(parser, first + 2) == behind || behind_group(parser, first + 3) == behind);
    bool is_other = at->names.count == 1 && strcmp(role->text, at->names.items[0].text) != 0;
    if (!is_value || !is_other || strcmp(stmt->op, "=") != 0)
        return false;
    parse_error(parser, range_span(parser, first, behind), "this is %s's, not %s's: a delivery brings it, '%s ~> %s;'",
                role->text, role_text(parser, at), span_copy_of(parser, range_span(parser, first, behind)),
                span_copy_of(parser, stmt->target.span));
    return true;
}

// One value, bare C of the target's role.
static bool parse_value(Parser *parser, Stmt *stmt)
{
    size_t first = parser->at, behind = value_end(parser);
    if (behind == first) {
        parse_error_here(parser, "a value is missing after '%s'", stmt->op);
        return false;
    }
    if (next_is(parser, "{") && stmt->target.target->kind != TARGET_DECLARE) {
        parse_error_here(parser, "a value in braces needs a type: '%s.type name = {...}'",
                         role_text(parser, &stmt->target.at));
        return false;
    }
    for (size_t i = first; i < behind; i = behind_group(parser, i)) {
        if (index_is(parser, i, ",")) {
            parse_error(parser, token_span(parser, i), "',' can't stand here: write one statement for each variable");
            return false;
        }
    }
    if (report_lambda_in_c(parser, first))
        return false;
    if (!check_no_calls(parser, first, behind) || report_other_role(parser, stmt, first, behind))
        return false;
    stmt->value = local_text(parser, first, behind, &stmt->target.at);
    parser->at = behind;
    return true;
}

// Can the target take a value of bare C with this operator?
static bool check_target(Parser *parser, const LocatedTarget *target, const char *op)
{
    const char *role = role_text(parser, &target->at);
    switch (target->target->kind) {
    case TARGET_NAME:
    case TARGET_PLACE:
        return true;
    case TARGET_DECLARE:
    case TARGET_STRUCT:
        if (strcmp(op, "=") == 0)
            return true;
        parse_error_here(parser, "'%s' needs a variable on its left", op);
        return false;
    case TARGET_TUPLE:
        parse_error(parser, target->span, "a tuple comes from a delivery or a call; '%s.{.x, .y}' takes a struct apart",
                    role);
        return false;
    case TARGET_DROP:
        parse_error(parser, target->span, "to compute a value and drop it, write '%s.(...)'", role);
        return false;
    case TARGET_MATCH:
        parse_error(parser, target->span, "a value to match stands only after '~>'");
        return false;
    }
    return false;
}

// call-step = [ located-target { "," located-target } "=" ] call
static Stmt *parse_call_step(Parser *parser, size_t first, Stmt *stmt)
{
    stmt->kind = STMT_CALL;
    const char *function = peek(parser)->text;
    stmt->call = parse_call(parser);
    if (stmt->call == NULL)
        return NULL;
    for (size_t i = 0; i < stmt->targets.count; i++) {
        if (stmt->targets.items[i].target->kind == TARGET_MATCH) {
            parse_error(parser, stmt->targets.items[i].span, "a value to match stands only after '~>'");
            return NULL;
        }
    }
    if (next_is(parser, "~>") || wrong_arrow(parser) > 0 || is_operator(parser, parser->at)) {
        report_unbound(parser, stmt->call->span, function);
        return NULL;
    }
    return stmt_end(parser, stmt, first);
}

// Behind the comma that follows the first target.
static Stmt *parse_many_targets(Parser *parser, size_t first, Stmt *stmt)
{
    while (accept(parser, ",")) {
        if (!is_located(parser)) {
            bool declares = stmt->targets.items[stmt->targets.count - 1].target->kind == TARGET_DECLARE;
            parse_error_here(parser, declares ? "one statement declares one variable: expected ';' before ','"
                                              : "expected another role's target after ','");
            return NULL;
        }
        LocatedTarget target;
        if (!parse_located_target(parser, &target))
            return NULL;
        vector_push(parser->arena, &stmt->targets, target);
    }
    stmt->op_span = token_span(parser, parser->at);
    if (!expect(parser, "=", "and a call after several targets"))
        return NULL;
    stmt->op = "=";
    if (is_choreographic_call(parser))
        return parse_call_step(parser, first, stmt);
    Span targets = span_join(stmt->targets.items[0].span, stmt->targets.items[stmt->targets.count - 1].span);
    parse_error(parser, targets, "several targets need the call of a choreographic function on the right");
    return NULL;
}

// assignment = located-target [ ( "=" | "+=" | ... ) C | "++" | "--" ] | call-step
static Stmt *parse_assignment(Parser *parser, size_t first, LocatedTarget target)
{
    Stmt *stmt = stmt_new(parser, STMT_ASSIGN);
    vector_push(parser->arena, &stmt->targets, target);
    if (next_is(parser, ","))
        return parse_many_targets(parser, first, stmt);
    stmt->target = target;
    const Token *token = peek(parser);
    if (!is_assignment_operator(token)) {
        stmt->targets.count = 0;
        if (target.target->kind == TARGET_DECLARE && !next_is(parser, "~>"))
            return stmt_end(parser, stmt, first);
        parse_error_here(parser, "expected '=' after '%s', not %s", span_copy_of(parser, target.span),
                         describe(parser, parser->at));
        return NULL;
    }
    stmt->op = token->text;
    stmt->op_span = token_span(parser, parser->at);
    parser->at++;
    if (is_choreographic_call(parser)) {
        if (strcmp(stmt->op, "=") == 0) {
            stmt->target = (LocatedTarget){0};
            return parse_call_step(parser, first, stmt);
        }
        report_unbound(parser, token_span(parser, parser->at), peek(parser)->text);
        return NULL;
    }
    stmt->targets.count = 0;
    if (!check_target(parser, &target, stmt->op))
        return NULL;
    if (strcmp(stmt->op, "++") == 0 || strcmp(stmt->op, "--") == 0)
        stmt->value.span = previous_end(parser);
    else if (!parse_value(parser, stmt))
        return NULL;
    return stmt_end(parser, stmt, first);
}

// ---- local steps ----

// local = role-ref ( NAME "(" c-list ")" | "(" C ")" )
static Stmt *parse_local(Parser *parser, size_t first, TreeExpr *expr)
{
    bool has_effect = expr->kind == TREE_CALL || (expr->kind == TREE_C && expr->name.text == NULL);
    const char *text = span_copy_of(parser, expr->span);
    if (!has_effect && at_end(parser)) {
        parse_error(parser, expr->span, "'%s' alone does nothing: send it with '~>', assign to it, or call a function",
                    text);
        return NULL;
    }
    if (!has_effect) {
        parse_error_here(parser, "expected '~>' or '=' after '%s', not %s", text, describe(parser, parser->at));
        return NULL;
    }
    Stmt *stmt = stmt_new(parser, STMT_LOCAL);
    stmt->expr = expr;
    return stmt_end(parser, stmt, first);
}

static bool starts_target(const Parser *parser)
{
    if (next_is(parser, "_") || is_declaration(parser))
        return true;
    if (!next_is(parser, "{"))
        return false;
    Parser behind = *parser;
    behind.at = behind_group(parser, parser->at);
    return next_is(&behind, ",") || (next_is(&behind, "=") && wrong_arrow(&behind) == 0);
}

static Stmt *parse_located_step(Parser *parser)
{
    size_t first = parser->at;
    LocatedTarget target = {0};
    if (!parse_role_ref(parser, &target.at))
        return NULL;
    size_t behind_dot = parser->at;
    if (starts_target(parser)) {
        target.target = parse_target(parser, &target.at);
        if (target.target == NULL)
            return NULL;
        target.span = span_join(target.at.span, target.target->span);
        return parse_assignment(parser, first, target);
    }
    TreeExpr *expr = parse_expr_behind(parser, &target.at);
    if (expr == NULL)
        return NULL;
    if (accept_arrow(parser))
        return parse_delivery(parser, first, expr);
    if (report_backward(parser, expr))
        return NULL;
    target.target = target_from_expr(parser, expr);
    if (target.target != NULL && (next_is(parser, ",") || is_assignment_operator(peek(parser)))) {
        target.span = expr->span;
        return parse_assignment(parser, first, target);
    }
    if (is_operator(parser, parser->at)) {
        expr = suggest_parentheses(parser, &target.at, behind_dot);
        if (expr != NULL && accept_arrow(parser))
            return parse_delivery(parser, first, expr);
        if (expr == NULL)
            return NULL;
    }
    return parse_local(parser, first, expr);
}

// Plain C where a located step should stand. Always NULL.
static Stmt *report_bare(Parser *parser)
{
    size_t first = parser->at, end = value_end(parser), arrow = first;
    while (arrow < end && peek_at(parser, arrow)->kind != TOKEN_ARROW)
        arrow = behind_group(parser, arrow);
    // `++Alice.n;`: the role does not begin another statement.
    bool is_prefix = index_is(parser, first, "++") || index_is(parser, first, "--");
    if (is_prefix && end == first + 1) {
        parser->at = end;
        end = value_end(parser);
        parser->at = first;
        for (arrow = first + 1; arrow < end && peek_at(parser, arrow)->kind != TOKEN_ARROW;)
            arrow = behind_group(parser, arrow);
    }
    if (arrow == first || end == first) {
        parse_error_here(parser, "unexpected %s", describe(parser, first));
        return NULL;
    }
    if (arrow < end) {
        report_unlocated(parser, "what is sent", first, arrow);
        return NULL;
    }
    if (index_is(parser, first + 1, "=") && is_lambda(parser, first + 2)) {
        report_lambda(parser, first + 2);
        return NULL;
    }
    bool is_variable = is_declaration(parser) || is_assignment_operator(peek_at(parser, first + 1));
    if (!is_variable) {
        report_unlocated(parser, "local C", first, end);
        return NULL;
    }
    const char *text = span_copy_of(parser, range_span(parser, first, end));
    bool is_short = strlen(text) <= 60 && strchr(text, '\n') == NULL;
    parse_error(parser, range_span(parser, first, end), "local C must say whose it is: '%s.%s'", example_role(parser),
                is_short ? text : "...");
    return NULL;
}

// A call of something that is no definition, with arguments that are not located, is C without its role.
static bool is_local_call(const Parser *parser)
{
    if (is_function_call(parser) || index_is(parser, parser->at + 1, "["))
        return false;
    Parser argument = *parser;
    size_t close = peek_at(parser, parser->at + 1)->match;
    for (argument.at = parser->at + 2; argument.at < close; argument.at = behind_group(parser, argument.at)) {
        bool starts = index_is(parser, argument.at - 1, ",") || argument.at == parser->at + 2;
        bool is_name = peek(&argument)->kind == TOKEN_IDENTIFIER;
        if (starts && !is_name && !is_role_set(&argument))
            return true;
    }
    return false;
}

// step = delivery | assignment | local | call-step
Stmt *parse_step(Parser *parser)
{
    if (is_located(parser))
        return parse_located_step(parser);
    if (is_call(parser) && !is_role(parser, peek(parser)->text) && !is_local_call(parser))
        return parse_call_step(parser, parser->at, stmt_new(parser, STMT_CALL));
    return report_bare(parser);
}
