// role_proxy.c: the life of an isolated role, as the program that runs the session sees it: it is rolled back, killed, found
// dead and started again. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/actor/observe.h"
#include "runtime/durable/durable.h"
#include "runtime/recovery/restart.h"
#include "runtime/session/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static uint64_t proxy_now_ns(const RoleProxy *proxy)
{
    return proxy->isolated->session->runtime->platform->now_ns();
}

// A failure of the role, at the step that its process was last seen at.
static void proxy_set_fault(const RoleProxy *proxy, Fault *fault, chx_fault_kind kind, const char *format,
                            va_list arguments)
{
    *fault = (Fault){.kind = kind, .site = proxy->control->actor.self.site};
    vsnprintf(fault->why, sizeof fault->why, format, arguments);
}

static void proxy_fail_with(RoleProxy *proxy, const Fault *fault)
{
    const Actor *actor = proxy->actor;
    session_fail(proxy->isolated->session, CHX_FAILED, actor->role->role, fault, actor_site_file(actor, fault->site),
                 actor_site_line(actor, fault->site));
}

void proxy_fail_session(RoleProxy *proxy, chx_fault_kind kind, const char *format, ...)
{
    Fault fault;
    va_list arguments;
    va_start(arguments, format);
    proxy_set_fault(proxy, &fault, kind, format, arguments);
    va_end(arguments);
    proxy_fail_with(proxy, &fault);
}

// ---- rolling back ----

// Drops what the role has saved for the innermost block that it is in.
static void proxy_pop(RoleProxy *proxy)
{
    Actor *actor = proxy->actor;
    proxy->saved_bytes -= savepoint_top(actor)->saved_bytes + SAVEPOINT_BYTES;
    free(savepoint_top(actor)->kept);
    savepoint_pop(actor);
}

// What the role has saved for the next round is what it goes back to from now on.
static void proxy_begin_round(RoleProxy *proxy)
{
    Savepoint *savepoint = savepoint_top(proxy->actor);
    position_renew(&savepoint->position);
    savepoint_count_round(proxy->actor, savepoint);
    free(savepoint->kept);
    savepoint->kept = proxy->next_round;
    proxy->next_round = NULL;
    proxy->saved_bytes = proxy->saved_bytes - savepoint->saved_bytes + proxy->next_round_bytes;
    savepoint->saved_bytes = proxy->next_round_bytes;
}

static bool proxy_is_durable(const RoleProxy *proxy, const chx_checkpoint *checkpoint)
{
    return checkpoint->is_durable && proxy->isolated->session->durable != NULL;
}

bool proxy_is_let_in(const RoleProxy *proxy)
{
    const Savepoint *savepoint = savepoint_top(proxy->actor);
    return savepoint != NULL && proxy_is_durable(proxy, savepoint->position.checkpoint) && !proxy->waits_for_store;
}

void proxy_roll_back(RoleProxy *proxy)
{
    Actor *actor = proxy->actor;
    Savepoint *target = (Savepoint *)(void *)recovery_behind(&actor->member);
    if (target == NULL) {
        atomic_store(&proxy->control->late, ++proxy->late);
        return;
    }
    if (!recovery_return(&actor->session->recovery, &actor->member, &target->position)) {
        proxy->isolated->lacks = actor->session->recovery.lacks;
        isolated_attend(proxy->isolated);
    }
    while (savepoint_top(actor) != target)
        proxy_pop(proxy);
    savepoint_forget_counts(actor, target);
    savepoint_set_epochs(actor, target->position.checkpoint, target->position.block->epoch, true);
    actor->member.awaited = target->position.block->epoch;
    if (proxy_is_durable(proxy, target->position.checkpoint)) {
        proxy->waits_for_store = true;
        durable_go_back(actor, actor->member.count - 1);
    }
    proxy_command(proxy, target);
}

// So many blocks as are left by now: the process may go on.
static void proxy_publish(RoleProxy *proxy)
{
    atomic_store(&proxy->control->goes, proxy->goes);
    doorbell_ring(proxy->doorbell);
}

static void proxy_settle(RoleProxy *proxy)
{
    const Savepoint *savepoint = savepoint_top(proxy->actor);
    if (proxy->waits_for_store && savepoint != NULL && durable_lets_in(proxy->actor, &savepoint->position)) {
        proxy->waits_for_store = false;
        proxy->goes++;
    }
    proxy_publish(proxy);
}

