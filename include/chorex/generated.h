// generated.h: what emitted code calls. The only meeting point of compiler and runtime.
//
// Not for users: names here change with the version. An actor's state is data: a stack of frames, each the variables of
// one choreographic function as one role plays it. Its code is one resumable function per frame type, which stores
// where to go on in `frame.at`, returns when it must wait, and is called again.

#ifndef CHOREX_GENERATED_H
#define CHOREX_GENERATED_H

#include <chorex.h>
#include <string.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif

// Members and parameters have plain names, which may be those of macros of the user's.
#include <chorex/names_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CHX_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define CHX_INLINE static inline __attribute__((__always_inline__))
#define CHX_COLD __attribute__((__cold__))
#else
#define CHX_UNLIKELY(condition) (condition)
#define CHX_INLINE static inline
#define CHX_COLD
#endif

#define CHX_GENERATED_VERSION 13
// The functions that a role provides belong to the file that plays it. With -DCHX_TESTED other files can call them: a test does.
#ifdef CHX_TESTED
#define CHX_ROLE_FUNCTION extern
#else
#define CHX_ROLE_FUNCTION static
#endif

// ---- types of values ----

typedef enum {
    CHX_KIND_BOOL,
    CHX_KIND_SIGNED,
    CHX_KIND_UNSIGNED,
    CHX_KIND_FLOAT,
    CHX_KIND_COMPLEX,
    CHX_KIND_STRUCT,
    CHX_KIND_ARRAY,
    CHX_KIND_CSTRING,
    CHX_KIND_STR,
    CHX_KIND_BYTES,
    CHX_KIND_CODEC,
    CHX_KIND_SHADOW,   // a struct with bit-fields: goes through another struct without
    CHX_KIND_OPAQUE,   // can be a variable, can't be sent: bytes
    CHX_KIND_SEQUENCE, // an array over a family of roles: a pointer to its elements, of which it knows how many there are
} chx_kind;

typedef struct chx_type chx_type;
typedef struct {
    const char *name;
    size_t offset;
    const chx_type *type;
} chx_field;

struct chx_type {
    chx_kind kind;
    bool owning;   // has strings, bytes or codec values in it
    unsigned wire; // numbers: bytes in a message, the same on every machine. OPAQUE: not 0: no pointers in it
    size_t size;
    const char *name;
    const chx_field *fields;                         // STRUCT
    size_t count;                                    // STRUCT: fields. ARRAY: elements
    const chx_type *element;                         // ARRAY, SEQUENCE. SHADOW: the other struct
    const chx_codec *codec;                          // CODEC
    void (*pack)(void *shadow, const void *value);   // SHADOW
    void (*unpack)(void *value, const void *shadow); // SHADOW
};

extern const chx_type chx_type_bool, chx_type_char, chx_type_signed_char, chx_type_unsigned_char, chx_type_short,
    chx_type_unsigned_short, chx_type_int, chx_type_unsigned_int, chx_type_long, chx_type_unsigned_long,
    chx_type_long_long, chx_type_unsigned_long_long, chx_type_int128, chx_type_unsigned_int128, chx_type_float,
    chx_type_double, chx_type_long_double, chx_type_cstring, chx_type_str, chx_type_bytes, chx_type_fault,
    chx_type_agreement;

// Deep copy of a borrowed value into unowned memory; release of an owned value (its bytes are zeroed).
void chx_value_copy(const chx_type *type, void *to, const void *from);
void chx_value_drop(const chx_type *type, void *value);

// Encoded form. chx_encode appends; the caller frees with chx_buffer_free. Without memory nothing more is appended, and
// `failed` is set. chx_decode makes an owned value of all the bytes; false: they are malformed, too many or out of range, then
// nothing is owned. Without memory the role fails; outside of roles that is false, too.
typedef struct {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} chx_buffer;
void chx_encode(const chx_type *type, const void *value, chx_buffer *buffer);
bool chx_decode(const chx_type *type, void *value, const void *data, size_t size);
void chx_buffer_free(chx_buffer *buffer);

// Assignment to an owning variable of a frame: copies the new value, then drops the old one.
void chx_set_cstring(const char **variable, const char *value);
void chx_share_cstring(const char **variable, const char *value); // another variable's: no copy
const char *chx_keep_cstring(const char *value);                  // a variable's: one more owner
void chx_set_str(chx_str *variable, chx_str value);
void chx_set_bytes(chx_bytes *variable, chx_bytes value);
void chx_set(const chx_type *type, void *variable, const void *value); // any owning type: copies
void chx_set_moved(const chx_type *type, void *variable, void *value); // takes the value over, which is then zero

