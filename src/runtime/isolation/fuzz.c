// fuzz.c: whatever isolated roles write into the memory that they share with the program, the program survives, and its
// sessions come to an end. A libFuzzer target; the first byte says what is tested.

#define _GNU_SOURCE
#include "runtime/isolation/stage.h"

#include "runtime/core/codec.h"
#include "runtime/core/linked.h"
#include "runtime/isolation/chain.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const uint8_t *at, *end;
} Input;

static uint32_t take(Input *input, unsigned bytes)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < bytes && input->at < input->end; i++)
        number |= (uint32_t)*input->at++ << (8 * i);
    return number;
}

static size_t take_bytes(Input *input, size_t wanted, const uint8_t **bytes)
{
    size_t left = (size_t)(input->end - input->at), count = left < wanted ? left : wanted;
    *bytes = input->at;
    input->at += count;
    return count;
}

static void need(bool holds)
{
    if (!holds)
        abort();
}

static Stage *stage(void)
{
    static Stage made;
    if (made.runtime == NULL)
        stage_init(&made);
    return &made;
}

// ---- posts, deaths, rings: a whole session ----

static const uint32_t sites[] = {STAGE_OUTER, STAGE_INNER, STAGE_OTHER, 1, 0};

// A post that could be one, with parts of the input.
static void fuzz_post(Input *input, Link *link)
{
    uint32_t kind = take(input, 1) % 9;
    struct {
        PostEnter head;
        RingPoint tails[STAGE_ROLES - 1];
        unsigned char frame[16];
    } enter = {.head = {.site = sites[take(input, 1) % 5], .tails = STAGE_ROLES - 1}};
    uint32_t words[2] = {take(input, 1) % 14, take(input, 1) % 5};
    if (kind == POST_ENTER) {
        for (unsigned i = 0; i < STAGE_ROLES - 1; i++)
            enter.tails[i] = ring_load(&link->actor->out[i].linked->ring.words->tail);
        stage_post(link, kind, &enter, sizeof enter);
    } else if (kind == POST_ARRIVE) {
        stage_post(link, kind, &enter.head.site, sizeof enter.head.site);
    } else if (kind == POST_READY) {
        PostReady ready = {link->seat->order.epoch};
        stage_post(link, kind, &ready, sizeof ready);
    } else if (kind == POST_WAKE || kind == POST_COMPLAIN) {
        stage_post(link, kind, words, sizeof words);
    } else {
        const uint8_t *bytes;
        size_t count = take_bytes(input, take(input, 1) % 40, &bytes);
        stage_post(link, kind, bytes, count);
    }
}

static void fuzz_memory(Input *input, Link *link)
{
    Session *session = link->house->session;
    const uint8_t *bytes;
    uint32_t which = take(input, 1) % 4;
    Channel *channel = &session->channels[take(input, 1) % session->channel_count];
    unsigned char *memory = (unsigned char *)link->seat;
    size_t limit = offsetof(Seat, posts) + 256;
    if (which != 0 && channel->linked != NULL) {
        memory = which == 1 ? (unsigned char *)channel->linked->ring.words : channel->linked->ring.data;
        limit = which == 1 ? sizeof(RingWords) : 256;
    } else if (which == 3) {
        memory = (unsigned char *)link->bell - (uintptr_t)link->bell % PAGE;
        limit = 512;
    }
    size_t at = take(input, 2) % limit, count = take_bytes(input, take(input, 1) % 32, &bytes);
    memcpy(memory + at, bytes, count < limit - at ? count : limit - at);
}

static void fuzz_send(Input *input, Link *link)
{
    unsigned to = take(input, 1) % STAGE_ROLES, from = link->actor->index;
    const uint8_t *bytes;
    uint32_t site = take(input, 1) % 6, epoch = take(input, 1) % 4;
    size_t count = take_bytes(input, take(input, 1) % 48, &bytes);
    if (to == from)
        return;
    Ring view = stage_view(link, from, to);
    if (ring_room(&view) == RING_ITEM)
        ring_send(&view, site, epoch, bytes, count);
}

static void fuzz_receive(Input *input, Link *link)
{
    unsigned from = take(input, 1) % STAGE_ROLES, to = link->actor->index;
    RingItem item;
    if (to == from)
        return;
    Ring view = stage_view(link, from, to);
    if (ring_peek(&view, &item) == RING_ITEM)
        ring_pop(&view, &item);
}

// What the postman does. False: the house is gone.
static bool fuzz_postman(House *house, uint32_t what)
{
    house_block_lock(house);
    for (unsigned i = 0; i < house->link_count; i++) {
        Link *link = &house->links[i];
        if (what % 2 == 0 && link->state != LINK_LEFT && link->state != LINK_NEW)
            link_run_timers(link, link_next_ns(link));
        link_take_posts(link);
    }
    if (what % 4 == 1) {
        house_look_for_ended(house);
        house_look_for_deadlock(house);
        house_wake_all(house);
    }
    bool is_there = house->left_count < house->link_count;
    house_block_unlock(house);
    return is_there;
}

