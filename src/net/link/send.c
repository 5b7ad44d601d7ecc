// send.c: see link.h. What is sent is kept, or waits to be cut into pieces, and is written as far as the connection takes it.

#include "net/link/internal.h"

#include "base/check.h"

// ---- sending ----

// Pieces of large messages become kept frames only as far as they can be written soon: four whole ones and the rest of a message of 64 KiB.
enum { SOON = 5 * WIRE_FRAME_MAX };

static bool link_has_room(const Link *link, size_t size, size_t reserve)
{
    return link->kept.bytes + size + reserve <= link->options.kept_max || link_is_broken(LINK_BROKEN_KEPT_UNBOUNDED);
}

// L6. Data leaves some room for control, and for pieces of large messages that wait.
static size_t link_reserve(const Link *link, LinkClass class)
{
    return class == LINK_CONTROL ? 0 : LINK_CONTROL_ROOM + (link->lanes.count > 0 ? SOON : 0);
}

// Can another piece become a kept frame? If smaller frames are always there to be written, one piece goes with so many bytes of
// them.
static bool link_has_turn(const Link *link)
{
    return link->lanes.count > 0 && link_has_room(link, WIRE_FRAME_MAX, LINK_CONTROL_ROOM) &&
           (link->kept.unsent_bytes + WIRE_FRAME_MAX <= SOON || link->written_since_piece >= SOON);
}

// The largest message that both sides allow.
static uint32_t link_message_max(const Link *link)
{
    uint32_t most = link->options.message_max;
    return link->peer_message_max != 0 && link->peer_message_max < most ? link->peer_message_max : most;
}

static LinkSending link_refuse(Link *link, LinkSending why)
{
    link->is_short = true;
    link->is_short_of_memory = why == LINK_NO_MEMORY;
    return why;
}

// Nobody waits, and all pieces of a message of this size can be written soon: then it need not be copied to wait for its turns.
static bool link_may_pass(const Link *link, size_t size)
{
    size_t whole = lanes_pieces_size(size);
    return (link->lanes.count == 0 || link_is_broken(LINK_BROKEN_PASSES)) && link->up >= 0 && size > WIRE_PIECE_MAX &&
           link->kept.unsent_bytes + whole <= SOON && link_has_room(link, whole, LINK_CONTROL_ROOM);
}

// Behind what waits in its lane, or to be cut. The peer has said in its HELLO how much may be under way in pieces.
static LinkSending link_send_later(Link *link, uint64_t lane, WireKind kind, const void *frame, size_t size)
{
    if (link->peer_message_max == 0 || link->lanes.bytes + size > link_message_max(link) ||
        (link->lanes.count == LANES_MAX && lanes_find(&link->lanes, lane) == NULL))
        return link_refuse(link, LINK_NO_ROOM);
    if (link_may_pass(link, size))
        return lanes_pass(&link->lanes, &link->memory, &link->kept, kind, frame, size)
                   ? LINK_SENT
                   : link_refuse(link, LINK_NO_MEMORY);
    LaneMessage *message = lanes_append(&link->lanes, &link->memory, lane, kind, size);
    if (message == NULL)
        return link_refuse(link, LINK_NO_MEMORY);
    wire_write_body(message->body, kind, frame);
    return LINK_SENT;
}

LinkSending link_send(Link *link, LinkClass class, uint64_t lane, WireKind kind, const void *frame)
{
    CHECK(wire_is_numbered(kind) && kind != WIRE_CHUNK);
    if (link->state == LINK_LOST)
        return LINK_GONE;
    size_t size = wire_body_size(kind, frame);
    if (size == 0)
        return LINK_INVALID;
    if (size > link_message_max(link))
        return LINK_TOO_LARGE;
    bool must_wait = link->lanes.count > 0 && lanes_find(&link->lanes, lane) != NULL;
    if (size > WIRE_PIECE_MAX || (must_wait && !link_is_broken(LINK_BROKEN_OVERTAKES)))
        return link_send_later(link, lane, kind, frame, size);
    size_t whole = WIRE_HEAD_NUMBERED + size;
    if (!link_has_room(link, whole, link_reserve(link, class)))
        return link_refuse(link, LINK_NO_ROOM);
    uint8_t *at = kept_reserve(&link->kept, &link->memory, whole);
    if (at == NULL)
        return link_refuse(link, LINK_NO_MEMORY);
    wire_write_head(at, kind, link->kept.next, size);
    wire_write_body(at + WIRE_HEAD_NUMBERED, kind, frame);
    kept_commit(&link->kept, whole);
    return LINK_SENT;
}

// Who was refused may try again when half of the room is there.
void link_tell_room(Link *link)
{
    if (!link->is_short || link_is_broken(LINK_BROKEN_ROOM_FORGOTTEN) || link->state == LINK_LOST)
        return;
    if (link->kept.bytes > link->options.kept_max / 2 || link->lanes.bytes > link_message_max(link) / 2)
        return;
    link->is_short = false;
    link->effects->room(link->context);
}