// A SEQUENCE of so many zeros, in place of what the variable has; one of values that the caller gives, as many as the family of
// this role has members.
void chx_sequence_new(const chx_type *type, void *variable, size_t count);
void chx_sequence_take(const chx_type *type, void *variable, const void *values, unsigned family);

// ---- roles ----

typedef struct chx_self chx_self;
typedef struct chx_frame chx_frame;
typedef struct chx_function chx_function;

typedef enum { CHX_STEP_WAIT, CHX_STEP_CALL, CHX_STEP_RETURN } chx_step;
#ifndef __cplusplus
_Static_assert(sizeof(chx_step) == sizeof(int), "chorex: the library is not compiled with -fshort-enums");
#endif

// The head of every frame. Its size is a multiple of 16; the result member `chx_result` follows at once.
struct chx_frame {
    const chx_function *function;
    chx_frame *caller;
    uint32_t at;      // where to go on; 0: the beginning
    uint32_t borrows; // not 0: what its fixed variables hold is its caller's
    uint64_t reserved;
};

typedef struct {
    const char *name;
    size_t offset;
    const chx_type *type;
} chx_variable;

// What a frame of this size takes up.
#define CHX_FRAME_BYTES(size) (((size) + 15) & ~(size_t)15)

struct chx_function {
    const char *name;
    chx_step (*run)(chx_self *self, void *frame);
    size_t frame_size;
    const chx_type *result;        // NULL: none. Lies at sizeof(chx_frame)
    const chx_variable *variables; // all of them
    size_t variable_count;
    size_t owned_count;    // so many of them, the first ones, own something
    size_t fixed_count;    // of these the last so many keep the value that they were given with the call
    uint32_t number;       // its place in chx_role.functions
    uint32_t label_count;  // a frame's `at` is not greater
    const char *file;      // of the lines; NULL: the choreography's
    const uint32_t *lines; // by label, from 1 on: the line at which a role waits there; NULL: they are not known
};

// A place in the choreography that this role knows. Sorted by number.
typedef enum {
    CHX_SITE_STEP,
    CHX_SITE_SEND,
    CHX_SITE_RECEIVE,
    CHX_SITE_CHOICE,
    CHX_SITE_CALL,
    CHX_SITE_CHECKPOINT,
} chx_site_kind;
typedef struct {
    uint32_t number;
    int line;
    chx_site_kind kind;
    const chx_type *type; // SEND, RECEIVE: what travels
    uint32_t counter;     // see chx_step_begin_again: which one, from 1 on; 0: none
    uint32_t restart_at;  // where a step that has ended without a result begins again; 0: it can't
    const char *file;     // NULL: the choreography's; else that of a choreography that it uses
    const char *what;     // the C function that is called there, for traces; NULL: none
} chx_site;

typedef struct {
    const char *name; // DEF
    const chx_function *function;
    void (*begin)(void *frame, const void *arguments); // copies this role's arguments; NULL: it has none
} chx_entry;

// A block that this role takes part in, as it plays it.
typedef struct {
    uint32_t site;                // this role's own, unique among its blocks
    uint32_t name;                // the same for all participants, whichever of them know in which branch they are
    uint32_t body_at;             // where the frame goes on in an attempt of the body
    uint32_t rescue_at;           // and in the rescue; 0: there is none, the failure goes to the enclosing block
    uint32_t retries;             // attempts of the body besides the first
    uint64_t within_ns;           // for each attempt of the body; 0: no deadline
    const unsigned *participants; // roles, ascending
    uint32_t participant_count;
    uint32_t position; // this role's, among them
    bool is_round;     // the rounds of a loop are its instances: the end of one is the entry of the next
    uint16_t awaits;   // is_round: each round begins, for this role, with a receive from in[awaits - 1]; 0: it may not
    bool
        is_durable; // all roles take part; it is in the store before its body begins and before anybody goes on behind it
    uint32_t
        enter_at; // where the frame asks to be let in; of an arm, which is listed among the blocks, too: its body_at
} chx_checkpoint;

struct chx_choreography;

