// snapshot_test.c: frames with all kinds of variables, saved and loaded as another process would; what can't be a snapshot.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/actor/float.h"
#include "runtime/isolation/process_fixture.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/session.h"
#include "runtime/value/codec.h"
#include "runtime/value/crc32c.h"
#include "runtime/value/snapshot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- a role with variables of every kind ----

typedef struct {
    unsigned low : 3, high : 5;
    const char *label;
} Packed;
typedef struct {
    unsigned low, high;
    const char *label;
} Unpacked;
typedef struct {
    long first;
    chx_str second;
} Tuple;
// It owns something, and can't be sent.
typedef struct {
    const char *name;
    union {
        int i;
        float f;
    } either;
    void *pointer;
} Handle;
typedef enum { ZERO, MINUS = -5 } Choice;

typedef struct {
    chx_frame head;
    int chx_result;
    const char *text;
    chx_str string;
    chx_bytes bytes;
    ProcessFixtureMix mix[2];
    Packed packed;
    Tuple tuple;
    Handle handle;
    bool flag;
    char letter;
    signed char tiny;
    unsigned short narrow;
    int number;
    unsigned long wide;
    long long widest;
    Choice choice;
    float single;
    double both[2]; // as _Complex double lies in memory
    long double real;
    double numbers[2][3];
    bool flags[4];
    union {
        int i;
        float f;
    } either;
    void *pointer;
    chx_fault fault;
} Variables;

static void packed_pack(void *shadow, const void *value)
{
    const Packed *packed = value;
    *(Unpacked *)shadow = (Unpacked){packed->low, packed->high, packed->label};
}

static void packed_unpack(void *value, const void *shadow)
{
    const Unpacked *unpacked = shadow;
    Packed *packed = value;
    packed->low = unpacked->low & 7;
    packed->high = unpacked->high & 31;
    packed->label = unpacked->label;
}

#define STRUCT(c_type, c_fields)                                                                                       \
    {                                                                                                                  \
        .kind = CHX_KIND_STRUCT, .owning = true, .size = sizeof(c_type), .name = #c_type, .fields = c_fields,          \
        .count = sizeof c_fields / sizeof *c_fields                                                                    \
    }
#define ARRAY(c_element, c_count, c_owning)                                                                            \
    {                                                                                                                  \
        .kind = CHX_KIND_ARRAY, .owning = c_owning, .size = sizeof(c_element) * c_count, .name = #c_element "[]",      \
        .count = c_count                                                                                               \
    }
static const chx_type union_of_numbers = {.kind = CHX_KIND_OPAQUE, .wire = 1, .size = sizeof(int), .name = "union"};
static const chx_type address = {.kind = CHX_KIND_OPAQUE, .size = sizeof(void *), .name = "void *"};
static const chx_type choice = {.kind = CHX_KIND_SIGNED, .wire = 8, .size = sizeof(Choice), .name = "enum choice"};
static const chx_type complex_double = {.kind = CHX_KIND_COMPLEX, .wire = 16, .size = 16, .name = "_Complex double"};
static const chx_field unpacked_fields[] = {{"low", offsetof(Unpacked, low), &chx_type_unsigned_int},
                                            {"high", offsetof(Unpacked, high), &chx_type_unsigned_int},
                                            {"label", offsetof(Unpacked, label), &chx_type_cstring}};
static const chx_type unpacked = STRUCT(Unpacked, unpacked_fields);
static const chx_type packed = {.kind = CHX_KIND_SHADOW,
                                .owning = true,
                                .size = sizeof(Packed),
                                .name = "Packed",
                                .element = &unpacked,
                                .pack = packed_pack,
                                .unpack = packed_unpack};
static const chx_field tuple_fields[] = {{"first", offsetof(Tuple, first), &chx_type_long},
                                         {"second", offsetof(Tuple, second), &chx_type_str}};
static const chx_type tuple = STRUCT(Tuple, tuple_fields);
static const chx_field handle_fields[] = {{"name", offsetof(Handle, name), &chx_type_cstring},
                                          {"either", offsetof(Handle, either), &union_of_numbers},
                                          {"pointer", offsetof(Handle, pointer), &address}};
static const chx_type handle = STRUCT(Handle, handle_fields);
static chx_type mixes = ARRAY(ProcessFixtureMix, 2, true), rows = ARRAY(double, 3, false),
                matrix = ARRAY(double[3], 2, false), bools = ARRAY(bool, 4, false);

#define VARIABLE(name, type)                                                                                           \
    {                                                                                                                  \
#name, offsetof(Variables, name), type                                                                         \
    }
