// simulate.c: two links over simulated connections on which everything goes wrong: link-simulate [--trace] [SEED [COUNT]].
//
// Two nodes dial each other and send numbered messages in several lanes. Connections deliver bytes late, in pieces cut
// anywhere, and break: on both sides or as seen by one, with or without what was under way; silently, in one direction or
// both. Dialling fails or never ends. Nodes are restarted as another process, stand still for seconds, run out of
// memory, refuse a frame for the moment. Then everything heals, and all that was sent must arrive.
//
// Checked at every step: each message arrives once, in the order of its lane, with its contents, from the process that it
// should come from; a link is lost only if the peer's process is gone; limits hold; "the peer has heard us" is true. At the
// end: nothing is missing, both nodes use the same connection, no memory is left.
//
// A seed gives the same run each time.

#include "net/link/link.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIRES = 10, LANES = 3, PIPE_BYTES = 40000, MESSAGE_BYTES = 120000, HEALED_LIMIT_S = 120 };
static const uint64_t millisecond = 1000000, second_ns = 1000000000;

// Bytes from one node to the other.
typedef struct {
    uint8_t *bytes; // room for twice PIPE_BYTES
    size_t from, size, capacity;
    uint64_t due_ns; // they can be read from then on
    bool is_black;   // what is written vanishes, and nobody notices
    bool is_lossy;   // the same, but what is there can be read
    bool is_ended;   // the reader sees the end when it has read what is there
} Pipe;

typedef enum { WIRE_FREE, WIRE_DIALLING, WIRE_OPEN } WireState;
typedef enum { DIAL_GOOD, DIAL_FAILS, DIAL_HANGS } DialOutcome;

typedef struct {
    WireState state;
    int dialler;
    DialOutcome outcome;
    uint64_t due_ns;
    bool is_accepting; // the other node has not noticed it yet
    int end[2];        // the connection's number at each node, -1: it is not there, or not any more
    Pipe pipes[2];     // from node 0, from node 1
} Wire;

typedef struct Sim Sim;

typedef struct {
    Sim *sim;
    int self;
    Link link;
    WireId incarnation;
    uint32_t serial;      // of the link
    uint64_t clock_ns;    // its clock is that far ahead
    uint64_t stalled_ns;  // it does nothing until then
    uint64_t heard_ns;    // when it last read something of the other node's current process
    bool is_waiting;      // for room
    unsigned unsent;      // messages that it still has to send
    uint64_t sent[LANES]; // on this link
    uint32_t peer_serial; // whose messages it gets; 0: none yet
    uint64_t expected[LANES];
} Node;

struct Sim {
    uint64_t seed, state, now_ns;
    Wire wires[WIRES];
    Node nodes[2];
    uint32_t serials, restarts;
    unsigned size_most; // of most messages
    bool has_faults, is_short_of_memory, is_healed, traces;
    uint64_t delay_ns;
    unsigned cut_percent;
    long blocks; // allocated
    unsigned delivered, cuts;
};

static uint8_t pattern[MESSAGE_BYTES + 256];

_Noreturn static void sim_fail(const Sim *sim, const char *what)
{
    printf("seed %llu: %s (at %.3f s)\nagain: link-simulate --trace %llu\n", (unsigned long long)sim->seed, what,
           (double)sim->now_ns / 1e9, (unsigned long long)sim->seed);
    exit(1);
}

#define TRACE(sim, ...)                                                                                                \
    do {                                                                                                               \
        if ((sim)->traces) {                                                                                           \
            printf("%10.6f  ", (double)(sim)->now_ns / 1e9);                                                           \
            printf(__VA_ARGS__);                                                                                       \
            putchar('\n');                                                                                             \
        }                                                                                                              \
    } while (0)

static uint64_t draw(Sim *sim, uint64_t below)
{
    uint64_t x = sim->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % below;
}

static bool chance(Sim *sim, unsigned percent)
{
    return draw(sim, 100) < percent;
}

