// wire_test.c: frames at random are read as they were written, broken ones are refused, and the format stays as it is.

#include "net/wire/describe.h"
#include "net/wire/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// Bytes in memory of exactly their size: a sanitizer sees a step beyond them.
static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

static bool fields_are_equal(const WireShape *shape, const void *left, const void *right);

static bool lists_are_equal(WireItem item, WireList left, WireList right)
{
    _Alignas(16) unsigned char one[256], other[256];
    if (left.count != right.count || left.size != right.size)
        return false;
    while (wire_next(&left, item, one))
        if (!wire_next(&right, item, other) || !fields_are_equal(wire_item_shape(item), one, other))
            return false;
    return left.size == 0 && right.count == 0;
}

static bool fields_are_equal(const WireShape *shape, const void *left, const void *right)
{
    static const size_t sizes[] = {[WIRE_TYPE_BOOL] = 1, [WIRE_TYPE_U8] = 1,  [WIRE_TYPE_U16] = 2,
                                   [WIRE_TYPE_U32] = 4,  [WIRE_TYPE_U64] = 8, [WIRE_TYPE_ID] = 16};
    for (uint32_t i = 0; i < shape->count; i++) {
        const WireField *field = &shape->fields[i];
        const void *a = (const char *)left + field->at, *b = (const char *)right + field->at;
        const WireSpan *x = a, *y = b;
        if (field->type <= WIRE_TYPE_ID) {
            if (memcmp(a, b, sizes[field->type]) != 0)
                return false;
        } else if (field->type == WIRE_TYPE_LIST) {
            if (!lists_are_equal(field->item, *(const WireList *)a, *(const WireList *)b))
                return false;
        } else if (x->size != y->size || (x->size > 0 && memcmp(x->data, y->data, x->size) != 0)) {
            return false;
        }
    }
    return true;
}

// What can be decoded can be encoded again, and gives the same bytes: there is one encoding of everything.
static void assert_canonical(const WireRaw *raw, const WireFrame *frame, const uint8_t *bytes)
{
    WireBuffer again = {0};
    assert_true(wire_encode(&again, raw->kind, raw->number, &frame->hello));
    assert_int_equal(again.size, raw->size);
    assert_memory_equal(again.data, bytes, raw->size);
    wire_buffer_fini(&again);
}

// Whatever the bytes are: they are a frame, the beginning of one, or refused.
static WireVerdict try_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = exact_copy(bytes, size);
    WireRaw raw;
    WireVerdict verdict;
    WireFrame frame;
    WireSplit split = wire_split(copy, size, &raw, &verdict);
    if (split == WIRE_MORE) {
        assert_true(raw.size > size && raw.size <= WIRE_FRAME_MAX);
        verdict = WIRE_GOOD;
    } else if (split == WIRE_WHOLE) {
        assert_true(raw.size <= size);
        verdict = wire_decode(&raw, &frame);
        if (verdict == WIRE_GOOD)
            assert_canonical(&raw, &frame, copy);
    } else {
        assert_int_not_equal(verdict, WIRE_GOOD);
    }
    free(copy);
    return verdict;
}

static void random_frames_are_read_as_they_were_written(void **state)
{
    (void)state;
    WireRandom random = {.state = 1};
    WireBuffer buffer = {0};
    for (int i = 0; i < 20000; i++) {
        WireKind kind = wire_random_kind(&random);
        WireFrame made, read;
        wire_random_frame(&random, kind, i % 3 == 0 ? 400 : 20, 4, &made.hello);
        uint64_t number = wire_is_numbered(kind) ? 1 + wire_random(&random, UINT64_MAX) : 0;
        buffer.size = 0;
        assert_true(wire_encode(&buffer, kind, number, &made.hello));
        uint8_t *copy = exact_copy(buffer.data, buffer.size);
        WireRaw raw;
        WireVerdict verdict;
        assert_int_equal(wire_split(copy, buffer.size, &raw, &verdict), WIRE_WHOLE);
        assert_int_equal(raw.kind, kind);
        assert_true(raw.number == number && raw.size == buffer.size);
        assert_int_equal(wire_decode(&raw, &read), WIRE_GOOD);
        assert_true(fields_are_equal(wire_shape(kind), &made.hello, &read.hello));
        free(copy);
    }
    wire_buffer_fini(&buffer);
    wire_random_fini(&random);
}