void proxy_go(RoleProxy *proxy, Block *block)
{
    Actor *actor = proxy->actor;
    bool is_held = proxy_is_durable(proxy, block->checkpoint); // until the store knows
    CHECK(savepoint_top(actor) != NULL && savepoint_top(actor)->position.block == block);
    if (block->done) {
        recovery_leave(&actor->session->recovery, &savepoint_top(actor)->position, true);
        proxy_pop(proxy);
    } else {
        proxy_begin_round(proxy);
    }
    proxy->deaths = 0;
    proxy->goes++;
    if (!is_held)
        proxy_publish(proxy);
}

static void op_roll_back(Proxy *proxy)
{
    RoleProxy *role = (RoleProxy *)(void *)proxy;
    proxy_roll_back_in(role, proxy_main(role));
}

static void op_go(Proxy *proxy, Block *block)
{
    proxy_go((RoleProxy *)(void *)proxy, block);
}

static void op_settle(Proxy *proxy)
{
    proxy_settle((RoleProxy *)(void *)proxy);
}

const ProxyOps role_proxy_ops = {op_roll_back, op_go, op_settle};

void proxy_hurry(RoleProxy *proxy)
{
    proxy->kill_ns = proxy_now_ns(proxy) + ROLLBACK_GRACE_NS;
    proxy->is_recovered = false;
    proxy_schedule(proxy);
}

void isolation_overdue(Session *session, const chx_checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->participant_count; i++) {
        unsigned role = checkpoint->participants[i];
        RoleProxy *proxy = role_proxy(&session->root->actors[role]);
        if (proxy != NULL && proxy->actor->session == session && proxy->actor->member.awaited != 0 &&
            proxy->state == PROXY_ALIVE)
            proxy_hurry(proxy);
    }
}

// ---- the end of a process ----

// If the zygote can't be asked, it is asked again soon; if that goes on, the zygote is killed.
static void proxy_ask_for_end(RoleProxy *proxy)
{
    Zygote *zygote = &proxy->isolated->isolation->zygote;
    uint64_t now_ns = proxy_now_ns(proxy);
    bool is_asked = zygote_kill(zygote, proxy->id);
    if (!is_asked && proxy->unasked++ == UNASKED_MAX)
        zygote_terminate(zygote);
    proxy->killed_ns = is_asked ? now_ns : 0;
    proxy->end_ns = now_ns + (is_asked ? END_MAX_NS : RESTART_DELAY_NS);
    proxy_schedule(proxy);
}

static void proxy_kill(RoleProxy *proxy)
{
    if (proxy->state != PROXY_ALIVE)
        return;
    proxy->begin_ns = 0;
    proxy->unanswered = proxy->unasked = 0;
    proxy_ask_for_end(proxy);
}

void proxy_set_kill_pending(RoleProxy *proxy, chx_fault_kind kind, const char *format, ...)
{
    if (proxy->fault.kind != CHX_FAULT_NONE || proxy->state != PROXY_ALIVE)
        return;
    va_list arguments;
    va_start(arguments, format);
    proxy_set_fault(proxy, &proxy->fault, kind, format, arguments);
    va_end(arguments);
    proxy_kill(proxy);
}

// The role was rolled back, and its time to come back is up. Once it obeys the command it is not killed for having been
// late, since it may act in the new attempt; but then it has to say soon that it has come back.
static void proxy_kill_overdue(RoleProxy *proxy)
{
    uint64_t state = (uint64_t)proxy->command_number * 2;
    bool is_revoked = atomic_compare_exchange_strong(&proxy->control->command_state, &state, COMMAND_REVOKED);
    if (!is_revoked && !proxy->is_recovered) {
        proxy->is_recovered = true;
        proxy->kill_ns = proxy_now_ns(proxy) + READY_GRACE_NS;
        return;
    }
    proxy_set_kill_pending(proxy, CHX_FAULT_DEADLINE, "killed: it did not come back when the block's time was up");
}

// There is no process any more, and none of its times matters.
static void proxy_forget_process(RoleProxy *proxy, ProxyState state)
{
    isolation_forget(proxy);
    proxy->state = state;
    proxy->kill_ns = proxy->restart_ns = proxy->begin_ns = proxy->end_ns = 0;
    proxy_schedule(proxy);
}

