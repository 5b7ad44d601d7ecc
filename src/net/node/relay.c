// relay.c: streams of bytes through other nodes: those that begin or end here, which connections use as they use sockets, and those that this
// node carries for others (N12). What is said about a stream, and how much of it may be on its way, is relay/leg.h.
//
// The bytes of a stream are those of a TLS connection between its two ends: who carries it can't read it, nor change it unnoticed.
// Nothing is sent at once: legs with something to say are asked when their neighbour's bond is settled, one frame of each in turn, so that
// streams share a link evenly. Of what is carried for others no more than a quarter of a link's buffer is on its way at one moment: the rest
// is for this node's own sessions.

#define _GNU_SOURCE

#include "net/node/internal.h"

#include "base/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// All streams of a link share a lane: their frames are small.
static const uint64_t relay_lane = UINT64_MAX;

static const chx_carrier_ops relay_carrier;

// ---- legs ----

static void leg_append(Peer *peer, Relayed *relayed)
{
    relayed->next = NULL;
    relayed->previous = peer->last_leg;
    if (peer->last_leg != NULL)
        peer->last_leg->next = relayed;
    else
        peer->legs = relayed;
    peer->last_leg = relayed;
}

static void leg_remove(Relayed *relayed)
{
    Peer *peer = relayed->peer;
    if (relayed->previous != NULL)
        relayed->previous->next = relayed->next;
    else
        peer->legs = relayed->next;
    if (relayed->next != NULL)
        relayed->next->previous = relayed->previous;
    else
        peer->last_leg = relayed->previous;
}

// NULL: no memory.
static Relayed *relayed_new(Peer *peer)
{
    Relayed *relayed = calloc(1, sizeof *relayed);
    if (relayed == NULL)
        return NULL;
    relayed->peer = peer;
    leg_append(peer, relayed);
    peer->leg_count++;
    return relayed;
}

static void relayed_part(Relayed *relayed)
{
    leg_remove(relayed);
    relayed->peer->leg_count--;
    relayed->peer = NULL;
}

static void relayed_free(Relayed *relayed)
{
    if (relayed->peer != NULL)
        relayed_part(relayed);
    leg_fini(&relayed->leg);
    leg_queue_fini(&relayed->in);
    free(relayed);
}

static Relayed *relayed_find(const Peer *peer, uint32_t stream)
{
    bool is_own = (stream & RELAY_OTHERS) != 0;
    uint32_t number = stream & ~RELAY_OTHERS;
    for (Relayed *relayed = peer->legs; relayed != NULL; relayed = relayed->next)
        if ((relayed->leg.is_own == is_own || relay_is_broken(RELAY_BROKEN_ONE_SPACE)) && relayed->leg.number == number)
            return relayed;
    return NULL;
}

static void relayed_wake(const Relayed *relayed)
{
    if (relayed->line != NULL)
        line_try_again(relayed->line);
}

// The leg is over: so is the stream.
static void relayed_over(Relayed *relayed, bool is_lost)
{
    Relayed *other = relayed->other;
    bool is_silent = relay_is_broken(RELAY_BROKEN_LOSS_FORGOTTEN)
                         ? is_lost
                         : !is_lost && relay_is_broken(RELAY_BROKEN_CLOSE_FORGOTTEN);
    if (other != NULL) {
        other->other = NULL;
        if (!is_silent)
            leg_end(&other->leg, relayed->leg.why[0] != '\0' ? relayed->leg.why : "the other node has closed it");
        bond_pend(other->peer->bond);
    }
    if (!relayed->is_open) {
        relayed_free(relayed);
        return;
    }
    if (relayed->line != NULL)
        relayed->line->has_hung_up = true;
    relayed_wake(relayed);
}

void relay_drop(Peer *peer, const char *why)
{
    while (peer->legs != NULL) {
        Relayed *relayed = peer->legs;
        relayed_part(relayed);
        leg_take_close(&relayed->leg, wire_text(why));
        relayed_over(relayed, true);
    }
}

