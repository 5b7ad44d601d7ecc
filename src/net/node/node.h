// node.h: a node: a process that takes part in sessions with others. What its parts know of each other.
//
//   node.c      opening, closing, time, the lock and what is done when it is given back
//   dispatch.c  which frame is for whom
//   early.c     messages for roles that are not here yet
//   known.c     choreographies that the program has named, who may play their roles, where their homes are
//   homes.c     sessions that are decided here
//   placed.c    sessions that the program has started with a cast that places roles on other nodes
//   offers.c    roles that nodes, this one too, would play in sessions to come
//   service.c   roles that this node serves
//   parts.c     roles of sessions that are played here: between the runtime (chorex/remote.h) and their lives (session/life.h)
//   keeps.c     of the sessions that are decided here, those that are kept in a store
//   joins.c     how parts come about: asking the home, being asked by it
//   reach.c     nodes that can't reach each other: who relays, who is complained of
//
// One lock guards everything here. It is a leaf: nothing of the runtime is called with it held. Roles that are to be woken are
// put on a list under the lock, and woken when it was given back (node_unlock); so are sessions that are to be stopped or
// released. Frames to this node itself go through a queue, which is emptied before that.

#ifndef NET_NODE_NODE_H
#define NET_NODE_NODE_H

#include "net/config/config.h"
#include "net/home/home.h"
#include "net/node/map.h"
#include "net/node/mistakes.h"
#include "net/node/numbers.h"
#include "net/node/peers.h"
#include "net/session/life.h"
#include "runtime/platform/timer_heap.h"

#include <chorex/net.h>
#include <chorex/remote.h>
#include <pthread.h>

typedef struct Known Known;
typedef struct NodeHome NodeHome;
typedef struct NodePart NodePart;
typedef struct NodeSession NodeSession;
typedef struct NodePeer NodePeer;
typedef struct Service Service;
typedef struct Offer Offer;
typedef struct LocalFrame LocalFrame;
typedef struct WaitingJoin WaitingJoin;
typedef struct EarlyFrame EarlyFrame;
typedef struct EarlyLost EarlyLost;
typedef struct Seeker Seeker;
typedef struct KeepJoin KeepJoin;
typedef struct KeepCommit KeepCommit;

// ---- what is here ----

typedef struct {
    Timer timer; // the first member
    void (*run)(void *owner);
    void *owner;
} NodeTimer;

// A choreography that the program has named.
struct Known {
    Known *next;
    const chx_choreography *choreography;
    HomeTable table;
    Range **over; // by definition: numbers of sessions of fixed peers that are over
};

// A role of a session that is decided here, as it is at some node.
typedef struct Seat Seat;
struct Seat {
    NodeHome *home;
    NodePeer *peer; // where there is, or was, something that plays it; NULL: nowhere
    Seat *next, **link;
};

// The node of a role with which this node's role has no channel: it is not looked for.
#define PEER_UNMET UINT32_MAX

// Room for the name that a node without a certificate has in sessions.
enum { NODE_ANONYMOUS_SIZE = 2 + 2 * sizeof(WireId) };

// Where a cast places a role.
typedef enum { PLACE_HERE, PLACE_POOL, PLACE_NODE, PLACE_NOWHERE } PlaceKind; // NOWHERE: it has no part
typedef struct {
    PlaceKind kind;
    uint32_t peer;      // PLACE_NODE: its number
    uint64_t request;   // of SEEK
    char *at;           // in the cast's words
    WireSpan arguments; // encoded, of a role that is elsewhere
    bool has_arguments;
} Placement;

