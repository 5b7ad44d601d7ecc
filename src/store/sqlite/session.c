// session.c: reads sessions out of the database, one or many, and removes them.

#include "store/cut.h"
#include "store/sqlite/database.h"

#include <errno.h>
#include <string.h>

enum { PAGE = 256 }; // sessions that are read at once

static int no_memory(const Database *database, char why[CHX_STORE_WHY])
{
    return database_fail(database, SQLITE_NOMEM, why);
}

// ---- one ----

static int read_chunk(sqlite3_stmt *statement, chx_store_cut *cut, uint64_t *marks, char why[CHX_STORE_WHY])
{
    ChunkRow row = {.level = (uint32_t)sqlite3_column_int64(statement, 0),
                    .roles = (uint64_t)sqlite3_column_int64(statement, 1),
                    .version = (uint64_t)sqlite3_column_int64(statement, 2),
                    .sum = (uint32_t)sqlite3_column_int64(statement, 3),
                    .data = sqlite3_column_blob(statement, 4),
                    .size = (size_t)sqlite3_column_bytes(statement, 4)};
    *marks += chunk_mark(row.level, row.roles, row.version);
    return chunk_read(&row, cut, why);
}

static int read_chunks(Database *database, const SessionRow *session, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    uint64_t marks = 0;
    sqlite3_stmt *statement = database_statement(database, STATEMENT_CHUNKS);
    int result, error = 0;
    sqlite3_bind_int64(statement, 1, database_first_chunk(session->id));
    sqlite3_bind_int64(statement, 2, database_first_chunk(session->id + 1));
    while (error == 0 && (result = sqlite3_step(statement)) != SQLITE_DONE)
        error = result == SQLITE_ROW ? read_chunk(statement, cut, &marks, why) : database_fail(database, result, why);
    sqlite3_reset(statement);
    if (error == 0 && marks != session->chunks)
        error = store_damaged(&cut->key, "a piece of it is missing, or is an old one", why);
    return error;
}

static int read_session(Database *database, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    SessionRow row;
    int result = row_find(database, key, &row);
    if (result == SQLITE_DONE)
        return store_missing(key, why);
    if (result != SQLITE_ROW)
        return database_fail(database, result, why);
    if (!row.is_whole)
        return store_damaged(key, "the check sum of its row is wrong", why);
    *cut = row.cut;
    if (!cut_own(cut))
        return no_memory(database, why);
    // The statement is not over yet, so that the pieces are of the same moment.
    int error = read_chunks(database, &row, cut, why);
    if (error != 0)
        cut_release(cut);
    return error;
}

int sqlite_load(void *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    Database *database = store;
    chx_store_cut found = {0};
    int error = database_check_place(database, why);
    if (error == 0)
        error = read_session(database, key, &found, why);
    sqlite3_reset(database->statements[STATEMENT_FIND]);
    if (error == 0)
        *cut = found;
    return error;
}

void sqlite_release(void *store, chx_store_cut *cut)
{
    (void)store;
    cut_release(cut);
}

// ---- many ----

static void bind_filter(sqlite3_stmt *statement, const chx_store_filter *filter)
{
    database_bind_text(statement, 2, filter->choreography);
    database_bind_text(statement, 3, filter->home);
    sqlite3_bind_int(statement, 4, filter->unfinished_only);
    sqlite3_bind_int(statement, 5, filter->orphans_only);
    database_bind_u64(statement, 6, database_now_ms());
    database_bind_u64(statement, 7, filter->changed_before_ms);
    sqlite3_bind_int(statement, 8, PAGE);
}

// Some sessions behind *last, which becomes the last of them. No statement runs when it returns, so that the caller may do anything with
// the database.
static int read_page(Database *database, const chx_store_filter *filter, sqlite3_int64 *last,
                     chx_store_cut cuts[static PAGE], size_t *count, char why[CHX_STORE_WHY])
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_EACH);
    int result, error = 0;
    *count = 0;
    bind_filter(statement, filter);
    sqlite3_bind_int64(statement, 1, *last);
    while (error == 0 && (result = sqlite3_step(statement)) != SQLITE_DONE) {
        SessionRow row;
        if (result != SQLITE_ROW) {
            error = database_fail(database, result, why);
            continue;
        }
        row_read(statement, &row);
        cuts[*count] = row.cut;
        if (cut_own(&cuts[*count])) {
            ++*count;
            *last = row.id;
        } else {
            error = no_memory(database, why);
        }
    }
    sqlite3_reset(statement);
    return error;
}

int sqlite_each(void *store, const chx_store_filter *filter, bool (*found)(void *context, const chx_store_cut *),
                void *context, char why[CHX_STORE_WHY])
{
    static const chx_store_filter all = {0};
    chx_store_cut cuts[PAGE];
    sqlite3_int64 last = 0;
    size_t count = PAGE;
    bool goes_on = true;
    int error = 0;
    while (error == 0 && goes_on && count == PAGE) {
        error = read_page(store, filter != NULL ? filter : &all, &last, cuts, &count, why);
        for (size_t i = 0; i < count; i++) {
            if (error == 0 && goes_on)
                goes_on = found(context, &cuts[i]);
            cut_release(&cuts[i]);
        }
    }
    return error;
}

// ---- removing ----

static int drop_one(Database *database, const chx_store_key *key, char why[CHX_STORE_WHY])
{
    SessionRow row;
    int result = row_find(database, key, &row);
    sqlite3_reset(database->statements[STATEMENT_FIND]);
    if (result == SQLITE_DONE)
        return store_missing(key, why);
    if (result != SQLITE_ROW)
        return database_fail(database, result, why);
    sqlite3_stmt *statement = database_statement(database, STATEMENT_DROP_CHUNKS);
    sqlite3_bind_int64(statement, 1, database_first_chunk(row.id));
    sqlite3_bind_int64(statement, 2, database_first_chunk(row.id + 1));
    sqlite3_bind_int64(statement, 3, 0);
    result = database_run(database, STATEMENT_DROP_CHUNKS);
    sqlite3_bind_int64(database_statement(database, STATEMENT_DROP), 1, row.id);
    if (result == 0)
        result = database_run(database, STATEMENT_DROP);
    return result == 0 ? 0 : database_fail(database, result, why);
}

static int drop_old(Database *database, uint64_t over_for_ms, char why[CHX_STORE_WHY])
{
    uint64_t now_ms = database_now_ms();
    uint64_t until_ms = over_for_ms < now_ms ? now_ms - over_for_ms : 0;
    database_bind_u64(database_statement(database, STATEMENT_DROP_CHUNKS_OF_OLD), 1, until_ms);
    database_bind_u64(database_statement(database, STATEMENT_DROP_OLD), 1, until_ms);
    int result = database_run(database, STATEMENT_DROP_CHUNKS_OF_OLD);
    if (result == 0)
        result = database_run(database, STATEMENT_DROP_OLD);
    return result == 0 ? 0 : database_fail(database, result, why);
}

int sqlite_drop(void *store, const chx_store_key *key, uint64_t over_for_ms, char why[CHX_STORE_WHY])
{
    Database *database = store;
    int error = database_begin(database, why);
    if (error != 0)
        return error;
    error = key != NULL ? drop_one(database, key, why) : drop_old(database, over_for_ms, why);
    if (error == 0)
        return database_commit(database, why);
    database_rollback(database);
    return error;
}
