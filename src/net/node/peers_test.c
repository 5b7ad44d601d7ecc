// peers_test.c: nodes in one process, over loopback with TLS.

#define _GNU_SOURCE

#include "base/check.h"
#include "net/carrier/tls_fixture.h"
#include "net/node/peers_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static TlsFixture files;

// ---- conditions ----

typedef struct {
    TestNode *node;
    uint32_t peer;
    uint64_t wanted;
} Wanted;

static bool has_received(void *context)
{
    const Wanted *wanted = context;
    return test_seen(wanted->node, wanted->peer)->received >= wanted->wanted;
}

static bool is_up(void *context)
{
    const Wanted *wanted = context;
    PeerAbout about;
    return peers_about(wanted->node->peers, wanted->peer, &about) && about.state == LINK_UP;
}

// A node of this name that listens, and knows of another one if `other` is not NULL.
static void open_node(TestNode *node, const char *name, const char *other, const TestNode *other_node)
{
    test_node_open(node, "[node]\nname = %s\nlisten = 127.0.0.1:0\ncerts = %s\n%s%s%s%s\n", name, files.directory,
                   other != NULL ? "[nodes]\n" : "", other != NULL ? other : "", other != NULL ? " = " : "",
                   other != NULL ? peers_address(other_node->peers) : "");
}

// The first peer that a node has seen.
static uint32_t first_seen(const TestNode *node)
{
    return node->seen_count > 0 ? node->seen[0].number : 0;
}

static bool has_seen_somebody(void *context)
{
    return first_seen(context) != 0;
}

// ---- tests ----

static void frames_go_both_ways(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_true(number > PEER_SELF);
    assert_int_equal(test_find(&shop, "bank", ""), number);
    assert_int_equal(test_find(&shop, "shop-1", ""), PEER_SELF);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(test_send(&shop, number, LINK_CONTROL, i, 64), LINK_SENT);
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    uint32_t back = first_seen(&bank);
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, back, 1000}, 5000));
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(test_send(&bank, back, LINK_DATA, i, 200000), LINK_SENT);
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&shop, number, 10}, 5000));
    PeerAbout about;
    assert_true(peers_about(bank.peers, back, &about));
    assert_string_equal(about.name, "shop-1");
    assert_string_equal(about.build, "test 1");
    assert_true(peers_may_play(bank.peers, back, "bookseller", "Seller"));
    assert_false(peers_may_play(bank.peers, back, "bookseller", "Buyer"));
    assert_int_equal(shop.log_count, 0);
    assert_int_equal(bank.log_count, 0);
    test_node_close(&shop);
    test_node_close(&bank);
}

static bool is_lost(void *context)
{
    const Wanted *wanted = context;
    return test_seen(wanted->node, wanted->peer)->losses >= wanted->wanted;
}

static void a_peer_that_ends_is_lost_and_may_come_back(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    char address[100];
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    snprintf(address, sizeof address, "%s", peers_address(bank.peers));
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_true(test_run(nodes, 2, is_up, &(Wanted){&shop, number, 0}, 5000));
    test_node_close(&bank);
    assert_true(test_run(nodes, 1, is_lost, &(Wanted){&shop, number, 1}, 5000));
    assert_int_equal(test_seen(&shop, number)->loss, LINK_LOSS_ENDED);
    assert_int_equal(test_send(&shop, number, LINK_DATA, 0, 10), LINK_SENT);
    test_node_open(&bank, "[node]\nname = bank\nlisten = %s\ncerts = %s\n", address, files.directory);
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 1}, 5000));
    assert_int_equal(test_seen(&shop, number)->losses, 1);
    assert_int_equal(test_seen(&shop, number)->ups, 2);
    test_node_close(&shop);
    test_node_close(&bank);
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static void echo(TestNode *node, uint32_t peer, const WireFrame *frame)
{
    test_send(node, peer, LINK_CONTROL, frame->data.number, 10);
}

