// plan.c: which runs there are: a crash and a hang at each boundary of each role, and runs in which they come at random.

#define _GNU_SOURCE
#include "tools/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { FAULTS_A_RUN = 2 }; // in runs at random, if all goes on as without

void *sweep_allocate(size_t count, size_t size)
{
    void *memory = calloc(count != 0 ? count : 1, size);
    if (memory == NULL) {
        fputs("chorex sweep: error: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void add_role(SweepPlan *plan, const char *name, uint64_t boundaries)
{
    SweepRole *roles = sweep_allocate(plan->role_count + 1, sizeof *roles);
    if (plan->role_count != 0)
        memcpy(roles, plan->roles, plan->role_count * sizeof *roles);
    free(plan->roles);
    plan->roles = roles;
    char *copy = sweep_allocate(strlen(name) + 1, 1);
    plan->roles[plan->role_count++] = (SweepRole){strcpy(copy, name), boundaries};
    plan->boundaries += boundaries;
}

bool plan_read_roles(SweepPlan *plan, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    while (file != NULL && getline(&line, &size, file) > 0) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        add_role(plan, line, strtoull(tab + 1, NULL, 10));
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return plan->boundaries != 0;
}

// At most so many places of each role, at equal distances, the first and the last among them.
static uint64_t places_of(const SweepPlan *plan, const SweepRole *role)
{
    return role->boundaries < plan->options->places ? role->boundaries : plan->options->places;
}

static uint64_t place(const SweepRole *role, uint64_t places, uint64_t i)
{
    return places < 2 ? 1 : 1 + i * (role->boundaries - 1) / (places - 1);
}

static void add_places(SweepPlan *plan, TestKind kind)
{
    for (size_t i = 0; i < plan->role_count; i++) {
        uint64_t places = places_of(plan, &plan->roles[i]);
        for (uint64_t j = 0; j < places; j++)
            plan->tests[plan->test_count++] =
                (Test){.kind = kind, .role = i, .number = place(&plan->roles[i], places, j)};
    }
}

static void add_random(SweepPlan *plan, TestKind kind)
{
    for (unsigned i = 0; i < plan->options->random; i++)
        plan->tests[plan->test_count++] = (Test){.kind = kind, .number = plan->options->seed + i};
}

void plan_make(SweepPlan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->role_count; i++)
        count += (size_t)places_of(plan, &plan->roles[i]);
    plan->tests = sweep_allocate(2 * count + 3 * (size_t)plan->options->random, sizeof *plan->tests);
    add_places(plan, TEST_CRASH_AT);
    if (plan->options->has_hangs)
        add_places(plan, TEST_HANG_AT);
    add_random(plan, TEST_CRASH);
    if (plan->options->has_hangs)
        add_random(plan, TEST_HANG);
    if (plan->options->has_processes)
        add_random(plan, TEST_KILL);
}

void plan_free(SweepPlan *plan)
{
    for (size_t i = 0; i < plan->role_count; i++)
        free(plan->roles[i].name);
    free(plan->roles);
    free(plan->tests);
}

void plan_settings(const SweepPlan *plan, const Test *test, char settings[SWEEP_SETTINGS])
{
    const char *comma = plan->options->sim[0] != '\0' ? "," : "";
    double chance = (double)FAULTS_A_RUN / (double)plan->boundaries;
    unsigned long long number = test->number, seed = plan->options->seed;
    if (test->kind == TEST_CRASH_AT || test->kind == TEST_HANG_AT)
        snprintf(settings, SWEEP_SETTINGS, "seed=%llu,%s=%s:%llu%s%s", seed,
                 test->kind == TEST_CRASH_AT ? "crash_at" : "hang_at", plan->roles[test->role].name, number, comma,
                 plan->options->sim);
    else
        snprintf(settings, SWEEP_SETTINGS, "seed=%llu,%s=%.4g%s%s", number, test->kind == TEST_HANG ? "hang" : "crash",
                 chance < 0.5 ? chance : 0.5, comma, plan->options->sim);
}

const char *kind_name(TestKind kind)
{
    static const char *const names[TEST_KINDS] = {"crash at each place", "hang at each place", "crashes at random",
                                                  "hangs at random", "kills at random"};
    return names[kind];
}
