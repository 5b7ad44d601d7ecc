// receive.c: see link.h. Bytes become frames, and numbered frames are delivered, each once.

#include "net/link/internal.h"

// What came up to here is to be acknowledged soon (L3).
static void link_owe_ack(Link *link, size_t size)
{
    link->ack_bytes += size;
    if (link->ack_bytes >= link->options.ack_bytes)
        link->wants_ack = true;
    else if (link->ack_ns == 0)
        link->ack_ns = link->now_ns + link->options.ack_delay_ns;
}

typedef enum { TAKEN, NOT_NOW, WRONG } Taking;

static Taking chunk_take(Link *link, const WireChunk *chunk, WireVerdict *verdict)
{
    Gathered *message;
    *verdict = WIRE_BAD_CHUNK;
    switch (gather_piece(&link->gather, &link->memory, chunk, link->options.message_max, &message)) {
    case GATHER_MORE:
        return TAKEN;
    case GATHER_NO_MEMORY:
        return link_is_broken(LINK_BROKEN_CHUNK_LOST) ? TAKEN : NOT_NOW;
    case GATHER_WRONG:
        return WRONG;
    case GATHER_WHOLE:
        break;
    }
    WireFrame frame = {.kind = message->kind};
    *verdict = wire_decode_body(message->kind, (WireSpan){message->body, message->total}, &frame.hello);
    if (*verdict != WIRE_GOOD)
        return WRONG;
    if (!link->effects->deliver(link->context, &frame))
        return NOT_NOW;
    // The layer above may have lost the link meanwhile, and with it the message.
    if (link->state != LINK_LOST)
        gather_remove(&link->gather, &link->memory, message);
    return TAKEN;
}

static Taking frame_take(Link *link, const WireRaw *raw, WireVerdict *verdict)
{
    WireFrame frame;
    *verdict = wire_decode(raw, &frame);
    if (*verdict != WIRE_GOOD)
        return WRONG;
    if (raw->kind == WIRE_CHUNK)
        return chunk_take(link, &frame.chunk, verdict);
    return link->effects->deliver(link->context, &frame) ? TAKEN : NOT_NOW;
}

// L3: each number once, without gaps.
static void numbered_take(Link *link, unsigned number, const WireRaw *raw)
{
    bool looks =
        !link_is_broken(LINK_BROKEN_NO_NUMBERS) && !(link_is_broken(LINK_BROKEN_READS_OLD) && link->up != (int)number);
    if (raw->number <= link->received && looks) {
        // The acknowledgement was lost with a connection, so it is said again.
        if (!link_is_broken(LINK_BROKEN_NO_ACK_AGAIN)) {
            link->acknowledged = 0;
            link_owe_ack(link, raw->size);
        }
        return;
    }
    if (raw->number != link->received + 1 && looks) {
        connection_error(link, number, WIRE_BAD_NUMBER, "a frame is missing");
        return;
    }
    WireVerdict verdict;
    switch (frame_take(link, raw, &verdict)) {
    case TAKEN:
        link->received = raw->number;
        link_owe_ack(link, raw->size);
        break;
    case NOT_NOW:
        connection_close(link, number, "what it brought could not be taken");
        break;
    case WRONG:
        connection_error(link, number, verdict, wire_verdict_text(verdict));
    }
}

const char link_name_is_taken[] = "another process with the same name is connected";

// L4: another process has the peer's name, and lives. If the one that is connected does, too, they would replace each other for ever:
// the later one has to wait. One that is dead is not connected any more, or not for longer than a connection may be silent.
static void incarnation_take(Link *link, unsigned number)
{
    WireError error = {.code = WIRE_BAD_NAME, .text = wire_text(link_name_is_taken)};
    if (link->up >= 0 && !link_is_broken(LINK_BROKEN_NAME_TWICE))
        connection_finish(link, number, WIRE_ERROR, &error, link_name_is_taken);
    else
        link_lose(link, LINK_LOSS_INCARNATION);
}

static void pong_take(Link *link, unsigned number, uint64_t nonce)
{
    Connection *connection = &link->connections[number];
    if (!connection->ping_is_open || connection->ping_nonce != nonce) {
        connection_error(link, number, WIRE_BAD_ORDER, "a PONG without a PING");
        return;
    }
    connection->ping_is_open = false;
    if (connection->is_challenged) {
        incarnation_take(link, number);
        return;
    }
    // N11 counts from the moment of asking: the peer has heard us at that moment or later.
    link->sure_ns = link_is_broken(LINK_BROKEN_SURE_LATE) ? link->now_ns : connection->ping_ns;
    // The connection works: the next time it breaks, dialling begins with the shortest delay.
    link->retry_ns = link->options.retry_ns;
}

// Frames without a number, on a connection that is up.
static void control_take(Link *link, unsigned number, const WireFrame *frame)
{
    Connection *connection = &link->connections[number];
    switch (frame->kind) {
    case WIRE_PING:
        connection->wants_pong = true;
        connection->pong_nonce = frame->ping.nonce;
        break;
    case WIRE_PONG:
        pong_take(link, number, frame->pong.nonce);
        break;
    case WIRE_ACK:
        if (frame->ack.received > link->kept.written)
            connection_error(link, number, WIRE_BAD_NUMBER, "an acknowledgement of what was not sent");
        else
            link_acknowledge(link, frame->ack.received);
        break;
    case WIRE_BYE:
        link_lose(link, LINK_LOSS_ENDED);
        break;
    case WIRE_ERROR:
        connection_close(link, number, "the peer found an error in what this node has sent");
        break;
    case WIRE_DUPLICATE:
        connection_close(link, number, "the peer has another connection");
        break;
    default:
        connection_error(link, number, WIRE_BAD_ORDER, "a second HELLO");
    }
}

