// server.c: see server.h.

#define _GNU_SOURCE

#include "store/postgres/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SILENCE_MS = 10000,       // after which a server counts as lost
    BYTES_PER_MS = 1000,      // it is given so much more time for what it has to write
    OLD_CONNECTION_MS = 5000, // how long the end of a former connection is waited for
    MESSAGES = 100,
    DEADLOCKS = 5 // how often a statement is run again that PostgreSQL has given up
};

static uint64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// ---- what is wrong ----

static bool is_state(const char *state, const char *beginning)
{
    return strncmp(state, beginning, strlen(beginning)) == 0;
}

// The connection is of no use any more. What was under way on it is in doubt.
static int lose(Server *server, const char *reason, char why[CHX_STORE_WHY])
{
    int error = store_fail(why, EINPROGRESS, "the connection to the database was lost: %s",
                           reason != NULL && reason[0] != '\0' ? reason : "it does not answer");
    PQfinish(server->connection);
    server->connection = NULL;
    return error;
}

// What an error that the server reports means. The statement has had no effect.
static int refusal(Server *server, const PGresult *result, char why[CHX_STORE_WHY])
{
    static const struct {
        const char *state;
        int error;
    } meanings[] = {
        {"08", EAGAIN},    {"40", EAGAIN},     {"55P03", EAGAIN},  {"57", EAGAIN},    {"53100", ENOSPC},
        {"53200", ENOMEM}, {"53", EAGAIN},     {"25006", EAGAIN},  {"42501", EACCES}, {"54", EFBIG},
        {"22", EINVAL},    {"XX001", EBADMSG}, {"XX002", EBADMSG}, {"42P01", EINVAL},
    };
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (state == NULL || text == NULL || (severity != NULL && strcmp(severity, "ERROR") != 0) ||
        PQstatus(server->connection) != CONNECTION_OK)
        return lose(server, text != NULL ? text : PQresultErrorMessage(result), why);
    int error = EIO;
    server->was_given_up = is_state(state, "40");
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (is_state(state, meanings[i].state)) {
            error = meanings[i].error;
            break;
        }
    }
    error = store_fail(why, error, "the database says: %s", text);
    // The server has become one that only reads: another one of the hosts in the address is to be looked for.
    if (is_state(state, "25006")) {
        PQfinish(server->connection);
        server->connection = NULL;
    }
    return error;
}

// ---- one statement ----

