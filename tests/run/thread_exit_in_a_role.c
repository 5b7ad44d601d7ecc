// pthread_exit in a role's function is a failure of the role, wherever it happens: on a worker, on the thread of the caller
// (which ends when the session has), in a hook, in a codec, in a session inside of a role's function. Nothing is left behind.
//! no-central: the thread is gone
//! sim: any output, since another thread may run what the caller's does here
//! no-process: the threads are counted
// expect: worker, in a block: 50 rescues
// expect: worker, outside of a block: failed, Alice, ended its thread
// expect: hook: failed, Carol, ended its thread
// expect: codec: 1 rescues
// expect: nested: the outer role failed, too: 1 rescues
// expect: thread of the caller, in a block: 7 rescues before it ends
// expect: thread of the caller, outside of a block: ended, others in good order: 1
// expect: thread of the caller, nested: ended
// expect: cancelled: after the session has come to its end
// expect: a cleanup handler of a function that has failed is not run later
// expect: nothing left behind
#define _GNU_SOURCE
#include <chorex.h>
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int n;
} Counted;

static void counted_encode(chx_writer *writer, const void *value);
static bool counted_decode(chx_reader *reader, void *value);
static void counted_drop(void *value);
CHX_CODEC(Counted, counted_encode, counted_decode, counted_drop);

choreography(exits, (Alice, Bob),
    void Alice.leave(int round);
    Counted Alice.make(int round);
    int Bob.see(Counted counted);
    int Bob.note(int kind);

    def run(Alice.int rounds) -> Bob.int {
        Alice.int round = 0;
        Bob.int rescues = 0;
        while (Alice.(round < rounds)) {
            checkpoint {
                Alice.chx_str text = chx_strf("round %d", round);
                Alice.leave(round);
                Alice.text ~> Bob._;
            } rescue (fault) {
                Bob.rescues += note(fault.kind);
            }
            Alice.round++;
        }
        return Bob.rescues;
    }
    def once(Bob.int n) -> Bob.int {
        Bob.n ~> Alice.n;
        Alice.leave(n);
        Alice.n ~> Bob.m;
        return Bob.m;
    }
    def sends(Alice.int n) -> Bob.int {
        Bob.int rescues = 0;
        checkpoint {
            Alice.Counted counted = make(n);
            Alice.counted ~> Bob.Counted got;
            Bob.see(got) ~> Alice._;
        } rescue (fault) {
            Bob.rescues += fault.kind == CHX_FAULT_EXIT;
        }
        return Bob.rescues;
    }
)

#include "exits.Alice.chor.h"
#include "exits.Bob.chor.h"

choreography(hooked, (Carol, Dave),
    void Carol.init(void);
    def run() {
        Carol.(1) ~> Dave._;
    }
)

#include "hooked.Carol.chor.h"
#include "hooked.Dave.chor.h"

choreography(outer, (Eve, Fred),
    int Eve.nested(int rounds);
    void Eve.tell(void);
    void Eve.push_and_fail(void);
    def run(Eve.int rounds) -> Fred.int {
        Fred.int rescues = 0;
        checkpoint {
            Eve.nested(rounds) ~> Fred._;
        } rescue (fault) {
            Fred.rescues += fault.kind == CHX_FAULT_EXIT;
        }
        return Fred.rescues;
    }
    def counts() -> Eve.int {
        Eve.tell();
        Eve.int i = 0;
        while (Eve.(i < 1000)) {
            Eve.i ~> Fred.i;
            Fred.(i + 1) ~> Eve.i;
        }
        return Eve.i;
    }
    def fails() {
        Eve.push_and_fail();
    }
)

#include "outer.Eve.chor.h"
#include "outer.Fred.chor.h"

static atomic_int rescued;

void Alice_leave(int round)
{
    if (round >= 0)
        pthread_exit(NULL);
}

Counted Alice_make(int round) { return (Counted){round}; }
int Bob_see(Counted counted) { return counted.n; }

int Bob_note(int kind)
{
    atomic_fetch_add(&rescued, 1);
    return kind == CHX_FAULT_EXIT;
}

void Carol_init(void) { pthread_exit(NULL); }

int Eve_nested(int rounds)
{
    // Not Alice's failure alone: the thread that is ended is Eve's, too.
    struct exits_run_result result;
    return exits_run(&result, NULL, rounds) == CHX_OK;
}

static void counted_encode(chx_writer *writer, const void *value)
{
    if (((const Counted *)value)->n == 1)
        pthread_exit(NULL);
    chx_write(writer, value, sizeof(Counted));
}

static bool counted_decode(chx_reader *reader, void *value) { return chx_read(reader, value, sizeof(Counted)); }
static void counted_drop(void *value) { (void)value; }

// ---- counting ----

static atomic_long in_use;

static void *allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size == 0) {
        atomic_fetch_sub(&in_use, old != NULL);
        free(old);
        return NULL;
    }
    atomic_fetch_add(&in_use, old == NULL);
    return realloc(old, size);
}

static int entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

// ---- on workers ----

