// simulate_program.c: see simulate_program.h.

#include "net/home/simulate_program.h"

static bool chance(unsigned percent)
{
    return simulate_draw(100) < percent;
}

static Op *add(Program *program, Op op)
{
    CHECK(program->op_count < OPS);
    program->ops[program->op_count] = op;
    return &program->ops[program->op_count++];
}

static unsigned any_member(unsigned members)
{
    unsigned role;
    do
        role = (unsigned)simulate_draw(ROLES);
    while ((members >> role & 1) == 0);
    return role;
}

static bool is_single(unsigned members)
{
    return (members & (members - 1)) == 0;
}

static void make_message(Program *program, unsigned members)
{
    unsigned from = any_member(members), to;
    do
        to = any_member(members);
    while (to == from);
    add(program, (Op){.kind = OP_MESSAGE, .members = 1u << from | 1u << to, .from = from, .to = to});
}

// One draws a bit and tells the others. Returns which.
static unsigned make_bit(Program *program, unsigned members, bool is_round)
{
    unsigned bit = program->bit_count++, from = any_member(members);
    add(program, (Op){.kind = OP_DRAW, .members = 1u << from, .from = from, .bit = bit, .is_round = is_round});
    for (unsigned to = 0; to < ROLES; to++)
        if (to != from && (members >> to & 1) != 0)
            add(program, (Op){.kind = OP_MESSAGE,
                              .members = 1u << from | 1u << to,
                              .from = from,
                              .to = to,
                              .bit = bit,
                              .has_bit = true});
    return bit;
}

static void make_ops(Program *program, unsigned members, unsigned depth, bool may_be_durable);

static void make_choice(Program *program, unsigned members, unsigned depth, bool may_be_durable)
{
    unsigned bit = make_bit(program, members, false), unless = program->op_count;
    add(program, (Op){.kind = OP_UNLESS, .members = members, .bit = bit});
    make_ops(program, members, depth, may_be_durable);
    unsigned jump = program->op_count;
    add(program, (Op){.kind = OP_JUMP, .members = members});
    program->ops[unless].target = program->op_count;
    make_ops(program, members, depth, may_be_durable);
    program->ops[jump].target = program->op_count;
}

static unsigned subset(unsigned members)
{
    unsigned some = members & (unsigned)simulate_draw(1u << ROLES);
    return some != 0 ? some : members;
}

// `may_be_durable`: all roles are here, and what is around it is durable.
static void make_block(Program *program, unsigned members, unsigned depth, bool may_be_durable)
{
    unsigned number = (unsigned)program->block_count++;
    chx_block *block = &program->blocks[number];
    bool is_durable = may_be_durable && chance(70);
    program->is_durable |= is_durable;
    if (!is_durable && chance(35))
        members = subset(members);
    *block = (chx_block){.name = 10 + 3 * number,
                         .retries = (uint32_t)simulate_draw(3),
                         .participants = program->participants[number],
                         .has_rescue = chance(60),
                         .is_round = chance(30),
                         .is_durable = is_durable};
    if (depth == 0)
        block->retries += 6;
    if (chance(10))
        block->within_ns = 50000 + simulate_draw(1000000);
    for (unsigned role = 0; role < ROLES; role++)
        if ((members >> role & 1) != 0)
            program->participants[number][block->participant_count++] = role;
    unsigned enter = program->op_count;
    Op op = {.kind = OP_ENTER, .members = members, .name = block->name, .is_round = block->is_round};
    add(program, op);
    if (block->is_round)
        op.bit = make_bit(program, members, true);
    make_ops(program, members, depth + 1, is_durable);
    unsigned jump = program->op_count;
    if (block->has_rescue) {
        add(program, (Op){.kind = OP_JUMP, .members = members});
        program->ops[enter].target = program->op_count;
        if (block->is_round) {
            // The rescue draws again: what was drawn in the body counts no more.
            unsigned bit = program->bit_count;
            make_bit(program, members, true);
            for (unsigned i = enter; i < program->op_count; i++)
                if (program->ops[i].bit == bit && program->ops[i].kind != OP_ENTER && i >= jump)
                    program->ops[i].bit = op.bit;
        }
        make_ops(program, members, depth + 1, is_durable);
        program->ops[jump].target = program->op_count;
    }
    op.kind = OP_LEAVE;
    add(program, op);
}

// There is always room for what has to follow: ends of blocks and branches.
static bool has_room(const Program *program, unsigned depth)
{
    return program->op_count + 24 + 12 * depth < OPS && program->bit_count < 24;
}

