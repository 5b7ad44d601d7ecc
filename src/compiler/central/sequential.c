// One instance as a sequential C function, which does what all roles do, in the order written.

#include "base/check.h"
#include "compiler/central/internal.h"

#include <inttypes.h>
#include <string.h>

// The C function of an instance, or of the body or rescue of a checkpoint in it. The latter return a number that says how
// they were left (WAY_END and the others below), so that the function that has called them goes on in the right place.
typedef struct SequentialFunction SequentialFunction;
struct SequentialFunction {
    CentralEmit *central;
    const Instance *instance;
    RoleContext ctx;
    bool *uses_role;             // by role: its variables are used
    bool starts_again;           // a call of itself in tail position
    uint32_t *loops;             // of the instance
    LoopLabels *loop;            // the innermost one in this function
    SequentialFunction *outer;   // NULL: this is the instance's own
    Out *functions;              // where a finished one goes
    VECTOR(uint32_t) ways;       // out of this function
    VECTOR(uint32_t) block_ways; // out of the latest checkpoint in it
};

// How a body or rescue is left: at its end, or by a jump to a place outside of it.
enum { WAY_END, WAY_RETURN, WAY_LOOPS }; // then two per loop: break, continue

static void put_nodes(SequentialFunction *seq, const NodeList *nodes);

// ---- frames ----

static const char *me_of(const CentralEmit *central, RoleId role)
{
    const char *name = central->program->role_names[role];
    return central->program->role_name_taken[role] ? arena_printf(central->arena, "chx_%s", name) : name;
}

static void put_role_structs(CentralEmit *central, const Instance *instance, bool *has_variables, Out *out)
{
    const Program *program = central->program;
    for (size_t i = 0; i < instance->variables.count; i++)
        has_variables[instance->variables.items[i]->role] = true;
    for (RoleId role = 0; role < program->role_count; role++) {
        if (!has_variables[role])
            continue;
        out_printf(out, "struct %s_%s_chx_%s {\n", program->name, instance->name, program->role_names[role]);
        for (size_t i = 0; i < instance->variables.count; i++) {
            const Variable *variable = instance->variables.items[i];
            if (variable->role == role)
                out_printf(out, "    %s;\n", emit_variable(central->arena, variable));
        }
        out_puts(out, "};\n");
    }
}

static void put_frame_struct(CentralEmit *central, const Instance *instance, const bool *has_variables, Out *out)
{
    const Program *program = central->program;
    const char *name = arena_printf(central->arena, "%s_%s", program->name, instance->name);
    out_printf(out, "struct %s_chx_frame {\n    chx_frame chx_head;\n", name);
    if (instance->results.count > 0)
        out_puts(out, "    struct {\n");
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        if (result == NULL)
            continue;
        Shape shape = emit_result_shape(&central->emit.types, result);
        out_printf(out, "        %s;\n", shape_declare(central->arena, &shape, program->role_names[role]));
    }
    if (instance->results.count > 0)
        out_puts(out, "    } chx_results;\n");
    for (RoleId role = 0; role < program->role_count; role++) {
        if (has_variables[role])
            out_printf(out, "    struct %s_chx_%s %s;\n", name, program->role_names[role], program->role_names[role]);
    }
    out_puts(out, "};\n");
}

