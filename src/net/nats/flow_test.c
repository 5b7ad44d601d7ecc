// The parts of the carrier over NATS that need no server: names of subjects, messages, and the flow of bytes of one stream,
// whatever happens to its messages.

#include "net/nats/flow.h"
#include "net/nats/subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char client[] = "0123456789abcdef0123456789abcdef";

// ---- subjects ----

static void nodes_and_pools_have_subjects(void **state)
{
    char subject[NATS_SUBJECT_SIZE], longest[66];
    bool is_pool;
    (void)state;
    assert_true(nats_subject_of_address("shop-1", subject, &is_pool));
    assert_string_equal(subject, "chorex.node.shop-1");
    assert_false(is_pool);
    // A dot would begin another part of the subject, and two of them an empty one, which NATS does not allow.
    assert_true(nats_subject_of_address("a..b.", subject, &is_pool));
    assert_string_equal(subject, "chorex.node.a~~b~");
    assert_true(nats_subject_of_address("pool/Worker_7", subject, &is_pool));
    assert_string_equal(subject, "chorex.pool.Worker_7");
    assert_true(is_pool);
    memset(longest, 'x', sizeof longest);
    longest[64] = '\0';
    assert_true(nats_subject_of_address(longest, subject, &is_pool));
    assert_int_equal(strlen(subject), 12 + 64);
    longest[64] = 'x';
    longest[65] = '\0';
    assert_false(nats_subject_of_address(longest, subject, &is_pool));
}

static void what_is_no_name_has_no_subject(void **state)
{
    static const char *const bad[] = {"",    "*",     ">",      "a b", "a.>",      ".a",       "a\n", "a/b",
                                      "a~b", "pool/", "pool/*", "~",   "pool/a/b", "\xc3\xa4", "a*",  "chorex/x"};
    char subject[NATS_SUBJECT_SIZE];
    bool is_pool;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (nats_subject_of_address(bad[i], subject, &is_pool))
            fail_msg("'%s' has the subject '%s'", bad[i], subject);
}

static void streams_have_subjects(void **state)
{
    char subject[NATS_SUBJECT_SIZE];
    uint64_t number = 0;
    (void)state;
    nats_subject_of_stream(client, 0xfedcba9876543210, subject);
    assert_string_equal(subject, "chorex.to.0123456789abcdef0123456789abcdef.fedcba9876543210");
    assert_true(nats_subject_is_stream(subject, &number) && number == 0xfedcba9876543210);
    assert_true(nats_subject_is_own(subject, client, &number));
    assert_false(nats_subject_is_own(subject, "1123456789abcdef0123456789abcdef", &number));
    assert_true(nats_subject_is_stream(subject, &number)); // whosever it is
    nats_subject_of_streams(client, subject);
    assert_string_equal(subject, "chorex.to.0123456789abcdef0123456789abcdef.*");
    assert_false(nats_subject_is_stream(subject, &number));
}

// Each byte of a subject changed, and each length: somebody may give any text for the place of an answer.
static void other_subjects_are_no_streams(void **state)
{
    char good[NATS_SUBJECT_SIZE], bad[NATS_SUBJECT_SIZE];
    uint64_t number;
    (void)state;
    nats_subject_of_stream(client, 7, good);
    for (size_t i = 0; good[i] != '\0'; i++) {
        static const char changes[] = "*> ~Gg.\n\x80";
        for (size_t k = 0; k < sizeof changes; k++) {
            memcpy(bad, good, sizeof bad);
            bad[i] = changes[k];
            if (bad[i] != good[i])
                assert_false(nats_subject_is_stream(bad, &number));
        }
    }
    memcpy(bad, good, sizeof bad);
    strcat(bad, "0");
    assert_false(nats_subject_is_stream(bad, &number));
    assert_false(nats_subject_is_stream("", &number));
    assert_false(nats_subject_is_stream("chorex.node.shop-1", &number));
    assert_false(nats_subject_is_stream("$SYS.REQ.SERVER.PING", &number));
}

// ---- messages ----

