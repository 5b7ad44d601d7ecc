// ops_test.c: what every implementation of a channel must do (channel.h), checked for each of them: order, bounds, values
// larger than the bound, epochs, ownership of values, credit, telling the other end.
//
// A pair of actors on one worker uses the channel. Where the two ends are in different processes, each has a view of its
// own, as the processes would have.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/actor/actor.h"
#include "runtime/channel/shm_channel.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    TOKEN = 0x5eed,
    LARGE_BYTES = 300000,                           // more than fits into a ring
    LARGE_AT = sizeof(RingWords) + RING_BYTES,      // in the shared file
    SHARED_BYTES = (LARGE_AT + 4095) / 4096 * 4096, // what is mapped of it
    SITE_NUMBER = 1,
    SITE_CHOICE,
    SITE_OWNED,
    SITE_LARGE,
};

// ---- what travels ----

typedef struct {
    long *number;
} Owned;

static long owned; // how many of them have memory

static Owned owned_new(long number)
{
    Owned value = {malloc(sizeof(long))};
    *value.number = number;
    owned++;
    return value;
}

static void owned_encode(chx_writer *writer, const void *value)
{
    chx_write(writer, ((const Owned *)value)->number, sizeof(long));
}

static bool owned_decode(chx_reader *reader, void *value)
{
    long number;
    if (!chx_read(reader, &number, sizeof number))
        return false;
    *(Owned *)value = owned_new(number);
    return true;
}

static void owned_drop(void *value)
{
    Owned *dropped = value;
    owned -= dropped->number != NULL;
    free(dropped->number);
}

typedef struct {
    unsigned char bytes[LARGE_BYTES];
} Large;

static const chx_codec owned_codec = {owned_encode, owned_decode, owned_drop};
static const chx_type owned_type = {
    .kind = CHX_KIND_CODEC, .owning = true, .size = sizeof(Owned), .name = "Owned", .codec = &owned_codec};
static const chx_type large_type = {.kind = CHX_KIND_ARRAY,
                                    .size = sizeof(Large),
                                    .name = "Large",
                                    .count = LARGE_BYTES,
                                    .element = &chx_type_unsigned_char};
static const chx_site sites[] = {
    {.number = SITE_NUMBER, .kind = CHX_SITE_SEND, .type = &chx_type_long},
    {.number = SITE_CHOICE, .kind = CHX_SITE_CHOICE},
    {.number = SITE_OWNED, .kind = CHX_SITE_SEND, .type = &owned_type},
    {.number = SITE_LARGE, .kind = CHX_SITE_SEND, .type = &large_type},
};
static const chx_role role = {.sites = sites, .site_count = sizeof sites / sizeof *sites, .receives_from_count = 1};

// ---- a producer and a consumer ----

typedef struct {
    Scheduler scheduler;
    Worker worker;
    Session session; // not pinned
    Actor producer, consumer;
    Channel *out, *in; // the two ends; memory: the same channel
    Channel *ins[1];
    ShmChannel shm[2];
    void *shared;
    unsigned violations;
} Pair;

static chx_runtime runtime;

typedef struct {
    void (*open)(Pair *pair, const Channel *constants);
    void (*close)(Pair *pair);
} Kind;

static Channel *channel_new(const Channel *constants)
{
    Channel *channel = aligned_alloc(CACHE_LINE, sizeof *channel);
    *channel = *constants;
    memory_channel_init(channel);
    return channel;
}

static void memory_pair_open(Pair *pair, const Channel *constants)
{
    pair->out = pair->in = channel_new(constants);
}

static void memory_pair_close(Pair *pair)
{
    pair->in->ops->close(pair->in);
    free(pair->in);
}

// As a process would do it that was rung for.
static void shm_wakes(Channel *channel, bool producer)
{
    Pair *pair = shm_channel(channel)->owner;
    Actor *actor = producer ? &pair->producer : &pair->consumer;
    atomic_store(&actor->waits, 0);
    atomic_store(&pair->worker.next, actor);
}

static void shm_violation(Actor *actor, Channel *channel, Violation about)
{
    Pair *pair = shm_channel(channel)->owner;
    (void)actor;
    (void)about;
    pair->violations++;
}

static const ShmSide shm_side = {shm_wakes, shm_violation};

