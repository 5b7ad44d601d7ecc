// Messages: sending values and receiving them, and telling the outcome of a choice.

#include "compiler/emit/function.h"

// Of several members that decide, one tells the others.
static const char *teller_guard(FunctionEmit *f, const LocalOp *op)
{
    bool is_choice = op->kind == LOCAL_CHOICE || op->kind == LOCAL_LOOP;
    if (!is_choice || op->decide != DECIDE_SELF || op->teller == f->ctx.role ||
        f->role->program->role_of[op->teller] != f->ctx.role)
        return "";
    return arena_printf(f->arena, "if (%s == chx_me(chx_this)) ", member_index(f, op, op->teller));
}

void message_room(FunctionEmit *f, const LocalOp *op)
{
    if (roleset_empty(&op->to)) {
        function_restart(f, op);
        return;
    }
    uint32_t label = function_label(f);
    function_restarts_at(f, op, label);
    for (ROLESET_EACH(peer, &op->to)) {
        Receiver to = member_receiver(f, op, peer);
        function_statement(f, op);
        out_printf(&f->ctx.out, "%s%sif (!chx_room(chx_this, %s)) %s%s", teller_guard(f, op), to.before, to.channel,
                   function_wait(f, label), to.after);
    }
}

static void put_tell(FunctionEmit *f, const LocalOp *op, const char *outcome)
{
    const uint32_t *number = op->leaves.items;
    for (ROLESET_EACH(peer, &op->to)) {
        Receiver to = member_receiver(f, op, peer);
        function_statement(f, op);
        out_printf(&f->ctx.out, "%s%schx_tell(chx_this, %s, %u, %s);%s", teller_guard(f, op), to.before, to.channel,
                   *number++, outcome, to.after);
    }
}

void message_tell(FunctionEmit *f, const LocalOp *op, uint32_t outcome)
{
    put_tell(f, op, arena_printf(f->arena, "%u", outcome));
}

void message_tell_variable(FunctionEmit *f, const LocalOp *op)
{
    put_tell(f, op, "chx_outcome");
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
        out_printf(out, "if (!chx_try_send(chx_this, %s, %u, &%s, sizeof %s)) %s", member_receiver(f, op, peer).channel,
                   op->leaves.items[0], value, value, function_wait(f, label));
    if (!is_variable)
        out_puts(out, " }");
}

// ---- digests of what roles are to agree on ----

static void put_digest_send(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    const CType *type = NULL;
    message_room(f, op);
    function_statement(f, op);
    out_printf(out, "{ %s; ", step_begin(f, op, false));
    const char *place = value_place(&f->ctx, op->compared, &op->at, &type);
    out_printf(out, "chx_agreement chx_value = chx_agree_digest(chx_this, %u, &%s, &%s);", op->site,
               types_use(f->ctx.types, type), place);
    for (ROLESET_EACH(peer, &op->to))
        out_printf(out, " chx_send(chx_this, %s, %u, &chx_value, sizeof chx_value);", f->role->to[peer], op->site);
    out_puts(out, " chx_step_end(chx_this); }");
}

static void put_digest_receive(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    const CType *type = NULL;
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(out,
               "{ chx_agreement chx_value; "
               "if (!chx_receive(chx_this, %s, %u, &chx_value, sizeof chx_value)) %s ",
               f->role->from[op->peer], op->site, function_wait(f, label));
    const char *place = value_place(&f->ctx, op->compared, &op->at, &type);
    out_printf(out, "%s; chx_agree_compare(chx_this, %u, %u, &%s, &%s, &chx_value, %s); chx_step_end(chx_this); }",
               step_begin(f, op, false), op->site, op->peer, types_use(f->ctx.types, type), place,
               value_disagreement(&f->ctx, &op->at, op->compared));
}

// ---- values ----

