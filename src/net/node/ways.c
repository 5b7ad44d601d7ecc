// ways.c: how a peer is reached: directly, or through a relay (N12).
//
// A link over which something is to be sent, and which has had no connection for twice `keepalive`, is dialled through a relay as well, besides the direct way if there
// is one; the first connection that is established counts. Relays are the nodes that `relays` of the handlers names, as far as they are
// connected with this one directly; each has its turn. While a link is up through a relay, the direct way is tried again and again; when a
// direct connection stands, the relayed one is closed, and the link goes on over the other.

#include "net/node/internal.h"

#include "base/check.h"

#include <stdio.h>

enum { RELAYS_MAX = 8 };

static uint64_t keepalive_ns(const Bond *bond)
{
    return bond->link.options.keepalive_ns;
}

static bool is_wanted(const Bond *bond)
{
    return bond->peer != NULL && !bond->peer->is_anonymous && bond->link.state != LINK_LOST &&
           (bond->wanted_ns != 0 || bond->link.state == LINK_DOWN);
}

// Since when there is no connection, or nothing has come over it.
static uint64_t silent_since_ns(const Bond *bond)
{
    return bond->link.heard_ns > bond->wanted_ns ? bond->link.heard_ns : bond->wanted_ns;
}

// Is something to be sent, or was somebody refused who waits for room? Without that a relay is not asked: if the other side has something, it will ask.
static bool has_frames(const Bond *bond)
{
    bool is_refused =
        bond->link.is_short || bond->peer->is_short || bond->tells_room; // the last: it is about to be told
    return is_refused || bond->peer->outbox.first != NULL || !link_is_idle(&bond->link);
}

// Neither of the two could dial the other.
static bool is_hopeless(const Bond *bond)
{
    return bond->peer->address == NULL && peers_address(bond->peers) == NULL;
}

// From when on a relay is used. UINT64_MAX: never, as it stands.
static uint64_t relay_due_ns(const Bond *bond)
{
    const Peers *peers = bond->peers;
    if (relay_is_broken(RELAY_BROKEN_NO_RELAY) || !is_wanted(bond) || bond->link.state == LINK_UP ||
        bond->relayed != NULL || !peers->config->limits.relay || peers->handlers->relays == NULL ||
        peers->name[0] == '\0' || !has_frames(bond))
        return UINT64_MAX;
    uint64_t due_ns = silent_since_ns(bond) + (is_hopeless(bond) ? 0 : 2 * keepalive_ns(bond));
    return due_ns > bond->relay_ns ? due_ns : bond->relay_ns;
}

// The relay whose turn it is; NULL: there is none.
static Peer *choose_relay(Bond *bond)
{
    Peers *peers = bond->peers;
    uint32_t numbers[RELAYS_MAX];
    size_t count = peers->handlers->relays(peers->context, bond->peer->number, numbers, RELAYS_MAX);
    for (size_t i = 0; i < count; i++) {
        size_t at = relay_is_broken(RELAY_BROKEN_ONE_RELAY) ? 0 : (bond->relay_turn + i) % count;
        Peer *relay = table_peer(&peers->table, numbers[at]);
        if (relay == NULL || relay == bond->peer || relay->bond == NULL || relay->name == NULL ||
            !bond_is_direct(relay->bond))
            continue;
        bond->relay_turn = (unsigned)(at + 1);
        return relay;
    }
    return NULL;
}

// ---- dialling ----

// The relay is the next way for this connection. NULL: none is there, or no memory.
static Line *dial_relayed(Bond *bond, unsigned number, uint64_t now_ns)
{
    uint64_t deadline_ns = bond->link.connections[number].since_ns + bond->link.options.handshake_ns;
    if (now_ns < relay_due_ns(bond))
        return NULL;
    Peer *relay = choose_relay(bond);
    Line *line = relay == NULL ? NULL : relay_dial(relay, bond->peer, deadline_ns);
    if (line == NULL) {
        bond->relay_ns = now_ns + keepalive_ns(bond);
        return NULL;
    }
    line->bond = bond;
    line->number = number;
    bond->relayed = line;
    return line;
}