static uint64_t node_now(const Node *node)
{
    return node->sim->now_ns + node->clock_ns;
}

static Node *node_peer(Node *node)
{
    return &node->sim->nodes[1 - node->self];
}

// ---- effects ----

static void *sim_allocate(void *context, size_t size)
{
    Sim *sim = ((Node *)context)->sim;
    if (sim->is_short_of_memory && chance(sim, 5))
        return NULL;
    sim->blocks++;
    return malloc(size);
}

static void sim_release(void *context, void *memory)
{
    ((Node *)context)->sim->blocks--;
    free(memory);
}

static uint64_t sim_random(void *context)
{
    return draw(((Node *)context)->sim, UINT64_MAX);
}

static void sim_dial(void *context, unsigned number)
{
    Node *node = context;
    Sim *sim = node->sim;
    for (int i = 0; i < WIRES; i++) {
        Wire *wire = &sim->wires[i];
        if (wire->state != WIRE_FREE)
            continue;
        wire->state = WIRE_DIALLING;
        wire->dialler = node->self;
        wire->outcome = sim->is_healed || chance(sim, 75) ? DIAL_GOOD : chance(sim, 50) ? DIAL_FAILS : DIAL_HANGS;
        wire->due_ns = sim->now_ns + draw(sim, sim->delay_ns);
        wire->is_accepting = false;
        wire->end[node->self] = (int)number;
        wire->end[1 - node->self] = -1;
        for (int p = 0; p < 2; p++) {
            wire->pipes[p].size = wire->pipes[p].from = 0;
            wire->pipes[p].due_ns = sim->now_ns;
            wire->pipes[p].capacity = 50 + draw(sim, chance(sim, 50) ? 300 : PIPE_BYTES - 50);
            wire->pipes[p].is_black = wire->pipes[p].is_lossy = wire->pipes[p].is_ended = false;
        }
        TRACE(sim, "node %d dials: wire %d as connection %u", node->self, i, number);
        return;
    }
    sim_fail(sim, "too many connections");
}

static void wire_free_if_unused(Wire *wire)
{
    if (wire->end[0] < 0 && wire->end[1] < 0 && !wire->is_accepting)
        wire->state = WIRE_FREE;
}

// The node's end of it is gone. What it has written may still arrive, or not.
static void wire_end(Sim *sim, Wire *wire, int self)
{
    wire->end[self] = -1;
    wire->pipes[1 - self].size = 0;
    if (!wire->pipes[self].is_lossy)
        wire->pipes[self].is_ended = true;
    if (chance(sim, 30))
        wire->pipes[self].size = 0;
    if (wire->state == WIRE_DIALLING)
        wire->is_accepting = false;
    wire_free_if_unused(wire);
}

static Wire *node_wire(const Node *node, unsigned number)
{
    Sim *sim = node->sim;
    for (int i = 0; i < WIRES; i++)
        if (sim->wires[i].state != WIRE_FREE && sim->wires[i].end[node->self] == (int)number)
            return &sim->wires[i];
    return NULL;
}

static void sim_close(void *context, unsigned number, const char *why)
{
    Node *node = context;
    Wire *wire = node_wire(node, number);
    TRACE(node->sim, "node %d closes connection %u: %s", node->self, number, why);
    if (wire == NULL)
        sim_fail(node->sim, "a connection is closed that does not exist");
    wire_end(node->sim, wire, node->self);
}

