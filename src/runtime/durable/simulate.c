// simulate.c: sessions with durable blocks, with random programs, roles that fail, a store that loses what was not synced and does not
// always say what it has done, programs that are lost at every step, and programs that go on though another one has taken over.
//
//     durable-simulate [--trace] SEED COUNT
//
// What is committed when is decided by cut.c. Here are the roles (all of them run the same program: steps and durable blocks, some of
// them rounds of loops), what becomes of blocks when roles fail, in the simplest form, and the store.
//
// What must hold, over all lives of a session:
//
// - an attempt of a block is begun in one life only: it is never silently done again;
// - all leave an instance of a block in the same attempt, for ever, and what has been left is not begun again;
// - the store has what was committed last, whole, and an outcome is final;
// - only a program whose session was taken over loses it;
// - every session comes to an end when nothing is lost any more.

#include "runtime/durable/cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROLES = 3, DEPTH = 4, OPS = 64, BLOCKS = 16, LIVES = 12, NOTES = 4096 };

typedef enum { OP_STEP, OP_ENTER, OP_END_OF_BLOCK, OP_END } OpKind;
typedef struct {
    OpKind kind;
    int block;
} Op;
typedef struct {
    int body_at, rescue_at, after; // rescue_at: 0: none
    uint32_t retries, rounds;      // rounds: 0: it is none
} BlockRule;

typedef struct {
    int block;
    uint32_t ordinal, attempt;
} Frame;

// What a role is, and what it gives to be kept.
typedef struct {
    int at;
    size_t depth;
    Frame frames[DEPTH];
} Place;

typedef struct {
    uint64_t term, version, home;
    bool is_there, is_over, is_good;
    size_t depth;
    CutEntry entries[DEPTH];
    Place pieces[DEPTH + 1][ROLES]; // by level
} Disk;

typedef struct {
    Place place;
    bool enters, given;        // it is in a block and not let in; the cut knows
    bool arrived, waits_to_go; // at the end of a block; all are
    bool renews;               // waits_to_go: another round follows
    bool is_behind, has_ended;
    size_t back_to; // is_behind: to the block at this depth
} Role;

// A program that runs the session.
typedef struct {
    bool is_alive, has_begun, is_stopped, is_good;
    Cut cut;
    Role roles[ROLES];
    size_t depth; // blocks that some role is in
    struct {
        Frame frame;
        unsigned entered, arrived;
        int arrivals[ROLES];
    } blocks[DEPTH];
    Place given[ROLES];
    bool wants_commit, is_on_its_way;
    CutChange change;
    Disk written; // what the commit makes of the disk
    bool is_synced, is_in_doubt;
} Life;

static struct {
    uint64_t seed, random;
    bool is_traced;
    Op ops[OPS];
    int op_count, block_count;
    BlockRule rules[BLOCKS];
    Disk disk, expected; // expected: what the last commit that was applied should have made
    Life lives[LIVES];
    int life_count, losses_left, wrong_left, failures_left, troubles_left;
    struct {
        uint64_t key;
        int life;
    } begun[NOTES];
    int begun_count;
    struct {
        uint64_t key;
        uint32_t attempt;
    } left[NOTES];
    int left_count;
    bool is_told, told_good;
} sim;

static struct {
    unsigned long sessions, commits, losses, doubts, stale, failures, taken;
} total;

static _Noreturn void wrong(const char *what)
{
    printf("seed %llu: %s\n", (unsigned long long)sim.seed, what);
    exit(1);
}

static uint64_t draw(uint64_t below)
{
    uint64_t x = sim.random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x % below;
}

#define trace(...)                                                                                                     \
    do {                                                                                                               \
        if (sim.is_traced)                                                                                             \
            printf(__VA_ARGS__);                                                                                       \
    } while (0)

// ---- programs ----

static void add(OpKind kind, int block)
{
    sim.ops[sim.op_count++] = (Op){kind, block};
}

static void make_list(size_t depth);

static void make_block(size_t depth)
{
    int block = sim.block_count++;
    BlockRule *rule = &sim.rules[block];
    *rule = (BlockRule){.retries = (uint32_t)draw(3), .rounds = draw(3) == 0 ? 1 + (uint32_t)draw(3) : 0};
    add(OP_ENTER, block);
    rule->body_at = sim.op_count;
    make_list(depth + 1);
    add(OP_END_OF_BLOCK, block);
    if (draw(4) != 0) {
        rule->rescue_at = sim.op_count;
        if (draw(2) == 0)
            make_list(depth + 1);
        else
            add(OP_STEP, 0);
        add(OP_END_OF_BLOCK, block);
    }
    rule->after = sim.op_count;
}

