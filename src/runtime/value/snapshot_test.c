// snapshot_test.c: frames with all kinds of variables, saved and loaded as another process would; what can't be a saved frame.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/value/codec.h"
#include "runtime/session/session.h"
#include "runtime/value/snapshot.h"
#include "runtime/isolation/process_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    chx_frame head;
    chx_str chx_result;
    bool flag;
    char letter;
    int number;
    long double real;
    const char *text;
    chx_str string;
    chx_bytes bytes;
    ProcessFixtureMix mix[2];
    double numbers[3];
    union {
        int i;
        float f;
    } either;
    void *pointer;
    chx_fault fault;
} Variables;

static const chx_type mixes = {.kind = CHX_KIND_ARRAY,
                               .owning = true,
                               .size = 2 * sizeof(ProcessFixtureMix),
                               .name = "mixes",
                               .count = 2,
                               .element = &process_fixture_mix};
static const chx_type doubles = {
    .kind = CHX_KIND_ARRAY, .size = 3 * sizeof(double), .name = "doubles", .count = 3, .element = &chx_type_double};
static const chx_type union_of_numbers = {.kind = CHX_KIND_OPAQUE, .wire = 1, .size = sizeof(int), .name = "union"};
static const chx_type address = {.kind = CHX_KIND_OPAQUE, .size = sizeof(void *), .name = "void *"};

#define VARIABLE(name, type)                                                                                           \
    {                                                                                                                  \
#name, offsetof(Variables, name), type                                                                         \
    }
static const chx_variable variables[] = {
    // Those that own something come first.
    VARIABLE(text, &chx_type_cstring), VARIABLE(string, &chx_type_str),
    VARIABLE(bytes, &chx_type_bytes),  VARIABLE(mix, &mixes),
    VARIABLE(flag, &chx_type_bool),    VARIABLE(letter, &chx_type_char),
    VARIABLE(number, &chx_type_int),   VARIABLE(real, &chx_type_long_double),
    VARIABLE(numbers, &doubles),       VARIABLE(either, &union_of_numbers),
    VARIABLE(pointer, &address),       VARIABLE(fault, &chx_type_fault),
};
enum { COUNT = sizeof variables / sizeof *variables };
static const chx_function function = {.name = "f",
                                      .frame_size = sizeof(Variables),
                                      .result = &chx_type_str,
                                      .variables = variables,
                                      .variable_count = COUNT,
                                      .owned_count = 4};
static const chx_function twin = {.name = "h",
                                  .frame_size = sizeof(Variables),
                                  .result = &chx_type_str,
                                  .variables = variables,
                                  .variable_count = COUNT,
                                  .owned_count = 4};
static const chx_function small = {.name = "g", .frame_size = sizeof(chx_frame)};
static const chx_role role = {.role = "R", .name = "R"};

static ProcessFixture process_fixture;
static Session session;

static Actor *actor_new(void)
{
    Actor *actor = calloc(1, sizeof *actor);
    actor->session = &session;
    actor->role = &role;
    stack_init(actor, calloc(1, sizeof(Chunk) + STACK_FIRST_BYTES), STACK_FIRST_BYTES);
    return actor;
}

static void actor_free(Actor *actor)
{
    actor_unwind(actor);
    Chunk *chunk = actor->chunk;
    while (chunk->previous != NULL)
        chunk = chunk->previous;
    actor_fini(actor);
    free(chunk);
    free(actor);
}

typedef struct {
    Actor *actor;
    const void *data;
    size_t size;
    bool is_good;
} Loading;

static void load_guarded(void *closure)
{
    Loading *loading = closure;
    loading->is_good = snapshot_load(loading->actor, loading->data, loading->size);
}

// As a new process does it.
static bool load(Actor *actor, const void *data, size_t size)
{
    Guard guard;
    Loading loading = {actor, data, size, false};
    guard_run(&guard, actor, load_guarded, &loading);
    return loading.is_good;
}

