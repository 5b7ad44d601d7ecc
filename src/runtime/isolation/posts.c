// posts.c: what the process of an isolated role says. See parent.h.
//
// It may be broken in any way: each post is checked, and one that makes no sense is the end of that process, never of
// this one.

#include "runtime/isolation/parent.h"

#include "runtime/core/codec.h"
#include "runtime/core/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool post_enter(Link *link, const unsigned char *data, size_t size)
{
    Actor *actor = link->actor;
    Session *session = link->house->session;
    PostEnter head;
    size_t tails = actor->role->sends_to_count * sizeof(RingPoint);
    if (size < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    const chx_checkpoint *checkpoint = role_checkpoint(actor->role, head.site);
    Mark *parent = mark_top(actor);
    if (checkpoint == NULL || head.tails != actor->role->sends_to_count || size - sizeof head < tails)
        return false;
    if (link->ready_epoch != 0)
        return true;
    if (parent != NULL && parent->arrived)
        return false;
    if (size - sizeof head + MARK_BYTES > SAVED_MAX_BYTES - link->saved_bytes) {
        link_condemn(link, CHX_FAULT_SYSTEM, "what it has saved for the blocks that it is in takes more than %d MiB",
                     SAVED_MAX_BYTES >> 20);
        return true;
    }
    mark_reserve(actor);
    uint32_t *ordinal = mark_ordinal(actor, parent, checkpoint->site);
    Mark *mark = mark_allocate(actor, size - sizeof head);
    mark->frame = NULL;
    memcpy(mark->saved, data + sizeof head, size - sizeof head);
    Block *block = block_enter(session, parent != NULL ? parent->block : NULL, checkpoint, *ordinal);
    if (block == NULL) {
        mark_release(actor, mark);
        guard_raise(CHX_FAULT_SYSTEM, 0, checkpoint->site, "%s", session->lacks);
    }
    mark->block = block;
    mark->checkpoint = checkpoint;
    mark_push(actor, mark, 0, (*ordinal)++);
    link->deaths = 0;
    link->saved_bytes += mark->saved_bytes + MARK_BYTES;
    // Others have failed here already: it goes where they are.
    if (mark->block->attempt != 0) {
        isolation_recall(link);
        // It may not have seen that in time, and be in a function that does not return.
        if (block->fault->fault.kind == CHX_FAULT_DEADLINE) {
            link_hurry(link);
            isolation_watch(link->house->isolation, link->kill_ns);
        }
        if (link->late > 0)
            atomic_store(&link->seat->late, --link->late);
    }
    return true;
}

static bool post_arrive(Link *link, const unsigned char *data, size_t size)
{
    uint32_t site;
    Mark *mark = mark_top(link->actor);
    if (size != sizeof site)
        return false;
    memcpy(&site, data, sizeof site);
    if (link->ready_epoch != 0)
        return true;
    if (mark == NULL || mark->checkpoint->site != site || mark->arrived)
        return false;
    mark->arrived = true;
    block_arrive(link->house->session, mark->block, mark->checkpoint->position);
    return true;
}

static bool post_ready(Link *link, const unsigned char *data, size_t size)
{
    PostReady ready;
    if (size != sizeof ready)
        return false;
    memcpy(&ready, data, sizeof ready);
    if (ready.epoch == link->ready_epoch) {
        link->ready_epoch = 0;
        link->kill_ns = 0;
    }
    return true;
}

static bool post_fail(Link *link, const unsigned char *data, size_t size)
{
    PostFail fail;
    if (size < sizeof fail || size - sizeof fail >= REPORT_WHY_SIZE)
        return false;
    memcpy(&fail, data, sizeof fail);
    bool is_known = fail.kind == CHX_FAULT_FAIL || fail.kind == CHX_FAULT_PATTERN || fail.kind == CHX_FAULT_EXIT ||
                    fail.kind == CHX_FAULT_SYSTEM;
    if (!is_known)
        return false;
    link_condemn(link, (chx_fault_kind)fail.kind, "%.*s", (int)(size - sizeof fail), (const char *)data + sizeof fail);
    link->fault.site = fail.site;
    return true;
}

// Somebody looks again at what it waits for.
static void actor_nudge(Actor *actor)
{
    if (actor->link != NULL)
        bell_ring(link_bell(actor->link));
    else if (actor_wake(actor, NULL))
        scheduler_ready(&actor->session->runtime->scheduler, actor);
}

static bool post_end(Link *link, const unsigned char *data, size_t size)
{
    Session *session = link->house->session;
    Actor *actor = link->actor;
    void *slot = session_result(session, actor->index);
    const chx_type *type = session->plan->roles[actor->index].entry->function->result;
    // Who has been called back is in a block, too.
    if (actor->mark_count != 0)
        return false;
    if (slot != NULL) {
        void *value = malloc(type->size + 1);
        Fault fault;
        DecodeResult result = value != NULL ? link_decode(link, type, value, data, size, &fault) : DECODE_NO_MEMORY;
        if (result == DECODE_GOOD)
            memcpy(slot, value, type->size);
        free(value);
        if (result == DECODE_NO_MEMORY)
            guard_no_memory();
        if (result == DECODE_FAILED)
            link_condemn(link, CHX_FAULT_EXIT, "its result can't be decoded: %.400s", fault.why);
        if (result != DECODE_GOOD)
            return result == DECODE_FAILED;
    }
    link_leave(link);
    // If that was not in order, others wait for it in vain: they look.
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        atomic_fetch_or(&actor->out[i].linked->ring.words->ended, RING_PRODUCER_ENDED);
        actor_nudge(actor->out[i].consumer);
    }
    for (size_t i = 0; i < actor->role->receives_from_count; i++) {
        atomic_fetch_or(&actor->in[i]->linked->ring.words->ended, RING_CONSUMER_ENDED);
        actor_nudge(actor->in[i]->producer);
    }
    return true;
}

