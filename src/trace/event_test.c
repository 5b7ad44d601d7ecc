// Lines of a trace file.

#include "trace/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char line[EVENT_BYTES_MAX];

// Brackets and quotes match, it is one line, and there is nothing in it that JSON does not know.
static void is_well_formed(const Event *event)
{
    size_t size = event_write(line, event);
    assert_true(size < EVENT_BYTES_MAX);
    assert_int_equal(strlen(line), size);
    assert_string_equal(line + size - 2, ",\n");
    int depth = 0;
    bool in_text = false;
    for (size_t i = 0; i + 2 < size; i++) {
        assert_true((unsigned char)line[i] >= 0x20);
        if (in_text && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            in_text = !in_text;
        else if (!in_text)
            depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
    }
    assert_int_equal(depth, 0);
    assert_false(in_text);
    assert_null(strstr(line, ",,"));
    assert_null(strstr(line, ",}"));
}

static void a_message_has_the_same_flow_at_both_ends(void **state)
{
    (void)state;
    Event event = {.kind = EVENT_SEND,
                   .time_ns = 12345,
                   .session = 2,
                   .role = "Alice",
                   .site = 3,
                   .line = 14,
                   .peer = "Bob",
                   .sequence = 5,
                   .epoch = 1,
                   .flow = 0xabc};
    is_well_formed(&event);
    assert_string_equal(line, "{\"ts\":12.345,\"dur\":0.000,\"ph\":\"X\",\"pid\":2,\"tid\":1,\"cat\":\"send\","
                              "\"name\":\"send to Bob\",\"bind_id\":\"0xabc\",\"flow_out\":true,\"args\":{"
                              "\"role\":\"Alice\",\"site\":3,\"line\":14,\"peer\":\"Bob\",\"sequence\":5,"
                              "\"epoch\":1}},\n");
    event.kind = EVENT_RECEIVE;
    is_well_formed(&event);
    assert_non_null(strstr(line, "\"bind_id\":\"0xabc\",\"flow_in\":true"));
    // What has no line is said without one.
    event.line = 0;
    is_well_formed(&event);
    assert_non_null(strstr(line, "\"site\":3,\"peer\""));
}

static void every_kind_is_well_formed(void **state)
{
    (void)state;
    for (int kind = 0; kind < EVENT_CLOSE; kind++) {
        if (kind == EVENT_START) // two lines: its name, and the event
            continue;
        Event event = {.kind = (EventKind)kind,
                       .session = 1,
                       .role = "Alice",
                       .site = 3,
                       .line = 14,
                       .peer = "Bob",
                       .text = "why",
                       .status = "failed"};
        is_well_formed(&event);
        if (kind != EVENT_ROLE)
            assert_non_null(strstr(line, event_kind_name((EventKind)kind)));
    }
}

static void texts_are_quoted_and_cut(void **state)
{
    (void)state;
    Event event = {.kind = EVENT_FAIL,
                   .session = 1,
                   .role = "Alice",
                   .site = 1,
                   .line = 1,
                   .text = "\"quoted\" \\ \n\t\x01 \xc3\xa9 \xff \xc3"};
    is_well_formed(&event);
    assert_non_null(strstr(line, "\\\"quoted\\\" \\\\ \\u000a\\u0009\\u0001 \xc3\xa9 ? ?"));
    static char text[5000];
    memset(text, '\n', sizeof text - 1);
    event.text = text;
    is_well_formed(&event);
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    event.text = event.role = text;
    is_well_formed(&event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_the_same_flow_at_both_ends),
        cmocka_unit_test(every_kind_is_well_formed),
        cmocka_unit_test(texts_are_quoted_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
