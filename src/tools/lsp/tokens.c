// tokens.c: what each word of a block is, for colors.

#include "tools/lsp/features.h"

#include <string.h>

typedef enum {
    TOKENS_NAMESPACE,
    TOKENS_CLASS, // a role
    TOKENS_TYPE_PARAMETER,
    TOKENS_VARIABLE,
    TOKENS_PARAMETER,
    TOKENS_METHOD, // a role's function
    TOKENS_FUNCTION,
    TOKENS_KEYWORD,
    TOKENS_TYPE,
    TOKENS_NUMBER,
    TOKENS_STRING,
    TOKENS_OPERATOR,
    TOKENS_NONE,
} TokensType;

static const char *const NAMES[] = {"namespace", "class",   "typeParameter", "variable", "parameter", "method",
                                    "function",  "keyword", "type",          "number",   "string",    "operator"};

json_t *tokens_legend(void)
{
    json_t *types = json_array();
    for (size_t i = 0; i < TOKENS_NONE; i++)
        reply_add(types, json_string(NAMES[i]));
    return json_pack("{s:o, s:[s, s]}", "tokenTypes", types, "tokenModifiers", "declaration", "modification");
}

static TokensType type_of_symbol(const Symbol *symbol)
{
    switch (symbol->kind) {
    case SYMBOL_CHOREOGRAPHY:
    case SYMBOL_USED:
        return TOKENS_NAMESPACE;
    case SYMBOL_ROLE:
        return TOKENS_CLASS;
    case SYMBOL_ROLE_PARAM:
    case SYMBOL_MEMBER:
        return TOKENS_TYPE_PARAMETER;
    case SYMBOL_VARIABLE:
        return symbol->is_param ? TOKENS_PARAMETER : TOKENS_VARIABLE;
    case SYMBOL_FUNCTION:
        return TOKENS_METHOD;
    case SYMBOL_DEF:
    case SYMBOL_FUNCTION_PARAM:
        return TOKENS_FUNCTION;
    }
    return TOKENS_NONE;
}

static bool is_word(const Token *token)
{
    static const char *const words[] = {"choreography", "def",    "use",    "checkpoint", "durable", "rescue",
                                        "retry",        "within", "notify", "agree",      "par",     "and"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(token, words[i]))
            return true;
    return token_is_keyword(token);
}

static bool is_type_word(const Token *token)
{
    static const char *const words[] = {"int",      "char",     "long",    "short",    "unsigned", "signed",
                                        "float",    "double",   "void",    "_Bool",    "bool",     "size_t",
                                        "int8_t",   "int16_t",  "int32_t", "int64_t",  "uint8_t",  "uint16_t",
                                        "uint32_t", "uint64_t", "chx_str", "chx_bytes"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(token, words[i]))
            return true;
    return false;
}

// A name that nothing is known of, before another name: the type of a declaration.
static bool looks_like_type(const TokenList *tokens, size_t index)
{
    size_t next = index + 1;
    while (tokens_have(tokens, next, "*"))
        next++;
    return next < tokens->count && tokens->items[next].kind == TOKEN_IDENTIFIER && !is_word(&tokens->items[next]);
}

static TokensType type_of_token(const TokenList *tokens, size_t index)
{
    const Token *token = &tokens->items[index];
    switch (token->kind) {
    case TOKEN_NUMBER:
        return TOKENS_NUMBER;
    case TOKEN_STRING:
    case TOKEN_CHAR:
        return TOKENS_STRING;
    case TOKEN_ARROW:
        return TOKENS_OPERATOR;
    case TOKEN_IDENTIFIER:
        if (is_type_word(token))
            return TOKENS_TYPE;
        if (is_word(token))
            return TOKENS_KEYWORD;
        return looks_like_type(tokens, index) ? TOKENS_TYPE : TOKENS_NONE;
    default:
        return TOKENS_NONE;
    }
}

typedef struct {
    const View *view;
    json_t *data;
    Place last;
} Writer;

static void put(Writer *writer, uint32_t start, uint32_t end, TokensType type, unsigned modifiers)
{
    Place from = lines_place(&writer->view->lines, start), to = lines_place(&writer->view->lines, end);
    // A token over several lines, a continued one, has no length that could be told.
    if (from.line != to.line || to.character <= from.character)
        return;
    uint32_t lines = from.line - writer->last.line;
    uint32_t characters = lines == 0 ? from.character - writer->last.character : from.character;
    reply_add(writer->data, json_integer(lines));
    reply_add(writer->data, json_integer(characters));
    reply_add(writer->data, json_integer(to.character - from.character));
    reply_add(writer->data, json_integer(type));
    reply_add(writer->data, json_integer(modifiers));
    writer->last = from;
}

static void put_block(Writer *writer, Arena *arena, const Block *block, uint32_t from, uint32_t to)
{
    enum { DECLARATION = 1, MODIFICATION = 2 };
    TokenList tokens = {0};
    lex_range(arena, writer->view->source, block->found->span.start, block->found->span.end, &tokens);
    size_t mention = 0;
    const Index *index = block->index;
    for (size_t i = 0; i < tokens.count && tokens.items[i].kind != TOKEN_END; i++) {
        const Token *token = &tokens.items[i];
        while (mention < index->mentions.count && index->mentions.items[mention].end <= token->start)
            mention++;
        if (token->end < from || token->start > to)
            continue;
        const Mention *found = mention < index->mentions.count ? &index->mentions.items[mention] : NULL;
        if (found != NULL && found->start <= token->start && token->kind == TOKEN_IDENTIFIER) {
            bool is_first = found->symbol->span.start == found->start;
            put(writer, token->start, token->end, type_of_symbol(found->symbol),
                is_first       ? DECLARATION
                : found->binds ? MODIFICATION
                               : 0);
            continue;
        }
        TokensType type = type_of_token(&tokens, i);
        if (type != TOKENS_NONE)
            put(writer, token->start, token->end, type, 0);
    }
}

static json_t *tokens_between(const Question *question, uint32_t from, uint32_t to)
{
    Writer writer = {question->view, json_array(), {0, 0}};
    for (size_t i = 0; i < question->view->blocks.count; i++)
        put_block(&writer, question->arena, &question->view->blocks.items[i], from, to);
    return json_pack("{s:o}", "data", writer.data);
}

json_t *feature_tokens(const Question *question)
{
    return tokens_between(question, 0, question->view->source->size);
}

json_t *feature_tokens_range(const Question *question)
{
    Place start, end;
    if (!reply_read_place(reply_member(question->params, "range.start"), &start) ||
        !reply_read_place(reply_member(question->params, "range.end"), &end))
        return NULL;
    return tokens_between(question, lines_offset(&question->view->lines, start),
                          lines_offset(&question->view->lines, end));
}
