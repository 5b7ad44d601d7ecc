// proxy_test.c: what processes post, played by the test: orders of blocks, nonsense, accusations, ends.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/value/codec.h"
#include "runtime/session/runtime.h"
#include "runtime/isolation/process_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static ProcessFixture process_fixture;
static chx_session *session;
static IsolatedSession *isolated;
static RoleProxy *proxies;
static bool is_there;

static const bool all[PROCESS_FIXTURE_ROLES] = {true, true, true, true};
static const bool three[PROCESS_FIXTURE_ROLES] = {true, true, true, false};

// What processes do first.
static void all_begin(void)
{
    for (unsigned i = 0; is_there && i < isolated->proxy_count; i++)
        atomic_store(&proxies[i].control->begun, 1);
}

static void begin(const bool *is_isolated)
{
    atomic_store(&process_fixture.isolation->zygote.is_terminated, false);
    session = process_fixture_start(&process_fixture, is_isolated);
    assert_non_null(session);
    isolated = process_fixture_isolated(session);
    proxies = isolated->proxies;
    is_there = true;
    all_begin();
    atomic_store(&process_fixture.isolation->zygote.pinged_ns, 0);
    atomic_store(&process_fixture.isolation->zygote.heard_ns, 0);
}

static void serve(void)
{
    assert_true(is_there);
    is_there = process_fixture_serve(isolated);
    process_fixture_hear(&process_fixture);
    all_begin();
}

// The supervisor thread sleeps no longer than until somebody wants to be looked at.
static void timers_are_set(void)
{
    for (unsigned i = 0; is_there && i < isolated->proxy_count; i++) {
        uint64_t next_ns = proxy_next_ns(&proxies[i]);
        assert_true(next_ns == UINT64_MAX || timer_is_set(&proxies[i].timer.timer));
        assert_true(next_ns == UINT64_MAX || proxies[i].timer.timer.due_ns <= next_ns);
    }
}

static void die(unsigned role)
{
    assert_true(is_there);
    is_there = process_fixture_die(&proxies[role], SIGKILL);
    process_fixture_hear(&process_fixture);
    timers_are_set();
    all_begin();
}

static const char *why;

// The status of the session, and why.
static chx_status finish(void)
{
    chx_status status = process_fixture_end(&process_fixture, session, is_there, NULL);
    why = chx_last_report()->why;
    return status;
}

// ---- good control messages ----

static void control_enter(unsigned role, uint32_t site)
{
    struct {
        ControlEnter head;
        RingPoint tails[PROCESS_FIXTURE_ROLES - 1];
        unsigned char frame[100];
    } enter = {.head = {.site = site, .tails = PROCESS_FIXTURE_ROLES - 1}};
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES - 1; i++)
        enter.tails[i] = ring_load(&shm_channel(&proxies[role].actor->out[i])->ring.words->tail);
    process_fixture_post(&proxies[role], CONTROL_ENTER, &enter, sizeof enter);
}

static void control_arrive(unsigned role, uint32_t site)
{
    process_fixture_post(&proxies[role], CONTROL_ARRIVE, &site, sizeof site);
}

static void control_ready(unsigned role)
{
    ControlReady ready = {proxies[role].control->command.epoch};
    process_fixture_post(&proxies[role], CONTROL_READY, &ready, sizeof ready);
}

static void control_end(unsigned role, int64_t result)
{
    process_fixture_post(&proxies[role], CONTROL_END, &result, sizeof result);
}

static void control_two(unsigned role, uint32_t kind, uint32_t first, uint32_t second)
{
    uint32_t words[2] = {first, second};
    process_fixture_post(&proxies[role], kind, words, sizeof words);
}

static void control_report_violation(unsigned role, unsigned from, unsigned to, Violation about)
{
    Channel *channel = process_fixture_channel(&proxies[role], from, to);
    control_two(role, CONTROL_COMPLAIN, shm_channel(channel)->number, about);
}

static bool kill_pending(unsigned role)
{
    return proxies[role].kill_pending;
}

// ---- tests ----

static void roles_meet_and_end(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_OUTER);
    control_enter(0, PROCESS_FIXTURE_INNER);
    control_arrive(0, PROCESS_FIXTURE_INNER);
    serve();
    assert_int_equal(proxies[0].goes, 0);
    control_enter(1, PROCESS_FIXTURE_INNER);
    control_arrive(1, PROCESS_FIXTURE_INNER);
    serve();
    assert_int_equal(proxies[0].goes, 1);
    for (unsigned i = 0; i < 3; i++)
        control_arrive(i, PROCESS_FIXTURE_OUTER);
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
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_OUTER);
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
    // What it control messages before it has gone back is void.
    for (unsigned i = 0; i <= VIOLATIONS_MAX; i++)
        control_report_violation(1, 0, 1, VIOLATION_UNEXPECTED);
    control_enter(1, PROCESS_FIXTURE_INNER);
    control_arrive(2, PROCESS_FIXTURE_OUTER);
    serve();
    assert_int_equal(proxies[1].actor->member.count, 1);
    assert_false(kill_pending(0) || kill_pending(1));
    for (unsigned i = 1; i < 3; i++)
        control_ready(i);
    for (unsigned i = 0; i < 3; i++)
        control_arrive(i, PROCESS_FIXTURE_OUTER);
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
    for (unsigned i = 0; i < 2; i++)
        control_enter(i, PROCESS_FIXTURE_INNER);
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

