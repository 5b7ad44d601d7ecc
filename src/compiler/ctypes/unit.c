// unit.c: builds the unit's text, parses it, and answers about names.

#include "compiler/ctypes/internal.h"

#include "base/check.h"

CUnit *cunit_new(Arena *arena, const Sources *sources, const Source *source, uint32_t prefix_size, const CFlags *flags)
{
    CUnit *unit = ARENA_NEW(arena, CUnit);
    unit->arena = arena;
    unit->sources = sources;
    unit->source = source;
    unit->prefix_size = prefix_size;
    unit->flags = *flags;
    text_init(&unit->added, arena);
    map_init(&unit->asked_kinds, arena);
    map_init(&unit->declared, arena);
    map_init(&unit->typedefs, arena);
    map_init(&unit->mentioned, arena);
    map_init(&unit->macros, arena);
    map_init(&unit->types, arena);
    map_init(&unit->spelled, arena);
    map_init(&unit->functions, arena);
    return unit;
}

void cunit_name_families(CUnit *unit, const char *const *names, size_t count)
{
    unit->families = names;
    unit->family_count = count;
}

void ctext(CUnit *unit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_puts(&unit->added, arena_vprintf(unit->arena, format, arguments));
    va_end(arguments);
}

static void add_piece(CUnit *unit, Span span, const char *text, size_t length, bool is_as)
{
    UnitPiece piece = {.start = (uint32_t)unit->added.length, .span = span, .is_as = is_as};
    text_add(&unit->added, text, length);
    piece.end = (uint32_t)unit->added.length;
    if (piece.end > piece.start)
        vector_push(unit->arena, &unit->pieces, piece);
}

void ccopy(CUnit *unit, Span span)
{
    uint32_t length;
    const char *text = span_text(unit->sources, span, &length);
    char *copy = arena_copy(unit->arena, text, length);
    scan_blank_comments(copy, length);
    add_piece(unit, span, copy, length, false);
}

void ccopy_as(CUnit *unit, Span span, const char *as)
{
    add_piece(unit, span, as, strlen(as), true);
}

void cexpr_begin(CUnit *unit, uint32_t id)
{
    while (unit->region_of.count <= id)
        vector_push(unit->arena, &unit->region_of, 0);
    Region region = {.start = (uint32_t)unit->added.length, .id = id, .root = clang_getNullCursor()};
    vector_push(unit->arena, &unit->regions, region);
    if (unit->region_of.items[id] == 0)
        unit->region_of.items[id] = (uint32_t)unit->regions.count;
}

void cexpr_end(CUnit *unit)
{
    unit->regions.items[unit->regions.count - 1].end = (uint32_t)unit->added.length;
}

const Region *unit_region(const CUnit *unit, uint32_t id, size_t *index)
{
    if (*index == 0 && id < unit->region_of.count)
        *index = unit->region_of.items[id];
    for (; *index > 0 && *index <= unit->regions.count; ++*index)
        if (unit->regions.items[*index - 1].id == id && !clang_Cursor_isNull(unit->regions.items[*index - 1].root))
            return &unit->regions.items[(*index)++ - 1];
    *index = unit->regions.count + 1;
    return NULL;
}

const UnitPiece *unit_piece_from(const CUnit *unit, uint32_t offset)
{
    size_t low = 0, high = unit->pieces.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->pieces.items[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < unit->pieces.count ? &unit->pieces.items[low] : NULL;
}

const UnitPiece *unit_piece_at(const CUnit *unit, uint32_t offset)
{
    const UnitPiece *piece = unit_piece_from(unit, offset);
    return piece != NULL && piece->start <= offset ? piece : NULL;
}

Span piece_span(const UnitPiece *piece, uint32_t start, uint32_t end)
{
    if (piece->is_as)
        return piece->span;
    CHECK(start >= piece->start && start <= piece->end);
    if (end > piece->end)
        end = piece->end;
    Span span = piece->span;
    span.end = span.start + (end - piece->start);
    span.start += start - piece->start;
    return span;
}

void cunit_ask_name(CUnit *unit, const char *name)
{
    CHECK(unit->parsed.tu == NULL);
    if (map_has(&unit->asked_kinds, name))
        return;
    name = arena_strdup(unit->arena, name);
    vector_push(unit->arena, &unit->asked, name);
    map_put(&unit->asked_kinds, name, (void *)(uintptr_t)(CNAME_NONE + 1));
}

CNameKind cunit_name_kind(CUnit *unit, const char *name)
{
    uintptr_t kind = (uintptr_t)map_get(&unit->asked_kinds, name);
    CHECK(unit->text != NULL);
    return kind != 0 ? (CNameKind)(kind - 1) : CNAME_NONE;
}

// One enum constant for each asked name that is a macro at the end of the prefix: unit_index finds them.
static void add_probes(const CUnit *unit, Text *text)
{
    for (size_t i = 0; i < unit->asked.count; i++)
        text_printf(text, "#ifdef %s\nenum { chx_probe_%zu };\n#endif\n", unit->asked.items[i], i);
}

bool cunit_parse(CUnit *unit, const char **error)
{
    CHECK(unit->text == NULL);
    Text text;
    text_init(&text, unit->arena);
    text_add(&text, unit->source->text, unit->prefix_size);
    // The prefix can end in the middle of a line. What it leaves open is an error at this semicolon.
    text_puts(&text, "\n");
    unit->base = (uint32_t)text.length;
    text_puts(&text, ";\n");
    add_probes(unit, &text);
    uint32_t shift = (uint32_t)text.length;
    text_add(&text, unit->added.chars, unit->added.length);
    text_puts(&text, "\n");
    // The block may stand inside of #if or an include guard.
    unsigned open = scan_open_conditionals(unit->source->text, unit->prefix_size);
    for (unsigned i = 0; i < open; i++)
        text_puts(&text, "#endif\n");
    for (size_t i = 0; i < unit->pieces.count; i++) {
        unit->pieces.items[i].start += shift;
        unit->pieces.items[i].end += shift;
    }
    for (size_t i = 0; i < unit->regions.count; i++) {
        unit->regions.items[i].start += shift;
        unit->regions.items[i].end += shift;
    }
    unit->text = text.chars;
    unit->size = (uint32_t)text.length;
    if (!parsed_init(&unit->parsed, unit->arena, unit->source->path, text.chars, text.length, &unit->flags,
                     CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_VisitImplicitAttributes, error))
        return false;
    unit_index(unit);
    return true;
}

void cunit_free(CUnit *unit)
{
    if (unit != NULL)
        parsed_fini(&unit->parsed);
}
