// homes.c: sessions that are decided here: how they come about, who plays their roles, what nodes have to do with them.

#include "net/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    HOME_KEPT_S = 10,         // after its end, for those who have not heard of it
    WAITING_JOINS_MAX = 1024, // for choreographies that the program has not named yet
    WHY_SIZE = 320,
};
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

// A JOIN or an OFFER for a choreography that the program has not named yet.
struct WaitingJoin {
    WaitingJoin *next;
    uint32_t from;
    WireKind kind;
    size_t size;
    uint8_t bytes[];
};

// ---- seats ----

static void seat_leave(Seat *seat)
{
    if (seat->peer == NULL)
        return;
    *seat->link = seat->next;
    if (seat->next != NULL)
        seat->next->link = seat->link;
    seat->peer = NULL;
}

static void seat_take(Seat *seat, NodePeer *peer)
{
    seat_leave(seat);
    if (peer == NULL)
        return;
    seat->peer = peer;
    seat->next = peer->seats;
    seat->link = &peer->seats;
    if (seat->next != NULL)
        seat->next->link = &seat->next;
    peer->seats = seat;
}

static unsigned seat_role(const Seat *seat)
{
    return (unsigned)(seat - seat->home->seats);
}

// ---- what a home asks for ----

static bool home_order(void *context, uint32_t peer, WireKind kind, const void *frame)
{
    NodeHome *home = context;
    return node_send(home->node, peer, home->by_session.key, kind, frame);
}

static void home_sit(void *context, unsigned role, uint32_t peer)
{
    NodeHome *home = context;
    seat_take(&home->seats[role], node_peer(home->node, peer));
}

static void home_commit(void *context)
{
    keeps_commit(context);
}

static void home_lost_to_other(void *context)
{
    keeps_lost(context);
}

static bool home_give(void *context, uint32_t peer, const WireData *data)
{
    NodeHome *home = context;
    LinkSending sending = node_give(home->node, peer, home->by_session.key, data);
    return sending != LINK_NO_ROOM && sending != LINK_NO_MEMORY;
}

static uint32_t home_place(void *context, unsigned role, uint32_t last)
{
    NodeHome *home = context;
    const Seat *seat = &home->seats[role];
    if (last != 0 && seat->peer != NULL && seat->peer->number == last && node_peer_is_up(home->node, last))
        return last;
    return offers_place(home, role);
}

static void home_describe(void *context, uint32_t peer, WireSpan *name, WireSpan *address)
{
    NodeHome *home = context;
    PeerAbout about = {0};
    const char *own = peers_address(home->node->peers);
    if (peer == PEER_SELF) {
        *name = wire_text(home->node->config.name != NULL ? home->node->config.name : "");
        *address = wire_text(own != NULL ? own : "");
        return;
    }
    peers_about(home->node->peers, peer, &about);
    if (about.is_anonymous)
        node_name_anonymous(&about.incarnation, home->described);
    *name = wire_text(about.is_anonymous ? home->described : about.name != NULL ? about.name : "");
    *address = wire_text(about.address != NULL ? about.address : "");
}

// Sessions of fixed peers are numbered: the same name never means another one.
static bool is_numbered(const char *name)
{
    return name[0] == '#';
}

static uint64_t number_of(const char *name)
{
    return strtoull(name + 1, NULL, 10);
}

static bool gathered_has(const NodeHome *home, unsigned role)
{
    for (size_t i = 0; i < home->gathered_count; i++)
        if (home->gathered[i].role == role)
            return true;
    return false;
}

// A session of the same definition to which a role has come that this one waits for; 0: there is none.
static uint64_t number_elsewhere(const NodeHome *home)
{
    const Map *homes = &home->node->homes;
    for (size_t i = 0; i <= homes->capacity; i++) {
        const MapItem *item = i < homes->capacity ? homes->buckets[i] : homes->single;
        for (; item != NULL; item = item->next) {
            const NodeHome *other = MAP_OWNER((MapItem *)item, NodeHome, by_session);
            if (other == home || other->known != home->known || other->definition != home->definition ||
                other->placements != NULL || !is_numbered(other->name))
                continue;
            for (size_t j = 0; j < other->gathered_count; j++)
                if (!gathered_has(home, other->gathered[j].role))
                    return number_of(other->name);
        }
    }
    return 0;
}

