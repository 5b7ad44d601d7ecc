// chaos.h: a proxy for TCP connections that disturbs them: for tests of programs that must not mind.
//
// It carries bytes between whoever dials one of its addresses and the address behind it. By chance, from a seed, it does what its
// specification says, a list of settings:
//
//   cut=10/s         resets connections (RST), so many times in a second, one of those that are up each time
//   close=1/s        closes them in an orderly way, at any byte
//   stall=2/s:500ms  carries nothing on one of them for a while, in one direction or in both; then all that has come
//   delay=5ms        every byte arrives later; 1ms-5ms: by chance
//   split=50%        so many of the pieces that arrive are passed on cut in two, at any byte
//   refuse=10%       so many new connections are reset at once
//   alter=1%         so many pieces have a byte changed
//   repeat=1%        so many pieces are sent twice
//   seed=7
//
// One thread, which calls chaos_step when the descriptor is readable.

#ifndef TOOLS_RUN_CHAOS_H
#define TOOLS_RUN_CHAOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    double cuts, closes, stalls; // in a second
    uint64_t stall_ns;
    uint64_t delay_least_ns, delay_most_ns;
    double split, refuse, alter, repeat; // of 1
    uint64_t seed;
} ChaosSpec;

// NULL: *spec is set. Otherwise what is wrong with the text; it is overwritten by the next call.
const char *chaos_parse(const char *text, ChaosSpec *spec);

typedef struct Chaos Chaos;

// NULL: errno says why.
Chaos *chaos_new(const ChaosSpec *spec);
void chaos_free(Chaos *chaos);
// Listens at `listen` (ADDRESS:PORT, numeric; port 0: any) for what goes to `to` (the same). The address with its port is written to
// `text`. False: errno says why.
bool chaos_add(Chaos *chaos, const char *listen, const char *to, char *text, size_t size);
int chaos_descriptor(const Chaos *chaos);
void chaos_step(Chaos *chaos);
// One line: what was done.
void chaos_report(const Chaos *chaos, FILE *out);

#endif
