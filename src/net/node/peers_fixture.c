// peers_fixture.c: see peers_fixture.h.

#define _GNU_SOURCE

#include "net/node/peers_fixture.h"

#include "base/check.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

Seen *test_seen(TestNode *node, uint32_t peer)
{
    for (unsigned i = 0; i < node->seen_count; i++)
        if (node->seen[i].number == peer)
            return &node->seen[i];
    CHECK(node->seen_count < PEERS_SEEN);
    Seen *seen = &node->seen[node->seen_count++];
    *seen = (Seen){.number = peer};
    return seen;
}

unsigned test_logged(const TestNode *node, const char *text)
{
    unsigned count = 0;
    for (unsigned i = 0; i < node->log_count && i < LOG_SIZE; i++)
        count += strstr(node->log[i], text) != NULL;
    return count;
}

// ---- handlers ----

static bool on_deliver(void *context, uint32_t peer, const WireFrame *frame)
{
    TestNode *node = context;
    Seen *seen = test_seen(node, peer);
    CHECK(frame->kind == WIRE_DATA);
    if (frame->data.number != seen->next) {
        fprintf(stderr, "frame %llu instead of %llu\n", (unsigned long long)frame->data.number,
                (unsigned long long)seen->next);
        CHECK(!"a frame was lost, came twice or out of order");
    }
    for (size_t i = 0; i < frame->data.value.size; i += 97)
        CHECK(frame->data.value.data[i] == (uint8_t)(frame->data.number + i));
    seen->next++;
    seen->received++;
    seen->bytes += frame->data.value.size;
    if (node->delivered != NULL)
        node->delivered(node, peer, frame);
    return true;
}

static void on_up(void *context, uint32_t peer)
{
    Seen *seen = test_seen(context, peer);
    CHECK(seen->ups == seen->downs + seen->losses || seen->losses > 0);
    seen->ups++;
}

static void on_down(void *context, uint32_t peer)
{
    test_seen(context, peer)->downs++;
}

static void on_lost(void *context, uint32_t peer, LinkLoss loss, const char *why)
{
    Seen *seen = test_seen(context, peer);
    seen->losses++;
    seen->loss = loss;
    seen->next = 0; // the next process begins anew
    snprintf(seen->why, sizeof seen->why, "%s", why);
}

static void on_room(void *context, uint32_t peer)
{
    test_seen(context, peer)->rooms++;
}

static void on_too_large(void *context, uint32_t peer, uint64_t lane, WireKind kind, size_t size, size_t limit)
{
    (void)lane;
    CHECK(kind == WIRE_DATA && size > limit);
    test_seen(context, peer)->too_large++;
}

static void on_same(void *context, uint32_t peer, uint32_t as)
{
    test_seen(context, peer)->same = as;
}

static bool on_is_needed(void *context, uint32_t peer)
{
    const TestNode *node = context;
    (void)peer;
    return node->is_needed;
}

static size_t on_relays(void *context, uint32_t peer, uint32_t *numbers, size_t most)
{
    const TestNode *node = context;
    (void)peer;
    numbers[0] = node->relay;
    return node->relay != PEER_NONE && most > 0 ? 1 : 0;
}

static bool on_may_relay(void *context, uint32_t peer, uint32_t other)
{
    const TestNode *node = context;
    CHECK(peer != other);
    return node->may_relay;
}

static bool on_is_relay(void *context, uint32_t peer)
{
    const TestNode *node = context;
    (void)peer;
    return node->wants_relays;
}

static void on_unreached(void *context, uint32_t peer)
{
    TestNode *node = context;
    (void)peer;
    node->unreached++;
}

static void on_forgotten(void *context, uint32_t peer)
{
    test_seen(context, peer)->forgotten++;
}

static void on_log(void *context, const char *text)
{
    TestNode *node = context;
    if (getenv("PEERS_TEST_LOG") != NULL)
        fprintf(stderr, "[%s] %s\n", node->config.name != NULL ? node->config.name : "", text);
    if (node->log_count < LOG_SIZE)
        snprintf(node->log[node->log_count], sizeof node->log[0], "%s", text);
    node->log_count++;
}

const PeerHandlers test_handlers = {
    .deliver = on_deliver,
    .up = on_up,
    .down = on_down,
    .lost = on_lost,
    .room = on_room,
    .too_large = on_too_large,
    .same = on_same,
    .relays = on_relays,
    .may_relay = on_may_relay,
    .is_relay = on_is_relay,
    .unreached = on_unreached,
    .is_needed = on_is_needed,
    .forgotten = on_forgotten,
    .log = on_log,
};

