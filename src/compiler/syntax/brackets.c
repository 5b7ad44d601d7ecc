// brackets.c: pairs the brackets of a block before it is parsed.
//
// A bracket that is missing is put in where it most likely belongs, one that is too many is taken out, with one error
// each; the parser then works on balanced tokens and never has to think about it. Nor has it to think about depth: what
// is nested too deeply, with or without brackets, is refused here.

#include "compiler/syntax/parser.h"

#include "base/check.h"

typedef struct {
    uint32_t open;   // the bracket that it closes
    uint32_t before; // index of the token it goes in front of
    const char *text;
    uint32_t next; // 1 + index of the next one for the same place, or 0
} Insert;

typedef struct {
    Parser *parser;
    bool quiet; // an unterminated string has been reported: brackets may be hidden in it
    VECTOR(uint32_t) open;
    VECTOR(Insert) inserts;
    bool *drop; // for each token; NULL as long as none is dropped
    size_t end; // tokens from here on are no part of the block
} Pairing;

static const char *closing_of(const Token *token)
{
    if (token->kind != TOKEN_PUNCTUATOR)
        return NULL;
    switch (token->text[0]) {
    case '(':
        return ")";
    case '[':
        return "]";
    case '{':
        return "}";
    default:
        return NULL;
    }
}

static bool is_closing(const Token *token)
{
    return token_is(token, ")") || token_is(token, "]") || token_is(token, "}");
}

static bool report(Pairing *pairing, size_t index, const char *format)
{
    Parser *parser = pairing->parser;
    if (pairing->quiet)
        return false;
    return parse_error(parser, token_span(parser, index), format, parser->tokens.items[index].text);
}

// Where a missing ')' or ']' belongs: in front of what can't stand inside, found before `stop`.
static uint32_t repair_point(const Pairing *pairing, uint32_t open, uint32_t stop)
{
    const Token *tokens = pairing->parser->tokens.items;
    if (token_is(&tokens[open], "{"))
        return stop;
    bool is_head = open > 0 && token_is_keyword(&tokens[open - 1]);
    bool is_for = open > 0 && token_is(&tokens[open - 1], "for");
    for (uint32_t i = open + 1; i < stop; i++) {
        if (tokens[i].kind == TOKEN_ARROW || (token_is(&tokens[i], ";") && !is_for))
            return i;
        if (is_head && token_is(&tokens[i], "{") && !token_is(&tokens[i - 1], "(") && !token_is(&tokens[i - 1], "."))
            return i;
        if (closing_of(&tokens[i]) != NULL && tokens[i].match > i)
            i = tokens[i].match;
    }
    return stop;
}

// Closes the open brackets above `keep`, the innermost first, in front of token `stop` or earlier.
static void close_above(Pairing *pairing, size_t keep, uint32_t stop)
{
    size_t first = pairing->inserts.count;
    while (pairing->open.count > keep) {
        uint32_t open = pairing->open.items[--pairing->open.count];
        uint32_t point = repair_point(pairing, open, stop);
        for (size_t i = first; i < pairing->inserts.count; i++) {
            const Insert *inner = &pairing->inserts.items[i];
            if (point > inner->open && point < inner->before)
                point = inner->before; // brackets must not cross
        }
        Insert insert = {.open = open, .before = point, .text = closing_of(&pairing->parser->tokens.items[open])};
        vector_push(pairing->parser->arena, &pairing->inserts, insert);
    }
}

static void pair_closing(Pairing *pairing, uint32_t index)
{
    Parser *parser = pairing->parser;
    Token *tokens = parser->tokens.items;
    size_t depth = pairing->open.count;
    while (depth > 0 && !token_is(&tokens[index], closing_of(&tokens[pairing->open.items[depth - 1]])))
        depth--;
    if (depth == 0) {
        report(pairing, index, "no bracket is open that this '%s' could close");
        if (token_is(&tokens[index], "}"))
            vector_push(parser->arena, &parser->strays, tokens[index].start);
        if (pairing->drop == NULL)
            pairing->drop = ARENA_ARRAY(parser->arena, bool, parser->tokens.count);
        pairing->drop[index] = true;
        return;
    }
    if (depth < pairing->open.count) {
        report(pairing, pairing->open.items[depth], "this '%s' is never closed");
        close_above(pairing, depth, index);
    }
    uint32_t open = pairing->open.items[--pairing->open.count];
    tokens[open].match = index;
    tokens[index].match = open;
}