static void parts_of_a_body_make_up_the_whole(void **state)
{
    (void)state;
    WireRandom random = {.state = 5};
    for (int i = 0; i < 5000; i++) {
        WireKind kind = wire_random_kind(&random);
        WireFrame made;
        wire_random_frame(&random, kind, i % 3 == 0 ? 400 : 20, 4, &made.hello);
        size_t size = wire_body_size(kind, &made.hello);
        uint8_t *whole = malloc(size), *part = malloc(size);
        wire_write_body(whole, kind, &made.hello);
        for (size_t at = 0, count; at < size; at += count) {
            count = 1 + wire_random(&random, size - at);
            uint8_t *exact = malloc(count);
            wire_write_part(exact, kind, &made.hello, at, count);
            memcpy(part + at, exact, count);
            free(exact);
        }
        assert_memory_equal(part, whole, size);
        free(part);
        free(whole);
    }
    wire_random_fini(&random);
}

static void the_beginning_of_a_frame_is_never_taken_for_one(void **state)
{
    (void)state;
    WireRandom random = {.state = 2};
    WireBuffer buffer = {0};
    for (int i = 0; i < 400; i++) {
        WireKind kind = wire_random_kind(&random);
        WireFrame made;
        wire_random_frame(&random, kind, 30, 3, &made.hello);
        buffer.size = 0;
        assert_true(wire_encode(&buffer, kind, 7, &made.hello));
        for (size_t size = 0; size < buffer.size; size++) {
            uint8_t *copy = exact_copy(buffer.data, size);
            WireRaw raw;
            WireVerdict verdict;
            assert_int_equal(wire_split(copy, size, &raw, &verdict), WIRE_MORE);
            assert_true(raw.size > size && raw.size <= buffer.size);
            free(copy);
        }
        // A body that lacks its end is refused; so is one with something behind it.
        size_t head = wire_is_numbered(kind) ? WIRE_HEAD_NUMBERED : WIRE_HEAD;
        for (size_t size = head; size < buffer.size; size++) {
            uint8_t *copy = exact_copy(buffer.data + head, size - head);
            assert_int_not_equal(wire_decode_body(kind, (WireSpan){copy, size - head}, &made.hello), WIRE_GOOD);
            free(copy);
        }
        uint8_t *longer = malloc(buffer.size + 1);
        memcpy(longer, buffer.data, buffer.size);
        longer[buffer.size] = 0;
        assert_int_not_equal(wire_decode_body(kind, (WireSpan){longer + head, buffer.size + 1 - head}, &made.hello),
                             WIRE_GOOD);
        free(longer);
    }
    wire_buffer_fini(&buffer);
    wire_random_fini(&random);
}

static void a_changed_byte_gives_a_frame_or_is_refused(void **state)
{
    (void)state;
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    WireRandom random = {.state = 3};
    WireBuffer buffer = {0};
    unsigned refused = 0;
    for (int i = 0; i < 300; i++) {
        WireKind kind = wire_random_kind(&random);
        WireFrame made;
        wire_random_frame(&random, kind, 30, 3, &made.hello);
        buffer.size = 0;
        assert_true(wire_encode(&buffer, kind, 7, &made.hello));
        for (size_t at = 0; at < buffer.size; at++) {
            uint8_t before = buffer.data[at];
            for (size_t v = 0; v < sizeof values + 8; v++) {
                buffer.data[at] = v < sizeof values ? values[v] : (uint8_t)(before ^ 1u << (v - sizeof values));
                refused += try_bytes(buffer.data, buffer.size) != WIRE_GOOD;
            }
            buffer.data[at] = before;
        }
    }
    assert_true(refused > 1000);
    wire_buffer_fini(&buffer);
    wire_random_fini(&random);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    WireRandom random = {.state = 4};
    for (int i = 0; i < 100000; i++) {
        uint8_t bytes[64];
        size_t size = (size_t)wire_random(&random, sizeof bytes + 1);
        for (size_t at = 0; at < size; at++)
            bytes[at] = (uint8_t)wire_random(&random, 256);
        // Half of them with a head that is right, so that what follows is looked at.
        if (i % 2 == 0 && size > WIRE_HEAD_NUMBERED) {
            WireKind kind = wire_random_kind(&random);
            size_t head = wire_is_numbered(kind) ? WIRE_HEAD_NUMBERED : WIRE_HEAD;
            wire_write_head(bytes, kind, 1, size - head);
        }
        try_bytes(bytes, size);
    }
    wire_random_fini(&random);
}

