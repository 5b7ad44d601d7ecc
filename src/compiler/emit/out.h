// out.h: emitted C under construction, with #line directives.
//
// A line of the text is either the choreography's (after out_source) or the companion's own (after out_own). Pieces can
// be made in any order and put together with out_append: the directives that lead back to the companion get their
// numbers in out_finish.

#ifndef EMIT_OUT_H
#define EMIT_OUT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    Text text;
    const char *source;  // the choreography's file, as a C string literal
    const char *current; // while in_source: the file that the line is of
    bool in_source;
    uint32_t line;   // of the choreography, while in_source
    unsigned indent; // for out_statement
} Out;

void out_init(Out *out, Arena *arena, const char *source_literal);
void out_puts(Out *out, const char *text); // may contain newlines
void out_printf(Out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Ends the current line, if it is not empty.
void out_end_line(Out *out);
// Lines of the choreography are from here on those of this file.
void out_file(Out *out, const char *source_literal);
// What follows starts a new line, which counts as this one of the choreography.
void out_source(Out *out, uint32_t line);
// What follows stands in this column, from 1, of the current line, which is the choreography's: C compilers then complain
// about the user's column. Begins the line again if it is too long already.
void out_column(Out *out, uint32_t column);
// What follows starts a new line, which is the companion's own.
void out_own(Out *out);
// A new line of the choreography's (0: of the companion's own), indented.
void out_statement(Out *out, uint32_t line);
void out_append(Out *out, const Out *part); // `out` must be the companion's own at its end
// The whole text; `name` is the companion's.
char *out_finish(Out *out, const char *name);

// `text` as a C string literal, quotes included.
char *c_literal(Arena *arena, const char *text);
// `text`, the name of a file, for a // comment: on one line, and without a backslash at its end. And back.
char *c_comment(Arena *arena, const char *text);
char *c_comment_decode(Arena *arena, const char *comment);

#endif
