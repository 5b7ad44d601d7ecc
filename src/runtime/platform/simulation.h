// simulation.h: the settings of a simulated machine, as CHOREX_SIM gives them. docs/runtime.md describes them.

#ifndef RUNTIME_PLATFORM_SIMULATION_H
#define RUNTIME_PLATFORM_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SIMULATION_PLACES_MAX = 64,
    SIMULATION_RATES_MAX = 64,
    SIMULATION_ROLE_BYTES = 128,
    SIMULATION_PATH_BYTES = 1024,
    SIMULATION_THREADS_MAX = 16,
    SIMULATION_NODES_MAX = 10000,
};

typedef struct {
    char role[SIMULATION_ROLE_BYTES];
    uint64_t boundary; // it is at this one, counted from 1
} SimulationPlace;

typedef struct {
    char role[SIMULATION_ROLE_BYTES]; // or a family, for each of its members
    double chance;
} SimulationRate;

// When roles crash, or when they hang.
typedef struct {
    double chance; // at each boundary of every role
    SimulationRate rates[SIMULATION_RATES_MAX];
    size_t rate_count;
    SimulationPlace places[SIMULATION_PLACES_MAX];
    size_t place_count;
} SimulationFaults;

typedef struct SimulationOptions {
    uint64_t seed;
    SimulationFaults crash, hang;
    uint64_t hang_ns; // so long does a role hang
    double slow;      // of each boundary: it takes until the next deadline is due
    double lost; // of each time that the process which starts others waits: it is lost, or late; and it can't start one
    char report[SIMULATION_PATH_BYTES]; // a file for what happened to each role; "": none
    uint64_t delay_min_ns, delay_max_ns;
    uint64_t max_steps; // 0: no limit
    uint64_t threads;   // workers; 0: the seed says how many
    // Roles on several simulated nodes (libchorex-net does this):
    uint64_t nodes;      // 0: all are in one program
    double cut;          // probability that a connection breaks, of each piece of bytes that arrives
    double kill, silent; // of each boundary: the role's node is lost; it is not heard for a while
    uint64_t suspect_ns; // of the nodes' configuration; 0: as usual
} SimulationOptions;

// "seed=7,crash=0.01,crash_at=Alice:3+Bob:5,hang=Bob:0.1,delay=1ms..20ms,max_steps=100000,threads=2", in any order, each at most once.
// False: `why` says what is wrong with it.
bool simulation_parse(const char *text, SimulationOptions *options, char *why, size_t why_size);

#endif