static void an_answer_to_an_older_order_is_none(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_OUTER);
    serve();
    die(0);
    ControlReady first = {proxies[1].control->command.epoch};
    die(0);
    process_fixture_post(&proxies[1], CONTROL_READY, &first, sizeof first);
    control_arrive(1, PROCESS_FIXTURE_OUTER);
    serve();
    assert_true(proxies[1].actor->member.awaited > first.epoch);
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
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_OUTER);
    for (unsigned i = 0; i < 2; i++) {
        control_enter(i, PROCESS_FIXTURE_INNER);
        control_arrive(i, PROCESS_FIXTURE_INNER);
    }
    serve();
    die(0); // back to OUTER
    control_ready(1);
    control_ready(2);
    serve();
    struct {
        ControlFail head;
        char why[4];
    } fail = {{.kind = CHX_FAULT_FAIL, .site = 7}, "nope"};
    process_fixture_post(&proxies[1], CONTROL_FAIL, &fail, sizeof fail);
    serve();
    die(1);
    assert_int_equal(image->role, 1);
    assert_int_equal(image->savepoints, 1);
    assert_int_equal(image->goes, 1);
    assert_int_equal(image->answered, 5);
    assert_int_equal(image->generation, 2);
    assert_int_equal(image->epoch, 2);
    assert_int_equal(image->kind, CHX_FAULT_FAIL);
    assert_int_equal(image->line, 106);
    assert_string_equal(image->why, "nope");
    assert_string_equal(image->fault_role, "R1");
    // And its control block says the same.
    assert_int_equal(atomic_load(&proxies[1].control->goes), 1);
    assert_int_equal(atomic_load(&proxies[1].control->answered), 5);
    assert_int_equal(atomic_load(&proxies[1].control->generation), 2);
    assert_int_equal(proxies[1].actor->member.awaited, 0);
    assert_int_equal(finish(), CHX_CANCELLED);
    assert_int_equal(chx_last_report()->restarts, 2);
}

// All bytes of a post, in pieces of all sizes, also over the end of the ring of control messages.
static void a_post_may_come_in_pieces(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 2; i++)
        control_enter(i, PROCESS_FIXTURE_INNER);
    serve();
    for (unsigned piece = 1; piece <= 30; piece++) {
        struct {
            ControlHead head;
            ControlReady ready;
        } whole = {{sizeof whole.ready, CONTROL_READY}, {9}};
        for (unsigned round = 0; round < CONTROLS_BYTES / 16 / 28; round++) {
            for (size_t at = 0; at < sizeof whole; at += piece) {
                process_fixture_bytes(&proxies[0], (char *)&whole + at,
                                      sizeof whole - at < piece ? sizeof whole - at : piece);
                serve();
            }
        }
        assert_false(kill_pending(0));
    }
    // Larger than there is room at once.
    struct large {
        ControlHead head;
        ControlEnter enter;
        unsigned char more;
    } large = {{sizeof(ControlEnter) + 300000, CONTROL_ENTER},
               {.site = PROCESS_FIXTURE_INNER, .tails = PROCESS_FIXTURE_ROLES - 1},
               0};
    static unsigned char bytes[50000];
    process_fixture_bytes(&proxies[0], &large, offsetof(struct large, more));
    for (unsigned i = 0; i < 6; i++) {
        serve();
        process_fixture_bytes(&proxies[0], bytes, sizeof bytes);
        assert_int_equal(proxies[0].actor->member.count, 1);
    }
    serve();
    assert_int_equal(proxies[0].actor->member.count, 2);
    assert_true(proxies[0].message.capacity <= CONTROLS_BYTES); // it is not kept
    // What a process has not said to its end is void for the next one.
    process_fixture_bytes(&proxies[0], &large, offsetof(struct large, more) + 1);
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
    for (int i = 0; i < 3; i++) {
        _Atomic uint32_t *waits[] = {NULL, &proxies[0].control->controls_wait, &proxies[0].control->answer_wait};
        uint32_t before = atomic_load(&proxy_doorbell(&proxies[0])->word);
        if (i > 0)
            atomic_store(waits[i], 1);
        control_ready(0);
        serve();
        assert_int_equal(atomic_load(&proxy_doorbell(&proxies[0])->word) - before, i > 0 ? 1 : 0);
        if (i > 0)
            assert_int_equal(atomic_load(waits[i]), 0);
        assert_int_equal(atomic_load(&proxies[0].control->answered), i + 1);
        assert_int_equal(atomic_load(&proxies[0].control->control_head),
                         atomic_load(&proxies[0].control->control_tail));
    }
    assert_int_equal(finish(), CHX_CANCELLED);
}

typedef struct {
    const char *name;
    uint32_t kind;
    unsigned char data[64];
    size_t size;
} BadMessage;

