// time_test.c: what happens to peers in hours and days, which pass at once on a simulated network.

#define _GNU_SOURCE

#include "base/check.h"
#include "net/carrier/tls_fixture.h"
#include "net/node/internal.h"
#include "net/node/peers_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static TlsFixture files;
static const uint64_t second = 1000000000, minute = UINT64_C(60) * 1000000000, hour = UINT64_C(3600) * 1000000000;

typedef struct {
    SimNetwork *network;
    uint64_t now_ns, steps;
    TestNode shop, bank;
    uint32_t there, back; // numbers of each other
} World;

static void pass(World *world, uint64_t time_ns)
{
    TestNode *nodes[] = {&world->shop, &world->bank};
    uint64_t end_ns = world->now_ns + time_ns;
    for (;;) {
        uint64_t next_ns = sim_network_next_ns(world->network);
        for (int i = 0; i < 2; i++) {
            uint64_t its_ns = nodes[i]->is_ready ? 0 : peers_next_ns(nodes[i]->peers);
            next_ns = its_ns < next_ns ? its_ns : next_ns;
        }
        if (next_ns > end_ns)
            break;
        world->now_ns = next_ns > world->now_ns ? next_ns : world->now_ns;
        sim_network_run(world->network, world->now_ns);
        for (int i = 0; i < 2; i++) {
            if (!nodes[i]->is_ready && peers_next_ns(nodes[i]->peers) > world->now_ns)
                continue;
            nodes[i]->is_ready = false;
            peers_step(nodes[i]->peers, world->now_ns);
            world->steps++;
        }
    }
    world->now_ns = end_ns;
    sim_network_run(world->network, end_ns);
}

// A shop that knows where the bank is, both connected. The shop's name may be missing.
static void set_up(World *world, const char *shop_name, const char *limits)
{
    *world = (World){.now_ns = hour};
    world->network = sim_network_new(&(SimOptions){.seed = 1, .delay_min_ns = 100000, .delay_max_ns = 2000000});
    sim_network_run(world->network, world->now_ns);
    test_node_open_simulated(
        &world->bank, world->network, &world->now_ns,
        "[node]\nname = bank\nlisten = bank:1\ncerts = %s\n[srp]\nClient = anonymous\n[limits]\n%s\n", files.directory,
        limits);
    test_node_open_simulated(&world->shop, world->network, &world->now_ns,
                             "[node]\n%s%s\ncerts = %s\n[nodes]\nbank = bank:1\n[limits]\n%s\n",
                             shop_name != NULL ? "name = " : "", shop_name != NULL ? shop_name : "", files.directory,
                             limits);
    world->there = test_find(&world->shop, "bank", "");
    pass(world, second);
    assert_int_equal(world->bank.seen_count, 1);
    world->back = world->bank.seen[0].number;
    assert_int_equal(test_send(&world->shop, world->there, LINK_DATA, 0, 10), LINK_SENT);
    peers_flush(world->shop.peers);
    pass(world, second);
    assert_int_equal(test_seen(&world->bank, world->back)->received, 1);
}

static void tear_down(World *world)
{
    test_node_close(&world->shop);
    test_node_close(&world->bank);
    sim_network_free(world->network);
}

static void an_idle_link_stays_up_for_hours(void **state)
{
    World world;
    (void)state;
    set_up(&world, "shop-1", "");
    world.steps = 0;
    pass(&world, hour);
    // A PING and its answer each second from both sides, and no work besides that.
    assert_in_range(world.steps, 4 * 3600, 20 * 3600);
    assert_int_equal(test_seen(&world.shop, world.there)->downs + test_seen(&world.bank, world.back)->downs, 0);
    PeerAbout about;
    assert_true(peers_about(world.shop.peers, world.there, &about));
    assert_int_equal(about.state, LINK_UP);
    assert_true(world.now_ns - about.sure_ns < 2 * second);
    assert_true(world.now_ns - about.heard_ns < 2 * second);
    assert_int_equal(test_send(&world.shop, world.there, LINK_DATA, 1, 10), LINK_SENT);
    peers_flush(world.shop.peers);
    pass(&world, second);
    assert_int_equal(test_seen(&world.bank, world.back)->received, 2);
    tear_down(&world);
}

static void silence_is_not_a_loss(void **state)
{
    World world;
    (void)state;
    set_up(&world, "shop-1", "");
    sim_network_block(world.network, world.shop.net, world.bank.net, true);
    pass(&world, 10 * second);
    assert_int_equal(test_send(&world.shop, world.there, LINK_DATA, 1, 10), LINK_SENT);
    pass(&world, hour);
    assert_true(test_seen(&world.shop, world.there)->downs >= 1);
    assert_true(test_seen(&world.bank, world.back)->downs >= 1);
    sim_network_block(world.network, world.shop.net, world.bank.net, false);
    pass(&world, 20 * second);
    assert_int_equal(test_seen(&world.bank, world.back)->received, 2);
    assert_int_equal(test_seen(&world.shop, world.there)->losses + test_seen(&world.bank, world.back)->losses, 0);
    assert_in_range(world.shop.log_count, 1, 3);
    tear_down(&world);
}

