// blocks_test.c: checkpoint blocks of many sessions on few workers, which take them from one another all the time. With
// ThreadSanitizer this shows whether who works without a lock is really alone.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/actor/actor.h"
#include "runtime/recovery/machine.h"
#include "runtime/session/fixture.h"
#include "runtime/session/session.h"

#include <stdlib.h>
#include <time.h>

enum {
    ROLES = 3,
    SESSIONS = 24,
    ROUNDS = 400,
    COMPUTES_EVERY = 7,
    FAILS_EVERY = 50,
    OVERDUE_ROUNDS = 5,
};

static const unsigned everybody[] = {0, 1, 2};
#define BLOCK(role, within)                                                                                            \
    {                                                                                                                  \
        .site = 9, .name = 9, .body_at = 2, .rescue_at = 3, .within_ns = within, .participants = everybody,            \
        .participant_count = ROLES, .position = role                                                                   \
    }
static const chx_checkpoint blocks[] = {BLOCK(0, 0), BLOCK(1, 0), BLOCK(2, 0)};
static const chx_checkpoint short_blocks[] = {BLOCK(0, 1000000), BLOCK(1, 1000000), BLOCK(2, 1000000)};
// Of an hour: a test decides when it has passed.
static const chx_checkpoint long_blocks[] = {BLOCK(0, 3600000000000), BLOCK(1, 3600000000000), BLOCK(2, 3600000000000)};

static unsigned role_of(chx_self *self)
{
    return ((Actor *)self)->index;
}

// Long enough for others to take over what waits behind it.
static void compute(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000 + (now.tv_nsec - from.tv_nsec) < 15000);
}

// What a role does in round i. Each computes and fails in other rounds.
static void step(chx_self *self, int64_t i)
{
    unsigned role = role_of(self);
    chx_step_begin(self, 5);
    if ((i + role) % COMPUTES_EVERY == 0)
        compute();
    if ((i + role * role) % FAILS_EVERY == 1)
        chx_fail("round %d", (int)i);
    chx_step_end(self);
}

static bool some_role_fails(int64_t i)
{
    return i % FAILS_EVERY == 1 || (i + 1) % FAILS_EVERY == 1 || (i + 4) % FAILS_EVERY == 1;
}

// A number goes around, in a block for each round; the result is how often the role was in the rescue.
static chx_step around(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    const chx_checkpoint *block = &blocks[role_of(self)];
    switch (f->frame.at) {
    case 1:
        goto at_1;
    case 2:
        goto at_2;
    case 3:
        goto at_3;
    case 4:
        goto at_4;
    case 5:
        goto at_5;
    case 6:
        goto at_6;
    default:
        break;
    }
    for (f->i = 0; f->i < f->n; f->i++) {
        f->got = -1;
    at_1:
        switch (chx_enter(self, &f->frame, block)) {
        case 0:
            return chx_wait_at(self, &f->frame, 1);
        case 3:
            goto at_3;
        default:
            break;
        }
    at_2:
        if (f->i % 2 == 0)
            step(self, f->i);
    at_4:
        if (!chx_room(self, 0))
            return chx_wait_at(self, &f->frame, 4);
        chx_send(self, 0, 1, &f->i, sizeof f->i);
        if (f->i % 2 == 1)
            step(self, f->i);
    at_5:
        if (!chx_receive(self, 0, 1, &f->got, sizeof f->got))
            return chx_wait_at(self, &f->frame, 5);
        goto at_6;
    at_3:
        // What the abandoned attempt received is forgotten.
        if (f->got == -1)
            f->chx_result++;
    at_6:
        if (!chx_leave(self, block))
            return chx_wait_at(self, &f->frame, 6);
    }
    return chx_return(self, f->frame.function);
}

// Every round waits for what never comes, until it is too late.
static chx_step overdue(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    const chx_checkpoint *block = &short_blocks[role_of(self)];
    switch (f->frame.at) {
    case 1:
        goto at_1;
    case 2:
        goto at_2;
    case 3:
        goto at_3;
    case 6:
        goto at_6;
    default:
        break;
    }
    for (f->i = 0; f->i < f->n; f->i++) {
    at_1:
        switch (chx_enter(self, &f->frame, block)) {
        case 0:
            return chx_wait_at(self, &f->frame, 1);
        case 3:
            goto at_3;
        default:
            break;
        }
    at_2:
        if (role_of(self) == 1 && !chx_receive(self, 0, 1, &f->got, sizeof f->got))
            return chx_wait_at(self, &f->frame, 2);
        goto at_6;
    at_3:
        f->chx_result++;
    at_6:
        if (!chx_leave(self, block))
            return chx_wait_at(self, &f->frame, 6);
    }
    return chx_return(self, f->frame.function);
}

