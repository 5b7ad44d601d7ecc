// joins.c: how roles come to be played here: the program asks the home of a session (JOIN), or the home asks for a role that this
// node serves (RESTORE after OFFER).

#include "net/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS UINT64_C(1000000)
enum {
    WHY_SIZE = 512,
    ADRIFT_AGAIN_MS = 1000, // a role whose home was lost asks again after so long, if it can't be had yet
};

static NodePart *part_new(chx_node *node, NodeSession *group, Known *known, size_t definition, unsigned role,
                          NodePeer *home)
{
    const chx_choreography *choreography = known->choreography;
    NodePart *part = calloc(1, sizeof *part);
    if (part == NULL)
        return NULL;
    *part = (NodePart){.node = node, .group = group, .known = known, .definition = definition, .role = role};
    LifeOptions options = {.role = (uint16_t)role,
                           .role_count = (uint16_t)choreography->role_count,
                           .home = home->number,
                           .message_max = (uint32_t)node->config.limits.message_max,
                           .blocks = choreography->blocks,
                           .block_count = choreography->block_count,
                           .memory = &node->memory,
                           .effects = &part_effects,
                           .context = part};
    part->wakes_peer = calloc(choreography->role_count + 1, sizeof *part->wakes_peer);
    part->unreached = calloc(choreography->role_count + 1, sizeof *part->unreached);
    if (part->wakes_peer == NULL || part->unreached == NULL || !life_init(&part->life, &options)) {
        free(part->wakes_peer);
        free(part->unreached);
        free(part);
        return NULL;
    }
    part_set_home(part, home);
    return part;
}

void group_free(NodeSession *group)
{
    group_leave(group);
    group_release(group);
    for (size_t i = 0; i < group->count; i++) {
        if (group->parts[i] == NULL)
            continue;
        part_over(group->parts[i], CHX_OK, NULL);
        part_free(group->parts[i]);
    }
    free(group);
}

NodeSession *group_new(chx_node *node, Known *known, size_t definition, const unsigned *roles, size_t count,
                       NodePeer *home)
{
    NodeSession *group = calloc(1, sizeof *group + count * sizeof *group->parts);
    if (group == NULL)
        return NULL;
    group->node = node;
    group_enter(group);
    group->count = group->open = count;
    group->is_released = true; // until it is started nobody puts it on a list
    for (size_t i = 0; i < count; i++) {
        group->parts[i] = part_new(node, group, known, definition, roles[i], home);
        if (group->parts[i] == NULL) {
            group_free(group);
            return NULL;
        }
    }
    return group;
}

bool group_take_limits(NodeSession *group, const chx_choreography *choreography, const chx_actor *cast)
{
    if (cast == NULL)
        return true;
    group->limits = calloc(choreography->role_count, sizeof *group->limits);
    for (size_t i = 0; group->limits != NULL && i < choreography->role_count; i++)
        group->limits[i] = (HomeRestarts){cast[i].restarts_max, cast[i].restarts_period_ms * NS_PER_MS};
    return group->limits != NULL;
}

// ---- asking the home ----

static void join_timer(void *owner);

static bool part_join(NodePart *part)
{
    chx_node *node = part->node;
    const chx_choreography *choreography = part->known->choreography;
    const char *address = peers_address(node->peers);
    uint64_t request = ++node->last_request;
    WireJoin join = {.request = request,
                     .choreography = wire_text(choreography->name),
                     .definition = wire_text(choreography->definitions[part->definition].name),
                     .protocol = choreography->protocol_digest,
                     .role = wire_text(choreography->roles[part->role]),
                     .home = wire_text(choreography->roles[known_home_role(node, part->known)]),
                     .name = wire_text(part->name),
                     .session = part->life.session,
                     .seat_key = part->seat_key,
                     .token = part->is_adrift ? part->token : (WireId){{0}},
                     .space = wire_text(part->is_adrift ? part->space : ""),
                     .address = wire_text(address != NULL ? address : ""),
                     .build = wire_text(choreography->built)};
    map_remove(&node->requests, &part->by_request);
    map_add(&node->requests, &part->by_request, request);
    uint64_t patience_ns = node->config.limits.absent_ms * NS_PER_MS;
    // The home answers when all roles have come, or says who has not.
    if (part->group->awaits_all)
        patience_ns += patience_ns / 4;
    node_timer_set(node, &part->deadline, node->now_ns + patience_ns, join_timer, part);
    return node_send(node, part->home->number, 0, WIRE_JOIN, &join);
}

