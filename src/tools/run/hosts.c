// hosts.c: nodes from one configuration for all of them (--hosts). What is each node's own ([node]: its name, where it listens) is
// made from the rest.

#define _GNU_SOURCE
#include "tools/run/run.h"

#include "net/config/address.h"
#include "net/config/config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- the file ----

static int file_read(const RunOptions *options, Config *config)
{
    ConfigErrors errors;
    char text[512];
    // A file for all has no name of a node, and may have no certs: both are looked at later.
    if (config_read(options->hosts, options->limits, config, &errors))
        return 0;
    for (size_t i = 0; i < errors.count; i++) {
        config_error_format(&errors.items[i], options->hosts, text, sizeof text);
        run_error("%s", text);
    }
    config_errors_free(&errors);
    return EXIT_WRONG;
}

static bool program_has(const Program *program, const char *choreography, const char *role)
{
    for (size_t i = 0; i < program->count; i++)
        if (strcmp(program->roles[i].choreography, choreography) == 0 &&
            (role == NULL || strcmp(program->roles[i].role, role) == 0))
            return true;
    return false;
}

// ---- who plays what ----

static bool is_in_list(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == size && memcmp(at, word, size) == 0)
            return true;
    return false;
}

static int node_add_role(Plan *plan, const RunOptions *options, const ConfigRole *role)
{
    for (size_t i = 0; i < plan->count; i++) {
        PlanNode *node = &plan->nodes[i];
        bool is_there = is_in_list(node->roles, role->role), is_here = strcmp(node->name, role->node) == 0;
        if (is_there && !is_here)
            return run_error("%s:%d: two choreographies have a role %s, one on %s and one on %s: a program that is "
                             "started in this way plays roles of the same name on the same node",
                             options->hosts, role->line, role->role, node->name, role->node);
        if (is_here && !is_there)
            node->roles = run_text("%s%s%s", node->roles, node->roles[0] != '\0' ? "," : "", role->role);
    }
    return 0;
}

static int choreography_add(Plan *plan, const RunOptions *options, const Program *program,
                            const ConfigChoreography *choreography)
{
    if (!program_has(program, choreography->name, NULL))
        return run_error("%s:%d: '%s' has no choreography %s", options->hosts, choreography->line, options->program[0],
                         choreography->name);
    for (size_t i = 0; i < choreography->role_count; i++) {
        const ConfigRole *role = &choreography->roles[i];
        if (!program_has(program, choreography->name, role->role))
            return run_error("%s:%d: %s has no role %s in '%s'", options->hosts, role->line, choreography->name,
                             role->role, options->program[0]);
        if (role->player != PLAYER_NODE)
            return run_error("%s:%d: %s must be played by a node of [nodes] here: who that is has to be known when the "
                             "program is started",
                             options->hosts, role->line, role->role);
        int status = node_add_role(plan, options, role);
        if (status != 0)
            return status;
    }
    for (size_t i = 0; i < program->count; i++)
        if (strcmp(program->roles[i].choreography, choreography->name) == 0 &&
            config_role(choreography, program->roles[i].role) == NULL)
            return run_error("%s:%d: nobody plays %s of %s: add '%s = NODE' to the section [%s]", options->hosts,
                             choreography->line, program->roles[i].role, choreography->name, program->roles[i].role,
                             choreography->name);
    return 0;
}

// ---- where nodes are ----

// An address of this host can be bound to.
static bool is_local(const struct addrinfo *address)
{
    int test = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage place;
    memcpy(&place, address->ai_addr, address->ai_addrlen);
    ((struct sockaddr_in *)(void *)&place)->sin_port = 0; // it is at the same place for IPv6
    bool is_bound = test >= 0 && bind(test, (struct sockaddr *)&place, address->ai_addrlen) == 0;
    if (test >= 0)
        close(test);
    return is_bound;
}

