// guard.c: what an expression could change of variables that it must not change.
//
// Clang itself refuses assignments to a variable that our text declares const. What it does not refuse, or only warns
// about wherever the pointer happens to be declared, is a pointer without const that leads to the variable: by an
// implicit conversion, a cast, a union, or behind the `...` of a function. Strings that a variable owns are never const
// themselves, only their characters are: assignments to them are found here, too.
//
// A variable that the expression declares takes part if it ever gets a pointer that leads to a guarded one, or
// something made of such a pointer. What a called function returns is that function's business, except for those of
// the C library that return a pointer into what they are given.

#include "compiler/ctypes/internal.h"

enum { DEPTH_MAX = 64 };

typedef struct {
    CXCursor declaration;
    const CGuarded *to;
    bool has_address; // of the guarded variable; else it has a copy of a value, which may hold a string's address
} Leader;

typedef struct {
    CUnit *unit;
    const Region *region;
    const CGuarded *guarded;
    size_t count;
    VECTOR(Leader) leaders; // variables of the expression's own that lead to a guarded one
    VECTOR(CXCursor) path;  // the expression that is looked at, behind those around it
    const CGuarded *met;    // the guarded variable that was met last
    bool met_copy;          // in a variable of the expression's own that has no address of it
    bool addresses_only;    // what is read out of a guarded variable does not lead to it
    bool learned;
    bool found;
    CDanger *danger;
} Guard;

static bool leads(Guard *guard, CXCursor cursor, unsigned depth);

static Leader *find_leader(const Guard *guard, CXCursor declaration)
{
    for (size_t i = 0; i < guard->leaders.count; i++)
        if (clang_equalCursors(guard->leaders.items[i].declaration, declaration))
            return &guard->leaders.items[i];
    return NULL;
}

// Is it a guarded variable, or one that leads there?
static bool is_guarded(Guard *guard, CXCursor reference)
{
    CXCursor target = clang_getCursorReferenced(reference);
    if (clang_getCursorKind(target) != CXCursor_VarDecl)
        return false;
    const Leader *leader = find_leader(guard, target);
    const CGuarded *met = leader != NULL ? leader->to : NULL;
    if (leader != NULL && guard->addresses_only && !leader->has_address)
        return false;
    CXString spelling = clang_getCursorSpelling(target);
    if (leader == NULL && cursor_declared(guard->unit, target) == DECLARED_BY_US)
        for (size_t i = 0; met == NULL && i < guard->count; i++)
            if (strcmp(guard->guarded[i].name, clang_getCString(spelling)) == 0)
                met = &guard->guarded[i];
    clang_disposeString(spelling);
    if (met != NULL) {
        guard->met = met;
        guard->met_copy = leader != NULL && !leader->has_address;
    }
    return met != NULL;
}

// Can a value of this type, read out of a guarded variable, lead to memory of it? A number and a pointer to something
// else can't.
static bool may_lead(CXType type)
{
    type = clang_getCanonicalType(type);
    if (type_is_pointer(type))
        return type_is_character(clang_getCanonicalType(clang_getPointeeType(type)));
    return type.kind == CXType_Record || type_is_array(type);
}

// Does the lvalue lie in a guarded variable, or in what that owns?
static bool lies_in(Guard *guard, CXCursor cursor, unsigned depth)
{
    CXCursor operand;
    if (depth > DEPTH_MAX)
        return true;
    Children children = children_of(cursor);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr:
        return is_guarded(guard, cursor);
    case CXCursor_ParenExpr:
        return lies_in(guard, children.last, depth + 1);
    case CXCursor_MemberRefExpr:
        if (children.count == 0)
            return false;
        return type_is_pointer(cursor_type(children.items[0])) ? leads(guard, children.items[0], depth + 1)
                                                               : lies_in(guard, children.items[0], depth + 1);
    case CXCursor_ArraySubscriptExpr:
        return leads(guard, children.items[0], depth + 1) || leads(guard, children.items[1], depth + 1);
    case CXCursor_UnaryOperator: // *p
        return leads(guard, children.last, depth + 1);
    default:
        return cursor_is_implicit(cursor, &operand) ? lies_in(guard, operand, depth + 1)
                                                    : leads(guard, cursor, depth + 1);
    }
}

