// The store in PostgreSQL, with a real server: what every store does; a server that is not there, ends, or does not let us in.

#define _GNU_SOURCE

#include "store/conform.h"
#include "store/postgres/fixture.h"
#include "store/postgres/server.h"

#include "chorex/postgres.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static PostgresFixture server;
static const chx_store_ops *const ops = &chx_store_ops_postgres;
static _Atomic uint64_t writers;

static int start(void **state)
{
    (void)state;
    postgres_fixture_init(&server, false);
    return 0;
}

static int end(void **state)
{
    (void)state;
    postgres_fixture_fini(&server);
    return 0;
}

static void *open_at(const char *url)
{
    void *store;
    char why[CHX_STORE_WHY] = "";
    uint64_t writer[2] = {0xf2345678f2345678, ++writers};
    if (ops->open(url, "home", writer, &store, why) != 0)
        fail_msg("%s", why);
    return store;
}

static void refuses(const char *url, int error, const char *text)
{
    void *store;
    char why[CHX_STORE_WHY] = "";
    uint64_t writer[2] = {1, 1};
    int result = ops->open(url, "home", writer, &store, why);
    if (result != error || strstr(why, text) == NULL)
        fail_msg("%s: %s instead of %s: '%s', not '%s'", url, strerror(-result), strerror(-error), why, text);
}

