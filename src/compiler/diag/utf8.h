// utf8.h: characters of a source text: for checking it, and for putting a caret under the right column.

#ifndef DIAG_UTF8_H
#define DIAG_UTF8_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

// The number of bytes of the character at `text` (1 to 4), or 0 if this is not UTF-8.
size_t utf8_decode(const char *text, size_t size, uint32_t *code);
// How many columns of a terminal it takes: 0, 1 or 2.
int utf8_width(uint32_t code);
// Adds `size` bytes to the text, with U+FFFD in place of each byte that is not UTF-8.
void utf8_clean(Text *text, const char *bytes, size_t size);

#endif
