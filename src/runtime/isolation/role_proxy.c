// role_proxy.c: an isolated role as its session sees it: rollback commands to it, its deaths, its new processes. See parent.h;
// what it says is in control.c.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/value/codec.h"
#include "runtime/value/site.h"
#include "runtime/session/log.h"
#include "runtime/actor/observe.h"
#include "runtime/session/trace.h"
#include "runtime/recovery/restart.h"
#include "runtime/value/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t proxy_now_ns(const RoleProxy *proxy)
{
    return proxy->isolated->session->runtime->platform->now_ns();
}

// ---- rollback commands ----

static void proxy_command(RoleProxy *proxy, const Savepoint *savepoint)
{
    ControlBlock *control = proxy->control;
    const BlockFault *fault = savepoint->position.block->fault;
    RollbackCommand *command = &control->command;
    // Whatever the process may have made of the word.
    atomic_store(&control->command_lock, 2 * proxy->command_number + 1);
    atomic_thread_fence(memory_order_release);
    *command = (RollbackCommand){.number = ++proxy->command_number,
                                 .depth = savepoint->position.block->depth,
                                 .attempt = savepoint->position.attempt,
                                 .epoch = savepoint->position.block->epoch,
                                 .goes = proxy->goes,
                                 .kind = fault->fault.kind,
                                 .signal = fault->fault.signal,
                                 .line = fault->fault.line};
    snprintf(command->role, sizeof command->role, "%s", fault->fault.role);
    snprintf(command->why, sizeof command->why, "%s", fault->why);
    atomic_thread_fence(memory_order_release);
    atomic_store(&control->command_lock, 2 * proxy->command_number);
    atomic_store(&control->command_state, (uint64_t)proxy->command_number * 2);
    atomic_store(&control->generation, proxy->command_number);
    doorbell_ring(proxy_doorbell(proxy));
}

// Takes away what it has saved for the innermost block that it is in.
static void proxy_pop(RoleProxy *proxy)
{
    Actor *actor = proxy->actor;
    proxy->saved_bytes -= savepoint_top(actor)->saved_bytes + SAVEPOINT_BYTES;
    savepoint_pop(actor);
}

void isolation_roll_back(RoleProxy *proxy)
{
    Actor *actor = proxy->actor;
    Savepoint *target = (Savepoint *)(void *)recovery_behind(&actor->member);
    if (target == NULL) {
        atomic_store(&proxy->control->late, ++proxy->late);
        return;
    }
    if (!recovery_return(&proxy->isolated->session->recovery, &actor->member, &target->position)) {
        proxy->isolated->is_lacking = true;
        isolated_attend(proxy->isolated);
    }
    while (savepoint_top(actor) != target)
        proxy_pop(proxy);
    savepoint_forget_counts(actor, target);
    savepoint_set_epochs(actor, target->position.checkpoint, target->position.block->epoch, true);
    actor->member.awaited = target->position.block->epoch;
    proxy_command(proxy, target);
}

void isolation_go(RoleProxy *proxy, Block *block)
{
    Actor *actor = proxy->actor;
    CHECK(savepoint_top(actor) != NULL && savepoint_top(actor)->position.block == block);
    recovery_leave(&proxy->isolated->session->recovery, &savepoint_top(actor)->position, true);
    proxy_pop(proxy);
    proxy->deaths = 0;
    atomic_store(&proxy->control->goes, ++proxy->goes);
    doorbell_ring(proxy_doorbell(proxy));
}

void proxy_hurry(RoleProxy *proxy)
{
    proxy->kill_ns = proxy_now_ns(proxy) + ROLLBACK_GRACE_NS;
    proxy->is_recovered = false;
    proxy_schedule(proxy);
}

void isolation_overdue(Session *session, const chx_checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->participant_count; i++) {
        RoleProxy *proxy = session->actors[checkpoint->participants[i]].proxy;
        if (proxy != NULL && proxy->actor->member.awaited != 0 && proxy->state == PROXY_ALIVE)
            proxy_hurry(proxy);
    }
}