// Can what is read out of it lead to memory of a guarded variable? A variable of the expression's own may hold any
// pointer to it, even as a number.
static bool may_lead_from(const Guard *guard, CXCursor cursor, CXCursor whole)
{
    CXCursor variable = cursor_variable(whole);
    return (!guard->addresses_only && may_lead(clang_getCursorType(cursor))) ||
           (!clang_Cursor_isNull(variable) && find_leader(guard, variable) != NULL);
}

typedef struct {
    Guard *guard;
    unsigned depth;
    bool leads;
} AnyLeads;

static enum CXChildVisitResult visit_any(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    AnyLeads *any = data;
    any->leads |= clang_isExpression(clang_getCursorKind(cursor)) && leads(any->guard, cursor, any->depth);
    return any->leads ? CXChildVisit_Break : CXChildVisit_Continue;
}

static bool any_leads(Guard *guard, CXCursor cursor, unsigned depth)
{
    AnyLeads any = {guard, depth, false};
    clang_visitChildren(cursor, visit_any, &any);
    return any.leads;
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

// A call of a function of the C library that returns a pointer without const into what it gets with const.
static bool is_search(CXCursor call)
{
    static const char *const NAMES[] = {"memchr", "memrchr",    "rawmemchr", "memmem", "strchr", "strrchr", "strchrnul",
                                        "strstr", "strcasestr", "strpbrk",   "index",  "rindex", "bsearch"};
    CXString name = clang_getCursorSpelling(clang_getCursorReferenced(call));
    const char *text = clang_getCString(name);
    text = strncmp(text, "__builtin_", 10) == 0 ? text + 10 : text;
    bool is = false;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        is |= strcmp(text, NAMES[i]) == 0;
    clang_disposeString(name);
    return is;
}

// Is the value a pointer to memory of a guarded variable, or made of one?
static bool leads(Guard *guard, CXCursor cursor, unsigned depth)
{
    CXCursor operand;
    if (depth > DEPTH_MAX)
        return true;
    Children children = children_of(cursor);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr:
        return is_guarded(guard, cursor) && may_lead_from(guard, cursor, cursor);
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
        return lies_in(guard, cursor, depth + 1) && may_lead_from(guard, cursor, cursor);
    case CXCursor_UnaryOperator:
        switch (cursor_unary_kind(guard->unit, cursor)) {
        case UNARY_ADDRESS:
            return lies_in(guard, children.last, depth + 1);
        case UNARY_DEREFERENCE:
            return leads(guard, children.last, depth + 1) && may_lead_from(guard, cursor, children.last);
        case UNARY_OTHER:
            break;
        }
        return leads(guard, children.last, depth + 1);
    case CXCursor_StmtExpr:
        return leads(guard, children_of(children.last).last, depth + 1);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CompoundLiteralExpr:
        return leads(guard, children.last, depth + 1);
    case CXCursor_UnexposedExpr:
        if (cursor_is_implicit(cursor, &operand))
            return type_is_array(cursor_type(operand)) ? lies_in(guard, operand, depth + 1)
                                                       : leads(guard, operand, depth + 1);
        return any_leads(guard, cursor, depth + 1);
    case CXCursor_CallExpr:
        return is_search(cursor) && any_leads(guard, cursor, depth + 1);
    case CXCursor_ParenExpr:
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_ConditionalOperator:
    case CXCursor_GenericSelectionExpr:
    case CXCursor_InitListExpr:
        return any_leads(guard, cursor, depth + 1);
    default:
        return false;
    }
}

// Does the address of a guarded variable itself come in it?
static bool leads_by_address(Guard *guard, CXCursor cursor)
{
    guard->addresses_only = true;
    bool is = leads(guard, cursor, 0);
    guard->addresses_only = false;
    return is;
}

// ---- variables of the expression's own ----

static void learn(Guard *guard, CXCursor declaration, CXCursor value)
{
    if (clang_getCursorKind(declaration) != CXCursor_VarDecl ||
        cursor_declared(guard->unit, declaration) != DECLARED_IN_COPY || !leads(guard, value, 0))
        return;
    Leader leader = {declaration, guard->met, leads_by_address(guard, value)};
    leader.to = leader.has_address ? guard->met : leader.to;
    Leader *known = find_leader(guard, declaration);
    if (known == NULL)
        vector_push(guard->unit->arena, &guard->leaders, leader);
    else if (leader.has_address && !known->has_address)
        *known = leader;
    else
        return;
    guard->learned = true;
}

