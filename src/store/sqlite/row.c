// row.c: rows of the table `session`.
//
// A row has a check sum over all of its columns. A row is changed only if it was whole before: otherwise the new sum would hide the damage.

#define _GNU_SOURCE

#include "store/sqlite/database.h"

#include "runtime/value/crc32c.h"

#include <endian.h>
#include <string.h>

enum { SUM_PARTS = 16 };

static uint64_t sum_of_text(const char *text)
{
    size_t size = strlen(text);
    return (uint64_t)size << 32 | crc32c(text, size);
}

static uint32_t sum_of(const SessionRow *row)
{
    const chx_store_cut *cut = &row->cut;
    uint64_t parts[SUM_PARTS] = {sum_of_text(cut->key.choreography),
                                 sum_of_text(cut->key.space),
                                 sum_of_text(cut->key.name),
                                 sum_of_text(cut->definition),
                                 sum_of_text(cut->home),
                                 cut->term,
                                 cut->version,
                                 cut->token[0],
                                 cut->token[1],
                                 cut->protocol_digest,
                                 cut->writer[0],
                                 cut->writer[1],
                                 cut->changed_ms,
                                 cut->outcome,
                                 row->chunks};
    for (size_t i = 0; i < SUM_PARTS; i++)
        parts[i] = htole64(parts[i]);
    return crc32c(parts, sizeof parts);
}

// ---- reading ----

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text != NULL ? (const char *)text : "";
}

static bool read_pair(sqlite3_stmt *statement, int column, uint64_t pair[static 2])
{
    const unsigned char *bytes = sqlite3_column_blob(statement, column);
    bool is_pair = bytes != NULL && sqlite3_column_bytes(statement, column) == 16;
    pair[0] = pair[1] = 0;
    if (is_pair)
        database_get_pair(bytes, pair);
    return is_pair;
}

void row_read(sqlite3_stmt *statement, SessionRow *row)
{
    int outcome = sqlite3_column_int(statement, 10);
    row->id = sqlite3_column_int64(statement, 0);
    row->cut = (chx_store_cut){
        .key = {.choreography = text_of(statement, 1), .space = text_of(statement, 2), .name = text_of(statement, 3)},
        .term = (uint64_t)sqlite3_column_int64(statement, 4),
        .version = (uint64_t)sqlite3_column_int64(statement, 5),
        .definition = text_of(statement, 7),
        .protocol_digest = (uint64_t)sqlite3_column_int64(statement, 8),
        .home = text_of(statement, 9),
        .outcome = outcome == 0 ? CHX_STORE_UNFINISHED : CHX_STORE_OVER,
        .changed_ms = (uint64_t)sqlite3_column_int64(statement, 12),
    };
    row->chunks = (uint64_t)sqlite3_column_int64(statement, 13);
    bool has_pairs = read_pair(statement, 6, row->cut.token) & read_pair(statement, 11, row->cut.writer);
    row->is_whole = has_pairs && (outcome == 0 || outcome == 1) && sum_of(row) == sqlite3_column_int64(statement, 14);
}

int row_find(Database *database, const chx_store_key *key, SessionRow *row)
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_FIND);
    database_bind_text(statement, 1, key->choreography);
    database_bind_text(statement, 2, key->space);
    database_bind_text(statement, 3, key->name);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        row_read(statement, row);
    else
        sqlite3_reset(statement);
    return result;
}

// ---- writing ----

static void bind_pair(sqlite3_stmt *statement, int at, const uint64_t pair[static 2])
{
    unsigned char bytes[16];
    database_put_pair(bytes, pair);
    sqlite3_bind_blob(statement, at, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

int row_insert(Database *database, SessionRow *row)
{
    const chx_store_cut *cut = &row->cut;
    sqlite3_stmt *statement = database_statement(database, STATEMENT_MAKE);
    database_bind_text(statement, 1, cut->key.choreography);
    database_bind_text(statement, 2, cut->key.space);
    database_bind_text(statement, 3, cut->key.name);
    database_bind_u64(statement, 4, cut->term);
    database_bind_u64(statement, 5, cut->version);
    bind_pair(statement, 6, cut->token);
    database_bind_text(statement, 7, cut->definition);
    database_bind_u64(statement, 8, cut->protocol_digest);
    database_bind_text(statement, 9, cut->home);
    sqlite3_bind_int(statement, 10, (int)cut->outcome);
    bind_pair(statement, 11, cut->writer);
    database_bind_u64(statement, 12, cut->changed_ms);
    database_bind_u64(statement, 13, row->chunks);
    sqlite3_bind_int64(statement, 14, sum_of(row));
    int result = database_run(database, STATEMENT_MAKE);
    row->id = sqlite3_last_insert_rowid(database->connection);
    return result;
}

int row_update(Database *database, const SessionRow *row)
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_CHANGE);
    const chx_store_cut *cut = &row->cut;
    sqlite3_bind_int64(statement, 1, row->id);
    database_bind_u64(statement, 2, cut->term);
    database_bind_u64(statement, 3, cut->version);
    database_bind_text(statement, 4, cut->home);
    sqlite3_bind_int(statement, 5, (int)cut->outcome);
    bind_pair(statement, 6, cut->writer);
    database_bind_u64(statement, 7, cut->changed_ms);
    database_bind_u64(statement, 8, row->chunks);
    sqlite3_bind_int64(statement, 9, sum_of(row));
    return database_run(database, STATEMENT_CHANGE);
}
