// placed.c: sessions that the program has started with a cast that places roles on other nodes.
//
// This node is their home. Roles without a place are played here, in one session of the runtime; the others on nodes that serve them: one
// that the cast names, which is asked whether it would (SEEK), or one of those that offer the role ("pool"). Nothing begins before all
// roles have a place, so whoever can't be had is known before anything was done. Results of roles elsewhere are given to the session
// when all of it has ended.

#include "net/node/node.h"

#include "net/config/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WHY_SIZE = 320 };
#define NS_PER_MS UINT64_C(1000000)

// What the program has asked for.
typedef struct {
    chx_node *node;
    const chx_choreography *choreography;
    size_t definition;
    const chx_actor *cast;
    const void *arguments;
    unsigned *roles; // that are played here
    size_t count;
    chx_status status; // if it can't be done
    const char *role;  // who is to blame; NULL: nobody
    char why[WHY_SIZE];
} Asked;

static bool asked_refuse(Asked *asked, chx_status status, size_t role)
{
    asked->status = status;
    asked->role = role < asked->choreography->role_count ? asked->choreography->roles[role] : NULL;
    return false;
}

static bool asked_lacks_memory(Asked *asked)
{
    snprintf(asked->why, sizeof asked->why, "out of memory");
    return asked_refuse(asked, CHX_NO_MEMORY, asked->choreography->role_count);
}

// ---- arguments ----

// Pointers mean nothing on another host.
static bool type_travels(const chx_type *type)
{
    if (type->kind == CHX_KIND_OPAQUE)
        return false;
    if (type->kind == CHX_KIND_STRUCT)
        for (size_t i = 0; i < type->count; i++)
            if (!type_travels(type->fields[i].type))
                return false;
    return (type->kind != CHX_KIND_ARRAY && type->kind != CHX_KIND_SHADOW) || type_travels(type->element);
}

// Of one role, one behind the other, as in a struct.
static bool encode_arguments(Asked *asked, unsigned role, Placement *placement)
{
    const chx_definition *definition = &asked->choreography->definitions[asked->definition];
    const unsigned char *all = asked->arguments;
    chx_buffer buffer = {0};
    for (size_t i = 0; i < definition->argument_count; i++) {
        const chx_argument_slot *slot = &definition->arguments[i];
        if (slot->role != role)
            continue;
        placement->has_arguments = true;
        if (!type_travels(slot->type)) {
            snprintf(asked->why, sizeof asked->why,
                     "%s is to run at %s, and has an argument that can't be sent there (%s)",
                     asked->choreography->roles[role], placement->at, slot->type->name);
            chx_buffer_free(&buffer);
            return asked_refuse(asked, CHX_INVALID, role);
        }
        const void *value = all + slot->offset;
        chx_encode(slot->type, slot->is_array ? *(const void *const *)value : value, &buffer);
    }
    placement->arguments = (WireSpan){buffer.data, buffer.size};
    return !buffer.failed || asked_lacks_memory(asked);
}

// ---- places ----

static bool refuse_unknown_node(Asked *asked, unsigned role, const char *at)
{
    const char *close = config_closest_node(&asked->node->config, at);
    snprintf(
        asked->why, sizeof asked->why,
        "%s is to run at '%.100s', which is neither an address (HOST:PORT), nor \"pool\", nor a node of [nodes] in "
        "the configuration%s%s%s",
        asked->choreography->roles[role], at, close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
        close != NULL ? "'?" : "");
    return asked_refuse(asked, CHX_INVALID, role);
}

// The number of the node that the cast names; PEER_NONE: why.
static uint32_t find_node(Asked *asked, unsigned role, const char *at)
{
    const chx_node *node = asked->node;
    const Config *config = &node->config;
    const char *name = asked->choreography->roles[role];
    Address parsed;
    bool is_address = strchr(at, ':') != NULL && config->carrier == NULL;
    bool is_name = config_is_node_name(at) && (config->carrier != NULL || config_node(config, at) != NULL ||
                                               (config->name != NULL && strcmp(config->name, at) == 0));
    const char *wrong = is_address ? address_parse(at, &parsed) : NULL;
    if (is_address && wrong == NULL && parsed.port == 0)
        wrong = "has port 0, which can't be dialled";
    if (wrong != NULL) {
        snprintf(asked->why, sizeof asked->why, "%s is to run at '%.100s', which %s", name, at, wrong);
        asked_refuse(asked, CHX_INVALID, role);
        return PEER_NONE;
    }
    if (!is_address && !is_name) {
        refuse_unknown_node(asked, role, at);
        return PEER_NONE;
    }
    WireSpan text = wire_text(at), none = {0};
    uint32_t peer = peers_find(node->peers, is_address ? none : text, is_address ? text : none);
    if (peer == PEER_NONE)
        asked_lacks_memory(asked);
    return peer;
}

