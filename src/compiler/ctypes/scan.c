// scan.c: the little that must be known about C text without clang: comments, tokens, open conditionals.

#include "compiler/ctypes/internal.h"

#include <ctype.h>

bool scan_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

bool scan_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Behind the string or character constant that starts at `at`; a line's end closes it, too.
static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n') {
        if (*at == '\\' && at + 1 < end)
            at++;
        at++;
    }
    return at < end && *at == quote ? at + 1 : at;
}

// Behind the comment that starts at `at`, or `at` where there is none. A line comment ends before its newline.
static const char *skip_comment(const char *at, const char *end)
{
    if (end - at < 2 || at[0] != '/')
        return at;
    if (at[1] == '/') {
        while (at < end && *at != '\n') {
            if (*at == '\\' && at + 1 < end)
                at++;
            at++;
        }
        return at;
    }
    if (at[1] != '*')
        return at;
    for (at += 2; at < end; at++)
        if (end - at >= 2 && at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

void scan_blank_comments(char *text, size_t size)
{
    const char *end = text + size;
    for (char *at = text; at < end;) {
        if (*at == '"' || *at == '\'') {
            at = text + (skip_quoted(at, end) - text);
            continue;
        }
        char *behind = text + (skip_comment(at, end) - text);
        if (behind == at) {
            at++;
            continue;
        }
        for (; at < behind; at++)
            if (*at != '\n')
                *at = ' ';
    }
}

// What a directive does to the number of open conditionals; `at` is behind the '#'.
static int directive_depth(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *word = at;
    while (at < end && scan_is_name(*at))
        at++;
    size_t length = (size_t)(at - word);
    if ((length == 2 && memcmp(word, "if", 2) == 0) || (length == 5 && memcmp(word, "ifdef", 5) == 0) ||
        (length == 6 && memcmp(word, "ifndef", 6) == 0))
        return 1;
    return length == 5 && memcmp(word, "endif", 5) == 0 ? -1 : 0;
}

unsigned scan_open_conditionals(Arena *arena, const char *text, size_t size)
{
    char *plain = arena_copy(arena, text, size);
    scan_blank_comments(plain, size);
    const char *end = plain + size;
    unsigned depth = 0;
    bool at_start = true; // only blanks since the line's beginning
    for (const char *at = plain; at < end;) {
        if (*at == '\n') {
            at_start = true;
            at++;
        } else if (*at == '\\' && at + 1 < end) {
            at += 2; // a continued line does not start anew
        } else if (*at == '"' || *at == '\'') {
            at = skip_quoted(at, end);
            at_start = false;
        } else if (at_start && *at == '#') {
            int change = directive_depth(at + 1, end);
            if (change > 0 || depth > 0)
                depth += (unsigned)change;
            at_start = false;
            at++;
        } else {
            at_start = at_start && isspace((unsigned char)*at);
            at++;
        }
    }
    return depth;
}

uint32_t scan_token(const char *text, const char *end)
{
    if (text >= end)
        return 0;
    const char *at = text;
    if (*at == '"' || *at == '\'')
        return (uint32_t)(skip_quoted(at, end) - text);
    if (scan_is_name(*at)) {
        while (at < end && (scan_is_name(*at) || (*at == '.' && isdigit((unsigned char)*text))))
            at++;
        return (uint32_t)(at - text);
    }
    static const char *const longer[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
                                         "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        size_t length = strlen(longer[i]);
        if ((size_t)(end - text) >= length && memcmp(text, longer[i], length) == 0)
            return (uint32_t)length;
    }
    return 1;
}
