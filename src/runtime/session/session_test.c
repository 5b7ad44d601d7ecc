// session_test.c: sessions that go well: order, bounds, recursion, many at once, roles that block.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/actor/elsewhere.h"
#include "runtime/session/fixture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
enum { SLOWER = 10 };
#else
enum { SLOWER = 1 };
#endif

static void sleep_ms(int ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        ;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// ---- ping-pong ----

static chx_step ping(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    if (f->frame.at == 1)
        goto at_1;
    while (f->i < f->n) {
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_send(self, 0, 1, &f->i, sizeof f->i);
        f->frame.at = 1;
    at_1:
        if (!chx_receive(self, 0, 2, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        f->frame.at = 0;
        if (f->got != f->i + 1)
            chx_fail("got %lld", (long long)f->got);
        f->i++;
    }
    f->chx_result = f->i;
    return chx_return(self, self->top->function);
}

static chx_step pong(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    if (f->frame.at == 1)
        goto at_1;
    while (f->i < f->n) {
        if (!chx_receive(self, 0, 1, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        f->got++;
        f->frame.at = 1;
    at_1:
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_send(self, 0, 2, &f->got, sizeof f->got);
        f->frame.at = 0;
        f->i++;
    }
    f->chx_result = -f->i;
    return chx_return(self, self->top->function);
}

static void make_ping_pong(Fixture *fixture)
{
    fixture_init(fixture, 2);
    fixture_role(fixture, 0, ping);
    fixture_role(fixture, 1, pong);
    fixture_channel(fixture, 0, 1);
    fixture_channel(fixture, 1, 0);
}

static void ping_pong_gives_both_results(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t results[2];
    make_ping_pong(&fixture);
    assert_int_equal(fixture_run(&fixture, 100000 / SLOWER, results), CHX_OK);
    assert_int_equal(results[0], 100000 / SLOWER);
    assert_int_equal(results[1], -100000 / SLOWER);
    assert_int_equal(chx_last_report()->kind, CHX_FAULT_NONE);
    assert_int_equal(fixture_run(&fixture, 1, NULL), CHX_OK);
}

static void ping_pong_on_workers(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t results[2];
    make_ping_pong(&fixture);
    chx_session *session = fixture_start(&fixture, NULL, 10000);
    assert_non_null(session);
    assert_int_equal(chx_finish(session, results), CHX_OK);
    assert_int_equal(results[0], 10000);
}

// ---- streams beyond the bound ----

static chx_step stream_out(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < f->n; f->i++) {
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_send(self, 0, 1, &f->i, sizeof f->i);
    }
    f->chx_result = f->i;
    return chx_return(self, self->top->function);
}

static chx_step stream_in(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < f->n; f->i++) {
        if (!chx_receive(self, 0, 1, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        if (f->got != f->i)
            chx_fail("%lld came where %lld belongs", (long long)f->got, (long long)f->i);
        f->chx_result += f->got;
    }
    return chx_return(self, self->top->function);
}

static void a_stream_keeps_its_order_at_any_bound(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    fixture_role(&fixture, 0, stream_out);
    fixture_role(&fixture, 1, stream_in);
    fixture_channel(&fixture, 0, 1);
    static const struct {
        uint32_t messages;
        size_t bytes;
    } bounds[] = {{0, 0}, {1, 0}, {2, 0}, {7, 0}, {0, 1}, {0, 1000}};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        int64_t n = 200000 / SLOWER, results[2];
        chx_runtime *runtime = chx_runtime_new(
            &(chx_runtime_options){.channel_messages = bounds[i].messages, .channel_bytes = bounds[i].bytes});
        chx_session *session = fixture_start(&fixture, runtime, n);
        assert_int_equal(chx_finish(session, results), CHX_OK);
        assert_int_equal(results[1], n * (n - 1) / 2);
        chx_runtime_free(runtime);
    }
}

// R0 sends all its messages before it reads any; R1 the other way round: no deadlock, since the bound lets R0 go on as
// soon as R1 has read.
static chx_step all_out_then_in(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < f->n; f->i++) {
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_send(self, 0, 1, &f->i, sizeof f->i);
    }
    for (; f->i < 2 * f->n; f->i++) {
        if (!chx_receive(self, 0, 2, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        f->chx_result += f->got;
    }
    return chx_return(self, self->top->function);
}

static chx_step all_in_then_out(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < f->n; f->i++) {
        if (!chx_receive(self, 0, 1, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        f->chx_result += f->got;
    }
    for (; f->i < 2 * f->n; f->i++) {
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_send(self, 0, 2, &f->i, sizeof f->i);
    }
    return chx_return(self, self->top->function);
}

static void back_pressure_works_both_ways(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    fixture_role(&fixture, 0, all_out_then_in);
    fixture_role(&fixture, 1, all_in_then_out);
    fixture_channel(&fixture, 0, 1);
    fixture_channel(&fixture, 1, 0);
    int64_t n = 50000 / SLOWER, results[2];
    for (int round = 0; round < 5; round++) {
        assert_int_equal(fixture_run(&fixture, n, results), CHX_OK);
        assert_int_equal(results[1], n * (n - 1) / 2);
        assert_int_equal(results[0], n * (3 * n - 1) / 2);
    }
}

// ---- fan-out to 99 and back ----

static chx_step hub(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < 99; f->i++) {
        if (!chx_room(self, (unsigned)f->i))
            return CHX_STEP_WAIT;
        chx_send(self, (unsigned)f->i, 1, &f->i, sizeof f->i);
    }
    for (; f->i < 198; f->i++) {
        if (!chx_receive(self, (unsigned)f->i - 99, 2, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        f->chx_result += f->got;
    }
    if (--f->n > 0) {
        int64_t n = f->n, sum = f->chx_result;
        FixtureFrame *next = chx_tail_call(self, f->frame.function);
        next->n = n;
        next->chx_result = sum;
        return CHX_STEP_CALL;
    }
    return chx_return(self, self->top->function);
}

static chx_step spoke(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    if (f->frame.at == 1)
        goto at_1;
    for (; f->i < f->n; f->i++) {
        if (!chx_receive(self, 0, 1, &f->got, sizeof f->got))
            return CHX_STEP_WAIT;
        f->frame.at = 1;
    at_1:
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_send(self, 0, 2, &f->got, sizeof f->got);
        f->frame.at = 0;
    }
    return chx_return(self, self->top->function);
}

static void a_hub_talks_to_99_others(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t results[100];
    fixture_init(&fixture, 100);
    fixture_role(&fixture, 0, hub);
    for (unsigned i = 1; i < 100; i++) {
        fixture_role(&fixture, i, spoke);
        fixture_channel(&fixture, 0, i);
        fixture_channel(&fixture, i, 0);
    }
    assert_int_equal(fixture_run(&fixture, 1000 / SLOWER, results), CHX_OK);
    assert_int_equal(results[0], 1000 / SLOWER * (98 * 99 / 2));
    chx_session *session = fixture_start(&fixture, NULL, 100);
    assert_int_equal(chx_finish(session, results), CHX_OK);
    assert_int_equal(results[0], 100 * (98 * 99 / 2));
}

// ---- calls ----

static chx_step sum_down(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    if (f->frame.at == 1) {
        f->chx_result = f->n + *(int64_t *)chx_result(self);
        return chx_return(self, self->top->function);
    }
    chx_set_cstring(&f->text, "every frame owns something");
    if (f->n == 0)
        return chx_return(self, self->top->function);
    FixtureFrame *callee = chx_call(self, f->frame.function);
    callee->n = f->n - 1;
    f->frame.at = 1;
    return CHX_STEP_CALL;
}

static chx_step count_down(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    if (f->n == 0) {
        f->chx_result = f->i;
        return chx_return(self, self->top->function);
    }
    int64_t n = f->n - 1, i = f->i + 1;
    FixtureFrame *next = chx_tail_call(self, f->frame.function);
    next->n = n;
    next->i = i;
    chx_set_cstring(&next->text, "dropped with its frame");
    return CHX_STEP_CALL;
}

static void recursion_goes_100000_deep(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t result;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, sum_down);
    assert_int_equal(fixture_run(&fixture, 100000, &result), CHX_OK);
    assert_int_equal(result, (int64_t)100000 * 100001 / 2);
}

static void tail_calls_take_no_stack(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t result;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, count_down);
    assert_int_equal(fixture_run(&fixture, 1000000, &result), CHX_OK);
    assert_int_equal(result, 1000000);
}

// ---- strings ----

static chx_step string_out(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < f->n; f->i++) {
        if (!chx_room(self, 0))
            return CHX_STEP_WAIT;
        chx_step_begin(self, 1);
        chx_str made = chx_strf("number %lld", (long long)f->i);
        chx_set_str(&f->string, made);
        chx_str sent = chx_str_keep(f->string);
        chx_send(self, 0, 1, &sent, sizeof sent);
        chx_step_end(self);
    }
    return chx_return(self, self->top->function);
}

static chx_step string_in(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    for (; f->i < f->n / 2; f->i++) { // the rest is never read
        if (!chx_receive_into(self, 0, 1, &chx_type_str, &f->string))
            return CHX_STEP_WAIT;
        chx_step_begin(self, 2);
        if (!chx_str_equal(f->string, chx_strf("number %lld", (long long)f->i)))
            chx_fail("wrong string %s", chx_cstr(f->string));
        chx_step_end(self);
        f->chx_result += (int64_t)chx_str_len(f->string);
    }
    return chx_return(self, self->top->function);
}

static void strings_are_released_wherever_they_end(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t results[2];
    fixture_init(&fixture, 2);
    fixture.sites[0].type = &chx_type_str;
    fixture_role(&fixture, 0, string_out);
    fixture_role(&fixture, 1, string_in);
    fixture_channel(&fixture, 0, 1);
    assert_int_equal(fixture_run(&fixture, 1000, results), CHX_OK);
    assert_true(results[1] > 0);
}

// ---- many sessions ----

static void thousand_sessions_run_at_once(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static Fixture fixture;
    static chx_session *sessions[COUNT];
    make_ping_pong(&fixture);
    for (int i = 0; i < COUNT; i++) {
        sessions[i] = fixture_start(&fixture, NULL, 100 + i % 7);
        assert_non_null(sessions[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        int64_t results[2];
        assert_int_equal(chx_finish(sessions[i], results), CHX_OK);
        assert_int_equal(results[0], 100 + i % 7);
    }
}

static void *run_many(void *argument)
{
    Fixture *fixture = argument;
    for (int i = 0; i < 2000 / SLOWER; i++) {
        int64_t results[2];
        if (fixture_run(fixture, 10, results) != CHX_OK || results[0] != 10)
            return "failed";
    }
    return NULL;
}

static void several_threads_run_sessions(void **state)
{
    (void)state;
    static Fixture fixture;
    pthread_t threads[8];
    make_ping_pong(&fixture);
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, run_many, &fixture);
    for (int i = 0; i < 8; i++) {
        void *error;
        pthread_join(threads[i], &error);
        assert_null(error);
    }
}

// ---- roles that block ----

static chx_step sleeper(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    sleep_ms((int)f->n);
    f->chx_result = 1;
    return chx_return(self, self->top->function);
}

static void blocking_roles_run_side_by_side(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    static Fixture fixture;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, sleeper);
    chx_session *sessions[COUNT];
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 2});
    int64_t start = now_ms();
    for (int i = 0; i < COUNT; i++)
        sessions[i] = fixture_start(&fixture, runtime, 300);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(chx_finish(sessions[i], NULL), CHX_OK);
    // One after another on two workers it would be six seconds.
    assert_true(now_ms() - start < 3000);
    chx_runtime_free(runtime);
}

static void a_blocking_role_of_the_callers_thread_does_not_stop_the_others(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 4);
    for (unsigned i = 0; i < 4; i++)
        fixture_role(&fixture, i, sleeper);
    int64_t start = now_ms();
    assert_int_equal(fixture_run(&fixture, 200, NULL), CHX_OK);
    assert_true(now_ms() - start < 600);
}

// ---- sessions inside of sessions ----

static Fixture inner_fixture;

static chx_step outer(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    int64_t results[2];
    for (; f->i < f->n; f->i++) {
        if (fixture_run(&inner_fixture, 5, results) != CHX_OK)
            chx_fail("inner session failed");
        f->chx_result += results[0];
    }
    if (strcmp(chx_role_name(), "R0") != 0)
        chx_fail("role name lost");
    return chx_return(self, self->top->function);
}

static void a_role_may_run_other_sessions(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t result;
    make_ping_pong(&inner_fixture);
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, outer);
    assert_int_equal(fixture_run(&fixture, 100, &result), CHX_OK);
    assert_int_equal(result, 500);
    chx_session *session = fixture_start(&fixture, NULL, 100);
    assert_int_equal(chx_finish(session, &result), CHX_OK);
    assert_int_equal(result, 500);
}

