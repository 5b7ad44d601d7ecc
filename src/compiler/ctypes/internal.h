// internal.h: what the files of ctypes share. Nobody else includes this: it names libclang.

#ifndef CTYPES_INTERNAL_H
#define CTYPES_INTERNAL_H

#include "base/text.h"
#include "compiler/ctypes/unit.h"

#include <clang-c/Index.h>

// ---- clang.c: libclang's values as ours ----

// Takes over the string and disposes of it; "" for libclang's NULL.
const char *take_text(Arena *arena, CXString string);

typedef struct {
    CXFile file; // NULL: nowhere
    uint32_t offset;
} ClangPlace;
// Where the text stands: for a macro's argument the argument itself, for a macro's body the macro's use.
ClangPlace place_of(CXSourceLocation location);
bool place_in(ClangPlace place, CXFile file);
bool cxfile_same(CXFile one, CXFile other);

typedef struct {
    CXIndex index;
    CXTranslationUnit tu; // NULL: the parse failed
    CXFile file;          // the main file
} Parsed;
// Parses `text` as the content of `path`. `options` is libclang's CXTranslationUnit_Flags.
bool parsed_init(Parsed *parsed, Arena *arena, const char *path, const char *text, size_t size, const CFlags *flags,
                 unsigned options, const char **error);
void parsed_fini(Parsed *parsed);

// ---- deep.c ----

// The arguments of clang_parseTranslationUnit2.
typedef struct {
    CXIndex index;
    const char *path;
    const char *const *args;
    int arg_count;
    struct CXUnsavedFile *files;
    unsigned file_count;
    unsigned options;
    CXTranslationUnit *tu;
} ParseCall;
enum CXErrorCode parse_deep(const ParseCall *call);

// ---- scan.c: the little that must be known about C text without clang; the rules are those of syntax/lex.h ----

// The user's text with comments blanked out, at the same length; newlines stay.
void scan_blank_comments(char *text, size_t size);
// How many #if of the text are not closed at its end.
unsigned scan_open_conditionals(const char *text, size_t size);
// The length of the token at `text`; at least 1 unless at its end.
uint32_t scan_token(const char *text, const char *end);
bool scan_is_name(char c); // can be part of an identifier
bool scan_starts_with(const char *text, const char *start);

// ---- the unit ----

typedef struct {
    uint32_t start, end; // in the added text; once it is parsed, in the unit
    Span span;
    bool is_as; // reads differently from the source
} UnitPiece;

typedef struct {
    CXCursor cursor;
    unsigned count; // how many declarations have this name
} Declared;

typedef struct {
    uint32_t offset; // in the unit
    const char *name;
    bool is_macro_like; // the location is inside of a macro's expansion
    bool is_body;       // and not in one of its arguments
    bool is_called;     // what a call calls
} RawReference;

// One expression of the caller's, between cexpr_begin and cexpr_end.
typedef struct {
    uint32_t start, end; // as in UnitPiece
    uint32_t id;
    // The expression as clang understood it, with a conversion to the type that is wanted; a null cursor: it did not.
    CXCursor root;
} Region;

typedef struct {
    const char *canonical;
    const char *object;    // the C name of its chx_codec
    const char *functions; // "{encode, decode, drop}"; NULL: it is not made of three functions
} Codec;

struct CUnit {
    Arena *arena;
    const Sources *sources;
    const Source *source;
    uint32_t prefix_size;
    CFlags flags;
    const char *const *families; // by number, which is the size of an array over one less SEQUENCE_ELEMENTS
    size_t family_count;
    Text added;
    VECTOR(UnitPiece) pieces;   // in order of position
    VECTOR(Region) regions;     // in order of position; they don't overlap
    VECTOR(uint32_t) region_of; // by id: the index + 1 of its first region, or 0
    VECTOR(const char *) asked; // cunit_ask_name
    Map asked_kinds;            // name to CNameKind + 1

    // After cunit_parse:
    Parsed parsed;
    const char *text; // all of it
    uint32_t size;
    uint32_t base; // where the added text starts, with a semicolon of ours
    Map declared;  // of the added text: name to Declared *
    Map typedefs;  // of the prefix: name to CXCursor *
    VECTOR(Codec) codecs;
    VECTOR(RawReference) references;
    CXSourceLocation callee; // while the index is made: where the name is that the latest call calls
    Map mentioned;           // the identifiers of our own text; made on demand
    bool mentioned_made;
    Map macros; // CXCursor * of their definitions, by name; made on demand
    bool macros_made;
    Map types;     // CType * by canonical type and spelling
    Map spelled;   // Declarator * of the types of added declarations, by name
    Map functions; // CFunction * by name
};

// index.c: one walk over the prefix's and the added declarations.
void unit_index(CUnit *unit);
Declared *unit_declared(const CUnit *unit, const char *name);
// Does our own text mention the name? Its declaration may be missing in the tree because of an error.
bool unit_mentions(CUnit *unit, const char *name);

