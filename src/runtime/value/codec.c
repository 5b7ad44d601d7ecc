// codec.c: see codec.h. Decoding trusts nothing: no read past the end, no memory beyond what the input holds.

#include "runtime/value/codec.h"
#include "runtime/value/sequence.h"

#include "base/check.h"
#include "runtime/actor/actor.h"
#include "runtime/value/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { LONG_DOUBLE_BYTES = 10 };
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

unsigned char *buffer_reserve(chx_buffer *buffer, size_t bytes)
{
    enum { FIRST_BYTES = 256 };
    if (buffer->capacity < bytes || buffer->data == NULL) {
        size_t capacity = bytes > FIRST_BYTES ? bytes : FIRST_BYTES;
        chx_buffer_free(buffer);
        buffer->data = malloc(capacity);
        buffer->capacity = buffer->data != NULL ? capacity : 0;
    }
    return buffer->data;
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
    const unsigned char *bytes = chx_read_view(reader, sizeof *number);
    if (bytes != NULL)
        *number = (uint32_t)load_number(bytes, sizeof *number);
    return bytes != NULL;
}

bool chx_read_u64(chx_reader *reader, uint64_t *number)
{
    const unsigned char *bytes = chx_read_view(reader, sizeof *number);
    if (bytes != NULL)
        *number = load_number(bytes, sizeof *number);
    return bytes != NULL;
}

// ---- numbers ----

// The bytes of a number, which is in memory at one end and little-endian at the other.
static void copy_number(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[IS_LITTLE_ENDIAN ? i : size - 1 - i];
}

// A little-endian integer of the type's kind, as wide as integers can be.
enum { WIDEST_BYTES = 16 };
static void widen(const chx_type *type, unsigned char bytes[WIDEST_BYTES], size_t size)
{
    bool is_negative = type->kind == CHX_KIND_SIGNED && (bytes[size - 1] & 0x80) != 0;
    memset(bytes + size, is_negative ? 0xff : 0, WIDEST_BYTES - size);
}

static void encode_integer(const chx_type *type, const void *value, chx_writer *writer)
{
    unsigned char bytes[WIDEST_BYTES];
    CHECK(type->size <= sizeof bytes && type->wire <= sizeof bytes);
    copy_number(bytes, value, type->size);
    widen(type, bytes, type->size);
    chx_write(writer, bytes, type->wire);
}

static bool decode_integer(const chx_type *type, void *value, chx_reader *reader)
{
    unsigned char bytes[WIDEST_BYTES], again[WIDEST_BYTES];
    CHECK(type->size <= sizeof bytes && type->wire <= sizeof bytes);
    if (!chx_read(reader, bytes, type->wire))
        return false;
    widen(type, bytes, type->wire);
    copy_number(value, bytes, type->size);
    // In range if nothing was cut off.
    memcpy(again, bytes, sizeof again);
    widen(type, again, type->size);
    return memcmp(again, bytes, sizeof again) == 0;
}

#if LDBL_MANT_DIG == 64 && (defined(__x86_64__) || defined(__i386__))

// The encoded form is what lies in memory, without padding.
static void encode_long_double(const void *value, chx_writer *writer)
{
    chx_write(writer, value, LONG_DOUBLE_BYTES);
}

static void decode_long_double(void *value, const unsigned char *bytes)
{
    memcpy(value, bytes, LONG_DOUBLE_BYTES);
}

#else

static void encode_long_double(const void *value, chx_writer *writer)
{
    unsigned char bytes[LONG_DOUBLE_BYTES];
    uint64_t mantissa = 0;
    long double number;
    int exponent = 0;
    memcpy(&number, value, sizeof number);
    if (isnan(number) || isinf(number)) {
        mantissa = (uint64_t)(isnan(number) ? 3 : 2) << 62;
        exponent = 0x7fff;
    } else if (number != 0) {
        mantissa = (uint64_t)ldexpl(frexpl(signbit(number) ? -number : number, &exponent), 64);
        exponent += 16382;
        if (exponent < 1) {
            mantissa = exponent > -63 ? mantissa >> (1 - exponent) : 0;
            exponent = 0;
        }
    }
    store_number(bytes, mantissa, 8);
    store_number(bytes + 8, (uint64_t)exponent | (signbit(number) ? 0x8000 : 0), 2);
    chx_write(writer, bytes, sizeof bytes);
}

