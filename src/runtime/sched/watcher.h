// watcher.h: descriptors whose events a worker handles by calling a function, for libraries beside this one.
//
// Such a library (libchorex-net) needs no thread of its own, and an actor that it wakes is run by the thread that has read
// the message: waking another one would take longer than most steps.

#ifndef RUNTIME_SCHED_WATCHER_H
#define RUNTIME_SCHED_WATCHER_H

#include "runtime/platform/poller.h"

#include <chorex/remote.h>

// For worker_poll: those that are ready, linked by next_ready.
typedef struct {
    chx_watcher *first;
} WatcherList;

// Calls the functions of those, on the worker's own thread. Afterwards they are watched again.
void watchers_run(WatcherList *list);

#endif
