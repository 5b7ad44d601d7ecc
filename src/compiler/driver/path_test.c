// Names of files, and replacing them.

#include "compiler/driver/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Arena *arena;
    char before[4096];
    char directory[64];
} Fixture;

// Each test runs in a fresh directory that has src/ and common/.
static int setup(void **state)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    fixture->arena = arena_new();
    *state = fixture;
    strcpy(fixture->directory, "/tmp/path-test-XXXXXX");
    if (getcwd(fixture->before, sizeof fixture->before) == NULL || mkdtemp(fixture->directory) == NULL)
        return -1;
    return chdir(fixture->directory) != 0 || mkdir("src", 0777) != 0 || mkdir("common", 0777) != 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    rmdir("src");
    rmdir("common");
    int failed = chdir(fixture->before) != 0 || rmdir(fixture->directory) != 0;
    arena_free(fixture->arena);
    free(fixture);
    return failed;
}

static void parts_of_a_path(void **state)
{
    Arena *arena = ((Fixture *)*state)->arena;
    assert_string_equal(path_directory(arena, "a.c"), ".");
    assert_string_equal(path_directory(arena, "/a.c"), "/");
    assert_string_equal(path_directory(arena, "x/y/a.c"), "x/y");
    assert_string_equal(path_base("x/y/a.c"), "a.c");
    assert_string_equal(path_join(arena, ".", "a.c"), "a.c");
    assert_string_equal(path_join(arena, "/", "a.c"), "/a.c");
    assert_string_equal(path_join(arena, "x", "/a.c"), "/a.c");
    assert_string_equal(path_join(arena, "x", "a.c"), "x/a.c");
}

static void a_plain_path_has_no_detours(void **state)
{
    Fixture *fixture = *state;
    Arena *arena = fixture->arena;
    assert_string_equal(path_plain(arena, "src/a.c"), "src/a.c");
    assert_string_equal(path_plain(arena, "./a.c"), "a.c");
    assert_string_equal(path_plain(arena, "src/../common/a.h"), "common/a.h");
    assert_string_equal(path_plain(arena, arena_printf(arena, "%s/src/a.c", fixture->directory)), "src/a.c");
    assert_int_equal(chdir("src"), 0);
    assert_string_equal(path_plain(arena, "../common/a.h"), "../common/a.h");
    assert_string_equal(path_plain(arena, arena_printf(arena, "%s/common/a.h", fixture->directory)), "../common/a.h");
    assert_int_equal(chdir(".."), 0);
}

static void a_file_is_replaced_and_leaves_nothing_behind(void **state)
{
    Arena *arena = ((Fixture *)*state)->arena;
    assert_null(path_write(arena, "f", "one", 3));
    assert_null(path_write(arena, "f", "two!", 4));
    size_t size;
    assert_string_equal(path_read(arena, "f", &size), "two!");
    assert_int_equal(size, 4);
    assert_int_equal(unlink("f"), 0);
    // The teardown removes the directory, which must be empty.
}

static void a_failed_write_says_why(void **state)
{
    Arena *arena = ((Fixture *)*state)->arena;
    assert_string_equal(path_write(arena, "src", "x", 1), "is a directory");
    assert_non_null(path_write(arena, "missing/f", "x", 1));
    assert_non_null(path_write(arena, "/dev/full", "x", 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(parts_of_a_path),
        TEST(a_plain_path_has_no_detours),
        TEST(a_file_is_replaced_and_leaves_nothing_behind),
        TEST(a_failed_write_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