static Line *dial_direct(Bond *bond, unsigned number, uint64_t deadline_ns)
{
    Peers *peers = bond->peers;
    Peer *peer = bond->peer;
    int error = 0;
    if (peer == NULL || peer->address == NULL)
        return NULL;
    Secure *secure = secure_dial(peers->carrier, peers->net, peer->address, peers->tls,
                                 &(TlsExpected){.node = peer->name}, deadline_ns, &error);
    Line *line = secure == NULL ? NULL : line_new(peers, secure, LINE_DIALLING);
    if (line == NULL && error != 0)
        say_problem(peer, "no connection with node '%s': '%s' can't be dialled: %s", peer->name, peer->address,
                    strerror(error));
    if (line == NULL)
        return NULL;
    line->bond = bond;
    line->number = number;
    return line;
}

// Somebody has made the connection already.
static void use_spare(Bond *bond, unsigned number, uint64_t now_ns)
{
    Line *line = bond->spare;
    bond->spare = NULL;
    line->state = LINE_DIALLING;
    line->seeker = NULL;
    line->bond = bond;
    line->number = number;
    bond->lines[number] = line;
    bond_dialled(bond, line, now_ns);
}

void ways_dial(Bond *bond, unsigned number, uint64_t now_ns)
{
    if (bond->spare != NULL) {
        use_spare(bond, number, now_ns);
        return;
    }
    uint64_t deadline_ns = bond->link.connections[number].since_ns + bond->link.options.handshake_ns;
    Line *direct = dial_direct(bond, number, deadline_ns);
    bond->lines[number] = direct;
    Line *relayed = bond->peer != NULL ? dial_relayed(bond, number, now_ns) : NULL;
    if (direct == NULL && relayed == NULL) {
        if (bond->peer == NULL || bond->peer->address == NULL)
            link_set_may_dial(&bond->link, false, now_ns);
        link_broken(&bond->link, number, now_ns);
        return;
    }
    if (direct != NULL)
        line_establish(direct, now_ns);
    if (relayed != NULL && bond->relayed == relayed)
        line_establish(relayed, now_ns);
}

// ---- when there is no connection ----

static void look_for_relay(Bond *bond, uint64_t now_ns)
{
    Link *link = &bond->link;
    if (now_ns < relay_due_ns(bond))
        return;
    if (link->dial >= 0) {
        // Besides the direct way, which takes its time.
        Line *relayed = link->connections[link->dial].state == CONNECTION_DIALLING
                            ? dial_relayed(bond, (unsigned)link->dial, now_ns)
                            : NULL;
        bond->relay_ns = relayed == NULL ? now_ns + keepalive_ns(bond) : bond->relay_ns;
        if (relayed != NULL)
            line_establish(relayed, now_ns);
        return;
    }
    if (choose_relay(bond) == NULL) {
        bond->relay_ns = now_ns + keepalive_ns(bond);
        return;
    }
    bond->relay_turn--;
    link_set_may_dial(link, true, now_ns);
    if (link->state == LINK_NEW)
        link_open(link, now_ns);
    link_hasten(link, now_ns);
    if (link->dial < 0) // there is no place for one more connection
        bond->relay_ns = now_ns + keepalive_ns(bond);
}

void ways_relay_failed(Bond *bond, uint64_t now_ns)
{
    uint64_t wait_ns = bond->relay_wait_ns != 0 ? bond->relay_wait_ns : link_defaults.retry_ns;
    bond->relay_ns = relay_is_broken(RELAY_BROKEN_NO_SECOND_TRY) ? UINT64_MAX : now_ns + wait_ns;
    bond->relay_wait_ns = wait_ns * 2 < link_defaults.retry_most_ns ? wait_ns * 2 : link_defaults.retry_most_ns;
}

// A relay would have come up by now.
static uint64_t unreached_due_ns(const Bond *bond)
{
    if (bond->peers->handlers->unreached == NULL || !is_wanted(bond) || bond->link.state == LINK_UP)
        return UINT64_MAX;
    uint64_t due_ns = silent_since_ns(bond) + 4 * keepalive_ns(bond);
    return due_ns > bond->unreached_ns ? due_ns : bond->unreached_ns;
}

