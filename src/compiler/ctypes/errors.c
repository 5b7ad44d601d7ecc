// errors.c: clang's errors, at the user's text.
//
// An error in copied text is reported there. An error in our own text was caused by copied text in the same statement,
// and is reported at that, unless it only follows from another one.

#include "compiler/ctypes/internal.h"

#include <stdlib.h>

typedef struct {
    CXDiagnostic cx;
    const char *message;
    ClangPlace place;
    bool is_added;          // lies in the added text
    const UnitPiece *piece; // of the copied text that it lies in, or NULL
} Raw;

typedef struct {
    CUnit *unit;
    Arena *arena;
    VECTOR(Raw) raws;
    Map missing; // names whose declarations an error removed
    Map seen;    // reported already
} Errors;

// ---- messages ----

// The text between the first pair of quotes if the message starts with `start`, which ends in a quote; else NULL.
static const char *quoted_after(Arena *arena, const char *message, const char *start)
{
    if (!scan_starts_with(message, start))
        return NULL;
    const char *name = message + strlen(start);
    return arena_copy(arena, name, strcspn(name, "'"));
}

static const char *implicit_function(Arena *arena, const char *message)
{
    static const char *const starts[] = {
        "implicit declaration of function '",
        "implicitly declaring library function '",
        "call to undeclared function '",
        "call to undeclared library function '",
    };
    const char *name = NULL;
    for (size_t i = 0; name == NULL && i < sizeof starts / sizeof *starts; i++)
        name = quoted_after(arena, message, starts[i]);
    return name;
}

// "'typeof (Alice__v7)' (aka 'int')" reads "'int'"; so does a further 'typeof (Alice__v7)' in the same message.
static const char *without_typeof(Arena *arena, const char *message)
{
    static const char aka[] = "' (aka '";
    if (strstr(message, "typeof") == NULL)
        return message;
    const char *known = "", *known_as = "";
    Text text;
    text_init(&text, arena);
    for (const char *at = message; *at != 0;) {
        const char *close = *at == '\'' ? strchr(at + 1, '\'') : NULL;
        if (close == NULL) {
            text_add(&text, at++, 1);
            continue;
        }
        const char *word = strstr(at, "typeof");
        bool is_typeof = word != NULL && word < close;
        if (is_typeof && scan_starts_with(close, aka)) {
            const char *type = close + strlen(aka);
            size_t length = strcspn(type, "'");
            known = arena_copy(arena, at, (size_t)(close + 1 - at));
            known_as = arena_printf(arena, "'%.*s'", (int)length, type);
            text_puts(&text, known_as);
            at = type + length + (type[length] == '\'');
            at += *at == ')';
        } else {
            const char *quoted = arena_copy(arena, at, (size_t)(close + 1 - at));
            text_puts(&text, strcmp(quoted, known) == 0 ? known_as : quoted);
            at = close + 1;
        }
    }
    return text.chars;
}

// ---- places ----

static Span trimmed_span(const CUnit *unit, const UnitPiece *piece, uint32_t start, uint32_t end)
{
    while (start < end && strchr(" \t\n", unit->text[start]) != NULL)
        start++;
    while (end > start && strchr(" \t\n", unit->text[end - 1]) != NULL)
        end--;
    return piece_span(piece, start, end);
}

static bool range_offsets(const CUnit *unit, CXSourceRange range, uint32_t *start, uint32_t *end)
{
    ClangPlace first = place_of(clang_getRangeStart(range)), last = place_of(clang_getRangeEnd(range));
    if (!place_in(first, unit->parsed.file) || !place_in(last, unit->parsed.file) || last.offset <= first.offset)
        return false;
    *start = first.offset;
    *end = last.offset;
    return true;
}

// The last piece that touches the range, or NULL. In `({ declarations; (value); })` that is the value.
static const UnitPiece *last_piece_in(const CUnit *unit, uint32_t start, uint32_t end)
{
    const UnitPiece *found = NULL, *pieces_end = unit->pieces.items + unit->pieces.count;
    for (const UnitPiece *piece = unit_piece_from(unit, start);
         piece != NULL && piece < pieces_end && piece->start < end; piece++)
        found = piece;
    return found;
}

static Span span_in_copied(const CUnit *unit, const Raw *raw, bool is_const_assignment)
{
    uint32_t at = raw->place.offset, start, end;
    unsigned count = clang_getDiagnosticNumRanges(raw->cx);
    for (unsigned i = 0; i < count; i++) {
        if (!range_offsets(unit, clang_getDiagnosticRange(raw->cx, i), &start, &end))
            continue;
        bool covers = start <= at && at < end;
        // For an assignment the place is the operator; what can't be assigned to is the first range.
        if ((covers || is_const_assignment) && start >= raw->piece->start && end <= raw->piece->end)
            return piece_span(raw->piece, start, end);
    }
    end = at + scan_token(unit->text + at, unit->text + raw->piece->end);
    return piece_span(raw->piece, at, end);
}

