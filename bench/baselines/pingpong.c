// pingpong.c: what programs/pingpong.c does, by hand: two resumable functions and two rings in one thread.
//
// The best that C can do for the same job with the same freedom: each side can stop at every send (ring full) and at
// every receive (ring empty), and is called through a pointer by a loop that knows nothing of either. No atomics: one
// thread.

#include "bench/measure.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RING_SIZE = 1024 };

typedef struct {
    uint32_t head, tail; // head: next to take; tail: next free
    int values[RING_SIZE];
} Ring;

static inline bool ring_put(Ring *ring, int value)
{
    if (ring->tail - ring->head == RING_SIZE)
        return false;
    ring->values[ring->tail++ % RING_SIZE] = value;
    return true;
}

static inline bool ring_take(Ring *ring, int *value)
{
    if (ring->head == ring->tail)
        return false;
    *value = ring->values[ring->head++ % RING_SIZE];
    return true;
}

typedef struct Side Side;
struct Side {
    bool (*run)(Side *side); // false: must wait
    Ring *in, *out;
    int at;
    int value;
    long rounds;
};

static bool ping_run(Side *side)
{
    switch (side->at) {
    case 1:
        goto at_1;
    case 2:
        goto at_2;
    default:
        break;
    }
    while (side->rounds > 0) {
    at_1:
        if (!ring_put(side->out, side->value)) {
            side->at = 1;
            return false;
        }
    at_2:
        if (!ring_take(side->in, &side->value)) {
            side->at = 2;
            return false;
        }
        side->rounds--;
    }
    return true;
}

static bool pong_run(Side *side)
{
    switch (side->at) {
    case 1:
        goto at_1;
    case 2:
        goto at_2;
    default:
        break;
    }
    while (side->rounds > 0) {
    at_1:
        if (!ring_take(side->in, &side->value)) {
            side->at = 1;
            return false;
        }
    at_2:
        if (!ring_put(side->out, side->value + 1)) {
            side->at = 2;
            return false;
        }
        side->rounds--;
    }
    return true;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000000;
    static Ring there, back;
    Side sides[2] = {
        {.run = ping_run, .in = &back, .out = &there, .rounds = rounds},
        {.run = pong_run, .in = &there, .out = &back, .rounds = rounds},
    };
    Measure measure = measure_begin();
    bool done[2] = {false, false};
    while (!done[0] || !done[1]) {
        for (int i = 0; i < 2; i++)
            if (!done[i])
                done[i] = sides[i].run(&sides[i]);
    }
    measure_end(&measure);
    if (sides[0].value != (int)rounds)
        return 1;
    measure_print(&measure);
    return 0;
}
