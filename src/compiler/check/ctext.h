// ctext.h: local C as tokens, as far as resolving needs to see into it. Meaning is libclang's business.

#ifndef CHECK_CTEXT_H
#define CHECK_CTEXT_H

#include "compiler/syntax/tree.h"

typedef enum { CTOKEN_NAME, CTOKEN_KEYWORD, CTOKEN_NUMBER, CTOKEN_STRING, CTOKEN_CHAR, CTOKEN_PUNCT } CTokenKind;

typedef struct {
    CTokenKind kind;
    Span span;
    const char *text; // NUL-terminated
} CToken;
typedef VECTOR(CToken) CTokenList;

void ctext_scan(Arena *arena, const Sources *sources, Span span, CTokenList *tokens);
bool ctoken_is(const CTokenList *tokens, size_t index, const char *text); // false past the end

// The index of the bracket that closes the one at `open`, or tokens->count.
size_t ctext_close(const CTokenList *tokens, size_t open);
// The texts between the commas of tokens (open, close), both exclusive.
void ctext_split(Arena *arena, const CTokenList *tokens, size_t open, size_t close, CTextList *parts);

#endif