static const chx_variable variables[] = {
    // Those that own something come first, and of these the fixed ones last.
    VARIABLE(string, &chx_type_str),
    VARIABLE(bytes, &chx_type_bytes),
    VARIABLE(mix, &mixes),
    VARIABLE(packed, &packed),
    VARIABLE(tuple, &tuple),
    VARIABLE(handle, &handle),
    VARIABLE(text, &chx_type_cstring),
    VARIABLE(flag, &chx_type_bool),
    VARIABLE(letter, &chx_type_char),
    VARIABLE(tiny, &chx_type_signed_char),
    VARIABLE(narrow, &chx_type_unsigned_short),
    VARIABLE(number, &chx_type_int),
    VARIABLE(wide, &chx_type_unsigned_long),
    VARIABLE(widest, &chx_type_long_long),
    VARIABLE(choice, &choice),
    VARIABLE(single, &chx_type_float),
    VARIABLE(both, &complex_double),
    VARIABLE(real, &chx_type_long_double),
    VARIABLE(numbers, &matrix),
    VARIABLE(flags, &bools),
    VARIABLE(either, &union_of_numbers),
    VARIABLE(pointer, &address),
    VARIABLE(fault, &chx_type_fault),
};
enum { COUNT = sizeof variables / sizeof *variables, OWNED = 7, LABELS = 20, COUNTERS = 3 };
enum { SMALL, LARGE, TWIN, FUNCTIONS };
#define LARGE_FUNCTION(its_number)                                                                                     \
    {                                                                                                                  \
        .name = "f", .frame_size = sizeof(Variables), .result = &chx_type_int, .variables = variables,                 \
        .variable_count = COUNT, .owned_count = OWNED, .fixed_count = 1, .number = its_number, .label_count = LABELS   \
    }
static const chx_function small = {.name = "g", .frame_size = sizeof(chx_frame), .number = SMALL, .label_count = 8};
static const chx_function large = LARGE_FUNCTION(LARGE), twin = LARGE_FUNCTION(TWIN);
static const chx_function *const functions[FUNCTIONS] = {&small, &large, &twin};
static const chx_role role = {.role = "R",
                              .name = "R",
                              .index = 3,
                              .protocol_digest = UINT64_C(0x1122334455667788),
                              .state_digest = UINT64_C(0x99aabbccddeeff00),
                              .counter_count = COUNTERS,
                              .functions = functions,
                              .function_count = FUNCTIONS};
static const chx_checkpoint outer = {.site = 9, .name = 9, .body_at = 4, .rescue_at = 5};
static const chx_checkpoint inner = {.site = 11, .name = 11, .body_at = 6, .rescue_at = 7};
static const chx_checkpoint labelless = {.site = 11, .name = 11, .body_at = LABELS + 1, .rescue_at = 7};

static ProcessFixture process_fixture;
static Session session;

// ---- its actors ----

static Actor *actor_new(void)
{
    Actor *actor = calloc(1, sizeof *actor);
    actor->session = &session;
    actor->role = &role;
    actor->self.counts = calloc(COUNTERS, sizeof *actor->self.counts);
    stack_init(actor, calloc(1, sizeof(Chunk) + STACK_FIRST_BYTES), STACK_FIRST_BYTES);
    savepoints_init(actor, aligned_alloc(16, (SAVEPOINT_ROOM_BYTES + 15) / 16 * 16));
    return actor;
}

static void actor_free(Actor *actor)
{
    while (actor->member.count > 0)
        savepoint_pop(actor);
    actor_unwind(actor);
    Chunk *chunk = actor->chunk;
    while (chunk->previous != NULL)
        chunk = chunk->previous;
    void *room = actor->savepoints.room;
    actor_fini(actor);
    free(room);
    free(chunk);
    free(actor->self.counts);
    free(actor);
}

static void enter(Actor *actor, const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    savepoint_reserve(actor);
    Savepoint *savepoint = savepoint_allocate(actor, actor->self.top->function->frame_size - sizeof(chx_frame));
    savepoint->frame = actor->self.top;
    savepoint_save(actor, savepoint);
    savepoint->position = (Position){.checkpoint = checkpoint, .ordinal = ordinal};
    savepoint_push(actor, savepoint);
}

// As process_enter.
static void enter_and_save(Actor *actor, const chx_checkpoint *checkpoint, chx_buffer *buffer)
{
    Savepoint *parent = savepoint_top(actor);
    const chx_frame *first = parent != NULL ? parent->frame : NULL;
    uint32_t *ordinal = savepoint_ordinal(actor, parent, checkpoint->name);
    enter(actor, checkpoint, (*ordinal)++);
    snapshot_save(actor, first, buffer);
    assert_false(buffer->failed);
}

