// tcp_load.c: tcp_load PORT CONNECTIONS REQUESTS DEPTH [hold]: sends `echo` lines over many connections at once, checks every
// answer, and prints the answers per second. On each connection DEPTH requests are under way at any time, sent in one packet. With
// `hold` the connections stay open until the end of standard input.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char request[] = "echo The quick brown fox jumps over the lazy dog 0123456789.\n";
enum { REQUEST_SIZE = sizeof request - 1, ANSWER_SIZE = REQUEST_SIZE - 5, DEPTH_MAX = 64 };

struct connection {
    int socket;
    size_t have; // bytes of the answer that is coming
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void ask(struct connection *connection, long count)
{
    char text[DEPTH_MAX * REQUEST_SIZE];
    for (long i = 0; i < count; i++)
        memcpy(text + i * REQUEST_SIZE, request, REQUEST_SIZE);
    size_t size = (size_t)count * REQUEST_SIZE;
    if (send(connection->socket, text, size, MSG_NOSIGNAL) != (ssize_t)size)
        die("send");
}

// One address of this machine has too few ports for 100,000 connections.
static int connection_open(int port, int index)
{
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (uint32_t)index / 20000)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&own, sizeof own) < 0 ||
        connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

// How many answers have come to their end.
static long take(struct connection *connection)
{
    char text[DEPTH_MAX * ANSWER_SIZE];
    ssize_t size = recv(connection->socket, text, sizeof text, 0);
    if (size <= 0)
        die("recv");
    long answers = 0;
    for (ssize_t i = 0; i < size; i++) {
        if (text[i] != request[5 + connection->have]) {
            fprintf(stderr, "tcp_load: a wrong answer\n");
            exit(1);
        }
        connection->have = (connection->have + 1) % ANSWER_SIZE;
        answers += connection->have == 0;
    }
    return answers;
}

int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 0;
    long requests = argc > 3 ? atol(argv[3]) : 0, depth = argc > 4 ? atol(argv[4]) : 1;
    if (port <= 0 || count <= 0 || requests < count * depth || depth <= 0 || depth > DEPTH_MAX) {
        fprintf(stderr, "usage: tcp_load PORT CONNECTIONS REQUESTS DEPTH [hold]\n");
        return 2;
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct connection *connections = calloc((size_t)count, sizeof *connections);
    if (epoll < 0 || connections == NULL)
        die("tcp_load");
    for (int i = 0; i < count; i++) {
        connections[i].socket = connection_open(port, i);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[i]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, connections[i].socket, &event);
    }
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    long asked = 0, answered = 0;
    for (int i = 0; i < count; i++, asked += depth)
        ask(&connections[i], depth);
    while (answered < requests) {
        struct epoll_event events[64];
        int ready = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            long answers = take(events[i].data.ptr), more = requests - asked;
            answered += answers;
            more = answers < more ? answers : more;
            if (more > 0)
                ask(events[i].data.ptr, more);
            asked += more;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.0f\n", (double)requests / seconds);
    fflush(stdout);
    while (argc > 5 && getchar() != EOF)
        ;
    return 0;
}
