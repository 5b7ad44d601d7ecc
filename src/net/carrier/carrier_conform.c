// carrier_conform.c: see carrier_conform.h.

#define _GNU_SOURCE

#include "net/carrier/carrier_conform.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATIENCE_MS = 20000 };

void world_fini(World *world)
{
    for (int i = 0; i < 2 && world->sim == NULL; i++)
        net_free(world->nets[i]);
    sim_network_free(world->sim);
}

// Something happens: on a simulated network the next thing, on a real one what one of these descriptors waits for.
bool wait_for(const World *world, int one, int other, short events)
{
    if (world->sim != NULL) {
        uint64_t next_ns = sim_network_next_ns(world->sim);
        if (next_ns != UINT64_MAX)
            sim_network_run(world->sim, next_ns);
        assert_true(sim_network_next_ns(world->sim) >= next_ns); // Time does not go back.
        return next_ns != UINT64_MAX;
    }
    struct pollfd waits[] = {{.fd = one, .events = events}, {.fd = other, .events = events}};
    return poll(waits, 2, PATIENCE_MS) > 0;
}

uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

// What was done at one node is known to the other.
static void settle(const World *world)
{
    if (world->settle != NULL)
        world->settle(world);
}

static void open_listener(const World *world, Connection *connection)
{
    assert_int_equal(world->carrier->listen(world->nets[1], world->address, &connection->listener), 0);
    assert_int_equal(
        world->carrier->listener_address(connection->listener, connection->address, sizeof connection->address), 0);
    settle(world);
}

Connection connect_both(const World *world)
{
    const chx_carrier_ops *carrier = world->carrier;
    Connection made = {0};
    int established = -EAGAIN, accepted = -EAGAIN;
    open_listener(world, &made);
    assert_int_equal(carrier->accept(made.listener, &made.server), -EAGAIN);
    assert_int_equal(carrier->dial(world->nets[0], made.address, &made.client), 0);
    while (established != 0 || accepted != 0) {
        established = established == 0 ? 0 : carrier->establish(made.client);
        accepted = accepted == 0 ? 0 : carrier->accept(made.listener, &made.server);
        assert_true((established == 0 || established == -EAGAIN) && (accepted == 0 || accepted == -EAGAIN));
        if ((established != 0 || accepted != 0) &&
            !wait_for(world, established == 0 ? -1 : carrier->descriptor(made.client),
                      carrier->listener_descriptor(made.listener), POLLIN))
            fail_msg("%s: nobody gets through", carrier->scheme);
    }
    assert_int_equal(carrier->establish(made.server), 0);
    assert_int_equal(carrier->establish(made.client), 0);
    return made;
}

void disconnect(const World *world, Connection *connection)
{
    world->carrier->close(connection->client);
    world->carrier->close(connection->server);
    world->carrier->close_listener(connection->listener);
}

// ---- what every carrier does ----

unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 13 + (at >> 8));
}

static void send_and_receive(const World *world, void *from, void *to, size_t total, uint32_t seed)
{
    static unsigned char bytes[40000];
    const chx_carrier_ops *carrier = world->carrier;
    size_t sent = 0, received = 0;
    while (received < total) {
        size_t size = next_random(&seed) % sizeof bytes;
        size = size < total - sent ? size : total - sent;
        for (size_t i = 0; i < size; i++)
            bytes[i] = byte_at(sent + i);
        const struct iovec parts[] = {{bytes, size / 2}, {bytes + size / 2, size - size / 2}};
        ssize_t taken = size == 0 ? 0 : carrier->write(from, parts, 2);
        assert_true(taken >= 0 || taken == -EAGAIN);
        sent += taken > 0 ? (size_t)taken : 0;
        ssize_t count = carrier->read(to, bytes, next_random(&seed) % sizeof bytes + 1);
        assert_true(count > 0 || count == -EAGAIN);
        for (ssize_t i = 0; i < count; i++)
            if (bytes[i] != byte_at(received + (size_t)i))
                fail_msg("%s: byte %zu is wrong", carrier->scheme, received + (size_t)i);
        received += count > 0 ? (size_t)count : 0;
        if (count == -EAGAIN && !wait_for(world, carrier->descriptor(to), -1, POLLIN) && sent == total)
            fail_msg("%s: only %zu of %zu bytes arrive", carrier->scheme, received, total);
    }
    assert_int_equal(received, total);
}

static ssize_t read_result(const World *world, void *stream, void *data, size_t size)
{
    ssize_t count;
    while ((count = world->carrier->read(stream, data, size)) == -EAGAIN)
        if (!wait_for(world, world->carrier->descriptor(stream), -1, POLLIN))
            fail_msg("%s: nothing arrives", world->carrier->scheme);
    return count;
}

// All of it, on one world.
void conforms(const World *world, uint32_t seed)
{
    const chx_carrier_ops *carrier = world->carrier;
    char bytes[100], text[300];
    Connection connection = connect_both(world);
    carrier->peer(connection.client, text, sizeof text);
    assert_string_equal(text, connection.address);
    carrier->peer(connection.server, text, sizeof text);
    assert_true(text[0] != '\0');
    assert_int_equal(carrier->read(connection.server, bytes, sizeof bytes), -EAGAIN);
    send_and_receive(world, connection.client, connection.server, 100000, seed);
    send_and_receive(world, connection.server, connection.client, 100000, seed);
    // The address is taken; a second one may call.
    void *other;
    const chx_net *taken = world->nets[world->settle != NULL ? 1 : 0];
    assert_int_equal(carrier->listen((chx_net *)taken, connection.address, &other), -EADDRINUSE);
    // What was written before the end arrives before it.
    assert_int_equal(carrier->write(connection.client, &(struct iovec){"last", 4}, 1), 4);
    carrier->close(connection.client);
    connection.client = NULL;
    size_t filled = 0;
    for (ssize_t count; (count = read_result(world, connection.server, bytes + filled, sizeof bytes - filled)) > 0;)
        filled += (size_t)count;
    assert_int_equal(filled, 4);
    assert_memory_equal(bytes, "last", 4);
    assert_int_equal(carrier->read(connection.server, bytes, sizeof bytes), 0);
    // Writing to somebody who has gone fails sooner or later, and is no signal.
    ssize_t written = 0;
    for (int i = 0; i < 1000 && (written >= 0 || written == -EAGAIN); i++)
        written = carrier->write(connection.server, &(struct iovec){bytes, sizeof bytes}, 1);
    assert_true(written == -EPIPE || written == -ECONNRESET);
    disconnect(world, &connection);

    // Nobody listens there any more.
    settle(world);
    void *stream;
    int result;
    assert_int_equal(carrier->dial(world->nets[0], connection.address, &stream), 0);
    while ((result = carrier->establish(stream)) == -EAGAIN)
        assert_true(wait_for(world, carrier->descriptor(stream), -1, POLLIN));
    assert_int_equal(result, -ECONNREFUSED);
    carrier->explain(stream, result, text, sizeof text);
    assert_non_null(strstr(text, "nobody listens at '"));
    carrier->close(stream);

    // A stream that is given up while it is dialled, and one that nobody has accepted.
    open_listener(world, &connection);
    assert_int_equal(carrier->dial(world->nets[0], connection.address, &stream), 0);
    carrier->close(stream);
    assert_int_equal(carrier->dial(world->nets[0], connection.address, &stream), 0);
    while ((result = carrier->establish(stream)) == -EAGAIN)
        assert_true(wait_for(world, carrier->descriptor(stream), -1, POLLIN));
    carrier->close_listener(connection.listener);
    carrier->close(stream);
}
