// event_loop_test.c: timers of several threads, waking, claiming, and a program that closes the loop's descriptors.

#include "runtime/platform/event_loop.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    LoopTimer timer; // the first member
    bool is_claimed, may_be_claimed;
    _Atomic unsigned runs;
    sem_t *done;
} Job;

static bool job_claim(LoopTimer *timer)
{
    Job *job = (Job *)timer;
    job->is_claimed = job->may_be_claimed;
    return job->may_be_claimed;
}

static void job_run(LoopTimer *timer, uint64_t now_ns)
{
    Job *job = (Job *)timer;
    (void)now_ns;
    atomic_fetch_add(&job->runs, 1);
    if (job->done != NULL)
        sem_post(job->done);
}

static const LoopTimerKind job_kind = {job_claim, job_run}, plain_kind = {NULL, job_run};

static uint64_t next_ns(const EventLoop *loop)
{
    return loop->timers.first != NULL ? loop->timers.first->due_ns : UINT64_MAX;
}

// ---- without its thread ----

static bool threads_are_left = true;

static bool no_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    (void)thread;
    (void)run;
    (void)argument;
    return threads_are_left;
}

static unsigned wakes;

static void count_wake(_Atomic uint32_t *word)
{
    (void)word;
    wakes++;
}

static void no_join(pthread_t thread)
{
    (void)thread;
}

static Platform platform_without_thread(void)
{
    Platform platform = platform_posix;
    platform.thread_start = no_thread_start;
    platform.thread_join = no_join;
    platform.wake = count_wake;
    return platform;
}

// It sleeps, as the loop's thread would note it, until 1000.
static void it_is_woken_only_for_what_is_earlier(void **state)
{
    (void)state;
    Platform platform = platform_without_thread();
    EventLoop loop;
    Job jobs[5] = {{.may_be_claimed = true}};
    event_loop_init(&loop, &platform, NULL, NULL);
    loop.sleeps_until_ns = 1000;
    wakes = 0;
    assert_true(event_loop_add(&loop, &jobs[0].timer, &job_kind, 2000));
    assert_true(event_loop_add(&loop, &jobs[1].timer, &job_kind, 1000));
    assert_int_equal(wakes, 0);
    assert_true(event_loop_add(&loop, &jobs[2].timer, &job_kind, 999));
    assert_int_equal(wakes, 1);
    // It is awake, and will see this one before it sleeps.
    assert_true(event_loop_add(&loop, &jobs[3].timer, &job_kind, 1));
    assert_int_equal(wakes, 1);
    for (int i = 0; i < 4; i++)
        assert_true(event_loop_detach(&loop, &jobs[i].timer));
    assert_int_equal(next_ns(&loop), UINT64_MAX);
    // One that stays is changed to an earlier time.
    event_loop_set(&loop, &jobs[4].timer, 5); // it is not attached
    assert_int_equal(next_ns(&loop), UINT64_MAX);
    event_loop_attach(&loop, &jobs[4].timer, &plain_kind);
    event_loop_set(&loop, &jobs[4].timer, 5000);
    loop.sleeps_until_ns = 5000;
    event_loop_set(&loop, &jobs[4].timer, 6000);
    assert_int_equal(wakes, 1);
    event_loop_set(&loop, &jobs[4].timer, 4000);
    assert_int_equal(wakes, 2);
    assert_false(event_loop_run(&loop, 3999));
    assert_true(event_loop_run(&loop, 4000));
    assert_int_equal(jobs[4].runs, 1);
    event_loop_set(&loop, &jobs[4].timer, 4000);
    event_loop_detach(&loop, &jobs[4].timer);
    event_loop_set(&loop, &jobs[4].timer, 4000);
    assert_false(event_loop_run(&loop, UINT64_MAX));
    event_loop_stop(&loop);
    event_loop_fini(&loop);
}

static void who_is_claimed_is_not_taken_back(void **state)
{
    (void)state;
    Platform platform = platform_without_thread();
    EventLoop loop;
    Job claimed = {.may_be_claimed = true}, refused = {.may_be_claimed = false};
    event_loop_init(&loop, &platform, NULL, NULL);
    assert_true(event_loop_add(&loop, &claimed.timer, &job_kind, 1));
    assert_true(event_loop_add(&loop, &refused.timer, &job_kind, 2));
    while (event_loop_run(&loop, 2))
        ;
    assert_int_equal(claimed.runs, 1);
    assert_int_equal(refused.runs, 0);
    assert_false(event_loop_detach(&loop, &claimed.timer));
    assert_true(event_loop_detach(&loop, &refused.timer));
    event_loop_stop(&loop);
    event_loop_fini(&loop);
}

