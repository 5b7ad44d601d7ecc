// platform.h: what the runtime asks of the machine: time, chance, threads, sleep.
//
// Everything that makes one run differ from another is reached through this table, so that a simulated machine can run
// the production code.

#ifndef RUNTIME_CORE_PLATFORM_H
#define RUNTIME_CORE_PLATFORM_H

#include "runtime/core/private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t (*now_ns)(void);
    void (*random)(void *data, size_t size);
    unsigned (*cores)(void);
    // False: no thread to be had. Asynchronous signals are blocked in the new thread.
    bool (*thread_start)(pthread_t *thread, void *(*run)(void *), void *argument);
    void (*thread_join)(pthread_t thread);
    // Sleeps while *word == expected, at most timeout_ns (0: no limit). May return early for no reason.
    void (*sleep_on)(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);
    // Wakes one sleeper. The word may be gone already: the address is only compared.
    void (*wake)(_Atomic uint32_t *word);
    void (*relax)(void); // in a spinning loop
} Platform;

extern const Platform platform_posix;

#endif
