// relay_test.c: nodes that reach each other through a third one, and nodes that misuse that, on a simulated network.

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
static const uint64_t second = 1000000000;

// The shop is connected with both; bank and mallory can't reach each other.
enum { SHOP, BANK, MALLORY, NODES };
static const char *const names[NODES] = {"shop-1", "bank", "mallory"};

typedef struct {
    SimNetwork *network;
    uint64_t now_ns;
    TestNode nodes[NODES];
    uint32_t of[NODES][NODES]; // the number of one at the other
} World;

static void pass(World *world, uint64_t time_ns)
{
    uint64_t end_ns = world->now_ns + time_ns;
    for (;;) {
        uint64_t next_ns = sim_network_next_ns(world->network);
        for (int i = 0; i < NODES; i++) {
            uint64_t its_ns = world->nodes[i].is_ready ? 0 : peers_next_ns(world->nodes[i].peers);
            next_ns = its_ns < next_ns ? its_ns : next_ns;
        }
        if (next_ns > end_ns)
            break;
        world->now_ns = next_ns > world->now_ns ? next_ns : world->now_ns;
        sim_network_run(world->network, world->now_ns);
        for (int i = 0; i < NODES; i++)
            if (world->nodes[i].is_ready || peers_next_ns(world->nodes[i].peers) <= world->now_ns) {
                world->nodes[i].is_ready = false;
                peers_step(world->nodes[i].peers, world->now_ns);
            }
    }
    world->now_ns = end_ns;
    sim_network_run(world->network, end_ns);
}

static void block(World *world, unsigned one, unsigned other, bool is_blocked)
{
    sim_network_block(world->network, world->nodes[one].net, world->nodes[other].net, is_blocked);
    sim_network_block(world->network, world->nodes[other].net, world->nodes[one].net, is_blocked);
}

static void open_node(World *world, unsigned node, const char *limits)
{
    test_node_open_simulated(&world->nodes[node], world->network, &world->now_ns,
                             "[node]\nname = %s\nlisten = %s:1\ncerts = %s\n[nodes]\nshop-1 = shop-1:1\nbank = "
                             "bank:1\nmallory = mallory:1\n[limits]\n%s\n",
                             names[node], names[node], files.directory, limits);
}

// `limits`: of the shop.
static void set_up(World *world, const char *limits)
{
    *world = (World){.now_ns = 3600 * second};
    world->network = sim_network_new(&(SimOptions){.seed = 1, .delay_min_ns = 100000, .delay_max_ns = 2000000});
    sim_network_run(world->network, world->now_ns);
    for (unsigned i = 0; i < NODES; i++)
        open_node(world, i, i == SHOP ? limits : "");
    block(world, BANK, MALLORY, true);
    for (int i = 0; i < NODES; i++)
        for (int k = NODES - 1; k >= 0; k--)
            if (i != k)
                world->of[k][i] = test_find(&world->nodes[i], names[k], "");
    world->nodes[SHOP].may_relay = true;
    world->nodes[BANK].wants_relays = world->nodes[MALLORY].wants_relays = true;
    pass(world, second);
    assert_int_equal(test_seen(&world->nodes[SHOP], world->of[BANK][SHOP])->ups, 1);
    assert_int_equal(test_seen(&world->nodes[SHOP], world->of[MALLORY][SHOP])->ups, 1);
}

static void tear_down(World *world)
{
    for (int i = 0; i < NODES; i++)
        test_node_close(&world->nodes[i]);
    sim_network_free(world->network);
}

static const char *relay_of(const World *world, unsigned node, unsigned peer)
{
    PeerAbout about;
    assert_true(peers_about(world->nodes[node].peers, world->of[peer][node], &about));
    return about.state == LINK_UP ? (about.relay != NULL ? about.relay : "directly") : "not at all";
}

static void say(World *world, unsigned from, unsigned to, WireKind kind, const void *frame)
{
    assert_int_equal(peers_send(world->nodes[from].peers, world->of[to][from], LINK_CONTROL, 3, kind, frame),
                     LINK_SENT);
    peers_flush(world->nodes[from].peers);
}

