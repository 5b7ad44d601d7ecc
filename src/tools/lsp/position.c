// position.c: see position.h.

#include "tools/lsp/position.h"

#include "base/utf8.h"

#include <stdlib.h>

void lines_init(Lines *lines, const char *text, uint32_t size)
{
    *lines = (Lines){.text = text, .size = size};
    uint32_t capacity = 64;
    lines->starts = malloc(capacity * sizeof *lines->starts);
    if (lines->starts == NULL)
        abort();
    lines->starts[lines->count++] = 0;
    for (uint32_t at = 0; at < size; at++) {
        if (text[at] != '\n' && (text[at] != '\r' || (at + 1 < size && text[at + 1] == '\n')))
            continue;
        if (lines->count == capacity) {
            capacity *= 2;
            uint32_t *grown = realloc(lines->starts, capacity * sizeof *lines->starts);
            if (grown == NULL)
                abort();
            lines->starts = grown;
        }
        lines->starts[lines->count++] = at + 1;
    }
}

void lines_fini(Lines *lines)
{
    free(lines->starts);
    *lines = (Lines){0};
}

uint32_t lines_end(const Lines *lines, uint32_t line)
{
    if (line + 1 >= lines->count)
        return lines->size;
    uint32_t end = lines->starts[line + 1];
    if (end > lines->starts[line] && lines->text[end - 1] == '\n')
        end--;
    if (end > lines->starts[line] && lines->text[end - 1] == '\r')
        end--;
    return end;
}

// The bytes of the character at an offset; 1 for what is not UTF-8. The text ends with a NUL.
static uint32_t character_bytes(const Lines *lines, uint32_t at)
{
    uint32_t length = (uint32_t)utf8_length((const unsigned char *)lines->text + at);
    return length == 0 || at + length > lines->size ? 1 : length;
}

uint32_t lines_offset(const Lines *lines, Place place)
{
    if (place.line >= lines->count)
        return lines->size;
    uint32_t at = lines->starts[place.line], end = lines_end(lines, place.line);
    for (uint32_t units = 0; at < end;) {
        uint32_t bytes = character_bytes(lines, at);
        units += bytes == 4 ? 2 : 1;
        if (units > place.character)
            break;
        at += bytes;
    }
    return at;
}

Place lines_place(const Lines *lines, uint32_t offset)
{
    if (offset > lines->size)
        offset = lines->size;
    uint32_t low = 0, high = lines->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (lines->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    Place place = {low, 0};
    uint32_t end = lines_end(lines, low);
    if (offset > end)
        offset = end;
    for (uint32_t at = lines->starts[low]; at < offset;) {
        uint32_t bytes = character_bytes(lines, at);
        if (at + bytes > offset)
            break;
        place.character += bytes == 4 ? 2 : 1;
        at += bytes;
    }
    return place;
}
