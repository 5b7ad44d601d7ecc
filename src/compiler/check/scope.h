// scope.h: which name is which variable, per role, while an instance is resolved. C's scopes: inner names shadow.

#ifndef CHECK_SCOPE_H
#define CHECK_SCOPE_H

#include "compiler/check/program.h"

typedef struct ScopeEntry ScopeEntry;

typedef struct {
    Arena *arena;
    Map *names; // by role: name -> innermost ScopeEntry
    size_t role_count;
    ScopeEntry *newest; // all entries, innermost first
    uint32_t depth;
} Scope;

void scope_init(Scope *scope, Arena *arena, size_t role_count);
void scope_enter(Scope *scope);
// Calls `left` for each variable that goes out of scope.
void scope_leave(Scope *scope, void (*left)(void *context, Variable *variable), void *context);
void scope_bind(Scope *scope, Variable *variable);
Variable *scope_lookup(const Scope *scope, RoleId role, const char *name,
                       uint32_t *depth); // NULL: none; depth may be NULL

#endif
