// link.c: an isolated role as its session sees it: its orders, its deaths, its new processes. See parent.h; posts.c.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/core/codec.h"
#include "runtime/core/log.h"
#include "runtime/core/observe.h"
#include "runtime/core/trace.h"
#include "runtime/isolation/chain.h"

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

static uint64_t link_now_ns(const Link *link)
{
    return link->house->session->runtime->platform->now_ns();
}

// ---- orders ----

static void link_order(Link *link, const Mark *mark)
{
    Seat *seat = link->seat;
    const BlockFault *fault = mark->block->fault;
    Order *order = &seat->order;
    // Whatever the process may have made of the word.
    atomic_store(&seat->order_lock, 2 * link->order_number + 1);
    atomic_thread_fence(memory_order_release);
    *order = (Order){.number = ++link->order_number,
                     .depth = mark->block->depth,
                     .attempt = mark->attempt,
                     .epoch = mark->block->epoch,
                     .goes = link->goes,
                     .kind = fault->fault.kind,
                     .signal = fault->fault.signal,
                     .line = fault->fault.line};
    snprintf(order->role, sizeof order->role, "%s", fault->fault.role);
    snprintf(order->why, sizeof order->why, "%s", fault->why);
    atomic_thread_fence(memory_order_release);
    atomic_store(&seat->order_lock, 2 * link->order_number);
    atomic_store(&seat->order_state, (uint64_t)link->order_number * 2);
    atomic_store(&seat->alarm, link->order_number);
    bell_ring(link_bell(link));
}

// Out of the innermost block that it is in.
static void link_pop(Link *link, bool in_order)
{
    Actor *actor = link->actor;
    Block *block = mark_top(actor)->block;
    link->saved_bytes -= mark_top(actor)->saved_bytes + MARK_BYTES;
    mark_pop(actor);
    block_leave(link->house->session, block, in_order);
}

// The outermost block that it is in and that went to another attempt.
static Mark *link_called_back(Link *link)
{
    Actor *actor = link->actor;
    for (size_t i = 0; i < actor->mark_count; i++)
        if (actor->marks[i]->attempt != actor->marks[i]->block->attempt)
            return actor->marks[i];
    return NULL;
}

void isolation_recall(Link *link)
{
    Actor *actor = link->actor;
    Mark *target = link_called_back(link);
    if (target == NULL) {
        atomic_store(&link->seat->late, ++link->late);
        return;
    }
    while (mark_top(actor) != target)
        link_pop(link, false);
    target->attempt = target->block->attempt;
    if (!block_back(link->house->session, target->block)) {
        link->house->is_lacking = true;
        isolation_ring(link->house->isolation);
    }
    target->arrived = false;
    mark_forget_counts(actor, target);
    mark_set_epochs(actor, target->checkpoint, target->block->epoch, true);
    link->ready_epoch = target->block->epoch;
    link_order(link, target);
}

void isolation_go(Link *link, Block *block)
{
    Actor *actor = link->actor;
    CHECK(mark_top(actor) != NULL && mark_top(actor)->block == block);
    link_pop(link, true);
    link->deaths = 0;
    atomic_store(&link->seat->goes, ++link->goes);
    bell_ring(link_bell(link));
}

void link_hurry(Link *link)
{
    link->kill_ns = link_now_ns(link) + RECALL_GRACE_NS;
    link->is_taken_up = false;
}

void isolation_overdue(Session *session, const chx_checkpoint *checkpoint)
{
    House *house = session->house;
    bool is_any = false;
    for (size_t i = 0; i < checkpoint->participant_count; i++) {
        Link *link = session->actors[checkpoint->participants[i]].link;
        if (link == NULL || link->ready_epoch == 0 || link->state != LINK_ALIVE)
            continue;
        link_hurry(link);
        is_any = true;
    }
    if (is_any)
        isolation_ring(house->isolation);
}

// ---- the end of a process ----

// If the nursery can't be asked, it is asked again soon; and killed if that goes on.
static void link_ask_for_end(Link *link)
{
    Nursery *nursery = &link->house->isolation->nursery;
    uint64_t now_ns = link_now_ns(link);
    bool is_asked = nursery_kill(nursery, link->id);
    if (!is_asked && link->unasked++ == UNASKED_MAX)
        nursery_murder(nursery);
    link->killed_ns = is_asked ? now_ns : 0;
    link->end_ns = now_ns + (is_asked ? END_MAX_NS : RESTART_DELAY_NS);
}

