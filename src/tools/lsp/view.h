// view.h: one text as it is now: its blocks, and which roles the C around them plays. Made of the text alone, without libclang.

#ifndef LSP_VIEW_H
#define LSP_VIEW_H

#include "compiler/syntax/find.h"
#include "compiler/syntax/lex.h"
#include "tools/lsp/index.h"
#include "tools/lsp/position.h"

typedef struct {
    const FoundBlock *found;
    const Tree *tree;
    Index *index;
} Block;

// An #include of a role's companion: this file has the role's functions, PREFIX_name.
typedef struct {
    const char *choreography, *role, *prefix;
    Span include;
} Play;

typedef struct {
    Arena *arena;
    const char *path, *uri;
    const Source *source;
    const Sources *sources;
    Lines lines;
    Found found;
    VECTOR(Block) blocks;
    VECTOR(Play) plays;
    TokenList tokens; // of the C outside of blocks, without directives; its last one is TOKEN_END
} View;

// `text` is copied. `known`: see index_new.
View *view_new(const char *path, const char *text, size_t size, const Map *known);
void view_free(View *view); // may be NULL

const Block *view_block(const View *view, uint32_t offset);        // around the offset; NULL: it is in C
const Block *view_block_named(const View *view, const char *name); // NULL: there is none
const Token *view_c_token(const View *view, uint32_t offset);      // a name in C at the offset, or NULL
// Is this name in C that of a function's definition? Its end is then *end.
bool view_is_definition(const View *view, const Token *token, uint32_t *end);
bool view_is_companion(const char *path);
// Are the brackets of the C outside of blocks in order? If not, somebody is typing there.
bool view_c_is_whole(const View *view);

#endif
