// Two ends of a TLS connection over memory: who gets in and who does not, with which reason; that bytes arrive however they are
// split; and that what is not TLS, or not as it should be, ends the connection.

#define _GNU_SOURCE

#include "net/carrier/tls_fixture.h"
#include "net/carrier/tls_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static TlsFixture fixture;
static TlsContext *shop, *bank, *nobody;

// ---- a pipe of memory ----

// Moves all output of one side to the other, `piece` bytes at a time, without reading plain bytes. What is not consumed is kept.
static size_t move(Tls *from, Tls *to, size_t piece)
{
    const void *data;
    size_t size, moved = 0;
    while ((size = tls_output(from, &data)) > 0 && tls_unread(to) == 0) {
        size_t count = size < piece ? size : piece;
        tls_feed(to, data, count);
        tls_keep_input(to);
        tls_output_sent(from, count);
        moved += count;
    }
    return moved;
}

static void shake_hands(Tls *client, Tls *server, size_t piece)
{
    for (int rounds = 0; move(client, server, piece) + move(server, client, piece) > 0; rounds++)
        assert_true(rounds < 100);
}

typedef struct {
    Tls *client, *server;
} Pair;

static Pair pair_of(TlsContext *client, TlsContext *server, const TlsExpected *expected, bool accepts_anonymous)
{
    static const TlsExpected anybody;
    return (Pair){tls_dial(client, expected == NULL ? &anybody : expected, UINT64_MAX),
                  tls_accept(server, accepts_anonymous, UINT64_MAX)};
}

