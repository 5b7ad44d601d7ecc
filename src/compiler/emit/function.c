// One choreographic function as one role plays it: a resumable C function.
//
// It is called with a frame and goes on where the frame says: the switch at its beginning jumps to a label. Every place
// at which the role may have to wait or calls another function has a label; nothing lives in C variables across one.

#include "base/check.h"
#include "compiler/emit/function.h"

#include <string.h>

// ---- small things ----

static uint32_t line_of(const FunctionEmit *f, Span span)
{
    return context_line(&f->ctx, span);
}

void function_statement(FunctionEmit *f, const LocalOp *op)
{
    out_statement(&f->ctx.out, line_of(f, op->span));
}

// A line without meaning for a debugger: a closing brace.
void function_close(FunctionEmit *f, const char *text)
{
    f->ctx.out.indent--;
    out_end_line(&f->ctx.out);
    for (unsigned i = 0; i < f->ctx.out.indent; i++)
        out_puts(&f->ctx.out, "    ");
    out_puts(&f->ctx.out, text);
}

uint32_t function_label(FunctionEmit *f)
{
    f->labels++;
    f->ctx.uses_variables = true;
    out_end_line(&f->ctx.out);
    out_printf(&f->ctx.out, "chx_at_%u:\n", f->labels);
    return f->labels;
}

const char *function_wait(FunctionEmit *f, uint32_t label)
{
    return arena_printf(f->arena, "return chx_wait_at(chx_this, &%s->chx_head, %u);", f->role->me, label);
}

bool function_ends(const LocalOpList *ops)
{
    if (ops->count == 0)
        return false;
    const LocalOp *last = ops->items[ops->count - 1];
    if (last->kind == LOCAL_CHECKPOINT)
        return function_ends(&last->body) && (!last->has_rescue || function_ends(&last->rescue));
    return last->kind == LOCAL_RETURN || last->kind == LOCAL_BREAK || last->kind == LOCAL_CONTINUE ||
           (last->kind == LOCAL_CALL && (last->is_tail || last->returns_result));
}

static const char *frame_of(FunctionEmit *f, const LocalFunction *function)
{
    return arena_printf(f->arena, "struct %s_%s_frame", f->role->prefix, function->name);
}

// Asks for room in every channel at once: asking again does no harm.
static void put_room(FunctionEmit *f, const LocalOp *op)
{
    if (roleset_empty(&op->to))
        return;
    uint32_t label = function_label(f);
    for (ROLESET_EACH(peer, &op->to)) {
        function_statement(f, op);
        out_printf(&f->ctx.out, "if (!chx_room(chx_this, %s)) %s", f->role->to[peer], function_wait(f, label));
    }
}

static void put_tell(FunctionEmit *f, const LocalOp *op, uint32_t outcome)
{
    for (ROLESET_EACH(peer, &op->to)) {
        function_statement(f, op);
        out_printf(&f->ctx.out, "chx_tell(chx_this, %s, %u, %u);", f->role->to[peer], op->site, outcome);
    }
}

// ---- steps and messages ----

static bool args_make(const LocalOp *op)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].value->has_call)
            return true;
    }
    return false;
}

// Is binding what the operation has got one or more further steps?
static bool op_binds_in_steps(const LocalOp *op)
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

// Does the operation call any C function? Only then somebody can ask which step it is.
static bool op_calls(const LocalOp *op)
{
    return (op->value != NULL && op->value->has_call) || (op->condition != NULL && op->condition->has_call) ||
           exprs_call(&op->sent.exprs) || exprs_call(&op->returned.exprs) || args_make(op) || op_binds_in_steps(op) ||
           (op->target != NULL && op->target->kind == PATTERN_PLACE && op->target->expr->has_call);
}

// Can the role be here only once in an attempt of the innermost block that it is in? If the block stands in this function
// and no loop is in between.
static bool op_comes_once(const FunctionEmit *f, const LocalOp *op)
{
    return f->block != NULL && f->block->loop == f->loop && !op_binds_in_steps(op);
}

// The number of the counter that says how often the role has been here; 0: it needs none.
static uint32_t counter_of(FunctionEmit *f, const LocalOp *op)
{
    if (!op_calls(op) || op_comes_once(f, op))
        return 0;
    for (size_t i = 0; i < f->role->counted.count; i++)
        if (f->role->counted.items[i] == op->site)
            return (uint32_t)i + 1;
    vector_push(f->arena, &f->role->counted, op->site);
    return (uint32_t)f->role->counted.count;
}

