// simulate.c: nodes on a simulated network, with everything between them: TLS, links, dialling, losses.
//
//   peers-simulate [--trace] SEED COUNT
//
// Four nodes with names and one without send each other numbered frames, while connections break, directions are blocked, and nodes end,
// in order or not, and come back as other processes. Time is virtual, and the same seed gives the same run. What is checked: a frame that
// was sent to a process arrives once and in order, unless one of the two ends; each loss is told once, before the next process is up; and
// when the faults stop, everything arrives that is still to arrive.
//
// Some pairs can't reach each other at all, or in one direction only, or don't know each other's addresses: these go through a third node
// that reaches both, if it lets them (N12). No relay keeps more than a window of a stream, or streams that nobody uses; and when the faults
// stop, whoever can be reached directly is.

#define _GNU_SOURCE

#include "base/check.h"
#include "net/carrier/sim.h"
#include "net/carrier/tls_fixture.h"
#include "net/node/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMED = 4, NODES = 5, PEERS_MAX = 256 };
static const uint64_t second = 1000000000, faults_ns = UINT64_C(20) * 1000000000, end_ns = UINT64_C(120) * 1000000000;
static const char *const names[NODES] = {"shop-1", "bank", "mallory", "harbour", NULL};

// What a node knows of a peer.
typedef struct {
    uint32_t number;
    bool is_up, has_news;        // something was sent, or it was up, since the last loss
    WireId process;              // as of the last time it was up
    uint64_t streams, sent;      // losses so far; frames since
    uint64_t from, stream, next; // of what comes: the sender's process, its stream, the next frame
    bool has_stream;
} Known;

typedef struct World World;

typedef struct {
    World *world;
    unsigned index;
    chx_net *net;
    Peers *peers; // NULL: it does not live
    Config config;
    uint64_t process; // number of it
    uint64_t begins_ns;
    bool is_ready;
    Known known[PEERS_MAX];
    unsigned known_count;
} Node;

struct World {
    uint64_t seed, random, now_ns, processes;
    SimNetwork *network;
    Node nodes[NODES];
    bool knows[NODES][NODES]; // whose address is in whose configuration
    bool is_blocked[NODES][NODES];
    bool is_cut[NODES][NODES];    // for ever
    bool may_relay[NODES][NODES]; // through a third node
    bool wants[NODES];            // to be called through a relay
    bool refuses;                 // relays do so now and then
    uint64_t relayed;
    uint64_t frames, losses, starts;
    bool has_faults, has_complaints;
    bool is_fast; // connections are
};

static TlsFixture files;
static bool is_traced;

static uint64_t draw(World *world, uint64_t below)
{
    uint64_t z = world->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return below == 0 ? z : z % below;
}

static const char *name_of(unsigned index)
{
    return names[index] != NULL ? names[index] : "anonymous";
}

__attribute__((format(printf, 2, 3))) static void trace(const Node *node, const char *format, ...)
{
    if (!is_traced)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("%12.6f %s/%llu: ", (double)node->world->now_ns / 1e9, name_of(node->index),
           (unsigned long long)node->process);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) _Noreturn static void fail(const Node *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "seed %llu, %.6f s, %s/%llu: ", (unsigned long long)node->world->seed,
            (double)node->world->now_ns / 1e9, name_of(node->index), (unsigned long long)node->process);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    tls_fixture_fini(&files);
    exit(1);
}

// ---- handlers ----

static Known *known_peer(Node *node, uint32_t number)
{
    for (unsigned i = 0; i < node->known_count; i++)
        if (node->known[i].number == number)
            return &node->known[i];
    CHECK(node->known_count < PEERS_MAX);
    Known *known = &node->known[node->known_count++];
    *known = (Known){.number = number};
    return known;
}

