// proxy.c: see proxy.h. A message is a type, a length and the rest; the first one of a client has no type.

#define _GNU_SOURCE

#include "store/postgres/proxy.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 16, BUFFER = 1 << 20, LATE_MS = 40, POLL_MS = 2 };

// One direction: what has come and is not complete yet.
typedef struct {
    unsigned char *bytes;
    size_t size;
    bool has_type;
} Way;

typedef struct {
    int client, server; // -1: closed
    Way up, down;       // to the server, to the client
    uint64_t late_ms;   // when what is late is to be sent to the server; 0: nothing is
    size_t late_size;   // of `up`
} Pair;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct sockaddr_un address_of(const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/.s.PGSQL.5432", folder);
    return address;
}

void proxy_init(Proxy *proxy, const char *server_folder)
{
    *proxy = (Proxy){.folder = "/tmp/chorex-proxy-XXXXXX"};
    snprintf(proxy->real, sizeof proxy->real, "%s", server_folder);
    proxy->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (mkdtemp(proxy->folder) == NULL)
        abort();
    struct sockaddr_un address = address_of(proxy->folder);
    if (bind(proxy->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(proxy->listener, 10) != 0)
        abort();
}

void proxy_fini(Proxy *proxy)
{
    struct sockaddr_un address = address_of(proxy->folder);
    close(proxy->listener);
    unlink(address.sun_path);
    rmdir(proxy->folder);
}

// ---- pairs ----

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void end_pair(Pair *pair)
{
    close_one(&pair->client);
    close_one(&pair->server);
    free(pair->up.bytes);
    free(pair->down.bytes);
    *pair = (Pair){.client = -1, .server = -1};
}

static void accept_client(const Proxy *proxy, Pair pairs[PAIRS])
{
    int client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC);
    struct sockaddr_un address = address_of(proxy->real);
    for (int i = 0; i < PAIRS && client >= 0; i++) {
        if (pairs[i].server >= 0 || pairs[i].client >= 0)
            continue;
        pairs[i] = (Pair){.client = client,
                          .server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                          .up = {.bytes = malloc(BUFFER)},
                          .down = {.bytes = malloc(BUFFER), .has_type = true}};
        if (connect(pairs[i].server, (struct sockaddr *)&address, sizeof address) != 0)
            end_pair(&pairs[i]);
        return;
    }
    close_one(&client);
}

static void send_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes += sent;
        size -= (size_t)sent;
    }
}

// ---- messages ----

// The size of the first message in it; 0: it is not complete.
static size_t message_size(const Way *way)
{
    size_t head = way->has_type ? 5 : 4;
    if (way->size < head)
        return 0;
    const unsigned char *at = way->bytes + head - 4;
    size_t size = ((size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3]) + head - 4;
    return size <= way->size ? size : 0;
}

// False: the pair is over.
static bool disturb(Proxy *proxy, Pair *pair, Way *way, int to, size_t size)
{
    if (proxy->fault == PROXY_KILL)
        kill(proxy->client, SIGKILL);
    if (proxy->fault == PROXY_CUT_HALF)
        send_all(to, way->bytes, size / 2);
    if (proxy->fault == PROXY_CUT_AFTER || (proxy->fault == PROXY_CUT_LATE && way == &pair->down))
        send_all(to, way->bytes, size);
    if (proxy->fault == PROXY_CUT_LATE && way == &pair->up) {
        // All that has come: a statement is several messages.
        close_one(&pair->client);
        pair->late_size = way->size;
        proxy->random = proxy->random * 1664525 + 1013904223;
        pair->late_ms = now_ms() + (proxy->random >> 8) % LATE_MS;
        return true;
    }
    end_pair(pair);
    return false;
}

static void forward(Proxy *proxy, Pair *pair, Way *way, int from, int to)
{
    ssize_t got = way->size < BUFFER ? recv(from, way->bytes + way->size, BUFFER - way->size, 0) : 0;
    if (got <= 0) {
        end_pair(pair);
        return;
    }
    way->size += (size_t)got;
    for (size_t size; (size = message_size(way)) > 0;) {
        if (++proxy->messages == proxy->n && proxy->fault != PROXY_WELL) {
            disturb(proxy, pair, way, to, size);
            return;
        }
        send_all(to, way->bytes, size);
        way->size -= size;
        memmove(way->bytes, way->bytes + size, way->size);
        way->has_type = true;
    }
}

static void serve_pair(Proxy *proxy, Pair *pair, short client_events, short server_events)
{
    if (pair->late_ms > 0) {
        if (now_ms() < pair->late_ms)
            return;
        send_all(pair->server, pair->up.bytes, pair->late_size);
        shutdown(pair->server, SHUT_WR);
        end_pair(pair);
        return;
    }
    if (server_events != 0)
        forward(proxy, pair, &pair->down, pair->server, pair->client);
    if (client_events != 0 && pair->client >= 0)
        forward(proxy, pair, &pair->up, pair->client, pair->server);
}

static bool serve_once(Proxy *proxy, Pair pairs[PAIRS])
{
    struct pollfd waits[1 + 2 * PAIRS] = {{.fd = proxy->listener, .events = POLLIN}};
    bool has_pairs = false;
    for (int i = 0; i < PAIRS; i++) {
        bool is_late = pairs[i].late_ms > 0;
        waits[1 + 2 * i] = (struct pollfd){.fd = is_late ? -1 : pairs[i].client, .events = POLLIN};
        waits[2 + 2 * i] = (struct pollfd){.fd = is_late ? -1 : pairs[i].server, .events = POLLIN};
        has_pairs |= pairs[i].server >= 0;
    }
    if (poll(waits, 1 + 2 * PAIRS, POLL_MS) < 0)
        return has_pairs;
    if (waits[0].revents != 0)
        accept_client(proxy, pairs);
    for (int i = 0; i < PAIRS; i++)
        if (pairs[i].server >= 0)
            serve_pair(proxy, &pairs[i], waits[1 + 2 * i].revents, waits[2 + 2 * i].revents);
    return has_pairs;
}

int proxy_serve(Proxy *proxy, pid_t client)
{
    Pair pairs[PAIRS];
    int status = 0;
    bool is_over = false, has_pairs = true;
    for (int i = 0; i < PAIRS; i++)
        pairs[i] = (Pair){.client = -1, .server = -1};
    proxy->client = client;
    while (!is_over || has_pairs) {
        has_pairs = serve_once(proxy, pairs);
        is_over = is_over || waitpid(client, &status, WNOHANG) == client;
    }
    return status;
}

const char *proxy_fault_text(ProxyFault fault)
{
    static const char *const texts[PROXY_FAULTS] = {"well",      "cut before", "cut in the middle",
                                                    "cut after", "cut, late",  "kill"};
    return texts[fault];
}
