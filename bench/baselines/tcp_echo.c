// tcp_echo.c: the `echo` command of examples/18-tcp-server, written by hand: one thread, one level-triggered epoll instance, one
// read and one write for each event. Prints its port and runs until it is killed.

#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int socket;
    size_t in_end;
    char in[4096], out[8192];
};

static void answer(struct connection *connection)
{
    char *line = connection->in, *end;
    size_t out_end = 0, left = connection->in_end;
    while (left > 0 && (end = memchr(line, '\n', left)) != NULL) {
        size_t size = (size_t)(end - line) + 1;
        if (size > 5 && memcmp(line, "echo ", 5) == 0) {
            memcpy(connection->out + out_end, line + 5, size - 5);
            out_end += size - 5;
        }
        line += size;
        left -= size;
    }
    memmove(connection->in, line, left);
    connection->in_end = left;
    // The load never has so much under way that this would not fit.
    if (out_end > 0 && send(connection->socket, connection->out, out_end, MSG_NOSIGNAL) != (ssize_t)out_end)
        connection->in_end = sizeof connection->in;
}

static void serve(struct connection *connection)
{
    size_t room = sizeof connection->in - connection->in_end;
    ssize_t size = room > 0 ? recv(connection->socket, connection->in + connection->in_end, room, 0) : 0;
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        close(connection->socket);
        free(connection);
        return;
    }
    connection->in_end += (size_t)size;
    answer(connection);
}

static void welcome(int epoll, int listener)
{
    int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    struct connection *connection = socket >= 0 ? calloc(1, sizeof *connection) : NULL;
    if (connection == NULL)
        return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->socket = socket;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

int main(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), epoll = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, SOMAXCONN) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0) {
        perror("tcp_echo");
        return 1;
    }
    struct epoll_event event = {.events = EPOLLIN}, events[64];
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    printf("port %d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr != NULL)
                serve(events[i].data.ptr);
            else
                welcome(epoll, listener);
        }
    }
}
