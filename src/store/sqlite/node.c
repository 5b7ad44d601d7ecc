// node.c: who decides: leases of nodes, and sessions that another node takes (C8).

#include "store/sqlite/database.h"

#include <errno.h>
#include <string.h>

// -EBUSY: it has one.
static int check_lease(Database *database, const char *node, char why[CHX_STORE_WHY])
{
    sqlite3_stmt *statement = database_statement(database, STATEMENT_LEASE_OF);
    database_bind_text(statement, 1, node);
    int result = sqlite3_step(statement);
    uint64_t until_ms = result == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return database_fail(database, result, why);
    uint64_t now_ms = database_now_ms();
    if (until_ms > now_ms)
        return store_busy(node, until_ms - now_ms, why);
    return 0;
}

static int check_take(Database *database, const chx_store_key *key, const SessionRow *row, uint64_t term, bool by_hand,
                      char why[CHX_STORE_WHY])
{
    if (!row->is_whole)
        return store_damaged(key, "the check sum of its row is wrong", why);
    if (row->cut.term != term)
        return store_stale(key, row->cut.home, why);
    if (by_hand || strcmp(row->cut.home, database->node) == 0)
        return 0;
    return check_lease(database, row->cut.home, why);
}

static int take(Database *database, const chx_store_key *key, uint64_t term, bool by_hand, char why[CHX_STORE_WHY])
{
    SessionRow row;
    int result = row_find(database, key, &row);
    if (result == SQLITE_DONE)
        return store_missing(key, why);
    if (result != SQLITE_ROW)
        return database_fail(database, result, why);
    int error = check_take(database, key, &row, term, by_hand, why);
    if (error == 0) {
        row.cut.term = term + 1;
        row.cut.home = database->node;
        row.cut.changed_ms = database_now_ms();
        memcpy(row.cut.writer, database->writer, sizeof row.cut.writer);
        result = row_update(database, &row);
        error = result == 0 ? 0 : database_fail(database, result, why);
    }
    sqlite3_reset(database->statements[STATEMENT_FIND]);
    return error;
}

// It is not synced. What loses it, a loss of power, ends this program, too, and nobody has acted on it: with the first commit of the new home it
// is on the disk. So a program that goes on with very many sessions does not sync once for each.
int sqlite_take(void *store, const chx_store_key *key, uint64_t term, bool by_hand, uint64_t *new_term,
                char why[CHX_STORE_WHY])
{
    Database *database = store;
    int error = database_begin_lazily(database, why);
    if (error != 0)
        return error;
    error = take(database, key, term, by_hand, why);
    if (error != 0) {
        database_rollback(database);
        database_be_eager(database);
        return error;
    }
    error = database_commit(database, why);
    database_be_eager(database);
    if (error == 0)
        *new_term = term + 1;
    return error;
}

int sqlite_lease(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY])
{
    Database *database = store;
    int error = database_check_place(database, why);
    if (error != 0)
        return error;
    StatementId id = lease_ms > 0 ? STATEMENT_LEASE : STATEMENT_END_LEASE;
    sqlite3_stmt *statement = database_statement(database, id);
    database_bind_text(statement, 1, database->node);
    if (lease_ms > 0)
        database_bind_u64(statement, 2, database_now_ms() + lease_ms);
    int result = database_run(database, id);
    return result == 0 ? 0 : database_fail(database, result, why);
}
