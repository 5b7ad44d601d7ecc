// commit.c: all changes of a commit in one transaction, which is on the disk when it returns.

#include "store/sqlite/database.h"

#include <errno.h>
#include <string.h>

enum { CHUNKS_MAX = 1 << 24 }; // of a session

static void mark(const Database *database, const chx_store_change *change, uint64_t now_ms, chx_store_cut *cut)
{
    cut->version = change->version + 1;
    cut->outcome = change->outcome;
    cut->changed_ms = now_ms;
    memcpy(cut->writer, database->writer, sizeof cut->writer);
}

static int make_session(Database *database, const chx_store_change *change, uint64_t now_ms, sqlite3_int64 *id)
{
    chx_store_cut cut = {.key = change->key,
                         .term = change->term,
                         .token = {change->token[0], change->token[1]},
                         .definition = change->definition,
                         .protocol_digest = change->protocol_digest,
                         .home = change->home};
    mark(database, change, now_ms, &cut);
    return row_insert(database, &cut, id);
}

// 0, or SQLite's result. *is_applied: the row of the session has been written. A damaged row counts as stale: whoever loads the session is told.
static int write_row(Database *database, const chx_store_change *change, uint64_t now_ms, sqlite3_int64 *id,
                     bool *is_applied)
{
    SessionRow row;
    int result = row_find(database, &change->key, &row);
    if (result == SQLITE_DONE) {
        *is_applied = change->version == 0;
        return *is_applied ? make_session(database, change, now_ms, id) : 0;
    }
    if (result != SQLITE_ROW)
        return result;
    *id = row.id;
    *is_applied =
        change->version != 0 && row.is_whole && row.cut.term == change->term && row.cut.version == change->version;
    if (*is_applied) {
        mark(database, change, now_ms, &row.cut);
        result = row_update(database, &row);
    }
    sqlite3_reset(database->statements[STATEMENT_FIND]);
    return *is_applied ? result : 0;
}

static int drop_chunks(Database *database, sqlite3_int64 id, uint32_t from)
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_DROP_CHUNKS);
    sqlite3_bind_int64(statement, 1, database_first_chunk(id));
    sqlite3_bind_int64(statement, 2, database_first_chunk(id + 1));
    sqlite3_bind_int64(statement, 3, from);
    return database_run(database, STATEMENT_DROP_CHUNKS);
}

// The chunk of the same level and roles is replaced, wherever it is. Its number follows from both; if another one has that number, the next one is
// tried. So chunks of a session lie side by side, and no index is needed.
static int put_chunk(Database *database, sqlite3_int64 id, const Chunk *chunk, uint64_t version)
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_PUT_CHUNK);
    uint32_t number = (chunk->level & 0xffff) << 8 | (uint32_t)(chunk->roles >> 56);
    sqlite3_bind_int64(statement, 2, chunk->level);
    database_bind_u64(statement, 3, chunk->roles);
    database_bind_u64(statement, 4, version);
    sqlite3_bind_int64(statement, 5, chunk->sum);
    int result = sqlite3_bind_blob64(statement, 6, database->chunks.bytes + chunk->at, chunk->size, SQLITE_STATIC);
    for (uint32_t i = 0; i < CHUNKS_MAX && result == SQLITE_OK; i++) {
        sqlite3_bind_int64(statement, 1, database_first_chunk(id) + ((number + i) & (CHUNKS_MAX - 1)));
        result = database_run(database, STATEMENT_PUT_CHUNK);
        if (result != 0 || sqlite3_changes(database->connection) == 1)
            return result;
    }
    return result != SQLITE_OK ? result : SQLITE_FULL;
}

// 0, or SQLite's result.
static int apply(Database *database, chx_store_change *change, uint64_t now_ms)
{
    sqlite3_int64 id = 0;
    bool is_new = change->version == 0;
    int result = write_row(database, change, now_ms, &id, &change->is_applied);
    if (result != 0 || !change->is_applied)
        return result;
    if (!chunks_make(&database->chunks, change, change->version + 1))
        return SQLITE_NOMEM;
    result = change->drops && !is_new ? drop_chunks(database, id, change->drop_from) : 0;
    for (size_t i = 0; i < database->chunks.count && result == 0; i++)
        result = put_chunk(database, id, &database->chunks.items[i], change->version + 1);
    return result;
}

int sqlite_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    Database *database = store;
    uint64_t now_ms = database_now_ms();
    for (size_t i = 0; i < count; i++)
        changes[i].is_applied = false;
    int error = store_check_changes(changes, count, why);
    if (error == 0)
        error = database_begin(database, why);
    if (error != 0)
        return error;
    for (size_t i = 0; i < count && error == 0; i++) {
        int result = apply(database, &changes[i], now_ms);
        error = result == 0 ? 0 : database_fail(database, result, why);
    }
    error = error == 0 ? database_commit(database, why) : error;
    if (error == 0)
        return 0;
    database_rollback(database);
    for (size_t i = 0; i < count; i++)
        changes[i].is_applied = false;
    return error;
}