static void nonsense_is_the_end_of_the_process(void **state)
{
    (void)state;
    static const BadMessage bad[] = {
        {"no kind", 0, {0}, 0},
        {"unknown kind", 8, {0}, 0},
        {"enter, cut off", CONTROL_ENTER, {PROCESS_FIXTURE_OUTER}, 7},
        {"enter, without tails", CONTROL_ENTER, {PROCESS_FIXTURE_OUTER, 0, 0, 0, 3}, sizeof(ControlEnter) + 23},
        {"enter, wrong tails", CONTROL_ENTER, {PROCESS_FIXTURE_OUTER, 0, 0, 0, 2}, 64},
        {"enter, a block of others", CONTROL_ENTER, {PROCESS_FIXTURE_OTHER, 0, 0, 0, 3}, 64},
        {"enter, no block", CONTROL_ENTER, {1, 0, 0, 0, 3}, 64},
        {"arrive, in no block", CONTROL_ARRIVE, {PROCESS_FIXTURE_OUTER}, 4},
        {"arrive, cut off", CONTROL_ARRIVE, {PROCESS_FIXTURE_OUTER}, 3},
        {"ready, too long", CONTROL_READY, {0}, 9},
        {"fail, of what kind", CONTROL_FAIL, {77}, sizeof(ControlFail)},
        {"fail, of a kind that is not its to say", CONTROL_FAIL, {CHX_FAULT_DEADLINE}, sizeof(ControlFail)},
        {"fail, cut off", CONTROL_FAIL, {0}, sizeof(ControlFail) - 1},
        {"end, too short", CONTROL_END, {1}, 7},
        {"end, too long", CONTROL_END, {1}, 9},
        {"wake, no channel", CONTROL_WAKE, {255, 255, 255, 255}, 8},
        {"wake, of others", CONTROL_WAKE, {11}, 8},
        {"wake, neither end", CONTROL_WAKE, {0, 0, 0, 0, 2}, 8},
        {"wake, an isolated one", CONTROL_WAKE, {0}, 8},
        {"wake, cut off", CONTROL_WAKE, {0}, 4},
        {"complain, no channel", CONTROL_COMPLAIN, {255, 255, 255, 255}, 8},
        {"complain, of others", CONTROL_COMPLAIN, {11}, 8},
        {"complain, about what", CONTROL_COMPLAIN, {0, 0, 0, 0, 9}, 8},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(all);
        process_fixture_post(&proxies[0], bad[i].kind, bad[i].data, bad[i].size);
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
    static const uint32_t sizes[] = {CONTROL_MAX_BYTES + 1u, UINT32_MAX};
    for (size_t i = 0; i < 2; i++) {
        begin(all);
        ControlHead head = {sizes[i], CONTROL_ENTER};
        process_fixture_bytes(&proxies[1], &head, sizeof head);
        serve();
        assert_true(kill_pending(1));
        finish();
    }
    begin(all);
    ControlHead head = {4096, CONTROL_WAKE}; // small ones are small: nothing is kept for it
    process_fixture_bytes(&proxies[1], &head, sizeof head);
    serve();
    assert_true(kill_pending(1));
    finish();
    begin(three);
    control_two(0, CONTROL_WAKE, shm_channel(process_fixture_channel(&proxies[0], 1, 3))->number, 0);
    serve();
    assert_true(kill_pending(0));
    finish();
    // More than there is room for, though all of it makes sense.
    begin(all);
    for (unsigned i = 0; i < CONTROLS_BYTES / (sizeof(ControlHead) + sizeof(ControlReady)) + 1; i++)
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
    for (unsigned i = 0; i < 2; i++)
        control_enter(i, PROCESS_FIXTURE_INNER);
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
    uint32_t rung = atomic_load(&proxy_doorbell(&proxies[0])->word);
    for (unsigned i = 0; i < VIOLATIONS_MAX; i++)
        control_report_violation(0, 1, 0, VIOLATION_BROKEN);
    for (unsigned i = 0; i < 100; i++)
        control_report_violation(0, 1, 0, VIOLATION_AHEAD);
    serve();
    assert_true(atomic_load(&proxy_doorbell(&proxies[0])->word) != rung); // it is to look again
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
    isolated_block_lock(isolated);
    proxy_set_kill_pending(&proxies[2], CHX_FAULT_EXIT, "as a test");
    isolated_block_unlock(isolated);
    for (int i = 0; i < 2; i++) {
        all_sleep();
        look();
    }
    assert_false(session_is_stopping(isolated->session));
    finish();
    begin(all);
    for (int i = 0; i < 2; i++) {
        all_sleep();
        look();
    }
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "each role waits"));
    // A deadline will wake them.
    begin(all);
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    for (int i = 0; i < 2; i++) {
        all_sleep();
        look();
    }
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

// ---- failures and restarts ----

// What is due at this time, as the supervisor thread does it.
static void run_timers(uint64_t at_ns)
{
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        proxy_run_timers(&proxies[i], at_ns);
    is_there = isolated->left_count < isolated->proxy_count;
    isolated_block_unlock(isolated);
    process_fixture_hear(&process_fixture);
    timers_are_set();
    all_begin();
}

static void who_fails_says_why_and_where(void **state)
{
    (void)state;
    struct {
        ControlFail head;
        char why[4];
    } fail = {{.kind = CHX_FAULT_PATTERN, .site = 7}, "nope"};
    begin(all);
    process_fixture_post(&proxies[0], CONTROL_FAIL, &fail, sizeof fail);
    serve();
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
    assert_string_equal(why, "nope");
    assert_int_equal(chx_last_report()->kind, CHX_FAULT_PATTERN);
    assert_int_equal(chx_last_report()->line, 106);
}

static uint64_t now_ns(void)
{
    return process_fixture.runtime->platform->now_ns();
}

