// diagnostics.c: what the compiler has to say, at its places in the document.

#define _GNU_SOURCE

#include "base/text.h"
#include "tools/lsp/diagnosed.h"
#include "tools/lsp/uri.h"

#include "compiler/driver/path.h"

#include <ctype.h>
#include <string.h>

enum { SEVERITY_LSP_ERROR = 1, SEVERITY_LSP_WARNING = 2 };

static const Source *source_of(const Analysis *analysis, Span span)
{
    return span.file == FILE_NONE ? NULL : source_get(analysis->compilation->sources, span.file);
}

static bool is_own(const Analysis *analysis, Span span)
{
    return span.file != FILE_NONE && source_of(analysis, span) == analysis->source;
}

static bool is_blank(const Source *source, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (!isspace((unsigned char)source->text[from]))
            return false;
    return true;
}

// Where a diagnostic without a place in the file is shown: at the #include that leads to its own, else at the first line.
static Span stand_in(const Analysis *analysis, const View *view, Span span)
{
    const Source *source = source_of(analysis, span);
    const char *base = source != NULL ? path_base(source->path) : NULL;
    for (size_t i = 0; base != NULL && i < view->found.includes.count; i++)
        if (strcmp(path_base(view->found.includes.items[i].path), base) == 0)
            return view->found.includes.items[i].span;
    return (Span){0, 0, lines_end(&view->lines, 0)};
}

// Is it about what the C outside of blocks plays? What else is wrong there is for others to say.
static bool is_about_role(const View *view, uint32_t offset)
{
    for (size_t i = 0; i < view->plays.count; i++)
        if (offset >= view->plays.items[i].include.start && offset < view->plays.items[i].include.end)
            return true;
    const Token *token = view_c_token(view, offset);
    for (size_t i = 0; token != NULL && i < view->plays.count; i++) {
        size_t length = strlen(view->plays.items[i].prefix);
        if (strncmp(token->text, view->plays.items[i].prefix, length) == 0 && token->text[length] == '_')
            return true;
    }
    return false;
}

bool diagnosed_place(const Analysis *analysis, const View *view, const Diagnostic *diagnostic, uint32_t *start,
                     uint32_t *end)
{
    if (!is_own(analysis, diagnostic->span)) {
        Span span = stand_in(analysis, view, diagnostic->span);
        *start = span.start;
        *end = span.end;
        return true;
    }
    const char *text = view->source->text;
    uint32_t size = view->source->size;
    *start = analysis_shown(analysis, text, size, diagnostic->span.start);
    *end = analysis_shown(analysis, text, size, diagnostic->span.end);
    if (*start == OFFSET_NONE || *end == OFFSET_NONE || *end < *start)
        return false;
    return view_block(view, *start) != NULL || is_about_role(view, *start);
}

static json_t *related(const Analysis *analysis, Span span, const char *message)
{
    const Source *source = source_of(analysis, span);
    Arena *arena = arena_new();
    Lines lines;
    lines_init(&lines, source->text, source->size);
    json_t *location = json_pack("{s:o, s:o}", "uri", reply_text(uri_of_path(arena, path_real(arena, source->path))),
                                 "range", reply_range(&lines, span.start, span.end));
    lines_fini(&lines);
    arena_free(arena);
    return json_pack("{s:o, s:o}", "location", location, "message", reply_text(message));
}

json_t *diagnosed_json(Arena *arena, const Analysis *analysis, const View *view, const Diagnostic *diagnostic)
{
    uint32_t start, end;
    if (!diagnosed_place(analysis, view, diagnostic, &start, &end))
        return NULL;
    // One character at least, if there is one.
    if (end == start && end < view->source->size && !is_blank(view->source, end, end + 1))
        end++;
    bool is_error = diagnostic->severity == SEVERITY_ERROR;
    Text text;
    text_init(&text, arena);
    text_puts(&text, diagnostic->message);
    json_t *places = json_array();
    if (diagnostic->span.file != FILE_NONE && !is_own(analysis, diagnostic->span))
        reply_add(places, related(analysis, diagnostic->span, diagnostic->message));
    for (size_t i = 0; i < diagnostic->notes.count; i++) {
        const Note *note = &diagnostic->notes.items[i];
        if (note->span.file == FILE_NONE)
            text_printf(&text, "\nnote: %s", note->message);
        else
            reply_add(places, related(analysis, note->span, note->message));
    }
    for (size_t i = 0; i < diagnostic->fixes.count; i++)
        text_printf(&text, "\nhelp: %s", diagnostic->fixes.items[i].message);
    return json_pack("{s:o, s:i, s:s, s:o, s:o}", "range", reply_range(&view->lines, start, end), "severity",
                     is_error ? SEVERITY_LSP_ERROR : SEVERITY_LSP_WARNING, "source", "chorex", "message",
                     reply_text(text.chars), "relatedInformation", places);
}

void diagnostics_publish(Server *server, const Document *document)
{
    const Analysis *analysis = document->latest;
    const View *view = document_view((Document *)document);
    const Diagnostic *const *list;
    size_t count = diags_list(analysis->compilation->diags, &list);
    json_t *array = json_array();
    Arena *arena = arena_new();
    for (size_t i = 0; i < count; i++) {
        json_t *one = diagnosed_json(arena, analysis, view, list[i]);
        if (one != NULL)
            reply_add(array, one);
    }
    arena_free(arena);
    server_notify(server, "textDocument/publishDiagnostics",
                  json_pack("{s:o, s:I, s:o}", "uri", reply_text(document->uri), "version",
                            (json_int_t)document->version, "diagnostics", array));
}

void diagnostics_clear(Server *server, const char *uri)
{
    server_notify(server, "textDocument/publishDiagnostics",
                  json_pack("{s:o, s:[]}", "uri", reply_text(uri), "diagnostics"));
}
