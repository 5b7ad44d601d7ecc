// random.h: frames made at random from the tables, for tests.

#ifndef NET_WIRE_RANDOM_H
#define NET_WIRE_RANDOM_H

#include "net/wire/wire.h"

typedef struct {
    uint64_t state;
    WireBuffer lists[8]; // what the lists of the frame that was made last point to
    uint8_t bytes[4096]; // what its texts and byte strings point to
    bool is_filled;
} WireRandom;

uint64_t wire_random(WireRandom *random, uint64_t below);
// A valid kind.
WireKind wire_random_kind(WireRandom *random);
// A frame of this kind that can be encoded, valid until the next one is made. Byte strings have up to `size_max` bytes
// (at most 4096), lists up to `items_max` items.
void wire_random_frame(WireRandom *random, WireKind kind, size_t size_max, size_t items_max, void *frame);
void wire_random_fini(WireRandom *random);

#endif
