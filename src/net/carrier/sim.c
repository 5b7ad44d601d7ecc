// sim.c: a network of one process.
//
// A stream is one end of a connection. What is on its way to it is a queue of pieces, each with the moment of its arrival; an event for
// the first of them is in the network's heap. Events keep the stream that they are about.

#define _GNU_SOURCE

#include "net/carrier/sim.h"

#include "base/check.h"
#include "net/carrier/carrier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 300, NODE_NAME_SIZE = 80, ROOM_DEFAULT = 64 << 10, MILLION = 1000000 };

typedef struct SimNode SimNode;
typedef struct SimStream SimStream;
typedef struct SimListener SimListener;
typedef struct Piece Piece;

struct Piece {
    Piece *next;
    uint64_t arrives_ns;
    int end; // -1: bytes; 0: the other side has closed; else an error
    size_t size;
    unsigned char bytes[];
};

struct SimStream {
    SimStream *next_of_all, *next_called; // in the network; of those that wait to be accepted
    SimNode *node, *far;                  // its own, and the other end's
    SimStream *other;                     // the other end; NULL: closed, or not connected
    unsigned references;                  // its owner, the other end, events
    bool is_dialled, is_connected, is_closed, is_broken;
    int error; // of a stream that is broken
    char name[NAME_SIZE];
    // What is on its way to it.
    Piece *first, *last;
    uint64_t last_arrival_ns;
    size_t under_way;
    bool is_held; // the direction is blocked: the event is left out
    bool is_dead; // nothing arrives any more, and nobody is told
    // What has arrived.
    unsigned char *arrived;
    size_t arrived_start, arrived_end, arrived_capacity;
    bool has_ended;
    int end;
};

struct SimListener {
    SimNode *node;
    SimListener *next;
    SimStream *first_called;
    char address[NAME_SIZE];
};

struct SimNode {
    chx_net net;
    SimNetwork *network;
    SimNode *next;
    unsigned number;
    char name[NODE_NAME_SIZE];
    void (*ready)(void *context);
    void *context;
    bool is_touched; // `ready` is to be called; it is on the network's list
    SimNode *next_touched;
    bool is_deaf, is_mute; // it is cut off from all others
};

typedef enum { EVENT_CALL, EVENT_ANSWER, EVENT_ARRIVE, EVENT_ROOM, EVENT_BREAK } EventKind;

typedef struct {
    uint64_t when_ns, number;
    EventKind kind;
    SimStream *stream;
} Event;

typedef struct Block Block;
struct Block {
    Block *next;
    const SimNode *from, *to;
};

struct SimNetwork {
    SimOptions options;
    uint64_t random, now_ns, events_made, digest;
    Event *events; // a heap
    size_t event_count, event_capacity;
    SimNode *nodes, *touched;
    unsigned node_count, next_port;
    SimStream *streams;
    SimListener *listeners;
    Block *blocks;
};

// ---- chance and time ----