static void shm_pair_open(Pair *pair, const Channel *constants)
{
    int file = memfd_create("ring", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, SHARED_BYTES + RING_LARGE_BYTES), 0);
    pair->shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(pair->shared != MAP_FAILED);
    Ring ring = {.words = pair->shared,
                 .data = (unsigned char *)pair->shared + sizeof(RingWords),
                 .bytes = RING_BYTES,
                 .file = descriptor_keep(file),
                 .large_at = SHARED_BYTES,
                 .token = TOKEN};
    ring_set_limits(&ring, constants->message_limit, constants->byte_limit);
    for (int i = 0; i < 2; i++)
        pair->shm[i] = (ShmChannel){.ring = ring, .side = &shm_side, .owner = pair};
    pair->out = channel_new(constants);
    pair->in = channel_new(constants);
    shm_channel_init(pair->out, &pair->shm[0], &role);
    shm_channel_init(pair->in, &pair->shm[1], &role);
}

static void shm_pair_close(Pair *pair)
{
    pair->out->ops->close(pair->out);
    pair->in->ops->close(pair->in);
    descriptor_close(&pair->shm[0].ring.file);
    munmap(pair->shared, SHARED_BYTES);
    free(pair->out);
    free(pair->in);
}

static const Kind memory_kind = {memory_pair_open, memory_pair_close}, shm_kind = {shm_pair_open, shm_pair_close};

