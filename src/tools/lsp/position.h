// position.h: places in a text as editors count them: lines from 0, and UTF-16 units in the line.
//
// Every position that a client can send has an offset: what lies behind the end of a line is its end, and what lies inside of a
// character is its beginning.

#ifndef LSP_POSITION_H
#define LSP_POSITION_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t line, character;
} Place;

// The beginnings of a text's lines. Lines end with "\n", "\r\n" or "\r".
typedef struct {
    const char *text;
    uint32_t size;
    uint32_t *starts;
    uint32_t count;
} Lines;

void lines_init(Lines *lines, const char *text, uint32_t size);
void lines_fini(Lines *lines);

uint32_t lines_offset(const Lines *lines, Place place);
Place lines_place(const Lines *lines, uint32_t offset);
// Where the line ends, without what ends it.
uint32_t lines_end(const Lines *lines, uint32_t line);

#endif
