// hello.c: how a connection comes up: who is there (L1), which of two connections stays (L2), where to go on (L3), and
// whether it is still the same process (L4).

#include "net/link/internal.h"

#include "base/check.h"

void hello_put(Link *link, unsigned number, uint64_t dialled_ns)
{
    WireHello hello = {.magic = WIRE_MAGIC,
                       .version = WIRE_VERSION,
                       .incarnation = link->options.incarnation,
                       .peer = link->peer,
                       .received = link->received,
                       .dialled = dialled_ns,
                       .message_max = link->options.message_max,
                       .node = wire_text(link->options.node),
                       .build = wire_text(link->options.build)};
    CHECK(control_put(&link->connections[number], WIRE_HELLO, &hello));
}

// Another version is nobody's misbehaviour: it is said, and not counted.
bool hello_version_is_ours(Link *link, unsigned number, const WireHello *hello)
{
    if (hello->magic == WIRE_MAGIC && hello->version == WIRE_VERSION)
        return true;
    const char *why = hello->magic != WIRE_MAGIC ? "the peer does not speak this protocol"
                                                 : "the peer speaks another version of the protocol";
    connection_finish(link, number, WIRE_ERROR, &(WireError){WIRE_BAD_VERSION, wire_text(why)}, why);
    return false;
}

// What both sides check. False: the connection, or the link, is over.
static bool hello_check(Link *link, unsigned number, const WireHello *hello)
{
    if (!hello_version_is_ours(link, number, hello))
        return false;
    if (wire_id_is_zero(&hello->incarnation) || wire_id_is(&hello->incarnation, &link->options.incarnation)) {
        connection_error(link, number, WIRE_BAD_FIELD, "an incarnation that can't be the peer's");
        return false;
    }
    if (hello->message_max <= WIRE_PIECE_MAX || hello->message_max > WIRE_MESSAGE_MAX) {
        connection_error(link, number, WIRE_BAD_FIELD, "a limit of messages that can't be");
        return false;
    }
    if (!link->effects->greet(link->context, number, hello)) {
        connection_error(link, number, WIRE_BAD_CONTENT, "the node is not who it says it is");
        return false;
    }
    bool is_known = !wire_id_is_zero(&link->peer);
    // L4: another process. What was sent to the old one never reaches it. Incarnations have no order, so a HELLO that a dead
    // process had sent could be read after that of the living one; the answer to a HELLO of ours can't be so old, but one
    // that came unasked counts only when its sender has answered a PING.
    if (is_known && !wire_id_is(&hello->incarnation, &link->peer) && !link_is_broken(LINK_BROKEN_NO_INCARNATION)) {
        Connection *connection = &link->connections[number];
        if (connection->is_dialled || link_is_broken(LINK_BROKEN_NO_CHALLENGE)) {
            link_lose(link, LINK_LOSS_INCARNATION);
        } else {
            connection->is_challenged = true;
            ping_put(link, connection);
        }
        return false;
    }
    // The same process, but it knows nothing of us any more. If it has never had our answer, nothing is lost by that.
    if (is_known && wire_id_is_zero(&hello->peer) && link->is_confirmed &&
        !link_is_broken(LINK_BROKEN_NO_INCARNATION)) {
        link_lose(link, LINK_LOSS_FORGOTTEN);
        return false;
    }
    if (hello->received > link->kept.written && !link_is_broken(LINK_BROKEN_NO_INCARNATION)) {
        connection_error(link, number, WIRE_BAD_NUMBER, "more received than was sent");
        return false;
    }
    return true;
}

// Remembers which process the peer is, and which of its connections are void. Times of one process can be compared with each
// other only.
static void peer_learn(Link *link, const WireHello *hello)
{
    bool is_same = wire_id_is(&hello->incarnation, &link->peer);
    if (!is_same || hello->dialled > link->peer_dialled)
        link->peer_dialled = hello->dialled;
    link->peer = hello->incarnation;
    link->peer_message_max = hello->message_max;
}