// ---- the end of a process ----

// If the zygote can't be asked, it is asked again soon; and killed if that goes on.
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
    if (proxy->kill_pending || proxy->state != PROXY_ALIVE)
        return;
    proxy->kill_pending = true;
    proxy->fault = (Fault){.kind = kind, .site = proxy->control->actor.self.site};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(proxy->fault.why, sizeof proxy->fault.why, format, arguments);
    va_end(arguments);
    proxy_kill(proxy);
}

// Its time is up. Once it has come back it must not be killed for that any more: it may have acted in the new attempt.
static void proxy_kill_overdue(RoleProxy *proxy)
{
    uint64_t state = (uint64_t)proxy->command_number * 2;
    bool is_revoked = atomic_compare_exchange_strong(&proxy->control->command_state, &state, COMMAND_REVOKED);
    if (!is_revoked && !proxy->is_recovered) {
        proxy->is_recovered = true;
        proxy->kill_ns = proxy_now_ns(proxy) + READY_GRACE_NS;
        proxy_schedule(proxy);
        return;
    }
    proxy_set_kill_pending(proxy, CHX_FAULT_DEADLINE, "killed: it did not come back when the block's time was up");
}

void proxy_leave(RoleProxy *proxy)
{
    while (proxy->actor->member.count > 0) {
        recovery_abandon(&proxy->isolated->session->recovery, &proxy->actor->member);
        proxy_pop(proxy);
    }
    proxy_kill(proxy);
    isolation_forget(proxy);
    proxy_rest(proxy);
    proxy->state = PROXY_LEFT;
    proxy->kill_ns = proxy->restart_ns = proxy->begin_ns = proxy->end_ns = 0;
    proxy_schedule(proxy);
    proxy->isolated->left_count++;
}

// Only waits for what another process does: nobody else ends those.
static void actor_look_again(Session *session, Actor *actor, const Channel *channel)
{
    if (actor->proxy == NULL && actor_wake(actor, channel))
        scheduler_ready(&session->runtime->scheduler, actor);
}

void isolated_wake_all(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        if (isolated->proxies[i].state == PROXY_ALIVE)
            doorbell_wake(proxy_doorbell(&isolated->proxies[i]));
    for (size_t i = 0; i < session->channel_count; i++) {
        Channel *channel = &session->channels[i];
        if (shm_channel(channel) == NULL)
            continue;
        actor_look_again(session, channel->producer, channel);
        actor_look_again(session, channel->consumer, channel);
    }
}

static void fault_of_status(Fault *fault, int status, bool had_begun)
{
    if (!had_begun && WIFEXITED(status) && WEXITSTATUS(status) == PROCESS_NO_MEMORY) {
        fault->kind = CHX_FAULT_EXIT;
        snprintf(fault->why, sizeof fault->why, "its process has found no memory to begin with");
    } else if (WIFSIGNALED(status)) {
        fault->kind = CHX_FAULT_SIGNAL;
        fault->signal = WTERMSIG(status);
        const char *name = report_signal_name(fault->signal);
        if (strcmp(name, "signal") != 0)
            snprintf(fault->why, sizeof fault->why, "%s", name);
        else
            snprintf(fault->why, sizeof fault->why, "signal %d", fault->signal);
    } else {
        fault->kind = CHX_FAULT_EXIT;
        snprintf(fault->why, sizeof fault->why, "its process ended with exit status %d", WEXITSTATUS(status));
    }
}

static void proxy_fail_session(RoleProxy *proxy, const Fault *fault)
{
    const chx_role *role = proxy->actor->role;
    session_fail(proxy->isolated->session, CHX_FAILED, role->role, fault, role->file,
                 actor_site_line(proxy->actor, fault->site));
}

