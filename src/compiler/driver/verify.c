// verify.c: are the functions there that the roles must provide?

#include "base/text.h"
#include "compiler/driver/blocks.h"
#include "compiler/driver/chorcc.h"
#include "compiler/driver/path.h"
#include "compiler/syntax/find.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    Compilation *compilation;
    const Unit *unit;
    CDefinedList defined;
} Verifier;

// What a declaration in a companion stands for.
typedef struct {
    const Choreography *choreography;
    const char *role;
    const RoleFunction *function; // NULL: not known in this unit
} Wanted;

// A companion is called NAME.ROLE.chor.h.
static bool companion_is_of(const char *companion, const char *name, const char *role)
{
    const char *base = path_base(companion);
    size_t name_length = strlen(name), role_length = strlen(role);
    return strncmp(base, name, name_length) == 0 && base[name_length] == '.' &&
           strncmp(base + name_length + 1, role, role_length) == 0 &&
           strcmp(base + name_length + 1 + role_length, ".chor.h") == 0;
}

// The function of `local` that is implemented by the C function `c_name`: ROLE_name, or with CHX_ROLE_AS ANY_name.
static const RoleFunction *function_named(const LocalProgram *local, const char *c_name)
{
    const RoleFunction *best = NULL;
    for (size_t i = 0; i < local->provides.count; i++) {
        const RoleFunction *function = local->provides.items[i];
        size_t length = strlen(c_name), suffix = strlen(function->name);
        if (length < suffix + 2 || c_name[length - suffix - 1] != '_' ||
            strcmp(c_name + length - suffix, function->name) != 0)
            continue;
        bool is_plain =
            length - suffix - 1 == strlen(local->name) && strncmp(c_name, local->name, length - suffix - 1) == 0;
        if (is_plain)
            return function;
        // With an unknown prefix, `a_f` could be `f` of `..._a`: the longer name is the better guess.
        if (best == NULL || suffix > strlen(best->name))
            best = function;
    }
    return best;
}

static Wanted wanted_by(const Verifier *verifier, const CProvided *provided)
{
    for (size_t i = 0; i < verifier->unit->choreographies.count; i++) {
        const Choreography *choreography = verifier->unit->choreographies.items[i];
        if (choreography->locals == NULL)
            continue;
        const Program *program = choreography->program;
        for (RoleId role = 0; role < program->role_count; role++) {
            if (companion_is_of(provided->companion, program->name, program->role_names[role]))
                return (Wanted){choreography, program->role_names[role],
                                function_named(choreography->locals[role], provided->name)};
        }
    }
    return (Wanted){NULL, NULL, NULL};
}

static Source *source_of(const Verifier *verifier, const char *path)
{
    if (path == NULL)
        return NULL;
    const char *error;
    CFile *file = blocks_load(verifier->compilation, path_plain(verifier->compilation->arena, path), &error);
    return file == NULL ? NULL : file->source;
}

// The directive that starts at or around `offset`, without its end of line.
static Span line_span(const Source *source, uint32_t offset)
{
    if (source == NULL || offset > source->size)
        return SPAN_NONE;
    uint32_t start = offset - (source_position(source, offset).column - 1);
    start += (uint32_t)strspn(source->text + start, " \t");
    return (Span){source->id, start, start + (uint32_t)strcspn(source->text + start, "\r\n")};
}

static Span name_span(const Source *source, uint32_t offset)
{
    if (source == NULL || offset > source->size)
        return SPAN_NONE;
    uint32_t end = offset;
    while (isalnum((unsigned char)source->text[end]) || source->text[end] == '_')
        end++;
    return (Span){source->id, offset, end};
}

// Where the choreography speaks of the function.
static Span use_of(const Wanted *wanted)
{
    if (wanted->function == NULL)
        return SPAN_NONE;
    if (wanted->function->first_use.file != FILE_NONE || wanted->function->proto == NULL)
        return wanted->function->first_use;
    return wanted->function->proto->span;
}

// "int Seller_get_price(chx_str title)"
static const char *declaration(Arena *arena, const RoleFunction *function, const char *c_name)
{
    const CFunction *type = function->type;
    Text text;
    text_init(&text, arena);
    text_printf(&text, "%s%s(", type->result->before, c_name);
    for (size_t i = 0; i < type->params.count; i++) {
        const CType *param = type->params.items[i];
        const char *name = i < type->names.count ? type->names.items[i] : "";
        int length = (int)strlen(param->before);
        if (name[0] == '\0' && length > 0 && param->before[length - 1] == ' ')
            length--; // the space was for the name
        text_printf(&text, "%s%.*s%s%s", i > 0 ? ", " : "", length, param->before, name, param->after);
    }
    text_puts(&text, type->params.count == 0 ? "void" : type->is_variadic ? ", ..." : "");
    text_printf(&text, ")%s", type->result->after);
    return text.chars;
}

