// poller_test.c: waiters of descriptors that become ready, are closed, duplicated and opened anew; and a program that closes the
// poller's own.

#define _GNU_SOURCE
#include "runtime/platform/poller.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    PollWaiter waiter; // the first member
    unsigned times;    // that it was ready
} Waiter;

static chx_runtime *runtime;
static Poller poller;
static unsigned files_before;

static unsigned count_files(void)
{
    unsigned files = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL)
        files++;
    if (folder != NULL)
        closedir(folder);
    return files;
}

static void count(PollWaiter *waiter, void *context)
{
    unsigned *total = context;
    ((Waiter *)(void *)waiter)->times++;
    ++*total;
}

static PollStatus add(Waiter *waiter, int number, short events)
{
    waiter->waiter.ready = count;
    return poller_add(&poller, &waiter->waiter, number, events);
}

static unsigned poll_once(int timeout_ms)
{
    unsigned total = 0;
    poller_poll(&poller, timeout_ms, &total);
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
    files_before = count_files();
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
    assert_int_equal(count_files(), files_before);
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
    assert_int_equal(add(&reader, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(add(&other, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(poll_once(0), 0);
    assert_int_equal(add(&writer, ends[1], POLLOUT), POLL_WAITS);
    assert_int_equal(poll_once(0), 1);
    assert_int_equal(writer.times, 1);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_once(-1), 2); // both that wait for the same
    assert_int_equal(poll_once(0), 0);  // though there is still something to read
    assert_int_equal(add(&reader, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(poll_patiently(), 1);
    close_pipe(ends);
}

static void who_is_removed_is_not_told(void **state)
{
    (void)state;
    int ends[2];
    Waiter reader = {0}, other = {0};
    make_pipe(ends);
    add(&reader, ends[0], POLLIN);
    add(&other, ends[0], POLLIN);
    poller_remove(&poller, &reader.waiter);
    poller_remove(&poller, &reader.waiter);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 1);
    assert_int_equal(reader.times, 0);
    assert_int_equal(other.times, 1);
    close_pipe(ends);
}

// What was reported when nobody waited is not waited for.
static void what_was_missed_is_ready(void **state)
{
    (void)state;
    int ends[2];
    Waiter reader = {0};
    make_pipe(ends);
    add(&reader, ends[0], POLLIN);
    poller_remove(&poller, &reader.waiter);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 0);
    assert_int_equal(add(&reader, ends[0], POLLIN), POLL_READY);
    // Once: whoever waits again has seen it.
    assert_int_equal(read(ends[0], &(char){0}, 1), 1);
    assert_int_equal(add(&reader, ends[0], POLLIN), POLL_WAITS);
    assert_int_equal(poll_once(1), 0);
    poller_remove(&poller, &reader.waiter);
    close_pipe(ends);
}

static void a_hangup_is_told_in_any_case(void **state)
{
    (void)state;
    int ends[2];
    Waiter reader = {0};
    make_pipe(ends);
    add(&reader, ends[0], 0);
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
    add(&writer, ends[1], POLLOUT);
    add(&reader, ends[1], POLLIN);
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
    assert_int_equal(add(&waiter, file, POLLIN), POLL_READY);
    close(file);
    assert_int_equal(add(&waiter, file, POLLIN), POLL_REFUSED);
    assert_int_equal(errno, EBADF);
    assert_int_equal(add(&waiter, -1, POLLIN), POLL_REFUSED);
    assert_int_equal(errno, EBADF);
    // A number that makes no sense costs no memory.
    size_t before = poller.capacity;
    assert_int_equal(add(&waiter, 10000000, POLLIN), POLL_REFUSED);
    assert_int_equal(errno, EBADF);
    assert_int_equal(poller.capacity, before);
}

static void a_number_that_is_used_again(void **state)
{
    (void)state;
    int old[2], fresh[2];
    Waiter waiter = {0};
    make_pipe(old);
    add(&waiter, old[0], POLLIN);
    poller_remove(&poller, &waiter.waiter);
    int kept = dup(old[0]);
    make_pipe(fresh);
    assert_int_equal(dup2(fresh[0], old[0]), old[0]);
    add(&waiter, old[0], POLLIN);
    assert_int_equal(write(fresh[1], "x", 1), 1);
    assert_int_equal(poll_patiently(), 1);
    // What the old file has to say wakes a waiter of the new one for nothing, but not for ever.
    assert_int_equal(read(old[0], &(char){0}, 1), 1);
    assert_int_equal(write(old[1], "x", 1), 1);
    unsigned woken = 0;
    for (int i = 0; i < 100; i++) {
        add(&waiter, old[0], POLLIN);
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
    add(&waiter, ends[0], POLLIN);
    close(poller.epoll);
    close(poller.doorbell[0].number);
    close(poller.doorbell[1].number);
    add(&later, others[0], POLLIN);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(write(others[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 2);
    add(&waiter, ends[0], POLLIN);
    close(poller.epoll);
    poll_once(0); // it notices
    assert_int_equal(waiter.times + poll_once(0), 2);
    close_pipe(ends);
    close_pipe(others);
}

// Somebody waits all the time, for something else, while the program closes the poller's descriptor.
static void who_waits_when_the_poller_is_closed(void **state)
{
    (void)state;
    int ends[2], gone[2];
    Waiter waiter = {0}, lost = {0};
    make_pipe(ends);
    make_pipe(gone);
    add(&waiter, ends[0], POLLIN);
    add(&lost, gone[0], POLLIN);
    for (int i = 0; i < 3; i++) {
        close(poller.epoll);
        assert_int_equal(poll_once(1), 0); // it notices
        assert_true(fcntl(poller.epoll, F_GETFD) >= 0);
    }
    // Who can't be waited for in the new one is told.
    close(poller.epoll);
    close_pipe(gone);
    for (int i = 0; i < 3 && lost.times == 0; i++)
        poll_once(1);
    assert_int_equal(lost.times, 1);
    assert_int_equal(waiter.times, 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_patiently(), 1);
    assert_int_equal(waiter.times, 1);
    close_pipe(ends);
}

static Waiter early;
static int early_number;

// The program closes the poller's descriptor, and another thread notices it and begins to wait before this one does.
static int wait_and_lose(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    (void)events;
    (void)count;
    (void)timeout_ms;
    close(epoll);
    assert_int_equal(add(&early, early_number, POLLIN), POLL_WAITS);
    assert_int_equal(poller.epoll, epoll); // a new one under the same number
    errno = EBADF;
    return -1;
}

static void another_thread_opens_the_poller_anew_first(void **state)
{
    (void)state;
    int ends[2], others[2];
    Waiter waiter = {0};
    Platform losing = platform_posix;
    losing.wait_events = wait_and_lose;
    make_pipe(ends);
    make_pipe(others);
    early = (Waiter){0};
    early_number = others[0];
    add(&waiter, ends[0], POLLIN);
    poller.platform = &losing;
    int number = poller.epoll;
    assert_int_equal(poll_once(0), 0);
    poller.platform = &platform_posix;
    assert_int_equal(poller.epoll, number); // nobody needs yet another one
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(write(others[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 2);
    close_pipe(ends);
    close_pipe(others);
}

// The poller's own descriptor is no reason to believe that it is gone.
static void the_poller_itself_is_waited_for(void **state)
{
    (void)state;
    int ends[2];
    Waiter waiter = {0}, other = {0};
    make_pipe(ends);
    add(&waiter, ends[0], POLLIN);
    int number = poller.epoll;
    assert_int_equal(add(&other, number, POLLIN), POLL_REFUSED);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(poller.epoll, number);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_once(0), 1);
    close_pipe(ends);
}

static void there_is_no_further_descriptor(void **state)
{
    (void)state;
    int ends[2], others[2];
    struct rlimit before, none;
    Waiter waiter = {0}, other = {0}, third = {0};
    make_pipe(ends);
    make_pipe(others);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){3, before.rlim_max};
    for (int i = 0; i < 2; i++) {
        add(&waiter, ends[0], POLLIN);
        add(&other, others[0], POLLIN);
        close(poller.epoll);
        setrlimit(RLIMIT_NOFILE, &none);
        // Whoever finds out first: one that comes, or one that looks.
        if (i == 0)
            assert_int_equal(add(&third, ends[1], POLLOUT), POLL_REFUSED);
        assert_int_equal(poll_once(0), 2);
        assert_int_equal(add(&waiter, ends[0], POLLIN), POLL_REFUSED);
        assert_int_equal(errno, EMFILE);
        setrlimit(RLIMIT_NOFILE, &before);
    }
    // By the time of the next one there are descriptors: those who waited before are not forgotten.
    assert_int_equal(add(&waiter, ends[0], POLLIN), POLL_WAITS);
    close(poller.epoll);
    setrlimit(RLIMIT_NOFILE, &none);
    assert_int_equal(add(&third, ends[1], POLLOUT), POLL_REFUSED);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(add(&other, others[0], POLLIN), POLL_WAITS);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_patiently(), 1);
    assert_int_equal(waiter.times, 3);
    poller_remove(&poller, &other.waiter);
    close_pipe(ends);
    close_pipe(others);
}

static bool poller_has_events(void)
{
    struct pollfd polled = {.fd = poller.epoll, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

// A closed number's file that lives on in a duplicate reports for ever, and can't be reached under its number: at some time
// the poller gets rid of it, while somebody waits for another descriptor.
static void a_closed_file_that_goes_on_reporting(void **state)
{
    (void)state;
    int old[2], ends[2], reports = 0, before;
    Waiter waiter = {0}, patient = {0};
    make_pipe(old);
    make_pipe(ends);
    add(&patient, ends[0], POLLIN);
    add(&waiter, old[0], POLLIN);
    poller_remove(&poller, &waiter.waiter);
    int kept = dup(old[0]);
    close(old[0]);
    before = poller.epoll;
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(write(old[1], "x", 1), 1);
        if (!poller_has_events())
            break;
        reports++;
        assert_int_equal(poll_once(1), 0);
    }
    assert_in_range(reports, 100, 2000);
    assert_int_equal(fcntl(before, F_GETFD), -1);
    assert_int_equal(poll_once(1), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(poll_patiently(), 1);
    assert_int_equal(patient.times, 1);
    close(kept);
    close(old[1]);
    close_pipe(ends);
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
    add(&waiter, ends[0], POLLIN);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(pthread_create(&thread, NULL, wake, &poller), 0);
        assert_int_equal(poll_once(-1), 0);
        pthread_join(thread, NULL);
    }
    poller_remove(&poller, &waiter.waiter);
    close_pipe(ends);
}

// Another thread looks, without waiting, after this one was woken and before it notices.
static int wait_while_others_look(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    assert_true(timeout_ms > 0);
    poller.platform = &platform_posix;
    poller_wake(&poller);
    assert_int_equal(poll_once(0), 0);
    assert_false(poller_poll(&poller, -1, &(unsigned){0})); // one that would wait, too, does not
    int got = epoll_wait(epoll, events, count, 0);
    assert_int_equal(got, 1); // it would sleep otherwise
    return got;
}

static void who_looks_does_not_take_the_ring_of_who_waits(void **state)
{
    (void)state;
    int ends[2];
    Waiter waiter = {0};
    Platform disturbed = platform_posix;
    disturbed.wait_events = wait_while_others_look;
    make_pipe(ends);
    add(&waiter, ends[0], POLLIN);
    poller.platform = &disturbed;
    assert_true(poller_poll(&poller, -1, &(unsigned){0}));
    assert_true(poller.platform == &platform_posix);
    // It was heard: the next one sleeps.
    struct pollfd polled = {.fd = poller.doorbell[0].number, .events = POLLIN};
    assert_int_equal(poll(&polled, 1, 0), 0);
    poller_remove(&poller, &waiter.waiter);
    close_pipe(ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_waits_is_told_once, begin, end),
        cmocka_unit_test_setup_teardown(who_is_removed_is_not_told, begin, end),
        cmocka_unit_test_setup_teardown(what_was_missed_is_ready, begin, end),
        cmocka_unit_test_setup_teardown(a_hangup_is_told_in_any_case, begin, end),
        cmocka_unit_test_setup_teardown(each_waits_for_its_own_events, begin, end),
        cmocka_unit_test_setup_teardown(what_can_not_be_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(a_number_that_is_used_again, begin, end),
        cmocka_unit_test_setup_teardown(a_program_that_closes_everything, begin, end),
        cmocka_unit_test_setup_teardown(who_waits_when_the_poller_is_closed, begin, end),
        cmocka_unit_test_setup_teardown(another_thread_opens_the_poller_anew_first, begin, end),
        cmocka_unit_test_setup_teardown(the_poller_itself_is_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(there_is_no_further_descriptor, begin, end),
        cmocka_unit_test_setup_teardown(a_closed_file_that_goes_on_reporting, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_that_waits_can_be_woken, begin, end),
        cmocka_unit_test_setup_teardown(who_looks_does_not_take_the_ring_of_who_waits, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