static bool post_wake(Link *link, const unsigned char *data, size_t size)
{
    uint32_t words[2];
    Session *session = link->house->session;
    if (size != sizeof words)
        return false;
    memcpy(words, data, sizeof words);
    if (words[0] >= session->channel_count || words[1] > 1)
        return false;
    Channel *channel = &session->channels[words[0]];
    Actor *peer = words[1] != 0 ? channel->producer : channel->consumer;
    Actor *self = words[1] != 0 ? channel->consumer : channel->producer;
    if (channel->linked == NULL || self != link->actor || peer->link != NULL)
        return false;
    if (actor_wake(peer, channel))
        scheduler_ready(&session->runtime->scheduler, peer);
    return true;
}

// Is there something wrong with the channel, as far as can be seen here?
static bool channel_is_broken(Channel *channel, bool for_consumer)
{
    // As the consumer sees it.
    Ring view = channel->linked->ring;
    RingItem item = {0};
    ring_go_on(&view);
    if (!for_consumer)
        return !ring_is_sane(&view, view.head, view.tail);
    // Small ones lie in two places.
    for (int i = 0; i < 2; i++) {
        RingState state = i == 0 ? ring_peek(&view, &item) : ring_look(&view, view.head, view.tail, &item);
        if (state == RING_BROKEN || (state == RING_ITEM && !link_item_is_valid(channel, &view, &item)))
            return true;
        item.is_latest = false;
    }
    return false;
}

static bool channel_is_empty(Channel *channel)
{
    const RingWords *words = channel->linked->ring.words;
    return ring_load(&words->head).word == ring_load(&words->tail).word;
}

// Who is right? Both can write there. If it is broken, the complaint is believed; a role of this process does not break
// it. If it looks right, one of the two is wrong about what has to come.
static bool post_complain(Link *link, const unsigned char *data, size_t size)
{
    uint32_t words[2];
    Session *session = link->house->session;
    if (size != sizeof words)
        return false;
    memcpy(words, data, sizeof words);
    if (words[0] >= session->channel_count || words[1] > COMPLAIN_ENDED)
        return false;
    Channel *channel = &session->channels[words[0]];
    bool is_consumer = channel->consumer == link->actor;
    if (channel->linked == NULL || (!is_consumer && channel->producer != link->actor))
        return false;
    if (link->ready_epoch != 0)
        return true;
    const Actor *other = is_consumer ? channel->producer : channel->consumer;
    const char *self_name = link->actor->role->role, *other_name = other->role->role;
    bool is_broken = channel_is_broken(channel, is_consumer);
    if (words[1] == COMPLAIN_ENDED && other->link != NULL && other->link->state == LINK_LEFT)
        is_broken |= !is_consumer || channel_is_empty(channel);
    if (is_broken && other->link == NULL)
        return false;
    if (is_broken) {
        link_blame(other->link, self_name);
    } else if (words[1] != COMPLAIN_AHEAD) {
        if (++link->complaints > COMPLAINTS_MAX) {
            link_condemn(link, CHX_FAULT_EXIT, "its process and %s do not agree on what has to come", other_name);
            if (other->link != NULL)
                link_condemn(other->link, CHX_FAULT_EXIT, "its process and %s do not agree on what has to come",
                             self_name);
        }
        bell_ring(link_bell(link)); // it looks again
    }
    return true;
}

static bool post_take(Link *link, uint32_t kind, const unsigned char *data, size_t size)
{
    switch (kind) {
    case POST_ENTER:
        return post_enter(link, data, size);
    case POST_ARRIVE:
        return post_arrive(link, data, size);
    case POST_READY:
        return post_ready(link, data, size);
    case POST_FAIL:
        return post_fail(link, data, size);
    case POST_END:
        return post_end(link, data, size);
    case POST_WAKE:
        return post_wake(link, data, size);
    case POST_COMPLAIN:
        return post_complain(link, data, size);
    default:
        return false;
    }
}