static void who_dies_again_and_again_is_restarted_later(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(all);
        control_enter(0, PROCESS_FIXTURE_INNER);
        serve();
        uint64_t spawned = process_fixture.spawned, before_ns = now_ns(), delay_ns = RESTART_DELAY_NS;
        proxies[0].deaths = RESTARTS_AT_ONCE; // as if
        if (i == 1) {
            proxies[0].deaths = 1000;
            delay_ns = RESTART_DELAY_MAX_NS;
        }
        die(0);
        assert_int_equal(proxies[0].state, PROXY_WAITS);
        assert_in_range(proxies[0].restart_ns, before_ns + delay_ns, now_ns() + delay_ns);
        assert_int_equal(proxy_next_ns(&proxies[0]), proxies[0].restart_ns);
        uint64_t restart_ns = proxies[0].restart_ns;
        if (i < 2) {
            run_timers(restart_ns - 1);
            assert_int_equal(process_fixture.spawned, spawned);
            run_timers(restart_ns);
            assert_int_equal(process_fixture.spawned, spawned + 1);
            assert_int_equal(proxies[0].state, PROXY_ALIVE);
        } else {
            // Not any more if the session is being stopped.
            chx_session_cancel(session);
            run_timers(restart_ns);
            assert_int_equal(process_fixture.spawned, spawned);
            assert_int_equal(proxies[0].state, PROXY_LEFT);
        }
        assert_int_equal(proxy_next_ns(&proxies[0]), UINT64_MAX);
        assert_int_equal(finish(), CHX_CANCELLED);
    }
}

// The zygote has just died: there will be another.
static void who_finds_no_zygote_asks_again(void **state)
{
    (void)state;
    int ends[2];
    Descriptor *socket = &process_fixture.isolation->zygote.socket, before = *socket;
    begin(all);
    control_enter(0, PROCESS_FIXTURE_INNER);
    serve();
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    close(ends[1]);
    *socket = descriptor_keep(ends[0]);
    die(0);
    descriptor_close(socket);
    *socket = before;
    assert_int_equal(proxies[0].state, PROXY_WAITS);
    assert_int_equal(proxies[0].id, 0);
    uint64_t spawned = process_fixture.spawned;
    run_timers(proxy_next_ns(&proxies[0]));
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    assert_int_equal(process_fixture.spawned, spawned + 1);
    assert_int_equal(finish(), CHX_CANCELLED);
}

// ---- processes that can't be had ----

// Was the supervisor thread told of the session? It is not any more.
static bool is_rung(void)
{
    bool is_any = timer_is_set(&isolated->attention.timer);
    event_loop_cancel(&process_fixture.isolation->loop, &isolated->attention);
    return is_any;
}

static void refuse(unsigned role, int error)
{
    isolated_block_lock(isolated);
    proxy_not_spawned(&proxies[role], error);
    isolated_block_unlock(isolated);
}

// Each of them leaves the session: the supervisor thread is told of the second one, too, though the session has failed by then.
static void each_process_that_could_not_be_started_is_told_of(void **state)
{
    (void)state;
    for (unsigned at_once = 0; at_once < 2; at_once++) {
        begin(all);
        uint64_t now = process_fixture.runtime->platform->now_ns();
        for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES; i++) {
            is_rung();
            refuse(i, EAGAIN);
            assert_true(is_rung());
            if (!at_once)
                run_timers(now);
        }
        if (at_once)
            run_timers(now);
        assert_false(is_there);
        assert_int_equal(finish(), CHX_FAILED);
        assert_non_null(strstr(why, "Resource temporarily unavailable"));
    }
}

// The same in a recovery.
static void a_restart_that_fails_ends_the_session(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_OUTER);
    serve();
    die(0);
    die(1);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    is_rung();
    refuse(0, EAGAIN);
    refuse(1, EAGAIN);
    assert_true(is_rung());
    uint64_t now = process_fixture.runtime->platform->now_ns();
    run_timers(now);
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(proxies[1].state, PROXY_LEFT);
    die(2);
    die(3);
    assert_false(is_there);
    assert_int_equal(finish(), CHX_FAILED);
}

// The zygote is lost before it has done what it was asked for: the next one is asked. If that goes on, it is given up.
static void who_was_not_spawned_when_the_zygote_was_lost_is_asked_for_again(void **state)
{
    (void)state;
    begin(all);
    uint64_t spawned = process_fixture.spawned;
    for (unsigned i = 0; i <= UNSPAWNED_MAX; i++) {
        atomic_store(&proxies[0].control->begun, 0);
        isolated_block_lock(isolated);
        proxy_orphan(&proxies[0]);
        isolated_block_unlock(isolated);
        process_fixture_hear(&process_fixture);
        assert_int_equal(proxies[0].state, i < UNSPAWNED_MAX ? PROXY_ALIVE : PROXY_WAITS);
    }
    assert_int_equal(process_fixture.spawned, spawned + UNSPAWNED_MAX);
    run_timers(process_fixture.runtime->platform->now_ns());
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "ends each time"));
    // One that had begun has died.
    begin(all);
    isolated_block_lock(isolated);
    proxy_orphan(&proxies[0]);
    isolated_block_unlock(isolated);
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "SIGKILL"));
}

// Between the fork and its own code: it is killed, and the session says so.
static void who_does_not_begin_is_killed(void **state)
{
    (void)state;
    begin(all);
    atomic_store(&proxies[1].control->begun, 0);
    uint64_t due_ns = proxy_next_ns(&proxies[1]);
    assert_int_equal(proxy_next_ns(&proxies[0]), UINT64_MAX);
    uint64_t killed = process_fixture.killed;
    run_timers(due_ns - 1);
    assert_false(kill_pending(1));
    atomic_store(&proxies[1].control->begun, 0);
    run_timers(due_ns);
    assert_true(kill_pending(1));
    assert_int_equal(process_fixture.killed, killed + 1);
    die(1);
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "has not begun"));
}