typedef struct {
    Actor *actor;
    const chx_checkpoint *checkpoint;
    const void *data;
    size_t size;
    const char *why;
} Loading;

static void load_guarded(void *closure)
{
    Loading *loading = closure;
    uint32_t ordinal;
    loading->why = snapshot_load(loading->actor, loading->checkpoint, loading->data, loading->size, &ordinal);
    if (loading->why == NULL && loading->checkpoint != NULL)
        enter(loading->actor, loading->checkpoint, ordinal);
}

// As a new process does it. NULL: it was loaded.
static const char *load(Actor *actor, const chx_checkpoint *checkpoint, const void *data, size_t size)
{
    Guard guard;
    Loading loading = {actor, checkpoint, data, size, NULL};
    return guard_run(&guard, actor, load_guarded, &loading) ? loading.why : "it ended in the guard";
}

static const char *load_buffer(Actor *actor, const chx_checkpoint *checkpoint, const chx_buffer *buffer)
{
    return load(actor, checkpoint, buffer->data, buffer->size);
}

// ---- values ----

static ProcessFixtureBlob blob(unsigned char length, unsigned char fill)
{
    ProcessFixtureBlob made = {length, fill, malloc(length + 1u)};
    memset(made.memory, fill, length);
    process_fixture_blobs++;
    return made;
}

static const char *because; // a string of the block that the role is in

// Strings made outside of roles belong to the test: here, to the frame.
static void fill(Variables *v, int seed)
{
    v->head.at = (uint32_t)seed + 3;
    v->head.borrows = 1;
    v->text = "text"; // it is its caller's
    v->string = chx_str_new("str\0ing", 7);
    v->bytes = chx_bytes_new("\0\1\2", 3);
    v->mix[0] = (ProcessFixtureMix){true, (short)-seed, NULL, blob(3, 9)};
    chx_set_cstring(&v->mix[0].text, "inside");
    v->packed.low = 5;
    v->packed.high = 17;
    chx_set_cstring(&v->packed.label, "label");
    v->tuple = (Tuple){-1234567890123, chx_str_new("tuple", 5)};
    chx_set_cstring(&v->handle.name, "");
    v->handle.either.i = seed;
    v->handle.pointer = v;
    v->flag = true;
    v->letter = 'x';
    v->tiny = -7;
    v->narrow = 65535;
    v->number = seed;
    v->wide = ULONG_MAX;
    v->widest = INT64_MIN;
    v->choice = MINUS;
    v->single = 0.1f;
    v->both[0] = 1e300;
    v->both[1] = -0.0;
    v->real = 1.25L + seed;
    v->numbers[1][2] = -0.5;
    v->flags[1] = v->flags[3] = true;
    v->either.f = 2.5f;
    v->pointer = v;
    v->fault = (chx_fault){"Bob", CHX_FAULT_SIGNAL, 11, because, "file.c", 77};
    v->chx_result = seed;
}

static void check_owned(const Variables *v, int seed)
{
    assert_string_equal(v->text, "text");
    assert_int_equal(chx_str_len(v->string), 7);
    assert_memory_equal(chx_cstr(v->string), "str\0ing", 7);
    assert_int_equal(chx_bytes_len(v->bytes), 3);
    assert_true(v->mix[0].flag && v->mix[0].number == -seed);
    assert_string_equal(v->mix[0].text, "inside");
    assert_int_equal(v->mix[0].blob.length, 3);
    assert_memory_equal(v->mix[0].blob.memory, "\t\t\t", 3);
    assert_null(v->mix[1].text);
    assert_null(v->mix[1].blob.memory);
    assert_true(v->packed.low == 5 && v->packed.high == 17);
    assert_string_equal(v->packed.label, "label");
    assert_true(v->tuple.first == -1234567890123);
    assert_string_equal(chx_cstr(v->tuple.second), "tuple");
    assert_string_equal(v->handle.name, "");
    assert_int_equal(v->handle.either.i, seed);
}

