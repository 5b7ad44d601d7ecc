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

// The marks of the chunks that are about to be put.
static uint64_t marks_of_new(const ChunkList *chunks, uint64_t version)
{
    uint64_t marks = 0;
    for (size_t i = 0; i < chunks->count; i++)
        marks += chunk_mark(chunks->items[i].level, chunks->items[i].roles, version);
    return marks;
}

static bool is_replaced(const ChunkList *chunks, uint32_t level, uint64_t roles)
{
    bool is_it = false;
    for (size_t i = 0; i < chunks->count && !is_it; i++)
        is_it = chunks->items[i].level == level && chunks->items[i].roles == roles;
    return is_it;
}

// The marks of all chunks as they are, and of those that the change leaves alone.
static int read_marks(Database *database, sqlite3_int64 id, const chx_store_change *change, uint64_t *all,
                      uint64_t *left)
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_CHUNK_MARKS);
    int result;
    *all = *left = 0;
    sqlite3_bind_int64(statement, 1, database_first_chunk(id));
    sqlite3_bind_int64(statement, 2, database_first_chunk(id + 1));
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        uint32_t level = (uint32_t)sqlite3_column_int64(statement, 0);
        uint64_t roles = (uint64_t)sqlite3_column_int64(statement, 1);
        uint64_t mark = chunk_mark(level, roles, (uint64_t)sqlite3_column_int64(statement, 2));
        *all += mark;
        if (!(change->drops && level >= change->drop_from) && !is_replaced(&database->chunks, level, roles))
            *left += mark;
    }
    sqlite3_reset(statement);
    return result == SQLITE_DONE ? 0 : result;
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

static int put_chunks(Database *database, sqlite3_int64 id, uint64_t version)
{
    int result = 0;
    for (size_t i = 0; i < database->chunks.count && result == 0; i++)
        result = put_chunk(database, id, &database->chunks.items[i], version);
    return result;
}

static int make_session(Database *database, const chx_store_change *change, uint64_t now_ms)
{
    SessionRow row = {.cut = {.key = change->key,
                              .term = change->term,
                              .token = {change->token[0], change->token[1]},
                              .definition = change->definition,
                              .protocol_digest = change->protocol_digest,
                              .home = change->home}};
    mark(database, change, now_ms, &row.cut);
    row.chunks = marks_of_new(&database->chunks, row.cut.version);
    int result = row_insert(database, &row);
    return result == 0 ? put_chunks(database, row.id, row.cut.version) : result;
}

static int change_session(Database *database, chx_store_change *change, uint64_t now_ms, SessionRow *row)
{
    uint64_t all, left;
    int result = read_marks(database, row->id, change, &all, &left);
    change->is_applied = result == 0 && all == row->chunks;
    if (!change->is_applied)
        return result;
    mark(database, change, now_ms, &row->cut);
    row->chunks = left + marks_of_new(&database->chunks, row->cut.version);
    result = change->drops ? drop_chunks(database, row->id, change->drop_from) : 0;
    if (result == 0)
        result = put_chunks(database, row->id, row->cut.version);
    return result == 0 ? row_update(database, row) : result;
}

// 0, or SQLite's result. A session that is damaged counts as stale: whoever loads it is told.
static int apply(Database *database, chx_store_change *change, uint64_t now_ms)
{
    SessionRow row;
    if (!chunks_make(&database->chunks, change, change->version + 1))
        return SQLITE_NOMEM;
    int result = row_find(database, &change->key, &row);
    if (result == SQLITE_DONE) {
        change->is_applied = change->version == 0;
        return change->is_applied ? make_session(database, change, now_ms) : 0;
    }
    if (result != SQLITE_ROW)
        return result;
    change->is_applied =
        change->version != 0 && row.is_whole && row.cut.term == change->term && row.cut.version == change->version;
    result = change->is_applied ? change_session(database, change, now_ms, &row) : 0;
    sqlite3_reset(database->statements[STATEMENT_FIND]);
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
