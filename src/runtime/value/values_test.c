// values_test.c: copies and releases; encoded forms there and back; what is malformed is refused without harm.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/value/siphash.h"

#include <chorex/generated.h>

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Encodes, decodes, encodes again: equal bytes. Every shorter input is refused, and so is a longer one.
static void round_trip(const chx_type *type, const void *value, size_t bytes)
{
    chx_buffer first = {0}, second = {0};
    unsigned char *copy = calloc(1, type->size);
    chx_encode(type, value, &first);
    if (bytes != 0)
        assert_int_equal(first.size, bytes);
    assert_true(chx_decode(type, copy, first.data, first.size));
    chx_encode(type, copy, &second);
    assert_int_equal(second.size, first.size);
    assert_memory_equal(first.data, second.data, first.size);
    chx_value_drop(type, copy);
    for (size_t size = 0; size < first.size; size++) {
        // In memory of exactly that size, so that a read past the end is seen.
        unsigned char *shorter = malloc(size + 1);
        memcpy(shorter + 1, first.data, size);
        assert_false(chx_decode(type, copy, shorter + 1, size));
        free(shorter);
    }
    chx_encode(&chx_type_char, "", &first);
    assert_false(chx_decode(type, copy, first.data, first.size));
    chx_buffer_free(&first);
    chx_buffer_free(&second);
    free(copy);
}

static void numbers_have_fixed_widths(void **state)
{
    (void)state;
    static const long longs[] = {0, 1, -1, LONG_MAX, LONG_MIN, 0x1234567890abcdef};
    static const double doubles[] = {0.0, -0.0, 1.5, -1e300, 5e-324};
    static const long double wides[] = {0.0L, -0.0L, 1.0L / 3, -1e4000L, 3.6e-4951L, 1e-4940L};
    for (size_t i = 0; i < 6; i++)
        round_trip(&chx_type_long, &longs[i], 8);
    for (size_t i = 0; i < 5; i++)
        round_trip(&chx_type_double, &doubles[i], 8);
    for (size_t i = 0; i < 6; i++)
        round_trip(&chx_type_long_double, &wides[i], 10);
    int integer = -2;
    chx_buffer buffer = {0};
    chx_encode(&chx_type_int, &integer, &buffer);
    assert_memory_equal(buffer.data, "\xfe\xff\xff\xff", 4);
    chx_buffer_free(&buffer);
    __extension__ unsigned __int128 huge = ((unsigned __int128)0x1234 << 100) + 5;
    round_trip(&chx_type_unsigned_int128, &huge, 16);
    round_trip(&chx_type_int128, &huge, 16);
    double complex number = 1.5 - 2.5 * I;
    static const chx_type complex_type = {.kind = CHX_KIND_COMPLEX, .size = sizeof number, .wire = 16};
    round_trip(&complex_type, &number, 16);
    long double infinite[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < 3; i++)
        round_trip(&chx_type_long_double, &infinite[i], 10);
    char letter = -3;
    round_trip(&chx_type_char, &letter, 1);
    float small = 0.1f;
    round_trip(&chx_type_float, &small, 4);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    // As a `long` of 32 bits, or an enum in one byte, on another machine.
    static const chx_type narrow = {.kind = CHX_KIND_SIGNED, .size = 4, .wire = 8};
    static const chx_type narrow_unsigned = {.kind = CHX_KIND_UNSIGNED, .size = 1, .wire = 8};
    int64_t in_range = INT32_MIN, too_large = (int64_t)INT32_MAX + 1, negative = -1, byte = 255;
    int32_t value;
    uint8_t small;
    assert_true(chx_decode(&narrow, &value, &in_range, 8));
    assert_int_equal(value, INT32_MIN);
    assert_false(chx_decode(&narrow, &value, &too_large, 8));
    assert_true(chx_decode(&narrow, &value, &negative, 8));
    assert_int_equal(value, -1);
    assert_true(chx_decode(&narrow_unsigned, &small, &byte, 8));
    assert_int_equal(small, 255);
    assert_false(chx_decode(&narrow_unsigned, &small, &negative, 8));
    bool truth;
    assert_true(chx_decode(&chx_type_bool, &truth, "\1", 1));
    assert_true(truth);
    assert_false(chx_decode(&chx_type_bool, &truth, "\2", 1));
    long double number;
    assert_false(chx_decode(&chx_type_long_double, &number, "\0\0\0\0\0\0\0\0\xff\x3f", 10));
}