// A bank in a process of its own, which answers each frame with another one. It writes its address to the pipe.
static pid_t start_bank(char address[100])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static TestNode bank;
        TestNode *nodes[] = {&bank};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        test_node_open(&bank, "[node]\nname = bank\nlisten = %s\ncerts = %s\n",
                       address[0] != '\0' ? address : "127.0.0.1:0", files.directory);
        bank.delivered = echo;
        CHECK(write(ends[1], peers_address(bank.peers), 100) == 100);
        test_run(nodes, 1, never, NULL, 60000);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], address, 100), 100);
    close(ends[0]);
    return child;
}

static void kill_bank(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static bool is_down(void *context)
{
    return !is_up(context);
}

static void a_process_that_is_killed_is_lost_when_another_has_its_name(void **state)
{
    TestNode shop, *nodes[] = {&shop};
    char address[100] = "";
    (void)state;
    pid_t child = start_bank(address);
    test_node_open(&shop, "[node]\nname = shop-1\ncerts = %s\n[nodes]\nbank = %s\n", files.directory, address);
    uint32_t number = test_find(&shop, "bank", "");
    for (uint64_t i = 0; i < 50; i++)
        assert_int_equal(test_send(&shop, number, LINK_DATA, i, 10), LINK_SENT);
    assert_true(test_run(nodes, 1, has_received, &(Wanted){&shop, number, 50}, 5000));
    kill_bank(child);
    assert_true(test_run(nodes, 1, is_down, &(Wanted){&shop, number, 0}, 5000));
    assert_int_equal(test_seen(&shop, number)->losses, 0); // it may be the network
    assert_int_equal(test_send(&shop, number, LINK_DATA, 50, 10), LINK_SENT);
    child = start_bank(address);
    assert_true(test_run(nodes, 1, is_lost, &(Wanted){&shop, number, 1}, 5000));
    assert_int_equal(test_seen(&shop, number)->loss, LINK_LOSS_INCARNATION);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(test_send(&shop, number, LINK_DATA, i, 10), LINK_SENT);
    assert_true(test_run(nodes, 1, has_received, &(Wanted){&shop, number, 60}, 5000));
    assert_int_equal(test_seen(&shop, number)->losses, 1);
    kill_bank(child);
    test_node_close(&shop);
}

// ---- who is who ----

static bool all_have_received(void *context)
{
    TestNode *nodes = context;
    for (int i = 0; i < 3; i++) {
        if (nodes[i].seen_count != 2)
            return false;
        for (int j = 0; j < 2; j++)
            if (nodes[i].seen[j].received < 100)
                return false;
    }
    return true;
}

static void three_nodes_know_each_other(void **state)
{
    static const char *const names[] = {"shop-1", "bank", "mallory"};
    TestNode all[3], *nodes[] = {&all[0], &all[1], &all[2]};
    (void)state;
    for (int i = 0; i < 3; i++)
        open_node(&all[i], names[i], NULL, NULL);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (uint64_t k = 0; i != j && k < 100; k++)
                assert_int_equal(
                    test_send(&all[i], test_find(&all[i], names[j], peers_address(all[j].peers)), LINK_DATA, k, 1000),
                    LINK_SENT);
    assert_true(test_run(nodes, 3, all_have_received, all, 5000));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(all[i].log_count, 0);
        test_node_close(&all[i]);
        // Others hear of it, which is not looked at here.
    }
}

static bool are_both_up(void *context)
{
    Wanted *wanted = context;
    return is_up(&wanted[0]) && is_up(&wanted[1]);
}

static void both_may_dial(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    for (int i = 0; i < 20; i++) {
        open_node(&bank, "bank", NULL, NULL);
        open_node(&shop, "shop-1", "bank", &bank);
        uint32_t there = test_find(&shop, "bank", "");
        uint32_t back = test_find(&bank, "shop-1", peers_address(shop.peers));
        assert_int_equal(test_send(&shop, there, LINK_DATA, 0, 10), LINK_SENT);
        assert_int_equal(test_send(&bank, back, LINK_DATA, 0, 10), LINK_SENT);
        Wanted wanted[] = {{&shop, there, 0}, {&bank, back, 0}};
        assert_true(test_run(nodes, 2, are_both_up, wanted, 5000));
        assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, back, 1}, 5000));
        assert_true(test_run(nodes, 2, has_received, &(Wanted){&shop, there, 1}, 5000));
        assert_int_equal(test_seen(&shop, there)->losses + test_seen(&bank, back)->losses, 0);
        test_node_close(&shop);
        test_node_close(&bank);
    }
}

