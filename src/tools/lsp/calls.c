// calls.c: which choreographic functions call which.

#include "tools/lsp/features.h"

#include <string.h>

enum { KIND_FUNCTION = 12 };

static json_t *call_item(const View *view, const Block *block, const TreeDef *def)
{
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:{s:o}}", "name", reply_text(def->name.text), "kind",
                     KIND_FUNCTION, "detail", reply_text(block->tree->name.text != NULL ? block->tree->name.text : ""),
                     "uri", reply_text(view->uri), "range", reply_range(&view->lines, def->span.start, def->span.end),
                     "selectionRange", reply_range(&view->lines, def->name.span.start, def->name.span.end), "data",
                     "choreography", reply_text(block->tree->name.text != NULL ? block->tree->name.text : ""));
}

json_t *feature_prepare_calls(const Question *question)
{
    const Mention *mention;
    if (question->block == NULL || index_at(question->block->index, question->offset, &mention) == 0 ||
        mention->symbol->kind != SYMBOL_DEF)
        return NULL;
    return json_pack("[o]", call_item(question->view, question->block, mention->symbol->def));
}

// The item that was given before, in the text as it is now.
static const Block *find_item(Server *server, const json_t *params, const View **view, Symbol **def)
{
    const char *uri = reply_string(params, "item.uri"), *name = reply_string(params, "item.name");
    const char *choreography = reply_string(params, "item.data.choreography");
    Document *document = uri != NULL ? documents_find(&server->documents, uri) : NULL;
    if (document == NULL || name == NULL || choreography == NULL)
        return NULL;
    *view = document_view(document);
    const Block *block = view_block_named(*view, choreography);
    *def = block != NULL ? index_find_def(block->index, name, 0) : NULL;
    return *def != NULL ? block : NULL;
}

// The calls between two functions; NULL: there are none.
static json_t *call_ranges(const View *view, const Block *block, const TreeDef *caller, const Symbol *callee)
{
    json_t *ranges = NULL;
    for (size_t i = 0; i < block->index->calls.count; i++) {
        const CallSite *site = &block->index->calls.items[i];
        if (site->caller != caller || site->callee != callee)
            continue;
        if (ranges == NULL)
            ranges = json_array();
        reply_add(ranges, reply_range(&view->lines, site->call->function.span.start, site->call->function.span.end));
    }
    return ranges;
}

static json_t *calls(Server *server, const json_t *params, bool is_incoming)
{
    const View *view;
    Symbol *def;
    const Block *block = find_item(server, params, &view, &def);
    if (block == NULL)
        return NULL;
    json_t *array = json_array();
    const SymbolList *defs = &block->index->of_kind[SYMBOL_DEF];
    for (size_t i = 0; i < defs->count; i++) {
        const Symbol *other = defs->items[i];
        json_t *ranges =
            is_incoming ? call_ranges(view, block, other->def, def) : call_ranges(view, block, def->def, other);
        if (ranges != NULL)
            reply_add(array, json_pack("{s:o, s:o}", is_incoming ? "from" : "to", call_item(view, block, other->def),
                                       "fromRanges", ranges));
    }
    return array;
}

json_t *feature_incoming_calls(Server *server, Arena *arena, const json_t *params)
{
    (void)arena;
    return calls(server, params, true);
}

json_t *feature_outgoing_calls(Server *server, Arena *arena, const json_t *params)
{
    (void)arena;
    return calls(server, params, false);
}
