// node.c: who decides: leases of nodes by the server's clock, and sessions that another node takes (C8).

#include "store/postgres/server.h"

#include <errno.h>
#include <string.h>

int postgres_take(void *store, const chx_store_key *key, uint64_t term, bool by_hand, uint64_t *new_term,
                  char why[CHX_STORE_WHY])
{
    Server *server = store;
    Parameters parameters = {0};
    PGresult *result;
    parameters_key(&parameters, key);
    parameters_u64(&parameters, term);
    parameters_text(&parameters, server->node);
    parameters_u64(&parameters, by_hand);
    parameters_bytes(&parameters, server->writer, sizeof server->writer);
    parameters_text(&parameters, server->writer_text);
    int error = server_change(server, STATEMENT_TAKE, &parameters, &result, why);
    if (error != 0)
        return error;
    if (PQntuples(result) == 0)
        error = store_missing(key, why);
    else if (value_u64(result, 0, 0) != term)
        error = store_stale(key, value_text(result, 0, 1), why);
    else if (PQgetisnull(result, 0, 3))
        error = store_busy(value_text(result, 0, 1), value_u64(result, 0, 2), why);
    else
        *new_term = value_u64(result, 0, 3);
    PQclear(result);
    return error;
}

int postgres_lease(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY])
{
    Server *server = store;
    Parameters parameters = {0};
    PGresult *result;
    parameters_text(&parameters, server->node);
    if (lease_ms > 0)
        parameters_u64(&parameters, lease_ms);
    else
        parameters_text(&parameters, server->writer_text);
    int error = server_ask(server, lease_ms > 0 ? STATEMENT_LEASE : STATEMENT_END_LEASE, &parameters, &result, why);
    if (error == 0)
        PQclear(result);
    return error;
}
