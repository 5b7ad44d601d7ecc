// index_names.c: what a name means: roles, variables in scope, functions of roles.

#include "compiler/syntax/lex.h"
#include "tools/lsp/index_walk.h"

#include <string.h>

// ---- roles ----

static Symbol *find_role(const Walk *walk, const char *name)
{
    for (size_t i = walk->scope.count; i-- > 0;)
        if (walk->scope.items[i]->kind == SYMBOL_MEMBER && strcmp(walk->scope.items[i]->name, name) == 0)
            return walk->scope.items[i];
    const SymbolList *params = &walk->index->of_kind[SYMBOL_ROLE_PARAM], *roles = &walk->index->of_kind[SYMBOL_ROLE];
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i]->def == walk->def && strcmp(params->items[i]->name, name) == 0)
            return params->items[i];
    for (size_t i = 0; i < roles->count; i++)
        if (strcmp(roles->items[i]->name, name) == 0)
            return roles->items[i];
    return NULL;
}

Symbol *walk_role(Walk *walk, const Name *name)
{
    Symbol *role = name->text == NULL ? NULL : find_role(walk, name->text);
    walk_mention(walk, name->span, role);
    return role;
}

void walk_everybody(Walk *walk, SymbolList *all)
{
    const SymbolList *params = &walk->index->of_kind[SYMBOL_ROLE_PARAM], *roles = &walk->index->of_kind[SYMBOL_ROLE];
    for (size_t i = 0; i < roles->count; i++)
        vector_push(walk->arena, all, roles->items[i]);
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i]->def == walk->def)
            vector_push(walk->arena, all, params->items[i]);
}

// Indices are computed by whoever has to do with it.
static void walk_anybody(Walk *walk, Span span)
{
    SymbolList all = {0};
    walk_everybody(walk, &all);
    walk_c(walk, span, &all);
}

void walk_roles(Walk *walk, const RoleRef *ref, SymbolList *roles)
{
    for (size_t i = 0; i < ref->names.count; i++) {
        Symbol *role = walk_role(walk, &ref->names.items[i]);
        if (role != NULL)
            vector_push(walk->arena, roles, role);
    }
    for (size_t i = 0; i < ref->selects.count; i++) {
        const Select *select = &ref->selects.items[i];
        if (select->kind == SELECT_ONE)
            walk_anybody(walk, select->index.span);
        if (select->kind == SELECT_PART) {
            walk_anybody(walk, select->from.span);
            walk_anybody(walk, select->to.span);
        }
    }
}

// ---- variables ----

static Symbol *find_variable(const Walk *walk, const Symbol *role, const char *name)
{
    const Symbol *owner = symbol_owner(role);
    for (size_t i = walk->scope.count; i-- > 0;) {
        Symbol *symbol = walk->scope.items[i];
        if (symbol->kind == SYMBOL_VARIABLE && symbol->role == owner && strcmp(symbol->name, name) == 0)
            return symbol;
    }
    return NULL;
}

void walk_variable(Walk *walk, const Name *name, const SymbolList *roles)
{
    for (size_t i = 0; name->text != NULL && i < roles->count; i++)
        walk_mention(walk, name->span, find_variable(walk, roles->items[i], name->text));
}

void walk_bind(Walk *walk, const Name *name, const SymbolList *roles, const TypeText *type, bool declares,
               bool is_field)
{
    for (size_t i = 0; name->text != NULL && i < roles->count; i++) {
        Symbol *variable = declares ? NULL : find_variable(walk, roles->items[i], name->text);
        if (variable == NULL) {
            variable = walk_symbol(walk, SYMBOL_VARIABLE, name);
            variable->role = (Symbol *)symbol_owner(roles->items[i]);
            variable->type = type;
            variable->from = name->span.end;
            variable->to = walk->def != NULL ? walk->def->span.end : UINT32_MAX;
            vector_push(walk->arena, &walk->scope, variable);
        }
        Mention *mention = walk_mention(walk, name->span, variable);
        if (mention != NULL) {
            mention->binds = true;
            mention->is_field = is_field;
        }
    }
}

// ---- functions of roles ----

static void mention_function(Walk *walk, const Name *name, Symbol *role, bool is_dotted)
{
    Symbol *function = index_find_function(walk->index, role, name->text);
    if (function == NULL) {
        function = walk_symbol(walk, SYMBOL_FUNCTION, name);
        function->role = role;
        function->def = NULL;
    }
    Mention *mention = walk_mention(walk, name->span, function);
    if (mention != NULL)
        mention->is_dotted = is_dotted;
}

static void mention_for_role(Walk *walk, const Name *name, Symbol *role, bool is_dotted)
{
    if (role->stands.count == 0)
        mention_function(walk, name, role, is_dotted);
    for (size_t i = 0; i < role->stands.count; i++)
        mention_function(walk, name, role->stands.items[i], is_dotted);
}

void walk_function(Walk *walk, const Name *name, const SymbolList *roles)
{
    for (size_t i = 0; name->text != NULL && i < roles->count; i++)
        mention_for_role(walk, name, (Symbol *)symbol_owner(roles->items[i]), true);
}

static bool is_function(const Walk *walk, const Symbol *role, const char *name)
{
    if (index_find_function(walk->index, role, name) != NULL)
        return true;
    const char *key = arena_printf(walk->arena, "%s.%s", role->name, name);
    return walk->known != NULL && map_has(walk->known, key);
}