static void strings_travel_with_their_length(void **state)
{
    (void)state;
    const char *string = "hello", *empty = "", *null = NULL;
    round_trip(&chx_type_cstring, &string, 13);
    round_trip(&chx_type_cstring, &empty, 8);
    round_trip(&chx_type_cstring, &null, 8);
    chx_str counted = chx_str_new("a\0b", 3), nothing = {NULL};
    round_trip(&chx_type_str, &counted, 11);
    round_trip(&chx_type_str, &nothing, 8);
    assert_int_equal(chx_str_len(counted), 3);
    assert_string_equal(chx_cstr(nothing), "");
    chx_str_drop(counted);
    chx_bytes bytes = chx_bytes_new("xyz", 3);
    round_trip(&chx_type_bytes, &bytes, 11);
    chx_bytes_drop(bytes);

    // Lengths that no input can have; a C string with a NUL in it.
    assert_false(chx_decode(&chx_type_str, &counted, "\xff\xff\xff\xff\xff\xff\xff\xff", 8));
    assert_false(chx_decode(&chx_type_str, &counted, "\xff\xff\xff\xff\xff\xff\xff\x7f", 8));
    assert_false(chx_decode(&chx_type_cstring, &string, "\xff\xff\xff\xff\xff\xff\xff\xff", 8));
    assert_false(chx_decode(&chx_type_cstring, &string, "\3\0\0\0\0\0\0\0a\0", 10));
}

static void strings_are_equal_as_a_whole(void **state)
{
    (void)state;
    static const char *const words[] = {"", "a", "ab", "abc", "abd"};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++) {
            chx_str one = chx_str_new(words[i], strlen(words[i])), other = chx_strf("%s", words[k]);
            assert_int_equal(chx_str_equal(one, other), i == k);
            assert_int_equal(chx_bytes_equal((chx_bytes){one.text}, (chx_bytes){other.text}), i == k);
            assert_int_equal(chx_cstring_equal(words[i], chx_cstr(other)), i == k);
            chx_str_drop(one);
            chx_str_drop(other);
        }
        assert_false(chx_cstring_equal(words[i], NULL) || chx_cstring_equal(NULL, words[i]));
    }
    assert_true(chx_cstring_equal(NULL, NULL));
}

static void long_strings_are_formatted(void **state)
{
    (void)state;
    for (int size = 250; size < 260; size++) {
        chx_str padded = chx_strf("%*d", size, 7);
        assert_int_equal(chx_str_len(padded), size);
        assert_int_equal(chx_cstr(padded)[size - 1], '7');
        assert_int_equal(chx_cstr(padded)[size], '\0');
        chx_str_drop(padded);
    }
    chx_str string = chx_strf("%*d", 1000, 7);
    assert_int_equal(chx_str_len(string), 1000);
    assert_int_equal(chx_cstr(string)[999], '7');
    chx_str same = chx_str_keep(string);
    chx_str_drop(string);
    assert_int_equal(chx_cstr(same)[0], ' ');
    chx_str_drop(same);
    assert_true(chx_cstring_equal(NULL, NULL));
    assert_false(chx_cstring_equal(NULL, ""));
    assert_true(chx_str_equal((chx_str){NULL}, (chx_str){NULL}));
}

// ---- structs, arrays, codecs, bit-fields ----

typedef struct {
    char *name;
    int weight;
} Thing;

static int things;

static Thing thing_make(const char *name, int weight)
{
    things++;
    return (Thing){strdup(name), weight};
}

static void thing_encode(chx_writer *writer, const void *value)
{
    const Thing *thing = value;
    chx_write_u64(writer, strlen(thing->name));
    chx_write(writer, thing->name, strlen(thing->name));
    chx_write_u64(writer, (uint64_t)thing->weight);
}

static bool thing_decode(chx_reader *reader, void *value)
{
    Thing *thing = value;
    uint64_t size, weight;
    if (!chx_read_u64(reader, &size))
        return false;
    const char *name = chx_read_view(reader, size);
    if (name == NULL || !chx_read_u64(reader, &weight))
        return false;
    thing->name = strndup(name, size);
    thing->weight = (int)weight;
    things++;
    return true;
}

static void thing_drop(void *value)
{
    free(((Thing *)value)->name);
    things--;
}