// Can there be such a post? The others are as small as their structs.
static bool post_can_be(const PostHead *head)
{
    if (head->kind == POST_ENTER || head->kind == POST_END)
        return head->size <= POST_MAX_BYTES;
    return head->kind >= POST_ENTER && head->kind <= POST_COMPLAIN && head->size <= sizeof(PostFail) + REPORT_WHY_SIZE;
}

// Without memory the process is killed, not this one.
static bool post_take_guarded(Link *link, uint32_t kind, const unsigned char *data, size_t size)
{
    Guard guard;
    volatile bool is_good = false;
    guard_enter(&guard, link->actor);
    current()->busy++;
    if (sigsetjmp(guard.jump, 0) == 0)
        is_good = post_take(link, kind, data, size);
    else
        link_condemn(link, CHX_FAULT_SYSTEM, "%s", guard.fault.why);
    bool is_out_of_memory = link->is_condemned && link->fault.kind == CHX_FAULT_SYSTEM;
    guard_leave(&guard);
    return is_good || is_out_of_memory;
}

static bool post_reserve(Link *link, size_t count)
{
    chx_buffer *post = &link->post;
    if (post->capacity - post->size >= count)
        return true;
    // Not as much as it says that there will be.
    size_t capacity = post->capacity * 2 > post->size + count ? post->capacity * 2 : post->size + count;
    unsigned char *grown = realloc(post->data, capacity);
    if (grown == NULL)
        return false;
    post->data = grown;
    post->capacity = capacity;
    return true;
}

// Up to `wanted` bytes of posts, behind what there is of this one. False: there are none.
static bool posts_read(Link *link, uint64_t tail, size_t wanted)
{
    size_t there = (size_t)(tail - link->posts_head), missing = wanted - link->post.size;
    size_t count = there < missing ? there : missing;
    if (!post_reserve(link, count)) {
        link_condemn(link, CHX_FAULT_SYSTEM, "out of memory");
        return false;
    }
    while (count > 0) {
        size_t at = link->posts_head % POSTS_BYTES, part = POSTS_BYTES - at < count ? POSTS_BYTES - at : count;
        memcpy(link->post.data + link->post.size, link->seat->posts + at, part);
        link->post.size += part;
        link->posts_head += part;
        count -= part;
    }
    return link->post.size == wanted;
}

// One whole post. False: there is none.
static bool post_next(Link *link)
{
    Seat *seat = link->seat;
    uint64_t tail = atomic_load(&seat->posts_tail);
    PostHead head;
    if (tail - link->posts_head > POSTS_BYTES) {
        link_condemn(link, CHX_FAULT_EXIT, "its process broke the protocol: it says more than there is room for");
        return false;
    }
    bool is_whole = false;
    if (link->post.size >= sizeof head || posts_read(link, tail, sizeof head)) {
        memcpy(&head, link->post.data, sizeof head);
        if (!post_can_be(&head)) {
            link_condemn(link, CHX_FAULT_EXIT, "its process broke the protocol (message of kind %u, %u bytes)",
                         (unsigned)head.kind, (unsigned)head.size);
            return false;
        }
        is_whole = posts_read(link, tail, sizeof head + head.size);
    }
    atomic_store(&seat->posts_head, link->posts_head);
    if (atomic_load(&seat->posts_wait) != 0 && atomic_exchange(&seat->posts_wait, 0) != 0)
        bell_ring(link_bell(link));
    return is_whole;
}

bool link_take_posts(Link *link)
{
    for (unsigned i = 0; i < POSTS_PER_TURN; i++) {
        // When the session is being stopped, some have left already: nobody meets any more.
        if (link->state != LINK_ALIVE || session_is_stopping(link->house->session) || !post_next(link))
            return true;
        PostHead head;
        memcpy(&head, link->post.data, sizeof head);
        // What a condemned one says counts no more, but one that is ready may have acted in the new attempt.
        bool is_heard = !link->is_condemned || head.kind == POST_READY;
        bool is_good = !is_heard || post_take_guarded(link, head.kind, link->post.data + sizeof head, head.size);
        link->post.size = 0;
        if (link->post.capacity > POSTS_BYTES)
            chx_buffer_free(&link->post);
        atomic_store(&link->seat->answered, ++link->answered);
        if (!is_good)
            link_condemn(link, CHX_FAULT_EXIT, "its process broke the protocol (message of kind %u)", head.kind);
        if (atomic_load(&link->seat->answer_wait) != 0 && atomic_exchange(&link->seat->answer_wait, 0) != 0)
            bell_ring(link_bell(link));
    }
    return false;
}