// Errors about a declared type, which stands before the name.
static bool concerns_declared_type(const char *message)
{
    return (scan_starts_with(message, "variable has incomplete type") && strstr(message, "'void'") == NULL) ||
           scan_starts_with(message, "definition of variable with array type") ||
           scan_starts_with(message, "array has incomplete") || scan_starts_with(message, "variable length array");
}

// The copied text that an error in our own text is about. Never lost: at worst it is the nearest.
static Span span_in_own(const CUnit *unit, const Raw *raw)
{
    uint32_t start, end, at = raw->place.offset;
    unsigned count = clang_getDiagnosticNumRanges(raw->cx);
    for (unsigned i = 0; i < count; i++) {
        if (!range_offsets(unit, clang_getDiagnosticRange(raw->cx, i), &start, &end))
            continue;
        const UnitPiece *piece = last_piece_in(unit, start, end);
        if (piece != NULL)
            return trimmed_span(unit, piece, start > piece->start ? start : piece->start,
                                end < piece->end ? end : piece->end);
    }
    Extent extent = statement_around(unit, at);
    const UnitPiece *before = last_piece_in(unit, extent.start, at);
    const UnitPiece *behind = last_piece_in(unit, at, extent.end);
    const UnitPiece *piece =
        before != NULL && (behind == NULL || concerns_declared_type(raw->message)) ? before : behind;
    if (piece == NULL)
        piece = unit_piece_from(unit, at);
    if (piece == NULL && unit->pieces.count > 0)
        piece = &unit->pieces.items[unit->pieces.count - 1];
    return piece == NULL ? SPAN_NONE : trimmed_span(unit, piece, piece->start, piece->end);
}

// ---- notes ----

// "header.h:12:3: message".
static char *message_at(Arena *arena, CXSourceLocation location, const char *message)
{
    CXFile file;
    unsigned line, column;
    clang_getFileLocation(location, &file, &line, &column, NULL);
    if (file == NULL)
        return arena_strdup(arena, message);
    return arena_printf(arena, "%s:%u:%u: %s", take_text(arena, clang_getFileName(file)), line, column, message);
}

// The token in the prefix, which is the same as in the source.
static Span prefix_span(const CUnit *unit, uint32_t offset)
{
    uint32_t end = offset + scan_token(unit->text + offset, unit->text + unit->prefix_size);
    return (Span){unit->source->id, offset, end};
}

static void add_notes(Errors *errors, const Raw *raw, CError *error)
{
    CUnit *unit = errors->unit;
    CXDiagnosticSet set = clang_getChildDiagnostics(raw->cx);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(set); i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(set, i);
        CXSourceLocation location = clang_getDiagnosticLocation(child);
        const char *spelling = take_text(errors->arena, clang_getDiagnosticSpelling(child));
        const char *message = without_typeof(errors->arena, spelling);
        ClangPlace place = place_of(location);
        clang_disposeDiagnostic(child);
        Note note = {.span = SPAN_NONE, .message = arena_strdup(errors->arena, message)};
        if (!place_in(place, unit->parsed.file)) {
            note.message = message_at(errors->arena, location, message);
        } else if (place.offset < unit->prefix_size) {
            note.span = prefix_span(unit, place.offset);
        } else {
            const UnitPiece *piece = unit_piece_at(unit, place.offset);
            if (piece == NULL)
                continue; // our own text means nothing to the user
            uint32_t end = place.offset + scan_token(unit->text + place.offset, unit->text + piece->end);
            note.span = piece_span(piece, place.offset, end);
        }
        vector_push(errors->arena, &error->notes, note);
    }
}

// The macro whose use the error's place is: a note says that the error was expanded from it.
static const char *macro_at(Errors *errors, const Raw *raw)
{
    const CUnit *unit = errors->unit;
    uint32_t at = raw->place.offset, length = scan_token(unit->text + at, unit->text + raw->piece->end);
    const char *token = arena_copy(errors->arena, unit->text + at, length);
    const char *macro = NULL;
    CXDiagnosticSet set = clang_getChildDiagnostics(raw->cx);
    for (unsigned i = 0; macro == NULL && i < clang_getNumDiagnosticsInSet(set); i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(set, i);
        const char *message = take_text(errors->arena, clang_getDiagnosticSpelling(child));
        clang_disposeDiagnostic(child);
        const char *name = quoted_after(errors->arena, message, "expanded from macro '");
        if (name != NULL && strcmp(name, token) == 0)
            macro = token;
    }
    return macro;
}