static Pair connected(void)
{
    Pair pair = pair_of(bank, shop, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    assert_int_equal(tls_state(pair.client), TLS_UP);
    assert_int_equal(tls_state(pair.server), TLS_UP);
    return pair;
}

static void pair_free(Pair pair)
{
    tls_free(pair.client);
    tls_free(pair.server);
}

static ssize_t write_text(Tls *tls, const void *text, size_t size)
{
    struct iovec part = {(void *)text, size};
    return tls_write(tls, &part, 1);
}

static void expect_text(Tls *tls, const void *text, size_t size)
{
    char *got = malloc(size + 1);
    size_t filled = 0;
    ssize_t count;
    while (filled < size + 1 && (count = tls_read(tls, got + filled, size + 1 - filled)) > 0)
        filled += (size_t)count;
    assert_int_equal(filled, size);
    assert_memory_equal(got, text, size);
    free(got);
}

// One side does not accept the other, or what it says.
static void failed(Tls *tls, int error, const char *reason)
{
    char byte;
    if (tls_state(tls) != TLS_FAILED)
        assert_int_equal(tls_read(tls, &byte, 1), -error);
    assert_int_equal(tls_state(tls), TLS_FAILED);
    if (strstr(tls_why(tls), reason) == NULL)
        fail_msg("'%s' is not in: %s", reason, tls_why(tls));
    assert_int_equal(tls_error(tls), error);
    assert_int_equal(tls_read(tls, &byte, 1), -error);
    assert_int_equal(write_text(tls, "x", 1), -error);
    assert_null(tls_peer(tls));
}

static TlsContext *context_at(const char *directory, const char *name, int64_t time)
{
    char why[TLS_WHY_SIZE];
    TlsContext *context =
        tls_context_new(&(TlsOptions){.directory = directory, .name = name, .time = time}, why, sizeof why);
    if (context == NULL)
        fail_msg("%s", why);
    return context;
}

// ---- getting in ----

static void both_sides_know_each_other(void **state)
{
    (void)state;
    Pair pair = pair_of(bank, shop, &(TlsExpected){.node = "shop-1", .host = "shop.example.org"}, false);
    assert_null(tls_peer(pair.client));
    assert_int_equal(write_text(pair.client, "early", 5), -EAGAIN);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    const TlsPeer *seen = tls_peer(pair.client);
    assert_non_null(seen);
    assert_string_equal(seen->name, "shop-1");
    assert_int_equal(seen->role_count, 3);
    assert_true(tls_peer_may_play(seen, "bookseller", "Seller"));
    assert_false(tls_peer_may_play(seen, "bookseller", "Buyer"));
    assert_false(tls_peer_may_play(seen, "shop", "Seller"));
    assert_true(tls_peer_may_play(seen, "anything", "Monitor"));
    assert_true(tls_peer_may_play(seen, "kv", "Anybody"));
    assert_true(seen->valid_until > time(NULL));
    assert_string_equal(tls_peer(pair.server)->name, "bank");
    assert_false(tls_peer_may_play(tls_peer(pair.server), "bookseller", "Seller"));
    assert_memory_not_equal(seen->fingerprint, tls_peer(pair.server)->fingerprint, 32);
    assert_string_equal(SSL_get_version(pair.client->ssl), "TLSv1.3");
    pair_free(pair);
}

static void hosts_may_be_given_by_number(void **state)
{
    (void)state;
    Pair pair = pair_of(bank, shop, &(TlsExpected){.host = "192.0.2.7"}, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    assert_int_equal(tls_state(pair.client), TLS_UP);
    pair_free(pair);
}

static void somebody_without_a_certificate_gets_in_only_where_that_is_allowed(void **state)
{
    (void)state;
    Pair pair = pair_of(nobody, shop, NULL, true);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    assert_int_equal(tls_state(pair.server), TLS_UP);
    assert_null(tls_peer(pair.server)->name);
    assert_int_equal(tls_peer(pair.server)->role_count, 0);
    assert_string_equal(tls_peer(pair.client)->name, "shop-1");
    pair_free(pair);

    pair = pair_of(nobody, shop, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.server, EACCES, "has no certificate");
    failed(pair.client, EACCES, "wants a certificate");
    pair_free(pair);

    // A certificate that is shown must be good, also where none is needed.
    TlsContext *other = tls_fixture_context(fixture.other, "shop-1");
    pair = pair_of(other, shop, NULL, true);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, "another authority");
    pair_free(pair);
    tls_context_release(other);
}

// ---- not getting in ----

static void another_authority_is_not_believed(void **state)
{
    (void)state;
    static const char *const names[] = {"shop-1", "plain"};
    for (int i = 0; i < 2; i++) {
        TlsContext *other = tls_fixture_context(fixture.other, names[i]);
        Pair pair = pair_of(bank, other, NULL, false);
        shake_hands(pair.client, pair.server, SIZE_MAX);
        failed(pair.client, EACCES, "was signed by another authority");
        failed(pair.server, EACCES, "it was signed by an authority that the other side does not know");
        pair_free(pair);
        tls_context_release(other);
    }

    // A client whose own authority is the right one, but whose certificate is not.
    char mixed[100], path[700];
    snprintf(mixed, sizeof mixed, "%s/mixed", fixture.directory);
    snprintf(path, sizeof path, "mkdir -p %s && cat %s/ca.pem %s/ca.pem >%s/ca.pem && cp %s/shop-1.* %s/", mixed,
             fixture.directory, fixture.other, mixed, fixture.other, mixed);
    assert_int_equal(system(path), 0);
    TlsContext *intruder = tls_fixture_context(mixed, "shop-1");
    Pair pair = pair_of(intruder, shop, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.server, EACCES, "signed by another authority");
    failed(pair.client, EACCES, "an authority that the other side does not know");
    pair_free(pair);
    tls_context_release(intruder);
}

static void certificates_count_only_in_their_time(void **state)
{
    (void)state;
    char year[8];
    time_t now = time(NULL), yesterday = now - DAY_S;
    strftime(year, sizeof year, "%Y-", gmtime(&yesterday));
    TlsContext *expired = context_at(fixture.directory, "expired", now - 5 * DAY_S);
    TlsContext *early = context_at(fixture.directory, "early", now + 5 * DAY_S);
    Pair pair = pair_of(expired, shop, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.server, EACCES, "the certificate of 'expired' has expired on ");
    assert_non_null(strstr(tls_why(pair.server), year));
    failed(pair.client, EACCES, "it has expired");
    pair_free(pair);
    pair = pair_of(bank, expired, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, "the certificate of 'expired' has expired on ");
    pair_free(pair);
    pair = pair_of(early, shop, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.server, EACCES, "the certificate of 'early' is valid only from ");
    failed(pair.client, EACCES, "does not accept the certificate of 'early'");
    pair_free(pair);
    tls_context_release(expired);
    tls_context_release(early);
}

static void somebody_else_at_the_other_end_is_found_out(void **state)
{
    (void)state;
    Pair pair = pair_of(bank, shop, &(TlsExpected){.node = "shop-2"}, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, "'shop-1' is at the other end, not 'shop-2'");
    failed(pair.server, EACCES, "does not accept the certificate of 'shop-1'");
    pair_free(pair);
    pair = pair_of(bank, shop, &(TlsExpected){.node = "shop-1", .host = "evil.example.org"}, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, "is not for the host 'evil.example.org'");
    pair_free(pair);
}

static void denied_nodes_are_refused(void **state)
{
    (void)state;
    const char *denied[] = {"eve", "mallory"};
    char why[TLS_WHY_SIZE];
    TlsContext *careful = tls_context_new(
        &(TlsOptions){.directory = fixture.directory, .name = "shop-1", .denied = denied, .denied_count = 2}, why,
        sizeof why);
    TlsContext *mallory = tls_fixture_context(fixture.directory, "mallory");
    assert_non_null(careful);
    assert_true(tls_context_denies(careful, "mallory") && !tls_context_denies(careful, "bank"));
    Pair pair = pair_of(mallory, careful, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.server, EACCES, "'mallory' is denied by the configuration");
    failed(pair.client, EACCES, "the other side denies this node");
    pair_free(pair);
    pair = pair_of(careful, mallory, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, "'mallory' is denied");
    pair_free(pair);
    pair = pair_of(bank, careful, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    assert_int_equal(tls_state(pair.server), TLS_UP);
    pair_free(pair);
    tls_context_release(careful);
    tls_context_release(mallory);
}

// A server with such a certificate, seen by a client.
static void refuses(const TlsFixtureNode *node, const char *reason)
{
    tls_fixture_node(fixture.directory, &fixture.issuer, node);
    // Its own check would find the same: so it pretends to be another one.
    TlsContext *context = tls_fixture_context(fixture.directory, "bank");
    char path[200];
    snprintf(path, sizeof path, "%s/odd.pem", fixture.directory);
    assert_int_equal(SSL_CTX_use_certificate_chain_file(context->ssl, path), 1);
    snprintf(path, sizeof path, "%s/odd.key", fixture.directory);
    assert_int_equal(SSL_CTX_use_PrivateKey_file(context->ssl, path, SSL_FILETYPE_PEM), 1);
    Pair pair = pair_of(shop, context, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, reason);
    pair_free(pair);
    tls_context_release(context);
}

static void certificates_must_name_one_node(void **state)
{
    (void)state;
    refuses(&(TlsFixtureNode){.file_name = "odd", .common_name = "a/b"}, "does not say the name of a node");
    refuses(&(TlsFixtureNode){.file_name = "odd"}, "does not say the name of a node");
    refuses(&(TlsFixtureNode){.file_name = "odd", .common_name = "a", .names = "URI:chorex:node/a,URI:chorex:node/b"},
            "does not say the name of a node");
    refuses(&(TlsFixtureNode){.file_name = "odd", .common_name = "a", .names = "URI:chorex:node/../b"},
            "does not say the name of a node");
    refuses(&(TlsFixtureNode){.file_name = "odd", .common_name = "a", .usage = "clientAuth"}, "not meant for nodes");
}

static void odd_roles_allow_nothing(void **state)
{
    (void)state;
    tls_fixture_node(fixture.directory, &fixture.issuer,
                     &(TlsFixtureNode){.common_name = "roles",
                                       .names =
                                           "URI:chorex:role/,URI:chorex:role/a,URI:chorex:role//B,URI:chorex:role/a/,"
                                           "URI:chorex:role/a/B/C,URI:chorex:role/**/B,URI:chorex:role/a/B*,"
                                           "URI:http://x/a/B,URI:chorex:role/good/One,DNS:chorex.role"});
    TlsContext *context = tls_fixture_context(fixture.directory, "roles");
    Pair pair = pair_of(shop, context, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    const TlsPeer *peer = tls_peer(pair.client);
    assert_non_null(peer);
    assert_string_equal(peer->name, "roles");
    assert_int_equal(peer->role_count, 1);
    assert_true(tls_peer_may_play(peer, "good", "One"));
    assert_false(tls_peer_may_play(peer, "a", "B"));
    pair_free(pair);
    tls_context_release(context);
}

// ---- others than us ----

// A client that OpenSSL alone makes, with memory BIOs.
typedef struct {
    SSL_CTX *context;
    SSL *ssl;
} Raw;

static Raw raw_client(int version, const char *protocols)
{
    Raw raw = {.context = SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_max_proto_version(raw.context, version);
    SSL_CTX_set_security_level(raw.context, 1);
    if (protocols != NULL)
        SSL_CTX_set_alpn_protos(raw.context, (const unsigned char *)protocols, (unsigned)strlen(protocols));
    char path[200];
    snprintf(path, sizeof path, "%s/bank.pem", fixture.directory);
    SSL_CTX_use_certificate_file(raw.context, path, SSL_FILETYPE_PEM);
    snprintf(path, sizeof path, "%s/bank.key", fixture.directory);
    SSL_CTX_use_PrivateKey_file(raw.context, path, SSL_FILETYPE_PEM);
    raw.ssl = SSL_new(raw.context);
    SSL_set_bio(raw.ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(raw.ssl);
    return raw;
}

static void raw_free(Raw raw)
{
    SSL_free(raw.ssl);
    SSL_CTX_free(raw.context);
}

static void raw_exchange(Raw raw, Tls *server)
{
    for (int i = 0; i < 10; i++) {
        unsigned char bytes[8192];
        const void *data;
        SSL_do_handshake(raw.ssl);
        int count = BIO_read(SSL_get_wbio(raw.ssl), bytes, sizeof bytes);
        if (count > 0 && tls_state(server) != TLS_FAILED) {
            tls_feed(server, bytes, (size_t)count);
            tls_keep_input(server);
        }
        size_t size = tls_output(server, &data);
        BIO_write(SSL_get_rbio(raw.ssl), data, (int)size);
        tls_output_sent(server, size);
    }
}

static void other_protocols_are_refused(void **state)
{
    (void)state;
    static const struct {
        int version;
        const char *protocols, *reason;
    } cases[] = {
        {TLS1_2_VERSION,
         "\x08"
         "chorex/1",
         "does not speak TLS 1.3"},
        {TLS1_VERSION,
         "\x08"
         "chorex/1",
         "does not speak TLS 1.3"},
        {TLS1_3_VERSION,
         "\x02"
         "h2",
         "not chorex/1"},
        {TLS1_3_VERSION, NULL, "not chorex/1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Raw raw = raw_client(cases[i].version, cases[i].protocols);
        Tls *server = tls_accept(shop, false, UINT64_MAX);
        raw_exchange(raw, server);
        failed(server, EPROTO, cases[i].reason);
        tls_free(server);
        raw_free(raw);
    }
    // The same client with the right words gets in.
    Raw raw = raw_client(TLS1_3_VERSION, "\x02"
                                         "h2\x08"
                                         "chorex/1");
    Tls *server = tls_accept(shop, false, UINT64_MAX);
    raw_exchange(raw, server);
    assert_int_equal(tls_state(server), TLS_UP);
    tls_free(server);
    raw_free(raw);
}

static void what_is_not_tls_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"GET / HTTP/1.0\r\n\r\n",
                                        "SSH-2.0-OpenSSH_9.2\r\n",
                                        "\x05\x01\x00 socks",
                                        "\x16\x03\x01\xFF\xFF\x01 a huge record",
                                        "\x16\x03\x01\x00\x04\x01\xFF\xFF\xFF",
                                        "hello, is anybody there?"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t size = i == 4 ? 9 : i == 2 ? 9 : strlen(texts[i]);
        Tls *server = tls_accept(shop, false, UINT64_MAX);
        tls_feed(server, texts[i], size);
        tls_keep_input(server);
        failed(server, EPROTO, "TLS");
        tls_free(server);
        Tls *client = tls_dial(bank, &(TlsExpected){0}, UINT64_MAX);
        tls_feed(client, texts[i], size);
        tls_keep_input(client);
        failed(client, EPROTO, "TLS");
        tls_free(client);
    }
}

static void half_a_handshake_ends_by_its_deadline_or_by_its_end(void **state)
{
    (void)state;
    const void *data;
    for (int i = 0; i < 2; i++) {
        Tls *client = tls_dial(bank, &(TlsExpected){0}, 1000), *server = tls_accept(shop, false, 1000);
        size_t size = tls_output(client, &data);
        tls_feed(server, data, size / 2);
        assert_int_equal(tls_unread(server), 0);
        assert_false(tls_check_deadline(server, 999));
        assert_int_equal(tls_state(server), TLS_HANDSHAKE);
        if (i == 0) {
            assert_true(tls_check_deadline(server, 1000));
            assert_false(tls_check_deadline(server, 1001));
            failed(server, ETIMEDOUT, "in time");
        } else {
            tls_end_of_input(server);
            failed(server, ECONNRESET, "cut");
        }
        pair_free((Pair){client, server});
    }
    Pair pair = connected();
    pair.server->deadline_ns = 1000;
    assert_false(tls_check_deadline(pair.server, 5000)); // it is done
    pair_free(pair);
}

// ---- bytes ----

static void a_handshake_may_be_split_anywhere(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 3000; piece = piece < 20 ? piece + 1 : piece * 5 / 4) {
        Pair pair = pair_of(bank, shop, NULL, false);
        shake_hands(pair.client, pair.server, piece);
        assert_int_equal(tls_state(pair.client), TLS_UP);
        assert_int_equal(tls_state(pair.server), TLS_UP);
        pair_free(pair);
    }
    // Both flights in two pieces, the first of every length that is a multiple of 13.
    for (size_t first = 1; first < 2600; first += 13) {
        Pair pair = pair_of(bank, shop, NULL, false);
        for (int i = 0; i < 2; i++) {
            move(pair.client, pair.server, first);
            move(pair.server, pair.client, first);
        }
        shake_hands(pair.client, pair.server, SIZE_MAX);
        assert_int_equal(tls_state(pair.server), TLS_UP);
        pair_free(pair);
    }
}

static void records_may_be_split_anywhere(void **state)
{
    (void)state;
    static const char text[] = "a message of a moderate length, which is put into one record and into another one";
    Pair pair = connected();
    size_t size = 0, first = 0;
    do {
        const void *data;
        assert_int_equal(write_text(pair.client, text, sizeof text), sizeof text);
        assert_int_equal(write_text(pair.client, text, 7), 7);
        size = tls_output(pair.client, &data);
        char got[200];
        tls_feed(pair.server, data, first);
        ssize_t one = tls_read(pair.server, got, sizeof got);
        one = one < 0 ? 0 : one;
        while (tls_unread(pair.server) > 0) {
            ssize_t more = tls_read(pair.server, got + one, sizeof got - (size_t)one);
            one += more > 0 ? more : 0;
        }
        tls_feed(pair.server, (const char *)data + first, size - first);
        for (ssize_t more; (more = tls_read(pair.server, got + one, sizeof got - (size_t)one)) > 0;)
            one += more;
        assert_int_equal(one, sizeof text + 7);
        assert_memory_equal(got, text, sizeof text);
        assert_memory_equal(got + sizeof text, text, 7);
        tls_output_sent(pair.client, size);
    } while (first++ < size);
    pair_free(pair);
}

static unsigned count_records(const void *data, size_t size)
{
    const unsigned char *at = data;
    unsigned count = 0;
    for (size_t i = 0; i + 5 <= size; i += 5 + ((size_t)at[i + 3] << 8 | at[i + 4]))
        count++;
    return count;
}

static void small_parts_share_a_record(void **state)
{
    (void)state;
    static char bytes[100000];
    struct iovec parts[102] = {{0}};
    const void *data;
    Pair pair = connected();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 256);
    for (int i = 0; i < 100; i++)
        parts[i] = (struct iovec){bytes + i * 100, 100};
    parts[100] = parts[101] = (struct iovec){bytes, 0};
    assert_int_equal(tls_write(pair.client, parts, 102), 10000);
    size_t size = tls_output(pair.client, &data);
    assert_int_equal(count_records(data, size), 1);
    assert_int_equal(move(pair.client, pair.server, SIZE_MAX), size);
    expect_text(pair.server, bytes, 10000);
    // Small, large, small: as few records as the bytes need.
    parts[0] = (struct iovec){bytes, 3};
    parts[1] = (struct iovec){bytes + 3, sizeof bytes - 5};
    parts[2] = (struct iovec){bytes + sizeof bytes - 2, 2};
    assert_int_equal(tls_write(pair.client, parts, 3), sizeof bytes);
    size = tls_output(pair.client, &data);
    assert_int_equal(count_records(data, size), (sizeof bytes + TLS_RECORD_SIZE - 1) / TLS_RECORD_SIZE);
    move(pair.client, pair.server, SIZE_MAX);
    expect_text(pair.server, bytes, sizeof bytes);
    assert_int_equal(tls_write(pair.client, parts, 0), 0);
    pair_free(pair);
}

static void no_more_is_taken_than_can_be_sent(void **state)
{
    (void)state;
    static char bytes[3 << 20];
    Pair pair = connected();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 31 + i / 999);
    size_t sent = 0, got = 0, most = 0;
    char *read = malloc(sizeof bytes);
    while (got < sizeof bytes) {
        const void *data;
        ssize_t taken = write_text(pair.client, bytes + sent, sizeof bytes - sent);
        sent += taken > 0 ? (size_t)taken : 0;
        size_t size = tls_output(pair.client, &data);
        most = size > most ? size : most;
        if (sent < sizeof bytes)
            assert_int_equal(write_text(pair.client, bytes, 1), -EAGAIN);
        size_t piece = size < 100000 ? size : 100000;
        tls_feed(pair.server, data, piece);
        for (ssize_t count; (count = tls_read(pair.server, read + got, sizeof bytes - got)) > 0;)
            got += (size_t)count;
        assert_int_equal(tls_unread(pair.server), 0);
        tls_output_sent(pair.client, piece);
    }
    assert_memory_equal(read, bytes, sizeof bytes);
    assert_in_range(most, TLS_OUTPUT_HIGH, TLS_OUTPUT_HIGH + TLS_RECORD_SIZE + 100);
    free(read);
    pair_free(pair);
}

static void idle_connections_give_memory_back(void **state)
{
    (void)state;
    static char bytes[40000];
    Pair pair = connected();
    const void *data;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write_text(pair.client, bytes, sizeof bytes), sizeof bytes);
        // Half a record is under way: nothing of it is lost.
        size_t size = tls_output(pair.client, &data), half = size - 100;
        tls_feed(pair.server, data, half);
        char *got = malloc(sizeof bytes);
        size_t filled = 0;
        for (ssize_t count; (count = tls_read(pair.server, got + filled, sizeof bytes - filled)) > 0;)
            filled += (size_t)count;
        assert_true(filled < sizeof bytes);
        tls_release_memory(pair.server);
        tls_release_memory(pair.client);
        assert_int_equal(tls_output(pair.client, &data), size);
        tls_feed(pair.server, (const char *)data + half, size - half);
        for (ssize_t count; (count = tls_read(pair.server, got + filled, sizeof bytes - filled)) > 0;)
            filled += (size_t)count;
        assert_int_equal(filled, sizeof bytes);
        tls_output_sent(pair.client, size);
        free(got);
        tls_release_memory(pair.server);
        tls_release_memory(pair.client);
        assert_null(pair.client->output.data);
    }
    pair_free(pair);
}

