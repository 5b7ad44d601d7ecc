// utf8.h: is a text UTF-8?

#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

// The length of the character that begins here, 1 to 4; 0: it is not UTF-8.
static inline size_t utf8_length(const unsigned char *text)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    unsigned long code = length < 2 ? text[0] : text[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || code >> 11 == 0xd800 >> 11)
        return 0;
    return length;
}

static inline bool utf8_is_valid(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t length; *at != '\0'; at += length)
        if ((length = utf8_length(at)) == 0)
            return false;
    return true;
}

#endif
