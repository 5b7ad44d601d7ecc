// views.h: what can be made of a recording. Each view writes to `out` and leaves errors of writing to its caller.

#ifndef TOOLS_TRACE_VIEWS_H
#define TOOLS_TRACE_VIEWS_H

#include "tools/trace/recording.h"

#include <stdio.h>

void view_text(const Recording *recording, FILE *out);     // one line per event
void view_stats(const Recording *recording, FILE *out);    // where the time went
void view_perfetto(const Recording *recording, FILE *out); // JSON for Perfetto and Chrome
// One HTML page. `sources` is a folder to look for source files in, besides the current one; NULL: none.
void view_page(const Recording *recording, const char *sources, FILE *out);

// "12.3 ms", with a unit that fits.
typedef struct {
    char text[24];
} TimeText;
TimeText time_text(uint64_t time_ns);

// "bookseller.one_buyer, bookseller.c".
const char *run_title(const Recording *recording, const Run *run);
// The role's name, with `*` in place of the number of a family's member.
const char *family_name(const Recording *recording, uint32_t role);

#endif
