// parse_checkpoint.c: checkpoint and rescue.

#include "compiler/syntax/parser.h"

// More attempts than anybody can wait for, and fewer than the runtime can count.
enum { RETRY_MAX = 1000 * 1000 * 1000 };
// A century: so that the runtime can add it to any time.
#define WITHIN_NS_MAX (UINT64_C(100) * 365 * 24 * 60 * 60 * 1000 * 1000 * 1000)

// Digits only; UINT64_MAX stands for all that does not fit. False: it is no such number.
static bool decimal(const char *digits, size_t length, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(digits[i] - '0');
        if (digit > 9)
            return false;
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    return length > 0 && (length == 1 || digits[0] != '0');
}

// The nanoseconds of a unit, or 0.
static uint64_t unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"us", 1000}, {"ms", 1000 * 1000}, {"s", 1000 * 1000 * 1000}, {"min", UINT64_C(60) * 1000 * 1000 * 1000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    }
    return 0;
}

// within = "within" NUMBER ( "us" | "ms" | "s" | "min" )
static bool parse_within(Parser *parser, Stmt *stmt)
{
    size_t first = parser->at++;
    if (peek(parser)->kind != TOKEN_NUMBER) {
        parse_error_here(parser, "expected a time such as '500ms' after 'within', not %s",
                         describe(parser, parser->at));
        return false;
    }
    const char *text = peek(parser)->text;
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits;
    parser->at++;
    if (*unit == '\0' && peek(parser)->kind == TOKEN_IDENTIFIER) {
        unit = peek(parser)->text;
        parser->at++;
    }
    Span span = range_span(parser, first + 1, parser->at);
    uint64_t number, scale = unit_ns(unit);
    if (scale == 0) {
        parse_error(parser, span, "a time is a whole number and 'us', 'ms', 's' or 'min', such as '500ms'");
        return false;
    }
    if (!decimal(text, digits, &number)) {
        parse_error(parser, span, "a time is a whole decimal number and a unit, such as '500ms'");
        return false;
    }
    if (number > WITHIN_NS_MAX / scale) {
        parse_error(parser, span, "this time is too long: the limit is 100 years");
        return false;
    }
    if (number == 0)
        parse_error(parser, span, "no block is over within no time");
    if (stmt->has_within)
        parse_error(parser, span, "a checkpoint has one 'within'");
    stmt->has_within = true;
    stmt->within_ns = number * scale;
    return number > 0;
}

// retry = "retry" NUMBER
static bool parse_retry(Parser *parser, Stmt *stmt)
{
    parser->at++;
    uint64_t number;
    if (peek(parser)->kind != TOKEN_NUMBER) {
        parse_error_here(parser, "expected a number after 'retry', not %s", describe(parser, parser->at));
        return false;
    }
    const char *text = peek(parser)->text;
    if (!decimal(text, strlen(text), &number) || number > RETRY_MAX) {
        parse_error_here(parser, "'retry' needs a whole decimal number up to %d", RETRY_MAX);
        return false;
    }
    if (number == 0)
        parse_error_here(parser, "'retry 0' tries nothing again: leave it out");
    if (stmt->has_retry)
        parse_error_here(parser, "a checkpoint has one 'retry'");
    parser->at++;
    stmt->has_retry = true;
    stmt->retry = (uint32_t)number;
    return number > 0;
}

// durable = "durable"
static bool parse_durable(Parser *parser, Stmt *stmt)
{
    bool good = !stmt->is_durable;
    if (!good)
        parse_error_here(parser, "a checkpoint has one 'durable'");
    parser->at++;
    stmt->is_durable = true;
    return good;
}

static bool parse_option(Parser *parser, Stmt *stmt)
{
    if (next_is(parser, "durable"))
        return parse_durable(parser, stmt);
    return next_is(parser, "within") ? parse_within(parser, stmt) : parse_retry(parser, stmt);
}

static bool is_option(const Parser *parser)
{
    return next_is(parser, "durable") || next_is(parser, "within") || next_is(parser, "retry");
}

static bool is_rescue(const Parser *parser)
{
    if (!next_is(parser, "rescue"))
        return false;
    size_t next = parser->at + 1;
    if (index_is(parser, next, "(")) // a call of a definition named `rescue` has no block behind it
        next = behind_group(parser, next);
    return index_is(parser, next, "{");
}

// rescue = "rescue" [ "(" NAME ")" ] block
static bool parse_rescue(Parser *parser, Stmt *stmt)
{
    bool good = true;
    parser->at++;
    stmt->has_otherwise = true;
    if (next_is(parser, "(")) {
        size_t close = peek(parser)->match;
        parser->at++;
        good = parse_name(parser, "the name of the fault", &stmt->fault);
        if (good)
            note_variable(parser, &stmt->fault);
        if (good && parser->at != close) {
            parse_error_here(parser, "expected ')' after the name of the fault, not %s", describe(parser, parser->at));
            good = false;
        }
        parser->at = close + 1;
    }
    parse_block_body(parser, &stmt->otherwise);
    return good;
}

