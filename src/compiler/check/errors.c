// libclang's errors in local C, in the user's terms.

#include "base/text.h"
#include "compiler/check/body.h"
#include "compiler/check/typing.h"
#include "compiler/syntax/find.h"

#include <stdio.h>
#include <string.h>

enum {
    PREFIX_ERRORS_MAX = 3,
    PLACES_SEARCHED_MAX = 200, // behind so many errors nobody reads where a name is declared
};

// The expression that the error lies in: the smallest one in the unit.
static LocalC *local_at(Typing *typing, Span span)
{
    LocalC *best = NULL;
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        LocalC *local = typing->resolved->locals.items[i];
        Span at = local->expr.span;
        if (!typing->typed[i] || at.file != span.file || span.start < at.start || span.end > at.end)
            continue;
        if (best == NULL || at.end - at.start < best->expr.span.end - best->expr.span.start)
            best = local;
    }
    return best;
}

static const char *written_role(const Typing *typing, const LocalC *local, RoleId role)
{
    return instance_role_name(typing->resolved->program, local->instance, role);
}

static RoleId owner_of(const Typing *typing, const LocalC *local, const char *name)
{
    for (size_t i = 0; i < typing->resolved->visible.count; i++) {
        const Visibility *visibility = &typing->resolved->visible.items[i];
        const Variable *variable = visibility->variable;
        if (variable->instance == local->instance && strcmp(variable->name, name) == 0 &&
            visibility->from <= local->expr.span.start && local->expr.span.end <= visibility->to &&
            !roleset_has(&local->expr.at, variable->role))
            return variable->role;
    }
    return ROLE_NONE;
}

static bool has_variable(const LocalC *local, const char *name, RoleId role)
{
    for (size_t i = 0; i < local->instance->variables.count; i++)
        if (local->instance->variables.items[i]->role == role &&
            strcmp(local->instance->variables.items[i]->name, name) == 0)
            return true;
    return false;
}

static void report_undeclared(Typing *typing, const CError *error, const LocalC *local)
{
    RoleId role = roleset_next(&local->expr.at, 0);
    const char *role_name = written_role(typing, local, role);
    if (error->macro != NULL && has_variable(local, error->undeclared, role)) {
        diag_error(typing->diags, error->span, "macro '%s' uses %s's '%s'", error->macro, role_name, error->undeclared);
        diag_note(typing->diags, SPAN_NONE,
                  "a macro can't name a role's variable: give it to the macro as an argument");
        return;
    }
    explain_missing(typing->resolved, local->instance, role, role_name, error->undeclared, error->span,
                    owner_of(typing, local, error->undeclared));
}

// The types of a call's arguments, as far as they are known: "int, const char *".
static const char *argument_types(Typing *typing, const LocalC *local, const char *name)
{
    const CalledName *called = local->called.count > 0 ? &local->called.items[0] : NULL;
    if (called == NULL || !called->is_whole || strcmp(called->name, name) != 0)
        return "...";
    const char *text = called->args.count == 0 ? "void" : "";
    for (size_t i = 0; i < called->args.count; i++) {
        const CType *type = cunit_type_of(typing->unit, arena_printf(typing->arena, "chx_a%u_%zu", local->id, i));
        if (type == NULL || type->kind == CTYPE_INVALID)
            return "...";
        text = arena_printf(typing->arena, "%s%s%s", text, i == 0 ? "" : ", ",
                            parameter_type(typing->arena, type)->spelling);
    }
    return text;
}

// Local C calls what C declares, but not before the block.
static bool report_declared_below(Typing *typing, Span span, const LocalC *local, const char *name)
{
    Span below = find_function(typing->arena, typing->source, typing->resolved->tree->span.end, name);
    if (below.file == FILE_NONE || diags_errors(typing->diags) > PLACES_SEARCHED_MAX)
        return false;
    diag_error(typing->diags, span, "%s's C calls '%s', which is declared only below the choreography",
               written_role(typing, local, roleset_next(&local->expr.at, 0)), name);
    diag_note(typing->diags, below, "move it above the choreography, or declare it there");
    return true;
}

