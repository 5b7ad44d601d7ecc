// part.h: roles of a session that is decided elsewhere, on another host or by another part of this program: chorex/remote.h.
//
// The session has an actor for each of its roles, but only those that were started here are ever run; the others are there to be
// pointed to. Each end of a channel is an end of its own, also between two roles that are both here: what lies between them is the
// library's. So is what is decided about blocks. What the role itself needs in order to go back lies here, as for every role: its
// savepoints.

#ifndef RUNTIME_REMOTE_PART_H
#define RUNTIME_REMOTE_PART_H

#include "runtime/actor/elsewhere.h"
#include "runtime/remote/remote.h"
#include "runtime/session/session.h"

#include <chorex/remote.h>

// An end of a channel: its transport. What is sent is collected until the role does something else; what arrives is fetched several
// messages at a time.
typedef struct PartChannel PartChannel;
struct PartChannel {
    struct Part *part;
    bool sends;         // the role here, or the one at the other end?
    unsigned peer;      // the role at the other end
    PartChannel *from;  // of an end that sends: the one through which messages of the same peer come; NULL: none do
    chx_buffer batch;   // messages, each a chx_part_message and its value: sent and not handed over, or fetched
    size_t whole;       // so many bytes of those to be handed over are complete messages
    size_t at, left;    // of those that were fetched: where the next one lies, and how many were not read
    size_t consumed;    // so many were read since the library was told
    chx_part_room room; // what may be sent without asking
    bool is_busy;       // the library has to be told something
    PartChannel *next_busy;
    Record record;        // of the message that peek has returned
    chx_buffer value;     // of the message being received, in the form that it has in C
    const chx_type *held; // the type of that value, which was read and not yet taken; NULL: there is none
    const chx_site *site; // that was last looked up
    bool is_raw;          // are the bytes of its values those that lie in memory?
    char why[128];        // of the last failure
};

typedef struct Part {
    Away away; // its actor's
    Actor *actor;
    unsigned index; // of the role
    const chx_part_ops *ops;
    void *context;
    uint64_t fence;
    bool is_durable;   // the session is kept in a store
    bool is_entering;  // it is in a durable block of such a session, and has not been let in
    bool has_given;    // the session was over before the role began: its result is there
    chx_buffer buffer; // what is saved
    int error; // of the last part_settle that could not be told to the role: it fails with its next step. 0: none
    PartChannel *busy; // the ends of its channels of which the library has to be told something
} Part;

struct Parts {
    Session *session;
    Plan *plan; // of its own
    PartChannel *channels;
    chx_role *stubs; // what the other roles are: names
    size_t count;
    const chx_part_ops *ops; // of a session without roles here; NULL: it has some, or nobody is to hear of it
    void *context;
    bool has_begun;
    _Atomic bool is_stopped; // by the library
    Part parts[];
};

static inline Part *actor_part(const Actor *actor)
{
    return (Part *)(void *)actor->away;
}

extern const AwayOps part_away_ops;
extern const ChannelOps part_channel_ops;

// Makes a channel that was initialised, but not yet used, an end of this kind, for this role here.
void part_channel_init(Channel *channel, PartChannel *end, Part *part, unsigned peer, bool sends);
// Tells the library what the role has sent and consumed. An error of errno.h: EAGAIN: an order came first.
int part_settle(Part *part);
// The same between two steps, when the role can't fail: it does with its next one.
void part_settle_later(Part *part);
// The role goes back, or begins: forgets what it has sent and not handed over, and what it has fetched and not read.
void part_channels_reset(Part *part);

#endif
