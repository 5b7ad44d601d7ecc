// workload.h: commits whose outcome can be checked afterwards, whatever has happened meanwhile: for tests that kill and disturb.
//
// A run is a fixed number of commits, each of which changes several sessions. What a session has to look like follows from its version, so that half a commit
// is noticed. How far the run is stands in memory that outlives the process.

#ifndef STORE_WORKLOAD_H
#define STORE_WORKLOAD_H

#include "chorex/store.h"

enum { WORKLOAD_SESSIONS = 6, WORKLOAD_COMMITS = 24 };

// In memory that processes share.
typedef struct {
    uint32_t seed;
    uint64_t commits;          // that are known to be done
    bool is_under_way;         // the next one has begun
    uint64_t doubts, failures; // commits in doubt; commits that were refused
    char complaint[300];
} Workload;

Workload *workload_new(uint32_t seed); // NULL: no memory
void workload_free(Workload *workload);

// Runs it to its end, from where it is; true: nothing was wrong. A commit in doubt is looked up, one that was refused is tried again. `prepare` is
// called when the store is open; NULL: nothing.
bool workload_run(Workload *workload, const chx_store_ops *ops, const char *place, void (*prepare)(void *store));
// Looks whether the store has what it must have, and finds out whether the commit that was under way has happened.
bool workload_check(Workload *workload, const chx_store_ops *ops, const char *place);

// Deliberate mistakes, which the tests must find.
typedef enum {
    MISTAKE_NONE,
    MISTAKE_EARLY, // a commit counts as done before it is
    MISTAKE_APART, // each session of a commit is committed by itself
    MISTAKE_TWICE, // a commit in doubt is taken for one that has not happened
} WorkloadMistake;
void workload_mistake(Workload *workload, WorkloadMistake mistake);

#endif