static void make_list(size_t depth)
{
    for (uint64_t left = 1 + draw(3); left > 0; left--) {
        bool has_room = sim.block_count < BLOCKS && sim.op_count + 16 < OPS && depth + 1 < DEPTH;
        if (has_room && draw(depth == 0 ? 2 : 4) == 0)
            make_block(depth);
        else if (sim.op_count + 8 < OPS)
            add(OP_STEP, 0);
    }
}

// ---- what must hold ----

// An instance of a block: all that is around it, and its own number.
static uint64_t instance(const Frame *frames, size_t depth)
{
    uint64_t key = 1;
    for (size_t i = 0; i < depth; i++) {
        key = (key * 1000003) ^ (uint64_t)(frames[i].block * 64 + (int)frames[i].ordinal + 7);
        if (i + 1 < depth)
            key = (key * 1000003) ^ (frames[i].attempt + 1);
    }
    return key;
}

static int number_of(const Life *life)
{
    return (int)(life - sim.lives);
}

static void note_begun(const Life *life, const Place *place)
{
    const Frame *innermost = &place->frames[place->depth - 1];
    uint64_t key = instance(place->frames, place->depth), attempt = key * 31 + innermost->attempt;
    for (int i = 0; i < sim.left_count; i++)
        if (sim.left[i].key == key)
            wrong("a block is begun again that has been left");
    for (int i = 0; i < sim.begun_count; i++) {
        if (sim.begun[i].key != attempt)
            continue;
        if (sim.begun[i].life != number_of(life))
            wrong("an attempt of a block is done again after a loss");
        return;
    }
    if (sim.begun_count == NOTES)
        wrong("the simulation is too long");
    sim.begun[sim.begun_count].key = attempt;
    sim.begun[sim.begun_count++].life = number_of(life);
}

static void note_left(const Place *place)
{
    uint64_t key = instance(place->frames, place->depth);
    uint32_t attempt = place->frames[place->depth - 1].attempt;
    for (int i = 0; i < sim.left_count; i++) {
        if (sim.left[i].key == key && sim.left[i].attempt != attempt)
            wrong("there are two ways out of one block");
        if (sim.left[i].key == key)
            return;
    }
    if (sim.left_count == NOTES)
        wrong("the simulation is too long");
    sim.left[sim.left_count].key = key;
    sim.left[sim.left_count++].attempt = attempt;
}

// ---- the store ----

static bool disk_is(const Disk *disk, const Disk *other)
{
    if (disk->is_over || other->is_over)
        return disk->is_over == other->is_over && disk->is_good == other->is_good;
    if (disk->depth != other->depth)
        return false;
    for (size_t i = 0; i < disk->depth; i++)
        if (disk->entries[i].name != other->entries[i].name || disk->entries[i].ordinal != other->entries[i].ordinal ||
            disk->entries[i].attempt != other->entries[i].attempt)
            return false;
    for (size_t level = 0; level <= disk->depth; level++)
        for (int role = 0; role < ROLES; role++)
            if (disk->pieces[level][role].at != other->pieces[level][role].at)
                return false;
    return true;
}

// What the disk is after this change.
static void disk_change(Disk *disk, const Life *life, const Disk *wanted)
{
    const CutChange *change = &life->change;
    disk->is_there = true;
    disk->version++;
    if (change->is_first) {
        disk->term = change->term;
        disk->home = (uint64_t)number_of(life);
    }
    if (change->drops && disk->depth + 1 > change->drop_from)
        disk->depth = change->drop_from > 0 ? change->drop_from - 1 : 0;
    if (change->pieces_level != CUT_NO_LEVEL)
        memcpy(disk->pieces[change->pieces_level], wanted->pieces[change->pieces_level], sizeof disk->pieces[0]);
    for (uint32_t level = change->head_from; level <= change->levels; level++) {
        disk->entries[level - 1] = wanted->entries[level - 1];
        if (disk->depth < level)
            disk->depth = level;
    }
    disk->is_over |= change->is_over;
    if (change->is_over)
        disk->is_good = life->is_good;
}

