// link_test.c: how a link comes up, goes on, is watched and lost (L1 to L5), with a peer that is played by hand.

#include "net/link/link_fixture.h"

// ---- L1 ----

static void who_dials_says_hello_first_and_is_up_with_the_answer(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    WireFrame frame;
    link_open(&f->link, f->now_ns);
    expect_log(f, "dial 0, ");
    f->now_ns += ms;
    link_dialled(&f->link, 0, f->now_ns);
    expect_written(f, 0, WIRE_HELLO, &frame);
    assert_true(wire_id_is(&frame.hello.incarnation, &own) && wire_id_is_zero(&frame.hello.peer));
    assert_true(frame.hello.received == 0 && frame.hello.dialled == 100 * s);
    assert_memory_equal(frame.hello.node.data, "shop-1", 6);
    // Nothing else before the answer, although there is something to send.
    assert_int_equal(send_data(f, 0, 0, 10), LINK_SENT);
    expect_nothing(f, 0);
    say_hello(f, 0, large_peer, own, 0, 5);
    expect_log(f, "up, ");
    expect_written(f, 0, WIRE_PING, &frame);
    expect_written(f, 0, WIRE_DATA, &frame);
    assert_int_equal(frame.number, 1);
    fixture_free(f);
}

static void who_accepts_answers_hello(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    assert_int_equal(link_accepted(&f->link, f->now_ns), 0);
    expect_nothing(f, 0);
    say_hello(f, 0, large_peer, (WireId){{0}}, 0, 5);
    expect_log(f, "up, ");
    expect_written(f, 0, WIRE_HELLO, &frame);
    assert_true(wire_id_is(&frame.hello.peer, &large_peer));
    expect_written(f, 0, WIRE_PING, &frame);
    fixture_free(f);
}

static void another_version_is_refused_but_not_held_against_the_peer(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    for (int i = 0; i < 5; i++) {
        unsigned number = (unsigned)link_accepted(&f->link, f->now_ns);
        WireHello hello = hello_of(large_peer, (WireId){{0}}, 0, 5);
        hello.version = 2;
        say(f, number, WIRE_HELLO, 0, &hello);
        expect_written(f, number, WIRE_ERROR, &frame);
        assert_int_equal(frame.error.code, WIRE_BAD_VERSION);
        expect_log(f, "close 0, ");
    }
    assert_int_equal(f->link.state, LINK_NEW);
    fixture_free(f);
}

static void a_connection_begins_with_hello(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    assert_int_equal(link_accepted(&f->link, f->now_ns), 0);
    say_data(f, 0, 1);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_ORDER);
    assert_int_equal(f->delivered, 0);
    // Our own incarnation: we have dialled ourselves.
    assert_int_equal(link_accepted(&f->link, f->now_ns), 0);
    f->log[0] = 0;
    forget_written(f, 0);
    say_hello(f, 0, own, (WireId){{0}}, 0, 5);
    expect_written(f, 0, WIRE_ERROR, &frame);
    fixture_free(f);
}

static void who_is_not_who_it_should_be_is_refused(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    link_accepted(&f->link, f->now_ns);
    WireHello hello = hello_of(large_peer, (WireId){{0}}, 0, 5);
    hello.node = wire_text("burglar");
    say(f, 0, WIRE_HELLO, 0, &hello);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_CONTENT);
    expect_log(f, "close 0, ");
    fixture_free(f);
}

static void a_hello_of_another_version_may_have_other_fields(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    link_accepted(&f->link, f->now_ns);
    uint8_t bytes[WIRE_HEAD + 100] = {0};
    wire_write_head(bytes, WIRE_HELLO, 0, 100);
    wire_put(bytes + WIRE_HEAD, WIRE_MAGIC, 4);
    wire_put(bytes + WIRE_HEAD + 4, 2, 4);
    link_input(&f->link, 0, bytes, sizeof bytes, f->now_ns);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_VERSION);
    assert_int_equal(f->link.errors, 0);
    fixture_free(f);
}

// ---- L2 ----

// Both have dialled; the peer's HELLO comes before the answer to ours.
static Fixture *fixture_crossing(WireId peer)
{
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    link_dialled(&f->link, 0, f->now_ns);
    forget_written(f, 0);
    assert_int_equal(link_accepted(&f->link, f->now_ns), 1);
    expect_log(f, "dial 0, ");
    say_hello(f, 1, peer, (WireId){{0}}, 0, 7);
    return f;
}

