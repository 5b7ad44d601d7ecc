// simulate.c: whole sessions among hosts: the home, the lives of all roles and the links between their nodes, with random
// choreographies, nodes that are lost or suspected by mistake, pairs of nodes that can't reach each other, roles that fail, links that are lost, memory that runs out.
//
//     session-simulate [--trace] SEED COUNT
//
// What a role does is here (an interpreter of small programs, simulate_program.h); everything that is decided is decided by home.h
// and life.h. Frames are encoded and decoded as between real nodes.
//
// What must hold: a message is consumed at the receive that it was sent for, in the same attempt of the same block, and in
// the end each role has consumed, over every channel, exactly what the other one has sent in the attempts that count; all leave a
// block in the same attempt; nobody who keeps to the protocol is said to violate it; a session fails only for a role that was in
// no block with an attempt left, or of whom nobody knew that it was; of two roles that can't reach each other for a while, the right one is
// given up, and none otherwise; nothing hangs, though a role is looked at only if it was woken;
// all memory is given back.

#include "net/home/simulate.h"

Sim sim;
Total total;

static void print_actors(void);

static void print_actors(void);

_Noreturn void sim_fail(const char *what)
{
    if (sim.is_traced)
        print_actors();
    printf("seed %llu: %s\n", (unsigned long long)sim.seed, what);
    exit(1);
}

uint64_t simulate_draw(uint64_t below)
{
    uint64_t x = sim.random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return below == 0 ? x : x % below;
}
#define draw simulate_draw

// Frames are put together in memory of their own (WireBuffer): linked with --wrap=realloc.
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    if (sim.is_short_of_memory && chance(1)) {
        total.no_memory++;
        return NULL;
    }
    return __real_realloc(memory, size);
}

static void *sim_allocate(void *context, size_t size)
{
    (void)context;
    if (sim.is_short_of_memory && chance(3)) {
        total.no_memory++;
        return NULL;
    }
    sim.allocated++;
    return malloc(size);
}

static void sim_release(void *context, void *memory)
{
    (void)context;
    sim.allocated--;
    free(memory);
}

// ---- links ----

static void wire_cut(Wire *wire, unsigned count)
{
    while (wire->count > count)
        free(wire->frames[(wire->first + --wire->count) % QUEUE].bytes);
}

static void wire_append(Wire *wire, Frame frame)
{
    if (wire->count == QUEUE)
        sim_fail("there are more and more frames");
    wire->frames[(wire->first + wire->count++) % QUEUE] = frame;
}

static void wire_put_frame(unsigned from, unsigned to, WireKind kind, const void *body)
{
    Wire *wire = &sim.wires[from][to];
    Frame frame = {.kind = kind, .size = wire_body_size(kind, body)};
    CHECK(frame.size > 0);
    if (wire->is_dead || !sim.is_up[to])
        return;
    frame.bytes = malloc(frame.size);
    wire_write_body(frame.bytes, kind, body);
    wire_append(wire, frame);
}

// What is on its way is lost, from some frame on; both ends notice behind what arrives.
static void link_lose(unsigned one, unsigned other)
{
    for (unsigned i = 0; i < 2; i++) {
        Wire *wire = i == 0 ? &sim.wires[one][other] : &sim.wires[other][one];
        wire_cut(wire, (unsigned)draw(wire->count + 1));
        wire_append(wire, (Frame){.is_marker = true});
        wire->is_dead = true;
    }
}

// ---- the home's effects ----

Way *way_of(const WireId *id, uint32_t attempt)
{
    for (unsigned i = 0; i < sim.way_count; i++)
        if (wire_id_is(&sim.ways[i].id, id) && sim.ways[i].attempt == attempt)
            return &sim.ways[i];
    CHECK(sim.way_count < WAYS);
    Way *way = &sim.ways[sim.way_count++];
    *way = (Way){.id = *id, .attempt = attempt};
    return way;
}

static bool home_effect_order(void *context, uint32_t node, WireKind kind, const void *frame)
{
    (void)context;
    TRACE("    home: %s to node %u", wire_shape(kind)->name, node);
    if (sim.is_short_of_memory && chance(1) && chance(10))
        return false;
    if (kind == WIRE_GO) {
        const WireGo *go = frame;
        way_of(&go->id, go->attempt)->is_done = true;
    }
    wire_put_frame(HOME, node, kind, frame);
    return true;
}

static bool home_effect_give(void *context, uint32_t node, const WireData *data)
{
    (void)context;
    if (chance(10))
        return false;
    wire_put_frame(HOME, node, WIRE_DATA, data);
    return true;
}

static bool may_play(unsigned node, unsigned role)
{
    return (sim.program.places[role] >> node & 1) != 0;
}

// Could a life of the role begin there, as far as the home knows?
static bool is_place(unsigned node, unsigned role)
{
    return sim.is_up[node] && !sim.is_suspect[node] && may_play(node, role) && !sim.wires[HOME][node].is_dead;
}

