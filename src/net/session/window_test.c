// window_test.c: each line of the tables in docs/hosts-protocol.md, section 4, that is about channels.

#include "net/session/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// ---- memory that is counted, and may run out ----

static unsigned allocated, in_use;
static bool is_out_of_memory;

static void *test_allocate(void *context, size_t size)
{
    (void)context;
    if (is_out_of_memory)
        return NULL;
    allocated++;
    in_use++;
    return malloc(size);
}

static void test_release(void *context, void *block)
{
    (void)context;
    in_use--;
    free(block);
}

static const NetMemory memory = {test_allocate, test_release, NULL};
static const WindowLimits limits = {4, 100};
static const uint8_t zeros[1 << 20];

static int setup(void **state)
{
    (void)state;
    allocated = in_use = 0;
    is_out_of_memory = false;
    return 0;
}

// ---- short ways to say it ----

static WindowOut out_new(void)
{
    WindowOut out;
    window_out_init(&out, &memory, limits);
    window_out_life(&out, 1);
    return out;
}

// Life 2 of a role, which knows that life 1 of the sender is at node 7.
static WindowIn in_new(void)
{
    WindowIn in;
    window_in_init(&in, &memory, limits, 2);
    assert_int_equal(window_in_life(&in, 1, 7), WINDOW_GOOD);
    return in;
}

static void send(WindowOut *out, uint32_t site)
{
    assert_true(window_out_has_room(out));
    assert_true(window_out_send(out, site, wire_text("abc")));
}

static WindowVerdict data_from(WindowIn *in, uint32_t life, uint32_t node, uint32_t epoch, uint64_t number)
{
    Message message = {
        .epoch = epoch, .number = number, .site = epoch * 100 + (uint32_t)number, .value = wire_text("abc")};
    return window_in_data(in, 2, life, node, &message);
}

static WindowVerdict data(WindowIn *in, uint32_t epoch, uint64_t number)
{
    return data_from(in, 1, 7, epoch, number);
}

static void consume(WindowIn *in, uint32_t site)
{
    Message message;
    assert_true(window_in_first(in, &message));
    assert_int_equal(message.site, site);
    assert_int_equal(message.value.size, 3);
    assert_memory_equal(message.value.data, "abc", 3);
    window_in_consume(in, 1);
}

static void expect_nothing(WindowIn *in)
{
    Message message;
    assert_false(window_in_first(in, &message));
}

static void consume_first(WindowIn *in)
{
    Message message;
    assert_true(window_in_first(in, &message));
    window_in_consume(in, 1);
}

typedef struct {
    unsigned room;
    char text[200];
} Given;

static bool give(void *context, uint32_t life, const Message *message, WireSpan more)
{
    Given *given = context;
    if (given->room == 0)
        return false;
    given->room--;
    size_t size = strlen(given->text);
    snprintf(given->text + size, sizeof given->text - size, "%u:%u.%u ", life, message->epoch,
             (unsigned)message->number);
    assert_int_equal(more.size, 0);
    return true;
}

static void expect_given(WindowOut *out, unsigned room, const char *expected)
{
    Given given = {.room = room};
    bool is_all = window_out_release(out, 0, give, &given);
    assert_string_equal(given.text, expected);
    assert_int_equal(is_all, out->given == out->kept.count);
}

static WindowVerdict taken(WindowOut *out, uint32_t life, uint32_t epoch, uint64_t number)
{
    return window_out_taken(out, life, (WindowPlace){epoch, number});
}

// ---- the out end ----

static void messages_are_numbered_and_kept_until_they_are_taken(void **state)
{
    (void)state;
    WindowOut out = out_new();
    for (uint32_t i = 0; i < 4; i++)
        send(&out, i);
    assert_false(window_out_has_room(&out));
    expect_given(&out, 9, "1:0.0 1:0.1 1:0.2 1:0.3 ");
    assert_int_equal(taken(&out, 1, 0, 2), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 2);
    send(&out, 4);
    expect_given(&out, 9, "1:0.4 ");
    assert_int_equal(taken(&out, 1, 0, 2), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 3);
    assert_int_equal(taken(&out, 1, 0, 5), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 0);
    expect_given(&out, 9, "");
    window_out_fini(&out);
    assert_int_equal(in_use, 0);
}

static void one_message_may_exceed_the_window(void **state)
{
    (void)state;
    WindowOut out = out_new();
    assert_true(window_out_send(&out, 0, (WireSpan){zeros, 99}));
    assert_true(window_out_has_room(&out));
    assert_true(window_out_send(&out, 1, (WireSpan){zeros, 5000}));
    assert_false(window_out_has_room(&out));
    expect_given(&out, 9, "1:0.0 1:0.1 ");
    assert_int_equal(taken(&out, 1, 0, 1), WINDOW_GOOD);
    assert_false(window_out_has_room(&out));
    assert_int_equal(taken(&out, 1, 0, 2), WINDOW_GOOD);
    assert_true(window_out_send(&out, 2, (WireSpan){zeros, 100}));
    assert_false(window_out_has_room(&out));
    window_out_fini(&out);
    assert_int_equal(in_use, 0);
}

