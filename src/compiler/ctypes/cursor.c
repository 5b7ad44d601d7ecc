// cursor.c: expressions as libclang shows them.
//
// libclang 14 names no operators and shows an implicit conversion only as an expression without a kind of its own. What
// matters here can be told from the types of an expression and its operands.

#include "compiler/ctypes/internal.h"

static enum CXChildVisitResult visit_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Children *children = data;
    if (children->count < CHILDREN_MAX)
        children->items[children->count] = cursor;
    children->count++;
    children->last = cursor;
    return CXChildVisit_Continue;
}

Children children_of(CXCursor cursor)
{
    Children children = {.last = clang_getNullCursor()};
    for (int i = 0; i < CHILDREN_MAX; i++)
        children.items[i] = clang_getNullCursor();
    clang_visitChildren(cursor, visit_child, &children);
    return children;
}

bool cursor_is_implicit(CXCursor cursor, CXCursor *operand)
{
    if (clang_getCursorKind(cursor) != CXCursor_UnexposedExpr)
        return false;
    Children children = children_of(cursor);
    // An implicit conversion covers exactly its operand; other things without a kind of their own don't.
    if (children.count != 1 || !clang_isExpression(clang_getCursorKind(children.last)) ||
        !clang_equalRanges(clang_getCursorExtent(cursor), clang_getCursorExtent(children.last)))
        return false;
    *operand = children.last;
    return true;
}

CXCursor cursor_without_parens(CXCursor cursor)
{
    CXCursor operand;
    for (;;) {
        if (clang_getCursorKind(cursor) == CXCursor_ParenExpr)
            operand = children_of(cursor).last;
        else if (!cursor_is_implicit(cursor, &operand))
            return cursor;
        if (clang_Cursor_isNull(operand))
            return cursor;
        cursor = operand;
    }
}

bool cursor_is_number(CXCursor cursor)
{
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    bool is_number = result != NULL && clang_EvalResult_getKind(result) == CXEval_Int;
    if (result != NULL)
        clang_EvalResult_dispose(result);
    return is_number;
}

bool cursor_is_null_constant(CXCursor cursor)
{
    cursor = cursor_without_parens(cursor);
    while (clang_getCursorKind(cursor) == CXCursor_CStyleCastExpr)
        cursor = cursor_without_parens(children_of(cursor).last);
    if (!type_is_integer(cursor_type(cursor)))
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    bool is_null =
        result != NULL && clang_EvalResult_getKind(result) == CXEval_Int && clang_EvalResult_getAsLongLong(result) == 0;
    if (result != NULL)
        clang_EvalResult_dispose(result);
    return is_null;
}

static enum CXChildVisitResult visit_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(bool *)data |= clang_getCursorKind(cursor) == CXCursor_CallExpr;
    return CXChildVisit_Recurse;
}

bool cursor_has_call(CXCursor cursor)
{
    bool has = clang_getCursorKind(cursor) == CXCursor_CallExpr;
    clang_visitChildren(cursor, visit_call, &has);
    return has;
}

static enum CXChildVisitResult visit_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    *(bool *)data |= kind == CXCursor_ConstAttr || kind == CXCursor_PureAttr;
    return CXChildVisit_Continue;
}

bool function_is_pure(CXCursor function)
{
    bool is_pure = false;
    clang_visitChildren(function, visit_attribute, &is_pure);
    return is_pure;
}

bool function_depends_on_place(CXCursor function)
{
    static const char *const STARTS[] = {"__builtin_constant_p", "__builtin_object_size",
                                         "__builtin_dynamic_object_size", "__builtin_cpu_", "pthread_self"};
    CXString spelling = clang_getCursorSpelling(function);
    const char *name = clang_getCString(spelling);
    bool depends = false;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        depends |= scan_starts_with(name, STARTS[i]);
    clang_disposeString(spelling);
    return depends;
}

// ---- types ----

CXType cursor_type(CXCursor cursor)
{
    return clang_getCanonicalType(clang_getCursorType(cursor));
}

bool type_is_pointer(CXType canonical)
{
    return canonical.kind == CXType_Pointer || canonical.kind == CXType_BlockPointer;
}

bool type_is_array(CXType canonical)
{
    return canonical.kind == CXType_ConstantArray || canonical.kind == CXType_IncompleteArray ||
           canonical.kind == CXType_VariableArray;
}

bool type_is_integer(CXType canonical)
{
    return (canonical.kind >= CXType_Bool && canonical.kind <= CXType_Int128) || canonical.kind == CXType_Enum;
}

bool type_is_character(CXType canonical)
{
    return canonical.kind == CXType_Char_S || canonical.kind == CXType_Char_U || canonical.kind == CXType_SChar ||
           canonical.kind == CXType_UChar;
}