static void of_crossing_connections_that_of_the_smaller_incarnation_stays(void **state)
{
    (void)state;
    WireFrame frame;
    Fixture *f = fixture_crossing(large_peer);
    expect_written(f, 1, WIRE_DUPLICATE, &frame);
    assert_int_equal(frame.duplicate.dialled, 7);
    expect_log(f, "close 1, ");
    say_hello(f, 0, large_peer, own, 0, 8);
    expect_log(f, "up, ");
    fixture_free(f);

    f = fixture_crossing(small_peer);
    expect_log(f, "close 0, up, ");
    expect_written(f, 1, WIRE_HELLO, &frame);
    assert_int_equal(f->link.up, 1);
    fixture_free(f);
}

static void a_dial_that_has_not_reached_the_peer_does_not_stay(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    assert_int_equal(link_accepted(&f->link, f->now_ns), 1);
    say_hello(f, 1, large_peer, (WireId){{0}}, 0, 7);
    expect_log(f, "dial 0, close 0, up, ");
    fixture_free(f);
}

static void a_duplicate_is_closed_and_dialled_again_later(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    link_dialled(&f->link, 0, f->now_ns);
    say(f, 0, WIRE_DUPLICATE, 0, &(WireDuplicate){f->now_ns});
    expect_log(f, "dial 0, close 0, ");
    assert_true(link_next_ns(&f->link) > f->now_ns);
    tick(f, 50 * ms);
    expect_log(f, "dial 0, ");
    assert_int_equal(f->link.errors, 0);
    fixture_free(f);
}

static void a_hello_that_was_overtaken_is_ignored(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    assert_int_equal(link_accepted(&f->link, f->now_ns), 0);
    unsigned newer = 1;
    assert_int_equal(link_accepted(&f->link, f->now_ns), 1);
    say_hello(f, newer, large_peer, (WireId){{0}}, 0, 20);
    expect_log(f, "up, ");
    say_hello(f, 0, large_peer, (WireId){{0}}, 0, 10);
    expect_log(f, "close 0, ");
    assert_int_equal(f->link.up, newer);
    fixture_free(f);
}

// ---- L3 ----

static void frames_are_numbered_from_1_and_taken_once_in_order(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    for (int i = 0; i < 3; i++)
        assert_int_equal(send_data(f, 0, 0, 10), LINK_SENT);
    for (uint64_t i = 1; i <= 3; i++) {
        expect_written(f, 0, WIRE_DATA, &frame);
        assert_int_equal(frame.number, i);
    }
    say_data(f, 0, 1);
    say_data(f, 0, 2);
    say_data(f, 0, 1); // again
    say_data(f, 0, 2);
    assert_int_equal(f->delivered, 2);
    say_data(f, 0, 4); // a gap
    assert_int_equal(f->delivered, 2);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_NUMBER);
    expect_log(f, "down, close 0, ");
    fixture_free(f);
}

static void what_comes_again_is_acknowledged_again(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    say_data(f, 0, 1);
    tick(f, 20 * ms);
    expect_written(f, 0, WIRE_ACK, &frame);
    say_data(f, 0, 1);
    tick(f, 20 * ms);
    expect_written(f, 0, WIRE_ACK, &frame);
    assert_int_equal(frame.ack.received, 1);
    fixture_free(f);
}

static void acknowledgements_wait_for_20_ms_128_KiB_or_company(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    say_data(f, 0, 1);
    say_data(f, 0, 2);
    expect_nothing(f, 0);
    tick(f, 19 * ms);
    expect_nothing(f, 0);
    assert_int_equal(link_next_ns(&f->link), f->now_ns + ms);
    tick(f, ms);
    expect_written(f, 0, WIRE_ACK, &frame);
    assert_int_equal(frame.ack.received, 2);
    // With any frame.
    say_data(f, 0, 3);
    send_data(f, 0, 0, 10);
    expect_written(f, 0, WIRE_ACK, &frame);
    assert_int_equal(frame.ack.received, 3);
    expect_written(f, 0, WIRE_DATA, &frame);
    tick(f, 20 * ms);
    expect_nothing(f, 0);
    // After 128 KiB.
    static uint8_t bytes[16000];
    for (uint64_t i = 4; i < 13; i++) {
        expect_nothing(f, 0);
        say(f, 0, WIRE_DATA, i, &(WireData){.value = {bytes, sizeof bytes}});
    }
    expect_written(f, 0, WIRE_ACK, &frame);
    assert_int_equal(frame.ack.received, 12);
    fixture_free(f);
}

