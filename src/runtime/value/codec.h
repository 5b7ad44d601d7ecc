// codec.h: the encoded form of values: the same on every machine. Behind chx_encode, chx_decode and the user's codecs.
//
// Numbers: little-endian, two's complement, chx_type.wire bytes. Floating point: IEEE bits; long double: 64 bits of
// mantissa, then sign and 15 bits of exponent. Strings, bytes, codec values: 8 bytes of length, then the bytes; a C
// string's length is one more than it is, 0 stands for NULL. Structs and arrays: their parts in order.

#ifndef RUNTIME_VALUE_CODEC_H
#define RUNTIME_VALUE_CODEC_H

#include <chorex/generated.h>

#include <stddef.h>
#include <string.h>

struct chx_writer {
    chx_buffer *buffer;
};

struct chx_reader {
    const unsigned char *at, *end;
    struct Fault *fault; // where a failure of the user's decoding function goes; NULL: up, like any other
    bool has_no_memory;
    bool has_failed; // the fault is there
};

// To be written anew; its memory is kept.
static inline void buffer_restart(chx_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

// The other struct of a SHADOW type, zeroed. It lies on the stack, where emitted code makes values of such types, too: so
// dropping one can't fail.
#define SHADOW_OF(name, type)                                                                                          \
    max_align_t name[((type)->element->size + sizeof(max_align_t) - 1) / sizeof(max_align_t) + 1];                     \
    memset(name, 0, sizeof name)

// As chx_decode, which raises the last two: nothing is owned then.
typedef enum { DECODE_GOOD, DECODE_MALFORMED, DECODE_NO_MEMORY, DECODE_FAILED } DecodeResult;
DecodeResult value_decode(const chx_type *type, void *value, const void *data, size_t size, size_t *used,
                          struct Fault *fault);

// As chx_value_copy. False: no memory (then the fault is of kind CHX_FAULT_NONE), or a codec has failed; `to` is zero.
bool value_copy(const chx_type *type, void *to, const void *from, struct Fault *fault);

bool value_is_zero(const void *value, size_t size);

#endif
