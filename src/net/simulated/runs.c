// runs.c: sessions that the program starts, on all hosts of a world: see world.h.
//
// The program has a handle of a session without roles. Each host that plays some has a session of its own, as a process would have;
// when all of these are over, their results and their outcome become the handle's.

#include "net/simulated/world.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

enum { WHY_SIZE = 512 };

// A host's share of a run.
typedef struct {
    chx_session *session; // NULL: it does not run
    uint64_t starts_ns;   // UINT64_MAX: it is not to be started
    unsigned lives;       // so often it was started
    bool is_over;
} Play;

struct Run {
    Run *next;
    World *world;
    chx_session *handle;
    size_t definition;
    char name[32]; // "#1"
    chx_actor *cast;
    const void *arguments; // NULL: they are gone, and nothing can be started again
    bool *has_ended;       // by role: it came to its end, and its result is here
    unsigned char *results;
    bool is_done, is_cancelled;
    bool has_lost_home;
    chx_status status; // of the first host that failed
    chx_fault fault;
    char why[WHY_SIZE];
    unsigned restarts;
    Play plays[];
};

static const chx_definition *run_definition(const Run *run)
{
    return &run->world->choreography->definitions[run->definition];
}

// ---- results ----

static const chx_result_slot *slot_of(const Run *run, unsigned role)
{
    const chx_definition *definition = run_definition(run);
    for (size_t i = 0; i < definition->result_count; i++)
        if (definition->results[i].role == role)
            return &definition->results[i];
    return NULL;
}

// The role's result moves from there to here.
static void result_take(Run *run, unsigned role, unsigned char *results)
{
    const chx_result_slot *slot = slot_of(run, role);
    if (slot == NULL)
        return;
    chx_value_drop(slot->type, run->results + slot->offset);
    memcpy(run->results + slot->offset, results + slot->offset, slot->type->size);
    memset(results + slot->offset, 0, slot->type->size);
}

static void results_drop(Run *run)
{
    const chx_definition *definition = run_definition(run);
    for (size_t i = 0; i < definition->result_count; i++)
        chx_value_drop(definition->results[i].type, run->results + definition->results[i].offset);
}

// ---- a host's share ----

static void run_failed(Run *run, chx_status status)
{
    const chx_report *report = chx_last_report();
    if (run->status != CHX_OK)
        return;
    run->status = status;
    run->restarts = report->restarts;
    snprintf(run->why, sizeof run->why, "%s", report->why);
    run->fault = (chx_fault){
        .role = report->role, .kind = report->kind, .signal = report->signal, .why = run->why, .line = report->line};
    for (size_t i = 0; i < run->world->choreography->role_count; i++)
        if (strcmp(run->world->choreography->roles[i], report->role) == 0)
            run->fault.role = run->world->choreography->roles[i];
}

static void play_start(Run *run, Host *host)
{
    Play *play = &run->plays[host->number];
    unsigned *roles = calloc(host->role_count + 1, sizeof *roles);
    size_t count = 0;
    chx_status status = CHX_OK;
    CHECK(roles != NULL);
    for (size_t i = 0; i < host->role_count; i++)
        if (!run->has_ended[host->roles[i]])
            roles[count++] = host->roles[i];
    play->starts_ns = UINT64_MAX;
    play->lives++;
    if (count > 0)
        play->session = joins_start(host->node, run->world->choreography, run->definition, run->cast, roles, count,
                                    run->name, run->arguments, &status);
    play->is_over = play->session == NULL;
    if (status != CHX_OK)
        run_failed(run, status);
    free(roles);
}

// Its session is over, and its host has not been lost.
static void play_end(Run *run, const Host *host)
{
    Play *play = &run->plays[host->number];
    unsigned char *results = calloc(1, run_definition(run)->result_size + 1);
    CHECK(results != NULL);
    chx_status status = chx_finish(play->session, results);
    play->session = NULL;
    play->is_over = true;
    run->world->progress_ns = world_now(run->world);
    for (size_t i = 0; status == CHX_OK && i < host->role_count; i++)
        if (!run->has_ended[host->roles[i]]) {
            result_take(run, host->roles[i], results);
            run->has_ended[host->roles[i]] = true;
        }
    run->is_done |= status == CHX_OK;
    // A process that begins again may come too late: the others know how the session has ended.
    if (status != CHX_OK && (status != CHX_REFUSED || play->lives == 1))
        run_failed(run, status);
    free(results);
}

