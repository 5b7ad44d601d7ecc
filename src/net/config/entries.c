// entries.c: a configuration file as a list of sections and of `key = value`, not yet understood.
//
// A word ends at a blank, so a value that has '=' or '#' in it (postgresql://db/chorex?sslmode=require) needs no quotes; a
// comment begins with a # at the beginning of a word.

#include "net/config/internal.h"

#include <string.h>

typedef struct {
    ConfigReader *reader;
    const char *section; // "" before the first one
    int line;
    bool is_told;   // no more errors about entries that are in no section
    bool is_binary; // it is no text, which is said once
} EntryParser;

typedef struct {
    const char *text;
    size_t length;
} Word;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static void add_entry(EntryParser *parser, Word key, Word value)
{
    ConfigReader *reader = parser->reader;
    ConfigEntry entry = {parser->section, config_copy(reader, key.text, key.length),
                         config_copy(reader, value.text, value.length), parser->line};
    if (entry.key == NULL || entry.value == NULL ||
        !config_grow(reader, (void **)&reader->entries, sizeof entry, reader->entry_count, &reader->entry_capacity))
        return;
    reader->entries[reader->entry_count++] = entry;
}

// What stands behind the '='. False: an error was reported.
static bool take_value(const EntryParser *parser, Word key, const char **at, const char *end, Word *value)
{
    const char *from = skip_blanks(*at, end), *to = from;
    if (from < end && *from == '"') {
        const char *quote = memchr(from + 1, '"', (size_t)(end - from - 1));
        if (quote == NULL) {
            config_error(parser->reader, parser->line, "the value of '%.*s' begins with a quote that is not closed",
                         (int)key.length, key.text);
            return false;
        }
        *value = (Word){from + 1, (size_t)(quote - from - 1)};
        *at = quote + 1;
        return true;
    }
    if (from == end || *from == '#') {
        config_error(parser->reader, parser->line, "'%.*s' has no value: write '%.*s = VALUE'", (int)key.length,
                     key.text, (int)key.length, key.text);
        return false;
    }
    while (to < end && !is_blank(*to))
        to++;
    *value = (Word){from, (size_t)(to - from)};
    *at = to;
    return true;
}

// The pairs of one line. The first mistake in it is reported, and the rest is left.
static void parse_pairs(EntryParser *parser, const char *at, const char *end)
{
    Word last = {NULL, 0};
    for (;;) {
        at = skip_blanks(at, end);
        if (at == end || *at == '#')
            return;
        const char *from = at;
        while (at < end && !is_blank(*at) && *at != '=')
            at++;
        Word key = {from, (size_t)(at - from)}, value;
        at = skip_blanks(at, end);
        if (key.length == 0) {
            config_error(parser->reader, parser->line, "there is a '=' without a key before it");
            return;
        }
        if (at == end || *at != '=') {
            if (last.text != NULL)
                config_error(parser->reader, parser->line,
                             "'%.*s' stands behind the value of '%.*s': put a value with spaces in it into quotes",
                             (int)key.length, key.text, (int)last.length, last.text);
            else
                config_error(parser->reader, parser->line, "'%.*s' is neither 'key = value' nor '[section]'",
                             (int)key.length, key.text);
            return;
        }
        at++;
        if (!take_value(parser, key, &at, end, &value))
            return;
        add_entry(parser, key, value);
        last = key;
    }
}

static void parse_section(EntryParser *parser, const char *at, const char *end)
{
    ConfigReader *reader = parser->reader;
    const char *close = memchr(at, ']', (size_t)(end - at));
    const char *rest = close == NULL ? end : skip_blanks(close + 1, end);
    parser->is_told = true; // Whatever follows, the file does have sections.
    if (close == NULL) {
        config_error(reader, parser->line, "a section is written '[NAME]': the ']' is missing");
        parser->section = ""; // Its entries are left.
        return;
    }
    if (rest != end && *rest != '#')
        config_error(reader, parser->line, "'%.*s' stands behind a section's name: begin a new line for it",
                     (int)(end - rest), rest);
    const char *from = skip_blanks(at + 1, close);
    while (close > from && is_blank(close[-1]))
        close--;
    ConfigSection section = {config_copy(reader, from, (size_t)(close - from)), parser->line};
    if (section.name == NULL || !config_grow(reader, (void **)&reader->sections, sizeof section, reader->section_count,
                                             &reader->section_capacity))
        return;
    reader->sections[reader->section_count++] = section;
    parser->section = section.name;
}

static bool has_control_character(const char *at, const char *end)
{
    for (; at < end; at++)
        if ((unsigned char)*at < ' ' && !is_blank(*at))
            return true;
    return false;
}

static void parse_line(EntryParser *parser, const char *at, const char *end)
{
    at = skip_blanks(at, end);
    if (at == end || *at == '#')
        return;
    if (parser->is_binary)
        return;
    if (has_control_character(at, end)) {
        parser->is_binary = true;
        config_error(parser->reader, parser->line, "this line has a control character in it: is the file text?");
        return;
    }
    if (*at == '[') {
        parse_section(parser, at, end);
        return;
    }
    if (parser->section[0] == '\0') {
        if (!parser->is_told)
            config_error(parser->reader, parser->line, "this stands before the first section: begin with '[node]'");
        parser->is_told = true;
        return;
    }
    parse_pairs(parser, at, end);
}

void entries_of_file(ConfigReader *reader, const char *text, size_t size)
{
    static const char mark[] = "\xEF\xBB\xBF"; // some editors put this before UTF-8
    EntryParser parser = {.reader = reader, .section = "", .line = 1};
    const char *end = text + size;
    if (size >= 3 && memcmp(text, mark, 3) == 0)
        text += 3;
    for (const char *at = text; at < end; parser.line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline == NULL ? end : newline;
        parse_line(&parser, at, line_end);
        at = newline == NULL ? end : newline + 1;
    }
}

// The end of a setting: a comma that is not in quotes.
static const char *setting_end(const char *at)
{
    bool in_quotes = false;
    for (; *at != '\0' && (in_quotes || *at != ','); at++)
        in_quotes ^= *at == '"';
    return at;
}

void entries_of_settings(ConfigReader *reader, const char *settings)
{
    EntryParser parser = {.reader = reader, .section = "", .line = CONFIG_LINE_OF_SETTINGS};
    for (const char *at = settings, *end; *at != '\0'; at = *end == ',' ? end + 1 : end) {
        end = setting_end(at);
        const char *from = skip_blanks(at, end);
        // "nodes.bank=127.0.0.1:7741" names its section; "suspect=2s" does not need to.
        const char *equal = memchr(from, '=', (size_t)(end - from));
        const char *dot = equal == NULL ? NULL : memchr(from, '.', (size_t)(equal - from));
        parser.section = dot == NULL ? "" : config_copy(reader, from, (size_t)(dot - from));
        if (parser.section == NULL)
            return;
        if (has_control_character(from, end))
            config_error(reader, parser.line, "there is a control character in them");
        else
            parse_pairs(&parser, dot == NULL ? from : dot + 1, end);
    }
}