// The connection is the one that counts from now on. Everything older has been closed.
static void connection_up(Link *link, unsigned number, const WireHello *hello)
{
    Connection *connection = &link->connections[number];
    link->up = (int)number;
    if (link->dial == (int)number)
        link->dial = -1;
    link->redial_ns = UINT64_MAX;
    connection_begin(link, number, CONNECTION_UP);
    connection->wants_ping = true;
    link->heard_ns = link->now_ns;
    // L3: what the peer has is acknowledged, and everything else is written again. Half a frame on the old connection was
    // not received.
    if (link_is_broken(LINK_BROKEN_NO_RESUME)) {
        kept_wrote(&link->kept, link->kept.unsent.left);
    } else {
        kept_resume(&link->kept, &link->memory, hello->received);
    }
    // HELLO has told the peer, or tells it now, what has been received.
    link->wants_ack = false;
    link->ack_ns = 0;
    link->ack_bytes = 0;
    link->acknowledged = link->received;
    bool was_up = link->state == LINK_UP;
    link->state = LINK_UP;
    if (!was_up)
        link->effects->up(link->context);
    link_acknowledge(link, 0);
}

// L2: of two connections that cross, that which the smaller incarnation has dialled stays.
static bool own_dial_stays(const Link *link, const WireHello *hello)
{
    if (link->dial < 0 || link->connections[link->dial].state != CONNECTION_HELLO)
        return false; // it has not even reached the peer
    int order = memcmp(&link->options.incarnation, &hello->incarnation, sizeof(WireId));
    return link_is_broken(LINK_BROKEN_DUPLICATE_TWICE) || order < 0;
}

// The peer has given this connection up since: its HELLO has been overtaken by a later one.
static bool hello_is_late(const Link *link, const WireHello *hello)
{
    return wire_id_is(&hello->incarnation, &link->peer) && hello->dialled <= link->peer_dialled &&
           !link_is_broken(LINK_BROKEN_LATE_HELLO);
}

void hello_accept(Link *link, unsigned number, const WireHello *hello)
{
    bool is_for_other = !wire_id_is_zero(&hello->peer) && !wire_id_is(&hello->peer, &link->options.incarnation);
    if (is_for_other && hello_version_is_ours(link, number, hello) && !link_is_broken(LINK_BROKEN_NO_INCARNATION)) {
        // The peer means the process that had our name before. It must know that this is another one.
        hello_put(link, number, link->now_ns);
        connection_finish(link, number, WIRE_DUPLICATE, &(WireDuplicate){hello->dialled},
                          "the peer means an earlier process of this node");
        return;
    }
    if (hello_is_late(link, hello)) {
        connection_close(link, number, "an older connection of the peer");
        return;
    }
    if (!hello_check(link, number, hello))
        return;
    if (own_dial_stays(link, hello)) {
        connection_finish(link, number, WIRE_DUPLICATE, &(WireDuplicate){hello->dialled}, "connections have crossed");
        return;
    }
    // L3: first everything older is closed, and what was not read from it is gone; then `received` is looked at.
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++) {
        if (i == number || ((int)i != link->up && (int)i != link->dial))
            continue;
        if (link_is_broken(LINK_BROKEN_READS_OLD) && (int)i == link->up)
            continue;
        connection_close(link, i, "there is a newer connection");
    }
    peer_learn(link, hello);
    hello_put(link, number, link->now_ns);
    connection_up(link, number, hello);
}

void hello_answered(Link *link, unsigned number, const WireHello *hello)
{
    if (!hello_check(link, number, hello))
        return;
    if (!wire_id_is(&hello->peer, &link->options.incarnation)) {
        connection_error(link, number, WIRE_BAD_FIELD, "an answer to somebody else's HELLO");
        return;
    }
    link->is_confirmed = true;
    peer_learn(link, hello);
    connection_up(link, number, hello);
}
