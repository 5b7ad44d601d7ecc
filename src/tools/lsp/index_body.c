// index_body.c: statements, in the order in which names come into being.

#include "tools/lsp/index_walk.h"

#include <string.h>

static void walk_block(Walk *walk, const TreeBlock *block);
static void walk_stmt(Walk *walk, const Stmt *stmt);

// ---- scopes ----

static void leave(Walk *walk, size_t mark, uint32_t end)
{
    while (walk->scope.count > mark) {
        Symbol *symbol = walk->scope.items[--walk->scope.count];
        symbol->to = end;
    }
}

// ---- expressions, types, targets ----

static void walk_type(Walk *walk, const TypeText *type, const SymbolList *roles)
{
    walk_c(walk, type->before, roles);
    for (size_t i = 0; i < type->sizes.count; i++)
        walk_c(walk, type->sizes.items[i].span, roles);
}

static void walk_expr(Walk *walk, const TreeExpr *expr)
{
    if (expr == NULL)
        return;
    SymbolList roles = {0};
    walk_roles(walk, &expr->at, &roles);
    switch (expr->kind) {
    case TREE_NAME:
        walk_variable(walk, &expr->name, &roles);
        break;
    case TREE_CALL:
        walk_function(walk, &expr->name, &roles);
        for (size_t i = 0; i < expr->parts.count; i++)
            walk_c(walk, expr->parts.items[i].span, &roles);
        break;
    case TREE_C:
        walk_c(walk, expr->c.span, &roles);
        break;
    case TREE_TUPLE:
        for (size_t i = 0; i < expr->parts.count; i++)
            walk_c(walk, expr->parts.items[i].span, &roles);
        break;
    }
}

static void walk_target(Walk *walk, const Target *target, const SymbolList *roles)
{
    if (target == NULL)
        return;
    bool is_field = target->field.text != NULL && target->field.span.start == target->name.span.start;
    switch (target->kind) {
    case TARGET_NAME:
        walk_bind(walk, &target->name, roles, NULL, false, is_field);
        break;
    case TARGET_DECLARE:
        walk_type(walk, &target->type, roles);
        walk_bind(walk, &target->name, roles, &target->type, true, is_field);
        break;
    case TARGET_MATCH:
    case TARGET_PLACE:
        walk_c(walk, target->c.span, roles);
        break;
    case TARGET_TUPLE:
    case TARGET_STRUCT:
        for (size_t i = 0; i < target->parts.count; i++)
            walk_target(walk, target->parts.items[i], roles);
        break;
    case TARGET_DROP:
        break;
    }
}

static void walk_located(Walk *walk, const LocatedTarget *located)
{
    SymbolList roles = {0};
    walk_roles(walk, &located->at, &roles);
    walk_target(walk, located->target, &roles);
}

// ---- calls ----

static Symbol *walk_callee(Walk *walk, const Name *name)
{
    if (name->text == NULL)
        return NULL;
    Symbol *callee = index_find_def(walk->index, name->text, walk->def != NULL ? walk->def->span.start : 0);
    if (callee == NULL && strchr(name->text, '.') != NULL)
        callee = walk_symbol(walk, SYMBOL_USED, name);
    walk_mention(walk, name->span, callee);
    return callee;
}

static void walk_role_args(Walk *walk, const RoleRefList *args)
{
    SymbolList ignored = {0};
    for (size_t i = 0; i < args->count; i++)
        walk_roles(walk, &args->items[i], &ignored);
}

static void walk_call(Walk *walk, const TreeCall *call)
{
    if (call == NULL)
        return;
    CallSite site = {call, walk->def, walk_callee(walk, &call->function)};
    vector_push(walk->arena, &walk->index->calls, site);
    walk_role_args(walk, &call->role_args);
    for (size_t i = 0; i < call->args.count; i++) {
        const TreeArg *arg = &call->args.items[i];
        if (arg->expr != NULL) {
            walk_expr(walk, arg->expr);
        } else if (arg->call != NULL) {
            walk_call(walk, arg->call);
        } else {
            walk_callee(walk, &arg->function);
            walk_role_args(walk, &arg->role_args);
        }
    }
}

// ---- statements ----

static void walk_assign(Walk *walk, const Stmt *stmt)
{
    SymbolList roles = {0};
    walk_roles(walk, &stmt->target.at, &roles);
    walk_c(walk, stmt->value.span, &roles);
    walk_target(walk, stmt->target.target, &roles);
}

static void walk_notify(Walk *walk, const Stmt *stmt)
{
    for (size_t i = 0; i < stmt->notify.count; i++)
        walk_role(walk, &stmt->notify.items[i]);
}

static void walk_switch(Walk *walk, const Stmt *stmt)
{
    SymbolList roles = {0};
    for (size_t i = 0; i < stmt->cases.count; i++) {
        const TreeCase *one = &stmt->cases.items[i];
        for (size_t k = 0; k < one->labels.count; k++)
            walk_c(walk, one->labels.items[k].span, &roles);
        walk_block(walk, &one->body);
    }
}