static void a_new_connection_goes_on_behind_what_the_peer_has(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    for (uint32_t i = 1; i <= 5; i++)
        assert_int_equal(send_data(f, 0, i, 100), LINK_SENT);
    forget_written(f, 0);
    say(f, 0, WIRE_ACK, 0, &(WireAck){2});
    assert_int_equal(f->link.kept.oldest.number, 3);
    // Of the sixth, half is written.
    assert_int_equal(send_data(f, 0, 6, 100), LINK_SENT);
    WireSpan piece;
    assert_int_equal(link_output(&f->link, 0, &piece, 1, 50, f->now_ns), 1);
    link_wrote(&f->link, 0, 50, f->now_ns);
    link_broken(&f->link, 0, f->now_ns);
    expect_log(f, "down, ");
    assert_int_equal(send_data(f, 0, 7, 100), LINK_SENT);
    assert_int_equal(link_accepted(&f->link, f->now_ns), 0);
    say_hello(f, 0, large_peer, own, 4, 2);
    expect_written(f, 0, WIRE_HELLO, &frame);
    expect_written(f, 0, WIRE_PING, &frame);
    for (uint32_t i = 5; i <= 7; i++) {
        expect_written(f, 0, WIRE_DATA, &frame);
        assert_true(frame.number == i && frame.data.site == i);
    }
    expect_nothing(f, 0);
    fixture_free(f);
}

static void the_old_connection_is_closed_before_received_is_said(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    say_data(f, 0, 1);
    assert_int_equal(link_accepted(&f->link, f->now_ns), 1);
    say_data(f, 0, 2);
    say_hello(f, 1, large_peer, own, 0, 2);
    expect_log(f, "close 0, down, up, ");
    // What was not read of the old one does not count, even if somebody reads it.
    say_data(f, 0, 3);
    assert_int_equal(f->delivered, 2);
    expect_written(f, 1, WIRE_HELLO, &frame);
    assert_int_equal(frame.hello.received, 2);
    assert_true(wire_id_is(&frame.hello.peer, &large_peer));
    say_data(f, 1, 3);
    assert_int_equal(f->delivered, 3);
    fixture_free(f);
}

static void what_was_not_sent_cant_be_acknowledged(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    send_data(f, 0, 0, 10); // not written yet
    say(f, 0, WIRE_ACK, 0, &(WireAck){1});
    drain(f, 0);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_NUMBER);
    link_accepted(&f->link, f->now_ns);
    forget_written(f, 0);
    say_hello(f, 0, large_peer, own, 1, 2);
    expect_written(f, 0, WIRE_ERROR, &frame);
    assert_int_equal(frame.error.code, WIRE_BAD_NUMBER);
    fixture_free(f);
}

static void what_cant_be_taken_now_comes_again(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    f->refuses = true;
    say_data(f, 0, 1);
    expect_log(f, "close 0, down, ");
    assert_int_equal(f->link.errors, 0);
    f->refuses = false;
    link_accepted(&f->link, f->now_ns);
    say_hello(f, 0, large_peer, own, 0, 2);
    expect_written(f, 0, WIRE_HELLO, &frame);
    assert_int_equal(frame.hello.received, 0);
    say_data(f, 0, 1);
    assert_int_equal(f->delivered, 1);
    fixture_free(f);
}

// ---- L4 ----

static void another_incarnation_that_answers_loses_the_link_at_once(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    link_dialled(&f->link, 0, f->now_ns);
    say_hello(f, 0, large_peer, own, 0, 1);
    link_broken(&f->link, 0, f->now_ns);
    tick(f, 50 * ms);
    link_dialled(&f->link, 0, f->now_ns);
    send_data(f, 0, 0, 10);
    forget_written(f, 0);
    f->log[0] = 0;
    say_hello(f, 0, other_peer, own, 0, 1);
    expect_log(f, "close 0, lost 0, ");
    assert_int_equal(f->link.state, LINK_LOST);
    assert_int_equal(send_data(f, 0, 0, 10), LINK_GONE);
    assert_int_equal(link_accepted(&f->link, f->now_ns), -1);
    assert_true(link_next_ns(&f->link) == UINT64_MAX);
    fixture_free(f);
}

static void another_incarnation_that_dials_has_to_show_that_it_lives(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    assert_int_equal(link_accepted(&f->link, f->now_ns), 1);
    say_hello(f, 1, other_peer, (WireId){{0}}, 0, 1);
    expect_log(f, "");
    expect_written(f, 1, WIRE_PING, &frame);
    uint64_t nonce = frame.ping.nonce;
    // A dead one never answers.
    link_broken(&f->link, 1, f->now_ns);
    expect_log(f, "");
    // One that lives replaces a process that is not connected any more.
    link_broken(&f->link, 0, f->now_ns);
    expect_log(f, "down, ");
    int number = link_accepted(&f->link, f->now_ns);
    say_hello(f, (unsigned)number, other_peer, (WireId){{0}}, 0, 1);
    say(f, (unsigned)number, WIRE_PONG, 0, &(WirePong){nonce});
    expect_log(f, "close 0, lost 0, ");
    fixture_free(f);
}

