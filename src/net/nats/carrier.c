// carrier.c: the carrier "nats", on the node's side. An address is the name of a node, or pool/NAME.
//
// A peer that vanishes without a word is not noticed here, nor by NATS: the link above sends a sign of life in both directions, and
// gives a stream up on which none comes.

#define _GNU_SOURCE

#include "net/carrier/carrier.h"
#include "net/nats/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PARTS_MAX = 64 };

// ---- dialling ----

static int nats_dial(chx_net *net, const char *address, void **stream)
{
    char subject[NATS_SUBJECT_SIZE];
    bool is_pool;
    NatsClient *client = net->nats;
    if (client == NULL || !nats_subject_of_address(address, subject, &is_pool))
        return -EINVAL;
    NatsStream *made = nats_stream_new(client, address);
    if (made == NULL)
        return errno == EMFILE || errno == ENFILE ? -errno : -ENOMEM;
    pthread_mutex_lock(&client->lock);
    NatsStream **last = &client->to_dial; // In their order: those that are there already will be gone in a moment.
    while (*last != NULL)
        last = &(*last)->next_called;
    *last = made;
    pthread_mutex_unlock(&client->lock);
    nats_server_wake(client->server);
    *stream = made;
    return 0;
}

// What a stream that the thread has left tells the node.
static int error_of(const NatsStream *stream)
{
    switch (atomic_load_explicit(&stream->reason, memory_order_acquire)) {
    case 0:
        return 0;
    case NATS_BECAUSE_NOBODY:
    case NATS_BECAUSE_BUSY:
        return -ECONNREFUSED;
    case NATS_BECAUSE_SILENCE:
        return -ETIMEDOUT;
    case NATS_BECAUSE_NO_SERVER:
        return -ENETUNREACH;
    case NATS_BECAUSE_VERSION:
        return -EPROTONOSUPPORT;
    case NATS_BECAUSE_INVALID:
        return -EPROTO;
    case NATS_BECAUSE_NO_MEMORY:
        return -ENOMEM;
    default:
        return -ECONNRESET;
    }
}

static int nats_establish(void *context)
{
    NatsStream *stream = context;
    char byte;
    if (stream->is_established)
        return 0;
    ssize_t count;
    do
        count = recv(stream->node_end, &byte, 1, 0);
    while (count < 0 && errno == EINTR);
    stream->is_established = count == 1;
    if (count == 1)
        return 0;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return -EAGAIN;
    int error = error_of(stream);
    return error != 0 ? error : -ECONNRESET;
}

// ---- reading and writing ----

static ssize_t nats_read(void *context, void *data, size_t size)
{
    const NatsStream *stream = context;
    ssize_t count;
    do
        count = recv(stream->node_end, data, size, 0);
    while (count < 0 && errno == EINTR);
    if (count > 0)
        return count;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return -EAGAIN;
    return error_of(stream);
}

static ssize_t nats_write(void *context, const struct iovec *parts, int part_count)
{
    const NatsStream *stream = context;
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)part_count};
    ssize_t count;
    if (part_count > PARTS_MAX)
        message.msg_iovlen = PARTS_MAX;
    do
        count = sendmsg(stream->node_end, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    if (count >= 0)
        return count;
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return -EAGAIN;
    int error = error_of(stream);
    return error != 0 ? error : -EPIPE;
}

static int nats_descriptor(void *context)
{
    return ((const NatsStream *)context)->node_end;
}

static void nats_close(void *context)
{
    NatsStream *stream = context;
    if (stream == NULL)
        return;
    close(stream->node_end);
    nats_stream_release(stream);
}

// ---- words ----

static void nats_peer(void *context, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const NatsStream *)context)->name);
}

static const char *what_happened(int reason)
{
    switch (reason) {
    case NATS_BECAUSE_LOST:
        return "a message was lost on the way";
    case NATS_BECAUSE_INVALID:
        return "a message was not what it should have been";
    case NATS_BECAUSE_UNKNOWN:
        return "the other side has ended it";
    case NATS_BECAUSE_SERVER:
        return "the connection with the NATS server was lost";
    case NATS_BECAUSE_NO_MEMORY:
        return strerror(ENOMEM);
    default:
        return NULL;
    }
}

static void nats_explain(void *context, int error, char *text, size_t size)
{
    const NatsStream *stream = context;
    int reason = atomic_load_explicit(&stream->reason, memory_order_acquire);
    const char *happened = what_happened(reason), *name = stream->name;
    error = error < 0 ? -error : error;
    if (error == ETIMEDOUT) {
        snprintf(text, size, "'%s' does not answer", name);
    } else if (reason == NATS_BECAUSE_NOBODY) {
        snprintf(text, size, "nobody listens at '%s' on the NATS server", name);
    } else if (reason == NATS_BECAUSE_BUSY) {
        snprintf(text, size, "'%s' has too many connections that it has not taken yet", name);
    } else if (reason == NATS_BECAUSE_VERSION) {
        snprintf(text, size, "'%s' speaks another version of the protocol over NATS", name);
    } else if (reason == NATS_BECAUSE_NO_SERVER) {
        char why[NATS_WHY_SIZE];
        nats_server_why(stream->client->server, why, sizeof why);
        snprintf(text, size, "there is no connection with the NATS server %s%s%s", stream->client->url,
                 why[0] != '\0' ? ": " : "", why);
    } else {
        snprintf(text, size, "the connection with '%s' is broken: %s", name,
                 happened != NULL ? happened : strerror(error));
    }
}

