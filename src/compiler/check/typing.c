// Types for a resolved program: rounds of writing a unit, parsing it and learning from it.

#include "compiler/check/agree.h"
#include "compiler/check/arms.h"
#include "compiler/check/durable.h"
#include "compiler/check/typing.h"

#include <string.h>

enum { ROUNDS_MAX = 12 };

void each_node(const NodeList *nodes, void (*visit)(void *context, Node *node), void *context)
{
    for (size_t i = 0; i < nodes->count; i++) {
        Node *node = nodes->items[i];
        visit(context, node);
        for (size_t k = 0; k < node->branches.count; k++)
            each_node(&node->branches.items[k].body, visit, context);
        each_node(&node->body, visit, context);
        each_node(&node->step, visit, context);
        each_node(&node->rescue, visit, context);
    }
}

// ---- agreement ----

typedef struct {
    Typing *typing;
} AgreeContext;

static size_t list_mentions(void *context, const Expr *expr, const VariableList **lists, const Span **spans)
{
    AgreeContext *agree = context;
    LocalC *local = local_c(expr);
    size_t count = local->mentions.count;
    VariableList *copies = ARENA_ARRAY(agree->typing->arena, VariableList, count + 1);
    Span *places = ARENA_ARRAY(agree->typing->arena, Span, count + 1);
    for (size_t i = 0; i < count; i++) {
        copies[i] = local->mentions.items[i].variables;
        places[i] = local->mentions.items[i].places.items[0];
    }
    *lists = copies;
    *spans = places;
    return count;
}

// "Alice, Bob and Carol", as they are called in the instance.
static const char *role_list(const Typing *typing, const Instance *instance, const RoleSet *set)
{
    const char *text = "";
    RoleSet roles = without_views(typing->arena, typing->resolved->program, set);
    size_t left = roleset_count(&roles);
    for (ROLESET_EACH(role, &roles)) {
        text = arena_printf(typing->arena, "%s%s%s", text,
                            text[0] == '\0' ? ""
                            : left == 1     ? " and "
                                            : ", ",
                            instance_role_name(typing->resolved->program, instance, role));
        left--;
    }
    return text;
}

// The last place before `use`, or else any, where only some of the variables get a value.
typedef struct {
    const VariableList *variables;
    Span use, found; // SPAN_NONE: not yet
    const Variable *alone;
} ApartSearch;

static const Variable *find_apart(const ApartSearch *search, const VariableList *assigned)
{
    const Variable *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < search->variables->count; i++)
        for (size_t k = 0; k < assigned->count; k++)
            if (search->variables->items[i] == assigned->items[k]) {
                found = assigned->items[k];
                count++;
            }
    return count < search->variables->count ? found : NULL;
}

static void search_apart(ApartSearch *search, const Pattern *pattern)
{
    if (pattern == NULL)
        return;
    for (size_t i = 0; i < pattern->parts.count; i++)
        search_apart(search, pattern->parts.items[i]);
    const VariableList *assigned = &pattern->variables;
    if (pattern->kind == PATTERN_PLACE && local_c(pattern->expr)->mentions.count > 0)
        assigned = &local_c(pattern->expr)->mentions.items[0].variables;
    else if (pattern->kind != PATTERN_BIND)
        return;
    const Variable *alone = find_apart(search, assigned);
    if (alone == NULL || (search->alone != NULL && pattern->span.start > search->use.start))
        return;
    search->alone = alone;
    search->found = pattern->span;
}

static void search_node(void *context, Node *node)
{
    search_apart(context, node->target);
    search_apart(context, node->to.pattern);
    for (size_t i = 0; i < node->results.count; i++)
        search_apart(context, node->results.items[i].pattern);
}

static void report_apart(Typing *typing, const Instance *instance, const RoleSet *at, const VariableList *variables,
                         Span span)
{
    const char *name = variables->items[0]->name;
    for (size_t i = 0; i < variables->count; i++)
        if (variables->items[i]->is_doubtful)
            return;
    diag_error(typing->diags, span, "%s do not agree on '%s' here", role_list(typing, instance, at), name);
    ApartSearch search = {variables, span, SPAN_NONE, NULL};
    each_node(&instance->body, search_node, &search);
    if (search.alone == NULL) {
        search.alone = variables->items[variables->count - 1];
        search.found = search.alone->span;
    }
    diag_note(typing->diags, search.found, "%s's '%s' gets a value of its own here",
              instance_role_name(typing->resolved->program, instance, search.alone->role), name);
    diag_note(typing->diags, SPAN_NONE, "they agree on what is assigned or delivered to all of them: '{%s}.%s'",
              set_in_code(typing->resolved->program, instance, at), name);
}

static void set_mention(void *context, const Expr *expr, size_t index, bool agree, bool shared)
{
    AgreeContext *client = context;
    Mention *mention = &local_c(expr)->mentions.items[index];
    mention->agree = agree;
    mention->shared = shared;
    if (!agree)
        report_apart(client->typing, local_c(expr)->instance, &expr->at, &mention->variables, mention->places.items[0]);
}

static void check_target(void *context, const Node *node, bool agree, bool shared)
{
    AgreeContext *client = context;
    (void)shared;
    const VariableList *variables = &node->target->variables;
    if (!agree)
        report_apart(client->typing, variables->items[0]->instance, &node->at, variables, node->target->span);
}

void typing_agreement(Typing *typing)
{
    AgreeContext context = {.typing = typing};
    AgreeClient client = {list_mentions, set_mention, check_target, &context};
    const Program *program = typing->resolved->program;
    for (size_t i = 0; i < program->instances.count; i++)
        agree_instance(typing->arena, program, program->instances.items[i], &client);
}

// ---- rounds ----

static void grow_inferred(Typing *typing)
{
    size_t count = typing->resolved->functions.count;
    if (count <= typing->inferred_capacity)
        return;
    const CFunction **grown = ARENA_ARRAY(typing->arena, const CFunction *, count * 2);
    if (typing->inferred_capacity > 0)
        memcpy(grown, typing->inferred, sizeof *grown * typing->inferred_capacity);
    typing->inferred = grown;
    typing->inferred_capacity = count * 2;
}

bool type_program(Resolved *resolved, const Source *source, const CFlags *flags)
{
    Arena *arena = resolved->arena;
    Typing typing = {.resolved = resolved, .arena = arena, .diags = resolved->diags, .source = source, .flags = flags};
    typing.expr_fact = ARENA_ARRAY(arena, const CType *, resolved->locals.count + 1);
    map_init(&typing.array_types, arena);
    map_init(&typing.bitfields, arena);
    map_init(&typing.unfit, arena);
    map_init(&typing.headers, arena);
    map_init(&typing.misfits, arena);
    typing.plain = ARENA_ARRAY(arena, bool, resolved->visible.count + 1);
    durable_mark(resolved->program);
    typing_agreement(&typing);
    arms_check(resolved);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        const char *error = NULL;
        grow_inferred(&typing);
        typing_write(&typing);
        if (!cunit_parse(typing.unit, &error)) {
            diag_error(resolved->diags, resolved->tree->name.span, "libclang can't read this file: %s", error);
            cunit_free(typing.unit);
            return false;
        }
        if (!typing_learn(&typing))
            break;
        if (round + 1 < ROUNDS_MAX)
            cunit_free(typing.unit);
    }
    typing_read(&typing);
    typing_errors(&typing);
    typing_rules(&typing);
    typing_last_errors(&typing);
    cunit_free(typing.unit);
    if (diags_errors(resolved->diags) == 0)
        arms_elements(resolved);
    return true;
}
