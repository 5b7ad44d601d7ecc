// Finds the calls after which nothing is left to do for a role.

#include "compiler/project/tail.h"

#include <string.h>

static bool results_same(const Result *one, const Result *other)
{
    if (one->is_tuple != other->is_tuple || one->types.count != other->types.count)
        return false;
    for (size_t i = 0; i < one->types.count; i++)
        if (strcmp(one->types.items[i]->canonical, other->types.items[i]->canonical) != 0)
            return false;
    return true;
}

static bool op_just_returns(const LocalOp *op)
{
    return op->kind == LOCAL_RETURN && op->returned.exprs.count == 0 && !op->is_guarded;
}

// `ends`: behind the list the function ends. Loops and checkpoints are not entered: there is no tail position in them.
static void mark_list(const LocalFunction *function, LocalOpList *list, bool ends)
{
    while (ends && list->count > 0 && op_just_returns(list->items[list->count - 1]))
        list->count--;
    for (size_t i = 0; i < list->count; i++) {
        LocalOp *op = list->items[i];
        bool is_last = i + 1 == list->count;
        if (op->kind == LOCAL_CALL && op->has_partial) {
            continue;
        } else if (op->kind == LOCAL_CALL && op->returns_result) {
            op->is_tail = results_same(function->result, op->callee->result);
        } else if (op->kind == LOCAL_CALL) {
            bool returns = is_last ? ends : op_just_returns(list->items[i + 1]);
            op->is_tail = returns && function->result == NULL && op->callee->result == NULL;
        } else if (op->kind == LOCAL_CHOICE) {
            for (size_t j = 0; j < op->branches.count; j++)
                mark_list(function, &op->branches.items[j].body, ends && is_last);
        }
    }
}

void tail_mark(LocalFunction *function)
{
    mark_list(function, &function->body, true);
}