static uint32_t any_place(unsigned role)
{
    unsigned first = (unsigned)draw(NODES);
    for (unsigned i = 0; i < NODES; i++) {
        unsigned node = 1 + (first + i) % NODES;
        if (is_place(node, role))
            return node;
    }
    return 0;
}

static uint32_t home_effect_place(void *context, unsigned role, uint32_t last)
{
    (void)context;
    if (chance(sim.is_late ? 90 : 20))
        return 0;
    return last != 0 && is_place(last, role) && chance(60) ? last : any_place(role);
}

static char names[NODES + 1][8];

static void home_effect_describe(void *context, uint32_t node, WireSpan *name, WireSpan *address)
{
    (void)context;
    *name = *address = wire_text(names[node]);
}

static void home_effect_over(void *context, chx_status status, const WireFault *fault)
{
    (void)context;
    TRACE("    home: over, status %d%s%.*s", (int)status, fault != NULL ? ": " : "",
          fault != NULL ? (int)fault->why.size : 0, fault != NULL ? (const char *)fault->why.data : "");
    if (sim.is_over)
        sim_fail("the session is over twice");
    sim.is_over = true;
    sim.status = status;
}

static void home_effect_seat_key(void *context, WireId *key)
{
    (void)context;
    for (unsigned i = 0; i < sizeof key->bytes; i++)
        key->bytes[i] = (uint8_t)draw(256);
}

const HomeEffects home_effects_table = {home_effect_order,
                                        home_effect_give,
                                        home_effect_place,
                                        home_effect_describe,
                                        home_effect_over,
                                        home_effect_seat_key,
                                        NULL,
                                        store_effect_commit,
                                        store_effect_lost};

// ---- the effects of lives ----

static bool life_effect_report(void *context, WireKind kind, const void *frame)
{
    Actor *actor = context;
    if (sim.is_short_of_memory && chance(5))
        return false;
    TRACE("    role %u at %u says %s", actor->role, actor->node, wire_shape(kind)->name);
    wire_put_frame(actor->node, HOME, kind, frame);
    return true;
}

static bool life_effect_give(void *context, uint32_t node, const WireData *data)
{
    Actor *actor = context;
    if (chance(10)) {
        actor->blocked = true;
        return false;
    }
    TRACE("    role %u at %u gives (%u, %llu) to role %u, life %u, at %u", actor->role, actor->node, data->epoch,
          (unsigned long long)data->number, data->to, data->to_life, node);
    wire_put_frame(actor->node, node, WIRE_DATA, data);
    return true;
}

static bool life_effect_taken(void *context, uint32_t node, const WireTaken *taken)
{
    Actor *actor = context;
    if (chance(5))
        return false;
    wire_put_frame(actor->node, node, WIRE_TAKEN, taken);
    return true;
}

static uint32_t life_effect_node(void *context, unsigned role, WireSpan name, WireSpan address)
{
    (void)context;
    (void)role;
    (void)address;
    if (sim.is_short_of_memory && chance(3))
        return 0;
    return (uint32_t)(name.data[1] - '0');
}

static void life_effect_soon(void *context)
{
    ((Actor *)context)->is_soon = true;
}

static void life_effect_wake(void *context, LifeWake what, unsigned peer)
{
    Actor *actor = context;
    bool is_it = what == LIFE_WAKE_ORDER || what == LIFE_WAKE_OVER ||
                 (what == LIFE_WAKE_MESSAGE && actor->wait == WAIT_MESSAGE && peer == actor->wait_peer) ||
                 (what == LIFE_WAKE_ROOM && actor->wait == WAIT_ROOM && peer == actor->wait_peer) ||
                 (what == LIFE_WAKE_GO && actor->wait == WAIT_GO);
    if (is_it)
        actor->wait = WAIT_NOTHING;
}

static const LifeEffects life_effects_table = {life_effect_report, life_effect_give, life_effect_taken,
                                               life_effect_node,   life_effect_soon, life_effect_wake};

static Actor *actor_at(unsigned node, unsigned role)
{
    Actor *actor = &sim.actors[node][role];
    if (actor->exists)
        return actor;
    *actor = (Actor){.node = node, .role = role, .wait = WAIT_ORDER};
    LifeOptions options = {.role = (uint16_t)role,
                           .role_count = (uint16_t)sim.program.role_count,
                           .home = HOME,
                           .blocks = sim.program.blocks,
                           .block_count = sim.program.block_count,
                           .memory = &sim.memory,
                           .effects = &life_effects_table,
                           .context = actor};
    actor->exists = life_init(&actor->life, &options);
    return actor->exists ? actor : NULL;
}

static void actor_end(Actor *actor)
{
    if (actor->exists)
        life_fini(&actor->life);
    *actor = (Actor){0};
}

// ---- what must hold ----

