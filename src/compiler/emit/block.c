// A checkpoint as one role does it: entering, body, rescue, and meeting the other participants on every way out.
//
// A recovery puts the frame back to what it was at the entry and goes on at the label of the body or of the rescue: both
// are known to the runtime by a chx_checkpoint, which all implementations of the role share.

#include "compiler/emit/function.h"

#include <inttypes.h>

// Waits for the others at the end of the block, or of the round, with this function.
static void put_meeting(FunctionEmit *f, const LocalOp *op, const BlockScope *block, const char *function)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (!%s(chx_this, %s)) %s", function, block->object, function_wait(f, label));
}

// What a session goes on from after a loss is saved where it leaves a durable block: it goes on with this statement.
static void put_leave_durable(FunctionEmit *f, const LocalOp *op, const BlockScope *block)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "chx_frame_set_at(&%s->chx_head, %u);", f->role->me, label);
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (!chx_leave_durable(chx_this, %s)) %s", block->object, function_wait(f, label));
}

static void put_leave(FunctionEmit *f, const LocalOp *op, const BlockScope *block)
{
    if (block->is_durable)
        put_leave_durable(f, op, block);
    else
        put_meeting(f, op, block, "chx_leave");
}

bool block_is_around(const FunctionEmit *f)
{
    return f->block != NULL && (f->block->rounds != NULL ? f->block->rounds : f->block->loop) == f->loop;
}

void block_leave_all(FunctionEmit *f, const LocalOp *op)
{
    for (const BlockScope *block = f->block; block != NULL; block = block->outer)
        put_leave(f, op, block);
}

void block_leave_loop(FunctionEmit *f, const LocalOp *op)
{
    const BlockScope *block = f->block;
    for (; block != NULL && block->loop == f->loop; block = block->outer)
        put_leave(f, op, block);
    if (block != NULL && block->rounds == f->loop && op->kind == LOCAL_BREAK)
        put_leave(f, op, block);
}

// A label at which only the runtime lets the role go on, after a rollback.
static void put_start(FunctionEmit *f, uint32_t label)
{
    out_end_line(&f->ctx.out);
    out_printf(&f->ctx.out, "chx_at_%u:;\n", label);
}

size_t block_position(RoleId role, const RoleSet *participants)
{
    size_t position = 0;
    for (ROLESET_EACH(other, participants))
        position += other < role ? 1 : 0;
    return position;
}

// What the role does first in each round, if that is to receive something: from whom, as chx_checkpoint has it.
static size_t round_awaits(const FunctionEmit *f, const LocalOp *round)
{
    const LocalOp *first = round->is_round && round->body.count > 0 ? round->body.items[0] : NULL;
    bool receives = first != NULL && first->kind == LOCAL_RECEIVE && first->compared == NULL;
    bool is_told = first != NULL && first->kind == LOCAL_CHOICE &&
                   (first->decide == DECIDE_TOLD || first->decide == DECIDE_ARRIVAL);
    if (!receives && !is_told)
        return 0;
    const Program *program = f->role->program;
    if (program->is_family[program->role_of[first->peer]])
        return 0;
    size_t place = 1; // families stand behind roles
    for (ROLESET_EACH(role, &f->role->local->receives_from))
        place += role < first->peer && !program->is_family[role];
    return place <= UINT16_MAX ? place : 0;
}

// Labels of a block under construction.
typedef struct {
    uint32_t enter, body, rescue; // rescue: 0: none
} BlockLabels;

RoleSet block_participants(const FunctionEmit *f, const LocalOp *op)
{
    RoleSet participants = roleset_copy(f->arena, &op->participants);
    for (ROLESET_EACH(role, &op->participants))
        if (f->role->program->role_of[role] != role && roleset_has(&op->participants, f->role->program->role_of[role]))
            roleset_remove(&participants, role);
    return participants;
}

const char *block_object(FunctionEmit *f, const LocalOp *op, const char *name)
{
    const Program *program = f->role->program;
    RoleSet participants = block_participants(f, op);
    const char *members = "";
    // Roles behind a family have other numbers in a session than here.
    bool is_moved = false;
    RoleId family = 0;
    while (family < program->role_count && !program->is_family[family])
        family++;
    for (ROLESET_EACH(role, &participants)) {
        is_moved |= program->role_of[role] >= family;
        if (program->role_of[role] != role)
            members = arena_printf(f->arena, "%s%s, ", members, member_index(f, op, role));
    }
    if (!is_moved)
        return arena_printf(f->arena, "&%s", name);
    return arena_printf(f->arena, "chx_block_of(chx_this, &%s, (const size_t[]){%s0})", name, members);
}

