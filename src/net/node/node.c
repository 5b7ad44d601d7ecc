// node.c: a node is opened, does its work, and is closed.

#define _GNU_SOURCE
#include "net/node/node.h"

#include "net/carrier/sim.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
enum { WHY_SIZE = 512 };

// A frame to this node itself.
struct LocalFrame {
    LocalFrame *next;
    WireKind kind;
    size_t size;
    uint8_t bytes[];
};

static uint64_t clock_ns(const chx_node *node)
{
    return chx_machine_now_ns(node->runtime);
}

static bool is_simulated(const chx_node *node)
{
    return node->around.net != NULL;
}

static void *node_allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void node_release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static void random_bytes(const chx_node *node, void *bytes, size_t size)
{
    if (is_simulated(node))
        chx_machine_random(node->runtime, bytes, size);
    else
        while (getrandom(bytes, size, 0) != (ssize_t)size)
            ;
}

uint64_t node_random(chx_node *node)
{
    uint64_t number = 0;
    random_bytes(node, &number, sizeof number);
    return number;
}

void node_random_id(chx_node *node, WireId *id)
{
    random_bytes(node, id->bytes, sizeof id->bytes);
}

char *node_copy(WireSpan text)
{
    char *copy = malloc(text.size + 1);
    if (copy != NULL) {
        memcpy(copy, text.data, text.size);
        copy[text.size] = '\0';
    }
    return copy;
}

bool node_append(chx_buffer *buffer, WireSpan bytes)
{
    size_t size = buffer->size + bytes.size;
    if (size > buffer->capacity) {
        size_t capacity = size > 2 * buffer->capacity ? size : 2 * buffer->capacity;
        unsigned char *data = realloc(buffer->data, capacity);
        buffer->failed |= data == NULL;
        if (data == NULL)
            return false;
        buffer->data = data;
        buffer->capacity = capacity;
    }
    if (bytes.size > 0)
        memcpy(buffer->data + buffer->size, bytes.data, bytes.size);
    buffer->size = size;
    return true;
}