// What is not inside of a durable block is done again by the next home's roles.
static void block_is_left(const Actor *actor, const WireId *id, uint32_t attempt, bool is_lasting)
{
    for (unsigned i = 0; i < sim.way_count; i++)
        if (wire_id_is(&sim.ways[i].id, id) && sim.ways[i].left != 0 && sim.ways[i].attempt != attempt &&
            (is_lasting || sim.ways[i].term == actor->life.term))
            sim_fail("a block is left in two attempts");
    Way *way = way_of(id, attempt);
    way->left |= 1u << actor->role;
    way->term = actor->life.term;
}

// A role is lost in the home's eyes: was somebody sure that it is in a block that the home has not heard of?
static void check_failure(unsigned role)
{
    const HomeRole *view = &sim.home.roles[role];
    const Actor *actor = &sim.actors[view->node][role];
    if (sim.is_short_of_memory || !actor->exists || actor->life.life != view->life || view->state != HOME_RUNNING ||
        actor->life.session != sim.home.options.session)
        return;
    const Life *life = &actor->life;
    // All are at the end of a durable block, and wait for the store.
    if (sim.is_durable && life->state == LIFE_ARRIVED)
        return;
    for (uint32_t i = (uint32_t)view->member.count; i < life->depth; i++) {
        const Way *way = way_of(&life->blocks[i].id, life->blocks[i].attempt);
        if (way->is_done)
            return;
        if ((way->seen >> role & 1) != 0)
            sim_fail("the session fails, though another role knew that the lost one was in a block");
        if (i < life->known)
            sim_fail("the session fails, though the lost role was told that its block is known");
    }
}

// Depth of the block that takes up a failure of the role, from 1 on; 0: none does.
static size_t in_charge(unsigned role)
{
    const HomeRole *view = &sim.home.roles[role];
    for (size_t depth = view->member.count; depth > 0; depth--) {
        const Position *position = view->member.positions[depth - 1];
        const chx_block *block = blocks_find(sim.program.blocks, sim.program.block_count, position->checkpoint->name);
        if (block_allows(block, position->attempt + 1))
            return depth;
    }
    return 0;
}

bool may_fail_session(unsigned role)
{
    return sim.home.roles[role].state == HOME_RUNNING && in_charge(role) == 0;
}

// What all have sent and consumed in the attempts that count.
static void check_results(void)
{
    State states[ROLES] = {0};
    for (unsigned i = 0; i < sim.program.role_count; i++) {
        const HomeRole *role = &sim.home.roles[i];
        WireSpan result = home_result(&sim.home, i);
        if (role->state != HOME_ENDED && (role->has_part || role_has_begun(role)))
            sim_fail("the session is over before a role has come to its end");
        if (role->state != HOME_ENDED)
            continue;
        CHECK(result.size == sizeof *states);
        memcpy(&states[i], result.data, sizeof *states);
    }
    for (unsigned i = 0; i < sim.program.role_count; i++)
        for (unsigned k = 0; k < sim.program.role_count; k++)
            if (i != k && states[i].sent[k] != states[k].consumed[i])
                sim_fail("a role has not consumed what another one has sent");
}

static void check_life(LifeVerdict verdict)
{
    if (verdict == LIFE_VIOLATION)
        sim_fail("a life takes a frame for a violation");
}

// ---- what comes over links ----

// GO has taken the role out of a block, or into the next round.
static LifeVerdict order_go(Actor *actor, const WireFrame *frame)
{
    bool is_lasting = actor->life.depth > 0 && actor->life.is_durable && actor->life.blocks[0].block->is_durable;
    LifeVerdict verdict = life_order(&actor->life, frame);
    if (verdict == LIFE_GOOD && frame->go.life == actor->life.life && !wire_id_is_zero(&frame->go.id))
        block_is_left(actor, &frame->go.id, frame->go.attempt, is_lasting);
    return verdict;
}

// The role's process may exit when its end is acknowledged; what it had given to links may be lost.
static void ended(Actor *actor)
{
    if (!chance(50))
        return;
    for (unsigned to = 1; to <= NODES; to++)
        if (to != actor->node && actor->node != HOME && chance(50)) {
            Wire *wire = &sim.wires[actor->node][to];
            for (unsigned i = 0; i < wire->count; i++) {
                Frame *frame = &wire->frames[(wire->first + i) % QUEUE];
                WireFrame decoded;
                if (frame->is_marker || frame->kind != WIRE_DATA)
                    continue;
                CHECK(wire_decode_body(WIRE_DATA, (WireSpan){frame->bytes, frame->size}, &decoded.data) == WIRE_GOOD);
                // Its life is no longer one that anybody has.
                if (decoded.data.from == actor->role)
                    wire_put(frame->bytes + 8 + 2 + 4 + 2, 0, 4);
            }
        }
    actor_end(actor);
}

// All but RESTORE and REFUSED begin with it.
static uint64_t session_of(const WireFrame *frame)
{
    return frame->kind == WIRE_RESTORE   ? frame->restore.session
           : frame->kind == WIRE_REFUSED ? frame->refused.session
                                         : frame->data.session;
}

