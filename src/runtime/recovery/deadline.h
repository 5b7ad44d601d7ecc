// deadline.h: the deadlines of a runtime. What they do: block.h.

#ifndef RUNTIME_RECOVERY_DEADLINE_H
#define RUNTIME_RECOVERY_DEADLINE_H

#include "runtime/platform/platform.h"

typedef struct {
    pthread_mutex_t lock; // of the list and the thread
    struct Deadline *first;
    pthread_t thread;
    bool has_thread;
    _Atomic uint32_t changes; // slept on
    _Atomic bool closing;
} Deadlines;

void deadlines_init(Deadlines *deadlines);

#endif
