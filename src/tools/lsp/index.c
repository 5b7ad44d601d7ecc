// index.c: walks over a tree and notes who is mentioned where.

#include "tools/lsp/index.h"

#include "compiler/syntax/lex.h"
#include "tools/lsp/index_walk.h"

#include <stdlib.h>
#include <string.h>

// ---- symbols ----

Symbol *walk_symbol(Walk *walk, SymbolKind kind, const Name *name)
{
    Symbol *symbol = ARENA_NEW(walk->arena, Symbol);
    *symbol = (Symbol){.kind = kind, .name = name->text, .span = name->span, .def = walk->def, .to = UINT32_MAX};
    vector_push(walk->arena, &walk->index->symbols, symbol);
    vector_push(walk->arena, &walk->index->of_kind[kind], symbol);
    return symbol;
}

Mention *walk_mention(Walk *walk, Span span, Symbol *symbol)
{
    // Nothing of another file, and nothing that was put in by the parser.
    if (symbol == NULL || span.file != walk->index->tree->span.file || span.end <= span.start)
        return NULL;
    Mention mention = {.start = span.start, .end = span.end, .symbol = symbol};
    vector_push(walk->arena, &walk->index->mentions, mention);
    return &walk->index->mentions.items[walk->index->mentions.count - 1];
}

const Symbol *symbol_owner(const Symbol *role)
{
    return role->kind == SYMBOL_MEMBER && role->role != NULL ? role->role : role;
}

Symbol *index_find_function(const Index *index, const Symbol *role, const char *name)
{
    const SymbolList *functions = &index->of_kind[SYMBOL_FUNCTION];
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->role == role && strcmp(functions->items[i]->name, name) == 0)
            return functions->items[i];
    return NULL;
}

Symbol *index_find_def(const Index *index, const char *name, uint32_t offset)
{
    const TreeDef *def = index_def(index, offset);
    const SymbolList *params = &index->of_kind[SYMBOL_FUNCTION_PARAM], *defs = &index->of_kind[SYMBOL_DEF];
    for (size_t i = 0; def != NULL && i < params->count; i++)
        if (params->items[i]->def == def && strcmp(params->items[i]->name, name) == 0)
            return params->items[i];
    for (size_t i = 0; i < defs->count; i++)
        if (defs->items[i]->name != NULL && strcmp(defs->items[i]->name, name) == 0)
            return defs->items[i];
    return NULL;
}

Symbol *index_role(const Index *index, const char *name, uint32_t offset)
{
    static const SymbolKind kinds[] = {SYMBOL_MEMBER, SYMBOL_ROLE_PARAM, SYMBOL_ROLE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const SymbolList *list = &index->of_kind[kinds[k]];
        for (size_t i = list->count; i-- > 0;)
            if (list->items[i]->name != NULL && strcmp(list->items[i]->name, name) == 0 &&
                offset >= list->items[i]->from && offset <= list->items[i]->to)
                return list->items[i];
    }
    return NULL;
}

const TreeDef *index_def(const Index *index, uint32_t offset)
{
    for (size_t i = 0; i < index->tree->defs.count; i++) {
        const TreeDef *def = index->tree->defs.items[i];
        if (def->module == NULL && offset >= def->span.start && offset <= def->span.end)
            return def;
    }
    return NULL;
}

// ---- the block's head ----

static void walk_head(Walk *walk)
{
    const Tree *tree = walk->index->tree;
    if (tree->name.text != NULL)
        walk_mention(walk, tree->name.span, walk_symbol(walk, SYMBOL_CHOREOGRAPHY, &tree->name));
    for (size_t i = 0; i < tree->roles.count; i++) {
        Symbol *role = walk_symbol(walk, SYMBOL_ROLE, &tree->roles.items[i]);
        role->is_family = i < tree->is_family.count && tree->is_family.items[i];
        walk_mention(walk, role->span, role);
    }
    for (size_t i = 0; i < tree->uses.count; i++)
        walk_mention(walk, tree->uses.items[i].name.span, walk_symbol(walk, SYMBOL_USED, &tree->uses.items[i].name));
    for (size_t i = 0; i < tree->defs.count; i++)
        if (tree->defs.items[i]->module == NULL) {
            walk->def = tree->defs.items[i];
            walk_symbol(walk, SYMBOL_DEF, &walk->def->name);
        }
    walk->def = NULL;
}