static void what_the_link_has_no_room_for_stays(void **state)
{
    (void)state;
    WindowOut out;
    window_out_init(&out, &memory, limits);
    send(&out, 0);
    // No life of the receiver has begun.
    expect_given(&out, 9, "");
    window_out_life(&out, 3);
    send(&out, 1);
    send(&out, 2);
    expect_given(&out, 2, "3:0.0 3:0.1 ");
    expect_given(&out, 0, "");
    assert_int_equal(taken(&out, 3, 0, 1), WINDOW_GOOD);
    expect_given(&out, 9, "3:0.2 ");
    window_out_fini(&out);
}

static void taken_counts_only_from_the_life_that_is_known(void **state)
{
    (void)state;
    WindowOut out = out_new();
    send(&out, 0);
    send(&out, 1);
    window_out_life(&out, 3);
    assert_int_equal(taken(&out, 1, 0, 2), WINDOW_DROPPED);
    assert_int_equal(taken(&out, 4, 0, 2), WINDOW_DROPPED);
    assert_int_equal(out.kept.count, 2);
    // What was not sent can't have been consumed.
    assert_int_equal(taken(&out, 3, 0, 3), WINDOW_VIOLATION);
    assert_int_equal(out.kept.count, 2);
    // The receiver may have come to another epoch first.
    assert_int_equal(taken(&out, 3, 1, 0), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 0);
    window_out_fini(&out);
}

static void a_new_life_gets_everything_that_is_kept(void **state)
{
    (void)state;
    WindowOut out = out_new();
    for (uint32_t i = 0; i < 3; i++)
        send(&out, i);
    expect_given(&out, 9, "1:0.0 1:0.1 1:0.2 ");
    assert_int_equal(taken(&out, 1, 0, 1), WINDOW_GOOD);
    window_out_life(&out, 2);
    expect_given(&out, 1, "2:0.1 ");
    // The same life again, or an earlier one, changes nothing.
    window_out_life(&out, 2);
    window_out_life(&out, 1);
    expect_given(&out, 9, "2:0.2 ");
    window_out_life(&out, 5);
    expect_given(&out, 9, "5:0.1 5:0.2 ");
    window_out_ended(&out);
    window_out_life(&out, 6);
    expect_given(&out, 9, "");
    window_out_fini(&out);
}

static void going_back_drops_what_was_sent_since_the_entry(void **state)
{
    (void)state;
    WindowOut out = out_new();
    send(&out, 0);
    send(&out, 1);
    WindowPlace outer = window_out_mark(&out);
    send(&out, 2);
    WindowPlace inner = window_out_mark(&out);
    send(&out, 3);
    expect_given(&out, 3, "1:0.0 1:0.1 1:0.2 ");
    window_out_back(&out, inner, 1);
    assert_int_equal(out.kept.count, 3);
    send(&out, 4);
    expect_given(&out, 9, "1:1.0 ");
    // That epoch has come already.
    window_out_back(&out, outer, 1);
    assert_int_equal(out.kept.count, 4);
    window_out_back(&out, outer, 2);
    assert_int_equal(out.kept.count, 2);
    expect_given(&out, 9, "");
    send(&out, 5);
    expect_given(&out, 9, "1:2.0 ");
    window_out_life(&out, 2);
    expect_given(&out, 9, "2:0.0 2:0.1 2:2.0 ");
    // Everything, and on from the beginning.
    window_out_back(&out, (WindowPlace){0}, 3);
    assert_int_equal(out.kept.count, 0);
    send(&out, 6);
    expect_given(&out, 9, "2:3.0 ");
    window_out_fini(&out);
    assert_int_equal(in_use, 0);
}

// ---- the in end ----

