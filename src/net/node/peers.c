// peers.c: see peers.h. How peers are opened and closed, what is sent, and the steps in which everything happens.

#define _GNU_SOURCE

#include "net/node/internal.h"

#include "base/check.h"
#include "net/carrier/carrier.h"
#include "net/config/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// In one step; fewer if there are only connections that have more to be read, so that the node's lock is not held for long.
enum { EVENTS_MAX = 64, ROUNDS_MAX = 16, ROUNDS_AGAIN = 4 };
enum { ID_LISTENER = 0, ID_ALARM = 1 }; // in epoll; lines have larger ones

// ---- opening and closing ----

static uint64_t system_now(void *context)
{
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t system_random(void *context)
{
    uint64_t number = 0;
    (void)context;
    CHECK(getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number);
    return number;
}

static bool accepts_anonymous(const Config *config)
{
    for (size_t i = 0; i < config->choreography_count; i++)
        for (size_t j = 0; j < config->choreographies[i].role_count; j++)
            if (config->choreographies[i].roles[j].player == PLAYER_ANONYMOUS)
                return true;
    return false;
}

// NULL: why.
static TlsContext *read_certificates(const Config *config, char *why, size_t why_size)
{
    if (config->certs == NULL) {
        snprintf(why, why_size,
                 "the configuration does not say where the certificates are: '[node] certs = DIRECTORY' (see 'chorex "
                 "certs')");
        return NULL;
    }
    TlsOptions options = {.directory = config->certs,
                          .name = config->name,
                          .denied = config->denied,
                          .denied_count = config->denied_count};
    return tls_context_new(&options, why, why_size);
}

// 0, or an error of errno.h.
static int open_poller(Peers *peers)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = ID_ALARM};
    peers->poller = epoll_create1(EPOLL_CLOEXEC);
    peers->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (peers->poller < 0 || peers->alarm < 0 || epoll_ctl(peers->poller, EPOLL_CTL_ADD, peers->alarm, &event) != 0)
        return errno;
    return 0;
}

static void set_options(Peers *peers, const PeersOptions *options)
{
    peers->config = options->config;
    peers->carrier = options->carrier != NULL ? options->carrier : &tcp_carrier;
    peers->net = options->net;
    peers->handlers = options->handlers;
    peers->context = options->context;
    peers->now = options->now_ns != NULL ? options->now_ns : system_now;
    peers->random = options->random != NULL ? options->random : system_random;
    peers->poller = peers->alarm = -1;
    peers->alarm_ns = UINT64_MAX;
    peers->pending_last = &peers->pending;
    peers->again_last = &peers->again;
}

void peers_set_build(Peers *peers, const char *build)
{
    snprintf(peers->build, sizeof peers->build, "%s", build);
}

// What needs memory, descriptors and files. False: why.
static bool set_up(Peers *peers, const PeersOptions *options, char *why, size_t why_size)
{
    snprintf(why, why_size, "there is no memory");
    peers->name = strdup(peers->config->name != NULL ? peers->config->name : "");
    peers_set_build(peers, options->build != NULL ? options->build : "");
    bool has_table = table_init(&peers->table, peers->random(peers->context));
    if (peers->name == NULL || !has_table)
        return false;
    if (!options->is_plain) {
        peers->tls = read_certificates(peers->config, why, why_size);
        if (peers->tls == NULL)
            return false;
    }
    peers->accepts_anonymous = accepts_anonymous(peers->config);
    if (peers->net == NULL) {
        peers->net = net_new((unsigned)peers->config->limits.suspect_ms);
        peers->owns_net = true;
    }
    if (peers->net == NULL) {
        snprintf(why, why_size, "there is no memory");
        return false;
    }
    if (options->carrier == NULL && carrier_open(peers->net, peers->config, &peers->carrier, why, why_size) != 0)
        return false;
    int error = peers->net->sim != NULL ? 0 : open_poller(peers);
    if (error != 0) {
        snprintf(why, why_size, "the system does not let this node wait for connections: %s", strerror(error));
        return false;
    }
    return calls_open(peers, why, why_size);
}