static void put_table(FunctionEmit *f, const LocalOp *op, const char *name, const BlockLabels *labels)
{
    Out *out = f->tables;
    vector_push(f->arena, &f->role->blocks, name);
    out_printf(out, "static const unsigned %s_participants[] = {", name);
    RoleSet participants = block_participants(f, op);
    emit_participants(f->role->program, &participants, out);
    out_printf(out, "};\nstatic const chx_checkpoint %s = {\n", name);
    // In the order of the members: site, name, body_at, rescue_at, retries, within_ns, participants, their count, position, is_round,
    // awaits, is_durable, enter_at.
    out_printf(out, "    %u, %u, %u, %u,\n", op->site, op->number, labels->body, labels->rescue);
    out_printf(out, "    %u, UINT64_C(%" PRIu64 "),\n", op->has_retry ? op->retry : 0,
               op->has_within ? op->within_ns : 0);
    out_printf(out, "    %s_participants, %zu, %zu, %s, %zu,", name, roleset_count(&participants),
               block_position(f->role->local->role, &participants), op->is_round ? "true" : "false",
               op->is_durable ? 0 : round_awaits(f, op));
    out_printf(out, " %s, %u,\n};\n", op->is_durable ? "true" : "false", labels->enter);
}

static void put_rescue(FunctionEmit *f, const LocalOp *op, uint32_t label)
{
    put_start(f, label);
    f->ctx.out.indent++;
    if (op->fault != NULL) {
        function_statement(f, op);
        out_printf(&f->ctx.out, "%s->%s = chx_fault_here(chx_this);", f->role->me, op->fault->c_name);
    }
    function_ops(f, &op->rescue);
    f->ctx.out.indent--;
}

// Its table, and the statement that enters it.
static BlockLabels put_enter(FunctionEmit *f, const LocalOp *op, BlockScope *block)
{
    Out *out = &f->ctx.out;
    BlockLabels labels = {.enter = function_label(f)};
    labels.body = ++f->labels;
    labels.rescue = op->has_rescue ? ++f->labels : 0;
    block->name = arena_printf(f->arena, "%s_%s_chx_block_%u", f->role->prefix, f->function->name, labels.enter);
    block->is_durable = op->is_durable;
    put_table(f, op, block->name, &labels);
    block->object = block_object(f, op, block->name);
    function_statement(f, op);
    out_printf(out, "switch (%s(chx_this, &%s->chx_head, %s)) { case 0: %s ",
               op->is_durable ? "chx_enter_durable" : "chx_enter", f->role->me, block->object,
               function_wait(f, labels.enter));
    if (op->has_rescue)
        out_printf(out, "case %u: goto chx_at_%u; ", labels.rescue, labels.rescue);
    out_puts(out, "default: break; }");
    return labels;
}

void block_put(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    BlockScope block = {.loop = f->loop, .outer = f->block};
    BlockLabels labels = put_enter(f, op, &block);
    f->block = &block;
    put_start(f, labels.body);
    out->indent++;
    function_ops(f, &op->body);
    bool goes_on = !function_ends(&op->body);
    if (goes_on) {
        put_leave(f, op, &block);
        if (op->has_rescue) {
            function_statement(f, op);
            out_printf(out, "goto chx_after_%u;", labels.enter);
        }
    }
    out->indent--;
    if (op->has_rescue) {
        put_rescue(f, op, labels.rescue);
        out->indent++;
        if (!function_ends(&op->rescue))
            put_leave(f, op, &block);
        out->indent--;
    }
    f->block = block.outer;
    if (goes_on && op->has_rescue) {
        out_end_line(out);
        out_printf(out, "chx_after_%u:;\n", labels.enter);
    }
}

static bool is_of_round(const Variable *variable, const Node *round)
{
    const Node *each = variable->round;
    while (each != NULL && each != round)
        each = each->outer_round;
    return each != NULL;
}

// The variables that are declared in a round end with it. What they own is given back here: else it would be saved with the
// frame for the next round, in which nobody can read it.
static void put_forget(FunctionEmit *f, const LocalOp *round)
{
    for (size_t i = 0; i < f->function->variables.count; i++) {
        const Variable *variable = f->function->variables.items[i];
        if (!is_of_round(variable, round->node) || emit_rank(f->function, variable) != RANK_CHANGES)
            continue;
        function_statement(f, round);
        value_zero(&f->ctx, arena_printf(f->arena, "%s->%s", f->role->me, variable->c_name), variable->type);
    }
}

// The block is entered once. Body and rescue stand in a C loop, and the end of both is the place where the round ends and the
// next one begins.
void block_put_rounds(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    const LocalOp *round = op->body.items[0];
    LoopLabels loop = {.number = ++f->loops, .outer = f->loop};
    BlockScope block = {.loop = f->loop, .rounds = &loop, .outer = f->block};
    BlockLabels labels = put_enter(f, round, &block);
    f->loop = &loop;
    f->block = &block;
    function_statement(f, op);
    control_loop_begin(&f->ctx, &loop, NULL, NULL);
    put_start(f, labels.body);
    function_ops(f, &round->body);
    if (round->has_rescue && !function_ends(&round->body)) {
        function_statement(f, round);
        control_jump(out, &loop, false, false);
    }
    if (round->has_rescue)
        put_rescue(f, round, labels.rescue);
    control_loop_turn(out, &loop);
    put_forget(f, round);
    put_meeting(f, round, &block, block.is_durable ? "chx_renew_durable" : "chx_renew");
    f->block = block.outer;
    control_loop_end(&f->ctx, &loop, NULL, NULL);
    f->loop = loop.outer;
}
