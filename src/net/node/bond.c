// bond.c: a peer's link machine: its effects, and what follows from them.

#include "net/node/internal.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

// ---- effects of the link ----

static void *effect_allocate(void *context, size_t size)
{
    return pool_allocate(&((Bond *)context)->peers->pool, size);
}

static void effect_release(void *context, void *memory)
{
    pool_release(&((Bond *)context)->peers->pool, memory);
}

static uint64_t effect_random(void *context)
{
    const Bond *bond = context;
    return bond->peers->random(bond->peers->context);
}

static void effect_dial(void *context, unsigned number)
{
    Bond *bond = context;
    if (peers_is_broken(PEERS_BROKEN_NO_DIAL) && bond->link.state == LINK_DOWN)
        return;
    bond->dials |= 1U << number;
    bond_pend(bond);
}

// Two processes have one name. Which of them is the right one only the user can say.
static void say_name_is_taken(Peer *peer, const char *who, bool is_own)
{
    Peers *peers = peer->peers;
    static const char help[] = "end one of the two, or give it a name and a certificate of its own";
    if (is_own)
        say_problem(peer,
                    "no connection with %s: another process with the name of this node, '%s', is connected there: %s",
                    who, peers->name, help);
    else
        say_rarely(peers, &peers->refusals, peers_now(peers),
                   "a connection was refused: %s is connected already, from another process: %s", who, help);
}

static void effect_close(void *context, unsigned number, const char *why)
{
    Bond *bond = context;
    Line *line = bond->lines[number];
    Peer *peer = bond->peer;
    bond->dials &= ~(1U << number);
    if (bond->relayed != NULL && bond->relayed->number == number) {
        line_close(bond->relayed);
        bond->relayed = NULL;
    }
    if (line == NULL)
        return;
    bond->lines[number] = NULL;
    char who[WHY_SIZE / 2];
    if (peer != NULL)
        peer_describe(peer, who, sizeof who);
    if (peer != NULL && line->state == LINE_DIALLING && secure_check_deadline(line->secure, bond->link.now_ns))
        say_problem(peer, "no connection with %s: %s", who, secure_why(line->secure));
    else if (peer != NULL && why == link_name_is_taken)
        say_name_is_taken(peer, who, bond->link.connections[number].is_dialled);
    else if (peer != NULL && !peer->has_complained)
        snprintf(peer->why, sizeof peer->why, "the connection with %s has ended: %s", who, why);
    line_close(line);
}

static bool effect_deliver(void *context, const WireFrame *frame)
{
    Bond *bond = context;
    Peers *peers = bond->peers;
    if (bond->peer == NULL)
        return true;
    peers->delivering = bond;
    bool is_relay = frame->kind >= WIRE_RELAY_OPEN && frame->kind <= WIRE_RELAY_CLOSE;
    bool is_taken =
        is_relay ? relay_deliver(bond, frame) : peers->handlers->deliver(peers->context, bond->peer->number, frame);
    peers->delivering = NULL;
    return is_taken;
}

static bool effect_greet(void *context, unsigned number, const WireHello *hello)
{
    Bond *bond = context;
    Peer *peer = bond->peer;
    (void)number;
    if (peer == NULL)
        return false;
    bool is_right = peer->is_anonymous ? wire_id_is(&hello->incarnation, &peer->incarnation)
                                       : hello->node.size == strlen(peer->name) &&
                                             memcmp(hello->node.data, peer->name, hello->node.size) == 0;
    if (!is_right)
        return false;
    memcpy(peer->build, hello->build.data, hello->build.size);
    peer->build[hello->build.size] = '\0';
    return true;
}

static void tell_down(Bond *bond)
{
    Peers *peers = bond->peers;
    if (!bond->tells_down)
        return;
    bond->tells_down = false;
    if (bond->peer != NULL && peers->handlers->down != NULL)
        peers->handlers->down(peers->context, bond->peer->number);
}

static void effect_up(void *context)
{
    Bond *bond = context;
    Peers *peers = bond->peers;
    if (!peers_is_broken(PEERS_BROKEN_DOWN_LATE))
        tell_down(bond);
    if (bond->peer == NULL)
        return;
    say_solved(bond->peer);
    ways_up(bond, bond->link.now_ns);
    peer_watch_absence(bond->peer, bond->link.now_ns);
    if (peers->handlers->up != NULL)
        peers->handlers->up(peers->context, bond->peer->number);
}