// A process that is killed and does not end: the zygote is asked whether it listens. It does: the process is dead for us.
static void who_can_not_be_killed_is_not_waited_for(void **state)
{
    (void)state;
    begin(all);
    Zygote *zygote = &process_fixture.isolation->zygote;
    isolated_block_lock(isolated);
    proxy_set_kill_pending(&proxies[0], CHX_FAULT_EXIT, "bad");
    isolated_block_unlock(isolated);
    process_fixture_hear(&process_fixture);
    run_timers(proxies[0].end_ns - 1);
    assert_int_equal(atomic_load(&zygote->pinged_ns), 0);
    uint64_t asked_ns = proxies[0].end_ns;
    run_timers(asked_ns);
    assert_int_equal(atomic_load(&zygote->pinged_ns), asked_ns);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    atomic_store(&zygote->heard_ns, asked_ns);
    atomic_store(&zygote->pinged_ns, 0);
    run_timers(proxies[0].end_ns);
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(finish(), CHX_FAILED);
    assert_string_equal(why, "bad");
}

static bool has_ended(pid_t pid)
{
    int status;
    for (int i = 0; i < 5000; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        usleep(1000);
    }
    return false;
}

// It could not be asked: that is no kill, whatever it answers.
static void a_kill_that_was_not_sent_is_sent_again(void **state)
{
    (void)state;
    begin(all);
    Descriptor *socket = &process_fixture.isolation->zygote.socket, before = *socket;
    *socket = NO_DESCRIPTOR;
    isolated_block_lock(isolated);
    proxy_set_kill_pending(&proxies[0], CHX_FAULT_EXIT, "bad");
    isolated_block_unlock(isolated);
    atomic_store(&process_fixture.isolation->zygote.heard_ns, UINT64_MAX - 1);
    run_timers(proxies[0].end_ns);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    *socket = before;
    uint64_t killed = process_fixture.killed;
    run_timers(proxies[0].end_ns);
    assert_int_equal(process_fixture.killed, killed + 1);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
}

// It does not answer: it is killed, which is the end of its children, too.
static void a_zygote_that_does_not_answer_is_killed(void **state)
{
    (void)state;
    Zygote *zygote = &process_fixture.isolation->zygote;
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    begin(all);
    // Another process with its number is left alone.
    zygote->pid = pid;
    zygote->pid_time = 1;
    zygote_terminate(zygote);
    atomic_store(&zygote->is_terminated, false);
    zygote->pid_time = zygote_process_time(pid);
    assert_true(zygote->pid_time > 1);
    isolated_block_lock(isolated);
    proxy_set_kill_pending(&proxies[0], CHX_FAULT_EXIT, "bad");
    isolated_block_unlock(isolated);
    for (unsigned i = 0; i <= UNANSWERED_MAX; i++) {
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        run_timers(proxies[0].end_ns);
    }
    assert_true(has_ended(pid));
    zygote->pid = 0;
    atomic_store(&zygote->pinged_ns, 0);
    atomic_store(&zygote->is_terminated, false);
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
}

// The same while nothing is asked of it: a role may have ended, and nobody else would say so.
static void a_zygote_is_asked_whether_it_listens(void **state)
{
    (void)state;
    Zygote *zygote = &process_fixture.isolation->zygote;
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    begin(all);
    zygote->pid = pid;
    zygote->pid_time = zygote_process_time(pid);
    uint64_t now = 1, asked = process_fixture.killed;
    // It answers each time, though late.
    for (unsigned i = 0; i < 3; i++) {
        assert_true(isolation_ping(process_fixture.isolation, now++));
        assert_int_equal(atomic_load(&zygote->pinged_ns), now - 1);
        for (unsigned silences = 1; silences < SILENCE_LOOKS; silences++)
            assert_true(isolation_ping(process_fixture.isolation, now++));
        process_fixture_hear(&process_fixture);
        assert_int_equal(process_fixture.killed, asked + i + 1);
        atomic_store(&zygote->pinged_ns, 0);
    }
    // It does not any more.
    assert_true(isolation_ping(process_fixture.isolation, now++));
    for (unsigned silences = 0; silences < SILENCE_LOOKS; silences++) {
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        isolation_ping(process_fixture.isolation, now++);
    }
    assert_true(has_ended(pid));
    zygote->pid = 0;
    atomic_store(&zygote->pinged_ns, 0);
    atomic_store(&zygote->is_terminated, false);
    assert_int_equal(finish(), CHX_CANCELLED);
}

// ---- many sessions ----

enum { SESSIONS = 24 };

static void door_write(uint64_t id)
{
    int door = process_fixture.isolation->door[1].number;
    assert_int_equal(write(door, &id, sizeof id), sizeof id);
}

// How many of these sessions' first roles have been answered?
static unsigned answered(chx_session *const *of)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SESSIONS; i++)
        count += process_fixture_isolated(of[i])->proxies[0].answered != 0;
    return count;
}

