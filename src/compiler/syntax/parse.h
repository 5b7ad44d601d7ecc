// parse.h: text of a block to tree, with recovery: several errors in one run.

#ifndef SYNTAX_PARSE_H
#define SYNTAX_PARSE_H

#include "compiler/syntax/find.h"
#include "compiler/syntax/tree.h"

// Never NULL; errors go to diags. A tree with errors may be incomplete but is safe to walk.
Tree *parse_block(Arena *arena, const Sources *sources, Diags *diags, const FoundBlock *block);

// --dump=tokens and --dump=tree.
void dump_tokens(const Sources *sources, const FoundBlock *block, FILE *out);
void dump_tree(const Sources *sources, const Tree *tree, FILE *out);

#endif
