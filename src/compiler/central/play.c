// One instance as a C function: play(chx_this, frame) does what all roles do, in the order written.

#include "base/check.h"
#include "compiler/central/inside.h"

#include <inttypes.h>
#include <string.h>

typedef struct PlayLoop PlayLoop;
struct PlayLoop {
    uint32_t number;
    unsigned switches;   // C switches between the loop and the current place: `break` would leave those
    bool plain_continue; // C's `continue` does the right thing
    bool has_break, has_continue;
    PlayLoop *outer;
};

// A C function: of the instance, or of a checkpoint's body or rescue in it. Those return the way that they are left.
typedef struct Play Play;
struct Play {
    Central *central;
    const Instance *instance;
    Voice v;
    bool *speaks;                // by role: its variables are used
    bool starts_again;           // a call of itself in tail position
    uint32_t *loops;             // of the instance
    PlayLoop *loop;              // the innermost one in this function
    Play *outer;                 // NULL: this is the instance's own
    Out *functions;              // where a finished one goes
    VECTOR(uint32_t) ways;       // out of this function
    VECTOR(uint32_t) block_ways; // out of the latest checkpoint in it
};

// How a body or rescue is left: at its end, or by a jump to a place outside of it.
enum { WAY_END, WAY_RETURN, WAY_LOOPS }; // then two per loop: break, continue

static void put_nodes(Play *play, const NodeList *nodes);

// ---- frames ----

static const char *me_of(const Central *central, RoleId role)
{
    const char *name = central->program->role_names[role];
    return central->program->role_name_taken[role] ? arena_printf(central->arena, "chx_%s", name) : name;
}

static void put_role_structs(Central *central, const Instance *instance, bool *has_variables, Out *out)
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

static void put_frame_struct(Central *central, const Instance *instance, const bool *has_variables, Out *out)
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

void central_frame(Central *central, const Instance *instance, Out *out)
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
    out_printf(out, "    \"%s\", NULL, sizeof(struct %s_chx_frame), NULL, %s, %zu, %zu, 0,\n};\n", instance->name, name,
               variables, count, owned_count);
    out_printf(out, "static void %s_chx_play(chx_self *chx_this, struct %s_chx_frame *chx_here) CHX_UNUSED;\n", name,
               name);
}

// ---- small things ----

// From here on, names mean this role's.
static Voice *speak(Play *play, RoleId role)
{
    Central *central = play->central;
    Voice *v = &play->v;
    v->role = role;
    v->variables = arena_printf(central->arena, "%s->", me_of(central, role));
    v->functions = arena_printf(central->arena, "%s_chx_%s(chx_this)->", central->program->name,
                                central->program->role_names[role]);
    v->uses_variables = false;
    return v;
}

// Which roles' variables were used is known at the end only.
static void spoken(Play *play)
{
    play->speaks[play->v.role] |= play->v.uses_variables;
}

static void begin_statement(Play *play, const Node *node)
{
    out_statement(&play->v.out, voice_line(&play->v, node->span));
}

static void close_block(Play *play, const char *text)
{
    Out *out = &play->v.out;
    out->indent--;
    out_end_line(out);
    for (unsigned i = 0; i < out->indent; i++)
        out_puts(out, "    ");
    out_puts(out, text);
}

static bool ends_in_jump(const NodeList *nodes)
{
    if (nodes->count == 0)
        return false;
    const Node *last = nodes->items[nodes->count - 1];
    if (last->kind == NODE_BLOCK)
        return ends_in_jump(&last->body);
    return last->kind == NODE_RETURN || last->kind == NODE_BREAK || last->kind == NODE_CONTINUE;
}

static const char *frame_role(const Play *play, const char *frame, RoleId role)
{
    return arena_printf(play->central->arena, "%s->%s", frame, play->central->program->role_names[role]);
}

static const char *frame_result(const Play *play, const char *frame, RoleId role)
{
    return arena_printf(play->central->arena, "%s->chx_results.%s", frame, play->central->program->role_names[role]);
}

// ---- simple statements ----

static void put_step(Play *play, const Node *node)
{
    for (ROLESET_EACH(role, &node->at)) {
        Voice *v = speak(play, role);
        begin_statement(play, node);
        out_printf(&v->out, "%s; ", voice_at(v, node->site, node->span));
        value_step(v, node->site, &node->at, node->target, node->op, node->value);
        if (node->value != NULL && node->value->has_call)
            out_puts(&v->out, " chx_step_end(chx_this);");
        spoken(play);
    }
}

