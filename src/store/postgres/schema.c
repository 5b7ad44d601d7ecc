// schema.c: the tables, which are made when a database is first used.

#include "store/postgres/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 }; // of the tables; a later version that changes them raises it

// They are in the schema that comes first in the search path, as the user of the database has set it. Rows of sessions are written
// again and again; no index has a column of theirs that changes, so that the old place can be used again.
static const char tables[] =
    // Two nodes may do it at once. The number is an arbitrary one.
    "BEGIN; SELECT pg_advisory_xact_lock(4841945720190571);"
    "CREATE TABLE IF NOT EXISTS chorex_store (format int NOT NULL);"
    "INSERT INTO chorex_store SELECT 1 WHERE NOT EXISTS (SELECT FROM chorex_store);"
    "CREATE TABLE IF NOT EXISTS chorex_session ("
    "  id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, choreography text COLLATE \"C\" NOT NULL, "
    "  space text COLLATE \"C\" NOT NULL, name text COLLATE \"C\" NOT NULL, term int8 NOT NULL, version int8 NOT NULL, "
    "  token bytea NOT NULL, definition text NOT NULL, protocol_digest int8 NOT NULL, home text COLLATE \"C\" NOT "
    "NULL, "
    "  outcome int8 NOT NULL, writer bytea NOT NULL, changed timestamptz NOT NULL, UNIQUE (choreography, space, name)) "
    "  WITH (fillfactor = 70);"
    "CREATE TABLE IF NOT EXISTS chorex_chunk (session int8 NOT NULL, level int8 NOT NULL, roles int8 NOT NULL, "
    "  version int8 NOT NULL, sum int8 NOT NULL, data bytea NOT NULL, PRIMARY KEY (session, level, roles)) "
    "  WITH (fillfactor = 70);"
    // What is saved is seldom worth the time to compress it.
    "ALTER TABLE chorex_chunk ALTER COLUMN data SET STORAGE EXTERNAL;"
    "CREATE TABLE IF NOT EXISTS chorex_node (name text COLLATE \"C\" PRIMARY KEY, lease_until timestamptz NOT NULL);"
    "CREATE TABLE IF NOT EXISTS chorex_offer (choreography text COLLATE \"C\" NOT NULL, role text COLLATE \"C\" NOT "
    "NULL, "
    "  node text COLLATE \"C\" NOT NULL, address text NOT NULL, protocol_digest int8 NOT NULL, busy int8 NOT NULL, "
    "  places int8 NOT NULL, PRIMARY KEY (choreography, role, node));"
    "COMMIT";

static int check_format(Server *server, bool *is_there, char why[CHX_STORE_WHY])
{
    PGresult *result = NULL;
    int error = server_query(server, "SELECT to_regclass('chorex_store')", &result, why);
    if (error != 0)
        return error;
    *is_there = PQgetisnull(result, 0, 0) == 0;
    PQclear(result);
    if (!*is_there)
        return 0;
    error = server_query(server, "SELECT format FROM chorex_store", &result, why);
    if (error != 0)
        return error;
    long format = PQntuples(result) == 1 ? strtol(PQgetvalue(result, 0, 0), NULL, 10) : 0;
    PQclear(result);
    if (format != FORMAT)
        return store_fail(
            why, EINVAL,
            "the tables of the database were made by another version of Chorex (format %ld, this one has %d)", format,
            FORMAT);
    return 0;
}

int schema_ensure(Server *server, char why[CHX_STORE_WHY])
{
    bool is_there;
    int error = check_format(server, &is_there, why);
    if (error != 0 || is_there)
        return error;
    char reason[CHX_STORE_WHY];
    error = server_command(server, tables, reason);
    if (error == 0)
        return check_format(server, &is_there, why);
    char ignored[CHX_STORE_WHY];
    server_command(server, "ROLLBACK", ignored);
    return store_fail(why, -error, "the tables of Chorex can't be made: %.400s", reason);
}
