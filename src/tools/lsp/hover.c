// hover.c: what a name means, who is told of a choice and why, who takes part in a checkpoint.

#include "base/text.h"
#include "tools/lsp/known.h"

#include <string.h>

static json_t *shown(const Question *question, const char *text, uint32_t start, uint32_t end)
{
    return json_pack("{s:o, s:o}", "contents", reply_markdown(text), "range",
                     reply_range(&question->view->lines, start, end));
}

static const char *one_line(const Question *question, uint32_t start, uint32_t end)
{
    Text text;
    text_init(&text, question->arena);
    TokenList tokens = {0};
    lex_range(question->arena, question->view->source, start, end, &tokens);
    uint32_t behind = start;
    for (size_t i = 0; i < tokens.count && tokens.items[i].kind != TOKEN_END; i++) {
        const Token *token = &tokens.items[i];
        text_puts(&text, token->start > behind && text.length > 0 ? " " : "");
        text_add(&text, question->view->source->text + token->start, token->end - token->start);
        behind = token->end;
    }
    return text.chars;
}

// ---- names ----

static const char *owners(const Question *question, const Mention *mention, size_t count)
{
    Text text;
    text_init(&text, question->arena);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "%s%s",
                    i == 0           ? ""
                    : i + 1 == count ? " and "
                                     : ", ",
                    mention[i].symbol->role != NULL ? mention[i].symbol->role->name : "?");
    return text.chars;
}

static void hover_variable(const Question *question, const Mention *mention, size_t count, Text *text)
{
    const Symbol *variable = mention->symbol;
    const char *type = known_type(question, question->block, variable);
    Place place = lines_place(&question->view->lines, variable->span.start);
    if (type != NULL)
        text_printf(text, "```c\n%s %s\n```\n", type, variable->name);
    text_printf(text, "`%s`: %s of **%s**%s, line %u%s", variable->name,
                variable->is_param ? "a parameter" : "a variable", owners(question, mention, count),
                count > 1 ? ", who agree on it" : "", place.line + 1,
                type == NULL             ? ". Its type is not known while there are errors"
                : variable->type == NULL ? ". Its type is inferred"
                                         : "");
}

static void hover_role(const Question *question, const Symbol *role, Text *text)
{
    const TreeDef *def = index_def(question->block->index, question->offset);
    const Symbol *owner = symbol_owner(role);
    Known known;
    if (role->kind == SYMBOL_ROLE_PARAM) {
        text_printf(text, "`%s`: a role parameter of `%s`", role->name, def != NULL ? def->name.text : "");
        for (size_t i = 0; i < role->stands.count; i++)
            text_printf(text, "%s%s", i == 0 ? ", which stands for " : ", ", role->stands.items[i]->name);
        text_puts(text, "\n\n");
        owner = role->stands.count > 0 ? role->stands.items[0] : NULL;
    } else {
        text_printf(text, "`%s`: %s\n\n", role->name,
                    role->kind == SYMBOL_MEMBER ? "a member of a family of roles"
                    : role->is_family           ? "a family of roles"
                                                : "a role");
    }
    if (owner == NULL || !known_of(question->document, question->block->tree->name.text, &known))
        return;
    if (def == NULL) {
        RoleId id = choreography_role(known.choreography, owner->name);
        const LocalProgram *local = id != ROLE_NONE ? known.choreography->locals[id] : NULL;
        if (local != NULL)
            text_printf(text, "Sends to: %s. Receives from: %s.",
                        known_names(question->arena, &known, NULL, &local->sends_to),
                        known_names(question->arena, &known, NULL, &local->receives_from));
        return;
    }
    const char *part = known_part(question->arena, &known, def->name.text, owner->name);
    if (part != NULL)
        text_printf(text, "%s's part of `%s`:\n\n```\n%s```\n", owner->name, def->name.text, part);
    else
        text_printf(text, "%s has no part in `%s`.", owner->name, def->name.text);
}