static void only_what_is_for_this_life_and_from_the_one_that_was_told_is_taken(void **state)
{
    (void)state;
    WindowIn in = in_new();
    Message message = {.value = wire_text("abc")};
    assert_int_equal(window_in_data(&in, 1, 1, 7, &message), WINDOW_DROPPED);
    assert_int_equal(window_in_data(&in, 3, 1, 7, &message), WINDOW_LATER);
    assert_int_equal(window_in_data(&in, 2, 0, 7, &message), WINDOW_VIOLATION);
    expect_nothing(&in);
    assert_int_equal(window_in_life(&in, 3, 8), WINDOW_GOOD);
    assert_int_equal(data_from(&in, 2, 7, 0, 0), WINDOW_DROPPED);
    assert_int_equal(data_from(&in, 3, 8, 0, 0), WINDOW_GOOD);
    // An earlier life told late.
    assert_int_equal(window_in_life(&in, 2, 7), WINDOW_GOOD);
    consume(&in, 0);
    assert_int_equal(window_in_life(&in, 0, 7), WINDOW_VIOLATION);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void what_a_later_life_sends_waits_until_it_is_told(void **state)
{
    (void)state;
    WindowIn in = in_new();
    assert_int_equal(data(&in, 0, 0), WINDOW_GOOD);
    assert_int_equal(data_from(&in, 3, 8, 0, 0), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 3, 8, 0, 1), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 5, 9, 0, 0), WINDOW_WAITS);
    // Somebody else pretends to be that life.
    assert_int_equal(data_from(&in, 3, 9, 0, 0), WINDOW_DROPPED);
    assert_int_equal(data_from(&in, 3, 10, 0, 2), WINDOW_WAITS);
    consume(&in, 0);
    expect_nothing(&in);
    assert_int_equal(window_in_life(&in, 3, 8), WINDOW_GOOD);
    // The first was consumed already, from the life before.
    consume(&in, 1);
    expect_nothing(&in);
    assert_int_equal(data_from(&in, 3, 8, 0, 2), WINDOW_GOOD);
    assert_int_equal(window_in_life(&in, 5, 9), WINDOW_GOOD);
    expect_nothing(&in);
    assert_int_equal(data_from(&in, 5, 9, 0, 1), WINDOW_REPEATED);
    assert_int_equal(data_from(&in, 5, 9, 0, 2), WINDOW_GOOD);
    consume(&in, 2);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void only_a_window_waits_of_the_latest_life(void **state)
{
    (void)state;
    WindowIn in = in_new();
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(data_from(&in, 2, 8, 0, i), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 2, 8, 0, 4), WINDOW_VIOLATION);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(data_from(&in, 3, 8, 0, i), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 2, 8, 0, 0), WINDOW_DROPPED);
    for (uint32_t epoch = 1; epoch < WINDOW_EPOCHS; epoch++)
        assert_int_equal(data_from(&in, 3, 8, epoch, 0), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 3, 8, 100, 0), WINDOW_VIOLATION);
    // Messages that don't fit together are noticed when their life is told, and not forgotten.
    assert_int_equal(data_from(&in, 4, 8, 0, 0), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 4, 8, 0, 2), WINDOW_WAITS);
    assert_int_equal(window_in_life(&in, 4, 8), WINDOW_VIOLATION);
    assert_int_equal(data_from(&in, 4, 8, 0, 1), WINDOW_VIOLATION);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void what_comes_before_restore_is_not_lost(void **state)
{
    (void)state;
    WindowOut out = out_new();
    WindowIn in;
    window_in_init(&in, &memory, limits, 2);
    assert_int_equal(data_from(&in, 1, 7, 0, 2), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 1, 7, 3, 0), WINDOW_WAITS);
    WireBuffer channels = {0};
    WireChannel channel = {.role = 5, .in_epoch = 0, .in_number = 3};
    wire_add(&channels, WIRE_ITEM_CHANNEL, &channel);
    WireSaved saved = {.channels = wire_list(&channels)};
    assert_int_equal(window_load(&out, &in, 5, &saved), WINDOW_GOOD);
    window_in_reset(&in, 3);
    expect_nothing(&in);
    assert_int_equal(window_in_life(&in, 1, 7), WINDOW_GOOD);
    consume(&in, 300);
    wire_buffer_fini(&channels);
    window_out_fini(&out);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void places_decide_what_becomes_of_a_message(void **state)
{
    (void)state;
    WindowIn in = in_new();
    WindowPlace place;
    window_in_reset(&in, 2);
    // Lower.
    assert_int_equal(data(&in, 1, 9), WINDOW_REPEATED);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_SOON);
    assert_true(place.epoch == 2 && place.number == 0);
    window_in_said(&in);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_NOTHING);
    // Equal.
    assert_int_equal(data(&in, 2, 0), WINDOW_GOOD);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_NOTHING);
    // Again, although it is not consumed: TAKEN says what is.
    assert_int_equal(data(&in, 2, 0), WINDOW_REPEATED);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_SOON);
    assert_int_equal(place.number, 0);
    // Beyond.
    assert_int_equal(data(&in, 2, 2), WINDOW_VIOLATION);
    assert_int_equal(data(&in, 2, 1), WINDOW_GOOD);
    // A later epoch.
    assert_int_equal(data(&in, 4, 1), WINDOW_VIOLATION);
    assert_int_equal(data(&in, 4, 0), WINDOW_GOOD);
    assert_int_equal(data(&in, 4, 1), WINDOW_GOOD);
    assert_int_equal(data(&in, 2, 2), WINDOW_REPEATED);
    consume(&in, 200);
    consume(&in, 201);
    expect_nothing(&in);
    window_in_reset(&in, 3);
    expect_nothing(&in);
    window_in_reset(&in, 4);
    consume(&in, 400);
    // It is there already.
    window_in_reset(&in, 4);
    window_in_reset(&in, 3);
    consume(&in, 401);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void going_back_drops_what_was_not_consumed(void **state)
{
    (void)state;
    WindowIn in = in_new();
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(data(&in, 0, i), WINDOW_GOOD);
    assert_int_equal(data(&in, 2, 0), WINDOW_GOOD);
    consume(&in, 0);
    window_in_reset(&in, 2);
    consume(&in, 200);
    expect_nothing(&in);
    assert_int_equal(data(&in, 2, 1), WINDOW_GOOD);
    assert_int_equal(in.count, 1);
    window_in_fini(&in);
}

