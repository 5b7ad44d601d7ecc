// parse_expr.c: roles, located expressions, local C, and calls of choreographic functions.

#include "compiler/syntax/parser.h"

#include "base/text.h"

// ---- roles ----

static bool is_plain_name(const Token *token)
{
    return token->kind == TOKEN_IDENTIFIER && !token_is_keyword(token);
}

// In `Alice.3` the lexer sees the number .3 behind the role.
static bool is_dot(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index);
    return token_is(token, ".") || (token->kind == TOKEN_NUMBER && token->text[0] == '.');
}

bool is_role_set(const Parser *parser)
{
    if (!next_is(parser, "{"))
        return false;
    size_t close = peek(parser)->match;
    bool has_comma = false;
    for (size_t i = parser->at + 1; i < close;) {
        if (peek_at(parser, i)->kind != TOKEN_IDENTIFIER)
            return false;
        i = index_is(parser, i + 1, "[") ? behind_group(parser, i + 1) : i + 1;
        if (i != close && !index_is(parser, i, ","))
            return false;
        has_comma |= i != close;
        i++;
    }
    return has_comma || is_dot(parser, close + 1);
}

bool is_located(const Parser *parser)
{
    if (is_role_set(parser))
        return true;
    if (!is_plain_name(peek(parser)) || is_used_function(parser))
        return false;
    if (index_is(parser, parser->at + 1, "[")) // members of a family
        return is_dot(parser, behind_group(parser, parser->at + 1));
    return index_is(parser, parser->at + 1, ".") ||
           (is_dot(parser, parser->at + 1) && is_role(parser, peek(parser)->text));
}

// part = [ C ] ".." [ C ]. The lexer takes `1..` for a number.
static bool parse_part(Parser *parser, size_t open, size_t close, Select *select)
{
    Span inside = range_span(parser, open + 1, close);
    const char *text = span_copy_of(parser, inside), *dots = strstr(text, "..");
    if (dots == NULL)
        return false;
    uint32_t at = inside.start + (uint32_t)(dots - text);
    select->kind = SELECT_PART;
    select->from = (CText){{inside.file, inside.start, at}};
    select->to = (CText){{inside.file, at + 2, inside.end}};
    return true;
}

// select = "[" ( "*" | part | C ) "]"
static bool parse_select(Parser *parser, const Name *name, Select *select)
{
    size_t open = parser->at, close = peek(parser)->match;
    *select = (Select){.kind = SELECT_ONE, .span = range_span(parser, open, close + 1)};
    parser->at = close + 1;
    if (is_role(parser, name->text) && !is_family(parser, name->text)) {
        parse_error(parser, select->span, "'%s' is one role, not a family: leave the brackets out", name->text);
        return false;
    }
    if (close == open + 1) {
        parse_error(parser, select->span, "which of them? '%s[*]' are all, '%s[0]' is the first", name->text,
                    name->text);
        return false;
    }
    if (close == open + 2 && index_is(parser, open + 1, "*")) {
        select->kind = SELECT_ALL;
        return true;
    }
    if (parse_part(parser, open, close, select))
        return true;
    select->index = local_text(parser, open + 1, close, NULL);
    parser->tree->selections++;
    return true;
}

// member = NAME [ select ]
static bool parse_member(Parser *parser, RoleRef *at)
{
    Name name;
    Select select = {0};
    if (!parse_name(parser, "a role", &name) || (next_is(parser, "[") && !parse_select(parser, &name, &select)))
        return false;
    if (at->names.count == ROLES_MAX) {
        parse_error(parser, name.span, "there are too many roles here (the limit is %d)", ROLES_MAX);
        return false;
    }
    vector_push(parser->arena, &at->names, name);
    vector_push(parser->arena, &at->selects, select);
    return true;
}

