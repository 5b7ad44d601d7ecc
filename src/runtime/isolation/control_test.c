// control_test.c: control messages of processes: blocks that roles meet in, nonsense, reports of violations, ends; and what a
// dead process leaves behind.

#include "runtime/isolation/role_proxy_fixture.h"

#include "runtime/value/codec.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void roles_meet_and_end(void **state)
{
    (void)state;
    begin(all);
    enter(3, PROCESS_FIXTURE_OUTER);
    control_enter(0, PROCESS_FIXTURE_INNER);
    control_arrive(0, PROCESS_FIXTURE_INNER);
    serve();
    assert_int_equal(proxies[0].goes, 0);
    control_enter(1, PROCESS_FIXTURE_INNER);
    control_arrive(1, PROCESS_FIXTURE_INNER);
    serve();
    assert_int_equal(proxies[0].goes, 1);
    arrive(3, PROCESS_FIXTURE_OUTER);
    serve();
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(atomic_load(&proxies[i].control->goes), i < 2 ? 2 : 1);
        assert_int_equal(proxies[i].saved_bytes, 0);
    }
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES; i++)
        control_end(i, 100 + i);
    serve();
    assert_false(is_there);
    int64_t results[PROCESS_FIXTURE_ROLES];
    assert_int_equal(process_fixture_end(&process_fixture, session, false, results), CHX_OK);
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES; i++)
        assert_int_equal(results[i], 100 + i);
}

static void a_death_calls_the_others_back(void **state)
{
    (void)state;
    begin(all);
    enter(3, PROCESS_FIXTURE_OUTER);
    control_arrive(1, PROCESS_FIXTURE_OUTER);
    serve();
    uint64_t spawned = process_fixture.spawned;
    uint32_t rung = atomic_load(&proxies[3].doorbell->word);
    die(0);
    assert_int_equal(proxies[0].deaths, 1);
    assert_int_equal(process_fixture.spawned, spawned + 1);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    assert_int_equal(atomic_load(&proxies[1].control->generation), 1);
    assert_int_equal(proxies[1].control->command.attempt, 1);
    assert_true(proxies[1].actor->member.awaited != 0);
    // All look again at what they wait for: it may have written over that.
    assert_true(atomic_load(&proxies[3].doorbell->word) != rung);
    // What a process says before it has gone back is void.
    for (unsigned i = 0; i <= VIOLATIONS_MAX; i++)
        control_report_violation(1, 0, 1, VIOLATION_UNEXPECTED);
    control_enter(1, PROCESS_FIXTURE_INNER);
    control_arrive(2, PROCESS_FIXTURE_OUTER);
    serve();
    assert_int_equal(proxies[1].actor->member.count, 1);
    assert_false(kill_pending(0) || kill_pending(1));
    for (unsigned i = 1; i < 3; i++)
        control_ready(i);
    arrive(3, PROCESS_FIXTURE_OUTER);
    serve();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(proxies[i].goes, 1);
    assert_int_equal(proxies[0].deaths, 0); // there was progress
    assert_int_equal(finish(), CHX_CANCELLED);
}

// Called back to the rescue, which no other attempt follows: it dies before it is there, which is nobody's failure.
static void a_death_in_an_abandoned_attempt_decides_nothing(void **state)
{
    (void)state;
    begin(all);
    enter(2, PROCESS_FIXTURE_INNER);
    serve();
    die(0);
    die(1);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(proxies[i].state, PROXY_ALIVE);
        assert_int_equal(savepoint_top(proxies[i].actor)->position.attempt, 1);
    }
    // There it is one.
    die(1);
    assert_int_equal(finish(), CHX_FAILED);
    assert_int_equal(chx_last_report()->restarts, 2);
}

