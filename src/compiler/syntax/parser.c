// What all parts of the parser share: looking at tokens, taking them, and reporting what was expected.

#include "compiler/syntax/parser.h"

#include <stdarg.h>

const Token *peek_at(const Parser *parser, size_t index)
{
    size_t last = parser->tokens.count - 1;
    return &parser->tokens.items[index < last ? index : last];
}

const Token *peek(const Parser *parser)
{
    return peek_at(parser, parser->at);
}

bool index_is(const Parser *parser, size_t index, const char *text)
{
    return token_is(peek_at(parser, index), text);
}

bool next_is(const Parser *parser, const char *text)
{
    return index_is(parser, parser->at, text);
}

bool accept(Parser *parser, const char *text)
{
    if (!next_is(parser, text))
        return false;
    parser->at++;
    return true;
}

size_t behind_group(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index);
    bool opens = token_is(token, "(") || token_is(token, "[") || token_is(token, "{");
    return opens ? (size_t)token->match + 1 : index + 1;
}

Span token_span(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index);
    return (Span){parser->file, token->start, token->end};
}

Span range_span(const Parser *parser, size_t first, size_t behind)
{
    uint32_t start = peek_at(parser, first)->start;
    return (Span){parser->file, start, behind > first ? peek_at(parser, behind - 1)->end : start};
}

Span previous_end(const Parser *parser)
{
    uint32_t end = parser->at > 0 ? peek_at(parser, parser->at - 1)->end : parser->block->inside.start;
    return (Span){parser->file, end, end};
}

const char *span_copy_of(const Parser *parser, Span span)
{
    return span_copy(parser->arena, parser->sources, span);
}

// ---- errors ----

static bool report(Parser *parser, Span span, const char *format, va_list arguments)
{
    if (parser->gave_up)
        return false;
    // A bracket that had to be repaired has been reported; what goes wrong beside it follows from that.
    if (parser->tokens.count > 0 &&
        (peek(parser)->repaired || (parser->at > 0 && peek_at(parser, parser->at - 1)->repaired)))
        return false;
    if (parser->errors == ERRORS_MAX) {
        diag_error(parser->diags, span, "too many errors in this choreography");
        parser->gave_up = true;
        return false;
    }
    parser->errors++;
    diag_error(parser->diags, span, "%s", arena_vprintf(parser->arena, format, arguments));
    return true;
}

bool parse_error(Parser *parser, Span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool reported = report(parser, span, format, arguments);
    va_end(arguments);
    return reported;
}

bool parse_error_here(Parser *parser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool reported = report(parser, token_span(parser, parser->at), format, arguments);
    va_end(arguments);
    return reported;
}

const char *describe(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index);
    if (token->kind == TOKEN_END)
        return "the end of the choreography";
    if (token->kind == TOKEN_STRING)
        return "a string";
    return arena_printf(parser->arena, "'%s'", span_copy_of(parser, token_span(parser, index)));
}

// ---- names ----

bool is_role(const Parser *parser, const char *name)
{
    if (map_has(&parser->roles, name))
        return true;
    for (size_t i = 0; parser->def != NULL && i < parser->def->role_params.count; i++) {
        if (strcmp(parser->def->role_params.items[i].text, name) == 0)
            return true;
    }
    for (size_t i = 0; i < parser->members.count; i++) {
        if (strcmp(parser->members.items[i], name) == 0)
            return true;
    }
    return false;
}

bool is_family(const Parser *parser, const char *name)
{
    for (size_t i = 0; parser->def != NULL && i < parser->def->role_params.count; i++) {
        if (strcmp(parser->def->role_params.items[i].text, name) == 0)
            return parser->def->param_is_family.items[i];
    }
    for (size_t i = 0; i < parser->tree->roles.count; i++) {
        if (strcmp(parser->tree->roles.items[i].text, name) == 0)
            return parser->tree->is_family.items[i];
    }
    return false;
}

bool is_function(const Parser *parser, const char *name)
{
    if (map_has(&parser->defs, name))
        return true;
    for (size_t i = 0; parser->def != NULL && i < parser->def->params.count; i++) {
        const TreeParam *param = &parser->def->params.items[i];
        if (param->is_function && strcmp(param->name.text, name) == 0)
            return true;
    }
    return false;
}

bool is_function_call(const Parser *parser)
{
    return is_call(parser) && (is_used_function(parser) || is_function(parser, peek(parser)->text));
}