struct chx_role {
    unsigned version;         // CHX_GENERATED_VERSION
    const char *name;         // of this implementation: "bookseller_Seller", "careful_seller"
    const char *choreography; // "bookseller"
    const char *role;         // "Seller"
    unsigned index;           // in role order
    uint64_t digest;          // of the choreography; must equal that of the interface
    const char *file;         // the choreography's
    const chx_entry *entries; // in the order of the interface's definitions
    size_t entry_count;
    const unsigned *sends_to; // role indices; `out` below is an index in this list
    size_t sends_to_count;
    const unsigned *receives_from; // `in` below is an index in this list
    size_t receives_from_count;
    const chx_site *sites;
    size_t site_count;
    void (*init)(void); // hooks; NULL: none
    void (*fini)(void);
    const void *central; // used by sequential programs only
    const chx_checkpoint *const *checkpoints;
    size_t checkpoint_count;
    const char *const *fragile; // pointers that are live over a checkpoint: "p", ...
    size_t fragile_count;
    size_t counter_count;
    const chx_function *const *functions; // all that it can have frames of: snapshots name them by their numbers
    size_t function_count;
    // Of its program and frames: what it does, names and types of variables, labels. Snapshots with another one can't be read.
    uint64_t state_digest;
    uint64_t protocol_digest;             // chx_choreography's
    const struct chx_choreography *whole; // of a choreography with families of roles; NULL: it has none
    const struct chx_spread *spread;      // the runtime's: of a session with families of roles
};

typedef struct chx_registration {
    const chx_role *role;
    struct chx_registration *next;
} chx_registration;
void chx_register(chx_registration *registration); // from a constructor, before main

// ---- the interface of a choreography ----

typedef struct {
    unsigned role; // index
    size_t offset; // in NAME_DEF_result; of a family: where a chx_results is
    const chx_type *type;
} chx_result_slot;

// An argument of one role, for whoever sends it to the host where the role is. One that is located at several roles has a slot for
// each of them.
typedef struct {
    unsigned role;
    bool is_array; // a pointer to it is in NAME_DEF_args
    size_t offset; // there
    const chx_type *type;
} chx_argument_slot;

// The results of a family's members; `item` points to their type. chx_results_drop gives it back.
typedef struct {
    size_t count;
    void *item;
} chx_results;
void chx_results_drop(const chx_type *type, void *results);

// Where a role stands in struct NAME_cast.
typedef struct {
    size_t offset;
    bool is_family;
} chx_place;

typedef struct {
    const char *name;
    size_t result_size;
    const chx_result_slot *results; // one per role that has a result
    size_t result_count;
    const chx_argument_slot *arguments; // in order
    size_t argument_count;
    bool is_durable;              // there are durable blocks in it, or in what it calls
    const unsigned *participants; // roles that have something to do in it, ascending; NULL: all have
    uint32_t participant_count;
} chx_definition;

// A block of the choreography, for whoever decides about it without playing a role in it.
typedef struct {
    uint32_t name; // chx_checkpoint's: the same for all participants
    uint32_t retries;
    uint64_t within_ns;
    const unsigned *participants; // roles, ascending
    uint32_t participant_count;
    bool has_rescue, is_round, is_durable;
} chx_block;

// When the program was compiled, for messages about programs that don't fit together. Nothing unless the user says it: a date
// would make each build another one.
#ifndef CHX_BUILT
#define CHX_BUILT ""
#endif

typedef struct chx_choreography {
    unsigned version;
    const char *name;
    uint64_t digest; // of its text and of the types that it uses: what is compiled into one program must have the same
    const char *file;
    const char *const *roles;
    size_t role_count;
    const chx_definition *definitions;
    size_t definition_count;
    const chx_block *blocks; // all of them, sorted by name
    size_t block_count;
    uint64_t protocol_digest; // of what travels: programs that play together, on several hosts, must have the same
    const char *built;        // CHX_BUILT
    const chx_place *places;  // by role: with families the cast is no array of actors; NULL: there are none
    uint32_t site_limit;      // all sites and names of blocks are smaller
    const unsigned *channels; // who sends to whom: two roles each, ascending; NULL: it is not said
    size_t channel_count;
    const struct chx_spread *spread; // the runtime's: what it makes of a choreography with families
} chx_choreography;

// `cast` is an array with one actor per role, or NULL. Arguments are copied before chx_start returns.
chx_session *chx_start(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                       const chx_actor *cast, const void *arguments);
// The same under a name, in the runtime's store: starts the session, or goes on with it where the store has it, and then the
// arguments are the store's, or gives the outcome again if it is over.
chx_session *chx_open(chx_runtime *runtime, const chx_choreography *choreography, size_t definition, const char *name,
                      const chx_actor *cast, const void *arguments);
