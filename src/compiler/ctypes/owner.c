// owner.c: who owns what an expression's value holds, where its type has a codec.
//
// A call gives away what it returns, and so does an initialiser what calls have made for it. Everything else leads to
// somebody who owns it: a variable, an element, what a pointer points to. In between, a value comes out of the arms of
// a conditional, or of a variable that the expression declares.

#include "compiler/ctypes/internal.h"

enum { DEPTH_MAX = 64 };

// COwner, or nobody yet: there is nothing that could be owned.
typedef enum { OWNS_NOTHING, OWNED_BY_OTHERS, OWNED_BY_NOBODY, OWNED_BY_SOME, PART_OF_IT } Owns;

typedef struct {
    CUnit *unit;
    CXCursor root;
    VECTOR(CXCursor) variables; // that are being looked at
    unsigned depth;
} Owner;

static Owns join(Owns one, Owns other)
{
    if (one == OWNS_NOTHING || one == other)
        return other;
    return other == OWNS_NOTHING ? one : OWNED_BY_SOME;
}

static Owns owner_of(Owner *owner, CXCursor cursor);

bool ctype_has_codec(const CType *type)
{
    if (!type->is_owning)
        return false;
    if (type->kind == CTYPE_CODEC)
        return true;
    if (type->kind == CTYPE_ARRAY || type->kind == CTYPE_SEQUENCE)
        return ctype_has_codec(type->element);
    for (size_t i = 0; i < type->fields.count; i++)
        if (ctype_has_codec(type->fields.items[i].type))
            return true;
    return false;
}

static const CType *type_of(Owner *owner, CXCursor cursor)
{
    return unit_type(owner->unit, clang_getCursorType(cursor));
}

// ---- variables that the expression declares ----

typedef struct {
    Owner *owner;
    CXCursor variable;
    Owns owns;
} Assigned;

static enum CXChildVisitResult visit_assigned(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Assigned *assigned = data;
    if (clang_equalCursors(cursor, assigned->variable)) {
        CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
        if (!clang_Cursor_isNull(init))
            assigned->owns = join(assigned->owns, owner_of(assigned->owner, init));
    } else if (cursor_is_assignment(assigned->owner->unit, cursor)) {
        Children children = children_of(cursor);
        // A number that is put into a part of it says nothing about who owns the rest.
        if (clang_equalCursors(cursor_variable(children.items[0]), assigned->variable) &&
            type_holds_pointer(clang_getCursorType(children.items[0])))
            assigned->owns = join(assigned->owns, owner_of(assigned->owner, children.last));
    }
    return CXChildVisit_Recurse;
}

// Whatever the variable was given owns its value; without anything, the expression has filled it by itself.
static Owns owner_of_local(Owner *owner, CXCursor variable)
{
    Assigned assigned = {owner, variable, OWNS_NOTHING};
    for (size_t i = 0; i < owner->variables.count; i++)
        if (clang_equalCursors(owner->variables.items[i], variable))
            return OWNS_NOTHING;
    vector_push(owner->unit->arena, &owner->variables, variable);
    clang_visitChildren(owner->root, visit_assigned, &assigned);
    owner->variables.count--;
    return assigned.owns == OWNS_NOTHING ? OWNED_BY_NOBODY : assigned.owns;
}

// ---- initialisers ----

typedef struct {
    Owner *owner;
    bool is_codec; // the elements are parts of a value with a codec, which only the codec understands
    Owns owns;
} Elements;

static enum CXChildVisitResult visit_element(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Elements *elements = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!clang_isExpression(kind))
        return CXChildVisit_Continue;
    CXCursor value = cursor_without_parens(cursor);
    if (clang_getCursorKind(value) == CXCursor_UnexposedExpr && cursor_type(value).kind == CXType_Void)
        return CXChildVisit_Recurse; // .x = value
    bool is_list = clang_getCursorKind(value) == CXCursor_InitListExpr;
    if (elements->is_codec) {
        if (is_list) {
            clang_visitChildren(value, visit_element, elements);
        } else if (type_holds_pointer(clang_getCursorType(value)) && !cursor_is_null_constant(value)) {
            elements->owns = join(elements->owns, owner_of(elements->owner, value));
        }
    } else if (is_list || ctype_has_codec(type_of(elements->owner, value))) {
        elements->owns = join(elements->owns, owner_of(elements->owner, value));
    }
    return CXChildVisit_Continue;
}

