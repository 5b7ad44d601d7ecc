// index.c: one walk over the parsed unit: the prefix's names, the added declarations, the references to them.

#include "compiler/ctypes/internal.h"

#include <stdlib.h>

static const char codec_type_prefix[] = "chx_codec_type_";
static const char codec_object_prefix[] = "chx_codec_object_";
static const char probe_prefix[] = "chx_probe_";

static CNameKind name_kind(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_FunctionDecl:
        return CNAME_FUNCTION;
    case CXCursor_VarDecl:
        return CNAME_VARIABLE;
    case CXCursor_TypedefDecl:
        return CNAME_TYPE;
    case CXCursor_EnumConstantDecl:
        return CNAME_CONSTANT;
    default:
        return CNAME_NONE;
    }
}

static void add_codec(CUnit *unit, CXCursor cursor, const char *name)
{
    CXType type = clang_getTypedefDeclUnderlyingType(cursor);
    Codec codec = {
        .canonical = spell_canonical(unit->arena, type),
        .object = arena_printf(unit->arena, "%s%s", codec_object_prefix, name + strlen(codec_type_prefix)),
    };
    vector_push(unit->arena, &unit->codecs, codec);
}

// The first function that is mentioned in an expression.
static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CXCursor *function = data;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(referenced) == CXCursor_FunctionDecl)
        *function = referenced;
    return CXChildVisit_Break;
}

typedef struct {
    Arena *arena;
    const char *names[3];
    size_t count; // 4: something else than three functions
} CodecFunctions;

static enum CXChildVisitResult visit_codec(CXCursor cursor, CXCursor parent, CXClientData data)
{
    CodecFunctions *functions = data;
    if (clang_getCursorKind(cursor) == CXCursor_InitListExpr)
        return CXChildVisit_Recurse;
    if (clang_getCursorKind(parent) != CXCursor_InitListExpr)
        return CXChildVisit_Continue;
    CXCursor function = clang_getNullCursor();
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        visit_function(cursor, parent, &function);
    else
        clang_visitChildren(cursor, visit_function, &function);
    if (functions->count == 3 || clang_Cursor_isNull(function)) {
        functions->count = 4;
        return CXChildVisit_Break;
    }
    functions->names[functions->count++] = take_text(functions->arena, clang_getCursorSpelling(function));
    return CXChildVisit_Continue;
}

// The object's own name depends on what else the file includes, that of its functions does not: companions, which
// several files share, are made with the latter.
static void index_codec(CUnit *unit, CXCursor cursor, const char *name)
{
    for (size_t i = 0; i < unit->codecs.count; i++) {
        Codec *codec = &unit->codecs.items[i];
        if (strcmp(codec->object, name) != 0)
            continue;
        CodecFunctions functions = {.arena = unit->arena};
        clang_visitChildren(cursor, visit_codec, &functions);
        if (functions.count == 3)
            codec->functions =
                arena_printf(unit->arena, "{%s, %s, %s}", functions.names[0], functions.names[1], functions.names[2]);
    }
}

static void index_typedef(CUnit *unit, CXCursor cursor, const char *name)
{
    CXCursor *copy = ARENA_NEW(unit->arena, CXCursor);
    *copy = cursor;
    map_put(&unit->typedefs, name, copy);
    if (scan_starts_with(name, codec_type_prefix))
        add_codec(unit, cursor, name);
}

// File-scope names of the prefix and its headers. Enum constants are file-scope wherever the enum stands.
static enum CXChildVisitResult visit_prefix(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CUnit *unit = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    switch (kind) {
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_FieldDecl:
        clang_visitChildren(cursor, visit_prefix, unit);
        return CXChildVisit_Continue;
    case CXCursor_TypedefDecl:
        clang_visitChildren(cursor, visit_prefix, unit);
        break;
    case CXCursor_VarDecl:
        break;
    case CXCursor_FunctionDecl:
    case CXCursor_EnumConstantDecl:
        if (unit->asked.count == 0)
            return CXChildVisit_Continue;
        break;
    default:
        return CXChildVisit_Continue;
    }
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *name = clang_getCString(spelling);
    if (kind == CXCursor_TypedefDecl)
        index_typedef(unit, cursor, arena_strdup(unit->arena, name));
    if (kind == CXCursor_VarDecl && scan_starts_with(name, codec_object_prefix))
        index_codec(unit, cursor, name);
    if (map_get(&unit->asked_kinds, name) == (void *)(uintptr_t)(CNAME_NONE + 1))
        map_put(&unit->asked_kinds, arena_strdup(unit->arena, name), (void *)(uintptr_t)(name_kind(kind) + 1));
    clang_disposeString(spelling);
    return CXChildVisit_Continue;
}

