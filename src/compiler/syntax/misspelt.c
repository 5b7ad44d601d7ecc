// misspelt.c: words that are nearly right, and things that other languages have.
//
// What follows a word shows which words of the language it can have been meant for. Such a word is reported, and then
// taken for the right one: what it begins is parsed as usual, so that nothing else has to be said about it.

#include "compiler/syntax/parser.h"

#include "base/similar.h"

typedef VECTOR(const char *) Words;

#define WORDS(...)                                                                                                     \
    ((Words){.items = (const char *[]){__VA_ARGS__}, .count = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)})

// A name that means nothing here.
static bool is_unknown_word(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index);
    return token->kind == TOKEN_IDENTIFIER && !token_is_keyword(token) && !is_role(parser, token->text) &&
           !is_function(parser, token->text);
}

static bool correct_index(Parser *parser, size_t index, Words words)
{
    if (!is_unknown_word(parser, index))
        return false;
    Token *token = &parser->tokens.items[index];
    const char *meant = closest_name(token->text, words.items, words.count);
    if (meant == NULL)
        return false;
    Span span = token_span(parser, index);
    if (parse_error(parser, span, "there is no '%s' in the language: did you mean '%s'?", token->text, meant))
        diag_fix(parser->diags, span, meant, "write '%s'", meant);
    token->text = meant;
    return true;
}

bool correct_word(Parser *parser, const char *word)
{
    return correct_index(parser, parser->at, WORDS(word));
}

// ---- statements ----

static bool has_semicolon(const Parser *parser, size_t open)
{
    size_t close = peek_at(parser, open)->match;
    for (size_t i = open + 1; i < close; i = behind_group(parser, i)) {
        if (index_is(parser, i, ";"))
            return true;
    }
    return false;
}

// `WORD (...) {`
static bool correct_head(Parser *parser, size_t open)
{
    size_t behind = behind_group(parser, open);
    // A word and parentheses may come between: `notify(...)`.
    if (peek_at(parser, behind)->kind == TOKEN_IDENTIFIER && index_is(parser, behind + 1, "("))
        behind = behind_group(parser, behind + 1);
    if (!index_is(parser, behind, "{"))
        return false;
    if (has_semicolon(parser, open))
        return correct_word(parser, "for");
    return correct_index(parser, parser->at, WORDS("if", "while", "switch", "for"));
}

bool correct_statement(Parser *parser)
{
    size_t next = parser->at + 1;
    const Token *token = peek_at(parser, next);
    Parser behind = *parser;
    behind.at = next;
    if (is_role_set(&behind))
        return correct_word(parser, "return");
    if (token_is(token, "{"))
        return correct_index(parser, parser->at, WORDS("do", "checkpoint"));
    if (token_is(token, "("))
        return correct_head(parser, next);
    if (token_is(token, ";") && !parser->in_loop && !parser->in_switch)
        return correct_word(parser, "return");
    if (token_is(token, ";"))
        return correct_index(parser, parser->at,
                             parser->in_loop ? WORDS("break", "return", "continue") : WORDS("break", "return"));
    if (token->kind != TOKEN_IDENTIFIER)
        return false;
    if (token_is(token, "within") || token_is(token, "retry") || token_is(token, "while") || token_is(token, "for"))
        return correct_word(parser, "checkpoint");
    bool is_value = is_role(parser, token->text) && index_is(parser, next + 1, ".");
    bool is_called = is_function(parser, token->text) && is_call(&behind);
    return (is_value || is_called) && correct_word(parser, "return");
}

bool correct_checkpoint_option(Parser *parser)
{
    size_t next = parser->at + 1;
    if (peek_at(parser, next)->kind == TOKEN_NUMBER)
        return correct_index(parser, parser->at, WORDS("within", "retry"));
    // What may follow it: the block, a loop, or another option.
    if (index_is(parser, next, "{") || index_is(parser, next, "while") || index_is(parser, next, "for") ||
        index_is(parser, next, "retry") || index_is(parser, next, "within"))
        return correct_index(parser, parser->at, WORDS("durable"));
    return index_is(parser, next, "(") && correct_index(parser, parser->at, WORDS("while", "for"));
}

// ---- labels ----