void node_log(chx_node *node, chx_log_level level, const char *format, ...)
{
    char text[WHY_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    chx_part_log(node->runtime, level, text);
}

// ---- peers ----

NodePeer *node_peer(chx_node *node, uint32_t number)
{
    MapItem *item = map_first(&node->peer_map, number);
    if (item != NULL)
        return MAP_OWNER(item, NodePeer, by_number);
    NodePeer *peer = calloc(1, sizeof *peer);
    if (peer == NULL)
        return NULL;
    peer->number = number;
    peer->node = node;
    map_add(&node->peer_map, &peer->by_number, number);
    return peer;
}

void node_peer_name(const chx_node *node, uint32_t number, char *text, size_t size)
{
    PeerAbout about = {0};
    const char *name = node->config.name;
    if (number != PEER_SELF) {
        peers_about(node->peers, number, &about);
        name = about.name != NULL ? about.name : about.address;
    }
    snprintf(text, size, "%s", name != NULL ? name : "a node without a certificate");
}

void node_name_anonymous(const WireId *incarnation, char text[NODE_ANONYMOUS_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    char *at = text;
    *at++ = '~';
    for (size_t i = 0; i < sizeof incarnation->bytes; i++) {
        *at++ = digits[incarnation->bytes[i] >> 4];
        *at++ = digits[incarnation->bytes[i] & 15];
    }
    *at = '\0';
}

static int digit_value(uint8_t digit)
{
    return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

uint32_t node_named(chx_node *node, uint32_t home, WireSpan name, WireSpan address)
{
    WireId incarnation = {{0}};
    PeerAbout about;
    if (name.size == 0 || name.data[0] != '~')
        return peers_know(node->peers, name, address);
    if (name.size != NODE_ANONYMOUS_SIZE - 1)
        return PEER_NONE;
    for (size_t i = 0; i < sizeof incarnation.bytes; i++) {
        int high = digit_value(name.data[1 + 2 * i]), low = digit_value(name.data[2 + 2 * i]);
        if (high < 0 || low < 0)
            return PEER_NONE;
        incarnation.bytes[i] = (uint8_t)(high << 4 | low);
    }
    if (peers_about(node->peers, home, &about) && wire_id_is(&incarnation, &about.own))
        return PEER_SELF;
    return peers_find_anonymous(node->peers, &incarnation);
}

bool node_peer_is_up(const chx_node *node, uint32_t number)
{
    PeerAbout about;
    return number == PEER_SELF || (peers_about(node->peers, number, &about) && about.state == LINK_UP);
}

static void peer_timer(void *owner);

// How long a peer has been silent matters while sessions here have lives there, or sessions of its have lives here.
static void peer_watch(NodePeer *peer)
{
    const ConfigLimits *limits = &peer->node->config.limits;
    uint64_t period_ns = (limits->hold_ms < limits->suspect_ms ? limits->hold_ms : limits->suspect_ms) * NS_PER_MS / 4;
    if (peer->number == PEER_SELF || timer_is_set(&peer->timer.timer))
        return;
    peer->look_ns = peer->node->now_ns + period_ns + 1;
    node_timer_set(peer->node, &peer->timer, peer->look_ns, peer_timer, peer);
}

// For how long the peer has been silent. While this process did not run (it was stopped, or the machine is overloaded) it could not
// hear anybody, so that does not count.
static uint64_t peer_silence(NodePeer *peer, const PeerAbout *about)
{
    uint64_t now_ns = peer->node->now_ns, slack_ns = peer->node->config.limits.hold_ms * NS_PER_MS / 4;
    if (now_ns > peer->look_ns + slack_ns)
        peer->deaf_ns = now_ns;
    uint64_t since_ns = about->heard_ns > peer->deaf_ns ? about->heard_ns : peer->deaf_ns;
    return about->heard_ns != 0 && now_ns > since_ns ? now_ns - since_ns : 0;
}

static void peer_hold(NodePeer *peer, bool holds)
{
    if (peer->holds == holds || (!holds && node_is_broken(NODE_BROKEN_HOLD_STAYS)))
        return;
    peer->holds = holds;
    for (NodePart *part = peer->parts; part != NULL; part = part->next_at_home) {
        part->wakes_order = true;
        part_wake(part);
    }
}

static void peer_timer(void *owner)
{
    NodePeer *peer = owner;
    chx_node *node = peer->node;
    const ConfigLimits *limits = &node->config.limits;
    char why[WHY_SIZE], who[CONFIG_NAME_MAX + 1];
    PeerAbout about;
    if ((peer->seats == NULL && peer->parts == NULL) || !peers_about(node->peers, peer->number, &about))
        return;
    uint64_t silence_ns = peer_silence(peer, &about);
    if (peer->seats != NULL && !peer->is_suspected && !node_is_broken(NODE_BROKEN_NO_SUSPICION) &&
        silence_ns > limits->suspect_ms * NS_PER_MS) {
        peer->is_suspected = true;
        node_peer_name(node, peer->number, who, sizeof who);
        snprintf(why, sizeof why, "nothing was heard from %s for %.1f s", who, (double)limits->suspect_ms / 1000);
        homes_peer_silent(node, peer, why);
    }
    if (peer->parts != NULL)
        peer_hold(peer, about.sure_ns != 0 && node->now_ns - about.sure_ns > limits->hold_ms * NS_PER_MS);
    if (peer->parts != NULL && silence_ns > limits->absent_ms * NS_PER_MS)
        joins_peer_silent(peer);
    peer_watch(peer);
}

static void handle_up(void *context, uint32_t number)
{
    chx_node *node = context;
    NodePeer *peer = node_peer(node, number);
    if (peer == NULL)
        return;
    peer->is_suspected = false;
    services_offer(node, peer);
    homes_peer_up(node, peer);
    reach_up(node, number);
    placed_peer_up(node, number);
    peer_hold(peer, false);
    // What the home had to say to a life that it has given up meanwhile, it has said to nobody.
    for (NodePart *part = peer->parts; part != NULL; part = part->next_at_home)
        if (part->life.session != 0 && !part->is_adrift && !node_is_broken(NODE_BROKEN_NO_ASK))
            life_ask(&part->life);
}

// What roles here had said to roles there, and was on its way, is said again to the next process: these may be lives that have begun
// in it, of which this node has heard from the home before it noticed that the process is another one.
static void parts_link_lost(chx_node *node, uint32_t number)
{
    for (size_t i = 0; i <= node->parts.capacity; i++) {
        MapItem *item = i < node->parts.capacity ? node->parts.buckets[i] : node->parts.single;
        for (MapItem *next; item != NULL; item = next) {
            next = item->next;
            life_link_lost(&MAP_OWNER(item, NodePart, by_session)->life, number);
        }
    }
}

static void handle_lost(void *context, uint32_t number, LinkLoss loss, const char *why)
{
    chx_node *node = context;
    NodePeer *peer = node_peer(node, number);
    (void)loss;
    if (peer == NULL)
        return;
    if (!node_is_broken(NODE_BROKEN_LOST_SEATS))
        homes_peer_lost(node, peer, why);
    joins_peer_lost(node, peer, why);
    parts_link_lost(node, number);
    services_offer(node, peer);
}

static void handle_room(void *context, uint32_t number)
{
    chx_node *node = context;
    NodePeer *peer = node_peer(node, number);
    if (peer != NULL)
        homes_release(node, peer);
    // Whoever has something for that node.
    for (size_t i = 0; i <= node->parts.capacity; i++) {
        MapItem *item = i < node->parts.capacity ? node->parts.buckets[i] : node->parts.single;
        for (; item != NULL; item = item->next)
            life_release(&MAP_OWNER(item, NodePart, by_session)->life);
    }
}

// Something that was said in a session can't be sent to this peer after all.
static void handle_too_large(void *context, uint32_t number, uint64_t lane, WireKind kind, size_t size, size_t limit)
{
    chx_node *node = context;
    char why[WHY_SIZE], who[CONFIG_NAME_MAX + 1];
    (void)kind;
    node_peer_name(node, number, who, sizeof who);
    snprintf(why, sizeof why,
             "a message of %zu bytes is larger than node %s takes, which is %zu: set message_max there", size, who,
             limit);
    homes_cancel(node, lane, why);
    for (MapItem *item = map_first(&node->parts, lane), *next; item != NULL; item = next) {
        NodePart *part = MAP_OWNER(item, NodePart, by_session);
        next = map_next(item->next, lane);
        if (part->home->number == number)
            part_is_too_large(part, number, size);
    }
}

static bool handle_is_needed(void *context, uint32_t number)
{
    chx_node *node = context;
    MapItem *item = map_first(&node->peer_map, number);
    const NodePeer *peer = item != NULL ? MAP_OWNER(item, NodePeer, by_number) : NULL;
    return peer != NULL && (peer->seats != NULL || peer->parts != NULL);
}

static bool is_home_of_service(const chx_node *node, const NodePeer *peer)
{
    for (const Service *service = node->services; service != NULL; service = service->next)
        if (service_knows(service, peer->number))
            return true;
    return false;
}

// Nothing is left of the peer: what it had of sessions here was given up when it was lost.
static void handle_forgotten(void *context, uint32_t number)
{
    chx_node *node = context;
    MapItem *item = map_first(&node->peer_map, number);
    NodePeer *peer = item != NULL ? MAP_OWNER(item, NodePeer, by_number) : NULL;
    if (peer == NULL)
        return;
    homes_peer_lost(node, peer, "it has not come back");
    joins_peer_silent(peer);
    if (peer->seats != NULL || peer->parts != NULL || is_home_of_service(node, peer))
        return;
    node_timer_clear(node, &peer->timer);
    map_remove(&node->peer_map, &peer->by_number);
    free(peer);
}

// Two numbers mean the same node from now on.
static void handle_same(void *context, uint32_t number, uint32_t as)
{
    placed_peer_is(context, number, as);
}

static void handle_log(void *context, const char *text)
{
    node_log(context, CHX_LOG_WARN, "%s", text);
}

static const PeerHandlers peer_handlers = {
    .deliver = node_deliver,
    .up = handle_up,
    .lost = handle_lost,
    .room = handle_room,
    .too_large = handle_too_large,
    .relays = reach_relays,
    .may_relay = reach_may_relay,
    .is_relay = reach_is_relay,
    .unreached = reach_unreached,
    .same = handle_same,
    .is_needed = handle_is_needed,
    .forgotten = handle_forgotten,
    .log = handle_log,
};

// ---- frames ----

static bool local_send(chx_node *node, WireKind kind, const void *frame)
{
    size_t size = wire_body_size(kind, frame);
    LocalFrame *local = malloc(sizeof *local + size);
    if (local == NULL)
        return false;
    *local = (LocalFrame){.kind = kind, .size = size};
    wire_write_body(local->bytes, kind, frame);
    if (node->local == NULL)
        node->local_end = &node->local;
    *node->local_end = local;
    node->local_end = &local->next;
    return true;
}

bool node_send(chx_node *node, uint32_t number, uint64_t lane, WireKind kind, const void *frame)
{
    if (number == PEER_SELF)
        return local_send(node, kind, frame);
    NodePeer *peer = node_peer(node, number);
    if (peer != NULL)
        peer_watch(peer);
    LinkSending sending = peers_send(node->peers, number, LINK_CONTROL, lane, kind, frame);
    node->must_flush = true;
    // Who is gone is told of by `lost`.
    return sending != LINK_NO_MEMORY;
}

LinkSending node_give(chx_node *node, uint32_t number, uint64_t lane, const WireData *data)
{
    if (number == PEER_SELF)
        return local_send(node, WIRE_DATA, data) ? LINK_SENT : LINK_NO_MEMORY;
    node->must_flush = true;
    return peers_send(node->peers, number, LINK_DATA, lane, WIRE_DATA, data);
}

static void local_deliver(chx_node *node)
{
    for (LocalFrame *local; (local = node->local) != NULL;) {
        WireFrame frame = {.kind = local->kind};
        node->local = local->next;
        if (wire_decode_body(local->kind, (WireSpan){local->bytes, local->size}, &frame.data) == WIRE_GOOD)
            node_deliver(node, PEER_SELF, &frame);
        free(local);
    }
}

// ---- the lock ----

void node_lock(chx_node *node)
{
    if (pthread_mutex_trylock(&node->lock) != 0) {
        chx_part_queues(true);
        pthread_mutex_lock(&node->lock);
        chx_part_queues(false);
    }
    node->now_ns = clock_ns(node);
}

void node_await_change(chx_node *node, uint64_t until_ns)
{
    uint32_t seen = atomic_load(&node->changes);
    uint64_t now_ns = clock_ns(node);
    if (until_ns <= now_ns)
        return;
    node->sleepers++;
    pthread_mutex_unlock(&node->lock);
    chx_machine_sleep(node->runtime, &node->changes, seen, until_ns == UINT64_MAX ? 0 : until_ns - now_ns);
    pthread_mutex_lock(&node->lock);
    node->sleepers--;
}

void node_tell_change(chx_node *node)
{
    atomic_fetch_add(&node->changes, 1);
    for (unsigned i = 0; i < node->sleepers; i++)
        chx_machine_wake(node->runtime, &node->changes);
}

static void clock_set(chx_node *node)
{
    uint64_t due_ns = node->timers.first != NULL ? node->timers.first->due_ns : UINT64_MAX;
    if (is_simulated(node)) {
        uint64_t peers_ns = peers_next_ns(node->peers);
        node->around.changed(node->around.context, due_ns < peers_ns ? due_ns : peers_ns);
        return;
    }
    if (due_ns >= node->timer_ns)
        return;
    struct itimerspec time = {.it_value = {(time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S)}};
    if (timerfd_settime(node->timer, TFD_TIMER_ABSTIME, &time, NULL) == 0)
        node->timer_ns = due_ns;
}

void node_start_later(chx_node *node, NodeSession *group)
{
    group->next_ended = node->starting;
    node->starting = group;
}

static bool node_is_busy(const chx_node *node)
{
    return node->session_count > 0 || node->open_homes > 0;
}

static void tell_over(const chx_node *node)
{
    static const uint64_t one = 1;
    bool is_over = !node_is_busy(node) || node->now_ns >= node->linger_ns;
    while (is_over && write(node->over, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

// The node whose services this thread starts sessions for at the moment. Several threads may do so.
static _Thread_local const chx_node *starts_for;

static NodeSession *take_starting(chx_node *node)
{
    NodeSession *starting = node->starting;
    node->starting = NULL;
    return starting;
}

void node_unlock(chx_node *node)
{
    local_deliver(node);
    if (node->must_flush) {
        node->must_flush = false;
        peers_flush(node->peers);
        local_deliver(node);
    }
    clock_set(node);
    if (node->is_stopping && node->over >= 0)
        tell_over(node);
    parts_deliver_wakes(node);
    // What starting a session leads to (it may be refused, and offered again) is started behind it, not inside of it.
    bool is_inside = starts_for == node;
    NodeSession *starting = is_inside ? NULL : take_starting(node);
    pthread_mutex_unlock(&node->lock);
    while (starting != NULL) {
        const chx_node *before = starts_for;
        starts_for = node;
        for (NodeSession *next; starting != NULL; starting = next) {
            next = starting->next_ended;
            joins_start_served(node, starting);
        }
        starts_for = before;
        pthread_mutex_lock(&node->lock);
        starting = take_starting(node);
        pthread_mutex_unlock(&node->lock);
    }
}

// ---- time ----

void node_timer_set(chx_node *node, NodeTimer *timer, uint64_t due_ns, void (*run)(void *owner), void *owner)
{
    timer->run = run;
    timer->owner = owner;
    timer_heap_set(&node->timers, &timer->timer, due_ns);
}

void node_timer_clear(chx_node *node, NodeTimer *timer)
{
    timer_heap_remove(&node->timers, &timer->timer);
}

static void timers_run(chx_node *node)
{
    for (Timer *timer; (timer = node->timers.first) != NULL && timer->due_ns <= node->now_ns;) {
        NodeTimer *due = (NodeTimer *)(void *)timer;
        timer_heap_remove(&node->timers, timer);
        due->run(due->owner);
    }
}

static void clock_due(void *context, int error)
{
    chx_node *node = context;
    uint64_t count;
    (void)error;
    while (read(node->timer, &count, sizeof count) > 0)
        ;
    node_lock(node);
    node->timer_ns = UINT64_MAX;
    if (is_simulated(node))
        peers_step(node->peers, node->now_ns);
    timers_run(node);
    node->must_flush = true;
    node_unlock(node);
}

static void peers_ready(void *context, int error)
{
    chx_node *node = context;
    (void)error;
    node_lock(node);
    peers_step(node->peers, node->now_ns);
    node->must_flush = true;
    node_unlock(node);
}

// ---- the nodes of this process ----

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static chx_node *open_nodes; // in the order in which they were opened

static void node_list(chx_node *node)
{
    chx_node **end = &open_nodes;
    pthread_mutex_lock(&open_lock);
    while (*end != NULL)
        end = &(*end)->next_open;
    *end = node;
    pthread_mutex_unlock(&open_lock);
}

static void node_unlist(const chx_node *node)
{
    chx_node **link = &open_nodes;
    pthread_mutex_lock(&open_lock);
    while (*link != NULL && *link != node)
        link = &(*link)->next_open;
    if (*link != NULL)
        *link = node->next_open;
    pthread_mutex_unlock(&open_lock);
}

chx_node *node_of_process(void)
{
    pthread_mutex_lock(&open_lock);
    chx_node *node = open_nodes;
    pthread_mutex_unlock(&open_lock);
    return node;
}

// ---- opening and closing ----

static bool node_configure(chx_node *node, const chx_node_options *options, char *why, size_t why_size)
{
    const char *path = options != NULL && options->config != NULL ? options->config : getenv("CHOREX_NODE");
    ConfigErrors errors;
    if (is_simulated(node)) {
        if (config_parse(node->around.text, node->around.text_size, NULL, &node->config, &errors))
            return true;
        config_error_format(&errors.items[0], "the simulated configuration", why, why_size);
        config_errors_free(&errors);
        return false;
    }
    node->path = strdup(path != NULL ? path : "chorex.conf");
    if (node->path == NULL) {
        snprintf(why, why_size, "out of memory");
        return false;
    }
    if (options != NULL && options->set != NULL && (node->settings = strdup(options->set)) == NULL) {
        snprintf(why, why_size, "out of memory");
        return false;
    }
    if (config_read(node->path, node->settings, &node->config, &errors))
        return true;
    config_error_format(&errors.items[0], node->path, why, why_size);
    for (size_t i = 1; i < errors.count; i++) {
        char text[WHY_SIZE];
        config_error_format(&errors.items[i], node->path, text, sizeof text);
        chx_part_log(node->runtime, CHX_LOG_ERROR, text);
    }
    config_errors_free(&errors);
    return false;
}

static uint64_t peers_clock(void *context)
{
    return clock_ns(context);
}

static uint64_t peers_random(void *context)
{
    return node_random(context);
}

static bool node_connect(chx_node *node, char *why, size_t why_size)
{
    PeersOptions options = {.config = &node->config,
                            .build = "",
                            .carrier = is_simulated(node) ? &sim_carrier : NULL,
                            .net = node->around.net,
                            .is_plain = is_simulated(node),
                            .handlers = &peer_handlers,
                            .context = node,
                            .now_ns = peers_clock,
                            .random = peers_random};
    node->peers = peers_open(&options, why, why_size);
    return node->peers != NULL;
}

void chx_node_stop(chx_node *node, unsigned linger_ms)
{
    static const uint64_t one = 1;
    int error = errno; // a signal handler may call this
    atomic_store(&node->linger_ms, linger_ms);
    atomic_store(&node->is_to_stop, true);
    while (write(node->stop, &one, sizeof one) < 0 && errno == EINTR)
        ;
    errno = error;
}

void chx_node_reload(chx_node *node)
{
    static const uint64_t one = 1;
    int error = errno;
    atomic_store(&node->is_to_reload, true);
    while (write(node->stop, &one, sizeof one) < 0 && errno == EINTR)
        ;
    errno = error;
}

static void node_reload(chx_node *node)
{
    Config config, old = node->config;
    ConfigErrors errors;
    char text[WHY_SIZE];
    if (!config_read(node->path, node->settings, &config, &errors)) {
        for (size_t i = 0; i < errors.count; i++) {
            config_error_format(&errors.items[i], node->path, text, sizeof text);
            node_log(node, CHX_LOG_ERROR, "%s", text);
        }
        config_errors_free(&errors);
        return;
    }
    node->config = config;
    if (peers_reload(node->peers, &node->config, text, sizeof text)) {
        chx_keeper_retain(node->keeper, node->config.limits.keep_ms);
        config_free(&old);
        return;
    }
    node_log(node, CHX_LOG_ERROR, "the configuration stays as it was: %s", text);
    node->config = old;
    config_free(&config);
}

// node_unlock says so.
static void linger_over(void *owner)
{
    (void)owner;
}

// The program has asked for something, perhaps in a signal handler.
static void program_asks(void *context, int error)
{
    chx_node *node = context;
    uint64_t count;
    (void)error;
    while (read(node->stop, &count, sizeof count) > 0)
        ;
    node_lock(node);
    if (atomic_exchange(&node->is_to_reload, false))
        node_reload(node);
    if (atomic_exchange(&node->is_to_stop, false)) {
        node->is_stopping = true;
        node->linger_ns = node->now_ns + atomic_load(&node->linger_ms) * NS_PER_MS;
        node_timer_set(node, &node->linger, node->linger_ns, linger_over, node);
        services_offer(node, NULL);
        node_tell_change(node);
    }
    node_unlock(node);
}

static bool node_watch(chx_node *node, char *why, size_t why_size)
{
    node->timer = is_simulated(node) ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)
                                     : timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (node->timer >= 0)
        node->clock = chx_watcher_open(node->runtime, node->timer, POLLIN, clock_due, node);
    node->stop = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (node->clock != NULL && node->stop >= 0)
        node->stopper = chx_watcher_open(node->runtime, node->stop, POLLIN, program_asks, node);
    if (node->stopper != NULL && is_simulated(node))
        return true;
    if (node->stopper != NULL)
        node->watcher = chx_watcher_open(node->runtime, peers_descriptor(node->peers), POLLIN, peers_ready, node);
    if (node->watcher == NULL)
        snprintf(why, why_size, "the node can't wait for others: %s", strerror(errno));
    return node->watcher != NULL;
}

void node_free_memory(chx_node *node)
{
    pthread_mutex_destroy(&node->lock);
    free(node->path);
    free(node->settings);
    if (node->over >= 0)
        close(node->over);
    free(node);
}

static void node_free(chx_node *node)
{
    if (node->watcher != NULL)
        chx_watcher_close(node->watcher);
    if (node->clock != NULL)
        chx_watcher_close(node->clock);
    if (node->stopper != NULL)
        chx_watcher_close(node->stopper);
    if (node->timer >= 0)
        close(node->timer);
    if (node->stop >= 0)
        close(node->stop);
    chx_keeper_close(node->keeper);
    node->keeper = NULL;
    homes_free(node);
    offers_free(node);
    services_free(node);
    early_free(node);
    known_free(node);
    for (LocalFrame *local = node->local, *next; local != NULL; local = next) {
        next = local->next;
        free(local);
    }
    for (size_t i = 0; i <= node->peer_map.capacity; i++) {
        MapItem **chain = i < node->peer_map.capacity ? &node->peer_map.buckets[i] : &node->peer_map.single;
        for (MapItem *item; (item = *chain) != NULL;) {
            *chain = item->next;
            free(MAP_OWNER(item, NodePeer, by_number));
        }
    }
    if (node->peers != NULL)
        peers_close(node->peers, "the node ends");
    map_fini(&node->peer_map);
    map_fini(&node->homes);
    map_fini(&node->names);
    map_fini(&node->parts);
    map_fini(&node->requests);
    config_free(&node->config);
    // The program may still have handles of sessions that are over.
    pthread_mutex_lock(&node->lock);
    node->is_closed = true;
    bool is_last = node->handles == 0;
    pthread_mutex_unlock(&node->lock);
    if (is_last)
        node_free_memory(node);
}

static chx_node *node_open(const chx_node_options *options, const NodeSurroundings *around)
{
    char why[WHY_SIZE] = "out of memory";
    chx_node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        chx_refuse(CHX_NO_MEMORY, NULL, NULL, "%s", why);
        return NULL;
    }
    node->timer = node->stop = node->over = -1;
    node->timer_ns = UINT64_MAX;
    node->memory = (NetMemory){node_allocate, node_release, NULL};
    pthread_mutex_init(&node->lock, NULL);
    if (around != NULL)
        node->around = *around;
    node->runtime = chx_part_runtime();
    node->now_ns = node->runtime != NULL ? clock_ns(node) : 0;
    if (node->runtime != NULL && node_configure(node, options, why, sizeof why) &&
        node_connect(node, why, sizeof why) && node_watch(node, why, sizeof why)) {
        if (around == NULL)
            node_list(node);
        return node;
    }
    chx_refuse(CHX_INVALID, NULL, NULL, "%s", why);
    node_free(node);
    return NULL;
}

chx_node *chx_node_open(const chx_node_options *options)
{
    return node_open(options, NULL);
}

// Until sessions have ended, or the time that they are given is over.
static void node_drain(chx_node *node)
{
    while (node_is_busy(node) && clock_ns(node) < node->linger_ns)
        node_await_change(node, node->linger_ns);
}

void chx_node_run(chx_node *node)
{
    chx_machine_enter(node->runtime);
    pthread_mutex_lock(&node->lock);
    while (!node->is_stopping)
        node_await_change(node, UINT64_MAX);
    node_drain(node);
    pthread_mutex_unlock(&node->lock);
    chx_machine_leave(node->runtime);
}

int chx_node_fd(chx_node *node)
{
    pthread_mutex_lock(&node->lock);
    if (node->over < 0)
        node->over = eventfd(node->is_stopping && !node_is_busy(node), EFD_NONBLOCK | EFD_CLOEXEC);
    int descriptor = node->over;
    pthread_mutex_unlock(&node->lock);
    return descriptor;
}

// Readable when it is stopped and has nothing to do, or its time is over.
bool chx_node_step(chx_node *node)
{
    node_lock(node);
    bool goes_on = !node->is_stopping || (node_is_busy(node) && node->now_ns < node->linger_ns);
    node_unlock(node);
    return goes_on;
}

// Until all that was sent has arrived, or for as long as a peer may be silent. If the time is over that the program has given to the
// node, only as long as it takes when all is well.
static void drain_links(chx_node *node)
{
    _Atomic uint32_t nobody = 0; // wakes it
    const ConfigLimits *limits = &node->config.limits;
    uint64_t until_ns = clock_ns(node) + (node->is_cut_short ? limits->keepalive_ms : limits->suspect_ms) * NS_PER_MS;
    bool is_idle = false;
    while (!is_idle && clock_ns(node) < until_ns) {
        node_lock(node);
        is_idle = peers_are_idle(node->peers);
        node->must_flush = true;
        node_unlock(node);
        if (!is_idle)
            chx_machine_sleep(node->runtime, &nobody, 0, NS_PER_MS);
    }
}

void node_await_homes(chx_node *node)
{
    pthread_mutex_lock(&node->lock);
    while (node->open_homes > 0)
        node_await_change(node, UINT64_MAX);
    pthread_mutex_unlock(&node->lock);
    drain_links(node);
}

// Tells all sessions that have roles here to end.
static void sessions_stop(chx_node *node)
{
    node_lock(node);
    node->is_cut_short = node->linger_ns != 0 && node_is_busy(node) && node->now_ns >= node->linger_ns;
    node->is_stopping = true;
    placed_cancel_all(node, "the node was closed");
    for (NodeSession *group = node->groups; group != NULL; group = group->next)
        for (size_t i = 0; i < group->count; i++) {
            NodePart *part = group->parts[i];
            chx_fault fault = {.kind = CHX_FAULT_SYSTEM, .why = "the node was closed"};
            if (!part->is_over && part->life.session != 0)
                life_cancel(&part->life, wire_text(fault.why));
            part_over(part, CHX_CANCELLED, &fault);
        }
    node->must_flush = true;
    node_unlock(node);
}

static void sessions_forget(chx_node *node)
{
    pthread_mutex_lock(&node->lock);
    while (node->groups != NULL)
        node_await_change(node, UINT64_MAX);
    // Handles that nobody has waited for keep nothing of the node.
    for (size_t i = 0; i <= node->parts.capacity; i++) {
        MapItem **chain = i < node->parts.capacity ? &node->parts.buckets[i] : &node->parts.single;
        while (*chain != NULL)
            map_remove(&node->parts, *chain);
    }
    pthread_mutex_unlock(&node->lock);
}

void chx_node_close(chx_node *node)
{
    if (node == NULL)
        return;
    const chx_runtime *runtime = node->runtime;
    chx_machine_enter(runtime);
    node_unlist(node);
    sessions_stop(node);
    sessions_forget(node);
    drain_links(node);
    node_free(node);
    chx_machine_leave(runtime);
}

// ---- on a simulated network ----

chx_node *node_open_simulated(const NodeSurroundings *around)
{
    return node_open(NULL, around);
}

void node_ring(chx_node *node)
{
    static const uint64_t one = 1;
    while (write(node->timer, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

void node_abandon(chx_node *node)
{
    sessions_stop(node);
}

bool node_is_empty(chx_node *node)
{
    pthread_mutex_lock(&node->lock);
    bool is_empty = node->groups == NULL;
    pthread_mutex_unlock(&node->lock);
    return is_empty;
}

void node_discard(chx_node *node)
{
    sessions_forget(node);
    node_free(node);
}
