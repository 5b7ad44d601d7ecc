// words.c: pieces of the source as labels.

#include "tools/diagram/words.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

// Behind a comment that begins at `at`; `at` itself if there is none.
static uint32_t skip_comment(const char *text, uint32_t at, uint32_t length)
{
    if (at + 1 >= length || text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
        return at;
    bool is_line = text[at + 1] == '/';
    for (uint32_t i = at + 2; i < length; i++) {
        if (is_line && text[i] == '\n')
            return i;
        if (!is_line && text[i] == '/' && text[i - 1] == '*' && i > at + 2)
            return i + 1;
    }
    return length;
}

// Behind a string or character constant that begins at `at`; `at` itself if there is none.
static uint32_t skip_quoted(const char *text, uint32_t at, uint32_t length)
{
    char quote = text[at];
    if (quote != '"' && quote != '\'')
        return at;
    uint32_t i = at + 1;
    while (i < length && text[i] != quote)
        i += text[i] == '\\' ? 2 : 1;
    return i < length ? i + 1 : length;
}

const char *words_of(const Words *words, Span span)
{
    uint32_t length;
    const char *source = span_text(words->sources, span, &length);
    Text text;
    text_init(&text, words->arena);
    bool wants_space = false;
    for (uint32_t i = 0; i < length;) {
        uint32_t next = skip_comment(source, i, length);
        if (next > i || isspace((unsigned char)source[i])) {
            wants_space = text.length > 0;
            i = next > i ? next : i + 1;
            continue;
        }
        next = skip_quoted(source, i, length);
        next = next > i ? next : i + 1;
        if (wants_space)
            text_puts(&text, " ");
        wants_space = false;
        text_add(&text, source + i, next - i);
        i = next;
    }
    return text.chars;
}

const char *words_of_expr(const Words *words, const TreeExpr *expr)
{
    switch (expr->kind) {
    case TREE_NAME:
        return expr->name.text;
    case TREE_CALL:
    case TREE_C:
        return words_of(words, expr->c.span);
    case TREE_TUPLE:
        break;
    }
    Text text;
    text_init(&text, words->arena);
    for (size_t i = 0; i < expr->parts.count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", words_of(words, expr->parts.items[i].span));
    return text.chars;
}

static void put_target(const Words *words, const Target *target, Text *text)
{
    if (target->field.text != NULL && (target->name.text == NULL || strcmp(target->name.text, target->field.text) != 0))
        text_printf(text, ".%s = ", target->field.text);
    switch (target->kind) {
    case TARGET_NAME:
    case TARGET_DECLARE:
        text_puts(text, target->name.text);
        break;
    case TARGET_DROP:
        text_puts(text, "_");
        break;
    case TARGET_MATCH:
        text_printf(text, "(%s)", words_of(words, target->c.span));
        break;
    case TARGET_PLACE:
        text_puts(text, words_of(words, target->c.span));
        break;
    case TARGET_TUPLE:
    case TARGET_STRUCT:
        for (size_t i = 0; i < target->parts.count; i++) {
            text_puts(text, i > 0 ? ", " : "");
            put_target(words, target->parts.items[i], text);
        }
        break;
    }
}

const char *words_of_target(const Words *words, const Target *target)
{
    Text text;
    text_init(&text, words->arena);
    put_target(words, target, &text);
    return text.chars;
}

size_t words_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

const char *words_shorten(const Words *words, const char *text, size_t most)
{
    if (words_width(text) <= most)
        return text;
    size_t end = 0;
    for (size_t width = 0; text[end] != '\0'; end++) {
        width += ((unsigned char)text[end] & 0xc0) != 0x80;
        if (width == most)
            break;
    }
    return arena_printf(words->arena, "%.*s…", (int)end, text);
}
