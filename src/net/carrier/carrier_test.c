// What every carrier must do, tried on each: TCP, and the simulated one with many seeds. Then what only the simulated one does: the
// same seed gives the same run, connections are cut, directions are blocked; and TLS works over it.

#define _GNU_SOURCE

#include "net/carrier/carrier_conform.h"
#include "net/carrier/secure.h"
#include "net/carrier/tls_fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 300 };

// ---- what every carrier does ----

static World tcp_world(void)
{
    return (World){&tcp_carrier, {net_new(5000), net_new(5000)}, NULL, "127.0.0.1:0", NULL};
}

static World sim_world(const SimOptions *options)
{
    World world = {.carrier = &sim_carrier, .sim = sim_network_new(options), .address = "shop:0"};
    for (int i = 0; i < 2; i++)
        world.nets[i] = sim_network_node(world.sim, NULL, NULL);
    return world;
}

static void tcp_conforms(void **state)
{
    (void)state;
    World world = tcp_world();
    conforms(&world, 1);
    world_fini(&world);
}

static void the_simulated_carrier_conforms(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t chance = seed;
        SimOptions options = {.seed = seed,
                              .delay_min_ns = next_random(&chance) % 2 * 1000,
                              .delay_max_ns = next_random(&chance) % 1000000,
                              .piece_max = next_random(&chance) % 3 * 700,
                              .room = next_random(&chance) % 2 * 5000};
        World world = sim_world(&options);
        conforms(&world, seed);
        world_fini(&world);
    }
}

// This program is not linked with libchorex-nats.
static void a_carrier_that_is_not_linked_is_missed(void **state)
{
    static const char text[] = "[node]\ncerts = x\ncarrier = nats://h:4222\n";
    const chx_carrier_ops *carrier = NULL;
    char why[200] = "";
    Config config;
    ConfigErrors errors;
    (void)state;
    assert_true(config_parse(text, strlen(text), NULL, &config, &errors));
    chx_net *net = net_new(0);
    assert_int_equal(carrier_open(net, &config, &carrier, why, sizeof why), -ENOSYS);
    assert_non_null(strstr(why, "the carrier 'nats://h:4222' needs libchorex-nats"));
    assert_non_null(strstr(why, "chorcc --libs=nats"));
    assert_null(carrier);
    net_free(net);
    config_free(&config);
}

// ---- what only the simulated one does ----

// All three networks exist at once, so that nothing can depend on where they lie in memory.
static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {1, 1, 2};
    World worlds[3];
    for (int i = 0; i < 3; i++)
        worlds[i] = sim_world(
            &(SimOptions){.seed = seeds[i], .delay_min_ns = 100, .delay_max_ns = 5000, .piece_max = 50, .room = 3000});
    for (int i = 0; i < 3; i++)
        conforms(&worlds[i], 7);
    assert_true(sim_network_digest(worlds[0].sim) == sim_network_digest(worlds[1].sim));
    assert_true(sim_network_digest(worlds[0].sim) != sim_network_digest(worlds[2].sim));
    for (int i = 0; i < 3; i++)
        world_fini(&worlds[i]);
}

static void connections_are_cut_and_nothing_arrives_behind_a_gap(void **state)
{
    (void)state;
    unsigned told = 0, silent = 0, whole = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        World world =
            sim_world(&(SimOptions){.seed = seed, .delay_max_ns = 1000, .piece_max = 100, .cuts_per_million = 5000});
        Connection connection = connect_both(&world);
        unsigned char bytes[1000];
        size_t sent = 0, received = 0;
        ssize_t count = 1;
        for (int i = 0; i < 1000 && (count > 0 || count == -EAGAIN); i++) {
            for (size_t k = 0; k < sizeof bytes; k++)
                bytes[k] = byte_at(sent + k);
            if (i < 20) {
                ssize_t taken = sim_carrier.write(connection.client, &(struct iovec){bytes, sizeof bytes}, 1);
                sent += taken > 0 ? (size_t)taken : 0;
            }
            count = sim_carrier.read(connection.server, bytes, sizeof bytes);
            for (ssize_t k = 0; k < count; k++)
                assert_int_equal(bytes[k], byte_at(received + (size_t)k));
            received += count > 0 ? (size_t)count : 0;
            wait_for(&world, -1, -1, 0);
        }
        assert_true(count == -EAGAIN || count == -ECONNRESET);
        told += count == -ECONNRESET;
        silent += count == -EAGAIN && received < sent;
        whole += received == 20 * sizeof bytes;
        disconnect(&world, &connection);
        world_fini(&world);
    }
    assert_true(told > SEEDS / 10 && silent > SEEDS / 10 && whole > SEEDS / 10);
}

static void a_direction_can_be_blocked(void **state)
{
    (void)state;
    World world = sim_world(&(SimOptions){.seed = 3, .delay_max_ns = 1000});
    Connection connection = connect_both(&world);
    char bytes[10];
    sim_network_block(world.sim, world.nets[0], world.nets[1], true);
    assert_int_equal(sim_carrier.write(connection.client, &(struct iovec){"to", 2}, 1), 2);
    assert_int_equal(sim_carrier.write(connection.server, &(struct iovec){"fro", 3}, 1), 3);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(sim_carrier.read(connection.server, bytes, sizeof bytes), -EAGAIN);
    assert_int_equal(sim_carrier.read(connection.client, bytes, sizeof bytes), 3);
    // Neither does a new connection get through.
    void *second;
    assert_int_equal(sim_carrier.dial(world.nets[0], connection.address, &second), 0);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(sim_carrier.establish(second), -EAGAIN);
    sim_network_block(world.sim, world.nets[0], world.nets[1], false);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(sim_carrier.read(connection.server, bytes, sizeof bytes), 2);
    assert_int_equal(sim_carrier.establish(second), 0);
    sim_carrier.close(second);
    // Blocked the other way, it is called, but does not hear the answer.
    sim_network_block(world.sim, world.nets[1], world.nets[0], true);
    assert_int_equal(sim_carrier.dial(world.nets[0], connection.address, &second), 0);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(sim_carrier.establish(second), -EAGAIN);
    sim_network_block(world.sim, world.nets[1], world.nets[0], false);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(sim_carrier.establish(second), 0);
    sim_carrier.close(second);
    disconnect(&world, &connection);
    world_fini(&world);
}