static void make_ops(Program *program, unsigned members, unsigned depth, bool may_be_durable)
{
    unsigned count = 1 + (unsigned)simulate_draw(3);
    while (count-- > 0 && has_room(program, depth)) {
        bool may_enter = depth < DEPTH && program->block_count < PROGRAM_BLOCKS;
        if (may_enter && chance(depth == 0 ? 80 : 30))
            make_block(program, members, depth, may_be_durable);
        else if (depth > 0 && !is_single(members) && chance(15))
            make_choice(program, members, depth, may_be_durable);
        else if (!is_single(members))
            make_message(program, members);
    }
}

void program_make(Program *program)
{
    static const char *const names[ROLES] = {"A", "B", "C", "D"};
    *program = (Program){.role_count = 2 + (unsigned)simulate_draw(ROLES - 1)};
    unsigned all = (1u << program->role_count) - 1, players = all;
    if (program->role_count > 2 && chance(25)) {
        players &= ~(1u << simulate_draw(program->role_count));
        for (unsigned role = 0; role < program->role_count; role++)
            if ((players >> role & 1) != 0)
                program->participants_of_all[program->participant_count++] = role;
    }
    bool may_be_durable = players == all && chance(40);
    for (unsigned least = 6 + (unsigned)simulate_draw(40); program->op_count < least && has_room(program, 0);)
        make_ops(program, players, 0, may_be_durable);
    add(program, (Op){.kind = OP_END, .members = all});
    program->choreography = (HomeChoreography){.name = "simulated",
                                               .roles = names,
                                               .role_count = program->role_count,
                                               .blocks = program->blocks,
                                               .block_count = program->block_count};
}

void program_print(const Program *program)
{
    static const char *const kinds[] = {"message", "draw", "unless", "jump", "enter", "leave", "end"};
    for (unsigned i = 0; i < program->op_count; i++) {
        const Op *op = &program->ops[i];
        printf("%3u %-8s members %x, %u to %u, bit %u%s, name %u, target %u%s\n", i, kinds[op->kind], op->members,
               op->from, op->to, op->bit, op->has_bit ? " carried" : "", op->name, op->target,
               op->is_round ? ", round" : "");
    }
    for (size_t i = 0; i < program->block_count; i++)
        printf("block %u: retries %u, rescue %d, round %d, durable %d, within %llu\n", program->blocks[i].name,
               program->blocks[i].retries, program->blocks[i].has_rescue, program->blocks[i].is_round,
               program->blocks[i].is_durable, (unsigned long long)program->blocks[i].within_ns);
}

unsigned program_next(const Program *program, unsigned role, const State *state)
{
    unsigned at = state->op;
    for (;;) {
        const Op *op = &program->ops[at];
        bool is_mine = (op->members >> role & 1) != 0;
        if (is_mine && op->kind == OP_JUMP)
            at = op->target;
        else if (is_mine && op->kind == OP_UNLESS)
            at = (state->bits >> op->bit & 1) != 0 ? at + 1 : op->target;
        else if (is_mine)
            return at;
        else
            at++; // what is inside of a block or branch of others is theirs as well
    }
}

State program_enter(const State *state, const Op *op)
{
    State entry = *state;
    unsigned number = (op->name - 10) / 3, depth = entry.depth++;
    CHECK(depth < DEPTH);
    entry.name[depth] = op->name;
    entry.ordinal[depth] = entry.entered[depth][number]++;
    entry.attempt[depth] = 0;
    memset(entry.entered[depth + 1], 0, sizeof entry.entered[depth + 1]);
    return entry;
}

State program_next_round(const State *state, const Op *op)
{
    State entry = *state;
    unsigned number = (op->name - 10) / 3, depth = entry.depth - 1;
    entry.ordinal[depth] = entry.entered[depth][number]++;
    entry.attempt[depth] = 0;
    memset(entry.entered[depth + 1], 0, sizeof entry.entered[depth + 1]);
    return entry;
}

State program_restart(const Program *program, const State *entry, uint32_t attempt)
{
    State state = *entry;
    uint32_t name = state.name[state.depth - 1];
    const chx_block *block = &program->blocks[(name - 10) / 3];
    unsigned enter = 0;
    while (program->ops[enter].kind != OP_ENTER || program->ops[enter].name != name)
        enter++;
    state.attempt[state.depth - 1] = attempt;
    state.op = attempt > block->retries ? program->ops[enter].target : enter + 1;
    return state;
}