// The same without failures; the result says whether one worker had the session to itself at the end.
static chx_step pinned(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    const chx_checkpoint *block = &blocks[role_of(self)];
    switch (f->frame.at) {
    case 1:
        goto at_1;
    case 6:
        goto at_6;
    default:
        break;
    }
    for (f->i = 0; f->i < f->n; f->i++) {
    at_1:
        if (chx_enter(self, &f->frame, block) == 0)
            return chx_wait_at(self, &f->frame, 1);
    at_6:
        if (!chx_leave(self, block))
            return chx_wait_at(self, &f->frame, 6);
    }
    f->chx_result = session_is_pinned(((Actor *)self)->session);
    return chx_return(self, f->frame.function);
}

// A deadline that another thread lets pass while a worker has the session to itself. Seen by a role of it, on the worker.
static struct {
    chx_runtime *runtime;
    _Atomic long thread_id;
    _Atomic bool is_over;
    bool was_tried;
    bool waits_for_the_lock;   // it leaves the session to the worker while another holds the lock of the blocks
    bool waits_for_the_worker; // and while the worker is inside
    bool spreads;              // then the worker does not have it to itself any longer
} overtaking;

static void *let_time_pass(void *argument)
{
    (void)argument;
    atomic_store(&overtaking.thread_id, overtaking.runtime->platform->thread_id());
    event_loop_run(&overtaking.runtime->loop, UINT64_MAX);
    atomic_store(&overtaking.is_over, true);
    return NULL;
}

static bool others_wait(const Actor *actor)
{
    for (unsigned i = 0; i < ROLES; i++)
        if (i != actor->index && atomic_load(&actor->session->actors[i].waits) == 0)
            return false;
    return true;
}

// The others wait: nobody else has a reason to take something from this worker.
static void overtake(const Actor *actor)
{
    Session *session = actor->session;
    Worker *worker = current()->worker;
    Scheduler *scheduler = &session->runtime->scheduler;
    pthread_t thread;
    overtaking.was_tried = true;
    overtaking.runtime = session->runtime;

    pthread_mutex_lock(&session->block_lock.mutex);
    if (pthread_create(&thread, NULL, let_time_pass, NULL) != 0)
        abort();
    while (atomic_load(&overtaking.thread_id) == 0 ||
           !session->runtime->platform->thread_sleeps(atomic_load(&overtaking.thread_id)))
        ;
    overtaking.waits_for_the_lock = atomic_load(&scheduler->quiesced) == 0 && session_is_pinned_to(session, worker);

    bool is_inside = owner_section_begin(worker);
    pthread_mutex_unlock(&session->block_lock.mutex);
    while (atomic_load(&scheduler->quiesced) == 0 && session_is_pinned_to(session, worker) && !overtaking.is_over)
        ;
    overtaking.waits_for_the_worker = is_inside && session_is_pinned_to(session, worker) && !overtaking.is_over;
    owner_section_end(worker);

    pthread_join(thread, NULL);
    overtaking.spreads = !session_is_pinned(session);
}

// Rounds without failures, but one is overtaken; the result is how often the role was in the rescue.
static chx_step overtaken(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    const Actor *actor = (Actor *)self;
    const chx_checkpoint *block = &long_blocks[role_of(self)];
    switch (f->frame.at) {
    case 1:
        goto at_1;
    case 2:
        goto at_2;
    case 3:
        goto at_3;
    case 6:
        goto at_6;
    default:
        break;
    }
    for (f->i = 0; f->i < f->n; f->i++) {
    at_1:
        switch (chx_enter(self, &f->frame, block)) {
        case 0:
            return chx_wait_at(self, &f->frame, 1);
        case 3:
            goto at_3;
        default:
            break;
        }
    at_2:
        if (!overtaking.was_tried && session_is_pinned(actor->session) && others_wait(actor))
            overtake(actor);
        goto at_6;
    at_3:
        f->chx_result++;
    at_6:
        if (!chx_leave(self, block))
            return chx_wait_at(self, &f->frame, 6);
    }
    return chx_return(self, f->frame.function);
}