static enum CXChildVisitResult visit_learn(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Guard *guard = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl) {
        CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
        if (!clang_Cursor_isNull(init))
            learn(guard, cursor, init);
    } else if (cursor_is_assignment(guard->unit, cursor)) {
        Children children = children_of(cursor);
        CXCursor variable = cursor_variable(children.items[0]);
        if (!clang_Cursor_isNull(variable))
            learn(guard, variable, children.last);
    }
    return CXChildVisit_Recurse;
}

// ---- what is done with a pointer ----

// An implicit conversion or a cast of a pointer: is what it points to only read then?
typedef enum { USE_READS, USE_CHANGES, USE_GOES_ON } Use;

static Use use_by_conversion(CXType to)
{
    if (type_is_pointer(to))
        return type_is_const(clang_getPointeeType(to)) ? USE_READS : USE_GOES_ON;
    return to.kind == CXType_Bool ? USE_READS : USE_CHANGES;
}

static Use use_by_unary(Guard *guard, CXCursor around, const CXCursor *further, bool checks_lvalues)
{
    CXCursor operand;
    if (cursor_unary_kind(guard->unit, around) != UNARY_DEREFERENCE)
        return type_is_pointer(cursor_type(around)) ? USE_GOES_ON : USE_READS; // __extension__, !
    return checks_lvalues || (further != NULL && cursor_is_implicit(*further, &operand)) ? USE_READS : USE_CHANGES;
}

// What the expression around a pointer does with it. `further`: what is around that, or NULL. `checks_lvalues`: what
// the pointer points to is looked at by itself.
static Use use_in(Guard *guard, CXCursor pointer, CXCursor around, const CXCursor *further, bool checks_lvalues)
{
    CXCursor operand;
    enum CXCursorKind kind = clang_getCursorKind(around);
    bool is_value = further != NULL && clang_getCursorKind(*further) == CXCursor_StmtExpr;
    switch (kind) {
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
        return checks_lvalues || (further != NULL && cursor_is_implicit(*further, &operand)) ? USE_READS : USE_CHANGES;
    case CXCursor_UnaryOperator:
        return use_by_unary(guard, around, further, checks_lvalues);
    case CXCursor_BinaryOperator:
        if (cursor_is_assignment(guard->unit, around))
            return USE_CHANGES;
        return type_is_pointer(cursor_type(around)) ? USE_GOES_ON : USE_READS;
    case CXCursor_ConditionalOperator:
        return clang_equalCursors(children_of(around).items[0], pointer) ? USE_READS : USE_GOES_ON;
    case CXCursor_ParenExpr:
    case CXCursor_StmtExpr:
        return USE_GOES_ON;
    case CXCursor_CompoundStmt:
        return is_value && clang_equalCursors(children_of(around).last, pointer) ? USE_GOES_ON : USE_READS;
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return use_by_conversion(cursor_type(around));
    default:
        return clang_isStatement(kind) && kind != CXCursor_GCCAsmStmt ? USE_READS : USE_CHANGES;
    }
}

// Can what the pointer at the end of the path points to be changed through it? `around` gets what does it; a null
// cursor: the pointer is the expression's value.
static bool may_change(Guard *guard, bool checks_lvalues, CXCursor *around)
{
    const CXCursor *path = guard->path.items;
    for (size_t i = guard->path.count - 1; i-- > 0;) {
        Use use = use_in(guard, path[i + 1], path[i], i > 0 ? &path[i - 1] : NULL, checks_lvalues);
        *around = path[i];
        if (use != USE_GOES_ON)
            return use == USE_CHANGES;
    }
    *around = clang_getNullCursor();
    return true;
}

// ---- where const is lost ----

static void found(Guard *guard, CDangerKind kind, CXCursor cursor)
{
    if (guard->found)
        return;
    guard->found = true;
    *guard->danger = (CDanger){kind, cursor_span(guard->unit, cursor, guard->region), guard->met->name};
}

