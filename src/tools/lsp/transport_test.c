// Framing of messages, and what comes in instead.

#define _GNU_SOURCE

#include "tools/lsp/transport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    int in; // what is written here arrives
    int back[2];
    Transport *transport;
} Fixture;

static int setup(void **state)
{
    static Fixture fixture;
    int pair[2];
    if (pipe(pair) != 0 || pipe(fixture.back) != 0)
        return -1;
    fixture.in = pair[1];
    fixture.transport = transport_new(pair[0], fixture.back[1]);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    if (fixture->in >= 0)
        close(fixture->in);
    close(transport_descriptor(fixture->transport));
    close(fixture->back[0]);
    close(fixture->back[1]);
    transport_free(fixture->transport);
    return 0;
}

static void arrives(Fixture *fixture, const char *text, size_t size)
{
    assert_int_equal(write(fixture->in, text, size), size);
    transport_fill(fixture->transport);
}

static void expect(Fixture *fixture, TransportStatus status, const char *wanted)
{
    const char *text = NULL;
    size_t size = 0;
    assert_int_equal(transport_next(fixture->transport, &text, &size), status);
    if (status == TRANSPORT_MESSAGE) {
        assert_int_equal(size, strlen(wanted));
        assert_memory_equal(text, wanted, size);
    } else if (wanted != NULL) {
        assert_string_equal(text, wanted);
    }
}

#define ARRIVES(text) arrives(fixture, text, sizeof(text) - 1)

static const char NO_LENGTH[] = "a message has no header with one Content-Length";

static void messages_are_taken_apart(void **state)
{
    Fixture *fixture = *state;
    expect(fixture, TRANSPORT_NOTHING, NULL);
    ARRIVES("Content-Length: 2\r\n\r\n{}Content-Length: 4\r\nContent-Type: x\r\n\r\nfour");
    expect(fixture, TRANSPORT_MESSAGE, "{}");
    expect(fixture, TRANSPORT_MESSAGE, "four");
    expect(fixture, TRANSPORT_NOTHING, NULL);
    ARRIVES("content-length:0\n\n");
    expect(fixture, TRANSPORT_MESSAGE, "");
}

static void a_message_may_come_byte_by_byte(void **state)
{
    Fixture *fixture = *state;
    static const char text[] = "Content-Length: 3\r\n\r\nabc";
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        expect(fixture, TRANSPORT_NOTHING, NULL);
        arrives(fixture, text + i, 1);
    }
    expect(fixture, TRANSPORT_MESSAGE, "abc");
}

static void headers_that_make_no_sense_are_refused_once(void **state)
{
    Fixture *fixture = *state;
    static const char *const headers[] = {
        "Hello: world\r\n\r\n",
        "\r\n\r\n",
        "Content-Length: \r\n\r\n",
        "Content-Length: 1x\r\n\r\n",
        "Content-Length: 99999999999999999999999999\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        arrives(fixture, headers[i], strlen(headers[i]));
        expect(fixture, TRANSPORT_REFUSED, NO_LENGTH);
        // What follows is skipped up to the next header.
        ARRIVES("and some more\nof it Content-Len");
        expect(fixture, TRANSPORT_NOTHING, NULL);
        ARRIVES("gth: 2\r\n\r\nok");
        ARRIVES("Content-Length: 2\r\n\r\nok");
        expect(fixture, TRANSPORT_MESSAGE, "ok");
        expect(fixture, TRANSPORT_MESSAGE, "ok");
    }
}

static void a_header_without_an_end_is_refused(void **state)
{
    Fixture *fixture = *state;
    char junk[TRANSPORT_HEADER_MAX + 100];
    memset(junk, 'x', sizeof junk);
    arrives(fixture, junk, sizeof junk);
    expect(fixture, TRANSPORT_REFUSED, "the header of a message is too long");
    ARRIVES("Content-Length: 2\r\n\r\nok");
    expect(fixture, TRANSPORT_MESSAGE, "ok");
}

static void a_message_that_is_too_large_is_skipped(void **state)
{
    Fixture *fixture = *state;
    char header[64];
    size_t size = (size_t)TRANSPORT_MESSAGE_MAX + 1;
    int length = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", size);
    arrives(fixture, header, (size_t)length);
    expect(fixture, TRANSPORT_REFUSED, "a message is too large");
    static char piece[32768];
    memset(piece, '{', sizeof piece);
    while (size > 0) {
        size_t count = size < sizeof piece ? size : sizeof piece;
        arrives(fixture, piece, count);
        expect(fixture, TRANSPORT_NOTHING, NULL);
        size -= count;
    }
    ARRIVES("Content-Length: 2\r\n\r\nok");
    expect(fixture, TRANSPORT_MESSAGE, "ok");
}

static void the_end_comes_after_what_is_there(void **state)
{
    Fixture *fixture = *state;
    ARRIVES("Content-Length: 2\r\n\r\nokContent-Length: 5\r\n\r\nhal");
    close(fixture->in);
    fixture->in = -1;
    transport_fill(fixture->transport);
    expect(fixture, TRANSPORT_MESSAGE, "ok");
    expect(fixture, TRANSPORT_END, NULL);
}

static void what_is_written_has_a_header(void **state)
{
    Fixture *fixture = *state;
    char text[64] = "";
    assert_true(transport_write(fixture->transport, "{\"a\":1}", 7));
    ssize_t count = read(fixture->back[0], text, sizeof text - 1);
    assert_int_equal(count, strlen("Content-Length: 7\r\n\r\n") + 7);
    assert_string_equal(text, "Content-Length: 7\r\n\r\n{\"a\":1}");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(messages_are_taken_apart),
        TEST(a_message_may_come_byte_by_byte),
        TEST(headers_that_make_no_sense_are_refused_once),
        TEST(a_header_without_an_end_is_refused),
        TEST(a_message_that_is_too_large_is_skipped),
        TEST(the_end_comes_after_what_is_there),
        TEST(what_is_written_has_a_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