static void free_all(Peers *peers)
{
    calls_close(peers);
    for (uint32_t i = 0; i < peers->table.capacity; i++)
        if (peers->table.items[i] != NULL)
            peer_free(peers->table.items[i]);
    while (peers->bonds != NULL)
        bond_free(peers->bonds);
    peers->again = NULL;
    for (Line *line = peers->gone; line != NULL; line = line->next_gone)
        line->is_again = false;
    lines_bury(peers);
    pool_trim(&peers->pool);
    table_fini(&peers->table);
    timers_fini(&peers->timers);
    if (peers->tls != NULL)
        tls_context_release(peers->tls);
    if (peers->owns_net)
        net_free(peers->net);
    if (peers->alarm >= 0)
        close(peers->alarm);
    if (peers->poller >= 0)
        close(peers->poller);
    free(peers->lines);
    free(peers->line_free);
    free(peers->name);
    free(peers);
}

Peers *peers_open(const PeersOptions *options, char *why, size_t why_size)
{
    Peers *peers = calloc(1, sizeof *peers);
    if (peers == NULL) {
        snprintf(why, why_size, "there is no memory");
        return NULL;
    }
    set_options(peers, options);
    if (set_up(peers, options, why, why_size))
        return peers;
    free_all(peers);
    return NULL;
}

static void write_all(Bond *bond, uint64_t now_ns)
{
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if (bond->lines[i] != NULL && bond->lines[i]->state == LINE_BOUND)
            line_write(bond->lines[i], now_ns);
}

static void say_goodbye(Bond *bond, const char *why, uint64_t now_ns)
{
    link_end(&bond->link, why, now_ns);
    write_all(bond, now_ns);
}

void peers_close(Peers *peers, const char *why)
{
    if (peers == NULL)
        return;
    uint64_t now_ns = peers_now(peers);
    // What goes through relays first, while these are there.
    for (Bond *bond = peers->bonds; bond != NULL; bond = bond->next)
        if (bond->link.state == LINK_UP && !bond_is_direct(bond))
            say_goodbye(bond, why, now_ns);
    for (Bond *bond = peers->bonds; bond != NULL; bond = bond->next) {
        if (bond->peer != NULL && bond->peer->legs != NULL) {
            relay_flush(bond->peer);
            write_all(bond, now_ns);
        }
        say_goodbye(bond, why, now_ns);
    }
    free_all(peers);
}

// ---- which peers there are ----

static const ConfigNode *node_at(const Config *config, const char *address)
{
    for (size_t i = 0; i < config->node_count; i++)
        if (strcmp(config->nodes[i].address, address) == 0)
            return &config->nodes[i];
    return NULL;
}

// False: it is too long, or has a NUL inside.
static bool copy_text(WireSpan text, char *copy, size_t size)
{
    if (text.size >= size || (text.size > 0 && memchr(text.data, '\0', text.size) != NULL))
        return false;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return true;
}

static uint32_t find_by_address(Peers *peers, const char *address)
{
    Peer *peer = table_placed(&peers->table, wire_text(address));
    if (peer != NULL)
        return peer->as != 0 ? peer->as : peer->number;
    peer = peer_new_placed(peers, wire_text(address));
    if (peer == NULL)
        return PEER_NONE;
    seek_begin(peer, peers_now(peers));
    return peer->number;
}

