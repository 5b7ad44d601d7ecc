// ring_test.c: order, sizes, bounds, wrap-around; processes that are killed between any two words; words and records that
// are nonsense.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/channel/ring.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALL_RING = 4096, UNITS = SMALL_RING / RING_UNIT, QUARTER = SMALL_RING / 4, TOKEN = 0x5eed };

// Memory of its own for each part, so that a sanitizer sees a step beyond it.
typedef struct {
    RingWords *words;
    Ring producer, consumer;
    uint64_t sent, received;
} Pair;

static void pair_open(Pair *pair)
{
    int file = memfd_create("ring", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, RING_LARGE_BYTES), 0);
    *pair = (Pair){.words = aligned_alloc(_Alignof(RingWords), sizeof(RingWords))};
    memset(pair->words, 0, sizeof *pair->words);
    pair->producer = (Ring){.words = pair->words,
                            .data = aligned_alloc(16, SMALL_RING),
                            .bytes = SMALL_RING,
                            .file = descriptor_keep(file),
                            .token = TOKEN};
    memset(pair->producer.data, 0xdb, SMALL_RING);
    ring_set_limits(&pair->producer, 1000, 1 << 20);
    pair->consumer = pair->producer;
}

// Everybody stands here, and the ring is empty.
static void pair_move(Pair *pair, uint32_t place, uint32_t count)
{
    RingPoint point = {{.place = place, .count = count}};
    atomic_store(&pair->words->tail, point.word);
    atomic_store(&pair->words->head, point.word);
    atomic_store(&pair->words->large, count);
    ring_go_on(&pair->producer);
    ring_go_on(&pair->consumer);
}

static void pair_close(Pair *pair)
{
    descriptor_close(&pair->producer.file);
    free(pair->words);
    free(pair->producer.data);
}

// The n-th message of a size: every byte tells where it belongs.
static unsigned char *message(uint64_t number, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number * 31 + i * 7 + (i >> 8));
    return bytes;
}

static void send(Pair *pair, size_t size)
{
    unsigned char *bytes = message(pair->sent, size);
    assert_int_equal(ring_room(&pair->producer), RING_ITEM);
    assert_true(ring_send(&pair->producer, (uint32_t)(pair->sent % 100) + 1, (uint32_t)pair->sent, bytes, size));
    pair->sent++;
    free(bytes);
}

static void receive(Pair *pair, size_t size)
{
    RingItem item;
    assert_int_equal(ring_peek(&pair->consumer, &item), RING_ITEM);
    assert_int_equal(item.record.site, pair->received % 100 + 1);
    assert_int_equal(item.record.of.epoch, (uint32_t)pair->received);
    assert_int_equal(item.record.size, size);
    unsigned char *bytes = malloc(size + 1), *expected = message(pair->received, size);
    assert_true(ring_copy(&pair->consumer, &item, bytes));
    assert_memory_equal(bytes, expected, size);
    ring_pop(&pair->consumer, &item);
    pair->received++;
    free(bytes);
    free(expected);
}

static bool is_empty(Pair *pair)
{
    RingItem item;
    return ring_peek(&pair->consumer, &item) == RING_EMPTY;
}

static bool any_is_valid(void *context, Ring *ring, const RingItem *item)
{
    (void)context;
    (void)ring;
    (void)item;
    return true;
}

static RingPoint valid_until(Pair *pair)
{
    uint32_t large;
    return ring_valid_until(&pair->consumer, any_is_valid, NULL, &large);
}

static void values_of_all_sizes_pass(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (size_t size = 0; size < QUARTER + 64; size++) {
        send(&pair, size);
        receive(&pair, size);
        assert_true(is_empty(&pair));
    }
    static const size_t large[] = {SMALL_RING - 1, SMALL_RING, SMALL_RING + 1, 65536, 3000001};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        send(&pair, large[i]);
        receive(&pair, large[i]);
    }
    pair_close(&pair);
}

static void the_ring_turns_at_every_place(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (uint32_t place = 0; place < UNITS; place++) {
        for (size_t size = 0; size <= QUARTER; size += size < 40 ? 1 : 97) {
            // Also where places and counts turn.
            pair_move(&pair, (uint32_t)(place - 3 * UNITS), (uint32_t)-1);
            send(&pair, 5);
            send(&pair, size);
            receive(&pair, 5);
            receive(&pair, size);
            send(&pair, size / 2);
            receive(&pair, size / 2);
            assert_true(is_empty(&pair));
        }
    }
    pair_close(&pair);
}

