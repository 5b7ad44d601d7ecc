// client.c: plays Client, the owner of a socket. Its functions never wait: they take what is there and send what fits.

#include "connection.h"
#include "connection.Client.chor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { OUT_KEPT = 16384 }; // a larger buffer is given back when it is empty

static void flush(struct peer *peer)
{
    while (peer->out_start < peer->out_end && !peer->is_broken) {
        ssize_t size = send(peer->socket, peer->out + peer->out_start, peer->out_end - peer->out_start,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0)
            peer->out_start += (size_t)size;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return;
        else if (errno != EINTR)
            peer->is_broken = true;
    }
    peer->out_start = peer->out_end = 0;
    if (peer->out_size > OUT_KEPT) {
        free(peer->out);
        peer->out = NULL;
        peer->out_size = 0;
    }
}

// One read for each visit, so that a peer who never pauses does not keep others waiting.
void Client_receive(void)
{
    struct peer *peer = chx_context();
    flush(peer);
    // A peer who does not take the answers gets no more of them.
    if (peer->out_end != 0 || peer->has_ended || peer->is_broken)
        return;
    if (peer->hangs_up)
        peer->in_start = peer->in_end;
    memmove(peer->in, peer->in + peer->in_start, peer->in_end - peer->in_start);
    peer->in_end -= peer->in_start;
    peer->in_start = 0;
    ssize_t size;
    do
        size = recv(peer->socket, peer->in + peer->in_end, sizeof peer->in - peer->in_end, MSG_DONTWAIT);
    while (size < 0 && errno == EINTR);
    if (size > 0)
        peer->in_end += (size_t)size;
    else if (size == 0)
        peer->has_ended = true;
    else if (errno != EAGAIN && errno != EWOULDBLOCK)
        peer->is_broken = true; // it has gone, probably: ECONNRESET
}

// Up to and with its end; 0: there is none yet. What stands before the end of the stream is a line, too.
static size_t line_size(const struct peer *peer)
{
    const char *line = peer->in + peer->in_start;
    size_t size = peer->in_end - peer->in_start;
    const char *end = size > 0 ? memchr(line, '\n', size) : NULL;
    return end != NULL ? (size_t)(end - line) + 1 : peer->has_ended ? size : 0;
}

bool Client_has_line(enum next next)
{
    struct peer *peer = chx_context();
    return next == GO_ON && !peer->is_broken && !peer->hangs_up && line_size(peer) > 0;
}

chx_str Client_take_line(void)
{
    struct peer *peer = chx_context();
    const char *line = peer->in + peer->in_start;
    size_t size = line_size(peer);
    peer->in_start += size;
    if (size > 0 && line[size - 1] == '\n')
        size--;
    if (size > 0 && line[size - 1] == '\r')
        size--;
    return chx_str_new(line, size);
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

enum wait Client_deliver(enum next next)
{
    struct peer *peer = chx_context();
    if (peer->in_end - peer->in_start == sizeof peer->in && line_size(peer) == 0 && next == GO_ON) {
        Client_put(chx_strf("error: a line has at most %d bytes", LINE_LIMIT));
        next = HANG_UP;
    }
    flush(peer);
    if (next != GO_ON)
        peer->hangs_up = true;
    if (peer->is_broken || next == STOP_SERVER)
        return WAIT_FOR_NOTHING;
    if (peer->out_end != 0)
        return WAIT_FOR_ROOM;
    if (peer->has_ended)
        return WAIT_FOR_NOTHING;
    // Closing at once could destroy what is on its way to the peer, if the peer still sends: it is to end first.
    if (peer->hangs_up)
        shutdown(peer->socket, SHUT_WR);
    return WAIT_FOR_INPUT;
}
