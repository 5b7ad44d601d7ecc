// simulate_hand.c: messages that a role of a simulated session has at hand: see simulate.c.
//
// As roles of the runtime do, it hands over what it has sent, and says what it has consumed, at the latest when it waits, enters
// or leaves a block, or ends; and it fetches several messages at a time.

#include "net/home/simulate.h"

// False: an order came first, or there is no memory: what is left stays.
static bool hand_over(Actor *actor, unsigned peer)
{
    Hand *hand = &actor->hands[peer];
    unsigned done = 0;
    LifeVerdict verdict = LIFE_GOOD;
    while (done < hand->sent && verdict == LIFE_GOOD) {
        const Held *held = &hand->out[done];
        verdict = life_queue(&actor->life, peer, held->site, (WireSpan){held->value, held->size});
        if (verdict == LIFE_FULL)
            sim_fail("a window has less room than it had said");
        done += verdict == LIFE_GOOD;
    }
    hand->sent -= done;
    memmove(hand->out, hand->out + done, hand->sent * sizeof *hand->out);
    life_release_to(&actor->life, peer);
    return hand->sent == 0;
}

static void say_consumed(Actor *actor, unsigned peer)
{
    Hand *hand = &actor->hands[peer];
    if (hand->consumed > 0)
        life_consume(&actor->life, peer, hand->consumed);
    hand->consumed = 0;
}

bool hand_settle(Actor *actor)
{
    bool is_all = true;
    for (unsigned i = 0; i < ROLES; i++) {
        if (!session_is_broken(SESSION_BROKEN_CONSUMED_LATE))
            say_consumed(actor, i);
        is_all = (actor->hands[i].sent == 0 || hand_over(actor, i)) && is_all;
    }
    return is_all;
}

void hand_drop(Actor *actor)
{
    for (unsigned i = 0; i < ROLES; i++) {
        say_consumed(actor, i);
        actor->hands[i] = (Hand){0};
    }
}

static bool has_room(const Actor *actor, unsigned to)
{
    const Hand *hand = &actor->hands[to];
    LifeRoom room = life_room(&actor->life, to);
    size_t bytes = 0;
    for (unsigned i = 0; i < hand->sent; i++)
        bytes += hand->out[i].size;
    return hand->sent < HAND && hand->sent < room.window.messages && bytes < room.window.bytes;
}

bool hand_send(Actor *actor, unsigned to, uint32_t site, const Value *value)
{
    Hand *hand = &actor->hands[to];
    if (!has_room(actor, to) && (!hand_settle(actor) || !has_room(actor, to)))
        return false;
    Held *held = &hand->out[hand->sent++];
    *held = (Held){.site = site, .size = sizeof *value + site % 40};
    memcpy(held->value, value, sizeof *value);
    if (chance(40))
        hand_settle(actor);
    return true;
}

static uint32_t fetch_run(void *context, const QueueRun *run)
{
    Hand *hand = context;
    const uint8_t *at = run->messages.data;
    uint32_t count = 0;
    for (; count < run->count; count++, at += QUEUE_HEAD_BYTES + queue_value_size(at)) {
        CHECK(queue_value_size(at) >= sizeof(Value) && queue_value_size(at) <= HAND_VALUE);
        if (hand->count == HAND || (hand->count > 0 && chance(20)))
            break;
        Held *held = &hand->in[hand->count++];
        held->site = queue_site(at);
        memcpy(held->value, at + QUEUE_HEAD_BYTES, sizeof(Value));
    }
    return count;
}

bool hand_receive(Actor *actor, unsigned from, uint32_t *site, Value *value)
{
    Hand *hand = &actor->hands[from];
    if (hand->at == hand->count) {
        say_consumed(actor, from);
        hand->at = hand->count = 0;
        if (life_lend(&actor->life, from, fetch_run, hand) != hand->count)
            sim_fail("other messages were lent than those that were fetched");
    }
    if (hand->at == hand->count)
        return false;
    const Held *held = &hand->in[hand->at++];
    *site = held->site;
    memcpy(value, held->value, sizeof *value);
    hand->consumed++;
    return true;
}