// Does somebody have a link of this incarnation?
static bool has_link(const World *world, const WireId *incarnation)
{
    for (unsigned i = 0; i < NODES; i++)
        for (const Bond *bond = world->nodes[i].peers != NULL ? world->nodes[i].peers->bonds : NULL; bond != NULL;
             bond = bond->next)
            if (bond->peer != NULL && bond->link.state != LINK_LOST &&
                wire_id_is(&bond->link.options.incarnation, incarnation))
                return true;
    return false;
}

// There is no memory for it: it comes again.
static bool undo(Known *known)
{
    known->next--;
    return true;
}

// DATA: session: the sender's process; epoch: its stream to this peer; number: of the frame in it.
static bool on_deliver(void *context, uint32_t number, const WireFrame *frame)
{
    Node *node = context;
    Known *known = known_peer(node, number);
    const WireData *data = &frame->data;
    if (!known->is_up)
        fail(node, "a frame of peer %u, which is not up", number);
    if (!known->has_stream) {
        known->has_stream = true;
        known->from = data->session;
        known->stream = data->epoch;
        known->next = 0;
    }
    if (data->session != known->from || data->epoch != known->stream)
        fail(node, "peer %u: a frame of process %llu, stream %u; but of %llu, %llu no loss was told", number,
             (unsigned long long)data->session, data->epoch, (unsigned long long)known->from,
             (unsigned long long)known->stream);
    if (data->number != known->next)
        fail(node, "peer %u: frame %llu instead of %llu", number, (unsigned long long)data->number,
             (unsigned long long)known->next);
    known->next++;
    node->world->frames++;
    if (node->world->has_complaints && node->world->has_faults && draw(node->world, 50) == 0)
        peers_complain(node->peers, number, "the simulation says so");
    return !node->world->has_faults || draw(node->world, 200) != 0 || !undo(known);
}

static void on_up(void *context, uint32_t number)
{
    Node *node = context;
    Known *known = known_peer(node, number);
    PeerAbout about;
    trace(node, "peer %u is up", number);
    if (known->is_up)
        fail(node, "peer %u is up for the second time", number);
    CHECK(peers_about(node->peers, number, &about));
    if (!wire_id_is_zero(&known->process) && !wire_id_is(&known->process, &about.incarnation))
        fail(node, "peer %u is another process, and no loss was told", number);
    known->process = about.incarnation;
    known->is_up = known->has_news = true;
    node->world->relayed += about.relay != NULL;
}

static void on_down(void *context, uint32_t number)
{
    Node *node = context;
    Known *known = known_peer(node, number);
    trace(node, "peer %u is down", number);
    if (!known->is_up)
        fail(node, "peer %u is down without having been up", number);
    if (node->world->is_fast && node->world->now_ns > faults_ns + 20 * second)
        fail(node, "peer %u is down, though there are no faults any more", number);
    known->is_up = false;
}

static void on_lost(void *context, uint32_t number, LinkLoss loss, const char *why)
{
    Node *node = context;
    Known *known = known_peer(node, number);
    trace(node, "peer %u is lost (%d): %s", number, (int)loss, why);
    if (!known->has_news)
        fail(node, "peer %u is lost for the second time", number);
    if (loss == LINK_LOSS_ERRORS && !node->world->has_complaints)
        fail(node, "peer %u is said to break the protocol", number);
    if (loss != LINK_LOSS_GIVEN_UP && loss != LINK_LOSS_ERRORS && has_link(node->world, &known->process))
        fail(node, "peer %u is lost, but lives and has not given up its link", number);
    known->has_news = known->is_up = known->has_stream = false;
    known->process = (WireId){0};
    known->streams++;
    known->sent = 0;
    node->world->losses++;
    PeerAbout about;
    if (peers_about(node->peers, number, &about) && about.name != NULL)
        peers_find(node->peers, wire_text(about.name), wire_text(""));
}

static void on_forgotten(void *context, uint32_t number)
{
    Node *node = context;
    Known *known = known_peer(node, number);
    trace(node, "peer %u is forgotten", number);
    if (known->is_up || known->sent > 0)
        fail(node, "peer %u is forgotten without a loss", number);
    *known = node->known[--node->known_count];
}

