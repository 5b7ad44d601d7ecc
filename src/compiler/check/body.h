// body.h: resolving one instance. Internal to check/: resolve.c makes instances, call.c resolves calls, body.c statements,
// local.c expressions and targets.

#ifndef CHECK_BODY_H
#define CHECK_BODY_H

#include "compiler/check/resolve.h"
#include "compiler/check/scope.h"

// A choreographic function as an argument: a definition with its roles, or (def NULL) just a signature, for definitions
// that nobody calls. The roles in a signature are meant as in the definition that has the parameter.
typedef struct {
    const TreeDef *def;
    RoleId *role_args; // of def's or owner's role parameters
    RoleId *given;     // the same as the caller knows them
    const TreeParam *signature;
    const TreeDef *owner; // of the signature
} FunctionValue;
typedef VECTOR(FunctionValue) FunctionValueList;

// A member of a family that is singled out around a place: by a name, in `for (w : Worker)`, or by an index.
typedef struct Focus Focus;
struct Focus {
    const char *name;     // NULL: by an index
    const Select *select; // by an index
    const char *family;   // by an index: as it is written
    const Stmt *stmt;     // by an index: in this statement
    Node *node;           // the EACH
    uint32_t depth;       // of scopes
    Focus *outer;
};

enum { LISTS_MAX = 256 }; // of roles, different ones

// What names mean inside one instance.
typedef struct {
    const TreeDef *def;
    RoleId *role_args;               // of def->role_params
    FunctionValueList function_args; // of its function parameters, in order
    bool is_abstract;
    Focus *focus;     // innermost, or NULL
    const Stmt *stmt; // the one that is being resolved
    // W[*] of a list of roles, where each does something on its own, means one of them at a time.
    const RoleList *only_of; // NULL: all of them
    RoleId only;
} Env;

typedef struct {
    Instance *instance;
    Env env;
} InstanceJob;

typedef struct {
    Resolved *out;
    Arena *arena;
    Diags *diags;
    size_t role_count;
    size_t role_capacity; // with the pseudo roles that stand for role parameters of unused definitions
    size_t id_capacity;   // with views of families
    Map view_by_key;      // statement and family -> RoleId + 1
    Map role_by_name;     // name -> RoleId + 1
    Map def_by_name;      // name -> TreeDef
    Map instance_by_key;
    Map name_taken; // of instances
    VECTOR(InstanceJob) jobs;
    Scope scope;
    bool too_many; // instances: reported
} Resolver;

typedef struct FaultScope FaultScope;
struct FaultScope {
    const char *name;
    Node *checkpoint;
    uint32_t depth;
    FaultScope *outer;
};

typedef struct Body Body;
struct Body {
    Resolver *resolver;
    Instance *instance;
    Env *env;
    Node *loop;        // innermost, or NULL
    const Node *round; // innermost checkpoint that is a round, or NULL
    bool in_arm;       // of a `par`
    bool (*resolve_arm)(Body *body, const TreeBlock *block, NodeList *nodes); // par.c
    bool case_ends;    // a `break` that ends the case being resolved is reached
    FaultScope *fault; // innermost rescue with a name, or NULL
};

// ---- resolve.c ----
RoleSet new_set(const Resolver *resolver, const Env *env);
// The role's name as the user wrote it in this instance: a role parameter's own.
const char *who(const Resolver *resolver, const Env *env, RoleId role);
const char *who_all(const Resolver *resolver, const Env *env, const RoleSet *roles);   // "Alice and Bob"
RoleId find_role(Resolver *resolver, const Env *env, const Name *name);                // ROLE_NONE: reported
bool find_roles(Resolver *resolver, const Env *env, const RoleRef *ref, RoleSet *set); // false: reported
// The focus that the same text has made in the statement that is being resolved; NULL: none.
const Focus *focus_of_select(const Resolver *resolver, const Env *env, const Select *select, const char *name);
RoleId find_selected(Resolver *resolver, const Env *env, const Select *select, const char *name); // ROLE_NONE: reported
// NULL: reported. Its parameters and results are there at once, its body later.
Instance *get_instance(Resolver *resolver, const TreeDef *def, RoleId *role_args, FunctionValueList function_args,
                       bool is_abstract, Span use);
// What a call of a parameter that has only a signature is checked against.
Instance *new_signature(Resolver *resolver, const FunctionValue *value);
Variable *new_variable(Resolver *resolver, Instance *instance, RoleId role, const char *name, Span span);
Node *new_node(Body *body, NodeKind kind, Span span);

