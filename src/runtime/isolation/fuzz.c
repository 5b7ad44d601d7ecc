// fuzz.c: whatever isolated roles write into the memory that they share with the program, the program survives, and its
// sessions come to an end. A libFuzzer target; the first byte says what is tested.

#define _GNU_SOURCE
#include "runtime/isolation/process_fixture.h"

#include "runtime/actor/float.h"
#include "runtime/channel/shm_channel.h"
#include "runtime/value/codec.h"
#include "runtime/value/crc32c.h"
#include "runtime/value/snapshot.h"

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

static ProcessFixture *process_fixture(void)
{
    static ProcessFixture made;
    if (made.runtime == NULL)
        process_fixture_init(&made);
    return &made;
}

// ---- control messages, deaths, rings: a whole session ----

static const uint32_t sites[] = {PROCESS_FIXTURE_OUTER, PROCESS_FIXTURE_INNER, PROCESS_FIXTURE_OTHER, 1, 0};

// A post that could be one, with parts of the input.
static void fuzz_post(Input *input, RoleProxy *proxy)
{
    uint32_t kind = take(input, 1) % 9;
    struct {
        RingPoint tails[PROCESS_FIXTURE_ROLES - 1];
        unsigned char frame[16];
    } enter = {0};
    uint32_t site = sites[take(input, 1) % 5], number = take(input, 1) % 14, what = take(input, 1) % 5;
    if (kind == CONTROL_ENTER) {
        for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES - 1; i++)
            enter.tails[i] = ring_load(&shm_channel(&proxy->actor->out[i])->ring.words->tail);
        process_fixture_post(proxy, (ControlHead){sizeof enter, kind, site, 0}, &enter);
    } else if (kind == CONTROL_ARRIVE) {
        process_fixture_post(proxy, (ControlHead){0, kind, site, 0}, NULL);
    } else if (kind == CONTROL_READY) {
        process_fixture_post(proxy, (ControlHead){0, kind, proxy->control->command.epoch, 0}, NULL);
    } else if (kind == CONTROL_WAKE || kind == CONTROL_COMPLAIN) {
        process_fixture_post(proxy, (ControlHead){0, kind, number, what}, NULL);
    } else {
        const uint8_t *bytes;
        size_t count = take_bytes(input, take(input, 1) % 40, &bytes);
        process_fixture_post(proxy, (ControlHead){(uint32_t)count, kind, number, what}, bytes);
    }
}

static void fuzz_memory(Input *input, RoleProxy *proxy)
{
    Session *session = proxy->isolated->session;
    const uint8_t *bytes;
    uint32_t which = take(input, 1) % 4;
    Channel *channel = &session->channels[take(input, 1) % session->channel_count];
    unsigned char *memory = (unsigned char *)proxy->control;
    size_t limit = offsetof(ControlBlock, controls) + 256;
    const ShmChannel *shm = shm_channel(channel);
    if (which != 0 && shm != NULL) {
        memory = which == 1 ? (unsigned char *)shm->ring.words : shm->ring.data;
        limit = which == 1 ? sizeof(RingWords) : 256;
    } else if (which == 3) {
        memory = (unsigned char *)proxy->doorbell - (uintptr_t)proxy->doorbell % PAGE;
        limit = 512;
    }
    size_t at = take(input, 2) % limit, count = take_bytes(input, take(input, 1) % 32, &bytes);
    memcpy(memory + at, bytes, count < limit - at ? count : limit - at);
}

static void fuzz_send(Input *input, RoleProxy *proxy)
{
    unsigned to = take(input, 1) % PROCESS_FIXTURE_ROLES, from = proxy->actor->index;
    const uint8_t *bytes;
    uint32_t site = take(input, 1) % 6, epoch = take(input, 1) % 4;
    size_t count = take_bytes(input, take(input, 1) % 48, &bytes);
    if (to == from)
        return;
    Ring view = process_fixture_view(proxy, from, to);
    if (ring_room(&view) == RING_ITEM)
        ring_send(&view, site, epoch, bytes, count);
}

static void fuzz_receive(Input *input, RoleProxy *proxy)
{
    unsigned from = take(input, 1) % PROCESS_FIXTURE_ROLES, to = proxy->actor->index;
    RingItem item;
    if (to == from)
        return;
    Ring view = process_fixture_view(proxy, from, to);
    if (ring_peek(&view, &item) == RING_ITEM)
        ring_pop(&view, &item);
}

