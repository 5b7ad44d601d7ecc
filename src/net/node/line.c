// line.c: one connection: established, read, written, closed.
//
// epoll is told of a connection once, edge-triggered and for both directions. So there are no further calls of it, whatever happens to the
// connection; and as long as a read gives less than there was room for, nothing is left to read. What may have something left all the same
// (a read that has filled its memory, bytes that TLS had read during the handshake) is put on the list of those that are tried again.

#define _GNU_SOURCE

#include "net/node/internal.h"

#include "base/check.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum { SPANS_MAX = 16, OUTPUT_SIZE = 96 << 10, OUTPUT_TURNS = 4 };

// ---- the table of lines ----

static bool lines_grow(Peers *peers)
{
    uint32_t capacity = peers->line_capacity == 0 ? 16 : peers->line_capacity * 2;
    Line **lines = realloc(peers->lines, capacity * sizeof(Line *));
    peers->lines = lines != NULL ? lines : peers->lines;
    uint32_t *places = realloc(peers->line_free, capacity * sizeof(uint32_t));
    peers->line_free = places != NULL ? places : peers->line_free;
    if (lines == NULL || places == NULL)
        return false;
    for (uint32_t i = capacity; i > peers->line_capacity; i--) {
        lines[i - 1] = NULL;
        places[peers->line_free_count++] = i - 1;
    }
    peers->line_capacity = capacity;
    return true;
}

Line *line_of_id(const Peers *peers, uint64_t id)
{
    uint32_t place = (uint32_t)id;
    Line *line = place < peers->line_capacity ? peers->lines[place] : NULL;
    return line != NULL && line->id == id ? line : NULL;
}

Line *line_new(Peers *peers, Secure *secure, LineState state)
{
    Line *line = calloc(1, sizeof *line);
    if (line == NULL || (peers->line_free_count == 0 && !lines_grow(peers))) {
        free(line);
        secure_close(secure);
        return NULL;
    }
    uint32_t place = peers->line_free[--peers->line_free_count];
    *line = (Line){
        .peers = peers, .secure = secure, .id = (uint64_t)++peers->line_serial << 32 | place, .fd = -1, .state = state};
    peers->lines[place] = line;
    return line;
}

// While a connection is being dialled, its descriptor is one of the carrier's own, which wants to be asked as often as it is ready.
bool line_watch(Line *line)
{
    int fd = secure_descriptor(line->secure);
    if (fd < 0 || fd == line->fd)
        return true;
    bool is_dialling = line->fd < 0 && (line->state == LINE_DIALLING || line->state == LINE_SEEKING);
    struct epoll_event event = {.events = is_dialling ? EPOLLIN : EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.u64 = line->id};
    line->fd = fd;
    return epoll_ctl(line->peers->poller, EPOLL_CTL_ADD, fd, &event) == 0;
}

void line_close(Line *line)
{
    if (line->state == LINE_CLOSED)
        return;
    Peers *peers = line->peers;
    // A process that was forked meanwhile may have the descriptor as well: then closing it does not take it out of epoll.
    if (line->fd >= 0 && line->fd == secure_descriptor(line->secure))
        epoll_ctl(peers->poller, EPOLL_CTL_DEL, line->fd, NULL);
    secure_close(line->secure);
    line->secure = NULL;
    line->state = LINE_CLOSED;
    uint32_t place = (uint32_t)line->id;
    peers->lines[place] = NULL;
    peers->line_free[peers->line_free_count++] = place;
    if (line->seeker != NULL)
        line->seeker->seek = NULL;
    line->relay = NULL;
    free(line->first);
    line->first = NULL;
    line->next_gone = peers->gone;
    peers->gone = line;
}

void lines_bury(Peers *peers)
{
    for (Line **at = &peers->gone; *at != NULL;) {
        Line *line = *at;
        if (line->is_again) {
            at = &line->next_gone;
            continue;
        }
        *at = line->next_gone;
        free(line);
    }
}

void line_try_again(Line *line)
{
    if (line->is_again)
        return;
    line->is_again = true;
    line->next_again = NULL;
    *line->peers->again_last = line;
    line->peers->again_last = &line->next_again;
}

void line_bind(Line *line, Bond *bond, unsigned number)
{
    line->state = LINE_BOUND;
    line->bond = bond;
    line->number = number;
    bond->lines[number] = line;
    // Behind what others send through the relay, a PING may take its time.
    if (line->relay != NULL)
        link_set_silence(&bond->link, number, RELAY_PATIENCE * bond->link.options.keepalive_ns);
    // Something may have come behind the handshake, and was read with it.
    line_try_again(line);
}

