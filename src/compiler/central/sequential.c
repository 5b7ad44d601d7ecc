// One instance as a sequential C function, which does what all roles do, in the order written.

#include "base/check.h"
#include "compiler/central/internal.h"

#include <inttypes.h>
#include <string.h>

// How a body or rescue is left: at its end, or by a jump to a place outside of it.
enum { WAY_END, WAY_RETURN, WAY_LOOPS }; // then two per loop: break, continue

static void put_nodes(SequentialFunction *seq, const NodeList *nodes);

static bool ends_in_jump(const NodeList *nodes)
{
    if (nodes->count == 0)
        return false;
    const Node *last = nodes->items[nodes->count - 1];
    if (last->kind == NODE_BLOCK || last->kind == NODE_PAR || last->kind == NODE_ARM)
        return ends_in_jump(&last->body);
    return last->kind == NODE_RETURN || last->kind == NODE_BREAK || last->kind == NODE_CONTINUE;
}

// Leaves the function of a body or rescue; the number tells the function that has called it where to go on.
static void put_way(SequentialFunction *seq, uint32_t way)
{
    bool is_known = false;
    for (size_t i = 0; i < seq->ways.count; i++)
        is_known |= seq->ways.items[i] == way;
    if (!is_known)
        vector_push(seq->central->arena, &seq->ways, way);
    out_printf(&seq->ctx.out, "return %u;", way);
}

static void put_leave(SequentialFunction *seq)
{
    if (seq->outer == NULL)
        out_puts(&seq->ctx.out, "return;");
    else
        put_way(seq, WAY_RETURN);
}

static void put_return(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    if (node->callee == seq->instance && seq->outer == NULL) {
        sequential_call_again(seq, node);
        return;
    }
    if (node->callee != NULL)
        sequential_call(seq, node);
    for (size_t i = 0; node->callee == NULL && i < node->values.count; i++)
        sequential_returned(seq, node, &seq->instance->results.items[i], &node->values.items[i]);
    begin_statement(seq, node);
    out_puts(out, "chx_step_end(chx_this); ");
    put_leave(seq);
}

// ---- choices and loops ----

// Who tells the others computes the condition: from here on names mean its own. Returns the step that begins.
static const char *select_decider(SequentialFunction *seq, const Node *node)
{
    RoleContext *ctx = select_one(seq, teller_of(seq->central->program, &node->deciders));
    return context_step_begin(ctx, node->site, node->head);
}

static void put_if(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    begin_statement(seq, node);
    control_if(&seq->ctx, select_decider(seq, node), node->condition);
    note_use(seq);
    put_nodes(seq, &node->branches.items[0].body);
    const NodeList *rest = &node->branches.items[1].body;
    const Node *next = rest->count == 1 ? rest->items[0] : NULL;
    if (next != NULL && next->kind == NODE_CHOICE && !next->is_switch &&
        only_family(seq->central->program, &next->deciders) == ROLE_NONE) {
        // A chain of else-ifs may be longer than a C compiler lets blocks be nested.
        control_close(out, "} else");
        put_if(seq, next);
        return;
    }
    if (rest->count > 0) {
        control_else(out);
        put_nodes(seq, rest);
    }
    control_close(out, "}");
}

static void put_switch(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    control_switch_begin(seq->loop);
    begin_statement(seq, node);
    out_puts(out, "switch (");
    control_condition(&seq->ctx, select_decider(seq, node), node->condition, false);
    note_use(seq);
    out_puts(out, ") {");
    for (size_t i = 0; i < node->branches.count; i++) {
        const Branch *branch = &node->branches.items[i];
        out_statement(out, context_line(&seq->ctx, branch->is_implied ? node->span : branch->span));
        select_decider(seq, node);
        control_labels(&seq->ctx, &branch->labels, branch->is_default);
        control_case_begin(out, true);
        put_nodes(seq, &branch->body);
        control_case_end(out, ends_in_jump(&branch->body));
    }
    control_switch_end(out, seq->loop);
}

