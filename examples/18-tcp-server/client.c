// client.c: plays Client, the owner of a socket. Its functions take what is there and send what fits. Where they would have to
// wait, they end their step (chx_again_when) and are called again when the socket is ready.

#include "connection.h"
#include "connection.Client.chor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    IN_FIRST = 256,      // the buffer for what arrives begins with so many bytes
    OUT_AT_ONCE = 16384, // answers are sent when so much has gathered, or when there is no further line
};

static void is_active(struct peer *peer)
{
    atomic_store_explicit(&peer->active_at, atomic_load_explicit(peer->ticks, memory_order_relaxed),
                          memory_order_relaxed);
}

// Sends what there is. A peer who does not take the answers is not listened to until it does.
static void flush(struct peer *peer)
{
    while (peer->out_start < peer->out_end && !peer->is_broken) {
        ssize_t size = send(peer->socket, peer->out + peer->out_start, peer->out_end - peer->out_start, MSG_NOSIGNAL);
        if (size >= 0) {
            peer->out_start += (size_t)size;
            is_active(peer);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            chx_again_when(peer->socket, POLLOUT);
        } else if (errno != EINTR) {
            peer->is_broken = true;
        }
    }
    peer->out_start = peer->out_end = 0;
    if (peer->out_size > OUT_AT_ONCE) {
        free(peer->out);
        peer->out = NULL;
        peer->out_size = 0;
    }
}

// Makes room for what arrives. False: there is as much as a line may have.
static bool make_room(struct peer *peer)
{
    size_t left = peer->in_end - peer->in_start;
    if (left > 0 && peer->in_start > 0)
        memmove(peer->in, peer->in + peer->in_start, left);
    peer->in_start = 0;
    peer->in_end = left;
    if (peer->in_size == LINE_LIMIT)
        return peer->in_end < LINE_LIMIT;
    // It gets larger when a read has filled it.
    if (peer->in_size > 0 && peer->is_drained)
        return true;
    size_t wanted = peer->in_size == 0 ? IN_FIRST : LINE_LIMIT;
    char *in = realloc(peer->in, wanted);
    if (in == NULL)
        chx_fail("no memory for a line");
    peer->in = in;
    peer->in_size = wanted;
    return true;
}

// Takes what has arrived; if that is nothing, sends what there is to send, and waits.
static void receive(struct peer *peer)
{
    size_t room = peer->in_size - peer->in_end;
    // The last read has emptied the socket: the next one would be in vain, unless this step has waited since.
    if (peer->is_drained && !peer->has_waited) {
        flush(peer);
        peer->has_waited = true;
        chx_again_when(peer->socket, POLLIN);
    }
    peer->has_waited = false;
    ssize_t size = recv(peer->socket, peer->in + peer->in_end, room, 0);
    if (size > 0) {
        peer->in_end += (size_t)size;
        peer->is_drained = (size_t)size < room;
        is_active(peer);
    } else if (size == 0) {
        peer->has_ended = true;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        peer->is_drained = true;
    } else if (errno != EINTR) {
        peer->is_broken = true; // it has gone, probably: ECONNRESET
    }
}

// Up to and with its end; 0: there is none yet. What stands before the end of the stream is a line, too.
static size_t line_size(const struct peer *peer)
{
    const char *line = peer->in + peer->in_start;
    size_t size = peer->in_end - peer->in_start;
    const char *end = size > 0 ? memchr(line, '\n', size) : NULL;
    return end != NULL ? (size_t)(end - line) + 1 : peer->has_ended ? size : 0;
}

// Waits for the next line. False: no further one is to be answered.
bool Client_has_line(enum next next)
{
    struct peer *peer = chx_context();
    if (next != GO_ON)
        return false;
    if (peer->out_end >= OUT_AT_ONCE)
        flush(peer);
    while (!peer->is_broken) {
        peer->next_size = line_size(peer);
        if (peer->next_size > 0)
            return true;
        if (peer->has_ended)
            return false;
        if (make_room(peer))
            receive(peer);
        else {
            Client_put(chx_strf("error: a line has at most %d bytes", LINE_LIMIT));
            return false;
        }
    }
    return false;
}

chx_str Client_take_line(void)
{
    struct peer *peer = chx_context();
    const char *line = peer->in + peer->in_start;
    size_t size = peer->next_size;
    peer->in_start += size;
    if (size > 0 && line[size - 1] == '\n')
        size--;
    if (size > 0 && line[size - 1] == '\r')
        size--;
    peer->line_size = size;
    return chx_str_new(line, size);
}

uint64_t Client_line_size(void)
{
    const struct peer *peer = chx_context();
    return peer->line_size;
}

void Client_put(chx_str line)
{
    struct peer *peer = chx_context();
    size_t size = chx_str_len(line) + 1;
    if (peer->out_end + size > peer->out_size) {
        size_t wanted = 2 * peer->out_size + size;
        char *out = realloc(peer->out, wanted);
        if (out == NULL) {
            peer->is_broken = true;
            return;
        }
        peer->out = out;
        peer->out_size = wanted;
    }
    memcpy(peer->out + peer->out_end, chx_cstr(line), size - 1);
    peer->out[peer->out_end + size - 1] = '\n';
    peer->out_end += size;
}

// Closing at once could destroy what is on its way to the peer, if the peer still sends: it is to end first, and what it sends
// until then is thrown away.
void Client_end(enum next next)
{
    struct peer *peer = chx_context();
    flush(peer);
    if (!peer->is_shut)
        shutdown(peer->socket, SHUT_WR);
    peer->is_shut = true;
    while (!peer->is_broken && !peer->has_ended && next != STOP_SERVER) {
        peer->in_start = peer->in_end = 0;
        make_room(peer);
        receive(peer);
    }
}

// Tells the Acceptor, which then closes the socket.
void Client_announce(void)
{
    struct peer *peer = chx_context();
    atomic_store(&peer->is_announced, true);
    if (write(peer->ended, &peer, sizeof peer) < 0)
        chx_again_when(peer->ended, POLLOUT);
}