// What the supervisor thread does. False: the isolated session is gone.
static bool fuzz_supervisor(IsolatedSession *isolated, uint32_t what)
{
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        RoleProxy *proxy = &isolated->proxies[i];
        if (what % 2 == 0 && proxy->state != PROXY_LEFT && proxy->state != PROXY_NEW)
            proxy_run_timers(proxy, proxy_next_ns(proxy));
        proxy_take_controls(proxy, CONTROLS_PER_TURN);
    }
    if (what % 4 == 1) {
        isolated_look_for_ended(isolated);
        isolated_look_for_deadlock(isolated);
        isolated_wake_all(isolated);
    }
    bool is_there = isolated->left_count < isolated->proxy_count;
    isolated_block_unlock(isolated);
    return is_there;
}

static void fuzz_session(Input *input)
{
    uint32_t who = take(input, 1);
    bool is_isolated[PROCESS_FIXTURE_ROLES] = {true, (who & 1) == 0, (who & 2) == 0, (who & 4) == 0};
    chx_session *session = process_fixture_start(process_fixture(), is_isolated);
    need(session != NULL);
    IsolatedSession *isolated = process_fixture_isolated(session);
    bool is_there = true;
    while (is_there && input->at < input->end) {
        uint32_t what = take(input, 1);
        RoleProxy *proxy = &isolated->proxies[take(input, 1) % isolated->proxy_count];
        const uint8_t *bytes;
        size_t count;
        switch (what % 8) {
        case 0:
        case 1:
        case 2:
            fuzz_post(input, proxy);
            break;
        case 3:
            count = take_bytes(input, take(input, 1), &bytes);
            process_fixture_bytes(proxy, bytes, count);
            break;
        case 4:
            fuzz_memory(input, proxy);
            break;
        case 5:
            fuzz_send(input, proxy);
            break;
        case 6:
            fuzz_receive(input, proxy);
            break;
        case 7:
            is_there = process_fixture_die(proxy, (int)(what / 8 % 2) * SIGSEGV);
        }
        if (is_there && what >= 128)
            is_there = fuzz_supervisor(isolated, what / 8);
        process_fixture_hear(process_fixture());
    }
    if (is_there)
        is_there = fuzz_supervisor(isolated, 1);
    process_fixture_end(process_fixture(), session, is_there, NULL);
    need(process_fixture_blobs == 0);
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
    memcpy(shadow, value, sizeof(ProcessFixtureMix));
}

static void shadow_unpack(void *value, const void *shadow)
{
    memcpy(value, shadow, sizeof(ProcessFixtureMix));
}

static const chx_type shadow = {.kind = CHX_KIND_SHADOW,
                                .owning = true,
                                .size = sizeof(ProcessFixtureMix),
                                .name = "shadow",
                                .element = &process_fixture_mix,
                                .pack = shadow_pack,
                                .unpack = shadow_unpack};
static const chx_type array = {.kind = CHX_KIND_ARRAY,
                               .owning = true,
                               .size = 3 * sizeof(ProcessFixtureMix),
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
    &process_fixture_blob,
    &process_fixture_mix,
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
    chx_reader reader = {.at = copy, .end = copy + count};
    Fault fault;
    if (value_load(type, value, &reader, &fault) == DECODE_GOOD) {
        chx_buffer again = {0};
        size_t used = (size_t)(reader.at - copy);
        chx_encode(type, value, &again);
        need(again.size == used && memcmp(again.data, copy, used) == 0);
        chx_buffer_free(&again);
        chx_value_drop(type, value);
    }
    free(value);
    free(copy);
}

typedef struct {
    const chx_type *type;
    const uint8_t *bytes;
    size_t count;
} Decoding;

static void decode_guarded(void *closure)
{
    const Decoding *decoding = closure;
    decode_one(decoding->type, decoding->bytes, decoding->count);
}

static void fuzz_value(Input *input)
{
    const chx_type *type = types[take(input, 1) % (sizeof types / sizeof *types)];
    static Actor nobody;
    static const chx_role role = {.role = "nobody"};
    static Session session;
    session.runtime = process_fixture()->runtime;
    nobody.session = &session;
    nobody.role = &role;
    Guard guard;
    guard_run(&guard, &nobody, decode_guarded, &(Decoding){type, input->at, (size_t)(input->end - input->at)});
    need(process_fixture_blobs == 0);
}

