// tcp.c: the carrier "tcp".
//
// A host may have several addresses. They are tried in the order in which the system names them, the next one when the last has failed or
// has not answered for a moment; the first connection that is made stays. While this goes on, the stream's descriptor is an epoll descriptor for
// all that is going on; then it is the connection itself.

#define _GNU_SOURCE

#include "net/carrier/carrier.h"
#include "net/config/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { NEXT_ADDRESS_MS = 250, PARTS_MAX = 64 };

typedef struct {
    chx_net *net;
    int fd; // the connection; -1: not yet
    // While it is dialled:
    int waiter, timer;
    Question *question; // NULL: the addresses are known
    ResolvedAddresses addresses;
    size_t next;                          // address to be tried
    int attempts[RESOLVER_ADDRESSES_MAX]; // sockets; -1: none
    int error;                            // of the last attempt that has failed
    int resolver_error;                   // of getaddrinfo
    char name[ADDRESS_TEXT_SIZE];         // what was dialled, or who has called
} TcpStream;

typedef struct {
    chx_net *net;
    int fd;
    int spare; // given up for a moment when there are no more descriptors; -1: there is none
} TcpListener;

chx_net *net_new(unsigned user_timeout_ms)
{
    chx_net *net = calloc(1, sizeof *net);
    if (net == NULL)
        return NULL;
    net->user_timeout_ms = user_timeout_ms;
    net->resolver = resolver_new();
    if (net->resolver != NULL)
        return net;
    free(net);
    return NULL;
}

void net_free(chx_net *net)
{
    if (net == NULL)
        return;
    if (net->library != NULL)
        net->library->close(net);
    resolver_release(net->resolver);
    free(net);
}

// ---- sockets ----

