// actions.c: quick fixes: what the compiler suggests, missing cases of a switch, missing functions of roles.

#include "base/text.h"
#include "tools/lsp/diagnosed.h"
#include "tools/lsp/known.h"
#include "tools/lsp/missing.h"

#include <string.h>

static json_t *action(const Question *question, const char *title, json_t *edits, json_t *diagnostic)
{
    json_t *changes = json_object();
    reply_set(changes, question->document->uri, edits);
    json_t *object =
        json_pack("{s:o, s:s, s:{s:o}}", "title", reply_text(title), "kind", "quickfix", "edit", "changes", changes);
    if (diagnostic != NULL)
        reply_set(object, "diagnostics", json_pack("[o]", diagnostic));
    return object;
}

static const char *capitalized(Arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    if (copy[0] >= 'a' && copy[0] <= 'z')
        copy[0] = (char)(copy[0] - 'a' + 'A');
    return copy;
}

// ---- what the compiler suggests ----

static void add_fixes(const Question *question, const Diagnostic *diagnostic, json_t *array)
{
    const Analysis *analysis = question->document->latest;
    const Source *source = question->view->source;
    for (size_t i = 0; i < diagnostic->fixes.count; i++) {
        const Fix *fix = &diagnostic->fixes.items[i];
        if (fix->span.file == FILE_NONE ||
            source_get(analysis->compilation->sources, fix->span.file) != analysis->source)
            continue;
        uint32_t start = analysis_shown(analysis, source->text, source->size, fix->span.start);
        uint32_t end = analysis_shown(analysis, source->text, source->size, fix->span.end);
        if (start == OFFSET_NONE || end == OFFSET_NONE || end < start)
            continue;
        json_t *edits = json_pack("[o]", reply_edit(&question->view->lines, start, end, fix->replacement));
        const char *title = capitalized(question->arena, fix->message);
        if (strncmp(title, "Did you mean ", 13) == 0)
            title = arena_printf(question->arena, "Write '%s'", fix->replacement);
        reply_add(array, action(question, title, edits,
                                diagnosed_json(question->arena, analysis, question->view, diagnostic)));
    }
}

// ---- functions of roles ----

static const char *behind_all(const Question *question, const char *stubs)
{
    const Source *source = question->view->source;
    bool ends_line = source->size == 0 || source->text[source->size - 1] == '\n';
    return arena_printf(question->arena, "%s\n%s", ends_line ? "" : "\n", stubs);
}

static json_t *writing(const Question *question, const char *title, const char *stubs, const Diagnostic *diagnostic)
{
    uint32_t end = question->view->source->size;
    json_t *edits = json_pack("[o]", reply_edit(&question->view->lines, end, end, behind_all(question, stubs)));
    return action(question, title, edits,
                  diagnosed_json(question->arena, question->document->latest, question->view, diagnostic));
}

static void add_missing(const Question *question, const Diagnostic *diagnostic, json_t *array)
{
    MissingList missing = {0};
    const Missing *wanted = NULL;
    missing_functions(question, &missing);
    for (size_t i = 0; i < missing.count && wanted == NULL; i++) {
        const char *start = arena_printf(question->arena, "'%s' is missing", missing.items[i].name);
        if (strncmp(diagnostic->message, start, strlen(start)) == 0)
            wanted = &missing.items[i];
    }
    if (wanted == NULL)
        return;
    reply_add(array,
              writing(question, arena_printf(question->arena, "Write '%s'", wanted->name), wanted->stub, diagnostic));
    Text all;
    text_init(&all, question->arena);
    size_t count = 0;
    for (size_t i = 0; i < missing.count; i++)
        if (missing.items[i].play == wanted->play)
            text_printf(&all, "%s%s", count++ > 0 ? "\n" : "", missing.items[i].stub);
    if (count > 1)
        reply_add(array, writing(question,
                                 arena_printf(question->arena, "Write all %zu functions that %s still needs", count,
                                              wanted->play->role),
                                 all.chars, diagnostic));
}

// ---- cases of a switch ----

