// peers.h: the other nodes, as this one knows them: links, dialling, listening, who they are.
//
// Everything between a node and the bytes: carriers, TLS, the link machines, and what the configuration says about them. A peer has a
// number for as long as it is known, through any number of connections and of processes under its name.
//
// Not thread-safe: the node calls everything with its lock held. Handlers are called during peers_step, peers_flush, peers_lose and
// peers_reload, never during another function, and one at a time. They may call peers_send, peers_find, peers_complain and whatever
// only looks (peers_about, peers_may_play, ...), nothing else. What they cause is done before the function that called them returns.
//
// Files: peers.c, what is said here; table.c, which peers there are; bond.c, a peer and its link machine; line.c, bytes of one
// connection; accept.c, connections that others have made; relay.c, streams through other nodes, and those that this one carries for
// others; ways.c, when a relay is used, and when no more; seek.c, nodes of which only the address is known; outbox.c, control frames
// that wait; say.c, what is logged; pool.c, memory; timers.c.

#ifndef NET_NODE_PEERS_H
#define NET_NODE_PEERS_H

#include "chorex/net.h"
#include "net/config/config.h"
#include "net/link/link.h"

typedef struct Peers Peers;

// Numbers of peers are never 0 or 1, and are not given out a second time soon.
enum { PEER_NONE = 0, PEER_SELF = 1 };

typedef struct {
    // A frame from the peer: each once and in order, as long as both processes live. What it points to is valid during the call. False:
    // it can't be taken now (no memory), and comes again.
    bool (*deliver)(void *context, uint32_t peer, const WireFrame *frame);
    void (*up)(void *context, uint32_t peer);
    void (*down)(void *context, uint32_t peer); // not a failure
    // The peer's process is gone, or is not trusted any more. What was sent to it before this call, and has not arrived, never will; what
    // is sent in this call or later is for the next process of this peer. `why` is in the user's words.
    void (*lost)(void *context, uint32_t peer, LinkLoss loss, const char *why);
    // Sending is worth another try after LINK_NO_ROOM or LINK_NO_MEMORY.
    void (*room)(void *context, uint32_t peer);
    // A control frame that has been accepted is larger than the peer takes: which was not known then. It is not sent.
    void (*too_large)(void *context, uint32_t peer, uint64_t lane, WireKind kind, size_t size, size_t limit);
    // A peer that was known by its address only has said who it is, and that is known under another number (PEER_SELF: it is this node).
    // What was sent to it goes there; its own number means the same as the other from now on, but is not used in these calls.
    void (*same)(void *context, uint32_t peer, uint32_t as);
    // Through which nodes could this peer be reached, if it can't be dialled (N12)? Numbers of up to `most` of them; how many. NULL: none.
    size_t (*relays)(void *context, uint32_t peer, uint32_t *numbers, size_t most);
    // May these two talk to each other through this node? NULL: no.
    bool (*may_relay)(void *context, uint32_t peer, uint32_t other);
    // May somebody else talk to this node through that peer? NULL: no.
    bool (*is_relay)(void *context, uint32_t peer);
    // Somebody wants the peer, and there has been no connection with it, neither direct nor relayed, for longer than a relay takes. Called
    // again and again until it is up.
    void (*unreached)(void *context, uint32_t peer);
    // Is somebody still interested in this peer? Asked when nothing was sent or received for `keep` (for an anonymous one: when it has
    // been away for `absent`).
    bool (*is_needed)(void *context, uint32_t peer);
    // The number is not valid any more. `lost` was called before if the peer has ever been up.
    void (*forgotten)(void *context, uint32_t peer);
    // A line for whoever runs the node. The same thing is said once, and not too much of it.
    void (*log)(void *context, const char *text);
} PeerHandlers;

typedef struct {
    const Config *config; // stays valid until peers_close, or until peers_reload has taken another one
    const char *build;    // for HELLO: which program this is; NULL: ""
    // NULL: tcp. `net` NULL: made here, and freed.
    const chx_carrier_ops *carrier;
    chx_net *net;
    bool is_plain;                // of a simulated network only: without TLS, the network says who is who
    const PeerHandlers *handlers; // members may be NULL, except for deliver
    void *context;
    uint64_t (*now_ns)(void *context); // a clock that never goes back; NULL: CLOCK_MONOTONIC
    uint64_t (*random)(void *context); // NULL: the system's
} PeersOptions;

