// Calls of choreographic functions, and returning from them.

#include "compiler/emit/function.h"

#include <string.h>

static const char *frame_of(FunctionEmit *f, const LocalFunction *function)
{
    return arena_printf(f->arena, "struct %s_%s_frame", f->role->prefix, function->name);
}

// Calls itself, other than in tail position: a frame of the function may have been called by another one of it.
bool call_recurses(const LocalOpList *ops, const LocalFunction *function)
{
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        if (op->kind == LOCAL_CALL && op->callee == function && !op->is_tail)
            return true;
        if (call_recurses(&op->body, function) || call_recurses(&op->step, function) ||
            call_recurses(&op->rescue, function))
            return true;
        for (size_t k = 0; k < op->branches.count; k++)
            if (call_recurses(&op->branches.items[k].body, function))
                return true;
    }
    return false;
}

// Goes on with the callee, whose frame has been made. If it is a frame of this very function, a jump will do.
static void put_called(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (op->callee == f->function) {
        f->begins_again = f->ctx.uses_variables = true;
        out_printf(out, "if (!chx_generation_changed(chx_this)) { %s = chx_top(chx_this); goto chx_begin; } ",
                   f->role->me);
    }
    out_puts(out, "return CHX_STEP_CALL;");
}

void call_end(FunctionEmit *f)
{
    Out *out = &f->ctx.out;
    const char *function = arena_printf(f->arena, "%s_%s_chx_function", f->role->prefix, f->function->name);
    if (!f->recurses) {
        out_printf(out, "return chx_return(chx_this, &%s);", function);
        return;
    }
    f->goes_on_again = f->ctx.uses_variables = true;
    out_printf(
        out,
        "chx_return(chx_this, &%s); if (chx_called_by(chx_this, &%s)) { %s = chx_top(chx_this); goto chx_again; } ",
        function, function, f->role->me);
    out_puts(out, "return CHX_STEP_RETURN;");
}

// If computing the arguments is to be begun again, the callee may have a frame already: this one is known by where it goes on.
static void put_restart(FunctionEmit *f, uint32_t restart)
{
    f->ctx.uses_variables |= restart != 0;
    if (restart != 0)
        out_printf(&f->ctx.out, "chx_frame_set_at(&%s->chx_head, %u); ", f->role->me, restart);
}

// Which members the callee's role parameters are. `saved`: C variables with this name and a number; NULL: the frame's.
static void put_indices(FunctionEmit *f, const LocalOp *op, const char *saved)
{
    f->ctx.uses_variables |= op->indices.count > 0;
    for (size_t i = 0; i < op->indices.count; i++) {
        const struct LocalIndex *index = &op->indices.items[i];
        out_printf(&f->ctx.out, "chx_callee->%s = ", index->param->c_name);
        if (saved != NULL)
            out_printf(&f->ctx.out, "%s%zu; ", saved, i);
        else
            out_printf(&f->ctx.out, "%s->%s; ", f->role->me, index->given->c_name);
    }
}

// The current frame goes away before the new one is there: its variables are read first.
static void put_tail_call(FunctionEmit *f, const LocalOp *op, const char *function, uint32_t restart)
{
    Out *out = &f->ctx.out;
    Arena *arena = f->arena;
    out_printf(out, "{ %s; ", step_begin(f, op, false));
    put_restart(f, restart);
    const char **held = ARENA_ARRAY(arena, const char *, op->arg_count);
    for (size_t i = 0; i < op->arg_count; i++) {
        const CType *type = op->args[i].param->type;
        held[i] = value_hold_given(&f->ctx, type, op->args[i].value);
        if (held[i] == NULL)
            value_temporary(&f->ctx, arena_printf(arena, "chx_arg%zu", i), type, op->args[i].value);
    }
    for (size_t i = 0; i < op->arg_count; i++) {
        const CType *type = op->args[i].param->type;
        if (!type->is_owning)
            continue;
        out_printf(out, "%s; ", type_declare(arena, type, arena_printf(arena, "chx_own%zu", i)));
        if (held[i] != NULL) {
            out_printf(out, "chx_own%zu = %s; memset(&%s, 0, sizeof %s); ", i, held[i], held[i], held[i]);
            continue;
        }
        if (type->kind == CTYPE_CSTRING && value_is_cstring_variable(&f->ctx, op->args[i].value)) {
            out_printf(out, "chx_own%zu = chx_keep_cstring(chx_arg%zu); ", i, i);
            continue;
        }
        out_printf(out, "chx_value_copy(&%s, &chx_own%zu, &chx_arg%zu); ", types_use(f->ctx.types, type), i, i);
        value_release(&f->ctx, arena_printf(arena, "chx_arg%zu", i), type, op->args[i].value);
    }
    if (op_args_call(op))
        out_puts(out, "chx_step_end(chx_this); ");
    for (size_t i = 0; i < op->indices.count; i++)
        out_printf(out, "size_t chx_index%zu = %s->%s; ", i, f->role->me, op->indices.items[i].given->c_name);
    const char *call = op->callee == f->function ? "chx_tail_call_again" : "chx_tail_call";
    if (op->arg_count > 0 || op->indices.count > 0)
        out_printf(out, "%s *chx_callee = %s(chx_this, &%s); ", frame_of(f, op->callee), call, function);
    else
        out_printf(out, "%s(chx_this, &%s); ", call, function);
    put_indices(f, op, "chx_index");
    for (size_t i = 0; i < op->arg_count; i++) {
        const Variable *param = op->args[i].param;
        const char *from = param->type->is_owning ? "chx_own" : "chx_arg";
        if (param->type->kind == CTYPE_ARRAY)
            out_printf(out, "memcpy(chx_callee->%s, %s%zu, sizeof chx_callee->%s); ", param->c_name, from, i,
                       param->c_name);
        else
            out_printf(out, "chx_callee->%s = %s%zu; ", param->c_name, from, i);
    }
    put_called(f, op);
    out_puts(out, " }");
}