static Pair *pair_open(void **state, uint64_t messages, uint64_t bytes)
{
    const Kind *kind = *state;
    Pair *pair = aligned_alloc(CACHE_LINE, (sizeof *pair + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    memset(pair, 0, sizeof *pair);
    runtime.spin_budget_ns = 1000;
    Channel constants = {.head = {.sending.check = TOKEN, .taking.check = TOKEN},
                         .runtime = &runtime,
                         .producer = &pair->producer,
                         .consumer = &pair->consumer,
                         .role = &role,
                         .is_fast = true,
                         .message_limit = messages,
                         .byte_limit = bytes};
    kind->open(pair, &constants);
    pair->worker.scheduler = &pair->scheduler;
    static _Atomic uint32_t generation;
    Actor *actors[] = {&pair->producer, &pair->consumer};
    for (int i = 0; i < 2; i++) {
        atomic_store(&actors[i]->home, &pair->worker);
        actors[i]->session = &pair->session;
        actors[i]->role = &role;
        actors[i]->budget = UINT32_MAX;
        actors[i]->self.generation = &generation;
    }
    pair->ins[0] = pair->in;
    pair->producer.out = pair->out;
    pair->producer.self.out = (unsigned char *)pair->out;
    pair->consumer.in = pair->ins;
    pair->consumer.self.in = (chx_channel *const *)pair->ins;
    owned = 0;
    return pair;
}

static void pair_close(void **state, Pair *pair)
{
    const Kind *kind = *state;
    kind->close(pair);
    assert_int_equal(owned, 0);
    free(pair);
}

// ---- what they do ----

// The actor waits: for room if it is the producer, else for a message.
static void wait_at(Pair *pair, Actor *actor)
{
    bool for_room = actor == &pair->producer;
    Channel *channel = for_room ? pair->out : pair->in;
    atomic_store(&pair->worker.next, NULL);
    atomic_store(&actor->waits, (uintptr_t)channel);
    if (channel->ops->announce_wait != NULL)
        channel->ops->announce_wait(channel, for_room);
}

static bool was_told(Pair *pair, const Actor *actor)
{
    return atomic_load(&pair->worker.next) == actor && atomic_load(&actor->waits) == 0;
}

static bool has_room(Pair *pair)
{
    return pair->out->ops->room(pair->out) != 0;
}

static void send(Pair *pair, uint32_t site, void *value, size_t size)
{
    assert_true(has_room(pair));
    assert_int_equal(pair->out->ops->send(pair->out, site, value, size), CHANNEL_DONE);
}

static void send_number(Pair *pair, long number)
{
    send(pair, SITE_NUMBER, &number, sizeof number);
}

static void send_owned(Pair *pair, long number)
{
    Owned value = owned_new(number);
    send(pair, SITE_OWNED, &value, sizeof value);
}

static const void *read_next(Pair *pair, uint32_t site, size_t size)
{
    const void *value = NULL;
    const Record *record = pair->in->ops->peek(pair->in);
    assert_non_null(record);
    assert_int_equal(record->site, site);
    assert_int_equal(record->of.epoch, pair->in->head.taking.epoch);
    assert_int_equal(pair->in->ops->read(pair->in, site, size, &value), CHANNEL_DONE);
    return value;
}

static ChannelCredit receive_number(Pair *pair, long number)
{
    assert_memory_equal(read_next(pair, SITE_NUMBER, sizeof number), &number, sizeof number);
    return pair->in->ops->take(pair->in);
}

static void receive_owned(Pair *pair, long number)
{
    Owned value;
    memcpy(&value, read_next(pair, SITE_OWNED, sizeof value), sizeof value);
    pair->in->ops->take(pair->in);
    assert_int_equal(*value.number, number);
    owned_drop(&value);
}

static bool is_empty(Pair *pair)
{
    return pair->in->ops->peek(pair->in) == NULL;
}

// ---- checks ----

static void messages_come_in_order(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16);
    assert_true(is_empty(pair));
    for (long round = 0; round < 1000; round++) {
        for (long i = 0; i < 30; i += 3) {
            uint32_t outcome = (uint32_t)i;
            send_number(pair, round + i);
            assert_int_equal(pair->out->ops->sequence(pair->out, true), round * 30 + i);
            send(pair, SITE_CHOICE, &outcome, sizeof outcome);
            send_owned(pair, -i);
        }
        for (long i = 0; i < 30; i += 3) {
            uint32_t outcome = (uint32_t)i;
            assert_int_equal(pair->in->ops->sequence(pair->in, false), round * 30 + i);
            receive_number(pair, round + i);
            assert_memory_equal(read_next(pair, SITE_CHOICE, sizeof outcome), &outcome, sizeof outcome);
            pair->in->ops->take(pair->in);
            receive_owned(pair, -i);
        }
        assert_true(is_empty(pair));
    }
    pair_close(state, pair);
}

static void messages_are_bounded(void **state)
{
    Pair *pair = pair_open(state, 5, 1 << 16);
    for (long i = 0; i < 5; i++)
        send_number(pair, i);
    assert_false(has_room(pair));
    for (long i = 0; i < 100; i++) {
        receive_number(pair, i);
        send_number(pair, i + 5);
        assert_false(has_room(pair));
    }
    pair_close(state, pair);
}

// So many messages as it says can be sent, whoever counts them.
static void room_is_what_there_is(void **state)
{
    Pair *pair = pair_open(state, 7, 1 << 16);
    long sent = 0;
    for (uint64_t room; (room = pair->out->ops->room(pair->out)) != 0;)
        for (; room > 0; room--)
            assert_int_equal(pair->out->ops->send(pair->out, SITE_NUMBER, &(long){sent++}, sizeof(long)), CHANNEL_DONE);
    assert_int_equal(sent, 7);
    pair_close(state, pair);
}

static void bytes_are_bounded(void **state)
{
    Pair *pair = pair_open(state, 1000, 1000);
    long sent = 0;
    for (; has_room(pair); sent++)
        send_number(pair, sent);
    assert_int_equal(sent, (1000 + CHX_RECORD_BYTES(sizeof(long)) - 1) / CHX_RECORD_BYTES(sizeof(long)));
    receive_number(pair, 0);
    assert_true(has_room(pair));
    pair_close(state, pair);
}

static void a_value_larger_than_the_bound_passes(void **state)
{
    Pair *pair = pair_open(state, 1000, 1000);
    Large *large = malloc(sizeof *large);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < LARGE_BYTES; i++)
            large->bytes[i] = (unsigned char)(i * 7 + (i >> 8) + (size_t)round);
        send_number(pair, round);
        send(pair, SITE_LARGE, large, sizeof *large);
        assert_false(has_room(pair));
        receive_number(pair, round);
        assert_false(has_room(pair));
        assert_memory_equal(read_next(pair, SITE_LARGE, sizeof *large), large, sizeof *large);
        pair->in->ops->take(pair->in);
        assert_true(has_room(pair));
    }
    free(large);
    pair_close(state, pair);
}

