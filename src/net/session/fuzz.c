// fuzz.c: what another node or a home could say to the ends of a channel, for libFuzzer (scripts/fuzz).
//
// The first two bytes are the size of a SAVED that follows, from which the ends begin if it is accepted; the rest are calls.
// Whatever is said, there is never more in the ends than windows allow, messages are consumed in order without gaps, and what the
// ends save can be loaded and gives the same bytes again.

#include "base/check.h"
#include "net/session/place.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const uint8_t *at, *end;
    WindowOut out;
    WindowIn in;
    WindowPlace mark, consumed;
} Fuzz;

static const WindowLimits limits = {3, 64};
static const uint8_t zeros[256];
static bool is_out_of_memory;

static void *fuzz_allocate(void *context, size_t size)
{
    (void)context;
    return is_out_of_memory ? NULL : malloc(size);
}

static void fuzz_release(void *context, void *block)
{
    (void)context;
    free(block);
}

static const NetMemory memory = {fuzz_allocate, fuzz_release, NULL};

static uint8_t next(Fuzz *fuzz)
{
    return fuzz->at < fuzz->end ? *fuzz->at++ : 0;
}

static bool give(void *context, uint32_t life, const Message *message, WireSpan more)
{
    Fuzz *fuzz = context;
    Message next_one = *message;
    bool is_sound = true;
    while (window_more_next(&more, &next_one, &is_sound))
        CHECK(place_is_before(message_place(&next_one), fuzz->out.next));
    CHECK(is_sound);
    CHECK(life == fuzz->out.life && place_is_before(message_place(message), fuzz->out.next));
    return (next(fuzz) & 1) != 0;
}

static void encode(const Fuzz *fuzz, WireBuffer *bytes)
{
    WireBuffer channels = {0}, kept = {0};
    CHECK(window_save(&fuzz->out, &fuzz->in, 1, &channels, &kept));
    WireSaved saved = {.channels = wire_list(&channels), .kept = wire_list(&kept)};
    CHECK(wire_encode_record(bytes, WIRE_SAVED, &saved));
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
}

// What is saved can be loaded, and is the same.
static void save(Fuzz *fuzz)
{
    WireBuffer bytes = {0}, again = {0};
    encode(fuzz, &bytes);
    Fuzz other;
    window_out_init(&other.out, &memory, limits);
    window_in_init(&other.in, &memory, limits, 2);
    WireSaved saved;
    CHECK(wire_decode_body(WIRE_SAVED, (WireSpan){bytes.data, bytes.size}, &saved) == WIRE_GOOD);
    CHECK(window_saved_is_sound(&saved, 0, 2));
    CHECK(window_load(&other.out, &other.in, 1, &saved) == WINDOW_GOOD);
    encode(&other, &again);
    CHECK(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0);
    window_out_fini(&other.out);
    window_in_fini(&other.in);
    wire_buffer_fini(&bytes);
    wire_buffer_fini(&again);
}

static void consume(Fuzz *fuzz)
{
    Message message;
    if (!window_in_first(&fuzz->in, &message))
        return;
    CHECK(places_are_equal(message_place(&message), fuzz->in.next));
    CHECK(!place_is_before(message_place(&message), fuzz->consumed));
    window_in_consume(&fuzz->in, 1);
    fuzz->consumed = fuzz->in.next;
}

static void take_data(Fuzz *fuzz)
{
    uint8_t lives = next(fuzz), place = next(fuzz), size = next(fuzz);
    // Usually what is expected, or close to it.
    Message message = {.epoch = fuzz->in.expected.epoch + (place & 3),
                       .number = (place & 3) == 0 ? fuzz->in.expected.number + (place >> 2 & 3) - 1 : place >> 2 & 3,
                       .value = {zeros, size}};
    window_in_data(&fuzz->in, 1 + (lives & 3), lives >> 2 & 7, 1 + (lives >> 6), &message);
}

static void call(Fuzz *fuzz)
{
    uint8_t what = next(fuzz), argument = next(fuzz);
    WindowPlace place = {fuzz->out.next.epoch + (argument & 1), fuzz->out.next.number + (argument >> 1 & 3) - 1};
    is_out_of_memory = what >> 4 == 15;
    switch (what & 15) {
    case 0:
        window_in_life(&fuzz->in, argument & 7, 1 + (argument >> 3 & 3));
        break;
    case 1:
        window_in_reset(&fuzz->in, fuzz->in.next.epoch + (argument & 3));
        break;
    case 2:
        window_out_taken(&fuzz->out, argument >> 5, place);
        break;
    case 3:
        window_out_life(&fuzz->out, argument & 7);
        break;
    case 4:
        window_out_back(&fuzz->out, fuzz->mark, fuzz->out.next.epoch + (argument & 3));
        break;
    case 5:
        fuzz->mark = window_out_mark(&fuzz->out);
        break;
    case 6:
    case 7:
        if (window_out_has_room(&fuzz->out))
            window_out_send(&fuzz->out, what, (WireSpan){zeros, argument});
        break;
    case 8:
        window_out_release(&fuzz->out, WINDOW_MORE_MAX, give, fuzz);
        break;
    case 9:
        is_out_of_memory = false;
        save(fuzz);
        break;
    case 10:
    case 11:
        consume(fuzz);
        break;
    default:
        take_data(fuzz);
        break;
    }
    CHECK(fuzz->out.given <= fuzz->out.kept.count && fuzz->out.kept.count <= limits.messages);
    CHECK(fuzz->in.count <= limits.messages && fuzz->in.ahead <= WINDOW_EPOCHS);
    CHECK(fuzz->in.received.count <= limits.messages * (WINDOW_EPOCHS + 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t saved_size = size > 2 ? (size_t)wire_get(data, 2) : 0;
    if (saved_size + 2 > size)
        return 0;
    Fuzz fuzz = {.at = data + 2 + saved_size, .end = data + size};
    is_out_of_memory = false;
    window_out_init(&fuzz.out, &memory, limits);
    window_in_init(&fuzz.in, &memory, limits, 2);
    WireSaved saved;
    if (wire_decode_body(WIRE_SAVED, (WireSpan){data + 2, saved_size}, &saved) == WIRE_GOOD &&
        window_saved_is_sound(&saved, 0, 2)) {
        window_load(&fuzz.out, &fuzz.in, 1, &saved);
        save(&fuzz);
    }
    fuzz.consumed = fuzz.in.next;
    while (fuzz.at < fuzz.end)
        call(&fuzz);
    window_out_fini(&fuzz.out);
    window_in_fini(&fuzz.in);
    return 0;
}
