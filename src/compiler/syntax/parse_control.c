// parse_control.c: choices, loops, checkpoints and returns.

#include "compiler/syntax/parser.h"

// `true` or `1`
static bool is_always(const Parser *parser)
{
    return next_is(parser, "true") || strcmp(span_copy_of(parser, token_span(parser, parser->at)), "1") == 0;
}

// condition = "(" expr ")"
// NULL after a mistake; the parser then stands behind the parenthesis, or where a body could start.
static TreeExpr *parse_condition(Parser *parser, const char *word)
{
    if (!next_is(parser, "(")) {
        parse_error_here(parser, "expected '(' after '%s', not %s", word, describe(parser, parser->at));
        while (parser->at < parser->limit && !next_is(parser, "{") && !next_is(parser, ";"))
            parser->at++;
        return NULL;
    }
    size_t close = peek(parser)->match, outer_limit = parser->limit;
    parser->at++;
    parser->limit = close;
    TreeExpr *expr = NULL;
    if (parser->at == close)
        parse_error_here(parser, "the condition of '%s' is missing", word);
    else if (is_located(parser))
        expr = parse_expr(parser);
    else if (is_function_call(parser))
        parse_error_here(parser, "the result of '%s' must be bound on its own, before it decides", peek(parser)->text);
    else if (strcmp(word, "while") == 0 && close == parser->at + 1 && is_always(parser))
        parse_error_here(parser, "a condition must say whose it is; a loop without one is written 'for (;;)'");
    else
        report_unlocated(parser, "a condition", parser->at, close);
    if (expr != NULL && parser->at != close) {
        parse_error_here(parser, "expected ')' after the condition, not %s", describe(parser, parser->at));
        expr = NULL;
    }
    if (expr != NULL && expr->kind == TREE_TUPLE) {
        parse_error(parser, expr->span, "a tuple can't decide");
        expr = NULL;
    }
    parser->limit = outer_limit;
    parser->at = close + 1;
    return expr;
}

// notify = "notify" "(" names ")"
static bool parse_notify(Parser *parser, Stmt *stmt)
{
    if (index_is(parser, parser->at + 1, "(") && index_is(parser, behind_group(parser, parser->at + 1), "{"))
        correct_word(parser, "notify");
    if (next_is(parser, "notify") && index_is(parser, parser->at + 1, "{")) {
        parser->at++;
        parse_error_here(parser, "expected '(' and the roles after 'notify'");
        return true;
    }
    if (!next_is(parser, "notify") || !index_is(parser, parser->at + 1, "("))
        return true;
    size_t behind = behind_group(parser, parser->at + 1);
    stmt->has_notify = true;
    stmt->notify_end = token_span(parser, behind - 1);
    stmt->notify_end.end = stmt->notify_end.start;
    parser->at += 2;
    bool good = parse_name_list(parser, "a role", &stmt->notify, NULL);
    parser->at = behind;
    return good;
}

static bool misplaced_notify(Parser *parser)
{
    if (!next_is(parser, "notify") || !index_is(parser, parser->at + 1, "("))
        return false;
    parse_error_here(parser, "'notify' stands only once, after the condition of 'if', 'while' or 'switch'");
    parser->at = behind_group(parser, parser->at + 1);
    return true;
}

// A body is a block. Anything else is parsed after the error, so that its own mistakes show too.
static bool parse_body(Parser *parser, TreeBlock *block, const char *word)
{
    if (misplaced_notify(parser)) {
        if (next_is(parser, "{"))
            parse_block_body(parser, block);
        return false;
    }
    if (next_is(parser, "{") && !is_role_set(parser)) {
        parse_block_body(parser, block);
        return true;
    }
    parse_error_here(parser, "the body of '%s' needs braces: '{ ... }'", word);
    if (parser->at < parser->limit && !accept(parser, ";"))
        parse_statement(parser);
    return false;
}

static bool parse_loop_body(Parser *parser, TreeBlock *block, const char *word)
{
    bool in_loop = parser->in_loop, in_switch = parser->in_switch;
    parser->in_loop = true;
    parser->in_switch = false;
    bool good = parse_body(parser, block, word);
    parser->in_loop = in_loop;
    parser->in_switch = in_switch;
    return good;
}