static void run_sql(const char *text)
{
    PGconn *connection = PQconnectdb(server.url);
    PGresult *result = PQexec(connection, text);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", text, PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

static chx_store_change change_of(const char *name, uint64_t version, const chx_store_piece *pieces, size_t count)
{
    return (chx_store_change){.key = {"shop", "", name},
                              .term = 1,
                              .version = version,
                              .definition = "run",
                              .home = "home",
                              .pieces = pieces,
                              .piece_count = count};
}

static int commit_one(void *store, chx_store_change change, char why[CHX_STORE_WHY])
{
    int error = ops->commit(store, &change, 1, why);
    assert_true(error == 0 || !change.is_applied);
    return error;
}

static int load(void *store, const char *name, uint64_t *version, char why[CHX_STORE_WHY])
{
    chx_store_cut cut;
    int error = ops->load(store, &(chx_store_key){"shop", "", name}, &cut, why);
    if (error == 0) {
        *version = cut.version;
        ops->release(store, &cut);
    }
    return error;
}

static void postgres_conforms(void **state)
{
    (void)state;
    store_conforms(&(StoreWorld){.ops = ops, .place = server.url, .large_bytes = (size_t)100 << 20});
}

// ---- who may not come in ----

static void what_is_wrong_is_said(void **state)
{
    char url[200];
    (void)state;
    refuses("postgresql://chorex@/postgres?host=/nowhere", -EAGAIN, "can't be reached");
    refuses("postgresql://chorex@localhost:1/postgres", -EAGAIN, "can't be reached");
    refuses("postgresql://chorex@/postgres?hots=x", -EINVAL, "hots");
    snprintf(url, sizeof url, "postgresql://chorex@/nothing?host=%s", server.folder);
    refuses(url, -EACCES, "\"nothing\" does not exist");
    snprintf(url, sizeof url, "postgresql://stranger@/postgres?host=%s", server.folder);
    refuses(url, -EACCES, "stranger");
    // A user who may not make tables in a database that has none.
    run_sql("CREATE DATABASE empty");
    run_sql("CREATE USER guest");
    snprintf(url, sizeof url, "postgresql://guest@/empty?host=%s", server.folder);
    refuses(url, -EACCES, "the tables of Chorex can't be made");
    run_sql("UPDATE chorex_store SET format = 2");
    refuses(server.url, -EINVAL, "another version of Chorex (format 2, this one has 1)");
    run_sql("UPDATE chorex_store SET format = 1");
    // A server that only reads is not what is looked for.
    snprintf(url, sizeof url, "postgresql://chorex@/postgres?host=%s&options=-cdefault_transaction_read_only%%3Don",
             server.folder);
    refuses(url, -EACCES, "read-only");
}

static void *open_and_close(void *context)
{
    ops->close(open_at(context));
    return NULL;
}

static void nodes_may_make_the_tables_at_once(void **state)
{
    enum { NODES = 4, ROUNDS = 5 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[NODES];
        char text[100], url[200];
        snprintf(text, sizeof text, "CREATE DATABASE together%d", round);
        run_sql(text);
        snprintf(url, sizeof url, "postgresql://chorex@/together%d?host=%s", round, server.folder);
        for (int i = 0; i < NODES; i++)
            pthread_create(&threads[i], NULL, open_and_close, url);
        for (int i = 0; i < NODES; i++)
            pthread_join(threads[i], NULL);
    }
}

// ---- servers that end ----

static void a_server_that_comes_back_is_used_again(void **state)
{
    char why[CHX_STORE_WHY] = "";
    uint64_t version = 0;
    int descriptor, other;
    (void)state;
    void *store = open_at(server.url);
    assert_int_equal(commit_one(store, change_of("back", 0, NULL, 0), why), 0);
    assert_int_equal(ops->watch(store, &descriptor, why), 0);
    postgres_fixture_kill(&server);
    // It is noticed before anything is sent, so nothing is in doubt.
    assert_int_equal(commit_one(store, change_of("back", 1, NULL, 0), why), -EAGAIN);
    assert_non_null(strstr(why, "can't be reached"));
    assert_int_equal(load(store, "back", &version, why), -EAGAIN);
    assert_int_equal(ops->lease(store, 1000, why), -EAGAIN);
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    assert_int_equal(poll(&wait, 1, 10000), 1);
    assert_int_equal(ops->watch(store, &other, why), -EAGAIN);
    postgres_fixture_start(&server);
    assert_int_equal(load(store, "back", &version, why), 0);
    assert_true(version == 1); // What was said to be committed is there.
    assert_int_equal(commit_one(store, change_of("back", 1, NULL, 0), why), 0);
    assert_int_equal(ops->watch(store, &other, why), 0);
    // Sessions of the server that are ended by hand.
    run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'chorex'");
    int error;
    while ((error = commit_one(store, change_of("back", 2, NULL, 0), why)) == -EAGAIN || error == -EINPROGRESS)
        ;
    assert_int_equal(error, 0);
    ops->close(store);
}

// The former connection of the same writer is ended before the next one is used.
static void a_former_connection_can_do_nothing_any_more(void **state)
{
    char why[CHX_STORE_WHY] = "";
    (void)state;
    void *store = open_at(server.url);
    Server *it = store;
    assert_int_equal(commit_one(store, change_of("former", 0, NULL, 0), why), 0);
    PGconn *former = it->connection;
    it->connection = NULL; // lost, as far as we know; the server does not know yet
    assert_int_equal(commit_one(store, change_of("former", 1, NULL, 0), why), 0);
    PGresult *result = PQexec(former, "SELECT 1");
    assert_int_not_equal(PQresultStatus(result), PGRES_TUPLES_OK);
    PQclear(result);
    PQfinish(former);
    ops->close(store);
}

static void somebody_who_holds_a_row_is_not_waited_for_forever(void **state)
{
    char why[CHX_STORE_WHY] = "";
    (void)state;
    void *store = open_at(server.url);
    assert_int_equal(commit_one(store, change_of("held", 0, NULL, 0), why), 0);
    assert_int_equal(server_command(store, "SET lock_timeout = '100ms'", why), 0);
    PGconn *other = PQconnectdb(server.url);
    PQclear(PQexec(other, "BEGIN"));
    PQclear(PQexec(other, "SELECT FROM chorex_session WHERE name = 'held' FOR UPDATE"));
    assert_int_equal(commit_one(store, change_of("held", 1, NULL, 0), why), -EAGAIN);
    assert_non_null(strstr(why, "lock"));
    PQfinish(other);
    int error;
    while ((error = commit_one(store, change_of("held", 1, NULL, 0), why)) == -EAGAIN)
        ;
    assert_int_equal(error, 0);
    ops->close(store);
}

// ---- several hosts ----

static void the_host_that_can_be_written_is_found(void **state)
{
    char url[300], why[CHX_STORE_WHY] = "";
    (void)state;
    snprintf(url, sizeof url, "postgresql://chorex@/postgres?host=/nowhere,%s", server.folder);
    void *store = open_at(url);
    assert_int_equal(commit_one(store, change_of("hosts", 0, NULL, 0), why), 0);
    // The server only reads from now on, as one does whose place another one has taken.
    assert_int_equal(server_command(store, "SET default_transaction_read_only = on", why), 0);
    assert_int_equal(commit_one(store, change_of("hosts", 1, NULL, 0), why), -EAGAIN);
    assert_int_equal(commit_one(store, change_of("hosts", 1, NULL, 0), why), 0);
    ops->close(store);
}

// ---- damage ----

static void damage_is_found(void **state)
{
    char why[CHX_STORE_WHY] = "";
    uint64_t version;
    chx_store_piece pieces[] = {{.level = 0, .role = 0, .data = "a", .size = 1},
                                {.level = 1, .role = 0, .data = "bc", .size = 2}};
    (void)state;
    void *store = open_at(server.url);
    assert_int_equal(commit_one(store, change_of("bad", 0, pieces, 2), why), 0);
    assert_int_equal(commit_one(store, change_of("good", 0, pieces, 2), why), 0);
    run_sql("UPDATE chorex_chunk SET data = set_byte(data, length(data) - 1, 0) FROM chorex_session s WHERE session = "
            "s.id AND s.name = 'bad' AND "
            "level = 1");
    assert_int_equal(load(store, "bad", &version, why), -EBADMSG);
    assert_non_null(strstr(why, "session 'bad' of shop is damaged"));
    assert_int_equal(load(store, "good", &version, why), 0);
    ops->close(store);
}

// What a group commit of 64 sessions takes: no matter how many, one statement.
static void a_group_commit_is_one_round_trip(void **state)
{
    enum { SESSIONS = 64, PIECES = 4 };
    static char names[SESSIONS][16];
    chx_store_change changes[SESSIONS];
    chx_store_piece pieces[PIECES];
    char why[CHX_STORE_WHY] = "", bytes[200] = "";
    (void)state;
    void *store = open_at(server.url);
    for (uint32_t i = 0; i < PIECES; i++)
        pieces[i] = (chx_store_piece){.level = i / 2, .role = i % 2, .data = bytes, .size = sizeof bytes};
    for (int i = 0; i < SESSIONS; i++) {
        snprintf(names[i], sizeof names[i], "g%d", i);
        changes[i] = change_of(names[i], 0, pieces, PIECES);
    }
    assert_int_equal(ops->commit(store, changes, SESSIONS, why), 0);
    PGconn *connection = ((Server *)store)->connection;
    FILE *trace = tmpfile();
    PQtrace(connection, trace);
    for (int i = 0; i < SESSIONS; i++)
        changes[i].version = 1;
    assert_int_equal(ops->commit(store, changes, SESSIONS, why), 0);
    PQuntrace(connection);
    rewind(trace);
    int syncs = 0, binds = 0;
    static char line[1 << 20];
    while (fgets(line, sizeof line, trace) != NULL) {
        syncs += strstr(line, "\tSync") != NULL;
        binds += strstr(line, "\tBind\t") != NULL;
    }
    fclose(trace);
    assert_int_equal(syncs, 1);
    assert_int_equal(binds, 1);
    ops->close(store);
}

int main(void)
{
    if (!postgres_fixture_exists()) {
        printf("skipped: PostgreSQL is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(postgres_conforms),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(nodes_may_make_the_tables_at_once),
        cmocka_unit_test(a_server_that_comes_back_is_used_again),
        cmocka_unit_test(a_former_connection_can_do_nothing_any_more),
        cmocka_unit_test(somebody_who_holds_a_row_is_not_waited_for_forever),
        cmocka_unit_test(the_host_that_can_be_written_is_found),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(a_group_commit_is_one_round_trip),
    };
    return cmocka_run_group_tests(tests, start, end);
}