static bool sim_deliver(void *context, const WireFrame *frame)
{
    Node *node = context;
    Sim *sim = node->sim;
    if (sim->is_short_of_memory && chance(sim, 2))
        return false;
    const WireData *data = &frame->data;
    if (frame->kind != WIRE_DATA || data->session >= LANES || data->to != node->self)
        sim_fail(sim, "something arrives that was not sent");
    if (node->peer_serial == 0)
        node->peer_serial = data->epoch;
    TRACE(sim, "node %d gets message %llu of lane %llu, %zu bytes", node->self, (unsigned long long)data->number,
          (unsigned long long)data->session, data->value.size);
    if (data->epoch != node->peer_serial)
        sim_fail(sim, "a message arrives from another link");
    Node *peer = node_peer(node);
    if (peer->serial == data->epoch && !wire_id_is(&peer->link.peer, &node->incarnation))
        sim_fail(sim, "a message arrives that was for another process");
    if (data->number != node->expected[data->session])
        sim_fail(sim,
                 data->number < node->expected[data->session] ? "a message arrives twice" : "a message is missing");
    if (data->value.size != data->site ||
        memcmp(data->value.data, pattern + (data->number + data->session) % 251, data->site) != 0)
        sim_fail(sim, "a message arrives with other contents");
    node->expected[data->session]++;
    sim->delivered++;
    return true;
}

static bool sim_greet(void *context, unsigned number, const WireHello *hello)
{
    const Node *node = context;
    (void)number;
    if (hello->node.size != 1 || hello->node.data[0] != (node->self == 0 ? 'b' : 'a'))
        sim_fail(node->sim, "somebody else says HELLO");
    return true;
}

static void sim_up(void *context)
{
    const Node *node = context;
    TRACE(node->sim, "node %d: link up", node->self);
}

static void sim_down(void *context)
{
    const Node *node = context;
    TRACE(node->sim, "node %d: link down", node->self);
}

static void sim_room(void *context)
{
    ((Node *)context)->is_waiting = false;
}

static void sim_lost(void *context, LinkLoss loss)
{
    Node *node = context;
    Node *peer = node_peer(node);
    TRACE(node->sim, "node %d: link lost (%d)", node->self, (int)loss);
    if (loss == LINK_LOSS_INCARNATION && !wire_id_is(&node->link.peer, &peer->incarnation))
        return;
    sim_fail(node->sim, loss == LINK_LOSS_ERRORS      ? "the link is lost because of errors"
                        : loss == LINK_LOSS_FORGOTTEN ? "the link is lost because the peer has forgotten it"
                                                      : "the link is lost although the peer's process lives");
}

static const LinkEffects effects = {sim_allocate, sim_release, sim_random, sim_dial, sim_close, sim_deliver,
                                    sim_greet,    sim_up,      sim_down,   sim_room, sim_lost};

// ---- nodes ----

static void node_begin_link(Node *node)
{
    Sim *sim = node->sim;
    LinkOptions options = link_defaults;
    options.incarnation = node->incarnation;
    options.node = node->self == 0 ? "a" : "b";
    options.build = "simulated";
    options.may_dial = sim->seed % 5 != 0 || node->self == 0;
    options.kept_max = 2 * (size_t)LINK_CONTROL_ROOM;
    options.message_max = 400000;
    link_init(&node->link, &options, &effects, node, node_now(node));
    node->serial = ++sim->serials;
    node->peer_serial = 0;
    node->is_waiting = false;
    memset(node->sent, 0, sizeof node->sent);
    memset(node->expected, 0, sizeof node->expected);
    link_open(&node->link, node_now(node));
}

static void node_begin(Node *node)
{
    for (size_t i = 0; i < sizeof(WireId); i++)
        node->incarnation.bytes[i] = (uint8_t)draw(node->sim, 256);
    node->clock_ns = draw(node->sim, 1000 * second_ns);
    node_begin_link(node);
}

static void node_check(Node *node)
{
    Sim *sim = node->sim;
    const Link *link = &node->link;
    const Node *peer = node_peer(node);
    if (link->state == LINK_LOST) {
        // What the node above a link does: a new one for the new process.
        link_fini(&node->link);
        node_begin_link(node);
        return;
    }
    if (link->kept.bytes > link->options.kept_max)
        sim_fail(sim, "more is kept than allowed");
    if (link->lanes.bytes > link->options.message_max)
        sim_fail(sim, "more waits to be cut than allowed");
    if (link->sure_ns != 0 && wire_id_is(&link->peer, &peer->incarnation) &&
        link->sure_ns - node->clock_ns > peer->heard_ns)
        sim_fail(sim, "a node is sure that it was heard, and was not");
}