// Is the role waited for before the session of fixed peers begins? One that has no part need not be anywhere; if the configuration
// says where it is, its process is in the session, too, and hears how it ends.
static bool gathered_needs(const NodeHome *home, unsigned role)
{
    return home_has_part(&home->home, role) || known_is_configured(home->node, home->known, role);
}

static bool gathered_has_all(const NodeHome *home)
{
    for (unsigned i = 0; i < home->known->choreography->role_count; i++)
        if (gathered_needs(home, i) && !gathered_has(home, i))
            return false;
    return true;
}

// Not all roles have come.
static void gathered_refuse(NodeHome *home)
{
    const chx_choreography *choreography = home->known->choreography;
    char why[WHY_SIZE] = "nobody has come to play ";
    bool is_first = true;
    for (unsigned i = 0; i < choreography->role_count; i++) {
        size_t size = strlen(why);
        if (!gathered_needs(home, i) || gathered_has(home, i))
            continue;
        snprintf(why + size, sizeof why - size, "%s%s", is_first ? "" : ", ", choreography->roles[i]);
        is_first = false;
    }
    uint64_t elsewhere = number_elsewhere(home);
    size_t size = strlen(why);
    if (elsewhere != 0)
        snprintf(why + size, sizeof why - size,
                 " in session %s, but in session %" PRIu64
                 ": a process that is started again begins with its first session",
                 home->name + 1, elsewhere);
    for (size_t i = 0; i < home->gathered_count; i++) {
        WireRefused refused = {
            .request = home->gathered[i].request, .code = WIRE_REFUSED_UNKNOWN, .text = wire_text(why)};
        node_send(home->node, home->gathered[i].node, 0, WIRE_REFUSED, &refused);
    }
    free(home->gathered);
    home->gathered = NULL;
    home->gathered_count = 0;
}

static void home_over(void *context, chx_status status, const WireFault *fault)
{
    NodeHome *home = context;
    home->is_over = true;
    home->node->open_homes--;
    keeps_end(home);
    home->forget_ns = home->node->now_ns + HOME_KEPT_S * NS_PER_S;
    if (home->placements != NULL)
        placed_over(home, status, fault);
    else
        gathered_refuse(home);
    if (is_numbered(home->name))
        numbers_add(&home->known->over[home->definition], number_of(home->name));
    else
        map_remove(&home->node->names, &home->by_name);
    node_tell_change(home->node);
    if (status != CHX_OK && fault != NULL)
        node_log(home->node, CHX_LOG_INFO, "%s: session %08" PRIx32 "... has ended: %.*s%s%.*s",
                 home->known->choreography->name, (uint32_t)(home->by_session.key >> 32), (int)fault->role.size,
                 (const char *)fault->role.data, fault->role.size > 0 ? ": " : "", (int)fault->why.size,
                 (const char *)fault->why.data);
}

static void home_seat_key(void *context, WireId *key)
{
    node_random_id(((NodeHome *)context)->node, key);
}

static const HomeEffects home_effects = {home_order,    home_give, home_place,  home_describe,     home_over,
                                         home_seat_key, home_sit,  home_commit, home_lost_to_other};

// ---- sessions ----

NodeHome *homes_find(chx_node *node, uint64_t session)
{
    MapItem *item = map_first(&node->homes, session);
    return item != NULL ? MAP_OWNER(item, NodeHome, by_session) : NULL;
}

void home_free(NodeHome *home)
{
    chx_node *node = home->node;
    if (home->placements != NULL)
        placed_forget(home);
    for (size_t i = 0; i < home->known->choreography->role_count; i++)
        seat_leave(&home->seats[i]);
    node_timer_clear(node, &home->timer);
    map_remove(&node->homes, &home->by_session);
    map_remove(&node->names, &home->by_name);
    home_fini(&home->home);
    keeps_free(home);
    free(home->gathered);
    free(home->restarts);
    free(home->name);
    free(home->opener);
    node->open_homes -= !home->is_over;
    free(home);
}

void homes_free(chx_node *node)
{
    for (size_t i = 0; i <= node->homes.capacity; i++) {
        MapItem **chain = i < node->homes.capacity ? &node->homes.buckets[i] : &node->homes.single;
        while (*chain != NULL)
            home_free(MAP_OWNER(*chain, NodeHome, by_session));
    }
    for (WaitingJoin *waiting = node->waiting, *next; waiting != NULL; waiting = next) {
        next = waiting->next;
        free(waiting);
    }
    node->waiting = NULL;
}