// ---- nodes ----

static void test_config(Config *config, const char *format, va_list arguments)
{
    char text[4096];
    ConfigErrors errors;
    vsnprintf(text, sizeof text, format, arguments);
    if (!config_parse(text, strlen(text), NULL, config, &errors)) {
        fprintf(stderr, "%d: %s\n", errors.items[0].line, errors.items[0].text);
        CHECK(!"the configuration is wrong");
    }
}

bool test_node_try(TestNode *node, char *why, size_t why_size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *node = (TestNode){0};
    test_config(&node->config, format, arguments);
    va_end(arguments);
    PeersOptions options = {.config = &node->config, .build = "test 1", .handlers = &test_handlers, .context = node};
    node->peers = peers_open(&options, why, why_size);
    if (node->peers == NULL)
        config_free(&node->config);
    return node->peers != NULL;
}

void test_node_open(TestNode *node, const char *format, ...)
{
    char why[512] = "";
    va_list arguments;
    va_start(arguments, format);
    *node = (TestNode){0};
    test_config(&node->config, format, arguments);
    va_end(arguments);
    PeersOptions options = {.config = &node->config, .build = "test 1", .handlers = &test_handlers, .context = node};
    node->peers = peers_open(&options, why, sizeof why);
    if (node->peers == NULL)
        fprintf(stderr, "%s\n", why);
    CHECK(node->peers != NULL);
}

static uint64_t simulated_now(void *context)
{
    return *((const TestNode *)context)->now_ns;
}

static uint64_t simulated_random(void *context)
{
    TestNode *node = context;
    node->random = node->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return node->random ^ node->random >> 29;
}

static void simulated_ready(void *context)
{
    ((TestNode *)context)->is_ready = true;
}

void test_node_open_simulated(TestNode *node, SimNetwork *network, const uint64_t *now_ns, const char *format, ...)
{
    static uint64_t seed;
    char why[512] = "";
    va_list arguments;
    va_start(arguments, format);
    *node = (TestNode){.now_ns = now_ns, .random = ++seed * 7919, .is_ready = true};
    test_config(&node->config, format, arguments);
    va_end(arguments);
    node->net = sim_network_node(network, simulated_ready, node);
    PeersOptions options = {.config = &node->config,
                            .build = "test 1",
                            .carrier = &sim_carrier,
                            .net = node->net,
                            .handlers = &test_handlers,
                            .context = node,
                            .now_ns = simulated_now,
                            .random = simulated_random};
    node->peers = peers_open(&options, why, sizeof why);
    if (node->peers == NULL)
        fprintf(stderr, "%s\n", why);
    CHECK(node->peers != NULL);
}

void test_node_close(TestNode *node)
{
    peers_close(node->peers, "the test ends");
    config_free(&node->config);
    node->peers = NULL;
}

uint32_t test_find(TestNode *node, const char *name, const char *address)
{
    return peers_find(node->peers, wire_text(name), wire_text(address));
}

LinkSending test_send(TestNode *node, uint32_t peer, LinkClass class, uint64_t number, size_t size)
{
    static uint8_t bytes[1 << 20];
    CHECK(size <= sizeof bytes);
    for (size_t i = 0; i < size; i += 97)
        bytes[i] = (uint8_t)(number + i);
    WireData data = {.session = 1, .to = 1, .number = number, .value = {bytes, size}};
    return peers_send(node->peers, peer, class, 7, WIRE_DATA, &data);
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool test_run(TestNode *const *nodes, size_t count, bool (*is_done)(void *context), void *context, unsigned timeout_ms)
{
    uint64_t end_ns = clock_ns() + (uint64_t)timeout_ms * 1000000;
    struct pollfd waits[16];
    CHECK(count <= 16);
    for (size_t i = 0; i < count; i++) {
        waits[i] = (struct pollfd){.fd = peers_descriptor(nodes[i]->peers), .events = POLLIN};
        peers_flush(nodes[i]->peers);
    }
    while (!is_done(context)) {
        if (clock_ns() > end_ns)
            return false;
        poll(waits, (nfds_t)count, 20);
        for (size_t i = 0; i < count; i++)
            if (waits[i].revents != 0)
                peers_step(nodes[i]->peers, clock_ns());
    }
    return true;
}