static void fuzz_session(Input *input)
{
    uint32_t who = take(input, 1);
    bool isolated[STAGE_ROLES] = {true, (who & 1) == 0, (who & 2) == 0, (who & 4) == 0};
    chx_session *session = stage_start(stage(), isolated);
    need(session != NULL);
    House *house = stage_house(session);
    bool is_there = true;
    while (is_there && input->at < input->end) {
        uint32_t what = take(input, 1);
        Link *link = &house->links[take(input, 1) % house->link_count];
        const uint8_t *bytes;
        size_t count;
        switch (what % 8) {
        case 0:
        case 1:
        case 2:
            fuzz_post(input, link);
            break;
        case 3:
            count = take_bytes(input, take(input, 1), &bytes);
            stage_bytes(link, bytes, count);
            break;
        case 4:
            fuzz_memory(input, link);
            break;
        case 5:
            fuzz_send(input, link);
            break;
        case 6:
            fuzz_receive(input, link);
            break;
        case 7:
            is_there = stage_die(link, (int)(what / 8 % 2) * SIGSEGV);
        }
        if (is_there && what >= 128)
            is_there = fuzz_postman(house, what / 8);
        stage_hear(stage());
    }
    if (is_there)
        is_there = fuzz_postman(house, 1);
    stage_end(stage(), session, is_there, NULL);
    need(stage_blobs == 0);
}

// ---- both ends of a ring ----

enum { SMALL_RING = 4096 };

static bool any_is_valid(void *context, Ring *ring, const RingItem *item)
{
    (void)context;
    (void)ring;
    (void)item;
    return true;
}

static void fuzz_consume(Ring *ring)
{
    RingItem item;
    uint32_t large;
    for (int i = 0; i < 300 && ring_peek(ring, &item) == RING_ITEM; i++) {
        if (item.record.size <= 65536) {
            unsigned char *bytes = malloc(item.record.size + 1u);
            ring_copy(ring, &item, bytes);
            free(bytes);
        }
        ring_pop(ring, &item);
    }
    ring_valid_until(ring, any_is_valid, NULL, &large);
}

static void fuzz_ring(Input *input)
{
    static Descriptor file = {.number = -1};
    if (file.number < 0) {
        file = descriptor_keep(memfd_create("ring", MFD_CLOEXEC));
        need(file.number >= 0 && ftruncate(file.number, RING_LARGE_BYTES) == 0);
    }
    // Memory of its own for each part: a step beyond it is seen.
    RingWords *words = aligned_alloc(_Alignof(RingWords), sizeof *words);
    memset(words, 0, sizeof *words);
    Ring ring = {.words = words, .data = calloc(1, SMALL_RING), .bytes = SMALL_RING, .file = file, .token = 7};
    ring_set_limits(&ring, 100, SMALL_RING);
    Ring consumer = ring;
    while (input->at < input->end) {
        uint32_t what = take(input, 1), at = take(input, 2);
        const uint8_t *bytes;
        size_t count = take_bytes(input, take(input, 1), &bytes);
        size_t limit = what % 2 == 0 ? sizeof *words : SMALL_RING;
        unsigned char *memory = what % 2 == 0 ? (unsigned char *)words : ring.data;
        at %= limit;
        switch (what / 2 % 4) {
        case 0:
            memcpy(memory + at, bytes, count < limit - at ? count : limit - at);
            break;
        case 1:
            if (ring_room(&ring) == RING_ITEM)
                ring_send(&ring, at, what, bytes, count);
            break;
        case 2:
            fuzz_consume(&consumer);
            break;
        case 3:
            ring_go_on(what % 2 == 0 ? &ring : &consumer);
        }
    }
    free(ring.data);
    free(words);
}

// ---- values ----

static void shadow_pack(void *shadow, const void *value)
{
    memcpy(shadow, value, sizeof(StageMix));
}

static void shadow_unpack(void *value, const void *shadow)
{
    memcpy(value, shadow, sizeof(StageMix));
}

static const chx_type shadow = {.kind = CHX_KIND_SHADOW,
                                .owning = true,
                                .size = sizeof(StageMix),
                                .name = "shadow",
                                .element = &stage_mix,
                                .pack = shadow_pack,
                                .unpack = shadow_unpack};
static const chx_type array = {.kind = CHX_KIND_ARRAY,
                               .owning = true,
                               .size = 3 * sizeof(StageMix),
                               .name = "array",
                               .count = 3,
                               .element = &shadow};
