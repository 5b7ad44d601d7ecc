// differ.c: why two roles that hold equal values may compute different ones with the same expression.
//
// Each role has a function of its own for the expression, in a program that may be another one, and its variables at
// other addresses. So an expression may use values only: numbers, the elements of arrays, the characters of strings. A
// pointer may be read through if it leads to characters that are const (a string is copied to every role), into an
// array, or to constants; it may be tested for NULL, and be moved along. Nothing else can be done with it.
//
// A call is possible if its function is declared const or pure, so that it only computes, and if it gets nothing but such
// values and pointers that may be read through. That it uses a pointer only to read through it is its author's promise.
//
// The walk looks at one cursor at a time, with its operands; what it does not know it does not let pass.

#include "compiler/ctypes/internal.h"

enum { DEPTH_MAX = 64 }; // of constants that point to constants, and of operands around a pointer

typedef struct {
    CUnit *unit;
    const Region *region;
    CDiffer *differ;
    bool found;
    VECTOR(CXCursor) switches;  // the bodies of the switches on the way
    VECTOR(CXCursor) declaring; // the variables whose initialisers are being looked at
} Search;

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

static void found_named(Search *search, CDifferKind kind, CXCursor cursor, const char *name)
{
    if (search->found)
        return;
    search->found = true;
    *search->differ = (CDiffer){kind, cursor_span(search->unit, cursor, search->region), name};
}

static void found(Search *search, CDifferKind kind, CXCursor cursor)
{
    found_named(search, kind, cursor, NULL);
}

// Visits the cursor itself, too.
static void visit_whole(Search *search, CXCursor cursor, CXCursor parent)
{
    if (!clang_Cursor_isNull(cursor) && visit(cursor, parent, search) == CXChildVisit_Recurse)
        clang_visitChildren(cursor, visit, search);
}

// ---- variables of the program ----

typedef struct {
    unsigned depth;
    bool is_constant;
} Constants;

static enum CXChildVisitResult visit_constant(CXCursor cursor, CXCursor parent, CXClientData data);

static bool is_unchanging(CXType type)
{
    return type_is_const(type) && !clang_isVolatileQualifiedType(clang_getCanonicalType(type));
}

// Does a variable of the program, and everything that it leads to, keep its value?
static bool is_constant(CXCursor variable, unsigned depth)
{
    CXType type = clang_getCursorType(variable);
    if (depth > DEPTH_MAX || !is_unchanging(type))
        return false;
    if (!type_holds_pointer(type))
        return true;
    CXCursor definition = clang_getCursorDefinition(variable);
    CXCursor init = clang_Cursor_getVarDeclInitializer(clang_Cursor_isNull(definition) ? variable : definition);
    if (clang_Cursor_isNull(init))
        return false;
    Constants constants = {.depth = depth + 1, .is_constant = true};
    if (visit_constant(init, init, &constants) == CXChildVisit_Recurse)
        clang_visitChildren(init, visit_constant, &constants);
    return constants.is_constant;
}

static enum CXChildVisitResult visit_constant(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Constants *constants = data;
    if (clang_getCursorKind(cursor) == CXCursor_UnaryExpr) // sizeof
        return CXChildVisit_Continue;
    if (clang_getCursorKind(cursor) == CXCursor_CompoundLiteralExpr)
        constants->is_constant &= type_is_const(clang_getCursorType(cursor));
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) {
        CXCursor target = clang_getCursorReferenced(cursor);
        if (clang_getCursorKind(target) == CXCursor_VarDecl)
            constants->is_constant &= is_constant(target, constants->depth);
    }
    return constants->is_constant ? CXChildVisit_Recurse : CXChildVisit_Break;
}

static void check_name(Search *search, CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    const char *name = take_text(search->unit->arena, clang_getCursorSpelling(cursor));
    if (kind == CXCursor_FunctionDecl) {
        found_named(search, CDIFFER_FUNCTION, cursor, name);
    } else if (kind == CXCursor_VarDecl && cursor_declared(search->unit, target) == DECLARED_BEFORE) {
        if (!is_constant(target, 0))
            found_named(search, is_unchanging(clang_getCursorType(target)) ? CDIFFER_POINTEE : CDIFFER_GLOBAL, cursor,
                        name);
    } else if (kind == CXCursor_VarDecl && cursor_declared(search->unit, target) == DECLARED_IN_COPY) {
        for (size_t i = 0; i < search->declaring.count; i++) // `int n = n;`
            if (clang_equalCursors(search->declaring.items[i], target))
                found_named(search, CDIFFER_UNSET, cursor, name);
    }
}

