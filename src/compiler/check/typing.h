// typing.h: types for a resolved program, through libclang. Internal to check/.
//
// unit.c writes one C translation unit: the user's file up to the block, then a C function per instance in which every
// located variable is a C variable `chx_v7` and every expression a variable `chx_x3`. read.c takes the types and
// references out of it. Some things are only known after a parse (that an expression is an array, that a called name
// is nobody's C function); they are facts for the next round, until nothing new is learned.

#ifndef CHECK_TYPING_H
#define CHECK_TYPING_H

#include "compiler/check/resolve.h"

// A type as it is written, in a definition with role arguments that say which family it is an array over, if it is one.
typedef struct {
    const TypeText *text;
    RoleId over;
} WrittenType;

typedef struct {
    Resolved *resolved;
    Arena *arena;
    Diags *diags;
    const Source *source;
    const CFlags *flags;
    CUnit *unit;

    // Facts, kept from round to round.
    const CType **expr_fact;    // by LocalC id: its type where __auto_type would lose it (arrays, strings from macros)
    Map array_types;            // C type text -> itself, if it is an array
    Map bitfields;              // Pattern id as text -> itself
    Map unfit;                  // position of a TypeText as text -> itself, if nothing can have that type
    bool *plain;                // by variable id: it has taken over a type, but not that type's const
    Map misfits;                // names of functions that don't fit the function parameters they are given for
    Map headers;                // name of a C library's function that is not declared -> its header
    const CFunction **inferred; // by RoleFunction id
    size_t inferred_capacity;

    // Of the current round.
    VECTOR(WrittenType) type_texts; // C variables chx_ty0, chx_ty1, ... have these types
    Map type_index;                 // position of a TypeText and its family as text -> name of its C variable
    VECTOR(const char *) wants;     // C type texts that something is converted to
    Map want_seen;
    VECTOR(const LocalC *) untypable; // calls of functions whose type is not known
    bool *typed;                      // by LocalC id: it is in the unit
    uint32_t *root;                   // by variable id: the id + 1 of the variable that it copies, or 0
    bool *poisoned;                   // by variable id: it has no type in this round
    CReferenceList references;
} Typing;

// ---- unit.c ----
void typing_write(Typing *typing); // a new unit for this round
// A C variable of the type, in the unit.
const char *type_text_name(Typing *typing, const TypeText *type, RoleId over);
const char *instance_type_name(Typing *typing, const Instance *instance, const TypeText *type);
const char *type_text_key(Arena *arena, const TypeText *type);              // its position, as a key for maps
bool function_is_known(const Typing *typing, const RoleFunction *function); // by prototype or inferred
bool calls_unknown(const Typing *typing, const LocalC *local);              // the whole is a call of an unknown one

// ---- read.c ----
bool typing_learn(Typing *typing); // takes new facts out of the parsed unit; true: another round is needed
void typing_read(Typing *typing);  // types, facts and pieces into the program
const char *prototype_text(Arena *arena, const CFunction *function, const char *name); // "int f(const char *)"

// Suggests the prototype to add, "int Alice.f(int)", for the error reported last.
void suggest_prototype(Typing *typing, const char *prototype);

const CType *parameter_type(Arena *arena, const CType *type); // an argument's type as that of a parameter

// ---- pieces.c ----
void pieces_begin(Typing *typing);                         // takes the references out of the unit
void pieces_cut(Typing *typing, LocalC *local);            // into expr.pieces
const char *pieces_shown(const Typing *typing, Span span); // a value's text for reports: on one line, without comments

// ---- errors.c ----
void typing_errors(Typing *typing);      // clang's errors in the user's terms
void typing_last_errors(Typing *typing); // after the rules: clang found something wrong that nobody has reported
// Is there an error in the expression? Then clang has not understood it.
bool typing_has_error(const CErrorList *errors, const LocalC *local);

// ---- rules.c ----
void typing_rules(Typing *typing); // what needs types: sendable, comparable, conditions, fits, unused

// Who has it, for "...'s": "Bob", or for a variable at a set "Bob's and Carol".
const char *variable_owners(const Typing *typing, const Variable *variable);

// ---- sets.c ----
void typing_sets(Typing *typing); // expressions at a set must come out the same at every role of it

// ---- guards.c ----
void typing_guards(Typing *typing); // one role's C must not change what it has no right to change

// ---- owners.c ----
void typing_owners(Typing *typing); // values with codecs of which nobody can tell who owns them

// ---- pointers.c ----
void typing_pointers(Typing *typing, const Instance *instance); // warnings

// ---- typing.c ----
// Where does the expression mention these variables? Fills agree and shared of its mentions, reports disagreement.
void typing_agreement(Typing *typing);
bool type_program(Resolved *resolved, const Source *source, const CFlags *flags);

// Calls `visit` for every node, outer ones first.
void each_node(const NodeList *nodes, void (*visit)(void *context, Node *node), void *context);

#endif
