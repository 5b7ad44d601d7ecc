// codec.h: the encoded form of values: the same on every machine. Behind chx_encode, chx_decode and the user's codecs.
//
// Numbers: little-endian, two's complement, chx_type.wire bytes. Floating point: IEEE bits; long double: 64 bits of
// mantissa, then sign and 15 bits of exponent. Strings, bytes, codec values: 8 bytes of length, then the bytes; a C
// string's length is one more than it is, 0 stands for NULL. Structs and arrays: their parts in order. docs/wire.md says it
// in full.

#ifndef RUNTIME_VALUE_CODEC_H
#define RUNTIME_VALUE_CODEC_H

#include <chorex/generated.h>

#include <stddef.h>
#include <string.h>

// What to do with values that can't be sent (CHX_KIND_OPAQUE). Snapshots have them as they lie in memory, if they hold no
// pointers, and else as zeros; those of a machine with another layout can't be read.
typedef enum { OPAQUE_NEVER, OPAQUE_SAVED, OPAQUE_FOREIGN } OpaqueUse;

struct chx_writer {
    chx_buffer *buffer;
    OpaqueUse opaque;
};

// The outcome of decoding. Unless it is good, nothing is owned.
typedef enum { DECODE_GOOD, DECODE_MALFORMED, DECODE_NO_MEMORY, DECODE_FAILED } DecodeResult;

struct chx_reader {
    const unsigned char *at, *end;
    struct Fault *fault; // DECODE_FAILED: the failure of the user's decoding function
    DecodeResult result; // of what was read so far, if it is known to be neither good nor malformed
    OpaqueUse opaque;
};

// ---- little-endian numbers, of up to 8 bytes ----

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IS_LITTLE_ENDIAN 1
#else
#define IS_LITTLE_ENDIAN 0
#endif

static inline void store_number(unsigned char *to, uint64_t number, unsigned size)
{
    if (IS_LITTLE_ENDIAN)
        memcpy(to, &number, size);
    else
        for (unsigned i = 0; i < size; i++)
            to[i] = (unsigned char)(number >> (8 * i));
}

static inline uint64_t load_number(const unsigned char *from, unsigned size)
{
    uint64_t number = 0;
    if (IS_LITTLE_ENDIAN)
        memcpy(&number, from, size);
    else
        for (unsigned i = 0; i < size; i++)
            number |= (uint64_t)from[i] << (8 * i);
    return number;
}

void codec_write_u32(chx_writer *writer, uint32_t number);
bool codec_read_u32(chx_reader *reader, uint32_t *number);

// Is the encoded form what lies in memory? So it is for most numbers.
static inline bool number_is_raw(const chx_type *type)
{
    if (!IS_LITTLE_ENDIAN)
        return false;
    if (type->kind == CHX_KIND_SIGNED || type->kind == CHX_KIND_UNSIGNED)
        return type->size == type->wire;
    return type->kind == CHX_KIND_FLOAT && type->size <= sizeof(double);
}

// The same of numbers, arrays of numbers, and structs of both without padding: many of them are copied at once.
bool type_is_raw(const chx_type *type);

// Is the encoded form of what travels what lies in memory? So it is for the outcome of a choice (NULL), and for most numbers.
static inline bool message_is_raw(const chx_type *type)
{
    return type == NULL || number_is_raw(type);
}

// ---- values ----

// To be written anew; its memory is kept.
static inline void buffer_restart(chx_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

// Room for so many bytes; what was in it is lost. NULL: no memory.
unsigned char *buffer_reserve(chx_buffer *buffer, size_t bytes);
// One that has become larger than this is freed after use.
static inline void buffer_trim(chx_buffer *buffer, size_t kept)
{
    if (buffer->capacity > kept)
        chx_buffer_free(buffer);
}

// The other struct of a SHADOW type, zeroed. It lies on the stack, where emitted code makes values of such types, too: so
// dropping one can't fail.
#define SHADOW_OF(name, type)                                                                                          \
    max_align_t name[((type)->element->size + sizeof(max_align_t) - 1) / sizeof(max_align_t) + 1];                     \
    memset(name, 0, sizeof name)

// A part of a struct or an array: its type, and where it lies.
static inline const chx_type *type_part(const chx_type *type, size_t i, size_t *offset)
{
    bool is_array = type->kind == CHX_KIND_ARRAY;
    const chx_type *part = is_array ? type->element : type->fields[i].type;
    *offset = is_array ? i * part->size : type->fields[i].offset;
    return part;
}

// As chx_encode, with failures of the user's functions caught, as a role's functions may have them. False: the fault says why; of
// kind CHX_FAULT_NONE: there was no memory. What was appended until then stays.
bool value_encode(const chx_type *type, const void *value, chx_buffer *buffer, struct Fault *fault);
// As chx_decode, which raises the last two.
DecodeResult value_decode(const chx_type *type, void *value, const void *data, size_t size, struct Fault *fault);

// Raises what is to be raised. False: malformed.
bool decode_succeeded(DecodeResult result, const struct Fault *fault);

// A variable's value as a snapshot has it: as chx_encode and value_decode, except that what can't be sent is there, too.
void value_save(const chx_type *type, const void *value, chx_writer *writer);
DecodeResult value_load(const chx_type *type, void *value, chx_reader *reader, struct Fault *fault);

// The bytes of a value were copied: makes the copy an owner, too. Strings are immutable: those of a value that is owned are
// shared, others copied. False: it could not be done, the fault says why (of kind CHX_FAULT_NONE: there was no memory), and
// the copy is zero.
bool value_own(const chx_type *type, void *copy, bool is_shared, struct Fault *fault);
// Raises such a fault. Outside of roles this returns if there was no memory.
void value_raise(const struct Fault *fault);

bool value_is_zero(const void *value, size_t size);

// What a role's table says about a site: a place in the choreography where something is sent or received. NULL: the role has
// no such site.
const chx_site *role_site(const chx_role *role, uint32_t site);
// The block with this site; NULL: the role has none.
const chx_checkpoint *role_checkpoint(const chx_role *role, uint32_t site);
// The arm with this site, with its participants as this role plays it, and as it is compiled in; NULL: the role has none.
bool role_has_arms(const chx_role *role);
const chx_checkpoint *role_arm(const chx_role *role, uint32_t site, const chx_arm **program);
// Drops the value of a message of this site that nobody will read.
void role_drop_message(const chx_role *role, uint32_t site, void *value, size_t size);

#endif