// The first frame of the peer: HELLO, or why it does not say that.
static void first_take(Link *link, unsigned number, const WireFrame *frame)
{
    Connection *connection = &link->connections[number];
    bool is_dialled = connection->is_dialled;
    if (is_dialled && frame->kind == WIRE_PING) {
        // The peer knows another process under our name, and asks whether this one lives. There is room for one answer.
        control_put(connection, WIRE_PONG, &(WirePong){frame->ping.nonce});
        return;
    }
    if (connection->is_challenged && frame->kind == WIRE_PONG) {
        pong_take(link, number, frame->pong.nonce);
        return;
    }
    switch (connection->is_challenged ? WIRE_PING : frame->kind) {
    case WIRE_HELLO:
        if (is_dialled)
            hello_answered(link, number, &frame->hello);
        else
            hello_accept(link, number, &frame->hello);
        break;
    case WIRE_DUPLICATE:
    case WIRE_ERROR:
        if (is_dialled) {
            connection_close(link, number,
                             frame->kind != WIRE_ERROR            ? "the peer has another connection"
                             : frame->error.code == WIRE_BAD_NAME ? link_name_is_taken
                                                                  : "the peer refuses our HELLO");
            break;
        }
        // fall through
    default:
        connection_error(link, number, WIRE_BAD_ORDER, "a connection that does not begin with HELLO");
    }
}

static void raw_take(Link *link, unsigned number, const WireRaw *raw)
{
    Connection *connection = &link->connections[number];
    if (connection->state == CONNECTION_UP && wire_is_numbered(raw->kind)) {
        link->is_confirmed = true;
        numbered_take(link, number, raw);
        return;
    }
    WireFrame frame;
    WireVerdict verdict = wire_is_numbered(raw->kind) ? WIRE_BAD_ORDER : wire_decode(raw, &frame);
    // Of another version's HELLO only the beginning is known to be the same.
    if (verdict != WIRE_GOOD && raw->kind == WIRE_HELLO && connection->state == CONNECTION_HELLO) {
        frame.hello.magic = (uint32_t)wire_get(raw->body.data, 4);
        frame.hello.version = (uint32_t)wire_get(raw->body.data + 4, 4);
        if (!hello_version_is_ours(link, number, &frame.hello))
            return;
    }
    if (verdict != WIRE_GOOD)
        connection_error(link, number, verdict, wire_verdict_text(verdict));
    else if (connection->state == CONNECTION_HELLO)
        first_take(link, number, &frame);
    else {
        link->is_confirmed = true;
        control_take(link, number, &frame);
    }
}

static bool connection_listens(const Link *link, unsigned number)
{
    ConnectionState state = link->connections[number].state;
    return state == CONNECTION_HELLO || state == CONNECTION_UP;
}

// Adds bytes to the beginning of a frame that is kept. False: no memory.
static bool tail_add(Link *link, Connection *connection, const uint8_t *bytes, size_t size, size_t needed)
{
    if (connection->tail_capacity < needed) {
        size_t capacity = 256;
        while (capacity < needed)
            capacity *= 2;
        uint8_t *tail = memory_allocate(&link->memory, capacity);
        if (tail == NULL)
            return false;
        if (connection->tail_size > 0)
            memcpy(tail, connection->tail, connection->tail_size);
        memory_release(&link->memory, connection->tail);
        connection->tail = tail;
        connection->tail_capacity = (uint32_t)capacity;
    }
    memcpy(connection->tail + connection->tail_size, bytes, size);
    connection->tail_size += (uint32_t)size;
    return true;
}

// Takes the first frame, or keeps its beginning. How many bytes were used; 0: the connection is over.
static size_t input_step(Link *link, unsigned number, const uint8_t *bytes, size_t size)
{
    Connection *connection = &link->connections[number];
    WireRaw raw;
    WireVerdict verdict;
    size_t before = connection->tail_size;
    WireSplit split = wire_split(before > 0 ? connection->tail : bytes, before > 0 ? before : size, &raw, &verdict);
    size_t used = raw.size;
    if (split == WIRE_MORE) {
        // The rest of this frame, or of its head, as far as it is there.
        used = raw.size - before < size ? raw.size - before : size;
        if (!tail_add(link, connection, bytes, used, raw.size)) {
            connection_close(link, number, "no memory for what it brings");
            return 0;
        }
        split = wire_split(connection->tail, connection->tail_size, &raw, &verdict);
        if (split == WIRE_MORE)
            return used;
        before = connection->tail_size;
    }
    if (split == WIRE_WRONG) {
        connection_error(link, number, verdict, wire_verdict_text(verdict));
        return 0;
    }
    // Before the frame is looked at: it may end the connection, and with it the tail, which is then not used any more.
    if (before > 0) {
        connection->tail_size = 0;
        uint8_t *tail = connection->tail;
        connection->tail = NULL;
        connection->tail_capacity = 0;
        raw_take(link, number, &raw);
        memory_release(&link->memory, tail);
    } else {
        raw_take(link, number, &raw);
    }
    return used;
}

void link_input(Link *link, unsigned number, const uint8_t *bytes, size_t size, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    Connection *connection = &link->connections[number];
    if (size > 0 && connection_listens(link, number)) {
        connection->heard_ns = link->now_ns;
        if (connection->state == CONNECTION_UP)
            link->heard_ns = link->now_ns;
    }
    while (size > 0 && connection_listens(link, number)) {
        size_t used = input_step(link, number, bytes, size);
        if (used == 0)
            break;
        bytes += used;
        size -= used;
    }
}
