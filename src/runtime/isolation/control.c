// control.c: what the process of an isolated role says. See parent.h.
//
// The process may be broken in any way: each control message is checked, and one that makes no sense is the end of that
// process, never of this one.

#include "runtime/isolation/parent.h"

#include "runtime/value/codec.h"
#include "runtime/session/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool control_enter(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    Actor *actor = proxy->actor;
    Session *session = proxy->isolated->session;
    ControlEnter head;
    size_t tails = actor->role->sends_to_count * sizeof(RingPoint);
    if (size < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    const chx_checkpoint *checkpoint = role_checkpoint(actor->role, head.site);
    Savepoint *parent = savepoint_top(actor);
    if (checkpoint == NULL || head.tails != actor->role->sends_to_count || size - sizeof head < tails)
        return false;
    if (proxy->actor->member.awaited != 0)
        return true;
    if (parent != NULL && parent->position.arrived)
        return false;
    if (size - sizeof head + SAVEPOINT_BYTES > SAVED_MAX_BYTES - proxy->saved_bytes) {
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM,
                               "what it has saved for the blocks that it is in takes more than %d MiB",
                               SAVED_MAX_BYTES >> 20);
        return true;
    }
    savepoint_reserve(actor);
    uint32_t *ordinal = savepoint_ordinal(actor, parent, checkpoint->site);
    Savepoint *savepoint = savepoint_allocate(actor, size - sizeof head);
    savepoint->frame = NULL;
    memcpy(savepoint->saved, data + sizeof head, size - sizeof head);
    // The process does not know whether somebody has failed in the block.
    if (!recovery_enter(&session->recovery, &savepoint->position, parent != NULL ? parent->position.block : NULL,
                        checkpoint, *ordinal, 0)) {
        savepoint_release(actor, savepoint);
        guard_raise(CHX_FAULT_SYSTEM, 0, checkpoint->site, "%s", session->recovery.lacks);
    }
    savepoint_push(actor, savepoint, (*ordinal)++);
    proxy->deaths = 0;
    proxy->saved_bytes += savepoint->saved_bytes + SAVEPOINT_BYTES;
    // Others have failed here already: it goes where they are.
    if (position_is_behind(&savepoint->position)) {
        isolation_roll_back(proxy);
        // It may not have seen that in time, and be in a function that does not return.
        if (savepoint->position.block->fault->fault.kind == CHX_FAULT_DEADLINE)
            proxy_hurry(proxy);
        if (proxy->late > 0)
            atomic_store(&proxy->control->late, --proxy->late);
    }
    return true;
}

static bool control_arrive(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    uint32_t site;
    Savepoint *savepoint = savepoint_top(proxy->actor);
    if (size != sizeof site)
        return false;
    memcpy(&site, data, sizeof site);
    if (proxy->actor->member.awaited != 0)
        return true;
    if (savepoint == NULL || savepoint->position.checkpoint->site != site || savepoint->position.arrived)
        return false;
    recovery_arrive(&proxy->isolated->session->recovery, &savepoint->position);
    return true;
}

static bool control_ready(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    ControlReady ready;
    if (size != sizeof ready)
        return false;
    memcpy(&ready, data, sizeof ready);
    if (recovery_ready(&proxy->actor->member, ready.epoch))
        proxy->kill_ns = 0;
    return true;
}

static bool control_fail(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    ControlFail fail;
    if (size < sizeof fail || size - sizeof fail >= REPORT_WHY_SIZE)
        return false;
    memcpy(&fail, data, sizeof fail);
    bool is_known = fail.kind == CHX_FAULT_FAIL || fail.kind == CHX_FAULT_PATTERN || fail.kind == CHX_FAULT_EXIT ||
                    fail.kind == CHX_FAULT_SYSTEM;
    if (!is_known)
        return false;
    proxy_set_kill_pending(proxy, (chx_fault_kind)fail.kind, "%.*s", (int)(size - sizeof fail),
                           (const char *)data + sizeof fail);
    proxy->fault.site = fail.site;
    return true;
}

// Somebody looks again at what it waits for.
static void actor_nudge(Actor *actor)
{
    if (actor->proxy != NULL)
        doorbell_ring(proxy_doorbell(actor->proxy));
    else if (actor_wake(actor, NULL))
        scheduler_ready(&actor->session->runtime->scheduler, actor);
}

