// Tests of finding blocks and #include lines.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/syntax/find.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
    Arena *arena;
    Sources *sources;
    Found found;
} Test;

static Test find(const char *text)
{
    Test test = {.arena = arena_new()};
    test.sources = sources_new(test.arena);
    Source *source = source_add(test.sources, "test.c", text, strlen(text));
    find_blocks(test.arena, test.sources, source, &test.found);
    return test;
}

static void check_blocks(const char *text, size_t count)
{
    Test test = find(text);
    if (test.found.blocks.count != count)
        print_error("in: %s\n", text);
    assert_int_equal(test.found.blocks.count, count);
    arena_free(test.arena);
}

static void check_inside(const char *text, const char *inside)
{
    Test test = find(text);
    assert_int_equal(test.found.blocks.count, 1);
    assert_true(test.found.blocks.items[0].closed);
    assert_string_equal(span_copy(test.arena, test.sources, test.found.blocks.items[0].inside), inside);
    arena_free(test.arena);
}

static void block_spans_are_exact(void **state)
{
    (void)state;
    Test test = find("int x;\nchoreography (a, (B))\nint y;");
    assert_int_equal(test.found.blocks.count, 1);
    const FoundBlock *block = &test.found.blocks.items[0];
    assert_string_equal(span_copy(test.arena, test.sources, block->span), "choreography (a, (B))");
    assert_string_equal(span_copy(test.arena, test.sources, block->inside), "a, (B)");
    assert_int_equal(block->directive.file, FILE_NONE);
    arena_free(test.arena);
}

static void word_counts_only_as_a_token_of_its_own(void **state)
{
    (void)state;
    check_blocks("choreography(a)", 1);
    check_blocks("choreography /* c */ // d\n (a)", 1);
    check_blocks("choreo\\\ngraphy(a)", 1);
    check_blocks("choreography\\\n(a)", 1);
    check_blocks("choreography", 0);
    check_blocks("choreography;", 0);
    check_blocks("xchoreography(a)", 0);
    check_blocks("choreographyx(a)", 0);
    check_blocks("choreography_(a)", 0);
    check_blocks("$choreography(a)", 0);
    check_blocks("\xc3\xa4"
                 "choreography(a)",
                 0);
    check_blocks("1choreography(a)", 0);
    check_blocks(".1choreography(a)", 0);
    check_blocks("x.choreography(a)", 1);
    check_blocks("choreography(a) choreography(b)", 2);
    check_blocks("", 0);
}

static void comments_and_quotes_hide_the_word(void **state)
{
    (void)state;
    check_blocks("/* choreography(a) */", 0);
    check_blocks("/* * / choreography(a) */ choreography(b)", 1);
    check_blocks("// choreography(a)\nchoreography(b)", 1);
    check_blocks("// x \\\n choreography(a)\n", 0);
    check_blocks("// x \\  \r\n choreography(a)\n", 0);
    check_blocks("/\\\n/ choreography(a)\n", 0);
    check_blocks("/\\\n* choreography(a) *\\\n/ choreography(b)", 1);
    check_blocks("/* choreography(a)", 0);
    check_blocks("\"choreography(a)\"", 0);
    check_blocks("\"\\\" choreography(a)\"", 0);
    check_blocks("\"x \\\n choreography(a)\"", 0);
    check_blocks("'\"' choreography(a)", 1);
    check_blocks("'\\'' choreography(a)", 1);
    check_blocks("don't\nchoreography(a)", 1);
    check_blocks("1'000 choreography(a) 1'000", 1);
    check_blocks("\"abc\nchoreography(a)", 1);
}

static void directives_hold_no_blocks(void **state)
{
    (void)state;
    check_blocks("#define choreography(...)\n", 0);
    check_blocks("  #  define choreography(...)\n", 0);
    check_blocks("/* x */ #define choreography(...)\n", 0);
    check_blocks("#define X \\\n choreography(a)\nchoreography(b)", 1);
    check_blocks("#define X /* \n */ choreography(a)\nchoreography(b)", 1);
    check_blocks("#error don't\nchoreography(b)", 1);
    check_blocks("x # choreography(a)", 1);
    check_blocks("#if 0\nchoreography(a)\n#endif", 1);
}

