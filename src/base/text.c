#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reserve(Text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity * 2 > needed ? text->capacity * 2 : needed + 64;
    char *chars = arena_alloc(text->arena, capacity);
    if (text->length > 0)
        memcpy(chars, text->chars, text->length);
    text->chars = chars;
    text->capacity = capacity;
}

void text_init(Text *text, Arena *arena)
{
    *text = (Text){.arena = arena};
    reserve(text, 0);
}

void text_add(Text *text, const char *chars, size_t length)
{
    reserve(text, length);
    if (length > 0)
        memcpy(text->chars + text->length, chars, length);
    text->length += length;
    text->chars[text->length] = '\0';
}

void text_puts(Text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_printf(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char small[256];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, again);
    va_end(again);
    if (length >= 0 && (size_t)length < sizeof small) {
        text_add(text, small, (size_t)length);
    } else if (length >= 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->chars + text->length, (size_t)length + 1, format, arguments);
        text->length += (size_t)length;
    }
    va_end(arguments);
}