void proxy_abandon_blocks(RoleProxy *proxy)
{
    while (proxy->actor->member.count > 0) {
        recovery_abandon(&proxy->actor->session->recovery, &proxy->actor->member);
        proxy_pop(proxy);
    }
}

void proxy_leave(RoleProxy *proxy)
{
    while (proxy->arm != NULL)
        proxy_give_up_arm(proxy);
    proxy_abandon_blocks(proxy);
    proxy_kill(proxy);
    proxy_forget_process(proxy, PROXY_LEFT);
    proxy_leave_given_up(proxy);
    atomic_store(&proxy->actor->has_left, true);
    proxy_rest(proxy);
    proxy->isolated->left_count++;
}

static void fault_of_status(Fault *fault, int status, const RoleProxy *proxy)
{
    bool had_begun = atomic_load(&proxy->control->begun) != 0;
    *fault = (Fault){.kind = CHX_FAULT_EXIT, .site = proxy->control->actor.self.site};
    if (!had_begun && WIFEXITED(status) && WEXITSTATUS(status) == PROCESS_NO_MEMORY) {
        snprintf(fault->why, sizeof fault->why, "its process has found no memory to begin with");
        return;
    }
    if (!WIFSIGNALED(status)) {
        snprintf(fault->why, sizeof fault->why, "its process ended with exit status %d", WEXITSTATUS(status));
        return;
    }
    fault->kind = CHX_FAULT_SIGNAL;
    fault->signal = WTERMSIG(status);
    const char *name = report_signal_name(fault->signal);
    const chx_sandbox *sandbox = (const chx_sandbox *)(const void *)proxy->sandbox.data;
    if (fault->signal == SIGSYS && sandbox != NULL && sandbox->filter != CHX_FILTER_NONE)
        snprintf(fault->why, sizeof fault->why, "SIGSYS: its sandbox's filter stopped it at a system call");
    else if (strcmp(name, "signal") == 0)
        snprintf(fault->why, sizeof fault->why, "signal %d", fault->signal);
    else
        snprintf(fault->why, sizeof fault->why, "%s", name);
}

void proxy_blame(RoleProxy *proxy, const char *peer)
{
    if (proxy->state == PROXY_ALIVE)
        proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, "its process sent %s what is no message", peer);
    else if (proxy->state == PROXY_LEFT)
        proxy_fail_session(proxy, CHX_FAULT_EXIT, "its process ended, but %s still had to hear from it or to be heard",
                           peer);
    // Else the process is dead, what it wrote was checked then, and another one goes on.
}

// ---- death and restart ----

// Does a block of the session, or of the arm, that it is in take a failure up?
static bool proxy_is_taken_up(const RoleProxy *proxy)
{
    const Member *member = &proxy->actor->member;
    return !session_is_stopping(proxy->actor->session) && (member->awaited != 0 || recovery_in_charge(member) != NULL);
}

// True: a block takes the failure up, and a new process goes on there.
static bool proxy_recover(RoleProxy *proxy, Fault *fault)
{
    // An arm that is in no block of its own counts for what is around the `par`.
    while (proxy->arm != NULL && !proxy_is_taken_up(proxy))
        proxy_give_up_arm(proxy);
    Actor *actor = proxy->actor;
    SourcePlace place = actor_site_place(actor, fault->site);
    if (!restart_decide(actor, fault, place, actor->member.awaited != 0))
        return false;
    if (!proxy_repair(proxy)) {
        strcpy(fault->why, "its process destroyed messages that it had sent before the block, or had not received");
        return false;
    }
    restart_log(actor, fault, place);
    return true;
}

static uint64_t restart_delay_ns(const RoleProxy *proxy)
{
    if (proxy->deaths <= RESTARTS_AT_ONCE)
        return 0;
    unsigned doublings = proxy->deaths - RESTARTS_AT_ONCE - 1;
    return doublings < 10 ? (uint64_t)RESTART_DELAY_NS << doublings : RESTART_DELAY_MAX_NS;
}