static unsigned legs_at(const World *world, unsigned node)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < world->nodes[node].peers->table.capacity; i++) {
        const Peer *peer = world->nodes[node].peers->table.items[i];
        count += peer != NULL ? peer->leg_count : 0;
    }
    return count;
}

// ---- what it is for ----

static void frames_go_through_the_relay_and_then_directly(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    world.nodes[BANK].relay = world.of[SHOP][BANK];
    uint64_t sent = 0;
    for (; sent < 40; sent++)
        test_send(&world.nodes[BANK], world.of[MALLORY][BANK], LINK_CONTROL, sent, 50000);
    pass(&world, second / 2);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "not at all"); // twice a keepalive have not passed
    pass(&world, 5 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "shop-1");
    assert_string_equal(relay_of(&world, MALLORY, BANK), "shop-1");
    assert_int_equal(test_seen(&world.nodes[MALLORY], world.of[BANK][MALLORY])->received, sent);
    assert_int_equal(legs_at(&world, SHOP), 2);
    assert_int_equal(test_logged(&world.nodes[BANK], "what is sent goes through node 'shop-1'"), 1);
    block(&world, BANK, MALLORY, false);
    pass(&world, 10 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "directly");
    assert_int_equal(legs_at(&world, SHOP) + legs_at(&world, BANK) + legs_at(&world, MALLORY), 0);
    test_send(&world.nodes[BANK], world.of[MALLORY][BANK], LINK_CONTROL, sent, 10);
    pass(&world, second);
    assert_int_equal(test_seen(&world.nodes[MALLORY], world.of[BANK][MALLORY])->received, sent + 1);
    assert_int_equal(test_seen(&world.nodes[MALLORY], world.of[BANK][MALLORY])->losses, 0);
    tear_down(&world);
}

static void whoever_must_not_is_refused(void **state)
{
    (void)state;
    World world;
    set_up(&world, "relay = no");
    world.nodes[BANK].relay = world.of[SHOP][BANK];
    test_send(&world.nodes[BANK], world.of[MALLORY][BANK], LINK_CONTROL, 0, 10);
    pass(&world, 10 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "not at all");
    assert_int_equal(test_logged(&world.nodes[BANK], "node 'shop-1', which relays: it relays nothing"), 1);
    assert_true(world.nodes[BANK].unreached > 0);
    assert_int_equal(test_seen(&world.nodes[SHOP], world.of[BANK][SHOP])->downs, 0);
    tear_down(&world);
    // The same if none of its sessions has both, or if the other end does not want it.
    for (int i = 0; i < 2; i++) {
        set_up(&world, "");
        world.nodes[BANK].relay = world.of[SHOP][BANK];
        world.nodes[SHOP].may_relay = i == 0;
        world.nodes[MALLORY].wants_relays = i == 1;
        test_send(&world.nodes[BANK], world.of[MALLORY][BANK], LINK_CONTROL, 0, 10);
        pass(&world, 10 * second);
        assert_string_equal(relay_of(&world, BANK, MALLORY), "not at all");
        assert_int_equal(test_seen(&world.nodes[SHOP], world.of[BANK][SHOP])->downs, 0);
        tear_down(&world);
    }
}

// What is larger than a frame waits until the peer has said how much it takes.
static void who_is_refused_for_want_of_room_waits_for_a_relay(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    world.nodes[BANK].relay = world.of[SHOP][BANK];
    uint32_t there = world.of[MALLORY][BANK];
    assert_int_equal(test_send(&world.nodes[BANK], there, LINK_DATA, 0, 50000), LINK_NO_ROOM);
    peers_flush(world.nodes[BANK].peers);
    pass(&world, 5 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "shop-1");
    assert_true(test_seen(&world.nodes[BANK], there)->rooms > 0);
    assert_int_equal(test_send(&world.nodes[BANK], there, LINK_DATA, 0, 50000), LINK_SENT);
    peers_flush(world.nodes[BANK].peers);
    pass(&world, second);
    assert_int_equal(test_seen(&world.nodes[MALLORY], world.of[BANK][MALLORY])->received, 1);
    tear_down(&world);
}

