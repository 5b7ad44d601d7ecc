// wire.h: frames between two nodes: C structs to bytes and back.
//
// A frame is a head (size, kind, and a number if the kind is numbered) and a body, whose fields fields.h lists. Frames are
// small (WIRE_BODY_MAX): a larger body travels as a row of CHUNK frames, which the link cuts and puts together again.
//
// What arrives is not trusted. Decoding checks every length and count against the bytes that are there before it uses them,
// allocates nothing and does not recurse. A decoded struct points into the bytes that it was decoded from: it is valid as
// long as these are. Lists are checked as a whole when the frame is decoded; their items are then read one by one.
//
// These functions are pure and may be called by anybody.

#ifndef NET_WIRE_WIRE_H
#define NET_WIRE_WIRE_H

#include "net/wire/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Bytes that belong to somebody else.
typedef struct {
    const uint8_t *data;
    size_t size;
} WireSpan;

typedef struct {
    uint8_t bytes[16];
} WireId;

// Encoded items, one after the other.
typedef struct {
    const uint8_t *data;
    size_t size;
    uint32_t count;
} WireList;

// ---- the structs, one for each kind of frame and of item: WireHello, WireData, ... ----

#define WIRE_C_BOOL bool
#define WIRE_C_U8 uint8_t
#define WIRE_C_U16 uint16_t
#define WIRE_C_U32 uint32_t
#define WIRE_C_U64 uint64_t
#define WIRE_C_ID WireId
#define WIRE_C_NAME WireSpan
#define WIRE_C_TEXT WireSpan
#define WIRE_C_BYTES WireSpan
#define WIRE_MEMBER(owner, type, name, text) WIRE_C_##type name;
#define WIRE_LIST_MEMBER(owner, item, name, most, text) WireList name;

#define WIRE_ITEM_STRUCT(upper, camel, lower, text)                                                                    \
    typedef struct {                                                                                                   \
        WIRE_##upper##_FIELDS(WIRE_MEMBER, WIRE_LIST_MEMBER, )                                                         \
    } Wire##camel;
WIRE_ITEM_KINDS(WIRE_ITEM_STRUCT)

#define WIRE_FRAME_STRUCT(upper, value, camel, lower, text)                                                            \
    typedef struct {                                                                                                   \
        WIRE_##upper##_FIELDS(WIRE_MEMBER, WIRE_LIST_MEMBER, )                                                         \
    } Wire##camel;
WIRE_KINDS(WIRE_FRAME_STRUCT)

typedef enum {
#define WIRE_KIND_NAME(upper, value, camel, lower, text) WIRE_##upper = value,
    WIRE_KINDS(WIRE_KIND_NAME)
} WireKind;

typedef enum {
#define WIRE_ITEM_NAME(upper, camel, lower, text) WIRE_ITEM_##upper,
    WIRE_ITEM_KINDS(WIRE_ITEM_NAME) WIRE_ITEM_COUNT
} WireItem;

// Any decoded frame.
typedef struct {
    WireKind kind;
    uint64_t number; // 0: it has none
    union {
#define WIRE_UNION_MEMBER(upper, value, camel, lower, text) Wire##camel lower;
        WIRE_KINDS(WIRE_UNION_MEMBER)
    };
} WireFrame;

// ---- limits ----

enum {
    WIRE_MAGIC = 0x31786863, // "chx1"
    WIRE_VERSION = 1,
    WIRE_PIECE_MAX = 16 * 1024,          // bytes of a message in one CHUNK
    WIRE_BODY_MAX = WIRE_PIECE_MAX + 64, // the body of a frame
    WIRE_HEAD = 5,                       // u32 size of the body, u8 kind
    WIRE_HEAD_NUMBERED = 13,             // and u64 number
    WIRE_FRAME_MAX = WIRE_HEAD_NUMBERED + WIRE_BODY_MAX,
    WIRE_NAME_MAX = 255,
    WIRE_TEXT_MAX = 65535,
};
#define WIRE_MESSAGE_DEFAULT ((uint32_t)16 << 20)
#define WIRE_MESSAGE_MAX ((uint32_t)1 << 30) // whatever a node is configured to take

// ---- the tables ----

typedef enum {
    WIRE_TYPE_BOOL,
    WIRE_TYPE_U8,
    WIRE_TYPE_U16,
    WIRE_TYPE_U32,
    WIRE_TYPE_U64,
    WIRE_TYPE_ID,
    WIRE_TYPE_NAME,
    WIRE_TYPE_TEXT,
    WIRE_TYPE_BYTES,
    WIRE_TYPE_LIST,
} WireType;

typedef struct {
    uint8_t type;  // WireType
    uint8_t item;  // of a list: WireItem
    uint16_t at;   // offset in the struct
    uint32_t most; // of a list: items
    const char *name, *text;
} WireField;

// A kind of frame or item.
typedef struct {
    const char *name, *text;
    const WireField *fields;
    uint32_t count;
    uint32_t size;       // of the struct
    uint32_t least_size; // encoded, everything empty
} WireShape;

// NULL: there is no such kind.
const WireShape *wire_shape(unsigned kind);
const WireShape *wire_item_shape(WireItem item);