void proxy_died(RoleProxy *proxy, int status)
{
    Session *session = proxy->isolated->session;
    if (proxy->state != PROXY_ALIVE)
        return;
    // What the process said before it died counts; it may have ended the role.
    proxy_take_controls(proxy, CONTROLS_ALL);
    if (proxy->state != PROXY_ALIVE)
        return;
    proxy_forget_process(proxy, PROXY_WAITS);
    proxy->unspawned = 0;
    Fault fault = proxy->fault;
    if (fault.kind == CHX_FAULT_NONE)
        fault_of_status(&fault, status, proxy);
    // A process that failed by itself has written that into the trace.
    if ((proxy->actor->self.observed & OBSERVED_TRACE) != 0 && proxy->fault.kind != CHX_FAULT_FAIL &&
        proxy->fault.kind != CHX_FAULT_PATTERN && proxy->fault.kind != CHX_FAULT_SYSTEM &&
        proxy->fault.kind != CHX_FAULT_AGREE)
        trace_turn(proxy->actor, ACTOR_FAILED, &fault);
    proxy->deaths++;
    bool is_recovered = !session_is_stopping(session) && proxy_recover(proxy, &fault);
    proxy_leave_given_up(proxy); // there is no process any more
    isolated_wake_all(proxy->isolated);
    if (!is_recovered) {
        proxy_fail_with(proxy, &fault);
        proxy_leave(proxy);
        return;
    }
    uint64_t delay_ns = restart_delay_ns(proxy);
    if (delay_ns == 0) {
        proxy_spawn(proxy);
    } else {
        proxy->restart_ns = proxy_now_ns(proxy) + delay_ns;
        proxy_schedule(proxy);
    }
}

void proxy_not_spawned(RoleProxy *proxy, int error)
{
    if (proxy->state != PROXY_ALIVE)
        return;
    proxy_forget_process(proxy, PROXY_WAITS);
    const Zygote *zygote = &proxy->isolated->isolation->zygote;
    const char *why = strerrordesc_np(error);
    if (error == EBADF)
        why = DESCRIPTOR_LOST;
    else if (error == ETIMEDOUT)
        why = "the process that starts isolated roles does not answer";
    else if (error == ECHILD)
        why = zygote->why[0] != '\0' ? zygote->why : "the process that starts isolated roles ends each time";
    proxy_fail_session(proxy, CHX_FAULT_SYSTEM, "no process could be started for it: %.400s", why);
    // The role leaves on the supervisor thread, which is not woken for a session that has failed before.
    isolated_attend(proxy->isolated);
}

void proxy_orphan(RoleProxy *proxy)
{
    if (atomic_load(&proxy->control->begun) != 0) {
        proxy_died(proxy, SIGKILL);
    } else if (proxy->unspawned++ == UNSPAWNED_MAX) {
        proxy_not_spawned(proxy, ECHILD);
    } else {
        isolation_forget(proxy);
        proxy_spawn(proxy);
    }
}

void proxy_lost_touch(RoleProxy *proxy)
{
    if (proxy->state == PROXY_LEFT)
        return;
    proxy_fail_session(proxy, CHX_FAULT_SYSTEM, "%s: its process can't be reached any more", DESCRIPTOR_LOST);
    proxy_leave(proxy);
}

// ---- timers ----

// The process was killed, and has not ended. If the zygote has answered since, it has killed the process: that is stuck in
// the system then, and will do nothing any more. If not, the zygote is stuck.
static void proxy_look_for_end(RoleProxy *proxy, uint64_t now_ns)
{
    Zygote *zygote = &proxy->isolated->isolation->zygote;
    if (proxy->killed_ns == 0) {
        proxy_ask_for_end(proxy);
        return;
    }
    if (atomic_load(&zygote->heard_ns) > proxy->killed_ns) {
        proxy_died(proxy, SIGKILL);
        return;
    }
    if (proxy->unanswered++ == UNANSWERED_MAX)
        zygote_terminate(zygote);
    else
        zygote_ping(zygote, now_ns);
    proxy->end_ns = now_ns + END_MAX_NS;
    proxy_schedule(proxy);
}

// Has this time come? Then it is cleared.
static bool is_due(uint64_t *time_ns, uint64_t now_ns)
{
    bool has_come = *time_ns != 0 && *time_ns <= now_ns;
    if (has_come)
        *time_ns = 0;
    return has_come;
}

