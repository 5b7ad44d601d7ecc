// parser.h: what the parser's files share. Nobody else includes this.
//
// The tokens of a block are balanced before parsing starts (brackets.c), so that a bracket's partner is always known
// and no input can lead the parser out of its region. Functions that give a pointer or a bool give NULL or false after
// a mistake that has been reported; the statement or definition is then left out, and parsing goes on behind it.

#ifndef SYNTAX_PARSER_H
#define SYNTAX_PARSER_H

#include "base/map.h"
#include "compiler/syntax/lex.h"
#include "compiler/syntax/parse.h"

enum {
    NESTING_MAX = 200,    // brackets in brackets; clang takes 256 in what is made of them
    ELSE_IFS_MAX = 2000,  // in a chain
    OPERATORS_MAX = 1000, // in an expression, inside of one another or in a row; each costs a C compiler stack
    ROLES_MAX = 1000,     // of a choreography, in a set, parameters of a definition
    PARTS_MAX = 1000,     // of a tuple or pattern
    ERRORS_MAX = 50,      // of one block
};

typedef struct {
    Arena *arena;
    const Sources *sources;
    Diags *diags;
    const FoundBlock *block;
    FileId file;
    TokenList tokens;
    size_t at;    // the next token
    size_t limit; // the bracket (or TOKEN_END) that ends the region being parsed

    size_t errors;
    bool gave_up;            // too many errors: say nothing more
    VECTOR(uint32_t) strays; // offsets of the '}' that were too many, and are not among the tokens

    Tree *tree;
    Map roles;                    // declared roles
    Map defs;                     // names of all definitions, those further down too
    Map uses;                     // names of choreographies that this one uses
    TreeDef *def;                 // the one being parsed, for its role and function parameters
    Map variables;                // of this definition so far, as far as they have the name of a role
    VECTOR(const char *) members; // names of members in the `for` loops around
    size_t nesting;               // of statements
    size_t else_ifs;              // of the chain being parsed

    bool in_loop;               // `continue` means a loop of this definition
    bool in_switch;             // `break` means a switch: it may only end a case
    bool in_arm;                // `par` is around, inside of any loop or switch that is
    VECTOR(Stmt *) case_breaks; // the breaks of the innermost switch's current case
} Parser;

// brackets.c
// Gives every bracket its partner; reports and repairs what does not fit. False: nested too deeply, don't parse.
bool brackets_pair(Parser *parser, bool quiet);
// Does a definition or a prototype of the choreography follow behind its last parenthesis? That is reported: there is one too many.
bool block_ends_early(Parser *parser);

// parse.c
void parser_lex(Parser *parser); // the block's tokens

// parser.c: looking at tokens, and errors
const Token *peek(const Parser *parser);
const Token *peek_at(const Parser *parser, size_t index); // TOKEN_END beyond the end
bool next_is(const Parser *parser, const char *text);
bool index_is(const Parser *parser, size_t index, const char *text);
bool accept(Parser *parser, const char *text);           // and go on
size_t behind_group(const Parser *parser, size_t index); // the index behind a bracket pair, or behind one token
Span token_span(const Parser *parser, size_t index);
Span range_span(const Parser *parser, size_t first, size_t behind); // tokens [first, behind); empty span if none
Span previous_end(const Parser *parser);                            // empty span behind the previous token
const char *span_copy_of(const Parser *parser, Span span);

