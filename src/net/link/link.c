// link.c: see link.h. Connections begin, end and are given up as time passes; hello.c: how they come up; send.c and
// receive.c: what is sent and received on them.

#include "net/link/internal.h"

#include "base/check.h"

static const uint64_t second = 1000000000;

const LinkOptions link_defaults = {
    .message_max = (uint32_t)16 << 20,
    .kept_max = (size_t)4 << 20,
    .keepalive_ns = 1000000000,
    .handshake_ns = 5000000000,
    .ack_delay_ns = 20000000,
    .ack_bytes = 128 * 1024,
    .retry_ns = 50000000,
    .retry_most_ns = 1000000000,
};

void link_init(Link *link, const LinkOptions *options, const LinkEffects *effects, void *context, uint64_t now_ns)
{
    *link = (Link){.options = *options, .effects = effects, .context = context, .now_ns = now_ns, .up = -1, .dial = -1};
    CHECK(options->message_max <= WIRE_MESSAGE_MAX && options->kept_max >= 2 * LINK_CONTROL_ROOM);
    CHECK(strlen(options->node) <= WIRE_NAME_MAX && strlen(options->build) <= WIRE_NAME_MAX);
    link->memory = (LinkMemory){effects->allocate, effects->release, context};
    link->redial_ns = UINT64_MAX;
    link->retry_ns = options->retry_ns;
    kept_init(&link->kept);
}

static void link_free_memory(Link *link)
{
    kept_fini(&link->kept, &link->memory);
    lanes_fini(&link->lanes, &link->memory);
    gather_fini(&link->gather, &link->memory);
}

// ---- connections end ----

// The connection's number can be given to another one.
static void connection_forget(Link *link, unsigned number)
{
    Connection *connection = &link->connections[number];
    if (!link_is_broken(LINK_BROKEN_TAIL_SURVIVES)) {
        memory_release(&link->memory, connection->tail);
        *connection = (Connection){.state = CONNECTION_NONE};
    } else {
        *connection = (Connection){
            .tail = connection->tail, .tail_size = connection->tail_size, .tail_capacity = connection->tail_capacity};
    }
    if (link->dial == (int)number)
        link->dial = -1;
    if (link->up != (int)number)
        return;
    link->up = -1;
    if (link->state == LINK_UP) {
        link->state = LINK_DOWN;
        link->effects->down(link->context);
    }
}

// L5: dial again after a while, longer each time, and not in step with the peer.
static void link_plan_dial(Link *link)
{
    if (link->state == LINK_LOST || !link->options.may_dial || link->up >= 0 || link->dial >= 0 ||
        link->redial_ns != UINT64_MAX)
        return;
    uint64_t wait = link->retry_ns / 2;
    link->redial_ns = link->now_ns + wait + link->effects->random(link->context) % (wait + 1);
    link->retry_ns =
        link->retry_ns * 2 < link->options.retry_most_ns ? link->retry_ns * 2 : link->options.retry_most_ns;
}

void connection_close(Link *link, unsigned number, const char *why)
{
    if (link->connections[number].state == CONNECTION_NONE)
        return;
    link->effects->close(link->context, number, why);
    connection_forget(link, number);
    link_plan_dial(link);
}

void link_broken(Link *link, unsigned number, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    connection_forget(link, number);
    link_plan_dial(link);
}

void link_lose(Link *link, LinkLoss loss)
{
    if (link->state == LINK_LOST)
        return;
    link->state = LINK_LOST;
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        connection_close(link, i, "the link is lost");
    link_free_memory(link);
    link->redial_ns = UINT64_MAX;
    link->effects->lost(link->context, loss);
}

void link_fini(Link *link)
{
    link->state = LINK_LOST;
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++) {
        connection_close(link, i, "the link is not needed any more");
        memory_release(&link->memory, link->connections[i].tail);
        link->connections[i].tail = NULL;
    }
    link_free_memory(link);
}

// ---- errors, and the end in order ----

// A last frame, then it is closed. In the middle of another frame there is no place for it.
void connection_finish(Link *link, unsigned number, WireKind kind, const void *frame, const char *why)
{
    Connection *connection = &link->connections[number];
    if ((link->up == (int)number && link->kept.unsent.left > 0) || !control_put(connection, kind, frame)) {
        connection_close(link, number, why);
        return;
    }
    connection->state = CONNECTION_CLOSING;
    connection->since_ns = link->now_ns;
    connection->why = why;
    connection->wants_ping = connection->wants_pong = false;
    if (link->dial == (int)number)
        link->dial = -1;
    if (link->up == (int)number) {
        link->up = -1;
        link->state = LINK_DOWN;
        link->effects->down(link->context);
    }
    link_plan_dial(link);
}

// L7: the third error in a minute loses the link.
static void link_count_error(Link *link)
{
    bool is_third = link->errors >= 2 && link->now_ns - link->error_ns[0] < 60 * second;
    link->error_ns[0] = link->error_ns[1];
    link->error_ns[1] = link->now_ns;
    link->errors++;
    if (is_third)
        link_lose(link, LINK_LOSS_ERRORS);
}

// L7: who breaks the protocol loses the connection.
void connection_error(Link *link, unsigned number, WireVerdict verdict, const char *why)
{
    WireError error = {.code = verdict, .text = wire_text(why)};
    if (error.text.size > 200)
        error.text.size = 200;
    // What the layer above says need not stay valid until the connection is closed.
    const char *reason = verdict == WIRE_BAD_CONTENT ? wire_verdict_text(verdict) : why;
    connection_finish(link, number, WIRE_ERROR, &error, reason);
    link_count_error(link);
}

void link_complain(Link *link, const char *why)
{
    if (link->up >= 0)
        connection_error(link, (unsigned)link->up, WIRE_BAD_CONTENT, why);
    else if (link->state != LINK_LOST)
        link_count_error(link);
}

