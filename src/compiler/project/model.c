// model.c: the local programs as tables for tests/model/recovery.pml, so that what is explored is what is projected.
//
// Each role's program becomes a flat list of operations. Calls are put in place and loops are unrolled, a few rounds
// each, so every message and block of the choreography gets a number of its own. Numbers are found by (context, site),
// the same for all roles; a context is a round of a loop or a call, inside another one. Local C is left out: a choice
// is any of its ways, and a role can fail anywhere.

#include "compiler/project/project.h"

#include "base/check.h"
#include "base/text.h"

#include <inttypes.h>

// What fits the model's variables, which are bytes, and what can be explored.
#define ROLES_MAX 4
#define OPS_MAX 200       // of one role
#define NUMBERS_MAX 200   // messages, ways
#define BLOCKS_MAX 16
#define DEPTH_MAX 3       // blocks in blocks
#define RETRY_MAX 2
#define ROUNDS 2          // of a loop
#define CALLS_MAX 2       // of one function, inside each other
#define CODE_MAX 10000    // operations and jumps generated before giving up

typedef enum {
    OP_END,     // the role is done
    OP_SEND,    // `value` to role `arg`
    OP_RECEIVE, // from role `arg`
    OP_TOLD,    // the same, and go on the way that the value says
    OP_PEEK,    // look at what role `arg` sent: jump if it belongs to site `value`
    OP_CHOOSE,  // any of `value` ways; `arg` > 0: number of an agreed choice
    OP_ENTER,   // block `arg`
    OP_ARRIVE,  // at the end of block `arg`
    OP_CUT,     // the bound of an endless loop or of recursion: nothing is explored from here on
    OP_LOST,    // no correct run comes here
    OP_JUMP,    // not printed
} OpKind;

static const char *const op_names[] = {"END", "SEND", "RECEIVE", "TOLD", "PEEK", "CHOOSE", "ENTER", "ARRIVE", "CUT",
                                       "LOST"};

typedef uint32_t Label;
#define LABEL_NONE ((Label)-1)

typedef struct {
    OpKind kind;
    uint32_t arg, position, value;
    Label next; // PEEK: if it belongs there; JUMP
    size_t first_way, way_count; // TOLD, CHOOSE
} Op;

typedef struct {
    uint32_t parent, site, index;
} Key;
typedef VECTOR(Key) KeyList;

typedef struct {
    const LocalOp *op; // of any participant
    uint32_t fixed;    // number of the block as it stands in the source
    size_t depth;
} ModelBlock;

typedef struct {
    Label body, rescue;
} BlockLabels;

typedef struct {
    RoleId role;
    Label label;
} Way;

typedef struct {
    VECTOR(Op) ops;
    VECTOR(size_t) labels;  // where they are in `ops`
    BlockLabels blocks[BLOCKS_MAX];
} Code;

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