// What a pointer points to. An array stands for one to its elements: libclang shows a parameter as it was declared.
static CXType behind(CXType type)
{
    return clang_getCanonicalType(type_is_array(type) ? clang_getArrayElementType(type) : clang_getPointeeType(type));
}

static bool points(CXType type)
{
    return type_is_pointer(type) || type_is_array(type);
}

// Is something const behind the one and not behind the other?
static bool drops_const(CXType from, CXType to)
{
    while (points(to)) {
        to = behind(to);
        // What was a number, or has fewer pointers, can be anything.
        bool was_const = true;
        if (points(from)) {
            from = behind(from);
            was_const = type_is_const(from);
        }
        if (to.kind != CXType_FunctionProto && to.kind != CXType_FunctionNoProto && was_const && !type_is_const(to))
            return true;
    }
    return false;
}

static bool leads_to_fixed(Guard *guard, CXCursor cursor)
{
    return leads(guard, cursor, 0) && (guard->met->is_const || guard->met->has_string);
}

static void check_conversion(Guard *guard, CXCursor cursor, CXCursor operand)
{
    CXType from = cursor_type(operand), to = cursor_type(cursor);
    if (points(to) && drops_const(from, to) && leads_to_fixed(guard, cursor))
        found(guard, CDANGER_POINTER, operand);
}

// A union makes one pointer of another.
static void check_member(Guard *guard, CXCursor cursor)
{
    Children children = children_of(cursor);
    CXType type = cursor_type(cursor);
    if (children.count > 0 && type_is_pointer(type) && !type_is_const(clang_getPointeeType(type)) &&
        cursor_is_union_member(cursor) && leads_to_fixed(guard, children.items[0]))
        found(guard, CDANGER_POINTER, cursor);
}

// Behind `...` a parameter has no type that could be const. printf and the like read strings there, scanf writes.
static void check_call(Guard *guard, CXCursor cursor)
{
    CXCursor callee = clang_getCursorReferenced(cursor);
    CXType type = cursor_type(children_of(cursor).items[0]);
    if (type_is_pointer(type))
        type = clang_getCanonicalType(clang_getPointeeType(type));
    int known = clang_getNumArgTypes(type), count = clang_Cursor_getNumArguments(cursor);
    if (!clang_isFunctionTypeVariadic(type))
        return;
    CXString name = clang_getCursorSpelling(callee);
    bool scans = ends_in(clang_getCString(name), "scanf");
    clang_disposeString(name);
    for (int i = known < 0 ? 0 : known; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        CXType given = cursor_type(argument);
        CXType pointee = clang_getCanonicalType(clang_getPointeeType(given));
        if (!type_is_pointer(given) || (pointee.kind == CXType_Void && type_is_const(pointee)))
            continue;
        if ((scans || !type_is_character(pointee)) && leads_to_fixed(guard, argument))
            found(guard, CDANGER_POINTER, argument);
    }
}

// ---- strings that a variable owns ----

// A string itself, or something that has one in it. What is in a value with a codec is the user's business.
static bool holds_string(const CType *type, bool with_structs)
{
    switch (type->kind) {
    case CTYPE_CSTRING:
    case CTYPE_STR:
    case CTYPE_BYTES:
        return true;
    case CTYPE_ARRAY:
    case CTYPE_SEQUENCE:
        return holds_string(type->element, with_structs);
    case CTYPE_STRUCT:
        for (size_t i = 0; with_structs && i < type->fields.count; i++)
            if (holds_string(type->fields.items[i].type, true))
                return true;
        return false;
    default:
        return false;
    }
}

// An lvalue of a guarded variable, in which there is a string that the variable owns. A number that is read through a
// string's pointer is none, nor is a variable of the expression's own.
static bool is_owned_string(Guard *guard, CXCursor lvalue, bool with_structs)
{
    CXCursor variable = cursor_variable(lvalue);
    bool is_own = !clang_Cursor_isNull(variable) && find_leader(guard, variable) != NULL;
    return !is_own && lies_in(guard, lvalue, 0) && !guard->met_copy && !guard->met->is_const &&
           holds_string(unit_type(guard->unit, clang_getCursorType(lvalue)), with_structs);
}