static WireVerdict split_verdict(const uint8_t *bytes, size_t size)
{
    WireRaw raw;
    WireVerdict verdict = WIRE_GOOD;
    assert_int_equal(wire_split(bytes, size, &raw, &verdict), WIRE_WRONG);
    return verdict;
}

// A record is read like the body of a frame, and is never taken for one.
static void records_are_read_as_they_were_written_and_are_no_frames(void **state)
{
    (void)state;
    WireRandom random = {.state = 6};
    WireBuffer buffer = {0};
    for (int i = 0; i < 300; i++) {
        WireFrame made, read;
        wire_random_frame(&random, WIRE_SAVED, 40, 4, &made.saved);
        buffer.size = 0;
        assert_true(wire_encode_record(&buffer, WIRE_SAVED, &made.saved));
        for (size_t size = 0; size <= buffer.size; size++) {
            uint8_t *copy = exact_copy(buffer.data, size);
            WireVerdict verdict = wire_decode_body(WIRE_SAVED, (WireSpan){copy, size}, &read.saved);
            assert_int_equal(verdict == WIRE_GOOD, size == buffer.size);
            if (verdict == WIRE_GOOD)
                assert_true(fields_are_equal(wire_shape(WIRE_SAVED), &made.saved, &read.saved));
            free(copy);
        }
        assert_false(wire_encode(&buffer, WIRE_SAVED, 1, &made.saved));
    }
    uint8_t head[WIRE_HEAD] = {64, 0, 0, 0, WIRE_SAVED};
    assert_int_equal(split_verdict(head, sizeof head), WIRE_BAD_KIND);
    wire_buffer_fini(&buffer);
    wire_random_fini(&random);
}

static void limits_are_known_from_the_first_bytes(void **state)
{
    (void)state;
    uint8_t bytes[WIRE_HEAD_NUMBERED + 8] = {0};
    wire_put(bytes, WIRE_BODY_MAX + 1, 4);
    assert_int_equal(split_verdict(bytes, 4), WIRE_BAD_SIZE);
    wire_put(bytes, UINT32_MAX, 4);
    assert_int_equal(split_verdict(bytes, 4), WIRE_BAD_SIZE);
    wire_put(bytes, 8, 4);
    bytes[4] = 0;
    assert_int_equal(split_verdict(bytes, 5), WIRE_BAD_KIND);
    bytes[4] = 255;
    assert_int_equal(split_verdict(bytes, 5), WIRE_BAD_KIND);
    bytes[4] = WIRE_HELLO;
    assert_int_equal(split_verdict(bytes, 5), WIRE_BAD_SIZE);
    // A numbered frame has a number.
    wire_write_head(bytes, WIRE_RELAY_CLOSE, 0, 8);
    assert_int_equal(split_verdict(bytes, sizeof bytes), WIRE_BAD_NUMBER);
}