static void index_declaration(CUnit *unit, CXCursor cursor)
{
    const char *name = take_text(unit->arena, clang_getCursorSpelling(cursor));
    if (name[0] == 0)
        return;
    Declared *known = map_get(&unit->declared, name);
    if (known != NULL) {
        known->count++;
        return;
    }
    Declared *declared = ARENA_NEW(unit->arena, Declared);
    *declared = (Declared){.cursor = cursor, .count = 1};
    map_put(&unit->declared, name, declared);
}

// A reference from copied text to a declaration of ours.
static void index_reference(CUnit *unit, CXCursor cursor)
{
    CXSourceLocation location = clang_getCursorLocation(cursor);
    ClangPlace place = place_of(location);
    if (!place_in(place, unit->parsed.file) || unit_piece_at(unit, place.offset) == NULL)
        return;
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind != CXCursor_VarDecl && kind != CXCursor_FunctionDecl && kind != CXCursor_ParmDecl)
        return;
    ClangPlace declared = place_of(clang_getCursorLocation(target));
    if (!place_in(declared, unit->parsed.file) || declared.offset < unit->base)
        return;
    // What the user's own text declares (in a statement expression) is not ours; neither is an implicit function.
    const UnitPiece *piece = unit_piece_at(unit, declared.offset);
    if (piece != NULL && !piece->is_as)
        return;

    RawReference reference = {.offset = place.offset, .is_called = clang_equalLocations(location, unit->callee)};
    reference.name = take_text(unit->arena, clang_getCursorSpelling(target));
    CXSourceLocation plain = clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, place.offset);
    reference.is_macro_like = !clang_equalLocations(location, plain);
    if (reference.is_macro_like) {
        CXFile file;
        unsigned expansion;
        clang_getExpansionLocation(location, &file, NULL, NULL, &expansion);
        reference.is_body = expansion == place.offset;
    }
    vector_push(unit->arena, &unit->references, reference);
}

// The outermost expression in a region is the region's: parents are visited before their children.
static void index_region(CUnit *unit, CXCursor cursor)
{
    CXFile file;
    unsigned start, end;
    CXSourceRange extent = clang_getCursorExtent(cursor);
    clang_getExpansionLocation(clang_getRangeStart(extent), &file, NULL, NULL, &start);
    clang_getExpansionLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &end);
    if (file == NULL || !clang_File_isEqual(file, unit->parsed.file))
        return;
    size_t low = 0, high = unit->regions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->regions.items[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    Region *region = low < unit->regions.count ? &unit->regions.items[low] : NULL;
    if (region != NULL && region->start <= start && end <= region->end && clang_Cursor_isNull(region->root))
        region->root = cursor;
}

static void index_probe(CUnit *unit, CXCursor cursor)
{
    const char *name = take_text(unit->arena, clang_getCursorSpelling(cursor));
    if (!scan_starts_with(name, probe_prefix))
        return;
    size_t index = strtoul(name + strlen(probe_prefix), NULL, 10);
    if (index < unit->asked.count)
        map_put(&unit->asked_kinds, unit->asked.items[index], (void *)(uintptr_t)(CNAME_MACRO + 1));
}

