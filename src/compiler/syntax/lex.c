// Tokens: the lexical rules of C, as far as choreographies and the local C in them need them.

#include "compiler/syntax/lex.h"

#include "base/text.h"

// White space between the backslash and the newline is tolerated, as gcc and clang do.
uint32_t lex_splices(const char *text, uint32_t at, uint32_t end)
{
    while (at < end && text[at] == '\\') {
        uint32_t next = at + 1;
        while (next < end && lex_class(text[next]) == LEX_SPACE)
            next++;
        if (next >= end || text[next] != '\n')
            break;
        at = next + 1;
    }
    return at;
}

static bool newline_is_spliced(const char *text, uint32_t first, uint32_t newline)
{
    while (newline > first && lex_class(text[newline - 1]) == LEX_SPACE)
        newline--;
    return newline > first && text[newline - 1] == '\\';
}

static uint32_t line_comment(const char *text, uint32_t at, uint32_t end)
{
    uint32_t first = at;
    for (;;) {
        const char *newline = memchr(text + at, '\n', end - at);
        if (newline == NULL)
            return end;
        at = (uint32_t)(newline - text);
        if (!newline_is_spliced(text, first, at))
            return at;
        at++;
    }
}

uint32_t lex_comment(const char *text, uint32_t at, uint32_t end, bool *terminated)
{
    *terminated = true;
    uint32_t second = lex_splices(text, at + 1, end);
    if (text[at] != '/' || second >= end)
        return at;
    if (text[second] == '/')
        return line_comment(text, second + 1, end);
    if (text[second] != '*')
        return at;
    uint32_t inside = second + 1;
    while (inside < end) {
        const char *star = memchr(text + inside, '*', end - inside);
        if (star == NULL)
            break;
        inside = (uint32_t)(star - text) + 1;
        uint32_t slash = lex_splices(text, inside, end);
        if (slash < end && text[slash] == '/')
            return slash + 1;
    }
    *terminated = false;
    return end;
}

uint32_t lex_quoted(const char *text, uint32_t at, uint32_t end, bool *terminated)
{
    char quote = text[at];
    *terminated = false;
    at++;
    while (at < end && text[at] != '\n') {
        uint32_t next = lex_splices(text, at, end);
        if (next != at) {
            at = next;
            continue;
        }
        if (text[at] == quote) {
            *terminated = true;
            return at + 1;
        }
        if (text[at] == '\\') {
            at = lex_splices(text, at + 1, end);
            if (at >= end || text[at] == '\n')
                break;
        }
        at++;
    }
    return at < end ? at : end;
}

uint32_t lex_word(const char *text, uint32_t at, uint32_t end)
{
    for (;;) {
        while (at < end && lex_class(text[at]) >= LEX_LETTER)
            at++;
        uint32_t next = lex_splices(text, at, end);
        // A continuation belongs to the word only if the word goes on behind it.
        if (next == at || next >= end || lex_class(text[next]) < LEX_LETTER)
            return at;
        at = next;
    }
}

// A preprocessing number, with the digit separators of C23.
uint32_t lex_number(const char *text, uint32_t at, uint32_t end)
{
    uint32_t behind = at;
    char previous = 0;
    for (;;) {
        at = lex_splices(text, at, end);
        if (at >= end)
            return behind;
        char c = text[at];
        bool is_sign =
            (c == '+' || c == '-') && (previous == 'e' || previous == 'E' || previous == 'p' || previous == 'P');
        bool is_separator = c == '\'' && previous != 0 && at + 1 < end && lex_class(text[at + 1]) >= LEX_LETTER;
        if (lex_class(c) < LEX_LETTER && c != '.' && !is_sign && !is_separator)
            return behind;
        previous = c;
        behind = ++at;
    }
}

uint32_t lex_directive(const char *text, uint32_t at, uint32_t end)
{
    while (at < end && text[at] != '\n') {
        bool terminated;
        uint32_t next = lex_splices(text, at, end);
        if (next == at)
            next = lex_comment(text, at, end, &terminated);
        if (next == at && (text[at] == '"' || text[at] == '\''))
            next = lex_quoted(text, at, end, &terminated);
        at = next == at ? at + 1 : next;
    }
    return at;
}

// ---- tokens ----

