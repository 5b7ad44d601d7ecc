// failure_test.c: sessions that do not go well: roles that fail in every way, casts that don't fit, cancelled sessions,
// no memory. Nothing may hang, leak or be reported wrongly.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/session/fixture.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

// Not under a tool that wants the signals itself.
static bool signals_work(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    bool is_valgrind = preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
    return __asan_init == NULL && __tsan_init == NULL && !is_valgrind;
}

enum { BY_FAIL, BY_SEGV, BY_FPE, BY_ABORT, BY_OVERFLOW, BY_MATCH, BY_LOST, BY_ASSERT, BY_RAISE };

static volatile int zero;

static int overflow(volatile char *deeper)
{
    volatile char here[4096];
    here[0] = deeper != NULL ? deeper[0] : 1;
    return zero == 0 ? here[0] + overflow(here) + here[0] : 0;
}

static void fail_by(chx_self *self, int64_t how)
{
    switch (how) {
    case BY_FAIL:
        chx_fail("no %s today", "luck");
    case BY_SEGV:
        *(volatile int *)(intptr_t)zero = 1;
        break;
    case BY_FPE: {
        volatile int one = 1;
        zero = one / zero;
        break;
    }
    case BY_ABORT:
        abort();
    case BY_OVERFLOW:
        zero = overflow(NULL);
        break;
    case BY_MATCH:
        chx_mismatch(self, 5, "STOP");
    case BY_LOST:
        chx_bad_branch(self, 5);
    case BY_ASSERT:
        assert(zero == 1);
        break;
    case BY_RAISE:
        raise(SIGBUS);
        break;
    }
}

// Owns a string, makes one, sends one that is never read, and fails.
static chx_step failing(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    chx_set_cstring(&f->text, "owned by a frame");
    if (f->i < 3) {
        FixtureFrame *callee = chx_call(self, f->frame.function);
        callee->i = f->i + 1;
        callee->n = f->n;
        return CHX_STEP_CALL;
    }
    chx_str sent = {NULL};
    chx_value_copy(&chx_type_str, &sent, &f->string);
    chx_step_begin(self, 5);
    sent = chx_str_keep(chx_strf("sent and never read"));
    chx_send(self, 0, 2, &sent, sizeof sent);
    chx_alloc(100);
    fail_by(self, f->n);
    return CHX_STEP_WAIT;
}

static chx_step waiting(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    chx_set_cstring(&f->text, "owned by one that waits");
    if (!chx_receive(self, 1, 1, &f->got, sizeof f->got))
        return CHX_STEP_WAIT;
    return chx_return(self, self->top->function);
}

static chx_step silent(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    if (!chx_receive(self, 0, 1, &f->got, sizeof f->got))
        return CHX_STEP_WAIT;
    return chx_return(self, self->top->function);
}

// R0 fails; R1 waits for R2, which waits for R1: only the failure ends them.
static void make_failing(Fixture *fixture)
{
    fixture_init(fixture, 3);
    fixture->sites[1].type = &chx_type_str;
    fixture_role(fixture, 0, failing);
    fixture_role(fixture, 1, waiting);
    fixture_role(fixture, 2, silent);
    fixture_channel(fixture, 0, 1);
    fixture_channel(fixture, 2, 1);
    fixture_channel(fixture, 1, 2);
}

static Fixture failing_fixture;

static void expect_failure(int64_t how, chx_fault_kind kind, int signal, const char *why)
{
    for (int mode = 0; mode < 2; mode++) {
        int64_t results[3] = {77, 77, 77};
        chx_status status;
        if (mode == 0)
            status = fixture_run(&failing_fixture, how, results);
        else
            status = chx_finish(fixture_start(&failing_fixture, NULL, how), results);
        assert_int_equal(status, CHX_FAILED);
        const chx_report *report = chx_last_report();
        assert_int_equal(report->kind, kind);
        assert_int_equal(report->signal, signal);
        assert_string_equal(report->role, "R0");
        assert_string_equal(report->file, "fixture.c");
        assert_int_equal(report->line, 104);
        assert_non_null(strstr(report->why, why));
        for (int i = 0; i < 3; i++)
            assert_int_equal(results[i], 0);
    }
}

static void a_failed_role_ends_the_session_with_a_report(void **state)
{
    (void)state;
    make_failing(&failing_fixture);
    expect_failure(BY_FAIL, CHX_FAULT_FAIL, 0, "no luck today");
    expect_failure(BY_MATCH, CHX_FAULT_PATTERN, 0, "STOP");
    expect_failure(BY_LOST, CHX_FAULT_SYSTEM, 0, "internal error");
}

// cmocka takes the handlers at the beginning of each test; a new runtime takes them back.
static chx_runtime *take_signals(void)
{
    return chx_runtime_new(&(chx_runtime_options){.signals = true});
}

