// mini_test.h: programs for tests, written in a few characters.
//
//     def f->AB { A! AB! A>B A>BC f() if A {..} {..} switch A {..} {..} {..} while A {..} do A {..} for A {..} {step}
//                 loop {..} try {..} {rescue} { block } break continue return return f() }
//
// Roles are capital letters, several of them a set; functions are small letters; the first one is the entry. `A!` is a
// step, `A>B` a delivery. `if A {..}` has an implied else; the last branch of `switch` is the default; `if A ?BC {..}`
// is notify(B, C). `AB=x` binds x, `A>BC=x` too, `AB+x` changes it, `AB.x` changes a part of it, `AB?x-` mentions it
// (the last character is for the test), and `AB~x` lets them find out that it is the same. Sites count the statements from 1, in the order in which they begin.

#ifndef CHECK_MINI_TEST_H
#define CHECK_MINI_TEST_H

#include "compiler/check/knowledge.h"

#include "base/check.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MINI_ROLES 8

typedef struct {
    Arena *arena;
    Sources *sources;
    Diags *diags;
    Program *program;
    const char *text, *at;
    FileId file;
    Instance *functions[26];
    Instance *instance;
    Node *loop;
    uint32_t site, variable;
} Mini;

static const CType mini_int = {
    .kind = CTYPE_INTEGER, .spelling = "int", .canonical = "int", .before = "int ", .after = ""};

static inline NodeList mini_braces(Mini *mini);

static inline void mini_space(Mini *mini)
{
    while (isspace((unsigned char)*mini->at))
        mini->at++;
}

static inline bool mini_take(Mini *mini, const char *word)
{
    mini_space(mini);
    size_t length = strlen(word);
    bool is_word = isalpha((unsigned char)word[0]);
    if (strncmp(mini->at, word, length) != 0 || (is_word && isalpha((unsigned char)mini->at[length])))
        return false;
    mini->at += length;
    return true;
}

static inline RoleSet mini_roles(Mini *mini)
{
    RoleSet set = roleset_new(mini->arena, MINI_ROLES);
    mini_space(mini);
    CHECK(isupper((unsigned char)*mini->at));
    while (isupper((unsigned char)*mini->at))
        roleset_add(&set, (RoleId)(*mini->at++ - 'A'));
    return set;
}

static inline Span mini_span(const Mini *mini, const char *start)
{
    return (Span){mini->file, (uint32_t)(start - mini->text), (uint32_t)(mini->at - mini->text)};
}

static inline Expr *mini_expr(Mini *mini, RoleSet at, const char *text)
{
    Expr *expr = ARENA_NEW(mini->arena, Expr);
    *expr = (Expr){.at = at, .type = &mini_int, .span = mini_span(mini, mini->at), .is_constant = true};
    vector_push(mini->arena, &expr->pieces, ((Piece){.kind = PIECE_TEXT, .text = text, .line = text}));
    return expr;
}

static inline Value mini_value(Mini *mini, RoleSet at)
{
    Value value = {.at = at};
    vector_push(mini->arena, &value.exprs, mini_expr(mini, at, "7"));
    return value;
}

// The variables of that name at the roles, made on their first mention.
static inline VariableList mini_variables(Mini *mini, const RoleSet *at, char name)
{
    VariableList list = {0};
    for (ROLESET_EACH(role, at)) {
        Variable *variable = NULL;
        for (size_t i = 0; i < mini->instance->variables.count; i++)
            if (mini->instance->variables.items[i]->role == role && mini->instance->variables.items[i]->name[0] == name)
                variable = mini->instance->variables.items[i];
        if (variable == NULL) {
            variable = ARENA_NEW(mini->arena, Variable);
            const char *text = arena_printf(mini->arena, "%c", name);
            *variable = (Variable){.id = mini->variable++,
                                   .name = text,
                                   .c_name = text,
                                   .role = role,
                                   .instance = mini->instance,
                                   .type = &mini_int};
            vector_push(mini->arena, &mini->instance->variables, variable);
        }
        vector_push(mini->arena, &list, variable);
    }
    return list;
}

static inline Pattern *mini_pattern(Mini *mini, const RoleSet *at)
{
    Pattern *pattern = ARENA_NEW(mini->arena, Pattern);
    *pattern = (Pattern){.kind = PATTERN_DROP, .type = &mini_int};
    if (mini_take(mini, "=")) {
        pattern->kind = PATTERN_BIND;
        pattern->variables = mini_variables(mini, at, *mini->at++);
    }
    return pattern;
}

