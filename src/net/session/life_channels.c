// life_channels.c: the channels of a life with the other roles: see life.h and window.h.

#include "net/session/life_internal.h"

#include "net/session/place.h"

bool life_make_peers(const LifeOptions *options, WindowLimits limits, uint32_t self_life, LifePeer **peers)
{
    LifePeer *made = memory_allocate(options->memory, options->role_count * sizeof *made);
    *peers = made;
    for (unsigned i = 0; made != NULL && i < options->role_count; i++) {
        made[i] = (LifePeer){0};
        window_out_init(&made[i].out, options->memory, limits);
        window_in_init(&made[i].in, options->memory, limits, self_life);
    }
    return made != NULL;
}

static void drop_coming(const LifeOptions *options, LifeComing **place)
{
    LifeComing *coming = *place;
    *place = coming->next;
    window_in_fini(&coming->in);
    memory_release(options->memory, coming);
}

void life_free_peers(const LifeOptions *options, LifePeer *peers)
{
    for (unsigned i = 0; peers != NULL && i < options->role_count; i++) {
        window_out_fini(&peers[i].out);
        window_in_fini(&peers[i].in);
        while (peers[i].coming != NULL)
            drop_coming(options, &peers[i].coming);
    }
    memory_release(options->memory, peers);
}

// ---- what comes before its life ----

// Where a message for this later life belongs; NULL: no memory, or it is one of too many, and would be dropped at once.
static LifeComing *coming_for(Life *life, LifePeer *peer, uint32_t to_life, bool *is_dropped)
{
    LifeComing **place = &peer->coming;
    unsigned count = 0;
    *is_dropped = false;
    for (LifeComing *each = peer->coming; each != NULL; each = each->next)
        count++;
    while (*place != NULL && (*place)->in.self_life < to_life)
        place = &(*place)->next;
    if (*place != NULL && (*place)->in.self_life == to_life)
        return *place;
    if (count == LIFE_COMING_MAX && place == &peer->coming) {
        *is_dropped = true;
        return NULL;
    }
    LifeComing *made = memory_allocate(life->options.memory, sizeof *made);
    if (made == NULL)
        return NULL;
    WindowLimits limits = life->session != 0 ? life->limits : life->options.limits_max;
    window_in_init(&made->in, life->options.memory, limits, to_life);
    made->next = *place;
    *place = made;
    // Of too many lives the earliest ones are over.
    if (count == LIFE_COMING_MAX)
        drop_coming(&life->options, &peer->coming);
    return made;
}

void life_take_coming(Life *life, LifePeer *to, LifePeer *from, uint32_t self_life)
{
    to->coming = from->coming;
    from->coming = NULL;
    while (to->coming != NULL && to->coming->in.self_life <= self_life) {
        WindowIn *in = &to->coming->in;
        if (in->self_life == self_life && !session_is_broken(SESSION_BROKEN_COMING_LOST)) {
            to->in.waiting = in->waiting;
            in->waiting = NULL;
        }
        drop_coming(&life->options, &to->coming);
    }
}

// ---- TAKEN ----

static void say_taken(Life *life, unsigned peer)
{
    WindowIn *in = &life->peers[peer].in;
    WindowPlace place;
    if (!life_is_active(life) || window_in_taken(in, &place) == WINDOW_SAY_NOTHING)
        return;
    WireTaken taken = {.session = life->session,
                       .from = life->options.role,
                       .from_life = life->life,
                       .to = (uint16_t)peer,
                       .to_life = in->life,
                       .epoch = place.epoch,
                       .number = place.number};
    if (life->options.effects->taken(life->options.context, in->node, &taken))
        window_in_said(in);
    else
        life->options.effects->soon(life->options.context);
}

void life_owe_taken(Life *life, unsigned peer)
{
    WindowPlace place;
    switch (window_in_taken(&life->peers[peer].in, &place)) {
    case WINDOW_SAY_NOTHING:
        break;
    case WINDOW_SAY_SOON:
        life->options.effects->soon(life->options.context);
        break;
    case WINDOW_SAY_NOW:
        say_taken(life, peer);
        break;
    }
}

void life_say_taken(Life *life)
{
    for (unsigned i = 0; i < life->options.role_count && life_is_active(life); i++) {
        WindowIn *in = &life->peers[i].in;
        Message message;
        // What had to wait for memory.
        if (in->is_behind && window_in_first(in, &message))
            life_wake(life, LIFE_WAKE_MESSAGE, i);
        if (in->is_behind)
            life->options.effects->soon(life->options.context);
        say_taken(life, i);
    }
}

// ---- what leaves ----

typedef struct {
    Life *life;
    uint16_t peer;
} Giving;