static void old_epochs_are_dropped_and_newer_ones_left(void **state)
{
    Pair *pair = pair_open(state, 6, 1 << 16);
    for (long i = 0; i < 4; i++)
        send_owned(pair, i);
    pair->out->head.sending.epoch = 1;
    send_owned(pair, 10);
    pair->out->head.sending.epoch = 2;
    send_owned(pair, 20);
    assert_false(has_room(pair));
    wait_at(pair, &pair->producer);
    pair->in->head.taking.epoch = 1;
    const Record *record = actor_peek(&pair->consumer, pair->in);
    assert_non_null(record);
    assert_int_equal(record->of.epoch, 1);
    assert_true(was_told(pair, &pair->producer));
    assert_true(has_room(pair));
    receive_owned(pair, 10);
    assert_null(actor_peek(&pair->consumer, pair->in));
    assert_false(actor_finds(&pair->consumer, pair->in, false));
    assert_int_equal(pair->in->ops->peek(pair->in)->of.epoch, 2);
    pair->in->head.taking.epoch = 2;
    assert_non_null(actor_peek(&pair->consumer, pair->in));
    receive_owned(pair, 20);
    assert_null(actor_peek(&pair->consumer, pair->in));
    assert_int_equal(owned, 0);
    pair_close(state, pair);
}

static void the_room_of_old_epochs_comes_back(void **state)
{
    Pair *pair = pair_open(state, 4, 1 << 16);
    for (uint32_t epoch = 1; epoch < 100; epoch++) {
        for (long i = 0; i < 4; i++)
            send_number(pair, i);
        assert_false(has_room(pair));
        wait_at(pair, &pair->producer);
        pair->out->head.sending.epoch = pair->in->head.taking.epoch = epoch;
        assert_false(actor_finds(&pair->consumer, pair->in, false));
        assert_true(was_told(pair, &pair->producer));
        assert_null(pair->consumer.credit_pending);
    }
    pair_close(state, pair);
}

static void a_value_belongs_to_the_channel_until_it_is_taken(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16);
    send_owned(pair, 1);
    send_owned(pair, 2);
    // The actor fails after reading, and reads again.
    for (int i = 0; i < 3; i++) {
        const Owned *value = read_next(pair, SITE_OWNED, sizeof(Owned));
        assert_int_equal(*value->number, 1);
    }
    receive_owned(pair, 1);
    read_next(pair, SITE_OWNED, sizeof(Owned));
    // Closing drops what was read and never taken, and what was never read.
    send_owned(pair, 3);
    pair_close(state, pair);
}

static void tell_consumer(Pair *pair, Channel **credit_pending)
{
    bool is_told = pair->out->ops->notify_sent(pair->out, credit_pending);
    if (!is_told)
        actor_notify(&pair->producer, &pair->consumer, pair->out);
}

static void a_waiting_consumer_is_told_of_a_message(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16);
    Channel *no_credit = NULL;
    for (long i = 0; i < 10; i++) {
        wait_at(pair, &pair->consumer);
        assert_true(is_empty(pair));
        send_number(pair, i);
        assert_false(was_told(pair, &pair->consumer));
        tell_consumer(pair, &no_credit);
        assert_true(was_told(pair, &pair->consumer));
        receive_number(pair, i);
    }
    pair_close(state, pair);
}

static void credit_is_due_before_the_channel_is_half_empty(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16);
    for (long i = 0; i < 100; i++)
        send_number(pair, i);
    assert_false(has_room(pair));
    wait_at(pair, &pair->producer);
    long taken = 0, value;
    while (!was_told(pair, &pair->producer)) {
        assert_true(chx_receive(&pair->consumer.self, 0, SITE_NUMBER, &value, sizeof value));
        assert_int_equal(value, taken++);
        assert_true(taken <= 50);
    }
    assert_true(has_room(pair));
    pair_close(state, pair);
}

static void pending_credit_is_flushed(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16);
    long value;
    for (long i = 0; i < 3; i++)
        send_number(pair, i);
    wait_at(pair, &pair->producer);
    for (long i = 0; i < 3; i++)
        assert_true(chx_receive(&pair->consumer.self, 0, SITE_NUMBER, &value, sizeof value));
    assert_false(was_told(pair, &pair->producer));
    assert_ptr_equal(pair->consumer.credit_pending, pair->in);
    actor_flush_credit(&pair->consumer);
    assert_true(was_told(pair, &pair->producer));
    assert_null(pair->consumer.credit_pending);
    pair_close(state, pair);
}

