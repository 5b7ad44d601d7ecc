// symbols.c: the outline of a document, and what of it can be folded.

#include "tools/lsp/features.h"

#include <string.h>

enum { KIND_NAMESPACE = 3, KIND_CLASS = 5, KIND_METHOD = 6, KIND_FUNCTION = 12 };

static json_t *symbol(const View *view, const char *name, int kind, Span whole, Span own)
{
    // The name must lie inside of the whole.
    if (own.start < whole.start || own.end > whole.end)
        own = whole;
    return json_pack("{s:o, s:i, s:o, s:o, s:[]}", "name", reply_text(name), "kind", kind, "range",
                     reply_range(&view->lines, whole.start, whole.end), "selectionRange",
                     reply_range(&view->lines, own.start, own.end), "children");
}

static json_t *block_symbol(const View *view, const Block *block)
{
    const Tree *tree = block->tree;
    bool has_name = tree->name.text != NULL && tree->name.text[0] != '\0';
    json_t *object = symbol(view, has_name ? tree->name.text : "choreography", KIND_NAMESPACE, block->found->span,
                            has_name ? tree->name.span : block->found->span);
    json_t *children = json_object_get(object, "children");
    for (size_t i = 0; i < tree->roles.count; i++)
        reply_add(children, symbol(view, tree->roles.items[i].text, KIND_CLASS, tree->roles.items[i].span,
                                   tree->roles.items[i].span));
    for (size_t i = 0; i < tree->protos.count; i++) {
        const TreeProto *proto = tree->protos.items[i];
        char name[256];
        if (proto->role.text == NULL || proto->name.text == NULL)
            continue;
        snprintf(name, sizeof name, "%s.%s", proto->role.text, proto->name.text);
        reply_add(children, symbol(view, name, KIND_METHOD, proto->span, proto->name.span));
    }
    for (size_t i = 0; i < tree->defs.count; i++)
        if (tree->defs.items[i]->module == NULL && tree->defs.items[i]->name.text != NULL)
            reply_add(children, symbol(view, tree->defs.items[i]->name.text, KIND_FUNCTION, tree->defs.items[i]->span,
                                       tree->defs.items[i]->name.span));
    return object;
}

json_t *feature_symbols(const Question *question)
{
    json_t *array = json_array();
    for (size_t i = 0; i < question->view->blocks.count; i++)
        reply_add(array, block_symbol(question->view, &question->view->blocks.items[i]));
    return array;
}

// ---- folding ----

static void fold(const View *view, json_t *array, Span span)
{
    if (span.file == FILE_NONE || span.end <= span.start)
        return;
    Place start = lines_place(&view->lines, span.start), end = lines_place(&view->lines, span.end);
    // The closing bracket stays in sight.
    if (end.line > start.line + 1)
        reply_add(array,
                  json_pack("{s:I, s:I}", "startLine", (json_int_t)start.line, "endLine", (json_int_t)end.line - 1));
}

json_t *feature_folding(const Question *question)
{
    const View *view = question->view;
    json_t *array = json_array();
    for (size_t i = 0; i < view->blocks.count; i++) {
        const Block *block = &view->blocks.items[i];
        fold(view, array, block->found->span);
        for (size_t k = 0; k < block->tree->defs.count; k++)
            if (block->tree->defs.items[k]->module == NULL)
                fold(view, array, block->tree->defs.items[k]->span);
        for (size_t k = 0; k < block->index->decisions.count; k++) {
            const Stmt *stmt = block->index->decisions.items[k].stmt;
            fold(view, array, stmt->body.span);
            if (stmt->has_otherwise)
                fold(view, array, stmt->otherwise.span);
            for (size_t n = 0; n < stmt->cases.count; n++)
                fold(view, array, span_join(stmt->cases.items[n].span, stmt->cases.items[n].body.span));
            for (size_t n = 0; n < stmt->arms.count; n++)
                fold(view, array, stmt->arms.items[n].span);
        }
    }
    return array;
}
