// seek.c: nodes of which only the address is known. They are dialled without a link, until the certificate says who they are.

#include "net/node/internal.h"

#include "base/check.h"

#include <stdio.h>

static void seek_later(Peer *peer, uint64_t now_ns)
{
    uint64_t wait = peer->retry_ns / 2;
    Peers *peers = peer->peers;
    timer_set(&peers->timers, &peer->timer, now_ns + wait + peers->random(peers->context) % (wait + 1));
    peer->retry_ns =
        peer->retry_ns * 2 < link_defaults.retry_most_ns ? peer->retry_ns * 2 : link_defaults.retry_most_ns;
}

// A handler may have called, so the dialling itself waits for the timer.
void seek_begin(Peer *peer, uint64_t now_ns)
{
    peer->retry_ns = link_defaults.retry_ns;
    peer->since_ns = now_ns;
    timer_set(&peer->peers->timers, &peer->timer, now_ns);
}

void seek_failed(Line *line, const char *why, uint64_t now_ns)
{
    Peer *peer = line->seeker;
    say_problem(peer, "no connection with the node at %s: %s", peer->address, why);
    line_close(line);
    seek_later(peer, now_ns);
}

static void seek_dial(Peer *peer, uint64_t now_ns)
{
    Peers *peers = peer->peers;
    uint64_t deadline_ns = now_ns + peers->config->limits.handshake_ms * 1000000;
    int error = 0;
    Secure *secure =
        secure_dial(peers->carrier, peers->net, peer->address, peers->tls, &(TlsExpected){0}, deadline_ns, &error);
    Line *line = secure == NULL ? NULL : line_new(peers, secure, LINE_SEEKING);
    if (line == NULL) {
        say_problem(peer, "no connection with the node at %s: it can't be dialled: %s", peer->address, strerror(error));
        seek_later(peer, now_ns);
        return;
    }
    line->seeker = peer;
    peer->seek = line;
    timer_set(&peers->timers, &peer->timer, deadline_ns);
    line_establish(line, now_ns);
}

// It is somebody who is known already. What waits for it goes there.
static void seek_merge(Peer *peer, Peer *other)
{
    Peers *peers = peer->peers;
    timer_set(&peers->timers, &peer->timer, UINT64_MAX);
    peer->as = other->number;
    peer->next_alias = other->aliases;
    other->aliases = peer;
    if (other->address == NULL)
        peer_set_address(other, wire_text(peer->address));
    outbox_move(&other->outbox, &peer->outbox);
    other->bond->tells_room = true;
    bond_pend(other->bond);
    bond_open(other->bond);
    if (peers->handlers->same != NULL)
        peers->handlers->same(peers->context, peer->number, other->number);
}

// The address is this node's own. What waits for it is delivered.
static void seek_deliver(Peer *peer)
{
    Peers *peers = peer->peers;
    WireFrame frame;
    while (outbox_first(&peer->outbox, &frame) != NULL && peers->handlers->deliver(peers->context, PEER_SELF, &frame))
        outbox_drop_first(&peer->outbox);
    // What could not be taken now is tried again.
    if (peer->outbox.first != NULL)
        timer_set(&peers->timers, &peer->timer, peers_now(peers) + link_defaults.retry_ns);
}

static void seek_self(Peer *peer)
{
    Peers *peers = peer->peers;
    timer_set(&peers->timers, &peer->timer, UINT64_MAX);
    peer->as = PEER_SELF;
    if (peers->handlers->same != NULL)
        peers->handlers->same(peers->context, peer->number, PEER_SELF);
    seek_deliver(peer);
}

void seek_established(Line *line, uint64_t now_ns)
{
    Peer *peer = line->seeker;
    Peers *peers = peer->peers;
    const TlsPeer *identity = secure_peer(line->secure);
    if (identity == NULL || identity->name == NULL) {
        seek_failed(line, "it does not say who it is", now_ns);
        return;
    }
    Peer *other = table_named(&peers->table, wire_text(identity->name));
    bool is_self = strcmp(identity->name, peers->name) == 0;
    if (is_self || other != NULL) {
        line_close(line);
        if (is_self)
            seek_self(peer);
        else
            seek_merge(peer, other);
        return;
    }
    if (!peer_set_name(peer, identity->name)) {
        seek_failed(line, "there is no memory", now_ns);
        return;
    }
    // The connection is the first one of its link.
    peer->seek = NULL;
    line->seeker = NULL;
    peer->bond->spare = line;
    peer->bond->tells_room = true;
    bond_open(peer->bond);
    bond_pend(peer->bond);
}

void seek_timer(Peer *peer, uint64_t now_ns)
{
    Peers *peers = peer->peers;
    if (peer->as == PEER_SELF) {
        seek_deliver(peer);
        return;
    }
    if (peer->seek != NULL) {
        secure_check_deadline(peer->seek->secure, now_ns);
        seek_failed(peer->seek, secure_why(peer->seek->secure), now_ns);
        return;
    }
    uint64_t keep_ns = peers->config->limits.keep_ms * 1000000;
    if (now_ns - peer->since_ns >= keep_ns) {
        peer->since_ns = now_ns;
        if (peers->handlers->is_needed == NULL || !peers->handlers->is_needed(peers->context, peer->number)) {
            peer_forget(peer);
            return;
        }
    }
    seek_dial(peer, now_ns);
}
