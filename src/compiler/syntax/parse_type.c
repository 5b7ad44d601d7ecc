// parse_type.c: C types and declarations, as far as a choreography may write them.

#include "compiler/syntax/parser.h"

static bool is_one_of(const Token *token, const char *const *words)
{
    for (; token->kind == TOKEN_IDENTIFIER && *words != NULL; words++) {
        if (strcmp(token->text, *words) == 0)
            return true;
    }
    return false;
}

static bool is_qualifier(const Token *token)
{
    static const char *const words[] = {"const",        "volatile",   "restrict",      "__const",
                                        "__volatile__", "__restrict", "__extension__", NULL};
    return is_one_of(token, words);
}

static bool is_type_word(const Token *token)
{
    static const char *const words[] = {"void",  "char",     "short",    "int",        "long",
                                        "float", "double",   "signed",   "unsigned",   "bool",
                                        "_Bool", "_Complex", "__int128", "__signed__", NULL};
    return is_one_of(token, words);
}

static bool is_tag_word(const Token *token)
{
    static const char *const words[] = {"struct", "union", "enum", NULL};
    return is_one_of(token, words);
}

// Followed by something in parentheses.
static bool is_operator_word(const Token *token)
{
    static const char *const words[] = {"typeof", "__typeof__", "__typeof", "_Atomic", NULL};
    return is_one_of(token, words);
}

static bool is_storage_word(const Token *token)
{
    static const char *const words[] = {"static",    "extern",        "typedef",  "register",    "auto", "inline",
                                        "_Noreturn", "_Thread_local", "_Alignas", "__auto_type", NULL};
    return is_one_of(token, words);
}

static bool is_plain_name(const Token *token)
{
    return token->kind == TOKEN_IDENTIFIER && !token_is_keyword(token);
}

// Behind `Role.`: a word of a type, or two names in a row (with stars and qualifiers in between).
bool is_declaration(const Parser *parser)
{
    const Token *token = peek(parser);
    if (is_qualifier(token) || is_type_word(token) || is_tag_word(token) || is_operator_word(token) ||
        is_storage_word(token))
        return true;
    if (!is_plain_name(token))
        return false;
    size_t next = parser->at + 1;
    bool has_star = false;
    while (index_is(parser, next, "*") || is_qualifier(peek_at(parser, next))) {
        if (is_qualifier(peek_at(parser, next)))
            return true;
        has_star = true;
        next++;
    }
    if (!is_plain_name(peek_at(parser, next)))
        return false;
    // `Alice.x` and `Bob.y` or `f(...)` on two lines are a forgotten semicolon.
    if (!has_star)
        return !starts_statement(parser, next) && !index_is(parser, next + 1, "(");
    // `Alice.a * b ~> ...` multiplies; `Alice.T *p = ...` declares.
    next++;
    return index_is(parser, next, "=") || index_is(parser, next, ";") || index_is(parser, next, ",") ||
           index_is(parser, next, "[") || index_is(parser, next, "}") || index_is(parser, next, ")");
}

// `-> Bob.struct box {`: behind a result's type the function's body begins.
static bool parse_tag(Parser *parser, bool body_follows)
{
    parser->at++;
    bool has_name = is_plain_name(peek(parser));
    if (has_name)
        parser->at++;
    else if (!next_is(parser, "{")) {
        parse_error_here(parser, "expected the name of the type before %s", describe(parser, parser->at));
        return false;
    }
    if (next_is(parser, "{") && !(has_name && body_follows)) {
        parse_error_here(parser, "a type can't be defined here: define it in C, before the choreography");
        return false;
    }
    return true;
}

// specifiers = { qualifier | type word | ("struct" | "union" | "enum") NAME | typeof "(" C ")" | typedef NAME }
static bool parse_specifiers(Parser *parser, bool body_follows)
{
    bool has_type = false;
    for (;;) {
        const Token *token = peek(parser);
        if (is_storage_word(token)) {
            parse_error_here(parser, "'%s' can't stand in a choreography", token->text);
            return false;
        }
        if (is_operator_word(token) && index_is(parser, parser->at + 1, "(")) {
            parser->at = behind_group(parser, parser->at + 1);
            has_type = true;
        } else if (is_tag_word(token)) {
            if (!parse_tag(parser, body_follows))
                return false;
            has_type = true;
        } else if (is_type_word(token) || (has_type && token_is(token, "complex"))) {
            parser->at++;
            has_type = true;
        } else if (is_qualifier(token) || token_is(token, "_Atomic")) {
            parser->at++;
        } else if (!has_type && is_plain_name(token)) {
            parser->at++;
            has_type = true;
        } else {
            break;
        }
    }
    if (!has_type)
        parse_error_here(parser, "expected a type before %s", describe(parser, parser->at));
    return has_type;
}

static bool parse_sizes(Parser *parser, TypeText *type)
{
    while (next_is(parser, "[")) {
        size_t close = peek(parser)->match;
        if (close == parser->at + 1) {
            parse_error(parser, range_span(parser, parser->at, close + 1), "the size of the array is missing");
            return false;
        }
        CText size = {range_span(parser, parser->at + 1, close)};
        vector_push(parser->arena, &type->sizes, size);
        parser->at = close + 1;
    }
    return true;
}

// type = specifiers { "*" | qualifier } [ NAME ] { "[" C "]" }
bool parse_type(Parser *parser, TypeUse use, TypeText *type, Name *name)
{
    *type = (TypeText){0};
    size_t first = parser->at;
    if (!parse_specifiers(parser, use == TYPE_ONLY))
        return false;
    while (next_is(parser, "*") || is_qualifier(peek(parser)) || next_is(parser, "_Atomic"))
        parser->at++;
    type->before = range_span(parser, first, parser->at);
    if (next_is(parser, "(")) {
        parse_error_here(parser, "parentheses can't stand in a declaration here: give the type a name with 'typedef'");
        return false;
    }
    if (use == TYPE_NAMED || (use == TYPE_MAYBE_NAMED && peek(parser)->kind == TOKEN_IDENTIFIER)) {
        if (!parse_name(parser, "a variable's name", name))
            return false;
    } else if (use == TYPE_ONLY && is_plain_name(peek(parser)) && index_is(parser, parser->at + 1, "[")) {
        parser->at++; // the name of an array, which says what it is
    } else if (use == TYPE_ONLY && is_plain_name(peek(parser))) {
        if (is_role(parser, peek(parser)->text) && index_is(parser, parser->at + 1, "."))
            parse_error(parser, previous_end(parser), "expected ',' between two results");
        else
            parse_error_here(parser, "only a type stands here, without a name");
        return false;
    }
    if (!parse_sizes(parser, type))
        return false;
    if (next_is(parser, "(")) {
        parse_error_here(parser, "parentheses can't stand in a declaration here: give the type a name with 'typedef'");
        return false;
    }
    type->span = range_span(parser, first, parser->at);
    return true;
}