static void things_happen_one_after_the_other(void **state)
{
    (void)state;
    World world = sim_world(&(SimOptions){.seed = 5, .delay_max_ns = 1000000});
    void *streams[50];
    unsigned steps = 0;
    for (int i = 0; i < 50; i++)
        assert_int_equal(sim_carrier.dial(world.nets[0], "nowhere:1", &streams[i]), 0);
    while (wait_for(&world, -1, -1, 0))
        steps++;
    assert_int_equal(steps, 100); // a call and an answer each, no two at the same time
    for (int i = 0; i < 50; i++)
        sim_carrier.close(streams[i]);
    world_fini(&world);
}

static void count_call(void *context)
{
    ++*(unsigned *)context;
}

static void nodes_are_told_when_something_happens(void **state)
{
    (void)state;
    unsigned calls[2] = {0};
    World world = {.carrier = &sim_carrier, .sim = sim_network_new(&(SimOptions){.seed = 1}), .address = "shop:7"};
    for (int i = 0; i < 2; i++)
        world.nets[i] = sim_network_node(world.sim, count_call, &calls[i]);
    Connection connection = connect_both(&world);
    assert_true(calls[0] > 0 && calls[1] > 0);
    while (wait_for(&world, -1, -1, 0))
        ;
    calls[0] = calls[1] = 0;
    sim_carrier.write(connection.client, &(struct iovec){"x", 1}, 1);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_true(calls[0] == 0 && calls[1] == 1);
    // One who has found no room is told when there is some.
    static char bytes[100000];
    assert_in_range(sim_carrier.write(connection.client, &(struct iovec){bytes, sizeof bytes}, 1), 1, sizeof bytes - 1);
    assert_int_equal(sim_carrier.write(connection.client, &(struct iovec){bytes, 1}, 1), -EAGAIN);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(sim_carrier.write(connection.client, &(struct iovec){bytes, 1}, 1), -EAGAIN);
    calls[0] = 0;
    assert_int_equal(sim_carrier.read(connection.server, bytes, 1000), 1000);
    while (wait_for(&world, -1, -1, 0))
        ;
    assert_int_equal(calls[0], 1);
    assert_int_equal(sim_carrier.write(connection.client, &(struct iovec){bytes, 1000}, 1), 1000);
    disconnect(&world, &connection);
    world_fini(&world);
}

// ---- TLS over it ----

static void drive(const World *world, Secure *client, Secure *server)
{
    for (;;) {
        int one = secure_establish(client), other = secure_establish(server);
        if (one != -EAGAIN && other != -EAGAIN)
            return;
        if (!wait_for(world, -1, -1, 0))
            return;
    }
}

static void tls_works_over_the_simulated_carrier(void **state)
{
    TlsFixture fixture;
    (void)state;
    tls_fixture_init(&fixture);
    TlsContext *shop = tls_fixture_context(fixture.directory, "shop-1");
    TlsContext *bank = tls_fixture_context(fixture.directory, "bank");
    unsigned up = 0;
    for (uint32_t seed = 0; seed < 100; seed++) {
        World world = sim_world(&(SimOptions){.seed = seed,
                                              .delay_max_ns = 100000,
                                              .piece_max = seed % 2 * 300,
                                              .room = 1000,
                                              .cuts_per_million = seed < 50 ? 0 : 30000});
        Connection connection = connect_both(&world);
        int error;
        Secure *client = secure_dial(&sim_carrier, world.nets[0], connection.address, bank,
                                     &(TlsExpected){.node = "shop-1"}, UINT64_MAX, &error);
        void *called;
        while (sim_carrier.accept(connection.listener, &called) != 0)
            assert_true(wait_for(&world, -1, -1, 0));
        Secure *server = secure_accept(&sim_carrier, called, shop, false, UINT64_MAX);
        drive(&world, client, server);
        bool is_up = secure_peer(client) != NULL && secure_peer(server) != NULL;
        assert_true(is_up || seed >= 50);
        up += is_up;
        secure_close(client);
        secure_close(server);
        disconnect(&world, &connection);
        world_fini(&world);
    }
    assert_true(up < 100);
    tls_context_release(shop);
    tls_context_release(bank);
    tls_fixture_fini(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_conforms),
        cmocka_unit_test(the_simulated_carrier_conforms),
        cmocka_unit_test(a_carrier_that_is_not_linked_is_missed),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(connections_are_cut_and_nothing_arrives_behind_a_gap),
        cmocka_unit_test(a_direction_can_be_blocked),
        cmocka_unit_test(things_happen_one_after_the_other),
        cmocka_unit_test(nodes_are_told_when_something_happens),
        cmocka_unit_test(tls_works_over_the_simulated_carrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