static void nothing_is_sent_after_the_handshake_without_need(void **state)
{
    (void)state;
    const void *data;
    Pair pair = connected(); // no session tickets
    assert_int_equal(tls_output(pair.server, &data), 0);
    assert_null(data);
    assert_int_equal(tls_output(pair.client, &data), 0);
    pair_free(pair);
}

static void bytes_behind_the_handshake_are_not_lost(void **state)
{
    (void)state;
    Pair pair = pair_of(bank, shop, NULL, false);
    move(pair.client, pair.server, SIZE_MAX);
    move(pair.server, pair.client, SIZE_MAX);
    assert_int_equal(write_text(pair.client, "hello", 5), 5);
    const void *data;
    size_t size = tls_output(pair.client, &data);
    tls_feed(pair.server, data, size); // the end of the handshake, and more
    assert_int_equal(tls_state(pair.server), TLS_UP);
    assert_true(tls_unread(pair.server) > 0);
    tls_keep_input(pair.server);
    tls_output_sent(pair.client, size);
    expect_text(pair.server, "hello", 5);
    pair_free(pair);
}

// ---- ends and attacks ----

static void an_orderly_end_is_not_a_cut(void **state)
{
    (void)state;
    char byte;
    Pair pair = connected();
    write_text(pair.client, "last", 4);
    tls_close(pair.client);
    assert_int_equal(write_text(pair.client, "more", 4), -EPIPE);
    move(pair.client, pair.server, SIZE_MAX);
    expect_text(pair.server, "last", 4);
    assert_int_equal(tls_read(pair.server, &byte, 1), 0);
    assert_int_equal(tls_state(pair.server), TLS_CLOSED);
    assert_non_null(tls_peer(pair.server));
    // The other direction is still open.
    assert_int_equal(write_text(pair.server, "answer", 6), 6);
    move(pair.server, pair.client, SIZE_MAX);
    expect_text(pair.client, "answer", 6);
    pair_free(pair);

    pair = connected();
    write_text(pair.client, "last", 4);
    move(pair.client, pair.server, SIZE_MAX);
    tls_end_of_input(pair.server);
    char four[4];
    assert_int_equal(tls_read(pair.server, four, 4), 4);
    failed(pair.server, ECONNRESET, "cut");
    pair_free(pair);
}

