// out.c: see out.h.

#include "compiler/emit/out.h"

#include "base/check.h"
#include "compiler/diag/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A line of its own that out_finish replaces by a #line directive with the companion's name and line.
#define OWN_LINE_MARK '\1'

void out_init(Out *out, Arena *arena, const char *source_literal)
{
    *out = (Out){.source = source_literal, .current = source_literal};
    text_init(&out->text, arena);
}

void out_puts(Out *out, const char *text)
{
    for (const char *c = strchr(text, '\n'); c != NULL; c = strchr(c + 1, '\n'))
        out->line++;
    text_puts(&out->text, text);
}

void out_printf(Out *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    out_puts(out, arena_vprintf(out->text.arena, format, arguments));
    va_end(arguments);
}

void out_end_line(Out *out)
{
    if (out->text.length > 0 && out->text.chars[out->text.length - 1] != '\n')
        out_puts(out, "\n");
}

void out_file(Out *out, const char *source_literal)
{
    out->source = source_literal;
}

void out_source(Out *out, uint32_t line)
{
    out_end_line(out);
    if (out->in_source && out->line == line && strcmp(out->current, out->source) == 0)
        return;
    out->current = out->source;
    text_printf(&out->text, "#line %u %s\n", line, out->source);
    out->in_source = true;
    out->line = line;
}

void out_column(Out *out, uint32_t column)
{
    if (!out->in_source || column == 0)
        return;
    size_t start = out->text.length;
    while (start > 0 && out->text.chars[start - 1] != '\n')
        start--;
    size_t at = out->text.length - start + 1;
    if (at > column) {
        while (out->text.chars[out->text.length - 1] == ' ')
            out->text.chars[--out->text.length] = '\0';
        text_printf(&out->text, "\n#line %u %s\n", out->line, out->current);
        at = 1;
    }
    for (; at < column; at++)
        text_puts(&out->text, " ");
}

void out_own(Out *out)
{
    out_end_line(out);
    if (!out->in_source)
        return;
    text_printf(&out->text, "%c\n", OWN_LINE_MARK);
    out->in_source = false;
}

void out_statement(Out *out, uint32_t line)
{
    if (line == 0)
        out_own(out);
    else
        out_source(out, line);
    for (unsigned i = 0; i < out->indent; i++)
        text_puts(&out->text, "    ");
}

void out_append(Out *out, const Out *part)
{
    out_end_line(out);
    CHECK(!out->in_source);
    text_add(&out->text, part->text.chars, part->text.length);
    out->in_source = part->in_source;
    out->current = part->current;
    out->line = part->line;
}

char *out_finish(Out *out, const char *name)
{
    out_end_line(out);
    Arena *arena = out->text.arena;
    const char *literal = c_literal(arena, name);
    Text whole;
    text_init(&whole, arena);
    uint32_t number = 1;
    for (const char *line = out->text.chars; *line != '\0'; number++) {
        const char *end = strchr(line, '\n');
        CHECK(end != NULL);
        if (*line == OWN_LINE_MARK)
            text_printf(&whole, "#line %u %s\n", number + 1, literal);
        else
            text_add(&whole, line, (size_t)(end + 1 - line));
        line = end + 1;
    }
    return whole.chars;
}

// The bytes of the character at `c`, if it can stand in emitted code as it is: not a control character, not one that turns
// the direction of writing, not something that is no UTF-8.
static size_t plain_bytes(const char *c)
{
    uint32_t code = 0;
    size_t length = utf8_decode(c, strlen(c), &code);
    bool turns = code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                 (code >= 0x2066 && code <= 0x2069);
    bool controls = code < 32 || (code >= 127 && code < 160);
    // "??" could begin a trigraph.
    bool is_trigraph = c[0] == '?' && c[1] == '?';
    return turns || controls || is_trigraph ? 0 : length;
}

static char *escaped(Arena *arena, const char *text, const char *quote, bool is_literal)
{
    Text out;
    text_init(&out, arena);
    text_puts(&out, quote);
    for (const char *c = text; *c != '\0';) {
        size_t length = plain_bytes(c);
        if (is_literal && (*c == '"' || *c == '\\'))
            text_printf(&out, "\\%c", *c);
        else if (length == 0 || *c == '\\')
            // Three octal digits, so that a digit behind the character is not taken for a part of it.
            text_printf(&out, "\\%03o", (unsigned)(unsigned char)*c);
        else
            text_add(&out, c, length);
        c += length == 0 ? 1 : length;
    }
    text_puts(&out, quote);
    return out.chars;
}

char *c_literal(Arena *arena, const char *text)
{
    return escaped(arena, text, "\"", true);
}

char *c_comment(Arena *arena, const char *text)
{
    return escaped(arena, text, "", false);
}

char *c_comment_decode(Arena *arena, const char *comment)
{
    char *text = arena_strdup(arena, comment), *to = text;
    for (const char *c = comment; *c != '\0'; c++) {
        bool is_escape = c[0] == '\\' && strspn(c + 1, "01234567") >= 3;
        *to++ = is_escape ? (char)((c[1] - '0') * 64 + (c[2] - '0') * 8 + (c[3] - '0')) : *c;
        c += is_escape ? 3 : 0;
    }
    *to = '\0';
    return text;
}