// `def name(` at the start of a line or behind a statement: a definition can't start inside of another one.
static bool starts_definition(const Parser *parser, size_t index)
{
    if (!index_is(parser, index, "def") || index == 0 || peek_at(parser, index + 1)->kind != TOKEN_IDENTIFIER)
        return false;
    if (!index_is(parser, index + 2, "(") && !index_is(parser, index + 2, "["))
        return false;
    return index_is(parser, index - 1, ";") || index_is(parser, index - 1, "}") || index_is(parser, index - 1, "{") ||
           index_is(parser, index - 1, ",");
}

static void close_all(Pairing *pairing, uint32_t stop)
{
    if (pairing->open.count == 0)
        return;
    Parser *parser = pairing->parser;
    bool is_end = peek_at(parser, stop)->kind == TOKEN_END;
    if (report(pairing, pairing->open.items[0], "this '%s' is never closed") && is_end && parser->block->closed) {
        Span last = {parser->file, parser->block->inside.end, parser->block->span.end};
        diag_note(parser->diags, last, "the choreography ends here");
    }
    close_above(pairing, 0, stop);
}

static void add_closing(Parser *parser, TokenList *list, const char *text)
{
    uint32_t place = list->count > 0 ? list->items[list->count - 1].end : parser->block->inside.start;
    Token token = {.kind = TOKEN_PUNCTUATOR, .repaired = true, .start = place, .end = place, .text = text};
    vector_push(parser->arena, list, token);
}

// Makes the new token list and pairs again, now without surprises.
static void rebuild(Pairing *pairing)
{
    Parser *parser = pairing->parser;
    TokenList list = {0};
    size_t last = parser->tokens.count - 1;
    // For each token: 1 + index of the first insert in front of it. Linked from the last one on, to keep their order.
    uint32_t *heads = ARENA_ARRAY(parser->arena, uint32_t, parser->tokens.count);
    for (size_t i = pairing->inserts.count; i-- > 0;) {
        Insert *insert = &pairing->inserts.items[i];
        insert->next = heads[insert->before];
        heads[insert->before] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i <= last; i++) {
        if (i >= pairing->end && i < last)
            continue;
        for (uint32_t k = heads[i]; k != 0; k = pairing->inserts.items[k - 1].next)
            add_closing(parser, &list, pairing->inserts.items[k - 1].text);
        if (pairing->drop == NULL || !pairing->drop[i])
            vector_push(parser->arena, &list, parser->tokens.items[i]);
    }
    pairing->open.count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (closing_of(&list.items[i]) != NULL) {
            vector_push(parser->arena, &pairing->open, i);
        } else if (is_closing(&list.items[i])) {
            CHECK(pairing->open.count > 0);
            uint32_t open = pairing->open.items[--pairing->open.count];
            CHECK(token_is(&list.items[i], closing_of(&list.items[open])));
            list.items[open].match = i;
            list.items[i].match = open;
        }
    }
    CHECK(pairing->open.count == 0);
    parser->tokens = list;
}

// ---- how deep expressions are ----

typedef struct {
    Parser *parser;
    VECTOR(uint32_t) levels; // operators since the last separator, outside of all brackets and in each open one
    size_t total;
} Depth;

static void set_level(Depth *depth, uint32_t count)
{
    uint32_t *level = &depth->levels.items[depth->levels.count - 1];
    depth->total += count;
    depth->total -= *level;
    *level = count;
}

// What no expression goes over, also where a semicolon is missing.
static bool is_separator(const Parser *parser, size_t index)
{
    static const char *const separators[] = {",",  ";",      "}",     "case", "if",    "else",
                                             "do", "switch", "while", "for",  "return"};
    const Token *token = &parser->tokens.items[index];
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        if (token_is(token, separators[i]))
            return true;
    }
    return token->kind == TOKEN_ARROW ||
           (token->kind == TOKEN_IDENTIFIER && token->starts_line && index_is(parser, index + 1, ".") && index > 0 &&
            (parser->tokens.items[index - 1].kind != TOKEN_PUNCTUATOR || is_closing(&parser->tokens.items[index - 1])));
}

static bool counts(const Token *token)
{
    return token->kind == TOKEN_PUNCTUATOR || token_is(token, "sizeof") || token_is(token, "_Alignof") ||
           token_is(token, "__extension__");
}

// False: there is an expression that no C compiler would take, which is reported.
static bool expressions_are_flat(Parser *parser)
{
    Depth depth = {.parser = parser};
    vector_push(parser->arena, &depth.levels, 0);
    for (size_t i = 0; i < parser->tokens.count; i++) {
        const Token *token = &parser->tokens.items[i];
        if (is_closing(token)) {
            set_level(&depth, 0);
            depth.levels.count -= depth.levels.count > 1;
        }
        if (is_separator(parser, i))
            set_level(&depth, 0);
        else if (counts(token) && !is_closing(token))
            set_level(&depth, depth.levels.items[depth.levels.count - 1] + 1);
        if (closing_of(token) != NULL)
            vector_push(parser->arena, &depth.levels, 0);
        if (depth.total > OPERATORS_MAX) {
            parse_error(parser, token_span(parser, i),
                        "this expression has too many operators (the limit is %d): take it apart", OPERATORS_MAX);
            return false;
        }
    }
    return true;
}