// ---- expressions ----

typedef struct {
    Owner *owner;
    const char *taken;
    bool is_codec; // what owns something in it are pointers; else, what has a codec
    bool is_rest;  // there is something else
} Rest;

static enum CXVisitorResult visit_rest(CXCursor cursor, CXClientData data)
{
    Rest *rest = data;
    CXType type = clang_getCursorType(cursor);
    CXString name = clang_getCursorSpelling(cursor);
    if (clang_getCString(name)[0] == '\0') { // an anonymous struct: its fields are reached like the others
        clang_Type_visitFields(clang_getCanonicalType(type), visit_rest, rest);
        clang_disposeString(name);
        return CXVisit_Continue;
    }
    bool owns = rest->is_codec ? type_holds_pointer(type) : ctype_has_codec(unit_type(rest->owner->unit, type));
    rest->is_rest |= owns && strcmp(clang_getCString(name), rest->taken) != 0;
    clang_disposeString(name);
    return CXVisit_Continue;
}

// What a pointer points to, if its address is taken right here; else a null cursor.
static CXCursor pointed_to(Owner *owner, CXCursor pointer)
{
    pointer = cursor_without_parens(pointer);
    bool is_address = clang_getCursorKind(pointer) == CXCursor_UnaryOperator &&
                      cursor_unary_kind(owner->unit, pointer) == UNARY_ADDRESS;
    return is_address ? children_of(pointer).last : clang_getNullCursor();
}

// The struct that a field is taken of; a null cursor: it is behind a pointer.
static CXCursor whole_of(Owner *owner, CXCursor member)
{
    Children children = children_of(member);
    if (children.count == 0)
        return clang_getNullCursor();
    return type_is_pointer(cursor_type(children.items[0])) ? pointed_to(owner, children.items[0]) : children.items[0];
}

static bool has_rest(Owner *owner, CXCursor member, CXCursor whole)
{
    Rest rest = {.owner = owner, .is_codec = type_of(owner, whole)->kind == CTYPE_CODEC};
    rest.taken = take_text(owner->unit->arena, clang_getCursorSpelling(member));
    clang_Type_visitFields(cursor_type(whole), visit_rest, &rest);
    return rest.is_rest;
}

// A field of what a call returns: nobody gets the other fields.
static Owns owner_of_member(Owner *owner, CXCursor cursor)
{
    CXCursor struct_of_it = whole_of(owner, cursor);
    if (clang_Cursor_isNull(struct_of_it))
        return OWNED_BY_OTHERS;
    Owns whole = owner_of(owner, struct_of_it);
    if (whole != OWNED_BY_NOBODY)
        return whole;
    return has_rest(owner, cursor, struct_of_it) ? PART_OF_IT : OWNED_BY_NOBODY;
}

static Owns owner_of_pointed(Owner *owner, CXCursor pointer)
{
    CXCursor lvalue = pointed_to(owner, pointer);
    return clang_Cursor_isNull(lvalue) ? OWNED_BY_OTHERS : owner_of(owner, lvalue);
}

// An element of an array that the expression declares: nobody gets the other elements.
static Owns owner_of_element(Owner *owner, CXCursor cursor)
{
    CXCursor array = cursor_without_parens(children_of(cursor).items[0]);
    if (!type_is_array(cursor_type(array)))
        return owner_of_pointed(owner, array);
    Owns whole = owner_of(owner, array);
    return whole == OWNED_BY_NOBODY && clang_getArraySize(cursor_type(array)) != 1 ? PART_OF_IT : whole;
}

static enum CXChildVisitResult visit_choice(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Elements *choices = data;
    bool is_condition = clang_equalCursors(children_of(parent).items[0], cursor);
    if (clang_isExpression(clang_getCursorKind(cursor)) && !is_condition)
        choices->owns = join(choices->owns, owner_of(choices->owner, cursor));
    return CXChildVisit_Continue;
}

static Owns owner_of_name(Owner *owner, CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    bool is_local =
        clang_getCursorKind(target) == CXCursor_VarDecl && cursor_declared(owner->unit, target) == DECLARED_IN_COPY &&
        clang_Cursor_getStorageClass(target) != CX_SC_Static && clang_Cursor_getStorageClass(target) != CX_SC_Extern;
    return is_local ? owner_of_local(owner, target) : OWNED_BY_OTHERS;
}