static bool is_same_as(void *context)
{
    const Wanted *wanted = context;
    return test_seen(wanted->node, wanted->peer)->same == wanted->wanted;
}

static void a_node_is_found_by_its_address(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", NULL, NULL);
    const char *address = peers_address(bank.peers);
    uint32_t number = test_find(&shop, "", address);
    PeerAbout about;
    assert_true(peers_about(shop.peers, number, &about));
    assert_null(about.name);
    assert_int_equal(test_send(&shop, number, LINK_DATA, 0, 10), LINK_NO_ROOM);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(test_send(&shop, number, LINK_CONTROL, i, 50000), LINK_SENT);
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 100}, 5000));
    assert_true(peers_about(shop.peers, number, &about));
    assert_string_equal(about.name, "bank");
    assert_int_equal(test_find(&shop, "bank", ""), number);
    assert_int_equal(test_find(&shop, "", address), number);
    assert_int_equal(test_seen(&shop, number)->rooms, 1);
    test_node_close(&shop);
    test_node_close(&bank);
}

static void one_that_is_known_already_keeps_its_number(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", NULL, NULL);
    // By name, but nobody knows where it is; and by address.
    uint32_t named = test_find(&shop, "bank", "");
    uint32_t placed = test_find(&shop, "", peers_address(bank.peers));
    assert_int_not_equal(named, placed);
    assert_int_equal(test_send(&shop, named, LINK_CONTROL, 0, 10), LINK_SENT);
    assert_int_equal(test_send(&shop, placed, LINK_CONTROL, 1, 10), LINK_SENT);
    assert_true(test_run(nodes, 2, is_same_as, &(Wanted){&shop, placed, named}, 5000));
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 2}, 5000));
    assert_int_equal(test_send(&shop, placed, LINK_CONTROL, 2, 10), LINK_SENT);
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 3}, 5000));
    assert_int_equal(test_find(&shop, "", peers_address(bank.peers)), named);
    assert_int_equal(test_seen(&bank, first_seen(&bank))->ups, 1);
    test_node_close(&shop);
    test_node_close(&bank);
}

static void a_node_finds_itself(void **state)
{
    TestNode shop, *nodes[] = {&shop};
    (void)state;
    open_node(&shop, "shop-1", NULL, NULL);
    uint32_t number = test_find(&shop, "", peers_address(shop.peers));
    assert_true(number > PEER_SELF);
    assert_int_equal(test_send(&shop, number, LINK_CONTROL, 0, 10), LINK_SENT);
    assert_true(test_run(nodes, 1, is_same_as, &(Wanted){&shop, number, PEER_SELF}, 5000));
    assert_int_equal(test_seen(&shop, PEER_SELF)->received, 1);
    assert_int_equal(test_find(&shop, "", peers_address(shop.peers)), PEER_SELF);
    test_node_close(&shop);
}

static void what_is_not_a_node_is_not_found(void **state)
{
    TestNode shop;
    (void)state;
    open_node(&shop, "shop-1", NULL, NULL);
    assert_int_equal(test_find(&shop, "", ""), PEER_NONE);
    assert_int_equal(test_find(&shop, "", "nowhere"), PEER_NONE);
    assert_int_equal(test_find(&shop, "../shop", ""), PEER_NONE);
    assert_int_equal(test_find(&shop, "bank", "bank:port"), PEER_NONE);
    assert_int_equal(peers_find(shop.peers, (WireSpan){(const uint8_t *)"ba\0nk", 5}, wire_text("")), PEER_NONE);
    assert_int_equal(test_send(&shop, 12345, LINK_CONTROL, 0, 10), LINK_GONE);
    test_node_close(&shop);
}