// Waits, then frees the session. `results` (may be NULL) are set on CHX_OK, else zeroed: they own nothing then. Without a
// session (NULL) it returns CHX_INVALID, and `results`, whose size is not known, stay as they are.
chx_status chx_finish(chx_session *session, void *results);
chx_status chx_run(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                   const void *arguments, void *results);

// ---- what projected code does: C only ----
#ifndef __cplusplus

// What a message belongs to. The check is the channel's token + the number of the message, so that a foreign or
// repeated one is noticed; the next one's stamp is the first one's + CHX_STAMP_NEXT.
typedef union {
    struct {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        uint32_t check, epoch;
#else
        uint32_t epoch, check;
#endif
    };
    uint64_t stamp;
} chx_stamp;
#define CHX_STAMP_NEXT ((uint64_t)1 << 32)

// A message as it lies in a channel; the value follows.
typedef struct {
    uint32_t site;
    uint32_t size;
    chx_stamp of;
} chx_record;

// Site and size as one number, to compare them at once.
CHX_INLINE uint64_t chx_record_head(uint32_t site, uint32_t size)
{
    uint32_t parts[2] = {site, size};
    uint64_t head;
    memcpy(&head, parts, sizeof head);
    return head;
}

// What a message with a value of this size takes up.
#define CHX_RECORD_BYTES(size) ((sizeof(chx_record) + (size) + 15) & ~(size_t)15)

enum {
    CHX_FAST_BYTES = 256, // values up to this size are sent and received without a call
    CHX_CHANNEL_BYTES = 576,
};

// The part of a channel that projected code works on itself; channel.h has the rest, and what it all means.
typedef struct {
    _Alignas(64) _Atomic(uint64_t) sent; // the sender's: messages sent
    uint64_t sent_stop;                  // up to here a value of up to CHX_FAST_BYTES may be sent without asking
    unsigned char *write, *write_end;    // up to here projected code may write itself
    chx_stamp sending;                   // the epoch of what is sent now; the token
    uint64_t sent_bytes;                 // without those from here on, which are counted only when somebody asks
    unsigned char *counted_to;

    _Alignas(64) _Atomic(uint64_t) taken; // the receiver's: messages taken out
    uint64_t sent_seen;
    uint64_t taken_stop; // up to here a message may be taken out without asking
    const unsigned char *read;
    chx_stamp taking; // of what is taken now: messages of older epochs are dropped, newer ones left for later
} chx_channel;

// How often a role has been at a site in the current attempt of the block at this level; 0 is around all blocks.
typedef struct {
    uint32_t level, count;
} chx_count;

struct chx_self {
    uint32_t site;      // the step being done
    uint32_t pool_size; // strings made in this step
    uint64_t steps;
    uint32_t observed; // not 0: somebody looks at every step: a trace, a simulation
    uint32_t generation_seen;
    const _Atomic(uint32_t)
        *generation; // the session's: differs from the above if a rollback, or the session's end, has not been seen yet
    unsigned char *out; // channels of CHX_CHANNEL_BYTES each
    chx_channel *const *in;
    chx_channel
        *notify_pending; // a message was sent on it, and the receiver, which may be waiting, has not been notified
    uintptr_t wants;     // what the last step that had to wait asked for: a channel, or something of the runtime's
    chx_frame *top;      // the newest frame
    chx_frame *returned; // whose result chx_result gives
    // The piece of memory in which the newest frames lie, the newest last.
    unsigned char *stack_begin, *stack_next, *stack_end;
    chx_count *counts; // of sites that have a counter
    uint32_t level;    // so many blocks is the role in
    uint32_t member;   // which one of its family it is
    // The runtime's own part follows.
};
void chx_notify(chx_self *self);           // tells it
void chx_notify_and_begin(chx_self *self); // the same before a step
CHX_COLD void chx_observe(chx_self *self);
CHX_COLD void chx_observe_pass(chx_self *self, uint32_t site);

