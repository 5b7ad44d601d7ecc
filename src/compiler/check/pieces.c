// Cuts local C into pieces: the names that mean variables and functions here, and the text in between.
//
// Which names those are was found among the tokens when the expression was resolved. That a name means the variable there
// (and is not hidden by a declaration or a macro), and that a function is called there, is what clang says: its
// references tell it.

#include "base/text.h"
#include "compiler/check/typing.h"
#include "compiler/syntax/lex.h"

#include <stdlib.h>
#include <string.h>

static int compare_references(const void *one, const void *other)
{
    const CReference *first = one, *second = other;
    if (first->span.file != second->span.file)
        return first->span.file < second->span.file ? -1 : 1;
    return first->span.start < second->span.start ? -1 : first->span.start > second->span.start;
}

void pieces_begin(Typing *typing)
{
    cunit_references(typing->unit, &typing->references);
    if (typing->references.count > 1)
        qsort(typing->references.items, typing->references.count, sizeof *typing->references.items, compare_references);
}

// The index of the first reference that stands at `span` or behind it.
static size_t first_reference(const Typing *typing, Span span)
{
    const CReferenceList *list = &typing->references;
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const CReference *at = &list->items[middle];
        if (at->span.file < span.file || (at->span.file == span.file && at->span.start < span.start))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const CReference *find_reference(const Typing *typing, Span span, const char *name)
{
    const CReferenceList *list = &typing->references;
    for (size_t i = first_reference(typing, span); i < list->count && list->items[i].span.start == span.start; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

// Is the function called wherever the name at `span` stands for it? An expression may be in the unit several times.
static bool is_only_called(const Typing *typing, Span span, const RoleFunction *function)
{
    const CReferenceList *list = &typing->references;
    const char *name = arena_printf(typing->arena, "chx_f%u", function->id);
    bool is_called = false;
    for (size_t i = first_reference(typing, span); i < list->count && list->items[i].span.start == span.start; i++) {
        if (strcmp(list->items[i].name, name) != 0)
            continue;
        if (!list->items[i].is_called)
            return false;
        is_called = true;
    }
    return is_called;
}

typedef struct {
    Span span;
    Mention *mention; // or
    RoleFunction *function;
    bool is_called;
} Cut;
typedef VECTOR(Cut) CutList;

static int compare_cuts(const void *one, const void *other)
{
    uint32_t first = ((const Cut *)one)->span.start, second = ((const Cut *)other)->span.start;
    return first < second ? -1 : first > second;
}

static void find_cuts(Typing *typing, LocalC *local, CutList *cuts)
{
    for (size_t i = 0; i < local->mentions.count; i++) {
        Mention *mention = &local->mentions.items[i];
        for (size_t k = 0; k < mention->places.count; k++) {
            Span span = mention->places.items[k];
            const CReference *reference = find_reference(typing, span, mention->name);
            if ((reference == NULL || reference->macro != NULL) && !local->expr.is_variable)
                continue;
            for (size_t n = 0; n < mention->variables.count; n++)
                mention->variables.items[n]->is_read = true;
            vector_push(typing->arena, cuts, ((Cut){.span = span, .mention = mention}));
        }
    }
    for (size_t i = 0; i < local->called.count; i++) {
        const CalledName *called = &local->called.items[i];
        if (called->function == NULL)
            continue;
        Cut cut = {.span = called->span, .function = called->function};
        cut.is_called = is_only_called(typing, called->span, called->function);
        vector_push(typing->arena, cuts, cut);
    }
    if (cuts->count > 1)
        qsort(cuts->items, cuts->count, sizeof *cuts->items, compare_cuts);
}

// The text from `start` to `end` as it is, but without comments and continuations between tokens: their newlines stay.
// And the same on one line: a token that is continued on the next line is whole there.
static Piece text_piece(Typing *typing, Span span)
{
    uint32_t size = 0;
    const char *source = span_text(typing->resolved->sources, span, &size);
    char *text = arena_copy(typing->arena, source, size);
    Piece piece = {.kind = PIECE_TEXT, .text = text, .line = text};
    if (memchr(source, '/', size) == NULL && memchr(source, '\\', size) == NULL && memchr(source, '\n', size) == NULL)
        return piece;
    TokenList tokens = {0};
    lex_span(typing->arena, typing->resolved->sources, span, &tokens);
    Text line;
    text_init(&line, typing->arena);
    uint32_t at = 0;
    for (size_t i = 0; i <= tokens.count; i++) {
        uint32_t next = i < tokens.count ? tokens.items[i].start - span.start : size;
        for (; at < next; at++) {
            LexClass class = lex_class(text[at]);
            if (class != LEX_SPACE && class != LEX_NEWLINE)
                text[at] = ' ';
            text_add(&line, class == LEX_NEWLINE ? " " : text + at, 1);
        }
        uint32_t end = i < tokens.count ? tokens.items[i].end - span.start : size;
        for (; (at = lex_splices(text, at, end)) < end; at++)
            text_add(&line, text + at, 1);
    }
    piece.line = line.chars;
    return piece;
}

void pieces_cut(Typing *typing, LocalC *local)
{
    CutList cuts = {0};
    Expr *expr = &local->expr;
    find_cuts(typing, local, &cuts);
    uint32_t at = expr->span.start;
    for (size_t i = 0; i <= cuts.count; i++) {
        uint32_t next = i < cuts.count ? cuts.items[i].span.start : expr->span.end;
        if (next > at) {
            Piece piece = text_piece(typing, (Span){expr->span.file, at, next});
            vector_push(typing->arena, &expr->pieces, piece);
        }
        if (i == cuts.count)
            break;
        Piece piece = {.kind = cuts.items[i].mention != NULL ? PIECE_VARIABLE : PIECE_FUNCTION,
                       .function = cuts.items[i].function,
                       .is_called = cuts.items[i].is_called};
        if (cuts.items[i].mention != NULL)
            piece.variables = cuts.items[i].mention->variables;
        vector_push(typing->arena, &expr->pieces, piece);
        at = cuts.items[i].span.end;
    }
}

// The text of a value for a report: on one line, with one blank where there are blanks or comments.
const char *pieces_shown(const Typing *typing, Span span)
{
    TokenList tokens = {0};
    lex_span(typing->arena, typing->resolved->sources, span, &tokens);
    const char *source = source_get(typing->resolved->sources, span.file)->text;
    Text shown;
    text_init(&shown, typing->arena);
    for (size_t i = 0; i < tokens.count; i++) {
        const Token *token = &tokens.items[i];
        if (i > 0 && tokens.items[i - 1].end < token->start)
            text_puts(&shown, " ");
        for (uint32_t at = token->start; (at = lex_splices(source, at, token->end)) < token->end; at++)
            text_add(&shown, source + at, 1);
    }
    return shown.chars;
}
