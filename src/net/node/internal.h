// internal.h: what the files of peers.h share.
//
//   Peer   another node: its number, name, address, certificate, and what waits to be sent to it
//   Bond   a link machine and its connections. A peer has one; when that is lost it gets another, and the old one may live a little
//          longer to say goodbye
//   Line   a connection, from the moment when it is dialled or accepted
//
// Effects of a link machine come in the middle of one of its events, so most of what they ask for is noted in the bond, which is put on
// a list; settling the list is the last thing that peers_step and the like do.

#ifndef NET_NODE_INTERNAL_H
#define NET_NODE_INTERNAL_H

#include "net/carrier/secure.h"
#include "net/node/broken.h"
#include "net/node/outbox.h"
#include "net/node/peers.h"
#include "net/node/pool.h"
#include "net/node/timers.h"
#include "net/relay/broken.h"
#include "net/relay/leg.h"

typedef struct Peer Peer;
typedef struct Bond Bond;
typedef struct Line Line;
typedef struct Relayed Relayed;

enum { WHY_SIZE = 512, COMPLAINT_SIZE = 200 };
// So much is read from a connection before another one has its turn.
enum { INPUT_SIZE = 64 << 10 };
// Connections whose callers are not known yet; there may be more, but they wait.
enum { CALLS_MAX = 256 };

// ---- connections ----

typedef enum {
    LINE_DIALLING,  // by a bond
    LINE_SEEKING,   // dialled, to find out who is at an address
    LINE_CALLING,   // accepted, TLS is not done
    LINE_ANONYMOUS, // accepted; the caller has no certificate, and has not said HELLO
    LINE_BOUND,     // of a bond
    LINE_CLOSED,    // about to be freed
} LineState;

struct Line {
    Peers *peers;
    Secure *secure;   // NULL: closed
    uint64_t id;      // for epoll: its place in the table of lines, and a number that no other line has had
    int fd;           // that epoll knows
    LineState state;  //
    bool has_hung_up; // there will be an end
    bool is_again;    // it is tried again without being asked
    Line *next_again;
    Line *next_gone;
    Bond *bond;      // DIALLING, BOUND
    unsigned number; // in its link
    Peer *seeker;    // SEEKING
    Relayed *relay;  // it goes through another node; NULL: it does not
    // CALLING, ANONYMOUS:
    Line *next_call, *previous_call;
    uint64_t since_ns;
    uint8_t *first; // the beginning of the first frame of an anonymous caller
    size_t first_size;
};

// NULL: no memory; it has closed `secure`.
Line *line_new(Peers *peers, Secure *secure, LineState state);
// Asks the system to say when something happens. False: it can't.
bool line_watch(Line *line);
// Closes the connection. The memory stays until lines_bury.
void line_close(Line *line);
void lines_bury(Peers *peers);
// Something may be read or written. `events`: of epoll.
void line_ready(Line *line, uint32_t events, uint64_t now_ns);
void line_try_again(Line *line);
// Goes on with a connection that is not established yet.
void line_establish(Line *line, uint64_t now_ns);
// It belongs to a bond from now on.
void line_bind(Line *line, Bond *bond, unsigned number);
// Writes what its link has for it.
void line_write(Line *line, uint64_t now_ns);
Line *line_of_id(const Peers *peers, uint64_t id); // NULL: it is gone

// ---- links ----

struct Bond {
    Link link;
    Timer timer; // of the link
    Peers *peers;
    Peer *peer; // NULL: it is not its peer's any more
    Line *lines[LINK_CONNECTIONS];
    Bond *next, *previous; // of all
    Bond *next_pending;
    bool is_pending;
    bool tells_down, tells_room;    // handlers have to be told
    bool is_idle;                   // nothing but PING and PONG for a while: its memory is given back
    unsigned dials;                 // connections, as bits, that the link wants to have dialled
    Line *relayed;                  // one through a relay that is being made, besides the direct one or instead of it
    Line *probe;                    // a direct one that is being made while the link is up through a relay
    Line *spare;                    // a connection that somebody has made already; NULL: none
    LinkLoss loss;                  //
    uint64_t movement;              // frames, as of the last tick,
    uint64_t moved_ns;              // and when that changed
    uint64_t wanted_ns;             // somebody wants the link since then; 0: nobody does
    uint64_t relay_ns;              // not before that a relay is looked for (again),
    uint64_t relay_wait_ns;         // and so long after the next failure
    uint64_t probe_ns;              // the direct way is tried again then
    uint64_t unreached_ns;          // not before that it is told (again) that nothing arrives
    uint64_t review_ns;             // it is looked again then who may talk through this node
    unsigned relay_turn;            // which of the relays is next
    char complaint[COMPLAINT_SIZE]; // to be made; "": none
};