static bool place_role(Asked *asked, unsigned role, Placement *placement)
{
    if (!known_has_part(&asked->choreography->definitions[asked->definition], role)) {
        placement->kind = PLACE_NOWHERE;
        return true;
    }
    const char *at = asked->cast[role].at;
    bool is_pool = at != NULL && strcmp(at, "pool") == 0;
    uint32_t peer = at == NULL ? PEER_SELF : is_pool ? PEER_NONE : find_node(asked, role, at);
    if (peer == PEER_NONE && !is_pool)
        return false;
    if (peer == PEER_SELF) {
        asked->roles[asked->count++] = role;
        return true;
    }
    *placement = (Placement){.kind = is_pool ? PLACE_POOL : PLACE_NODE, .peer = peer, .at = strdup(at)};
    if (placement->at == NULL)
        return asked_lacks_memory(asked);
    if (asked->cast[role].role == NULL && asked->cast[role].isolation == CHX_THREAD)
        return encode_arguments(asked, role, placement);
    snprintf(asked->why, sizeof asked->why,
             "%s is to run at %s: whoever serves it there chooses its implementation and its isolation",
             asked->choreography->roles[role], at);
    return asked_refuse(asked, CHX_INVALID, role);
}

static void placements_free(Placement *placements, size_t count)
{
    for (size_t i = 0; placements != NULL && i < count; i++) {
        free((void *)placements[i].arguments.data);
        free(placements[i].at);
    }
    free(placements);
}

// ---- a session ----

// From now on nodes that come, and what they say, matter to it: the runtime runs what is here.
static void placed_list(NodeHome *home)
{
    chx_node *node = home->node;
    home->next_placed = node->placed;
    home->link_placed = &node->placed;
    if (node->placed != NULL)
        node->placed->link_placed = &home->next_placed;
    node->placed = home;
}

void placed_forget(NodeHome *home)
{
    if (home->link_placed != NULL) {
        *home->link_placed = home->next_placed;
        if (home->next_placed != NULL)
            home->next_placed->link_placed = home->link_placed;
    }
    if (home->group != NULL)
        home->group->home = NULL;
    placements_free(home->placements, home->known->choreography->role_count);
    free(home->arguments);
}

