// bounds_test.c: limits, large messages, and peers that break the rules (L6, L7), with a peer that is played by hand.

#include "net/link/link_fixture.h"

// ---- L6 ----

static void kept_frames_have_a_limit_and_room_is_told(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    uint64_t count = 0;
    while (send_data(f, 0, 0, 16000) == LINK_SENT) {
        count++;
        drain(f, 0);
    }
    assert_true(f->link.kept.bytes <= f->link.options.kept_max - LINK_CONTROL_ROOM);
    assert_true(f->link.kept.bytes > f->link.options.kept_max - LINK_CONTROL_ROOM - 17000);
    // Orders still have room.
    assert_int_equal(link_send(&f->link, LINK_CONTROL, 9, WIRE_FENCED, &(WireFenced){.session = 1}), LINK_SENT);
    say(f, 0, WIRE_ACK, 0, &(WireAck){count / 4});
    expect_log(f, "");
    say(f, 0, WIRE_ACK, 0, &(WireAck){count / 2 + 10});
    expect_log(f, "room, ");
    say(f, 0, WIRE_ACK, 0, &(WireAck){count});
    expect_log(f, "");
    assert_int_equal(send_data(f, 0, 0, 16000), LINK_SENT);
    fixture_free(f);
}

static void a_large_message_lets_others_pass_but_not_its_own_lane(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    assert_int_equal(send_data(f, 1, 100, 1 << 20), LINK_SENT);
    assert_int_equal(send_data(f, 1, 101, 5), LINK_SENT);
    assert_int_equal(send_data(f, 2, 102, 1 << 20), LINK_SENT);
    WireSpan pieces[8];
    unsigned count = link_output(&f->link, 0, pieces, 8, 1 << 20, f->now_ns);
    size_t ahead = 0;
    for (unsigned i = 0; i < count; i++)
        ahead += pieces[i].size;
    assert_true(ahead <= 5 * WIRE_FRAME_MAX);
    // An order comes behind what was ready to be written, not behind two megabytes.
    assert_int_equal(link_send(&f->link, LINK_CONTROL, 3, WIRE_FENCED, &(WireFenced){.session = 1}), LINK_SENT);
    drain(f, 0);
    unsigned position = 0, of_lane_1 = 0, of_lane_2 = 0, small = 0;
    uint32_t last_stream = 0, alternations = 0;
    while (written(f, 0, &frame)) {
        position++;
        if (frame.kind == WIRE_FENCED)
            assert_true(position <= 6);
        if (frame.kind == WIRE_CHUNK) {
            alternations += frame.chunk.stream != last_stream;
            last_stream = frame.chunk.stream;
            assert_true(frame.chunk.piece.size <= WIRE_PIECE_MAX);
            *(frame.chunk.stream == 1 ? &of_lane_1 : &of_lane_2) += 1;
        }
        if (frame.kind == WIRE_DATA) {
            small++;
            assert_true(of_lane_1 == 65 && frame.data.site == 101);
        }
    }
    assert_true(of_lane_1 == 65 && of_lane_2 == 65 && small == 1 && alternations > 100);
    assert_true(f->link.lanes.count == 0 && f->link.lanes.bytes == 0);
    fixture_free(f);
}

static void small_frames_without_end_dont_keep_a_large_message_back(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    while (send_data(f, 0, 0, 1000) == LINK_SENT)
        continue;
    assert_int_equal(send_data(f, 1, 0, 100000), LINK_SENT);
    int turns = 0;
    for (; turns < 100 && f->link.lanes.count > 0; turns++) {
        WireSpan piece;
        assert_int_equal(link_output(&f->link, 0, &piece, 1, 16384, f->now_ns), 1);
        link_wrote(&f->link, 0, piece.size, f->now_ns);
        // All is acknowledged at once, and whoever sends small frames fills what has become free.
        say(f, 0, WIRE_ACK, 0, &(WireAck){f->link.kept.written});
        while (send_data(f, 0, 0, 1000) == LINK_SENT)
            continue;
    }
    assert_true(turns > 10 && turns < 100);
    fixture_free(f);
}

