// dump.c: tokens and tree as text, for --dump and for tests.
//
// One node per line, children indented. Local C is shown as it was written, with every run of white space as one space.

#include "compiler/syntax/parser.h"

#include <ctype.h>

void dump_tokens(const Sources *sources, const FoundBlock *block, FILE *out)
{
    Arena *arena = arena_new();
    Parser parser = {.arena = arena, .sources = sources, .block = block, .file = block->span.file};
    parser_lex(&parser);
    const Source *source = source_get(sources, parser.file);
    for (size_t i = 0; i < parser.tokens.count; i++) {
        const Token *token = &parser.tokens.items[i];
        Position position = source_position(source, token->start);
        fprintf(out, "%u:%u: %s", position.line, position.column, token_kind_name(token->kind));
        if (token->kind != TOKEN_END)
            fprintf(out, " %.*s", (int)(token->end - token->start), source->text + token->start);
        fputc('\n', out);
    }
    arena_free(arena);
}

typedef struct {
    const Sources *sources;
    FILE *out;
    int depth;
} TreeDump;

static void line_start(const TreeDump *dump, const char *what)
{
    fprintf(dump->out, "%*s%s", dump->depth * 2, "", what);
}

static void put_span(const TreeDump *dump, Span span)
{
    uint32_t length;
    const char *text = span_text(dump->sources, span, &length);
    bool was_space = false;
    for (uint32_t i = 0; i < length; i++) {
        bool is_space = isspace((unsigned char)text[i]) != 0;
        if (!is_space || !was_space)
            fputc(is_space ? ' ' : text[i], dump->out);
        was_space = is_space;
    }
}

static void put_names(const TreeDump *dump, const NameList *names)
{
    for (size_t i = 0; i < names->count; i++)
        fprintf(dump->out, "%s%s", i > 0 ? ", " : "", names->items[i].text);
}

static void put_role(const TreeDump *dump, const RoleRef *at)
{
    fputs(at->is_set ? "{" : "", dump->out);
    for (size_t i = 0; i < at->names.count; i++) {
        fprintf(dump->out, "%s%s", i > 0 ? ", " : "", at->names.items[i].text);
        if (i < at->selects.count && at->selects.items[i].kind != SELECT_NONE)
            put_span(dump, at->selects.items[i].span);
    }
    fputs(at->is_set ? "}" : "", dump->out);
}

static void put_texts(const TreeDump *dump, const CTextList *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        fputs(i > 0 ? " | " : " ", dump->out);
        put_span(dump, texts->items[i].span);
    }
}

static void put_type(const TreeDump *dump, const TypeText *type, const Name *name)
{
    put_span(dump, type->before);
    if (name != NULL && name->text != NULL)
        fprintf(dump->out, " %s", name->text);
    for (size_t i = 0; i < type->sizes.count; i++) {
        fputc('[', dump->out);
        put_span(dump, type->sizes.items[i].span);
        fputc(']', dump->out);
    }
}

static void put_expr(const TreeDump *dump, const TreeExpr *expr)
{
    put_role(dump, &expr->at);
    switch (expr->kind) {
    case TREE_NAME:
        fprintf(dump->out, " name %s", expr->name.text);
        break;
    case TREE_CALL:
        fprintf(dump->out, " call %s:", expr->name.text);
        put_texts(dump, &expr->parts);
        break;
    case TREE_C:
        fputs(" c ", dump->out);
        put_span(dump, expr->c.span);
        break;
    case TREE_TUPLE:
        fputs(" tuple:", dump->out);
        put_texts(dump, &expr->parts);
        break;
    }
}

static void put_target(const TreeDump *dump, const Target *target)
{
    if (target->field.text != NULL)
        fprintf(dump->out, ".%s = ", target->field.text);
    switch (target->kind) {
    case TARGET_NAME:
        fprintf(dump->out, "name %s", target->name.text);
        break;
    case TARGET_DECLARE:
        fputs("declare ", dump->out);
        put_type(dump, &target->type, &target->name);
        break;
    case TARGET_DROP:
        fputs("drop", dump->out);
        break;
    case TARGET_MATCH:
        fputs("match ", dump->out);
        put_span(dump, target->c.span);
        break;
    case TARGET_PLACE:
        fprintf(dump->out, "place %s: ", target->name.text);
        put_span(dump, target->c.span);
        break;
    case TARGET_TUPLE:
    case TARGET_STRUCT:
        fputs(target->kind == TARGET_TUPLE ? "tuple {" : "struct {", dump->out);
        for (size_t i = 0; i < target->parts.count; i++) {
            fputs(i > 0 ? ", " : "", dump->out);
            put_target(dump, target->parts.items[i]);
        }
        fputs("}", dump->out);
        break;
    }
}