static void a_record_may_not_be_cut(void **state)
{
    (void)state;
    const void *data;
    Pair pair = connected();
    write_text(pair.client, "secret", 6);
    size_t size = tls_output(pair.client, &data);
    tls_feed(pair.server, data, size - 1);
    char byte;
    assert_int_equal(tls_read(pair.server, &byte, 1), -EAGAIN);
    tls_end_of_input(pair.server);
    failed(pair.server, ECONNRESET, "cut");
    pair_free(pair);
}

static void changed_and_repeated_records_are_found_out(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 30; at++) {
        unsigned char bytes[400], got[16];
        const void *data;
        Pair pair = connected();
        write_text(pair.client, "12345678", 8);
        size_t size = tls_output(pair.client, &data);
        assert_int_equal(size, 30);
        memcpy(bytes, data, size);
        bytes[at] ^= 1;
        tls_feed(pair.server, bytes, size);
        ssize_t count = tls_read(pair.server, got, sizeof got);
        // A length that has become longer waits for more, which fails then. The version in a record's head means nothing.
        if (count == -EAGAIN) {
            memset(bytes, 0, sizeof bytes);
            tls_feed(pair.server, bytes, sizeof bytes);
            count = tls_read(pair.server, got, sizeof got);
        }
        if (count != -EPROTO && !(at == 2 && count == 8))
            fail_msg("byte %u: %zd", at, count);
        pair_free(pair);
    }
    Pair pair = connected();
    unsigned char bytes[100], got[16];
    const void *data;
    write_text(pair.client, "12345678", 8);
    size_t size = tls_output(pair.client, &data);
    memcpy(bytes, data, size);
    tls_feed(pair.server, bytes, size);
    assert_int_equal(tls_read(pair.server, got, sizeof got), 8);
    assert_int_equal(tls_read(pair.server, got, sizeof got), -EAGAIN);
    tls_feed(pair.server, bytes, size);
    failed(pair.server, EPROTO, "breaks the rules of TLS");
    pair_free(pair);
}

