// Scopes: which variable a name means at a role, block by block.

#include "compiler/check/scope.h"

struct ScopeEntry {
    Variable *variable;
    ScopeEntry *shadowed; // what the name meant before
    ScopeEntry *older;    // bound before this one
    uint32_t depth;
};

void scope_init(Scope *scope, Arena *arena, size_t role_count)
{
    *scope = (Scope){.arena = arena, .role_count = role_count, .names = ARENA_ARRAY(arena, Map, role_count)};
    for (size_t role = 0; role < role_count; role++)
        map_init(&scope->names[role], arena);
}

void scope_enter(Scope *scope)
{
    scope->depth++;
}

void scope_leave(Scope *scope, void (*left)(void *context, Variable *variable), void *context)
{
    while (scope->newest != NULL && scope->newest->depth == scope->depth) {
        ScopeEntry *entry = scope->newest;
        map_put(&scope->names[entry->variable->role], entry->variable->name, entry->shadowed);
        left(context, entry->variable);
        scope->newest = entry->older;
    }
    scope->depth--;
}

void scope_bind(Scope *scope, Variable *variable)
{
    Map *names = &scope->names[variable->role];
    ScopeEntry *entry = ARENA_NEW(scope->arena, ScopeEntry);
    *entry = (ScopeEntry){variable, map_get(names, variable->name), scope->newest, scope->depth};
    scope->newest = entry;
    map_put(names, variable->name, entry);
}

Variable *scope_lookup(const Scope *scope, RoleId role, const char *name, uint32_t *depth)
{
    ScopeEntry *entry = map_get(&scope->names[role], name);
    if (entry != NULL && depth != NULL)
        *depth = entry->depth;
    return entry != NULL ? entry->variable : NULL;
}
