// parts.c: roles of sessions that are played here: between the runtime, which runs them (chorex/remote.h), and their lives
// (session/life.h).

#include "net/node/node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SOON_MS = 20 };
#define NS_PER_MS UINT64_C(1000000)

NodePart *parts_find(chx_node *node, uint64_t session, unsigned role)
{
    MapItem *item = map_first(&node->parts, session);
    for (; item != NULL; item = map_next(item->next, session)) {
        NodePart *part = MAP_OWNER(item, NodePart, by_session);
        if (part->role == role)
            return part;
    }
    return NULL;
}

void part_set_home(NodePart *part, NodePeer *home)
{
    part->home = home;
    part->next_at_home = home->parts;
    part->link_at_home = &home->parts;
    if (home->parts != NULL)
        home->parts->link_at_home = &part->next_at_home;
    home->parts = part;
}

static void part_leave_home(NodePart *part)
{
    if (part->link_at_home == NULL)
        return;
    *part->link_at_home = part->next_at_home;
    if (part->next_at_home != NULL)
        part->next_at_home->link_at_home = part->link_at_home;
    part->link_at_home = NULL;
}

// ---- faults ----

static char *text_put(char **at, const char *end, WireSpan span)
{
    char *begin = *at;
    size_t room = (size_t)(end - begin), size = span.size < room ? span.size : room - 1;
    memcpy(begin, span.data, size);
    begin[size] = '\0';
    *at = begin + size + (size + 1 < room ? 1 : 0);
    return begin;
}

void part_fault_text(const WireFault *from, chx_fault *fault, char *text, size_t size)
{
    static const WireFault none;
    char *at = text, *end = text + size;
    const WireFault *known = from != NULL ? from : &none;
    *fault = (chx_fault){.kind = from != NULL ? (chx_fault_kind)known->kind : CHX_FAULT_SYSTEM,
                         .signal = (int)known->signal,
                         .line = (int)known->line};
    WireSpan why = from != NULL ? known->why : wire_text("not known");
    fault->role = text_put(&at, end, known->role);
    fault->file = text_put(&at, end, known->file);
    fault->why = text_put(&at, end, why);
}

static WireFault fault_wire(const chx_fault *fault)
{
    WireFault wire = {.kind = (uint8_t)fault->kind,
                      .signal = (uint32_t)fault->signal,
                      .line = (uint32_t)fault->line,
                      .role = wire_text(fault->role),
                      .why = wire_text(fault->why),
                      .file = wire_text(fault->file)};
    return wire;
}

// ---- the end of a part ----

void session_list_ended(NodeSession *group)
{
    chx_node *node = group->node;
    if (group->is_ended_listed || group->is_released)
        return;
    group->is_ended_listed = true;
    group->next_ended = node->ended;
    node->ended = group;
}

// The first word counts. Names of the choreography outlive the session.
void group_stop(NodeSession *group, const chx_choreography *choreography, chx_status status, const chx_fault *fault)
{
    if (group->is_to_stop)
        return;
    node_tell_change(group->node);
    group->is_to_stop = true;
    group->status = status;
    group->fault = *fault;
    group->why = strdup(fault->why != NULL ? fault->why : "");
    group->fault.why = group->why != NULL ? group->why : "out of memory";
    group->fault.role = "";
    for (size_t i = 0; fault->role != NULL && i < choreography->role_count; i++)
        if (strcmp(choreography->roles[i], fault->role) == 0)
            group->fault.role = choreography->roles[i];
    group->fault.file = choreography->file;
}

void part_over(NodePart *part, chx_status status, const chx_fault *fault)
{
    NodeSession *group = part->group;
    chx_node *node = part->node;
    if (part->is_over)
        return;
    part->is_over = true;
    // One that has come to its end still hears how the session ends.
    if (part->life.state != LIFE_OVER || part->life.has_outcome || part->life.is_asked_to_stop)
        map_remove(&node->parts, &part->by_session);
    map_remove(&node->requests, &part->by_request);
    node_timer_clear(node, &part->soon);
    node_timer_clear(node, &part->deadline);
    part_leave_home(part);
    group->open--;
    if (status != CHX_OK)
        group_stop(group, part->known->choreography, status, fault);
    session_list_ended(group);
}

