// uses.c: see uses.h. A choreography can use those above it, in its own file or in headers that this file includes: what their
// local C needs is then declared. So two of them can't use each other.

#include "compiler/driver/uses.h"

#include "base/similar.h"
#include "compiler/driver/blocks.h"
#include "compiler/syntax/lex.h"

#include <string.h>

const char *block_name(Compilation *compilation, const CFile *file, const FoundBlock *block)
{
    const char *text = file->source->text;
    uint32_t start = block->inside.start, end = block->inside.end;
    while (start < end && (lex_class(text[start]) == LEX_SPACE || lex_class(text[start]) == LEX_NEWLINE))
        start++;
    return arena_copy(compilation->arena, text + start, lex_word(text, start, end) - start);
}

static const Choreography *find_above(const Unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->choreographies.count; i++) {
        const Choreography *other = unit->choreographies.items[i];
        if (other->tree != NULL && other->tree->name.text != NULL && strcmp(other->tree->name.text, name) == 0)
            return other;
    }
    return NULL;
}

// The choreography of this name further down in the file; NULL: there is none.
static const FoundBlock *find_below(Compilation *compilation, const Choreography *choreography, const char *name)
{
    const CFile *file = choreography->file;
    for (size_t i = 0; i < file->found.blocks.count; i++) {
        const FoundBlock *block = &file->found.blocks.items[i];
        if (block->span.start > choreography->block->span.start &&
            strcmp(block_name(compilation, file, block), name) == 0)
            return block;
    }
    return NULL;
}

static bool uses_name(const Tree *tree, const char *name)
{
    for (size_t i = 0; i < tree->uses.count; i++)
        if (strcmp(tree->uses.items[i].name.text, name) == 0)
            return true;
    return false;
}

static void report_below(Compilation *compilation, const Choreography *choreography, const Name *name,
                         const FoundBlock *below)
{
    Diags *ignored = diags_new(compilation->arena, compilation->sources);
    const Tree *other = parse_block(compilation->arena, compilation->sources, ignored, below);
    Span place = {below->span.file, below->span.start, below->inside.start};
    const char *own = choreography->tree->name.text;
    if (uses_name(other, own)) {
        diag_error(compilation->diags, name->span, "'%s' and '%s' can't use each other", own, name->text);
        diag_note(compilation->diags, place, "'%s' uses '%s' here", name->text, own);
        return;
    }
    diag_error(compilation->diags, name->span, "'%s' can't be used here: it stands below", name->text);
    diag_note(compilation->diags, place, "move it above '%s'", own);
}

static void report_unknown(Compilation *compilation, const Unit *unit, const Name *name)
{
    VECTOR(const char *) names = {0};
    for (size_t i = 0; i < unit->choreographies.count; i++) {
        const Tree *tree = unit->choreographies.items[i]->tree;
        if (tree != NULL && tree->name.text != NULL)
            vector_push(compilation->arena, &names, tree->name.text);
    }
    diag_error(compilation->diags, name->span, "there is no choreography '%s' above", name->text);
    const char *close = closest_name(name->text, names.items, names.count);
    if (close != NULL)
        diag_fix(compilation->diags, name->span, close, "did you mean '%s'?", close);
    else
        diag_note(compilation->diags, SPAN_NONE,
                  "it must stand in this file, or in a header that this file includes before this place");
}

static bool report_missing(Compilation *compilation, const Unit *unit, const Choreography *choreography,
                           const Name *name)
{
    if (strcmp(name->text, choreography->tree->name.text) == 0) {
        diag_error(compilation->diags, name->span, "a choreography can't use itself: its functions are there anyway");
        return false;
    }
    const FoundBlock *below = find_below(compilation, choreography, name->text);
    if (below != NULL)
        report_below(compilation, choreography, name, below);
    else
        report_unknown(compilation, unit, name);
    return false;
}

// Is what the other one needs declared where this one stands?
static bool check_included(Compilation *compilation, const Choreography *choreography, const Name *name,
                           const Choreography *other)
{
    if (blocks_reach(compilation, choreography->file, other->file))
        return true;
    diag_error(compilation->diags, name->span, "'%s' can't be used here: '%s' does not include '%s'", name->text,
               choreography->file->source->path, other->file->source->path);
    return false;
}

bool find_uses(Compilation *compilation, const Unit *unit, const Choreography *choreography)
{
    Tree *tree = choreography->tree;
    bool fine = true;
    for (size_t i = 0; i < tree->uses.count; i++) {
        TreeUse *use = &tree->uses.items[i];
        const Choreography *other = find_above(unit, use->name.text);
        if (other == NULL)
            fine = report_missing(compilation, unit, choreography, &use->name);
        else if (!check_included(compilation, choreography, &use->name, other))
            fine = false;
        else if (other->program == NULL)
            fine = false; // its own errors are enough
        use->tree = fine ? other->tree : NULL;
    }
    return fine;
}
