// database.c: opens a SQLite database, makes its tables, and says what is wrong with it in the user's terms.

#define _GNU_SOURCE

#include "store/sqlite/database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    APPLICATION = 0x43687831, // "Chx1", in the file's header: whose database it is
    FORMAT = 2,               // of the tables; a later version that changes them raises it
    BUSY_MS = 1000            // so long another process may be in the way
};

static const char tables[] =
    "CREATE TABLE session (id INTEGER PRIMARY KEY, choreography TEXT NOT NULL, space TEXT NOT NULL, "
    "  name TEXT NOT NULL, term INTEGER NOT NULL, version INTEGER NOT NULL, token BLOB NOT NULL, "
    "  definition TEXT NOT NULL, protocol_digest INTEGER NOT NULL, home TEXT NOT NULL, outcome INTEGER NOT NULL, "
    "  writer BLOB NOT NULL, changed_ms INTEGER NOT NULL, chunks INTEGER NOT NULL, sum INTEGER NOT NULL, UNIQUE "
    "(choreography, space, name));"
    // Numbers say which session a chunk belongs to: see database_first_chunk.
    "CREATE TABLE chunk (id INTEGER PRIMARY KEY, level INTEGER NOT NULL, roles INTEGER NOT NULL, "
    "  version INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE node (name TEXT PRIMARY KEY, lease_until_ms INTEGER NOT NULL);"
    "PRAGMA application_id = 1130919985;" // APPLICATION
    "PRAGMA user_version = 2;";           // FORMAT

uint64_t database_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// ---- what is wrong ----

int database_fail(const Database *database, int result, char why[CHX_STORE_WHY])
{
    int error = database->connection != NULL ? sqlite3_system_errno(database->connection) : 0;
    const char *reason = error != 0 ? strerror(error) : sqlite3_errstr(result);
    switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return store_fail(why, EAGAIN, "another process is writing to '%s'", database->path);
    case SQLITE_FULL:
        return store_fail(why, ENOSPC, "the disk of '%s' is full", database->path);
    case SQLITE_READONLY:
        return store_fail(why, EROFS, "'%s', or its folder, can't be written", database->path);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return store_fail(why, error != 0 ? error : EACCES, "'%s' can't be opened: %s", database->path, reason);
    case SQLITE_NOTADB:
        return store_fail(why, EINVAL, "'%s' is not a SQLite database", database->path);
    case SQLITE_CORRUPT:
        return store_fail(why, EBADMSG, "the database '%s' is damaged", database->path);
    case SQLITE_NOMEM:
        return store_fail(why, ENOMEM, "there is no memory for '%s'", database->path);
    case SQLITE_TOOBIG:
        return store_fail(why, EFBIG, "the state of a role is too big for SQLite, which takes %d bytes",
                          sqlite3_limit(database->connection, SQLITE_LIMIT_LENGTH, -1));
    case SQLITE_IOERR:
        // Some file systems say so only when a file is synced.
        if (error == ENOSPC || error == EDQUOT)
            return store_fail(why, ENOSPC, "the disk of '%s' is full", database->path);
        return store_fail(why, EIO, "'%s' can't be read or written: %s", database->path, reason);
    default:
        return store_fail(why, EIO, "'%s': %s", database->path, sqlite3_errmsg(database->connection));
    }
}

// ---- statements ----

sqlite3_stmt *database_statement(Database *database, StatementId id)
{
    sqlite3_reset(database->statements[id]);
    return database->statements[id];
}

int database_run(Database *database, StatementId id)
{
    int result = sqlite3_step(database->statements[id]);
    sqlite3_reset(database->statements[id]);
    return result == SQLITE_DONE || result == SQLITE_ROW ? 0 : result;
}