static void plain_text_in_a_connection_is_refused(void **state)
{
    (void)state;
    static const unsigned char huge[] = {23, 3, 3, 0xFF, 0xFF, 1, 2, 3};
    static const unsigned char hello[] = {22, 3, 3, 0, 4, 1, 0, 0, 0}; // a handshake once more
    static const unsigned char alert[] = {21, 3, 3, 0, 2, 1, 0};       // "close" that is not encrypted
    const struct iovec cases[] = {
        {(void *)huge, sizeof huge}, {(void *)hello, sizeof hello}, {(void *)alert, sizeof alert}};
    for (size_t i = 0; i < 3; i++) {
        Pair pair = connected();
        tls_feed(pair.server, cases[i].iov_base, cases[i].iov_len);
        failed(pair.server, EPROTO, "breaks the rules of TLS");
        // The other side is told.
        move(pair.server, pair.client, SIZE_MAX);
        failed(pair.client, EPROTO, "TLS");
        pair_free(pair);
    }
}

static void keys_are_replaced_before_they_wear_out(void **state)
{
    (void)state;
    Pair pair = connected();
    tls_set_key_records(pair.client, 3);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(write_text(pair.client, &i, sizeof i), sizeof i);
        move(pair.client, pair.server, SIZE_MAX);
        expect_text(pair.server, &i, sizeof i);
        assert_int_equal(write_text(pair.server, &i, sizeof i), sizeof i);
        move(pair.server, pair.client, SIZE_MAX);
        expect_text(pair.client, &i, sizeof i);
    }
    assert_int_equal(tls_key_updates(pair.client), 6);
    assert_int_equal(tls_key_updates(pair.server), 0);
    pair_free(pair);
}

