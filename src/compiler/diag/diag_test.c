// Sources, diagnostics, and what the printers make of them.

#include "compiler/diag/diag.h"
#include "compiler/diag/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Arena *arena;
    Sources *sources;
    Diags *diags;
} Fixture;

static int setup(void **state)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    fixture->arena = arena_new();
    fixture->sources = sources_new(fixture->arena);
    fixture->diags = diags_new(fixture->arena, fixture->sources);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    arena_free(fixture->arena);
    free(fixture);
    return 0;
}

static Source *add(Fixture *fixture, const char *text)
{
    return source_add(fixture->sources, "a.c", text, strlen(text));
}

static Span span_of(const Source *source, const char *word)
{
    const char *at = strstr(source->text, word);
    assert_non_null(at);
    uint32_t start = (uint32_t)(at - source->text);
    return (Span){source->id, start, start + (uint32_t)strlen(word)};
}

static char *printed(Fixture *fixture, DiagFormat format, bool color)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    diags_print(fixture->diags, format, color, out);
    fclose(out);
    char *copy = arena_copy(fixture->arena, text, size);
    free(text);
    return copy;
}

static void assert_printed(Fixture *fixture, const char *expected)
{
    assert_string_equal(printed(fixture, DIAG_TEXT, false), expected);
}

static void positions_count_lines_and_bytes_from_one(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "ab\n\ncd");
    const uint32_t expected[][3] = {{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1}, {5, 3, 2}, {6, 3, 3}, {99, 3, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        Position position = source_position(source, expected[i][0]);
        assert_int_equal(position.line, expected[i][1]);
        assert_int_equal(position.column, expected[i][2]);
    }
    Source *empty = add(fixture, "");
    assert_int_equal(source_position(empty, 0).line, 1);
}

static void an_error_shows_its_line_and_a_caret(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "one\n    Alice.val ~> Bob.val;\n");
    diag_error(fixture->diags, span_of(source, "val"), "Alice has no variable '%s' here", "val");
    assert_printed(fixture, "a.c:2:11: error: Alice has no variable 'val' here\n"
                            "    2 |     Alice.val ~> Bob.val;\n"
                            "      |           ^~~\n");
}

static void notes_and_fixes_follow_their_diagnostic(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "if (Alice.n < 6)\n");
    diag_warning(fixture->diags, span_of(source, "Alice.n < 6"), "odd");
    diag_fix(fixture->diags, span_of(source, "Alice.n < 6"), "Alice.(n < 6)", "write 'Alice.(n < 6)'");
    diag_note(fixture->diags, span_of(source, "if"), "here");
    diag_note(fixture->diags, SPAN_NONE, "nowhere");
    assert_printed(fixture, "a.c:1:5: warning: odd\n"
                            "    1 | if (Alice.n < 6)\n"
                            "      |     ^~~~~~~~~~~\n"
                            "  help: write 'Alice.(n < 6)'\n"
                            "a.c:1:1: note: here\n"
                            "    1 | if (Alice.n < 6)\n"
                            "      | ^~\n"
                            "a.c:1:5: note: nowhere\n");
}

static void carets_stand_right_under_tabs_and_wide_characters(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "\t\"\xC3\xA4\xE4\xB8\xAD\" x\n");
    diag_error(fixture->diags, span_of(source, "x"), "m");
    assert_printed(fixture, "a.c:1:10: error: m\n"
                            "    1 |         \"\xC3\xA4\xE4\xB8\xAD\" x\n"
                            "      |               ^\n");
}

static void a_span_of_several_lines_is_underlined_to_the_end_of_the_first(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "f(a,\r\n  b)");
    diag_error(fixture->diags, (Span){source->id, 2, 9}, "m");
    assert_printed(fixture, "a.c:1:3: error: m\n"
                            "    1 | f(a,\n"
                            "      |   ^~\n");
}

static void the_end_of_the_file_is_a_place(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "ab");
    diag_error(fixture->diags, (Span){source->id, 2, 2}, "m");
    assert_printed(fixture, "a.c:1:3: error: m\n"
                            "    1 | ab\n"
                            "      |   ^\n");
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "a\33[1m\xFFz");
    diag_error(fixture->diags, span_of(source, "z"), "m");
    assert_printed(fixture, "a.c:1:7: error: m\n"
                            "    1 | a?[1m?z\n"
                            "      |       ^\n");
}