// A variable that the expression itself declares. Its type is not evaluated, unless its size is not known: then it has
// no initialiser.
static void check_declaration(Search *search, CXCursor cursor)
{
    const char *name = take_text(search->unit->arena, clang_getCursorSpelling(cursor));
    CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    bool is_kept = storage == CX_SC_Static || storage == CX_SC_Extern || storage == CX_SC_PrivateExtern ||
                   clang_getCursorTLSKind(cursor) != CXTLS_None;
    if (is_kept && !is_constant(cursor, 0))
        found_named(search, CDIFFER_KEPT, cursor, name);
    else if (!is_kept && clang_Cursor_isNull(init))
        found_named(search, CDIFFER_UNSET, cursor, name);
    vector_push(search->unit->arena, &search->declaring, cursor);
    visit_whole(search, init, cursor);
    search->declaring.count--;
}

// ---- pointers ----

static bool leads_to_values(Search *search, CXCursor pointer, unsigned depth);

// The array, struct or variable that an lvalue is part of, as far as no pointer is followed.
static CXCursor whole_of(CXCursor cursor)
{
    for (;;) {
        cursor = cursor_without_parens(cursor);
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        Children children = children_of(cursor);
        if ((kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr) || children.count == 0)
            return cursor;
        cursor = children.items[0];
    }
}

// A constant of the program leads to constants only; this was found out where it is named.
static bool is_part_of_constant(Search *search, CXCursor cursor, unsigned depth)
{
    CXCursor whole = whole_of(cursor);
    if (clang_getCursorKind(whole) == CXCursor_DeclRefExpr)
        return cursor_declared(search->unit, clang_getCursorReferenced(whole)) == DECLARED_BEFORE;
    if (clang_getCursorKind(whole) == CXCursor_UnaryOperator && depth < DEPTH_MAX)
        return is_part_of_constant(search, children_of(whole).last, depth + 1);
    return false;
}

// May what the pointer points to be read?
static bool leads_to_values(Search *search, CXCursor pointer, unsigned depth)
{
    CXCursor operand;
    CXType type = cursor_type(pointer);
    if (depth > DEPTH_MAX)
        return false;
    if (cursor_is_implicit(pointer, &operand) && type_is_array(cursor_type(operand)))
        return true;
    CXType pointee = clang_getCanonicalType(clang_getPointeeType(type));
    bool is_text = type_is_pointer(type) && clang_isConstQualifiedType(pointee) &&
                   !clang_isVolatileQualifiedType(pointee) && type_is_character(pointee);
    if (is_text && (pointee.kind == CXType_Char_S || pointee.kind == CXType_Char_U))
        return true;
    pointer = cursor_without_parens(pointer);
    Children children = children_of(pointer);
    switch (clang_getCursorKind(pointer)) {
    case CXCursor_BinaryOperator: // array + i; a comma; an assignment
        for (unsigned i = 0; i < children.count; i++)
            if (type_is_pointer(cursor_type(children.items[i])) &&
                !leads_to_values(search, children.items[i], depth + 1))
                return false;
        return true;
    case CXCursor_ConditionalOperator:
        return children.count == 3 && leads_to_values(search, children.items[1], depth + 1) &&
               leads_to_values(search, children.items[2], depth + 1);
    case CXCursor_CStyleCastExpr:
        return leads_to_values(search, children.last, depth + 1);
    case CXCursor_DeclRefExpr: // `const unsigned char *c = (const unsigned char *)s;` as part of the expression
        if (is_text && cursor_declared(search->unit, clang_getCursorReferenced(pointer)) == DECLARED_IN_COPY)
            return true;
        return is_part_of_constant(search, pointer, 0);
    default:
        return is_part_of_constant(search, pointer, 0);
    }
}

// It is reported where the address is taken.
static bool is_address(const Search *search, CXCursor cursor)
{
    cursor = cursor_without_parens(cursor);
    return clang_getCursorKind(cursor) == CXCursor_UnaryOperator &&
           cursor_unary_kind(search->unit, cursor) == UNARY_ADDRESS;
}

static void check_read(Search *search, CXCursor cursor, CXCursor pointer)
{
    if (!is_address(search, pointer) && type_is_pointer(cursor_type(pointer)) && !leads_to_values(search, pointer, 0))
        found(search, CDIFFER_THROUGH, cursor);
}