// A file that was removed is written all the same, and is gone when the last process has closed it. One that was moved is not the one that is
// opened next time.
int database_check_place(const Database *database, char why[CHX_STORE_WHY])
{
    int has_moved = 0;
    sqlite3_file_control(database->connection, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (has_moved == 0)
        return 0;
    return store_fail(why, EAGAIN, "'%s' was removed or replaced while it is in use: put it back, or end the program",
                      database->path);
}

int database_begin(Database *database, char why[CHX_STORE_WHY])
{
    int error = database_check_place(database, why);
    if (error != 0)
        return error;
    int result = database_run(database, STATEMENT_BEGIN);
    return result == 0 ? 0 : database_fail(database, result, why);
}

void database_rollback(Database *database)
{
    // After some errors SQLite has done it by itself.
    if (!sqlite3_get_autocommit(database->connection))
        database_run(database, STATEMENT_ROLLBACK);
}

int database_commit(Database *database, char why[CHX_STORE_WHY])
{
    int result = database_run(database, STATEMENT_COMMIT);
    if (result == 0)
        return 0;
    int error = database_fail(database, result, why);
    database_rollback(database);
    // All of the commit may be in the file although it could not be synced: whoever opens the database after a loss of power, or after
    // this process was killed, may find it there or not.
    if (error == -EIO)
        return -EINPROGRESS;
    return error;
}

int database_begin_lazily(Database *database, char why[CHX_STORE_WHY])
{
    sqlite3_exec(database->connection, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    int error = database_begin(database, why);
    if (error != 0)
        database_be_eager(database);
    return error;
}

void database_be_eager(Database *database)
{
    database_rollback(database); // it can't be done in a transaction
    sqlite3_exec(database->connection, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
}

void database_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

void database_bind_u64(sqlite3_stmt *statement, int at, uint64_t value)
{
    sqlite3_bind_int64(statement, at, (sqlite3_int64)value);
}

void database_put_pair(unsigned char bytes[static 16], const uint64_t pair[static 2])
{
    for (size_t i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(pair[i / 8] >> (7 - i % 8) * 8);
}

void database_get_pair(const unsigned char bytes[static 16], uint64_t pair[static 2])
{
    pair[0] = pair[1] = 0;
    for (size_t i = 0; i < 16; i++)
        pair[i / 8] = pair[i / 8] << 8 | bytes[i];
}

sqlite3_int64 database_first_chunk(sqlite3_int64 session)
{
    return session << 24;
}

// ---- opening ----

// Called again and again while another process writes. SQLite's own way waits for up to 100 ms at a time.
static int wait_for_others(void *context, int times)
{
    Database *database = context;
    uint64_t now_ms = database_now_ms();
    if (times == 0)
        database->busy_since_ms = now_ms;
    if (now_ms < database->busy_since_ms || now_ms - database->busy_since_ms > BUSY_MS)
        return 0;
    usleep(times < 10 ? 200 : 2000);
    return 1;
}

static int read_number(Database *database, const char *text, sqlite3_int64 *number)
{
    sqlite3_stmt *statement;
    int result = sqlite3_prepare_v2(database->connection, text, -1, &statement, NULL);
    if (result != SQLITE_OK)
        return result;
    result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result == SQLITE_ROW ? 0 : result;
}

// *is_empty: there is nothing in it yet. An error if it is another program's, or of a version that we don't know. Called in a
// transaction, since another process may make the tables between two of these questions.
static int check_owner(Database *database, bool *is_empty, char why[CHX_STORE_WHY])
{
    sqlite3_int64 owner = 0, format = 0, count = 0;
    int result = read_number(database, "PRAGMA application_id", &owner);
    if (result == 0)
        result = read_number(database, "PRAGMA user_version", &format);
    if (result == 0)
        result = read_number(database, "SELECT count(*) FROM sqlite_schema", &count);
    if (result != 0)
        return database_fail(database, result, why);
    *is_empty = owner == 0 && format == 0 && count == 0;
    if (*is_empty)
        return 0;
    if (owner != APPLICATION)
        return store_fail(why, EINVAL, "'%s' is a database of another program", database->path);
    if (format != FORMAT)
        return store_fail(why, EINVAL, "'%s' was made by another version of Chorex (format %lld, this one has %d)",
                          database->path, (long long)format, FORMAT);
    return 0;
}

static int use_log(Database *database, char why[CHX_STORE_WHY])
{
    sqlite3_stmt *statement;
    int result = sqlite3_prepare_v2(database->connection, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
    if (result != SQLITE_OK)
        return database_fail(database, result, why);
    result = sqlite3_step(statement);
    const char *mode = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool is_log = mode != NULL && strcmp(mode, "wal") == 0;
    sqlite3_finalize(statement);
    if (result != SQLITE_ROW)
        return database_fail(database, result, why);
    if (!is_log)
        return store_fail(why, ENOTSUP, "'%s' can't have a write-ahead log: it must be a file on a local disk",
                          database->path);
    return 0;
}

// In one transaction, which begins with these words.
static int set_up_tables(Database *database, const char *begin, bool may_make, bool *is_empty, char why[CHX_STORE_WHY])
{
    int result = sqlite3_exec(database->connection, begin, NULL, NULL, NULL);
    if (result != SQLITE_OK)
        return database_fail(database, result, why);
    int error = check_owner(database, is_empty, why);
    if (error == 0 && *is_empty && may_make) {
        result = sqlite3_exec(database->connection, tables, NULL, NULL, NULL);
        error = result == SQLITE_OK ? 0 : database_fail(database, result, why);
    }
    if (error == 0) {
        result = sqlite3_exec(database->connection, "COMMIT", NULL, NULL, NULL);
        error = result == SQLITE_OK ? 0 : database_fail(database, result, why);
    }
    if (!sqlite3_get_autocommit(database->connection))
        sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
    return error;
}

static int prepare(Database *database, char why[CHX_STORE_WHY])
{
    // The log is synced at each commit.
    int result = sqlite3_exec(database->connection, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    for (int i = 0; i < STATEMENT_COUNT && result == SQLITE_OK; i++)
        result = sqlite3_prepare_v3(database->connection, sqlite_statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &database->statements[i], NULL);
    return result == SQLITE_OK ? 0 : database_fail(database, result, why);
}

static int set_up(Database *database, char why[CHX_STORE_WHY])
{
    bool is_empty;
    // Another program's database is left as it is, without a log.
    int error = set_up_tables(database, "BEGIN", false, &is_empty, why);
    if (error == 0)
        error = use_log(database, why);
    if (error == 0 && is_empty)
        error = set_up_tables(database, "BEGIN IMMEDIATE", true, &is_empty, why);
    return error == 0 ? prepare(database, why) : error;
}

static int connect_file(Database *database, char why[CHX_STORE_WHY])
{
    int result = sqlite3_open_v2(database->path, &database->connection,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result != SQLITE_OK)
        return database_fail(database, result, why);
    sqlite3_extended_result_codes(database->connection, 1);
    sqlite3_busy_handler(database->connection, wait_for_others, database);
    // Two processes that turn the log on at the same moment don't wait for each other, but fail at once.
    uint64_t begun_ms = database_now_ms();
    int error;
    while ((error = set_up(database, why)) == -EAGAIN && database_now_ms() - begun_ms < BUSY_MS)
        usleep(2000);
    return error;
}

int database_open(const char *path, const char *node, const uint64_t writer[2], void **store, char why[CHX_STORE_WHY])
{
    if (path[0] == '\0' || strcmp(path, ":memory:") == 0)
        return store_fail(why, EINVAL, "a store in SQLite needs the name of a file, as in sqlite:orders.db");
    Database *database = calloc(1, sizeof *database);
    if (database != NULL) {
        database->path = strdup(path);
        database->node = strdup(node);
    }
    if (database == NULL || database->path == NULL || database->node == NULL) {
        database_close(database);
        return store_fail(why, ENOMEM, "there is no memory for '%s'", path);
    }
    memcpy(database->writer, writer, sizeof database->writer);
    int error = connect_file(database, why);
    if (error != 0) {
        database_close(database);
        return error;
    }
    *store = database;
    return 0;
}

void database_close(void *store)
{
    Database *database = store;
    if (database == NULL)
        return;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(database->statements[i]);
    sqlite3_close(database->connection);
    chunks_free(&database->chunks);
    free(database->path);
    free(database->node);
    free(database);
}