static void a_count_that_the_bytes_dont_bear_out_is_refused(void **state)
{
    (void)state;
    uint8_t body[18] = {0};
    WireFail fail;
    assert_int_equal(wire_decode_body(WIRE_FAIL, (WireSpan){body, sizeof body}, &fail), WIRE_GOOD);
    wire_put(body + 14, 1, 4);
    assert_int_equal(wire_decode_body(WIRE_FAIL, (WireSpan){body, sizeof body}, &fail), WIRE_BAD_SIZE);
    wire_put(body + 14, UINT32_MAX, 4);
    assert_int_equal(wire_decode_body(WIRE_FAIL, (WireSpan){body, sizeof body}, &fail), WIRE_BAD_SIZE);
    // Two where one is allowed, although they are there.
    WireBuffer faults = {0};
    WireFault fault = {.kind = 1, .why = wire_text("lost")};
    assert_true(wire_add(&faults, WIRE_ITEM_FAULT, &fault));
    fail = (WireFail){.session = 1, .fault = wire_list(&faults)};
    assert_true(wire_body_size(WIRE_FAIL, &fail) > 0);
    assert_true(wire_add(&faults, WIRE_ITEM_FAULT, &fault));
    fail.fault = wire_list(&faults);
    assert_int_equal(wire_body_size(WIRE_FAIL, &fail), 0);
    wire_buffer_fini(&faults);
}

static void texts_that_must_not_be_are_not_written_and_not_read(void **state)
{
    (void)state;
    char long_text[70000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    assert_int_equal(wire_body_size(WIRE_BYE, &(WireBye){wire_text(long_text)}), 0);
    assert_int_equal(wire_body_size(WIRE_BYE, &(WireBye){{(const uint8_t *)"a\0b", 3}}), 0);
    long_text[256] = 0;
    assert_int_equal(wire_body_size(WIRE_RELAY_OPEN, &(WireRelayOpen){.node = wire_text(long_text)}), 0);
    assert_int_equal(wire_body_size(WIRE_RELAY_OPEN, &(WireRelayOpen){.node = wire_text("a\nb")}), 0);
    WireRelayOpen open;
    assert_int_equal(wire_decode_body(WIRE_RELAY_OPEN, (WireSpan){(const uint8_t *)"\0\0\0\0\0\1\n", 7}, &open),
                     WIRE_BAD_FIELD);
    WireBye bye;
    assert_int_equal(wire_decode_body(WIRE_BYE, (WireSpan){(const uint8_t *)"\1\0\0", 3}, &bye), WIRE_BAD_FIELD);
}

static void the_table_is_sound(void **state)
{
    (void)state;
    unsigned count = 0;
    for (unsigned kind = 0; kind < 256; kind++) {
        const WireShape *shape = wire_shape(kind);
        if (shape == NULL)
            continue;
        count++;
        assert_true(shape->count > 0 && shape->least_size > 0 && shape->size <= sizeof(WireFrame));
    }
    assert_int_equal(count, 35);
    // Items contain no lists: decoding does not recurse.
    for (unsigned item = 0; item < WIRE_ITEM_COUNT; item++)
        for (uint32_t i = 0; i < wire_item_shape(item)->count; i++)
            assert_int_not_equal(wire_item_shape(item)->fields[i].type, WIRE_TYPE_LIST);
}

// ---- the format must not change by accident ----

#define FORMAT_DIGEST 0xd32414e5a0de32e2u

static uint64_t digest(const uint8_t *bytes, size_t size, uint64_t before)
{
    for (size_t i = 0; i < size; i++)
        before = (before ^ bytes[i]) * 0x100000001b3u;
    return before;
}

static void the_bytes_are_those_of_version_1(void **state)
{
    (void)state;
    // Those of docs/wire.md.
    static const uint8_t data[] = {0x2e, 0, 0, 0, 0x31, 7, 0, 0, 0, 0, 0, 0, 0, 0xef, 0xcd, 0xab, 0x89, 0, 0, 0,
                                   0,    1, 0, 4, 0,    0, 0, 2, 0, 6, 0, 0, 0, 3,    0,    0,    0,    5, 0, 0,
                                   0,    0, 0, 0, 0,    9, 0, 0, 0, 2, 0, 0, 0, 'h',  'i',  0,    0,    0, 0};
    WireBuffer buffer = {0};
    WireData frame = {.session = 0x89abcdef,
                      .from = 1,
                      .from_life = 4,
                      .to = 2,
                      .to_life = 6,
                      .epoch = 3,
                      .number = 5,
                      .site = 9,
                      .value = wire_text("hi")};
    assert_true(wire_encode(&buffer, WIRE_DATA, 7, &frame));
    assert_int_equal(buffer.size, sizeof data);
    assert_memory_equal(buffer.data, data, sizeof data);
    static const uint8_t ping[] = {8, 0, 0, 0, 2, 8, 7, 6, 5, 4, 3, 2, 1};
    buffer.size = 0;
    assert_true(wire_encode(&buffer, WIRE_PING, 0, &(WirePing){0x0102030405060708}));
    assert_int_equal(buffer.size, sizeof ping);
    assert_memory_equal(buffer.data, ping, sizeof ping);

    // Of every kind, fifty frames.
    uint64_t all = 0xcbf29ce484222325u;
    WireRandom random = {.state = 5};
    for (unsigned kind = 0; kind < WIRE_KIND_LIMIT; kind++)
        for (int i = 0; i < 50 && wire_shape(kind) != NULL; i++) {
            WireFrame made;
            wire_random_frame(&random, kind, 40, 3, &made.hello);
            buffer.size = 0;
            uint64_t number = 1 + wire_random(&random, 1000);
            assert_true(wire_is_record(kind) ? wire_encode_record(&buffer, kind, &made.saved)
                                             : wire_encode(&buffer, kind, number, &made.hello));
            all = digest(buffer.data, buffer.size, all);
        }
    if (all != FORMAT_DIGEST)
        print_error("the format has changed: 0x%016llx\n", (unsigned long long)all);
    assert_true(all == FORMAT_DIGEST);
    wire_buffer_fini(&buffer);
    wire_random_fini(&random);
}

// Reads a whole file; NULL: it is not there.
static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return NULL;
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    text[size] = 0;
    fclose(file);
    return text;
}

