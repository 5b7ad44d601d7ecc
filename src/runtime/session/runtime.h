// runtime.h: one runtime: its options, its scheduler, its plans. Everything else in core gets at them from here.
//
// Several runtimes can live in one process; they share nothing but the signal handlers.

#ifndef RUNTIME_SESSION_RUNTIME_H
#define RUNTIME_SESSION_RUNTIME_H

#include "runtime/platform/event_loop.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/platform.h"
#include "runtime/platform/poller.h"
#include "runtime/sched/scheduler.h"

#include <chorex/generated.h>

enum {
    CHANNEL_MESSAGES_DEFAULT = 1024,
    CHANNEL_BYTES_DEFAULT = 1 << 20,
    PLAN_BUCKETS = 64,
    RESTARTS_REMEMBERED = 1 << 20, // of one role, for a limit of restarts in a period
};

typedef struct Plan Plan;

struct chx_runtime {
    const Platform *platform;
    uint64_t spin_budget_ns;   // of roles that wait for what another process does
    _Atomic uint32_t observed; // what its next sessions are, by a trace, by a simulation: see observe.h
    chx_runtime *next_known;   // in the list of all runtimes: trace_switch.c
    chx_runtime_options options;
    chx_log_level log_level;
    uint64_t key[2]; // random; session tokens are made of it and a counter
    _Atomic uint64_t session_counter;
    _Atomic long session_count; // started and not yet freed
    pthread_mutex_t plan_lock;
    Plan *plans[PLAN_BUCKETS];
    EventLoop loop;              // for the deadlines of blocks; its thread begins with the first
    Poller poller;               // descriptors that roles wait for
    int isolation_wish;          // an IsolationWish: CHOREX_ISOLATION
    struct Isolation *isolation; // NULL: no role has been isolated yet; under plan_lock
    Scheduler scheduler;
};

// The runtime of NAME_DEF, made on first use. NULL: no memory.
chx_runtime *runtime_default(void);

#endif