void proxy_blame(RoleProxy *proxy, const char *peer)
{
    if (proxy->state == PROXY_ALIVE) {
        proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, "its process sent %s what is no message", peer);
    } else if (proxy->state == PROXY_LEFT && !session_is_stopping(proxy->isolated->session)) {
        Fault fault = {.kind = CHX_FAULT_EXIT, .site = proxy->control->actor.self.site};
        snprintf(fault.why, sizeof fault.why, "its process ended, but %s still had to hear from it or to be heard",
                 peer);
        proxy_fail_session(proxy, &fault);
    }
    // Else it is dead, what it wrote was looked through, and another one goes on.
}

static void block_look_for_ended(Session *session, const Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (size_t i = 0; !block->done && i < checkpoint->participant_count; i++) {
        const Actor *actor = &session->actors[checkpoint->participants[i]];
        if (actor->proxy != NULL && actor->proxy->state == PROXY_LEFT)
            proxy_blame(actor->proxy, "others in a block");
    }
}

void isolated_look_for_ended(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    const Block *block = session->recovery.blocks;
    while (block != NULL && !session_is_stopping(session)) {
        block_look_for_ended(session, block);
        block = recovery_next_block(block);
    }
}

static bool block_has_deadline(const Session *session)
{
    const Block *block = session->recovery.blocks;
    while (block != NULL && block->deadline == NULL)
        block = recovery_next_block(block);
    return block != NULL;
}

// Does each role that has not ended wait for another?
static bool isolated_sleeps(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    uint32_t waiting = 0;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        const RoleProxy *proxy = actor->proxy;
        if (proxy == NULL) {
            uintptr_t waits = atomic_load(&actor->waits);
            waiting += waits != 0 && (waits & WAITS_PREPARING) == 0;
        } else if (proxy->state == PROXY_ALIVE && !proxy->kill_pending) {
            waiting += atomic_load(&proxy->control->asleep) == (uint64_t)atomic_load(&proxy_doorbell(proxy)->word) + 1;
        }
    }
    return waiting == session_live(session);
}

// Changes with whatever happens among the session's roles.
static uint64_t isolated_stands(const IsolatedSession *isolated)
{
    const Session *session = isolated->session;
    uint64_t sum = session->recovery.epoch;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        sum += isolated->proxies[i].answered + isolated->proxies[i].command_number + isolated->proxies[i].goes;
    for (size_t i = 0; i < session->channel_count; i++) {
        const ShmChannel *shm = shm_channel(&session->channels[i]);
        if (shm != NULL)
            sum += 3 * atomic_load(&shm->ring.words->tail) + atomic_load(&shm->ring.words->head);
    }
    return sum;
}

void isolated_look_for_deadlock(IsolatedSession *isolated)
{
    uint64_t stands = isolated_stands(isolated);
    bool sleeps = isolated_sleeps(isolated) && !block_has_deadline(isolated->session);
    if (sleeps && isolated->slept && isolated->stood == stands && !session_is_stopping(isolated->session)) {
        RoleProxy *proxy = &isolated->proxies[0];
        Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = proxy->control->actor.self.site};
        snprintf(fault.why, sizeof fault.why,
                 "each role waits for another: a process has written over what it shares with others, or got lost");
        proxy_fail_session(proxy, &fault);
    }
    isolated->slept = sleeps;
    isolated->stood = stands;
}

// ---- what processes have written ----

typedef struct {
    RoleProxy *proxy;
    const chx_type *type;
    void *value;
    const void *data;
    size_t size, used;
    Fault *fault;
    DecodeResult result;
} Decoding;

static void decode_guarded(void *closure)
{
    Decoding *decoding = closure;
    decoding->result =
        value_decode(decoding->type, decoding->value, decoding->data, decoding->size, &decoding->used, decoding->fault);
    chx_release(&decoding->proxy->actor->self);
}