static void check(const chx_frame *frame, int seed)
{
    const Variables *v = (const Variables *)(const void *)frame;
    double minus_zero = -0.0;
    assert_ptr_equal(v->head.function, &large);
    assert_int_equal(v->head.at, seed + 3);
    assert_int_equal(v->head.borrows, 0); // what it has now is its own
    check_owned(v, seed);
    assert_true(v->flag && v->letter == 'x' && v->tiny == -7 && v->narrow == 65535 && v->number == seed);
    assert_true(v->wide == ULONG_MAX && v->widest == INT64_MIN && v->choice == MINUS);
    assert_true(v->single == 0.1f && v->both[0] == 1e300 && v->real == 1.25L + seed);
    assert_memory_equal(&v->both[1], &minus_zero, sizeof minus_zero);
    assert_true(v->numbers[1][2] == -0.5 && v->numbers[0][0] == 0 && v->either.f == 2.5f);
    assert_true(!v->flags[0] && v->flags[1] && !v->flags[2] && v->flags[3]);
    assert_int_equal(v->chx_result, seed);
    // An address means nothing there.
    assert_null(v->pointer);
    assert_null(v->handle.pointer);
    assert_string_equal(v->fault.role, "Bob");
    assert_string_equal(v->fault.why, "because");
    assert_string_equal(v->fault.file, "file.c");
    assert_true(v->fault.kind == CHX_FAULT_SIGNAL && v->fault.signal == 11 && v->fault.line == 77);
}

static void say_why(void *closure)
{
    (void)closure;
    because = strcpy(chx_alloc(8), "because");
}

// Two snapshots: of the outer block, with the frames up to its own, and of the inner one, from there on.
static void save_two(Actor *actor, chx_buffer *first, chx_buffer *second)
{
    Guard guard;
    guard_run(&guard, actor, say_why, NULL);
    actor->self.counts[1] = (chx_count){0, 12};
    chx_call(&actor->self, &small);
    Variables *v = chx_call(&actor->self, &large);
    fill(v, 1);
    *savepoint_ordinal(actor, NULL, 70) = 4; // of another block
    enter_and_save(actor, &outer, first);
    v->number = v->handle.either.i = 2;
    v->mix[0].number = -2;
    v->real = 3.25L;
    v->chx_result = 2;
    v->head.at = 5;
    actor->self.counts[2] = (chx_count){1, 34};
    for (int i = 0; i < 200; i++)
        chx_call(&actor->self, &small);
    fill(chx_call(&actor->self, &large), 7);
    *savepoint_ordinal(actor, savepoint_top(actor), inner.site) = 5;
    enter_and_save(actor, &inner, second);
}

// ---- what comes back ----

static void frames_come_back(void **state)
{
    (void)state;
    Actor *old = actor_new(), *new = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    assert_null(load_buffer(new, &outer, &first));
    check(new->self.top, 1);
    const char *fixed = ((Variables *)(void *)new->self.top)->text;
    assert_ptr_equal(new->self.top->caller->function, &small);
    assert_null(new->self.top->caller->caller);
    assert_int_equal(savepoint_top(new)->position.ordinal, 0);
    assert_null(load_buffer(new, &inner, &second));
    check(new->self.top, 7);
    assert_int_equal(savepoint_top(new)->position.ordinal, 5);
    const chx_frame *frame = new->self.top;
    for (int i = 0; i < 201; i++)
        frame = frame->caller;
    check(frame, 2);
    // The savepoint of the outer block refers to it.
    assert_ptr_equal(((const Variables *)(const void *)frame)->text, fixed);
    // Counts, too, each at its level.
    assert_int_equal(*savepoint_ordinal(new, NULL, 70), 4);
    assert_int_equal(*savepoint_ordinal(new, NULL, outer.site), 1);
    assert_int_equal(*savepoint_ordinal(new, savepoint_at(new, 0), inner.site), 6);
    assert_true(new->self.counts[1].level == 0 && new->self.counts[1].count == 12);
    assert_true(new->self.counts[2].level == 1 && new->self.counts[2].count == 34);
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

static void the_beginning_comes_back(void **state)
{
    (void)state;
    Actor *old = actor_new(), *new = actor_new();
    chx_buffer saved = {0};
    because = "of no block";
    fill(chx_call(&old->self, &large), 3);
    snapshot_save(old, NULL, &saved);
    assert_null(load_buffer(new, NULL, &saved));
    check_owned((Variables *)(void *)new->self.top, 3);
    assert_int_equal(new->self.top->at, 6);
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&saved);
    assert_int_equal(process_fixture_blobs, 0);
}

// What is loaded can be saved again, and is the same.
static void a_snapshot_of_what_was_loaded_is_the_same(void **state)
{
    (void)state;
    Actor *old = actor_new(), *new = actor_new();
    chx_buffer first = {0}, second = {0}, again = {0};
    save_two(old, &first, &second);
    assert_null(load_buffer(new, &outer, &first));
    snapshot_save(new, NULL, &again);
    assert_int_equal(again.size, first.size);
    assert_memory_equal(again.data, first.data, first.size);
    assert_null(load_buffer(new, &inner, &second));
    buffer_restart(&again);
    snapshot_save(new, savepoint_at(new, 0)->frame, &again);
    assert_int_equal(again.size, second.size);
    assert_memory_equal(again.data, second.data, second.size);
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    chx_buffer_free(&again);
}