static void link_kill(Link *link)
{
    if (link->state != LINK_ALIVE)
        return;
    link->begin_ns = 0;
    link->unanswered = link->unasked = 0;
    link_ask_for_end(link);
    isolation_watch(link->house->isolation, link->end_ns);
}

void link_condemn(Link *link, chx_fault_kind kind, const char *format, ...)
{
    if (link->is_condemned || link->state != LINK_ALIVE)
        return;
    link->is_condemned = true;
    link->fault = (Fault){.kind = kind, .site = link->seat->actor.self.site};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(link->fault.why, sizeof link->fault.why, format, arguments);
    va_end(arguments);
    link_kill(link);
}

// Its time is up. Once it has come back it must not be killed for that any more: it may have acted in the new attempt.
static void link_kill_overdue(Link *link)
{
    uint64_t state = (uint64_t)link->order_number * 2;
    bool is_revoked = atomic_compare_exchange_strong(&link->seat->order_state, &state, ORDER_REVOKED);
    if (!is_revoked && !link->is_taken_up) {
        link->is_taken_up = true;
        link->kill_ns = link_now_ns(link) + READY_GRACE_NS;
        return;
    }
    link_condemn(link, CHX_FAULT_DEADLINE, "killed: it did not come back when the block's time was up");
}

void link_leave(Link *link)
{
    while (link->actor->mark_count > 0)
        link_pop(link, false);
    link_kill(link);
    isolation_forget(link);
    link->state = LINK_LEFT;
    link->kill_ns = link->restart_ns = link->begin_ns = link->end_ns = 0;
    link->house->left_count++;
}

// Only waits for what another process does: nobody else ends those.
static void actor_look_again(Session *session, Actor *actor, const Channel *channel)
{
    if (actor->link == NULL && actor_wake(actor, channel))
        scheduler_ready(&session->runtime->scheduler, actor);
}

void house_wake_all(House *house)
{
    Session *session = house->session;
    for (unsigned i = 0; i < house->link_count; i++)
        if (house->links[i].state == LINK_ALIVE)
            bell_wake(link_bell(&house->links[i]));
    for (size_t i = 0; i < session->channel_count; i++) {
        Channel *channel = &session->channels[i];
        if (channel->linked == NULL)
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

static void link_fail_session(Link *link, const Fault *fault)
{
    const chx_role *role = link->actor->role;
    session_fail(link->house->session, CHX_FAILED, role->role, fault, role->file,
                 actor_site_line(link->actor, fault->site));
}

void link_blame(Link *link, const char *peer)
{
    if (link->state == LINK_ALIVE) {
        link_condemn(link, CHX_FAULT_EXIT, "its process sent %s what is no message", peer);
    } else if (link->state == LINK_LEFT && !session_is_stopping(link->house->session)) {
        Fault fault = {.kind = CHX_FAULT_EXIT, .site = link->seat->actor.self.site};
        snprintf(fault.why, sizeof fault.why, "its process ended, but %s still had to hear from it or to be heard",
                 peer);
        link_fail_session(link, &fault);
    }
    // Else it is dead, what it wrote was looked through, and another one goes on.
}

static void block_look_for_ended(Session *session, const Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (size_t i = 0; !block->done && i < checkpoint->participant_count; i++) {
        const Actor *actor = &session->actors[checkpoint->participants[i]];
        if (actor->link != NULL && actor->link->state == LINK_LEFT)
            link_blame(actor->link, "others in a block");
    }
}

void house_look_for_ended(House *house)
{
    Session *session = house->session;
    const Block *block = session->blocks;
    while (block != NULL && !session_is_stopping(session)) {
        block_look_for_ended(session, block);
        if (block->children != NULL) {
            block = block->children;
            continue;
        }
        while (block->next == NULL && block->parent != NULL)
            block = block->parent;
        block = block->next;
    }
}

static bool block_has_deadline(const Session *session)
{
    const Block *block = session->blocks;
    while (block != NULL && block->deadline == NULL) {
        if (block->children != NULL) {
            block = block->children;
            continue;
        }
        while (block->next == NULL && block->parent != NULL)
            block = block->parent;
        block = block->next;
    }
    return block != NULL;
}

// Does each role that has not ended wait for another?
static bool house_sleeps(House *house)
{
    Session *session = house->session;
    uint32_t waiting = 0;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        const Link *link = actor->link;
        if (link == NULL) {
            uintptr_t waits = atomic_load(&actor->waits);
            waiting += waits != 0 && (waits & WAITS_PREPARING) == 0;
        } else if (link->state == LINK_ALIVE && !link->is_condemned) {
            waiting += atomic_load(&link->seat->asleep) == (uint64_t)atomic_load(&link_bell(link)->word) + 1;
        }
    }
    return waiting == atomic_load(&session->live);
}

// Changes with whatever happens among the session's roles.
static uint64_t house_stands(const House *house)
{
    const Session *session = house->session;
    uint64_t sum = session->epoch;
    for (unsigned i = 0; i < house->link_count; i++)
        sum += house->links[i].answered + house->links[i].order_number + house->links[i].goes;
    for (size_t i = 0; i < session->channel_count; i++) {
        const struct Linked *linked = session->channels[i].linked;
        if (linked != NULL)
            sum += 3 * atomic_load(&linked->ring.words->tail) + atomic_load(&linked->ring.words->head);
    }
    return sum;
}

void house_look_for_deadlock(House *house)
{
    uint64_t stands = house_stands(house);
    bool sleeps = house_sleeps(house) && !block_has_deadline(house->session);
    if (sleeps && house->slept && house->stood == stands && !session_is_stopping(house->session)) {
        Link *link = &house->links[0];
        Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = link->seat->actor.self.site};
        snprintf(fault.why, sizeof fault.why,
                 "each role waits for another: a process has written over what it shares with others, or got lost");
        link_fail_session(link, &fault);
    }
    house->slept = sleeps;
    house->stood = stands;
}