void relay_review(Peer *peer)
{
    Peers *peers = peer->peers;
    for (Relayed *relayed = peer->legs; relayed != NULL; relayed = relayed->next) {
        Relayed *other = relayed->other;
        if (other == NULL || relayed->leg.is_own)
            continue;
        bool may = peers->config->limits.relay && peers->handlers->may_relay != NULL &&
                   peers->handlers->may_relay(peers->context, peer->number, other->peer->number);
        if (may || relay_is_broken(RELAY_BROKEN_ANYBODY))
            continue;
        relayed->other = other->other = NULL;
        leg_end(&relayed->leg, "no session here has both nodes any more");
        leg_end(&other->leg, "no session here has both nodes any more");
        bond_pend(peer->bond);
        bond_pend(other->peer->bond);
    }
}

// ---- sending ----

static void leg_to_end(Relayed *relayed)
{
    Peer *peer = relayed->peer;
    leg_remove(relayed);
    leg_append(peer, relayed);
}

// What is carried for others and is on its way to this neighbour, or beyond it.
static uint64_t bytes_under_way(const Peer *peer)
{
    uint64_t bytes = 0;
    for (const Relayed *relayed = peer->legs; relayed != NULL; relayed = relayed->next)
        bytes += relayed->is_end ? 0 : leg_under_way(&relayed->leg);
    return bytes;
}

void relay_flush(Peer *peer)
{
    Link *link = &peer->bond->link;
    uint64_t under_way = bytes_under_way(peer), most = link->options.kept_max / 4;
    WireFrame frame;
    // As long as there is something in one round through all of them.
    for (unsigned left = peer->leg_count; left > 0 && peer->legs != NULL; left--) {
        Relayed *relayed = peer->legs;
        if (!leg_next(&relayed->leg, relayed->is_end || under_way < most, &frame)) {
            leg_to_end(relayed);
            continue;
        }
        bool is_bytes = frame.kind == WIRE_RELAY_BYTES;
        if (link_send(link, is_bytes ? LINK_DATA : LINK_CONTROL, relay_lane, frame.kind, &frame.hello) != LINK_SENT)
            return; // it goes on when there is room
        under_way += is_bytes && !relayed->is_end ? frame.relay_bytes.bytes.size : 0;
        leg_sent(&relayed->leg, &frame);
        left = peer->leg_count + 1;
        leg_to_end(relayed);
        if (leg_is_over(&relayed->leg))
            relayed_over(relayed, false);
    }
}

// ---- streams that others open ----

// Why this node does not carry a stream from the peer to `to`; NULL: it does.
static const char *refusal(const Peer *peer, const Peer *to)
{
    const Peers *peers = peer->peers;
    if (!peers->config->limits.relay)
        return "it relays nothing ('relay = no')";
    if (peer->leg_count > LEGS_MAX)
        return "it carries too many streams of this node";
    if (to == NULL || to == peer || to->bond == NULL || !bond_is_direct(to->bond))
        return "it has no connection with the other node";
    if (to->leg_count >= LEGS_MAX)
        return "it carries too many streams to the other node";
    bool may = peers->handlers->may_relay != NULL && !peer->is_anonymous && !to->is_anonymous &&
               peers->handlers->may_relay(peers->context, peer->number, to->number);
    return may || relay_is_broken(RELAY_BROKEN_ANYBODY) ? NULL : "none of its sessions has both nodes";
}

// False: no memory.
static bool carry(Relayed *relayed, const WireRelayOpen *open)
{
    Peer *peer = relayed->peer, *to = table_named(&peer->peers->table, open->node);
    const char *why = refusal(peer, to);
    if (why != NULL) {
        leg_end(&relayed->leg, why);
        bond_pend(peer->bond);
        return true;
    }
    Relayed *other = relayed_new(to);
    if (other == NULL)
        return false;
    to->leg_number++;
    leg_open(&other->leg, to->leg_number, true, peer->name);
    relayed->other = other;
    other->other = relayed;
    bond_pend(to->bond);
    return true;
}

