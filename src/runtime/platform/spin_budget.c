// spin_budget.c: see spin_budget.h.

#include "runtime/platform/spin_budget.h"

bool spin_budget_lasts(SpinBudget *spin_budget, const Platform *platform)
{
    if (spin_budget->limit_ns == 0)
        return false;
    if (spin_budget->looks++ < SPIN_BUDGET_LOOKS) {
        platform->relax();
        return true;
    }
    platform->yield();
    uint64_t now_ns = platform->now_ns();
    if (spin_budget->start_ns == 0)
        spin_budget->start_ns = now_ns;
    return now_ns - spin_budget->start_ns < spin_budget->limit_ns;
}
