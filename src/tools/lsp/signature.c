// signature.c: the parameters of the function whose arguments are being typed.

#include "tools/lsp/cursor.h"
#include "tools/lsp/known.h"

#include <string.h>

static json_t *help(const char *label, json_t *parameters, size_t argument)
{
    size_t count = json_array_size(parameters);
    return json_pack("{s:[{s:o, s:o}], s:i, s:I}", "signatures", "label", reply_text(label), "parameters", parameters,
                     "activeSignature", 0, "activeParameter",
                     (json_int_t)(count > 0 && argument >= count ? count - 1 : argument));
}

static const char *text_of(const Question *question, Span span)
{
    char *text = span_copy(question->arena, question->view->sources, span), *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        bool is_space = strchr(" \t\r\n", *at) != NULL;
        if (!is_space || (to > text && to[-1] != ' '))
            *to++ = is_space ? ' ' : *at;
    }
    *to = '\0';
    return text;
}

static json_t *help_def(const Question *question, const Symbol *callee, size_t argument)
{
    const TreeParamList *params = callee->kind == SYMBOL_DEF ? &callee->def->params : callee->param->params;
    json_t *parameters = json_array();
    Span head = callee->kind == SYMBOL_DEF ? callee->def->span : callee->param->span;
    if (callee->kind == SYMBOL_DEF && callee->def->body.span.start > head.start &&
        callee->def->body.span.start < head.end)
        head.end = callee->def->body.span.start;
    for (size_t i = 0; params != NULL && i < params->count; i++)
        reply_add(parameters, json_pack("{s:o}", "label", reply_text(text_of(question, params->items[i].span))));
    return help(text_of(question, head), parameters, argument);
}

static json_t *help_function(const Question *question, const Symbol *function, size_t argument)
{
    Known known;
    if (!known_of(question->document, question->block->tree->name.text, &known))
        return NULL;
    const RoleFunction *found = known_function(&known, function->role->name, function->name);
    const char *name = arena_printf(question->arena, "%s.%s", function->role->name, function->name);
    const char *label = found != NULL ? known_prototype(question->arena, &known, found, name) : NULL;
    if (label == NULL)
        return NULL;
    json_t *parameters = json_array();
    for (size_t i = 0; i < found->type->params.count; i++) {
        const char *given = i < found->type->names.count ? found->type->names.items[i] : "";
        char *one = arena_printf(question->arena, "%s%s%s", found->type->params.items[i]->before, given,
                                 found->type->params.items[i]->after);
        size_t length = strlen(one);
        if (given[0] == '\0' && length > 0 && one[length - 1] == ' ')
            one[length - 1] = '\0';
        reply_add(parameters, json_pack("{s:o}", "label", reply_text(one)));
    }
    return help(label, parameters, argument);
}

json_t *feature_signature(const Question *question)
{
    if (question->block == NULL)
        return NULL;
    Cursor cursor;
    cursor_at(question, &cursor);
    if (cursor.callee == NULL)
        return NULL;
    const SymbolList *roles = cursor.callee_roles.count > 0 ? &cursor.callee_roles : &cursor.roles;
    for (size_t i = 0; i < roles->count; i++) {
        const Symbol *owner = symbol_owner(roles->items[i]);
        if (owner->stands.count > 0)
            owner = owner->stands.items[0];
        const Symbol *function = index_find_function(question->block->index, owner, cursor.callee->text);
        if (function != NULL)
            return help_function(question, function, cursor.argument);
    }
    const Symbol *def =
        roles->count > 0 ? NULL : index_find_def(question->block->index, cursor.callee->text, cursor.callee->start);
    return def != NULL ? help_def(question, def, cursor.argument) : NULL;
}
