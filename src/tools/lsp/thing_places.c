// thing_places.c: all places that are about a thing.

#define _GNU_SOURCE

#include "tools/lsp/thing.h"

#include <string.h>

typedef struct {
    const Question *question;
    const Thing *thing;
    ThingPlaceList *places;
} Collect;

static void add(const Collect *collect, ThingPlace place)
{
    vector_push(collect->question->arena, collect->places, place);
}

static void add_mentions(const Collect *collect)
{
    const Index *index = collect->thing->block->index;
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < index->mentions.count; i++) {
        const Mention *mention = &index->mentions.items[i];
        if (mention->start == last || !symbols_have(&collect->thing->symbols, mention->symbol))
            continue;
        last = mention->start;
        bool is_first = mention->symbol->span.start == mention->start;
        bool is_definition = is_first && (mention->symbol->kind != SYMBOL_FUNCTION || mention->symbol->proto != NULL);
        add(collect, (ThingPlace){collect->thing->view, mention->start, mention->end, mention->start, mention->end,
                                  is_definition, mention->binds, mention->is_field, false});
    }
}

// ---- C ----

static void add_token(const Collect *collect, const View *view, const Token *token, uint32_t part, uint32_t length)
{
    uint32_t end;
    ThingPlace place = {view,
                        token->start,
                        token->end,
                        token->start + part,
                        token->start + part + length,
                        view_is_definition(view, token, &end),
                        false,
                        false,
                        true};
    // A continued line makes a token longer than its text.
    if (token->end - token->start == strlen(token->text))
        add(collect, place);
}

static void add_functions(const Collect *collect, const View *view, const Play *play, const Symbol *function)
{
    size_t prefix = strlen(play->prefix);
    for (size_t i = 0; i < view->tokens.count; i++) {
        const Token *token = &view->tokens.items[i];
        if (token->kind == TOKEN_IDENTIFIER && strncmp(token->text, play->prefix, prefix) == 0 &&
            token->text[prefix] == '_' && strcmp(token->text + prefix + 1, function->name) == 0)
            add_token(collect, view, token, (uint32_t)prefix + 1, (uint32_t)strlen(function->name));
    }
}

// Is a longer definition's name meant: `run_all`, not `run`?
static bool is_other_def(const Index *index, const char *name, size_t length)
{
    const SymbolList *defs = &index->of_kind[SYMBOL_DEF];
    for (size_t i = 0; i < defs->count; i++) {
        size_t other = strlen(defs->items[i]->name);
        if (other > length && strncmp(name, defs->items[i]->name, other) == 0 &&
            (name[other] == '\0' || name[other] == '_'))
            return true;
    }
    return false;
}

// NAME_DEF and NAME_DEF_result.
static void add_entries(const Collect *collect, const View *view, const char *choreography, const char *def)
{
    size_t prefix = strlen(choreography), length = strlen(def);
    for (size_t i = 0; i < view->tokens.count; i++) {
        const Token *token = &view->tokens.items[i];
        if (token->kind != TOKEN_IDENTIFIER || strncmp(token->text, choreography, prefix) != 0 ||
            token->text[prefix] != '_' || strncmp(token->text + prefix + 1, def, length) != 0)
            continue;
        const char *rest = token->text + prefix + 1;
        if ((rest[length] == '\0' || rest[length] == '_') && !is_other_def(collect->thing->block->index, rest, length))
            add_token(collect, view, token, (uint32_t)prefix + 1, (uint32_t)length);
    }
}

static void add_include(const Collect *collect, const View *view, Span include, const char *text)
{
    const char *from = view->source->text + include.start;
    const char *found = memmem(from, include.end - include.start, text, strlen(text));
    if (found == NULL)
        return;
    // The name in "NAME.ROLE.chor.h": without the dots around a role.
    uint32_t start = (uint32_t)(found - view->source->text), end = start + (uint32_t)strlen(text);
    start += text[0] == '.' ? 1 : 0;
    end -= text[strlen(text) - 1] == '.' ? 1 : 0;
    add(collect, (ThingPlace){view, start, end, start, end, false, false, false, true});
}

// ROLE_f, NAME_ROLE, result.ROLE, and the companion.
static void add_role(const Collect *collect, const View *view, const char *choreography, const Symbol *role)
{
    Arena *arena = collect->question->arena;
    size_t length = strlen(role->name);
    const char *object = arena_printf(arena, "%s_%s", choreography, role->name);
    bool is_plain = false;
    for (size_t i = 0; i < view->plays.count; i++) {
        const Play *play = &view->plays.items[i];
        if (strcmp(play->choreography, choreography) != 0 || strcmp(play->role, role->name) != 0)
            continue;
        is_plain |= strcmp(play->prefix, role->name) == 0;
        add_include(collect, view, play->include, arena_printf(arena, ".%s.", role->name));
    }
    for (size_t i = 0; i < view->tokens.count; i++) {
        const Token *token = &view->tokens.items[i];
        if (token->kind != TOKEN_IDENTIFIER)
            continue;
        bool is_field = strcmp(token->text, role->name) == 0 && i > 0 &&
                        (token_is(&view->tokens.items[i - 1], ".") || token_is(&view->tokens.items[i - 1], "->"));
        if (is_field)
            add_token(collect, view, token, 0, (uint32_t)length);
        else if (strcmp(token->text, object) == 0)
            add_token(collect, view, token, (uint32_t)strlen(choreography) + 1, (uint32_t)length);
        else if (is_plain && strncmp(token->text, role->name, length) == 0 && token->text[length] == '_' &&
                 index_find_function(collect->thing->block->index, role, token->text + length + 1) != NULL)
            add_token(collect, view, token, 0, (uint32_t)length);
    }
}

