// types.c: libclang's types as CType, and the answers about declarations.

#include "compiler/ctypes/internal.h"

// ---- what a type is ----

static CTypeKind kind_of(CXType canonical)
{
    switch (canonical.kind) {
    case CXType_Void:
        return CTYPE_VOID;
    case CXType_Bool:
        return CTYPE_BOOL;
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_Char16:
    case CXType_Char32:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
    case CXType_UInt128:
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_WChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Int128:
        return CTYPE_INTEGER;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
        return CTYPE_FLOAT;
    case CXType_Complex:
        return CTYPE_COMPLEX;
    case CXType_Enum:
        return CTYPE_ENUM;
    case CXType_Pointer:
    case CXType_BlockPointer:
        return CTYPE_POINTER;
    case CXType_ConstantArray:
        return CTYPE_ARRAY;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        return CTYPE_FUNCTION;
    case CXType_Record:
        return clang_getCursorKind(clang_getTypeDeclaration(canonical)) == CXCursor_UnionDecl ? CTYPE_UNION
                                                                                              : CTYPE_STRUCT;
    case CXType_Invalid:
    case CXType_Dependent:
    case CXType_Auto:
        return CTYPE_INVALID;
    default:
        return CTYPE_OTHER;
    }
}

static bool is_signed_kind(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_WChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Int128:
        return true;
    default:
        return false;
    }
}

static bool is_plain_char(CXType canonical)
{
    return (canonical.kind == CXType_Char_S || canonical.kind == CXType_Char_U) &&
           !clang_isVolatileQualifiedType(canonical);
}

static bool is_cstring(CXType canonical)
{
    if (canonical.kind != CXType_Pointer)
        return false;
    CXType pointee = clang_getCanonicalType(clang_getPointeeType(canonical));
    return is_plain_char(pointee) && clang_isConstQualifiedType(pointee);
}

static const Codec *codec_of(const CUnit *unit, const char *canonical)
{
    for (size_t i = 0; i < unit->codecs.count; i++)
        if (strcmp(unit->codecs.items[i].canonical, canonical) == 0)
            return &unit->codecs.items[i];
    return NULL;
}

// Takes typedefs and the like off, but not further than to the first array or pointer: its parts keep their names.
static CXType peel(CXType type)
{
    for (;;) {
        switch (type.kind) {
        case CXType_Typedef:
            type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
            break;
        case CXType_Elaborated:
            type = clang_Type_getNamedType(type);
            break;
        case CXType_ConstantArray:
        case CXType_Pointer:
            return type;
        default:
            return clang_getCanonicalType(type);
        }
    }
}

// ---- sendable or not ----

static void not_sendable(CType *type, const char *why)
{
    type->is_sendable = false;
    type->why_not = why;
}

// "it is a pointer" of a part, said of the whole.
static const char *why_of_field(Arena *arena, const char *field, const char *why)
{
    static const char nested[] = "its field '";
    if (field == NULL)
        return why;
    if (strncmp(why, nested, strlen(nested)) == 0)
        return arena_printf(arena, "its field '%s.%s", field, why + strlen(nested));
    if (strncmp(why, "it ", 3) == 0)
        return arena_printf(arena, "its field '%s' %s", field, why + 3);
    return why;
}

static void note_part(CType *type, const CType *part, const char *why)
{
    type->is_owning |= part->is_owning;
    type->holds_pointer |= part->holds_pointer;
    if (!part->is_sendable && type->is_sendable)
        not_sendable(type, why);
}

typedef struct {
    CUnit *unit;
    CType *type;
} FieldVisit;

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data)
{
    FieldVisit *visit = data;
    Arena *arena = visit->unit->arena;
    CType *type = visit->type;
    CField field = {.is_bitfield = clang_Cursor_isBitField(cursor) != 0};
    const char *name = take_text(arena, clang_getCursorSpelling(cursor));
    CXType field_type = clang_getCursorType(cursor);
    CXType canonical = clang_getCanonicalType(field_type);
    // Some versions make up a name for an anonymous member: it is not one that could be written.
    if (name[0] != 0 && strchr(name, '(') == NULL)
        field.name = name;
    if (field.name == NULL && field.is_bitfield)
        return CXVisit_Continue; // padding
    if (canonical.kind == CXType_IncompleteArray) {
        type->has_flexible = true;
        not_sendable(type, arena_printf(arena, "it has the flexible array member '%s'", name));
        return CXVisit_Continue;
    }
    field.type = unit_type(visit->unit, field_type);
    vector_push(arena, &type->fields, field);
    note_part(type, field.type, why_of_field(arena, field.name, field.type->why_not ? field.type->why_not : ""));
    if (type->is_sendable && canonical.kind == CXType_Atomic)
        not_sendable(type, why_of_field(arena, field.name, "it is atomic"));
    if (type->is_sendable && clang_isVolatileQualifiedType(canonical))
        not_sendable(type, why_of_field(arena, field.name, "it is volatile"));
    return CXVisit_Continue;
}