static bool control_end(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    Session *session = proxy->isolated->session;
    Actor *actor = proxy->actor;
    void *slot = session_result(session, actor->index);
    const chx_type *type = session->plan->roles[actor->index].entry->function->result;
    // A role that has been rolled back is in a block, too.
    if (actor->member.count != 0)
        return false;
    if (slot != NULL) {
        void *value = malloc(type->size + 1);
        Fault fault;
        DecodeResult result = value != NULL ? proxy_decode(proxy, type, value, data, size, &fault) : DECODE_NO_MEMORY;
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
    // If that was not in order, others wait for it in vain: they look.
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

static bool control_wake(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    uint32_t words[2];
    Session *session = proxy->isolated->session;
    if (size != sizeof words)
        return false;
    memcpy(words, data, sizeof words);
    if (words[0] >= session->channel_count || words[1] > 1)
        return false;
    Channel *channel = &session->channels[words[0]];
    Actor *peer = words[1] != 0 ? channel->producer : channel->consumer;
    Actor *self = words[1] != 0 ? channel->consumer : channel->producer;
    if (shm_channel(channel) == NULL || self != proxy->actor || peer->proxy != NULL)
        return false;
    if (actor_wake(peer, channel))
        scheduler_ready(&session->runtime->scheduler, peer);
    return true;
}

// Is there something wrong with the channel, as far as can be seen here?
static bool channel_is_broken(Channel *channel, bool for_consumer)
{
    // As the consumer sees it.
    Ring view = shm_channel(channel)->ring;
    RingItem item = {0};
    ring_go_on(&view);
    if (!for_consumer)
        return !ring_is_sane(&view, view.head, view.tail);
    // Small ones lie in two places.
    for (int i = 0; i < 2; i++) {
        RingState state = i == 0 ? ring_peek(&view, &item) : ring_look(&view, view.head, view.tail, &item);
        if (state == RING_BROKEN || (state == RING_ITEM && !proxy_item_is_valid(channel, &view, &item)))
            return true;
        item.is_latest = false;
    }
    return false;
}

static bool channel_is_empty(Channel *channel)
{
    const RingWords *words = shm_channel(channel)->ring.words;
    return ring_load(&words->head).word == ring_load(&words->tail).word;
}

// A process says that what its peer wrote into their ring violates the protocol. Both can write there. If the ring is broken,
// that is believed; a role of this process does not break it. If it looks right, one of the two is wrong about what has to
// come.
static bool control_report_violation(RoleProxy *proxy, const unsigned char *data, size_t size)
{
    uint32_t words[2];
    Session *session = proxy->isolated->session;
    if (size != sizeof words)
        return false;
    memcpy(words, data, sizeof words);
    if (words[0] >= session->channel_count || words[1] > VIOLATION_ENDED)
        return false;
    Channel *channel = &session->channels[words[0]];
    bool is_consumer = channel->consumer == proxy->actor;
    if (shm_channel(channel) == NULL || (!is_consumer && channel->producer != proxy->actor))
        return false;
    if (proxy->actor->member.awaited != 0)
        return true;
    const Actor *other = is_consumer ? channel->producer : channel->consumer;
    const char *self_name = proxy->actor->role->role, *other_name = other->role->role;
    bool is_broken = channel_is_broken(channel, is_consumer);
    if (words[1] == VIOLATION_ENDED && other->proxy != NULL && other->proxy->state == PROXY_LEFT)
        is_broken |= !is_consumer || channel_is_empty(channel);
    if (is_broken && other->proxy == NULL)
        return false;
    if (is_broken) {
        proxy_blame(other->proxy, self_name);
    } else if (words[1] != VIOLATION_AHEAD) {
        if (++proxy->violations > VIOLATIONS_MAX) {
            proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, "its process and %s do not agree on what has to come",
                                   other_name);
            if (other->proxy != NULL)
                proxy_set_kill_pending(other->proxy, CHX_FAULT_EXIT,
                                       "its process and %s do not agree on what has to come", self_name);
        }
        doorbell_ring(proxy_doorbell(proxy)); // it looks again
    }
    return true;
}

static bool control_take(RoleProxy *proxy, uint32_t kind, const unsigned char *data, size_t size)
{
    switch (kind) {
    case CONTROL_ENTER:
        return control_enter(proxy, data, size);
    case CONTROL_ARRIVE:
        return control_arrive(proxy, data, size);
    case CONTROL_READY:
        return control_ready(proxy, data, size);
    case CONTROL_FAIL:
        return control_fail(proxy, data, size);
    case CONTROL_END:
        return control_end(proxy, data, size);
    case CONTROL_WAKE:
        return control_wake(proxy, data, size);
    case CONTROL_COMPLAIN:
        return control_report_violation(proxy, data, size);
    default:
        return false;
    }
}

// Can there be such a message? The others are as small as their structs.
static bool control_can_be(const ControlHead *head)
{
    if (head->kind == CONTROL_ENTER || head->kind == CONTROL_END)
        return head->size <= CONTROL_MAX_BYTES;
    return head->kind >= CONTROL_ENTER && head->kind <= CONTROL_COMPLAIN &&
           head->size <= sizeof(ControlFail) + REPORT_WHY_SIZE;
}

typedef struct {
    RoleProxy *proxy;
    uint32_t kind;
    const unsigned char *data;
    size_t size;
    bool is_good;
} Taking;

static void control_take_one(void *closure)
{
    Taking *taking = closure;
    current()->busy++;
    taking->is_good = control_take(taking->proxy, taking->kind, taking->data, taking->size);
}

// Without memory the process is killed, not this one.
static bool control_take_guarded(RoleProxy *proxy, uint32_t kind, const unsigned char *data, size_t size)
{
    Guard guard;
    Taking taking = {proxy, kind, data, size, false};
    if (!guard_run(&guard, proxy->actor, control_take_one, &taking))
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "%s", guard.fault.why);
    bool is_out_of_memory = proxy->kill_pending && proxy->fault.kind == CHX_FAULT_SYSTEM;
    return taking.is_good || is_out_of_memory;
}