void proxy_run_timers(RoleProxy *proxy, uint64_t now_ns)
{
    Session *session = proxy->isolated->session;
    if (is_due(&proxy->end_ns, now_ns)) {
        proxy_look_for_end(proxy, now_ns);
        return;
    }
    if (is_due(&proxy->begin_ns, now_ns) && atomic_load(&proxy->control->begun) == 0)
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "its process was started, but has not begun after %d seconds",
                               (int)(BEGIN_MAX_NS / 1000000000));
    if (proxy->isolated->lacks != NULL)
        proxy_fail_session(proxy, CHX_FAULT_SYSTEM, "%s", proxy->isolated->lacks);
    if (session_is_stopping(session) && proxy->state == PROXY_WAITS) {
        proxy_leave(proxy);
    } else if (session_is_stopping(session)) {
        proxy->kill_ns = 0; // it is killed in any case
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "stopped");
    } else if (is_due(&proxy->kill_ns, now_ns)) {
        if (proxy->actor->member.awaited != 0)
            proxy_kill_overdue(proxy);
    } else if (is_due(&proxy->restart_ns, now_ns)) {
        proxy_spawn(proxy);
    }
    proxy_schedule(proxy);
}

uint64_t proxy_next_ns(const RoleProxy *proxy)
{
    uint64_t begin_ns = atomic_load(&proxy->control->begun) == 0 ? proxy->begin_ns : 0, next_ns = UINT64_MAX;
    uint64_t times[] = {proxy->kill_ns, proxy->restart_ns, begin_ns, proxy->end_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        next_ns = times[i] != 0 && times[i] < next_ns ? times[i] : next_ns;
    return next_ns;
}

void proxy_schedule(RoleProxy *proxy)
{
    uint64_t next_ns = proxy_next_ns(proxy);
    if (next_ns == proxy->scheduled_ns)
        return;
    proxy->scheduled_ns = next_ns;
    event_loop_set(&proxy->isolated->isolation->loop, &proxy->timer, next_ns);
}

// ---- a new process ----

// A new process in the place of one that has died is forked from the zygote, which has the privileges that the program had
// when the session was started.
static bool proxy_may_restart(RoleProxy *proxy)
{
    Inherited now;
    if (!inherited_now(&now)) {
        proxy_fail_session(proxy, CHX_FAULT_SYSTEM, "it can't be restarted: the program's privileges can't be read: %s",
                           strerrordesc_np(errno));
        return false;
    }
    if (now.privileges == proxy->isolated->isolation->inherited.privileges)
        return true;
    proxy_fail_session(proxy, CHX_FAULT_SYSTEM,
                       "it can't be restarted: the program's privileges have changed since the session began, and a "
                       "new process would have the old ones");
    return false;
}

void proxy_spawn(RoleProxy *proxy)
{
    IsolatedSession *isolated = proxy->isolated;
    ControlBlock *control = proxy->control;
    if (session_is_stopping(isolated->session) || (proxy->state != PROXY_NEW && !proxy_may_restart(proxy))) {
        proxy->state = PROXY_WAITS;
        isolated_attend(isolated);
        return;
    }
    // What the last process had begun to say is void, and it may have written anything into these words.
    buffer_restart(&proxy->message);
    proxy->violations = 0;
    atomic_store(&control->generation, proxy->command_number);
    atomic_store(&control->command_lock, 2 * proxy->command_number);
    atomic_store(&control->late, proxy->late);
    if (proxy->goes == 0 && proxy_is_let_in(proxy))
        proxy->goes = 1;
    atomic_store(&control->goes, proxy->goes);
    atomic_store(&control->answered, proxy->answered);
    atomic_store(&control->control_tail, proxy->control_head);
    atomic_store(&control->control_head, proxy->control_head);
    atomic_store(&control->supervisor_awaited, 0);
    atomic_store(&control->begun, 0);
    atomic_store(&control->asleep, 0);
    proxy->actor->member.awaited = 0;
    proxy->fault.kind = CHX_FAULT_NONE;
    proxy->state = PROXY_ALIVE;
    isolation_list(proxy);
    FileList files;
    bool asked = proxy_list_files(proxy, &files) &&
                 zygote_spawn(&isolated->isolation->zygote, proxy->id, files.list, files.count, &proxy->generation);
    int error = errno;
    descriptor_close(&files.image);
    descriptor_close(&files.recall);
    free(files.list);
    if (!asked && (error == EPIPE || error == ECONNRESET)) {
        // The zygote has just died, and the supervisor thread is about to notice and start another.
        proxy_forget_process(proxy, PROXY_WAITS);
        proxy->restart_ns = proxy_now_ns(proxy) + RESTART_DELAY_NS;
    } else if (!asked) {
        proxy_not_spawned(proxy, error);
    } else {
        proxy->begin_ns = proxy_now_ns(proxy) + BEGIN_MAX_NS;
    }
    proxy_schedule(proxy);
}
