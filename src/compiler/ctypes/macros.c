// macros.c: macros that are not the same in every role's program.

#include "compiler/ctypes/internal.h"

// They depend on what else the file has, on where it lies, or on when it is compiled. `__LINE__` and `__FILE__` name
// the choreography's own line and file in every companion.
static const char *const differing[] = {"__COUNTER__",   "__DATE__",      "__TIME__",
                                        "__TIMESTAMP__", "__BASE_FILE__", "__INCLUDE_LEVEL__"};

static bool is_differing(const char *name)
{
    for (size_t i = 0; i < sizeof differing / sizeof *differing; i++)
        if (strcmp(name, differing[i]) == 0)
            return true;
    return false;
}

static enum CXChildVisitResult visit_definition(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CUnit *unit = data;
    if (clang_getCursorKind(cursor) == CXCursor_MacroDefinition && !clang_Cursor_isMacroBuiltin(cursor)) {
        CXCursor *copy = ARENA_NEW(unit->arena, CXCursor);
        *copy = cursor;
        map_put(&unit->macros, take_text(unit->arena, clang_getCursorSpelling(cursor)), copy);
    }
    return CXChildVisit_Continue;
}

// The name of the macro of that list that the tokens lead to, or NULL. Each macro is looked into once: it is taken out
// of the map if nothing was found.
static const char *find_differing(CUnit *unit, CXSourceRange range, bool is_definition)
{
    CXToken *tokens = NULL;
    unsigned count = 0;
    const char *found = NULL;
    clang_tokenize(unit->parsed.tu, range, &tokens, &count);
    // The first token of a definition is the macro's own name, which does not expand again.
    for (unsigned i = is_definition ? 1 : 0; found == NULL && i < count; i++) {
        if (clang_getTokenKind(tokens[i]) != CXToken_Identifier)
            continue;
        const char *name = take_text(unit->arena, clang_getTokenSpelling(unit->parsed.tu, tokens[i]));
        const CXCursor *definition = map_get(&unit->macros, name);
        if (is_differing(name)) {
            found = name;
        } else if (definition != NULL) {
            map_put(&unit->macros, name, NULL);
            found = find_differing(unit, clang_getCursorExtent(*definition), true);
            if (found != NULL)
                map_put(&unit->macros, name, (void *)(uintptr_t)definition);
        }
    }
    clang_disposeTokens(unit->parsed.tu, tokens, count);
    return found;
}

const char *macros_differ(CUnit *unit, const Region *region, Span *span)
{
    if (!unit->macros_made) {
        unit->macros_made = true;
        clang_visitChildren(clang_getTranslationUnitCursor(unit->parsed.tu), visit_definition, unit);
    }
    for (const UnitPiece *piece = unit_piece_from(unit, region->start);
         piece != NULL && piece < unit->pieces.items + unit->pieces.count && piece->start < region->end; piece++) {
        CXSourceRange range =
            clang_getRange(clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, piece->start),
                           clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, piece->end));
        const char *name = find_differing(unit, range, false);
        if (name == NULL)
            continue;
        *span = piece->span;
        return name;
    }
    return NULL;
}