static void fixture_make(Fixture *fixture, FixtureRun run, const chx_checkpoint *of_roles)
{
    fixture_init(fixture, ROLES);
    for (unsigned i = 0; i < ROLES; i++) {
        fixture_role(fixture, i, run);
        fixture_channel(fixture, i, (i + 1) % ROLES);
        fixture->checkpoints[i] = &of_roles[i];
        fixture->roles[i].checkpoints = &fixture->checkpoints[i];
        fixture->roles[i].checkpoint_count = 1;
    }
}

static void assert_rescues(const int64_t *results, int64_t expected)
{
    for (unsigned i = 0; i < ROLES; i++)
        assert_int_equal(results[i], expected);
}

static void blocks_are_the_same_for_all_wherever_their_roles_run(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_make(&fixture, around, blocks);
    int64_t expected = 0, results[ROLES];
    for (int64_t i = 0; i < ROUNDS; i++)
        expected += some_role_fails(i);
    for (unsigned workers = 1; workers <= 3; workers++) {
        chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = workers});
        chx_session *sessions[SESSIONS];
        // With few of them there are workers that search, and are given roles by those that compute.
        for (int count = SESSIONS; count > 0; count /= 5) {
            for (int i = 0; i < count; i++)
                sessions[i] = fixture_start(&fixture, runtime, ROUNDS);
            for (int i = 0; i < count; i++) {
                assert_int_equal(chx_finish(sessions[i], results), CHX_OK);
                assert_rescues(results, expected);
            }
        }
        chx_runtime_free(runtime);
    }
    // And by the thread that waits for it.
    assert_int_equal(fixture_run(&fixture, ROUNDS, results), CHX_OK);
    assert_rescues(results, expected);
}

static void deadlines_end_the_waiting_of_sessions_that_one_worker_runs(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_make(&fixture, overdue, short_blocks);
    int64_t results[ROLES];
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 1});
    chx_session *session = fixture_start(&fixture, runtime, OVERDUE_ROUNDS);
    assert_int_equal(fixture_run(&fixture, OVERDUE_ROUNDS, results), CHX_OK);
    assert_rescues(results, OVERDUE_ROUNDS);
    assert_int_equal(chx_finish(session, results), CHX_OK);
    assert_rescues(results, OVERDUE_ROUNDS);
    chx_runtime_free(runtime);
}

// Not where the workers can't be fenced.
static bool can_confine(chx_runtime *runtime)
{
    return runtime->scheduler.has_fence;
}

static void a_deadline_takes_the_session_from_the_worker_that_has_it_alone(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_make(&fixture, overtaken, long_blocks);
    int64_t results[ROLES];
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 1});
    bool can_be = can_confine(runtime);
    assert_int_equal(chx_finish(fixture_start(&fixture, runtime, ROUNDS), results), CHX_OK);
    assert_int_equal(overtaking.was_tried, can_be);
    assert_int_equal(overtaking.waits_for_the_lock, can_be);
    assert_int_equal(overtaking.waits_for_the_worker, can_be);
    assert_int_equal(overtaking.spreads, can_be);
    assert_rescues(results, can_be);
    chx_runtime_free(runtime);
}

static void a_worker_that_has_all_roles_of_a_session_keeps_it(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_make(&fixture, pinned, blocks);
    int64_t results[ROLES];
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 1});
    bool can_be = can_confine(runtime);
    assert_int_equal(chx_finish(fixture_start(&fixture, runtime, ROUNDS), results), CHX_OK);
    if (can_be)
        assert_true(results[0] || results[1] || results[2]);
    assert_int_equal(chx_finish(fixture_start(&fixture, runtime, 2), results), CHX_OK);
    assert_rescues(results, 0);
    chx_runtime_free(runtime);
}

// ---- savepoints ----

typedef struct {
    FixtureFrame fixture;
    uint64_t value;
    char much[PAGE_BYTES / 2]; // two savepoints don't fit into one page
} LargeFrame;