void link_acknowledge(Link *link, uint64_t number)
{
    kept_acknowledge(&link->kept, &link->memory, number);
    link_tell_room(link);
}

static void link_move_pieces(Link *link)
{
    link->is_out_of_memory = false;
    bool has_moved = false;
    while (link_has_turn(link)) {
        if (!lanes_advance(&link->lanes, &link->memory, &link->kept)) {
            link->is_out_of_memory = true;
            break;
        }
        link->written_since_piece = 0;
        has_moved = true;
    }
    if (has_moved)
        link_tell_room(link);
}

// ---- writing ----

bool control_put(Connection *connection, WireKind kind, const void *frame)
{
    size_t size = WIRE_HEAD + wire_body_size(kind, frame);
    if (connection->control_at == connection->control_size)
        connection->control_at = connection->control_size = 0;
    if (size == WIRE_HEAD || size > CONTROL_BYTES - (size_t)connection->control_size)
        return false;
    uint8_t *at = connection->control + connection->control_size;
    at += wire_write_head(at, kind, 0, size - WIRE_HEAD);
    wire_write_body(at, kind, frame);
    connection->control_size += (uint16_t)size;
    return true;
}

void ping_put(Link *link, Connection *connection)
{
    uint64_t nonce = link->effects->random(link->context);
    if (!control_put(connection, WIRE_PING, &(WirePing){nonce}))
        return;
    connection->wants_ping = false;
    connection->ping_is_open = true;
    connection->ping_nonce = nonce;
    connection->ping_ns = link->now_ns;
}

bool link_has_output(const Link *link, unsigned number)
{
    const Connection *connection = &link->connections[number];
    if (connection->control_at < connection->control_size)
        return true;
    return connection->state == CONNECTION_UP && link->up == (int)number &&
           (connection->wants_ping || connection->wants_pong || link->wants_ack || link->kept.unsent_bytes > 0 ||
            (!link->is_out_of_memory && link_has_turn(link)));
}

// ACK goes with whatever else is written (L3), but not behind one that has not been written yet.
static void control_fill(Link *link, Connection *connection)
{
    bool was_empty = connection->control_at == connection->control_size;
    if (connection->wants_pong && control_put(connection, WIRE_PONG, &(WirePong){connection->pong_nonce}))
        connection->wants_pong = false;
    if (connection->wants_ping)
        ping_put(link, connection);
    bool has_other = connection->control_at < connection->control_size || link->kept.unsent_bytes > 0;
    if (was_empty && (link->wants_ack || (has_other && link->received > link->acknowledged)) &&
        control_put(connection, WIRE_ACK, &(WireAck){link->received})) {
        link->acknowledged = link->received;
        link->wants_ack = false;
        link->ack_ns = 0;
        link->ack_bytes = 0;
    }
}

unsigned link_output(Link *link, unsigned number, WireSpan *pieces, unsigned most, size_t limit, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    Connection *connection = &link->connections[number];
    bool is_up = connection->state == CONNECTION_UP && link->up == (int)number;
    unsigned count = 0;
    if (is_up) {
        link_move_pieces(link);
        control_fill(link, connection);
        // The rest of a frame that was begun comes before everything else.
        size_t begun = link->kept.unsent.left;
        if (begun > limit)
            begun = limit;
        if (begun > 0 && most > 0 && !link_is_broken(LINK_BROKEN_MIXED_FRAMES))
            count = kept_unsent(&link->kept, 0, pieces, 1, begun);
        limit -= count > 0 ? begun : 0;
    }
    size_t control = (size_t)(connection->control_size - connection->control_at);
    if (control > 0 && count < most && limit > 0) {
        if (control > limit)
            control = limit;
        pieces[count++] = (WireSpan){connection->control + connection->control_at, control};
        limit -= control;
    }
    if (is_up && count < most && limit > 0) {
        uint32_t skip = link_is_broken(LINK_BROKEN_MIXED_FRAMES) ? 0 : link->kept.unsent.left;
        count += kept_unsent(&link->kept, skip, pieces + count, most - count, limit);
    }
    return count;
}

void link_wrote(Link *link, unsigned number, size_t count, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    Connection *connection = &link->connections[number];
    bool is_up = connection->state == CONNECTION_UP && link->up == (int)number;
    if (is_up && !link_is_broken(LINK_BROKEN_MIXED_FRAMES)) {
        size_t begun = link->kept.unsent.left < count ? link->kept.unsent.left : count;
        kept_wrote(&link->kept, begun);
        count -= begun;
    }
    size_t control = (size_t)(connection->control_size - connection->control_at);
    control = control < count ? control : count;
    connection->control_at += (uint16_t)control;
    count -= control;
    if (is_up) {
        kept_wrote(&link->kept, count);
        link->written_since_piece += count;
        if (link_is_broken(LINK_BROKEN_ACK_EARLY))
            link_acknowledge(link, link->kept.unsent.number - 1);
    }
    if (connection->state == CONNECTION_CLOSING && connection->control_at == connection->control_size)
        connection_close(link, number, connection->why);
}