void joins_again(NodePart *part)
{
    map_remove(&part->node->parts, &part->by_session);
    life_rejoin(&part->life);
    if (!part_join(part)) {
        chx_fault fault = {.kind = CHX_FAULT_SYSTEM, .why = "out of memory"};
        part_over(part, CHX_FAILED, &fault);
    }
}

typedef struct {
    const chx_choreography *choreography;
    size_t definition;
    const unsigned *roles;
    size_t count;
    const char *name;
    const chx_actor *cast;
} Asking;

// Everything but running it. On failure `why` says what is wrong.
static NodeSession *join_prepare(chx_node *node, const Asking *asking, char *why, size_t why_size)
{
    NodeSession *group = NULL;
    Known *known = known_add(node, asking->choreography);
    snprintf(why, why_size, "out of memory");
    uint32_t home = known != NULL ? known_home(node, known, why, why_size) : PEER_NONE;
    NodePeer *peer = home != PEER_NONE ? node_peer(node, home) : NULL;
    if (peer == NULL)
        return NULL;
    for (size_t i = 0; i < asking->count; i++)
        if (home == PEER_SELF && !known_allows(node, known, asking->roles[i], PEER_SELF, why, why_size))
            return NULL;
    if (node->is_stopping) {
        snprintf(why, why_size, "the node is being stopped");
        return NULL;
    }
    group = group_new(node, known, asking->definition, asking->roles, asking->count, peer);
    if (group != NULL && !group_take_limits(group, asking->choreography, asking->cast)) {
        group_free(group);
        group = NULL;
    }
    for (size_t i = 0; group != NULL && i < asking->count; i++) {
        group->parts[i]->name = strdup(asking->name != NULL ? asking->name : "");
        if (group->parts[i]->name == NULL) {
            group_free(group);
            group = NULL;
        }
    }
    if (group != NULL) {
        node->session_count++;
        // A program that plays only some of its roles (fixed.c) means the session as a whole.
        group->awaits_all = asking->name != NULL && asking->name[0] == '#';
    }
    return group;
}

// The runtime runs it: now the home is asked.
static void join_begin(chx_node *node, NodeSession *group, chx_session *session)
{
    group->session = session;
    group->is_released = false;
    node->handles++;
    for (size_t i = 0; i < group->count; i++) {
        NodePart *part = group->parts[i];
        if (!part_join(part)) {
            chx_fault fault = {.kind = CHX_FAULT_SYSTEM, .why = "out of memory"};
            part_over(part, CHX_NO_MEMORY, &fault);
        }
    }
    node->must_flush = true;
}

chx_session *joins_start(chx_node *node, const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                         const unsigned *roles, size_t count, const char *name, const void *arguments,
                         chx_status *status)
{
    char why[WHY_SIZE];
    Asking asking = {choreography, definition, roles, count, name, cast};
    node_lock(node);
    NodeSession *group = join_prepare(node, &asking, why, sizeof why);
    node_unlock(node);
    if (group == NULL) {
        *status = chx_refuse(CHX_INVALID, NULL, choreography->file, "%s", why);
        return NULL;
    }
    chx_session *session = chx_part_start(node->runtime, choreography, definition, cast, roles, count, arguments,
                                          &part_ops, (void *const *)group->parts);
    node_lock(node);
    if (session != NULL) {
        join_begin(node, group, session);
    } else {
        *status = CHX_NO_MEMORY;
        group_free(group);
        node->session_count--;
    }
    node_unlock(node);
    return session;
}