static bool is_current(const Life *life)
{
    const CutChange *change = &life->change;
    if (cut_is_broken(CUT_BROKEN_NO_CONDITION))
        return !sim.disk.is_over;
    if (change->is_first || !sim.disk.is_there)
        return change->is_first && !sim.disk.is_there;
    bool is_open = !sim.disk.is_over || cut_is_broken(CUT_BROKEN_NO_OUTCOME);
    return sim.disk.term == change->term && sim.disk.version == change->version && is_open;
}

// ---- what the machine asks for ----

static Life *life_of(Cut *cut)
{
    return (Life *)(void *)((char *)cut - offsetof(Life, cut));
}

static void on_commit(Cut *cut)
{
    life_of(cut)->wants_commit = true;
}

static void on_settled(Cut *cut)
{
    Life *life = life_of(cut);
    life->has_begun = true;
}

static void on_over(Cut *cut)
{
    Life *life = life_of(cut);
    if (sim.is_told && sim.told_good != life->is_good)
        wrong("the outcome has changed");
    sim.is_told = true;
    sim.told_good = life->is_good;
    trace("life %d: over\n", number_of(life));
}

static void on_lost(Cut *cut)
{
    Life *life = life_of(cut);
    if (sim.disk.home == (uint64_t)number_of(life))
        wrong("a session is lost that nobody has taken over");
    life->is_alive = false;
    total.stale++;
}

static const CutEffects effects = {on_commit, on_settled, on_over, on_lost};

// ---- commits ----

// What the whole cut is now, by what the roles have given and what is decided.
static Disk wanted_of(const Life *life)
{
    Disk wanted = sim.disk;
    int level = life->cut.pieces_level;
    wanted.depth = life->cut.depth;
    for (size_t i = 0; i < life->cut.depth; i++)
        wanted.entries[i] = life->cut.entries[i];
    if (level != CUT_NO_LEVEL)
        memcpy(wanted.pieces[level], life->given, sizeof wanted.pieces[level]);
    wanted.is_over |= life->cut.state == CUT_ENDS;
    wanted.is_good = wanted.is_over ? life->is_good : wanted.is_good;
    return wanted;
}

static void commit_begin(Life *life)
{
    life->wants_commit = false;
    Disk wanted = wanted_of(life);
    if (!cut_take(&life->cut, &life->change))
        return;
    if (cut_is_broken(CUT_BROKEN_NO_EXIT) && life->depth == 0 && life->change.drops)
        memcpy(wanted.pieces[0], life->given, sizeof wanted.pieces[0]);
    life->is_on_its_way = true;
    life->is_synced = life->is_in_doubt = false;
    life->written = wanted;
    trace("life %d: commit, depth %zu, pieces %d\n", number_of(life), wanted.depth, life->change.pieces_level);
}

// It is on disk from now on.
static void commit_sync(Life *life)
{
    if (life->is_synced)
        return;
    life->is_synced = true;
    if (!is_current(life))
        return;
    if (sim.disk.is_over)
        wrong("an outcome is not final");
    if (sim.disk.is_there && sim.disk.home != (uint64_t)number_of(life))
        wrong("a program has changed a session that was taken from it");
    disk_change(&sim.disk, life, &life->written);
    if (!disk_is(&sim.disk, &life->written))
        wrong("the store has something else than what was to be committed");
    sim.expected = sim.disk;
    life->is_in_doubt = true; // applied
    total.commits++;
}

// The store has answered, or has been asked what it has.
static void commit_answer(Life *life)
{
    bool is_applied = life->is_in_doubt;
    bool is_lost = sim.troubles_left > 0 && draw(6) == 0;
    if (is_lost) {
        sim.troubles_left--;
        total.doubts++;
        bool is_own = sim.disk.home == (uint64_t)number_of(life);
        CutDoubt doubt = cut_doubt(&life->change, sim.disk.is_there, sim.disk.term, sim.disk.version, is_own);
        if (doubt == CUT_NOT_DONE) {
            life->is_synced = life->is_in_doubt = false; // once more
            return;
        }
        is_applied = doubt == CUT_DONE;
    }
    life->is_on_its_way = false;
    if (is_applied)
        cut_committed(&life->cut);
    else
        cut_stale(&life->cut);
}

