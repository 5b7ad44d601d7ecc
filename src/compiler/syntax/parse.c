// parse.c: a block and its definitions. Statements and expressions are in parse_*.c.

#include "compiler/syntax/parser.h"

#include "base/check.h"

// ---- parameters and results ----

// result = role-ref ( type | "{" type { "," type } "}" )
static bool parse_result(Parser *parser, TreeResult *result)
{
    size_t first = parser->at;
    *result = (TreeResult){0};
    TypeText type;
    if (!is_located(parser)) {
        parse_error_here(parser, "expected a result such as '%s.int', not %s", example_role(parser),
                         describe(parser, parser->at));
        return false;
    }
    if (!parse_role_ref(parser, &result->at))
        return false;
    if (next_is(parser, "{")) {
        size_t close = peek(parser)->match;
        result->is_tuple = true;
        parser->at++;
        for (;;) {
            if (!parse_type(parser, TYPE_ONLY, &type, NULL))
                return false;
            vector_push(parser->arena, &result->types, type);
            if (parser->at == close)
                break;
            if (!expect(parser, ",", "between the types of a tuple"))
                return false;
        }
        parser->at = close + 1;
    } else {
        if (!parse_type(parser, TYPE_ONLY, &type, NULL))
            return false;
        vector_push(parser->arena, &result->types, type);
    }
    result->span = range_span(parser, first, parser->at);
    return true;
}

// results = "->" ( result | "(" [ result { "," result } ] ")" | result { "," result } )
// The last form only where no list of parameters goes on behind it.
static bool parse_results(Parser *parser, TreeResultList *results, bool in_signature)
{
    if (!accept(parser, "->"))
        return true;
    bool in_parens = next_is(parser, "(");
    size_t close = in_parens ? peek(parser)->match : 0;
    parser->at += in_parens;
    if (in_parens && parser->at == close) {
        parser->at++;
        return true;
    }
    do {
        TreeResult result;
        if (!parse_result(parser, &result))
            return false;
        vector_push(parser->arena, results, result);
    } while ((in_parens || !in_signature) && accept(parser, ","));
    if (in_parens && parser->at != close) {
        parse_error_here(parser, "expected ',' or ')' after a result, not %s", describe(parser, parser->at));
        return false;
    }
    parser->at += in_parens;
    return true;
}

static bool parse_params(Parser *parser, TreeParamList *params, bool in_signature);

// role-params = "[" names "]"
static bool parse_role_params(Parser *parser, NameList *names, bool **is_family)
{
    size_t open = parser->at++;
    if (!parse_name_list(parser, "a role parameter", names, is_family))
        return false;
    if (names->count == 0)
        parse_error(parser, range_span(parser, open, parser->at), "a role parameter is missing between '[' and ']'");
    return names->count > 0;
}

// param = role-ref type | NAME [ role-params ] "(" params ")" results
static bool parse_param(Parser *parser, TreeParam *param, bool in_signature)
{
    size_t first = parser->at;
    *param = (TreeParam){0};
    if (is_located(parser)) {
        if (!parse_role_ref(parser, &param->at))
            return false;
        if (!parse_type(parser, in_signature ? TYPE_MAYBE_NAMED : TYPE_NAMED, &param->type, &param->name))
            return false;
        if (!in_signature)
            note_variable(parser, &param->name);
    } else if (is_call(parser)) {
        param->is_function = true;
        if (!parse_name(parser, "a function parameter's name", &param->name))
            return false;
        if (next_is(parser, "[") && !parse_role_params(parser, &param->role_params, &param->param_is_family.items))
            return false;
        param->param_is_family.count = param->role_params.count;
        param->params = ARENA_NEW(parser->arena, TreeParamList);
        if (!parse_params(parser, param->params, true) || !parse_results(parser, &param->results, true))
            return false;
    } else {
        parse_error_here(parser, "expected a parameter such as '%s.int x' or 'f(%s.int)', not %s", example_role(parser),
                         example_role(parser), describe(parser, parser->at));
        return false;
    }
    param->span = range_span(parser, first, parser->at);
    return true;
}

