// memory_channel_test.c: what only a channel in memory does: reuse of segments, beginning anew, nothing sent without memory, one producer
// and one consumer on two threads. What all channels have in common: ops_test.c.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/channel/channel.h"
#include "runtime/session/runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static long allocations, held;
static long fail_after = -1;

static void *counting_allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size == 0) {
        held--;
        free(old);
        return NULL;
    }
    if (fail_after == 0)
        return NULL;
    allocations++;
    held++;
    return realloc(old, size);
}

static chx_runtime runtime = {.options = {.allocate = counting_allocate}};
static const chx_role role;

static bool push(Channel *channel, uint32_t site, void *value, size_t size)
{
    return channel->ops->send(channel, site, value, size) == CHANNEL_DONE;
}

static const Record *peek(Channel *channel)
{
    return channel->ops->peek(channel);
}

static void pop(Channel *channel)
{
    assert_non_null(peek(channel));
    channel->ops->take(channel);
}

static bool checks(Channel *channel, const Record *record)
{
    const void *value;
    bool is_done = channel->ops->read(channel, record->site, record->size, &value) == CHANNEL_DONE;
    return is_done && value == record + 1;
}

static Channel *make(uint64_t messages, uint64_t bytes)
{
    Channel *channel = aligned_alloc(CACHE_LINE, sizeof *channel);
    allocations = held = 0;
    *channel = (Channel){.head = {.sending.check = 0x1234, .taking.check = 0x1234},
                         .runtime = &runtime,
                         .role = &role,
                         .is_fast = true,
                         .message_limit = messages,
                         .byte_limit = bytes};
    memory_channel_init(channel);
    return channel;
}

static void destroy(Channel *channel)
{
    channel->ops->close(channel);
    assert_int_equal(held, 0);
    free(channel);
}

static void push_number(Channel *channel, uint64_t number)
{
    assert_true(push(channel, (uint32_t)number % 100, &number, sizeof number));
}

static void take_number(Channel *channel, uint64_t number)
{
    const Record *record = peek(channel);
    assert_non_null(record);
    assert_true(checks(channel, record));
    assert_int_equal(record->site, number % 100);
    assert_int_equal(record->size, sizeof number);
    assert_memory_equal(record + 1, &number, sizeof number);
    channel->ops->take(channel);
}

static void messages_come_in_order(void **state)
{
    (void)state;
    Channel *channel = make(1000, 1 << 20);
    assert_null(peek(channel));
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(channel->ops->room(channel) != 0);
        push_number(channel, i);
    }
    assert_false(channel->ops->room(channel) != 0);
    for (uint64_t i = 0; i < 1000; i++)
        take_number(channel, i);
    assert_null(peek(channel));
    assert_true(channel->ops->room(channel) != 0);
    destroy(channel);
}

static void steady_use_allocates_nothing(void **state)
{
    (void)state;
    Channel *channel = make(1024, 1 << 20);
    unsigned char value[256] = {1, 2, 3};
    for (int round = 0; round < 10000; round++) {
        if (round == 100)
            allocations = 0;
        for (int i = 0; i < 5; i++)
            assert_true(push(channel, 1, value, sizeof value));
        for (int i = 0; i < 5; i++)
            pop(channel);
    }
    assert_int_equal(allocations, 0);
    destroy(channel);
}

static void a_few_small_messages_allocate_nothing_at_all(void **state)
{
    (void)state;
    Channel *channel = make(1024, 1 << 20);
    for (uint64_t i = 0; i < 8; i++)
        push_number(channel, i);
    assert_int_equal(allocations, 0);
    for (uint64_t i = 0; i < 8; i++)
        take_number(channel, i);
    destroy(channel);
}

static void any_size_passes_when_the_channel_is_empty(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 15, 16, 17, 239, 240, 241, 4096, 65536, 70000, 3 << 20, 5};
    unsigned char *value = malloc(3 << 20);
    memset(value, 0x5a, 3 << 20);
    Channel *channel = make(1024, 1000);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            assert_true(channel->ops->room(channel) != 0);
            assert_true(push(channel, 3, value, sizes[i]));
            assert_int_equal((channel->ops->room(channel) != 0), sizes[i] < 980);
            const Record *record = peek(channel);
            assert_int_equal(record->size, sizes[i]);
            assert_memory_equal(record + 1, value, sizes[i]);
            channel->ops->take(channel);
        }
    destroy(channel);
    free(value);
}

static void without_memory_nothing_is_sent(void **state)
{
    (void)state;
    Channel *channel = make(1024, 1 << 20);
    unsigned char value[200] = {0};
    assert_true(push(channel, 1, value, sizeof value));
    fail_after = 0;
    assert_false(push(channel, 2, value, sizeof value));
    fail_after = -1;
    assert_true(push(channel, 3, value, sizeof value));
    assert_int_equal(peek(channel)->site, 1);
    pop(channel);
    assert_int_equal(peek(channel)->site, 3);
    pop(channel);
    destroy(channel);
}

static void a_foreign_or_repeated_message_is_noticed(void **state)
{
    (void)state;
    Channel *channel = make(10, 1000);
    push_number(channel, 1);
    Record *record = (Record *)peek(channel);
    assert_true(checks(channel, record));
    record->of.check ^= 1;
    assert_false(checks(channel, record));
    channel->ops->take(channel);
    destroy(channel);
}

