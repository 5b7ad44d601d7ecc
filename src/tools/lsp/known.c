// known.c: see known.h.

#define _GNU_SOURCE

#include "tools/lsp/known.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

bool known_of(const Document *document, const char *choreography, Known *known)
{
    const Analysis *analyses[] = {document->latest, document->good};
    for (size_t i = 0; choreography != NULL && i < 2; i++) {
        const Choreography *found = analysis_choreography(analyses[i], choreography);
        if (found == NULL || found->program == NULL || found->locals == NULL)
            continue;
        *known = (Known){analyses[i], found, found->program, found->knowledge};
        return true;
    }
    return false;
}

uint32_t known_offset(const Question *question, const Known *known, uint32_t offset)
{
    if (known->choreography->file->source != known->analysis->source)
        return OFFSET_NONE;
    return analysis_offset(known->analysis, question->view->source->text, question->view->source->size, offset);
}

// ---- variables ----

const CType *known_ctype(const Question *question, const Block *block, const Symbol *variable)
{
    Known known;
    if (!known_of(question->document, block->tree->name.text, &known))
        return NULL;
    uint32_t offset = known_offset(question, &known, variable->span.start);
    for (size_t i = 0; offset != OFFSET_NONE && i < known.program->instances.count; i++) {
        const VariableList *list = &known.program->instances.items[i]->variables;
        for (size_t k = 0; k < list->count; k++)
            if (list->items[k]->span.start == offset && strcmp(list->items[k]->name, variable->name) == 0 &&
                list->items[k]->type != NULL && list->items[k]->type->kind != CTYPE_INVALID)
                return list->items[k]->type;
    }
    return NULL;
}

static const char *plain_text(const Question *question, Span span)
{
    char *text = span_copy(question->arena, question->view->sources, span);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n' || *at == '\r' || *at == '\t')
            *at = ' ';
    return text;
}

const char *known_type(const Question *question, const Block *block, const Symbol *variable)
{
    const TypeText *type = variable->type;
    if (type == NULL) {
        const CType *inferred = known_ctype(question, block, variable);
        return inferred != NULL ? inferred->spelling : NULL;
    }
    const char *text = plain_text(question, type->before);
    for (size_t i = 0; i < type->sizes.count; i++)
        text = arena_printf(question->arena, "%s [%s]", text, plain_text(question, type->sizes.items[i].span));
    return text;
}

// ---- functions ----

const RoleFunction *known_function(const Known *known, const char *role, const char *name)
{
    for (size_t i = 0; i < known->program->functions.count; i++) {
        const RoleFunction *function = known->program->functions.items[i];
        if (strcmp(function->name, name) == 0 && strcmp(known->program->role_names[function->role], role) == 0)
            return function;
    }
    return NULL;
}

const char *known_prototype(Arena *arena, const Known *known, const RoleFunction *function, const char *name)
{
    (void)known;
    const CFunction *type = function->type;
    if (type == NULL || type->result == NULL)
        return NULL;
    Text text;
    text_init(&text, arena);
    text_printf(&text, "%s%s(", type->result->before, name);
    for (size_t i = 0; i < type->params.count; i++) {
        const char *given = i < type->names.count ? type->names.items[i] : "";
        text_printf(&text, "%s%s%s%s", i > 0 ? ", " : "", type->params.items[i]->before, given,
                    type->params.items[i]->after);
        if (given[0] == '\0' && text.length > 0 && text.chars[text.length - 1] == ' ')
            text.chars[--text.length] = '\0';
    }
    text_printf(&text, "%s)%s", type->params.count == 0 ? "void" : "", type->result->after);
    return text.chars;
}

// ---- statements ----

typedef struct {
    const Question *question;
    uint32_t start;
    const Instance *instance;
    KnownNodeList *list;
} Search;

static void search_nodes(Search *search, const NodeList *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        const Node *node = nodes->items[i];
        bool decides = node->kind == NODE_CHOICE || node->kind == NODE_LOOP || node->kind == NODE_CHECKPOINT;
        if (decides && node->span.start == search->start)
            vector_push(search->question->arena, search->list, ((KnownNode){node, search->instance}));
        search_nodes(search, &node->body);
        search_nodes(search, &node->step);
        search_nodes(search, &node->rescue);
        for (size_t k = 0; k < node->branches.count; k++)
            search_nodes(search, &node->branches.items[k].body);
    }
}

void known_nodes(const Question *question, const Known *known, const Decision *decision, KnownNodeList *list)
{
    Search search = {question, known_offset(question, known, decision->stmt->span.start), NULL, list};
    for (size_t i = 0; search.start != OFFSET_NONE && i < known->program->instances.count; i++) {
        search.instance = known->program->instances.items[i];
        if (search.instance->def != NULL && decision->def != NULL && search.instance->def->name.text != NULL &&
            strcmp(search.instance->def->name.text, decision->def->name.text) == 0)
            search_nodes(&search, &search.instance->body);
    }
}

const char *known_names(Arena *arena, const Known *known, const Instance *instance, const RoleSet *set)
{
    RoleSet roles = without_views(arena, known->program, set);
    size_t count = roleset_count(&roles), index = 0;
    Text text;
    text_init(&text, arena);
    for (ROLESET_EACH(role, &roles)) {
        text_printf(&text, "%s%s",
                    index == 0           ? ""
                    : index + 1 == count ? " and "
                                         : ", ",
                    instance != NULL ? role_in_code(known->program, instance, role) : known->program->role_names[role]);
        index++;
    }
    return text.chars;
}

const char *known_told(Arena *arena, const Known *known, const KnownNode *at)
{
    if (known->knowledge == NULL || at->node->kind == NODE_CHECKPOINT)
        return "";
    RoleSet told = roleset_copy(arena, &known->knowledge->told[at->node->site]);
    if (at->node->kind == NODE_CHOICE)
        for (ROLESET_EACH(role, &known->knowledge->told[at->node->site]))
            if (merge_find(&known->knowledge->merges[at->node->site], role) != NULL)
                roleset_remove(&told, role);
    return known_names(arena, known, at->instance, &told);
}

// ---- a role's part ----

static const Instance *instance_of(const LocalFunction *function)
{
    return function->instance;
}

const char *known_part(Arena *arena, const Known *known, const char *def, const char *role)
{
    RoleId id = choreography_role(known->choreography, role);
    if (id == ROLE_NONE)
        return NULL;
    const LocalProgram *local = known->choreography->locals[id];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < local->functions.count; i++) {
        const Instance *instance = instance_of(local->functions.items[i]);
        if (instance->def == NULL || instance->def->name.text == NULL || strcmp(instance->def->name.text, def) != 0)
            continue;
        if (count++ > 0)
            fputs("\n", out);
        dump_local_function(local, local->functions.items[i], out);
    }
    fclose(out);
    const char *copy = count > 0 ? arena_copy(arena, text, size) : NULL;
    free(text);
    return copy;
}