static bool parse_members(Parser *parser, RoleRef *at, size_t close)
{
    for (;;) {
        if (!parse_member(parser, at))
            return false;
        if (parser->at == close) {
            parser->at++;
            return true;
        }
        if (!accept(parser, ",")) {
            parse_error_here(parser, "expected ',' or '}' before %s", describe(parser, parser->at));
            return false;
        }
    }
}

// role-ref = ( member | "{" member { "," member } "}" ) "."
bool parse_role_ref(Parser *parser, RoleRef *at)
{
    *at = (RoleRef){0};
    size_t first = parser->at;
    if (accept(parser, "{")) {
        at->is_set = true;
        if (next_is(parser, "}")) {
            parse_error(parser, range_span(parser, first, parser->at + 1), "a set of roles can't be empty");
            return false;
        }
        if (!parse_members(parser, at, peek_at(parser, first)->match))
            return false;
    } else if (!parse_member(parser, at)) {
        return false;
    }
    at->span = range_span(parser, first, parser->at);
    if (accept(parser, ".") || is_dot(parser, parser->at))
        return true;
    parse_error(parser, at->span, "'.' and what %s does are missing after the role", role_text(parser, at));
    return false;
}

// ---- local C ----

static bool role_ref_has(const RoleRef *at, const char *name)
{
    for (size_t i = 0; i < at->names.count; i++) {
        if (strcmp(at->names.items[i].text, name) == 0)
            return true;
    }
    return false;
}

// `Bob.` where Bob is a role and not a member.
static bool is_role_use(const Parser *parser, size_t index, size_t first)
{
    const Token *token = peek_at(parser, index);
    if (token->kind != TOKEN_IDENTIFIER || !index_is(parser, index + 1, ".") || !is_role(parser, token->text))
        return false;
    return index == first || (!index_is(parser, index - 1, ".") && !index_is(parser, index - 1, "->"));
}

// A variable of the definition has the role's name, or one that C declares further to the left in the same text.
static bool is_variable_use(const Parser *parser, size_t index, size_t first)
{
    const char *name = peek_at(parser, index)->text;
    if (map_has(&parser->variables, name))
        return true;
    for (size_t i = first; i < index; i++) {
        if (index_is(parser, i, name) && !index_is(parser, i + 1, "."))
            return true;
    }
    return false;
}

static bool is_known(const Parser *parser, const RoleRef *at)
{
    for (size_t i = 0; i < at->names.count; i++) {
        if (!is_role(parser, at->names.items[i].text))
            return false;
    }
    return true;
}

// `Alice.n`, `Alice.f(...)` or `Alice.(...)` in the C of others.
static void report_foreign(Parser *parser, size_t index, const RoleRef *at)
{
    const char *role = peek_at(parser, index)->text, *here = role_text(parser, at);
    const Token *name = peek_at(parser, index + 2);
    bool is_variable = name->kind == TOKEN_IDENTIFIER && !index_is(parser, index + 3, "(");
    Span use = range_span(parser, index, name->kind == TOKEN_IDENTIFIER ? index + 3 : index + 2);
    if (is_variable && parse_error(parser, use, "'%s' is %s's, not %s's", name->text, role, here))
        diag_note(parser->diags, SPAN_NONE,
                  "a delivery before this brings it: '%s.%s ~> %s.%s;', and then '%s' is enough", role, name->text,
                  here, name->text, name->text);
    else if (!is_variable && parse_error(parser, use, "this is %s's, not %s's", role, here))
        diag_note(parser->diags, SPAN_NONE,
                  "a delivery before this brings its value: '%s%s ~> %s.x;', and then 'x' is enough",
                  span_copy_of(parser, use), name->kind == TOKEN_IDENTIFIER || token_is(name, "(") ? "(...)" : "...",
                  here);
}