// Sends what is to be sent, and waits until there is a result. False: the server is lost.
static bool wait_for_result(PGconn *connection, uint64_t limit_ms)
{
    uint64_t heard_ms = monotonic_ms();
    for (;;) {
        int unsent = PQflush(connection);
        if (unsent < 0)
            return false;
        if (unsent == 0 && !PQisBusy(connection))
            return true;
        struct pollfd wait = {.fd = PQsocket(connection), .events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
        uint64_t now_ms = monotonic_ms();
        if (now_ms - heard_ms >= limit_ms)
            return false;
        int ready = poll(&wait, 1, (int)(heard_ms + limit_ms - now_ms));
        if (ready > 0) {
            heard_ms = monotonic_ms();
            if ((wait.revents & ~POLLOUT) != 0 && PQconsumeInput(connection) == 0)
                return false;
        } else if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

// Takes all results of what was sent. The first one that is an error, else the last one, counts.
static int take_results(Server *server, uint64_t limit_ms, PGresult **result, char why[CHX_STORE_WHY])
{
    PGresult *kept = NULL;
    for (;;) {
        if (!wait_for_result(server->connection, limit_ms)) {
            PQclear(kept);
            return lose(server, PQerrorMessage(server->connection), why);
        }
        PGresult *next = PQgetResult(server->connection);
        if (next == NULL)
            break;
        bool was_bad =
            kept != NULL && PQresultStatus(kept) != PGRES_TUPLES_OK && PQresultStatus(kept) != PGRES_COMMAND_OK;
        PQclear(was_bad ? next : kept);
        kept = was_bad ? kept : next;
    }
    ExecStatusType status = PQresultStatus(kept);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        *result = kept;
        return 0;
    }
    int error = refusal(server, kept, why);
    PQclear(kept);
    return error;
}

// Something could not be sent.
static int not_sent(Server *server, char why[CHX_STORE_WHY])
{
    if (PQstatus(server->connection) != CONNECTION_OK)
        return lose(server, PQerrorMessage(server->connection), why);
    return store_fail(why, EFBIG, "the database can't be asked: %s", PQerrorMessage(server->connection));
}

static int prepare(Server *server, StatementId id, char why[CHX_STORE_WHY])
{
    char name[16];
    PGresult *result;
    snprintf(name, sizeof name, "chorex_%d", (int)id);
    if (server->is_prepared[id])
        return 0;
    int error = PQsendPrepare(server->connection, name, postgres_statements[id], 0, NULL)
                    ? take_results(server, SILENCE_MS, &result, why)
                    : not_sent(server, why);
    if (error == 0) {
        PQclear(result);
        server->is_prepared[id] = true;
    }
    return error == -EINPROGRESS ? -EAGAIN : error;
}

static int run_once(Server *server, StatementId id, const Parameters *parameters, PGresult **result,
                    char why[CHX_STORE_WHY])
{
    const char *values[PARAMETERS_MAX];
    int lengths[PARAMETERS_MAX], formats[PARAMETERS_MAX];
    char name[16];
    int error = prepare(server, id, why);
    if (error != 0)
        return error;
    for (int i = 0; i < parameters->count; i++) {
        const Parameter *item = &parameters->items[i];
        values[i] = item->is_null ? NULL : item->bytes != NULL ? item->bytes : "";
        lengths[i] = (int)item->size;
        formats[i] = 1;
    }
    snprintf(name, sizeof name, "chorex_%d", (int)id);
    if (!PQsendQueryPrepared(server->connection, name, parameters->count, values, lengths, formats, 1))
        return not_sent(server, why);
    return take_results(server, SILENCE_MS + parameters_size(parameters) / BYTES_PER_MS, result, why);
}

// ---- connecting ----

// Those of the address go before what comes ahead of it.
static const char *const connection_names[] = {
    "connect_timeout", "target_session_attrs", "keepalives_idle",           "tcp_user_timeout",
    "dbname",          "client_encoding",      "fallback_application_name", NULL};
enum { SETTINGS = sizeof connection_names / sizeof connection_names[0] };

static void connection_values(const Server *server, const char *values[SETTINGS])
{
    const char *const all[SETTINGS] = {"5", "read-write", "5", "10000", server->url, "UTF8", "chorex", NULL};
    memcpy(values, all, sizeof all);
}

PGconn *server_connect(const Server *server)
{
    const char *values[SETTINGS];
    connection_values(server, values);
    return PQconnectdbParams(connection_names, values, 1);
}

// is_first: nobody has seen this database yet, so the address may be wrong.
int server_refused(const Server *server, PGconn *connection, bool is_first, char why[CHX_STORE_WHY])
{
    const char *text = connection != NULL ? PQerrorMessage(connection) : "there is no memory", *values[SETTINGS];
    int error = EAGAIN;
    if (is_first) {
        connection_values(server, values);
        PGPing ping = PQpingParams(connection_names, values, 1);
        // It answers, but not to us; or it can't even be asked.
        error = ping == PQPING_OK ? EACCES : ping == PQPING_NO_ATTEMPT ? EINVAL : EAGAIN;
    }
    return store_fail(why, error, "the database can't be reached: %s", text);
}

// Whoever holds this lock, which ends with its connection, is the only one that writes with this writer's number. So what a connection that
// was lost had under way has happened, or will never happen, when the next one can be used (C10).
static int hold_lock(Server *server, char why[CHX_STORE_WHY])
{
    char ask[100], end[300];
    uint64_t begun_ms = monotonic_ms();
    snprintf(ask, sizeof ask, "SELECT pg_try_advisory_lock(%lld)", (long long)server->lock);
    snprintf(end, sizeof end,
             "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
             "AND classid = %lu AND objid = %lu AND pid <> pg_backend_pid()",
             (unsigned long)(server->lock >> 32), (unsigned long)(server->lock & 0xffffffff));
    for (;;) {
        PGresult *result;
        int error = server_query(server, ask, &result, why);
        if (error != 0)
            return error;
        bool is_held = strcmp(PQgetvalue(result, 0, 0), "t") == 0;
        PQclear(result);
        if (is_held)
            return 0;
        if (monotonic_ms() - begun_ms > OLD_CONNECTION_MS)
            return store_fail(why, EAGAIN, "the database has not ended the former connection yet");
        error = server_query(server, end, &result, why);
        if (error != 0)
            return error;
        PQclear(result);
        usleep(5000);
    }
}

// Plans are made once, before there is anything in the tables: they are to use the indexes. What the server says after a commit must be on
// its disk. Somebody who holds a lock for long is not waited for.
static const char settings[] =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off; SET lock_timeout = '5s'; "
    "SET client_min_messages = error; "
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, false)";

static int set_up(Server *server, char why[CHX_STORE_WHY])
{
    int error = server_command(server, settings, why);
    if (error == 0)
        error = hold_lock(server, why);
    return error == 0 ? schema_ensure(server, why) : error;
}

static int reconnect(Server *server, bool is_first, char why[CHX_STORE_WHY])
{
    PGconn *connection = server_connect(server);
    if (connection == NULL || PQstatus(connection) != CONNECTION_OK) {
        int error = server_refused(server, connection, is_first, why);
        PQfinish(connection);
        return error;
    }
    server->connection = connection;
    memset(server->is_prepared, 0, sizeof server->is_prepared);
    PQsetnonblocking(connection, 1);
    int error = set_up(server, why);
    if (error != 0) {
        PQfinish(server->connection);
        server->connection = NULL;
    }
    return error == -EINPROGRESS ? -EAGAIN : error;
}

bool server_is_alive(PGconn *connection)
{
    // What the server has said before it ended the connection comes before the end.
    for (int i = 0; i < MESSAGES && PQstatus(connection) == CONNECTION_OK; i++) {
        struct pollfd wait = {.fd = PQsocket(connection), .events = POLLIN};
        if (poll(&wait, 1, 0) <= 0)
            return true;
        if (PQconsumeInput(connection) == 0)
            return false;
    }
    return PQstatus(connection) == CONNECTION_OK;
}

// There is a connection, as far as one can know.
static int ensure_connection(Server *server, char why[CHX_STORE_WHY])
{
    // A server that has ended it in the meantime is noticed here, before anything could be in doubt.
    if (server->connection != NULL && !server_is_alive(server->connection)) {
        PQfinish(server->connection);
        server->connection = NULL;
    }
    return server->connection != NULL ? 0 : reconnect(server, false, why);
}

// ---- for others ----

int server_query(Server *server, const char *text, PGresult **result, char why[CHX_STORE_WHY])
{
    if (!PQsendQuery(server->connection, text))
        return not_sent(server, why);
    return take_results(server, SILENCE_MS, result, why);
}

int server_command(Server *server, const char *text, char why[CHX_STORE_WHY])
{
    PGresult *result;
    if (server->connection == NULL)
        return store_fail(why, EAGAIN, "there is no connection to the database");
    int error = server_query(server, text, &result, why);
    if (error == 0)
        PQclear(result);
    return error;
}

int server_begin(Server *server, char why[CHX_STORE_WHY])
{
    int error = ensure_connection(server, why);
    if (error == 0)
        error = server_command(server, "BEGIN", why);
    return error == -EINPROGRESS ? -EAGAIN : error;
}

void server_rollback(Server *server)
{
    char ignored[CHX_STORE_WHY];
    if (server->connection != NULL && PQtransactionStatus(server->connection) != PQTRANS_IDLE)
        server_command(server, "ROLLBACK", ignored);
}

int server_change(Server *server, StatementId id, Parameters *parameters, PGresult **result, char why[CHX_STORE_WHY])
{
    int error = 0;
    parameters_finish(parameters);
    if (parameters->has_failed)
        error = store_fail(why, ENOMEM, "there is no memory for what is to be sent to the database");
    for (int i = 0; i < DEADLOCKS && error == 0; i++) {
        bool is_inside = server->connection != NULL && PQtransactionStatus(server->connection) != PQTRANS_IDLE;
        server->was_given_up = false;
        error = is_inside ? 0 : ensure_connection(server, why);
        if (error == 0)
            error = run_once(server, id, parameters, result, why);
        if (error == 0)
            break;
        // What was part of more can't be run again alone.
        if (server->was_given_up && !is_inside && i < DEADLOCKS - 1)
            error = 0;
    }
    parameters_free(parameters);
    return error;
}

int server_ask(Server *server, StatementId id, Parameters *parameters, PGresult **result, char why[CHX_STORE_WHY])
{
    int error = server_change(server, id, parameters, result, why);
    return error == -EINPROGRESS ? -EAGAIN : error;
}

// ---- opening ----

int server_open(const char *url, const char *node, const uint64_t writer[2], void **store, char why[CHX_STORE_WHY])
{
    Server *server = calloc(1, sizeof *server);
    if (server != NULL) {
        server->url = strdup(url);
        server->node = strdup(node);
    }
    if (server == NULL || server->url == NULL || server->node == NULL) {
        server_close(server);
        return store_fail(why, ENOMEM, "there is no memory for a connection to the database");
    }
    put_pair(server->writer, writer);
    for (int i = 0; i < 16; i++)
        snprintf(server->writer_text + 2 * i, 3, "%02x", server->writer[i]);
    server->lock = writer[0] ^ writer[1];
    int error = reconnect(server, true, why);
    if (error != 0) {
        server_close(server);
        return error;
    }
    *store = server;
    return 0;
}

void server_close(void *store)
{
    Server *server = store;
    if (server == NULL)
        return;
    PQfinish(server->connection);
    PQfinish(server->watcher);
    free(server->url);
    free(server->node);
    free(server);
}

// ---- values ----

uint64_t value_u64(const PGresult *result, int row, int column)
{
    uint64_t value = 0;
    const unsigned char *bytes = (const unsigned char *)PQgetvalue(result, row, column);
    for (int i = 0; i < PQgetlength(result, row, column); i++)
        value = value << 8 | bytes[i];
    return value;
}

const char *value_text(const PGresult *result, int row, int column)
{
    return PQgetvalue(result, row, column);
}

void value_pair(const PGresult *result, int row, int column, uint64_t pair[static 2])
{
    const unsigned char *bytes = (const unsigned char *)PQgetvalue(result, row, column);
    pair[0] = pair[1] = 0;
    for (int i = 0; i < 16 && PQgetlength(result, row, column) == 16; i++)
        pair[i / 8] = pair[i / 8] << 8 | bytes[i];
}

void put_pair(unsigned char bytes[static 16], const uint64_t pair[static 2])
{
    for (size_t i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(pair[i / 8] >> (7 - i % 8) * 8);
}

void parameters_key(Parameters *parameters, const chx_store_key *key)
{
    parameters_text(parameters, key->choreography);
    parameters_text(parameters, key->space);
    parameters_text(parameters, key->name);
}