// The process is killed and started again. Its connections end, or, if it was the host, nobody is told.
static void node_restart(Node *node)
{
    Sim *sim = node->sim;
    bool is_silent = chance(sim, 40);
    TRACE(sim, "node %d is restarted%s", node->self, is_silent ? " with its host" : "");
    for (int i = 0; i < WIRES; i++)
        if (is_silent && sim->wires[i].state != WIRE_FREE && sim->wires[i].end[node->self] >= 0) {
            sim->wires[i].pipes[0].is_black = sim->wires[i].pipes[1].is_black = true;
            sim->wires[i].pipes[0].size = sim->wires[i].pipes[1].size = 0;
        }
    link_fini(&node->link);
    // Nobody will accept what was dialled for the old process.
    for (int i = 0; i < WIRES; i++)
        if (sim->wires[i].state == WIRE_OPEN && sim->wires[i].is_accepting && sim->wires[i].dialler != node->self) {
            sim->wires[i].is_accepting = false;
            sim->wires[i].pipes[node->self].is_ended = true;
            wire_free_if_unused(&sim->wires[i]);
        }
    node->stalled_ns = 0;
    node->heard_ns = 0;
    node_peer(node)->heard_ns = 0;
    node_begin(node);
}

static void node_send(Node *node)
{
    Sim *sim = node->sim;
    if (node->unsent == 0 || node->is_waiting)
        return;
    uint64_t lane = draw(sim, LANES);
    size_t size = (size_t)draw(sim, chance(sim, 4) ? MESSAGE_BYTES : sim->size_most);
    WireData data = {.session = lane,
                     .to = (uint16_t)(1 - node->self),
                     .epoch = node->serial,
                     .number = node->sent[lane],
                     .site = (uint32_t)size,
                     .value = {pattern + (node->sent[lane] + lane) % 251, size}};
    LinkSending sending = link_send(&node->link, chance(sim, 10) ? LINK_CONTROL : LINK_DATA, lane, WIRE_DATA, &data);
    if (sending == LINK_SENT) {
        TRACE(sim, "node %d sends message %llu of lane %llu, %zu bytes", node->self,
              (unsigned long long)node->sent[lane], (unsigned long long)lane, size);
        node->sent[lane]++;
        node->unsent--;
    } else if (sending == LINK_NO_ROOM || sending == LINK_NO_MEMORY) {
        node->is_waiting = true;
    } else if (sending != LINK_GONE) {
        sim_fail(sim, "a message can't be sent");
    }
}

// ---- bytes ----

// The node writes what its link has for one connection, as far as there is room.
static void node_write(Node *node, unsigned number)
{
    Sim *sim = node->sim;
    Wire *wire = node_wire(node, number);
    if (wire == NULL || wire->state != WIRE_OPEN || !link_has_output(&node->link, number))
        return;
    Pipe *pipe = &wire->pipes[node->self];
    bool vanishes = pipe->is_black || pipe->is_lossy || pipe->is_ended;
    WireSpan pieces[4];
    size_t limit = 1 + (size_t)draw(sim, chance(sim, 50) ? 64 : 65536), total = 0;
    unsigned count = link_output(&node->link, number, pieces, 1 + (unsigned)draw(sim, 4), limit, node_now(node));
    if (pipe->size == 0)
        pipe->due_ns = sim->now_ns + draw(sim, sim->delay_ns);
    for (unsigned i = 0; i < count; i++) {
        size_t room = vanishes ? pieces[i].size : pipe->capacity - pipe->size;
        size_t size = pieces[i].size < room ? pieces[i].size : room;
        if (!vanishes) {
            memcpy(pipe->bytes + pipe->from + pipe->size, pieces[i].data, size);
            pipe->size += size;
        }
        total += size;
        if (total > limit)
            sim_fail(sim, "more to write than was asked for");
        if (size < pieces[i].size)
            break;
    }
    // A connection that vanishes takes some bytes and then none.
    if (total > 0 && (!vanishes || chance(sim, 30)))
        link_wrote(&node->link, number, total, node_now(node));
}