static void on_log(void *context, const char *text)
{
    trace(context, "log: %s", text);
}

// The index of a node that a peer is; NODES: it has no name.
static unsigned index_of(const Node *node, uint32_t number)
{
    PeerAbout about;
    unsigned i = NAMED;
    if (peers_about(node->peers, number, &about) && about.name != NULL)
        for (i = 0; i < NAMED && strcmp(about.name, names[i]) != 0;)
            i++;
    return i < NAMED ? i : NODES;
}

// Everybody with a name, in any order: some are the peer itself, some are not there.
static size_t on_relays(void *context, uint32_t number, uint32_t *numbers, size_t most)
{
    Node *node = context;
    size_t count = 0;
    (void)number;
    for (unsigned i = 0; i < node->known_count && count < most; i++)
        if (index_of(node, node->known[i].number) < NODES)
            numbers[count++] = node->known[i].number;
    return count;
}

static bool on_may_relay(void *context, uint32_t number, uint32_t other)
{
    const Node *node = context;
    unsigned from = index_of(node, number), to = index_of(node, other);
    if (from == NODES || to == NODES)
        fail(node, "it is asked to relay for somebody without a name");
    return node->world->may_relay[from][to] && !(node->world->refuses && draw(node->world, 8) == 0);
}

static bool on_is_relay(void *context, uint32_t number)
{
    const Node *node = context;
    return node->world->wants[node->index] && index_of(node, number) < NODES &&
           !(node->world->refuses && draw(node->world, 8) == 0);
}

static const PeerHandlers handlers = {.deliver = on_deliver,
                                      .up = on_up,
                                      .down = on_down,
                                      .lost = on_lost,
                                      .forgotten = on_forgotten,
                                      .log = on_log,
                                      .relays = on_relays,
                                      .may_relay = on_may_relay,
                                      .is_relay = on_is_relay};

static uint64_t now_of(void *context)
{
    return ((const Node *)context)->world->now_ns;
}

static uint64_t random_of(void *context)
{
    return draw(((const Node *)context)->world, 0);
}

// ---- nodes live and end ----

static void write_config(const Node *node, char *text, size_t size)
{
    const World *world = node->world;
    int used = names[node->index] == NULL ? snprintf(text, size, "[node]\ncerts = %s\n", files.directory)
                                          : snprintf(text, size, "[node]\nname = %s\nlisten = %s:1\ncerts = %s\n",
                                                     names[node->index], names[node->index], files.directory);
    used += snprintf(text + used, size - (size_t)used, "[nodes]\n");
    for (unsigned i = 0; i < NAMED; i++)
        if (world->knows[node->index][i])
            used += snprintf(text + used, size - (size_t)used, "%s = %s:1\n", names[i], names[i]);
    snprintf(text + used, size - (size_t)used, "[play]\nGuest = anonymous\n[limits]\nabsent = 30s\n");
}

static void begin(Node *node)
{
    char text[2000], why[512];
    ConfigErrors errors;
    World *world = node->world;
    write_config(node, text, sizeof text);
    CHECK(config_parse(text, strlen(text), NULL, &node->config, &errors));
    PeersOptions options = {.config = &node->config,
                            .carrier = &sim_carrier,
                            .net = node->net,
                            .handlers = &handlers,
                            .context = node,
                            .now_ns = now_of,
                            .random = random_of};
    node->process = ++world->processes;
    node->known_count = 0;
    node->peers = peers_open(&options, why, sizeof why);
    if (node->peers == NULL)
        fail(node, "%s", why);
    trace(node, "begins");
    world->starts++;
    for (unsigned i = 0; i < NAMED; i++)
        if (names[node->index] != NULL ? i != node->index : i == 0) {
            uint32_t number = peers_find(node->peers, wire_text(names[i]), wire_text(""));
            CHECK(number > PEER_SELF);
            known_peer(node, number);
        }
    node->is_ready = true;
}