static bool has_seen_two(void *context)
{
    const TestNode *node = context;
    return node->seen_count >= 2 && node->seen[0].received > 0 && node->seen[1].received > 0;
}

static bool are_two_lost(void *context)
{
    const TestNode *node = context;
    return node->seen[0].forgotten == 1 && node->seen[1].forgotten == 1;
}

static void anonymous_nodes_are_peers_of_their_own(void **state)
{
    TestNode shop, guests[2], *nodes[] = {&shop, &guests[0], &guests[1]};
    (void)state;
    test_node_open(&shop, "[node]\nname = shop-1\nlisten = 127.0.0.1:0\ncerts = %s\n[srp]\nClient = anonymous\n",
                   files.directory);
    for (int i = 0; i < 2; i++) {
        test_node_open(&guests[i], "[node]\ncerts = %s\n[nodes]\nshop-1 = %s\n", files.directory,
                       peers_address(shop.peers));
        assert_int_equal(test_send(&guests[i], test_find(&guests[i], "shop-1", ""), LINK_CONTROL, 0, 10), LINK_SENT);
    }
    assert_true(test_run(nodes, 3, has_seen_two, &shop, 5000));
    PeerAbout about;
    assert_true(peers_about(shop.peers, shop.seen[1].number, &about));
    assert_true(about.is_anonymous && about.name == NULL);
    assert_false(peers_may_play(shop.peers, shop.seen[0].number, "srp", "Client"));
    assert_int_equal(test_send(&shop, shop.seen[0].number, LINK_DATA, 0, 10), LINK_SENT);
    assert_int_equal(test_send(&shop, shop.seen[1].number, LINK_DATA, 0, 10), LINK_SENT);
    for (int i = 0; i < 2; i++)
        assert_true(test_run(nodes, 3, has_received, &(Wanted){&guests[i], first_seen(&guests[i]), 1}, 5000));
    test_node_close(&guests[0]);
    test_node_close(&guests[1]);
    assert_true(test_run(nodes, 1, are_two_lost, &shop, 5000));
    assert_int_equal(shop.seen[0].losses, 1);
    assert_int_equal(shop.seen[0].loss, LINK_LOSS_ENDED);
    test_node_close(&shop);
}

// ---- who is refused ----

static bool has_logged(void *context)
{
    TestNode *const *nodes = context;
    return nodes[0]->log_count > 0 && nodes[1]->log_count > 0;
}

static bool is_over(void *context)
{
    uint64_t *left = context;
    return (*left)-- == 0;
}

// Both sides say why, and say it once, although the node is dialled again and again.
static void check_refused(TestNode *shop, TestNode *bank, const char *shop_says, const char *bank_says)
{
    TestNode *nodes[] = {shop, bank};
    uint32_t number = test_find(shop, "bank", peers_address(bank->peers));
    assert_true(test_run(nodes, 2, has_logged, nodes, 5000));
    uint64_t left = 40;
    test_run(nodes, 2, is_over, &left, 5000);
    PeerAbout about;
    assert_true(peers_about(shop->peers, number, &about));
    assert_int_equal(about.state, LINK_NEW);
    if (test_logged(shop, shop_says) != 1 || shop->log_count != 1 || strstr(about.why, shop_says) == NULL)
        fail_msg("%u lines, the first: %s", shop->log_count, shop->log[0]);
    if (test_logged(bank, bank_says) != 1 || bank->log_count != 1)
        fail_msg("%u lines, the first: %s", bank->log_count, bank->log[0]);
    assert_int_equal(bank->seen_count, 0);
    test_node_close(shop);
    test_node_close(bank);
}

static bool is_later_than(void *context)
{
    return time(NULL) >= *(const time_t *)context;
}