// A local step begins at a site; at its end what it made is released.
static inline void chx_step_begin(chx_self *self, uint32_t site)
{
    self->site = site;
    self->steps++;
    // This may take long, and the receiver could work meanwhile.
    if (self->notify_pending != NULL)
        chx_notify_and_begin(self);
    if (CHX_UNLIKELY(self->observed != 0))
        chx_observe(self);
}
// The same at a site that the role may come to again in the same attempt of the innermost block that it is in: in a loop
// there, or in a function that is called there. It is counted how often (chx_effect_id).
CHX_COLD void chx_count_first(chx_self *self, uint32_t counter);
static inline void chx_step_begin_again(chx_self *self, uint32_t site, uint32_t counter)
{
    chx_count *count = &self->counts[counter - 1];
    if (CHX_UNLIKELY(count->level != self->level))
        chx_count_first(self, counter);
    count->count++;
    chx_step_begin(self, site);
}
// The same for a step that calls nothing and can't fail: only who looks at every step wants to know.
CHX_INLINE void chx_pass(chx_self *self, uint32_t site)
{
    if (CHX_UNLIKELY(self->observed != 0))
        chx_observe_pass(self, site);
}
void chx_release(chx_self *self);
static inline void chx_step_end(chx_self *self)
{
    if (self->pool_size != 0)
        chx_release(self);
}

// Is there room in the channel? If not, return chx_wait(self) with `at` set so as to ask again.
CHX_INLINE bool chx_room(chx_self *self, unsigned out);
bool chx_room_slow(chx_self *self, unsigned out);
// As chx_value_copy, when the step needs the value no more: strings that the step has made are moved.
void chx_value_give(chx_self *self, const chx_type *type, void *to, const void *from);
// Sends; there is room. The value is moved: what it owns goes to the receiver.
CHX_INLINE void chx_send(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size);
void chx_send_slow(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size);
// Sends to a channel if there is room. False: there is none, return chx_wait(self) with `at` set so as to try again. For a
// value that owns nothing, and whose computing can neither fail nor be noticed, except by a trace or a simulation.
CHX_INLINE bool chx_try_send(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size);
bool chx_try_send_slow(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size);
// Takes the next message of this channel, which must be of this site. False: none there yet, return chx_wait(self).
// The value is moved into `value`, which must own nothing.
CHX_INLINE bool chx_receive(chx_self *self, unsigned in, uint32_t site, void *value, size_t size);
bool chx_receive_slow(chx_self *self, unsigned in, uint32_t site, void *value, size_t size);
// The same into an owning variable, whose old value is dropped.
bool chx_receive_into(chx_self *self, unsigned in, uint32_t site, const chx_type *type, void *variable);
// The site of the next message in this channel, 0 if none is there yet.
uint32_t chx_arriving(chx_self *self, unsigned in);
// Outcome of a choice.
static inline void chx_tell(chx_self *self, unsigned out, uint32_t site, uint32_t outcome)
{
    chx_send(self, out, site, &outcome, sizeof outcome);
}
static inline bool chx_told(chx_self *self, unsigned in, uint32_t site, uint32_t *outcome)
{
    return chx_receive(self, in, site, outcome, sizeof *outcome);
}
// Which branch does not exist: a mistake of the compiler; ends the session.
CHX_NORETURN void chx_bad_branch(chx_self *self, uint32_t site);
// A received value is not the expected one: this role fails.
CHX_NORETURN void chx_mismatch(chx_self *self, uint32_t site, const char *expected);

// What a role says of a value that it is to agree on with others: a digest, never the value itself.
typedef struct {
    uint64_t nonce, digest[2];
} chx_agreement;
chx_agreement chx_agree_digest(chx_self *self, uint32_t site, const chx_type *type, const void *value);
// The role fails, with the text `difference`, if what it has received from `peer` (in role order) was said of another value.
void chx_agree_compare(chx_self *self, uint32_t site, unsigned peer, const chx_type *type, const void *value,
                       const chx_agreement *received, const char *difference);

// Pushes a zeroed frame; the caller fills in its parameters and returns CHX_STEP_CALL with its own `at` set, or goes on
// with it itself if nothing has happened meanwhile (chx_generation_changed).
CHX_INLINE void *chx_call(chx_self *self, const chx_function *function);
void *chx_call_slow(chx_self *self, const chx_function *function);
// The same in place of the current frame, whose variables are dropped.
void *chx_tail_call(chx_self *self, const chx_function *function);
// The same of the current frame's own function.
CHX_INLINE void *chx_tail_call_again(chx_self *self, const chx_function *function);
// The result of the call that has just returned; owned by the reader.
CHX_INLINE void *chx_result(chx_self *self);
// Ends the current frame, which is this function's: its variables are dropped, its result stays for chx_result. Returns
// CHX_STEP_RETURN.
CHX_INLINE chx_step chx_return(chx_self *self, const chx_function *function);
chx_step chx_return_slow(chx_self *self);

