// Response files: `@FILE` on the command line stands for the arguments in that file.

#include "compiler/driver/response.h"

#include "base/text.h"
#include "base/vector.h"
#include "compiler/driver/path.h"

#include <ctype.h>

// Files that name each other would go on for ever.
enum { NESTING_MAX = 16, WORDS_MAX = 1000 * 1000 };

typedef struct {
    Arena *arena;
    VECTOR(ResponseWord) words;
    const char *error;
} Expander;

// Words are separated by white space; quotes of both kinds group, a backslash takes the next character as it is.
// NULL: no more words.
static char *next_word(Arena *arena, const char **at)
{
    const char *from = *at;
    while (isspace((unsigned char)*from))
        from++;
    if (*from == '\0')
        return NULL;
    Text word;
    text_init(&word, arena);
    char quote = '\0';
    for (; *from != '\0' && (quote != '\0' || !isspace((unsigned char)*from)); from++) {
        if (*from == '\\' && from[1] != '\0')
            text_add(&word, ++from, 1);
        else if (quote != '\0' && *from == quote)
            quote = '\0';
        else if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else
            text_add(&word, from, 1);
    }
    *at = from;
    return word.chars;
}

static void expand(Expander *expander, const char *word, size_t argument, int depth)
{
    size_t size;
    char *text = NULL;
    const char *problem = "";
    if (word[0] == '@' && depth < NESTING_MAX) {
        PathKind kind = path_look(expander->arena, word + 1, &text, &size, &problem);
        if (kind == PATH_OTHER)
            expander->error = arena_printf(expander->arena, "'%s' %s", word + 1, problem);
        text = kind == PATH_FILE ? text : NULL;
    }
    if (text == NULL) {
        ResponseWord plain = {word, argument, false};
        if (expander->words.count < WORDS_MAX)
            vector_push(expander->arena, &expander->words, plain);
        return;
    }
    const char *at = text;
    for (char *inner; (inner = next_word(expander->arena, &at)) != NULL;)
        expand(expander, inner, argument, depth + 1);
}

ResponseWord *response_expand(Arena *arena, const char *const *words, size_t count, size_t *expanded_count,
                              const char **error)
{
    Expander expander = {.arena = arena};
    for (size_t i = 0; i < count; i++)
        expand(&expander, words[i], i, 0);
    *expanded_count = expander.words.count;
    *error = expander.error;
    return expander.words.items;
}
