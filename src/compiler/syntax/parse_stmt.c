// parse_stmt.c: lists of statements, blocks, and going on behind a mistake.

#include "compiler/syntax/parser.h"

#include "base/check.h"

static bool follows_operator(const Parser *parser, size_t index)
{
    const Token *token = peek_at(parser, index - 1);
    return token->kind == TOKEN_ARROW || token_is(token, ",") ||
           (is_operator(parser, index - 1) && !token_is(token, "++") && !token_is(token, "--"));
}

// Goes to the end of a statement that could not be understood, as its brackets and semicolons show it.
static void resynchronise(Parser *parser, size_t first)
{
    static const char *const heads[] = {"if",   "switch",     "while",  "do",        "for",
                                        "else", "checkpoint", "rescue", "unordered", "par"};
    bool is_do = index_is(parser, first, "do"), is_if = index_is(parser, first, "if"), has_body = false;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        has_body |= index_is(parser, first, heads[k]);
    size_t i = first;
    while (i < parser->limit) {
        bool is_fresh = i > first && i >= parser->at && peek_at(parser, i)->starts_line;
        if (is_fresh && !is_do && starts_statement(parser, i) && !follows_operator(parser, i))
            break;
        if (i > first && (index_is(parser, i, "case") || index_is(parser, i, "default")))
            break;
        size_t here = i;
        i = behind_group(parser, i);
        if (index_is(parser, here, ";") && !(is_if && index_is(parser, i, "else")))
            break;
        bool goes_on = (is_if && index_is(parser, i, "else")) || (is_do && index_is(parser, i, "while")) ||
                       (index_is(parser, first, "checkpoint") && index_is(parser, i, "rescue")) ||
                       (is_par(parser, first) && index_is(parser, i, "and"));
        TokenKind next = peek_at(parser, i)->kind;
        bool is_joined = next == TOKEN_ARROW || (next == TOKEN_PUNCTUATOR && !index_is(parser, i, "{"));
        bool is_over = has_body || peek_at(parser, i)->starts_line;
        if (index_is(parser, here, "{") && is_over && !goes_on && !is_joined)
            break;
    }
    if (i > parser->at)
        parser->at = i;
    if (parser->at == first)
        parser->at = behind_group(parser, first);
    if (parser->at > parser->limit)
        parser->at = parser->limit;
}

// statements = { statement | ";" }
void parse_statements(Parser *parser, StmtList *list, bool in_case)
{
    while (parser->at < parser->limit && !parser->gave_up) {
        if (in_case && (next_is(parser, "case") || next_is(parser, "default")))
            return;
        if (accept(parser, ";") || (in_case && correct_case(parser)) || report_label(parser))
            continue;
        size_t first = parser->at;
        Stmt *stmt = parse_statement(parser);
        if (stmt != NULL) {
            vector_push(parser->arena, list, stmt);
            continue;
        }
        CHECK(parser->errors > 0); // nothing may be left out in silence
        resynchronise(parser, first);
    }
}

// block = "{" statements "}"
void parse_block_body(Parser *parser, TreeBlock *block)
{
    size_t open = parser->at, close = peek(parser)->match, outer_limit = parser->limit;
    parser->limit = close;
    parser->at++;
    parse_statements(parser, &block->statements, false);
    parser->limit = outer_limit;
    parser->at = close + 1;
    block->span = range_span(parser, open, parser->at);
}

// The body before this place is a checkpoint's.
static bool is_behind_checkpoint(const Parser *parser)
{
    size_t i = peek_at(parser, parser->at - 1)->match;
    while (i > 0 && !peek_at(parser, i)->starts_line && !index_is(parser, i, ";") && !index_is(parser, i, "checkpoint"))
        i--;
    return index_is(parser, i, "checkpoint");
}

// `try { ... } catch (...) { ... }`, as other languages have it.
static bool report_try(Parser *parser)
{
    size_t behind = behind_group(parser, parser->at + 1);
    if (!next_is(parser, "try") || !index_is(parser, parser->at + 1, "{"))
        return false;
    parse_error_here(parser, "what can fail is written 'checkpoint { ... } rescue { ... }', not 'try'");
    while (index_is(parser, behind, "catch") || index_is(parser, behind, "finally")) {
        size_t body = index_is(parser, behind + 1, "(") ? behind_group(parser, behind + 1) : behind + 1;
        behind = behind_group(parser, body);
    }
    parser->at = behind;
    return true;
}

// Words that start no statement, with what to say about them.
static bool report_misplaced(Parser *parser)
{
    if (report_try(parser))
        return true;
    if (next_is(parser, "else") && index_is(parser, parser->at - 1, "}") && is_behind_checkpoint(parser))
        parse_error_here(parser, "a checkpoint has 'rescue', not 'else'");
    else if (next_is(parser, "else"))
        parse_error_here(parser, "'else' without an 'if' before it");
    else if (next_is(parser, "case") || next_is(parser, "default"))
        parse_error_here(parser, "'%s' stands only directly inside of a switch", peek(parser)->text);
    else if (next_is(parser, "rescue") &&
             (index_is(parser, parser->at + 1, "{") ||
              (index_is(parser, parser->at + 1, "(") && index_is(parser, behind_group(parser, parser->at + 1), "{"))))
        parse_error_here(parser, "'rescue' without a checkpoint block before it");
    else if (next_is(parser, "unordered") && index_is(parser, parser->at + 1, "{"))
        parse_error_here(parser, "'unordered' is not supported yet");
    else if (next_is(parser, "and") && index_is(parser, parser->at + 1, "{"))
        parse_error_here(parser, "'and' without a 'par { ... }' before it");
    else if (next_is(parser, "goto"))
        parse_error_here(parser, "a choreography has no 'goto'");
    else
        return false;
    return true;
}

static Stmt *parse_any(Parser *parser)
{
    StatementParser *control = control_parser(parser);
    if (control == NULL && correct_statement(parser))
        control = control_parser(parser);
    if (control != NULL)
        return control(parser);
    if (report_misplaced(parser))
        return NULL;
    size_t first = parser->at;
    if (next_is(parser, "{") && !is_role_set(parser)) {
        Stmt *stmt = stmt_new(parser, STMT_BLOCK);
        parse_block_body(parser, &stmt->body);
        return stmt_end(parser, stmt, first);
    }
    Stmt *stmt = parse_step(parser);
    if (stmt != NULL)
        expect_semicolon(parser);
    return stmt;
}

// statement = block | step ";" | if | switch | while | do | for | break | continue | return | checkpoint | par
Stmt *parse_statement(Parser *parser)
{
    if (parser->nesting == NESTING_MAX) {
        parse_error_here(parser, "statements are nested too deeply (the limit is %d)", NESTING_MAX);
        return NULL;
    }
    parser->nesting++;
    Stmt *stmt = parse_any(parser);
    parser->nesting--;
    return stmt;
}
