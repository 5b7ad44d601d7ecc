// machine.h: the parts of the simulated machine.
//
// The process has one such machine, since its time is one. simulated.c has its time, its chance and the steps of roles,
// simulated_faults.c which roles crash or hang; simulated_threads.c decides which thread goes on, and simulated_calls.c is what threads ask for; simulated_process.c has
// processes, which are groups of these threads; simulated_delay.c lets messages arrive later than they were sent.

#ifndef RUNTIME_PLATFORM_MACHINE_H
#define RUNTIME_PLATFORM_MACHINE_H

#include "runtime/platform/platform.h"
#include "runtime/platform/simulation.h"

// Streams of their own, so that a run with crashes is like the one without until the first crash.
typedef enum {
    DRAW_ORDER,
    DRAW_CRASH,
    DRAW_DELAY,
    DRAW_TOKEN,
    DRAW_THREAD,
    DRAW_PATH,
    DRAW_SLOW,
    DRAW_LOST,
    DRAW_HANG,
    DRAW_COUNT
} Draw;

// ---- simulated.c ----

const SimulationOptions *machine_options(void);
uint64_t machine_now_ns(void);
void machine_advance_to(uint64_t time_ns);
// From 0 to limit - 1.
uint64_t machine_draw(Draw stream, uint64_t limit);
// Does it happen, with this probability?
bool machine_chance(Draw stream, double chance);
_Noreturn void machine_no_memory(void);
// Zeros.
void *machine_allocate(size_t size);

// ---- simulated_faults.c ----

// The settings were read, in this process.
void faults_begin(void);
// A role is at a boundary. Does it crash there? Does it hang there?
bool faults_at_boundary(const char *role, bool *hangs);
// May the settings let a role crash or hang, or are the boundaries to be counted?
bool faults_are_wanted(void);

// ---- simulated_threads.c, simulated_calls.c ----

typedef struct SimulatedProcess SimulatedProcess;

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
int threads_wait_events(int epoll, struct epoll_event *events, int count, int timeout_ms);
void threads_call_begin(void);
void threads_call_end(void);
bool threads_are_stuck(void);
// Others may run before the calling thread goes on.
void threads_waiting(void);
// True one in so many times, and rarer the longer the run is.
bool threads_draw(Draw stream, unsigned times);
// So much time passes that one of the threads that sleep for a limited time is due.
void threads_skip_to_sleeper(void);
// The calling thread does nothing for so long, as if it were inside of a call that does not return.
void threads_hang(uint64_t time_ns);

// Sleeps while *word == expected, until threads_wake_shared is called with a word that lies in the same memory.
void threads_sleep_on_shared(_Atomic uint32_t *word, uint32_t expected);
void threads_wake_shared(_Atomic uint32_t *word);

// The process of the calling thread; NULL: the program itself.
SimulatedProcess *threads_process(void);
// Starts the first thread of a process; those that it starts belong to it, too. False: there is no thread to be had.
bool threads_start_process(SimulatedProcess *process, void *(*run)(void *));
// The threads of the process do nothing any more. When the last one has ended, it calls processes_ended.
void threads_kill(SimulatedProcess *process);
// The calling thread, which belongs to a process that was killed, ends here.
_Noreturn void threads_end_this(void);

// ---- simulated_process.c ----

pid_t processes_fork(const ProcessEntry *entry, int *ended);
bool processes_reap(pid_t pid, int *status);
void processes_kill(pid_t pid);
uint64_t processes_time(pid_t pid);
void processes_exit(int status);
void processes_die(int signal);
// A place where the process of the calling thread, if it has one, may be killed.
void processes_may_crash(void);
void processes_ended(SimulatedProcess *process);

// ---- simulated_delay.c ----

// Messages of this channel arrive later.
void delay_channel(Channel *channel);

#endif