static bool give(void *context, uint32_t to_life, const Message *message, WireSpan more)
{
    const Giving *giving = context;
    Life *life = giving->life;
    WireData data = {.session = life->session,
                     .from = life->options.role,
                     .from_life = life->life,
                     .to = giving->peer,
                     .to_life = to_life,
                     .epoch = message->epoch,
                     .number = message->number,
                     .site = message->site,
                     .value = message->value,
                     .more = more};
    return life->options.effects->give(life->options.context, life->peers[giving->peer].node, &data);
}

// N7, N8. Who was told to go back gives nothing until it is back: it is of an attempt that is over.
static bool may_leave(const Life *life, const LifePeer *peer)
{
    if (life->state != LIFE_RUNS && life->state != LIFE_ARRIVED && life->state != LIFE_BEGINS)
        return false;
    if (life->back.number != 0 || peer->node == 0)
        return false;
    return life->known >= life_known_at_start(life) || peer->node == life->options.home ||
           session_is_broken(SESSION_BROKEN_NO_HOLD);
}

void life_release_to(Life *life, unsigned peer)
{
    LifePeer *to = &life->peers[peer];
    if (to->out.given == to->out.kept.count || !may_leave(life, to))
        return;
    window_out_release(&to->out, window_value_max(life->options.message_max), give, &(Giving){life, (uint16_t)peer});
    // It travels with what was given.
    if (to->in.must_say)
        say_taken(life, peer);
}

void life_release(Life *life)
{
    for (unsigned i = 0; i < life->options.role_count; i++)
        life_release_to(life, i);
}

void life_link_lost(Life *life, uint32_t node)
{
    for (unsigned i = 0; i < life->options.role_count; i++) {
        LifePeer *peer = &life->peers[i];
        for (LifeComing *coming = peer->coming; coming != NULL; coming = coming->next)
            window_in_link_lost(&coming->in, node);
        if (!life_is_active(life))
            continue;
        window_in_link_lost(&peer->in, node);
        if (peer->in.must_say)
            life->options.effects->soon(life->options.context);
        if (peer->node == node && !session_is_broken(SESSION_BROKEN_LINK_LOST)) {
            window_out_again(&peer->out);
            life_release_to(life, i);
        }
    }
}

// ---- what comes ----

// Is it meant for this role, and of another one?
static bool is_for(const Life *life, unsigned from, unsigned to)
{
    return to == life->options.role && from != to && from < life->options.role_count;
}

static LifeVerdict life_verdict(WindowVerdict verdict)
{
    return verdict == WINDOW_VIOLATION ? LIFE_VIOLATION : verdict == WINDOW_NO_MEMORY ? LIFE_NO_MEMORY : LIFE_GOOD;
}

// The message, and those that follow it.
static LifeVerdict data_take(WindowIn *in, uint32_t node, const WireData *data)
{
    Message message = {.epoch = data->epoch, .site = data->site, .number = data->number, .value = data->value};
    return life_verdict(window_in_data_all(in, data->to_life, data->from_life, node, &message, data->more));
}

LifeVerdict life_data(Life *life, uint32_t node, const WireData *data)
{
    if (!is_for(life, data->from, data->to))
        return LIFE_VIOLATION;
    LifePeer *peer = &life->peers[data->from];
    uint32_t before = peer->in.received.count;
    if (data->to_life > life->life && !session_is_broken(SESSION_BROKEN_TO_ANY_LIFE)) {
        bool is_dropped;
        LifeComing *coming = coming_for(life, peer, data->to_life, &is_dropped);
        if (coming == NULL)
            return is_dropped ? LIFE_GOOD : LIFE_NO_MEMORY;
        return data_take(&coming->in, node, data);
    }
    if (!life_is_active(life) || life->state == LIFE_ENDING)
        return LIFE_GOOD;
    LifeVerdict verdict = data_take(&peer->in, node, data);
    if (peer->in.received.count > before)
        life_wake(life, LIFE_WAKE_MESSAGE, data->from);
    life_owe_taken(life, data->from);
    return verdict;
}

LifeVerdict life_taken(Life *life, const WireTaken *taken)
{
    if (!is_for(life, taken->from, taken->to))
        return LIFE_VIOLATION;
    if (taken->to_life != life->life || !life_is_active(life))
        return LIFE_GOOD;
    WindowOut *out = &life->peers[taken->from].out;
    bool had_room = window_out_has_room(out);
    WindowVerdict verdict = window_out_taken(out, taken->from_life, (WindowPlace){taken->epoch, taken->number});
    if (!had_room && window_out_has_room(out))
        life_wake(life, LIFE_WAKE_ROOM, taken->from);
    return life_verdict(verdict);
}