// False: it has to come again.
static bool deliver_to_life(unsigned node, unsigned role, unsigned from, const WireFrame *frame)
{
    // Others may be for lives that a process before this one had.
    bool is_first = frame->kind == WIRE_RESTORE || frame->kind == WIRE_DATA;
    if (!is_first && !sim.actors[node][role].exists)
        return true;
    Actor *actor = actor_at(node, role);
    LifeVerdict verdict = LIFE_NO_MEMORY;
    if (actor == NULL)
        return false;
    // Of another home: what roles say that have heard of it waits for its RESTORE, everything else is nobody's.
    bool is_current = session_of(frame) == sim.home.options.session;
    uint64_t own = actor->life.session;
    if (sim.is_durable && frame->kind != WIRE_RESTORE && session_of(frame) != own)
        return frame->kind != WIRE_DATA || !is_current || sim.is_over || sim.home.roles[role].node != node ||
               sim.home.roles[role].begun != frame->data.to_life;
    if (frame->kind == WIRE_DATA)
        verdict = life_data(&actor->life, from, &frame->data);
    else if (frame->kind == WIRE_TAKEN)
        verdict = life_taken(&actor->life, &frame->taken);
    else if (frame->kind == WIRE_GO)
        verdict = order_go(actor, frame);
    else
        verdict = life_order(&actor->life, frame);
    if (actor->life.session != own)
        memset(actor->unreached, 0, sizeof actor->unreached); // this home was told nothing yet
    TRACE("  role %u at %u gets %s from %u: %d", role, node, wire_shape(frame->kind)->name, from, (int)verdict);
    check_life(verdict);
    bool is_end = frame->kind == WIRE_EACK && wire_id_is_zero(&frame->eack.id) && verdict == LIFE_GOOD;
    if (is_end && actor->life.state == LIFE_OVER)
        ended(actor);
    return verdict != LIFE_NO_MEMORY;
}

static bool deliver_to_home(unsigned from, const WireFrame *frame)
{
    if (sim.is_durable && session_of(frame) != sim.home.options.session)
        return true; // it was said to the home before
    bool was_over = sim.home.is_over;
    unsigned role = frame->kind == WIRE_FAIL ? frame->fail.role : ROLES;
    bool was_awaited = role < ROLES && sim.home.roles[role].state == HOME_AWAITED;
    bool may_fail = sim.is_short_of_memory || (role < ROLES && may_fail_session(role));
    size_t depth = role < ROLES ? in_charge(role) : 0;
    uint32_t epoch = sim.home.recovery.epoch;
    HomeVerdict verdict = home_report(&sim.home, from, frame, sim.now_ns);
    TRACE("  home gets %s from %u: %d", wire_shape(frame->kind)->name, from, (int)verdict);
    if (verdict == HOME_VIOLATION)
        sim_fail("the home takes a frame for a violation");
    if (frame->kind == WIRE_UNREACHED && verdict == HOME_GOOD && !was_over)
        cut_note(&frame->unreached);
    bool is_decided = sim.home.recovery.epoch != epoch;
    if (is_decided && role < ROLES && sim.home.roles[role].member.count != depth)
        sim_fail("another block than the innermost one with an attempt left takes up a failure");
    if (was_awaited && is_decided)
        sim_fail("a failure before READY is charged to the new attempt");
    if (!was_over && sim.home.is_over && sim.home.status == CHX_OK)
        check_results();
    if (!was_over && sim.home.is_over && sim.home.status == CHX_FAILED && !may_fail)
        sim_fail("the session fails, though a block has an attempt left");
    return verdict != HOME_NO_MEMORY;
}

static unsigned role_of(const WireFrame *frame)
{
    switch (frame->kind) {
    case WIRE_RESTORE:
        return frame->restore.role;
    case WIRE_EACK:
        return frame->eack.role;
    case WIRE_RECOVER:
        return frame->recover.role;
    case WIRE_START:
        return frame->start.role;
    case WIRE_GO:
        return frame->go.role;
    case WIRE_LIFE:
        return frame->life.role;
    case WIRE_STOP:
        return frame->stop.role;
    case WIRE_FENCED:
        return frame->fenced.role;
    case WIRE_DATA:
        return frame->data.to;
    case WIRE_TAKEN:
        return frame->taken.to;
    default:
        return ROLES;
    }
}

static bool dispatch(unsigned from, unsigned to, const WireFrame *frame)
{
    unsigned role = role_of(frame);
    if (frame->kind == WIRE_REFUSED && from == HOME)
        return true;
    if (role == ROLES || (to == HOME && frame->kind == WIRE_TAKEN && home_state(&sim.home, role) == HOME_ENDED))
        return deliver_to_home(from, frame);
    return deliver_to_life(to, role, from, frame);
}

static void lose_node(unsigned node);

static void hear_marker(unsigned from, unsigned to)
{
    TRACE("node %u notices that its link to %u is lost", to, from);
    sim.wires[to][from].is_dead = false;
    for (unsigned role = 0; role < sim.program.role_count; role++)
        if (sim.actors[to][role].exists)
            life_link_lost(&sim.actors[to][role].life, from);
    if (to == HOME)
        lose_node(from);
}