// The session at its home, which has the placements afterwards. NULL: no memory.
static NodeHome *home_make(const Asked *asked, Known *known, Placement *placements)
{
    chx_node *node = asked->node;
    size_t count = asked->choreography->role_count;
    char *name = strdup(""), *opener = strdup("");
    HomeJoin *gathered = calloc(count, sizeof *gathered);
    WireSpan *arguments = calloc(count, sizeof *arguments);
    NodeHome *home = name != NULL && opener != NULL && gathered != NULL && arguments != NULL
                         ? homes_new(node, PEER_SELF, known, asked->definition, name, opener, false)
                         : NULL;
    if (home == NULL) {
        free(name);
        free(opener);
        free(gathered);
        free(arguments);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        arguments[i] = placements[i].arguments;
    home->gathered = gathered;
    home->placements = placements;
    home->arguments = arguments;
    home->home.options.arguments = arguments;
    home->gather_ns = node->now_ns + node->config.limits.absent_ms * NS_PER_MS;
    return home;
}

static Placement *place_all(Asked *asked)
{
    size_t count = asked->choreography->role_count;
    Placement *placements = calloc(count, sizeof *placements);
    bool is_good = placements != NULL || asked_lacks_memory(asked);
    for (unsigned i = 0; is_good && i < count; i++)
        is_good = place_role(asked, i, &placements[i]);
    if (is_good)
        return placements;
    placements_free(placements, count);
    return NULL;
}

// A session with durable blocks can't be kept in a store if a cast places its roles. False: why.
static bool may_run(Asked *asked)
{
    bool is_durable;
    return !keeps_wants(asked->node, asked->choreography, asked->definition) ||
           keeps_may(asked->node, asked->choreography, NULL, &is_durable, asked->why, sizeof asked->why) ||
           asked_refuse(asked, CHX_INVALID, asked->choreography->role_count);
}

// Everything but running it. NULL: `asked` says why.
static NodeSession *placed_prepare(Asked *asked)
{
    chx_node *node = asked->node;
    if (node->is_stopping || node->open_homes >= node->config.limits.sessions_max) {
        snprintf(asked->why, sizeof asked->why,
                 node->is_stopping ? "the node is being stopped" : "the node has as many sessions as it may have");
        asked_refuse(asked, node->is_stopping ? CHX_INVALID : CHX_REFUSED, asked->choreography->role_count);
        return NULL;
    }
    Placement *placements = may_run(asked) ? place_all(asked) : NULL;
    if (placements == NULL)
        return NULL;
    Known *known = known_add(node, asked->choreography);
    NodePeer *self = known != NULL ? node_peer(node, PEER_SELF) : NULL;
    NodeSession *group =
        self != NULL ? group_new(node, known, asked->definition, asked->roles, asked->count, self) : NULL;
    bool has_limits = group != NULL && group_take_limits(group, asked->choreography, asked->cast);
    NodeHome *home = has_limits ? home_make(asked, known, placements) : NULL;
    if (home != NULL) {
        home->group = group;
        home->home.options.restarts = home->restarts = group->limits;
        group->limits = NULL;
        group->home = home;
        group->awaits_all = true;
        node->session_count++;
        return group;
    }
    if (group != NULL)
        group_free(group);
    placements_free(placements, asked->choreography->role_count);
    asked_lacks_memory(asked);
    return NULL;
}

// ---- finding places ----

static void seek(const NodeHome *home, unsigned role)
{
    const chx_choreography *choreography = home->known->choreography;
    WireSeek asks = {.request = home->placements[role].request,
                     .choreography = wire_text(choreography->name),
                     .definition = wire_text(choreography->definitions[home->definition].name),
                     .protocol = choreography->protocol_digest,
                     .role = wire_text(choreography->roles[role]),
                     .build = wire_text(choreography->built)};
    // Without memory it is asked again when the link is up again, or not in time.
    node_send(home->node, home->placements[role].peer, 0, WIRE_SEEK, &asks);
}

static bool lacks_life(const NodeHome *home, unsigned role)
{
    return !home->is_over && home_state(&home->home, role) == HOME_ABSENT;
}

void placed_peer_up(chx_node *node, uint32_t peer)
{
    for (NodeHome *home = node->placed; home != NULL; home = home->next_placed)
        for (unsigned i = 0; i < home->known->choreography->role_count; i++)
            if (home->placements[i].kind == PLACE_NODE && home->placements[i].peer == peer && lacks_life(home, i))
                seek(home, i);
}

void placed_peer_is(chx_node *node, uint32_t peer, uint32_t as)
{
    for (NodeHome *home = node->placed; home != NULL; home = home->next_placed)
        for (unsigned i = 0; i < home->known->choreography->role_count; i++)
            if (home->placements[i].kind == PLACE_NODE && home->placements[i].peer == peer)
                home->placements[i].peer = as;
    if (node_peer_is_up(node, as))
        placed_peer_up(node, as);
}

bool placed_fits(const NodeHome *home, const Offer *offer)
{
    if (home->placements == NULL)
        return offer->is_configured;
    const Placement *placement = &home->placements[offer->role];
    if (placement->kind == PLACE_HERE || placement->kind == PLACE_NOWHERE ||
        (placement->has_arguments && !offer->takes_arguments))
        return false;
    return placement->kind == PLACE_POOL || placement->peer == offer->peer->number;
}

// Somebody would play the role, but not with these arguments.
static const Offer *offer_without_arguments(const NodeHome *home, unsigned role)
{
    const Placement *placement = &home->placements[role];
    for (const Offer *offer = home->node->offers; offer != NULL && placement->has_arguments; offer = offer->next)
        if (offer->known == home->known && offer->definition == home->definition && offer->role == role &&
            !offer->takes_arguments && (placement->kind == PLACE_POOL || placement->peer == offer->peer->number))
            return offer;
    return NULL;
}

static void refuse_arguments(NodeHome *home, unsigned role, const Offer *offer)
{
    const chx_choreography *choreography = home->known->choreography;
    char why[WHY_SIZE], who[CONFIG_NAME_MAX + 1];
    node_peer_name(home->node, offer->peer->number, who, sizeof who);
    snprintf(why, sizeof why,
             "%s has arguments, and %s has its own: add 'arguments = opener' to section [%s] of its configuration, or "
             "leave the arguments of %s to it",
             choreography->roles[role], who, choreography->name, choreography->roles[role]);
    home_fail(&home->home, CHX_INVALID, role, CHX_FAULT_SYSTEM, wire_text(why), home->node->now_ns);
    home_changed(home);
}

static bool has_place(const NodeHome *home, unsigned role)
{
    PlaceKind kind = home->placements[role].kind;
    return kind == PLACE_HERE || kind == PLACE_NOWHERE || offers_best(home, role) != NULL;
}

// True: all roles have a place. One that can't be had ends the session.
static bool has_all_places(NodeHome *home)
{
    bool has_all = true;
    for (unsigned i = 0; i < home->known->choreography->role_count; i++) {
        if (has_place(home, i))
            continue;
        has_all = false;
        const Offer *other = offer_without_arguments(home, i);
        if (other != NULL) {
            refuse_arguments(home, i, other);
            return false;
        }
    }
    return has_all;
}

void placed_offered(NodeHome *home)
{
    chx_node *node = home->node;
    size_t here = 0;
    bool is_started = home->link_placed != NULL;
    if (!is_started || home->is_over || home->gathered == NULL || !has_all_places(home))
        return;
    HomeJoin *gathered = home->gathered;
    home->gathered = NULL;
    home->gathered_count = 0;
    for (unsigned i = 0; i < home->known->choreography->role_count && !home->is_over; i++) {
        if (home->placements[i].kind == PLACE_HERE)
            home_join(&home->home, &gathered[here++], node->now_ns);
        else if (home->placements[i].kind != PLACE_NOWHERE)
            home_place_found(&home->home, i, offers_place(home, i), node->now_ns);
    }
    free(gathered);
    home_changed(home);
}

// ---- failing to find one ----

static void explain_absence(const NodeHome *home, unsigned role, char *why, size_t size)
{
    const Placement *placement = &home->placements[role];
    const char *name = home->known->choreography->roles[role];
    unsigned long long limit_ms = home->node->config.limits.absent_ms;
    PeerAbout about = {0};
    if (placement->kind == PLACE_POOL) {
        snprintf(why, size,
                 "%s is to be played by a node of the pool, but none that is free has offered it to %s within %llu ms",
                 name, home->node->config.name != NULL ? home->node->config.name : "this node", limit_ms);
        return;
    }
    peers_about(home->node->peers, placement->peer, &about);
    if (node_peer_is_up(home->node, placement->peer))
        snprintf(why, size,
                 "the node at %.100s has not offered to play %s within %llu ms: its program does not serve the role, "
                 "or is busy",
                 placement->at, name, limit_ms);
    else
        snprintf(why, size, "%s is to run at %.100s, which was not reached within %llu ms%s%s", name, placement->at,
                 limit_ms, about.why != NULL && about.why[0] != '\0' ? ": " : "", about.why != NULL ? about.why : "");
}

void placed_expire(NodeHome *home)
{
    char why[WHY_SIZE];
    unsigned role = 0;
    while (role < home->known->choreography->role_count && has_place(home, role))
        role++;
    if (role == home->known->choreography->role_count)
        return;
    explain_absence(home, role, why, sizeof why);
    home_fail(&home->home, CHX_FAILED, role, CHX_FAULT_LOST, wire_text(why), home->node->now_ns);
}

bool placed_refused(chx_node *node, uint32_t from, uint64_t request, const Offer *of, const char *why)
{
    bool is_any = false;
    for (NodeHome *home = node->placed, *next; home != NULL; home = next) {
        next = home->next_placed;
        for (unsigned i = 0; i < home->known->choreography->role_count; i++) {
            const Placement *placement = &home->placements[i];
            bool is_meant =
                placement->kind == PLACE_NODE && placement->peer == from &&
                (of == NULL ? placement->request == request
                            : of->known == home->known && of->definition == home->definition && of->role == i);
            if (!is_meant)
                continue;
            is_any = true;
            if (!lacks_life(home, i))
                continue;
            home_fail(&home->home, CHX_REFUSED, i, CHX_FAULT_SYSTEM, wire_text(why), node->now_ns);
            home_changed(home);
        }
    }
    return is_any;
}

// ---- the end ----

static bool keep_results(NodeHome *home)
{
    NodeSession *group = home->group;
    size_t count = home->known->choreography->role_count;
    group->results = calloc(count, sizeof *group->results);
    if (group->results == NULL)
        return false;
    group->result_count = count;
    for (unsigned i = 0; i < count; i++) {
        WireSpan result = home_result(&home->home, i);
        if (home->placements[i].kind == PLACE_HERE || result.size == 0)
            continue;
        group->results[i] = (chx_buffer){.data = malloc(result.size), .size = result.size};
        if (group->results[i].data == NULL)
            return false;
        memcpy(group->results[i].data, result.data, result.size);
    }
    return true;
}

void placed_over(NodeHome *home, chx_status status, const WireFault *wire)
{
    NodeSession *group = home->group;
    char text[CHX_PART_TEXT];
    chx_fault fault = {.kind = CHX_FAULT_SYSTEM, .why = "out of memory"};
    free(home->gathered);
    home->gathered = NULL;
    home->gathered_count = 0;
    if (group == NULL)
        return;
    group->restarts = home->home.restarts;
    if (status == CHX_OK && !keep_results(home))
        status = CHX_NO_MEMORY;
    else if (status != CHX_OK)
        part_fault_text(wire, &fault, text, sizeof text);
    // Roles here that have come to their ends hear STOP; nobody else has anything more to say.
    if (status != CHX_OK) {
        for (size_t i = 0; i < group->count; i++)
            part_over(group->parts[i], status, &fault);
        group_stop(group, home->known->choreography, status, &fault);
    }
    if (group->count == 0 || status != CHX_OK)
        session_list_ended(group);
}

void placed_cancel(NodeSession *group, const char *why)
{
    NodeHome *home = group->home;
    if (home == NULL || home->is_over)
        return;
    // Whoever has started it knows, and waits for nobody else.
    home->group = NULL;
    group->home = NULL;
    home_cancel(&home->home, wire_text(why), home->node->now_ns);
    home_changed(home);
}

void placed_cancel_all(chx_node *node, const char *why)
{
    for (NodeHome *home = node->placed, *next; home != NULL; home = next) {
        next = home->next_placed;
        if (home->is_over)
            continue;
        home_cancel(&home->home, wire_text(why), node->now_ns);
        home_changed(home);
    }
}

// ---- starting ----

// The runtime runs what is here: now the others are looked for.
static void placed_begin(NodeSession *group, chx_session *session)
{
    chx_node *node = group->node;
    NodeHome *home = group->home;
    group->session = session;
    group->is_released = false;
    node->handles++;
    placed_list(home);
    for (size_t i = 0; i < group->count; i++) {
        NodePart *part = group->parts[i];
        uint64_t request = ++node->last_request;
        map_add(&node->requests, &part->by_request, request);
        home->gathered[home->gathered_count++] = (HomeJoin){.role = part->role, .node = PEER_SELF, .request = request};
    }
    for (unsigned i = 0; i < home->known->choreography->role_count; i++) {
        Placement *placement = &home->placements[i];
        placement->request = ++node->last_request;
        if (placement->kind == PLACE_NODE && node_peer_is_up(node, placement->peer) && offers_best(home, i) == NULL)
            seek(home, i);
    }
    placed_offered(home);
    home_changed(home);
    if (node->is_stopping)
        placed_cancel_all(node, "the node was closed");
    node->must_flush = true;
}

static chx_session *placed_run(Asked *asked, NodeSession *group)
{
    chx_node *node = asked->node;
    void *whole = group;
    chx_session *session =
        chx_part_start(node->runtime, asked->choreography, asked->definition, asked->cast, asked->roles, asked->count,
                       asked->arguments, asked->count > 0 ? &part_ops : &group_ops,
                       asked->count > 0 ? (void *const *)group->parts : &whole);
    node_lock(node);
    if (session != NULL) {
        placed_begin(group, session);
    } else {
        NodeHome *home = group->home;
        home_free(home);
        group_free(group);
        node->session_count--;
    }
    node_unlock(node);
    return session;
}

chx_session *placed_start(chx_node *node, const chx_choreography *choreography, size_t definition,
                          const chx_actor *cast, const void *arguments, chx_status *status)
{
    Asked asked = {.node = node,
                   .choreography = choreography,
                   .definition = definition,
                   .cast = cast,
                   .arguments = arguments,
                   .roles = calloc(choreography->role_count, sizeof *asked.roles)};
    NodeSession *group = NULL;
    chx_session *session = NULL;
    node_lock(node);
    if (asked.roles != NULL)
        group = placed_prepare(&asked);
    else
        asked_lacks_memory(&asked);
    node->must_flush = true;
    node_unlock(node);
    if (group == NULL) {
        *status = chx_refuse(asked.status, asked.role, choreography->file, "%s", asked.why);
    } else {
        session = placed_run(&asked, group);
        *status = session != NULL ? CHX_OK : CHX_INVALID; // the report says more
    }
    free(asked.roles);
    return session;
}