// ---- waking ----

void part_wake(NodePart *part)
{
    if (part->is_listed)
        return;
    part->is_listed = true;
    part->next_wake = part->node->wakes;
    part->node->wakes = part;
}

void part_wake_for_all(NodePart *part)
{
    for (size_t i = 0; i < part->known->choreography->role_count; i++)
        part->wakes_peer[i] = i != part->role;
    part->wakes_order = part->wakes_go = true;
    part_wake(part);
}

void part_heed(NodePart *part)
{
    char text[CHX_PART_TEXT];
    chx_fault fault;
    bool stops = life_asks(&part->life) == LIFE_ASKS_STOP;
    if (part->life.has_outcome)
        node_tell_change(part->node);
    if (part->is_over || (!stops && part->life.state != LIFE_OVER))
        return;
    if (!stops && part->group->awaits_all && !part->life.has_outcome && !node_is_broken(NODE_BROKEN_OUTCOME_EARLY))
        return;
    const LifeStop *stop = stops || part->life.has_outcome ? life_stop(&part->life) : NULL;
    if (stops && stop->is_fenced && part->service == NULL) {
        life_stopped(&part->life);
        joins_again(part);
        return;
    }
    if (!stops && part->life.state == LIFE_OVER && (stop == NULL || stop->status == CHX_OK)) {
        part_over(part, CHX_OK, NULL);
        return;
    }
    part_fault_text(stop->fault, &fault, text, sizeof text);
    if (stop->is_fenced)
        fault = (chx_fault){.role = part->known->choreography->roles[part->role],
                            .kind = CHX_FAULT_LOST,
                            .why = "it was not heard for too long, and is played elsewhere now"};
    chx_status status = stop->is_fenced ? CHX_FAILED : stop->status;
    part->group->restarts = stop->restarts;
    if (stops)
        life_stopped(&part->life);
    part_over(part, status, &fault);
}

static void effect_wake(void *context, LifeWake what, unsigned peer)
{
    NodePart *part = context;
    if (what == LIFE_WAKE_MESSAGE || what == LIFE_WAKE_ROOM)
        part->wakes_peer[peer] = true;
    else if (what == LIFE_WAKE_GO)
        part->wakes_go = true;
    else
        part->wakes_order = true;
    part_wake(part);
}

enum { PEERS_AT_ONCE = 64 };

// The first on the list. The lock is held, and given back meanwhile.
static void deliver_first(chx_node *node)
{
    NodePart *part = node->wakes;
    NodeSession *group = part->group;
    size_t roles = part->known->choreography->role_count, count = 0;
    bool peers[PEERS_AT_ONCE], order = part->wakes_order, go = part->wakes_go;
    unsigned first = 0;
    while (first < roles && !part->wakes_peer[first])
        first++;
    for (; first + count < roles && count < PEERS_AT_ONCE; count++) {
        peers[count] = part->wakes_peer[first + count];
        part->wakes_peer[first + count] = false;
    }
    bool has_more = first + count < roles;
    part->wakes_order = part->wakes_go = false;
    if (!has_more) {
        node->wakes = part->next_wake;
        part->is_listed = false;
    }
    // A role of a durable session ends when it hears that.
    bool is_through = part->is_over && !part->life.is_durable && !part->is_given;
    if (is_through || group->session == NULL || group->is_released)
        return; // one that is being started asks by itself
    chx_session *session = group->session;
    unsigned role = part->role;
    group->pins++;
    pthread_mutex_unlock(&node->lock);
    for (unsigned i = 0; i < count; i++)
        if (peers[i])
            chx_part_wake(session, role, first + i);
    if (order && !node_is_broken(NODE_BROKEN_ORDER_ASLEEP))
        chx_part_call(session, role);
    else if (go && !node_is_broken(NODE_BROKEN_GO_ASLEEP))
        chx_part_go(session, role);
    pthread_mutex_lock(&node->lock);
    group->pins--;
    if (group->is_to_stop || group->open == 0)
        session_list_ended(group);
}