// However much it has said.
static void what_a_process_has_said_before_its_death_counts(void **state)
{
    (void)state;
    enum { POSTS = CONTROLS_PER_TURN * 3 };
    begin(all);
    control_enter(0, PROCESS_FIXTURE_INNER);
    for (unsigned i = 1; i < POSTS; i++)
        control_ready(0);
    die(0);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    assert_int_equal(proxies[0].answered, POSTS);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void an_answer_to_an_older_command_is_none(void **state)
{
    (void)state;
    begin_outer();
    die(0);
    uint32_t first = proxies[1].control->command.epoch;
    die(0);
    process_fixture_post(&proxies[1], (ControlHead){0, CONTROL_READY, first, 0}, NULL);
    control_arrive(1, PROCESS_FIXTURE_OUTER);
    serve();
    assert_true(proxies[1].actor->member.awaited > first);
    assert_false(savepoint_top(proxies[1].actor)->position.arrived);
    control_ready(1);
    control_arrive(1, PROCESS_FIXTURE_OUTER);
    serve();
    assert_int_equal(proxies[1].actor->member.awaited, 0);
    assert_true(savepoint_top(proxies[1].actor)->position.arrived);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void a_new_process_is_told_where_it_is(void **state)
{
    (void)state;
    const SpawnImage *image = &process_fixture.image;
    begin(all);
    assert_int_equal(image->savepoints, 0);
    enter(3, PROCESS_FIXTURE_OUTER);
    for (unsigned i = 0; i < 2; i++) {
        control_enter(i, PROCESS_FIXTURE_INNER);
        control_arrive(i, PROCESS_FIXTURE_INNER);
    }
    serve();
    die(0); // back to OUTER
    control_ready(1);
    control_ready(2);
    serve();
    process_fixture_post(&proxies[1], (ControlHead){4, CONTROL_FAIL, 7, CHX_FAULT_FAIL}, "nope");
    serve();
    die(1);
    assert_int_equal(image->role, 1);
    assert_int_equal(image->savepoints, 1);
    assert_int_equal(image->goes, 1);
    assert_int_equal(image->answered, 5);
    assert_int_equal(image->generation, 2);
    assert_int_equal(image->epoch, 2);
    assert_int_equal(image->fault.kind, CHX_FAULT_FAIL);
    assert_int_equal(image->fault.line, 106);
    assert_string_equal(image->fault.why, "nope");
    assert_string_equal(image->fault.role, "R1");
    // And its control block says the same.
    assert_int_equal(atomic_load(&proxies[1].control->goes), 1);
    assert_int_equal(atomic_load(&proxies[1].control->answered), 5);
    assert_int_equal(atomic_load(&proxies[1].control->generation), 2);
    assert_int_equal(proxies[1].actor->member.awaited, 0);
    assert_int_equal(finish(), CHX_CANCELLED);
    assert_int_equal(chx_last_report()->restarts, 2);
}

// All bytes of a control message, in pieces of all sizes, also over the end of the ring of control messages.
static void a_message_may_come_in_pieces(void **state)
{
    (void)state;
    begin(all);
    enter(2, PROCESS_FIXTURE_INNER);
    serve();
    for (unsigned piece = 1; piece <= 30; piece++) {
        ControlHead whole = {0, CONTROL_READY, 9, 0};
        for (unsigned round = 0; round < CONTROLS_BYTES / sizeof whole / 28; round++) {
            for (size_t at = 0; at < sizeof whole; at += piece) {
                process_fixture_bytes(&proxies[0], (char *)&whole + at,
                                      sizeof whole - at < piece ? sizeof whole - at : piece);
                serve();
            }
        }
        assert_false(kill_pending(0));
    }
    // Larger than there is room at once.
    struct {
        ControlHead head;
        unsigned char more;
    } large = {{300000, CONTROL_ENTER, PROCESS_FIXTURE_INNER, 0}, 0};
    static unsigned char bytes[50000];
    process_fixture_bytes(&proxies[0], &large, sizeof large.head);
    for (unsigned i = 0; i < 6; i++) {
        serve();
        process_fixture_bytes(&proxies[0], bytes, sizeof bytes);
        assert_int_equal(proxies[0].actor->member.count, 1);
    }
    serve();
    assert_int_equal(proxies[0].actor->member.count, 2);
    assert_true(proxies[0].message.capacity <= CONTROLS_BYTES); // it is not kept
    // What a process has not said to its end is void for the next one.
    process_fixture_bytes(&proxies[0], &large, sizeof large.head + 1);
    serve();
    die(0);
    control_arrive(0, PROCESS_FIXTURE_INNER);
    serve();
    assert_false(kill_pending(0));
    assert_true(savepoint_top(proxies[0].actor)->position.arrived);
    assert_int_equal(finish(), CHX_CANCELLED);
}

// For room to say more, or for what it said to be dealt with.
static void who_waits_for_the_supervisor_is_woken(void **state)
{
    (void)state;
    begin(all);
    for (int i = 0; i < 2; i++) {
        _Atomic uint32_t *awaited = &proxies[0].control->supervisor_awaited;
        uint32_t before = atomic_load(&proxies[0].doorbell->word);
        atomic_store(awaited, i);
        control_ready(0);
        serve();
        assert_int_equal(atomic_load(&proxies[0].doorbell->word) - before, i);
        assert_int_equal(atomic_load(awaited), 0);
        assert_int_equal(atomic_load(&proxies[0].control->answered), i + 1);
        assert_int_equal(atomic_load(&proxies[0].control->control_head),
                         atomic_load(&proxies[0].control->control_tail));
    }
    assert_int_equal(finish(), CHX_CANCELLED);
}

typedef struct {
    const char *name;
    ControlHead head;
} BadMessage;

static void nonsense_is_the_end_of_the_process(void **state)
{
    (void)state;
    static const BadMessage bad[] = {
        {"no kind", {0, 0, 0, 0}},
        {"unknown kind", {0, CONTROL_COMPLAIN + 1, 0, 0}},
        {"enter, tails cut off", {23, CONTROL_ENTER, PROCESS_FIXTURE_OUTER, 0}},
        {"enter, a block of others", {64, CONTROL_ENTER, PROCESS_FIXTURE_OTHER, 0}},
        {"enter, no block", {64, CONTROL_ENTER, 1, 0}},
        {"arrive, in no block", {0, CONTROL_ARRIVE, PROCESS_FIXTURE_OUTER, 0}},
        {"renew, in no block", {64, CONTROL_RENEW, PROCESS_FIXTURE_OUTER, 0}},
        {"ready, too long", {9, CONTROL_READY, 0, 0}},
        {"fail, of what kind", {0, CONTROL_FAIL, 0, 77}},
        {"fail, of a kind that is not its to say", {0, CONTROL_FAIL, 0, CHX_FAULT_DEADLINE}},
        {"end, too short", {7, CONTROL_END, 0, 0}},
        {"end, too long", {9, CONTROL_END, 0, 0}},
        {"wake, no channel", {0, CONTROL_WAKE, UINT32_MAX, 0}},
        {"wake, of others", {0, CONTROL_WAKE, 11, 0}},
        {"wake, neither end", {0, CONTROL_WAKE, 0, 2}},
        {"wake, an isolated one", {0, CONTROL_WAKE, 0, 0}},
        {"wake, too long", {4, CONTROL_WAKE, 0, 0}},
        {"complain, no channel", {0, CONTROL_COMPLAIN, UINT32_MAX, 0}},
        {"complain, of others", {0, CONTROL_COMPLAIN, 11, 0}},
        {"complain, about what", {0, CONTROL_COMPLAIN, 0, 9}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(all);
        process_fixture_post(&proxies[0], bad[i].head, (unsigned char[64]){1});
        serve();
        if (!kill_pending(0))
            fail_msg("%s: taken", bad[i].name);
        die(0);
        assert_int_equal(finish(), CHX_FAILED);
        assert_non_null(strstr(why, "broke the protocol"));
    }
}

static void messages_of_impossible_sizes_are_the_end_of_the_process(void **state)
{
    (void)state;
    // Nothing is kept for a message of a small kind that says that it is large.
    static const ControlHead heads[] = {
        {CONTROL_MAX_BYTES + 1u, CONTROL_ENTER, 0, 0}, {UINT32_MAX, CONTROL_ENTER, 0, 0}, {4096, CONTROL_WAKE, 0, 0}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        begin(all);
        process_fixture_bytes(&proxies[1], &heads[i], sizeof heads[i]);
        serve();
        assert_true(kill_pending(1));
        finish();
    }
    begin(three);
    control_two(0, CONTROL_WAKE, shm_channel(process_fixture_channel(&proxies[0], 1, 3))->number, 0);
    serve();
    assert_true(kill_pending(0));
    finish();
    // More than there is room for, though all of it makes sense.
    begin(all);
    for (unsigned i = 0; i < CONTROLS_BYTES / sizeof(ControlHead) + 1; i++)
        control_ready(2);
    serve();
    assert_true(kill_pending(2));
    finish();
}

static void orders_that_are_impossible(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        begin(all);
        for (unsigned role = 0; role < 3; role++)
            control_enter(role, PROCESS_FIXTURE_OUTER);
        if (i == 0) {
            control_arrive(0, PROCESS_FIXTURE_INNER); // it is not in that
        } else if (i == 1) {
            control_arrive(0, PROCESS_FIXTURE_OUTER);
            control_arrive(0, PROCESS_FIXTURE_OUTER);
        } else if (i == 2) {
            control_arrive(0, PROCESS_FIXTURE_OUTER);
            control_enter(0, PROCESS_FIXTURE_INNER);
        } else {
            control_end(0, 1); // inside a block
        }
        serve();
        assert_true(kill_pending(0));
        // And nothing that it says after that counts.
        control_end(0, 1);
        serve();
        die(0);
        assert_int_equal(proxies[0].state, PROXY_ALIVE); // taken up by the block
        assert_int_equal(finish(), CHX_CANCELLED);
    }
}

static void blocks_within_blocks_have_a_limit(void **state)
{
    (void)state;
    begin(all);
    control_enter(0, PROCESS_FIXTURE_INNER);
    proxies[0].deaths = 2;
    serve();
    assert_false(kill_pending(0));
    assert_int_equal(proxies[0].deaths, 0); // there was progress
    size_t each = proxies[0].saved_bytes;
    proxies[0].saved_bytes = SAVED_MAX_BYTES - each; // as if there were many
    control_enter(0, PROCESS_FIXTURE_INNER);
    serve();
    assert_false(kill_pending(0));
    control_enter(0, PROCESS_FIXTURE_INNER);
    serve();
    assert_true(kill_pending(0));
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "MiB"));
    // A great number of small ones: deep, but no deeper than memory.
    begin(all);
    for (unsigned i = 0; i < 50000 && !kill_pending(0); i++) {
        control_enter(0, PROCESS_FIXTURE_INNER);
        serve();
    }
    assert_int_equal(proxies[0].actor->member.count, 50000);
    die(0);
    assert_int_equal(finish(), CHX_CANCELLED);
}

