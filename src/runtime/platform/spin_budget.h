// spin_budget.h: how long to look for something again and again before sleeping until it is there.
//
// What another process does soon is found faster by looking than by sleeping, since waking up costs more than the answer.
// At first one looks without pause; then other threads get the processor in between, for one of them may be the one that
// has to answer.

#ifndef RUNTIME_PLATFORM_SPIN_BUDGET_H
#define RUNTIME_PLATFORM_SPIN_BUDGET_H

#include "runtime/platform/platform.h"

enum {
    SPIN_BUDGET_LOOKS = 16, // without pause
    SPIN_BUDGET_NS = 20000, // the time for all others
};

typedef struct {
    uint64_t limit_ns; // 0: no looking, for instance since there is only one processor
    uint64_t start_ns;
    unsigned looks;
} SpinBudget;

// After looking in vain, pauses as long as is right before the next look. False: that was the last one.
bool spin_budget_lasts(SpinBudget *spin_budget, const Platform *platform);

#endif