static void walk_prototypes(Walk *walk)
{
    const Tree *tree = walk->index->tree;
    for (size_t i = 0; i < tree->protos.count; i++) {
        const TreeProto *proto = tree->protos.items[i];
        Symbol *role = walk_role(walk, &proto->role);
        if (role == NULL || proto->name.text == NULL)
            continue;
        Symbol *function = index_find_function(walk->index, role, proto->name.text);
        if (function == NULL) {
            function = walk_symbol(walk, SYMBOL_FUNCTION, &proto->name);
            function->role = role;
            function->proto = proto;
        }
        walk_mention(walk, proto->name.span, function);
    }
}

static void name_parameters(Walk *walk, const TreeDef *def)
{
    walk->def = def;
    for (size_t i = 0; i < def->role_params.count; i++) {
        Symbol *param = walk_symbol(walk, SYMBOL_ROLE_PARAM, &def->role_params.items[i]);
        param->is_family = i < def->param_is_family.count && def->param_is_family.items[i];
        param->from = def->span.start;
        param->to = def->span.end;
        walk_mention(walk, param->span, param);
    }
    for (size_t i = 0; i < def->params.count; i++) {
        const TreeParam *param = &def->params.items[i];
        if (!param->is_function || param->name.text == NULL)
            continue;
        Symbol *function = walk_symbol(walk, SYMBOL_FUNCTION_PARAM, &param->name);
        function->param = param;
        function->from = def->span.start;
        function->to = def->span.end;
        walk_mention(walk, param->name.span, function);
    }
    walk->def = NULL;
}

static int compare_mentions(const void *one_, const void *other_)
{
    const Mention *one = one_, *other = other_;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    if (one->end != other->end)
        return one->end < other->end ? -1 : 1;
    return one->symbol < other->symbol ? -1 : one->symbol > other->symbol;
}

Index *index_new(Arena *arena, const Sources *sources, const Tree *tree, const Map *known)
{
    Index *index = ARENA_NEW(arena, Index);
    *index = (Index){.arena = arena, .sources = sources, .tree = tree};
    Walk walk = {.arena = arena, .index = index, .known = known};
    walk_head(&walk);
    walk_prototypes(&walk);
    for (size_t i = 0; i < tree->defs.count; i++)
        if (tree->defs.items[i]->module == NULL)
            name_parameters(&walk, tree->defs.items[i]);
    walk_given(&walk);
    for (size_t i = 0; i < tree->defs.count; i++)
        if (tree->defs.items[i]->module == NULL)
            walk_def(&walk, tree->defs.items[i]);
    walk_bare_calls(&walk);
    if (index->mentions.count > 0)
        qsort(index->mentions.items, index->mentions.count, sizeof *index->mentions.items, compare_mentions);
    return index;
}

// ---- questions ----

size_t index_at(const Index *index, uint32_t offset, const Mention **first)
{
    size_t low = 0, high = index->mentions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->mentions.items[middle].end < offset)
            low = middle + 1;
        else
            high = middle;
    }
    // Of two that meet at the offset, the one that begins there.
    if (low < index->mentions.count && index->mentions.items[low].end == offset) {
        size_t next = low;
        while (next < index->mentions.count && index->mentions.items[next].end == offset)
            next++;
        if (next < index->mentions.count && index->mentions.items[next].start == offset)
            low = next;
    }
    if (low == index->mentions.count || index->mentions.items[low].start > offset)
        return 0;
    *first = &index->mentions.items[low];
    size_t count = 1;
    while (low + count < index->mentions.count && (*first)[count].start == (*first)->start)
        count++;
    return count;
}

bool symbols_have(const SymbolList *list, const Symbol *symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == symbol)
            return true;
    return false;
}

void index_same(Arena *arena, const Index *index, const Mention *mention, size_t count, SymbolList *list)
{
    for (size_t i = 0; i < count; i++)
        if (!symbols_have(list, mention[i].symbol))
            vector_push(arena, list, mention[i].symbol);
    for (size_t known = 0; known < list->count;) {
        known = list->count;
        for (size_t i = 0; i < index->mentions.count;) {
            size_t behind = i + 1;
            bool meets = symbols_have(list, index->mentions.items[i].symbol);
            for (; behind < index->mentions.count &&
                   index->mentions.items[behind].start == index->mentions.items[i].start;
                 behind++)
                meets |= symbols_have(list, index->mentions.items[behind].symbol);
            for (; i < behind; i++)
                if (meets && !symbols_have(list, index->mentions.items[i].symbol))
                    vector_push(arena, list, index->mentions.items[i].symbol);
        }
    }
}
