// statements.c: what the store says to SQLite. The tables are in database.c.

#include "store/sqlite/database.h"

#define COLUMNS                                                                                                        \
    "id, choreography, space, name, term, version, token, definition, protocol_digest, home, outcome, writer, "        \
    "changed_ms, chunks, sum"

const char *const sqlite_statements[STATEMENT_COUNT] = {
    // A transaction that is going to write says so at once: one that has read before may have to be given up.
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    // No RETURNING: SQLite makes a table for what it returns.
    [STATEMENT_MAKE] = "INSERT INTO session (choreography, space, name, term, version, token, definition, "
                       "protocol_digest, home, outcome, writer, changed_ms, chunks, sum) "
                       "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    [STATEMENT_CHANGE] = "UPDATE session SET term = ?2, version = ?3, home = ?4, outcome = ?5, writer = ?6, "
                         "changed_ms = ?7, chunks = ?8, sum = ?9 WHERE id = ?1",
    [STATEMENT_DROP_CHUNKS] = "DELETE FROM chunk WHERE id >= ?1 AND id < ?2 AND level >= ?3",
    // Nothing happens if the number is another chunk's.
    [STATEMENT_PUT_CHUNK] = "INSERT INTO chunk (id, level, roles, version, sum, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
                            "ON CONFLICT (id) DO UPDATE SET version = ?4, sum = ?5, data = ?6 "
                            "WHERE level = ?2 AND roles = ?3",
    [STATEMENT_FIND] = "SELECT " COLUMNS " FROM session WHERE choreography = ?1 AND space = ?2 AND name = ?3",
    [STATEMENT_CHUNKS] =
        "SELECT level, roles, version, sum, data FROM chunk WHERE id >= ?1 AND id < ?2 ORDER BY version",
    [STATEMENT_CHUNK_MARKS] = "SELECT level, roles, version FROM chunk WHERE id >= ?1 AND id < ?2",
    [STATEMENT_EACH] = "SELECT " COLUMNS " FROM session WHERE id > ?1 AND (?2 IS NULL OR choreography = ?2) "
                       "AND (?3 IS NULL OR home = ?3) AND (?4 = 0 OR outcome = 0) "
                       "AND (?5 = 0 OR NOT EXISTS (SELECT 1 FROM node WHERE node.name = home AND lease_until_ms > ?6)) "
                       "AND (?7 = 0 OR changed_ms < ?7) ORDER BY id LIMIT ?8",
    [STATEMENT_LEASE_OF] = "SELECT lease_until_ms FROM node WHERE name = ?1",
    [STATEMENT_LEASE] = "INSERT INTO node (name, lease_until_ms) VALUES (?1, ?2) "
                        "ON CONFLICT (name) DO UPDATE SET lease_until_ms = excluded.lease_until_ms",
    [STATEMENT_END_LEASE] = "DELETE FROM node WHERE name = ?1",
    [STATEMENT_DROP] = "DELETE FROM session WHERE id = ?1",
    [STATEMENT_DROP_CHUNKS_OF_OLD] = "DELETE FROM chunk WHERE id IN (SELECT c.id FROM session s CROSS JOIN chunk c "
                                     "WHERE s.outcome = 1 AND s.changed_ms <= ?1 "
                                     "AND c.id >= s.id << 24 AND c.id < s.id + 1 << 24)",
    [STATEMENT_DROP_OLD] = "DELETE FROM session WHERE outcome = 1 AND changed_ms <= ?1",
};