void sequential_frame(CentralEmit *central, const Instance *instance, Out *out)
{
    const Program *program = central->program;
    TypeTable *types = &central->emit.types;
    const char *name = arena_printf(central->arena, "%s_%s", program->name, instance->name);
    bool *has_variables = ARENA_ARRAY(central->arena, bool, program->role_count);
    out_printf(out, "\n/* %s */\n", instance->name);
    put_role_structs(central, instance, has_variables, out);
    put_frame_struct(central, instance, has_variables, out);

    // What the runtime must drop comes first.
    size_t count = 0, owned_count = 0;
    Out table;
    out_init(&table, central->arena, central->emit.source_literal);
    for (int owning = 1; owning >= 0; owning--) {
        for (size_t i = 0; i < instance->variables.count; i++) {
            const Variable *variable = instance->variables.items[i];
            if (variable->type->is_owning != (owning == 1))
                continue;
            out_printf(&table, "    {\"%s\", offsetof(struct %s_chx_frame, %s.%s), &%s},\n", variable->name, name,
                       program->role_names[variable->role], variable->c_name, emit_variable_type(types, variable));
            count++;
        }
        for (RoleId role = 0; role < program->role_count; role++) {
            const Result *result = instance_result(instance, role);
            Shape shape = result != NULL ? emit_result_shape(types, result) : (Shape){0};
            if (result == NULL || shape.is_owning != (owning == 1))
                continue;
            out_printf(&table, "    {\"result\", offsetof(struct %s_chx_frame, chx_results.%s), &%s},\n", name,
                       program->role_names[role], shape.descriptor);
            count++;
        }
        if (owning == 1)
            owned_count = count;
    }
    if (count > 0) {
        out_printf(out, "static const chx_variable %s_chx_variables[] CHX_UNUSED = {\n", name);
        out_append(out, &table);
        out_puts(out, "};\n");
    }
    const char *variables = count > 0 ? arena_printf(central->arena, "%s_chx_variables", name) : "NULL";
    out_printf(out, "static const chx_function %s_chx_function CHX_UNUSED = {\n", name);
    out_printf(out, "    \"%s\", NULL, sizeof(struct %s_chx_frame), NULL, %s, %zu, %zu, 0, 0, 0,\n};\n", instance->name,
               name, variables, count, owned_count);
    out_printf(out, "static void %s_chx_sequential(chx_self *chx_this, struct %s_chx_frame *chx_here) CHX_UNUSED;\n",
               name, name);
}

// ---- small things ----

// From here on, names mean this role's.
static RoleContext *select_role(SequentialFunction *seq, RoleId role)
{
    CentralEmit *central = seq->central;
    RoleContext *ctx = &seq->ctx;
    ctx->role = role;
    ctx->variables = arena_printf(central->arena, "%s->", me_of(central, role));
    ctx->functions = arena_printf(central->arena, "%s_chx_%s(chx_this)->", central->program->name,
                                  central->program->role_names[role]);
    ctx->uses_variables = false;
    return ctx;
}

// Remembers whether the selected role's variables were used: the function then needs a pointer to them.
static void note_use(SequentialFunction *seq)
{
    seq->uses_role[seq->ctx.role] |= seq->ctx.uses_variables;
}

static void begin_statement(SequentialFunction *seq, const Node *node)
{
    out_statement(&seq->ctx.out, context_line(&seq->ctx, node->span));
}

static bool ends_in_jump(const NodeList *nodes)
{
    if (nodes->count == 0)
        return false;
    const Node *last = nodes->items[nodes->count - 1];
    if (last->kind == NODE_BLOCK || last->kind == NODE_PAR || last->kind == NODE_ARM)
        return ends_in_jump(&last->body);
    return last->kind == NODE_RETURN || last->kind == NODE_BREAK || last->kind == NODE_CONTINUE;
}

static const char *frame_role(const SequentialFunction *seq, const char *frame, RoleId role)
{
    return arena_printf(seq->central->arena, "%s->%s", frame, seq->central->program->role_names[role]);
}

static const char *frame_result(const SequentialFunction *seq, const char *frame, RoleId role)
{
    return arena_printf(seq->central->arena, "%s->chx_results.%s", frame, seq->central->program->role_names[role]);
}

// ---- simple statements ----

