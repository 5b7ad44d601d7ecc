// client.c: the thread that looks after a node's streams over NATS.

#define _GNU_SOURCE

#include "net/nats/client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 64, RECONNECT_MS = 500, FAREWELL_MS = 1000, TICK_MS = 100 };

static const uint64_t ms = 1000000;

uint64_t nats_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// Up to 256 bytes come at once, and always, as soon as the system has been running for a moment.
void nats_random(void *bytes, size_t size)
{
    while (getrandom(bytes, size, 0) != (ssize_t)size)
        ;
}

// ---- listeners ----

void nats_listener_release(NatsListener *listener)
{
    if (atomic_fetch_sub_explicit(&listener->references, 1, memory_order_acq_rel) > 1)
        return;
    close(listener->descriptor);
    free(listener);
}

bool nats_listener_has_room(NatsListener *listener)
{
    pthread_mutex_lock(&listener->client->lock);
    bool has_room = !listener->is_closed && listener->count < NATS_BACKLOG;
    pthread_mutex_unlock(&listener->client->lock);
    return has_room;
}

void nats_listener_add(NatsListener *listener, NatsStream *stream)
{
    uint64_t one = 1;
    pthread_mutex_lock(&listener->client->lock);
    bool is_wanted = !listener->is_closed;
    if (is_wanted) {
        *(listener->first == NULL ? &listener->first : &listener->last->next_called) = stream;
        listener->last = stream;
        listener->count++;
        ssize_t ignored = write(listener->descriptor, &one, sizeof one);
        (void)ignored;
    }
    pthread_mutex_unlock(&listener->client->lock);
    if (is_wanted)
        return;
    close(stream->node_end);
    nats_stream_release(stream);
}

// Only the thread takes listeners out of the list, so it may go through it without the lock. The lock is never held while
// something is said to the server, which may take a while.
static NatsListener *first_listener(NatsClient *client)
{
    pthread_mutex_lock(&client->lock);
    NatsListener *first = client->listeners;
    pthread_mutex_unlock(&client->lock);
    return first;
}

static void forget_listener(NatsClient *client, NatsListener *listener)
{
    pthread_mutex_lock(&client->lock);
    NatsListener **at = &client->listeners;
    while (*at != listener)
        at = &(*at)->next;
    *at = listener->next;
    pthread_mutex_unlock(&client->lock);
    nats_server_unsubscribe(listener->subscription);
    nats_listener_release(listener);
}

// Subscribes for listeners that are new, and forgets those that the node has closed.
static void look_after_listeners(NatsClient *client)
{
    for (NatsListener *listener = first_listener(client), *next; listener != NULL; listener = next) {
        next = listener->next;
        if (atomic_load_explicit(&listener->is_closed, memory_order_acquire))
            forget_listener(client, listener);
    }
    for (NatsListener *listener = first_listener(client); listener != NULL; listener = listener->next)
        if (listener->subscription == NULL)
            listener->subscription =
                nats_server_subscribe(client->server, listener->subject, listener->is_pool ? "chorex" : NULL);
}

static NatsListener *listener_of(NatsClient *client, const char *subject)
{
    NatsListener *listener = first_listener(client);
    while (listener != NULL && strcmp(listener->subject, subject) != 0)
        listener = listener->next;
    return listener;
}

// ---- the connection with the server ----

static void break_all(NatsClient *client)
{
    for (size_t i = 0; i < NATS_CHAINS; i++)
        while (client->chains[i] != NULL)
            nats_stream_break(client->chains[i], NATS_BECAUSE_SERVER);
}

static void drop_subscriptions(NatsClient *client)
{
    nats_server_unsubscribe(client->inbox);
    client->inbox = NULL;
    for (NatsListener *listener = first_listener(client); listener != NULL; listener = listener->next) {
        nats_server_unsubscribe(listener->subscription);
        listener->subscription = NULL;
    }
}