static void report_unknown_function(Typing *typing, Span span, const LocalC *local, const char *name)
{
    RoleId id = roleset_next(&local->expr.at, 0);
    // A prototype belongs to a role or a family, never to a role parameter or to one member.
    const Program *program = typing->resolved->program;
    const char *role = written_role(typing, local, id), *owner = program->role_names[program->role_of[id]];
    const char *header = map_get(&typing->headers, name);
    if (strncmp(name, "chx_", 4) == 0) {
        diag_error(typing->diags, span, "the library has no '%s'", name);
        return;
    }
    CNameKind kind = cunit_name_kind(typing->unit, name);
    if (kind == CNAME_NONE && report_declared_below(typing, span, local, name))
        return;
    diag_error(typing->diags, span,
               "the type of %s's '%s' can't be inferred here: add 'TYPE %s.%s(%s);' to the choreography", role, name,
               owner, name, argument_types(typing, local, name));
    if (header != NULL)
        diag_note(typing->diags, SPAN_NONE, "for C's own '%s', '#include <%s>' is missing above the choreography", name,
                  header);
    else if (kind == CNAME_FUNCTION || kind == CNAME_MACRO)
        diag_note(typing->diags, SPAN_NONE, "C has a '%s' of its own: to call that, write '%s.(%s(...))'", name,
                  role_in_code(program, local->instance, id), name);
}

// Clang names a const variable; of const characters it only shows where they are.
static bool concerns(const Typing *typing, const CError *error, const Mention *mention)
{
    if (strstr(error->message, arena_printf(typing->arena, "'%s'", mention->name)) != NULL)
        return true;
    for (size_t i = 0; i < mention->places.count; i++)
        if (strchr(error->message, '\'') == NULL && mention->places.items[i].start == error->span.start)
            return true;
    return false;
}

static void report_const(Typing *typing, const CError *error, const LocalC *local)
{
    for (size_t i = 0; i < local->mentions.count; i++) {
        const Mention *mention = &local->mentions.items[i];
        const Variable *variable = mention->variables.items[0];
        RoleId first = roleset_next(&local->expr.at, 0);
        const char *role = written_role(typing, local, first);
        const char *code = role_in_code(typing->resolved->program, local->instance, first);
        if (!concerns(typing, error, mention))
            continue;
        if (variable->is_index || variable->is_count) {
            diag_error(typing->diags, error->span,
                       "'%s' says which member of a family is meant, or how many there are: it can't be assigned to",
                       mention->name);
        } else if (variable->is_fault) {
            diag_error(typing->diags, error->span, "'%s' is why the block was rescued: it can't be assigned to",
                       mention->name);
        } else if (mention->is_of_arms) {
            diag_error(typing->diags, error->span,
                       "%s's '%s' is used in several arms of 'par': none of them can change it", role, mention->name);
        } else if (mention->shared && party_count(typing->resolved->program, &local->expr.at) > 1) {
            diag_error(typing->diags, error->span, "'%s' is agreed on: an expression can't change it", mention->name);
            diag_note(typing->diags, SPAN_NONE, "a statement can: '{%s, ...}.%s = ...;'", code, mention->name);
        } else if (mention->shared) {
            diag_error(typing->diags, error->span, "%s agrees with others on '%s': its own C can't change it", role,
                       mention->name);
            diag_note(typing->diags, SPAN_NONE,
                      "'%s.%s = ...;' as a statement ends the agreement; '{%s, ...}.%s = ...;' "
                      "keeps it",
                      code, mention->name, code, mention->name);
        } else if (variable->declared != NULL && variable->type != NULL && variable->type->is_const) {
            diag_error(typing->diags, error->span, "%s's '%s' is const: it keeps its first value", role, mention->name);
            diag_note(typing->diags, variable->span, "it is declared here");
        } else {
            diag_error(typing->diags, error->span, "%s's '%s' is a string: local C can't change it", role,
                       mention->name);
            diag_note(typing->diags, SPAN_NONE, "assign a new value with a statement: '%s.%s = ...;'", code,
                      mention->name);
        }
        return;
    }
    diag_error(typing->diags, error->span, "%s", error->message);
}

// Clang shows our own names as 'chx_ty3' (aka 'int') or 'typeof (chx_v7)' (aka 'int'): only the second part is the user's.
static const char *clean_message(const Resolved *resolved, const char *message)
{
    Arena *arena = resolved->arena;
    Text text;
    text_init(&text, arena);
    for (const char *at = message; *at != '\0';) {
        const char *close = *at == '\'' ? strchr(at + 1, '\'') : NULL;
        if (close == NULL) {
            text_add(&text, at++, 1);
            continue;
        }
        size_t length = (size_t)(close + 1 - at);
        const char *quoted = arena_copy(arena, at, length);
        bool is_ours = strstr(quoted, "chx_ty") != NULL || strstr(quoted, "chx_v") != NULL ||
                       strstr(quoted, "chx_x") != NULL || strstr(quoted, "chx_t") != NULL ||
                       strstr(quoted, "chx_q") != NULL;
        unsigned id;
        if (sscanf(quoted, "'chx_v%u'", &id) == 1 && id < resolved->visible.count) {
            text_printf(&text, "'%s'", resolved->visible.items[id].variable->name);
            at = close + 1;
            continue;
        }
        if (sscanf(quoted, "'chx_f%u'", &id) == 1 && id < resolved->functions.count) {
            text_printf(&text, "'%s'", resolved->functions.items[id]->name);
            at = close + 1;
            continue;
        }
        if (is_ours && strncmp(close + 1, " (aka '", 7) == 0) {
            const char *real = close + 1 + 6, *end = strchr(real + 1, '\'');
            if (end != NULL) {
                text_add(&text, real, (size_t)(end + 1 - real));
                at = end[1] == ')' ? end + 2 : end + 1;
                continue;
            }
        }
        text_add(&text, at, length);
        at = close + 1;
    }
    return text.chars;
}