// "chx_step_begin(chx_this, 7)": a step begins.
static const char *step_begin(FunctionEmit *f, const LocalOp *op, bool is_quiet)
{
    uint32_t counter = is_quiet ? 0 : counter_of(f, op);
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

static void put_step(FunctionEmit *f, const LocalOp *op)
{
    function_statement(f, op);
    out_printf(&f->ctx.out, "%s; ", step_begin(f, op, step_is_quiet(f, op)));
    value_step(&f->ctx, op->site, &op->at, op->target, op->op, op->value);
    if (op->value != NULL && op->value->has_call)
        out_puts(&f->ctx.out, " chx_step_end(chx_this);");
}

// Is what is sent one variable, as it lies in the frame?
static bool sends_variable(const FunctionEmit *f, const LocalOp *op, const Shape *shape)
{
    const Expr *only = shape->type != NULL ? op->sent.exprs.items[0] : NULL;
    return only != NULL && only->is_variable && !shape->is_owning && op->own == NULL &&
           type_same(piece_variable(only, &only->pieces.items[0], f->ctx.role)->type, shape->type);
}

// Can computing what is sent neither fail nor be noticed?
static bool send_is_quiet(const FunctionEmit *f, const LocalOp *op, const Shape *shape)
{
    return shape->type != NULL && shape->type->kind != CTYPE_ARRAY && value_is_quiet(&f->ctx, op->sent.exprs.items[0]);
}

// A value that does no harm to compute again, to one role: asks for room and sends at once.
static void put_try_send(FunctionEmit *f, const LocalOp *op, const Shape *shape)
{
    Out *out = &f->ctx.out;
    const char *value = "chx_value";
    bool is_variable = sends_variable(f, op, shape);
    uint32_t label = function_label(f);
    function_statement(f, op);
    if (is_variable) {
        value = value_text(&f->ctx, op->sent.exprs.items[0]);
    } else {
        out_puts(out, "{ ");
        value_gather(&f->ctx, value, shape, &op->sent);
    }
    for (ROLESET_EACH(peer, &op->to))
        out_printf(out, "if (!chx_try_send(chx_this, %s, %u, &%s, sizeof %s)) %s", f->role->to[peer], op->site, value,
                   value, function_wait(f, label));
    if (!is_variable)
        out_puts(out, " }");
}

static void put_send(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    Shape shape = emit_message_shape(f->ctx.types, op);
    bool is_variable = sends_variable(f, op, &shape), is_quiet = is_variable || send_is_quiet(f, op, &shape);
    if (is_quiet && !shape.is_owning && op->own == NULL && roleset_count(&op->to) == 1) {
        put_try_send(f, op, &shape);
        return;
    }
    put_room(f, op);
    function_statement(f, op);
    const char *value = "chx_value";
    Gathered gathered = {0};
    if (is_variable) {
        out_printf(out, "%s;", step_begin(f, op, true));
        value = value_text(&f->ctx, op->sent.exprs.items[0]);
    } else {
        out_printf(out, "{ %s; ", step_begin(f, op, is_quiet));
        gathered = value_gather(&f->ctx, value, &shape, &op->sent);
    }
    for (ROLESET_EACH(peer, &op->to)) {
        if (shape.is_owning) {
            out_printf(out, "{ %s; ", shape_declare(f->arena, &shape, "chx_copy"));
            out_printf(out, "chx_value_copy(&%s, &chx_copy, &%s); ", shape.descriptor, value);
            out_printf(out, "chx_send(chx_this, %s, %u, &chx_copy, sizeof chx_copy); } ", f->role->to[peer], op->site);
        } else {
            out_printf(out, " chx_send(chx_this, %s, %u, &%s, sizeof %s);", f->role->to[peer], op->site, value, value);
        }
    }
    if (is_variable)
        return;
    out_puts(out, " ");
    if (op->own != NULL)
        value_store(&f->ctx, op->site, op->own, &op->own_at, value, &shape, STORE_COPY);
    value_release_all(&f->ctx, &gathered);
    if (value_makes(&op->sent))
        out_puts(out, "chx_step_end(chx_this); ");
    out_puts(out, "}");
}

static void put_receive(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    Shape shape = emit_message_shape(f->ctx.types, op);
    uint32_t label = function_label(f);
    const char *in = f->role->from[op->peer];
    function_statement(f, op);
    if (op->target->kind == PATTERN_BIND && shape.type != NULL) {
        const CType *type = NULL;
        const char *place = value_place(&f->ctx, op->target, &op->at, &type);
        if (type_same(type, shape.type)) {
            if (shape.is_owning)
                out_printf(out, "if (!chx_receive_into(chx_this, %s, %u, &%s, &%s)) ", in, op->site, shape.descriptor,
                           place);
            else
                out_printf(out, "if (!chx_receive(chx_this, %s, %u, &%s, sizeof %s)) ", in, op->site, place, place);
            out_puts(out, function_wait(f, label));
            return;
        }
    }
    if (shape.is_owning && pattern_may_fail(op->target)) {
        const char *held = value_hold(&f->ctx, &shape);
        out_printf(out, "if (!chx_receive(chx_this, %s, %u, &%s, sizeof %s)) %s ", in, op->site, held, held,
                   function_wait(f, label));
        value_store(&f->ctx, op->site, op->target, &op->at, held, &shape, STORE_MOVE_HELD);
        return;
    }
    out_printf(out, "{ %s; if (!chx_receive(chx_this, %s, %u, &chx_value, sizeof chx_value)) %s ",
               shape_declare(f->arena, &shape, "chx_value"), in, op->site, function_wait(f, label));
    value_store(&f->ctx, op->site, op->target, &op->at, "chx_value", &shape, STORE_MOVE);
    out_puts(out, "}");
}

// ---- calls ----

// Calls itself, other than in tail position: a frame of the function may have been called by another one of it.
static bool ops_recurse(const LocalOpList *ops, const LocalFunction *function)
{
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        if (op->kind == LOCAL_CALL && op->callee == function && !op->is_tail)
            return true;
        if (ops_recurse(&op->body, function) || ops_recurse(&op->step, function) || ops_recurse(&op->rescue, function))
            return true;
        for (size_t k = 0; k < op->branches.count; k++)
            if (ops_recurse(&op->branches.items[k].body, function))
                return true;
    }
    return false;
}

