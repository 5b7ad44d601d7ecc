// program.h: a choreography after checking: specialised, resolved, typed. What projection and central start from.
//
// Made by check/resolve.c (structure, names, roles) and check/typing.c (types, pieces of local C); not changed later.
//
// Specialised: one Instance per (definition, role arguments, function arguments); calls are direct. Resolved: every name
// in local C that is a variable or a role's function is a Piece that points to it. Every role has its own Variable, also
// for a value at a role set: `{A, B}.x` is a Variable of A and one of B.

#ifndef CHECK_PROGRAM_H
#define CHECK_PROGRAM_H

#include "base/roleset.h"
#include "compiler/ctypes/unit.h"
#include "compiler/syntax/tree.h"

// A family of roles has one RoleId, as a role has, which stands for all its members: one program does for each of them. A
// member that is singled out, `w` in `for (w : Worker)` or Worker[e], has a RoleId of its own there, a *view* of the family.
// Which member that is, is known when the program runs: everybody concerned has its index in a variable. Two views of a family
// may be the same member. A set of roles that has a family in it has all views of the family, too, that there are at that place.

typedef struct Instance Instance;
typedef struct Node Node;

// A variable of one role in one instance.
typedef struct {
    uint32_t id;        // unique in the program
    const char *name;   // as written
    const char *c_name; // unique among this role's variables in this instance: name, name_2, ...
    RoleId role;        // a member's: the family
    RoleId owner;       // the same, or the only view that has it
    Instance *instance;
    Span span;                // where it is bound first
    const TypeText *declared; // NULL: inferred
    const CType *type;        // never an unnamed type; arrays stay arrays
    const Node *round;        // the innermost checkpoint is_round that it is declared in, with which it ends; or NULL
    bool is_param;
    bool is_fault; // `fault` of a rescue, type chx_fault
    bool is_index; // of a view: which member it is, type size_t
    bool is_count; // Worker_count, type size_t: no variable of the frame
    bool is_fixed; // is_count: it is `fixed`. The number of a role in a list of roles, or how many there are
    size_t fixed;
    RoleId family;    // is_index, is_count
    const Node *each; // is_index: of this EACH
    bool is_read;
    bool is_doubtful; // something that would bind it was wrong: its agreement with others is not known
    bool is_agreed;   // it is bound together with another role's somewhere: they may agree there
    bool is_fragile;  // a pointer that is live over a checkpoint
} Variable;
typedef VECTOR(Variable *) VariableList;

// A C function that a role must provide: ROLE_NAME.
typedef struct {
    uint32_t id; // unique in the program
    RoleId role;
    const char *name;
    const TreeProto *proto; // NULL: inferred
    const CFunction *type;
    Span first_use;           // SPAN_NONE: never used
    bool is_hook;             // init, fini
    const char *header;       // C has one of this name, in this header, which is not included; NULL: it has not
    const TreeModule *module; // a choreography that is used asks for it; NULL: this one does
    const char *own_name;     // its name there
} RoleFunction;
typedef VECTOR(RoleFunction *) RoleFunctionList;

// Local C, cut at the names that mean something here. Printing the pieces in order gives the expression.
typedef enum { PIECE_TEXT, PIECE_VARIABLE, PIECE_FUNCTION } PieceKind;
typedef struct {
    PieceKind kind;
    const char *text;       // TEXT: without comments, but with its newlines
    const char *line;       // TEXT: the same on one line
    VariableList variables; // VARIABLE: for each role of the expression, in role order, that role's variable
    RoleFunction *function; // FUNCTION
    bool is_called; // FUNCTION: it is called here; else it is meant as a function: `&f`, `typeof(f)`, `sizeof f`
} Piece;

typedef struct {
    RoleSet at;        // the roles that compute it (each on its own)
    Span span;         // of the C text
    const CType *type; // of its value; an array stays an array, a string literal is const char *
    VECTOR(Piece) pieces;
    bool is_variable; // exactly one VARIABLE piece
    bool is_constant; // no variables, no calls
    bool has_call;
    bool is_braces;         // a brace initialiser: only as the value of a step with a typed target
    bool is_literal;        // a string literal
    bool needs_parentheses; // to stand for one operand or argument in emitted code
    bool is_arithmetic;     // of numbers and variables, without division: can't fail if the variables are integers
    bool must_agree; // whoever computes it must come to the same value, also if these are the members of one family
    // The type of what its C gives away with the value, if that type has a codec: whoever takes the value owns it, and
    // where nobody does it is dropped. NULL: the value is a variable's or somebody else's, and is copied.
    const CType *given;
} Expr;
typedef VECTOR(Expr *) ExprList;

Variable *piece_variable(const Expr *expr, const Piece *piece, RoleId role); // role is in expr->at

// One value, or a tuple of several.
typedef struct {
    ExprList exprs;
    bool is_tuple;
    RoleSet at;
    Span span;
} Value;