// ---- hosts ----

static NodeSession *group_of(const Host *host, const chx_session *session)
{
    NodeSession *group = host->node->groups;
    while (group != NULL && group->session != session)
        group = group->next;
    return group;
}

// The results that a host has sent to the home are not lost with it.
void runs_host_lost(World *world, Host *host)
{
    for (Run *run = world->runs; run != NULL; run = run->next) {
        Play *play = &run->plays[host->number];
        run->has_lost_home |= host->is_home;
        const NodeSession *group = play->session != NULL ? group_of(host, play->session) : NULL;
        for (size_t i = 0; group != NULL && i < group->count; i++) {
            const Life *life = &group->parts[i]->life;
            bool has_ended = life->state == LIFE_OVER && !life->is_asked_to_stop;
            if (has_ended || life->state == LIFE_ENDING)
                result_take(run, group->parts[i]->role, chx_part_results(play->session));
            run->has_ended[group->parts[i]->role] |= has_ended;
        }
    }
}

void runs_host_ended(World *world, Host *host)
{
    for (Run *run = world->runs; run != NULL; run = run->next) {
        Play *play = &run->plays[host->number];
        if (play->session != NULL)
            chx_finish(play->session, NULL);
        play->session = NULL;
    }
}

void runs_host_up(World *world, Host *host)
{
    for (Run *run = world->runs; run != NULL; run = run->next) {
        Play *play = &run->plays[host->number];
        if (!play->is_over && play->starts_ns == UINT64_MAX && run->arguments != NULL)
            play->starts_ns = world_now(world);
    }
}

// ---- runs ----

// Nobody is left who could still change something.
static bool run_is_over(const Run *run)
{
    const World *world = run->world;
    for (unsigned i = 0; i < world->host_count; i++) {
        const Play *play = &run->plays[i];
        HostState state = world->hosts[i].state;
        bool is_gone = state == HOST_DOWN && world->hosts[i].when_ns == UINT64_MAX;
        bool is_needed = run->status == CHX_OK && !run->is_done && !is_gone;
        if (play->session != NULL || state == HOST_LOST || state == HOST_ENDING)
            return false;
        if (!play->is_over && is_needed)
            return false;
    }
    return true;
}

static void run_free(Run *run)
{
    results_drop(run);
    free(run->cast);
    free(run->has_ended);
    free(run->results);
    free(run);
}

static void run_end(Run *run)
{
    const chx_definition *definition = run_definition(run);
    if (run->status == CHX_OK && !run->is_done) {
        run->status = CHX_FAILED;
        run->fault = (chx_fault){.role = "", .kind = CHX_FAULT_LOST, .why = "all nodes were lost"};
    }
    // Only the home says how a session ends.
    if (run->status != CHX_OK && run->is_done && !run->has_lost_home)
        fprintf(stderr, "chorex: simulation: nodes disagree about the end of session %s (seed=%llu, %s): %s\n",
                run->name, (unsigned long long)run->world->options.seed, run->world->choreography->name, run->why);
    if (run->status != CHX_OK) {
        chx_part_stop(run->handle, run->status, &run->fault, run->restarts);
    } else {
        memcpy(chx_part_results(run->handle), run->results, definition->result_size);
        memset(run->results, 0, definition->result_size);
    }
    chx_part_release(run->handle, false);
    run->world->progress_ns = world_now(run->world);
}

// When something of it is to be started.
static uint64_t run_attend(Run *run)
{
    World *world = run->world;
    uint64_t now_ns = world_now(world), next_ns = UINT64_MAX;
    bool cancels = !run->is_cancelled && chx_session_report(run->handle) != NULL;
    run->is_cancelled |= cancels;
    for (unsigned i = 0; i < world->host_count; i++) {
        Host *host = &world->hosts[i];
        Play *play = &run->plays[i];
        // What has failed, or is over, is not begun again.
        bool is_to_start = host->state == HOST_UP && run->status == CHX_OK && !run->is_done;
        if (is_to_start && play->starts_ns <= now_ns)
            play_start(run, host);
        if (play->session != NULL && cancels)
            chx_session_cancel(play->session);
        if (play->session != NULL && host->state == HOST_UP && chx_session_is_over(play->session))
            play_end(run, host);
        if (is_to_start && play->starts_ns < next_ns)
            next_ns = play->starts_ns;
    }
    return next_ns;
}

