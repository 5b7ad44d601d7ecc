// peers.c: frames between two nodes, through everything that peers.h is: links, TLS, TCP. As in the runtime, the node's descriptor is watched
// by another epoll, edge-triggered.

#define _GNU_SOURCE

#include "bench/links/pair.h"
#include "net/node/peers.h"

#include <sys/epoll.h>

typedef struct {
    PairTask task;
    bool listens;
    Peers *peers;
    uint32_t peer;
    long sent, received;
    bool is_up, is_done;
    uint8_t *bytes;
} Side;

static void fail(const char *why)
{
    fprintf(stderr, "links/peers: %s\n", why);
    exit(1);
}

static bool send_one(Side *side)
{
    WireData data = {.session = 1, .to = 1, .number = (uint64_t)side->sent, .value = {side->bytes, side->task.size}};
    if (peers_send(side->peers, side->peer, LINK_DATA, 1, WIRE_DATA, &data) != LINK_SENT)
        return false;
    side->sent++;
    return true;
}

static void send_all(Side *side)
{
    while (side->sent < side->task.count && send_one(side))
        ;
}

static bool on_deliver(void *context, uint32_t peer, const WireFrame *frame)
{
    Side *side = context;
    side->peer = peer;
    if (frame->data.value.size != side->task.size)
        fail("a frame of another size");
    side->received++;
    if (!side->task.is_stream && (side->listens || side->received < side->task.count))
        send_one(side);
    if (side->task.is_stream && side->listens && side->received == side->task.count)
        send_one(side);
    side->is_done = side->received == (side->task.is_stream && !side->listens ? 1 : side->task.count);
    return true;
}

static void on_room(void *context, uint32_t peer)
{
    (void)peer;
    Side *side = context;
    if (side->task.is_stream && !side->listens)
        send_all(side);
}

static void on_up(void *context, uint32_t peer)
{
    ((Side *)context)->peer = peer;
    ((Side *)context)->is_up = true;
}

static void on_lost(void *context, uint32_t peer, LinkLoss loss, const char *why)
{
    const Side *side = context;
    (void)peer, (void)loss;
    if (side->listens)
        exit(0);
    fail(why);
}

static void on_log(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void step(Side *side, int outer)
{
    struct epoll_event event;
    peers_flush(side->peers);
    if (epoll_wait(outer, &event, 1, -1) == 1)
        peers_step(side->peers, now_ns());
}

static void run(Side *side, int outer)
{
    struct epoll_event event;
    peers_flush(side->peers);
    while (side->listens || !side->is_done)
        if (epoll_wait(outer, &event, 1, -1) == 1)
            peers_step(side->peers, now_ns());
}

int main(int argc, char **argv)
{
    static const PeerHandlers handlers = {
        .deliver = on_deliver, .up = on_up, .room = on_room, .lost = on_lost, .log = on_log};
    int ends[2];
    char text[1000], why[512], address[100] = "";
    Side side = {.task = pair_task(argc, argv)};
    Config config;
    ConfigErrors errors;
    side.listens = pair_fork(ends);
    side.bytes = calloc(1, side.task.size + 1);
    int size = snprintf(text, sizeof text, "[node]\nname = %s\ncerts = %s\n%s", side.listens ? "two" : "one",
                        side.task.directory, side.listens ? "listen = 127.0.0.1:0\n" : "");
    if (!config_parse(text, (size_t)size, NULL, &config, &errors))
        fail(errors.items[0].text);
    side.peers = peers_open(
        &(PeersOptions){.config = &config, .build = "bench", .handlers = &handlers, .context = &side}, why, sizeof why);
    if (side.peers == NULL)
        fail(why);
    int outer = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(outer, EPOLL_CTL_ADD, peers_descriptor(side.peers), &event);
    if (side.listens) {
        strcpy(address, peers_address(side.peers));
        if (write(ends[1], address, sizeof address) < 0)
            return 1;
        run(&side, outer);
    }
    if (read(ends[0], address, sizeof address) <= 0)
        return 1;
    side.peer = peers_find(side.peers, wire_text("two"), wire_text(address));
    while (!side.is_up)
        step(&side, outer);
    Measure measure = measure_begin();
    if (side.task.is_stream)
        send_all(&side);
    else
        send_one(&side);
    run(&side, outer);
    measure_end(&measure);
    measure_print(&measure);
    peers_close(side.peers, "the benchmark ends");
    return 0;
}
