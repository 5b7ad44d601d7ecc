// numbers_test.c: numbers of sessions that are over, against a table of all of them.

#include "net/node/numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t range_count(const Range *ranges)
{
    size_t count = 0;
    for (; ranges != NULL; ranges = ranges->next)
        count++;
    return count;
}

static void they_are_one_range_in_any_order(void **state)
{
    enum { MOST = 64, ROUNDS = 2000 };
    (void)state;
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        Range *ranges = NULL;
        bool is_over[MOST + 2] = {false};
        for (unsigned step = 0; step < MOST * 2; step++) {
            uint64_t number = 1 + (uint64_t)rand() % MOST, last = 0;
            numbers_add(&ranges, number);
            is_over[number] = true;
            size_t runs = 0;
            for (uint64_t i = 1; i <= MOST + 1; i++) {
                assert_int_equal(numbers_have(ranges, i), is_over[i]);
                last = is_over[i] ? i : last;
                runs += is_over[i] && !is_over[i - 1];
            }
            assert_int_equal(numbers_last(ranges), last);
            assert_int_equal(range_count(ranges), runs);
        }
        numbers_free(ranges);
    }
}

static void none_is_over_at_first(void **state)
{
    (void)state;
    assert_false(numbers_have(NULL, 1));
    assert_int_equal(numbers_last(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_one_range_in_any_order),
        cmocka_unit_test(none_is_over_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
