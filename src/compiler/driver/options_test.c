// Which words of a command line are inputs, options, and our own.

#define _GNU_SOURCE

#include "compiler/driver/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Arena *arena;
static Options options;
static const char *error;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    error = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static char *joined(const WordList *words)
{
    char *text = arena_strdup(arena, "");
    for (size_t i = 0; i < words->count; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "", words->items[i]);
    return text;
}

// The words are separated by single spaces.
static bool parse(const char *line)
{
    WordList words = {0};
    char *rest = arena_strdup(arena, line);
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        vector_push(arena, &words, (const char *)word);
    return options_parse(arena, words.items, words.count, &options, &error);
}

static void inputs_are_told_from_arguments(void **state)
{
    (void)state;
    const char *line = "-c -o out.c a.c -I inc.c -include pre.c -MF dep.c -Xlinker x.c b.o -lm -D N c.i d.cc -";
    assert_true(parse(line));
    assert_string_equal(joined(&options.cc_args), line);
    assert_string_equal(options.output, "out.c");
    const char *paths[] = {"a.c", "b.o", "c.i", "d.cc", "-"};
    assert_int_equal(options.inputs.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(options.inputs.items[i].path, paths[i]);
        assert_int_equal(options.inputs.items[i].is_c, i == 0);
    }
    assert_string_equal(joined(&options.read_args), "-c -I inc.c -include pre.c -MF dep.c -Xlinker x.c -lm -D N");
    assert_true(options.stops_early);
}

static void a_language_holds_for_the_files_after_it(void **state)
{
    (void)state;
    assert_true(parse("a.inc -x c b.inc -x c++ c.c -x none d.c -xc -"));
    const bool expected[] = {false, true, false, true, false};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(options.inputs.items[i].is_c, expected[i]);
}

static void own_options_are_not_for_cc(void **state)
{
    (void)state;
    assert_true(parse("--emit-dir=gen --color=never -O2 a.c --diagnostics=json --emit"));
    assert_string_equal(joined(&options.cc_args), "-O2 a.c");
    assert_int_equal(options.mode, MODE_EMIT);
    assert_string_equal(options.emit_dir, "gen");
    assert_int_equal(options.color, COLOR_NEVER);
    assert_int_equal(options.diagnostics, DIAG_JSON);
    assert_true(parse("--stubs shop.Seller a.c"));
    assert_string_equal(options.subject, "shop.Seller");
    assert_string_equal(joined(&options.cc_args), "a.c");
    assert_true(parse("--central shop a.c -o b.c"));
    assert_int_equal(options.mode, MODE_CENTRAL);
    assert_string_equal(options.output, "b.c");
}

static void wrong_usage_is_told(void **state)
{
    (void)state;
    const char *lines[] = {"--dump=nothing a.c",     "--dump a.c",   "--diagnostics=xml a.c",
                           "--color=blue a.c",       "--stubs",      "--central -o",
                           "--emit --dump=tree a.c", "--showme:all", "--emit-dir= a.c"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        error = NULL;
        assert_false(parse(lines[i]));
        assert_non_null(error);
    }
    assert_false(parse("--emit --dump=tree a.c"));
    assert_string_equal(error, "'--emit' and '--dump=tree' exclude each other");
}

static void flags_that_concern_us_are_noted(void **state)
{
    (void)state;
    assert_true(parse("-Werror a.c"));
    assert_true(options.werror);
    assert_true(parse("-Werror -Wno-error -w a.c"));
    assert_false(options.werror);
    assert_true(options.nowarn);
    assert_true(parse("-nostdlib a.o"));
    assert_true(options.adds_no_libs);
    assert_false(options.stops_early);
    assert_true(parse("-MD -MF x.d a.c"));
    assert_false(options.stops_early);
    assert_true(parse("-MM a.c"));
    assert_true(options.stops_early && options.only_preprocesses);
    assert_true(parse("-dumpmachine"));
    assert_true(options.asks_cc);
    assert_true(parse("-oa.out a.c"));
    assert_string_equal(options.output, "a.out");
    assert_false(parse("a.c -o"));
    assert_string_equal(error, "'-o' needs an argument");
}

static char *response_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

static void response_files_are_read_and_passed_on(void **state)
{
    (void)state;
    char path[] = "/tmp/options-test-XXXXXX";
    response_file(path, "-c 'a b.c'\n\"-DX=\\\"y\\\"\" c\\ d.c");
    assert_true(parse(arena_printf(arena, "-O1 @%s @/no/such/file", path)));
    assert_string_equal(joined(&options.cc_args), arena_printf(arena, "-O1 @%s @/no/such/file", path));
    assert_int_equal(options.inputs.count, 3);
    assert_string_equal(options.inputs.items[0].path, "a b.c");
    assert_string_equal(options.inputs.items[1].path, "c d.c");
    assert_string_equal(options.inputs.items[2].path, "@/no/such/file");
    assert_string_equal(joined(&options.read_args), "-O1 -c -DX=\"y\"");
    unlink(path);
}

static void a_response_file_with_own_options_is_taken_apart(void **state)
{
    (void)state;
    char path[] = "/tmp/options-test-XXXXXX";
    response_file(path, "--emit-dir=gen -c a.c");
    assert_true(parse(arena_printf(arena, "-O1 @%s", path)));
    assert_string_equal(joined(&options.cc_args), "-O1 -c a.c");
    assert_string_equal(options.emit_dir, "gen");
    unlink(path);
}

static void a_response_file_that_names_itself_ends(void **state)
{
    (void)state;
    char path[] = "/tmp/options-test-XXXXXX";
    response_file(path, "-c a.c ");
    FILE *file = fopen(path, "a");
    fprintf(file, "@%s", path);
    fclose(file);
    assert_true(parse(arena_printf(arena, "@%s", path)));
    unlink(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(inputs_are_told_from_arguments),
        TEST(a_language_holds_for_the_files_after_it),
        TEST(own_options_are_not_for_cc),
        TEST(wrong_usage_is_told),
        TEST(flags_that_concern_us_are_noted),
        TEST(response_files_are_read_and_passed_on),
        TEST(a_response_file_with_own_options_is_taken_apart),
        TEST(a_response_file_that_names_itself_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
