// isolation.h: what core asks of the isolation modes.

#ifndef RUNTIME_CORE_ISOLATION_H
#define RUNTIME_CORE_ISOLATION_H

#include "runtime/core/private.h"

#include <chorex.h>

// Thread mode. Handlers for fatal signals are the process's: taken with the first runtime that wants them, given back
// with the last.
void isolation_signals_acquire(chx_runtime *runtime);
void isolation_signals_release(void);
// Before roles' code runs on this thread: a stack to handle signals on, also when the thread's own has overflowed.
void isolation_thread_prepare(chx_runtime *runtime);

#endif