// Losing a `const` is only C's warning; guards.c says it of what a role's C must not change.
static bool is_harmless(const CError *error)
{
    return strstr(error->message, "discards qualifiers") != NULL;
}

// An error beside another one in the same expression that explains more.
static bool is_eclipsed(const CErrorList *errors, const CError *error, const LocalC *local)
{
    for (size_t i = 0; local != NULL && error->implicit_function != NULL && i < errors->count; i++) {
        Span span = errors->items[i].span, whole = local->expr.span;
        if (errors->items[i].undeclared != NULL && span.file == whole.file && span.start >= whole.start &&
            span.end <= whole.end)
            return true;
    }
    // rules.c says it of the condition, once.
    return strncmp(error->message, "statement requires expression of integer type", 45) == 0;
}

// A variable that a macro replaces is reported by rules.c.
static bool mentions_macro(const Typing *typing, const LocalC *local)
{
    for (size_t i = 0; local != NULL && i < local->mentions.count; i++)
        if (cunit_name_kind(typing->unit, local->mentions.items[i].name) == CNAME_MACRO)
            return true;
    return false;
}

static bool lies_in(Span span, Span whole)
{
    return span.file == whole.file && span.start >= whole.start && span.end <= whole.end;
}

// A name in a `typeof` that is no variable of the role. False: it stands for a type.
static bool report_in_typeof(Typing *typing, const CError *error, const Variable *variable, const char *name)
{
    Resolved *resolved = typing->resolved;
    Span before = variable->declared->before;
    if (!lies_in(error->span, before) || error->undeclared == NULL ||
        strchr(span_copy(typing->arena, resolved->sources, (Span){before.file, before.start, error->span.start}),
               '(') == NULL)
        return false;
    if (variable->is_param) {
        diag_error(typing->diags, error->span, "the type of a parameter can't depend on a variable: C knows no '%s'",
                   name);
        return true;
    }
    RoleId owner = ROLE_NONE;
    for (size_t i = 0; i < resolved->visible.count; i++) {
        const Visibility *visibility = &resolved->visible.items[i];
        const Variable *other = visibility->variable;
        if (other->instance == variable->instance && other->role != variable->role && strcmp(other->name, name) == 0 &&
            visibility->from <= error->span.start && error->span.end <= visibility->to)
            owner = other->role;
    }
    explain_missing(resolved, variable->instance, variable->role,
                    instance_role_name(resolved->program, variable->instance, variable->role), name, error->span,
                    owner);
    return true;
}

// An unknown name outside of expressions stands in a declared type, or is the size of an array.
static void report_in_type(Typing *typing, const CError *error)
{
    const char *name = span_copy(typing->arena, typing->resolved->sources, error->span);
    for (size_t i = 0; i < typing->resolved->visible.count; i++) {
        const Variable *variable = typing->resolved->visible.items[i].variable;
        const TypeText *type = variable->declared;
        if (type != NULL && report_in_typeof(typing, error, variable, name))
            return;
        for (size_t k = 0; type != NULL && k < type->sizes.count; k++)
            if (lies_in(error->span, type->sizes.items[k].span)) {
                diag_error(typing->diags, error->span, "the size of an array must be a constant: '%s' is none", name);
                return;
            }
    }
    diag_error(typing->diags, error->span, "unknown type '%s'", name);
}

