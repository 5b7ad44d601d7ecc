// unit.h: asks libclang about C text in the context of the user's file. The only door to libclang.
//
// A CUnit is a translation unit under construction: the user's file up to a block, then text that the caller adds.
// Added text is ours (ctext) or a verbatim copy of the user's (ccopy), for which a table from position in the unit to
// position in the source is kept. After cunit_parse, the caller asks about declarations by their names, and
// gets the errors that lie in copied text, with source spans.
//
// Typical unit (see check/typing.c): one C function per choreographic function, each located variable a C variable.

#ifndef CTYPES_UNIT_H
#define CTYPES_UNIT_H

#include "base/map.h"
#include "compiler/ctypes/type.h"
#include "compiler/diag/diag.h"

typedef struct {
    const char *path; // a file that need not exist on disk
    const char *text; // what clang sees there
} CVirtualFile;

// How the C compiler is called: flags that matter for reading (-I -D -U -std -include -isystem -f... -m...).
typedef struct {
    VECTOR(const char *) args;
    VECTOR(CVirtualFile) files; // companions of earlier blocks, not written yet
    bool is_cxx;                // the file is C++: only ctypes_expansions reads such
} CFlags;

// cc's arguments to those for libclang: drops what clang does not know or what concerns output, linking, warnings.
void cflags_from_cc(Arena *arena, const char *const *cc_args, size_t count, CFlags *flags);

// ---- which blocks are active ----

// Byte offsets in which files the macro is expanded when `source` is compiled, in the order of the translation unit;
// not inside of other macros. Nothing, if `choreography` is not a macro with parameters. A missing #include of a companion (*.chor.h) is no error here; errors are not reported.
typedef struct {
    const char *path; // as clang names the file; compare with file_same
    uint32_t offset;
} CExpansion;
typedef VECTOR(CExpansion) CExpansionList;
// False: libclang could not parse the file at all; *error says why.
bool ctypes_expansions(Arena *arena, const Source *source, const CFlags *flags, const char *macro, CExpansionList *list,
                       const char **error);
bool file_same(const char *one, const char *other); // same file on disk

// ---- a unit ----

typedef struct CUnit CUnit;

