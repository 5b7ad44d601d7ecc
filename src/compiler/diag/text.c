// text.c: diagnostics as people read them, in gcc's form.
//
//     hello.c:7:15: error: Alice has no variable 'val' here
//         7 |         Alice.val ~> Bob.val;
//           |               ^~~

#include "base/text.h"
#include "compiler/diag/print.h"
#include "compiler/diag/utf8.h"

#include <string.h>

enum { TAB = 8, LINE_COLUMNS_MAX = 160 };

typedef struct {
    const char *bold, *error, *warning, *note, *help, *end;
} Colors;

static const Colors no_colors = {"", "", "", "", "", ""};
// What gcc uses: \33[K keeps the background from leaking to the end of the line.
static const Colors sgr_colors = {"\33[01m\33[K",    "\33[01;31m\33[K", "\33[01;35m\33[K",
                                  "\33[01;36m\33[K", "\33[32m\33[K",    "\33[m\33[K"};

typedef struct {
    Text text;                // printable: tabs expanded, nothing a terminal would obey
    uint32_t columns;         // its width
    uint32_t first, last;     // columns of the span: [first, last)
    VECTOR(uint32_t) offsets; // in `text`, of each column (the second column of a wide character: its start)
} Line;

static void line_add(Line *line, Arena *arena, const char *bytes, size_t size, int width)
{
    for (int i = 0; i < width; i++)
        vector_push(arena, &line->offsets, (uint32_t)line->text.length);
    text_add(&line->text, bytes, size);
    line->columns += (uint32_t)width;
}

// The line that `span` starts in.
static void line_read(Line *line, Arena *arena, const Source *source, Span span)
{
    *line = (Line){0};
    text_init(&line->text, arena);
    uint32_t start = span.start - (source_position(source, span.start).column - 1);
    const char *newline = memchr(source->text + start, '\n', source->size - start);
    uint32_t end = newline == NULL ? source->size : (uint32_t)(newline - source->text);
    if (end > start && source->text[end - 1] == '\r')
        end--;
    bool has_first = false, has_last = false;
    for (uint32_t at = start; at < end;) {
        if (at >= span.start && !has_first) {
            line->first = line->columns;
            has_first = true;
        }
        if (at >= span.end && !has_last) {
            line->last = line->columns;
            has_last = true;
        }
        uint32_t code = 0;
        size_t length = utf8_decode(source->text + at, end - at, &code);
        if (length == 0 || (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0)) {
            line_add(line, arena, "?", 1, 1);
        } else if (code == '\t') {
            do
                line_add(line, arena, " ", 1, 1);
            while (line->columns % TAB != 0);
        } else {
            line_add(line, arena, source->text + at, length, utf8_width(code));
        }
        at += length == 0 ? 1 : (uint32_t)length;
    }
    if (!has_first)
        line->first = line->columns;
    if (!has_last)
        line->last = line->columns;
    vector_push(arena, &line->offsets, (uint32_t)line->text.length);
}

static void print_repeated(char what, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++)
        putc(what, out);
}

static void print_place_line(Arena *arena, const Source *source, Span span, const Colors *colors, const char *color,
                             FILE *out)
{
    Line line;
    line_read(&line, arena, source, span);
    // A long line is cut to a window that begins a little before the caret.
    uint32_t from = 0, to = line.columns;
    if (line.columns > LINE_COLUMNS_MAX) {
        if (line.first > LINE_COLUMNS_MAX / 2)
            from = line.first - LINE_COLUMNS_MAX / 2;
        if (to > from + LINE_COLUMNS_MAX)
            to = from + LINE_COLUMNS_MAX;
        // Not through the middle of a wide character.
        while (from > 0 && line.offsets.items[from] == line.offsets.items[from - 1])
            from--;
        while (to < line.columns && line.offsets.items[to] == line.offsets.items[to - 1])
            to++;
    }
    const char *cut = from > 0 ? "..." : "";
    uint32_t start = line.offsets.items[from], end = line.offsets.items[to];
    fprintf(out, "%5u | %s%.*s%s\n", source_position(source, span.start).line, cut, (int)(end - start),
            line.text.chars + start, to < line.columns ? "..." : "");
    fputs("      | ", out);
    print_repeated(' ', (uint32_t)strlen(cut) + line.first - from, out);
    fprintf(out, "%s^", color);
    uint32_t last = line.last < to ? line.last : to;
    if (last > line.first + 1)
        print_repeated('~', last - line.first - 1, out);
    fprintf(out, "%s\n", colors->end);
}

// A name of a file or a piece of a source can have any bytes in it. What would move the cursor of a terminal, or make two
// lines out of one, is shown as an escape.
static void print_plain(const char *text, FILE *out)
{
    size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        uint32_t code = (unsigned char)text[at];
        size_t length = utf8_decode(text + at, size - at, &code);
        if (length == 0)
            code = (unsigned char)text[at], length = 1;
        if (code < 0x20 || (code >= 0x7F && code < 0xA0))
            fprintf(out, "\\%03o", (unsigned)(unsigned char)text[at]);
        else
            fwrite(text + at, 1, length, out);
        at += length;
    }
}

static void print_message(const Sources *sources, Span span, const char *kind, const char *color, const char *message,
                          const Colors *colors, FILE *out)
{
    if (span.file == FILE_NONE) {
        fprintf(out, "%schorcc:%s %s%s:%s ", colors->bold, colors->end, color, kind, colors->end);
        print_plain(message, out);
        putc('\n', out);
        return;
    }
    const Source *source = source_get(sources, span.file);
    Position position = source_position(source, span.start);
    fputs(colors->bold, out);
    print_plain(source->path, out);
    fprintf(out, ":%u:%u:%s %s%s:%s ", position.line, position.column, colors->end, color, kind, colors->end);
    print_plain(message, out);
    putc('\n', out);
}

static void print_line(Arena *arena, const Sources *sources, Span span, const Colors *colors, const char *color,
                       FILE *out)
{
    if (span.file != FILE_NONE)
        print_place_line(arena, source_get(sources, span.file), span, colors, color, out);
}

void print_text(Arena *arena, const Sources *sources, const Diagnostic *diagnostic, bool color, FILE *out)
{
    const Colors *colors = color ? &sgr_colors : &no_colors;
    bool is_error = diagnostic->severity == SEVERITY_ERROR;
    const char *own = is_error ? colors->error : colors->warning;
    print_message(sources, diagnostic->span, is_error ? "error" : "warning", own, diagnostic->message, colors, out);
    print_line(arena, sources, diagnostic->span, colors, own, out);
    for (size_t i = 0; i < diagnostic->fixes.count; i++) {
        fprintf(out, "  %shelp:%s ", colors->help, colors->end);
        print_plain(diagnostic->fixes.items[i].message, out);
        putc('\n', out);
    }
    for (size_t i = 0; i < diagnostic->notes.count; i++) {
        const Note *note = &diagnostic->notes.items[i];
        // A note without a place of its own is about the diagnostic's, whose line is already there.
        Span place = note->span.file == FILE_NONE ? diagnostic->span : note->span;
        print_message(sources, place, "note", colors->note, note->message, colors, out);
        print_line(arena, sources, note->span, colors, colors->note, out);
    }
}