// A value is wanted where there is none.
static void report_void(Typing *typing, const LocalC *local)
{
    const CalledName *called = local->called.count > 0 ? &local->called.items[0] : NULL;
    bool is_inferred = called != NULL && called->is_whole && called->function != NULL &&
                       called->function->proto == NULL && called->function->type != NULL;
    if (!is_inferred) {
        diag_error(typing->diags, local->expr.span, "this has no value");
        return;
    }
    const char *role = written_role(typing, local, called->function->role);
    const char *name = arena_printf(typing->arena, "%s.%s", role, called->name);
    diag_error(typing->diags, called->span, "%s's '%s' is used here for its value, but elsewhere as '%s'", role,
               called->name, prototype_text(typing->arena, called->function->type, name));
    diag_note(typing->diags, SPAN_NONE, "a prototype in the choreography settles it");
}

// A pattern that takes the fields of something that has none: said once, not for each field.
static bool report_no_fields(Typing *typing, const CErrorList *errors, const CError *error)
{
    const char *message = error->message;
    bool is_pointer = strncmp(message, "member reference type ", 22) == 0;
    if (!is_pointer && strncmp(message, "member reference base type ", 27) != 0)
        return false;
    const Sources *sources = typing->resolved->sources;
    uint32_t line = span_position(sources, error->span).line;
    for (size_t i = 0; i < errors->count; i++) {
        const CError *other = &errors->items[i];
        if (other->span.start < error->span.start && strcmp(other->message, message) == 0 &&
            span_position(sources, other->span).line == line)
            return true;
    }
    const char *type = strchr(message, '\''), *behind = strstr(message, " is ");
    if (type == NULL || behind == NULL || behind < type)
        return false;
    diag_error(typing->diags, error->span, "a value of type %s has no fields that could be taken out of it",
               clean_message(typing->resolved, arena_copy(typing->arena, type, (size_t)(behind - type))));
    if (is_pointer)
        diag_note(typing->diags, SPAN_NONE, "what it points to has: write '*' before the pointer");
    return true;
}

// Mistakes in where the block stands. False: it is something else.
static bool report_place(Typing *typing, const CError *error)
{
    const Tree *tree = typing->resolved->tree;
    const char *own = arena_printf(typing->arena, "'%s.", tree->name.text);
    if (strncmp(error->message, own, strlen(own)) == 0 && strstr(error->message, ".chor.h' file not found") != NULL) {
        diag_error(typing->diags, error->span, "a companion of '%s' is included above the choreography",
                   tree->name.text);
        diag_note(typing->diags, tree->name.span, "it is made from this: include it further down");
        return true;
    }
    if (strcmp(error->message, "expected '}'") == 0) {
        diag_error(typing->diags, tree->name.span, "a choreography stands outside of functions and types");
        diag_note(typing->diags, error->span, "this '{' is still open");
        return true;
    }
    return false;
}

// `==` on two chx_str.
static void note_string_operands(Typing *typing, const CError *error)
{
    if (strncmp(error->message, "invalid operands to binary expression", 37) != 0)
        return;
    if (strstr(error->message, "chx_str'") != NULL)
        diag_note(typing->diags, SPAN_NONE, "'chx_str_equal(a, b)' compares the texts");
    else if (strstr(error->message, "chx_bytes'") != NULL)
        diag_note(typing->diags, SPAN_NONE, "'chx_bytes_equal(a, b)' compares the bytes");
}

static void report(Typing *typing, const CErrorList *errors, const CError *error)
{
    const LocalC *local = local_at(typing, error->span);
    if (local == NULL && (report_no_fields(typing, errors, error) || report_place(typing, error)))
        return;
    if (is_eclipsed(errors, error, local) || is_harmless(error) || mentions_macro(typing, local))
        return;
    // The target of `x++` and `x += e`: rules.c says it.
    if (error->is_const_assignment && strstr(error->message, "'chx_l'") != NULL)
        return;
    // The functions of the unit return what nobody can make.
    if (strstr(error->message, "'chx_fn") != NULL || strstr(error->message, "struct chx_none") != NULL) {
        diag_error(typing->diags, error->span, "local C can't return from the choreography");
        return;
    }
    bool is_void = strcmp(error->message, "variable has incomplete type 'void'") == 0;
    if (error->undeclared != NULL && strncmp(error->undeclared, "chx_", 4) == 0 &&
        strcmp(error->undeclared, "chx_fault") != 0) {
        // A name of the unit's own follows from another error; one that the user wrote is a mistake.
        if (strcmp(span_copy(typing->arena, typing->resolved->sources, error->span), error->undeclared) == 0)
            diag_error(typing->diags, error->span, "the library has no '%s'", error->undeclared);
        return;
    }
    if (local != NULL && error->undeclared != NULL)
        report_undeclared(typing, error, local);
    else if (local != NULL && error->implicit_function != NULL)
        report_unknown_function(typing, error->span, local, error->implicit_function);
    else if (local != NULL && error->is_const_assignment)
        report_const(typing, error, local);
    else if (local != NULL && is_void)
        report_void(typing, local);
    else if (local == NULL && (error->undeclared != NULL || strncmp(error->message, "unknown type name", 17) == 0 ||
                               strncmp(error->message, "a parameter list without types", 30) == 0))
        report_in_type(typing, error);
    else if (local != NULL && strstr(error->message, "not an integer constant expression") != NULL)
        diag_error(typing->diags, local->expr.span, "a label must be an integer constant: '%s' is none",
                   span_copy(typing->arena, typing->resolved->sources, local->expr.span));
    else {
        diag_error(typing->diags, error->span, "%s", clean_message(typing->resolved, error->message));
        note_string_operands(typing, error);
        for (size_t i = 0; i < error->notes.count; i++)
            if (error->notes.items[i].span.file != FILE_NONE)
                diag_note(typing->diags, error->notes.items[i].span, "%s",
                          clean_message(typing->resolved, error->notes.items[i].message));
    }
}

