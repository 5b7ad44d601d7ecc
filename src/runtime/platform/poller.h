// poller.h: descriptors that somebody waits for, without a thread for each: one epoll instance.
//
// A descriptor belongs to the program, which may close it, duplicate it and open another one under its number at any time. The
// kernel is asked once to report each time that a descriptor becomes ready, and a further wait for the same events trusts that
// this still holds, which saves a system call for each wait of a server. It need not hold: another file may have the number by now, or
// the descriptor may have been ready all the time. So a wait trusts for at most 20 milliseconds, or, when no descriptor becomes
// ready, for one, and then the kernel is asked anew. What an earlier file of the same number still has to say wakes a waiter for
// nothing, which then waits again.
//
// Any thread may add and remove waiters. One thread at a time waits in the poller; others look without waiting.

#ifndef RUNTIME_PLATFORM_POLLER_H
#define RUNTIME_PLATFORM_POLLER_H

#include "runtime/platform/descriptor.h"
#include "runtime/platform/platform.h"

typedef struct PollWaiter PollWaiter;
// Called when the waiter's descriptor is ready, with the poller's lock held; it is out of the poller by then. The context is that of
// poller_poll.
typedef void PollReady(PollWaiter *waiter, void *context);
struct PollWaiter {
    // Set before poller_add.
    PollReady *ready;
    bool doubts;      // it does not trust what the kernel was asked for earlier
    const void *near; // what `ready` touches besides the waiter, fetched into the cache before; NULL: nothing

    PollWaiter *next; // of those that wait for the same descriptor
    int number;       // of the descriptor
    uint32_t events;  // as poll(2) has them
    bool is_listed;
    bool trusts;                 // the kernel has not been asked for this wait; it is in the list of those
    PollWaiter *earlier, *later; // in that list
    uint64_t since_ns;           // it trusts
};

// What is known of a descriptor.
typedef struct {
    PollWaiter *waiters;
    uint32_t asked;  // the kernel was asked to report these events; 0: not asked
    uint32_t missed; // it has, when nobody waited for them
} PollNumber;

typedef struct {
    const Platform *platform;
    chx_runtime *runtime;     // for its memory
    _Atomic uint32_t count;   // of waiters
    _Atomic bool is_attended; // a thread waits, or is about to
    pthread_mutex_t lock;     // of what follows
    int epoll;                // -1: none yet
    uint64_t opened;          // so many epoll instances there have been
    Descriptor doorbell[2];
    PollNumber *numbers; // by number of the descriptor
    size_t capacity;
    PollWaiter *first_trusting, *last_trusting; // in the order of time
    _Atomic uint64_t now_ns;                    // of the last look; others read it, too
    bool waits_long;                            // a thread waits for longer than others may trust
    uint32_t in_vain;                           // events of files that nobody waits for and that can't be silenced
} Poller;

void poller_init(Poller *poller, const Platform *platform, chx_runtime *runtime);
void poller_fini(Poller *poller);

typedef enum {
    POLL_WAITS,
    POLL_READY,   // a file that is always ready
    POLL_REFUSED, // errno says why
} PollStatus;
PollStatus poller_add(Poller *poller, PollWaiter *waiter, int number, short events);
// Afterwards it is not in the poller, whether it was or not.
void poller_remove(Poller *poller, PollWaiter *waiter);

// Looks, and waits for at most so long if nothing is ready (0: not at all; -1: for a while). False: it should have waited, but another
// thread does so already, and nothing was done.
bool poller_poll(Poller *poller, int timeout_ms, void *context);
// The thread that waits in it, if there is one, stops waiting.
void poller_wake(Poller *poller);

#endif
