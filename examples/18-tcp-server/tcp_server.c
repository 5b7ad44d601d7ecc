// A TCP server. Listener opens and closes the port. Acceptor waits for all sockets at once and, whenever a peer has sent
// something, runs a session of the choreography `connection` (connection.h) with it.
//! no-sim
//! no-process

#define _GNU_SOURCE
#include "connection.h"
#include "connection.chor.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum event { NEWCOMER, SPEAKER, SIGNAL };

struct totals {
    uint64_t connections;
    struct counts counts;
};

struct acceptor;

choreography(server, (Listener, Acceptor),
    int              Listener.open_port(int port);
    struct acceptor *Acceptor.begin(int port_socket);
    enum event       Acceptor.next_event(struct acceptor *self);
    const char      *Acceptor.visit(struct acceptor *self);
    struct totals    Acceptor.end(struct acceptor *self);

    def run(Listener.int port) -> Listener.{struct totals, const char *} {
        Listener.port_socket = open_port(port);
        Listener.port_socket ~> Acceptor.port_socket;
        Acceptor.self = begin(port_socket);
        Acceptor.const char *stopped_by = NULL;
        while (Acceptor.(stopped_by == NULL)) {
            switch (Acceptor.next_event(self)) {
            case NEWCOMER:
                Acceptor.welcome(self);
                break;
            case SPEAKER:
                Acceptor.stopped_by = visit(self);
                break;
            case SIGNAL:
                Acceptor.stopped_by = "a signal";
                break;
            }
        }
        // The order: nobody else is let in, then those who are in are let go.
        Acceptor.stopped_by ~> Listener.stopped_by;
        Listener.close_port(port_socket);
        Listener.(true) ~> Acceptor._;
        Acceptor.end(self) ~> Listener.totals;
        return Listener.{totals, stopped_by};
    }
)

#include "server.Listener.chor.h"
#include "server.Acceptor.chor.h"

// ---- Listener ----

