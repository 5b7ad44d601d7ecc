// Finds blocks, #include lines and directives in a file, without parsing it.

#include "compiler/syntax/find.h"

#include "compiler/syntax/lex.h"

// A block starts with this word and a parenthesis.
static const char block_word[] = "choreography";

typedef enum { EVENT_NONE, EVENT_END, EVENT_WORD, EVENT_OPEN, EVENT_CLOSE, EVENT_DIRECTIVE } Event;

typedef struct {
    const char *text;
    uint32_t at, end;
    bool in_block;        // parentheses matter, the word does not
    bool line_start;      // no token yet on this line
    uint32_t event_start; // the last event's text goes from here to `at`
} Finder;

// Is the text that word, continuations left out?
static bool word_is(const char *text, uint32_t start, uint32_t end, const char *word)
{
    for (uint32_t at = start; (at = lex_splices(text, at, end)) < end; at++, word++) {
        if (text[at] != *word)
            return false;
    }
    return *word == '\0';
}

static Event event_at(Finder *finder, Event event, uint32_t behind)
{
    finder->event_start = finder->at;
    finder->at = behind;
    return event;
}

// Passes over what begins with a byte that belongs neither to a word nor to a number nor to white space. EVENT_NONE: it
// does not matter.
static Event pass_other(Finder *finder, uint32_t at)
{
    const char *text = finder->text;
    uint32_t end = finder->end, next = at + 1;
    bool terminated, is_blank = false;
    switch (text[at]) {
    case '/':
    case '\\':
        next = text[at] == '/' ? lex_comment(text, at, end, &terminated) : lex_splices(text, at, end);
        is_blank = next != at;
        next = is_blank ? next : at + 1;
        break;
    case '#':
        if (finder->line_start)
            return event_at(finder, EVENT_DIRECTIVE, lex_directive(text, at, end));
        break;
    case '"':
    case '\'':
        next = lex_quoted(text, at, end, &terminated);
        break;
    case '.': // .5e+3 is one number
        next = lex_splices(text, at + 1, end);
        next = next < end && lex_class(text[next]) == LEX_DIGIT ? lex_number(text, at, end) : at + 1;
        break;
    case '(':
    case ')':
        if (finder->in_block) {
            finder->line_start = false;
            return event_at(finder, text[at] == '(' ? EVENT_OPEN : EVENT_CLOSE, at + 1);
        }
        break;
    default:
        break;
    }
    finder->line_start &= is_blank;
    finder->at = next;
    return EVENT_NONE;
}

// Passes over text up to the next thing that matters. This loop sees every byte of every file: keep it lean.
static Event next_event(Finder *finder)
{
    const char *text = finder->text;
    uint32_t end = finder->end;
    while (finder->at < end) {
        uint32_t at = finder->at, next;
        Event event;
        switch (lex_class(text[at])) {
        case LEX_SPACE:
            finder->at++;
            break;
        case LEX_NEWLINE:
            finder->at++;
            finder->line_start = true;
            break;
        case LEX_LETTER:
            finder->line_start = false;
            next = lex_word(text, at, end);
            if (text[at] == block_word[0] && !finder->in_block && word_is(text, at, next, block_word))
                return event_at(finder, EVENT_WORD, next);
            finder->at = next;
            break;
        case LEX_DIGIT:
            finder->line_start = false;
            finder->at = lex_number(text, at, end);
            break;
        case LEX_OTHER:
            event = pass_other(finder, at);
            if (event != EVENT_NONE)
                return event;
            break;
        }
    }
    return event_at(finder, EVENT_END, end);
}

// Behind spaces, newlines (if wanted), comments and continuations.
static uint32_t skip_blank(const char *text, uint32_t at, uint32_t end, bool newlines)
{
    while (at < end) {
        bool terminated;
        LexClass class = lex_class(text[at]);
        uint32_t next = at;
        if (class == LEX_SPACE || (class == LEX_NEWLINE && newlines))
            next = at + 1;
        else if (class == LEX_OTHER && (next = lex_splices(text, at, end)) == at)
            next = lex_comment(text, at, end, &terminated);
        if (next == at)
            return at;
        at = next;
    }
    return at;
}