struct NodeHome {
    MapItem by_session; // its number
    MapItem by_name;    // a hash of choreography, definition and name; not in a map if it has no name
    chx_node *node;
    Known *known;
    size_t definition;
    char *name;
    char *opener;                        // the node that the name belongs to; "": to all
    char visitor[CONFIG_NAME_MAX + 1];   // the node that has asked for it; "": it has no certificate
    char described[NODE_ANONYMOUS_SIZE]; // a node, in home_describe
    HomeRestarts *restarts;              // of the program's cast; NULL: there is none
    Home home;
    NodeTimer timer;
    bool is_over; // it is kept a while longer, for those who have not heard
    // Roles of a session of fixed peers (fixed.c), or with places (placed.c), begin together: until all have come, this is what they
    // have asked. NULL: it has begun.
    HomeJoin *gathered;
    size_t gathered_count;
    // Of a session that this program has started with a cast that places roles elsewhere; NULL: it is another one.
    Placement *placements; // by role
    WireSpan *arguments;   // the same, for `home`
    NodeSession *group;    // whoever has started it; NULL: does not wait any more
    uint64_t gather_ns;    // until then all roles must have a place
    NodeHome *next_placed, **link_placed;
    uint64_t forget_ns;
    // Of a session that is kept in a store (keeps.c).
    chx_keep *keep;     // NULL: it is not, or is over
    bool is_finding;    // the store is asked what it has of it; until then it has no roles
    bool is_committing; // something is on its way to the store
    bool is_unnamed;    // nobody will ask for its outcome
    bool is_wrong;      // it is not to be
    KeepJoin *asked;    // who wants to join meanwhile
    KeepCommit *commit; // what is on its way
    Seat seats[];
};

// A role of a session, here.
struct NodePart {
    MapItem by_session;
    MapItem by_request; // JOIN was said and not answered
    chx_node *node;
    NodeSession *group;
    Known *known;
    size_t definition;
    unsigned role;
    NodePeer *home;
    NodePart *next_at_home, **link_at_home;
    char *name;                          // of the session; "": none
    size_t name_count;                   // of `names`, if there are any
    char **names;                        // by role, of nodes of roles without a channel to it, PEER_UNMET; NULL: none
    char peer_name[CONFIG_NAME_MAX + 1]; // for chx_peer
    char opener[CONFIG_NAME_MAX +
                1];     // of a service's: who has asked for the session; "": somebody without a certificate
    uint8_t *arguments; // of a service's: given by the opener; NULL: it has the service's
    size_t arguments_size;
    WireId seat_key;
    // Of a durable session: what it is found by when its home was lost.
    WireId token;
    char space[WIRE_NAME_MAX + 1];
    bool is_adrift;   // its home was lost: it asks for the next one, and does nothing
    bool is_given;    // the session was over already
    chx_buffer given; // then: what the role has returned
    Service *service; // NULL: it has joined by itself
    Life life;
    NodeTimer soon, deadline;
    bool is_over; // the last word was said
    // What the role begins with: valid until it has begun.
    chx_part_beginning beginning;
    WireBlock *blocks;
    WireSaved *saved;
    char *texts;
    // What it is to be woken for.
    NodePart *next_wake;
    bool is_listed, wakes_order, wakes_go;
    bool *wakes_peer;    // by role
    uint32_t *unreached; // by role: the life of it that the home was told is not reached; 0: none
    uint32_t complains;  // the life that has said so
};

// The roles of one session that the program has started with one call.
struct NodeSession {
    chx_node *node;
    chx_session *session; // NULL: it is being started
    size_t count, open;   // so many parts; of so many the last word has not been said
    size_t left, freed;   // so many run no more; of so many the handle is gone
    unsigned pins;        // somebody is about to wake one of its roles
    bool is_released;
    bool is_detached; // nobody waits for it: a service's
    bool awaits_all;  // it is over when the whole session is, not when its own roles have come to their ends
    bool is_to_stop, is_stopped;
    chx_status status; // to stop with
    chx_fault fault;
    char *why;
    unsigned restarts;    // for the report
    HomeRestarts *limits; // of the cast, by role; NULL: there is none
    NodeHome *home;       // of a session whose cast has places; NULL: it is another one, or is not known any more
    chx_buffer *results;  // of roles that are elsewhere, encoded, by role; NULL: there are none
    size_t result_count;
    NodeSession *next, **link; // of all that there are
    NodeSession *next_ended;   // on the list of those that are to be stopped or released
    bool is_ended_listed;
    NodePart *parts[];
};

