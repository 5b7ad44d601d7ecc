// simulate_role.c: what a role does in a simulated session: see simulate.c.

#include "net/home/simulate.h"

// ---- what a role does ----

static WireSpan state_span(const State *state)
{
    return (WireSpan){(const uint8_t *)state, sizeof *state};
}

static void wait_for(Actor *actor, Wait wait, unsigned peer)
{
    actor->wait = wait;
    actor->wait_peer = peer;
}

// It waits for a message or for room: unless there is something that it has to say, and can't yet.
static void settle_and_wait(Actor *actor, Wait wait, unsigned peer)
{
    if (hand_settle(actor))
        wait_for(actor, wait, peer);
}

// Is its innermost block a durable one of a durable session?
static bool is_at_gate(const Actor *actor)
{
    const Life *life = &actor->life;
    return life->is_durable && life->depth > 0 && life->blocks[life->depth - 1].block->is_durable;
}

static void begin(Actor *actor)
{
    if (actor->busy != LIFE_ASKS_BEGIN) {
        hand_drop(actor);
        const WireRestore *restore = life_restore(&actor->life);
        WireList blocks = restore->blocks;
        WireBlock block;
        WireSaved saved;
        actor->reading_depth = 0;
        actor->reads_base = false;
        while (wire_next(&blocks, WIRE_ITEM_BLOCK, &block)) {
            CHECK(wire_decode_body(WIRE_SAVED, block.saved, &saved) == WIRE_GOOD);
            CHECK(saved.snapshot.size == sizeof(State));
            if (block.name == 0) {
                actor->reads_base = true;
                memcpy(&actor->base, saved.snapshot.data, sizeof actor->base);
                continue;
            }
            State *state = &actor->reading[actor->reading_depth++];
            memcpy(state, saved.snapshot.data, sizeof *state);
            state->attempt[state->depth - 1] = block.attempt;
        }
        actor->busy = LIFE_ASKS_BEGIN;
        return;
    }
    actor->busy = LIFE_ASKS_NOTHING;
    life_begun(&actor->life);
    unsigned depth = actor->reading_depth;
    for (unsigned i = 0; i < depth; i++)
        actor->entries[i] = actor->reading[i];
    actor->state = depth > 0 ? program_restart(&sim.program, &actor->entries[depth - 1],
                                               actor->entries[depth - 1].attempt[depth - 1])
                             : (actor->reads_base ? actor->base : (State){0});
    actor->acts = true;
    actor->arrived = actor->ending = actor->is_outside = false;
    actor->entering = is_at_gate(actor);
}

static void go_back(Actor *actor)
{
    if (actor->busy != LIFE_ASKS_BACK) {
        hand_drop(actor);
        actor->back = *life_back(&actor->life);
        actor->busy = LIFE_ASKS_BACK;
        return;
    }
    actor->busy = LIFE_ASKS_NOTHING;
    const LifeBack *back = &actor->back;
    LifeVerdict verdict = life_went_back(&actor->life, back->number);
    if (verdict != LIFE_GOOD)
        return;
    State *entry = &actor->entries[back->depth - 1];
    if (entry->ordinal[back->depth - 1] != back->ordinal) {
        // The next round had begun, and it has not noticed.
        *entry = actor->next;
        if (entry->ordinal[back->depth - 1] != back->ordinal)
            sim_fail("a role is to go back to a round that it does not know");
    }
    CHECK(entry->name[back->depth - 1] == back->name);
    actor->state = program_restart(&sim.program, entry, back->attempt);
    entry->attempt[back->depth - 1] = back->attempt;
    actor->arrived = false;
    actor->entering = is_at_gate(actor);
}

static void stop(Actor *actor)
{
    const LifeStop *why = life_stop(&actor->life);
    bool is_fenced = why->is_fenced;
    hand_drop(actor);
    actor->acts = actor->arrived = actor->ending = actor->entering = actor->is_outside = false;
    actor->busy = LIFE_ASKS_NOTHING;
    wait_for(actor, WAIT_ORDER, 0);
    if (is_fenced && chance(50))
        life_rejoin(&actor->life);
    else
        life_stopped(&actor->life);
}