// What roles on other nodes have come to. Without the lock: nobody else looks at it any more.
static void results_give(const NodeSession *group)
{
    for (size_t i = 0; i < group->result_count; i++) {
        const chx_buffer *result = &group->results[i];
        chx_fault fault = {.kind = CHX_FAULT_SYSTEM, .why = "out of memory, or the role's result is none of the type"};
        if (result->size > 0 && !chx_part_result(group->session, (unsigned)i, result->data, result->size)) {
            chx_part_stop(group->session, CHX_FAILED, &fault, group->restarts);
            return;
        }
    }
}

// A session that is to be stopped, or whose last word was said.
static void end_first(chx_node *node)
{
    NodeSession *group = node->ended;
    node->ended = group->next_ended;
    group->is_ended_listed = false;
    if (group->session == NULL || group->is_released || group->pins > 0)
        return; // whoever starts it, or wakes one of its roles, looks
    chx_session *session = group->session;
    bool stops = group->is_to_stop && !group->is_stopped, releases = group->open == 0 || group->is_to_stop;
    bool is_detached = group->is_detached;
    group->is_stopped |= stops;
    if (releases) {
        group->is_released = true;
        // The others have heard the same, or will.
        for (size_t i = 0; i < group->count; i++)
            if (!group->parts[i]->is_over)
                part_over(group->parts[i], CHX_OK, NULL);
    }
    chx_status status = group->status;
    chx_fault fault = group->fault;
    unsigned restarts = group->restarts;
    if (!stops && !releases)
        return;
    group->pins++;
    pthread_mutex_unlock(&node->lock);
    if (stops)
        chx_part_stop(session, status, &fault, restarts);
    else
        results_give(group);
    pthread_mutex_lock(&node->lock);
    group->pins--;
    pthread_mutex_unlock(&node->lock);
    // Afterwards the group may be gone.
    if (releases)
        chx_part_release(session, is_detached);
    pthread_mutex_lock(&node->lock);
}

void parts_deliver_wakes(chx_node *node)
{
    while (node->wakes != NULL || node->ended != NULL) {
        if (node->wakes != NULL)
            deliver_first(node);
        else
            end_first(node);
    }
}

// ---- what a life asks for ----

// It can't be said, and never could: the session ends. What the home is told of that it hears when this event is over.
void part_is_too_large(NodePart *part, uint32_t peer, size_t size)
{
    char who[CONFIG_NAME_MAX + 1], why[256];
    node_peer_name(part->node, peer, who, sizeof who);
    snprintf(why, sizeof why, "a message of %zu bytes is larger than node %s takes: set message_max there", size, who);
    chx_fault fault = {.role = part->known->choreography->roles[part->role], .kind = CHX_FAULT_SYSTEM, .why = why};
    WireCancel cancel = {
        .session = part->life.session, .role = (uint16_t)part->role, .life = part->life.life, .why = wire_text(why)};
    node_send(part->node, part->home->number, part->life.session, WIRE_CANCEL, &cancel);
    part_over(part, CHX_FAILED, &fault);
}

static bool effect_report(void *context, WireKind kind, const void *frame)
{
    NodePart *part = context;
    if (part->is_adrift)
        return true; // nobody is there to hear it, and the next home begins from the store
    return node_send(part->node, part->home->number, part->life.session, kind, frame);
}

static bool effect_give(void *context, uint32_t peer, const WireData *data)
{
    NodePart *part = context;
    if (part->is_adrift)
        return true;
    LinkSending sending = node_give(part->node, peer, part->life.session, data);
    if (sending == LINK_TOO_LARGE || sending == LINK_INVALID)
        part_is_too_large(part, peer, data->value.size);
    return sending != LINK_NO_ROOM && sending != LINK_NO_MEMORY;
}