// ---- the library's functions inside a role ----

static chx_effect seen_effects[4];

static chx_step curious(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    chx_step_begin_again(self, 3, 1);
    seen_effects[0] = chx_effect_id();
    seen_effects[1] = chx_effect_id();
    chx_step_begin_again(self, 3, 1);
    seen_effects[2] = chx_effect_id();
    int *context = chx_context();
    unsigned char *memory = chx_alloc(1000);
    for (int i = 0; i < 1000; i++)
        if (memory[i] != 0)
            chx_fail("not zeroed");
    f->chx_result = *context;
    return chx_return(self, self->top->function);
}

static const char *peer_of(Actor *actor, unsigned role)
{
    return actor->index == 0 && role == 1 ? "bank" : "somebody";
}

static uint64_t fence_of(Actor *actor)
{
    return actor->index + 7;
}

// As if it ran on another host than its session's recovery machine, which has no blocks to decide about here.
static chx_step distant(chx_self *self, void *variables)
{
    static const AwayOps none = {.is_process = false}, asked = {.peer = peer_of, .fence = fence_of};
    FixtureFrame *f = variables;
    Actor *actor = (Actor *)self;
    Away away = {.ops = &none};
    actor->away = &away;
    bool is_right = chx_peer("R1") == NULL && chx_fence() == 0;
    away.ops = &asked;
    const char *other = chx_peer("R1");
    is_right = is_right && other != NULL && strcmp(other, "bank") == 0 && chx_fence() == 7;
    is_right = is_right && chx_peer("R0") == NULL && chx_peer("R2") == NULL && chx_peer(NULL) == NULL;
    actor->away = NULL;
    f->chx_result = is_right && chx_peer("R1") == NULL && chx_fence() == 0;
    return chx_return(self, self->top->function);
}

