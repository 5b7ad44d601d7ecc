// spell.c: how a type is written, so that the user recognises it and a declaration with it compiles.
//
// Works on clang's spellings, which keep typedef names. The unit's own `typeof (NAME)` are replaced by the type that
// NAME was declared with.

#include "compiler/ctypes/internal.h"

#include <ctype.h>

// Behind the qualifier word at `at`, or `at`.
static const char *skip_qualifier(const char *at)
{
    static const char *const words[] = {"const", "volatile", "restrict", "__restrict", "_Nonnull", "_Nullable"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(at, words[i], length) == 0 && !scan_is_name(at[length]))
            return at + length;
    }
    return at;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

// Behind the group in parentheses that starts at `at`.
static const char *skip_group(const char *at)
{
    int depth = 0;
    for (; *at != 0; at++) {
        if (*at == '(')
            depth++;
        else if (*at == ')' && --depth == 0)
            return at + 1;
    }
    return at;
}

static bool is_pointer_group(const char *at)
{
    if (*at != '(')
        return false;
    at = skip_blanks(at + 1);
    return *at == '*' || *at == '^';
}

// Where the name belongs: behind the stars of the innermost "(*", else before the first '[', else at the end.
static const char *find_hole(const char *spelling)
{
    const char *at = spelling;
    while (*at != 0 && *at != '[' && !is_pointer_group(at))
        at = *at == '(' ? skip_group(at) : at + 1;
    while (is_pointer_group(at)) {
        at++;
        for (;;) {
            const char *next = skip_qualifier(skip_blanks(at));
            if (*next == '*' || *next == '^')
                next++;
            else if (next == skip_blanks(at))
                break;
            at = next;
        }
        if (is_pointer_group(skip_blanks(at)))
            at = skip_blanks(at);
    }
    return at;
}

static const char *trimmed(Arena *arena, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (length > 0 && text[0] == ' ') {
        text++;
        length--;
    }
    return arena_copy(arena, text, length);
}

// A name can follow directly behind a star; otherwise there must be a blank.
static const char *ready_for_name(Arena *arena, const char *before)
{
    size_t length = strlen(before);
    if (length == 0 || before[length - 1] == '*' || before[length - 1] == '(' || before[length - 1] == ' ')
        return before;
    return arena_printf(arena, "%s ", before);
}

Declarator spell_split(Arena *arena, const char *spelling)
{
    const char *hole = find_hole(spelling);
    const char *before = trimmed(arena, spelling, (size_t)(hole - spelling));
    return (Declarator){ready_for_name(arena, before), trimmed(arena, hole, strlen(hole))};
}

const char *spell_join(Arena *arena, Declarator declarator)
{
    const char *both = arena_printf(arena, "%s%s", declarator.before, declarator.after);
    return trimmed(arena, both, strlen(both));
}

const char *spell_const(Arena *arena, const char *before)
{
    size_t length = strlen(before);
    bool is_pointer = length > 0 && before[length - 1] == '*';
    return is_pointer ? arena_printf(arena, "%sconst ", before) : arena_printf(arena, "const %s", before);
}

// ---- qualifiers at the top ----

// Takes const and the like off the declared object (for an array: off its elements). True if there was any in the text.
static bool strip_top(Arena *arena, Declarator *declarator)
{
    const char *before = declarator->before;
    bool is_pointer = strpbrk(before, "*^") != NULL;
    bool found = false;
    if (is_pointer) {
        for (;;) {
            // Qualifiers of a pointer stand behind its star.
            const char *last = strrchr(before, '*');
            const char *word = last == NULL ? "" : skip_blanks(last + 1);
            if (last == NULL || skip_qualifier(word) == word)
                break;
            const char *rest = skip_blanks(skip_qualifier(word));
            before = arena_printf(arena, "%.*s%s", (int)(last + 1 - before), before, rest);
            found = true;
        }
    } else {
        for (const char *word = before; skip_qualifier(word) != word; word = before) {
            before = skip_blanks(skip_qualifier(word));
            found = true;
        }
    }
    declarator->before = before;
    return found;
}