// NULL: no memory.
Bond *bond_new(Peers *peers, Peer *peer);
void bond_free(Bond *bond);
// Dials, if it has not been up and an address is known.
void bond_open(Bond *bond);
void bond_pend(Bond *bond);
// The peer has made this connection.
void bond_accept(Bond *bond, Line *line, uint64_t now_ns);
// A connection that was dialled is established, or has ended.
void bond_dialled(Bond *bond, Line *line, uint64_t now_ns);
void bond_broken(Bond *bond, Line *line, uint64_t now_ns);
void bond_input(Bond *bond, Line *line, const uint8_t *bytes, size_t size, uint64_t now_ns);
void bond_complain(Bond *bond, const char *why);
// A connection that was dialled could not be made. The link is told if it was the last way that was tried.
void bond_failed(Bond *bond, Line *line, uint64_t now_ns);
// The link is given up, or was lost: the handler is told, and the peer gets a new link; an anonymous one is forgotten.
void bond_lose(Bond *bond, LinkLoss loss, const char *why, uint64_t now_ns);
// The peer is not needed any more: it is told so, and forgotten.
void bond_release(Bond *bond, const char *why, uint64_t now_ns);
// It has never been up, and nothing was sent: so nothing is lost with it.
bool bond_is_unused(const Bond *bond);
// Does everything that was noted, for all bonds.
void bonds_settle(Peers *peers, uint64_t now_ns);
// How many frames were sent and received.
static inline uint64_t bond_movement(const Bond *bond)
{
    return bond->link.kept.next + bond->link.lanes.streams + bond->link.received;
}

// ---- peers ----

// In a table of names, or of addresses, or of incarnations.
typedef struct Entry Entry;
struct Entry {
    Entry *next;
    uint64_t hash;
    const void *key;
    size_t size;
    Peer *peer; // NULL: it is in no table
};

typedef struct {
    Entry **buckets;
    size_t bucket_count, count;
} Index;

typedef struct {
    Peer **items;
    uint16_t *generations; // how often a place was used
    uint32_t capacity;
    uint32_t *free; // a ring of places
    uint32_t free_first, free_count;
    uint32_t count;
    Index names, places, incarnations;
    uint64_t seed;
} Table;

struct Peer {
    Peers *peers;
    uint32_t number;
    char *name;    // NULL: anonymous, or not known yet
    char *address; // NULL: it can't be dialled
    char *place;   // the address that it was first known by, in the table of places; NULL: by its name
    char build[WIRE_NAME_MAX + 1];
    bool is_anonymous;
    WireId incarnation; // of an anonymous one
    Entry by_name, by_place, by_incarnation;
    Bond *bond; // NULL: it is not known who it is
    // Streams of which this peer is the next node, in the order in which it is their turn.
    Relayed *legs, *last_leg;
    unsigned leg_count;
    uint32_t leg_number; // of the last one that this node has opened
    bool is_relayed;     // the last time that its link came up, it was through a relay
    Outbox outbox;
    bool is_short;           // somebody was refused because of the outbox, and waits for `room`
    bool is_short_of_memory; // the same, and nobody says when there is some again
    TlsPeer identity;        // its certificate
    void *identity_memory;
    Timer timer;       // is it needed? For one whose name is not known: dialling
    uint64_t movement; // frames, as of the last time that was asked
    // One whose name is not known:
    Line *seek;
    uint64_t retry_ns, since_ns;
    // One that turned out to be somebody else:
    uint32_t as; // number; 0: it has not
    Peer *aliases, *next_alias;
    char why[WHY_SIZE];
    bool has_complained; // something was logged since it was up
};

bool table_init(Table *table, uint64_t seed);
void table_fini(Table *table);
// The peer of this number, or whom it turned out to be. NULL: there is none.
Peer *table_peer(const Table *table, uint32_t number);
Peer *table_named(const Table *table, WireSpan name);
Peer *table_placed(const Table *table, WireSpan address);
Peer *table_incarnated(const Table *table, const WireId *incarnation);

// Each of them NULL: no memory.
Peer *peer_new_named(Peers *peers, WireSpan name);
Peer *peer_new_placed(Peers *peers, WireSpan address);
Peer *peer_new_anonymous(Peers *peers, const WireId *incarnation);
// The name of one that was known by its address only. False: no memory.
bool peer_set_name(Peer *peer, const char *name);
bool peer_set_address(Peer *peer, WireSpan address);
// Remembers its certificate. False: no memory.
bool peer_identify(Peer *peer, const TlsPeer *identity);
// Tells the handler that the number is not valid any more, and frees it.
void peer_forget(Peer *peer);
void peer_free(Peer *peer); // only that
// "node 'bank'", "the node at 192.0.2.7:7741", "an anonymous node".
void peer_describe(const Peer *peer, char *text, size_t size);
// The connection of an anonymous peer has come up or gone.
void peer_watch_absence(Peer *peer, uint64_t now_ns);