// The example of docs/wire.md: if this changes, so does SNAPSHOT_VERSION.
static void the_format_is_the_documented_one(void **state)
{
    (void)state;
    typedef struct {
        chx_frame head;
        const char *name;
        int count;
    } Example;
    static const chx_variable example_variables[] = {{"name", offsetof(Example, name), &chx_type_cstring},
                                                     {"count", offsetof(Example, count), &chx_type_int}};
    static const chx_function example = {.name = "run",
                                         .frame_size = sizeof(Example),
                                         .variables = example_variables,
                                         .variable_count = 2,
                                         .owned_count = 1,
                                         .label_count = 7};
    static const chx_function *const table[] = {&example};
    static const chx_role example_role = {.index = 1,
                                          .protocol_digest = 0x0102030405060708,
                                          .state_digest = 0x1112131415161718,
                                          .functions = table,
                                          .function_count = 1};
    static const unsigned char expected[] = {
        'c',  'h',  'x',  '-',  's',  'n',  'a',  'p',  1,    0,    0,    0,    1,    0,    0,    0,    // version, role
        0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, // digests
        111,  0,    0,    0,    0,    0,    0,    0,    1,    8,    8,    16,   9,    0,    0,    0, // machine, block
        0,    0,    0,    0,    0,    0,    0,    0,    1,    0,    0,    0,    9,    0,    0,    0, // ordinals: 1
        1,    0,    0,    0,    0,    0,    0,    0,    1,    0,    0,    0, // no counters, one frame
        0,    0,    0,    0,    3,    0,    0,    0,    15,   0,    0,    0,    0,    0,    0,    0, // its head
        4,    0,    0,    0,    0,    0,    0,    0,    'a',  'd',  'a',  0xfe, 0xff, 0xff, 0xff,    // name, count
    };
    Actor *actor = actor_new();
    chx_buffer saved = {0};
    actor->role = &example_role;
    Example *frame = chx_call(&actor->self, &example);
    frame->head.at = 3;
    chx_set_cstring(&frame->name, "ada");
    frame->count = -2;
    enter_and_save(actor, &outer, &saved);
    assert_int_equal(saved.size, sizeof expected + 4);
    assert_memory_equal(saved.data, expected, sizeof expected);
    assert_int_equal(load_number(saved.data + sizeof expected, 4), 0x51caf318);
    actor_free(actor);
    chx_buffer_free(&saved);
}

static void checksums_are_those_of_others(void **state)
{
    (void)state;
    unsigned char bytes[100];
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c("", 0), 0);
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(crc32c(bytes, 32), 0x8a9136aa);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i <= sizeof bytes; i++)
        assert_int_equal(crc32c(bytes, i), crc32c_portable(bytes, i));
}

// ---- what is refused ----

// Where things lie: docs/wire.md.
enum {
    VERSION = 8,
    ROLE = 12,
    DIGEST = 16,
    STATE = 24,
    SIZE = 32,
    MACHINE = 40,
    BLOCK = 44,
    LEVEL = 52,
    ORDINALS = 56
};

// As if it had been written like that.
static void seal(unsigned char *data, size_t size)
{
    if (size < ORDINALS + 4)
        return;
    store_number(data + SIZE, size, 8);
    store_number(data + size - 4, crc32c(data, size - 4), 4);
}

// In memory of its own, so that a sanitizer sees a step beyond it. What is before the inner block's snapshot is as it was.
static const char *load_copy(const chx_buffer *before, const void *data, size_t size, ptrdiff_t flipped,
                             unsigned char bits, bool is_sealed)
{
    Actor *actor = actor_new();
    if (before != NULL)
        assert_null(load_buffer(actor, &outer, before));
    unsigned char *copy = malloc(size + (size == 0));
    memcpy(copy, data, size);
    if (flipped >= 0)
        copy[flipped] ^= bits;
    if (is_sealed)
        seal(copy, size);
    const char *why = load(actor, before != NULL ? &inner : &outer, copy, size);
    free(copy);
    actor_free(actor);
    return why;
}

