// simulated_faults.c: which roles of the simulated machine crash or hang, and at which of their boundaries; and a report of
// what happened to each.

#define _GNU_SOURCE
#include "runtime/platform/machine.h"

#include "runtime/session/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What happened to a role, or to a member of a family, over all sessions.
typedef struct {
    char *role;
    uint64_t boundaries, crashes, hangs;
} Tally;

static struct {
    pid_t process; // that has read the settings: a child of the program has nothing to say about them
    // Boundaries so far of the roles that places are about. Of the thread that runs, as is all that follows.
    uint64_t crash_reached[SIMULATION_PLACES_MAX], hang_reached[SIMULATION_PLACES_MAX];
    Tally *tallies; // by the hash of the role's name; half of them at most are in use
    size_t tally_count, tally_size;
} state;

void faults_begin(void)
{
    state.process = getpid();
}

static bool faults_exist(const SimulationFaults *faults)
{
    return faults->chance > 0 || faults->rate_count != 0 || faults->place_count != 0;
}

bool faults_are_wanted(void)
{
    const SimulationOptions *options = machine_options();
    return faults_exist(&options->crash) || faults_exist(&options->hang) || options->report[0] != '\0';
}

// ---- the report ----

static size_t tally_index(const Tally *tallies, size_t size, const char *role)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = role; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    size_t i = hash & (size - 1);
    while (tallies[i].role != NULL && strcmp(tallies[i].role, role) != 0)
        i = (i + 1) & (size - 1);
    return i;
}

static void tallies_grow(void)
{
    size_t size = state.tally_size != 0 ? state.tally_size * 2 : 16;
    Tally *tallies = machine_allocate(size * sizeof *tallies);
    for (size_t i = 0; i < state.tally_size; i++)
        if (state.tallies[i].role != NULL)
            tallies[tally_index(tallies, size, state.tallies[i].role)] = state.tallies[i];
    free(state.tallies);
    state.tallies = tallies;
    state.tally_size = size;
}

static void tally_add(const char *role, bool crashes, bool hangs)
{
    if (state.tally_count * 2 >= state.tally_size)
        tallies_grow();
    Tally *tally = &state.tallies[tally_index(state.tallies, state.tally_size, role)];
    if (tally->role == NULL) {
        tally->role = strcpy(machine_allocate(strlen(role) + 1), role);
        state.tally_count++;
    }
    tally->boundaries++;
    tally->crashes += crashes;
    tally->hangs += hangs;
}

static int tally_compare(const void *one, const void *other)
{
    const Tally *a = one, *b = other;
    if (a->role == NULL || b->role == NULL)
        return (a->role == NULL) - (b->role == NULL);
    return strverscmp(a->role, b->role);
}

static void report_write(const char *path)
{
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        fprintf(stderr, "chorex: CHOREX_SIM: report: '%s' can't be written: %s\n", path, strerror(errno));
        return;
    }
    if (state.tally_size != 0)
        qsort(state.tallies, state.tally_size, sizeof *state.tallies, tally_compare);
    for (size_t i = 0; i < state.tally_count; i++) {
        const Tally *tally = &state.tallies[i];
        fprintf(file, "%s\t%llu\t%llu\t%llu\n", tally->role, (unsigned long long)tally->boundaries,
                (unsigned long long)tally->crashes, (unsigned long long)tally->hangs);
    }
    if (fclose(file) != 0)
        fprintf(stderr, "chorex: CHOREX_SIM: report: '%s' can't be written: %s\n", path, strerror(errno));
}

// ---- at a boundary ----

// Is this role meant: itself, or its family?
static bool rate_is_for(const SimulationRate *rate, const char *role)
{
    size_t length = strlen(rate->role);
    return strncmp(rate->role, role, length) == 0 && (role[length] == '\0' || role[length] == '[');
}

static bool faults_happen(const SimulationFaults *faults, uint64_t *reached, Draw stream, const char *role)
{
    bool happens = false;
    for (size_t i = 0; i < faults->place_count; i++)
        if (strcmp(faults->places[i].role, role) == 0)
            happens |= ++reached[i] == faults->places[i].boundary;
    for (size_t i = 0; i < faults->rate_count; i++)
        if (rate_is_for(&faults->rates[i], role))
            happens |= machine_chance(stream, faults->rates[i].chance);
    return machine_chance(stream, faults->chance) || happens;
}

bool faults_at_boundary(const char *role, bool *hangs)
{
    const SimulationOptions *options = machine_options();
    bool crashes = faults_happen(&options->crash, state.crash_reached, DRAW_CRASH, role);
    *hangs = faults_happen(&options->hang, state.hang_reached, DRAW_HANG, role);
    if (options->report[0] != '\0')
        tally_add(role, crashes, *hangs);
    return crashes;
}

// ---- the program's end ----

static bool role_is_registered(const char *name)
{
    // A member is called as its family is, with a number.
    size_t family = strcspn(name, "[");
    for (const chx_registration *r = registry_latest(); r != NULL; r = r->next)
        if (strcmp(r->role->role, name) == 0 ||
            (strncmp(r->role->role, name, family) == 0 && r->role->role[family] == '\0'))
            return true;
    return false;
}

static bool faults_name_roles(const SimulationFaults *faults, const uint64_t *reached, const char *setting)
{
    bool is_right = true;
    for (size_t i = 0; i < faults->place_count + faults->rate_count; i++) {
        bool is_place = i < faults->place_count;
        const char *role = is_place ? faults->places[i].role : faults->rates[i - faults->place_count].role;
        if ((is_place && reached[i] != 0) || role_is_registered(role))
            continue;
        fprintf(stderr, "chorex: CHOREX_SIM: %s%s: the program has no role '%s'\n", setting, is_place ? "_at" : "",
                role);
        is_right = false;
    }
    return is_right;
}

// A role that the program has nowhere is a mistyped setting. This is known at the program's end: a role may be in a library
// that is loaded late. After all other destructors, since it ends the program.
static void __attribute__((destructor(101))) faults_end(void)
{
    const SimulationOptions *options = machine_options();
    if (state.process == 0 || getpid() != state.process)
        return;
    if (options->report[0] != '\0')
        report_write(options->report);
    bool is_right = faults_name_roles(&options->crash, state.crash_reached, "crash");
    is_right &= faults_name_roles(&options->hang, state.hang_reached, "hang");
    if (is_right)
        return;
    fflush(NULL);
    _exit(2);
}