// The store has lost it before it was synced, and says that it does not know.
static void commit_vanish(Life *life)
{
    sim.troubles_left--;
    total.doubts++;
    bool is_own = sim.disk.home == (uint64_t)number_of(life);
    CutDoubt doubt = cut_doubt(&life->change, sim.disk.is_there, sim.disk.term, sim.disk.version, is_own);
    if (doubt == CUT_NOT_DONE)
        return;
    life->is_on_its_way = false;
    if (doubt == CUT_DONE)
        cut_committed(&life->cut);
    else
        cut_stale(&life->cut);
}

// ---- blocks ----

static bool can_recover(const Frame *frame)
{
    const BlockRule *rule = &sim.rules[frame->block];
    bool runs_rescue = frame->attempt == rule->retries || rule->rounds > 0;
    return frame->attempt < rule->retries || (runs_rescue && rule->rescue_at != 0);
}

// A block that is done is not around a role any more, even if that waits to go on.
static size_t role_depth(const Role *role)
{
    return role->place.depth - (role->waits_to_go && !role->renews ? 1 : 0);
}

static void decide(Life *life, size_t depth)
{
    trace("life %d: block %d goes to attempt %u\n", number_of(life), life->blocks[depth].frame.block,
          life->blocks[depth].frame.attempt + 1);
    life->depth = depth + 1;
    life->blocks[depth].frame.attempt++;
    life->blocks[depth].arrived = 0;
    memset(life->blocks[depth].arrivals, 0, sizeof life->blocks[depth].arrivals);
    for (int i = 0; i < ROLES; i++) {
        Role *role = &life->roles[i];
        if (role_depth(role) <= depth)
            continue;
        if (!role->is_behind || depth < role->back_to)
            role->back_to = depth;
        role->is_behind = true;
    }
    cut_decide(&life->cut, depth, life->blocks[depth].frame.attempt);
}

static void stop(Life *life, bool is_good)
{
    life->is_stopped = true;
    life->is_good = is_good;
    cut_end(&life->cut);
}

static void role_fails(Life *life, Role *role)
{
    total.failures++;
    if (role->is_behind)
        return; // in an attempt that is over
    for (size_t i = role_depth(role); i > 0; i--) {
        if (can_recover(&life->blocks[i - 1].frame)) {
            decide(life, i - 1);
            return;
        }
    }
    stop(life, false);
}

static void role_goes_back(Life *life, Role *role)
{
    size_t depth = role->back_to + 1;
    bool is_entering = role->enters && role->place.depth == depth;
    role->is_behind = role->arrived = role->waits_to_go = false;
    role->place.depth = depth;
    role->place.frames[depth - 1] = life->blocks[depth - 1].frame;
    role->given |= !is_entering;
    role->enters = true;
}

static void role_enters(Life *life, Role *role, int block)
{
    size_t depth = role->place.depth;
    if (life->depth == depth) {
        life->blocks[life->depth++].frame = (Frame){block, 0, 0};
        life->blocks[depth].entered = life->blocks[depth].arrived = 0;
        memset(life->blocks[depth].arrivals, 0, sizeof life->blocks[depth].arrivals);
    }
    role->place.frames[role->place.depth++] = life->blocks[depth].frame;
    role->enters = true;
    role->given = false;
}

static void role_begins_attempt(Life *life, Role *role)
{
    const Frame *frame = &role->place.frames[role->place.depth - 1];
    const BlockRule *rule = &sim.rules[frame->block];
    role->enters = false;
    role->place.at = frame->attempt > rule->retries ? rule->rescue_at : rule->body_at;
    note_begun(life, &role->place);
}

static void role_asks(Life *life, Role *role)
{
    size_t depth = role->place.depth - 1;
    const Frame *frame = &role->place.frames[depth];
    const BlockRule *rule = &sim.rules[frame->block];
    if (!role->given) {
        int number = (int)(role - life->roles);
        CutEntry entry = {.name = (uint32_t)frame->block,
                          .ordinal = frame->ordinal,
                          .attempt = life->blocks[depth].frame.attempt,
                          .retries = rule->retries,
                          .has_rescue = rule->rescue_at != 0,
                          .is_round = rule->rounds > 0};
        life->given[number] = role->place;
        role->given = true;
        if (!cut_reserve(&life->cut) || !cut_enter(&life->cut, depth, &entry))
            wrong("a block is entered that the others do not enter");
    }
    if (cut_lets_in(&life->cut, depth, frame->ordinal, frame->attempt))
        role_begins_attempt(life, role);
}

