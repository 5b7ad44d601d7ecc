// Steps: what the runtime is told when a role begins something of its own, and what it then does.

#include "compiler/emit/function.h"

bool op_args_call(const LocalOp *op)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].value->has_call)
            return true;
    }
    return false;
}

bool op_binds_in_steps(const LocalOp *op)
{
    if (op->kind == LOCAL_STEP && op->target != NULL && op->target->kind == PATTERN_PLACE)
        return false;
    return (op->target != NULL && pattern_may_fail(op->target)) || (op->own != NULL && pattern_may_fail(op->own)) ||
           (op->result != NULL && pattern_may_fail(op->result));
}

static bool exprs_call(const ExprList *exprs)
{
    for (size_t i = 0; i < exprs->count; i++)
        if (exprs->items[i]->has_call)
            return true;
    return false;
}

// Only such a function can ask which step it is in, or end it.
bool op_calls(const LocalOp *op)
{
    return (op->value != NULL && op->value->has_call) || (op->condition != NULL && op->condition->has_call) ||
           exprs_call(&op->sent.exprs) || exprs_call(&op->returned.exprs) || op_args_call(op) ||
           op_binds_in_steps(op) ||
           (op->target != NULL && op->target->kind == PATTERN_PLACE && op->target->expr->has_call);
}

// Can the role be here only once in an attempt of the innermost block that it is in? If the block stands in this function
// and no loop is in between.
static bool op_comes_once(const FunctionEmit *f, const LocalOp *op)
{
    return block_is_around(f) && !op_binds_in_steps(op);
}

uint32_t step_counter(FunctionEmit *f, const LocalOp *op)
{
    if (!op_calls(op) || op_comes_once(f, op))
        return 0;
    for (size_t i = 0; i < f->role->counted.count; i++)
        if (f->role->counted.items[i] == op->site)
            return (uint32_t)i + 1;
    vector_push(f->arena, &f->role->counted, op->site);
    return (uint32_t)f->role->counted.count;
}

const char *step_begin(FunctionEmit *f, const LocalOp *op, bool is_quiet)
{
    uint32_t counter = is_quiet ? 0 : step_counter(f, op);
    if (counter != 0)
        return arena_printf(f->arena, "chx_step_begin_again(chx_this, %u, %u)", op->site, counter);
    return arena_printf(f->arena, "%s(chx_this, %u)", is_quiet ? "chx_pass" : "chx_step_begin", op->site);
}

static bool step_is_quiet(FunctionEmit *f, const LocalOp *op)
{
    if (op->target == NULL || op->target->kind != PATTERN_BIND ||
        (op->value != NULL && !value_is_quiet(&f->ctx, op->value)))
        return false;
    const CType *type = pattern_variable(&op->at, op->target, f->ctx.role)->type;
    bool is_integer = type->kind == CTYPE_INTEGER || type->kind == CTYPE_ENUM || type->kind == CTYPE_BOOL;
    return is_integer && !op->divides;
}

void step_put(FunctionEmit *f, const LocalOp *op)
{
    function_restart(f, op);
    function_statement(f, op);
    out_printf(&f->ctx.out, "%s; ", step_begin(f, op, step_is_quiet(f, op)));
    value_step(&f->ctx, op->site, &op->at, op->target, op->op, op->value);
    if (op->value != NULL && op->value->has_call)
        out_puts(&f->ctx.out, " chx_step_end(chx_this);");
}