static chx_step silent(chx_self *self, void *variables)
{
    (void)variables;
    return chx_return(self, self->top->function);
}

static void a_role_on_several_hosts_knows_its_peers(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t results[2];
    fixture_init(&fixture, 2);
    fixture_role(&fixture, 0, distant);
    fixture_role(&fixture, 1, silent);
    assert_int_equal(fixture_run(&fixture, 0, results), CHX_OK);
    assert_int_equal(results[0], 1);
    assert_null(chx_peer("R1"));
    assert_true(chx_fence() == 0);
}

static void a_role_knows_its_context(void **state)
{
    (void)state;
    static Fixture fixture;
    int64_t result;
    int number = 12;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, curious);
    fixture.sites[2].counter = fixture.roles[0].counter_count = 1;
    fixture.cast[0].context = &number;
    assert_int_equal(fixture_run(&fixture, 0, &result), CHX_OK);
    assert_int_equal(result, 12);
    assert_memory_equal(&seen_effects[0], &seen_effects[1], sizeof(chx_effect));
    assert_memory_not_equal(&seen_effects[0], &seen_effects[2], sizeof(chx_effect));
    seen_effects[3] = seen_effects[0];
    assert_int_equal(fixture_run(&fixture, 0, &result), CHX_OK);
    assert_memory_not_equal(&seen_effects[0], &seen_effects[3], sizeof(chx_effect));
    assert_null(chx_context());
    assert_string_equal(chx_role_name(), "");
}