void link_end(Link *link, const char *why, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    if (link->state == LINK_LOST)
        return;
    int up = link->up;
    if (up >= 0)
        connection_finish(link, (unsigned)up, WIRE_BYE, &(WireBye){wire_text(why)}, "this node ends");
    link->state = LINK_LOST;
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if ((int)i != up)
            connection_close(link, i, "this node ends");
    link_free_memory(link);
    link->redial_ns = UINT64_MAX;
}

// ---- connections begin ----

static void link_dial(Link *link)
{
    link->redial_ns = UINT64_MAX;
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if (link->connections[i].state == CONNECTION_NONE) {
            connection_begin(link, i, CONNECTION_DIALLING);
            link->connections[i].is_dialled = true;
            link->dial = (int)i;
            link->connections[i].dialled_ns = link->now_ns;
            link->effects->dial(link->context, i);
            return;
        }
    link_plan_dial(link);
}

void connection_begin(Link *link, unsigned number, ConnectionState state)
{
    Connection *connection = &link->connections[number];
    connection->state = state;
    connection->since_ns = connection->heard_ns = link->now_ns;
}

void link_open(Link *link, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    if (link->state == LINK_NEW && link->options.may_dial && link->dial < 0 && link->redial_ns == UINT64_MAX)
        link_dial(link);
}

void link_set_may_dial(Link *link, bool may_dial, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    link->options.may_dial = may_dial;
    if (!may_dial)
        link->redial_ns = UINT64_MAX;
    else if (link->state == LINK_DOWN)
        link_plan_dial(link);
}

void link_hasten(Link *link, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    if (link->redial_ns != UINT64_MAX && link->up < 0 && link->dial < 0)
        link_dial(link);
}

void link_dialled(Link *link, unsigned number, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    CHECK(link->dial == (int)number && link->up < 0);
    connection_begin(link, number, CONNECTION_HELLO);
    hello_put(link, number, link->connections[number].dialled_ns);
}

// A place for one more connection: that which has waited longest for a HELLO, or to be closed, has to make room.
int link_accepted(Link *link, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    if (link->state == LINK_LOST)
        return -1;
    int place = -1;
    for (int i = 0; i < LINK_CONNECTIONS; i++) {
        const Connection *connection = &link->connections[i];
        if (connection->state == CONNECTION_NONE) {
            place = i;
            break;
        }
        if (i != link->up && i != link->dial && (place < 0 || connection->since_ns < link->connections[place].since_ns))
            place = i;
    }
    connection_close(link, (unsigned)place, "a newer connection needs its place");
    connection_begin(link, (unsigned)place, CONNECTION_HELLO);
    return place;
}

void link_set_silence(Link *link, unsigned number, uint64_t silence_ns)
{
    link->connections[number].silence_ns = silence_ns;
}

// ---- time ----

// When the connection is given up if nothing happens; UINT64_MAX: never.
static uint64_t connection_limit(const Link *link, const Connection *connection)
{
    uint64_t silence = connection->silence_ns != 0 ? connection->silence_ns : 2 * link->options.keepalive_ns;
    switch (connection->state) {
    case CONNECTION_NONE:
        return UINT64_MAX;
    case CONNECTION_DIALLING:
        return connection->since_ns + link->options.handshake_ns;
    case CONNECTION_HELLO:
        return connection->since_ns + (connection->is_dialled ? silence : link->options.handshake_ns);
    case CONNECTION_UP:
        return link_is_broken(LINK_BROKEN_NO_SILENCE) ? UINT64_MAX : connection->heard_ns + silence;
    case CONNECTION_CLOSING:
        return connection->since_ns + link->options.keepalive_ns;
    }
    return UINT64_MAX;
}

// N11 wants an answer that is not older than a keepalive, whatever the traffic; so PING goes as often.
static uint64_t ping_due(const Link *link, const Connection *connection)
{
    if (connection->state != CONNECTION_UP || connection->ping_is_open || connection->wants_ping)
        return UINT64_MAX;
    return connection->ping_ns + link->options.keepalive_ns;
}

void link_tick(Link *link, uint64_t now_ns)
{
    link_set_time(link, now_ns);
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++) {
        Connection *connection = &link->connections[i];
        if (link->now_ns >= ping_due(link, connection)) {
            connection->wants_ping = true;
            // Once in a while memory that only a burst has needed is given back.
            if (link->kept.bytes == 0)
                kept_trim(&link->kept, &link->memory);
        }
        if (link->now_ns >= connection_limit(link, connection))
            connection_close(link, i,
                             connection->state == CONNECTION_CLOSING ? connection->why : "nothing comes from it");
    }
    if (link->ack_ns != 0 && link->now_ns >= link->ack_ns && link->up >= 0) {
        link->wants_ack = true;
        link->ack_ns = 0;
    }
    if (link->is_out_of_memory && link->up >= 0)
        link->is_out_of_memory = false;
    link_tell_room(link);
    if (link->now_ns >= link->redial_ns) {
        link->redial_ns = UINT64_MAX;
        if (link->up < 0 && link->dial < 0)
            link_dial(link);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t link_next_ns(const Link *link)
{
    uint64_t next = link->redial_ns;
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++) {
        next = earlier(next, connection_limit(link, &link->connections[i]));
        next = earlier(next, ping_due(link, &link->connections[i]));
    }
    if (link->ack_ns != 0 && link->up >= 0)
        next = earlier(next, link->ack_ns);
    // Memory can't tell when there is some again.
    if (link->is_out_of_memory || (link->is_short && link->is_short_of_memory && link->state != LINK_LOST))
        next = earlier(next, link->now_ns + link->options.retry_ns);
    return next;
}