CHX_CODEC(Thing, thing_encode, thing_decode, thing_drop);
static const chx_codec thing_codec = {thing_encode, thing_decode, thing_drop};
static const chx_type thing_type = {
    .kind = CHX_KIND_CODEC, .owning = true, .size = sizeof(Thing), .name = "Thing", .codec = &thing_codec};

typedef struct {
    unsigned low : 3;
    unsigned high : 5;
    chx_str label;
} Packed;

typedef struct {
    unsigned low, high;
    chx_str label;
} Unpacked;

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

static const chx_field unpacked_fields[] = {
    {"low", offsetof(Unpacked, low), &chx_type_unsigned_int},
    {"high", offsetof(Unpacked, high), &chx_type_unsigned_int},
    {"label", offsetof(Unpacked, label), &chx_type_str},
};
static const chx_type unpacked_type = {
    .kind = CHX_KIND_STRUCT, .owning = true, .size = sizeof(Unpacked), .fields = unpacked_fields, .count = 3};
static const chx_type packed_type = {.kind = CHX_KIND_SHADOW,
                                     .owning = true,
                                     .size = sizeof(Packed),
                                     .element = &unpacked_type,
                                     .pack = packed_pack,
                                     .unpack = packed_unpack};

typedef struct {
    const char *title;
    Thing things[2];
    Packed packed;
    short numbers[3];
} Everything;

static const chx_type things_type = {
    .kind = CHX_KIND_ARRAY, .owning = true, .size = 2 * sizeof(Thing), .element = &thing_type, .count = 2};
static const chx_type numbers_type = {
    .kind = CHX_KIND_ARRAY, .size = 3 * sizeof(short), .element = &chx_type_short, .count = 3};
static const chx_field everything_fields[] = {
    {"title", offsetof(Everything, title), &chx_type_cstring},
    {"things", offsetof(Everything, things), &things_type},
    {"packed", offsetof(Everything, packed), &packed_type},
    {"numbers", offsetof(Everything, numbers), &numbers_type},
};
static const chx_type everything_type = {
    .kind = CHX_KIND_STRUCT, .owning = true, .size = sizeof(Everything), .fields = everything_fields, .count = 4};

static void structs_are_copied_and_released_whole(void **state)
{
    (void)state;
    Everything everything = {.title = "all", .packed = {.low = 5, .high = 17}, .numbers = {1, -2, 3}}, copy, zero;
    everything.things[0] = thing_make("stone", 12);
    everything.things[1] = thing_make("feather", 0);
    everything.packed.label = chx_str_new("label", 5);
    round_trip(&everything_type, &everything, 0);
    chx_value_copy(&everything_type, &copy, &everything);
    assert_string_equal(copy.things[1].name, "feather");
    assert_int_equal(copy.packed.high, 17);
    assert_ptr_not_equal(copy.title, everything.title);
    // A value that is a part of the variable it is assigned to.
    chx_set(&thing_type, &copy.things[0], &copy.things[0]);
    assert_string_equal(copy.things[0].name, "stone");
    Thing moved = thing_make("moved", 1);
    chx_set_moved(&thing_type, &copy.things[0], &moved);
    assert_string_equal(copy.things[0].name, "moved");
    assert_null(moved.name);
    chx_set(&everything_type, &copy, &copy);
    chx_value_drop(&everything_type, &copy);
    memset(&zero, 0, sizeof zero);
    assert_memory_equal(&copy, &zero, sizeof zero);
    round_trip(&everything_type, &zero, 0); // no value that a codec knows of
    chx_value_drop(&everything_type, &copy);
    chx_value_copy(&everything_type, &copy, &zero);
    chx_value_drop(&everything_type, &copy);
    everything.title = NULL;
    chx_value_drop(&everything_type, &everything);
    assert_int_equal(things, 0);
}

typedef struct {
    const char *text;
    char rest[300];
} Large;

// Larger than what is assigned by way of the stack.
static void large_variables_are_assigned(void **state)
{
    (void)state;
    static const chx_field fields[] = {{"text", offsetof(Large, text), &chx_type_cstring}};
    static const chx_type type = {
        .kind = CHX_KIND_STRUCT, .owning = true, .size = sizeof(Large), .name = "Large", .fields = fields, .count = 1};
    Large from = {.text = "text"}, to = {0};
    memset(from.rest, 'x', sizeof from.rest);
    chx_set(&type, &to, &from);
    chx_set(&type, &to, &to);
    assert_string_equal(to.text, "text");
    assert_memory_equal(to.rest, from.rest, sizeof from.rest);
    chx_value_drop(&type, &to);
}

