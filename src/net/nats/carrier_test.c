// The carrier over NATS, with real servers: what every carrier does; what strangers may send; servers that are missing, stand
// still, or want to know who somebody is.

#define _GNU_SOURCE

#include "net/carrier/carrier_conform.h"
#include "net/carrier/tls_fixture.h"
#include "net/nats/client.h"
#include "net/nats/fixture.h"

#include <errno.h>
#include <nats/nats.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 20000 };

static void settle(const World *world)
{
    nats_fixture_settle(world->nets[0]);
    nats_fixture_settle(world->nets[1]);
}

// A name of its own for each world: what was sent at the end of one may come a little later than what is sent in the next.
static World make_world(const NatsFixture *server, bool is_patient)
{
    static char address[NATS_ADDRESS_SIZE];
    static unsigned worlds;
    World world = {.address = address, .settle = settle};
    snprintf(address, sizeof address, "shop.%u", ++worlds);
    world.nets[0] = nats_fixture_net_at(server, is_patient, &world.carrier);
    world.nets[1] = nats_fixture_net_at(server, is_patient, &world.carrier);
    return world;
}

static World world_at(const NatsFixture *server)
{
    return make_world(server, true);
}

static void nats_conforms(void **state)
{
    for (uint32_t seed = 1; seed <= 5; seed++) {
        World world = world_at(*state);
        conforms(&world, seed);
        world_fini(&world);
    }
}

// ---- helpers ----

static int establish(const World *world, void *stream)
{
    int result;
    while ((result = world->carrier->establish(stream)) == -EAGAIN)
        assert_true(wait_for(world, world->carrier->descriptor(stream), -1, POLLIN));
    return result;
}

static void *dial(const World *world, chx_net *net, const char *address)
{
    void *stream;
    assert_int_equal(world->carrier->dial(net, address, &stream), 0);
    return stream;
}

static void *accept_one(const World *world, void *listener)
{
    void *stream;
    int result;
    while ((result = world->carrier->accept(listener, &stream)) == -EAGAIN)
        assert_true(wait_for(world, world->carrier->listener_descriptor(listener), -1, POLLIN));
    assert_int_equal(result, 0);
    return stream;
}

// What comes at last: 0, or an error.
static ssize_t end_of(const World *world, void *stream)
{
    char bytes[1000];
    ssize_t count;
    while ((count = world->carrier->read(stream, bytes, sizeof bytes)) > 0 || count == -EAGAIN)
        if (count == -EAGAIN)
            assert_true(wait_for(world, world->carrier->descriptor(stream), -1, POLLIN));
    return count;
}

static void expect_bytes(const World *world, void *from, void *to)
{
    char bytes[10];
    ssize_t count;
    assert_int_equal(world->carrier->write(from, &(struct iovec){"hello", 5}, 1), 5);
    while ((count = world->carrier->read(to, bytes, sizeof bytes)) == -EAGAIN)
        assert_true(wait_for(world, world->carrier->descriptor(to), -1, POLLIN));
    assert_int_equal(count, 5);
}

static void expect_why(const World *world, void *stream, int error, const char *expected)
{
    char text[400];
    world->carrier->explain(stream, error, text, sizeof text);
    if (strstr(text, expected) == NULL)
        fail_msg("'%s' is not in '%s'", expected, text);
}

// ---- strangers ----

// Somebody who can publish and subscribe as he likes.
typedef struct {
    natsConnection *connection;
    natsSubscription *spy; // for the subjects of all streams
} Stranger;

static Stranger stranger_at(const NatsFixture *server)
{
    char url[100];
    Stranger stranger;
    snprintf(url, sizeof url, "nats://127.0.0.1:%u", server->port);
    assert_int_equal(natsConnection_ConnectTo(&stranger.connection, url), NATS_OK);
    assert_int_equal(natsConnection_SubscribeSync(&stranger.spy, stranger.connection, "chorex.to.*.*"), NATS_OK);
    assert_int_equal(natsConnection_Flush(stranger.connection), NATS_OK);
    return stranger;
}

static void stranger_fini(Stranger *stranger)
{
    natsSubscription_Destroy(stranger->spy);
    natsConnection_Destroy(stranger->connection);
}