static void fatal_signals_are_failures(void **state)
{
    (void)state;
    if (!signals_work())
        return;
    chx_runtime *runtime = take_signals();
    for (int round = 0; round < 20; round++) {
        expect_failure(BY_SEGV, CHX_FAULT_SIGNAL, SIGSEGV, "SIGSEGV");
        expect_failure(BY_FPE, CHX_FAULT_SIGNAL, SIGFPE, "SIGFPE");
        expect_failure(BY_ABORT, CHX_FAULT_SIGNAL, SIGABRT, "SIGABRT");
        expect_failure(BY_OVERFLOW, CHX_FAULT_SIGNAL, SIGSEGV, "SIGSEGV");
        expect_failure(BY_RAISE, CHX_FAULT_SIGNAL, SIGBUS, "SIGBUS");
    }
    chx_runtime_free(runtime);
}

static void a_failed_assertion_is_a_failure(void **state)
{
    (void)state;
    if (!signals_work())
        return;
    chx_runtime *runtime = take_signals();
    // What assert prints is of no interest here.
    fflush(stderr);
    int saved = dup(2);
    assert_non_null(freopen("/dev/null", "w", stderr));
    expect_failure(BY_ASSERT, CHX_FAULT_SIGNAL, SIGABRT, "SIGABRT");
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    chx_runtime_free(runtime);
}

static int earlier_calls;

static void earlier_handler(int signal)
{
    (void)signal;
    earlier_calls++;
}

static void earlier_handlers_are_chained_and_given_back(void **state)
{
    (void)state;
    struct sigaction mine = {.sa_handler = earlier_handler}, before, now;
    sigaction(SIGBUS, &mine, &before);
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.signals = true});
    raise(SIGBUS);
    chx_runtime_free(runtime);
    raise(SIGBUS);
    sigaction(SIGBUS, &before, &now);
    assert_int_equal(earlier_calls, 2);
    assert_ptr_equal(now.sa_handler, earlier_handler);
}

// A child, so that the parent can look at how it dies.
static int child_dies_with(void (*run)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        assert_non_null(freopen("/dev/null", "w", stderr));
        run();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void run_without_signals(void)
{
    signal(SIGSEGV, SIG_DFL);
    chx_runtime_new(&(chx_runtime_options){.signals = true});
    chx_runtime *runtime = chx_runtime_new(NULL);
    chx_finish(fixture_start(&failing_fixture, runtime, BY_SEGV), NULL);
}

static void fail_outside(void)
{
    chx_fail("nobody there");
}

static void signals_that_are_no_failures_end_the_program(void **state)
{
    (void)state;
    if (!signals_work())
        return;
    make_failing(&failing_fixture);
    assert_int_equal(child_dies_with(run_without_signals), SIGSEGV);
    signal(SIGABRT, SIG_DFL);
    assert_int_equal(child_dies_with(fail_outside), SIGABRT);
}

// ---- hooks ----

static int init_count, fini_count;

static void counting_init(void)
{
    init_count++;
}

static void counting_fini(void)
{
    fini_count++;
}

static void failing_init(void)
{
    chx_fail("no start");
}

static chx_step nothing(chx_self *self, void *variables)
{
    (void)variables;
    return chx_return(self, self->top->function);
}

static void hooks_run_and_may_fail(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, nothing);
    fixture.roles[0].init = counting_init;
    fixture.roles[0].fini = counting_fini;
    assert_int_equal(fixture_run(&fixture, 0, NULL), CHX_OK);
    assert_int_equal(init_count, 1);
    assert_int_equal(fini_count, 1);
    fixture.roles[0].init = failing_init;
    assert_int_equal(fixture_run(&fixture, 0, NULL), CHX_FAILED);
    assert_string_equal(chx_last_report()->why, "no start");
    assert_int_equal(fini_count, 1);
}

// ---- cancel ----

static void a_cancelled_session_ends(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    fixture_role(&fixture, 0, silent);
    fixture_role(&fixture, 1, silent);
    fixture_channel(&fixture, 0, 1);
    fixture_channel(&fixture, 1, 0);
    for (int i = 0; i < 200; i++) {
        chx_session *session = fixture_start(&fixture, NULL, 0);
        assert_null(chx_session_report(session));
        if (i % 2 == 1)
            sched_yield();
        chx_session_cancel(session);
        chx_session_cancel(session);
        assert_int_equal(chx_finish(session, NULL), CHX_CANCELLED);
        assert_string_equal(chx_last_report()->why, "cancelled");
    }
}

static void *wait_for_session(void *argument)
{
    return (void *)(intptr_t)chx_finish(argument, NULL);
}