static Shape message_shape(Play *play, const Node *node)
{
    const Pattern *pattern = node->to.pattern;
    TypeTable *types = play->v.types;
    if (pattern->kind != PATTERN_TUPLE && !node->sent.is_tuple)
        return types_shape(types, pattern->type != NULL ? pattern->type : node->sent.exprs.items[0]->type);
    size_t count = node->sent.exprs.count;
    const CType **parts = ARENA_ARRAY(play->central->arena, const CType *, count);
    for (size_t i = 0; i < count; i++) {
        bool has_part = pattern->kind == PATTERN_TUPLE && i < pattern->parts.count;
        const CType *type = has_part ? pattern->parts.items[i]->type : NULL;
        parts[i] = type != NULL ? type : node->sent.exprs.items[i]->type;
    }
    return types_tuple(types, parts, count);
}

static void put_delivery(Play *play, const Node *node)
{
    Shape shape = message_shape(play, node);
    Voice *v = speak(play, node->from);
    Out *out = &v->out;
    begin_statement(play, node);
    out_printf(out, "{ %s; ", voice_at(v, node->site, node->span));
    Gathered gathered = value_gather(v, "chx_value", &shape, &node->sent);
    spoken(play);
    for (ROLESET_EACH(role, &node->to.at)) {
        v = speak(play, role);
        value_store(v, node->site, node->to.pattern, &node->to.at, "chx_value", &shape, STORE_COPY);
        spoken(play);
    }
    v = speak(play, node->from);
    value_release_all(v, &gathered);
    out_puts(out, "(void)chx_value; chx_step_end(chx_this); }");
}

// ---- calls and returns ----

// Computes the arguments into the parameters of the frame `chx_callee`.
static void put_args(Play *play, const Node *node)
{
    for (size_t i = 0; i < node->args.count; i++) {
        const Param *param = &node->callee->params.items[i];
        const Expr *expr = node->args.items[i].exprs.items[0];
        for (size_t k = 0; k < param->variables.count; k++) {
            const Variable *variable = param->variables.items[k];
            Voice *v = speak(play, variable->role);
            const char *place =
                arena_printf(v->arena, "%s.%s", frame_role(play, "chx_callee", variable->role), variable->c_name);
            out_printf(&v->out, "%s; ", voice_at(v, node->site, node->span));
            value_assign(v, place, variable->type, expr);
            spoken(play);
        }
    }
}

// Our result at `role` from the callee's, with C's conversions.
static void put_passed_result(Play *play, const Node *node, RoleId role)
{
    Voice *v = speak(play, role);
    const Result *ours = instance_result(play->instance, role);
    const Result *theirs = instance_result(node->callee, role);
    CHECK(theirs != NULL);
    for (size_t i = 0; i < ours->types.count; i++) {
        const CType *type = ours->types.items[i];
        const char *member = ours->is_tuple ? arena_printf(v->arena, ".v%zu", i) : "";
        const char *to = arena_printf(v->arena, "%s%s", frame_result(play, "chx_here", role), member);
        const char *from = arena_printf(v->arena, "%s%s", frame_result(play, "chx_callee", role), member);
        if (type->is_owning)
            out_printf(&v->out, "chx_set(&%s, &%s, &%s); ", types_use(v->types, type), to, from);
        else if (type->kind == CTYPE_ARRAY)
            out_printf(&v->out, "memcpy(%s, %s, sizeof %s); ", to, from, to);
        else
            out_printf(&v->out, "%s = %s; ", to, from);
    }
}

static void put_call(Play *play, const Node *node)
{
    Central *central = play->central;
    Out *out = &play->v.out;
    const char *callee = arena_printf(central->arena, "%s_%s", central->program->name, node->callee->name);
    begin_statement(play, node);
    out_printf(out, "{ struct %s_chx_frame *chx_callee = chx_call(chx_this, &%s_chx_function); ", callee, callee);
    put_args(play, node);
    out_printf(out, "chx_step_end(chx_this); %s_chx_play(chx_this, chx_callee); ", callee);
    for (size_t i = 0; node->kind == NODE_CALL && i < node->results.count; i++) {
        const LocatedPattern *target = &node->results.items[i];
        for (ROLESET_EACH(role, &target->at)) {
            Voice *v = speak(play, role);
            Shape shape = emit_result_shape(v->types, instance_result(node->callee, role));
            value_store(v, node->site, target->pattern, &target->at, frame_result(play, "chx_callee", role), &shape,
                        STORE_COPY);
            spoken(play);
        }
    }
    if (node->kind == NODE_RETURN) {
        for (RoleId role = 0; role < central->program->role_count; role++) {
            if (instance_result(play->instance, role) != NULL)
                put_passed_result(play, node, role);
        }
    }
    out_puts(out, "(void)chx_return_slow(chx_this); }");
}