static bool effect_taken(void *context, uint32_t peer, const WireTaken *taken)
{
    NodePart *part = context;
    return node_send(part->node, peer, part->life.session, WIRE_TAKEN, taken);
}

// Of a role with which this one has no channel, nothing but the name of its node can ever be asked for.
static uint32_t part_hear_of(NodePart *part, unsigned role, WireSpan name)
{
    if (part->names == NULL) {
        part->name_count = part->known->choreography->role_count;
        part->names = calloc(part->name_count, sizeof *part->names);
    }
    char *copy = part->names != NULL ? node_copy(name) : NULL;
    if (copy == NULL)
        return PEER_NONE;
    free(part->names[role]);
    part->names[role] = copy;
    return PEER_UNMET;
}

static uint32_t effect_node(void *context, unsigned role, WireSpan name, WireSpan address)
{
    NodePart *part = context;
    if (!known_has_channel(part->known, part->role, role))
        return part_hear_of(part, role, name);
    return node_named(part->node, part->home->number, name, address);
}

static void part_say_taken(void *owner)
{
    life_say_taken(&((NodePart *)owner)->life);
}

static void effect_soon(void *context)
{
    NodePart *part = context;
    if (!timer_is_set(&part->soon.timer))
        node_timer_set(part->node, &part->soon, part->node->now_ns + SOON_MS * NS_PER_MS, part_say_taken, part);
}

const LifeEffects part_effects = {effect_report, effect_give, effect_taken, effect_node, effect_soon, effect_wake};

// ---- what the runtime asks for ----

static int verdict_error(LifeVerdict verdict)
{
    switch (verdict) {
    case LIFE_GOOD:
        return 0;
    case LIFE_ASKED:
        return EAGAIN;
    case LIFE_TOO_LARGE:
        return EMSGSIZE;
    case LIFE_NO_MEMORY:
        return ENOMEM;
    default:
        return EPROTO;
    }
}

static chx_part_asks op_asks(void *context)
{
    NodePart *part = context;
    chx_part_asks asks = CHX_PART_WAITS;
    node_lock(part->node);
    LifeState state = part->life.state;
    bool is_outside = state == LIFE_ARRIVED && part->life.depth == 0;
    switch (life_asks(&part->life)) {
    case LIFE_ASKS_BEGIN:
        asks = CHX_PART_BEGINS;
        break;
    case LIFE_ASKS_BACK:
        asks = CHX_PART_GOES_BACK;
        break;
    case LIFE_ASKS_STOP:
        break;
    case LIFE_ASKS_NOTHING:
        asks = state == LIFE_RUNS || (state == LIFE_ARRIVED && !is_outside) ? CHX_PART_GOES_ON : CHX_PART_WAITS;
    }
    if (part->is_given)
        asks = CHX_PART_IS_OVER;
    else if (state == LIFE_OVER && part->life.is_durable && asks == CHX_PART_WAITS && !part->life.is_asked_to_stop)
        asks = CHX_PART_GOES_ON; // its end counts
    if (((part->home->holds || part->is_adrift) && state != LIFE_OVER && asks == CHX_PART_GOES_ON) ||
        part->node->is_lost)
        asks = CHX_PART_WAITS;
    node_unlock(part->node);
    return asks;
}

static void beginning_free(NodePart *part)
{
    free(part->blocks);
    free(part->saved);
    free(part->texts);
    part->blocks = NULL;
    part->saved = NULL;
    part->texts = NULL;
}