static void more_than_a_window_is_a_violation(void **state)
{
    (void)state;
    WindowIn in = in_new();
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(data(&in, 0, i), WINDOW_GOOD);
    assert_int_equal(data(&in, 0, 4), WINDOW_VIOLATION);
    consume(&in, 0);
    assert_int_equal(data(&in, 0, 4), WINDOW_GOOD);
    // In another epoch there is another window: this role may not have heard that it has to go back.
    for (uint32_t epoch = 1; epoch <= WINDOW_EPOCHS; epoch++)
        for (uint64_t i = 0; i < 4; i++)
            assert_int_equal(data(&in, epoch, i), WINDOW_GOOD);
    assert_int_equal(data(&in, WINDOW_EPOCHS, 4), WINDOW_VIOLATION);
    assert_int_equal(data(&in, WINDOW_EPOCHS + 1, 0), WINDOW_VIOLATION);
    window_in_reset(&in, 3);
    assert_int_equal(data(&in, WINDOW_EPOCHS + 1, 0), WINDOW_GOOD);
    // Bytes, too: nothing follows the message that exceeds them.
    Message large = {.epoch = 40, .value = {zeros, 5000}};
    assert_int_equal(window_in_data(&in, 2, 1, 7, &large), WINDOW_GOOD);
    assert_int_equal(data(&in, 40, 1), WINDOW_VIOLATION);
    window_in_reset(&in, 40);
    consume_first(&in);
    assert_int_equal(data(&in, 40, 1), WINDOW_GOOD);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void a_new_life_of_the_sender_says_everything_again(void **state)
{
    (void)state;
    WindowIn in = in_new();
    assert_int_equal(data(&in, 0, 0), WINDOW_GOOD);
    assert_int_equal(data(&in, 0, 1), WINDOW_GOOD);
    assert_int_equal(data(&in, 1, 0), WINDOW_GOOD);
    consume(&in, 0);
    assert_int_equal(window_in_life(&in, 2, 7), WINDOW_GOOD);
    expect_nothing(&in);
    assert_int_equal(data(&in, 0, 1), WINDOW_DROPPED);
    assert_int_equal(data_from(&in, 2, 7, 0, 0), WINDOW_REPEATED);
    assert_int_equal(data_from(&in, 2, 7, 0, 1), WINDOW_GOOD);
    assert_int_equal(data_from(&in, 2, 7, 1, 0), WINDOW_GOOD);
    consume(&in, 1);
    window_in_fini(&in);
}

static void what_a_role_has_kept_that_has_ended_comes_from_the_home(void **state)
{
    (void)state;
    WindowIn in = in_new();
    assert_int_equal(data(&in, 0, 0), WINDOW_GOOD);
    // Before it is told.
    assert_int_equal(data_from(&in, 1, 99, 0, 0), WINDOW_WAITS);
    assert_int_equal(data_from(&in, 1, 99, 0, 1), WINDOW_WAITS);
    assert_int_equal(window_in_life(&in, 1, 99), WINDOW_GOOD);
    assert_int_equal(data(&in, 0, 1), WINDOW_DROPPED);
    assert_int_equal(data_from(&in, 1, 99, 0, 2), WINDOW_GOOD);
    for (uint32_t i = 0; i < 3; i++)
        consume(&in, i);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void taken_is_said_at_once_when_half_of_a_window_is_consumed(void **state)
{
    (void)state;
    WindowIn in = in_new();
    WindowPlace place;
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(data(&in, 0, i), WINDOW_GOOD);
    consume(&in, 0);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_SOON);
    consume(&in, 1);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_NOW);
    assert_true(place.epoch == 0 && place.number == 2);
    window_in_said(&in);
    consume(&in, 2);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_SOON);
    window_in_said(&in);
    assert_int_equal(data(&in, 0, 3), WINDOW_GOOD);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_NOTHING);
    window_in_fini(&in);
    // Bytes count as well; and without a life there is nobody to say it to.
    in = in_new();
    Message large = {.value = {zeros, 60}};
    assert_int_equal(window_in_data(&in, 2, 1, 7, &large), WINDOW_GOOD);
    consume_first(&in);
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_NOW);
    in.life = 0;
    assert_int_equal(window_in_taken(&in, &place), WINDOW_SAY_NOTHING);
    window_in_fini(&in);
}