static void put_loop(SequentialFunction *seq, const Node *node)
{
    LoopLabels loop = {.number = ++*seq->loops, .plain_continue = node->step.count == 0, .outer = seq->loop};
    if (node->condition != NULL)
        loop.head = node->loop == LOOP_DO ? LOOP_HEAD_DO : LOOP_HEAD_WHILE;
    seq->loop = &loop;
    begin_statement(seq, node);
    const char *step = node->condition != NULL ? select_decider(seq, node) : NULL;
    control_loop_begin(&seq->ctx, &loop, step, node->condition);
    note_use(seq);
    put_nodes(seq, &node->body);
    control_loop_turn(&seq->ctx.out, &loop);
    put_nodes(seq, &node->step);
    if (node->condition != NULL)
        select_decider(seq, node);
    control_loop_end(&seq->ctx, &loop, step, node->condition);
    note_use(seq);
    seq->loop = loop.outer;
}

// ---- members of families ----

// Is this all that members of the family do by themselves?
static bool is_step_of(const CentralEmit *central, const Node *node, RoleId family)
{
    while (node->kind == NODE_EACH && node->index != NULL && node->body.count > 0)
        node = node->body.items[0];
    for (ROLESET_EACH(id, &node->at))
        if (central->program->role_of[id] != family)
            return false;
    return node->kind == NODE_STEP;
}

// `id` computes which member is meant, and fails if there is none.
static void put_index(SequentialFunction *seq, const Node *node, RoleId id)
{
    RoleContext *ctx = select_one(seq, id);
    const char *index = central_index(seq->central, node->view);
    begin_statement(seq, node);
    out_printf(&ctx->out, "%s; %s = (size_t)(", context_step_begin(ctx, node->site, node->head), index);
    value_expr(ctx, node->index);
    out_printf(&ctx->out, "); if (%s >= chx_members(chx_this, %u)) chx_no_member(chx_this, %u, %u, %s);", index,
               node->family, node->site, node->family, index);
    if (node->index->has_call)
        out_puts(&ctx->out, " chx_step_end(chx_this);");
    note_use(seq);
}

// A family without members has nobody who could fail: others do, if they have to do with it.
static void put_chosen(SequentialFunction *seq, const Node *node)
{
    const Program *program = seq->central->program;
    RoleId charge = member_in_charge(program, node), teller = teller_of(program, &node->index->at);
    Out *out = &seq->ctx.out;
    if (!program->is_family[charge]) {
        put_index(seq, node, charge);
        put_nodes(seq, &node->body);
        return;
    }
    begin_statement(seq, node);
    out_printf(out, "if (chx_members(chx_this, %u) != 0) {", charge);
    out->indent++;
    put_index(seq, node, charge);
    put_nodes(seq, &node->body);
    if (!is_step_of(seq->central, node, node->family) && !program->is_family[program->role_of[teller]]) {
        control_else(out);
        put_index(seq, node, teller);
    }
    control_close(out, "}");
}

static void put_each(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    if (node->index != NULL) {
        put_chosen(seq, node);
        return;
    }
    const char *index = central_index(seq->central, node->view);
    LoopLabels loop = {.number = ++*seq->loops, .outer = seq->loop};
    seq->loop = &loop;
    begin_statement(seq, node);
    out_printf(out, "%s = 0; ", index);
    control_loop_begin(&seq->ctx, &loop, NULL, NULL);
    begin_statement(seq, node);
    out_printf(out, "if (%s >= chx_members(chx_this, %u)) break;", index, node->family);
    put_nodes(seq, &node->body);
    control_loop_turn(out, &loop);
    begin_statement(seq, node);
    out_printf(out, "%s++;", index);
    control_loop_end(&seq->ctx, &loop, NULL, NULL);
    seq->loop = loop.outer;
}

// A choice or loop. If a family decides that has no members, there is nobody who does anything.
static void put_decided(SequentialFunction *seq, const Node *node, void (*put)(SequentialFunction *, const Node *))
{
    RoleId family = node->condition != NULL ? only_family(seq->central->program, &node->deciders) : ROLE_NONE;
    if (family == ROLE_NONE) {
        put(seq, node);
        return;
    }
    begin_statement(seq, node);
    out_printf(&seq->ctx.out, "if (chx_members(chx_this, %u) != 0) {", family);
    seq->ctx.out.indent++;
    put(seq, node);
    control_close(&seq->ctx.out, "}");
}

