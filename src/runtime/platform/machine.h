// machine.h: the parts of the simulated machine.
//
// The process has one such machine, since its time is one. simulated.c has its time, its chance and the steps of roles;
// simulated_threads.c decides which thread goes on, and simulated_calls.c is what threads ask for; simulated_delay.c lets messages arrive later than they were sent.

#ifndef RUNTIME_PLATFORM_MACHINE_H
#define RUNTIME_PLATFORM_MACHINE_H

#include "runtime/platform/platform.h"
#include "runtime/platform/simulation.h"

// Streams of their own, so that a run with crashes is like the one without until the first crash.
typedef enum { DRAW_ORDER, DRAW_CRASH, DRAW_DELAY, DRAW_TOKEN, DRAW_THREAD, DRAW_PATH, DRAW_SLOW, DRAW_COUNT } Draw;

// ---- simulated.c ----

const SimulationOptions *machine_options(void);
uint64_t machine_now_ns(void);
void machine_advance_to(uint64_t time_ns);
// From 0 to limit - 1.
uint64_t machine_draw(Draw stream, uint64_t limit);
_Noreturn void machine_no_memory(void);
// Zeros.
void *machine_allocate(size_t size);

// ---- simulated_threads.c, simulated_calls.c ----

unsigned threads_cores(void);
bool threads_start(pthread_t *thread, void *(*run)(void *), void *argument);
void threads_join(pthread_t thread);
long threads_id(void);
uint64_t threads_cpu_ns(long id);
bool threads_sleeps(long id);
void threads_sleep_on(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);
void threads_wake(_Atomic uint32_t *word);
void threads_relax(void);
void threads_poll(struct pollfd *polled, size_t count, int timeout_ms);
void threads_call_begin(void);
void threads_call_end(void);
bool threads_are_stuck(void);
// Others may run before the calling thread goes on.
void threads_waiting(void);
// True one in so many times, and rarer the longer the run is.
bool threads_draw(Draw stream, unsigned times);
// So much time passes that one of the threads that sleep for a limited time is due.
void threads_skip_to_sleeper(void);
// Starts the thread of the machine's own, unless it is there; it is never joined. It sleeps in threads_sleep_until_due, until the time that
// `due_ns` gives whenever somebody is to be chosen; UINT64_MAX: there is nothing for it to do.
void threads_start_own(void *(*run)(void *), uint64_t (*due_ns)(void));
void threads_sleep_until_due(void);

// ---- simulated_delay.c ----

// Messages of this channel arrive later.
void delay_channel(Channel *channel);
// In a forked child: those that were on their way stay with the parent.
void delay_forget(void);

#endif