static void walk_each(Walk *walk, const Stmt *stmt)
{
    size_t mark = walk->scope.count;
    if (stmt->member.text != NULL) {
        Symbol *family = walk_role(walk, &stmt->family);
        Symbol *member = walk_symbol(walk, SYMBOL_MEMBER, &stmt->member);
        member->role = family;
        member->from = stmt->member.span.start;
        walk_mention(walk, stmt->member.span, member);
        vector_push(walk->arena, &walk->scope, member);
    }
    walk_block(walk, &stmt->body);
    for (size_t i = 0; i < stmt->arms.count; i++)
        walk_block(walk, &stmt->arms.items[i]);
    leave(walk, mark, stmt->span.end);
}

static void walk_checkpoint(Walk *walk, const Stmt *stmt)
{
    walk_expr(walk, stmt->expr);
    walk_notify(walk, stmt);
    walk_block(walk, &stmt->body);
    size_t mark = walk->scope.count;
    if (stmt->fault.text != NULL) {
        SymbolList all = {0};
        walk_everybody(walk, &all);
        walk_bind(walk, &stmt->fault, &all, NULL, true, false);
    }
    walk_block(walk, &stmt->otherwise);
    leave(walk, mark, stmt->span.end);
}

static void walk_control(Walk *walk, const Stmt *stmt)
{
    size_t mark = walk->scope.count;
    if (stmt->init != NULL)
        walk_stmt(walk, stmt->init);
    // The condition of a `do` stands behind its body, in the scope around it.
    if (stmt->kind != STMT_DO)
        walk_expr(walk, stmt->expr);
    walk_notify(walk, stmt);
    if (stmt->kind == STMT_SWITCH)
        walk_switch(walk, stmt);
    walk_block(walk, &stmt->body);
    walk_block(walk, &stmt->otherwise);
    if (stmt->step != NULL)
        walk_stmt(walk, stmt->step);
    if (stmt->kind == STMT_DO)
        walk_expr(walk, stmt->expr);
    leave(walk, mark, stmt->span.end);
}

static void note_decision(Walk *walk, const Stmt *stmt)
{
    vector_push(walk->arena, &walk->index->decisions, ((Decision){stmt, walk->def}));
}

static void walk_stmt(Walk *walk, const Stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_DELIVERY:
        walk_expr(walk, stmt->expr);
        walk_located(walk, &stmt->target);
        break;
    case STMT_ASSIGN:
        walk_assign(walk, stmt);
        break;
    case STMT_LOCAL:
        walk_expr(walk, stmt->expr);
        break;
    case STMT_CALL:
        walk_call(walk, stmt->call);
        for (size_t i = 0; i < stmt->targets.count; i++)
            walk_located(walk, &stmt->targets.items[i]);
        break;
    case STMT_RETURN:
        walk_call(walk, stmt->call);
        for (size_t i = 0; i < stmt->values.count; i++)
            walk_expr(walk, stmt->values.items[i]);
        break;
    case STMT_EACH:
    case STMT_PAR:
        note_decision(walk, stmt);
        walk_each(walk, stmt);
        break;
    case STMT_CHECKPOINT:
        note_decision(walk, stmt);
        walk_checkpoint(walk, stmt);
        break;
    case STMT_IF:
    case STMT_SWITCH:
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        note_decision(walk, stmt);
        walk_control(walk, stmt);
        break;
    case STMT_BLOCK:
        walk_block(walk, &stmt->body);
        break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        break;
    }
}

static void walk_block(Walk *walk, const TreeBlock *block)
{
    size_t mark = walk->scope.count;
    for (size_t i = 0; i < block->statements.count; i++)
        walk_stmt(walk, block->statements.items[i]);
    leave(walk, mark, block->span.end);
}

// ---- definitions ----

static void walk_params(Walk *walk, const TreeParamList *params)
{
    for (size_t i = 0; params != NULL && i < params->count; i++) {
        const TreeParam *param = &params->items[i];
        SymbolList roles = {0};
        if (param->is_function) {
            // Its signature mentions roles, and names nothing.
            walk_params(walk, param->params);
            for (size_t k = 0; k < param->results.count; k++)
                walk_roles(walk, &param->results.items[k].at, &roles);
            continue;
        }
        walk_roles(walk, &param->at, &roles);
        walk_type(walk, &param->type, &roles);
        size_t before = walk->index->symbols.count;
        if (params == &walk->def->params)
            walk_bind(walk, &param->name, &roles, &param->type, true, false);
        for (size_t k = before; k < walk->index->symbols.count; k++)
            walk->index->symbols.items[k]->is_param = true;
    }
}

void walk_def(Walk *walk, const TreeDef *def)
{
    walk->def = def;
    walk->scope.count = 0;
    const SymbolList *defs = &walk->index->of_kind[SYMBOL_DEF];
    for (size_t i = 0; i < defs->count; i++)
        if (defs->items[i]->def == def)
            walk_mention(walk, def->name.span, defs->items[i]);
    walk_params(walk, &def->params);
    for (size_t i = 0; i < def->results.count; i++) {
        SymbolList roles = {0};
        walk_roles(walk, &def->results.items[i].at, &roles);
    }
    walk_block(walk, &def->body);
    leave(walk, 0, def->span.end);
    walk->def = NULL;
}
