// world.c: simulated hosts, what happens to them, and the thread that lets it happen: see world.h.

#include "net/simulated/world.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MILLION = 1000000,
    HOME_LOST_RARER = 8, // the home is lost so much less often: then nothing is left of the session
    EVENTS_RARER = 8,    // an event at a host is so much less likely than a step of a role to be its last one
    GONE_RARER = 12,     // one lost host in so many does not come back
    LARGE = 64,          // nodes: things happen together then, and are not told apart as well
    PIECE_MAX = 600,     // bytes that arrive together
    HUNG_ABSENCES = 20,  // nothing has happened for so many times as long as a role may be absent
};
#define NS_PER_MS UINT64_C(1000000)
#define SUSPECT_NS (UINT64_C(5000) * NS_PER_MS)

static World *worlds;
static chx_machine_nodes wanted;

// ---- chance and time ----

uint64_t world_now(const World *world)
{
    return chx_machine_now_ns(world->runtime);
}

// SplitMix64. From 0 to below - 1; below 0: any number.
uint64_t world_draw(World *world, uint64_t below)
{
    uint64_t z = world->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return below == 0 ? z : z % below;
}

static bool chance(World *world, double probability)
{
    return probability > 0 && (double)(world_draw(world, 0) >> 11) * 0x1p-53 < probability;
}

static uint64_t suspect_ns(const World *world)
{
    return world->options.suspect_ns != 0 ? world->options.suspect_ns : SUSPECT_NS;
}

void world_wake(World *world)
{
    world->sleeps_until_ns = 0;
    atomic_fetch_add(&world->wakes, 1);
    chx_machine_wake(world->runtime, &world->wakes);
}

// ---- what happens to hosts ----

// It is told of nothing for a while, or hears nobody, or is not heard, or both.
static void host_falls_silent(Host *host)
{
    World *world = host->world;
    uint64_t until_ns = world_now(world) + 1 + world_draw(world, suspect_ns(world) * 5);
    uint64_t how = world_draw(world, 4);
    if (how == 0)
        host->stopped_ns = until_ns;
    else
        host->silent_ns = until_ns;
    if (how != 0)
        sim_network_cut_off(host->net, how != 1, how != 2);
    world_wake(world);
}

// The host may be lost now, or be cut off from the others. True: it is lost.
static bool host_fails(Host *host, unsigned rarer)
{
    World *world = host->world;
    const chx_machine_nodes *options = &world->options;
    if (chance(world, options->kill / rarer) && (!host->is_home || world_draw(world, HOME_LOST_RARER) == 0)) {
        host->state = HOST_LOST;
        host->node->is_lost = true;
        sim_network_lose(host->net, world_draw(world, 2) == 0);
        world_wake(world);
        return true;
    }
    if (chance(world, options->silent / rarer) && host->silent_ns == 0 && host->stopped_ns == 0)
        host_falls_silent(host);
    return false;
}

// A step of a role is about to begin. True: the role does not do it, since its host is lost.
static bool host_is_lost(void *context)
{
    const NodePart *part = context;
    Host *host = part->node->around.context;
    if (host == NULL)
        return false;
    host->world->progress_ns = world_now(host->world);
    return host->state != HOST_UP || part->node != host->node || host_fails(host, 1);
}

static void host_ready(void *context)
{
    ((Host *)context)->is_touched = true;
}

static void host_changed(void *context, uint64_t next_ns)
{
    Host *host = context;
    World *world = host->world;
    uint64_t network_ns = sim_network_next_ns(world->network);
    host->next_ns = next_ns;
    if (next_ns < world->sleeps_until_ns || network_ns < world->sleeps_until_ns)
        world_wake(world);
}

static bool host_open(Host *host)
{
    NodeSurroundings around = {.text = host->config,
                               .text_size = host->config_size,
                               .net = host->net,
                               .context = host,
                               .changed = host_changed};
    sim_network_cut_off(host->net, false, false);
    host->silent_ns = host->stopped_ns = 0;
    host->next_ns = 0;
    host->node = node_open_simulated(&around);
    return host->node != NULL;
}