// All have posted something; looked at is only who has rung, or has asked for it, however many others there are.
static void nobody_is_looked_at_for_others(void **state)
{
    (void)state;
    chx_session *many[SESSIONS];
    IsolatedSession *of[SESSIONS];
    Isolation *isolation = process_fixture.isolation;
    for (unsigned i = 0; i < SESSIONS; i++) {
        many[i] = process_fixture_start(&process_fixture, all);
        of[i] = process_fixture_isolated(many[i]);
        isolated = of[i];
        proxies = isolated->proxies;
        is_there = true;
        all_begin();
        while (event_loop_run(&isolation->loop, now_ns())) // the start
            ;
        control_enter(0, PROCESS_FIXTURE_INNER);
    }
    isolation_answer(isolation);
    assert_int_equal(answered(many), 0);
    door_write(of[7]->proxies[0].id);
    door_write(UINT64_MAX); // nobody's
    door_write(of[7]->proxies[1].id);
    isolation_answer(isolation);
    assert_int_equal(answered(many), 1);
    assert_int_equal(of[7]->proxies[0].answered, 1);
    // A time comes: that of one role only.
    uint64_t at_ns = now_ns();
    for (unsigned i = 0; i < SESSIONS; i++)
        of[i]->proxies[2].kill_ns = at_ns;
    isolated_block_lock(of[3]);
    proxy_schedule(&of[3]->proxies[2]);
    isolated_block_unlock(of[3]);
    assert_int_equal(event_loop_next_ns(&isolation->loop), at_ns);
    assert_true(event_loop_run(&isolation->loop, at_ns));
    assert_false(event_loop_run(&isolation->loop, at_ns));
    for (unsigned i = 0; i < SESSIONS; i++)
        assert_int_equal(of[i]->proxies[2].kill_ns, i == 3 ? 0 : at_ns);
    // A session is stopped: its roles are killed.
    chx_session_cancel(many[5]);
    assert_true(event_loop_run(&isolation->loop, now_ns()));
    assert_false(event_loop_run(&isolation->loop, now_ns()));
    for (unsigned i = 0; i < SESSIONS; i++)
        assert_int_equal(of[i]->proxies[0].kill_pending, i == 5);
    assert_int_equal(of[5]->proxies[2].kill_ns, 0); // or the supervisor thread would never sleep
    assert_int_equal(answered(many), 1);
    // More have rung than there is room for: who could not is found, too.
    uint64_t nobody = 0;
    while (write(isolation->door[1].number, &nobody, sizeof nobody) > 0)
        ;
    isolation_answer(isolation);
    assert_int_equal(answered(many), SESSIONS - 1);
    for (unsigned i = 0; i < SESSIONS; i++)
        assert_int_equal(process_fixture_end(&process_fixture, many[i], true, NULL), CHX_CANCELLED);
}

// Numbers are found however many there are, and after others are gone.
static void processes_are_found_by_number(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    ProxyTable table = {.runtime = process_fixture.runtime};
    RoleProxy *many = calloc(MANY, sizeof *many);
    assert_null(proxy_table_find(&table, 1));
    for (unsigned i = 0; i < MANY; i++) {
        many[i].id = i + 1;
        proxy_table_add(&table, &many[i]);
    }
    assert_true(table.bucket_count >= MANY);
    for (unsigned i = 0; i < MANY; i += 2)
        proxy_table_remove(&table, &many[i]);
    for (unsigned i = 0; i < MANY; i++)
        assert_ptr_equal(proxy_table_find(&table, i + 1), i % 2 != 0 ? &many[i] : NULL);
    assert_null(proxy_table_find(&table, 0));
    assert_null(proxy_table_find(&table, UINT64_MAX));
    proxy_table_fini(&table);
    free(many);
}

// ---- deadlines ----

// The time of OUTER is up, which three roles are in: all are rolled back. `due_ns` is when they are killed for that.
static void time_is_up(uint64_t *due_ns)
{
    Session *of = isolated->session;
    chx_fault fault = {"R0", CHX_FAULT_DEADLINE, 0, "late", "fixture.c", 1};
    isolated_block_lock(isolated);
    assert_int_equal(recovery_decide(&of->recovery, savepoint_top(proxies[0].actor)->position.block, &fault),
                     RECOVERY_DECIDED);
    is_rung();
    isolation_overdue(of, savepoint_top(proxies[0].actor)->position.checkpoint);
    isolated_block_unlock(isolated);
    timers_are_set();
    *due_ns = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(proxies[i].kill_ns != 0);
        assert_int_equal(proxy_next_ns(&proxies[i]), proxies[i].kill_ns);
        *due_ns = proxies[i].kill_ns > *due_ns ? proxies[i].kill_ns : *due_ns;
    }
    assert_int_equal(proxy_next_ns(&proxies[3]), UINT64_MAX);
}

static void begin_outer(void)
{
    begin(all);
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_OUTER);
    serve();
}

// As the process does it: from then on it acts in the new attempt.
static void recover(unsigned role)
{
    ControlBlock *control = proxies[role].control;
    atomic_store(&control->command_state, (uint64_t)control->command.number * 2 + 1);
}