// Without memory for what it has saved the role can't go on, and that is no block's failure.
static void no_memory_for_a_block_is_the_end(void **state)
{
    (void)state;
    begin(all);
    control_enter(0, PROCESS_FIXTURE_INNER);
    serve();
    process_fixture.is_out_of_memory = true;
    for (unsigned i = 0; i < 1000 && !kill_pending(0); i++) {
        control_enter(0, PROCESS_FIXTURE_INNER);
        serve();
    }
    process_fixture.is_out_of_memory = false;
    assert_true(kill_pending(0));
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
    assert_string_equal(why, "out of memory");
    assert_int_equal(chx_last_report()->kind, CHX_FAULT_SYSTEM);
}

// A session that is being stopped: some have left, nobody meets any more.
static void nobody_meets_in_a_session_that_stops(void **state)
{
    (void)state;
    begin(all);
    enter(2, PROCESS_FIXTURE_INNER);
    control_arrive(0, PROCESS_FIXTURE_INNER);
    serve();
    // Its failure is the block's, then the rescue's, then the session's.
    die(0);
    control_ready(1);
    control_arrive(0, PROCESS_FIXTURE_INNER);
    serve();
    die(0);
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    control_arrive(1, PROCESS_FIXTURE_INNER);
    serve();
    assert_int_equal(finish(), CHX_FAILED);
}