// The stream is a connection that somebody has made with this node. False: no memory.
static bool accept_stream(Relayed *relayed)
{
    Peer *peer = relayed->peer;
    Peers *peers = peer->peers;
    bool may = peers->config->limits.relay && peers->handlers->is_relay != NULL &&
               peers->handlers->is_relay(peers->context, peer->number) && bond_is_direct(peer->bond);
    relayed->is_end = true;
    if ((!may && !relay_is_broken(RELAY_BROKEN_UNASKED)) || peers->calls.count >= CALLS_MAX / 2) {
        leg_end(&relayed->leg, may ? "too many others call" : "the other node does not want this relay");
        bond_pend(peer->bond);
        return true;
    }
    uint64_t now_ns = peers_now(peers);
    relayed->is_open = true;
    Secure *secure = secure_called(&relay_carrier, relayed, peers->tls, relayed->leg.node,
                                   now_ns + peers->config->limits.handshake_ms * 1000000);
    Line *line = secure == NULL ? NULL : line_new(peers, secure, LINE_CALLING);
    if (line == NULL)
        return true; // it was closed, which is said
    line->relay = relayed;
    relayed->line = line;
    call_begin(line, now_ns);
    line_try_again(line);
    return true;
}

static bool take_open(Bond *bond, const WireRelayOpen *open)
{
    Peer *peer = bond->peer;
    if ((open->stream & RELAY_OTHERS) != 0 || relayed_find(peer, open->stream) != NULL ||
        peer->leg_count >= 2 * LEGS_MAX) {
        bond_complain(bond, "a relayed stream that can't be opened");
        return true;
    }
    Relayed *relayed = relayed_new(peer);
    if (relayed == NULL)
        return false;
    leg_opened(&relayed->leg, open);
    bool is_taken = open->ends ? accept_stream(relayed) : carry(relayed, open);
    if (!is_taken)
        relayed_free(relayed);
    return is_taken;
}

bool relay_is_from(const Line *line, const char *name)
{
    return strcmp(line->relay->leg.node, name) == 0;
}

// ---- frames ----

// False: no memory.
static bool take_bytes(Bond *bond, Relayed *relayed, WireSpan bytes)
{
    if (!leg_take_bytes(&relayed->leg, bytes)) {
        bond_complain(bond, "more bytes of a relayed stream than there is room for");
        leg_end(&relayed->leg, "the other side has sent too much");
        return true;
    }
    bool is_kept = true;
    if (relayed->other != NULL) {
        is_kept = leg_put(&relayed->other->leg, bytes.data, bytes.size);
        bond_pend(relayed->other->peer->bond);
    } else if (relayed->is_open) {
        is_kept = leg_queue_add(&relayed->in, bytes.data, bytes.size);
        relayed_wake(relayed);
    }
    if (!is_kept)
        relayed->leg.received -= bytes.size;
    return is_kept;
}

static void take_taken(Bond *bond, Relayed *relayed, uint64_t count)
{
    if (!leg_take_taken(&relayed->leg, count)) {
        bond_complain(bond, "a relayed stream of which more was read than was sent");
        return;
    }
    relayed_wake(relayed);
    bond_pend(bond);
    if (relayed->other != NULL) {
        leg_tell(&relayed->other->leg, count, false);
        bond_pend(relayed->other->peer->bond);
    }
}

bool relay_deliver(Bond *bond, const WireFrame *frame)
{
    if (frame->kind == WIRE_RELAY_OPEN)
        return take_open(bond, &frame->relay_open);
    // All others begin with the number of the stream. It may have been closed here meanwhile.
    Relayed *relayed = relayed_find(bond->peer, frame->relay_close.stream);
    if (relayed == NULL)
        return true;
    if (frame->kind == WIRE_RELAY_BYTES)
        return take_bytes(bond, relayed, frame->relay_bytes.bytes);
    if (frame->kind == WIRE_RELAY_TAKEN) {
        take_taken(bond, relayed, frame->relay_taken.count);
        return true;
    }
    leg_take_close(&relayed->leg, frame->relay_close.text);
    relayed_over(relayed, false);
    return true;
}

