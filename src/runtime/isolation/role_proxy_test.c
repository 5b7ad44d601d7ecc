// role_proxy_test.c: the life of isolated roles: failures, restarts, processes that can't be started or don't end, a zygote
// that does not answer, deadlines.

#include "runtime/isolation/role_proxy_fixture.h"

#include "runtime/session/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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
    begin(all);
    process_fixture_post(&proxies[0], (ControlHead){4, CONTROL_FAIL, 7, CHX_FAULT_PATTERN}, "nope");
    serve();
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
    assert_string_equal(why, "nope");
    assert_int_equal(chx_last_report()->kind, CHX_FAULT_PATTERN);
    assert_int_equal(chx_last_report()->line, 106);
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
    Descriptor *socket = &zygote()->socket, before = *socket;
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
    timer_heap_remove(&process_fixture.isolation->loop.timers, &isolated->attention.timer);
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
        uint64_t now = now_ns();
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
    begin_outer();
    die(0);
    die(1);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    is_rung();
    refuse(0, EAGAIN);
    refuse(1, EAGAIN);
    assert_true(is_rung());
    uint64_t now = now_ns();
    run_timers(now);
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(proxies[1].state, PROXY_LEFT);
    die(2);
    die(3);
    assert_false(is_there);
    assert_int_equal(finish(), CHX_FAILED);
}

static void orphan(unsigned role)
{
    isolated_block_lock(isolated);
    proxy_orphan(&proxies[role]);
    isolated_block_unlock(isolated);
    process_fixture_hear(&process_fixture);
}

// The zygote is lost before it has done what it was asked for: the next one is asked. If that goes on, it is given up.
static void who_was_not_spawned_when_the_zygote_was_lost_is_asked_for_again(void **state)
{
    (void)state;
    begin(all);
    uint64_t spawned = process_fixture.spawned;
    for (unsigned i = 0; i <= UNSPAWNED_MAX; i++) {
        atomic_store(&proxies[0].control->begun, 0);
        orphan(0);
        assert_int_equal(proxies[0].state, i < UNSPAWNED_MAX ? PROXY_ALIVE : PROXY_WAITS);
    }
    assert_int_equal(process_fixture.spawned, spawned + UNSPAWNED_MAX);
    run_timers(now_ns());
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(finish(), CHX_FAILED);
    assert_non_null(strstr(why, "ends each time"));
    // One that had begun has died.
    begin(all);
    orphan(0);
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
    set_kill_pending(0, "bad");
    run_timers(proxies[0].end_ns - 1);
    assert_int_equal(atomic_load(&zygote()->pinged_ns), 0);
    uint64_t asked_ns = proxies[0].end_ns;
    run_timers(asked_ns);
    assert_int_equal(atomic_load(&zygote()->pinged_ns), asked_ns);
    assert_int_equal(proxies[0].state, PROXY_ALIVE);
    atomic_store(&zygote()->heard_ns, asked_ns);
    atomic_store(&zygote()->pinged_ns, 0);
    run_timers(proxies[0].end_ns);
    assert_int_equal(proxies[0].state, PROXY_LEFT);
    assert_int_equal(finish(), CHX_FAILED);
    assert_string_equal(why, "bad");
}

// A process in the place of the zygote, which does nothing.
static pid_t zygote_play(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    zygote()->pid = pid;
    zygote()->pid_time = platform_posix.process_time(pid);
    return pid;
}

// It was killed.
static void zygote_has_ended(pid_t pid)
{
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < 5000 && ended == 0; i++) {
        ended = waitpid(pid, &status, WNOHANG);
        usleep(1000);
    }
    assert_int_equal(ended, pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    zygote()->pid = 0;
    atomic_store(&zygote()->pinged_ns, 0);
    atomic_store(&zygote()->is_terminated, false);
}

