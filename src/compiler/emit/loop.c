// Loops: how a role learns whether a loop goes on, what it does in each turn, and how it leaves the loop.

#include "base/check.h"
#include "compiler/emit/function.h"

static bool each_waits(const LocalOpList *ops);

// Does the runtime hear of the role each time that it does this?
static bool op_waits(const LocalOp *op)
{
    switch (op->kind) {
    case LOCAL_SEND:
    case LOCAL_RECEIVE:
    case LOCAL_CALL:
    case LOCAL_CHECKPOINT:
    case LOCAL_PAR:
        return true;
    case LOCAL_CHOICE:
        if (op->decide == DECIDE_SELF && roleset_empty(&op->to))
            break;
        return true;
    case LOCAL_LOOP:
        return op->decide == DECIDE_TOLD || !roleset_empty(&op->to);
    case LOCAL_EACH: // there may be no members
        return false;
    default:
        return false;
    }
    for (size_t i = 0; i < op->branches.count; i++)
        if (!each_waits(&op->branches.items[i].body))
            return false;
    return true;
}

static bool each_waits(const LocalOpList *ops)
{
    for (size_t i = 0; i < ops->count; i++)
        if (op_waits(ops->items[i]))
            return true;
    return false;
}

static bool has_continue(const LocalOpList *ops, const LocalOp *loop)
{
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        if (op->kind == LOCAL_CONTINUE && op->loop_op == loop)
            return true;
        for (size_t k = 0; k < op->branches.count; k++)
            if (has_continue(&op->branches.items[k].body, loop))
                return true;
        if (has_continue(&op->body, loop) || has_continue(&op->rescue, loop))
            return true;
    }
    return false;
}

// In a loop of steps that concern nobody else, the role asks in each turn whether it is to be rolled back: it would never
// hear of it otherwise.
static void put_poll(FunctionEmit *f, const LocalOp *op)
{
    if (op_waits(op) || (each_waits(&op->body) && !has_continue(&op->body, op)))
        return;
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out,
               "if (CHX_UNLIKELY(chx_generation_changed(chx_this))) return chx_poll(chx_this, &%s->chx_head, %u);",
               f->role->me, label);
}

// The loop's decision as statements at the beginning or end of a C loop without a condition: the role has to wait, for room
// in channels or for the outcome, and a C condition can't do that.
static void put_loop_decision(FunctionEmit *f, const LocalOp *op)
{
    if (op->decide == DECIDE_TOLD || choice_is_mixed(op)) {
        if (choice_is_mixed(op))
            choice_mixed(f, op);
        else
            choice_told(f, op);
        function_statement(f, op);
        out_puts(&f->ctx.out, "if (chx_outcome == 0) break;");
        return;
    }
    message_room(f, op);
    function_statement(f, op);
    out_puts(&f->ctx.out, "if (!(");
    control_condition(&f->ctx, choice_step(f, op), op->condition, true);
    out_puts(&f->ctx.out, ")) {");
    f->ctx.out.indent++;
    message_tell(f, op, 0);
    function_statement(f, op);
    out_puts(&f->ctx.out, "break;");
    control_close(&f->ctx.out, "}");
    message_tell(f, op, 1);
}

void loop_put(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (op->is_round) {
        block_put_rounds(f, op);
        return;
    }
    if (op->decide == DECIDE_FOREVER && op->body.count == 0 && op->step.count == 0) {
        function_wait_for_ever(f, op);
        return;
    }
    // C's own loops will do, unless a function in the condition may have to be called again.
    bool is_plain =
        op->decide == DECIDE_SELF && roleset_empty(&op->to) && !op->condition->has_call && !choice_is_mixed(op);
    bool is_do = op->loop == LOOP_DO && op->decide != DECIDE_FOREVER;
    LoopLabels loop = {.number = ++f->loops, .outer = f->loop};
    if (is_plain)
        loop.head = is_do ? LOOP_HEAD_DO : LOOP_HEAD_WHILE;
    loop.plain_continue = op->step.count == 0 && (is_plain || !is_do);
    f->loop = &loop;
    function_statement(f, op);
    control_loop_begin(&f->ctx, &loop, loop.head == LOOP_HEAD_WHILE ? choice_step(f, op) : NULL, op->condition);
    if (!is_plain && !is_do && op->decide != DECIDE_FOREVER)
        put_loop_decision(f, op);
    put_poll(f, op);
    function_ops(f, &op->body);
    control_loop_turn(out, &loop);
    function_ops(f, &op->step);
    if (!is_plain && is_do)
        put_loop_decision(f, op);
    control_loop_end(&f->ctx, &loop, loop.head == LOOP_HEAD_DO ? choice_step(f, op) : NULL, op->condition);
    f->loop = loop.outer;
}

void loop_jump(FunctionEmit *f, const LocalOp *op)
{
    CHECK(f->loop != NULL);
    block_leave_loop(f, op);
    function_statement(f, op);
    control_jump(&f->ctx.out, f->loop, op->kind == LOCAL_BREAK, f->loop->switches > 0);
}
