// An HTTP server: each connection is a session of the choreography in http.h.
//! no-sim
//! no-process

#define _GNU_SOURCE
#include "http.h"
#include "http.chor.h"

#include <errno.h>
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

// Each of them may wait for its peer in a function of Client's, which takes a thread. More peers wait until one goes.
enum {
    CONNECTION_LIMIT = 128,
    DESCRIPTORS = 2 * CONNECTION_LIMIT + 32, // a connection takes two, the socket and its session's
};

struct connection {
    chx_session *session; // NULL: the place is free
    struct peer peer;
};

struct totals {
    long connections, requests, crashes;
};

struct server {
    int port_socket, signals, patience_ms;
    bool is_short; // the system is: newcomers wait until somebody goes
    struct connection connections[CONNECTION_LIMIT];
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
    close(connection->peer.socket);
    connection->session = NULL;
    server->is_short = false;
}

static void welcome(struct server *server, struct connection *connection)
{
    int on = 1, socket = accept4(server->port_socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
        server->is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        return;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->peer = (struct peer){.socket = socket, .patience_ms = server->patience_ms};
    struct http_cast cast = {.Client = {.context = &connection->peer}};
    connection->session = http_connection_start(NULL, &cast);
    if (connection->session == NULL) {
        fprintf(stderr, "no session: %s\n", chx_last_report()->why);
        close(socket);
        return;
    }
    server->totals.connections++;
    if (chx_session_fd(connection->session) < 0) {
        // Nobody would notice its end.
        shutdown(socket, SHUT_RDWR);
        part_with(server, connection);
        server->is_short = true;
    }
}

static void serve(struct server *server)
{
    for (;;) {
        struct pollfd waits[2 + CONNECTION_LIMIT];
        struct connection *waiting[CONNECTION_LIMIT], *place = NULL;
        unsigned count = 0;
        for (int i = 0; i < CONNECTION_LIMIT; i++) {
            struct connection *connection = &server->connections[i];
            if (connection->session == NULL) {
                place = connection;
                continue;
            }
            waits[2 + count] = (struct pollfd){.fd = chx_session_fd(connection->session), .events = POLLIN};
            waiting[count++] = connection;
        }
        bool is_full = place == NULL || (server->is_short && count > 0);
        waits[0] = (struct pollfd){.fd = server->signals, .events = POLLIN};
        waits[1] = (struct pollfd){.fd = is_full ? -1 : server->port_socket, .events = POLLIN};
        if (poll(waits, 2 + count, -1) < 0)
            continue;
        if (waits[0].revents != 0)
            return;
        if (waits[1].revents != 0)
            welcome(server, place);
        for (unsigned i = 0; i < count; i++)
            if (waits[2 + i].revents != 0)
                part_with(server, waiting[i]);
    }
}

// Requests under way are answered, those who are silent see the end of the stream.
static void stop(struct server *server)
{
    close(server->port_socket);
    for (int i = 0; i < CONNECTION_LIMIT; i++)
        if (server->connections[i].session != NULL)
            shutdown(server->connections[i].peer.socket, SHUT_RD);
    for (int i = 0; i < CONNECTION_LIMIT; i++)
        if (server->connections[i].session != NULL)
            part_with(server, &server->connections[i]);
    close(server->signals);
}

static bool has_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    if (limit.rlim_cur < DESCRIPTORS && limit.rlim_max >= DESCRIPTORS) {
        limit.rlim_cur = DESCRIPTORS;
        return setrlimit(RLIMIT_NOFILE, &limit) == 0;
    }
    return limit.rlim_cur >= DESCRIPTORS;
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
    if (!has_descriptors()) {
        fprintf(stderr, "%s: needs %d descriptors, see `ulimit -n`\n", argv[0], DESCRIPTORS);
        return 1;
    }
    // Before there are threads, so that all of them leave these signals to `serve`.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);

    server.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    server.port_socket = server.signals >= 0 ? open_port(port) : -1;
    if (server.port_socket < 0) {
        fprintf(stderr, "%s: can't listen on port %d: %s\n", argv[0], port, strerror(errno));
        return 1;
    }
    serve(&server);
    stop(&server);
    printf("stopped after %ld connections, %ld requests, %ld crashes\n", server.totals.connections,
           server.totals.requests, server.totals.crashes);
    return 0;
}