static bool has_label(const Question *question, const Stmt *stmt, const char *constant)
{
    for (size_t i = 0; i < stmt->cases.count; i++)
        for (size_t k = 0; k < stmt->cases.items[i].labels.count; k++)
            if (strcmp(span_copy(question->arena, question->view->sources, stmt->cases.items[i].labels.items[k].span),
                       constant) == 0)
                return true;
    return false;
}

// The white space that a line begins with.
static const char *indentation(const Question *question, uint32_t offset)
{
    uint32_t start = question->view->lines.starts[lines_place(&question->view->lines, offset).line];
    const char *text = question->view->source->text + start;
    return arena_copy(question->arena, text, strspn(text, " \t"));
}

static void add_cases(const Question *question, const Block *block, const Decision *decision, json_t *array)
{
    const Stmt *stmt = decision->stmt;
    Known known;
    KnownNodeList nodes = {0};
    if (!known_of(question->document, block->tree->name.text, &known))
        return;
    known_nodes(question, &known, decision, &nodes);
    const CType *type =
        nodes.count > 0 && nodes.items[0].node->condition != NULL ? nodes.items[0].node->condition->type : NULL;
    if (type == NULL || type->kind != CTYPE_ENUM)
        return;
    uint32_t place = stmt->span.end - 1;
    for (size_t i = 0; i < stmt->cases.count; i++)
        if (stmt->cases.items[i].has_default)
            place = stmt->cases.items[i].span.start;
    uint32_t line = question->view->lines.starts[lines_place(&question->view->lines, place).line];
    const char *space = indentation(question, stmt->span.start);
    Text text;
    text_init(&text, question->arena);
    size_t count = 0;
    for (size_t i = 0; i < type->constants.count; i++)
        if (!has_label(question, stmt, type->constants.items[i])) {
            text_printf(&text, "%scase %s:\n%s    break;\n", space, type->constants.items[i], space);
            count++;
        }
    if (count > 0)
        reply_add(array,
                  action(question,
                         arena_printf(question->arena, "Add the %zu missing case%s", count, count == 1 ? "" : "s"),
                         json_pack("[o]", reply_edit(&question->view->lines, line, line, text.chars)), NULL));
}

static void add_all_cases(const Question *question, uint32_t from, json_t *array)
{
    const Block *block = view_block(question->view, from);
    const Decision *best = NULL;
    for (size_t i = 0; block != NULL && i < block->index->decisions.count; i++) {
        const Decision *decision = &block->index->decisions.items[i];
        if (decision->stmt->kind == STMT_SWITCH && from >= decision->stmt->span.start &&
            from < decision->stmt->span.end)
            best = decision; // the innermost comes last
    }
    if (best != NULL && best->stmt->span.end > best->stmt->span.start)
        add_cases(question, block, best, array);
}

static bool wants_quick_fixes(const Question *question)
{
    json_t *only = reply_member(question->params, "context.only"), *kind;
    size_t index;
    if (!json_is_array(only))
        return true;
    json_array_foreach(only, index, kind)
    {
        const char *name = json_string_value(kind);
        if (name != NULL && (name[0] == '\0' || strcmp(name, "quickfix") == 0))
            return true;
    }
    return false;
}

json_t *feature_actions(const Question *question)
{
    Place start, end;
    json_t *array = json_array();
    if (!reply_read_place(reply_member(question->params, "range.start"), &start) ||
        !reply_read_place(reply_member(question->params, "range.end"), &end) || !wants_quick_fixes(question))
        return array;
    uint32_t from = lines_offset(&question->view->lines, start), to = lines_offset(&question->view->lines, end);
    const Diagnostic *const *list;
    const Analysis *analysis = question->document->latest;
    size_t count = analysis != NULL ? diags_list(analysis->compilation->diags, &list) : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t first, last;
        if (!diagnosed_place(analysis, question->view, list[i], &first, &last) || first > to || last < from)
            continue;
        add_fixes(question, list[i], array);
        add_missing(question, list[i], array);
    }
    add_all_cases(question, from, array);
    return array;
}
