// watcher_test.c: descriptors that workers watch for a library: what comes is handled, by one thread at a time; closing ends that, at
// every moment.

#define _GNU_SOURCE
#include <chorex/remote.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 2000 };

typedef struct {
    int ends[2];
    chx_watcher *watcher;
    sem_t called, may_return;
    bool blocks;            // until may_return
    bool closes;            // itself
    _Atomic unsigned bytes; // that it has read
    _Atomic int error;
    _Atomic bool is_inside, has_met_another;
} Watched;

static chx_runtime *runtime;

static int begin(void **state)
{
    (void)state;
    runtime = chx_runtime_new(&(chx_runtime_options){.workers = 3});
    return runtime != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    chx_runtime_free(runtime);
    return 0;
}

static void handle(void *context, int error)
{
    Watched *watched = context;
    char bytes[64];
    if (atomic_exchange(&watched->is_inside, true))
        atomic_store(&watched->has_met_another, true);
    for (ssize_t got; (got = read(watched->ends[0], bytes, sizeof bytes)) > 0;)
        atomic_fetch_add(&watched->bytes, (unsigned)got);
    atomic_store(&watched->error, error);
    if (watched->closes)
        chx_watcher_close(watched->watcher);
    bool blocks = watched->blocks;
    sem_post(&watched->called);
    if (blocks)
        sem_wait(&watched->may_return);
    atomic_store(&watched->is_inside, false);
}

static void watched_open(Watched *watched)
{
    *watched = (Watched){.watcher = NULL};
    assert_int_equal(pipe2(watched->ends, O_NONBLOCK | O_CLOEXEC), 0);
    sem_init(&watched->called, 0, 0);
    sem_init(&watched->may_return, 0, 0);
    watched->watcher = chx_watcher_open(runtime, watched->ends[0], POLLIN, handle, watched);
    assert_non_null(watched->watcher);
}

static void watched_close(Watched *watched)
{
    close(watched->ends[0]);
    close(watched->ends[1]);
    sem_destroy(&watched->called);
    sem_destroy(&watched->may_return);
}

static void test_what_comes_is_handled(void **state)
{
    (void)state;
    Watched watched;
    watched_open(&watched);
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_int_equal(write(watched.ends[1], "x", 1), 1);
        while (atomic_load(&watched.bytes) <= i)
            sem_wait(&watched.called);
    }
    chx_watcher_close(watched.watcher);
    assert_int_equal(atomic_load(&watched.bytes), ROUNDS);
    assert_false(atomic_load(&watched.has_met_another));
    assert_int_equal(atomic_load(&watched.error), 0);
    watched_close(&watched);
}

static void *write_all(void *argument)
{
    Watched *watched = argument;
    for (unsigned i = 0; i < ROUNDS; i++)
        while (write(watched->ends[1], "x", 1) != 1)
            sched_yield();
    return NULL;
}

static void test_many_at_once(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    Watched watched[COUNT];
    pthread_t writers[COUNT];
    for (int i = 0; i < COUNT; i++) {
        watched_open(&watched[i]);
        pthread_create(&writers[i], NULL, write_all, &watched[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        pthread_join(writers[i], NULL);
        while (atomic_load(&watched[i].bytes) < ROUNDS)
            sem_wait(&watched[i].called);
        chx_watcher_close(watched[i].watcher);
        assert_false(atomic_load(&watched[i].has_met_another));
        watched_close(&watched[i]);
    }
}

static void *close_it(void *argument)
{
    chx_watcher_close(argument);
    return NULL;
}

// Whoever closes it waits until its function has returned.
static void test_closed_while_it_runs(void **state)
{
    (void)state;
    Watched watched;
    pthread_t closer;
    watched_open(&watched);
    watched.blocks = true;
    assert_int_equal(write(watched.ends[1], "x", 1), 1);
    sem_wait(&watched.called);
    pthread_create(&closer, NULL, close_it, watched.watcher);
    sem_post(&watched.may_return);
    pthread_join(closer, NULL);
    assert_false(atomic_load(&watched.is_inside));
    watched_close(&watched);
}

static void test_closed_by_itself(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        Watched watched;
        watched_open(&watched);
        watched.closes = true;
        assert_int_equal(write(watched.ends[1], "xy", 2), 2);
        sem_wait(&watched.called);
        while (atomic_load(&watched.is_inside))
            sched_yield();
        watched_close(&watched);
    }
}

// At any moment: when nothing has come, when something comes, when it is being handled.
static void test_closed_at_any_time(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        Watched watched;
        watched_open(&watched);
        if (i % 2 == 0)
            assert_int_equal(write(watched.ends[1], "x", 1), 1);
        if (i % 4 == 0)
            sem_wait(&watched.called);
        chx_watcher_close(watched.watcher);
        assert_false(atomic_load(&watched.is_inside));
        watched_close(&watched);
    }
}

static void test_what_can_not_be_watched(void **state)
{
    (void)state;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_null(chx_watcher_open(runtime, -1, POLLIN, handle, NULL));
    assert_null(chx_watcher_open(runtime, file, POLLIN, handle, NULL));
    close(file);
    assert_null(chx_watcher_open(runtime, file, POLLIN, handle, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_comes_is_handled), cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_closed_while_it_runs),  cmocka_unit_test(test_closed_by_itself),
        cmocka_unit_test(test_closed_at_any_time),    cmocka_unit_test(test_what_can_not_be_watched),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