// ---- what is saved ----

// Role 1 of three: channels with roles 0 and 2, and messages for both.
static void save(WireBuffer *bytes)
{
    WireBuffer channels = {0}, kept = {0};
    WindowOut outs[2] = {out_new(), out_new()};
    WindowIn ins[2] = {in_new(), in_new()};
    send(&outs[0], 0);
    send(&outs[1], 1);
    send(&outs[1], 2);
    assert_int_equal(taken(&outs[1], 1, 0, 1), WINDOW_GOOD);
    window_out_back(&outs[1], window_out_mark(&outs[1]), 2);
    send(&outs[1], 3);
    assert_int_equal(data(&ins[1], 0, 0), WINDOW_GOOD);
    assert_int_equal(data(&ins[1], 0, 1), WINDOW_GOOD);
    consume(&ins[1], 0);
    for (unsigned i = 0; i < 2; i++)
        assert_true(window_save(&outs[i], &ins[i], (uint16_t)(2 * i), &channels, &kept));
    WireSaved saved = {.steps = 9, .channels = wire_list(&channels), .kept = wire_list(&kept)};
    assert_true(wire_encode_record(bytes, WIRE_SAVED, &saved));
    for (unsigned i = 0; i < 2; i++) {
        window_out_fini(&outs[i]);
        window_in_fini(&ins[i]);
    }
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
}

static void a_life_goes_on_with_what_was_saved(void **state)
{
    (void)state;
    WireBuffer bytes = {0};
    save(&bytes);
    WireSaved saved;
    assert_int_equal(wire_decode_body(WIRE_SAVED, (WireSpan){bytes.data, bytes.size}, &saved), WIRE_GOOD);
    assert_true(window_saved_is_sound(&saved, 1, 3));
    WindowOut out = out_new();
    WindowIn in = in_new();
    assert_int_equal(window_load(&out, &in, 2, &saved), WINDOW_GOOD);
    expect_given(&out, 9, "1:0.1 1:2.0 ");
    send(&out, 4);
    expect_given(&out, 9, "1:2.1 ");
    // The second message was not consumed: it comes again.
    expect_nothing(&in);
    assert_int_equal(data(&in, 0, 0), WINDOW_REPEATED);
    assert_int_equal(data(&in, 0, 1), WINDOW_GOOD);
    consume(&in, 1);
    window_out_fini(&out);
    window_in_fini(&in);
    // Roles that are not there, or twice, or this one itself.
    assert_false(window_saved_is_sound(&saved, 1, 2));
    assert_false(window_saved_is_sound(&saved, 1, 4));
    assert_false(window_saved_is_sound(&saved, 0, 3));
    out = out_new();
    in = in_new();
    assert_int_equal(window_load(&out, &in, 1, &saved), WINDOW_VIOLATION);
    wire_buffer_fini(&bytes);
    assert_int_equal(in_use, 0);
}

static void whatever_lacks_its_end_is_refused(void **state)
{
    (void)state;
    WireBuffer bytes = {0};
    save(&bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, bytes.data, size);
        WireSaved saved;
        assert_int_not_equal(wire_decode_body(WIRE_SAVED, (WireSpan){copy, size}, &saved), WIRE_GOOD);
        free(copy);
    }
    // Lists that lack their last items.
    WireSaved saved;
    assert_int_equal(wire_decode_body(WIRE_SAVED, (WireSpan){bytes.data, bytes.size}, &saved), WIRE_GOOD);
    WireSaved less = saved;
    less.channels.count--;
    assert_false(window_saved_is_sound(&less, 1, 3));
    less = saved;
    less.kept.count--;
    WindowOut out = out_new();
    WindowIn in = in_new();
    assert_int_equal(window_load(&out, &in, 2, &less), WINDOW_VIOLATION);
    assert_true(out.kept.count == 0 && out.next.number == 0);
    wire_buffer_fini(&bytes);
    assert_int_equal(in_use, 0);
}

typedef struct {
    uint32_t epoch;
    uint64_t number;
} KeptPlace;

