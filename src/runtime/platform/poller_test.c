// poller_test.c: waiters of descriptors that become ready, are closed, duplicated and opened anew; and a program that closes the
// poller's own.

#define _GNU_SOURCE
#include "runtime/platform/poller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    PollWaiter waiter; // the first member
    unsigned times;    // that it was ready
} Waiter;

static chx_runtime *runtime;
static Poller poller;

static void count(PollWaiter *waiter, void *context)
{
    unsigned *total = context;
    ((Waiter *)(void *)waiter)->times++;
    ++*total;
}

static unsigned poll_once(int timeout_ms)
{
    unsigned total = 0;
    poller_poll(&poller, timeout_ms, count, &total);
    return total;
}

// A wait may trust what the kernel was asked for earlier: it is asked anew after a while.
static unsigned poll_patiently(void)
{
    unsigned total = 0;
    for (int i = 0; i < 1000 && total == 0; i++)
        total = poll_once(-1);
    return total;
}

static int begin(void **state)
{
    (void)state;
    runtime = chx_runtime_new(NULL);
    poller_init(&poller, &platform_posix, runtime);
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_int_equal(atomic_load(&poller.count), 0);
    poller_fini(&poller);
    chx_runtime_free(runtime);
    return 0;
}

static void make_pipe(int ends[2])
{
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
}

static void close_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static void who_waits_is_told_once(void **state)
{
    (void)state;
    int ends[2];
    Waiter reader = {0}, writer = {0}, other = {0};
    make_pipe(ends);
    assert_int_equal(poller_add(&poller, &reader.waiter, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(poller_add(&poller, &other.waiter, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(poll_once(0), 0);
    assert_int_equal(poller_add(&poller, &writer.waiter, ends[1], POLLOUT), POLL_WAITS);
    assert_int_equal(poll_once(0), 1);
    assert_int_equal(writer.times, 1);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_once(-1), 2); // both that wait for the same
    assert_int_equal(poll_once(0), 0);  // though there is still something to read
    assert_int_equal(poller_add(&poller, &reader.waiter, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(poll_patiently(), 1);
    close_pipe(ends);
}

static void who_is_removed_is_not_told(void **state)
{
    (void)state;
    int ends[2];
    Waiter reader = {0}, other = {0};
    make_pipe(ends);
    poller_add(&poller, &reader.waiter, ends[0], POLLIN);
    poller_add(&poller, &other.waiter, ends[0], POLLIN);
    poller_remove(&poller, &reader.waiter);
    poller_remove(&poller, &reader.waiter);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 1);
    assert_int_equal(reader.times, 0);
    assert_int_equal(other.times, 1);
    close_pipe(ends);
}

static void a_hangup_is_told_in_any_case(void **state)
{
    (void)state;
    int ends[2];
    Waiter reader = {0};
    make_pipe(ends);
    poller_add(&poller, &reader.waiter, ends[0], 0);
    assert_int_equal(poll_once(0), 0);
    close(ends[1]);
    assert_int_equal(poll_once(0), 1);
    close(ends[0]);
}

static void each_waits_for_its_own_events(void **state)
{
    (void)state;
    int ends[2];
    char buffer[4096] = {0};
    Waiter reader = {0}, writer = {0};
    make_pipe(ends);
    while (write(ends[1], buffer, sizeof buffer) > 0)
        ;
    // A socket would have both events; the ends of a pipe have one each, and errors concern both.
    poller_add(&poller, &writer.waiter, ends[1], POLLOUT);
    poller_add(&poller, &reader.waiter, ends[1], POLLIN);
    assert_int_equal(poll_once(0), 0);
    while (read(ends[0], buffer, sizeof buffer) > 0)
        ;
    assert_int_equal(poll_once(0), 1);
    assert_int_equal(writer.times, 1);
    close(ends[0]); // an error for the other end: whoever is left is still asked for
    assert_int_equal(poll_once(0), 1);
    assert_int_equal(reader.times, 1);
    close(ends[1]);
}

static void what_can_not_be_waited_for(void **state)
{
    (void)state;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    Waiter waiter = {0};
    assert_int_equal(poller_add(&poller, &waiter.waiter, file, POLLIN), POLL_READY);
    close(file);
    assert_int_equal(poller_add(&poller, &waiter.waiter, file, POLLIN), POLL_REFUSED);
    assert_int_equal(errno, EBADF);
    assert_int_equal(poller_add(&poller, &waiter.waiter, -1, POLLIN), POLL_REFUSED);
    assert_int_equal(errno, EBADF);
}

static void a_number_that_is_used_again(void **state)
{
    (void)state;
    int old[2], fresh[2];
    Waiter waiter = {0};
    make_pipe(old);
    poller_add(&poller, &waiter.waiter, old[0], POLLIN);
    poller_remove(&poller, &waiter.waiter);
    int kept = dup(old[0]);
    make_pipe(fresh);
    assert_int_equal(dup2(fresh[0], old[0]), old[0]);
    poller_add(&poller, &waiter.waiter, old[0], POLLIN);
    assert_int_equal(write(fresh[1], "x", 1), 1);
    assert_int_equal(poll_patiently(), 1);
    // What the old file has to say wakes a waiter of the new one for nothing, but not for ever.
    assert_int_equal(read(old[0], &(char){0}, 1), 1);
    assert_int_equal(write(old[1], "x", 1), 1);
    unsigned woken = 0;
    for (int i = 0; i < 100; i++) {
        poller_add(&poller, &waiter.waiter, old[0], POLLIN);
        woken += poll_once(0);
        poller_remove(&poller, &waiter.waiter);
    }
    assert_in_range(woken, 0, 2);
    close(kept);
    close_pipe(old);
    close_pipe(fresh);
}

static void a_program_that_closes_everything(void **state)
{
    (void)state;
    int ends[2], others[2];
    Waiter waiter = {0}, later = {0};
    make_pipe(ends);
    make_pipe(others);
    poller_add(&poller, &waiter.waiter, ends[0], POLLIN);
    close(poller.epoll);
    close(poller.doorbell[0].number);
    close(poller.doorbell[1].number);
    poller_add(&poller, &later.waiter, others[0], POLLIN);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(write(others[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 2);
    poller_add(&poller, &waiter.waiter, ends[0], POLLIN);
    close(poller.epoll);
    poll_once(0); // it notices
    assert_int_equal(waiter.times + poll_once(0), 2);
    close_pipe(ends);
    close_pipe(others);
}

static void *wake(void *argument)
{
    poller_wake(argument);
    return NULL;
}

static void a_thread_that_waits_can_be_woken(void **state)
{
    (void)state;
    int ends[2];
    pthread_t thread;
    Waiter waiter = {0};
    make_pipe(ends);
    poller_add(&poller, &waiter.waiter, ends[0], POLLIN);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(pthread_create(&thread, NULL, wake, &poller), 0);
        assert_int_equal(poll_once(-1), 0);
        pthread_join(thread, NULL);
    }
    poller_remove(&poller, &waiter.waiter);
    close_pipe(ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_waits_is_told_once, begin, end),
        cmocka_unit_test_setup_teardown(who_is_removed_is_not_told, begin, end),
        cmocka_unit_test_setup_teardown(a_hangup_is_told_in_any_case, begin, end),
        cmocka_unit_test_setup_teardown(each_waits_for_its_own_events, begin, end),
        cmocka_unit_test_setup_teardown(what_can_not_be_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(a_number_that_is_used_again, begin, end),
        cmocka_unit_test_setup_teardown(a_program_that_closes_everything, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_that_waits_can_be_woken, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