// The reader of a pipe reads some of it, or sees its end.
static void wire_read(Sim *sim, Wire *wire, int writer)
{
    Pipe *pipe = &wire->pipes[writer];
    Node *reader = &sim->nodes[1 - writer];
    int number = wire->end[1 - writer];
    if (number < 0 || wire->state != WIRE_OPEN || pipe->is_black || pipe->due_ns > sim->now_ns)
        return;
    if (pipe->size == 0) {
        if (!pipe->is_ended)
            return;
        TRACE(sim, "node %d: connection %d has ended", reader->self, number);
        wire_end(sim, wire, reader->self);
        link_broken(&reader->link, (unsigned)number, node_now(reader));
        return;
    }
    size_t size = 1 + (size_t)draw(sim, chance(sim, 50) && pipe->size > 40 ? 40 : pipe->size);
    if (size > pipe->size)
        size = pipe->size;
    // Memory of its own: a sanitizer sees a step beyond it.
    uint8_t *bytes = malloc(size);
    memcpy(bytes, pipe->bytes + pipe->from, size);
    pipe->size -= size;
    pipe->from += size;
    if (pipe->size == 0 || pipe->from > PIPE_BYTES) {
        memmove(pipe->bytes, pipe->bytes + pipe->from, pipe->size);
        pipe->from = 0;
    }
    reader->heard_ns = sim->now_ns;
    link_input(&reader->link, (unsigned)number, bytes, size, node_now(reader));
    free(bytes);
}

// ---- what happens to connections ----

static void wire_dial(Sim *sim, Wire *wire)
{
    if (wire->state != WIRE_DIALLING || wire->due_ns > sim->now_ns || wire->outcome == DIAL_HANGS)
        return;
    Node *dialler = &sim->nodes[wire->dialler];
    if (dialler->stalled_ns > sim->now_ns)
        return;
    int number = wire->end[wire->dialler];
    if (wire->outcome == DIAL_FAILS) {
        wire_end(sim, wire, wire->dialler);
        link_broken(&dialler->link, (unsigned)number, node_now(dialler));
        return;
    }
    wire->state = WIRE_OPEN;
    wire->is_accepting = true;
    link_dialled(&dialler->link, (unsigned)number, node_now(dialler));
}

static void wire_accept(Sim *sim, Wire *wire)
{
    Node *node = &sim->nodes[1 - wire->dialler];
    if (wire->state != WIRE_OPEN || !wire->is_accepting || node->stalled_ns > sim->now_ns)
        return;
    wire->is_accepting = false;
    int number = link_accepted(&node->link, node_now(node));
    TRACE(sim, "node %d accepts wire %d as connection %d", node->self, (int)(wire - sim->wires), number);
    wire->end[node->self] = number;
    if (number < 0)
        wire_end(sim, wire, node->self);
}

static void wire_cut(Sim *sim, Wire *wire)
{
    if (wire->state != WIRE_OPEN)
        return;
    sim->cuts++;
    int one = (int)draw(sim, 2);
    uint64_t how = draw(sim, 5);
    TRACE(sim, "wire %d is cut: %s", (int)(wire - sim->wires),
          (const char *const[]){"both see it", "one direction is silent", "both are silent", "one sees it",
                                "it is late"}[how]);
    for (int p = 0; p < 2; p++)
        if (how == 0 || how == 2) {
            if (chance(sim, 50))
                wire->pipes[p].size = (size_t)draw(sim, wire->pipes[p].size + 1);
            wire->pipes[p].is_ended |= how == 0;
            wire->pipes[p].is_black |= how == 2;
        }
    if (how == 1)
        wire->pipes[one].is_black = true;
    if (how == 3) {
        // What was under way from the side that sees it can still come, later than what that side sends on a new one.
        wire->pipes[one].is_lossy = true;
        wire->pipes[one].due_ns = sim->now_ns + draw(sim, 500 * millisecond);
        wire->pipes[1 - one].is_ended = true;
    }
    if (how == 4)
        wire->pipes[one].due_ns = sim->now_ns + draw(sim, 3 * second_ns);
}