bool joins_refused(chx_node *node, uint32_t from, const WireRefused *refused)
{
    MapItem *item = map_first(&node->requests, refused->request);
    char text[WHY_SIZE], who[CONFIG_NAME_MAX + 1];
    node_peer_name(node, from, who, sizeof who);
    if (item == NULL) {
        snprintf(text, sizeof text, "refused by %s: %.*s", who, (int)refused->text.size,
                 (const char *)refused->text.data);
        if (placed_refused(node, from, refused->request, NULL, text))
            return true;
        node_log(node, CHX_LOG_WARN, "an offer was refused by %s: %.*s", who, (int)refused->text.size,
                 (const char *)refused->text.data);
        return true;
    }
    NodePart *part = MAP_OWNER(item, NodePart, by_request);
    if (part->home->number != from)
        return true;
    bool is_passing = refused->code == WIRE_REFUSED_LIMIT || refused->code == WIRE_REFUSED_TAKEN ||
                      refused->code == WIRE_REFUSED_ENDING;
    if (part->is_adrift && is_passing) {
        node_timer_set(node, &part->deadline, node->now_ns + ADRIFT_AGAIN_MS * NS_PER_MS, join_timer, part);
        return true;
    }
    snprintf(text, sizeof text, "refused by %s: %.*s", who, (int)refused->text.size, (const char *)refused->text.data);
    chx_fault fault = {.role = part->known->choreography->roles[part->role], .kind = CHX_FAULT_SYSTEM, .why = text};
    part_over(part, CHX_REFUSED, &fault);
    return true;
}

bool joins_outcome(chx_node *node, uint32_t from, const WireOutcome *outcome)
{
    MapItem *item = map_first(&node->requests, outcome->request);
    NodePart *part = item != NULL ? MAP_OWNER(item, NodePart, by_request) : NULL;
    if (part == NULL || part->home->number != from)
        return true;
    WireList list = outcome->fault;
    WireFault why;
    char text[CHX_PART_TEXT];
    chx_fault fault;
    bool has_fault = wire_next(&list, WIRE_ITEM_FAULT, &why);
    part->given.size = 0;
    if (!node_append(&part->given, outcome->result))
        return false;
    part->group->restarts = outcome->restarts;
    part->is_given = true;
    part->is_adrift = false;
    part->wakes_order = true;
    part_wake(part);
    part_fault_text(has_fault ? &why : NULL, &fault, text, sizeof text);
    part_over(part, (chx_status)outcome->status, &fault);
    return true;
}

// ---- being asked ----

static bool restore_refuse(chx_node *node, uint32_t from, const WireRestore *restore, WireRefusal code, const char *why)
{
    WireRefused refused = {.session = restore->session,
                           .role = restore->role,
                           .life = restore->life,
                           .code = code,
                           .text = wire_text(why)};
    return node_send(node, from, restore->session, WIRE_REFUSED, &refused);
}

static const char lacks_messages[] =
    "more messages came for the role before it could begin here than there was room for: set a larger window";

// It would wait for ever for what was dropped.
static void part_lacks_messages(NodePart *part)
{
    chx_fault fault = {
        .role = part->known->choreography->roles[part->role], .kind = CHX_FAULT_SYSTEM, .why = lacks_messages};
    life_cancel(&part->life, wire_text(fault.why));
    part_over(part, CHX_FAILED, &fault);
}

