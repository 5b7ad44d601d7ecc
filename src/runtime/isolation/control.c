// control.c: the control messages of an isolated role's process, as the program takes them. See parent.h.
//
// The process may be broken in any way: each message is checked, and one that makes no sense is the end of that process,
// never of this one. The functions that take a message return whether it made sense.

#include "runtime/isolation/parent.h"

#include "runtime/arms/arms.h"
#include "runtime/durable/durable.h"
#include "runtime/value/codec.h"

#include <stdlib.h>
#include <string.h>

static void proxy_saves_too_much(RoleProxy *proxy)
{
    proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM,
                           "what it has saved for the blocks that it is in takes more than %d MiB",
                           SAVED_MAX_BYTES >> 20);
}

// What the role holds is kept until it is in the store.
static void proxy_give(RoleProxy *proxy, const void *data, size_t size)
{
    chx_buffer *piece = &durable_role(proxy->actor)->piece;
    chx_writer writer = {.buffer = piece};
    buffer_restart(piece);
    chx_write(&writer, data, size);
    if (piece->failed)
        guard_no_memory();
}

static bool proxy_keeps(const RoleProxy *proxy, const chx_checkpoint *checkpoint)
{
    return checkpoint->is_durable && proxy->isolated->session->durable != NULL;
}

static size_t tails_size(const RoleProxy *proxy)
{
    return proxy->actor->role->sends_to_count * sizeof(RingPoint);
}

static void proxy_give_entry(RoleProxy *proxy, const void *data, size_t size)
{
    Session *session = proxy->isolated->session;
    if (!cut_reserve(&session->durable->cut))
        guard_no_memory();
    proxy_give(proxy, (const unsigned char *)data + tails_size(proxy), size - tails_size(proxy));
}

// Is this role the last at the end of the block?
static bool block_awaits_one(const Block *block)
{
    return block->arrived + 1 == block->checkpoint->participant_count;
}

static bool control_enter(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    Actor *actor = proxy->actor;
    Session *session = actor->session;
    size_t saved = head->size;
    const chx_checkpoint *checkpoint = role_checkpoint(actor->role, head->about);
    Savepoint *parent = savepoint_top(actor);
    if (checkpoint == NULL || saved < actor->role->sends_to_count * sizeof(RingPoint))
        return false;
    if (actor->member.awaited != 0)
        return true;
    if (parent != NULL && parent->position.arrived)
        return false;
    if (saved + SAVEPOINT_BYTES > SAVED_MAX_BYTES - proxy->saved_bytes) {
        proxy_saves_too_much(proxy);
        return true;
    }
    bool is_kept = proxy_keeps(proxy, checkpoint);
    if (is_kept)
        proxy_give_entry(proxy, data, saved);
    savepoint_reserve(actor);
    uint32_t *ordinal = savepoint_ordinal(actor, parent, checkpoint->name);
    Savepoint *savepoint = savepoint_allocate(actor, saved);
    savepoint->frame = NULL;
    memcpy(savepoint->saved, data, saved);
    // The process does not know whether a role has failed in the block.
    if (!recovery_enter(&session->recovery, &savepoint->position, parent != NULL ? parent->position.block : NULL,
                        checkpoint, *ordinal, 0)) {
        savepoint_release(actor, savepoint);
        guard_raise(CHX_FAULT_SYSTEM, 0, checkpoint->site, "%s", session->recovery.lacks);
    }
    (*ordinal)++;
    savepoint_push(actor, savepoint);
    proxy->deaths = 0;
    proxy->saved_bytes += savepoint->saved_bytes + SAVEPOINT_BYTES;
    if (is_kept && !durable_enter(actor, savepoint->position.block))
        return false;
    if (is_kept)
        proxy->waits_for_store = true;
    // If a role has failed in the block already, this one joins the others in the attempt that they are in.
    if (position_is_behind(&savepoint->position)) {
        proxy_roll_back(proxy);
        // The process may not have seen the failure in time, and be in a function that does not return.
        if (savepoint->position.block->fault->fault.kind == CHX_FAULT_DEADLINE)
            proxy_hurry(proxy);
        if (proxy->late > 0)
            atomic_store(&proxy->control->late, --proxy->late);
    }
    return true;
}