// The callee's frame is there: goes on with it. In the same function that takes no call in C.
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

// Ends the frame and goes on with the caller's.
static void put_end(FunctionEmit *f)
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

// The current frame goes away before the new one is there: its variables are read first.
static void put_tail_call(FunctionEmit *f, const LocalOp *op, const char *function)
{
    Out *out = &f->ctx.out;
    Arena *arena = f->arena;
    out_printf(out, "{ %s; ", step_begin(f, op, false));
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
    if (args_make(op))
        out_puts(out, "chx_step_end(chx_this); ");
    const char *call = op->callee == f->function ? "chx_tail_call_again" : "chx_tail_call";
    if (op->arg_count > 0)
        out_printf(out, "%s *chx_callee = %s(chx_this, &%s); ", frame_of(f, op->callee), call, function);
    else
        out_printf(out, "%s(chx_this, &%s); ", call, function);
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
    if (!op->returns_result && shape.is_owning && pattern_may_fail(op->result)) {
        const char *held = value_hold(&f->ctx, &shape);
        out_printf(&f->ctx.out, "chx_set_moved(&%s, &%s, chx_result(chx_this)); ", shape.descriptor, held);
        value_store(&f->ctx, op->site, op->result, &op->result_at, held, &shape, STORE_MOVE_HELD);
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

// Nothing is left to do for the role here, and others never come to an end.
static void put_nothing(FunctionEmit *f, const LocalOp *op)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "chx_frame_set_at(&%s->chx_head, %u); return chx_wait_for_ever(chx_this);", f->role->me,
               label);
}

// Can the callee use what this frame holds, which is there until it returns? All that it was given and keeps.
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

