// inside.h: what the files of ctypes share. Nobody else includes this: it names libclang.

#ifndef CTYPES_INSIDE_H
#define CTYPES_INSIDE_H

#include "base/text.h"
#include "compiler/ctypes/unit.h"

#include <clang-c/Index.h>

// ---- clang.c: libclang's values as ours ----

// Takes over the string and disposes of it; "" for libclang's NULL.
const char *take_text(Arena *arena, CXString string);

typedef struct {
    CXFile file; // NULL: nowhere
    uint32_t offset;
} Place;
// Where the text stands: for a macro's argument the argument itself, for a macro's body the macro's use.
Place place_of(CXSourceLocation location);
bool place_in(Place place, CXFile file);
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

// ---- scan.c: the little that must be known about C text without clang ----

// The user's text with comments blanked out, at the same length; newlines stay.
void scan_blank_comments(char *text, size_t size);
// How many #if of the text are not closed at its end.
unsigned scan_open_conditionals(Arena *arena, const char *text, size_t size);
// The length of the token at `text`; at least 1 unless at its end.
uint32_t scan_token(const char *text, const char *end);
bool scan_is_name(char c); // can be part of an identifier
bool scan_starts_with(const char *text, const char *start);

// ---- the unit ----

typedef struct {
    uint32_t start, end; // in the added text; once it is parsed, in the unit
    Span span;
    bool is_as; // reads differently from the source
} Piece;

typedef struct {
    CXCursor cursor;
    unsigned count; // how many declarations have this name
} Declared;

typedef struct {
    uint32_t offset; // in the unit
    const char *name;
    bool is_macro_like; // the location is inside of a macro's expansion
    bool is_body;       // and not in one of its arguments
} RawReference;

// Where the user's text reads a variable of the prefix that may change.
typedef struct {
    Span span;
    const char *name;
} Global;

typedef struct {
    const char *canonical;
    const char *object;    // the C name of its chx_codec
    const char *functions; // "{encode, decode, drop}"; or the object, where it is not made of three functions
} Codec;

struct CUnit {
    Arena *arena;
    const Sources *sources;
    const Source *source;
    uint32_t prefix_size;
    CFlags flags;
    Text added;
    VECTOR(Piece) pieces;       // in order of position
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
    VECTOR(Span) calls; // where the user's text calls something
    VECTOR(Global) globals;
    unsigned sizeof_depth; // of the walk: in `sizeof` nothing is read
    Map mentioned;         // the identifiers of our own text; made on demand
    bool mentioned_made;
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
const Piece *unit_piece_at(const CUnit *unit, uint32_t offset);
const Piece *unit_piece_from(const CUnit *unit, uint32_t offset);
// The source span of the unit's text from `start` to `end`, which begins in `piece`.
Span piece_span(const Piece *piece, uint32_t start, uint32_t end);

// statement.c: our own text by statements.
typedef struct {
    uint32_t start, end;
} Extent;
// The statement or declaration of our own text around `offset`, up to its ';' or '{'.
Extent statement_around(const CUnit *unit, uint32_t offset);
// Does our own text in the extent name a declaration that failed? `missing`: names whose declarations are gone, too;
// `except`: a name that does not count.
bool statement_uses_failed(const CUnit *unit, Extent extent, const Map *missing, const char *except);

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
// As the user wrote it: without `typeof (NAME)`, and without const, volatile and restrict at its top.
Declarator spell_type(CUnit *unit, CXType type);
// The canonical spelling, without const, volatile and restrict at its top. The same for the same types.
const char *spell_canonical(Arena *arena, CXType type);

#endif