static const chx_type narrow = {.kind = CHX_KIND_SIGNED, .wire = 8, .size = 4, .name = "long of 32 bits"};
static const chx_type complex_double = {.kind = CHX_KIND_COMPLEX, .wire = 16, .size = 16, .name = "complex"};
static const chx_type opaque = {.kind = CHX_KIND_OPAQUE, .size = 8, .name = "void *"};
static const chx_type *const types[] = {
    &chx_type_bool,
    &chx_type_char,
    &chx_type_signed_char,
    &chx_type_unsigned_char,
    &chx_type_short,
    &chx_type_int,
    &chx_type_long,
    &chx_type_long_long,
    &chx_type_int128,
    &chx_type_unsigned_int128,
    &chx_type_float,
    &chx_type_double,
    &chx_type_long_double,
    &chx_type_cstring,
    &chx_type_str,
    &chx_type_bytes,
    &stage_blob,
    &stage_mix,
    &shadow,
    &array,
    &narrow,
    &complex_double,
    &opaque,
    &chx_type_unsigned_long,
};

// What can be read is written again as it was, byte for byte.
static void decode_one(const chx_type *type, const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count != 0 ? count : 1);
    if (count != 0)
        memcpy(copy, bytes, count);
    void *value = aligned_alloc(16, (type->size + 15) / 16 * 16);
    size_t used = 0;
    if (chx_decode(type, value, copy, count, &used)) {
        chx_buffer again = {0};
        need(used <= count);
        chx_encode(type, value, &again);
        need(again.size == used && memcmp(again.data, copy, used) == 0);
        chx_buffer_free(&again);
        chx_value_drop(type, value);
    }
    free(value);
    free(copy);
}

static void fuzz_value(Input *input)
{
    const chx_type *type = types[take(input, 1) % (sizeof types / sizeof *types)];
    static Actor nobody;
    static const chx_role role = {.role = "nobody"};
    static Session session;
    session.runtime = stage()->runtime;
    nobody.session = &session;
    nobody.role = &role;
    Guard guard;
    guard_enter(&guard, &nobody);
    if (sigsetjmp(guard.jump, 0) == 0)
        decode_one(type, input->at, (size_t)(input->end - input->at));
    guard_leave(&guard);
    need(stage_blobs == 0);
}

// ---- saved frames ----

typedef struct {
    chx_frame head;
    int64_t chx_result;
    int number;
    const char *text;
    StageMix mix;
    void *pointer;
    chx_fault fault;
} SavedVariables;
static const chx_variable saved_variables[] = {
    {"text", offsetof(SavedVariables, text), &chx_type_cstring},
    {"mix", offsetof(SavedVariables, mix), &stage_mix},
    {"number", offsetof(SavedVariables, number), &chx_type_int},
    {"pointer", offsetof(SavedVariables, pointer), &opaque},
    {"fault", offsetof(SavedVariables, fault), &chx_type_fault},
};
static chx_function saved_function = {.name = "saved",
                                      .frame_size = sizeof(SavedVariables),
                                      .result = &chx_type_long_long,
                                      .variables = saved_variables,
                                      .variable_count = 5,
                                      .owned_count = 2};
static const chx_role saved_role = {.role = "saved", .name = "saved"};

static void fuzz_chain(Input *input)
{
    static Session session;
    session.runtime = stage()->runtime;
    Chunk *chunk = calloc(1, sizeof *chunk + 512);
    Actor actor = {.session = &session, .role = &saved_role};
    stack_init(&actor, chunk, 512);
    int64_t distance = (int64_t)((uintptr_t)&saved_function - (uintptr_t)&saved_role);
    uint64_t frame_size = sizeof(SavedVariables);
    // One frame, of that function: its place differs from build to build.
    size_t count = (size_t)(input->end - input->at);
    uint64_t frames = 1;
    uint8_t *bytes = calloc(1, count + 32);
    memcpy(bytes, input->at, count);
    memcpy(bytes, &frames, 8);
    memcpy(bytes + 8, &distance, 8);
    memcpy(bytes + 24, &frame_size, 8);
    Guard guard;
    guard_enter(&guard, &actor);
    if (sigsetjmp(guard.jump, 0) == 0 && chain_load(&actor, bytes, count)) {
        chx_buffer again = {0};
        chain_save(&actor, NULL, &again);
        actor_unwind(&actor);
        need(chain_load(&actor, again.data, again.size));
        chx_buffer_free(&again);
    }
    actor_unwind(&actor);
    guard_leave(&guard);
    actor_fini(&actor);
    free(chunk);
    free(bytes);
    stage_blobs = 0; // one that failed in the middle may be lost: only that process is
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input input = {data, data + size};
    switch (take(&input, 1) % 4) {
    case 0:
        fuzz_session(&input);
        break;
    case 1:
        fuzz_ring(&input);
        break;
    case 2:
        fuzz_value(&input);
        break;
    default:
        fuzz_chain(&input);
    }
    return 0;
}
