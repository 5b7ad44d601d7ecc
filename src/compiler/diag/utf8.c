// UTF-8: decoding, the width of characters in columns, and what is shown in place of bytes that are not valid.

#include "compiler/diag/utf8.h"

size_t utf8_decode(const char *text, size_t size, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text;
    if (size == 0)
        return 0;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || length > size)
        return 0;
    uint32_t value = at[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3Fu);
    }
    // Longer than needed, half of a surrogate pair, or beyond the last character.
    if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000) || value > 0x10FFFF ||
        (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value;
    return length;
}

typedef struct {
    uint32_t first, last;
} Range;

static int in_ranges(const Range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return 1;
    return 0;
}

int utf8_width(uint32_t code)
{
    // The common blocks; a rare script may be off by a column.
    static const Range none[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},  {0x0610, 0x061A},
                                 {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},  {0x200B, 0x200F},
                                 {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF},  {0xFE00, 0xFE0F},
                                 {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
    static const Range wide[] = {{0x1100, 0x115F},  {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97C},
                                 {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                 {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
                                 {0x20000, 0x3FFFD}};
    if (code < 0x300)
        return 1;
    if (in_ranges(none, sizeof none / sizeof none[0], code))
        return 0;
    return in_ranges(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}

void utf8_clean(Text *text, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t length = utf8_decode(bytes + at, size - at, &code);
        if (length == 0)
            text_puts(text, "\xEF\xBF\xBD");
        else
            text_add(text, bytes + at, length);
        at += length == 0 ? 1 : length;
    }
}