static void messages_are_what_was_encoded(void **state)
{
    static const NatsMessage all[] = {
        {.kind = NATS_OPEN, .version = NATS_VERSION, .window = 4096},
        {.kind = NATS_ACCEPT, .version = NATS_VERSION, .window = NATS_WINDOW_MAX},
        {.kind = NATS_RESET, .reason = NATS_BECAUSE_BUSY},
        {.kind = NATS_DATA, .number = 0x0102030405060708},
        {.kind = NATS_CREDIT, .number = 1, .limit = UINT64_MAX},
        {.kind = NATS_FIN, .number = UINT64_MAX},
    };
    static const size_t sizes[] = {6, 6, 2, 9, 17, 9};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        uint8_t bytes[NATS_HEAD_MAX + 1] = {0};
        NatsMessage read;
        size_t size = nats_message_encode(&all[i], bytes);
        assert_int_equal(size, sizes[i]);
        bytes[size] = 'x';
        size_t whole = all[i].kind == NATS_DATA ? size + 1 : size;
        assert_true(nats_message_decode(bytes, whole, &read));
        assert_true(read.kind == all[i].kind && read.version == all[i].version && read.window == all[i].window &&
                    read.reason == all[i].reason && read.number == all[i].number && read.limit == all[i].limit);
        assert_true(read.size == whole - size);
        // Every other size is wrong, except for DATA.
        for (size_t other = 0; other <= sizeof bytes; other++)
            if (other != whole && (all[i].kind != NATS_DATA || other < whole))
                assert_false(nats_message_decode(bytes, other, &read));
    }
}

static void other_bytes_are_no_messages(void **state)
{
    static uint8_t large[NATS_DATA_HEAD + NATS_DATA_MAX + 1] = {NATS_DATA};
    NatsMessage read;
    (void)state;
    assert_true(nats_message_decode(large, sizeof large - 1, &read));
    assert_false(nats_message_decode(large, sizeof large, &read));
    for (unsigned kind = 0; kind < 256; kind++) {
        large[0] = (uint8_t)kind;
        if (kind < NATS_OPEN || kind > NATS_FIN)
            for (size_t size = 0; size < 40; size++)
                assert_false(nats_message_decode(large, size, &read));
    }
    for (unsigned reason = 0; reason < 256; reason++) {
        const uint8_t reset[] = {NATS_RESET, (uint8_t)reason};
        assert_true(nats_message_decode(reset, 2, &read) == (reason >= 1 && reason < NATS_BECAUSE_REASONS));
    }
    // A window of nothing would be a stream on which nothing moves.
    assert_false(nats_message_decode((const uint8_t[]){NATS_OPEN, NATS_VERSION, 0, 0, 0, 0}, 6, &read));
    assert_false(nats_message_decode((const uint8_t[]){NATS_ACCEPT, NATS_VERSION, 255, 255, 255, 255}, 6, &read));
    // Of another version only that is read.
    assert_true(nats_message_decode((const uint8_t[]){NATS_OPEN, NATS_VERSION + 1}, 2, &read));
    assert_int_equal(read.version, NATS_VERSION + 1);
}

// ---- one end against rules that are broken ----

static NatsReason take(NatsFlow *flow, NatsMessage message)
{
    static const uint8_t bytes[NATS_DATA_MAX];
    message.data = bytes;
    return nats_flow_take(flow, &message);
}

static void numbers_must_follow_each_other(void **state)
{
    static const struct {
        uint64_t number;
        NatsReason reason;
    } cases[] = {{3, 0},
                 {4, NATS_BECAUSE_LOST},
                 {2, NATS_BECAUSE_INVALID},
                 {0, NATS_BECAUSE_INVALID},
                 {UINT64_MAX, NATS_BECAUSE_LOST}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const NatsKind kinds[] = {NATS_DATA, NATS_CREDIT, NATS_FIN};
        for (size_t k = 0; k < 3; k++) {
            NatsFlow flow;
            nats_flow_init(&flow, 4096);
            assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_DATA, .number = 1, .size = 10}), 0);
            assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_CREDIT, .number = 2, .limit = 5000}), 0);
            assert_int_equal(
                take(&flow, (NatsMessage){.kind = kinds[k], .number = cases[i].number, .size = 1, .limit = 5000}),
                cases[i].reason);
            nats_flow_fini(&flow);
        }
    }
}

