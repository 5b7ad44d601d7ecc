// siphash.c: see siphash.h.

#include "runtime/value/siphash.h"

#include "runtime/value/codec.h"

typedef struct {
    uint64_t v0, v1, v2, v3;
} SipState;

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void sip_rounds(SipState *s, unsigned count)
{
    for (; count > 0; count--) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32) + s->v3;
        s->v2 += s->v1;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v2 = rotate(s->v2, 32);
    }
}

static void sip_word(SipState *s, uint64_t word)
{
    s->v3 ^= word;
    sip_rounds(s, 2);
    s->v0 ^= word;
}

void siphash(const uint64_t key[2], const void *data, size_t size, uint64_t hash[2])
{
    const unsigned char *bytes = data;
    SipState s = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du ^ 0xee, key[0] ^ 0x6c7967656e657261u,
                  key[1] ^ 0x7465646279746573u};
    size_t left = size;
    for (; left >= 8; left -= 8, bytes += 8)
        sip_word(&s, load_number(bytes, 8));
    // The last word has what is left, and the size in its highest byte.
    unsigned char last[8] = {0};
    if (left > 0)
        memcpy(last, bytes, left);
    last[7] = (unsigned char)size;
    sip_word(&s, load_number(last, 8));
    s.v2 ^= 0xee;
    sip_rounds(&s, 4);
    hash[0] = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    s.v1 ^= 0xdd;
    sip_rounds(&s, 4);
    hash[1] = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