void walk_bare_calls(Walk *walk)
{
    for (size_t i = 0; i < walk->bare.count; i++) {
        const BareCall *call = &walk->bare.items[i];
        Name name = {call->name, call->span};
        for (size_t k = 0; k < call->roles.count; k++) {
            const Symbol *role = symbol_owner(call->roles.items[k]);
            const SymbolList one = {(Symbol **)&role, 1, 1};
            const SymbolList *list = role->stands.count > 0 ? (const SymbolList *)&role->stands : &one;
            for (size_t n = 0; n < list->count; n++)
                if (is_function(walk, list->items[n], call->name))
                    mention_function(walk, &name, list->items[n], false);
        }
    }
}

// ---- local C ----

static bool is_name_of_another_kind(const TokenList *tokens, size_t index)
{
    if (index == 0)
        return false;
    const Token *before = &tokens->items[index - 1];
    static const char *const words[] = {".", "->", "struct", "union", "enum", "goto"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(before, words[i]))
            return true;
    return false;
}

void walk_c(Walk *walk, Span span, const SymbolList *roles)
{
    if (span.file == FILE_NONE || span.end <= span.start || span.file != walk->index->tree->span.file)
        return;
    TokenList tokens = {0};
    lex_span(walk->arena, walk->index->sources, span, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        const Token *token = &tokens.items[i];
        if (token->kind != TOKEN_IDENTIFIER || token_is_keyword(token) || is_name_of_another_kind(&tokens, i))
            continue;
        Span place = {span.file, token->start, token->end};
        bool is_variable = false;
        for (size_t k = 0; k < roles->count; k++)
            is_variable |= walk_mention(walk, place, find_variable(walk, roles->items[k], token->text)) != NULL;
        if (!is_variable && tokens_have(&tokens, i + 1, "(")) {
            BareCall call = {place, token->text, {0}};
            for (size_t k = 0; k < roles->count; k++)
                vector_push(walk->arena, &call.roles, roles->items[k]);
            vector_push(walk->arena, &walk->bare, call);
        }
    }
}

// ---- role parameters ----

static void give(Walk *walk, Symbol *param, Symbol *role, bool *is_new)
{
    for (size_t i = 0; i < param->stands.count; i++)
        if (param->stands.items[i] == role)
            return;
    vector_push(walk->arena, &param->stands, role);
    *is_new = true;
}

static Symbol *parameter_of(const Walk *walk, const TreeDef *def, size_t index)
{
    size_t count = 0;
    const SymbolList *params = &walk->index->of_kind[SYMBOL_ROLE_PARAM];
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i]->def == def && count++ == index)
            return params->items[i];
    return NULL;
}

static void give_roles(Walk *walk, const Name *function, const RoleRefList *args, bool *is_new)
{
    const Symbol *callee = NULL;
    const SymbolList *defs = &walk->index->of_kind[SYMBOL_DEF];
    for (size_t i = 0; i < defs->count && callee == NULL; i++)
        if (function->text != NULL && strcmp(defs->items[i]->name, function->text) == 0)
            callee = defs->items[i];
    for (size_t i = 0; callee != NULL && i < args->count; i++) {
        Symbol *param = parameter_of(walk, callee->def, i);
        for (size_t k = 0; param != NULL && k < args->items[i].names.count; k++) {
            const char *name = args->items[i].names.items[k].text;
            Symbol *role = name == NULL ? NULL : find_role(walk, name);
            if (role == NULL)
                continue;
            if (role->kind == SYMBOL_ROLE)
                give(walk, param, role, is_new);
            for (size_t n = 0; n < role->stands.count && role != param; n++)
                give(walk, param, role->stands.items[n], is_new);
        }
    }
}

static void give_call(Walk *walk, const TreeCall *call, bool *is_new)
{
    if (call == NULL)
        return;
    give_roles(walk, &call->function, &call->role_args, is_new);
    for (size_t i = 0; i < call->args.count; i++) {
        const TreeArg *arg = &call->args.items[i];
        if (arg->call != NULL)
            give_call(walk, arg->call, is_new);
        else if (arg->expr == NULL)
            give_roles(walk, &arg->function, &arg->role_args, is_new);
    }
}

static void give_block(Walk *walk, const TreeBlock *block, bool *is_new)
{
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        give_call(walk, stmt->call, is_new);
        give_block(walk, &stmt->body, is_new);
        give_block(walk, &stmt->otherwise, is_new);
        for (size_t k = 0; k < stmt->cases.count; k++)
            give_block(walk, &stmt->cases.items[k].body, is_new);
        for (size_t k = 0; k < stmt->arms.count; k++)
            give_block(walk, &stmt->arms.items[k], is_new);
    }
}

void walk_given(Walk *walk)
{
    enum { ROUNDS_MAX = 10 }; // parameters that are given on to parameters
    bool is_new = true;
    for (int round = 0; round < ROUNDS_MAX && is_new; round++) {
        is_new = false;
        for (size_t i = 0; i < walk->index->tree->defs.count; i++) {
            walk->def = walk->index->tree->defs.items[i];
            if (walk->def->module == NULL)
                give_block(walk, &walk->def->body, &is_new);
        }
    }
    walk->def = NULL;
}
