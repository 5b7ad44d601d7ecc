// leg_test.c: legs of relayed streams, each with the other side of it.

#include "net/relay/leg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static WireFrame next_of(const Leg *leg, WireKind kind)
{
    WireFrame frame;
    assert_true(leg_next(leg, true, &frame));
    assert_int_equal(frame.kind, kind);
    return frame;
}

static void assert_nothing(const Leg *leg)
{
    WireFrame frame;
    assert_false(leg_next(leg, true, &frame));
}

// Both sides of a leg, and RELAY_OPEN was said.
typedef struct {
    Leg near, far;
} Pair;

static void pair_open(Pair *pair)
{
    leg_open(&pair->near, 7, false, "bank");
    WireFrame frame = next_of(&pair->near, WIRE_RELAY_OPEN);
    assert_int_equal(frame.relay_open.stream, 7);
    assert_false(frame.relay_open.ends);
    assert_memory_equal(frame.relay_open.node.data, "bank", 4);
    leg_opened(&pair->far, &frame.relay_open);
    assert_string_equal(pair->far.node, "bank");
    leg_sent(&pair->near, &frame);
    assert_nothing(&pair->near);
}

static void pair_fini(Pair *pair)
{
    leg_fini(&pair->near);
    leg_fini(&pair->far);
}

// Moves one frame of bytes; how many.
static size_t move(Leg *from, Leg *to)
{
    WireFrame frame = next_of(from, WIRE_RELAY_BYTES);
    size_t size = frame.relay_bytes.bytes.size;
    assert_true(leg_take_bytes(to, frame.relay_bytes.bytes));
    leg_sent(from, &frame);
    return size;
}

static void bytes_travel_in_pieces_and_in_order(void **state)
{
    (void)state;
    Pair pair;
    uint8_t bytes[RELAY_PIECE + 10];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    pair_open(&pair);
    assert_true(leg_put(&pair.near, bytes, 100));
    assert_true(leg_put(&pair.near, bytes + 100, sizeof bytes - 100));
    WireFrame frame = next_of(&pair.near, WIRE_RELAY_BYTES);
    assert_int_equal(frame.relay_bytes.stream, 7);
    assert_int_equal(frame.relay_bytes.bytes.size, RELAY_PIECE);
    assert_memory_equal(frame.relay_bytes.bytes.data, bytes, RELAY_PIECE);
    assert_int_equal(move(&pair.near, &pair.far), RELAY_PIECE);
    frame = next_of(&pair.near, WIRE_RELAY_BYTES);
    assert_memory_equal(frame.relay_bytes.bytes.data, bytes + RELAY_PIECE, 10);
    assert_int_equal(move(&pair.near, &pair.far), 10);
    assert_nothing(&pair.near);
    // The other side's frames say that the number is not its own.
    assert_true(leg_put(&pair.far, "x", 1));
    frame = next_of(&pair.far, WIRE_RELAY_BYTES);
    assert_int_equal(frame.relay_bytes.stream, 7 | RELAY_OTHERS);
    pair_fini(&pair);
}

static void what_is_not_read_is_bounded(void **state)
{
    (void)state;
    static const uint8_t bytes[RELAY_WINDOW];
    Pair pair;
    pair_open(&pair);
    assert_int_equal(leg_room(&pair.near), RELAY_WINDOW);
    assert_true(leg_put(&pair.near, bytes, RELAY_WINDOW));
    assert_int_equal(leg_room(&pair.near), 0);
    for (size_t moved = 0; moved < RELAY_WINDOW;)
        moved += move(&pair.near, &pair.far);
    assert_int_equal(leg_under_way(&pair.near), RELAY_WINDOW);
    // Somebody who sends more breaks the protocol.
    assert_false(leg_take_bytes(&pair.far, (WireSpan){bytes, 1}));
    // Reading a little is not worth a frame.
    leg_tell(&pair.far, 1000, true);
    assert_nothing(&pair.far);
    leg_tell(&pair.far, RELAY_WINDOW / 4, true);
    WireFrame frame = next_of(&pair.far, WIRE_RELAY_TAKEN);
    assert_int_equal(frame.relay_taken.count, RELAY_WINDOW / 4);
    leg_sent(&pair.far, &frame);
    assert_nothing(&pair.far);
    assert_true(leg_take_taken(&pair.near, frame.relay_taken.count));
    assert_int_equal(leg_room(&pair.near), RELAY_WINDOW / 4);
    assert_true(leg_take_bytes(&pair.far, (WireSpan){bytes, 1}));
    // A relay passes on what it was told, however little.
    leg_tell(&pair.far, RELAY_WINDOW / 4 + 1, false);
    next_of(&pair.far, WIRE_RELAY_TAKEN);
    pair_fini(&pair);
}