static Stmt *parse_if(Parser *parser);

// A chain is long, not deep: its parts count on their own.
static Stmt *parse_else_if(Parser *parser)
{
    if (parser->else_ifs == ELSE_IFS_MAX) {
        parse_error_here(parser, "this chain of 'else if' is too long (the limit is %d)", ELSE_IFS_MAX);
        return NULL;
    }
    parser->else_ifs++;
    Stmt *stmt = parse_if(parser);
    parser->else_ifs--;
    return stmt;
}

// `else`, also if it is misspelt.
static bool accept_else(Parser *parser)
{
    bool is_elif = (next_is(parser, "elif") || next_is(parser, "elsif") || next_is(parser, "elseif")) &&
                   index_is(parser, parser->at + 1, "(");
    if (is_elif) {
        Span word = token_span(parser, parser->at);
        if (parse_error(parser, word, "'%s' is written 'else if'", peek(parser)->text))
            diag_fix(parser->diags, word, "else if", "write 'else if'");
        parser->tokens.items[parser->at].text = "if";
        return true;
    }
    if (index_is(parser, parser->at + 1, "{") || index_is(parser, parser->at + 1, "if"))
        correct_word(parser, "else");
    return accept(parser, "else");
}

// if = "if" condition [ notify ] block [ "else" ( if | block ) ]
static Stmt *parse_if(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_IF);
    stmt->expr = parse_condition(parser, "if");
    bool good = stmt->expr != NULL;
    good = parse_notify(parser, stmt) && good;
    if (stmt->expr == NULL && !next_is(parser, "{"))
        return NULL;
    good = parse_body(parser, &stmt->body, "if") && good;
    if (accept_else(parser)) {
        stmt->has_otherwise = true;
        if (next_is(parser, "if")) {
            Stmt *inner = parse_else_if(parser);
            if (inner == NULL)
                return NULL;
            vector_push(parser->arena, &stmt->otherwise.statements, inner);
            stmt->otherwise.span = inner->span;
        } else {
            good = parse_body(parser, &stmt->otherwise, "else") && good;
        }
    }
    return good ? stmt_end(parser, stmt, first) : NULL;
}

// ---- switch ----

// label = "case" C ":" | "default" ":"
static bool parse_label(Parser *parser, TreeCase *branch)
{
    bool is_default = next_is(parser, "default");
    size_t first = ++parser->at, questions = 0;
    size_t i = first;
    for (; i < parser->limit && !index_is(parser, i, ";"); i = behind_group(parser, i)) {
        if (index_is(parser, i, ":") && questions-- == 0)
            break;
        questions += index_is(parser, i, "?");
        if (index_is(parser, i, "...")) {
            parse_error(parser, token_span(parser, i), "a range of values is not supported: write a label for each");
            return false;
        }
    }
    if (!index_is(parser, i, ":")) {
        parse_error(parser, previous_end(parser), "expected ':' after the label");
        return false;
    }
    if ((i == first) != is_default) {
        parse_error_here(parser,
                         is_default ? "'default' has no value: expected ':'" : "the value of the case is missing");
        return false;
    }
    if (is_default && branch->has_default) {
        parse_error(parser, token_span(parser, first - 1), "this switch has another 'default' label already");
        return false;
    }
    if (is_default) {
        branch->has_default = true;
    } else {
        CText label = local_text(parser, first, i, NULL);
        vector_push(parser->arena, &branch->labels, label);
    }
    parser->at = i + 1;
    return true;
}

// Marks each `break` that is the last thing the case does: its last statement, or the last one of a block, of a branch
// of an `if` or of a part of a checkpoint that is. Whether every way through the case ends so is known in check/.
static void mark_case_ends(const StmtList *list)
{
    if (list->count == 0)
        return;
    Stmt *last = list->items[list->count - 1];
    bool has_parts = last->kind == STMT_BLOCK || last->kind == STMT_IF || last->kind == STMT_CHECKPOINT;
    if (last->kind == STMT_BREAK)
        last->ends_case = true;
    if (!has_parts || last->rounds != ROUNDS_NONE)
        return;
    mark_case_ends(&last->body.statements);
    mark_case_ends(&last->otherwise.statements);
}

