// Types for a resolved program: rounds of writing a unit, parsing it and learning from it.

#include "compiler/check/agree.h"
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

static const char *role_list(const Typing *typing, const RoleSet *roles)
{
    const char *text = "";
    size_t left = roleset_count(roles);
    for (ROLESET_EACH(role, roles)) {
        text = arena_printf(typing->arena, "%s%s%s", text,
                            text[0] == '\0' ? ""
                            : left == 1     ? " and "
                                            : ", ",
                            typing->resolved->program->role_names[role]);
        left--;
    }
    return text;
}

static void set_mention(void *context, const Expr *expr, size_t index, bool agree, bool shared)
{
    AgreeContext *client = context;
    Mention *mention = &local_c(expr)->mentions.items[index];
    mention->agree = agree;
    mention->shared = shared;
    if (!agree)
        diag_error(client->typing->diags, mention->places.items[0], "%s do not agree on '%s' here",
                   role_list(client->typing, &expr->at), mention->name);
}

static void check_target(void *context, const Node *node, bool agree, bool shared)
{
    AgreeContext *client = context;
    (void)shared;
    if (!agree)
        diag_error(client->typing->diags, node->target->span, "%s do not agree on this here",
                   role_list(client->typing, &node->at));
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
    typing.read_only = ARENA_ARRAY(arena, bool, resolved->locals.count + 1);
    map_init(&typing.array_types, arena);
    map_init(&typing.bitfields, arena);
    map_init(&typing.unfit, arena);
    typing.plain = ARENA_ARRAY(arena, bool, resolved->visible.count + 1);
    typing_agreement(&typing);
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
    cunit_free(typing.unit);
    return true;
}