static Owns owner_of_kind(Owner *owner, CXCursor cursor)
{
    Children children = children_of(cursor);
    Elements elements = {.owner = owner};
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CallExpr:
        return OWNED_BY_NOBODY;
    case CXCursor_DeclRefExpr:
        return owner_of_name(owner, cursor);
    case CXCursor_MemberRefExpr:
        return owner_of_member(owner, cursor);
    case CXCursor_ArraySubscriptExpr:
        return owner_of_element(owner, cursor);
    case CXCursor_StmtExpr:
        return owner_of(owner, children_of(children.last).last);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CompoundLiteralExpr:
        return owner_of(owner, children.last);
    case CXCursor_UnaryOperator: // `__extension__` changes nothing
        return cursor_unary_kind(owner->unit, cursor) == UNARY_OTHER ? owner_of(owner, children.last)
                                                                     : owner_of_pointed(owner, children.last);
    case CXCursor_InitListExpr:
        elements.is_codec = type_of(owner, cursor)->kind == CTYPE_CODEC;
        clang_visitChildren(cursor, visit_element, &elements);
        return elements.owns == OWNS_NOTHING ? OWNED_BY_NOBODY : elements.owns;
    case CXCursor_ConditionalOperator:
    case CXCursor_GenericSelectionExpr:
    case CXCursor_UnexposedExpr: // a ?: b
        clang_visitChildren(cursor, visit_choice, &elements);
        return elements.owns;
    case CXCursor_BinaryOperator:
        if (cursor_is_assignment(owner->unit, cursor))
            return owner_of(owner, children.items[0]);
        // Of two values without a number, only a comma makes one.
        return type_is_integer(cursor_type(children.last)) ? OWNED_BY_OTHERS : owner_of(owner, children.last);
    default:
        return cursor_is_null_constant(cursor) ? OWNS_NOTHING : OWNED_BY_OTHERS;
    }
}

static Owns owner_of(Owner *owner, CXCursor cursor)
{
    if (clang_Cursor_isNull(cursor) || owner->depth >= DEPTH_MAX)
        return OWNED_BY_SOME;
    cursor = cursor_without_parens(cursor);
    if (cursor_is_null_constant(cursor))
        return OWNS_NOTHING;
    owner->depth++;
    Owns owns = owner_of_kind(owner, cursor);
    owner->depth--;
    return owns;
}

// ---- what gets lost inside of an expression ----

typedef struct {
    Owner *owner;
    bool is_lost; // something that was made here, of which only a part is used
    CXCursor assigned;
} Losses;

// Is the field taken of a value that was made here, and that no variable holds?
static bool is_of_made(Owner *owner, CXCursor member, CXCursor *whole)
{
    if (clang_getCursorKind(member) != CXCursor_MemberRefExpr)
        return false;
    *whole = whole_of(owner, member);
    if (clang_Cursor_isNull(*whole) || !clang_Cursor_isNull(cursor_variable(*whole)) || !cursor_has_call(*whole) ||
        !ctype_has_codec(type_of(owner, *whole)))
        return false;
    Owns owns = owner_of(owner, *whole);
    return owns == OWNED_BY_NOBODY || owns == PART_OF_IT;
}

static bool takes_nothing(Owner *owner, CXCursor member, CXCursor whole)
{
    bool is_codec = type_of(owner, whole)->kind == CTYPE_CODEC;
    return is_codec ? !type_holds_pointer(clang_getCursorType(member)) : !ctype_has_codec(type_of(owner, member));
}

// Does an operator look at something that was made here, after which nobody has it?
static bool is_made(Owner *owner, CXCursor operand)
{
    CXCursor value = cursor_without_parens(operand), whole;
    if (clang_getCursorKind(value) == CXCursor_CallExpr)
        return ctype_has_codec(type_of(owner, value));
    return is_of_made(owner, value, &whole);
}