// What the session is found by if its home is lost.
static void part_note_session(NodePart *part, const WireRestore *restore)
{
    if (memcmp(&part->token, &restore->token, sizeof part->token) != 0 || part->is_adrift) {
        part->complains = 0; // this home was told nothing yet
        memset(part->unreached, 0, part->known->choreography->role_count * sizeof *part->unreached);
    }
    part->is_adrift = false;
    part->token = restore->token;
    snprintf(part->space, sizeof part->space, "%.*s", (int)restore->space.size, (const char *)restore->space.data);
    char *name = restore->is_durable && part->name[0] == '\0' ? node_copy(restore->name) : NULL;
    if (name != NULL) {
        free(part->name);
        part->name = name;
    }
}

// RESTORE is the first thing that the part hears of its session, or of another life in it.
static bool part_restore(NodePart *part, const WireFrame *frame)
{
    chx_node *node = part->node;
    uint64_t session = frame->restore.session;
    LifeVerdict verdict = life_order(&part->life, frame);
    if (verdict == LIFE_NO_MEMORY)
        return false;
    if (verdict == LIFE_VIOLATION) {
        if (part->home->number != PEER_SELF)
            peers_complain(node->peers, part->home->number, "a RESTORE that does not fit the role");
        return true;
    }
    map_remove(&node->requests, &part->by_request);
    node_timer_clear(node, &part->deadline);
    if (!part->by_session.is_in || part->by_session.key != session) {
        map_remove(&node->parts, &part->by_session);
        map_add(&node->parts, &part->by_session, session);
    }
    part->seat_key = frame->restore.seat_key;
    part_note_session(part, &frame->restore);
    node_deliver_early(node, session);
    if (early_was_lost(node, session, part->role, frame->restore.life))
        part_lacks_messages(part);
    part_heed(part);
    return true;
}

static bool takes_arguments(const chx_node *node, const Service *service)
{
    const ConfigChoreography *section = config_choreography(&node->config, service->known->choreography->name);
    return service->given != NULL && section != NULL && section->takes_opener_arguments;
}

static bool part_take_arguments(NodePart *part, WireSpan arguments)
{
    part->arguments_size = arguments.size;
    if (arguments.size == 0)
        return true;
    part->arguments = malloc(arguments.size);
    if (part->arguments != NULL)
        memcpy(part->arguments, arguments.data, arguments.size);
    return part->arguments != NULL;
}

static bool restore_serve(chx_node *node, uint32_t from, const WireFrame *frame)
{
    const WireRestore *restore = &frame->restore;
    Known *known = known_find(node, restore->choreography);
    int definition = known != NULL ? known_definition(known, restore->definition) : -1;
    Service *service = definition >= 0 ? services_find(node, known, (size_t)definition, restore->role) : NULL;
    if (service == NULL || !service_knows(service, from))
        return restore_refuse(node, from, restore, WIRE_REFUSED_UNKNOWN, "the node does not serve the role");
    if (service_is_full(node, service))
        return restore_refuse(node, from, restore, WIRE_REFUSED_LIMIT, "the node has as many sessions as it may have");
    if (early_was_lost(node, restore->session, restore->role, restore->life)) {
        // Its next life is sent everything again.
        bool is_said = restore_refuse(node, from, restore, WIRE_REFUSED_LIMIT, lacks_messages);
        service_changed(node, service);
        return is_said;
    }
    if (restore->arguments.size > 0 && !takes_arguments(node, service))
        return restore_refuse(node, from, restore, WIRE_REFUSED_RIGHT,
                              "the node has arguments of its own for the role");
    unsigned role = restore->role;
    NodePeer *home = node_peer(node, from);
    NodeSession *group = home != NULL ? group_new(node, known, (size_t)definition, &role, 1, home) : NULL;
    NodePart *part = group != NULL ? group->parts[0] : NULL;
    if (part == NULL)
        return false;
    part->name = node_copy(restore->name);
    if (part->name == NULL || !part_take_arguments(part, restore->arguments) || !part_restore(part, frame)) {
        group_free(group);
        return false;
    }
    snprintf(part->opener, sizeof part->opener, "%.*s", (int)restore->opener.size, (const char *)restore->opener.data);
    part->service = service;
    service->sessions++;
    node->session_count++;
    node_start_later(node, group);
    return true;
}