static void peers_that_nobody_needs_are_forgotten(void **state)
{
    World world;
    (void)state;
    set_up(&world, "shop-1", "keep = 1h");
    world.shop.is_needed = true;
    world.bank.is_needed = true;
    pass(&world, 5 * hour);
    assert_int_equal(test_seen(&world.shop, world.there)->losses, 0);
    world.shop.is_needed = false;
    pass(&world, 2 * hour);
    assert_int_equal(test_seen(&world.shop, world.there)->losses, 1);
    assert_int_equal(test_seen(&world.shop, world.there)->loss, LINK_LOSS_GIVEN_UP);
    assert_int_equal(test_seen(&world.shop, world.there)->forgotten, 1);
    assert_int_equal(test_seen(&world.bank, world.back)->losses, 1);
    assert_int_equal(test_seen(&world.bank, world.back)->loss, LINK_LOSS_ENDED);
    assert_int_equal(test_seen(&world.bank, world.back)->forgotten, 0);
    // It can be found again, under another number.
    assert_int_equal(test_send(&world.shop, world.there, LINK_DATA, 0, 10), LINK_GONE);
    uint32_t again = test_find(&world.shop, "bank", "");
    assert_int_not_equal(again, world.there);
    assert_int_equal(test_send(&world.shop, again, LINK_DATA, 0, 10), LINK_SENT);
    pass(&world, second);
    assert_int_equal(test_seen(&world.bank, world.back)->received, 2);
    tear_down(&world);
}

static void an_anonymous_peer_may_come_back(void **state)
{
    World world;
    (void)state;
    set_up(&world, NULL, "absent = 60s");
    sim_network_block(world.network, world.shop.net, world.bank.net, true);
    pass(&world, 30 * second);
    assert_int_equal(test_seen(&world.bank, world.back)->downs, 1);
    sim_network_block(world.network, world.shop.net, world.bank.net, false);
    assert_int_equal(test_send(&world.shop, world.there, LINK_DATA, 1, 10), LINK_SENT);
    pass(&world, 20 * second);
    assert_int_equal(test_seen(&world.bank, world.back)->received, 2);
    assert_int_equal(world.bank.seen_count, 1);
    // But not for ever.
    sim_network_block(world.network, world.shop.net, world.bank.net, true);
    pass(&world, 2 * minute);
    assert_int_equal(test_seen(&world.bank, world.back)->losses, 1);
    assert_int_equal(test_seen(&world.bank, world.back)->forgotten, 1);
    PeerAbout about;
    assert_false(peers_about(world.bank.peers, world.back, &about));
    sim_network_block(world.network, world.shop.net, world.bank.net, false);
    pass(&world, 20 * second);
    // What it knew is over, and it is told so.
    assert_int_equal(test_seen(&world.shop, world.there)->losses, 1);
    tear_down(&world);
}

// ---- timers ----

static unsigned rung;

static void ring(Timer *timer, uint64_t now_ns)
{
    assert_true(timer->when_ns == UINT64_MAX && now_ns > 0);
    rung++;
}

static void timers_ring_in_order(void **state)
{
    enum { COUNT = 200 };
    Timers timers = {0};
    Timer all[COUNT] = {{0}};
    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(timers_promise(&timers));
        all[i].run = ring;
        timer_set(&timers, &all[i], i * 7919 % 1000 + 1);
    }
    for (unsigned i = 0; i < COUNT; i += 3)
        timer_set(&timers, &all[i], UINT64_MAX);
    for (unsigned i = 1; i < COUNT; i += 3) {
        timer_hasten(&timers, &all[i], 500);
        assert_true(all[i].when_ns <= 500);
    }
    uint64_t before = 0;
    rung = 0;
    while (timers_next_ns(&timers) != UINT64_MAX) {
        uint64_t next = timers_next_ns(&timers);
        assert_true(next > before);
        timers_run(&timers, next);
        before = next;
    }
    assert_int_equal(rung, COUNT - (COUNT + 2) / 3);
    timers_fini(&timers);
}

static int make_files(void **state)
{
    (void)state;
    tls_fixture_init_even(&files);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    tls_fixture_fini(&files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_ring_in_order),
        cmocka_unit_test(an_idle_link_stays_up_for_hours),
        cmocka_unit_test(silence_is_not_a_loss),
        cmocka_unit_test(peers_that_nobody_needs_are_forgotten),
        cmocka_unit_test(an_anonymous_peer_may_come_back),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