static bool is_qualified(CXType type)
{
    type = clang_getCanonicalType(type);
    for (;;) {
        if (clang_isConstQualifiedType(type) || clang_isVolatileQualifiedType(type) ||
            clang_isRestrictQualifiedType(type))
            return true;
        if (type.kind != CXType_ConstantArray && type.kind != CXType_IncompleteArray)
            return false;
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    }
}

static Declarator split_canonical(Arena *arena, CXType type)
{
    Declarator declarator = spell_split(arena, take_text(arena, clang_getTypeSpelling(clang_getCanonicalType(type))));
    strip_top(arena, &declarator);
    return declarator;
}

const char *spell_canonical(Arena *arena, CXType type)
{
    return spell_join(arena, split_canonical(arena, type));
}

// ---- typeof ----

static bool resolve(CUnit *unit, CXType type, Declarator *result);

// The type of what `typeof (name)` names: a declaration of the unit with a unique name, or a typedef.
static bool resolve_name(CUnit *unit, const char *name, Declarator *result)
{
    Declarator *known = map_get(&unit->spelled, name);
    if (known == NULL) {
        Declared *declared = unit_declared(unit, name);
        known = ARENA_NEW(unit->arena, Declarator);
        if (declared != NULL && declared->count == 1) {
            if (!resolve(unit, declared_type(declared->cursor), known))
                return false;
        } else if (declared == NULL && map_has(&unit->typedefs, name)) {
            *known = spell_split(unit->arena, name);
        } else {
            return false;
        }
        map_put(&unit->spelled, arena_strdup(unit->arena, name), known);
    }
    *result = *known;
    return true;
}

// `qualifiers base rest`, where rest is what stands behind the typeof: " *", "[3]".
static Declarator compose(Arena *arena, const char *qualifiers, Declarator base, Declarator rest)
{
    if (qualifiers[0] != 0) {
        bool is_pointer = strpbrk(base.before, "*^") != NULL;
        base.before = is_pointer ? arena_printf(arena, "%s%s ", base.before, qualifiers)
                                 : arena_printf(arena, "%s %s", qualifiers, base.before);
    }
    Declarator result;
    if (rest.before[0] != 0 && base.after[0] != 0) {
        result.before = arena_printf(arena, "%s(%s", base.before, rest.before);
        result.after = arena_printf(arena, "%s)%s", rest.after, base.after);
    } else {
        result.before = arena_printf(arena, "%s%s", base.before, rest.before);
        result.after = arena_printf(arena, "%s%s", rest.after, base.after);
    }
    return result;
}

// False where a typeof stands in a place that can't be replaced.
static bool resolve(CUnit *unit, CXType type, Declarator *result)
{
    const char *spelling = take_text(unit->arena, clang_getTypeSpelling(type));
    const char *word = strstr(spelling, "typeof");
    if (word == NULL) {
        *result = spell_split(unit->arena, spelling);
        return true;
    }
    while (word > spelling && word[-1] == '_')
        word--;
    const char *before = spelling;
    while (skip_qualifier(before) != before)
        before = skip_blanks(skip_qualifier(before));
    if (before != word)
        return false;
    const char *open = word + strcspn(word, "(");
    if (*open == 0)
        return false;
    const char *behind = skip_group(open);
    if (strstr(behind, "typeof") != NULL)
        return false;
    const char *name = trimmed(unit->arena, open + 1, (size_t)(behind - open - 2));
    Declarator base;
    if (!resolve_name(unit, name, &base))
        return false;
    const char *qualifiers = trimmed(unit->arena, spelling, (size_t)(word - spelling));
    *result = compose(unit->arena, qualifiers, base, spell_split(unit->arena, skip_blanks(behind)));
    return true;
}

Declarator spell_type(CUnit *unit, CXType type)
{
    Declarator result;
    if (!resolve(unit, type, &result))
        return split_canonical(unit->arena, type);
    // A typedef can hide the qualifier.
    if (is_qualified(type) && !strip_top(unit->arena, &result))
        return split_canonical(unit->arena, type);
    return result;
}