static void a_second_process_with_the_name_of_one_that_lives_is_refused(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    WireFrame frame;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(link_accepted(&f->link, f->now_ns), 1);
        say_hello(f, 1, other_peer, (WireId){{0}}, 0, 1);
        expect_written(f, 1, WIRE_PING, &frame);
        say(f, 1, WIRE_PONG, 0, &(WirePong){frame.ping.nonce});
        expect_written(f, 1, WIRE_ERROR, &frame);
        assert_int_equal(frame.error.code, WIRE_BAD_NAME);
        assert_int_equal(f->link.state, LINK_UP);
        expect_log(f, "close 1, ");
    }
    fixture_free(f);
}

static void who_is_refused_for_its_name_dials_again(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    link_dialled(&f->link, 0, f->now_ns);
    forget_written(f, 0);
    expect_log(f, "dial 0, ");
    say(f, 0, WIRE_ERROR, 0, &(WireError){.code = WIRE_BAD_NAME, .text = wire_text("twice")});
    expect_log(f, "close 0, ");
    assert_true(link_next_ns(&f->link) < UINT64_MAX);
    fixture_free(f);
}

static void who_has_dialled_answers_such_a_question(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    WireFrame frame;
    link_open(&f->link, f->now_ns);
    link_dialled(&f->link, 0, f->now_ns);
    forget_written(f, 0);
    say(f, 0, WIRE_PING, 0, &(WirePing){77});
    expect_written(f, 0, WIRE_PONG, &frame);
    assert_int_equal(frame.pong.nonce, 77);
    fixture_free(f);
}

static void a_peer_that_means_an_earlier_process_is_told(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    link_accepted(&f->link, f->now_ns);
    say_hello(f, 0, large_peer, other_peer, 17, 1);
    expect_written(f, 0, WIRE_HELLO, &frame);
    assert_true(wire_id_is(&frame.hello.incarnation, &own));
    expect_log(f, "close 0, ");
    assert_int_equal(f->link.state, LINK_NEW);
    assert_true(wire_id_is_zero(&f->link.peer) && f->link.errors == 0);
    fixture_free(f);
}

static void a_peer_that_has_forgotten_the_link_loses_it(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    // It has never had our answer: nothing is lost.
    link_accepted(&f->link, f->now_ns);
    say_hello(f, 1, large_peer, (WireId){{0}}, 0, 2);
    expect_log(f, "close 0, down, up, ");
    say_data(f, 1, 1);
    link_accepted(&f->link, f->now_ns);
    say_hello(f, 0, large_peer, (WireId){{0}}, 0, 3);
    expect_log(f, "close 0, close 1, lost 1, ");
    fixture_free(f);
}

// ---- L5 ----

static void pings_are_sent_and_answered_and_say_when_we_were_heard(void **state)
{
    (void)state;
    Fixture *f = fixture_new(false);
    WireFrame frame;
    accept_up(f, large_peer, 1);
    expect_written(f, 0, WIRE_HELLO, &frame);
    expect_written(f, 0, WIRE_PING, &frame);
    uint64_t asked_ns = f->now_ns;
    assert_int_equal(f->link.sure_ns, 0);
    f->now_ns += 300 * ms;
    say(f, 0, WIRE_PONG, 0, &(WirePong){frame.ping.nonce});
    assert_int_equal(f->link.sure_ns, asked_ns);
    // The next one, whatever the traffic.
    tick(f, 699 * ms);
    expect_nothing(f, 0);
    tick(f, ms);
    expect_written(f, 0, WIRE_PING, &frame);
    say(f, 0, WIRE_PING, 0, &(WirePing){9});
    expect_written(f, 0, WIRE_PONG, &frame);
    assert_int_equal(frame.pong.nonce, 9);
    say(f, 0, WIRE_PONG, 0, &(WirePong){1});
    expect_written(f, 0, WIRE_ERROR, &frame);
    fixture_free(f);
}

static void a_silent_connection_is_given_up(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    tick(f, s);
    forget_written(f, 0);
    tick(f, s - 1);
    expect_log(f, "");
    tick(f, 1);
    expect_log(f, "close 0, down, ");
    fixture_free(f);
    // Any byte counts.
    f = fixture_up();
    tick(f, 1500 * ms);
    link_input(&f->link, 0, (const uint8_t *)"\1", 1, f->now_ns);
    tick(f, 1500 * ms);
    expect_log(f, "");
    tick(f, 500 * ms);
    expect_log(f, "close 0, down, ");
    fixture_free(f);
}

