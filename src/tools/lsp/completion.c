// completion.c: what can be written here: roles, their variables and functions, choreographic functions, words of the language;
// in C, functions that a role still needs.

#define _GNU_SOURCE

#include "tools/lsp/cursor.h"
#include "tools/lsp/known.h"
#include "tools/lsp/missing.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_METHOD = 2, KIND_FUNCTION = 3, KIND_VARIABLE = 6, KIND_CLASS = 7, KIND_KEYWORD = 14, KIND_SNIPPET = 15 };

static json_t *item(const char *label, int kind, const char *detail)
{
    json_t *object = json_pack("{s:o, s:i}", "label", reply_text(label), "kind", kind);
    if (detail != NULL)
        reply_set(object, "detail", reply_text(detail));
    return object;
}

static bool is_one_of(const SymbolList *roles, const Symbol *role)
{
    for (size_t i = 0; i < roles->count; i++)
        if (symbol_owner(roles->items[i]) == role)
            return true;
    return false;
}

static void add_variables(const Question *question, const SymbolList *roles, json_t *items)
{
    const SymbolList *variables = &question->block->index->of_kind[SYMBOL_VARIABLE];
    const TreeDef *def = index_def(question->block->index, question->offset);
    Map seen;
    map_init(&seen, question->arena);
    for (size_t i = variables->count; i-- > 0;) {
        const Symbol *variable = variables->items[i];
        if (variable->def != def || def == NULL || !is_one_of(roles, variable->role) ||
            question->offset < variable->from || question->offset > variable->to || map_has(&seen, variable->name))
            continue;
        map_put(&seen, variable->name, &seen);
        reply_add(items, item(variable->name, KIND_VARIABLE, known_type(question, question->block, variable)));
    }
}

static void add_functions(const Question *question, const SymbolList *roles, json_t *items)
{
    const SymbolList *functions = &question->block->index->of_kind[SYMBOL_FUNCTION];
    Known known;
    bool is_known = known_of(question->document, question->block->tree->name.text, &known);
    Map seen;
    map_init(&seen, question->arena);
    for (size_t i = 0; i < functions->count; i++) {
        const Symbol *function = functions->items[i];
        bool is_theirs = is_one_of(roles, function->role);
        for (size_t k = 0; k < roles->count && !is_theirs; k++)
            for (size_t n = 0; n < roles->items[k]->stands.count; n++)
                is_theirs |= roles->items[k]->stands.items[n] == function->role;
        // The word that is being typed may look like a new function.
        bool is_here = function->span.start <= question->offset && question->offset <= function->span.end;
        if (!is_theirs || is_here || function->role == NULL || map_has(&seen, function->name))
            continue;
        map_put(&seen, function->name, &seen);
        const RoleFunction *found = is_known ? known_function(&known, function->role->name, function->name) : NULL;
        const char *name = arena_printf(question->arena, "%s_%s", function->role->name, function->name);
        reply_add(items, item(function->name, KIND_METHOD,
                              found != NULL ? known_prototype(question->arena, &known, found, name) : NULL));
    }
}

static void add_roles(const Question *question, json_t *items)
{
    static const SymbolKind kinds[] = {SYMBOL_ROLE, SYMBOL_ROLE_PARAM, SYMBOL_MEMBER};
    const TreeDef *def = index_def(question->block->index, question->offset);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const SymbolList *list = &question->block->index->of_kind[kinds[k]];
        for (size_t i = 0; i < list->count; i++) {
            const Symbol *role = list->items[i];
            if (role->name == NULL ||
                (role->kind != SYMBOL_ROLE &&
                 (role->def != def || question->offset < role->from || question->offset > role->to)))
                continue;
            reply_add(items, item(role->name, KIND_CLASS, role->is_family ? "a family of roles" : "a role"));
        }
    }
}

static void add_defs(const Question *question, json_t *items)
{
    static const SymbolKind kinds[] = {SYMBOL_DEF, SYMBOL_FUNCTION_PARAM};
    const TreeDef *def = index_def(question->block->index, question->offset);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const SymbolList *list = &question->block->index->of_kind[kinds[k]];
        for (size_t i = 0; i < list->count; i++)
            if (list->items[i]->kind == SYMBOL_DEF || list->items[i]->def == def)
                reply_add(items, item(list->items[i]->name, KIND_FUNCTION, "a choreographic function"));
    }
}

static void add_words(const Question *question, json_t *items)
{
    static const char *const inside[] = {"if",      "else",   "switch",     "case",   "default", "while",  "do",
                                         "for",     "return", "checkpoint", "rescue", "notify",  "within", "retry",
                                         "durable", "break",  "continue",   "par",    "agree"};
    static const char *const outside[] = {"def", "use"};
    bool is_inside = index_def(question->block->index, question->offset) != NULL;
    const char *const *words = is_inside ? inside : outside;
    size_t count = is_inside ? sizeof inside / sizeof *inside : sizeof outside / sizeof *outside;
    for (size_t i = 0; i < count; i++)
        reply_add(items, item(words[i], KIND_KEYWORD, NULL));
}

// ---- in C ----

static void add_stubs(const Question *question, json_t *items)
{
    const Source *source = question->view->source;
    uint32_t word = question->offset;
    while (word > 0 && lex_class(source->text[word - 1]) >= LEX_LETTER)
        word--;
    // Between functions only.
    int depth = 0;
    for (size_t i = 0; i < question->view->tokens.count && question->view->tokens.items[i].start < word; i++)
        depth += token_depth(&question->view->tokens.items[i]);
    if (depth != 0)
        return;
    MissingList missing = {0};
    missing_functions(question, &missing);
    for (size_t i = 0; i < missing.count; i++) {
        const Missing *one = &missing.items[i];
        if (one->play->include.end > word)
            continue;
        json_t *object = item(one->name, KIND_SNIPPET,
                              arena_printf(question->arena, "a function that %s provides", one->play->role));
        reply_set(object, "textEdit", reply_edit(&question->view->lines, word, question->offset, one->stub));
        reply_set(object, "filterText", reply_text(one->name));
        reply_add(items, object);
    }
}

json_t *feature_completion(const Question *question)
{
    json_t *items = json_array();
    if (question->block == NULL) {
        add_stubs(question, items);
    } else {
        Cursor cursor;
        cursor_at(question, &cursor);
        if (cursor.roles.count > 0) {
            add_variables(question, &cursor.roles, items);
            add_functions(question, &cursor.roles, items);
        }
        if (!cursor.is_behind_dot && !cursor.is_inside) {
            add_roles(question, items);
            add_defs(question, items);
            add_words(question, items);
        }
    }
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", items);
}