static void cut_off_anywhere_it_is_refused(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    for (int sealed = 0; sealed < 2; sealed++) {
        for (size_t size = 0; size < first.size; size++)
            assert_non_null(load_copy(NULL, first.data, size, -1, 0, sealed != 0));
        for (size_t size = 0; size < second.size; size += 7)
            assert_non_null(load_copy(&first, second.data, size, -1, 0, sealed != 0));
    }
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// With the right checksum it may be read as something else, but without harm.
static void changed_anywhere_it_is_refused(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    for (size_t i = 0; i < first.size; i++)
        for (int bit = 0; bit < 8; bit++)
            assert_non_null(load_copy(NULL, first.data, first.size, (ptrdiff_t)i, (unsigned char)(1 << bit), false));
    for (size_t i = 0; i < first.size; i++) {
        assert_non_null(load_copy(NULL, first.data, first.size, (ptrdiff_t)i, 0xff, false));
        load_copy(NULL, first.data, first.size, (ptrdiff_t)i, 0xff, true);
        load_copy(NULL, first.data, first.size, (ptrdiff_t)i, 1, true);
    }
    for (size_t i = 0; i < second.size; i += i < 200 || i + 1000 > second.size ? 1 : 11) {
        assert_non_null(load_copy(&first, second.data, second.size, (ptrdiff_t)i, 0xff, false));
        load_copy(&first, second.data, second.size, (ptrdiff_t)i, 0xff, true);
    }
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// A number in a snapshot, changed, with the checksum put right.
static const char *load_with(const chx_buffer *saved, size_t at, uint64_t number, unsigned size)
{
    Actor *actor = actor_new();
    chx_buffer copy = {.data = malloc(saved->size), .size = saved->size};
    memcpy(copy.data, saved->data, saved->size);
    store_number(copy.data + at, number, size);
    if (at != SIZE)
        seal(copy.data, copy.size);
    const char *why = load_buffer(actor, &outer, &copy);
    actor_free(actor);
    chx_buffer_free(&copy);
    return why;
}

static size_t find(const chx_buffer *saved, const char *what)
{
    const unsigned char *found = memmem(saved->data, saved->size, what, strlen(what));
    assert_non_null(found);
    return (size_t)(found - saved->data);
}

static void what_is_not_the_roles_is_refused(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer saved = {0}, second = {0};
    save_two(old, &saved, &second);
    assert_string_equal(load_with(&saved, 0, 'C', 1), "it is no snapshot");
    assert_string_equal(load_with(&saved, VERSION, SNAPSHOT_VERSION + 1, 4), "it has another version of the format");
    assert_string_equal(load_with(&saved, VERSION, 0, 4), "it has another version of the format");
    assert_string_equal(load_with(&saved, SIZE, saved.size + 1, 8), "it is not as long as it says");
    assert_string_equal(load_with(&saved, SIZE, UINT64_MAX, 8), "it is not as long as it says");
    assert_string_equal(load_with(&saved, DIGEST, role.protocol_digest + 1, 8), "it is of another choreography");
    assert_string_equal(load_with(&saved, ROLE, role.index + 1, 4), "it is of another role");
    assert_string_equal(load_with(&saved, STATE, 5, 8), "the role had other variables when it was made");
    assert_string_equal(load_with(&saved, BLOCK, inner.site, 4), "it is of another block");
    assert_string_equal(load_with(&saved, BLOCK, 0, 4), "it is of another block");
    assert_string_equal(load_with(&saved, LEVEL, 1, 4), "it is of another block");
    saved.data[saved.size - 1] ^= 1;
    Actor *new = actor_new();
    assert_string_equal(load_buffer(new, &outer, &saved), "its checksum is wrong");
    saved.data[saved.size - 1] ^= 1;
    // The inner block's does not fit without the outer one's, nor twice.
    assert_string_equal(load_buffer(new, &inner, &second), "it is of another block");
    assert_null(load_buffer(new, &outer, &saved));
    assert_null(load_buffer(new, &inner, &second));
    assert_string_equal(load_buffer(new, &inner, &second), "it is of another block");
    actor_free(new);
    // Nor with another function's frame there, even if that looks the same.
    const chx_function *const others[] = {&small, &twin};
    for (int i = 0; i < 2; i++) {
        new = actor_new();
        chx_call(&new->self, others[i]);
        enter(new, &outer, 0);
        assert_string_equal(load_buffer(new, &inner, &second), "it does not begin with the enclosing block's frame");
        actor_free(new);
    }
    actor_free(old);
    chx_buffer_free(&saved);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// Each is seen by one check only.
static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer saved = {0}, second = {0};
    save_two(old, &saved, &second);
    // Two ordinals and one counter come before the frames: a small one, then the block's.
    enum {
        COUNTERS_AT = ORDINALS + 4 + 2 * 8,
        FRAMES_AT = COUNTERS_AT + 4 + 8,
        FIRST = FRAMES_AT + 4,
        LAST = FIRST + 16
    };
    const char *bad_counters = "its counters can't be read", *bad_values = "the variables of a frame can't be read";
    assert_string_equal(load_with(&saved, ORDINALS, UINT32_MAX, 4), bad_counters);
    assert_string_equal(load_with(&saved, ORDINALS + 4, 0, 4), bad_counters);
    assert_string_equal(load_with(&saved, COUNTERS_AT, UINT32_MAX, 4), bad_counters);
    assert_string_equal(load_with(&saved, COUNTERS_AT + 4, 0, 4), bad_counters);
    assert_string_equal(load_with(&saved, COUNTERS_AT + 4, COUNTERS + 1, 4), bad_counters);
    assert_string_equal(load_with(&saved, FRAMES_AT, 0, 4), "it has no frames");
    assert_string_equal(load_with(&saved, FRAMES_AT, 1, 4), "something follows the last frame");
    assert_string_equal(load_with(&saved, FRAMES_AT, UINT32_MAX, 4), "a frame is cut off");
    assert_string_equal(load_with(&saved, FIRST, FUNCTIONS, 4), "a frame is of a function that there is not");
    assert_string_equal(load_with(&saved, FIRST, UINT32_MAX, 4), "a frame is of a function that there is not");
    assert_null(load_with(&saved, FIRST + 4, small.label_count, 4));
    assert_string_equal(load_with(&saved, FIRST + 4, small.label_count + 1, 4),
                        "a frame goes on where its function has no label");
    assert_string_equal(load_with(&saved, FIRST + 8, 1, 8), bad_values);
    assert_string_equal(load_with(&saved, FIRST + 8, UINT64_MAX, 8), "a frame is cut off");
    uint64_t size = load_number(saved.data + LAST + 8, 8);
    assert_string_equal(load_with(&saved, LAST + 8, size - 1, 8), bad_values);
    assert_string_equal(load_with(&saved, LAST + 16, 2, 1), bad_values); // neither without a result nor with one
    // Lengths of strings, of the codec's value.
    const char *const lengths[] = {"str",          "inside", "label",   "tuple", "text",
                                   "\x03\t\t\t\t", "Bob",    "because", "file.c"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_string_equal(load_with(&saved, find(&saved, lengths[i]) - 8, UINT64_MAX - 1, 8), bad_values);
        assert_string_equal(load_with(&saved, find(&saved, lengths[i]) - 8, saved.size, 8), bad_values);
    }
    assert_string_equal(load_with(&saved, find(&saved, "because") - 20, 2, 1), bad_values); // a fault, or none
    Actor *new = actor_new();
    saved.data[BLOCK] = (unsigned char)labelless.site;
    seal(saved.data, saved.size);
    assert_string_equal(load_buffer(new, &labelless, &saved), "its last frame has no such block");
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&saved);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// What lies in it as it lay in memory can only be read where memory looks the same.
static void another_machine_reads_what_is_portable(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer with = {0}, without = {0};
    chx_call(&old->self, &small);
    enter_and_save(old, &outer, &without);
    assert_null(load_with(&without, MACHINE, 0x04040402, 4));
    actor_free(old);
    old = actor_new();
    because = "of no block";
    Variables *v = chx_call(&old->self, &large);
    enter_and_save(old, &outer, &with);
    assert_null(load_with(&with, MACHINE, load_number(with.data + MACHINE, 4), 4));
    assert_string_equal(load_with(&with, MACHINE, 0x04040402, 4), "the variables of a frame can't be read");
    // Its mark and its size must be those of the type.
    v->either.i = 0x7a7b7c7d;
    buffer_restart(&with);
    snapshot_save(old, NULL, &with);
    size_t at = find(&with, "\x7d\x7c\x7b\x7a") - 9;
    assert_null(load_with(&with, at, 1, 1));
    assert_string_equal(load_with(&with, at, 0, 1), "the variables of a frame can't be read");
    assert_string_equal(load_with(&with, at + 1, 8, 8), "the variables of a frame can't be read");
    actor_free(old);
    chx_buffer_free(&with);
    chx_buffer_free(&without);
}

// In a snapshot that somebody has made up.
static void no_address_is_read(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer saved = {0};
    chx_writer writer = {.buffer = &saved};
    chx_call(&old->self, &large);
    enter_and_save(old, &outer, &saved);
    // Behind the mark and the size of the pointer come only the fault, which is none, and the checksum.
    enum { FRAME_SIZE_AT = ORDINALS + 4 + 8 + 4 + 4 + 8 };
    size_t mark = saved.size - 4 - 1 - 9, behind = mark + 9;
    assert_int_equal(load_number(saved.data + mark + 1, 8), sizeof(void *));
    chx_write_u64(&writer, 0);
    memmove(saved.data + behind + 8, saved.data + behind, saved.size - 8 - behind);
    memset(saved.data + behind, 0x5a, 8);
    saved.data[mark] = 1;
    store_number(saved.data + FRAME_SIZE_AT, load_number(saved.data + FRAME_SIZE_AT, 8) + 8, 8);
    assert_string_equal(load_with(&saved, BLOCK, outer.site, 4), "the variables of a frame can't be read");
    actor_free(old);
    chx_buffer_free(&saved);
}

static void no_address_is_in_it(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    for (const chx_frame *frame = old->self.top; frame != NULL; frame = frame->caller) {
        assert_null(memmem(first.data, first.size, &frame, sizeof frame));
        assert_null(memmem(second.data, second.size, &frame, sizeof frame));
    }
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_null(memmem(second.data, second.size, &functions[i], sizeof functions[i]));
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
}

// In a frame that is loaded again, when some of it is there already.
static void a_codec_that_fails_loses_nothing(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    size_t at = find(&second, "\x03\t\t\t\t"); // of the first frame
    second.data[at] = second.data[at + 1] = 7;
    Actor *new = actor_new();
    seal(second.data, second.size);
    assert_null(load_buffer(new, &outer, &first));
    assert_string_equal(load_buffer(new, &inner, &second), "it ended in the guard");
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// ---- faults, pointers ----

static void allocate_why(void *why)
{
    *(char **)why = chx_alloc(REPORT_WHY_SIZE);
}

static void the_longest_reason_comes_back(void **state)
{
    (void)state;
    Actor *old = actor_new(), *new = actor_new();
    chx_buffer saved = {0};
    Guard guard;
    char *why = NULL;
    guard_run(&guard, old, allocate_why, &why);
    memset(why, 'y', REPORT_WHY_SIZE - 1);
    Variables *v = chx_call(&old->self, &large);
    v->fault = (chx_fault){"Bob", CHX_FAULT_FAIL, 0, why, "file.c", 77};
    snapshot_save(old, NULL, &saved);
    assert_null(load_buffer(new, NULL, &saved));
    assert_string_equal(((Variables *)(void *)new->self.top)->fault.why, why);
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&saved);
}

// The variable of a rescue that is over.
static void a_fault_of_a_block_that_was_left_is_gone(void **state)
{
    (void)state;
    Actor *old = actor_new(), *new = actor_new();
    chx_buffer saved = {0};
    Variables *v = chx_call(&old->self, &large);
    char *why = strcpy(malloc(8), "because");
    v->fault = (chx_fault){"Bob", CHX_FAULT_SIGNAL, 11, why, "file.c", 77};
    free(why);
    snapshot_save(old, NULL, &saved);
    assert_null(load_buffer(new, NULL, &saved));
    v = (Variables *)(void *)new->self.top;
    assert_string_equal(v->fault.why, "");
    assert_string_equal(v->fault.role, "");
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&saved);
}

static void pointers_with_a_value_are_named(void **state)
{
    (void)state;
    Actor *actor = actor_new();
    Variables *v = chx_call(&actor->self, &large);
    assert_null(snapshot_unsendable(&v->head));
    v->either.i = 4;
    v->fault.role = "Bob";
    assert_null(snapshot_unsendable(&v->head));
    v->pointer = v;
    assert_string_equal(snapshot_unsendable(&v->head), "pointer");
    v->handle.pointer = v;
    assert_string_equal(snapshot_unsendable(&v->head), "handle");
    v->handle.pointer = NULL;
    actor_free(actor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(the_beginning_comes_back),
        cmocka_unit_test(a_snapshot_of_what_was_loaded_is_the_same),
        cmocka_unit_test(the_format_is_the_documented_one),
        cmocka_unit_test(checksums_are_those_of_others),
        cmocka_unit_test(cut_off_anywhere_it_is_refused),
        cmocka_unit_test(changed_anywhere_it_is_refused),
        cmocka_unit_test(what_is_not_the_roles_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(another_machine_reads_what_is_portable),
        cmocka_unit_test(no_address_is_read),
        cmocka_unit_test(no_address_is_in_it),
        cmocka_unit_test(a_codec_that_fails_loses_nothing),
        cmocka_unit_test(the_longest_reason_comes_back),
        cmocka_unit_test(a_fault_of_a_block_that_was_left_is_gone),
        cmocka_unit_test(pointers_with_a_value_are_named),
    };
    mixes.element = &process_fixture_mix;
    rows.element = &chx_type_double;
    matrix.element = &rows;
    bools.element = &chx_type_bool;
    process_fixture_init(&process_fixture);
    session.runtime = process_fixture.runtime;
    session.float_control = float_control();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    process_fixture_fini(&process_fixture);
    return failed;
}