static bool is_string(CXCursor pointer)
{
    return type_is_character(clang_getCanonicalType(clang_getPointeeType(cursor_type(pointer))));
}

static void check_binary(Search *search, CXCursor cursor)
{
    Children children = children_of(cursor);
    CXCursor left = children.items[0], right = children.items[1];
    bool is_left = type_is_pointer(cursor_type(left)), is_right = type_is_pointer(cursor_type(right));
    if ((!is_left && !is_right) || type_is_pointer(cursor_type(cursor)))
        return;
    const char *operator= cursor_binary_operator(search->unit, cursor);
    bool is_logical = strcmp(operator, "&&") == 0 || strcmp(operator, "||") == 0 || strcmp(operator, ",") == 0;
    // A difference has another type than a comparison, where a macro hides which of them it is.
    bool is_null_test = (cursor_is_null_constant(left) || cursor_is_null_constant(right)) &&
                        strcmp(operator, "-") != 0 && cursor_type(cursor).kind == CXType_Int;
    bool is_of_strings = (is_left && is_string(left)) || (is_right && is_string(right));
    if (!is_logical && !is_null_test)
        found_named(search, is_of_strings ? CDIFFER_STRINGS : CDIFFER_COMPARE, cursor, operator);
}

static void check_conversion(Search *search, CXCursor cursor, CXCursor operand)
{
    CXType from = cursor_type(operand), to = cursor_type(cursor);
    bool is_from = type_is_pointer(from), is_to = type_is_pointer(to);
    if ((!is_from && !is_to) || to.kind == CXType_Bool || to.kind == CXType_Void || cursor_is_null_constant(operand))
        return;
    if (!is_from && !type_is_integer(from))
        return; // an array, or a function
    bool is_safe = false;
    if (is_from && is_to) {
        CXType one = clang_getCanonicalType(clang_getPointeeType(from));
        CXType other = clang_getCanonicalType(clang_getPointeeType(to));
        // Nothing can be read through a pointer to void.
        is_safe = type_same_unqualified(search->unit, one, other) || other.kind == CXType_Void ||
                  (type_is_character(one) && type_is_character(other));
    }
    if (!is_safe && !is_address(search, operand))
        found(search, CDIFFER_CONVERT, cursor);
}

// ---- calls ----

// Has a copy of it the same meaning for every role? The texts of strings have; what has a codec may hold anything.
static bool is_value(const CType *type)
{
    switch (type->kind) {
    case CTYPE_BOOL:
    case CTYPE_INTEGER:
    case CTYPE_FLOAT:
    case CTYPE_COMPLEX:
    case CTYPE_ENUM:
    case CTYPE_CSTRING:
    case CTYPE_STR:
    case CTYPE_BYTES:
        return true;
    case CTYPE_ARRAY:
    case CTYPE_SEQUENCE:
        return is_value(type->element);
    case CTYPE_STRUCT:
        for (size_t i = 0; i < type->fields.count; i++)
            if (!is_value(type->fields.items[i].type))
                return false;
        return true;
    default:
        return false;
    }
}

static bool is_agreed_argument(Search *search, CXCursor argument)
{
    const CType *type = unit_type(search->unit, clang_getCursorType(argument));
    CXCursor operand;
    if (type->kind != CTYPE_POINTER)
        return is_value(type);
    if (cursor_is_null_constant(argument))
        return true;
    if (type->element == NULL || !is_value(type->element) ||
        !is_unchanging(clang_getPointeeType(cursor_type(argument))))
        return false;
    // An array that becomes a pointer, which then becomes one to const.
    while (cursor_is_implicit(argument, &operand) && type_is_pointer(cursor_type(operand)))
        argument = operand;
    return leads_to_values(search, argument, 0);
}

static void check_call(Search *search, CXCursor cursor)
{
    CXCursor function = clang_getCursorReferenced(cursor);
    const char *name = take_text(search->unit->arena, clang_getCursorSpelling(function));
    // A builtin is declared where it is used first.
    bool is_before = scan_starts_with(name, "__builtin_") || cursor_declared(search->unit, function) == DECLARED_BEFORE;
    if (clang_getCursorKind(function) != CXCursor_FunctionDecl || !is_before || function_depends_on_place(function))
        found(search, CDIFFER_CALL, cursor);
    else if (!function_is_pure(function))
        found_named(search, CDIFFER_IMPURE, cursor, name);
    int count = clang_Cursor_getNumArguments(cursor);
    for (int i = 0; !search->found && i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        visit_whole(search, argument, cursor);
        if (!search->found && !is_agreed_argument(search, argument))
            found_named(search, CDIFFER_ARGUMENT, argument, name);
    }
}

