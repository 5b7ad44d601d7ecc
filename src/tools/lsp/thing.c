// thing.c: what a place is about.

#include "tools/lsp/thing.h"

#include <string.h>

static void take_symbol(const Question *question, Thing *thing, const View *view, const Block *block, Symbol *symbol)
{
    thing->kind = symbol->kind;
    thing->view = view;
    thing->block = block;
    for (size_t i = 0; i < block->index->mentions.count; i++)
        if (block->index->mentions.items[i].symbol == symbol) {
            index_same(question->arena, block->index, &block->index->mentions.items[i], 1, &thing->symbols);
            return;
        }
    vector_push(question->arena, &thing->symbols, symbol);
}

// "ot", or "ot.transfer" of the choreography `ot`.
static bool take_used(const Question *question, const char *name, Thing *thing)
{
    ViewList views = {0};
    related_views(question, &views);
    size_t length = strcspn(name, ".");
    const char *choreography = arena_copy(question->arena, name, length);
    for (size_t i = 0; i < views.count; i++) {
        const Block *block = view_block_named(views.items[i], choreography);
        if (block == NULL)
            continue;
        Symbol *symbol = name[length] == '\0' ? block->index->of_kind[SYMBOL_CHOREOGRAPHY].items[0]
                                              : index_find_def(block->index, name + length + 1, 0);
        if (symbol == NULL)
            continue;
        take_symbol(question, thing, views.items[i], block, symbol);
        return true;
    }
    return false;
}

// A function of a role, by its name in C.
static bool take_function(const Question *question, const ViewList *views, const Play *play, const char *name,
                          Thing *thing)
{
    size_t prefix = strlen(play->prefix);
    if (strncmp(name, play->prefix, prefix) != 0 || name[prefix] != '_')
        return false;
    for (size_t i = 0; i < views->count; i++) {
        const Block *block = view_block_named(views->items[i], play->choreography);
        const Symbol *role = block == NULL ? NULL : index_role(block->index, play->role, 0);
        Symbol *function = role == NULL ? NULL : index_find_function(block->index, role, name + prefix + 1);
        if (function == NULL)
            continue;
        take_symbol(question, thing, views->items[i], block, function);
        return true;
    }
    return false;
}

// NAME_DEF, which starts a choreography.
static bool take_entry(const Question *question, const ViewList *views, const char *name, Thing *thing)
{
    for (size_t i = 0; i < views->count; i++)
        for (size_t k = 0; k < views->items[i]->blocks.count; k++) {
            const Block *block = &views->items[i]->blocks.items[k];
            size_t length = block->tree->name.text == NULL ? 0 : strlen(block->tree->name.text);
            if (length == 0 || strncmp(name, block->tree->name.text, length) != 0 || name[length] != '_')
                continue;
            Symbol *def = index_find_def(block->index, name + length + 1, 0);
            if (def == NULL)
                continue;
            take_symbol(question, thing, views->items[i], block, def);
            return true;
        }
    return false;
}

static bool thing_in_c(const Question *question, Thing *thing)
{
    const Token *token = view_c_token(question->view, question->offset);
    if (token == NULL)
        return false;
    thing->start = token->start;
    thing->end = token->end;
    // Most names in C are none of our business: find that out before other files are read.
    bool may_be_ours = question->view->blocks.count > 0;
    for (size_t i = 0; i < question->view->found.includes.count; i++)
        may_be_ours |= view_is_companion(question->view->found.includes.items[i].path);
    if (!may_be_ours || strchr(token->text, '_') == NULL)
        return false;
    ViewList views = {0};
    related_views(question, &views);
    for (size_t i = 0; i < question->view->plays.count; i++)
        if (take_function(question, &views, &question->view->plays.items[i], token->text, thing))
            return true;
    return take_entry(question, &views, token->text, thing);
}

bool thing_at(const Question *question, Thing *thing)
{
    *thing = (Thing){0};
    if (question->block == NULL)
        return thing_in_c(question, thing);
    const Mention *mention;
    size_t count = index_at(question->block->index, question->offset, &mention);
    if (count == 0)
        return false;
    thing->start = mention->start;
    thing->end = mention->end;
    if (mention->symbol->kind == SYMBOL_USED && take_used(question, mention->symbol->name, thing))
        return true;
    thing->kind = mention->symbol->kind;
    thing->view = question->view;
    thing->block = question->block;
    index_same(question->arena, question->block->index, mention, count, &thing->symbols);
    return true;
}
