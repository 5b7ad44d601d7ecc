// guards.c: one role's C must not change what it has no right to change: variables that it agrees on with others, the
// fault of a rescue, and strings that a variable owns. ctypes finds where it could.

#include "compiler/check/typing.h"

#include <string.h>

static void report(Typing *typing, const LocalC *local, const Mention *mention, const CDanger *danger)
{
    const Variable *variable = mention->variables.items[0];
    RoleId at = roleset_next(&local->expr.at, 0);
    const char *role = instance_role_name(typing->resolved->program, local->instance, at), *name = mention->name;
    const char *code = role_in_code(typing->resolved->program, local->instance, at);
    const char *what = is_string(variable->type) ? "is a string" : "holds a string";
    if (danger->kind == CDANGER_KEPT) {
        diag_error(typing->diags, danger->span,
                   "%s agrees with others on '%s', here or elsewhere: no pointer to it can be kept", role, name);
        diag_note(typing->diags, SPAN_NONE, "copy the value, or pass the pointer to a function that does not keep it");
    } else if (variable->is_fault) {
        diag_error(typing->diags, danger->span,
                   "'%s' is why the block was rescued: a pointer without const could change it", name);
    } else if (mention->shared) {
        diag_error(typing->diags, danger->span,
                   "%s agrees with others on '%s': a pointer without const could change it", role, name);
        diag_note(typing->diags, SPAN_NONE,
                  "'%s.%s = ...;' as a statement ends the agreement; '{%s, ...}.%s = ...;' "
                  "keeps it",
                  code, name, code, name);
    } else {
        if (danger->kind == CDANGER_POINTER)
            diag_error(typing->diags, danger->span, "%s's '%s' %s: a pointer without const could change it", role, name,
                       what);
        else
            diag_error(typing->diags, danger->span, "%s's '%s' %s: local C can't change it", role, name, what);
        diag_note(typing->diags, SPAN_NONE, "assign a new value with a statement: '%s.%s = ...;'", code,
                  danger->kind == CDANGER_STRING ? span_copy(typing->arena, typing->resolved->sources, danger->span)
                                                 : name);
    }
}

static bool holds_string(const CType *type)
{
    if (is_string(type))
        return true;
    if (type->kind == CTYPE_ARRAY || type->kind == CTYPE_SEQUENCE)
        return holds_string(type->element);
    for (size_t i = 0; type->kind == CTYPE_STRUCT && i < type->fields.count; i++)
        if (holds_string(type->fields.items[i].type))
            return true;
    return false;
}

static void check_local(Typing *typing, const LocalC *local, const CErrorList *errors)
{
    VECTOR(CGuarded) guarded = {0};
    for (size_t i = 0; i < local->mentions.count; i++) {
        const Mention *mention = &local->mentions.items[i];
        const Variable *variable = mention->variables.items[0];
        CGuarded item = {mention->name, mention->shared || variable->is_fault, holds_string(variable->type),
                         variable->is_agreed};
        if (item.is_const || item.has_string || item.is_agreed)
            vector_push(typing->arena, &guarded, item);
    }
    CDanger danger;
    bool is_array = ctype_is_array(local->expr.type) && !local->expr.is_braces;
    if (guarded.count == 0 || typing_has_error(errors, local) ||
        !cunit_endangers(typing->unit, local->id, guarded.items, guarded.count, is_array, &danger))
        return;
    for (size_t i = 0; i < local->mentions.count; i++)
        if (strcmp(local->mentions.items[i].name, danger.name) == 0)
            report(typing, local, &local->mentions.items[i], &danger);
}

void typing_guards(Typing *typing)
{
    CErrorList errors = {0};
    cunit_errors(typing->unit, &errors);
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const LocalC *local = typing->resolved->locals.items[i];
        // At a set nobody takes an address at all.
        if (typing->typed[i] && party_count(typing->resolved->program, &local->expr.at) == 1)
            check_local(typing, local, &errors);
    }
}
