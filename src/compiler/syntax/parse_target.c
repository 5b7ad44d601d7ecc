// parse_target.c: what a delivery, an assignment or a call's result goes to.

#include "compiler/syntax/parser.h"

static Target *target_new(Parser *parser, TargetKind kind)
{
    Target *target = ARENA_NEW(parser->arena, Target);
    target->kind = kind;
    return target;
}

// match = "(" C ")"
static Target *parse_match(Parser *parser, const RoleRef *at)
{
    size_t open = parser->at, close = peek(parser)->match;
    if (close == open + 1) {
        parse_error(parser, range_span(parser, open, close + 1), "a value to match is missing between '(' and ')'");
        return NULL;
    }
    Target *target = target_new(parser, TARGET_MATCH);
    target->c = local_text(parser, open + 1, close, at);
    parser->at = close + 1;
    return target;
}

// element = "_" | match | declaration | NAME postfix
static Target *parse_element(Parser *parser, const RoleRef *at)
{
    size_t first = parser->at;
    Target *target;
    if (accept(parser, "_")) {
        target = target_new(parser, TARGET_DROP);
    } else if (next_is(parser, "(")) {
        target = parse_match(parser, at);
        if (target == NULL)
            return NULL;
    } else if (is_declaration(parser)) {
        target = target_new(parser, TARGET_DECLARE);
        if (!parse_type(parser, TYPE_NAMED, &target->type, &target->name))
            return NULL;
        note_variable(parser, &target->name);
    } else if (next_is(parser, "{")) {
        parse_error_here(parser, "a pattern can't stand inside of another one");
        return NULL;
    } else if (peek(parser)->kind != TOKEN_IDENTIFIER || next_is(parser, "true") || next_is(parser, "false")) {
        // A value to match that lacks its parentheses.
        TreeExpr *value = suggest_parentheses(parser, at, first);
        if (value == NULL)
            return NULL;
        target = target_new(parser, TARGET_MATCH);
        target->c = value->c;
    } else {
        target = target_new(parser, TARGET_NAME);
        if (!parse_name(parser, "a variable's name", &target->name))
            return NULL;
        skip_postfix(parser);
        if (parser->at > first + 1) {
            target->kind = TARGET_PLACE;
            target->c = local_text(parser, first, parser->at, at);
        } else {
            note_variable(parser, &target->name);
        }
        if (next_is(parser, "(")) {
            parse_error(parser, range_span(parser, first, behind_group(parser, parser->at)),
                        "'%s(...)' can't take a value: bind it to a variable first, then call '%s'", target->name.text,
                        target->name.text);
            return NULL;
        }
    }
    target->span = range_span(parser, first, parser->at);
    return target;
}

// field = "." NAME [ "=" element ]
static Target *parse_field(Parser *parser, const RoleRef *at)
{
    size_t first = parser->at;
    if (!expect(parser, ".", "before the name of a field"))
        return NULL;
    Name field;
    if (!parse_name(parser, "a field's name", &field))
        return NULL;
    Target *target;
    if (accept(parser, "=")) {
        target = parse_element(parser, at);
        if (target == NULL)
            return NULL;
    } else {
        target = target_new(parser, TARGET_NAME);
        target->name = field;
        note_variable(parser, &field);
    }
    target->field = field;
    target->span = range_span(parser, first, parser->at);
    return target;
}

// pattern = "{" element { "," element } "}" | "{" field { "," field } "}"
static Target *parse_pattern(Parser *parser, const RoleRef *at)
{
    size_t first = parser->at, close = peek(parser)->match;
    parser->at++;
    if (parser->at == close) {
        parse_error(parser, range_span(parser, first, close + 1), "a pattern needs at least one variable");
        return NULL;
    }
    Target *target = target_new(parser, next_is(parser, ".") ? TARGET_STRUCT : TARGET_TUPLE);
    for (;;) {
        Target *part = target->kind == TARGET_STRUCT ? parse_field(parser, at) : parse_element(parser, at);
        if (part == NULL)
            return NULL;
        if (target->parts.count == PARTS_MAX) {
            parse_error(parser, part->span, "a pattern has at most %d parts", PARTS_MAX);
            return NULL;
        }
        vector_push(parser->arena, &target->parts, part);
        if (parser->at == close)
            break;
        if (!accept(parser, ",")) {
            parse_error_here(parser, "expected ',' or '}' before %s", describe(parser, parser->at));
            return NULL;
        }
    }
    parser->at = close + 1;
    target->span = range_span(parser, first, parser->at);
    return target;
}

// target = pattern | element
Target *parse_target(Parser *parser, const RoleRef *at)
{
    return next_is(parser, "{") ? parse_pattern(parser, at) : parse_element(parser, at);
}

// located-target = role-ref target
bool parse_located_target(Parser *parser, LocatedTarget *located)
{
    *located = (LocatedTarget){0};
    if (!parse_role_ref(parser, &located->at))
        return false;
    located->target = parse_target(parser, &located->at);
    if (located->target == NULL)
        return false;
    located->span = span_join(located->at.span, located->target->span);
    return true;
}

Target *target_from_expr(Parser *parser, const TreeExpr *expr)
{
    Target *target;
    if (expr->kind == TREE_NAME) {
        target = target_new(parser, TARGET_NAME);
        target->name = expr->name;
        target->span = expr->name.span;
        note_variable(parser, &expr->name);
        return target;
    }
    // The name is set where the expression is a variable and its postfix.
    if (expr->kind != TREE_C || expr->name.text == NULL)
        return NULL;
    target = target_new(parser, TARGET_PLACE);
    target->name = expr->name;
    target->c = expr->c;
    target->span = expr->c.span;
    return target;
}
