// validate.c: is what a process has written into shared memory what it should be? See parent.h.

#include "runtime/isolation/parent.h"

#include "runtime/value/codec.h"

#include <stdlib.h>

typedef struct {
    RoleProxy *proxy;
    const chx_type *type;
    void *value;
    const void *data;
    size_t size;
    Fault *fault;
    DecodeResult result;
} Decoding;

static void decode_guarded(void *closure)
{
    Decoding *decoding = closure;
    decoding->result = value_decode(decoding->type, decoding->value, decoding->data, decoding->size, decoding->fault);
    chx_release(&decoding->proxy->actor->self);
}

// The user's decoding functions work here on what another process has written. If they fail or crash on that, it can't be
// decoded.
DecodeResult proxy_decode(RoleProxy *proxy, const chx_type *type, void *value, const void *data, size_t size,
                          Fault *fault)
{
    Guard guard;
    Decoding decoding = {proxy, type, value, data, size, fault, DECODE_FAILED};
    if (!guard_run(&guard, proxy->actor, decode_guarded, &decoding))
        *fault = guard.fault;
    return decoding.result;
}

bool proxy_item_is_valid(void *context, Ring *ring, const RingItem *item)
{
    const Channel *channel = context;
    RoleProxy *proxy = role_proxy(channel->producer);
    const chx_site *site = role_site(channel->producer->role, item->record.site);
    if (site == NULL || role_site(channel->consumer->role, item->record.site) == NULL)
        return false;
    // The epoch that an isolated role has been told of is known here. That of another role is known to its worker only.
    uint32_t highest = proxy != NULL ? channel->head.sending.epoch : channel->producer->session->recovery.epoch;
    if (item->record.of.epoch > highest)
        return false;
    if (site->type == NULL)
        return item->record.size == sizeof(uint32_t);
    if (proxy == NULL || item->record.size > VALUE_CHECKED_MAX_BYTES)
        return true;
    unsigned char *bytes = malloc(item->record.size + 1u), *value = malloc(site->type->size + 1u);
    // Without memory for it, the value is checked by its receiver only, like a large one.
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

// Is there something wrong with the channel, as far as can be seen here? For its producer only the points are checked, for
// its consumer the next message, too.
static bool channel_is_broken(Channel *channel, bool for_consumer)
{
    // A copy, which is as the consumer sees it.
    Ring view = shm_channel(channel)->ring;
    RingItem item = {0};
    ring_go_on(&view);
    if (!for_consumer)
        return !ring_is_sane(&view, view.head, view.tail);
    // A small item lies in two places, and both are looked at.
    for (int i = 0; i < 2; i++) {
        RingState state = i == 0 ? ring_peek(&view, &item) : ring_look(&view, view.head, view.tail, &item);
        if (state == RING_BROKEN || (state == RING_ITEM && !proxy_item_is_valid(channel, &view, &item)))
            return true;
        item.is_latest = false;
    }
    return false;
}

bool proxy_violation_holds(Channel *channel, bool for_consumer, Violation about)
{
    const RingWords *words = shm_channel(channel)->ring.words;
    const RoleProxy *other = role_proxy(for_consumer ? channel->producer : channel->consumer);
    bool is_waited_for = !for_consumer || ring_load(&words->head).word == ring_load(&words->tail).word;
    bool has_ended = about == VIOLATION_ENDED && other != NULL && other->state == PROXY_LEFT;
    return channel_is_broken(channel, for_consumer) || (has_ended && is_waited_for);
}

// The channels of the role's actor, whose outgoing ones had come so far.
static bool channels_repair(const Actor *actor, const RingPoint *tails)
{
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        Channel *channel = actor_out(actor, i);
        if (channel == NULL)
            continue;
        RingWords *words = shm_channel(channel)->ring.words;
        uint32_t large;
        RingPoint until = ring_valid_until(&shm_channel(channel)->ring, proxy_item_is_valid, channel, &large);
        if ((int32_t)(until.count - tails[i].count) < 0) // counts go on after the largest number with 0
            return false;
        atomic_store(&words->tail, until.word);
        atomic_store(&words->large, large);
    }
    for (size_t i = 0; i < actor->role->receives_from_count; i++) {
        const Channel *channel = actor_in(actor, i);
        if (channel == NULL)
            continue;
        Ring *ring = &shm_channel(channel)->ring;
        RingItem item;
        if (ring_look(ring, ring_load(&ring->words->head), ring_load(&ring->words->tail), &item) == RING_BROKEN)
            return false;
    }
    return true;
}

bool proxy_repair(RoleProxy *proxy)
{
    const Savepoint *savepoint = savepoint_top(proxy->actor);
    const void *tails = savepoint->kept != NULL ? savepoint->kept : savepoint->saved;
    if (!channels_repair(proxy->actor, tails))
        return false;
    for (const ProxyArm *arm = proxy->arm; arm != NULL; arm = arm->outer)
        if (!channels_repair(arm->parent, (const RingPoint *)(const void *)arm->tails))
            return false;
    return true;
}
