#include "compiler/emit/out.h"

#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A line of its own that out_finish replaces by a #line directive with the companion's name and line.
#define OWN_LINE_MARK '\1'

void out_init(Out *out, Arena *arena, const char *source_literal)
{
    *out = (Out){.source = source_literal};
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

void out_source(Out *out, uint32_t line)
{
    out_end_line(out);
    if (out->in_source && out->line == line)
        return;
    text_printf(&out->text, "#line %u %s\n", line, out->source);
    out->in_source = true;
    out->line = line;
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

char *c_literal(Arena *arena, const char *text)
{
    Text literal;
    text_init(&literal, arena);
    text_puts(&literal, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        // Three octal digits, so that a digit behind the character is not taken for a part of it; "??" is no trigraph.
        if ((unsigned char)*c < 32 || *c == 127 || (*c == '?' && c[1] == '?'))
            text_printf(&literal, "\\%03o", (unsigned)(unsigned char)*c);
        else if (*c == '"' || *c == '\\')
            text_printf(&literal, "\\%c", *c);
        else
            text_add(&literal, c, 1);
    }
    text_puts(&literal, "\"");
    return literal.chars;
}