// Perhaps a function of C's is meant, which local C can only call if it is declared before the block.
static void note_c_function(const Verifier *verifier, const Wanted *wanted)
{
    Compilation *compilation = verifier->compilation;
    const Source *source = verifier->unit->file->source;
    bool is_same = wanted->choreography->file->source == source;
    uint32_t from = is_same ? wanted->choreography->block->span.end : 0;
    Span place = find_function(compilation->arena, source, from, wanted->function->name);
    if (place.file != FILE_NONE)
        diag_note(compilation->diags, place,
                  "if this '%s' is meant: local C can call it if it is declared above the choreography",
                  wanted->function->name);
}

// ---- functions of used choreographies ----

// Can the definition stand for what the companion declares? It is declared static there.
static bool is_behind(const CDefined *defined, const CProvided *provided)
{
    return defined->order > provided->order || defined->is_static;
}

static const CDefined *defined_as(const Verifier *verifier, const char *name)
{
    for (size_t i = 0; i < verifier->defined.count; i++)
        if (strcmp(verifier->defined.items[i].name, name) == 0)
            return &verifier->defined.items[i];
    return NULL;
}

// "Alice_pick" for "Alice_ot_pick", as another name of the function says.
static const char *with_other_name(Arena *arena, const CProvided *provided, const RoleFunction *function,
                                   const char *other)
{
    size_t prefix = strlen(provided->name) - strlen(function->name);
    return arena_printf(arena, "%.*s%s", (int)prefix, provided->name, other);
}

// What the role has for it under another name; NULL: nothing that would do, and *near is something that nearly would.
static const CDefined *find_substitute(const Verifier *verifier, const CProvided *provided, const CDefined **near)
{
    Arena *arena = verifier->compilation->arena;
    Wanted wanted = wanted_by(verifier, provided);
    const char **names;
    if (near != NULL)
        *near = NULL;
    size_t count = wanted.function != NULL ? function_other_names(arena, wanted.function, &names) : 0;
    for (size_t i = 0; i < count; i++) {
        const CDefined *defined = defined_as(verifier, with_other_name(arena, provided, wanted.function, names[i]));
        if (defined == NULL)
            continue;
        if (strcmp(defined->canonical, provided->canonical) == 0 && is_behind(defined, provided))
            return defined;
        if (near != NULL && *near == NULL)
            *near = defined;
    }
    return NULL;
}

static void add_substitutes(const Verifier *verifier, CProvidedList *list, SubstituteList *substitutes)
{
    Arena *arena = verifier->compilation->arena;
    for (size_t i = 0; i < list->count; i++) {
        CProvided *provided = &list->items[i];
        if (provided->is_defined || provided->conflict_path != NULL)
            continue;
        const CDefined *defined = find_substitute(verifier, provided, NULL);
        if (defined == NULL)
            continue;
        provided->is_defined = true;
        bool is_there = false;
        for (size_t k = 0; k < substitutes->count; k++)
            is_there |= strcmp(substitutes->items[k].name, provided->name) == 0;
        if (!is_there)
            vector_push(arena, substitutes, ((Substitute){provided->name, defined->name}));
    }
}

// Behind "Alice must provide '...'".
static const char *other_names(const Verifier *verifier, const CProvided *provided, const RoleFunction *function)
{
    Arena *arena = verifier->compilation->arena;
    const char **names, *text = "";
    size_t count = function_other_names(arena, function, &names);
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s'%s'", text, i + 1 < count ? ", " : " or ",
                            with_other_name(arena, provided, function, names[i]));
    return text;
}

static void note_near(const Verifier *verifier, const CProvided *provided)
{
    const CDefined *near = NULL;
    find_substitute(verifier, provided, &near);
    if (near == NULL)
        return;
    Span place = name_span(source_of(verifier, near->path), near->offset);
    if (strcmp(near->canonical, provided->canonical) != 0)
        diag_note(verifier->compilation->diags, place, "'%s' has another type: it is '%s', not '%s'", near->name,
                  near->type, provided->type);
    else
        diag_note(verifier->compilation->diags, place, "'%s' must stand below the companion", near->name);
}