static void check_member(Search *search, CXCursor cursor)
{
    Children children = children_of(cursor);
    if (children.count > 0)
        check_read(search, cursor, children.items[0]);
    if (cursor_is_union_member(cursor))
        found(search, CDIFFER_UNION, cursor);
}

// ---- statements ----

// A `case` may jump over a declaration: it stands in the switch's own block, where no variable is declared.
static void check_case(Search *search, CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(parent);
    bool is_plain = kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt || kind == CXCursor_SwitchStmt;
    for (size_t i = 0; i < search->switches.count; i++)
        is_plain |= clang_equalCursors(search->switches.items[i], parent);
    if (!is_plain)
        found(search, CDIFFER_OTHER, cursor);
}

static void check_declared_statement(Search *search, CXCursor cursor, CXCursor parent)
{
    for (size_t i = 0; i < search->switches.count; i++)
        if (clang_equalCursors(search->switches.items[i], parent))
            found_named(search, CDIFFER_UNSET, cursor,
                        take_text(search->unit->arena, clang_getCursorSpelling(children_of(cursor).items[0])));
}

// ---- expressions without a kind of their own ----

static void check_unexposed(Search *search, CXCursor cursor)
{
    CXCursor operand;
    Children children = children_of(cursor);
    if (cursor_is_implicit(cursor, &operand)) {
        if (clang_getCursorKind(operand) == CXCursor_StringLiteral && type_is_array(cursor_type(cursor)))
            found_named(search, CDIFFER_PREDEFINED, cursor, "__func__");
        else
            check_conversion(search, cursor, operand);
        return;
    }
    bool is_designator = cursor_type(cursor).kind == CXType_Void && children.count > 1; // .x = 3
    bool is_conditional = children.count == 4 && clang_equalRanges(clang_getCursorExtent(children.items[0]),
                                                                   clang_getCursorExtent(children.items[1])); // a ?: b
    // offsetof and the like; without an operand, it may be the column in the program's text, which is unsigned.
    bool is_number = (children.count > 0 || cursor_type(cursor).kind == CXType_Int) && cursor_is_number(cursor);
    if (!is_designator && !is_conditional && !is_number)
        found(search, CDIFFER_OTHER, cursor);
}