static void report_prefix(Typing *typing, bool has_others)
{
    CErrorList errors = {0};
    cunit_prefix_errors(typing->unit, &errors);
    for (size_t i = 0; i < errors.count && i < PREFIX_ERRORS_MAX; i++)
        if (report_place(typing, &errors.items[i]))
            return;
    for (size_t i = 0; i < errors.count && i < PREFIX_ERRORS_MAX; i++)
        if (has_others || strstr(errors.items[i].message, "file not found") != NULL)
            diag_error(typing->diags, errors.items[i].span, "%s", errors.items[i].message);
}

// A role's variable that comes out of a macro's body can't be found in the text.
static void report_macros(Typing *typing)
{
    CReferenceList references = {0};
    cunit_references(typing->unit, &references);
    for (size_t i = 0; i < references.count; i++) {
        const CReference *reference = &references.items[i];
        const LocalC *local = reference->macro != NULL ? local_at(typing, reference->span) : NULL;
        if (local == NULL)
            continue;
        diag_error(typing->diags, reference->span, "macro '%s' uses %s's '%s'", reference->macro,
                   written_role(typing, local, roleset_next(&local->expr.at, 0)), reference->name);
        diag_note(typing->diags, SPAN_NONE,
                  "a macro can't name a role's variable: give it to the macro as an argument");
    }
}

// One error for each function: the prototype that it asks for settles all its calls.
static void report_untypable(Typing *typing, const CErrorList *errors)
{
    bool *is_reported = ARENA_ARRAY(typing->arena, bool, typing->resolved->functions.count + 1);
    for (size_t i = 0; i < typing->untypable.count; i++) {
        const LocalC *local = typing->untypable.items[i];
        const CalledName *called = &local->called.items[0];
        bool has_error = false;
        for (size_t k = 0; k < errors->count; k++)
            has_error |= lies_in(errors->items[k].span, local->expr.span);
        if (has_error || is_reported[called->function->id])
            continue;
        is_reported[called->function->id] = true;
        report_unknown_function(typing, called->span, local, called->name);
    }
}

static void report_array_results(Typing *typing)
{
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const LocalC *local = typing->resolved->locals.items[i];
        if (typing->typed[i] && local->wanted != NULL && map_has(&typing->array_types, local->wanted) &&
            calls_unknown(typing, local))
            diag_error(typing->diags, local->called.items[0].span,
                       "a C function can't return an array: '%s' needs a struct "
                       "around it",
                       local->called.items[0].name);
    }
}

bool typing_has_error(const CErrorList *errors, const LocalC *local)
{
    for (size_t i = 0; i < errors->count; i++)
        if (lies_in(errors->items[i].span, local->expr.span) && !is_harmless(&errors->items[i]))
            return true;
    return false;
}

void typing_errors(Typing *typing)
{
    CErrorList errors = {0};
    cunit_errors(typing->unit, &errors);
    report_prefix(typing, errors.count > 0);
    for (size_t i = 0; i < errors.count; i++)
        report(typing, &errors, &errors.items[i]);
    report_untypable(typing, &errors);
    report_array_results(typing);
    report_macros(typing);
}

// Whatever was left out above because something else explains it: if nothing did, it must not be lost.
void typing_last_errors(Typing *typing)
{
    CErrorList errors = {0};
    cunit_errors(typing->unit, &errors);
    for (size_t i = 0; diags_errors(typing->diags) == 0 && i < errors.count; i++)
        if (!is_harmless(&errors.items[i]))
            diag_error(typing->diags, errors.items[i].span, "%s",
                       clean_message(typing->resolved, errors.items[i].message));
}