// params = "(" [ "void" | param { "," param } ] ")"
static bool parse_params(Parser *parser, TreeParamList *params, bool in_signature)
{
    if (!next_is(parser, "(")) {
        parse_error_here(parser, "expected '(' and parameters, not %s", describe(parser, parser->at));
        return false;
    }
    size_t close = peek(parser)->match;
    parser->at++;
    if (next_is(parser, "void") && parser->at + 1 == close)
        parser->at++;
    bool good = true;
    while (parser->at < close) {
        TreeParam param;
        if (parse_param(parser, &param, in_signature)) {
            vector_push(parser->arena, params, param);
        } else {
            good = false;
            while (parser->at < close && !next_is(parser, ","))
                parser->at = behind_group(parser, parser->at);
        }
        if (parser->at >= close)
            break;
        if (!accept(parser, ",")) {
            parse_error_here(parser, "expected ',' or ')' after a parameter, not %s", describe(parser, parser->at));
            good = false;
            while (parser->at < close && !accept(parser, ","))
                parser->at = behind_group(parser, parser->at);
        } else if (parser->at == close) {
            parse_error_here(parser, "a parameter is missing before ')'");
            good = false;
        }
    }
    parser->at = close + 1;
    return good;
}

// ---- definitions ----

static bool is_def(const Parser *parser, size_t index)
{
    return index_is(parser, index, "def") && !index_is(parser, index + 2, ".") && !index_is(parser, index + 1, "*");
}

// The body of a definition whose head is wrong is parsed all the same, for its own mistakes.
static bool skip_to_body(Parser *parser)
{
    while (parser->at < parser->limit && !next_is(parser, ";") && !next_is(parser, "def")) {
        size_t behind = behind_group(parser, parser->at);
        // Braces of a role set and of a tuple have a dot beside them.
        if (next_is(parser, "{") && !index_is(parser, behind, ".") && !index_is(parser, parser->at - 1, "."))
            return true;
        parser->at = behind;
    }
    return false;
}

static bool parse_head(Parser *parser, TreeDef *def)
{
    if (!parse_name(parser, "a definition's name", &def->name))
        return false;
    if (next_is(parser, "[") && !parse_role_params(parser, &def->role_params, &def->param_is_family.items))
        return false;
    def->param_is_family.count = def->role_params.count;
    bool good = parse_params(parser, &def->params, false);
    return parse_results(parser, &def->results, false) && good;
}

// def = "def" NAME [ "[" names "]" ] params [ results ] block
static TreeDef *parse_def(Parser *parser)
{
    size_t first = parser->at++;
    TreeDef *def = ARENA_NEW(parser->arena, TreeDef);
    parser->def = def;
    map_init(&parser->variables, parser->arena);
    bool good = parse_head(parser, def);
    if (!next_is(parser, "{")) {
        bool is_fat = next_is(parser, "=") && index_is(parser, parser->at + 1, ">");
        if (good && (is_fat || next_is(parser, ":")))
            parse_error_here(parser, "results are written behind '->', not '%s'", is_fat ? "=>" : ":");
        else if (good)
            parse_error_here(parser, "expected '{' and the body of '%s', not %s", def->name.text,
                             describe(parser, parser->at));
        good = false;
        bool is_over = accept(parser, ";");
        if (is_over || !skip_to_body(parser)) {
            // What follows is a body without its brace: the next definition is the first thing that can be trusted.
            if (!is_over)
                while (parser->at < parser->limit && !is_def(parser, parser->at))
                    parser->at = behind_group(parser, parser->at);
            parser->def = NULL;
            return NULL;
        }
    }
    parse_block_body(parser, &def->body);
    def->span = range_span(parser, first, parser->at);
    parser->def = NULL;
    return good ? def : NULL;
}

// The index of the dot behind a prototype's role, or `end` without one.
static size_t find_dot(const Parser *parser, size_t *end)
{
    size_t dot = 0;
    size_t i = parser->at;
    for (; i < parser->limit && !index_is(parser, i, ";"); i = behind_group(parser, i)) {
        if (index_is(parser, i, "{") && !index_is(parser, behind_group(parser, i), "."))
            break;
        if (i > parser->at && index_is(parser, i, "def") && peek_at(parser, i)->starts_line)
            break;
        if (dot == 0 && index_is(parser, i, "."))
            dot = i;
    }
    *end = i;
    return dot != 0 ? dot : i;
}

static void report_no_proto(Parser *parser, size_t end)
{
    size_t first = parser->at;
    Span span = range_span(parser, first, end);
    if (end == first) {
        parse_error_here(parser, "expected 'def' or the prototype of a role's function, not %s",
                         describe(parser, first));
        return;
    }
    parse_error(parser, span, "expected 'def', or a prototype that says whose function it is: 'int %s.f(void);'",
                example_role(parser));
}