static void check_assignment(Guard *guard, CXCursor cursor)
{
    CXCursor target = cursor_without_parens(children_of(cursor).items[0]);
    if (is_owned_string(guard, target, true))
        found(guard, CDANGER_STRING, target);
}

// The address of a string, or of several, other than for reading. What gets the address of a struct may change its
// other members.
static void check_address(Guard *guard, CXCursor pointer, CXCursor lvalue)
{
    CXCursor around;
    if (type_is_const(clang_getPointeeType(cursor_type(pointer))) || !may_change(guard, true, &around))
        return;
    CXType value = cursor_type(guard->region->root);
    bool is_read = clang_Cursor_isNull(around) && type_is_pointer(value) && type_is_const(clang_getPointeeType(value));
    if (!is_read && is_owned_string(guard, lvalue, false))
        found(guard, CDANGER_STRING, lvalue);
}

// The address of a pointer to a guarded variable: whoever has it could copy the pointer as bytes, and lose the const.
static void check_indirect(Guard *guard, CXCursor lvalue)
{
    CXCursor variable = cursor_variable(lvalue);
    const Leader *leader = clang_Cursor_isNull(variable) ? NULL : find_leader(guard, variable);
    if (leader == NULL || !leader->has_address || !leader->to->is_const || !type_holds_pointer(cursor_type(lvalue)))
        return;
    size_t around = guard->path.count - 1;
    while (around-- > 0 && clang_getCursorKind(guard->path.items[around]) == CXCursor_ParenExpr)
        ;
    enum CXCursorKind kind = around < guard->path.count ? clang_getCursorKind(guard->path.items[around]) : 0;
    if (kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_MemberRefExpr || kind == CXCursor_UnaryOperator)
        return;
    guard->met = leader->to;
    found(guard, CDANGER_POINTER, lvalue);
}

// ---- pointers that are kept ----

static bool is_other_pointer(CXType type);

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data)
{
    bool *is = data;
    *is = is_other_pointer(clang_getCursorType(cursor));
    return *is ? CXVisit_Break : CXVisit_Continue;
}

// A pointer, or something with one in it, that is not copied as a string is.
static bool is_other_pointer(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type_is_array(type))
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type_is_pointer(type)) {
        CXType pointee = clang_getCanonicalType(clang_getPointeeType(type));
        return !(type_is_const(pointee) && type_is_character(pointee));
    }
    bool is = false;
    if (type.kind == CXType_Record)
        clang_Type_visitFields(type, visit_field, &is);
    return is;
}

typedef struct {
    Guard *guard;
    bool may;
} StringCheck;

static bool may_change_string(Guard *guard, CXType type);

static enum CXVisitorResult visit_string(CXCursor cursor, CXClientData data)
{
    StringCheck *check = data;
    check->may |= may_change_string(check->guard, clang_getCursorType(cursor));
    return check->may ? CXVisit_Break : CXVisit_Continue;
}

// A pointer, or something with one in it, to something that may have strings in it and is not const.
static bool may_change_string(Guard *guard, CXType type)
{
    type = clang_getCanonicalType(type);
    while (type_is_array(type))
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    StringCheck check = {guard, false};
    if (type.kind == CXType_Record)
        clang_Type_visitFields(type, visit_string, &check);
    if (!type_is_pointer(type))
        return check.may;
    CXType pointee = clang_getPointeeType(type);
    return !type_is_const(pointee) &&
           (clang_getCanonicalType(pointee).kind == CXType_Void || holds_string(unit_type(guard->unit, pointee), true));
}

static void check_kept(Guard *guard, CXCursor value)
{
    CXType type = cursor_type(value);
    if (!is_other_pointer(type) || !leads_by_address(guard, value))
        return;
    if (guard->met->is_agreed)
        found(guard, CDANGER_KEPT, value);
    else if (guard->met->has_string && may_change_string(guard, type))
        found(guard, CDANGER_POINTER, value);
}

static void check_kept_by_assignment(Guard *guard, CXCursor cursor)
{
    Children children = children_of(cursor);
    CXCursor variable = cursor_variable(children.items[0]);
    if (clang_Cursor_isNull(variable) || cursor_declared(guard->unit, variable) != DECLARED_IN_COPY ||
        clang_Cursor_getStorageClass(variable) == CX_SC_Static)
        check_kept(guard, children.last);
}

