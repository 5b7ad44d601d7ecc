// type.h: a C type as the compiler needs it: how to write it, how big it is, whether it can be sent.

#ifndef CTYPES_TYPE_H
#define CTYPES_TYPE_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    CTYPE_INVALID, // its expression had an error that is reported already: say nothing more about it
    CTYPE_VOID,
    CTYPE_BOOL,
    CTYPE_INTEGER, // char included
    CTYPE_FLOAT,   // float, double, long double
    CTYPE_COMPLEX,
    CTYPE_ENUM,
    CTYPE_STRUCT,
    CTYPE_ARRAY,    // of fixed size
    CTYPE_SEQUENCE, // an array over a family of roles: one element for each member. In C a pointer to the first
    CTYPE_CSTRING,  // const char * (also volatile-free typedefs of it)
    CTYPE_STR,      // chx_str
    CTYPE_BYTES,    // chx_bytes
    CTYPE_CODEC,    // the user gave it a codec (CHX_CODEC)
    CTYPE_POINTER,  // any other pointer, char * included
    CTYPE_UNION,
    CTYPE_FUNCTION,
    CTYPE_OTHER, // vectors, incomplete types, variable length arrays, ...
} CTypeKind;

typedef struct CType CType;

// Where types are found, an array over a family has so many elements plus the family's number: nobody else writes such
// arrays. So arrays over different families have different types.
#define SEQUENCE_ELEMENTS 16777213

typedef struct {
    const char *name; // NULL: an anonymous struct member; its fields are reached through the outer struct
    const CType *type;
    bool is_bitfield;
} CField;

struct CType {
    CTypeKind kind;
    const char *spelling;  // as the user wrote it, without top-level const: "date", "struct box", "int [4]"
    const char *canonical; // clang's canonical spelling; two types are the same if these are equal
    // A declaration of NAME with this type is: before NAME after ("int" "[4]", "void (*" ")(int)").
    const char *before, *after;
    const char *before_const; // the same for a constant: "const int ", "char *const "
    uint64_t size, align;
    bool is_signed;                 // INTEGER, ENUM
    bool is_const;                  // top-level const as declared
    bool is_named;                  // can be spelled: false for a struct, union or enum without tag and typedef
    bool is_char_array;             // ARRAY of char
    bool has_flexible;              // STRUCT with a flexible array member
    const CType *element;           // ARRAY, SEQUENCE; POINTER (pointee)
    uint64_t count;                 // ARRAY
    uint32_t over;                  // SEQUENCE: the family's number
    VECTOR(const char *) constants; // ENUM
    VECTOR(CField) fields;          // STRUCT
    const char *codec;              // CODEC: the C name of its chx_codec object, or
    bool is_codec_list;             // its functions as an initialiser: "{encode, decode, drop}"
    // Whether a value can be sent; if not, why, for a note: "it is a pointer", "its field 'next' is a pointer".
    bool is_sendable;
    const char *why_not;
    bool is_owning;     // holds strings, bytes or codec values: must be copied and dropped, not just moved as bytes
    bool holds_pointer; // a pointer (not a string) somewhere inside: its target is not saved by a checkpoint
};

// As C sees it where types are found.
static inline bool ctype_is_array(const CType *type)
{
    return type->kind == CTYPE_ARRAY || type->kind == CTYPE_SEQUENCE;
}

#endif