// Only one of them is reported: the others are often there for the same reason.
static void check_case_breaks(Parser *parser)
{
    for (size_t i = 0; i < parser->case_breaks.count; i++) {
        if (!parser->case_breaks.items[i]->ends_case) {
            parse_error(parser, parser->case_breaks.items[i]->span, "'break' may only end the case");
            return;
        }
    }
}

// case = label { label } statements
static bool parse_case(Parser *parser, TreeCase *branch)
{
    size_t first = parser->at;
    while (next_is(parser, "case") || next_is(parser, "default")) {
        if (!parse_label(parser, branch))
            return false;
    }
    branch->span = range_span(parser, first, parser->at);
    parser->case_breaks.count = 0;
    Span labels_end = previous_end(parser);
    parse_statements(parser, &branch->body.statements, true);
    StmtList *statements = &branch->body.statements;
    mark_case_ends(statements);
    check_case_breaks(parser);
    branch->body.span = labels_end;
    if (statements->count > 0)
        branch->body.span = span_join(statements->items[0]->span, statements->items[statements->count - 1]->span);
    return true;
}

static void parse_cases(Parser *parser, Stmt *stmt)
{
    bool in_switch = parser->in_switch;
    Stmt **outer_breaks = parser->case_breaks.items;
    size_t outer_count = parser->case_breaks.count, outer_capacity = parser->case_breaks.capacity;
    memset(&parser->case_breaks, 0, sizeof parser->case_breaks);
    parser->in_switch = true;
    while (parser->at < parser->limit && !parser->gave_up) {
        if (!next_is(parser, "case") && !next_is(parser, "default") && !correct_case(parser)) {
            parse_error_here(parser, "expected 'case' or 'default', not %s", describe(parser, parser->at));
            StmtList lost = {0};
            parse_statements(parser, &lost, true);
            continue;
        }
        TreeCase branch = {0};
        size_t first = parser->at;
        if (parse_case(parser, &branch)) {
            vector_push(parser->arena, &stmt->cases, branch);
            continue;
        }
        // Behind a label that is wrong the statements are worth a look.
        while (parser->at < parser->limit && !next_is(parser, ":") && !next_is(parser, ";"))
            parser->at = behind_group(parser, parser->at);
        if (parser->at < parser->limit && parser->at > first)
            parser->at++;
        StmtList lost = {0};
        parse_statements(parser, &lost, true);
    }
    parser->in_switch = in_switch;
    parser->case_breaks.items = outer_breaks;
    parser->case_breaks.count = outer_count;
    parser->case_breaks.capacity = outer_capacity;
}

// switch = "switch" condition [ notify ] "{" { case } "}"
static Stmt *parse_switch(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_SWITCH);
    stmt->expr = parse_condition(parser, "switch");
    bool good = stmt->expr != NULL;
    good = parse_notify(parser, stmt) && good;
    if (!next_is(parser, "{")) {
        if (good)
            parse_error_here(parser, "expected '{' and cases after 'switch (...)', not %s",
                             describe(parser, parser->at));
        return NULL;
    }
    size_t open = parser->at, close = peek(parser)->match, outer_limit = parser->limit;
    parser->limit = close;
    parser->at++;
    parse_cases(parser, stmt);
    parser->limit = outer_limit;
    parser->at = close + 1;
    stmt->body.span = range_span(parser, open, parser->at);
    return good ? stmt_end(parser, stmt, first) : NULL;
}

// ---- loops ----

// while = "while" condition [ notify ] block
static Stmt *parse_while(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_WHILE);
    stmt->expr = parse_condition(parser, "while");
    bool good = stmt->expr != NULL;
    good = parse_notify(parser, stmt) && good;
    if (stmt->expr == NULL && !next_is(parser, "{"))
        return NULL;
    good = parse_loop_body(parser, &stmt->body, "while") && good;
    return good ? stmt_end(parser, stmt, first) : NULL;
}