static void set_blocked(World *world, unsigned from, unsigned to, bool is_blocked)
{
    is_blocked = is_blocked || world->is_cut[from][to];
    if (from == to || world->is_blocked[from][to] == is_blocked)
        return;
    world->is_blocked[from][to] = is_blocked;
    sim_network_block(world->network, world->nodes[from].net, world->nodes[to].net, is_blocked);
}

// Without a word: nothing that it sends reaches anybody until much later.
static void end(Node *node, bool is_in_order)
{
    World *world = node->world;
    trace(node, is_in_order ? "ends" : "crashes");
    for (unsigned i = 0; i < NODES && !is_in_order; i++)
        set_blocked(world, node->index, i, true);
    peers_close(node->peers, "the simulation says so");
    node->peers = NULL;
    config_free(&node->config);
    node->begins_ns = world->now_ns + draw(world, 5 * second);
}

// ---- what happens ----

static void send_some(Node *node)
{
    World *world = node->world;
    static const uint8_t bytes[40000];
    if (node->known_count == 0)
        return;
    Known *known = &node->known[draw(world, node->known_count)];
    // Now and then more than a relayed stream takes at once.
    PeerAbout about;
    bool is_relayed = peers_about(node->peers, known->number, &about) && about.relay != NULL;
    bool is_burst = draw(world, !world->is_fast ? 600 : is_relayed ? 6 : 60) == 0;
    uint64_t count = is_burst ? 40 : draw(world, 8) + 1;
    for (uint64_t i = 0; i < count; i++) {
        WireData data = {
            .session = node->process,
            .epoch = (uint32_t)known->streams,
            .number = known->sent,
            .value = {bytes, is_burst || draw(world, 10) == 0 ? draw(world, sizeof bytes) : draw(world, 100)}};
        LinkClass class = draw(world, 2) == 0 ? LINK_DATA : LINK_CONTROL;
        LinkSending sending = peers_send(node->peers, known->number, class, 5, WIRE_DATA, &data);
        if (sending == LINK_SENT) {
            known->sent++;
            known->has_news = true;
        } else if (sending != LINK_NO_ROOM) {
            fail(node, "peer %u: sending gives %d", known->number, (int)sending);
        }
    }
    peers_flush(node->peers);
}

static void give_up(Node *node)
{
    if (node->peers == NULL || node->known_count == 0)
        return;
    const Known *known = &node->known[draw(node->world, node->known_count)];
    if (known->has_news)
        peers_lose(node->peers, known->number, "the simulation says so");
}

// Frames about streams that there are, or are not, by somebody who does not keep to the rules.
static void misuse_relay(Node *node)
{
    World *world = node->world;
    static const uint8_t bytes[RELAY_PIECE];
    if (node->peers == NULL || node->known_count == 0 || !world->has_complaints)
        return;
    Known *known = &node->known[draw(world, node->known_count)];
    uint32_t stream = (uint32_t)draw(world, 12) | (draw(world, 2) == 0 ? RELAY_OTHERS : 0);
    WireFrame frame = {.kind = WIRE_RELAY_OPEN + (WireKind)draw(world, 4)};
    if (frame.kind == WIRE_RELAY_OPEN)
        frame.relay_open = (WireRelayOpen){(uint32_t)draw(world, RELAY_OTHERS), draw(world, 2) == 0,
                                           wire_text(names[draw(world, NAMED)])};
    else if (frame.kind == WIRE_RELAY_BYTES)
        frame.relay_bytes = (WireRelayBytes){stream, {bytes, draw(world, sizeof bytes)}};
    else if (frame.kind == WIRE_RELAY_TAKEN)
        frame.relay_taken = (WireRelayTaken){stream, draw(world, 100000)};
    else
        frame.relay_close = (WireRelayClose){stream, wire_text("the simulation says so")};
    if (peers_send(node->peers, known->number, LINK_CONTROL, 5, frame.kind, &frame.hello) == LINK_SENT)
        known->has_news = true;
    peers_flush(node->peers);
}

