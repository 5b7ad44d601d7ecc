// random.c: see random.h.

#include "net/wire/random.h"

uint64_t wire_random(WireRandom *random, uint64_t below)
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return below == 0 ? x : x % below;
}

WireKind wire_random_kind(WireRandom *random)
{
    for (;;) {
        unsigned kind = (unsigned)wire_random(random, WIRE_KIND_LIMIT);
        if (wire_shape(kind) != NULL && !wire_is_record(kind))
            return (WireKind)kind;
    }
}

// Small numbers, large ones and those at the edges.
static uint64_t random_number(WireRandom *random)
{
    uint64_t value = wire_random(random, 0);
    switch (wire_random(random, 4)) {
    case 0:
        return value % 4;
    case 1:
        return UINT64_MAX - value % 2;
    case 2:
        return value % 100000;
    default:
        return value;
    }
}

static WireSpan random_span(WireRandom *random, size_t most)
{
    size_t size = (size_t)wire_random(random, (most < sizeof random->bytes ? most : sizeof random->bytes) + 1);
    size_t at = (size_t)wire_random(random, sizeof random->bytes - size + 1);
    if (wire_random(random, 4) == 0)
        size = 0;
    return (WireSpan){random->bytes + at, size};
}

static void random_plain(WireRandom *random, const WireField *field, size_t size_max, void *member)
{
    uint64_t value = random_number(random);
    switch ((WireType)field->type) {
    case WIRE_TYPE_BOOL:
        *(bool *)member = value % 2;
        break;
    case WIRE_TYPE_U8:
        *(uint8_t *)member = (uint8_t)value;
        break;
    case WIRE_TYPE_U16:
        *(uint16_t *)member = (uint16_t)value;
        break;
    case WIRE_TYPE_U32:
        *(uint32_t *)member = (uint32_t)value;
        break;
    case WIRE_TYPE_U64:
        *(uint64_t *)member = value;
        break;
    case WIRE_TYPE_ID:
        for (size_t i = 0; i < sizeof(WireId); i++)
            ((WireId *)member)->bytes[i] = (uint8_t)wire_random(random, 256);
        break;
    case WIRE_TYPE_NAME:
        *(WireSpan *)member = random_span(random, size_max < WIRE_NAME_MAX ? size_max : WIRE_NAME_MAX);
        break;
    case WIRE_TYPE_TEXT:
    case WIRE_TYPE_BYTES:
        *(WireSpan *)member = random_span(random, size_max);
        break;
    case WIRE_TYPE_LIST:
        break;
    }
}

static void random_list(WireRandom *random, WireBuffer *buffer, const WireField *field, size_t size_max,
                        size_t items_max)
{
    const WireShape *shape = wire_item_shape(field->item);
    size_t count = (size_t)wire_random(random, (items_max < field->most ? items_max : field->most) + 1);
    buffer->size = 0;
    buffer->count = 0;
    while (count-- > 0) {
        _Alignas(16) unsigned char item[256];
        for (uint32_t i = 0; i < shape->count; i++)
            random_plain(random, &shape->fields[i], size_max, item + shape->fields[i].at);
        wire_add(buffer, field->item, item);
    }
}

void wire_random_frame(WireRandom *random, WireKind kind, size_t size_max, size_t items_max, void *frame)
{
    if (!random->is_filled) {
        // Printable, so that names can be made of them, too.
        for (size_t i = 0; i < sizeof random->bytes; i++)
            random->bytes[i] = (uint8_t)(' ' + wire_random(random, 95));
        random->is_filled = true;
    }
    const WireShape *shape = wire_shape(kind);
    WireBuffer *buffer = random->lists;
    for (uint32_t i = 0; i < shape->count; i++) {
        const WireField *field = &shape->fields[i];
        void *member = (unsigned char *)frame + field->at;
        if (field->type != WIRE_TYPE_LIST) {
            random_plain(random, field, size_max, member);
            continue;
        }
        random_list(random, buffer, field, size_max, items_max);
        *(WireList *)member = wire_list(buffer++);
    }
}

void wire_random_fini(WireRandom *random)
{
    for (size_t i = 0; i < sizeof random->lists / sizeof *random->lists; i++)
        wire_buffer_fini(&random->lists[i]);
}
