// Finding choreographies in a file and in what it includes.

#include "compiler/driver/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Arena *arena;
    Compilation *compilation;
    char before[4096];
    char directory[64];
    VECTOR(const char *) paths; // of files to remove
} Fixture;

// Each test runs in a fresh directory that has inc/.
static int setup(void **state)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    fixture->arena = arena_new();
    *state = fixture;
    strcpy(fixture->directory, "/tmp/blocks-test-XXXXXX");
    if (getcwd(fixture->before, sizeof fixture->before) == NULL || mkdtemp(fixture->directory) == NULL ||
        chdir(fixture->directory) != 0 || mkdir("inc", 0777) != 0)
        return -1;
    static const char *const args[] = {"-c", "-I", "inc"};
    CompilationOptions options = {.until = PASS_FIND, .cc_args = args, .cc_arg_count = 3};
    fixture->compilation = compilation_new(fixture->arena, &options);
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    for (size_t i = 0; i < fixture->paths.count; i++)
        unlink(fixture->paths.items[i]);
    rmdir("inc");
    int failed = chdir(fixture->before) != 0 || rmdir(fixture->directory) != 0;
    arena_free(fixture->arena);
    free(fixture);
    return failed;
}

static void write_file(Fixture *fixture, const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    vector_push(fixture->arena, &fixture->paths, path);
}

static CFile *load(Fixture *fixture, const char *path)
{
    const char *error = NULL;
    CFile *file = blocks_load(fixture->compilation, path, &error);
    assert_non_null(file);
    return file;
}

static void quoted_headers_are_followed(void **state)
{
    Fixture *fixture = *state;
    write_file(fixture, "a.c", "#include \"one.h\"\n#include \"missing.h\"\n");
    write_file(fixture, "inc/one.h", "#include \"two.h\"\n");
    write_file(fixture, "inc/two.h", "choreography(x, (A), )\n");
    CFile *file = load(fixture, "a.c");
    assert_true(blocks_concern_us(fixture->compilation, file));
    assert_int_equal(file->includes.count, 1);
    assert_string_equal(file->includes.items[0]->includes.items[0]->source->path, "inc/two.h");
}

static void a_cycle_ends(void **state)
{
    Fixture *fixture = *state;
    write_file(fixture, "a.h", "#include \"b.h\"\n");
    write_file(fixture, "b.h", "#include \"./a.h\"\n#include \"inc/../a.h\"\n");
    CFile *file = load(fixture, "a.h");
    assert_false(blocks_concern_us(fixture->compilation, file));
    assert_int_equal(sources_count(fixture->compilation->sources), 2);
}

static void a_companion_is_a_reason_to_look_closer(void **state)
{
    Fixture *fixture = *state;
    write_file(fixture, "a.c", "#include \"x.A.chor.h\"\n");
    assert_true(blocks_concern_us(fixture->compilation, load(fixture, "a.c")));
}

static void foreign_text_matters_only_with_a_choreography_in_it(void **state)
{
    Fixture *fixture = *state;
    write_file(fixture, "a.c", "// \xE4\n");
    write_file(fixture, "b.c", "// \xE4\nchoreography(x, (A), )\n");
    assert_true(blocks_check_text(fixture->compilation, load(fixture, "a.c")));
    assert_int_equal(diags_errors(fixture->compilation->diags), 0);
    assert_false(blocks_check_text(fixture->compilation, load(fixture, "b.c")));
    assert_int_equal(diags_errors(fixture->compilation->diags), 1);
    assert_false(blocks_word_in_file("a.c"));
    assert_true(blocks_word_in_file("b.c"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(quoted_headers_are_followed),
        TEST(a_cycle_ends),
        TEST(a_companion_is_a_reason_to_look_closer),
        TEST(foreign_text_matters_only_with_a_choreography_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