// ---- streams that begin or end here, as a carrier has them ----

static int stream_establish(void *stream)
{
    (void)stream;
    return 0;
}

static ssize_t stream_read(void *stream, void *data, size_t size)
{
    Relayed *relayed = stream;
    size_t count = leg_queue_size(&relayed->in);
    if (count == 0)
        return leg_is_over(&relayed->leg) ? -ECONNRESET : -EAGAIN;
    if (count > size)
        count = size;
    memcpy(data, relayed->in.bytes + relayed->in.start, count);
    leg_queue_drop(&relayed->in, count);
    leg_tell(&relayed->leg, relayed->leg.taken + count, true);
    if (relayed->leg.owes_taken && relayed->peer != NULL)
        bond_pend(relayed->peer->bond);
    return (ssize_t)count;
}

static ssize_t stream_write(void *stream, const struct iovec *parts, int count)
{
    Relayed *relayed = stream;
    size_t room = leg_room(&relayed->leg), written = 0;
    if (relay_is_broken(RELAY_BROKEN_NO_CREDIT) || relay_is_broken(RELAY_BROKEN_NO_BOUND))
        room = 1 << 20;
    if (leg_is_over(&relayed->leg))
        return -EPIPE;
    if (room == 0)
        return -EAGAIN;
    for (int i = 0; i < count && written < room; i++) {
        size_t size = parts[i].iov_len < room - written ? parts[i].iov_len : room - written;
        if (size > 0 && !leg_put(&relayed->leg, parts[i].iov_base, size))
            break;
        written += size;
    }
    if (written == 0)
        return -ENOMEM;
    bond_pend(relayed->peer->bond);
    return (ssize_t)written;
}

static int stream_descriptor(void *stream)
{
    (void)stream;
    return -1;
}

static void stream_peer(void *stream, char *text, size_t size)
{
    const Relayed *relayed = stream;
    snprintf(text, size, "node '%s', through another node", relayed->leg.node);
}

static void stream_explain(void *stream, int error, char *text, size_t size)
{
    const Relayed *relayed = stream;
    const char *who = relayed->peer != NULL ? relayed->peer->name : NULL;
    if (leg_is_over(&relayed->leg))
        snprintf(text, size, "%s%s%s: %s", who != NULL ? "node '" : "the relay", who != NULL ? who : "",
                 who != NULL ? "', which relays" : "", relayed->leg.why);
    else
        snprintf(text, size, "%s%s", "through a relay: ", strerror(error < 0 ? -error : error));
}

static void stream_close(void *stream)
{
    Relayed *relayed = stream;
    relayed->is_open = false;
    relayed->line = NULL;
    leg_queue_fini(&relayed->in);
    if (relayed->peer == NULL || leg_is_over(&relayed->leg)) {
        relayed_free(relayed);
        return;
    }
    leg_end(&relayed->leg, "");
    bond_pend(relayed->peer->bond);
}

// Who uses it has the stream already: it is neither dialled nor accepted by this table.
static const chx_carrier_ops relay_carrier = {
    .scheme = "relay",
    .establish = stream_establish,
    .read = stream_read,
    .write = stream_write,
    .descriptor = stream_descriptor,
    .peer = stream_peer,
    .explain = stream_explain,
    .close = stream_close,
};

Line *relay_dial(Peer *relay, const Peer *to, uint64_t deadline_ns)
{
    Peers *peers = relay->peers;
    Relayed *relayed = relayed_new(relay);
    if (relayed == NULL)
        return NULL;
    relay->leg_number++;
    leg_open(&relayed->leg, relay->leg_number, false, to->name);
    relayed->is_end = relayed->is_open = true;
    Secure *secure = secure_call(&relay_carrier, relayed, peers->tls, &(TlsExpected){.node = to->name}, deadline_ns);
    Line *line = secure == NULL ? NULL : line_new(peers, secure, LINE_DIALLING);
    bond_pend(relay->bond);
    if (line == NULL)
        return NULL;
    line->relay = relayed;
    relayed->line = line;
    return line;
}
