// rank.c: what becomes of a role's variables in a function: see internal.h.

#include "compiler/emit/internal.h"

static bool list_has(const VariableList *list, const Variable *variable)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == variable)
            return true;
    return false;
}

static bool pattern_changes(const Pattern *pattern, const Variable *variable)
{
    if (pattern == NULL)
        return false;
    if (pattern->kind == PATTERN_BIND && list_has(&pattern->variables, variable))
        return true;
    for (size_t i = 0; pattern->kind == PATTERN_PLACE && i < pattern->expr->pieces.count; i++)
        if (list_has(&pattern->expr->pieces.items[i].variables, variable))
            return true;
    for (size_t i = 0; i < pattern->parts.count; i++)
        if (pattern_changes(pattern->parts.items[i], variable))
            return true;
    return false;
}

static bool ops_change(const LocalOpList *ops, const Variable *variable)
{
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        if (pattern_changes(op->target, variable) || pattern_changes(op->own, variable) ||
            pattern_changes(op->result, variable))
            return true;
        if (ops_change(&op->body, variable) || ops_change(&op->step, variable) || ops_change(&op->rescue, variable))
            return true;
        for (size_t k = 0; k < op->branches.count; k++)
            if (ops_change(&op->branches.items[k].body, variable))
                return true;
    }
    return false;
}

VariableRank emit_rank(const LocalFunction *function, const Variable *variable)
{
    CTypeKind kind = variable->type->kind;
    bool is_text = kind == CTYPE_CSTRING || kind == CTYPE_STR || kind == CTYPE_BYTES;
    // The strings of a fault are the block's.
    if (variable->is_fault || !variable->type->is_owning)
        return RANK_OWNS_NOTHING;
    return is_text && list_has(&function->params, variable) && !ops_change(&function->body, variable) ? RANK_FIXED
                                                                                                      : RANK_CHANGES;
}
