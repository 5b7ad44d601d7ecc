// plain_postgres.c: transactions in PostgreSQL written by hand, of as many bytes as those of table.c: a row for each session, nothing is checked or
// named. A statement for each session, those of a transaction all sent at once (pipeline mode). The
// last argument: how many sessions share a transaction.

#include "bench/stores/work.h"

#include <arpa/inet.h>
#include <libpq-fe.h>

static void expect(PGconn *connection, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC)
        work_fail(PQerrorMessage(connection));
    PQclear(result);
}

static void write_some(PGconn *connection, const Work *work, long begin, long end, const char *bytes)
{
    PQenterPipelineMode(connection);
    for (long i = begin; i < end; i++) {
        uint32_t id = htonl((uint32_t)i + 1);
        const char *const values[] = {(const char *)&id, bytes};
        const int lengths[] = {sizeof id, (int)work_session_bytes(work)}, formats[] = {1, 1};
        PQsendQueryPrepared(connection, "put", 2, values, lengths, formats, 1);
    }
    PQpipelineSync(connection);
    for (long i = begin; i < end; i++) {
        expect(connection, PQgetResult(connection));
        PQclear(PQgetResult(connection));
    }
    expect(connection, PQgetResult(connection));
    PQexitPipelineMode(connection);
}

static void write_all(PGconn *connection, const Work *work, long group, const char *bytes)
{
    for (long i = 0; i < work->sessions; i += group)
        write_some(connection, work, i, i + group < work->sessions ? i + group : work->sessions, bytes);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    Work work = work_of(argv + 1);
    long group = atol(argv[5]);
    char *bytes = calloc(1, work_session_bytes(&work));
    PGconn *connection = PQconnectdb(work.place);
    expect(connection, PQexec(connection, "SET synchronous_commit = on; SET client_min_messages = error"));
    expect(connection, PQexec(connection, "DROP TABLE IF EXISTS plain"));
    expect(connection, PQexec(connection, "CREATE TABLE plain (id int PRIMARY KEY, data bytea) WITH (fillfactor = 70)"));
    expect(connection, PQprepare(connection, "put",
                                 "INSERT INTO plain VALUES ($1::int, $2::bytea) ON CONFLICT (id) DO UPDATE SET data = excluded.data",
                                 0, NULL));
    write_all(connection, &work, work.sessions, bytes);
    Measure measure = measure_begin();
    for (long n = 0; n < work.commits; n++) {
        memset(bytes, (int)n, work_session_bytes(&work));
        write_all(connection, &work, group, bytes);
    }
    measure_end(&measure);
    measure_print(&measure);
    PQfinish(connection);
    return 0;
}
