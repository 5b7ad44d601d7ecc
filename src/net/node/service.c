// service.c: roles that this node serves: to whom it offers them, and who may ask for them.
//
// A service offers its role to the home that the configuration names. Other homes, whose programs name this node in a cast, ask for the
// role (SEEK); whoever may do that is offered it, too, for as long as his process lives.

#include "net/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WHY_SIZE = 320 };

Service *services_find(chx_node *node, const Known *known, size_t definition, unsigned role)
{
    Service *service = node->services;
    while (service != NULL && (service->known != known || service->definition != definition || service->role != role))
        service = service->next;
    return service;
}

// ---- offering ----

static void offer_to(chx_node *node, const Service *service, const NodePeer *home, uint64_t request)
{
    const chx_choreography *choreography = service->known->choreography;
    const ConfigChoreography *section = config_choreography(&node->config, choreography->name);
    const char *address = peers_address(node->peers);
    uint32_t most =
        service->how.sessions_max != 0 ? service->how.sessions_max : (uint32_t)node->config.limits.sessions_max;
    WireOffer offer = {.request = request,
                       .choreography = wire_text(choreography->name),
                       .definition = wire_text(choreography->definitions[service->definition].name),
                       .protocol = choreography->protocol_digest,
                       .role = wire_text(choreography->roles[service->role]),
                       .address = wire_text(address != NULL ? address : ""),
                       .sessions_max = node->is_stopping ? 0 : most,
                       .sessions = (uint32_t)service->sessions,
                       .takes_arguments = section != NULL && section->takes_opener_arguments};
    // Without memory now, with the next one.
    node_send(node, home->number, 0, WIRE_OFFER, &offer);
}

void service_changed(chx_node *node, Service *service)
{
    if (service->home != NULL)
        offer_to(node, service, service->home, service->request);
    for (const Seeker *seeker = service->seekers; seeker != NULL; seeker = seeker->next)
        offer_to(node, service, seeker->peer, seeker->request);
}

bool service_is_full(const chx_node *node, const Service *service)
{
    size_t most = service->how.sessions_max != 0 ? service->how.sessions_max : node->config.limits.sessions_max;
    return node->is_stopping || service->sessions >= most;
}

// NULL: to everybody, since something has changed.
void services_offer(chx_node *node, NodePeer *home)
{
    for (Service *service = node->services; service != NULL; service = service->next) {
        if (home == NULL)
            service_changed(node, service);
        else if (service->home == home)
            offer_to(node, service, home, service->request);
    }
}

// ---- being asked ----

static Seeker *seeker_find(const Service *service, uint32_t peer)
{
    Seeker *seeker = service->seekers;
    while (seeker != NULL && seeker->peer->number != peer)
        seeker = seeker->next;
    return seeker;
}

// Found, or made. NULL: no memory.
static Seeker *seeker_add(Service *service, NodePeer *peer)
{
    Seeker *seeker = peer != NULL ? seeker_find(service, peer->number) : NULL;
    if (seeker != NULL || peer == NULL)
        return seeker;
    seeker = calloc(1, sizeof *seeker);
    if (seeker == NULL)
        return NULL;
    *seeker = (Seeker){.next = service->seekers, .peer = peer};
    service->seekers = seeker;
    return seeker;
}

bool service_knows(const Service *service, uint32_t home)
{
    return (service->home != NULL && service->home->number == home) || seeker_find(service, home) != NULL;
}

static bool seek_refuse(chx_node *node, uint32_t from, const WireSeek *seek, WireRefusal code, const char *why)
{
    WireRefused refused = {.request = seek->request, .code = code, .text = wire_text(why)};
    return node_send(node, from, 0, WIRE_REFUSED, &refused);
}

// The program may still be about to serve the role.
static bool seek_wait(chx_node *node, uint32_t from, const WireSeek *seek)
{
    bool is_full, is_taken = homes_wait(node, from, WIRE_SEEK, seek, &is_full);
    return is_full ? seek_refuse(node, from, seek, WIRE_REFUSED_LIMIT, "too many others wait there for services")
                   : is_taken;
}