// Longest first. Digraphs are given their usual spelling.
static const struct {
    const char *spelling, *text;
} punctuators[] = {
    {"%:%:", "##"}, {"...", "..."}, {"<<=", "<<="}, {">>=", ">>="}, {"->", "->"}, {"++", "++"}, {"--", "--"},
    {"<<", "<<"},   {">>", ">>"},   {"<=", "<="},   {">=", ">="},   {"==", "=="}, {"!=", "!="}, {"&&", "&&"},
    {"||", "||"},   {"*=", "*="},   {"/=", "/="},   {"%=", "%="},   {"+=", "+="}, {"-=", "-="}, {"&=", "&="},
    {"^=", "^="},   {"|=", "|="},   {"##", "##"},   {"<:", "["},    {":>", "]"},  {"<%", "{"},  {"%>", "}"},
    {"%:", "#"},    {"[", "["},     {"]", "]"},     {"(", "("},     {")", ")"},   {"{", "{"},   {"}", "}"},
    {".", "."},     {"&", "&"},     {"*", "*"},     {"+", "+"},     {"-", "-"},   {"~", "~"},   {"!", "!"},
    {"/", "/"},     {"%", "%"},     {"<", "<"},     {">", ">"},     {"^", "^"},   {"|", "|"},   {"?", "?"},
    {":", ":"},     {";", ";"},     {"=", "="},     {",", ","},     {"#", "#"},
};

uint32_t lex_punctuator(const char *text, uint32_t at, uint32_t end, const char **spelling)
{
    for (size_t i = 0; i < sizeof punctuators / sizeof *punctuators; i++) {
        uint32_t behind = at;
        const char *c = punctuators[i].spelling;
        for (; *c != '\0' && behind < end && text[behind] == *c; c++)
            behind = c[1] == '\0' ? behind + 1 : lex_splices(text, behind + 1, end);
        if (*c == '\0') {
            *spelling = punctuators[i].text;
            return behind;
        }
    }
    return at;
}

typedef struct {
    Arena *arena;
    const char *text;
    uint32_t at, end;
    bool starts_line;
    TokenList *tokens;
} Lexer;

// A copy without continuations.
static const char *clean_copy(Lexer *lexer, uint32_t start, uint32_t end)
{
    if (memchr(lexer->text + start, '\\', end - start) == NULL)
        return arena_copy(lexer->arena, lexer->text + start, end - start);
    Text clean;
    text_init(&clean, lexer->arena);
    for (uint32_t at = start; (at = lex_splices(lexer->text, at, end)) < end; at++)
        text_add(&clean, lexer->text + at, 1);
    return clean.chars;
}

static void add_token(Lexer *lexer, TokenKind kind, uint32_t end, const char *text, bool terminated)
{
    Token token = {.kind = kind,
                   .starts_line = lexer->starts_line,
                   .unterminated = !terminated,
                   .start = lexer->at,
                   .end = end,
                   .text = text};
    vector_push(lexer->arena, lexer->tokens, token);
    lexer->starts_line = false;
    lexer->at = end;
}

// Skips white space, comments, continuations and directives. An unterminated comment becomes a token, for the message.
static void skip_blank(Lexer *lexer)
{
    while (lexer->at < lexer->end) {
        const char *text = lexer->text;
        LexClass class = lex_class(text[lexer->at]);
        if (class == LEX_SPACE || class == LEX_NEWLINE) {
            lexer->starts_line |= class == LEX_NEWLINE;
            lexer->at++;
            continue;
        }
        if (text[lexer->at] == '#' && lexer->starts_line) {
            lexer->at = lex_directive(text, lexer->at, lexer->end);
            continue;
        }
        bool terminated = true;
        uint32_t next = lex_splices(text, lexer->at, lexer->end);
        if (next == lexer->at)
            next = lex_comment(text, lexer->at, lexer->end, &terminated);
        if (next == lexer->at)
            return;
        if (!terminated)
            add_token(lexer, TOKEN_OTHER, next, "/*", false);
        lexer->at = next;
    }
}

static bool is_string_prefix(const char *text)
{
    return strcmp(text, "L") == 0 || strcmp(text, "u") == 0 || strcmp(text, "U") == 0 || strcmp(text, "u8") == 0;
}

static bool lex_quote_at(Lexer *lexer, uint32_t quote)
{
    if (quote >= lexer->end || (lexer->text[quote] != '"' && lexer->text[quote] != '\''))
        return false;
    bool terminated;
    uint32_t end = lex_quoted(lexer->text, quote, lexer->end, &terminated);
    add_token(lexer, lexer->text[quote] == '"' ? TOKEN_STRING : TOKEN_CHAR, end, "", terminated);
    return true;
}

// `~` and `>` with nothing but blanks in between.
static bool lex_arrow(Lexer *lexer)
{
    Lexer ahead = *lexer;
    if (ahead.text[ahead.at++] != '~')
        return false;
    TokenList nothing = {0};
    ahead.tokens = &nothing;
    ahead.starts_line = false;
    skip_blank(&ahead);
    if (ahead.at >= ahead.end || ahead.text[ahead.at] != '>')
        return false;
    add_token(lexer, TOKEN_ARROW, ahead.at + 1, "~>", true);
    return true;
}