// ---- collecting ----

static void errors_init(Errors *errors, CUnit *unit)
{
    *errors = (Errors){.unit = unit, .arena = unit->arena};
    map_init(&errors->missing, unit->arena);
    map_init(&errors->seen, unit->arena);
    unsigned count = clang_getNumDiagnostics(unit->parsed.tu);
    for (unsigned i = 0; i < count; i++) {
        Raw raw = {.cx = clang_getDiagnostic(unit->parsed.tu, i)};
        if (clang_getDiagnosticSeverity(raw.cx) < CXDiagnostic_Error) {
            clang_disposeDiagnostic(raw.cx);
            continue;
        }
        raw.place = place_of(clang_getDiagnosticLocation(raw.cx));
        raw.message = without_typeof(unit->arena, take_text(unit->arena, clang_getDiagnosticSpelling(raw.cx)));
        raw.is_added = place_in(raw.place, unit->parsed.file) && raw.place.offset >= unit->base;
        raw.piece = raw.is_added ? unit_piece_at(unit, raw.place.offset) : NULL;
        vector_push(unit->arena, &errors->raws, raw);
    }
}

static void errors_fini(Errors *errors)
{
    for (size_t i = 0; i < errors->raws.count; i++)
        clang_disposeDiagnostic(errors->raws.items[i].cx);
}

// A name of our own that clang does not know: its declaration had an error and is gone. Notes it.
static bool is_missing_declaration(Errors *errors, const Raw *raw)
{
    bool is_ours = raw->piece == NULL || raw->piece->is_as;
    const char *name = quoted_after(errors->arena, raw->message, "use of undeclared identifier '");
    if (name == NULL && raw->piece != NULL)
        name = implicit_function(errors->arena, raw->message);
    if (!is_ours || name == NULL || !unit_mentions(errors->unit, name))
        return false;
    map_put(&errors->missing, name, errors);
    return true;
}

static int compare_offsets(const void *one, const void *other)
{
    uint32_t left = *(const uint32_t *)one, right = *(const uint32_t *)other;
    return left < right ? -1 : left > right;
}

typedef VECTOR(uint32_t) OffsetList;

static void sort_offsets(OffsetList *offsets)
{
    if (offsets->count > 0)
        qsort(offsets->items, offsets->count, sizeof *offsets->items, compare_offsets);
}

// Is there one in the extent, other than `except`?
static bool any_within(const OffsetList *offsets, Extent extent, uint32_t except)
{
    size_t low = 0, high = offsets->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (offsets->items[middle] < extent.start)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < offsets->count && offsets->items[low] == except)
        low++;
    return low < offsets->count && offsets->items[low] < extent.end;
}

// An error in our own text that only follows from one in copied text, or from a failed declaration.
static bool follows(Errors *errors, const Raw *raw, const OffsetList *copied, const OffsetList *all)
{
    CUnit *unit = errors->unit;
    Extent extent = statement_around(unit, raw->place.offset);
    uint32_t at = raw->place.offset;
    // An expression that could not be parsed counts as void; the error may lie at the parenthesis behind it.
    bool is_void = strcmp(raw->message, "variable has incomplete type 'void'") == 0;
    if (any_within(is_void ? all : copied, extent, at))
        return true;
    const char *own = arena_copy(unit->arena, unit->text + at, scan_token(unit->text + at, unit->text + unit->size));
    return statement_uses_failed(unit, extent, &errors->missing, own);
}

static void report(Errors *errors, CErrorList *list, const Raw *raw)
{
    Arena *arena = errors->arena;
    CError error = {.message = raw->message};
    error.undeclared = quoted_after(arena, raw->message, "use of undeclared identifier '");
    error.implicit_function = implicit_function(arena, raw->message);
    error.no_member = quoted_after(arena, raw->message, "no member named '");
    error.is_const_assignment =
        scan_starts_with(raw->message, "cannot assign to") ||
        (scan_starts_with(raw->message, "read-only") && strstr(raw->message, "not assignable") != NULL);
    if (raw->piece != NULL) {
        error.macro = macro_at(errors, raw);
        error.in_macro = error.macro != NULL;
        error.span = span_in_copied(errors->unit, raw, error.is_const_assignment && !error.in_macro);
    } else {
        error.span = span_in_own(errors->unit, raw);
    }
    // An unknown name is reported differently where a type is expected.
    bool is_unknown = error.undeclared != NULL || scan_starts_with(raw->message, "unknown type name '");
    const char *key = arena_printf(arena, "%u:%u:%u:%s", error.span.file, error.span.start, error.span.end,
                                   is_unknown ? "unknown" : raw->message);
    if (map_has(&errors->seen, key))
        return;
    map_put(&errors->seen, key, errors);
    add_notes(errors, raw, &error);
    vector_push(arena, list, error);
}

