// types.h: C types in emitted code: declarations, descriptors (chx_type) and tuple structs.
//
// A TypeTable collects the descriptors that a companion needs, each once, dependencies first. A role's table rests on
// the interface's: what is there already is used from there.

#ifndef EMIT_TYPES_H
#define EMIT_TYPES_H

#include "base/map.h"
#include "compiler/ctypes/type.h"
#include "compiler/emit/out.h"

typedef struct TypeTable TypeTable;
struct TypeTable {
    Arena *arena;
    const char *prefix;      // of the names made here: "bookseller", "bookseller_Buyer"
    const TypeTable *parent; // may be NULL
    Map by_key;              // key -> TypeEntry
    Map names;               // taken ones
    VECTOR(struct TypeEntry *) entries;
    size_t printed;
};

void types_init(TypeTable *table, Arena *arena, const char *prefix, const TypeTable *parent);

// What is stored, sent or returned as one value: a C type, or a tuple.
typedef struct {
    const CType *type;         // NULL: a tuple
    const CType *const *parts; // of a tuple
    size_t part_count;
    const char *before, *after; // before NAME after declares
    const char *descriptor;     // its chx_type: "chx_type_int"
    bool is_array;
    bool is_owning;
} Shape;

// Enter the type into the table, if it is not there.
const char *types_use(TypeTable *table, const CType *type); // the descriptor's name
Shape types_shape(TypeTable *table, const CType *type);
Shape types_tuple(TypeTable *table, const CType *const *parts, size_t count);

// Prints what has been entered and not been printed yet; the first `count` of all entries only.
void types_print(TypeTable *table, Out *out);
void types_print_first(TypeTable *table, size_t count, Out *out);
// Everything in the table, in words: the same for two compilations that can talk to each other.
uint64_t types_digest(const TypeTable *table, uint64_t hash);
#define FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t fnv1a(uint64_t hash, const char *text, size_t length);

char *type_declare(Arena *arena, const CType *type, const char *name);
char *type_declare_const(Arena *arena, const CType *type, const char *name);
char *type_name(Arena *arena, const CType *type); // "int [4]"
char *shape_declare(Arena *arena, const Shape *shape, const char *name);
bool type_same(const CType *one, const CType *other);
// The type of a struct's field, anonymous members searched; NULL: none of this name.
const CType *type_field(const CType *type, const char *name);

#endif