// ---- local.c ----
Expr *resolve_c(Body *body, const RoleSet *at, Span c, CForm form); // never NULL
bool resolve_value(Body *body, const TreeExpr *tree, Value *value); // false: reported
// Binds what the target declares. `poison`: the value was wrong; variables are bound all the same, with no type.
Pattern *resolve_target(Body *body, const RoleSet *at, const Target *target, bool poison);
Variable *lookup_variable(Body *body, RoleId role, const char *name);
Variable *scope_find(const Body *body, RoleId role, const char *name, uint32_t *depth); // bound by the choreography

// ---- each.c ----
// The view of a family that belongs to `key`.
RoleId get_view(Resolver *resolver, const void *key, RoleId family, const char *name);
// A focus for each role parameter of the body that is a member of a family.
void enter_members(Body *body);
bool resolve_each(Body *body, const Stmt *stmt, const TreeBlock *block, NodeList *nodes,
                  bool (*rest)(Body *, const TreeBlock *, NodeList *));
// Wraps what `resolve` makes of the statement into an EACH for each Worker[e] that the statement names itself.
bool resolve_selected(Body *body, const Stmt *stmt, NodeList *nodes,
                      bool (*resolve)(Body *body, const Stmt *stmt, NodeList *nodes));
// The index of a member, or the size of a family, that the name means here; NULL: neither.
Variable *lookup_member(Body *body, RoleId role, const char *name);
bool is_member_name(Body *body, RoleId role, const char *name);
// The family that an array of this type is over: `int r[Worker]`. ROLE_NONE: it is an array of fixed size, or none.
void check_sizes(Resolver *resolver, const Env *env, const TypeText *type);

// ---- list.c ----
// The RoleId of the list; ROLE_NONE: there are too many, which is reported.
RoleId get_list(Resolver *resolver, const RoleId *roles, size_t count, Span span);
// The roles that are given for a family as a list. ROLE_NONE: reported.
RoleId find_list(Body *body, const RoleRef *ref);
// Do the two have a role in common?
bool roles_meet(const Program *program, RoleId one, RoleId other);
// The list that is all that the reference names, `W[*]`; NULL: it is something else.
const RoleList *list_in_ref(const Resolver *resolver, const Env *env, const RoleRef *ref);
// W[e] of a list. ROLE_NONE: reported.
RoleId find_in_list(Resolver *resolver, const Env *env, const RoleList *list, const Select *select);
// `for (w : W) { ... }`, once for each role of the list.
bool resolve_for_list(Body *body, const Stmt *stmt, const TreeBlock *block, NodeList *nodes, const RoleList *list,
                      bool (*rest)(Body *, const TreeBlock *, NodeList *));
// What roles do on their own, one after the other.
void resolve_for_all(Body *body, const Stmt *stmt, const RoleRef *ref, NodeList *nodes,
                     void (*resolve)(Body *, const Stmt *, NodeList *));
Variable *new_fixed(Body *body, RoleId role, const char *name, size_t value);

// ---- use.c ----
void add_uses(Resolver *resolver, const Tree *tree);
// What the name of a function means in this definition; NULL: nothing.
const TreeDef *find_def(const Resolver *resolver, const TreeDef *from, const char *name);
size_t module_roles(const TreeDef *def); // so many role parameters are roles of the choreography that it is taken from
void explain_no_used(const Resolver *resolver, const Name *name);

// ---- par.c ----
bool resolve_par(Body *body, const Stmt *stmt, NodeList *nodes, bool (*rest)(Body *, const TreeBlock *, NodeList *));

// ---- call.c ----
// Fills node->callee and node->args; calls that are arguments go to `before`. False: reported.
bool resolve_call(Body *body, const TreeCall *call, Node *node, NodeList *before);
RoleSet as_given(const Body *body, const Node *node, const RoleSet *at);

// ---- nested.c ----
bool resolve_nested(Body *body, const TreeArg *arg, NodeList *before, Value *value); // false: reported

// ---- agree_call.c ----
bool is_agree_call(const Body *body, const TreeCall *call); // the language's own, not a definition of that name
void resolve_agree(Body *body, const Stmt *stmt, NodeList *nodes);

// ---- body.c ----
void resolve_body(Body *body);

// ---- explain.c ----
// "Alice has no variable 'x' here", with what can be said about where it is.
// `owner_name`: another role that has it here, or NULL.
// "no role 'x'", and what else it may be.
void explain_no_role(const Resolver *resolver, const Name *name);
// A choreographic function that is not there.
void explain_no_function(const Resolver *resolver, const Name *name);
void explain_missing(Resolved *resolved, const Instance *instance, RoleId role, const char *role_name, const char *name,
                     Span span, RoleId owner);

#endif