// Behind the word `define`.
static void add_maker(Arena *arena, const Source *source, uint32_t start, uint32_t end, Found *found)
{
    const char *text = source->text;
    uint32_t behind = start < end && lex_class(text[start]) == LEX_LETTER ? lex_word(text, start, end) : start;
    if (behind == start || word_is(text, start, behind, block_word))
        return;
    Finder finder = {.text = text, .at = behind, .end = end};
    if (next_event(&finder) != EVENT_WORD)
        return;
    FoundMaker maker = {{source->id, start, behind}, arena_copy(arena, text + start, behind - start)};
    vector_push(arena, &found->makers, maker);
}

// Behind the word `include`.
static void add_include(Arena *arena, const Source *source, Span directive, uint32_t at, Found *found)
{
    const char *text = source->text;
    uint32_t end = directive.end;
    if (at >= end || (text[at] != '"' && text[at] != '<')) {
        found->has_other_includes |= at < end;
        return;
    }
    bool is_angled = text[at] == '<';
    char last = is_angled ? '>' : '"';
    // A backslash is an ordinary character of the path.
    char *path = arena_alloc(arena, end - at);
    uint32_t length = 0;
    for (at++; (at = lex_splices(text, at, end)) < end && text[at] != last; at++)
        path[length++] = text[at];
    if (at >= end || length == 0)
        return;
    FoundInclude include = {directive, path, is_angled};
    vector_push(arena, &found->includes, include);
}

static void add_directive(Arena *arena, const Source *source, Span directive, Found *found)
{
    const char *text = source->text;
    uint32_t end = directive.end;
    uint32_t at = skip_blank(text, directive.start + 1, end, false);
    uint32_t behind = lex_word(text, at, end);
    uint32_t rest = skip_blank(text, behind, end, false);
    if (word_is(text, at, behind, "include"))
        add_include(arena, source, directive, rest, found);
    else if (word_is(text, at, behind, "define"))
        add_maker(arena, source, rest, end, found);
    else if (word_is(text, at, behind, "include_next") || word_is(text, at, behind, "import"))
        found->has_other_includes = true;
}

// The finder stands behind the word, before '('.
static FoundBlock find_end(Finder *finder, FileId file, uint32_t word_start, uint32_t open)
{
    FoundBlock block = {
        .span = {file, word_start, finder->end}, .inside = {file, open + 1, finder->end}, .directive = SPAN_NONE};
    finder->in_block = true;
    finder->line_start = false;
    finder->at = open + 1;
    uint32_t depth = 1;
    for (;;) {
        Event event = next_event(finder);
        if (event == EVENT_END)
            break;
        if (event == EVENT_DIRECTIVE && block.directive.file == FILE_NONE)
            block.directive = (Span){file, finder->event_start, finder->at};
        if (event == EVENT_OPEN)
            depth++;
        if (event == EVENT_CLOSE && --depth == 0) {
            block.closed = true;
            block.inside.end = finder->event_start;
            block.span.end = finder->at;
            break;
        }
    }
    finder->in_block = false;
    return block;
}

void find_blocks(Arena *arena, const Sources *sources, const Source *source, Found *found)
{
    (void)sources;
    *found = (Found){0};
    Finder finder = {.text = source->text, .end = source->size, .line_start = true};
    for (;;) {
        Event event = next_event(&finder);
        if (event == EVENT_END)
            return;
        if (event == EVENT_DIRECTIVE) {
            add_directive(arena, source, (Span){source->id, finder.event_start, finder.at}, found);
            continue;
        }
        uint32_t word_start = finder.event_start;
        uint32_t open = skip_blank(source->text, finder.at, source->size, true);
        if (open >= source->size || source->text[open] != '(')
            continue;
        FoundBlock block = find_end(&finder, source->id, word_start, open);
        vector_push(arena, &found->blocks, block);
    }
}

// ---- a function further down ----

Span find_function(Arena *arena, const Source *source, uint32_t from, const char *name)
{
    if (from > source->size || strstr(source->text + from, name) == NULL)
        return SPAN_NONE;
    TokenList tokens = {0};
    lex_range(arena, source, from, source->size, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        if (token_depth(&tokens.items[i]) > 0) {
            i = tokens_close(&tokens, i);
            continue;
        }
        if (!tokens_have(&tokens, i, name) || !tokens_have(&tokens, i + 1, "(") || i == 0)
            continue;
        size_t behind = tokens_close(&tokens, i + 1) + 1;
        if (tokens_have(&tokens, behind, "{") || tokens_have(&tokens, behind, ";"))
            return (Span){source->id, tokens.items[i].start, tokens.items[i].end};
    }
    return SPAN_NONE;
}
