// stream.c: streams over NATS, on the side of the client's thread.

#define _GNU_SOURCE

#include "net/nats/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// A stream that the node has closed gets so much time to send what was written before; and so many messages in one turn.
enum { LINGER_MS = 5000, MESSAGES_AT_ONCE = 16 };

// ---- a stream's life ----

NatsStream *nats_stream_new(NatsClient *client, const char *name)
{
    NatsStream *stream = calloc(1, sizeof *stream);
    int ends[2];
    if (stream == NULL)
        return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        free(stream);
        return NULL;
    }
    atomic_init(&stream->references, 2);
    atomic_init(&stream->reason, 0);
    snprintf(stream->name, sizeof stream->name, "%s", name);
    stream->client = client;
    stream->node_end = ends[0];
    stream->end = ends[1];
    nats_random(&stream->number, sizeof stream->number);
    nats_subject_of_stream(client->id, stream->number, stream->own);
    return stream;
}

void nats_stream_release(NatsStream *stream)
{
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) == 1)
        free(stream);
}

static NatsStream **chain_of(NatsClient *client, uint64_t number)
{
    return &client->chains[number % NATS_CHAINS];
}

static NatsStream *find(NatsClient *client, uint64_t number)
{
    NatsStream *stream = *chain_of(client, number);
    while (stream != NULL && stream->number != number)
        stream = stream->next;
    return stream;
}

static void add(NatsClient *client, NatsStream *stream)
{
    NatsStream **chain = chain_of(client, stream->number);
    stream->next = *chain;
    *chain = stream;
}

static void watch(NatsStream *stream, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = stream};
    if (stream->is_watched && stream->events == events)
        return;
    // It fails only without memory: nothing would ever be heard of the stream again.
    if (epoll_ctl(stream->client->waiter, stream->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, stream->end, &event) != 0)
        nats_stream_break(stream, NATS_BECAUSE_NO_MEMORY);
    else
        stream->is_watched = true;
    stream->events = events;
}

static void unwatch(NatsStream *stream)
{
    if (stream->is_watched)
        epoll_ctl(stream->client->waiter, EPOLL_CTL_DEL, stream->end, NULL);
    stream->is_watched = false;
}

static void set_limit(NatsStream *stream, uint64_t give_up_ns)
{
    stream->client->limited += (give_up_ns != 0) - (unsigned)(stream->give_up_ns != 0);
    stream->give_up_ns = give_up_ns;
}

// The thread is done with it. What the node has not read yet it can still read.
static void leave(NatsStream *stream, NatsReason reason)
{
    NatsClient *client = stream->client;
    char ignored[4096];
    if (stream->state == NATS_STREAM_GONE)
        return;
    for (NatsStream **at = chain_of(client, stream->number); *at != NULL; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    }
    stream->state = NATS_STREAM_GONE;
    set_limit(stream, 0);
    unwatch(stream);
    atomic_store_explicit(&stream->reason, (int)reason, memory_order_release);
    // A socket that is closed with something unread in it is an error for the other one, which might be read before the rest.
    while (recv(stream->end, ignored, sizeof ignored, MSG_DONTWAIT) > 0)
        ;
    close(stream->end);
    nats_flow_fini(&stream->flow);
    // An event of this stream may still be among those that were waited for.
    stream->next = client->gone;
    client->gone = stream;
}

void nats_stream_break(NatsStream *stream, NatsReason reason)
{
    leave(stream, reason);
}

// ---- messages to others ----

static bool say(NatsClient *client, const char *subject, const char *reply, const NatsMessage *message)
{
    uint8_t bytes[NATS_HEAD_MAX];
    return client->is_up &&
           nats_server_publish(client->server, subject, reply, bytes, nats_message_encode(message, bytes));
}

static void say_reset(NatsClient *client, const char *subject, NatsReason reason)
{
    say(client, subject, NULL, &(NatsMessage){.kind = NATS_RESET, .reason = reason});
}

static void break_and_tell(NatsStream *stream, NatsReason reason)
{
    if (stream->peer[0] != '\0')
        say_reset(stream->client, stream->peer, reason < NATS_BECAUSE_REASONS ? reason : NATS_BECAUSE_LOST);
    leave(stream, reason);
}

// ---- from the node to the other end ----