static void who_does_not_come_back_in_time_is_killed(void **state)
{
    (void)state;
    uint64_t due_ns, killed;
    begin_outer();
    killed = process_fixture.killed;
    time_is_up(&due_ns);
    recover(0);
    control_ready(0); // it has come back
    recover(1);       // and has not yet said so
    serve();
    assert_int_equal(proxies[0].kill_ns, 0);
    run_timers(proxies[2].kill_ns - 1);
    assert_false(kill_pending(2));
    run_timers(due_ns);
    assert_false(kill_pending(0) || kill_pending(1) || kill_pending(3));
    assert_true(kill_pending(2));
    assert_int_equal(process_fixture.killed, killed + 1);
    // It must not go on meanwhile.
    assert_int_equal(atomic_load(&proxies[2].control->command_state), COMMAND_REVOKED);
    assert_int_equal(atomic_load(&proxies[1].control->command_state), (uint64_t)proxies[1].command_number * 2 + 1);
    // The one that is about to say so has some more time, and then, having said so, all of it.
    assert_true(proxies[1].kill_ns > due_ns);
    run_timers(proxies[1].kill_ns - 1);
    assert_false(kill_pending(1));
    control_ready(1);
    serve();
    assert_int_equal(proxy_next_ns(&proxies[1]), UINT64_MAX);
    run_timers(UINT64_MAX);
    assert_false(kill_pending(0) || kill_pending(1));
    // A new process goes on for the one that was killed, in the attempt that it was rolled back to.
    uint64_t spawned = process_fixture.spawned;
    die(2);
    assert_int_equal(process_fixture.spawned, spawned + 1);
    assert_int_equal(savepoint_top(proxies[2].actor)->position.attempt, 1);
    assert_int_equal(proxy_next_ns(&proxies[2]), UINT64_MAX);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void who_comes_back_and_never_says_so_is_killed(void **state)
{
    (void)state;
    uint64_t due_ns;
    begin_outer();
    time_is_up(&due_ns);
    recover(0);
    run_timers(due_ns);
    assert_false(kill_pending(0));
    // Each time that the block's time is up counts anew.
    time_is_up(&due_ns);
    recover(0);
    run_timers(due_ns);
    assert_false(kill_pending(0));
    run_timers(proxies[0].kill_ns);
    assert_true(kill_pending(0));
    assert_int_equal(proxies[0].fault.kind, CHX_FAULT_DEADLINE);
    // Once is enough.
    uint64_t killed = process_fixture.killed;
    isolated_block_lock(isolated);
    proxy_set_kill_pending(&proxies[0], CHX_FAULT_EXIT, "something else");
    isolated_block_unlock(isolated);
    process_fixture_hear(&process_fixture);
    assert_int_equal(proxies[0].fault.kind, CHX_FAULT_DEADLINE);
    assert_int_equal(process_fixture.killed, killed);
    assert_int_equal(finish(), CHX_CANCELLED);
    // One that dies before has no more time to keep: the next process is not late.
    begin_outer();
    time_is_up(&due_ns);
    die(1);
    assert_int_equal(proxies[1].state, PROXY_ALIVE);
    assert_int_equal(proxy_next_ns(&proxies[1]), UINT64_MAX);
    assert_int_equal(finish(), CHX_CANCELLED);
}

// Too late to say that it has come back: it is killed, but may have acted in the new attempt, and what it has sent there
// may have been received. So that attempt is over, too.
static void who_has_come_back_when_it_is_killed_has_failed_there(void **state)
{
    (void)state;
    uint64_t due_ns;
    begin_outer();
    time_is_up(&due_ns);
    recover(0);
    run_timers(due_ns);
    run_timers(proxies[0].kill_ns);
    assert_true(kill_pending(0));
    control_ready(0);
    control_arrive(0, PROCESS_FIXTURE_OUTER); // counts no more
    serve();
    assert_false(savepoint_top(proxies[0].actor)->position.arrived);
    die(0);
    assert_int_equal(savepoint_top(proxies[0].actor)->position.attempt, 2);
    assert_int_equal(proxies[1].control->command.attempt, 2);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static const chx_fault *fault_of(unsigned role)
{
    return &savepoint_top(proxies[role].actor)->position.block->fault->fault;
}

// The first one that is armed.
static void deadlines_pass(void)
{
    event_loop_run(&process_fixture.runtime->loop, event_loop_next_ns(&process_fixture.runtime->loop));
    process_fixture_hear(&process_fixture);
}

static void who_is_late_is_named_and_rolled_back(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 2; i++)
        control_enter(i, PROCESS_FIXTURE_TIMED);
    control_arrive(0, PROCESS_FIXTURE_TIMED);
    serve();
    event_loop_run(&process_fixture.runtime->loop, event_loop_next_ns(&process_fixture.runtime->loop) - 1);
    assert_int_equal(proxies[0].actor->member.awaited, 0);
    deadlines_pass();
    assert_string_equal(fault_of(0)->role, "R1");
    assert_int_equal(fault_of(0)->kind, CHX_FAULT_DEADLINE);
    assert_string_equal(fault_of(0)->why, "not at the end of the block within 3600000 ms");
    assert_true(proxies[0].kill_ns != 0 && proxies[1].kill_ns != 0);
    // Who has not reached the block can't come back to it, but knows that something has happened.
    assert_int_equal(proxies[2].kill_ns, 0);
    assert_int_equal(atomic_load(&proxies[2].control->late), 1);
    // Each attempt has its time; the rescue takes as long as it likes.
    assert_true(event_loop_next_ns(&process_fixture.runtime->loop) != UINT64_MAX);
    deadlines_pass();
    assert_int_equal(savepoint_top(proxies[0].actor)->position.attempt, 2);
    assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), UINT64_MAX);
    // When it gets there it goes where the others are.
    assert_int_equal(atomic_load(&proxies[2].control->late), 2);
    control_enter(2, PROCESS_FIXTURE_TIMED);
    serve();
    assert_int_equal(proxies[2].control->command.attempt, 2);
    assert_true(proxies[2].actor->member.awaited != 0);
    // It may be in a function that does not return: then it is too late as well.
    assert_true(proxies[2].kill_ns != 0);
    assert_int_equal(atomic_load(&proxies[2].control->late), 1);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void a_deadline_without_a_rescue_is_the_enclosing_blocks_failure_or_the_sessions(void **state)
{
    (void)state;
    for (int depth = 0; depth < 2; depth++) {
        begin(all);
        for (unsigned i = 0; i < 3; i++) {
            if (depth == 1)
                control_enter(i, PROCESS_FIXTURE_OUTER);
            control_enter(i, PROCESS_FIXTURE_STRICT);
        }
        serve();
        assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), UINT64_MAX - 1);
        deadlines_pass();
        if (depth == 1) {
            assert_int_equal(proxies[2].actor->member.count, 1);
            assert_string_equal(fault_of(2)->role, "R0");
        }
        assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), UINT64_MAX);
        assert_int_equal(finish(), depth == 1 ? CHX_CANCELLED : CHX_FAILED);
        assert_int_equal(chx_last_report()->kind, depth == 1 ? CHX_FAULT_SYSTEM : CHX_FAULT_DEADLINE);
    }
}

