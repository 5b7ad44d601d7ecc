// tree.h: a choreography as it was written.
//
// Made by the parser, never changed afterwards. Local C is kept as a span of the source: a CText is verbatim text of
// whole C tokens, comments included, and never empty unless stated. After a syntax error the tree holds what could be
// understood; statements that could not are left out.

#ifndef SYNTAX_TREE_H
#define SYNTAX_TREE_H

#include "base/vector.h"
#include "compiler/diag/diag.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *text; // NUL-terminated, in the arena
    Span span;
} Name;

typedef VECTOR(Name) NameList;

typedef struct {
    Span span; // from the first to the last token
} CText;

typedef VECTOR(CText) CTextList;

// Which members of a family: behind its name.
typedef enum {
    SELECT_NONE, // Alice
    SELECT_ALL,  // Worker[*]
    SELECT_ONE,  // Worker[e]
    SELECT_PART, // Worker[a..], Worker[..b], Worker[a..b]: as a role argument only
} SelectKind;

typedef struct {
    SelectKind kind;
    CText index;    // ONE
    CText from, to; // PART: an empty span where it is left out
    Span span;      // with its brackets
} Select;

// `Alice`, `Worker[*]` or `{Alice, Bob}`. Not resolved: names of roles, of role parameters or of members in a `for`.
typedef struct {
    NameList names;
    VECTOR(Select) selects; // for each name
    bool is_set;            // written with braces
    Span span;
} RoleRef;

// A C type as written around a name: `const char *` NAME, `int` NAME `[4][2]`.
typedef struct {
    Span before;     // specifiers and stars
    CTextList sizes; // the texts inside [ ] after the name
    Span span;
} TypeText;

// ---- located expressions ----

typedef enum {
    TREE_NAME,  // Alice.x
    TREE_CALL,  // Alice.f(a, b)
    TREE_C,     // Alice.(expr), and Alice.x.y, Alice.x->y, Alice.x[i]: then `c` is the text after "Alice."
    TREE_TUPLE, // Alice.{e1, e2}
} TreeExprKind;

typedef struct {
    TreeExprKind kind;
    RoleRef at;
    Name name;       // NAME, CALL
    CTextList parts; // CALL: arguments; TUPLE: elements
    CText c;         // C: the expression, without the parentheses around it. CALL: from the name to ')'
    Span span;       // from the role on
} TreeExpr;

typedef VECTOR(TreeExpr *) TreeExprList;

// ---- targets: what a delivery, an assignment or a call's result goes to ----

typedef enum {
    TARGET_NAME,    // x
    TARGET_DECLARE, // int x, const char *s, int a[3]
    TARGET_DROP,    // _
    TARGET_MATCH,   // (v)
    TARGET_PLACE,   // a[i], s.f, p->f: part of a variable
    TARGET_TUPLE,   // {x, int y, _, (v)}
    TARGET_STRUCT,  // {.x, .y = z}
} TargetKind;

typedef struct Target Target;
typedef VECTOR(Target *) TargetList;

struct Target {
    TargetKind kind;
    Name name;        // NAME, DECLARE; PLACE: the variable it starts with
    TypeText type;    // DECLARE
    CText c;          // MATCH: the value; PLACE: the whole text
    TargetList parts; // TUPLE, STRUCT
    Name field;       // on a part of STRUCT: which field (the part's own kind says where it goes)
    Span span;
};

typedef struct {
    RoleRef at;
    Target *target;
    Span span;
} LocatedTarget;

// ---- calls of choreographic functions ----

typedef VECTOR(RoleRef) RoleRefList;

typedef struct TreeCall TreeCall;

typedef struct {
    TreeExpr *expr;        // a located expression, or NULL:
    TreeCall *call;        // a call whose result it is, or NULL:
    Name function;         // the name of a function or function parameter
    RoleRefList role_args; // relay[A, B]
    Span span;
} TreeArg;

struct TreeCall {
    Name function;
    RoleRefList role_args;
    VECTOR(TreeArg) args;
    Span span;
};

// ---- statements ----

typedef enum {
    STMT_DELIVERY, // expr ~> target
    STMT_ASSIGN,   // Alice.x = e; Alice.int x; Alice.n += 1; Alice.n++
    STMT_LOCAL,    // Alice.f(x); Alice.(e);
    STMT_CALL,     // f(...); Alice.x, Bob.y = f(...);
    STMT_IF,
    STMT_SWITCH,
    STMT_WHILE,
    STMT_DO,
    STMT_FOR,
    STMT_EACH, // for (w : Worker)
    STMT_PAR,  // par (w : Worker) { }, par { } and { }
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN,
    STMT_CHECKPOINT,
    STMT_BLOCK,
} StmtKind;

// A checkpoint whose body is repeated: each round is a block of its own.
typedef enum {
    ROUNDS_NONE,  // checkpoint { ... }
    ROUNDS_WHILE, // checkpoint while (e) { ... }
    ROUNDS_FOR,   // checkpoint for (;;) { ... }
} TreeRounds;

typedef struct Stmt Stmt;
typedef VECTOR(Stmt *) StmtList;

