#include "compiler/check/ctext.h"

#include <ctype.h>
#include <string.h>

static const char *const KEYWORDS[] = {
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "__alignof__",
    "__asm__",
    "__attribute__",
    "__auto_type",
    "__builtin_offsetof",
    "__builtin_types_compatible_p",
    "__builtin_va_arg",
    "__extension__",
    "__typeof__",
    "asm",
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "typeof",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
};

static bool is_keyword(const char *name)
{
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (strcmp(KEYWORDS[i], name) == 0)
            return true;
    return false;
}

static bool starts_name(unsigned char c)
{
    return isalpha(c) || c == '_' || c == '$' || c >= 0x80;
}

static bool continues_name(unsigned char c)
{
    return starts_name(c) || isdigit(c);
}

static size_t skip_quoted(const char *at, size_t left)
{
    size_t length = 1;
    while (length < left && at[length] != at[0])
        length += at[length] == '\\' && length + 1 < left ? 2 : 1;
    return length < left ? length + 1 : left;
}

static size_t skip_comment(const char *at, size_t left)
{
    size_t length = 2;
    if (at[1] == '/') {
        while (length < left && at[length] != '\n')
            length += at[length] == '\\' && length + 1 < left ? 2 : 1;
        return length < left ? length : left;
    }
    while (length + 1 < left && !(at[length] == '*' && at[length + 1] == '/'))
        length++;
    return length + 2 < left ? length + 2 : left;
}

static size_t punct_length(const char *at, size_t left)
{
    static const char *const LONG[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
                                       "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof LONG / sizeof *LONG; i++) {
        size_t length = strlen(LONG[i]);
        if (length <= left && memcmp(LONG[i], at, length) == 0)
            return length;
    }
    return 1;
}

static size_t number_length(const char *at, size_t left)
{
    size_t length = 1;
    while (length < left) {
        bool exponent_sign = (at[length] == '+' || at[length] == '-') && strchr("eEpP", at[length - 1]) != NULL;
        if (!continues_name((unsigned char)at[length]) && at[length] != '.' && !exponent_sign)
            break;
        length++;
    }
    return length;
}

// The token or gap at `at`; its length, and in *kind what it is. False: white space or a comment.
static bool next_token(const char *at, size_t left, CTokenKind *kind, size_t *length)
{
    unsigned char c = (unsigned char)at[0];
    *length = 1;
    if (isspace(c) || c == '\\')
        return false;
    if (c == '/' && left > 1 && (at[1] == '/' || at[1] == '*')) {
        *length = skip_comment(at, left);
        return false;
    }
    if (c == '"' || c == '\'') {
        *kind = c == '"' ? CTOKEN_STRING : CTOKEN_CHAR;
        *length = skip_quoted(at, left);
    } else if (isdigit(c) || (c == '.' && left > 1 && isdigit((unsigned char)at[1]))) {
        *kind = CTOKEN_NUMBER;
        *length = number_length(at, left);
    } else if (starts_name(c)) {
        *kind = CTOKEN_NAME;
        while (*length < left && continues_name((unsigned char)at[*length]))
            ++*length;
        // A prefix of a literal: u8"..." L'x'
        if (*length <= 2 && *length < left && (at[*length] == '"' || at[*length] == '\'')) {
            *kind = at[*length] == '"' ? CTOKEN_STRING : CTOKEN_CHAR;
            *length += skip_quoted(at + *length, left - *length);
        }
    } else {
        *kind = CTOKEN_PUNCT;
        *length = punct_length(at, left);
    }
    return true;
}

void ctext_scan(Arena *arena, const Sources *sources, Span span, CTokenList *tokens)
{
    uint32_t size = 0;
    const char *text = span_text(sources, span, &size);
    for (size_t at = 0; at < size;) {
        CTokenKind kind = CTOKEN_PUNCT;
        size_t length = 1;
        if (next_token(text + at, size - at, &kind, &length)) {
            CToken token = {kind,
                            {span.file, span.start + (uint32_t)at, span.start + (uint32_t)(at + length)},
                            arena_copy(arena, text + at, length)};
            if (kind == CTOKEN_NAME && is_keyword(token.text))
                token.kind = CTOKEN_KEYWORD;
            vector_push(arena, tokens, token);
        }
        at += length;
    }
}

bool ctoken_is(const CTokenList *tokens, size_t index, const char *text)
{
    return index < tokens->count && strcmp(tokens->items[index].text, text) == 0;
}

static int bracket_depth(const CToken *token)
{
    if (token->kind != CTOKEN_PUNCT || token->text[1] != '\0')
        return 0;
    if (strchr("([{", token->text[0]) != NULL)
        return 1;
    return strchr(")]}", token->text[0]) != NULL ? -1 : 0;
}

size_t ctext_close(const CTokenList *tokens, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < tokens->count; i++) {
        depth += bracket_depth(&tokens->items[i]);
        if (depth == 0)
            return i;
    }
    return tokens->count;
}

void ctext_split(Arena *arena, const CTokenList *tokens, size_t open, size_t close, CTextList *parts)
{
    int depth = 0;
    size_t first = open + 1;
    for (size_t i = open + 1; i <= close && i < tokens->count; i++) {
        bool at_end = i == close;
        if (!at_end)
            depth += bracket_depth(&tokens->items[i]);
        if (!at_end && !(depth == 0 && ctoken_is(tokens, i, ",")))
            continue;
        if (i > first) {
            CText part = {span_join(tokens->items[first].span, tokens->items[i - 1].span)};
            vector_push(arena, parts, part);
        }
        first = i + 1;
    }
}