// ---- time ----

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// When something that is due then can happen at the node.
static uint64_t node_time(const Node *node, uint64_t due_ns)
{
    return due_ns > node->stalled_ns ? due_ns : node->stalled_ns;
}

// To the next moment at which something can happen by itself.
static void sim_advance(Sim *sim)
{
    uint64_t next = UINT64_MAX;
    for (int n = 0; n < 2; n++) {
        const Node *node = &sim->nodes[n];
        uint64_t due = link_next_ns(&node->link);
        if (due != UINT64_MAX) {
            due = due > node->clock_ns ? due - node->clock_ns : 0;
            next = earlier(next, node_time(node, due));
        }
    }
    for (int i = 0; i < WIRES; i++) {
        const Wire *wire = &sim->wires[i];
        if (wire->state == WIRE_DIALLING && wire->outcome != DIAL_HANGS)
            next = earlier(next, node_time(&sim->nodes[wire->dialler], wire->due_ns));
        for (int p = 0; p < 2 && wire->state == WIRE_OPEN; p++)
            if (wire->pipes[p].size > 0 && !wire->pipes[p].is_black && wire->end[1 - p] >= 0)
                next = earlier(next, node_time(&sim->nodes[1 - p], wire->pipes[p].due_ns));
    }
    if (next != UINT64_MAX && next > sim->now_ns)
        sim->now_ns = next;
}

static void sim_tick(Sim *sim)
{
    for (int n = 0; n < 2; n++) {
        Node *node = &sim->nodes[n];
        if (node->stalled_ns <= sim->now_ns && link_next_ns(&node->link) <= node_now(node))
            link_tick(&node->link, node_now(node));
    }
}

// Everything that can happen now happens once, in an order of its own.
static void sim_round(Sim *sim)
{
    int first = (int)draw(sim, WIRES);
    for (int i = 0; i < WIRES; i++) {
        Wire *wire = &sim->wires[(first + i) % WIRES];
        if (wire->state == WIRE_FREE || (!sim->is_healed && chance(sim, 40)))
            continue;
        wire_dial(sim, wire);
        wire_accept(sim, wire);
        for (int p = 0; p < 2; p++)
            if (sim->nodes[1 - p].stalled_ns <= sim->now_ns)
                wire_read(sim, wire, p);
        for (int n = 0; n < 2; n++)
            if (wire->state == WIRE_OPEN && wire->end[n] >= 0 && sim->nodes[n].stalled_ns <= sim->now_ns)
                node_write(&sim->nodes[n], (unsigned)wire->end[n]);
    }
    for (int n = 0; n < 2; n++)
        if (sim->nodes[n].stalled_ns <= sim->now_ns && chance(sim, 60))
            node_send(&sim->nodes[n]);
}

static void sim_fault(Sim *sim)
{
    // Those in use are the first ones.
    Wire *wire = &sim->wires[draw(sim, 4)];
    Node *node = &sim->nodes[draw(sim, 2)];
    if (chance(sim, sim->cut_percent))
        wire_cut(sim, wire);
    if (chance(sim, 1))
        node->stalled_ns = sim->now_ns + draw(sim, 8 * second_ns);
    if (sim->restarts > 0 && draw(sim, 200) == 0) {
        sim->restarts--;
        node_restart(node);
    }
}

static bool sim_is_done(const Sim *sim)
{
    for (int n = 0; n < 2; n++) {
        const Node *node = &sim->nodes[n], *peer = &sim->nodes[1 - n];
        if (node->unsent > 0 || node->link.state != LINK_UP || !link_is_idle(&node->link) ||
            memcmp(node->sent, peer->expected, sizeof node->sent) != 0)
            return false;
    }
    const Node *one = &sim->nodes[0], *other = &sim->nodes[1];
    return node_wire(one, (unsigned)one->link.up) == node_wire(other, (unsigned)other->link.up);
}