static inline void mini_located(Mini *mini, Node *node)
{
    node->kind = NODE_STEP;
    node->at = mini_roles(mini);
    if (mini_take(mini, ">")) {
        node->kind = NODE_DELIVERY;
        node->from = roleset_next(&node->at, 0);
        node->sent = mini_value(mini, node->at);
        node->to.at = mini_roles(mini);
        node->to.pattern = mini_pattern(mini, &node->to.at);
    } else if (mini_take(mini, "~")) {
        node->kind = NODE_AGREE;
        node->target = ARENA_NEW(mini->arena, Pattern);
        *node->target = (Pattern){.kind = PATTERN_BIND, .type = &mini_int};
        node->target->variables = mini_variables(mini, &node->at, *mini->at++);
    } else if (mini_take(mini, "!")) {
        node->value = mini_expr(mini, node->at, "f()");
    } else if (*mini->at == '=') {
        node->target = mini_pattern(mini, &node->at);
        node->op = "=";
        node->value = mini_expr(mini, node->at, "1");
    } else if (mini_take(mini, "+")) {
        node->target = ARENA_NEW(mini->arena, Pattern);
        node->target->variables = mini_variables(mini, &node->at, *mini->at++);
        node->op = "+=";
        node->value = mini_expr(mini, node->at, "1");
    } else if (mini_take(mini, ".")) {
        node->target = ARENA_NEW(mini->arena, Pattern);
        node->target->kind = PATTERN_PLACE;
        node->target->expr = mini_expr(mini, node->at, arena_copy(mini->arena, mini->at++, 1));
        node->op = "=";
        node->value = mini_expr(mini, node->at, "1");
    } else {
        CHECK(mini_take(mini, "?"));
        node->value = mini_expr(mini, node->at, arena_copy(mini->arena, mini->at, 2));
        mini->at += 2;
    }
}

static inline void mini_call(Mini *mini, Node *node)
{
    mini_space(mini);
    CHECK(islower((unsigned char)*mini->at) && mini->at[1] == '(' && mini->at[2] == ')');
    node->callee = mini->functions[*mini->at - 'a'];
    CHECK(node->callee != NULL);
    mini->at += 3;
}

static inline void mini_condition(Mini *mini, Node *node)
{
    const char *start = mini->at;
    node->deciders = mini_roles(mini);
    node->condition = mini_expr(mini, node->deciders, "c");
    node->head = mini_span(mini, start);
    mini_space(mini);
    if (mini_take(mini, "?")) {
        node->has_notify = true;
        node->notify = mini_roles(mini);
    }
    mini_space(mini);
}

static inline void mini_choice(Mini *mini, Node *node)
{
    node->kind = NODE_CHOICE;
    mini_condition(mini, node);
    while (*mini->at == '{' && (node->is_switch || node->branches.count < 2)) {
        Branch branch = {.span = mini_span(mini, mini->at)};
        branch.body = mini_braces(mini);
        vector_push(mini->arena, &node->branches, branch);
        mini_space(mini);
    }
    if (!node->is_switch && node->branches.count < 2)
        vector_push(mini->arena, &node->branches, ((Branch){.is_implied = true}));
    node->branches.items[node->branches.count - 1].is_default = node->is_switch;
}

static inline void mini_loop(Mini *mini, Node *node)
{
    Node *outer = mini->loop;
    node->kind = NODE_LOOP;
    mini->loop = node;
    if (*mini->at != '{')
        mini_condition(mini, node);
    node->body = mini_braces(mini);
    mini->loop = outer;
    if (node->loop == LOOP_FOR)
        node->step = mini_braces(mini);
}

static inline void mini_return(Mini *mini, Node *node)
{
    node->kind = NODE_RETURN;
    mini_space(mini);
    if (mini->at[0] != '\0' && mini->at[1] == '(') {
        mini_call(mini, node);
        return;
    }
    for (size_t i = 0; i < mini->instance->results.count; i++)
        vector_push(mini->arena, &node->values, mini_value(mini, mini->instance->results.items[i].at));
}