// pieces (unit.c). The piece that contains `offset`, or NULL; the first one that ends behind `offset`, or NULL.
const UnitPiece *unit_piece_at(const CUnit *unit, uint32_t offset);
const UnitPiece *unit_piece_from(const CUnit *unit, uint32_t offset);
// The source span of the unit's text from `start` to `end`, which begins in `piece`.
Span piece_span(const UnitPiece *piece, uint32_t start, uint32_t end);

// statement.c: our own text by statements.
typedef struct {
    uint32_t start, end;
} Extent;
// The statement or declaration of our own text around `offset`, up to its ';' or '{'.
Extent statement_around(const CUnit *unit, uint32_t offset);
// Does our own text in the extent name a declaration that failed? `missing`: names whose declarations are gone, too;
// `except`: a name that does not count.
bool statement_uses_failed(const CUnit *unit, Extent extent, const Map *missing, const char *except);

// cursor.c: expressions as libclang shows them.
enum { CHILDREN_MAX = 4 };
typedef struct {
    CXCursor items[CHILDREN_MAX]; // the first of them
    CXCursor last;
    unsigned count;
} Children;
Children children_of(CXCursor cursor);
CXCursor cursor_without_parens(CXCursor cursor); // the operand inside of parentheses and implicit conversions
// An implicit conversion (or `__func__`, which looks like one): *operand is what is converted.
bool cursor_is_implicit(CXCursor cursor, CXCursor *operand);
bool cursor_is_null_constant(CXCursor cursor); // 0, (void *)0, NULL
bool cursor_is_number(CXCursor cursor);        // an integer constant expression
bool cursor_has_call(CXCursor cursor);         // it, or something in it
bool function_is_pure(CXCursor function);      // declared const or pure, or one that clang itself knows to be so
// Its result may be another one in another thread, on another machine or where the compiler optimises otherwise, although
// it is declared const.
bool function_depends_on_place(CXCursor function);
CXType cursor_type(CXCursor cursor); // canonical
bool type_is_pointer(CXType canonical);
bool type_is_array(CXType canonical);
bool type_is_integer(CXType canonical); // also enum and bool
bool type_is_character(CXType canonical);
bool type_is_const(CXType type); // an array: its elements
bool type_same_unqualified(const CUnit *unit, CXType one, CXType other);
bool type_holds_pointer(CXType type); // a pointer is anywhere in a value of it
typedef enum { UNARY_OTHER, UNARY_ADDRESS, UNARY_DEREFERENCE } UnaryKind;
UnaryKind cursor_unary_kind(const CUnit *unit, CXCursor cursor);
// The operator of a binary expression as it is written; "" where a macro writes it.
const char *cursor_binary_operator(const CUnit *unit, CXCursor cursor);
bool cursor_is_union_member(CXCursor cursor); // of a member's use
// The variable that an lvalue is part of, without following a pointer; a null cursor: it is part of none.
CXCursor cursor_variable(CXCursor cursor);
bool cursor_is_assignment(const CUnit *unit, CXCursor cursor); // =, +=, ...; not ++
// Where a declaration stands: in the prefix or a header, in our own text, or in the user's text that was copied.
typedef enum { DECLARED_BEFORE, DECLARED_BY_US, DECLARED_IN_COPY } DeclaredWhere;
DeclaredWhere cursor_declared(const CUnit *unit, CXCursor declaration);
// The user's text that the cursor covers; for one in the body of a macro, the macro's use.
Span cursor_span(const CUnit *unit, CXCursor cursor, const Region *region);

Span cursor_span_exactly(const CUnit *unit, CXCursor cursor); // SPAN_NONE: some of it stands in a macro

// What the user wrote of a region: without the parentheses that may be ours, and the conversions around them.
CXCursor region_written(const CUnit *unit, const Region *region);

// The regions of an expression: *index is 0 for the first, and is moved on. NULL: there are no more.
const Region *unit_region(const CUnit *unit, uint32_t id, size_t *index);

// macros.c: the name of a macro that the region's text leads to and that is not the same in every program, or NULL.
const char *macros_differ(CUnit *unit, const Region *region, Span *span);

// answers.c: the type of a variable or typedef, as far as libclang can still take it apart.
CXType declared_type(CXCursor cursor);

// types.c
const CType *unit_type(CUnit *unit, CXType type);
const CType *unit_type_invalid(CUnit *unit);
const CType *unit_type_cstring(CUnit *unit);

// spell.c: how a type is written.
typedef struct {
    const char *before, *after; // a declaration of NAME reads: before NAME after
} Declarator;
// Splits clang's spelling of a type where the name belongs.
Declarator spell_split(Arena *arena, const char *spelling);
const char *spell_join(Arena *arena, Declarator declarator); // without a name
// What stands before the name of a constant, from what stands before that of a variable.
const char *spell_const(Arena *arena, const char *before);
// As the user wrote it: without `typeof (NAME)`, and without const, volatile and restrict at its top.
Declarator spell_type(CUnit *unit, CXType type);
// The canonical spelling, without const, volatile and restrict at its top. The same for the same types.
const char *spell_canonical(Arena *arena, CXType type);

#endif