// The user's decoding functions work here on what another process has written. Whatever they do then (they fail, they
// crash): it can't be read.
DecodeResult proxy_decode(RoleProxy *proxy, const chx_type *type, void *value, const void *data, size_t size,
                          Fault *fault)
{
    Guard guard;
    Decoding decoding = {proxy, type, value, data, size, 0, fault, DECODE_FAILED};
    if (!guard_run(&guard, proxy->actor, decode_guarded, &decoding))
        *fault = guard.fault;
    if (decoding.result == DECODE_GOOD && decoding.used != size) {
        chx_value_drop(type, value);
        decoding.result = DECODE_MALFORMED;
    }
    return decoding.result;
}

bool proxy_item_is_valid(void *context, Ring *ring, const RingItem *item)
{
    const Channel *channel = context;
    RoleProxy *proxy = channel->producer->proxy;
    const chx_site *site = role_site(channel->producer->role, item->record.site);
    if (site == NULL || role_site(channel->consumer->role, item->record.site) == NULL)
        return false;
    // It is known here which epoch an isolated role has been told of; another one's is its worker's.
    uint32_t highest = proxy != NULL ? channel->head.sending.epoch : channel->producer->session->recovery.epoch;
    if (item->record.of.epoch > highest)
        return false;
    if (site->type == NULL)
        return item->record.size == sizeof(uint32_t);
    if (proxy == NULL || item->record.size > VALUE_CHECKED_MAX_BYTES)
        return true;
    unsigned char *bytes = malloc(item->record.size + 1u), *value = malloc(site->type->size + 1u);
    // Without memory it is up to the receiver, as for large ones.
    DecodeResult result = DECODE_NO_MEMORY;
    Fault fault;
    if (bytes != NULL && value != NULL)
        result = ring_copy(ring, item, bytes) ? proxy_decode(proxy, site->type, value, bytes, item->record.size, &fault)
                                              : DECODE_MALFORMED;
    if (result == DECODE_GOOD)
        chx_value_drop(site->type, value);
    free(bytes);
    free(value);
    return result == DECODE_GOOD || result == DECODE_NO_MEMORY;
}

// Of a dead process: cuts off what makes no sense. Only what was sent in the attempt that is over may be lost. False:
// more is.
static bool proxy_repair(RoleProxy *proxy)
{
    Actor *actor = proxy->actor;
    const Savepoint *savepoint = savepoint_top(actor);
    const RingPoint *tails = (const RingPoint *)(const void *)savepoint->saved;
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        Channel *channel = &actor->out[i];
        RingWords *words = shm_channel(channel)->ring.words;
        uint32_t large;
        RingPoint until = ring_valid_until(&shm_channel(channel)->ring, proxy_item_is_valid, channel, &large);
        if (!ring_is_behind(until, tails[i]))
            return false;
        atomic_store(&words->tail, until.word);
        atomic_store(&words->large, large);
    }
    for (size_t i = 0; i < actor->role->receives_from_count; i++) {
        Ring *ring = &shm_channel(actor->in[i])->ring;
        RingItem item;
        if (ring_look(ring, ring_load(&ring->words->head), ring_load(&ring->words->tail), &item) == RING_BROKEN)
            return false;
    }
    return true;
}

// ---- death and restart ----

// True: a block takes it up, and a new process goes on there.
static bool proxy_recover(RoleProxy *proxy, Fault *fault)
{
    Actor *actor = proxy->actor;
    int line = actor_site_line(actor, fault->site);
    if (!restart_decide(actor, fault, line, actor->member.awaited != 0))
        return false;
    if (!proxy_repair(proxy)) {
        strcpy(fault->why, "its process destroyed messages that it had sent before the block, or had not received");
        return false;
    }
    restart_log(actor, fault, line);
    return true;
}

static uint64_t restart_delay_ns(const RoleProxy *proxy)
{
    if (proxy->deaths <= RESTARTS_AT_ONCE)
        return 0;
    unsigned doublings = proxy->deaths - RESTARTS_AT_ONCE - 1;
    return doublings < 10 ? (uint64_t)RESTART_DELAY_NS << doublings : RESTART_DELAY_MAX_NS;
}