static void say(const Stranger *stranger, const char *subject, const char *reply, const void *data, size_t size)
{
    natsStatus status = reply == NULL
                            ? natsConnection_Publish(stranger->connection, subject, data, (int)size)
                            : natsConnection_PublishRequest(stranger->connection, subject, reply, data, (int)size);
    assert_int_equal(status, NATS_OK);
    assert_int_equal(natsConnection_Flush(stranger->connection), NATS_OK);
}

// The subjects of both ends of the stream that was opened last: its ACCEPT names them.
static void overhear(const Stranger *stranger, char dialler[NATS_SUBJECT_SIZE], char other[NATS_SUBJECT_SIZE])
{
    for (;;) {
        natsMsg *message;
        assert_int_equal(natsSubscription_NextMsg(&message, stranger->spy, PATIENCE_MS), NATS_OK);
        bool is_accept = natsMsg_GetDataLength(message) == 6 && natsMsg_GetData(message)[0] == NATS_ACCEPT &&
                         natsMsg_GetReply(message) != NULL;
        if (is_accept) {
            snprintf(dialler, NATS_SUBJECT_SIZE, "%s", natsMsg_GetSubject(message));
            snprintf(other, NATS_SUBJECT_SIZE, "%s", natsMsg_GetReply(message));
        }
        natsMsg_Destroy(message);
        if (is_accept)
            return;
    }
}

// What is said to this subject next.
static natsMsg *overhear_at(const Stranger *stranger, const char *subject)
{
    for (;;) {
        natsMsg *message;
        assert_int_equal(natsSubscription_NextMsg(&message, stranger->spy, PATIENCE_MS), NATS_OK);
        if (strcmp(natsMsg_GetSubject(message), subject) == 0)
            return message;
        natsMsg_Destroy(message);
    }
}

static void who_calls_in_a_wrong_way_is_not_heard(void **state)
{
    static const char open[] = {NATS_OPEN, NATS_VERSION, 0, 0, 4, 0};
    static const char end[] = "chorex.to.0123456789abcdef0123456789abcdef.0123456789abcdef";
    static const char *const replies[] = {NULL,
                                          "chorex.node.shop",
                                          "_INBOX.x",
                                          "$SYS.REQ.SERVER.PING",
                                          "chorex.to.0123456789abcdef0123456789abcdef.*",
                                          "chorex.to.0123456789abcdef0123456789ABCDEF.0123456789abcdef"};
    World world = world_at(*state);
    Stranger stranger = stranger_at(*state);
    Connection connection = connect_both(&world);
    char node[NATS_SUBJECT_SIZE];
    bool is_pool;
    void *stream;
    assert_true(nats_subject_of_address(connection.address, node, &is_pool));
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++)
        say(&stranger, node, replies[i], open, sizeof open);
    for (size_t size = 0; size < sizeof open; size++)
        if (size != 2) // of another version: that is answered
            say(&stranger, node, end, open, size);
    for (char kind = 0; kind < 100; kind++) {
        char other[] = {kind, NATS_VERSION, 0, 0, 4, 0};
        if (kind != NATS_OPEN)
            say(&stranger, node, end, other, sizeof other);
    }
    // Only who calls in the right way is accepted, behind all of them.
    void *client = dial(&world, world.nets[0], connection.address);
    assert_int_equal(establish(&world, client), 0);
    void *server = accept_one(&world, connection.listener);
    expect_bytes(&world, client, server);
    assert_int_equal(world.carrier->accept(connection.listener, &stream), -EAGAIN);
    world.carrier->close(client);
    world.carrier->close(server);
    disconnect(&world, &connection);
    stranger_fini(&stranger);
    world_fini(&world);
}