void note_variable(Parser *parser, const Name *name)
{
    if (is_role(parser, name->text))
        map_put(&parser->variables, name->text, parser->def);
}

const char *example_role(const Parser *parser)
{
    return parser->tree->roles.count > 0 ? parser->tree->roles.items[0].text : "Role";
}

const char *role_text(const Parser *parser, const RoleRef *at)
{
    return span_copy_of(parser, at->span);
}

bool parse_name(Parser *parser, const char *what, Name *name)
{
    const Token *token = peek(parser);
    if (token->kind != TOKEN_IDENTIFIER) {
        parse_error_here(parser, "expected %s before %s", what, describe(parser, parser->at));
        return false;
    }
    if (token_is_keyword(token)) {
        parse_error_here(parser, "'%s' is a word of the language, it can't be %s", token->text, what);
        return false;
    }
    if (strcmp(token->text, "_") == 0) {
        parse_error_here(parser, "'_' can't be %s", what);
        return false;
    }
    *name = (Name){token->text, token_span(parser, parser->at)};
    parser->at++;
    return true;
}

// "[" "]" behind a name: it is that of a family.
static bool parse_family_mark(Parser *parser, const Name *name)
{
    size_t end = behind_group(parser, parser->at);
    if (end == parser->at + 2)
        parser->at = end;
    else
        parse_error(parser, range_span(parser, parser->at, end),
                    "a family is declared '%s[]': how many members it has is said by the cast", name->text);
    return parser->at == end;
}

// names = [ NAME [ "[" "]" ] { "," NAME [ "[" "]" ] } ]
bool parse_name_list(Parser *parser, const char *what, NameList *names, bool **is_family)
{
    size_t close = peek_at(parser, parser->at - 1)->match;
    if (is_family != NULL)
        *is_family = ARENA_ARRAY(parser->arena, bool, ROLES_MAX);
    if (parser->at == close) {
        parser->at++;
        return true;
    }
    for (;;) {
        Name name;
        if (!parse_name(parser, what, &name))
            return false;
        if (names->count == ROLES_MAX) {
            parse_error(parser, name.span, "there are too many roles here (the limit is %d)", ROLES_MAX);
            return false;
        }
        vector_push(parser->arena, names, name);
        if (is_family != NULL && next_is(parser, "[")) {
            if (!parse_family_mark(parser, &name))
                return false;
            (*is_family)[names->count - 1] = true;
        }
        if (parser->at == close) {
            parser->at++;
            return true;
        }
        if (!accept(parser, ",")) {
            parse_error_here(parser, "expected ',' or '%s' before %s", peek_at(parser, close)->text,
                             describe(parser, parser->at));
            return false;
        }
    }
}

bool expect(Parser *parser, const char *text, const char *where)
{
    if (accept(parser, text))
        return true;
    parse_error_here(parser, "expected '%s' %s, not %s", text, where, describe(parser, parser->at));
    return false;
}

// Where a statement ends without a semicolon, what follows on the same line is skipped.
void expect_semicolon(Parser *parser)
{
    if (accept(parser, ";"))
        return;
    Span place = previous_end(parser);
    if (parse_error(parser, place, "expected ';'"))
        diag_fix(parser->diags, place, ";", "add ';'");
    while (parser->at < parser->limit && !starts_statement(parser, parser->at) && !peek(parser)->starts_line) {
        size_t here = parser->at;
        parser->at = behind_group(parser, here);
        if (index_is(parser, here, ";"))
            return;
    }
}

bool starts_statement(const Parser *parser, size_t index)
{
    static const char *const words[] = {"if", "switch", "while", "do", "for", "break", "continue", "return"};
    const Token *token = peek_at(parser, index);
    if (token->kind != TOKEN_IDENTIFIER)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(token->text, words[i]) == 0)
            return true;
    }
    if (is_par(parser, index))
        return true;
    if (strcmp(token->text, "checkpoint") == 0)
        return index_is(parser, index + 1, "{") || index_is(parser, index + 1, "within") ||
               index_is(parser, index + 1, "retry");
    if (!is_role(parser, token->text))
        return false;
    bool has_index = is_family(parser, token->text) && index_is(parser, index + 1, "[");
    return index_is(parser, has_index ? behind_group(parser, index + 1) : index + 1, ".");
}
