// fuzz.c: bytes that another node could have sent, for libFuzzer (scripts/fuzz).
//
// They are read as a row of frames, and as the body of a message of some kind, as it is put together from chunks. What can
// be decoded must give the same bytes when it is encoded again, and all items of its lists can be read.

#include "base/check.h"
#include "net/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>

static void read_lists(unsigned kind, const void *frame)
{
    const WireShape *shape = wire_shape(kind);
    for (uint32_t i = 0; i < shape->count; i++) {
        if (shape->fields[i].type != WIRE_TYPE_LIST)
            continue;
        WireList list = *(const WireList *)(const void *)((const unsigned char *)frame + shape->fields[i].at);
        _Alignas(16) unsigned char item[256];
        uint32_t count = 0, expected = list.count;
        while (wire_next(&list, shape->fields[i].item, item))
            count++;
        CHECK(count == expected && list.size == 0);
    }
}

static void decode(unsigned kind, WireSpan body)
{
    WireFrame frame;
    if (wire_decode_body(kind, body, &frame.hello) != WIRE_GOOD)
        return;
    read_lists(kind, &frame.hello);
    CHECK(wire_body_size(kind, &frame.hello) == body.size);
    uint8_t *again = malloc(body.size);
    wire_write_body(again, kind, &frame.hello);
    CHECK(memcmp(again, body.data, body.size) == 0);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    decode(data[0], (WireSpan){data + 1, size - 1});
    WireRaw raw;
    WireVerdict verdict;
    while (size > 0 && wire_split(data, size, &raw, &verdict) == WIRE_WHOLE) {
        CHECK(raw.size <= size);
        decode(raw.kind, raw.body);
        data += raw.size;
        size -= raw.size;
    }
    return 0;
}