// ---- the whole ----

// What a search returns leads into what it was given.
static void check_search(Guard *guard, CXCursor cursor)
{
    CXCursor around;
    if (!is_search(cursor) || !may_change(guard, false, &around) || clang_Cursor_isNull(around) ||
        !leads_to_fixed(guard, cursor))
        return;
    bool is_argument = clang_getCursorKind(around) == CXCursor_CallExpr; // behind `...`, or as check_call finds it
    CXType pointee = clang_getPointeeType(cursor_type(cursor));
    if (!is_argument || clang_getCanonicalType(pointee).kind == CXType_Void)
        found(guard, CDANGER_POINTER, cursor);
}

// An operand of asm: its memory, or a pointer. What the asm does with either nobody knows.
static enum CXChildVisitResult visit_operand(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Guard *guard = data;
    CXCursor operand;
    bool is_lvalue = !cursor_is_implicit(cursor, &operand) && lies_in(guard, cursor, 0);
    if (clang_isExpression(clang_getCursorKind(cursor)) && (is_lvalue || leads(guard, cursor, 0)))
        found(guard, CDANGER_POINTER, cursor);
    return CXChildVisit_Continue;
}

static void check_unary(Guard *guard, CXCursor cursor)
{
    CXCursor operand = children_of(cursor).last;
    UnaryKind kind = cursor_unary_kind(guard->unit, cursor);
    if (kind == UNARY_ADDRESS) {
        check_address(guard, cursor, operand);
        check_indirect(guard, operand);
    } else if (type_is_pointer(cursor_type(cursor)) && kind == UNARY_OTHER) { // s++
        check_assignment(guard, cursor);
    }
}

static void keep_path(Guard *guard, CXCursor cursor, CXCursor parent)
{
    while (guard->path.count > 0 && !clang_equalCursors(guard->path.items[guard->path.count - 1], parent))
        guard->path.count--;
    vector_push(guard->unit->arena, &guard->path, cursor);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Guard *guard = data;
    CXCursor operand;
    keep_path(guard, cursor, parent);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_UnexposedExpr:
        if (!cursor_is_implicit(cursor, &operand))
            break;
        check_conversion(guard, cursor, operand);
        if (type_is_array(cursor_type(operand))) {
            check_address(guard, cursor, operand);
            check_indirect(guard, operand);
        }
        break;
    case CXCursor_CStyleCastExpr:
        check_conversion(guard, cursor, children_of(cursor).last);
        break;
    case CXCursor_MemberRefExpr:
        check_member(guard, cursor);
        break;
    case CXCursor_CallExpr:
        check_call(guard, cursor);
        check_search(guard, cursor);
        break;
    case CXCursor_GCCAsmStmt:
        clang_visitChildren(cursor, visit_operand, guard);
        break;
    case CXCursor_UnaryOperator:
        check_unary(guard, cursor);
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        if (!cursor_is_assignment(guard->unit, cursor))
            break;
        check_assignment(guard, cursor);
        check_kept_by_assignment(guard, cursor);
        break;
    default:
        break;
    }
    return guard->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool cunit_endangers(CUnit *unit, uint32_t id, const CGuarded *guarded, size_t count, bool is_array, CDanger *danger)
{
    size_t index = 0;
    for (const Region *region = unit_region(unit, id, &index); count > 0 && region != NULL;
         region = unit_region(unit, id, &index)) {
        Guard guard = {.unit = unit, .region = region, .guarded = guarded, .count = count, .danger = danger};
        do {
            guard.learned = false;
            visit_learn(region->root, region->root, &guard);
            clang_visitChildren(region->root, visit_learn, &guard);
        } while (guard.learned);
        // The conversions around what is written are to the type that the value gets.
        CXCursor written = region_written(unit, region), cursor = region->root, operand;
        for (; !clang_equalCursors(cursor, written) && cursor_is_implicit(cursor, &operand); cursor = operand)
            check_conversion(&guard, cursor, operand);
        if (visit(written, clang_getNullCursor(), &guard) == CXChildVisit_Recurse)
            clang_visitChildren(written, visit, &guard);
        if (!guard.found && !is_array)
            check_kept(&guard, region->root);
        if (guard.found)
            return true;
    }
    return false;
}