static void a_session_is_cancelled_while_somebody_waits(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    fixture_role(&fixture, 0, silent);
    fixture_role(&fixture, 1, silent);
    fixture_channel(&fixture, 0, 1);
    fixture_channel(&fixture, 1, 0);
    for (int i = 0; i < 100; i++) {
        chx_session *session = fixture_start(&fixture, NULL, 0);
        pthread_t thread;
        void *status;
        pthread_create(&thread, NULL, wait_for_session, session);
        chx_session_cancel(session);
        pthread_join(thread, &status);
        assert_int_equal((intptr_t)status, CHX_CANCELLED);
    }
}

// ---- casts that don't fit ----

static void expect_refused(Fixture *fixture, chx_status status, const char *why)
{
    int64_t results[2];
    assert_int_equal(fixture_run(fixture, 0, results), status);
    assert_int_equal(chx_last_report()->kind, CHX_FAULT_SYSTEM);
    if (strstr(chx_last_report()->why, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, chx_last_report()->why);
    assert_null(fixture_start(fixture, NULL, 0));
}

static void a_cast_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    static Fixture fixture, other;
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, nothing);
    fixture.choreography.name = "unheard";
    expect_refused(&fixture, CHX_INVALID, "which plays R0 of play");
    fixture.choreography.name = "play";
    fixture.roles[0].digest = 8;
    expect_refused(&fixture, CHX_INVALID, "another version of the choreography: rebuild");
    fixture.roles[0].digest = 7;
    fixture.roles[0].version++;
    expect_refused(&fixture, CHX_INVALID, "another version of the chorex library");
    fixture.roles[0].version--;
    fixture.cast[0].isolation = CHX_PROCESS;
    expect_refused(&fixture, CHX_INVALID, "can't be found by its name in a new process");
    fixture.cast[0].isolation = CHX_THREAD;
    assert_int_equal(fixture_run(&fixture, 0, NULL), CHX_OK);
    fixture.cast[0].isolation = (chx_isolation)7;
    expect_refused(&fixture, CHX_INVALID, "none that exists");

    // One-sided channels.
    fixture_init(&other, 2);
    fixture_role(&other, 0, nothing);
    fixture_role(&other, 1, nothing);
    fixture_channel(&other, 0, 1);
    other.roles[1].receives_from_count = 0;
    expect_refused(&other, CHX_INVALID, "don't fit together");
}

static void a_role_is_found_by_its_name(void **state)
{
    (void)state;
    static Fixture fixture;
    static chx_role second, third;
    static chx_registration registrations[3];
    fixture_init(&fixture, 1);
    fixture_role(&fixture, 0, nothing);
    fixture.choreography.name = fixture.roles[0].choreography = "found";
    fixture.cast[0].role = NULL;
    expect_refused(&fixture, CHX_UNCAST, "no implementation of R0 in this program: include \"found.R0.chor.h\"");

    fixture.roles[0].name = "first";
    registrations[0].role = &fixture.roles[0];
    chx_register(&registrations[0]);
    assert_int_equal(fixture_run(&fixture, 0, NULL), CHX_OK);

    second = fixture.roles[0];
    second.name = "second";
    registrations[1].role = &second;
    chx_register(&registrations[1]);
    expect_refused(&fixture, CHX_UNCAST, "several implementations of R0: second, first");

    third = fixture.roles[0];
    third.name = "found_R0";
    registrations[2].role = &third;
    chx_register(&registrations[2]);
    assert_int_equal(fixture_run(&fixture, 0, NULL), CHX_OK);
    second.name = "first";
    static chx_registration again;
    again.role = &second;
    chx_register(&again);
    expect_refused(&fixture, CHX_INVALID, "are called first");
}

// ---- a message of the wrong site ----

static chx_step wrong_out(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    chx_send(self, 0, 9, &f->i, sizeof f->i);
    return chx_return(self, self->top->function);
}

static void a_wrong_site_is_never_taken(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    fixture_role(&fixture, 0, wrong_out);
    fixture_role(&fixture, 1, silent);
    fixture_channel(&fixture, 0, 1);
    assert_int_equal(fixture_run(&fixture, 0, NULL), CHX_FAILED);
    assert_string_equal(chx_last_report()->why, "internal error: message of site 9 where 1 was expected");
    assert_string_equal(chx_last_report()->role, "R1");
}

// ---- no memory ----

typedef struct {
    _Atomic long until_failure;
    _Atomic long held;
} Scarce;

static void *scarce_allocate(void *context, void *old, size_t size)
{
    Scarce *scarce = context;
    if (size == 0) {
        if (old != NULL)
            scarce->held--;
        free(old);
        return NULL;
    }
    if (scarce->until_failure-- <= 0)
        return NULL;
    scarce->held++;
    return realloc(old, size);
}