// ---- what processes have written ----

// The user's decoding functions work here on what another process has written. Whatever they do then (they fail, they
// crash): it can't be read.
DecodeResult link_decode(Link *link, const chx_type *type, void *value, const void *data, size_t size, Fault *fault)
{
    Guard guard;
    volatile DecodeResult result = DECODE_FAILED;
    size_t used = 0;
    guard_enter(&guard, link->actor);
    if (sigsetjmp(guard.jump, 0) == 0) {
        result = value_decode(type, value, data, size, &used, fault);
        chx_release(&link->actor->self);
    } else {
        guard_landed(&guard);
        *fault = guard.fault;
    }
    guard_leave(&guard);
    if (result == DECODE_GOOD && used != size) {
        chx_value_drop(type, value);
        result = DECODE_MALFORMED;
    }
    return result;
}

bool link_item_is_valid(void *context, Ring *ring, const RingItem *item)
{
    const Channel *channel = context;
    Link *link = channel->producer->link;
    const chx_site *site = actor_site(channel->producer->role, item->record.site);
    if (site == NULL || actor_site(channel->consumer->role, item->record.site) == NULL)
        return false;
    // It is known here which epoch an isolated role has been told of; another one's is its worker's.
    uint32_t highest = link != NULL ? channel->head.sending.epoch : channel->producer->session->epoch;
    if (item->record.of.epoch > highest)
        return false;
    if (site->type == NULL)
        return item->record.size == sizeof(uint32_t);
    if (link == NULL || item->record.size > VALUE_CHECKED_MAX_BYTES)
        return true;
    unsigned char *bytes = malloc(item->record.size + 1u), *value = malloc(site->type->size + 1u);
    // Without memory it is up to the receiver, as for large ones.
    DecodeResult result = DECODE_NO_MEMORY;
    Fault fault;
    if (bytes != NULL && value != NULL)
        result = ring_copy(ring, item, bytes) ? link_decode(link, site->type, value, bytes, item->record.size, &fault)
                                              : DECODE_MALFORMED;
    if (result == DECODE_GOOD)
        chx_value_drop(site->type, value);
    free(bytes);
    free(value);
    return result == DECODE_GOOD || result == DECODE_NO_MEMORY;
}

