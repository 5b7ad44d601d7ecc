// diag.h: sources, spans and diagnostics.
//
// A pass reports what is wrong with the user's choreography here and goes on; it never prints or exits.
// One mistake gives one error: a diagnostic with the same severity, span and message as an earlier one is dropped
// (its notes too), and of those that have the same cause the first one is listed.

#ifndef DIAG_DIAG_H
#define DIAG_DIAG_H

#include "base/arena.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t FileId;
#define FILE_NONE ((FileId)-1)

// A piece of a source file, in bytes. SPAN_NONE (file FILE_NONE) is "nowhere in particular".
typedef struct {
    FileId file;
    uint32_t start, end;
} Span;

#define SPAN_NONE ((Span){FILE_NONE, 0, 0})

// A source file in memory. `text` has a NUL behind its last byte that is not counted in `size`.
typedef struct {
    FileId id;
    const char *path; // as the user wrote it; used in messages and #line
    const char *text;
    uint32_t size;
    uint32_t *line_starts; // made on demand
    uint32_t line_count;
} Source;

typedef struct Sources Sources;
Sources *sources_new(Arena *arena);
Source *source_add(Sources *sources, const char *path, const char *text, size_t size); // text is copied
// NULL on failure; *error then says why, in a sentence without the path ("no such file", "is a directory",
// "is larger than 64 MiB", "is not UTF-8 text (byte 17)", "contains a NUL byte (line 3)").
Source *source_load(Sources *sources, const char *path, const char **error);
// The same for text of any kind: only what can't be read fails. source_text_error says what source_load would, or NULL.
Source *source_load_any(Sources *sources, const char *path, const char **error);
const char *source_text_error(Arena *arena, const Source *source);
// Text that stands for the content of a file from now on: an editor's, which is not saved yet. It is not copied and ends with a
// NUL. `path` is the real one, without links.
void sources_replace(Sources *sources, const char *path, const char *text, size_t size);
Source *source_get(const Sources *sources, FileId id);
size_t sources_count(const Sources *sources);

typedef struct {
    uint32_t line, column; // from 1; the column counts bytes
} Position;
Position source_position(const Source *source, uint32_t offset);
Position span_position(const Sources *sources, Span span);
const char *span_text(const Sources *sources, Span span, uint32_t *length); // not NUL-terminated
char *span_copy(Arena *arena, const Sources *sources, Span span);           // NUL-terminated
Span span_join(Span first, Span last);

typedef enum { SEVERITY_WARNING, SEVERITY_ERROR } Severity;

typedef struct {
    Span span; // SPAN_NONE: no place
    char *message;
} Note;

typedef struct {
    Span span; // what to replace; empty span: insert
    char *replacement;
    char *message; // "write 'Alice.(n < 6)'"
} Fix;

typedef struct {
    Severity severity;
    Span span;
    char *message;
    const char *cause; // NULL: its own
    VECTOR(Note) notes;
    VECTOR(Fix) fixes;
} Diagnostic;

typedef struct Diags Diags;
Diags *diags_new(Arena *arena, const Sources *sources);

// Messages start in lower case and have no full stop.
void diag_error(Diags *diags, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(Diags *diags, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
// These belong to the diagnostic reported last (dropped with it if that was a repetition).
void diag_note(Diags *diags, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_fix(Diags *diags, Span span, const char *replacement, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The diagnostic reported last has this cause. Of those with the same one only the first in the file is listed: the others are the
// same mistake.
void diag_cause(Diags *diags, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t diags_errors(const Diags *diags);
size_t diags_warnings(const Diags *diags);
void diags_set_werror(Diags *diags, bool on); // warnings count and print as errors from now on
void diags_set_nowarn(Diags *diags, bool on); // -w: warnings are dropped from now on

// The diagnostics in order of file and offset (stable; those without a place first).
size_t diags_list(const Diags *diags, const Diagnostic *const **list);

typedef enum { DIAG_TEXT, DIAG_JSON, DIAG_SARIF } DiagFormat;
// Text: file:line:column: error: message / the line / carets / notes / suggestions / with `color` SGR codes.
// JSON: {"diagnostics": [...]}. SARIF 2.1.0.
void diags_print(const Diags *diags, DiagFormat format, bool color, FILE *out);

#endif