typedef struct {
    Arena *arena;
    Diags *diags;
    const Program *program;
    RoleId role;
    KeyList contexts, positions, agreed, blocks, fixed_blocks; // numbered from 1, blocks from 0
    VECTOR(ModelBlock) block_infos;
    VECTOR(Way) ways;
    Code code[ROLES_MAX];
    uint32_t open[DEPTH_MAX]; // blocks around what is generated
    size_t depth;
    uint32_t context;
    bool failed;
} Model;

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
    uint32_t number = key_number(model, &model->blocks, model->context, op->site, 0);
    if (number == model->block_infos.count) {
        ModelBlock block = {op, key_number(model, &model->fixed_blocks, 0, op->site, 0), model->depth};
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
    if (code->ops.count > CODE_MAX)
        refuse(model, SPAN_NONE, "it is too large");
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

static void add_sends(Model *model, const RoleSet *to, uint32_t site, uint32_t value)
{
    for (ROLESET_EACH(role, to))
        add_message(model, OP_SEND, role, site, value);
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
        choose->arg = 1 + key_number(model, &model->agreed, model->context, op->site, 0);
    add_ways(model, choose, labels, count);
}

static void add_told(Model *model, const LocalOp *op, const Label *labels, size_t count)
{
    add_message(model, OP_TOLD, op->peer, op->site, 0);
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
            add_sends(model, &op->to, op->site, op->branches.items[i].outcome);
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
        add_sends(model, &op->to, op->site, 0);
    add_jump(model, end);
    label_here(model, go);
    if (at_bound)
        op_add(model, OP_LOST);
    else if (op->decide == DECIDE_SELF)
        add_sends(model, &op->to, op->site, 1);
}

static void gen_loop(Model *model, const LocalOp *op, const Loop *outer, const Call *call)
{
    Label end = label_new(model);
    uint32_t around = model->context;
    for (uint32_t round = 0; round <= ROUNDS && !model->failed; round++) {
        model->context = around;
        model->context = context_inside(model, op->site, round);
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
    model->context = context_inside(model, op->site, 0);
    Label end = label_new(model);
    Call call = {op->callee, {end, model->depth}, outer};
    gen_list(model, &op->callee->body, NULL, &call);
    label_here(model, end);
    model->context = around;
    if (op->returns_result)
        add_exit(model, &outer->on_return);
}

static void gen_checkpoint(Model *model, const LocalOp *op, const Loop *loop, const Call *call)
{
    if (model->depth == DEPTH_MAX) {
        refuse(model, op->span, "checkpoints are nested too deeply");
        return;
    }
    if (op->retry > RETRY_MAX) {
        refuse(model, op->span, "too many retries");
        return;
    }
    uint32_t number = block_number(model, op);
    if (number >= BLOCKS_MAX) {
        refuse(model, op->span, "too many checkpoints, loops unrolled");
        return;
    }
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

static void gen_op(Model *model, const LocalOp *op, const Loop *loop, const Call *call)
{
    switch (op->kind) {
    case LOCAL_STEP:
        break;
    case LOCAL_SEND:
        add_sends(model, &op->to, op->site, 0);
        break;
    case LOCAL_RECEIVE:
        add_message(model, OP_RECEIVE, op->peer, op->site, 0);
        break;
    case LOCAL_CALL:
        gen_call(model, op, call);
        break;
    case LOCAL_CHOICE:
        gen_choice(model, op, loop, call);
        break;
    case LOCAL_LOOP:
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
    for (size_t i = 0; i < list->count && !model->failed; i++)
        gen_op(model, list->items[i], loop, call);
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

// ---- without jumps ----

#define UNSEEN ((size_t)-1)

// The numbers of a role's operations as they are printed: only those that can be reached, no jumps.
typedef struct {
    const Code *code;
    size_t *numbers; // by operation
    size_t count;
} Listing;

static size_t op_behind(const Code *code, size_t at)
{
    while (code->ops.items[at].kind == OP_JUMP)
        at = code->labels.items[code->ops.items[at].next];
    return at;
}

static size_t label_op(const Code *code, Label label)
{
    return op_behind(code, code->labels.items[label]);
}

static bool is_last(const Op *op)
{
    return op->kind == OP_END || op->kind == OP_CUT || op->kind == OP_LOST || op->kind == OP_TOLD ||
           op->kind == OP_CHOOSE;
}

// Marks what can be reached from here. Recursion is for the other ways only, so its depth is that of the choreography.
static void listing_mark(const Model *model, Listing *listing, size_t at)
{
    const Code *code = listing->code;
    while (listing->numbers[at] == UNSEEN) {
        const Op *op = &code->ops.items[at];
        listing->numbers[at] = 0;
        for (size_t i = 0; i < op->way_count; i++)
            listing_mark(model, listing, label_op(code, model->ways.items[op->first_way + i].label));
        if (op->kind == OP_ENTER)
            listing_mark(model, listing, label_op(code, code->blocks[op->arg].rescue));
        if (op->kind == OP_PEEK)
            listing_mark(model, listing, label_op(code, op->next));
        if (is_last(op))
            return;
        at = op_behind(code, at + 1);
    }
}

static Listing listing_new(const Model *model, RoleId role)
{
    const Code *code = &model->code[role];
    Listing listing = {code, ARENA_ARRAY(model->arena, size_t, code->ops.count), 0};
    for (size_t i = 0; i < code->ops.count; i++)
        listing.numbers[i] = UNSEEN;
    listing_mark(model, &listing, op_behind(code, 0));
    for (size_t i = 0; i < code->ops.count; i++)
        if (listing.numbers[i] != UNSEEN)
            listing.numbers[i] = listing.count++;
    return listing;
}

// ---- tables ----

typedef struct {
    const Model *model;
    FILE *out;
    Listing listings[ROLES_MAX];
    size_t width; // operations of the longest role
} Tables;

typedef VECTOR(uint32_t) NumberList;

static void print_table(const Tables *tables, const char *name, const NumberList *numbers)
{
    // The model's language has no empty arrays.
    fprintf(tables->out, "hidden byte %s[%zu] = {", name, numbers->count > 0 ? numbers->count : 1);
    if (numbers->count == 0)
        fprintf(tables->out, "0");
    for (size_t i = 0; i < numbers->count; i++)
        fprintf(tables->out, "%s%" PRIu32, i == 0 ? "" : i % 24 == 0 ? ",\n    " : ", ", numbers->items[i]);
    fprintf(tables->out, "};\n");
}

static uint32_t label_number(const Tables *tables, RoleId role, Label label)
{
    const Listing *listing = &tables->listings[role];
    size_t number = label == LABEL_NONE ? UNSEEN : listing->numbers[label_op(listing->code, label)];
    return number == UNSEEN ? 0 : (uint32_t)number;
}

// Where an operation goes on: for those with ways, the place of the first one among all ways.
static uint32_t next_number(const Tables *tables, RoleId role, size_t at)
{
    const Listing *listing = &tables->listings[role];
    const Op *op = &listing->code->ops.items[at];
    if (op->kind == OP_TOLD || op->kind == OP_CHOOSE)
        return (uint32_t)op->first_way;
    if (op->kind == OP_PEEK)
        return label_number(tables, role, op->next);
    return is_last(op) ? 0 : (uint32_t)listing->numbers[op_behind(listing->code, at + 1)];
}

static void print_ops(const Tables *tables)
{
    enum { KIND, ARG, POSITION, VALUE, NEXT, COLUMNS };
    static const char *const names[COLUMNS] = {"OP", "ARG", "POSITION", "VALUE", "NEXT"};
    Arena *arena = tables->model->arena;
    NumberList columns[COLUMNS] = {0};
    for (RoleId role = 0; role < tables->model->program->role_count; role++) {
        const Listing *listing = &tables->listings[role];
        for (size_t i = 0; i < listing->code->ops.count; i++) {
            const Op *op = &listing->code->ops.items[i];
            if (listing->numbers[i] == UNSEEN)
                continue;
            vector_push(arena, &columns[KIND], (uint32_t)op->kind);
            vector_push(arena, &columns[ARG], op->arg);
            vector_push(arena, &columns[POSITION], op->position);
            vector_push(arena, &columns[VALUE], op->value);
            vector_push(arena, &columns[NEXT], next_number(tables, role, i));
        }
        for (size_t i = listing->count; i < tables->width; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                vector_push(arena, &columns[j], 0);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        print_table(tables, names[i], &columns[i]);
}

static void print_ways_and_sites(const Tables *tables)
{
    const Model *model = tables->model;
    NumberList ways = {0}, sites = {0};
    for (size_t i = 0; i < model->ways.count; i++)
        vector_push(model->arena, &ways, label_number(tables, model->ways.items[i].role, model->ways.items[i].label));
    print_table(tables, "WAY", &ways);
    vector_push(model->arena, &sites, 0);
    for (size_t i = 0; i < model->positions.count; i++)
        vector_push(model->arena, &sites, model->positions.items[i].site);
    print_table(tables, "SITE", &sites);
}

static void print_blocks(const Tables *tables)
{
    const Model *model = tables->model;
    Arena *arena = model->arena;
    NumberList fixed = {0}, retry = {0}, last = {0}, within = {0}, members = {0}, body = {0}, rescue = {0};
    for (size_t i = 0; i < model->block_infos.count; i++) {
        const ModelBlock *block = &model->block_infos.items[i];
        uint32_t mask = 0;
        for (ROLESET_EACH(role, &block->op->participants))
            mask |= 1u << role;
        vector_push(arena, &fixed, block->fixed);
        vector_push(arena, &retry, block->op->retry);
        vector_push(arena, &last, block->op->retry + block->op->has_rescue);
        vector_push(arena, &within, block->op->has_within);
        vector_push(arena, &members, mask);
    }
    for (RoleId role = 0; role < model->program->role_count; role++) {
        for (size_t i = 0; i < model->block_infos.count; i++) {
            vector_push(arena, &body, label_number(tables, role, model->code[role].blocks[i].body));
            vector_push(arena, &rescue, label_number(tables, role, model->code[role].blocks[i].rescue));
        }
    }
    print_table(tables, "FIXED", &fixed);
    print_table(tables, "RETRY", &retry);
    print_table(tables, "LAST", &last);
    print_table(tables, "WITHIN", &within);
    print_table(tables, "MEMBERS", &members);
    print_table(tables, "BODY", &body);
    print_table(tables, "RESCUE", &rescue);
}

static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

// How often one block of the source can be entered, at most.
static size_t most_entries(const Model *model)
{
    size_t most = 1;
    for (size_t i = 0; i < model->block_infos.count; i++) {
        size_t count = 0;
        for (size_t j = 0; j < model->block_infos.count; j++)
            count += model->block_infos.items[i].fixed == model->block_infos.items[j].fixed;
        most = count > most ? count : most;
    }
    return most;
}

static void print_sizes(const Tables *tables)
{
    const Model *model = tables->model;
    size_t depth = 0;
    for (size_t i = 0; i < model->block_infos.count; i++)
        depth = model->block_infos.items[i].depth >= depth ? model->block_infos.items[i].depth + 1 : depth;
    fprintf(tables->out, "#define ROLES %zu\n", model->program->role_count);
    fprintf(tables->out, "#define OPS %zu\n", tables->width);
    fprintf(tables->out, "#define BLOCKS %zu\n", at_least_one(model->block_infos.count));
    fprintf(tables->out, "#define FIXED_BLOCKS %zu\n", at_least_one(model->fixed_blocks.count));
    fprintf(tables->out, "#define ENTRIES %zu\n", most_entries(model));
    fprintf(tables->out, "#define DEPTH %zu\n", at_least_one(depth));
    fprintf(tables->out, "#define AGREED %zu\n", at_least_one(model->agreed.count));
    for (size_t i = 0; i < sizeof op_names / sizeof op_names[0]; i++)
        fprintf(tables->out, "#define OP_%s %zu\n", op_names[i], i);
}

static void print_model(const Tables *tables)
{
    const Model *model = tables->model;
    fprintf(tables->out, "/* choreography %s:", model->program->name);
    for (RoleId role = 0; role < model->program->role_count; role++)
        fprintf(tables->out, " %" PRIu32 " %s", role, model->program->role_names[role]);
    fprintf(tables->out, " */\n");
    print_sizes(tables);
    print_ops(tables);
    print_ways_and_sites(tables);
    print_blocks(tables);
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

static Tables tables_new(Model *model, FILE *out)
{
    Tables tables = {.model = model, .out = out};
    for (RoleId role = 0; role < model->program->role_count; role++) {
        tables.listings[role] = listing_new(model, role);
        if (tables.listings[role].count > tables.width)
            tables.width = tables.listings[role].count;
    }
    return tables;
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
    if (program->role_count > ROLES_MAX)
        refuse(model, span, "too many roles");
    for (RoleId role = 0; !model->failed && role < program->role_count; role++) {
        const LocalFunction *function = function_of(locals[role], entry);
        CHECK(function != NULL);
        model->role = role;
        gen_role(model, function);
    }
    if (model->failed)
        return;
    Tables tables = tables_new(model, out);
    if (tables.width > OPS_MAX || model->positions.count > NUMBERS_MAX || model->ways.count > NUMBERS_MAX ||
        program->site_count > NUMBERS_MAX)
        refuse(model, span, "it is too large");
    else
        print_model(&tables);
}