static inline bool wire_is_numbered(unsigned kind)
{
    return kind >= WIRE_NUMBERED_FROM && kind < WIRE_RECORDS_FROM;
}

static inline bool wire_is_record(unsigned kind)
{
    return kind >= WIRE_RECORDS_FROM;
}

// ---- encoding ----

// Memory that grows. `failed` stays set once there was no memory; what was added after that is not in it.
typedef struct {
    uint8_t *data;
    size_t size, capacity;
    uint32_t count; // items added by wire_add
    bool failed;
} WireBuffer;

void wire_buffer_fini(WireBuffer *buffer);
// Appends an item. The items of a frame's list are collected so, and the frame then has wire_list(buffer).
bool wire_add(WireBuffer *buffer, WireItem item, const void *value);
WireList wire_list(const WireBuffer *buffer);
// Reads the next item and takes it off the list; false: there is none.
bool wire_next(WireList *list, WireItem item, void *value);

// Size of the body. 0: it can't be encoded, since a name, a text or a list is too long or contains what it must not.
size_t wire_body_size(WireKind kind, const void *frame);
// Writes as many bytes as wire_body_size has said.
void wire_write_body(uint8_t *at, WireKind kind, const void *frame);
// Writes `count` of these bytes, from the one at `from` on.
void wire_write_part(uint8_t *at, WireKind kind, const void *frame, size_t from, size_t count);
// Writes the head, WIRE_HEAD or WIRE_HEAD_NUMBERED bytes, and returns how many.
size_t wire_write_head(uint8_t *at, WireKind kind, uint64_t number, size_t body_size);
// Appends a record; false: no memory, or it can't be encoded. Reading one is wire_decode_body.
bool wire_encode_record(WireBuffer *buffer, WireKind kind, const void *record);
// Appends a whole frame; false: no memory, or it can't be encoded.
bool wire_encode(WireBuffer *buffer, WireKind kind, uint64_t number, const void *frame);

// ---- decoding ----

// Codes of ERROR, and what is wrong with bytes.
typedef enum {
    WIRE_GOOD,
    WIRE_BAD_KIND,    // unknown, or not allowed here
    WIRE_BAD_SIZE,    // a frame or message larger than allowed, or one that has fewer or more bytes than its fields
    WIRE_BAD_FIELD,   // a value that the field must not have
    WIRE_BAD_NUMBER,  // a frame's number leaves a gap, or something is acknowledged that was not sent
    WIRE_BAD_VERSION, // another version of the protocol
    WIRE_BAD_CHUNK,   // pieces that don't fit together
    WIRE_BAD_ORDER,   // a frame that may not come in this state
    WIRE_BAD_CONTENT, // said by the layer above: an unknown role, an epoch from the future and the like
    WIRE_BAD_NAME,    // another process with the sender's name is connected
} WireVerdict;
const char *wire_verdict_text(WireVerdict verdict);

// Codes of REFUSED.
typedef enum {
    WIRE_REFUSED_UNKNOWN = 1, // no such choreography, definition, role or session
    WIRE_REFUSED_PROTOCOL,    // the digests of the protocol differ
    WIRE_REFUSED_STATE,       // the digests of the role's state differ
    WIRE_REFUSED_RIGHT,       // the certificate or the configuration does not allow it
    WIRE_REFUSED_HOME,        // the two sides name different homes
    WIRE_REFUSED_LIMIT,       // too many sessions
    WIRE_REFUSED_TAKEN,       // the role is played by somebody else
    WIRE_REFUSED_ENDING,      // the node takes nothing new
    WIRE_REFUSED_CHOICE,      // the service's own function has said no
} WireRefusal;
const char *wire_refusal_text(WireRefusal refusal);

// A frame whose body has not been looked at.
typedef struct {
    WireKind kind;
    uint64_t number;
    WireSpan body;
    size_t size; // of all of it
} WireRaw;

typedef enum {
    WIRE_MORE,  // the bytes are the beginning of a frame; raw->size says how many are needed at least
    WIRE_WHOLE, // raw is the first frame
    WIRE_WRONG, // it can't become a frame, whatever follows; *verdict says why
} WireSplit;
WireSplit wire_split(const uint8_t *bytes, size_t size, WireRaw *raw, WireVerdict *verdict);

// Decodes a body into the struct of its kind (the member of WireFrame). On failure the struct is undefined.
WireVerdict wire_decode_body(unsigned kind, WireSpan body, void *frame);
WireVerdict wire_decode(const WireRaw *raw, WireFrame *frame);

// ---- numbers ----

// Little-endian, as they lie in the memory of most machines: there it is one instruction if the size is known.
static inline uint8_t *wire_put(uint8_t *at, uint64_t value, unsigned size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(at, &value, size);
#else
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
#endif
    return at + size;
}

static inline uint64_t wire_get(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, at, size);
#else
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
#endif
    return value;
}

static inline WireSpan wire_text(const char *text)
{
    return (WireSpan){(const uint8_t *)text, text != NULL ? strlen(text) : 0};
}

static inline bool wire_id_is_zero(const WireId *id)
{
    static const WireId zero;
    return memcmp(id, &zero, sizeof zero) == 0;
}

static inline bool wire_id_is(const WireId *left, const WireId *right)
{
    return memcmp(left, right, sizeof *left) == 0;
}

#endif