static void effect_down(void *context)
{
    Bond *bond = context;
    bond->tells_down = !peers_is_broken(PEERS_BROKEN_DOWN_FORGOTTEN);
    bond_pend(bond);
}

static void effect_room(void *context)
{
    Bond *bond = context;
    bond->tells_room = !peers_is_broken(PEERS_BROKEN_ROOM_FORGOTTEN);
    bond_pend(bond);
}

static void effect_lost(void *context, LinkLoss loss)
{
    Bond *bond = context;
    bond->loss = loss;
    bond_pend(bond);
}

static const LinkEffects effects = {
    .allocate = effect_allocate,
    .release = effect_release,
    .random = effect_random,
    .dial = effect_dial,
    .close = effect_close,
    .deliver = effect_deliver,
    .greet = effect_greet,
    .up = effect_up,
    .down = effect_down,
    .room = effect_room,
    .lost = effect_lost,
};

// ---- bonds begin and end ----

static void bond_timer(Timer *timer, uint64_t now_ns)
{
    Bond *bond = (Bond *)(void *)((char *)timer - offsetof(Bond, timer));
    link_tick(&bond->link, now_ns);
    ways_tick(bond, now_ns);
    uint64_t movement = bond_movement(bond);
    if (movement != bond->movement) {
        bond->movement = movement;
        bond->moved_ns = now_ns;
        bond->is_idle = false;
    } else if (!bond->is_idle && now_ns - bond->moved_ns >= bond->link.options.keepalive_ns &&
               link_is_idle(&bond->link)) {
        bond->is_idle = true;
        pool_trim(&bond->peers->pool);
        for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
            if (bond->lines[i] != NULL && bond->lines[i]->state == LINE_BOUND)
                secure_release_memory(bond->lines[i]->secure);
    }
    if (bond->peer != NULL && bond->peer->is_short_of_memory)
        bond->tells_room = true;
    bond_pend(bond);
}

static void bond_init_link(Bond *bond)
{
    Peers *peers = bond->peers;
    const ConfigLimits *limits = &peers->config->limits;
    LinkOptions options = link_defaults;
    // To the peer a link that begins anew is another process: whatever it knows of the link before is over (L4).
    for (size_t i = 0; i < sizeof options.incarnation.bytes; i += 8) {
        uint64_t random = peers->random(peers->context);
        if (peers_is_broken(PEERS_BROKEN_ONE_INCARNATION))
            random = peers->table.seed;
        wire_put(options.incarnation.bytes + i, random | 1, 8);
    }
    options.node = peers->name;
    options.build = peers->build;
    options.may_dial = bond->peer->address != NULL;
    options.keepalive_ns = limits->keepalive_ms * 1000000;
    options.handshake_ns = limits->handshake_ms * 1000000;
    options.message_max = limits->message_max > WIRE_MESSAGE_MAX ? WIRE_MESSAGE_MAX : (uint32_t)limits->message_max;
    if (options.message_max <= WIRE_PIECE_MAX)
        options.message_max = WIRE_PIECE_MAX + 1;
    options.kept_max = limits->link_buffer < 2 * LINK_CONTROL_ROOM ? 2 * LINK_CONTROL_ROOM : limits->link_buffer;
    uint64_t now_ns = peers_now(peers);
    link_init(&bond->link, &options, &effects, bond, now_ns);
    bond->movement = bond_movement(bond);
    bond->moved_ns = now_ns;
    bond->tells_down = bond->is_idle = false;
    bond->dials = 0;
    bond->wanted_ns = bond->relay_ns = bond->relay_wait_ns = bond->unreached_ns = 0;
    bond->probe_ns = UINT64_MAX;
    bond->complaint[0] = '\0';
}

Bond *bond_new(Peers *peers, Peer *peer)
{
    Bond *bond = calloc(1, sizeof *bond);
    if (bond == NULL || !timers_promise(&peers->timers)) {
        free(bond);
        return NULL;
    }
    bond->peers = peers;
    bond->peer = peer;
    bond->timer.run = bond_timer;
    bond->next = peers->bonds;
    if (bond->next != NULL)
        bond->next->previous = bond;
    peers->bonds = bond;
    bond_init_link(bond);
    return bond;
}