// Deliveries and other roles' values can't stand in local C. `at` may be NULL where it belongs to nobody.
static bool check_local(Parser *parser, size_t first, size_t behind, const RoleRef *at)
{
    for (size_t i = first; i < behind; i++) {
        const Token *token = peek_at(parser, i);
        if (token->kind == TOKEN_ARROW) {
            parse_error(parser, token_span(parser, i), "a delivery can't stand inside local C");
            return false;
        }
        if (!is_role_use(parser, i, first) || is_variable_use(parser, i, first))
            continue;
        Span use = range_span(parser, i, i + 2);
        if (at == NULL) {
            parse_error(parser, use, "a constant is expected here, it belongs to no role");
        } else if (role_ref_has(at, token->text)) {
            if (parse_error(parser, use, "this is %s's local C already: leave '%s.' out", role_text(parser, at),
                            token->text))
                diag_fix(parser->diags, use, "", "leave '%s.' out", token->text);
        } else if (is_known(parser, at)) { // else the role is reported in check/
            report_foreign(parser, i, at);
        } else {
            continue;
        }
        return false;
    }
    return true;
}

CText local_text(Parser *parser, size_t first, size_t behind, const RoleRef *at)
{
    check_local(parser, first, behind, at);
    return (CText){range_span(parser, first, behind)};
}

bool is_operator(const Parser *parser, size_t index)
{
    static const char *const operators[] = {
        "+", "-",  "*",  "/", "%",  "<",  ">",  "<=", ">=", "==", "!=", "&&", "||",  "&",   "|", "^",  "<<", ">>",
        "?", "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ".", "->", "[",  "(",
    };
    const Token *token = peek_at(parser, index);
    if (token->kind != TOKEN_PUNCTUATOR)
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(token->text, operators[i]) == 0)
            return true;
    }
    return false;
}

// Where C that lacks its parentheses ends.
static size_t loose_end(const Parser *parser, size_t first)
{
    size_t i = first;
    while (i < parser->limit) {
        const Token *token = peek_at(parser, i);
        if (token->kind == TOKEN_ARROW || token_is(token, ";") || token_is(token, ",") || token_is(token, ")") ||
            token_is(token, "]") || token_is(token, "}"))
            break;
        if (i > first && token->starts_line && starts_statement(parser, i))
            break;
        i = behind_group(parser, i);
    }
    return i < parser->limit ? i : parser->limit;
}

// Long or broken text is not repeated in a message.
static const char *short_text(const Parser *parser, const char *text)
{
    return strlen(text) <= 60 && strchr(text, '\n') == NULL ? text : arena_printf(parser->arena, "...");
}

// `Alice.n < 6`: the tokens from `first` on were meant as one expression. Goes on as if they stood in parentheses.
TreeExpr *suggest_parentheses(Parser *parser, const RoleRef *at, size_t first)
{
    size_t behind = loose_end(parser, first);
    CText c = {range_span(parser, first, behind)};
    if (behind == first) {
        parse_error_here(parser, "expected an expression of %s before %s", role_text(parser, at),
                         describe(parser, first));
        return NULL;
    }
    if (check_local(parser, first, behind, at)) {
        const char *text = span_copy_of(parser, c.span);
        if (peek_at(parser, first)->kind == TOKEN_NUMBER && text[0] == '.')
            text++;
        const char *role = role_text(parser, at);
        Span whole = span_join(at->span, c.span);
        if (parse_error(parser, whole, "an expression of %s stands in parentheses: '%s.(%s)'", role, role,
                        short_text(parser, text)))
            diag_fix(parser->diags, whole, arena_printf(parser->arena, "%s.(%s)", role, text), "write '%s.(%s)'", role,
                     short_text(parser, text));
    }
    parser->at = behind;
    TreeExpr *expr = ARENA_NEW(parser->arena, TreeExpr);
    *expr = (TreeExpr){.kind = TREE_C, .at = *at, .c = c, .span = span_join(at->span, c.span)};
    return expr;
}