static void hover_function(const Question *question, const Symbol *function, Text *text)
{
    Known known;
    const char *role = function->role != NULL ? function->role->name : "?";
    const RoleFunction *found = known_of(question->document, question->block->tree->name.text, &known)
                                    ? known_function(&known, role, function->name)
                                    : NULL;
    const char *name = arena_printf(question->arena, "%s_%s", role, function->name);
    const char *prototype = found != NULL ? known_prototype(question->arena, &known, found, name) : NULL;
    if (prototype != NULL)
        text_printf(text, "```c\n%s\n```\n", prototype);
    text_printf(text, "`%s.%s`: a function that %s provides, in C `%s`%s", role, function->name, role, name,
                function->proto != NULL ? "" : ". Its type comes from its uses");
}

static void hover_def(const Question *question, const Symbol *def, Text *text)
{
    if (def->kind == SYMBOL_FUNCTION_PARAM) {
        text_printf(text, "```c\n%s\n```\n`%s`: a function parameter",
                    one_line(question, def->param->span.start, def->param->span.end), def->name);
        return;
    }
    uint32_t end = def->def->body.span.start;
    if (end <= def->def->span.start || end > def->def->span.end)
        end = def->def->span.end;
    text_printf(text, "```c\n%s\n```\n", one_line(question, def->def->span.start, end));
    Known known;
    if (!known_of(question->document, question->block->tree->name.text, &known) || known.knowledge == NULL)
        return;
    for (size_t i = 0; i < known.program->instances.count; i++) {
        const Instance *instance = known.program->instances.items[i];
        if (instance->def != NULL && instance->def->name.text != NULL &&
            strcmp(instance->def->name.text, def->name) == 0) {
            text_printf(text, "Part in it have %s%s.",
                        known_names(question->arena, &known, instance, &known.knowledge->part[instance->id]),
                        instance->is_entry
                            ? arena_printf(question->arena, "; C starts it as `%s_%s`", known.program->name, def->name)
                            : "");
            return;
        }
    }
}

static json_t *hover_mention(const Question *question, const Mention *mention, size_t count)
{
    Text text;
    text_init(&text, question->arena);
    const Symbol *symbol = mention->symbol;
    switch (symbol->kind) {
    case SYMBOL_VARIABLE:
        hover_variable(question, mention, count, &text);
        break;
    case SYMBOL_ROLE:
    case SYMBOL_ROLE_PARAM:
    case SYMBOL_MEMBER:
        hover_role(question, symbol, &text);
        break;
    case SYMBOL_FUNCTION:
        hover_function(question, symbol, &text);
        break;
    case SYMBOL_DEF:
    case SYMBOL_FUNCTION_PARAM:
        hover_def(question, symbol, &text);
        break;
    case SYMBOL_CHOREOGRAPHY:
        text_printf(&text, "`%s`: a choreography", symbol->name);
        break;
    case SYMBOL_USED:
        text_printf(&text, "`%s`: of another choreography", symbol->name);
        break;
    }
    return shown(question, text.chars, mention->start, mention->end);
}

// ---- choices and checkpoints ----

static const Node *first_of(const Known *known, const NodeList *list, RoleId role)
{
    for (size_t i = 0; i < list->count; i++)
        if (roleset_has(&known->knowledge->acting[list->items[i]->site], role))
            return list->items[i];
    return NULL;
}

static void put_way(const Question *question, const Known *known, const NodeList *list, RoleId role, const char *where,
                    Text *text)
{
    const Node *node = first_of(known, list, role);
    if (node == NULL) {
        text_printf(text, " %s it does nothing;", where);
        return;
    }
    Position position = span_position(known->analysis->compilation->sources, node->span);
    (void)question;
    text_printf(text, " %s it begins with line %u;", where, position.line);
}

static void put_why(const Question *question, const Known *known, const KnownNode *at, RoleId role, Text *text)
{
    const Node *node = at->node;
    if (node->kind == NODE_LOOP) {
        put_way(question, known, &node->body, role, "in the loop", text);
        text_puts(text, " when the loop is over, it goes on behind it");
        return;
    }
    for (size_t i = 0; i < node->branches.count && i < 4; i++) {
        Position position = span_position(known->analysis->compilation->sources, node->branches.items[i].span);
        const char *where = node->branches.items[i].is_implied ? "otherwise"
                            : position.line > 0
                                ? arena_printf(question->arena, "in the branch of line %u", position.line)
                                : "in another branch";
        put_way(question, known, &node->branches.items[i].body, role, where, text);
    }
    if (text->length > 0 && text->chars[text->length - 1] == ';')
        text->chars[--text->length] = '\0';
}