static Service *seek_service(chx_node *node, const WireSeek *seek, const Known *known)
{
    int definition = known != NULL ? known_definition(known, seek->definition) : -1;
    int role = known != NULL ? known_role(known, seek->role) : -1;
    return definition >= 0 && role >= 0 ? services_find(node, known, (size_t)definition, (unsigned)role) : NULL;
}

static WireRefusal seek_refusal(chx_node *node, uint32_t from, const WireSeek *seek, const Known *known,
                                const NodePeer *home, char *why, size_t why_size)
{
    const chx_choreography *choreography = known->choreography;
    char who[CONFIG_NAME_MAX + 1];
    node_peer_name(node, from, who, sizeof who);
    if (node->is_stopping) {
        snprintf(why, why_size, "the node takes nothing new");
        return WIRE_REFUSED_ENDING;
    }
    if (!known_may_open(node, known, home, from, why, why_size))
        return WIRE_REFUSED_RIGHT;
    if (seek->protocol == choreography->protocol_digest)
        return 0;
    snprintf(why, why_size,
             "%s: %s there (protocol %08" PRIx32 "...%s%s) is not the one of %s (%08" PRIx32
             "...%s%.*s): rebuild one of them",
             choreography->file, choreography->name, (uint32_t)(choreography->protocol_digest >> 32),
             choreography->built[0] != '\0' ? ", built " : "", choreography->built, who,
             (uint32_t)(seek->protocol >> 32), seek->build.size > 0 ? ", built " : "", (int)seek->build.size,
             (const char *)seek->build.data);
    return WIRE_REFUSED_PROTOCOL;
}

bool services_seek(chx_node *node, uint32_t from, const WireSeek *seek)
{
    char why[WHY_SIZE] = "";
    const Known *known = known_find(node, seek->choreography, seek->protocol);
    Service *service = seek_service(node, seek, known);
    WireRefusal refusal =
        known != NULL ? seek_refusal(node, from, seek, known, service != NULL ? service->home : NULL, why, sizeof why)
                      : 0;
    if (refusal != 0)
        return seek_refuse(node, from, seek, refusal, why);
    if (service == NULL)
        return seek_wait(node, from, seek);
    Seeker *seeker = seeker_add(service, node_peer(node, from));
    if (seeker == NULL)
        return false;
    seeker->request = seek->request;
    offer_to(node, service, seeker->peer, seek->request);
    return true;
}

static bool is_for_service(const void *context, const WireFrame *frame)
{
    const Service *service = context;
    const chx_choreography *choreography = service->known->choreography;
    return frame->kind == WIRE_SEEK && span_is(frame->seek.choreography, choreography->name) &&
           span_is(frame->seek.definition, choreography->definitions[service->definition].name) &&
           span_is(frame->seek.role, choreography->roles[service->role]);
}

void services_answer_waiting(chx_node *node, const Service *service)
{
    uint32_t from;
    WireFrame frame;
    void *memory;
    while (homes_wait_next(node, is_for_service, service, &from, &frame, &memory)) {
        services_seek(node, from, &frame.seek);
        free(memory);
    }
}

void services_forget_peer(chx_node *node, const NodePeer *peer)
{
    for (Service *service = node->services; service != NULL; service = service->next)
        for (Seeker **link = &service->seekers, *seeker; (seeker = *link) != NULL;) {
            if (seeker->peer != peer) {
                link = &seeker->next;
                continue;
            }
            *link = seeker->next;
            free(seeker);
        }
}

// ---- the end ----

void service_free(Service *service)
{
    for (Seeker *seeker = service->seekers, *next; seeker != NULL; seeker = next) {
        next = seeker->next;
        free(seeker);
    }
    if (service->given != NULL)
        chx_value_drop(service->given->type, service->own);
    free(service->own);
    free(service);
}

void services_free(chx_node *node)
{
    for (Service *service = node->services, *next; service != NULL; service = next) {
        next = service->next;
        service_free(service);
    }
    node->services = NULL;
}