// Behind the dot of a prototype.
static bool parse_proto_rest(Parser *parser, TreeProto *proto)
{
    if (!parse_name(parser, "a function's name", &proto->name))
        return false;
    if (!next_is(parser, "(")) {
        parse_error_here(parser, "expected '(' and the parameters of '%s', not %s", proto->name.text,
                         describe(parser, parser->at));
        return false;
    }
    size_t close = peek(parser)->match;
    proto->params = local_text(parser, parser->at + 1, close, NULL);
    if (close == parser->at + 1)
        proto->params.span = (Span){parser->file, peek(parser)->end, peek(parser)->end};
    parser->at = close + 1;
    if (next_is(parser, "{")) {
        parse_error_here(parser, "a role's function is defined in C, outside of the choreography: expected ';'");
        return false;
    }
    return true;
}

// proto = type NAME "." NAME "(" [ C ] ")" ";"
static TreeProto *parse_proto(Parser *parser)
{
    size_t first = parser->at, end, dot = find_dot(parser, &end);
    if (dot == end) {
        report_no_proto(parser, end);
        return NULL;
    }
    TreeProto *proto = ARENA_NEW(parser->arena, TreeProto);
    if (index_is(parser, dot - 1, "}")) {
        parse_error(parser, token_span(parser, dot - 1), "a prototype belongs to one role");
        return NULL;
    }
    if (dot == first + 1) {
        parse_error(parser, token_span(parser, first), "the result type of the prototype is missing: 'int %s.f(void);'",
                    peek(parser)->text);
        return NULL;
    }
    if (!parse_type(parser, TYPE_NAMED, &proto->type, &proto->role))
        return NULL;
    proto->type.span = proto->type.before;
    if (proto->type.sizes.count > 0) {
        Span sizes = span_join(proto->type.sizes.items[0].span, proto->type.sizes.items[0].span);
        parse_error(parser, sizes, "a prototype names the family, whose members all have the function: '%s.%s(...)'",
                    proto->role.text, peek_at(parser, dot + 1)->text);
        return NULL;
    }
    if (!expect(parser, ".", "after the role of a prototype") || !parse_proto_rest(parser, proto))
        return NULL;
    proto->span = range_span(parser, first, parser->at);
    expect_semicolon(parser);
    return proto;
}

// Goes behind the ';' or the body of something that could not be understood, or to the next `def`.
static void skip_definition(Parser *parser, size_t first)
{
    size_t i = parser->at > first ? parser->at : first;
    while (i < parser->limit) {
        if (i > first && is_def(parser, i) && peek_at(parser, i)->starts_line)
            break;
        size_t here = i;
        i = behind_group(parser, i);
        if (index_is(parser, here, ";") || (index_is(parser, here, "{") && !index_is(parser, i, ".")))
            break;
    }
    parser->at = i < parser->limit ? i : parser->limit;
}

// A '}' too many inside of a function ends the function, and leaves another one unpaired further down. What stands between the two
// is the rest of the function: goes on at the next `def`.
static void skip_rest_of_function(Parser *parser)
{
    size_t i = parser->at;
    while (i < parser->limit && !(is_def(parser, i) && peek_at(parser, i)->starts_line))
        i = behind_group(parser, i);
    uint32_t start = peek(parser)->start, end = peek_at(parser, i)->start;
    for (size_t k = 0; k < parser->strays.count; k++) {
        if (parser->strays.items[k] > start && parser->strays.items[k] < end) {
            parser->at = i;
            return;
        }
    }
}

// definitions = { def | proto | ";" }
static void parse_definitions(Parser *parser)
{
    Tree *tree = parser->tree;
    while (parser->at < parser->limit && !parser->gave_up) {
        if (accept(parser, ";"))
            continue;
        size_t first = parser->at;
        if (is_def(parser, first)) {
            TreeDef *def = parse_def(parser);
            CHECK(def != NULL || parser->errors > 0);
            if (def != NULL)
                vector_push(parser->arena, &tree->defs, def);
            if (parser->strays.count > 0)
                skip_rest_of_function(parser);
            continue;
        }
        if (report_late_use(parser)) {
            skip_definition(parser, first);
            continue;
        }
        // Behind a block that is never closed stands the rest of the C file.
        size_t end;
        if (!parser->block->closed && find_dot(parser, &end) == end)
            return;
        TreeProto *proto = parse_proto(parser);
        CHECK(proto != NULL || parser->errors > 0);
        if (proto != NULL)
            vector_push(parser->arena, &tree->protos, proto);
        else
            skip_definition(parser, first);
    }
}

// ---- the block ----

