// diag.c: collects diagnostics.

#include "base/check.h"
#include "base/map.h"
#include "compiler/diag/print.h"

#include <stdarg.h>
#include <stdlib.h>

struct Diags {
    Arena *arena;
    const Sources *sources;
    VECTOR(Diagnostic *) list;
    Map seen;            // severity, span and message of each, so that a repetition is dropped
    Diagnostic *current; // what notes and fixes belong to; NULL: it was dropped
    size_t errors, warnings;
    bool werror, nowarn;
};

Diags *diags_new(Arena *arena, const Sources *sources)
{
    Diags *diags = ARENA_NEW(arena, Diags);
    diags->arena = arena;
    diags->sources = sources;
    map_init(&diags->seen, arena);
    return diags;
}

static void report(Diags *diags, Severity severity, Span span, const char *format, va_list arguments)
{
    diags->current = NULL;
    if (severity == SEVERITY_WARNING && diags->nowarn)
        return;
    if (severity == SEVERITY_WARNING && diags->werror)
        severity = SEVERITY_ERROR;
    char *message = arena_vprintf(diags->arena, format, arguments);
    char *key = arena_printf(diags->arena, "%d %u %u %u %s", severity, span.file, span.start, span.end, message);
    if (map_has(&diags->seen, key))
        return;
    Diagnostic *diagnostic = ARENA_NEW(diags->arena, Diagnostic);
    diagnostic->severity = severity;
    diagnostic->span = span;
    diagnostic->message = message;
    map_put(&diags->seen, key, diagnostic);
    vector_push(diags->arena, &diags->list, diagnostic);
    diags->current = diagnostic;
    if (severity == SEVERITY_ERROR)
        diags->errors++;
    else
        diags->warnings++;
}

void diag_error(Diags *diags, Span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(diags, SEVERITY_ERROR, span, format, arguments);
    va_end(arguments);
}

void diag_warning(Diags *diags, Span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(diags, SEVERITY_WARNING, span, format, arguments);
    va_end(arguments);
}

void diag_note(Diags *diags, Span span, const char *format, ...)
{
    if (diags->current == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    Note note = {span, arena_vprintf(diags->arena, format, arguments)};
    va_end(arguments);
    vector_push(diags->arena, &diags->current->notes, note);
}

void diag_fix(Diags *diags, Span span, const char *replacement, const char *format, ...)
{
    if (diags->current == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    Fix fix = {span, arena_strdup(diags->arena, replacement), arena_vprintf(diags->arena, format, arguments)};
    va_end(arguments);
    vector_push(diags->arena, &diags->current->fixes, fix);
}

void diag_cause(Diags *diags, const char *format, ...)
{
    if (diags->current == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    diags->current->cause = arena_vprintf(diags->arena, format, arguments);
    va_end(arguments);
}

size_t diags_errors(const Diags *diags)
{
    return diags->errors;
}

size_t diags_warnings(const Diags *diags)
{
    return diags->warnings;
}

void diags_set_werror(Diags *diags, bool on)
{
    diags->werror = on;
}

void diags_set_nowarn(Diags *diags, bool on)
{
    diags->nowarn = on;
}

typedef struct {
    const Diagnostic *diagnostic;
    size_t index;
} Sorted;

static int compare(const void *one_, const void *other_)
{
    const Sorted *one = one_, *other = other_;
    // FILE_NONE is the largest number: plus one it comes first.
    FileId one_file = one->diagnostic->span.file + 1, other_file = other->diagnostic->span.file + 1;
    if (one_file != other_file)
        return one_file < other_file ? -1 : 1;
    if (one_file != 0 && one->diagnostic->span.start != other->diagnostic->span.start)
        return one->diagnostic->span.start < other->diagnostic->span.start ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

size_t diags_list(const Diags *diags, const Diagnostic *const **list)
{
    size_t count = diags->list.count;
    Sorted *sorted = ARENA_ARRAY(diags->arena, Sorted, count + 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (Sorted){diags->list.items[i], i};
    qsort(sorted, count, sizeof *sorted, compare);
    const Diagnostic **pointers = ARENA_ARRAY(diags->arena, const Diagnostic *, count + 1);
    size_t listed = 0;
    Map causes;
    map_init(&causes, diags->arena);
    for (size_t i = 0; i < count; i++) {
        const char *cause = sorted[i].diagnostic->cause;
        if (cause != NULL && map_has(&causes, cause))
            continue;
        if (cause != NULL)
            map_put(&causes, cause, diags->list.items[i]);
        pointers[listed++] = sorted[i].diagnostic;
    }
    *list = pointers;
    return listed;
}

void diags_print(const Diags *diags, DiagFormat format, bool color, FILE *out)
{
    const Diagnostic *const *list;
    size_t count = diags_list(diags, &list);
    switch (format) {
    case DIAG_TEXT:
        for (size_t i = 0; i < count; i++)
            print_text(diags->arena, diags->sources, list[i], color, out);
        break;
    case DIAG_JSON:
        print_json(diags->arena, diags->sources, list, count, out);
        break;
    case DIAG_SARIF:
        print_sarif(diags->arena, diags->sources, list, count, out);
        break;
    }
}