static chx_step greedy(chx_self *self, void *variables)
{
    FixtureFrame *f = variables;
    chx_step_begin(self, 1);
    chx_strf("pooled");
    chx_alloc(10);
    chx_step_end(self);
    if (f->i < 40 && f->frame.at == 0) {
        f->frame.at = 1;
        chx_str sent = chx_str_keep(chx_strf("%*d", 300, 1));
        chx_send(self, 0, 2, &sent, sizeof sent);
        FixtureFrame *callee = chx_call(self, f->frame.function);
        callee->i = f->i + 1;
        return CHX_STEP_CALL;
    }
    return chx_return(self, self->top->function);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    fixture.sites[1].type = &chx_type_str;
    fixture_role(&fixture, 0, greedy);
    fixture_role(&fixture, 1, nothing);
    fixture_channel(&fixture, 0, 1);
    bool succeeded = false;
    for (long n = 0; n < 300 && !succeeded; n++) {
        Scarce scarce = {.until_failure = n};
        chx_runtime *runtime = chx_runtime_new(
            &(chx_runtime_options){.workers = 1, .allocate = scarce_allocate, .allocate_context = &scarce});
        if (runtime == NULL)
            continue;
        chx_session *session = fixture_start(&fixture, runtime, 0);
        if (session == NULL) {
            assert_int_equal(chx_last_report()->kind, CHX_FAULT_SYSTEM);
        } else {
            chx_status status = chx_finish(session, NULL);
            assert_true(status == CHX_OK || status == CHX_FAILED);
            if (status == CHX_FAILED)
                assert_string_equal(chx_last_report()->why, "out of memory");
            succeeded = status == CHX_OK;
        }
        chx_runtime_free(runtime);
        assert_int_equal(scarce.held, 0);
    }
    assert_true(succeeded);
}

// ---- sequential programs ----

static void central_body(chx_self *self, void *closure)
{
    int *how = closure;
    chx_central_at(self, 0, 4, 44);
    chx_strf("pooled");
    chx_alloc(10);
    if (strcmp(chx_role_name(), "R0") != 0)
        chx_fail("wrong role");
    chx_step_end(self);
    chx_central_at(self, 1, 5, 45);
    if (*how == 1)
        chx_fail("in %s", chx_role_name());
    if (*how == 2)
        chx_central_mismatch(self, "x");
}

static void sequential_programs_report_the_same_way(void **state)
{
    (void)state;
    static Fixture fixture;
    fixture_init(&fixture, 2);
    int how = 0;
    int64_t results[2] = {1, 2}, out[2] = {0};
    // Roles that were compiled as usual can't take part: what they do is in their entries.
    assert_int_equal(chx_central(&fixture.choreography, fixture.cast, central_body, &how), CHX_INVALID);
    assert_non_null(strstr(chx_last_report()->why, "is no part of a sequential program"));
    fixture.roles[0].entry_count = fixture.roles[1].entry_count = 0;
    assert_int_equal(chx_central(&fixture.choreography, fixture.cast, central_body, &how), CHX_OK);
    how = 1;
    assert_int_equal(chx_central(&fixture.choreography, fixture.cast, central_body, &how), CHX_FAILED);
    assert_string_equal(chx_last_report()->why, "in R1");
    assert_string_equal(chx_last_report()->role, "R1");
    assert_int_equal(chx_last_report()->line, 45);
    how = 2;
    chx_session *session = chx_central_start(&fixture.choreography, 0, fixture.cast, central_body, &how, results);
    assert_int_equal(chx_session_report(session)->kind, CHX_FAULT_PATTERN);
    assert_int_equal(chx_finish(session, out), CHX_FAILED);
    how = 0;
    session = chx_central_start(&fixture.choreography, 0, fixture.cast, central_body, &how, results);
    assert_int_equal(chx_finish(session, out), CHX_OK);
    assert_int_equal(out[1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        // First: the default runtime keeps the handlers.
        cmocka_unit_test(earlier_handlers_are_chained_and_given_back),
        cmocka_unit_test(a_failed_role_ends_the_session_with_a_report),
        cmocka_unit_test(fatal_signals_are_failures),
        cmocka_unit_test(a_failed_assertion_is_a_failure),
        cmocka_unit_test(signals_that_are_no_failures_end_the_program),
        cmocka_unit_test(hooks_run_and_may_fail),
        cmocka_unit_test(a_cancelled_session_ends),
        cmocka_unit_test(a_session_is_cancelled_while_somebody_waits),
        cmocka_unit_test(a_cast_that_does_not_fit_is_refused),
        cmocka_unit_test(a_role_is_found_by_its_name),
        cmocka_unit_test(a_wrong_site_is_never_taken),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(sequential_programs_report_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