static void a_full_ring_has_no_room(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (size_t size = 0; size <= QUARTER - sizeof(Record); size += 13) {
        size_t count = 0;
        while (ring_room(&pair.producer) == RING_ITEM) {
            send(&pair, size);
            count++;
        }
        // A jump may take up some.
        assert_true(count * CHX_RECORD_BYTES(size) <= SMALL_RING * 3 / 4);
        assert_true(count >= 1);
        while (count-- > 0)
            receive(&pair, size);
    }
    ring_set_limits(&pair.producer, 3, 1 << 20);
    for (int i = 0; i < 3; i++)
        send(&pair, 8);
    assert_int_equal(ring_room(&pair.producer), RING_EMPTY);
    receive(&pair, 8);
    assert_int_equal(ring_room(&pair.producer), RING_ITEM);
    receive(&pair, 8);
    receive(&pair, 8);
    ring_set_limits(&pair.producer, 1000, 64);
    send(&pair, 16);
    send(&pair, 16);
    assert_int_equal(ring_room(&pair.producer), RING_EMPTY);
    pair_close(&pair);
}

static void one_large_value_at_a_time(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (uint32_t count = (uint32_t)-5; count != 5; count++) {
        pair_move(&pair, 77, count);
        send(&pair, 8);
        send(&pair, 100000);
        assert_int_equal(ring_room(&pair.producer), RING_EMPTY);
        receive(&pair, 8);
        assert_int_equal(ring_room(&pair.producer), RING_EMPTY);
        receive(&pair, 100000);
        assert_int_equal(ring_room(&pair.producer), RING_ITEM);
    }
    assert_false(ring_send(&pair.producer, 1, 0, NULL, (size_t)RING_LARGE_BYTES + 1));
    assert_true(is_empty(&pair));
    pair_close(&pair);
}

// The producer is killed before the last word of a send is written: nothing was sent.
static void a_killed_producer_sent_all_or_nothing(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (unsigned round = 0; round < 2000; round++) {
        size_t size = round % 3 == 0 ? round % 50 : round % 3 == 1 ? round % QUARTER : 5000 + round;
        send(&pair, 9);
        uint64_t tail = atomic_load(&pair.words->tail);
        uint32_t large = atomic_load(&pair.words->large);
        send(&pair, size);
        if (round % 2 == 0) {
            atomic_store(&pair.words->tail, tail);
            if (round % 4 == 0)
                atomic_store(&pair.words->large, large);
            pair.sent--;
            size = round % 7;
        }
        ring_go_on(&pair.producer); // another process
        if (round % 2 == 0)
            send(&pair, size);
        assert_int_equal(valid_until(&pair).word, atomic_load(&pair.words->tail));
        receive(&pair, 9);
        receive(&pair, size);
        assert_true(is_empty(&pair));
        assert_int_equal(ring_room(&pair.producer), RING_ITEM);
    }
    pair_close(&pair);
}

// The consumer is killed before it has written that it took a message: it takes it again. (The memory of a large one may
// be gone then: it was sent in the attempt that is over.)
static void a_killed_consumer_took_all_or_nothing(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (unsigned round = 0; round < 2000; round++) {
        size_t size = round % (QUARTER / 2);
        send(&pair, 3);
        send(&pair, size);
        receive(&pair, 3);
        uint64_t head = atomic_load(&pair.words->head);
        receive(&pair, size);
        if (round % 2 == 0) {
            atomic_store(&pair.words->head, head);
            pair.received--;
        }
        ring_go_on(&pair.consumer);
        if (round % 2 == 0)
            receive(&pair, size);
        assert_true(is_empty(&pair));
    }
    pair_close(&pair);
}

