// fuzz.c: a link whose peer does what it likes, for libFuzzer (scripts/fuzz).
//
// The input says what happens: bytes come in, whole frames with the number that they should have, connections are made and
// break, time passes, this side sends and writes. Whatever the peer does, limits hold, and no memory is left at the end.

#include "base/check.h"
#include "net/link/link.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const uint8_t *at, *end;
    Link link;
    uint64_t now_ns;
    long blocks;
    int dialling; // number of a connection that is being dialled, -1: none
    bool is_open[LINK_CONNECTIONS];
    bool is_lost;
} Fuzz;

static unsigned take(Fuzz *fuzz)
{
    return fuzz->at < fuzz->end ? *fuzz->at++ : 0;
}

static size_t take_bytes(Fuzz *fuzz, size_t count, const uint8_t **bytes)
{
    size_t left = (size_t)(fuzz->end - fuzz->at);
    *bytes = fuzz->at;
    count = count < left ? count : left;
    fuzz->at += count;
    return count;
}

// ---- effects ----

static void *fuzz_allocate(void *context, size_t size)
{
    Fuzz *fuzz = context;
    CHECK(size <= (2 << 20));
    fuzz->blocks++;
    return malloc(size);
}

static void fuzz_release(void *context, void *memory)
{
    ((Fuzz *)context)->blocks--;
    free(memory);
}

static uint64_t fuzz_random(void *context)
{
    (void)context;
    return 5;
}

static void fuzz_dial(void *context, unsigned number)
{
    Fuzz *fuzz = context;
    CHECK(fuzz->dialling < 0 && !fuzz->is_open[number]);
    fuzz->dialling = (int)number;
}

static void fuzz_close(void *context, unsigned number, const char *why)
{
    Fuzz *fuzz = context;
    CHECK(why != NULL && (fuzz->is_open[number] || fuzz->dialling == (int)number));
    fuzz->is_open[number] = false;
    if (fuzz->dialling == (int)number)
        fuzz->dialling = -1;
}

static bool fuzz_deliver(void *context, const WireFrame *frame)
{
    Fuzz *fuzz = context;
    CHECK(!fuzz->is_lost && wire_is_numbered(frame->kind) && frame->kind != WIRE_CHUNK);
    // All of it can be read.
    size_t size = wire_body_size(frame->kind, &frame->hello);
    CHECK(size > 0);
    uint8_t *body = malloc(size);
    wire_write_body(body, frame->kind, &frame->hello);
    free(body);
    if (frame->kind == WIRE_STOP)
        link_complain(&fuzz->link, "no such role");
    if (frame->kind == WIRE_TAKEN)
        link_send(&fuzz->link, LINK_DATA, 1, WIRE_DATA, &(WireData){0});
    return frame->kind != WIRE_FENCED;
}

static bool fuzz_greet(void *context, unsigned number, const WireHello *hello)
{
    const Fuzz *fuzz = context;
    CHECK(!fuzz->is_lost && fuzz->is_open[number]);
    return hello->build.size < 100;
}

static void fuzz_state(void *context)
{
    CHECK(!((Fuzz *)context)->is_lost);
}

static void fuzz_lost(void *context, LinkLoss loss)
{
    Fuzz *fuzz = context;
    CHECK(!fuzz->is_lost && loss <= LINK_LOSS_ENDED);
    fuzz->is_lost = true;
}

static const LinkEffects effects = {fuzz_allocate, fuzz_release, fuzz_random, fuzz_dial,  fuzz_close, fuzz_deliver,
                                    fuzz_greet,    fuzz_state,   fuzz_state,  fuzz_state, fuzz_lost};

// ---- events ----

// In memory of its own: a step beyond it is seen.
static void fuzz_input(Fuzz *fuzz, unsigned number, const uint8_t *bytes, size_t size)
{
    if (!fuzz->is_open[number] || size == 0)
        return;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    link_input(&fuzz->link, number, copy, size, fuzz->now_ns);
    free(copy);
}

static void fuzz_hello(Fuzz *fuzz, unsigned number, unsigned how)
{
    WireHello hello = {.magic = WIRE_MAGIC,
                       .version = WIRE_VERSION,
                       .incarnation = {{(uint8_t)(how % 8 == 7 ? 9 : 8)}},
                       .peer = {{(uint8_t)(how % 4 == 3 ? 0 : 7)}},
                       .received = how / 8 % 4,
                       .dialled = fuzz->now_ns - how / 32,
                       .message_max = 1 << 20};
    WireBuffer buffer = {0};
    CHECK(wire_encode(&buffer, WIRE_HELLO, 0, &hello));
    fuzz_input(fuzz, number, buffer.data, buffer.size);
    wire_buffer_fini(&buffer);
}

// A frame with the number that it should have.
static void fuzz_frame(Fuzz *fuzz, unsigned number)
{
    const uint8_t *body;
    unsigned kind = take(fuzz);
    size_t size = take_bytes(fuzz, take(fuzz) * (kind == WIRE_CHUNK ? 65u : 1u), &body);
    uint8_t *frame = malloc(WIRE_HEAD_NUMBERED + size);
    size_t head = wire_write_head(frame, (WireKind)kind, fuzz->link.received + 1, size);
    if (size > 0)
        memcpy(frame + head, body, size);
    fuzz_input(fuzz, number, frame, head + size);
    free(frame);
}