// ---- when there is one, through a relay ----

void ways_up(Bond *bond, uint64_t now_ns)
{
    Peer *peer = bond->peer;
    const Line *line = bond->lines[bond->link.up];
    bool is_relayed = line != NULL && line->relay != NULL;
    bond->relay_ns = bond->relay_wait_ns = bond->unreached_ns = 0;
    bond->probe_ns = is_relayed ? now_ns + link_defaults.retry_most_ns : UINT64_MAX;
    if (is_relayed == peer->is_relayed)
        return;
    peer->is_relayed = is_relayed;
    Sayings *sayings = &bond->peers->complaints;
    if (is_relayed && !is_hopeless(bond))
        say_rarely(bond->peers, sayings, now_ns,
                   "node '%s' can't be reached directly: what is sent goes through node '%s'", peer->name,
                   line->relay->peer != NULL ? line->relay->peer->name : "");
    else if (!is_relayed)
        say_rarely(bond->peers, sayings, now_ns, "node '%s' is reached directly again", peer->name);
}

static uint64_t probe_due_ns(const Bond *bond)
{
    bool may =
        bond->link.state == LINK_UP && !bond_is_direct(bond) && bond->peer != NULL && bond->peer->address != NULL;
    return may && bond->probe == NULL && !relay_is_broken(RELAY_BROKEN_NO_DIRECT) ? bond->probe_ns : UINT64_MAX;
}

static void probe(Bond *bond, uint64_t now_ns)
{
    bond->probe_ns = now_ns + bond->link.options.handshake_ns;
    bond->probe = dial_direct(bond, 0, bond->probe_ns);
    if (bond->probe != NULL)
        line_establish(bond->probe, now_ns);
}

void ways_probed(Bond *bond, uint64_t now_ns)
{
    Line *direct = bond->probe;
    bond->probe = NULL;
    if (bond->link.state != LINK_UP || bond_is_direct(bond)) {
        line_close(direct);
        return;
    }
    unsigned up = (unsigned)bond->link.up;
    Line *relayed = bond->lines[up];
    if (bond->spare != NULL)
        line_close(bond->spare);
    bond->spare = direct;
    bond->lines[up] = NULL;
    line_close(relayed);
    link_broken(&bond->link, up, now_ns);
    link_hasten(&bond->link, now_ns);
    bond_pend(bond);
}

// ---- time ----

void ways_tick(Bond *bond, uint64_t now_ns)
{
    Peers *peers = bond->peers;
    if (bond->probe != NULL && (bond->link.state != LINK_UP || now_ns >= bond->probe_ns)) {
        line_close(bond->probe);
        bond->probe = NULL;
        bond->probe_ns = now_ns + link_defaults.retry_most_ns;
    }
    if (now_ns >= probe_due_ns(bond))
        probe(bond, now_ns);
    look_for_relay(bond, now_ns);
    if (now_ns >= unreached_due_ns(bond)) {
        bond->unreached_ns = now_ns + 2 * keepalive_ns(bond);
        peers->handlers->unreached(peers->context, bond->peer->number);
    }
    if (bond->peer != NULL && bond->peer->legs != NULL && now_ns >= bond->review_ns) {
        bond->review_ns = now_ns + 2 * keepalive_ns(bond);
        relay_review(bond->peer);
    }
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

uint64_t ways_next_ns(const Bond *bond)
{
    // A link that is up and direct, which is what most of them are, needs nothing of this.
    if (bond->probe != NULL)
        return bond->probe_ns;
    if (bond->link.state == LINK_UP)
        return probe_due_ns(bond);
    return earlier(relay_due_ns(bond), unreached_due_ns(bond));
}

void ways_close(Bond *bond)
{
    if (bond->relayed != NULL)
        line_close(bond->relayed);
    if (bond->probe != NULL)
        line_close(bond->probe);
    bond->relayed = bond->probe = NULL;
}
