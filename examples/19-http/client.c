// client.c: plays Client, the owner of a socket. Its functions take what is there and send what fits. Where they would have to
// wait, they end their step (chx_again_when) and are called again when the socket is ready; what they have by then lies in
// `struct peer`. When the peer's time is up, the server's main loop shuts the socket down, which wakes them, too.

#include "http.h"
#include "http.Client.chor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DATA_FIRST = 512 }; // the buffer for a head begins with so many bytes

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// From the first call until the end of the step, which may be begun again.
static void clock_begin(struct peer *peer)
{
    if (atomic_load(&peer->deadline_ms) == 0)
        atomic_store(&peer->deadline_ms, now_ms() + peer->patience_ms);
}

static void clock_end(struct peer *peer)
{
    atomic_store(&peer->deadline_ms, 0);
}

static bool is_late(const struct peer *peer)
{
    return now_ms() >= atomic_load(&peer->deadline_ms);
}

// Reads something, at most `room`. IS_COMPLETE: `*size` bytes, at least one, have come.
static enum end receive(struct peer *peer, void *data, size_t room, size_t *size)
{
    ssize_t received;
    *size = 0;
    do
        received = recv(peer->socket, data, room, 0);
    while (received < 0 && errno == EINTR);
    if (received > 0) {
        *size = (size_t)received;
        return IS_COMPLETE;
    }
    // An end may be that of its patience.
    if (is_late(peer))
        return IS_TOO_SLOW;
    if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        chx_again_when(peer->socket, POLLIN);
    peer->has_ended = true;
    return IS_CUT_SHORT;
}

// Sends what lies in `out`. False: the peer is gone, or too slow.
static bool send_out(struct peer *peer)
{
    bool is_sent = true;
    atomic_store(&peer->is_sending, true);
    while (is_sent && peer->out_done < peer->out_size) {
        ssize_t sent = send(peer->socket, peer->out + peer->out_done, peer->out_size - peer->out_done, MSG_NOSIGNAL);
        if (sent >= 0)
            peer->out_done += (size_t)sent;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            chx_again_when(peer->socket, POLLOUT);
        else if (errno != EINTR)
            is_sent = false;
    }
    atomic_store(&peer->is_sending, false);
    free(peer->out);
    peer->out = NULL;
    return is_sent;
}

static void put_out(struct peer *peer, const void *head, size_t head_size, const void *body, size_t body_size)
{
    peer->out = malloc(head_size + body_size + 1);
    if (peer->out == NULL)
        chx_fail("no memory for an answer");
    memcpy(peer->out, head, head_size);
    if (body_size > 0)
        memcpy(peer->out + head_size, body, body_size);
    peer->out_size = head_size + body_size;
    peer->out_done = 0;
}

static void forget(struct peer *peer, size_t size)
{
    peer->size -= size;
    memmove(peer->data, peer->data + size, peer->size);
}