// The peer sends a message in pieces.
static void say_pieces(Fixture *f, const WireSpan *body, uint32_t stream, uint64_t *number, size_t from, size_t to)
{
    for (size_t at = from; at < to; at += WIRE_PIECE_MAX) {
        size_t left = body->size - at;
        WireChunk chunk = {.stream = stream,
                           .kind = WIRE_DATA,
                           .total = (uint32_t)body->size,
                           .offset = (uint32_t)at,
                           .piece = {body->data + at, left < WIRE_PIECE_MAX ? left : WIRE_PIECE_MAX}};
        say(f, 0, WIRE_CHUNK, ++*number, &chunk);
    }
}

static WireSpan large_body(size_t size)
{
    static uint8_t value[1 << 20];
    WireData data = {.site = 55, .value = {value, size}};
    size_t body_size = wire_body_size(WIRE_DATA, &data);
    uint8_t *body = malloc(body_size);
    wire_write_body(body, WIRE_DATA, &data);
    return (WireSpan){body, body_size};
}

static void pieces_are_put_together(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    uint64_t number = 0;
    WireSpan one = large_body(100000), other = large_body(200000);
    say_pieces(f, &one, 1, &number, 0, 3 * WIRE_PIECE_MAX);
    say_pieces(f, &other, 2, &number, 0, 3 * WIRE_PIECE_MAX);
    say_data(f, 0, ++number);
    assert_int_equal(f->delivered, 1);
    say_pieces(f, &one, 1, &number, 3 * WIRE_PIECE_MAX, one.size);
    assert_int_equal(f->delivered, 2);
    assert_true(f->last_site == 55 && f->last_size == 100000);
    say_pieces(f, &other, 2, &number, 3 * WIRE_PIECE_MAX, other.size);
    assert_int_equal(f->delivered, 3);
    assert_int_equal(f->last_size, 200000);
    assert_int_equal(f->link.gather.count, 0);
    expect_log(f, "");
    free((void *)(uintptr_t)one.data);
    free((void *)(uintptr_t)other.data);
    fixture_free(f);
}

static void pieces_that_dont_fit_are_refused(void **state)
{
    (void)state;
    static uint8_t bytes[WIRE_PIECE_MAX];
    const WireSpan whole = {bytes, WIRE_PIECE_MAX};
    const WireChunk wrong[] = {
        {.stream = 1, .kind = WIRE_DATA, .total = 100000, .offset = WIRE_PIECE_MAX, .piece = whole}, // not the first
        {.stream = 1, .kind = WIRE_DATA, .total = 100000, .piece = {bytes, 100}}, // too small a piece
        {.stream = 1, .kind = WIRE_DATA, .total = 100, .piece = {bytes, 100}},    // needs no pieces
        {.stream = 1, .kind = WIRE_CHUNK, .total = 100000, .piece = whole},
        {.stream = 1, .kind = WIRE_PING, .total = 100000, .piece = whole},
        {.stream = 1, .kind = 200, .total = 100000, .piece = whole},
        {.stream = 1, .kind = WIRE_DATA, .total = (16 << 20) + 1, .piece = whole}, // larger than allowed
        {.stream = 1, .kind = WIRE_DATA, .total = UINT32_MAX, .piece = whole},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Fixture *f = fixture_up();
        WireFrame frame;
        say(f, 0, WIRE_CHUNK, 1, &wrong[i]);
        expect_written(f, 0, WIRE_ERROR, &frame);
        assert_int_equal(frame.error.code, WIRE_BAD_CHUNK);
        fixture_free(f);
    }
    // Together larger than allowed; beyond 80 KiB memory is not taken for what is only announced.
    Fixture *f = fixture_up();
    WireFrame frame;
    WireChunk first = {.stream = 1, .kind = WIRE_DATA, .total = 10 << 20, .piece = whole};
    say(f, 0, WIRE_CHUNK, 1, &first);
    assert_int_equal(f->link.gather.messages[0].capacity, 5 * WIRE_PIECE_MAX);
    first.stream = 2;
    expect_nothing(f, 0);
    say(f, 0, WIRE_CHUNK, 2, &first);
    expect_written(f, 0, WIRE_ERROR, &frame);
    fixture_free(f);
}