int Listener_open_port(int port)
{
    // Only for this machine: anybody who can connect can stop the server.
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int on = 1, port_socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (port_socket < 0 || setsockopt(port_socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(port_socket, (struct sockaddr *)&address, size) < 0 || listen(port_socket, SOMAXCONN) < 0 ||
        getsockname(port_socket, (struct sockaddr *)&address, &size) < 0)
        chx_fail("can't listen on port %d: %s", port, strerror(errno));
    printf("port %d\n", ntohs(address.sin_port));
    fflush(stdout);
    return port_socket;
}

void Listener_close_port(int port_socket)
{
    close(port_socket);
}

// ---- Acceptor ----

struct connection {
    struct peer peer;
    struct counts counts;
    enum wait waits_for;
    struct connection *next, **link; // in the list of all
};

enum { EVENTS_AT_ONCE = 64 };

struct acceptor {
    int epoll, port_socket, signals;
    bool is_full; // no descriptors left: newcomers wait until somebody goes
    struct connection *connections;
    struct totals totals;
    int event_count, event; // those that epoll_wait gave, and the one that it is about
    struct epoll_event events[EVENTS_AT_ONCE];
};

static bool watch(struct acceptor *self, int operation, int fd, uint32_t events, void *tag)
{
    struct epoll_event event = {.events = events, .data.ptr = tag};
    return epoll_ctl(self->epoll, operation, fd, &event) == 0;
}

struct acceptor *Acceptor_begin(int port_socket)
{
    struct acceptor *self = chx_alloc(sizeof *self);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    self->port_socket = port_socket;
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    self->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (self->epoll < 0 || self->signals < 0 || !watch(self, EPOLL_CTL_ADD, port_socket, EPOLLIN, &self->port_socket) ||
        !watch(self, EPOLL_CTL_ADD, self->signals, EPOLLIN, &self->signals))
        chx_fail("can't wait for connections: %s", strerror(errno));
    return self;
}

enum event Acceptor_next_event(struct acceptor *self)
{
    self->event++;
    while (self->event >= self->event_count) {
        self->event_count = epoll_wait(self->epoll, self->events, EVENTS_AT_ONCE, -1);
        self->event = 0;
    }
    void *tag = self->events[self->event].data.ptr;
    return tag == &self->port_socket ? NEWCOMER : tag == &self->signals ? SIGNAL : SPEAKER;
}

static void set_full(struct acceptor *self, bool is_full)
{
    if (self->is_full != is_full)
        watch(self, EPOLL_CTL_MOD, self->port_socket, is_full ? 0 : EPOLLIN, &self->port_socket);
    self->is_full = is_full;
}

void Acceptor_welcome(struct acceptor *self)
{
    int on = 1, socket = accept4(self->port_socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct connection *connection = socket >= 0 ? calloc(1, sizeof *connection) : NULL;
    if (connection == NULL || !watch(self, EPOLL_CTL_ADD, socket, EPOLLIN, connection)) {
        bool is_exhausted = socket >= 0 || errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        set_full(self, is_exhausted && self->connections != NULL);
        free(connection);
        if (socket >= 0)
            close(socket);
        return;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->peer.socket = socket;
    connection->next = self->connections;
    connection->link = &self->connections;
    if (connection->next != NULL)
        connection->next->link = &connection->next;
    self->connections = connection;
    self->totals.connections++;
}

static void let_go(struct acceptor *self, struct connection *connection)
{
    self->totals.counts.lines += connection->counts.lines;
    self->totals.counts.bytes += connection->counts.bytes;
    self->totals.counts.crashes += connection->counts.crashes;
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    close(connection->peer.socket);
    free(connection->peer.out);
    free(connection);
    set_full(self, false);
}

// Who stops the server; NULL: nobody does.
const char *Acceptor_visit(struct acceptor *self)
{
    struct connection *connection = self->events[self->event].data.ptr;
    struct connection_cast cast = {.Client = {.context = &connection->peer}};
    struct connection_visit_result result;
    if (connection_visit(&result, &cast, connection->counts) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "%s:%d: %s failed: %s\n", report->file, report->line, report->role, report->why);
        let_go(self, connection);
        return NULL;
    }
    connection->counts = result.Handler;
    enum wait wait = result.Client.v0;
    if (wait == WAIT_FOR_NOTHING) {
        let_go(self, connection);
    } else if (wait != connection->waits_for) {
        connection->waits_for = wait;
        watch(self, EPOLL_CTL_MOD, connection->peer.socket, wait == WAIT_FOR_ROOM ? EPOLLOUT : EPOLLIN, connection);
    }
    return result.Client.v1 == STOP_SERVER ? "a client" : NULL;
}

struct totals Acceptor_end(struct acceptor *self)
{
    while (self->connections != NULL)
        let_go(self, self->connections);
    close(self->epoll);
    close(self->signals);
    return self->totals;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long port = argc == 3 && strcmp(argv[1], "--port") == 0 ? strtol(argv[2], &end, 10) : argc == 1 ? 7000 : -1;
    if (port < 0 || port > 65535 || (end != NULL && (end == argv[2] || *end != '\0'))) {
        fprintf(stderr, "usage: %s [--port NUMBER]    0: any free port; without it: 7000\n", argv[0]);
        return 2;
    }
    // Before there are threads, so that all of them leave these signals to Acceptor.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }

    struct server_run_result result;
    if (server_run(&result, NULL, (int)port) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "%s: %s: %s\n", argv[0], report->role, report->why);
        return 1;
    }
    const struct totals *totals = &result.Listener.v0;
    printf("stopped by %s after %" PRIu64 " connections, %" PRIu64 " lines, %" PRIu64 " bytes, %" PRIu64 " crashes\n",
           result.Listener.v1, totals->connections, totals->counts.lines, totals->counts.bytes, totals->counts.crashes);
    server_run_result_drop(&result);
    return 0;
}