static enum CXChildVisitResult visit_added(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CUnit *unit = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isExpression(kind))
        index_region(unit, cursor);
    switch (kind) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
    case CXCursor_FunctionDecl:
    case CXCursor_TypedefDecl:
        index_declaration(unit, cursor);
        break;
    case CXCursor_DeclRefExpr:
        index_reference(unit, cursor);
        break;
    case CXCursor_CallExpr:
        // The callee is visited next, before the arguments. Its cursor is then another one, but stands in the same place.
        unit->callee = clang_getCursorLocation(cursor_without_parens(children_of(cursor).items[0]));
        break;
    case CXCursor_EnumConstantDecl:
        index_probe(unit, cursor);
        break;
    default:
        break;
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    CUnit *unit = data;
    ClangPlace place = place_of(clang_getCursorLocation(cursor));
    if (!place_in(place, unit->parsed.file) || place.offset < unit->base)
        return visit_prefix(cursor, parent, data);
    visit_added(cursor, parent, data);
    clang_visitChildren(cursor, visit_added, data);
    return CXChildVisit_Continue;
}

void unit_index(CUnit *unit)
{
    unit->callee = clang_getNullLocation();
    clang_visitChildren(clang_getTranslationUnitCursor(unit->parsed.tu), visit_top, unit);
    // The compiler's own functions are declared nowhere.
    for (size_t i = 0; i < unit->asked.count; i++) {
        const char *name = unit->asked.items[i];
        bool is_builtin = scan_starts_with(name, "__builtin_") || scan_starts_with(name, "__sync_") ||
                          scan_starts_with(name, "__atomic_");
        if (is_builtin && cunit_name_kind(unit, name) == CNAME_NONE)
            map_put(&unit->asked_kinds, name, (void *)(uintptr_t)(CNAME_FUNCTION + 1));
    }
}

Declared *unit_declared(const CUnit *unit, const char *name)
{
    return map_get(&unit->declared, name);
}

static void collect_names(CUnit *unit, const char *at, const char *end)
{
    while (at < end) {
        uint32_t length = scan_token(at, end);
        if (scan_is_name(*at))
            map_put(&unit->mentioned, arena_copy(unit->arena, at, length), unit);
        at += length;
    }
}

bool unit_mentions(CUnit *unit, const char *name)
{
    if (!unit->mentioned_made) {
        unit->mentioned_made = true;
        uint32_t at = unit->base;
        for (size_t i = 0; i < unit->pieces.count; i++) {
            const UnitPiece *piece = &unit->pieces.items[i];
            collect_names(unit, unit->text + at, unit->text + piece->start);
            at = piece->end;
        }
        collect_names(unit, unit->text + at, unit->text + unit->size);
    }
    return map_has(&unit->mentioned, name);
}

// ---- references ----

static int compare_references(const void *one, const void *other)
{
    const RawReference *left = one, *right = other;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return strcmp(left->name, right->name);
}

// The length of the identifier at `offset` if it reads `name`, line continuations ignored; else 0.
static uint32_t spelled_length(const CUnit *unit, uint32_t offset, const char *name)
{
    const char *start = unit->text + offset, *at = start;
    for (; *name != 0; name++, at++) {
        while (at[0] == '\\' && at[1] == '\n')
            at += 2;
        if (*at != *name)
            return 0;
    }
    return scan_is_name(*at) ? 0 : (uint32_t)(at - start);
}

void cunit_references(CUnit *unit, CReferenceList *references)
{
    size_t count = unit->references.count;
    RawReference *sorted = ARENA_ARRAY(unit->arena, RawReference, count + 1);
    if (count > 0)
        memcpy(sorted, unit->references.items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_references);
    for (size_t i = 0; i < count; i++) {
        const RawReference *raw = &sorted[i];
        // A macro's argument that is expanded several times.
        if (i > 0 && compare_references(&sorted[i - 1], raw) == 0) {
            if (references->count > 0)
                references->items[references->count - 1].is_called &= raw->is_called;
            continue;
        }
        const UnitPiece *piece = unit_piece_at(unit, raw->offset);
        CReference reference = {.name = raw->name, .is_called = raw->is_called};
        uint32_t length = spelled_length(unit, raw->offset, raw->name);
        if (length == 0 || raw->is_body) {
            length = scan_token(unit->text + raw->offset, unit->text + piece->end);
            reference.macro = arena_copy(unit->arena, unit->text + raw->offset, length);
        }
        reference.span = piece_span(piece, raw->offset, raw->offset + length);
        vector_push(unit->arena, references, reference);
    }
}