// With the empty line that ends it; 0: it has not come yet. Whether lines end properly is Server's business.
static size_t head_size(const struct peer *peer)
{
    for (size_t i = 0; i + 1 < peer->size; i++) {
        if (peer->data[i] != '\n')
            continue;
        if (peer->data[i + 1] == '\n')
            return i + 2;
        if (i + 2 < peer->size && peer->data[i + 1] == '\r' && peer->data[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

// Makes room for more of a head. False: it has as much as it may have.
static bool make_room(struct peer *peer)
{
    if (peer->size < peer->room)
        return true;
    size_t wanted = peer->room == 0 ? DATA_FIRST : HEAD_LIMIT;
    if (peer->room == HEAD_LIMIT)
        return false;
    char *data = realloc(peer->data, wanted);
    if (data == NULL)
        chx_fail("no memory for a head");
    peer->data = data;
    peer->room = wanted;
    return true;
}

// False: there is no further request.
bool Client_read_head(void)
{
    struct peer *peer = chx_context();
    clock_begin(peer);
    peer->head_end = IS_COMPLETE;
    for (;;) {
        // Empty lines before a request are to be ignored.
        while (peer->size >= 2 && memcmp(peer->data, "\r\n", 2) == 0)
            forget(peer, 2);
        peer->head_size = head_size(peer);
        if (peer->head_size > 0)
            break;
        size_t size = 0;
        peer->head_end =
            make_room(peer) ? receive(peer, peer->data + peer->size, peer->room - peer->size, &size) : IS_TOO_LARGE;
        peer->size += size;
        if (peer->head_end != IS_COMPLETE) {
            peer->head_size = peer->size;
            break;
        }
    }
    clock_end(peer);
    return peer->head_size > 0;
}

struct part Client_take_head(void)
{
    struct peer *peer = chx_context();
    struct part head = {peer->head_end, chx_bytes_new(peer->data, peer->head_size)};
    forget(peer, peer->head_size);
    return head;
}

// Begins to read a body with what came together with the head.
static void begin_body(struct peer *peer, size_t size, bool expects_continue)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (size > BODY_LIMIT)
        chx_fail("a body of %zu bytes was asked for", size);
    peer->body = malloc(size);
    if (peer->body == NULL)
        chx_fail("no memory for a body");
    if (expects_continue && peer->size == 0)
        put_out(peer, go_on, sizeof go_on - 1, NULL, 0);
    peer->body_size = peer->size < size ? peer->size : size;
    memcpy(peer->body, peer->data, peer->body_size);
    forget(peer, peer->body_size);
}

struct part Client_read_body(uint64_t size, bool expects_continue)
{
    struct peer *peer = chx_context();
    clock_begin(peer);
    if (peer->body == NULL)
        begin_body(peer, size, expects_continue);
    enum end end = peer->out == NULL || send_out(peer) ? IS_COMPLETE : IS_CUT_SHORT;
    while (peer->body_size < size && end == IS_COMPLETE) {
        size_t received;
        end = receive(peer, peer->body + peer->body_size, size - peer->body_size, &received);
        peer->body_size += received;
    }
    clock_end(peer);
    struct part part = {end, chx_bytes_new(peer->body, peer->body_size)};
    free(peer->body);
    peer->body = NULL;
    return part;
}

static const char *reason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    case 417:
        return "Expectation Failed";
    case 431:
        return "Request Header Fields Too Large";
    case 501:
        return "Not Implemented";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "Internal Server Error";
    }
}

// Closing at once could destroy an answer on its way to a peer who still sends: wait for its end, within limits.
static void hang_up(struct peer *peer)
{
    size_t size = 0;
    if (!peer->is_shut)
        shutdown(peer->socket, SHUT_WR);
    peer->is_shut = true;
    while (!peer->has_ended && peer->thrown_away < BODY_LIMIT &&
           receive(peer, peer->data, peer->room, &size) == IS_COMPLETE)
        peer->thrown_away += size;
}

static void begin_answer(struct peer *peer, struct answer answer)
{
    char date[64];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &utc));
    chx_str head =
        chx_strf("HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%sConnection: %s\r\n\r\n",
                 answer.status, reason(answer.status), date, chx_cstr(answer.type), chx_bytes_len(answer.body),
                 chx_cstr(answer.fields), answer.keeps_alive ? "keep-alive" : "close");
    put_out(peer, chx_cstr(head), chx_str_len(head), chx_bytes_data(answer.body),
            answer.is_head ? 0 : chx_bytes_len(answer.body));
}

// Can the peer send another request?
bool Client_send(struct answer answer)
{
    struct peer *peer = chx_context();
    clock_begin(peer);
    if (peer->out == NULL && !peer->is_shut)
        begin_answer(peer, answer);
    bool is_sent = peer->is_shut || send_out(peer);
    if (is_sent && !answer.keeps_alive)
        hang_up(peer);
    clock_end(peer);
    return is_sent && answer.keeps_alive;
}

// Tells the server's main loop, which then closes the socket.
void Client_announce(void)
{
    struct peer *peer = chx_context();
    atomic_store(&peer->is_announced, true);
    if (write(peer->ended, &peer, sizeof peer) < 0)
        chx_again_when(peer->ended, POLLOUT);
}