static void fault(World *world)
{
    Node *node = &world->nodes[draw(world, NODES)];
    unsigned from = (unsigned)draw(world, NODES), to = (unsigned)draw(world, NODES);
    switch (draw(world, 8)) {
    case 0:
        if (node->peers != NULL)
            end(node, draw(world, 2) == 0);
        break;
    case 1:
        give_up(node);
        break;
    case 2:
        set_blocked(world, from, to, true);
        break;
    case 3:
        misuse_relay(node);
        break;
    default:
        set_blocked(world, from, to, false);
    }
}

static void stop_faults(World *world)
{
    world->has_faults = world->refuses = false;
    sim_network_set_cuts(world->network, 0);
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned j = 0; j < NODES; j++)
            set_blocked(world, i, j, false);
    for (unsigned i = 0; i < NODES; i++)
        if (world->nodes[i].peers == NULL)
            begin(&world->nodes[i]);
}

static void act(World *world)
{
    Node *node = &world->nodes[draw(world, NODES)];
    for (unsigned i = 0; i < NODES; i++)
        if (world->nodes[i].peers == NULL && world->nodes[i].begins_ns <= world->now_ns)
            begin(&world->nodes[i]);
    if (world->has_faults && draw(world, 10) == 0)
        fault(world);
    else if (node->peers != NULL && world->now_ns < faults_ns + 30 * second)
        send_some(node);
}

// ---- the end ----

// The peer of a node that this one is; NULL: it has none.
static Known *find_process(Node *node, const Node *other)
{
    PeerAbout about;
    for (unsigned i = 0; i < node->known_count; i++)
        if (peers_about(node->peers, node->known[i].number, &about) &&
            (names[other->index] == NULL ? about.is_anonymous && node->known[i].is_up
                                         : about.name != NULL && strcmp(about.name, names[other->index]) == 0))
            return &node->known[i];
    return NULL;
}

// Can one of the two make a connection with the other, without help?
static bool is_direct(const World *world, unsigned i, unsigned j)
{
    return (world->knows[i][j] || world->knows[j][i]) && !world->is_cut[i][j] && !world->is_cut[j][i];
}

// Is there a third node through which they can be connected?
static bool is_relayable(const World *world, unsigned i, unsigned j)
{
    for (unsigned third = 0; third < NAMED; third++)
        if (third != i && third != j && i < NAMED && j < NAMED && world->may_relay[i][j] &&
            (world->wants[i] || world->wants[j]) && is_direct(world, i, third) && is_direct(world, j, third))
            return true;
    return false;
}

static void check_legs(const Node *node)
{
    for (uint32_t i = 0; i < node->peers->table.capacity; i++) {
        const Peer *peer = node->peers->table.items[i];
        for (const Relayed *leg = peer != NULL ? peer->legs : NULL; leg != NULL; leg = leg->next)
            if (!leg->is_end && leg->other == NULL && !leg->leg.owes_close)
                fail(node, "of a stream that it carries, one half is left");
            else if (leg_queue_size(&leg->leg.out) > RELAY_WINDOW || leg_queue_size(&leg->in) > RELAY_WINDOW ||
                     leg->leg.received - leg->leg.taken > RELAY_WINDOW)
                fail(node, "more than a window of a stream is on its way");
    }
}

// No stream is left that nobody uses. Each pair that needs one has one, or tries to get one.
static void check_legs_at_end(const World *world, const Node *node)
{
    unsigned count = 0, most = 0;
    for (uint32_t i = 0; i < node->peers->table.capacity; i++)
        count += node->peers->table.items[i] != NULL ? node->peers->table.items[i]->leg_count : 0;
    for (unsigned i = 0; i < NAMED; i++)
        for (unsigned j = i + 1; j < NAMED; j++)
            most += is_direct(world, i, j) ? 0 : 2;
    if (count > most)
        fail(node, "%u relayed streams are left", count);
}

