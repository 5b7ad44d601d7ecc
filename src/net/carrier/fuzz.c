// fuzz.c: whatever bytes arrive, before, during and after a handshake, a TLS connection fails with a reason or goes on, takes no more
// memory than it may, and lets nobody in. A libFuzzer target; the first byte says what is done with the rest.

#define _GNU_SOURCE

#include "net/carrier/tls_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    TlsContext *shop, *bank;
} Contexts;

static void need(bool holds)
{
    if (!holds)
        abort();
}

static Contexts *contexts(void)
{
    static Contexts made;
    if (made.shop == NULL) {
        TlsFixture fixture;
        tls_fixture_init(&fixture);
        made.shop = tls_fixture_context(fixture.directory, "shop-1");
        made.bank = tls_fixture_context(fixture.directory, "bank");
        tls_fixture_fini(&fixture);
    }
    return &made;
}

static void check(Tls *tls)
{
    const void *output;
    bool has_failed = tls_state(tls) == TLS_FAILED;
    need(has_failed == (tls_error(tls) != 0) && has_failed == (tls_why(tls)[0] != '\0'));
    need((tls_peer(tls) == NULL) == (has_failed || tls_state(tls) == TLS_HANDSHAKE));
    need(tls_output(tls, &output) <= 1 << 20);
}

// In pieces, whose lengths are in the bytes themselves; plain bytes are read.
static void feed(Tls *tls, const uint8_t *data, size_t size)
{
    char plain[300];
    while (size > 0 && tls_state(tls) != TLS_FAILED && tls_state(tls) != TLS_CLOSED) {
        size_t piece = (size_t)data[0] * 8 + 1;
        piece = piece < size ? piece : size;
        tls_feed(tls, data, piece);
        while (tls_read(tls, plain, sizeof plain) > 0)
            check(tls);
        tls_keep_input(tls);
        check(tls);
        data += piece;
        size -= piece;
    }
    if (tls_state(tls) == TLS_HANDSHAKE || tls_state(tls) == TLS_UP) {
        tls_end_of_input(tls);
        while (tls_read(tls, plain, sizeof plain) > 0)
            check(tls);
        need(tls_state(tls) == TLS_FAILED);
    }
    check(tls);
}

static void move(Tls *from, Tls *to)
{
    const void *data;
    size_t size = tls_output(from, &data);
    if (size > 0 && tls_unread(to) == 0)
        tls_feed(to, data, size);
    tls_keep_input(to);
    tls_output_sent(from, size);
}

// What the client sends, with some bytes of the input in the place of its own.
static void fuzz_flight(Tls *client, Tls *server, const uint8_t *data, size_t size, int flight)
{
    const void *output;
    for (int i = 0; i < flight; i++) {
        move(client, server);
        move(server, client);
    }
    size_t length = tls_output(client, &output);
    if (length == 0 || size < 3)
        return;
    uint8_t *changed = malloc(length);
    memcpy(changed, output, length);
    size_t at = ((size_t)data[0] << 8 | data[1]) % length, count = size - 2;
    count = count < length - at ? count : length - at;
    memcpy(changed + at, data + 2, count);
    feed(server, changed, length);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    Contexts *made = contexts();
    Tls *client = tls_dial(made->bank, &(TlsExpected){.node = "shop-1"}, UINT64_MAX);
    Tls *server = tls_accept(made->shop, (data[0] & 8) != 0, UINT64_MAX);
    need(client != NULL && server != NULL);
    switch (data[0] % 5) {
    case 0:
        feed(server, data + 1, size - 1);
        break;
    case 1:
        feed(client, data + 1, size - 1);
        break;
    case 2:
        for (int i = 0; i < 2; i++) {
            move(client, server);
            move(server, client);
        }
        need(tls_state(client) == TLS_UP && tls_state(server) == TLS_UP);
        feed(server, data + 1, size - 1);
        feed(client, data + 1, size - 1);
        need(tls_state(server) == TLS_FAILED && tls_state(client) == TLS_FAILED);
        break;
    case 3:
        fuzz_flight(client, server, data + 1, size - 1, 0);
        break;
    default:
        fuzz_flight(client, server, data + 1, size - 1, 1);
    }
    check(client);
    check(server);
    tls_free(client);
    tls_free(server);
    return 0;
}