// `return` of a call of the same function takes no C stack: the arguments go into our own parameters, then it starts
// from the top.
static void put_call_again(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    begin_statement(play, node);
    out_printf(out, "{ struct %s_%s_chx_frame *chx_callee = chx_call(chx_this, &%s_%s_chx_function); ",
               play->central->program->name, play->instance->name, play->central->program->name, play->instance->name);
    put_args(play, node);
    for (size_t i = 0; i < play->instance->params.count; i++) {
        const VariableList *variables = &play->instance->params.items[i].variables;
        for (size_t k = 0; k < variables->count; k++) {
            const Variable *variable = variables->items[k];
            const char *to = frame_role(play, "chx_here", variable->role);
            const char *from = frame_role(play, "chx_callee", variable->role);
            out_printf(out, "chx_set(&%s, &%s.%s, &%s.%s); ", types_use(play->v.types, variable->type), to,
                       variable->c_name, from, variable->c_name);
        }
    }
    out_puts(out, "chx_step_end(chx_this); (void)chx_return_slow(chx_this); goto chx_again; }");
    play->starts_again = true;
}

// Out of a body or rescue; whoever called it goes on from there.
static void put_way(Play *play, uint32_t way)
{
    bool is_known = false;
    for (size_t i = 0; i < play->ways.count; i++)
        is_known |= play->ways.items[i] == way;
    if (!is_known)
        vector_push(play->central->arena, &play->ways, way);
    out_printf(&play->v.out, "return %u;", way);
}

static void put_leave(Play *play)
{
    if (play->outer == NULL)
        out_puts(&play->v.out, "return;");
    else
        put_way(play, WAY_RETURN);
}

static void put_return(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    if (node->callee == play->instance && play->outer == NULL) {
        put_call_again(play, node);
        return;
    }
    if (node->callee != NULL)
        put_call(play, node);
    for (size_t i = 0; node->callee == NULL && i < node->values.count; i++) {
        const Result *result = &play->instance->results.items[i];
        const Value *value = &node->values.items[i];
        for (ROLESET_EACH(role, &result->at)) {
            Voice *v = speak(play, role);
            begin_statement(play, node);
            out_printf(out, "%s; ", voice_at(v, node->site, node->span));
            for (size_t k = 0; k < value->exprs.count; k++) {
                const char *place = frame_result(play, "chx_here", role);
                if (result->is_tuple)
                    place = arena_printf(v->arena, "%s.v%zu", place, k);
                value_assign(v, place, result->types.items[k], value->exprs.items[k]);
            }
            spoken(play);
        }
    }
    begin_statement(play, node);
    out_puts(out, "chx_step_end(chx_this); ");
    put_leave(play);
}

// ---- choices and loops ----

static void put_condition(Play *play, const Node *node, bool is_bool)
{
    Voice *v = speak(play, roleset_next(&node->deciders, 0));
    bool releases = is_bool && node->condition->has_call;
    out_printf(&v->out, "%s, %s", voice_at(v, node->site, node->head), releases ? "chx_decided(chx_this, " : "");
    value_expr(v, node->condition);
    out_puts(&v->out, releases ? ")" : "");
    spoken(play);
}

static void put_if(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    begin_statement(play, node);
    out_puts(out, "if (");
    put_condition(play, node, true);
    out_puts(out, ") {");
    out->indent++;
    put_nodes(play, &node->branches.items[0].body);
    const NodeList *rest = &node->branches.items[1].body;
    const Node *next = rest->count == 1 ? rest->items[0] : NULL;
    if (next != NULL && next->kind == NODE_CHOICE && !next->is_switch) {
        // A chain of else-ifs may be longer than a C compiler lets blocks be nested.
        close_block(play, "} else");
        put_if(play, next);
        return;
    }
    if (rest->count > 0) {
        close_block(play, "} else {");
        out->indent++;
        put_nodes(play, rest);
    }
    close_block(play, "}");
}

