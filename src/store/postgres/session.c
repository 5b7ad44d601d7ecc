// session.c: reads sessions out of the database, one or many, and removes them.

#include "store/chunk.h"
#include "store/cut.h"
#include "store/postgres/server.h"

#include <errno.h>
#include <stdlib.h>

enum { PAGE = 500, COLUMNS = 13 }; // sessions that are read at once; columns of a session, before those of a chunk

// Without pieces. False: no memory.
static bool read_row(const PGresult *result, int row, chx_store_cut *cut)
{
    *cut = (chx_store_cut){
        .key = {value_text(result, row, 1), value_text(result, row, 2), value_text(result, row, 3)},
        .term = value_u64(result, row, 4),
        .version = value_u64(result, row, 5),
        .definition = value_text(result, row, 7),
        .protocol_digest = value_u64(result, row, 8),
        .home = value_text(result, row, 9),
        .outcome = value_u64(result, row, 10) == 0 ? CHX_STORE_UNFINISHED : CHX_STORE_OVER,
        .changed_ms = value_u64(result, row, 12),
    };
    value_pair(result, row, 6, cut->token);
    value_pair(result, row, 11, cut->writer);
    return cut_own(cut);
}

static int no_memory(char why[CHX_STORE_WHY])
{
    return store_fail(why, ENOMEM, "there is no memory for a session");
}

// ---- one ----

static int read_chunks(const PGresult *result, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    int error = 0;
    for (int row = 0; row < PQntuples(result) && error == 0; row++) {
        if (PQgetisnull(result, row, COLUMNS))
            continue; // It has none.
        ChunkRow chunk = {.level = (uint32_t)value_u64(result, row, COLUMNS),
                          .roles = value_u64(result, row, COLUMNS + 1),
                          .version = value_u64(result, row, COLUMNS + 2),
                          .sum = (uint32_t)value_u64(result, row, COLUMNS + 3),
                          .data = (const unsigned char *)PQgetvalue(result, row, COLUMNS + 4),
                          .size = (size_t)PQgetlength(result, row, COLUMNS + 4)};
        error = chunk_read(&chunk, cut, why);
    }
    return error;
}

int postgres_load(void *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    PGresult *result;
    parameters_key(&parameters, key);
    int error = server_ask(store, STATEMENT_LOAD, &parameters, &result, why);
    if (error != 0)
        return error;
    chx_store_cut found = {0};
    if (PQntuples(result) == 0)
        error = store_missing(key, why);
    else if (!read_row(result, 0, &found))
        error = no_memory(why);
    else
        error = read_chunks(result, &found, why);
    PQclear(result);
    if (error == 0)
        *cut = found;
    else
        cut_release(&found);
    return error;
}

void postgres_release(void *store, chx_store_cut *cut)
{
    (void)store;
    cut_release(cut);
}

// ---- many ----

static int read_page(Server *server, const chx_store_filter *filter, uint64_t last, PGresult **result,
                     char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    parameters_u64(&parameters, last);
    parameters_text(&parameters, filter->choreography);
    parameters_text(&parameters, filter->home);
    parameters_u64(&parameters, filter->unfinished_only);
    parameters_u64(&parameters, filter->orphans_only);
    parameters_u64(&parameters, filter->changed_before_ms);
    parameters_u64(&parameters, PAGE);
    return server_ask(server, STATEMENT_EACH, &parameters, result, why);
}

int postgres_each(void *store, const chx_store_filter *filter, bool (*found)(void *context, const chx_store_cut *),
                  void *context, char why[CHX_STORE_WHY])
{
    static const chx_store_filter all = {0};
    uint64_t last = 0;
    bool goes_on = true, is_full = true;
    int error = 0;
    while (goes_on && is_full && error == 0) {
        PGresult *result;
        error = read_page(store, filter != NULL ? filter : &all, last, &result, why);
        if (error != 0)
            return error;
        int count = PQntuples(result);
        is_full = count == PAGE;
        // The result is ours: the function that is called may use the connection.
        for (int row = 0; row < count && goes_on && error == 0; row++) {
            chx_store_cut cut;
            last = value_u64(result, row, 0);
            if (!read_row(result, row, &cut)) {
                error = no_memory(why);
                continue;
            }
            goes_on = found(context, &cut);
            cut_release(&cut);
        }
        PQclear(result);
    }
    return error;
}

// ---- removing ----

static int lock_session(Server *server, const chx_store_key *key, uint64_t *id, char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    PGresult *result;
    parameters_key(&parameters, key);
    int error = server_ask(server, STATEMENT_LOCK_SESSION, &parameters, &result, why);
    if (error != 0)
        return error;
    if (PQntuples(result) == 0)
        error = store_missing(key, why);
    else
        *id = value_u64(result, 0, 0);
    PQclear(result);
    return error;
}

static int drop_one(Server *server, const chx_store_key *key, char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    PGresult *result;
    uint64_t id = 0;
    int error = server_begin(server, why);
    if (error == 0)
        error = lock_session(server, key, &id, why);
    if (error == 0) {
        parameters_u64(&parameters, id);
        parameters_text(&parameters, server->writer_text);
        error = server_ask(server, STATEMENT_DROP, &parameters, &result, why);
        if (error == 0)
            PQclear(result);
    }
    if (error == 0)
        error = server_command(server, "COMMIT", why);
    else
        server_rollback(server);
    // Dropping it once more does no harm.
    return error == -EINPROGRESS ? -EAGAIN : error;
}

int postgres_drop(void *store, const chx_store_key *key, uint64_t over_for_ms, char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    PGresult *result;
    if (key != NULL)
        return drop_one(store, key, why);
    parameters_u64(&parameters, over_for_ms);
    int error = server_ask(store, STATEMENT_DROP_OLD, &parameters, &result, why);
    if (error == 0)
        PQclear(result);
    return error;
}