// Where a value goes, at each role of a set (often of one).
typedef enum { PATTERN_BIND, PATTERN_PLACE, PATTERN_DROP, PATTERN_MATCH, PATTERN_TUPLE, PATTERN_STRUCT } PatternKind;
typedef struct Pattern Pattern;
struct Pattern {
    PatternKind kind;
    Span span;
    // The type that a value has when it arrives here. BIND and PLACE: the variable's or place's own. TUPLE: NULL.
    const CType *type;
    VariableList variables;  // BIND: in role order
    bool declares;           // BIND: this is where they come into being
    Expr *expr;              // PLACE: the lvalue. MATCH: the value
    const char *shown;       // MATCH: the value as it is written, on one line, for reports
    VECTOR(Pattern *) parts; // TUPLE, STRUCT
    const char *field;       // as a part of STRUCT
    uint32_t id;             // unique in the program
    bool is_bitfield;        // as a part of STRUCT: the field is one
};

typedef struct {
    RoleSet at;
    Pattern *pattern;
} LocatedPattern;

Variable *pattern_variable(const RoleSet *at, const Pattern *bind, RoleId role);

typedef VECTOR(Node *) NodeList;

typedef enum {
    NODE_STEP, // something that roles do on their own
    NODE_DELIVERY,
    NODE_AGREE, // roles find out whether they hold the same value
    NODE_CALL,
    NODE_CHOICE, // if, switch
    NODE_LOOP,   // while, do, for
    NODE_EACH,   // for (w : Worker), or one statement with Worker[e]: `view` is a member in the body
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN,
    NODE_CHECKPOINT,
    NODE_BLOCK,
    NODE_PAR, // its body, in which arms are begun, and then the end of these
    NODE_ARM, // its body is done beside what follows, up to the end of the PAR around it
} NodeKind;

typedef enum { LOOP_WHILE, LOOP_DO, LOOP_FOR } LoopKind;

typedef struct {
    ExprList labels; // switch: constants
    bool is_default; // switch: `default` is among its labels, or it is the branch added for a missing default
    bool is_implied; // not written: an `if` without else, a `switch` without default
    NodeList body;
    Span span;
} Branch;

typedef struct {
    RoleSet at;
    VariableList variables; // in role order
    const TypeText *declared;
    const CType *type;
    const char *name;
    Span span;
} Param;

typedef struct {
    RoleSet at;
    bool is_tuple;
    VECTOR(const CType *) types;
    size_t written; // which of the definition's results it is: W[*] of a list of roles is one result for each role
    Span span;
} Result;

// Single roles that are given for a family. The list has a RoleId of its own, which is in no set.
typedef struct {
    RoleId *roles;
    size_t count;
} RoleList;

// The element of an array that belongs to an arm, in which it is a variable.
typedef struct {
    Variable *array, *element;
    const Variable *index; // which one it is
} ArmElement;

struct Node {
    NodeKind kind;
    uint32_t site; // unique in the program, from 1
    Span span;
    const Node *around; // the innermost EACH that it stands in, or NULL

    // EACH
    RoleId view, family;
    bool is_param;          // it stands around the whole body of an instance: a role parameter is the member
    Expr *index;            // NULL: once for each member, in order
    VariableList positions; // of the roles that may have to do with it, in role order: is_index

    // STEP: `at` do: target op value. target NULL: value for its effect. op NULL: a declaration without a value (zero).
    // op "++", "--": no value.
    RoleSet at;
    Pattern *target;
    const char *op;
    bool divides; // op is `/=` or `%=`: it fails on zero
    Expr *value;
    bool is_for_agree; // STEP: the AGREE behind it says what is wrong with the variable
    // AGREE: `at` compare their variables of `target`, a BIND: each sends all others a digest. They fail if these differ.

    // DELIVERY: from sends `sent`, once to each role of to.at that is not itself; a role in both binds it too.
    // The message's type is target.pattern->type, or those of its parts for a tuple.
    RoleId from;
    Value sent;
    LocatedPattern to;

    // CALL. RETURN with a call: the same, is_return.
    Instance *callee;
    const RoleId *given;            // the callee's role arguments as they are known here
    VECTOR(Value) args;             // one per parameter of the callee, one expression each
    VECTOR(LocatedPattern) results; // CALL: where results go; results that nobody wants are missing here

    // CHOICE and LOOP. The roles in `deciders` all compute `condition`; the first of them tells the others.
    // LOOP without condition: for ever.
    RoleSet deciders;
    Expr *condition; // may be NULL in a LOOP
    bool is_switch;
    VECTOR(Branch) branches; // CHOICE; if: [0] then, [1] else. switch without default: an implied one is last
    LoopKind loop;
    NodeList body;           // LOOP, EACH, CHECKPOINT, BLOCK, PAR, ARM
    NodeList step;           // LOOP_FOR: done after the body and by `continue`
    bool is_round_condition; // CHOICE: the first branch is the round of a checkpointed loop, the other one leaves it
    bool has_notify;
    RoleSet notify;
    Span notify_end; // where another role of it would stand
    Span head;       // CHOICE, LOOP, CHECKPOINT: the condition or the word checkpoint

