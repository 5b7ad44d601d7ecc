// simulated_threads.h: what the two files about simulated threads share. simulated_threads.c has the threads and decides which
// one runs; simulated_calls.c is what they ask for, which is where they let another one run.

#ifndef RUNTIME_PLATFORM_SIMULATED_THREADS_H
#define RUNTIME_PLATFORM_SIMULATED_THREADS_H

#include "runtime/actor/actor.h"
#include "runtime/platform/machine.h"

#include <poll.h>
#include <semaphore.h>

enum { SKIPS_MAX = 10000 }; // so often all slept for a limited time, and nobody was woken: nothing will change any more

typedef struct SimulatedThread SimulatedThread;
struct SimulatedThread {
    SimulatedThread *next; // in the order in which they came
    pthread_t thread;
    sem_t goes_on;
    void *(*run)(void *);
    void *argument;
    long id;
    bool is_visitor;
    unsigned calls; // visitor: that it is in
    bool has_ended;
    const void *sleeps_on;       // the word that it is woken with, or the thread that it joins; NULL: none
    uint64_t until_ns;           // of a sleep, unless it is woken or a descriptor is ready before; 0: it does not sleep
    const struct pollfd *polled; // of a sleep: descriptors that are looked at
    size_t polled_count;
    bool is_shared;            // of a sleep: its word is in memory that processes share
    bool hangs;                // of a sleep: it stands for a call that does not return
    bool can_run;              // threads_count_ready has found this
    SimulatedProcess *process; // that it belongs to; NULL: the program itself
    bool is_killed;            // it does nothing any more
    bool is_detached;          // nobody joins it
    Guard end;                 // where it goes when it is killed
};

typedef struct {
    pthread_mutex_t lock; // of everything that follows
    SimulatedThread *first;
    _Atomic(SimulatedThread *) running; // NULL: all stand still
    unsigned visitors;                  // in a call
    long ids;
    uint64_t switches;      // from one thread to another, so far; of the one that runs
    _Atomic unsigned skips; // so often in a row all slept for a limited time
    _Atomic bool is_stuck;
    bool knows_exits;
    pthread_key_t exits; // of visitors
} SimulatedThreads;

extern SimulatedThreads simulated_threads;
extern _Thread_local SimulatedThread *this_simulated;

// Is it the calling thread that runs? Not a visitor outside of its calls.
bool thread_runs(void);
// All that follows: the lock is held.
SimulatedThread *thread_new(void);
void thread_free(SimulatedThread *thread);
void thread_stop_sleeping(SimulatedThread *thread);
// One that sleeps on this word, or that waits for the end of this thread. NULL: none does.
SimulatedThread *thread_wake(const void *word);
// It is the one that runs; NULL: nobody is.
void thread_go_on(SimulatedThread *thread);
// The calling thread waits until it is the one that runs.
void thread_await_turn(SimulatedThread *own);
// The calling thread lets another one run, or goes on.
void thread_switch(SimulatedThread *own);
// The calling thread stops being one that can run.
void thread_stop(void);

#endif