// One message of what the node has written. False: there is nothing more for now.
static bool send_some(NatsStream *stream)
{
    uint8_t bytes[NATS_DATA_HEAD + NATS_DATA_MAX];
    NatsClient *client = stream->client;
    size_t room = nats_flow_room(&stream->flow), most = nats_server_message_max(client->server);
    if (room == 0)
        return false;
    if (most <= NATS_DATA_HEAD) {
        nats_stream_break(stream, NATS_BECAUSE_SERVER);
        return false;
    }
    room = room < most - NATS_DATA_HEAD ? room : most - NATS_DATA_HEAD;
    ssize_t count = recv(stream->end, bytes + NATS_DATA_HEAD, room, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return false;
    if (count <= 0) { // The node has closed it, and everything before that is sent.
        NatsMessage fin = nats_flow_fin(&stream->flow);
        say(client, stream->peer, NULL, &fin);
        leave(stream, 0);
        return false;
    }
    NatsMessage data = nats_flow_data(&stream->flow, (size_t)count);
    size_t head = nats_message_encode(&data, bytes);
    if (nats_server_publish(client->server, stream->peer, NULL, bytes, head + (size_t)count))
        return true;
    break_and_tell(stream, NATS_BECAUSE_SERVER);
    return false;
}

// ---- from the other end to the node ----

static void hand_over(NatsStream *stream)
{
    const uint8_t *data;
    NatsMessage credit;
    for (size_t size; (size = nats_flow_kept(&stream->flow, &data)) > 0;) {
        ssize_t count = send(stream->end, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        nats_flow_taken(&stream->flow, count < 0 ? size : (size_t)count); // The node does not read it any more.
    }
    if (nats_flow_credit(&stream->flow, &credit) && !say(stream->client, stream->peer, NULL, &credit))
        nats_stream_break(stream, NATS_BECAUSE_SERVER);
    else if (stream->flow.has_ended && nats_flow_kept(&stream->flow, &data) == 0)
        leave(stream, 0);
}

// ---- both ----

static void update_events(NatsStream *stream)
{
    const uint8_t *data;
    if (stream->state != NATS_STREAM_UP)
        return;
    uint32_t events = nats_flow_room(&stream->flow) > 0 ? EPOLLIN : 0;
    // A socket that the node has closed is always ready: see nats_stream_ready.
    if (stream->give_up_ns == 0 || events != 0)
        watch(stream, events | (nats_flow_kept(&stream->flow, &data) > 0 ? EPOLLOUT : 0));
}

static void move(NatsStream *stream)
{
    if (stream->state == NATS_STREAM_UP)
        hand_over(stream);
    for (int i = 0; i < MESSAGES_AT_ONCE && stream->state == NATS_STREAM_UP && send_some(stream); i++)
        ;
    update_events(stream);
}

void nats_stream_ready(NatsStream *stream, uint32_t events)
{
    if (stream->state == NATS_STREAM_CALLING && (events & (EPOLLHUP | EPOLLERR)) != 0) {
        leave(stream, 0);
        return;
    }
    move(stream);
    if (stream->state != NATS_STREAM_UP || (events & (EPOLLHUP | EPOLLERR)) == 0)
        return;
    // The node has closed it. As long as the other end does not allow more, waiting for this socket would end at once.
    if (nats_flow_room(&stream->flow) == 0)
        unwatch(stream);
    if (stream->give_up_ns == 0)
        set_limit(stream, nats_now_ns() + LINGER_MS * UINT64_C(1000000));
}

// ---- dialling and being dialled ----

void nats_stream_dial(NatsStream *stream)
{
    NatsClient *client = stream->client;
    char subject[NATS_SUBJECT_SIZE];
    bool is_pool;
    const NatsMessage open = {.kind = NATS_OPEN, .version = NATS_VERSION, .window = NATS_WINDOW};
    add(client, stream);
    stream->state = NATS_STREAM_CALLING;
    nats_subject_of_address(stream->name, subject, &is_pool); // The carrier has checked it.
    if (!say(client, subject, stream->own, &open))
        nats_stream_break(stream, NATS_BECAUSE_NO_SERVER);
    else
        watch(stream, 0);
    // The call or the answer may be lost.
    if (stream->state == NATS_STREAM_CALLING)
        set_limit(stream, nats_now_ns() + client->answer_ns);
}

static void take_accept(NatsStream *stream, const NatsMessage *message, const NatsArrival *arrival)
{
    uint64_t number;
    bool has_subject = arrival->reply != NULL && nats_subject_is_stream(arrival->reply, &number);
    if (message->version != NATS_VERSION) {
        nats_stream_break(stream, NATS_BECAUSE_VERSION);
    } else if (!has_subject) {
        break_and_tell(stream, NATS_BECAUSE_INVALID);
    } else if (stream->state != NATS_STREAM_CALLING) {
        // Two listen for the name that was dialled: the first that has answered stays.
        if (strcmp(arrival->reply, stream->peer) != 0)
            say_reset(stream->client, arrival->reply, NATS_BECAUSE_UNKNOWN);
        else
            break_and_tell(stream, NATS_BECAUSE_INVALID);
    } else {
        snprintf(stream->peer, sizeof stream->peer, "%s", arrival->reply);
        nats_flow_init(&stream->flow, message->window);
        stream->state = NATS_STREAM_UP;
        set_limit(stream, 0);
        // The node sees that it is established by a byte that is no part of the stream.
        if (send(stream->end, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
            nats_stream_break(stream, NATS_BECAUSE_NO_MEMORY);
        else
            update_events(stream);
    }
}

// The other end of a stream that is only known by its subject: a part of that is its name.
static void name_caller(const char *subject, char *name, size_t size)
{
    const char *client = strrchr(subject, '.') - NATS_CLIENT_DIGITS;
    snprintf(name, size, "NATS client %.8s", client);
}

void nats_stream_called(NatsClient *client, NatsListener *listener, const NatsArrival *arrival)
{
    NatsMessage message;
    uint64_t ignored;
    const NatsMessage accept = {.kind = NATS_ACCEPT, .version = NATS_VERSION, .window = NATS_WINDOW};
    char name[NATS_ADDRESS_SIZE];
    // Somebody whom one can't answer is not answered.
    if (arrival->reply == NULL || !nats_subject_is_stream(arrival->reply, &ignored) ||
        !nats_message_decode(arrival->data, arrival->size, &message) || message.kind != NATS_OPEN)
        return;
    if (message.version != NATS_VERSION) {
        say_reset(client, arrival->reply, NATS_BECAUSE_VERSION);
        return;
    }
    name_caller(arrival->reply, name, sizeof name);
    NatsStream *stream = nats_listener_has_room(listener) ? nats_stream_new(client, name) : NULL;
    if (stream == NULL) {
        bool is_closed = atomic_load_explicit(&listener->is_closed, memory_order_acquire);
        say_reset(client, arrival->reply, is_closed ? NATS_BECAUSE_UNKNOWN : NATS_BECAUSE_BUSY);
        return;
    }
    add(client, stream);
    stream->state = NATS_STREAM_UP;
    stream->is_established = true;
    snprintf(stream->peer, sizeof stream->peer, "%s", arrival->reply);
    nats_flow_init(&stream->flow, message.window);
    // First the node here, so that it can be accepted as soon as the other side knows it.
    nats_listener_add(listener, stream);
    if (!say(client, stream->peer, stream->own, &accept))
        nats_stream_break(stream, NATS_BECAUSE_SERVER);
    else
        update_events(stream);
}

// ---- what arrives ----

static void take_numbered(NatsStream *stream, const NatsMessage *message)
{
    NatsReason reason = stream->state == NATS_STREAM_UP ? nats_flow_take(&stream->flow, message) : NATS_BECAUSE_INVALID;
    if (reason != 0)
        break_and_tell(stream, reason);
    else
        move(stream);
}

static void take(NatsStream *stream, const NatsMessage *message, const NatsArrival *arrival)
{
    switch (message->kind) {
    case NATS_ACCEPT:
        take_accept(stream, message, arrival);
        break;
    case NATS_RESET:
        nats_stream_break(stream, stream->state == NATS_STREAM_CALLING && message->reason == NATS_BECAUSE_UNKNOWN
                                      ? NATS_BECAUSE_NOBODY
                                      : message->reason);
        break;
    case NATS_OPEN:
        break_and_tell(stream, NATS_BECAUSE_INVALID);
        break;
    default:
        take_numbered(stream, message);
    }
}

void nats_stream_arrival(NatsClient *client, uint64_t number, const NatsArrival *arrival)
{
    NatsStream *stream = find(client, number);
    NatsMessage message;
    uint64_t ignored;
    bool is_good = !arrival->is_nobody && nats_message_decode(arrival->data, arrival->size, &message);
    if (stream == NULL) {
        // A stream that was given up while it was dialled. Whoever has accepted it would wait for its first byte.
        if (is_good && message.kind == NATS_ACCEPT && arrival->reply != NULL &&
            nats_subject_is_stream(arrival->reply, &ignored))
            say_reset(client, arrival->reply, NATS_BECAUSE_UNKNOWN);
    } else if (arrival->is_nobody) {
        nats_stream_break(stream, stream->state == NATS_STREAM_CALLING ? NATS_BECAUSE_NOBODY : NATS_BECAUSE_UNKNOWN);
    } else if (!is_good) {
        break_and_tell(stream, NATS_BECAUSE_INVALID);
    } else {
        take(stream, &message, arrival);
    }
}