// The node is told that something has arrived, or is due, unless it can't hear that now.
static void host_ring(Host *host, uint64_t now_ns)
{
    if ((!host->is_touched && host->next_ns > now_ns) || host->stopped_ns != 0)
        return;
    // Not only where roles are at work: also before they have begun, when they wait, and when they have ended.
    if (host->world->runs != NULL && host_fails(host, EVENTS_RARER))
        return;
    host->is_touched = false;
    host->next_ns = UINT64_MAX;
    node_ring(host->node);
}

static void host_is_up(Host *host, uint64_t now_ns)
{
    if (host->silent_ns != 0 && host->silent_ns <= now_ns) {
        host->silent_ns = 0;
        sim_network_cut_off(host->net, false, false);
    }
    if (host->stopped_ns <= now_ns)
        host->stopped_ns = 0;
    host_ring(host, now_ns);
}

// A process that is started again by a supervisor is there soon; a host takes its time.
static uint64_t downtime_ns(World *world)
{
    return world_draw(world, world_draw(world, 2) == 0 ? suspect_ns(world) / 20 : suspect_ns(world) * 3);
}

static void host_say(const Host *host, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "simulated node '%s' %s", host->name, what);
    chx_part_log(host->world->runtime, CHX_LOG_WARN, text);
}

static void host_ends(Host *host, uint64_t now_ns)
{
    World *world = host->world;
    if (!node_is_empty(host->node))
        return;
    node_discard(host->node);
    runs_host_ended(world, host);
    host->node = NULL;
    host->state = HOST_DOWN;
    bool is_gone = world_draw(world, GONE_RARER) == 0;
    host->when_ns = is_gone ? UINT64_MAX : now_ns + downtime_ns(world);
    if (is_gone)
        host_say(host, "does not come back");
}

static void host_begins(Host *host)
{
    CHECK(host_open(host));
    host->state = HOST_UP;
    host->world->progress_ns = world_now(host->world);
    runs_host_up(host->world, host);
}

static void host_attend(Host *host, uint64_t now_ns)
{
    switch (host->state) {
    case HOST_UP:
        host_is_up(host, now_ns);
        break;
    case HOST_LOST:
        runs_host_lost(host->world, host);
        host->state = HOST_ENDING;
        node_abandon(host->node);
        break;
    case HOST_ENDING:
        host_ends(host, now_ns);
        break;
    case HOST_DOWN:
        if (host->when_ns <= now_ns)
            host_begins(host);
        break;
    }
}

// When it has to be looked at again.
static uint64_t host_next_ns(const Host *host, uint64_t now_ns)
{
    uint64_t next_ns = host->next_ns;
    switch (host->state) {
    case HOST_UP:
        if (host->stopped_ns != 0)
            return host->stopped_ns;
        return host->silent_ns != 0 && host->silent_ns < next_ns ? host->silent_ns : next_ns;
    case HOST_LOST:
        return now_ns;
    case HOST_ENDING:
        return now_ns + NS_PER_MS;
    case HOST_DOWN:
        return host->when_ns;
    }
    return next_ns;
}

// ---- the thread ----

// Links say that they are alive for ever: that all roles wait has to be noticed here.
static void world_check_progress(World *world, uint64_t now_ns)
{
    uint64_t limit_ns = HUNG_ABSENCES * 12 * suspect_ns(world);
    if (world->runs == NULL || now_ns < world->progress_ns + limit_ns)
        return;
    fprintf(stderr, "chorex: simulation: no role has done anything for %llu s (seed=%llu, %s)\n",
            (unsigned long long)(limit_ns / 1000 / NS_PER_MS), (unsigned long long)world->options.seed,
            world->choreography->name);
    runs_describe(world);
    abort();
}

static uint64_t world_step(World *world)
{
    uint64_t now_ns = world_now(world), next_ns = UINT64_MAX;
    sim_network_run(world->network, now_ns);
    for (unsigned i = 0; i < world->host_count; i++)
        host_attend(&world->hosts[i], now_ns);
    uint64_t runs_ns = runs_attend(world);
    world_check_progress(world, now_ns);
    next_ns = sim_network_next_ns(world->network);
    next_ns = runs_ns < next_ns ? runs_ns : next_ns;
    for (unsigned i = 0; i < world->host_count; i++) {
        uint64_t host_ns = host_next_ns(&world->hosts[i], now_ns);
        next_ns = host_ns < next_ns ? host_ns : next_ns;
    }
    return next_ns;
}