// It could not be asked: that is no kill, whatever it answers.
static void a_kill_that_was_not_sent_is_sent_again(void **state)
{
    (void)state;
    begin(all);
    Descriptor *socket = &zygote()->socket, before = *socket;
    *socket = NO_DESCRIPTOR;
    set_kill_pending(0, "bad");
    atomic_store(&zygote()->heard_ns, UINT64_MAX - 1);
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
    begin(all);
    pid_t pid = zygote_play();
    // Another process with its number is left alone.
    zygote()->pid_time = 1;
    zygote_terminate(zygote());
    atomic_store(&zygote()->is_terminated, false);
    zygote()->pid_time = platform_posix.process_time(pid);
    assert_true(zygote()->pid_time > 1);
    set_kill_pending(0, "bad");
    for (unsigned i = 0; i <= UNANSWERED_MAX; i++) {
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        run_timers(proxies[0].end_ns);
    }
    zygote_has_ended(pid);
    die(0);
    assert_int_equal(finish(), CHX_FAILED);
}

// The same while nothing is asked of it: a role may have ended, and nobody else would say so.
static void a_zygote_is_asked_whether_it_listens(void **state)
{
    (void)state;
    begin(all);
    pid_t pid = zygote_play();
    uint64_t now = 1, asked = process_fixture.killed;
    // It answers each time, though late.
    for (unsigned i = 0; i < 3; i++) {
        assert_true(isolation_ping(process_fixture.isolation, now++));
        assert_int_equal(atomic_load(&zygote()->pinged_ns), now - 1);
        for (unsigned silences = 1; silences < SILENCE_LOOKS; silences++)
            assert_true(isolation_ping(process_fixture.isolation, now++));
        process_fixture_hear(&process_fixture);
        assert_int_equal(process_fixture.killed, asked + i + 1);
        atomic_store(&zygote()->pinged_ns, 0);
    }
    // It does not any more.
    assert_true(isolation_ping(process_fixture.isolation, now++));
    for (unsigned silences = 0; silences < SILENCE_LOOKS; silences++) {
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        isolation_ping(process_fixture.isolation, now++);
    }
    zygote_has_ended(pid);
    assert_int_equal(finish(), CHX_CANCELLED);
}

// ---- many sessions ----

enum { SESSIONS = 24 };

static void door_write(uint64_t id)
{
    int door = event_loop_door(&process_fixture.isolation->loop);
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
    assert_int_equal(isolation->loop.timers.first->due_ns, at_ns);
    assert_true(event_loop_run(&isolation->loop, at_ns));
    assert_false(event_loop_run(&isolation->loop, at_ns));
    for (unsigned i = 0; i < SESSIONS; i++)
        assert_int_equal(of[i]->proxies[2].kill_ns, i == 3 ? 0 : at_ns);
    // A session is stopped: its roles are killed.
    chx_session_cancel(many[5]);
    assert_true(event_loop_run(&isolation->loop, now_ns()));
    assert_false(event_loop_run(&isolation->loop, now_ns()));
    for (unsigned i = 0; i < SESSIONS; i++)
        assert_int_equal(of[i]->proxies[0].fault.kind != CHX_FAULT_NONE, i == 5);
    assert_int_equal(of[5]->proxies[2].kill_ns, 0); // or the supervisor thread would never sleep
    assert_int_equal(answered(many), 1);
    // More have rung than there is room for: who could not is found, too.
    uint64_t nobody = 0;
    while (write(event_loop_door(&isolation->loop), &nobody, sizeof nobody) > 0)
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
    enum { MANY = 3 * PROXY_BUCKETS };
    static Isolation other = {.lock = PTHREAD_MUTEX_INITIALIZER};
    IsolatedSession of_other = {.isolation = &other};
    RoleProxy *many = calloc(MANY, sizeof *many);
    assert_null(isolation_find(&other, 1));
    for (unsigned i = 0; i < MANY; i++) {
        many[i].isolated = &of_other;
        isolation_list(&many[i]);
    }
    for (unsigned i = 0; i < MANY; i += 2)
        isolation_forget(&many[i]);
    for (unsigned i = 0; i < MANY; i++)
        assert_ptr_equal(isolation_find(&other, i + 1), i % 2 != 0 ? &many[i] : NULL);
    assert_null(isolation_find(&other, 0));
    assert_null(isolation_find(&other, UINT64_MAX));
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
    set_kill_pending(0, "something else");
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

// When the earliest deadline of a block is. UINT64_MAX: there is none.
static uint64_t next_deadline_ns(void)
{
    EventLoop *loop = &process_fixture.runtime->loop;
    pthread_mutex_lock(&loop->lock);
    uint64_t due_ns = loop->timers.first != NULL ? loop->timers.first->due_ns : UINT64_MAX;
    pthread_mutex_unlock(&loop->lock);
    return due_ns;
}

// The earliest one passes.
static void deadlines_pass(void)
{
    event_loop_run(&process_fixture.runtime->loop, next_deadline_ns());
    process_fixture_hear(&process_fixture);
}

static void who_is_late_is_named_and_rolled_back(void **state)
{
    (void)state;
    begin(all);
    enter(2, PROCESS_FIXTURE_TIMED);
    control_arrive(0, PROCESS_FIXTURE_TIMED);
    serve();
    event_loop_run(&process_fixture.runtime->loop, next_deadline_ns() - 1);
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
    assert_true(next_deadline_ns() != UINT64_MAX);
    deadlines_pass();
    assert_int_equal(savepoint_top(proxies[0].actor)->position.attempt, 2);
    assert_int_equal(next_deadline_ns(), UINT64_MAX);
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
        assert_int_equal(next_deadline_ns(), UINT64_MAX - 1);
        deadlines_pass();
        if (depth == 1) {
            assert_int_equal(proxies[2].actor->member.count, 1);
            assert_string_equal(fault_of(2)->role, "R0");
        }
        assert_int_equal(next_deadline_ns(), UINT64_MAX);
        assert_int_equal(finish(), depth == 1 ? CHX_CANCELLED : CHX_FAILED);
        assert_int_equal(chx_last_report()->kind, depth == 1 ? CHX_FAULT_SYSTEM : CHX_FAULT_DEADLINE);
    }
}

