// Explanations for names that are not there.

#include "base/similar.h"
#include "compiler/check/body.h"

#include <string.h>

// Each explanation looks through the whole choreography. Behind so many errors nobody reads them, and a generated
// choreography with thousands of unknown names must not take minutes.
enum { EXPLAINED_ERRORS_MAX = 200 };

// ---- where a name is bound later ----

typedef struct {
    const char *role, *name;
    uint32_t after;
    Span found; // SPAN_NONE: not yet
} BindingSearch;

static bool names_role(const RoleRef *ref, const char *role)
{
    for (size_t i = 0; i < ref->names.count; i++)
        if (strcmp(ref->names.items[i].text, role) == 0)
            return true;
    return false;
}

static void search_target(BindingSearch *search, const Target *target)
{
    if (target == NULL || search->found.file != FILE_NONE)
        return;
    bool binds = target->kind == TARGET_NAME || target->kind == TARGET_DECLARE;
    if (binds && target->name.text != NULL && strcmp(target->name.text, search->name) == 0 &&
        target->name.span.start > search->after)
        search->found = target->name.span;
    for (size_t i = 0; i < target->parts.count; i++)
        search_target(search, target->parts.items[i]);
}

static void search_located(BindingSearch *search, const LocatedTarget *located)
{
    if (located->target != NULL && names_role(&located->at, search->role))
        search_target(search, located->target);
}

static void search_block(BindingSearch *search, const TreeBlock *block)
{
    for (size_t i = 0; i < block->statements.count && search->found.file == FILE_NONE; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_DELIVERY || stmt->kind == STMT_ASSIGN)
            search_located(search, &stmt->target);
        for (size_t k = 0; k < stmt->targets.count; k++)
            search_located(search, &stmt->targets.items[k]);
        search_block(search, &stmt->body);
        search_block(search, &stmt->otherwise);
        for (size_t k = 0; k < stmt->cases.count; k++)
            search_block(search, &stmt->cases.items[k].body);
    }
}

// ---- roles and functions ----

// Is it the name of another choreography, or, as `other_run`, a C function that starts one? The choreography's name.
static const char *other_choreography(const Resolver *resolver, const char *name)
{
    const Tree *tree = resolver->out->tree;
    for (size_t i = 0; i < tree->others.count; i++) {
        const char *other = tree->others.items[i];
        size_t length = strlen(other);
        if (strncmp(name, other, length) == 0 && (name[length] == '\0' || name[length] == '_'))
            return other;
    }
    return NULL;
}

static void note_other(const Resolver *resolver, const char *other)
{
    diag_note(resolver->diags, SPAN_NONE,
              "a choreography is started from C, for example by a function that a role provides: '%s_run(...)'", other);
}

void explain_no_role(const Resolver *resolver, const Name *name)
{
    const char *other = other_choreography(resolver, name->text);
    if (other != NULL && strcmp(other, name->text) == 0) {
        diag_error(resolver->diags, name->span, "'%s' is another choreography, not a role", name->text);
        note_other(resolver, other);
        diag_note(resolver->diags, SPAN_NONE,
                  "'use %s;' at the head of this one makes its functions callable: '%s.f[...](...)'", other, other);
        return;
    }
    diag_error(resolver->diags, name->span, "no role '%s'", name->text);
    const char *close = closest_name(name->text, resolver->out->program->role_names, resolver->role_count);
    if (close != NULL)
        diag_fix(resolver->diags, name->span, close, "did you mean '%s'?", close);
}

void explain_no_function(const Resolver *resolver, const Name *name)
{
    if (strchr(name->text, '.') != NULL) {
        explain_no_used(resolver, name);
        return;
    }
    diag_error(resolver->diags, name->span, "no function '%s'", name->text);
    VECTOR(const char *) names = {0};
    for (size_t i = 0; i < resolver->out->tree->defs.count; i++)
        vector_push(resolver->arena, &names, resolver->out->tree->defs.items[i]->name.text);
    const char *close = closest_name(name->text, names.items, names.count);
    const char *other = other_choreography(resolver, name->text);
    if (other != NULL)
        note_other(resolver, other);
    else if (close != NULL)
        diag_fix(resolver->diags, name->span, close, "did you mean '%s'?", close);
    else
        diag_note(resolver->diags, SPAN_NONE,
                  "a choreographic function is made with 'def %s(...) { ... }'; a role's own is called as "
                  "'Role.%s(...)'",
                  name->text, name->text);
}

// ---- variables ----

// `~> Bob.(x)`: a match that stands for a variable which is not there.
typedef struct {
    const Sources *sources;
    Arena *arena;
    const char *role, *name;
    const Target *match; // the first one, NULL: none
} MatchSearch;

static void search_match(MatchSearch *search, const Target *target)
{
    if (target == NULL || search->match != NULL)
        return;
    if (target->kind == TARGET_MATCH &&
        strcmp(span_copy(search->arena, search->sources, target->c.span), search->name) == 0)
        search->match = target;
    for (size_t i = 0; i < target->parts.count; i++)
        search_match(search, target->parts.items[i]);
}

static void search_matches(MatchSearch *search, const TreeBlock *block)
{
    for (size_t i = 0; i < block->statements.count && search->match == NULL; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_DELIVERY && names_role(&stmt->target.at, search->role))
            search_match(search, stmt->target.target);
        search_matches(search, &stmt->body);
        search_matches(search, &stmt->otherwise);
        for (size_t k = 0; k < stmt->cases.count; k++)
            search_matches(search, &stmt->cases.items[k].body);
    }
}