// roles = "(" NAME { "," NAME } ")"
static bool parse_roles(Parser *parser)
{
    Tree *tree = parser->tree;
    if (!next_is(parser, "(")) {
        parse_error_here(parser, "expected the roles in parentheses, such as '(Alice, Bob)', not %s",
                         describe(parser, parser->at));
        return false;
    }
    size_t open = parser->at, close = peek(parser)->match;
    if (close == open + 1) {
        parse_error(parser, range_span(parser, open, close + 1), "a choreography needs at least one role");
        parser->at = close + 1;
        return false;
    }
    parser->at++;
    bool good = parse_name_list(parser, "a role", &tree->roles, &tree->is_family.items);
    tree->is_family.count = tree->roles.count;
    for (size_t i = 0; i < tree->roles.count; i++)
        map_put(&parser->roles, tree->roles.items[i].text, tree);
    parser->at = close + 1;
    return good;
}

// Calls may stand before the definition they mean.
static void collect_definitions(Parser *parser)
{
    for (size_t i = 0; i < parser->limit; i = behind_group(parser, i)) {
        correct_definition(parser, i);
        const Token *name = peek_at(parser, i + 1);
        if (is_def(parser, i) && name->kind == TOKEN_IDENTIFIER)
            map_put(&parser->defs, name->text, parser->tree);
    }
}

// choreography = NAME "," roles [ "," { use } definitions ]
static void parse_choreography(Parser *parser)
{
    Tree *tree = parser->tree;
    if (parser->limit == 0) {
        parse_error(parser, parser->block->span, "a choreography needs a name, its roles and definitions");
        return;
    }
    if (!parse_name(parser, "the choreography's name", &tree->name))
        return;
    if (!accept(parser, ",")) {
        parse_error_here(parser, "expected ',' after the choreography's name, not %s", describe(parser, parser->at));
        return;
    }
    if (!parse_roles(parser) && parser->tree->roles.count == 0 && !next_is(parser, ","))
        return;
    if (parser->at < parser->limit && !accept(parser, ",")) {
        Span place = previous_end(parser);
        if (parse_error(parser, place, "expected ',' after the roles"))
            diag_fix(parser->diags, place, ",", "add ','");
    }
    if (parser->at == parser->limit) {
        if (parser->errors == 0)
            parse_error(parser, tree->name.span, "the choreography '%s' defines nothing: it needs a 'def'",
                        tree->name.text);
        return;
    }
    collect_definitions(parser);
    parse_uses(parser);
    parse_definitions(parser);
}

// Reports strings and comments without an end. True if there were any.
static bool report_unterminated(Parser *parser)
{
    bool any = false;
    for (size_t i = 0; i < parser->tokens.count; i++) {
        Token *token = &parser->tokens.items[i];
        if (!token->unterminated)
            continue;
        const char *what = token->kind == TOKEN_STRING ? "string" : token->kind == TOKEN_CHAR ? "character" : "comment";
        Span span = token_span(parser, i);
        if (token->kind == TOKEN_OTHER)
            span.end = span.start + 2;
        parse_error(parser, span, "this %s is never closed", what);
        token->repaired = true; // what goes wrong around it follows from this
        any = true;
    }
    return any;
}

static Parser parser_new(Arena *arena, const Sources *sources, Diags *diags, const FoundBlock *block)
{
    Parser parser = {.arena = arena, .sources = sources, .diags = diags, .block = block, .file = block->span.file};
    map_init(&parser.roles, arena);
    map_init(&parser.defs, arena);
    map_init(&parser.uses, arena);
    map_init(&parser.variables, arena);
    parser.tree = ARENA_NEW(arena, Tree);
    parser.tree->span = block->span;
    return parser;
}

void parser_lex(Parser *parser)
{
    const FoundBlock *block = parser->block;
    const Source *source = source_get(parser->sources, parser->file);
    lex_range(parser->arena, source, block->inside.start, block->inside.end, &parser->tokens);
    if (block->closed || block->directive.file == FILE_NONE)
        return;
    for (size_t i = 0; i < parser->tokens.count; i++) {
        if (parser->tokens.items[i].unterminated && parser->tokens.items[i].kind == TOKEN_OTHER)
            return; // a comment has swallowed the end
    }
    // No directive may stand in a block: where the block is not closed, it is the first sign of its end.
    parser->tokens.count = 0;
    lex_range(parser->arena, source, block->inside.start, block->directive.start, &parser->tokens);
}

Tree *parse_block(Arena *arena, const Sources *sources, Diags *diags, const FoundBlock *block)
{
    Parser parser = parser_new(arena, sources, diags, block);
    if (block->closed && block->directive.file != FILE_NONE)
        parse_error(&parser, block->directive, "no preprocessor directives inside a choreography");
    parser_lex(&parser);
    bool unterminated = report_unterminated(&parser);
    if (block_ends_early(&parser) || !brackets_pair(&parser, unterminated))
        return parser.tree;
    parser.limit = parser.tokens.count - 1;
    parse_choreography(&parser);
    return parser.tree;
}