static inline chx_step chx_wait(chx_self *self)
{
    (void)self;
    return CHX_STEP_WAIT;
}

// Where the frame goes on when its function is called again.
CHX_INLINE uint32_t chx_frame_at(const chx_frame *frame)
{
    return frame->at;
}
CHX_INLINE void chx_frame_set_at(chx_frame *frame, uint32_t at)
{
    frame->at = at;
}
// What its fixed variables hold is its caller's.
CHX_INLINE void chx_frame_borrows(chx_frame *frame)
{
    frame->borrows = 1;
}
CHX_INLINE void *chx_top(const chx_self *self)
{
    return self->top;
}

// Waits; when its function is called again, the frame goes on at `at`.
static inline chx_step chx_wait_at(chx_self *self, chx_frame *frame, uint32_t at)
{
    frame->at = at;
    return chx_wait(self);
}

// Lets the runtime tell what it has to tell, then goes on at `at`.
static inline chx_step chx_poll(chx_self *self, chx_frame *frame, uint32_t at)
{
    self->wants = 0;
    return chx_wait_at(self, frame, at);
}

// Nothing is left to do here: until the session ends, or a rescue calls the role away.
chx_step chx_wait_for_ever(chx_self *self);

// The value of a condition, when what the step made to find it is no longer needed.
static inline bool chx_decided(chx_self *self, bool outcome)
{
    chx_step_end(self);
    return outcome;
}

CHX_INLINE bool chx_generation_changed(const chx_self *self)
{
    return atomic_load_explicit(self->generation, memory_order_relaxed) != self->generation_seen;
}

CHX_INLINE void *chx_call(chx_self *self, const chx_function *function)
{
    size_t bytes = CHX_FRAME_BYTES(function->frame_size);
    unsigned char *place = self->stack_next;
    if (CHX_UNLIKELY((size_t)(self->stack_end - place) < bytes || self->observed != 0))
        return chx_call_slow(self, function);
    self->stack_next = place + bytes;
    memset(place, 0, bytes);
    chx_frame *frame = (chx_frame *)(void *)place;
    frame->function = function;
    frame->caller = self->top;
    self->top = frame;
    return frame;
}

CHX_INLINE void *chx_tail_call_again(chx_self *self, const chx_function *function)
{
    chx_frame *frame = self->top;
    if (function->owned_count != function->fixed_count || (function->fixed_count != 0 && frame->borrows == 0) ||
        CHX_UNLIKELY(self->observed != 0))
        return chx_tail_call(self, function);
    frame->at = frame->borrows = 0;
    memset(frame + 1, 0, CHX_FRAME_BYTES(function->frame_size) - sizeof *frame);
    return frame;
}

CHX_INLINE void *chx_result(chx_self *self)
{
    return self->returned + 1;
}

CHX_INLINE chx_step chx_return(chx_self *self, const chx_function *function)
{
    chx_frame *frame = self->top;
    if (function->owned_count != function->fixed_count || (function->fixed_count != 0 && frame->borrows == 0) ||
        CHX_UNLIKELY(self->stack_begin == (unsigned char *)frame || self->observed != 0))
        return chx_return_slow(self);
    self->returned = frame;
    self->stack_next = (unsigned char *)frame;
    self->top = frame->caller;
    return CHX_STEP_RETURN;
}

// After a return: is the caller a frame of this function?
CHX_INLINE bool chx_called_by(const chx_self *self, const chx_function *function)
{
    return self->top != NULL && self->top->function == function;
}

CHX_INLINE chx_channel *chx_out(chx_self *self, unsigned out)
{
    return (chx_channel *)(void *)(self->out + (size_t)out * CHX_CHANNEL_BYTES);
}

CHX_INLINE bool chx_room(chx_self *self, unsigned out)
{
    chx_channel *channel = chx_out(self, out);
    if (CHX_UNLIKELY(chx_generation_changed(self) ||
                     atomic_load_explicit(&channel->sent, memory_order_relaxed) >= channel->sent_stop))
        return chx_room_slow(self, out);
    return true;
}