static inline Node *mini_statement(Mini *mini)
{
    Node *node = ARENA_NEW(mini->arena, Node);
    const char *start = mini->at;
    node->site = mini->site++;
    if (isupper((unsigned char)*mini->at)) {
        mini_located(mini, node);
    } else if (*mini->at == '{') {
        node->kind = NODE_BLOCK;
        node->body = mini_braces(mini);
    } else if (mini_take(mini, "if")) {
        mini_choice(mini, node);
    } else if (mini_take(mini, "switch")) {
        node->is_switch = true;
        mini_choice(mini, node);
    } else if (mini_take(mini, "while") || mini_take(mini, "loop")) {
        mini_space(mini);
        mini_loop(mini, node);
    } else if (mini_take(mini, "do")) {
        node->loop = LOOP_DO;
        mini_space(mini);
        mini_loop(mini, node);
    } else if (mini_take(mini, "for")) {
        node->loop = LOOP_FOR;
        mini_space(mini);
        mini_loop(mini, node);
    } else if (mini_take(mini, "try")) {
        node->kind = NODE_CHECKPOINT;
        node->body = mini_braces(mini);
        mini_space(mini);
        node->has_rescue = *mini->at == '{';
        if (node->has_rescue)
            node->rescue = mini_braces(mini);
    } else if (mini_take(mini, "break") || mini_take(mini, "continue")) {
        node->kind = mini->at[-1] == 'k' ? NODE_BREAK : NODE_CONTINUE;
        node->loop_node = mini->loop;
    } else if (mini_take(mini, "return")) {
        mini_return(mini, node);
    } else {
        node->kind = NODE_CALL;
        mini_call(mini, node);
    }
    node->span = mini_span(mini, start);
    return node;
}

static inline NodeList mini_braces(Mini *mini)
{
    NodeList list = {0};
    CHECK(mini_take(mini, "{"));
    while (!mini_take(mini, "}")) {
        Node *node = mini_statement(mini);
        vector_push(mini->arena, &list, node);
    }
    return list;
}

static inline void mini_declare(Mini *mini)
{
    for (const char *def = strstr(mini->text, "def "); def != NULL; def = strstr(def + 1, "def ")) {
        Instance *instance = ARENA_NEW(mini->arena, Instance);
        instance->id = (uint32_t)mini->program->instances.count;
        instance->def = ARENA_NEW(mini->arena, TreeDef);
        instance->is_entry = instance->id == 0;
        instance->name = arena_copy(mini->arena, def + 4, 1);
        mini->functions[def[4] - 'a'] = instance;
        vector_push(mini->arena, &mini->program->instances, instance);
    }
}

static inline Mini *mini_new(const char *text)
{
    static RoleId role_of[MINI_ROLES] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const char *names[MINI_ROLES] = {"A", "B", "C", "D", "E", "F", "G", "H"};
    Arena *arena = arena_new();
    Mini *mini = ARENA_NEW(arena, Mini);
    *mini = (Mini){.arena = arena, .text = text, .at = text, .site = 1, .variable = 5};
    mini->sources = sources_new(arena);
    mini->diags = diags_new(arena, mini->sources);
    mini->file = source_add(mini->sources, "mini", text, strlen(text))->id;
    mini->program = ARENA_NEW(arena, Program);
    *mini->program = (Program){.arena = arena,
                               .sources = mini->sources,
                               .name = "mini",
                               .role_count = MINI_ROLES,
                               .role_names = names,
                               .id_count = MINI_ROLES,
                               .is_family = ARENA_ARRAY(arena, bool, MINI_ROLES),
                               .role_of = role_of};
    mini_declare(mini);
    while (mini_take(mini, "def")) {
        mini_space(mini);
        mini->instance = mini->functions[*mini->at++ - 'a'];
        if (mini_take(mini, "->")) {
            RoleSet roles = mini_roles(mini);
            for (ROLESET_EACH(role, &roles)) {
                Result result = {.at = roleset_one(arena, MINI_ROLES, role)};
                vector_push(arena, &result.types, &mini_int);
                vector_push(arena, &mini->instance->results, result);
            }
        }
        mini->instance->body = mini_braces(mini);
    }
    mini_space(mini);
    CHECK(*mini->at == '\0');
    mini->program->site_count = mini->site;
    return mini;
}

static inline void mini_free(Mini *mini)
{
    arena_free(mini->arena);
}

static inline const char *mini_letters(Mini *mini, const RoleSet *set)
{
    char *letters = arena_alloc(mini->arena, MINI_ROLES + 1);
    size_t count = 0;
    for (ROLESET_EACH(role, set))
        letters[count++] = (char)('A' + role);
    return letters;
}

#endif
