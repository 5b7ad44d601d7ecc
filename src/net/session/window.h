// window.h: the ends of a channel between a role here and a role elsewhere.
//
// The out end numbers what the role here sends, and keeps it until the other one has consumed it. The in end takes what
// belongs to the role's life, its attempt and its place, once and in order. Both are data structures: no input or output, no
// threads, no clock; whoever uses them sees to one call at a time. Which life, node and epoch there is comes from the home.
//
// The rules of docs/hosts-protocol.md, their functions, and where tests/model/net/session.pml has them:
//
//   N2  two lives in each frame      window_in_data, window_out_taken        BETWEEN, MET
//       a later life waits           window_in_data, window_in_life          meet
//   N4  kept until TAKEN             window_out_send, window_out_taken       send, drop_taken
//       sent to a new life           window_out_life, window_out_release     meet, release
//       saved, handed over           window_save, window_load,               COPY_SAVED, on_end
//                                    window_out_take_over
//   N5  going back                   window_out_back, window_in_reset        cut_kept, reset_channels
//   N6  place of a message           window_in_data                          receive
//       TAKEN again                  window_in_taken                         say_taken
//       a later epoch is left        window_in_first                         HAS
//   N7  what leaves, and when        window_out_release: the caller decides  release, MAY_LEAVE
//
// A window, in messages and in bytes, is the same for both ends: the home says it in RESTORE. A sender has at most a window
// that is not consumed, as far as it knows; so a receiver has at most a window of each epoch, and more is a violation.

#ifndef NET_SESSION_WINDOW_H
#define NET_SESSION_WINDOW_H

#include "net/session/broken.h"
#include "net/session/queue.h"

typedef struct {
    uint32_t messages; // at least 1
    size_t bytes;      // of values, at least 1; exceeded by at most one message, since that one's size is not asked
} WindowLimits;

// Windows of so many epochs may wait at a receiver that does not act; more is a violation.
enum { WINDOW_EPOCHS = 16 };

// A place in a channel. Places are ordered by epoch, then by number.
typedef struct {
    uint32_t epoch;
    uint64_t number;
} WindowPlace;

typedef enum {
    WINDOW_GOOD,      //
    WINDOW_REPEATED,  // the role has it already: dropped; TAKEN has to be said again
    WINDOW_DROPPED,   // of or for a life that is over
    WINDOW_WAITS,     // it is kept until LIFE tells of the sender's life
    WINDOW_LATER,     // for a later life of the role here: belongs into the in end of that
    WINDOW_VIOLATION, // a peer that keeps to the protocol does not say that (L7)
    WINDOW_NO_MEMORY, // nothing has changed; the frame has to come again
} WindowVerdict;

// ---- the out end ----

typedef struct {
    const NetMemory *memory;
    WindowLimits limits;
    Queue kept;
    QueueCursor ungiven; // behind the first `given` messages; meaningless if there are none
    uint32_t given;      // so many of them were given to the link
    WindowPlace next;    // of the next message
    uint32_t life;       // of the receiver; 0: none was told
} WindowOut;

void window_out_init(WindowOut *out, const NetMemory *memory, WindowLimits limits);
void window_out_fini(WindowOut *out);
// Is there room for one more message, of whatever size?
bool window_out_has_room(const WindowOut *out);
// Numbers a message and keeps it. There must be room. False: no memory.
bool window_out_send(WindowOut *out, uint32_t site, WireSpan value);
// The same for messages that lie one behind the other, as in a queue. False: no memory, or no room: some of them were not taken.
bool window_out_send_all(WindowOut *out, const uint8_t *messages, size_t size);
// So much more may be sent before window_out_has_room is false. The size of the last message does not matter.
typedef struct {
    uint32_t messages;
    size_t bytes;
} WindowRoom;
WindowRoom window_out_room(const WindowOut *out);
// Gives the link what it was not given yet, in order, and small messages several at once: `more` are those that follow the message,
// as in DATA, at most `more_max` bytes. `give` returns false if the link has no room: then the rest stays.
// True: everything is given. Nothing is given as long as no life of the receiver is known.
enum { WINDOW_MORE_MAX = WIRE_PIECE_MAX - 256 };
// The room for values in a DATA of at most so many bytes.
enum { WINDOW_DATA_BYTES = 52 };
static inline size_t window_value_max(size_t message_max)
{
    return message_max > WINDOW_DATA_BYTES ? message_max - WINDOW_DATA_BYTES : 0;
}
typedef bool (*WindowGive)(void *context, uint32_t life, const Message *message, WireSpan more);
bool window_out_release(WindowOut *out, size_t more_max, WindowGive give, void *context);
// TAKEN of this life: everything before the place is consumed.
WindowVerdict window_out_taken(WindowOut *out, uint32_t life, WindowPlace place);
// LIFE: everything that is kept has to be given again. An earlier life, or the same one, changes nothing.
void window_out_life(WindowOut *out, uint32_t life);
// What was given may not have arrived: it has to be given again.
void window_out_again(WindowOut *out);
// The receiver has ended: nobody will consume what is kept.
void window_out_ended(WindowOut *out);
// To be remembered when a block is entered, for window_out_back.
WindowPlace window_out_mark(const WindowOut *out);
// Back to the start of the block at whose entry the mark was made: what was sent since is dropped, and the channel goes on at
// (epoch, 0). One that has come to that epoch already stays as it is.
void window_out_back(WindowOut *out, WindowPlace mark, uint32_t epoch);

