// values.c: copying and releasing values by their type. Encoded forms: codec.c.
//
// Zeroed memory is a value of every type and owns nothing.

#include <chorex/generated.h>

#include "runtime/actor/actor.h"
#include "runtime/value/codec.h"
#include "runtime/value/text.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 Signed128;
__extension__ typedef unsigned __int128 Unsigned128;
#endif

#define NUMBER(c_name, c_kind, c_type, c_wire)                                                                         \
    const chx_type chx_type_##c_name = {.kind = c_kind, .wire = c_wire, .size = sizeof(c_type), .name = #c_type}

NUMBER(bool, CHX_KIND_BOOL, bool, 1);
NUMBER(char, CHAR_MIN < 0 ? CHX_KIND_SIGNED : CHX_KIND_UNSIGNED, char, 1);
NUMBER(signed_char, CHX_KIND_SIGNED, signed char, 1);
NUMBER(unsigned_char, CHX_KIND_UNSIGNED, unsigned char, 1);
NUMBER(short, CHX_KIND_SIGNED, short, 2);
NUMBER(unsigned_short, CHX_KIND_UNSIGNED, unsigned short, 2);
NUMBER(int, CHX_KIND_SIGNED, int, 4);
NUMBER(unsigned_int, CHX_KIND_UNSIGNED, unsigned int, 4);
NUMBER(long, CHX_KIND_SIGNED, long, 8);
NUMBER(unsigned_long, CHX_KIND_UNSIGNED, unsigned long, 8);
NUMBER(long_long, CHX_KIND_SIGNED, long long, 8);
NUMBER(unsigned_long_long, CHX_KIND_UNSIGNED, unsigned long long, 8);
#ifdef __SIZEOF_INT128__
NUMBER(int128, CHX_KIND_SIGNED, Signed128, 16);
NUMBER(unsigned_int128, CHX_KIND_UNSIGNED, Unsigned128, 16);
#endif
NUMBER(float, CHX_KIND_FLOAT, float, 4);
NUMBER(double, CHX_KIND_FLOAT, double, 8);
NUMBER(long_double, CHX_KIND_FLOAT, long double, 10);

const chx_type chx_type_cstring = {
    .kind = CHX_KIND_CSTRING, .owning = true, .size = sizeof(const char *), .name = "const char *"};
const chx_type chx_type_str = {.kind = CHX_KIND_STR, .owning = true, .size = sizeof(chx_str), .name = "chx_str"};
const chx_type chx_type_bytes = {
    .kind = CHX_KIND_BYTES, .owning = true, .size = sizeof(chx_bytes), .name = "chx_bytes"};
// Its strings are the runtime's.
const chx_type chx_type_fault = {.kind = CHX_KIND_OPAQUE, .size = sizeof(chx_fault), .name = "chx_fault"};