// There is place for it in the channel's memory.
CHX_INLINE void chx_put_record(chx_self *self, chx_channel *channel, uint64_t sent, uint32_t site, const void *value,
                               size_t size)
{
    chx_record *record = (chx_record *)(void *)channel->write;
    record->site = site;
    record->size = (uint32_t)size;
    record->of.stamp = channel->sending.stamp + sent * CHX_STAMP_NEXT;
    memcpy(record + 1, value, size);
    channel->write = (unsigned char *)record + CHX_RECORD_BYTES(size);
    atomic_store_explicit(&channel->sent, sent + 1, memory_order_release);
    // The receiver is told when this role waits, at the latest: usually the two then change places.
    if (self->notify_pending != NULL) {
        if (self->notify_pending == channel)
            return;
        chx_notify(self);
    }
    self->notify_pending = channel;
}

CHX_INLINE void chx_send(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size)
{
    chx_channel *channel = chx_out(self, out);
    if (CHX_UNLIKELY(size > CHX_FAST_BYTES || channel->write + CHX_RECORD_BYTES(size) > channel->write_end))
        chx_send_slow(self, out, site, value, size);
    else
        chx_put_record(self, channel, atomic_load_explicit(&channel->sent, memory_order_relaxed), site, value, size);
}

CHX_INLINE bool chx_try_send(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size)
{
    chx_channel *channel = chx_out(self, out);
    uint64_t sent = atomic_load_explicit(&channel->sent, memory_order_relaxed);
    if (CHX_UNLIKELY(size > CHX_FAST_BYTES || chx_generation_changed(self) || sent >= channel->sent_stop ||
                     channel->write + CHX_RECORD_BYTES(size) > channel->write_end))
        return chx_try_send_slow(self, out, site, value, size);
    chx_put_record(self, channel, sent, site, value, size);
    return true;
}

CHX_INLINE bool chx_receive(chx_self *self, unsigned in, uint32_t site, void *value, size_t size)
{
    chx_channel *channel = self->in[in];
    uint64_t taken = atomic_load_explicit(&channel->taken, memory_order_relaxed);
    if (taken == channel->sent_seen) {
        uint64_t sent = atomic_load_explicit(&channel->sent, memory_order_acquire);
        if (taken == sent) {
            self->wants = (uintptr_t)channel;
            return false;
        }
        channel->sent_seen = sent;
    }
    if (CHX_UNLIKELY(size > CHX_FAST_BYTES || taken >= channel->taken_stop || chx_generation_changed(self)))
        return chx_receive_slow(self, in, site, value, size);
    const chx_record *record = (const chx_record *)(const void *)channel->read;
    uint64_t head;
    memcpy(&head, record, sizeof head);
    if (CHX_UNLIKELY(head != chx_record_head(site, (uint32_t)size) ||
                     record->of.stamp != channel->taking.stamp + taken * CHX_STAMP_NEXT))
        return chx_receive_slow(self, in, site, value, size);
    memcpy(value, record + 1, size);
    channel->read += CHX_RECORD_BYTES(size);
    atomic_store_explicit(&channel->taken, taken + 1, memory_order_release);
    return true;
}

// ---- families of roles ----

// A family is named by its index in chx_choreography.roles, the channels to and from its members by its place in the role's
// sends_to and receives_from.
CHX_INLINE size_t chx_me(const chx_self *self)
{
    return self->member;
}
size_t chx_members(const chx_self *self, unsigned family); // how many
// The index of the channel: `out`, `in`. There is such a member, else the role fails.
unsigned chx_to_member(chx_self *self, unsigned place, size_t member);
unsigned chx_from_member(chx_self *self, unsigned place, size_t member);
// The block as this role plays it. In the participants of `block` a family stands for all its members, and with CHX_ONE_MEMBER
// for one of them: which, is in `members`, in the same order.
#define CHX_ONE_MEMBER 0x80000000u
const chx_checkpoint *chx_block_of(chx_self *self, const chx_checkpoint *block, const size_t *members);
CHX_NORETURN void chx_no_member(chx_self *self, uint32_t site, unsigned family, size_t member); // the role fails

// ---- arms ----

// An element of an array over a family, which in the arm is a variable: offsets in the frame.
typedef struct {
    size_t array, element, index;
    const chx_type *type;
} chx_arm_element;

// An arm of a `par` that this role takes part in. It is done by an actor of its own, whose first frame is a copy of the one that the
// `par` stands in.
typedef struct {
    chx_checkpoint chx_block; // first: its name and participants; `body_at`: where it begins
    const chx_variable
        *uses; // those that own something: copied. The others are zero in the arm, unless they own nothing
    size_t use_count;
    const chx_variable *owns; // copied back at the end
    size_t own_count;
    const chx_arm_element *elements; // copied there and back
    size_t element_count;
} chx_arm;

