// generated.c: what emitted code calls to play or serve a role while others are on other hosts.

#include "net/node/node.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_misused(const chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role)
{
    if (node != NULL && definition < choreography->definition_count)
        return false;
    chx_refuse(CHX_INVALID, choreography->roles[role], choreography->file,
               node == NULL ? "there is no node (NULL): chx_node_open has failed, as a rule"
                            : "there is no such definition");
    return true;
}

static chx_session *role_start(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                               const char *session, const void *arguments, chx_status *status)
{
    *status = CHX_INVALID;
    if (is_misused(node, choreography, definition, role))
        return NULL;
    if (session != NULL && (session[0] == '\0' || session[0] == '#' || strlen(session) > WIRE_NAME_MAX)) {
        chx_refuse(CHX_INVALID, choreography->roles[role], choreography->file,
                   "the name of a session has 1 to %d characters and does not begin with '#'", WIRE_NAME_MAX);
        return NULL;
    }
    return joins_start(node, choreography, definition, NULL, &role, 1, session, arguments, status);
}

chx_session *chx_node_start(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                            const char *session, const void *arguments)
{
    chx_status status;
    return role_start(node, choreography, definition, role, session, arguments, &status);
}

// The results of all roles, of which only this one's is set.
chx_status chx_node_finish(chx_session *session, void *result, size_t result_size)
{
    return chx_part_finish(session, result, result_size);
}

chx_status chx_node_play(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                         const char *session, const void *arguments, void *result, size_t result_size)
{
    chx_status status;
    chx_session *started = role_start(node, choreography, definition, role, session, arguments, &status);
    if (started != NULL)
        return chx_part_finish(started, result, result_size);
    if (result != NULL)
        memset(result, 0, result_size);
    return status;
}

// ---- services ----

static Service *service_new(const chx_service *how, const void *arguments, const chx_role_arguments *given)
{
    Service *service = calloc(1, sizeof *service);
    size_t own = given != NULL ? given->type->size : 0;
    if (service == NULL)
        return NULL;
    service->own = calloc(1, own + 1);
    if (service->own == NULL) {
        free(service);
        return NULL;
    }
    service->how = how != NULL ? *how : (chx_service){0};
    service->given = given;
    if (given != NULL)
        chx_value_copy(given->type, service->own, arguments);
    return service;
}

// Offers it to whoever is to know. False: no memory, or why it can't be served.
static bool service_begin(chx_node *node, Service *service, Known *known, char *why, size_t why_size)
{
    const chx_choreography *choreography = known->choreography;
    const char *role = choreography->roles[service->role];
    if (services_find(node, known, service->definition, service->role) != NULL) {
        snprintf(why, why_size, "the node serves %s of %s already", role, choreography->name);
        return false;
    }
    uint32_t home = known_home(node, known, why, why_size);
    // Without a home in the configuration, programs that name this node in a cast can ask for it.
    if (home == PEER_NONE && peers_address(node->peers) == NULL)
        return false;
    if (home != PEER_NONE && (service->home = node_peer(node, home)) == NULL)
        return false;
    if (home == PEER_NONE)
        node_log(node, CHX_LOG_INFO, "%s of %s is served for casts that name this node only: %s", role,
                 choreography->name, why);
    service->known = known;
    service->request = ++node->last_request;
    service->next = node->services;
    node->services = service;
    service_changed(node, service);
    services_answer_waiting(node, service);
    node->must_flush = true;
    return true;
}

chx_status chx_node_serve(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                          const chx_service *how, const void *arguments, const chx_role_arguments *given)
{
    char why[512] = "out of memory";
    if (is_misused(node, choreography, definition, role))
        return CHX_INVALID;
    Service *service = service_new(how, arguments, given);
    if (service == NULL)
        return chx_refuse(CHX_NO_MEMORY, choreography->roles[role], choreography->file, "%s", why);
    node_lock(node);
    Known *known = known_add(node, choreography);
    service->definition = definition;
    service->role = role;
    bool is_good = known != NULL && service_begin(node, service, known, why, sizeof why);
    node_unlock(node);
    if (is_good)
        return CHX_OK;
    service_free(service);
    return chx_refuse(CHX_INVALID, choreography->roles[role], choreography->file, "%s", why);
}