static int node_place(PlanNode *node, const ConfigNode *about, const RunOptions *options)
{
    Address address;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char host[NI_MAXHOST];
    const char *wrong = address_parse(about->address, &address);
    if (wrong != NULL)
        return run_error("%s:%d: '%s' %s", options->hosts, about->line, about->address, wrong);
    node->address = node->dialled = run_text("%s", about->address);
    if (options->has_ssh) {
        node->host = run_text("%s", address.host);
        node->listen = run_text(strchr(address.host, ':') != NULL ? "[::]:%u" : "0.0.0.0:%u", address.port);
        return 0;
    }
    int error = getaddrinfo(address.host, NULL, &hints, &found);
    if (error != 0)
        return run_error("%s:%d: the host %s is not known: %s", options->hosts, about->line, address.host,
                         gai_strerror(error));
    node->is_started = is_local(found) && node->roles[0] != '\0';
    getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    node->listen = run_text(strchr(host, ':') != NULL ? "[%s]:%u" : "%s:%u", host, address.port);
    freeaddrinfo(found);
    return 0;
}

static int nodes_place(Plan *plan, const Config *config, const RunOptions *options)
{
    size_t started = 0;
    for (size_t i = 0; i < plan->count; i++) {
        int status = node_place(&plan->nodes[i], &config->nodes[i], options);
        if (status != 0)
            return status;
        plan->nodes[i].is_started = plan->nodes[i].is_started && plan->nodes[i].roles[0] != '\0';
        started += plan->nodes[i].is_started;
    }
    if (started == 0)
        return run_error("%s: no node that plays a role is on this host: start the program there, or use --ssh",
                         options->hosts);
    return 0;
}

// ---- what all configurations have ----

static void write_limits(FILE *out, const ConfigLimits *limits)
{
    fprintf(out,
            "\n[limits]\nkeepalive = %" PRIu64 "ms\nhold = %" PRIu64 "ms\nsuspect = %" PRIu64 "ms\nabsent = %" PRIu64
            "ms\nhandshake = %" PRIu64 "ms\nkeep = %" PRIu64 "ms\n",
            limits->keepalive_ms, limits->hold_ms, limits->suspect_ms, limits->absent_ms, limits->handshake_ms,
            limits->keep_ms);
    fprintf(out,
            "message_max = %" PRIu64 "\nwindow = %" PRIu64 "\nwindow_messages = %" PRIu64 "\nlink_buffer = %" PRIu64
            "\nsessions_max = %" PRIu64 "\nrelay = %s\n",
            limits->message_max, limits->window, limits->window_messages, limits->link_buffer, limits->sessions_max,
            limits->relay ? "yes" : "no");
}

static char *write_own(const Config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < config->denied_count; i++)
        fprintf(out, "deny = %s\n", config->denied[i]);
    if (config->store != NULL)
        fprintf(out, "store = \"%s\"\n", config->store);
    fclose(out);
    return text;
}

static char *write_sections(const Config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < config->choreography_count; i++) {
        const ConfigChoreography *choreography = &config->choreographies[i];
        fprintf(out, "\n[%s]\n", choreography->name);
        if (choreography->home != NULL)
            fprintf(out, "home = %s\n", choreography->home);
        fprintf(out, "shared = %s\narguments = %s\n", choreography->is_shared ? "yes" : "no",
                choreography->takes_opener_arguments ? "opener" : "own");
        for (size_t j = 0; j < choreography->role_count; j++)
            fprintf(out, "%s = %s\n", choreography->roles[j].role, choreography->roles[j].node);
    }
    write_limits(out, &config->limits);
    fclose(out);
    return text;
}

int hosts_plan(Plan *plan, const RunOptions *options, const Program *program)
{
    Config config;
    char path[PATH_MAX];
    int status = file_read(options, &config);
    if (status != 0)
        return status;
    if (config.node_count == 0 || config.choreography_count == 0)
        return run_error(
            "%s: it needs a section [nodes], and one for each choreography, which says who plays its roles",
            options->hosts);
    for (size_t i = 0; i < config.node_count; i++)
        plan_add(plan, config.nodes[i].name);
    for (size_t i = 0; i < config.choreography_count && status == 0; i++)
        status = choreography_add(plan, options, program, &config.choreographies[i]);
    if (status == 0)
        status = nodes_place(plan, &config, options);
    if (status != 0)
        return status;
    bool is_here = !options->has_ssh && realpath(config.certs, path) != NULL;
    plan->certs = run_text("%s", is_here ? path : config.certs);
    plan->own = write_own(&config);
    plan->sections = write_sections(&config);
    return 0;
}
