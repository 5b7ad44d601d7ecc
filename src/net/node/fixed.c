// fixed.c: programs as they are, each process of which plays some of the roles: CHOREX_ROLES says which, CHOREX_NODE where the others
// are.
//
// A session that such a program starts is the same in all its processes: the n-th of a definition in one is the n-th in the others.
// It is known to its home by that number. Choreographies that the configuration does not name are run here, as always.

#include "net/carrier/tls.h"
#include "net/node/node.h"

#include "net/config/address.h"
#include "net/simulated/world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROLES_MAX = 64 };

// How many sessions of a definition there were.
typedef struct Count Count;
struct Count {
    Count *next;
    const chx_choreography *choreography;
    size_t definition;
    unsigned long sessions;
};

static struct {
    pthread_mutex_t lock;
    chx_node *node;
    bool has_failed; // the node could not be opened: why
    char why[512];
    Count *counts;
} fixed = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Others may still need this node: it decides about their sessions, or what was sent has not arrived yet.
static void fixed_end(void)
{
    if (fixed.node != NULL) {
        node_lock(fixed.node);
        placed_cancel_all(fixed.node, "the program ends");
        node_unlock(fixed.node);
        node_await_homes(fixed.node);
        chx_node_close(fixed.node);
    }
    fixed.node = NULL;
}