// What is evaluated of these is their last operand; the others are part of a type.
static enum CXChildVisitResult visit_last(Search *search, CXCursor cursor)
{
    visit_whole(search, children_of(cursor).last, cursor);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_but_first(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Search *search = data;
    if (!clang_equalCursors(children_of(parent).items[0], cursor))
        visit_whole(search, cursor, parent);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_statement(Search *search, CXCursor cursor, CXCursor parent)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclStmt:
        check_declared_statement(search, cursor, parent);
        break;
    case CXCursor_SwitchStmt:
        vector_push(search->unit->arena, &search->switches, children_of(cursor).last);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        check_case(search, cursor, parent);
        break;
    case CXCursor_CompoundStmt:
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_NullStmt:
        break;
    default: // goto may jump over a declaration; asm does what it wants
        found(search, CDIFFER_OTHER, cursor);
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_expression(Search *search, CXCursor cursor)
{
    Children children;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_ImaginaryLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_StringLiteral:
    case CXCursor_ParenExpr:
    case CXCursor_ConditionalOperator:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_InitListExpr:
    case CXCursor_StmtExpr:
        break;
    case CXCursor_UnexposedExpr:
        check_unexposed(search, cursor);
        break;
    case CXCursor_CallExpr:
        check_call(search, cursor);
        return CXChildVisit_Continue;
    case CXCursor_DeclRefExpr:
        check_name(search, cursor);
        break;
    case CXCursor_MemberRefExpr:
        check_member(search, cursor);
        break;
    case CXCursor_ArraySubscriptExpr: // i[array] is possible, too
        children = children_of(cursor);
        check_read(search, cursor, children.items[0]);
        check_read(search, cursor, children.items[1]);
        break;
    case CXCursor_UnaryOperator:
        if (cursor_unary_kind(search->unit, cursor) == UNARY_ADDRESS)
            found(search, CDIFFER_ADDRESS, cursor);
        else if (cursor_unary_kind(search->unit, cursor) == UNARY_DEREFERENCE)
            check_read(search, cursor, children_of(cursor).last);
        break;
    case CXCursor_BinaryOperator:
        check_binary(search, cursor);
        break;
    case CXCursor_UnaryExpr: // sizeof: its operand is not evaluated, except for the size of an array
        return cursor_is_number(cursor) ? CXChildVisit_Continue : CXChildVisit_Recurse;
    case CXCursor_CStyleCastExpr:
        check_conversion(search, cursor, children_of(cursor).last);
        return visit_last(search, cursor);
    case CXCursor_CompoundLiteralExpr:
        return visit_last(search, cursor);
    case CXCursor_GenericSelectionExpr: // what it selects by is not evaluated
        clang_visitChildren(cursor, visit_but_first, search);
        return CXChildVisit_Continue;
    case CXCursor_AddrLabelExpr:
        found(search, CDIFFER_ADDRESS, cursor);
        break;
    default:
        found(search, CDIFFER_OTHER, cursor);
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Search *search = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXChildVisitResult result = CXChildVisit_Continue; // types, and names of members
    if (kind == CXCursor_VarDecl)
        check_declaration(search, cursor);
    else if (clang_isExpression(kind))
        result = visit_expression(search, cursor);
    else if (clang_isStatement(kind))
        result = visit_statement(search, cursor, parent);
    return search->found ? CXChildVisit_Break : result;
}

// ---- the whole ----

// As a value, an array that has become a pointer leads to a variable's memory.
static bool is_array_as_pointer(const CUnit *unit, CXCursor cursor, unsigned depth)
{
    CXCursor operand;
    if (depth > DEPTH_MAX || !type_is_pointer(cursor_type(cursor)))
        return false;
    if (cursor_is_implicit(cursor, &operand) && type_is_array(cursor_type(operand)))
        return !type_is_character(clang_getCanonicalType(clang_getArrayElementType(cursor_type(operand))));
    cursor = cursor_without_parens(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    Children children = children_of(cursor);
    // What is read out of an array is no part of it any more.
    if (kind == CXCursor_MemberRefExpr || kind == CXCursor_ArraySubscriptExpr ||
        (kind == CXCursor_UnaryOperator && cursor_unary_kind(unit, cursor) != UNARY_OTHER))
        return false;
    if (kind == CXCursor_StmtExpr)
        return is_array_as_pointer(unit, children_of(children.last).last, depth + 1);
    for (unsigned i = 0; i < children.count && i < CHILDREN_MAX; i++)
        if (is_array_as_pointer(unit, children.items[i], depth + 1))
            return true;
    return false;
}

// Clang warns where a variable is changed and read in no order.
static bool has_no_order(CUnit *unit, const Region *region, Span *span)
{
    bool has = false;
    for (unsigned i = 0; !has && i < clang_getNumDiagnostics(unit->parsed.tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->parsed.tu, i);
        CXString option = clang_getDiagnosticOption(diagnostic, NULL);
        const char *group = clang_getCString(option);
        ClangPlace place = place_of(clang_getDiagnosticLocation(diagnostic));
        has = group != NULL && strcmp(group, "-Wunsequenced") == 0 && place_in(place, unit->parsed.file) &&
              place.offset >= region->start && place.offset < region->end;
        const UnitPiece *piece = has ? unit_piece_at(unit, place.offset) : NULL;
        if (piece != NULL)
            *span = piece_span(piece, place.offset,
                               place.offset + scan_token(unit->text + place.offset, unit->text + piece->end));
        clang_disposeString(option);
        clang_disposeDiagnostic(diagnostic);
    }
    return has;
}

bool cunit_differs(CUnit *unit, uint32_t id, bool is_array, CDiffer *differ)
{
    size_t index = 0;
    for (const Region *region = unit_region(unit, id, &index); region != NULL; region = unit_region(unit, id, &index)) {
        Search search = {.unit = unit, .region = region, .differ = differ};
        differ->span = SPAN_NONE;
        differ->name = NULL;
        CXCursor root = region_written(unit, region);
        const char *macro = macros_differ(unit, region, &differ->span);
        if (!search.found && macro != NULL) {
            search.found = true;
            differ->kind = CDIFFER_PREDEFINED;
            differ->name = macro;
        }
        visit_whole(&search, root, root);
        if (!search.found && !is_array && is_array_as_pointer(unit, region->root, 0))
            found(&search, CDIFFER_ARRAY, root);
        if (!search.found && has_no_order(unit, region, &differ->span)) {
            search.found = true;
            differ->kind = CDIFFER_ORDER;
        }
        if (search.found)
            return true;
    }
    return false;
}
