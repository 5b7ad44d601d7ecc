// cursor.h: what stands before a place that is being typed at, by its tokens: the tree has nothing there yet.

#ifndef LSP_CURSOR_H
#define LSP_CURSOR_H

#include "tools/lsp/features.h"

typedef struct {
    TokenList tokens;   // of the block, up to the word at the place
    uint32_t word;      // where that word begins; the place itself: there is none
    size_t open;        // the innermost bracket that is open there; tokens.count: none
    SymbolList roles;   // whose C it is; empty: it is not local C
    bool is_inside;     // inside of brackets of theirs: nothing but their C can stand there
    bool is_behind_dot; // `Role.` stands right before it
    // A call that it is an argument of: `f(`, `Role.f(`, `name(` in local C.
    const Token *callee;
    SymbolList callee_roles; // Role.f
    size_t argument;
} Cursor;

void cursor_at(const Question *question, Cursor *cursor);

#endif