static void the_descriptor_is_readable_when_the_session_has_ended(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, sleeper);
    chx_session *session = fixture_start(&fixture, NULL, 50);
    struct pollfd ready = {.fd = chx_session_fd(session), .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 0), 0);
    assert_int_equal(poll(&ready, 1, 5000), 1);
    assert_int_equal(chx_session_fd(session), ready.fd);
    assert_int_equal(chx_finish(session, NULL), CHX_OK);
}

static _Atomic long allocated;

static void *counting_allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size == 0) {
        if (old != NULL)
            allocated--;
        free(old);
        return NULL;
    }
    allocated++;
    return realloc(old, size);
}

static void the_callers_allocator_gets_everything_back(void **state)
{
    (void)state;
    static Fixture fixture;
    make_ping_pong(&fixture);
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.allocate = counting_allocate});
    chx_session *session = fixture_start(&fixture, runtime, 1000);
    assert_int_equal(chx_finish(session, NULL), CHX_OK);
    assert_true(allocated > 0);
    chx_runtime_free(runtime);
    assert_int_equal(allocated, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_pong_gives_both_results),
        cmocka_unit_test(ping_pong_on_workers),
        cmocka_unit_test(a_stream_keeps_its_order_at_any_bound),
        cmocka_unit_test(back_pressure_works_both_ways),
        cmocka_unit_test(a_hub_talks_to_99_others),
        cmocka_unit_test(recursion_goes_100000_deep),
        cmocka_unit_test(tail_calls_take_no_stack),
        cmocka_unit_test(strings_are_released_wherever_they_end),
        cmocka_unit_test(thousand_sessions_run_at_once),
        cmocka_unit_test(several_threads_run_sessions),
        cmocka_unit_test(blocking_roles_run_side_by_side),
        cmocka_unit_test(a_blocking_role_of_the_callers_thread_does_not_stop_the_others),
        cmocka_unit_test(a_role_may_run_other_sessions),
        cmocka_unit_test(a_role_knows_its_context),
        cmocka_unit_test(a_role_on_several_hosts_knows_its_peers),
        cmocka_unit_test(the_descriptor_is_readable_when_the_session_has_ended),
        cmocka_unit_test(the_callers_allocator_gets_everything_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