static void put_step(SequentialFunction *seq, const Node *node)
{
    for (ROLESET_EACH(role, &node->at)) {
        RoleContext *ctx = select_role(seq, role);
        begin_statement(seq, node);
        out_printf(&ctx->out, "%s; ", context_step_begin(ctx, node->site, node->span));
        value_step(ctx, node->site, &node->at, node->target, node->op, node->value);
        if (node->value != NULL && node->value->has_call)
            out_puts(&ctx->out, " chx_step_end(chx_this);");
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

static void put_delivery(SequentialFunction *seq, const Node *node)
{
    Shape shape = message_shape(seq, node);
    RoleContext *ctx = select_role(seq, node->from);
    Out *out = &ctx->out;
    begin_statement(seq, node);
    out_printf(out, "{ %s; ", context_step_begin(ctx, node->site, node->span));
    Gathered gathered = value_gather(ctx, "chx_value", &shape, &node->sent);
    note_use(seq);
    for (ROLESET_EACH(role, &node->to.at)) {
        ctx = select_role(seq, role);
        value_store(ctx, node->site, node->to.pattern, &node->to.at, "chx_value", &shape, STORE_COPY);
        note_use(seq);
    }
    ctx = select_role(seq, node->from);
    value_release_all(ctx, &gathered);
    out_puts(out, "(void)chx_value; chx_step_end(chx_this); }");
}

// Each of the others with the first.
static void put_agree(SequentialFunction *seq, const Node *node)
{
    const Pattern *target = node->target;
    RoleId first = roleset_next(&node->at, 0);
    const CType *type = NULL;
    RoleContext *ctx = select_role(seq, first);
    const char *one = value_place(ctx, target, &node->at, &type);
    note_use(seq);
    for (ROLESET_EACH(role, &node->at)) {
        if (role == first)
            continue;
        const char *other = value_place(select_role(seq, role), target, &node->at, &type);
        note_use(seq);
        begin_statement(seq, node);
        ctx = select_role(seq, first);
        out_printf(&ctx->out, "%s; chx_central_agree(chx_this, &%s, &%s, &%s, %s); chx_step_end(chx_this);",
                   context_step_begin(ctx, node->site, node->span), types_use(ctx->types, type), one, other,
                   value_disagreement(ctx, &node->at, target));
    }
}

// ---- calls and returns ----

// Computes the arguments into the parameters of the frame `chx_callee`.
static void put_args(SequentialFunction *seq, const Node *node)
{
    for (size_t i = 0; i < node->args.count; i++) {
        const Param *param = &node->callee->params.items[i];
        const Expr *expr = node->args.items[i].exprs.items[0];
        for (size_t k = 0; k < param->variables.count; k++) {
            const Variable *variable = param->variables.items[k];
            RoleContext *ctx = select_role(seq, variable->role);
            const char *place =
                arena_printf(ctx->arena, "%s.%s", frame_role(seq, "chx_callee", variable->role), variable->c_name);
            out_printf(&ctx->out, "%s; ", context_step_begin(ctx, node->site, node->span));
            value_assign(ctx, place, variable->type, expr);
            note_use(seq);
        }
    }
}

// Our result at `role` from the callee's, with C's conversions.
static void put_passed_result(SequentialFunction *seq, const Node *node, RoleId role)
{
    RoleContext *ctx = select_role(seq, role);
    const Result *ours = instance_result(seq->instance, role);
    const Result *theirs = instance_result(node->callee, role);
    CHECK(theirs != NULL);
    for (size_t i = 0; i < ours->types.count; i++) {
        const CType *type = ours->types.items[i];
        const char *member = ours->is_tuple ? arena_printf(ctx->arena, ".v%zu", i) : "";
        const char *to = arena_printf(ctx->arena, "%s%s", frame_result(seq, "chx_here", role), member);
        const char *from = arena_printf(ctx->arena, "%s%s", frame_result(seq, "chx_callee", role), member);
        if (type->is_owning)
            out_printf(&ctx->out, "chx_set(&%s, &%s, &%s); ", types_use(ctx->types, type), to, from);
        else if (type->kind == CTYPE_ARRAY)
            out_printf(&ctx->out, "memcpy(%s, %s, sizeof %s); ", to, from, to);
        else
            out_printf(&ctx->out, "%s = %s; ", to, from);
    }
}

static void put_call(SequentialFunction *seq, const Node *node)
{
    CentralEmit *central = seq->central;
    Out *out = &seq->ctx.out;
    const char *callee = arena_printf(central->arena, "%s_%s", central->program->name, node->callee->name);
    begin_statement(seq, node);
    out_printf(out, "{ struct %s_chx_frame *chx_callee = chx_call(chx_this, &%s_chx_function); ", callee, callee);
    put_args(seq, node);
    out_printf(out, "chx_step_end(chx_this); %s_chx_sequential(chx_this, chx_callee); ", callee);
    for (size_t i = 0; node->kind == NODE_CALL && i < node->results.count; i++) {
        const LocatedPattern *target = &node->results.items[i];
        for (ROLESET_EACH(role, &target->at)) {
            RoleContext *ctx = select_role(seq, role);
            Shape shape = emit_result_shape(ctx->types, instance_result(node->callee, role));
            value_store(ctx, node->site, target->pattern, &target->at, frame_result(seq, "chx_callee", role), &shape,
                        STORE_COPY);
            note_use(seq);
        }
    }
    if (node->kind == NODE_RETURN) {
        for (RoleId role = 0; role < central->program->role_count; role++) {
            if (instance_result(seq->instance, role) != NULL)
                put_passed_result(seq, node, role);
        }
    }
    out_puts(out, "(void)chx_return_slow(chx_this); }");
}

// `return` of a call of the same function takes no C stack: the arguments go into our own parameters, then it starts
// from the top.
static void put_call_again(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    begin_statement(seq, node);
    out_printf(out, "{ struct %s_%s_chx_frame *chx_callee = chx_call(chx_this, &%s_%s_chx_function); ",
               seq->central->program->name, seq->instance->name, seq->central->program->name, seq->instance->name);
    put_args(seq, node);
    for (size_t i = 0; i < seq->instance->params.count; i++) {
        const VariableList *variables = &seq->instance->params.items[i].variables;
        for (size_t k = 0; k < variables->count; k++) {
            const Variable *variable = variables->items[k];
            const char *to = frame_role(seq, "chx_here", variable->role);
            const char *from = frame_role(seq, "chx_callee", variable->role);
            out_printf(out, "chx_set(&%s, &%s.%s, &%s.%s); ", types_use(seq->ctx.types, variable->type), to,
                       variable->c_name, from, variable->c_name);
        }
    }
    out_puts(out, "chx_step_end(chx_this); (void)chx_return_slow(chx_this); goto chx_again; }");
    seq->starts_again = true;
}

// Leaves the function of a body or rescue; the number tells the function that has called it where to go on.
static void put_way(SequentialFunction *seq, uint32_t way)
{
    bool is_known = false;
    for (size_t i = 0; i < seq->ways.count; i++)
        is_known |= seq->ways.items[i] == way;
    if (!is_known)
        vector_push(seq->central->arena, &seq->ways, way);
    out_printf(&seq->ctx.out, "return %u;", way);
}

static void put_leave(SequentialFunction *seq)
{
    if (seq->outer == NULL)
        out_puts(&seq->ctx.out, "return;");
    else
        put_way(seq, WAY_RETURN);
}

static void put_return(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    if (node->callee == seq->instance && seq->outer == NULL) {
        put_call_again(seq, node);
        return;
    }
    if (node->callee != NULL)
        put_call(seq, node);
    for (size_t i = 0; node->callee == NULL && i < node->values.count; i++) {
        const Result *result = &seq->instance->results.items[i];
        const Value *value = &node->values.items[i];
        for (ROLESET_EACH(role, &result->at)) {
            RoleContext *ctx = select_role(seq, role);
            begin_statement(seq, node);
            out_printf(out, "%s; ", context_step_begin(ctx, node->site, node->span));
            for (size_t k = 0; k < value->exprs.count; k++) {
                const char *place = frame_result(seq, "chx_here", role);
                if (result->is_tuple)
                    place = arena_printf(ctx->arena, "%s.v%zu", place, k);
                value_assign(ctx, place, result->types.items[k], value->exprs.items[k]);
            }
            note_use(seq);
        }
    }
    begin_statement(seq, node);
    out_puts(out, "chx_step_end(chx_this); ");
    put_leave(seq);
}

// ---- choices and loops ----

// The first role that decides computes the condition: from here on names mean its own. Returns the step that begins.
static const char *select_decider(SequentialFunction *seq, const Node *node)
{
    RoleContext *ctx = select_role(seq, roleset_next(&node->deciders, 0));
    return context_step_begin(ctx, node->site, node->head);
}

static void put_if(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    begin_statement(seq, node);
    control_if(&seq->ctx, select_decider(seq, node), node->condition);
    note_use(seq);
    put_nodes(seq, &node->branches.items[0].body);
    const NodeList *rest = &node->branches.items[1].body;
    const Node *next = rest->count == 1 ? rest->items[0] : NULL;
    if (next != NULL && next->kind == NODE_CHOICE && !next->is_switch) {
        // A chain of else-ifs may be longer than a C compiler lets blocks be nested.
        control_close(out, "} else");
        put_if(seq, next);
        return;
    }
    if (rest->count > 0) {
        control_else(out);
        put_nodes(seq, rest);
    }
    control_close(out, "}");
}

static void put_switch(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    control_switch_begin(seq->loop);
    begin_statement(seq, node);
    out_puts(out, "switch (");
    control_condition(&seq->ctx, select_decider(seq, node), node->condition, false);
    note_use(seq);
    out_puts(out, ") {");
    for (size_t i = 0; i < node->branches.count; i++) {
        const Branch *branch = &node->branches.items[i];
        out_statement(out, context_line(&seq->ctx, branch->is_implied ? node->span : branch->span));
        select_role(seq, roleset_next(&node->deciders, 0));
        control_labels(&seq->ctx, &branch->labels, branch->is_default);
        control_case_begin(out, true);
        put_nodes(seq, &branch->body);
        control_case_end(out, ends_in_jump(&branch->body));
    }
    control_switch_end(out, seq->loop);
}

static void put_loop(SequentialFunction *seq, const Node *node)
{
    LoopLabels loop = {.number = ++*seq->loops, .plain_continue = node->step.count == 0, .outer = seq->loop};
    if (node->condition != NULL)
        loop.head = node->loop == LOOP_DO ? LOOP_HEAD_DO : LOOP_HEAD_WHILE;
    seq->loop = &loop;
    begin_statement(seq, node);
    const char *step = node->condition != NULL ? select_decider(seq, node) : NULL;
    control_loop_begin(&seq->ctx, &loop, step, node->condition);
    note_use(seq);
    put_nodes(seq, &node->body);
    control_loop_turn(&seq->ctx.out, &loop);
    put_nodes(seq, &node->step);
    if (node->condition != NULL)
        select_decider(seq, node);
    control_loop_end(&seq->ctx, &loop, step, node->condition);
    note_use(seq);
    seq->loop = loop.outer;
}

// A `break` or `continue` of `loop`; if it is not one of this function, of a loop around it.
static void put_loop_jump(SequentialFunction *seq, LoopLabels *loop, bool is_break, bool in_switch)
{
    if (seq->loop != loop)
        put_way(seq, WAY_LOOPS + 2 * loop->number + !is_break);
    else
        control_jump(&seq->ctx.out, loop, is_break, in_switch);
}

static LoopLabels *innermost_loop(const SequentialFunction *seq)
{
    while (seq->loop == NULL && seq->outer != NULL)
        seq = seq->outer;
    CHECK(seq->loop != NULL);
    return seq->loop;
}

static void put_jump(SequentialFunction *seq, const Node *node)
{
    LoopLabels *loop = innermost_loop(seq);
    begin_statement(seq, node);
    put_loop_jump(seq, loop, node->kind == NODE_BREAK, loop->switches > 0);
}

// ---- checkpoints ----

static void sequential_init(SequentialFunction *seq, CentralEmit *central, const Instance *instance, Out *functions)
{
    *seq = (SequentialFunction){.central = central, .instance = instance, .functions = functions};
    seq->ctx = (RoleContext){
        .arena = central->arena,
        .program = central->program,
        .types = &central->emit.types,
        .is_central = true,
    };
    seq->uses_role = ARENA_ARRAY(central->arena, bool, central->program->role_count);
    out_init(&seq->ctx.out, central->arena,
             emit_file(&central->emit, instance->def != NULL ? instance->def->span : SPAN_NONE));
    seq->ctx.out.indent = 1;
}

static void put_function(SequentialFunction *seq, Span span, const char *declaration)
{
    const Program *program = seq->central->program;
    const char *name = arena_printf(seq->central->arena, "%s_%s", program->name, seq->instance->name);
    Out *out = seq->functions;
    out_own(out);
    out_puts(out, "\n");
    out_file(out, emit_file(&seq->central->emit, span));
    out_statement(out, context_line(&seq->ctx, span));
    out_printf(out, "static %s {\n", declaration);
    out_own(out);
    if (seq->outer != NULL)
        out_printf(out, "    struct %s_chx_frame *chx_here = chx_variables;\n", name);
    out_puts(out, "    (void)chx_this;\n    (void)chx_here;\n");
    for (RoleId role = 0; role < program->role_count; role++) {
        if (seq->uses_role[role])
            out_printf(out, "    struct %s_chx_%s *%s = &chx_here->%s;\n", name, program->role_names[role],
                       me_of(seq->central, role), program->role_names[role]);
    }
    if (seq->starts_again)
        out_puts(out, "chx_again:;\n");
    out_append(out, &seq->ctx.out);
    out_own(out);
    out_puts(out, "}\n");
}

static void put_faults(SequentialFunction *seq, const Node *node)
{
    for (size_t i = 0; i < node->fault_variables.count; i++) {
        const Variable *variable = node->fault_variables.items[i];
        begin_statement(seq, node);
        out_printf(&seq->ctx.out, "%s->%s = *chx_why;", me_of(seq->central, variable->role), variable->c_name);
        seq->uses_role[variable->role] = true;
    }
    out_own(&seq->ctx.out);
    if (node->fault_variables.count == 0)
        out_puts(&seq->ctx.out, "    (void)chx_why;\n");
}

// The body or rescue as a function of its own; the ways that it is left go to `outer`.
static void put_part(SequentialFunction *outer, const Node *node, const char *name, bool is_rescue)
{
    SequentialFunction seq;
    sequential_init(&seq, outer->central, outer->instance, outer->functions);
    seq.outer = outer;
    seq.loops = outer->loops;
    if (is_rescue)
        put_faults(&seq, node);
    const NodeList *nodes = is_rescue ? &node->rescue : &node->body;
    put_nodes(&seq, nodes);
    if (!ends_in_jump(nodes)) {
        begin_statement(&seq, node);
        out_printf(&seq.ctx.out, "return %d;", WAY_END);
    }
    put_function(&seq, node->span,
                 arena_printf(seq.central->arena, "int %s(chx_self *chx_this, void *chx_variables%s)", name,
                              is_rescue ? ", const chx_fault *chx_why" : ""));
    for (size_t i = 0; i < seq.ways.count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < outer->block_ways.count; k++)
            is_known |= outer->block_ways.items[k] == seq.ways.items[i];
        if (!is_known)
            vector_push(outer->central->arena, &outer->block_ways, seq.ways.items[i]);
    }
}

static void put_ways(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    for (size_t i = 0; i < seq->block_ways.count; i++) {
        uint32_t way = seq->block_ways.items[i];
        begin_statement(seq, node);
        out_printf(out, "case %u: ", way);
        if (way == WAY_RETURN)
            put_leave(seq);
        else
            put_loop_jump(seq, innermost_loop(seq), (way - WAY_LOOPS) % 2 == 0, true);
    }
}

static void put_checkpoint(SequentialFunction *seq, const Node *node)
{
    Out *out = &seq->ctx.out;
    Arena *arena = seq->central->arena;
    const char *name = arena_printf(arena, "%s_%s_chx", seq->central->program->name, seq->instance->name);
    const char *body = arena_printf(arena, "%s_body_%u", name, node->site);
    const char *rescue = node->has_rescue ? arena_printf(arena, "%s_rescue_%u", name, node->site) : "NULL";
    seq->block_ways.count = 0;
    put_part(seq, node, body, false);
    if (node->has_rescue)
        put_part(seq, node, rescue, true);

    begin_statement(seq, node);
    out_printf(out,
               "switch (chx_central_checkpoint(chx_this, chx_here, %u, %u, UINT64_C(%" PRIu64 "), %u, %s, %s, %s)) {",
               number_of_statement(seq->central->numbers, node->site), node->has_retry ? node->retry : 0,
               node->has_within ? node->within_ns : 0, context_line(&seq->ctx, node->span),
               node->is_round ? "true" : "false", body, rescue);
    put_ways(seq, node);
    begin_statement(seq, node);
    out_puts(out, "default: break;");
    out->indent++;
    control_close(&seq->ctx.out, "}");
}

static void put_node(SequentialFunction *seq, const Node *node)
{
    switch (node->kind) {
    case NODE_STEP:
        put_step(seq, node);
        break;
    case NODE_DELIVERY:
        put_delivery(seq, node);
        break;
    case NODE_AGREE:
        put_agree(seq, node);
        break;
    case NODE_CALL:
        put_call(seq, node);
        break;
    case NODE_CHOICE:
        if (node->is_switch)
            put_switch(seq, node);
        else
            put_if(seq, node);
        break;
    case NODE_LOOP:
        put_loop(seq, node);
        break;
    case NODE_EACH: // the driver refuses it
        CHECK(false);
    case NODE_BREAK:
    case NODE_CONTINUE:
        put_jump(seq, node);
        break;
    case NODE_RETURN:
        put_return(seq, node);
        break;
    case NODE_BLOCK:
    case NODE_PAR: // its arms one after the other
    case NODE_ARM:
        put_nodes(seq, &node->body);
        break;
    case NODE_CHECKPOINT:
        put_checkpoint(seq, node);
        break;
    }
}

static void put_nodes(SequentialFunction *seq, const NodeList *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        put_node(seq, nodes->items[i]);
}

void sequential_function(CentralEmit *central, const Instance *instance, Out *out)
{
    uint32_t loops = 0;
    SequentialFunction seq;
    sequential_init(&seq, central, instance, out);
    seq.loops = &loops;
    put_nodes(&seq, &instance->body);
    const char *name = arena_printf(central->arena, "%s_%s", central->program->name, instance->name);
    put_function(&seq, instance->def != NULL ? instance->def->span : SPAN_NONE,
                 arena_printf(central->arena,
                              "void %s_chx_sequential(chx_self *chx_this, struct %s_chx_frame *chx_here)", name, name));
}