// Of a dead process: cuts off what makes no sense. Only what was sent in the attempt that is over may be lost. False:
// more is.
static bool link_repair(Link *link)
{
    Actor *actor = link->actor;
    const Mark *mark = mark_top(actor);
    const RingPoint *tails = (const RingPoint *)(const void *)mark->saved;
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        Channel *channel = &actor->out[i];
        RingWords *words = channel->linked->ring.words;
        uint32_t large;
        RingPoint until = ring_valid_until(&channel->linked->ring, link_item_is_valid, channel, &large);
        if (!ring_is_behind(until, tails[i]))
            return false;
        atomic_store(&words->tail, until.word);
        atomic_store(&words->large, large);
    }
    for (size_t i = 0; i < actor->role->receives_from_count; i++) {
        Ring *ring = &actor->in[i]->linked->ring;
        RingItem item;
        if (ring_look(ring, ring_load(&ring->words->head), ring_load(&ring->words->tail), &item) == RING_BROKEN)
            return false;
    }
    return true;
}

// ---- death and restart ----

// True: a block takes it up, and a new process goes on there. As checkpoint_take_up does for roles of this process.
static bool link_take_up(Link *link, Fault *fault)
{
    Actor *actor = link->actor;
    Session *session = link->house->session;
    bool is_abandoned = link->ready_epoch != 0;
    Mark *mark = is_abandoned ? mark_top(actor) : mark_in_charge(actor);
    if (session_is_stopping(session) || fault->kind == CHX_FAULT_SYSTEM || mark == NULL)
        return false;
    if (!mark_restart_is_allowed(actor, fault))
        return false;
    int line = actor_site_line(actor, fault->site);
    if (!is_abandoned && !block_decide(session, mark->block, actor->role->role, fault, actor->role->file, line))
        return false;
    if (!link_repair(link)) {
        strcpy(fault->why, "its process destroyed messages that it had sent before the block, or had not received");
        return false;
    }
    actor->restarts++;
    session->restarts++;
    log_write(session->runtime, CHX_LOG_INFO, "%s:%d: %s failed and is restarted: %s", actor->role->file, line,
              actor->role->role, fault->why);
    return true;
}

static uint64_t restart_delay_ns(const Link *link)
{
    if (link->deaths <= RESTARTS_AT_ONCE)
        return 0;
    unsigned doublings = link->deaths - RESTARTS_AT_ONCE - 1;
    return doublings < 10 ? (uint64_t)RESTART_DELAY_NS << doublings : RESTART_DELAY_MAX_NS;
}

void link_died(Link *link, int status)
{
    Session *session = link->house->session;
    if (link->state != LINK_ALIVE)
        return;
    // What it said before it died counts. So many posts can be there, and nobody adds more who has a right to.
    for (unsigned i = 0; i <= POSTS_BYTES / sizeof(PostHead) / POSTS_PER_TURN && !link_take_posts(link); i++)
        ;
    if (link->state != LINK_ALIVE)
        return;
    link->state = LINK_WAITS;
    link->kill_ns = link->begin_ns = link->end_ns = 0;
    link->unborn = 0;
    isolation_forget(link);
    Fault fault = link->fault;
    if (fault.kind == CHX_FAULT_NONE) {
        fault = (Fault){.site = link->seat->actor.self.site};
        fault_of_status(&fault, status, atomic_load(&link->seat->begun) != 0);
        if (fault.signal == SIGSYS && link->has_filter)
            snprintf(fault.why, sizeof fault.why, "SIGSYS: its sandbox's filter stopped it at a system call");
    }
    // A process that failed by itself has said so.
    if ((link->actor->self.observed & OBSERVED_TRACE) != 0 && link->fault.kind != CHX_FAULT_FAIL &&
        link->fault.kind != CHX_FAULT_PATTERN && link->fault.kind != CHX_FAULT_SYSTEM)
        trace_turn(link->actor, ACTOR_FAILED, &fault);
    link->deaths++;
    bool is_taken_up = !session_is_stopping(session) && link_take_up(link, &fault);
    house_wake_all(link->house);
    if (is_taken_up) {
        uint64_t delay_ns = restart_delay_ns(link);
        if (delay_ns == 0) {
            link_spawn(link);
        } else {
            link->restart_ns = link_now_ns(link) + delay_ns;
            isolation_ring(link->house->isolation);
        }
        return;
    }
    if (!session_is_stopping(session))
        link_fail_session(link, &fault);
    link_leave(link);
}