// C code has a pointer to the first element.
static void become_sequence(CUnit *unit, CType *type)
{
    const CType *element = type->element;
    bool is_plain = element->after[0] == '\0';
    type->kind = CTYPE_SEQUENCE;
    type->over = (uint32_t)(type->count - SEQUENCE_ELEMENTS);
    type->spelling = arena_printf(unit->arena, "%s for each %s", element->spelling, unit->families[type->over]);
    type->before = arena_printf(unit->arena, is_plain ? "%s*" : "%s(*", element->before);
    type->before_const = arena_printf(unit->arena, is_plain ? "%s*" : "%s(*", element->before_const);
    type->after = is_plain ? "" : arena_printf(unit->arena, ")%s", element->after);
    type->size = type->align = sizeof(void *);
    type->is_owning = true;
    type->is_char_array = false;
}

static void fill_array(CUnit *unit, CType *type, CXType from)
{
    CXType array = peel(from);
    CXType element = clang_getArrayElementType(array);
    type->element = unit_type(unit, element);
    type->count = (uint64_t)clang_getArraySize(array);
    CXType canonical = clang_getCanonicalType(element);
    type->is_char_array = is_plain_char(canonical);
    const char *why = type->element->why_not;
    if (why != NULL)
        why = arena_printf(unit->arena, "it is an array whose element %s", strncmp(why, "it ", 3) == 0 ? why + 3 : why);
    if (why != NULL && strncmp(type->element->why_not, "its ", 4) == 0)
        why = type->element->why_not; // a field of the element: say that
    note_part(type, type->element, why);
    if (type->is_sendable && canonical.kind == CXType_Atomic)
        not_sendable(type, "it is an array whose element is atomic");
    if (type->count >= SEQUENCE_ELEMENTS && type->count - SEQUENCE_ELEMENTS < unit->family_count &&
        unit->families[type->count - SEQUENCE_ELEMENTS] != NULL)
        become_sequence(unit, type);
}

static enum CXChildVisitResult add_constant(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    FieldVisit *this = data;
    if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl)
        vector_push(this->unit->arena, &this->type->constants,
                    take_text(this->unit->arena, clang_getCursorSpelling(cursor)));
    return CXChildVisit_Continue;
}

static void fill_parts(CUnit *unit, CType *type, CXType from, CXType canonical)
{
    type->is_sendable = true;
    switch (type->kind) {
    case CTYPE_INTEGER:
        type->is_signed = is_signed_kind(canonical.kind);
        break;
    case CTYPE_ENUM: {
        CXType integer = clang_getEnumDeclIntegerType(clang_getTypeDeclaration(canonical));
        type->is_signed = is_signed_kind(clang_getCanonicalType(integer).kind);
        FieldVisit visit = {unit, type};
        clang_visitChildren(clang_getTypeDeclaration(canonical), add_constant, &visit);
        break;
    }
    case CTYPE_BOOL:
    case CTYPE_FLOAT:
    case CTYPE_COMPLEX:
    case CTYPE_SEQUENCE: // an array is found to be one here
        break;
    case CTYPE_CSTRING:
    case CTYPE_STR:
    case CTYPE_BYTES:
        type->is_owning = true;
        break;
    case CTYPE_CODEC:
        type->is_owning = true;
        break;
    case CTYPE_STRUCT: {
        FieldVisit visit = {unit, type};
        clang_Type_visitFields(canonical, visit_field, &visit);
        break;
    }
    case CTYPE_ARRAY:
        fill_array(unit, type, from);
        break;
    case CTYPE_POINTER:
        not_sendable(type, "it is a pointer");
        type->holds_pointer = true;
        type->element = unit_type(unit, clang_getPointeeType(peel(from)));
        break;
    case CTYPE_UNION: {
        // Its members are not looked at one by one: any of them may be the one that holds a pointer.
        CType members = {.kind = CTYPE_STRUCT, .is_sendable = true};
        FieldVisit visit = {unit, &members};
        clang_Type_visitFields(canonical, visit_field, &visit);
        type->holds_pointer = members.holds_pointer;
        not_sendable(type, "it is a union");
        break;
    }
    case CTYPE_FUNCTION:
        not_sendable(type, "it is a function");
        break;
    case CTYPE_VOID:
        not_sendable(type, "it has no value");
        break;
    case CTYPE_INVALID:
    case CTYPE_OTHER:
        not_sendable(type, "it is of a type that has no portable encoding");
        break;
    }
}