// What becomes of a SAVED with these messages, behind which comes (epoch, number)?
static WindowVerdict load_with(const KeptPlace *places, unsigned count, uint32_t epoch, uint64_t number, size_t size)
{
    WireBuffer channels = {0}, kept = {0};
    WireChannel channel = {.role = 2, .out_epoch = epoch, .out_number = number};
    wire_add(&channels, WIRE_ITEM_CHANNEL, &channel);
    for (unsigned i = 0; i < count; i++) {
        WireKept item = {.to = 2, .epoch = places[i].epoch, .number = places[i].number, .value = {zeros, size}};
        wire_add(&kept, WIRE_ITEM_KEPT, &item);
    }
    WireSaved saved = {.channels = wire_list(&channels), .kept = wire_list(&kept)};
    WindowOut out = out_new();
    WindowIn in = in_new();
    WindowVerdict verdict = window_load(&out, &in, 2, &saved);
    assert_int_equal(out.kept.count, verdict == WINDOW_GOOD ? count : 0);
    window_out_fini(&out);
    window_in_fini(&in);
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
    return verdict;
}

static void what_was_not_saved_by_a_window_is_refused(void **state)
{
    (void)state;
    static const KeptPlace good[] = {{0, 3}, {0, 4}, {2, 0}, {2, 1}, {2, 2}};
    assert_int_equal(load_with(good, 0, 5, 17, 3), WINDOW_GOOD);
    assert_int_equal(load_with(good, 4, 2, 2, 3), WINDOW_GOOD);
    assert_int_equal(load_with(good, 4, 3, 0, 3), WINDOW_GOOD);
    assert_int_equal(load_with(good, 4, 2, 3, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with(good, 4, 2, 1, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with(good, 4, 3, 1, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with(good, 4, 1, 0, 3), WINDOW_VIOLATION);
    // More than a window.
    assert_int_equal(load_with(good, 5, 2, 3, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with(good, 2, 0, 5, 99), WINDOW_GOOD);
    assert_int_equal(load_with(good, 2, 0, 5, 100), WINDOW_VIOLATION);
    assert_int_equal(load_with((KeptPlace[]){{0, 3}, {0, 5}}, 2, 0, 6, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with((KeptPlace[]){{0, 3}, {0, 3}}, 2, 0, 4, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with((KeptPlace[]){{0, 3}, {1, 1}}, 2, 1, 2, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with((KeptPlace[]){{1, 3}, {0, 0}}, 2, 1, 4, 3), WINDOW_VIOLATION);
    assert_int_equal(load_with((KeptPlace[]){{0, UINT64_MAX}}, 1, 1, 0, 3), WINDOW_VIOLATION);
    assert_int_equal(in_use, 0);
}

// ---- several at once ----

typedef struct {
    WindowIn *in;
    unsigned frames;
} Carried;

// What is given arrives at once, as a role's life takes it.
static bool carry(void *context, uint32_t life, const Message *message, WireSpan more)
{
    Carried *carried = context;
    Message next = *message;
    bool is_sound;
    (void)life;
    carried->frames++;
    do
        assert_int_equal(window_in_data(carried->in, 2, 1, 7, &next), WINDOW_GOOD);
    while (window_more_next(&more, &next, &is_sound));
    assert_true(is_sound);
    return true;
}

static void messages_travel_together(void **state)
{
    (void)state;
    WindowOut out = out_new();
    WindowIn in = in_new();
    Carried carried = {.in = &in};
    for (uint32_t site = 1; site <= 3; site++)
        send(&out, site);
    assert_true(window_out_release(&out, 100, carry, &carried));
    assert_int_equal(carried.frames, 1);
    assert_int_equal(out.given, 3);
    assert_int_equal(in.expected.number, 3);
    // The first has room for one more, the next for none.
    window_out_again(&out);
    carried = (Carried){&in, 0};
    in.expected = (WindowPlace){0};
    in.count = 0;
    assert_true(window_out_release(&out, 3 + 8 + 3, carry, &carried));
    assert_int_equal(carried.frames, 2);
    // Nothing follows in the same frame that is of another epoch.
    window_out_back(&out, (WindowPlace){0, 2}, 5);
    send(&out, 9);
    window_out_again(&out);
    carried = (Carried){&in, 0};
    in.expected = (WindowPlace){0};
    in.count = 0;
    assert_true(window_out_release(&out, 100, carry, &carried));
    assert_int_equal(carried.frames, 2);
    window_out_fini(&out);
    window_in_fini(&in);
}

static void what_follows_has_to_be_sound(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 0, 0, 0, 2, 0, 0, 0, 'h', 'i', 1, 0, 0, 0, 3, 0, 0, 0, 'h', 'i'};
    for (size_t size = 0; size <= sizeof bytes; size++) {
        WireSpan more = {bytes, size};
        Message message = {.number = 6};
        bool is_sound;
        while (window_more_next(&more, &message, &is_sound))
            assert_int_equal(message.value.size, 2);
        assert_int_equal(is_sound, size == 0 || size == 10);
        assert_int_equal(message.number, size >= 10 ? 7 : 6);
    }
    // Numbers don't begin again.
    WireSpan more = {bytes, 10};
    Message last = {.number = UINT64_MAX - 1};
    bool is_sound;
    assert_false(window_more_next(&more, &last, &is_sound));
    assert_false(is_sound);
}

static uint32_t take_sites(void *context, const QueueRun *run)
{
    char *text = context;
    const uint8_t *at = run->messages.data;
    uint32_t count = 0;
    for (; count < run->count && strlen(text) <= 12; count++, at += QUEUE_HEAD_BYTES + queue_value_size(at))
        sprintf(text + strlen(text), "%u ", queue_site(at));
    return count;
}

static void a_role_fetches_several_and_says_later_what_it_has_consumed(void **state)
{
    (void)state;
    WindowIn in = in_new();
    char text[100] = "";
    WindowPlace place;
    assert_int_equal(window_in_lend(&in, take_sites, text), 0);
    for (uint64_t i = 0; i < limits.messages; i++)
        assert_int_equal(data(&in, 0, i), WINDOW_GOOD);
    // At most half a window, so that the sender can go on meanwhile.
    assert_int_equal(window_in_lend(&in, take_sites, text), (limits.messages + 1) / 2);
    window_in_taken(&in, &place);
    assert_int_equal(place.number, 0);
    window_in_consume(&in, 1);
    window_in_taken(&in, &place);
    assert_int_equal(place.number, 1);
    // What was fetched and not consumed is lent again.
    text[0] = '\0';
    assert_true(window_in_lend(&in, take_sites, text) > 0);
    assert_int_equal(text[0], '1');
    window_in_fini(&in);
}

static void what_was_fetched_outlives_the_sender(void **state)
{
    (void)state;
    WindowIn in = in_new();
    char text[100] = "";
    for (uint64_t i = 0; i < limits.messages; i++)
        assert_int_equal(data(&in, 0, i), WINDOW_GOOD);
    assert_true(window_in_lend(&in, take_sites, text) >= 2);
    // Another life of the sender says everything again; one message has come before the role says what it has consumed.
    assert_int_equal(window_in_life(&in, 2, 8), WINDOW_GOOD);
    assert_int_equal(data_from(&in, 2, 8, 0, 0), WINDOW_GOOD);
    window_in_consume(&in, 2);
    assert_int_equal(in.next.number, 2);
    assert_int_equal(data_from(&in, 2, 8, 0, 1), WINDOW_REPEATED);
    assert_int_equal(data_from(&in, 2, 8, 0, 2), WINDOW_GOOD);
    consume(&in, 2);
    // Going back forgets what was lent.
    assert_true(window_in_lend(&in, take_sites, text) == 0);
    window_in_reset(&in, 3);
    assert_int_equal(in.lent, 0);
    window_in_fini(&in);
}

static void the_home_sends_what_an_ended_role_has_kept(void **state)
{
    (void)state;
    WireBuffer bytes = {0};
    save(&bytes);
    WireSaved saved;
    assert_int_equal(wire_decode_body(WIRE_SAVED, (WireSpan){bytes.data, bytes.size}, &saved), WIRE_GOOD);
    WindowOut out = out_new();
    assert_int_equal(window_out_take_over(&out, 2, saved.kept), WINDOW_GOOD);
    expect_given(&out, 9, "1:0.1 1:2.0 ");
    assert_int_equal(taken(&out, 1, 2, 0), WINDOW_GOOD);
    window_out_life(&out, 2);
    expect_given(&out, 9, "2:2.0 ");
    assert_int_equal(taken(&out, 2, 2, 2), WINDOW_VIOLATION);
    assert_int_equal(taken(&out, 2, 2, 1), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 0);
    window_out_fini(&out);
    is_out_of_memory = true;
    out = out_new();
    assert_int_equal(window_out_take_over(&out, 2, saved.kept), WINDOW_NO_MEMORY);
    wire_buffer_fini(&bytes);
    assert_int_equal(in_use, 0);
}

// ---- memory ----

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    WindowOut out = out_new();
    WindowIn in = in_new();
    is_out_of_memory = true;
    assert_false(window_out_send(&out, 0, wire_text("abc")));
    assert_int_equal(data(&in, 0, 0), WINDOW_NO_MEMORY);
    assert_int_equal(data_from(&in, 2, 8, 0, 0), WINDOW_NO_MEMORY);
    is_out_of_memory = false;
    send(&out, 0);
    expect_given(&out, 9, "1:0.0 ");
    assert_int_equal(data(&in, 0, 0), WINDOW_GOOD);
    // A life is told of which something has waited: it is taken when there is memory.
    assert_int_equal(data_from(&in, 2, 8, 0, 0), WINDOW_WAITS);
    queue_clear(&in.received, &memory);
    queue_trim(&in.received, &memory);
    is_out_of_memory = true;
    assert_int_equal(window_in_life(&in, 2, 8), WINDOW_NO_MEMORY);
    assert_int_equal(data_from(&in, 2, 8, 0, 1), WINDOW_NO_MEMORY);
    expect_nothing(&in);
    is_out_of_memory = false;
    assert_int_equal(data_from(&in, 2, 8, 0, 1), WINDOW_GOOD);
    consume(&in, 0);
    consume(&in, 1);
    window_out_fini(&out);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

static void small_messages_cost_no_allocation_each(void **state)
{
    (void)state;
    WindowOut out = out_new();
    WindowIn in = in_new();
    for (uint64_t i = 0; i < 10000; i++) {
        send(&out, (uint32_t)i);
        assert_true(window_out_send(&out, 0, wire_text("abc")));
        expect_given(&out, 0, "");
        assert_int_equal(data(&in, 0, i), WINDOW_GOOD);
        consume(&in, (uint32_t)i);
        assert_int_equal(taken(&out, 1, 0, 2 * i + 2), WINDOW_GOOD);
    }
    assert_int_equal(allocated, 2);
    window_out_fini(&out);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

// A TAKEN in the middle of a run, a run that exceeds the window, and one that is not sound.
static void runs_are_taken_in_part(void **state)
{
    (void)state;
    WindowOut out = out_new();
    uint8_t messages[5 * 11], *at = messages;
    for (uint32_t i = 0; i < 5; i++)
        at = (uint8_t *)memcpy(wire_put(wire_put(at, i, 4), 3, 4), "abc", 3) + 3;
    assert_false(window_out_send_all(&out, messages, sizeof messages));
    assert_int_equal(out.kept.count, limits.messages);
    assert_int_equal(taken(&out, 1, 0, 3), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 1);
    assert_true(window_out_send_all(&out, messages, 3 * 11));
    assert_int_equal(taken(&out, 1, 0, 7), WINDOW_GOOD);
    assert_int_equal(out.kept.count, 0);
    window_out_fini(&out);
    WindowIn in = in_new();
    Message first = {.value = wire_text("abc")};
    // Four fit into the window; the fifth is too many.
    assert_int_equal(window_in_data_all(&in, 2, 1, 7, &first, (WireSpan){messages, 3 * 11}), WINDOW_GOOD);
    assert_int_equal(in.received.count, 4);
    window_in_fini(&in);
    in = in_new();
    first = (Message){.value = wire_text("abc")};
    assert_int_equal(window_in_data_all(&in, 2, 1, 7, &first, (WireSpan){messages, 4 * 11}), WINDOW_VIOLATION);
    window_in_fini(&in);
    in = in_new();
    first = (Message){.value = wire_text("abc")};
    assert_int_equal(window_in_data_all(&in, 2, 1, 7, &first, (WireSpan){messages, 2 * 11 + 9}), WINDOW_VIOLATION);
    window_in_fini(&in);
    assert_int_equal(in_use, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
    const struct CMUnitTest tests[] = {
        TEST(messages_are_numbered_and_kept_until_they_are_taken),
        TEST(one_message_may_exceed_the_window),
        TEST(what_the_link_has_no_room_for_stays),
        TEST(taken_counts_only_from_the_life_that_is_known),
        TEST(a_new_life_gets_everything_that_is_kept),
        TEST(going_back_drops_what_was_sent_since_the_entry),
        TEST(only_what_is_for_this_life_and_from_the_one_that_was_told_is_taken),
        TEST(what_a_later_life_sends_waits_until_it_is_told),
        TEST(only_a_window_waits_of_the_latest_life),
        TEST(what_comes_before_restore_is_not_lost),
        TEST(places_decide_what_becomes_of_a_message),
        TEST(going_back_drops_what_was_not_consumed),
        TEST(more_than_a_window_is_a_violation),
        TEST(a_new_life_of_the_sender_says_everything_again),
        TEST(what_a_role_has_kept_that_has_ended_comes_from_the_home),
        TEST(taken_is_said_at_once_when_half_of_a_window_is_consumed),
        TEST(a_life_goes_on_with_what_was_saved),
        TEST(whatever_lacks_its_end_is_refused),
        TEST(what_was_not_saved_by_a_window_is_refused),
        TEST(the_home_sends_what_an_ended_role_has_kept),
        TEST(messages_travel_together),
        TEST(what_follows_has_to_be_sound),
        TEST(a_role_fetches_several_and_says_later_what_it_has_consumed),
        TEST(what_was_fetched_outlives_the_sender),
        TEST(without_memory_nothing_changes),
        TEST(small_messages_cost_no_allocation_each),
        TEST(runs_are_taken_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