// ---- one step ----

static void do_send(Actor *actor, const Op *op)
{
    State *state = &actor->state;
    Value value = {.op = state->op, .nonce = simulate_draw(0), .bit = (uint8_t)(state->bits >> op->bit & 1)};
    if (state->depth > 0) {
        value.id = actor->life.blocks[state->depth - 1].id;
        value.attempt = actor->life.blocks[state->depth - 1].attempt;
    }
    if (!hand_send(actor, op->to, state->op, &value)) {
        settle_and_wait(actor, WAIT_ROOM, op->to);
        return;
    }
    state->sent[op->to] = state->sent[op->to] * 0x100000001b3u + value.nonce;
    state->op++;
}

static void do_receive(Actor *actor, const Op *op)
{
    State *state = &actor->state;
    uint32_t site;
    Value value;
    if (!hand_receive(actor, op->from, &site, &value)) {
        settle_and_wait(actor, WAIT_MESSAGE, op->from);
        return;
    }
    if (site != state->op || value.op != state->op)
        sim_fail("a role consumes a message that was sent elsewhere");
    if (state->depth > 0) {
        const LifeBlock *block = &actor->life.blocks[state->depth - 1];
        if (!wire_id_is(&value.id, &block->id) || value.attempt != block->attempt)
            sim_fail("a role consumes a message of another attempt");
        if (actor->life.term == sim.term)
            way_of(&block->id, block->attempt)->seen |= 1u << op->from;
    }
    total.consumed++;
    state->consumed[op->from] = state->consumed[op->from] * 0x100000001b3u + value.nonce;
    if (op->has_bit)
        state->bits = (state->bits & ~(1u << op->bit)) | (uint32_t)value.bit << op->bit;
    state->op++;
}

static void do_enter(Actor *actor, const Op *op)
{
    State entry = program_enter(&actor->state, op);
    unsigned depth = entry.depth;
    LifeEntered entered;
    LifeSnapshot snapshot = {.steps = 1, .snapshot = state_span(&entry)};
    if (!hand_settle(actor) ||
        life_enter(&actor->life, op->name, entry.ordinal[depth - 1], &snapshot, &entered) != LIFE_GOOD)
        return;
    // What it has at hand is of an attempt that is over.
    if (entered.attempt > 0 && !session_is_broken(SESSION_BROKEN_STALE_HAND))
        hand_drop(actor);
    entry.attempt[depth - 1] = entered.attempt;
    actor->entries[depth - 1] = entry;
    actor->state = program_restart(&sim.program, &entry, entered.attempt);
    actor->entering = is_at_gate(actor);
}

// What it goes on with, outside of all blocks.
static void give_base(Actor *actor)
{
    State base = actor->state;
    if (base.depth > 0) {
        base.depth--;
        base.op++;
    }
    LifeSnapshot snapshot = {.steps = 1, .snapshot = state_span(&base)};
    if (!hand_settle(actor) || life_arrive_outside(&actor->life, &snapshot) != LIFE_GOOD)
        return;
    actor->is_outside = actor->state.depth == 0;
    actor->arrived = !actor->is_outside;
}

// The block is over for this role, or the next round has begun.
static void go_on(Actor *actor, const Op *op)
{
    State *state = &actor->state;
    unsigned depth = state->depth;
    bool renews = op->is_round && (state->bits >> op->bit & 1) != 0;
    actor->arrived = false;
    if (renews) {
        actor->entries[depth - 1] = actor->next;
        *state = program_restart(&sim.program, &actor->next, 0);
    } else {
        state->depth--;
        state->op++;
    }
}