static const char *why_other(CXType canonical)
{
    switch (canonical.kind) {
    case CXType_Vector:
    case CXType_ExtVector:
        return "it is a vector";
    case CXType_IncompleteArray:
        return "it is an array without a size";
    case CXType_VariableArray:
        return "it is an array of variable length";
    case CXType_Record:
    case CXType_Enum:
        return "it is of an incomplete type";
    default:
        return NULL;
    }
}

// ---- conversion ----

const CType *unit_type_invalid(CUnit *unit)
{
    static const char key[] = "invalid";
    CType *type = map_get(&unit->types, key);
    if (type == NULL) {
        type = ARENA_NEW(unit->arena, CType);
        *type = (CType){.kind = CTYPE_INVALID,
                        .spelling = "int",
                        .canonical = "<error>",
                        .before = "int ",
                        .after = "",
                        .before_const = "const int ",
                        .size = 4,
                        .align = 4,
                        .is_named = true,
                        .is_sendable = true};
        map_put(&unit->types, key, type);
    }
    return type;
}

const CType *unit_type_cstring(CUnit *unit)
{
    static const char key[] = "const char *";
    CType *type = map_get(&unit->types, key);
    if (type == NULL) {
        type = ARENA_NEW(unit->arena, CType);
        *type = (CType){.kind = CTYPE_CSTRING,
                        .spelling = key,
                        .canonical = key,
                        .before = key,
                        .after = "",
                        .before_const = "const char *const ",
                        .size = sizeof(char *),
                        .align = sizeof(char *),
                        .is_named = true,
                        .is_sendable = true,
                        .is_owning = true};
        map_put(&unit->types, key, type);
    }
    return type;
}

static bool is_named(const char *spelling)
{
    return strstr(spelling, "(unnamed") == NULL && strstr(spelling, "(anonymous") == NULL;
}

// Users write `bool`; clang has seen only what the macro stands for. And C++ knows no other name.
static const char *with_bool(Arena *arena, const char *text)
{
    if (strstr(text, "_Bool") == NULL)
        return text;
    Text words;
    text_init(&words, arena);
    for (const char *at = text, *end = text + strlen(text); at < end;) {
        uint32_t length = scan_token(at, end);
        bool is_bool = length == 5 && strncmp(at, "_Bool", length) == 0;
        text_add(&words, is_bool ? "bool" : at, is_bool ? 4 : length);
        at += length;
    }
    return words.chars;
}

const CType *unit_type(CUnit *unit, CXType from)
{
    CXType canonical = clang_getCanonicalType(from);
    bool is_const = clang_isConstQualifiedType(canonical);
    if (canonical.kind == CXType_Atomic) {
        from = clang_Type_getValueType(canonical);
        canonical = clang_getCanonicalType(from);
    }
    CTypeKind kind = kind_of(canonical);
    if (kind == CTYPE_INVALID)
        return unit_type_invalid(unit);

    Declarator declarator = spell_type(unit, from);
    declarator.before = with_bool(unit->arena, declarator.before);
    declarator.after = with_bool(unit->arena, declarator.after);
    const char *spelling = spell_join(unit->arena, declarator);
    const char *name = spell_canonical(unit->arena, canonical);
    const char *key = arena_printf(unit->arena, "%d %s = %s", is_const, name, spelling);
    CType *type = map_get(&unit->types, key);
    if (type != NULL)
        return type;

    long long size = clang_Type_getSizeOf(canonical), align = clang_Type_getAlignOf(canonical);
    type = ARENA_NEW(unit->arena, CType);
    *type = (CType){
        .kind = kind,
        .spelling = spelling,
        .canonical = name,
        .before = declarator.before,
        .after = declarator.after,
        .before_const = spell_const(unit->arena, declarator.before),
        .size = size > 0 ? (uint64_t)size : 0,
        .align = align > 0 ? (uint64_t)align : 1,
        .is_const = is_const,
        .is_named = is_named(spelling),
    };
    const Codec *codec = codec_of(unit, name);
    if (codec != NULL) {
        type->is_codec_list = codec->functions != NULL;
        type->codec = type->is_codec_list ? codec->functions : codec->object;
    }
    bool is_incomplete = size < 0 && kind != CTYPE_FUNCTION && kind != CTYPE_VOID;
    if (is_incomplete)
        type->kind = CTYPE_OTHER;
    else if (type->codec != NULL)
        type->kind = CTYPE_CODEC;
    else if (strcmp(name, "chx_str") == 0)
        type->kind = CTYPE_STR;
    else if (strcmp(name, "chx_bytes") == 0)
        type->kind = CTYPE_BYTES;
    else if (is_cstring(canonical))
        type->kind = CTYPE_CSTRING;
    // In the table before its parts are looked at: a struct can point to itself.
    map_put(&unit->types, key, type);
    fill_parts(unit, type, from, canonical);
    if (type->kind == CTYPE_OTHER && why_other(canonical) != NULL)
        type->why_not = why_other(canonical);
    return type;
}