// What a node has to do with another one, or with itself.
struct NodePeer {
    MapItem by_number;
    uint32_t number;
    Seat *seats;     // of sessions that are decided here
    NodePart *parts; // whose sessions are decided there
    bool is_suspected;
    bool holds;       // its parts start no further step: N11
    uint64_t look_ns; // when it is looked how long it has been silent
    uint64_t deaf_ns; // until then this node could not hear anybody
    NodeTimer timer;
    chx_node *node;
};

// A role that this node plays in sessions to come.
// A home that is not the one of the configuration, but may ask for the role as well.
struct Seeker {
    Seeker *next;
    NodePeer *peer;
    uint64_t request;
};
struct Service {
    Service *next;
    Known *known;
    size_t definition;
    unsigned role;
    chx_service how;
    void *own;                       // its arguments
    const chx_role_arguments *given; // what they are; NULL: it has none
    size_t sessions;
    NodePeer *home;   // NULL: the configuration names none
    uint64_t request; // of its offers
    Seeker *seekers;
};

// A role that a node would play in sessions to come, as their home knows it.
struct Offer {
    Offer *next;
    NodePeer *peer;
    Known *known;
    size_t definition;
    unsigned role;
    uint32_t sessions_max, sessions;
    bool takes_arguments;
    bool is_configured; // the configuration has a line for the role; without one, only casts can ask for it
};

// What a node on a simulated network has in the place of sockets, timers and a configuration file.
typedef struct {
    const char *text; // the configuration
    size_t text_size; //
    chx_net *net;     // carrier/sim.h
    void *context;    // of what follows
    // It has something to do at this time; something may have changed. Called with the node's lock held.
    void (*changed)(void *context, uint64_t next_ns);
} NodeSurroundings;

struct chx_node {
    chx_node *next_open; // of this process
    pthread_mutex_t lock;
    _Atomic uint32_t changes; // rises when one of those who wait for something has a reason to look
    unsigned sleepers;        // so many do
    chx_runtime *runtime;
    NodeSurroundings around; // all NULL: a real one
    Config config;
    char *path, *settings;
    Peers *peers;
    chx_watcher *watcher, *clock, *stopper;
    // Descriptors: for the next of the timers (of a simulated node: readable when something has arrived, too); readable when the program
    // asks for something.
    int timer, stop;
    int over;          // of chx_node_fd; -1: nobody has asked for it
    uint64_t timer_ns; // it is set to this
    uint64_t now_ns;
    NetMemory memory;
    TimerHeap timers;
    Map peer_map, homes, names, parts, requests;
    Known *known;
    Service *services;
    Offer *offers;
    NodeHome *placed;
    chx_keeper *keeper; // the store; NULL: it has not been needed yet
    WaitingJoin *waiting;
    size_t waiting_count;
    EarlyFrame *early, **early_end;
    size_t early_bytes;
    EarlyLost *early_lost; // NULL: nothing was dropped
    LocalFrame *local, **local_end;
    NodePart *wakes;
    NodeSession *groups, *ended, *starting;
    uint64_t last_request;
    bool must_flush;
    bool has_complained; // of a node that is not reached
    bool is_stopping, is_closed;
    bool is_lost; // a simulated one: its roles do nothing more
    _Atomic unsigned linger_ms;
    _Atomic bool is_to_stop, is_to_reload;
    uint64_t linger_ns;
    bool is_cut_short; // closed with sessions that had no more time
    NodeTimer linger;
    size_t session_count; // so many have roles here
    size_t open_homes;    // so many are decided here and are not over
    size_t handles;       // sessions that the program, or a service, has a handle of
};

// ---- node.c ----

