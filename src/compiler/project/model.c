// model.c: the local programs as tables for tests/model/recovery.pml, so that what is explored is what is projected.
//
// Each role's program becomes a flat list of operations. Calls are put in place and loops are unrolled, a few rounds
// each, so every message and block of the choreography gets a number of its own. Numbers are found by (context, number of
// the statement or message), the same for all roles; a context is a round of a loop or a call, inside another one. Local C is left out: a choice
// is any of its ways, and a role can fail anywhere.

#include "compiler/project/model.h"
#include "compiler/project/project.h"

#include "base/check.h"

#define ROUNDS 2       // of a loop
#define CALLS_MAX 2    // of one function, inside each other
#define WORK_MAX 10000 // statements looked at before giving up
#define TOO_LARGE "it is too large, with loops unrolled and calls put in place"

// Where a jump out of blocks ends: how many of them are still around it there.
typedef struct {
    Label label;
    size_t depth;
} Exit;

typedef struct Loop {
    const LocalOp *op;
    Exit on_break, on_continue;
    const struct Loop *outer;
} Loop;

typedef struct Call {
    const LocalFunction *function;
    Exit on_return;
    const struct Call *outer;
} Call;

static void gen_list(Model *model, const LocalOpList *list, const Loop *loop, const Call *call);

static void refuse(Model *model, Span span, const char *why)
{
    if (!model->failed)
        diag_error(model->diags, span, "the model can't express this: %s", why);
    model->failed = true;
}

// ---- numbers ----

static uint32_t key_number(Model *model, KeyList *keys, uint32_t parent, uint32_t site, uint32_t index)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->items[i].parent == parent && keys->items[i].site == site && keys->items[i].index == index)
            return (uint32_t)i;
    Key key = {parent, site, index};
    vector_push(model->arena, keys, key);
    return (uint32_t)keys->count - 1;
}

static uint32_t context_inside(Model *model, uint32_t site, uint32_t index)
{
    return 1 + key_number(model, &model->contexts, model->context, site, index);
}

static uint32_t position_of(Model *model, uint32_t site)
{
    return 1 + key_number(model, &model->positions, model->context, site, 0);
}

static uint32_t block_number(Model *model, const LocalOp *op)
{
    uint32_t number = key_number(model, &model->blocks, model->context, op->number, 0);
    if (number == model->block_infos.count) {
        ModelBlock block = {op, key_number(model, &model->fixed_blocks, 0, op->number, 0), model->depth};
        vector_push(model->arena, &model->block_infos, block);
    }
    return number;
}

// ---- operations ----

static Code *code_of(Model *model)
{
    return &model->code[model->role];
}

static Label label_new(Model *model)
{
    vector_push(model->arena, &code_of(model)->labels, 0);
    return (Label)code_of(model)->labels.count - 1;
}

static void label_here(Model *model, Label label)
{
    code_of(model)->labels.items[label] = code_of(model)->ops.count;
}

static Label label_new_here(Model *model)
{
    Label label = label_new(model);
    label_here(model, label);
    return label;
}

static Op *op_add(Model *model, OpKind kind)
{
    Op op = {.kind = kind, .next = LABEL_NONE};
    Code *code = code_of(model);
    vector_push(model->arena, &code->ops, op);
    return &code->ops.items[code->ops.count - 1];
}

static void add_jump(Model *model, Label label)
{
    op_add(model, OP_JUMP)->next = label;
}

static void add_message(Model *model, OpKind kind, RoleId peer, uint32_t site, uint32_t value)
{
    Op *op = op_add(model, kind);
    op->arg = peer;
    op->position = position_of(model, site);
    op->value = value;
}

static void add_sends(Model *model, const LocalOp *op, uint32_t value)
{
    size_t count = 0;
    for (ROLESET_EACH(role, &op->to))
        add_message(model, OP_SEND, role, op->leaves.items[count++], value);
}

// The ways of a choice or of a told outcome, from the first label on.
static void add_ways(Model *model, Op *op, const Label *labels, size_t count)
{
    op->first_way = model->ways.count;
    op->way_count = count;
    for (size_t i = 0; i < count; i++) {
        Way way = {model->role, labels[i]};
        vector_push(model->arena, &model->ways, way);
    }
}

