// analysis.h: what the compiler's passes make of a file, with the text that editors have of it. Costs a libclang parse or more, so
// it is made beside (worker.h), and may be of an older text than the one that is asked about.

#ifndef LSP_ANALYSIS_H
#define LSP_ANALYSIS_H

#include "compiler/driver/chorcc.h"
#include "tools/lsp/flags.h"

// A text that an editor has.
typedef struct {
    const char *path, *text;
    size_t size;
} OpenText;
typedef VECTOR(OpenText) OpenTextList;

typedef struct {
    const char *path;   // of the file to look at
    OpenTextList texts; // of all open files, this one included
    FlagList defaults;
    int64_t version;
} Wish;

typedef struct {
    Arena *arena;
    const char *path;
    int64_t version;
    Compilation *compilation;
    Unit *unit;           // may be NULL: nothing in it concerns us
    const Source *source; // the file's own; may be NULL
    bool is_good;         // all choreographies of the unit have a program
} Analysis;

// Takes the arena that the wish lives in.
Analysis *analysis_new(Arena *arena, const Wish *wish);
void analysis_free(Analysis *analysis); // may be NULL

const Choreography *analysis_choreography(const Analysis *analysis, const char *name); // or NULL
// "Role.f" of the functions that roles provide.
void analysis_functions(const Analysis *analysis, Arena *arena, Map *known);

// An offset in the text that is shown now as one in the text that was looked at, and back. The two differ in one piece, in which
// there is no other offset: OFFSET_NONE.
#define OFFSET_NONE UINT32_MAX
uint32_t analysis_offset(const Analysis *analysis, const char *text, uint32_t size, uint32_t offset);
uint32_t analysis_shown(const Analysis *analysis, const char *text, uint32_t size, uint32_t offset);

#endif