// The unit begins with the first `prefix_size` bytes of `source` (0: none of it).
CUnit *cunit_new(Arena *arena, const Sources *sources, const Source *source, uint32_t prefix_size, const CFlags *flags);
// There may be arrays over families: these are their names, by number. NULL: it is none.
void cunit_name_families(CUnit *unit, const char *const *names, size_t count);
void ctext(CUnit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ccopy(CUnit *unit, Span span);                    // the user's text, comments blanked out
void ccopy_as(CUnit *unit, Span span, const char *as); // stands for the span, but reads `as`

// What is added up to cexpr_end is one expression, which the caller asks about later by this number. It may be added
// several times.
void cexpr_begin(CUnit *unit, uint32_t id);
void cexpr_end(CUnit *unit);

// False: libclang itself failed; *error says why. May be called once.
bool cunit_parse(CUnit *unit, const char **error);
void cunit_free(CUnit *unit); // libclang's part; results stay in the arena

// Errors (not warnings) whose place is in copied text, in order, without repetitions and without those that only follow
// from a failed declaration.
typedef struct {
    Span span;           // the token or range concerned, in the user's source
    const char *message; // clang's, without "error: "
    // For clang's errors of these kinds, the name concerned; else NULL.
    const char *undeclared;        // use of undeclared identifier 'NAME'
    const char *implicit_function; // implicit declaration of function 'NAME'
    const char *no_member;         // no member named 'NAME' in ...
    bool is_const_assignment;      // cannot assign to / modify a const variable
    bool in_macro;                 // inside the expansion of a macro that the copied text names:
    const char *macro;             // its name
    VECTOR(Note) notes;            // clang's notes; span SPAN_NONE where it lies outside of copied text and prefix
} CError;
typedef VECTOR(CError) CErrorList;
void cunit_errors(CUnit *unit, CErrorList *errors);
// Errors in the prefix or in its headers (a missing header, ...): they explain others. Span: in `source`, or SPAN_NONE,
// then the message starts with "header.h:12:3: ".
void cunit_prefix_errors(CUnit *unit, CErrorList *errors);

// The type of the variable or typedef `name`, declared anywhere in the added text (also inside functions and statement
// expressions); names there are unique. An error in its declaration: a CTYPE_INVALID type. NULL: no such declaration.
const CType *cunit_type_of(CUnit *unit, const char *name);
// The type of the initialiser of the variable `name`, before decay: an array where `name` itself became a pointer.
// A string literal counts as const char *; a bit-field as its declared type.
const CType *cunit_init_type_of(CUnit *unit, const char *name);

// The parameters and result of the function `name` declared in the added text.
typedef struct {
    const CType *result;
    VECTOR(const CType *) params;
    VECTOR(const char *) names;    // "" where there is none
    VECTOR(const CType *) written; // the parameters as declared: an array is one; empty where nobody declared them
    bool is_variadic;
} CFunction;
const CFunction *cunit_function(CUnit *unit, const char *name);

// Every place in copied text that refers to a variable or function declared in the *added* text.
typedef struct {
    Span span;        // of the name, in the user's source
    const char *name; // of the declaration it refers to, as declared in the added text
    // The name comes out of a macro's body or was pasted: `span` is then the macro's use, and `macro` its name.
    const char *macro;
    bool is_called; // it is what a call calls, and nothing else: neither its address nor its type is taken
} CReference;
typedef VECTOR(CReference) CReferenceList;
// In order of position in the unit. `declared_in`: for a variable declared in a statement expression, its C name is
// ambiguous between scopes; the caller tells scopes apart by the span.
void cunit_references(CUnit *unit, CReferenceList *references);

// ---- facts about one expression, marked with cexpr_begin ----

// Why may two roles that hold equal values compute different ones? Two roles run different functions of different
// programs, in which every address is another one.
typedef enum {
    CDIFFER_CALL,       // of something else than a C function that is declared before the block
    CDIFFER_IMPURE,     // of the function `name`, which is declared neither const nor pure
    CDIFFER_ARGUMENT,   // gives the function `name` something that has an address in it
    CDIFFER_GLOBAL,     // a variable of the program that is not const: `name`
    CDIFFER_POINTEE,    // a constant of the program points to something that may change: `name`
    CDIFFER_KEPT,       // a static or extern variable declared in the expression: `name`
    CDIFFER_UNSET,      // a variable declared in the expression that may be read before it has a value: `name`
    CDIFFER_ADDRESS,    // takes the address of something
    CDIFFER_FUNCTION,   // a function as a value, which is an address: `name`
    CDIFFER_COMPARE,    // compares addresses, or subtracts them: by the operator `name`, "" where a macro hides it
    CDIFFER_STRINGS,    // the same with pointers to characters
    CDIFFER_CONVERT,    // an address becomes a number, or a number an address, or what it points to another type
    CDIFFER_THROUGH,    // reads through a pointer that is not a string's
    CDIFFER_ARRAY,      // an array becomes a pointer that outlives the expression
    CDIFFER_UNION,      // reads a member of a union, which may hold another one
    CDIFFER_PREDEFINED, // __func__, __COUNTER__, ...: `name`
    CDIFFER_ORDER,      // changes and reads a variable in no order
    CDIFFER_OTHER,      // goto, asm and the like
} CDifferKind;
typedef struct {
    CDifferKind kind;
    Span span;
    const char *name;
} CDiffer;
// `is_array`: its value is a whole array, and no pointer to one. True: *differ says what is found first.
bool cunit_differs(CUnit *unit, uint32_t id, bool is_array, CDiffer *differ);

// Variables, declared in our own text, that one role's C must not change. Those that roles agree on are declared const
// there. Of the others, nobody but the choreography changes the strings that they own.
typedef struct {
    const char *name;
    bool is_const;   // declared so: clang sees assignments itself
    bool has_string; // owns strings
    bool is_agreed;  // here or elsewhere: nobody keeps a pointer to it
} CGuarded;
typedef enum {
    CDANGER_POINTER, // a pointer without const, through which the variable could be changed
    CDANGER_STRING,  // an assignment to a string that the variable owns, or a pointer to it without const
    CDANGER_KEPT,    // a pointer to the variable that is there when the expression is over
} CDangerKind;
typedef struct {
    CDangerKind kind;
    Span span;
    const char *name; // the variable
} CDanger;
// `is_array` as above. True: *danger says what is found first.
bool cunit_endangers(CUnit *unit, uint32_t id, const CGuarded *guarded, size_t count, bool is_array, CDanger *danger);

// Who owns what a value of a type with a codec holds.
typedef enum {
    COWNER_OTHERS,   // a variable, or somebody else whom the expression leads to: it must be copied
    COWNER_NOBODY,   // a call has just made it, or an initialiser: whoever takes the value owns it
    COWNER_MIXED,    // sometimes the one, sometimes the other
    COWNER_PART,     // a part of what a call has just made: nobody gets the rest
    COWNER_ASSIGNED, // the expression assigns to a variable that owns something: nobody drops that
} COwner;
typedef struct {
    bool has_call;
    COwner owner;
    Span assigned; // with COWNER_ASSIGNED: to what
    bool is_cast_to_void;
    const CType *type; // of the value; of what is cast to void, if it is that
    Span span;         // of what has that type; SPAN_NONE: the cast to void stands in a macro
} CExprFacts;
bool cunit_expr_facts(CUnit *unit, uint32_t id, CExprFacts *facts); // false: clang could not read it
bool ctype_has_codec(const CType *type);                            // or a part of it has

// Does C declare `name` at the end of the prefix (function, variable, typedef, enum constant), or define it as a macro?
typedef enum { CNAME_NONE, CNAME_FUNCTION, CNAME_VARIABLE, CNAME_TYPE, CNAME_CONSTANT, CNAME_MACRO } CNameKind;
// Ask before cunit_parse; the answer is there after it. A name that nobody asked about is NONE.
void cunit_ask_name(CUnit *unit, const char *name);
CNameKind cunit_name_kind(CUnit *unit, const char *name);

// ---- the whole file with its companions, to see whether the roles' functions are there ----

typedef struct {
    const char *name;         // of a function that a companion declares static
    const char *companion;    // the path of the companion that declares it, as clang names it
    uint32_t line;            // of the declaration in that companion, as clang counts physical lines
    const char *include_path; // the file whose #include brought the companion in,
    uint32_t include_offset;  // and where that #include is
    bool is_defined;
    // Another declaration or definition of the name whose type differs (path NULL: none).
    const char *conflict_path;
    uint32_t conflict_offset;
    const char *conflict_type; // spelled
    const char *type;          // as the companion declares it
    // A declaration above the companion that is not static, which C does not allow (path NULL: none).
    const char *outside_path;
    uint32_t outside_offset;
    bool outside_is_definition;
    const char *canonical; // its type
    size_t order;          // of declarations in the file
} CProvided;
typedef VECTOR(CProvided) CProvidedList;
// A function that the file defines, itself or in what it includes.
typedef struct {
    const char *name, *path;
    uint32_t offset;
    const char *type, *canonical;
    bool is_static; // as its definition has it
    size_t order;
} CDefined;
typedef VECTOR(CDefined) CDefinedList;
bool ctypes_provided(Arena *arena, const Source *source, const CFlags *flags, CProvidedList *list,
                     CDefinedList *defined, const char **error);

#endif