static void another_version_is_answered(void **state)
{
    char subject[NATS_SUBJECT_SIZE], node[NATS_SUBJECT_SIZE];
    bool is_pool;
    World world = world_at(*state);
    Stranger stranger = stranger_at(*state);
    natsSubscription *calls;
    natsMsg *message;
    // Somebody calls who speaks another one.
    void *listener;
    assert_int_equal(world.carrier->listen(world.nets[1], world.address, &listener), 0);
    settle(&world);
    nats_subject_of_stream("0123456789abcdef0123456789abcdef", 7, subject);
    assert_true(nats_subject_of_address(world.address, node, &is_pool));
    say(&stranger, node, subject, (const char[]){NATS_OPEN, NATS_VERSION + 1, 9, 9}, 4);
    message = overhear_at(&stranger, subject);
    assert_memory_equal(natsMsg_GetData(message), ((const char[]){NATS_RESET, NATS_BECAUSE_VERSION}), 2);
    natsMsg_Destroy(message);
    world.carrier->close_listener(listener);
    // Somebody is called who does.
    assert_int_equal(natsConnection_SubscribeSync(&calls, stranger.connection, "chorex.node.future"), NATS_OK);
    assert_int_equal(natsConnection_Flush(stranger.connection), NATS_OK);
    void *stream = dial(&world, world.nets[0], "future");
    assert_int_equal(natsSubscription_NextMsg(&message, calls, PATIENCE_MS), NATS_OK);
    say(&stranger, natsMsg_GetReply(message), NULL, (const char[]){NATS_RESET, NATS_BECAUSE_VERSION}, 2);
    natsMsg_Destroy(message);
    assert_int_equal(establish(&world, stream), -EPROTONOSUPPORT);
    expect_why(&world, stream, -EPROTONOSUPPORT, "'future' speaks another version");
    world.carrier->close(stream);
    natsSubscription_Destroy(calls);
    stranger_fini(&stranger);
    world_fini(&world);
}

typedef struct {
    const char *what;
    size_t size;
    int error; // of the end that gets it
    char bytes[20];
} Hostile;