static bool control_arrive(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    Session *session = proxy->actor->session;
    Savepoint *savepoint = savepoint_top(proxy->actor);
    if (proxy->actor->member.awaited != 0)
        return true;
    if (savepoint == NULL || savepoint->position.checkpoint->site != head->about || savepoint->position.arrived)
        return false;
    bool is_kept = proxy_keeps(proxy, savepoint->position.checkpoint);
    if (is_kept && proxy->waits_for_store)
        return false;
    if (is_kept && proxy->actor->member.count == 1)
        proxy_give(proxy, data, head->size);
    uint32_t depth = savepoint->position.block->depth;
    bool is_last = block_awaits_one(savepoint->position.block);
    recovery_arrive(&session->recovery, &savepoint->position, false);
    if (is_kept && is_last)
        durable_leave(session, depth, false);
    return true;
}

// At the end of a round: with what the role saves for the next one, as in control_enter.
static bool control_renew(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    Savepoint *savepoint = savepoint_top(proxy->actor);
    Recovery *recovery = &proxy->actor->session->recovery;
    if (proxy->actor->member.awaited != 0)
        return true;
    if (savepoint == NULL || savepoint->position.checkpoint->site != head->about || savepoint->position.arrived ||
        !savepoint->position.checkpoint->is_round ||
        head->size < proxy->actor->role->sends_to_count * sizeof(RingPoint))
        return false;
    if (head->size > SAVED_MAX_BYTES - proxy->saved_bytes) {
        proxy_saves_too_much(proxy);
        return true;
    }
    unsigned char *next = malloc(head->size + 1u);
    if (next == NULL)
        guard_no_memory();
    memcpy(next, data, head->size);
    free(proxy->next_round);
    proxy->next_round = next;
    proxy->next_round_bytes = head->size;
    bool is_kept = proxy_keeps(proxy, savepoint->position.checkpoint);
    if (is_kept && proxy->waits_for_store)
        return false;
    if (is_kept)
        proxy_give_entry(proxy, data, head->size);
    uint32_t depth = savepoint->position.block->depth;
    bool is_last = block_awaits_one(savepoint->position.block);
    if (!recovery_arrive(recovery, &savepoint->position, true))
        guard_raise(CHX_FAULT_SYSTEM, 0, head->about, "%s", recovery->lacks);
    if (is_kept && is_last)
        durable_leave(proxy->isolated->session, depth, true);
    return true;
}

static bool control_ready(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    (void)data;
    // One from an arm that it has been called back from is none of the command after it.
    if (head->what != proxy_arm_id(proxy) || !recovery_ready(&proxy->actor->member, head->about))
        return true;
    proxy->kill_ns = 0;
    proxy_leave_given_up(proxy);
    return true;
}

static bool control_fail(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    if (head->what != CHX_FAULT_FAIL && head->what != CHX_FAULT_PATTERN && head->what != CHX_FAULT_EXIT &&
        head->what != CHX_FAULT_SYSTEM && head->what != CHX_FAULT_AGREE)
        return false;
    proxy_set_kill_pending(proxy, (chx_fault_kind)head->what, "%.*s", (int)head->size, (const char *)data);
    proxy->fault.site = head->about;
    return true;
}

static bool control_end(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    Session *session = proxy->isolated->session;
    Actor *actor = proxy->actor;
    void *slot = session_result(session, actor->index);
    const chx_type *type = session->plan->roles[actor->index].entry->function->result;
    // A role that has been rolled back is in a block, too.
    if (actor->member.count != 0 || proxy->arm != NULL)
        return false;
    if (slot != NULL) {
        void *value = malloc(type->size + 1);
        Fault fault;
        DecodeResult result =
            value != NULL ? proxy_decode(proxy, type, value, data, head->size, &fault) : DECODE_NO_MEMORY;
        if (result == DECODE_GOOD)
            memcpy(slot, value, type->size);
        free(value);
        if (result == DECODE_NO_MEMORY)
            guard_no_memory();
        if (result == DECODE_FAILED)
            proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, "its result can't be decoded: %.400s", fault.why);
        if (result != DECODE_GOOD)
            return result == DECODE_FAILED;
    }
    proxy_leave(proxy);
    // A role that still waits for this one waits in vain, and has to notice that.
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        atomic_fetch_or(&shm_channel(&actor->out[i])->ring.words->ended, RING_PRODUCER_ENDED);
        actor_nudge(actor->out[i].consumer);
    }
    for (size_t i = 0; i < actor->role->receives_from_count; i++) {
        atomic_fetch_or(&shm_channel(actor->in[i])->ring.words->ended, RING_CONSUMER_ENDED);
        actor_nudge(actor->in[i]->producer);
    }
    return true;
}