// Something that should be located and is not. Always false.
// `Alice n`, `Alice(n)`, `Alice->n`, `Alice: n`: the role is there, its dot is not.
static bool report_no_dot(Parser *parser, size_t first, size_t behind)
{
    const Token *token = peek_at(parser, first);
    if (behind < first + 2 || token->kind != TOKEN_IDENTIFIER || !is_role(parser, token->text))
        return false;
    size_t next = first + 1;
    bool is_other = index_is(parser, next, "->") || index_is(parser, next, ":");
    const Token *after = peek_at(parser, next);
    if (!is_other && after->kind != TOKEN_IDENTIFIER && !token_is(after, "(") && !token_is(after, "{"))
        return false;
    Span place = is_other ? token_span(parser, next) : (Span){parser->file, token->end, token->end};
    if (parse_error(parser, place,
                    is_other ? "a role and what it has are joined by '.', not %s"
                             : "'.' is missing between the role and what it has",
                    describe(parser, next)))
        diag_fix(parser->diags, place, ".", "write '%s.'", token->text);
    return true;
}

bool report_unlocated(Parser *parser, const char *what, size_t first, size_t behind)
{
    if (report_no_dot(parser, first, behind))
        return false;
    const char *role = NULL;
    bool many = false;
    Text text;
    text_init(&text, parser->arena);
    uint32_t copied = peek_at(parser, first)->start;
    Span span = range_span(parser, first, behind);
    for (size_t i = first; i < behind; i++) {
        if (!is_role_use(parser, i, first))
            continue;
        many |= role != NULL && strcmp(role, peek_at(parser, i)->text) != 0;
        role = peek_at(parser, i)->text;
        text_puts(&text, span_copy_of(parser, (Span){parser->file, copied, peek_at(parser, i)->start}));
        copied = peek_at(parser, i + 1)->end;
    }
    if (copied < span.end)
        text_puts(&text, span_copy_of(parser, (Span){parser->file, copied, span.end}));
    if (many) {
        parse_error(parser, span, "%s belongs to one role: deliver the values of the others to it first", what);
        return false;
    }
    bool is_name = behind == first + 1 && is_plain_name(peek_at(parser, first));
    if (is_name && is_role(parser, text.chars)) {
        parse_error(parser, span, "%s is missing behind '%s': '%s.x'", what, text.chars, text.chars);
        return false;
    }
    const char *example = arena_printf(parser->arena, is_name ? "%s.%s" : "%s.(%s)",
                                       role != NULL ? role : example_role(parser), short_text(parser, text.chars));
    if (parse_error(parser, span, "%s must say whose it is: '%s'", what, example) && role != NULL)
        diag_fix(parser->diags, span, arena_printf(parser->arena, "%s.(%s)", role, text.chars), "write '%s'", example);
    return false;
}

// ---- located expressions ----

// c-list = [ C { "," C } ], from the bracket at parser->at to behind its partner
static bool parse_c_list(Parser *parser, const RoleRef *at, CTextList *list)
{
    size_t close = peek(parser)->match;
    size_t first = parser->at + 1;
    parser->at = close + 1;
    if (first == close)
        return true;
    for (size_t i = first;; i = behind_group(parser, i)) {
        if (i < close && !index_is(parser, i, ","))
            continue;
        if (i == first) {
            parse_error(parser, token_span(parser, i), "an expression is missing before %s", describe(parser, i));
            return false;
        }
        CText text = local_text(parser, first, i, at);
        vector_push(parser->arena, list, text);
        if (i >= close)
            return true;
        first = i + 1;
    }
}

// postfix = { "." NAME | "->" NAME | "[" C "]" }
void skip_postfix(Parser *parser)
{
    for (;;) {
        if (next_is(parser, "[")) {
            parser->at = behind_group(parser, parser->at);
            continue;
        }
        if ((!next_is(parser, ".") && !next_is(parser, "->")) ||
            peek_at(parser, parser->at + 1)->kind != TOKEN_IDENTIFIER)
            return;
        // `Alice.x -> Bob.y` is a delivery with the wrong arrow.
        if (next_is(parser, "->") && index_is(parser, parser->at + 2, ".") &&
            is_role(parser, peek_at(parser, parser->at + 1)->text))
            return;
        parser->at += 2;
    }
}