static void each_attempt_has_a_deadline_until_the_block_ends(void **state)
{
    (void)state;
    begin(all);
    enter(3, PROCESS_FIXTURE_TIMED);
    serve();
    uint64_t first_ns = next_deadline_ns();
    die(0);
    assert_true(next_deadline_ns() > first_ns);
    for (unsigned i = 0; i < 3; i++) {
        if (i != 0)
            control_ready(i);
        control_arrive(i, PROCESS_FIXTURE_TIMED);
    }
    serve();
    assert_int_equal(next_deadline_ns(), UINT64_MAX);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void the_earliest_deadline_comes_first(void **state)
{
    (void)state;
    begin_outer();
    control_enter(0, PROCESS_FIXTURE_STRICT);
    serve();
    assert_int_equal(next_deadline_ns(), UINT64_MAX - 1);
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    assert_true(next_deadline_ns() < UINT64_MAX - 1);
    assert_int_equal(finish(), CHX_CANCELLED);
    begin_outer();
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    uint64_t first_ns = next_deadline_ns();
    control_enter(0, PROCESS_FIXTURE_STRICT);
    serve();
    assert_int_equal(next_deadline_ns(), first_ns);
    assert_int_equal(finish(), CHX_CANCELLED);
}

static void a_block_that_is_no_more_has_no_deadline(void **state)
{
    (void)state;
    begin_outer();
    control_enter(0, PROCESS_FIXTURE_TIMED);
    serve();
    assert_true(next_deadline_ns() != UINT64_MAX);
    die(2);
    assert_int_equal(next_deadline_ns(), UINT64_MAX);
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
        proxy_take_controls(&proxies[i], CONTROLS_PER_TURN);
    uint64_t due_ns = next_deadline_ns();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_deadline, &due_ns), 0);
    while (next_deadline_ns() != UINT64_MAX)
        sched_yield();
    proxy_take_controls(&proxies[2], CONTROLS_PER_TURN);
    isolated_block_unlock(isolated);
    pthread_join(thread, NULL);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(proxies[i].goes, 1);
        assert_int_equal(savepoint_top(proxies[i].actor)->position.attempt, 0);
        assert_int_equal(proxies[i].actor->member.awaited, 0);
    }
    assert_int_equal(finish(), CHX_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    process_fixture_init(&process_fixture);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    process_fixture_fini(&process_fixture);
    return failed;
}