static void what_can_t_be_is_refused(void **state)
{
    (void)state;
    static const uint8_t bytes[RELAY_PIECE + 1];
    Pair pair;
    pair_open(&pair);
    assert_false(leg_take_bytes(&pair.far, (WireSpan){bytes, 0}));
    assert_false(leg_take_bytes(&pair.far, (WireSpan){bytes, sizeof bytes}));
    // What waits here was not sent, so it can't have been read.
    assert_true(leg_put(&pair.near, bytes, 10));
    assert_false(leg_take_taken(&pair.near, 1));
    move(&pair.near, &pair.far);
    assert_false(leg_take_taken(&pair.near, 11));
    assert_true(leg_take_taken(&pair.near, 10));
    assert_false(leg_take_taken(&pair.near, 9));
    assert_true(leg_take_taken(&pair.near, 10));
    pair_fini(&pair);
}

static void the_end_comes_behind_what_waits(void **state)
{
    (void)state;
    Pair pair;
    WireFrame frame;
    pair_open(&pair);
    assert_true(leg_put(&pair.near, "bye", 3));
    leg_end(&pair.near, "enough");
    leg_end(&pair.near, "something else");
    assert_false(leg_next(&pair.near, false, &frame));
    move(&pair.near, &pair.far);
    frame = next_of(&pair.near, WIRE_RELAY_CLOSE);
    leg_take_close(&pair.far, frame.relay_close.text);
    leg_sent(&pair.near, &frame);
    assert_true(leg_is_over(&pair.near) && leg_is_over(&pair.far));
    assert_string_equal(pair.far.why, "enough");
    assert_true(leg_put(&pair.far, "x", 1));
    assert_nothing(&pair.far);
    pair_fini(&pair);
}

static void reasons_are_one_line(void **state)
{
    (void)state;
    Pair pair;
    char expected[RELAY_WHY_SIZE], longer[1000];
    pair_open(&pair);
    leg_take_close(&pair.near, wire_text("no\nchorex: error: yes"));
    assert_string_equal(pair.near.why, "no?chorex: error: yes");
    memset(longer, 'x', sizeof longer);
    memset(expected, 'x', sizeof expected - 1);
    expected[sizeof expected - 1] = '\0';
    leg_take_close(&pair.far, (WireSpan){(const uint8_t *)longer, sizeof longer});
    assert_string_equal(pair.far.why, expected);
    pair_fini(&pair);
}

static void a_queue_that_is_empty_has_no_memory(void **state)
{
    (void)state;
    LegQueue queue = {0};
    char expected[3000], many[1000];
    memset(expected, 'a', sizeof expected);
    memset(many, 'a', sizeof many);
    for (int i = 0; i < 50; i++) {
        assert_true(leg_queue_add(&queue, many, sizeof many));
        assert_true(leg_queue_add(&queue, many, 500));
        if (i > 0)
            leg_queue_drop(&queue, 1500);
        assert_int_equal(leg_queue_size(&queue), 1500);
        assert_memory_equal(queue.bytes + queue.start, expected, 1500);
    }
    assert_true(queue.capacity <= 8192);
    leg_queue_drop(&queue, 1500);
    assert_null(queue.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_travel_in_pieces_and_in_order),
        cmocka_unit_test(what_is_not_read_is_bounded),
        cmocka_unit_test(what_can_t_be_is_refused),
        cmocka_unit_test(the_end_comes_behind_what_waits),
        cmocka_unit_test(reasons_are_one_line),
        cmocka_unit_test(a_queue_that_is_empty_has_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
