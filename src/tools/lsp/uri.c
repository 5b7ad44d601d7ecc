// uri.c: see uri.h.

#include "tools/lsp/uri.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *uri_of_path(Arena *arena, const char *path)
{
    Text text;
    text_init(&text, arena);
    text_puts(&text, "file://");
    for (const unsigned char *at = (const unsigned char *)path; *at != '\0'; at++) {
        if (isalnum(*at) || strchr("/._-~", *at) != NULL)
            text_printf(&text, "%c", *at);
        else
            text_printf(&text, "%%%02X", *at);
    }
    return text.chars;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *uri_path(Arena *arena, const char *uri)
{
    static const char scheme[] = "file://";
    if (strncasecmp(uri, scheme, strlen(scheme)) != 0)
        return NULL;
    // What stands before the next slash is a host, of which only this one makes sense.
    const char *from = strchr(uri + strlen(scheme), '/');
    if (from == NULL)
        return NULL;
    char *path = arena_strdup(arena, from), *to = path;
    for (const char *at = from; *at != '\0'; at++) {
        int high = *at == '%' ? digit(at[1]) : -1, low = high >= 0 ? digit(at[2]) : -1;
        if (low >= 0 && (high != 0 || low != 0)) {
            *to++ = (char)(high * 16 + low);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return path;
}
