// deadline.h: the deadlines of blocks (`within`), which feed the recovery machine with their expiry.

#ifndef RUNTIME_RECOVERY_DEADLINE_H
#define RUNTIME_RECOVERY_DEADLINE_H

#include "runtime/platform/platform.h"
#include "runtime/recovery/machine.h"

typedef struct Deadline Deadline;

typedef struct {
    pthread_mutex_t lock; // of the list and the thread
    struct Deadline *first;
    pthread_t thread;
    bool has_thread;
    _Atomic uint32_t changes; // slept on
    _Atomic bool closing;
} Deadlines;

void deadlines_init(Deadlines *deadlines);
void deadline_fini(chx_runtime *runtime);

// With the blocks locked.
bool deadline_arm(Session *session, Block *block);    // false: it can't be; session->recovery.lacks says why
void deadline_disarm(Session *session, Block *block); // one that is armed
// For a machine without threads: when the next deadline is (UINT64_MAX: none), and what is due at `now_ns`.
uint64_t deadline_next_ns(chx_runtime *runtime);
void deadline_run(chx_runtime *runtime, uint64_t now_ns);

#endif