static void beginning_read(NodePart *part, const WireRestore *restore)
{
    WireList blocks = restore->blocks, faults = restore->fault;
    WireFault fault;
    bool has_fault = wire_next(&faults, WIRE_ITEM_FAULT, &fault);
    beginning_free(part);
    part->beginning = (chx_part_beginning){
        .fence = restore->term << 32 | restore->life, .is_durable = restore->is_durable, .fault.kind = CHX_FAULT_NONE};
    memcpy(part->beginning.token, restore->token.bytes, sizeof part->beginning.token);
    part->blocks = calloc(blocks.count + 1, sizeof *part->blocks);
    part->saved = calloc(blocks.count + 1, sizeof *part->saved);
    part->texts = calloc(1, CHX_PART_TEXT);
    if (part->blocks == NULL || part->saved == NULL || part->texts == NULL)
        return;
    size_t count = 0;
    while (wire_next(&blocks, WIRE_ITEM_BLOCK, &part->blocks[count])) {
        wire_decode_body(WIRE_SAVED, part->blocks[count].saved, &part->saved[count]); // the life has checked it
        if (restore->is_durable && part->blocks[count].name == 0) {
            part->beginning.base = part->saved[count].snapshot.data;
            part->beginning.base_size = part->saved[count].snapshot.size;
            continue;
        }
        count++;
    }
    part->beginning.block_count = count;
    part->beginning.steps = count > 0 ? part->saved[count - 1].steps : 0;
    if (has_fault)
        part_fault_text(&fault, &part->beginning.fault, part->texts, CHX_PART_TEXT);
}

static const chx_part_beginning *op_beginning(void *context)
{
    NodePart *part = context;
    node_lock(part->node);
    beginning_read(part, life_restore(&part->life));
    node_unlock(part->node);
    return &part->beginning;
}

static chx_part_block op_block(void *context, size_t depth)
{
    const NodePart *part = context;
    const WireBlock *block = &part->blocks[depth];
    return (chx_part_block){block->name, block->attempt, part->saved[depth].snapshot.data,
                            part->saved[depth].snapshot.size};
}

static int op_begun(void *context)
{
    NodePart *part = context;
    node_lock(part->node);
    bool has_memory = part->texts != NULL && part->blocks != NULL && part->saved != NULL;
    LifeVerdict verdict = has_memory ? life_begun(&part->life) : LIFE_NO_MEMORY;
    beginning_free(part);
    node_unlock(part->node);
    return verdict == LIFE_ASKED ? 0 : verdict_error(verdict);
}

static bool op_back(void *context, chx_part_back *back, char text[CHX_PART_TEXT])
{
    NodePart *part = context;
    node_lock(part->node);
    bool is_asked = life_asks(&part->life) == LIFE_ASKS_BACK;
    if (is_asked) {
        const LifeBack *from = life_back(&part->life);
        *back = (chx_part_back){.number = from->number,
                                .depth = from->depth - 1,
                                .ordinal = from->ordinal,
                                .attempt = from->attempt,
                                .epoch = from->epoch};
        part_fault_text(from->fault, &back->fault, text, CHX_PART_TEXT);
    }
    node_unlock(part->node);
    return is_asked;
}

static int op_went_back(void *context, uint64_t number)
{
    NodePart *part = context;
    node_lock(part->node);
    LifeVerdict verdict = life_went_back(&part->life, number);
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict == LIFE_ASKED ? 0 : verdict_error(verdict);
}

static int op_enter(void *context, const chx_checkpoint *checkpoint, uint32_t ordinal, uint64_t steps,
                    const void *snapshot, size_t size, uint32_t *attempt, chx_fault *fault, char text[CHX_PART_TEXT])
{
    NodePart *part = context;
    LifeEntered entered = {0};
    LifeSnapshot saved = {steps, {snapshot, size}};
    node_lock(part->node);
    LifeVerdict verdict = life_enter(&part->life, checkpoint->name, ordinal, &saved, &entered);
    *attempt = entered.attempt;
    if (verdict == LIFE_GOOD && entered.attempt > 0)
        part_fault_text(entered.fault, fault, text, CHX_PART_TEXT);
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict_error(verdict);
}

static int op_arrive(void *context, uint32_t next_ordinal, uint64_t steps, const void *snapshot, size_t size)
{
    NodePart *part = context;
    LifeSnapshot next = {steps, {snapshot, size}};
    (void)next_ordinal;
    node_lock(part->node);
    LifeVerdict verdict = life_arrive(&part->life, snapshot != NULL ? &next : NULL);
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict_error(verdict);
}

