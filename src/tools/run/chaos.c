// chaos.c: the proxy. See chaos.h.
//
// A pair is a connection that was accepted and the one that was made for it. It has two halves, one for each direction: a queue of
// pieces, each with the time at which it is passed on.

#define _GNU_SOURCE
#include "tools/run/chaos.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
enum { READ_SIZE = 64 * 1024, QUEUE_MAX = 256 * 1024, EVENTS = 64, SPLIT_NS = 1000000 };

typedef struct Piece Piece;
struct Piece {
    Piece *next;
    uint64_t due_ns;
    size_t at, size;
    uint8_t data[];
};

typedef struct {
    Piece *first, **end;
    size_t bytes;
    uint64_t last_due_ns, stalled_until_ns;
    bool has_ended;  // nothing more is read
    bool is_shut;    // the other side knows it
    bool is_blocked; // the other side takes nothing more now
} Half;

typedef enum { SOURCE_TIMER, SOURCE_LISTENER, SOURCE_END } SourceKind;
// What an event belongs to: the first member of each.
typedef struct {
    SourceKind kind;
} Source;

typedef struct Pair Pair;
typedef struct {
    Source source;
    Pair *pair;
    int descriptor;
    uint32_t events; // that are waited for
    bool is_watched;
} End;

struct Pair {
    Pair *next;
    End ends[2];    // who has called, and who was called
    Half halves[2]; // by where bytes come from
    bool is_connecting, is_dead;
};

typedef struct Listener Listener;
struct Listener {
    Source source;
    Listener *next;
    int descriptor;
    struct sockaddr_storage to;
    socklen_t to_size;
};

typedef enum { DO_CUT, DO_CLOSE, DO_STALL, DO_COUNT } Deed;

struct Chaos {
    Source source; // the timer
    ChaosSpec spec;
    int poller, timer;
    uint64_t now_ns, random;
    uint64_t next_ns[DO_COUNT];
    Listener *listeners;
    Pair *pairs;
    unsigned long done[DO_COUNT], connections, refused, failed, split, altered, repeated;
    unsigned long long bytes;
};