// Begins the arm. `block` is the arm's, with single members among its participants as chx_block_of knows it.
void chx_arm_begin(chx_self *self, chx_frame *frame, const chx_arm *arm, const chx_checkpoint *block);
// The end of an arm, which is returned.
chx_step chx_arm_end(chx_self *self);
// All arms that this role has begun are over? False: return chx_wait(self) and ask again.
bool chx_par_end(chx_self *self, chx_frame *frame);

// ---- checkpoints ----

// Enters the block: what the frame holds now is what a rescue starts from. The label to go on at; 0: return
// chx_wait(self) and ask again.
uint32_t chx_enter(chx_self *self, chx_frame *frame, const chx_checkpoint *checkpoint);
// At the end of body or rescue, whatever way leads out. False: others are not there yet, return chx_wait(self) and ask
// again. On true the block is left.
bool chx_leave(chx_self *self, const chx_checkpoint *checkpoint);
// The same at the end of a round, if another one follows: on true that has begun.
bool chx_renew(chx_self *self, const chx_checkpoint *checkpoint);
// The same for durable blocks. A role is let in when all are there and the store has what they hold; it goes on behind the block,
// or in the next round, when the store has that. Before chx_leave_durable, `at` is set so as to ask again: a role that goes on
// from there after a loss is out of the block already.
uint32_t chx_enter_durable(chx_self *self, chx_frame *frame, const chx_checkpoint *checkpoint);
bool chx_leave_durable(chx_self *self, const chx_checkpoint *checkpoint);
bool chx_renew_durable(chx_self *self, const chx_checkpoint *checkpoint);
// Why the block that this role is in was rescued. Valid until the block is left, or the round is over.
chx_fault chx_fault_here(chx_self *self);

#define CHX_STRING_(name) #name
#define CHX_STRING(name) CHX_STRING_(name)

// ---- sequential programs (chorcc --central) ----

// Runs `body` with chx_fail and failures in it caught; the report names the role and line of the last chx_central_at.
// Frames that it pushed with chx_call and has not returned from are dropped at its end.
chx_status chx_central(const chx_choreography *choreography, const chx_actor *cast,
                       void (*body)(chx_self *self, void *closure), void *closure);
// The same as a session that has ended, for chx_finish: on success `results` (NULL: none) are moved into it, else
// `body` must have dropped them. NULL: the roles could not be cast.
chx_session *chx_central_start(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                               void (*body)(chx_self *self, void *closure), void *closure, const void *results);
// What follows is done by `role` at `line`; role's chx_context, chx_role_name hold from here on. The hooks of a role have
// sites of their own.
enum { CHX_SITE_INIT = 0x7ffffffe, CHX_SITE_FINI = 0x7fffffff };
void chx_central_at(chx_self *self, unsigned role, uint32_t site, int line);
// The implementation that plays a role: the cast's, or the one linked in. Its table of functions, and its hooks.
const chx_role *chx_central_role(chx_self *self, unsigned role);
static inline const void *chx_central_functions(chx_self *self, unsigned role)
{
    return chx_central_role(self, role)->central;
}
static inline void chx_central_init(chx_self *self, unsigned role)
{
    chx_central_role(self, role)->init();
}
static inline void chx_central_fini(chx_self *self, unsigned role)
{
    chx_central_role(self, role)->fini();
}
// The same with families of roles: what follows is done by a member; of a role, the member is 0. Who that is.
void chx_central_at_member(chx_self *self, unsigned role, size_t member, uint32_t site, int line);
const chx_role *chx_central_me(const chx_self *self);
// The results of all members, as a chx_results.
void chx_central_results(const chx_type *type, void *results, const void *first, size_t count, size_t stride);
// A checkpoint, whose site and line are given. `body` and `rescue` (NULL: none) say how they were left, and so does this.
// When the body fails, the frame is put back to what it was, and the body is done again or the rescue done. The same when the
// rescue of a round fails.
int chx_central_checkpoint(chx_self *self, void *frame, uint32_t site, uint32_t retries, uint64_t within_ns, int line,
                           bool is_round, int (*body)(chx_self *self, void *frame),
                           int (*rescue)(chx_self *self, void *frame, const chx_fault *fault));
CHX_NORETURN void chx_central_mismatch(chx_self *self, const char *expected);
void chx_central_agree(chx_self *self, const chx_type *type, const void *one, const void *other,
                       const char *difference);

#endif

#ifdef __cplusplus
}
#endif

#include <chorex/names_end.h>

#endif