static void each_attempt_has_a_deadline_until_the_block_ends(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 3; i++)
        control_enter(i, PROCESS_FIXTURE_TIMED);
    serve();
    uint64_t first_ns = event_loop_next_ns(&process_fixture.runtime->loop);
    die(0);
    assert_true(event_loop_next_ns(&process_fixture.runtime->loop) > first_ns);
    for (unsigned i = 0; i < 3; i++) {
        if (i != 0)
            control_ready(i);
        control_arrive(i, PROCESS_FIXTURE_TIMED);
    }
    serve();
    assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), UINT64_MAX);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void the_earliest_deadline_comes_first(void **state)
{
    (void)state;
    begin_outer();
    control_enter(0, PROCESS_FIXTURE_STRICT);
    serve();
    assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), UINT64_MAX - 1);
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    assert_true(event_loop_next_ns(&process_fixture.runtime->loop) < UINT64_MAX - 1);
    assert_int_equal(finish(), CHX_CANCELLED);
    begin_outer();
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    uint64_t first_ns = event_loop_next_ns(&process_fixture.runtime->loop);
    control_enter(0, PROCESS_FIXTURE_STRICT);
    serve();
    assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), first_ns);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void a_block_that_is_no_more_has_no_deadline(void **state)
{
    (void)state;
    begin_outer();
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    assert_true(event_loop_next_ns(&process_fixture.runtime->loop) != UINT64_MAX);
    die(2);
    assert_int_equal(event_loop_next_ns(&process_fixture.runtime->loop), UINT64_MAX);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void *run_deadline(void *at_ns)
{
    event_loop_run(&process_fixture.runtime->loop, *(const uint64_t *)at_ns);
    return NULL;
}

// The last one arrives when the time is up, and somebody is about to say so.
static void a_deadline_that_comes_too_late_is_void(void **state)
{
    (void)state;
    begin(all);
    for (unsigned i = 0; i < 3; i++) {
        control_enter(i, PROCESS_FIXTURE_OUTER);
        control_enter(i, PROCESS_FIXTURE_TIMED);
        control_arrive(i, PROCESS_FIXTURE_TIMED);
    }
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < 2; i++)
        proxy_take_controls(&proxies[i]);
    uint64_t due_ns = event_loop_next_ns(&process_fixture.runtime->loop);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_deadline, &due_ns), 0);
    while (event_loop_next_ns(&process_fixture.runtime->loop) != UINT64_MAX)
        sched_yield();
    proxy_take_controls(&proxies[2]);
    isolated_block_unlock(isolated);
    pthread_join(thread, NULL);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(proxies[i].goes, 1);
        assert_int_equal(savepoint_top(proxies[i].actor)->position.attempt, 0);
        assert_int_equal(proxies[i].actor->member.awaited, 0);
    }
    assert_int_equal(finish(), CHX_CANCELLED);
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
    assert_int_equal(atomic_load(&control->controls_wait) | atomic_load(&control->answer_wait), 0);
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
                assert_int_equal(is_given(proxy, proxies[k].own.file), j == k);
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
        cmocka_unit_test(an_answer_to_an_older_order_is_none),
        cmocka_unit_test(a_new_process_is_told_where_it_is),
        cmocka_unit_test(a_post_may_come_in_pieces),
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
        cmocka_unit_test(who_fails_says_why_and_where),
        cmocka_unit_test(who_dies_again_and_again_is_restarted_later),
        cmocka_unit_test(who_finds_no_zygote_asks_again),
        cmocka_unit_test(each_process_that_could_not_be_started_is_told_of),
        cmocka_unit_test(a_restart_that_fails_ends_the_session),
        cmocka_unit_test(who_was_not_spawned_when_the_zygote_was_lost_is_asked_for_again),
        cmocka_unit_test(who_does_not_begin_is_killed),
        cmocka_unit_test(who_can_not_be_killed_is_not_waited_for),
        cmocka_unit_test(a_kill_that_was_not_sent_is_sent_again),
        cmocka_unit_test(a_zygote_that_does_not_answer_is_killed),
        cmocka_unit_test(a_zygote_is_asked_whether_it_listens),
        cmocka_unit_test(who_does_not_come_back_in_time_is_killed),
        cmocka_unit_test(who_comes_back_and_never_says_so_is_killed),
        cmocka_unit_test(who_has_come_back_when_it_is_killed_has_failed_there),
        cmocka_unit_test(who_is_late_is_named_and_rolled_back),
        cmocka_unit_test(a_deadline_without_a_rescue_is_the_enclosing_blocks_failure_or_the_sessions),
        cmocka_unit_test(each_attempt_has_a_deadline_until_the_block_ends),
        cmocka_unit_test(the_earliest_deadline_comes_first),
        cmocka_unit_test(a_block_that_is_no_more_has_no_deadline),
        cmocka_unit_test(nobody_is_looked_at_for_others),
        cmocka_unit_test(processes_are_found_by_number),
        cmocka_unit_test(a_deadline_that_comes_too_late_is_void),
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
