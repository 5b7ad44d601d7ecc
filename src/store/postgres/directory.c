// directory.c: roles that nodes offer to play. An offer counts as long as its node has a lease.

#include "store/postgres/server.h"

#include <errno.h>

enum { ATTEMPTS = 3 };

static int run(Server *server, StatementId id, Parameters *parameters, char why[CHX_STORE_WHY])
{
    PGresult *result;
    int error = server_ask(server, id, parameters, &result, why);
    if (error == 0)
        PQclear(result);
    return error;
}

int postgres_offer(void *store, const chx_store_offer *offer, char why[CHX_STORE_WHY])
{
    Server *server = store;
    Parameters parameters = {0};
    parameters_text(&parameters, offer->choreography);
    parameters_text(&parameters, offer->role);
    parameters_text(&parameters, offer->node);
    if (offer->places == 0)
        return run(server, STATEMENT_END_OFFER, &parameters, why);
    parameters_text(&parameters, offer->address);
    parameters_u64(&parameters, offer->protocol_digest);
    parameters_u64(&parameters, offer->busy);
    parameters_u64(&parameters, offer->places);
    parameters_text(&parameters, server->writer_text);
    return run(server, STATEMENT_OFFER, &parameters, why);
}

// What is looked for, and the nodes that were refused.
typedef struct {
    Server *server;
    chx_store_offer like;
    Parameters refused; // its first parameter is an array of names
} Claim;

// Takes a place at the least busy one. -ENOENT: there is none. The result is the caller's.
static int take_place(Claim *claim, PGresult **result, char why[CHX_STORE_WHY])
{
    // Somebody else may have had the last place of the one that was found, while others have places: so it is tried again.
    for (int i = 0; i < ATTEMPTS; i++) {
        Parameters parameters = {0};
        parameters_text(&parameters, claim->like.choreography);
        parameters_text(&parameters, claim->like.role);
        parameters_u64(&parameters, claim->like.protocol_digest);
        parameters_finish(&claim->refused);
        parameters_bytes(&parameters, claim->refused.items[0].bytes, claim->refused.items[0].size);
        int error = server_ask(claim->server, STATEMENT_CLAIM, &parameters, result, why);
        if (error != 0 || PQntuples(*result) > 0)
            return error;
        PQclear(*result);
    }
    return store_fail(why, ENOENT, "no node that is alive offers to play %s of %s, or all are busy", claim->like.role,
                      claim->like.choreography);
}

static int give_back(Claim *claim, const char *node, char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    array_add_text(&claim->refused, 0, node);
    parameters_text(&parameters, claim->like.choreography);
    parameters_text(&parameters, claim->like.role);
    parameters_text(&parameters, node);
    return run(claim->server, STATEMENT_END_CLAIM, &parameters, why);
}

int postgres_claim(void *store, const char *choreography, const char *role, uint64_t protocol_digest,
                   bool (*found)(void *context, const chx_store_offer *), void *context, char why[CHX_STORE_WHY])
{
    Claim claim = {.server = store,
                   .like = {.choreography = choreography, .role = role, .protocol_digest = protocol_digest}};
    PGresult *result;
    bool is_taken = false;
    int error;
    parameters_array(&claim.refused, TYPE_TEXT);
    while (!is_taken && (error = take_place(&claim, &result, why)) == 0) {
        chx_store_offer offer = claim.like;
        offer.node = value_text(result, 0, 0);
        offer.address = value_text(result, 0, 1);
        offer.busy = (uint32_t)value_u64(result, 0, 2);
        offer.places = (uint32_t)value_u64(result, 0, 3);
        is_taken = !found(context, &offer);
        error = is_taken ? 0 : give_back(&claim, offer.node, why);
        PQclear(result);
        if (error != 0)
            break;
    }
    parameters_free(&claim.refused);
    return error;
}