static void add_punctuator(Lexer *lexer)
{
    const char *spelling = NULL;
    uint32_t behind = lex_punctuator(lexer->text, lexer->at, lexer->end, &spelling);
    if (behind > lexer->at)
        add_token(lexer, TOKEN_PUNCTUATOR, behind, spelling, true);
    else
        add_token(lexer, TOKEN_OTHER, lexer->at + 1, clean_copy(lexer, lexer->at, lexer->at + 1), true);
}

void lex_range(Arena *arena, const Source *source, uint32_t start, uint32_t end, TokenList *tokens)
{
    Lexer lexer = {.arena = arena, .text = source->text, .at = start, .end = end, .tokens = tokens};
    for (skip_blank(&lexer); lexer.at < end; skip_blank(&lexer)) {
        LexClass class = lex_class(lexer.text[lexer.at]);
        if (class == LEX_LETTER) {
            uint32_t behind = lex_word(lexer.text, lexer.at, end);
            const char *word = clean_copy(&lexer, lexer.at, behind);
            if (!is_string_prefix(word) || !lex_quote_at(&lexer, lex_splices(lexer.text, behind, end)))
                add_token(&lexer, TOKEN_IDENTIFIER, behind, word, true);
            continue;
        }
        uint32_t second = lex_splices(lexer.text, lexer.at + 1, end);
        bool is_fraction = lexer.text[lexer.at] == '.' && second < end && lex_class(lexer.text[second]) == LEX_DIGIT;
        if (class == LEX_DIGIT || is_fraction) {
            uint32_t behind = lex_number(lexer.text, lexer.at, end);
            add_token(&lexer, TOKEN_NUMBER, behind, clean_copy(&lexer, lexer.at, behind), true);
        } else if (!lex_quote_at(&lexer, lexer.at) && !lex_arrow(&lexer)) {
            add_punctuator(&lexer);
        }
    }
    lexer.at = end;
    add_token(&lexer, TOKEN_END, end, "", true);
}

void lex_span(Arena *arena, const Sources *sources, Span span, TokenList *tokens)
{
    lex_range(arena, source_get(sources, span.file), span.start, span.end, tokens);
    tokens->count--;
}

// ---- questions about tokens ----

const char *token_kind_name(TokenKind kind)
{
    static const char *const names[] = {
        [TOKEN_IDENTIFIER] = "identifier", [TOKEN_NUMBER] = "number",
        [TOKEN_STRING] = "string",         [TOKEN_CHAR] = "character",
        [TOKEN_PUNCTUATOR] = "punctuator", [TOKEN_ARROW] = "arrow",
        [TOKEN_OTHER] = "other",           [TOKEN_END] = "end",
    };
    return names[kind];
}

bool token_is(const Token *token, const char *text)
{
    bool has_text = token->kind == TOKEN_PUNCTUATOR || token->kind == TOKEN_ARROW || token->kind == TOKEN_IDENTIFIER;
    return has_text && strcmp(token->text, text) == 0;
}

// clang-format off
static const char *const keywords[] = {
    "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic",
    "_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local", "__alignof__", "__asm__",
    "__attribute__", "__auto_type", "__builtin_offsetof", "__builtin_types_compatible_p", "__builtin_va_arg", "__extension__",
    "__int128", "__typeof__", "asm", "auto", "bool", "break",
    "case", "char", "choreography", "const", "continue", "default",
    "do", "double", "else", "enum", "extern", "false",
    "float", "for", "goto", "if", "inline", "int",
    "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "true", "typedef",
    "typeof", "union", "unsigned", "void", "volatile", "while",
};
// clang-format on

bool token_is_keyword(const Token *token)
{
    for (size_t i = 0; token->kind == TOKEN_IDENTIFIER && i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(token->text, keywords[i]) == 0)
            return true;
    return false;
}

bool tokens_have(const TokenList *tokens, size_t index, const char *text)
{
    return index < tokens->count && token_is(&tokens->items[index], text);
}

int token_depth(const Token *token)
{
    if (token->kind != TOKEN_PUNCTUATOR || token->text[1] != '\0')
        return 0;
    if (strchr("([{", token->text[0]) != NULL)
        return 1;
    return strchr(")]}", token->text[0]) != NULL ? -1 : 0;
}

size_t tokens_close(const TokenList *tokens, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < tokens->count; i++) {
        depth += token_depth(&tokens->items[i]);
        if (depth == 0)
            return i;
    }
    return tokens->count;
}
