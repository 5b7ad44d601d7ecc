// codec.h: the encoded form of values: the same on every machine. Behind chx_encode, chx_decode and the user's codecs.
//
// Numbers: little-endian, two's complement, chx_type.wire bytes. Floating point: IEEE bits; long double: 64 bits of
// mantissa, then sign and 15 bits of exponent. Strings, bytes, codec values: 8 bytes of length, then the bytes; a C
// string's length is one more than it is, 0 stands for NULL. Structs and arrays: their parts in order.

#ifndef RUNTIME_CORE_CODEC_H
#define RUNTIME_CORE_CODEC_H

#include "runtime/core/private.h"

#include <chorex/generated.h>

struct chx_writer {
    chx_buffer *buffer;
};

struct chx_reader {
    const unsigned char *at, *end;
};

bool value_is_zero(const void *value, size_t size);
// Zeroed memory for a moment, freed by the caller; never NULL.
void *value_scratch(size_t size);

#endif
