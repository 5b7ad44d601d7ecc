// sweep.h: what `chorex sweep` runs, and what came of it.

#ifndef TOOLS_SWEEP_SWEEP_H
#define TOOLS_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SWEEP_SETTINGS = 512, SWEEP_LINE = 200 };

typedef struct {
    char *const *command;    // the program and its arguments, NULL at the end
    const char *sim;         // more settings for each run; "": none
    uint64_t seed;           // of the first run
    unsigned places, random; // at most so many places of each role; so many runs at random of each kind
    unsigned jobs, limit_s;
    bool has_hangs, has_processes, wants_same_output, wants_json;
} SweepOptions;

typedef enum {
    TEST_CRASH_AT,
    TEST_HANG_AT,
    TEST_CRASH,
    TEST_HANG,
    TEST_KILL, // with roles in processes of their own
    TEST_KINDS,
} TestKind;

typedef enum {
    RUN_SAME,   // the same status and the same output as undisturbed
    RUN_OTHER,  // another output
    RUN_FAILED, // another exit status
    RUN_DIED,   // a signal ended the program
    RUN_NO_END, // it was still there when its time was over
    RUN_OUTCOMES,
} RunOutcome;

typedef struct {
    TestKind kind;
    size_t role;     // in SweepPlan.roles; of those at a place
    uint64_t number; // of the boundary, or the seed
    RunOutcome outcome;
    int status;            // exit status or signal
    char last[SWEEP_LINE]; // of standard error
} Test;

typedef struct {
    char *name;
    uint64_t boundaries;
} SweepRole;

typedef struct {
    const SweepOptions *options;
    SweepRole *roles;
    size_t role_count;
    uint64_t boundaries; // of all roles
    Test *tests;
    size_t test_count;
    int status;      // of the undisturbed run
    uint64_t output; // a hash of it
    char folder[64]; // for what the runs write
} SweepPlan;

void *sweep_allocate(size_t count, size_t size);

// plan.c: what there is to run. The undisturbed run's report is read from `path`. False: it has no roles.
bool plan_read_roles(SweepPlan *plan, const char *path);
void plan_make(SweepPlan *plan);
void plan_free(SweepPlan *plan);
// The value of CHOREX_SIM for a test.
void plan_settings(const SweepPlan *plan, const Test *test, char settings[SWEEP_SETTINGS]);
const char *kind_name(TestKind kind);

// execute.c: runs the program once, undisturbed, or all tests, several at a time. False: the reason was said.
bool execute_undisturbed(SweepPlan *plan);
bool execute_tests(SweepPlan *plan, void (*progress)(const SweepPlan *plan, size_t done, size_t failed));
// Ends the runs that are under way; from a handler of signals.
void execute_stop(void);
bool test_has_failed(const SweepPlan *plan, const Test *test);

// show.c
void show_progress(const SweepPlan *plan, size_t done, size_t failed);
void show_table(const SweepPlan *plan, FILE *out);
void show_failures(const SweepPlan *plan, FILE *out);
void show_json(const SweepPlan *plan, FILE *out);

#endif