// do = "do" block "while" condition ";"
static Stmt *parse_do(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_DO);
    bool good = parse_loop_body(parser, &stmt->body, "do");
    if (index_is(parser, parser->at + 1, "("))
        correct_word(parser, "while");
    if (!next_is(parser, "while")) {
        if (good)
            parse_error_here(parser, "expected 'while' after the body of 'do', not %s", describe(parser, parser->at));
        return NULL;
    }
    parser->at++;
    stmt->expr = parse_condition(parser, "while");
    good = good && stmt->expr != NULL;
    stmt_end(parser, stmt, first);
    if (misplaced_notify(parser)) {
        accept(parser, ";");
        return NULL;
    }
    if (good)
        expect_semicolon(parser);
    return good ? stmt : NULL;
}

// Up to the next ';' of the head of a `for`.
static bool end_for_part(Parser *parser, bool good, bool is_last)
{
    if (good && (is_last ? parser->at == parser->limit : next_is(parser, ";"))) {
        parser->at += !is_last;
        return true;
    }
    if (good)
        parse_error_here(parser, "expected '%s' in the head of 'for', not %s", is_last ? ")" : ";",
                         describe(parser, parser->at));
    while (parser->at < parser->limit && !next_is(parser, ";"))
        parser->at = behind_group(parser, parser->at);
    if (!is_last && next_is(parser, ";"))
        parser->at++;
    return false;
}

static bool parse_for_step(Parser *parser, Stmt **step, bool is_last)
{
    if (is_last ? parser->at == parser->limit : next_is(parser, ";"))
        return end_for_part(parser, true, is_last);
    *step = parse_step(parser);
    bool good = *step != NULL;
    if (good && (*step)->kind != STMT_ASSIGN && !(is_last && (*step)->kind == STMT_LOCAL)) {
        parse_error(parser, (*step)->span,
                    is_last ? "the step of 'for' must be a local step of one role"
                            : "'for' starts with a declaration or an assignment of one role");
        good = false;
    }
    return end_for_part(parser, good, is_last);
}

// head = [ step ] ";" [ expr ] ";" [ step ]
static bool parse_for_head(Parser *parser, Stmt *stmt)
{
    size_t errors = parser->errors;
    bool good = parse_for_step(parser, &stmt->init, false);
    if (parser->errors != errors && parser->at == parser->limit)
        return false;
    if (next_is(parser, ";")) {
        parser->at++;
    } else if (!is_located(parser)) {
        size_t end = parser->at;
        while (end < parser->limit && !index_is(parser, end, ";"))
            end = behind_group(parser, end);
        if (end == parser->at)
            parse_error_here(parser, "expected ';' in the head of 'for', not %s", describe(parser, parser->at));
        else
            report_unlocated(parser, "a condition", parser->at, end);
        good = end_for_part(parser, false, false) && good;
    } else {
        stmt->expr = parse_expr(parser);
        good = end_for_part(parser, stmt->expr != NULL, false) && good;
    }
    if (parser->errors != errors && parser->at == parser->limit)
        return false;
    return parse_for_step(parser, &stmt->step, true) && good;
}

// head = NAME ":" NAME
bool parse_each_head(Parser *parser, Stmt *stmt)
{
    if (!parse_name(parser, "the name of a member", &stmt->member))
        return false;
    parser->at++;
    if (!parse_name(parser, "a family of roles", &stmt->family))
        return false;
    if (!is_family(parser, stmt->family.text)) {
        if (is_role(parser, stmt->family.text))
            parse_error(parser, stmt->family.span, "'%s' is one role, not a family: a family is declared '%s[]'",
                        stmt->family.text, stmt->family.text);
        else
            parse_error(parser, stmt->family.span, "there is no family '%s'", stmt->family.text);
        return false;
    }
    if (is_role(parser, stmt->member.text)) {
        parse_error(parser, stmt->member.span, "'%s' is a role already: give the member another name",
                    stmt->member.text);
        return false;
    }
    if (parser->at != parser->limit) {
        parse_error_here(parser, "expected ')' behind the family, not %s", describe(parser, parser->at));
        return false;
    }
    parser->tree->selections++;
    return true;
}

