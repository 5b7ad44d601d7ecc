// link.h: the link between two nodes as a state machine: events in, effects out.
//
// Frames arrive once and in order for as long as both processes live, whatever happens to connections in between. The machine
// does no input or output, has no clock, no threads and no randomness of its own: the time comes with each event, and
// everything else is asked for through a table of effects. Whoever feeds it makes sure that there is one event at a time.
//
// A link has up to LINK_CONNECTIONS connections at one moment, one of which is up. A connection is a stream of bytes each way
// that has already been set up (TLS included) and whose other end is known to be the peer that this link is for; the node
// finds out which that is by the certificate, or, for peers that have none, by the incarnation in the first frame.
//
//   connection:  DIALLING -> HELLO -> UP -> gone      (an accepted one begins with HELLO; CLOSING: a last frame is written)
//   link:        NEW -> UP <-> DOWN -> LOST
//
// The rules (L1 to L7), their functions, and where tests/model/net has them:
//
//   L1  HELLO                        hello_put, hello_check       link.pml: HELLO. dial.pml: HELLO, ANSWER
//   L2  one connection of two        hello_accept                 dial.pml: on_hello, DUPLICATE
//       what the peer gave up        hello_is_late, peer_learn    dial.pml: peer_time, learn
//   L3  numbers                      numbered_take                link.pml: Receiver, DATA
//       resume                       connection_up                link.pml: Sender, HELLO: next = acknowledged
//       old one closed first         hello_accept                 link.pml: Receiver, HELLO: shut_receiver, discard
//       acknowledgements             kept_acknowledge             link.pml: Sender, ACK
//   L4  another incarnation          hello_check, pong_take       link.pml: is_lost. dial.pml: challenged, lose
//   L5  liveness                     link_tick, ping_put          cuts that one side does not see
//   L6  bounds, pieces               link_send, lanes.h           link.pml: W
//   L7  trust                        connection_error             link.pml: assert(false)
//
// link.pml has one direction, and connections one after the other. That they have an order here, too, although both sides dial,
// is what dial.pml is about.

#ifndef NET_LINK_LINK_H
#define NET_LINK_LINK_H

#include "net/link/broken.h"
#include "net/link/gather.h"
#include "net/link/lanes.h"

typedef struct Link Link;

typedef enum {
    LINK_NEW,  // has never been up
    LINK_UP,   // there is a connection
    LINK_DOWN, // there was one. That is not a failure
    LINK_LOST, // the peer's process is gone, or must not be trusted: nothing comes any more, nothing can be sent
} LinkState;

typedef enum {
    LINK_LOSS_INCARNATION, // another process has the peer's name now (L4)
    LINK_LOSS_FORGOTTEN,   // the peer's process has given up this link and begins a new one
    LINK_LOSS_ERRORS,      // the peer broke the protocol for the third time in a minute (L7)
    LINK_LOSS_ENDED,       // the peer has ended in order
    LINK_LOSS_GIVEN_UP,    // by this node (link_end): the machine itself never says so
} LinkLoss;

typedef struct {
    WireId incarnation; // of this node
    const char *node;   // its name; must stay valid
    const char *build;
    bool may_dial;          // it knows where the peer listens
    uint32_t message_max;   // bytes
    size_t kept_max;        // bytes of frames that are not acknowledged
    uint64_t keepalive_ns;  // PING as often; given up after twice that without a byte
    uint64_t handshake_ns;  // for dialling and TLS; also for a peer's HELLO
    uint64_t ack_delay_ns;  // at the latest
    size_t ack_bytes;       // at the latest
    uint64_t retry_ns;      // before dialling again, doubled each time,
    uint64_t retry_most_ns; // up to this
} LinkOptions;

// The usual values (NETRULES L3, L5, L6), to be filled with incarnation, node, build and may_dial.
extern const LinkOptions link_defaults;

enum { LINK_CONNECTIONS = 4 };

// What the machine asks of its surroundings, during an event. None of these may call an event's function, except that
// `deliver`, `up` and `room` may call link_send, and `deliver` may call link_complain.
typedef struct {
    void *(*allocate)(void *context, size_t size); // NULL: no memory
    void (*release)(void *context, void *memory);
    uint64_t (*random)(void *context);
    // Dial the peer: then link_dialled or link_broken for this connection.
    void (*dial)(void *context, unsigned connection);
    // The connection is over: bytes that were not read are thrown away, and no event may be about it any more.
    void (*close)(void *context, unsigned connection, const char *why);
    // A numbered frame; what it points to is valid during the call. False: it can't be taken now (no memory): the connection
    // is given up, and the frame comes again.
    bool (*deliver)(void *context, const WireFrame *frame);
    // The peer says who it is. False: the connection was set up with somebody else.
    bool (*greet)(void *context, unsigned connection, const WireHello *hello);
    void (*up)(void *context);
    void (*down)(void *context);
    // After LINK_NO_ROOM or LINK_NO_MEMORY: sending is worth another try.
    void (*room)(void *context);
    void (*lost)(void *context, LinkLoss loss);
} LinkEffects;

typedef enum {
    CONNECTION_NONE,
    CONNECTION_DIALLING,
    CONNECTION_HELLO,   // the peer's HELLO is awaited
    CONNECTION_UP,      //
    CONNECTION_CLOSING, // what comes is ignored; a last frame is being written
} ConnectionState;

enum { CONTROL_BYTES = 1024 };

