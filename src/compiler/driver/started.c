// started.c: see started.h.

#include "compiler/driver/started.h"

#include <string.h>

static const char *started_name(Compilation *compilation, const Tree *tree, const TreeDef *def)
{
    return arena_printf(compilation->arena, "%s_%s", tree->name.text, def->name.text);
}

// Is it "NAME.chor.h", or "NAME.ROLE.chor.h"?
static bool is_companion_of(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name), whole = strlen(base), end = strlen(".chor.h");
    return whole > end && strcmp(base + whole - end, ".chor.h") == 0 && strncmp(base, name, length) == 0 &&
           base[length] == '.';
}

static bool includes(const CFile *file, const char *name)
{
    for (size_t i = 0; i < file->found.includes.count; i++)
        if (is_companion_of(file->found.includes.items[i].path, name))
            return true;
    return false;
}

void started_mark(Compilation *compilation, const Unit *unit, const Choreography *choreography)
{
    const Tree *tree = choreography->tree;
    for (size_t i = 0; i < tree->defs.count; i++) {
        TreeDef *def = tree->defs.items[i];
        if (def->role_params.count == 0)
            continue;
        const char *name = started_name(compilation, tree, def);
        def->is_started |= includes(choreography->file, name) || includes(unit->file, name);
    }
}

Tree *started_tree(Compilation *compilation, const Tree *tree, const TreeDef *def)
{
    Arena *arena = compilation->arena;
    Tree *made = ARENA_NEW(arena, Tree);
    TreeDef *run = ARENA_NEW(arena, TreeDef);
    *made = *tree;
    made->name = (Name){started_name(compilation, tree, def), def->name.span};
    made->made_of = &def->name;
    made->roles = def->role_params;
    made->is_family.items = def->param_is_family.items;
    made->is_family.count = made->is_family.capacity = def->param_is_family.count;
    made->protos.items = NULL;
    made->protos.count = made->protos.capacity = 0;
    made->defs.items = NULL;
    made->defs.count = made->defs.capacity = 0;
    *run = *def;
    run->name.text = "run";
    run->role_params = (NameList){0};
    run->param_is_family.count = run->param_is_family.capacity = 0;
    run->param_is_family.items = NULL;
    vector_push(arena, &made->defs, run);
    for (size_t i = 0; i < tree->defs.count; i++)
        if (tree->defs.items[i]->role_params.count > 0)
            vector_push(arena, &made->defs, tree->defs.items[i]);
    return made;
}
