// find.h: finds `choreography(...)` blocks in C text.
//
// Purely lexical: comments, strings, character constants and line continuations are respected, `#if` is not evaluated
// (ctypes says which blocks are active) and `#define choreography` lines are not blocks.

#ifndef SYNTAX_FIND_H
#define SYNTAX_FIND_H

#include "compiler/diag/diag.h"

typedef struct {
    Span span;   // from `choreography` to its closing parenthesis
    Span inside; // between the parentheses
    bool closed; // false: the parenthesis is never closed (reported); `inside` goes to the end of the file
    // A preprocessor directive inside the block (not allowed; find_blocks reports it).
    Span directive;
} FoundBlock;

typedef struct {
    Span span;        // the whole directive, from '#' to the end of the line
    const char *path; // between the quotes, or between < and >
    bool is_angled;
} FoundInclude; // an #include "path" or <path> outside of blocks

typedef struct {
    Span span; // of the name
    const char *name;
} FoundMaker; // #define NAME ... choreography ...: a macro that would make a block

typedef struct {
    VECTOR(FoundBlock) blocks;
    VECTOR(FoundInclude) includes;
    VECTOR(FoundMaker) makers;
    bool has_other_includes; // #include NAME, #include_next, #import: only the preprocessor knows what they mean
} Found;

// Where C declares or defines the function `name` behind the offset `from`: its name there, SPAN_NONE if it does not.
Span find_function(Arena *arena, const Source *source, uint32_t from, const char *name);

void find_blocks(Arena *arena, const Sources *sources, const Source *source, Found *found);

#endif