static void deliver(unsigned from, unsigned to)
{
    Wire *wire = &sim.wires[from][to];
    Frame *frame = &wire->frames[wire->first];
    if (session_is_broken(SESSION_BROKEN_HOME_ORDER) && to == HOME && from != HOME) {
        // Some DATA that has no marker before it overtakes what was said before it.
        for (unsigned i = 0; i < wire->count && !wire->frames[(wire->first + i) % QUEUE].is_marker; i++) {
            Frame *other = &wire->frames[(wire->first + i) % QUEUE];
            if (other->kind != WIRE_DATA || frame->kind == WIRE_DATA)
                continue;
            Frame moved = *other;
            for (; i > 0; i--)
                wire->frames[(wire->first + i) % QUEUE] = wire->frames[(wire->first + i - 1) % QUEUE];
            *frame = moved;
            break;
        }
    }
    WireFrame decoded = {.kind = frame->kind};
    if (frame->is_marker) {
        hear_marker(from, to);
    } else {
        CHECK(wire_decode_body(frame->kind, (WireSpan){frame->bytes, frame->size}, &decoded.hello) == WIRE_GOOD);
        uint8_t *bytes = frame->bytes;
        unsigned first = wire->first;
        if (!dispatch(from, to, &decoded))
            return;
        if (wire->count == 0 || wire->first != first || wire->frames[first].bytes != bytes)
            return; // it was lost meanwhile
        free(bytes);
    }
    wire->first = (wire->first + 1) % QUEUE;
    wire->count--;
}

// ---- faults ----

// In the home's eyes.
static void lose_node(unsigned node)
{
    bool was_over = sim.home.is_over, may_fail = false;
    for (unsigned i = 0; i < sim.program.role_count; i++)
        may_fail |= sim.home.roles[i].node == node && sim.home.roles[i].has_part && may_fail_session(i);
    bool awaited[ROLES] = {0}, all_awaited = true;
    for (unsigned i = 0; i < sim.program.role_count; i++) {
        awaited[i] = sim.home.roles[i].state == HOME_AWAITED;
        if (role_has_begun(&sim.home.roles[i]) && sim.home.roles[i].node == node && !awaited[i])
            all_awaited = false;
    }
    uint32_t epoch = sim.home.recovery.epoch;
    home_node_lost(&sim.home, node, wire_text("lost"), sim.now_ns);
    if (all_awaited && sim.home.recovery.epoch != epoch)
        sim_fail("a loss before READY is charged to the new attempt");
    if (!was_over && sim.home.is_over && sim.home.status == CHX_OK)
        check_results(); // only one without a part was awaited
    if (was_over || !sim.home.is_over || sim.is_short_of_memory || sim.home.status == CHX_OK)
        return;
    if (!may_fail)
        sim_fail("the session fails, though a block has an attempt left, or the lost role has no part in it");
    for (unsigned i = 0; i < sim.program.role_count; i++)
        if (role_has_begun(&sim.home.roles[i]) && sim.home.roles[i].node == node)
            check_failure(i);
}

static void kill_node(unsigned node)
{
    TRACE("node %u is lost", node);
    total.lost++;
    // What had been given to its links may arrive.
    for (unsigned other = 1; other <= NODES; other++) {
        if (other != node)
            link_lose(node, other);
        Wire *out = &sim.wires[node][other], *in = &sim.wires[other][node];
        wire_cut(in, 0);
        out->is_dead = false;
        // The marker comes with the next incarnation.
        if (other != node)
            wire_cut(out, out->count - 1);
    }
    for (unsigned role = 0; role < sim.program.role_count; role++) {
        Actor *actor = &sim.actors[node][role];
        const HomeRole *view = &sim.home.roles[role];
        bool was_played = actor->exists && role_has_begun(view) && view->node == node &&
                          actor->life.life == view->life && actor->life.session == sim.home.options.session;
        if (was_played && view->state == HOME_RUNNING && view->member.count == 0 && !sim.is_over)
            check_failure(role);
        actor_end(actor);
    }
    sim.is_up[node] = false;
}

static void restart_node(unsigned node)
{
    TRACE("node %u is up again", node);
    sim.is_up[node] = true;
    for (unsigned other = 1; other <= NODES; other++)
        if (other != node)
            wire_append(&sim.wires[node][other], (Frame){.is_marker = true});
}