// Credit may be told together with a message the other way, or kept; it is not lost.
static void credit_goes_with_a_message_or_stays(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16), *back = pair_open(state, 100, 1 << 16);
    send_number(pair, 1);
    wait_at(pair, &pair->producer);
    receive_number(pair, 1);
    Channel *credit_pending = pair->in;
    send_number(back, 2);
    tell_consumer(back, &credit_pending);
    assert_int_equal(was_told(pair, &pair->producer), credit_pending == NULL);
    pair_close(state, back);
    pair_close(state, pair);
}

static void a_wrong_message_is_noticed(void **state)
{
    Pair *pair = pair_open(state, 100, 1 << 16);
    const void *value;
    char why[128] = "";
    send_number(pair, 1);
    assert_non_null(pair->in->ops->peek(pair->in));
    ChannelStatus status;
    while ((status = pair->in->ops->read(pair->in, SITE_OWNED, sizeof(Owned), &value)) == CHANNEL_AGAIN)
        assert_non_null(pair->in->ops->peek(pair->in));
    if (pair->in->ops->is_trusted) {
        assert_int_equal(status, CHANNEL_FAILED);
        pair->in->ops->explain(pair->in, SITE_OWNED, why, sizeof why);
        assert_string_equal(why, "internal error: message of site 1 where 3 was expected");
    } else {
        assert_int_equal(status, CHANNEL_EMPTY);
        assert_int_equal(pair->violations, 1);
    }
    pair_close(state, pair);
}

// The inline code and the calls that it falls back to, in turns.
static void projected_code_passes_a_stream(void **state)
{
    Pair *pair = pair_open(state, 13, 1 << 16);
    chx_self *producer = &pair->producer.self, *consumer = &pair->consumer.self;
    long sent = 0, taken = 0, value;
    Owned got = {0};
    while (taken < 20000) {
        for (; chx_room(producer, 0); sent++) {
            Owned given = {0};
            if (sent % 7 == 0)
                given = owned_new(sent);
            chx_send(producer, 0, sent % 7 == 0 ? SITE_OWNED : SITE_NUMBER, sent % 7 == 0 ? (void *)&given : &sent,
                     sizeof(long));
        }
        assert_int_equal(sent - taken, 13);
        for (; taken < sent; taken++) {
            if (taken % 7 == 0) {
                assert_int_equal(chx_arriving(consumer, 0), SITE_OWNED);
                assert_true(chx_receive_into(consumer, 0, SITE_OWNED, &owned_type, &got));
                value = *got.number;
            } else {
                assert_true(chx_receive(consumer, 0, SITE_NUMBER, &value, sizeof value));
            }
            assert_int_equal(value, taken);
        }
        assert_false(chx_receive(consumer, 0, SITE_NUMBER, &value, sizeof value));
        assert_int_equal(consumer->wants, (uintptr_t)pair->in);
    }
    chx_value_drop(&owned_type, &got);
    pair_close(state, pair);
}

static_assert(sizeof(Owned) == sizeof(long), "projected_code_passes_a_stream sends either");

#define FOR_EACH_KIND(test)                                                                                            \
    {#test " (memory)", test, NULL, NULL, (void *)&memory_kind},                                                       \
    {                                                                                                                  \
#test " (shared memory)", test, NULL, NULL, (void *)&shm_kind                                                  \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOR_EACH_KIND(messages_come_in_order),
        FOR_EACH_KIND(messages_are_bounded),
        FOR_EACH_KIND(room_is_what_there_is),
        FOR_EACH_KIND(bytes_are_bounded),
        FOR_EACH_KIND(a_value_larger_than_the_bound_passes),
        FOR_EACH_KIND(old_epochs_are_dropped_and_newer_ones_left),
        FOR_EACH_KIND(the_room_of_old_epochs_comes_back),
        FOR_EACH_KIND(a_value_belongs_to_the_channel_until_it_is_taken),
        FOR_EACH_KIND(a_waiting_consumer_is_told_of_a_message),
        FOR_EACH_KIND(credit_is_due_before_the_channel_is_half_empty),
        FOR_EACH_KIND(pending_credit_is_flushed),
        FOR_EACH_KIND(credit_goes_with_a_message_or_stays),
        FOR_EACH_KIND(a_wrong_message_is_noticed),
        FOR_EACH_KIND(projected_code_passes_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