static void what_can_not_be_had_is_said(void **state)
{
    (void)state;
    Platform platform = platform_without_thread();
    EventLoop loop;
    Job job = {.may_be_claimed = true};
    event_loop_init(&loop, &platform, NULL, NULL);
    threads_are_left = false;
    assert_false(event_loop_add(&loop, &job.timer, &job_kind, 1));
    threads_are_left = true;
    assert_int_equal(next_ns(&loop), UINT64_MAX);
    event_loop_stop(&loop);
    event_loop_fini(&loop);
}

// ---- with it ----

enum { THREADS = 4, JOBS = 2000 };

static struct {
    EventLoop loop;
    sem_t done;
    Job jobs[THREADS][JOBS];
    unsigned taken_back[THREADS];
} shared;

// Sets timers that are due soon, and takes every third back.
static void *set_timers(void *argument)
{
    unsigned thread = *(const unsigned *)argument;
    uint64_t now_ns = platform_posix.now_ns();
    for (unsigned i = 0; i < JOBS; i++) {
        Job *job = &shared.jobs[thread][i];
        *job = (Job){.may_be_claimed = true, .done = &shared.done};
        if (!event_loop_add(&shared.loop, &job->timer, &job_kind, now_ns + i * 7919 % 4000000))
            abort();
        if (i % 3 == 0 && event_loop_detach(&shared.loop, &job->timer)) {
            shared.taken_back[thread]++;
            job->may_be_claimed = false;
        }
    }
    return NULL;
}

static void timers_of_several_threads_run_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    unsigned numbers[THREADS], expected = THREADS * JOBS;
    sem_init(&shared.done, 0, 0);
    event_loop_init(&shared.loop, &platform_posix, NULL, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, set_timers, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        expected -= shared.taken_back[i];
    }
    for (unsigned i = 0; i < expected; i++)
        sem_wait(&shared.done);
    event_loop_stop(&shared.loop);
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned k = 0; k < JOBS; k++)
            assert_int_equal(shared.jobs[i][k].runs, shared.jobs[i][k].may_be_claimed);
    assert_int_equal(next_ns(&shared.loop), UINT64_MAX);
    event_loop_fini(&shared.loop);
}

// ---- with descriptors ----

typedef struct {
    EventLoop loop;
    sem_t heard, lost;
    _Atomic unsigned losses;
} Watched;

static void door_rung(void *context)
{
    Watched *watched = context;
    char byte;
    if (descriptor_read(&watched->loop.door[0], &byte, 1) == 1)
        sem_post(&watched->heard);
}

static int no_source(void *context)
{
    (void)context;
    return -1;
}

static void nothing_ready(void *context)
{
    (void)context;
    abort();
}

static bool is_never_busy(void *context)
{
    (void)context;
    return false;
}

static bool watched_is_whole(void *context)
{
    Watched *watched = context;
    return event_loop_is_whole(&watched->loop);
}

static void watched_lost(void *context)
{
    Watched *watched = context;
    atomic_fetch_add(&watched->losses, 1);
    if (!event_loop_open(&watched->loop))
        abort();
    sem_post(&watched->lost);
}

static const LoopInputs inputs = {
    .number = no_source,
    .ready = nothing_ready,
    .rung = door_rung,
    .is_busy = is_never_busy,
    .is_whole = watched_is_whole,
    .lost = watched_lost,
};

// The program closes the pipe that the loop is woken with: the loop wakes by that, and goes on with another one.
static void a_closed_doorbell_is_noticed(void **state)
{
    (void)state;
    Watched watched = {0};
    Job job = {.done = &watched.heard};
    sem_init(&watched.heard, 0, 0);
    sem_init(&watched.lost, 0, 0);
    event_loop_init(&watched.loop, &platform_posix, &inputs, &watched);
    assert_true(event_loop_open(&watched.loop));
    event_loop_attach(&watched.loop, &job.timer, &plain_kind);
    assert_true(event_loop_start(&watched.loop));
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(write(event_loop_door(&watched.loop), "x", 1), 1);
        sem_wait(&watched.heard);
        event_loop_set(&watched.loop, &job.timer, platform_posix.now_ns());
        sem_wait(&watched.heard);
        assert_int_equal(job.runs, i + 1);
        // Not both ends: between two calls the loop may have opened others, with the same numbers.
        pthread_mutex_lock(&watched.loop.lock);
        int number = watched.loop.doorbell[1].number;
        pthread_mutex_unlock(&watched.loop.lock);
        close(number);
        sem_wait(&watched.lost);
        assert_int_equal(watched.losses, i + 1);
    }
    event_loop_stop(&watched.loop);
    event_loop_detach(&watched.loop, &job.timer);
    event_loop_fini(&watched.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_woken_only_for_what_is_earlier), cmocka_unit_test(who_is_claimed_is_not_taken_back),
        cmocka_unit_test(what_can_not_be_had_is_said),          cmocka_unit_test(timers_of_several_threads_run_once),
        cmocka_unit_test(a_closed_doorbell_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