// ---- accusations ----

static void scratch(unsigned from, unsigned to)
{
    Ring view = process_fixture_view(&proxies[0], from, to);
    int64_t number = 5;
    assert_true(ring_send(&view, 1, 0, &number, sizeof number));
}

// The next message, a string, is right where small ones are looked at first, and wrong where it lies.
static void break_value(void)
{
    Ring view = process_fixture_view(&proxies[0], 1, 0);
    RingItem item;
    assert_int_equal(ring_peek(&view, &item), RING_ITEM);
    ring_pop(&view, &item);
    chx_buffer buffer = {0};
    chx_str string = chx_str_new("right", 5);
    chx_encode(&chx_type_str, &string, &buffer);
    chx_str_drop(string);
    Ring producer = process_fixture_view(&proxies[0], 1, 0);
    unsigned char *at = view.data + view.head.place * RING_UNIT + sizeof(Record);
    assert_true(ring_send(&producer, 2, 0, buffer.data, buffer.size));
    assert_memory_equal(at, buffer.data, buffer.size);
    chx_buffer_free(&buffer);
    at[0] = 99; // bytes, it says
}

static void an_accusation_that_holds_is_believed(void **state)
{
    (void)state;
    enum { NOTHING, TAIL, SITE, SIZE, EPOCH, CHECK_, STRING, VALUE, CHOICE, CASES };
    for (int what = NOTHING; what < CASES; what++) {
        begin(all);
        scratch(1, 0);
        Ring view = process_fixture_view(&proxies[0], 1, 0);
        Record *record = (Record *)(void *)view.data;
        if (what == TAIL)
            atomic_store(&view.words->tail, UINT64_MAX);
        else if (what == SITE)
            record->site = 999;
        else if (what == SIZE)
            record->size = 4;
        else if (what == EPOCH)
            record->of.epoch = 1;
        else if (what == CHECK_)
            record->of.check++;
        else if (what == STRING)
            record->site = 2;
        else if (what == VALUE)
            break_value();
        else if (what == CHOICE)
            record->site = 3; // which is smaller
        control_report_violation(0, 1, 0, what == EPOCH ? VIOLATION_AHEAD : VIOLATION_UNEXPECTED);
        serve();
        assert_int_equal(kill_pending(1), what != NOTHING);
        assert_false(kill_pending(0));
        assert_int_equal(finish(), CHX_CANCELLED);
    }
}