static void certificates_are_checked(void **state)
{
    TestNode shop, bank;
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    test_node_open(&shop, "[node]\nname = shop-1\ncerts = %s\n", files.other);
    check_refused(&shop, &bank, "bank", "refused");
    open_node(&bank, "bank", NULL, NULL);
    tls_fixture_node(files.directory, &files.issuer,
                     &(TlsFixtureNode){.common_name = "brief", .from_s = -9, .until_s = 1});
    test_node_open(&shop, "[node]\nname = brief\ncerts = %s\n", files.directory);
    time_t end = time(NULL) + 2;
    assert_true(test_run((TestNode *[]){&shop, &bank}, 2, is_later_than, &end, 5000));
    check_refused(&shop, &bank, "'brief'", "has expired");
    test_node_open(&bank, "[node]\nname = bank\nlisten = 127.0.0.1:0\ncerts = %s\ndeny = mallory\n", files.directory);
    test_node_open(&shop, "[node]\nname = mallory\ncerts = %s\n", files.directory);
    check_refused(&shop, &bank, "'mallory'", "mallory");
    // Somebody else is at the address.
    open_node(&bank, "mallory", NULL, NULL);
    open_node(&shop, "shop-1", NULL, NULL);
    check_refused(&shop, &bank, "mallory", "refused");
}

static bool has_said(void *context)
{
    return ((TestNode *)context)->log_count > 0;
}

static void nobody_listens(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop};
    char address[100];
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    snprintf(address, sizeof address, "%s", peers_address(bank.peers));
    test_node_close(&bank);
    open_node(&shop, "shop-1", NULL, NULL);
    test_find(&shop, "bank", address);
    assert_true(test_run(nodes, 1, has_said, &shop, 5000));
    uint64_t left = 20;
    test_run(nodes, 1, is_over, &left, 5000);
    assert_int_equal(shop.log_count, 1);
    assert_int_equal(test_logged(&shop, "nobody listens at"), 1);
    assert_int_equal(test_logged(&shop, "node 'bank'"), 1);
    test_node_close(&shop);
}

static void opening_says_what_is_wrong(void **state)
{
    TestNode shop, other;
    char why[512];
    (void)state;
    open_node(&shop, "shop-1", NULL, NULL);
    assert_false(test_node_try(&other, why, sizeof why, "[node]\nname = bank\nlisten = %s\ncerts = %s\n",
                               peers_address(shop.peers), files.directory));
    assert_non_null(strstr(why, "another program listens there"));
    assert_false(test_node_try(&other, why, sizeof why, "[node]\nname = nobody\nlisten = 127.0.0.1:0\ncerts = %s\n",
                               files.directory));
    assert_non_null(strstr(why, "nobody.pem"));
    assert_false(test_node_try(&other, why, sizeof why, "[node]\nname = bank\nlisten = 192.0.2.1:1\ncerts = %s\n",
                               files.directory));
    assert_non_null(strstr(why, "no such address"));
    test_node_close(&shop);
}

static int call_port(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    to.sin_port = htons((uint16_t)atoi(strchr(address, ':') + 1));
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void garbage_costs_its_sender_only(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_true(test_run(nodes, 2, is_up, &(Wanted){&shop, number, 0}, 5000));
    for (int i = 0; i < 50; i++) {
        int fd = call_port(peers_address(bank.peers));
        const char text[] = "GET / HTTP/1.0\r\n\r\n";
        assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
        close(fd);
    }
    assert_true(test_run(nodes, 2, has_said, &bank, 5000));
    uint64_t left = 60;
    test_run(nodes, 2, is_over, &left, 5000);
    assert_int_equal(bank.log_count, 1); // fifty were refused for the same reason
    assert_int_equal(test_logged(&bank, "it is not a node"), 1);
    assert_int_equal(test_send(&shop, number, LINK_DATA, 0, 10), LINK_SENT);
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 1}, 5000));
    assert_int_equal(test_seen(&shop, number)->downs, 0);
    test_node_close(&shop);
    test_node_close(&bank);
}

