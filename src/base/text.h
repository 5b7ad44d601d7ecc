// text.h: text under construction, in an arena. Always NUL-terminated.

#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

typedef struct {
    Arena *arena;
    char *chars; // "" as soon as text_init was called
    size_t length, capacity;
} Text;

void text_init(Text *text, Arena *arena);
void text_add(Text *text, const char *chars, size_t length);
void text_puts(Text *text, const char *string);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
