// machine.h: what the two simulated machines share: settings, chance, virtual time, crashes, deadlines.
//
// simulated.c has no threads: whoever waits for a session gives actors their turns, in any order. simulated_threads.c has
// simulated threads, on which the scheduler runs as it does on a real machine.

#ifndef RUNTIME_PLATFORM_MACHINE_H
#define RUNTIME_PLATFORM_MACHINE_H

#include "runtime/platform/platform.h"
#include "runtime/platform/simulation.h"

enum {
    STEP_NS = 1000,   // of virtual time, for each boundary and turn
    STUCK_WAIT_S = 2, // real time in which another thread of the program's could still change something
};

// Streams of their own, so that a run with crashes is like the one without until the first crash.
typedef enum { DRAW_ORDER, DRAW_CRASH, DRAW_DELAY, DRAW_TOKEN, DRAW_THREAD, DRAW_PATH, DRAW_SLOW, DRAW_COUNT } Draw;

const SimulationOptions *machine_options(void);
uint64_t machine_now_ns(void);
void machine_advance_to(uint64_t time_ns);
// From 0 to limit - 1.
uint64_t machine_draw(Draw stream, uint64_t limit);
void machine_random(void *data, size_t size);
// Time passes, and the actor may crash here: then it does not return.
void machine_step(Actor *actor);
// How many receives and sends the actor's turn may have.
uint32_t machine_budget(Actor *actor);

void machine_add_runtime(chx_runtime *runtime);
// True: it was the last one.
bool machine_remove_runtime(chx_runtime *runtime);
// Does this step take long?
bool machine_is_slow(void);

extern const Platform platform_simulated_threads;

#endif
