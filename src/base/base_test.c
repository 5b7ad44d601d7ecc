// The containers of the compiler.

#include "base/map.h"
#include "base/roleset.h"
#include "base/text.h"
#include "base/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    char *before = NULL;
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        char *memory = arena_alloc(arena, size);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0x5a, size);
        if (before != NULL)
            assert_int_equal(before[0], 0x5a);
        before = memory;
    }
    assert_string_equal(arena_printf(arena, "%s %d", "three", 3), "three 3");
    assert_string_equal(arena_copy(arena, "abcdef", 3), "abc");
    assert_string_equal(arena_copy(arena, "", 0), "");
    arena_free(arena);
    arena_free(NULL);
}

static void vector_keeps_order_while_it_grows(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    VECTOR(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        vector_push(arena, &numbers, i * 7);
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i * 7);
    arena_free(arena);
}

static void map_finds_what_was_put_last(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Map map;
    map_init(&map, arena);
    assert_null(map_get(&map, "nothing"));
    assert_false(map_has(&map, "nothing"));
    int values[500];
    for (int i = 0; i < 500; i++)
        map_put(&map, arena_printf(arena, "key %d", i), &values[i]);
    for (int i = 0; i < 500; i++)
        assert_ptr_equal(map_get(&map, arena_printf(arena, "key %d", i)), &values[i]);
    assert_int_equal(map.count, 500);
    map_put(&map, "key 7", NULL);
    assert_null(map_get(&map, "key 7"));
    assert_true(map_has(&map, "key 7"));
    assert_int_equal(map.count, 500);
    arena_free(arena);
}

static void text_grows_and_is_always_terminated(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Text text;
    text_init(&text, arena);
    assert_string_equal(text.chars, "");
    for (int i = 0; i < 300; i++)
        text_puts(&text, "ab");
    text_printf(&text, "%0500d", 1);
    assert_int_equal(text.length, 1100);
    assert_int_equal(strlen(text.chars), 1100);
    assert_int_equal(text.chars[1099], '1');
    arena_free(arena);
}

static void roleset_does_set_algebra_beyond_one_word(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    RoleSet evens = roleset_new(arena, 200), all = roleset_new(arena, 200);
    for (RoleId role = 0; role < 200; role++) {
        assert_true(roleset_add(&all, role));
        if (role % 2 == 0)
            roleset_add(&evens, role);
    }
    assert_false(roleset_add(&all, 199));
    assert_int_equal(roleset_count(&evens), 100);
    assert_true(roleset_covers(&all, &evens));
    assert_false(roleset_covers(&evens, &all));
    RoleSet one = roleset_one(arena, 200, 131);
    assert_false(roleset_meets(&one, &evens));
    assert_true(roleset_meets(&one, &all));
    assert_int_equal(roleset_next(&one, 0), 131);
    assert_int_equal(roleset_next(&one, 132), ROLE_NONE);
    size_t count = 0;
    for (RoleId role = roleset_next(&evens, 0); role != ROLE_NONE; role = roleset_next(&evens, role + 1))
        assert_int_equal(role, 2 * count++);
    assert_int_equal(count, 100);
    RoleSet copy = roleset_copy(arena, &evens);
    assert_true(roleset_equal(&copy, &evens));
    roleset_remove(&copy, 64);
    assert_false(roleset_equal(&copy, &evens));
    assert_true(roleset_add_all(&copy, &evens));
    assert_false(roleset_add_all(&copy, &evens));
    assert_true(roleset_equal(&copy, &evens));
    RoleSet nobody = roleset_new(arena, 200);
    assert_true(roleset_empty(&nobody));
    assert_false(roleset_empty(&one));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(vector_keeps_order_while_it_grows),
        cmocka_unit_test(map_finds_what_was_put_last),
        cmocka_unit_test(text_grows_and_is_always_terminated),
        cmocka_unit_test(roleset_does_set_algebra_beyond_one_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