// The role that is not isolated waits for a number of site 1.
static void what_can_not_come_is_not_taken(void **state)
{
    (void)state;
    enum { NOTHING, SITE, SIZE, BROKEN, CASES };
    for (int what = NOTHING; what < CASES; what++) {
        begin(three);
        // The other role is on a thread of its own: only what does not change is copied.
        const Ring *ring = &shm_channel(process_fixture_channel(&proxies[0], 0, 3))->ring;
        const RingWords *back = shm_channel(process_fixture_channel(&proxies[0], 3, 0))->ring.words;
        Ring view = {.words = ring->words, .data = ring->data, .bytes = ring->bytes, .token = ring->token};
        ring_go_on(&view);
        int64_t numbers[2] = {5, 6};
        assert_true(ring_send(&view, what == SITE ? 5 : 1, 0, numbers, what == SIZE ? 16 : 8));
        if (what == BROKEN)
            atomic_store(&view.words->tail, UINT64_MAX);
        control_two(0, CONTROL_WAKE, shm_channel(process_fixture_channel(&proxies[0], 0, 3))->number, 0);
        serve();
        // It sends the number back, or complains.
        for (long i = 0; i < 100000000 && !kill_pending(0) && ring_load(&back->tail).count == 0; i++)
            sched_yield();
        assert_int_equal(kill_pending(0), what != NOTHING);
        assert_int_equal(finish(), CHX_CANCELLED);
    }
}

