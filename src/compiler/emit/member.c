// Members of families: who of them does an operation, channels to and from them, and loops over them.

#include "compiler/emit/function.h"

const char *member_index(FunctionEmit *f, const LocalOp *op, RoleId view)
{
    const Variable *variable =
        op->kind == LOCAL_EACH && op->view == view ? op->position : view_index(op->node, view, f->ctx.role);
    f->ctx.uses_variables = true;
    return arena_printf(f->arena, "%s->%s", f->role->me, variable->c_name);
}

const char *member_is_one_of(FunctionEmit *f, const LocalOp *op, const RoleSet *who)
{
    const char *text = NULL;
    for (ROLESET_EACH(id, who))
        if (id != f->ctx.role)
            text = arena_printf(f->arena, "%s%s%s == chx_me(chx_this)", text == NULL ? "" : text,
                                text == NULL ? "" : " || ", member_index(f, op, id));
    if (!roleset_has(who, f->ctx.role))
        return text;
    // And whoever is none of the members that are singled out here.
    const char *rest = NULL;
    for (const Node *each = op->node->around; each != NULL; each = each->around)
        if (each->family == f->ctx.role)
            rest = arena_printf(f->arena, "%s%s%s != chx_me(chx_this)", rest == NULL ? "" : rest,
                                rest == NULL ? "" : " && ", member_index(f, op, each->view));
    if (rest == NULL)
        return NULL;
    return text == NULL ? rest : arena_printf(f->arena, "%s || (%s)", text, rest);
}

const char *member_guard(FunctionEmit *f, const LocalOp *op)
{
    const Program *program = f->role->program;
    bool is_inside = op->is_guarded && f->within != NULL && roleset_equal(f->within, &op->who);
    const char *guard = op->is_guarded && !is_inside ? member_is_one_of(f, op, &op->who) : NULL;
    // What a member sends itself it keeps.
    bool is_own = op->kind == LOCAL_RECEIVE && program->role_of[op->peer] == f->ctx.role;
    if (!is_own)
        return guard;
    const char *other = arena_printf(f->arena, "%s != chx_me(chx_this)", member_index(f, op, op->peer));
    return guard == NULL ? other : arena_printf(f->arena, "(%s) && %s", guard, other);
}

Receiver member_receiver(FunctionEmit *f, const LocalOp *op, RoleId to)
{
    const Program *program = f->role->program;
    RoleId role = program->role_of[to];
    const char *place = f->role->to[role];
    if (!program->is_family[role])
        return (Receiver){"", place, "", false};
    if (to == role)
        return (Receiver){
            arena_printf(f->arena,
                         "for (size_t chx_member = 0; chx_member < chx_members(chx_this, %u); chx_member++) %s{ ", role,
                         role == f->ctx.role ? "if (chx_member != chx_me(chx_this)) " : ""),
            arena_printf(f->arena, "chx_to_member(chx_this, %s, chx_member)", place), " }", true};
    const char *index = member_index(f, op, to);
    const char *channel = arena_printf(f->arena, "chx_to_member(chx_this, %s, %s)", place, index);
    if (role != f->ctx.role)
        return (Receiver){"", channel, "", false};
    return (Receiver){arena_printf(f->arena, "if (%s != chx_me(chx_this)) { ", index), channel, " }", true};
}

const char *member_sender(FunctionEmit *f, const LocalOp *op, RoleId from)
{
    RoleId role = f->role->program->role_of[from];
    if (role == from)
        return f->role->from[from];
    return arena_printf(f->arena, "chx_from_member(chx_this, %s, %s)", f->role->from[role], member_index(f, op, from));
}

// ---- loops over members ----

// One member, by its index, which everybody computes. Who is in charge fails if there is none.
static void put_chosen(FunctionEmit *f, const LocalOp *op)
{
    const char *index = member_index(f, op, op->view);
    function_statement(f, op);
    out_printf(&f->ctx.out, "%s; %s = (size_t)(", step_begin(f, op, false), index);
    value_expr(&f->ctx, op->index);
    out_puts(&f->ctx.out, "); ");
    const char *guard = NULL;
    if (op->in_charge != ROLE_NONE && op->in_charge != f->ctx.role)
        guard = arena_printf(f->arena, "%s == chx_me(chx_this)", member_index(f, op, op->in_charge));
    else if (op->in_charge != ROLE_NONE && f->role->program->is_family[f->ctx.role])
        guard = "chx_me(chx_this) == 0";
    if (op->in_charge != ROLE_NONE)
        out_printf(&f->ctx.out, "if (%s%s%s >= chx_members(chx_this, %u)) chx_no_member(chx_this, %u, %u, %s);",
                   guard == NULL ? "" : guard, guard == NULL ? "" : " && ", index, op->family, op->site, op->family,
                   index);
    function_ops(f, &op->body);
}

void each_put(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    if (op->index != NULL) {
        put_chosen(f, op);
        return;
    }
    const char *index = member_index(f, op, op->view);
    LoopLabels loop = {.number = ++f->loops, .outer = f->loop};
    RoleSet own = roleset_one(f->arena, f->role->program->id_count, op->view);
    const RoleSet *within = f->within;
    f->loop = &loop;
    f->within = op->is_own ? &own : f->within;
    function_statement(f, op);
    out_printf(out, "%s = %s; ", index, op->is_own ? "chx_me(chx_this)" : "0");
    control_loop_begin(&f->ctx, &loop, NULL, NULL);
    if (!op->is_own) {
        function_statement(f, op);
        out_printf(out, "if (%s >= chx_members(chx_this, %u)) break;", index, op->family);
    }
    function_ops(f, &op->body);
    control_loop_turn(out, &loop);
    function_statement(f, op);
    if (op->is_own)
        out_puts(out, "break;");
    else
        out_printf(out, "%s++;", index);
    control_loop_end(&f->ctx, &loop, NULL, NULL);
    f->within = within;
    f->loop = loop.outer;
}