// Listens, if the configuration says so. NULL: `why` says what is wrong and what to do.
Peers *peers_open(const PeersOptions *options, char *why, size_t why_size);
// What the next HELLO says of this program, in place of `build` of the options.
void peers_set_build(Peers *peers, const char *build);
// Says goodbye to all peers that are up, as far as that is possible without waiting, and frees everything. No handler is called.
void peers_close(Peers *peers, const char *why);
// New certificates, addresses, limits and deny lines; peers that are denied now are lost at once. False: all stays as it is; why.
bool peers_reload(Peers *peers, const Config *config, char *why, size_t why_size);

// ---- which peers there are ----

// The number of a node, which is made known, and dialled (with the next peers_flush or peers_step), if need be. By name: its address is
// the one in the configuration, else the one given, which may be empty: then the node has to come by itself. Without a name: whoever is
// at this address. PEER_SELF: it is this node. PEER_NONE: no memory, or this can't be a name or an address.
uint32_t peers_find(Peers *peers, WireSpan name, WireSpan address);
// The same, but it is dialled when something is sent to it; or at once, if it could not dial this node, which does not listen.
uint32_t peers_know(Peers *peers, WireSpan name, WireSpan address);
// The number of a node without a certificate, which is known by the incarnation of its process. It has to come by itself, if it is not
// here yet. PEER_NONE: no memory, or there are too many.
uint32_t peers_find_anonymous(Peers *peers, const WireId *incarnation);

typedef struct {
    const char *name;    // NULL: anonymous, or not known yet
    const char *address; // where it is dialled; NULL: nowhere
    const char *build;   // as of its last HELLO; "" before
    const char *relay;   // the node through which it is reached; NULL: directly, or not at all
    const char *why;     // why it could not be reached, or was lost, the last time; ""
    LinkState state;     // of its link; never LINK_LOST
    bool is_anonymous;
    bool is_idle;        // all that was sent to it has arrived
    uint64_t sure_ns;    // it has heard us at this time or later (N11); 0: never
    uint64_t heard_ns;   // when something came from it; 0: never
    int64_t valid_until; // its certificate, in seconds since 1970; 0: it has none, or is not known yet
    WireId incarnation;  // of its end of the link: another one after each loss; 0: not known yet
    WireId own;          // of this node's end: what an anonymous node is known by to this peer
} PeerAbout;
// False: there is no such peer.
bool peers_about(const Peers *peers, uint32_t peer, PeerAbout *about);
// Does its certificate allow this role? False for one that has none.
bool peers_may_play(const Peers *peers, uint32_t peer, const char *choreography, const char *role);

// Where it listens, with the port that the system has chosen; NULL: nowhere.
const char *peers_address(const Peers *peers);

// ---- frames ----

// As link_send. LINK_CONTROL is never refused for want of room: what the link has no room for waits here, bounded by memory only. While
// something waits so, LINK_DATA is refused, so that nothing overtakes it. LINK_GONE: there is no such peer, or `lost` is about to be
// called for it. It is written with the next peers_flush or peers_step.
LinkSending peers_send(Peers *peers, uint32_t peer, LinkClass class, uint64_t lane, WireKind kind, const void *frame);
// Writes what can be written now. Called after a batch of sends, not by handlers.
void peers_flush(Peers *peers);
// The peer breaks the protocol (L7): the connection ends, and the third time in a minute it is lost. The text is copied.
void peers_complain(Peers *peers, uint32_t peer, const char *why);
// Gives the peer's process up: it is told, and `lost` is called (LINK_LOSS_GIVEN_UP). Not called by handlers.
void peers_lose(Peers *peers, uint32_t peer, const char *why);
// All that was sent to anybody has arrived, or its receiver is lost.
bool peers_are_idle(const Peers *peers);

// ---- waiting ----

// Reads and writes what is ready, accepts, dials, does what is due. To be called when the descriptor is readable, and at peers_next_ns.
void peers_step(Peers *peers, uint64_t now_ns);
// Readable when peers_step is worth while; a timer is in it. It may be watched edge-triggered. -1: on a simulated network.
int peers_descriptor(const Peers *peers);
uint64_t peers_next_ns(const Peers *peers); // UINT64_MAX: never

#endif