static void accusations_without_a_reason_have_a_limit(void **state)
{
    (void)state;
    begin(all);
    scratch(1, 0);
    uint32_t rung = atomic_load(&proxies[0].doorbell->word);
    for (unsigned i = 0; i < VIOLATIONS_MAX; i++)
        control_report_violation(0, 1, 0, VIOLATION_BROKEN);
    for (unsigned i = 0; i < 100; i++)
        control_report_violation(0, 1, 0, VIOLATION_AHEAD);
    serve();
    assert_true(atomic_load(&proxies[0].doorbell->word) != rung); // it is to look again
    assert_false(kill_pending(0) || kill_pending(1));
    control_report_violation(0, 1, 0, VIOLATION_UNEXPECTED);
    serve();
    assert_true(kill_pending(0) && kill_pending(1) && !kill_pending(2));
    finish();
    // Those of the process before don't count.
    begin(all);
    scratch(1, 0);
    control_enter(0, PROCESS_FIXTURE_INNER);
    for (int i = 0; i < 2; i++) {
        for (unsigned j = 0; j < VIOLATIONS_MAX; j++)
            control_report_violation(0, 1, 0, VIOLATION_UNEXPECTED);
        serve();
        assert_false(kill_pending(0) || kill_pending(1));
        if (i == 0)
            die(0);
    }
    finish();
    // A role of this process is not to blame.
    begin(three);
    Ring view = process_fixture_view(&proxies[0], 3, 0);
    atomic_store(&view.words->tail, 77);
    control_report_violation(0, 3, 0, VIOLATION_BROKEN);
    serve();
    assert_true(kill_pending(0));
    finish();
}

static void who_has_ended_is_not_waited_for(void **state)
{
    (void)state;
    begin(all);
    control_end(1, 1);
    serve();
    control_report_violation(0, 1, 0, VIOLATION_ENDED);
    serve();
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "ended"));
    // Not if there is something to read.
    begin(all);
    scratch(1, 0);
    control_end(1, 1);
    serve();
    control_report_violation(0, 1, 0, VIOLATION_ENDED);
    serve();
    assert_int_equal(finish(), CHX_CANCELLED);
    // What it has left is nonsense.
    begin(all);
    control_end(1, 1);
    serve();
    atomic_store(&process_fixture_view(&proxies[0], 1, 0).words->tail, 99);
    control_report_violation(0, 1, 0, VIOLATION_BROKEN);
    serve();
    assert_int_equal(finish(), CHX_FAILED);
    // A block that others are in.
    begin(all);
    control_enter(0, PROCESS_FIXTURE_INNER);
    control_end(1, 1);
    serve();
    isolated_block_lock(isolated);
    isolated_look_for_ended(isolated);
    isolated_block_unlock(isolated);
    assert_int_equal(finish(), CHX_FAILED);
    // A role of this process that waits for it: it says so itself.
    begin(three);
    for (unsigned i = 0; i < 3; i++)
        control_end(i, 1);
    serve();
    assert_false(is_there);
    chx_status status = chx_finish(session, NULL);
    assert_int_equal(status, CHX_FAILED);
}

static void all_sleep(void)
{
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES; i++)
        atomic_store(&proxies[i].control->asleep, (uint64_t)atomic_load(&proxies[i].doorbell->word) + 1);
}

// As the supervisor thread does it from time to time.
static void look(void)
{
    isolated_block_lock(isolated);
    isolated_look_for_deadlock(isolated);
    isolated_wake_all(isolated);
    isolated_block_unlock(isolated);
}

