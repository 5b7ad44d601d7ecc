// internal.h: what the files of emit/ share.

#ifndef EMIT_INTERNAL_H
#define EMIT_INTERNAL_H

#include "compiler/emit/emit.h"
#include "compiler/emit/out.h"
#include "compiler/emit/types.h"
#include "compiler/emit/value.h"

typedef struct {
    Arena *arena;
    const Program *program;
    LocalProgram *const *locals; // of all roles
    const char *source_path;
    const char *source_literal; // the same as a C string literal
    TypeTable types;            // of results, messages: in NAME.chor.h
    size_t result_types;        // the first of them, which C++ sees too
    uint64_t digest;
    uint64_t protocol_digest;
    bool is_central; // a sequential program: see compiler/central
    Out central;     // its code, which stands in the interface
} Emit;

// Reads what is needed of all roles together; then the results' types are in the table.
void emit_init(Emit *emit, Arena *arena, const Program *program, LocalProgram *const *locals, const char *source_path);
// The file that the text stands in, as a C string literal: the choreography's, or that of one that it uses.
const char *emit_file(const Emit *emit, Span span);
uint64_t emit_digest(const Emit *emit); // when all types that travel are in the table

// ---- protocol.c ----

// What travels between the roles, in words, and a digest of that: the same for all programs that can play together.
const char *emit_protocol(Arena *arena, const Program *program, LocalProgram *const *locals);
uint64_t emit_protocol_digest(Arena *arena, const Program *program, LocalProgram *const *locals);
// The participants of a block, with commas in between; a member of a family is CHX_ONE_MEMBER and the number of the family.
void emit_participants(const Program *program, const RoleSet *participants, Out *out);
// Prints the table NAME_chx_all_blocks, unless there are no blocks. Returns how many there are.
size_t emit_blocks(Arena *arena, const Program *program, LocalProgram *const *locals, Out *out);

// ---- interface.c ----

void emit_interface(Emit *emit, Out *out);
// What `instance` gives `role`. There is a result.
Shape emit_result_shape(TypeTable *table, const Result *result);
// The name of a parameter in C: that of its first role, and its own.
const char *emit_param_name(const Emit *emit, const Param *param);
// The same, declared as a parameter. Arrays can't be passed by value; a pointer will do, since arguments are copied at once.
char *emit_param_declare(const Emit *emit, const Param *param);
// `#error` in a companion that is compiled with headers of another version than ours.
void emit_version_check(const char *companion_name, Out *out);

// ---- hosts.c ----

// Behind all else of NAME.chor.h: for programs in which one role is played while others are elsewhere.
void emit_hosts(Emit *emit, Out *out);

// ---- role.c ----

// A step that can be begun again, at this label.
typedef struct {
    uint32_t site, label;
} Restart;

// The places at which a function of a role can go on.
typedef struct {
    uint32_t count;
    const uint32_t *lines; // by label: where that is in the choreography
    const char *file;      // of the lines, as a literal; NULL: the choreography's
} FunctionLabels;

typedef struct {
    Emit *emit;
    Arena *arena;
    const Program *program;
    const LocalProgram *local;
    const char *prefix;           // "bookseller_Buyer"
    const char *me;               // the pointer to the frame: "Buyer"
    TypeTable types;              // those that only this role needs
    const char **to, **from;      // by role: the enumerators of the channels; NULL: none
    VECTOR(const char *) renamed; // "bookseller_Buyer_two_party" -> what is behind CHX_ROLE_AS: "_chx_two_party"
    VECTOR(const char *) renamed_as;
    VECTOR(const char *) blocks;  // its chx_checkpoint objects
    HeldList *held;               // by function
    FunctionLabels *labels;       // by function
    VECTOR(const char *) fragile; // names of pointers that are live over a checkpoint
    VECTOR(uint32_t) counted;     // sites that have a counter: the first one has number 1
    VECTOR(Restart) restarts;     // of steps that call C functions
} RoleEmit;

char *emit_role(Emit *emit, const LocalProgram *local, const char *companion_name);
// The role's part of a sequential program: its functions in a table.
void emit_role_central(Emit *emit, const LocalProgram *local, Out *out);
Shape emit_message_shape(TypeTable *table, const LocalOp *op);
// A function that the role provides, as a declaration without semicolon. Parameters without names get some if `named`.
char *emit_prototype(Arena *arena, const Program *program, const RoleFunction *function, bool named);
// A variable as a member of a struct, without semicolon, and its descriptor. `fault` is the runtime's: it owns nothing.
const char *emit_variable(Arena *arena, const Variable *variable);
const char *emit_variable_type(TypeTable *table, const Variable *variable);

// ---- rank.c ----

// Those that the runtime must drop come first in its tables, and of these those that it must also save for a rescue: the
// others keep the value that they were given with the call.
typedef enum { RANK_CHANGES, RANK_FIXED, RANK_OWNS_NOTHING } VariableRank;
VariableRank emit_rank(const LocalFunction *function, const Variable *variable);

// ---- function.c ----

// The resumable function, with its prototype printed to `declarations`, what every implementation shares to `tables`.
// Further members of the frame that it needs are put in `held`. Returns its labels.
FunctionLabels emit_function(RoleEmit *role, const LocalFunction *function, HeldList *held, Out *tables,
                             Out *declarations, Out *out);

#endif
