// One choreographic function as one role does it: a resumable C function.
//
// It is called with a frame and goes on where the frame says: the switch at its beginning jumps to a label. Every place
// at which the role may have to wait or calls another function has a label; nothing lives in C variables across one.

#include "compiler/emit/function.h"

// ---- what all operations use ----

uint32_t function_line(const FunctionEmit *f, Span span)
{
    return context_line(&f->ctx, span);
}

void function_statement(FunctionEmit *f, const LocalOp *op)
{
    out_statement(&f->ctx.out, function_line(f, op->span));
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

// Is something done after the step that computes what the operation needs? Then it can't be begun again as a whole.
static bool op_binds_later(const LocalOp *op)
{
    return op->kind == LOCAL_RECEIVE || (op->own != NULL && pattern_may_fail(op->own)) ||
           (op->result != NULL && pattern_may_fail(op->result));
}

void function_restarts_at(FunctionEmit *f, const LocalOp *op, uint32_t label)
{
    if (op_calls(op) && !op_binds_later(op))
        vector_push(f->arena, &f->role->restarts, ((Restart){op->site, label}));
}

uint32_t function_restart(FunctionEmit *f, const LocalOp *op)
{
    if (!op_calls(op) || op_binds_later(op))
        return 0;
    uint32_t label = function_label(f);
    function_restarts_at(f, op, label);
    return label;
}

bool function_ends(const LocalOpList *ops)
{
    if (ops->count == 0)
        return false;
    const LocalOp *last = ops->items[ops->count - 1];
    if (last->is_guarded)
        return false;
    if (last->kind == LOCAL_CHECKPOINT)
        return function_ends(&last->body) && (!last->has_rescue || function_ends(&last->rescue));
    return last->kind == LOCAL_RETURN || last->kind == LOCAL_BREAK || last->kind == LOCAL_CONTINUE ||
           (last->kind == LOCAL_CALL && (last->is_tail || last->returns_result));
}

void function_wait_for_ever(FunctionEmit *f, const LocalOp *op)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "chx_frame_set_at(&%s->chx_head, %u); return chx_wait_for_ever(chx_this);", f->role->me,
               label);
}

// ---- the function ----

static void put_plain(FunctionEmit *f, const LocalOp *op)
{
    value_hold_none(&f->ctx);
    // Choices and loops contain other operations, but bind nothing.
    f->ctx.counter = op_binds_in_steps(op) ? step_counter(f, op) : 0;
    switch (op->kind) {
    case LOCAL_STEP:
        step_put(f, op);
        break;
    case LOCAL_SEND:
        message_send(f, op);
        break;
    case LOCAL_RECEIVE:
        message_receive(f, op);
        break;
    case LOCAL_CALL:
        call_put(f, op);
        break;
    case LOCAL_CHOICE:
        choice_put(f, op);
        break;
    case LOCAL_LOOP:
        loop_put(f, op);
        break;
    case LOCAL_EACH:
        each_put(f, op);
        break;
    case LOCAL_BREAK:
    case LOCAL_CONTINUE:
        loop_jump(f, op);
        break;
    case LOCAL_RETURN:
        call_return(f, op);
        break;
    case LOCAL_CHECKPOINT:
        block_put(f, op);
        break;
    case LOCAL_PAR:
        par_put(f, op);
        break;
    case LOCAL_ARM:
        arm_put(f, op);
        break;
    }
}

// Labels that have no line yet are the current operation's.
static void note_lines(FunctionEmit *f)
{
    while (f->lines.count < f->labels)
        vector_push(f->arena, &f->lines, f->line);
}

// A member of a family does it only if it is one of those whom it concerns.
static void put_guarded(FunctionEmit *f, const LocalOp *op)
{
    const char *guard = member_guard(f, op);
    const RoleSet *within = f->within;
    if (guard == NULL) {
        put_plain(f, op);
        return;
    }
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (%s) {", guard);
    f->ctx.out.indent++;
    f->within = op->is_guarded ? &op->who : f->within;
    put_plain(f, op);
    f->within = within;
    control_close(&f->ctx.out, "}");
}

static void put_op(FunctionEmit *f, const LocalOp *op)
{
    uint32_t outer = f->line;
    note_lines(f);
    f->line = function_line(f, op->span);
    put_guarded(f, op);
    note_lines(f);
    f->line = outer;
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

FunctionLabels emit_function(RoleEmit *role, const LocalFunction *function, HeldList *held, Out *tables,
                             Out *declarations, Out *out)
{
    Span def = function->instance->def != NULL ? function->instance->def->span : SPAN_NONE;
    FunctionEmit f = {.role = role, .arena = role->arena, .function = function};
    f.recurses = call_recurses(&function->body, function);
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
    const char *file = emit_file(role->emit, def);
    out_init(&f.ctx.out, role->arena, file);
    f.ctx.out.indent = 1;
    function_ops(&f, &function->body);
    if (!function_ends(&function->body)) {
        // The end of the definition, where its closing brace is.
        Span end = def;
        end.start = end.end > end.start ? end.end - 1 : end.start;
        out_statement(&f.ctx.out, context_line(&f.ctx, end));
        call_end(&f);
    }
    f.line = context_line(&f.ctx, def);
    note_lines(&f);

    const char *name = arena_printf(role->arena, "%s_%s", role->prefix, function->name);
    out_printf(declarations, "static chx_step %s(chx_self *chx_this, void *chx_variables);\n", name);
    out_own(out);
    out_printf(out, "\n/* %s, as %s plays it */\n", function->name, role->local->name);
    out_file(out, file);
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
    return (FunctionLabels){f.labels, f.lines.items, file != role->emit->source_literal ? file : NULL};
}