// NAME_anything, and the companions.
static void add_choreography(const Collect *collect, const View *view, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < view->found.includes.count; i++) {
        const FoundInclude *include = &view->found.includes.items[i];
        const char *slash = strrchr(include->path, '/'), *base = slash != NULL ? slash + 1 : include->path;
        if (view_is_companion(base) && strncmp(base, name, length) == 0 && base[length] == '.')
            add_include(collect, view, include->span, arena_printf(collect->question->arena, "%s.", name));
    }
    for (size_t i = 0; i < view->tokens.count; i++) {
        const Token *token = &view->tokens.items[i];
        if (token->kind == TOKEN_IDENTIFIER && strncmp(token->text, name, length) == 0 && token->text[length] == '_')
            add_token(collect, view, token, 0, (uint32_t)length);
    }
}

// ---- other blocks ----

static void add_uses(const Collect *collect, const View *view, const char *choreography, const char *def)
{
    size_t length = strlen(choreography);
    for (size_t i = 0; i < view->blocks.count; i++) {
        const Index *index = view->blocks.items[i].index;
        for (size_t k = 0; k < index->mentions.count; k++) {
            const Mention *mention = &index->mentions.items[k];
            const char *name = mention->symbol->name;
            if (mention->symbol->kind != SYMBOL_USED || strncmp(name, choreography, length) != 0)
                continue;
            ThingPlace place = {.view = view, .start = mention->start, .end = mention->end};
            place.part_start = mention->start;
            place.part_end = mention->start + (uint32_t)length;
            bool is_wanted = def == NULL ? name[length] == '\0' || name[length] == '.'
                                         : name[length] == '.' && strcmp(name + length + 1, def) == 0;
            if (def != NULL) {
                place.part_start = mention->end - (uint32_t)strlen(def);
                place.part_end = mention->end;
            }
            if (is_wanted)
                add(collect, place);
        }
    }
}

static bool has_to_do(const View *view, const char *choreography)
{
    if (view_block_named(view, choreography) != NULL)
        return true;
    size_t length = strlen(choreography);
    for (size_t i = 0; i < view->found.includes.count; i++) {
        const char *path = view->found.includes.items[i].path;
        const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
        if (view_is_companion(base) && strncmp(base, choreography, length) == 0 && base[length] == '.')
            return true;
    }
    return false;
}

static void add_outside(const Collect *collect, const View *view)
{
    const Thing *thing = collect->thing;
    const char *choreography = thing->block->tree->name.text;
    const Symbol *first = thing->symbols.items[0];
    if (thing->kind == SYMBOL_DEF || thing->kind == SYMBOL_CHOREOGRAPHY)
        add_uses(collect, view, choreography, thing->kind == SYMBOL_DEF ? first->name : NULL);
    if (!has_to_do(view, choreography))
        return;
    if (thing->kind == SYMBOL_DEF)
        add_entries(collect, view, choreography, first->name);
    if (thing->kind == SYMBOL_CHOREOGRAPHY)
        add_choreography(collect, view, choreography);
    if (thing->kind == SYMBOL_ROLE)
        add_role(collect, view, choreography, first);
    for (size_t i = 0; thing->kind == SYMBOL_FUNCTION && i < thing->symbols.count; i++) {
        const Symbol *function = thing->symbols.items[i];
        for (size_t k = 0; k < view->plays.count; k++)
            if (strcmp(view->plays.items[k].choreography, choreography) == 0 && function->role != NULL &&
                strcmp(view->plays.items[k].role, function->role->name) == 0)
                add_functions(collect, view, &view->plays.items[k], function);
    }
}

void thing_places(const Question *question, const Thing *thing, ThingPlaceList *places)
{
    Collect collect = {question, thing, places};
    add_mentions(&collect);
    bool is_outside = thing->kind == SYMBOL_ROLE || thing->kind == SYMBOL_FUNCTION || thing->kind == SYMBOL_DEF ||
                      thing->kind == SYMBOL_CHOREOGRAPHY;
    if (!is_outside || thing->block->tree->name.text == NULL)
        return;
    ViewList views = {0};
    related_views(question, &views);
    for (size_t i = 0; i < views.count; i++)
        add_outside(&collect, views.items[i]);
}