static uint32_t find(Peers *peers, WireSpan name_span, WireSpan address_span, bool dials)
{
    char name[CONFIG_NAME_MAX + 1], address[ADDRESS_TEXT_SIZE];
    Address parsed;
    if (!copy_text(name_span, name, sizeof name) || !copy_text(address_span, address, sizeof address))
        return PEER_NONE;
    if (peers->config->carrier != NULL) { // Nodes are dialled by their names.
        if (name[0] == '\0')
            copy_text(address_span, name, sizeof name);
        address[0] = '\0';
    }
    if (address[0] != '\0' && address_parse(address, &parsed) != NULL)
        return PEER_NONE;
    if (name[0] == '\0') {
        const ConfigNode *node = node_at(peers->config, address);
        if (address[0] == '\0')
            return PEER_NONE;
        if (node == NULL)
            return find_by_address(peers, address);
        snprintf(name, sizeof name, "%s", node->name);
    }
    if (!config_is_node_name(name))
        return PEER_NONE;
    if (strcmp(name, peers->name) == 0)
        return PEER_SELF;
    Peer *peer = table_named(&peers->table, wire_text(name));
    if (peer == NULL)
        peer = peer_new_named(peers, wire_text(name));
    if (peer == NULL)
        return PEER_NONE;
    const char *known = carrier_address_of(peers->config, name);
    const char *where = known != NULL ? known : address;
    if (where[0] != '\0')
        peer_set_address(peer, wire_text(where));
    if (dials)
        bond_open(peer->bond);
    return peer->number;
}

uint32_t peers_find(Peers *peers, WireSpan name, WireSpan address)
{
    return find(peers, name, address, true);
}

uint32_t peers_know(Peers *peers, WireSpan name, WireSpan address)
{
    return find(peers, name, address, peers_address(peers) == NULL);
}

uint32_t peers_find_anonymous(Peers *peers, const WireId *incarnation)
{
    Peer *peer = table_incarnated(&peers->table, incarnation);
    if (peer == NULL && peers->anonymous_count < peers->config->limits.sessions_max && !wire_id_is_zero(incarnation)) {
        peer = peer_new_anonymous(peers, incarnation);
        if (peer != NULL)
            peer_watch_absence(peer, peers_now(peers));
    }
    return peer != NULL ? peer->number : PEER_NONE;
}

bool peers_about(const Peers *peers, uint32_t number, PeerAbout *about)
{
    const Peer *peer = table_peer(&peers->table, number);
    if (peer == NULL)
        return false;
    const Link *link = peer->bond != NULL ? &peer->bond->link : NULL;
    *about = (PeerAbout){.name = peer->name,
                         .address = peer->address,
                         .build = peer->build,
                         .why = peer->why,
                         .is_anonymous = peer->is_anonymous,
                         .is_idle = peer->outbox.first == NULL,
                         .valid_until = peer->identity_memory != NULL ? peer->identity.valid_until : 0};
    if (link == NULL)
        return true;
    about->state = link->state == LINK_LOST ? LINK_DOWN : link->state;
    about->is_idle = about->is_idle && link_is_idle(link);
    about->sure_ns = link->sure_ns;
    about->heard_ns = link->heard_ns;
    about->incarnation = link->peer;
    about->own = link->options.incarnation;
    if (link->state == LINK_UP && !bond_is_direct(peer->bond) && peer->bond->lines[link->up] != NULL)
        about->relay =
            peer->bond->lines[link->up]->relay->peer != NULL ? peer->bond->lines[link->up]->relay->peer->name : "";
    return true;
}

bool peers_may_play(const Peers *peers, uint32_t number, const char *choreography, const char *role)
{
    const Peer *peer = table_peer(&peers->table, number);
    return peer != NULL && peer->identity_memory != NULL && tls_peer_may_play(&peer->identity, choreography, role);
}

const char *peers_address(const Peers *peers)
{
    return peers->calls.listener != NULL ? peers->calls.address : NULL;
}

bool peers_are_idle(const Peers *peers)
{
    PeerAbout about;
    for (uint32_t i = 0; i < peers->table.capacity; i++) {
        const Peer *peer = peers->table.items[i];
        if (peer != NULL && peer->as == 0 && peers_about(peers, peer->number, &about) && !about.is_idle)
            return false;
    }
    return true;
}

// ---- frames ----