static void dump_located_target(const TreeDump *dump, const LocatedTarget *located, const char *what)
{
    line_start(dump, what);
    put_role(dump, &located->at);
    fputc(' ', dump->out);
    put_target(dump, located->target);
    fputc('\n', dump->out);
}

static void dump_expr(const TreeDump *dump, const TreeExpr *expr, const char *what)
{
    line_start(dump, what);
    put_expr(dump, expr);
    fputc('\n', dump->out);
}

static void put_role_refs(const TreeDump *dump, const RoleRefList *refs)
{
    fputs(refs->count > 0 ? "[" : "", dump->out);
    for (size_t i = 0; i < refs->count; i++) {
        fputs(i > 0 ? ", " : "", dump->out);
        put_role(dump, &refs->items[i]);
    }
    fputs(refs->count > 0 ? "]" : "", dump->out);
}

static void put_role_args(const TreeDump *dump, const NameList *names)
{
    if (names->count == 0)
        return;
    fputc('[', dump->out);
    put_names(dump, names);
    fputc(']', dump->out);
}

static void dump_call(TreeDump *dump, const TreeCall *call)
{
    line_start(dump, "call ");
    fputs(call->function.text, dump->out);
    put_role_refs(dump, &call->role_args);
    fputc('\n', dump->out);
    dump->depth++;
    for (size_t i = 0; i < call->args.count; i++) {
        const TreeArg *arg = &call->args.items[i];
        if (arg->expr != NULL) {
            dump_expr(dump, arg->expr, "arg ");
            continue;
        }
        if (arg->call != NULL) {
            dump_call(dump, arg->call);
            continue;
        }
        line_start(dump, "arg function ");
        fputs(arg->function.text, dump->out);
        put_role_refs(dump, &arg->role_args);
        fputc('\n', dump->out);
    }
    dump->depth--;
}

static void dump_stmt(TreeDump *dump, const Stmt *stmt);

static void dump_block(TreeDump *dump, const TreeBlock *block, const char *what)
{
    line_start(dump, what);
    fputc('\n', dump->out);
    dump->depth++;
    for (size_t i = 0; i < block->statements.count; i++)
        dump_stmt(dump, block->statements.items[i]);
    dump->depth--;
}

static void dump_case(TreeDump *dump, const TreeCase *branch)
{
    line_start(dump, "case");
    put_texts(dump, &branch->labels);
    fputs(branch->has_default ? " default\n" : "\n", dump->out);
    dump->depth++;
    for (size_t i = 0; i < branch->body.statements.count; i++)
        dump_stmt(dump, branch->body.statements.items[i]);
    dump->depth--;
}

// The words on the statement's own line.
static void put_head(const TreeDump *dump, const Stmt *stmt)
{
    static const char *const names[] = {
        [STMT_DELIVERY] = "delivery", [STMT_ASSIGN] = "assign", [STMT_LOCAL] = "local",
        [STMT_CALL] = "call step",    [STMT_IF] = "if",         [STMT_SWITCH] = "switch",
        [STMT_WHILE] = "while",       [STMT_DO] = "do",         [STMT_FOR] = "for",
        [STMT_EACH] = "for each",     [STMT_PAR] = "par",       [STMT_BREAK] = "break",
        [STMT_CONTINUE] = "continue", [STMT_RETURN] = "return", [STMT_CHECKPOINT] = "checkpoint",
        [STMT_BLOCK] = "block",
    };
    Position position = span_position(dump->sources, stmt->span);
    line_start(dump, names[stmt->kind]);
    if (stmt->kind == STMT_ASSIGN)
        fprintf(dump->out, " %s", stmt->op != NULL ? stmt->op : "nothing");
    if (stmt->has_notify) {
        fputs(" notify(", dump->out);
        put_names(dump, &stmt->notify);
        fputc(')', dump->out);
    }
    if (stmt->rounds != ROUNDS_NONE)
        fputs(stmt->rounds == ROUNDS_WHILE ? " while" : " for", dump->out);
    if (stmt->is_durable)
        fputs(" durable", dump->out);
    if (stmt->has_within)
        fprintf(dump->out, " within %lluns", (unsigned long long)stmt->within_ns);
    if (stmt->has_retry)
        fprintf(dump->out, " retry %u", stmt->retry);
    if (stmt->fault.text != NULL)
        fprintf(dump->out, " fault %s", stmt->fault.text);
    if (stmt->member.text != NULL)
        fprintf(dump->out, " %s of %s", stmt->member.text, stmt->family.text);
    fprintf(dump->out, " @%u:%u\n", position.line, position.column);
}