static void decode_long_double(void *value, const unsigned char *bytes)
{
    uint64_t mantissa = load_number(bytes, 8);
    int exponent = (int)load_number(bytes + 8, 2) & 0x7fff;
    long double number;
    if (exponent == 0x7fff)
        number = mantissa << 1 == 0 ? (long double)INFINITY : (long double)NAN;
    else
        number = ldexpl((long double)mantissa, (exponent != 0 ? exponent : 1) - 16383 - 63);
    if ((bytes[9] & 0x80) != 0)
        number = -number;
    memcpy(value, &number, sizeof number);
}

#endif

static void encode_float(size_t size, const void *value, chx_writer *writer)
{
    unsigned char bytes[sizeof(double)];
    if (size > sizeof bytes) {
        encode_long_double(value, writer);
        return;
    }
    copy_number(bytes, value, size);
    chx_write(writer, bytes, size);
}

static bool decode_float(size_t size, void *value, chx_reader *reader)
{
    bool is_long = size > sizeof(double);
    const unsigned char *bytes = chx_read_view(reader, is_long ? LONG_DOUBLE_BYTES : size);
    if (bytes == NULL)
        return false;
    if (!is_long) {
        copy_number(value, bytes, size);
        return true;
    }
    // The leading one is written out and must be there, except in zero and the smallest numbers.
    if (((load_number(bytes + 8, 2) & 0x7fff) != 0) != (bytes[7] >> 7 != 0))
        return false;
    decode_long_double(value, bytes);
    return true;
}

// ---- the rest ----

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

bool type_is_raw(const chx_type *type)
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

static void encode_parts(const chx_type *type, const void *value, chx_writer *writer)
{
    if (type->kind == CHX_KIND_ARRAY && type_is_raw(type->element)) {
        chx_write(writer, value, type->size);
        return;
    }
    for (size_t i = 0, offset; i < type->count; i++) {
        const chx_type *part = type_part(type, i, &offset);
        value_save(part, (const char *)value + offset, writer);
    }
}

void value_save(const chx_type *type, const void *value, chx_writer *writer)
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
    case CHX_KIND_ARRAY:
        encode_parts(type, value, writer);
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
    case CHX_KIND_SEQUENCE:
        sequence_save(type, value, writer);
        return;
    case CHX_KIND_CODEC:
        encode_codec(type, value, writer);
        return;
    case CHX_KIND_SHADOW: {
        SHADOW_OF(plain, type);
        type->pack(plain, value);
        value_save(type->element, plain, writer);
        return;
    }
    case CHX_KIND_OPAQUE:
        encode_opaque(type, value, writer);
        return;
    }
}

// The bytes of a counted value. NULL: there are not so many.
static const void *read_counted(chx_reader *reader, uint64_t size)
{
    return size <= (uint64_t)(reader->end - reader->at) ? chx_read_view(reader, (size_t)size) : NULL;
}

static bool decode_text(const chx_type *type, void *value, chx_reader *reader)
{
    bool is_cstring = type->kind == CHX_KIND_CSTRING;
    uint64_t size;
    if (!chx_read_u64(reader, &size))
        return false;
    if (size == 0)
        return true;
    size -= is_cstring;
    const void *data = read_counted(reader, size);
    if (data == NULL || (is_cstring && memchr(data, 0, (size_t)size) != NULL))
        return false;
    const struct chx_text *text = text_new(data, (size_t)size);
    if (text == NULL) {
        reader->result = DECODE_NO_MEMORY;
        return false;
    }
    if (is_cstring)
        *(const char **)value = text->data;
    else
        ((chx_str *)value)->text = text;
    return true;
}

