// cc.h: the C compiler behind chorcc, and what it needs to know about us.

#ifndef DRIVER_CC_H
#define DRIVER_CC_H

#include "compiler/driver/options.h"

// Where chorex.h and libchorex.a are: beside the directory of the running program, or below $CHORCC_PREFIX.
typedef struct {
    const char *include_dir;
    const char *lib_dir;
    const char *problem; // why chorex.h will not be found; NULL: it is there, or cc may know
} Places;

Places places_find(Arena *arena);

// $CHORCC_CC (which may be several words, "ccache gcc") or cc.
void cc_add_command(Arena *arena, WordList *words);
void cc_add_libs(Arena *arena, const Places *places, WordList *words);
// The same with others, a set of LIBRARY_..., and what they need. NULL, or why it can't be linked with them.
const char *cc_add_more_libs(Arena *arena, const Places *places, unsigned libraries, WordList *words);
// True if we were called by cc_run: calling that compiler would go on for ever.
bool cc_is_chorcc(void);
// Its exit status; 128 + n if signal n killed it; 127 if it can't be started (a message says so).
int cc_run(Arena *arena, const WordList *words);
int cc_run_silently(Arena *arena, const WordList *words);
// On one line, quoted for a shell.
void cc_print(const WordList *words, FILE *out);

#endif
