// lex.h: the compiler's only lexer: tokens of a choreography and of the local C in it, and C's lexical rules by
// themselves.
//
// Comments, white space and line continuations stand between or inside tokens and are never tokens themselves; a
// preprocessor directive is skipped (the finder has recorded it).

#ifndef SYNTAX_LEX_H
#define SYNTAX_LEX_H

#include "compiler/diag/diag.h"

typedef enum {
    TOKEN_IDENTIFIER, // keywords too
    TOKEN_NUMBER,     // a preprocessing number: 500ms is one
    TOKEN_STRING,
    TOKEN_CHAR,
    TOKEN_PUNCTUATOR,
    TOKEN_ARROW, // ~> , also with white space in between: C never has '>' after '~'
    TOKEN_OTHER, // a byte that C knows no use for
    TOKEN_END,
} TokenKind;

typedef struct {
    TokenKind kind;
    bool starts_line;  // nothing but white space and comments stands before it on its line
    bool unterminated; // a string, character constant or comment (kind OTHER) without its end
    bool repaired;     // a bracket that is missing in the source, put in by brackets_pair
    uint32_t start, end;
    uint32_t match;   // brackets: index of the other one, set by brackets_pair
    const char *text; // without continuations. Strings and characters: ""
} Token;

typedef VECTOR(Token) TokenList;

// The tokens between two offsets; the last one is TOKEN_END, empty, at `end`.
void lex_range(Arena *arena, const Source *source, uint32_t start, uint32_t end, TokenList *tokens);

// The tokens of a span, without a TOKEN_END.
void lex_span(Arena *arena, const Sources *sources, Span span, TokenList *tokens);

const char *token_kind_name(TokenKind kind);
bool token_is(const Token *token, const char *text); // a punctuator, arrow or identifier that is spelled so
bool token_is_keyword(const Token *token);           // of C, or `choreography`
bool tokens_have(const TokenList *tokens, size_t index, const char *text); // token_is; false past the end
// The index of the bracket that closes the one at `open`, or tokens->count. (Token.match is the parser's.)
size_t tokens_close(const TokenList *tokens, size_t open);
int token_depth(const Token *token); // 1: an opening bracket; -1: a closing one; else 0

// In this order: from LEX_LETTER on it can stand in a word.
typedef enum { LEX_OTHER, LEX_SPACE, LEX_NEWLINE, LEX_LETTER, LEX_DIGIT } LexClass;

// Bytes from 0x80 on are parts of UTF-8 sequences, which may stand in identifiers.
static inline LexClass lex_class(char c)
{
    unsigned char byte = (unsigned char)c;
    if ((unsigned)(byte | 0x20) - 'a' < 26 || byte == '_' || byte == '$' || byte >= 0x80)
        return LEX_LETTER;
    if (byte == '\n')
        return LEX_NEWLINE;
    if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
        return LEX_SPACE;
    return byte >= '0' && byte <= '9' ? LEX_DIGIT : LEX_OTHER;
}

// Each takes the offset `at` where the thing starts and gives the offset behind it, `at` itself if there is none here.
uint32_t lex_splices(const char *text, uint32_t at, uint32_t end); // line continuations
uint32_t lex_comment(const char *text, uint32_t at, uint32_t end, bool *terminated);
uint32_t lex_quoted(const char *text, uint32_t at, uint32_t end,
                    bool *terminated); // ends at the line's end at the latest
uint32_t lex_word(const char *text, uint32_t at, uint32_t end);
uint32_t lex_number(const char *text, uint32_t at, uint32_t end);
// *spelling: its usual one, also for a digraph.
uint32_t lex_punctuator(const char *text, uint32_t at, uint32_t end, const char **spelling);
uint32_t lex_directive(const char *text, uint32_t at, uint32_t end); // to the end of the logical line, newline excluded

#endif