static void on_workers(chx_runtime *runtime)
{
    struct exits_run_result run;
    if (exits_run_wait(exits_run_start(runtime, NULL, 50), &run) == CHX_OK)
        printf("worker, in a block: %d rescues\n", run.Bob);
    struct exits_once_result once;
    chx_status status = exits_once_wait(exits_once_start(runtime, NULL, 0), &once);
    const chx_report *report = chx_last_report();
    if (status == CHX_FAILED && report->kind == CHX_FAULT_EXIT && strstr(report->why, "pthread_exit") != NULL)
        printf("worker, outside of a block: failed, %s, ended its thread\n", report->role);
    status = hooked_run_wait(hooked_run_start(runtime, NULL));
    report = chx_last_report();
    if (status == CHX_FAILED && report->kind == CHX_FAULT_EXIT)
        printf("hook: failed, %s, ended its thread\n", report->role);
    struct exits_sends_result sends;
    if (exits_sends_wait(exits_sends_start(runtime, NULL, 1), &sends) == CHX_OK)
        printf("codec: %d rescues\n", sends.Bob);
    struct outer_run_result outer;
    if (outer_run_wait(outer_run_start(runtime, NULL, 3), &outer) == CHX_OK)
        printf("nested: the outer role failed, too: %d rescues\n", outer.Fred);
}

// ---- on threads of the program ----

static atomic_int returned, cleaned_up;
static sem_t begun, cancel_sent;

static void clean_up(void *argument)
{
    (void)argument;
    // The session is over.
    if (atomic_load(&rescued) == 7)
        atomic_fetch_add(&cleaned_up, 1);
}

static void *in_a_block(void *argument)
{
    struct exits_run_result result;
    pthread_cleanup_push(clean_up, NULL);
    exits_run(&result, NULL, 7);
    atomic_fetch_add(&returned, 1);
    pthread_cleanup_pop(0);
    return argument;
}

static void *outside(void *argument)
{
    exits_once(NULL, NULL, 0);
    atomic_fetch_add(&returned, 1);
    return argument;
}

static void *nested(void *argument)
{
    outer_run(NULL, NULL, 1);
    atomic_fetch_add(&returned, 1);
    return argument;
}

void Eve_tell(void)
{
    sem_post(&begun);
    sem_wait(&cancel_sent);
}

static void *cancelled(void *argument)
{
    struct outer_counts_result result;
    if (outer_counts(&result, NULL) == CHX_OK && result.Eve == 1000)
        atomic_fetch_add(&returned, 1);
    pthread_testcancel();
    return argument;
}

static void *fails(void *argument)
{
    if (outer_fails(NULL) == CHX_FAILED)
        atomic_fetch_add(&returned, 1);
    pthread_exit(NULL);
    return argument;
}

static void must_not_run(void *argument)
{
    (void)argument;
    printf("a cleanup handler was run whose function is gone\n");
}

void Eve_push_and_fail(void)
{
    pthread_cleanup_push(must_not_run, NULL);
    chx_fail("in between");
    pthread_cleanup_pop(0);
}

static void expect_end(void *(*run)(void *), void *expected)
{
    pthread_t thread;
    void *result = &thread;
    if (pthread_create(&thread, NULL, run, &begun) != 0)
        exit(1);
    if (run == cancelled) {
        sem_wait(&begun);
        pthread_cancel(thread);
        sem_post(&cancel_sent);
    }
    if (pthread_join(thread, &result) != 0 || result != expected)
        printf("the thread has not ended as it should\n");
}

static void on_threads_of_the_program(void)
{
    atomic_store(&rescued, 0);
    expect_end(in_a_block, NULL);
    if (atomic_load(&cleaned_up) == 1 && atomic_load(&returned) == 0)
        printf("thread of the caller, in a block: %d rescues before it ends\n", atomic_load(&rescued));
    expect_end(outside, NULL);
    struct exits_once_result once;
    printf("thread of the caller, outside of a block: ended, others in good order: %d\n",
           exits_once(&once, NULL, -1) == CHX_OK && once.Bob == -1);
    expect_end(nested, NULL);
    if (atomic_load(&returned) == 0)
        printf("thread of the caller, nested: ended\n");
    expect_end(cancelled, PTHREAD_CANCELED);
    if (atomic_load(&returned) == 1)
        printf("cancelled: after the session has come to its end\n");
    expect_end(fails, NULL);
    if (atomic_load(&returned) == 2)
        printf("a cleanup handler of a function that has failed is not run later\n");
}

int main(void)
{
    chx_runtime_options options = {.workers = 2, .signals = true, .allocate = allocate};
    sem_init(&begun, 0, 0);
    sem_init(&cancel_sent, 0, 0);
    // What the C library loads to end a thread, and what the default runtime keeps, stays.
    exits_once_wait(exits_once_start(NULL, NULL, 0), NULL);
    int files = entries("/proc/self/fd");
    chx_runtime *runtime = chx_runtime_new(&options);
    on_workers(runtime);
    chx_runtime_free(runtime);
    on_threads_of_the_program();
    if (atomic_load(&in_use) == 0 && entries("/proc/self/fd") == files)
        printf("nothing left behind\n");
    else
        printf("%ld pieces of memory, %d descriptors left behind\n", atomic_load(&in_use),
               entries("/proc/self/fd") - files);
    return 0;
}