// All sleep, are woken, and sleep again.
static void sleep_twice(void)
{
    for (int i = 0; i < 2; i++) {
        all_sleep();
        look();
    }
}

static void nobody_sleeps_for_ever(void **state)
{
    (void)state;
    begin(all);
    for (int i = 0; i < 6; i++) {
        all_sleep();
        if (i == 0)
            atomic_store(&proxies[1].control->asleep, 0); // at work
        else
            scratch(1, 0); // something has happened
        look();
        if (i == 3)
            look(); // they have not looked yet
    }
    assert_int_equal(finish(), CHX_CANCELLED);
    // Once is not enough: they may have been about to look.
    begin(all);
    for (int i = 0; i < 2; i++) {
        all_sleep();
        if (i == 0)
            atomic_store(&proxies[1].control->asleep, 0);
        look();
    }
    assert_int_equal(finish(), CHX_CANCELLED);
    // The end of one that is to be killed will wake them.
    begin(all);
    set_kill_pending(2, "as a test");
    sleep_twice();
    assert_false(session_is_stopping(isolated->session));
    finish();
    begin(all);
    sleep_twice();
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "each role waits"));
    // A deadline will wake them.
    begin(all);
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    sleep_twice();
    assert_int_equal(finish(), CHX_CANCELLED);
}

// Who sees the word that it has seen before sleeps on it: each ring changes the word, also if nobody sleeps.
static void nobody_sleeps_on_a_doorbell_that_was_rung(void **state)
{
    (void)state;
    Doorbell doorbell = {0};
    doorbell_ring(&doorbell);
    doorbell_sleep(&doorbell, 0); // returns
    assert_int_equal(atomic_load(&doorbell.word), 1);
}

// ---- what a dead process has left ----

static void damage_from_before_the_block_fails_the_session(void **state)
{
    (void)state;
    for (int what = 0; what < 5; what++) {
        begin(all);
        scratch(0, 2); // before the block
        control_enter(0, PROCESS_FIXTURE_INNER);
        serve();
        scratch(0, 2);
        Ring out = process_fixture_view(&proxies[0], 0, 2), in = process_fixture_view(&proxies[0], 2, 0);
        atomic_store(&out.words->large, 77); // can be found out again
        if (what == 0)
            out.data[out.bytes / 2] = 1; // nobody reads that
        else if (what == 1)
            out.data[40] ^= 1; // in the second one: cut off
        else if (what == 2)
            out.data[0] ^= 64;
        else if (what == 3)
            atomic_store(&out.words->tail, 0);
        else
            atomic_store(&in.words->head, 1);
        die(0);
        bool is_good = what < 2;
        RingPoint tail = ring_load(&out.words->tail);
        if (is_good) {
            assert_int_equal(proxies[0].state, PROXY_ALIVE);
            assert_int_equal(tail.count, what == 0 ? 2 : 1);
            assert_int_equal(atomic_load(&out.words->large), 0);
        }
        assert_int_equal(finish(), is_good ? CHX_CANCELLED : CHX_FAILED);
    }
}

static void words_of_the_control_are_new_for_the_next_process(void **state)
{
    (void)state;
    begin(all);
    control_enter(0, PROCESS_FIXTURE_INNER);
    serve();
    ControlBlock *control = proxies[0].control;
    memset(control, 0xa5, offsetof(ControlBlock, controls));
    die(0);
    assert_int_equal(atomic_load(&control->generation), proxies[0].command_number);
    assert_int_equal(atomic_load(&control->command_lock) % 2, 0);
    assert_int_equal(atomic_load(&control->goes), 0);
    assert_int_equal(atomic_load(&control->late), 0);
    assert_int_equal(atomic_load(&control->answered), 1);
    assert_int_equal(atomic_load(&control->asleep), 0);
    assert_int_equal(atomic_load(&control->supervisor_awaited), 0);
    assert_int_equal(atomic_load(&control->control_tail), atomic_load(&control->control_head));
    assert_int_equal(finish(), CHX_CANCELLED);
}