static void dialling_again_waits_longer_each_time(void **state)
{
    (void)state;
    static const uint64_t delays[] = {50, 100, 200, 400, 800, 1000, 1000};
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        expect_log(f, "dial 0, ");
        link_broken(&f->link, 0, f->now_ns);
        uint64_t wait = link_next_ns(&f->link) - f->now_ns;
        assert_true(wait >= delays[i] * ms / 2 && wait <= delays[i] * ms);
        tick(f, wait);
    }
    // It begins anew when a connection has been shown to work.
    WireFrame frame;
    link_dialled(&f->link, 0, f->now_ns);
    say_hello(f, 0, large_peer, own, 0, 1);
    expect_written(f, 0, WIRE_HELLO, &frame);
    expect_written(f, 0, WIRE_PING, &frame);
    say(f, 0, WIRE_PONG, 0, &(WirePong){frame.ping.nonce});
    link_broken(&f->link, 0, f->now_ns);
    assert_true(link_next_ns(&f->link) - f->now_ns <= 50 * ms);
    fixture_free(f);
}

static void handshakes_have_a_limit(void **state)
{
    (void)state;
    Fixture *f = fixture_new(true);
    link_open(&f->link, f->now_ns);
    tick(f, 5 * s - 1);
    expect_log(f, "dial 0, ");
    tick(f, 1);
    expect_log(f, "close 0, ");
    link_accepted(&f->link, f->now_ns);
    link_input(&f->link, 0, (const uint8_t *)"\1", 1, f->now_ns);
    f->link.redial_ns = UINT64_MAX;
    tick(f, 5 * s);
    expect_log(f, "close 0, ");
    fixture_free(f);
}

static void many_connections_without_a_hello_replace_each_other(void **state)
{
    (void)state;
    Fixture *f = fixture_up();
    for (int i = 0; i < 100; i++) {
        f->now_ns += ms;
        int number = link_accepted(&f->link, f->now_ns);
        assert_true(number > 0 && number < LINK_CONNECTIONS);
    }
    assert_int_equal(f->link.state, LINK_UP);
    f->log[0] = 0;
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_dials_says_hello_first_and_is_up_with_the_answer),
        cmocka_unit_test(who_accepts_answers_hello),
        cmocka_unit_test(another_version_is_refused_but_not_held_against_the_peer),
        cmocka_unit_test(a_connection_begins_with_hello),
        cmocka_unit_test(who_is_not_who_it_should_be_is_refused),
        cmocka_unit_test(a_hello_of_another_version_may_have_other_fields),
        cmocka_unit_test(of_crossing_connections_that_of_the_smaller_incarnation_stays),
        cmocka_unit_test(a_dial_that_has_not_reached_the_peer_does_not_stay),
        cmocka_unit_test(a_duplicate_is_closed_and_dialled_again_later),
        cmocka_unit_test(a_hello_that_was_overtaken_is_ignored),
        cmocka_unit_test(frames_are_numbered_from_1_and_taken_once_in_order),
        cmocka_unit_test(what_comes_again_is_acknowledged_again),
        cmocka_unit_test(acknowledgements_wait_for_20_ms_128_KiB_or_company),
        cmocka_unit_test(a_new_connection_goes_on_behind_what_the_peer_has),
        cmocka_unit_test(the_old_connection_is_closed_before_received_is_said),
        cmocka_unit_test(what_was_not_sent_cant_be_acknowledged),
        cmocka_unit_test(what_cant_be_taken_now_comes_again),
        cmocka_unit_test(another_incarnation_that_answers_loses_the_link_at_once),
        cmocka_unit_test(another_incarnation_that_dials_has_to_show_that_it_lives),
        cmocka_unit_test(a_second_process_with_the_name_of_one_that_lives_is_refused),
        cmocka_unit_test(who_is_refused_for_its_name_dials_again),
        cmocka_unit_test(who_has_dialled_answers_such_a_question),
        cmocka_unit_test(a_peer_that_means_an_earlier_process_is_told),
        cmocka_unit_test(a_peer_that_has_forgotten_the_link_loses_it),
        cmocka_unit_test(pings_are_sent_and_answered_and_say_when_we_were_heard),
        cmocka_unit_test(a_silent_connection_is_given_up),
        cmocka_unit_test(dialling_again_waits_longer_each_time),
        cmocka_unit_test(handshakes_have_a_limit),
        cmocka_unit_test(many_connections_without_a_hello_replace_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
