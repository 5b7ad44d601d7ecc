// event_loop.h: one thread that waits for descriptors and for timers, and runs what they are for.
//
// A runtime has a loop for the deadlines of blocks. The isolated roles of sessions with equal privileges have another
// one, the supervisor's: its thread starts their zygote, which inherits privileges and surroundings from that very
// thread, and replacing a zygote can take seconds, in which deadlines of other sessions must not be late.
//
// Any thread may set and cancel timers. They are run on the loop's thread. The loop's lock is held for moments only, and no other lock is taken meanwhile.

#ifndef RUNTIME_PLATFORM_EVENT_LOOP_H
#define RUNTIME_PLATFORM_EVENT_LOOP_H

#include "runtime/platform/descriptor.h"
#include "runtime/platform/platform.h"
#include "runtime/platform/timer_heap.h"

typedef struct LoopTimer LoopTimer;

// What is done when a timer's time has come.
typedef struct {
    // The timer is not set any more, and the loop's lock is held. Keeps its owner from going away until `run` is done.
    // False: the owner is going away by itself, and `run` is not called. NULL: owners go away on the loop's thread
    // only.
    bool (*claim)(LoopTimer *timer);
    // Without the lock.
    void (*run)(LoopTimer *timer, uint64_t now_ns);
} LoopTimerKind;

struct LoopTimer {
    Timer timer;
    const LoopTimerKind *kind; // NULL: it is not attached
    bool is_claimed;
};

// What a loop looks at besides its timers. All is called on its thread.
typedef struct {
    int (*number)(void *context); // of a descriptor; -1: there is none now
    void (*ready)(void *context); // that one has something
    void (*rung)(void *context);  // somebody has written into the door: reads that
    // Before it sleeps: does what can be done without being woken. True: it must not sleep yet.
    bool (*is_busy)(void *context);
    // Are all descriptors still the ones that were opened? The program may have closed them, and others have their
    // numbers.
    bool (*is_whole)(void *context);
    // They are not. Afterwards they are, or the loop is closing.
    void (*lost)(void *context);
} LoopInputs;

typedef struct {
    const Platform *platform;
    const LoopInputs *inputs; // NULL: it has timers only
    void *context;
    pthread_t thread;
    _Atomic uint32_t wakes; // rises when it is woken; slept on where there are no inputs
    _Atomic bool closing;
    pthread_mutex_t lock; // of what follows
    TimerHeap timers;
    // It sleeps, and looks again at this time. 0: it will look at the timers before it sleeps, and need not be woken.
    uint64_t sleeps_until_ns;
    bool has_thread;
    // Pipes, where there are inputs: this process wakes it with the first; other processes ring with the second.
    Descriptor doorbell[2], door[2];
    size_t door_bytes; // so many fit into the door
} EventLoop;

void event_loop_init(EventLoop *loop, const Platform *platform, const LoopInputs *inputs, void *context);
// Starts its thread, if that has not been done. False: there is none to be had.
bool event_loop_start(EventLoop *loop);
// Returns when its thread has ended. Nothing is run any more.
void event_loop_stop(EventLoop *loop);
void event_loop_fini(EventLoop *loop);
// Of a loop with inputs: pipes in the place of those that are not there or not ours any more. False: they can't be had;
// errno says why.
bool event_loop_open(EventLoop *loop);
void event_loop_close(EventLoop *loop);
bool event_loop_is_whole(EventLoop *loop);
// What other processes ring with. -1 and EBADF: the program has closed it.
int event_loop_door(EventLoop *loop);
// It looks at its inputs again.
void event_loop_wake(EventLoop *loop);

// ---- timers ----

void event_loop_attach(EventLoop *loop, LoopTimer *timer, const LoopTimerKind *kind);
// Sets or changes it; UINT64_MAX: it is never due. Nothing happens if it is not attached.
void event_loop_set(EventLoop *loop, LoopTimer *timer, uint64_t due_ns);
// Attaches it and sets it, and starts the thread on first use. False: there is no thread to be had.
bool event_loop_add(EventLoop *loop, LoopTimer *timer, const LoopTimerKind *kind, uint64_t due_ns);
// Afterwards it is neither set nor run. False: it was claimed, and its `run` is called or under way. Where the kind has
// no `claim`, only on the loop's thread, or when that is stopped.
bool event_loop_detach(EventLoop *loop, LoopTimer *timer);

// ---- without a thread ----

// Runs the first timer if it is due at this time. False: none is.
bool event_loop_run(EventLoop *loop, uint64_t now_ns);

#endif