static void *world_main(void *argument)
{
    World *world = argument;
    _Atomic uint32_t nobody = 0;
    while (!world->is_closing) {
        uint32_t wakes = atomic_load(&world->wakes);
        world->sleeps_until_ns = 0;
        uint64_t next_ns = world_step(world), now_ns = world_now(world);
        // The machine is not stuck.
        chx_machine_wake(world->runtime, &nobody);
        if (next_ns <= now_ns || atomic_load(&world->wakes) != wakes)
            next_ns = now_ns + 1;
        world->sleeps_until_ns = next_ns;
        chx_machine_sleep(world->runtime, &world->wakes, wakes, next_ns == UINT64_MAX ? 0 : next_ns - now_ns);
    }
    return NULL;
}

// ---- making a world ----

// Who plays what: as many hosts as there are nodes have a role, the others of the roles are anywhere.
static void world_cast(World *world)
{
    size_t roles = world->choreography->role_count;
    unsigned *order = calloc(roles + 1, sizeof *order);
    CHECK(order != NULL);
    for (unsigned i = 0; i < roles; i++)
        order[i] = i;
    for (size_t i = roles; i > 1; i--) {
        size_t other = world_draw(world, i);
        unsigned role = order[i - 1];
        order[i - 1] = order[other];
        order[other] = role;
    }
    unsigned home = order[world_draw(world, roles)];
    for (size_t i = 0; i < roles; i++) {
        Host *host = &world->hosts[i < world->host_count ? i : world_draw(world, world->host_count)];
        host->roles[host->role_count++] = order[i];
        host->is_home |= order[i] == home;
    }
    // Nobody else knows which role it is.
    for (unsigned i = 0; i < world->host_count; i++)
        for (size_t j = 0; world->hosts[i].is_home && j < world->hosts[i].role_count; j++)
            if (world->hosts[i].roles[j] == home) {
                world->hosts[i].roles[j] = world->hosts[i].roles[0];
                world->hosts[i].roles[0] = home;
            }
    free(order);
}

static void write_roles(const World *world, FILE *file)
{
    const chx_choreography *choreography = world->choreography;
    fprintf(file, "[%s]\n", choreography->name);
    for (unsigned i = 0; i < world->host_count; i++) {
        const Host *host = &world->hosts[i];
        if (host->is_home)
            fprintf(file, "home = %s\n", choreography->roles[host->roles[0]]);
        for (size_t j = 0; j < host->role_count; j++)
            fprintf(file, "%s = %s\n", choreography->roles[host->roles[j]], host->name);
    }
}

static void write_config(Host *host)
{
    const World *world = host->world;
    unsigned long long ms = suspect_ns(world) / NS_PER_MS;
    FILE *file = open_memstream(&host->config, &host->config_size);
    CHECK(file != NULL);
    fprintf(file, "[node]\nname = %s\nlisten = %s:1\ncerts = none\n[nodes]\n", host->name, host->name);
    for (unsigned i = 0; i < world->host_count; i++)
        fprintf(file, "%s = %s:1\n", world->hosts[i].name, world->hosts[i].name);
    fprintf(file, "[limits]\nkeepalive = %llums\nhold = %llums\nsuspect = %llums\nabsent = %llums\n", ms / 5,
            ms * 3 / 5, ms, ms * 12);
    write_roles(world, file);
    CHECK(fclose(file) == 0);
}

static uint64_t network_now(void *context)
{
    return world_now(context);
}