typedef struct {
    ConnectionState state;
    bool is_dialled; // by this node
    bool wants_pong, wants_ping;
    bool ping_is_open;   // not answered yet
    bool is_challenged;  // it is of another process than is known, which has to show that it lives
    uint64_t since_ns;   // in this state
    uint64_t heard_ns;   // when the last byte came
    uint64_t silence_ns; // it is given up after so long without a byte; 0: after twice a keepalive
    uint64_t dialled_ns; // when, if it was by this node
    uint64_t ping_ns;    // when the last PING was put
    uint64_t ping_nonce; // its number
    uint64_t pong_nonce; // to be answered
    const char *why;     // it is closing
    // The beginning of a frame whose rest has not come yet.
    uint8_t *tail;
    uint32_t tail_size, tail_capacity;
    // Frames without a number, encoded, that are written before anything else that begins a frame.
    uint16_t control_at, control_size;
    uint8_t control[CONTROL_BYTES];
} Connection;

struct Link {
    LinkOptions options;
    const LinkEffects *effects;
    void *context;
    LinkMemory memory; // from the effects
    LinkState state;
    uint64_t now_ns;
    Connection connections[LINK_CONNECTIONS];
    int up;   // number of the connection that is up, -1: none
    int dial; // number of the one that was dialled and is not up yet, -1: none
    // The peer.
    WireId peer;           // 0: not known yet
    bool is_confirmed;     // it has shown that it knows our incarnation
    uint64_t peer_dialled; // its connections that were dialled up to this time are void
    uint32_t peer_message_max;
    // Sending.
    Kept kept;
    Lanes lanes;
    size_t written_since_piece; // bytes, since a piece of a large message has become a kept frame
    bool is_short;              // somebody was refused, and waits for `room`
    bool is_short_of_memory;
    bool is_out_of_memory; // a piece could not be moved to the kept frames
    // Receiving.
    uint64_t received;     // number of the last frame
    uint64_t acknowledged; // as told to the peer
    size_t ack_bytes;      // received since
    uint64_t ack_ns;       // when it has to be told; 0: nothing to tell
    bool wants_ack;
    Gather gather;
    // Time.
    uint64_t redial_ns, retry_ns;
    uint64_t heard_ns; // the last byte on a connection that was up; 0: never
    uint64_t sure_ns;  // the peer has heard us at this time or later (N11); 0: never
    uint64_t error_ns[2];
    unsigned errors;
};

// ---- events. `now_ns`: a clock that never goes back ----

// As the reason for closing a connection: another process with the same name is connected. Said at both ends.
extern const char link_name_is_taken[];

void link_init(Link *link, const LinkOptions *options, const LinkEffects *effects, void *context, uint64_t now_ns);
// Closes all connections and frees all memory.
void link_fini(Link *link);
// The link is wanted: dials, if it may.
void link_open(Link *link, uint64_t now_ns);
// The place where the peer listens has become known, or is not known any more.
void link_set_may_dial(Link *link, bool may_dial, uint64_t now_ns);
// If dialling again was put off, it is done now.
void link_hasten(Link *link, uint64_t now_ns);
// What link->effects->dial asked for is there.
void link_dialled(Link *link, unsigned connection, uint64_t now_ns);
// The peer has dialled. The number of the new connection; -1: it is not wanted, close it.
int link_accepted(Link *link, uint64_t now_ns);
// It may be silent for so long, since others share its way. Set right after it was dialled or accepted.
void link_set_silence(Link *link, unsigned connection, uint64_t silence_ns);
// The connection has ended, or could not be made. Bytes that came before that should have been given to link_input.
void link_broken(Link *link, unsigned connection, uint64_t now_ns);
void link_input(Link *link, unsigned connection, const uint8_t *bytes, size_t size, uint64_t now_ns);
// What is to be written on the connection now: up to `most` pieces, together at most `limit` bytes, valid until the next
// event. link_wrote then says how much of it was; it must be the next event of this link.
unsigned link_output(Link *link, unsigned connection, WireSpan *pieces, unsigned most, size_t limit, uint64_t now_ns);
void link_wrote(Link *link, unsigned connection, size_t count, uint64_t now_ns);
// Is there something to be written?
bool link_has_output(const Link *link, unsigned connection);
// Some time has passed. To be called at link_next_ns at the latest, after what has arrived has been given to link_input.
void link_tick(Link *link, uint64_t now_ns);
uint64_t link_next_ns(const Link *link); // UINT64_MAX: never

typedef enum {
    LINK_SENT,      // it will arrive, unless the link is lost
    LINK_NO_ROOM,   // `room` is called when there is some
    LINK_NO_MEMORY, // the same
    LINK_TOO_LARGE, // for this node or the peer
    LINK_INVALID,   // it can't be encoded
    LINK_GONE,      // the link is lost
} LinkSending;

typedef enum {
    LINK_DATA,    // leaves some room for
    LINK_CONTROL, // orders, reports and whatever is said about data
} LinkClass;
enum { LINK_CONTROL_ROOM = 256 * 1024 };

// Sends a numbered frame, given as the struct of its kind. Frames of one lane arrive in the order in which they were sent;
// only large messages of another lane may be overtaken.
LinkSending link_send(Link *link, LinkClass class, uint64_t lane, WireKind kind, const void *frame);
// The layer above finds that the peer breaks the rules: like any error in the protocol (L7).
void link_complain(Link *link, const char *why);
// This node ends in order: says so if there is a connection, and then is lost without an effect.
void link_end(Link *link, const char *why, uint64_t now_ns);

// All that was sent has arrived.
static inline bool link_is_idle(const Link *link)
{
    return link->kept.bytes == 0 && link->lanes.count == 0;
}

#endif
