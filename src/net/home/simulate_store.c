// simulate_store.c: simulated sessions that are kept in a store, and homes that are lost: see simulate.c.
//
// The store is one record that is changed on the condition of term and version. A commit is on its way for a while; its answer may be
// lost; and when the home is lost, it may still be done, before or after the next home has taken the session.

#include "net/home/simulate.h"

typedef struct {
    bool is_there, is_over;
    uint64_t term, version, writer;
    chx_status status;
    HomeHead heads[DEPTH];
    uint32_t depth;
    State pieces[DEPTH + 1][ROLES];
} Record;

typedef struct {
    bool is_some;
    CutChange change;
    uint64_t writer;
    chx_status status;
    HomeHead heads[DEPTH];
    State pieces[ROLES];
} Flight;

static Record record;
static Flight flight, late; // late: of a home that was lost
static bool is_asked, is_in_doubt;

void store_clear(void)
{
    record = (Record){0};
    flight = late = (Flight){0};
    is_asked = is_in_doubt = false;
}

void store_effect_commit(void *context)
{
    (void)context;
    if (is_asked)
        sim_fail("the home asks twice for a commit");
    is_asked = true;
}

void store_effect_lost(void *context)
{
    (void)context;
    sim_fail("the home finds that it has lost the session, and nobody else has it");
}

bool store_is_asked(void)
{
    return is_asked || flight.is_some || late.is_some;
}

void store_attempt_begins(const Actor *actor)
{
    const LifeBlock *block = &actor->life.blocks[actor->life.depth - 1];
    Way *way = way_of(&block->id, block->attempt);
    if (way->begun != 0 && way->begun != actor->life.term)
        sim_fail("an attempt of a durable block is begun again after a loss");
    way->begun = actor->life.term;
}

// ---- commits ----

static void flight_take(void)
{
    CutChange *change = &flight.change;
    is_asked = false;
    if (!home_take_change(&sim.home, change))
        return;
    flight.is_some = true;
    flight.writer = sim.term;
    flight.status = sim.home.status;
    for (unsigned i = 0; change->pieces_level != CUT_NO_LEVEL && i < sim.program.role_count; i++) {
        WireSpan piece = home_piece(&sim.home, (uint32_t)change->pieces_level, i);
        CHECK(piece.size == sizeof(State));
        memcpy(&flight.pieces[i], piece.data, sizeof(State));
    }
    for (uint32_t level = change->head_from; level <= change->levels; level++) {
        home_head(&sim.home, level, &flight.heads[level - 1]);
        flight.heads[level - 1].fault.why = "kept";
        flight.heads[level - 1].fault.role = "A";
        flight.heads[level - 1].fault.file = "";
    }
    TRACE("    store: a commit of version %llu, term %llu is on its way", (unsigned long long)change->version,
          (unsigned long long)change->term);
}

// Is it applied?
static bool flight_apply(const Flight *from)
{
    const CutChange *change = &from->change;
    bool is_as_expected = change->is_first
                              ? !record.is_there
                              : record.is_there && record.term == change->term && record.version == change->version;
    if (!is_as_expected && !cut_is_broken(CUT_BROKEN_NO_CONDITION))
        return false;
    if (record.is_over && !cut_is_broken(CUT_BROKEN_NO_CONDITION))
        sim_fail("something is committed after the outcome");
    record.is_there = true;
    record.term = change->term;
    record.version = change->version + 1;
    record.writer = from->writer;
    if (change->drops && change->drop_from > 0 && record.depth >= change->drop_from)
        record.depth = change->drop_from - 1;
    for (unsigned i = 0; change->pieces_level != CUT_NO_LEVEL && i < sim.program.role_count; i++)
        record.pieces[change->pieces_level][i] = from->pieces[i];
    for (uint32_t level = change->head_from; level <= change->levels; level++) {
        record.heads[level - 1] = from->heads[level - 1];
        record.depth = level > record.depth ? level : record.depth;
    }
    record.is_over |= change->is_over;
    if (change->is_over)
        record.status = from->status;
    TRACE("    store: version %llu of term %llu, %u blocks%s", (unsigned long long)record.version,
          (unsigned long long)record.term, record.depth, record.is_over ? ", over" : "");
    total.commits++;
    return true;
}