// ---- jumps ----

// A `break` or `continue` of `loop`; if it is not one of this function, of a loop around it.
static void put_loop_jump(SequentialFunction *seq, LoopLabels *loop, bool is_break, bool in_switch)
{
    if (seq->loop != loop)
        put_way(seq, WAY_LOOPS + 2 * loop->number + !is_break);
    else
        control_jump(&seq->ctx.out, loop, is_break, in_switch);
}

static LoopLabels *innermost_loop(const SequentialFunction *seq)
{
    while (seq->loop == NULL && seq->outer != NULL)
        seq = seq->outer;
    CHECK(seq->loop != NULL);
    return seq->loop;
}

static void put_jump(SequentialFunction *seq, const Node *node)
{
    LoopLabels *loop = innermost_loop(seq);
    begin_statement(seq, node);
    put_loop_jump(seq, loop, node->kind == NODE_BREAK, loop->switches > 0);
}

// ---- checkpoints ----

static void sequential_init(SequentialFunction *seq, CentralEmit *central, const Instance *instance, Out *functions)
{
    *seq = (SequentialFunction){.central = central, .instance = instance, .functions = functions};
    seq->ctx = (RoleContext){
        .arena = central->arena,
        .program = central->program,
        .types = &central->emit.types,
        .is_central = true,
    };
    seq->uses_role = ARENA_ARRAY(central->arena, bool, central->program->role_count);
    out_init(&seq->ctx.out, central->arena,
             emit_file(&central->emit, instance->def != NULL ? instance->def->span : SPAN_NONE));
    seq->ctx.out.indent = 1;
}

static void put_function(SequentialFunction *seq, Span span, const char *declaration)
{
    const Program *program = seq->central->program;
    const char *name = arena_printf(seq->central->arena, "%s_%s", program->name, seq->instance->name);
    Out *out = seq->functions;
    out_own(out);
    out_puts(out, "\n");
    out_file(out, emit_file(&seq->central->emit, span));
    out_statement(out, context_line(&seq->ctx, span));
    out_printf(out, "static %s {\n", declaration);
    out_own(out);
    if (seq->outer != NULL)
        out_printf(out, "    struct %s_chx_frame *chx_here = chx_variables;\n", name);
    out_puts(out, "    (void)chx_this;\n    (void)chx_here;\n");
    for (RoleId role = 0; role < program->role_count; role++) {
        if (seq->uses_role[role])
            out_printf(out, "    struct %s_chx_%s *%s = &chx_here->%s;\n", name, program->role_names[role],
                       central_me(seq->central, role), program->role_names[role]);
    }
    if (seq->starts_again)
        out_puts(out, "chx_again:;\n");
    out_append(out, &seq->ctx.out);
    out_own(out);
    out_puts(out, "}\n");
}

static void put_faults(SequentialFunction *seq, const Node *node)
{
    for (size_t i = 0; i < node->fault_variables.count; i++) {
        const Variable *variable = node->fault_variables.items[i];
        CentralParty party = central_all(seq->central, variable->role);
        begin_statement(seq, node);
        out_printf(&seq->ctx.out, "%s%s.%s = *chx_why;%s", party.before,
                   central_place(seq->central, "chx_here", party.role, party.member), variable->c_name, party.after);
    }
    out_own(&seq->ctx.out);
    if (node->fault_variables.count == 0)
        out_puts(&seq->ctx.out, "    (void)chx_why;\n");
}