static int copies;
static void value_encode(chx_writer *writer, const void *value)
{
    if (++copies == 2)
        chx_fail("this one can't be copied");
    chx_write_u64(writer, *(const uint64_t *)value);
}
static bool value_decode(chx_reader *reader, void *value)
{
    return chx_read_u64(reader, value);
}
static void value_drop(void *value)
{
    (void)value;
}
static const chx_codec value_codec = {value_encode, value_decode, value_drop};
static const chx_type value_type = {
    .kind = CHX_KIND_CODEC, .owning = true, .size = sizeof(uint64_t), .name = "value", .codec = &value_codec};
static const chx_variable large_variables[] = {{"value", offsetof(LargeFrame, value), &value_type}};

static const chx_checkpoint outer = {
    .site = 3, .name = 3, .participants = everybody, .participant_count = 1, .body_at = 2, .rescue_at = 3};
static const chx_checkpoint inner = {
    .site = 4, .name = 4, .participants = everybody, .participant_count = 1, .body_at = 4};

// Two blocks, one in the other, whose savepoint can't be made. The result is how much room there seems to be for more savepoints.
static chx_step unmarked(chx_self *self, void *variables)
{
    LargeFrame *f = variables;
    const Actor *actor = (Actor *)self;
    switch (f->fixture.frame.at) {
    case 2:
        goto at_2;
    case 3:
        goto at_3;
    default:
        break;
    }
    f->value = 1;
    if (chx_enter(self, &f->fixture.frame, &outer) == 0)
        return chx_wait_at(self, &f->fixture.frame, 0);
at_2:
    chx_enter(self, &f->fixture.frame, &inner);
    abort();
at_3:
    if (!chx_leave(self, &outer))
        return chx_wait_at(self, &f->fixture.frame, 3);
    f->fixture.chx_result = (int64_t)((uintptr_t)actor->savepoints.end - (uintptr_t)actor->savepoints.next);
    return chx_return(self, f->fixture.frame.function);
}

// What a copy that fails has allocated is lost.
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

static void a_savepoint_that_could_not_be_made_takes_no_room(void **state)
{
    (void)state;
    static Fixture fixture;
    static const chx_checkpoint *const both[] = {&outer, &inner};
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, unmarked);
    chx_function *function = &fixture.functions[0];
    function->frame_size = sizeof(LargeFrame);
    function->variables = large_variables;
    function->variable_count = function->owned_count = 1;
    fixture.roles[0].checkpoints = both;
    fixture.roles[0].checkpoint_count = 2;
    int64_t room = -1;
    if (__lsan_disable != NULL)
        __lsan_disable();
    assert_int_equal(fixture_run(&fixture, 0, &room), CHX_OK);
    if (__lsan_enable != NULL)
        __lsan_enable();
    assert_int_equal(copies, 2 + 1); // the third: what is restored
    assert_in_range(room, 0, PAGE_BYTES);
}

static void a_rescue_follows_the_last_attempt_however_many_there_are(void **state)
{
    (void)state;
    static const uint32_t retries[] = {0, 1, 1000000000, UINT32_MAX - 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof retries / sizeof retries[0]; i++) {
        chx_checkpoint checkpoint = {.retries = retries[i], .rescue_at = 3};
        Block block = {.checkpoint = &checkpoint};
        assert_true(block_can_recover(&block, 0));
        assert_true(block_can_recover(&block, retries[i])); // its failure leads to the rescue
        if (retries[i] < UINT32_MAX)
            assert_false(block_can_recover(&block, retries[i] + 1)); // this is the rescue
        checkpoint.rescue_at = 0;
        assert_false(block_can_recover(&block, retries[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rescue_follows_the_last_attempt_however_many_there_are),
        cmocka_unit_test(blocks_are_the_same_for_all_wherever_their_roles_run),
        cmocka_unit_test(deadlines_end_the_waiting_of_sessions_that_one_worker_runs),
        cmocka_unit_test(a_deadline_takes_the_session_from_the_worker_that_has_it_alone),
        cmocka_unit_test(a_worker_that_has_all_roles_of_a_session_keeps_it),
        cmocka_unit_test(a_savepoint_that_could_not_be_made_takes_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