static const Hostile hostile[] = {
    {"nothing", 0, EPROTO, ""},
    {"no kind", 9, EPROTO, {0, 1}},
    {"an unknown kind", 9, EPROTO, {77, 1}},
    {"OPEN", 6, EPROTO, {NATS_OPEN, NATS_VERSION, 0, 0, 4, 0}},
    {"ACCEPT without a subject", 6, EPROTO, {NATS_ACCEPT, NATS_VERSION, 0, 0, 4, 0}},
    {"RESET without a reason", 1, EPROTO, {NATS_RESET}},
    {"RESET with an unknown reason", 2, EPROTO, {NATS_RESET, 99}},
    {"RESET", 2, ECONNRESET, {NATS_RESET, NATS_BECAUSE_LOST}},
    {"DATA without bytes", 9, EPROTO, {NATS_DATA, 2}},
    {"half a DATA", 5, EPROTO, {NATS_DATA, 2}},
    {"DATA too late", 10, EPROTO, {NATS_DATA, 1}},
    {"DATA too early", 10, ECONNRESET, {NATS_DATA, 3}},
    {"DATA from far away", 10, ECONNRESET, {NATS_DATA, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"CREDIT that is too short", 16, EPROTO, {NATS_CREDIT, 2}},
    {"CREDIT for less", 17, EPROTO, {NATS_CREDIT, 2}},
    {"CREDIT for all", 17, EPROTO, {NATS_CREDIT, 2, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1}},
    {"FIN that is too long", 10, EPROTO, {NATS_FIN, 2}},
    {"FIN too early", 9, ECONNRESET, {NATS_FIN, 9}},
};

static void who_interferes_breaks_one_stream(void **state)
{
    World world = world_at(*state);
    Stranger stranger = stranger_at(*state);
    Connection connection = connect_both(&world);
    char dialler[NATS_SUBJECT_SIZE], other[NATS_SUBJECT_SIZE];
    overhear(&stranger, dialler, other);
    for (size_t i = 0; i < 2 * sizeof hostile / sizeof hostile[0]; i++) {
        const Hostile *message = &hostile[i / 2];
        void *client = dial(&world, world.nets[0], connection.address);
        assert_int_equal(establish(&world, client), 0);
        void *server = accept_one(&world, connection.listener);
        overhear(&stranger, dialler, other);
        expect_bytes(&world, client, server);
        expect_bytes(&world, server, client);
        say(&stranger, i % 2 == 0 ? other : dialler, NULL, message->bytes, message->size);
        ssize_t here = end_of(&world, i % 2 == 0 ? server : client);
        if (here != -message->error)
            fail_msg("%s: error %zd instead of %d", message->what, here, -message->error);
        // The other end is told, except where a stranger says that it is broken.
        if (message->bytes[0] != NATS_RESET || message->error == EPROTO) {
            ssize_t there = end_of(&world, i % 2 == 0 ? client : server);
            assert_true(there == -EPROTO || there == -ECONNRESET);
        }
        world.carrier->close(client);
        world.carrier->close(server);
        expect_bytes(&world, connection.client, connection.server);
        expect_bytes(&world, connection.server, connection.client);
    }
    disconnect(&world, &connection);
    stranger_fini(&stranger);
    world_fini(&world);
}

static void messages_for_others_are_ignored(void **state)
{
    World world = world_at(*state);
    Stranger stranger = stranger_at(*state);
    Connection connection = connect_both(&world);
    char dialler[NATS_SUBJECT_SIZE], other[NATS_SUBJECT_SIZE], accepted[NATS_SUBJECT_SIZE];
    overhear(&stranger, dialler, other);
    char *last = &other[strlen(other) - 1];
    *last = *last == '0' ? '1' : '0'; // of the same node, but there is no such stream
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
        say(&stranger, other, NULL, hostile[i].bytes, hostile[i].size);
    other[strlen(other) - 2] = 'x';
    say(&stranger, other, NULL, "x", 1);
    // A second answer to the same call: the one who has sent it is told that he is not needed.
    nats_subject_of_stream("0123456789abcdef0123456789abcdef", 7, accepted);
    const char accept[] = {NATS_ACCEPT, NATS_VERSION, 0, 0, 4, 0};
    say(&stranger, dialler, accepted, accept, sizeof accept);
    natsMsg *message = overhear_at(&stranger, accepted);
    assert_memory_equal(natsMsg_GetData(message), ((const char[]){NATS_RESET, NATS_BECAUSE_UNKNOWN}), 2);
    natsMsg_Destroy(message);
    expect_bytes(&world, connection.client, connection.server);
    expect_bytes(&world, connection.server, connection.client);
    disconnect(&world, &connection);
    stranger_fini(&stranger);
    world_fini(&world);
}

// ---- limits ----

static void who_does_not_read_stops_only_the_sender(void **state)
{
    static char bytes[100000];
    World world = world_at(*state);
    Connection slow = connect_both(&world);
    void *client = dial(&world, world.nets[0], slow.address);
    assert_int_equal(establish(&world, client), 0);
    void *server = accept_one(&world, slow.listener);
    size_t sent = 0, received = 0;
    // Until nothing moves any more: both sockets and the window are full.
    for (;;) {
        ssize_t count = world.carrier->write(slow.client, &(struct iovec){bytes, sizeof bytes}, 1);
        struct pollfd wait = {.fd = world.carrier->descriptor(slow.client), .events = POLLOUT};
        if (count > 0)
            sent += (size_t)count;
        else if (poll(&wait, 1, 300) == 0)
            break;
    }
    assert_in_range(sent, NATS_WINDOW, 1 << 20);
    expect_bytes(&world, client, server);
    // It goes on where it stood, and the descriptor says when.
    while (received < sent) {
        ssize_t count = world.carrier->read(slow.server, bytes, sizeof bytes);
        received += count > 0 ? (size_t)count : 0;
        assert_true(count > 0 ||
                    (count == -EAGAIN && wait_for(&world, world.carrier->descriptor(slow.server), -1, POLLIN)));
    }
    assert_true(wait_for(&world, world.carrier->descriptor(slow.client), -1, POLLOUT));
    // What was written before a stream is closed arrives also if there was no room for it then.
    for (sent = 0;;) {
        ssize_t count = world.carrier->write(slow.client, &(struct iovec){bytes, sizeof bytes}, 1);
        struct pollfd wait = {.fd = world.carrier->descriptor(slow.client), .events = POLLOUT};
        if (count > 0)
            sent += (size_t)count;
        else if (poll(&wait, 1, 300) == 0)
            break;
    }
    world.carrier->close(slow.client);
    slow.client = NULL;
    for (ssize_t count; (count = world.carrier->read(slow.server, bytes, sizeof bytes)) != 0;) {
        assert_true(count > 0 ||
                    (count == -EAGAIN && wait_for(&world, world.carrier->descriptor(slow.server), -1, POLLIN)));
        sent -= count > 0 ? (size_t)count : 0;
    }
    assert_int_equal(sent, 0);
    world.carrier->close(client);
    world.carrier->close(server);
    disconnect(&world, &slow);
    world_fini(&world);
}

// More than the node's socket holds: the rest is kept until it reads, although the other end is gone.
static void the_end_comes_behind_all_bytes(void **state)
{
    static char bytes[NATS_WINDOW];
    World world = world_at(*state);
    Connection connection = connect_both(&world);
    size_t sent = 0, received = 0;
    ssize_t count;
    while (sent < sizeof bytes) {
        count = world.carrier->write(connection.client, &(struct iovec){bytes, sizeof bytes - sent}, 1);
        sent += count > 0 ? (size_t)count : 0;
        assert_true(count > 0 || wait_for(&world, world.carrier->descriptor(connection.client), -1, POLLOUT));
    }
    world.carrier->close(connection.client);
    connection.client = NULL;
    for (int i = 0; i < 3; i++)
        settle(&world);
    while ((count = world.carrier->read(connection.server, bytes, 10000)) != 0) {
        received += count > 0 ? (size_t)count : 0;
        assert_true(count > 0 ||
                    (count == -EAGAIN && wait_for(&world, world.carrier->descriptor(connection.server), -1, POLLIN)));
    }
    assert_int_equal(received, sent);
    disconnect(&world, &connection);
    world_fini(&world);
}

static void only_so_many_wait_to_be_accepted(void **state)
{
    World world = world_at(*state);
    void *listener, *streams[NATS_BACKLOG + 1];
    assert_int_equal(world.carrier->listen(world.nets[1], world.address, &listener), 0);
    settle(&world);
    for (int i = 0; i <= NATS_BACKLOG; i++) {
        streams[i] = dial(&world, world.nets[0], world.address);
        assert_int_equal(establish(&world, streams[i]), i < NATS_BACKLOG ? 0 : -ECONNREFUSED);
    }
    expect_why(&world, streams[NATS_BACKLOG], -ECONNREFUSED, "' has too many connections");
    for (int i = 0; i <= NATS_BACKLOG; i++)
        world.carrier->close(streams[i]);
    world.carrier->close_listener(listener);
    world_fini(&world);
}

// ---- names ----

static void the_first_of_two_with_the_same_name_is_talked_to(void **state)
{
    World world = world_at(*state);
    const chx_carrier_ops *carrier = world.carrier;
    chx_net *third = nats_fixture_net_at(*state, true, &carrier);
    void *listeners[2], *called[2];
    assert_int_equal(carrier->listen(world.nets[1], world.address, &listeners[0]), 0);
    assert_int_equal(carrier->listen(third, world.address, &listeners[1]), 0);
    settle(&world);
    nats_fixture_settle(third);
    void *client = dial(&world, world.nets[0], world.address);
    assert_int_equal(establish(&world, client), 0);
    assert_int_equal(carrier->write(client, &(struct iovec){"x", 1}, 1), 1);
    unsigned heard = 0, told = 0;
    for (int i = 0; i < 2; i++) {
        char bytes[10];
        ssize_t count;
        called[i] = accept_one(&world, listeners[i]);
        while ((count = carrier->read(called[i], bytes, sizeof bytes)) == -EAGAIN)
            assert_true(wait_for(&world, carrier->descriptor(called[i]), -1, POLLIN));
        heard += count == 1;
        told += count == -ECONNRESET;
    }
    assert_true(heard == 1 && told == 1);
    carrier->close(client);
    for (int i = 0; i < 2; i++) {
        carrier->close(called[i]);
        carrier->close_listener(listeners[i]);
    }
    net_free(third);
    world_fini(&world);
}

static void one_of_a_pool_is_called(void **state)
{
    World world = world_at(*state);
    const chx_carrier_ops *carrier = world.carrier;
    chx_net *third = nats_fixture_net_at(*state, true, &carrier);
    void *listeners[2], *streams[40], *called;
    unsigned calls[2] = {0};
    assert_int_equal(carrier->listen(world.nets[1], "pool/worker", &listeners[0]), 0);
    assert_int_equal(carrier->listen(third, "pool/worker", &listeners[1]), 0);
    settle(&world);
    nats_fixture_settle(third);
    for (int i = 0; i < 40; i++) {
        streams[i] = dial(&world, world.nets[0], "pool/worker");
        assert_int_equal(establish(&world, streams[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        for (; carrier->accept(listeners[i], &called) == 0; calls[i]++)
            carrier->close(called);
    assert_true(calls[0] + calls[1] == 40 && calls[0] > 0 && calls[1] > 0);
    for (int i = 0; i < 40; i++)
        carrier->close(streams[i]);
    for (int i = 0; i < 2; i++)
        carrier->close_listener(listeners[i]);
    net_free(third);
    world_fini(&world);
}

static void who_does_not_answer_is_given_up(void **state)
{
    World world = make_world(*state, false);
    Stranger stranger = stranger_at(*state);
    natsSubscription *calls;
    assert_int_equal(natsConnection_SubscribeSync(&calls, stranger.connection, "chorex.node.silent"), NATS_OK);
    assert_int_equal(natsConnection_Flush(stranger.connection), NATS_OK);
    void *stream = dial(&world, world.nets[0], "silent");
    assert_int_equal(establish(&world, stream), -ETIMEDOUT);
    expect_why(&world, stream, -ETIMEDOUT, "'silent' does not answer");
    world.carrier->close(stream);
    natsSubscription_Destroy(calls);
    stranger_fini(&stranger);
    world_fini(&world);
}

static void what_is_no_name_can_not_be_dialled(void **state)
{
    World world = world_at(*state);
    void *stream;
    assert_int_equal(world.carrier->dial(world.nets[0], "shop:7741", &stream), -EINVAL);
    assert_int_equal(world.carrier->dial(world.nets[0], "*", &stream), -EINVAL);
    assert_int_equal(world.carrier->listen(world.nets[0], "chorex.>", &stream), -EINVAL);
    world_fini(&world);
}

// ---- servers ----

static void a_server_that_stands_still_holds_nobody_up(void **state)
{
    NatsFixture server;
    static char bytes[100000];
    (void)state;
    nats_fixture_init(&server, NULL);
    World world = make_world(&server, false);
    Connection connection = connect_both(&world);
    kill(server.pid, SIGSTOP);
    uint64_t begun_ns = nats_now_ns();
    for (int i = 0; i < 100; i++)
        world.carrier->write(connection.client, &(struct iovec){bytes, sizeof bytes}, 1);
    void *second = dial(&world, world.nets[0], connection.address);
    assert_int_equal(world.carrier->read(connection.client, bytes, sizeof bytes), -EAGAIN);
    world.carrier->close(second);
    assert_true(nats_now_ns() - begun_ns < 1000000000);
    // libnats finds out that the server does not answer.
    assert_int_equal(end_of(&world, connection.client), -ECONNRESET);
    expect_why(&world, connection.client, -ECONNRESET, "the connection with the NATS server was lost");
    kill(server.pid, SIGCONT);
    // The other node may find it out only now. A link dials again, too.
    for (int result = -EAGAIN, i = 0; result != 0; i++) {
        settle(&world);
        second = dial(&world, world.nets[0], connection.address);
        result = establish(&world, second);
        world.carrier->close(second);
        assert_true(i < 20);
    }
    disconnect(&world, &connection);
    world_fini(&world);
    nats_fixture_fini(&server);
}

static void a_server_may_come_later(void **state)
{
    NatsFixture server;
    char expected[100];
    (void)state;
    nats_fixture_init(&server, NULL);
    nats_fixture_kill(&server);
    World world = world_at(&server);
    void *listener, *stream = dial(&world, world.nets[0], "shop");
    assert_int_equal(world.carrier->listen(world.nets[1], "shop", &listener), 0);
    assert_int_equal(establish(&world, stream), -ENETUNREACH);
    snprintf(expected, sizeof expected, "no connection with the NATS server nats://127.0.0.1:%u: ", server.port);
    expect_why(&world, stream, -ENETUNREACH, expected);
    world.carrier->close(stream);
    nats_fixture_start(&server);
    settle(&world);
    stream = dial(&world, world.nets[0], "shop");
    assert_int_equal(establish(&world, stream), 0);
    world.carrier->close(stream);
    world.carrier->close_listener(listener);
    world_fini(&world);
    nats_fixture_fini(&server);
}

// Dials with this configuration: 0, or an error, and then why.
static int try_server(const char *config, char *why, size_t size)
{
    World world = {0};
    world.nets[0] = nats_fixture_net(config, true, &world.carrier);
    void *stream = dial(&world, world.nets[0], "shop");
    int result = establish(&world, stream);
    world.carrier->explain(stream, result, why, size);
    world.carrier->close(stream);
    net_free(world.nets[0]);
    return result;
}

// ECONNREFUSED: the server was reached, and nobody listens there.
static void expect_server(const char *config, const char *refused)
{
    char why[400];
    int result = try_server(config, why, sizeof why);
    if (refused == NULL && result != -ECONNREFUSED)
        fail_msg("%s: %s", config, why);
    if (refused != NULL && (result != -ENETUNREACH || strstr(why, refused) == NULL))
        fail_msg("%s: '%s' is not in '%s'", config, refused, why);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_true(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void the_server_may_want_a_password(void **state)
{
    NatsFixture server;
    char config[300], path[100];
    (void)state;
    nats_fixture_init(&server, "authorization { user: shop, password: \"open sesame\" }");
    snprintf(path, sizeof path, "%s/password", server.directory);
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_user = shop\ncarrier_password = %s",
             server.port, path);
    expect_server(config, path); // It is not there.
    write_file(path, "open sesame\n");
    expect_server(config, NULL);
    write_file(path, "open barley\n");
    expect_server(config, "uthorization");
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u", server.port);
    expect_server(config, "uthorization");
    unlink(path);
    nats_fixture_fini(&server);
}

static void the_server_may_want_credentials(void **state)
{
    NatsFixture server;
    char config[300], path[100];
    (void)state;
    nats_fixture_init(&server, "authorization { user: shop, password: x }");
    snprintf(path, sizeof path, "%s/shop.creds", server.directory);
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_credentials = %s", server.port, path);
    expect_server(config, path); // They are not there.
    write_file(path, "nothing of that kind\n");
    expect_server(config, "");
    unlink(path);
    nats_fixture_fini(&server);
}

// Those that docs/nats.md names.
static void a_node_needs_few_rights(void **state)
{
    NatsFixture server;
    char config[300], path[100];
    World world = {.address = "shop.1", .settle = settle};
    (void)state;
    nats_fixture_init(&server, "authorization { users: [ { user: shop, password: x, permissions: { "
                               "publish: [ \"chorex.node.*\", \"chorex.pool.*\", \"chorex.to.>\" ], "
                               "subscribe: [ \"chorex.node.shop~1\", \"chorex.to.*.*\" ] } } ] }");
    snprintf(path, sizeof path, "%s/password", server.directory);
    write_file(path, "x\n");
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_user = shop\ncarrier_password = %s",
             server.port, path);
    for (int i = 0; i < 2; i++)
        world.nets[i] = nats_fixture_net(config, true, &world.carrier);
    conforms(&world, 1);
    world_fini(&world);
    unlink(path);
    nats_fixture_fini(&server);
}

static void the_server_may_have_tls(void **state)
{
    TlsFixture certificates;
    NatsFixture server;
    char more[500], config[500];
    const char *at = certificates.directory;
    (void)state;
    tls_fixture_init(&certificates);
    tls_fixture_node(at, &certificates.issuer,
                     &(TlsFixtureNode){.common_name = "nats", .names = "IP:127.0.0.1,DNS:localhost"});
    snprintf(more, sizeof more,
             "tls { cert_file: \"%s/nats.pem\", key_file: \"%s/nats.key\", ca_file: \"%s/ca.pem\", verify: true }", at,
             at, at);
    nats_fixture_init(&server, more);
    const char *form =
        "carrier = nats://127.0.0.1:%u\ncarrier_ca = %s/ca.pem\ncarrier_cert = %s/%s.pem\ncarrier_key = %s/%s.key";
    snprintf(config, sizeof config, form, server.port, at, at, "bank", at, "bank");
    expect_server(config, NULL);
    // Another authority's server, and a node that has no certificate, or another authority's.
    snprintf(config, sizeof config, form, server.port, certificates.other, at, "bank", at, "bank");
    expect_server(config, "");
    snprintf(config, sizeof config, form, server.port, at, certificates.other, "shop-1", certificates.other, "shop-1");
    expect_server(config, "");
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_ca = %s/ca.pem", server.port, at);
    expect_server(config, "");
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_ca = %s/nowhere.pem", server.port, at);
    expect_server(config, "nowhere.pem' can't be used: No such file");
    nats_fixture_fini(&server);
    // A server whose certificate is for another host.
    snprintf(more, sizeof more, "tls { cert_file: \"%s/bank.pem\", key_file: \"%s/bank.key\" }", at, at);
    nats_fixture_init(&server, more);
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_ca = %s/ca.pem", server.port, at);
    expect_server(config, "");
    nats_fixture_fini(&server);
    tls_fixture_fini(&certificates);
}

// A server without TLS, to which a node must not talk that expects it.
static void a_server_without_tls_is_refused_where_it_is_expected(void **state)
{
    TlsFixture certificates;
    char config[300];
    tls_fixture_init(&certificates);
    snprintf(config, sizeof config, "carrier = nats://127.0.0.1:%u\ncarrier_ca = %s/ca.pem",
             ((const NatsFixture *)*state)->port, certificates.directory);
    expect_server(config, "");
    tls_fixture_fini(&certificates);
}

static void signals_of_the_program_stay_as_they_were(void **state)
{
    struct sigaction before, after;
    sigaction(SIGPIPE, NULL, &before);
    World world = world_at(*state);
    settle(&world);
    world_fini(&world);
    sigaction(SIGPIPE, NULL, &after);
    assert_true(before.sa_handler == SIG_DFL && after.sa_handler == SIG_DFL);
}

static void the_configuration_chooses_the_carrier(void **state)
{
    (void)state;
    const chx_carrier_ops *carrier = NULL;
    char why[200];
    Config config;
    ConfigErrors errors;
    const char text[] = "[node]\nname = shop-1\ncerts = x\nlisten = 127.0.0.1:7741\n[nodes]\nbank = b:1\n";
    assert_true(config_parse(text, strlen(text), NULL, &config, &errors));
    chx_net *net = net_new(0);
    assert_int_equal(carrier_open(net, &config, &carrier, why, sizeof why), 0);
    assert_string_equal(carrier->scheme, "tcp");
    assert_string_equal(carrier_own_address(&config), "127.0.0.1:7741");
    assert_string_equal(carrier_address_of(&config, "bank"), "b:1");
    assert_null(carrier_address_of(&config, "shop"));
    config_free(&config);
    const char other[] = "[node]\nname = shop-1\ncerts = x\ncarrier = nats://h:4222\n";
    assert_true(config_parse(other, strlen(other), NULL, &config, &errors));
    assert_string_equal(carrier_own_address(&config), "shop-1");
    assert_string_equal(carrier_address_of(&config, "bank"), "bank");
    config_free(&config);
    net_free(net);
}

static int start_server(void **state)
{
    static NatsFixture server;
    nats_fixture_init(&server, NULL);
    *state = &server;
    return 0;
}

static int stop_server(void **state)
{
    nats_fixture_fini(*state);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!nats_fixture_exists()) {
        printf("skipped: nats-server is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_of_the_program_stay_as_they_were),
        cmocka_unit_test(the_configuration_chooses_the_carrier),
        cmocka_unit_test(nats_conforms),
        cmocka_unit_test(who_calls_in_a_wrong_way_is_not_heard),
        cmocka_unit_test(another_version_is_answered),
        cmocka_unit_test(who_interferes_breaks_one_stream),
        cmocka_unit_test(messages_for_others_are_ignored),
        cmocka_unit_test(who_does_not_read_stops_only_the_sender),
        cmocka_unit_test(the_end_comes_behind_all_bytes),
        cmocka_unit_test(only_so_many_wait_to_be_accepted),
        cmocka_unit_test(the_first_of_two_with_the_same_name_is_talked_to),
        cmocka_unit_test(one_of_a_pool_is_called),
        cmocka_unit_test(who_does_not_answer_is_given_up),
        cmocka_unit_test(what_is_no_name_can_not_be_dialled),
        cmocka_unit_test(a_server_that_stands_still_holds_nobody_up),
        cmocka_unit_test(a_server_may_come_later),
        cmocka_unit_test(the_server_may_want_a_password),
        cmocka_unit_test(the_server_may_want_credentials),
        cmocka_unit_test(a_node_needs_few_rights),
        cmocka_unit_test(the_server_may_have_tls),
        cmocka_unit_test(a_server_without_tls_is_refused_where_it_is_expected),
    };
    int failures = cmocka_run_group_tests(tests, start_server, stop_server);
    nats_CloseAndWait(10000);
    return failures;
}