static void asking_for_new_keys_for_ever_costs_no_memory(void **state)
{
    (void)state;
    Pair pair = connected();
    const void *data;
    for (int i = 0; i < 20000 && tls_state(pair.server) == TLS_UP; i++) {
        char byte;
        SSL_key_update(pair.client->ssl, SSL_KEY_UPDATE_REQUESTED);
        SSL_do_handshake(pair.client->ssl);
        move(pair.client, pair.server, SIZE_MAX);
        tls_read(pair.server, &byte, 1);
        tls_write(pair.server, &(struct iovec){"", 0}, 1);
    }
    assert_true(tls_output(pair.server, &data) <= 1 << 20);
    pair_free(pair);
}

// ---- our own files ----

static void wrong(const char *directory, const char *name, int64_t time, const char *reason)
{
    char why[TLS_WHY_SIZE];
    assert_null(tls_context_new(&(TlsOptions){.directory = directory, .name = name, .time = time}, why, sizeof why));
    if (strstr(why, reason) == NULL)
        fail_msg("'%s' is not in: %s", reason, why);
}

static void wrong_files_are_explained(void **state)
{
    (void)state;
    char other[100], command[2000];
    const char *from = fixture.directory;
    snprintf(other, sizeof other, "%s/wrong", from);
    snprintf(
        command, sizeof command,
        "mkdir %s && cp %s/ca.pem %s && cp %s/bank.pem %s/swapped.pem && cp %s/shop-1.key %s/swapped.key && "
        "cp %s/bank.pem %s/renamed.pem && cp %s/bank.key %s/renamed.key && cp %s/other/shop-1.* %s && "
        "echo nonsense >%s/text.pem && cp %s/bank.pem %s/keyless.pem && mkdir %s/empty %s/odd && echo x >%s/odd/ca.pem",
        other, from, other, from, other, from, other, from, other, from, other, from, other, other, from, other, other,
        other, other);
    assert_int_equal(system(command), 0);
    wrong("/nonexistent", NULL, 0, "'/nonexistent/ca.pem' can't be read: No such file");
    wrong("/nonexistent", NULL, 0, "chorex certs");
    wrong(other, "missing", 0, "missing.pem' can't be read");
    wrong(other, "keyless", 0, "keyless.key' can't be read");
    wrong(other, "text", 0, "text.pem' is not a certificate");
    wrong(other, "swapped", 0, "swapped.key' is not the key of the certificate");
    wrong(other, "renamed", 0, "is the certificate of 'bank', but the configuration says 'name = renamed'");
    wrong(other, "shop-1", 0, "was not signed by the authority in");
    wrong(from, "expired", 0, "has expired on 2");
    wrong(from, "early", 0, "is not valid yet");
    strcat(other, "/odd");
    wrong(other, NULL, 0, "is not a certificate in PEM form");
}