static void fault(void)
{
    unsigned node = 2 + (unsigned)draw(NODES - 1), other = 2 + (unsigned)draw(NODES - 1);
    if (!sim.is_up[node])
        return;
    bool is_used = false;
    for (unsigned i = 0; i < sim.program.role_count; i++)
        is_used |= role_has_begun(&sim.home.roles[i]) && sim.home.roles[i].node == node;
    if (!is_used)
        return;
    switch (draw(4)) {
    case 3:
        if (node == other || sim.cut[0] != 0)
            return;
        TRACE("nodes %u and %u can't reach each other", node, other);
        total.cuts++;
        sim.cut[0] = node;
        sim.cut[1] = other;
        sim.cut_losses = 1 + (unsigned)draw(3);
        sim.cut_heals = chance(50);
        break;
    case 0:
        kill_node(node);
        break;
    case 1:
        TRACE("node %u is suspected", node);
        total.suspected++;
        sim.is_suspect[node] = true;
        lose_node(node);
        break;
    default:
        if (node == other || !sim.is_up[other] || sim.wires[node][other].is_dead || sim.wires[other][node].is_dead)
            return;
        TRACE("the link between %u and %u is lost", node, other);
        total.links++;
        link_lose(node, other);
        break;
    }
    sim.faults--;
}

// ---- what can be done next ----

typedef enum {
    DO_DELIVER,
    DO_ROLE,
    DO_RELEASE,
    DO_TAKEN,
    DO_FOUND,
    DO_RESTART,
    DO_SUSPECT,
    DO_TRUST,
    DO_HANDED,
    DO_UNREACHED,
    DO_HEAL,
    DO_STORE,
    DO_OLD
} What;
typedef struct {
    What what;
    unsigned one, other;
} Choice;
static Choice choices[1024];
static unsigned choice_count;

static void offer(What what, unsigned one, unsigned other)
{
    CHECK(choice_count < 1024);
    choices[choice_count++] = (Choice){what, one, other};
}

static bool home_sees_lives_at(unsigned node)
{
    for (unsigned i = 0; i < sim.program.role_count; i++)
        if (role_has_begun(&sim.home.roles[i]) && sim.home.roles[i].node == node)
            return true;
    return false;
}

static void collect_node(unsigned node)
{
    for (unsigned to = 1; to <= NODES; to++)
        if (cut_is_between(node, to) && sim.is_up[node])
            offer(DO_UNREACHED, node, to);
        else if (sim.wires[node][to].count > 0 && sim.is_up[to] && !cut_is_between(node, to))
            offer(DO_DELIVER, node, to);
    if (!sim.is_up[node]) {
        offer(DO_RESTART, node, 0);
        if (home_sees_lives_at(node) && !sim.is_over)
            offer(DO_SUSPECT, node, 0);
        return;
    }
    if (sim.is_suspect[node])
        offer(DO_TRUST, node, 0);
    for (unsigned role = 0; role < sim.program.role_count; role++) {
        const Actor *actor = &sim.actors[node][role];
        if (!actor->exists)
            continue;
        if (actor->wait == WAIT_NOTHING)
            offer(DO_ROLE, node, role);
        if (actor->blocked)
            offer(DO_RELEASE, node, role);
        if (actor->is_soon)
            offer(DO_TAKEN, node, role);
    }
}

static void collect(void)
{
    choice_count = 0;
    for (unsigned node = 1; node <= NODES; node++) {
        collect_node(node);
        if (sim.old[node].count > 0)
            offer(DO_OLD, node, 0);
    }
    if (store_is_asked())
        offer(DO_STORE, 0, 0);
    if (sim.cut[0] != 0 && (sim.cut_losses == 0 || sim.is_over || (sim.cut_heals && chance(1))))
        offer(DO_HEAL, 0, 0);
    if (sim.is_over)
        return;
    for (unsigned role = 0; role < sim.program.role_count; role++)
        if (sim.home.roles[role].state == HOME_ABSENT && (sim.home.roles[role].has_part || sim.bystanders_come))
            offer(DO_FOUND, role, 0);
    for (const HomeHanded *handed = sim.home.handed; handed != NULL; handed = handed->next)
        if (handed->out.given < handed->out.kept.count && role_has_begun(&sim.home.roles[handed->to])) {
            offer(DO_HANDED, 0, 0);
            break;
        }
}

static void place_found(unsigned role)
{
    uint32_t node = any_place(role);
    if (node == 0 || sim.home.roles[role].state != HOME_ABSENT)
        return;
    TRACE("role %u can begin at %u", role, node);
    if (chance(50))
        home_place_found(&sim.home, role, node, sim.now_ns);
    else
        home_join(&sim.home, &(HomeJoin){.role = role, .node = node, .request = draw(0)}, sim.now_ns);
}

// Another node would play the role, too.
static void stand_by(unsigned role)
{
    uint32_t node = any_place(role);
    HomeJoin join = {.role = role, .node = node, .request = draw(0), .may_be_standby = true};
    if (node != 0)
        home_join(&sim.home, &join, sim.now_ns);
}

static void deliver_old(unsigned node)
{
    Wire *wire = &sim.old[node];
    Frame *frame = &wire->frames[wire->first];
    WireFrame decoded = {.kind = frame->kind};
    CHECK(wire_decode_body(frame->kind, (WireSpan){frame->bytes, frame->size}, &decoded.hello) == WIRE_GOOD);
    unsigned role = role_of(&decoded);
    if (sim.is_up[node] && role < ROLES && !deliver_to_life(node, role, HOME, &decoded))
        return;
    free(frame->bytes);
    wire->first = (wire->first + 1) % QUEUE;
    wire->count--;
}