static void nothing_is_relayed_for_nothing(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    world.nodes[BANK].relay = world.of[SHOP][BANK];
    pass(&world, 10 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "not at all");
    assert_int_equal(legs_at(&world, SHOP), 0);
    tear_down(&world);
}

static void a_right_that_is_gone_ends_the_stream(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    world.nodes[BANK].relay = world.of[SHOP][BANK];
    test_send(&world.nodes[BANK], world.of[MALLORY][BANK], LINK_CONTROL, 0, 10);
    pass(&world, 5 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "shop-1");
    world.nodes[SHOP].may_relay = false;
    pass(&world, 4 * second);
    assert_string_equal(relay_of(&world, BANK, MALLORY), "not at all");
    assert_true(legs_at(&world, SHOP) <= 1);
    assert_int_equal(test_seen(&world.nodes[BANK], world.of[MALLORY][BANK])->losses, 0);
    tear_down(&world);
}

static void goodbye_is_said_through_the_relay(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    world.nodes[BANK].relay = world.of[SHOP][BANK];
    test_send(&world.nodes[BANK], world.of[MALLORY][BANK], LINK_CONTROL, 0, 10);
    pass(&world, 5 * second);
    test_node_close(&world.nodes[BANK]);
    open_node(&world, BANK, "");
    pass(&world, second / 5);
    const Seen *seen = test_seen(&world.nodes[MALLORY], world.of[BANK][MALLORY]);
    assert_int_equal(seen->losses, 1);
    assert_int_equal(seen->loss, LINK_LOSS_ENDED);
    tear_down(&world);
}

// ---- misuse: it costs the one who does it his link, and nobody else anything ----

static void check_harm(World *world, unsigned downs)
{
    pass(world, 3 * second);
    assert_int_equal(test_seen(&world->nodes[SHOP], world->of[MALLORY][SHOP])->downs, downs);
    assert_int_equal(test_seen(&world->nodes[SHOP], world->of[BANK][SHOP])->downs, 0);
    assert_int_equal(test_seen(&world->nodes[BANK], world->of[SHOP][BANK])->downs, 0);
    tear_down(world);
}

static void streams_that_can_t_be_opened(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){5 | RELAY_OTHERS, false, wire_text("bank")});
    check_harm(&world, 1);
    // Twice the same.
    set_up(&world, "");
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){5, false, wire_text("bank")});
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){5, false, wire_text("bank")});
    check_harm(&world, 1);
    // To nobody, and to the one who asks: refused, but no crime.
    set_up(&world, "");
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){1, false, wire_text("nobody")});
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){2, false, wire_text("mallory")});
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){3, false, wire_text("shop-1")});
    pass(&world, second);
    assert_int_equal(legs_at(&world, SHOP), 0);
    check_harm(&world, 0);
}

static void streams_that_are_not_there(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    say(&world, MALLORY, SHOP, WIRE_RELAY_BYTES, &(WireRelayBytes){9, wire_text("hello")});
    say(&world, MALLORY, SHOP, WIRE_RELAY_TAKEN, &(WireRelayTaken){9, 1});
    say(&world, MALLORY, SHOP, WIRE_RELAY_CLOSE, &(WireRelayClose){9 | RELAY_OTHERS, wire_text("")});
    check_harm(&world, 0);
}