void bond_free(Bond *bond)
{
    Peers *peers = bond->peers;
    link_fini(&bond->link);
    ways_close(bond);
    if (bond->spare != NULL)
        line_close(bond->spare);
    timer_set(&peers->timers, &bond->timer, UINT64_MAX);
    timers_release(&peers->timers);
    if (bond->next != NULL)
        bond->next->previous = bond->previous;
    if (bond->previous != NULL)
        bond->previous->next = bond->next;
    else
        peers->bonds = bond->next;
    free(bond);
}

void bond_pend(Bond *bond)
{
    Peers *peers = bond->peers;
    if (bond->is_pending)
        return;
    bond->is_pending = true;
    bond->next_pending = NULL;
    *peers->pending_last = bond;
    peers->pending_last = &bond->next_pending;
}

void bond_open(Bond *bond)
{
    if (bond->wanted_ns == 0) {
        bond->wanted_ns = peers_now(bond->peers);
        bond_pend(bond);
    }
    if (bond->link.state != LINK_NEW || !bond->link.options.may_dial || bond->link.dial >= 0)
        return;
    link_open(&bond->link, peers_now(bond->peers));
    bond_pend(bond);
}

// ---- what happens to its connections ----

void bond_accept(Bond *bond, Line *line, uint64_t now_ns)
{
    if (bond->link.state == LINK_LOST) {
        Peer *peer = bond->peer;
        bool is_forgotten = peer->is_anonymous;
        bond_lose(bond, bond->loss, NULL, now_ns);
        if (is_forgotten) {
            line_close(line);
            return;
        }
        bond = peer->bond;
    }
    int number = link_accepted(&bond->link, now_ns);
    CHECK(number >= 0);
    line_bind(line, bond, (unsigned)number);
    bond_pend(bond);
}

void bond_dialled(Bond *bond, Line *line, uint64_t now_ns)
{
    const TlsPeer *identity = secure_peer(line->secure);
    bool is_denied = identity != NULL && identity->name != NULL && config_denies(bond->peers->config, identity->name);
    if (bond->peer == NULL || identity == NULL || is_denied || !peer_identify(bond->peer, identity)) {
        bond_failed(bond, line, now_ns);
        return;
    }
    if (line == bond->probe) {
        ways_probed(bond, now_ns);
        return;
    }
    // Of two ways that were tried at once, this one was faster.
    Line *slower = line == bond->relayed ? bond->lines[line->number] : bond->relayed;
    bond->relayed = NULL;
    if (slower != NULL)
        line_close(slower);
    line_bind(line, bond, line->number);
    link_dialled(&bond->link, line->number, now_ns);
    bond_pend(bond);
}

void bond_broken(Bond *bond, Line *line, uint64_t now_ns)
{
    Peer *peer = bond->peer;
    const Connection *connection = &bond->link.connections[line->number];
    const char *why = secure_why(line->secure);
    if (peer != NULL && line->state == LINE_BOUND) {
        char who[WHY_SIZE / 2];
        peer_describe(peer, who, sizeof who);
        // The other side looks at our certificate when TLS is done on this side.
        if (connection->is_dialled && connection->state == CONNECTION_HELLO && why[0] != '\0')
            say_problem(peer, "no connection with %s: %s", who, why);
        else if (!peer->has_complained)
            snprintf(peer->why, sizeof peer->why, "the connection with %s has ended: %s", who, why);
    }
    bond->lines[line->number] = NULL;
    line_close(line);
    link_broken(&bond->link, line->number, now_ns);
    bond_pend(bond);
}

void bond_failed(Bond *bond, Line *line, uint64_t now_ns)
{
    Peer *peer = bond->peer;
    const char *why = secure_why(line->secure);
    bool is_probe = line == bond->probe;
    unsigned number = line->number;
    if (peer != NULL && !is_probe && why[0] != '\0') {
        char who[WHY_SIZE / 2];
        peer_describe(peer, who, sizeof who);
        // Why it can't be dialled is what matters; that comes in between.
        if (line->relay != NULL)
            say_rarely(bond->peers, &bond->peers->complaints, now_ns, "no connection with %s through another node: %s",
                       who, why);
        else
            say_problem(peer, "no connection with %s: %s", who, why);
    }
    if (is_probe) {
        bond->probe = NULL;
        bond->probe_ns = now_ns + link_defaults.retry_most_ns;
    } else if (line == bond->relayed) {
        bond->relayed = NULL;
        ways_relay_failed(bond, now_ns);
    } else {
        bond->lines[line->number] = NULL;
    }
    line_close(line);
    bool is_last = bond->lines[number] == NULL && (bond->relayed == NULL || bond->relayed->number != number);
    if (!is_probe && is_last)
        link_broken(&bond->link, number, now_ns);
    bond_pend(bond);
}