static void silent_callers_keep_nobody_out(void **state)
{
    enum { CALLERS = 1000 };
    static int callers[CALLERS];
    TestNode shop, bank, *nodes[] = {&bank, &shop};
    (void)state;
    test_node_open(&bank, "[node]\nname = bank\nlisten = 127.0.0.1:0\ncerts = %s\n[limits]\nhandshake = 1s\n",
                   files.directory);
    for (int i = 0; i < CALLERS; i++)
        callers[i] = call_port(peers_address(bank.peers));
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_true(test_run(nodes, 2, is_up, &(Wanted){&shop, number, 0}, 5000));
    assert_int_equal(shop.log_count, 0);
    uint64_t left = 50;
    test_run(nodes, 2, is_over, &left, 5000);
    for (int i = 0; i < CALLERS; i++)
        close(callers[i]);
    assert_true(bank.log_count <= 10);
    test_node_close(&shop);
    test_node_close(&bank);
}

// ---- frames ----

static bool is_idle(void *context)
{
    return peers_are_idle(((TestNode *)context)->peers);
}

static void control_waits_and_data_is_refused(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    uint64_t sent = 0;
    while (test_send(&shop, number, LINK_DATA, sent, 1000) == LINK_SENT)
        sent++;
    assert_true(sent > 3000 && sent < 5000); // 4 MB
    for (int i = 0; i < 20000; i++)
        assert_int_equal(test_send(&shop, number, LINK_CONTROL, sent++, 1000), LINK_SENT);
    assert_int_equal(test_send(&shop, number, LINK_DATA, sent, 10), LINK_NO_ROOM);
    assert_false(peers_are_idle(shop.peers));
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), sent}, 20000));
    assert_true(test_run(nodes, 2, is_idle, &shop, 5000));
    assert_int_equal(test_seen(&shop, number)->rooms, 1);
    assert_int_equal(test_send(&shop, number, LINK_DATA, sent, 10), LINK_SENT);
    test_node_close(&shop);
    test_node_close(&bank);
}

static void what_the_peer_does_not_take_is_told(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    test_node_open(&bank, "[node]\nname = bank\nlisten = 127.0.0.1:0\ncerts = %s\n[limits]\nmessage_max = 100K\n",
                   files.directory);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_int_equal(test_send(&shop, number, LINK_CONTROL, 0, 10), LINK_SENT);
    assert_int_equal(test_send(&shop, number, LINK_CONTROL, 7, 200000), LINK_SENT); // nobody knows better yet
    assert_int_equal(test_send(&shop, number, LINK_CONTROL, 1, 90000), LINK_SENT);
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 2}, 5000));
    assert_int_equal(test_seen(&shop, number)->too_large, 1);
    assert_int_equal(test_send(&shop, number, LINK_CONTROL, 8, 200000), LINK_TOO_LARGE);
    test_node_close(&shop);
    test_node_close(&bank);
}

static void complain(TestNode *node, uint32_t peer, const WireFrame *frame)
{
    (void)frame;
    peers_complain(node->peers, peer, "an epoch from the future");
}

static void whoever_breaks_the_protocol_is_lost(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    bank.delivered = complain;
    for (uint64_t i = 0; i < 3; i++)
        test_send(&shop, number, LINK_DATA, i, 10);
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    assert_true(test_run(nodes, 2, is_lost, &(Wanted){&bank, first_seen(&bank), 1}, 5000));
    assert_int_equal(test_seen(&bank, first_seen(&bank))->loss, LINK_LOSS_ERRORS);
    assert_int_equal(test_seen(&bank, first_seen(&bank))->received, 3);
    assert_int_equal(test_logged(&bank, "an epoch from the future"), 1);
    bank.delivered = NULL;
    // It may begin anew.
    assert_true(test_run(nodes, 2, is_lost, &(Wanted){&shop, number, 1}, 5000));
    test_send(&shop, number, LINK_DATA, 0, 10);
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 4}, 5000));
    test_node_close(&shop);
    test_node_close(&bank);
}

