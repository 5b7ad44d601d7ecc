// analysis.c: see analysis.h.

#define _GNU_SOURCE

#include "tools/lsp/analysis.h"

#include "compiler/driver/blocks.h"
#include "compiler/driver/cc.h"
#include "compiler/driver/path.h"
#include "tools/lsp/view.h"

#include <string.h>

// Where C is half typed, functions seem to be missing that are there.
static bool c_is_broken(void *context, const char *path)
{
    (void)path;
    const Analysis *analysis = context;
    View *view = view_new(analysis->path, analysis->source->text, analysis->source->size, NULL);
    bool is_whole = view_c_is_whole(view);
    view_free(view);
    return !is_whole;
}

static void replace_texts(Analysis *analysis, const Wish *wish)
{
    Compilation *compilation = analysis->compilation;
    for (size_t i = 0; i < wish->texts.count; i++) {
        const OpenText *text = &wish->texts.items[i];
        sources_replace(compilation->sources, text->path, text->text, text->size);
        // libclang is given the file's own text anyway.
        if (strcmp(text->path, wish->path) != 0)
            vector_push(analysis->arena, &compilation->flags.files, ((CVirtualFile){text->path, text->text}));
    }
}

static bool all_have_programs(const Unit *unit)
{
    for (size_t i = 0; unit != NULL && i < unit->choreographies.count; i++)
        if (unit->choreographies.items[i]->program == NULL || unit->choreographies.items[i]->locals == NULL)
            return false;
    return unit != NULL && unit->choreographies.count > 0;
}

Analysis *analysis_new(Arena *arena, const Wish *wish)
{
    Analysis *analysis = ARENA_NEW(arena, Analysis);
    *analysis = (Analysis){.arena = arena, .path = wish->path, .version = wish->version};
    FileFlags flags;
    flags_find(arena, wish->path, &wish->defaults, &flags);
    CompilationOptions options = {
        .until = PASS_EMIT,
        .cc_args = flags.args.items,
        .cc_arg_count = flags.args.count,
        .include_dir = places_find(arena).include_dir,
        .emit_dir = flags.emit_dir,
        .warns_durable_gap = flags.warns_durable_gap,
    };
    analysis->compilation = compilation_new(arena, &options);
    diags_set_nowarn(analysis->compilation->diags, flags.nowarn);
    replace_texts(analysis, wish);
    analysis->unit = compilation_add(analysis->compilation, wish->path);
    const char *error;
    CFile *file = blocks_load(analysis->compilation, wish->path, &error);
    analysis->source = file != NULL ? file->source : NULL;
    analysis->is_good = all_have_programs(analysis->unit);
    if (analysis->unit != NULL && analysis->source != NULL && diags_errors(analysis->compilation->diags) == 0 &&
        !blocks_is_c_header(wish->path))
        compilation_verify(analysis->compilation, analysis->unit, c_is_broken, analysis);
    return analysis;
}

void analysis_free(Analysis *analysis)
{
    if (analysis != NULL)
        arena_free(analysis->arena);
}

const Choreography *analysis_choreography(const Analysis *analysis, const char *name)
{
    for (size_t i = 0; analysis != NULL && analysis->unit != NULL && i < analysis->unit->choreographies.count; i++) {
        const Choreography *choreography = analysis->unit->choreographies.items[i];
        if (choreography->tree != NULL && choreography->tree->name.text != NULL &&
            strcmp(choreography->tree->name.text, name) == 0)
            return choreography;
    }
    return NULL;
}

void analysis_functions(const Analysis *analysis, Arena *arena, Map *known)
{
    for (size_t i = 0; analysis != NULL && analysis->unit != NULL && i < analysis->unit->choreographies.count; i++) {
        const Program *program = analysis->unit->choreographies.items[i]->program;
        for (size_t k = 0; program != NULL && k < program->functions.count; k++) {
            const RoleFunction *function = program->functions.items[k];
            map_put(known, arena_printf(arena, "%s.%s", program->role_names[function->role], function->name), known);
        }
    }
}

// ---- the text then and now ----

static void differ(const Source *source, const char *text, uint32_t size, uint32_t *before, uint32_t *behind)
{
    uint32_t least = source->size < size ? source->size : size;
    *before = *behind = 0;
    while (*before < least && source->text[*before] == text[*before])
        ++*before;
    while (*behind < least - *before && source->text[source->size - 1 - *behind] == text[size - 1 - *behind])
        ++*behind;
}

uint32_t analysis_offset(const Analysis *analysis, const char *text, uint32_t size, uint32_t offset)
{
    uint32_t before, behind;
    if (analysis->source == NULL)
        return OFFSET_NONE;
    differ(analysis->source, text, size, &before, &behind);
    if (offset <= before)
        return offset;
    return offset >= size - behind ? offset - size + analysis->source->size : OFFSET_NONE;
}

uint32_t analysis_shown(const Analysis *analysis, const char *text, uint32_t size, uint32_t offset)
{
    uint32_t before, behind;
    if (analysis->source == NULL)
        return OFFSET_NONE;
    differ(analysis->source, text, size, &before, &behind);
    if (offset <= before)
        return offset;
    return offset >= analysis->source->size - behind ? offset - analysis->source->size + size : OFFSET_NONE;
}