// ---- before it is established ----

static void line_failed(Line *line, uint64_t now_ns)
{
    char why[TLS_WHY_SIZE];
    memcpy(why, secure_why(line->secure), sizeof why);
    switch (line->state) {
    case LINE_DIALLING:
        bond_failed(line->bond, line, now_ns);
        break;
    case LINE_SEEKING:
        seek_failed(line, why, now_ns);
        break;
    case LINE_CALLING:
    case LINE_ANONYMOUS:
        call_failed(line, why);
        break;
    case LINE_BOUND:
    case LINE_CLOSED:
        break;
    }
}

void line_establish(Line *line, uint64_t now_ns)
{
    int result = secure_establish(line->secure);
    if (result == 0 || result == -EAGAIN) {
        if (!line_watch(line)) {
            say_always(line->peers, "a connection can't be watched: %s", strerror(errno));
            line_failed(line, now_ns);
            return;
        }
    }
    if (result == -EAGAIN)
        return;
    if (result != 0)
        line_failed(line, now_ns);
    else if (line->state == LINE_DIALLING)
        bond_dialled(line->bond, line, now_ns);
    else if (line->state == LINE_SEEKING)
        seek_established(line, now_ns);
    else
        call_established(line, now_ns);
}

// ---- afterwards ----

// Memory that an idle connection has needed for a PING is given back.
static void line_rest(Line *line)
{
    Bond *bond = line->bond;
    if (!bond->is_idle || line->state == LINE_CLOSED)
        return;
    if (bond_movement(bond) != bond->movement)
        bond->is_idle = false;
    else
        secure_release_memory(line->secure);
}

static void line_read(Line *line, uint64_t now_ns)
{
    Peers *peers = line->peers;
    ssize_t count = secure_read(line->secure, peers->input, INPUT_SIZE);
    if (count > 0) {
        bond_input(line->bond, line, peers->input, (size_t)count, now_ns);
        if (line->state == LINE_CLOSED)
            return;
        bool is_all = count <= INPUT_SIZE - TLS_RECORD_SIZE || secure_is_drained(line->secure);
        if (!is_all || line->has_hung_up)
            line_try_again(line);
        line_rest(line);
    } else if (count != -EAGAIN) {
        bond_broken(line->bond, line, now_ns);
    }
}

static bool line_is_stuck(const Line *line)
{
    return (secure_events(line->secure) & POLLOUT) != 0;
}

void line_write(Line *line, uint64_t now_ns)
{
    Bond *bond = line->bond;
    Link *link = &bond->link;
    for (int turn = 0; turn < OUTPUT_TURNS; turn++) {
        if (line_is_stuck(line) || !link_has_output(link, line->number))
            return;
        WireSpan spans[SPANS_MAX];
        struct iovec parts[SPANS_MAX];
        unsigned count = link_output(link, line->number, spans, SPANS_MAX, OUTPUT_SIZE, now_ns);
        for (unsigned i = 0; i < count; i++)
            parts[i] = (struct iovec){(void *)spans[i].data, spans[i].size};
        ssize_t taken = count == 0 ? 0 : secure_write(line->secure, parts, (int)count);
        link_wrote(link, line->number, taken > 0 ? (size_t)taken : 0, now_ns);
        if (line->state == LINE_CLOSED)
            return;
        if (taken < 0 && taken != -EAGAIN) {
            bond_broken(bond, line, now_ns);
            return;
        }
        line_rest(line);
        if (taken <= 0)
            return;
    }
    // Others have their turn.
    bond_pend(bond);
}

void line_ready(Line *line, uint32_t events, uint64_t now_ns)
{
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        line->has_hung_up = true;
    switch (line->state) {
    case LINE_DIALLING:
    case LINE_SEEKING:
    case LINE_CALLING:
        line_establish(line, now_ns);
        return;
    case LINE_ANONYMOUS:
        call_read(line, now_ns);
        return;
    case LINE_CLOSED:
        return;
    case LINE_BOUND:
        break;
    }
    Bond *bond = line->bond;
    if ((events & EPOLLOUT) != 0 && line_is_stuck(line) && secure_flush(line->secure) == 0)
        bond_pend(bond);
    if ((events & ~(uint32_t)EPOLLOUT) != 0) {
        line_read(line, now_ns);
        bond_pend(bond);
    }
}
