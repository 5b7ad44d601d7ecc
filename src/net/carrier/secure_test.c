// Secure streams over real TCP: connections are made, by number and by name; everything arrives; and each way in which a connection
// can't be made, or breaks, has its reason.

#define _GNU_SOURCE

#include "net/carrier/carrier.h"
#include "net/carrier/secure.h"
#include "net/carrier/tls_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 20000 };

static TlsFixture fixture;
static TlsContext *shop, *bank, *nobody;
static chx_net *net;

// ---- helpers ----

typedef struct {
    void *listener;
    char address[100], port[8];
} Listener;

static Listener listen_at(const char *address)
{
    Listener listener;
    assert_int_equal(tcp_carrier.listen(net, address, &listener.listener), 0);
    assert_int_equal(tcp_carrier.listener_address(listener.listener, listener.address, sizeof listener.address), 0);
    snprintf(listener.port, sizeof listener.port, "%s", strrchr(listener.address, ':') + 1);
    return listener;
}

static Secure *dial(const char *address, TlsContext *context, const char *node)
{
    int error;
    Secure *secure = secure_dial(&tcp_carrier, net, address, context, &(TlsExpected){.node = node}, UINT64_MAX, &error);
    assert_non_null(secure);
    return secure;
}

static void wait_for(int descriptor, short events)
{
    struct pollfd waits = {.fd = descriptor, .events = events};
    if (poll(&waits, 1, PATIENCE_MS) != 1)
        fail_msg("nothing happens on descriptor %d", descriptor);
}

static void *accept_stream(const Listener *listener)
{
    void *stream;
    wait_for(tcp_carrier.listener_descriptor(listener->listener), POLLIN);
    assert_int_equal(tcp_carrier.accept(listener->listener, &stream), 0);
    return stream;
}

static Secure *accept_one(const Listener *listener, bool accepts_anonymous)
{
    Secure *secure = secure_accept(&tcp_carrier, accept_stream(listener), shop, accepts_anonymous, UINT64_MAX);
    assert_non_null(secure);
    return secure;
}

static void wait_for_either(const Secure *one, const Secure *other)
{
    struct pollfd waits[] = {{.fd = secure_descriptor(one), .events = secure_events(one)},
                             {.fd = secure_descriptor(other), .events = secure_events(other)}};
    assert_true(poll(waits, 2, PATIENCE_MS) > 0);
}

// Both ends until neither waits for the other: each is established, or has failed.
static void establish(Secure *client, Secure *server, int *of_client, int *of_server)
{
    for (;;) {
        *of_client = secure_establish(client);
        *of_server = secure_establish(server);
        if (*of_client != -EAGAIN && *of_server != -EAGAIN)
            return;
        if (*of_client != -EAGAIN)
            wait_for(secure_descriptor(server), secure_events(server));
        else if (*of_server != -EAGAIN)
            wait_for(secure_descriptor(client), secure_events(client));
        else
            wait_for_either(client, server);
    }
}

typedef struct {
    Listener listener;
    Secure *client, *server;
} Connection;

// The client must get as far as TCP before somebody is there to be accepted.
static void connect_tcp(Secure *client)
{
    while (secure_establish(client) == -EAGAIN && secure_descriptor(client) >= 0) {
        char peer[100];
        secure_address(client, peer, sizeof peer);
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        if (getpeername(secure_descriptor(client), (struct sockaddr *)&address, &size) == 0)
            return;
        wait_for(secure_descriptor(client), secure_events(client));
    }
}

static Connection connect_by(const char *listen, const char *host)
{
    Connection made = {.listener = listen_at(listen)};
    char address[120];
    int of_client, of_server;
    snprintf(address, sizeof address, "%s:%s", host, made.listener.port);
    made.client = dial(address, bank, "shop-1");
    connect_tcp(made.client);
    made.server = accept_one(&made.listener, false);
    establish(made.client, made.server, &of_client, &of_server);
    if (of_client != 0 || of_server != 0)
        fail_msg("%d: %s; %d: %s", of_client, secure_why(made.client), of_server, secure_why(made.server));
    return made;
}

static void disconnect(Connection connection)
{
    secure_close(connection.client);
    secure_close(connection.server);
    tcp_carrier.close_listener(connection.listener.listener);
}

// The result of reading that does not wait for more.
static ssize_t read_result(Secure *secure, void *data, size_t size)
{
    ssize_t count;
    while ((count = secure_read(secure, data, size)) == -EAGAIN)
        wait_for(secure_descriptor(secure), secure_events(secure));
    return count;
}

