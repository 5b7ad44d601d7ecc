// timers.h: moments at which something is due, the earliest first.

#ifndef NET_NODE_TIMERS_H
#define NET_NODE_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A part of whatever it is for.
typedef struct Timer Timer;
struct Timer {
    uint64_t when_ns;
    size_t at; // its place, from 1 on; 0: it is not set
    void (*run)(Timer *timer, uint64_t now_ns);
};

typedef struct {
    Timer **heap; // from 1 on
    size_t count, capacity, promised;
} Timers;

// Before a timer is used there must be a place for it, so that setting it can't fail. False: no memory.
bool timers_promise(Timers *timers);
void timers_release(Timers *timers); // the place of one that is not set
void timers_fini(Timers *timers);

// UINT64_MAX: never.
void timer_set(Timers *timers, Timer *timer, uint64_t when_ns);
// The same, but only if that is earlier. One that rings early finds out when it is due, which is cheaper than to put it off each time.
void timer_hasten(Timers *timers, Timer *timer, uint64_t when_ns);

uint64_t timers_next_ns(const Timers *timers); // UINT64_MAX: never
// Runs those that are due, each once; they are not set then.
void timers_run(Timers *timers, uint64_t now_ns);

#endif