// chorex-certs lies in the folder bin beside this program, if it was built.
static void certificates_of_the_tool_are_accepted(void **state)
{
    (void)state;
    char tool[400], directory[100], command[2000];
    ssize_t length = readlink("/proc/self/exe", tool, 300);
    assert_true(length > 0);
    tool[length] = '\0';
    strcpy(strrchr(tool, '/'), "/bin/chorex-certs");
    if (access(tool, X_OK) != 0)
        skip();
    snprintf(directory, sizeof directory, "%s/tool", fixture.directory);
    snprintf(command, sizeof command,
             "{ '%s' init %s && '%s' node a --roles 'shop/Seller,*/Monitor' --dns a.example --ip ::1 --dir %s && "
             "'%s' node b --roles 'shop/*' --days 1 --dir %s; } >/dev/null",
             tool, directory, tool, directory, tool, directory);
    assert_int_equal(system(command), 0);
    TlsContext *a = tls_fixture_context(directory, "a"), *b = tls_fixture_context(directory, "b");
    static const char *const hosts[] = {"a.example", "::1", NULL};
    for (int i = 0; i < 3; i++) {
        Pair pair = pair_of(b, a, &(TlsExpected){.node = "a", .host = hosts[i]}, false);
        shake_hands(pair.client, pair.server, SIZE_MAX);
        if (tls_state(pair.client) != TLS_UP || tls_state(pair.server) != TLS_UP)
            fail_msg("%s; %s", tls_why(pair.client), tls_why(pair.server));
        assert_true(tls_peer_may_play(tls_peer(pair.client), "shop", "Seller"));
        assert_true(tls_peer_may_play(tls_peer(pair.client), "other", "Monitor"));
        assert_false(tls_peer_may_play(tls_peer(pair.client), "shop", "Buyer"));
        assert_true(tls_peer_may_play(tls_peer(pair.server), "shop", "Buyer"));
        assert_string_equal(tls_peer(pair.server)->name, "b");
        pair_free(pair);
    }
    // Those of another authority of the same name are not.
    Pair pair = pair_of(shop, a, NULL, false);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    failed(pair.client, EACCES, "another authority");
    pair_free(pair);
    tls_context_release(a);
    tls_context_release(b);
}

