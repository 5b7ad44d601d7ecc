// plain_sqlite.c: transactions in SQLite written by hand, of as many bytes as those of table.c: a row for each session, nothing is checked or named.
// The last argument: how many sessions share a transaction.

#include "bench/stores/work.h"

#include <sqlite3.h>

static void run(sqlite3 *connection, const char *text)
{
    if (sqlite3_exec(connection, text, NULL, NULL, NULL) != SQLITE_OK)
        work_fail(sqlite3_errmsg(connection));
}

static void write_all(sqlite3 *connection, sqlite3_stmt *statement, const Work *work, long group, const char *bytes)
{
    for (long i = 0; i < work->sessions; i++) {
        if (i % group == 0)
            run(connection, "BEGIN IMMEDIATE");
        sqlite3_bind_int64(statement, 1, i + 1);
        sqlite3_bind_blob64(statement, 2, bytes, work_session_bytes(work), SQLITE_STATIC);
        if (sqlite3_step(statement) != SQLITE_DONE)
            work_fail(sqlite3_errmsg(connection));
        sqlite3_reset(statement);
        if (i % group == group - 1 || i == work->sessions - 1)
            run(connection, "COMMIT");
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    Work work = work_of(argv + 1);
    long group = atol(argv[5]);
    char *bytes = calloc(1, work_session_bytes(&work));
    sqlite3 *connection;
    sqlite3_stmt *insert, *update;
    if (sqlite3_open(work.place, &connection) != SQLITE_OK)
        work_fail("the file can't be opened");
    run(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)");
    sqlite3_prepare_v2(connection, "INSERT INTO t VALUES (?1, ?2)", -1, &insert, NULL);
    sqlite3_prepare_v2(connection, "UPDATE t SET data = ?2 WHERE id = ?1", -1, &update, NULL);
    write_all(connection, insert, &work, work.sessions, bytes);
    Measure measure = measure_begin();
    for (long n = 0; n < work.commits; n++) {
        memset(bytes, (int)n, work_session_bytes(&work));
        write_all(connection, update, &work, group, bytes);
    }
    measure_end(&measure);
    measure_print(&measure);
    sqlite3_finalize(insert);
    sqlite3_finalize(update);
    sqlite3_close(connection);
    return 0;
}