static ProcessFixtureBlob blob(unsigned char length, unsigned char fill)
{
    ProcessFixtureBlob made = {length, fill, malloc(length + 1u)};
    memset(made.memory, fill, length);
    process_fixture_blobs++;
    return made;
}

static const char *because; // a string of the block that the role is in

static void fill(Variables *v, int seed)
{
    v->head.at = (uint32_t)seed + 3;
    v->head.borrows = 1;
    v->flag = true;
    v->letter = 'x';
    v->number = seed;
    v->real = 1.25L + seed;
    chx_set_cstring(&v->text, "text");
    v->string = chx_str_new("str\0ing", 7);
    v->bytes = chx_bytes_new("\0\1\2", 3);
    v->mix[0] = (ProcessFixtureMix){true, (short)-seed, NULL, blob(3, 9)};
    chx_set_cstring(&v->mix[0].text, "inside");
    v->numbers[2] = -0.5;
    v->either.f = 2.5f;
    v->pointer = v;
    v->fault = (chx_fault){"Bob", CHX_FAULT_SIGNAL, 11, because, "file.c", 77};
    v->chx_result = chx_str_new("never", 5);
}

static void check(const Variables *v, int seed)
{
    assert_ptr_equal(v->head.function, &function);
    assert_int_equal(v->head.at, seed + 3);
    assert_int_equal(v->head.borrows, 0); // what it has now is its own
    assert_true(v->flag && v->letter == 'x' && v->number == seed && v->real == 1.25L + seed);
    assert_string_equal(v->text, "text");
    assert_int_equal(chx_str_len(v->string), 7);
    assert_memory_equal(chx_cstr(v->string), "str\0ing", 7);
    assert_int_equal(chx_bytes_len(v->bytes), 3);
    assert_int_equal(v->mix[0].number, -seed);
    assert_string_equal(v->mix[0].text, "inside");
    assert_int_equal(v->mix[0].blob.length, 3);
    assert_memory_equal(v->mix[0].blob.memory, "\t\t\t", 3);
    assert_null(v->mix[1].text);
    assert_true(v->numbers[2] == -0.5 && v->either.f == 2.5f);
    // An address means nothing there, and a result is no variable.
    assert_null(v->pointer);
    assert_null(v->chx_result.text);
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

// Two pieces: the frames up to the outer block's, then from there to the inner block's.
static void save_two(Actor *actor, chx_buffer *first, chx_buffer *second)
{
    Guard guard;
    guard_run(&guard, actor, say_why, NULL);
    chx_call(&actor->self, &small);
    Variables *outer = chx_call(&actor->self, &function);
    // Strings made outside of roles belong to the test.
    fill(outer, 1);
    snapshot_save(actor, NULL, first);
    outer->number = 2;
    outer->mix[0].number = -2;
    outer->real = 3.25L;
    outer->head.at = 5;
    for (int i = 0; i < 200; i++)
        chx_call(&actor->self, &small);
    fill(chx_call(&actor->self, &function), 7);
    snapshot_save(actor, &outer->head, second);
}

static void frames_come_back(void **state)
{
    (void)state;
    Actor *old = actor_new(), *new = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    assert_true(load(new, first.data, first.size));
    check((Variables *)(void *)new->self.top, 1);
    assert_ptr_equal(new->self.top->caller->function, &small);
    assert_null(new->self.top->caller->caller);
    assert_true(load(new, second.data, second.size));
    check((Variables *)(void *)new->self.top, 7);
    const chx_frame *frame = new->self.top;
    for (int i = 0; i < 201; i++)
        frame = frame->caller;
    check((const Variables *)(const void *)frame, 2);
    // The second piece does not fit without the first.
    Actor *other = actor_new();
    chx_call(&other->self, &small);
    assert_false(load(other, second.data, second.size));
    actor_free(other);
    // Nor with another function's frame there, even if that looks the same.
    other = actor_new();
    chx_call(&other->self, &twin);
    assert_false(load(other, second.data, second.size));
    actor_free(other);
    actor_free(new);
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// Where the first piece says which functions its two frames are of.
static bool is_function(size_t at)
{
    return (at >= 8 && at < 16) || (at >= 32 && at < 40);
}

// Cut off or changed anywhere: refused, or read as something else, but without harm. (Another function in the same program
// may be taken for the right one: a process that has saved nonsense harms only the next one in its place.)
static void what_was_not_saved_is_refused(void **state)
{
    (void)state;
    Actor *old = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    chx_buffer *pieces[] = {&first, &second};
    for (int piece = 0; piece < 2; piece++) {
        for (size_t i = 0; i < pieces[piece]->size; i += piece == 0 ? 1 : 13) {
            for (int way = 0; way < (piece == 0 && !is_function(i) ? 2 : 1); way++) {
                Actor *new = actor_new();
                // Memory of its own, so that a sanitizer sees a step beyond it.
                size_t size = way == 0 ? i : pieces[piece]->size;
                unsigned char *copy = malloc(size + (size == 0));
                memcpy(copy, pieces[piece]->data, size);
                if (way == 1)
                    copy[i] ^= 0xff;
                assert_true(!load(new, copy, size) || way == 1);
                free(copy);
                actor_free(new);
            }
        }
    }
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

// Changed so that only one check can see it.
static void what_does_not_fit_exactly_is_refused(void **state)
{
    (void)state;
    enum { LONGER, NO_FRAMES, FRAME_SIZE, UNENDED, CASES };
    Actor *old = actor_new();
    chx_buffer first = {0}, second = {0};
    save_two(old, &first, &second);
    // No address of this process is in it.
    const void *address = old->self.top;
    while (((const chx_frame *)address)->function != &function || ((const Variables *)address)->number != 2)
        address = ((const chx_frame *)address)->caller;
    assert_null(memmem(first.data, first.size, &address, sizeof address));
    for (int what = LONGER; what < CASES; what++) {
        size_t size = first.size + (what == LONGER);
        unsigned char *copy = calloc(1, size);
        memcpy(copy, first.data, first.size);
        if (what == NO_FRAMES)
            memset(copy, 0, size = sizeof(uint64_t));
        else if (what == FRAME_SIZE)
            copy[24]++; // the first frame's, after how many there are, its function, and where it is
        else if (what == UNENDED)
            ((unsigned char *)memmem(copy, size, "because", 8))[7] = '!';
        Actor *new = actor_new();
        assert_false(load(new, copy, size));
        actor_free(new);
        free(copy);
    }
    actor_free(old);
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    assert_int_equal(process_fixture_blobs, 0);
}

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
    Variables *v = chx_call(&old->self, &function);
    v->fault = (chx_fault){"Bob", CHX_FAULT_FAIL, 0, why, "file.c", 77};
    snapshot_save(old, NULL, &saved);
    assert_true(load(new, saved.data, saved.size));
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
    Variables *v = chx_call(&old->self, &function);
    char *why = strcpy(malloc(8), "because");
    v->fault = (chx_fault){"Bob", CHX_FAULT_SIGNAL, 11, why, "file.c", 77};
    free(why);
    snapshot_save(old, NULL, &saved);
    assert_true(load(new, saved.data, saved.size));
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
    Variables *v = chx_call(&actor->self, &function);
    assert_null(snapshot_unsendable(&v->head));
    v->either.i = 4;
    v->fault.role = "Bob";
    assert_null(snapshot_unsendable(&v->head));
    v->pointer = v;
    assert_string_equal(snapshot_unsendable(&v->head), "pointer");
    actor_free(actor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(what_was_not_saved_is_refused),
        cmocka_unit_test(what_does_not_fit_exactly_is_refused),
        cmocka_unit_test(the_longest_reason_comes_back),
        cmocka_unit_test(a_fault_of_a_block_that_was_left_is_gone),
        cmocka_unit_test(pointers_with_a_value_are_named),
    };
    process_fixture_init(&process_fixture);
    session.runtime = process_fixture.runtime;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    process_fixture_fini(&process_fixture);
    return failed;
}