typedef struct {
    const chx_type *type;
    void *value;
    chx_reader inner;
    bool is_decoded;
} CodecDecoding;

static void decode_run(void *closure)
{
    CodecDecoding *decoding = closure;
    // Strings that it makes belong to the value.
    current()->unpooled++;
    decoding->is_decoded = decoding->type->codec->decode(&decoding->inner, decoding->value);
    current()->unpooled--;
}

static bool decode_codec(const chx_type *type, void *value, chx_reader *reader)
{
    uint64_t size;
    if (!chx_read_u64(reader, &size))
        return false;
    if (size == CODEC_ZERO)
        return true;
    const unsigned char *data = read_counted(reader, size);
    if (data == NULL)
        return false;
    CodecDecoding decoding = {type, value, {.at = data, .end = data + size}, false};
    // The user's function may fail as a role's functions do; what was decoded before it must be dropped then.
    if (!guard_run_inside(decode_run, &decoding, reader->fault))
        reader->result = DECODE_FAILED;
    if (!decoding.is_decoded) {
        // What the user's function left there is its own affair.
        memset(value, 0, type->size);
        return false;
    }
    return decoding.inner.at == decoding.inner.end;
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

static bool decode_parts(const chx_type *type, void *value, chx_reader *reader)
{
    if (type->kind == CHX_KIND_ARRAY && type_is_raw(type->element))
        return chx_read(reader, value, type->size);
    for (size_t i = 0, offset; i < type->count; i++) {
        const chx_type *part = type_part(type, i, &offset);
        if (!decode(part, (char *)value + offset, reader))
            return false;
    }
    return true;
}

static bool decode_sequence(const chx_type *type, void *value, chx_reader *reader)
{
    size_t count;
    if (!sequence_begin_load(type, value, reader, &count))
        return false;
    unsigned char *elements = *(void **)value;
    for (size_t i = 0; i < count; i++)
        if (!decode(type->element, elements + i * type->element->size, reader))
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
    case CHX_KIND_ARRAY:
        return decode_parts(type, value, reader);
    case CHX_KIND_CSTRING:
    case CHX_KIND_STR:
    case CHX_KIND_BYTES:
        return decode_text(type, value, reader);
    case CHX_KIND_SEQUENCE:
        return decode_sequence(type, value, reader);
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
    value_save(type, value, &(chx_writer){buffer, OPAQUE_NEVER});
}

DecodeResult value_load(const chx_type *type, void *value, chx_reader *reader, Fault *fault)
{
    reader->fault = fault;
    memset(value, 0, type->size);
    if (decode(type, value, reader))
        return DECODE_GOOD;
    chx_value_drop(type, value);
    return reader->result != DECODE_GOOD ? reader->result : DECODE_MALFORMED;
}

DecodeResult value_decode(const chx_type *type, void *value, const void *data, size_t size, Fault *fault)
{
    static const unsigned char nothing[1];
    const unsigned char *bytes = data != NULL ? data : nothing;
    chx_reader reader = {.at = bytes, .end = bytes + size};
    DecodeResult result = value_load(type, value, &reader, fault);
    if (result != DECODE_GOOD || reader.at == reader.end)
        return result;
    chx_value_drop(type, value);
    return DECODE_MALFORMED;
}

bool decode_succeeded(DecodeResult result, const Fault *fault)
{
    if (result == DECODE_NO_MEMORY)
        text_no_memory();
    if (result == DECODE_FAILED)
        value_raise(fault);
    return result == DECODE_GOOD;
}

bool chx_decode(const chx_type *type, void *value, const void *data, size_t size)
{
    Fault fault;
    return decode_succeeded(value_decode(type, value, data, size, &fault), &fault);
}