void link_not_born(Link *link, int error)
{
    if (link->state != LINK_ALIVE)
        return;
    link->state = LINK_WAITS;
    link->kill_ns = link->begin_ns = link->end_ns = 0;
    isolation_forget(link);
    Fault fault = {.kind = CHX_FAULT_SYSTEM};
    const Nursery *nursery = &link->house->isolation->nursery;
    const char *why =
        error == ECHILD ? "the process that starts isolated roles ends each time" : strerrordesc_np(error);
    if (error == EBADF)
        why = DESCRIPTOR_LOST;
    else if (error == ETIMEDOUT)
        why = "the process that starts isolated roles does not answer";
    else if (error == ECHILD && nursery->why[0] != '\0')
        why = nursery->why;
    snprintf(fault.why, sizeof fault.why, "no process could be started for it: %.400s", why);
    link_fail_session(link, &fault);
    // It leaves on the postman's thread, which is not told by a session that has failed before.
    isolation_ring(link->house->isolation);
}

void link_orphan(Link *link)
{
    if (atomic_load(&link->seat->begun) != 0) {
        link_died(link, SIGKILL);
    } else if (link->unborn++ == UNBORN_MAX) {
        link_not_born(link, ECHILD);
    } else {
        isolation_forget(link);
        link_spawn(link);
    }
}

void link_lost_touch(Link *link)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = link->seat->actor.self.site};
    snprintf(fault.why, sizeof fault.why, "%s: its process can't be reached any more", DESCRIPTOR_LOST);
    if (link->state == LINK_LEFT)
        return;
    if (!session_is_stopping(link->house->session))
        link_fail_session(link, &fault);
    link_leave(link);
}

// It was asked for, and nothing has been seen of it.
static void link_look_for_beginning(Link *link)
{
    link->begin_ns = 0;
    if (atomic_load(&link->seat->begun) == 0)
        link_condemn(link, CHX_FAULT_SYSTEM, "its process was started, but has not begun after %d seconds",
                     (int)(BEGIN_MAX_NS / 1000000000));
}

// It was killed, and has not ended. If the nursery answers, it has done that: then the process is stuck in the system, and
// will do nothing any more. If not, the nursery is stuck.
static void link_look_for_end(Link *link, uint64_t now_ns)
{
    Nursery *nursery = &link->house->isolation->nursery;
    if (link->killed_ns == 0) {
        link_ask_for_end(link);
        return;
    }
    if (atomic_load(&nursery->heard_ns) > link->killed_ns) {
        link_died(link, SIGKILL);
        return;
    }
    if (link->unanswered++ == UNANSWERED_MAX) {
        nursery_murder(nursery);
    } else if (atomic_load(&nursery->pinged_ns) == 0 && nursery_ping(nursery)) {
        atomic_store(&nursery->pinged_ns, now_ns);
    }
    link->end_ns = now_ns + END_MAX_NS;
}

// A block could not begin again.
static void link_end_session(Link *link)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = link->seat->actor.self.site};
    snprintf(fault.why, sizeof fault.why, "%s", link->house->session->lacks);
    link_fail_session(link, &fault);
}

void link_run_timers(Link *link, uint64_t now_ns)
{
    if (link->end_ns != 0 && link->end_ns <= now_ns) {
        link_look_for_end(link, now_ns);
        return;
    }
    if (link->begin_ns != 0 && link->begin_ns <= now_ns)
        link_look_for_beginning(link);
    if (link->house->is_lacking && !session_is_stopping(link->house->session))
        link_end_session(link);
    if (session_is_stopping(link->house->session) && link->state == LINK_WAITS) {
        link_leave(link);
    } else if (session_is_stopping(link->house->session)) {
        link_condemn(link, CHX_FAULT_SYSTEM, "stopped");
    } else if (link->kill_ns != 0 && link->kill_ns <= now_ns) {
        link->kill_ns = 0;
        if (link->ready_epoch != 0)
            link_kill_overdue(link);
    } else if (link->restart_ns != 0 && link->restart_ns <= now_ns) {
        link->restart_ns = 0;
        link_spawn(link);
    }
}