// for = "for" "(" head ")" block
static Stmt *parse_for(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_FOR);
    if (!next_is(parser, "(")) {
        parse_condition(parser, "for");
        return NULL;
    }
    size_t close = peek(parser)->match, outer_limit = parser->limit;
    parser->limit = close;
    parser->at++;
    bool is_each = peek(parser)->kind == TOKEN_IDENTIFIER && index_is(parser, parser->at + 1, ":");
    stmt->kind = is_each ? STMT_EACH : STMT_FOR;
    bool good = is_each ? parse_each_head(parser, stmt) : parse_for_head(parser, stmt);
    parser->limit = outer_limit;
    parser->at = close + 1;
    if (is_each && stmt->member.text != NULL)
        vector_push(parser->arena, &parser->members, stmt->member.text);
    good = parse_loop_body(parser, &stmt->body, "for") && good;
    parser->members.count -= is_each && stmt->member.text != NULL;
    return good ? stmt_end(parser, stmt, first) : NULL;
}

Stmt *parse_loop(Parser *parser)
{
    return next_is(parser, "while") ? parse_while(parser)
           : next_is(parser, "do")  ? parse_do(parser)
                                    : parse_for(parser);
}

// break = "break" ";"    continue = "continue" ";"
static Stmt *parse_break(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_end(parser, stmt_new(parser, STMT_BREAK), first);
    if (parser->in_switch)
        vector_push(parser->arena, &parser->case_breaks, stmt);
    else if (!parser->in_loop)
        parse_error(parser, stmt->span,
                    parser->in_arm ? "'break' can't leave an arm of 'par'" : "'break' outside of a loop or switch");
    expect_semicolon(parser);
    return stmt;
}

static Stmt *parse_continue(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_end(parser, stmt_new(parser, STMT_CONTINUE), first);
    if (!parser->in_loop)
        parse_error(parser, stmt->span,
                    parser->in_arm ? "'continue' can't leave an arm of 'par'" : "'continue' outside of a loop");
    expect_semicolon(parser);
    return stmt;
}

// return = "return" [ call | expr { "," expr } ] ";"
static Stmt *parse_return(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_RETURN);
    bool has_value = parser->at < parser->limit && !next_is(parser, ";");
    if (has_value && is_call(parser) && !is_located(parser)) {
        stmt->call = parse_call(parser);
        if (stmt->call == NULL)
            return NULL;
        if (next_is(parser, ",") || is_operator(parser, parser->at)) {
            parse_error(parser, stmt->call->span, "the result of '%s' must be bound on its own, before it is returned",
                        stmt->call->function.text);
            return NULL;
        }
    } else if (has_value) {
        do {
            size_t end = parser->at;
            while (end < parser->limit && !index_is(parser, end, ";") && !index_is(parser, end, ","))
                end = behind_group(parser, end);
            if (!is_located(parser)) {
                if (end == parser->at)
                    parse_error_here(parser, "a result is missing before %s", describe(parser, end));
                else
                    report_unlocated(parser, "a result", parser->at, end);
                return NULL;
            }
            TreeExpr *value = parse_expr(parser);
            if (value == NULL)
                return NULL;
            vector_push(parser->arena, &stmt->values, value);
        } while (accept(parser, ","));
    }
    stmt_end(parser, stmt, first);
    expect_semicolon(parser);
    return stmt;
}

StatementParser *control_parser(const Parser *parser)
{
    static const struct {
        const char *word;
        StatementParser *parse;
    } words[] = {
        {"if", parse_if},   {"switch", parse_switch}, {"while", parse_while},       {"do", parse_do},
        {"for", parse_for}, {"break", parse_break},   {"continue", parse_continue}, {"return", parse_return},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (next_is(parser, words[i].word))
            return words[i].parse;
    }
    StatementParser *par = par_parser(parser);
    return par != NULL ? par : checkpoint_parser(parser);
}