bool joins_restore(chx_node *node, uint32_t from, const WireFrame *frame)
{
    const WireRestore *restore = &frame->restore;
    if (restore->request != 0) {
        MapItem *item = map_first(&node->requests, restore->request);
        NodePart *part = item != NULL ? MAP_OWNER(item, NodePart, by_request) : NULL;
        if (part != NULL && part->home->number == from && part->role == restore->role)
            return part_restore(part, frame);
        return restore_refuse(node, from, restore, WIRE_REFUSED_UNKNOWN, "it is not wanted any more");
    }
    NodePart *part = parts_find(node, restore->session, restore->role);
    if (part != NULL && part->home->number == from)
        return part_restore(part, frame);
    return restore_serve(node, from, frame);
}

// ---- services ----

typedef struct {
    chx_visit visit;
    char session[WIRE_NAME_MAX + 1], peer[CONFIG_NAME_MAX + 1];
} Visiting;

// Its arguments are the service's, or those that the opener has given, as the program changes them for this visitor.
static chx_session *served_start(chx_node *node, NodeSession *group, const chx_visit *visit, bool *is_accepted)
{
    NodePart *part = group->parts[0];
    const Service *service = part->service;
    const chx_role_arguments *given = service->given;
    size_t own_size = given != NULL ? given->type->size : 0, all_size = given != NULL ? given->all_size : 0;
    void *own = calloc(1, own_size + 1), *all = calloc(1, all_size + 1), *taken = calloc(1, own_size + 1);
    chx_session *session = NULL;
    *is_accepted = true;
    bool is_given = part->arguments != NULL;
    bool is_good = own != NULL && all != NULL && taken != NULL;
    if (is_good && is_given && !chx_decode(given->type, taken, part->arguments, part->arguments_size)) {
        chx_refuse(CHX_INVALID, NULL, NULL, "the arguments of the opener are none of the role's");
        is_good = is_given = false;
    }
    if (is_good) {
        memcpy(own, is_given ? taken : service->own, own_size);
        if (service->how.accept != NULL)
            *is_accepted = service->how.accept(service->how.context, visit, own);
        if (given != NULL)
            given->spread(all, own);
        if (*is_accepted)
            session = chx_part_start(node->runtime, part->known->choreography, part->definition, NULL, &part->role, 1,
                                     given != NULL ? all : NULL, &part_ops, (void *const *)group->parts);
    }
    if (is_good && is_given)
        chx_value_drop(given->type, taken);
    free(own);
    free(all);
    free(taken);
    return session;
}

void joins_start_served(chx_node *node, NodeSession *group)
{
    NodePart *part = group->parts[0];
    Service *service = part->service;
    Visiting visiting = {0};
    node_lock(node);
    snprintf(visiting.session, sizeof visiting.session, "%s", part->name);
    snprintf(visiting.peer, sizeof visiting.peer, "%s", part->opener);
    visiting.visit.session = visiting.session[0] != '\0' ? visiting.session : NULL;
    visiting.visit.peer = visiting.peer[0] != '\0' ? visiting.peer : NULL;
    node_unlock(node);
    bool is_accepted;
    chx_session *session = served_start(node, group, &visiting.visit, &is_accepted);
    node_lock(node);
    if (session != NULL) {
        group->session = session;
        group->is_released = false;
        group->is_detached = true;
        node->handles++;
        // It may have looked for messages and orders already, and what has come since could not wake it.
        part_wake_for_all(part);
        if (part->is_over)
            session_list_ended(group);
    } else {
        WireRestore restore = {.session = part->life.session, .role = (uint16_t)part->role, .life = part->life.life};
        if (!part->is_over)
            restore_refuse(node, part->home->number, &restore, is_accepted ? WIRE_REFUSED_LIMIT : WIRE_REFUSED_CHOICE,
                           is_accepted ? chx_last_report()->why : "the service has refused the visitor");
        service->sessions--;
        service_changed(node, service);
        node->session_count--;
        group_free(group);
        node->must_flush = true;
    }
    node_unlock(node);
}