void message_send(FunctionEmit *f, const LocalOp *op)
{
    if (op->compared != NULL) {
        put_digest_send(f, op);
        return;
    }
    Out *out = &f->ctx.out;
    Shape shape = emit_message_shape(f->ctx.types, op);
    bool is_variable = sends_variable(f, op, &shape), is_quiet = is_variable || send_is_quiet(f, op, &shape);
    if (is_quiet && !shape.is_owning && op->own == NULL && roleset_count(&op->to) == 1 &&
        !member_receiver(f, op, roleset_next(&op->to, 0)).is_several) {
        put_try_send(f, op, &shape);
        return;
    }
    message_room(f, op);
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
    const uint32_t *number = op->leaves.items;
    size_t left = roleset_count(&op->to);
    // Once nobody else needs the value, what the step has made of it can be given away.
    bool gives = op->own == NULL && value_makes(&op->sent);
    for (ROLESET_EACH(peer, &op->to)) {
        Receiver to = member_receiver(f, op, peer);
        gives = gives && !to.is_several;
        out_puts(out, to.before);
        if (shape.is_owning) {
            out_printf(out, "{ %s; ", shape_declare(f->arena, &shape, "chx_copy"));
            out_printf(out, "%s&%s, &chx_copy, &%s); ",
                       gives && --left == 0 ? "chx_value_give(chx_this, " : "chx_value_copy(", shape.descriptor, value);
            out_printf(out, "chx_send(chx_this, %s, %u, &chx_copy, sizeof chx_copy); } ", to.channel, *number++);
        } else {
            out_printf(out, " chx_send(chx_this, %s, %u, &%s, sizeof %s);", to.channel, *number++, value, value);
        }
        out_puts(out, to.after);
    }
    if (is_variable)
        return;
    out_puts(out, " ");
    if (op->own != NULL) {
        bool may_be = op->own_if.words != NULL && !roleset_empty(&op->own_if);
        if (may_be)
            out_printf(out, "if (%s) { ", member_is_one_of(f, op, &op->own_if));
        value_store(&f->ctx, op->site, op->own, &op->own_at, value, &shape, STORE_COPY);
        out_puts(out, may_be ? "} " : "");
    }
    value_release_all(&f->ctx, &gathered);
    if (value_makes(&op->sent))
        out_puts(out, "chx_step_end(chx_this); ");
    out_puts(out, "}");
}

void message_receive(FunctionEmit *f, const LocalOp *op)
{
    if (op->compared != NULL) {
        put_digest_receive(f, op);
        return;
    }
    Out *out = &f->ctx.out;
    Shape shape = emit_message_shape(f->ctx.types, op);
    uint32_t label = function_label(f);
    const char *in = member_sender(f, op, op->peer);
    function_statement(f, op);
    if (op->target->kind == PATTERN_BIND && shape.type != NULL) {
        const CType *type = NULL;
        const char *place = value_place(&f->ctx, op->target, &op->at, &type);
        if (type_same(type, shape.type)) {
            if (shape.is_owning)
                out_printf(out, "if (!chx_receive_into(chx_this, %s, %u, &%s, &%s)) ", in, op->arrives,
                           shape.descriptor, place);
            else
                out_printf(out, "if (!chx_receive(chx_this, %s, %u, &%s, sizeof %s)) ", in, op->arrives, place, place);
            out_puts(out, function_wait(f, label));
            return;
        }
    }
    if (shape.is_owning && pattern_may_fail(op->target)) {
        const char *held = value_hold(&f->ctx, &shape);
        out_printf(out, "if (!chx_receive(chx_this, %s, %u, &%s, sizeof %s)) %s ", in, op->arrives, held, held,
                   function_wait(f, label));
        value_store(&f->ctx, op->site, op->target, &op->at, held, &shape, STORE_MOVE_HELD);
        return;
    }
    out_printf(out, "{ %s; if (!chx_receive(chx_this, %s, %u, &chx_value, sizeof chx_value)) %s ",
               shape_declare(f->arena, &shape, "chx_value"), in, op->arrives, function_wait(f, label));
    value_store(&f->ctx, op->site, op->target, &op->at, "chx_value", &shape, STORE_MOVE);
    out_puts(out, "}");
}
