// rename.c: another name for a role, a variable, a function or a choreography, in all files that mention it.

#include "tools/lsp/thing.h"

#include <string.h>

static bool can_be_renamed(const Thing *thing)
{
    // The words of files that can't be read would be left behind.
    return thing->kind != SYMBOL_USED;
}

json_t *feature_prepare_rename(const Question *question)
{
    Thing thing;
    if (!thing_at(question, &thing) || !can_be_renamed(&thing))
        return NULL;
    ThingPlaceList places = {0};
    thing_places(question, &thing, &places);
    for (size_t i = 0; i < places.count; i++) {
        const ThingPlace *place = &places.items[i];
        if (place->view == question->view && place->start == thing.start)
            return json_pack("{s:o, s:o}", "range",
                             reply_range(&question->view->lines, place->part_start, place->part_end), "placeholder",
                             reply_text(thing.symbols.items[0]->name));
    }
    return NULL;
}

static bool is_name(Arena *arena, const char *name)
{
    Sources *sources = sources_new(arena);
    const Source *source = source_add(sources, "", name, strlen(name));
    TokenList tokens = {0};
    lex_range(arena, source, 0, source->size, &tokens);
    return tokens.count == 2 && tokens.items[0].kind == TOKEN_IDENTIFIER && tokens.items[0].end == source->size &&
           !token_is_keyword(&tokens.items[0]);
}

// What would then have the same name; NULL: nothing.
static const Symbol *find_clash(const Thing *thing, const char *name)
{
    const Index *index = thing->block->index;
    for (size_t i = 0; i < index->symbols.count; i++) {
        const Symbol *other = index->symbols.items[i];
        if (other->name == NULL || strcmp(other->name, name) != 0 || symbols_have(&thing->symbols, other))
            continue;
        for (size_t k = 0; k < thing->symbols.count; k++) {
            const Symbol *own = thing->symbols.items[k];
            bool are_roles = own->kind >= SYMBOL_ROLE && own->kind <= SYMBOL_MEMBER && other->kind >= SYMBOL_ROLE &&
                             other->kind <= SYMBOL_MEMBER;
            bool are_defs = (own->kind == SYMBOL_DEF || own->kind == SYMBOL_FUNCTION_PARAM) &&
                            (other->kind == SYMBOL_DEF || other->kind == SYMBOL_FUNCTION_PARAM);
            bool have_one_role = own->kind == other->kind && own->role == other->role;
            bool meet = own->from <= other->to && other->from <= own->to && (own->def == other->def);
            if (are_roles || are_defs || (own->kind == SYMBOL_FUNCTION && have_one_role) ||
                (own->kind == SYMBOL_VARIABLE && have_one_role && meet))
                return other;
        }
    }
    return NULL;
}

static void add_edit(const Question *question, json_t *changes, const ThingPlace *place, const char *name)
{
    json_t *edits = json_object_get(changes, place->view->uri);
    if (edits == NULL) {
        edits = json_array();
        reply_set(changes, place->view->uri, edits);
    }
    // `.x` takes the field x into the variable x: the field keeps its name.
    const char *text = !place->is_field ? name
                                        : arena_printf(question->arena, "%.*s = %s", (int)(place->end - place->start),
                                                       place->view->source->text + place->start, name);
    reply_add(edits, reply_edit(&place->view->lines, place->part_start, place->part_end, text));
}

// A string is what is wrong with the new name.
json_t *feature_rename(const Question *question)
{
    const char *name = reply_string(question->params, "newName");
    Thing thing;
    if (name == NULL || !is_name(question->arena, name))
        return reply_text("the new name must be a name in C");
    if (!thing_at(question, &thing) || !can_be_renamed(&thing))
        return reply_text("there is nothing here that can be renamed");
    const Symbol *clash = find_clash(&thing, name);
    if (clash != NULL) {
        Place place = lines_place(&thing.view->lines, clash->span.start);
        return reply_text(
            arena_printf(question->arena, "there is another '%s' already, in line %u", name, place.line + 1));
    }
    ThingPlaceList places = {0};
    thing_places(question, &thing, &places);
    json_t *changes = json_object();
    for (size_t i = 0; i < places.count; i++)
        add_edit(question, changes, &places.items[i], name);
    return json_pack("{s:o}", "changes", changes);
}