static bool loses(Owner *owner, CXCursor cursor)
{
    Children children = children_of(cursor);
    CXCursor whole;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_MemberRefExpr:
        if (is_of_made(owner, cursor, &whole))
            return takes_nothing(owner, cursor, whole) || has_rest(owner, cursor, whole);
        return children.count > 0 && type_is_pointer(cursor_type(children.items[0])) &&
               is_made(owner, children.items[0]);
    case CXCursor_ArraySubscriptExpr:
        return type_is_pointer(cursor_type(cursor_without_parens(children.items[0]))) &&
               is_made(owner, children.items[0]);
    case CXCursor_UnaryOperator: // `__extension__` changes nothing
        return (cursor_unary_kind(owner->unit, cursor) != UNARY_OTHER || type_is_integer(cursor_type(cursor))) &&
               is_made(owner, children.last);
    case CXCursor_BinaryOperator:
        // Of two pointers, an operator makes a number; an assignment and a comma pass one on.
        return type_is_integer(cursor_type(cursor)) && !cursor_is_assignment(owner->unit, cursor) &&
               strcmp(cursor_binary_operator(owner->unit, cursor), ",") != 0 &&
               (is_made(owner, children.items[0]) || is_made(owner, children.last));
    case CXCursor_ConditionalOperator:
        return is_made(owner, children.items[0]);
    default:
        return false;
    }
}

static enum CXChildVisitResult visit_loss(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Losses *losses = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_UnaryExpr) // sizeof computes nothing
        return CXChildVisit_Continue;
    losses->is_lost |= loses(losses->owner, cursor);
    if (kind != CXCursor_BinaryOperator || !cursor_is_assignment(losses->owner->unit, cursor))
        return CXChildVisit_Recurse;
    CXCursor target = children_of(cursor).items[0], variable = cursor_variable(target);
    if (!clang_Cursor_isNull(variable) && cursor_declared(losses->owner->unit, variable) == DECLARED_BY_US &&
        !type_is_const(clang_getCursorType(target)) && ctype_has_codec(type_of(losses->owner, target)))
        losses->assigned = target;
    return CXChildVisit_Recurse;
}

static void find_losses(Owner *owner, CXCursor written, const Region *region, CExprFacts *facts)
{
    Losses losses = {owner, false, clang_getNullCursor()};
    if (visit_loss(written, clang_getNullCursor(), &losses) == CXChildVisit_Recurse)
        clang_visitChildren(written, visit_loss, &losses);
    if (!clang_Cursor_isNull(losses.assigned)) {
        facts->owner = COWNER_ASSIGNED;
        facts->assigned = cursor_span(owner->unit, losses.assigned, region);
    } else if (losses.is_lost && facts->owner != COWNER_MIXED) {
        facts->owner = COWNER_PART;
    }
}

bool cunit_expr_facts(CUnit *unit, uint32_t id, CExprFacts *facts)
{
    static const COwner OWNERS[] = {
        [OWNS_NOTHING] = COWNER_OTHERS, [OWNED_BY_OTHERS] = COWNER_OTHERS, [OWNED_BY_NOBODY] = COWNER_NOBODY,
        [OWNED_BY_SOME] = COWNER_MIXED, [PART_OF_IT] = COWNER_PART,
    };
    size_t index = 0;
    const Region *region = unit_region(unit, id, &index);
    if (region == NULL)
        return false;
    CXCursor written = region_written(unit, region), value = cursor_without_parens(written);
    CXCursor discarded = value;
    while (clang_getCursorKind(discarded) == CXCursor_CStyleCastExpr && cursor_type(discarded).kind == CXType_Void)
        discarded = cursor_without_parens(children_of(discarded).last);
    bool is_cast = !clang_equalCursors(discarded, value);
    value = is_cast ? discarded : written;
    Owner owner = {.unit = unit, .root = written};
    *facts = (CExprFacts){.has_call = cursor_has_call(written), .type = unit_type(unit, clang_getCursorType(value))};
    // A pointer to void may become one with a codec.
    if (!is_cast && ctype_has_codec(unit_type(unit, clang_getCursorType(region->root))))
        facts->type = unit_type(unit, clang_getCursorType(region->root));
    facts->is_cast_to_void = is_cast;
    facts->span = is_cast ? cursor_span_exactly(unit, value) : cursor_span(unit, value, region);
    facts->owner = ctype_has_codec(facts->type) ? OWNERS[owner_of(&owner, value)] : COWNER_OTHERS;
    find_losses(&owner, written, region, facts);
    return true;
}