static void report_missing(const Verifier *verifier, const CProvided *provided)
{
    Compilation *compilation = verifier->compilation;
    Wanted wanted = wanted_by(verifier, provided);
    Span include = line_span(source_of(verifier, provided->include_path), provided->include_offset);
    Span use = use_of(&wanted);
    if (wanted.function == NULL) {
        diag_error(compilation->diags, include, "'%s' is missing: '%s' needs it", provided->name,
                   path_base(provided->companion));
        return;
    }
    const char *text = declaration(compilation->arena, wanted.function, provided->name);
    diag_error(compilation->diags, use.file == FILE_NONE ? include : use, "'%s' is missing: %s must provide '%s'%s",
               provided->name, wanted.role, text, other_names(verifier, provided, wanted.function));
    note_near(verifier, provided);
    if (wanted.function->header != NULL)
        diag_note(compilation->diags, SPAN_NONE, "for C's own '%s', '#include <%s>' is missing above the choreography",
                  wanted.function->name, wanted.function->header);
    note_c_function(verifier, &wanted);
    diag_note(compilation->diags, include, "%s is played by this file, which must define '%s' after this line",
              wanted.role, provided->name);
}

// "void (int)", the type of a function, as a prototype in the choreography: "void Alice.f(int);"
static const char *prototype_of(Arena *arena, const char *type, const char *role, const char *name)
{
    size_t open = strlen(type);
    int depth = 0;
    do {
        open--;
        depth += (type[open] == ')') - (type[open] == '(');
    } while (open > 0 && depth > 0);
    return arena_printf(arena, "%.*s%s.%s%s;", (int)open, type, role, name, type + open);
}

static void report_conflict(const Verifier *verifier, const CProvided *provided)
{
    Compilation *compilation = verifier->compilation;
    Wanted wanted = wanted_by(verifier, provided);
    Span conflict = name_span(source_of(verifier, provided->conflict_path), provided->conflict_offset);
    Span use = use_of(&wanted);
    diag_error(compilation->diags, use.file == FILE_NONE ? conflict : use,
               "'%s' has the wrong type: it is '%s', but the choreography needs '%s'", provided->name,
               provided->conflict_type, provided->type);
    diag_note(compilation->diags, conflict, "it is declared here");
    if (wanted.function == NULL || wanted.function->proto != NULL)
        return;
    const char *prototype =
        prototype_of(compilation->arena, provided->conflict_type, wanted.role, wanted.function->name);
    diag_note(compilation->diags, SPAN_NONE, "what is needed was inferred from how it is used");
    diag_fix(compilation->diags, tree_prototypes(wanted.choreography->tree),
             arena_printf(compilation->arena, "%s\n    ", prototype), "if yours is right, add '%s' to the choreography",
             prototype);
}

// The companion declares the function `static`, and C wants that to come first.
static void report_outside(const Verifier *verifier, const CProvided *provided)
{
    Diags *diags = verifier->compilation->diags;
    const char *companion = path_base(provided->companion);
    Span place = name_span(source_of(verifier, provided->outside_path), provided->outside_offset);
    if (provided->outside_is_definition) {
        diag_error(diags, place, "'%s' is defined above the companion that declares it", provided->name);
        diag_note(diags, line_span(source_of(verifier, provided->include_path), provided->include_offset),
                  "it must stand below this line");
        return;
    }
    diag_error(diags, place,
               "'%s' can't be declared for other files: a role's function is static, in the file that plays the role",
               provided->name);
    diag_note(diags, line_span(source_of(verifier, provided->include_path), provided->include_offset),
              "'%s' declares it: leave the other declaration out", companion);
}

static bool read_unit(Verifier *verifier, CProvidedList *list)
{
    const char *error;
    return ctypes_provided(verifier->compilation->arena, verifier->unit->file->source, &verifier->compilation->flags,
                           list, &verifier->defined, &error);
}

void compilation_substitutes(Compilation *compilation, const Unit *unit, SubstituteList *list)
{
    Verifier verifier = {.compilation = compilation, .unit = unit};
    CProvidedList provided = {0};
    if (read_unit(&verifier, &provided))
        add_substitutes(&verifier, &provided, list);
}

void compilation_verify(Compilation *compilation, const Unit *unit, CIsBroken *c_is_broken, void *context)
{
    Verifier verifier = {.compilation = compilation, .unit = unit};
    CProvidedList list = {0};
    // What libclang can't read at all, the C compiler will complain about.
    if (!read_unit(&verifier, &list))
        return;
    add_substitutes(&verifier, &list, &compilation->substitutes);
    size_t missing = 0, conflicts = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].conflict_path != NULL) {
            report_conflict(&verifier, &list.items[i]);
            conflicts++;
        } else if (list.items[i].outside_path != NULL) {
            report_outside(&verifier, &list.items[i]);
            conflicts++;
        } else if (!list.items[i].is_defined) {
            missing++;
        }
    }
    // After a syntax error in C, functions that are there seem to be missing.
    if (missing == 0 || (conflicts == 0 && c_is_broken != NULL && c_is_broken(context, unit->file->source->path)))
        return;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].conflict_path == NULL && list.items[i].outside_path == NULL && !list.items[i].is_defined)
            report_missing(&verifier, &list.items[i]);
}