void node_lock(chx_node *node);
// Does what was put off: local frames, writing, waking. The lock is given back first.
void node_unlock(chx_node *node);
uint64_t node_random(chx_node *node);
void node_random_id(chx_node *node, WireId *id);
// The lock is held, and given back meanwhile: until somebody calls node_tell_change, or until this time (UINT64_MAX: for ever), or for
// no reason.
void node_await_change(chx_node *node, uint64_t until_ns);
void node_tell_change(chx_node *node);
void node_log(chx_node *node, chx_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
NodePeer *node_peer(chx_node *node, uint32_t number); // NULL: no memory
void node_peer_name(const chx_node *node, uint32_t number, char *text, size_t size);
// How sessions name a node without a certificate: "~" and the incarnation of its process, in hexadecimal digits.
void node_name_anonymous(const WireId *incarnation, char text[NODE_ANONYMOUS_SIZE]);
// The number of the node that is called so in a session; PEER_NONE: no memory, or it is no name.
uint32_t node_named(chx_node *node, uint32_t home, WireSpan name, WireSpan address);
bool node_peer_is_up(const chx_node *node, uint32_t number);
void node_timer_set(chx_node *node, NodeTimer *timer, uint64_t due_ns, void (*run)(void *owner), void *owner);
void node_timer_clear(chx_node *node, NodeTimer *timer);
// A session of a service is started when the lock has been given back.
void node_free_memory(chx_node *node); // it is closed, and nobody has a handle of one of its sessions
// Until the sessions that are decided here are over, and everybody knows.
void node_await_homes(chx_node *node);

// A node on a simulated network. NULL: chx_last_report says why.
chx_node *node_open_simulated(const NodeSurroundings *around);
// Something has arrived for it, or it is time for what it said that it has to do.
void node_ring(chx_node *node);
// It is lost, together with its network: its sessions end. When that is done (node_is_empty), node_discard frees it.
void node_abandon(chx_node *node);
bool node_is_empty(chx_node *node);
void node_discard(chx_node *node);
void node_start_later(chx_node *node, NodeSession *group);
// A frame to a peer, or to this node. False: no memory, or the peer is gone.
bool node_send(chx_node *node, uint32_t peer, uint64_t lane, WireKind kind, const void *frame);
// The same for DATA, which may find no room.
LinkSending node_give(chx_node *node, uint32_t peer, uint64_t lane, const WireData *data);
// The node that the program has opened first; NULL: it has none.
chx_node *node_of_process(void);
char *node_copy(WireSpan text);                       // NUL-terminated; NULL: no memory
bool node_append(chx_buffer *buffer, WireSpan bytes); // false: no memory
static inline bool span_is(WireSpan span, const char *text)
{
    return strlen(text) == span.size && memcmp(span.data, text, span.size) == 0;
}

// ---- dispatch.c ----

bool node_deliver(void *context, uint32_t from, const WireFrame *frame);

// ---- early.c ----

// False: no memory.
bool early_keep(chx_node *node, uint32_t from, const WireFrame *frame);
void node_deliver_early(chx_node *node, uint64_t session);
// Was something for this life dropped, for want of room?
bool early_was_lost(const chx_node *node, uint64_t session, unsigned role, uint32_t life);
void early_free(chx_node *node);

// ---- known.c ----

Known *known_add(chx_node *node,
                 const chx_choreography *choreography); // found, or made; NULL: no memory, the report says so
// The one with this digest; if there is none, another version of it. A program may have several versions of a choreography.
Known *known_find(chx_node *node, WireSpan name, uint64_t protocol);
bool known_is(const Known *known, uint64_t protocol);
void known_free(chx_node *node);
// The index of a role, a definition; -1: there is none of that name.
int known_role(const Known *known, WireSpan name);
int known_definition(const Known *known, WireSpan name);
// Does one of the two roles send to the other one?
bool known_has_channel(const Known *known, unsigned one, unsigned other);
// Does the role have something to do?
bool known_has_part(const chx_definition *definition, unsigned role);
// The configuration says which node plays the role.
bool known_is_placed(const chx_node *node, const Known *known, unsigned role);
// The role whose node decides about sessions of the choreography.
unsigned known_home_role(const chx_node *node, const Known *known);
// The number of that node. 0: the configuration does not say; why.
uint32_t known_home(chx_node *node, const Known *known, char *why, size_t why_size);
// May the peer play this role? If not, why.
bool known_allows(chx_node *node, const Known *known, unsigned role, uint32_t peer, char *why, size_t why_size);
// The same if a cast asks for it: then the configuration need not say anything about the role.
bool known_allows_cast(chx_node *node, const Known *known, unsigned role, uint32_t peer, char *why, size_t why_size);
// Does the configuration say who plays the role?
bool known_is_configured(const chx_node *node, const Known *known, unsigned role);
// May the peer decide about sessions of the choreography that have roles here? `home`: the one that the configuration names.
bool known_may_open(chx_node *node, const Known *known, const NodePeer *home, uint32_t peer, char *why,
                    size_t why_size);

// ---- homes.c ----

// True, except for want of memory.
bool homes_join(chx_node *node, uint32_t from, const WireJoin *join);
// A JOIN, OFFER or SEEK for a choreography, or a service, that is not known yet. False: no memory. *is_full: it is not kept, since there
// are too many.
bool homes_wait(chx_node *node, uint32_t from, WireKind kind, const void *frame, bool *is_full);
// The first of these that was kept and that `is_meant`; false: there is none. It is freed with `*memory`.
bool homes_wait_next(chx_node *node, bool (*is_meant)(const void *context, const WireFrame *frame), const void *context,
                     uint32_t *from, WireFrame *frame, void **memory);
// The choreography has become known: those who asked for it before get their answer.
void homes_answer_waiting(chx_node *node, const Known *known);
bool homes_report(chx_node *node, uint32_t from, uint64_t session, const WireFrame *frame);
void homes_peer_lost(chx_node *node, NodePeer *peer, const char *why);
void homes_peer_silent(chx_node *node, NodePeer *peer, const char *why);
void homes_peer_up(chx_node *node, NodePeer *peer);
// Somebody would play this role.
void homes_offered(chx_node *node, Offer *offer);
void homes_release(chx_node *node, NodePeer *peer);
void homes_cancel(chx_node *node, uint64_t session, const char *why);
void homes_free(chx_node *node);
NodeHome *homes_find(chx_node *node, uint64_t session);
// A new session. NULL: no memory. The strings are the session's afterwards.
NodeHome *homes_new(chx_node *node, uint32_t from, Known *known, size_t definition, char *name, char *opener,
                    bool is_durable);
void home_free(NodeHome *home);
void homes_fill(NodeHome *home);   // roles that others, or this node, would play
void home_changed(NodeHome *home); // an event was fed to it

// ---- keeps.c ----

// Has the definition durable blocks, on a machine that may lose power?
bool keeps_wants(const chx_node *node, const chx_choreography *choreography, size_t definition);
// May such a session be decided here, and (*is_durable) is it kept in a store? NULL as its name: a cast has placed it. False: why not.
bool keeps_may(chx_node *node, const chx_choreography *choreography, const char *name, bool *is_durable, char *why,
               size_t why_size);
// Asks the store what it has of the session. False: no memory.
bool keeps_begin(NodeHome *home);
// Somebody wants to join before the store has answered. False: no memory.
bool keeps_join(NodeHome *home, const HomeJoin *join, const WireId *token);
void keeps_forget_peer(NodeHome *home, uint32_t peer);
void keeps_commit(NodeHome *home);
void keeps_lost(NodeHome *home);
void keeps_end(NodeHome *home);  // the store has its outcome
void keeps_free(NodeHome *home); // nothing is on its way

// ---- placed.c ----

// A cast that places roles on other nodes. NULL: *status and the thread's report say why.
chx_session *placed_start(chx_node *node, const chx_choreography *choreography, size_t definition,
                          const chx_actor *cast, const void *arguments, chx_status *status);
bool placed_fits(const NodeHome *home, const Offer *offer); // may the offer's node play the role in this session?
void placed_offered(NodeHome *home);                        // a place may have been found
void placed_expire(NodeHome *home);                         // some role has found no place in time
void placed_over(NodeHome *home, chx_status status, const WireFault *fault);
void placed_forget(NodeHome *home); // it is about to be freed
void placed_cancel(NodeSession *group, const char *why);
void placed_cancel_all(chx_node *node, const char *why);
void placed_peer_up(chx_node *node, uint32_t peer);
void placed_peer_is(chx_node *node, uint32_t peer, uint32_t as); // two numbers mean the same node
// A node that a cast names does not play the role. `request`: that of SEEK; 0: whatever was asked of it.
bool placed_refused(chx_node *node, uint32_t from, uint64_t request, const Offer *of, const char *why);

// ---- offers.c ----

bool offers_take(chx_node *node, uint32_t from, const WireOffer *offer);
void offers_forget_peer(chx_node *node, const NodePeer *peer);
// The best of those who would play the role; NULL: nobody is there.
Offer *offers_best(const NodeHome *home, unsigned role);
// Its node gets the role; 0: nobody is there.
uint32_t offers_place(NodeHome *home, unsigned role);
// It can't play the role in one more session after all: it will offer it again when it can.
void offers_refused(chx_node *node, uint32_t from, const Known *known, size_t definition, unsigned role);
void offers_free(chx_node *node);

// ---- service.c ----

void services_offer(chx_node *node, NodePeer *home);
void service_changed(chx_node *node, Service *service); // it has another number of sessions
bool service_is_full(const chx_node *node, const Service *service);
void service_free(Service *service);
Service *services_find(chx_node *node, const Known *known, size_t definition, unsigned role);
// May this node decide about a session of the service?
bool service_knows(const Service *service, uint32_t home);
// A home asks for a role. False: no memory.
bool services_seek(chx_node *node, uint32_t from, const WireSeek *seek);
void services_answer_waiting(chx_node *node, const Service *service); // those who have asked before it was there
void services_forget_peer(chx_node *node, const NodePeer *peer);
void services_free(chx_node *node);

// ---- parts.c ----

extern const chx_part_ops part_ops;
extern const LifeEffects part_effects;
NodePart *parts_find(chx_node *node, uint64_t session, unsigned role);
void part_over(NodePart *part, chx_status status, const chx_fault *fault); // the last word: fault is NULL for CHX_OK
void part_heed(NodePart *part);                                            // its life's state may have changed
void part_wake_for_all(NodePart *part);                                    // whatever it waits for
void part_wake(NodePart *part);                                            // puts it on the list
void parts_deliver_wakes(chx_node *node);                                  // called without the lock
void part_fault_text(const WireFault *from, chx_fault *fault, char *text, size_t size);
void part_set_home(NodePart *part, NodePeer *home);
void part_free(NodePart *part);
void part_is_too_large(NodePart *part, uint32_t peer, size_t size); // for this peer
void group_enter(NodeSession *group);
void group_leave(NodeSession *group);
void session_list_ended(NodeSession *group);
// The session has ended so. `part`: of any role here, or NULL.
void group_stop(NodeSession *group, const chx_choreography *choreography, chx_status status, const chx_fault *fault);
void group_free(NodeSession *group);
void group_release(NodeSession *group); // what it holds besides its parts
extern const chx_part_ops group_ops;    // of a session without roles here

// ---- reach.c ----

// What peers.h asks about relays (N12).
size_t reach_relays(void *context, uint32_t peer, uint32_t *numbers, size_t most);
bool reach_may_relay(void *context, uint32_t peer, uint32_t other);
bool reach_is_relay(void *context, uint32_t peer);
void reach_unreached(void *context, uint32_t peer);
// The peer is up: nobody complains of it any more.
void reach_up(chx_node *node, uint32_t peer);

// ---- joins.c ----

// The limits of a cast. False: no memory.
bool group_take_limits(NodeSession *group, const chx_choreography *choreography, const chx_actor *cast);
// NULL: no memory.
NodeSession *group_new(chx_node *node, Known *known, size_t definition, const unsigned *roles, size_t count,
                       NodePeer *home);
chx_session *joins_start(chx_node *node, const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                         const unsigned *roles, size_t count, const char *name, const void *arguments,
                         chx_status *status);
bool joins_restore(chx_node *node, uint32_t from, const WireFrame *frame);
bool joins_refused(chx_node *node, uint32_t from, const WireRefused *refused);
bool joins_outcome(chx_node *node, uint32_t from, const WireOutcome *outcome);
// The session is decided elsewhere now, not here.
void joins_home_gone(chx_node *node, uint64_t session);
void joins_again(NodePart *part);                            // its life was fenced
void joins_start_served(chx_node *node, NodeSession *group); // without the lock
// The peer's process is gone, or has not been heard for too long.
void joins_peer_lost(chx_node *node, NodePeer *peer, const char *why);
void joins_peer_silent(NodePeer *peer);

#endif