// ---- losses ----

static void part_lose(NodePart *part, const char *why)
{
    char who[CONFIG_NAME_MAX + 1], text[WHY_SIZE];
    node_peer_name(part->node, part->home->number, who, sizeof who);
    snprintf(text, sizeof text, "%s, which decides about the session, %s", who, why);
    chx_fault fault = {.role = part->known->choreography->roles[part->role], .kind = CHX_FAULT_LOST, .why = text};
    part_over(part, CHX_FAILED, &fault);
}

// The session is in a store, and goes on from there when its home is back. Until then the role does nothing: what it has done since the
// last cut is done again, or belongs to an attempt that is over.
static void part_drift(NodePart *part, const char *why)
{
    chx_node *node = part->node;
    char who[CONFIG_NAME_MAX + 1];
    if (part->is_over)
        return;
    node_peer_name(node, part->home->number, who, sizeof who);
    node_log(node, CHX_LOG_DEBUG, "%s: session %s waits for its home: %s %s", part->known->choreography->name,
             part->name, who, why);
    map_remove(&node->parts, &part->by_session);
    part->is_adrift = true;
    part->wakes_order = true;
    part_wake(part);
    if (!part_join(part))
        node_timer_set(node, &part->deadline, node->now_ns + ADRIFT_AGAIN_MS * NS_PER_MS, join_timer, part);
}

void joins_peer_lost(chx_node *node, NodePeer *peer, const char *why)
{
    char text[WHY_SIZE];
    snprintf(text, sizeof text, "was lost: %s", why);
    size_t drifting = 0;
    for (NodePart *part = peer->parts, *next; part != NULL; part = next) {
        next = part->next_at_home;
        // What was asked before the process that was lost had an answer is asked again of the next one.
        if (part->life.session == 0 || part->is_adrift)
            part_join(part);
        else if (part->life.is_durable) {
            part_drift(part, text);
            drifting++;
        } else
            part_lose(part, text);
    }
    if (drifting > 0)
        node_log(node, CHX_LOG_WARN, "%zu roles of sessions in its store wait for their home, which was lost: %s",
                 drifting, why);
}

void joins_peer_silent(NodePeer *peer)
{
    for (NodePart *part = peer->parts, *next; part != NULL; part = next) {
        next = part->next_at_home;
        // What was asked and has no answer yet has a deadline of its own, and may still arrive.
        if (part->life.session != 0 && part->life.is_durable && !part->is_adrift)
            part_drift(part, "was lost: nothing was heard from it for too long");
        else if (part->life.session != 0 && !part->is_adrift)
            part_lose(part, "was lost: nothing was heard from it for too long");
    }
}

void joins_home_gone(chx_node *node, uint64_t session)
{
    for (MapItem *item = map_first(&node->parts, session), *next; item != NULL; item = next) {
        next = map_next(item->next, session);
        part_drift(MAP_OWNER(item, NodePart, by_session), "has lost the session to another program");
    }
}

static void join_timer(void *owner)
{
    NodePart *part = owner;
    if (part->is_adrift) {
        part_join(part);
        return;
    }
    PeerAbout about = {0};
    char text[WHY_SIZE];
    if (part->home->number != PEER_SELF)
        peers_about(part->node->peers, part->home->number, &about);
    snprintf(text, sizeof text, "has not answered for %" PRIu64 " s%s%s", part->node->config.limits.absent_ms / 1000,
             about.why != NULL && about.why[0] != '\0' ? ": " : "", about.why != NULL ? about.why : "");
    part_lose(part, text);
}