static void has_reason(const Secure *secure, const char *reason)
{
    if (strstr(secure_why(secure), reason) == NULL)
        fail_msg("'%s' is not in: %s", reason, secure_why(secure));
}

// ---- connections ----

static void hosts_are_dialled_by_number_and_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *listen, *host;
    } cases[] = {
        {"127.0.0.1:0", "127.0.0.1"}, {"127.0.0.1:0", "localhost"}, {"[::1]:0", "[::1]"}, {"[::]:0", "127.0.0.1"}};
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has_ipv6 = probe >= 0 && access("/proc/net/if_inet6", F_OK) == 0;
    close(probe);
    for (size_t i = 0; i < (has_ipv6 ? 4 : 2); i++) {
        Connection connection = connect_by(cases[i].listen, cases[i].host);
        assert_string_equal(secure_peer(connection.client)->name, "shop-1");
        assert_string_equal(secure_peer(connection.server)->name, "bank");
        char from[100];
        secure_address(connection.server, from, sizeof from);
        assert_non_null(strchr(from, ':'));
        disconnect(connection);
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

// One direction of a transfer in which both sides send all the time.
typedef struct {
    Secure *from, *to;
    size_t sent, received;
    uint32_t seed;
} Flow;

static unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 31 + (at >> 8) * 7 + (at >> 16));
}

static void send_some(Flow *flow, size_t total)
{
    static unsigned char bytes[100000];
    size_t size = next_random(&flow->seed) % sizeof bytes + 1;
    size = size < total - flow->sent ? size : total - flow->sent;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(flow->sent + i);
    size_t first = size / 3;
    const struct iovec parts[] = {{bytes, first}, {bytes + first, size - first}};
    ssize_t taken = secure_write(flow->from, parts, 2);
    if (taken < 0 && taken != -EAGAIN)
        fail_msg("%zd: %s", taken, secure_why(flow->from));
    flow->sent += taken > 0 ? (size_t)taken : 0;
}

static void receive_some(Flow *flow)
{
    static unsigned char bytes[70000];
    ssize_t count = secure_read(flow->to, bytes, next_random(&flow->seed) % sizeof bytes + 1);
    assert_true(count > 0 || count == -EAGAIN);
    for (ssize_t i = 0; i < count; i++)
        if (bytes[i] != byte_at(flow->received + (size_t)i))
            fail_msg("byte %zu is wrong", flow->received + (size_t)i);
    flow->received += count > 0 ? (size_t)count : 0;
}

