// testing.h: what the tests of ctypes share.

#ifndef CTYPES_TESTING_H
#define CTYPES_TESTING_H

#include "compiler/ctypes/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    Arena *arena;
    Sources *sources;
    Source *source;
    CFlags flags;
    CUnit *unit;
} Testing;

static inline Testing testing_new(const char *path, const char *text)
{
    Testing t = {.arena = arena_new()};
    t.sources = sources_new(t.arena);
    t.source = source_add(t.sources, path, text, strlen(text));
    cflags_from_cc(t.arena, NULL, 0, &t.flags);
    return t;
}

// Where `what` stands in the source, the n-th time (from 0).
static inline Span testing_span(const Testing *t, const char *what, unsigned n)
{
    const char *at = strstr(t->source->text, what);
    for (; n > 0 && at != NULL; n--)
        at = strstr(at + 1, what);
    assert_non_null(at);
    uint32_t start = (uint32_t)(at - t->source->text);
    return (Span){t->source->id, start, start + (uint32_t)strlen(what)};
}

// The prefix is the text up to "@@", and what follows is there to be copied.
static inline void testing_unit(Testing *t)
{
    t->unit = cunit_new(t->arena, t->sources, t->source, testing_span(t, "@@", 0).start, &t->flags);
}

static inline void testing_copy(Testing *t, const char *what)
{
    ccopy(t->unit, testing_span(t, what, 0));
}

// __auto_type NAME = ({ DECLARATIONS (WHAT); });
static inline void testing_value(Testing *t, const char *name, const char *declarations, const char *what)
{
    ctext(t->unit, "__auto_type %s = ({ %s (", name, declarations);
    testing_copy(t, what);
    ctext(t->unit, "); });\n");
}

static inline void testing_parse(Testing *t)
{
    const char *error = NULL;
    if (!cunit_parse(t->unit, &error))
        fail_msg("%s", error);
}

static inline void testing_free(Testing *t)
{
    cunit_free(t->unit);
    arena_free(t->arena);
}

static inline const char *testing_text(const Testing *t, Span span)
{
    return span_copy(t->arena, t->sources, span);
}

#endif