// A piece of a message: the rest of it is made up.
static void fuzz_chunk(Fuzz *fuzz, unsigned number)
{
    static uint8_t bytes[WIRE_PIECE_MAX];
    unsigned stream = take(fuzz), count = take(fuzz) % 8, from = take(fuzz) % 8;
    WireChunk chunk = {.stream = stream % 4,
                       .kind = WIRE_RELAY_BYTES,
                       .total = (2 + stream / 4 % 32) * WIRE_PIECE_MAX + stream / 128,
                       .offset = from * WIRE_PIECE_MAX};
    for (; count > 0 && chunk.offset < chunk.total; count--) {
        uint32_t left = chunk.total - chunk.offset;
        chunk.piece = (WireSpan){bytes, left < WIRE_PIECE_MAX ? left : WIRE_PIECE_MAX};
        WireBuffer buffer = {0};
        CHECK(wire_encode(&buffer, WIRE_CHUNK, fuzz->link.received + 1, &chunk));
        fuzz_input(fuzz, number, buffer.data, buffer.size);
        wire_buffer_fini(&buffer);
        chunk.offset += (uint32_t)chunk.piece.size;
    }
}

static void fuzz_send(Fuzz *fuzz, unsigned number)
{
    static uint8_t bytes[1 << 16];
    unsigned size = take(fuzz);
    link_send(&fuzz->link, LINK_DATA, size % 4, WIRE_DATA, &(WireData){.value = {bytes, size * 200}});
    if (!fuzz->is_open[number] || !link_has_output(&fuzz->link, number))
        return;
    WireSpan pieces[3];
    unsigned count = link_output(&fuzz->link, number, pieces, 1 + size % 3, 1 + size * 300, fuzz->now_ns);
    size_t total = 0;
    for (unsigned i = 0; i < count; i++)
        total += pieces[i].size;
    CHECK(total <= 1 + size * 300u);
    if (total > 0)
        link_wrote(&fuzz->link, number, total - total / 3 * (size % 2), fuzz->now_ns);
}

static void fuzz_connect(Fuzz *fuzz, unsigned how)
{
    int number = fuzz->dialling;
    if (how % 2 == 0 && number >= 0) {
        fuzz->dialling = -1;
        fuzz->is_open[number] = true;
        link_dialled(&fuzz->link, (unsigned)number, fuzz->now_ns);
    } else {
        number = link_accepted(&fuzz->link, fuzz->now_ns);
        if (number < 0)
            return;
        CHECK(!fuzz->is_open[number]);
        fuzz->is_open[number] = true;
    }
    if (how % 4 < 2)
        fuzz_hello(fuzz, (unsigned)number, take(fuzz));
}

static void fuzz_step(Fuzz *fuzz)
{
    unsigned what = take(fuzz), number = what / 8 % LINK_CONNECTIONS;
    const uint8_t *bytes;
    size_t size;
    switch (what % 8) {
    case 0:
        size = take_bytes(fuzz, take(fuzz), &bytes);
        fuzz_input(fuzz, number, bytes, size);
        break;
    case 1:
    case 2:
        fuzz_frame(fuzz, number);
        break;
    case 3:
        fuzz_chunk(fuzz, number);
        break;
    case 4:
        fuzz->now_ns += take(fuzz) * (uint64_t)10000000;
        link_tick(&fuzz->link, fuzz->now_ns);
        break;
    case 5:
        fuzz_connect(fuzz, what / 8);
        break;
    case 6:
        fuzz_send(fuzz, number);
        break;
    default:
        if (fuzz->is_open[number] || fuzz->dialling == (int)number) {
            fuzz->is_open[number] = false;
            if (fuzz->dialling == (int)number)
                fuzz->dialling = -1;
            link_broken(&fuzz->link, number, fuzz->now_ns);
        }
    }
    CHECK(fuzz->link.kept.bytes <= fuzz->link.options.kept_max);
    CHECK(fuzz->link.gather.total <= fuzz->link.options.message_max && fuzz->link.lanes.bytes <= (1 << 20));
    CHECK(link_next_ns(&fuzz->link) == UINT64_MAX || !fuzz->is_lost);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fuzz *fuzz = calloc(1, sizeof *fuzz);
    fuzz->at = data;
    fuzz->end = data + size;
    fuzz->now_ns = 1000000000;
    fuzz->dialling = -1;
    LinkOptions options = link_defaults;
    options.incarnation = (WireId){{7}};
    options.node = "fuzz";
    options.build = "";
    options.message_max = 1 << 20;
    options.kept_max = 2 * (size_t)LINK_CONTROL_ROOM;
    options.may_dial = take(fuzz) % 2 == 0;
    link_init(&fuzz->link, &options, &effects, fuzz, fuzz->now_ns);
    link_open(&fuzz->link, fuzz->now_ns);
    while (fuzz->at < fuzz->end)
        fuzz_step(fuzz);
    link_fini(&fuzz->link);
    CHECK(fuzz->blocks == 0);
    free(fuzz);
    return 0;
}
