// queue_test.c: see queue.h.

#include "net/session/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned in_use;
static const uint8_t zeros[1 << 15];

static void *test_allocate(void *context, size_t size)
{
    (void)context;
    in_use++;
    return malloc(size);
}

static void test_release(void *context, void *block)
{
    (void)context;
    in_use--;
    free(block);
}

static const NetMemory memory = {test_allocate, test_release, NULL};

// Messages of all sizes, in many segments, dropped at both ends: what is left is what was put in.
static void a_queue_holds_what_was_put_in(void **state)
{
    (void)state;
    Queue queue = {0};
    uint64_t first = 0, next = 0, random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned what = random >> 33 & 15;
        size_t size = (size_t)(random >> 40) % (what == 0 ? 20000 : 300);
        Message message = {.number = next, .epoch = 3, .site = (uint32_t)size, .value = {zeros, size}};
        if (what < 9) {
            assert_true(queue_add(&queue, &memory, &message));
            next++;
        } else if (what < 15 && first < next) {
            assert_true(queue_first(&queue, &message));
            assert_true(message.number == first && message.value.size == message.site);
            queue_drop_first(&queue, &memory);
            first++;
        } else if (what == 15) {
            QueueCursor cursor = queue.begin;
            uint64_t stay = first + (random >> 50) % (next - first + 1);
            for (uint64_t at = first; at < stay; at++)
                assert_true(queue_next(&cursor, &message) && message.number == at);
            if (stay < next)
                queue_cut(&queue, &memory, cursor);
            next = stay;
        }
        assert_int_equal(queue.count, next - first);
    }
    queue_fini(&queue, &memory);
    assert_int_equal(queue.bytes, 0);
    assert_int_equal(in_use, 0);
}

// Runs of messages, as the runtime hands them over, between single ones and epochs: what comes out is what went in, however it is dropped.
static void runs_are_messages_like_others(void **state)
{
    (void)state;
    Queue queue = {0};
    uint64_t random = 1, bytes_in = 0, bytes_out = 0;
    uint32_t added = 0, dropped = 0, epoch = 0;
    uint64_t number = 0;
    for (int i = 0; i < 3000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if ((random >> 60) == 0) {
            epoch++;
            number = 0;
        }
        uint8_t messages[6000];
        uint32_t count = (uint32_t)(random >> 33) % 20 + 1;
        QueueRun run = {.epoch = epoch, .number = number, .count = count, .messages = {messages, 0}};
        size_t bytes = 0;
        for (uint32_t each = 0; each < count; each++) {
            size_t size = (size_t)(added + each) % 250;
            uint8_t *value = wire_put(wire_put(messages + run.messages.size, added + each, 4), size, 4);
            memset(value, (int)size, size);
            run.messages.size += QUEUE_HEAD_BYTES + size;
            bytes += size;
        }
        assert_true(queue_add_run(&queue, &memory, &run, bytes));
        added += count;
        number += count;
        bytes_in += bytes;
        while (queue.count > 100) {
            Message first = {0};
            size_t gone;
            assert_true(queue_first(&queue, &first));
            assert_int_equal(first.site, dropped);
            assert_int_equal(first.value.size, dropped % 250);
            assert_true(first.value.size == 0 || first.value.data[first.value.size - 1] == dropped % 250);
            dropped += queue_drop(&queue, &memory, (uint32_t)(random >> 40) % 50 + 1, &gone);
            bytes_out += gone;
        }
        assert_int_equal(queue.count, added - dropped);
        assert_true(queue.bytes == bytes_in - bytes_out);
    }
    queue_fini(&queue, &memory);
    assert_int_equal(in_use, 0);
}

static void a_run_is_cut_between_messages(void **state)
{
    (void)state;
    Queue queue = {0};
    QueueRun run;
    for (uint64_t i = 0; i < 10; i++)
        assert_true(queue_add(&queue, &memory, &(Message){.number = i, .site = 1, .value = {zeros, 10}}));
    for (uint32_t count = 0; count <= 10; count++) {
        QueueCursor cursor = queue.begin;
        assert_true(queue_run(&cursor, &run));
        queue_run_cut(&run, count, 1000);
        assert_int_equal(run.count, count);
        assert_int_equal(run.messages.size, 18 * count);
        assert_true(queue_run(&cursor, &run));
        queue_run_cut(&run, 10, 18 * count + 17);
        assert_int_equal(run.count, count);
        queue_pass(&cursor, &run);
        assert_int_equal(cursor.number, count);
    }
    queue_fini(&queue, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_holds_what_was_put_in),
        cmocka_unit_test(runs_are_messages_like_others),
        cmocka_unit_test(a_run_is_cut_between_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