static void put_roles(const Question *question, const Known *known, const KnownNode *at, Text *text)
{
    const Program *program = known->program;
    RoleSet told = without_views(question->arena, program, &known->knowledge->told[at->node->site]);
    const MergeList *merges = at->node->kind == NODE_CHOICE ? &known->knowledge->merges[at->node->site] : NULL;
    for (ROLESET_EACH(role, &told)) {
        const char *name = role_in_code(program, at->instance, role);
        if (merges != NULL && merge_find(merges, role) != NULL) {
            text_printf(text, "- **%s** finds out by what arrives next\n", name);
            continue;
        }
        text_printf(text, "- **%s** is told:", name);
        put_why(question, known, at, role, text);
        text_puts(text, "\n");
    }
    if (roleset_empty(&told))
        text_puts(text, "- nobody else has to know\n");
    if (at->node->kind != NODE_CHOICE)
        return;
    RoleSet unaware = without_views(question->arena, program, &known->knowledge->unaware[at->node->site]);
    for (ROLESET_EACH(role, &unaware))
        text_printf(text, "- **%s** need not know: it does the same in all branches\n",
                    role_in_code(program, at->instance, role));
}

static void put_decision(const Question *question, const Known *known, const KnownNode *at, Text *text)
{
    const Node *node = at->node;
    if (node->kind == NODE_CHECKPOINT) {
        text_printf(text, "%s: **%s** take%s part\n\n", node->is_durable ? "A durable checkpoint" : "A checkpoint",
                    known_names(question->arena, known, at->instance, &known->knowledge->participants[node->site]),
                    roleset_count(&known->knowledge->participants[node->site]) == 1 ? "s" : "");
        return;
    }
    if (node->condition == NULL)
        return;
    text_printf(text, "%s decide%s:\n\n", known_names(question->arena, known, at->instance, &node->deciders),
                roleset_count(&node->deciders) == 1 ? "s" : "");
    put_roles(question, known, at, text);
    text_puts(text, "\n");
}

// Is the place on the word that begins the statement?
static const Decision *decision_at(const Question *question)
{
    const Index *index = question->block->index;
    for (size_t i = 0; i < index->decisions.count; i++) {
        const Stmt *stmt = index->decisions.items[i].stmt;
        uint32_t start = stmt->span.start;
        uint32_t end = lex_word(question->view->source->text, start, question->view->source->size);
        // `durable checkpoint`: both words.
        uint32_t next = end + (uint32_t)strspn(question->view->source->text + end, " \t\r\n");
        if (stmt->kind == STMT_CHECKPOINT && stmt->is_durable)
            end = lex_word(question->view->source->text, next, question->view->source->size);
        if (question->offset >= start && question->offset <= end && end > start)
            return &index->decisions.items[i];
    }
    return NULL;
}

static json_t *hover_decision(const Question *question, const Decision *decision)
{
    Known known;
    KnownNodeList nodes = {0};
    if (!known_of(question->document, question->block->tree->name.text, &known) || known.knowledge == NULL)
        return NULL;
    known_nodes(question, &known, decision, &nodes);
    Text text;
    text_init(&text, question->arena);
    for (size_t i = 0; i < nodes.count; i++) {
        // Of several instances of a function, each is named.
        bool is_new = i == 0 || nodes.items[i].instance != nodes.items[i - 1].instance;
        if (is_new && nodes.items[nodes.count - 1].instance != nodes.items[0].instance)
            text_printf(&text, "In `%s`: ", nodes.items[i].instance->name);
        put_decision(question, &known, &nodes.items[i], &text);
    }
    if (text.length == 0)
        return NULL;
    uint32_t start = decision->stmt->span.start;
    return shown(question, text.chars, start,
                 lex_word(question->view->source->text, start, question->view->source->size));
}

json_t *feature_hover(const Question *question)
{
    if (question->block == NULL)
        return NULL;
    const Mention *mention;
    size_t count = index_at(question->block->index, question->offset, &mention);
    if (count > 0)
        return hover_mention(question, mention, count);
    const Decision *decision = decision_at(question);
    return decision != NULL ? hover_decision(question, decision) : NULL;
}