// ---- chance and time ----

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t chance(Chaos *chaos)
{
    uint64_t x = chaos->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static double chance_part(Chaos *chaos)
{
    return (double)(chance(chaos) >> 11) / 9007199254740992.0;
}

static uint64_t chance_below(Chaos *chaos, uint64_t limit)
{
    return limit == 0 ? 0 : chance(chaos) % limit;
}

// When something that happens so often happens the next time.
static uint64_t chance_next(Chaos *chaos, double rate)
{
    if (rate <= 0)
        return UINT64_MAX;
    return chaos->now_ns + (uint64_t)(-log(1 - chance_part(chaos)) / rate * 1e9) + 1;
}

// ---- pairs ----

static void reset_on_close(int descriptor)
{
    struct linger linger = {.l_onoff = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static void half_drop(Half *half)
{
    for (Piece *piece = half->first, *next; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    *half = (Half){.has_ended = true, .is_shut = true};
    half->end = &half->first;
}

// It is freed at the end of the step: events of it may be about.
static void pair_end(Pair *pair, bool is_reset)
{
    if (pair->is_dead)
        return;
    for (int i = 0; i < 2; i++) {
        if (is_reset)
            reset_on_close(pair->ends[i].descriptor);
        close(pair->ends[i].descriptor);
        half_drop(&pair->halves[i]);
    }
    pair->is_dead = true;
}

static void pairs_sweep(Chaos *chaos)
{
    for (Pair **link = &chaos->pairs, *pair; (pair = *link) != NULL;) {
        if (pair->is_dead) {
            *link = pair->next;
            free(pair);
        } else {
            link = &pair->next;
        }
    }
}

static void end_watch(Chaos *chaos, End *end, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = end};
    if (end->is_watched && end->events == events)
        return;
    epoll_ctl(chaos->poller, end->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, end->descriptor, &event);
    end->is_watched = true;
    end->events = events;
}

static void pair_watch(Chaos *chaos, Pair *pair)
{
    for (int i = 0; i < 2 && !pair->is_dead; i++) {
        const Half *out = &pair->halves[i], *in = &pair->halves[1 - i];
        uint32_t events = !out->has_ended && out->bytes < QUEUE_MAX && !pair->is_connecting ? EPOLLIN : 0;
        if (in->is_blocked || (i == 1 && pair->is_connecting))
            events |= EPOLLOUT;
        end_watch(chaos, &pair->ends[i], events);
    }
}

// ---- bytes ----

static void half_add(Chaos *chaos, Half *half, const uint8_t *data, size_t size, uint64_t later_ns)
{
    const ChaosSpec *spec = &chaos->spec;
    Piece *piece = malloc(sizeof *piece + size);
    if (piece == NULL || size == 0) {
        free(piece);
        return;
    }
    uint64_t delay = spec->delay_least_ns + chance_below(chaos, spec->delay_most_ns - spec->delay_least_ns + 1);
    *piece = (Piece){.due_ns = chaos->now_ns + delay + later_ns, .size = size};
    if (piece->due_ns < half->last_due_ns)
        piece->due_ns = half->last_due_ns;
    half->last_due_ns = piece->due_ns;
    memcpy(piece->data, data, size);
    *half->end = piece;
    half->end = &piece->next;
    half->bytes += size;
}

// A piece has arrived.
static void half_take(Chaos *chaos, Half *half, uint8_t *data, size_t size)
{
    const ChaosSpec *spec = &chaos->spec;
    bool is_repeated = spec->repeat > 0 && chance_part(chaos) < spec->repeat;
    chaos->bytes += size;
    if (spec->alter > 0 && chance_part(chaos) < spec->alter) {
        data[chance_below(chaos, size)] ^= (uint8_t)(1 + chance_below(chaos, 255));
        chaos->altered++;
    }
    if (size > 1 && spec->split > 0 && chance_part(chaos) < spec->split) {
        size_t first = 1 + chance_below(chaos, size - 1);
        half_add(chaos, half, data, first, 0);
        half_add(chaos, half, data + first, size - first, chance_below(chaos, SPLIT_NS));
        chaos->split++;
    } else {
        half_add(chaos, half, data, size, 0);
    }
    if (is_repeated) {
        half_add(chaos, half, data, size, 0);
        chaos->repeated++;
    }
}

static void pair_read(Chaos *chaos, Pair *pair, int from)
{
    static uint8_t data[READ_SIZE];
    Half *half = &pair->halves[from];
    ssize_t count = recv(pair->ends[from].descriptor, data, sizeof data, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count < 0)
        pair_end(pair, true);
    else if (count == 0)
        half->has_ended = true;
    else
        half_take(chaos, half, data, (size_t)count);
}

static void pair_write(Chaos *chaos, Pair *pair, int from)
{
    Half *half = &pair->halves[from];
    int to = pair->ends[1 - from].descriptor;
    if (pair->is_dead || pair->is_connecting || chaos->now_ns < half->stalled_until_ns)
        return;
    half->is_blocked = false;
    for (Piece *piece; (piece = half->first) != NULL && piece->due_ns <= chaos->now_ns;) {
        ssize_t count = send(to, piece->data + piece->at, piece->size - piece->at, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN) {
            half->is_blocked = true;
            return;
        }
        if (count < 0) {
            pair_end(pair, true);
            return;
        }
        piece->at += (size_t)count;
        half->bytes -= (size_t)count;
        if (piece->at < piece->size)
            continue;
        half->first = piece->next;
        if (half->first == NULL)
            half->end = &half->first;
        free(piece);
    }
    if (half->first == NULL && half->has_ended && !half->is_shut) {
        shutdown(to, SHUT_WR);
        half->is_shut = true;
    }
    if (pair->halves[0].is_shut && pair->halves[1].is_shut)
        pair_end(pair, false);
}

// ---- connections ----

static void pair_connected(Chaos *chaos, Pair *pair)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(pair->ends[1].descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
        chaos->failed++;
        pair_end(pair, true);
        return;
    }
    pair->is_connecting = false;
}

static void pair_begin(Chaos *chaos, const Listener *listener, int caller)
{
    int on = 1, called = socket(listener->to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    Pair *pair = calloc(1, sizeof *pair);
    bool is_refused = chaos->spec.refuse > 0 && chance_part(chaos) < chaos->spec.refuse;
    chaos->refused += is_refused;
    if (called < 0 || pair == NULL || is_refused ||
        (connect(called, (const struct sockaddr *)&listener->to, listener->to_size) != 0 && errno != EINPROGRESS)) {
        chaos->failed += !is_refused;
        reset_on_close(caller);
        close(caller);
        if (called >= 0)
            close(called);
        free(pair);
        return;
    }
    setsockopt(caller, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(called, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pair->is_connecting = true;
    pair->ends[0] = (End){.source.kind = SOURCE_END, .pair = pair, .descriptor = caller};
    pair->ends[1] = (End){.source.kind = SOURCE_END, .pair = pair, .descriptor = called};
    for (int i = 0; i < 2; i++)
        pair->halves[i].end = &pair->halves[i].first;
    pair->next = chaos->pairs;
    chaos->pairs = pair;
    chaos->connections++;
}

static void listener_ready(Chaos *chaos, const Listener *listener)
{
    for (int caller; (caller = accept4(listener->descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
        pair_begin(chaos, listener, caller);
}

static void end_ready(Chaos *chaos, End *end, uint32_t events)
{
    Pair *pair = end->pair;
    int index = end == &pair->ends[1];
    if (pair->is_dead)
        return;
    if (pair->is_connecting && index == 1)
        pair_connected(chaos, pair);
    else if (pair->is_connecting && (events & (EPOLLERR | EPOLLHUP)) != 0)
        pair_end(pair, true);
    else if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
        // Somebody who has hung up on both directions is not waited for.
        if (pair->halves[index].has_ended && (events & (EPOLLERR | EPOLLHUP)) != 0)
            pair_end(pair, (events & EPOLLERR) != 0);
        else
            pair_read(chaos, pair, index);
    }
    pair_write(chaos, pair, index);
    pair_write(chaos, pair, 1 - index);
}

// ---- deeds ----

static Pair *pair_pick(Chaos *chaos)
{
    uint64_t count = 0;
    for (Pair *pair = chaos->pairs; pair != NULL; pair = pair->next)
        count += !pair->is_dead;
    uint64_t pick = chance_below(chaos, count);
    for (Pair *pair = chaos->pairs; pair != NULL; pair = pair->next)
        if (!pair->is_dead && pick-- == 0)
            return pair;
    return NULL;
}

static void deed_do(Chaos *chaos, Deed deed)
{
    Pair *pair = pair_pick(chaos);
    if (pair == NULL)
        return;
    chaos->done[deed]++;
    if (deed == DO_STALL) {
        uint64_t which = 1 + chance_below(chaos, 3);
        for (int i = 0; i < 2; i++)
            if ((which & (1U << i)) != 0)
                pair->halves[i].stalled_until_ns = chaos->now_ns + chaos->spec.stall_ns;
        return;
    }
    // Half of what is under way is still passed on.
    for (int i = 0; i < 2; i++)
        if (pair->halves[i].first != NULL && !pair->is_connecting && chance_below(chaos, 2) == 0) {
            const Piece *piece = pair->halves[i].first;
            (void)!send(pair->ends[1 - i].descriptor, piece->data + piece->at,
                        chance_below(chaos, piece->size - piece->at + 1), MSG_NOSIGNAL);
        }
    pair_end(pair, deed == DO_CUT);
}

static void deeds_do(Chaos *chaos)
{
    const double rates[DO_COUNT] = {chaos->spec.cuts, chaos->spec.closes, chaos->spec.stalls};
    for (Deed deed = 0; deed < DO_COUNT; deed++)
        while (chaos->next_ns[deed] <= chaos->now_ns) {
            deed_do(chaos, deed);
            uint64_t next_ns = chance_next(chaos, rates[deed]);
            chaos->next_ns[deed] = next_ns;
        }
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static void timer_arm(Chaos *chaos)
{
    uint64_t due_ns = UINT64_MAX;
    for (Deed deed = 0; deed < DO_COUNT; deed++)
        due_ns = earlier(due_ns, chaos->next_ns[deed]);
    for (const Pair *pair = chaos->pairs; pair != NULL; pair = pair->next)
        for (int i = 0; i < 2 && !pair->is_connecting; i++) {
            const Half *half = &pair->halves[i];
            bool is_waiting = half->first != NULL ? !half->is_blocked : half->has_ended && !half->is_shut;
            uint64_t at_ns = half->first != NULL ? half->first->due_ns : 0;
            if (is_waiting)
                due_ns = earlier(due_ns, at_ns > half->stalled_until_ns ? at_ns : half->stalled_until_ns);
        }
    struct itimerspec time = {0};
    if (due_ns != UINT64_MAX)
        time.it_value = (struct timespec){(time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) + (due_ns == 0)};
    timerfd_settime(chaos->timer, TFD_TIMER_ABSTIME, &time, NULL);
}

void chaos_step(Chaos *chaos)
{
    struct epoll_event events[EVENTS];
    uint64_t count;
    int ready = epoll_wait(chaos->poller, events, EVENTS, 0);
    chaos->now_ns = clock_ns();
    for (int i = 0; i < ready; i++) {
        Source *source = events[i].data.ptr;
        if (source->kind == SOURCE_LISTENER)
            listener_ready(chaos, (Listener *)(void *)source);
        else if (source->kind == SOURCE_END)
            end_ready(chaos, (End *)(void *)source, events[i].events);
        else
            (void)!read(chaos->timer, &count, sizeof count);
    }
    deeds_do(chaos);
    for (Pair *pair = chaos->pairs; pair != NULL; pair = pair->next)
        for (int i = 0; i < 2; i++)
            if (!pair->halves[i].is_blocked)
                pair_write(chaos, pair, i);
    pairs_sweep(chaos);
    for (Pair *pair = chaos->pairs; pair != NULL; pair = pair->next)
        pair_watch(chaos, pair);
    timer_arm(chaos);
}

// ---- opening and closing ----

Chaos *chaos_new(const ChaosSpec *spec)
{
    Chaos *chaos = calloc(1, sizeof *chaos);
    if (chaos == NULL)
        return NULL;
    *chaos = (Chaos){.source.kind = SOURCE_TIMER, .spec = *spec, .random = spec->seed, .now_ns = clock_ns()};
    chaos->poller = epoll_create1(EPOLL_CLOEXEC);
    chaos->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = chaos};
    if (chaos->poller < 0 || chaos->timer < 0 || epoll_ctl(chaos->poller, EPOLL_CTL_ADD, chaos->timer, &event) != 0) {
        chaos_free(chaos);
        return NULL;
    }
    chaos->next_ns[DO_CUT] = chance_next(chaos, spec->cuts);
    chaos->next_ns[DO_CLOSE] = chance_next(chaos, spec->closes);
    chaos->next_ns[DO_STALL] = chance_next(chaos, spec->stalls);
    timer_arm(chaos);
    return chaos;
}

void chaos_free(Chaos *chaos)
{
    if (chaos == NULL)
        return;
    for (Pair *pair = chaos->pairs; pair != NULL; pair = pair->next)
        pair_end(pair, true);
    pairs_sweep(chaos);
    for (Listener *listener = chaos->listeners, *next; listener != NULL; listener = next) {
        next = listener->next;
        close(listener->descriptor);
        free(listener);
    }
    if (chaos->timer >= 0)
        close(chaos->timer);
    if (chaos->poller >= 0)
        close(chaos->poller);
    free(chaos);
}

// HOST:PORT or [HOST]:PORT. False: errno.
static bool resolve(const char *text, struct sockaddr_storage *address, socklen_t *size)
{
    char host[256];
    const char *colon = strrchr(text, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    bool has_brackets = text[0] == '[' && colon != NULL && colon[-1] == ']';
    errno = EINVAL;
    if (colon == NULL || (size_t)(colon - text) >= sizeof host)
        return false;
    snprintf(host, sizeof host, "%.*s", (int)(colon - text) - 2 * has_brackets, text + has_brackets);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return false;
    }
    memcpy(address, found->ai_addr, found->ai_addrlen);
    *size = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

static bool listener_open(Listener *listener, const char *listen_at, char *text, size_t size)
{
    struct sockaddr_storage address;
    socklen_t address_size;
    char host[NI_MAXHOST], port[NI_MAXSERV];
    int on = 1;
    if (!resolve(listen_at, &address, &address_size))
        return false;
    listener->descriptor = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->descriptor < 0)
        return false;
    setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener->descriptor, (struct sockaddr *)&address, address_size) != 0 ||
        listen(listener->descriptor, 128) != 0 ||
        getsockname(listener->descriptor, (struct sockaddr *)&address, &address_size) != 0)
        return false;
    getnameinfo((struct sockaddr *)&address, address_size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(text, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

bool chaos_add(Chaos *chaos, const char *listen_at, const char *to, char *text, size_t size)
{
    Listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return false;
    *listener = (Listener){.source.kind = SOURCE_LISTENER, .descriptor = -1};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
    if (resolve(to, &listener->to, &listener->to_size) && listener_open(listener, listen_at, text, size) &&
        epoll_ctl(chaos->poller, EPOLL_CTL_ADD, listener->descriptor, &event) == 0) {
        listener->next = chaos->listeners;
        chaos->listeners = listener;
        return true;
    }
    int error = errno;
    if (listener->descriptor >= 0)
        close(listener->descriptor);
    free(listener);
    errno = error;
    return false;
}

int chaos_descriptor(const Chaos *chaos)
{
    return chaos->poller;
}

void chaos_report(const Chaos *chaos, FILE *out)
{
    fprintf(out, "chaos: %lu connections, %llu bytes: %lu cut, %lu closed, %lu stalled, %lu refused",
            chaos->connections, chaos->bytes, chaos->done[DO_CUT], chaos->done[DO_CLOSE], chaos->done[DO_STALL],
            chaos->refused);
    if (chaos->failed > 0)
        fprintf(out, ", %lu to nobody", chaos->failed);
    if (chaos->split > 0)
        fprintf(out, "; %lu pieces split", chaos->split);
    if (chaos->altered + chaos->repeated > 0)
        fprintf(out, "; %lu altered, %lu repeated", chaos->altered, chaos->repeated);
    fprintf(out, " (seed %llu)\n", (unsigned long long)chaos->spec.seed);
}