enum { STREAM = 300000 };

static void *produce(void *argument)
{
    Channel *channel = argument;
    unsigned char value[600];
    for (uint32_t i = 0; i < STREAM; i++) {
        size_t size = i % 97 == 0 ? 600 : i % 40;
        memset(value, (int)i, size);
        while (!(channel->ops->room(channel) != 0))
            sched_yield();
        if (!push(channel, i, value, size))
            return "no memory";
    }
    return NULL;
}

static void two_threads_pass_a_stream(void **state)
{
    (void)state;
    static chx_runtime plain;
    static const uint64_t limits[] = {1, 3, 1024};
    for (size_t round = 0; round < 3; round++) {
        Channel *channel = aligned_alloc(CACHE_LINE, sizeof *channel);
        *channel = (Channel){
            .runtime = &plain, .role = &role, .is_fast = true, .message_limit = limits[round], .byte_limit = 1 << 20};
        memory_channel_init(channel);
        pthread_t producer;
        pthread_create(&producer, NULL, produce, channel);
        for (uint32_t i = 0; i < STREAM; i++) {
            const Record *record;
            while ((record = peek(channel)) == NULL)
                sched_yield();
            size_t size = i % 97 == 0 ? 600 : i % 40;
            const unsigned char *value = (const unsigned char *)(record + 1);
            if (record->site != i || record->size != size || !checks(channel, record) ||
                (size != 0 && (value[0] != (unsigned char)i || value[size - 1] != (unsigned char)i)))
                fail_msg("message %u is wrong", i);
            channel->ops->take(channel);
        }
        void *error;
        pthread_join(producer, &error);
        assert_null(error);
        channel->ops->close(channel);
        free(channel);
    }
}

// So many messages of 8 bytes pass, one after the other.
static void pass(Channel *channel, uint32_t from, uint32_t count)
{
    for (uint64_t i = from; i < from + count; i++) {
        assert_true(push(channel, 7, &i, sizeof i));
        const Record *record = peek(channel);
        assert_non_null(record);
        assert_true(checks(channel, record));
        assert_memory_equal(record + 1, &i, sizeof i);
        pop(channel);
    }
}

static void a_rewound_channel_uses_the_same_memory_again(void **state)
{
    (void)state;
    Channel *channel = make(100, 1 << 16);
    const unsigned char *begin = channel->head.write;
    for (uint32_t i = 0; i < 1000; i++) {
        pass(channel, i, 3);
        memory_channel_rewind(channel);
        assert_ptr_equal(channel->head.write, begin);
        assert_ptr_equal(channel->head.read, begin);
    }
    assert_int_equal(allocations, 0);
    destroy(channel);
}

// The room is counted in bytes, too, and must not run out or grow when the channel is rewound.
static void rewinding_counts_what_has_passed(void **state)
{
    (void)state;
    Channel *channel = make(1000, 8 * CHX_RECORD_BYTES(8));
    for (uint32_t i = 0; i < 100; i++) {
        pass(channel, i, 5);
        memory_channel_rewind(channel);
        uint64_t value = i, sent = 0;
        while (channel->ops->room(channel) != 0 && sent < 100) {
            assert_true(push(channel, 7, &value, sizeof value));
            sent++;
        }
        assert_int_equal(sent, 8);
        while (sent-- > 0)
            pop(channel);
        memory_channel_rewind(channel);
    }
    destroy(channel);
}

static void a_channel_with_messages_is_not_rewound(void **state)
{
    (void)state;
    Channel *channel = make(100, 1 << 16);
    uint64_t value = 5;
    assert_true(push(channel, 7, &value, sizeof value));
    const unsigned char *write = channel->head.write;
    memory_channel_rewind(channel);
    assert_ptr_equal(channel->head.write, write);
    assert_memory_equal(peek(channel) + 1, &value, sizeof value);
    pop(channel);
    destroy(channel);
}

// A channel that has needed much keeps that memory as long as it needs it, and then gives it back.
static void a_rewound_channel_gives_back_what_it_does_not_need(void **state)
{
    (void)state;
    Channel *channel = make(1000, 1 << 16);
    const unsigned char *begin = channel->head.write;
    for (uint32_t i = 0; i < 10; i++) {
        pass(channel, i, 50);
        memory_channel_rewind(channel);
    }
    assert_true(held > 0 && allocations <= 2);
    pass(channel, 0, 2);
    memory_channel_rewind(channel);
    assert_int_equal(held, 0);
    assert_ptr_equal(channel->head.write, begin);
    pass(channel, 0, 200);
    destroy(channel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_in_order),
        cmocka_unit_test(steady_use_allocates_nothing),
        cmocka_unit_test(a_few_small_messages_allocate_nothing_at_all),
        cmocka_unit_test(any_size_passes_when_the_channel_is_empty),
        cmocka_unit_test(without_memory_nothing_is_sent),
        cmocka_unit_test(a_foreign_or_repeated_message_is_noticed),
        cmocka_unit_test(two_threads_pass_a_stream),
        cmocka_unit_test(a_rewound_channel_uses_the_same_memory_again),
        cmocka_unit_test(rewinding_counts_what_has_passed),
        cmocka_unit_test(a_channel_with_messages_is_not_rewound),
        cmocka_unit_test(a_rewound_channel_gives_back_what_it_does_not_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