bool type_is_const(CXType type)
{
    // A canonical array bears the const of its elements itself.
    for (; type.kind != CXType_Invalid; type = clang_getArrayElementType(type)) {
        type = clang_getCanonicalType(type);
        if (clang_isConstQualifiedType(type))
            return true;
    }
    return false;
}

bool type_same_unqualified(const CUnit *unit, CXType one, CXType other)
{
    return clang_equalTypes(clang_getCanonicalType(one), clang_getCanonicalType(other)) ||
           strcmp(spell_canonical(unit->arena, one), spell_canonical(unit->arena, other)) == 0;
}

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data)
{
    bool *holds = data;
    *holds = type_holds_pointer(clang_getCursorType(cursor));
    return *holds ? CXVisit_Break : CXVisit_Continue;
}

bool type_holds_pointer(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type_is_array(type))
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    bool holds = type_is_pointer(type);
    if (type.kind == CXType_Record)
        clang_Type_visitFields(type, visit_field, &holds);
    return holds;
}

// ---- operators ----

static bool location_offset(const CUnit *unit, CXSourceLocation location, uint32_t *offset)
{
    CXFile file;
    clang_getExpansionLocation(location, &file, NULL, NULL, offset);
    return file != NULL && clang_File_isEqual(file, unit->parsed.file);
}

static const char *token_at(const CUnit *unit, uint32_t offset)
{
    CXSourceLocation location = clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, offset);
    CXToken *token = clang_getToken(unit->parsed.tu, location);
    if (token == NULL)
        return "";
    const char *text = take_text(unit->arena, clang_getTokenSpelling(unit->parsed.tu, *token));
    clang_disposeTokens(unit->parsed.tu, token, 1);
    return text;
}

UnaryKind cursor_unary_kind(const CUnit *unit, CXCursor cursor)
{
    CXType operand = cursor_type(children_of(cursor).last), result = cursor_type(cursor);
    if (type_is_pointer(result) && clang_equalTypes(clang_getCanonicalType(clang_getPointeeType(result)), operand))
        return UNARY_ADDRESS;
    if (!type_is_pointer(operand) || !clang_equalTypes(clang_getCanonicalType(clang_getPointeeType(operand)), result))
        return UNARY_OTHER;
    // `!p` of a pointer to int has the type of `*p`.
    uint32_t offset;
    bool is_not = result.kind == CXType_Int && location_offset(unit, clang_getCursorLocation(cursor), &offset) &&
                  strcmp(token_at(unit, offset), "!") == 0;
    return is_not ? UNARY_OTHER : UNARY_DEREFERENCE;
}

const char *cursor_binary_operator(const CUnit *unit, CXCursor cursor)
{
    Children children = children_of(cursor);
    uint32_t start, end;
    if (children.count != 2 ||
        !location_offset(unit, clang_getRangeEnd(clang_getCursorExtent(children.items[0])), &start) ||
        !location_offset(unit, clang_getRangeStart(clang_getCursorExtent(children.items[1])), &end) || start >= end)
        return "";
    CXSourceRange range = clang_getRange(clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, start),
                                         clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, end));
    CXToken *tokens = NULL;
    unsigned count = 0;
    clang_tokenize(unit->parsed.tu, range, &tokens, &count);
    const char *found = "";
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset;
        bool is_between = location_offset(unit, clang_getTokenLocation(unit->parsed.tu, tokens[i]), &offset) &&
                          offset >= start && offset < end;
        if (!is_between || clang_getTokenKind(tokens[i]) == CXToken_Comment)
            continue;
        bool is_operator = found[0] == '\0' && clang_getTokenKind(tokens[i]) == CXToken_Punctuation;
        found = is_operator ? take_text(unit->arena, clang_getTokenSpelling(unit->parsed.tu, tokens[i])) : "?";
    }
    clang_disposeTokens(unit->parsed.tu, tokens, count);
    return found;
}

bool cursor_is_assignment(const CUnit *unit, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CompoundAssignOperator)
        return true;
    if (kind != CXCursor_BinaryOperator)
        return false;
    // Every other operator reads its left operand, which is an implicit conversion of an lvalue.
    CXCursor left = children_of(cursor).items[0];
    bool is_field_of_it = false;
    for (;;) {
        Children children = children_of(left);
        enum CXCursorKind left_kind = clang_getCursorKind(left);
        bool is_field = left_kind == CXCursor_MemberRefExpr && children.count > 0;
        if (is_field && type_is_pointer(cursor_type(children.items[0])))
            return true;
        if (left_kind != CXCursor_ParenExpr && !is_field)
            break;
        is_field_of_it |= is_field;
        left = is_field ? children.items[0] : children.last; // a field of what a call returns is no lvalue
    }
    switch (clang_getCursorKind(left)) {
    case CXCursor_DeclRefExpr:
        return is_field_of_it || clang_getCursorKind(clang_getCursorReferenced(left)) == CXCursor_VarDecl;
    case CXCursor_MemberRefExpr:
    case CXCursor_CompoundLiteralExpr:
    case CXCursor_ArraySubscriptExpr:
        return true;
    case CXCursor_UnaryOperator:
        return cursor_unary_kind(unit, left) == UNARY_DEREFERENCE;
    default:
        return false;
    }
}