static void messages_that_are_too_large_are_not_sent(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    link_accepted(&f->link, f->now_ns);
    // How large they may be is not known before the peer's HELLO.
    assert_int_equal(send_data(f, 0, 0, 20000), LINK_NO_ROOM);
    WireHello hello = hello_of(large_peer, (WireId){{0}}, 0, 1);
    hello.message_max = 100000;
    say(f, 0, WIRE_HELLO, 0, &hello);
    expect_log(f, "up, room, ");
    assert_int_equal(send_data(f, 0, 0, 100000), LINK_TOO_LARGE);
    assert_int_equal(send_data(f, 0, 0, 90000), LINK_SENT);
    assert_int_equal(send_data(f, 1, 0, 20000), LINK_NO_ROOM);
    assert_int_equal(link_send(&f->link, LINK_DATA, 0, WIRE_RELAY_OPEN, &(WireRelayOpen){.node = wire_text("\n")}),
                     LINK_INVALID);
    fixture_free(f);
}

// One that waits for nobody is not copied to wait for its turns; one that has to wait in its lane is.
static void a_message_of_64_KiB_is_written_at_once(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireSpan pieces[8];
    assert_int_equal(send_data(f, 1, 100, 64 << 10), LINK_SENT);
    assert_int_equal(f->link.lanes.count, 0);
    size_t size = 0;
    for (unsigned i = 0, count = link_output(&f->link, 0, pieces, 8, 96 << 10, f->now_ns); i < count; i++)
        size += pieces[i].size;
    assert_true(size > 64 << 10);
    assert_int_equal(f->link.kept.unsent_bytes, size);
    link_wrote(&f->link, 0, 0, f->now_ns);
    assert_int_equal(send_data(f, 1, 101, 64 << 10), LINK_SENT);
    assert_int_equal(f->link.lanes.count, 1);
    drain(f, 0);
    WireFrame frame;
    uint32_t have = 0, stream = 0;
    while (written(f, 0, &frame)) {
        assert_int_equal(frame.kind, WIRE_CHUNK);
        if (frame.chunk.stream != stream)
            have = 0;
        stream = frame.chunk.stream;
        assert_int_equal(frame.chunk.offset, have);
        have += (uint32_t)frame.chunk.piece.size;
    }
    assert_int_equal(stream, 2);
    fixture_free(f);
}

// The second of its segments is not there: the first pieces must not be sent, since the message is tried again.
static void a_message_without_memory_for_all_of_its_pieces_leaves_none(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    assert_int_equal(send_data(f, 0, 1, 16000), LINK_SENT);
    size_t kept = f->link.kept.bytes;
    f->has_no_memory = true;
    assert_int_equal(send_data(f, 1, 2, 64 << 10), LINK_NO_MEMORY);
    assert_int_equal(f->link.kept.bytes, kept);
    assert_int_equal(f->link.kept.unsent_bytes, kept);
    f->has_no_memory = false;
    assert_int_equal(send_data(f, 1, 2, 60000), LINK_SENT);
    drain(f, 0);
    WireFrame frame;
    expect_written(f, 0, WIRE_DATA, &frame);
    expect_written(f, 0, WIRE_CHUNK, &frame);
    assert_int_equal(frame.number, 2);
    assert_true(frame.chunk.offset == 0 && frame.chunk.total < 64 << 10);
    fixture_free(f);
}