static bool control_reserve(RoleProxy *proxy, size_t count)
{
    chx_buffer *message = &proxy->message;
    if (message->capacity - message->size >= count)
        return true;
    // Not as much as it says that there will be.
    size_t capacity = message->capacity * 2 > message->size + count ? message->capacity * 2 : message->size + count;
    unsigned char *grown = realloc(message->data, capacity);
    if (grown == NULL)
        return false;
    message->data = grown;
    message->capacity = capacity;
    return true;
}

// Up to `wanted` bytes of control messages, behind what there is of this one. False: there are none.
static bool controls_read(RoleProxy *proxy, uint64_t tail, size_t wanted)
{
    size_t there = (size_t)(tail - proxy->control_head), missing = wanted - proxy->message.size;
    size_t count = there < missing ? there : missing;
    if (!control_reserve(proxy, count)) {
        proxy_set_kill_pending(proxy, CHX_FAULT_SYSTEM, "out of memory");
        return false;
    }
    while (count > 0) {
        size_t at = proxy->control_head % CONTROLS_BYTES,
               part = CONTROLS_BYTES - at < count ? CONTROLS_BYTES - at : count;
        memcpy(proxy->message.data + proxy->message.size, proxy->control->controls + at, part);
        proxy->message.size += part;
        proxy->control_head += part;
        count -= part;
    }
    return proxy->message.size == wanted;
}

// One whole message. False: there is none.
static bool control_next(RoleProxy *proxy)
{
    ControlBlock *control = proxy->control;
    uint64_t tail = atomic_load(&control->control_tail);
    ControlHead head;
    if (tail - proxy->control_head > CONTROLS_BYTES) {
        proxy_set_kill_pending(proxy, CHX_FAULT_EXIT,
                               "its process broke the protocol: it says more than there is room for");
        return false;
    }
    bool is_whole = false;
    if (proxy->message.size >= sizeof head || controls_read(proxy, tail, sizeof head)) {
        memcpy(&head, proxy->message.data, sizeof head);
        if (!control_can_be(&head)) {
            proxy_set_kill_pending(proxy, CHX_FAULT_EXIT,
                                   "its process broke the protocol (message of kind %u, %u bytes)", (unsigned)head.kind,
                                   (unsigned)head.size);
            return false;
        }
        is_whole = controls_read(proxy, tail, sizeof head + head.size);
    }
    atomic_store(&control->control_head, proxy->control_head);
    if (atomic_load(&control->controls_wait) != 0 && atomic_exchange(&control->controls_wait, 0) != 0)
        doorbell_ring(proxy_doorbell(proxy));
    return is_whole;
}

bool proxy_take_controls(RoleProxy *proxy)
{
    for (unsigned i = 0; i < CONTROLS_PER_TURN; i++) {
        // When the session is being stopped, some have left already: nobody meets any more.
        if (proxy->state != PROXY_ALIVE || session_is_stopping(proxy->isolated->session) || !control_next(proxy))
            return true;
        ControlHead head;
        memcpy(&head, proxy->message.data, sizeof head);
        // What a process says that is about to be killed counts no more, but one that is ready may have acted in the new attempt.
        bool is_heard = !proxy->kill_pending || head.kind == CONTROL_READY;
        bool is_good =
            !is_heard || control_take_guarded(proxy, head.kind, proxy->message.data + sizeof head, head.size);
        proxy->message.size = 0;
        if (proxy->message.capacity > CONTROLS_BYTES)
            chx_buffer_free(&proxy->message);
        atomic_store(&proxy->control->answered, ++proxy->answered);
        if (!is_good)
            proxy_set_kill_pending(proxy, CHX_FAULT_EXIT, "its process broke the protocol (message of kind %u)",
                                   head.kind);
        if (atomic_load(&proxy->control->answer_wait) != 0 && atomic_exchange(&proxy->control->answer_wait, 0) != 0)
            doorbell_ring(proxy_doorbell(proxy));
    }
    return false;
}