static void connect_server(NatsClient *client)
{
    char subject[NATS_SUBJECT_SIZE];
    drop_subscriptions(client);
    bool is_made = nats_server_connect(client->server);
    client->reconnect_ns = is_made ? 0 : nats_now_ns() + RECONNECT_MS * ms;
    if (!is_made)
        return;
    nats_subject_of_streams(client->id, subject);
    client->inbox = nats_server_subscribe(client->server, subject, NULL);
}

static void take_settled(NatsClient *client)
{
    pthread_mutex_lock(&client->lock);
    client->settle_done = (unsigned)client->settle_number;
    pthread_cond_broadcast(&client->settled);
    pthread_mutex_unlock(&client->lock);
}

static void take_arrivals(NatsClient *client, NatsArrival *first)
{
    for (const NatsArrival *arrival = first; arrival != NULL; arrival = arrival->next) {
        uint64_t number;
        NatsListener *listener = NULL;
        if (!nats_subject_is_own(arrival->subject, client->id, &number))
            listener = listener_of(client, arrival->subject);
        else if (client->is_settling && number == client->settle_number)
            take_settled(client);
        else
            nats_stream_arrival(client, number, arrival);
        if (listener != NULL && !arrival->is_nobody)
            nats_stream_called(client, listener, arrival);
    }
    nats_arrivals_free(first);
}

static void take_news(NatsClient *client)
{
    NatsNews news;
    nats_server_news(client->server, &news);
    client->is_up = news.is_up;
    // What arrives now may be what came before the loss: it must not get to a stream. Numbers would tell, too, but later.
    if (news.has_lost)
        break_all(client);
    if (news.is_closed)
        client->reconnect_ns = nats_now_ns() + RECONNECT_MS * ms;
    take_arrivals(client, news.first);
}

// ---- the node's wishes ----

static void dial_all(NatsClient *client)
{
    pthread_mutex_lock(&client->lock);
    NatsStream *stream = client->to_dial;
    client->to_dial = NULL;
    pthread_mutex_unlock(&client->lock);
    while (stream != NULL) {
        NatsStream *next = stream->next_called;
        nats_stream_dial(stream);
        stream = next;
    }
}

// A message to itself: a server takes what comes from one client in order, so when it comes back all subscriptions are known.
static void settle(NatsClient *client)
{
    char subject[NATS_SUBJECT_SIZE];
    pthread_mutex_lock(&client->lock);
    client->settle_number = client->settle_asked;
    client->is_settling = client->settle_asked != client->settle_done;
    pthread_mutex_unlock(&client->lock);
    if (!client->is_settling)
        return;
    nats_subject_of_stream(client->id, client->settle_number, subject);
    nats_server_publish(client->server, subject, NULL, (const uint8_t *)"", 1);
}

bool nats_client_settle(NatsClient *client, unsigned timeout_ms)
{
    struct timespec until;
    int error = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_ms / 1000;
    pthread_mutex_lock(&client->lock);
    unsigned asked = ++client->settle_asked;
    nats_server_wake(client->server);
    while (error == 0 && (int)(client->settle_done - asked) < 0)
        error = pthread_cond_timedwait(&client->settled, &client->lock, &until);
    pthread_mutex_unlock(&client->lock);
    return error == 0;
}

// ---- the thread ----

static void give_up_late(NatsClient *client)
{
    uint64_t now_ns = nats_now_ns();
    for (size_t i = 0; i < NATS_CHAINS && client->limited > 0; i++) {
        for (NatsStream *stream = client->chains[i], *next; stream != NULL; stream = next) {
            next = stream->next;
            if (stream->give_up_ns != 0 && now_ns >= stream->give_up_ns)
                nats_stream_break(stream,
                                  stream->state == NATS_STREAM_CALLING ? NATS_BECAUSE_SILENCE : NATS_BECAUSE_LOST);
        }
    }
}

