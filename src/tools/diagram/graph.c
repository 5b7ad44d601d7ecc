// graph.c: see graph.h.

#include "tools/diagram/graph.h"

#include "compiler/check/program.h"
#include "compiler/project/local.h"
#include "tools/diagram/words.h"

#include <string.h>

typedef struct {
    Words words;
    const Program *program;
    Graph *graph;
} Maker;

static GraphEdge *find_edge(const Maker *maker, size_t from, size_t to)
{
    Graph *graph = maker->graph;
    for (size_t i = 0; i < graph->edges.count; i++)
        if (graph->edges.items[i].from == from && graph->edges.items[i].to == to)
            return &graph->edges.items[i];
    vector_push(maker->words.arena, &graph->edges, ((GraphEdge){.from = from, .to = to}));
    return &graph->edges.items[graph->edges.count - 1];
}

static void add_say(const Maker *maker, GraphEdge *edge, const char *text)
{
    for (size_t i = 0; i < edge->says.count; i++)
        if (strcmp(edge->says.items[i], text) == 0)
            return;
    vector_push(maker->words.arena, &edge->says, text);
}

// What an expression is called in short: a variable, or the function that is called.
static const char *short_name(const Maker *maker, const Expr *expr)
{
    for (size_t i = 0; i < expr->pieces.count; i++)
        if (expr->pieces.items[i].kind == PIECE_FUNCTION)
            return expr->pieces.items[i].function->name;
    return words_of(&maker->words, expr->span);
}

static void add_op(const Maker *maker, RoleId role, const LocalOp *op)
{
    bool tells = (op->kind == LOCAL_CHOICE || op->kind == LOCAL_LOOP) && op->decide == DECIDE_SELF;
    if (op->kind != LOCAL_SEND && !tells)
        return;
    for (ROLESET_EACH(to, &op->to)) {
        GraphEdge *edge = find_edge(maker, role, maker->program->role_of[to]);
        if (tells)
            add_say(maker, edge, "choice");
        for (size_t i = 0; !tells && i < op->sent.exprs.count; i++)
            add_say(maker, edge, short_name(maker, op->sent.exprs.items[i]));
    }
}

static void add_ops(const Maker *maker, RoleId role, const LocalOpList *ops)
{
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        add_op(maker, role, op);
        for (size_t k = 0; k < op->branches.count; k++)
            add_ops(maker, role, &op->branches.items[k].body);
        add_ops(maker, role, &op->body);
        add_ops(maker, role, &op->rescue);
        add_ops(maker, role, &op->step);
    }
}

Graph *graph_new(Arena *arena, const Sources *sources, const Choreography *choreography)
{
    Graph *graph = ARENA_NEW(arena, Graph);
    const Program *program = choreography->program;
    Maker maker = {{arena, sources}, program, graph};
    graph->name = program->name;
    for (RoleId role = 0; role < program->role_count; role++) {
        bool is_family = choreography->tree->is_family.items[role];
        const char *name = choreography->locals[role]->name;
        vector_push(arena, &graph->roles, is_family ? (const char *)arena_printf(arena, "%s[]", name) : name);
    }
    for (RoleId role = 0; role < program->role_count; role++) {
        const LocalProgram *local = choreography->locals[role];
        for (size_t i = 0; i < local->functions.count; i++)
            add_ops(&maker, role, &local->functions.items[i]->body);
    }
    return graph;
}