static void more_than_a_window(void **state)
{
    (void)state;
    static uint8_t bytes[RELAY_PIECE];
    World world;
    set_up(&world, "");
    // Nobody reads it, so nobody says that it was read.
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[BANK].net, true);
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){1, false, wire_text("bank")});
    for (unsigned i = 0; i < 8; i++)
        say(&world, MALLORY, SHOP, WIRE_RELAY_BYTES, &(WireRelayBytes){1, {bytes, sizeof bytes}});
    pass(&world, second / 2);
    assert_int_equal(legs_at(&world, SHOP), 2);
    assert_int_equal(test_seen(&world.nodes[SHOP], world.of[MALLORY][SHOP])->downs, 0);
    say(&world, MALLORY, SHOP, WIRE_RELAY_BYTES, &(WireRelayBytes){1, {bytes, sizeof bytes}});
    pass(&world, second / 2);
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[BANK].net, false);
    check_harm(&world, 1);
}

static void what_was_never_sent_is_said_to_be_read(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[BANK].net, true);
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){1, false, wire_text("bank")});
    say(&world, MALLORY, SHOP, WIRE_RELAY_TAKEN, &(WireRelayTaken){1, 1});
    pass(&world, second / 2);
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[BANK].net, false);
    check_harm(&world, 1);
}

static void rubbish_does_not_get_far(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){1, false, wire_text("bank")});
    say(&world, MALLORY, SHOP, WIRE_RELAY_BYTES, &(WireRelayBytes){1, wire_text("this is not TLS, or is it?")});
    pass(&world, second);
    assert_int_equal(
        test_logged(&world.nodes[BANK], "a connection from node 'mallory', through another node was refused"), 1);
    // Both legs are gone, and so is the stream at the other end.
    assert_int_equal(legs_at(&world, SHOP) + legs_at(&world, BANK), 0);
    // One that says nothing more has to go after a while, too.
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){2, false, wire_text("bank")});
    pass(&world, second);
    assert_int_equal(legs_at(&world, BANK), 1);
    pass(&world, 6 * second);
    assert_int_equal(legs_at(&world, SHOP) + legs_at(&world, BANK), 0);
    check_harm(&world, 0);
}

static void too_many_streams(void **state)
{
    (void)state;
    World world;
    set_up(&world, "");
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[BANK].net, true);
    for (uint32_t i = 1; i <= LEGS_MAX; i++)
        say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){i, false, wire_text("bank")});
    pass(&world, second / 4);
    assert_int_equal(legs_at(&world, SHOP), 2 * LEGS_MAX);
    say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){LEGS_MAX + 1, false, wire_text("bank")});
    pass(&world, second / 4);
    assert_int_equal(legs_at(&world, SHOP), 2 * LEGS_MAX);
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[BANK].net, false);
    check_harm(&world, 0);
    // Who does not even hear that they are refused is not listened to for ever.
    set_up(&world, "");
    world.nodes[SHOP].may_relay = false;
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[MALLORY].net, true);
    for (uint32_t i = 1; i <= 3 * LEGS_MAX; i++)
        say(&world, MALLORY, SHOP, WIRE_RELAY_OPEN, &(WireRelayOpen){i, false, wire_text("bank")});
    pass(&world, second / 2);
    assert_true(legs_at(&world, SHOP) <= 2 * LEGS_MAX);
    sim_network_block(world.network, world.nodes[SHOP].net, world.nodes[MALLORY].net, false);
    check_harm(&world, 0);
}

static int begin(void **state)
{
    (void)state;
    tls_fixture_init_even(&files);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tls_fixture_fini(&files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_go_through_the_relay_and_then_directly),
        cmocka_unit_test(whoever_must_not_is_refused),
        cmocka_unit_test(who_is_refused_for_want_of_room_waits_for_a_relay),
        cmocka_unit_test(nothing_is_relayed_for_nothing),
        cmocka_unit_test(a_right_that_is_gone_ends_the_stream),
        cmocka_unit_test(goodbye_is_said_through_the_relay),
        cmocka_unit_test(streams_that_can_t_be_opened),
        cmocka_unit_test(streams_that_are_not_there),
        cmocka_unit_test(more_than_a_window),
        cmocka_unit_test(what_was_never_sent_is_said_to_be_read),
        cmocka_unit_test(rubbish_does_not_get_far),
        cmocka_unit_test(too_many_streams),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