static void nobody_sends_more_than_is_allowed(void **state)
{
    NatsFlow flow;
    const uint8_t *data;
    uint64_t number = 0;
    (void)state;
    nats_flow_init(&flow, 4096);
    for (size_t sent = 0; sent < NATS_WINDOW; sent += NATS_DATA_MAX)
        assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_DATA, .number = ++number, .size = NATS_DATA_MAX}), 0);
    assert_int_equal(nats_flow_kept(&flow, &data), NATS_WINDOW);
    assert_true(flow.kept_capacity <= NATS_WINDOW);
    assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_DATA, .number = ++number, .size = 1}),
                     NATS_BECAUSE_INVALID);
    nats_flow_fini(&flow);
    // What was taken may be sent again, once the other end was told.
    nats_flow_init(&flow, 4096);
    NatsMessage credit;
    number = 0;
    for (int i = 0; i < 8; i++)
        assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_DATA, .number = ++number, .size = NATS_DATA_MAX}), 0);
    assert_false(nats_flow_credit(&flow, &credit));
    nats_flow_taken(&flow, NATS_WINDOW / 4);
    assert_true(nats_flow_credit(&flow, &credit));
    assert_true(credit.number == 1 && credit.limit == NATS_WINDOW + NATS_WINDOW / 4);
    assert_false(nats_flow_credit(&flow, &credit));
    assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_DATA, .number = ++number, .size = NATS_DATA_MAX}), 0);
    assert_true(flow.kept_capacity <= NATS_WINDOW);
    nats_flow_fini(&flow);
}

static void limits_do_not_go_down_nor_too_far(void **state)
{
    static const struct {
        uint64_t limit;
        NatsReason reason;
    } cases[] = {{4096, 0},
                 {4095, NATS_BECAUSE_INVALID},
                 {UINT64_MAX, NATS_BECAUSE_INVALID},
                 {NATS_WINDOW_MAX + 100, 0},
                 {NATS_WINDOW_MAX + 101, NATS_BECAUSE_INVALID}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        NatsFlow flow;
        nats_flow_init(&flow, 4096);
        assert_int_equal(nats_flow_room(&flow), 4096);
        nats_flow_data(&flow, 100);
        assert_int_equal(nats_flow_room(&flow), 3996);
        assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_CREDIT, .number = 1, .limit = cases[i].limit}),
                         cases[i].reason);
        nats_flow_fini(&flow);
    }
}

static void nothing_comes_behind_the_end(void **state)
{
    NatsFlow flow;
    (void)state;
    nats_flow_init(&flow, 4096);
    assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_FIN, .number = 1}), 0);
    assert_true(flow.has_ended);
    assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_DATA, .number = 2, .size = 1}), NATS_BECAUSE_INVALID);
    assert_int_equal(take(&flow, (NatsMessage){.kind = NATS_OPEN}), NATS_BECAUSE_INVALID);
    nats_flow_fini(&flow);
}

// ---- two ends, between which messages are lost, doubled and swapped by chance ----

enum { SEEDS = 200, QUEUE = 64, STEPS = 400 };

typedef struct {
    size_t size;
    uint8_t bytes[];
} Posted;

typedef struct {
    NatsFlow flow;
    uint64_t written, read; // bytes
    NatsReason broken;
    bool has_closed;
    Posted *queue[QUEUE]; // to it
    size_t count;
} End;

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static uint8_t byte_at(uint64_t at)
{
    return (uint8_t)(at * 7 + (at >> 9));
}

// True: something happened to the message.
static bool post(End *to, const NatsMessage *message, const uint8_t *data, size_t size, uint32_t *seed, bool is_rough)
{
    uint32_t chance = is_rough ? next_random(seed) % 60 : 60;
    if (chance == 0)
        return true;
    for (int times = chance == 1 ? 2 : 1; times > 0; times--) {
        Posted *posted = malloc(sizeof *posted + NATS_HEAD_MAX + size);
        assert_true(posted != NULL && to->count < QUEUE);
        size_t head = nats_message_encode(message, posted->bytes);
        if (size > 0)
            memcpy(posted->bytes + head, data, size);
        posted->size = head + size;
        to->queue[to->count++] = posted;
    }
    if (chance == 2 && to->count > 1) {
        Posted *last = to->queue[to->count - 1];
        to->queue[to->count - 1] = to->queue[to->count - 2];
        to->queue[to->count - 2] = last;
        return true;
    }
    return chance == 1;
}