static void a_long_line_is_cut_around_the_caret(void **state)
{
    Fixture *fixture = *state;
    char text[2001];
    memset(text, 'a', 2000);
    text[2000] = '\0';
    text[1000] = 'x';
    Source *source = add(fixture, text);
    diag_error(fixture->diags, span_of(source, "x"), "m");
    char *out = printed(fixture, DIAG_TEXT, false);
    char *line = strchr(out, '\n') + 1;
    char *caret_line = strchr(line, '\n') + 1;
    assert_true(caret_line - line < 200);
    assert_int_equal(strcspn(line, "x"), strcspn(caret_line, "^"));
}

static void a_repetition_is_dropped_with_its_notes(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "x\n");
    for (int i = 0; i < 3; i++) {
        diag_error(fixture->diags, span_of(source, "x"), "m");
        diag_note(fixture->diags, SPAN_NONE, "n");
    }
    assert_int_equal(diags_errors(fixture->diags), 1);
    const Diagnostic *const *list;
    assert_int_equal(diags_list(fixture->diags, &list), 1);
    assert_int_equal(list[0]->notes.count, 1);
}

static void of_those_with_one_cause_the_first_in_the_file_is_listed(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "one two three");
    diag_error(fixture->diags, span_of(source, "two"), "later");
    diag_cause(fixture->diags, "x in %d", 1);
    diag_note(fixture->diags, SPAN_NONE, "goes with it");
    diag_error(fixture->diags, span_of(source, "one"), "first");
    diag_cause(fixture->diags, "x in %d", 1);
    diag_error(fixture->diags, span_of(source, "three"), "of another cause");
    diag_cause(fixture->diags, "x in %d", 2);
    diag_error(fixture->diags, span_of(source, "three"), "of its own");
    const Diagnostic *const *list;
    assert_int_equal(diags_list(fixture->diags, &list), 3);
    assert_string_equal(list[0]->message, "first");
    assert_string_equal(list[1]->message, "of another cause");
    assert_string_equal(list[2]->message, "of its own");
    assert_null(strstr(printed(fixture, DIAG_TEXT, false), "goes with it"));
}

static void the_list_is_in_order_of_place(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "a b c");
    diag_error(fixture->diags, span_of(source, "c"), "3");
    diag_error(fixture->diags, span_of(source, "a"), "1");
    diag_warning(fixture->diags, span_of(source, "a"), "2");
    diag_error(fixture->diags, SPAN_NONE, "0");
    const Diagnostic *const *list;
    assert_int_equal(diags_list(fixture->diags, &list), 4);
    const char *expected[] = {"0", "1", "2", "3"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(list[i]->message, expected[i]);
}

static void werror_and_nowarn_work_on_warnings(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "x");
    diags_set_nowarn(fixture->diags, true);
    diag_warning(fixture->diags, span_of(source, "x"), "dropped");
    diag_note(fixture->diags, SPAN_NONE, "dropped too");
    diags_set_nowarn(fixture->diags, false);
    diags_set_werror(fixture->diags, true);
    diag_warning(fixture->diags, span_of(source, "x"), "an error now");
    assert_int_equal(diags_warnings(fixture->diags), 0);
    assert_int_equal(diags_errors(fixture->diags), 1);
}

static void color_is_sgr(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "x");
    diag_error(fixture->diags, span_of(source, "x"), "m");
    assert_non_null(strstr(printed(fixture, DIAG_TEXT, true), "\33[01;31m\33[Kerror:\33[m\33[K m"));
}

static void json_has_everything(void **state)
{
    Fixture *fixture = *state;
    Source *source = add(fixture, "\xFF x\n");
    diag_error(fixture->diags, span_of(source, "x"), "bad \xFF byte");
    diag_note(fixture->diags, SPAN_NONE, "n");
    diag_fix(fixture->diags, span_of(source, "x"), "y", "write 'y'");
    json_t *document = json_loads(printed(fixture, DIAG_JSON, false), 0, NULL);
    json_t *one = json_array_get(json_object_get(document, "diagnostics"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "severity")), "error");
    assert_string_equal(json_string_value(json_object_get(one, "message")), "bad \xEF\xBF\xBD byte");
    assert_string_equal(json_string_value(json_object_get(one, "file")), "a.c");
    assert_int_equal(json_integer_value(json_object_get(one, "line")), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "column")), 3);
    assert_int_equal(json_integer_value(json_object_get(one, "end_column")), 4);
    json_t *fix = json_array_get(json_object_get(one, "fixes"), 0);
    assert_string_equal(json_string_value(json_object_get(fix, "replacement")), "y");
    assert_int_equal(json_array_size(json_object_get(one, "notes")), 1);
    json_decref(document);
}

