// A checkpoint as one role does it: entering, body, rescue, and meeting the other participants on every way out.
//
// A recovery puts the frame back to what it was at the entry and goes on at the label of the body or of the rescue: both
// are known to the runtime by a chx_checkpoint, which all implementations of the role share.

#include "compiler/emit/function.h"

#include <inttypes.h>

static void put_leave(FunctionEmit *f, const LocalOp *op, const BlockScope *block)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (!chx_leave(chx_this, &%s)) %s", block->name, function_wait(f, label));
}

void block_leave_all(FunctionEmit *f, const LocalOp *op)
{
    for (const BlockScope *block = f->block; block != NULL; block = block->outer)
        put_leave(f, op, block);
}

void block_leave_loop(FunctionEmit *f, const LocalOp *op)
{
    for (const BlockScope *block = f->block; block != NULL && block->loop == f->loop; block = block->outer)
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
    // In the order of the members: site, body_at, rescue_at, retries, within_ns, participants, their count, position.
    out_printf(out, "    %u, %u, %u,\n", op->site, body, rescue);
    out_printf(out, "    %u, UINT64_C(%" PRIu64 "),\n", op->has_retry ? op->retry : 0,
               op->has_within ? op->within_ns : 0);
    out_printf(out, "    %s_participants, %zu, %zu,\n};\n", name, roleset_count(&op->participants),
               position_of(f->role->local->role, &op->participants));
}

static void put_rescue(FunctionEmit *f, const LocalOp *op, const BlockScope *block, uint32_t label)
{
    put_start(f, label);
    f->ctx.out.indent++;
    if (op->fault != NULL) {
        function_statement(f, op);
        out_printf(&f->ctx.out, "%s->%s = chx_fault_here(chx_this);", f->role->me, op->fault->c_name);
    }
    function_ops(f, &op->rescue);
    if (!function_ends(&op->rescue))
        put_leave(f, op, block);
    f->ctx.out.indent--;
}

void block_put(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    uint32_t enter = function_label(f);
    uint32_t body = ++f->labels;
    uint32_t rescue = op->has_rescue ? ++f->labels : 0;
    BlockScope block = {.loop = f->loop, .outer = f->block};
    block.name = arena_printf(f->arena, "%s_%s_chx_block_%u", f->role->prefix, f->function->name, enter);
    put_table(f, op, block.name, body, rescue);

    function_statement(f, op);
    out_printf(out, "switch (chx_enter(chx_this, &%s->chx_head, &%s)) { case 0: %s ", f->role->me, block.name,
               function_wait(f, enter));
    if (op->has_rescue)
        out_printf(out, "case %u: goto chx_at_%u; ", rescue, rescue);
    out_puts(out, "default: break; }");

    f->block = &block;
    put_start(f, body);
    out->indent++;
    function_ops(f, &op->body);
    bool goes_on = !function_ends(&op->body);
    if (goes_on) {
        put_leave(f, op, &block);
        if (op->has_rescue) {
            function_statement(f, op);
            out_printf(out, "goto chx_after_%u;", enter);
        }
    }
    out->indent--;
    if (op->has_rescue)
        put_rescue(f, op, &block, rescue);
    f->block = block.outer;
    if (goes_on && op->has_rescue) {
        out_end_line(out);
        out_printf(out, "chx_after_%u:;\n", enter);
    }
}