static void closing_parenthesis_is_the_matching_one(void **state)
{
    (void)state;
    check_inside("choreography(a (b) ((c)) d) )", "a (b) ((c)) d");
    check_inside("choreography(\")\" ')' /* ) */ // )\n x)", "\")\" ')' /* ) */ // )\n x");
    check_inside("choreography(choreography(a))", "choreography(a)");
    check_inside("choreography()", "");
    Test test = find("choreography(a (b) c");
    assert_int_equal(test.found.blocks.count, 1);
    assert_false(test.found.blocks.items[0].closed);
    assert_int_equal(test.found.blocks.items[0].inside.end, 20);
    arena_free(test.arena);
}

static void directive_in_a_block_is_recorded(void **state)
{
    (void)state;
    Test test = find("choreography(a\n  #if 0 )\n#endif\n)");
    assert_int_equal(test.found.blocks.count, 1);
    const FoundBlock *block = &test.found.blocks.items[0];
    assert_true(block->closed);
    assert_string_equal(span_copy(test.arena, test.sources, block->directive), "#if 0 )");
    arena_free(test.arena);
}

static void includes_are_collected(void **state)
{
    (void)state;
    Test test =
        find("#include \"a.h\"\n # /* x */ include /* y */ \"dir/b.h\" // z\n#include <c.h>\n#inc\\\nlude \\\n\"d.h\"\n"
             "// #include \"e.h\"\nchoreography(\n#include \"f.h\"\n)\nint x; #include \"g.h\"\n#include \"h.h\"\n"
             "#include \"\"\n#include \"i.h\n#include_next \"j.h\"\n#include \"k\\l.h\"");
    static const char *const paths[] = {"a.h", "dir/b.h", "c.h", "d.h", "h.h", "k\\l.h"};
    assert_int_equal(test.found.includes.count, sizeof paths / sizeof *paths);
    for (size_t i = 0; i < test.found.includes.count; i++)
        assert_string_equal(test.found.includes.items[i].path, paths[i]);
    assert_true(test.found.includes.items[2].is_angled && !test.found.includes.items[3].is_angled);
    assert_true(test.found.has_other_includes); // include_next
    Span first = test.found.includes.items[0].span;
    assert_string_equal(span_copy(test.arena, test.sources, first), "#include \"a.h\"");
    arena_free(test.arena);
}

static void macros_that_make_blocks_are_collected(void **state)
{
    (void)state;
    Test test = find("#define A choreography\n# define B(x) \\\n choreography x\n#define choreography(...)\n"
                     "#define C \"choreography\" /* choreography */\n#define D choreographies\n#define\n");
    assert_int_equal(test.found.makers.count, 2);
    assert_string_equal(test.found.makers.items[0].name, "A");
    assert_string_equal(test.found.makers.items[1].name, "B");
    assert_string_equal(span_copy(test.arena, test.sources, test.found.makers.items[1].span), "B");
    arena_free(test.arena);
}

// Far below what a user would notice, far above what a loaded machine needs.
static void large_file_is_scanned_fast(void **state)
{
    (void)state;
    static const char line[] =
        "static int choreographer(const char *name, int x) { return x + 1 / 2; } /* text */ \"s\"\n";
    size_t size = 64 * 1024 * 1024 - sizeof line, length = sizeof line - 1;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t at = 0; at < size; at += length)
        memcpy(text + at, line, at + length <= size ? length : size - at);
    Arena *arena = arena_new();
    Sources *sources = sources_new(arena);
    Source *source = source_add(sources, "large.c", text, size);
    Found found;
    clock_t start = clock();
    find_blocks(arena, sources, source, &found);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(found.blocks.count, 0);
    if (seconds > 5)
        print_error("64 MiB took %.2f s\n", seconds);
    assert_true(seconds < 5);
    arena_free(arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_spans_are_exact),
        cmocka_unit_test(word_counts_only_as_a_token_of_its_own),
        cmocka_unit_test(comments_and_quotes_hide_the_word),
        cmocka_unit_test(directives_hold_no_blocks),
        cmocka_unit_test(closing_parenthesis_is_the_matching_one),
        cmocka_unit_test(directive_in_a_block_is_recorded),
        cmocka_unit_test(includes_are_collected),
        cmocka_unit_test(macros_that_make_blocks_are_collected),
        cmocka_unit_test(large_file_is_scanned_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
