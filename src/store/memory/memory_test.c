// The store in memory: what every store does, and commits that fail on request.

#define _GNU_SOURCE

#include "store/conform.h"
#include "store/memory/memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t clock_ms = 1;

static void pass(const StoreWorld *world, uint64_t ms)
{
    memory_disk_set_clock(world->context, clock_ms += ms);
}

static void memory_conforms(void **state)
{
    MemoryDisk *disk = memory_disk_new();
    (void)state;
    store_conforms(&(StoreWorld){.ops = &memory_store_ops,
                                 .place = memory_disk_place(disk),
                                 .large_bytes = 1 << 20,
                                 .pass = pass,
                                 .context = disk});
    memory_disk_free(disk);
}

static void count_loss(void *context)
{
    ++*(int *)context;
}

static void commits_fail_on_request(void **state)
{
    static const struct {
        MemoryFailure failure;
        int result;
        bool is_done;
        int losses;
    } all[] = {
        {MEMORY_REFUSED, -EAGAIN, false, 0},          {MEMORY_FULL, -ENOSPC, false, 0},
        {MEMORY_DOUBT_LOST, -EINPROGRESS, false, 0},  {MEMORY_DOUBT_DONE, -EINPROGRESS, true, 0},
        {MEMORY_LOST_BEFORE, -EINPROGRESS, false, 1}, {MEMORY_LOST_AFTER, -EINPROGRESS, true, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        MemoryDisk *disk = memory_disk_new();
        void *store;
        char why[CHX_STORE_WHY];
        int losses = 0;
        chx_store_change change = {.key = {"c", "", "n"}, .term = 1, .definition = "run", .home = "", .token = {1, 2}};
        chx_store_cut cut;
        assert_int_equal(memory_store_ops.open(memory_disk_place(disk), "", (const uint64_t[]){1, 2}, &store, why), 0);
        memory_disk_fail(disk, 2, all[i].failure, count_loss, &losses);
        assert_int_equal(memory_store_ops.commit(store, &change, 1, why), 0);
        assert_true(change.is_applied);
        change.version = 1;
        assert_int_equal(memory_store_ops.commit(store, &change, 1, why), all[i].result);
        assert_false(change.is_applied);
        assert_int_equal(losses, all[i].losses);
        assert_int_equal(memory_store_ops.load(store, &change.key, &cut, why), 0);
        assert_int_equal(cut.version, all[i].is_done ? 2 : 1);
        memory_store_ops.release(store, &cut);
        assert_int_equal(memory_store_ops.commit(store, &change, 1, why), 0);
        assert_true(change.is_applied == !all[i].is_done);
        assert_int_equal(memory_disk_commits(disk), 3);
        memory_store_ops.close(store);
        memory_disk_free(disk);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_conforms),
        cmocka_unit_test(commits_fail_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