static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    f->has_no_memory = true;
    kept_trim(&f->link.kept, &f->link.memory);
    assert_int_equal(send_data(f, 0, 0, 100), LINK_NO_MEMORY);
    assert_int_equal(send_data(f, 0, 0, 100000), LINK_NO_MEMORY);
    assert_true(link_next_ns(&f->link) <= f->now_ns + 50 * ms);
    f->has_no_memory = false;
    tick(f, 50 * ms);
    expect_log(f, "room, ");
    assert_int_equal(send_data(f, 0, 0, 100000), LINK_SENT);
    // A piece that can't be moved is tried again; half a frame that can't be kept costs the connection.
    f->has_no_memory = true;
    drain(f, 0);
    assert_false(link_has_output(&f->link, 0));
    f->has_no_memory = false;
    tick(f, 50 * ms);
    assert_true(link_has_output(&f->link, 0));
    f->has_no_memory = true;
    link_input(&f->link, 0, (const uint8_t *)"\1", 1, f->now_ns);
    expect_log(f, "close 0, down, ");
    f->has_no_memory = false;
    assert_int_equal(f->link.errors, 0);
    fixture_free(f);
}

static void an_idle_link_gives_its_memory_back(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    for (int i = 0; i < 100; i++)
        assert_int_equal(send_data(f, 0, 0, 10000), LINK_SENT);
    drain(f, 0);
    say(f, 0, WIRE_ACK, 0, &(WireAck){100});
    assert_true(link_is_idle(&f->link) && f->blocks <= 2);
    say(f, 0, WIRE_PONG, 0, &(WirePong){f->link.connections[0].ping_nonce});
    tick(f, s);
    assert_int_equal(f->blocks, 0);
    assert_int_equal(send_data(f, 0, 7, 10), LINK_SENT);
    WireFrame frame;
    while (written(f, 0, &frame) && frame.number != 101)
        continue;
    assert_true(frame.number == 101 && frame.data.site == 7);
    fixture_free(f);
}

static void small_frames_go_out_in_one_piece(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    for (int i = 0; i < 100; i++)
        send_data(f, 0, 0, 64);
    assert_int_equal(f->blocks, 1);
    WireSpan pieces[4];
    assert_int_equal(link_output(&f->link, 0, pieces, 4, 1 << 20, f->now_ns), 1);
    assert_int_equal(pieces[0].size, 100 * (WIRE_HEAD_NUMBERED + wire_body_size(WIRE_DATA, &(WireData){0}) + 64));
    fixture_free(f);
}

// ---- L7 ----

static void the_third_error_in_a_minute_loses_the_link(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        Fixture *f = fixture_up();
        for (int i = 0; i < 3; i++) {
            assert_int_equal(f->link.state, LINK_UP);
            say_data(f, 0, 1000);
            forget_written(f, 0);
            f->now_ns += slow ? 31 * s : 29 * s;
            if (f->link.state != LINK_LOST) {
                link_accepted(&f->link, f->now_ns);
                say_hello(f, 0, large_peer, own, 0, 10 + (uint64_t)i);
            }
        }
        assert_int_equal(f->link.state, slow ? LINK_UP : LINK_LOST);
        assert_int_equal(strstr(f->log, "lost 2") != NULL, !slow);
        fixture_free(f);
    }
}

static void what_is_being_written_again_is_kept_whatever_the_peer_says(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    for (uint32_t i = 1; i <= 6; i++)
        assert_int_equal(send_data(f, 0, i, 16000), LINK_SENT);
    forget_written(f, 0);
    link_broken(&f->link, 0, f->now_ns);
    link_accepted(&f->link, f->now_ns);
    say_hello(f, 0, large_peer, own, 2, 2);
    // HELLO, PING, the third and half of the fourth.
    WireSpan pieces[4];
    size_t limit = 24000;
    while (limit > 0) {
        unsigned count = link_output(&f->link, 0, pieces, 1, limit, f->now_ns);
        assert_int_equal(count, 1);
        limit -= pieces[0].size;
        link_wrote(&f->link, 0, pieces[0].size, f->now_ns);
    }
    assert_true(f->link.kept.unsent.number == 4 && f->link.kept.unsent.left > 0);
    say(f, 0, WIRE_ACK, 0, &(WireAck){6});
    assert_int_equal(f->link.kept.oldest.number, 4);
    drain(f, 0);
    say(f, 0, WIRE_ACK, 0, &(WireAck){6});
    assert_true(link_is_idle(&f->link));
    fixture_free(f);
}

