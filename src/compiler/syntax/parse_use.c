// parse_use.c: choreographies that this one uses, and functions of theirs: `use ot;`, `ot.transfer`.

#include "compiler/syntax/parser.h"

static bool is_use(const Parser *parser, size_t index)
{
    // A type may be called `use`: then a role and its dot follow behind it.
    return index_is(parser, index, "use") && peek_at(parser, index + 1)->kind == TOKEN_IDENTIFIER &&
           (index_is(parser, index + 2, ";") || index_is(parser, index + 2, ","));
}

static void add_use(Parser *parser, const Name *name)
{
    if (map_has(&parser->roles, name->text)) {
        parse_error(parser, name->span, "'%s' is a role here: a choreography of that name can't be used", name->text);
        return;
    }
    if (map_has(&parser->uses, name->text)) {
        parse_error(parser, name->span, "'%s' is used twice", name->text);
        return;
    }
    map_put(&parser->uses, name->text, parser->tree);
    vector_push(parser->arena, &parser->tree->uses, ((TreeUse){*name, NULL}));
}

// use = "use" NAME { "," NAME } ";"
static void parse_use(Parser *parser)
{
    parser->at++;
    do {
        Name name;
        if (!parse_name(parser, "the name of a choreography", &name))
            break;
        add_use(parser, &name);
    } while (accept(parser, ","));
    expect_semicolon(parser);
}

void parse_uses(Parser *parser)
{
    while (accept(parser, ";") || is_use(parser, parser->at))
        if (is_use(parser, parser->at))
            parse_use(parser);
}

bool report_late_use(Parser *parser)
{
    if (!is_use(parser, parser->at))
        return false;
    parse_error_here(parser, "'use' stands at the head of a choreography, before prototypes and definitions");
    return true;
}

// ---- their functions ----

static bool is_qualified(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index), *behind = peek_at(parser, index + 2);
    return token->kind == TOKEN_IDENTIFIER && map_has(&parser->uses, token->text) && !is_role(parser, token->text) &&
           index_is(parser, index + 1, ".") && behind->kind == TOKEN_IDENTIFIER && !token_is_keyword(behind);
}

bool is_used_function(const Parser *parser)
{
    return is_qualified(parser, parser->at);
}

size_t behind_function(const Parser *parser, size_t index)
{
    return is_qualified(parser, index) ? index + 3 : index + 1;
}

bool parse_function_name(Parser *parser, Name *name)
{
    if (!is_used_function(parser))
        return parse_name(parser, "a function", name);
    size_t first = parser->at;
    parser->at += 3;
    *name = (Name){arena_printf(parser->arena, "%s.%s", peek_at(parser, first)->text, peek_at(parser, first + 2)->text),
                   range_span(parser, first, first + 3)};
    return true;
}