static void put_call(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (op->is_tail && goes_in_circles(f)) {
        put_nothing(f, op);
        return;
    }
    const char *function = arena_printf(f->arena, "%s_%s_chx_function", f->role->prefix, op->callee->name);
    function_statement(f, op);
    if (op->is_tail) {
        put_tail_call(f, op, function);
        return;
    }
    uint32_t label = ++f->labels;
    f->ctx.uses_variables = true;
    if (op->arg_count == 0) {
        out_printf(out, "%s; chx_call(chx_this, &%s); ", step_begin(f, op, false), function);
    } else {
        out_printf(out, "{ %s; %s *chx_callee = chx_call(chx_this, &%s); ", step_begin(f, op, false),
                   frame_of(f, op->callee), function);
        bool borrows = callee_borrows(f, op);
        if (borrows)
            out_puts(out, "chx_frame_borrows(&chx_callee->chx_head); ");
        for (size_t i = 0; i < op->arg_count; i++) {
            const Variable *param = op->args[i].param;
            const char *place = arena_printf(f->arena, "chx_callee->%s", param->c_name);
            if (borrows && emit_rank(op->callee, param) == RANK_FIXED) {
                out_printf(out, "%s = ", place);
                value_expr(&f->ctx, op->args[i].value);
                out_puts(out, "; ");
            } else {
                value_assign(&f->ctx, place, param->type, op->args[i].value);
            }
        }
        if (args_make(op))
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
        put_end(f);
    }
}

static void put_return(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
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
    put_end(f);
}

// ---- choices ----

static void put_branch(FunctionEmit *f, const LocalOp *op, const LocalBranch *branch)
{
    f->ctx.out.indent++;
    if (op->decide == DECIDE_SELF)
        put_tell(f, op, branch->outcome);
    function_ops(f, &branch->body);
}

static bool branch_is_empty(const LocalOp *op, const LocalBranch *branch)
{
    return branch->body.count == 0 && (op->decide != DECIDE_SELF || roleset_empty(&op->to));
}

// The condition with its site; what it makes is released before the choice takes its way.
static void put_condition(FunctionEmit *f, const LocalOp *op)
{
    out_printf(&f->ctx.out, "%s, ", step_begin(f, op, value_is_quiet(&f->ctx, op->condition)));
    if (op->condition->has_call)
        out_puts(&f->ctx.out, "chx_decided(chx_this, ");
    value_expr(&f->ctx, op->condition);
    if (op->condition->has_call)
        out_puts(&f->ctx.out, ")");
}

// A long chain of else-ifs would be nested too deeply for a C compiler. From some depth on, its parts stand one behind
// the other, and each goes over the rest at its end. Returns the number of the label there; 0: an `else` will do.
static uint32_t chain_label(FunctionEmit *f, const LocalOp *op)
{
    enum { ELSE_IFS_IN_BRACES = 16 };
    const LocalOpList *rest = &op->branches.items[1].body;
    bool is_chain =
        !op->is_switch && op->branches.count == 2 && rest->count == 1 && rest->items[0]->kind == LOCAL_CHOICE;
    return is_chain && f->else_ifs >= ELSE_IFS_IN_BRACES ? ++f->chains : 0;
}

static void put_go_over(FunctionEmit *f, const LocalBranch *branch, uint32_t chain)
{
    if (function_ends(&branch->body))
        return;
    out_statement(&f->ctx.out, f->ctx.out.in_source ? f->ctx.out.line : 0);
    out_printf(&f->ctx.out, "goto over_%u;", chain);
}

// What comes after `else`, behind the `if`.
static void put_rest_of_chain(FunctionEmit *f, const LocalOp *op, uint32_t chain)
{
    if (op->decide == DECIDE_SELF)
        put_tell(f, op, op->branches.items[1].outcome);
    function_ops(f, &op->branches.items[1].body);
    out_end_line(&f->ctx.out);
    out_printf(&f->ctx.out, "over_%u:;\n", chain);
}

static void put_two_ways(FunctionEmit *f, const LocalOp *op)
{
    uint32_t chain = chain_label(f, op);
    put_branch(f, op, &op->branches.items[0]);
    if (chain != 0) {
        put_go_over(f, &op->branches.items[0], chain);
        function_close(f, "}");
        put_rest_of_chain(f, op, chain);
        return;
    }
    if (branch_is_empty(op, &op->branches.items[1])) {
        function_close(f, "}");
        return;
    }
    function_close(f, "} else {");
    f->else_ifs++;
    put_branch(f, op, &op->branches.items[1]);
    f->else_ifs--;
    function_close(f, "}");
}

// The braces of a case are for the reader only. Deep inside they are left out: a C compiler counts them.
static bool case_has_braces(const FunctionEmit *f)
{
    enum { INDENT_WITH_BRACES = 20 };
    return f->ctx.out.indent <= INDENT_WITH_BRACES;
}