static void add_choose(Model *model, const LocalOp *op, const Label *labels, size_t count)
{
    Op *choose = op_add(model, OP_CHOOSE);
    choose->value = (uint32_t)count;
    if (roleset_count(&op->at) > 1)
        choose->arg = 1 + key_number(model, &model->agreed, model->context, op->number, 0);
    add_ways(model, choose, labels, count);
}

static void add_told(Model *model, const LocalOp *op, const Label *labels, size_t count)
{
    add_message(model, OP_TOLD, op->peer, op->arrives, 0);
    Code *code = code_of(model);
    add_ways(model, &code->ops.items[code->ops.count - 1], labels, count);
}

// All blocks on the way out end, the innermost first; their other participants are waited for.
static void add_exit(Model *model, const Exit *target)
{
    for (size_t i = model->depth; i > target->depth; i--)
        op_add(model, OP_ARRIVE)->arg = model->open[i - 1];
    add_jump(model, target->label);
}

// ---- statements ----

static Label *labels_new(Model *model, size_t count)
{
    Label *labels = ARENA_ARRAY(model->arena, Label, count);
    for (size_t i = 0; i < count; i++)
        labels[i] = label_new(model);
    return labels;
}

static void gen_choice(Model *model, const LocalOp *op, const Loop *loop, const Call *call)
{
    size_t count = op->branches.count;
    Label *labels = labels_new(model, count);
    Label end = label_new(model);
    if (op->decide == DECIDE_SELF)
        add_choose(model, op, labels, count);
    else if (op->decide == DECIDE_TOLD)
        add_told(model, op, labels, count);
    for (size_t i = 0; op->decide == DECIDE_ARRIVAL && i < count; i++) {
        for (size_t j = 0; j < op->branches.items[i].arrivals.count; j++) {
            Op *peek = op_add(model, OP_PEEK);
            peek->arg = op->peer;
            peek->value = op->branches.items[i].arrivals.items[j];
            peek->next = labels[i];
        }
    }
    if (op->decide == DECIDE_ARRIVAL)
        op_add(model, OP_LOST);
    for (size_t i = 0; i < count; i++) {
        label_here(model, labels[i]);
        if (op->decide == DECIDE_SELF)
            add_sends(model, op, op->branches.items[i].outcome);
        gen_list(model, &op->branches.items[i].body, loop, call);
        add_jump(model, end);
    }
    label_here(model, end);
}

// Shall there be another round? At the bound there is none.
static void gen_condition(Model *model, const LocalOp *op, bool at_bound, Label end)
{
    Label stop = label_new(model), go = label_new(model);
    Label labels[] = {stop, go};
    if (op->decide == DECIDE_FOREVER) {
        if (at_bound)
            op_add(model, OP_CUT);
        return;
    }
    if (op->decide == DECIDE_TOLD)
        add_told(model, op, labels, 2);
    else
        add_choose(model, op, labels, at_bound ? 1 : 2);
    label_here(model, stop);
    if (op->decide == DECIDE_SELF)
        add_sends(model, op, 0);
    add_jump(model, end);
    label_here(model, go);
    if (at_bound)
        op_add(model, OP_LOST);
    else if (op->decide == DECIDE_SELF)
        add_sends(model, op, 1);
}

static void gen_loop(Model *model, const LocalOp *op, const Loop *outer, const Call *call)
{
    Label end = label_new(model);
    uint32_t around = model->context;
    for (uint32_t round = 0; round <= ROUNDS && !model->failed; round++) {
        model->context = around;
        model->context = context_inside(model, op->number, round);
        if (round > 0 || op->loop != LOOP_DO)
            gen_condition(model, op, round == ROUNDS, end);
        if (round == ROUNDS)
            break;
        Label step = label_new(model);
        Loop loop = {op, {end, model->depth}, {step, model->depth}, outer};
        gen_list(model, &op->body, &loop, call);
        label_here(model, step);
        gen_list(model, &op->step, &loop, call);
    }
    model->context = around;
    label_here(model, end);
}

