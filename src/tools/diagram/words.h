// words.h: pieces of the source as labels: on one line, without comments, not too long.

#ifndef TOOLS_DIAGRAM_WORDS_H
#define TOOLS_DIAGRAM_WORDS_H

#include "compiler/syntax/tree.h"

typedef struct {
    Arena *arena;
    const Sources *sources;
} Words;

const char *words_of(const Words *words, Span span);
// What a role computes, without the role: "get_price(title)".
const char *words_of_expr(const Words *words, const TreeExpr *expr);
// Where a value goes, without the role and without types: "price".
const char *words_of_target(const Words *words, const Target *target);
// So many characters at most; the rest becomes one "…".
const char *words_shorten(const Words *words, const char *text, size_t most);
// How many characters a reader sees: UTF-8 sequences count once.
size_t words_width(const char *text);

#endif