static void variables_are_assigned(void **state)
{
    (void)state;
    const char *text = NULL;
    chx_set_cstring(&text, "first");
    chx_set_cstring(&text, text + 1);
    assert_string_equal(text, "irst");
    chx_set_cstring(&text, NULL);
    assert_null(text);
    chx_str string = {NULL}, made = chx_strf("made");
    chx_set_str(&string, made);
    chx_str_drop(made);
    chx_set_str(&string, string);
    assert_string_equal(chx_cstr(string), "made");
    chx_set_str(&string, (chx_str){NULL});
}

// Random damage: never out of bounds, never a leak (the sanitizers say so), never a partly owned value.
static void damaged_input_does_no_harm(void **state)
{
    (void)state;
    Everything everything = {.title = "all", .numbers = {1, -2, 3}}, copy;
    everything.things[0] = thing_make("stone", 12);
    everything.things[1] = thing_make("feather", 0);
    chx_buffer buffer = {0};
    chx_encode(&everything_type, &everything, &buffer);
    unsigned seed = 1;
    int accepted = 0;
    for (int i = 0; i < 20000; i++) {
        unsigned char *damaged = malloc(buffer.size);
        memcpy(damaged, buffer.data, buffer.size);
        for (int j = 0; j < 3; j++) {
            seed = seed * 1103515245 + 12345;
            damaged[(seed >> 8) % buffer.size] = (unsigned char)(seed >> 24);
        }
        if (chx_decode(&everything_type, &copy, damaged, buffer.size)) {
            accepted++;
            chx_value_drop(&everything_type, &copy);
        }
        free(damaged);
    }
    assert_true(accepted > 0);
    chx_buffer_free(&buffer);
    everything.title = NULL;
    chx_value_drop(&everything_type, &everything);
    assert_int_equal(things, 0);
}

// ---- arrays ----

typedef struct {
    int x, y[2];
    float z;
} Dense;
typedef struct {
    int x;
    double z; // there may be a gap before it
} Sparse;

// The bytes of an array are those of its elements, whatever way they are written in.
static void check_array(const chx_type *element, const void *values, size_t count, size_t encoded_size)
{
    chx_type array = {
        .kind = CHX_KIND_ARRAY, .size = element->size * count, .name = "array", .element = element, .count = count};
    chx_buffer whole = {0}, parts = {0};
    chx_encode(&array, values, &whole);
    for (size_t i = 0; i < count; i++)
        chx_encode(element, (const char *)values + i * element->size, &parts);
    assert_int_equal(parts.size, encoded_size);
    assert_int_equal(whole.size, parts.size);
    assert_memory_equal(whole.data, parts.data, parts.size);
    void *decoded = malloc(array.size);
    for (size_t size = 0; size < whole.size; size++)
        assert_false(chx_decode(&array, decoded, whole.data, size));
    assert_true(chx_decode(&array, decoded, whole.data, whole.size));
    parts.size = 0;
    chx_encode(&array, decoded, &parts);
    assert_memory_equal(whole.data, parts.data, whole.size);
    free(decoded);
    chx_buffer_free(&whole);
    chx_buffer_free(&parts);
}

static void arrays_are_their_elements(void **state)
{
    (void)state;
    static const chx_type two = {
        .kind = CHX_KIND_ARRAY, .size = 2 * sizeof(int), .name = "int[2]", .element = &chx_type_int, .count = 2};
    static const chx_field dense_fields[] = {{"x", offsetof(Dense, x), &chx_type_int},
                                             {"y", offsetof(Dense, y), &two},
                                             {"z", offsetof(Dense, z), &chx_type_float}};
    static const chx_type dense = {
        .kind = CHX_KIND_STRUCT, .size = sizeof(Dense), .name = "Dense", .fields = dense_fields, .count = 3};
    static const chx_field sparse_fields[] = {{"x", offsetof(Sparse, x), &chx_type_int},
                                              {"z", offsetof(Sparse, z), &chx_type_double}};
    static const chx_type sparse = {
        .kind = CHX_KIND_STRUCT, .size = sizeof(Sparse), .name = "Sparse", .fields = sparse_fields, .count = 2};
    // Its encoded form is larger than it is.
    static const chx_type number = {.kind = CHX_KIND_SIGNED, .wire = 8, .size = sizeof(int), .name = "enum"};
    Dense denses[3] = {{1, {2, 3}, 0.5f}, {-4, {-5, 6}, -1.5f}, {INT32_MIN, {0, INT32_MAX}, 1e30f}};
    Sparse sparses[2];
    memset(sparses, 0x55, sizeof sparses);
    sparses[0].x = -7;
    sparses[1].z = 0.25;
    bool flags[3] = {true, false, true};
    check_array(&dense, denses, 3, 3 * 16);
    check_array(&sparse, sparses, 2, 2 * 12);
    check_array(&two, denses, 6, 6 * 8);
    check_array(&number, denses, 12, 12 * 8);
    check_array(&chx_type_bool, flags, 3, 3);
    check_array(&chx_type_short, denses, 24, 24 * 2);
}