static bool has_body(StmtKind kind)
{
    return kind == STMT_IF || kind == STMT_WHILE || kind == STMT_DO || kind == STMT_FOR || kind == STMT_EACH ||
           kind == STMT_CHECKPOINT || kind == STMT_BLOCK;
}

static void dump_stmt(TreeDump *dump, const Stmt *stmt)
{
    put_head(dump, stmt);
    dump->depth++;
    if (stmt->expr != NULL)
        dump_expr(dump, stmt->expr, "expr ");
    if (stmt->target.target != NULL)
        dump_located_target(dump, &stmt->target, "to ");
    for (size_t i = 0; i < stmt->targets.count; i++)
        dump_located_target(dump, &stmt->targets.items[i], "to ");
    if (stmt->kind == STMT_ASSIGN && stmt->value.span.end > stmt->value.span.start) {
        line_start(dump, "value ");
        put_span(dump, stmt->value.span);
        fputc('\n', dump->out);
    }
    if (stmt->call != NULL)
        dump_call(dump, stmt->call);
    for (size_t i = 0; i < stmt->values.count; i++)
        dump_expr(dump, stmt->values.items[i], "value ");
    if (stmt->init != NULL)
        dump_stmt(dump, stmt->init);
    if (stmt->step != NULL)
        dump_stmt(dump, stmt->step);
    if (has_body(stmt->kind))
        dump_block(dump, &stmt->body, "body");
    if (stmt->has_otherwise)
        dump_block(dump, &stmt->otherwise, stmt->kind == STMT_IF ? "else" : "rescue");
    for (size_t i = 0; i < stmt->cases.count; i++)
        dump_case(dump, &stmt->cases.items[i]);
    for (size_t i = 0; i < stmt->arms.count; i++)
        dump_block(dump, &stmt->arms.items[i], "arm");
    dump->depth--;
}

static void dump_results(TreeDump *dump, const TreeResultList *results)
{
    for (size_t i = 0; i < results->count; i++) {
        const TreeResult *result = &results->items[i];
        line_start(dump, "result ");
        put_role(dump, &result->at);
        fputs(result->is_tuple ? " tuple" : "", dump->out);
        for (size_t k = 0; k < result->types.count; k++) {
            fputs(k > 0 ? ", " : " ", dump->out);
            put_type(dump, &result->types.items[k], NULL);
        }
        fputc('\n', dump->out);
    }
}

static void dump_params(TreeDump *dump, const TreeParamList *params)
{
    for (size_t i = 0; i < params->count; i++) {
        const TreeParam *param = &params->items[i];
        if (param->is_function) {
            line_start(dump, "function parameter ");
            fputs(param->name.text, dump->out);
            put_role_args(dump, &param->role_params);
            fputc('\n', dump->out);
            dump->depth++;
            dump_params(dump, param->params);
            dump_results(dump, &param->results);
            dump->depth--;
            continue;
        }
        line_start(dump, "param ");
        put_role(dump, &param->at);
        fputc(' ', dump->out);
        put_type(dump, &param->type, &param->name);
        fputc('\n', dump->out);
    }
}

void dump_tree(const Sources *sources, const Tree *tree, FILE *out)
{
    TreeDump dump = {sources, out, 0};
    fprintf(out, "choreography %s (", tree->name.text != NULL ? tree->name.text : "?");
    put_names(&dump, &tree->roles);
    fputs(")\n", out);
    dump.depth = 1;
    for (size_t i = 0; i < tree->uses.count; i++)
        fprintf(out, "  use %s\n", tree->uses.items[i].name.text);
    for (size_t i = 0; i < tree->protos.count; i++) {
        const TreeProto *proto = tree->protos.items[i];
        line_start(&dump, "proto ");
        put_type(&dump, &proto->type, NULL);
        fprintf(out, " %s.%s(", proto->role.text, proto->name.text);
        put_span(&dump, proto->params.span);
        fputs(")\n", out);
    }
    for (size_t i = 0; i < tree->defs.count; i++) {
        const TreeDef *def = tree->defs.items[i];
        line_start(&dump, "def ");
        fputs(def->name.text, out);
        put_role_args(&dump, &def->role_params);
        fputc('\n', out);
        dump.depth++;
        dump_params(&dump, &def->params);
        dump_results(&dump, &def->results);
        dump_block(&dump, &def->body, "body");
        dump.depth--;
    }
}