static void a_peer_can_be_given_up(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_true(test_run(nodes, 2, is_up, &(Wanted){&shop, number, 0}, 5000));
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    peers_lose(shop.peers, number, "it is slow");
    assert_int_equal(test_seen(&shop, number)->losses, 1);
    assert_int_equal(test_seen(&shop, number)->loss, LINK_LOSS_GIVEN_UP);
    assert_non_null(strstr(test_seen(&shop, number)->why, "it is slow"));
    assert_int_equal(test_send(&shop, number, LINK_DATA, 0, 10), LINK_SENT);
    assert_true(test_run(nodes, 2, has_received, &(Wanted){&bank, first_seen(&bank), 1}, 5000));
    assert_int_equal(test_seen(&bank, first_seen(&bank))->losses, 1);
    assert_int_equal(test_seen(&bank, first_seen(&bank))->loss, LINK_LOSS_ENDED);
    test_node_close(&shop);
    test_node_close(&bank);
}

static void denied_peers_are_lost_at_once(void **state)
{
    TestNode shop, bank, *nodes[] = {&shop, &bank};
    char text[600], why[512];
    Config config;
    ConfigErrors errors;
    (void)state;
    open_node(&bank, "bank", NULL, NULL);
    open_node(&shop, "shop-1", "bank", &bank);
    uint32_t number = test_find(&shop, "bank", "");
    assert_true(test_run(nodes, 2, is_up, &(Wanted){&shop, number, 0}, 5000));
    assert_true(test_run(nodes, 2, has_seen_somebody, &bank, 5000));
    snprintf(text, sizeof text, "[node]\nname = bank\nlisten = 127.0.0.1:1\ncerts = %s\n", files.directory);
    assert_true(config_parse(text, strlen(text), NULL, &config, &errors));
    assert_false(peers_reload(bank.peers, &config, why, sizeof why));
    assert_non_null(strstr(why, "'listen' can't be changed"));
    config_free(&config);
    snprintf(text, sizeof text, "[node]\nname = bank\nlisten = 127.0.0.1:0\ncerts = %s\ndeny = shop-1\n",
             files.directory);
    assert_true(config_parse(text, strlen(text), NULL, &config, &errors));
    assert_true(peers_reload(bank.peers, &config, why, sizeof why));
    config_free(&bank.config);
    bank.config = config;
    assert_int_equal(test_seen(&bank, first_seen(&bank))->losses, 1);
    assert_true(test_run(nodes, 2, is_lost, &(Wanted){&shop, number, 1}, 5000));
    // It does not get in again.
    unsigned said = shop.log_count;
    test_find(&shop, "bank", "");
    uint64_t left = 30;
    test_run(nodes, 2, is_over, &left, 5000);
    assert_true(shop.log_count > said);
    assert_int_equal(test_seen(&shop, number)->ups, 1);
    test_node_close(&shop);
    test_node_close(&bank);
}

static int set_up_files(void **state)
{
    (void)state;
    tls_fixture_init(&files);
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
        cmocka_unit_test(frames_go_both_ways),
        cmocka_unit_test(a_peer_that_ends_is_lost_and_may_come_back),
        cmocka_unit_test(a_process_that_is_killed_is_lost_when_another_has_its_name),
        cmocka_unit_test(three_nodes_know_each_other),
        cmocka_unit_test(both_may_dial),
        cmocka_unit_test(a_node_is_found_by_its_address),
        cmocka_unit_test(one_that_is_known_already_keeps_its_number),
        cmocka_unit_test(a_node_finds_itself),
        cmocka_unit_test(what_is_not_a_node_is_not_found),
        cmocka_unit_test(anonymous_nodes_are_peers_of_their_own),
        cmocka_unit_test(certificates_are_checked),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(opening_says_what_is_wrong),
        cmocka_unit_test(garbage_costs_its_sender_only),
        cmocka_unit_test(silent_callers_keep_nobody_out),
        cmocka_unit_test(control_waits_and_data_is_refused),
        cmocka_unit_test(what_the_peer_does_not_take_is_told),
        cmocka_unit_test(whoever_breaks_the_protocol_is_lost),
        cmocka_unit_test(a_peer_can_be_given_up),
        cmocka_unit_test(denied_peers_are_lost_at_once),
    };
    return cmocka_run_group_tests(tests, set_up_files, remove_files);
}
