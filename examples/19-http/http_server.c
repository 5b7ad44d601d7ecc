// An HTTP server: each connection is a session of the choreography in http.h.
//! no-sim
//! no-process

#define _GNU_SOURCE
#include "http.h"
#include "http.chor.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOOKS = 8 }; // at the connections, within the patience for one

struct connection {
    struct peer peer;
    chx_session *session;
    struct connection *next, **link; // in the list of all
};

struct totals {
    long connections, requests, crashes;
};

struct server {
    int port_socket, signals, patience_ms;
    int ended[2];  // a pipe: the addresses of connections that are over
    bool is_short; // of descriptors or memory: newcomers wait until somebody goes
    struct connection *connections;
    struct totals totals;
};

static int open_port(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int on = 1, port_socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (port_socket < 0 || setsockopt(port_socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(port_socket, (struct sockaddr *)&address, size) < 0 || listen(port_socket, SOMAXCONN) < 0 ||
        getsockname(port_socket, (struct sockaddr *)&address, &size) < 0)
        return -1;
    printf("port %d\n", ntohs(address.sin_port));
    fflush(stdout);
    return port_socket;
}

static void forget(struct connection *connection)
{
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    close(connection->peer.socket);
    free(connection->peer.data);
    free(connection->peer.body);
    free(connection->peer.out);
    free(connection);
}

static void part_with(struct server *server, struct connection *connection)
{
    struct http_connection_result result;
    if (http_connection_wait(connection->session, &result) == CHX_OK) {
        server->totals.requests += result.Client;
        server->totals.crashes += result.Server;
    } else {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "%s:%d: %s failed: %s\n", report->file, report->line, report->role, report->why);
    }
    forget(connection);
    server->is_short = false;
}

static void begin_session(struct server *server, struct connection *connection, int socket)
{
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->peer = (struct peer){.socket = socket, .patience_ms = server->patience_ms, .ended = server->ended[1]};
    connection->next = server->connections;
    connection->link = &server->connections;
    if (connection->next != NULL)
        connection->next->link = &connection->next;
    server->connections = connection;
    struct http_cast cast = {.Client = {.context = &connection->peer}};
    connection->session = http_connection_start(NULL, &cast);
    if (connection->session != NULL) {
        server->totals.connections++;
        return;
    }
    fprintf(stderr, "no session: %s\n", chx_last_report()->why);
    forget(connection);
}

static void welcome(struct server *server)
{
    int socket = accept4(server->port_socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct connection *connection = socket >= 0 ? calloc(1, sizeof *connection) : NULL;
    if (connection != NULL) {
        begin_session(server, connection, socket);
        return;
    }
    server->is_short = socket >= 0 || errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (socket >= 0)
        close(socket);
}

static void take_ended(struct server *server)
{
    struct peer *peer;
    while (read(server->ended[0], &peer, sizeof peer) == sizeof peer)
        part_with(server, (struct connection *)(void *)((char *)peer - offsetof(struct connection, peer)));
}

// Wakes those whose peers are late: they see the end of the stream, or can't send any more. Also finds sessions that have
// failed, which nobody tells of.
static void look_around(struct server *server)
{
    int64_t now = now_ms();
    for (struct connection *connection = server->connections, *next; connection != NULL; connection = next) {
        next = connection->next;
        struct peer *peer = &connection->peer;
        int64_t deadline_ms = atomic_load(&peer->deadline_ms);
        if (deadline_ms != 0 && now >= deadline_ms)
            shutdown(peer->socket, atomic_load(&peer->is_sending) ? SHUT_RDWR : SHUT_RD);
        if (chx_session_is_over(connection->session) && !atomic_load(&peer->is_announced))
            part_with(server, connection);
    }
}

// Waits for what happens next. False: a signal.
static bool attend(struct server *server, int64_t *look_ms)
{
    bool is_full = server->is_short && server->connections != NULL;
    struct pollfd waits[] = {{.fd = server->signals, .events = POLLIN},
                             {.fd = server->ended[0], .events = POLLIN},
                             {.fd = is_full ? -1 : server->port_socket, .events = POLLIN}};
    int64_t left_ms = *look_ms - now_ms();
    poll(waits, 3, left_ms > 0 ? (int)left_ms : 0);
    if (now_ms() >= *look_ms) {
        look_around(server);
        *look_ms = now_ms() + server->patience_ms / LOOKS + 1;
    }
    if (waits[1].revents != 0)
        take_ended(server);
    if (waits[2].revents != 0)
        welcome(server);
    return waits[0].revents == 0;
}

static void serve(struct server *server)
{
    int64_t look_ms = now_ms();
    while (attend(server, &look_ms))
        ;
    // Requests under way are answered, those who are silent see the end of the stream.
    close(server->port_socket);
    close(server->signals);
    server->port_socket = server->signals = -1;
    for (struct connection *connection = server->connections; connection != NULL; connection = connection->next)
        shutdown(connection->peer.socket, SHUT_RD);
    while (server->connections != NULL)
        attend(server, &look_ms);
    close(server->ended[0]);
    close(server->ended[1]);
}

static bool read_option(const char *text, long max, int *value)
{
    char *end;
    long number = text != NULL ? strtol(text, &end, 10) : -1;
    if (number < 0 || number > max || end == text || *end != '\0')
        return false;
    *value = (int)number;
    return true;
}

int main(int argc, char **argv)
{
    static struct server server = {.patience_ms = 10000};
    int port = 8080;
    for (int i = 1; i < argc; i += 2) {
        if (!(strcmp(argv[i], "--port") == 0 && read_option(argv[i + 1], 65535, &port)) &&
            !(strcmp(argv[i], "--patience") == 0 && read_option(argv[i + 1], 1000000, &server.patience_ms))) {
            fprintf(stderr, "usage: %s [--port NUMBER] [--patience MILLISECONDS]\n", argv[0]);
            return 2;
        }
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    // Before there are threads, so that all of them leave these signals to `serve`.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);

    server.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    bool has_pipe = pipe2(server.ended, O_CLOEXEC | O_NONBLOCK) == 0;
    server.port_socket = server.signals >= 0 && has_pipe ? open_port(port) : -1;
    if (server.port_socket < 0) {
        fprintf(stderr, "%s: can't listen on port %d: %s\n", argv[0], port, strerror(errno));
        return 1;
    }
    serve(&server);
    printf("stopped after %ld connections, %ld requests, %ld crashes\n", server.totals.connections,
           server.totals.requests, server.totals.crashes);
    return 0;
}
