// index_walk.h: what the files that make an index share. Nobody else includes this.

#ifndef LSP_INDEX_WALK_H
#define LSP_INDEX_WALK_H

#include "tools/lsp/index.h"

// A call `f(...)` in local C that may be one of a function that the role provides: known when all of the block is read.
typedef struct {
    Span span;
    const char *name;
    SymbolList roles;
} BareCall;

typedef struct {
    Arena *arena;
    Index *index;
    const Map *known;
    const TreeDef *def; // that is walked over
    SymbolList scope;   // variables and members that can be mentioned, the newest last
    VECTOR(BareCall) bare;
} Walk;

Symbol *walk_symbol(Walk *walk, SymbolKind kind, const Name *name);
Mention *walk_mention(Walk *walk, Span span, Symbol *symbol); // NULL: nothing was noted

// index_names.c
Symbol *walk_role(Walk *walk, const Name *name);                    // mentions it; NULL: there is none
void walk_roles(Walk *walk, const RoleRef *ref, SymbolList *roles); // mentions them
void walk_everybody(Walk *walk, SymbolList *all);
void walk_c(Walk *walk, Span span, const SymbolList *roles);               // local C
void walk_variable(Walk *walk, const Name *name, const SymbolList *roles); // mentions it, if there is one
void walk_bind(Walk *walk, const Name *name, const SymbolList *roles, const TypeText *type, bool declares,
               bool is_field);
void walk_function(Walk *walk, const Name *name, const SymbolList *roles);
void walk_bare_calls(Walk *walk);
void walk_given(Walk *walk); // which roles role parameters stand for

// index_body.c
void walk_def(Walk *walk, const TreeDef *def);

#endif