static bool op_is_through(void *context)
{
    NodePart *part = context;
    node_lock(part->node);
    // An order to go back may have come since: the block is left, or the next round has begun, all the same.
    bool is_through = part->life.state == LIFE_RUNS;
    node_unlock(part->node);
    return is_through;
}

static bool op_is_let_in(void *context)
{
    NodePart *part = context;
    node_lock(part->node);
    bool is_let_in = life_is_let_in(&part->life);
    node_unlock(part->node);
    return is_let_in;
}

static int op_arrive_outside(void *context, uint64_t steps, const void *snapshot, size_t size)
{
    NodePart *part = context;
    LifeSnapshot base = {steps, {snapshot, size}};
    node_lock(part->node);
    LifeVerdict verdict = life_arrive_outside(&part->life, &base);
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict_error(verdict);
}

static bool op_has_ended(void *context)
{
    NodePart *part = context;
    node_lock(part->node);
    bool has_ended = part->life.state == LIFE_OVER;
    node_unlock(part->node);
    return has_ended;
}

static const chx_buffer *op_given(void *context)
{
    const NodePart *part = context;
    return &part->given; // does not change any more
}

// Without a certificate nobody but the home knows who this is. Other nodes would wait for somebody else, and this one for them.
static void check_reach(NodePart *part, unsigned peer)
{
    uint32_t place = life_node(&part->life, peer);
    const chx_choreography *choreography = part->known->choreography;
    char who[CONFIG_NAME_MAX + 1], why[256];
    if (part->is_over || place == PEER_NONE || place == PEER_SELF || place == part->home->number)
        return;
    node_peer_name(part->node, place, who, sizeof who);
    snprintf(
        why, sizeof why,
        "its node has no certificate, so it can only talk to roles on the node that decides about the session, and "
        "%s is on %s",
        choreography->roles[peer], who);
    chx_fault fault = {.role = choreography->roles[part->role], .kind = CHX_FAULT_SYSTEM, .why = why};
    life_cancel(&part->life, wire_text(why));
    part_over(part, CHX_FAILED, &fault);
}

static chx_part_room op_room(void *context, unsigned peer)
{
    NodePart *part = context;
    node_lock(part->node);
    if (part->node->config.name == NULL)
        check_reach(part, peer);
    LifeRoom room = life_room(&part->life, peer);
    node_unlock(part->node);
    return (chx_part_room){room.window.messages, room.window.bytes, room.value_max};
}

static int op_send(void *context, unsigned peer, size_t consumed, const unsigned char *messages, size_t size)
{
    NodePart *part = context;
    node_lock(part->node);
    life_consume_quietly(&part->life, peer, (uint32_t)consumed);
    LifeVerdict verdict = life_queue_all(&part->life, peer, messages, size);
    life_release_to(&part->life, peer);
    life_owe_taken(&part->life, peer);
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict_error(verdict);
}

static int op_send_one(void *context, unsigned peer, size_t consumed, uint32_t site, const void *value, size_t size)
{
    NodePart *part = context;
    node_lock(part->node);
    life_consume_quietly(&part->life, peer, (uint32_t)consumed);
    LifeVerdict verdict = life_send(&part->life, peer, site, (WireSpan){value, size});
    life_owe_taken(&part->life, peer);
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict_error(verdict);
}

// So many bytes are copied at a time; a message that is larger comes alone.
enum { TAKE_BYTES = 16 << 10 };

