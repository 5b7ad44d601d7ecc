// scan.c: the little that must be known about C text without clang: comments, tokens, open conditionals.

#include "compiler/ctypes/internal.h"
#include "compiler/syntax/lex.h"

bool scan_is_name(char c)
{
    return lex_class(c) >= LEX_LETTER;
}

bool scan_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Behind the word, number, string or character constant at `at`, or behind one other byte.
static uint32_t behind_token(const char *text, uint32_t at, uint32_t end)
{
    bool terminated;
    if (lex_class(text[at]) == LEX_LETTER)
        return lex_word(text, at, end);
    if (lex_class(text[at]) == LEX_DIGIT)
        return lex_number(text, at, end);
    return text[at] == '"' || text[at] == '\'' ? lex_quoted(text, at, end, &terminated) : at + 1;
}

void scan_blank_comments(char *text, size_t size)
{
    uint32_t end = (uint32_t)size;
    for (uint32_t at = 0; at < end;) {
        bool terminated;
        uint32_t behind = lex_comment(text, at, end, &terminated);
        if (behind == at) {
            at = behind_token(text, at, end);
            continue;
        }
        for (; at < behind; at++)
            if (text[at] != '\n')
                text[at] = ' ';
    }
}

// Behind blanks, comments and continuations.
static uint32_t behind_blanks(const char *text, uint32_t at, uint32_t end)
{
    for (;;) {
        bool terminated;
        uint32_t next = lex_splices(text, at, end);
        if (next < end && next == at)
            next = lex_class(text[at]) == LEX_SPACE ? at + 1 : lex_comment(text, at, end, &terminated);
        if (next == at)
            return at;
        at = next;
    }
}

// What a directive does to the number of open conditionals; `at` is behind the '#'.
static int directive_depth(const char *text, uint32_t at, uint32_t end)
{
    static const struct {
        const char *word;
        int change;
    } words[] = {{"if", 1}, {"ifdef", 1}, {"ifndef", 1}, {"endif", -1}};
    at = behind_blanks(text, at, end);
    uint32_t length = at < end ? lex_word(text, at, end) - at : 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i].word) && memcmp(text + at, words[i].word, length) == 0)
            return words[i].change;
    return 0;
}

unsigned scan_open_conditionals(const char *text, size_t size)
{
    uint32_t end = (uint32_t)size;
    unsigned depth = 0;
    bool at_start = true; // only blanks since the line's beginning
    for (uint32_t at = 0; (at = behind_blanks(text, at, end)) < end;) {
        if (text[at] == '\n') {
            at_start = true;
            at++;
        } else if (at_start && text[at] == '#') {
            int change = directive_depth(text, at + 1, end);
            if (change > 0 || depth > 0)
                depth += (unsigned)change;
            at = lex_directive(text, at, end);
        } else {
            at_start = false;
            at = behind_token(text, at, end);
        }
    }
    return depth;
}

uint32_t scan_token(const char *text, const char *end)
{
    uint32_t size = (uint32_t)(end - text);
    const char *spelling;
    if (text >= end)
        return 0;
    uint32_t punctuator = lex_punctuator(text, 0, size, &spelling);
    return punctuator > 0 ? punctuator : behind_token(text, 0, size);
}