// ---- a prefix that is not closed ----

// The bracket in the prefix that is not closed, if a note says so.
static bool unclosed_bracket(Errors *errors, const Raw *raw, uint32_t *offset)
{
    CXDiagnosticSet set = clang_getChildDiagnostics(raw->cx);
    bool found = false;
    for (unsigned i = 0; !found && i < clang_getNumDiagnosticsInSet(set); i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(set, i);
        const char *message = take_text(errors->arena, clang_getDiagnosticSpelling(child));
        ClangPlace place = place_of(clang_getDiagnosticLocation(child));
        clang_disposeDiagnostic(child);
        found = scan_starts_with(message, "to match this") && place_in(place, errors->unit->parsed.file) &&
                place.offset < errors->unit->prefix_size;
        *offset = place.offset;
    }
    return found;
}

// All of our text stands in the wrong place then: one error says it, at the prefix.
static bool report_open_prefix(Errors *errors, CErrorList *list)
{
    const CUnit *unit = errors->unit;
    for (size_t i = 0; i < errors->raws.count; i++) {
        const Raw *raw = &errors->raws.items[i];
        uint32_t offset = unit->prefix_size;
        if (!raw->is_added || raw->piece != NULL)
            continue;
        bool is_unclosed = unclosed_bracket(errors, raw, &offset);
        if (!is_unclosed && raw->place.offset != unit->base)
            continue;
        if (!is_unclosed)
            for (offset = unit->prefix_size; offset > 0 && strchr(" \t\r\n", unit->text[offset - 1]) != NULL;)
                offset--;
        if (!is_unclosed && offset > 0)
            offset--;
        CError error = {.message = raw->message, .span = prefix_span(unit, offset)};
        add_notes(errors, raw, &error);
        vector_push(errors->arena, list, error);
        return true;
    }
    return false;
}

static void report_all(Errors *errors, CErrorList *list)
{
    OffsetList copied = {0}, all = {0};
    for (size_t i = 0; i < errors->raws.count; i++) {
        const Raw *raw = &errors->raws.items[i];
        if (!raw->is_added || is_missing_declaration(errors, raw))
            continue;
        vector_push(errors->arena, &all, raw->place.offset);
        if (raw->piece != NULL)
            vector_push(errors->arena, &copied, raw->place.offset);
    }
    sort_offsets(&copied);
    sort_offsets(&all);
    for (size_t i = 0; i < errors->raws.count; i++) {
        const Raw *raw = &errors->raws.items[i];
        if (!raw->is_added || is_missing_declaration(errors, raw))
            continue;
        if (raw->piece != NULL || !follows(errors, raw, &copied, &all))
            report(errors, list, raw);
    }
    // Something must explain why a declaration failed, even if everything seems to follow from something else.
    for (size_t i = 0; list->count == 0 && i < errors->raws.count; i++)
        if (errors->raws.items[i].is_added)
            report(errors, list, &errors->raws.items[i]);
}

void cunit_errors(CUnit *unit, CErrorList *list)
{
    Errors errors;
    errors_init(&errors, unit);
    if (!report_open_prefix(&errors, list))
        report_all(&errors, list);
    errors_fini(&errors);
}

// Only we count these as errors: the user's compiler may warn about them, and that is between the two.
static bool is_only_our_error(const Raw *raw)
{
    static const char *const groups[] = {"-Wint-conversion", "-Wincompatible-pointer-types",
                                         "-Wincompatible-function-pointer-types", "-Wimplicit-function-declaration",
                                         "-Wincompatible-pointer-types-discards-qualifiers"};
    CXString option = clang_getDiagnosticOption(raw->cx, NULL);
    const char *group = clang_getCString(option);
    bool is_ours = false;
    for (size_t i = 0; group != NULL && i < sizeof groups / sizeof *groups; i++)
        is_ours |= strcmp(group, groups[i]) == 0;
    clang_disposeString(option);
    return is_ours;
}

void cunit_prefix_errors(CUnit *unit, CErrorList *list)
{
    Errors errors;
    errors_init(&errors, unit);
    for (size_t i = 0; i < errors.raws.count; i++) {
        const Raw *raw = &errors.raws.items[i];
        if (raw->is_added || is_only_our_error(raw))
            continue;
        CError error = {.message = raw->message, .span = SPAN_NONE};
        if (place_in(raw->place, unit->parsed.file))
            error.span = prefix_span(unit, raw->place.offset);
        else
            error.message = message_at(unit->arena, clang_getDiagnosticLocation(raw->cx), raw->message);
        add_notes(&errors, raw, &error);
        vector_push(unit->arena, list, error);
    }
    errors_fini(&errors);
}
