// index.h: what has a name in a block, and where it is mentioned.
//
// Made of the tree alone, so that it is there while a block is half typed, and in no time. Names in local C are found by their
// tokens: one that is a variable of the role there means that variable. Types come from an Analysis.

#ifndef LSP_INDEX_H
#define LSP_INDEX_H

#include "base/map.h"
#include "compiler/syntax/tree.h"

typedef enum {
    SYMBOL_CHOREOGRAPHY,
    SYMBOL_ROLE,       // or a family
    SYMBOL_ROLE_PARAM, // of a definition
    SYMBOL_MEMBER,     // `w` in `for (w : Worker)`
    SYMBOL_VARIABLE,
    SYMBOL_FUNCTION, // that a role provides
    SYMBOL_DEF,
    SYMBOL_FUNCTION_PARAM, // of a definition
    SYMBOL_USED,           // of another choreography: "ot", or "ot.transfer"
} SymbolKind;

typedef struct Symbol Symbol;
struct Symbol {
    SymbolKind kind;
    const char *name;
    Symbol *role;       // VARIABLE, FUNCTION: whose it is. MEMBER: the family
    Span span;          // where it is bound, or mentioned first
    const TreeDef *def; // in which it is; DEF: itself. NULL: in the whole choreography
    uint32_t from, to;  // where it can be mentioned
    bool is_family, is_param;
    const TypeText *type;    // VARIABLE: as it is declared; NULL: inferred
    const TreeProto *proto;  // FUNCTION; may be NULL
    const TreeParam *param;  // FUNCTION_PARAM
    VECTOR(Symbol *) stands; // ROLE_PARAM: for these roles, as far as calls say
};
typedef VECTOR(Symbol *) SymbolList;

typedef struct {
    uint32_t start, end;
    Symbol *symbol;
    bool binds;     // it gets a value here
    bool is_field;  // `.x` in a pattern: the name of a field, too
    bool is_dotted; // FUNCTION: Role.f(...)
} Mention;

// A statement that decides, or protects: what hints and hovers are about.
typedef struct {
    const Stmt *stmt;
    const TreeDef *def;
} Decision;

typedef struct {
    const TreeCall *call;
    const TreeDef *caller;
    Symbol *callee; // NULL: there is no such function
} CallSite;

typedef struct {
    Arena *arena;
    const Sources *sources;
    const Tree *tree;
    SymbolList symbols;
    SymbolList of_kind[SYMBOL_USED + 1]; // the same, by kind
    VECTOR(Mention) mentions;            // by start
    VECTOR(Decision) decisions;
    VECTOR(CallSite) calls;
} Index;

// `known`: names "Role.f" of functions that roles provide, as an analysis has found them; may be NULL.
Index *index_new(Arena *arena, const Sources *sources, const Tree *tree, const Map *known);

// The mentions that cover the offset, or end there; how many. A name at a set of roles is mentioned for each of them.
size_t index_at(const Index *index, uint32_t offset, const Mention **first);
// All that are the same thing: variables that roles of a set hold together have one name.
void index_same(Arena *arena, const Index *index, const Mention *mention, size_t count, SymbolList *list);
bool symbols_have(const SymbolList *list, const Symbol *symbol);
// The definition around the offset, or NULL.
const TreeDef *index_def(const Index *index, uint32_t offset);
// A role, a role parameter or a member of this name at the offset; NULL: there is none.
Symbol *index_role(const Index *index, const char *name, uint32_t offset);
// Whose variables it has: of a member, the family's.
const Symbol *symbol_owner(const Symbol *role);
Symbol *index_find_def(const Index *index, const char *name, uint32_t offset); // or a function parameter there
Symbol *index_find_function(const Index *index, const Symbol *role, const char *name);

#endif