// The channel with this number of the session or of the arm, if the role, whose actor this is, is at one of its ends; else NULL.
static Channel *control_channel(const Actor *actor, uint32_t number)
{
    const Session *session = actor->session;
    size_t count;
    Channel *channels = session->arm != NULL ? arms_channels(session->arm, &count) : session->channels;
    if (session->arm == NULL)
        count = session->channel_count;
    Channel *channel = number < count && channels[number].ops != NULL ? &channels[number] : NULL;
    bool is_its = channel != NULL && (channel->producer == actor || channel->consumer == actor);
    return is_its ? channel : NULL;
}

// The role's actor in the arm, or outside of arms, that the message is about. NULL: it was called back from that arm, or has left it.
static Actor *control_actor(const RoleProxy *proxy, uint32_t arm_id)
{
    const ProxyArm *arm = proxy->arm;
    while (arm != NULL && arm->id != arm_id)
        arm = arm->outer;
    if (arm != NULL)
        return arm->actor;
    return arm_id == 0 ? proxy_main(proxy) : NULL;
}

static bool control_wake(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    (void)data;
    const Actor *actor = control_actor(proxy, head->what / CONTROL_ARM_FACTOR);
    uint32_t what = head->what % CONTROL_ARM_FACTOR;
    if (actor == NULL)
        return true;
    const Channel *channel = control_channel(actor, head->about);
    if (channel == NULL || what > 1)
        return false;
    // Processes wake each other.
    Actor *peer = what == 1 ? channel->producer : channel->consumer;
    if (peer->proxy != NULL)
        return false;
    if (actor_wake(peer, channel))
        scheduler_ready(&peer->session->runtime->scheduler, peer);
    return true;
}

// A process says that what its peer wrote into their ring violates the protocol. Both can write there. If the ring is
// broken, the process is believed, except where its peer is a role of this process, which does not break rings. If the ring
// looks right, one of the two is wrong about what has to come.
static bool control_report_violation(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    (void)data;
    const Actor *actor = control_actor(proxy, head->what / CONTROL_ARM_FACTOR);
    uint32_t what = head->what % CONTROL_ARM_FACTOR;
    if (actor == NULL)
        return true;
    Channel *channel = control_channel(actor, head->about);
    if (channel == NULL || what > VIOLATION_ENDED)
        return false;
    if (proxy->actor->member.awaited != 0)
        return true;
    bool is_consumer = channel->consumer == actor;
    const Actor *other = is_consumer ? channel->producer : channel->consumer;
    const char *self_name = proxy->actor->role->role, *other_name = other->role->role;
    bool is_broken = proxy_violation_holds(channel, is_consumer, (Violation)what);
    if (is_broken && other->proxy == NULL)
        return false;
    if (is_broken) {
        proxy_blame(role_proxy(other), self_name);
    } else if (what != VIOLATION_AHEAD) {
        if (++proxy->violations > VIOLATIONS_MAX) {
            static const char why[] = "its process and %s do not agree on what has to come";
            proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, why, other_name);
            if (other->proxy != NULL)
                proxy_set_kill_pending(role_proxy(other), CHX_FAULT_EXIT, why, self_name);
        }
        doorbell_ring(proxy->doorbell); // the process looks again
    }
    return true;
}

// The kinds of messages, with the sizes that they can have.
static const struct {
    size_t most;
    bool (*take)(RoleProxy *proxy, const ControlHead *head, const void *data);
} kinds[] = {
    [CONTROL_ENTER] = {CONTROL_MAX_BYTES, control_enter},
    [CONTROL_ARRIVE] = {CONTROL_MAX_BYTES, control_arrive},
    [CONTROL_RENEW] = {CONTROL_MAX_BYTES, control_renew},
    [CONTROL_READY] = {0, control_ready},
    [CONTROL_FAIL] = {REPORT_WHY_SIZE - 1, control_fail},
    [CONTROL_END] = {CONTROL_MAX_BYTES, control_end},
    [CONTROL_WAKE] = {0, control_wake},
    [CONTROL_COMPLAIN] = {0, control_report_violation},
    [CONTROL_ARM] = {CONTROL_MAX_BYTES, control_arm},
    [CONTROL_ARM_END] = {0, control_arm_end},
};

