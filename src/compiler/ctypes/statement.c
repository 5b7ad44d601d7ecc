// statement.c: our own text by statements, to see which copied text an error in our text belongs to.
//
// Copied text is skipped as a whole: the parser has seen to it that its parentheses match.

#include "compiler/ctypes/internal.h"

static char last_char_before(const CUnit *unit, uint32_t offset)
{
    while (offset > unit->base && unit->text[offset - 1] == ' ')
        offset--;
    return offset > unit->base ? unit->text[offset - 1] : 0;
}

static uint32_t end_of(const CUnit *unit, uint32_t offset)
{
    unsigned depth = 0;
    const UnitPiece *piece = unit_piece_from(unit, offset);
    const UnitPiece *pieces_end = unit->pieces.items + unit->pieces.count;
    for (uint32_t at = offset; at < unit->size;) {
        while (piece != NULL && piece < pieces_end && piece->end <= at)
            piece++;
        if (piece != NULL && piece < pieces_end && piece->start <= at) {
            at = piece->end;
            continue;
        }
        char c = unit->text[at];
        bool opens = c == '(' || c == '[' || c == '{', closes = c == ')' || c == ']' || c == '}';
        if (depth == 0 && (c == ';' || closes))
            return at;
        if (depth == 0 && c == '{' && last_char_before(unit, at) != '=')
            return at; // a body, not an initialiser
        if (opens)
            depth++;
        else if (closes)
            depth--;
        at += scan_token(unit->text + at, unit->text + unit->size);
    }
    return unit->size;
}

static uint32_t start_of(const CUnit *unit, uint32_t offset)
{
    unsigned depth = 0;
    uint32_t at = offset;
    while (at > unit->base) {
        const UnitPiece *piece = unit_piece_at(unit, at - 1);
        if (piece != NULL) {
            at = piece->start;
            continue;
        }
        char c = unit->text[at - 1];
        bool opens = c == '(' || c == '[' || c == '{', closes = c == ')' || c == ']' || c == '}';
        if (depth == 0 && (c == ';' || c == '}' || opens))
            return at;
        if (closes)
            depth++;
        else if (opens)
            depth--;
        at--;
    }
    return at;
}

Extent statement_around(const CUnit *unit, uint32_t offset)
{
    return (Extent){start_of(unit, offset), end_of(unit, offset)};
}

static bool is_failed(const CUnit *unit, const Map *missing, const char *name)
{
    const Declared *declared = unit_declared(unit, name);
    if (declared == NULL)
        return map_has(missing, name);
    return declared->count == 1 && clang_isInvalidDeclaration(declared->cursor);
}

bool statement_uses_failed(const CUnit *unit, Extent extent, const Map *missing, const char *except)
{
    const UnitPiece *piece = unit_piece_from(unit, extent.start);
    const UnitPiece *pieces_end = unit->pieces.items + unit->pieces.count;
    for (uint32_t at = extent.start; at < extent.end;) {
        while (piece != NULL && piece < pieces_end && piece->end <= at)
            piece++;
        if (piece != NULL && piece < pieces_end && piece->start <= at && !piece->is_as) {
            at = piece->end;
            continue;
        }
        uint32_t length = scan_token(unit->text + at, unit->text + unit->size);
        if (scan_is_name(unit->text[at])) {
            const char *name = arena_copy(unit->arena, unit->text + at, length);
            if ((except == NULL || strcmp(name, except) != 0) && is_failed(unit, missing, name))
                return true;
        }
        at += length;
    }
    return false;
}