// Those of the hash's authors: the key is 00 01 .. 0f, the input 00 01 02 .. .
static void the_keyed_hash_is_siphash(void **state)
{
    (void)state;
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const struct {
        size_t size;
        uint64_t hash[2];
    } expected[] = {
        {0, {0xe6a825ba047f81a3u, 0x930255c71472f66du}},
        {1, {0x44af996bd8c187dau, 0x45fc229b11597634u}},
        {63, {0x4a83502f77d15051u, 0x7cbd3f979a063e50u}},
    };
    unsigned char input[64];
    for (size_t i = 0; i < sizeof input; i++)
        input[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint64_t hash[2];
        siphash(key, input, expected[i].size, hash);
        assert_memory_equal(hash, expected[i].hash, sizeof hash);
    }
}

static void what_roles_agree_by_travels(void **state)
{
    (void)state;
    chx_agreement agreement = {1, {2, UINT64_MAX}};
    round_trip(&chx_type_agreement, &agreement, 24);
}

static void arrays_over_families_know_how_many_they_are(void **state)
{
    (void)state;
    static const chx_type numbers = {
        .kind = CHX_KIND_SEQUENCE, .owning = true, .size = sizeof(int *), .name = "", .element = &chx_type_int};
    static const chx_type texts = {
        .kind = CHX_KIND_SEQUENCE, .owning = true, .size = sizeof(chx_str *), .name = "", .element = &chx_type_str};
    int *three = NULL, *none = NULL, *copy;
    chx_str *two = NULL, *others;
    chx_sequence_new(&numbers, &three, 3);
    assert_true(three[0] == 0 && three[2] == 0);
    three[1] = 7;
    round_trip(&numbers, &three, 8 + 3 * 4);
    round_trip(&numbers, &none, 8);
    chx_value_copy(&numbers, &copy, &three);
    assert_true(copy != three && copy[1] == 7);
    copy[1] = 8;
    assert_int_equal(three[1], 7);
    chx_sequence_new(&texts, &two, 2);
    two[1] = chx_strf("%d", 5);
    round_trip(&texts, &two, 0);
    chx_value_copy(&texts, &others, &two);
    chx_value_drop(&texts, &two);
    assert_null(two);
    assert_string_equal(chx_cstr(others[1]), "5");
    chx_sequence_new(&texts, &others, 0); // in place of what it was
    round_trip(&texts, &others, 8);
    // More elements than there are bytes.
    unsigned char many[8] = {0xff, 0xff, 0xff, 0xff, 0xff};
    int *wrong;
    assert_false(chx_decode(&numbers, &wrong, many, sizeof many));
    chx_value_drop(&texts, &others);
    chx_value_drop(&numbers, &copy);
    chx_value_drop(&numbers, &three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_fixed_widths),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(strings_travel_with_their_length),
        cmocka_unit_test(long_strings_are_formatted),
        cmocka_unit_test(structs_are_copied_and_released_whole),
        cmocka_unit_test(variables_are_assigned),
        cmocka_unit_test(large_variables_are_assigned),
        cmocka_unit_test(strings_are_equal_as_a_whole),
        cmocka_unit_test(damaged_input_does_no_harm),
        cmocka_unit_test(arrays_are_their_elements),
        cmocka_unit_test(the_keyed_hash_is_siphash),
        cmocka_unit_test(what_roles_agree_by_travels),
        cmocka_unit_test(arrays_over_families_know_how_many_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