// Puts a control frame where it waits for room, or for the peer to be found.
static LinkSending send_later(Peer *peer, uint64_t lane, WireKind kind, const void *frame)
{
    Peers *peers = peer->peers;
    if (wire_body_size(kind, frame) > peers->config->limits.message_max)
        return LINK_TOO_LARGE;
    switch (outbox_add(&peer->outbox, lane, kind, frame)) {
    case OUTBOX_TAKEN:
        // A relay may be worth while for it.
        if (peer->bond != NULL)
            bond_pend(peer->bond);
        return LINK_SENT;
    case OUTBOX_INVALID:
        return LINK_INVALID;
    case OUTBOX_NO_MEMORY:
        break;
    }
    // Memory can't tell when there is some again.
    peer->is_short_of_memory = true;
    if (peer->bond != NULL)
        timer_hasten(&peers->timers, &peer->bond->timer, peers_now(peers) + link_defaults.retry_ns);
    return LINK_NO_MEMORY;
}

LinkSending peers_send(Peers *peers, uint32_t number, LinkClass class, uint64_t lane, WireKind kind, const void *frame)
{
    Peer *peer = table_peer(&peers->table, number);
    if (peer == NULL)
        return LINK_GONE;
    Bond *bond = peer->bond;
    if (bond != NULL && bond->link.state == LINK_LOST)
        return LINK_GONE;
    if (bond == NULL || (peer->outbox.first != NULL && !peers_is_broken(PEERS_BROKEN_OVERTAKES))) {
        if (class == LINK_CONTROL)
            return send_later(peer, lane, kind, frame);
        peer->is_short = true;
        return LINK_NO_ROOM;
    }
    LinkSending sending = link_send(&bond->link, class, lane, kind, frame);
    if (sending == LINK_SENT)
        bond_pend(bond);
    else if (class == LINK_CONTROL && (sending == LINK_NO_ROOM || sending == LINK_NO_MEMORY))
        sending = send_later(peer, lane, kind, frame);
    else if (sending == LINK_NO_ROOM && bond->link.state != LINK_UP)
        bond_pend(bond); // the same
    if (bond->link.state == LINK_NEW)
        bond_open(bond);
    return sending;
}

void peers_complain(Peers *peers, uint32_t number, const char *why)
{
    Peer *peer = table_peer(&peers->table, number);
    if (peer != NULL && peer->bond != NULL)
        bond_complain(peer->bond, why);
}

// ---- steps ----

// The alarm is set only if it would ring too late: ringing too early does no harm.
static void set_alarm(Peers *peers)
{
    uint64_t next_ns = peers_next_ns(peers);
    if (peers->poller < 0 || next_ns >= peers->alarm_ns)
        return;
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(next_ns / 1000000000), .tv_nsec = (long)(next_ns % 1000000000)}};
    if (next_ns == 0)
        when.it_value.tv_nsec = 1;
    timerfd_settime(peers->alarm, TFD_TIMER_ABSTIME, &when, NULL);
    peers->alarm_ns = next_ns;
}

static void finish(Peers *peers, uint64_t now_ns)
{
    bonds_settle(peers, now_ns);
    if (peers->gone != NULL)
        lines_bury(peers);
    set_alarm(peers);
}

void peers_flush(Peers *peers)
{
    finish(peers, peers_now(peers));
}

void peers_lose(Peers *peers, uint32_t number, const char *why)
{
    Peer *peer = table_peer(&peers->table, number);
    if (peer == NULL || peer->bond == NULL)
        return;
    bond_lose(peer->bond, LINK_LOSS_GIVEN_UP, why, peers_now(peers));
    peers_flush(peers);
}

// True: there may be more events.
static bool handle_events(Peers *peers, uint64_t now_ns)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(peers->poller, events, EVENTS_MAX, 0);
    bool has_callers = false;
    for (int i = 0; i < count; i++) {
        Line *line;
        if (events[i].data.u64 == ID_LISTENER)
            has_callers = true;
        else if (events[i].data.u64 == ID_ALARM)
            peers->alarm_ns = UINT64_MAX;
        else if ((line = line_of_id(peers, events[i].data.u64)) != NULL)
            line_ready(line, events[i].events, now_ns);
    }
    if (has_callers)
        calls_ready(peers, now_ns);
    return count == EVENTS_MAX;
}