static bool continues_postfix(const Parser *parser)
{
    return next_is(parser, ".") || next_is(parser, "[") || next_is(parser, "(") ||
           (next_is(parser, "->") && !is_role(parser, peek_at(parser, parser->at + 1)->text) &&
            !index_is(parser, parser->at + 1, "{"));
}

// named = NAME | NAME "(" c-list ")" | NAME postfix
static bool parse_named(Parser *parser, TreeExpr *expr)
{
    size_t first = parser->at;
    if (!parse_name(parser, "a variable or function", &expr->name))
        return false;
    expr->kind = TREE_NAME;
    if (next_is(parser, "(")) {
        expr->kind = TREE_CALL;
        if (!parse_c_list(parser, &expr->at, &expr->parts))
            return false;
        expr->c = (CText){range_span(parser, first, parser->at)};
        return true;
    }
    skip_postfix(parser);
    if (parser->at > first + 1) {
        expr->kind = TREE_C;
        expr->c = local_text(parser, first, parser->at, &expr->at);
    }
    return true;
}

static bool parse_parenthesised(Parser *parser, TreeExpr *expr)
{
    size_t open = parser->at, close = peek(parser)->match;
    expr->kind = TREE_C;
    if (close == open + 1) {
        parse_error(parser, range_span(parser, open, close + 1), "an expression is missing between '(' and ')'");
        return false;
    }
    expr->c = local_text(parser, open + 1, close, &expr->at);
    parser->at = close + 1;
    return true;
}

static bool parse_tuple(Parser *parser, TreeExpr *expr)
{
    size_t open = parser->at;
    expr->kind = TREE_TUPLE;
    if (index_is(parser, open + 1, ".")) {
        parse_error_here(parser, "'{.field}' takes a struct apart: it stands only where a value goes to");
        return false;
    }
    if (!parse_c_list(parser, &expr->at, &expr->parts))
        return false;
    if (expr->parts.count == 0)
        parse_error(parser, range_span(parser, open, parser->at), "a tuple needs at least one value");
    if (expr->parts.count > PARTS_MAX) {
        parse_error(parser, expr->parts.items[PARTS_MAX].span, "a tuple has at most %d values", PARTS_MAX);
        return false;
    }
    return expr->parts.count > 0;
}

// behind-dot = "(" C ")" | "{" c-list "}" | named
TreeExpr *parse_expr_behind(Parser *parser, const RoleRef *at)
{
    size_t first = parser->at;
    TreeExpr *expr = ARENA_NEW(parser->arena, TreeExpr);
    expr->at = *at;
    bool good;
    if (next_is(parser, "("))
        good = parse_parenthesised(parser, expr);
    else if (next_is(parser, "{"))
        good = parse_tuple(parser, expr);
    else if (peek(parser)->kind == TOKEN_IDENTIFIER && !next_is(parser, "sizeof") && !next_is(parser, "true") &&
             !next_is(parser, "false"))
        good = parse_named(parser, expr);
    else
        return suggest_parentheses(parser, at, first);
    if (!good)
        return NULL;
    if (continues_postfix(parser))
        return suggest_parentheses(parser, at, first);
    expr->span = span_join(at->span, previous_end(parser));
    return expr;
}

// expr = role-ref behind-dot
TreeExpr *parse_expr(Parser *parser)
{
    RoleRef at;
    if (!parse_role_ref(parser, &at))
        return NULL;
    size_t first = parser->at;
    TreeExpr *expr = parse_expr_behind(parser, &at);
    if (expr != NULL && is_operator(parser, parser->at))
        return suggest_parentheses(parser, &at, first);
    return expr;
}

// ---- calls of choreographic functions ----

