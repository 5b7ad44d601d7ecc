// Statements of a sequential program that have no others inside.

#include "compiler/central/internal.h"

RoleContext *select_party(SequentialFunction *seq, const CentralParty *party)
{
    CentralEmit *central = seq->central;
    RoleContext *ctx = &seq->ctx;
    RoleId role = party->role;
    ctx->role = role;
    ctx->member = party->member;
    if (central->program->is_family[role])
        ctx->variables = arena_printf(central->arena, "%s.", central_place(central, "chx_here", role, party->member));
    else
        ctx->variables = arena_printf(central->arena, "%s->", central_me(central, role));
    ctx->functions = arena_printf(central->arena, "%s_chx_%s(chx_this)->", central->program->name,
                                  central->program->role_names[role]);
    ctx->uses_variables = false;
    return ctx;
}

RoleContext *select_one(SequentialFunction *seq, RoleId id)
{
    CentralParty party = central_party(seq->central, id);
    return select_party(seq, &party);
}

void note_use(SequentialFunction *seq)
{
    seq->uses_role[seq->ctx.role] |= seq->ctx.uses_variables && !seq->central->program->is_family[seq->ctx.role];
}

void begin_statement(SequentialFunction *seq, const Node *node)
{
    out_statement(&seq->ctx.out, context_line(&seq->ctx, node->span));
}

// ---- simple statements ----

void sequential_step(SequentialFunction *seq, const Node *node)
{
    CentralParties parties = central_parties(seq->central, &node->at);
    for (size_t i = 0; i < parties.count; i++) {
        RoleContext *ctx = select_party(seq, &parties.items[i]);
        begin_statement(seq, node);
        out_printf(&ctx->out, "%s%s; ", parties.items[i].before, context_step_begin(ctx, node->site, node->span));
        value_step(ctx, node->site, &node->at, node->target, node->op, node->value);
        if (node->value != NULL && node->value->has_call)
            out_puts(&ctx->out, " chx_step_end(chx_this);");
        out_puts(&ctx->out, parties.items[i].after);
        note_use(seq);
    }
}

static Shape message_shape(SequentialFunction *seq, const Node *node)
{
    const Pattern *pattern = node->to.pattern;
    TypeTable *types = seq->ctx.types;
    if (pattern->kind != PATTERN_TUPLE && !node->sent.is_tuple)
        return types_shape(types, pattern->type != NULL ? pattern->type : node->sent.exprs.items[0]->type);
    size_t count = node->sent.exprs.count;
    const CType **parts = ARENA_ARRAY(seq->central->arena, const CType *, count);
    for (size_t i = 0; i < count; i++) {
        bool has_part = pattern->kind == PATTERN_TUPLE && i < pattern->parts.count;
        const CType *type = has_part ? pattern->parts.items[i]->type : NULL;
        parts[i] = type != NULL ? type : node->sent.exprs.items[i]->type;
    }
    return types_tuple(types, parts, count);
}

void sequential_delivery(SequentialFunction *seq, const Node *node)
{
    Shape shape = message_shape(seq, node);
    CentralParties parties = central_parties(seq->central, &node->to.at);
    RoleContext *ctx = select_one(seq, node->from);
    Out *out = &ctx->out;
    begin_statement(seq, node);
    out_printf(out, "{ %s; ", context_step_begin(ctx, node->site, node->span));
    Gathered gathered = value_gather(ctx, "chx_value", &shape, &node->sent);
    note_use(seq);
    for (size_t i = 0; i < parties.count; i++) {
        ctx = select_party(seq, &parties.items[i]);
        out_puts(out, parties.items[i].before);
        value_store(ctx, node->site, node->to.pattern, &node->to.at, "chx_value", &shape, STORE_COPY);
        out_puts(out, parties.items[i].after);
        note_use(seq);
    }
    ctx = select_one(seq, node->from);
    value_release_all(ctx, &gathered);
    out_puts(out, "(void)chx_value; chx_step_end(chx_this); }");
}

// Each of the others with the first.
void sequential_agree(SequentialFunction *seq, const Node *node)
{
    const Pattern *target = node->target;
    CentralParties parties = central_parties(seq->central, &node->at);
    RoleId first = teller_of(seq->central->program, &node->at);
    const CType *type = NULL;
    RoleContext *ctx = select_one(seq, first);
    const char *one = value_place(ctx, target, &node->at, &type);
    note_use(seq);
    for (size_t i = 0; i < parties.count; i++) {
        if (parties.items[i].role == first && !seq->central->program->is_family[first])
            continue;
        const char *other = value_place(select_party(seq, &parties.items[i]), target, &node->at, &type);
        note_use(seq);
        begin_statement(seq, node);
        ctx = select_one(seq, first);
        out_printf(&ctx->out, "%s%s; chx_central_agree(chx_this, &%s, &%s, &%s, %s); chx_step_end(chx_this);%s",
                   parties.items[i].before, context_step_begin(ctx, node->site, node->span),
                   types_use(ctx->types, type), one, other, value_disagreement(ctx, &node->at, target),
                   parties.items[i].after);
    }
}

// ---- arms ----

void sequential_elements(SequentialFunction *seq, const Node *node, bool is_end)
{
    CentralEmit *central = seq->central;
    for (size_t i = 0; i < node->elements.count; i++) {
        const ArmElement *element = &node->elements.items[i];
        CentralParty party = central_all(central, element->array->role);
        const char *place = central_place(central, "chx_here", party.role, party.member);
        const char *one = arena_printf(central->arena, "%s.%s", place, element->element->c_name);
        const char *in_array = arena_printf(central->arena, "%s.%s[%s]", place, element->array->c_name,
                                            central_index(central, element->index->each->view));
        begin_statement(seq, node);
        out_printf(&seq->ctx.out, "%schx_set(&%s, &%s, &%s);%s", party.before,
                   types_use(seq->ctx.types, element->element->type), is_end ? in_array : one, is_end ? one : in_array,
                   party.after);
    }
}