// All are at the end of the innermost block.
static void block_ends(Life *life, bool renews)
{
    size_t depth = life->depth - 1;
    for (int i = 0; i < ROLES; i++) {
        life->roles[i].waits_to_go = true;
        life->roles[i].renews = renews;
    }
    if (renews) {
        life->blocks[depth].frame.ordinal++;
        life->blocks[depth].frame.attempt = 0;
        life->blocks[depth].arrived = 0;
        memset(life->blocks[depth].arrivals, 0, sizeof life->blocks[depth].arrivals);
        cut_renew(&life->cut, depth);
        return;
    }
    life->depth--;
    cut_leave(&life->cut, depth);
}

static void role_arrives(Life *life, Role *role)
{
    size_t depth = role->place.depth - 1;
    const Frame *frame = &role->place.frames[depth];
    const BlockRule *rule = &sim.rules[frame->block];
    bool renews = frame->ordinal + 1 < rule->rounds;
    Place *given = &life->given[role - life->roles];
    role->arrived = true;
    if (renews) {
        *given = role->place;
        given->frames[depth].ordinal++;
        given->frames[depth].attempt = 0;
    } else if (depth == 0) {
        *given = (Place){.at = rule->after};
    }
    if (++life->blocks[depth].arrived == ROLES)
        block_ends(life, renews);
}

static void role_goes(Life *life, Role *role)
{
    Frame *frame = &role->place.frames[role->place.depth - 1];
    note_left(&role->place);
    role->arrived = role->waits_to_go = false;
    if (role->renews) {
        frame->ordinal++;
        frame->attempt = 0;
        role_begins_attempt(life, role);
        return;
    }
    role->place.at = sim.rules[frame->block].after;
    role->place.depth--;
}

static void role_runs(Life *life, Role *role)
{
    const Op *op = &sim.ops[role->place.at];
    if (role->is_behind) {
        role_goes_back(life, role);
    } else if (role->enters) {
        role_asks(life, role);
    } else if (role->waits_to_go) {
        if (cut_lets_go(&life->cut))
            role_goes(life, role);
    } else if (role->arrived || role->has_ended) {
        return;
    } else if (op->kind == OP_STEP) {
        role->place.at++;
    } else if (op->kind == OP_ENTER) {
        role_enters(life, role, op->block);
    } else if (op->kind == OP_END_OF_BLOCK) {
        role_arrives(life, role);
    } else {
        role->has_ended = true;
        bool all = true;
        for (int i = 0; i < ROLES; i++)
            all = all && life->roles[i].has_ended;
        if (all)
            stop(life, true);
    }
}

// ---- lives ----

static Life *life_new(void)
{
    Life *life = &sim.lives[sim.life_count++];
    memset(life, 0, sizeof *life);
    life->is_alive = true;
    cut_init(&life->cut, &effects, ROLES);
    return life;
}

static void life_begins(void)
{
    Life *life = life_new();
    cut_begin(&life->cut, 1);
    for (int i = 0; i < ROLES; i++)
        life->given[i] = (Place){.at = 0};
}

// From the store.
static void life_resumes(void)
{
    Life *life = life_new();
    Disk *disk = &sim.disk;
    if (!disk_is(disk, &sim.expected))
        wrong("the store does not have what was committed last");
    disk->term++;
    disk->home = (uint64_t)number_of(life);
    for (size_t i = 0; i < disk->depth; i++) {
        life->cut.depth = i;
        if (!cut_reserve(&life->cut))
            wrong("no memory");
        life->cut.entries[i] = disk->entries[i];
    }
    CutResumed resumed = cut_resume(&life->cut, disk->term, disk->version, disk->depth);
    trace("life %d: resumes at depth %zu: %d\n", number_of(life), disk->depth, (int)resumed);
    life->depth = life->cut.depth;
    for (size_t i = 0; i < life->depth; i++) {
        const CutEntry *entry = &life->cut.entries[i];
        life->blocks[i].frame = (Frame){(int)entry->name, entry->ordinal, entry->attempt};
    }
    for (int i = 0; i < ROLES; i++) {
        Role *role = &life->roles[i];
        role->place = disk->pieces[life->depth][i];
        role->enters = role->given = life->depth > 0;
        for (size_t k = 0; k < life->depth; k++)
            role->place.frames[k] = life->blocks[k].frame;
    }
    life->has_begun = resumed != CUT_NEXT_ATTEMPT;
    if (resumed == CUT_NONE_LEFT)
        stop(life, false);
    else
        cut_go_on(&life->cut);
}