void proxy_take_all_controls(RoleProxy *proxy)
{
    // So many can be there, and nobody adds more who has a right to.
    for (unsigned i = 0; i <= CONTROLS_BYTES / sizeof(ControlHead) / CONTROLS_PER_TURN && !proxy_take_controls(proxy);
         i++)
        ;
}

void proxy_died(RoleProxy *proxy, int status)
{
    Session *session = proxy->isolated->session;
    if (proxy->state != PROXY_ALIVE)
        return;
    // What it said before it died counts.
    proxy_take_all_controls(proxy);
    if (proxy->state != PROXY_ALIVE)
        return;
    proxy->state = PROXY_WAITS;
    proxy->kill_ns = proxy->begin_ns = proxy->end_ns = 0;
    proxy_schedule(proxy);
    proxy->unspawned = 0;
    isolation_forget(proxy);
    Fault fault = proxy->fault;
    if (fault.kind == CHX_FAULT_NONE) {
        fault = (Fault){.site = proxy->control->actor.self.site};
        fault_of_status(&fault, status, atomic_load(&proxy->control->begun) != 0);
        if (fault.signal == SIGSYS && proxy->has_filter)
            snprintf(fault.why, sizeof fault.why, "SIGSYS: its sandbox's filter stopped it at a system call");
    }
    // A process that failed by itself has said so.
    if ((proxy->actor->self.observed & OBSERVED_TRACE) != 0 && proxy->fault.kind != CHX_FAULT_FAIL &&
        proxy->fault.kind != CHX_FAULT_PATTERN && proxy->fault.kind != CHX_FAULT_SYSTEM)
        trace_turn(proxy->actor, ACTOR_FAILED, &fault);
    proxy->deaths++;
    bool is_recovered = !session_is_stopping(session) && proxy_recover(proxy, &fault);
    isolated_wake_all(proxy->isolated);
    if (is_recovered) {
        uint64_t delay_ns = restart_delay_ns(proxy);
        if (delay_ns == 0) {
            proxy_spawn(proxy);
        } else {
            proxy->restart_ns = proxy_now_ns(proxy) + delay_ns;
            proxy_schedule(proxy);
        }
        return;
    }
    if (!session_is_stopping(session))
        proxy_fail_session(proxy, &fault);
    proxy_leave(proxy);
}

void proxy_not_spawned(RoleProxy *proxy, int error)
{
    if (proxy->state != PROXY_ALIVE)
        return;
    proxy->state = PROXY_WAITS;
    proxy->kill_ns = proxy->begin_ns = proxy->end_ns = 0;
    proxy_schedule(proxy);
    isolation_forget(proxy);
    Fault fault = {.kind = CHX_FAULT_SYSTEM};
    const Zygote *zygote = &proxy->isolated->isolation->zygote;
    const char *why =
        error == ECHILD ? "the process that starts isolated roles ends each time" : strerrordesc_np(error);
    if (error == EBADF)
        why = DESCRIPTOR_LOST;
    else if (error == ETIMEDOUT)
        why = "the process that starts isolated roles does not answer";
    else if (error == ECHILD && zygote->why[0] != '\0')
        why = zygote->why;
    snprintf(fault.why, sizeof fault.why, "no process could be started for it: %.400s", why);
    proxy_fail_session(proxy, &fault);
    // It leaves on the supervisor thread, which is not told by a session that has failed before.
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
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = proxy->control->actor.self.site};
    snprintf(fault.why, sizeof fault.why, "%s: its process can't be reached any more", DESCRIPTOR_LOST);
    if (proxy->state == PROXY_LEFT)
        return;
    if (!session_is_stopping(proxy->isolated->session))
        proxy_fail_session(proxy, &fault);
    proxy_leave(proxy);
}

// It was asked for, and nothing has been seen of it.
static void proxy_look_for_beginning(RoleProxy *proxy)
{
    proxy->begin_ns = 0;
    proxy_schedule(proxy);
    if (atomic_load(&proxy->control->begun) == 0)
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "its process was started, but has not begun after %d seconds",
                               (int)(BEGIN_MAX_NS / 1000000000));
}