// Our result from the callee's.
static void put_result_of(FunctionEmit *f, const Shape *theirs)
{
    Out *out = &f->ctx.out;
    Shape ours = emit_result_shape(f->ctx.types, f->function->result);
    const char *result = arena_printf(f->arena, "%s->chx_result", f->role->me);
    f->ctx.uses_variables = true;
    if (strcmp(ours.descriptor, theirs->descriptor) == 0) {
        if (ours.is_owning)
            out_printf(out, "chx_set_moved(&%s, &%s, chx_value); ", ours.descriptor, result);
        else
            out_printf(out, "memcpy(&%s, chx_value, sizeof %s); ", result, result);
        return;
    }
    size_t count = ours.type != NULL ? 1 : ours.part_count;
    for (size_t i = 0; i < count; i++) {
        const char *member = ours.type != NULL ? "" : arena_printf(f->arena, ".v%zu", i);
        const CType *type = ours.type != NULL ? ours.type : ours.parts[i];
        if (type->is_owning)
            out_printf(out, "chx_set_moved(&%s, &%s%s, &(*chx_value)%s); ", types_use(f->ctx.types, type), result,
                       member, member);
        else if (type->kind == CTYPE_ARRAY)
            out_printf(out, "memcpy(%s%s, (*chx_value)%s, sizeof %s%s); ", result, member, member, result, member);
        else
            out_printf(out, "%s%s = (*chx_value)%s; ", result, member, member);
    }
}

// `_`, or `{_, _}`
static bool drops_all(const Pattern *pattern)
{
    for (size_t i = 0; i < pattern->parts.count; i++)
        if (!drops_all(pattern->parts.items[i]))
            return false;
    return pattern->kind == PATTERN_DROP || pattern->kind == PATTERN_TUPLE;
}

static void put_call_result(FunctionEmit *f, const LocalOp *op)
{
    const Result *result = op->callee->result;
    bool is_wanted = op->result != NULL ? !drops_all(op->result) : op->returns_result && f->function->result != NULL;
    if (result == NULL)
        return;
    Shape shape = emit_result_shape(f->ctx.types, result);
    if (!is_wanted && !shape.is_owning)
        return;
    function_statement(f, op);
    if (!is_wanted) {
        out_printf(&f->ctx.out, "chx_value_drop(&%s, chx_result(chx_this));", shape.descriptor);
        return;
    }
    // What the others have is nothing.
    if (op->result_only != ROLE_NONE && op->result != NULL)
        out_printf(&f->ctx.out, "if (%s == chx_me(chx_this)) ", member_index(f, op, op->result_only));
    if (!op->returns_result && shape.is_owning && pattern_may_fail(op->result)) {
        const char *held = value_hold(&f->ctx, &shape);
        out_printf(&f->ctx.out, "{ chx_set_moved(&%s, &%s, chx_result(chx_this)); ", shape.descriptor, held);
        value_store(&f->ctx, op->site, op->result, &op->result_at, held, &shape, STORE_MOVE_HELD);
        out_puts(&f->ctx.out, " }");
        return;
    }
    const char *pointer = shape.after[0] != '\0' ? "(*chx_value)" : "*chx_value";
    out_printf(&f->ctx.out, "{ %s = chx_result(chx_this); ", shape_declare(f->arena, &shape, pointer));
    if (op->returns_result)
        put_result_of(f, &shape);
    else
        value_store(&f->ctx, op->site, op->result, &op->result_at, "(*chx_value)", &shape, STORE_MOVE);
    out_puts(&f->ctx.out, "}");
}

