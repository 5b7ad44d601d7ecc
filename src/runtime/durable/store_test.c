// A session that is taken from a program that was lost: what that one had under way may still happen between the moment at which the
// session is loaded and the one at which it is taken. It must not be missing then.

#include "runtime/durable/store.h"
#include "store/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// The store in memory, on which the former owner's commit arrives when the session has been loaded.
static chx_store_ops late;
static void *former;
static uint64_t late_version; // of that commit; 0: it has happened
static char why[CHX_STORE_WHY];

static chx_store_change change_of(uint64_t version)
{
    return (chx_store_change){
        .key = {"shop", "", "order"}, .term = 1, .version = version, .definition = "run", .home = "elsewhere"};
}

static int load_then_commit(void *store, const chx_store_key *key, chx_store_cut *cut, char text[CHX_STORE_WHY])
{
    int error = memory_store_ops.load(store, key, cut, text);
    chx_store_change change = change_of(late_version);
    if (late_version > 0) {
        late_version = 0;
        assert_int_equal(memory_store_ops.commit(former, &change, 1, why), 0);
        assert_true(change.is_applied);
    }
    return error;
}

static void a_late_commit_is_not_missed(void **state)
{
    MemoryDisk *disk = memory_disk_new();
    chx_store_change change = change_of(0);
    chx_store_cut cut;
    uint64_t term = 0;
    (void)state;
    assert_int_equal(
        memory_store_ops.open(memory_disk_place(disk), "elsewhere", (const uint64_t[]){1, 2}, &former, why), 0);
    assert_int_equal(memory_store_ops.commit(former, &change, 1, why), 0);
    late = memory_store_ops;
    late.load = load_then_commit;
    late_version = 1;
    chx_store *store = chx_store_of(&late, memory_disk_place(disk));
    assert_int_equal(store_find(store, &change.key, &cut, &term, why), STORE_IS_OURS);
    assert_true(term == 2 && cut.term == 2);
    assert_true(cut.version == 2);
    // And the former owner can do nothing any more.
    change = change_of(2);
    assert_int_equal(memory_store_ops.commit(former, &change, 1, why), 0);
    assert_false(change.is_applied);
    store_release(store, &cut);
    chx_store_close(store);
    memory_store_ops.close(former);
    memory_disk_free(disk);
}

static void messages_show_no_password(void **state)
{
    static const char *const cases[][3] = {
        {"sqlite", "orders.db", "sqlite:orders.db"},
        {"postgresql", "postgresql://ann:se@cret@db1,db2/shop?password=x", "postgresql://db1,db2/shop"},
        {"postgresql", "postgresql://ann@db1", "postgresql://db1"},
        {"postgresql", "postgresql:///shop?host=/tmp/a@b", "postgresql:///shop"},
    };
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store_shown(cases[i][0], cases[i][1], text, sizeof text);
        assert_string_equal(text, cases[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_show_no_password),
        cmocka_unit_test(a_late_commit_is_not_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