// It was killed, and has not ended. If the zygote answers, it has done that: then the process is stuck in the system, and
// will do nothing any more. If not, the zygote is stuck.
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
    if (proxy->unanswered++ == UNANSWERED_MAX) {
        zygote_terminate(zygote);
    } else if (atomic_load(&zygote->pinged_ns) == 0 && zygote_ping(zygote)) {
        atomic_store(&zygote->pinged_ns, now_ns);
    }
    proxy->end_ns = now_ns + END_MAX_NS;
    proxy_schedule(proxy);
}

// A block could not begin again.
static void proxy_end_session(RoleProxy *proxy)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = proxy->control->actor.self.site};
    snprintf(fault.why, sizeof fault.why, "%s", proxy->isolated->session->recovery.lacks);
    proxy_fail_session(proxy, &fault);
}

void proxy_run_timers(RoleProxy *proxy, uint64_t now_ns)
{
    if (proxy->end_ns != 0 && proxy->end_ns <= now_ns) {
        proxy_look_for_end(proxy, now_ns);
        return;
    }
    if (proxy->begin_ns != 0 && proxy->begin_ns <= now_ns)
        proxy_look_for_beginning(proxy);
    if (proxy->isolated->is_lacking && !session_is_stopping(proxy->isolated->session))
        proxy_end_session(proxy);
    if (session_is_stopping(proxy->isolated->session) && proxy->state == PROXY_WAITS) {
        proxy_leave(proxy);
    } else if (session_is_stopping(proxy->isolated->session)) {
        proxy->kill_ns = 0; // it is killed anyhow
        proxy_schedule(proxy);
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "stopped");
    } else if (proxy->kill_ns != 0 && proxy->kill_ns <= now_ns) {
        proxy->kill_ns = 0;
        proxy_schedule(proxy);
        if (proxy->actor->member.awaited != 0)
            proxy_kill_overdue(proxy);
    } else if (proxy->restart_ns != 0 && proxy->restart_ns <= now_ns) {
        proxy->restart_ns = 0;
        proxy_schedule(proxy);
        proxy_spawn(proxy);
    }
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
    if (next_ns == UINT64_MAX)
        event_loop_cancel(&proxy->isolated->isolation->loop, &proxy->timer);
    else
        event_loop_set(&proxy->isolated->isolation->loop, &proxy->timer, next_ns);
}

// ---- a new process ----

static GivenPlace image_ring(const RoleProxy *proxy, const Channel *channel)
{
    return proxy_given(proxy, proxy->isolated->rings[shm_channel(channel)->number]);
}

static GivenPlace image_doorbell(const RoleProxy *proxy, const Actor *peer)
{
    return peer->proxy != NULL ? proxy_given(proxy, peer->proxy->doorbell_place) : (GivenPlace){0};
}

static void image_channels(chx_writer *writer, const RoleProxy *proxy)
{
    const Actor *actor = proxy->actor;
    const chx_role *role = actor->role;
    for (size_t i = 0; i < role->sends_to_count; i++) {
        const Channel *channel = &actor->out[i];
        ImageChannel out = {shm_channel(channel)->number,
                            role->sends_to[i],
                            channel->head.sending.epoch,
                            channel->consumer->proxy != NULL,
                            image_ring(proxy, channel),
                            image_doorbell(proxy, channel->consumer),
                            ""};
        snprintf(out.peer_name, sizeof out.peer_name, "%s", channel->consumer->role->role);
        chx_write(writer, &out, sizeof out);
    }
    for (size_t i = 0; i < role->receives_from_count; i++) {
        const Channel *channel = actor->in[i];
        ImageChannel in = {shm_channel(channel)->number,
                           role->receives_from[i],
                           channel->head.taking.epoch,
                           channel->producer->proxy != NULL,
                           image_ring(proxy, channel),
                           image_doorbell(proxy, channel->producer),
                           ""};
        snprintf(in.peer_name, sizeof in.peer_name, "%s", channel->producer->role->role);
        chx_write(writer, &in, sizeof in);
    }
}

