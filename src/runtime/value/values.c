// values.c: copying and releasing values by their type. Encoded forms: codec.c.
//
// Zeroed memory is a value of every type and owns nothing.

#include <chorex/generated.h>

#include "runtime/actor/actor.h"
#include "runtime/value/codec.h"
#include "runtime/value/sequence.h"
#include "runtime/value/spread.h"
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

static const chx_field agreement_fields[] = {
    {"nonce", offsetof(chx_agreement, nonce), &chx_type_unsigned_long_long},
    {"digest", offsetof(chx_agreement, digest[0]), &chx_type_unsigned_long_long},
    {"digest", offsetof(chx_agreement, digest[1]), &chx_type_unsigned_long_long},
};
const chx_type chx_type_agreement = {.kind = CHX_KIND_STRUCT,
                                     .size = sizeof(chx_agreement),
                                     .name = "chx_agreement",
                                     .fields = agreement_fields,
                                     .count = sizeof agreement_fields / sizeof *agreement_fields};

// Its strings are the runtime's.
const chx_type chx_type_fault = {.kind = CHX_KIND_OPAQUE, .size = sizeof(chx_fault), .name = "chx_fault"};

bool value_is_zero(const void *value, size_t size)
{
    const unsigned char *bytes = value;
    for (uint64_t word; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        if (word != 0)
            return false;
    }
    for (; size > 0; size--, bytes++)
        if (*bytes != 0)
            return false;
    return true;
}

void value_raise(const Fault *fault)
{
    if (fault->kind == CHX_FAULT_NONE)
        text_no_memory();
    else
        guard_raise(fault->kind, fault->signal, fault->site, "%s", fault->why);
}

// ---- copying ----

static bool own_failed(const chx_type *type, void *copy)
{
    memset(copy, 0, type->size);
    return false;
}

typedef struct {
    const chx_type *type;
    const void *value;
    chx_buffer *buffer;
} Encoding;

static void encode_run(void *closure)
{
    const Encoding *encoding = closure;
    chx_encode(encoding->type, encoding->value, encoding->buffer);
}

bool value_encode(const chx_type *type, const void *value, chx_buffer *buffer, Fault *fault)
{
    if (!guard_run_inside(encode_run, &(Encoding){type, value, buffer}, fault))
        return false;
    if (buffer->failed)
        fault->kind = CHX_FAULT_NONE;
    return !buffer->failed;
}

static void encode_exits(void *buffer)
{
    chx_buffer_free(buffer);
}

static DecodeResult codec_through(const chx_type *type, void *copy, chx_buffer *buffer, Fault *fault)
{
    if (!value_encode(type, copy, buffer, fault))
        return fault->kind == CHX_FAULT_NONE ? DECODE_NO_MEMORY : DECODE_FAILED;
    return value_decode(type, copy, buffer->data, buffer->size, fault);
}

// The user's functions know no other way to copy than through the encoded form.
static bool codec_own(const chx_type *type, void *copy, Fault *fault)
{
    if (value_is_zero(copy, type->size))
        return true;
    const Actor *actor = current()->actor;
    chx_buffer buffer = {0};
    DecodeResult result;
    // They may also end their thread (pthread_exit): then the buffer would be left behind.
    pthread_cleanup_push(encode_exits, &buffer);
    result = codec_through(type, copy, &buffer, fault);
    pthread_cleanup_pop(1);
    if (result == DECODE_NO_MEMORY)
        fault->kind = CHX_FAULT_NONE;
    if (result == DECODE_MALFORMED && actor != NULL) {
        *fault = (Fault){.kind = CHX_FAULT_FAIL, .site = actor->self.site};
        snprintf(fault->why, sizeof fault->why, "the codec of %s can't read what it has written", type->name);
        return false;
    }
    return result == DECODE_GOOD || result == DECODE_MALFORMED || own_failed(type, copy);
}