static void gen_loop_jump(Model *model, const LocalOp *op, const Loop *loop)
{
    while (loop != NULL && loop->op != op->loop_op)
        loop = loop->outer;
    CHECK(loop != NULL);
    add_exit(model, op->kind == LOCAL_BREAK ? &loop->on_break : &loop->on_continue);
}

static void gen_call(Model *model, const LocalOp *op, const Call *outer)
{
    size_t calls = 0;
    for (const Call *at = outer; at != NULL; at = at->outer)
        calls += at->function == op->callee;
    if (calls >= CALLS_MAX) {
        op_add(model, OP_CUT);
        return;
    }
    uint32_t around = model->context;
    model->context = context_inside(model, op->number, 0);
    Label end = label_new(model);
    Call call = {op->callee, {end, model->depth}, outer};
    gen_list(model, &op->callee->body, NULL, &call);
    label_here(model, end);
    model->context = around;
    if (op->returns_result)
        add_exit(model, &outer->on_return);
}

// The number of the checkpoint here, with what surrounds it in the source. False: it is refused.
static bool block_here(Model *model, const LocalOp *op, uint32_t *number)
{
    if (model->depth == DEPTH_MAX) {
        refuse(model, op->span, "checkpoints are nested too deeply");
        return false;
    }
    if (op->retry > RETRY_MAX) {
        refuse(model, op->span, "there are too many retries");
        return false;
    }
    *number = block_number(model, op);
    if (*number >= BLOCKS_MAX) {
        refuse(model, op->span, "there are too many checkpoints, with loops unrolled and calls put in place");
        return false;
    }
    return true;
}

static void gen_checkpoint(Model *model, const LocalOp *op, const Loop *loop, const Call *call)
{
    uint32_t number;
    if (!block_here(model, op, &number))
        return;
    Label end = label_new(model);
    op_add(model, OP_ENTER)->arg = number;
    model->open[model->depth++] = number;
    BlockLabels *labels = &code_of(model)->blocks[number];
    labels->body = labels->rescue = label_new_here(model);
    Exit after = {end, model->depth - 1};
    gen_list(model, &op->body, loop, call);
    add_exit(model, &after);
    if (op->has_rescue) {
        labels->rescue = label_new_here(model);
        gen_list(model, &op->rescue, loop, call);
        add_exit(model, &after);
    }
    model->depth--;
    label_here(model, end);
}

// One round: its body and its rescue, whose ends are the beginning of the next one.
static void gen_round(Model *model, const LocalOp *op, const Loop *outer, const Call *call, Label end, uint32_t next,
                      Label next_body)
{
    const LocalOp *round = op->body.items[0];
    uint32_t number = model->open[model->depth - 1];
    Label renew = label_new(model);
    Loop loop = {op, {end, model->depth - 1}, {renew, model->depth}, outer};
    gen_list(model, &round->body, &loop, call);
    label_here(model, renew);
    for (bool is_rescue = false;; is_rescue = true) {
        Op *renewal = op_add(model, OP_RENEW);
        renewal->arg = number;
        renewal->value = next + 1;
        renewal->next = next_body;
        if (is_rescue || !round->has_rescue)
            return;
        code_of(model)->blocks[number].rescue = label_new_here(model);
        gen_list(model, &round->rescue, &loop, call);
    }
}

static void gen_rounds(Model *model, const LocalOp *op, const Loop *outer, const Call *call)
{
    const LocalOp *round = op->body.items[0];
    Label end = label_new(model), body = label_new(model);
    uint32_t around = model->context, number;
    model->context = context_inside(model, op->number, 0);
    if (!block_here(model, round, &number))
        return;
    op_add(model, OP_ENTER)->arg = number;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t here = model->context;
        model->context = around;
        model->context = context_inside(model, op->number, i + 1);
        uint32_t next, next_context = model->context;
        if (!block_here(model, round, &next))
            return;
        model->context = here;
        model->open[model->depth++] = number;
        label_here(model, body);
        code_of(model)->blocks[number] = (BlockLabels){body, body};
        body = label_new(model);
        gen_round(model, op, outer, call, end, next, body);
        model->depth--;
        model->context = next_context;
        number = next;
    }
    // The bound.
    label_here(model, body);
    code_of(model)->blocks[number] = (BlockLabels){body, body};
    op_add(model, OP_CUT);
    model->context = around;
    label_here(model, end);
}