static void set_options(const chx_net *net, int fd)
{
    int on = 1;
    unsigned timeout_ms = net->user_timeout_ms;
    // Frames are put together before they are written: waiting for more would only delay them.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (timeout_ms > 0)
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

static socklen_t length_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static void format_address(const struct sockaddr_storage *address, char *text, size_t size)
{
    char host[INET6_ADDRSTRLEN + 1 + IF_NAMESIZE], port[8];
    if (getnameinfo((const struct sockaddr *)address, length_of(address), host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(text, size, "an unknown address");
    else
        snprintf(text, size, address->ss_family == AF_INET ? "%s:%s" : "[%s]:%s", host, port);
}

static void close_descriptor(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

// ---- streams ----

static TcpStream *new_stream(chx_net *net)
{
    TcpStream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->net = net;
    stream->fd = stream->waiter = stream->timer = -1;
    for (size_t i = 0; i < RESOLVER_ADDRESSES_MAX; i++)
        stream->attempts[i] = -1;
    return stream;
}

static void end_dialling(TcpStream *stream)
{
    for (size_t i = 0; i < RESOLVER_ADDRESSES_MAX; i++)
        close_descriptor(&stream->attempts[i]);
    close_descriptor(&stream->timer);
    close_descriptor(&stream->waiter);
    question_drop(stream->question);
    stream->question = NULL;
}

static void tcp_close(void *context)
{
    TcpStream *stream = context;
    if (stream == NULL)
        return;
    end_dialling(stream);
    close_descriptor(&stream->fd);
    free(stream);
}

static int watch(const TcpStream *stream, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(stream->waiter, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

// ---- dialling ----

// What a stream needs to try addresses. 0, or an error below 0.
static int prepare(TcpStream *stream)
{
    stream->waiter = epoll_create1(EPOLL_CLOEXEC);
    stream->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (stream->waiter < 0 || stream->timer < 0)
        return -errno;
    return watch(stream, stream->timer, EPOLLIN);
}

static int find_addresses(TcpStream *stream, const Address *address)
{
    if (resolver_numeric(address->host, address->port, &stream->addresses))
        return 0;
    int error = resolver_ask(stream->net->resolver, address->host, address->port, &stream->question);
    return error != 0 ? -error : watch(stream, question_descriptor(stream->question), EPOLLIN);
}

static int tcp_dial(chx_net *net, const char *text, void **stream)
{
    Address address;
    if (address_parse(text, &address) != NULL || address.port == 0)
        return -EINVAL;
    TcpStream *dialled = new_stream(net);
    if (dialled == NULL)
        return -ENOMEM;
    snprintf(dialled->name, sizeof dialled->name, "%s", text);
    int error = prepare(dialled);
    if (error == 0)
        error = find_addresses(dialled, &address);
    if (error != 0) {
        tcp_close(dialled);
        return error;
    }
    *stream = dialled;
    return 0;
}

int tcp_dial_addresses(chx_net *net, const char *name, const ResolvedAddresses *addresses, void **stream)
{
    TcpStream *dialled = new_stream(net);
    if (dialled == NULL)
        return -ENOMEM;
    snprintf(dialled->name, sizeof dialled->name, "%s", name);
    dialled->addresses = *addresses;
    dialled->error = EHOSTUNREACH;
    int error = prepare(dialled);
    if (error != 0) {
        tcp_close(dialled);
        return error;
    }
    *stream = dialled;
    return 0;
}

static void start_attempt(TcpStream *stream)
{
    const struct sockaddr_storage *address = &stream->addresses.items[stream->next];
    int *fd = &stream->attempts[stream->next++];
    struct itimerspec later = {.it_value = {.tv_nsec = NEXT_ADDRESS_MS * 1000000L}};
    *fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_begun = *fd >= 0;
    if (is_begun) {
        set_options(stream->net, *fd);
        is_begun = connect(*fd, (const struct sockaddr *)address, length_of(address)) == 0 || errno == EINPROGRESS;
    }
    if (!is_begun)
        stream->error = errno;
    // Only now: epoll says of a socket that is not connecting that it has hung up.
    if (is_begun && watch(stream, *fd, EPOLLOUT) != 0) {
        stream->error = errno;
        is_begun = false;
    }
    if (!is_begun)
        close_descriptor(fd);
    if (stream->next < stream->addresses.count)
        timerfd_settime(stream->timer, 0, &later, NULL);
}

// True: a connection is made, and is the stream's. Attempts that have failed are closed.
static bool take_connection(TcpStream *stream, bool *is_trying)
{
    *is_trying = false;
    for (size_t i = 0; i < stream->next; i++) {
        int *fd = &stream->attempts[i], error = 0;
        struct sockaddr_storage peer;
        socklen_t size = sizeof error, peer_size = sizeof peer;
        if (*fd < 0)
            continue;
        if (getsockopt(*fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
            error = errno;
        if (error == 0 && getpeername(*fd, (struct sockaddr *)&peer, &peer_size) == 0) {
            stream->fd = *fd;
            *fd = -1;
            return true;
        }
        if (error == 0) { // ENOTCONN: not yet
            *is_trying = true;
            continue;
        }
        stream->error = error;
        close_descriptor(fd);
    }
    return false;
}

static bool timer_has_rung(const TcpStream *stream)
{
    uint64_t times;
    return read(stream->timer, &times, sizeof times) == (ssize_t)sizeof times;
}

static int tcp_establish(void *context)
{
    TcpStream *stream = context;
    bool is_trying;
    if (stream->fd >= 0)
        return 0;
    if (stream->waiter < 0)
        return -stream->error;
    if (stream->question != NULL) {
        if (!question_answer(stream->question, &stream->addresses, &stream->resolver_error))
            return -EAGAIN;
        question_drop(stream->question);
        stream->question = NULL;
        stream->error = EHOSTUNREACH;
    }
    bool is_time = timer_has_rung(stream);
    while (!take_connection(stream, &is_trying)) {
        bool has_more = stream->next < stream->addresses.count && stream->resolver_error == 0;
        if (is_trying && !(is_time && has_more))
            return -EAGAIN;
        if (!has_more) {
            end_dialling(stream);
            return -stream->error;
        }
        is_time = false;
        start_attempt(stream);
    }
    end_dialling(stream);
    return 0;
}

// ---- reading and writing ----

static ssize_t tcp_read(void *context, void *data, size_t size)
{
    const TcpStream *stream = context;
    ssize_t count;
    do
        count = recv(stream->fd, data, size, 0);
    while (count < 0 && errno == EINTR);
    return count >= 0 ? count : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

static ssize_t tcp_write(void *context, const struct iovec *parts, int part_count)
{
    const TcpStream *stream = context;
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)part_count};
    ssize_t count;
    if (part_count > PARTS_MAX)
        message.msg_iovlen = PARTS_MAX;
    do
        count = sendmsg(stream->fd, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count >= 0 ? count : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

static int tcp_descriptor(void *context)
{
    const TcpStream *stream = context;
    return stream->fd >= 0 ? stream->fd : stream->waiter;
}

static void tcp_peer(void *context, char *text, size_t size)
{
    const TcpStream *stream = context;
    snprintf(text, size, "%s", stream->name);
}

static void tcp_explain(void *context, int error, char *text, size_t size)
{
    const TcpStream *stream = context;
    error = error < 0 ? -error : error;
    if (stream->resolver_error != 0)
        snprintf(text, size, "the host of '%s' is not known: %s", stream->name,
                 stream->resolver_error == EAI_SYSTEM ? "the system can't look it up"
                                                      : gai_strerror(stream->resolver_error));
    else if (error == ECONNREFUSED)
        snprintf(text, size, "nobody listens at '%s'", stream->name);
    else if (error == ETIMEDOUT)
        snprintf(text, size, "'%s' does not answer", stream->name);
    else
        snprintf(text, size, "the connection with '%s' is broken: %s", stream->name, strerror(error));
}

// ---- listening ----

// Where it listens is looked up at once, and may wait for that: this is done when a node is opened, and addresses are numbers as a
// rule.
static int tcp_listen(chx_net *net, const char *text, void **listener)
{
    Address address;
    int off = 0, on = 1;
    if (address_parse(text, &address) != NULL)
        return -EINVAL;
    char port[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *list;
    snprintf(port, sizeof port, "%u", address.port);
    if (getaddrinfo(address.host, port, &hints, &list) != 0)
        return -EADDRNOTAVAIL;
    TcpListener *made = calloc(1, sizeof *made);
    int error = made == NULL ? ENOMEM : EADDRNOTAVAIL, fd = -1;
    for (const struct addrinfo *at = list; at != NULL && made != NULL; at = at->ai_next) {
        fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0) {
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
            if (at->ai_family == AF_INET6) // [::] is for IPv4, too
                setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
            if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
                break;
        }
        error = errno;
        close_descriptor(&fd);
    }
    freeaddrinfo(list);
    if (fd < 0) {
        free(made);
        return -error;
    }
    *made = (TcpListener){net, fd, open("/dev/null", O_RDONLY | O_CLOEXEC)};
    *listener = made;
    return 0;
}

// There are no more descriptors. Whoever calls would wait for ever, and the listener would be ready for ever: so the call is taken, with
// the spare descriptor, and ended.
static void turn_away(TcpListener *listener)
{
    close_descriptor(&listener->spare);
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
    close_descriptor(&fd);
    listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int tcp_accept(void *context, void **stream)
{
    TcpListener *listener = context;
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd;
    // Some errors are those of a connection that is gone already.
    do
        fd = accept4(listener->fd, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (fd < 0 && (errno == EINTR || errno == ECONNABORTED || errno == EPROTO));
    if (fd < 0) {
        int error = errno == EWOULDBLOCK ? EAGAIN : errno;
        if (error == EMFILE || error == ENFILE)
            turn_away(listener);
        return -error;
    }
    TcpStream *accepted = new_stream(listener->net);
    if (accepted == NULL) {
        close(fd);
        return -ENOMEM;
    }
    accepted->fd = fd;
    set_options(listener->net, fd);
    format_address(&address, accepted->name, sizeof accepted->name);
    *stream = accepted;
    return 0;
}

static int tcp_listener_descriptor(void *context)
{
    return ((const TcpListener *)context)->fd;
}

static int tcp_listener_address(void *context, char *text, size_t size)
{
    const TcpListener *listener = context;
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(listener->fd, (struct sockaddr *)&address, &length) != 0)
        return -errno;
    format_address(&address, text, size);
    return 0;
}

static void tcp_close_listener(void *context)
{
    TcpListener *listener = context;
    if (listener == NULL)
        return;
    close_descriptor(&listener->fd);
    close_descriptor(&listener->spare);
    free(listener);
}

const chx_carrier_ops tcp_carrier = {
    .scheme = "tcp",
    .listen = tcp_listen,
    .accept = tcp_accept,
    .dial = tcp_dial,
    .establish = tcp_establish,
    .read = tcp_read,
    .write = tcp_write,
    .descriptor = tcp_descriptor,
    .peer = tcp_peer,
    .explain = tcp_explain,
    .close = tcp_close,
    .listener_descriptor = tcp_listener_descriptor,
    .listener_address = tcp_listener_address,
    .close_listener = tcp_close_listener,
};