void bond_input(Bond *bond, Line *line, const uint8_t *bytes, size_t size, uint64_t now_ns)
{
    link_input(&bond->link, line->number, bytes, size, now_ns);
    bond_pend(bond);
}

// In the middle of another event of the link it has to wait.
void bond_complain(Bond *bond, const char *why)
{
    Peer *peer = bond->peer;
    if (peer != NULL) {
        char who[WHY_SIZE / 2];
        peer_describe(peer, who, sizeof who);
        snprintf(peer->why, sizeof peer->why, "%s breaks the protocol: %s", who, why);
        say_rarely(bond->peers, &bond->peers->complaints, peers_now(bond->peers), "%s", peer->why);
    }
    if (bond->peers->delivering == bond)
        link_complain(&bond->link, why);
    else
        snprintf(bond->complaint, sizeof bond->complaint, "%s", why);
    bond_pend(bond);
}

// ---- losses ----

static void describe_loss(const Peer *peer, LinkLoss loss, const char *reason, char *text, size_t size)
{
    char who[WHY_SIZE / 2];
    peer_describe(peer, who, sizeof who);
    switch (loss) {
    case LINK_LOSS_INCARNATION:
        snprintf(text, size, "%s was restarted, or has given up its link with this node", who);
        break;
    case LINK_LOSS_FORGOTTEN:
        snprintf(text, size, "%s has given up its link with this node", who);
        break;
    case LINK_LOSS_ERRORS:
        snprintf(text, size, "%s broke the protocol three times in a minute", who);
        break;
    case LINK_LOSS_ENDED:
        snprintf(text, size, "%s has ended", who);
        break;
    case LINK_LOSS_GIVEN_UP:
        snprintf(text, size, "%s was given up: %s", who, reason != NULL ? reason : "this node has decided so");
        break;
    }
}

static bool bond_has_lines(const Bond *bond)
{
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if (bond->lines[i] != NULL)
            return true;
    return false;
}

// A new link for the peer. If the old one still has something to say it goes on by itself; without memory it is silent.
static void bond_renew(Bond *bond)
{
    Peer *peer = bond->peer;
    if (bond_has_lines(bond)) {
        Bond *other = bond_new(bond->peers, peer);
        if (other != NULL) {
            bond->peer = NULL;
            peer->bond = other;
            bond_pend(bond);
            return;
        }
    }
    link_fini(&bond->link);
    bond_init_link(bond);
    bond_pend(bond);
}

void bond_lose(Bond *bond, LinkLoss loss, const char *why, uint64_t now_ns)
{
    Peers *peers = bond->peers;
    Peer *peer = bond->peer;
    char text[WHY_SIZE];
    bool was_short = peer->is_short || peer->is_short_of_memory || bond->link.is_short || bond->tells_room;
    describe_loss(peer, loss, why, text, sizeof text);
    if (bond->link.state != LINK_LOST)
        link_end(&bond->link, why != NULL ? why : "", now_ns);
    if (!peers_is_broken(PEERS_BROKEN_OLD_FRAMES))
        outbox_fini(&peer->outbox);
    peer->is_short = peer->is_short_of_memory = false;
    bond->tells_down = bond->tells_room = false;
    uint32_t number = peer->number;
    ways_close(bond);
    relay_drop(peer, "the relay is gone");
    if (!peer->is_anonymous) {
        bond_renew(bond);
        peer->bond->tells_room = was_short;
        bond_pend(peer->bond);
        if (loss == LINK_LOSS_ENDED)
            memcpy(peer->why, text, sizeof text); // in order: nothing is wrong
        else if (loss == LINK_LOSS_ERRORS)
            say_rarely(peers, &peers->complaints, now_ns, "%s", text);
        else
            say_problem(peer, "%s", text);
    }
    if (peers_is_broken(PEERS_BROKEN_LOST_FORGOTTEN) && loss == LINK_LOSS_INCARNATION)
        return;
    // What is sent from now on, in this call as well, is for the next process.
    if (peers->handlers->lost != NULL)
        peers->handlers->lost(peers->context, number, loss, text);
    if (peers_is_broken(PEERS_BROKEN_LOST_TWICE))
        peers->handlers->lost(peers->context, number, loss, text);
    if (peer->is_anonymous)
        peer_forget(peer);
}