void life_meet(Life *life, unsigned peer, uint32_t peer_life, uint32_t node, bool has_ended)
{
    LifePeer *with = &life->peers[peer];
    if (peer_life < with->in.life || (peer_life == with->in.life && !has_ended))
        return;
    with->node = node;
    window_out_life(&with->out, peer_life);
    // What has come before this and was wrong is the mistake of who sent it, who is told with the next message.
    window_in_life(&with->in, peer_life, node);
    life_owe_taken(life, peer);
    if (with->in.is_behind)
        life->options.effects->soon(life->options.context);
    if (has_ended) {
        with->has_ended = true;
        window_out_ended(&with->out);
        life_wake(life, LIFE_WAKE_ROOM, peer);
    }
    life_wake(life, LIFE_WAKE_MESSAGE, peer);
    life_release_to(life, peer);
}

// ---- the role ----

LifeRoom life_room(const Life *life, unsigned peer)
{
    return (LifeRoom){window_out_room(&life->peers[peer].out), window_value_max(life->options.message_max)};
}

LifeVerdict life_queue(Life *life, unsigned peer, uint32_t site, WireSpan value)
{
    CHECK(peer < life->options.role_count && peer != life->options.role);
    if (!life_may_act(life))
        return LIFE_ASKED;
    WindowOut *out = &life->peers[peer].out;
    if (value.size > window_value_max(life->options.message_max))
        return LIFE_TOO_LARGE;
    if (!window_out_has_room(out))
        return LIFE_FULL;
    return window_out_send(out, site, value) ? LIFE_GOOD : LIFE_NO_MEMORY;
}

LifeVerdict life_queue_all(Life *life, unsigned peer, const uint8_t *messages, size_t size)
{
    CHECK(peer < life->options.role_count && peer != life->options.role);
    if (!life_may_act(life))
        return LIFE_ASKED;
    WindowOut *out = &life->peers[peer].out;
    if (window_out_send_all(out, messages, size))
        return LIFE_GOOD;
    return window_out_has_room(out) ? LIFE_NO_MEMORY : LIFE_FULL;
}

LifeVerdict life_send(Life *life, unsigned peer, uint32_t site, WireSpan value)
{
    LifeVerdict verdict = life_queue(life, peer, site, value);
    if (verdict == LIFE_GOOD)
        life_release_to(life, peer);
    return verdict;
}

bool life_first(Life *life, unsigned peer, Message *message)
{
    CHECK(peer < life->options.role_count && peer != life->options.role);
    WindowIn *in = &life->peers[peer].in;
    bool was_behind = in->is_behind;
    bool is_there = life_may_act(life) && window_in_first(in, message);
    if (was_behind)
        life_owe_taken(life, peer);
    return is_there;
}

uint32_t life_lend(Life *life, unsigned peer, WindowTake take, void *context)
{
    CHECK(peer < life->options.role_count && peer != life->options.role);
    WindowIn *in = &life->peers[peer].in;
    bool was_behind = in->is_behind;
    uint32_t count = life_may_act(life) ? window_in_lend(in, take, context) : 0;
    if (was_behind)
        life_owe_taken(life, peer);
    return count;
}

void life_consume_quietly(Life *life, unsigned peer, uint32_t count)
{
    WindowIn *in = &life->peers[peer].in;
    window_in_consume(in, count < in->lent ? count : in->lent);
}

void life_consume(Life *life, unsigned peer, uint32_t count)
{
    life_consume_quietly(life, peer, count);
    life_owe_taken(life, peer);
}

uint32_t life_node(const Life *life, unsigned peer)
{
    return peer != life->options.role ? life->peers[peer].node : 0;
}

// Can the home be told of this life of the peer? At the home there is nothing that can't be reached by who is heard there.
static bool may_tell_of(const Life *life, unsigned peer, uint32_t of_life)
{
    bool is_active = life_is_active(life) && life->state != LIFE_ENDING && peer != life->options.role;
    return is_active && of_life != 0 && life->peers[peer].in.life == of_life && !life->peers[peer].has_ended &&
           life->peers[peer].node != life->options.home;
}

static bool tell_of(Life *life, unsigned peer, uint32_t of_life, bool is_over)
{
    WireUnreached unreached = {.session = life->session,
                               .role = life->options.role,
                               .life = life->life,
                               .of = (uint16_t)peer,
                               .of_life = of_life,
                               .is_over = is_over};
    return life_report(life, WIRE_UNREACHED, &unreached);
}

uint32_t life_unreached(Life *life, unsigned peer, uint32_t told)
{
    const LifePeer *of = &life->peers[peer];
    if (!may_tell_of(life, peer, of->in.life) || of->out.kept.count == 0)
        return 0;
    return told == of->in.life || tell_of(life, peer, of->in.life, false) ? of->in.life : 0;
}

void life_reached(Life *life, unsigned peer, uint32_t told)
{
    if (may_tell_of(life, peer, told))
        tell_of(life, peer, told, true);
}