static void deliver(End *to)
{
    NatsMessage message;
    if (to->count == 0)
        return;
    Posted *first = to->queue[0];
    assert_true(nats_message_decode(first->bytes, first->size, &message));
    if (to->broken == 0)
        to->broken = nats_flow_take(&to->flow, &message);
    free(first);
    memmove(&to->queue[0], &to->queue[1], --to->count * sizeof to->queue[0]);
}

// Takes some of what has arrived: always what was written, from the beginning on.
static void read_some(End *end, uint32_t *seed)
{
    const uint8_t *data;
    size_t size = nats_flow_kept(&end->flow, &data);
    assert_true(size <= NATS_WINDOW);
    size = size == 0 ? 0 : next_random(seed) % size + 1;
    for (size_t i = 0; i < size; i++)
        if (data[i] != byte_at(end->read + i))
            fail_msg("byte %llu is wrong", (unsigned long long)(end->read + i));
    nats_flow_taken(&end->flow, size);
    end->read += size;
}

static bool step(End *one, End *other, uint32_t *seed, bool is_rough)
{
    static uint8_t bytes[NATS_DATA_MAX];
    NatsMessage message;
    size_t room = nats_flow_room(&one->flow);
    if (one->broken != 0 || one->has_closed || other->count > QUEUE - 4)
        return false;
    if (nats_flow_credit(&one->flow, &message))
        return post(other, &message, NULL, 0, seed, is_rough);
    if (is_rough && next_random(seed) % 500 == 0) {
        one->has_closed = true;
        message = nats_flow_fin(&one->flow);
        return post(other, &message, NULL, 0, seed, is_rough);
    }
    if (room == 0)
        return false;
    size_t most = next_random(seed) % 16 == 0 || room < 100 ? room : 100; // A window is full now and then.
    size_t size = next_random(seed) % most + 1;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(one->written + i);
    one->written += size;
    message = nats_flow_data(&one->flow, size);
    return post(other, &message, bytes, size, seed, is_rough);
}

static void whatever_is_lost_is_noticed(void **state)
{
    static End ends[2];
    unsigned broken = 0, whole = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t chance = seed;
        bool is_rough = seed % 4 != 0, is_spoilt = false, shows = false;
        int who = 0;
        for (int i = 0; i < 2; i++) {
            memset(&ends[i], 0, sizeof ends[i]);
            nats_flow_init(&ends[i].flow, NATS_WINDOW);
        }
        for (int i = 0; i < STEPS && !is_spoilt; i++) {
            who = (int)(next_random(&chance) % 2);
            is_spoilt = step(&ends[who], &ends[1 - who], &chance, is_rough);
            if (next_random(&chance) % 3 != 0)
                deliver(&ends[next_random(&chance) % 2]);
            if (next_random(&chance) % 4 != 0)
                read_some(&ends[next_random(&chance) % 2], &chance);
        }
        // The last message may be the one that was lost: a sign of life shows it.
        while (is_spoilt && ends[1 - who].count > QUEUE - 4)
            deliver(&ends[1 - who]);
        if (is_spoilt && ends[who].broken == 0 && !ends[who].has_closed && nats_flow_room(&ends[who].flow) > 0) {
            shows = true;
            step(&ends[who], &ends[1 - who], &chance, false);
        }
        for (int i = 0; i < 2; i++)
            while (ends[i].count > 0) {
                deliver(&ends[i]);
                read_some(&ends[i], &chance);
            }
        bool is_broken = ends[0].broken != 0 || ends[1].broken != 0;
        assert_true(is_spoilt || !is_broken);
        assert_true(!shows || ends[1 - who].broken != 0);
        broken += is_broken;
        whole += !is_spoilt;
        for (int i = 0; i < 2; i++)
            nats_flow_fini(&ends[i].flow);
    }
    assert_true(broken > SEEDS / 2 && whole > SEEDS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_pools_have_subjects),
        cmocka_unit_test(what_is_no_name_has_no_subject),
        cmocka_unit_test(streams_have_subjects),
        cmocka_unit_test(other_subjects_are_no_streams),
        cmocka_unit_test(messages_are_what_was_encoded),
        cmocka_unit_test(other_bytes_are_no_messages),
        cmocka_unit_test(numbers_must_follow_each_other),
        cmocka_unit_test(nobody_sends_more_than_is_allowed),
        cmocka_unit_test(limits_do_not_go_down_nor_too_far),
        cmocka_unit_test(nothing_comes_behind_the_end),
        cmocka_unit_test(whatever_is_lost_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