// ---- listening ----

static NatsListener *new_listener(NatsClient *client, const char *address)
{
    NatsListener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return NULL;
    listener->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (listener->descriptor < 0) {
        free(listener);
        return NULL;
    }
    atomic_init(&listener->references, 2);
    atomic_init(&listener->is_closed, false);
    listener->client = client;
    snprintf(listener->address, sizeof listener->address, "%s", address);
    nats_subject_of_address(address, listener->subject, &listener->is_pool);
    return listener;
}

// That another node listens for the same name is not seen: both are called then, and the first to answer is talked to.
static int nats_listen(chx_net *net, const char *address, void **listener)
{
    char subject[NATS_SUBJECT_SIZE];
    bool is_pool, is_taken = false;
    NatsClient *client = net->nats;
    if (client == NULL || !nats_subject_of_address(address, subject, &is_pool))
        return -EINVAL;
    NatsListener *made = new_listener(client, address);
    if (made == NULL)
        return -ENOMEM;
    pthread_mutex_lock(&client->lock);
    for (const NatsListener *other = client->listeners; other != NULL; other = other->next)
        is_taken |= !other->is_closed && strcmp(other->subject, subject) == 0;
    if (!is_taken) {
        made->next = client->listeners;
        client->listeners = made;
    }
    pthread_mutex_unlock(&client->lock);
    if (is_taken) {
        close(made->descriptor);
        free(made);
        return -EADDRINUSE;
    }
    nats_server_wake(client->server);
    *listener = made;
    return 0;
}

static int nats_accept(void *context, void **stream)
{
    NatsListener *listener = context;
    uint64_t times;
    pthread_mutex_lock(&listener->client->lock);
    NatsStream *called = listener->first;
    if (called != NULL) {
        listener->first = called->next_called;
        listener->count--;
    }
    if (listener->first == NULL) {
        ssize_t ignored = read(listener->descriptor, &times, sizeof times);
        (void)ignored;
    }
    pthread_mutex_unlock(&listener->client->lock);
    if (called == NULL)
        return -EAGAIN;
    *stream = called;
    return 0;
}

static int nats_listener_descriptor(void *context)
{
    return ((const NatsListener *)context)->descriptor;
}

static int nats_listener_address(void *context, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const NatsListener *)context)->address);
    return 0;
}

static void nats_close_listener(void *context)
{
    NatsListener *listener = context;
    void *called;
    if (listener == NULL)
        return;
    NatsClient *client = listener->client;
    pthread_mutex_lock(&client->lock); // Nothing is added to it any more: nats_listener_add.
    atomic_store_explicit(&listener->is_closed, true, memory_order_release);
    pthread_mutex_unlock(&client->lock);
    while (nats_accept(listener, &called) == 0)
        nats_close(called);
    nats_server_wake(client->server);
    nats_listener_release(listener);
}

static const chx_carrier_ops nats_carrier = {
    .scheme = "nats",
    .listen = nats_listen,
    .accept = nats_accept,
    .dial = nats_dial,
    .establish = nats_establish,
    .read = nats_read,
    .write = nats_write,
    .descriptor = nats_descriptor,
    .peer = nats_peer,
    .explain = nats_explain,
    .close = nats_close,
    .listener_descriptor = nats_listener_descriptor,
    .listener_address = nats_listener_address,
    .close_listener = nats_close_listener,
};

// ---- the library ----

static int nats_open(chx_net *net, const Config *config)
{
    NatsServerOptions options = {.url = config->carrier,
                                 .name = config->name,
                                 .ca = config->carrier_ca,
                                 .cert = config->carrier_cert,
                                 .key = config->carrier_key,
                                 .credentials = config->carrier_credentials,
                                 .user = config->carrier_user,
                                 .password = config->carrier_password,
                                 .ping_ms = config->limits.keepalive_ms};
    net->nats = nats_client_new(&options);
    return net->nats != NULL ? 0 : -ENOMEM;
}

static void nats_shut(chx_net *net)
{
    nats_client_free(net->nats);
    net->nats = NULL;
}

// Its name begins like those of the public interface, because that is what stays visible in the library.
const CarrierLibrary chx_carrier_nats = {.ops = &nats_carrier, .open = nats_open, .close = nats_shut};