// role-args = [ role-arg { "," role-arg } ], behind '[', consumes the closing one; role-arg = member | "{" members "}"
static bool parse_role_args(Parser *parser, RoleRefList *refs)
{
    size_t close = peek_at(parser, parser->at - 1)->match;
    while (parser->at < close) {
        RoleRef ref = {0};
        size_t first = parser->at;
        ref.is_set = accept(parser, "{");
        if (ref.is_set ? !parse_members(parser, &ref, peek_at(parser, first)->match) : !parse_member(parser, &ref))
            return false;
        ref.span = range_span(parser, first, parser->at);
        vector_push(parser->arena, refs, ref);
        if (parser->at < close && !accept(parser, ",")) {
            parse_error_here(parser, "expected ',' or ']' before %s", describe(parser, parser->at));
            return false;
        }
    }
    parser->at = close + 1;
    return true;
}

bool is_call(const Parser *parser)
{
    if (!is_plain_name(peek(parser)))
        return false;
    size_t next = behind_function(parser, parser->at);
    return index_is(parser, next, "(") ||
           (index_is(parser, next, "[") && index_is(parser, behind_group(parser, next), "("));
}

static size_t argument_end(const Parser *parser)
{
    size_t i = parser->at;
    if (is_lambda(parser, i)) // its parameters may have commas between them
        return parser->limit;
    while (i < parser->limit && !index_is(parser, i, ","))
        i = behind_group(parser, i);
    return i;
}

// argument = expr | call | function [ "[" names "]" ]
static bool parse_argument(Parser *parser, TreeArg *arg)
{
    size_t first = parser->at, end = argument_end(parser), behind = behind_function(parser, first);
    *arg = (TreeArg){.span = range_span(parser, first, end)};
    if (is_lambda(parser, first)) {
        report_lambda(parser, first);
        return false;
    }
    if (is_located(parser)) {
        arg->expr = parse_expr(parser);
        if (arg->expr == NULL)
            return false;
    } else if (is_function_call(parser)) {
        arg->call = parse_call(parser);
        if (arg->call == NULL)
            return false;
    } else if (is_plain_name(peek(parser)) &&
               (end == behind || (index_is(parser, behind, "[") && behind_group(parser, behind) == end))) {
        if (!parse_function_name(parser, &arg->function))
            return false;
        if (accept(parser, "[") && !parse_role_args(parser, &arg->role_args))
            return false;
    } else if (first == end) {
        parse_error_here(parser, "an argument is missing before %s", describe(parser, parser->at));
        return false;
    } else {
        return report_unlocated(parser, "an argument", first, end);
    }
    if (parser->at != end) {
        parse_error_here(parser, "expected ',' or ')' before %s", describe(parser, parser->at));
        return false;
    }
    return true;
}

// arguments = [ argument { "," argument } ], between the parentheses. All are looked at, whatever is wrong with one.
static bool parse_arguments(Parser *parser, TreeCall *call)
{
    size_t close = peek(parser)->match, outer_limit = parser->limit;
    bool good = true;
    parser->limit = close;
    parser->at++;
    while (parser->at < close) {
        TreeArg arg;
        size_t end = argument_end(parser);
        if (parse_argument(parser, &arg))
            vector_push(parser->arena, &call->args, arg);
        else
            good = false;
        parser->at = end;
        if (accept(parser, ",") && parser->at == close && good) {
            parse_error_here(parser, "an argument is missing before ')'");
            good = false;
        }
    }
    parser->limit = outer_limit;
    parser->at = close + 1;
    return good;
}

// call = function [ "[" names "]" ] "(" arguments ")"
TreeCall *parse_call(Parser *parser)
{
    size_t first = parser->at;
    TreeCall *call = ARENA_NEW(parser->arena, TreeCall);
    if (!parse_function_name(parser, &call->function))
        return NULL;
    bool good = true;
    if (next_is(parser, "[")) {
        size_t close = peek(parser)->match;
        parser->at++;
        good = parse_role_args(parser, &call->role_args);
        parser->at = close + 1;
    }
    if (!parse_arguments(parser, call) || !good)
        return NULL;
    call->span = range_span(parser, first, parser->at);
    return call;
}
