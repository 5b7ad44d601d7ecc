// codec.c: see codec.h. Decoding trusts nothing: no read past the end, no memory beyond what the input holds.

#include "runtime/value/codec.h"

#include "base/check.h"
#include "runtime/actor/actor.h"
#include "runtime/value/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Number128;
#endif

_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE formats");

// ---- writing ----

// Room for so many bytes more. False: there is none.
static CHX_COLD bool buffer_grow(chx_buffer *buffer, size_t size)
{
    size_t capacity = buffer->capacity * 2 > buffer->size + size ? buffer->capacity * 2 : buffer->size + size;
    if (capacity < 64)
        capacity = 64;
    unsigned char *grown = realloc(buffer->data, capacity);
    if (grown == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->data = grown;
    buffer->capacity = capacity;
    return true;
}

// Inline, so that a size that is known makes it a few instructions.
CHX_INLINE void append(chx_buffer *buffer, const void *data, size_t size)
{
    if (CHX_UNLIKELY(buffer->failed || (buffer->capacity - buffer->size < size && !buffer_grow(buffer, size))))
        return;
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

void chx_write(chx_writer *writer, const void *data, size_t size)
{
    if (size != 0)
        append(writer->buffer, data, size);
}

// A number that is encoded as it lies in memory.
static inline void append_raw(chx_buffer *buffer, const void *number, size_t size)
{
    if (size == sizeof(uint32_t))
        append(buffer, number, sizeof(uint32_t));
    else if (size == sizeof(uint64_t))
        append(buffer, number, sizeof(uint64_t));
    else
        append(buffer, number, size);
}

void chx_buffer_free(chx_buffer *buffer)
{
    free(buffer->data);
    *buffer = (chx_buffer){0};
}

void codec_write_u32(chx_writer *writer, uint32_t number)
{
    unsigned char bytes[4];
    store_number(bytes, number, 4);
    append(writer->buffer, bytes, sizeof bytes);
}

void chx_write_u64(chx_writer *writer, uint64_t number)
{
    unsigned char bytes[8];
    store_number(bytes, number, 8);
    append(writer->buffer, bytes, sizeof bytes);
}

// ---- reading ----

const void *chx_read_view(chx_reader *reader, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size)
        return NULL;
    const void *view = reader->at;
    reader->at += size;
    return view;
}

bool chx_read(chx_reader *reader, void *data, size_t size)
{
    const void *view = chx_read_view(reader, size);
    if (view == NULL)
        return false;
    if (size != 0)
        memcpy(data, view, size);
    return true;
}

bool codec_read_u32(chx_reader *reader, uint32_t *number)
{
    unsigned char bytes[4];
    if (!chx_read(reader, bytes, sizeof bytes))
        return false;
    *number = (uint32_t)load_number(bytes, 4);
    return true;
}

bool chx_read_u64(chx_reader *reader, uint64_t *number)
{
    unsigned char bytes[8];
    if (!chx_read(reader, bytes, sizeof bytes))
        return false;
    *number = load_number(bytes, 8);
    return true;
}

// ---- numbers ----

// As two halves, so that there is one way for all widths up to 16 bytes.
typedef struct {
    uint64_t low, high;
} Wide;

static Wide wide_load(const void *value, size_t size, bool is_signed)
{
    Wide wide = {0, 0};
    int64_t narrow = 0;
    switch (size) {
    case 1: {
        int8_t v;
        memcpy(&v, value, 1);
        narrow = is_signed ? v : (uint8_t)v;
        break;
    }
    case 2: {
        int16_t v;
        memcpy(&v, value, 2);
        narrow = is_signed ? v : (uint16_t)v;
        break;
    }
    case 4: {
        int32_t v;
        memcpy(&v, value, 4);
        narrow = is_signed ? v : (int64_t)(uint32_t)v;
        break;
    }
    case 8:
        memcpy(&narrow, value, 8);
        break;
    default:
#ifdef __SIZEOF_INT128__
    {
        CHECK(size == 16);
        Number128 v;
        memcpy(&v, value, 16);
        return (Wide){(uint64_t)v, (uint64_t)(v >> 64)};
    }
#else
        CHECK(false);
#endif
    }
    wide.low = (uint64_t)narrow;
    wide.high = is_signed && narrow < 0 ? UINT64_MAX : 0;
    return wide;
}

static void wide_store(Wide wide, void *value, size_t size)
{
    switch (size) {
    case 1: {
        uint8_t v = (uint8_t)wide.low;
        memcpy(value, &v, 1);
        break;
    }
    case 2: {
        uint16_t v = (uint16_t)wide.low;
        memcpy(value, &v, 2);
        break;
    }
    case 4: {
        uint32_t v = (uint32_t)wide.low;
        memcpy(value, &v, 4);
        break;
    }
    case 8:
        memcpy(value, &wide.low, 8);
        break;
    default:
#ifdef __SIZEOF_INT128__
    {
        Number128 v = ((Number128)wide.high << 64) | wide.low;
        memcpy(value, &v, 16);
        break;
    }
#else
        CHECK(false);
#endif
    }
}

static void encode_integer(const chx_type *type, const void *value, chx_writer *writer)
{
    unsigned char bytes[16];
    Wide wide = wide_load(value, type->size, type->kind == CHX_KIND_SIGNED);
    store_number(bytes, wide.low, 8);
    store_number(bytes + 8, wide.high, 8);
    CHECK(type->wire >= 1 && type->wire <= 16);
    chx_write(writer, bytes, type->wire);
}

static bool decode_integer(const chx_type *type, void *value, chx_reader *reader)
{
    bool is_signed = type->kind == CHX_KIND_SIGNED;
    unsigned char bytes[16];
    CHECK(type->wire >= 1 && type->wire <= 16);
    if (!chx_read(reader, bytes, type->wire))
        return false;
    bool negative = is_signed && (bytes[type->wire - 1] & 0x80) != 0;
    memset(bytes + type->wire, negative ? 0xff : 0, sizeof bytes - type->wire);
    Wide wide = {load_number(bytes, 8), load_number(bytes + 8, 8)};
    wide_store(wide, value, type->size);
    // In range if nothing was cut off.
    Wide again = wide_load(value, type->size, is_signed);
    return again.low == wide.low && again.high == wide.high;
}

static void encode_long_double(long double number, chx_writer *writer)
{
    unsigned char bytes[10];
    uint64_t mantissa;
    unsigned exponent;
#if LDBL_MANT_DIG == 64 && (defined(__x86_64__) || defined(__i386__))
    unsigned char raw[sizeof number];
    memcpy(raw, &number, sizeof number);
    mantissa = load_number(raw, 8);
    exponent = (unsigned)load_number(raw + 8, 2);
#else
    unsigned sign = signbit(number) ? 0x8000 : 0;
    int power = 0;
    if (isnan(number)) {
        mantissa = (uint64_t)3 << 62;
        exponent = 0x7fff;
    } else if (isinf(number)) {
        mantissa = (uint64_t)1 << 63;
        exponent = 0x7fff;
    } else if (number == 0) {
        mantissa = 0;
        exponent = 0;
    } else {
        long double fraction = frexpl(sign ? -number : number, &power);
        mantissa = (uint64_t)ldexpl(fraction, 64);
        power += 16382;
        if (power < 1) {
            mantissa = power > -63 ? mantissa >> (1 - power) : 0;
            power = 0;
        }
        exponent = (unsigned)power;
    }
    exponent |= sign;
#endif
    store_number(bytes, mantissa, 8);
    store_number(bytes + 8, exponent, 2);
    chx_write(writer, bytes, sizeof bytes);
}

static bool decode_long_double(long double *number, chx_reader *reader)
{
    unsigned char bytes[10];
    if (!chx_read(reader, bytes, sizeof bytes))
        return false;
    uint64_t mantissa = load_number(bytes, 8);
    unsigned exponent = (unsigned)load_number(bytes + 8, 2);
    // The leading one is written out and must be there, except in zero and the smallest numbers.
    if (((exponent & 0x7fff) != 0) != (mantissa >> 63 != 0))
        return false;
#if LDBL_MANT_DIG == 64 && (defined(__x86_64__) || defined(__i386__))
    memset(number, 0, sizeof *number);
    memcpy(number, bytes, sizeof bytes);
#else
    long double magnitude;
    if ((exponent & 0x7fff) == 0x7fff)
        magnitude = mantissa << 1 == 0 ? (long double)INFINITY : (long double)NAN;
    else
        magnitude = ldexpl((long double)mantissa, (int)(exponent & 0x7fff ? exponent & 0x7fff : 1) - 16383 - 63);
    *number = exponent & 0x8000 ? -magnitude : magnitude;
#endif
    return true;
}

static void encode_float(size_t size, const void *value, chx_writer *writer)
{
    if (size > 8) {
        long double number;
        memcpy(&number, value, sizeof number);
        encode_long_double(number, writer);
        return;
    }
    unsigned char bytes[8];
    store_number(bytes, wide_load(value, size, false).low, (unsigned)size);
    chx_write(writer, bytes, size);
}

static bool decode_float(size_t size, void *value, chx_reader *reader)
{
    if (size > 8) {
        long double number;
        if (!decode_long_double(&number, reader))
            return false;
        memcpy(value, &number, sizeof number);
        return true;
    }
    unsigned char bytes[8];
    if (!chx_read(reader, bytes, size))
        return false;
    wide_store((Wide){load_number(bytes, (unsigned)size), 0}, value, size);
    return true;
}

// ---- the rest ----

static void encode(const chx_type *type, const void *value, chx_writer *writer);
static bool decode(const chx_type *type, void *value, chx_reader *reader);

// In place of the size of what the user's function wrote.
#define CODEC_ZERO UINT64_MAX

static void encode_codec(const chx_type *type, const void *value, chx_writer *writer)
{
    // As everywhere, a value that is zero owns nothing and is nothing that the user's function knows of.
    if (value_is_zero(value, type->size)) {
        chx_write_u64(writer, CODEC_ZERO);
        return;
    }
    size_t start = writer->buffer->size;
    chx_write_u64(writer, 0);
    type->codec->encode(writer, value);
    if (!writer->buffer->failed)
        store_number(writer->buffer->data + start, writer->buffer->size - start - 8, 8);
}

// A mark (0: left out, 1: here), the size, and the bytes.
static void encode_opaque(const chx_type *type, const void *value, chx_writer *writer)
{
    unsigned char head[9] = {type->wire != 0};
    CHECK(writer->opaque == OPAQUE_SAVED);
    store_number(head + 1, type->size, 8);
    chx_write(writer, head, sizeof head);
    if (type->wire != 0)
        chx_write(writer, value, type->size);
}

// The same of numbers, arrays of numbers, and structs of both without padding: many of them are copied at once.
static bool type_is_raw(const chx_type *type)
{
    size_t end = 0;
    if (type->kind == CHX_KIND_ARRAY)
        return type_is_raw(type->element);
    if (type->kind != CHX_KIND_STRUCT)
        return number_is_raw(type);
    for (size_t i = 0; i < type->count; i++) {
        const chx_field *field = &type->fields[i];
        if (field->offset != end || !type_is_raw(field->type))
            return false;
        end += field->type->size;
    }
    return end == type->size;
}

static void encode_array(const chx_type *type, const void *value, chx_writer *writer)
{
    if (type_is_raw(type->element)) {
        chx_write(writer, value, type->size);
        return;
    }
    for (size_t i = 0; i < type->count; i++)
        encode(type->element, (const char *)value + i * type->element->size, writer);
}

static void encode(const chx_type *type, const void *value, chx_writer *writer)
{
    if (number_is_raw(type)) {
        append_raw(writer->buffer, value, type->size);
        return;
    }
    switch (type->kind) {
    case CHX_KIND_BOOL: {
        unsigned char byte = *(const unsigned char *)value != 0;
        append(writer->buffer, &byte, 1);
        return;
    }
    case CHX_KIND_SIGNED:
    case CHX_KIND_UNSIGNED:
        encode_integer(type, value, writer);
        return;
    case CHX_KIND_FLOAT:
        encode_float(type->size, value, writer);
        return;
    case CHX_KIND_COMPLEX:
        encode_float(type->size / 2, value, writer);
        encode_float(type->size / 2, (const char *)value + type->size / 2, writer);
        return;
    case CHX_KIND_STRUCT:
        for (size_t i = 0; i < type->count; i++)
            encode(type->fields[i].type, (const char *)value + type->fields[i].offset, writer);
        return;
    case CHX_KIND_ARRAY:
        encode_array(type, value, writer);
        return;
    case CHX_KIND_CSTRING: {
        const char *string = *(const char *const *)value;
        size_t size = string != NULL ? strlen(string) : 0;
        chx_write_u64(writer, string != NULL ? size + 1 : 0);
        chx_write(writer, string, size);
        return;
    }
    case CHX_KIND_STR:
    case CHX_KIND_BYTES: {
        chx_str string = *(const chx_str *)value;
        chx_write_u64(writer, chx_str_len(string));
        chx_write(writer, chx_cstr(string), chx_str_len(string));
        return;
    }
    case CHX_KIND_CODEC:
        encode_codec(type, value, writer);
        return;
    case CHX_KIND_SHADOW: {
        SHADOW_OF(plain, type);
        type->pack(plain, value);
        encode(type->element, plain, writer);
        return;
    }
    case CHX_KIND_OPAQUE:
        encode_opaque(type, value, writer);
        return;
    }
}

// The bytes of a counted value. False: there are not so many.
static bool decode_blob(chx_reader *reader, uint64_t size, const void **data)
{
    if (size > (uint64_t)(reader->end - reader->at))
        return false;
    *data = chx_read_view(reader, (size_t)size);
    return true;
}

static bool decode_no_memory(chx_reader *reader)
{
    reader->has_no_memory = true;
    return false;
}

static bool decode_cstring(void *value, chx_reader *reader)
{
    uint64_t size;
    const void *data;
    const char *string = NULL;
    if (!chx_read_u64(reader, &size))
        return false;
    if (size != 0) {
        if (!decode_blob(reader, size - 1, &data) || memchr(data, 0, (size_t)(size - 1)) != NULL)
            return false;
        struct chx_text *text = text_new(data, (size_t)(size - 1));
        if (text == NULL)
            return decode_no_memory(reader);
        string = text->data;
    }
    memcpy(value, &string, sizeof string);
    return true;
}

static bool decode_str(void *value, chx_reader *reader)
{
    uint64_t size;
    const void *data;
    chx_str string = {NULL};
    if (!chx_read_u64(reader, &size) || !decode_blob(reader, size, &data))
        return false;
    if (size != 0 && (string.text = text_new(data, (size_t)size)) == NULL)
        return decode_no_memory(reader);
    memcpy(value, &string, sizeof string);
    return true;
}

typedef struct {
    const chx_type *type;
    void *value;
    chx_reader *inner;
    bool is_decoded;
} CodecDecoding;

static void decode_run(void *closure)
{
    CodecDecoding *decoding = closure;
    Current *here = current();
    here->busy = here->guard->outer_busy;
    // Strings that it makes belong to the value.
    here->unpooled = here->guard->outer_unpooled + 1;
    decoding->is_decoded = decoding->type->codec->decode(decoding->inner, decoding->value);
}

// The user's function. It may fail as a role's functions do; what was decoded before it must be dropped then.
static bool decode_guarded(const chx_type *type, void *value, chx_reader *inner, chx_reader *reader)
{
    Guard guard;
    CodecDecoding decoding = {type, value, inner, false};
    if (!guard_run(&guard, current()->actor, decode_run, &decoding)) {
        *reader->fault = guard.fault;
        reader->has_failed = true;
    }
    return decoding.is_decoded;
}

static bool decode_codec(const chx_type *type, void *value, chx_reader *reader)
{
    uint64_t size;
    const void *data;
    if (!chx_read_u64(reader, &size))
        return false;
    if (size == CODEC_ZERO)
        return true;
    if (!decode_blob(reader, size, &data))
        return false;
    chx_reader inner = {.at = data, .end = (const unsigned char *)data + size};
    bool decoded;
    if (current()->guard != NULL)
        decoded = decode_guarded(type, value, &inner, reader);
    else
        decoded = type->codec->decode(&inner, value);
    if (!decoded) {
        // What the user's function left there is its own affair.
        memset(value, 0, type->size);
        return false;
    }
    return inner.at == inner.end;
}

static bool decode_opaque(const chx_type *type, void *value, chx_reader *reader)
{
    unsigned char is_here;
    uint64_t size;
    if (reader->opaque == OPAQUE_NEVER || !chx_read(reader, &is_here, 1) || !chx_read_u64(reader, &size))
        return false;
    if (is_here != (type->wire != 0) || size != type->size)
        return false;
    return is_here == 0 || (reader->opaque == OPAQUE_SAVED && chx_read(reader, value, type->size));
}

static bool decode_array(const chx_type *type, void *value, chx_reader *reader)
{
    if (type_is_raw(type->element))
        return chx_read(reader, value, type->size);
    for (size_t i = 0; i < type->count; i++)
        if (!decode(type->element, (char *)value + i * type->element->size, reader))
            return false;
    return true;
}

// Decodes into zeroed memory; on failure parts may be owned and are dropped by chx_decode.
static bool decode(const chx_type *type, void *value, chx_reader *reader)
{
    if (number_is_raw(type))
        return chx_read(reader, value, type->size);
    switch (type->kind) {
    case CHX_KIND_BOOL: {
        unsigned char byte;
        if (!chx_read(reader, &byte, 1) || byte > 1)
            return false;
        *(bool *)value = byte != 0;
        return true;
    }
    case CHX_KIND_SIGNED:
    case CHX_KIND_UNSIGNED:
        return decode_integer(type, value, reader);
    case CHX_KIND_FLOAT:
        return decode_float(type->size, value, reader);
    case CHX_KIND_COMPLEX:
        return decode_float(type->size / 2, value, reader) &&
               decode_float(type->size / 2, (char *)value + type->size / 2, reader);
    case CHX_KIND_STRUCT:
        for (size_t i = 0; i < type->count; i++)
            if (!decode(type->fields[i].type, (char *)value + type->fields[i].offset, reader))
                return false;
        return true;
    case CHX_KIND_ARRAY:
        return decode_array(type, value, reader);
    case CHX_KIND_CSTRING:
        return decode_cstring(value, reader);
    case CHX_KIND_STR:
    case CHX_KIND_BYTES:
        return decode_str(value, reader);
    case CHX_KIND_CODEC:
        return decode_codec(type, value, reader);
    case CHX_KIND_SHADOW: {
        SHADOW_OF(plain, type);
        bool decoded = decode(type->element, plain, reader);
        if (decoded)
            type->unpack(value, plain);
        else
            chx_value_drop(type->element, plain);
        return decoded;
    }
    case CHX_KIND_OPAQUE:
        return decode_opaque(type, value, reader);
    }
    return false;
}

void chx_encode(const chx_type *type, const void *value, chx_buffer *buffer)
{
    chx_writer writer = {buffer, OPAQUE_NEVER};
    encode(type, value, &writer);
}

void value_save(const chx_type *type, const void *value, chx_buffer *buffer)
{
    chx_writer writer = {buffer, OPAQUE_SAVED};
    encode(type, value, &writer);
}

DecodeResult value_load(const chx_type *type, void *value, chx_reader *reader, Fault *fault)
{
    reader->fault = fault;
    memset(value, 0, type->size);
    if (decode(type, value, reader))
        return DECODE_GOOD;
    chx_value_drop(type, value);
    return reader->has_failed ? DECODE_FAILED : reader->has_no_memory ? DECODE_NO_MEMORY : DECODE_MALFORMED;
}

DecodeResult value_decode(const chx_type *type, void *value, const void *data, size_t size, size_t *used, Fault *fault)
{
    static const unsigned char nothing[1];
    if (data == NULL)
        data = nothing, size = 0;
    chx_reader reader = {.at = data, .end = (const unsigned char *)data + size};
    DecodeResult result = value_load(type, value, &reader, fault);
    if (used != NULL && result == DECODE_GOOD)
        *used = (size_t)(reader.at - (const unsigned char *)data);
    return result;
}

bool decode_succeeded(DecodeResult result, const Fault *fault)
{
    if (result == DECODE_FAILED)
        guard_raise(fault->kind, fault->signal, fault->site, "%s", fault->why);
    if (result == DECODE_NO_MEMORY)
        text_no_memory();
    return result == DECODE_GOOD;
}

bool chx_decode(const chx_type *type, void *value, const void *data, size_t size, size_t *used)
{
    Fault fault;
    return decode_succeeded(value_decode(type, value, data, size, used, &fault), &fault);
}