// What stands in the place of the rescue, as other languages have it: `catch (x) { ... }`, `rescue fault { ... }`.
static bool report_no_rescue(Parser *parser)
{
    size_t next = parser->at + 1;
    if (next_is(parser, "rescue") && peek_at(parser, next)->kind == TOKEN_IDENTIFIER &&
        index_is(parser, next + 1, "{")) {
        const char *name = peek_at(parser, next)->text;
        parse_error(parser, token_span(parser, next), "the name of the fault stands in parentheses: 'rescue (%s)'",
                    name);
        parser->at = behind_group(parser, next + 1);
        return true;
    }
    size_t body = index_is(parser, next, "(") ? behind_group(parser, next) : next;
    if (!next_is(parser, "catch") || !index_is(parser, body, "{"))
        return false;
    parse_error_here(parser, "a checkpoint has 'rescue', not 'catch'");
    parser->at = behind_group(parser, body);
    return true;
}

// A word that is nearly `rescue`, with what only a rescue has behind it.
static void correct_rescue(Parser *parser)
{
    size_t next = parser->at + 1;
    size_t body = index_is(parser, next, "(") ? behind_group(parser, next) : next;
    if (index_is(parser, body, "{"))
        correct_word(parser, "rescue");
}

static bool is_loop(const Parser *parser)
{
    return next_is(parser, "while") || next_is(parser, "do") || next_is(parser, "for");
}

// rounds = "while" condition [ notify ] block | "for" "(" ";" ";" ")" block
static bool parse_rounds(Parser *parser, Stmt *stmt)
{
    size_t word = parser->at;
    const Stmt *loop = parse_loop(parser);
    if (loop == NULL)
        return false;
    bool is_plain_for = loop->init == NULL && loop->expr == NULL && loop->step == NULL;
    if (loop->kind == STMT_DO || loop->kind == STMT_EACH || (loop->kind == STMT_FOR && !is_plain_for)) {
        parse_error(parser, token_span(parser, word),
                    "a checkpoint repeats its body with 'while (...)' or 'for (;;)': what else a loop does belongs "
                    "before it or into its body");
        return false;
    }
    stmt->rounds = loop->kind == STMT_WHILE ? ROUNDS_WHILE : ROUNDS_FOR;
    stmt->expr = loop->expr;
    stmt->has_notify = loop->has_notify;
    stmt->notify = loop->notify;
    stmt->body = loop->body;
    return true;
}

// The rescue, if there is one. In that of a loop, `break` and `continue` are the loop's.
static bool parse_otherwise(Parser *parser, Stmt *stmt)
{
    correct_rescue(parser);
    if (!is_rescue(parser))
        return !report_no_rescue(parser);
    bool in_loop = parser->in_loop, in_switch = parser->in_switch;
    if (stmt->rounds != ROUNDS_NONE) {
        parser->in_loop = true;
        parser->in_switch = false;
    }
    bool good = parse_rescue(parser, stmt);
    parser->in_loop = in_loop;
    parser->in_switch = in_switch;
    return good;
}

// checkpoint = "checkpoint" { durable | within | retry } ( block | rounds ) [ rescue ]
static Stmt *parse_checkpoint(Parser *parser)
{
    size_t first = parser->at++;
    Stmt *stmt = stmt_new(parser, STMT_CHECKPOINT);
    bool good = true;
    while (is_option(parser) || correct_checkpoint_option(parser)) {
        if (is_loop(parser))
            break;
        good = parse_option(parser, stmt) && good;
    }
    if (!next_is(parser, "{") && !is_loop(parser)) {
        if (good)
            parse_error_here(parser,
                             "expected '{', 'while', 'for', 'durable', 'within' or 'retry' after 'checkpoint', not %s",
                             describe(parser, parser->at));
        while (parser->at < parser->limit && !next_is(parser, "{") && !next_is(parser, ";"))
            parser->at++;
        if (!next_is(parser, "{"))
            return NULL;
        good = false;
    }
    if (is_loop(parser))
        good = parse_rounds(parser, stmt) && good;
    else
        parse_block_body(parser, &stmt->body);
    good = parse_otherwise(parser, stmt) && good;
    return good ? stmt_end(parser, stmt, first) : NULL;
}

// `checkpoint` is a word only here: a role or a definition may be called so.
StatementParser *checkpoint_parser(const Parser *parser)
{
    bool is_name = index_is(parser, parser->at + 1, ".") || index_is(parser, parser->at + 1, "(") ||
                   index_is(parser, parser->at + 1, "[");
    return next_is(parser, "checkpoint") && !is_name ? parse_checkpoint : NULL;
}