static bool shadow_own(const chx_type *type, void *copy, bool is_shared, Fault *fault)
{
    SHADOW_OF(plain, type);
    type->pack(plain, copy);
    if (!value_own(type->element, plain, is_shared, fault))
        return own_failed(type, copy);
    type->unpack(copy, plain);
    return true;
}

static bool cstring_own(const char **copy, bool is_shared, Fault *fault)
{
    const char *string = *copy;
    *copy = is_shared ? chx_keep_cstring(string) : text_cstring_copy(string);
    fault->kind = CHX_FAULT_NONE;
    return *copy != NULL || string == NULL;
}

static bool parts_own(const chx_type *type, char *copy, bool is_shared, Fault *fault)
{
    for (size_t i = 0, offset; i < type->count; i++) {
        const chx_type *part = type_part(type, i, &offset);
        if (!part->owning || value_own(part, copy + offset, is_shared, fault))
            continue;
        // The parts before this one are owned, those after it are not.
        while (i-- > 0) {
            part = type_part(type, i, &offset);
            chx_value_drop(part, copy + offset);
        }
        return own_failed(type, copy);
    }
    return true;
}

bool value_own(const chx_type *type, void *copy, bool is_shared, Fault *fault)
{
    switch (type->owning ? type->kind : CHX_KIND_OPAQUE) {
    case CHX_KIND_CSTRING:
        return cstring_own(copy, is_shared, fault);
    case CHX_KIND_STR:
    case CHX_KIND_BYTES:
        text_keep(((const chx_str *)copy)->text);
        return true;
    case CHX_KIND_STRUCT:
    case CHX_KIND_ARRAY:
        return parts_own(type, copy, is_shared, fault);
    case CHX_KIND_SEQUENCE:
        return sequence_own(type, copy, is_shared, fault);
    case CHX_KIND_CODEC:
        return codec_own(type, copy, fault);
    case CHX_KIND_SHADOW:
        return shadow_own(type, copy, is_shared, fault);
    default:
        return true;
    }
}

void chx_value_copy(const chx_type *type, void *to, const void *from)
{
    Fault fault;
    memcpy(to, from, type->size);
    if (type->owning && !value_own(type, to, false, &fault))
        value_raise(&fault);
}

// Takes back what the step has made, if this is one of the last strings that it has: the caller owns it then.
static bool pool_take(Actor *actor, const struct chx_text *text)
{
    enum { LAST = 4 };
    size_t size = actor->self.pool_size;
    for (size_t i = size; i > 0 && size - i < LAST; i--) {
        if (actor->pool[i - 1] == text) {
            actor->pool[i - 1] = actor->pool[size - 1];
            actor->self.pool_size--;
            return true;
        }
    }
    return false;
}

static bool is_text(const chx_type *type)
{
    return type->kind == CHX_KIND_STR || type->kind == CHX_KIND_BYTES;
}

static void text_give_away(Actor *actor, const struct chx_text *text)
{
    if (text != NULL && !pool_take(actor, text))
        text_keep(text);
}

void chx_value_give(chx_self *self, const chx_type *type, void *to, const void *from)
{
    Actor *actor = (Actor *)self;
    if (is_text(type)) {
        *(chx_str *)to = *(const chx_str *)from;
        text_give_away(actor, ((const chx_str *)from)->text);
        return;
    }
    bool has_texts_only = type->kind == CHX_KIND_STRUCT;
    for (size_t i = 0; i < type->count && has_texts_only; i++)
        has_texts_only = !type->fields[i].type->owning || is_text(type->fields[i].type);
    if (!has_texts_only) {
        chx_value_copy(type, to, from);
        return;
    }
    memcpy(to, from, type->size);
    for (size_t i = 0; i < type->count; i++)
        if (type->fields[i].type->owning)
            text_give_away(actor, ((const chx_str *)(const void *)((char *)to + type->fields[i].offset))->text);
}

static void shadow_drop(const chx_type *type, void *value)
{
    SHADOW_OF(plain, type);
    type->pack(plain, value);
    chx_value_drop(type->element, plain);
}