static bool control_can_be(const ControlHead *head)
{
    return head->kind < sizeof kinds / sizeof *kinds && kinds[head->kind].take != NULL &&
           head->size <= kinds[head->kind].most;
}

typedef struct {
    RoleProxy *proxy;
    ControlHead head;
    bool is_good;
} Taking;

static void control_take(void *closure)
{
    Taking *taking = closure;
    RoleProxy *proxy = taking->proxy;
    current()->busy++;
    taking->is_good = kinds[taking->head.kind].take(proxy, &taking->head, proxy->message.data + sizeof taking->head);
}

// Takes the message that was read. If there is no memory for that, the process is killed, and this one goes on.
static void control_take_guarded(RoleProxy *proxy, ControlHead head)
{
    Guard guard;
    Taking taking = {proxy, head, false};
    if (!guard_run(&guard, proxy->actor, control_take, &taking))
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "%s", guard.fault.why);
    else if (!taking.is_good)
        proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, "its process broke the protocol (message of kind %u)", head.kind);
}

// Reads up to `wanted` bytes of a message, behind those of it that are there. Not so much memory is taken as the process
// says that there will be, but as much as there is. True: all are there.
static bool controls_read(RoleProxy *proxy, uint64_t tail, size_t wanted)
{
    chx_writer writer = {.buffer = &proxy->message};
    while (proxy->message.size < wanted && proxy->control_head != tail) {
        size_t at = proxy->control_head % CONTROLS_BYTES, part = wanted - proxy->message.size;
        part = part < tail - proxy->control_head ? part : (size_t)(tail - proxy->control_head);
        part = part < CONTROLS_BYTES - at ? part : CONTROLS_BYTES - at;
        chx_write(&writer, proxy->control->controls + at, part);
        if (proxy->message.failed) {
            proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "out of memory");
            return false;
        }
        proxy->control_head += part;
    }
    return proxy->message.size == wanted;
}

// Wakes the process if it waits for the supervisor thread.
static void control_answer(RoleProxy *proxy)
{
    _Atomic uint32_t *awaited = &proxy->control->supervisor_awaited;
    if (atomic_load(awaited) != 0 && atomic_exchange(awaited, 0) != 0)
        doorbell_ring(proxy->doorbell);
}

// Reads a message. False: there is no whole one yet, or none that can be.
static bool control_next(RoleProxy *proxy, ControlHead *head)
{
    ControlBlock *control = proxy->control;
    uint64_t tail = atomic_load(&control->control_tail);
    if (tail - proxy->control_head > CONTROLS_BYTES) {
        proxy_set_kill_pending(proxy, CHX_FAULT_EXIT,
                               "its process broke the protocol: it says more than there is room for");
        return false;
    }
    bool is_whole = false;
    if (proxy->message.size >= sizeof *head || controls_read(proxy, tail, sizeof *head)) {
        memcpy(head, proxy->message.data, sizeof *head);
        if (!control_can_be(head)) {
            proxy_set_kill_pending(proxy, CHX_FAULT_EXIT,
                                   "its process broke the protocol (message of kind %u, %u bytes)", head->kind,
                                   head->size);
            return false;
        }
        is_whole = controls_read(proxy, tail, sizeof *head + head->size);
    }
    atomic_store(&control->control_head, proxy->control_head);
    control_answer(proxy);
    return is_whole;
}

void proxy_take_controls(RoleProxy *proxy, unsigned count)
{
    ControlHead head;
    for (unsigned i = 0; i < count; i++) {
        // When the session is being stopped, some roles have left already, and no others meet at the end of a block.
        if (proxy->state != PROXY_ALIVE || session_is_stopping(proxy->isolated->session) ||
            session_is_stopping(proxy->actor->session) || !control_next(proxy, &head))
            return;
        // What a process says that is about to be killed counts no more, except that it has come back to a block: it may
        // have acted in the new attempt.
        if (proxy->fault.kind == CHX_FAULT_NONE || head.kind == CONTROL_READY)
            control_take_guarded(proxy, head);
        proxy->message.size = 0;
        if (proxy->message.capacity > CONTROLS_BYTES)
            chx_buffer_free(&proxy->message);
        atomic_store(&proxy->control->answered, ++proxy->answered);
        control_answer(proxy);
    }
}