    // RETURN: one value per result of the instance, in the same order; or callee (NULL: none) and args as in CALL.
    VECTOR(Value) values;
    // BREAK, CONTINUE: which LOOP or EACH it belongs to. (A `break` that ends a case of a switch is not a node.)
    Node *loop_node;

    // ARM: the variables of all roles from around the PAR that it uses, and those of them that no other arm uses: these it may change.
    VariableList uses, owns;
    VECTOR(ArmElement) elements; // of arrays over the family, with an arm for each member

    // CHECKPOINT
    bool
        is_round; // it is all that its LOOP, which has no condition, repeats: the end of one round is the next one's entry
    const Node *outer_round; // is_round: the innermost other one around it, or NULL
    bool has_rescue, has_within, has_retry;
    bool is_durable; // all roles take part in it
    uint64_t within_ns;
    uint32_t retry;
    NodeList rescue;
    VariableList fault_variables; // those roles' that use `fault` in the rescue
};

struct Instance {
    uint32_t id; // index in program->instances
    const TreeDef *def;
    const RoleId *role_args; // of def->role_params
    const char *name;        // unique: "run", "relay_Ann_Cleo", "purchase_two_party"
    bool is_entry;           // can be started from C
    VECTOR(Param) params;    // located ones only
    VECTOR(Result) results;  // a role is in at most one of them
    NodeList body;
    VariableList variables; // of all roles, params included
    bool has_durable;       // there is a durable block in it, or in a function that it calls: durable.c
    VariableList counts;    // is_count: as far as they are mentioned
    NodeList members;       // EACH, is_param: for each role parameter that is a member of a family
    bool falls_off;         // its end can be reached without a return
    bool is_doubtful;       // a role of its parameters or results is wrong, which is reported: calls are not checked
};

typedef struct {
    Arena *arena;
    const Sources *sources;
    const Tree *tree;
    const char *name;
    VECTOR(const TreeModule *) modules; // choreographies that it uses, also those that these use
    size_t role_count;                  // of roles and families
    size_t id_count;                    // of RoleIds: sets have room for so many
    const bool *is_family;              // by RoleId
    RoleId *role_of;                    // by RoleId: of a view the family, else itself
    const char **role_names;            // by RoleId: in the order of the choreography
    bool *role_name_taken;              // C may declare something of the role's name: emitted code must not use it bare
    RoleId list_first;                  // RoleIds from here on are lists of roles
    VECTOR(const RoleList *) lists;
    VECTOR(Instance *) instances; // reachable from entries, or unused but checked (never with abstract roles)
    RoleFunctionList functions;   // of all roles, used ones and hooks; in order of first use
    uint32_t site_count;          // sites are 1 .. site_count - 1
} Program;

// What a function of a used choreography may be called instead, "pick" for "ot_pick", in order; their number.
size_t function_other_names(Arena *arena, const RoleFunction *function, const char ***names);
bool program_has_families(const Program *program);
// The list of roles that the RoleId stands for; NULL: it is none.
const RoleList *list_of(const Program *program, RoleId id);
// Without views of families that are in it.
RoleSet without_views(Arena *arena, const Program *program, const RoleSet *set);
// Is the role there, or a member of it?
bool set_has_role(const Program *program, const RoleSet *set, RoleId role);
// The family, if the set is all members of it and nobody else; else ROLE_NONE.
RoleId only_family(const Program *program, const RoleSet *set);
// How many parties a set has: all members of a family that is in it are one.
size_t party_count(const Program *program, const RoleSet *set);
// Who of those that decide tells the others: a role, if there is one, since a family may have no members.
RoleId teller_of(const Program *program, const RoleSet *deciders);
// The variable of the role among those of several, or NULL.
Variable *variable_of_role(const VariableList *list, RoleId role);
// The variable that says which member the view is, for a role: of the EACH around the node that has the view.
Variable *view_index(const Node *node, RoleId view, RoleId role);
// Who fails if the Worker[e] of the EACH does not exist: who sends to it, or receives from it, or else the first member (the family).
RoleId member_in_charge(const Program *program, const Node *node);
// What goes to the call's result of this index.
const Result *call_result(const Node *call, size_t index);
// The result of a callee that the caller has at one of these roles, or NULL.
const Result *returned_result(const Node *call, const RoleSet *at);
// The caller's role for one of the callee's.
RoleId given_role(const Node *call, RoleId role);
// Adds the views that there are at the node of each family in the set.
void add_views(const Program *program, const Node *node, RoleSet *set);
// The role's name as written in the instance's definition: a role parameter's own.
const char *instance_role_name(const Program *program, const Instance *instance, RoleId role);
// The same as it stands in a choreography: "Worker[*]" for all members of a family.
const char *role_in_code(const Program *program, const Instance *instance, RoleId role);
// The roles of a set as they stand in one, without braces: "Queue, Worker[*]".
const char *set_in_code(const Program *program, const Instance *instance, const RoleSet *set);
// The result at `role`, or NULL.
const Result *instance_result(const Instance *instance, RoleId role);

#endif