uint64_t link_next_ns(const Link *link)
{
    uint64_t begin_ns = atomic_load(&link->seat->begun) == 0 ? link->begin_ns : 0, next_ns = UINT64_MAX;
    uint64_t times[] = {link->kill_ns, link->restart_ns, begin_ns, link->end_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        next_ns = times[i] != 0 && times[i] < next_ns ? times[i] : next_ns;
    return next_ns;
}

// ---- a new process ----

static GivenPlace restore_ring(const Link *link, const Channel *channel)
{
    return link_given(link, link->house->rings[channel->linked->number]);
}

static GivenPlace restore_bell(const Link *link, const Actor *peer)
{
    return peer->link != NULL ? link_given(link, peer->link->bell_place) : (GivenPlace){0};
}

static void restore_channels(chx_writer *writer, const Link *link)
{
    const Actor *actor = link->actor;
    const chx_role *role = actor->role;
    for (size_t i = 0; i < role->sends_to_count; i++) {
        const Channel *channel = &actor->out[i];
        RestoreChannel out = {channel->linked->number,
                              role->sends_to[i],
                              channel->head.sending.epoch,
                              channel->consumer->link != NULL,
                              restore_ring(link, channel),
                              restore_bell(link, channel->consumer),
                              ""};
        snprintf(out.peer_name, sizeof out.peer_name, "%s", channel->consumer->role->role);
        chx_write(writer, &out, sizeof out);
    }
    for (size_t i = 0; i < role->receives_from_count; i++) {
        const Channel *channel = actor->in[i];
        RestoreChannel in = {channel->linked->number,
                             role->receives_from[i],
                             channel->head.taking.epoch,
                             channel->producer->link != NULL,
                             restore_ring(link, channel),
                             restore_bell(link, channel->producer),
                             ""};
        snprintf(in.peer_name, sizeof in.peer_name, "%s", channel->producer->role->role);
        chx_write(writer, &in, sizeof in);
    }
}

static void restore_pieces(chx_writer *writer, const Link *link)
{
    const Actor *actor = link->actor;
    if (actor->mark_count == 0) {
        RestorePiece piece = {.size = link->begin.size};
        chx_write(writer, &piece, sizeof piece);
        chx_write(writer, link->begin.data, link->begin.size);
    }
    size_t tails = actor->role->sends_to_count * sizeof(RingPoint);
    for (size_t i = 0; i < actor->mark_count; i++) {
        const Mark *mark = actor->marks[i];
        RestorePiece piece = {mark->checkpoint->site, mark->attempt, mark->saved_bytes - tails};
        chx_write(writer, &piece, sizeof piece);
        chx_write(writer, mark->saved + tails, mark->saved_bytes - tails);
    }
}

static void restore_write(chx_buffer *buffer, Link *link)
{
    Actor *actor = link->actor;
    const Session *session = link->house->session;
    const chx_runtime_options *options = &session->runtime->options;
    const Mark *mark = mark_top(actor);
    Restore restore = {
        .layout = RESTORE_LAYOUT,
        .role = actor->index,
        .role_count = session->actor_count,
        .sandbox_size = (uint32_t)link->sandbox.size,
        .has_trace = (actor->self.observed & OBSERVED_TRACE) != 0,
        .bell = link_given(link, link->bell_place),
        .definition = (uint32_t)session->plan->definition_index,
        .digest = actor->role->digest,
        .token = {session->token[0], session->token[1]},
        .house = link->house->number,
        .message_limit = options->channel_messages,
        .byte_limit = options->channel_bytes,
        .goes = link->goes,
        .answered = link->answered,
        .alarm = link->order_number,
        .marks = (uint32_t)actor->mark_count,
        .out_count = (uint32_t)actor->role->sends_to_count,
        .in_count = (uint32_t)actor->role->receives_from_count,
        .trace = session->trace,
        .float_control = session->float_control,
    };
    trace_file(&restore.trace_start_ns);
    if (mark != NULL) {
        const chx_fault *fault = &mark->block->fault->fault;
        restore.kind = fault->kind;
        restore.signal = fault->signal;
        restore.line = fault->line;
        restore.epoch = mark->block->epoch;
        snprintf(restore.fault_role, sizeof restore.fault_role, "%s", fault->role);
        snprintf(restore.why, sizeof restore.why, "%s", fault->why);
    }
    snprintf(restore.choreography, sizeof restore.choreography, "%s", actor->role->choreography);
    snprintf(restore.implementation, sizeof restore.implementation, "%s", actor->role->name);
    chx_writer writer = {buffer};
    chx_write(&writer, &restore, sizeof restore);
    restore_channels(&writer, link);
    if (link->sandbox.size > 0)
        chx_write(&writer, link->sandbox.data, link->sandbox.size);
    restore_pieces(&writer, link);
}

// A file with what the new process must know, once its files are listed. None: errno says why.
static Descriptor restore_file(Link *link)
{
    chx_buffer buffer = {0};
    restore_write(&buffer, link);
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
static bool link_prepare_files(Link *link, FileList *files)
{
    uint64_t start_ns;
    if (!link_list_files(link, files))
        return false;
    files->list[GIVEN_BELL] = isolation_door(link->house->isolation);
    files->restore = files->list[GIVEN_BELL] >= 0 ? restore_file(link) : NO_DESCRIPTOR;
    files->list[GIVEN_RESTORE] = files->restore.number;
    if ((link->actor->self.observed & OBSERVED_TRACE) != 0)
        files->list[files->count++] = trace_file(&start_ns);
    if (files->list[GIVEN_RESTORE] >= 0)
        return true;
    int error = errno;
    free(files->list);
    errno = error;
    return false;
}

// A new process in the place of one that has died would be forked from the nursery, which has the privileges that the
// session was started with.
static bool link_may_restart(Link *link)
{
    uint64_t privileges = 0;
    bool is_known = link->state == LINK_NEW || inherited_privileges(&privileges);
    int error = errno;
    if (link->state == LINK_NEW || (is_known && privileges == link->house->isolation->inherited.privileges))
        return true;
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = link->seat->actor.self.site};
    if (is_known)
        snprintf(fault.why, sizeof fault.why,
                 "it can't be restarted: the program's privileges have changed since the session began, and a new "
                 "process would have the old ones");
    else
        snprintf(fault.why, sizeof fault.why, "it can't be restarted: the program's privileges can't be read: %s",
                 strerrordesc_np(error));
    link_fail_session(link, &fault);
    return false;
}

void link_spawn(Link *link)
{
    House *house = link->house;
    Seat *seat = link->seat;
    if (session_is_stopping(house->session) || !link_may_restart(link)) {
        link->state = LINK_WAITS;
        isolation_ring(house->isolation);
        return;
    }
    FileList files;
    bool is_prepared = link_prepare_files(link, &files);
    int error = errno;
    // What the last one had begun to say is void, and so is what it may have made of these words.
    link->post.size = 0;
    link->complaints = 0;
    atomic_store(&seat->alarm, link->order_number);
    atomic_store(&seat->order_lock, 2 * link->order_number);
    atomic_store(&seat->late, link->late);
    atomic_store(&seat->goes, link->goes);
    atomic_store(&seat->answered, link->answered);
    atomic_store(&seat->posts_tail, link->posts_head);
    atomic_store(&seat->posts_head, link->posts_head);
    atomic_store(&seat->posts_wait, 0);
    atomic_store(&seat->answer_wait, 0);
    atomic_store(&seat->begun, 0);
    atomic_store(&seat->asleep, 0);
    link->ready_epoch = 0;
    link->is_condemned = false;
    link->fault.kind = CHX_FAULT_NONE;
    link->state = LINK_ALIVE;
    if (!is_prepared) {
        link_not_born(link, error);
        return;
    }
    isolation_number(link);
    bool asked = nursery_spawn(&house->isolation->nursery, link->id, files.list, files.count, &link->generation);
    error = errno;
    descriptor_close(&files.restore);
    free(files.list);
    if (!asked && (error == EPIPE || error == ECONNRESET)) {
        // The nursery has just died, and the postman is about to notice and start another.
        isolation_forget(link);
        link->state = LINK_WAITS;
        link->restart_ns = link_now_ns(link) + RESTART_DELAY_NS;
        isolation_ring(house->isolation);
    } else if (!asked) {
        link_not_born(link, error);
    } else {
        link->begin_ns = link_now_ns(link) + BEGIN_MAX_NS;
        isolation_watch(house->isolation, link->begin_ns);
    }
}