static void words_that_are_nonsense_are_noticed(void **state)
{
    (void)state;
    Pair pair;
    RingItem item;
    pair_open(&pair);
    pair_move(&pair, 1000, 50);
    send(&pair, 8);
    send(&pair, 8);
    RingPoint good = ring_load(&pair.words->tail);
    static const RingPoint bad[] = {
        {{.place = 1004, .count = 50}},             // more places, no message
        {{.place = 1000, .count = 52}},             // the other way round
        {{.place = 1000 + UNITS + 1, .count = 52}}, // more than there is
        {{.place = 1004, .count = 55}},             // more messages than places
        {{.place = 999, .count = 49}},              // backwards
        {{.place = UINT32_MAX, .count = UINT32_MAX}},
        {{.place = 0, .count = 0}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        atomic_store(&pair.words->tail, bad[i].word);
        assert_int_equal(ring_peek(&pair.consumer, &item), RING_BROKEN);
        // What was sent is still known.
        assert_int_equal(valid_until(&pair).word, good.word);
        ring_repeat(&pair.producer, true);
        assert_int_equal(ring_peek(&pair.consumer, &item), RING_ITEM);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        RingPoint head = bad[i];
        if (ring_is_sane(&pair.producer, head, good))
            continue;
        atomic_store(&pair.words->head, head.word);
        assert_int_equal(ring_room(&pair.producer), RING_BROKEN);
        ring_repeat(&pair.consumer, false);
        assert_int_equal(ring_room(&pair.producer), RING_ITEM);
    }
    receive(&pair, 8);
    receive(&pair, 8);
    pair_close(&pair);
}

// A record at this place with this site, size, check and length of a large value; `units` of room up to the tail.
static RingState forged(Pair *pair, uint32_t place, uint32_t units, Record record, uint64_t length)
{
    RingItem item;
    RingPoint tail = {{.place = place + units, .count = 8}};
    pair_move(pair, place, 7);
    atomic_store(&pair->words->tail, tail.word);
    unsigned char *at = pair->consumer.data + place % UNITS * RING_UNIT;
    memcpy(at, &record, sizeof record);
    if (place % UNITS + 1 < UNITS)
        memcpy(at + sizeof record, &length, sizeof length);
    return ring_peek(&pair->consumer, &item);
}

static void records_that_are_nonsense_are_noticed(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    memset(pair.consumer.data, 0, SMALL_RING);
    Record good = {.site = 1, .size = 16, .of = {{.epoch = 0, .check = TOKEN + 7}}};
    assert_int_equal(forged(&pair, 0, 2, good, 0), RING_ITEM);
    assert_int_equal(forged(&pair, 0, 1, good, 0), RING_BROKEN);         // longer than what was sent
    assert_int_equal(forged(&pair, UNITS - 2, 2, good, 0), RING_ITEM);   // up to the end
    assert_int_equal(forged(&pair, UNITS - 1, 2, good, 0), RING_BROKEN); // beyond it
    for (uint32_t place = 0; place < UNITS; place++) {
        for (uint32_t size = 0; size < SMALL_RING + 64; size++) {
            Record record = good;
            record.size = size;
            bool fits = place + CHX_RECORD_BYTES(size) / RING_UNIT <= UNITS;
            assert_int_equal(forged(&pair, place, UNITS, record, 0), fits ? RING_ITEM : RING_BROKEN);
        }
    }
    static const uint32_t sizes[] = {0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffe};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Record record = good;
        record.size = sizes[i];
        assert_int_equal(forged(&pair, 0, UNITS, record, 0), RING_BROKEN);
    }
    Record large = good, other = good, nowhere = good, jump = good;
    large.size = UINT32_MAX;
    assert_int_equal(forged(&pair, 0, 2, large, 1), RING_ITEM);
    assert_int_equal(forged(&pair, 0, 2, large, RING_LARGE_BYTES), RING_ITEM);
    assert_int_equal(forged(&pair, 0, 2, large, 0), RING_BROKEN);
    assert_int_equal(forged(&pair, 0, 2, large, (uint64_t)RING_LARGE_BYTES + 1), RING_BROKEN);
    assert_int_equal(forged(&pair, 0, 2, large, UINT64_MAX), RING_BROKEN);
    assert_int_equal(forged(&pair, UNITS - 1, 2, large, 1), RING_BROKEN);
    assert_int_equal(forged(&pair, 0, 1, large, 1), RING_BROKEN);
    other.of.check++;
    assert_int_equal(forged(&pair, 0, 2, other, 0), RING_BROKEN); // a repetition, or another session's
    nowhere.site = 0;
    assert_int_equal(forged(&pair, 0, 2, nowhere, 0), RING_BROKEN);
    jump.site = SITE_TO_BEGINNING;
    assert_int_equal(forged(&pair, 0, UNITS, jump, 0), RING_BROKEN);     // nothing behind it
    assert_int_equal(forged(&pair, UNITS / 2, 3, jump, 0), RING_BROKEN); // further than what was sent
    memcpy(pair.consumer.data, &jump, sizeof jump);
    assert_int_equal(forged(&pair, UNITS - 1, 3, jump, 0), RING_BROKEN); // to another jump
    memcpy(pair.consumer.data, &good, sizeof good);
    assert_int_equal(forged(&pair, UNITS - 1, 3, jump, 0), RING_ITEM);
    pair_close(&pair);
}