// WIRE_UPDATE=1 writes the tables into the page.
static void the_page_has_the_tables(void **state)
{
    (void)state;
    static const char begin[] = "<!-- made by wire_describe -->\n", end[] = "<!-- end -->\n";
    char path[4096];
    const char *slash = strrchr(__FILE__, '/');
    assert_non_null(slash);
    snprintf(path, sizeof path, "%.*s/../../../docs/wire.md", (int)(slash - __FILE__), __FILE__);
    char *page = read_file(path), *text = NULL;
    if (page == NULL) {
        print_message("no %s from here: the page is not compared\n", path);
        skip();
    }
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    wire_describe(file);
    fclose(file);
    char *from = strstr(page, begin), *to = strstr(page, end);
    assert_true(from != NULL && to > from);
    from += strlen(begin);
    bool is_equal = (size_t)(to - from) == size && memcmp(from, text, size) == 0;
    if (!is_equal && getenv("WIRE_UPDATE") != NULL) {
        file = fopen(path, "wb");
        assert_non_null(file);
        fprintf(file, "%.*s%s%s", (int)(from - page), page, text, to);
        assert_int_equal(fclose(file), 0);
        is_equal = true;
    }
    if (!is_equal)
        print_error("docs/wire.md does not have the frames of fields.h: run this test with WIRE_UPDATE=1\n");
    assert_true(is_equal);
    free(text);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_frames_are_read_as_they_were_written),
        cmocka_unit_test(parts_of_a_body_make_up_the_whole),
        cmocka_unit_test(the_beginning_of_a_frame_is_never_taken_for_one),
        cmocka_unit_test(a_changed_byte_gives_a_frame_or_is_refused),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(records_are_read_as_they_were_written_and_are_no_frames),
        cmocka_unit_test(limits_are_known_from_the_first_bytes),
        cmocka_unit_test(a_count_that_the_bytes_dont_bear_out_is_refused),
        cmocka_unit_test(texts_that_must_not_be_are_not_written_and_not_read),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(the_bytes_are_those_of_version_1),
        cmocka_unit_test(the_page_has_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