bool brackets_pair(Parser *parser, bool quiet)
{
    Pairing pairing = {.parser = parser, .quiet = quiet, .end = parser->tokens.count};
    uint32_t last = (uint32_t)parser->tokens.count - 1;
    bool cut = false;
    for (uint32_t i = 0; i < last && !cut; i++) {
        const Token *token = &parser->tokens.items[i];
        if (starts_definition(parser, i))
            close_all(&pairing, i);
        if (closing_of(token) != NULL) {
            if (pairing.open.count == NESTING_MAX) {
                parse_error(parser, token_span(parser, i), "brackets are nested too deeply (the limit is %d)",
                            NESTING_MAX);
                return false;
            }
            vector_push(parser->arena, &pairing.open, i);
        } else if (is_closing(token)) {
            // Where a bracket inside is missing, the block's own parenthesis has been taken for it.
            cut = token_is(token, ")") && pairing.open.count == 0 && !parser->block->closed;
            if (cut)
                pairing.end = i;
            else
                pair_closing(&pairing, i);
        }
    }
    if (pairing.open.count > 0) {
        close_all(&pairing, last);
    } else if (!parser->block->closed && !cut && !quiet) {
        Span word = {parser->file, parser->block->span.start, parser->block->inside.start - 1};
        parse_error(parser, word, "this choreography is never closed: its last ')' is missing");
    }
    if (cut || pairing.inserts.count > 0 || pairing.drop != NULL)
        rebuild(&pairing);
    return expressions_are_flat(parser);
}

// ---- a block that ends too early ----

// `Role.name`, between these: nothing that C has between the parentheses of a function's parameters.
static bool has_role(const TokenList *tokens, size_t from, size_t to)
{
    for (size_t i = from; i + 2 < to; i++)
        if (tokens->items[i].kind == TOKEN_IDENTIFIER && tokens_have(tokens, i + 1, "."))
            return true;
    return false;
}

// `def name(...)`, which may be a function in C, too: its result's type is called `def` then.
static bool is_definition(const TokenList *tokens, size_t at)
{
    if (!tokens_have(tokens, at, "def") || tokens->items[at + 1].kind != TOKEN_IDENTIFIER)
        return false;
    if (tokens_have(tokens, at + 2, "["))
        return true;
    size_t close = tokens_have(tokens, at + 2, "(") ? tokens_close(tokens, at + 2) : tokens->count;
    if (close == tokens->count || tokens_have(tokens, close + 1, "->") || has_role(tokens, at + 3, close))
        return close != tokens->count;
    size_t end = tokens_have(tokens, close + 1, "{") ? tokens_close(tokens, close + 1) : close;
    for (size_t i = close; i < end; i++)
        if (tokens->items[i].kind == TOKEN_ARROW)
            return true;
    return false;
}

// `int Role.name(`.
static bool is_prototype(const TokenList *tokens, size_t at)
{
    size_t first = at;
    while (tokens->items[at].kind == TOKEN_IDENTIFIER || tokens_have(tokens, at, "*"))
        at++;
    return at > first + 1 && tokens_have(tokens, at, ".") && tokens->items[at + 1].kind == TOKEN_IDENTIFIER &&
           tokens_have(tokens, at + 2, "(");
}

bool block_ends_early(Parser *parser)
{
    enum { LOOKED_AT_BYTES = 4096 };
    const Source *source = source_get(parser->sources, parser->file);
    uint32_t start = parser->block->span.end, end = source->size;
    TokenList tokens = {0};
    if (!parser->block->closed)
        return false;
    lex_range(parser->arena, source, start, end - start > LOOKED_AT_BYTES ? start + LOOKED_AT_BYTES : end, &tokens);
    size_t at = tokens_have(&tokens, 0, ";") ? 1 : 0;
    bool is_def = is_definition(&tokens, at);
    if (!is_def && !is_prototype(&tokens, at))
        return false;
    Span last = {parser->file, parser->block->inside.end, parser->block->span.end};
    Span next = {parser->file, tokens.items[at].start, tokens.items[at + is_def].end};
    parse_error(parser, last, "this ')' ends the choreography, but more of it follows");
    diag_note(parser->diags, next, "this is not C: remove that ')', or move this before it");
    return true;
}