// The body or rescue as a function of its own; the ways that it is left go to `outer`.
static void put_part(SequentialFunction *outer, const Node *node, const char *name, bool is_rescue)
{
    SequentialFunction seq;
    sequential_init(&seq, outer->central, outer->instance, outer->functions);
    seq.outer = outer;
    seq.loops = outer->loops;
    if (is_rescue)
        put_faults(&seq, node);
    const NodeList *nodes = is_rescue ? &node->rescue : &node->body;
    put_nodes(&seq, nodes);
    if (!ends_in_jump(nodes)) {
        begin_statement(&seq, node);
        out_printf(&seq.ctx.out, "return %d;", WAY_END);
    }
    put_function(&seq, node->span,
                 arena_printf(seq.central->arena, "int %s(chx_self *chx_this, void *chx_variables%s)", name,
                              is_rescue ? ", const chx_fault *chx_why" : ""));
    for (size_t i = 0; i < seq.ways.count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < outer->block_ways.count; k++)
            is_known |= outer->block_ways.items[k] == seq.ways.items[i];
        if (!is_known)
            vector_push(outer->central->arena, &outer->block_ways, seq.ways.items[i]);
    }
}

static void put_ways(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    for (size_t i = 0; i < seq->block_ways.count; i++) {
        uint32_t way = seq->block_ways.items[i];
        begin_statement(seq, node);
        out_printf(out, "case %u: ", way);
        if (way == WAY_RETURN)
            put_leave(seq);
        else
            put_loop_jump(seq, innermost_loop(seq), (way - WAY_LOOPS) % 2 == 0, true);
    }
}

static void put_checkpoint(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    Arena *arena = seq->central->arena;
    const char *name = arena_printf(arena, "%s_%s_chx", seq->central->program->name, seq->instance->name);
    const char *body = arena_printf(arena, "%s_body_%u", name, node->site);
    const char *rescue = node->has_rescue ? arena_printf(arena, "%s_rescue_%u", name, node->site) : "NULL";
    seq->block_ways.count = 0;
    put_part(seq, node, body, false);
    if (node->has_rescue)
        put_part(seq, node, rescue, true);

    begin_statement(seq, node);
    out_printf(out,
               "switch (chx_central_checkpoint(chx_this, chx_here, %u, %u, UINT64_C(%" PRIu64 "), %u, %s, %s, %s)) {",
               number_of_statement(seq->central->numbers, node->site), node->has_retry ? node->retry : 0,
               node->has_within ? node->within_ns : 0, context_line(&seq->ctx, node->span),
               node->is_round ? "true" : "false", body, rescue);
    put_ways(seq, node);
    begin_statement(seq, node);
    out_puts(out, "default: break;");
    out->indent++;
    control_close(&seq->ctx.out, "}");
}

static void put_node(SequentialFunction *seq, const Node *node)
{
    switch (node->kind) {
    case NODE_STEP:
        sequential_step(seq, node);
        break;
    case NODE_DELIVERY:
        sequential_delivery(seq, node);
        break;
    case NODE_AGREE:
        sequential_agree(seq, node);
        break;
    case NODE_CALL:
        sequential_call(seq, node);
        break;
    case NODE_CHOICE:
        put_decided(seq, node, node->is_switch ? put_switch : put_if);
        break;
    case NODE_LOOP:
        put_decided(seq, node, put_loop);
        break;
    case NODE_EACH:
        put_each(seq, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        put_jump(seq, node);
        break;
    case NODE_RETURN:
        put_return(seq, node);
        break;
    case NODE_BLOCK:
    case NODE_PAR: // its arms one after the other
        put_nodes(seq, &node->body);
        break;
    case NODE_ARM:
        sequential_elements(seq, node, false);
        put_nodes(seq, &node->body);
        sequential_elements(seq, node, true);
        break;
    case NODE_CHECKPOINT:
        put_checkpoint(seq, node);
        break;
    }
}

static void put_nodes(SequentialFunction *seq, const NodeList *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        put_node(seq, nodes->items[i]);
}

void sequential_function(CentralEmit *central, const Instance *instance, Out *out)
{
    uint32_t loops = 0;
    SequentialFunction seq;
    sequential_init(&seq, central, instance, out);
    seq.loops = &loops;
    put_nodes(&seq, &instance->body);
    const char *name = arena_printf(central->arena, "%s_%s", central->program->name, instance->name);
    put_function(&seq, instance->def != NULL ? instance->def->span : SPAN_NONE,
                 arena_printf(central->arena,
                              "void %s_chx_sequential(chx_self *chx_this, struct %s_chx_frame *chx_here)", name, name));
}
