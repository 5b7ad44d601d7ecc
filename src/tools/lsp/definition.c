// definition.c: from a name to where it comes from, and to all places that mention it.

#include "tools/lsp/thing.h"

#include <string.h>

static json_t *locations(const ThingPlaceList *places, bool (*wants)(const ThingPlace *place))
{
    json_t *array = json_array();
    for (size_t i = 0; i < places->count; i++)
        if (wants == NULL || wants(&places->items[i]))
            reply_add(array, reply_location(places->items[i].view, places->items[i].start, places->items[i].end));
    return array;
}

static bool is_c_definition(const ThingPlace *place)
{
    return place->is_c && place->is_definition;
}

static bool is_own_definition(const ThingPlace *place)
{
    return !place->is_c && place->is_definition;
}

static bool is_in_block(const ThingPlace *place)
{
    return !place->is_c;
}

json_t *feature_definition(const Question *question)
{
    Thing thing;
    ThingPlaceList places = {0};
    if (!thing_at(question, &thing))
        return NULL;
    thing_places(question, &thing, &places);
    // A role's function is defined in C; from there it leads back, to its prototype, else to where it is used.
    if (thing.kind == SYMBOL_FUNCTION && question->block != NULL) {
        json_t *found = locations(&places, is_c_definition);
        if (json_array_size(found) > 0)
            return found;
        json_decref(found);
    }
    json_t *found = locations(&places, is_own_definition);
    if (json_array_size(found) > 0 || thing.kind != SYMBOL_FUNCTION)
        return found;
    json_decref(found);
    return locations(&places, is_in_block);
}

json_t *feature_references(const Question *question)
{
    Thing thing;
    ThingPlaceList places = {0};
    if (!thing_at(question, &thing))
        return NULL;
    thing_places(question, &thing, &places);
    if (!json_is_false(reply_member(question->params, "context.includeDeclaration")))
        return locations(&places, NULL);
    ThingPlaceList uses = {0};
    for (size_t i = 0; i < places.count; i++)
        if (!places.items[i].is_definition)
            vector_push(question->arena, &uses, places.items[i]);
    return locations(&uses, NULL);
}

json_t *feature_highlight(const Question *question)
{
    enum { READ = 2, WRITE = 3 };
    const Mention *mention;
    size_t count = question->block == NULL ? 0 : index_at(question->block->index, question->offset, &mention);
    if (count == 0)
        return NULL;
    SymbolList symbols = {0};
    index_same(question->arena, question->block->index, mention, count, &symbols);
    json_t *array = json_array();
    uint32_t last = UINT32_MAX;
    const Index *index = question->block->index;
    for (size_t i = 0; i < index->mentions.count; i++) {
        const Mention *other = &index->mentions.items[i];
        if (other->start == last || !symbols_have(&symbols, other->symbol))
            continue;
        last = other->start;
        reply_add(array, json_pack("{s:o, s:i}", "range", reply_range(&question->view->lines, other->start, other->end),
                                   "kind", other->binds ? WRITE : READ));
    }
    return array;
}