static bool is_named(const char *list, const char *role)
{
    size_t size = strlen(role);
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (length == size && memcmp(at, role, size) == 0)
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static const char *own_roles(void)
{
    const char *list = getenv("CHOREX_ROLES");
    return list != NULL ? list : "";
}

// The node that plays one of this process's roles. NULL: none does.
static const ConfigNode *own_node(const Config *config)
{
    for (size_t i = 0; i < config->choreography_count; i++) {
        const ConfigChoreography *choreography = &config->choreographies[i];
        for (size_t j = 0; j < choreography->role_count; j++)
            if (choreography->roles[j].player == PLAYER_NODE && is_named(own_roles(), choreography->roles[j].role))
                return config_node(config, choreography->roles[j].node);
    }
    return NULL;
}

static bool plays_anything(const Config *config)
{
    for (size_t i = 0; i < config->choreography_count; i++)
        for (size_t j = 0; j < config->choreographies[i].role_count; j++)
            if (is_named(own_roles(), config->choreographies[i].roles[j].role))
                return true;
    return false;
}

// One file may be for all nodes: then it does not say which of them this one is, but the roles do. False: the file says it, or is
// wrong, which is reported when the node is opened.
static bool own_settings(char *settings, size_t size)
{
    const char *path = getenv("CHOREX_NODE");
    Config config;
    ConfigErrors errors;
    Address address;
    struct in_addr numeric;
    if (!config_read(path != NULL ? path : "chorex.conf", NULL, &config, &errors)) {
        config_errors_free(&errors);
        return false;
    }
    const ConfigNode *node = config.name == NULL ? own_node(&config) : NULL;
    bool is_good = node != NULL && address_parse(node->address, &address) == NULL;
    if (is_good && config.listen != NULL)
        snprintf(settings, size, "name=%s", node->name);
    else if (is_good && strchr(address.host, ':') != NULL)
        snprintf(settings, size, "name=%s,listen=[%s]:%u", node->name, address.host, address.port);
    else if (is_good)
        snprintf(settings, size, "name=%s,listen=%s:%u", node->name,
                 inet_pton(AF_INET, address.host, &numeric) == 1 ? address.host : "0.0.0.0", address.port);
    config_free(&config);
    return is_good;
}

// The node of this process, opened on first use. NULL: fixed.why.
static chx_node *fixed_node(void)
{
    char settings[CONFIG_NAME_MAX + ADDRESS_TEXT_SIZE + 32];
    if (fixed.node == NULL && !fixed.has_failed) {
        fixed.node =
            chx_node_open(&(chx_node_options){.set = own_settings(settings, sizeof settings) ? settings : NULL});
        fixed.has_failed = fixed.node == NULL;
        // Behind those of OpenSSL, which are called after this one then.
        if (!fixed.has_failed)
            atexit(fixed_end);
        if (fixed.has_failed)
            snprintf(fixed.why, sizeof fixed.why, "%s", chx_last_report()->why);
    }
    return fixed.node;
}

// 0: no memory.
static unsigned long fixed_count(const chx_choreography *choreography, size_t definition)
{
    Count *count = fixed.counts;
    while (count != NULL && (count->choreography != choreography || count->definition != definition))
        count = count->next;
    if (count == NULL && (count = calloc(1, sizeof *count)) != NULL) {
        *count = (Count){fixed.counts, choreography, definition, 0};
        fixed.counts = count;
    }
    return count != NULL ? ++count->sessions : 0;
}

// A role without a part is nowhere if the configuration does not say where it is.
static bool fixed_plays(const Config *config, const chx_choreography *choreography, size_t definition, unsigned role)
{
    const ConfigChoreography *section = config_choreography(config, choreography->name);
    return is_named(own_roles(), choreography->roles[role]) &&
           (known_has_part(&choreography->definitions[definition], role) ||
            (section != NULL && config_role(section, choreography->roles[role]) != NULL));
}

static size_t fixed_roles(const Config *config, const chx_choreography *choreography, size_t definition,
                          unsigned roles[ROLES_MAX])
{
    size_t count = 0;
    for (unsigned i = 0; i < choreography->role_count && count < ROLES_MAX; i++)
        if (fixed_plays(config, choreography, definition, i))
            roles[count++] = i;
    return count;
}

// Does the session have roles on other hosts?
static bool fixed_takes(const chx_choreography *choreography, chx_node **node, bool *has_failed)
{
    pthread_mutex_lock(&fixed.lock);
    *node = fixed_node();
    *has_failed = *node == NULL;
    pthread_mutex_unlock(&fixed.lock);
    return *has_failed || config_choreography(&(*node)->config, choreography->name) != NULL;
}

// The first role that the cast places on another node; role_count: there is none.
static size_t first_placed(const chx_choreography *choreography, const chx_actor *cast)
{
    size_t role = 0;
    while (cast != NULL && role < choreography->role_count && cast[role].at == NULL)
        role++;
    return cast != NULL ? role : choreography->role_count;
}

// A session with roles on other nodes is decided by the node that the program has opened, or by one that is opened now.
static chx_session *start_placed(const chx_choreography *choreography, size_t definition, size_t first,
                                 const chx_actor *cast, const void *arguments, chx_status *status)
{
    const char *role = choreography->roles[first];
    if (getenv("CHOREX_ROLES") != NULL) {
        *status = chx_refuse(CHX_INVALID, role, choreography->file,
                             "the cast says that %s is to run at %s, but CHOREX_ROLES says what this process plays: "
                             "only one of the two can say where roles are",
                             role, cast[first].at);
        return NULL;
    }
    pthread_mutex_lock(&fixed.lock);
    chx_node *node = node_of_process();
    if (node == NULL)
        node = fixed_node();
    pthread_mutex_unlock(&fixed.lock);
    if (node != NULL)
        return placed_start(node, choreography, definition, cast, arguments, status);
    *status = chx_refuse(CHX_INVALID, role, choreography->file,
                         "%s is to run at %s, but this program has no node to start such a session with: %s", role,
                         cast[first].at, fixed.why);
    return NULL;
}

// All roles are here, on simulated nodes.
static chx_session *simulated_start(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                                    const chx_actor *cast, const void *arguments, chx_status *status)
{
    static bool is_ended_at_exit;
    chx_session *session = NULL;
    *status = CHX_INVALID;
    chx_machine_enter(runtime);
    if (!is_ended_at_exit)
        is_ended_at_exit = atexit(worlds_end) == 0;
    World *world = world_of(choreography);
    if (world != NULL)
        session = run_start(world, runtime, definition, cast, arguments, status);
    chx_machine_leave(runtime);
    return session;
}

// A session with durable blocks can't be kept in a store here. Each process says so itself: the home would end with its refusal, and
// the others would wait for it.
static bool fixed_may(chx_node *node, const chx_choreography *choreography, size_t definition, const char *name,
                      chx_status *status)
{
    char why[512];
    bool is_durable;
    node_lock(node);
    bool may = !keeps_wants(node, choreography, definition) ||
               keeps_may(node, choreography, name, &is_durable, why, sizeof why);
    node_unlock(node);
    if (!may)
        *status = chx_refuse(CHX_INVALID, NULL, choreography->file, "%s", why);
    return may;
}

static bool fixed_start(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                        const chx_actor *cast, const void *arguments, chx_session **session, chx_status *status)
{
    unsigned roles[ROLES_MAX];
    char name[32];
    chx_node *node;
    bool has_failed;
    size_t placed = first_placed(choreography, cast);
    *session = NULL;
    // On a simulated machine all roles are here, wherever the cast places them.
    if (worlds_are_wanted(runtime)) {
        *session = simulated_start(runtime, choreography, definition, cast, arguments, status);
        return true;
    }
    if (placed < choreography->role_count) {
        *session = start_placed(choreography, definition, placed, cast, arguments, status);
        return true;
    }
    if (getenv("CHOREX_ROLES") == NULL)
        return false;
    if (!fixed_takes(choreography, &node, &has_failed))
        return false;
    if (has_failed) {
        *status = chx_refuse(CHX_INVALID, NULL, choreography->file, "%s", fixed.why);
        return true;
    }
    pthread_mutex_lock(&fixed.lock);
    unsigned long number = fixed_count(choreography, definition);
    pthread_mutex_unlock(&fixed.lock);
    size_t count = fixed_roles(&node->config, choreography, definition, roles);
    if (number == 0)
        *status = chx_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
    else if (count == 0 && !plays_anything(&node->config))
        *status = chx_refuse(CHX_INVALID, NULL, choreography->file,
                             "CHOREX_ROLES (\"%s\") names no role of a choreography in the configuration",
                             getenv("CHOREX_ROLES"));
    else if (count == 0) {
        // Others play it, and nothing of it happens here: it is over at once.
        *session = chx_part_start(runtime, choreography, definition, cast, NULL, 0, arguments, NULL, NULL);
        *status = *session != NULL ? CHX_OK : CHX_NO_MEMORY;
        if (*session != NULL)
            chx_part_release(*session, false);
    } else {
        snprintf(name, sizeof name, "#%lu", number);
        if (fixed_may(node, choreography, definition, name, status))
            *session = joins_start(node, choreography, definition, cast, roles, count, name, arguments, status);
    }
    return true;
}

// The program is linked with this library (chorcc --libs=net says so).
void chx_net_attach(void);
__attribute__((constructor)) void chx_net_attach(void)
{
    // Nodes shake hands until the process is gone: this one in fixed_end, others in their threads.
    tls_outlives_main();
    chx_part_take_starts(fixed_start);
}