uint64_t runs_attend(World *world)
{
    uint64_t next_ns = UINT64_MAX;
    for (Run **link = &world->runs, *run; (run = *link) != NULL;) {
        uint64_t run_ns = run_attend(run);
        next_ns = run_ns < next_ns ? run_ns : next_ns;
        if (!run_is_over(run)) {
            link = &run->next;
            continue;
        }
        *link = run->next;
        run_end(run);
        run_free(run);
    }
    return next_ns;
}

void runs_free(World *world)
{
    for (Run *run = world->runs, *next; run != NULL; run = next) {
        next = run->next;
        run_free(run);
    }
    world->runs = NULL;
}

static Run *run_new(World *world, size_t definition, const chx_actor *cast)
{
    const chx_choreography *choreography = world->choreography;
    size_t roles = choreography->role_count;
    Run *run = calloc(1, sizeof *run + world->host_count * sizeof *run->plays), **end = &world->runs;
    CHECK(run != NULL);
    run->world = world;
    run->definition = definition;
    snprintf(run->name, sizeof run->name, "#%lu", ++world->counts[definition]);
    run->has_ended = calloc(roles + 1, sizeof *run->has_ended);
    run->results = calloc(1, choreography->definitions[definition].result_size + 1);
    run->cast = cast != NULL ? calloc(roles + 1, sizeof *run->cast) : NULL;
    CHECK(run->has_ended != NULL && run->results != NULL && (cast == NULL || run->cast != NULL));
    if (cast != NULL)
        memcpy(run->cast, cast, roles * sizeof *cast);
    while (*end != NULL)
        end = &(*end)->next;
    *end = run;
    return run;
}

chx_session *run_start(World *world, chx_runtime *runtime, size_t definition, const chx_actor *cast,
                       const void *arguments, chx_status *status)
{
    static const char none;
    chx_session *handle =
        chx_part_start(runtime, world->choreography, definition, cast, NULL, 0, arguments, NULL, NULL);
    *status = CHX_OK;
    if (handle == NULL) {
        *status = CHX_NO_MEMORY;
        return NULL;
    }
    Run *run = run_new(world, definition, cast);
    run->handle = handle;
    run->arguments = arguments != NULL ? arguments : &none;
    bool stay = arguments == NULL || chx_part_arguments_stay();
    world->progress_ns = world_now(world);
    for (unsigned i = 0; i < world->host_count; i++) {
        // Each process comes to its call at a time of its own, if the arguments are still there then.
        uint64_t while_ns =
            world_draw(world, 4) == 0 ? world_draw(world, UINT64_C(3000000000)) : world_draw(world, 1000);
        run->plays[i].starts_ns = world_now(world) + (stay ? while_ns : 0);
        if (!stay && world->hosts[i].state == HOST_UP)
            play_start(run, &world->hosts[i]);
        else if (!stay)
            run->plays[i].starts_ns = UINT64_MAX;
    }
    if (!stay)
        run->arguments = NULL;
    world_wake(world);
    return handle;
}

// ---- what everybody waits for ----

static const char *const state_names[] = {"has not begun",   "begins", "runs",   "is at the end of a block",
                                          "waits for START", "ends",   "is over"};

static void play_describe(const Run *run, const Host *host)
{
    const Play *play = &run->plays[host->number];
    const NodeSession *group = play->session != NULL && host->node != NULL ? group_of(host, play->session) : NULL;
    static const char *const host_names[] = {"is up", "is lost", "ends", "is down"};
    fprintf(stderr, "  node %s %s%s%s: session %s %s\n", host->name, host_names[host->state],
            host->is_home ? ", has the home" : "", host->silent_ns != 0 || host->stopped_ns != 0 ? ", is cut off" : "",
            run->name,
            play->is_over           ? "is over"
            : play->session != NULL ? "runs"
                                    : "is not started");
    for (size_t i = 0; group != NULL && i < group->count; i++) {
        const NodePart *part = group->parts[i];
        char text[256];
        chx_part_describe(play->session, part->role, text, sizeof text);
        fprintf(stderr, "    %s: life %u %s, is %sasked for something; %s\n",
                run->world->choreography->roles[part->role], (unsigned)part->life.life, state_names[part->life.state],
                life_asks(&part->life) == LIFE_ASKS_NOTHING ? "not " : "", text);
    }
}

void runs_describe(const World *world)
{
    for (const Run *run = world->runs; run != NULL; run = run->next)
        for (unsigned i = 0; i < world->host_count; i++)
            play_describe(run, &world->hosts[i]);
}