static void free_gone(NatsClient *client)
{
    while (client->gone != NULL) {
        NatsStream *stream = client->gone;
        client->gone = stream->next;
        nats_stream_release(stream);
    }
}

static int timeout_of(const NatsClient *client)
{
    if (client->limited > 0 || client->is_settling)
        return TICK_MS;
    if (client->reconnect_ns == 0)
        return -1;
    uint64_t now_ns = nats_now_ns();
    return now_ns >= client->reconnect_ns ? 0 : (int)((client->reconnect_ns - now_ns) / ms + 1);
}

static void turn(NatsClient *client, int timeout_ms)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = epoll_wait(client->waiter, events, EVENTS_AT_ONCE, timeout_ms);
    take_news(client);
    look_after_listeners(client);
    dial_all(client);
    for (int i = 0; i < count; i++)
        if (events[i].data.ptr != NULL)
            nats_stream_ready(events[i].data.ptr, events[i].events);
    if (client->limited > 0)
        give_up_late(client);
    free_gone(client);
    settle(client);
    if (client->reconnect_ns != 0 && nats_now_ns() >= client->reconnect_ns)
        connect_server(client);
}

static bool is_stopping(NatsClient *client)
{
    pthread_mutex_lock(&client->lock);
    bool is_stopping = client->is_stopping;
    pthread_mutex_unlock(&client->lock);
    return is_stopping;
}

static bool has_streams(const NatsClient *client)
{
    for (size_t i = 0; i < NATS_CHAINS; i++)
        if (client->chains[i] != NULL)
            return true;
    return false;
}

static void *run(void *context)
{
    NatsClient *client = context;
    connect_server(client);
    while (!is_stopping(client))
        turn(client, timeout_of(client));
    // The node has closed all streams. Those that still have something to send get a moment for it.
    uint64_t until_ns = nats_now_ns() + FAREWELL_MS * ms;
    do
        turn(client, TICK_MS / 10);
    while (has_streams(client) && nats_now_ns() < until_ns);
    break_all(client);
    free_gone(client);
    drop_subscriptions(client);
    nats_server_free(client->server);
    return NULL;
}

// ---- beginning and end ----

static int start_thread(NatsClient *client)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&client->thread, NULL, run, client);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static bool watch_server(NatsClient *client)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    client->waiter = epoll_create1(EPOLL_CLOEXEC);
    return client->waiter >= 0 &&
           epoll_ctl(client->waiter, EPOLL_CTL_ADD, nats_server_descriptor(client->server), &event) == 0;
}

static void free_client(NatsClient *client)
{
    if (client->waiter >= 0)
        close(client->waiter);
    pthread_mutex_destroy(&client->lock);
    pthread_cond_destroy(&client->settled);
    free(client->url);
    free(client);
}

NatsClient *nats_client_new(const NatsServerOptions *options)
{
    NatsClient *client = calloc(1, sizeof *client);
    uint64_t random[2];
    if (client == NULL)
        return NULL;
    nats_random(random, sizeof random);
    snprintf(client->id, sizeof client->id, "%016llx%016llx", (unsigned long long)random[0],
             (unsigned long long)random[1]);
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->settled, NULL);
    client->waiter = -1;
    client->url = strdup(options->url);
    client->answer_ns = 2 * options->ping_ms * ms; // as long as a link bears silence
    client->server = nats_server_new(options);
    if (client->url != NULL && client->server != NULL && watch_server(client) && start_thread(client) == 0)
        return client;
    nats_server_free(client->server);
    free_client(client);
    return NULL;
}

void nats_client_free(NatsClient *client)
{
    if (client == NULL)
        return;
    pthread_mutex_lock(&client->lock);
    client->is_stopping = true;
    nats_server_wake(client->server); // With the lock: the thread frees the server when it has seen is_stopping.
    pthread_mutex_unlock(&client->lock);
    pthread_join(client->thread, NULL);
    free_client(client);
}
