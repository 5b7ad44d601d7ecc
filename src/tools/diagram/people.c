// people.c: who takes part in a statement, followed through calls.

#include "tools/diagram/people.h"

#include <string.h>

enum { DEEPEST = 16 }; // calls of calls; whoever takes part deeper down is met on the way in all but contrived programs

typedef struct {
    Arena *arena;
    const Tree *tree;
    NameList *people;
    VECTOR(const TreeDef *) active; // definitions that are being followed
} Search;

const TreeDef *people_find_def(const Tree *tree, const char *name)
{
    for (size_t i = 0; i < tree->defs.count; i++)
        if (tree->defs.items[i]->name.text != NULL && strcmp(tree->defs.items[i]->name.text, name) == 0)
            return tree->defs.items[i];
    return NULL;
}

static void add_name(Arena *arena, NameList *people, Name name)
{
    for (size_t i = 0; i < people->count; i++)
        if (strcmp(people->items[i].text, name.text) == 0)
            return;
    vector_push(arena, people, name);
}

static Name family_of(Name name, const Member *member)
{
    for (; member != NULL; member = member->outer)
        if (strcmp(member->name, name.text) == 0)
            name.text = member->family;
    return name;
}

void people_of_ref(Arena *arena, const RoleRef *at, const Member *member, NameList *people)
{
    for (size_t i = 0; i < at->names.count; i++)
        add_name(arena, people, family_of(at->names.items[i], member));
}

static void visit_block(Search *search, const TreeBlock *block, const Member *member);

static void visit_expr(Search *search, const TreeExpr *expr, const Member *member)
{
    if (expr != NULL)
        people_of_ref(search->arena, &expr->at, member, search->people);
}

// Whoever takes part in the definition: its role parameters are not counted, since the call says who they are.
static void visit_def(Search *search, const TreeDef *def, const Member *member)
{
    for (size_t i = 0; i < search->active.count; i++)
        if (search->active.items[i] == def)
            return;
    if (search->active.count == DEEPEST)
        return;
    NameList inside = {0};
    Search inner = {search->arena, search->tree, &inside, search->active};
    vector_push(search->arena, &inner.active, def);
    for (size_t i = 0; i < def->params.count; i++)
        if (!def->params.items[i].is_function)
            people_of_ref(search->arena, &def->params.items[i].at, NULL, &inside);
    visit_block(&inner, &def->body, NULL);
    for (size_t i = 0; i < inside.count; i++) {
        bool is_param = false;
        for (size_t k = 0; k < def->role_params.count; k++)
            is_param |= strcmp(def->role_params.items[k].text, inside.items[i].text) == 0;
        if (!is_param)
            add_name(search->arena, search->people, family_of(inside.items[i], member));
    }
}

static void visit_call(Search *search, const TreeCall *call, const Member *member)
{
    for (size_t i = 0; i < call->role_args.count; i++)
        people_of_ref(search->arena, &call->role_args.items[i], member, search->people);
    for (size_t i = 0; i < call->args.count; i++) {
        visit_expr(search, call->args.items[i].expr, member);
        if (call->args.items[i].call != NULL)
            visit_call(search, call->args.items[i].call, member);
        for (size_t k = 0; k < call->args.items[i].role_args.count; k++)
            people_of_ref(search->arena, &call->args.items[i].role_args.items[k], member, search->people);
        const Name *function = &call->args.items[i].function;
        const TreeDef *def = function->text != NULL ? people_find_def(search->tree, function->text) : NULL;
        if (def != NULL)
            visit_def(search, def, member);
    }
    const TreeDef *def = call->function.text != NULL ? people_find_def(search->tree, call->function.text) : NULL;
    if (def != NULL)
        visit_def(search, def, member);
}

static void visit_stmt(Search *search, const Stmt *stmt, const Member *member)
{
    Member inner = {stmt->member.text, stmt->family.text, member};
    bool has_member = stmt->kind == STMT_EACH || stmt->kind == STMT_PAR;
    if (has_member && stmt->family.text != NULL && stmt->member.text != NULL) {
        add_name(search->arena, search->people, family_of(stmt->family, member));
        member = &inner;
    }
    visit_expr(search, stmt->expr, member);
    people_of_ref(search->arena, &stmt->target.at, member, search->people);
    for (size_t i = 0; i < stmt->targets.count; i++)
        people_of_ref(search->arena, &stmt->targets.items[i].at, member, search->people);
    if (stmt->call != NULL)
        visit_call(search, stmt->call, member);
    for (size_t i = 0; i < stmt->values.count; i++)
        visit_expr(search, stmt->values.items[i], member);
    if (stmt->init != NULL)
        visit_stmt(search, stmt->init, member);
    if (stmt->step != NULL)
        visit_stmt(search, stmt->step, member);
    visit_block(search, &stmt->body, member);
    for (size_t i = 0; i < stmt->arms.count; i++)
        visit_block(search, &stmt->arms.items[i], member);
    visit_block(search, &stmt->otherwise, member);
    for (size_t i = 0; i < stmt->cases.count; i++)
        visit_block(search, &stmt->cases.items[i].body, member);
}

static void visit_block(Search *search, const TreeBlock *block, const Member *member)
{
    for (size_t i = 0; i < block->statements.count; i++)
        visit_stmt(search, block->statements.items[i], member);
}

void people_of_block(Arena *arena, const Tree *tree, const TreeBlock *block, const Member *member, NameList *people)
{
    visit_block(&(Search){arena, tree, people, {0}}, block, member);
}

void people_of_stmt(Arena *arena, const Tree *tree, const Stmt *stmt, const Member *member, NameList *people)
{
    visit_stmt(&(Search){arena, tree, people, {0}}, stmt, member);
}

void people_of_call(Arena *arena, const Tree *tree, const TreeCall *call, const Member *member, NameList *people)
{
    visit_call(&(Search){arena, tree, people, {0}}, call, member);
}