// What the home has said may arrive later.
void wires_of_home_cut(void)
{
    memset(sim.said, 0, sizeof sim.said);
    for (unsigned i = 0; i < sim.way_count; i++)
        sim.ways[i].seen = sim.ways[i].is_done = 0;
    for (unsigned role = 0; role < sim.program.role_count; role++)
        actor_end(&sim.actors[HOME][role]);
    for (unsigned node = 1; node <= NODES; node++) {
        Wire *out = &sim.wires[HOME][node], *in = &sim.wires[node][HOME];
        wire_cut(in, 0);
        unsigned arrive = (unsigned)draw(out->count + 1);
        for (unsigned i = 0; i < out->count; i++) {
            Frame *frame = &out->frames[(out->first + i) % QUEUE];
            arrive = frame->is_marker && arrive > i ? i : arrive;
            if (i < arrive && node != HOME && !frame->is_marker)
                wire_append(&sim.old[node], *frame);
            else
                free(frame->bytes);
        }
        out->count = 0;
        out->is_dead = in->is_dead = false;
        for (unsigned role = 0; role < sim.program.role_count; role++)
            if (sim.actors[node][role].exists)
                life_link_lost(&sim.actors[node][role].life, HOME);
    }
}

static void step(const Choice *choice)
{
    Actor *actor = &sim.actors[choice->one <= NODES ? choice->one : 0][choice->other < ROLES ? choice->other : 0];
    switch (choice->what) {
    case DO_DELIVER:
        if (choice->one == sim.slow && choice->other == HOME && chance(90))
            return;
        deliver(choice->one, choice->other);
        break;
    case DO_ROLE:
        step_role(actor);
        break;
    case DO_RELEASE:
        actor->blocked = false;
        life_release(&actor->life);
        break;
    case DO_TAKEN:
        actor->is_soon = false;
        life_say_taken(&actor->life);
        break;
    case DO_FOUND:
        place_found(choice->one);
        break;
    case DO_RESTART:
        restart_node(choice->one);
        break;
    case DO_SUSPECT:
        lose_node(choice->one);
        break;
    case DO_TRUST:
        sim.is_suspect[choice->one] = false;
        break;
    case DO_HANDED:
        home_release(&sim.home);
        break;
    case DO_UNREACHED:
        cut_say(choice->one, choice->other, false);
        break;
    case DO_HEAL:
        cut_heal();
        break;
    case DO_STORE:
        store_step();
        break;
    case DO_OLD:
        deliver_old(choice->one);
        break;
    }
}

static void print_actors(void)
{
    for (unsigned node = 1; node <= NODES; node++)
        for (unsigned role = 0; role < sim.program.role_count; role++) {
            const Actor *actor = &sim.actors[node][role];
            const Life *life = &actor->life;
            if (!actor->exists)
                continue;
            printf("role %u at %u: life %u, state %d, asks %d, op %u, depth %u, known %u, held %u, waits %d for %u\n",
                   role, node, life->life, (int)life->state, (int)life_asks(life), actor->state.op, life->depth,
                   life->known, life->held, (int)actor->wait, actor->wait_peer);
            for (unsigned i = 0; i < sim.program.role_count; i++) {
                const LifePeer *peer = &life->peers[i];
                if (i != role)
                    printf("    role %u, life %u at %u%s: out (%u, %llu) kept %u given %u, in (%u, %llu) has %u\n", i,
                           peer->in.life, peer->node, peer->has_ended ? " ended" : "", peer->out.next.epoch,
                           (unsigned long long)peer->out.next.number, peer->out.kept.count, peer->out.given,
                           peer->in.next.epoch, (unsigned long long)peer->in.next.number, peer->in.received.count);
            }
        }
    for (unsigned role = 0; role < sim.program.role_count; role++) {
        const HomeRole *view = &sim.home.roles[role];
        printf("home: role %u, life %u, state %d, awaited %u, depth %zu, at %u\n", role, view->life, (int)view->state,
               view->member.awaited, view->member.count, view->node);
    }
}

// ---- a session ----