static void put_case_break(FunctionEmit *f, const LocalBranch *branch)
{
    if (!function_ends(&branch->body)) {
        out_statement(&f->ctx.out, f->ctx.out.in_source ? f->ctx.out.line : 0);
        out_puts(&f->ctx.out, "break;");
    }
}

static void put_case_end(FunctionEmit *f, bool has_braces)
{
    if (has_braces)
        function_close(f, "}");
    else
        f->ctx.out.indent--;
}

static void put_switch_self(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    function_statement(f, op);
    out_printf(out, "switch (%s, ", step_begin(f, op, false));
    value_expr(&f->ctx, op->condition);
    out_puts(out, ") {");
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        out_statement(out, line_of(f, branch->is_implied ? op->span : branch->span));
        for (size_t k = 0; k < branch->labels.count; k++) {
            out_puts(out, "case ");
            value_expr(&f->ctx, branch->labels.items[k]);
            out_puts(out, ": ");
        }
        bool has_braces = case_has_braces(f);
        out_printf(out, "%s%s", branch->is_default ? "default: " : "", has_braces ? "{" : "");
        if (op->condition->has_call)
            out_puts(out, " chx_step_end(chx_this);");
        put_branch(f, op, branch);
        put_case_break(f, branch);
        put_case_end(f, has_braces);
    }
}

static void put_switch_told(FunctionEmit *f, const LocalOp *op)
{
    function_statement(f, op);
    out_puts(&f->ctx.out, "switch (chx_outcome) {");
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        out_statement(&f->ctx.out, line_of(f, branch->is_implied ? op->span : branch->span));
        bool has_braces = case_has_braces(f);
        out_printf(&f->ctx.out, "case %u: %s", branch->outcome, has_braces ? "{" : "");
        put_branch(f, op, branch);
        put_case_break(f, branch);
        put_case_end(f, has_braces);
    }
    function_statement(f, op);
    out_printf(&f->ctx.out, "default: chx_bad_branch(chx_this, %u);", op->site);
}

static void put_switch_arrival(FunctionEmit *f, const LocalOp *op, uint32_t chain)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "switch (chx_arriving(chx_this, %s)) { case 0: %s", f->role->from[op->peer],
               function_wait(f, label));
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        out_statement(&f->ctx.out, line_of(f, branch->is_implied ? op->span : branch->span));
        for (size_t k = 0; k < branch->arrivals.count; k++)
            out_printf(&f->ctx.out, "case %u: ", branch->arrivals.items[k]);
        if (chain != 0 && i == 1) {
            out_puts(&f->ctx.out, "break;");
            continue;
        }
        bool has_braces = case_has_braces(f);
        out_puts(&f->ctx.out, has_braces ? "{" : "");
        f->else_ifs += i;
        put_branch(f, op, branch);
        f->else_ifs -= i;
        if (chain != 0)
            put_go_over(f, branch, chain);
        else
            put_case_break(f, branch);
        put_case_end(f, has_braces);
    }
    function_statement(f, op);
    out_printf(&f->ctx.out, "default: chx_bad_branch(chx_this, %u);", op->site);
}

static void put_told(FunctionEmit *f, const LocalOp *op)
{
    uint32_t label = function_label(f);
    f->uses_outcome = true;
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (!chx_told(chx_this, %s, %u, &chx_outcome)) %s", f->role->from[op->peer], op->site,
               function_wait(f, label));
}

static void put_choice(FunctionEmit *f, const LocalOp *op)
{
    if (!op->is_switch && op->decide != DECIDE_ARRIVAL && op->branches.count == 2) {
        if (op->decide == DECIDE_SELF) {
            put_room(f, op);
            function_statement(f, op);
            out_puts(&f->ctx.out, "if (");
            put_condition(f, op);
            out_puts(&f->ctx.out, ") {");
        } else {
            put_told(f, op);
            function_statement(f, op);
            out_printf(&f->ctx.out, "if (chx_outcome == %u) {", op->branches.items[0].outcome);
        }
        put_two_ways(f, op);
        return;
    }
    uint32_t chain = op->decide == DECIDE_ARRIVAL ? chain_label(f, op) : 0;
    if (f->loop != NULL)
        f->loop->switches++;
    if (op->decide == DECIDE_SELF) {
        put_room(f, op);
        put_switch_self(f, op);
    } else if (op->decide == DECIDE_TOLD) {
        put_told(f, op);
        put_switch_told(f, op);
    } else {
        put_switch_arrival(f, op, chain);
    }
    f->ctx.out.indent++;
    function_close(f, "}");
    if (f->loop != NULL)
        f->loop->switches--;
    if (chain != 0)
        put_rest_of_chain(f, op, chain);
}