static bool is_visible(const Resolved *resolved, const Instance *instance, RoleId role, const char *name, uint32_t at)
{
    for (size_t i = 0; i < resolved->visible.count; i++) {
        const Visibility *visibility = &resolved->visible.items[i];
        const Variable *variable = visibility->variable;
        if (variable->instance == instance && variable->role == role && strcmp(variable->name, name) == 0 &&
            visibility->from <= at && at < visibility->to)
            return true;
    }
    return false;
}

// A name that stands alone in the parentheses of a match was probably to be bound there. False: it is another mistake.
static bool explain_match(Resolved *resolved, const Instance *instance, RoleId role, const char *role_name,
                          const char *name, Span span)
{
    MatchSearch search = {resolved->sources, resolved->arena, role_name, name, NULL};
    search_matches(&search, &instance->def->body);
    if (search.match == NULL || span.start < search.match->c.span.start ||
        is_visible(resolved, instance, role, name, search.match->c.span.start))
        return false;
    // Where it is used later on the same mistake shows again.
    if (search.match->c.span.start != span.start)
        return true;
    const char *code = role_in_code(resolved->program, instance, role);
    diag_error(resolved->diags, span, "%s has no variable '%s' here", role_name, name);
    diag_note(resolved->diags, SPAN_NONE,
              "'(%s)' compares what arrives with %s's '%s'; '%s.%s', without parentheses, takes it", name, role_name,
              name, code, name);
    diag_fix(resolved->diags, search.match->span, name, "write '%s.%s'", code, name);
    return true;
}

// A variable that there is no more, or not yet, at this place: notes it, and returns its place. SPAN_NONE: there is none.
static Span explain_out_of_sight(Resolved *resolved, const Instance *instance, RoleId role, const char *role_name,
                                 const char *name, Span span)
{
    for (size_t i = instance->variables.count; i > 0; i--) {
        const Variable *variable = instance->variables.items[i - 1];
        if (variable->role == role && strcmp(variable->name, name) == 0 && variable->span.end <= span.start) {
            bool has_ended = resolved->visible.items[variable->id].to <= span.start;
            diag_note(resolved->diags, variable->span,
                      has_ended ? "this one is out of sight: its block has ended; bind it before the block"
                                : "it comes into being here, with a value that can't be made of itself");
            return variable->span;
        }
    }
    BindingSearch search = {role_name, name, span.end, SPAN_NONE};
    search_block(&search, &instance->def->body);
    if (search.found.file != FILE_NONE)
        diag_note(resolved->diags, search.found, "'%s' reaches %s only here, later in the choreography", name,
                  role_name);
    return search.found;
}

// What is missing once is missing wherever it is used in the function: `about` tells mistakes with the same name apart.
static void missing_cause(Resolved *resolved, const Instance *instance, const char *role_name, const char *name,
                          const char *about)
{
    diag_cause(resolved->diags, "%s.%s in %u:%u: %s", role_name, name, instance->def->name.span.file,
               instance->def->name.span.start, about);
}

static void explain_others(Resolved *resolved, const Instance *instance, RoleId role, const char *name, Span span,
                           RoleId owner)
{
    const Program *program = resolved->program;
    const char *role_name = instance_role_name(program, instance, role);
    const char *owner_name = instance_role_name(program, instance, owner);
    const char *to = role_in_code(program, instance, role);
    diag_error(resolved->diags, span, "'%s' is %s's, not %s's", name, owner_name, role_name);
    if (program->is_family[owner])
        diag_note(resolved->diags, SPAN_NONE,
                  "a value reaches %s by a delivery of one member: 'for (w : %s) { w.%s ~> %s.%s; }'", role_name,
                  owner_name, name, to, name);
    else
        diag_note(resolved->diags, SPAN_NONE, "a value reaches %s by a delivery: '%s.%s ~> %s.%s;'", role_name,
                  owner_name, name, to, name);
    missing_cause(resolved, instance, role_name, name, owner_name);
}

void explain_missing(Resolved *resolved, const Instance *instance, RoleId role, const char *role_name, const char *name,
                     Span span, RoleId owner)
{
    if (owner != ROLE_NONE) {
        explain_others(resolved, instance, role, name, span, owner);
        return;
    }
    role = resolved->program->role_of[role];
    bool is_explained = diags_errors(resolved->diags) < EXPLAINED_ERRORS_MAX;
    if (is_explained && explain_match(resolved, instance, role, role_name, name, span))
        return;
    diag_error(resolved->diags, span, "%s has no variable '%s' here", role_name, name);
    missing_cause(resolved, instance, role_name, name, "");
    if (!is_explained)
        return;
    const RoleFunction *function = function_of(resolved, instance, role, name);
    if (function != NULL && function->proto == NULL) {
        diag_note(resolved->diags, function->first_use,
                  "it is a function of %s: with a prototype it can be used as a value", role_name);
        return;
    }
    Span other = explain_out_of_sight(resolved, instance, role, role_name, name, span);
    if (other.file != FILE_NONE) {
        missing_cause(resolved, instance, role_name, name, arena_printf(resolved->arena, "%u", other.start));
        return;
    }
    if (strcmp(name, "fault") == 0) {
        diag_note(resolved->diags, SPAN_NONE, "in a rescue that asks for it there is: 'rescue (fault) { ... }'");
        return;
    }
    VECTOR(const char *) names = {0};
    for (size_t i = 0; i < instance->variables.count; i++)
        if (instance->variables.items[i]->role == role)
            vector_push(resolved->arena, &names, instance->variables.items[i]->name);
    const char *close = closest_name(name, names.items, names.count);
    if (close != NULL)
        diag_note(resolved->diags, SPAN_NONE, "did you mean '%s'?", close);
}