static void put_switch(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    if (play->loop != NULL)
        play->loop->switches++;
    begin_statement(play, node);
    out_puts(out, "switch (");
    put_condition(play, node, false);
    out_puts(out, ") {");
    for (size_t i = 0; i < node->branches.count; i++) {
        const Branch *branch = &node->branches.items[i];
        out_statement(out, voice_line(&play->v, branch->is_implied ? node->span : branch->span));
        Voice *v = speak(play, roleset_next(&node->deciders, 0));
        for (size_t k = 0; k < branch->labels.count; k++) {
            out_puts(out, "case ");
            value_expr(v, branch->labels.items[k]);
            out_puts(out, ": ");
        }
        // The braces are for the reader; a C compiler counts them.
        bool has_braces = out->indent < 20;
        out_printf(out, "%s%schx_step_end(chx_this);", branch->is_default ? "default: " : "", has_braces ? "{ " : "");
        out->indent++;
        put_nodes(play, &branch->body);
        if (!ends_in_jump(&branch->body)) {
            out_statement(out, out->in_source ? out->line : 0);
            out_puts(out, "break;");
        }
        if (has_braces)
            close_block(play, "}");
        else
            out->indent--;
    }
    out->indent++;
    close_block(play, "}");
    if (play->loop != NULL)
        play->loop->switches--;
}

static void put_loop(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    bool is_do = node->loop == LOOP_DO && node->condition != NULL;
    PlayLoop loop = {.number = ++*play->loops, .plain_continue = node->step.count == 0, .outer = play->loop};
    play->loop = &loop;
    begin_statement(play, node);
    if (is_do) {
        out_puts(out, "do {");
    } else if (node->condition == NULL) {
        out_puts(out, "for (;;) {");
    } else {
        out_puts(out, "while (");
        put_condition(play, node, true);
        out_puts(out, ") {");
    }
    out->indent++;
    put_nodes(play, &node->body);
    if (loop.has_continue) {
        out_end_line(out);
        out_printf(out, "chx_continue_%u:;\n", loop.number);
    }
    put_nodes(play, &node->step);
    close_block(play, is_do ? "} while (" : "}");
    if (is_do) {
        put_condition(play, node, true);
        out_puts(out, ");");
    }
    if (loop.has_break) {
        out_end_line(out);
        out_printf(out, "chx_break_%u:;\n", loop.number);
    }
    play->loop = loop.outer;
}

// A `break` or `continue` of `loop`; if it is not one of this function, of a loop around it.
static void put_loop_jump(Play *play, PlayLoop *loop, bool is_break, bool in_switch)
{
    Out *out = &play->v.out;
    if (play->loop != loop) {
        put_way(play, WAY_LOOPS + 2 * loop->number + !is_break);
    } else if (is_break && in_switch) {
        loop->has_break = true;
        out_printf(out, "goto chx_break_%u;", loop->number);
    } else if (!is_break && !loop->plain_continue) {
        loop->has_continue = true;
        out_printf(out, "goto chx_continue_%u;", loop->number);
    } else {
        out_puts(out, is_break ? "break;" : "continue;");
    }
}

static PlayLoop *innermost_loop(const Play *play)
{
    while (play->loop == NULL && play->outer != NULL)
        play = play->outer;
    CHECK(play->loop != NULL);
    return play->loop;
}

static void put_jump(Play *play, const Node *node)
{
    PlayLoop *loop = innermost_loop(play);
    begin_statement(play, node);
    put_loop_jump(play, loop, node->kind == NODE_BREAK, loop->switches > 0);
}

// ---- checkpoints ----

static void play_init(Play *play, Central *central, const Instance *instance, Out *functions)
{
    *play = (Play){.central = central, .instance = instance, .functions = functions};
    play->v = (Voice){
        .arena = central->arena,
        .program = central->program,
        .types = &central->emit.types,
        .is_central = true,
    };
    play->speaks = ARENA_ARRAY(central->arena, bool, central->program->role_count);
    out_init(&play->v.out, central->arena, central->emit.source_literal);
    play->v.out.indent = 1;
}

static void put_function(Play *play, Span span, const char *declaration)
{
    const Program *program = play->central->program;
    const char *name = arena_printf(play->central->arena, "%s_%s", program->name, play->instance->name);
    Out *out = play->functions;
    out_own(out);
    out_puts(out, "\n");
    out_statement(out, voice_line(&play->v, span));
    out_printf(out, "static %s {\n", declaration);
    out_own(out);
    if (play->outer != NULL)
        out_printf(out, "    struct %s_chx_frame *chx_here = chx_variables;\n", name);
    out_puts(out, "    (void)chx_this;\n    (void)chx_here;\n");
    for (RoleId role = 0; role < program->role_count; role++) {
        if (play->speaks[role])
            out_printf(out, "    struct %s_chx_%s *%s = &chx_here->%s;\n", name, program->role_names[role],
                       me_of(play->central, role), program->role_names[role]);
    }
    if (play->starts_again)
        out_puts(out, "chx_again:;\n");
    out_append(out, &play->v.out);
    out_own(out);
    out_puts(out, "}\n");
}

