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
    out_printf(&f->ctx.out, "if (!%s(chx_this, &%s)) %s", function, block->name, function_wait(f, label));
}

static void put_leave(FunctionEmit *f, const LocalOp *op, const BlockScope *block)
{
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

static size_t position_of(RoleId role, const RoleSet *participants)
{
    size_t position = 0;
    for (ROLESET_EACH(other, participants))
        position += other < role ? 1 : 0;
    return position;
}

static void put_table(FunctionEmit *f, const LocalOp *op, const char *name, uint32_t body, uint32_t rescue)
{
    Out *out = f->tables;
    vector_push(f->arena, &f->role->blocks, name);
    out_printf(out, "static const unsigned %s_participants[] = {", name);
    for (ROLESET_EACH(role, &op->participants))
        out_printf(out, "%s%u", role == roleset_next(&op->participants, 0) ? "" : ", ", role);
    out_printf(out, "};\nstatic const chx_checkpoint %s = {\n", name);
    // In the order of the members: site, name, body_at, rescue_at, retries, within_ns, participants, their count, position, is_round.
    out_printf(out, "    %u, %u, %u, %u,\n", op->site, op->number, body, rescue);
    out_printf(out, "    %u, UINT64_C(%" PRIu64 "),\n", op->has_retry ? op->retry : 0,
               op->has_within ? op->within_ns : 0);
    out_printf(out, "    %s_participants, %zu, %zu, %s,\n};\n", name, roleset_count(&op->participants),
               position_of(f->role->local->role, &op->participants), op->is_round ? "true" : "false");
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

// Labels of a block under construction.
typedef struct {
    uint32_t enter, body, rescue; // rescue: 0: none
} BlockLabels;

// Its table, and the statement that enters it.
static BlockLabels put_enter(FunctionEmit *f, const LocalOp *op, BlockScope *block)
{
    Out *out = &f->ctx.out;
    BlockLabels labels = {.enter = function_label(f)};
    labels.body = ++f->labels;
    labels.rescue = op->has_rescue ? ++f->labels : 0;
    block->name = arena_printf(f->arena, "%s_%s_chx_block_%u", f->role->prefix, f->function->name, labels.enter);
    put_table(f, op, block->name, labels.body, labels.rescue);
    function_statement(f, op);
    out_printf(out, "switch (chx_enter(chx_this, &%s->chx_head, &%s)) { case 0: %s ", f->role->me, block->name,
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
    put_meeting(f, round, &block, "chx_renew");
    f->block = block.outer;
    control_loop_end(&f->ctx, &loop, NULL, NULL);
    f->loop = loop.outer;
}