static void image_pieces(chx_writer *writer, const RoleProxy *proxy)
{
    const Actor *actor = proxy->actor;
    if (actor->member.count == 0) {
        ImagePiece piece = {.size = proxy->begin.size};
        chx_write(writer, &piece, sizeof piece);
        chx_write(writer, proxy->begin.data, proxy->begin.size);
    }
    size_t tails = actor->role->sends_to_count * sizeof(RingPoint);
    for (size_t i = 0; i < actor->member.count; i++) {
        const Savepoint *savepoint = savepoint_at(actor, i);
        ImagePiece piece = {savepoint->position.checkpoint->site, savepoint->position.attempt,
                            savepoint->saved_bytes - tails};
        chx_write(writer, &piece, sizeof piece);
        chx_write(writer, savepoint->saved + tails, savepoint->saved_bytes - tails);
    }
}

static void image_write(chx_buffer *buffer, RoleProxy *proxy)
{
    Actor *actor = proxy->actor;
    const Session *session = proxy->isolated->session;
    const chx_runtime_options *options = &session->runtime->options;
    const Savepoint *savepoint = savepoint_top(actor);
    SpawnImage image = {
        .layout = IMAGE_LAYOUT,
        .role = actor->index,
        .role_count = session->actor_count,
        .sandbox_size = (uint32_t)proxy->sandbox.size,
        .has_trace = (actor->self.observed & OBSERVED_TRACE) != 0,
        .doorbell = proxy_given(proxy, proxy->doorbell_place),
        .definition = (uint32_t)session->plan->definition_index,
        .digest = actor->role->digest,
        .token = {session->token[0], session->token[1]},
        .id = proxy->id,
        .message_limit = options->channel_messages,
        .byte_limit = options->channel_bytes,
        .goes = proxy->goes,
        .answered = proxy->answered,
        .generation = proxy->command_number,
        .savepoints = (uint32_t)actor->member.count,
        .out_count = (uint32_t)actor->role->sends_to_count,
        .in_count = (uint32_t)actor->role->receives_from_count,
        .trace = session->trace,
        .float_control = session->float_control,
    };
    trace_file(&image.trace_start_ns);
    if (savepoint != NULL) {
        const chx_fault *fault = &savepoint->position.block->fault->fault;
        image.kind = fault->kind;
        image.signal = fault->signal;
        image.line = fault->line;
        image.epoch = savepoint->position.block->epoch;
        snprintf(image.fault_role, sizeof image.fault_role, "%s", fault->role);
        snprintf(image.why, sizeof image.why, "%s", fault->why);
    }
    snprintf(image.choreography, sizeof image.choreography, "%s", actor->role->choreography);
    snprintf(image.implementation, sizeof image.implementation, "%s", actor->role->name);
    chx_writer writer = {.buffer = buffer};
    chx_write(&writer, &image, sizeof image);
    image_channels(&writer, proxy);
    if (proxy->sandbox.size > 0)
        chx_write(&writer, proxy->sandbox.data, proxy->sandbox.size);
    image_pieces(&writer, proxy);
}

// A file with what the new process must know, once its files are listed. None: errno says why.
static Descriptor image_file(RoleProxy *proxy)
{
    chx_buffer buffer = {0};
    image_write(&buffer, proxy);
    if (buffer.failed) {
        chx_buffer_free(&buffer);
        errno = ENOMEM;
        return NO_DESCRIPTOR;
    }
    Descriptor file = descriptor_keep(memfd_create("chorex-restore", MFD_CLOEXEC));
    size_t written = 0;
    while (file.number >= 0 && written < buffer.size) {
        ssize_t part = pwrite(descriptor_use(&file), buffer.data + written, buffer.size - written, (off_t)written);
        if (part > 0) {
            written += (size_t)part;
        } else if (errno != EINTR) {
            int error = errno;
            descriptor_close(&file);
            errno = error;
        }
    }
    chx_buffer_free(&buffer);
    return file;
}

