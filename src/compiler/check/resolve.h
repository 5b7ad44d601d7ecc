// resolve.h: resolving, seen from inside check/: what it makes beyond the program, for typing.
//
// Resolving knows roles, scopes and calls; it never asks libclang. Typing then writes one C unit for all instances.

#ifndef CHECK_RESOLVE_H
#define CHECK_RESOLVE_H

#include "compiler/check/program.h"

// A name in local C that is a variable in scope, at each role of the expression.
typedef struct {
    const char *name;
    VariableList variables; // in role order
    VECTOR(Span) places;    // where the name stands
    bool agree;             // by the agreement analysis: the roles' variables are equal here
    bool shared;            // this role's variable is known to equal another role's: const in its C
    bool is_of_arms;        // several arms of a `par` use the variable: const in its C
} Mention;

// A name that is called in local C.
typedef struct {
    const char *name;
    Span span;
    bool is_dotted; // Alice.f(...): always the role's own
    bool is_whole;  // the whole expression is this call, with these arguments
    CTextList args;
    RoleFunction *function; // the role's own function; NULL: C's, or not known yet
} CalledName;

// How local C stands in the choreography.
typedef enum {
    CFORM_BARE,          // on its own: a brace begins an initialiser
    CFORM_DOTTED,        // Alice.f(...): the call of a function of the role
    CFORM_PARENTHESISED, // between parentheses: a brace begins a statement expression
} CForm;

// An expression with what typing needs to know of it. Every Expr is the head of a LocalC.
typedef struct {
    Expr expr;
    uint32_t id;
    CForm form;
    Instance *instance;
    VECTOR(Mention) mentions;
    VECTOR(CalledName) called;
    VECTOR(const char *) open_names; // outside of parentheses: macros of these names might be anything
    const char *wanted;              // typing: the C type it is converted to, or NULL
    COwner owner;                    // typing: of its value, if the type has a codec
    Span assigned;                   // typing: with COWNER_ASSIGNED
    bool is_lost;                    // typing: a value with a codec is thrown away in a macro
    bool is_poisoned;                // mentions a variable whose binding was wrong: nothing is said about it
} LocalC;

static inline LocalC *local_c(const Expr *expr)
{
    return (LocalC *)(uintptr_t)expr;
}

// The signature of a function argument must have these types.
typedef struct {
    Span span;
    const char *argument, *parameter;
    const TypeText *expected, *actual;
    RoleId expected_over, actual_over; // the families that they are arrays over
} TypeFit;

// A variable in the declared type of another one: `Alice.typeof(x) y;`
typedef struct {
    Span span;
    const Variable *variable;
} TypeName;
typedef VECTOR(TypeName) TypeNameList;

// From where to where a variable can be seen, to explain a name that is not in scope.
typedef struct {
    Variable *variable;
    uint32_t from, to;
    TypeNameList type_names; // in its declared type
} Visibility;

typedef struct {
    Arena *arena;
    const Sources *sources;
    Diags *diags;
    const Tree *tree;
    Program *program;
    VECTOR(LocalC *) locals;
    RoleFunctionList functions; // prototypes and uses, in order of appearance
    Map function_by_name;       // "role name" -> RoleFunction
    VECTOR(Visibility) visible; // by variable id
    uint32_t pattern_count;
    VECTOR(TypeFit) fits;
    VECTOR(const TreeDef *) imported; // definitions of used choreographies
    bool has_two_types;          // a role's function would have two types, which is reported: C would only repeat it
    VECTOR(Instance *) abstract; // made only to check definitions that nobody uses: names and roles, no types
} Resolved;

Resolved *resolve_tree(Arena *arena, const Sources *sources, Diags *diags, const Tree *tree);
RoleFunction *resolved_function(Resolved *resolved, RoleId role, const char *name);               // NULL: unknown
RoleFunction *resolved_function_use(Resolved *resolved, RoleId role, const char *name, Span use); // made if unknown

// The family that the size of an array names in a definition with these role arguments, or ROLE_NONE.
RoleId family_of_size(const Resolved *resolved, const TreeDef *def, const RoleId *role_args, const CText *size);
bool is_family_size(const Resolved *resolved, const CText *size); // somewhere in the choreography
// The family that the type is an array over, or ROLE_NONE.
RoleId family_of_type(const Resolved *resolved, const TreeDef *def, const RoleId *role_args, const TypeText *type);

// ---- use.c ----
// The same for a name in the text of an instance, which may be that of a choreography that is used.
RoleFunction *function_of(Resolved *resolved, const Instance *instance, RoleId role, const char *name);
RoleFunction *function_used(Resolved *resolved, const Instance *instance, RoleId role, const char *name, Span use);

// The type of a variable whose binding was wrong.
extern const CType POISON;
bool is_poisoned(const Variable *variable);
// const char *, chx_str or chx_bytes: read-only to local C. NULL is none.
bool is_string(const CType *type);

#endif