// SplitMix64.
static uint64_t random_number(SimNetwork *network)
{
    uint64_t z = network->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t random_delay(SimNetwork *network)
{
    const SimOptions *options = &network->options;
    uint64_t span = options->delay_max_ns > options->delay_min_ns ? options->delay_max_ns - options->delay_min_ns : 0;
    return options->delay_min_ns + (span == 0 ? 0 : random_number(network) % (span + 1));
}

static uint64_t now_of(SimNetwork *network)
{
    uint64_t now_ns = network->options.now_ns != NULL ? network->options.now_ns(network->options.context) : 0;
    network->now_ns = now_ns > network->now_ns ? now_ns : network->now_ns;
    return network->now_ns;
}

static void note(SimNetwork *network, uint64_t value)
{
    network->digest = (network->digest ^ value) * UINT64_C(0x100000001B3);
}

static bool is_before(const Event *one, const Event *other)
{
    return one->when_ns != other->when_ns ? one->when_ns < other->when_ns : one->number < other->number;
}

// Simulation has no use for going on without memory.
static void *get_memory(size_t size)
{
    void *memory = calloc(1, size);
    CHECK(memory != NULL);
    return memory;
}

static void schedule(SimStream *stream, EventKind kind, uint64_t when_ns)
{
    SimNetwork *network = stream->node->network;
    if (network->event_count == network->event_capacity) {
        network->event_capacity = network->event_capacity == 0 ? 64 : network->event_capacity * 2;
        network->events = realloc(network->events, network->event_capacity * sizeof *network->events);
        CHECK(network->events != NULL);
    }
    uint64_t grain_ns = network->options.grain_ns;
    if (grain_ns != 0)
        when_ns = (when_ns + grain_ns - 1) / grain_ns * grain_ns;
    stream->references++;
    Event event = {when_ns, network->events_made++, kind, stream};
    size_t at = network->event_count++;
    for (; at > 0 && is_before(&event, &network->events[(at - 1) / 2]); at = (at - 1) / 2)
        network->events[at] = network->events[(at - 1) / 2];
    network->events[at] = event;
}

static Event take_event(SimNetwork *network)
{
    Event first = network->events[0], last = network->events[--network->event_count];
    size_t at = 0;
    for (;;) {
        size_t child = at * 2 + 1;
        if (child >= network->event_count)
            break;
        if (child + 1 < network->event_count && is_before(&network->events[child + 1], &network->events[child]))
            child++;
        if (!is_before(&network->events[child], &last))
            break;
        network->events[at] = network->events[child];
        at = child;
    }
    if (network->event_count > 0)
        network->events[at] = last;
    return first;
}

// ---- streams ----

static void touch(SimNode *node)
{
    if (node->is_touched)
        return;
    node->is_touched = true;
    node->next_touched = node->network->touched;
    node->network->touched = node;
}

static bool is_blocked(const SimNode *from, const SimNode *to)
{
    if (from->is_mute || to->is_deaf)
        return true;
    for (const Block *block = from->network->blocks; block != NULL; block = block->next)
        if (block->from == from && block->to == to)
            return true;
    return false;
}

static SimStream *new_stream(SimNode *node)
{
    SimStream *stream = get_memory(sizeof *stream);
    stream->node = node;
    stream->references = 1;
    stream->next_of_all = node->network->streams;
    node->network->streams = stream;
    return stream;
}

static void drop_pieces(SimStream *stream)
{
    for (Piece *piece = stream->first, *next; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    stream->first = stream->last = NULL;
    stream->under_way = 0;
}

static void release(SimStream *stream)
{
    if (stream == NULL || --stream->references > 0)
        return;
    SimStream **at = &stream->node->network->streams;
    while (*at != stream)
        at = &(*at)->next_of_all;
    *at = stream->next_of_all;
    drop_pieces(stream);
    free(stream->arrived);
    free(stream);
}

// The connection is gone: nobody hears of the other end any more.
static void part(SimStream *stream)
{
    SimStream *other = stream->other;
    if (other == NULL)
        return;
    stream->other = NULL;
    other->other = NULL;
    release(stream);
    release(other);
}

static void break_stream(SimStream *stream, int error)
{
    if (stream->is_closed || stream->is_broken)
        return;
    stream->is_broken = true;
    stream->error = error;
    drop_pieces(stream);
    touch(stream->node);
}

// Puts a piece on its way to a stream.
static void send_piece(SimStream *to, const unsigned char *bytes, size_t size, int end)
{
    SimNetwork *network = to->node->network;
    Piece *piece = get_memory(sizeof *piece + size);
    uint64_t arrives_ns = now_of(network) + random_delay(network);
    *piece = (Piece){
        .arrives_ns = arrives_ns > to->last_arrival_ns ? arrives_ns : to->last_arrival_ns, .end = end, .size = size};
    if (size > 0)
        memcpy(piece->bytes, bytes, size);
    to->last_arrival_ns = piece->arrives_ns;
    to->under_way += size;
    if (to->first == NULL)
        to->first = piece;
    else
        to->last->next = piece;
    to->last = piece;
    if (to->first == piece && !to->is_held)
        schedule(to, EVENT_ARRIVE, piece->arrives_ns);
}

// ---- what happens ----

// It breaks, in one of the ways in which connections do: both ends are told; nobody is told; or one direction is silent.
static void cut(SimStream *stream)
{
    SimNetwork *network = stream->node->network;
    SimStream *other = stream->other;
    uint64_t how = random_number(network) % 3;
    note(network, 1000 + how);
    if (how == 0) {
        schedule(stream, EVENT_BREAK, network->now_ns + random_delay(network));
        if (other != NULL)
            schedule(other, EVENT_BREAK, network->now_ns + random_delay(network));
    }
    stream->is_dead = true;
    if (other != NULL && how < 2)
        other->is_dead = true;
}

static void keep_arrived(SimStream *stream, const Piece *piece)
{
    if (stream->arrived_start > 0) {
        memmove(stream->arrived, stream->arrived + stream->arrived_start, stream->arrived_end - stream->arrived_start);
        stream->arrived_end -= stream->arrived_start;
        stream->arrived_start = 0;
    }
    if (stream->arrived_end + piece->size > stream->arrived_capacity) {
        stream->arrived_capacity = (stream->arrived_end + piece->size) * 2;
        stream->arrived = realloc(stream->arrived, stream->arrived_capacity);
        CHECK(stream->arrived != NULL);
    }
    if (piece->size > 0)
        memcpy(stream->arrived + stream->arrived_end, piece->bytes, piece->size);
    stream->arrived_end += piece->size;
}

static void arrive(SimStream *stream)
{
    SimNetwork *network = stream->node->network;
    Piece *piece = stream->first;
    if (piece == NULL || stream->is_dead || stream->is_closed || stream->is_broken)
        return;
    if (stream->far != NULL && is_blocked(stream->far, stream->node)) {
        stream->is_held = true;
        return;
    }
    if (network->options.cuts_per_million > 0 && random_number(network) % MILLION < network->options.cuts_per_million) {
        cut(stream);
        return;
    }
    stream->first = piece->next;
    if (piece->end >= 0) {
        stream->has_ended = true;
        stream->end = piece->end;
    } else {
        keep_arrived(stream, piece);
        stream->under_way -= piece->size;
    }
    note(network, piece->size);
    free(piece);
    if (stream->first == NULL)
        stream->last = NULL;
    else
        schedule(stream, EVENT_ARRIVE, stream->first->arrives_ns);
    touch(stream->node);
}

static void connect_to(SimStream *stream, SimListener *listener)
{
    SimNetwork *network = stream->node->network;
    SimStream *called = new_stream(listener->node);
    called->is_connected = true;
    called->far = stream->node;
    stream->far = listener->node;
    called->other = stream;
    stream->other = called;
    called->references++;
    stream->references++;
    snprintf(called->name, sizeof called->name, "node %u", stream->node->number);
    SimStream **at = &listener->first_called;
    while (*at != NULL)
        at = &(*at)->next_called;
    *at = called;
    touch(listener->node);
    // Nothing of the other side arrives before the answer.
    stream->last_arrival_ns = network->now_ns + random_delay(network);
    schedule(stream, EVENT_ANSWER, stream->last_arrival_ns);
}

static void call(SimStream *stream)
{
    SimNetwork *network = stream->node->network;
    SimListener *listener = network->listeners;
    if (stream->is_closed)
        return;
    while (listener != NULL && strcmp(listener->address, stream->name) != 0)
        listener = listener->next;
    if (listener == NULL) {
        stream->error = ECONNREFUSED;
        schedule(stream, EVENT_ANSWER, network->now_ns + random_delay(network));
    } else if (is_blocked(stream->node, listener->node)) {
        stream->far = listener->node;
        stream->is_held = true;
    } else {
        connect_to(stream, listener);
    }
}

static void answer(SimStream *stream)
{
    if (stream->is_closed)
        return;
    if (stream->far != NULL && is_blocked(stream->far, stream->node)) {
        stream->is_held = true;
        return;
    }
    if (stream->error != 0)
        stream->is_broken = true;
    else
        stream->is_connected = true;
    touch(stream->node);
}

static void happen(SimNetwork *network, const Event *event)
{
    SimStream *stream = event->stream;
    note(network, event->when_ns);
    note(network, (uint64_t)event->kind << 32 | stream->node->number);
    switch (event->kind) {
    case EVENT_CALL:
        call(stream);
        break;
    case EVENT_ANSWER:
        answer(stream);
        break;
    case EVENT_ARRIVE:
        arrive(stream);
        break;
    case EVENT_ROOM:
        touch(stream->node);
        break;
    case EVENT_BREAK:
        break_stream(stream, ECONNRESET);
        break;
    }
    release(stream);
}

uint64_t sim_network_next_ns(const SimNetwork *network)
{
    return network->event_count == 0 ? UINT64_MAX : network->events[0].when_ns;
}

static void call_ready(SimNetwork *network)
{
    for (SimNode *node; (node = network->touched) != NULL;) {
        network->touched = node->next_touched;
        node->is_touched = false;
        if (node->ready != NULL)
            node->ready(node->context);
    }
}

void sim_network_run(SimNetwork *network, uint64_t now_ns)
{
    while (network->event_count > 0 && network->events[0].when_ns <= now_ns) {
        Event event = take_event(network);
        network->now_ns = event.when_ns > network->now_ns ? event.when_ns : network->now_ns;
        happen(network, &event);
        call_ready(network);
    }
    network->now_ns = now_ns > network->now_ns ? now_ns : network->now_ns;
}

void sim_network_set_cuts(SimNetwork *network, uint32_t cuts_per_million)
{
    network->options.cuts_per_million = cuts_per_million;
}

uint64_t sim_network_digest(const SimNetwork *network)
{
    return network->digest;
}

// ---- networks and nodes ----

SimNetwork *sim_network_new(const SimOptions *options)
{
    SimNetwork *network = calloc(1, sizeof *network);
    if (network == NULL)
        return NULL;
    network->options = *options;
    network->random = options->seed;
    network->next_port = 1;
    if (network->options.room == 0)
        network->options.room = ROOM_DEFAULT;
    return network;
}

void sim_network_free(SimNetwork *network)
{
    if (network == NULL)
        return;
    while (network->event_count > 0) {
        Event event = take_event(network);
        release(event.stream);
    }
    for (SimNode *node = network->nodes, *next; node != NULL; node = next) {
        next = node->next;
        free(node);
    }
    for (Block *block = network->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(network->events);
    free(network);
}

chx_net *sim_network_node(SimNetwork *network, void (*ready)(void *context), void *context)
{
    SimNode *node = calloc(1, sizeof *node), **at = &network->nodes;
    if (node == NULL)
        return NULL;
    node->net.sim = node;
    node->network = network;
    node->number = network->node_count++;
    node->ready = ready;
    node->context = context;
    // In the order in which they were made.
    while (*at != NULL)
        at = &(*at)->next;
    *at = node;
    return &node->net;
}

static void resume(SimStream *stream)
{
    uint64_t now_ns = now_of(stream->node->network);
    stream->is_held = false;
    if (stream->is_dialled && !stream->is_connected)
        schedule(stream, stream->other == NULL ? EVENT_CALL : EVENT_ANSWER,
                 now_ns + random_delay(stream->node->network));
    else if (stream->first != NULL)
        schedule(stream, EVENT_ARRIVE, stream->first->arrives_ns > now_ns ? stream->first->arrives_ns : now_ns);
}

void sim_network_block(SimNetwork *network, const chx_net *from, const chx_net *to, bool is_blocked_now)
{
    Block **at = &network->blocks;
    while (*at != NULL && ((*at)->from != from->sim || (*at)->to != to->sim))
        at = &(*at)->next;
    if (is_blocked_now && *at == NULL) {
        *at = get_memory(sizeof **at);
        **at = (Block){.from = from->sim, .to = to->sim};
    } else if (!is_blocked_now && *at != NULL) {
        Block *gone = *at;
        *at = gone->next;
        free(gone);
        for (SimStream *stream = network->streams; stream != NULL; stream = stream->next_of_all)
            if (stream->is_held && !stream->is_closed)
                resume(stream);
    }
}

void sim_network_name(chx_net *net, const char *name)
{
    snprintf(net->sim->name, sizeof net->sim->name, "%s", name);
}

const char *sim_stream_far(const void *context)
{
    const SimStream *stream = context;
    return stream->far != NULL ? stream->far->name : "";
}

void sim_network_cut_off(chx_net *net, bool is_deaf, bool is_mute)
{
    net->sim->is_deaf = is_deaf;
    net->sim->is_mute = is_mute;
    for (SimStream *stream = net->sim->network->streams; stream != NULL; stream = stream->next_of_all)
        if (stream->is_held && !stream->is_closed)
            resume(stream);
}

void sim_network_lose(chx_net *net, bool tells)
{
    SimNetwork *network = net->sim->network;
    net->sim->is_deaf = net->sim->is_mute = true;
    for (SimStream *stream = network->streams; stream != NULL; stream = stream->next_of_all) {
        if (stream->node != net->sim && stream->far != net->sim)
            continue;
        stream->is_dead = true;
        if (tells && stream->far == net->sim && !stream->is_closed)
            schedule(stream, EVENT_BREAK, now_of(network) + random_delay(network));
    }
}

// ---- the carrier ----

static int sim_listen(chx_net *net, const char *address, void **made)
{
    SimNetwork *network = net->sim->network;
    SimListener *listener = get_memory(sizeof *listener);
    size_t length = strlen(address);
    listener->node = net->sim;
    // "shop:0": the network chooses.
    if (length > 2 && strcmp(address + length - 2, ":0") == 0)
        snprintf(listener->address, NAME_SIZE, "%.*s%u", (int)(length - 1), address, 50000 + network->next_port++);
    else
        snprintf(listener->address, NAME_SIZE, "%s", address);
    for (const SimListener *other = network->listeners; other != NULL; other = other->next) {
        if (strcmp(other->address, listener->address) == 0) {
            free(listener);
            return -EADDRINUSE;
        }
    }
    listener->next = network->listeners;
    network->listeners = listener;
    *made = listener;
    return 0;
}

static int sim_accept(void *context, void **stream)
{
    SimListener *listener = context;
    SimStream *called = listener->first_called;
    if (called == NULL)
        return -EAGAIN;
    listener->first_called = called->next_called;
    called->next_called = NULL;
    *stream = called;
    return 0;
}

static int sim_dial(chx_net *net, const char *address, void **dialled)
{
    SimStream *stream = new_stream(net->sim);
    stream->is_dialled = true;
    snprintf(stream->name, sizeof stream->name, "%s", address);
    schedule(stream, EVENT_CALL, now_of(net->sim->network) + random_delay(net->sim->network));
    *dialled = stream;
    return 0;
}

static int sim_establish(void *context)
{
    const SimStream *stream = context;
    return stream->is_broken ? -stream->error : stream->is_connected ? 0 : -EAGAIN;
}

static ssize_t sim_read(void *context, void *data, size_t size)
{
    SimStream *stream = context;
    size_t count = stream->arrived_end - stream->arrived_start;
    if (count == 0)
        return stream->is_broken ? -stream->error : stream->has_ended ? -stream->end : -EAGAIN;
    count = count < size ? count : size;
    memcpy(data, stream->arrived + stream->arrived_start, count);
    stream->arrived_start += count;
    // The other side may write again, as soon as it hears of it.
    if (stream->other != NULL && !stream->is_dead)
        schedule(stream->other, EVENT_ROOM, now_of(stream->node->network) + random_delay(stream->node->network));
    return (ssize_t)count;
}

// How many bytes may be written to the other end.
static size_t room_of(const SimStream *stream)
{
    const SimStream *other = stream->other;
    size_t used = other->under_way + (other->arrived_end - other->arrived_start),
           room = stream->node->network->options.room;
    return used < room ? room - used : 0;
}

static ssize_t sim_write(void *context, const struct iovec *parts, int count)
{
    SimStream *stream = context;
    SimNetwork *network = stream->node->network;
    size_t written = 0;
    if (stream->is_broken)
        return -stream->error;
    if (stream->has_ended && stream->other == NULL)
        return -EPIPE;
    for (int i = 0; i < count; i++) {
        const unsigned char *bytes = parts[i].iov_base;
        size_t left = parts[i].iov_len;
        while (left > 0 && stream->other != NULL) {
            size_t room = room_of(stream), size = left < room ? left : room;
            if (size == 0)
                return written > 0 ? (ssize_t)written : -EAGAIN;
            if (network->options.piece_max > 0) {
                size_t piece = random_number(network) % network->options.piece_max + 1;
                size = size < piece ? size : piece;
            }
            send_piece(stream->other, bytes, size, -1);
            bytes += size;
            left -= size;
            written += size;
        }
        written += left; // Nobody is there, which is not known yet.
    }
    return (ssize_t)written;
}

static int sim_descriptor(void *context)
{
    (void)context;
    return -1;
}

static void sim_peer(void *context, char *text, size_t size)
{
    const SimStream *stream = context;
    snprintf(text, size, "%s", stream->name);
}

static void sim_explain(void *context, int error, char *text, size_t size)
{
    const SimStream *stream = context;
    error = error < 0 ? -error : error;
    if (error == ECONNREFUSED)
        snprintf(text, size, "nobody listens at '%s'", stream->name);
    else if (error == ETIMEDOUT)
        snprintf(text, size, "'%s' does not answer", stream->name);
    else
        snprintf(text, size, "the connection with '%s' is broken: %s", stream->name, strerror(error));
}

static void sim_close(void *context)
{
    SimStream *stream = context;
    if (stream == NULL)
        return;
    // As with TCP: what was not read is not lost silently.
    bool is_unread = stream->arrived_start < stream->arrived_end || stream->first != NULL;
    stream->is_closed = true;
    if (stream->other != NULL && !stream->other->is_dead)
        send_piece(stream->other, NULL, 0, is_unread ? ECONNRESET : 0);
    part(stream);
    release(stream);
}

static int sim_listener_descriptor(void *context)
{
    (void)context;
    return -1;
}

static int sim_listener_address(void *context, char *text, size_t size)
{
    const SimListener *listener = context;
    snprintf(text, size, "%s", listener->address);
    return 0;
}

static void sim_close_listener(void *context)
{
    SimListener *listener = context;
    void *stream;
    if (listener == NULL)
        return;
    while (sim_accept(listener, &stream) == 0)
        sim_close(stream);
    SimListener **at = &listener->node->network->listeners;
    while (*at != listener)
        at = &(*at)->next;
    *at = listener->next;
    free(listener);
}

const chx_carrier_ops sim_carrier = {
    .scheme = "sim",
    .listen = sim_listen,
    .accept = sim_accept,
    .dial = sim_dial,
    .establish = sim_establish,
    .read = sim_read,
    .write = sim_write,
    .descriptor = sim_descriptor,
    .peer = sim_peer,
    .explain = sim_explain,
    .close = sim_close,
    .listener_descriptor = sim_listener_descriptor,
    .listener_address = sim_listener_address,
    .close_listener = sim_close_listener,
};
