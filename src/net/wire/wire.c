// wire.c: see wire.h. Everything here goes by the tables that are made of fields.h.

#include "net/wire/wire.h"

#include "base/check.h"

// ---- the tables ----

#define LEAST_BOOL 1
#define LEAST_U8 1
#define LEAST_U16 2
#define LEAST_U32 4
#define LEAST_U64 8
#define LEAST_ID 16
#define LEAST_NAME 1
#define LEAST_TEXT 2
#define LEAST_BYTES 4
#define LEAST_LIST 4
#define FIELD_LEAST(owner, type, name, text) +LEAST_##type
#define LIST_LEAST(owner, item, name, most, text) +LEAST_LIST
#define FIELD_ROW(owner, type, name, text) {WIRE_TYPE_##type, 0, offsetof(owner, name), 0, #name, text},
#define LIST_ROW(owner, item, name, most, text)                                                                        \
    {WIRE_TYPE_LIST, WIRE_ITEM_##item, offsetof(owner, name), most, #name, text},
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ITEM_FIELDS(upper, camel, lower, text)                                                                         \
    static const WireField lower##_item_fields[] = {WIRE_##upper##_FIELDS(FIELD_ROW, LIST_ROW, Wire##camel)};
WIRE_ITEM_KINDS(ITEM_FIELDS)

#define FRAME_FIELDS(upper, value, camel, lower, text)                                                                 \
    static const WireField lower##_fields[] = {WIRE_##upper##_FIELDS(FIELD_ROW, LIST_ROW, Wire##camel)};
WIRE_KINDS(FRAME_FIELDS)

static const WireShape item_shapes[WIRE_ITEM_COUNT] = {
#define ITEM_SHAPE(upper, camel, lower, text)                                                                          \
    [WIRE_ITEM_##upper] = {#upper,                                                                                     \
                           text,                                                                                       \
                           lower##_item_fields,                                                                        \
                           COUNT(lower##_item_fields),                                                                 \
                           sizeof(Wire##camel),                                                                        \
                           0 WIRE_##upper##_FIELDS(FIELD_LEAST, LIST_LEAST, )},
    WIRE_ITEM_KINDS(ITEM_SHAPE)};

static const WireShape shapes[WIRE_KIND_LIMIT] = {
#define FRAME_SHAPE(upper, value, camel, lower, text)                                                                  \
    [value] = {#upper,                                                                                                 \
               text,                                                                                                   \
               lower##_fields,                                                                                         \
               COUNT(lower##_fields),                                                                                  \
               sizeof(Wire##camel),                                                                                    \
               0 WIRE_##upper##_FIELDS(FIELD_LEAST, LIST_LEAST, )},
    WIRE_KINDS(FRAME_SHAPE)};

const WireShape *wire_shape(unsigned kind)
{
    return kind < WIRE_KIND_LIMIT && shapes[kind].name != NULL ? &shapes[kind] : NULL;
}

const WireShape *wire_item_shape(WireItem item)
{
    return &item_shapes[item];
}

const char *wire_verdict_text(WireVerdict verdict)
{
    static const char *const texts[] = {
        [WIRE_GOOD] = "nothing is wrong",
        [WIRE_BAD_KIND] = "a frame of an unknown kind, or of one that may not come here",
        [WIRE_BAD_SIZE] = "a frame whose size is not that of its fields, or larger than allowed",
        [WIRE_BAD_FIELD] = "a field with a value that it must not have",
        [WIRE_BAD_NUMBER] = "a frame is missing, or one was acknowledged that was never sent",
        [WIRE_BAD_VERSION] = "another version of the protocol",
        [WIRE_BAD_CHUNK] = "pieces of a message that don't fit together",
        [WIRE_BAD_ORDER] = "a frame that may not come at this moment",
        [WIRE_BAD_CONTENT] = "contents that can't be right",
        [WIRE_BAD_NAME] = "another process with the sender's name is connected",
    };
    return (unsigned)verdict < COUNT(texts) ? texts[verdict] : "an unknown code";
}

const char *wire_refusal_text(WireRefusal refusal)
{
    static const char *const texts[] = {
        [WIRE_REFUSED_UNKNOWN] = "there is no such choreography, definition, role or session",
        [WIRE_REFUSED_PROTOCOL] = "the digests of the protocol differ",
        [WIRE_REFUSED_STATE] = "the digests of the role's state differ",
        [WIRE_REFUSED_RIGHT] = "the certificate or the configuration does not allow it",
        [WIRE_REFUSED_HOME] = "the two sides name different homes",
        [WIRE_REFUSED_LIMIT] = "there are too many sessions",
        [WIRE_REFUSED_TAKEN] = "the role is played by somebody else",
        [WIRE_REFUSED_ENDING] = "the node takes nothing new any more",
        [WIRE_REFUSED_CHOICE] = "the service has refused it",
    };
    return (unsigned)refusal < COUNT(texts) && texts[refusal] != NULL ? texts[refusal] : "an unknown code";
}

// ---- what texts may contain ----

// Names are shown to people and compared: no control characters.
static bool name_is_good(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] < 0x20 || data[i] == 0x7f)
            return false;
    return size <= WIRE_NAME_MAX;
}

static bool text_is_good(const uint8_t *data, size_t size)
{
    return size <= WIRE_TEXT_MAX && (size == 0 || memchr(data, 0, size) == NULL);
}

// ---- encoding ----

// Size of the fields, 0: they can't be encoded.
static size_t fields_size(const WireShape *shape, const void *value)
{
    size_t size = shape->least_size;
    for (const WireField *field = shape->fields, *end = field + shape->count; field < end; field++) {
        const void *member = (const unsigned char *)value + field->at;
        const WireSpan *span = member;
        switch ((WireType)field->type) {
        case WIRE_TYPE_NAME:
            if (!name_is_good(span->data, span->size))
                return 0;
            size += span->size;
            break;
        case WIRE_TYPE_TEXT:
            if (!text_is_good(span->data, span->size))
                return 0;
            size += span->size;
            break;
        case WIRE_TYPE_BYTES:
            if (span->size > WIRE_MESSAGE_MAX)
                return 0;
            size += span->size;
            break;
        case WIRE_TYPE_LIST:
            if (((const WireList *)member)->count > field->most || ((const WireList *)member)->size > WIRE_MESSAGE_MAX)
                return 0;
            size += ((const WireList *)member)->size;
            break;
        default:
            break;
        }
    }
    return size <= WIRE_MESSAGE_MAX ? size : 0;
}

static uint8_t *put_bytes(uint8_t *at, const uint8_t *data, size_t size)
{
    if (size > 0)
        memcpy(at, data, size);
    return at + size;
}

// What of a field has a size of its own: a number, or how long the bytes are that follow, which are in *rest.
static uint8_t *put_head(uint8_t *at, const WireField *field, const void *member, WireSpan *rest)
{
    const WireSpan *span = member;
    *rest = (WireSpan){NULL, 0};
    switch ((WireType)field->type) {
    case WIRE_TYPE_BOOL:
        *at = *(const bool *)member;
        return at + 1;
    case WIRE_TYPE_U8:
        *at = *(const uint8_t *)member;
        return at + 1;
    case WIRE_TYPE_U16:
        return wire_put(at, *(const uint16_t *)member, 2);
    case WIRE_TYPE_U32:
        return wire_put(at, *(const uint32_t *)member, 4);
    case WIRE_TYPE_U64:
        return wire_put(at, *(const uint64_t *)member, 8);
    case WIRE_TYPE_ID:
        return put_bytes(at, ((const WireId *)member)->bytes, sizeof(WireId));
    case WIRE_TYPE_NAME:
        *rest = *span;
        *at = (uint8_t)span->size;
        return at + 1;
    case WIRE_TYPE_TEXT:
        *rest = *span;
        return wire_put(at, span->size, 2);
    case WIRE_TYPE_BYTES:
        *rest = *span;
        return wire_put(at, span->size, 4);
    case WIRE_TYPE_LIST:
        *rest = (WireSpan){((const WireList *)member)->data, ((const WireList *)member)->size};
        return wire_put(at, ((const WireList *)member)->count, 4);
    }
    return at;
}

static inline uint8_t *put_field(uint8_t *at, const WireField *field, const void *member)
{
    WireSpan rest;
    at = put_head(at, field, member, &rest);
    return put_bytes(at, rest.data, rest.size);
}

static uint8_t *put_fields(uint8_t *at, const WireShape *shape, const void *value)
{
    for (const WireField *field = shape->fields, *end = field + shape->count; field < end; field++)
        at = put_field(at, field, (const unsigned char *)value + field->at);
    return at;
}

size_t wire_body_size(WireKind kind, const void *frame)
{
    return fields_size(&shapes[kind], frame);
}

void wire_write_body(uint8_t *at, WireKind kind, const void *frame)
{
    put_fields(at, &shapes[kind], frame);
}

// A part of an encoding: what lies in it is copied, the rest only counted.
typedef struct {
    uint8_t *at;        // of the first byte of the part
    size_t from, count; // of the part
    size_t position;    // of the next byte of the encoding
} PartWriter;

static void part_put(PartWriter *writer, const uint8_t *data, size_t size)
{
    size_t begin = writer->position, end = begin + size, to = writer->from + writer->count;
    size_t first = begin > writer->from ? begin : writer->from, last = end < to ? end : to;
    if (first < last)
        memcpy(writer->at + (first - writer->from), data + (first - begin), last - first);
    writer->position = end;
}

void wire_write_part(uint8_t *at, WireKind kind, const void *frame, size_t from, size_t count)
{
    const WireShape *shape = &shapes[kind];
    PartWriter writer = {.at = at, .from = from, .count = count};
    for (const WireField *field = shape->fields, *end = field + shape->count; field < end; field++) {
        const void *member = (const unsigned char *)frame + field->at;
        uint8_t head[sizeof(WireId)];
        WireSpan rest;
        part_put(&writer, head, (size_t)(put_head(head, field, member, &rest) - head));
        part_put(&writer, rest.data, rest.size);
    }
}

size_t wire_write_head(uint8_t *at, WireKind kind, uint64_t number, size_t body_size)
{
    wire_put(at, body_size, 4);
    at[4] = (uint8_t)kind;
    if (!wire_is_numbered(kind))
        return WIRE_HEAD;
    wire_put(at + WIRE_HEAD, number, 8);
    return WIRE_HEAD_NUMBERED;
}

// ---- memory that grows ----

void wire_buffer_fini(WireBuffer *buffer)
{
    free(buffer->data);
    *buffer = (WireBuffer){0};
}

static uint8_t *buffer_extend(WireBuffer *buffer, size_t more)
{
    if (buffer->failed)
        return NULL;
    if (buffer->capacity - buffer->size < more) {
        size_t capacity = buffer->capacity * 2 > buffer->size + more ? buffer->capacity * 2 : buffer->size + more;
        uint8_t *data = realloc(buffer->data, capacity);
        if (data == NULL) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    uint8_t *at = buffer->data + buffer->size;
    buffer->size += more;
    return at;
}

bool wire_add(WireBuffer *buffer, WireItem item, const void *value)
{
    size_t size = fields_size(&item_shapes[item], value);
    uint8_t *at = size > 0 ? buffer_extend(buffer, size) : NULL;
    if (at == NULL) {
        buffer->failed = true;
        return false;
    }
    put_fields(at, &item_shapes[item], value);
    buffer->count++;
    return true;
}

WireList wire_list(const WireBuffer *buffer)
{
    return (WireList){buffer->data, buffer->size, buffer->count};
}

bool wire_encode_record(WireBuffer *buffer, WireKind kind, const void *record)
{
    size_t size = wire_body_size(kind, record);
    uint8_t *at = size > 0 ? buffer_extend(buffer, size) : NULL;
    if (at == NULL)
        return false;
    wire_write_body(at, kind, record);
    return true;
}

bool wire_encode(WireBuffer *buffer, WireKind kind, uint64_t number, const void *frame)
{
    size_t size = wire_is_record(kind) ? 0 : wire_body_size(kind, frame);
    if (size == 0 || size > WIRE_BODY_MAX)
        return false;
    size_t head = wire_is_numbered(kind) ? WIRE_HEAD_NUMBERED : WIRE_HEAD;
    uint8_t *at = buffer_extend(buffer, head + size);
    if (at == NULL)
        return false;
    wire_write_head(at, kind, number, size);
    wire_write_body(at + head, kind, frame);
    return true;
}

// ---- decoding ----

typedef struct {
    const uint8_t *at, *end;
} Reader;

static size_t reader_left(const Reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

// So many bytes, which begin at `at`.
static bool get_span(Reader *reader, const uint8_t *at, uint64_t size, WireSpan *span)
{
    if (size > (size_t)(reader->end - at))
        return false;
    *span = (WireSpan){at, (size_t)size};
    reader->at = at + size;
    return true;
}

// Encoded size of each type, without what a length says.
static const uint8_t sizes[] = {
    [WIRE_TYPE_BOOL] = LEAST_BOOL, [WIRE_TYPE_U8] = LEAST_U8,     [WIRE_TYPE_U16] = LEAST_U16,
    [WIRE_TYPE_U32] = LEAST_U32,   [WIRE_TYPE_U64] = LEAST_U64,   [WIRE_TYPE_ID] = LEAST_ID,
    [WIRE_TYPE_NAME] = LEAST_NAME, [WIRE_TYPE_TEXT] = LEAST_TEXT, [WIRE_TYPE_BYTES] = LEAST_BYTES,
    [WIRE_TYPE_LIST] = LEAST_LIST,
};

// All fields but lists.
static WireVerdict get_plain(Reader *reader, const WireField *field, void *member)
{
    const uint8_t *at = reader->at;
    WireSpan *span = member;
    if (reader_left(reader) < sizes[field->type])
        return WIRE_BAD_SIZE;
    reader->at += sizes[field->type];
    switch ((WireType)field->type) {
    case WIRE_TYPE_BOOL:
        *(bool *)member = *at == 1;
        return *at <= 1 ? WIRE_GOOD : WIRE_BAD_FIELD;
    case WIRE_TYPE_U8:
        *(uint8_t *)member = *at;
        return WIRE_GOOD;
    case WIRE_TYPE_U16:
        *(uint16_t *)member = (uint16_t)wire_get(at, 2);
        return WIRE_GOOD;
    case WIRE_TYPE_U32:
        *(uint32_t *)member = (uint32_t)wire_get(at, 4);
        return WIRE_GOOD;
    case WIRE_TYPE_U64:
        *(uint64_t *)member = wire_get(at, 8);
        return WIRE_GOOD;
    case WIRE_TYPE_ID:
        memcpy(member, at, sizeof(WireId));
        return WIRE_GOOD;
    case WIRE_TYPE_NAME:
        if (!get_span(reader, at + 1, *at, span))
            return WIRE_BAD_SIZE;
        return name_is_good(span->data, span->size) ? WIRE_GOOD : WIRE_BAD_FIELD;
    case WIRE_TYPE_TEXT:
        if (!get_span(reader, at + 2, wire_get(at, 2), span))
            return WIRE_BAD_SIZE;
        return text_is_good(span->data, span->size) ? WIRE_GOOD : WIRE_BAD_FIELD;
    case WIRE_TYPE_BYTES:
        return get_span(reader, at + 4, wire_get(at, 4), span) ? WIRE_GOOD : WIRE_BAD_SIZE;
    case WIRE_TYPE_LIST:
        break;
    }
    return WIRE_BAD_FIELD;
}

static WireVerdict get_item(Reader *reader, const WireShape *shape, void *value)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        WireVerdict verdict = get_plain(reader, &shape->fields[i], (unsigned char *)value + shape->fields[i].at);
        if (verdict != WIRE_GOOD)
            return verdict;
    }
    return WIRE_GOOD;
}

// Room for an item of any kind.
typedef union {
#define ITEM_MEMBER(upper, camel, lower, text) Wire##camel lower;
    WIRE_ITEM_KINDS(ITEM_MEMBER)
} AnyItem;

static WireVerdict get_list(Reader *reader, const WireField *field, WireList *list)
{
    if (reader_left(reader) < LEAST_LIST)
        return WIRE_BAD_SIZE;
    uint64_t count = wire_get(reader->at, 4);
    reader->at += LEAST_LIST;
    const WireShape *shape = &item_shapes[field->item];
    if (count > field->most || count > reader_left(reader) / shape->least_size)
        return WIRE_BAD_SIZE;
    const uint8_t *begin = reader->at;
    for (uint64_t i = 0; i < count; i++) {
        AnyItem item;
        WireVerdict verdict = get_item(reader, shape, &item);
        if (verdict != WIRE_GOOD)
            return verdict;
    }
    *list = (WireList){begin, (size_t)(reader->at - begin), (uint32_t)count};
    return WIRE_GOOD;
}

WireVerdict wire_decode_body(unsigned kind, WireSpan body, void *frame)
{
    const WireShape *shape = wire_shape(kind);
    if (shape == NULL)
        return WIRE_BAD_KIND;
    if (body.size < shape->least_size)
        return WIRE_BAD_SIZE;
    Reader reader = {body.data, body.data + body.size};
    for (const WireField *field = shape->fields, *end = field + shape->count; field < end; field++) {
        void *member = (unsigned char *)frame + field->at;
        WireVerdict verdict =
            field->type == WIRE_TYPE_LIST ? get_list(&reader, field, member) : get_plain(&reader, field, member);
        if (verdict != WIRE_GOOD)
            return verdict;
    }
    return reader.at == reader.end ? WIRE_GOOD : WIRE_BAD_SIZE;
}

bool wire_next(WireList *list, WireItem item, void *value)
{
    if (list->count == 0)
        return false;
    Reader reader = {list->data, list->data + list->size};
    // Lists are checked when the frame is decoded, so this can only fail for a list of another kind of items.
    CHECK(get_item(&reader, &item_shapes[item], value) == WIRE_GOOD);
    list->size -= (size_t)(reader.at - list->data);
    list->data = reader.at;
    list->count--;
    return true;
}

WireSplit wire_split(const uint8_t *bytes, size_t size, WireRaw *raw, WireVerdict *verdict)
{
    raw->size = WIRE_HEAD;
    if (size < 4)
        return WIRE_MORE;
    uint64_t body_size = wire_get(bytes, 4);
    *verdict = WIRE_BAD_SIZE;
    if (body_size > WIRE_BODY_MAX)
        return WIRE_WRONG;
    if (size < WIRE_HEAD)
        return WIRE_MORE;
    unsigned kind = bytes[4];
    const WireShape *shape = wire_shape(kind);
    *verdict = WIRE_BAD_KIND;
    if (shape == NULL || wire_is_record(kind))
        return WIRE_WRONG;
    *verdict = WIRE_BAD_SIZE;
    if (body_size < shape->least_size)
        return WIRE_WRONG;
    size_t head = wire_is_numbered(kind) ? WIRE_HEAD_NUMBERED : WIRE_HEAD;
    raw->kind = (WireKind)kind;
    raw->size = head + (size_t)body_size;
    if (size < raw->size)
        return WIRE_MORE;
    raw->number = head == WIRE_HEAD ? 0 : wire_get(bytes + WIRE_HEAD, 8);
    raw->body = (WireSpan){bytes + head, (size_t)body_size};
    *verdict = WIRE_BAD_NUMBER;
    if (head != WIRE_HEAD && raw->number == 0)
        return WIRE_WRONG;
    *verdict = WIRE_GOOD;
    return WIRE_WHOLE;
}

WireVerdict wire_decode(const WireRaw *raw, WireFrame *frame)
{
    frame->kind = raw->kind;
    frame->number = raw->number;
    return wire_decode_body(raw->kind, raw->body, &frame->hello);
}