bool bond_is_unused(const Bond *bond)
{
    return bond->link.state == LINK_NEW && bond_movement(bond) <= 1 && bond->peer->outbox.first == NULL;
}

void bond_release(Bond *bond, const char *why, uint64_t now_ns)
{
    Peers *peers = bond->peers;
    Peer *peer = bond->peer;
    bool is_unused = bond_is_unused(bond);
    char text[WHY_SIZE];
    describe_loss(peer, LINK_LOSS_GIVEN_UP, why, text, sizeof text);
    link_end(&bond->link, why, now_ns);
    if (!is_unused && peers->handlers->lost != NULL)
        peers->handlers->lost(peers->context, peer->number, LINK_LOSS_GIVEN_UP, text);
    peer_forget(peer);
}

void peer_watch_absence(Peer *peer, uint64_t now_ns)
{
    if (!peer->is_anonymous)
        return;
    // One that has said nothing but HELLO has nothing to come back for.
    const ConfigLimits *limits = &peer->peers->config->limits;
    bool is_unused = bond_movement(peer->bond) <= 1;
    uint64_t absent_ns = (is_unused ? limits->handshake_ms : limits->absent_ms) * 1000000;
    bool is_there = peer->bond->link.state == LINK_UP;
    timer_set(&peer->peers->timers, &peer->timer, is_there ? UINT64_MAX : now_ns + absent_ns);
}

// ---- settling ----

// Sends what waits, as far as there is room, and tells those who were refused.
static void bond_drain(Bond *bond)
{
    Peers *peers = bond->peers;
    Peer *peer = bond->peer;
    WireFrame frame;
    bond->tells_room = peer->is_short_of_memory = false;
    if (peer->legs != NULL)
        relay_flush(peer);
    for (const Waiting *first; (first = outbox_first(&peer->outbox, &frame)) != NULL;) {
        LinkSending sending = link_send(&bond->link, LINK_CONTROL, first->lane, first->kind, &frame.hello);
        if (sending == LINK_NO_ROOM || sending == LINK_NO_MEMORY || sending == LINK_GONE)
            return;
        if (sending == LINK_TOO_LARGE && peers->handlers->too_large != NULL)
            peers->handlers->too_large(peers->context, peer->number, first->lane, first->kind, first->size,
                                       bond->link.peer_message_max);
        outbox_drop_first(&peer->outbox);
    }
    peer->is_short = false;
    if (peers->handlers->room != NULL)
        peers->handlers->room(peers->context, peer->number);
}

static void bond_settle(Bond *bond, uint64_t now_ns)
{
    if (bond->complaint[0] != '\0') {
        char complaint[COMPLAINT_SIZE];
        memcpy(complaint, bond->complaint, sizeof complaint);
        bond->complaint[0] = '\0';
        link_complain(&bond->link, complaint);
    }
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if ((bond->dials & 1U << i) != 0) {
            bond->dials &= ~(1U << i);
            ways_dial(bond, i, now_ns);
        }
    if (bond->peer != NULL && bond->link.state == LINK_LOST) {
        bond_lose(bond, bond->loss, NULL, now_ns);
        return; // it is on the list again
    }
    if (bond->tells_down && bond->peer != NULL)
        peer_watch_absence(bond->peer, now_ns);
    tell_down(bond);
    if (bond->peer != NULL && bond->tells_room)
        bond_drain(bond);
    else if (bond->peer != NULL && bond->peer->legs != NULL)
        relay_flush(bond->peer);
    for (unsigned i = 0; i < LINK_CONNECTIONS; i++)
        if (bond->lines[i] != NULL && bond->lines[i]->state == LINE_BOUND)
            line_write(bond->lines[i], now_ns);
    uint64_t link_ns = link_next_ns(&bond->link), ways_ns = ways_next_ns(bond);
    timer_hasten(&bond->peers->timers, &bond->timer, link_ns < ways_ns ? link_ns : ways_ns);
    if (bond->peer == NULL && !bond_has_lines(bond) && !bond->is_pending)
        bond_free(bond);
}

void bonds_settle(Peers *peers, uint64_t now_ns)
{
    while (peers->pending != NULL) {
        Bond *bond = peers->pending;
        peers->pending = bond->next_pending;
        if (peers->pending == NULL)
            peers->pending_last = &peers->pending;
        bond->is_pending = false;
        bond_settle(bond, now_ns);
    }
}