typedef struct {
    StmtList statements;
    Span span; // with its braces; for a case: its statements
} TreeBlock;

typedef struct {
    CTextList labels; // constant expressions
    bool has_default; // one of the labels is `default`
    TreeBlock body;
    Span span; // the labels
} TreeCase;

struct Stmt {
    StmtKind kind;
    Span span;

    // DELIVERY: what is sent. LOCAL. IF, SWITCH, WHILE, DO, FOR, CHECKPOINT: the condition (the last two: may be NULL).
    TreeExpr *expr;
    LocatedTarget target;          // DELIVERY, ASSIGN
    VECTOR(LocatedTarget) targets; // CALL: for its results; may be empty

    // ASSIGN: `op` is "=", "+=", ..., "++", "--", or NULL for a declaration without a value.
    const char *op;
    Span op_span;
    CText value; // right side; for "++", "--" and no op: empty span. A brace initialiser starts with '{'.

    TreeCall *call;      // CALL, RETURN f(...)
    TreeExprList values; // RETURN a, b

    bool has_notify; // IF, WHILE, SWITCH
    NameList notify;
    Span notify_end; // empty, before its closing parenthesis

    Name member, family;    // EACH; PAR with an arm for each member: else text is NULL
    VECTOR(TreeBlock) arms; // PAR

    TreeBlock body;         // IF: then. WHILE, DO, FOR, EACH, CHECKPOINT, BLOCK
    TreeBlock otherwise;    // IF: else (an `else if` is a block with one IF). CHECKPOINT: the rescue
    bool has_otherwise;     // there is an else / a rescue
    VECTOR(TreeCase) cases; // SWITCH
    Stmt *init, *step;      // FOR; may be NULL

    bool ends_case; // BREAK: it leaves a switch, at the end of a case; else a loop

    TreeRounds rounds; // CHECKPOINT; with ROUNDS_WHILE it has a condition
    bool is_durable;   // CHECKPOINT
    bool has_within;
    uint64_t within_ns;
    bool has_retry;
    uint32_t retry;
    Name fault; // text NULL: rescue without (fault)
};

// ---- definitions ----

// int Seller.get_price(chx_str title);
typedef struct {
    TypeText type; // of the result
    Name role, name;
    CText params; // between the parentheses; empty span for ()
    Span span;
} TreeProto;

typedef struct TreeParam TreeParam;
typedef VECTOR(TreeParam) TreeParamList;

// -> Alice.{long, int}, {Bob, Carol}.bool
typedef struct {
    RoleRef at;
    VECTOR(TypeText) types; // more than one, or is_tuple: a tuple
    bool is_tuple;
    Span span;
} TreeResult;

typedef VECTOR(TreeResult) TreeResultList;

// A located parameter, `Alice.int x` (name.text NULL where only the type is given, in the signature of a function
// parameter), or a function parameter, `f(Seller.int) -> Buyer.bool`.
struct TreeParam {
    bool is_function;
    Name name;
    RoleRef at;           // located
    TypeText type;        // located
    NameList role_params; // function: who it is about is said where it is called, `f[X, Y](X.int) -> Y.int`
    VECTOR(bool) param_is_family;
    TreeParamList *params;  // function: its signature
    TreeResultList results; // function
    Span span;
};

typedef struct Tree Tree;

// use ot;
typedef struct {
    Name name;
    const Tree *tree; // found by the driver; NULL: there is none, which is reported
} TreeUse;

// A choreography that is used, as the one that uses it sees it.
typedef struct TreeModule TreeModule;
struct TreeModule {
    const char *path; // "ot", or "deal.ot" where `deal` uses it
    const Tree *tree;
    const TreeModule *outer; // in which it is used; NULL: in the choreography itself
};

typedef struct {
    Name name;
    const TreeModule *module; // that it is taken from: then role_params begin with the roles of that choreography
    NameList role_params;
    VECTOR(bool) param_is_family; // for each of them: W[]
    TreeParamList params;
    TreeResultList results;
    TreeBlock body;
    bool is_started; // with roles of its own for its role parameters: the driver makes a choreography of it
    Span span;       // from `def` to the closing brace
} TreeDef;

struct Tree {
    Name name;
    NameList roles;
    VECTOR(bool) is_family; // for each of them: Worker[]
    size_t selections;      // so many `for (w : Worker)` and Worker[e] are there
    VECTOR(TreeUse) uses;
    VECTOR(TreeProto *) protos;
    VECTOR(TreeDef *) defs;
    const Name *made_of;         // the definition whose role parameters are the roles; NULL: it is written so
    VECTOR(const char *) others; // names of other choreographies that the file knows, for messages
    Span span;                   // from `choreography` to the closing parenthesis
};

// An empty span at which a prototype can be added: before the first one, or before the first definition.
static inline Span tree_prototypes(const Tree *tree)
{
    Span first = tree->defs.count > 0 ? tree->defs.items[0]->span : SPAN_NONE;
    if (tree->protos.count > 0 && tree->protos.items[0]->span.start < first.start)
        first = tree->protos.items[0]->span;
    first.end = first.start;
    return first;
}

#endif