// Whatever is damaged in what a dead producer has left: the messages before it stay.
static void messages_before_a_damage_are_kept(void **state)
{
    (void)state;
    Pair pair;
    pair_open(&pair);
    for (unsigned damaged = 0; damaged < 10; damaged++) {
        for (unsigned byte = 0; byte < sizeof(Record); byte++) {
            RingPoint points[11];
            pair_move(&pair, 200, 900);
            pair.sent = pair.received = 0;
            for (unsigned i = 0; i < 10; i++) {
                points[i] = ring_load(&pair.words->tail);
                send(&pair, 40 + i);
            }
            points[10] = ring_load(&pair.words->tail);
            unsigned char *at = pair.consumer.data + points[damaged].place % UNITS * RING_UNIT;
            // Behind the last place of the ring its jump is what is damaged.
            at[byte] ^= 0x80;
            RingPoint until = valid_until(&pair);
            bool is_epoch = byte >= 8 && byte < 12, is_site = byte < 4, is_size = byte >= 4 && byte < 8;
            if (is_epoch || is_site)
                assert_true(until.word == points[10].word || until.word == points[damaged].word);
            else if (is_size)
                assert_true(until.count - points[damaged].count < 10 && points[10].count - until.count - 1 < 10);
            else
                assert_int_equal(until.word, points[damaged].word);
        }
    }
    pair_close(&pair);
}

// What lies in the ring counts; the copy that travels with the producer's word is only nearer.
static void a_copy_that_is_doubted_is_read_from_the_ring(void **state)
{
    (void)state;
    Pair pair;
    RingItem item;
    pair_open(&pair);
    for (size_t size = 0; size <= RING_LATEST_BYTES; size++) {
        send(&pair, size);
        assert_int_equal(ring_peek(&pair.consumer, &item), RING_ITEM);
        assert_true(item.is_latest);
        memset(pair.words->latest, 0xdb, RING_LATEST_BYTES);
        assert_true(ring_doubts(&pair.consumer, &item));
        assert_int_equal(ring_peek(&pair.consumer, &item), RING_ITEM);
        assert_false(item.is_latest);
        assert_false(ring_doubts(&pair.consumer, &item));
        receive(&pair, size);
    }
    pair_close(&pair);
}

// A new producer begins where the last one's messages made sense; what that one had copied is not taken for a later one.
static void an_old_copy_is_never_taken_for_a_new_message(void **state)
{
    (void)state;
    Pair pair;
    RingItem item;
    pair_open(&pair);
    RingPoint begin = pair.producer.tail;
    send(&pair, 4);
    send(&pair, 4);
    atomic_store(&pair.words->tail, begin.word);
    ring_go_on(&pair.producer);
    pair.sent = 0;
    send(&pair, RING_LATEST_BYTES + 1);
    receive(&pair, RING_LATEST_BYTES + 1);
    send(&pair, RING_LATEST_BYTES + 1);
    assert_int_equal(ring_peek(&pair.consumer, &item), RING_ITEM);
    assert_false(item.is_latest);
    receive(&pair, RING_LATEST_BYTES + 1);
    pair_close(&pair);
}

// Neither end goes astray, whatever stands there. A sanitizer sees a step beyond the memory.
static void noise_is_survived(void **state)
{
    (void)state;
    Pair pair;
    uint32_t random = 1;
    pair_open(&pair);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned char *areas[] = {(unsigned char *)pair.words, pair.producer.data};
        size_t sizes[] = {sizeof *pair.words, SMALL_RING};
        for (unsigned i = 0; i < 8; i++) {
            random = random * 1664525 + 1013904223;
            areas[i % 2][(random >> 8) % sizes[i % 2]] = (unsigned char)(random >> 24);
        }
        RingItem item;
        unsigned char *bytes = malloc(SMALL_RING);
        for (int i = 0; i < 5 && ring_peek(&pair.consumer, &item) == RING_ITEM; i++) {
            if (item.record.size <= SMALL_RING)
                assert_true(ring_copy(&pair.consumer, &item, bytes));
            ring_pop(&pair.consumer, &item);
        }
        valid_until(&pair);
        if (ring_room(&pair.producer) == RING_ITEM)
            assert_true(ring_send(&pair.producer, 1, 0, bytes, (random >> 8) % 600));
        if (round % 16 == 0) {
            pair_move(&pair, random, random >> 3);
        }
        free(bytes);
    }
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_sizes_pass),
        cmocka_unit_test(the_ring_turns_at_every_place),
        cmocka_unit_test(a_full_ring_has_no_room),
        cmocka_unit_test(one_large_value_at_a_time),
        cmocka_unit_test(a_killed_producer_sent_all_or_nothing),
        cmocka_unit_test(a_killed_consumer_took_all_or_nothing),
        cmocka_unit_test(words_that_are_nonsense_are_noticed),
        cmocka_unit_test(records_that_are_nonsense_are_noticed),
        cmocka_unit_test(messages_before_a_damage_are_kept),
        cmocka_unit_test(a_copy_that_is_doubted_is_read_from_the_ring),
        cmocka_unit_test(an_old_copy_is_never_taken_for_a_new_message),
        cmocka_unit_test(noise_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