bool value_is_zero(const void *value, size_t size)
{
    const unsigned char *bytes = value;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

// Without memory.
static bool copy_failed(Fault *fault)
{
    fault->kind = CHX_FAULT_NONE;
    return false;
}

static void copy_raise(const Fault *fault)
{
    if (fault->kind == CHX_FAULT_NONE)
        text_no_memory();
    else
        guard_raise(fault->kind, fault->signal, fault->site, "%s", fault->why);
}

static DecodeResult codec_through(const chx_type *type, void *to, const void *from, chx_buffer *buffer, Fault *fault)
{
    chx_encode(type, from, buffer);
    return buffer->failed ? DECODE_NO_MEMORY : value_decode(type, to, buffer->data, buffer->size, NULL, fault);
}

typedef struct {
    const chx_type *type;
    void *to;
    const void *from;
    chx_buffer *buffer;
    Fault *fault;
    DecodeResult result;
} Through;

static void codec_through_run(void *closure)
{
    Through *through = closure;
    Current *here = current();
    // On behalf of whoever does this already, and in the same state.
    here->busy = here->guard->outer_busy;
    here->unpooled = here->guard->outer_unpooled;
    through->result = codec_through(through->type, through->to, through->from, through->buffer, through->fault);
}

// The user's functions may fail as a role's functions do.
static DecodeResult codec_through_guarded(const chx_type *type, void *to, const void *from, chx_buffer *buffer,
                                          Fault *fault)
{
    Guard guard;
    Through through = {type, to, from, buffer, fault, DECODE_FAILED};
    if (!guard_run(&guard, current()->actor, codec_through_run, &through))
        *fault = guard.fault;
    return through.result;
}

static void codec_exits(void *buffer)
{
    chx_buffer_free(buffer);
}

// They may also end their thread (pthread_exit): then the buffer would be left behind.
static DecodeResult codec_through_exits(const chx_type *type, void *to, const void *from, chx_buffer *buffer,
                                        Fault *fault)
{
    DecodeResult result;
    pthread_cleanup_push(codec_exits, buffer);
    result = codec_through_guarded(type, to, from, buffer, fault);
    pthread_cleanup_pop(0);
    return result;
}

// The user's functions know no other way to copy than through the encoded form.
static bool codec_copy(const chx_type *type, void *to, const void *from, Fault *fault)
{
    memset(to, 0, type->size);
    if (value_is_zero(from, type->size))
        return true;
    const Actor *actor = current()->actor;
    chx_buffer buffer = {0};
    DecodeResult result = current()->guard != NULL ? codec_through_exits(type, to, from, &buffer, fault)
                                                   : codec_through(type, to, from, &buffer, fault);
    chx_buffer_free(&buffer);
    if (result == DECODE_NO_MEMORY)
        return copy_failed(fault);
    if (result == DECODE_FAILED)
        memset(to, 0, type->size);
    if (result == DECODE_MALFORMED && actor != NULL) {
        *fault = (Fault){.kind = CHX_FAULT_FAIL, .site = actor->self.site};
        snprintf(fault->why, sizeof fault->why, "the codec of %s can't read what it has written", type->name);
        return false;
    }
    return result != DECODE_FAILED;
}

static bool shadow_copy(const chx_type *type, void *to, const void *from, Fault *fault)
{
    SHADOW_OF(borrowed, type);
    SHADOW_OF(owned, type);
    type->pack(borrowed, from);
    memset(to, 0, type->size);
    if (!value_copy(type->element, owned, borrowed, fault))
        return false;
    memcpy(to, from, type->size);
    type->unpack(to, owned);
    return true;
}

static bool cstring_copy(void *to, const void *from, Fault *fault)
{
    const char *string = *(const char *const *)from, *copy = text_cstring_copy(string);
    memcpy(to, &copy, sizeof copy);
    return copy != NULL || string == NULL || copy_failed(fault);
}

// The field could not be copied, those before it are owned.
static CHX_COLD bool struct_copy_failed(const chx_type *type, void *to, size_t field)
{
    for (size_t i = 0; i < field; i++)
        chx_value_drop(type->fields[i].type, (char *)to + type->fields[i].offset);
    memset(to, 0, type->size);
    return false;
}

static bool struct_copy(const chx_type *type, void *to, const void *from, Fault *fault)
{
    memcpy(to, from, type->size);
    for (size_t i = 0; i < type->count; i++) {
        const chx_field *field = &type->fields[i];
        if (field->type->owning &&
            !value_copy(field->type, (char *)to + field->offset, (const char *)from + field->offset, fault))
            return struct_copy_failed(type, to, i);
    }
    return true;
}

static bool array_copy(const chx_type *type, void *to, const void *from, Fault *fault)
{
    for (size_t i = 0; i < type->count; i++) {
        size_t offset = i * type->element->size;
        if (value_copy(type->element, (char *)to + offset, (const char *)from + offset, fault))
            continue;
        while (i-- > 0)
            chx_value_drop(type->element, (char *)to + i * type->element->size);
        memset(to, 0, type->size);
        return false;
    }
    return true;
}

bool value_copy(const chx_type *type, void *to, const void *from, Fault *fault)
{
    switch (type->owning ? type->kind : CHX_KIND_OPAQUE) {
    case CHX_KIND_CSTRING:
        return cstring_copy(to, from, fault);
    case CHX_KIND_STR:
    case CHX_KIND_BYTES:
        text_keep(((const chx_str *)from)->text);
        memcpy(to, from, type->size);
        return true;
    case CHX_KIND_STRUCT:
        return struct_copy(type, to, from, fault);
    case CHX_KIND_ARRAY:
        return array_copy(type, to, from, fault);
    case CHX_KIND_CODEC:
        return codec_copy(type, to, from, fault);
    case CHX_KIND_SHADOW:
        return shadow_copy(type, to, from, fault);
    default:
        memcpy(to, from, type->size);
        return true;
    }
}

void chx_value_copy(const chx_type *type, void *to, const void *from)
{
    Fault fault;
    if (!type->owning)
        memcpy(to, from, type->size);
    else if (!value_copy(type, to, from, &fault))
        copy_raise(&fault);
}

static void shadow_drop(const chx_type *type, void *value)
{
    SHADOW_OF(plain, type);
    type->pack(plain, value);
    chx_value_drop(type->element, plain);
}

void chx_value_drop(const chx_type *type, void *value)
{
    if (type->owning) {
        switch (type->kind) {
        case CHX_KIND_CSTRING:
            text_cstring_drop(*(const char **)value);
            break;
        case CHX_KIND_STR:
        case CHX_KIND_BYTES:
            text_drop(((chx_str *)value)->text);
            break;
        case CHX_KIND_STRUCT:
            for (size_t i = 0; i < type->count; i++)
                if (type->fields[i].type->owning)
                    chx_value_drop(type->fields[i].type, (char *)value + type->fields[i].offset);
            break;
        case CHX_KIND_ARRAY:
            for (size_t i = 0; i < type->count; i++)
                chx_value_drop(type->element, (char *)value + i * type->element->size);
            break;
        case CHX_KIND_CODEC:
            if (type->codec->drop != NULL && !value_is_zero(value, type->size))
                type->codec->drop(value);
            break;
        case CHX_KIND_SHADOW:
            if (!value_is_zero(value, type->size))
                shadow_drop(type, value);
            break;
        default:
            break;
        }
    }
    memset(value, 0, type->size);
}

void chx_set_cstring(const char **variable, const char *value)
{
    const char *old = *variable, *copy = text_cstring_copy(value);
    if (copy == NULL && value != NULL)
        text_no_memory();
    *variable = copy;
    text_cstring_drop(old);
}

const char *chx_keep_cstring(const char *value)
{
    text_cstring_keep(value);
    return value;
}

void chx_share_cstring(const char **variable, const char *value)
{
    const char *old = *variable;
    *variable = chx_keep_cstring(value);
    text_cstring_drop(old);
}

void chx_set_str(chx_str *variable, chx_str value)
{
    chx_str old = *variable;
    *variable = chx_str_keep(value);
    chx_str_drop(old);
}

void chx_set_bytes(chx_bytes *variable, chx_bytes value)
{
    chx_bytes old = *variable;
    *variable = chx_bytes_keep(value);
    chx_bytes_drop(old);
}

enum { SET_ON_STACK_BYTES = 256 };

void chx_set(const chx_type *type, void *variable, const void *value)
{
    _Alignas(16) unsigned char small[SET_ON_STACK_BYTES];
    unsigned char *copy = type->size <= sizeof small ? small : malloc(type->size);
    Fault fault;
    // Copy first: the value may be a part of the variable.
    bool is_copied = copy != NULL ? value_copy(type, copy, value, &fault) : copy_failed(&fault);
    if (is_copied) {
        chx_value_drop(type, variable);
        memcpy(variable, copy, type->size);
    }
    if (copy != small)
        free(copy);
    if (!is_copied)
        copy_raise(&fault);
}

void chx_set_moved(const chx_type *type, void *variable, void *value)
{
    if (variable == value)
        return;
    chx_value_drop(type, variable);
    memcpy(variable, value, type->size);
    memset(value, 0, type->size);
}