static void everything_arrives_in_both_directions(void **state)
{
    (void)state;
    enum { TOTAL = 4 << 20 };
    Connection connection = connect_by("127.0.0.1:0", "127.0.0.1");
    int small = 20000; // so that writes are cut
    setsockopt(secure_descriptor(connection.client), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    Flow flows[] = {{connection.client, connection.server, 0, 0, 1}, {connection.server, connection.client, 0, 0, 2}};
    while (flows[0].received < TOTAL || flows[1].received < TOTAL) {
        for (int i = 0; i < 2; i++) {
            if (flows[i].sent < TOTAL)
                send_some(&flows[i], TOTAL);
            int flushed = secure_flush(flows[i].from);
            assert_true(flushed == 0 || flushed == -EAGAIN);
            receive_some(&flows[i]);
        }
    }
    assert_int_equal(flows[0].received, TOTAL);
    assert_int_equal(flows[1].received, TOTAL);
    assert_int_equal(secure_events(connection.client), POLLIN);
    disconnect(connection);
}

static void an_orderly_end_is_not_a_cut(void **state)
{
    (void)state;
    char bytes[100];
    Connection connection = connect_by("127.0.0.1:0", "127.0.0.1");
    assert_int_equal(secure_write(connection.client, &(struct iovec){"last", 4}, 1), 4);
    secure_close(connection.client);
    connection.client = NULL;
    assert_int_equal(read_result(connection.server, bytes, sizeof bytes), 4);
    assert_int_equal(read_result(connection.server, bytes, sizeof bytes), 0);
    disconnect(connection);

    connection = connect_by("127.0.0.1:0", "127.0.0.1");
    shutdown(secure_descriptor(connection.client), SHUT_RDWR);
    assert_int_equal(read_result(connection.server, bytes, sizeof bytes), -ECONNRESET);
    has_reason(connection.server, "cut");
    // Nobody is killed by a signal for writing there.
    ssize_t count = 0;
    for (int i = 0; i < 1000 && count >= 0; i++)
        count = secure_write(connection.client, &(struct iovec){bytes, sizeof bytes}, 1);
    assert_true(count < 0);
    disconnect(connection);
}

// ---- no connection ----

static void nobody_listens(void **state)
{
    (void)state;
    Listener listener = listen_at("127.0.0.1:0");
    tcp_carrier.close_listener(listener.listener);
    Secure *client = dial(listener.address, bank, NULL);
    int result;
    while ((result = secure_establish(client)) == -EAGAIN)
        wait_for(secure_descriptor(client), secure_events(client));
    assert_int_equal(result, -ECONNREFUSED);
    has_reason(client, "nobody listens at '127.0.0.1:");
    assert_int_equal(secure_establish(client), -ECONNREFUSED);
    char byte;
    assert_int_equal(secure_read(client, &byte, 1), -ECONNREFUSED);
    secure_close(client);
}

static void add_address(ResolvedAddresses *addresses, const Listener *listener)
{
    ResolvedAddresses one;
    assert_true(resolver_numeric("127.0.0.1", (uint16_t)atoi(listener->port), &one));
    addresses->items[addresses->count++] = one.items[0];
}

static int dial_all(chx_net *patient, const ResolvedAddresses *addresses, void **stream)
{
    int result;
    assert_int_equal(tcp_dial_addresses(patient, "several", addresses, stream), 0);
    while ((result = tcp_carrier.establish(*stream)) == -EAGAIN)
        wait_for(tcp_carrier.descriptor(*stream), POLLIN);
    return result;
}

// Nobody listens at the first address, the second does not answer, the third is good.
static void the_first_address_that_answers_is_taken(void **state)
{
    (void)state;
    ResolvedAddresses addresses = {.count = 0};
    Listener closed = listen_at("127.0.0.1:0"), full = listen_at("127.0.0.1:0"), good = listen_at("127.0.0.1:0");
    tcp_carrier.close_listener(closed.listener);
    // A listener with a queue of one, and more who call than fit into it.
    assert_int_equal(listen(tcp_carrier.listener_descriptor(full.listener), 0), 0);
    add_address(&addresses, &full);
    int callers[4];
    for (int i = 0; i < 4; i++) {
        callers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        connect(callers[i], (struct sockaddr *)&addresses.items[0], sizeof(struct sockaddr_in));
    }
    addresses.count = 0;
    add_address(&addresses, &closed);
    add_address(&addresses, &full);
    add_address(&addresses, &good);
    // It does not give up an address by itself.
    chx_net *patient = net_new(0);
    void *stream, *accepted;
    assert_int_equal(dial_all(patient, &addresses, &stream), 0);
    accepted = accept_stream(&good);
    tcp_carrier.close(accepted);
    tcp_carrier.close(stream);
    addresses.count = 1;
    assert_int_equal(dial_all(patient, &addresses, &stream), -ECONNREFUSED);
    assert_int_equal(tcp_carrier.establish(stream), -ECONNREFUSED);
    tcp_carrier.close(stream);
    for (int i = 0; i < 4; i++)
        close(callers[i]);
    net_free(patient);
    tcp_carrier.close_listener(full.listener);
    tcp_carrier.close_listener(good.listener);
}

static void hosts_that_are_not_known_do_not_block(void **state)
{
    (void)state;
    // Several ask at once, and some don't wait for the answer.
    Secure *clients[6];
    for (int i = 0; i < 6; i++)
        clients[i] = dial("nonexistent.invalid:7741", bank, NULL);
    for (int i = 0; i < 3; i++)
        secure_close(clients[i]);
    for (int i = 3; i < 6; i++) {
        int result;
        while ((result = secure_establish(clients[i])) == -EAGAIN)
            wait_for(secure_descriptor(clients[i]), secure_events(clients[i]));
        assert_int_equal(result, -EHOSTUNREACH);
        has_reason(clients[i], "the host of 'nonexistent.invalid:7741' is not known");
        secure_close(clients[i]);
    }
}

static void addresses_that_are_none_are_refused(void **state)
{
    (void)state;
    int error;
    void *listener;
    assert_null(secure_dial(&tcp_carrier, net, "nonsense", bank, &(TlsExpected){0}, 0, &error));
    assert_int_equal(error, EINVAL);
    assert_null(secure_dial(&tcp_carrier, net, "127.0.0.1:0", bank, &(TlsExpected){0}, 0, &error));
    assert_int_equal(tcp_carrier.listen(net, "nonsense", &listener), -EINVAL);
    assert_int_equal(tcp_carrier.listen(net, "192.0.2.1:0", &listener), -EADDRNOTAVAIL);
    Listener first = listen_at("127.0.0.1:0");
    assert_int_equal(tcp_carrier.listen(net, first.address, &listener), -EADDRINUSE);
    void *stream;
    assert_int_equal(tcp_carrier.accept(first.listener, &stream), -EAGAIN);
    tcp_carrier.close_listener(first.listener);
}

static void a_silent_other_side_is_given_up_in_time(void **state)
{
    (void)state;
    Listener listener = listen_at("127.0.0.1:0");
    int error;
    Secure *client =
        secure_dial(&tcp_carrier, net, listener.address, bank, &(TlsExpected){.node = "shop-1"}, 1000, &error);
    assert_false(secure_check_deadline(client, 999));
    connect_tcp(client); // The system answers for a listener.
    assert_int_equal(secure_establish(client), -EAGAIN);
    assert_true(secure_check_deadline(client, 1000));
    has_reason(client, "in time");
    assert_int_equal(secure_establish(client), -ETIMEDOUT);
    secure_close(client);
    // Before there is a connection.
    client = secure_dial(&tcp_carrier, net, listener.address, bank, &(TlsExpected){.node = "shop-1"}, 1000, &error);
    assert_true(secure_check_deadline(client, 1000));
    has_reason(client, "does not answer");
    secure_close(client);
    tcp_carrier.close_listener(listener.listener);
}

// The client may be writing already when the server refuses it: it must learn the reason all the same.
static void a_refused_client_learns_why(void **state)
{
    (void)state;
    static char bytes[50000];
    Listener listener = listen_at("127.0.0.1:0");
    for (int i = 0; i < 40; i++) {
        Secure *client = dial(listener.address, nobody, "shop-1");
        connect_tcp(client);
        Secure *server = accept_one(&listener, false);
        int of_client, of_server;
        establish(client, server, &of_client, &of_server);
        assert_int_equal(of_client, 0); // It does not know yet.
        assert_int_equal(of_server, -EACCES);
        has_reason(server, "has no certificate");
        if (i % 2 == 0)
            secure_write(client, &(struct iovec){bytes, sizeof bytes}, 1);
        secure_close(server);
        ssize_t count = 0;
        for (int k = 0; i % 4 < 2 && k < 100 && (count >= 0 || count == -EAGAIN); k++)
            count = secure_write(client, &(struct iovec){bytes, 1000}, 1);
        if (count >= 0 || count == -EAGAIN)
            count = read_result(client, bytes, 100);
        assert_int_equal(count, -EACCES);
        has_reason(client, "wants a certificate");
        secure_close(client);
    }
    tcp_carrier.close_listener(listener.listener);
}

// The reason is what somebody has done, not that the connection is broken because of it.
static void a_caller_who_breaks_the_rules_is_named_as_such(void **state)
{
    (void)state;
    Listener listener = listen_at("127.0.0.1:0");
    ResolvedAddresses address;
    assert_true(resolver_numeric("127.0.0.1", (uint16_t)atoi(listener.port), &address));
    for (int i = 0; i < 2; i++) {
        int caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct linger now = {.l_onoff = 1};
        assert_int_equal(connect(caller, (struct sockaddr *)&address.items[0], sizeof(struct sockaddr_in)), 0);
        assert_int_equal(send(caller, "\x16\x03\x01\x00\x04\x01\xFF\xFF\xFF", 9, 0), 9);
        Secure *server = accept_one(&listener, false);
        wait_for(secure_descriptor(server), POLLIN);
        if (i == 1) { // It has gone when it is answered.
            setsockopt(caller, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            close(caller);
            wait_for(secure_descriptor(server), POLLHUP);
        }
        assert_int_equal(secure_establish(server), -EPROTO);
        has_reason(server, "breaks the rules of TLS");
        secure_close(server);
        if (i == 0)
            close(caller);
    }
    tcp_carrier.close_listener(listener.listener);
}

static void without_descriptors_callers_are_turned_away(void **state)
{
    (void)state;
    Listener listener = listen_at("127.0.0.1:0");
    int caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Secure *client = dial(listener.address, bank, "shop-1");
    connect_tcp(client);
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = (rlim_t)caller; // all below are in use
    int fillers[64], count = 0;
    while (count < 64 && (fillers[count] = dup(0)) >= 0 && fillers[count] < caller)
        count++;
    if (count < 64 && fillers[count] >= 0)
        close(fillers[count]);
    setrlimit(RLIMIT_NOFILE, &none);
    void *stream;
    int result = tcp_carrier.accept(listener.listener, &stream);
    int again = tcp_carrier.accept(listener.listener, &stream);
    setrlimit(RLIMIT_NOFILE, &before);
    while (count > 0)
        close(fillers[--count]);
    assert_int_equal(result, -EMFILE);
    assert_true(again == -EAGAIN || again == -EMFILE); // It is not asked for ever.
    char byte;
    int established;
    while ((established = secure_establish(client)) == -EAGAIN)
        wait_for(secure_descriptor(client), secure_events(client));
    assert_true(established < 0 && secure_read(client, &byte, 1) < 0);
    secure_close(client);
    close(caller);
    tcp_carrier.close_listener(listener.listener);
}

// ---- OpenSSL's own client ----

// openssl s_client, with these options; it says hello. What it prints goes to /dev/null.
static pid_t start_openssl(const Listener *listener, const char *options)
{
    char command[600];
    snprintf(command, sizeof command,
             "cd %s && (echo hello; exec sleep 20) | exec timeout 20 openssl s_client -connect %s -CAfile ca.pem "
             "-cert bank.pem -key bank.key %s >/dev/null 2>&1",
             fixture.directory, listener->address, options);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    return child;
}

static void end_openssl(pid_t child)
{
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
}

static int establish_server(Secure *server)
{
    int result;
    while ((result = secure_establish(server)) == -EAGAIN)
        wait_for(secure_descriptor(server), secure_events(server));
    return result;
}

static void openssl_gets_in_only_with_the_right_words(void **state)
{
    (void)state;
    if (system("command -v openssl >/dev/null") != 0)
        skip();
    static const struct {
        const char *options;
        int result;
        const char *reason;
    } cases[] = {
        {"-tls1_3 -alpn chorex/1 -quiet", 0, ""},
        {"-tls1_2 -alpn chorex/1", -EPROTO, "does not speak TLS 1.3"},
        {"-tls1_3 -alpn http/1.1", -EPROTO, "not chorex/1"},
        {"-tls1_3", -EPROTO, "not chorex/1"},
    };
    Listener listener = listen_at("127.0.0.1:0");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pid_t child = start_openssl(&listener, cases[i].options);
        Secure *server = accept_one(&listener, false);
        assert_int_equal(establish_server(server), cases[i].result);
        has_reason(server, cases[i].reason);
        char bytes[100];
        if (cases[i].result == 0) {
            assert_int_equal(read_result(server, bytes, sizeof bytes), 6);
            assert_memory_equal(bytes, "hello\n", 6);
        }
        secure_close(server);
        end_openssl(child);
    }
    tcp_carrier.close_listener(listener.listener);
}

static int set_up(void **state)
{
    (void)state;
    tls_fixture_init(&fixture);
    shop = tls_fixture_context(fixture.directory, "shop-1");
    bank = tls_fixture_context(fixture.directory, "bank");
    nobody = tls_fixture_context(fixture.directory, NULL);
    net = net_new(5000);
    return net == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    tls_context_release(shop);
    tls_context_release(bank);
    tls_context_release(nobody);
    net_free(net);
    tls_fixture_fini(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_dialled_by_number_and_by_name),
        cmocka_unit_test(everything_arrives_in_both_directions),
        cmocka_unit_test(an_orderly_end_is_not_a_cut),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(the_first_address_that_answers_is_taken),
        cmocka_unit_test(hosts_that_are_not_known_do_not_block),
        cmocka_unit_test(addresses_that_are_none_are_refused),
        cmocka_unit_test(a_silent_other_side_is_given_up_in_time),
        cmocka_unit_test(a_refused_client_learns_why),
        cmocka_unit_test(a_caller_who_breaks_the_rules_is_named_as_such),
        cmocka_unit_test(without_descriptors_callers_are_turned_away),
        cmocka_unit_test(openssl_gets_in_only_with_the_right_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