static void flight_answer(bool is_applied)
{
    flight = (Flight){0};
    home_committed(&sim.home, is_applied, sim.now_ns);
}

// The answer was lost: what the store has says whether it was done (C10).
static void flight_look(void)
{
    bool is_own = record.writer == flight.writer;
    CutDoubt doubt = cut_doubt(&flight.change, record.is_there, record.term, record.version, is_own);
    is_in_doubt = false;
    if (doubt != CUT_NOT_DONE)
        flight_answer(doubt == CUT_DONE);
}

void store_step(void)
{
    if (late.is_some && chance(20)) {
        if (flight_apply(&late))
            sim_fail("a home that has lost the session changes it");
        late = (Flight){0};
    } else if (is_in_doubt) {
        flight_look();
    } else if (flight.is_some && chance(10)) {
        if (chance(50))
            flight_apply(&flight);
        is_in_doubt = true;
    } else if (flight.is_some) {
        flight_answer(flight_apply(&flight));
    } else if (is_asked) {
        flight_take();
    }
}

// ---- homes ----

void home_start(void)
{
    HomeOptions options = {.table = &sim.table,
                           .definition = "run",
                           .session = 1 + 1000 * sim.term + simulate_draw(1000),
                           .term = sim.term,
                           .is_durable = sim.is_durable,
                           .self = HOME,
                           .limits = sim.limits,
                           .suspect_ns = SUSPECT_NS,
                           .participants = sim.program.participants_of_all,
                           .participant_count = sim.program.participant_count,
                           .memory = &sim.memory,
                           .effects = &home_effects_table};
    CHECK(home_init(&sim.home, &options, sim.now_ns));
}

static WireSpan record_piece(const void *context, uint32_t level, unsigned role)
{
    (void)context;
    return (WireSpan){(const uint8_t *)&record.pieces[level][role], sizeof(State)};
}

// None of the blocks that it is in has an attempt left.
static bool is_used_up(void)
{
    for (uint32_t i = 0; i < record.depth; i++) {
        const chx_block *block = blocks_find(sim.program.blocks, sim.program.block_count, record.heads[i].block);
        if (block_allows(block, record.heads[i].attempt + 1))
            return false;
    }
    return record.depth > 0;
}

void store_lose_home(void)
{
    if (!record.is_there)
        return; // nothing has happened yet
    TRACE("the home is lost");
    sim.homes_lost--;
    total.homes++;
    // What was on its way may be done: before the next home comes, or after that, or not at all.
    if (flight.is_some && !is_in_doubt && chance(50))
        flight_apply(&flight);
    else if (flight.is_some && !is_in_doubt && chance(50))
        late = flight;
    flight = (Flight){0};
    is_asked = is_in_doubt = false;
    wires_of_home_cut();
    home_fini(&sim.home);
    sim.term = ++record.term;
    home_start();
    if (record.is_over) {
        sim.is_over = sim.is_resumed_over = true;
        sim.status = record.status;
        return;
    }
    sim.may_fail_resumed = is_used_up();
    HomeResume from = {.version = record.version, .heads = record.heads, .depth = record.depth, .piece = record_piece};
    if (home_resume(&sim.home, &from) != HOME_GOOD)
        sim_fail("the next home can't go on from the store");
    if (sim.home.is_over && !sim.may_fail_resumed)
        sim_fail("the session fails with its home, though a block has an attempt left");
    if (!sim.home.is_over && sim.may_fail_resumed && !cut_is_broken(CUT_BROKEN_SAME_ATTEMPT))
        sim_fail("the session goes on though no block has an attempt left");
}
