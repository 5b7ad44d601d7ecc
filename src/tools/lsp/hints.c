// hints.c: types that are inferred, and who is told of a choice, between the words of the block.

#include "tools/lsp/known.h"

#include <string.h>

enum { HINT_TYPE = 1, HINT_PARAMETER = 2, TEXT_MAX = 60 };

static void add_hint(const Question *question, json_t *array, uint32_t offset, const char *label, int kind)
{
    reply_add(array, json_pack("{s:o, s:o, s:i, s:b, s:b}", "position",
                               reply_place(lines_place(&question->view->lines, offset)), "label", reply_text(label),
                               "kind", kind, "paddingLeft", kind == HINT_PARAMETER, "paddingRight", kind == HINT_TYPE));
}

static void add_types(const Question *question, const Block *block, uint32_t from, uint32_t to, json_t *array)
{
    const SymbolList *variables = &block->index->of_kind[SYMBOL_VARIABLE];
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < variables->count; i++) {
        const Symbol *variable = variables->items[i];
        uint32_t start = variable->span.start;
        if (variable->type != NULL || start == last || start < from || start > to)
            continue;
        last = start;
        const CType *type = known_ctype(question, block, variable);
        // As it would be written: `Bob.int y`.
        if (type != NULL && strlen(type->spelling) < TEXT_MAX)
            add_hint(question, array, start, type->spelling, HINT_TYPE);
    }
}

// Behind the parenthesis of the condition, where `notify` would stand.
static uint32_t behind_condition(const Question *question, const Stmt *stmt)
{
    TokenList tokens = {0};
    lex_range(question->arena, question->view->source, stmt->expr->span.end,
              stmt->span.end > stmt->expr->span.end ? stmt->span.end : stmt->expr->span.end, &tokens);
    // In a `for`, the step follows.
    for (size_t i = 0, depth = 0; i < tokens.count; i++) {
        if (token_is(&tokens.items[i], "("))
            depth++;
        else if (token_is(&tokens.items[i], ")") && depth-- == 0)
            return tokens.items[i].end;
    }
    return stmt->expr->span.end;
}

static void add_told(const Question *question, const Block *block, uint32_t from, uint32_t to, json_t *array)
{
    Known known;
    if (!known_of(question->document, block->tree->name.text, &known) || known.knowledge == NULL)
        return;
    for (size_t i = 0; i < block->index->decisions.count; i++) {
        const Decision *decision = &block->index->decisions.items[i];
        if (decision->stmt->expr == NULL || decision->stmt->has_notify || decision->stmt->span.start > to ||
            decision->stmt->expr->span.end < from)
            continue;
        KnownNodeList nodes = {0};
        known_nodes(question, &known, decision, &nodes);
        for (size_t k = 0; k < nodes.count; k++) {
            const char *told = known_told(question->arena, &known, &nodes.items[k]);
            if (told[0] == '\0')
                continue;
            add_hint(question, array, behind_condition(question, decision->stmt),
                     arena_printf(question->arena, "tells %s", told), HINT_PARAMETER);
            break;
        }
    }
}

json_t *feature_hints(const Question *question)
{
    Place start, end;
    if (!reply_read_place(reply_member(question->params, "range.start"), &start) ||
        !reply_read_place(reply_member(question->params, "range.end"), &end))
        return NULL;
    uint32_t from = lines_offset(&question->view->lines, start), to = lines_offset(&question->view->lines, end);
    json_t *array = json_array();
    for (size_t i = 0; i < question->view->blocks.count; i++) {
        add_types(question, &question->view->blocks.items[i], from, to, array);
        add_told(question, &question->view->blocks.items[i], from, to, array);
    }
    return array;
}