// ---- loops ----

static bool each_waits(const LocalOpList *ops);

// Does the runtime hear of the role each time that it does this?
static bool op_waits(const LocalOp *op)
{
    switch (op->kind) {
    case LOCAL_SEND:
    case LOCAL_RECEIVE:
    case LOCAL_CALL:
    case LOCAL_CHECKPOINT:
        return true;
    case LOCAL_CHOICE:
        if (op->decide == DECIDE_SELF && roleset_empty(&op->to))
            break;
        return true;
    case LOCAL_LOOP:
        return op->decide == DECIDE_TOLD || !roleset_empty(&op->to);
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

// In a loop of steps that concern nobody else: a rescue calls the role away here.
static void put_look_up(FunctionEmit *f, const LocalOp *op)
{
    if (op_waits(op) || (each_waits(&op->body) && !has_continue(&op->body, op)))
        return;
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out,
               "if (CHX_UNLIKELY(chx_generation_changed(chx_this))) return chx_poll(chx_this, &%s->chx_head, %u);",
               f->role->me, label);
}

// Decides at the place where it stands in a C loop without condition.
static void put_loop_decision(FunctionEmit *f, const LocalOp *op)
{
    if (op->decide == DECIDE_TOLD) {
        put_told(f, op);
        function_statement(f, op);
        out_puts(&f->ctx.out, "if (chx_outcome == 0) break;");
        return;
    }
    put_room(f, op);
    function_statement(f, op);
    out_puts(&f->ctx.out, "if (!(");
    put_condition(f, op);
    out_puts(&f->ctx.out, ")) {");
    f->ctx.out.indent++;
    put_tell(f, op, 0);
    function_statement(f, op);
    out_puts(&f->ctx.out, "break;");
    function_close(f, "}");
    put_tell(f, op, 1);
}

static void put_loop(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (op->decide == DECIDE_FOREVER && op->body.count == 0 && op->step.count == 0) {
        put_nothing(f, op);
        return;
    }
    bool is_plain = op->decide == DECIDE_SELF && roleset_empty(&op->to); // C's own loops will do
    bool is_do = op->loop == LOOP_DO && op->decide != DECIDE_FOREVER;
    LoopLabels labels = {.number = ++f->loops, .outer = f->loop};
    labels.plain_continue = op->step.count == 0 && (is_plain || !is_do);
    f->loop = &labels;
    function_statement(f, op);
    if (is_plain && !is_do) {
        out_puts(out, "while (");
        put_condition(f, op);
        out_puts(out, ") {");
    } else {
        out_puts(out, is_plain ? "do {" : "for (;;) {");
    }
    out->indent++;
    if (!is_plain && !is_do && op->decide != DECIDE_FOREVER)
        put_loop_decision(f, op);
    put_look_up(f, op);
    function_ops(f, &op->body);
    if (labels.has_continue) {
        out_end_line(out);
        out_printf(out, "chx_continue_%u:;\n", labels.number);
    }
    function_ops(f, &op->step);
    if (!is_plain && is_do)
        put_loop_decision(f, op);
    if (is_plain && is_do) {
        function_close(f, "} while (");
        put_condition(f, op);
        out_puts(out, ");");
    } else {
        function_close(f, "}");
    }
    if (labels.has_break) {
        out_end_line(out);
        out_printf(out, "chx_break_%u:;\n", labels.number);
    }
    f->loop = labels.outer;
}

static void put_jump(FunctionEmit *f, const LocalOp *op)
{
    LoopLabels *loop = f->loop;
    CHECK(loop != NULL);
    block_leave_loop(f, op);
    function_statement(f, op);
    if (op->kind == LOCAL_BREAK) {
        bool leaves_switch = loop->switches > 0;
        loop->has_break |= leaves_switch;
        out_puts(&f->ctx.out, leaves_switch ? arena_printf(f->arena, "goto chx_break_%u;", loop->number) : "break;");
    } else {
        loop->has_continue |= !loop->plain_continue;
        out_puts(&f->ctx.out,
                 loop->plain_continue ? "continue;" : arena_printf(f->arena, "goto chx_continue_%u;", loop->number));
    }
}

// ---- the function ----

static void put_op(FunctionEmit *f, const LocalOp *op)
{
    value_hold_none(&f->ctx);
    // Choices and loops contain other operations, but bind nothing.
    f->ctx.counter = op_binds_in_steps(op) ? counter_of(f, op) : 0;
    switch (op->kind) {
    case LOCAL_STEP:
        put_step(f, op);
        break;
    case LOCAL_SEND:
        put_send(f, op);
        break;
    case LOCAL_RECEIVE:
        put_receive(f, op);
        break;
    case LOCAL_CALL:
        put_call(f, op);
        break;
    case LOCAL_CHOICE:
        put_choice(f, op);
        break;
    case LOCAL_LOOP:
        put_loop(f, op);
        break;
    case LOCAL_BREAK:
    case LOCAL_CONTINUE:
        put_jump(f, op);
        break;
    case LOCAL_RETURN:
        put_return(f, op);
        break;
    case LOCAL_CHECKPOINT:
        block_put(f, op);
        break;
    }
}

void function_ops(FunctionEmit *f, const LocalOpList *ops)
{
    for (size_t i = 0; i < ops->count; i++)
        put_op(f, ops->items[i]);
}

static void put_labels(const FunctionEmit *f, Out *out)
{
    out_printf(out, "    switch (chx_frame_at(&%s->chx_head)) {\n", f->role->me);
    for (uint32_t label = 1; label <= f->labels; label++)
        out_printf(out, "    case %u: goto chx_at_%u;\n", label, label);
    out_puts(out, "    default: break;\n    }\n");
}

static void put_dispatch(const FunctionEmit *f, Out *out)
{
    if (f->goes_on_again)
        out_puts(out, "chx_again:\n");
    if (f->labels > 0)
        put_labels(f, out);
    if (f->begins_again)
        out_puts(out, "chx_begin:;\n");
}

void emit_function(RoleEmit *role, const LocalFunction *function, HeldList *held, Out *tables, Out *declarations,
                   Out *out)
{
    Span def = function->instance->def != NULL ? function->instance->def->span : SPAN_NONE;
    FunctionEmit f = {.role = role, .arena = role->arena, .function = function};
    f.recurses = ops_recurse(&function->body, function);
    f.ctx = (RoleContext){
        .arena = role->arena,
        .program = role->program,
        .types = &role->types,
        .role = role->local->role,
        .variables = arena_printf(role->arena, "%s->", role->me),
        .functions = arena_printf(role->arena, "%s_", role->local->name),
        .held = held,
    };
    f.tables = tables;
    out_init(&f.ctx.out, role->arena, role->emit->source_literal);
    f.ctx.out.indent = 1;
    function_ops(&f, &function->body);
    if (!function_ends(&function->body)) {
        // The end of the definition, where its closing brace is.
        Span end = def;
        end.start = end.end > end.start ? end.end - 1 : end.start;
        out_statement(&f.ctx.out, context_line(&f.ctx, end));
        put_end(&f);
    }

    const char *name = arena_printf(role->arena, "%s_%s", role->prefix, function->name);
    out_printf(declarations, "static chx_step %s(chx_self *chx_this, void *chx_variables);\n", name);
    out_own(out);
    out_printf(out, "\n/* %s, as %s plays it */\n", function->name, role->local->name);
    uint32_t line = context_line(&f.ctx, def);
    if (line != 0)
        out_source(out, line);
    // The brace on the same line: the next line of the choreography must not be where a debugger enters.
    out_printf(out, "static chx_step %s(chx_self *chx_this, void *chx_variables) {\n", name);
    out_own(out);
    if (f.ctx.uses_variables)
        out_printf(out, "    struct %s_frame *%s = chx_variables;\n", name, role->me);
    else
        out_puts(out, "    (void)chx_variables;\n");
    if (f.uses_outcome)
        out_puts(out, "    uint32_t chx_outcome = 0;\n");
    put_dispatch(&f, out);
    out_append(out, &f.ctx.out);
    out_own(out);
    out_puts(out, "}\n");
}