static void home_timer(void *owner);

void home_changed(NodeHome *home)
{
    uint64_t next_ns = home->is_finding ? UINT64_MAX : home_next_ns(&home->home);
    if (home->is_over && home->forget_ns < next_ns)
        next_ns = home->forget_ns;
    if (next_ns == UINT64_MAX)
        node_timer_clear(home->node, &home->timer);
    else
        node_timer_set(home->node, &home->timer, next_ns, home_timer, home);
}

static void home_timer(void *owner)
{
    NodeHome *home = owner;
    chx_node *node = home->node;
    if (home->is_over && home->forget_ns <= node->now_ns && !home->is_committing) {
        home_free(home);
        return;
    }
    if (home->is_finding)
        return;
    if (home->placements != NULL && home->gathered != NULL && home->gather_ns <= node->now_ns)
        placed_expire(home);
    home_tick(&home->home, node->now_ns);
    home_changed(home);
}

static uint64_t name_hash(const Known *known, size_t definition, const char *name)
{
    uint64_t hash = (uint64_t)(uintptr_t)known + definition;
    for (const char *at = name; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

// Somebody who says a session's name.
typedef struct {
    const char *name, *opener;
    unsigned role;
    bool is_placed; // the configuration says that this node, and no other, plays the role
} Caller;

// Whoever may be anybody meets its own sessions, and those that are nobody's own: their names are shared, or a node opened them
// whose place the configuration says. Such a node meets everybody who has no one for its role yet.
static bool is_met(const NodeHome *home, const Caller *caller)
{
    return home->opener[0] == '\0' ||
           (caller->is_placed && !home->is_over && home_node(&home->home, caller->role) == 0);
}

static NodeHome *homes_named(chx_node *node, const Known *known, size_t definition, const Caller *caller)
{
    uint64_t hash = name_hash(known, definition, caller->name);
    NodeHome *met = NULL;
    for (MapItem *item = map_first(&node->names, hash); item != NULL; item = map_next(item->next, hash)) {
        NodeHome *home = MAP_OWNER(item, NodeHome, by_name);
        if (home->known != known || home->definition != definition || strcmp(home->name, caller->name) != 0)
            continue;
        if (strcmp(home->opener, caller->opener) == 0)
            return home;
        if (is_met(home, caller))
            met = home;
    }
    return met;
}

NodeHome *homes_new(chx_node *node, uint32_t from, Known *known, size_t definition, char *name, char *opener,
                    bool is_durable)
{
    const ConfigLimits *limits = &node->config.limits;
    size_t roles = known->choreography->role_count;
    NodeHome *home = calloc(1, sizeof *home + roles * sizeof *home->seats);
    if (home == NULL)
        return NULL;
    *home = (NodeHome){.node = node, .known = known, .definition = definition, .name = name, .opener = opener};
    PeerAbout about = {.name = from == PEER_SELF ? node->config.name : NULL};
    if (from != PEER_SELF)
        peers_about(node->peers, from, &about);
    snprintf(home->visitor, sizeof home->visitor, "%s", about.name != NULL ? about.name : "");
    for (size_t i = 0; i < roles; i++)
        home->seats[i].home = home;
    if (is_numbered(name) && (home->gathered = calloc(roles, sizeof *home->gathered)) == NULL) {
        free(home);
        return NULL;
    }
    HomeOptions options = {.table = &known->table,
                           .definition = known->choreography->definitions[definition].name,
                           .session = node_random(node) | 1,
                           .name = wire_text(name),
                           .opener = wire_text(home->visitor),
                           .term = 1,
                           .is_durable = is_durable,
                           .space = wire_text(opener),
                           .self = PEER_SELF,
                           .limits = {(uint32_t)limits->window_messages, limits->window},
                           .message_max = (uint32_t)limits->message_max,
                           .suspect_ns = limits->suspect_ms * NS_PER_MS,
                           .absent_ns = limits->absent_ms * NS_PER_MS,
                           .participants = known->choreography->definitions[definition].participants,
                           .participant_count = known->choreography->definitions[definition].participant_count,
                           .memory = &node->memory,
                           .effects = &home_effects,
                           .context = home};
    node_random_id(node, &options.token);
    if (!home_init(&home->home, &options, node->now_ns)) {
        free(home->gathered);
        free(home);
        return NULL;
    }
    map_add(&node->homes, &home->by_session, options.session);
    if (name[0] != '\0')
        map_add(&node->names, &home->by_name, name_hash(known, definition, name));
    node->open_homes++;
    return home;
}

// Roles that others, or this node, would play.
static void home_fill(NodeHome *home, unsigned except)
{
    chx_node *node = home->node;
    for (unsigned i = 0; i < home->known->choreography->role_count && !home->is_over; i++) {
        bool is_open = i != except && home_has_part(&home->home, i) && home_state(&home->home, i) == HOME_ABSENT;
        uint32_t place = is_open ? offers_place(home, i) : PEER_NONE;
        if (place != PEER_NONE)
            home_place_found(&home->home, i, place, node->now_ns);
    }
}

void homes_fill(NodeHome *home)
{
    home_fill(home, (unsigned)home->known->choreography->role_count);
}

// ---- joining ----

static bool join_refuse(chx_node *node, uint32_t from, const WireJoin *join, WireRefusal code, const char *why)
{
    WireRefused refused = {.request = join->request, .code = code, .text = wire_text(why)};
    return node_send(node, from, 0, WIRE_REFUSED, &refused);
}

// It is answered when the program has named the choreography.
bool homes_wait(chx_node *node, uint32_t from, WireKind kind, const void *frame, bool *is_full)
{
    *is_full = node->waiting_count >= WAITING_JOINS_MAX;
    if (*is_full)
        return true;
    size_t size = wire_body_size(kind, frame);
    WaitingJoin *waiting = malloc(sizeof *waiting + size), **end = &node->waiting;
    if (waiting == NULL)
        return false;
    *waiting = (WaitingJoin){.from = from, .kind = kind, .size = size};
    wire_write_body(waiting->bytes, kind, frame);
    while (*end != NULL)
        end = &(*end)->next;
    *end = waiting;
    node->waiting_count++;
    return true;
}

static bool join_wait(chx_node *node, uint32_t from, const WireJoin *join)
{
    bool is_full;
    bool is_taken = homes_wait(node, from, WIRE_JOIN, join, &is_full);
    return is_full ? join_refuse(node, from, join, WIRE_REFUSED_LIMIT, "too many others wait for choreographies here")
                   : is_taken;
}

bool homes_wait_next(chx_node *node, bool (*is_meant)(const void *context, const WireFrame *frame), const void *context,
                     uint32_t *from, WireFrame *frame, void **memory)
{
    for (WaitingJoin **link = &node->waiting, *waiting; (waiting = *link) != NULL; link = &waiting->next) {
        *frame = (WireFrame){.kind = waiting->kind};
        if (wire_decode_body(waiting->kind, (WireSpan){waiting->bytes, waiting->size}, &frame->data) != WIRE_GOOD ||
            !is_meant(context, frame))
            continue;
        *link = waiting->next;
        node->waiting_count--;
        *from = waiting->from;
        *memory = waiting;
        return true;
    }
    return false;
}

static bool is_of_choreography(const void *context, const WireFrame *frame)
{
    const Known *known = context;
    if (frame->kind == WIRE_SEEK)
        return false; // it waits for a service
    return span_is(frame->kind == WIRE_JOIN ? frame->join.choreography : frame->offer.choreography,
                   known->choreography->name);
}

void homes_answer_waiting(chx_node *node, const Known *known)
{
    uint32_t from;
    WireFrame frame;
    void *memory;
    while (homes_wait_next(node, is_of_choreography, known, &from, &frame, &memory)) {
        if (frame.kind == WIRE_JOIN)
            homes_join(node, from, &frame.join);
        else
            offers_take(node, from, &frame.offer);
        free(memory);
    }
}

static void join_forget_waiting(chx_node *node, uint32_t from)
{
    for (WaitingJoin **link = &node->waiting, *waiting; (waiting = *link) != NULL;) {
        if (waiting->from != from) {
            link = &waiting->next;
            continue;
        }
        *link = waiting->next;
        node->waiting_count--;
        free(waiting);
    }
}

// What speaks against it; WIRE_REFUSED_… and why. 0: nothing.
static WireRefusal join_refusal(chx_node *node, uint32_t from, const Known *known, const WireJoin *join, int role,
                                int definition, char *why, size_t why_size)
{
    const chx_choreography *choreography = known->choreography;
    char who[CONFIG_NAME_MAX + 1];
    node_peer_name(node, from, who, sizeof who);
    if (role < 0 || definition < 0) {
        snprintf(why, why_size, "%s has no %s '%.*s' on %s", choreography->name, role < 0 ? "role" : "definition",
                 (int)(role < 0 ? join->role : join->definition).size,
                 (const char *)(role < 0 ? join->role : join->definition).data,
                 node->config.name != NULL ? node->config.name : "the home");
        return WIRE_REFUSED_UNKNOWN;
    }
    if (join->protocol != choreography->protocol_digest) {
        snprintf(why, why_size,
                 "%s: %s on %s (protocol %08" PRIx32 "...%s%s) is not the one of %s (%08" PRIx32
                 "...%s%.*s): rebuild one of them",
                 choreography->file, choreography->name, node->config.name != NULL ? node->config.name : "the home",
                 (uint32_t)(choreography->protocol_digest >> 32), choreography->built[0] != '\0' ? ", built " : "",
                 choreography->built, who, (uint32_t)(join->protocol >> 32), join->build.size > 0 ? ", built " : "",
                 (int)join->build.size, (const char *)join->build.data);
        return WIRE_REFUSED_PROTOCOL;
    }
    if (!span_is(join->home, choreography->roles[known_home_role(node, known)])) {
        snprintf(why, why_size, "the home of %s is %s here, and %.*s on %s: let both configurations say the same",
                 choreography->name, choreography->roles[known_home_role(node, known)], (int)join->home.size,
                 (const char *)join->home.data, who);
        return WIRE_REFUSED_HOME;
    }
    return known_allows(node, known, (unsigned)role, from, why, why_size) ? 0 : WIRE_REFUSED_RIGHT;
}

// Whose names these are: those of a node, or, without a certificate, of a process.
static void name_owner(chx_node *node, uint32_t from, char *who, size_t size)
{
    PeerAbout about = {0};
    char anonymous[NODE_ANONYMOUS_SIZE];
    if (from == PEER_SELF || !peers_about(node->peers, from, &about) || !about.is_anonymous) {
        node_peer_name(node, from, who, size);
        return;
    }
    node_name_anonymous(&about.incarnation, anonymous);
    snprintf(who, size, "%s", anonymous);
}

// One that nobody has named needs a name in the store all the same.
static char *name_unnamed(chx_node *node)
{
    char text[64];
    snprintf(text, sizeof text, "unnamed-%016" PRIx64 "%016" PRIx64, node_random(node), node_random(node));
    return node_copy(wire_text(text));
}

// The session that is meant. NULL: there would be too many (*is_full), or no memory.
static NodeHome *join_session(chx_node *node, uint32_t from, Known *known, const WireJoin *join, size_t definition,
                              unsigned role, bool is_durable, bool *is_full)
{
    const ConfigChoreography *section = config_choreography(&node->config, known->choreography->name);
    char who[CONFIG_NAME_MAX + 1] = "";
    // Fixed peers and whoever shares names mean the same session by the same name.
    bool is_shared = join->name.size > 0 && (join->name.data[0] == '#' || (section != NULL && section->is_shared));
    bool is_placed = known_is_placed(node, known, role);
    bool is_unnamed = is_durable && join->name.size == 0;
    if (!is_shared && !is_placed)
        name_owner(node, from, who, sizeof who);
    char *name = is_unnamed ? name_unnamed(node) : node_copy(join->name);
    // Who has played in it knows whose name it is.
    char *opener = node_copy(wire_id_is_zero(&join->token) ? wire_text(who) : join->space);
    NodeHome *home = NULL;
    if (name != NULL && opener != NULL) {
        if (name[0] != '\0')
            home = homes_named(node, known, definition, &(Caller){name, opener, role, is_placed});
        *is_full = home == NULL && node->open_homes >= node->config.limits.sessions_max;
        if (home == NULL && !*is_full) {
            home = homes_new(node, from, known, definition, name, opener, is_durable);
            if (home != NULL && is_durable && !keeps_begin(home)) {
                home_free(home);
                return NULL;
            }
            if (home != NULL) {
                home->is_unnamed = is_unnamed;
                return home;
            }
        }
    }
    free(name);
    free(opener);
    return home;
}

// Programs that play some of their roles each begin together, as they would in one process: else one of them could have failed, and
// be through with the session, before another one has heard of it. True: all are there now.
static bool gathered_add(NodeHome *home, const HomeJoin *join)
{
    size_t i = 0;
    while (i < home->gathered_count && home->gathered[i].role != join->role)
        i++;
    home->gathered[i] = *join;
    if (i == home->gathered_count)
        home->gathered_count++;
    return gathered_has_all(home);
}

static HomeVerdict gathered_begin(NodeHome *home)
{
    HomeVerdict verdict = HOME_GOOD;
    HomeJoin *gathered = home->gathered;
    size_t count = home->gathered_count;
    home->gathered = NULL;
    home->gathered_count = 0;
    for (size_t i = 0; i < count; i++)
        if (home_join(&home->home, &gathered[i], home->node->now_ns) == HOME_NO_MEMORY)
            verdict = HOME_NO_MEMORY;
    free(gathered);
    return verdict;
}

static void gathered_forget(NodeHome *home, uint32_t node)
{
    size_t kept = 0;
    for (size_t i = 0; i < home->gathered_count; i++)
        if (home->gathered[i].node != node)
            home->gathered[kept++] = home->gathered[i];
    home->gathered_count = kept;
}

// What the cast says that this program, whose node decides, has started the session with.
static void home_take_limits(NodeHome *home, uint64_t request)
{
    MapItem *item = map_first(&home->node->requests, request);
    NodeSession *group = item != NULL ? MAP_OWNER(item, NodePart, by_request)->group : NULL;
    if (group == NULL || group->limits == NULL || home->restarts != NULL)
        return;
    home->home.options.restarts = home->restarts = group->limits;
    group->limits = NULL;
}

// A process that was started again counts its sessions from the first. It catches up with the others by being refused at once.
static bool is_of_the_past(const Known *known, size_t definition, const WireJoin *join, char *why, size_t why_size)
{
    char name[WIRE_NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)join->name.size, (const char *)join->name.data);
    if (!is_numbered(name) || !numbers_have(known->over[definition], number_of(name)))
        return false;
    snprintf(why, why_size,
             "session %" PRIu64 " of %s_%s is over, and the last that is over is session %" PRIu64
             ": a process that is started again begins with its first session",
             number_of(name), known->choreography->name, known->choreography->definitions[definition].name,
             numbers_last(known->over[definition]));
    return true;
}

bool homes_join(chx_node *node, uint32_t from, const WireJoin *join)
{
    char why[WHY_SIZE];
    Known *known = known_find(node, join->choreography, join->protocol);
    if (known == NULL)
        return join_wait(node, from, join);
    int role = known_role(known, join->role), definition = known_definition(known, join->definition);
    WireRefusal refusal = join_refusal(node, from, known, join, role, definition, why, sizeof why);
    if (refusal != 0)
        return join_refuse(node, from, join, refusal, why);
    if (node->is_stopping)
        return join_refuse(node, from, join, WIRE_REFUSED_ENDING, "the node takes nothing new");
    bool is_full = false, is_durable = false, is_adrift = !wire_id_is_zero(&join->token);
    NodeHome *home = join->session != 0 ? homes_find(node, join->session) : NULL;
    if (keeps_wants(node, known->choreography, (size_t)definition) &&
        !keeps_may(node, known->choreography, join->name.size > 0 ? (const char *)join->name.data : "", &is_durable,
                   why, sizeof why))
        return join_refuse(node, from, join, WIRE_REFUSED_UNKNOWN, why);
    if (is_adrift && !is_durable)
        return join_refuse(node, from, join, WIRE_REFUSED_UNKNOWN,
                           "the session is over, and there is no store any more");
    if (home != NULL && home->is_over && is_adrift)
        home = NULL; // the store knows how it has ended
    if (join->session != 0 && !is_adrift &&
        (home == NULL || home->known != known || home->definition != (size_t)definition))
        return join_refuse(node, from, join, WIRE_REFUSED_UNKNOWN, "the session is over");
    if (home == NULL && is_of_the_past(known, (size_t)definition, join, why, sizeof why))
        return join_refuse(node, from, join, WIRE_REFUSED_UNKNOWN, why);
    if (home == NULL)
        home = join_session(node, from, known, join, (size_t)definition, (unsigned)role, is_durable, &is_full);
    if (is_full)
        return join_refuse(node, from, join, WIRE_REFUSED_LIMIT, "the node has as many sessions as it may have");
    if (home == NULL)
        return false;
    PeerAbout about = {0};
    if (from != PEER_SELF)
        peers_about(node->peers, from, &about);
    if (from == PEER_SELF)
        home_take_limits(home, join->request);
    HomeJoin asked = {
        .role = (unsigned)role, .node = from, .request = join->request, .is_anonymous = about.is_anonymous};
    // The key was given by the home that the role had: another one goes by the token.
    if (!is_adrift || join->session == home->by_session.key)
        asked.seat_key = join->seat_key;
    HomeVerdict verdict = HOME_GOOD;
    if (home->is_finding)
        return keeps_join(home, &asked, &join->token);
    if (is_adrift && !wire_id_is(&join->token, &home->home.options.token))
        return join_refuse(node, from, join, WIRE_REFUSED_UNKNOWN, "the session is over");
    if (home->gathered == NULL)
        verdict = home_join(&home->home, &asked, node->now_ns);
    else if (gathered_add(home, &asked))
        verdict = gathered_begin(home);
    home_fill(home, (unsigned)role);
    home_changed(home);
    return verdict != HOME_NO_MEMORY;
}

// ---- reports ----

// A service does not want this visitor.
static void home_refused(NodeHome *home, uint32_t from, const WireRefused *refused)
{
    char who[CONFIG_NAME_MAX + 1], why[WHY_SIZE];
    node_peer_name(home->node, from, who, sizeof who);
    snprintf(why, sizeof why, "refused by %s: %.*s", who, (int)refused->text.size, (const char *)refused->text.data);
    home_fail(&home->home, CHX_REFUSED, refused->role, CHX_FAULT_SYSTEM, wire_text(why), home->node->now_ns);
}

void homes_cancel(chx_node *node, uint64_t session, const char *why)
{
    NodeHome *home = homes_find(node, session);
    if (home == NULL || home->is_over || home->is_finding)
        return;
    home_cancel(&home->home, wire_text(why), node->now_ns);
    home_changed(home);
}

// A session that has been over for so long that nobody knows any more how it ended. Who has not heard of that must not wait for ever.
static bool report_late(chx_node *node, uint32_t from, uint64_t session, const WireFrame *frame)
{
    WireBuffer buffer = {0};
    WireFault fault = {.kind = CHX_FAULT_LOST,
                       .why = wire_text("the session was over before its node was heard again")};
    WireStop stop = {.session = session, .status = CHX_FAILED};
    switch (frame->kind) {
    case WIRE_ENTER:
        stop.role = frame->enter.role;
        stop.life = frame->enter.life;
        break;
    case WIRE_ARRIVE:
        stop.role = frame->arrive.role;
        stop.life = frame->arrive.life;
        break;
    case WIRE_READY:
        stop.role = frame->ready.role;
        stop.life = frame->ready.life;
        break;
    case WIRE_FAIL:
        stop.role = frame->fail.role;
        stop.life = frame->fail.life;
        break;
    case WIRE_END:
        stop.role = frame->end.role;
        stop.life = frame->end.life;
        break;
    default:
        return true; // nobody waits for an answer
    }
    wire_add(&buffer, WIRE_ITEM_FAULT, &fault);
    stop.fault = wire_list(&buffer);
    bool is_said = node_send(node, from, session, WIRE_STOP, &stop);
    wire_buffer_fini(&buffer);
    return is_said;
}

bool homes_report(chx_node *node, uint32_t from, uint64_t session, const WireFrame *frame)
{
    NodeHome *home = homes_find(node, session);
    if (home == NULL && node_is_broken(NODE_BROKEN_LATE_SILENT))
        return true;
    if (home == NULL)
        return report_late(node, from, session, frame);
    // What is said of an earlier life says nothing about the one that is there now.
    if (frame->kind == WIRE_REFUSED && frame->refused.role < home->known->choreography->role_count &&
        frame->refused.life == home_life(&home->home, frame->refused.role)) {
        seat_leave(&home->seats[frame->refused.role]);
        offers_refused(node, from, home->known, home->definition, frame->refused.role);
    }
    if (frame->kind == WIRE_REFUSED && frame->refused.code == WIRE_REFUSED_CHOICE && !home->is_over)
        home_refused(home, from, &frame->refused);
    HomeVerdict verdict = home_report(&home->home, from, frame, node->now_ns);
    home_changed(home);
    if (verdict == HOME_VIOLATION && from != PEER_SELF)
        peers_complain(node->peers, from, "it says what can't be said in this session now");
    return verdict != HOME_NO_MEMORY;
}

// ---- nodes come and go ----

void homes_peer_lost(chx_node *node, NodePeer *peer, const char *why)
{
    for (size_t i = 0; i <= node->homes.capacity; i++) {
        MapItem *item = i < node->homes.capacity ? node->homes.buckets[i] : node->homes.single;
        for (; item != NULL; item = item->next) {
            gathered_forget(MAP_OWNER(item, NodeHome, by_session), peer->number);
            keeps_forget_peer(MAP_OWNER(item, NodeHome, by_session), peer->number);
        }
    }
    join_forget_waiting(node, peer->number);
    services_forget_peer(node, peer);
    offers_forget_peer(node, peer);
    // What it had of sessions is gone with it.
    for (Seat *seat; (seat = peer->seats) != NULL;) {
        NodeHome *home = seat->home;
        // All roles that it plays in this session, before the session hears of it.
        for (size_t i = 0; i < home->known->choreography->role_count; i++)
            if (home->seats[i].peer == peer)
                seat_leave(&home->seats[i]);
        home_node_lost(&home->home, peer->number, wire_text(why), node->now_ns);
        home_changed(home);
    }
}

// A role that was given up may go on there, and come back.
void homes_peer_silent(chx_node *node, NodePeer *peer, const char *why)
{
    size_t count = 0;
    for (const Seat *seat = peer->seats; seat != NULL; seat = seat->next)
        count++;
    NodeHome **homes = calloc(count + 1, sizeof(NodeHome *));
    if (homes == NULL)
        return; // it is looked again soon
    count = 0;
    for (const Seat *seat = peer->seats; seat != NULL; seat = seat->next)
        homes[count++] = seat->home;
    for (size_t i = 0; i < count; i++) {
        home_node_lost(&homes[i]->home, peer->number, wire_text(why), node->now_ns);
        home_changed(homes[i]);
    }
    free(homes);
}

void homes_peer_up(chx_node *node, NodePeer *peer)
{
    for (Seat *seat = peer->seats, *next; seat != NULL; seat = next) {
        next = seat->next;
        NodeHome *home = seat->home;
        if (home_state(&home->home, seat_role(seat)) == HOME_ABSENT && !home->is_over) {
            home_place_found(&home->home, seat_role(seat), peer->number, node->now_ns);
            home_changed(home);
        }
    }
}

void homes_offered(chx_node *node, Offer *offer)
{
    for (size_t i = 0; i <= node->homes.capacity; i++) {
        MapItem *item = i < node->homes.capacity ? node->homes.buckets[i] : node->homes.single;
        for (MapItem *next; item != NULL; item = next) {
            next = item->next;
            NodeHome *home = MAP_OWNER(item, NodeHome, by_session);
            if (home->known != offer->known || home->definition != offer->definition || home->is_over ||
                home->is_finding || !home_has_part(&home->home, offer->role) ||
                home_state(&home->home, offer->role) != HOME_ABSENT)
                continue;
            if (home->placements != NULL && home->gathered != NULL) {
                placed_offered(home);
            } else if (placed_fits(home, offer) && offer->sessions < offer->sessions_max) {
                offer->sessions++;
                home_place_found(&home->home, offer->role, offer->peer->number, node->now_ns);
                home_changed(home);
            }
        }
    }
}

void homes_release(chx_node *node, NodePeer *peer)
{
    (void)node;
    for (Seat *seat = peer->seats, *next; seat != NULL; seat = next) {
        next = seat->next;
        home_release(&seat->home->home);
    }
}