static bool make_room(chx_buffer *buffer, size_t size)
{
    if (size <= buffer->capacity && buffer->data != NULL)
        return true;
    size_t capacity = size > 2 * buffer->capacity ? size : 2 * buffer->capacity;
    unsigned char *data = realloc(buffer->data, capacity);
    buffer->failed = data == NULL;
    if (data == NULL)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

static uint32_t take_run(void *context, const QueueRun *run)
{
    chx_buffer *buffer = context;
    QueueRun taken = *run;
    queue_run_cut(&taken, run->count, buffer->size < TAKE_BYTES ? TAKE_BYTES - buffer->size : 0);
    if (taken.count == 0 && buffer->size == 0) {
        taken = *run;
        queue_run_cut(&taken, 1, run->messages.size);
    }
    if (taken.count == 0 || !make_room(buffer, buffer->size + taken.messages.size))
        return 0;
    memcpy(buffer->data + buffer->size, taken.messages.data, taken.messages.size);
    buffer->size += taken.messages.size;
    return taken.count;
}

static size_t op_take(void *context, unsigned peer, size_t consumed, chx_buffer *messages)
{
    NodePart *part = context;
    node_lock(part->node);
    if (consumed > 0) {
        life_consume(&part->life, peer, (uint32_t)consumed);
        part->node->must_flush = true;
    }
    if (messages != NULL && part->node->config.name == NULL)
        check_reach(part, peer);
    size_t count = messages != NULL ? life_lend(&part->life, peer, take_run, messages) : 0;
    node_unlock(part->node);
    return count;
}

static const char *op_peer(void *context, unsigned role)
{
    NodePart *part = context;
    node_lock(part->node);
    uint32_t node = role != part->role ? life_node(&part->life, role) : PEER_SELF;
    PeerAbout about = {0};
    if (node == PEER_UNMET)
        about.name = part->names[role][0] != '~' && part->names[role][0] != '\0' ? part->names[role] : NULL;
    else if (node > PEER_SELF)
        peers_about(part->node->peers, node, &about);
    const char *name = node == PEER_SELF ? part->node->config.name : about.name;
    bool is_known = name != NULL;
    snprintf(part->peer_name, sizeof part->peer_name, "%s", is_known ? name : "");
    node_unlock(part->node);
    return is_known ? part->peer_name : NULL;
}

static void op_fail(void *context, const chx_fault *fault)
{
    NodePart *part = context;
    WireFault wire = fault_wire(fault);
    node_lock(part->node);
    // Without memory to say so the life is not heard of again, and is given up in time.
    if (life_fail(&part->life, &wire) == LIFE_NO_MEMORY) {
        chx_fault lacks = {.role = fault->role, .kind = CHX_FAULT_SYSTEM, .why = "out of memory"};
        part_over(part, CHX_FAILED, &lacks);
    }
    part->node->must_flush = true;
    node_unlock(part->node);
}

static int op_end(void *context, const void *result, size_t size)
{
    NodePart *part = context;
    node_lock(part->node);
    life_say_taken(&part->life);
    LifeVerdict verdict = life_end(&part->life, (WireSpan){result, size});
    part->node->must_flush = true;
    node_unlock(part->node);
    return verdict_error(verdict);
}

static void op_stopped(void *context, chx_status status, const char *why)
{
    NodePart *part = context;
    (void)status;
    node_lock(part->node);
    if (!part->is_over && part->life.session != 0)
        life_cancel(&part->life, wire_text(why));
    part_over(part, CHX_OK, NULL);
    placed_cancel(part->group, why);
    part->node->must_flush = true;
    node_unlock(part->node);
}

static void part_unlist(NodePart *part)
{
    NodePart **link = &part->node->wakes;
    if (!part->is_listed)
        return;
    while (*link != part)
        link = &(*link)->next_wake;
    *link = part->next_wake;
    part->is_listed = false;
}

// What comes for it after its end may have put it on a list, or set a timer.
void part_free(NodePart *part)
{
    part_unlist(part);
    node_timer_clear(part->node, &part->soon);
    node_timer_clear(part->node, &part->deadline);
    map_remove(&part->node->parts, &part->by_session);
    map_remove(&part->node->requests, &part->by_request);
    life_fini(&part->life);
    beginning_free(part);
    // The node may be gone before its sessions are, and `known` with it.
    for (size_t i = 0; part->names != NULL && i < part->name_count; i++)
        free(part->names[i]);
    free(part->names);
    free(part->wakes_peer);
    free(part->unreached);
    free(part->name);
    free(part->arguments);
    free(part->given.data);
    free(part);
}

void group_enter(NodeSession *group)
{
    NodeSession **first = &group->node->groups;
    group->next = *first;
    group->link = first;
    if (group->next != NULL)
        group->next->link = &group->next;
    *first = group;
}

void group_leave(NodeSession *group)
{
    *group->link = group->next;
    if (group->next != NULL)
        group->next->link = group->link;
}

void group_release(NodeSession *group)
{
    if (group->home != NULL)
        group->home->group = NULL;
    group->home = NULL;
    for (size_t i = 0; i < group->result_count; i++)
        free(group->results[i].data);
    free(group->results);
    free(group->limits);
    group->limits = NULL;
    group->results = NULL;
    group->result_count = 0;
    free(group->why);
    group->why = NULL;
}

static void op_left(void *context)
{
    NodePart *part = context;
    chx_node *node = part->node;
    NodeSession *group = part->group;
    node_lock(node);
    part_unlist(part);
    if (part->service != NULL) {
        part->service->sessions--;
        service_changed(node, part->service);
    }
    if (++group->left == group->count) {
        group_leave(group);
        node->session_count--;
        node_tell_change(node);
    }
    node_unlock(node);
}

// Nobody has a handle of it any more. The lock is held, and given back.
static void group_freed(NodeSession *group)
{
    chx_node *node = group->node;
    for (size_t i = 0; i < group->count; i++)
        part_free(group->parts[i]);
    group_release(group);
    free(group);
    bool is_last = --node->handles == 0 && node->is_closed;
    pthread_mutex_unlock(&node->lock);
    if (is_last)
        node_free_memory(node);
}

static void op_freed(void *context)
{
    NodePart *part = context;
    chx_node *node = part->node;
    NodeSession *group = part->group;
    pthread_mutex_lock(&node->lock);
    map_remove(&node->parts, &part->by_session);
    if (++group->freed == group->count)
        group_freed(group);
    else
        pthread_mutex_unlock(&node->lock);
}

// ---- a session without roles here ----

static void group_stopped(void *context, chx_status status, const char *why)
{
    NodeSession *group = context;
    (void)status;
    node_lock(group->node);
    placed_cancel(group, why);
    session_list_ended(group);
    group->node->must_flush = true;
    node_unlock(group->node);
}

static void group_left(void *context)
{
    NodeSession *group = context;
    chx_node *node = group->node;
    node_lock(node);
    group_leave(group);
    node->session_count--;
    node_tell_change(node);
    node_unlock(node);
}

static void group_handle_gone(void *context)
{
    NodeSession *group = context;
    pthread_mutex_lock(&group->node->lock);
    group_freed(group);
}

const chx_part_ops group_ops = {.stopped = group_stopped, .left = group_left, .freed = group_handle_gone};

chx_status chx_session_await_all(chx_session *session)
{
    NodePart *part = chx_part_context(session);
    if (part == NULL)
        return chx_refuse(CHX_INVALID, NULL, NULL, "the session has no roles on other hosts, or is none (NULL)");
    chx_node *node = part->node;
    NodeSession *group = part->group;
    chx_machine_enter(node->runtime);
    pthread_mutex_lock(&node->lock);
    while (!part->life.has_outcome && !group->is_to_stop)
        node_await_change(node, UINT64_MAX);
    chx_status status = group->is_to_stop ? group->status : life_stop(&part->life)->status;
    pthread_mutex_unlock(&node->lock);
    chx_machine_leave(node->runtime);
    return status;
}

const chx_part_ops part_ops = {
    .asks = op_asks,
    .beginning = op_beginning,
    .block = op_block,
    .begun = op_begun,
    .back = op_back,
    .went_back = op_went_back,
    .enter = op_enter,
    .arrive = op_arrive,
    .is_through = op_is_through,
    .is_let_in = op_is_let_in,
    .arrive_outside = op_arrive_outside,
    .room = op_room,
    .send = op_send,
    .send_one = op_send_one,
    .take = op_take,
    .peer = op_peer,
    .fail = op_fail,
    .end = op_end,
    .has_ended = op_has_ended,
    .given = op_given,
    .stopped = op_stopped,
    .left = op_left,
    .freed = op_freed,
};