// False: suppressed, because it follows from a mistake already reported or there are too many. Notes and fixes may only
// be added after true.
bool parse_error(Parser *parser, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool parse_error_here(Parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *describe(const Parser *parser, size_t index); // "'{'", "the end of the choreography"

bool is_role(const Parser *parser, const char *name);     // declared, or a role parameter
bool is_function(const Parser *parser, const char *name); // a definition or a function parameter
bool is_function_call(const Parser *parser);              // `f(` or `f[A, B](`, of such a function
void note_variable(Parser *parser, const Name *name);     // the definition binds it
const char *example_role(const Parser *parser);
const char *role_text(const Parser *parser, const RoleRef *at);
bool parse_name(Parser *parser, const char *what, Name *name);
// Behind '(' or '[', consumes the closing one. `is_family` (may be NULL: there are none): which of the names are those of families.
bool parse_name_list(Parser *parser, const char *what, NameList *names, bool **is_family);
bool expect(Parser *parser, const char *text, const char *where);
void expect_semicolon(Parser *parser);
bool starts_statement(const Parser *parser, size_t index); // a new statement, as far as its first tokens can tell

// parse_type.c
bool is_declaration(const Parser *parser);
typedef enum { TYPE_NAMED, TYPE_MAYBE_NAMED, TYPE_ONLY } TypeUse;
bool parse_type(Parser *parser, TypeUse use, TypeText *type, Name *name);

// parse_expr.c
bool is_role_set(const Parser *parser);                 // `{A, B}` and not a block
bool is_located(const Parser *parser);                  // a role or role set with its dot
bool parse_role_ref(Parser *parser, RoleRef *at);       // with the dot
bool is_family(const Parser *parser, const char *name); // declared, or a role parameter
CText local_text(Parser *parser, size_t first, size_t behind, const RoleRef *at);
TreeExpr *parse_expr(Parser *parser);
TreeExpr *parse_expr_behind(Parser *parser, const RoleRef *at); // behind the dot
void skip_postfix(Parser *parser);                              // .field ->field [index]
bool is_operator(const Parser *parser, size_t index);           // what a C expression would go on with
TreeExpr *suggest_parentheses(Parser *parser, const RoleRef *at, size_t first);
bool is_call(const Parser *parser); // `f(` or `f[A, B](`
TreeCall *parse_call(Parser *parser);
bool report_unlocated(Parser *parser, const char *what, size_t first, size_t behind);

// parse_use.c
void parse_uses(Parser *parser);                            // at the head of a block
bool report_late_use(Parser *parser);                       // `use` further down; false: it is none
bool is_used_function(const Parser *parser);                // `ot.transfer`, where `ot` is used
size_t behind_function(const Parser *parser, size_t index); // the name of a function, perhaps of a used choreography
bool parse_function_name(Parser *parser, Name *name);

// parse_target.c
Target *parse_target(Parser *parser, const RoleRef *at); // behind the dot
bool parse_located_target(Parser *parser, LocatedTarget *located);
Target *target_from_expr(Parser *parser, const TreeExpr *expr); // NULL if it is nothing to assign to; no error

// parse_step.c
Stmt *stmt_new(Parser *parser, StmtKind kind);
Stmt *stmt_end(Parser *parser, Stmt *stmt, size_t first); // its span goes up to the previous token
// A statement that starts with a located thing, or a call; up to but without the semicolon.
Stmt *parse_step(Parser *parser);

// misspelt.c. The first four: reported, and corrected in place; false: nothing to say.
bool correct_word(Parser *parser, const char *word); // the next word is nearly this one
bool correct_statement(Parser *parser);              // the word that begins a statement
bool correct_checkpoint_option(Parser *parser);
bool correct_case(Parser *parser);                     // `case` or `default`
void correct_definition(Parser *parser, size_t index); // `def`
bool report_label(Parser *parser);                     // goes behind it; false: there is none
bool is_lambda(const Parser *parser, size_t index);    // a function without a name
bool report_lambda_in_c(Parser *parser, size_t index);
void report_lambda(Parser *parser, size_t index);

// parse_stmt.c
void parse_block_body(Parser *parser, TreeBlock *block); // from '{' to '}'
void parse_statements(Parser *parser, StmtList *list, bool in_case);
Stmt *parse_statement(Parser *parser);
// Which keyword statement starts here, or none.
typedef Stmt *StatementParser(Parser *parser);
StatementParser *control_parser(const Parser *parser);    // parse_control.c
StatementParser *checkpoint_parser(const Parser *parser); // parse_checkpoint.c
Stmt *parse_loop(Parser *parser);                         // parse_control.c: at `while`, `do` or `for`
bool parse_each_head(Parser *parser, Stmt *stmt);         // parse_control.c: `w : Worker`
StatementParser *par_parser(const Parser *parser);        // parse_par.c
bool is_par(const Parser *parser, size_t index);          // parse_par.c: does it begin here?

#endif