static void check_end(World *world)
{
    for (unsigned i = 0; i < NODES; i++)
        check_legs_at_end(world, &world->nodes[i]);
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned j = 0; j < NODES; j++) {
            Node *from = &world->nodes[i], *to = &world->nodes[j];
            if (i == j || (!world->knows[i][j] && !world->knows[j][i] && (i == NAMED || j == NAMED)))
                continue;
            Known *there = find_process(from, to), *here = find_process(to, from);
            if (!is_direct(world, i, j) && !is_relayable(world, i, j)) {
                if (there != NULL && there->is_up)
                    fail(from, "it is connected with %s, which it must not be", name_of(j));
                continue;
            }
            PeerAbout about;
            if (there != NULL && peers_about(from->peers, there->number, &about) && is_direct(world, i, j) &&
                about.relay != NULL)
                fail(from, "it is still connected with %s through %s", name_of(j), about.relay);
            // Who has something to be sent asks a relay, and the other one has to want that.
            bool asks = (there != NULL && there->sent > 0 && world->wants[j]) ||
                        (here != NULL && here->sent > 0 && world->wants[i]);
            if (!is_direct(world, i, j) && !asks)
                continue;
            if (there == NULL || here == NULL || !there->is_up || !here->is_up)
                fail(from, "it is not connected with %s/%llu", name_of(j), (unsigned long long)to->process);
            uint64_t arrived = here->has_stream ? here->next : 0;
            if (arrived != there->sent)
                fail(from, "of %llu frames for %s/%llu only %llu have arrived", (unsigned long long)there->sent,
                     name_of(j), (unsigned long long)to->process, (unsigned long long)arrived);
        }
    // What is relayed, even if it is only a PING, is on its way in the links of the relay.
    bool is_quiet = true;
    for (unsigned i = 0; i < NAMED; i++)
        for (unsigned j = i + 1; j < NAMED; j++)
            is_quiet &= is_direct(world, i, j);
    for (unsigned i = 0; i < NODES; i++)
        if (is_quiet && !peers_are_idle(world->nodes[i].peers))
            fail(&world->nodes[i], "something is said to be under way");
}

static void on_ready(void *context)
{
    ((Node *)context)->is_ready = true;
}

static void cut_pair(World *world, unsigned first, unsigned second)
{
    uint64_t how = draw(world, 6);
    world->is_cut[first][second] = how == 1 || how == 2;
    world->is_cut[second][first] = how == 1 || how == 3;
    if (how == 4)
        world->knows[first][second] = world->knows[second][first] = false;
    if (how != 0 && draw(world, 5) == 0)
        world->may_relay[first][second] = world->may_relay[second][first] = false;
}

