// offers.c: roles that nodes would play in sessions to come, where these are decided.

#include "net/node/node.h"

#include <stdio.h>
#include <stdlib.h>

static Offer *offer_find(chx_node *node, const NodePeer *peer, const Known *known, size_t definition, unsigned role)
{
    Offer *offer = node->offers;
    while (offer != NULL &&
           (offer->peer != peer || offer->known != known || offer->definition != definition || offer->role != role))
        offer = offer->next;
    return offer;
}

static void offer_remove(chx_node *node, const Offer *offer)
{
    Offer **link = &node->offers;
    while (*link != offer)
        link = &(*link)->next;
    *link = offer->next;
    free((Offer *)offer);
}

void offers_forget_peer(chx_node *node, const NodePeer *peer)
{
    for (Offer *offer = node->offers, *next; offer != NULL; offer = next) {
        next = offer->next;
        if (offer->peer == peer)
            offer_remove(node, offer);
    }
}

static bool offer_refuse(chx_node *node, uint32_t from, const WireOffer *offer, WireRefusal code, const char *why)
{
    WireRefused refused = {.request = offer->request, .code = code, .text = wire_text(why)};
    return node_send(node, from, 0, WIRE_REFUSED, &refused);
}

// Found, or made. NULL: no memory.
static Offer *offer_keep(chx_node *node, uint32_t from, Known *known, size_t definition, unsigned role)
{
    NodePeer *peer = node_peer(node, from);
    Offer *offer = peer != NULL ? offer_find(node, peer, known, definition, role) : NULL;
    if (offer != NULL || peer == NULL)
        return offer;
    offer = calloc(1, sizeof *offer);
    if (offer == NULL)
        return NULL;
    *offer = (Offer){.next = node->offers, .peer = peer, .known = known, .definition = definition, .role = role};
    node->offers = offer;
    return offer;
}

// Why the role can't be played there; 0: it can.
static WireRefusal offer_refusal(chx_node *node, uint32_t from, const Known *known, const WireOffer *said, int role,
                                 char *why, size_t why_size)
{
    if (role < 0 || known_definition(known, said->definition) < 0) {
        snprintf(why, why_size, "the home knows no such role or definition");
        return WIRE_REFUSED_UNKNOWN;
    }
    if (said->protocol != known->choreography->protocol_digest) {
        snprintf(why, why_size, "the home has another version of the choreography: rebuild one of the two programs");
        return WIRE_REFUSED_PROTOCOL;
    }
    return known_allows_cast(node, known, (unsigned)role, from, why, why_size) ? 0 : WIRE_REFUSED_RIGHT;
}

// It may be of a node that a cast names.
static bool offer_turn_down(chx_node *node, uint32_t from, Known *known, const WireOffer *said, WireRefusal code,
                            const char *why)
{
    int role = known_role(known, said->role), definition = known_definition(known, said->definition);
    NodePeer *peer = node_peer(node, from);
    Offer of = {.peer = peer, .known = known, .definition = (size_t)definition, .role = (unsigned)role};
    if (peer != NULL && role >= 0 && definition >= 0)
        placed_refused(node, from, 0, &of, why);
    return offer_refuse(node, from, said, code, why);
}

bool offers_take(chx_node *node, uint32_t from, const WireOffer *said)
{
    char why[320];
    Known *known = known_find(node, said->choreography, said->protocol);
    if (known == NULL) {
        bool is_full, is_taken = homes_wait(node, from, WIRE_OFFER, said, &is_full);
        return is_full
                   ? offer_refuse(node, from, said, WIRE_REFUSED_LIMIT, "too many others wait there for choreographies")
                   : is_taken;
    }
    int role = known_role(known, said->role), definition = known_definition(known, said->definition);
    WireRefusal refusal = offer_refusal(node, from, known, said, role, why, sizeof why);
    if (refusal != 0)
        return offer_turn_down(node, from, known, said, refusal, why);
    Offer *offer = offer_keep(node, from, known, (size_t)definition, (unsigned)role);
    if (offer == NULL)
        return false;
    offer->sessions_max = said->sessions_max;
    offer->sessions = said->sessions;
    offer->takes_arguments = said->takes_arguments;
    offer->is_configured = known_is_configured(node, known, (unsigned)role);
    if (offer->sessions_max == 0)
        offer_remove(node, offer);
    else
        homes_offered(node, offer);
    return true;
}

Offer *offers_best(const NodeHome *home, unsigned role)
{
    const chx_node *node = home->node;
    Offer *best = NULL;
    for (Offer *offer = node->offers; offer != NULL; offer = offer->next)
        if (offer->known == home->known && offer->definition == home->definition && offer->role == role &&
            placed_fits(home, offer) && offer->sessions < offer->sessions_max &&
            node_peer_is_up(node, offer->peer->number) &&
            (best == NULL ||
             (uint64_t)offer->sessions * best->sessions_max < (uint64_t)best->sessions * offer->sessions_max))
            best = offer;
    return best;
}

uint32_t offers_place(NodeHome *home, unsigned role)
{
    Offer *best = offers_best(home, role);
    if (best == NULL)
        return PEER_NONE;
    best->sessions++; // until it says itself how many it has
    return best->peer->number;
}

void offers_refused(chx_node *node, uint32_t from, const Known *known, size_t definition, unsigned role)
{
    NodePeer *peer = node_peer(node, from);
    const Offer *offer = peer != NULL ? offer_find(node, peer, known, definition, role) : NULL;
    if (offer != NULL)
        offer_remove(node, offer);
}

void offers_free(chx_node *node)
{
    for (Offer *offer = node->offers, *next; offer != NULL; offer = next) {
        next = offer->next;
        free(offer);
    }
    node->offers = NULL;
}
