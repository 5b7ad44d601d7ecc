// Explanations for names that are not there.

#include "compiler/check/body.h"

#include <string.h>

// Each explanation looks through the whole choreography. Behind so many errors nobody reads them, and a generated
// choreography with thousands of unknown names must not take minutes.
enum { DISTANCE_MAX_LENGTH = 64, EXPLAINED_ERRORS_MAX = 200 };

// How many insertions, deletions and replacements make one name of the other.
static size_t distance(const char *one, const char *other)
{
    size_t length = strlen(other);
    size_t row[DISTANCE_MAX_LENGTH + 1];
    if (strlen(one) > DISTANCE_MAX_LENGTH || length > DISTANCE_MAX_LENGTH)
        return DISTANCE_MAX_LENGTH;
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 0; one[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < length; k++) {
            size_t replaced = diagonal + (one[i] != other[k]);
            diagonal = row[k + 1];
            size_t shorter = row[k] < row[k + 1] ? row[k] : row[k + 1];
            row[k + 1] = shorter + 1 < replaced ? shorter + 1 : replaced;
        }
    }
    return row[length];
}

const char *closest_name(const char *name, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t best_distance = strlen(name) <= 2 ? 1 : strlen(name) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t candidate = distance(name, candidates[i]);
        if (candidate > 0 && candidate <= best_distance && candidate < strlen(name)) {
            if (best == NULL || candidate < best_distance)
                best = candidates[i];
            best_distance = candidate;
        }
    }
    return best;
}

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

void explain_missing(Resolved *resolved, const Instance *instance, RoleId role, const char *role_name, const char *name,
                     Span span, const char *owner_name)
{
    if (owner_name != NULL) {
        diag_error(resolved->diags, span, "'%s' is %s's, not %s's", name, owner_name, role_name);
        diag_note(resolved->diags, SPAN_NONE, "a value reaches %s by a delivery: '%s.%s ~> %s.%s;'", role_name,
                  owner_name, name, role_name, name);
        return;
    }
    diag_error(resolved->diags, span, "%s has no variable '%s' here", role_name, name);
    if (diags_errors(resolved->diags) > EXPLAINED_ERRORS_MAX)
        return;
    const RoleFunction *function = resolved_function(resolved, role, name);
    if (function != NULL && function->proto == NULL) {
        diag_note(resolved->diags, function->first_use,
                  "it is a function of %s: with a prototype it can be used as a value", role_name);
        return;
    }
    for (size_t i = instance->variables.count; i > 0; i--) {
        const Variable *variable = instance->variables.items[i - 1];
        if (variable->role == role && strcmp(variable->name, name) == 0 && variable->span.end <= span.start) {
            bool has_ended = resolved->visible.items[variable->id].to <= span.start;
            diag_note(resolved->diags, variable->span,
                      has_ended ? "this one is out of sight: its block has ended; bind it before the block"
                                : "it comes into being here, with a value that can't be made of itself");
            return;
        }
    }
    BindingSearch search = {role_name, name, span.end, SPAN_NONE};
    search_block(&search, &instance->def->body);
    if (search.found.file != FILE_NONE) {
        diag_note(resolved->diags, search.found, "'%s' reaches %s only here, later in the choreography", name,
                  role_name);
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
