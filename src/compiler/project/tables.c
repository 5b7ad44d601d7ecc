// tables.c: a model as arrays in the language of tests/model/recovery.pml.

#include "compiler/project/model.h"

#include <inttypes.h>

static const char *const op_names[] = {"END",   "SEND",   "RECEIVE", "TOLD", "PEEK", "CHOOSE",
                                       "ENTER", "ARRIVE", "RENEW",   "CUT",  "LOST"};

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
           op->kind == OP_CHOOSE || op->kind == OP_RENEW;
}

// Marks what can be reached from here. Recursion is for the other ways only: its depth is the number of choices.
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
        if (op->kind == OP_RENEW)
            listing_mark(model, listing, label_op(code, code->blocks[op->value - 1].rescue));
        if (op->kind == OP_PEEK || op->kind == OP_RENEW)
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
    if (op->kind == OP_PEEK || op->kind == OP_RENEW)
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
    NumberList fixed = {0}, round = {0}, retry = {0}, last = {0}, within = {0}, members = {0}, body = {0}, rescue = {0};
    for (size_t i = 0; i < model->block_infos.count; i++) {
        const ModelBlock *block = &model->block_infos.items[i];
        uint32_t mask = 0;
        for (ROLESET_EACH(role, &block->op->participants))
            mask |= 1u << role;
        vector_push(arena, &fixed, block->fixed);
        // The rescue of a round is run as often as it fails; so often nothing does here.
        bool is_rescued_again = block->op->is_round && block->op->has_rescue;
        vector_push(arena, &round, block->op->is_round);
        vector_push(arena, &retry, block->op->retry);
        vector_push(arena, &last, is_rescued_again ? ATTEMPTS_MAX - 1 : block->op->retry + block->op->has_rescue);
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
    print_table(tables, "ROUND", &round);
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

static Tables tables_new(const Model *model, FILE *out)
{
    Tables tables = {.model = model, .out = out};
    for (RoleId role = 0; role < model->program->role_count; role++) {
        tables.listings[role] = listing_new(model, role);
        if (tables.listings[role].count > tables.width)
            tables.width = tables.listings[role].count;
    }
    return tables;
}

size_t model_width(const Model *model)
{
    return tables_new(model, NULL).width;
}

void model_print(const Model *model, FILE *out)
{
    Tables tables = tables_new(model, out);
    fprintf(out, "/* choreography %s:", model->program->name);
    for (RoleId role = 0; role < model->program->role_count; role++)
        fprintf(out, " %" PRIu32 " %s", role, model->program->role_names[role]);
    fprintf(out, " */\n");
    print_sizes(&tables);
    print_ops(&tables);
    print_ways_and_sites(&tables);
    print_blocks(&tables);
}