static void put_faults(Play *play, const Node *node)
{
    for (size_t i = 0; i < node->fault_variables.count; i++) {
        const Variable *variable = node->fault_variables.items[i];
        begin_statement(play, node);
        out_printf(&play->v.out, "%s->%s = *chx_why;", me_of(play->central, variable->role), variable->c_name);
        play->speaks[variable->role] = true;
    }
    out_own(&play->v.out);
    if (node->fault_variables.count == 0)
        out_puts(&play->v.out, "    (void)chx_why;\n");
}

// The body or rescue as a function of its own; the ways that it is left go to `outer`.
static void put_part(Play *outer, const Node *node, const char *name, bool is_rescue)
{
    Play play;
    play_init(&play, outer->central, outer->instance, outer->functions);
    play.outer = outer;
    play.loops = outer->loops;
    if (is_rescue)
        put_faults(&play, node);
    const NodeList *nodes = is_rescue ? &node->rescue : &node->body;
    put_nodes(&play, nodes);
    if (!ends_in_jump(nodes)) {
        begin_statement(&play, node);
        out_printf(&play.v.out, "return %d;", WAY_END);
    }
    put_function(&play, node->span,
                 arena_printf(play.central->arena, "int %s(chx_self *chx_this, void *chx_variables%s)", name,
                              is_rescue ? ", const chx_fault *chx_why" : ""));
    for (size_t i = 0; i < play.ways.count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < outer->block_ways.count; k++)
            is_known |= outer->block_ways.items[k] == play.ways.items[i];
        if (!is_known)
            vector_push(outer->central->arena, &outer->block_ways, play.ways.items[i]);
    }
}

static void put_ways(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    for (size_t i = 0; i < play->block_ways.count; i++) {
        uint32_t way = play->block_ways.items[i];
        begin_statement(play, node);
        out_printf(out, "case %u: ", way);
        if (way == WAY_RETURN)
            put_leave(play);
        else
            put_loop_jump(play, innermost_loop(play), (way - WAY_LOOPS) % 2 == 0, true);
    }
}

static void put_checkpoint(Play *play, const Node *node)
{
    Out *out = &play->v.out;
    Arena *arena = play->central->arena;
    const char *name = arena_printf(arena, "%s_%s_chx", play->central->program->name, play->instance->name);
    const char *body = arena_printf(arena, "%s_body_%u", name, node->site);
    const char *rescue = node->has_rescue ? arena_printf(arena, "%s_rescue_%u", name, node->site) : "NULL";
    play->block_ways.count = 0;
    put_part(play, node, body, false);
    if (node->has_rescue)
        put_part(play, node, rescue, true);

    begin_statement(play, node);
    out_printf(out, "switch (chx_central_checkpoint(chx_this, chx_here, %u, %u, UINT64_C(%" PRIu64 "), %u, %s, %s)) {",
               node->site, node->has_retry ? node->retry : 0, node->has_within ? node->within_ns : 0,
               voice_line(&play->v, node->span), body, rescue);
    put_ways(play, node);
    begin_statement(play, node);
    out_puts(out, "default: break;");
    out->indent++;
    close_block(play, "}");
}

static void put_node(Play *play, const Node *node)
{
    switch (node->kind) {
    case NODE_STEP:
        put_step(play, node);
        break;
    case NODE_DELIVERY:
        put_delivery(play, node);
        break;
    case NODE_CALL:
        put_call(play, node);
        break;
    case NODE_CHOICE:
        if (node->is_switch)
            put_switch(play, node);
        else
            put_if(play, node);
        break;
    case NODE_LOOP:
        put_loop(play, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        put_jump(play, node);
        break;
    case NODE_RETURN:
        put_return(play, node);
        break;
    case NODE_BLOCK:
        put_nodes(play, &node->body);
        break;
    case NODE_CHECKPOINT:
        put_checkpoint(play, node);
        break;
    }
}

static void put_nodes(Play *play, const NodeList *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        put_node(play, nodes->items[i]);
}

void central_play(Central *central, const Instance *instance, Out *out)
{
    uint32_t loops = 0;
    Play play;
    play_init(&play, central, instance, out);
    play.loops = &loops;
    put_nodes(&play, &instance->body);
    const char *name = arena_printf(central->arena, "%s_%s", central->program->name, instance->name);
    put_function(&play, instance->def != NULL ? instance->def->span : SPAN_NONE,
                 arena_printf(central->arena, "void %s_chx_play(chx_self *chx_this, struct %s_chx_frame *chx_here)",
                              name, name));
}