// All files that the new process is given. False: they can't be had; errno says why.
static bool proxy_prepare_files(RoleProxy *proxy, FileList *files)
{
    uint64_t start_ns;
    if (!proxy_list_files(proxy, files))
        return false;
    files->list[GIVEN_DOORBELL] = isolation_door(proxy->isolated->isolation);
    files->image = files->list[GIVEN_DOORBELL] >= 0 ? image_file(proxy) : NO_DESCRIPTOR;
    files->list[GIVEN_IMAGE] = files->image.number;
    if ((proxy->actor->self.observed & OBSERVED_TRACE) != 0)
        files->list[files->count++] = trace_file(&start_ns);
    if (files->list[GIVEN_IMAGE] >= 0)
        return true;
    int error = errno;
    free(files->list);
    errno = error;
    return false;
}

// A new process in the place of one that has died would be forked from the zygote, which has the privileges that the
// session was started with.
static bool proxy_may_restart(RoleProxy *proxy)
{
    uint64_t privileges = 0;
    bool is_known = proxy->state == PROXY_NEW || inherited_privileges(&privileges);
    int error = errno;
    if (proxy->state == PROXY_NEW || (is_known && privileges == proxy->isolated->isolation->inherited.privileges))
        return true;
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = proxy->control->actor.self.site};
    if (is_known)
        snprintf(fault.why, sizeof fault.why,
                 "it can't be restarted: the program's privileges have changed since the session began, and a new "
                 "process would have the old ones");
    else
        snprintf(fault.why, sizeof fault.why, "it can't be restarted: the program's privileges can't be read: %s",
                 strerrordesc_np(error));
    proxy_fail_session(proxy, &fault);
    return false;
}

void proxy_spawn(RoleProxy *proxy)
{
    IsolatedSession *isolated = proxy->isolated;
    ControlBlock *control = proxy->control;
    if (session_is_stopping(isolated->session) || !proxy_may_restart(proxy)) {
        proxy->state = PROXY_WAITS;
        isolated_attend(isolated);
        return;
    }
    FileList files;
    isolation_number(proxy);
    bool is_prepared = proxy_prepare_files(proxy, &files);
    int error = errno;
    // What the last one had begun to say is void, and so is what it may have made of these words.
    proxy->message.size = 0;
    proxy->violations = 0;
    atomic_store(&control->generation, proxy->command_number);
    atomic_store(&control->command_lock, 2 * proxy->command_number);
    atomic_store(&control->late, proxy->late);
    atomic_store(&control->goes, proxy->goes);
    atomic_store(&control->answered, proxy->answered);
    atomic_store(&control->control_tail, proxy->control_head);
    atomic_store(&control->control_head, proxy->control_head);
    atomic_store(&control->controls_wait, 0);
    atomic_store(&control->answer_wait, 0);
    atomic_store(&control->begun, 0);
    atomic_store(&control->asleep, 0);
    proxy->actor->member.awaited = 0;
    proxy->kill_pending = false;
    proxy->fault.kind = CHX_FAULT_NONE;
    proxy->state = PROXY_ALIVE;
    isolation_list(proxy);
    if (!is_prepared) {
        proxy_not_spawned(proxy, error);
        return;
    }
    bool asked = zygote_spawn(&isolated->isolation->zygote, proxy->id, files.list, files.count, &proxy->generation);
    error = errno;
    descriptor_close(&files.image);
    free(files.list);
    if (!asked && (error == EPIPE || error == ECONNRESET)) {
        // The zygote has just died, and the supervisor thread is about to notice and start another.
        isolation_forget(proxy);
        proxy->state = PROXY_WAITS;
        proxy->restart_ns = proxy_now_ns(proxy) + RESTART_DELAY_NS;
    } else if (!asked) {
        proxy_not_spawned(proxy, error);
    } else {
        proxy->begin_ns = proxy_now_ns(proxy) + BEGIN_MAX_NS;
    }
    proxy_schedule(proxy);
}
