// parse_par.c: arms, side by side: `par (w : Worker) { ... }` and `par { ... } and { ... }`.
//
// `par` and `and` are words only here: roles, definitions and variables may be called so.

#include "compiler/syntax/parser.h"

bool is_par(const Parser *parser, size_t index)
{
    if (!index_is(parser, index, "par"))
        return false;
    if (index_is(parser, index + 1, "{"))
        return true;
    return index_is(parser, index + 1, "(") && peek_at(parser, index + 2)->kind == TOKEN_IDENTIFIER &&
           index_is(parser, index + 3, ":");
}

// What leaves a loop or a case can't stand in an arm inside of it.
static void parse_arm(Parser *parser, Stmt *stmt)
{
    TreeBlock block = {0};
    bool in_loop = parser->in_loop, in_switch = parser->in_switch, in_arm = parser->in_arm;
    parser->in_loop = parser->in_switch = false;
    parser->in_arm = true;
    parse_block_body(parser, &block);
    parser->in_loop = in_loop;
    parser->in_switch = in_switch;
    parser->in_arm = in_arm;
    vector_push(parser->arena, &stmt->arms, block);
}

// each = "(" NAME ":" NAME ")" block
static bool parse_arm_of_each(Parser *parser, Stmt *stmt)
{
    size_t close = peek(parser)->match, outer_limit = parser->limit;
    parser->limit = close;
    parser->at++;
    bool good = parse_each_head(parser, stmt);
    parser->limit = outer_limit;
    parser->at = close + 1;
    if (!next_is(parser, "{")) {
        if (good)
            parse_error_here(parser, "expected '{' after 'par (...)', not %s", describe(parser, parser->at));
        return false;
    }
    if (stmt->member.text != NULL)
        vector_push(parser->arena, &parser->members, stmt->member.text);
    parse_arm(parser, stmt);
    parser->members.count -= stmt->member.text != NULL;
    if (next_is(parser, "and") && index_is(parser, parser->at + 1, "{")) {
        parse_error_here(parser,
                         "'par (...)' has an arm for each member, and no other: what is beside them stands in an "
                         "arm of a 'par { ... } and { ... }' around it");
        return false;
    }
    return good;
}

// par = "par" ( each | block { "and" block } )
static Stmt *parse_par(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_PAR);
    if (next_is(parser, "("))
        return parse_arm_of_each(parser, stmt) ? stmt_end(parser, stmt, first) : NULL;
    parse_arm(parser, stmt);
    while (next_is(parser, "and") && index_is(parser, parser->at + 1, "{")) {
        parser->at++;
        parse_arm(parser, stmt);
    }
    return stmt_end(parser, stmt, first);
}

StatementParser *par_parser(const Parser *parser)
{
    return is_par(parser, parser->at) ? parse_par : NULL;
}