static void complaints_of_the_layer_above_are_errors(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    f->complains = true;
    say_data(f, 0, 1);
    say_data(f, 0, 2); // is not looked at any more
    assert_int_equal(f->delivered, 1);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_CONTENT);
    assert_int_equal(f->link.errors, 1);
    fixture_free(f);
}

static void an_error_of_ours_is_not_held_against_the_peer(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    say(f, 0, WIRE_ERROR, 0, &(WireError){.code = 1});
    expect_log(f, "close 0, down, ");
    assert_int_equal(f->link.errors, 0);
    fixture_free(f);
}

static void who_does_not_read_the_last_frame_is_not_waited_for(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    say_data(f, 0, 1000);
    expect_log(f, "down, ");
    tick(f, s);
    expect_log(f, "close 0, ");
    fixture_free(f);
}

static void an_end_in_order_is_said_and_heard(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    link_end(&f->link, "stopped", f->now_ns);
    expect_written(f, 0, WIRE_BYE, &frame);
    expect_log(f, "down, close 0, ");
    assert_int_equal(f->link.state, LINK_LOST);
    fixture_free(f);
    f = fixture_up();
    say(f, 0, WIRE_BYE, 0, &(WireBye){wire_text("stopped")});
    expect_log(f, "close 0, lost 3, ");
    fixture_free(f);
}

static void bytes_may_be_cut_anywhere(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireBuffer buffer = {0};
    static uint8_t bytes[3000];
    for (uint64_t i = 1; i <= 40; i++)
        wire_encode(&buffer, WIRE_DATA, i, &(WireData){.number = i, .value = {bytes, (size_t)(i * i)}});
    size_t at = 0;
    for (size_t step = 1; at < buffer.size; step = step % 97 + 1) {
        size_t size = step < buffer.size - at ? step : buffer.size - at;
        uint8_t *piece = malloc(size);
        memcpy(piece, buffer.data + at, size);
        link_input(&f->link, 0, piece, size, f->now_ns);
        free(piece);
        at += size;
    }
    assert_int_equal(f->delivered, 40);
    wire_buffer_fini(&buffer);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_frames_have_a_limit_and_room_is_told),
        cmocka_unit_test(a_large_message_lets_others_pass_but_not_its_own_lane),
        cmocka_unit_test(small_frames_without_end_dont_keep_a_large_message_back),
        cmocka_unit_test(pieces_are_put_together),
        cmocka_unit_test(pieces_that_dont_fit_are_refused),
        cmocka_unit_test(messages_that_are_too_large_are_not_sent),
        cmocka_unit_test(a_message_of_64_KiB_is_written_at_once),
        cmocka_unit_test(a_message_without_memory_for_all_of_its_pieces_leaves_none),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(an_idle_link_gives_its_memory_back),
        cmocka_unit_test(small_frames_go_out_in_one_piece),
        cmocka_unit_test(the_third_error_in_a_minute_loses_the_link),
        cmocka_unit_test(what_is_being_written_again_is_kept_whatever_the_peer_says),
        cmocka_unit_test(complaints_of_the_layer_above_are_errors),
        cmocka_unit_test(an_error_of_ours_is_not_held_against_the_peer),
        cmocka_unit_test(who_does_not_read_the_last_frame_is_not_waited_for),
        cmocka_unit_test(an_end_in_order_is_said_and_heard),
        cmocka_unit_test(bytes_may_be_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