// `WORD :` and `WORD value :`
bool correct_case(Parser *parser)
{
    size_t i = parser->at + 1;
    if (index_is(parser, i, ":"))
        return correct_word(parser, "default");
    while (i < parser->limit && (peek_at(parser, i)->kind == TOKEN_IDENTIFIER ||
                                 peek_at(parser, i)->kind == TOKEN_NUMBER || peek_at(parser, i)->kind == TOKEN_CHAR))
        i++;
    return index_is(parser, i, ":") && correct_word(parser, "case");
}

bool report_label(Parser *parser)
{
    const Token *token = peek(parser);
    if (token->kind != TOKEN_IDENTIFIER || !index_is(parser, parser->at + 1, ":") || is_role(parser, token->text) ||
        token_is(token, "case") || token_is(token, "default"))
        return false;
    parse_error(parser, range_span(parser, parser->at, parser->at + 2),
                "a choreography has no labels: a loop repeats its body, 'break' leaves it, and 'continue' begins anew");
    parser->at += 2;
    return true;
}

// ---- definitions ----

// `WORD NAME (...) ... {`, where a definition can begin.
void correct_definition(Parser *parser, size_t index)
{
    bool begins = index == 0 || index_is(parser, index - 1, "}") || index_is(parser, index - 1, ";") ||
                  index_is(parser, index - 1, ",");
    bool has_name = peek_at(parser, index + 1)->kind == TOKEN_IDENTIFIER &&
                    (index_is(parser, index + 2, "(") || index_is(parser, index + 2, "["));
    if (!begins || !has_name || !is_unknown_word(parser, index))
        return;
    size_t behind = behind_group(parser, index + 2);
    if (index_is(parser, behind, "("))
        behind = behind_group(parser, behind);
    if (index_is(parser, behind, "{") || index_is(parser, behind, "->"))
        correct_index(parser, index, WORDS("def"));
}

// ---- functions without a name ----

// `fn x -> ...`, `lambda x: ...`
static bool is_lambda_word(const Parser *parser, size_t index)
{
    static const char *const words[] = {"fn", "fun", "func", "function", "lambda", "def"};
    bool is_word = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_word |= index_is(parser, index, words[i]);
    size_t behind = behind_group(parser, index + 1);
    bool has_body = index_is(parser, behind, "{") || index_is(parser, behind, "->") || index_is(parser, behind, "=");
    bool goes_on =
        peek_at(parser, index + 1)->kind == TOKEN_IDENTIFIER || (index_is(parser, index + 1, "(") && has_body);
    return is_word && goes_on && !is_function(parser, peek_at(parser, index)->text);
}

bool is_lambda(const Parser *parser, size_t index)
{
    size_t next = index + 1, behind = behind_group(parser, index);
    if (is_lambda_word(parser, index) || index_is(parser, index, "||"))
        return true;
    if (index_is(parser, index, "^")) // a block of clang
        return index_is(parser, next, "(") || index_is(parser, next, "{");
    if (index_is(parser, index, "[")) // C++
        return index_is(parser, behind, "(") || index_is(parser, behind, "{");
    if (index_is(parser, index, "|"))
        return peek_at(parser, next)->kind == TOKEN_IDENTIFIER;
    bool is_fat = index_is(parser, behind, "=") && index_is(parser, behind + 1, ">");
    if (index_is(parser, index, "("))
        return is_fat || index_is(parser, behind, "->");
    return peek_at(parser, index)->kind == TOKEN_IDENTIFIER && is_fat;
}

// In local C, `^(int x) { ... }` is for clang to judge, and `(p)->x` is no function.
bool report_lambda_in_c(Parser *parser, size_t index)
{
    bool is_cxx = index_is(parser, index, "[") && is_lambda(parser, index);
    if (!is_cxx && !is_lambda_word(parser, index))
        return false;
    parse_error(parser, range_span(parser, index, behind_group(parser, index)),
                "C has no functions without a name: define one above the choreography, and name it here");
    return true;
}

void report_lambda(Parser *parser, size_t index)
{
    parse_error(parser, range_span(parser, index, behind_group(parser, index)),
                "a choreography has no functions without a name: define one with 'def', and name it here");
}
