// plain.c: messages between two processes over TLS, written by hand: epoll, a socket, OpenSSL. A message is its size (4 bytes) and its bytes.
// What is to be sent is collected, up to 64 messages, and written as few records; nothing is numbered, acknowledged or kept.

#define _GNU_SOURCE

#include "bench/links/pair.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { OUTPUT_SIZE = 128 << 10, INPUT_SIZE = 256 << 10, AT_ONCE = 64 };

typedef struct {
    PairTask task;
    bool listens, is_done, wants_room;
    SSL *ssl;
    int poller, fd;
    long sent, received;
    uint8_t *bytes;
    size_t output_at, output_size, input_size;
    int output_count; // messages
    uint8_t output[OUTPUT_SIZE], input[INPUT_SIZE];
} Side;

static void fail(const char *why)
{
    fprintf(stderr, "links/plain: %s\n", why);
    exit(1);
}

static void set_waiting(Side *side, bool wants_room)
{
    if (side->wants_room == wants_room)
        return;
    struct epoll_event event = {.events = wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN};
    epoll_ctl(side->poller, EPOLL_CTL_MOD, side->fd, &event);
    side->wants_room = wants_room;
}

static void flush(Side *side)
{
    while (side->output_at < side->output_size) {
        int count = SSL_write(side->ssl, side->output + side->output_at, (int)(side->output_size - side->output_at));
        if (count <= 0) {
            if (SSL_get_error(side->ssl, count) != SSL_ERROR_WANT_WRITE)
                fail("writing failed");
            set_waiting(side, true);
            return;
        }
        side->output_at += (size_t)count;
    }
    side->output_at = side->output_size = 0;
    side->output_count = 0;
    set_waiting(side, false);
}

static bool send_one(Side *side)
{
    uint32_t size = (uint32_t)side->task.size;
    if (OUTPUT_SIZE - side->output_size < size + 4 || side->output_count == AT_ONCE)
        return false;
    side->output_count++;
    memcpy(side->output + side->output_size, &size, 4);
    memcpy(side->output + side->output_size + 4, side->bytes, size);
    side->output_size += size + 4;
    side->sent++;
    return true;
}

static void send_all(Side *side)
{
    do {
        while (side->sent < side->task.count && send_one(side))
            ;
        flush(side);
    } while (side->sent < side->task.count && !side->wants_room);
}

static void take_message(Side *side, size_t size)
{
    if (size != side->task.size)
        fail("a message of another size");
    side->received++;
    if (!side->task.is_stream && (side->listens || side->received < side->task.count))
        send_one(side);
    if (side->task.is_stream && side->listens && side->received == side->task.count)
        send_one(side);
    side->is_done = side->received == (side->task.is_stream && !side->listens ? 1 : side->task.count);
}

static void take_input(Side *side)
{
    size_t at = 0;
    while (side->input_size - at >= 4) {
        uint32_t size;
        memcpy(&size, side->input + at, 4);
        if (side->input_size - at - 4 < size)
            break;
        take_message(side, size);
        at += size + 4;
    }
    side->input_size -= at;
    memmove(side->input, side->input + at, side->input_size);
}

static void step(Side *side)
{
    for (;;) {
        int count = SSL_read(side->ssl, side->input + side->input_size, (int)(INPUT_SIZE - side->input_size));
        if (count <= 0) {
            int error = SSL_get_error(side->ssl, count);
            if (error == SSL_ERROR_WANT_READ)
                break;
            if (side->listens)
                exit(0);
            fail("reading failed");
        }
        side->input_size += (size_t)count;
        take_input(side);
        if (side->input_size == 0 && !SSL_has_pending(side->ssl))
            break;
    }
    flush(side);
    if (side->task.is_stream && !side->listens && side->sent < side->task.count && !side->wants_room)
        send_all(side);
}

static void run(Side *side)
{
    struct epoll_event event;
    step(side); // something may have been read with the handshake
    while (side->listens || !side->is_done)
        if (epoll_wait(side->poller, &event, 1, -1) == 1)
            step(side);
}

static SSL_CTX *open_context(const char *directory, const char *name)
{
    char ca[300], certificate[300], key[300];
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    snprintf(ca, sizeof ca, "%s/ca.pem", directory);
    snprintf(certificate, sizeof certificate, "%s/%s.pem", directory, name);
    snprintf(key, sizeof key, "%s/%s.key", directory, name);
    if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_load_verify_file(context, ca) != 1 || SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") != 1)
        fail("the certificates can't be read");
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return context;
}

static int connect_pair(const Side *side, const int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (side->listens) {
        int listener = fd;
        if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
            getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
            write(ends[1], &address.sin_port, sizeof address.sin_port) < 0)
            fail("listening failed");
        fd = accept(listener, NULL, NULL);
    } else if (read(ends[0], &address.sin_port, sizeof address.sin_port) <= 0 ||
               connect(fd, (struct sockaddr *)&address, size) != 0) {
        fail("dialling failed");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

int main(int argc, char **argv)
{
    static Side side;
    int ends[2];
    side.task = pair_task(argc, argv);
    side.listens = pair_fork(ends);
    side.bytes = calloc(1, side.task.size + 1);
    side.fd = connect_pair(&side, ends);
    side.ssl = SSL_new(open_context(side.task.directory, side.listens ? "two" : "one"));
    SSL_set_fd(side.ssl, side.fd);
    if ((side.listens ? SSL_accept(side.ssl) : SSL_connect(side.ssl)) != 1)
        fail("the handshake failed");
    fcntl(side.fd, F_SETFL, O_NONBLOCK);
    side.poller = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(side.poller, EPOLL_CTL_ADD, side.fd, &event);
    if (side.listens)
        run(&side);
    Measure measure = measure_begin();
    if (side.task.is_stream)
        send_all(&side);
    else
        send_one(&side);
    run(&side);
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
