// Calls of choreographic functions in a sequential program, and their results.

#include "base/check.h"
#include "compiler/central/internal.h"

// Computes the arguments into the parameters of the frame `chx_callee`, and says which members its role parameters are.
static void put_args(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    const NodeList *members = &node->callee->members;
    for (size_t i = 0; i < members->count; i++)
        out_printf(out, "chx_callee->chx_index_%u = %s; ", members->items[i]->view,
                   central_index(seq->central, given_role(node, members->items[i]->view)));
    for (size_t i = 0; i < node->args.count; i++) {
        const Param *param = &node->callee->params.items[i];
        const Expr *expr = node->args.items[i].exprs.items[0];
        CentralParties parties = central_given(seq->central, node, &param->at);
        for (size_t k = 0; k < parties.count; k++) {
            const CentralParty *party = &parties.items[k];
            const Variable *variable = variable_of_role(&param->variables, party->role);
            RoleContext *ctx = select_party(seq, party);
            const char *place =
                arena_printf(ctx->arena, "%s.%s", central_place(seq->central, "chx_callee", party->role, party->member),
                             variable->c_name);
            out_printf(out, "%s%s; ", party->before, context_step_begin(ctx, node->site, node->span));
            value_assign(ctx, place, variable->type, expr);
            out_puts(out, party->after);
            note_use(seq);
        }
    }
}

// Our result from the callee's, with C's conversions.
static void put_passed_result(SequentialFunction *seq, const Node *node, const Result *ours, const CentralParty *party)
{
    RoleContext *ctx = select_party(seq, party);
    CHECK(returned_result(node, &ours->at) != NULL);
    for (size_t i = 0; i < ours->types.count; i++) {
        const CType *type = ours->types.items[i];
        const char *part = ours->is_tuple ? arena_printf(ctx->arena, ".v%zu", i) : "";
        const char *to = arena_printf(ctx->arena, "%s%s", central_result(seq->central, "chx_here", party), part);
        const char *from = arena_printf(ctx->arena, "%s%s", central_result(seq->central, "chx_callee", party), part);
        if (type->is_owning)
            out_printf(&ctx->out, "chx_set(&%s, &%s, &%s); ", types_use(ctx->types, type), to, from);
        else if (type->kind == CTYPE_ARRAY)
            out_printf(&ctx->out, "memcpy(%s, %s, sizeof %s); ", to, from, to);
        else
            out_printf(&ctx->out, "%s = %s; ", to, from);
    }
}

static void put_passed_results(SequentialFunction *seq, const Node *node)
{
    for (size_t i = 0; i < seq->instance->results.count; i++) {
        const Result *ours = &seq->instance->results.items[i];
        CentralParties parties = central_parties(seq->central, &ours->at);
        for (size_t k = 0; k < parties.count; k++) {
            out_puts(&seq->ctx.out, parties.items[k].before);
            put_passed_result(seq, node, ours, &parties.items[k]);
            out_puts(&seq->ctx.out, parties.items[k].after);
        }
    }
}

static void put_call_result(SequentialFunction *seq, const Node *node, size_t index)
{
    const LocatedPattern *target = &node->results.items[index];
    CentralParties parties = central_parties(seq->central, &target->at);
    for (size_t i = 0; i < parties.count; i++) {
        RoleContext *ctx = select_party(seq, &parties.items[i]);
        Shape shape = emit_result_shape(ctx->types, call_result(node, index));
        out_puts(&ctx->out, parties.items[i].before);
        value_store(ctx, node->site, target->pattern, &target->at,
                    central_result(seq->central, "chx_callee", &parties.items[i]), &shape, STORE_COPY);
        out_puts(&ctx->out, parties.items[i].after);
        note_use(seq);
    }
}

// A frame `chx_callee` with the arguments in it.
static void put_callee(SequentialFunction *seq, const Node *node)
{
    CentralEmit *central = seq->central;
    Out *out = &seq->ctx.out;
    const char *callee = arena_printf(central->arena, "%s_%s", central->program->name, node->callee->name);
    begin_statement(seq, node);
    out_printf(out, "{ struct %s_chx_frame *chx_callee = chx_call(chx_this, &%s_chx_function); ", callee, callee);
    if (central_has_members(central, node->callee))
        out_printf(out, "%s_chx_room(chx_this, chx_callee); ", callee);
    put_args(seq, node);
    out_puts(out, "chx_step_end(chx_this); ");
}

void sequential_call(SequentialFunction *seq, const Node *node)
{
    CentralEmit *central = seq->central;
    put_callee(seq, node);
    out_printf(&seq->ctx.out, "%s_%s_chx_sequential(chx_this, chx_callee); ", central->program->name,
               node->callee->name);
    for (size_t i = 0; node->kind == NODE_CALL && i < node->results.count; i++)
        put_call_result(seq, node, i);
    if (node->kind == NODE_RETURN)
        put_passed_results(seq, node);
    out_puts(&seq->ctx.out, "(void)chx_return_slow(chx_this); }");
}

// `return` of a call of the same function takes no C stack: the arguments go into our own parameters, then it starts
// from the top. Members have nothing else from before.
void sequential_call_again(SequentialFunction *seq, const Node *node)
{
    CentralEmit *central = seq->central;
    const Instance *instance = seq->instance;
    Out *out = &seq->ctx.out;
    put_callee(seq, node);
    if (central_has_members(central, instance))
        out_printf(out, "%s_%s_chx_room(chx_this, chx_here); ", central->program->name, instance->name);
    for (size_t i = 0; i < instance->members.count; i++)
        out_printf(out, "chx_here->chx_index_%u = chx_callee->chx_index_%u; ", instance->members.items[i]->view,
                   instance->members.items[i]->view);
    for (size_t i = 0; i < instance->params.count; i++) {
        const VariableList *variables = &instance->params.items[i].variables;
        for (size_t k = 0; k < variables->count; k++) {
            const Variable *variable = variables->items[k];
            CentralParty party = central_all(central, variable->role);
            out_printf(out, "%schx_set(&%s, &%s.%s, &%s.%s); %s", party.before,
                       types_use(seq->ctx.types, variable->type),
                       central_place(central, "chx_here", party.role, party.member), variable->c_name,
                       central_place(central, "chx_callee", party.role, party.member), variable->c_name, party.after);
        }
    }
    out_puts(out, "(void)chx_return_slow(chx_this); goto chx_again; }");
    seq->starts_again = true;
}

void sequential_returned(SequentialFunction *seq, const Node *node, const Result *result, const Value *value)
{
    CentralParties parties = central_parties(seq->central, &result->at);
    for (size_t i = 0; i < parties.count; i++) {
        RoleContext *ctx = select_party(seq, &parties.items[i]);
        begin_statement(seq, node);
        out_printf(&ctx->out, "%s%s; ", parties.items[i].before, context_step_begin(ctx, node->site, node->span));
        for (size_t k = 0; k < value->exprs.count; k++) {
            const char *place = central_result(seq->central, "chx_here", &parties.items[i]);
            if (result->is_tuple)
                place = arena_printf(ctx->arena, "%s.v%zu", place, k);
            value_assign(ctx, place, result->types.items[k], value->exprs.items[k]);
        }
        out_puts(&ctx->out, parties.items[i].after);
        note_use(seq);
    }
}