// ---- snapshots ----

typedef struct {
    chx_frame head;
    int64_t chx_result;
    int number;
    const char *text;
    ProcessFixtureMix mix;
    void *pointer;
    chx_fault fault;
} SavedVariables;
static const chx_variable saved_variables[] = {
    {"text", offsetof(SavedVariables, text), &chx_type_cstring},
    {"mix", offsetof(SavedVariables, mix), &process_fixture_mix},
    {"number", offsetof(SavedVariables, number), &chx_type_int},
    {"pointer", offsetof(SavedVariables, pointer), &opaque},
    {"fault", offsetof(SavedVariables, fault), &chx_type_fault},
};
static const chx_function saved_function = {.name = "saved",
                                            .frame_size = sizeof(SavedVariables),
                                            .result = &chx_type_long_long,
                                            .variables = saved_variables,
                                            .variable_count = 5,
                                            .owned_count = 2,
                                            .label_count = 3};
static const chx_function small_function = {
    .name = "small", .frame_size = sizeof(chx_frame), .number = 1, .label_count = 1};
static const chx_function *const saved_functions[] = {&saved_function, &small_function};
static const chx_role saved_role = {.role = "saved",
                                    .name = "saved",
                                    .counter_count = 2,
                                    .functions = saved_functions,
                                    .function_count = 2,
                                    .index = 1,
                                    .protocol_digest = 2,
                                    .state_digest = 3};
static const chx_checkpoint saved_block = {.site = 5, .name = 5, .body_at = 1, .rescue_at = 1};

// Sometimes with the head and the checksum that it should have: what is in it is then looked at, too.
static void snapshot_mend(uint8_t *bytes, size_t size, bool is_of_block)
{
    static const uint8_t head[] = {'c', 'h', 'x', '-', 's', 'n', 'a', 'p', 1, 0, 0, 0, 1, 0, 0, 0,
                                   2,   0,   0,   0,   0,   0,   0,   0,   3, 0, 0, 0, 0, 0, 0, 0};
    enum { SIZE_AT = 32, BLOCK_AT = 44, LEVEL_AT = 52, LEAST = 60 };
    if (size < LEAST)
        return;
    memcpy(bytes, head, sizeof head);
    store_number(bytes + SIZE_AT, size, 8);
    store_number(bytes + BLOCK_AT, is_of_block ? saved_block.site : 0, 4);
    store_number(bytes + LEVEL_AT, 0, 4);
    store_number(bytes + size - 4, crc32c(bytes, size - 4), 4);
}

typedef struct {
    Actor *actor;
    const uint8_t *bytes;
    size_t count;
    bool is_of_block;
} Loading;

// What was loaded can be saved and loaded again.
static void load_twice(void *closure)
{
    const Loading *loading = closure;
    Actor *actor = loading->actor;
    uint32_t ordinal;
    if (snapshot_load(actor, loading->is_of_block ? &saved_block : NULL, loading->bytes, loading->count, &ordinal) !=
        NULL)
        return;
    chx_buffer again = {0};
    snapshot_save(actor, NULL, &again);
    actor_unwind(actor);
    need(snapshot_load(actor, NULL, again.data, again.size, &ordinal) == NULL);
    chx_buffer_free(&again);
}

static void fuzz_snapshot(Input *input)
{
    static Session session;
    session.runtime = process_fixture()->runtime;
    session.float_control = float_control();
    uint32_t how = take(input, 1);
    Chunk *chunk = calloc(1, sizeof *chunk + 512);
    chx_count counts[2] = {0};
    Actor actor = {.session = &session, .role = &saved_role, .self.counts = counts};
    stack_init(&actor, chunk, 512);
    size_t count = (size_t)(input->end - input->at);
    uint8_t *bytes = malloc(count + 1);
    memcpy(bytes, input->at, count);
    if ((how & 1) != 0)
        snapshot_mend(bytes, count, (how & 2) != 0);
    Guard guard;
    guard_run(&guard, &actor, load_twice, &(Loading){&actor, bytes, count, (how & 2) != 0});
    actor_unwind(&actor);
    actor_fini(&actor);
    free(chunk);
    free(bytes);
    need(process_fixture_blobs == 0);
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
        fuzz_snapshot(&input);
    }
    return 0;
}