static void gen_op(Model *model, const LocalOp *op, const Loop *loop, const Call *call)
{
    switch (op->kind) {
    case LOCAL_STEP:
        break;
    case LOCAL_SEND:
        add_sends(model, op, 0);
        break;
    case LOCAL_RECEIVE:
        add_message(model, OP_RECEIVE, op->peer, op->arrives, 0);
        break;
    case LOCAL_CALL:
        gen_call(model, op, call);
        break;
    case LOCAL_CHOICE:
        gen_choice(model, op, loop, call);
        break;
    case LOCAL_EACH: // refused
        CHECK(false);
    case LOCAL_PAR:
    case LOCAL_ARM:
        refuse(model, op->span, "a model of a choreography with 'par' is not supported yet");
        break;
    case LOCAL_LOOP:
        if (op->is_round)
            gen_rounds(model, op, loop, call);
        else
            gen_loop(model, op, loop, call);
        break;
    case LOCAL_BREAK:
    case LOCAL_CONTINUE:
        gen_loop_jump(model, op, loop);
        break;
    case LOCAL_RETURN:
        add_exit(model, &call->on_return);
        break;
    case LOCAL_CHECKPOINT:
        gen_checkpoint(model, op, loop, call);
        break;
    }
}

static void gen_list(Model *model, const LocalOpList *list, const Loop *loop, const Call *call)
{
    // Calls put in place can be many more than what is written.
    for (size_t i = 0; i < list->count && !model->failed; i++) {
        if (++model->work > WORK_MAX)
            refuse(model, model->program->tree->name.span, TOO_LARGE);
        else
            gen_op(model, list->items[i], loop, call);
    }
}

static void gen_role(Model *model, const LocalFunction *entry)
{
    Label end = label_new(model);
    Call call = {entry, {end, 0}, NULL};
    model->context = 0;
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        code_of(model)->blocks[i] = (BlockLabels){LABEL_NONE, LABEL_NONE};
    gen_list(model, &entry->body, NULL, &call);
    label_here(model, end);
    op_add(model, OP_END);
}

// ---- the whole ----

// `run` if it can be started, else whatever can.
static const Instance *entry_of(const Program *program)
{
    const Instance *entry = NULL;
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        if (instance->is_entry && (entry == NULL || strcmp(instance->name, "run") == 0))
            entry = instance;
    }
    return entry;
}

static const LocalFunction *function_of(const LocalProgram *local, const Instance *instance)
{
    for (size_t i = 0; i < local->functions.count; i++)
        if (local->functions.items[i]->instance == instance)
            return local->functions.items[i];
    return NULL;
}

void dump_model(LocalProgram **locals, const Program *program, Diags *diags, FILE *out)
{
    Model *model = ARENA_NEW(program->arena, Model);
    model->arena = program->arena;
    model->diags = diags;
    model->program = program;
    const Instance *entry = entry_of(program);
    Span span = program->tree->name.span;
    if (entry == NULL)
        refuse(model, span, "no function can be started from C");
    if (program_has_families(program))
        refuse(model, span, "it has families of roles");
    if (program->role_count > ROLES_MAX)
        refuse(model, span, "there are too many roles");
    for (RoleId role = 0; !model->failed && role < program->role_count; role++) {
        const LocalFunction *function = function_of(locals[role], entry);
        CHECK(function != NULL);
        model->role = role;
        gen_role(model, function);
    }
    if (model->failed)
        return;
    if (model_width(model) > OPS_MAX || model->positions.count > NUMBERS_MAX || model->ways.count > NUMBERS_MAX ||
        program->site_count > NUMBERS_MAX)
        refuse(model, span, TOO_LARGE);
    else
        model_print(model, out);
}