static void sarif_counts_characters(void **state)
{
    Fixture *fixture = *state;
    Source *source = source_add(fixture->sources, "a b.c", "\xC3\xA4 x\n", 5);
    diag_warning(fixture->diags, span_of(source, "x"), "m");
    diag_fix(fixture->diags, span_of(source, "x"), "y", "write 'y'");
    diag_error(fixture->diags, SPAN_NONE, "no place");
    json_t *document = json_loads(printed(fixture, DIAG_SARIF, false), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(document, "version")), "2.1.0");
    json_t *results = json_object_get(json_array_get(json_object_get(document, "runs"), 0), "results");
    assert_int_equal(json_array_size(results), 2);
    json_t *location = json_array_get(json_object_get(json_array_get(results, 1), "locations"), 0);
    json_t *physical = json_object_get(location, "physicalLocation");
    json_t *region = json_object_get(physical, "region");
    assert_int_equal(json_integer_value(json_object_get(region, "startColumn")), 3);
    json_t *artifact = json_object_get(physical, "artifactLocation");
    assert_string_equal(json_string_value(json_object_get(artifact, "uri")), "a%20b.c");
    json_decref(document);
}

static void assert_load_fails(Fixture *fixture, const char *path, const char *why)
{
    const char *error = NULL;
    size_t count = sources_count(fixture->sources);
    assert_null(source_load(fixture->sources, path, &error));
    assert_string_equal(error, why);
    assert_int_equal(sources_count(fixture->sources), count);
}

static void what_cannot_be_loaded_says_why(void **state)
{
    Fixture *fixture = *state;
    char directory[] = "/tmp/diag-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char path[64];
    snprintf(path, sizeof path, "%s/f", directory);
    assert_load_fails(fixture, path, "no such file");
    assert_load_fails(fixture, directory, "is a directory");
    assert_load_fails(fixture, "/dev/null", "is not a regular file");

    FILE *file = fopen(path, "w");
    fwrite("ab\n\0", 1, 4, file);
    fclose(file);
    assert_load_fails(fixture, path, "contains a NUL byte (line 2)");
    file = fopen(path, "w");
    fputs("ab\xE4 ", file);
    fclose(file);
    assert_load_fails(fixture, path, "is not UTF-8 text (byte 3)");
    assert_int_equal(truncate(path, 64L * 1024 * 1024 + 1), 0);
    assert_load_fails(fixture, path, "is larger than 64 MiB");

    file = fopen(path, "w");
    fputs("\xC3\xA4\n", file);
    fclose(file);
    const char *error = NULL;
    Source *source = source_load(fixture->sources, path, &error);
    assert_non_null(source);
    assert_int_equal(source->size, 3);
    assert_int_equal(source->text[3], '\0');
    unlink(path);
    rmdir(directory);
}

static void utf8_is_strict(void **state)
{
    (void)state;
    uint32_t code;
    assert_int_equal(utf8_decode("\xF0\x9F\x98\x80", 4, &code), 4);
    assert_int_equal(code, 0x1F600);
    assert_int_equal(utf8_width(code), 2);
    const char *wrong[] = {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88", "\xC3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(utf8_decode(wrong[i], strlen(wrong[i]), &code), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(positions_count_lines_and_bytes_from_one),
        TEST(an_error_shows_its_line_and_a_caret),
        TEST(notes_and_fixes_follow_their_diagnostic),
        TEST(carets_stand_right_under_tabs_and_wide_characters),
        TEST(a_span_of_several_lines_is_underlined_to_the_end_of_the_first),
        TEST(the_end_of_the_file_is_a_place),
        TEST(control_characters_do_not_reach_the_terminal),
        TEST(a_long_line_is_cut_around_the_caret),
        TEST(a_repetition_is_dropped_with_its_notes),
        TEST(of_those_with_one_cause_the_first_in_the_file_is_listed),
        TEST(the_list_is_in_order_of_place),
        TEST(werror_and_nowarn_work_on_warnings),
        TEST(color_is_sgr),
        TEST(json_has_everything),
        TEST(sarif_counts_characters),
        TEST(what_cannot_be_loaded_says_why),
        TEST(utf8_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
