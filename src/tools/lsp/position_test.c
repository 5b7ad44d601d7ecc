// Places in a text as editors count them.

#include "tools/lsp/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void check_both(const Lines *lines, uint32_t offset, uint32_t line, uint32_t character)
{
    Place place = lines_place(lines, offset);
    assert_int_equal(place.line, line);
    assert_int_equal(place.character, character);
    assert_int_equal(lines_offset(lines, place), offset);
}

static void characters_count_as_utf16_units(void **state)
{
    (void)state;
    // A letter, one of two bytes, one of three, one of four (two units), a letter.
    static const char text[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9Ez\nb";
    Lines lines;
    lines_init(&lines, text, strlen(text));
    check_both(&lines, 0, 0, 0);
    check_both(&lines, 1, 0, 1);
    check_both(&lines, 3, 0, 2);
    check_both(&lines, 6, 0, 3);
    check_both(&lines, 10, 0, 5);
    check_both(&lines, 11, 0, 6);
    check_both(&lines, 12, 1, 0);
    check_both(&lines, 13, 1, 1);
    // Inside of a character is its beginning.
    assert_int_equal(lines_offset(&lines, (Place){0, 4}), 6);
    assert_int_equal(lines_place(&lines, 8).character, 3);
    lines_fini(&lines);
}

static void lines_end_in_three_ways(void **state)
{
    (void)state;
    static const char text[] = "one\r\ntwo\rthree\n\nfive";
    Lines lines;
    lines_init(&lines, text, strlen(text));
    assert_int_equal(lines.count, 5);
    check_both(&lines, 5, 1, 0);
    check_both(&lines, 9, 2, 0);
    check_both(&lines, 15, 3, 0);
    check_both(&lines, 16, 4, 0);
    assert_int_equal(lines_end(&lines, 0), 3);
    assert_int_equal(lines_end(&lines, 1), 8);
    assert_int_equal(lines_end(&lines, 3), 15);
    assert_int_equal(lines_end(&lines, 4), 20);
    lines_fini(&lines);
}

static void what_lies_outside_is_an_end(void **state)
{
    (void)state;
    static const char text[] = "one\ntwo";
    Lines lines;
    lines_init(&lines, text, strlen(text));
    assert_int_equal(lines_offset(&lines, (Place){0, 100}), 3);
    assert_int_equal(lines_offset(&lines, (Place){100, 0}), 7);
    assert_int_equal(lines_offset(&lines, (Place){UINT32_MAX, UINT32_MAX}), 7);
    assert_int_equal(lines_place(&lines, 1000).line, 1);
    assert_int_equal(lines_place(&lines, 1000).character, 3);
    lines_fini(&lines);
    lines_init(&lines, "", 0);
    assert_int_equal(lines_offset(&lines, (Place){3, 3}), 0);
    lines_fini(&lines);
}

static void bytes_that_are_no_utf8_count_one(void **state)
{
    (void)state;
    static const char text[] = "\xFF\xF0\x9D\nx";
    Lines lines;
    lines_init(&lines, text, strlen(text));
    check_both(&lines, 3, 0, 3);
    check_both(&lines, 4, 1, 0);
    // A character that the end cuts off.
    lines_fini(&lines);
    lines_init(&lines, "\xE2\x82\xAC", 2);
    assert_int_equal(lines_offset(&lines, (Place){0, 9}), 2);
    lines_fini(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_count_as_utf16_units),
        cmocka_unit_test(lines_end_in_three_ways),
        cmocka_unit_test(what_lies_outside_is_an_end),
        cmocka_unit_test(bytes_that_are_no_utf8_count_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
