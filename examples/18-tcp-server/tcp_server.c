// A TCP server. Listener opens and closes the port. Acceptor lets peers in, starts a session of the choreography `connection`
// (connection.h) for each, and sees to it that all of them end.
//! no-sim
//! no-process

#define _GNU_SOURCE
#include "connection.h"
#include "connection.chor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum event { NEWCOMER, ENDED, TICK, SIGNAL };
enum { TICKS = 8 }; // of the clock, within the time that a peer may be idle

struct totals {
    uint64_t connections;
    struct counts counts;
};

struct acceptor;

choreography(server, (Listener, Acceptor),
    int                Listener.open_port(int port);
    struct acceptor   *Acceptor.begin(int port_socket, int idle_ms);
    enum event         Acceptor.next_event(struct acceptor *self);
    struct connection *Acceptor.take_ended(struct acceptor *self);
    const char        *Acceptor.part(struct acceptor *self, struct connection *connection);
    bool               Acceptor.has_connections(struct acceptor *self);
    struct totals      Acceptor.end(struct acceptor *self);

    // Waits for the next event, and says who has stopped the server; NULL: nobody has.
    def attend(Acceptor.struct acceptor *self) -> Acceptor.const char * {
        Acceptor.const char *stopped_by = NULL;
        Acceptor.event = next_event(self);
        if (Acceptor.(event == NEWCOMER)) {
            Acceptor.welcome(self);
        } else if (Acceptor.(event == ENDED)) {
            Acceptor.connection = take_ended(self);
            Acceptor.stopped_by = part(self, connection);
        } else if (Acceptor.(event == TICK)) {
            Acceptor.tick(self);
        } else {
            Acceptor.take_signal(self);
            Acceptor.stopped_by = "a signal";
        }
        return Acceptor.stopped_by;
    }

    def run(Listener.int port, Acceptor.int idle_ms) -> Listener.{struct totals, const char *} {
        Listener.port_socket = open_port(port);
        Listener.port_socket ~> Acceptor.port_socket;
        Acceptor.self = begin(port_socket, idle_ms);
        Acceptor.const char *stopped_by = NULL;
        while (Acceptor.(stopped_by == NULL)) {
            Acceptor.stopped_by = attend(Acceptor.self);
        }
        // The order: nobody else is let in, then those who are in are let go.
        Acceptor.stopped_by ~> Listener.stopped_by;
        Listener.close_port(port_socket);
        Listener.(true) ~> Acceptor._;
        Acceptor.hang_up(self);
        while (Acceptor.has_connections(self)) {
            Acceptor._ = attend(Acceptor.self);
        }
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
    chx_session *session;
    struct connection *next, **link; // in the list of all
};

struct acceptor {
    int port_socket, signals, clock;
    int ended[2]; // a pipe: the addresses of connections that are over
    int events;   // an epoll instance with these four in it: one descriptor to wait for
    bool is_full; // no descriptors left: newcomers wait until somebody goes
    _Atomic unsigned ticks;
    struct connection *connections;
    struct totals totals;
};

static bool watch(struct acceptor *self, int operation, int fd, uint32_t events, enum event event)
{
    struct epoll_event wanted = {.events = events, .data.u32 = event};
    return epoll_ctl(self->events, operation, fd, &wanted) == 0;
}

static int clock_start(int idle_ms)
{
    int64_t ns = (int64_t)idle_ms * 1000000 / TICKS + 1;
    struct timespec every = {ns / 1000000000, ns % 1000000000};
    int clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (clock >= 0)
        timerfd_settime(clock, 0, &(struct itimerspec){every, every}, NULL);
    return clock;
}

struct acceptor *Acceptor_begin(int port_socket, int idle_ms)
{
    struct acceptor *self = chx_alloc(sizeof *self);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    self->port_socket = port_socket;
    self->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    self->clock = clock_start(idle_ms);
    self->events = epoll_create1(EPOLL_CLOEXEC);
    if (pipe2(self->ended, O_CLOEXEC | O_NONBLOCK) < 0 || !watch(self, EPOLL_CTL_ADD, port_socket, EPOLLIN, NEWCOMER) ||
        !watch(self, EPOLL_CTL_ADD, self->signals, EPOLLIN, SIGNAL) ||
        !watch(self, EPOLL_CTL_ADD, self->ended[0], EPOLLIN, ENDED) ||
        !watch(self, EPOLL_CTL_ADD, self->clock, EPOLLIN, TICK))
        chx_fail("can't wait for connections: %s", strerror(errno));
    return self;
}

// Waits for all of them at once, without a thread.
enum event Acceptor_next_event(struct acceptor *self)
{
    struct epoll_event event;
    if (epoll_wait(self->events, &event, 1, 0) != 1)
        chx_again_when(self->events, POLLIN);
    return (enum event)event.data.u32;
}

static void set_full(struct acceptor *self, bool is_full)
{
    if (self->is_full != is_full)
        watch(self, EPOLL_CTL_MOD, self->port_socket, is_full ? 0 : EPOLLIN, NEWCOMER);
    self->is_full = is_full;
}

static void forget(struct connection *connection)
{
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    close(connection->peer.socket);
    free(connection->peer.in);
    free(connection->peer.out);
    free(connection);
}

static void begin_session(struct acceptor *self, struct connection *connection, int socket)
{
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->peer = (struct peer){
        .socket = socket, .ended = self->ended[1], .ticks = &self->ticks, .active_at = atomic_load(&self->ticks)};
    connection->next = self->connections;
    connection->link = &self->connections;
    if (connection->next != NULL)
        connection->next->link = &connection->next;
    self->connections = connection;
    struct connection_cast cast = {.Client = {.context = &connection->peer}};
    connection->session = connection_serve_start(NULL, &cast);
    if (connection->session != NULL) {
        self->totals.connections++;
        return;
    }
    fprintf(stderr, "no session: %s\n", chx_last_report()->why);
    forget(connection);
}

void Acceptor_welcome(struct acceptor *self)
{
    int socket = accept4(self->port_socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct connection *connection = socket >= 0 ? calloc(1, sizeof *connection) : NULL;
    if (connection != NULL) {
        begin_session(self, connection, socket);
        return;
    }
    bool is_exhausted = socket >= 0 || errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    set_full(self, is_exhausted && self->connections != NULL);
    if (socket >= 0)
        close(socket);
}

struct connection *Acceptor_take_ended(struct acceptor *self)
{
    struct peer *peer = NULL;
    if (read(self->ended[0], &peer, sizeof peer) != sizeof peer)
        chx_again_when(self->ended[0], POLLIN);
    return (struct connection *)(void *)((char *)peer - offsetof(struct connection, peer));
}

// Takes a session's results. Who stops the server; NULL: nobody does.
const char *Acceptor_part(struct acceptor *self, struct connection *connection)
{
    // Client has done its last step; Handler may not.
    if (!chx_session_is_over(connection->session))
        chx_again_when_over(connection->session);
    struct connection_serve_result result;
    const char *stopped_by = NULL;
    if (connection_serve_wait(connection->session, &result) == CHX_OK) {
        self->totals.counts.lines += result.Handler.lines;
        self->totals.counts.bytes += result.Handler.bytes;
        self->totals.counts.crashes += result.Handler.crashes;
        stopped_by = result.Client == STOP_SERVER ? "a client" : NULL;
    } else {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "%s:%d: %s failed: %s\n", report->file, report->line, report->role, report->why);
    }
    forget(connection);
    set_full(self, false);
    return stopped_by;
}

// Ends connections on which nothing has moved for too long: their sessions then see the end of the stream. Also finds sessions
// that have failed, which nobody tells of.
void Acceptor_tick(struct acceptor *self)
{
    uint64_t count = 0;
    if (read(self->clock, &count, sizeof count) < 0)
        return;
    unsigned now = atomic_fetch_add(&self->ticks, 1) + 1;
    for (struct connection *connection = self->connections, *next; connection != NULL; connection = next) {
        next = connection->next;
        struct peer *peer = &connection->peer;
        if (now - atomic_load(&peer->active_at) > TICKS)
            shutdown(peer->socket, SHUT_RDWR);
        if (chx_session_is_over(connection->session) && !atomic_load(&peer->is_announced))
            Acceptor_part(self, connection);
    }
}

void Acceptor_take_signal(struct acceptor *self)
{
    struct signalfd_siginfo info;
    while (read(self->signals, &info, sizeof info) > 0)
        ;
}

void Acceptor_hang_up(struct acceptor *self)
{
    for (struct connection *connection = self->connections; connection != NULL; connection = connection->next)
        shutdown(connection->peer.socket, SHUT_RDWR);
}

bool Acceptor_has_connections(struct acceptor *self)
{
    return self->connections != NULL;
}

struct totals Acceptor_end(struct acceptor *self)
{
    const int opened[] = {self->events, self->signals, self->clock, self->ended[0], self->ended[1]};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        close(opened[i]);
    return self->totals;
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
    int port = 7000, idle_ms = 60000;
    for (int i = 1; i < argc; i += 2) {
        if (!(strcmp(argv[i], "--port") == 0 && read_option(argv[i + 1], 65535, &port)) &&
            !(strcmp(argv[i], "--idle") == 0 && read_option(argv[i + 1], 100000000, &idle_ms))) {
            fprintf(stderr, "usage: %s [--port NUMBER] [--idle MILLISECONDS]\n", argv[0]);
            return 2;
        }
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
    if (server_run(&result, NULL, port, idle_ms) != CHX_OK) {
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