static void connections_keep_their_context(void **state)
{
    (void)state;
    TlsContext *context = tls_fixture_context(fixture.directory, "bank");
    Pair pair = pair_of(context, shop, NULL, false);
    tls_context_release(context);
    shake_hands(pair.client, pair.server, SIZE_MAX);
    assert_int_equal(tls_state(pair.client), TLS_UP);
    pair_free(pair);
}

static int set_up(void **state)
{
    (void)state;
    tls_fixture_init(&fixture);
    shop = tls_fixture_context(fixture.directory, "shop-1");
    bank = tls_fixture_context(fixture.directory, "bank");
    nobody = tls_fixture_context(fixture.directory, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tls_context_release(shop);
    tls_context_release(bank);
    tls_context_release(nobody);
    tls_fixture_fini(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_know_each_other),
        cmocka_unit_test(hosts_may_be_given_by_number),
        cmocka_unit_test(somebody_without_a_certificate_gets_in_only_where_that_is_allowed),
        cmocka_unit_test(another_authority_is_not_believed),
        cmocka_unit_test(certificates_count_only_in_their_time),
        cmocka_unit_test(somebody_else_at_the_other_end_is_found_out),
        cmocka_unit_test(denied_nodes_are_refused),
        cmocka_unit_test(certificates_must_name_one_node),
        cmocka_unit_test(odd_roles_allow_nothing),
        cmocka_unit_test(other_protocols_are_refused),
        cmocka_unit_test(what_is_not_tls_is_refused),
        cmocka_unit_test(half_a_handshake_ends_by_its_deadline_or_by_its_end),
        cmocka_unit_test(a_handshake_may_be_split_anywhere),
        cmocka_unit_test(records_may_be_split_anywhere),
        cmocka_unit_test(small_parts_share_a_record),
        cmocka_unit_test(no_more_is_taken_than_can_be_sent),
        cmocka_unit_test(idle_connections_give_memory_back),
        cmocka_unit_test(nothing_is_sent_after_the_handshake_without_need),
        cmocka_unit_test(bytes_behind_the_handshake_are_not_lost),
        cmocka_unit_test(an_orderly_end_is_not_a_cut),
        cmocka_unit_test(a_record_may_not_be_cut),
        cmocka_unit_test(changed_and_repeated_records_are_found_out),
        cmocka_unit_test(plain_text_in_a_connection_is_refused),
        cmocka_unit_test(keys_are_replaced_before_they_wear_out),
        cmocka_unit_test(asking_for_new_keys_for_ever_costs_no_memory),
        cmocka_unit_test(wrong_files_are_explained),
        cmocka_unit_test(certificates_of_the_tool_are_accepted),
        cmocka_unit_test(connections_keep_their_context),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