// ---- the in end ----

// What one node has sent for a life that was not told: of the latest life that it has sent something for.
typedef struct WindowWaiting WindowWaiting;
struct WindowWaiting {
    WindowWaiting *next;
    uint32_t node, life;
    Queue messages;
    uint32_t epochs; // so many different ones
    uint32_t epoch;  // that of the last message; so many messages and bytes are of it
    uint32_t count;
    size_t bytes;
};

typedef struct {
    const NetMemory *memory;
    WindowLimits limits;
    Queue received;         // from the life that was told, not consumed; of this epoch, then of later ones
    WindowWaiting *waiting; // from lives and nodes that were not told
    WindowPlace next;       // the role will consume this next
    WindowPlace expected;   // the link will bring this next
    uint32_t count;         // of those received, so many are of the epoch `expected.epoch`
    size_t bytes;           // and their bytes
    uint32_t ahead;         // and they are of so many epochs behind `next.epoch`
    uint32_t lent;          // the role has so many of them at hand, and may have consumed some of these
    uint32_t consumed;      // messages and bytes since TAKEN was said
    size_t consumed_bytes;
    uint32_t self_life;  // of the role here
    uint32_t life, node; // of the sender; life 0: none was told
    bool has_ended;      // the sender: its messages come from the home now
    bool must_say;       // TAKEN
    bool is_behind;      // there may be something in `waiting` that belongs to the life that was told
    bool is_broken;      // there was a violation in it
} WindowIn;

// An in end may be made before its life's RESTORE has come, for DATA that comes first: that waits until window_in_life.
void window_in_init(WindowIn *in, const NetMemory *memory, WindowLimits limits, uint32_t self_life);
void window_in_fini(WindowIn *in);
// A DATA frame for life `to_life` of this role, of the sender's life `from_life`, that `node` has sent: a number, not 0.
WindowVerdict window_in_data(WindowIn *in, uint32_t to_life, uint32_t from_life, uint32_t node, const Message *message);
// The same for that message and those that follow it in `more`. WINDOW_NO_MEMORY: some may have been taken, which are repeated
// then; WINDOW_VIOLATION also if the field is not what it should be.
WindowVerdict window_in_data_all(WindowIn *in, uint32_t to_life, uint32_t from_life, uint32_t node, Message *message,
                                 WireSpan more);
// The next of the messages in the field `more` of DATA; false: there is none. The message before it is in *message. *is_sound: the field
// is what it should be, so far.
bool window_more_next(WireSpan *more, Message *message, bool *is_sound);
// The message that the role will consume next, which is lent to it; false: it is not there. It stays valid until it is consumed, or until
// the next window_in_life or window_in_reset.
bool window_in_first(WindowIn *in, Message *message);
// Lends the role what it will consume next, at most half a window: calls `take` with one run of messages after the other, until it has
// taken fewer than it could. The role copies them: to consume them it need not come back for each. How many were taken.
typedef uint32_t (*WindowTake)(void *context, const QueueRun *run);
uint32_t window_in_lend(WindowIn *in, WindowTake take, void *context);
// The role has consumed so many messages of those that were lent. They are still the same if the sender has another life by now: that one
// sends them again.
void window_in_consume(WindowIn *in, uint32_t count);
// LIFE. An earlier life changes nothing. The same life on another node: it has ended, and its messages come from that node, the
// home's. WINDOW_NO_MEMORY: what has waited for this is taken later, by itself.
WindowVerdict window_in_life(WindowIn *in, uint32_t life, uint32_t node);
// Back to the start of a block in this epoch. One that has come to that epoch already stays as it is.
void window_in_reset(WindowIn *in, uint32_t epoch);

typedef enum {
    WINDOW_SAY_NOTHING,
    WINDOW_SAY_SOON, // with the next frame to that node, or after a while
    WINDOW_SAY_NOW,  // the sender may be waiting for room
} WindowSay;
// What TAKEN has to be said? The caller says it and calls window_in_said.
WindowSay window_in_taken(const WindowIn *in, WindowPlace *place);
void window_in_said(WindowIn *in);
// The link to a node is lost: TAKEN may not have arrived there, and has to be said again; what has come from there and waits for
// LIFE will come again, from the first message on.
void window_in_link_lost(WindowIn *in, uint32_t node);

// ---- what is saved ----

// Appends the channels with this role, and what is kept for it, to the lists of a SAVED. Roles have to come in order.
bool window_save(const WindowOut *out, const WindowIn *in, uint16_t role, WireBuffer *channels, WireBuffer *kept);
// Does a SAVED have exactly one channel for each role but this one, in order, and nothing for others?
bool window_saved_is_sound(const WireSaved *saved, uint16_t self, uint16_t role_count);
// Sets two fresh ends to what was saved for this role. What waits in the in end stays. Otherwise than WINDOW_GOOD, the ends are
// as they were.
WindowVerdict window_load(WindowOut *out, WindowIn *in, uint16_t role, const WireSaved *saved);
// A role has ended: the home sends from now on what it has kept for this one.
WindowVerdict window_out_take_over(WindowOut *out, uint16_t role, WireList kept);

#endif