static void sim_step(Sim *sim)
{
    for (int n = 0; n < 2; n++)
        node_check(&sim->nodes[n]);
    sim_round(sim);
    for (int n = 0; n < 2; n++)
        node_check(&sim->nodes[n]);
    sim_tick(sim);
    if (chance(sim, sim->is_healed ? 90 : 30))
        sim_advance(sim);
    else if (chance(sim, 20))
        sim->now_ns += draw(sim, 5 * millisecond);
}

static void sim_end(Sim *sim)
{
    for (int n = 0; n < 2; n++)
        link_fini(&sim->nodes[n].link);
    if (sim->blocks != 0)
        sim_fail(sim, "memory is left");
}

static void simulate(Sim *sim, uint64_t seed, bool traces)
{
    for (int i = 0; i < WIRES; i++)
        sim->wires[i].state = WIRE_FREE;
    memset(sim->nodes, 0, sizeof sim->nodes);
    sim->seed = sim->state = seed;
    sim->now_ns = sim->blocks = 0;
    sim->serials = 0;
    sim->traces = traces;
    sim->is_healed = false;
    sim->has_faults = seed % 7 != 0;
    sim->restarts = seed % 3 == 0 ? (unsigned)draw(sim, 4) : 0;
    sim->is_short_of_memory = sim->has_faults && seed % 4 == 1;
    sim->delay_ns = 1 + draw(sim, chance(sim, 80) ? 3 * millisecond : 500 * millisecond);
    sim->cut_percent = 1 + (unsigned)draw(sim, 20);
    sim->size_most = chance(sim, 80) ? 200 : 20000;
    for (int n = 0; n < 2; n++) {
        sim->nodes[n].sim = sim;
        sim->nodes[n].self = n;
        sim->nodes[n].unsent = 20 + (unsigned)draw(sim, 60);
        node_begin(&sim->nodes[n]);
    }
    for (uint64_t steps = 100 + draw(sim, 500); steps > 0; steps--) {
        if (sim->has_faults)
            sim_fault(sim);
        sim_step(sim);
    }
    TRACE(sim, "everything is healed");
    sim->is_healed = true;
    sim->is_short_of_memory = false;
    sim->delay_ns = millisecond;
    for (uint64_t limit = sim->now_ns + HEALED_LIMIT_S * second_ns; !sim_is_done(sim); sim_step(sim))
        if (sim->now_ns > limit)
            sim_fail(sim, "not everything has arrived although nothing is wrong any more");
    sim_end(sim);
}

int main(int argc, char **argv)
{
    bool traces = argc > 1 && strcmp(argv[1], "--trace") == 0;
    uint64_t seed = argc > 1 + traces ? strtoull(argv[1 + traces], NULL, 10) : 1;
    uint64_t count = argc > 2 + traces ? strtoull(argv[2 + traces], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 7 + i / 251);
    Sim *sim = calloc(1, sizeof *sim);
    for (int i = 0; i < 2 * WIRES; i++)
        sim->wires[i / 2].pipes[i % 2].bytes = malloc(2 * (size_t)PIPE_BYTES);
    for (uint64_t i = 0; i < count; i++) {
        simulate(sim, seed + i, traces);
        // Now and then a seed once more, with other runs before it.
        uint64_t before = sim->state, before_ns = sim->now_ns;
        if (i % 64 == 63) {
            simulate(sim, seed + i / 2, false);
            simulate(sim, seed + i, false);
            if (sim->state != before || sim->now_ns != before_ns)
                sim_fail(sim, "a seed gives two different runs");
        }
    }
    printf("%llu seeds: %u messages have arrived, %u connections were cut\n", (unsigned long long)count, sim->delivered,
           sim->cuts);
    for (int i = 0; i < 2 * WIRES; i++)
        free(sim->wires[i / 2].pipes[i % 2].bytes);
    free(sim);
    return 0;
}