// Processes have the files, too: what is mapped here must stay there.
static void nobody_makes_a_file_smaller(void **state)
{
    (void)state;
    begin(all);
    for (size_t i = 0; i < isolated->file_count; i++) {
        assert_int_equal(ftruncate(isolated->files[i].descriptor.number, 0), -1);
        assert_int_equal(ftruncate(isolated->files[i].descriptor.number, (off_t)isolated->files[i].bytes + PAGE), -1);
    }
    assert_int_equal(finish(), CHX_CANCELLED);
}

static bool is_given(RoleProxy *proxy, const SharedFile *file)
{
    FileList files;
    bool is_there = false;
    assert_true(proxy_list_files(proxy, &files));
    for (size_t i = GIVEN_OWN; i < files.count; i++)
        is_there |= files.list[i] == file->descriptor.number;
    descriptor_close(&files.image);
    free(files.list);
    return is_there;
}

// Whoever has a file has all that is in it.
static void files_go_to_those_who_need_them(void **state)
{
    (void)state;
    const bool *casts[] = {all, three, (const bool[PROCESS_FIXTURE_ROLES]){true, true},
                           (const bool[PROCESS_FIXTURE_ROLES]){true}};
    for (unsigned i = 0; i < 4; i++) {
        begin(casts[i]);
        const Session *of = isolated->session;
        for (unsigned j = 0; j < isolated->proxy_count; j++) {
            RoleProxy *proxy = &proxies[j];
            for (size_t k = 0; k < of->channel_count; k++) {
                const Channel *channel = &of->channels[k];
                bool is_end = channel->producer == proxy->actor || channel->consumer == proxy->actor;
                if (shm_channel(channel) != NULL)
                    assert_int_equal(is_given(proxy, isolated->rings[k].file), is_end);
            }
            for (unsigned k = 0; k < isolated->proxy_count; k++) {
                assert_int_equal(is_given(proxy, proxies[k].own), j == k);
                assert_true(is_given(proxy, proxies[k].doorbell_place.file)); // all have channels to all
            }
        }
        assert_int_equal(finish(), CHX_CANCELLED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_meet_and_end),
        cmocka_unit_test(a_death_calls_the_others_back),
        cmocka_unit_test(a_death_in_an_abandoned_attempt_decides_nothing),
        cmocka_unit_test(what_a_process_has_said_before_its_death_counts),
        cmocka_unit_test(an_answer_to_an_older_command_is_none),
        cmocka_unit_test(a_new_process_is_told_where_it_is),
        cmocka_unit_test(a_message_may_come_in_pieces),
        cmocka_unit_test(who_waits_for_the_supervisor_is_woken),
        cmocka_unit_test(nonsense_is_the_end_of_the_process),
        cmocka_unit_test(messages_of_impossible_sizes_are_the_end_of_the_process),
        cmocka_unit_test(orders_that_are_impossible),
        cmocka_unit_test(blocks_within_blocks_have_a_limit),
        cmocka_unit_test(no_memory_for_a_block_is_the_end),
        cmocka_unit_test(nobody_meets_in_a_session_that_stops),
        cmocka_unit_test(an_accusation_that_holds_is_believed),
        cmocka_unit_test(what_can_not_come_is_not_taken),
        cmocka_unit_test(accusations_without_a_reason_have_a_limit),
        cmocka_unit_test(who_has_ended_is_not_waited_for),
        cmocka_unit_test(nobody_sleeps_for_ever),
        cmocka_unit_test(nobody_sleeps_on_a_doorbell_that_was_rung),
        cmocka_unit_test(damage_from_before_the_block_fails_the_session),
        cmocka_unit_test(words_of_the_control_are_new_for_the_next_process),
        cmocka_unit_test(nobody_makes_a_file_smaller),
        cmocka_unit_test(files_go_to_those_who_need_them),
    };
    process_fixture_init(&process_fixture);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    process_fixture_fini(&process_fixture);
    return failed;
}