static void do_leave(Actor *actor, const Op *op)
{
    State *state = &actor->state;
    bool renews = op->is_round && (state->bits >> op->bit & 1) != 0;
    LifeSnapshot snapshot = {.steps = 1};
    if (!renews && life_gives_base(&actor->life)) {
        give_base(actor);
        return;
    }
    if (renews) {
        actor->next = program_next_round(state, op);
        snapshot.snapshot = state_span(&actor->next);
    }
    if (hand_settle(actor) && life_arrive(&actor->life, renews ? &snapshot : NULL) == LIFE_GOOD)
        actor->arrived = true;
}

static void do_end(Actor *actor)
{
    if (hand_settle(actor) && life_end(&actor->life, state_span(&actor->state)) == LIFE_GOOD)
        actor->ending = true;
}

static void act(Actor *actor)
{
    State *state = &actor->state;
    state->op = program_next(&sim.program, actor->role, state);
    const Op *op = &sim.program.ops[state->op];
    if (actor->life.state == LIFE_ARRIVED || actor->life.state == LIFE_HELD || actor->ending) {
        wait_for(actor, actor->ending ? WAIT_ORDER : WAIT_GO, 0);
        return;
    }
    if (!life_may_act(&actor->life))
        sim_fail("a role is neither asked for something nor may it act");
    if (actor->arrived) {
        go_on(actor, op);
        return;
    }
    if (actor->entering && !life_is_let_in(&actor->life)) {
        wait_for(actor, WAIT_GO, 0);
        return;
    }
    if (actor->entering)
        store_attempt_begins(actor);
    actor->entering = false;
    if (state->depth == 0 && !actor->is_outside && life_gives_base(&actor->life)) {
        give_base(actor);
        return;
    }
    actor->is_outside = false;
    switch (op->kind) {
    case OP_MESSAGE:
        if (op->from == actor->role)
            do_send(actor, op);
        else
            do_receive(actor, op);
        break;
    case OP_DRAW:
        state->bits = (state->bits & ~(1u << op->bit)) | (uint32_t)chance(op->is_round ? 40 : 50) << op->bit;
        state->op++;
        break;
    case OP_ENTER:
        do_enter(actor, op);
        break;
    case OP_LEAVE:
        do_leave(actor, op);
        break;
    case OP_END:
        do_end(actor);
        break;
    default:
        CHECK(false);
    }
}

static void fail(Actor *actor)
{
    WireFault fault = {.kind = CHX_FAULT_FAIL, .line = 7, .why = wire_text("it has failed"), .file = wire_text("a.c")};
    if (chance(50))
        hand_settle(actor);
    if (life_fail(&actor->life, &fault) != LIFE_GOOD)
        return;
    hand_drop(actor);
    TRACE("role %u at %u fails", actor->role, actor->node);
    sim.faults--;
    total.fails++;
    actor->acts = actor->arrived = actor->ending = actor->entering = actor->is_outside = false;
    actor->busy = LIFE_ASKS_NOTHING;
    wait_for(actor, WAIT_ORDER, 0);
}

void step_role(Actor *actor)
{
    switch (life_asks(&actor->life)) {
    case LIFE_ASKS_BEGIN:
        begin(actor);
        return;
    case LIFE_ASKS_BACK:
        if (actor->acts)
            go_back(actor);
        return;
    case LIFE_ASKS_STOP:
        stop(actor);
        return;
    case LIFE_ASKS_NOTHING:
        break;
    }
    actor->busy = LIFE_ASKS_NOTHING;
    if (!actor->acts || !life_is_active(&actor->life)) {
        wait_for(actor, WAIT_ORDER, 0);
        return;
    }
    if (sim.may_cancel && chance(2) && life_cancel(&actor->life, wire_text("enough")) == LIFE_GOOD)
        sim.may_cancel = false;
    bool may_fail = actor->state.depth > 0 || chance(2);
    if (sim.faults > 0 && may_fail && life_may_act(&actor->life) && chance(2))
        fail(actor);
    else
        act(actor);
}