static void sim_start(uint64_t seed, bool is_traced)
{
    memset(&sim, 0, sizeof sim);
    sim.random = sim.seed = seed;
    sim.is_traced = is_traced;
    sim.memory = (NetMemory){sim_allocate, sim_release, NULL};
    sim.now_ns = 1000;
    program_make(&sim.program);
    if (is_traced)
        program_print(&sim.program);
    sim.faults = (unsigned)draw(6);
    sim.is_late = chance(30);
    sim.may_cancel = chance(3);
    sim.bystanders_come = chance(50);
    sim.slow = chance(30) ? 2 + (unsigned)draw(NODES - 1) : 0;
    for (unsigned role = 0; role < sim.program.role_count; role++) {
        // Some roles are at the home, some have only one place.
        sim.program.places[role] = (unsigned)draw(1u << (NODES + 1)) & ~1u;
        sim.program.places[role] |= 1u << (1 + draw(NODES));
    }
    for (unsigned node = 1; node <= NODES; node++) {
        sim.is_up[node] = true;
        snprintf(names[node], sizeof names[node], "n%u", node);
    }
    CHECK(home_table_init(&sim.table, &sim.program.choreography, &sim.memory));
    sim.limits = (WindowLimits){1 + (uint32_t)draw(4), 20 + draw(200)};
    sim.is_durable = sim.program.is_durable && chance(80);
    sim.term = 1;
    store_clear();
    home_start();
    sim.is_short_of_memory = !sim.is_durable && chance(20);
    sim.homes_lost = sim.is_durable ? (unsigned)draw(4) : 0;
    total.durable += sim.is_durable;
}

static void sim_end(void)
{
    for (unsigned node = 1; node <= NODES; node++) {
        for (unsigned role = 0; role < sim.program.role_count; role++)
            actor_end(&sim.actors[node][role]);
        for (unsigned to = 1; to <= NODES; to++)
            wire_cut(&sim.wires[node][to], 0);
        wire_cut(&sim.old[node], 0);
    }
    total.decisions += sim.home.recovery.epoch;
    home_fini(&sim.home);
    home_table_fini(&sim.table);
    if (sim.allocated != 0)
        sim_fail("memory is not given back");
}

// The outcome is known: every life that counts hears its last word, and nobody takes anything for a violation.
static void drain(void)
{
    for (unsigned i = 0; i < STEPS; i++) {
        total.steps++;
        collect();
        if (choice_count > 0) {
            step(&choices[draw(choice_count)]);
            continue;
        }
        if (home_next_ns(&sim.home) == UINT64_MAX)
            break;
        sim.now_ns = home_next_ns(&sim.home);
        cut_tick();
    }
    if (choice_count > 0)
        sim_fail("it goes on though the session is over");
    if (sim.is_resumed_over)
        return; // whoever asks for the session is told how it ended
    for (unsigned role = 0; role < sim.program.role_count; role++) {
        const HomeRole *view = &sim.home.roles[role];
        const Actor *actor = &sim.actors[view->node][role];
        bool is_there = view->state != HOME_ABSENT && actor->exists && actor->life.life == view->life &&
                        actor->life.session == sim.home.options.session;
        if (is_there && life_is_active(&actor->life))
            sim_fail("a role does not hear that the session is over");
    }
}

static void run(uint64_t seed, bool is_traced)
{
    sim_start(seed, is_traced);
    for (unsigned i = 0; !sim.is_over; i++) {
        if (i == STEPS)
            sim_fail("it does not end");
        total.steps++;
        sim.now_ns += draw(1000);
        if (home_next_ns(&sim.home) <= sim.now_ns)
            cut_tick();
        collect();
        if (choice_count == 0 && home_next_ns(&sim.home) != UINT64_MAX)
            sim.now_ns = home_next_ns(&sim.home);
        else if (choice_count == 0)
            sim_fail("nothing moves any more");
        else if (sim.faults > 0 && chance(2))
            fault();
        else if (sim.homes_lost > 0 && chance(1))
            store_lose_home();
        else if (chance(1))
            stand_by((unsigned)draw(sim.program.role_count));
        else
            step(&choices[draw(choice_count)]);
    }
    sim.faults = 0;
    drain();
    total.sessions++;
    total.failed += sim.status != CHX_OK;
    sim_end();
}

int main(int argc, char **argv)
{
    bool is_traced = argc > 1 && strcmp(argv[1], "--trace") == 0;
    if (argc != 3 + is_traced) {
        fprintf(stderr, "usage: session-simulate [--trace] SEED COUNT\n");
        return 2;
    }
    uint64_t first = strtoull(argv[1 + is_traced], NULL, 10), count = strtoull(argv[2 + is_traced], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++)
        run(seed, is_traced);
    printf("%llu sessions, %llu failed: %llu messages consumed, %llu nodes lost, %llu suspected, %llu roles failed, "
           "%llu links lost, %llu pairs cut, %llu given up for that, %llu decisions, %llu times no memory, %llu steps; "
           "%llu sessions in a store, %llu commits, %llu homes lost\n",
           (unsigned long long)total.sessions, (unsigned long long)total.failed, (unsigned long long)total.consumed,
           (unsigned long long)total.lost, (unsigned long long)total.suspected, (unsigned long long)total.fails,
           (unsigned long long)total.links, (unsigned long long)total.cuts, (unsigned long long)total.unreached,
           (unsigned long long)total.decisions, (unsigned long long)total.no_memory, (unsigned long long)total.steps,
           (unsigned long long)total.durable, (unsigned long long)total.commits, (unsigned long long)total.homes);
    return 0;
}