static void other_drop(const chx_type *type, void *value)
{
    if (type->owning) {
        switch (type->kind) {
        case CHX_KIND_CSTRING:
            text_cstring_drop(*(const char **)value);
            *(const char **)value = NULL;
            return;
        case CHX_KIND_STRUCT:
        case CHX_KIND_ARRAY:
            for (size_t i = 0, offset; i < type->count; i++) {
                const chx_type *part = type_part(type, i, &offset);
                if (part->owning)
                    chx_value_drop(part, (char *)value + offset);
            }
            break;
        case CHX_KIND_SEQUENCE:
            sequence_drop(type, value);
            return;
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

void chx_value_drop(const chx_type *type, void *value)
{
    if (type->kind != CHX_KIND_STR && type->kind != CHX_KIND_BYTES) {
        other_drop(type, value);
        return;
    }
    const struct chx_text *text = ((chx_str *)value)->text;
    ((chx_str *)value)->text = NULL;
    if (text != NULL)
        text_drop(text);
}

void chx_set_cstring(const char **variable, const char *value)
{
    const char *old = *variable, *copy = text_cstring_copy(value);
    if (copy == NULL && value != NULL)
        text_no_memory();
    *variable = copy;
    text_cstring_drop(old);
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
    Fault fault = {.kind = CHX_FAULT_NONE};
    // Copy first: the value may be a part of the variable.
    bool is_copied = copy != NULL && value_own(type, memcpy(copy, value, type->size), false, &fault);
    if (is_copied) {
        chx_value_drop(type, variable);
        memcpy(variable, copy, type->size);
    }
    if (copy != small)
        free(copy);
    if (!is_copied)
        value_raise(&fault);
}

void chx_set_moved(const chx_type *type, void *variable, void *value)
{
    if (variable == value)
        return;
    chx_value_drop(type, variable);
    memcpy(variable, value, type->size);
    memset(value, 0, type->size);
}

// ---- values that travel ----

const chx_site *role_site(const chx_role *role, uint32_t site)
{
    size_t low = 0, high = role->site_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (role->sites[middle].number < site)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < role->site_count && role->sites[low].number == site)
        return &role->sites[low];
    uint32_t limit = role->spread != NULL ? role->spread->choreography->site_limit : UINT32_MAX;
    return site >= limit && site < CHX_SITE_INIT ? role_site(role, site % limit) : NULL;
}

// A block or an arm, as it is compiled in.
static const chx_checkpoint *compiled_block(const chx_role *role, uint32_t site)
{
    if (role->spread != NULL) {
        site %= role->spread->choreography->site_limit;
        role = role->spread->model;
    }
    for (size_t i = 0; i < role->checkpoint_count; i++)
        if (role->checkpoints[i]->site == site)
            return role->checkpoints[i];
    return NULL;
}

static bool is_arm(const chx_checkpoint *block)
{
    return block->enter_at != 0 && block->enter_at == block->body_at;
}

const chx_checkpoint *role_checkpoint(const chx_role *role, uint32_t site)
{
    const chx_checkpoint *block = compiled_block(role, site);
    if (block == NULL || is_arm(block))
        return NULL;
    return role->spread != NULL ? role->spread->block_at(role, site) : block;
}

bool role_has_arms(const chx_role *role)
{
    for (size_t i = 0; i < role->checkpoint_count; i++)
        if (is_arm(role->checkpoints[i]))
            return true;
    return false;
}

const chx_checkpoint *role_arm(const chx_role *role, uint32_t site, const chx_arm **program)
{
    const chx_checkpoint *block = compiled_block(role, site);
    if (block == NULL || !is_arm(block))
        return NULL;
    *program = (const chx_arm *)(const void *)block; // it is the first thing in it
    return role->spread != NULL ? role->spread->block_at(role, site) : block;
}

void role_drop_message(const chx_role *role, uint32_t site, void *value, size_t size)
{
    const chx_site *found = role_site(role, site);
    if (found != NULL && found->type != NULL && found->type->owning && found->type->size == size)
        chx_value_drop(found->type, value);
}