// Does nothing but call, in tail position and with values that are there.
static const LocalFunction *only_callee(const LocalOpList *ops)
{
    const LocalOp *op = ops->count == 1 ? ops->items[0] : NULL;
    if (op == NULL || op->kind != LOCAL_CALL || !op->is_tail)
        return NULL;
    for (size_t i = 0; i < op->arg_count; i++)
        if (!op->args[i].value->is_variable && !op->args[i].value->is_constant)
            return NULL;
    return op->callee;
}

// Others are in an endless recursion that this role has no part in, except that it has a result.
static bool goes_in_circles(const FunctionEmit *f)
{
    const LocalFunction *callee = only_callee(&f->function->body);
    for (size_t i = 0; callee != NULL && i < f->role->local->functions.count; i++)
        callee = only_callee(&callee->body);
    return callee != NULL;
}

// Can the callee use the values that this frame owns instead of copies? The frame is there until the callee returns. It
// must hold for all of the callee's parameters that own something and are never changed.
static bool callee_borrows(const FunctionEmit *f, const LocalOp *op)
{
    size_t borrowed = 0;
    for (size_t i = 0; i < op->arg_count; i++) {
        const Variable *param = op->args[i].param;
        const Expr *value = op->args[i].value;
        if (emit_rank(op->callee, param) != RANK_FIXED)
            continue;
        const Variable *given = value->is_variable ? piece_variable(value, &value->pieces.items[0], f->ctx.role) : NULL;
        if (given == NULL || !type_same(given->type, param->type) || emit_rank(f->function, given) != RANK_FIXED)
            return false;
        borrowed++;
    }
    return borrowed > 0;
}

void call_put(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (op->is_tail && goes_in_circles(f)) {
        function_wait_for_ever(f, op);
        return;
    }
    const char *function = arena_printf(f->arena, "%s_%s_chx_function", f->role->prefix, op->callee->name);
    uint32_t restart = function_restart(f, op);
    function_statement(f, op);
    if (op->is_tail) {
        put_tail_call(f, op, function, restart);
        return;
    }
    uint32_t label = ++f->labels;
    f->ctx.uses_variables = true;
    if (op->arg_count == 0 && op->indices.count == 0) {
        out_printf(out, "%s; chx_call(chx_this, &%s); ", step_begin(f, op, false), function);
    } else {
        out_printf(out, "{ %s; ", step_begin(f, op, false));
        put_restart(f, restart);
        out_printf(out, "%s *chx_callee = chx_call(chx_this, &%s); ", frame_of(f, op->callee), function);
        put_indices(f, op, NULL);
        bool borrows = callee_borrows(f, op);
        if (borrows)
            out_puts(out, "chx_frame_borrows(&chx_callee->chx_head); ");
        for (size_t i = 0; i < op->arg_count; i++) {
            const Variable *param = op->args[i].param;
            const char *place = arena_printf(f->arena, "chx_callee->%s", param->c_name);
            bool is_partial = op->args[i].only != ROLE_NONE;
            if (is_partial)
                out_printf(out, "if (%s == chx_me(chx_this)) { ", member_index(f, op, op->args[i].only));
            if (borrows && emit_rank(op->callee, param) == RANK_FIXED) {
                out_printf(out, "%s = ", place);
                value_expr(&f->ctx, op->args[i].value);
                out_puts(out, "; ");
            } else {
                value_assign(&f->ctx, place, param->type, op->args[i].value);
            }
            out_puts(out, is_partial ? "} " : "");
        }
        if (op_args_call(op))
            out_puts(out, "chx_step_end(chx_this); ");
        out_puts(out, "} ");
    }
    out_printf(out, "chx_frame_set_at(&%s->chx_head, %u); ", f->role->me, label);
    put_called(f, op);
    out_printf(out, "\nchx_at_%u:;\n", label);
    put_call_result(f, op);
    if (op->returns_result) {
        block_leave_all(f, op);
        function_statement(f, op);
        call_end(f);
    }
}

void call_return(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (f->function->result != NULL)
        function_restart(f, op);
    function_statement(f, op);
    if (op->returned.exprs.count > 0 && f->function->result != NULL) {
        const Result *result = f->function->result;
        const char *place = arena_printf(f->arena, "%s->chx_result", f->role->me);
        f->ctx.uses_variables = true;
        out_printf(out, "%s; ", step_begin(f, op, false));
        for (size_t i = 0; i < op->returned.exprs.count; i++) {
            const char *part = result->is_tuple ? arena_printf(f->arena, "%s.v%zu", place, i) : place;
            value_assign(&f->ctx, part, result->types.items[i], op->returned.exprs.items[i]);
        }
        if (value_makes(&op->returned))
            out_puts(out, "chx_step_end(chx_this); ");
    }
    block_leave_all(f, op);
    if (f->block != NULL)
        function_statement(f, op);
    call_end(f);
}
