// client.c: plays Client, the owner of a socket. Its functions wait for the peer, but never longer than its patience lasts.

#include "http.h"
#include "http.Client.chor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool wait_until(int socket, short events, int64_t deadline_ms)
{
    for (;;) {
        int64_t left_ms = deadline_ms - now_ms();
        struct pollfd wanted = {.fd = socket, .events = events};
        int count = poll(&wanted, 1, left_ms > 0 ? (int)left_ms : 0);
        if (count > 0)
            return true;
        if (count == 0 || errno != EINTR)
            return false;
    }
}

// Reads something, at most `room`. IS_COMPLETE: `*size` bytes, at least one, have come.
static enum end receive(struct peer *peer, void *data, size_t room, int64_t deadline_ms, size_t *size)
{
    *size = 0;
    for (;;) {
        ssize_t received = recv(peer->socket, data, room, MSG_DONTWAIT);
        if (received > 0) {
            *size = (size_t)received;
            return IS_COMPLETE;
        }
        bool is_early = received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
        if (!is_early) {
            peer->has_ended = true;
            return IS_CUT_SHORT;
        }
        if (!wait_until(peer->socket, POLLIN, deadline_ms))
            return IS_TOO_SLOW;
    }
}

static bool send_all(struct peer *peer, const void *data, size_t size, int64_t deadline_ms)
{
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(peer->socket, (const char *)data + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            done += (size_t)sent;
        else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return false;
        else if (!wait_until(peer->socket, POLLOUT, deadline_ms))
            return false;
    }
    return true;
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

// False: there is no further request.
bool Client_read_head(void)
{
    struct peer *peer = chx_context();
    int64_t deadline_ms = now_ms() + peer->patience_ms;
    peer->head_end = IS_COMPLETE;
    for (;;) {
        // Empty lines before a request are to be ignored.
        while (peer->size >= 2 && memcmp(peer->data, "\r\n", 2) == 0)
            forget(peer, 2);
        peer->head_size = head_size(peer);
        if (peer->head_size > 0)
            return true;
        if (peer->size == sizeof peer->data)
            peer->head_end = IS_TOO_LARGE;
        size_t size = 0;
        if (peer->head_end == IS_COMPLETE)
            peer->head_end = receive(peer, peer->data + peer->size, sizeof peer->data - peer->size, deadline_ms, &size);
        peer->size += size;
        if (peer->head_end != IS_COMPLETE) {
            peer->head_size = peer->size;
            return peer->size > 0;
        }
    }
}

struct part Client_take_head(void)
{
    struct peer *peer = chx_context();
    struct part head = {peer->head_end, chx_bytes_new(peer->data, peer->head_size)};
    forget(peer, peer->head_size);
    return head;
}

struct part Client_read_body(uint64_t size, bool expects_continue)
{
    struct peer *peer = chx_context();
    int64_t deadline_ms = now_ms() + peer->patience_ms;
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (size > BODY_LIMIT)
        chx_fail("a body of %llu bytes was asked for", (unsigned long long)size);
    if (expects_continue && peer->size == 0 && !send_all(peer, go_on, sizeof go_on - 1, deadline_ms))
        return (struct part){IS_CUT_SHORT, {0}};
    char *body = malloc(size);
    if (body == NULL)
        chx_fail("no memory for a body");
    size_t done = peer->size < size ? peer->size : size;
    memcpy(body, peer->data, done);
    forget(peer, done);
    enum end end = IS_COMPLETE;
    while (done < size && end == IS_COMPLETE) {
        size_t received;
        end = receive(peer, body + done, size - done, deadline_ms, &received);
        done += received;
    }
    struct part part = {end, chx_bytes_new(body, done)};
    free(body);
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
static void hang_up(struct peer *peer, int64_t deadline_ms)
{
    size_t size = 0, sum = 0;
    shutdown(peer->socket, SHUT_WR);
    while (!peer->has_ended && sum < BODY_LIMIT &&
           receive(peer, peer->data, sizeof peer->data, deadline_ms, &size) == IS_COMPLETE)
        sum += size;
}

// Can the peer send another request?
bool Client_send(struct answer answer)
{
    struct peer *peer = chx_context();
    int64_t deadline_ms = now_ms() + peer->patience_ms;
    char date[64];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &utc));
    chx_str head =
        chx_strf("HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%sConnection: %s\r\n\r\n",
                 answer.status, reason(answer.status), date, chx_cstr(answer.type), chx_bytes_len(answer.body),
                 chx_cstr(answer.fields), answer.keeps_alive ? "keep-alive" : "close");
    bool is_sent =
        send_all(peer, chx_cstr(head), chx_str_len(head), deadline_ms) &&
        (answer.is_head || send_all(peer, chx_bytes_data(answer.body), chx_bytes_len(answer.body), deadline_ms));
    if (is_sent && !answer.keeps_alive)
        hang_up(peer, deadline_ms);
    return is_sent && answer.keeps_alive;
}