// Looks for a peer of which only the address is known, until it is found.
void seek_begin(Peer *peer, uint64_t now_ns);
void seek_established(Line *line, uint64_t now_ns);
void seek_failed(Line *line, const char *why, uint64_t now_ns);
void seek_timer(Peer *peer, uint64_t now_ns);

// ---- relays ----

// Of one neighbour so many streams at once; who opens twice as many breaks the protocol.
enum { LEGS_MAX = 256 };
// A connection through a relay may be silent for so many keepalives.
enum { RELAY_PATIENCE = 8 };

// A leg of a stream, and what it belongs to.
struct Relayed {
    Leg leg;
    Peer *peer; // the neighbour; NULL: its link is gone
    Relayed *next, *previous;
    Relayed *other; // of a stream that is carried for others: its other leg. NULL: that is gone
    bool is_end;    // the stream begins or ends here,
    bool is_open;   // and is in use
    Line *line;     // by this connection
    LegQueue in;    // what it has not read
};

// A connection to a node through another one. NULL: no memory.
Line *relay_dial(Peer *relay, const Peer *to, uint64_t deadline_ns);
// A frame about a stream. False: no memory, it has to come again.
bool relay_deliver(Bond *bond, const WireFrame *frame);
// Sends what there is to be said about streams, as far as there is room.
void relay_flush(Peer *peer);
// The link with this neighbour is gone.
void relay_drop(Peer *peer, const char *why);
// Who was allowed to talk through this node may have lost the right.
void relay_review(Peer *peer);
// The relay has said who calls: is that true?
bool relay_is_from(const Line *line, const char *name);
// Is it connected with this node itself?
static inline bool bond_is_direct(const Bond *bond)
{
    return bond->link.state == LINK_UP && bond->lines[bond->link.up] != NULL &&
           bond->lines[bond->link.up]->relay == NULL;
}

// Dials what the link asks for, directly, through a relay, or both.
void ways_dial(Bond *bond, unsigned number, uint64_t now_ns);
// The link is up.
void ways_up(Bond *bond, uint64_t now_ns);
// A relay has refused, or could not connect.
void ways_relay_failed(Bond *bond, uint64_t now_ns);
// A direct connection is there, while the link is relayed.
void ways_probed(Bond *bond, uint64_t now_ns);
// What is due by the clock; when that is the next time. UINT64_MAX: never.
void ways_tick(Bond *bond, uint64_t now_ns);
uint64_t ways_next_ns(const Bond *bond);
// They are not needed any more.
void ways_close(Bond *bond);

// ---- callers ----

// A listener and those who have called and are not known yet, the oldest first.
typedef struct {
    void *listener; // NULL: this node only dials
    char address[300];
    bool is_paused;
    Line *first, *last;
    unsigned count;
    Timer timer;
} Calls;

// False: `why` says why it can't listen.
bool calls_open(Peers *peers, char *why, size_t why_size);
void calls_close(Peers *peers);
void calls_ready(Peers *peers, uint64_t now_ns);
// Somebody has called who is to say who it is.
void call_begin(Line *line, uint64_t now_ns);
void call_established(Line *line, uint64_t now_ns);
void call_failed(Line *line, const char *why);
// Reads the first frame of an anonymous caller.
void call_read(Line *line, uint64_t now_ns);

// ---- what is logged ----

// Of what anybody can cause, so many lines in a minute.
enum { SAYINGS_MAX = 10 };

typedef struct {
    uint64_t since_ns;          // the minute
    uint64_t said[SAYINGS_MAX]; // hashes of lines
    unsigned count, left_out;
} Sayings;

// Something is wrong with a peer. It is said once, until the peer has been up.
void say_problem(Peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_solved(Peer *peer);
void say_always(Peers *peers, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Something that anybody can cause as often as he likes. The same line comes once in a minute.
void say_rarely(Peers *peers, Sayings *sayings, uint64_t now_ns, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// ---- all of it ----

struct Peers {
    const Config *config;
    const chx_carrier_ops *carrier;
    chx_net *net;
    bool owns_net;
    const PeerHandlers *handlers;
    void *context;
    uint64_t (*now)(void *context);
    uint64_t (*random)(void *context);
    char *name; // "": anonymous
    char build[WIRE_NAME_MAX + 1];
    TlsContext *tls;
    bool accepts_anonymous;
    Table table;
    Timers timers;
    Pool pool;
    Calls calls;
    Sayings refusals, complaints;
    Bond *bonds;
    Bond *pending, **pending_last;
    Bond *delivering;    // whose frame is being delivered
    Line **lines;        // by place
    uint32_t *line_free; // places
    uint32_t line_capacity, line_free_count, line_serial;
    Line *again, **again_last;
    Line *gone;
    uint32_t anonymous_count;
    int poller, alarm; // epoll, timerfd; -1: simulated
    uint64_t alarm_ns; // when it rings; UINT64_MAX: it does not
    uint8_t input[INPUT_SIZE];
};

static inline uint64_t peers_now(Peers *peers)
{
    return peers->now(peers->context);
}

#endif
