// Numbered frames between two nodes, over a link, TLS and NATS, while servers are killed, lose messages, or strangers interfere:
// none is lost, none arrives twice, none out of order.

#define _GNU_SOURCE

#include "net/carrier/secure.h"
#include "net/carrier/tls_fixture.h"
#include "net/link/link.h"
#include "net/nats/client.h"
#include "net/nats/fixture.h"

#include <errno.h>
#include <nats/nats.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAMES = 100000, CALLED_MAX = 8, PATIENCE_S = 60, INPUT_SIZE = 64 << 10 };

static const char *const names[2] = {"shop-1", "bank"};

typedef struct {
    int self;
    const chx_carrier_ops *carrier;
    chx_net *net;
    void *listener;
    TlsContext *tls;
    Link link;
    Secure *streams[LINK_CONNECTIONS];
    bool is_made[LINK_CONNECTIONS];    // and not being dialled
    bool has_failed[LINK_CONNECTIONS]; // to be said to the link
    Secure *called[CALLED_MAX];        // their handshake is not over
    uint64_t to_send, sent, received;
    unsigned ups;
    bool is_lost;
} Node;

static TlsFixture certificates;

// ---- what the link asks for ----

static void *get_memory(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void free_memory(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static uint64_t get_random(void *context)
{
    uint64_t number;
    (void)context;
    nats_random(&number, sizeof number);
    return number;
}

static void dial(void *context, unsigned number)
{
    Node *node = context;
    const char *peer = names[1 - node->self];
    int error;
    node->streams[number] = secure_dial(node->carrier, node->net, peer, node->tls, &(TlsExpected){.node = peer},
                                        nats_now_ns() + UINT64_C(5000000000), &error);
    node->is_made[number] = false;
    node->has_failed[number] = node->streams[number] == NULL;
}

static void close_stream(void *context, unsigned number, const char *why)
{
    Node *node = context;
    (void)why;
    secure_close(node->streams[number]);
    node->streams[number] = NULL;
    node->has_failed[number] = false;
}

static bool deliver(void *context, const WireFrame *frame)
{
    Node *node = context;
    if (frame->kind != WIRE_DATA || frame->data.number != node->received + 1)
        fail_msg("%s gets frame %llu after %llu", names[node->self], (unsigned long long)frame->data.number,
                 (unsigned long long)node->received);
    node->received++;
    return true;
}

static bool greet(void *context, unsigned number, const WireHello *hello)
{
    const char *peer = names[1 - ((const Node *)context)->self];
    (void)number;
    return hello->node.size == strlen(peer) && memcmp(hello->node.data, peer, hello->node.size) == 0;
}

static void send_frames(void *context)
{
    static const uint8_t bytes[100];
    Node *node = context;
    while (node->sent < node->to_send) {
        WireData data = {.session = 1, .number = node->sent + 1, .value = {bytes, (node->sent * 7) % sizeof bytes}};
        if (link_send(&node->link, LINK_DATA, 1, WIRE_DATA, &data) != LINK_SENT)
            return;
        node->sent++;
    }
}

static void up(void *context)
{
    ((Node *)context)->ups++;
    send_frames(context);
}

static void down(void *context)
{
    (void)context;
}

static void lost(void *context, LinkLoss loss)
{
    (void)loss;
    ((Node *)context)->is_lost = true;
}

static const LinkEffects effects = {get_memory, free_memory, get_random, dial,        close_stream, deliver,
                                    greet,      up,          down,       send_frames, lost};

// ---- a node ----

static void node_init(Node *node, int self, const char *config, uint64_t frames)
{
    LinkOptions options = link_defaults;
    *node = (Node){.self = self, .to_send = frames};
    node->net = nats_fixture_net(config, false, &node->carrier);
    node->tls = tls_fixture_context(certificates.directory, names[self]);
    assert_int_equal(node->carrier->listen(node->net, names[self], &node->listener), 0);
    nats_random(&options.incarnation, sizeof options.incarnation);
    options.node = names[self];
    options.build = "test";
    options.may_dial = true;
    options.keepalive_ns = 500000000;
    options.retry_most_ns = 200000000;
    link_init(&node->link, &options, &effects, node, nats_now_ns());
    link_open(&node->link, nats_now_ns());
}

static void node_fini(Node *node)
{
    link_fini(&node->link);
    for (int i = 0; i < CALLED_MAX; i++)
        secure_close(node->called[i]);
    node->carrier->close_listener(node->listener);
    net_free(node->net);
    tls_context_release(node->tls);
}

static void accept_calls(Node *node)
{
    for (int i = 0; i < CALLED_MAX; i++) {
        void *stream;
        if (node->called[i] == NULL && node->carrier->accept(node->listener, &stream) == 0)
            node->called[i] = secure_accept(node->carrier, stream, node->tls, false, nats_now_ns() + 5000000000u);
        if (node->called[i] == NULL)
            continue;
        int result = secure_establish(node->called[i]);
        if (result == -EAGAIN && !secure_check_deadline(node->called[i], nats_now_ns()))
            continue;
        int number = result == 0 ? link_accepted(&node->link, nats_now_ns()) : -1;
        if (number < 0) {
            secure_close(node->called[i]);
        } else {
            node->streams[number] = node->called[i];
            node->is_made[number] = true;
        }
        node->called[i] = NULL;
    }
}

static void break_connection(Node *node, unsigned number)
{
    close_stream(node, number, NULL);
    link_broken(&node->link, number, nats_now_ns());
}

// False: the connection is not there any more.
static bool write_output(Node *node, unsigned number)
{
    for (int turns = 0; turns < 64 && node->streams[number] != NULL && link_has_output(&node->link, number); turns++) {
        WireSpan pieces[16];
        struct iovec parts[16];
        unsigned count = link_output(&node->link, number, pieces, 16, INPUT_SIZE, nats_now_ns());
        for (unsigned i = 0; i < count; i++)
            parts[i] = (struct iovec){(void *)pieces[i].data, pieces[i].size};
        ssize_t written = count == 0 ? -EAGAIN : secure_write(node->streams[number], parts, (int)count);
        if (written == -EAGAIN)
            break;
        if (written < 0) {
            break_connection(node, number);
            return false;
        }
        link_wrote(&node->link, number, (size_t)written, nats_now_ns());
    }
    return node->streams[number] != NULL;
}

static void read_input(Node *node, unsigned number)
{
    static uint8_t input[INPUT_SIZE];
    for (int turns = 0; turns < 16 && node->streams[number] != NULL; turns++) {
        ssize_t count = secure_read(node->streams[number], input, sizeof input);
        if (count == -EAGAIN)
            return;
        if (count > 0)
            link_input(&node->link, number, input, (size_t)count, nats_now_ns());
        else
            break_connection(node, number);
    }
}

static void serve_connection(Node *node, unsigned number)
{
    if (node->has_failed[number]) {
        node->has_failed[number] = false;
        link_broken(&node->link, number, nats_now_ns());
    }
    if (node->streams[number] == NULL)
        return;
    if (!node->is_made[number]) {
        int result = secure_establish(node->streams[number]);
        if (result == -EAGAIN && !secure_check_deadline(node->streams[number], nats_now_ns()))
            return;
        if (result != 0) {
            break_connection(node, number);
            return;
        }
        node->is_made[number] = true;
        link_dialled(&node->link, number, nats_now_ns());
    }
    if (write_output(node, number))
        read_input(node, number);
    if (node->streams[number] != NULL)
        write_output(node, number);
    if (node->streams[number] != NULL) {
        int flushed = secure_flush(node->streams[number]);
        if (flushed != 0 && flushed != -EAGAIN)
            break_connection(node, number);
    }
}

static void serve(Node *node)
{
    accept_calls(node);
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        serve_connection(node, i);
    link_tick(&node->link, nats_now_ns());
}

static nfds_t descriptors(const Node *node, struct pollfd *waits)
{
    nfds_t count = 0;
    waits[count++] = (struct pollfd){.fd = node->carrier->listener_descriptor(node->listener), .events = POLLIN};
    for (int i = 0; i < LINK_CONNECTIONS; i++)
        if (node->streams[i] != NULL)
            waits[count++] =
                (struct pollfd){.fd = secure_descriptor(node->streams[i]), .events = secure_events(node->streams[i])};
    for (int i = 0; i < CALLED_MAX; i++)
        if (node->called[i] != NULL)
            waits[count++] =
                (struct pollfd){.fd = secure_descriptor(node->called[i]), .events = secure_events(node->called[i])};
    return count;
}

static bool has_work(const Node *node)
{
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if (node->has_failed[i])
            return true;
    return false;
}

// Both nodes, until something happens to one of them.
static void run_both(Node nodes[2])
{
    struct pollfd waits[2 * (1 + LINK_CONNECTIONS + CALLED_MAX)];
    uint64_t now_ns = nats_now_ns(), next_ns = now_ns + 100000000;
    nfds_t count = 0;
    for (int i = 0; i < 2; i++) {
        serve(&nodes[i]);
        assert_false(nodes[i].is_lost);
        uint64_t due_ns = has_work(&nodes[i]) ? now_ns : link_next_ns(&nodes[i].link);
        next_ns = due_ns < next_ns ? due_ns : next_ns;
        count += descriptors(&nodes[i], waits + count);
    }
    poll(waits, count, next_ns <= now_ns ? 0 : (int)((next_ns - now_ns) / 1000000 + 1));
}

// ---- transfers ----

// What happens meanwhile: so many times, at even distances.
typedef void (*Disturb)(void *context, Node nodes[2], unsigned times);

// The link must have come up at least `ups` times.
static void transfer(const char *const configs[2], unsigned disturbances, unsigned ups, Disturb disturb, void *context)
{
    static Node nodes[2];
    uint64_t begun_ns = nats_now_ns(), until_ns = begun_ns + PATIENCE_S * UINT64_C(1000000000);
    unsigned done = 0;
    for (int i = 0; i < 2; i++)
        node_init(&nodes[i], i, configs[i], i == 0 ? FRAMES : FRAMES / 5);
    while (nodes[1].received < FRAMES || nodes[0].received < FRAMES / 5) {
        run_both(nodes);
        if (done < disturbances && nodes[1].received >= (uint64_t)FRAMES / (disturbances + 1) * (done + 1))
            disturb(context, nodes, done++);
        if (nats_now_ns() > until_ns)
            fail_msg("%llu and %llu frames have arrived, the link was up %u times",
                     (unsigned long long)nodes[1].received, (unsigned long long)nodes[0].received, nodes[0].ups);
    }
    // Nothing comes twice afterwards.
    while (!link_is_idle(&nodes[0].link) || !link_is_idle(&nodes[1].link))
        run_both(nodes);
    assert_true(nodes[1].received == FRAMES && nodes[0].received == FRAMES / 5 && done == disturbances);
    printf("           %.1f s, the link was up %u times\n", (double)(nats_now_ns() - begun_ns) / 1e9, nodes[0].ups);
    assert_true(nodes[0].ups >= ups);
    for (int i = 0; i < 2; i++)
        node_fini(&nodes[i]);
}

static void restart(void *context, Node nodes[2], unsigned times)
{
    (void)nodes;
    (void)times;
    nats_fixture_kill(context);
    nats_fixture_start(context);
}

static void the_server_is_killed_and_started_anew(void **state)
{
    NatsFixture server;
    char config[100];
    (void)state;
    nats_fixture_init(&server, NULL);
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u", server.port);
    transfer((const char *const[]){config, config}, 6, 7, restart, &server);
    nats_fixture_fini(&server);
}

static void kill_one(void *context, Node nodes[2], unsigned times)
{
    NatsFixture *servers = context;
    (void)nodes;
    if (times % 2 == 0)
        nats_fixture_kill(&servers[times / 2]);
    else
        nats_fixture_start(&servers[times / 2]);
}

// Both nodes know all three, and use one of them; so each node's server is killed once.
static void one_of_three_servers_is_killed(void **state)
{
    NatsFixture servers[NATS_FIXTURE_CLUSTER];
    char config[200];
    (void)state;
    nats_fixture_cluster(servers);
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u", servers[0].port,
             servers[1].port, servers[2].port);
    transfer((const char *const[]){config, config}, 6, 2, kill_one, servers);
    for (int i = 0; i < NATS_FIXTURE_CLUSTER; i++)
        nats_fixture_fini(&servers[i]);
}

// The server itself loses one message of fifty, silently: only the numbers show it.
static void the_server_loses_messages(void **state)
{
    NatsFixture server;
    char config[100];
    (void)state;
    nats_fixture_init(&server, "mappings: { \"chorex.to.*.*\": [ "
                               "{ destination: \"chorex.to.$1.$2\", weight: 98% }, "
                               "{ destination: \"chorex.lost.$1.$2\", weight: 2% } ] }");
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u", server.port);
    transfer((const char *const[]){config, config}, 0, 5, NULL, &server);
    nats_fixture_fini(&server);
}

// Somebody who sees all messages puts some of his own between them.
typedef struct {
    natsConnection *connection;
    unsigned seen, put;
} Stranger;

static void interfere(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    static const char rubbish[] = {NATS_DATA, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Stranger *stranger = closure;
    (void)connection;
    (void)subscription;
    // His own come back to him, too.
    bool is_own = natsMsg_GetDataLength(message) == (int)sizeof rubbish;
    if (!is_own && ++stranger->seen % 97 == 0) {
        stranger->put++;
        natsConnection_Publish(stranger->connection, natsMsg_GetSubject(message), rubbish, sizeof rubbish);
    }
    natsMsg_Destroy(message);
}

static void a_stranger_interferes(void **state)
{
    NatsFixture server;
    Stranger stranger = {0};
    natsSubscription *subscription;
    char url[100], config[120];
    (void)state;
    nats_fixture_init(&server, NULL);
    snprintf(url, sizeof url, "nats://127.0.0.1:%u", server.port);
    snprintf(config, sizeof config, "carrier = %s", url);
    assert_int_equal(natsConnection_ConnectTo(&stranger.connection, url), NATS_OK);
    assert_int_equal(
        natsConnection_Subscribe(&subscription, stranger.connection, "chorex.to.*.*", interfere, &stranger), NATS_OK);
    transfer((const char *const[]){config, config}, 0, 3, NULL, NULL);
    natsSubscription_Destroy(subscription);
    natsConnection_Destroy(stranger.connection);
    nats_CloseAndWait(10000); // No callback comes any more.
    assert_true(stranger.put > 0);
    nats_fixture_fini(&server);
}

int main(void)
{
    if (!nats_fixture_exists()) {
        printf("skipped: nats-server is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_server_is_killed_and_started_anew),
        cmocka_unit_test(one_of_three_servers_is_killed),
        cmocka_unit_test(the_server_loses_messages),
        cmocka_unit_test(a_stranger_interferes),
    };
    tls_fixture_init(&certificates);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    tls_fixture_fini(&certificates);
    return failures;
}