static void world_make_hosts(World *world)
{
    size_t roles = world->choreography->role_count;
    world->host_count = (unsigned)(roles < world->options.nodes ? roles : world->options.nodes);
    world->hosts = calloc(world->host_count + 1, sizeof *world->hosts);
    CHECK(world->hosts != NULL);
    for (unsigned i = 0; i < world->host_count; i++) {
        Host *host = &world->hosts[i];
        *host = (Host){.world = world, .number = i, .roles = calloc(roles, sizeof *host->roles)};
        snprintf(host->name, sizeof host->name, "n%u", i + 1);
        host->net = sim_network_node(world->network, host_ready, host);
        CHECK(host->roles != NULL && host->net != NULL);
        sim_network_name(host->net, host->name);
    }
    world_cast(world);
    for (unsigned i = 0; i < world->host_count; i++)
        write_config(&world->hosts[i]);
}

// Its thread is not there, or has ended.
static void world_free(World *world)
{
    for (unsigned i = 0; i < world->host_count; i++) {
        Host *host = &world->hosts[i];
        free(host->config);
        free(host->roles);
    }
    runs_free(world);
    sim_network_free(world->network);
    free(world->hosts);
    free(world->counts);
    free(world);
}

static void world_close(World *world)
{
    for (unsigned i = 0; i < world->host_count; i++) {
        Host *host = &world->hosts[i];
        chx_node *node = host->node;
        // The thread leaves it alone from now on.
        if (node == NULL || host->state != HOST_UP)
            continue;
        chx_node_close(node);
        host->node = NULL;
        host->state = HOST_DOWN;
        host->when_ns = UINT64_MAX;
    }
    world->is_closing = true;
    if (world->has_thread) {
        world_wake(world);
        chx_machine_join(world->runtime, world->thread);
    }
    for (unsigned i = 0; i < world->host_count; i++)
        if (world->hosts[i].node != NULL) // it was about to be lost
            chx_node_close(world->hosts[i].node);
}

static World *world_new(const chx_choreography *choreography)
{
    World *world = calloc(1, sizeof *world);
    CHECK(world != NULL);
    *world =
        (World){.runtime = chx_part_runtime(), .choreography = choreography, .options = wanted, .random = wanted.seed};
    for (const char *at = choreography->name; *at != '\0'; at++)
        world->random = (world->random ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    bool is_large = wanted.nodes >= LARGE;
    SimOptions options = {.seed = world_draw(world, 0),
                          .delay_min_ns = wanted.delay_max_ns != 0 ? wanted.delay_min_ns + 1 : 10000,
                          .delay_max_ns = wanted.delay_max_ns != 0 ? wanted.delay_max_ns + 1 : 500000,
                          .piece_max = world_draw(world, 2) == 0 && !is_large ? PIECE_MAX : 0,
                          .grain_ns = is_large ? NS_PER_MS : 0,
                          .cuts_per_million = (uint32_t)(wanted.cut * MILLION),
                          .now_ns = network_now,
                          .context = world};
    world->network = sim_network_new(&options);
    world->counts = calloc(choreography->definition_count + 1, sizeof *world->counts);
    CHECK(world->network != NULL && world->counts != NULL);
    world_make_hosts(world);
    return world;
}

// False: chx_last_report says why.
static bool world_open(World *world)
{
    world->progress_ns = world_now(world);
    for (unsigned i = 0; i < world->host_count; i++)
        if (!host_open(&world->hosts[i]))
            return false;
    world->has_thread = chx_machine_start(world->runtime, &world->thread, world_main, world);
    if (!world->has_thread)
        chx_refuse(CHX_NO_MEMORY, NULL, NULL, "no thread could be started for the simulated nodes");
    return world->has_thread;
}

bool worlds_are_wanted(chx_runtime *runtime)
{
    return chx_machine_has_nodes(runtime, &wanted, host_is_lost);
}

World *world_of(const chx_choreography *choreography)
{
    World *world = worlds;
    while (world != NULL && world->choreography != choreography)
        world = world->next;
    if (world != NULL)
        return world;
    world = world_new(choreography);
    if (!world_open(world)) {
        world_close(world);
        world_free(world);
        return NULL;
    }
    world->next = worlds;
    worlds = world;
    return world;
}

void worlds_end(void)
{
    while (worlds != NULL) {
        World *world = worlds;
        chx_runtime *runtime = world->runtime;
        chx_machine_enter(runtime);
        world_close(world);
        worlds = world->next;
        world_free(world);
        chx_machine_leave(runtime);
    }
}