CXCursor cursor_variable(CXCursor cursor)
{
    for (;;) {
        cursor = cursor_without_parens(cursor);
        Children children = children_of(cursor);
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_DeclRefExpr)
            return clang_getCursorReferenced(cursor);
        bool is_part = kind == CXCursor_MemberRefExpr || kind == CXCursor_ArraySubscriptExpr;
        if (!is_part || children.count == 0)
            return clang_getNullCursor();
        CXCursor whole = children.items[0], array = cursor_without_parens(whole);
        if (type_is_pointer(cursor_type(whole)) && !type_is_array(cursor_type(array)))
            return clang_getNullCursor();
        cursor = whole;
    }
}

bool cursor_is_union_member(CXCursor cursor)
{
    // libclang leaves out the anonymous members that a name leads through; the field's parents know them.
    CXCursor record = clang_getCursorSemanticParent(clang_getCursorReferenced(cursor));
    while (clang_getCursorKind(record) == CXCursor_StructDecl && clang_Cursor_isAnonymousRecordDecl(record))
        record = clang_getCursorSemanticParent(record);
    return clang_getCursorKind(record) == CXCursor_UnionDecl;
}

// ---- places ----

DeclaredWhere cursor_declared(const CUnit *unit, CXCursor declaration)
{
    ClangPlace place = place_of(clang_getCursorLocation(declaration));
    if (!place_in(place, unit->parsed.file) || place.offset < unit->base)
        return DECLARED_BEFORE;
    const UnitPiece *piece = unit_piece_at(unit, place.offset);
    return piece != NULL && !piece->is_as ? DECLARED_IN_COPY : DECLARED_BY_US;
}

Span cursor_span(const CUnit *unit, CXCursor cursor, const Region *region)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    uint32_t start = region->start, end = region->end;
    if (!location_offset(unit, clang_getRangeStart(extent), &start) ||
        !location_offset(unit, clang_getRangeEnd(extent), &end) || start < region->start || start >= region->end) {
        start = region->start;
        end = region->end;
    }
    const UnitPiece *piece = unit_piece_from(unit, start);
    if (piece == NULL)
        return SPAN_NONE;
    start = start < piece->start ? piece->start : start;
    if (end <= start) // an argument of a macro
        end = start + scan_token(unit->text + start, unit->text + piece->end);
    Span span = piece_span(piece, start, end > piece->end ? piece->end : end);
    // A role's function stands in a piece of its own: the end may lie in a later one.
    const UnitPiece *last = unit_piece_at(unit, end - 1);
    if (end <= region->end && last != NULL && last != piece && last->span.file == span.file)
        span.end = piece_span(last, last->start, end).end;
    return span;
}

Span cursor_span_exactly(const CUnit *unit, CXCursor cursor)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    CXSourceLocation ends[] = {clang_getRangeStart(extent), clang_getRangeEnd(extent)};
    uint32_t offsets[2];
    for (int i = 0; i < 2; i++) {
        if (!location_offset(unit, ends[i], &offsets[i]))
            return SPAN_NONE;
        CXSourceLocation plain = clang_getLocationForOffset(unit->parsed.tu, unit->parsed.file, offsets[i]);
        if (!clang_equalLocations(ends[i], plain))
            return SPAN_NONE;
    }
    const UnitPiece *first = unit_piece_at(unit, offsets[0]), *last = unit_piece_at(unit, offsets[1] - 1);
    if (first == NULL || last == NULL)
        return SPAN_NONE;
    Span span = piece_span(first, offsets[0], first->end);
    span.end = piece_span(last, last->start, offsets[1]).end;
    return span;
}

CXCursor region_written(const CUnit *unit, const Region *region)
{
    CXCursor cursor = region->root, operand;
    while (cursor_is_implicit(cursor, &operand))
        cursor = operand;
    uint32_t start;
    bool is_ours = clang_getCursorKind(cursor) == CXCursor_ParenExpr &&
                   location_offset(unit, clang_getRangeStart(clang_getCursorExtent(cursor)), &start) &&
                   unit_piece_at(unit, start) == NULL;
    return is_ours ? children_of(cursor).last : region->root;
}