// A simulated network does not say which connections are ready.
static void try_all(Peers *peers, uint64_t now_ns)
{
    calls_ready(peers, now_ns);
    for (uint32_t i = 0; i < peers->line_capacity; i++)
        if (peers->lines[i] != NULL)
            line_ready(peers->lines[i], EPOLLIN | EPOLLOUT | EPOLLRDHUP, now_ns);
}

static void try_again(Peers *peers, uint64_t now_ns)
{
    Line *line = peers->again, *next;
    peers->again = NULL;
    peers->again_last = &peers->again;
    for (; line != NULL; line = next) {
        next = line->next_again;
        line->is_again = false;
        line_ready(line, line->relay != NULL ? EPOLLIN | EPOLLOUT : EPOLLIN, now_ns);
    }
}

void peers_step(Peers *peers, uint64_t now_ns)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        bool is_more = false;
        if (peers->poller >= 0)
            is_more = handle_events(peers, now_ns);
        else if (round == 0)
            try_all(peers, now_ns);
        if (peers->again != NULL)
            try_again(peers, now_ns);
        bonds_settle(peers, now_ns);
        if (peers->gone != NULL)
            lines_bury(peers);
        if (!is_more && (peers->again == NULL || round + 1 >= ROUNDS_AGAIN))
            break;
        now_ns = peers_now(peers);
    }
    if (timers_next_ns(&peers->timers) <= now_ns)
        timers_run(&peers->timers, now_ns);
    finish(peers, now_ns);
}

int peers_descriptor(const Peers *peers)
{
    return peers->poller;
}

uint64_t peers_next_ns(const Peers *peers)
{
    return peers->again != NULL || peers->pending != NULL ? 0 : timers_next_ns(&peers->timers);
}

// ---- another configuration ----

static bool is_same_text(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static void reload_peer(Peers *peers, Peer *peer, uint64_t now_ns)
{
    if (peer->name == NULL || peer->bond == NULL)
        return;
    const ConfigNode *node = config_node(peers->config, peer->name);
    if (node != NULL)
        peer_set_address(peer, wire_text(node->address));
    bool is_unused = bond_is_unused(peer->bond);
    if (config_denies(peers->config, peer->name) && !is_unused)
        bond_lose(peer->bond, LINK_LOSS_GIVEN_UP, "the configuration denies it", now_ns);
}

bool peers_reload(Peers *peers, const Config *config, char *why, size_t why_size)
{
    if (!is_same_text(config->name, peers->name[0] != '\0' ? peers->name : NULL)) {
        snprintf(why, why_size, "a node's 'name' can't be changed while it runs: start it again");
        return false;
    }
    if (!is_same_text(config->listen, peers->config->listen)) {
        snprintf(why, why_size, "'listen' can't be changed while the node runs: start it again");
        return false;
    }
    if (!is_same_text(config->carrier, peers->config->carrier)) {
        snprintf(why, why_size, "'carrier' can't be changed while the node runs: start it again");
        return false;
    }
    TlsContext *tls = peers->tls != NULL ? read_certificates(config, why, why_size) : NULL;
    if (peers->tls != NULL && tls == NULL)
        return false;
    if (peers->tls != NULL)
        tls_context_release(peers->tls);
    peers->tls = tls;
    peers->config = config;
    peers->accepts_anonymous = accepts_anonymous(config);
    uint64_t now_ns = peers_now(peers);
    for (uint32_t i = 0; i < peers->table.capacity; i++)
        if (peers->table.items[i] != NULL)
            reload_peer(peers, peers->table.items[i], now_ns);
    peers_flush(peers);
    return true;
}