static void set_up(World *world, uint64_t seed)
{
    *world = (World){.seed = seed, .random = seed * 7919, .has_faults = true, .now_ns = second};
    SimOptions options = {.seed = seed,
                          .delay_min_ns = 10000,
                          .delay_max_ns = draw(world, 3) == 0 ? 300000000 : 2000000,
                          .piece_max = draw(world, 2) == 0 ? 0 : (uint32_t)draw(world, 3000) + 1,
                          .room = (uint32_t)draw(world, 49152) + 16384,
                          .cuts_per_million = draw(world, 3) == 0 ? 0 : 1000};
    world->has_complaints = draw(world, 4) == 0;
    world->is_fast = options.delay_max_ns < 10000000;
    world->network = sim_network_new(&options);
    CHECK(world->network != NULL);
    for (unsigned i = 0; i < NAMED; i++)
        for (unsigned j = i + 1; j < NAMED; j++) {
            uint64_t who = draw(world, 3);
            world->knows[i][j] = who != 0;
            world->knows[j][i] = who != 1;
            world->may_relay[i][j] = world->may_relay[j][i] = true;
        }
    world->refuses = draw(world, 3) == 0;
    for (unsigned i = 0; i < NAMED; i++)
        world->wants[i] = draw(world, 3) != 0;
    // One or two pairs have no way, or only a half; these two have a node in common.
    unsigned first = (unsigned)draw(world, NAMED), second = (first + 1 + (unsigned)draw(world, NAMED - 1)) % NAMED;
    cut_pair(world, first, second);
    if (draw(world, 3) == 0)
        cut_pair(world, first, (second + 1) % NAMED != first ? (second + 1) % NAMED : (second + 2) % NAMED);
    world->knows[NAMED][0] = true;
    for (unsigned i = 0; i < NODES; i++) {
        world->nodes[i].world = world;
        world->nodes[i].index = i;
        world->nodes[i].net = sim_network_node(world->network, on_ready, &world->nodes[i]);
        CHECK(world->nodes[i].net != NULL);
    }
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned j = 0; j < NODES; j++)
            set_blocked(world, i, j, false);
}

static void step_nodes(World *world)
{
    for (unsigned i = 0; i < NODES; i++) {
        Node *node = &world->nodes[i];
        if (node->peers != NULL && (node->is_ready || peers_next_ns(node->peers) <= world->now_ns)) {
            node->is_ready = false;
            peers_step(node->peers, world->now_ns);
            check_legs(node);
        }
    }
}

static uint64_t next_moment(const World *world, uint64_t act_ns)
{
    uint64_t next_ns = sim_network_next_ns(world->network);
    for (unsigned i = 0; i < NODES; i++)
        if (world->nodes[i].peers != NULL) {
            uint64_t its_ns = world->nodes[i].is_ready ? world->now_ns : peers_next_ns(world->nodes[i].peers);
            next_ns = its_ns < next_ns ? its_ns : next_ns;
        }
    next_ns = act_ns < next_ns ? act_ns : next_ns;
    return next_ns > world->now_ns ? next_ns : world->now_ns;
}

static void run_seed(uint64_t seed)
{
    World world;
    set_up(&world, seed);
    uint64_t act_ns = world.now_ns, steps = 0;
    while (world.now_ns < end_ns) {
        world.now_ns = next_moment(&world, act_ns);
        sim_network_run(world.network, world.now_ns);
        if (world.now_ns >= act_ns) {
            act(&world);
            act_ns = world.now_ns + draw(&world, second / 20) + 1;
        }
        if (world.has_faults && world.now_ns >= faults_ns)
            stop_faults(&world);
        step_nodes(&world);
        if (++steps > 3000000)
            fail(&world.nodes[0], "time does not pass");
    }
    check_end(&world);
    for (unsigned i = 0; i < NODES; i++) {
        peers_close(world.nodes[i].peers, "the simulation ends");
        config_free(&world.nodes[i].config);
    }
    if (is_traced)
        printf("digest %016llx, %llu frames, %llu losses, %llu starts, %llu times through a relay\n",
               (unsigned long long)sim_network_digest(world.network), (unsigned long long)world.frames,
               (unsigned long long)world.losses, (unsigned long long)world.starts, (unsigned long long)world.relayed);
    sim_network_free(world.network);
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--trace") == 0) {
        is_traced = true;
        first++;
    }
    if (argc != first + 2) {
        fprintf(stderr, "usage: peers-simulate [--trace] SEED COUNT\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[first], NULL, 10), count = strtoull(argv[first + 1], NULL, 10);
    tls_fixture_init_even(&files);
    tls_fixture_node(files.directory, &files.issuer, &(TlsFixtureNode){.common_name = "harbour"});
    for (uint64_t i = 0; i < count; i++)
        run_seed(seed + i);
    tls_fixture_fini(&files);
    printf("%llu seeds\n", (unsigned long long)count);
    return 0;
}
