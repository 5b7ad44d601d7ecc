// view.c: see view.h.

#define _GNU_SOURCE

#include "tools/lsp/view.h"

#include "compiler/syntax/parse.h"
#include "tools/lsp/uri.h"

#include <string.h>

static const char COMPANION[] = ".chor.h";

bool view_is_companion(const char *path)
{
    size_t length = strlen(path);
    return length > strlen(COMPANION) && strcmp(path + length - strlen(COMPANION), COMPANION) == 0;
}

// The word behind `#define CHX_ROLE_AS` between two offsets, the last one; NULL: there is none.
static const char *find_role_as(const View *view, uint32_t from, uint32_t to)
{
    static const char word[] = "CHX_ROLE_AS";
    const char *text = view->source->text, *found = NULL;
    while (from < to) {
        const char *at = memmem(text + from, to - from, word, strlen(word));
        if (at == NULL)
            break;
        uint32_t start = (uint32_t)(at - text) + (uint32_t)strlen(word);
        start += (uint32_t)strspn(text + start, " \t");
        uint32_t end = start < to ? lex_word(text, start, to) : start;
        if (end > start)
            found = arena_copy(view->arena, text + start, end - start);
        from = end > from ? end : from + 1;
    }
    return found;
}

static void find_plays(View *view)
{
    uint32_t from = 0;
    for (size_t i = 0; i < view->found.includes.count; i++) {
        const FoundInclude *include = &view->found.includes.items[i];
        const char *slash = strrchr(include->path, '/'), *base = slash != NULL ? slash + 1 : include->path;
        if (!view_is_companion(base))
            continue;
        size_t length = strlen(base) - strlen(COMPANION);
        const char *dot = memchr(base, '.', length);
        if (dot == NULL)
            continue;
        Play play = {.choreography = arena_copy(view->arena, base, (size_t)(dot - base)),
                     .role = arena_copy(view->arena, dot + 1, length - (size_t)(dot + 1 - base)),
                     .include = include->span};
        play.prefix = find_role_as(view, from, include->span.start);
        if (play.prefix == NULL)
            play.prefix = play.role;
        from = include->span.end;
        vector_push(view->arena, &view->plays, play);
    }
}

static void find_tokens(View *view)
{
    uint32_t from = 0;
    for (size_t i = 0; i <= view->found.blocks.count; i++) {
        bool is_last = i == view->found.blocks.count;
        uint32_t to = is_last ? view->source->size : view->found.blocks.items[i].span.start;
        TokenList tokens = {0};
        if (to > from)
            lex_range(view->arena, view->source, from, to, &tokens);
        for (size_t k = 0; k < tokens.count; k++)
            if (tokens.items[k].kind != TOKEN_END)
                vector_push(view->arena, &view->tokens, tokens.items[k]);
        from = is_last ? to : view->found.blocks.items[i].span.end;
    }
    Token end = {.kind = TOKEN_END, .start = view->source->size, .end = view->source->size, .text = ""};
    vector_push(view->arena, &view->tokens, end);
}

View *view_new(const char *path, const char *text, size_t size, const Map *known)
{
    Arena *arena = arena_new();
    View *view = ARENA_NEW(arena, View);
    view->arena = arena;
    view->path = arena_strdup(arena, path);
    view->uri = uri_of_path(arena, path);
    Sources *sources = sources_new(arena);
    view->sources = sources;
    view->source = source_add(sources, path, text, size);
    lines_init(&view->lines, view->source->text, view->source->size);
    find_blocks(arena, sources, view->source, &view->found);
    for (size_t i = 0; i < view->found.blocks.count; i++) {
        const FoundBlock *found = &view->found.blocks.items[i];
        Diags *ignored = diags_new(arena, sources);
        const Tree *tree = parse_block(arena, sources, ignored, found);
        vector_push(arena, &view->blocks, ((Block){found, tree, index_new(arena, sources, tree, known)}));
    }
    find_plays(view);
    find_tokens(view);
    return view;
}

void view_free(View *view)
{
    if (view == NULL)
        return;
    lines_fini(&view->lines);
    arena_free(view->arena);
}

const Block *view_block(const View *view, uint32_t offset)
{
    for (size_t i = 0; i < view->blocks.count; i++) {
        const FoundBlock *found = view->blocks.items[i].found;
        bool is_behind = found->closed ? offset >= found->span.end : offset > found->span.end;
        if (offset >= found->span.start && !is_behind)
            return &view->blocks.items[i];
    }
    return NULL;
}

const Block *view_block_named(const View *view, const char *name)
{
    for (size_t i = 0; i < view->blocks.count; i++) {
        const char *other = view->blocks.items[i].tree->name.text;
        if (other != NULL && strcmp(other, name) == 0)
            return &view->blocks.items[i];
    }
    return NULL;
}

const Token *view_c_token(const View *view, uint32_t offset)
{
    size_t low = 0, high = view->tokens.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (view->tokens.items[middle].end < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < view->tokens.count && view->tokens.items[low].start <= offset; low++)
        if (view->tokens.items[low].kind == TOKEN_IDENTIFIER)
            return &view->tokens.items[low];
    return NULL;
}

bool view_is_definition(const View *view, const Token *token, uint32_t *end)
{
    size_t at = (size_t)(token - view->tokens.items) + 1;
    if (!tokens_have(&view->tokens, at, "("))
        return false;
    size_t close = tokens_close(&view->tokens, at);
    if (close + 1 >= view->tokens.count || !tokens_have(&view->tokens, close + 1, "{"))
        return false;
    // A call that something in braces follows is a condition: its own parenthesis is open.
    int depth = 0;
    for (size_t i = 0; i < at; i++)
        depth += token_depth(&view->tokens.items[i]);
    size_t last = tokens_close(&view->tokens, close + 1);
    *end = last < view->tokens.count ? view->tokens.items[last].end : view->source->size;
    return depth == 0;
}

bool view_c_is_whole(const View *view)
{
    int depth = 0;
    for (size_t i = 0; i < view->tokens.count && depth >= 0; i++) {
        depth += token_depth(&view->tokens.items[i]);
        if (view->tokens.items[i].unterminated)
            return false;
    }
    return depth == 0;
}