static void life_ends(Life *life)
{
    life->is_alive = false;
    cut_fini(&life->cut);
    life->cut.entries = NULL;
}

static Life *newest(void)
{
    return &sim.lives[sim.life_count - 1];
}

// Everything that runs is lost, and somebody begins again.
static void lose_all(void)
{
    trace("all is lost\n");
    sim.losses_left--;
    total.losses++;
    for (int i = 0; i < sim.life_count; i++)
        if (sim.lives[i].is_alive)
            life_ends(&sim.lives[i]);
    if (!sim.disk.is_there)
        life_begins();
    else if (!sim.disk.is_over)
        life_resumes();
}

static void life_runs(Life *life)
{
    switch (draw(8)) {
    case 0:
        if (life->wants_commit)
            commit_begin(life);
        return;
    case 1:
        if (life->is_on_its_way && sim.troubles_left > 0 && !life->is_synced && draw(8) == 0)
            commit_vanish(life);
        else if (life->is_on_its_way)
            commit_sync(life);
        return;
    case 2:
        if (life->is_on_its_way && life->is_synced)
            commit_answer(life);
        return;
    default:
        break;
    }
    Role *role = &life->roles[draw(ROLES)];
    if (!life->has_begun || life->is_stopped)
        return;
    if (sim.failures_left > 0 && draw(40) == 0 && !role->has_ended) {
        sim.failures_left--;
        role_fails(life, role);
    } else {
        role_runs(life, role);
    }
}

// A report that comes late must not count any more.
static void late_report(Life *life)
{
    if (life->cut.state == CUT_OVER && draw(4) == 0) {
        life->is_good = !life->is_good;
        cut_end(&life->cut);
    }
}

static bool is_finished(void)
{
    return sim.disk.is_over && sim.is_told;
}

static void run_session(uint64_t seed)
{
    bool is_traced = sim.is_traced;
    memset(&sim, 0, sizeof sim);
    sim.is_traced = is_traced;
    sim.seed = sim.random = seed;
    make_list(0);
    add(OP_END, 0);
    sim.losses_left = (int)draw(4);
    sim.wrong_left = (int)draw(2);
    sim.failures_left = (int)draw(4);
    sim.troubles_left = (int)draw(4);
    life_begins();
    for (int i = 0; i < 200000 && !is_finished(); i++) {
        if (sim.losses_left > 0 && draw(60) == 0)
            lose_all();
        if (sim.wrong_left > 0 && draw(80) == 0 && sim.disk.is_there && !sim.disk.is_over) {
            sim.wrong_left--;
            total.taken++;
            life_resumes(); // the one before goes on
        }
        for (int k = 0; k < sim.life_count; k++)
            if (sim.lives[k].is_alive)
                life_runs(&sim.lives[k]);
        if (sim.disk.is_over && !newest()->is_alive)
            break; // lost after the outcome was committed: whoever opens it reads that
    }
    if (!sim.disk.is_over)
        wrong("a session does not come to an end");
    for (int i = 0; i < 50; i++) {
        for (int k = 0; k < sim.life_count; k++)
            if (sim.lives[k].is_alive) {
                late_report(&sim.lives[k]);
                life_runs(&sim.lives[k]);
            }
    }
    for (int i = 0; i < sim.life_count; i++)
        cut_fini(&sim.lives[i].cut);
    total.sessions++;
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--trace") == 0) {
        sim.is_traced = true;
        first++;
    }
    if (argc != first + 2) {
        fprintf(stderr, "usage: durable-simulate [--trace] SEED COUNT\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[first], NULL, 10), count = strtoull(argv[first + 1], NULL, 10);
    for (uint64_t i = 0; i < count; i++)
        run_session(seed + i);
    printf("%lu sessions: %lu commits, %lu losses, %lu taken over while they ran, %lu in doubt, %lu stale, %lu "
           "failures of roles\n",
           total.sessions, total.commits, total.losses, total.taken, total.doubts, total.stale, total.failures);
    return 0;
}
