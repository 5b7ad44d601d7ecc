// answers.c: types of declarations and initialisers.

#include "compiler/ctypes/internal.h"

// A declaration that an error removed from the tree counts as a failed one.
static const CType *missing(CUnit *unit, const char *name)
{
    return unit_mentions(unit, name) ? unit_type_invalid(unit) : NULL;
}

// `__typeof__(whole.field) name;` has the operand's type, which libclang shows only as the operand.
static CXType operand_type(CXCursor cursor, CXType type)
{
    if (type.kind != CXType_Unexposed)
        return type;
    Children children = children_of(cursor);
    if (children.count == 0 || !clang_isExpression(clang_getCursorKind(children.items[0])))
        return type;
    CXType operand = clang_getCursorType(children.items[0]);
    bool same = clang_equalTypes(clang_getCanonicalType(operand), clang_getCanonicalType(type));
    return same && operand.kind != CXType_Unexposed ? operand : type;
}

CXType declared_type(CXCursor cursor)
{
    if (clang_getCursorKind(cursor) == CXCursor_TypedefDecl)
        return operand_type(cursor, clang_getTypedefDeclUnderlyingType(cursor));
    CXType type = clang_getCursorType(cursor);
    if (type.kind == CXType_Auto) {
        // The initialiser has the same type, and can be taken apart.
        CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
        if (!clang_Cursor_isNull(init) && clang_getCursorType(init).kind != CXType_Invalid)
            type = clang_getCursorType(init);
        return type;
    }
    return operand_type(cursor, type);
}

const CType *cunit_type_of(CUnit *unit, const char *name)
{
    Declared *declared = unit_declared(unit, name);
    if (declared == NULL)
        return missing(unit, name);
    if (clang_isInvalidDeclaration(declared->cursor))
        return unit_type_invalid(unit);
    return unit_type(unit, declared_type(declared->cursor));
}

// Inside of parentheses, implicit conversions and statement expressions: the expression that makes the value.
static CXCursor look_through(CXCursor cursor)
{
    CXCursor operand;
    for (;;) {
        Children children = children_of(cursor);
        switch (clang_getCursorKind(cursor)) {
        case CXCursor_UnexposedExpr:
            if (!cursor_is_implicit(cursor, &operand))
                return cursor;
            cursor = operand;
            break;
        case CXCursor_ParenExpr:
        case CXCursor_StmtExpr:
        case CXCursor_CompoundStmt:
            if (children.count == 0 || !(clang_isExpression(clang_getCursorKind(children.last)) ||
                                         clang_getCursorKind(children.last) == CXCursor_CompoundStmt))
                return cursor;
            cursor = children.last;
            break;
        default:
            return cursor;
        }
    }
}

const CType *cunit_init_type_of(CUnit *unit, const char *name)
{
    Declared *declared = unit_declared(unit, name);
    if (declared == NULL)
        return missing(unit, name);
    CXCursor init = clang_getNullCursor();
    if (clang_getCursorKind(declared->cursor) == CXCursor_VarDecl)
        init = clang_Cursor_getVarDeclInitializer(declared->cursor);
    if (clang_Cursor_isNull(init))
        return cunit_type_of(unit, name);
    CXCursor value = look_through(init);
    enum CXCursorKind kind = clang_getCursorKind(value);
    if (!clang_isExpression(kind))
        return clang_isInvalidDeclaration(declared->cursor) ? unit_type_invalid(unit) : cunit_type_of(unit, name);
    const CType *type = unit_type(unit, clang_getCursorType(value));
    return kind == CXCursor_StringLiteral && type->is_char_array ? unit_type_cstring(unit) : type;
}

const CFunction *cunit_function(CUnit *unit, const char *name)
{
    CFunction *function = map_get(&unit->functions, name);
    if (function != NULL)
        return function;
    Declared *declared = unit_declared(unit, name);
    if (declared == NULL || clang_getCursorKind(declared->cursor) != CXCursor_FunctionDecl)
        return NULL;
    CXCursor cursor = declared->cursor;
    bool is_invalid = clang_isInvalidDeclaration(cursor);
    CXType type = clang_getCursorType(cursor);
    CXType canonical = clang_getCanonicalType(type);
    function = ARENA_NEW(unit->arena, CFunction);
    function->result = is_invalid ? unit_type_invalid(unit) : unit_type(unit, clang_getCursorResultType(cursor));
    function->is_variadic = clang_isFunctionTypeVariadic(type);
    int count = clang_Cursor_getNumArguments(cursor);
    for (int i = 0; i < count; i++) {
        CXCursor param = clang_Cursor_getArgument(cursor, (unsigned)i);
        CXType param_type = clang_getCursorType(param);
        // libclang shows an array parameter as the array that was written; it is a pointer.
        CXType real = clang_getArgType(canonical, (unsigned)i);
        bool is_array = clang_getCanonicalType(param_type).kind == CXType_ConstantArray;
        const CType *written = is_array ? unit_type(unit, param_type) : NULL;
        if (real.kind == CXType_Pointer && clang_getCanonicalType(param_type).kind != CXType_Pointer)
            param_type = real;
        const CType *converted =
            clang_isInvalidDeclaration(param) ? unit_type_invalid(unit) : unit_type(unit, param_type);
        vector_push(unit->arena, &function->params, converted);
        vector_push(unit->arena, &function->written, written != NULL ? written : converted);
        vector_push(unit->arena, &function->names, take_text(unit->arena, clang_getCursorSpelling(param)));
    }
    map_put(&unit->functions, arena_strdup(unit->arena, name), function);
    return function;
}
